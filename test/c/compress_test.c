// Compress over more rows than a block has, through all the ways that random_graph.h knows; and
// what is known of sizes before a run has computed them.
#include "check.h"
#include "random_graph.h"

// --- sizes ---

static gj_dim parsed(gj_dims *dims, const char *text) {
  gj_error err = {0};
  const char *at = text;
  gj_dim d = gj_dim_parse(dims, &at, text + strlen(text), &err);
  CHECK(d != GJ_DIM_ERROR && *at == '\0');
  return d;
}

static void check_text(gj_dims *dims, gj_dim d, const char *expected) {
  gj_strbuf text = {0};
  gj_dim_print(dims, d, &text);
  CHECK_STR_EQ(gj_strbuf_peek(&text), expected);
  gj_strbuf_fini(&text);
}

static void bounds_of_computed_sizes_hold_for_all_their_values(void) {
  static const struct {
    const char *size, *least, *most;
  } cases[] = {
      {"k", "0", "n + 2"},
      {"2*k + m", "m", "m + 2*n + 4"},
      {"n + 2 - k", "0", "n + 2"},
      {"k - 1", "-1", "n + 1"},
      {"(k + 3)/4", "0", "(n + 1)/4 + 1"},
      {"max(k, 3)", "3", "max(n + 2, 3)"},
      {"k*k*m", "0", "4*m + 4*m*n + m*n*n"},
      {"j + k", "0", "2*n + 4"},
      {"m", "m", "m"},
  };
  gj_dims *dims = gj_dims_new();
  gj_dim k = parsed(dims, "k"), j = parsed(dims, "j");
  CHECK(gj_dims_compute(dims, k, parsed(dims, "n + 2")));
  CHECK(gj_dims_compute(dims, k, parsed(dims, "n + 2")));
  CHECK(!gj_dims_compute(dims, k, parsed(dims, "n")));
  CHECK(!gj_dims_compute(dims, parsed(dims, "n"), k));
  CHECK(gj_dims_compute(dims, j, k));
  gj_dims *copy = gj_dims_clone(dims);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gj_dim d = parsed(copy, cases[i].size), least = gj_dim_least(copy, d),
           most = gj_dim_most(copy, d);
    check_text(copy, least, cases[i].least);
    check_text(copy, most, cases[i].most);
    for (int64_t n = 0; n < 3; n++) {
      int64_t values[8] = {0}, lo, hi, value;
      values[gj_dim_as_symbol(copy, parsed(copy, "n"))] = n;
      values[gj_dim_as_symbol(copy, parsed(copy, "m"))] = 3;
      CHECK(gj_dim_range(copy, d, values, &lo, &hi));
      CHECK(gj_dim_eval(copy, least, values, &value) && value == lo);
      CHECK(gj_dim_eval(copy, most, values, &value) && value == hi);
      for (int64_t at = 0; at <= n + 2; at++) {
        values[gj_dim_as_symbol(copy, k)] = at;
        CHECK(gj_dim_eval(copy, d, values, &value) && value >= lo && value <= hi);
      }
    }
  }
  CHECK_INT_EQ(gj_dim_most(copy, parsed(copy, "m/k")), GJ_DIM_ERROR);
  CHECK_INT_EQ(gj_dim_most(copy, parsed(copy, "k*(n - 3)/2*((n - 3)/2)")), GJ_DIM_ERROR);
  CHECK(gj_dim_never_negative(copy, parsed(copy, "n + 2 - k")));
  CHECK(!gj_dim_never_negative(copy, parsed(copy, "n + 1 - k")));
  gj_dims_free(dims);
  gj_dims_free(copy);
}

// --- runs ---

static gj_ref compress_of(gj_graph *g, const gj_ref *args, size_t count, const char *name) {
  gj_attrs attrs = {0};
  gj_dim symbol = gj_dim_symbol(gj_graph_dims(g), name, strlen(name));
  gj_attrs_set(&attrs, GJ_ATTR_count, &symbol, 1);
  return gj_graph_append(g, GJ_OP_compress, args, count, &attrs);
}

