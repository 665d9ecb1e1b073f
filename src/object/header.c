// The C header of an object: text for people first, then what a compiler needs.
//
// It takes C11 or C++11 and no library. Names of inputs, outputs and symbols become identifiers,
// and unique ones in each scope that they stand in. Everything that a user wrote stands in //
// comments, with characters replaced that could end or hide them.
#include "object/object.h"

#include "lower/pipeline.h"
#include "object/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct port {
  const char *name; // as the user wrote it
  const char *own;  // as an identifier, among those of all ports
  const gj_type *type;
  bool output;
} port;

typedef struct writer {
  const gj_graph *graph;
  gj_dims *dims; // may be added to
  const gj_pipeline *p;
  const gj_object_options *options;
  const char *symbol;
  char scratch[GJ_SYMBOL_CAPACITY + 8]; // SYMBOL_SCRATCH in capitals
  gj_arena arena;
  port *ports;
  size_t input_count, port_count, symbol_count;
  const char **symbols; // as identifiers beside those of the ports
  gj_strbuf *out;
} writer;

// --- text ---

// A character of a comment: no backslash at the end of a line, no trigraph, nothing that displays
// as something else.
static void comment_char(writer *w, char c) {
  bool plain = c >= 0x20 && c < 0x7F && c != '\\' && c != '?';
  gj_strbuf_char(w->out, plain ? c : '_');
}

static void comment_text(writer *w, const char *text) {
  for (; *text; text++)
    comment_char(w, *text);
}

static void pad(writer *w, const char *text, size_t width) {
  comment_text(w, text);
  for (size_t i = strlen(text); i < width; i++)
    gj_strbuf_char(w->out, ' ');
}

static void comment_dim(writer *w, gj_dim d) {
  gj_strbuf text = {0};
  gj_dim_print(w->dims, d, &text);
  comment_text(w, gj_strbuf_peek(&text));
  gj_strbuf_fini(&text);
}

static const char *c_type(gj_dtype dtype) {
  static const char *const names[GJ_DTYPE_COUNT] = {
#define GJ_DTYPE(name, kind, bits, ctype, jsarray, computed) [GJ_DTYPE_##name] = #ctype,
#include "ops/dtypes.def"
  };
  return names[dtype];
}

// --- the description ---

static void print_sizes(writer *w, const gj_type *type, bool strides) {
  gj_strbuf_char(w->out, '[');
  for (uint8_t i = 0; i < type->rank; i++) {
    gj_dim d = strides ? 1 : type->shape[i];
    for (uint8_t k = (uint8_t)(i + 1); strides && k < type->rank; k++)
      d = gj_dim_mul(w->dims, d, type->shape[k]);
    gj_strbuf_text(w->out, i ? ", " : "");
    if (d == GJ_DIM_ERROR)
      gj_strbuf_text(w->out, "row-major");
    else
      comment_dim(w, d);
  }
  gj_strbuf_char(w->out, ']');
}

static bool is_computed(const writer *w, const gj_type *type) {
  for (uint8_t i = 0; i < type->rank; i++)
    if (gj_dim_is_computed(w->dims, type->shape[i]))
      return true;
  return false;
}

// The same with the most that sizes can be which the run computes.
static gj_type most_of(writer *w, const gj_type *type) {
  gj_type most = *type;
  for (uint8_t i = 0; i < type->rank; i++)
    most.shape[i] = gj_dim_most(w->dims, type->shape[i]);
  return most;
}

static void print_port(writer *w, const port *p, const char *role, size_t width) {
  gj_strbuf_printf(w->out, "//   %-8s", role);
  pad(w, p->name, width + 2);
  gj_strbuf_printf(w->out, "%-10s", c_type(p->type->dtype));
  if (p->type->rank == 0) {
    gj_strbuf_text(w->out, "one number");
  } else {
    print_sizes(w, p->type, false);
    gj_strbuf_text(w->out, ", strides ");
    print_sizes(w, p->type, true);
  }
  if (is_computed(w, p->type)) {
    gj_type most = most_of(w, p->type);
    gj_strbuf_text(w->out, ", with room for ");
    print_sizes(w, &most, false);
  }
  if (gj_dtype_is_half(p->type->dtype))
    gj_strbuf_printf(w->out, ", bits of %s", gj_dtype_name(p->type->dtype));
  gj_strbuf_char(w->out, '\n');
}

