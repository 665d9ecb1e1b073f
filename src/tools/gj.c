// gj: the core from the command line. One sub-command per row of `commands`.
//
//   gj print FILE            canonical text of a graph
//   gj check FILE            parse and verify, say how large it is
//   gj eval FILE x=1,2,3     run the reference evaluator and print the outputs
//   gj run FILE x=1,2,3      the same by compiled code
//   gj vjp|jvp FILE [x y]    the graph with derivatives (derive.c)
//   gj passes|kernels|loops|llvm|asm|wasm FILE    what the graph becomes (compile.c)
//   gj fn FILE               what a module of Loop IR becomes (function.c)
//
// FILE may be - for standard input. Results go to standard output, messages to standard error; the
// exit status is 0, 1 when the input is at fault, 2 when the command line is.

#include "tools/gj.h"

#include "ops/literal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SIZE = 4 };

#define MAX_FILE ((size_t)1 << 30)

typedef struct command {
  const char *name;
  int (*run)(int argc, char **argv); // arguments behind the sub-command
  const char *usage;
  const char *help;
} command;

// --- files ---

gj_status gj__read_file(const char *path, char **out_text, size_t *out_size, gj_error *err) {
  bool from_stdin = strcmp(path, "-") == 0;
  FILE *file = from_stdin ? stdin : fopen(path, "rb");
  if (!file)
    return gj_fail(err, GJ_E_ARGUMENT, "cannot be opened");
  gj_strbuf buffer = {0};
  char chunk[65536];
  size_t got;
  while ((got = fread(chunk, 1, sizeof chunk, file)) > 0 && buffer.size <= MAX_FILE)
    gj_strbuf_bytes(&buffer, chunk, got);
  bool bad = ferror(file) != 0 || buffer.size > MAX_FILE;
  if (!from_stdin)
    fclose(file);
  if (bad) {
    gj_strbuf_fini(&buffer);
    return gj_fail(err, GJ_E_ARGUMENT, "cannot be read or is larger than 1 GiB");
  }
  return gj_strbuf_take(&buffer, out_text, out_size, err);
}

int gj__complain(const char *path, const gj_error *err) {
  fprintf(stderr, "gj: %s%s%s (%s)\n", path, *path ? ": " : "", err->message,
          gj_status_name(err->code));
  return EXIT_INPUT;
}

// The verified graph of a file, NULL after printing what is wrong.
gj_graph *gj__load_graph(const char *path) {
  gj_error err = {0};
  char *text = NULL;
  size_t size = 0;
  gj_graph *graph = NULL;
  gj_status status = gj__read_file(path, &text, &size, &err);
  if (status == GJ_OK)
    status = gj_graph_parse(text, size, &graph, &err);
  free(text);
  if (status == GJ_OK)
    status = gj_graph_verify(graph, &err);
  if (status == GJ_OK)
    return graph;
  gj__complain(path, &err);
  gj_graph_free(graph);
  return NULL;
}

int gj__write_text(gj_strbuf *text) {
  bool ok = !text->failed && fwrite(gj_strbuf_peek(text), 1, text->size, stdout) == text->size;
  gj_strbuf_fini(text);
  if (!ok)
    fprintf(stderr, "gj: the output cannot be written\n");
  return ok ? EXIT_OK : EXIT_INPUT;
}

// --- print, check ---

static int run_print(int argc, char **argv) {
  (void)argc;
  gj_graph *graph = gj__load_graph(argv[0]);
  if (!graph)
    return EXIT_INPUT;
  gj_strbuf text = {0};
  gj_graph_print(graph, &text);
  gj_graph_free(graph);
  return gj__write_text(&text);
}

static int run_check(int argc, char **argv) {
  (void)argc;
  gj_graph *graph = gj__load_graph(argv[0]);
  if (!graph)
    return EXIT_INPUT;
  printf("%s: %zu nodes, %zu inputs, %zu outputs\n", gj_graph_name(graph),
         gj_graph_node_count(graph), gj_graph_input_count(graph), gj_graph_output_count(graph));
  gj_graph_free(graph);
  return EXIT_OK;
}

