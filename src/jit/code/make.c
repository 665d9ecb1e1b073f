// Compiling a graph, from its verification to object files, where its code is not kept.
#include "jit/code/compiled.h"

#include "base/clock.h"
#include "jit/code/host_math.h"
#include "jit/code/key.h"
#include "jit/observe/perf_map.h"

static gj_status keep_texts(gj_compiled *c, const gj_pipeline *pipeline, gj_error *err) {
  gj_strbuf scratch = {0}, remarks = {0};
  gj_dim_print(gj_graph_dims(pipeline->graph), pipeline->scratch_bytes, &scratch);
  GJ_TRY(gj_strbuf_take(&scratch, &c->scratch, NULL, err));
  return gj_strbuf_take(&remarks, &c->remarks, NULL, err);
}

unsigned gj__piece_ns(const gj_compile_options *options) {
  if (options->threads == 1)
    return 0;
  return options->piece_ns ? options->piece_ns : GJ_PIECE_NS;
}

gj_pipeline_options gj__front_options(const gj_target *target, const gj_compile_options *options) {
  return (gj_pipeline_options){.machine = gj_target_loops(target),
                               .poll = true,
                               .piece_ns = gj__piece_ns(options),
                               .fma = gj_numerics_fuse(options->numerics, target),
                               .reassociate = options->numerics == GJ_NUMERICS_FAST};
}

gj_codegen_options gj__back_options(const gj_compile_options *options) {
  return (gj_codegen_options){.numerics = options->numerics,
                              .opt_level = options->opt_level,
                              .keep_functions = gj_perf_map_is_on(),
                              .entry_symbol = GJ__ENTRY_SYMBOL,
                              .platform_pow = gj_host_math_has_platform_pow(),
                              .host_math = true};
}

typedef struct source {
  const gj_graph *graph;
  const gj_compile_options *options;
  const gj_target *target;
} source;

static gj_status make(const void *from, gj_compiled *c, gj_parts *out_parts,
                      gj_program_stats *stats, gj_error *err) {
  const source *own = from;
  gj_pipeline pipeline;
  gj_pipeline_options front = gj__front_options(own->target, own->options);
  gj_codegen_options back = gj__back_options(own->options);
  gj_codegen_times times = {0};
  GJ_TRY(gj_pipeline_run(own->graph, &front, &pipeline, err));
  c->nodes = gj_graph_node_count(pipeline.graph);
  c->kernels = pipeline.lowered.kernel_count;
  gj_status status = keep_texts(c, &pipeline, err);
  if (status == GJ_OK)
    status = gj_constants_place(&c->constants, pipeline.lowered.module, &back.constants, err);
  // Names for perf are found in a single object.
  unsigned threads = gj_perf_map_is_on() ? 1 : own->options->threads;
  if (status == GJ_OK)
    status = gj__parts_compile(pipeline.lowered.module, own->target, &back, threads, out_parts,
                               &times, err);
  stats->simplify_ms = pipeline.simplify_ms;
  stats->fuse_ms = pipeline.fuse_ms;
  stats->lower_ms = pipeline.lower_ms;
  stats->emit_ms = times.emit;
  stats->optimize_ms = times.optimize;
  stats->machine_ms = times.machine;
  gj_pipeline_fini(&pipeline);
  return status;
}

// The kernels are found again from the graph: most programs are never looked at with perf.
static void name(const void *from, const gj_compiled *c, const gj_object *object) {
  const source *own = from;
  gj_pipeline pipeline;
  gj_pipeline_options front = gj__front_options(own->target, own->options);
  gj_error err;
  if (gj_pipeline_run(own->graph, &front, &pipeline, &err) != GJ_OK)
    return;
  gj_perf_map_add(&pipeline.lowered, object->bytes, object->size, GJ__ENTRY_SYMBOL, c->entry);
  gj_pipeline_fini(&pipeline);
}

gj_status gj__compiled_get(const gj_graph *graph, const gj_compile_options *options,
                           const gj_target *target, gj_compiled **out_compiled,
                           gj_program_stats *stats, gj_error *err) {
  double start = gj_clock_ms();
  source own = {graph, options, target};
  gj__maker maker = {&own, graph, make, name};
  gj_digest key;
  bool keeps = gj__compiled_may_keep(options->cache) && gj__code_key(graph, options, target, &key);
  stats->cache_ms = gj_clock_ms() - start;
  return gj__compiled_find(keeps ? &key : NULL, &maker, out_compiled, stats, err);
}
