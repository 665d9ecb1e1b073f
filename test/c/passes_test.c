// Tests of the passes: whatever a rule does to a graph, its values keep their bits. (What each rule
// does is in test/golden/passes.)
//
// Every exact op meets every constant that a rule looks for, in every dtype and on either side, and
// is evaluated by the reference before and after.
#include "check.h"
#include "passes/pass.h"
#include "random_graph.h"

enum { VALUES = 12, MAX_BYTES = VALUES * 8 };

// Elements that tell identities from near misses.
static void odd_values(gj_dtype dtype, unsigned char *out) {
  static const double floats[VALUES] = {0.0,    -0.0,      1.0, -1.5,  2.0,   1e300,
                                        5e-324, -INFINITY, NAN, 255.5, -40.0, 3.0};
  static const int64_t integers[VALUES] = {0,   1,   2,   -1,        3,         127,
                                           128, 200, -40, INT64_MAX, INT64_MIN, 40000};
  for (size_t i = 0; i < VALUES; i++) {
    gj_scalar value = {.dtype = dtype, .v.i = integers[i]};
    if (gj_dtype_is_float(dtype))
      value.v.f = dtype == GJ_DTYPE_f32 ? (float)floats[i] : floats[i];
    else
      value.v.u = gj__scalar_wrap(dtype, (uint64_t)integers[i]);
    gj_scalar_store(value, out + i * gj_dtype_bytes(dtype));
  }
}

// Evaluates a graph of one input "x" with VALUES elements and any outputs of at most VALUES.
static bool evaluate(const gj_graph *graph, void *const *outputs, gj_error *err) {
  unsigned char x[MAX_BYTES];
  int64_t shape[1] = {VALUES}, symbols[1];
  const int64_t *shapes[1] = {shape};
  const void *inputs[1] = {x};
  odd_values(gj_graph_node(graph, gj_graph_input(graph, 0))->type.dtype, x);
  return gj_graph_bind(graph, shapes, symbols, err) == GJ_OK &&
         gj_graph_eval(graph, symbols, inputs, outputs, err) == GJ_OK;
}

static void complain(const gj_graph *before, const gj_graph *after, const char *name, size_t at) {
  gj_strbuf text = {0};
  gj_graph_print(before, &text);
  gj_graph_print(after, &text);
  printf("%s[%zu] changes:\n%s", name, at, gj_strbuf_peek(&text));
  gj_strbuf_fini(&text);
}

// Simplifying `graph` changes no bit of its outputs. Frees the graph.
static void check_keeps(gj_graph *graph) {
  enum { MAX_OUTPUTS = 16 };
  static unsigned char memory[2][MAX_OUTPUTS][MAX_BYTES];
  void *before[MAX_OUTPUTS], *after[MAX_OUTPUTS];
  gj_graph *result = NULL;
  gj_error err = {0};
  CHECK_OK(gj_graph_take_error(graph, &err), &err);
  for (size_t i = 0; i < MAX_OUTPUTS; i++) {
    before[i] = memory[0][i];
    after[i] = memory[1][i];
  }
  CHECK_OK(gj_passes_run(graph, NULL, NULL, &result, &err), &err);
  bool ran = result && evaluate(graph, before, &err) && evaluate(result, after, &err);
  CHECK_OK(ran ? GJ_OK : err.code, &err);
  for (size_t i = 0; ran && i < gj_graph_output_count(graph); i++) {
    const gj_output *output = gj_graph_output(graph, i);
    gj_dtype dtype = gj_graph_node(graph, output->ref)->type.dtype;
    size_t width = gj_dtype_bytes(dtype);
    for (size_t k = 0; k < VALUES; k++)
      if (!gj_scalar_same_bits(gj_scalar_load(dtype, memory[0][i] + k * width),
                               gj_scalar_load(dtype, memory[1][i] + k * width))) {
        complain(graph, result, output->name, k);
        CHECK(!"values differ");
        break;
      }
  }
  gj_graph_free(result);
  gj_graph_free(graph);
}

static gj_graph *start(gj_dtype dtype, gj_ref *out_x) {
  gj_graph *graph = gj_graph_new("rule");
  gj_type type = {.dtype = dtype, .rank = 1};
  type.shape[0] = gj_dim_symbol(gj_graph_dims(graph), "n", 1);
  *out_x = gj_graph_param(graph, "x", &type);
  return graph;
}

static gj_ref constant(gj_graph *graph, gj_dtype dtype, size_t which) {
  unsigned char elements[MAX_BYTES];
  gj_type type = {.dtype = dtype};
  odd_values(dtype, elements);
  size_t width = gj_dtype_bytes(dtype);
  return gj_graph_const(graph, &type, elements + which * width, width);
}

static gj_ref apply(gj_graph *graph, gj_op op, gj_ref a, gj_ref b, gj_dtype to) {
  gj_ref args[2] = {a, b};
  int64_t dtype = to;
  gj_attrs attrs = {0};
  if (gj_op_get(op)->attrs & GJ_HAS_DTYPE)
    gj_attrs_set(&attrs, GJ_ATTR_dtype, &dtype, 1);
  return gj_graph_append(graph, op, args, (size_t)gj_op_get(op)->arity, &attrs);
}