static void print_kernels(writer *w) {
  for (uint32_t i = 0; i < w->p->lowered.kernel_count; i++) {
    const gj_lowered_kernel *k = &w->p->lowered.kernels[i];
    gj_strbuf_text(w->out, "//   ");
    comment_text(w, k->kind);
    gj_strbuf_char(w->out, ' ');
    comment_text(w, k->shape);
    gj_strbuf_text(w->out, ": ");
    comment_text(w, k->what);
    gj_strbuf_char(w->out, '\n');
  }
}

static void print_description(writer *w) {
  static const char *const numerics[] = {"default", "strict", "fast"};
  size_t width = 4;
  for (size_t i = 0; i < w->port_count; i++) {
    size_t length = strlen(w->ports[i].name);
    width = length > width && length < 32 ? length : width;
  }
  gj_strbuf_text(w->out, "// ");
  comment_text(w, gj_graph_name(w->graph));
  gj_strbuf_printf(w->out, ": made by graphjit %s, numerics '%s'%s.\n//\n", GJ_VERSION,
                   numerics[w->options->numerics], w->options->threads ? ", with threads" : "");
  gj_strbuf_text(w->out, "// Arrays are row-major and contiguous; strides count elements.\n//\n");
  for (size_t i = 0; i < w->port_count; i++)
    print_port(w, &w->ports[i], w->ports[i].output ? "output" : "input", width);
  gj_strbuf_text(w->out, "//\n// What is computed, kernel by kernel:\n//\n");
  print_kernels(w);
}

// --- the interface ---

// The guard has the symbol as it is: f and F are two.
void gj_object_opening(const char *symbol, gj_strbuf *out) {
  gj_strbuf_printf(out, "#ifndef GRAPHJIT_%s_H\n#define GRAPHJIT_%s_H\n\n", symbol, symbol);
  gj_strbuf_text(out, "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n");
  gj_strbuf_text(
      out,
      "#ifdef __cplusplus\n"
      "extern \"C\" {\n"
      "#endif\n\n"
      "#ifndef GRAPHJIT_EXEC\n"
      "#define GRAPHJIT_EXEC\n"
      "typedef struct gj_exec gj_exec;\n"
      "typedef struct gj_heap gj_heap;\n\n"
      "// A part of the work: what lies in [begin, end) of a range. Returns a status.\n"
      "typedef int32_t gj_task(void *context, int64_t begin, int64_t end, gj_exec *exec);\n\n"
      "// Calls the task with disjoint ranges that cover [lo, hi), in any order, on any threads, "
      "each\n"
      "// with an exec like this one whose slot is the number of the thread. Returns when all are\n"
      "// done: the first status that is not zero, or zero. `grain` is how much of the range is "
      "worth\n"
      "// a thread's attention.\n"
      "typedef int32_t gj_parallel(gj_exec *exec, gj_task *task, void *context, int64_t lo, "
      "int64_t hi,\n"
      "                            int64_t grain);\n\n");
  gj_strbuf_text(
      out,
      "// Memory for the arrays that a function makes: `count` elements of `bytes` bytes, zeroed, "
      "at "
      "an\n"
      "// address that 64 divides, or NULL; how much has been given out; and giving back what was "
      "given\n"
      "// out since that was so.\n"
      "struct gj_heap {\n"
      "  void *(*alloc)(gj_heap *heap, int64_t count, int64_t bytes);\n"
      "  int64_t (*mark)(gj_heap *heap);\n"
      "  void (*release)(gj_heap *heap, int64_t mark);\n"
      "};\n\n"
      "struct gj_exec {\n"
      "  void *scratch;                  // working memory, 64-byte aligned\n"
      "  const volatile int32_t *cancel; // not zero: stop; may be NULL\n"
      "  gj_parallel *parallel;          // NULL: one thread does it all\n"
      "  int64_t slot;                   // number of this thread, from 0\n"
      "  uintptr_t stack_limit;          // lowest address that recursion may reach; 0: 1 MiB "
      "down\n"
      "  gj_heap *heap;                  // of this thread; NULL: there is none\n"
      "};\n"
      "#endif\n\n");
}

// Names of the scope that all headers share begin with the symbol, so they need no other scope than
// their list.
static void print_indices(writer *w) {
  gj_strbuf_printf(w->out, "// Places in `buffers`%s.\nenum {\n",
                   w->symbol_count ? " and in `dims`" : "");
  for (size_t i = 0; i < w->port_count; i++)
    gj_strbuf_printf(w->out, "  %s_%s_%s = %zu,\n", w->symbol, w->ports[i].output ? "out" : "in",
                     w->ports[i].own, i);
  gj_strbuf_printf(w->out, "  %s_buffer_count = %zu,\n", w->symbol, w->port_count);
  for (size_t i = 0; i < w->symbol_count; i++)
    gj_strbuf_printf(w->out, "  %s_dim_%s = %zu,\n", w->symbol, w->symbols[i], i);
  gj_strbuf_printf(w->out, "  %s_dim_count = %zu\n};\n\n", w->symbol, w->symbol_count);
}

