// Compiled programs: what a graph is to its users once it is code.
//
// A program keeps a copy of its graph as written (for what a run refuses, and for showing what it
// became) and shares its code, and the large constants of the graph, with other programs of equal
// graphs (compiled.c). How it is run is in run.c, how it is shown in show.c.
#include "jit/program/data.h"

#include "base/clock.h"
#include "ir/custom.h"
#include "runtime/cores.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_size_t live_programs;

// --- compiling ---

static gj_type most_of(gj_dims *dims, const gj_type *type) {
  gj_type most = *type;
  for (uint8_t axis = 0; axis < type->rank; axis++)
    most.shape[axis] = gj_dim_most(dims, type->shape[axis]);
  return most;
}

static gj_status make_ports(gj_program *p, gj_error *err) {
  const gj_graph *graph = p->graph;
  p->computes = gj_graph_computes_sizes(graph);
  p->input_count = gj_graph_input_count(graph);
  p->output_count = gj_graph_output_count(graph);
  p->ports = gj_arena_array(&p->arena, p->input_count + p->output_count, sizeof *p->ports);
  if (!p->ports)
    return gj_fail(err, GJ_E_MEMORY, "compile: out of memory");
  for (size_t i = 0; i < p->input_count; i++) {
    const gj_node *node = gj_graph_node(graph, gj_graph_input(graph, i));
    p->ports[i] = (gj_port){node->name, node->type, node->type};
  }
  for (size_t i = 0; i < p->output_count; i++) {
    const gj_output *output = gj_graph_output(graph, i);
    const gj_type *type = &gj_graph_node(graph, output->ref)->type;
    p->ports[p->input_count + i] =
        (gj_port){output->name, *type, most_of(gj_graph_dims(graph), type)};
  }
  return GJ_OK;
}

// The arena of a run as a size of the program's own graph.
static gj_status read_scratch(gj_program *p, gj_error *err) {
  const char *scratch = p->tier ? gj__tier_scratch(p->tier) : p->compiled->scratch;
  const char *text = scratch, *end = text + strlen(text);
  p->scratch_bytes = gj_dim_parse(gj_graph_dims(p->graph), &text, end, err);
  if (p->scratch_bytes == GJ_DIM_ERROR || text != end)
    return gj_fail(err, GJ_E_INTERNAL, "compile: bad size of scratch memory: %s", scratch);
  return GJ_OK;
}

static void count_constants(gj_program *p) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(p->graph); ref++)
    p->stats.constant_bytes += gj_graph_node(p->graph, ref)->data_size;
}

// Starts in the first tier, or compiles.
static gj_status make_runnable(gj_program *p, const gj_graph *graph, gj_error *err) {
  const gj_target *host;
  gj_status status = gj__tier_new(graph, &p->options, &p->tier, &p->stats, err);
  if (status != GJ_E_UNSUPPORTED)
    return status;
  GJ_TRY(gj_target_host_shared(&host, err));
  GJ_TRY(gj__compiled_get(graph, &p->options, host, &p->compiled, &p->stats, err));
  p->entry = p->compiled->entry;
  return GJ_OK;
}

static gj_status build(gj_program *p, const gj_graph *graph, gj_error *err) {
  double start = gj_clock_ms();
  GJ_TRY(gj_custom_check(graph, err));
  GJ_TRY(make_runnable(p, graph, err));
  // Where code is shared, so are the constants that it reads: another copy of them may go then.
  gj_storage *const *constants = p->compiled ? p->compiled->constants.list : NULL;
  GJ_TRY(gj_graph_copy_with(graph, constants, &p->graph, err));
  GJ_TRY(make_ports(p, err));
  GJ_TRY(read_scratch(p, err));
  p->stats.threads = p->threads;
  p->stats.nodes_before = gj_graph_node_count(graph);
  count_constants(p);
  p->stats.total_ms = gj_clock_ms() - start;
  return GJ_OK;
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
  pthread_mutex_init(&p->graph_lock, NULL);
  p->options = *options;
  p->threads = options->threads < gj_cores() ? options->threads : gj_cores();
  atomic_fetch_add(&live_programs, 1);
  gj_status status = build(p, graph, err);
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
  gj__tier_release(program->tier);
  gj__compiled_release(program->compiled);
  pthread_mutex_destroy(&program->graph_lock);
  gj_graph_free(program->graph);
  gj__report_free(atomic_load(&program->report));
  gj__profiler_free(atomic_load(&program->profiler));
  gj_arena_fini(&program->arena);
  free(program);
}

// --- signature ---

size_t gj_program_input_count(const gj_program *program) { return program->input_count; }

const gj_port *gj_program_input(const gj_program *program, size_t index) {
  return &program->ports[index];
}

size_t gj_program_output_count(const gj_program *program) { return program->output_count; }

const gj_port *gj_program_output(const gj_program *program, size_t index) {
  return &program->ports[program->input_count + index];
}

gj_dims *gj_program_dims(const gj_program *program) { return gj_graph_dims(program->graph); }

gj_entry *gj_program_entry(const gj_program *program) {
  return program->tier ? gj__tier_entry(program->tier) : program->entry;
}

void gj__program_lock_graph(const gj_program *program) {
  pthread_mutex_lock(&((gj_program *)program)->graph_lock);
}

void gj__program_unlock_graph(const gj_program *program) {
  pthread_mutex_unlock(&((gj_program *)program)->graph_lock);
}

gj_status gj__program_pipeline(const gj_program *program, const gj_pipeline_options *options,
                               gj_pipeline *out_pipeline, gj_error *err) {
  gj__program_lock_graph(program);
  gj_status status = gj_pipeline_run(program->graph, options, out_pipeline, err);
  gj__program_unlock_graph(program);
  return status;
}

gj_status gj_program_copy_graph(const gj_program *program, gj_graph **out_graph, gj_error *err) {
  gj__program_lock_graph(program);
  gj_status status = gj_graph_copy(program->graph, out_graph, err);
  gj__program_unlock_graph(program);
  return status;
}

void gj_program_usage(size_t *out_programs, size_t *out_code_bytes) {
  *out_programs = atomic_load(&live_programs);
  *out_code_bytes = gj__compiled_bytes();
}