// --- eval ---

typedef struct input {
  const gj_node *node;
  bool given;
  int64_t shape[GJ_MAX_RANK];
  gj_strbuf data;
} input;

typedef struct evaluation {
  gj_graph *graph;
  bool compiled; // by machine code instead of the reference evaluator
  gj_dims *dims;
  input *inputs;
  const int64_t **shapes;
  const void **data;
  int64_t *symbols;
  void **outputs;
  gj_error err;
} evaluation;

// "[2, 3]" in front of the values; returns what is behind it, or NULL after an error.
static const char *parse_shape(evaluation *e, input *in, const char *text) {
  size_t rank = 0;
  text++;
  while (*text != ']') {
    char *end;
    if (rank > 0 && *text++ != ',')
      break;
    long long size = strtoll(text, &end, 10);
    if (end == text || rank == in->node->type.rank)
      break;
    in->shape[rank++] = size;
    text = end;
  }
  if (*text == ']' && rank == in->node->type.rank)
    return text + 1;
  gj_fail(&e->err, GJ_E_ARGUMENT, "%s: expected a shape of %d sizes like [2,3]", in->node->name,
          in->node->type.rank);
  return NULL;
}

static gj_status parse_values(evaluation *e, input *in, const char *text) {
  gj_dtype dtype = in->node->type.dtype;
  while (*text) {
    size_t length = strcspn(text, ",");
    unsigned char element[8];
    GJ_TRY(gj__literal_parse(dtype, text, length, element, &e->err));
    gj_strbuf_bytes(&in->data, element, gj_dtype_bytes(dtype));
    text += length;
    text += *text == ',';
  }
  return GJ_OK;
}

// Without a shape in front, a value of rank 1 has the size of its list, others their declared
// sizes.
static void default_shape(const evaluation *e, input *in) {
  for (size_t axis = 0; axis < in->node->type.rank; axis++) {
    if (!gj_dim_eval(e->dims, in->node->type.shape[axis], e->symbols, &in->shape[axis]))
      in->shape[axis] = -1; // the binding names it
  }
}

// "name=values", "name=[2,3]values" or "name=[2,3]@file.bin"
static gj_status parse_input(evaluation *e, const char *text) {
  const char *equals = strchr(text, '=');
  input *in = NULL;
  for (size_t i = 0; equals && i < gj_graph_input_count(e->graph); i++) {
    const char *name = e->inputs[i].node->name;
    if (strlen(name) == (size_t)(equals - text) && memcmp(name, text, strlen(name)) == 0)
      in = &e->inputs[i];
  }
  if (!in || in->given)
    return gj_fail(&e->err, GJ_E_ARGUMENT, "%s: expected the name of an input, once, and =", text);
  in->given = true;
  const char *values = equals + 1;
  bool shaped = *values == '[';
  if (shaped && !(values = parse_shape(e, in, values)))
    return e->err.code;
  if (*values == '@') {
    char *bytes;
    size_t size;
    gj_status status = gj__read_file(values + 1, &bytes, &size, &e->err);
    if (status != GJ_OK)
      return gj_fail(&e->err, status, "%s: %s", values + 1, e->err.message);
    gj_strbuf_bytes(&in->data, bytes, size);
    free(bytes);
  } else {
    GJ_TRY(parse_values(e, in, values));
  }
  if (!shaped) {
    default_shape(e, in);
    if (in->node->type.rank == 1)
      in->shape[0] = (int64_t)(in->data.size / gj_dtype_bytes(in->node->type.dtype));
  }
  // Later inputs without a shape follow the symbols of this one.
  for (size_t axis = 0; axis < in->node->type.rank; axis++) {
    int symbol = gj_dim_as_symbol(e->dims, in->node->type.shape[axis]);
    if (symbol >= 0)
      e->symbols[symbol] = in->shape[axis];
  }
  return GJ_OK;
}