static gj_ref transposed(gj_graph *g, gj_ref ref) {
  gj_attrs attrs = {0};
  int64_t axes[2] = {1, 0};
  gj_attrs_set(&attrs, GJ_ATTR_axes, axes, 2);
  return gj_graph_append(g, GJ_OP_transpose, &ref, 1, &attrs);
}

// Which rows: where an i32 of each is less than `below`, of values from 0 to 15.
static gj_ref mask_of(gj_graph *g, gj_ref x, int32_t below) {
  gj_type one = {.dtype = GJ_DTYPE_i32};
  int32_t fifteen = 15;
  gj_ref pair[2] = {x, gj_graph_const(g, &one, &fifteen, sizeof fifteen)};
  pair[0] = gj_graph_append(g, GJ_OP_and, pair, 2, NULL);
  pair[1] = gj_graph_const(g, &one, &below, sizeof below);
  return gj_graph_append(g, GJ_OP_lt, pair, 2, NULL);
}

// Rows of one and of several elements, in the order of memory and across it; then some of those.
static bool agrees(gj_dtype dtype, int64_t n, int32_t below, bool known) {
  rg_stream s = {.state = (uint64_t)n * 77 + (uint64_t)dtype + 1};
  rg_case c = {.graph = gj_graph_new("compress"), .symbols = {n, 5}, .most = 1 << 20};
  gj_dims *dims = gj_graph_dims(c.graph);
  gj_dim size = known ? gj_dim_const(dims, n) : gj_dim_symbol(dims, "n", 1);
  gj_type binds = {GJ_DTYPE_u8, 2, {gj_dim_symbol(dims, "n", 1), gj_dim_symbol(dims, "m", 1)}};
  gj_type rows = {GJ_DTYPE_i32, 1, {size}}, wide = {dtype, 2, {size, 5}};
  gj_type tall = {dtype, 2, {3, size}};
  gj_graph_param(c.graph, "binds", &binds);
  gj_ref x = gj_graph_param(c.graph, "x", &rows), mask = mask_of(c.graph, x, below);
  gj_ref values[5] = {mask, gj_graph_param(c.graph, "wide", &wide),
                      rg_numbers(c.graph, &rows, GJ_DTYPE_i64), x,
                      transposed(c.graph, gj_graph_param(c.graph, "tall", &tall))};
  gj_ref few = compress_of(c.graph, values, 5, "k");
  gj_ref third = rg_result(c.graph, few, 2);
  gj_ref again[2] = {mask_of(c.graph, third, below / 2), rg_result(c.graph, few, 1)};
  gj_graph_set_output(c.graph, "wide", few);
  gj_graph_set_output(c.graph, "place", again[1]);
  gj_graph_set_output(c.graph, "tall", rg_result(c.graph, few, 3));
  gj_graph_set_output(c.graph, "fewer", compress_of(c.graph, again, 2, "j"));
  gj_error err = {0};
  CHECK_OK(gj_graph_take_error(c.graph, &err), &err);
  if (rg_fill(&c, &s))
    return rg_compare(&c);
  rg_free(&c);
  return false;
}

static void rows_are_selected_alike_in_every_way(void) {
  CHECK(agrees(GJ_DTYPE_f64, 5000, 8, false));
  CHECK(agrees(GJ_DTYPE_u8, 4097, 3, true));
  if (check_is_quick())
    return;
  CHECK(agrees(GJ_DTYPE_f32, 20000, 16, false));
  CHECK(agrees(GJ_DTYPE_i16, 9000, 0, false));
  CHECK(agrees(GJ_DTYPE_bool, 300, 9, true));
  CHECK(agrees(GJ_DTYPE_f16, 0, 9, false));
}

int main(void) {
  CHECK_RUN(bounds_of_computed_sizes_hold_for_all_their_values);
  CHECK_RUN(rows_are_selected_alike_in_every_way);
  return check_report();
}
