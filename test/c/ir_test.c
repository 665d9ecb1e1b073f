// Tests of the Graph IR: size expressions, typing, errors of building, sharing.

#include "check.h"

#include "ir/graph.h"

#include <stdlib.h>

// --- helpers ---

static gj_dim dim(gj_dims *dims, const char *text) {
  gj_error err = {0};
  const char *at = text, *end = text + strlen(text);
  gj_dim d = gj_dim_parse(dims, &at, end, &err);
  if (d != GJ_DIM_ERROR && at != end)
    return GJ_DIM_ERROR;
  return d;
}

// Text of a size, in one of a few rotating buffers.
static const char *text_of(const gj_dims *dims, gj_dim d) {
  static char buffers[4][512];
  static int next;
  gj_strbuf out = {0};
  gj_dim_print(dims, d, &out);
  char *buffer = buffers[next++ % 4];
  snprintf(buffer, sizeof buffers[0], "%s", gj_strbuf_peek(&out));
  gj_strbuf_fini(&out);
  return buffer;
}

static uint64_t random_state = 1;

static uint64_t random_bits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

// A type from text like "f64[n, 4]", through the parser of sizes.
static gj_type type_of(gj_graph *graph, const char *text) {
  gj_type type = {.dtype = gj_dtype_parse(text, strcspn(text, "["))};
  const char *at = strchr(text, '[') + 1, *end = text + strlen(text);
  gj_error err = {0};
  while (*at != ']' && type.rank < GJ_MAX_RANK) {
    type.shape[type.rank++] = gj_dim_parse(gj_graph_dims(graph), &at, end, &err);
    if (*at == ',')
      at++;
  }
  return type;
}

static gj_ref param(gj_graph *graph, const char *name, const char *type_text) {
  gj_type type = type_of(graph, type_text);
  return gj_graph_param(graph, name, &type);
}

static gj_ref op1(gj_graph *graph, gj_op op, gj_ref a) {
  return gj_graph_op(graph, op, &a, 1, NULL);
}

static gj_ref op2(gj_graph *graph, gj_op op, gj_ref a, gj_ref b) {
  gj_ref args[] = {a, b};
  return gj_graph_op(graph, op, args, 2, NULL);
}

static const char *type_text(const gj_graph *graph, gj_ref ref) {
  static char buffer[512];
  gj_strbuf out = {0};
  if (ref)
    gj_type_print(gj_graph_dims(graph), &gj_graph_node(graph, ref)->type, &out);
  snprintf(buffer, sizeof buffer, "%s", ref ? gj_strbuf_peek(&out) : "nothing");
  gj_strbuf_fini(&out);
  return buffer;
}

// The graph has failed with that code and a message that holds `part`.
#define CHECK_ERROR(graph, expected, part)                                                         \
  do {                                                                                             \
    gj_error check_err = {0};                                                                      \
    CHECK_INT_EQ(gj_graph_take_error((graph), &check_err), (expected));                            \
    CHECK_CONTAINS(check_err.message, (part));                                                     \
  } while (0)

// --- dtypes and ops ---

