// The front half of every compilation, in the order it happens.
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

// Leaves one of equal kernels, before anything is spent on the others.
static gj_status dedupe(gj_lowered *lowered, gj_error *err) {
  gj_lmodule *m = lowered->module;
  uint32_t *left = gj_arena_array(&m->arena, m->func_count + 1, sizeof *left);
  if (!left)
    return gj_fail(err, GJ_E_MEMORY, "lower: out of memory at %u functions", m->func_count);
  GJ_TRY(gj_loops_dedupe(m, left, err));
  follow(m, lowered->kernels, lowered->kernel_count, left);
  for (uint32_t i = 0; i < lowered->function_count; i++)
    follow(m, lowered->functions[i].kernels, lowered->functions[i].kernel_count, left);
  return GJ_OK;
}

static gj_status run(const gj_graph *graph, const gj_pipeline_options *options, gj_pipeline *p,
                     gj_error *err) {
  if (gj_graph_output_count(graph) == 0)
    return gj_fail(err, GJ_E_ARGUMENT, "graph \"%s\" has no output to compute",
                   gj_graph_name(graph));
  double mark = gj_clock_ms();
  GJ_TRY(gj_graph_verify(graph, err));
  GJ_TRY(gj_passes_run(graph, NULL, NULL, &p->graph, err));
  lap(&mark, &p->simplify_ms);
  GJ_TRY(gj_plan_new(p->graph, &p->plan, err));
  p->scratch_bytes = p->plan->scratch_bytes;
  lap(&mark, &p->fuse_ms);
  gj_lower_options lower = {.poll = options->poll,
                            .by_kernel = options->by_kernel,
                            .piece_ns = options->piece_ns,
                            .narrow = options->narrow,
                            .stream_bytes = options->machine.stream_bytes,
                            .vector_bytes = options->machine.vector_bytes,
                            .cheap_masks = options->machine.cheap_masks,
                            .fma = options->fma,
                            .written = options->plan ? graph : NULL};
  gj_status status = gj_lower(p->plan, &lower, &p->lowered, err);
  if (status == GJ_OK)
    status = dedupe(&p->lowered, err);
  if (status == GJ_OK && options->machine.vector_bytes)
    status = gj_loops_vectorise(p->lowered.module, &options->machine, &p->report, err);
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
