// Compiled programs: the pipeline from a graph to callable code.
//
// A program keeps the simplified graph (for binding and for printing), the outline of the graph as
// written (for what a run refuses) and its machine code, nothing of LLVM. How it is run is in
// program_run.c, how it is shown in program_show.c.
#include "jit/program_data.h"

#include "base/clock.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_size_t live_programs, live_code_bytes;
static atomic_ullong next_symbol;

// --- compiling
// -------------------------------------------------------------------------------------------

static gj_status make_ports(gj_program *p, gj_error *err) {
  p->input_count = gj_graph_input_count(p->graph);
  p->output_count = gj_graph_output_count(p->graph);
  p->ports = gj_arena_array(&p->arena, p->input_count + p->output_count, sizeof *p->ports);
  if (!p->ports)
    return gj_fail(err, GJ_E_MEMORY, "compile: out of memory");
  for (size_t i = 0; i < p->input_count; i++) {
    const gj_node *node = gj_graph_node(p->graph, gj_graph_input(p->graph, i));
    p->ports[i] = (gj_port){node->name, node->type};
  }
  for (size_t i = 0; i < p->output_count; i++) {
    const gj_output *output = gj_graph_output(p->graph, i);
    p->ports[p->input_count + i] =
        (gj_port){output->name, gj_graph_node(p->graph, output->ref)->type};
  }
  return GJ_OK;
}

gj_pipeline_options gj__program_front(const gj_program *program) {
  return (gj_pipeline_options){.machine = gj_target_loops(&program->target), .poll = true};
}

gj_codegen_options gj__program_back(const gj_program *p) {
  return (gj_codegen_options){.numerics = p->options.numerics,
                              .opt_level = p->options.opt_level,
                              .entry_symbol = p->symbol,
                              .host_math = true};
}

static gj_status generate(gj_program *p, const gj_lmodule *module, gj_error *err) {
  unsigned char *object = NULL;
  size_t size = 0;
  gj_codegen_times times = {0};
  gj_codegen_options options = gj__program_back(p);
  GJ_TRY(gj_codegen(module, &p->target, &options, GJ_EMIT_OBJECT, &object, &size, &times, err));
  double start = gj_clock_ms();
  gj_status status = gj_jit_load(object, size, p->symbol, &p->code, &p->entry, err);
  free(object);
  p->stats.emit_ms = times.emit;
  p->stats.optimize_ms = times.optimize;
  p->stats.machine_ms = times.machine;
  p->stats.load_ms = gj_clock_ms() - start;
  p->stats.code_bytes = size;
  return status;
}

static void count_constants(gj_program *p) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(p->graph); ref++)
    p->stats.constant_bytes += gj_graph_node(p->graph, ref)->data_size;
}

static gj_status build(gj_program *p, const gj_graph *graph, gj_error *err) {
  double start = gj_clock_ms();
  gj_pipeline pipeline;
  GJ_TRY(gj_target_host(&p->target, err));
  gj_pipeline_options options = gj__program_front(p);
  GJ_TRY(gj_pipeline_run(graph, &options, &pipeline, err));
  p->graph = pipeline.graph;
  p->scratch_bytes = pipeline.scratch_bytes;
  p->stats = (gj_program_stats){.simplify_ms = pipeline.simplify_ms,
                                .fuse_ms = pipeline.fuse_ms,
                                .lower_ms = pipeline.lower_ms,
                                .nodes_before = gj_graph_node_count(graph),
                                .nodes_after = gj_graph_node_count(p->graph),
                                .kernels = pipeline.lowered.kernel_count};
  gj_status status = gj_graph_outline(graph, &p->written, err);
  if (status == GJ_OK)
    status = make_ports(p, err);
  if (status == GJ_OK)
    status = generate(p, pipeline.lowered.module, err);
  pipeline.graph = NULL; // the program's now
  gj_pipeline_fini(&pipeline);
  count_constants(p);
  p->stats.total_ms = gj_clock_ms() - start;
  return status;
}

gj_status gj_program_compile(const gj_graph *graph, const gj_compile_options *options,
                             gj_program **out_program, gj_error *err) {
  *out_program = NULL;
  if (options->opt_level > 3)
    return gj_fail(err, GJ_E_ARGUMENT,
                   "compile: expected an optimisation level from 0 to 3, got %u",
                   options->opt_level);
  if (options->threads < 1)
    return gj_fail(err, GJ_E_ARGUMENT, "compile: expected at least 1 thread, got 0");
  gj_program *p = calloc(1, sizeof *p);
  if (!p)
    return gj_fail(err, GJ_E_MEMORY, "compile: out of memory");
  gj_arena_init(&p->arena, 4096);
  p->options = *options;
  snprintf(p->symbol, sizeof p->symbol, "graphjit_%llu", atomic_fetch_add(&next_symbol, 1));
  atomic_fetch_add(&live_programs, 1);
  gj_status status = build(p, graph, err);
  atomic_fetch_add(&live_code_bytes, p->stats.code_bytes);
  if (status != GJ_OK) {
    gj_program_free(p);
    return status;
  }
  *out_program = p;
  return GJ_OK;
}

void gj_program_free(gj_program *program) {
  if (!program)
    return;
  atomic_fetch_sub(&live_programs, 1);
  atomic_fetch_sub(&live_code_bytes, program->stats.code_bytes);
  gj_jit_unload(program->code);
  gj_graph_free(program->graph);
  gj_graph_free(program->written);
  gj__report_free(atomic_load(&program->report));
  gj_arena_fini(&program->arena);
  free(program);
}

// --- signature
// -----------------------------------------------------------------------------------------------

size_t gj_program_input_count(const gj_program *program) { return program->input_count; }

const gj_port *gj_program_input(const gj_program *program, size_t index) {
  return &program->ports[index];
}

size_t gj_program_output_count(const gj_program *program) { return program->output_count; }

const gj_port *gj_program_output(const gj_program *program, size_t index) {
  return &program->ports[program->input_count + index];
}

gj_dims *gj_program_dims(const gj_program *program) { return gj_graph_dims(program->graph); }

gj_entry *gj_program_entry(const gj_program *program) { return program->entry; }

void gj_program_usage(size_t *out_programs, size_t *out_code_bytes) {
  *out_programs = atomic_load(&live_programs);
  *out_code_bytes = atomic_load(&live_code_bytes);
}
