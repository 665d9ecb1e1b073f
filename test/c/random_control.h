// Control ops for random graphs: functions whose bodies are random steps too, called, chosen and
// repeated. Loops run a few rounds. See random_graph.h, which includes this.
#ifndef GJ_TEST_RANDOM_CONTROL_H
#define GJ_TEST_RANDOM_CONTROL_H

enum { RG_MOST_PARAMS = 4, RG_MOST_FUNCTIONS = 12, RG_MOST_ROUNDS = 5 };

static inline gj_ref rg_literal(gj_graph *g, gj_dtype dtype, int64_t value) {
  unsigned char bytes[8];
  gj_type type = {.dtype = dtype};
  gj_scalar_store((gj_scalar){.dtype = dtype, .v.i = value}, bytes);
  return gj_graph_const(g, &type, bytes, gj_dtype_bytes(dtype));
}

static inline gj_ref rg_param(gj_graph *f, const gj_type *type) {
  char name[16];
  snprintf(name, sizeof name, "p%zu", gj_graph_input_count(f));
  return gj_graph_param(f, name, type);
}

static inline void rg_give(gj_graph *f, gj_ref ref) {
  char name[16];
  snprintf(name, sizeof name, "r%zu", gj_graph_output_count(f));
  gj_graph_set_output(f, name, ref);
}

static inline void rg_steps(rg_stream *s, gj_graph *f) {
  for (uint32_t i = 1 + rg_below(s, 5); i > 0; i--)
    rg_step(s, f);
}

// A value of this type: the last one or so, else a constant.
static inline gj_ref rg_like(rg_stream *s, gj_graph *f, const gj_type *type) {
  uint32_t skip = rg_below(s, 2);
  gj_ref found = 0;
  for (gj_ref ref = (gj_ref)gj_graph_node_count(f); ref > 0; ref--) {
    const gj_type *own = &gj_graph_node(f, ref)->type;
    if (own->dtype != type->dtype || own->rank != type->rank ||
        memcmp(own->shape, type->shape, own->rank * sizeof *own->shape) != 0)
      continue;
    found = ref;
    if (skip-- == 0)
      break;
  }
  static const unsigned char zero[8];
  return found ? found : gj_graph_const(f, type, zero, gj_dtype_bytes(type->dtype));
}

static inline void rg_results(rg_stream *s, gj_graph *g, gj_ref control) {
  if (!control)
    return;
  size_t count = gj_node_result_count(gj_graph_node(g, control));
  for (size_t i = 0; i < count; i++) {
    int64_t index = (int64_t)i;
    gj_attrs attrs = {0};
    gj_attrs_set(&attrs, GJ_ATTR_index, &index, 1);
    if (rg_below(s, 4))
      gj_graph_append(g, GJ_OP_result, &control, 1, &attrs);
  }
}

// What chooses: a constant, or where that can be had a number that only the inputs tell.
static inline gj_ref rg_chooser(rg_stream *s, gj_graph *g, gj_op op) {
  bool cond = op == GJ_OP_cond;
  gj_ref literal = cond ? rg_literal(g, GJ_DTYPE_bool, rg_below(s, 2))
                        : rg_literal(g, GJ_DTYPE_i32, (int64_t)rg_below(s, 5) - 1);
  gj_ref value = rg_pick(s, g);
  int64_t i32 = GJ_DTYPE_i32, axes[GJ_MAX_RANK];
  if (rg_below(s, 3) == 0)
    return literal;
  gj_attrs dtype = {0}, over = {0};
  gj_attrs_set(&dtype, GJ_ATTR_dtype, &i32, 1);
  value = gj_graph_append(g, GJ_OP_convert, &value, 1, &dtype);
  for (int64_t i = 0; i < GJ_MAX_RANK; i++)
    axes[i] = i;
  if (value)
    gj_attrs_set(&over, GJ_ATTR_axes, axes, gj_graph_node(g, value)->type.rank);
  value = gj_graph_append(g, GJ_OP_reduce_max, &value, 1, &over);
  gj_ref both[2] = {value, rg_literal(g, GJ_DTYPE_i32, 1)};
  if (cond)
    value = gj_graph_append(g, GJ_OP_lt, both, 2, NULL);
  gj_error refused;
  return gj_graph_take_error(g, &refused) == GJ_OK ? value : literal;
}

// call, cond, switch: the first function gives what it likes, the others the same types.
static inline void rg_choice(rg_stream *s, gj_graph *g, gj_op op) {
  gj_ref args[RG_MOST_PARAMS + 1];
  gj_attrs attrs = {0};
  int64_t numbers[3];
  uint32_t first = op == GJ_OP_call ? 0 : 1, params = 1 + rg_below(s, RG_MOST_PARAMS);
  uint32_t functions = op == GJ_OP_call ? 1 : op == GJ_OP_cond ? 2 : 1 + rg_below(s, 3);
  if (first > 0)
    args[0] = rg_chooser(s, g, op);
  for (uint32_t i = 0; i < params; i++)
    args[first + i] = rg_pick(s, g);
  for (uint32_t k = 0; k < functions; k++) {
    gj_graph *f = gj_graph_function_new(g, "choice");
    for (uint32_t i = 0; i < params; i++)
      rg_param(f, &gj_graph_node(g, args[first + i])->type);
    rg_steps(s, f);
    const gj_graph *like = k > 0 ? gj_graph_function(g, (size_t)numbers[0]) : NULL;
    for (uint32_t i = like ? (uint32_t)gj_graph_output_count(like) : 1 + rg_below(s, 3); i > 0; i--)
      rg_give(f, like ? rg_like(s, f, gj_graph_output_type(like, gj_graph_output_count(f)))
                      : rg_pick(s, f));
    numbers[k] = gj_graph_function_add(f);
    if (numbers[k] < 0)
      return;
  }
  gj_attrs_set(&attrs, GJ_ATTR_functions, numbers, functions);
  rg_results(s, g, gj_graph_append(g, op, args, first + params, &attrs));
}

