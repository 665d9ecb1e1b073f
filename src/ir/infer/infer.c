// Typing of a node: arity, operands, dtype rules, and the shape rules of leaves, elementwise ops
// and reductions. Rules are found by the names in ops.def; those of movement ops are in
// move.c.

#include "ir/infer/infer.h"

#include "base/size.h"

#include <string.h>

typedef gj_status dtype_rule(const gj__infer *in, gj_dtype *out);

// --- messages ---

gj__text gj__text_take(gj_strbuf *buffer) {
  gj__text text;
  size_t size = buffer->size < sizeof text.s - 1 ? buffer->size : sizeof text.s - 1;
  memcpy(text.s, gj_strbuf_peek(buffer), size);
  text.s[size] = '\0';
  if (buffer->size > size)
    memcpy(text.s + size - 3, "...", 3);
  gj_strbuf_fini(buffer);
  return text;
}

gj__text gj__dim_text(const gj_dims *dims, gj_dim d) {
  gj_strbuf buffer = {0};
  gj_dim_print(dims, d, &buffer);
  return gj__text_take(&buffer);
}

gj__text gj__shape_text(const gj_dims *dims, const gj_type *type) {
  gj_strbuf buffer = {0};
  gj_type_print(dims, type, &buffer);
  // Without the dtype in front.
  const char *bracket = strchr(gj_strbuf_peek(&buffer), '[');
  gj_strbuf shape = {0};
  gj_strbuf_text(&shape, bracket ? bracket : "[?]");
  gj_strbuf_fini(&buffer);
  return gj__text_take(&shape);
}

gj__text gj__type_text(const gj_dims *dims, const gj_type *type) {
  gj_strbuf buffer = {0};
  gj_type_print(dims, type, &buffer);
  return gj__text_take(&buffer);
}

bool gj__type_equal(const gj_type *a, const gj_type *b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         memcmp(a->shape, b->shape, a->rank * sizeof(gj_dim)) == 0;
}

static const char *accepted(gj_op_accepts accepts) {
  static const char *const text[] = {
      [GJ_ACCEPTS_ANY] = "any dtype",
      [GJ_ACCEPTS_NUMERIC] = "numbers, not bool",
      [GJ_ACCEPTS_FLOAT] = "floats",
      [GJ_ACCEPTS_REAL] = "f64 and f32",
      [GJ_ACCEPTS_INTEGER] = "integers",
      [GJ_ACCEPTS_SIGNED] = "signed integers and floats",
      [GJ_ACCEPTS_LOGIC] = "bool and integers",
  };
  return text[accepts];
}

// --- dtypes ---

static gj_status check_class(const gj__infer *in, gj_dtype dtype, const char *what) {
  if (gj_op_takes(in->op, dtype))
    return GJ_OK;
  return gj_fail(in->err, GJ_E_DTYPE, "%s: %s is %s, but the op takes %s", in->name, what,
                 gj_dtype_name(dtype), accepted((gj_op_accepts)gj_op_get(in->op)->accepts));
}

static gj_status check_operand_class(const gj__infer *in, size_t i) {
  // Every node is inferred several times on its way to code: no text unless it is needed.
  if (gj_op_takes(in->op, gj__operand(in, i)->dtype))
    return GJ_OK;
  gj_strbuf what = {0};
  gj_strbuf_printf(&what, "operand %zu (%%%u)", i + 1, in->args[i]);
  return check_class(in, gj__operand(in, i)->dtype, gj__text_take(&what).s);
}

// Operands from `first` on have one dtype, which the op accepts.
static gj_status check_alike(const gj__infer *in, size_t first) {
  for (size_t i = first; i < in->arg_count; i++) {
    GJ_TRY(check_operand_class(in, i));
    gj_dtype a = gj__operand(in, first)->dtype, b = gj__operand(in, i)->dtype;
    if (a != b)
      return gj_fail(in->err, GJ_E_DTYPE,
                     "%s: operands %%%u and %%%u have dtypes %s and %s; convert one", in->name,
                     in->args[first], in->args[i], gj_dtype_name(a), gj_dtype_name(b));
  }
  return GJ_OK;
}

