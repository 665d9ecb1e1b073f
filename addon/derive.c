// Derivatives of graphs from JavaScript: what passes/derive/ appends.

#include "graph.h"

#include "base/arena.h"
#include "passes/derive/derive.h"

#include <stdlib.h>

// Lists of refs of equal length, and what comes of them.
typedef struct lists {
  gj_ref *a, *b, *c, *out;
  uint32_t a_count, c_count;
} lists;

static bool get_list(napi_env env, napi_value array, const char *name, gj_ref **out,
                     uint32_t *out_count) {
  if (!gjn_get_length(env, array, name, out_count))
    return false;
  *out = calloc(*out_count + (size_t)1, sizeof **out);
  if (!*out) {
    gjn_fail(env, GJ_E_MEMORY, "no memory for %u values", *out_count);
    return false;
  }
  return gjn_get_refs(env, array, *out, *out_count);
}

static void free_lists(lists *l) {
  free(l->a);
  free(l->b);
  free(l->c);
  free(l->out);
}

static napi_value new_refs(napi_env env, const gj_ref *refs, uint32_t count) {
  napi_value array;
  GJN_TRY(env, napi_create_array_with_length(env, count, &array));
  for (uint32_t i = 0; i < count; i++)
    if (!gjn_set_index(env, array, i, gjn_new_number(env, refs[i])))
      return NULL;
  return array;
}

// --- derivatives of functions that are ops ---

typedef struct applied {
  napi_env env;
  napi_value find; // (text, operand) => text | undefined
  gj_arena texts;  // what it gave
  bool failed;     // an exception is pending
} applied;

static const char *find_applied(void *context, const char *text, size_t operand) {
  applied *a = context;
  napi_value argv[2], receiver, result;
  char *given = NULL;
  size_t size;
  if (a->failed)
    return NULL;
  a->failed = true;
  argv[0] = gjn_new_text(a->env, text);
  argv[1] = gjn_new_number(a->env, (double)operand);
  GJN_TRY(a->env, napi_get_undefined(a->env, &receiver));
  GJN_TRY(a->env, napi_call_function(a->env, receiver, a->find, 2, argv, &result));
  if (!gjn_is_undefined(a->env, result) &&
      !gjn_get_text(a->env, result, "the derivative", &given, &size))
    return NULL;
  a->failed = false;
  const char *kept = given ? gj_arena_strndup(&a->texts, given, size) : NULL;
  free(given);
  return kept;
}

typedef gj_status derive_fn(gj_graph *graph, const lists *l, const gj_derive_options *options,
                            gj_error *err);

static gj_status reverse(gj_graph *graph, const lists *l, const gj_derive_options *options,
                         gj_error *err) {
  return gj_graph_vjp(graph, l->a, l->b, l->a_count, l->c, l->c_count, options, l->out, err);
}

static gj_status forward(gj_graph *graph, const lists *l, const gj_derive_options *options,
                         gj_error *err) {
  return gj_graph_jvp(graph, l->c, l->c_count, l->a, l->b, l->a_count, options, l->out, err);
}

// (graph, a, b, c, find): values, what belongs to each of them, and the values that results are
// for.
static napi_value derive(napi_env env, napi_callback_info info, derive_fn *run) {
  napi_value argv[5], result = NULL;
  lists l = {0};
  uint32_t b_count;
  gj_graph *graph = gjn_get_args(env, info, 5, argv) ? gjn_get_graph(env, argv[0]) : NULL;
  if (graph && get_list(env, argv[1], "value", &l.a, &l.a_count) &&
      get_list(env, argv[2], "value", &l.b, &b_count) &&
      get_list(env, argv[3], "value", &l.c, &l.c_count)) {
    gj_error err;
    applied own = {.env = env, .find = argv[4]};
    gj_arena_init(&own.texts, 0);
    gj_derive_options options = {.apply = find_applied, .apply_context = &own};
    l.out = calloc(l.c_count + (size_t)1, sizeof *l.out);
    gj_status status =
        l.out && b_count == l.a_count
            ? run(graph, &l, &options, &err)
            : gj_fail(&err, GJ_E_ARGUMENT, "derivative: %u values for %u", b_count, l.a_count);
    gj_arena_fini(&own.texts);
    if (!own.failed)
      result = status == GJ_OK ? new_refs(env, l.out, l.c_count) : gjn_throw(env, &err);
  }
  free_lists(&l);
  return result;
}

napi_value gjn_graph_vjp(napi_env env, napi_callback_info info) {
  return derive(env, info, reverse);
}

napi_value gjn_graph_jvp(napi_env env, napi_callback_info info) {
  return derive(env, info, forward);
}
