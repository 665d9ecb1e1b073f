// See profile.h. Each round measures one run of the program, then the kernels of the variant one by
// one, in order and on the same scratch memory, so that every kernel finds what a run would leave
// it. A kernel is never repeated by itself: it may overwrite what it reads.
#include "jit/observe/profile.h"

#include "base/clock.h"
#include "base/size.h"
#include "jit/observe/perf_map.h"
#include "jit/program/data.h"

#include <stdlib.h>

enum { MOST_SAMPLES = 1 << 20 };

struct gj_profiler {
  gj_pipeline pipeline; // its graph and plan say what kernels move
  gj_constants constants;
  gj_jit_code *code;
  gj_entry *entry;
};

// --- the variant ---

static gj_status compile_variant(const gj_program *program, gj_profiler *p, gj_error *err) {
  unsigned char *object = NULL;
  size_t size = 0;
  const gj_target *host;
  GJ_TRY(gj_target_host_shared(&host, err));
  gj_pipeline_options front = gj__front_options(host, &program->options);
  gj_codegen_options back = gj__back_options(&program->options);
  front.by_kernel = true;
  GJ_TRY(gj__program_pipeline(program, &front, &p->pipeline, err));
  GJ_TRY(gj_constants_init(&p->constants, program->graph, err));
  GJ_TRY(gj_constants_place(&p->constants, p->pipeline.lowered.module, &back.constants, err));
  GJ_TRY(gj_codegen(p->pipeline.lowered.module, host, &back, GJ_EMIT_OBJECT, &object, &size, NULL,
                    err));
  gj_status status = gj_jit_load_all(&(gj_object){object, size}, 1, &p->constants, GJ__ENTRY_SYMBOL,
                                     &p->code, &p->entry, err);
  if (status == GJ_OK && gj_perf_map_is_on())
    gj_perf_map_add(&p->pipeline.lowered, object, size, GJ__ENTRY_SYMBOL, p->entry);
  free(object);
  return status;
}

void gj__profiler_free(gj_profiler *profiler) {
  if (!profiler)
    return;
  gj_jit_unload(profiler->code);
  gj_constants_fini(&profiler->constants);
  gj_pipeline_fini(&profiler->pipeline);
  free(profiler);
}

static gj_status get_profiler(const gj_program *program, gj_profiler **out_profiler,
                              gj_error *err) {
  gj_program *own = (gj_program *)program; // what is seen of it stays the same
  gj_profiler *kept = atomic_load(&own->profiler);
  if (!kept) {
    gj_profiler *fresh = calloc(1, sizeof *fresh);
    gj_status status = fresh ? compile_variant(program, fresh, err)
                             : gj_fail(err, GJ_E_MEMORY, "profile: out of memory");
    if (status != GJ_OK) {
      gj__profiler_free(fresh);
      return status;
    }
    if (atomic_compare_exchange_strong(&own->profiler, &kept, fresh))
      kept = fresh;
    else
      gj__profiler_free(fresh); // another thread was first
  }
  *out_profiler = kept;
  return GJ_OK;
}

// --- measuring ---

typedef struct session {
  const gj_program *program;
  const gj_binding *binding;
  void *const *buffers;
  gj_profiler *profiler;
  void *scratch;
  int64_t *dims;   // the symbols, then the number of the kernel
  size_t parts;    // kernels and the whole run
  double *samples; // per part `room` times, the run last
  uint32_t room;
  double clock_ns; // what reading the clock adds to each
} session;

static double now_ns(void) { return gj_clock_ms() * 1e6; }

static double clock_cost(void) {
  double best = 1e9;
  for (int i = 0; i < 64; i++) {
    double start = now_ns(), took = now_ns() - start;
    best = took < best ? took : best;
  }
  return best;
}

static double since(const session *s, double start) {
  double took = now_ns() - start - s->clock_ns;
  return took > 0 ? took : 0;
}

static gj_status measure_round(session *s, uint32_t round, gj_error *err) {
  double start = now_ns();
  GJ_TRY(gj_program_run(s->program, s->binding, s->buffers, s->scratch, NULL, err));
  s->samples[(s->parts - 1) * s->room + round] = since(s, start);
  for (size_t k = 0; k + 1 < s->parts; k++) {
    s->dims[s->binding->symbol_count] = (int64_t)k;
    start = now_ns();
    int32_t status = gj__program_call(s->program, s->profiler->entry, s->buffers, s->dims,
                                      s->scratch, NULL, NULL);
    s->samples[k * s->room + round] = since(s, start);
    if (status != GJ_RUN_OK)
      return gj_fail(err, GJ_E_INTERNAL, "profile: kernel %zu stopped with status %d", k, status);
  }
  return GJ_OK;
}

