// Random functions for a batch, against a loop over its examples: see random_graph.h for what they
// are made of.
//
//   batch_test [first seed] [number of seeds]
#include "check.h"
#include "passes/batch/batch.h"
#include "random_graph.h"

enum { MOST_PARAMS = 16, MOST_OUTPUTS = 4 };

static uint64_t first_seed = 1;
static uint64_t seed_count = 2000;
static uint64_t ran;

// A function of random steps.
static gj_graph *random_steps(rg_stream *s, gj_graph *g) {
  gj_error refused;
  gj_graph *f = gj_graph_function_new(g, "steps");
  for (uint32_t i = 1 + rg_below(s, 4); i > 0; i--) {
    gj_type type = rg_type(s, f);
    rg_param(f, &type);
    gj_graph_take_error(f, &refused);
  }
  if (gj_graph_input_count(f) == 0)
    rg_param(f, &(gj_type){.dtype = GJ_DTYPE_f32});
  for (uint32_t i = 1 + rg_below(s, 12); i > 0; i--)
    rg_step(s, f);
  // Somewhat often control, whose rules have most to do.
  if (!s->plain && rg_below(s, 2))
    rg_control(s, f);
  gj_graph_take_error(f, &refused);
  for (uint32_t i = 1 + rg_below(s, MOST_OUTPUTS - 1); i > 0; i--)
    rg_give(f, rg_below(s, 4) ? rg_unused(s, f) : rg_pick(s, f));
  return f;
}

// Whether a constant has all its elements, so that it can be an input.
static bool is_whole(const gj_graph *f, const gj_node *node) {
  gj_dim count = gj_type_size(gj_graph_dims(f), &node->type);
  return node->op == GJ_OP_const && gj_dim_is_const(count) && count > 0 &&
         node->data_size == (size_t)count * gj_dtype_bytes(node->type.dtype);
}

// The same, added, with some of its constants as inputs: out_constants[i] is that of input i, or
// NULL.
static gj_graph *with_inputs(rg_stream *s, gj_graph *g, const gj_graph *f,
                             const gj_node **out_constants) {
  gj_graph *to = gj_graph_function_new(g, "example");
  size_t count = gj_graph_node_count(f);
  gj_ref *map = calloc(count + 1, sizeof *map), args[64];
  for (gj_ref ref = 1; ref <= count; ref++) {
    const gj_node *node = gj_graph_node(f, ref);
    size_t inputs = gj_graph_input_count(to);
    bool room = inputs + 4 < MOST_PARAMS || node->op == GJ_OP_param;
    bool varies = room && is_whole(f, node) && rg_below(s, 2);
    for (uint32_t i = 0; i < node->arg_count && i < 64; i++)
      args[i] = map[node->args[i]];
    if (node->op == GJ_OP_param || varies) {
      map[ref] = rg_param(to, &node->type);
      out_constants[inputs] = varies ? node : NULL;
    } else {
      map[ref] = node->op == GJ_OP_const ? gj_graph_const_like(to, node)
                                         : gj_graph_append_like(to, node, args);
    }
  }
  for (size_t k = 0; k < gj_graph_output_count(f); k++)
    rg_give(to, map[gj_graph_output(f, k)->ref]);
  free(map);
  return gj_graph_function_add(to) >= 0 ? to : NULL;
}

// For each example the elements of a constant from another one on; integers a little larger.
static gj_ref constants_of(gj_graph *g, const gj_node *node, const gj_type *type) {
  size_t width = gj_dtype_bytes(type->dtype), count = node->data_size / width;
  unsigned char *bytes = malloc((size_t)type->shape[0] * node->data_size + 1);
  bool whole = gj_dtype_is_integer(type->dtype) && count == 1;
  for (int64_t e = 0; e < type->shape[0]; e++)
    for (size_t i = 0; i < count; i++) {
      const unsigned char *from = (const unsigned char *)node->data;
      gj_scalar value = gj_scalar_load(type->dtype, from + (i + (size_t)e) % count * width);
      if (whole)
        value.v.i += e;
      gj_scalar_store(value, bytes + ((size_t)e * count + i) * width);
    }
  gj_ref ref = gj_graph_const(g, type, bytes, (size_t)type->shape[0] * node->data_size);
  free(bytes);
  return ref;
}

static gj_type batched_type(gj_dim size, const gj_type *type) {
  gj_type batched = *type;
  memmove(batched.shape + 1, type->shape, type->rank * sizeof *type->shape);
  batched.shape[0] = size;
  batched.rank++;
  return batched;
}

static gj_ref append_result(gj_graph *g, gj_ref owner, size_t index) {
  return index == 0 ? owner : rg_result(g, owner, (int64_t)index);
}

