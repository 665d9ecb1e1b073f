// Checking and typing of one node: what build, verify and the shape rules share. Private to ir/.
#ifndef GJ_IR_INFER_INFER_H
#define GJ_IR_INFER_INFER_H

#include "ir/graph.h"

// A node before it has a type, and where to report what is wrong with it.
typedef struct gj__infer {
  const gj_graph *graph;
  gj_dims *dims;
  gj_op op;
  const char *name; // of the op, for messages
  const gj_ref *args;
  size_t arg_count;
  const gj_attrs *attrs;
  gj_error *err;
} gj__infer;

// A shape rule fills rank and shape of `out`; arity, attributes and dtypes have been checked.
typedef gj_status gj__shape_rule(const gj__infer *in, gj_type *out);

// The rules named in ops.def; several ops share one, so the declarations repeat, which C allows.
#define GJ_OP(name, arity, kind, accepts, dtype, shape, attrs, flags)                              \
  gj__shape_rule gj_shape_##shape;
#include "ops/ops.def"

// Checks everything about a node (not param or const) and infers the type of its first result.
gj_status gj__infer_type(const gj_graph *graph, gj_op op, const gj_ref *args, size_t arg_count,
                         const gj_attrs *attrs, gj_type *out_type, gj_error *err);

// The dtype may be made, every size is valid, and constant sizes multiply to at most GJ_DIM_MAX
// bytes. Sizes of 0 count as 1 there, so that strides inside an empty tensor do not overflow
// either.
gj_status gj__type_check(gj_dims *dims, const char *name, const gj_type *type, gj_error *err);

// `set` of the attributes is what the op's row asks for and every list is well-formed in itself.
gj_status gj__attrs_check(const gj_dims *dims, gj_op op, const gj_attrs *attrs, gj_error *err);

// The operands [first, arg_count) of the op must have one dtype; arg_count when none are tied.
size_t gj__op_first_tied(gj_op op, size_t arg_count);

// Text for a message, short enough for two of them in one line; used as gj__dim_text(…).s
typedef struct gj__text {
  char s[160];
} gj__text;
// The text of a buffer, cut with dots where it is too long; the buffer is freed.
gj__text gj__text_take(gj_strbuf *buffer);
gj__text gj__dim_text(const gj_dims *dims, gj_dim d);
gj__text gj__shape_text(const gj_dims *dims, const gj_type *type); // "[n, 4]"
gj__text gj__type_text(const gj_dims *dims, const gj_type *type);  // "f64[n, 4]"
bool gj__type_equal(const gj_type *a, const gj_type *b);

static inline const gj_type *gj__operand(const gj__infer *in, size_t i) {
  return &gj_graph_node(in->graph, in->args[i])->type;
}

static inline const gj_attr_list *gj__list(const gj__infer *in, gj_attr attr) {
  return &in->attrs->list[attr];
}

// Both are constants and a > b; false when unknown.
static inline bool gj__dim_exceeds(gj_dim a, gj_dim b) {
  return gj_dim_is_const(a) && gj_dim_is_const(b) && a > b;
}

// --- control (control.c): of nodes that were checked ---

uint32_t gj__control_result_count(const gj_graph *graph, gj_op op, const gj_attrs *attrs);
gj_type gj__control_result(const gj_graph *graph, const gj_node *node, size_t index);

// GJ_OK when `name` can be what the node calls: the C function of a custom_call, the text of an
// apply. Operands and attributes are those of a node that was inferred.
gj_status gj__target_check(const gj_graph *graph, gj_op op, const char *name, const gj_ref *args,
                           size_t arg_count, const gj_attrs *attrs, gj_error *err);

#endif
