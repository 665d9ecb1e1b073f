// Canonical text of a graph: one node per line, named by its number.
//
//   graph "hypot" {
//     %1 = param "x" : f64[n]
//     %2 = const 2.5 : f64[]
//     %3 = mul %1, %2 : f64[n]
//     %4 = slice %3 {shape=[n - 2], start=[1], stride=[1]} : f64[n - 2]
//     output "z" = %4
//   }
//
// Functions stand before the nodes, as "func @0 "body" { … }", and are referred to as @0.
// gj_graph_parse() of the text gives the same graph, node for node and bit for bit. A constant is
// written as one value when it holds one, as a list up to LIST_MAX elements, and as bytes beyond.

#include "ir/graph.h"
#include "ops/literal.h"

#include <string.h>

enum { LIST_MAX = 16 };

static void print_dims(const gj_dims *dims, const gj_dim *values, size_t count, gj_strbuf *out) {
  gj_strbuf_char(out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0)
      gj_strbuf_text(out, ", ");
    gj_dim_print(dims, values[i], out);
  }
  gj_strbuf_char(out, ']');
}

void gj_type_print(const gj_dims *dims, const gj_type *type, gj_strbuf *out) {
  gj_strbuf_text(out, gj_dtype_name(type->dtype));
  print_dims(dims, type->shape, type->rank, out);
}

// Of control characters there are those between the words of Loop IR.
static void print_name(const char *name, gj_strbuf *out) {
  static const char from[] = "\"\\\n\r\t", to[] = "\"\\nrt";
  gj_strbuf_char(out, '"');
  for (; *name; name++) {
    const char *escaped = strchr(from, *name);
    if (escaped)
      gj_strbuf_char(out, '\\');
    gj_strbuf_char(out, escaped ? to[escaped - from] : *name);
  }
  gj_strbuf_char(out, '"');
}

static void print_hex(const gj_node *node, gj_strbuf *out) {
  static const char digits[] = "0123456789abcdef";
  const unsigned char *bytes = node->data;
  gj_strbuf_text(out, "hex \"");
  for (size_t i = 0; i < node->data_size; i++) {
    gj_strbuf_char(out, digits[bytes[i] >> 4]);
    gj_strbuf_char(out, digits[bytes[i] & 15]);
  }
  gj_strbuf_char(out, '"');
}

static void print_data(const gj_node *node, gj_strbuf *out) {
  size_t width = gj_dtype_bytes(node->type.dtype), count = node->data_size / width;
  if (count > LIST_MAX) {
    print_hex(node, out);
    return;
  }
  if (count != 1)
    gj_strbuf_char(out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0)
      gj_strbuf_text(out, ", ");
    gj__literal_print(node->type.dtype, (const char *)node->data + i * width, out);
  }
  if (count != 1)
    gj_strbuf_char(out, ']');
}

static void print_integers(const char *before, const gj_attr_list *list, gj_strbuf *out) {
  gj_strbuf_char(out, '[');
  for (size_t i = 0; i < list->count; i++)
    gj_strbuf_printf(out, "%s%s%lld", i > 0 ? ", " : "", before, (long long)list->values[i]);
  gj_strbuf_char(out, ']');
}

static void print_attr(const gj_dims *dims, gj_attr attr, const gj_attr_list *list,
                       gj_strbuf *out) {
  gj_strbuf_printf(out, "%s=", gj_attr_get(attr)->name);
  switch ((gj_attr_form)gj_attr_get(attr)->form) {
  case GJ_FORM_DTYPE:
    gj_strbuf_text(out, gj_dtype_name((gj_dtype)list->values[0]));
    break;
  case GJ_FORM_INT:
    gj_strbuf_printf(out, "%lld", (long long)list->values[0]);
    break;
  case GJ_FORM_DIMS:
    print_dims(dims, list->values, list->count, out);
    break;
  case GJ_FORM_INTS:
  case GJ_FORM_AXES:
    print_integers("", list, out);
    break;
  case GJ_FORM_FUNCTIONS:
    print_integers("@", list, out);
    break;
  }
}

static void print_attrs(const gj_dims *dims, const gj_attrs *attrs, gj_strbuf *out) {
  const char *before = " {";
  for (int a = 0; a < GJ_ATTR_COUNT; a++)
    if (attrs->set & 1u << a) {
      gj_strbuf_text(out, before);
      print_attr(dims, (gj_attr)a, &attrs->list[a], out);
      before = ", ";
    }
  if (attrs->set)
    gj_strbuf_char(out, '}');
}

static void print_node(const gj_graph *graph, gj_ref ref, const char *indent, gj_strbuf *out) {
  const gj_node *node = gj_graph_node(graph, ref);
  const gj_dims *dims = gj_graph_dims(graph);
  gj_strbuf_printf(out, "%s%%%u = %s", indent, ref, gj_op_name((gj_op)node->op));
  if (node->name || node->data)
    gj_strbuf_char(out, ' ');
  if (node->name)
    print_name(node->name, out);
  if (node->data)
    print_data(node, out);
  for (size_t i = 0; i < node->arg_count; i++)
    gj_strbuf_printf(out, "%s%%%u", i > 0 ? ", " : " ", node->args[i]);
  print_attrs(dims, node->attrs, out);
  gj_strbuf_text(out, " : ");
  gj_type_print(dims, &node->type, out);
  gj_strbuf_char(out, '\n');
}

static void print_body(const gj_graph *graph, const char *indent, gj_strbuf *out) {
  for (size_t ref = 1; ref <= gj_graph_node_count(graph); ref++)
    print_node(graph, (gj_ref)ref, indent, out);
  for (size_t i = 0; i < gj_graph_output_count(graph); i++) {
    const gj_output *output = gj_graph_output(graph, i);
    gj_strbuf_printf(out, "%soutput ", indent);
    print_name(output->name, out);
    gj_strbuf_printf(out, " = %%%u\n", output->ref);
  }
}

// Printing a function prints it alone, without those it calls.
void gj_graph_print(const gj_graph *graph, gj_strbuf *out) {
  bool function = gj_graph_function_number(graph) >= 0;
  size_t functions = function ? 0 : gj_graph_function_count(graph);
  gj_strbuf_text(out, function ? "func " : "graph ");
  print_name(gj_graph_name(graph), out);
  gj_strbuf_text(out, " {\n");
  for (size_t i = 0; i < functions; i++) {
    gj_strbuf_printf(out, "  func @%zu ", i);
    print_name(gj_graph_name(gj_graph_function(graph, i)), out);
    gj_strbuf_text(out, " {\n");
    print_body(gj_graph_function(graph, i), "    ", out);
    gj_strbuf_text(out, "  }\n");
  }
  print_body(graph, "  ", out);
  gj_strbuf_text(out, "}\n");
}