static gj_status dtype_same(const gj__infer *in, gj_dtype *out) {
  if (in->arg_count == 0)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: takes at least 1 operand, got 0", in->name);
  *out = gj__operand(in, 0)->dtype;
  return check_alike(in, 0);
}

static gj_status dtype_truth(const gj__infer *in, gj_dtype *out) {
  *out = GJ_DTYPE_bool;
  return check_alike(in, 0);
}

static gj_status dtype_select(const gj__infer *in, gj_dtype *out) {
  gj_dtype predicate = gj__operand(in, 0)->dtype;
  if (predicate != GJ_DTYPE_bool)
    return gj_fail(in->err, GJ_E_DTYPE, "%s: operand 1 (%%%u) is %s, but it must be bool", in->name,
                   in->args[0], gj_dtype_name(predicate));
  *out = gj__operand(in, 1)->dtype;
  return check_alike(in, 1);
}

// The dtype attribute; an op without operands (iota) accepts or refuses the attribute itself.
static gj_status dtype_attr(const gj__infer *in, gj_dtype *out) {
  *out = (gj_dtype)gj__list(in, GJ_ATTR_dtype)->values[0];
  if (in->arg_count == 0)
    return check_class(in, *out, "dtype");
  return check_operand_class(in, 0);
}

static gj_status dtype_bits(const gj__infer *in, gj_dtype *out) {
  gj_dtype from = gj__operand(in, 0)->dtype, to;
  GJ_TRY(dtype_attr(in, &to));
  GJ_TRY(check_class(in, to, "dtype"));
  if (gj_dtype_bytes(from) != gj_dtype_bytes(to))
    return gj_fail(in->err, GJ_E_DTYPE, "%s: %s (%%%u) has %d bits, but %s has %d", in->name,
                   gj_dtype_name(from), in->args[0], gj_dtype_get(from)->bits, gj_dtype_name(to),
                   gj_dtype_get(to)->bits);
  *out = to;
  return GJ_OK;
}

static gj_status dtype_first(const gj__infer *in, gj_dtype *out) {
  if (in->arg_count == 0)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: takes at least 1 operand, got 0", in->name);
  *out = gj__operand(in, 0)->dtype;
  return check_operand_class(in, 0);
}

static gj_status dtype_pair(const gj__infer *in, gj_dtype *out) {
  *out = gj__operand(in, 0)->dtype;
  GJ_TRY(check_operand_class(in, 0));
  gj_dtype index = gj__operand(in, 1)->dtype;
  if (!gj_dtype_is_integer(index) || gj_dtype_bytes(index) < 4)
    return gj_fail(in->err, GJ_E_DTYPE,
                   "%s: indices (%%%u) are %s, but they must be i32, i64, u32 or u64", in->name,
                   in->args[1], gj_dtype_name(index));
  return GJ_OK;
}

// A mask, then the first of what is chosen from.
static gj_status dtype_chosen(const gj__infer *in, gj_dtype *out) {
  if (in->arg_count < 2 || in->arg_count > 1 + GJ_MAX_CHOSEN)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: takes a mask and 1 to %d values, got %zu operands",
                   in->name, GJ_MAX_CHOSEN, in->arg_count);
  if (gj__operand(in, 0)->dtype != GJ_DTYPE_bool)
    return gj_fail(in->err, GJ_E_DTYPE, "%s: the mask (%%%u) is %s, but it must be bool", in->name,
                   in->args[0], gj_dtype_name(gj__operand(in, 0)->dtype));
  *out = gj__operand(in, 1)->dtype;
  return GJ_OK;
}

