// Tests of the text form of graphs: round trips, spellings, errors with their place, hostile input.

#include "check.h"

#include "ir/graph.h"

#include <math.h>
#include <stdlib.h>

static gj_graph *parse(const char *text, gj_error *err) {
  gj_graph *graph = NULL;
  gj_graph_parse(text, strlen(text), &graph, err);
  return graph;
}

// Freed by the caller.
static char *print(const gj_graph *graph) {
  gj_strbuf out = {0};
  char *text = NULL;
  gj_graph_print(graph, &out);
  gj_strbuf_take(&out, &text, NULL, NULL);
  return text;
}

static bool same_node(const gj_node *a, const gj_node *b) {
  bool same = a->op == b->op && a->arg_count == b->arg_count && a->data_size == b->data_size &&
              a->type.dtype == b->type.dtype && a->type.rank == b->type.rank &&
              a->symbolic == b->symbolic && a->attrs->set == b->attrs->set &&
              (a->data_size == 0 || memcmp(a->data, b->data, a->data_size) == 0) &&
              (a->name != NULL) == (b->name != NULL) &&
              (a->name == NULL || strcmp(a->name, b->name) == 0);
  for (size_t i = 0; same && i < a->arg_count; i++)
    same = a->args[i] == b->args[i];
  return same;
}

// Printing then parsing gives the same nodes, the same bits, and the same text again.
static void check_round_trip(const gj_graph *graph) {
  char *once = print(graph);
  gj_error err = {0};
  gj_graph *again = parse(once, &err);
  if (!CHECK(again != NULL)) {
    printf("  %s\n%s\n", err.message, once);
    free(once);
    return;
  }
  char *twice = print(again);
  CHECK_STR_EQ(twice, once);
  CHECK_STR_EQ(gj_graph_name(again), gj_graph_name(graph));
  CHECK_INT_EQ(gj_graph_node_count(again), gj_graph_node_count(graph));
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++)
    CHECK(same_node(gj_graph_node(graph, ref), gj_graph_node(again, ref)));
  gj_graph_free(again);
  free(once);
  free(twice);
}

// Every form of node, attribute, constant and size there is.
static const char *const sample =
    "graph \"a \\\"sample\\\" \\\\ größe\" {\n"
    "  %1 = param \"x\" : f64[n, 4]\n"
    "  %2 = param \"y\" : f32[m + n, max(n - 2, 0), (m + 1)/2]\n"
    "  %3 = param \"m\" : bool[m]\n"
    "  %4 = const 2.5 : f64[]\n"
    "  %5 = const [1, 2, 3] : i32[3]\n"
    "  %6 = const [true, false] : bool[2]\n"
    "  %7 = const [] : f64[0, n]\n"
    "  %8 = const -0.0 : f32[n]\n"
    "  %9 = const [inf, -inf, nan, nan(0xfff8000000000001), 1e300, 5e-324] : f64[2, 3]\n"
    "  %10 = const hex "
    "\"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021\" : i16[17]\n"
    "  %11 = iota {dtype=u8, shape=[n, 4], axis=1} : u8[n, 4]\n"
    "  %12 = convert %11 {dtype=i64} : i64[n, 4]\n"
    "  %13 = mul %1, %4 : f64[n, 4]\n"
    "  %14 = slice %13 {shape=[n - 2, 2], start=[n - 1, 3], stride=[-1, -2]} : f64[n - 2, 2]\n"
    "  %15 = pad %14, %4 {lo=[-1, 2], hi=[0, 3], interior=[0, 1]} : f64[n - 3, 8]\n"
    "  %16 = transpose %15 {axes=[1, 0]} : f64[8, n - 3]\n"
    "  %17 = reshape %1 {shape=[4*n]} : f64[4*n]\n"
    "  %18 = broadcast %17 {shape=[3, 4*n], axes=[1]} : f64[3, 4*n]\n"
    "  %19 = concat %18, %18, %18 {axis=0} : f64[9, 4*n]\n"
    "  %20 = reverse %19 {axes=[1, 0]} : f64[9, 4*n]\n"
    "  %21 = const 1 : i64[]\n"
    "  %22 = dynamic_slice %20, %21, %21 {shape=[2, n]} : f64[2, n]\n"
    "  %23 = update_slice %20, %22, %21, %21 : f64[9, 4*n]\n"
    "  %24 = argmax %1, %12 {axes=[0, 1]} : f64[]\n"
    "  %25 = result %24 {index=1} : i64[]\n"
    "  %26 = reduce_max %3 {axes=[]} : bool[m]\n"
    "  output \"z\" = %25\n"
    "  output \"weird name: { %1 } // \\\"\" = %23\n"
    "}\n";

