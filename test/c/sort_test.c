// Sorts of lines long enough for every algorithm, through all the ways that random_graph.h knows.
#include "check.h"
#include "random_graph.h"

static gj_ref sort_of(gj_graph *g, gj_op op, const gj_ref *args, size_t count, int64_t axis,
                      int64_t last, int64_t descending) {
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_axis, &axis, 1);
  gj_attrs_set(&attrs, GJ_ATTR_descending, &descending, 1);
  gj_attrs_set(&attrs, op == GJ_OP_sort ? GJ_ATTR_keys : GJ_ATTR_count, &last, 1);
  return gj_graph_append(g, op, args, count, &attrs);
}

// Values sorted both ways, positions by them, by two keys, and the first of them, along an axis of
// size n among `lines` lines. The size is known to the compiler or not.
static bool agrees(gj_dtype dtype, int64_t n, int64_t lines, bool known) {
  rg_stream s = {.state = (uint64_t)n * 77 + (uint64_t)dtype + 1};
  rg_case c = {.graph = gj_graph_new("sorts"), .symbols = {n, lines}, .most = 1 << 20};
  gj_dims *dims = gj_graph_dims(c.graph);
  gj_dim size = known ? gj_dim_const(dims, n) : gj_dim_symbol(dims, "n", 1);
  gj_type binds = {GJ_DTYPE_u8, 2, {gj_dim_symbol(dims, "n", 1), gj_dim_symbol(dims, "m", 1)}};
  gj_type type = {dtype, 2, {gj_dim_const(dims, lines), size}}, few = type;
  few.dtype = GJ_DTYPE_i8;
  int64_t most = n < 9 ? n : n / 9;
  gj_graph_param(c.graph, "binds", &binds);
  gj_ref x = gj_graph_param(c.graph, "x", &type);
  gj_ref numbers = rg_numbers(c.graph, &type, GJ_DTYPE_i64);
  gj_ref pair[2] = {x, numbers};
  gj_ref keys[3] = {gj_graph_param(c.graph, "few", &few), x, numbers};
  gj_ref falling = sort_of(c.graph, GJ_OP_sort, pair, 2, 1, 1, 1);
  gj_ref both = sort_of(c.graph, GJ_OP_sort, keys, 3, 1, 2, 0);
  gj_graph_set_output(c.graph, "rising", sort_of(c.graph, GJ_OP_sort, &x, 1, 1, 1, 0));
  gj_graph_set_output(c.graph, "falling", falling);
  gj_graph_set_output(c.graph, "order", rg_result(c.graph, falling, 1));
  gj_graph_set_output(c.graph, "by both", rg_result(c.graph, both, 2));
  if (known)
    gj_graph_set_output(c.graph, "most",
                        rg_result(c.graph, sort_of(c.graph, GJ_OP_top_k, pair, 2, 1, most, 1), 1));
  bool ok = rg_fill(&c, &s);
  if (ok)
    return rg_compare(&c);
  rg_free(&c);
  return false;
}

static void every_dtype_is_sorted_alike_in_every_way(void) {
  for (int dtype = 1; dtype < GJ_DTYPE_COUNT; dtype++)
    if (check_takes((uint64_t)dtype))
      CHECK(agrees((gj_dtype)dtype, dtype % 2 ? 45 : 2500, dtype % 2 ? 7 : 1, dtype % 3 > 0));
}

static void long_lines_are_sorted_alike_in_every_way(void) {
  if (check_takes(0))
    CHECK(agrees(GJ_DTYPE_f32, 2500, 1, true));
  if (check_takes(1)) // more than one chunk of each kind
    CHECK(agrees(GJ_DTYPE_f64, 20000, 1, true));
}

int main(void) {
  CHECK_RUN(every_dtype_is_sorted_alike_in_every_way);
  CHECK_RUN(long_lines_are_sorted_alike_in_every_way);
  return check_report();
}