// Indices of any integer dtype.
static gj_status dtype_indexed(const gj__infer *in, gj_dtype *out) {
  GJ_TRY(dtype_first(in, out));
  gj_dtype index = gj__operand(in, 1)->dtype;
  if (gj_dtype_is_integer(index))
    return GJ_OK;
  return gj_fail(in->err, GJ_E_DTYPE, "%s: indices (%%%u) are %s, but they must be integers",
                 in->name, in->args[1], gj_dtype_name(index));
}

// All alike but the last, which says where rows come from.
static gj_status dtype_permuted(const gj__infer *in, gj_dtype *out) {
  gj__infer values = *in;
  gj_dtype rows = gj__operand(in, in->arg_count - 1)->dtype;
  values.arg_count--;
  GJ_TRY(dtype_same(&values, out));
  if (rows == GJ_DTYPE_i32)
    return GJ_OK;
  return gj_fail(in->err, GJ_E_DTYPE, "%s: rows (%%%u) are %s, but they must be i32", in->name,
                 in->args[in->arg_count - 1], gj_dtype_name(rows));
}

static gj_status dtype_result(const gj__infer *in, gj_dtype *out) {
  int64_t index = gj__list(in, GJ_ATTR_index)->values[0];
  const gj_node *node = gj_graph_node(in->graph, in->args[0]);
  size_t count = gj_node_result_count(node);
  if (index < 0 || (uint64_t)index >= count)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: index %lld, but %%%u (%s) has %zu result%s",
                   in->name, (long long)index, in->args[0], gj_op_name((gj_op)node->op), count,
                   count == 1 ? "" : "s");
  gj_type type;
  GJ_TRY(gj_graph_result_type(in->graph, in->args[0], (size_t)index, &type, in->err));
  *out = type.dtype;
  return GJ_OK;
}

static gj_status dtype_leaf(const gj__infer *in, gj_dtype *out) {
  *out = GJ_DTYPE_none;
  return gj_fail(in->err, GJ_E_ARGUMENT, "%s: needs a type; append it by its own function",
                 in->name);
}

// --- shapes of leaves, elementwise ops and reductions ---

gj_status gj_shape_leaf(const gj__infer *in, gj_type *out) {
  (void)out;
  return gj_fail(in->err, GJ_E_INTERNAL, "%s: has no shape rule", in->name);
}

gj_status gj_shape_iota(const gj__infer *in, gj_type *out) {
  const gj_attr_list *shape = gj__list(in, GJ_ATTR_shape);
  int64_t axis = gj__list(in, GJ_ATTR_axis)->values[0];
  if (axis < 0 || axis >= shape->count)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: axis %lld is not in [0, %d)", in->name,
                   (long long)axis, shape->count);
  out->rank = shape->count;
  for (size_t i = 0; i < out->rank; i++)
    out->shape[i] = shape->values[i];
  return GJ_OK;
}

// The shape attribute as it is.
gj_status gj_shape_given(const gj__infer *in, gj_type *out) {
  const gj_attr_list *shape = gj__list(in, GJ_ATTR_shape);
  out->rank = shape->count;
  for (size_t i = 0; i < out->rank; i++)
    out->shape[i] = shape->values[i];
  return GJ_OK;
}

gj_status gj_shape_rng_bits(const gj__infer *in, gj_type *out) {
  const gj_type *key = gj__operand(in, 0);
  gj_dtype dtype = (gj_dtype)gj__list(in, GJ_ATTR_dtype)->values[0];
  if (key->dtype != GJ_DTYPE_u32 || key->rank != 1 || key->shape[0] != 2)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: the key (%%%u) is %s%s, but it must be u32[2]",
                   in->name, in->args[0], gj_dtype_name(key->dtype),
                   gj__shape_text(in->dims, key).s);
  if (dtype != GJ_DTYPE_u32 && dtype != GJ_DTYPE_u64)
    return gj_fail(in->err, GJ_E_DTYPE, "%s: dtype is %s, but it must be u32 or u64", in->name,
                   gj_dtype_name(dtype));
  return gj_shape_given(in, out);
}

