// The self-description of a module as a custom section.
#include "wasm/describe.h"

#include "base/json.h"
#include "wasm/leb.h"
#include "wasm/weights.h"

#include <inttypes.h>
#include <string.h>

static const char section_name[] = "graphjit";

static void write_size(const gj_dims *dims, gj_dim d, gj_strbuf *out) {
  gj_strbuf text = {0};
  gj_dim_print(dims, d, &text);
  if (gj_dim_is_const(d))
    gj_strbuf_text(out, gj_strbuf_peek(&text));
  else
    gj_json_string(out, gj_strbuf_peek(&text));
  out->failed = out->failed || text.failed;
  gj_strbuf_fini(&text);
}

static void write_port(const gj_dims *dims, const char *name, const gj_type *type, gj_strbuf *out) {
  gj_strbuf_char(out, '[');
  gj_json_string(out, name);
  gj_strbuf_printf(out, ",\"%s\",[", gj_dtype_get(type->dtype)->name);
  for (size_t axis = 0; axis < type->rank; axis++) {
    gj_strbuf_text(out, axis ? "," : "");
    write_size(dims, type->shape[axis], out);
  }
  gj_strbuf_text(out, "]]");
}

static void write_symbols(const gj_dims *dims, gj_strbuf *out) {
  gj_strbuf_text(out, ",\"symbols\":[");
  for (size_t i = 0; i < gj_dims_symbol_count(dims); i++) {
    gj_strbuf_text(out, i ? "," : "");
    gj_json_string(out, gj_dims_symbol_name(dims, i));
  }
  gj_strbuf_char(out, ']');
}

static void write_ports(const gj_graph *graph, gj_strbuf *out) {
  const gj_dims *dims = gj_graph_dims(graph);
  gj_strbuf_text(out, ",\"inputs\":[");
  for (size_t i = 0; i < gj_graph_input_count(graph); i++) {
    const gj_node *node = gj_graph_node(graph, gj_graph_input(graph, i));
    gj_strbuf_text(out, i ? "," : "");
    write_port(dims, node->name, &node->type, out);
  }
  gj_strbuf_text(out, "],\"outputs\":[");
  for (size_t i = 0; i < gj_graph_output_count(graph); i++) {
    const gj_output *output = gj_graph_output(graph, i);
    gj_strbuf_text(out, i ? "," : "");
    write_port(dims, output->name, &gj_graph_node(graph, output->ref)->type, out);
  }
  gj_strbuf_char(out, ']');
}

static void write_checks(const gj_description *what, gj_strbuf *out) {
  gj_strbuf_text(out, ",\"checks\":[");
  for (uint32_t i = 0; i < what->check_count; i++) {
    gj_strbuf_text(out, i ? "," : "");
    gj_json_string(out, what->checks[i]);
  }
  gj_strbuf_char(out, ']');
}

// How many sizes of outputs the function `plan` writes a second time.
static void write_found(const gj_graph *graph, gj_strbuf *out) {
  size_t sizes = 0;
  for (size_t i = 0; i < gj_graph_output_count(graph); i++)
    sizes += gj_graph_output_type(graph, i)->rank;
  if (gj_graph_computes_sizes(graph))
    gj_strbuf_printf(out, ",\"found\":%zu", sizes);
}

static void write_description(const gj_description *what, gj_strbuf *out) {
  static const char *const numerics[] = {"default", "strict", "fast"};
  gj_strbuf_text(out, "{\"v\":1,\"name\":");
  gj_json_string(out, gj_graph_name(what->graph));
  gj_strbuf_printf(out, ",\"numerics\":\"%s\"", numerics[what->numerics]);
  write_symbols(gj_graph_dims(what->graph), out);
  write_ports(what->graph, out);
  if (gj_dims_symbol_count(gj_graph_dims(what->graph)) == 0)
    gj_strbuf_printf(out, ",\"scratch\":%" PRId64, what->scratch);
  else
    write_checks(what, out);
  write_found(what->graph, out);
  if (what->weights)
    gj_strbuf_printf(out, ",\"weights\":{\"bytes\":%zu,\"hash\":\"%" PRIx32 "\"}",
                     what->weight_bytes, gj_weights_hash(what->weights, what->weight_bytes));
  if (what->shared_pages)
    gj_strbuf_printf(out, ",\"threads\":{\"pages\":%" PRIu32 "}", what->shared_pages);
  gj_strbuf_char(out, '}');
}

void gj_wasm_add_description(const char *text, size_t size, gj_strbuf *module) {
  const size_t name = sizeof section_name - 1;
  gj_strbuf_char(module, 0); // a custom section
  gj_leb_unsigned(module, 1 + name + size);
  gj_leb_unsigned(module, name);
  gj_strbuf_text(module, section_name);
  gj_strbuf_bytes(module, text, size);
}

void gj_wasm_describe(const gj_description *what, gj_strbuf *module) {
  gj_strbuf text = {0};
  write_description(what, &text);
  gj_wasm_add_description(gj_strbuf_peek(&text), text.size, module);
  module->failed = module->failed || text.failed;
  gj_strbuf_fini(&text);
}
