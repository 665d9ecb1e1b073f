// Compiling a graph, from its verification to object files.
#include "jit/compiled.h"
#include "jit/perf_map.h"

static gj_status keep_scratch(gj_compiled *c, const gj_pipeline *pipeline, gj_error *err) {
  gj_strbuf text = {0};
  gj_dim_print(gj_graph_dims(pipeline->graph), pipeline->scratch_bytes, &text);
  return gj_strbuf_take(&text, &c->scratch, NULL, err);
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
                               .fma = gj_numerics_fuse(options->numerics, target)};
}

gj_codegen_options gj__back_options(const gj_compile_options *options) {
  return (gj_codegen_options){.numerics = options->numerics,
                              .opt_level = options->opt_level,
                              .keep_functions = gj_perf_map_is_on(),
                              .entry_symbol = GJ__ENTRY_SYMBOL,
                              .host_math = true};
}

gj_status gj__compiled_make(const gj_graph *graph, const gj_compile_options *options,
                            const gj_target *target, gj_compiled *c, gj_parts *out_parts,
                            gj_program_stats *stats, gj_error *err) {
  gj_pipeline pipeline;
  gj_pipeline_options front = gj__front_options(target, options);
  gj_codegen_options back = gj__back_options(options);
  gj_codegen_times times = {0};
  GJ_TRY(gj_pipeline_run(graph, &front, &pipeline, err));
  c->nodes = gj_graph_node_count(pipeline.graph);
  c->kernels = pipeline.lowered.kernel_count;
  gj_status status = keep_scratch(c, &pipeline, err);
  // Names for perf are found in a single object.
  unsigned threads = gj_perf_map_is_on() ? 1 : options->threads;
  if (status == GJ_OK)
    status =
        gj__parts_compile(pipeline.lowered.module, target, &back, threads, out_parts, &times, err);
  for (size_t i = 0; status == GJ_OK && i < out_parts->count; i++)
    c->code_bytes += out_parts->objects[i].size;
  stats->simplify_ms = pipeline.simplify_ms;
  stats->fuse_ms = pipeline.fuse_ms;
  stats->lower_ms = pipeline.lower_ms;
  stats->emit_ms = times.emit;
  stats->optimize_ms = times.optimize;
  stats->machine_ms = times.machine;
  gj_pipeline_fini(&pipeline);
  return status;
}
