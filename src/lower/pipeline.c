// The front half of every compilation: the passes of graphs, of the plan, then those of loops.
#include "lower/pipeline.h"

#include "base/clock.h"
#include "loops/dedupe.h"
#include "passes/pass.h"

#include <string.h>

// Adds the time since *mark to *total and moves the mark.
static void lap(double *mark, double *total) {
  double now = gj_clock_ms();
  *total += now - *mark;
  *mark = now;
}

static void follow(const gj_lmodule *m, gj_lowered_kernel *kernels, uint32_t count,
                   const uint32_t *left) {
  for (uint32_t i = 0; i < count; i++) {
    kernels[i].func = left[kernels[i].func];
    kernels[i].part = left[kernels[i].part];
    kernels[i].name = m->funcs[kernels[i].func]->name;
  }
}

// --- the passes of loops, see passes.def ---

typedef struct input {
  const gj_graph *graph; // as written
  const gj_pipeline_options *options;
} input;

static gj_status run_lower(gj_pipeline *p, const input *in, gj_error *err) {
  const gj_pipeline_options *options = in->options;
  gj_lower_options lower = {.poll = options->poll,
                            .by_kernel = options->by_kernel,
                            .piece_ns = options->piece_ns,
                            .narrow = options->narrow,
                            .stream_bytes = options->machine.stream_bytes,
                            .vector_bytes = options->machine.vector_bytes,
                            .cheap_masks = options->machine.cheap_masks,
                            .fma = options->fma,
                            .reassociate = options->reassociate,
                            .written = options->plan ? in->graph : NULL};
  return gj_lower(p->plan, &lower, &p->lowered, err);
}

// Before anything is spent on the kernels that go.
static gj_status run_dedupe(gj_pipeline *p, const input *in, gj_error *err) {
  gj_lowered *lowered = &p->lowered;
  gj_lmodule *m = lowered->module;
  uint32_t *left = gj_arena_array(&m->arena, m->func_count + 1, sizeof *left);
  if (!left)
    return gj_fail(err, GJ_E_MEMORY, "lower: out of memory at %u functions", m->func_count);
  GJ_TRY(gj_loops_dedupe(m, gj_pass_runs(GJ_PASS_lift, in->options->until), left, err));
  follow(m, lowered->kernels, lowered->kernel_count, left);
  for (uint32_t i = 0; i < lowered->function_count; i++)
    follow(m, lowered->functions[i].kernels, lowered->functions[i].kernel_count, left);
  return GJ_OK;
}

static gj_status run_vectorise(gj_pipeline *p, const input *in, gj_error *err) {
  gj_pass_id until = in->options->until;
  unsigned marks = 0;
  marks |= gj_pass_runs(GJ_PASS_tile, until) ? GJ_LOOP_TILE : 0u;
  marks |= gj_pass_runs(GJ_PASS_strip, until) ? GJ_LOOP_VECTOR : 0u;
  marks |= gj_pass_runs(GJ_PASS_unroll, until) ? GJ_LOOP_UNROLL : 0u;
  if (!in->options->machine.vector_bytes)
    return GJ_OK;
  return gj_loops_rewrite(p->lowered.module, &in->options->machine, marks, &p->report, err);
}

typedef gj_status loop_pass(gj_pipeline *p, const input *in, gj_error *err);

static loop_pass *const passes[GJ_PASS_COUNT] = {
#define GJ_LOOP_PASS(name, ...) [GJ_PASS_##name] = run_##name,
#include "passes/passes.def"
};

static gj_status run(const gj_graph *graph, const gj_pipeline_options *options, gj_pipeline *p,
                     gj_error *err) {
  if (gj_graph_output_count(graph) == 0)
    return gj_fail(err, GJ_E_ARGUMENT, "graph \"%s\" has no output to compute",
                   gj_graph_name(graph));
  input in = {graph, options};
  double mark = gj_clock_ms();
  GJ_TRY(gj_graph_verify(graph, err));
  GJ_TRY(gj_passes_run(graph, NULL, NULL, &p->graph, err));
  lap(&mark, &p->simplify_ms);
  GJ_TRY(gj_plan_until(p->graph, options->until, &p->plan, err));
  p->scratch_bytes = p->plan->scratch_bytes;
  lap(&mark, &p->fuse_ms);
  gj_status status = GJ_OK;
  for (gj_pass_id id = GJ_PASS_NONE + 1; id < GJ_PASS_COUNT && status == GJ_OK; id++)
    if (passes[id] && gj_pass_runs(id, options->until))
      status = passes[id](p, &in, err);
  lap(&mark, &p->lower_ms);
  return status;
}

gj_status gj_pipeline_run(const gj_graph *graph, const gj_pipeline_options *options,
                          gj_pipeline *out_pipeline, gj_error *err) {
  *out_pipeline = (gj_pipeline){0};
  gj_strbuf_init(&out_pipeline->report);
  gj_status status = run(graph, options, out_pipeline, err);
  if (status != GJ_OK)
    gj_pipeline_fini(out_pipeline);
  return status;
}

void gj_pipeline_fini(gj_pipeline *pipeline) {
  gj_lmodule_free(pipeline->lowered.module);
  gj_plan_free(pipeline->plan);
  gj_graph_free(pipeline->graph);
  gj_strbuf_fini(&pipeline->report);
  memset(pipeline, 0, sizeof *pipeline);
}