static bool is_exact(gj_op op, int arity) {
  const gj_op_info *info = gj_op_get(op);
  return info->kind == GJ_OP_KIND_ELEMENTWISE && info->arity == arity &&
         (info->flags & GJ_OP_EXACT);
}

static bool next_dtype(gj_dtype *dtype) {
  *dtype = (gj_dtype)(*dtype + 1);
  return *dtype < GJ_DTYPE_COUNT;
}

// x op c, c op x, x op x, (x op c) op c and c op c, for every c.
static void check_binary(gj_op op, gj_dtype dtype, size_t c) {
  gj_ref x;
  gj_graph *graph = start(dtype, &x);
  gj_ref k = constant(graph, dtype, c), again = constant(graph, dtype, (c + 5) % VALUES);
  gj_ref right = apply(graph, op, x, k, dtype);
  gj_graph_set_output(graph, "right", right);
  gj_graph_set_output(graph, "left", apply(graph, op, k, x, dtype));
  gj_graph_set_output(graph, "itself", apply(graph, op, x, x, dtype));
  gj_graph_set_output(graph, "folded", apply(graph, op, k, again, dtype));
  if (gj_graph_node(graph, right)->type.dtype == dtype) {
    gj_graph_set_output(graph, "chain", apply(graph, op, right, again, dtype));
    gj_graph_set_output(graph, "minus",
                        dtype == GJ_DTYPE_bool ? right
                                               : apply(graph, GJ_OP_sub, right, again, dtype));
  }
  check_keeps(graph);
}

static void binary_ops_with_constants_keep_their_bits(void) {
  for (int op = 1; op < GJ_OP_COUNT; op++)
    for (gj_dtype dtype = GJ_DTYPE_none; is_exact((gj_op)op, 2) && next_dtype(&dtype);) {
      if (!gj_op_takes((gj_op)op, dtype))
        continue;
      for (size_t c = 0; c < VALUES; c += check_is_quick() ? 4 : 1)
        check_binary((gj_op)op, dtype, c);
    }
}

static void pairs_of_unary_ops_keep_their_bits(void) {
  for (int first = 1; first < GJ_OP_COUNT; first++)
    for (int second = 1; is_exact((gj_op)first, 1) && second < GJ_OP_COUNT; second++)
      for (gj_dtype dtype = GJ_DTYPE_none; is_exact((gj_op)second, 1) && next_dtype(&dtype);) {
        const gj_op_info *one = gj_op_get((gj_op)first), *two = gj_op_get((gj_op)second);
        if ((one->attrs | two->attrs) || !gj_op_takes((gj_op)first, dtype))
          continue;
        gj_ref x;
        gj_graph *graph = start(dtype, &x);
        gj_ref inner = apply(graph, (gj_op)first, x, 0, dtype);
        if (gj_op_takes((gj_op)second, gj_graph_node(graph, inner)->type.dtype))
          inner = apply(graph, (gj_op)second, inner, 0, dtype);
        gj_graph_set_output(graph, "z", inner);
        check_keeps(graph);
      }
}

// A float between two integer types saturates where integers wrap: u8 → f32 → i8 was u8 → i8.
static void pairs_of_conversions_keep_their_values(void) {
  for (gj_dtype from = GJ_DTYPE_none; next_dtype(&from);)
    for (gj_dtype middle = GJ_DTYPE_none; next_dtype(&middle);) {
      gj_ref x;
      gj_graph *graph = start(from, &x);
      gj_ref inner = apply(graph, GJ_OP_convert, x, 0, middle);
      for (gj_dtype to = GJ_DTYPE_none; next_dtype(&to);)
        gj_graph_set_output(graph, gj_dtype_name(to), apply(graph, GJ_OP_convert, inner, 0, to));
      check_keeps(graph);
    }
}

// 0 + -0 is +0, so a sum over no axes is not its operand.
static void sums_over_no_axes_keep_their_bits(void) {
  for (gj_dtype dtype = GJ_DTYPE_none; next_dtype(&dtype);) {
    static const gj_op ops[] = {GJ_OP_reduce_sum, GJ_OP_reduce_prod, GJ_OP_reduce_min,
                                GJ_OP_reduce_max, GJ_OP_reduce_and,  GJ_OP_reduce_or};
    gj_ref x;
    gj_graph *graph = start(dtype, &x);
    gj_attrs none = {0};
    gj_attrs_set(&none, GJ_ATTR_axes, NULL, 0);
    gj_graph_set_output(graph, "x", x);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
      if (gj_op_takes(ops[i], dtype))
        gj_graph_set_output(graph, gj_op_name(ops[i]),
                            gj_graph_append(graph, ops[i], &x, 1, &none));
    check_keeps(graph);
  }
}