static void the_sample_prints_as_it_is_written(void) {
  gj_error err = {0};
  gj_graph *graph = parse(sample, &err);
  CHECK_STR_EQ(err.message, "");
  CHECK_OR_RETURN(graph != NULL);
  CHECK_OK(gj_graph_verify(graph, &err), &err);
  char *text = print(graph);
  CHECK_STR_EQ(text, sample);
  free(text);
  check_round_trip(graph);
  gj_graph_free(graph);
}

static void free_spelling_gives_the_canonical_text(void) {
  static const char *const text =
      "// head\n"
      "graph\"t\"{%x=param\"\\u0078\\u00e9\\ud83d\\ude00\":f64[ n+n ,1 ]\n"
      "%a_b // between\n = add %x\t, %x // no type\n"
      "%sum=reduce_sum %a_b{axes=[ 0,1 ]}:f64[]"
      "%c=const[1,+2.5e0,.5,// a value\n 2.]:f32[4]\n"
      "output\"z\"=%sum}// tail";
  gj_error err = {0};
  gj_graph *graph = parse(text, &err);
  CHECK_STR_EQ(err.message, "");
  CHECK_OR_RETURN(graph != NULL);
  char *printed = print(graph);
  CHECK_STR_EQ(printed, "graph \"t\" {\n"
                        "  %1 = param \"xé😀\" : f64[2*n, 1]\n"
                        "  %2 = add %1, %1 : f64[2*n, 1]\n"
                        "  %3 = reduce_sum %2 {axes=[0, 1]} : f64[]\n"
                        "  %4 = const [1.0, 2.5, 0.5, 2.0] : f32[4]\n"
                        "  output \"z\" = %3\n"
                        "}\n");
  free(printed);
  gj_graph_free(graph);
}

static uint64_t random_state = 7;

static uint64_t random_bits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static void random_bits_of_every_dtype_survive_the_text(void) {
  gj_graph *graph = gj_graph_new("bits");
  for (int d = 1; d < GJ_DTYPE_COUNT; d++) {
    const gj_dtype_info *info = gj_dtype_get((gj_dtype)d);
    for (int round = 0; round < 200; round++) {
      unsigned char data[20 * 8];
      size_t count = random_bits() % 20;
      for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(random_bits() & (info->kind == GJ_KIND_BOOL ? 1 : 255));
      // Every other value has an exponent of all ones or all zeros: NaNs, infinities, subnormals.
      for (size_t i = 0; info->kind == GJ_KIND_FLOAT && i < count; i += 2)
        data[(i + 1) * info->bytes - 1] = (unsigned char)(0x7F | (random_bits() & 0x80));
      gj_type type = {.dtype = (gj_dtype)d, .rank = 1, .shape = {(gj_dim)count}};
      CHECK(gj_graph_const(graph, &type, data, count * info->bytes) != 0);
    }
  }
  check_round_trip(graph);
  gj_graph_free(graph);
}

