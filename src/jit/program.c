// Compiled programs: the pipeline from a graph to callable code, binding of sizes, and runs.
//
// A program keeps the simplified graph (for binding and for printing), the outline of the graph as
// written (for what a run refuses) and its machine code, nothing of LLVM. What is only looked at,
// loops, LLVM IR and assembly, is made again from the graph when asked for.
#include "jit/program.h"

#include "base/clock.h"
#include "jit/orc.h"
#include "lower/pipeline.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gj_program {
  gj_arena arena;    // ports, kernels and their strings
  gj_graph *graph;   // simplified
  gj_graph *written; // outline of what was compiled; its symbols have the same numbers
  gj_compile_options options;
  gj_target target;
  char symbol[32]; // linker name of the entry
  gj_dim scratch_bytes;
  size_t input_count, output_count;
  gj_port *ports; // inputs, then outputs
  size_t kernel_count;
  gj_kernel_info *kernels;
  gj_jit_code *code;
  gj_entry *entry;
  gj_program_stats stats;
};

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

// What the vectoriser did to one kernel, in a few words: the widest vectors of its loops ("8
// lanes"), or why its first loop stayed scalar. A line of the report reads "k0: for i: 8 lanes, …".
static const char *summarise(gj_arena *arena, const char *report, const char *kernel) {
  char text[160] = "no loop";
  long widest = 0;
  size_t length = strlen(kernel);
  for (const char *line = report; *line;) {
    const char *end = strchr(line, '\n');
    end = end ? end : line + strlen(line);
    if (strncmp(line, kernel, length) == 0 && line[length] == ':') {
      const char *loop = strstr(line + length + 1, ": ");
      const char *said = loop && loop < end ? loop + 2 : end;
      long lanes = strtol(said, NULL, 10);
      if (lanes > widest)
        snprintf(text, sizeof text, "%ld lanes", widest = lanes);
      else if (widest == 0 && text[0] == 'n')
        snprintf(text, sizeof text, "%.*s", (int)(end - said), said);
    }
    line = *end ? end + 1 : end;
  }
  return gj_arena_strdup(arena, text);
}

static gj_status keep_kernels(gj_program *p, const gj_pipeline *pipeline, gj_error *err) {
  const gj_lowered *lowered = &pipeline->lowered;
  p->kernel_count = lowered->kernel_count;
  p->kernels = gj_arena_array(&p->arena, p->kernel_count + 1, sizeof *p->kernels);
  if (!p->kernels)
    return gj_fail(err, GJ_E_MEMORY, "compile: out of memory");
  for (size_t i = 0; i < p->kernel_count; i++) {
    const gj_lowered_kernel *k = &lowered->kernels[i];
    p->kernels[i] = (gj_kernel_info){
        .name = gj_arena_strdup(&p->arena, k->name),
        .kind = gj_arena_strdup(&p->arena, k->kind),
        .what = gj_arena_strdup(&p->arena, k->what),
        .shape = gj_arena_strdup(&p->arena, k->shape),
        .vectorised = summarise(&p->arena, gj_strbuf_peek(&pipeline->report), k->name),
    };
    const gj_kernel_info *kept = &p->kernels[i];
    if (!kept->name || !kept->kind || !kept->what || !kept->shape || !kept->vectorised)
      return gj_fail(err, GJ_E_MEMORY, "compile: out of memory");
  }
  return GJ_OK;
}

static gj_pipeline_options front_options(const gj_target *target) {
  return (gj_pipeline_options){.vector_bytes = target->vector_bytes, .poll = true};
}

static gj_codegen_options back_options(const gj_program *p) {
  return (gj_codegen_options){.numerics = p->options.numerics,
                              .opt_level = p->options.opt_level,
                              .entry_symbol = p->symbol,
                              .host_math = true};
}