static gj_status element_count(evaluation *e, const char *name, const int64_t *shape, size_t rank,
                               int64_t *out_count) {
  *out_count = 1;
  for (size_t axis = 0; axis < rank; axis++)
    if (shape[axis] < 0 || __builtin_mul_overflow(*out_count, shape[axis], out_count) ||
        *out_count > GJ_DIM_MAX)
      return gj_fail(&e->err, GJ_E_SHAPE, "%s: the size of axis %zu is out of range", name, axis);
  return GJ_OK;
}

// 1, 2, 3, … in the type of the input; alternating for bool.
static gj_status fill(evaluation *e, input *in) {
  int64_t count;
  gj_dtype dtype = in->node->type.dtype;
  unsigned char element[8];
  char text[32];
  GJ_TRY(element_count(e, in->node->name, in->shape, in->node->type.rank, &count));
  for (int64_t i = 0; i < count; i++) {
    int64_t period = dtype == GJ_DTYPE_bool ? 2 : 100; // what every type can hold
    snprintf(text, sizeof text, "%lld", (long long)((i + 1) % period));
    GJ_TRY(gj__literal_parse(dtype, text, strlen(text), element, &e->err));
    gj_strbuf_bytes(&in->data, element, gj_dtype_bytes(dtype));
  }
  return GJ_OK;
}

static gj_status prepare_inputs(evaluation *e, int argc, char **argv) {
  size_t count = gj_graph_input_count(e->graph);
  for (size_t i = 0; i < gj_dims_symbol_count(e->dims); i++)
    e->symbols[i] = DEFAULT_SIZE;
  for (size_t i = 0; i < count; i++)
    e->inputs[i].node = gj_graph_node(e->graph, gj_graph_input(e->graph, i));
  for (int i = 0; i < argc; i++)
    GJ_TRY(parse_input(e, argv[i]));
  for (size_t i = 0; i < count; i++) {
    input *in = &e->inputs[i];
    if (!in->given) {
      default_shape(e, in);
      GJ_TRY(fill(e, in));
    }
    int64_t elements;
    GJ_TRY(element_count(e, in->node->name, in->shape, in->node->type.rank, &elements));
    size_t bytes = (size_t)elements * gj_dtype_bytes(in->node->type.dtype);
    if (in->data.failed || in->data.size != bytes)
      return gj_fail(&e->err, GJ_E_SHAPE, "%s: the shape needs %zu bytes, got %zu", in->node->name,
                     bytes, in->data.size);
    e->shapes[i] = in->shape;
    e->data[i] = in->data.data;
  }
  return GJ_OK;
}

// Sizes that the run computes are `most` what they can be before it.
static gj_status output_shape(evaluation *e, const gj_output *output, bool most, int64_t *out_shape,
                              int64_t *out_count) {
  const gj_type *type = &gj_graph_node(e->graph, output->ref)->type;
  for (size_t axis = 0; axis < type->rank; axis++) {
    int64_t least;
    if (most ? !gj_dim_range(e->dims, type->shape[axis], e->symbols, &least, &out_shape[axis])
             : !gj_dim_eval(e->dims, type->shape[axis], e->symbols, &out_shape[axis]))
      out_shape[axis] = -1;
  }
  return element_count(e, output->name, out_shape, type->rank, out_count);
}