static gj_status fail_broadcast(const gj__infer *in, size_t axis, const gj_type *a,
                                const gj_type *b, gj_dim x, gj_dim y) {
  bool known = gj_dim_is_const(x) && gj_dim_is_const(y);
  return gj_fail(in->err, GJ_E_SHAPE, "%s: axis %zu of shapes %s and %s differ: %s vs %s%s",
                 in->name, axis, gj__shape_text(in->dims, a).s, gj__shape_text(in->dims, b).s,
                 gj__dim_text(in->dims, x).s, gj__dim_text(in->dims, y).s,
                 known ? "" : "; use the same symbol if they are equal");
}

// NumPy's rule: shapes are aligned at their last axes; a missing size or a size of 1 is repeated.
gj_status gj_shape_broadcast(const gj__infer *in, gj_type *out) {
  out->rank = 0;
  for (size_t i = 0; i < in->arg_count; i++)
    if (gj__operand(in, i)->rank > out->rank)
      out->rank = gj__operand(in, i)->rank;
  for (size_t axis = 0; axis < out->rank; axis++) {
    gj_dim size = 1;
    const gj_type *owner = NULL; // the operand that `size` comes from
    for (size_t i = 0; i < in->arg_count; i++) {
      const gj_type *type = gj__operand(in, i);
      size_t missing = (size_t)(out->rank - type->rank);
      gj_dim own = axis < missing ? 1 : type->shape[axis - missing];
      if (own == 1 || own == size)
        continue;
      if (size != 1)
        return fail_broadcast(in, axis, owner, type, size, own);
      size = own;
      owner = type;
    }
    out->shape[axis] = size;
  }
  return GJ_OK;
}

static gj_status check_reduce_pair(const gj__infer *in) {
  const gj_type *values = gj__operand(in, 0), *indices = gj__operand(in, 1);
  if (values->rank != indices->rank ||
      memcmp(values->shape, indices->shape, values->rank * sizeof(gj_dim)) != 0)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: values have shape %s, but indices have %s", in->name,
                   gj__shape_text(in->dims, values).s, gj__shape_text(in->dims, indices).s);
  return GJ_OK;
}

gj_status gj_shape_reduce(const gj__infer *in, gj_type *out) {
  const gj_type *type = gj__operand(in, 0);
  const gj_attr_list *axes = gj__list(in, GJ_ATTR_axes);
  if (in->arg_count == 2)
    GJ_TRY(check_reduce_pair(in));
  int64_t last = -1;
  for (size_t i = 0; i < axes->count; i++) {
    int64_t axis = axes->values[i];
    if (axis < 0 || axis >= type->rank)
      return gj_fail(in->err, GJ_E_SHAPE, "%s: axis %lld is not in [0, %d), the axes of %s",
                     in->name, (long long)axis, type->rank, gj__shape_text(in->dims, type).s);
    if (axis <= last)
      return gj_fail(in->err, GJ_E_SHAPE, "%s: axes must increase, but %lld follows %lld", in->name,
                     (long long)axis, (long long)last);
    last = axis;
  }
  out->rank = 0;
  for (size_t axis = 0, next = 0; axis < type->rank; axis++) {
    if (next < axes->count && axes->values[next] == (int64_t)axis)
      next++;
    else
      out->shape[out->rank++] = type->shape[axis];
  }
  return GJ_OK;
}

gj_status gj_shape_cumulate(const gj__infer *in, gj_type *out) {
  const gj_type *type = gj__operand(in, 0);
  int64_t axis = gj__list(in, GJ_ATTR_axis)->values[0];
  if (axis < 0 || axis >= type->rank)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: axis %lld is not in [0, %d), the axes of %s", in->name,
                   (long long)axis, type->rank, gj__shape_text(in->dims, type).s);
  out->rank = type->rank;
  memcpy(out->shape, type->shape, sizeof type->shape);
  return GJ_OK;
}