static void floats_print_as_short_as_they_can(void) {
  static const struct {
    double value;
    const char *text;
  } rows[] = {
      {0, "0.0"},
      {-0.0, "-0.0"},
      {1, "1.0"},
      {0.1, "0.1"},
      {100, "100.0"},
      {1e20, "100000000000000000000.0"},
      {1e21, "1e21"},
      {1.5e-5, "0.000015"},
      {1e-6, "1e-6"},
      {-1.25e-7, "-1.25e-7"},
      {0.30000000000000004, "0.30000000000000004"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e308"},
      {123456.75, "123456.75"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gj_graph *graph = gj_graph_new("t");
    gj_type type = {.dtype = GJ_DTYPE_f64};
    gj_graph_const(graph, &type, &rows[i].value, 8);
    char *text = print(graph), expected[100];
    snprintf(expected, sizeof expected, "graph \"t\" {\n  %%1 = const %s : f64[]\n}\n",
             rows[i].text);
    CHECK_STR_EQ(text, expected);
    free(text);
    gj_graph_free(graph);
  }
}

// Text that must fail, and a part of the message.
static const char *const bad[][2] = {
    {"", "line 1, column 1: expected 'graph', got the end of the text"},
    {"grap", "line 1, column 1: expected 'graph', got 'grap'"},
    {"graph", "expected a string in double quotes, got the end of the text"},
    {"graph \"\" {}", "line 1, column 1: graph: the name is empty"},
    {"graph \"a\\u0000b\" {}", "line 1, column 9: expected four hex digits of a character"},
    {"graph \"a\\ud800\" {}", "line 1, column 9: expected four hex digits of a character"},
    {"graph \"a\\x\" {}", "line 1, column 9: expected one of"},
    {"graph \"a\nb\" {}", "line 1, column 9: expected no control character in a string"},
    {"graph \"a\xff\" {}", "the name is not UTF-8 at byte 1"},
    {"graph \"a", "line 1, column 7: the string does not end"},
    {"graph \"a\" { } x", "line 1, column 15: expected the end of the text, got 'x'"},
    {"graph \"a\" { %1 }", "expected '=', got '}'"},
    {"graph \"é\" {\n  % 1 = }", "line 2, column 5: expected a name right behind '%', got '1'"},
    {"graph \"a\" { %1 = foo %2 }", "column 18: expected an op, got 'foo'"},
    {"graph \"a\" { %1 = neg %2 }", "column 22: %2 is not defined above"},
    {"graph \"a\" { %1 = neg %1 }", "column 22: %1 is not defined above"},
    {"graph \"a\" { %1 = param \"x\" : f64[]\n%1 = neg %1 }",
     "line 2, column 1: %1 is defined twice"},
    {"graph \"a\" { %1 = param \"x\" : f65[] }", "expected a dtype like f64, got 'f65'"},
    {"graph \"a\" { %1 = const 65520 : f16[] }", "'65520' is out of range for f16"},
    {"graph \"a\" { %1 = const nan(0x7c00) : f16[] }", "'nan(0x7c00)' has not the bits of a NaN"},
    {"graph \"a\" { %1 = param \"x\" : f64 }", "expected '[', got '}'"},
    {"graph \"a\" { %1 = param \"x\" : f64[1,2,3,4,5,6,7,8,9] }", "expected at most 8 values"},
    {"graph \"a\" { %1 = param \"x\" : f64[n m] }", "expected ']', got 'm'"},
    {"graph \"a\" { %1 = param \"x\" : f64[n/0] }", "overflows, divides by zero"},
    {"graph \"a\" { %1 = param \"x\" : f64[99999999999999999999] }", "larger than 2^63 - 1"},
    {"graph \"a\" { %1 = param \"x\" : f64[9223372036854775807] }", "more than 2^47 bytes"},
    {"graph \"a\" { %1 = param \"x\" : f64[] %2 = param \"x\" : f64[] }",
     "the name is taken by %1"},
    {"graph \"a\" { %1 = const 1 }", "expected ':', got '}'"},
    {"graph \"a\" { %1 = const : f64[] }", "expected a value, a list or hex"},
    {"graph \"a\" { %1 = const 1.5 : i32[] }", "column 24: expected a value of i32, got '1.5'"},
    {"graph \"a\" { %1 = const 256 : u8[] }", "'256' is out of range for u8"},
    {"graph \"a\" { %1 = const -1 : u8[] }", "'-1' is out of range for u8"},
    {"graph \"a\" { %1 = const 18446744073709551616 : u64[] }", "is out of range for u64"},
    {"graph \"a\" { %1 = const -9223372036854775809 : i64[] }", "is out of range for i64"},
    {"graph \"a\" { %1 = const 2 : bool[] }", "'2' is out of range for bool"},
    {"graph \"a\" { %1 = const 1e999 : f64[] }", "'1e999' is out of range for f64"},
    {"graph \"a\" { %1 = const 1e39 : f32[] }", "'1e39' is out of range for f32"},
    {"graph \"a\" { %1 = const nan(0x3ff0000000000000) : f64[] }", "has not the bits of a NaN"},
    {"graph \"a\" { %1 = const nan(0x : f64[] }", "expected a value of f64, got 'nan(0x'"},
    {"graph \"a\" { %1 = const 0x10 : f64[] }", "expected a value of f64, got '0x10'"},
    {"graph \"a\" { %1 = const [1, 2 : i32[2] }", "expected ']', got ':'"},
    {"graph \"a\" { %1 = const [1, 2] : i32[3] }", "expected 3 values of 4 bytes, got 8 bytes"},
    {"graph \"a\" { %1 = const [1,, 2] : i32[3] }", "expected a value of i32, got nothing"},
    {"graph \"a\" { %1 = const [1] : i32[n] }", "expected one value for a symbolic shape"},
    {"graph \"a\" { %1 = const hex \"0\" : u8[1] }", "expected pairs of hex digits"},
    {"graph \"a\" { %1 = const hex \"0g\" : u8[1] }", "expected pairs of hex digits"},
    {"graph \"a\" { %1 = const hex \"00\" : u8[70000000000] }", "expected 70000000000 values"},
    {"graph \"a\" { %1 = const hex \"02\" : bool[1] }", "element 0 of bool is 2"},
    {"graph \"a\" { %1 = const hex \"00", "expected '\"', got the end of the text"},
    {"graph \"a\" { %1 = const hex \"00\" 3 : u8[1] }", "expected ':', got '3'"},
    {"graph \"a\" { %1 = const 1 2 : u8[1] }", "expected ':', got '2'"},
    {"graph \"a\" { %1 = const 3.4e38 : bf16[] }", "'3.4e38' is out of range for bf16"},
    {"graph \"a\" { %1 = iota {dtype=i32, dtype=i32} }",
     "expected each attribute once, got 'dtype'"},
    {"graph \"a\" { %1 = iota {size=3} }", "expected an attribute, got 'size'"},
    {"graph \"a\" { %1 = iota {axis=99999999999999999999} }", "integer does not fit in 64 bits"},
    {"graph \"a\" { %1 = iota {axis=x} }", "expected an integer, got 'x'"},
    {"graph \"a\" { %1 = iota {dtype=i32, shape=[3], axis=0} : i64[3] }",
     "iota gives i32[3], but the text says i64[3]"},
    {"graph \"a\" { %1 = iota {dtype=i32, shape=[3], axis=0} : i32[4] }", "iota gives i32[3]"},
    {"graph \"a\" { output \"x\" = %1 }", "%1 is not defined above"},
    {"graph \"a\" { output x = %1 }", "expected a string in double quotes, got 'x'"},
    {"graph \"a\" { oops }", "expected 'output', got 'oops'"},
    {"graph \"a\" { \x01 }", "expected a value like %1, 'output', 'func' or '}', got byte 0x01"},
};

static void bad_text_is_refused_with_line_and_column(void) {
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    gj_error err = {0};
    gj_graph *graph = parse(bad[i][0], &err);
    if (!CHECK(graph == NULL))
      printf("  %s\n", bad[i][0]);
    CHECK(strncmp(err.message, "line ", 5) == 0);
    CHECK_CONTAINS(err.message, bad[i][1]);
    gj_graph_free(graph);
  }
}

static void the_sample_cut_anywhere_never_crashes(void) {
  size_t size = strlen(sample);
  for (size_t cut = 0; cut < size; cut++) {
    // A copy of exactly this size lets a sanitizer see any look behind the end.
    char *text = malloc(cut + 1);
    CHECK_OR_RETURN(text != NULL);
    memcpy(text, sample, cut);
    gj_graph *graph = NULL;
    gj_error err = {0};
    char *exact = realloc(text, cut ? cut : 1);
    gj_status status = gj_graph_parse(exact ? exact : text, cut, &graph, &err);
    CHECK((status == GJ_OK) == (graph != NULL));
    CHECK(status == GJ_OK ? cut >= size - 1 : strncmp(err.message, "line ", 5) == 0);
    gj_graph_free(graph);
    free(exact ? exact : text);
  }
}

static void the_sample_with_any_byte_changed_never_crashes(void) {
  size_t size = strlen(sample);
  char *text = malloc(size + 1);
  CHECK_OR_RETURN(text != NULL);
  static const char replacements[] = "\0\"%{}[]:=,/0-9nx(\\ \n\x80";
  for (size_t i = 0; i < size; i += check_is_quick() ? 16 : 1)
    for (size_t k = 0; k < sizeof replacements; k += 1 + i % 3) {
      memcpy(text, sample, size + 1);
      text[i] = replacements[k];
      gj_graph *graph = NULL;
      gj_error err = {0};
      if (gj_graph_parse(text, size, &graph, &err) == GJ_OK) {
        gj_graph_verify(graph, &err);
        char *printed = print(graph);
        free(printed);
      }
      gj_graph_free(graph);
    }
  free(text);
}

static void deep_nesting_is_refused(void) {
  for (const char *c = "(-["; *c; c++) {
    gj_strbuf text = {0};
    gj_strbuf_text(&text, "graph \"a\" { %1 = param \"x\" : f64[");
    gj_strbuf_fill(&text, *c, 100000);
    gj_error err = {0};
    gj_graph *graph = parse(gj_strbuf_peek(&text), &err);
    CHECK(graph == NULL);
    CHECK_CONTAINS(err.message, "line 1, column ");
    gj_strbuf_fini(&text);
  }
}

static void sizes_that_grow_without_end_are_refused(void) {
  gj_strbuf text = {0};
  gj_strbuf_text(&text, "graph \"a\" { %1 = param \"x\" : f64[1");
  for (int i = 0; i < 5000; i++)
    gj_strbuf_printf(&text, " + s%d*s%d", i, i + 1);
  gj_strbuf_text(&text, "] }");
  gj_error err = {0};
  gj_graph *graph = parse(gj_strbuf_peek(&text), &err);
  CHECK(graph == NULL);
  CHECK_CONTAINS(err.message, "too complex");
  gj_strbuf_fini(&text);
}

static void large_constants_and_long_graphs_parse_in_linear_time(void) {
  gj_graph *graph = gj_graph_new("large");
  size_t count = check_is_quick() ? 1 << 12 : 1 << 20, scalars = check_is_quick() ? 500 : 20000;
  float *data = malloc(count * sizeof *data);
  CHECK_OR_RETURN(data != NULL);
  for (size_t i = 0; i < count; i++)
    data[i] = (float)i / 3;
  gj_type type = {.dtype = GJ_DTYPE_f32, .rank = 1, .shape = {(gj_dim)count}};
  gj_graph_const(graph, &type, data, count * sizeof *data);
  gj_type scalar = {.dtype = GJ_DTYPE_f32};
  for (size_t i = 0; i < scalars; i++)
    gj_graph_const(graph, &scalar, &data[i], sizeof *data);
  check_round_trip(graph);
  gj_graph_free(graph);
  free(data);
}

int main(void) {
  CHECK_RUN(the_sample_prints_as_it_is_written);
  CHECK_RUN(free_spelling_gives_the_canonical_text);
  CHECK_RUN(random_bits_of_every_dtype_survive_the_text);
  CHECK_RUN(floats_print_as_short_as_they_can);
  CHECK_RUN(bad_text_is_refused_with_line_and_column);
  CHECK_RUN(the_sample_cut_anywhere_never_crashes);
  CHECK_RUN(the_sample_with_any_byte_changed_never_crashes);
  CHECK_RUN(deep_nesting_is_refused);
  CHECK_RUN(sizes_that_grow_without_end_are_refused);
  CHECK_RUN(large_constants_and_long_graphs_parse_in_linear_time);
  return check_report();
}