static void print_scratch(writer *w) {
  if (!gj_dim_is_const(w->p->scratch_bytes))
    return;
  gj_strbuf_printf(w->out, "// Bytes of scratch memory of a run.\n#define %s %" PRId64 "\n\n",
                   w->scratch, w->p->scratch_bytes);
}

// Whether a symbol is computed by the run.
static bool is_found(const writer *w, size_t symbol) {
  const char *name = gj_dims_symbol_name(w->dims, symbol);
  return gj_dim_is_computed(w->dims, gj_dim_symbol(w->dims, name, strlen(name)));
}

static void print_entry(writer *w) {
  bool none = w->p->scratch_bytes == 0;
  gj_strbuf_printf(
      w->out,
      "// Runs it: buffers are the inputs, then the outputs, which overlap nothing; dims are the "
      "values of\n// the symbols and must be such that %s_plan() accepts them. Returns 0%s.\n",
      w->symbol, w->options->threads ? ", or 1 when it was cancelled" : "");
  if (none)
    gj_strbuf_text(w->out, "// No scratch memory is needed, so exec may be NULL.\n");
  else
    gj_strbuf_text(w->out,
                   "// exec->scratch must point to scratch memory; zero the rest of exec.\n");
  if (w->options->threads)
    gj_strbuf_text(w->out,
                   "// Work is divided through exec->parallel, and exec->cancel is asked.\n");
  bool computes = gj_graph_computes_sizes(w->graph);
  for (size_t i = 0; computes && i < w->symbol_count; i++)
    if (is_found(w, i))
      gj_strbuf_printf(w->out, "// It computes dims[%s_dim_%s], whatever that is before.\n",
                       w->symbol, w->symbols[i]);
  gj_strbuf_printf(w->out, "int32_t %s(void *const *buffers, %sint64_t *dims, gj_exec *exec);\n\n",
                   w->symbol, computes ? "" : "const ");
}

// The sizes of outputs once more, for what the run has found.
static void print_found(writer *w) {
  if (!gj_graph_computes_sizes(w->graph))
    return;
  gj_strbuf_text(w->out, "  // Asked with the dims of a run that is done: what it has made of each "
                         "output. Above is the room\n  // that they need.\n");
  for (size_t i = w->input_count; i < w->port_count; i++)
    if (w->ports[i].type->rank > 0)
      gj_strbuf_printf(w->out, "  int64_t gj_found_%s[%u];\n", w->ports[i].own,
                       (unsigned)w->ports[i].type->rank);
}

static void print_plan(writer *w) {
  gj_strbuf_printf(w->out,
                   "// What a run needs: bytes of scratch memory, and the sizes of all arrays.\n"
                   "typedef struct %s_sizes {\n  int64_t scratch_bytes;\n",
                   w->symbol);
  for (size_t i = 0; i < w->port_count; i++)
    if (w->ports[i].type->rank > 0)
      gj_strbuf_printf(w->out, "  int64_t %s[%u];\n", w->ports[i].own,
                       (unsigned)w->ports[i].type->rank);
  print_found(w);
  gj_strbuf_printf(w->out,
                   "} %s_sizes;\n\n"
                   "// Checks dims, whatever they are, and writes the sizes. Returns 0, or the "
                   "number of what is wrong:\n",
                   w->symbol);
  for (uint32_t i = 0; i < w->p->lowered.check_count; i++) {
    gj_strbuf_printf(w->out, "//   %u  ", (unsigned)i + 1);
    comment_text(w, w->p->lowered.checks[i]);
    gj_strbuf_char(w->out, '\n');
  }
  if (w->p->lowered.check_count == 0)
    gj_strbuf_text(w->out, "//   nothing can be: all sizes are numbers\n");
  gj_strbuf_printf(w->out, "int32_t %s_plan(const int64_t *dims, %s_sizes *sizes);\n\n", w->symbol,
                   w->symbol);
}

// --- wrappers ---

// A call that C can write down: numbers in, one number out.
static bool is_scalar_function(const writer *w) {
  bool scalar = w->port_count == w->input_count + 1 && w->p->scratch_bytes == 0;
  for (size_t i = 0; i < w->port_count; i++)
    scalar = scalar && w->ports[i].type->rank == 0;
  return scalar && w->symbol_count == 0;
}

