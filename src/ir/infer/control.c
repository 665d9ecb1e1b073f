// Shape rules of control: how the operands of a node fit the inputs of its functions, and what the
// outputs of those become.
//
// Types must match to the letter, sizes as expressions: a function is made for its callers. Carried
// values have one type throughout, so a loop needs the same memory in every round.
#include "ir/graph_data.h"
#include "ir/infer/infer.h"

#include <string.h>

static const gj_graph *function_of(const gj__infer *in, size_t i) {
  return gj_graph_function(in->graph, (size_t)gj__list(in, GJ_ATTR_functions)->values[i]);
}

static gj_status check_functions(const gj__infer *in, size_t least, size_t most) {
  const gj_attr_list *list = gj__list(in, GJ_ATTR_functions);
  size_t known = gj__visible_functions(in->graph);
  if (list->count < least || list->count > most)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: takes %zu function%s, got %d", in->name,
                   list->count < least ? least : most, most == 1 ? "" : "s", list->count);
  for (size_t i = 0; i < list->count; i++)
    if (list->values[i] < 0 || (uint64_t)list->values[i] >= known)
      return gj_fail(in->err, GJ_E_ARGUMENT, "%s: function @%lld is not among the %zu before it",
                     in->name, (long long)list->values[i], known);
  return GJ_OK;
}

static gj_status fail_type(const gj__infer *in, const char *what, const gj_type *have,
                           const gj_type *want) {
  bool dtypes = have->dtype != want->dtype;
  return gj_fail(in->err, dtypes ? GJ_E_DTYPE : GJ_E_SHAPE, "%s: %s is %s, but must be %s",
                 in->name, what, gj__type_text(in->dims, have).s, gj__type_text(in->dims, want).s);
}

// Input `i` of a function takes a value of this type.
static gj_status check_input(const gj__infer *in, const gj_graph *f, size_t i,
                             const gj_type *given) {
  const gj_node *input = gj_graph_node(f, gj_graph_input(f, i));
  if (gj__type_equal(&input->type, given))
    return GJ_OK;
  return gj_fail(in->err, input->type.dtype == given->dtype ? GJ_E_SHAPE : GJ_E_DTYPE,
                 "%s: input \"%.40s\" of function @%lld is %s, but is given %s", in->name,
                 input->name, (long long)gj_graph_function_number(f),
                 gj__type_text(in->dims, &input->type).s, gj__type_text(in->dims, given).s);
}

static gj_status check_input_count(const gj__infer *in, const gj_graph *f, size_t given) {
  if (gj_graph_input_count(f) == given)
    return GJ_OK;
  return gj_fail(in->err, GJ_E_ARGUMENT, "%s: function @%lld has %zu inputs, but is given %zu",
                 in->name, (long long)gj_graph_function_number(f), gj_graph_input_count(f), given);
}

// The inputs of a function are the operands from `first` on.
static gj_status check_inputs(const gj__infer *in, const gj_graph *f, size_t first) {
  GJ_TRY(check_input_count(in, f, in->arg_count - first));
  for (size_t i = first; i < in->arg_count; i++)
    GJ_TRY(check_input(in, f, i - first, gj__operand(in, i)));
  return GJ_OK;
}

// --- call, checkpoint, noinline_call, cond, switch ---

static bool is_float(const gj_type *type) { return gj_dtype_is_float(type->dtype); }

// The second function of a call gives cotangents: its inputs are the results, cotangents of the
// floats among them and the operands, its outputs cotangents of the first floats among the
// operands.
static gj_status check_cotangents(const gj__infer *in) {
  const gj_graph *f = function_of(in, 0), *back = function_of(in, 1);
  size_t results = gj_graph_output_count(f), input = 0, output = 0, given = results + in->arg_count;
  for (size_t i = 0; i < results; i++)
    given += is_float(gj_graph_output_type(f, i));
  GJ_TRY(check_input_count(in, back, given));
  for (size_t i = 0; i < results; i++)
    GJ_TRY(check_input(in, back, input++, gj_graph_output_type(f, i)));
  for (size_t i = 0; i < results; i++)
    if (is_float(gj_graph_output_type(f, i)))
      GJ_TRY(check_input(in, back, input++, gj_graph_output_type(f, i)));
  for (size_t i = 0; i < in->arg_count; i++)
    GJ_TRY(check_input(in, back, input++, gj__operand(in, i)));
  for (size_t i = 0; i < in->arg_count && output < gj_graph_output_count(back); i++)
    if (is_float(gj__operand(in, i))) {
      const gj_type *have = gj_graph_output_type(back, output++);
      if (!gj__type_equal(have, gj__operand(in, i)))
        return fail_type(in, "a cotangent that its second function gives", have,
                         gj__operand(in, i));
    }
  if (output < gj_graph_output_count(back))
    return gj_fail(in->err, GJ_E_ARGUMENT,
                   "%s: its second function has %zu outputs, but there are %zu float operands",
                   in->name, gj_graph_output_count(back), output);
  return GJ_OK;
}