// Carried values after the first, which counts the rounds; then constants.
static inline void rg_while(rg_stream *s, gj_graph *g) {
  gj_ref args[RG_MOST_PARAMS + 1] = {rg_literal(g, GJ_DTYPE_i64, 0)};
  uint32_t count = 1 + 1 + rg_below(s, RG_MOST_PARAMS), carried = 1 + rg_below(s, count);
  gj_graph *condition = gj_graph_function_new(g, "condition");
  gj_graph *body = gj_graph_function_new(g, "body");
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0)
      args[i] = rg_pick(s, g);
    rg_param(condition, &gj_graph_node(g, args[i])->type);
    rg_param(body, &gj_graph_node(g, args[i])->type);
  }
  gj_ref below[2] = {1, rg_literal(condition, GJ_DTYPE_i64, rg_below(s, RG_MOST_ROUNDS))};
  rg_give(condition, gj_graph_append(condition, GJ_OP_lt, below, 2, NULL));
  gj_ref more[2] = {1, rg_literal(body, GJ_DTYPE_i64, 1)};
  gj_ref next = gj_graph_append(body, GJ_OP_add, more, 2, NULL);
  rg_steps(s, body);
  rg_give(body, next);
  for (uint32_t i = 1; i < carried; i++)
    rg_give(body, rg_like(s, body, &gj_graph_node(g, args[i])->type));
  int64_t numbers[2] = {gj_graph_function_add(condition), 0}, values = carried;
  numbers[1] = gj_graph_function_add(body);
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_carried, &values, 1);
  gj_attrs_set(&attrs, GJ_ATTR_functions, numbers, 2);
  if (numbers[0] >= 0 && numbers[1] >= 0)
    rg_results(s, g, gj_graph_append(g, GJ_OP_while, args, count, &attrs));
}

static inline void rg_for(rg_stream *s, gj_graph *g) {
  gj_ref args[RG_MOST_PARAMS];
  gj_type index = {.dtype = GJ_DTYPE_i64};
  uint32_t count = 1 + rg_below(s, RG_MOST_PARAMS), carried = rg_below(s, count + 1);
  int64_t rounds = rg_below(s, 5), stacked = 0, values = carried, descending = rg_below(s, 2);
  gj_graph *body = gj_graph_function_new(g, "body");
  for (uint32_t i = 0; i < count; i++)
    args[i] = rg_pick(s, g);
  gj_type last = gj_graph_node(g, args[carried < count ? carried : 0])->type;
  if (carried < count && last.rank > 0) { // the operand behind the carried ones is stacked
    stacked = 1;
    rounds = last.shape[0];
    last.rank--;
    memmove(last.shape, last.shape + 1, last.rank * sizeof *last.shape);
  }
  rg_param(body, &index);
  for (uint32_t i = 0; i < count; i++)
    rg_param(body, stacked && i == carried ? &last : &gj_graph_node(g, args[i])->type);
  rg_steps(s, body);
  for (uint32_t i = 0; i < carried; i++)
    rg_give(body, rg_like(s, body, &gj_graph_node(g, args[i])->type));
  for (uint32_t i = carried ? rg_below(s, 3) : 1; i > 0; i--)
    rg_give(body, rg_pick(s, body));
  int64_t number = gj_graph_function_add(body);
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_count, &rounds, 1);
  gj_attrs_set(&attrs, GJ_ATTR_descending, &descending, 1);
  gj_attrs_set(&attrs, GJ_ATTR_carried, &values, 1);
  gj_attrs_set(&attrs, GJ_ATTR_stacked, &stacked, 1);
  gj_attrs_set(&attrs, GJ_ATTR_functions, &number, 1);
  if (number >= 0)
    rg_results(s, g, gj_graph_append(g, GJ_OP_for, args, count, &attrs));
}

static inline void rg_control(rg_stream *s, gj_graph *g) {
  static const gj_op choices[] = {GJ_OP_call, GJ_OP_cond, GJ_OP_switch};
  gj_error refused;
  uint32_t pick = rg_below(s, 6);
  if (gj_graph_function_count(g) > RG_MOST_FUNCTIONS)
    return;
  if (pick < 3)
    rg_choice(s, g, choices[pick]);
  else if (pick < 4)
    rg_while(s, g);
  else
    rg_for(s, g);
  gj_graph_take_error(g, &refused);
}

#endif