gj_status gj_shape_compress(const gj__infer *in, gj_type *out) {
  const gj_type *mask = gj__operand(in, 0);
  const gj_attr_list *count = gj__list(in, GJ_ATTR_count);
  if (mask->rank != 1)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: the mask (%%%u) has shape %s, but it must have rank 1",
                   in->name, in->args[0], gj__shape_text(in->dims, mask).s);
  for (size_t i = 1; i < in->arg_count; i++) {
    const gj_type *values = gj__operand(in, i);
    if (values->rank == 0 || values->shape[0] != mask->shape[0])
      return gj_fail(in->err, GJ_E_SHAPE,
                     "%s: axis 0 of %s (%%%u) differs from the mask's (%%%u), %s%s", in->name,
                     gj__shape_text(in->dims, values).s, in->args[i], in->args[0],
                     gj__dim_text(in->dims, mask->shape[0]).s,
                     values->rank == 0 ? ""
                     : gj_dim_is_const(values->shape[0]) && gj_dim_is_const(mask->shape[0])
                         ? ""
                         : "; use the same symbol if they are equal");
  }
  if (gj_graph_is_function(in->graph))
    return gj_fail(in->err, GJ_E_UNSUPPORTED,
                   "%s: sizes of values inside a function do not depend on data; select outside of "
                   "it, or give a size",
                   in->name);
  if (count->count != 1 || gj_dim_as_symbol(in->dims, count->values[0]) < 0)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: count must be one symbol, got %s", in->name,
                   count->count == 1 ? gj__dim_text(in->dims, count->values[0]).s : "a list");
  if (!gj_dims_compute(in->dims, count->values[0], mask->shape[0]))
    return gj_fail(in->err, GJ_E_SHAPE, "%s: %s cannot be a size between 0 and %s, which %s",
                   in->name, gj__dim_text(in->dims, count->values[0]).s,
                   gj__dim_text(in->dims, mask->shape[0]).s,
                   gj_dim_is_computed(in->dims, count->values[0]) ? "is not what it was before"
                                                                  : "it is a part of");
  *out = *gj__operand(in, 1);
  out->shape[0] = count->values[0];
  return GJ_OK;
}

// Of control ops the shape rule knows the whole type.
static gj_status dtype_control(const gj__infer *in, gj_dtype *out) {
  (void)in;
  *out = GJ_DTYPE_none;
  return GJ_OK;
}

gj_status gj_shape_result(const gj__infer *in, gj_type *out) {
  gj_type type;
  size_t index = (size_t)gj__list(in, GJ_ATTR_index)->values[0];
  GJ_TRY(gj_graph_result_type(in->graph, in->args[0], index, &type, in->err));
  out->rank = type.rank;
  memcpy(out->shape, type.shape, sizeof type.shape);
  return GJ_OK;
}

// --- rules by op ---

// Where operands of one dtype begin, by the name of the dtype rule.
enum {
  UNTIED = 255,
  tied_same = 0,
  tied_truth = 0,
  tied_select = 1,
  tied_leaf = UNTIED,
  tied_attr = UNTIED,
  tied_bits = UNTIED,
  tied_first = UNTIED,
  tied_indexed = UNTIED,
  tied_pair = UNTIED,
  tied_permuted = UNTIED,
  tied_chosen = UNTIED,
  tied_result = UNTIED,
  tied_control = UNTIED
};