// The first round warms up: it counts only if it used up the time.
static gj_status measure(session *s, const gj_profile_options *options, uint32_t *out_runs,
                         gj_error *err) {
  double end = gj_clock_ms() + options->seconds * 1e3;
  GJ_TRY(measure_round(s, 0, err));
  *out_runs = gj_clock_ms() >= end;
  while (*out_runs == 0 || (*out_runs < s->room && gj_clock_ms() < end))
    GJ_TRY(measure_round(s, (*out_runs)++, err));
  return GJ_OK;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static gj_timing summarise(const session *s, size_t part, uint32_t runs) {
  double *samples = s->samples + part * s->room;
  qsort(samples, runs, sizeof *samples, by_value);
  return (gj_timing){samples[0], samples[runs / 2]};
}

static gj_status run_session(session *s, const gj_profile_options *options, gj_profile *out,
                             gj_error *err) {
  size_t scratch_bytes;
  if (!gj_align_size(s->binding->scratch_bytes, 64, &scratch_bytes))
    return gj_fail(err, GJ_E_OVERFLOW, "profile: intermediate values are too large");
  s->scratch = scratch_bytes ? aligned_alloc(64, scratch_bytes) : NULL;
  s->dims = calloc(s->binding->symbol_count + 1, sizeof *s->dims);
  s->samples = calloc(s->parts * s->room, sizeof *s->samples);
  if ((scratch_bytes && !s->scratch) || !s->dims || !s->samples)
    return gj_fail(err, GJ_E_MEMORY, "profile: out of memory for %zu bytes of intermediate values",
                   scratch_bytes);
  for (size_t i = 0; i < s->binding->symbol_count; i++)
    s->dims[i] = s->binding->symbols[i];
  s->clock_ns = clock_cost();
  GJ_TRY(measure(s, options, &out->runs, err));
  for (size_t k = 0; k < out->kernel_count; k++)
    out->kernels[k] = summarise(s, k, out->runs);
  out->run = summarise(s, out->kernel_count, out->runs);
  return gj_plan_traffic(s->profiler->pipeline.plan, s->dims, out->traffic, err);
}

static gj_profile *new_profile(size_t kernels) {
  gj_profile *out = calloc(1, sizeof *out);
  if (!out)
    return NULL;
  out->kernel_count = kernels;
  out->kernels = calloc(kernels + 1, sizeof *out->kernels);
  out->traffic = calloc(kernels + 1, sizeof *out->traffic);
  if (out->kernels && out->traffic)
    return out;
  gj_profile_free(out);
  return NULL;
}

gj_status gj_program_profile(const gj_program *program, const gj_binding *binding,
                             void *const *buffers, const gj_profile_options *options,
                             gj_profile **out_profile, gj_error *err) {
  *out_profile = NULL;
  if (options->runs < 1)
    return gj_fail(err, GJ_E_ARGUMENT, "profile: expected at least 1 run, got 0");
  gj_profiler *profiler = NULL;
  GJ_TRY(get_profiler(program, &profiler, err));
  size_t kernels = profiler->pipeline.lowered.kernel_count;
  size_t most = MOST_SAMPLES / (kernels + 1) + 1;
  gj_profile *out = new_profile(kernels);
  if (!out)
    return gj_fail(err, GJ_E_MEMORY, "profile: out of memory for %zu kernels", kernels);
  session s = {.program = program,
               .binding = binding,
               .buffers = buffers,
               .profiler = profiler,
               .parts = kernels + 1,
               .room = options->runs < most ? options->runs : (uint32_t)most};
  gj_status status = run_session(&s, options, out, err);
  free(s.scratch);
  free(s.dims);
  free(s.samples);
  if (status != GJ_OK) {
    gj_profile_free(out);
    return status;
  }
  *out_profile = out;
  return GJ_OK;
}

void gj_profile_free(gj_profile *profile) {
  if (!profile)
    return;
  free(profile->kernels);
  free(profile->traffic);
  free(profile);
}
