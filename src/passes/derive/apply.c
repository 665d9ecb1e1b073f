// Rules of functions from elsewhere: those applied to elements, whose derivatives the front end
// has, and C functions, of which nobody knows any.
#include "passes/derive/rules.h"

#include "base/strbuf.h"

// The derivative by one operand at each element, in the dtype of the result.
static gj_ref by_operand(gj__derive *d, gj_ref ref, const gj_node *node, size_t operand) {
  const gj_derive_options *options = d->options;
  const char *text =
      options->apply ? options->apply(options->apply_context, node->name, operand) : NULL;
  if (!text) {
    gj__d_refuse(d, ref,
                 "nothing is known of its function but its text: apply a native function "
                 "in this graph, or use methods of Values");
    return 0;
  }
  return gj_graph_apply(d->graph, text, node->args, node->arg_count, node->attrs);
}

void gj__vjp_apply(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  for (uint32_t i = 0; i < node->arg_count; i++) {
    if (!gj__d_wants(d, node->args[i]))
      continue;
    const gj_type *type = gj__type_of(d, node->args[i]);
    gj_ref own = gj__d_mul(d, cts[0], by_operand(d, ref, node, i));
    gj__d_give(d, node->args[i], gj__d_convert(d, gj__d_unbroadcast(d, own, type), type->dtype));
  }
}

void gj__jvp_apply(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  for (uint32_t i = 0; i < node->arg_count; i++) {
    gj_ref tangent = gj__d_convert(d, gj__d_tangent(d, node->args[i]), node->type.dtype);
    if (!tangent)
      continue;
    gj_ref own = gj__d_mul(d, tangent, by_operand(d, ref, node, i));
    out_tangents[0] = out_tangents[0] ? gj__d_add(d, out_tangents[0], own) : own;
  }
}

// --- C functions ---

static void refuse_custom(gj__derive *d, gj_ref ref, const gj_node *node) {
  gj_strbuf why;
  gj_strbuf_init(&why);
  gj_strbuf_printf(&why,
                   "nothing is known of the C function %s: give its cotangents with customGrad",
                   node->name);
  gj__d_refuse(d, ref, gj_strbuf_peek(&why));
  gj_strbuf_fini(&why);
}

void gj__vjp_custom_call(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  (void)cts;
  refuse_custom(d, ref, node);
}

void gj__jvp_custom_call(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  (void)out_tangents;
  refuse_custom(d, ref, node);
}