static const struct rules {
  dtype_rule *dtype;
  gj__shape_rule *shape;
  uint8_t tied;
} rules[GJ_OP_COUNT] = {
#define GJ_OP(name, arity, kind, accepts, dtype, shape, attrs, flags)                              \
  [GJ_OP_##name] = {dtype_##dtype, gj_shape_##shape, tied_##dtype},
#include "ops/ops.def"
};

size_t gj__op_first_tied(gj_op op, size_t arg_count) {
  size_t first = rules[op].tied;
  return first < arg_count ? first : arg_count;
}

static gj_status check_operands(const gj__infer *in) {
  int arity = gj_op_get(in->op)->arity;
  if (arity >= 0 && in->arg_count != (size_t)arity)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: takes %d operand%s, got %zu", in->name, arity,
                   arity == 1 ? "" : "s", in->arg_count);
  if (in->arg_count > GJ_MAX_NODES)
    return gj_fail(in->err, GJ_E_OVERFLOW, "%s: takes at most %u operands, got %zu", in->name,
                   GJ_MAX_NODES, in->arg_count);
  size_t count = gj_graph_node_count(in->graph);
  for (size_t i = 0; i < in->arg_count; i++) {
    if (in->args[i] == 0)
      return gj_fail(in->err, GJ_E_ARGUMENT, "%s: operand %zu is no value", in->name, i + 1);
    if (in->args[i] > count)
      return gj_fail(in->err, GJ_E_ARGUMENT, "%s: operand %zu is %%%u, but the graph has %zu nodes",
                     in->name, i + 1, in->args[i], count);
  }
  return GJ_OK;
}

gj_status gj__type_check(gj_dims *dims, const char *name, const gj_type *type, gj_error *err) {
  if ((unsigned)type->dtype >= GJ_DTYPE_COUNT || type->dtype == GJ_DTYPE_none)
    return gj_fail(err, GJ_E_DTYPE, "%s: unknown dtype number %d", name, (int)type->dtype);
  if (type->rank > GJ_MAX_RANK)
    return gj_fail(err, GJ_E_SHAPE, "%s: rank %d is above the highest, %d", name, type->rank,
                   GJ_MAX_RANK);
  int64_t bytes = (int64_t)gj_dtype_bytes(type->dtype);
  for (size_t axis = 0; axis < type->rank; axis++) {
    gj_dim size = type->shape[axis];
    int64_t value;
    if (!gj_dim_is_valid(dims, size))
      return gj_fail(err, GJ_E_OVERFLOW, "%s: the size of axis %zu overflows or is too complex",
                     name, axis);
    if (!gj_dim_value(dims, size, &value))
      continue;
    if (value < 0)
      return gj_fail(err, GJ_E_SHAPE, "%s: axis %zu of shape %s is negative: %lld", name, axis,
                     gj__shape_text(dims, type).s, (long long)value);
    if (!gj_mul_i64(bytes, value == 0 ? 1 : value, &bytes) || bytes > GJ_DIM_MAX)
      return gj_fail(err, GJ_E_OVERFLOW, "%s: shape %s of %s has more than 2^47 bytes", name,
                     gj__shape_text(dims, type).s, gj_dtype_name(type->dtype));
  }
  return GJ_OK;
}

gj_status gj__infer_type(const gj_graph *graph, gj_op op, const gj_ref *args, size_t arg_count,
                         const gj_attrs *attrs, gj_type *out_type, gj_error *err) {
  if ((int)op <= GJ_OP_none || op >= GJ_OP_COUNT)
    return gj_fail(err, GJ_E_ARGUMENT, "unknown op number %d", (int)op);
  gj__infer in = {graph, gj_graph_dims(graph), op, gj_op_name(op), args, arg_count, attrs, err};
  gj_type type = {.dtype = GJ_DTYPE_none};
  GJ_TRY(check_operands(&in));
  GJ_TRY(gj__attrs_check(in.dims, op, attrs, err));
  GJ_TRY(rules[op].dtype(&in, &type.dtype));
  GJ_TRY(rules[op].shape(&in, &type));
  GJ_TRY(gj__type_check(in.dims, in.name, &type, err));
  *out_type = type;
  return GJ_OK;
}