static gj_status run_compiled(evaluation *e) {
  size_t inputs = gj_graph_input_count(e->graph), outputs = gj_graph_output_count(e->graph);
  gj_compile_options options = {.opt_level = 3, .threads = 1};
  gj_program *program = NULL;
  gj_binding *binding = NULL;
  void **buffers = calloc(inputs + outputs + 1, sizeof *buffers);
  if (!buffers)
    return gj_fail(&e->err, GJ_E_MEMORY, "out of memory for %zu buffers", inputs + outputs);
  memcpy(buffers, e->data, inputs * sizeof *buffers);
  memcpy(buffers + inputs, e->outputs, outputs * sizeof *buffers);
  gj_status status = gj_program_compile(e->graph, &options, &program, &e->err);
  if (status == GJ_OK)
    status = gj_program_bind(program, e->shapes, &binding, &e->err);
  if (status == GJ_OK)
    status = gj_program_run_sizes(program, binding, buffers, NULL, NULL, e->symbols, &e->err);
  gj_binding_free(binding);
  gj_program_free(program);
  free(buffers);
  return status;
}

static gj_status evaluate(evaluation *e) {
  GJ_TRY(gj_graph_bind(e->graph, e->shapes, e->symbols, &e->err));
  for (size_t i = 0; i < gj_graph_output_count(e->graph); i++) {
    const gj_output *output = gj_graph_output(e->graph, i);
    int64_t shape[GJ_MAX_RANK], count;
    GJ_TRY(output_shape(e, output, true, shape, &count));
    size_t width = gj_dtype_bytes(gj_graph_node(e->graph, output->ref)->type.dtype);
    e->outputs[i] = calloc((size_t)count + 1, width);
    if (!e->outputs[i])
      return gj_fail(&e->err, GJ_E_MEMORY, "%s: out of memory for %lld elements", output->name,
                     (long long)count);
  }
  if (e->compiled)
    return run_compiled(e);
  return gj_graph_eval(e->graph, e->symbols, e->data, e->outputs, &e->err);
}

// z : f64[3] = [1.0, 2.0, 3.0]
static gj_status print_output(evaluation *e, size_t i, gj_strbuf *out) {
  const gj_output *output = gj_graph_output(e->graph, i);
  gj_type type = gj_graph_node(e->graph, output->ref)->type;
  int64_t count;
  GJ_TRY(output_shape(e, output, false, type.shape, &count));
  gj_strbuf_printf(out, "%s : ", output->name);
  gj_type_print(e->dims, &type, out);
  gj_strbuf_text(out, type.rank > 0 ? " = [" : " = ");
  for (int64_t k = 0; k < count; k++) {
    if (k > 0)
      gj_strbuf_text(out, ", ");
    gj__literal_print(type.dtype, (char *)e->outputs[i] + (size_t)k * gj_dtype_bytes(type.dtype),
                      out);
  }
  gj_strbuf_text(out, type.rank > 0 ? "]\n" : "\n");
  return GJ_OK;
}

static gj_status eval_graph(evaluation *e, int argc, char **argv, gj_strbuf *out) {
  size_t inputs = gj_graph_input_count(e->graph), outputs = gj_graph_output_count(e->graph);
  e->dims = gj_graph_dims(e->graph);
  e->inputs = calloc(inputs + 1, sizeof *e->inputs);
  e->shapes = calloc(inputs + 1, sizeof *e->shapes);
  e->data = calloc(inputs + 1, sizeof *e->data);
  e->symbols = calloc(gj_dims_symbol_count(e->dims) + 1, sizeof *e->symbols);
  e->outputs = calloc(outputs + 1, sizeof *e->outputs);
  if (!e->inputs || !e->shapes || !e->data || !e->symbols || !e->outputs)
    return gj_fail(&e->err, GJ_E_MEMORY, "out of memory for %zu inputs", inputs);
  GJ_TRY(prepare_inputs(e, argc, argv));
  GJ_TRY(evaluate(e));
  for (size_t i = 0; i < outputs; i++)
    GJ_TRY(print_output(e, i, out));
  return GJ_OK;
}