static void promotion_follows_the_array_api(void) {
#define CHECK_PROMOTE(a, b, c)                                                                     \
  CHECK_STR_EQ(gj_dtype_name(gj_dtype_promote(GJ_DTYPE_##a, GJ_DTYPE_##b)), #c);                   \
  CHECK_STR_EQ(gj_dtype_name(gj_dtype_promote(GJ_DTYPE_##b, GJ_DTYPE_##a)), #c)
  CHECK_PROMOTE(f32, f64, f64);
  CHECK_PROMOTE(f16, f32, f32);
  CHECK_PROMOTE(f16, f64, f64);
  CHECK_PROMOTE(bf16, f32, f32);
  CHECK_PROMOTE(f16, bf16, f32);
  CHECK_PROMOTE(f16, i8, none);
  CHECK_PROMOTE(bf16, bool, none);
  CHECK_PROMOTE(i8, i64, i64);
  CHECK_PROMOTE(u8, u32, u32);
  CHECK_PROMOTE(u8, i8, i16);
  CHECK_PROMOTE(u8, i32, i32);
  CHECK_PROMOTE(u32, i8, i64);
  CHECK_PROMOTE(u32, i32, i64);
  CHECK_PROMOTE(u64, i64, none);
  CHECK_PROMOTE(i32, f64, none);
  CHECK_PROMOTE(bool, i8, none);
  CHECK_PROMOTE(bool, bool, bool);
  CHECK_PROMOTE(f64, f64, f64);
#undef CHECK_PROMOTE
}

static void names_of_dtypes_ops_and_attributes_parse_back(void) {
  for (int i = 1; i < GJ_DTYPE_COUNT; i++) {
    const char *name = gj_dtype_name((gj_dtype)i);
    CHECK_INT_EQ(gj_dtype_parse(name, strlen(name)), i);
  }
  for (int i = 1; i < GJ_OP_COUNT; i++) {
    const gj_op_info *info = gj_op_get((gj_op)i);
    CHECK_INT_EQ(gj_op_parse(info->name, strlen(info->name)), i);
    CHECK(info->doc != NULL && strlen(info->doc) > 4);
    bool combines = info->kind == GJ_OP_KIND_REDUCE || info->kind == GJ_OP_KIND_CUMULATE ||
                    (info->kind == GJ_OP_KIND_SCATTER && i != GJ_OP_scatter) ||
                    info->kind == GJ_OP_KIND_WINDOW;
    CHECK(combines == (info->combine != GJ_OP_none));
  }
  for (int i = 0; i < GJ_ATTR_COUNT; i++) {
    const char *name = gj_attr_get((gj_attr)i)->name;
    CHECK_INT_EQ(gj_attr_parse(name, strlen(name)), i);
  }
  CHECK_INT_EQ(gj_dtype_parse("f6", 2), GJ_DTYPE_none);
  CHECK_INT_EQ(gj_op_parse("addd", 4), GJ_OP_none);
  CHECK_INT_EQ(gj_attr_parse("axe", 3), GJ_ATTR_COUNT);
}

// --- sizes ---

static void equal_sizes_are_the_same_dim(void) {
  gj_dims *dims = gj_dims_new();
  static const char *const pairs[][2] = {
      {"n + m", "m + n"},
      {"2*n - n", "n"},
      {"(n + 1)*(n - 1)", "n*n - 1"},
      {"(n + m)*(n + m)", "n*n + 2*m*n + m*m"},
      {"4*n/4", "n"},
      {"(4*n + 6)/4", "n + 1 + 0*m"},
      {"(4*n + 6)/2", "2*n + 3"},
      {"(n + 8)/4", "n/4 + 2"},
      {"(5*n)/4", "n + n/4"},
      {"n/2/3", "n/6"},
      {"(n/2 + 1)/3", "(n + 2)/6"},
      {"n*m/m", "n"},
      {"(n*m + m*k)/m", "n + k"},
      {"(n + m)/(n + m)", "1"},
      {"n/(-2)", "(-n)/2"},
      {"max(n, 0)", "n"},
      {"max(n + 3, n)", "n + 3"},
      {"max(n, m)", "max(m, n)"},
      {"max(2, 5)", "5"},
      {"n - n", "0"},
      {"(0 - 7)/2", "0 - 4"},
      {"max + 1", "1 + max"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    gj_dim a = dim(dims, pairs[i][0]), b = dim(dims, pairs[i][1]);
    CHECK(a != GJ_DIM_ERROR);
    CHECK_STR_EQ(text_of(dims, a), text_of(dims, b));
    CHECK_INT_EQ(a, b);
  }
  CHECK(dim(dims, "n") != dim(dims, "m"));
  CHECK(dim(dims, "n/2*2") != dim(dims, "n"));
  gj_dims_free(dims);
}

static void sizes_print_as_a_user_writes_them(void) {
  gj_dims *dims = gj_dims_new();
  static const char *const texts[] = {
      "n",
      "0",
      "7",
      "n - 2",
      "m + 2*n",
      "(n + 1)/2",
      "2*(n/2)",
      "m*n/2",
      "max(n - 2, 0)",
      "n - m",
      "-n",
      "-m - n + 3",
      "(-n)/2",
      "n/m",
      "n/(m + 1)",
      "n/(2*m)",
      "(n/m)/k",
      "m*(n/2)",
      "-(n/2) + n",
      "a*a*b",
      "-2",
      "(-2*n + 1)/3",
      "max(m, n/2)",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *once = text_of(dims, dim(dims, texts[i]));
    gj_dim again = dim(dims, once);
    CHECK_INT_EQ(again, dim(dims, texts[i]));
    if (strcmp(texts[i], "-(n/2) + n") != 0)
      CHECK_STR_EQ(once, texts[i]);
  }
  CHECK_STR_EQ(text_of(dims, dim(dims, "-(n/2) + n")), "n - (n/2)");
  gj_dims_free(dims);
}

static void text_does_not_depend_on_what_was_interned_before(void) {
  gj_dims *a = gj_dims_new(), *b = gj_dims_new();
  dim(b, "z*y + x");
  dim(b, "max(n, m)/k");
  static const char *const text = "a*(m/2) + max(n, k)*x + y + z*z - 3";
  CHECK_STR_EQ(text_of(a, dim(a, text)), text_of(b, dim(b, text)));
  gj_dims_free(a);
  gj_dims_free(b);
}

// A random expression with its value computed on the side; *ok is cleared where there is none.
static gj_dim random_dim(gj_dims *dims, int depth, const int64_t *values, int64_t *out_value,
                         bool *ok) {
  uint64_t choice = random_bits() % (depth > 0 ? 8 : 2);
  if (choice == 0) {
    *out_value = (int64_t)(random_bits() % 9);
    return *out_value;
  }
  if (choice == 1) {
    static const char *const names[] = {"n", "m", "k"};
    size_t i = random_bits() % 3;
    gj_dim d = gj_dim_symbol(dims, names[i], 1);
    *out_value = values[gj_dim_as_symbol(dims, d)];
    return d;
  }
  int64_t a, b;
  gj_dim x = random_dim(dims, depth - 1, values, &a, ok);
  gj_dim y = random_dim(dims, depth - 1, values, &b, ok);
  switch (choice) {
  case 2:
  case 3:
    *out_value = a + b;
    return gj_dim_add(dims, x, y);
  case 4:
    *out_value = a - b;
    return gj_dim_sub(dims, x, y);
  case 5:
    *out_value = a * b;
    return gj_dim_mul(dims, x, y);
  case 6:
    *out_value = a > b ? a : b;
    return gj_dim_max(dims, x, y);
  default:
    if (b == 0) {
      *ok = false;
      *out_value = 0;
    } else {
      *out_value = a / b - (a % b != 0 && (a < 0) != (b < 0));
    }
    return gj_dim_floordiv(dims, x, y);
  }
}

static void random_sizes_keep_their_value_and_their_text(void) {
  int checked = 0;
  const int rounds = check_is_quick() ? 2000 : 30000;
  for (int round = 0; round < rounds; round++) {
    gj_dims *dims = gj_dims_new();
    for (const char *name = "nmk"; *name; name++)
      gj_dim_symbol(dims, name, 1);
    int64_t values[3], expected, got;
    for (int i = 0; i < 3; i++)
      values[i] = (int64_t)(random_bits() % 7);
    bool ok = true;
    gj_dim d = random_dim(dims, 4, values, &expected, &ok);
    if (ok && d != GJ_DIM_ERROR) {
      checked++;
      bool evaluated = gj_dim_eval(dims, d, values, &got);
      if (!CHECK(evaluated) || !CHECK_INT_EQ(got, expected))
        printf("  %s\n", text_of(dims, d));
      // Its text means the same, here and in a fresh table.
      const char *text = text_of(dims, d);
      if (strlen(text) < 500) {
        gj_dims *fresh = gj_dims_new();
        gj_dim again = dim(fresh, text);
        if (!CHECK_INT_EQ(dim(dims, text), d) || !CHECK_STR_EQ(text_of(fresh, again), text))
          printf("  %s\n", text);
        gj_dims_free(fresh);
      }
    }
    gj_dims_free(dims);
  }
  CHECK(checked > rounds / 2);
}

static void a_clone_gives_the_same_numbers_the_same_meaning(void) {
  gj_dims *dims = gj_dims_new();
  gj_dim d = dim(dims, "max(n*m, 3)/2 + k");
  gj_dims *copy = gj_dims_clone(dims);
  CHECK_STR_EQ(text_of(copy, d), text_of(dims, d));
  CHECK_INT_EQ(dim(copy, "max(n*m, 3)/2 + k"), d);
  gj_dims_free(dims);
  gj_dims_free(copy);
}

static void sizes_refuse_overflow_and_excess(void) {
  gj_dims *dims = gj_dims_new();
  gj_dim n = gj_dim_symbol(dims, "n", 1), big = INT64_MAX, d = n;
  CHECK_INT_EQ(gj_dim_add(dims, big, 1), GJ_DIM_ERROR);
  CHECK_INT_EQ(gj_dim_mul(dims, big, 2), GJ_DIM_ERROR);
  CHECK_INT_EQ(gj_dim_mul(dims, gj_dim_mul(dims, n, big), 2), GJ_DIM_ERROR);
  CHECK_INT_EQ(gj_dim_floordiv(dims, n, 0), GJ_DIM_ERROR);
  CHECK_INT_EQ(gj_dim_add(dims, GJ_DIM_ERROR, 1), GJ_DIM_ERROR);
  CHECK_INT_EQ(gj_dim_max(dims, 1, -100000), GJ_DIM_ERROR);
  CHECK_INT_EQ(gj_dim_const(dims, INT64_MIN), GJ_DIM_ERROR);
  for (int i = 0; i < 1000 && d != GJ_DIM_ERROR; i++)
    d = gj_dim_max(dims, gj_dim_floordiv(dims, gj_dim_add(dims, d, 1), gj_dim_add(dims, d, n)), d);
  CHECK_INT_EQ(d, GJ_DIM_ERROR);
  d = n;
  for (int i = 0; i < 100; i++)
    d = gj_dim_mul(dims, d, n);
  CHECK_INT_EQ(d, GJ_DIM_ERROR);
  int64_t value, huge = INT64_MAX;
  CHECK(!gj_dim_eval(dims, gj_dim_add(dims, n, 1), &huge, &value));
  huge = 0;
  CHECK(!gj_dim_eval(dims, gj_dim_floordiv(dims, 5, n), &huge, &value));
  CHECK_INT_EQ(gj_dim_symbol(dims, "", 0), GJ_DIM_ERROR);
  CHECK_INT_EQ(gj_dim_symbol(dims, "1n", 2), GJ_DIM_ERROR);
  CHECK_INT_EQ(gj_dim_symbol(dims, "a-b", 3), GJ_DIM_ERROR);
  gj_dims_free(dims);
}

static void bad_text_of_sizes_is_refused(void) {
  gj_dims *dims = gj_dims_new();
  static const char *const texts[] = {
      "",         "+",    "n +", "(n",  "n)",     "max(n)", "max(n,",
      "max(n, 2", "n//2", "*",   "n 2", "n ** 2", "n/0",    "99999999999999999999",
      "%",        "\xff", "-",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    CHECK_INT_EQ(dim(dims, texts[i]), GJ_DIM_ERROR);
  char deep[4001];
  for (const char *c = "(-"; *c; c++) {
    memset(deep, *c, sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    CHECK_INT_EQ(dim(dims, deep), GJ_DIM_ERROR);
  }
  gj_dims_free(dims);
}

// --- building ---

static void elementwise_ops_broadcast_as_in_numpy(void) {
  gj_graph *g = gj_graph_new("test");
  gj_ref a = param(g, "a", "f64[n, 1, 3]"), b = param(g, "b", "f64[4, 1]");
  gj_ref c = param(g, "c", "f64[]"), zero = param(g, "zero", "f64[0, 3]");
  CHECK_STR_EQ(type_text(g, op2(g, GJ_OP_add, a, b)), "f64[n, 4, 3]");
  CHECK_STR_EQ(type_text(g, op2(g, GJ_OP_add, b, a)), "f64[n, 4, 3]");
  CHECK_STR_EQ(type_text(g, op2(g, GJ_OP_lt, a, c)), "bool[n, 1, 3]");
  CHECK_STR_EQ(type_text(g, op2(g, GJ_OP_mul, a, zero)), "f64[n, 0, 3]");
  CHECK_STR_EQ(type_text(g, op1(g, GJ_OP_sqrt, c)), "f64[]");
  CHECK_INT_EQ(gj_graph_take_error(g, NULL), GJ_OK);
  gj_graph_free(g);
}

static void operands_are_promoted_by_inserting_conversions(void) {
  gj_graph *g = gj_graph_new("test");
  gj_ref a = param(g, "a", "i32[n]"), b = param(g, "b", "u32[n]"), p = param(g, "p", "bool[n]");
  gj_ref sum = op2(g, GJ_OP_add, a, b);
  CHECK_STR_EQ(type_text(g, sum), "i64[n]");
  CHECK_INT_EQ(gj_graph_node_count(g), 6);
  CHECK_INT_EQ(gj_graph_node(g, gj_graph_node(g, sum)->args[0])->op, GJ_OP_convert);
  gj_ref args[] = {p, a, sum};
  gj_ref chosen = gj_graph_op(g, GJ_OP_select, args, 3, NULL);
  CHECK_STR_EQ(type_text(g, chosen), "i64[n]");
  CHECK_INT_EQ(gj_graph_node(g, chosen)->args[0], p);
  CHECK_INT_EQ(gj_graph_node(g, chosen)->args[2], sum);
  CHECK_INT_EQ(op2(g, GJ_OP_add, a, p), 0);
  CHECK_ERROR(g, GJ_E_DTYPE, "add: i32 (%1) and bool (%3) have no common dtype; convert one");
  CHECK_INT_EQ(gj_graph_append(g, GJ_OP_add, (gj_ref[]){a, b}, 2, NULL), 0);
  CHECK_ERROR(g, GJ_E_DTYPE, "add: operands %1 and %2 have dtypes i32 and u32; convert one");
  gj_graph_free(g);
}

static void the_first_error_sticks_until_it_is_taken(void) {
  gj_graph *g = gj_graph_new("test");
  gj_ref a = param(g, "a", "f64[n]"), b = param(g, "b", "f64[m]");
  gj_ref bad = op2(g, GJ_OP_add, a, b);
  CHECK_INT_EQ(bad, 0);
  CHECK_INT_EQ(op1(g, GJ_OP_neg, bad), 0);
  CHECK_INT_EQ(op1(g, GJ_OP_neg, a), 0);
  CHECK(!gj_graph_set_output(g, "y", a));
  CHECK_ERROR(g, GJ_E_SHAPE,
              "add: axis 0 of shapes [n] and [m] differ: n vs m; use the same symbol "
              "if they are equal");
  CHECK_INT_EQ(gj_graph_take_error(g, NULL), GJ_OK);
  CHECK(op1(g, GJ_OP_neg, a) != 0);
  CHECK_INT_EQ(op1(g, GJ_OP_neg, 0), 0);
  CHECK_ERROR(g, GJ_E_ARGUMENT, "neg: operand 1 is no value");
  CHECK_INT_EQ(op1(g, GJ_OP_neg, 99), 0);
  CHECK_ERROR(g, GJ_E_ARGUMENT, "neg: operand 1 is %99, but the graph has 3 nodes");
  CHECK_INT_EQ(gj_graph_append(g, (gj_op)4000, NULL, 0, NULL), 0);
  CHECK_ERROR(g, GJ_E_ARGUMENT, "unknown op number 4000");
  CHECK_INT_EQ(gj_graph_append(g, GJ_OP_param, NULL, 0, NULL), 0);
  CHECK_ERROR(g, GJ_E_ARGUMENT, "param: needs a type");
  gj_graph_free(g);
}

static void names_are_checked_and_unique(void) {
  static const char *const bad[] = {"",         "a\nb",         "\x7f",     "\xff",
                                    "\xc0\x80", "\xed\xa0\x80", "\xc2\x85", "\xf5\x80\x80\x80"};
  gj_graph *g = gj_graph_new("test");
  gj_ref x = param(g, "größe ☃ 😀", "f64[n]");
  CHECK(x != 0);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK_INT_EQ(param(g, bad[i], "f64[]"), 0);
    CHECK_ERROR(g, GJ_E_ARGUMENT, "input: the name ");
  }
  char longest[GJ_MAX_NAME + 2];
  memset(longest, 'x', sizeof longest);
  longest[GJ_MAX_NAME + 1] = '\0';
  CHECK_INT_EQ(param(g, longest, "f64[]"), 0);
  CHECK_ERROR(g, GJ_E_ARGUMENT, "256 bytes");
  longest[GJ_MAX_NAME] = '\0';
  CHECK(param(g, longest, "f64[]") != 0);
  CHECK_INT_EQ(param(g, "größe ☃ 😀", "f64[]"), 0);
  CHECK_ERROR(g, GJ_E_ARGUMENT, "the name is taken by %1");
  CHECK(gj_graph_set_output(g, "y", x));
  CHECK(!gj_graph_set_output(g, "y", x));
  CHECK_ERROR(g, GJ_E_ARGUMENT, "output \"y\": the name is taken");
  CHECK(!gj_graph_set_output(g, "z", 77));
  CHECK_ERROR(g, GJ_E_ARGUMENT, "output \"z\": %77 is no value");
  gj_graph_free(g);
  g = gj_graph_new("bad\n");
  CHECK_ERROR(g, GJ_E_ARGUMENT, "graph: the name has a control character");
  CHECK_STR_EQ(gj_graph_name(g), "main");
  gj_graph_free(g);
}

static void constants_are_copied_aligned_and_checked(void) {
  gj_graph *g = gj_graph_new(NULL);
  double data[] = {1, 2, 3, 4};
  gj_type type = type_of(g, "f64[2, 2]"), symbolic = type_of(g, "f64[n]");
  gj_ref full = gj_graph_const(g, &type, data, sizeof data);
  gj_ref splat = gj_graph_const(g, &symbolic, data, sizeof *data);
  data[0] = 9;
  CHECK_INT_EQ((uintptr_t)gj_graph_node(g, full)->data % 64, 0);
  CHECK_DOUBLE_EQ(*(const double *)gj_graph_node(g, full)->data, 1);
  CHECK_INT_EQ(gj_graph_node(g, splat)->data_size, 8);
  CHECK_INT_EQ(gj_graph_node(g, splat)->symbolic, 1);
  CHECK_INT_EQ(gj_graph_const(g, &type, data, 16), 0);
  CHECK_ERROR(g, GJ_E_SHAPE, "const: [2, 2] has 4 elements of 8 bytes, got 16 bytes");
  CHECK_INT_EQ(gj_graph_const(g, &symbolic, data, 16), 0);
  CHECK_ERROR(g, GJ_E_SHAPE, "const: shape [n] is symbolic");
  CHECK_INT_EQ(gj_graph_const(g, &type, NULL, 32), 0);
  CHECK_ERROR(g, GJ_E_ARGUMENT, "const: no data");
  gj_type truth = type_of(g, "bool[3]"), empty = type_of(g, "f32[0]");
  CHECK_INT_EQ(gj_graph_const(g, &truth, "\0\1\2", 3), 0);
  CHECK_ERROR(g, GJ_E_ARGUMENT, "const: element 2 of bool is 2");
  CHECK_INT_EQ(gj_graph_node(g, gj_graph_const(g, &empty, NULL, 0))->data_size, 0);
  CHECK_INT_EQ(gj_graph_node(g, gj_graph_const(g, &empty, data, 4))->data_size, 0);
  gj_graph_free(g);
}

static void sizes_beyond_the_limit_are_refused_when_appended(void) {
  gj_graph *g = gj_graph_new("test");
  CHECK_INT_EQ(param(g, "a", "f64[65536, 65536, 65536]"), 0);
  CHECK_ERROR(g, GJ_E_OVERFLOW,
              "input: shape [65536, 65536, 65536] of f64 has more than 2^47 bytes");
  // An empty tensor with overflowing strides is refused too.
  CHECK_INT_EQ(param(g, "a", "u8[0, 9999999999, 9999999999]"), 0);
  CHECK_ERROR(g, GJ_E_OVERFLOW, "more than 2^47 bytes");
  CHECK_INT_EQ(param(g, "a", "u8[n - n - 1]"), 0);
  CHECK_ERROR(g, GJ_E_SHAPE, "input: axis 0 of shape [-1] is negative: -1");
  gj_type bad = {.dtype = GJ_DTYPE_f64, .rank = 9};
  CHECK_INT_EQ(gj_graph_param(g, "a", &bad), 0);
  CHECK_ERROR(g, GJ_E_SHAPE, "input: rank 9 is above the highest, 8");
  bad = (gj_type){.dtype = (gj_dtype)77};
  CHECK_INT_EQ(gj_graph_param(g, "a", &bad), 0);
  CHECK_ERROR(g, GJ_E_DTYPE, "input: unknown dtype number 77");
  bad = (gj_type){.dtype = GJ_DTYPE_f64, .rank = 1, .shape = {GJ_DIM_ERROR}};
  CHECK_INT_EQ(gj_graph_param(g, "a", &bad), 0);
  CHECK_ERROR(g, GJ_E_OVERFLOW, "input: the size of axis 0 overflows or is too complex");
  CHECK(param(g, "big", "u8[70368744177664]") != 0);
  gj_ref two[] = {1, 1, 1};
  int64_t axis = 0;
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_axis, &axis, 1);
  CHECK_INT_EQ(gj_graph_append(g, GJ_OP_concat, two, 3, &attrs), 0);
  CHECK_ERROR(g, GJ_E_OVERFLOW, "concat: shape [211106232532992] of u8");
  gj_graph_free(g);
}

// Statements that must fail behind this preamble, and a part of what they must say.
static const char *const preamble = "graph \"t\" {\n"
                                    "%x = param \"x\" : f64[n, 4]\n"
                                    "%v = param \"v\" : f64[4]\n"
                                    "%w = param \"w\" : f64[5]\n"
                                    "%i = param \"i\" : i32[4]\n"
                                    "%b = param \"b\" : bool[4]\n"
                                    "%s = param \"s\" : f64[]\n"
                                    "%k = param \"k\" : i64[]\n"
                                    "%j = param \"j\" : i32[]\n";

static const char *const rejected[][2] = {
    {"%r = add %v", "add: takes 2 operands, got 1"},
    {"%r = neg %v, %v", "neg: takes 1 operand, got 2"},
    {"%r = add %v, %w", "add: axis 0 of shapes [4] and [5] differ: 4 vs 5"},
    {"%r = add %x, %w", "add: axis 1 of shapes [n, 4] and [5] differ: 4 vs 5"},
    {"%r = add %b, %b", "add: operand 1 (%5) is bool, but the op takes numbers, not bool"},
    {"%r = sqrt %i", "sqrt: operand 1 (%4) is i32, but the op takes floats"},
    {"%r = and %v, %v", "and: operand 1 (%2) is f64, but the op takes bool and integers"},
    {"%r = shl %b, %b", "shl: operand 1 (%5) is bool, but the op takes integers"},
    {"%r = neg %b", "neg: operand 1 (%5) is bool, but the op takes signed integers and floats"},
    {"%r = add %v, %i", "add: operands %2 and %4 have dtypes f64 and i32; convert one"},
    {"%r = select %v, %v, %v", "select: operand 1 (%2) is f64, but it must be bool"},
    {"%r = select %b, %v, %i", "select: operands %2 and %4 have dtypes f64 and i32"},
    {"%r = bitcast %i {dtype=bf16}", "bitcast: i32 (%4) has 32 bits, but bf16 has 16"},
    {"%r = convert %v", "convert: attribute dtype is missing"},
    {"%r = add %v, %v {axis=1}", "add: takes no attribute axis"},
    {"%r = bitcast %v {dtype=f32}", "bitcast: f64 (%2) has 64 bits, but f32 has 32"},
    {"%r = bitcast %b {dtype=i8}", "bitcast: operand 1 (%5) is bool"},
    {"%r = bitcast %i {dtype=bool}", "bitcast: dtype is bool"},
    {"%r = iota {dtype=bool, shape=[3], axis=0}", "iota: dtype is bool"},
    {"%r = iota {dtype=i32, shape=[3], axis=1}", "iota: axis 1 is not in [0, 1)"},
    {"%r = iota {dtype=i32, shape=[], axis=0}", "iota: axis 0 is not in [0, 0)"},
    {"%r = iota {dtype=i32, shape=[3], axis=-1}", "iota: axis -1 is not in"},
    {"%r = rng_bits %i {dtype=u32, shape=[3]}",
     "rng_bits: the key (%4) is i32[4], but it must be u32[2]"},
    {"%r = rng_bits %v {dtype=u32, shape=[3]}", "rng_bits: operand 1 (%2) is f64"},
    {"%key = const [1, 2] : u32[2] %r = rng_bits %key {dtype=f64, shape=[3]}",
     "rng_bits: dtype is f64"},
    {"%key = const [1, 2] : u32[2] %r = rng_bits %key {dtype=u32, shape=[-1]}", "-1"},
    {"%r = reshape %v {shape=[5]}", "reshape: [4] has 4 elements, but [5] has 5"},
    {"%r = reshape %v {shape=[-4, -1]}", "reshape: axis 0 of shape [-4, -1] is negative: -4"},
    {"%r = transpose %x {axes=[0]}", "transpose: axes has 1 values, but operand %1 has rank 2"},
    {"%r = transpose %x {axes=[0, 0]}", "transpose: axis 0 is named twice"},
    {"%r = transpose %x {axes=[0, 2]}", "transpose: axis 2 is not in [0, 2)"},
    {"%r = broadcast %v {shape=[3, 4], axes=[0]}",
     "broadcast: axis 0 of operand %2 has size 4, but axis 0 of [3, 4] has 3"},
    {"%r = broadcast %x {shape=[4, n], axes=[1, 0]}", "broadcast: axes must increase"},
    {"%r = broadcast %v {shape=[4], axes=[1]}", "broadcast: axis 1 is not in [0, 1)"},
    {"%r = slice %v {shape=[3], start=[2], stride=[1]}",
     "slice: start 2, stride 1 and 3 elements leave axis 0 of size 4"},
    {"%r = slice %v {shape=[3], start=[0], stride=[-1]}", "slice: start 0, stride -1"},
    {"%r = slice %v {shape=[3], start=[0], stride=[9223372036854775807]}", "slice: start 0"},
    {"%r = slice %v {shape=[3], start=[-1], stride=[1]}", "slice: start -1"},
    {"%r = slice %v {shape=[3], start=[0], stride=[0]}", "slice: stride of axis 0 is 0"},
    {"%r = slice %v {shape=[3, 3], start=[0], stride=[1]}", "slice: shape has 2 values"},
    {"%r = pad %v, %s {lo=[-3], hi=[-2], interior=[0]}", "pad: axis 0 of shape [-1] is negative"},
    {"%r = pad %v, %s {lo=[0], hi=[0], interior=[-1]}", "pad: interior of axis 0 is negative: -1"},
    {"%r = pad %v, %v {lo=[0], hi=[0], interior=[0]}", "pad: the fill %2 has shape [4]"},
    {"%r = pad %v, %s {lo=[140737488355329], hi=[0], interior=[0]}", "is beyond 2^47"},
    {"%r = pad %v, %k {lo=[0], hi=[0], interior=[0]}", "pad: operands %2 and %7 have dtypes"},
    {"%r = dynamic_slice %v {shape=[3]}",
     "dynamic_slice: rank 1 takes 2 operands (1 starts), got 1"},
    {"%r = dynamic_slice %v, %k {shape=[5]}",
     "dynamic_slice: axis 0 of the window [5] is larger than operand %2 [4]"},
    {"%r = dynamic_slice %v, %s {shape=[3]}", "dynamic_slice: start 0 (%6) is f64"},
    {"%r = dynamic_slice %v, %i {shape=[3]}", "dynamic_slice: start 0 (%4) has shape [4]"},
    {"%r = dynamic_slice %x, %k, %j {shape=[1, 1]}",
     "dynamic_slice: starts %7 and %8 have dtypes i64 and i32"},
    {"%r = update_slice %v, %i, %k", "update_slice: operands %2 and %4 have dtypes f64 and i32"},
    {"%r = update_slice %v, %w, %k", "update_slice: axis 0 of the window [5] is larger"},
    {"%r = update_slice %v, %s, %k",
     "update_slice: operand %2 has rank 1, but the update %6 has 0"},
    {"%r = concat {axis=0}", "concat: takes at least 1 operand, got 0"},
    {"%r = concat %v, %x {axis=0}", "concat: operand %2 has rank 1, but %1 has 2"},
    {"%r = concat %s {axis=0}", "concat: axis 0 is not in [0, 0)"},
    {"%q = reshape %w {shape=[1, 5]} %r = concat %x, %q {axis=0}",
     "concat: axis 1 of shapes [n, 4] (%1) and [1, 5] (%9) differ: 4 vs 5"},
    {"%r = reverse %x {axes=[1, 1]}", "reverse: axis 1 is named twice"},
    {"%r = reduce_sum %x {axes=[1, 0]}", "reduce_sum: axes must increase, but 0 follows 1"},
    {"%r = reduce_sum %x {axes=[2]}", "reduce_sum: axis 2 is not in [0, 2), the axes of [n, 4]"},
    {"%r = reduce_and %v {axes=[0]}", "reduce_and: operand 1 (%2) is f64"},
    {"%r = argmax %v, %w {axes=[0]}", "argmax: indices (%3) are f64"},
    {"%r = argmax %x, %i {axes=[0]}", "argmax: values have shape [n, 4], but indices have [4]"},
    {"%r = result %v {index=1}", "result: index 1, but %2 (param) has 1 result"},
    {"%q = argmin %v, %i {axes=[0]} %r = result %q {index=2}",
     "result: index 2, but %9 (argmin) has 2 results"},
};

static void bad_nodes_are_refused_with_op_operand_and_both_values(void) {
  for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++) {
    gj_strbuf text = {0};
    gj_strbuf_printf(&text, "%s%s\n}\n", preamble, rejected[i][0]);
    gj_graph *graph = NULL;
    gj_error err = {0};
    CHECK(gj_graph_parse(gj_strbuf_peek(&text), text.size, &graph, &err) != GJ_OK);
    CHECK(graph == NULL);
    CHECK_CONTAINS(err.message, "line 10, column ");
    CHECK_CONTAINS(err.message, rejected[i][1]);
    gj_graph_free(graph);
    gj_strbuf_fini(&text);
  }
}

// --- sharing, growth, verifying ---

static void equal_nodes_are_shared_only_when_asked(void) {
  gj_graph *g = gj_graph_new("test");
  gj_ref x = param(g, "x", "f64[n]"), y = param(g, "y", "f64[n]");
  gj_ref a = op2(g, GJ_OP_add, x, y), b = op2(g, GJ_OP_add, x, y);
  CHECK(a != b);
  gj_graph_share_nodes(g, true);
  CHECK_INT_EQ(op2(g, GJ_OP_add, x, y), a);
  CHECK(op2(g, GJ_OP_add, y, x) != a);
  CHECK(op2(g, GJ_OP_sub, x, y) != a);
  double zero = 0, minus = -0.0;
  gj_type type = type_of(g, "f64[]"), vector = type_of(g, "f64[3]");
  gj_ref c = gj_graph_const(g, &type, &zero, 8);
  CHECK_INT_EQ(gj_graph_const(g, &type, &zero, 8), c);
  CHECK(gj_graph_const(g, &type, &minus, 8) != c);
  CHECK(gj_graph_const(g, &vector, &zero, 8) != c);
  int64_t axes[] = {0};
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_axes, axes, 1);
  gj_ref sum = gj_graph_append(g, GJ_OP_reduce_sum, &x, 1, &attrs);
  CHECK_INT_EQ(gj_graph_append(g, GJ_OP_reduce_sum, &x, 1, &attrs), sum);
  gj_attrs_set(&attrs, GJ_ATTR_axes, axes, 0);
  CHECK(gj_graph_append(g, GJ_OP_reduce_sum, &x, 1, &attrs) != sum);
  gj_graph_share_nodes(g, false);
  CHECK(op2(g, GJ_OP_add, x, y) != a);
  gj_graph_free(g);
}

static void a_like_graph_understands_the_sizes_of_its_model(void) {
  gj_graph *g = gj_graph_new("model");
  param(g, "x", "f64[n]");
  gj_type type = type_of(g, "f64[2*n + 1]");
  gj_graph *like = gj_graph_new_like(g);
  gj_graph_free(g);
  CHECK_STR_EQ(gj_graph_name(like), "model");
  CHECK_STR_EQ(type_text(like, gj_graph_param(like, "y", &type)), "f64[2*n + 1]");
  gj_graph_free(like);
}

static void a_hundred_thousand_nodes_append_quickly_and_verify(void) {
  const int count = check_is_quick() ? 5000 : 100000;
  for (int share = 0; share < 2; share++) {
    gj_graph *g = gj_graph_new("long");
    gj_graph_share_nodes(g, share);
    gj_ref x = param(g, "x", "f64[n, 3]"), y = x;
    const gj_node *first = gj_graph_node(g, x);
    for (int i = 0; i < count; i++)
      y = op2(g, GJ_OP_add, y, x);
    CHECK_INT_EQ(gj_graph_node_count(g), count + 1);
    CHECK(gj_graph_node(g, x) == first);
    CHECK(gj_graph_set_output(g, "y", y));
    gj_error err = {0};
    CHECK_OK(gj_graph_verify(g, &err), &err);
    gj_graph_free(g);
  }
}

static void the_verifier_wants_every_symbol_bound_by_an_input(void) {
  static const char *const texts[][2] = {
      {"graph \"t\" { %1 = param \"x\" : f64[n + 1] }", "%1 (param): no input has the symbol n"},
      {"graph \"t\" { %1 = const 1 : f64[m/2] }", "%1 (const): no input has the symbol m"},
      {"graph \"t\" { %1 = param \"x\" : f64[n] %2 = iota {dtype=i32, shape=[n, k], axis=0} }",
       "%2 (iota): no input has the symbol k"},
      {"graph \"t\" { %1 = param \"x\" : f64[n + m] %2 = param \"y\" : f64[n, m] }", NULL},
      {"graph \"t\" { }", NULL},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    gj_graph *g = NULL;
    gj_error err = {0};
    CHECK_OK(gj_graph_parse(texts[i][0], strlen(texts[i][0]), &g, &err), &err);
    if (!g)
      continue;
    gj_status status = gj_graph_verify(g, &err);
    CHECK_INT_EQ(status, texts[i][1] ? GJ_E_VERIFY : GJ_OK);
    if (texts[i][1])
      CHECK_CONTAINS(err.message, texts[i][1]);
    gj_graph_free(g);
  }
}

int main(void) {
  CHECK_RUN(promotion_follows_the_array_api);
  CHECK_RUN(names_of_dtypes_ops_and_attributes_parse_back);
  CHECK_RUN(equal_sizes_are_the_same_dim);
  CHECK_RUN(sizes_print_as_a_user_writes_them);
  CHECK_RUN(text_does_not_depend_on_what_was_interned_before);
  CHECK_RUN(random_sizes_keep_their_value_and_their_text);
  CHECK_RUN(a_clone_gives_the_same_numbers_the_same_meaning);
  CHECK_RUN(sizes_refuse_overflow_and_excess);
  CHECK_RUN(bad_text_of_sizes_is_refused);
  CHECK_RUN(elementwise_ops_broadcast_as_in_numpy);
  CHECK_RUN(operands_are_promoted_by_inserting_conversions);
  CHECK_RUN(the_first_error_sticks_until_it_is_taken);
  CHECK_RUN(names_are_checked_and_unique);
  CHECK_RUN(constants_are_copied_aligned_and_checked);
  CHECK_RUN(sizes_beyond_the_limit_are_refused_when_appended);
  CHECK_RUN(bad_nodes_are_refused_with_op_operand_and_both_values);
  CHECK_RUN(equal_nodes_are_shared_only_when_asked);
  CHECK_RUN(a_like_graph_understands_the_sizes_of_its_model);
  CHECK_RUN(a_hundred_thousand_nodes_append_quickly_and_verify);
  CHECK_RUN(the_verifier_wants_every_symbol_bound_by_an_input);
  return check_report();
}