// The function called in a loop whose rounds are the examples; the ref of its first result.
static gj_ref loop(gj_graph *g, const gj_graph *f, const gj_batched *inputs, gj_dim size) {
  gj_ref args[MOST_PARAMS], own[MOST_PARAMS];
  size_t count = gj_graph_input_count(f), at = 0;
  int64_t number = gj_graph_function_number(f), stacked = 0, none = 0;
  gj_graph *body = gj_graph_function_new(g, "round");
  rg_param(body, &(gj_type){.dtype = GJ_DTYPE_i64});
  for (int batched = 1; batched >= 0; batched--)
    for (size_t i = 0; i < count; i++)
      if (inputs[i].batched == batched) {
        stacked += batched;
        args[at++] = inputs[i].ref;
        own[i] = rg_param(body, &gj_graph_node(f, gj_graph_input(f, i))->type);
      }
  gj_attrs calls = {0}, attrs = {0};
  gj_attrs_set(&calls, GJ_ATTR_functions, &number, 1);
  gj_ref call = gj_graph_append(body, GJ_OP_call, own, count, &calls);
  for (size_t k = 0; k < gj_graph_output_count(f); k++)
    rg_give(body, append_result(body, call, k));
  number = gj_graph_function_add(body);
  gj_attrs_set(&attrs, GJ_ATTR_count, &size, 1);
  gj_attrs_set(&attrs, GJ_ATTR_descending, &none, 1);
  gj_attrs_set(&attrs, GJ_ATTR_carried, &none, 1);
  gj_attrs_set(&attrs, GJ_ATTR_stacked, &stacked, 1);
  gj_attrs_set(&attrs, GJ_ATTR_functions, &number, 1);
  return number < 0 ? 0 : gj_graph_append(g, GJ_OP_for, args, count, &attrs);
}

static gj_ref spread(gj_graph *g, gj_batched value, gj_dim size) {
  static const int64_t behind[GJ_MAX_RANK] = {1, 2, 3, 4, 5, 6, 7, 8};
  gj_attrs attrs = {0};
  if (value.batched)
    return value.ref;
  gj_type type = batched_type(size, &gj_graph_node(g, value.ref)->type);
  gj_attrs_set(&attrs, GJ_ATTR_shape, type.shape, type.rank);
  gj_attrs_set(&attrs, GJ_ATTR_axes, behind, type.rank - 1u);
  return gj_graph_append(g, GJ_OP_broadcast, &value.ref, 1, &attrs);
}

// The inputs of a function, in the graph; false where something is refused.
static bool append_inputs(rg_stream *s, gj_graph *g, const gj_graph *f,
                          const gj_node *const *constants, gj_dim size, gj_batched *out) {
  gj_error refused;
  for (size_t i = 0; i < gj_graph_input_count(f); i++) {
    const gj_type *own = &gj_graph_node(f, gj_graph_input(f, i))->type;
    bool varies = constants[i] && gj_dim_is_const(size);
    out[i].batched = (!constants[i] || varies) && own->rank < GJ_MAX_RANK && rg_below(s, 2);
    gj_type type = out[i].batched ? batched_type(size, own) : *own;
    out[i].ref = !constants[i]    ? rg_param(g, &type)
                 : out[i].batched ? constants_of(g, constants[i], &type)
                                  : gj_graph_const_like(g, constants[i]);
  }
  return gj_graph_take_error(g, &refused) == GJ_OK;
}

// Outputs in pairs, of the batch and of the loop; false where something is refused.
static bool build(rg_stream *s, gj_graph *g, gj_dim size) {
  gj_batched inputs[MOST_PARAMS], outputs[MOST_OUTPUTS];
  const gj_node *constants[MOST_PARAMS];
  gj_error err;
  const gj_graph *f = with_inputs(s, g, random_steps(s, g), constants);
  if (!f || !append_inputs(s, g, f, constants, size, inputs))
    return false;
  if (gj_graph_batch(g, f, inputs, size, outputs, &err) != GJ_OK) {
    bool expected = strstr(err.message, "rank") != NULL || err.code == GJ_E_OVERFLOW;
    CHECK(expected);
    if (!expected)
      printf("%s\n", err.message);
    return false;
  }
  gj_ref looped = loop(g, f, inputs, size);
  if (!looped) // a value of the highest rank cannot be stacked, or spread
    return false;
  for (size_t k = 0; k < gj_graph_output_count(f); k++) {
    rg_give(g, spread(g, outputs[k], size));
    rg_give(g, append_result(g, looped, k));
  }
  bool valid = gj_graph_take_error(g, &err) == GJ_OK && gj_graph_verify(g, &err) == GJ_OK;
  if (!valid)
    printf("%s\n", err.message);
  CHECK(valid);
  return valid;
}