static gj_status generate(gj_program *p, const gj_lmodule *module, gj_error *err) {
  unsigned char *object = NULL;
  size_t size = 0;
  gj_codegen_times times = {0};
  gj_codegen_options options = back_options(p);
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
  gj_pipeline_options options = front_options(&p->target);
  GJ_TRY(gj_pipeline_run(graph, &options, &pipeline, err));
  p->graph = pipeline.graph;
  p->scratch_bytes = pipeline.scratch_bytes;
  p->stats = (gj_program_stats){.simplify_ms = pipeline.simplify_ms,
                                .fuse_ms = pipeline.fuse_ms,
                                .lower_ms = pipeline.lower_ms,
                                .nodes_before = gj_graph_node_count(graph),
                                .nodes_after = gj_graph_node_count(p->graph),
                                .kernels = pipeline.lowered.kernel_count};
  gj_status status = keep_kernels(p, &pipeline, err);
  if (status == GJ_OK)
    status = gj_graph_outline(graph, &p->written, err);
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

// --- binding
// ---------------------------------------------------------------------------------------------------

// Bytes of a port and, for outputs, its sizes. gj_graph_bind() has checked that nothing overflows.
static gj_status size_port(const gj_program *p, const gj_port *port, const int64_t *symbols,
                           size_t *out_bytes, int64_t *out_shape, gj_error *err) {
  int64_t bytes = (int64_t)gj_dtype_bytes(port->type.dtype);
  for (uint8_t i = 0; i < port->type.rank; i++) {
    int64_t size;
    if (!gj_dim_eval(gj_program_dims(p), port->type.shape[i], symbols, &size) ||
        __builtin_mul_overflow(bytes, size, &bytes))
      return gj_fail(err, GJ_E_OVERFLOW, "%s: axis %u is too large", port->name, (unsigned)i);
    if (out_shape)
      out_shape[i] = size;
  }
  *out_bytes = (size_t)bytes;
  return GJ_OK;
}

static gj_status fill_binding(const gj_program *p, const int64_t *const *shapes, gj_binding *b,
                              gj_error *err) {
  int64_t scratch;
  // A pass may have removed a slice that leaves its operand, or have made new sizes.
  GJ_TRY(gj_graph_bind(p->written, shapes, b->symbols, err));
  GJ_TRY(gj_graph_bind(p->graph, shapes, b->symbols, err));
  if (!gj_dim_eval(gj_program_dims(p), p->scratch_bytes, b->symbols, &scratch) ||
      scratch > GJ_DIM_MAX)
    return gj_fail(err, GJ_E_OVERFLOW, "the intermediate values of a run do not fit in 2^47 bytes");
  b->scratch_bytes = (size_t)scratch;
  for (size_t i = 0; i < p->input_count + p->output_count; i++) {
    int64_t *shape = NULL;
    if (i >= p->input_count)
      shape = b->output_shapes + GJ_MAX_RANK * (i - p->input_count);
    GJ_TRY(size_port(p, &p->ports[i], b->symbols, &b->buffer_bytes[i], shape, err));
  }
  return GJ_OK;
}

gj_status gj_program_bind(const gj_program *program, const int64_t *const *shapes,
                          gj_binding **out_binding, gj_error *err) {
  *out_binding = NULL;
  size_t symbols = gj_dims_symbol_count(gj_program_dims(program));
  size_t ports = program->input_count + program->output_count;
  gj_binding *b = calloc(1, sizeof *b);
  gj_status status = GJ_OK;
  if (b) {
    b->symbol_count = symbols;
    b->symbols = calloc(symbols + 1, sizeof *b->symbols);
    b->buffer_bytes = calloc(ports + 1, sizeof *b->buffer_bytes);
    b->output_shapes = calloc(program->output_count * GJ_MAX_RANK + 1, sizeof *b->output_shapes);
  }
  if (!b || !b->symbols || !b->buffer_bytes || !b->output_shapes)
    status = gj_fail(err, GJ_E_MEMORY, "bind: out of memory");
  else
    status = fill_binding(program, shapes, b, err);
  if (status != GJ_OK) {
    gj_binding_free(b);
    return status;
  }
  *out_binding = b;
  return GJ_OK;
}

void gj_binding_free(gj_binding *binding) {
  if (!binding)
    return;
  free(binding->symbols);
  free(binding->buffer_bytes);
  free(binding->output_shapes);
  free(binding);
}

// --- running
// -----------------------------------------------------------------------------------------------------

// Each thread keeps its last arena, up to this size, so that repeated runs touch warm pages.
enum { KEPT_SCRATCH = 64 << 20 };

typedef struct kept_scratch {
  void *memory;
  size_t size;
} kept_scratch;

static pthread_key_t scratch_key;
static pthread_once_t scratch_once = PTHREAD_ONCE_INIT;
static bool scratch_key_made;

static void free_kept(void *value) {
  kept_scratch *kept = value;
  free(kept->memory);
  free(kept);
}

static void make_scratch_key(void) {
  scratch_key_made = pthread_key_create(&scratch_key, free_kept) == 0;
}

static void *scratch_new(size_t bytes) {
  size_t rounded;
  return __builtin_add_overflow(bytes, (size_t)63, &rounded)
             ? NULL
             : aligned_alloc(64, rounded & ~(size_t)63);
}

// Memory for one run; *out_own is true when the caller must free it.
static void *scratch_take(size_t bytes, bool *out_own) {
  *out_own = bytes > KEPT_SCRATCH;
  pthread_once(&scratch_once, make_scratch_key);
  kept_scratch *kept = scratch_key_made ? pthread_getspecific(scratch_key) : NULL;
  if (!kept && scratch_key_made && !*out_own) {
    kept = calloc(1, sizeof *kept);
    if (kept && pthread_setspecific(scratch_key, kept) != 0) {
      free(kept);
      kept = NULL;
    }
  }
  if (*out_own || !kept) {
    *out_own = true;
    return scratch_new(bytes);
  }
  if (kept->size < bytes) {
    free(kept->memory);
    kept->memory = scratch_new(bytes);
    kept->size = kept->memory ? bytes : 0;
  }
  return kept->memory;
}

gj_status gj_program_run(const gj_program *program, const gj_binding *binding, void *const *buffers,
                         void *scratch, const volatile int32_t *cancel, gj_error *err) {
  bool own = false;
  if (!scratch && binding->scratch_bytes > 0) {
    scratch = scratch_take(binding->scratch_bytes, &own);
    if (!scratch)
      return gj_fail(err, GJ_E_MEMORY, "run: out of memory for %zu bytes of intermediate values",
                     binding->scratch_bytes);
  }
  gj_exec exec = {scratch, cancel};
  int32_t status = program->entry(buffers, binding->symbols, &exec);
  if (own)
    free(scratch);
  return status == GJ_RUN_OK ? GJ_OK : gj_fail(err, GJ_E_CANCELLED, "run: cancelled");
}

// --- seeing
// --------------------------------------------------------------------------------------------------------

void gj_program_get_stats(const gj_program *program, gj_program_stats *out_stats) {
  *out_stats = program->stats;
}

size_t gj_program_kernel_count(const gj_program *program) { return program->kernel_count; }

gj_kernel_info gj_program_kernel(const gj_program *program, size_t index) {
  return program->kernels[index];
}

void gj_program_print_scratch(const gj_program *program, gj_strbuf *out) {
  gj_dim_print(gj_program_dims(program), program->scratch_bytes, out);
}

static gj_status finish(const gj_strbuf *out, gj_error *err) {
  return out->failed ? gj_fail(err, GJ_E_MEMORY, "print: out of memory") : GJ_OK;
}

gj_status gj_program_print_graph(const gj_program *program, gj_strbuf *out, gj_error *err) {
  gj_graph_print(program->graph, out);
  return finish(out, err);
}

gj_status gj_program_print_loops(const gj_program *program, gj_strbuf *out, gj_error *err) {
  gj_pipeline pipeline;
  gj_pipeline_options options = front_options(&program->target);
  GJ_TRY(gj_pipeline_run(program->graph, &options, &pipeline, err));
  gj_lmodule_print(pipeline.lowered.module, out);
  gj_pipeline_fini(&pipeline);
  return finish(out, err);
}

gj_status gj_program_print_code(const gj_program *program, gj_emit what, gj_strbuf *out,
                                gj_error *err) {
  gj_pipeline pipeline;
  gj_pipeline_options front = front_options(&program->target);
  gj_codegen_options back = back_options(program);
  back.entry_symbol = "graphjit_main"; // the same text every time
  unsigned char *text = NULL;
  size_t size = 0;
  GJ_TRY(gj_pipeline_run(program->graph, &front, &pipeline, err));
  gj_status status =
      gj_codegen(pipeline.lowered.module, &program->target, &back, what, &text, &size, NULL, err);
  gj_pipeline_fini(&pipeline);
  if (status != GJ_OK)
    return status;
  gj_strbuf_bytes(out, text, size);
  free(text);
  return finish(out, err);
}

void gj_program_usage(size_t *out_programs, size_t *out_code_bytes) {
  *out_programs = atomic_load(&live_programs);
  *out_code_bytes = atomic_load(&live_code_bytes);
}