// "forward" for the symbol "forward_run", so that C can say forward(2.0); else "SYMBOL_call".
static const char *wrapper_name(const writer *w, char out[GJ_SYMBOL_CAPACITY + 8]) {
  static const char ending[] = "_run";
  size_t length = strlen(w->symbol), rest = sizeof ending - 1;
  memcpy(out, w->symbol, length + 1);
  if (length > rest && strcmp(out + length - rest, ending) == 0)
    out[length - rest] = '\0';
  if (strlen(out) < length && gj__c_is_identifier(out) && !gj__c_is_library(out))
    return out;
  memcpy(out, w->symbol, length);
  memcpy(out + length, "_call", sizeof "_call");
  return out;
}

static void print_scalar_function(writer *w) {
  const port *result = &w->ports[w->input_count];
  const char *type = c_type(result->type->dtype);
  char name[GJ_SYMBOL_CAPACITY + 8];
  gj_strbuf_printf(w->out, "static inline %s %s(", type, wrapper_name(w, name));
  for (size_t i = 0; i < w->input_count; i++)
    gj_strbuf_printf(w->out, "%s%s %s", i ? ", " : "", c_type(w->ports[i].type->dtype),
                     w->ports[i].own);
  gj_strbuf_printf(w->out, "%s) {\n  %s %s;\n  void *gj_buffers[%zu];\n",
                   w->input_count ? "" : "void", type, result->own, w->port_count);
  for (size_t i = 0; i < w->port_count; i++)
    gj_strbuf_printf(w->out, "  gj_buffers[%zu] = &%s;\n", i, w->ports[i].own);
  gj_strbuf_printf(w->out, "  (void)%s(gj_buffers, NULL, NULL);\n  return %s;\n}\n\n", w->symbol,
                   result->own);
}

static void print_params(writer *w) {
  for (size_t i = 0; i < w->port_count; i++) {
    const port *p = &w->ports[i];
    const char *type = c_type(p->type->dtype);
    gj_strbuf_text(w->out, i ? ", " : "");
    if (p->output)
      gj_strbuf_printf(w->out, "%s *GRAPHJIT_RESTRICT %s", type, p->own);
    else if (p->type->rank == 0)
      gj_strbuf_printf(w->out, "%s %s", type, p->own);
    else
      gj_strbuf_printf(w->out, "const %s *GRAPHJIT_RESTRICT %s", type, p->own);
  }
  for (size_t i = 0; i < w->symbol_count; i++)
    gj_strbuf_printf(w->out, ", int64_t %s%s", is_found(w, i) ? "*" : "", w->symbols[i]);
  if (w->p->scratch_bytes != 0)
    gj_strbuf_text(w->out, ", void *gj_scratch");
  if (w->options->threads)
    gj_strbuf_text(w->out, ", gj_parallel *gj_run_parallel");
}

static void print_body(writer *w) {
  gj_strbuf_printf(w->out, "  void *gj_buffers[%zu];\n", w->port_count);
  if (w->symbol_count)
    gj_strbuf_printf(w->out, "  int64_t gj_dims[%zu];\n", w->symbol_count);
  bool exec = w->p->scratch_bytes != 0 || w->options->threads;
  if (exec)
    gj_strbuf_text(w->out, "  gj_exec gj_run = {NULL, NULL, NULL, 0, 0, NULL};\n");
  for (size_t i = 0; i < w->port_count; i++) {
    const port *p = &w->ports[i];
    if (p->output)
      gj_strbuf_printf(w->out, "  gj_buffers[%zu] = %s;\n", i, p->own);
    else
      gj_strbuf_printf(w->out, "  gj_buffers[%zu] = (void *)%s%s; // is only read\n", i,
                       p->type->rank == 0 ? "&" : "(uintptr_t)", p->own);
  }
  for (size_t i = 0; i < w->symbol_count; i++)
    gj_strbuf_printf(w->out, "  gj_dims[%zu] = %s;\n", i, is_found(w, i) ? "0" : w->symbols[i]);
  if (w->p->scratch_bytes != 0)
    gj_strbuf_text(w->out, "  gj_run.scratch = gj_scratch;\n");
  if (w->options->threads)
    gj_strbuf_text(w->out, "  gj_run.parallel = gj_run_parallel;\n");
  bool computes = gj_graph_computes_sizes(w->graph);
  gj_strbuf_printf(w->out, "  %s %s(gj_buffers, %s, %s);\n",
                   computes ? "int32_t gj_status =" : "return", w->symbol,
                   w->symbol_count ? "gj_dims" : "NULL", exec ? "&gj_run" : "NULL");
  for (size_t i = 0; computes && i < w->symbol_count; i++)
    if (is_found(w, i))
      gj_strbuf_printf(w->out, "  *%s = gj_dims[%zu];\n", w->symbols[i], i);
  if (computes)
    gj_strbuf_text(w->out, "  return gj_status;\n");
}