static gj_status shape_call(const gj__infer *in) {
  GJ_TRY(check_functions(in, 1, in->op == GJ_OP_call ? 2 : 1));
  GJ_TRY(check_inputs(in, function_of(in, 0), 0));
  return gj__list(in, GJ_ATTR_functions)->count > 1 ? check_cotangents(in) : GJ_OK;
}

static gj_status check_chooser(const gj__infer *in, gj_dtype dtype) {
  gj_type want = {.dtype = dtype};
  if (in->arg_count == 0)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: takes at least 1 operand, got 0", in->name);
  if (gj__type_equal(gj__operand(in, 0), &want))
    return GJ_OK;
  return fail_type(in, "the first operand", gj__operand(in, 0), &want);
}

// Both functions give values of the same types.
static gj_status check_alike(const gj__infer *in, const gj_graph *a, const gj_graph *b) {
  long long x = gj_graph_function_number(a), y = gj_graph_function_number(b);
  size_t count = gj_graph_output_count(a), others = gj_graph_output_count(b);
  if (count != others)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: function @%lld has %zu outputs, but @%lld has %zu",
                   in->name, x, count, y, others);
  for (size_t i = 0; i < count; i++) {
    const gj_type *have = gj_graph_output_type(b, i), *want = gj_graph_output_type(a, i);
    if (!gj__type_equal(have, want))
      return gj_fail(in->err, have->dtype == want->dtype ? GJ_E_SHAPE : GJ_E_DTYPE,
                     "%s: output %zu of function @%lld is %s, but that of @%lld is %s", in->name, i,
                     x, gj__type_text(in->dims, want).s, y, gj__type_text(in->dims, have).s);
  }
  return GJ_OK;
}

static gj_status shape_choice(const gj__infer *in) {
  bool cond = in->op == GJ_OP_cond;
  GJ_TRY(check_functions(in, cond ? 2 : 1, cond ? 2 : GJ_MAX_LIST));
  GJ_TRY(check_chooser(in, cond ? GJ_DTYPE_bool : GJ_DTYPE_i32));
  for (size_t i = 0; i < gj__list(in, GJ_ATTR_functions)->count; i++) {
    GJ_TRY(check_inputs(in, function_of(in, i), 1));
    GJ_TRY(check_alike(in, function_of(in, 0), function_of(in, i)));
  }
  return GJ_OK;
}

// --- loops ---

// Output `i` of the body is the next value of operand `i`.
static gj_status check_carried(const gj__infer *in, const gj_graph *body, size_t carried) {
  if (gj_graph_output_count(body) < carried)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: the body has %zu outputs, but carries %zu values",
                   in->name, gj_graph_output_count(body), carried);
  for (size_t i = 0; i < carried; i++) {
    const gj_type *have = gj_graph_output_type(body, i), *want = gj__operand(in, i);
    if (!gj__type_equal(have, want))
      return gj_fail(in->err, have->dtype == want->dtype ? GJ_E_SHAPE : GJ_E_DTYPE,
                     "%s: carried value %zu (\"%.60s\") begins as %s, but the body makes it %s",
                     in->name, i, gj_graph_output(body, i)->name, gj__type_text(in->dims, want).s,
                     gj__type_text(in->dims, have).s);
  }
  return GJ_OK;
}

static gj_status check_number(const gj__infer *in, gj_attr attr, size_t least, size_t most) {
  int64_t value = gj__list(in, attr)->values[0];
  if (value >= 0 && (uint64_t)value >= least && (uint64_t)value <= most)
    return GJ_OK;
  return gj_fail(in->err, GJ_E_ARGUMENT, "%s: %s is %lld, but must be from %zu to %zu", in->name,
                 gj_attr_get(attr)->name, (long long)value, least, most);
}

static gj_status shape_while(const gj__infer *in) {
  GJ_TRY(check_functions(in, 2, 2));
  GJ_TRY(check_number(in, GJ_ATTR_carried, 1, in->arg_count));
  size_t carried = (size_t)gj__list(in, GJ_ATTR_carried)->values[0];
  const gj_graph *condition = function_of(in, 0), *body = function_of(in, 1);
  gj_type truth = {.dtype = GJ_DTYPE_bool};
  GJ_TRY(check_inputs(in, condition, 0));
  GJ_TRY(check_inputs(in, body, 0));
  if (gj_graph_output_count(condition) != 1)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: the condition has %zu outputs, but must have 1",
                   in->name, gj_graph_output_count(condition));
  if (!gj__type_equal(gj_graph_output_type(condition, 0), &truth))
    return fail_type(in, "the condition", gj_graph_output_type(condition, 0), &truth);
  if (gj_graph_output_count(body) != carried)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: the body has %zu outputs, but carries %zu values",
                   in->name, gj_graph_output_count(body), carried);
  return check_carried(in, body, carried);
}

