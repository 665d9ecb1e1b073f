// gj vjp, jvp: a graph with derivatives of its first output as further outputs.
//
// `gj vjp FILE [INPUT…]` adds the gradients d_INPUT of the output, or of the sum of its elements,
// by these inputs, all of floats when none is named. `gj jvp` adds an input t_INPUT for each, and
// how the output changes with all of them, t_OUTPUT.
#include "tools/gj.h"

#include "passes/derive/derive.h"
#include "passes/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

typedef struct variables {
  gj_ref refs[MOST], made[MOST];
  size_t count;
} variables;

static bool is_named(const char *name, int argc, char **argv) {
  bool named = argc == 0;
  for (int i = 0; i < argc; i++)
    named = named || strcmp(argv[i], name) == 0;
  return named;
}

static gj_status find_variables(const gj_graph *graph, int argc, char **argv, variables *out,
                                gj_error *err) {
  for (size_t i = 0; i < gj_graph_input_count(graph); i++) {
    gj_ref ref = gj_graph_input(graph, i);
    const gj_node *node = gj_graph_node(graph, ref);
    bool takes = argc > 0 || gj_dtype_is_float(node->type.dtype);
    if (!takes || !is_named(node->name, argc, argv))
      continue;
    if (out->count == MOST)
      return gj_fail(err, GJ_E_ARGUMENT, "more than %d inputs", MOST);
    out->refs[out->count++] = ref;
  }
  for (int i = 0; i < argc; i++) {
    bool known = false;
    for (size_t k = 0; k < out->count; k++)
      known = known || strcmp(gj_graph_node(graph, out->refs[k])->name, argv[i]) == 0;
    if (!known)
      return gj_fail(err, GJ_E_ARGUMENT, "there is no input \"%s\"", argv[i]);
  }
  if (gj_graph_output_count(graph) == 0 || out->count == 0)
    return gj_fail(err, GJ_E_ARGUMENT, "there is nothing to differentiate");
  return GJ_OK;
}

static void name_of(char name[GJ_MAX_NAME + 1], const char *prefix, const char *of) {
  snprintf(name, GJ_MAX_NAME + 1, "%s%.200s", prefix, of);
}

static gj_status add_gradients(gj_graph *graph, variables *v, gj_error *err) {
  gj_ref y = gj_graph_output(graph, 0)->ref;
  gj_type type = gj_graph_node(graph, y)->type;
  gj_ref seed = gj_dtype_is_float(type.dtype) ? gj__w_filled(graph, &type, 1) : y;
  GJ_TRY(gj_graph_vjp(graph, &y, &seed, 1, v->refs, v->count, NULL, v->made, err));
  for (size_t i = 0; i < v->count; i++) {
    char name[GJ_MAX_NAME + 1];
    const gj_node *input = gj_graph_node(graph, v->refs[i]);
    name_of(name, "d_", input->name);
    gj_graph_set_output(graph, name,
                        v->made[i] ? v->made[i] : gj__w_filled(graph, &input->type, 0));
  }
  return gj_graph_take_error(graph, err);
}

static gj_status add_tangent(gj_graph *graph, variables *v, gj_error *err) {
  char name[GJ_MAX_NAME + 1];
  gj_output y = *gj_graph_output(graph, 0);
  gj_type type = gj_graph_node(graph, y.ref)->type;
  for (size_t i = 0; i < v->count; i++) {
    const gj_node *input = gj_graph_node(graph, v->refs[i]);
    name_of(name, "t_", input->name);
    v->made[i] = gj_graph_param(graph, name, &input->type);
  }
  GJ_TRY(gj_graph_take_error(graph, err));
  gj_ref tangent;
  GJ_TRY(gj_graph_jvp(graph, &y.ref, 1, v->refs, v->made, v->count, NULL, &tangent, err));
  name_of(name, "t_", y.name);
  gj_graph_set_output(graph, name, tangent ? tangent : gj__w_filled(graph, &type, 0));
  return gj_graph_take_error(graph, err);
}

typedef gj_status add_fn(gj_graph *graph, variables *v, gj_error *err);

static int run(const char *command, int argc, char **argv, add_fn *add) {
  if (argc == 0) {
    fprintf(stderr, "gj: %s: expected a file\n", command);
    return EXIT_USAGE;
  }
  gj_graph *graph = gj__load_graph(argv[0]);
  if (!graph)
    return EXIT_INPUT;
  gj_error err;
  variables v = {0};
  gj_strbuf text = {0};
  gj_status status = find_variables(graph, argc - 1, argv + 1, &v, &err);
  if (status == GJ_OK)
    status = add(graph, &v, &err);
  if (status == GJ_OK)
    gj_graph_print(graph, &text);
  gj_graph_free(graph);
  return status == GJ_OK ? gj__write_text(&text) : gj__complain(argv[0], &err);
}

int gj__run_vjp(int argc, char **argv) { return run("vjp", argc, argv, add_gradients); }

int gj__run_jvp(int argc, char **argv) { return run("jvp", argc, argv, add_tangent); }