static bool evaluate(rg_case *c) {
  gj_error err;
  void *outputs[RG_MAX_PORTS];
  const void *inputs[RG_MAX_PORTS];
  for (size_t i = 0; i < c->inputs; i++)
    inputs[i] = c->arrays[i].data;
  for (size_t i = 0; i < c->outputs; i++)
    outputs[i] = c->arrays[c->inputs + i].data;
  if (gj_graph_eval(c->graph, c->symbols, inputs, outputs, &err) != GJ_OK)
    return rg_complain("reference", &err);
  bool same = true;
  for (size_t k = 0; k < c->outputs; k += 2) {
    const gj_output *output = gj_graph_output(c->graph, k);
    same = same && rg_same(output, gj_graph_node(c->graph, output->ref)->type.dtype, outputs[k + 1],
                           outputs[k], c->bytes[c->inputs + k], "batch");
  }
  return same;
}

static bool check_seed(uint64_t seed) {
  gj_error err;
  rg_stream s = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1, .plain = seed % 4 == 0};
  gj_graph *g = gj_graph_new("batch");
  gj_type binds = {.dtype = GJ_DTYPE_f32, .rank = 2};
  binds.shape[0] = gj_dim_symbol(gj_graph_dims(g), "n", 1);
  binds.shape[1] = gj_dim_symbol(gj_graph_dims(g), "m", 1);
  gj_graph_param(g, "binds", &binds);
  gj_dim size = seed % 3 == 0 ? binds.shape[1] : (gj_dim)(1 + seed % 4);
  rg_case c = {.graph = g, .given = true, .most = 1 << 12};
  static const int64_t sizes[] = {0, 1, 2, 3, 5, 7};
  for (int i = 0; i < 2; i++)
    c.symbols[i] = sizes[rg_below(&s, 6)];
  bool ok = true;
  if (build(&s, g, size) && rg_prepare(&c, &s) &&
      gj_graph_bind(g, c.shape_list, c.symbols, &err) == GJ_OK) {
    ok = evaluate(&c);
    if (!ok)
      rg_print(&c);
    ran++;
  }
  rg_free(&c);
  return ok;
}

static void random_functions_of_batches_are_as_loops_over_examples(void) {
  uint64_t count = check_is_quick() ? 50 : seed_count;
  int failures = 0;
  for (uint64_t seed = first_seed; seed < first_seed + count && failures < 5; seed++) {
    if (!check_takes(seed))
      continue;
    if (!check_seed(seed)) {
      printf("seed %" PRIu64 "\n", seed);
      failures++;
    }
  }
  CHECK_INT_EQ(failures, 0);
  CHECK(ran > 0);
}

static void inputs_that_do_not_fit_are_refused(void) {
  gj_error err;
  gj_graph *g = gj_graph_new("g"), *other = gj_graph_new("other");
  gj_type vector = {.dtype = GJ_DTYPE_f64, .rank = 1, .shape = {3}};
  gj_type matrix = {.dtype = GJ_DTYPE_f64, .rank = 2, .shape = {2, 3}};
  gj_graph *f = gj_graph_function_new(g, "f");
  gj_graph_set_output(f, "y", gj_graph_param(f, "x", &vector));
  gj_ref x = gj_graph_param(g, "x", &matrix);
  gj_batched out, good = {x, true}, shared = {x, false}, none = {9, true};
  CHECK_INT_EQ(gj_graph_batch(g, f, &good, 2, &out, &err), GJ_OK); // not added, but complete
  CHECK_INT_EQ(out.ref, x);
  CHECK(out.batched);
  CHECK_INT_EQ(gj_graph_batch(g, f, &good, 3, &out, &err), GJ_E_SHAPE);
  CHECK_STR_EQ(err.message,
               "batch: input 0 is f64[2, 3], which is no batch of f64[3] of batch size 3");
  CHECK_INT_EQ(gj_graph_batch(g, f, &shared, 2, &out, &err), GJ_E_SHAPE);
  CHECK_INT_EQ(gj_graph_batch(g, f, &none, 2, &out, &err), GJ_E_ARGUMENT);
  CHECK_INT_EQ(gj_graph_batch(other, f, &good, 2, &out, &err), GJ_E_ARGUMENT);
  gj_graph_free(g);
  gj_graph_free(other);
}

int main(int argc, char **argv) {
  if (argc > 1)
    first_seed = strtoull(argv[1], NULL, 10);
  if (argc > 2)
    seed_count = strtoull(argv[2], NULL, 10);
  CHECK_RUN(inputs_that_do_not_fit_are_refused);
  CHECK_RUN(random_functions_of_batches_are_as_loops_over_examples);
  return check_report();
}