// A stacked operand is [count, …]; the body sees one […] of it.
static gj_status check_stacked(const gj__infer *in, const gj_graph *body, size_t i, gj_dim count) {
  gj_type type = *gj__operand(in, i);
  if (type.rank == 0 || type.shape[0] != count)
    return gj_fail(in->err, GJ_E_SHAPE,
                   "%s: operand %zu (%%%u) of shape %s is stacked, so its axis 0 must be %s",
                   in->name, i + 1, in->args[i], gj__shape_text(in->dims, &type).s,
                   gj__dim_text(in->dims, count).s);
  type.rank--;
  memmove(type.shape, type.shape + 1, type.rank * sizeof type.shape[0]);
  return check_input(in, body, i + 1, &type);
}

static gj_status check_rounds(const gj__infer *in, gj_dim *out_count) {
  const gj_attr_list *list = gj__list(in, GJ_ATTR_count);
  int64_t value;
  if (list->count != 1)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: count takes one value, got %d", in->name,
                   list->count);
  if (gj_dim_value(in->dims, list->values[0], &value) && (value < 0 || value > GJ_DIM_MAX))
    return gj_fail(in->err, GJ_E_SHAPE, "%s: count is %lld, but must be from 0 to 2^47", in->name,
                   (long long)value);
  *out_count = list->values[0];
  return GJ_OK;
}

static gj_status shape_for(const gj__infer *in) {
  const gj_type index = {.dtype = GJ_DTYPE_i64};
  gj_dim count = 0;
  GJ_TRY(check_functions(in, 1, 1));
  GJ_TRY(check_rounds(in, &count));
  GJ_TRY(check_number(in, GJ_ATTR_carried, 0, in->arg_count));
  size_t carried = (size_t)gj__list(in, GJ_ATTR_carried)->values[0];
  GJ_TRY(check_number(in, GJ_ATTR_stacked, 0, in->arg_count - carried));
  GJ_TRY(check_number(in, GJ_ATTR_descending, 0, 1));
  size_t end = carried + (size_t)gj__list(in, GJ_ATTR_stacked)->values[0];
  const gj_graph *body = function_of(in, 0);
  GJ_TRY(check_input_count(in, body, in->arg_count + 1));
  GJ_TRY(check_input(in, body, 0, &index));
  for (size_t i = 0; i < in->arg_count; i++)
    if (i >= carried && i < end)
      GJ_TRY(check_stacked(in, body, i, count));
    else
      GJ_TRY(check_input(in, body, i + 1, gj__operand(in, i)));
  GJ_TRY(check_carried(in, body, carried));
  for (size_t i = carried; i < gj_graph_output_count(body); i++) {
    gj_type type = *gj_graph_output_type(body, i);
    if (type.rank == GJ_MAX_RANK)
      return gj_fail(in->err, GJ_E_SHAPE, "%s: output %zu of the body, %s, has the highest rank", //
                     in->name, i, gj__type_text(in->dims, &type).s);
  }
  return GJ_OK;
}

// --- results ---

uint32_t gj__control_result_count(const gj_graph *graph, gj_op op, const gj_attrs *attrs) {
  const gj_attr_list *functions = &attrs->list[GJ_ATTR_functions];
  size_t last = op == GJ_OP_while ? 1 : 0;
  return (uint32_t)gj_graph_output_count(gj_graph_function(graph, (size_t)functions->values[last]));
}

static gj_type result_type(const gj_graph *graph, gj_op op, const gj_attrs *attrs, size_t index) {
  size_t last = op == GJ_OP_while ? 1 : 0;
  const gj_graph *body =
      gj_graph_function(graph, (size_t)attrs->list[GJ_ATTR_functions].values[last]);
  gj_type type = *gj_graph_output_type(body, index);
  if (op != GJ_OP_for || index < (size_t)attrs->list[GJ_ATTR_carried].values[0])
    return type;
  memmove(type.shape + 1, type.shape, type.rank * sizeof type.shape[0]);
  type.shape[0] = attrs->list[GJ_ATTR_count].values[0];
  type.rank++;
  return type;
}

gj_type gj__control_result(const gj_graph *graph, const gj_node *node, size_t index) {
  return result_type(graph, (gj_op)node->op, node->attrs, index);
}

gj_status gj_shape_control(const gj__infer *in, gj_type *out) {
  if (in->op == GJ_OP_while) {
    GJ_TRY(shape_while(in));
  } else if (in->op == GJ_OP_for) {
    GJ_TRY(shape_for(in));
  } else if (in->op == GJ_OP_call || in->op == GJ_OP_checkpoint || in->op == GJ_OP_noinline_call) {
    GJ_TRY(shape_call(in));
  } else {
    GJ_TRY(shape_choice(in));
  }
  uint32_t count = gj__control_result_count(in->graph, in->op, in->attrs);
  for (uint32_t i = 0; i < count; i++) {
    gj_type type = result_type(in->graph, in->op, in->attrs, i);
    GJ_TRY(gj__type_check(in->dims, in->name, &type, in->err));
  }
  *out = result_type(in->graph, in->op, in->attrs, 0);
  return GJ_OK;
}