static void print_wrapper(writer *w) {
  if (w->port_count > 127) // as many parameters as every compiler takes
    return;
  gj_strbuf_text(w->out, "// The same with types.\n");
  if (is_scalar_function(w)) {
    print_scalar_function(w);
    return;
  }
  char name[GJ_SYMBOL_CAPACITY + 8];
  gj_strbuf_printf(w->out, "static inline int32_t %s(", wrapper_name(w, name));
  print_params(w);
  gj_strbuf_text(w->out, ") {\n");
  print_body(w);
  gj_strbuf_text(w->out, "}\n\n");
}

static void print_header(writer *w) {
  print_description(w);
  gj_object_opening(w->symbol, w->out);
  print_indices(w);
  print_scratch(w);
  print_entry(w);
  print_plan(w);
  gj_strbuf_text(w->out, "#ifndef GRAPHJIT_RESTRICT\n"
                         "#ifdef __cplusplus\n"
                         "#define GRAPHJIT_RESTRICT\n"
                         "#else\n"
                         "#define GRAPHJIT_RESTRICT restrict\n"
                         "#endif\n"
                         "#endif\n\n");
  print_wrapper(w);
  gj_strbuf_text(w->out, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

// --- names ---

static void name_scratch(writer *w) {
  snprintf(w->scratch, sizeof w->scratch, "%s_SCRATCH", w->symbol);
  for (char *at = w->scratch; *at; at++)
    *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
}

static bool name_ports(writer *w) {
  gj__c_scope scope = {.arena = &w->arena};
  gj__c_scope_add(&scope, "scratch_bytes");
  gj__c_scope_add(&scope, w->scratch);
  w->input_count = gj_graph_input_count(w->graph);
  w->port_count = w->input_count + gj_graph_output_count(w->graph);
  w->symbol_count = gj_dims_symbol_count(gj_graph_dims(w->graph));
  w->ports = gj_arena_array(&w->arena, w->port_count, sizeof *w->ports);
  w->symbols = gj_arena_array(&w->arena, w->symbol_count + 1, sizeof *w->symbols);
  if (!w->ports || !w->symbols)
    return false;
  // The functions that the wrapper calls must not be hidden by its parameters.
  gj__c_scope_add(&scope, w->symbol);
  for (size_t i = 0; i < w->symbol_count; i++) {
    const char *name = gj_dims_symbol_name(gj_graph_dims(w->graph), i);
    bool number = strcmp(name, "count") == 0; // SYMBOL_dim_count is how many there are
    w->symbols[i] = gj__c_scope_add(&scope, number ? "count_" : name);
  }
  for (size_t i = 0; i < w->port_count; i++) {
    port *p = &w->ports[i];
    p->output = i >= w->input_count;
    const gj_output *output = p->output ? gj_graph_output(w->graph, i - w->input_count) : NULL;
    gj_ref ref = output ? output->ref : gj_graph_input(w->graph, i);
    p->name = output ? output->name : gj_graph_node(w->graph, ref)->name;
    p->type = &gj_graph_node(w->graph, ref)->type;
    p->own = gj__c_scope_add(&scope, p->name);
  }
  gj__c_scope_fini(&scope);
  return !scope.failed;
}

gj_status gj_object_header(const gj_graph *graph, const gj_object_options *options, gj_strbuf *out,
                           gj_error *err) {
  char symbol[GJ_SYMBOL_CAPACITY];
  gj_pipeline pipeline;
  gj_pipeline_options front = {.plan = true};
  GJ_TRY(gj_object_symbol(graph, options, symbol, err));
  GJ_TRY(gj_pipeline_run(graph, &front, &pipeline, err));
  writer w = {.graph = graph,
              .dims = gj_graph_dims(pipeline.graph),
              .p = &pipeline,
              .options = options,
              .symbol = symbol,
              .out = out};
  gj_arena_init(&w.arena, 0);
  name_scratch(&w);
  gj_status status = GJ_OK;
  if (name_ports(&w))
    print_header(&w);
  else
    out->failed = true;
  if (out->failed)
    status = gj_fail(err, GJ_E_MEMORY, "header: out of memory");
  gj_arena_fini(&w.arena);
  gj_pipeline_fini(&pipeline);
  return status;
}