static int evaluate_file(int argc, char **argv, bool compiled) {
  evaluation e = {.graph = gj__load_graph(argv[0]), .compiled = compiled};
  if (!e.graph)
    return EXIT_INPUT;
  gj_strbuf out = {0};
  gj_status status = eval_graph(&e, argc - 1, argv + 1, &out);
  int exit_code = status == GJ_OK ? gj__write_text(&out) : gj__complain(argv[0], &e.err);
  for (size_t i = 0; e.inputs && i < gj_graph_input_count(e.graph); i++)
    gj_strbuf_fini(&e.inputs[i].data);
  for (size_t i = 0; e.outputs && i < gj_graph_output_count(e.graph); i++)
    free(e.outputs[i]);
  gj_strbuf_fini(&out);
  free(e.inputs);
  free(e.shapes);
  free(e.data);
  free(e.symbols);
  free(e.outputs);
  gj_graph_free(e.graph);
  return exit_code;
}

static int run_eval(int argc, char **argv) { return evaluate_file(argc, argv, false); }
static int run_run(int argc, char **argv) { return evaluate_file(argc, argv, true); }

// --- dispatch ---

static const command commands[] = {
    {"print", run_print, "FILE", "canonical text of a graph"},
    {"check", run_check, "FILE", "parse and verify a graph"},
    {"eval", run_eval, "FILE [name=[2,3]1,2,… | name=[6]@file.bin]…",
     "outputs by the reference evaluator; inputs not given are 1, 2, 3, …"},
    {"run", run_run, "FILE [name=…]…", "the same by compiled code"},
    {"vjp", gj__run_vjp, "FILE [INPUT]…",
     "the graph with gradients d_INPUT of its first output, all seeds 1"},
    {"jvp", gj__run_jvp, "FILE [INPUT]…",
     "the graph with inputs t_INPUT and how its first output changes with these"},
    {"passes", gj__run_passes, "FILE [--after=PASS] [--wasm] [--variant=…] | --list",
     "the graph after each pass, or what there is behind one; --list: all passes"},
    {"kernels", gj__run_kernels, "FILE [--wasm] [--variant=mvp|simd|relaxed]",
     "the kernels it is fused into"},
    {"loops", gj__run_loops, "FILE [--wasm] [--variant=…]", "Loop IR"},
    {"llvm", gj__run_llvm,
     "FILE [--raw] [--wasm] [--variant=…] [--numerics=strict|default|fast] [--opt=0…3]",
     "LLVM IR, optimised unless --raw"},
    {"asm", gj__run_asm, "FILE [--wasm] [--variant=…] [--numerics=…] [--opt=…]", "assembly"},
    {"wasm", gj__run_wasm,
     "FILE [-o OUT.wasm] [--variant=…] [--divide] [--weights=OUT.bin] [--numerics=…] [--opt=…]",
     "a WebAssembly module; --divide: with threads; --weights: its constants are in another file"},
    {"fn", gj__run_fn,
     "FILE [--asm | --llvm | --raw | --loops] [--wasm] [--variant=…] [--numerics=…] "
     "[--opt=…] [--graph]",
     "code of a module of Loop IR text, and what became of its loops; --graph: optimised as graphs "
     "are"},
    {"object", gj__run_object,
     "FILE [--target=TRIPLE] [--cpu=…] [--features=+a,-b] "
     "[--emit=object|assembly|bitcode|llvm|raw] "
     "[--symbol=…] [--threads] [--numerics=…] [--opt=…]",
     "an object file for C, of any target"},
    {"header", gj__run_header, "FILE [--symbol=…] [--threads] [--numerics=…]", "its C header"},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static int usage(void) {
  fprintf(stderr, "usage:\n");
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    fprintf(stderr, "  gj %s %s\n      %s\n", commands[i].name, commands[i].usage,
            commands[i].help);
  return EXIT_USAGE;
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 2 && i < COMMAND_COUNT; i++)
    if (strcmp(argv[1], commands[i].name) == 0)
      return commands[i].run(argc - 2, argv + 2);
  return usage();
}
