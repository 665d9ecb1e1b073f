// What a compiled program looks like inside. What is only looked at, loops, LLVM IR and assembly,
// is made again from the graph when asked for.
#include "jit/program/data.h"

#include "passes/pass.h"

#include <stdlib.h>

void gj_program_get_stats(const gj_program *program, gj_program_stats *out_stats) {
  *out_stats = program->stats;
  if (program->tier)
    gj__tier_get_stats(program->tier, out_stats);
}

static gj_status finish(const gj_strbuf *out, gj_error *err) {
  return out->failed ? gj_fail(err, GJ_E_MEMORY, "print: out of memory") : GJ_OK;
}

gj_status gj_program_print_graph(const gj_program *program, gj_strbuf *out, gj_error *err) {
  gj_graph *simplified;
  gj__program_lock_graph(program);
  gj_status status = gj_passes_run(program->graph, NULL, NULL, &simplified, err);
  gj__program_unlock_graph(program);
  GJ_TRY(status);
  gj_graph_print(simplified, out);
  gj_graph_free(simplified);
  return finish(out, err);
}

gj_status gj_program_print_loops(const gj_program *program, size_t most_data, gj_strbuf *out,
                                 gj_error *err) {
  gj_pipeline pipeline;
  const gj_target *host;
  GJ_TRY(gj_target_host_shared(&host, err));
  gj_pipeline_options options = gj__front_options(host, &program->options);
  GJ_TRY(gj__program_pipeline(program, &options, &pipeline, err));
  gj_lmodule_sketch(pipeline.lowered.module, most_data ? most_data : SIZE_MAX, out);
  gj_pipeline_fini(&pipeline);
  return finish(out, err);
}

gj_status gj_program_print_code(const gj_program *program, gj_emit what, size_t most_data,
                                gj_strbuf *out, gj_error *err) {
  gj_pipeline pipeline;
  const gj_target *host;
  GJ_TRY(gj_target_host_shared(&host, err));
  gj_pipeline_options front = gj__front_options(host, &program->options);
  gj_codegen_options back = gj__back_options(&program->options);
  back.most_data = most_data;
  unsigned char *text = NULL;
  size_t size = 0;
  GJ_TRY(gj__program_pipeline(program, &front, &pipeline, err));
  gj_status status =
      gj_codegen(pipeline.lowered.module, host, &back, what, &text, &size, NULL, err);
  gj_pipeline_fini(&pipeline);
  if (status != GJ_OK)
    return status;
  gj_strbuf_bytes(out, text, size);
  free(text);
  return finish(out, err);
}