static char *text_of(const gj_graph *graph) {
  gj_strbuf out = {0};
  char *text = NULL;
  gj_error err;
  gj_graph_print(graph, &out);
  CHECK_OK(gj_strbuf_take(&out, &text, NULL, &err), &err);
  return text;
}

static void simplifying_again_changes_nothing(void) {
  for (uint64_t seed = 1; seed <= (check_is_quick() ? 20 : 2000); seed++) {
    rg_stream stream = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1};
    gj_graph *graph = rg_graph(&stream), *once = NULL, *twice = NULL;
    gj_error err = {0};
    CHECK_OK(gj_passes_run(graph, NULL, NULL, &once, &err), &err);
    if (once)
      CHECK_OK(gj_passes_run(once, NULL, NULL, &twice, &err), &err);
    char *first = once ? text_of(once) : NULL, *second = twice ? text_of(twice) : NULL;
    // Conversions of halves stand elsewhere once functions are inlined, which comes after them.
    bool ordered = gj_graph_function_count(graph) == 0;
    bool same = first && second && gj_graph_node_count(once) == gj_graph_node_count(twice) &&
                (!ordered || strcmp(first, second) == 0);
    if (!CHECK(same))
      printf("seed %" PRIu64 ":\n%s%s", seed, first ? first : "", second ? second : "");
    free(first);
    free(second);
    gj_graph_free(twice);
    gj_graph_free(once);
    gj_graph_free(graph);
  }
}

// What `map` says of one graph: values keep their type, outputs their value, and what outputs need
// is still there.
static void check_map(const gj_graph *graph, const gj_ref *map, const gj_graph *result) {
  uint8_t *needed = calloc(gj_graph_node_count(graph) + 1, 1);
  gj_graph_mark_needed(graph, needed);
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++) {
    if (!CHECK(map[ref] <= gj_graph_node_count(result)) || !map[ref])
      continue;
    const gj_type *old = &gj_graph_node(graph, ref)->type;
    const gj_type *now = &gj_graph_node(result, map[ref])->type;
    CHECK(old->dtype == now->dtype && old->rank == now->rank && needed[ref]);
    for (uint8_t axis = 0; axis < old->rank && axis < now->rank; axis++)
      CHECK_INT_EQ(now->shape[axis], old->shape[axis]);
  }
  for (size_t i = 0; i < gj_graph_output_count(graph); i++)
    CHECK_INT_EQ(map[gj_graph_output(graph, i)->ref], gj_graph_output(result, i)->ref);
  for (size_t i = 0; i < gj_graph_input_count(graph); i++)
    CHECK_INT_EQ(map[gj_graph_input(graph, i)], gj_graph_input(result, i));
  free(needed);
}

static void values_are_followed_through_the_passes(void) {
  for (uint64_t seed = 1; seed <= (check_is_quick() ? 20 : 2000); seed++) {
    rg_stream stream = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1};
    gj_graph *graph = rg_graph(&stream), *result = NULL;
    gj_ref *map = calloc(gj_graph_node_count(graph) + 1, sizeof *map);
    gj_error err = {0};
    CHECK_OK(gj_passes_map(graph, NULL, NULL, map, &result, &err), &err);
    if (result)
      check_map(graph, map, result);
    free(map);
    gj_graph_free(result);
    gj_graph_free(graph);
  }
}

static void count_pass(const gj_pass *pass, const gj_graph *result, void *context) {
  gj_error err = {0};
  CHECK(pass->name[0] && pass->text[0]);
  CHECK_OK(gj_graph_verify(result, &err), &err);
  ++*(size_t *)context;
}

static void passes_leave_their_input_and_are_watched(void) {
  gj_ref x;
  gj_graph *graph = start(GJ_DTYPE_f64, &x), *result = NULL;
  gj_graph_set_output(graph, "z", apply(graph, GJ_OP_neg, apply(graph, GJ_OP_neg, x, 0, 0), 0, 0));
  char *before = text_of(graph);
  gj_error err = {0};
  size_t watched = 0;
  CHECK_OK(gj_passes_run(graph, count_pass, &watched, &result, &err), &err);
  CHECK_INT_EQ(watched, 1); // simplify: there are no halves
  char *after = text_of(graph);
  CHECK_STR_EQ(after, before);
  CHECK_INT_EQ(gj_graph_node_count(result), 1);
  free(before);
  free(after);
  gj_graph_free(graph);
  gj_graph_free(result);
}

int main(void) {
  CHECK_RUN(binary_ops_with_constants_keep_their_bits);
  CHECK_RUN(pairs_of_unary_ops_keep_their_bits);
  CHECK_RUN(pairs_of_conversions_keep_their_values);
  CHECK_RUN(sums_over_no_axes_keep_their_bits);
  CHECK_RUN(simplifying_again_changes_nothing);
  CHECK_RUN(values_are_followed_through_the_passes);
  CHECK_RUN(passes_leave_their_input_and_are_watched);
  return check_report();
}
