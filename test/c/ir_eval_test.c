// Tests of the reference evaluator, of scalars and of binding: values worked out by hand, as text.

#include "check.h"

#include "ir/graph.h"
#include "ops/literal.h"
#include "ops/scalar.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// --- helpers ---

static void append_elements(const gj_type *type, const char *data, int64_t count, gj_strbuf *out) {
  for (int64_t i = 0; i < count; i++) {
    const char *element = data + (size_t)i * gj_dtype_bytes(type->dtype);
    if (i > 0)
      gj_strbuf_char(out, ' ');
    gj_scalar s = gj_scalar_load(type->dtype, element);
    // Which NaN an operation gives is nobody's promise.
    if (gj_dtype_is_float(type->dtype) && isnan(s.v.f))
      gj_strbuf_text(out, "nan");
    else
      gj__literal_print(type->dtype, element, out);
  }
}

// Evaluates a graph without inputs and appends its only output, or the error.
static void evaluate(const gj_graph *graph, gj_strbuf *out) {
  gj_error err = {0};
  int64_t symbols[1];
  const gj_type *type = &gj_graph_node(graph, gj_graph_output(graph, 0)->ref)->type;
  gj_dim count = gj_type_size(gj_graph_dims(graph), type);
  char *data = calloc((size_t)count + 1, 8);
  void *outputs[] = {data};
  if (gj_graph_verify(graph, &err) == GJ_OK && gj_graph_bind(graph, NULL, symbols, &err) == GJ_OK &&
      gj_graph_eval(graph, symbols, NULL, outputs, &err) == GJ_OK)
    append_elements(type, data, count, out);
  else
    gj_strbuf_text(out, err.message);
  free(data);
}

// The value of %r after `statements`, as text.
static char *value_of(const char *statements) {
  gj_strbuf text = {0}, out = {0};
  gj_strbuf_printf(&text, "graph \"t\" {\n%s\noutput \"r\" = %%r\n}\n", statements);
  gj_graph *graph = NULL;
  gj_error err = {0};
  if (gj_graph_parse(gj_strbuf_peek(&text), text.size, &graph, &err) == GJ_OK)
    evaluate(graph, &out);
  else
    gj_strbuf_text(&out, err.message);
  gj_graph_free(graph);
  gj_strbuf_fini(&text);
  char *result;
  gj_strbuf_take(&out, &result, NULL, NULL);
  return result;
}

// False where the host computes long double and int64 → f32 through double, as valgrind does on
// x86: there the last digits differ, and values are computed but not compared.
static bool host_is_exact(void) {
  volatile long double one = 1, small = 0x1p-60L;
  volatile int64_t halfway = 72057598332895233;
  return LDBL_MANT_DIG > DBL_MANT_DIG && one + small != one && (float)halfway == 0x1.000002p56f;
}

static void check_value(const char *statements, const char *expected) {
  char *value = value_of(statements);
  if (host_is_exact() && !CHECK_STR_EQ(value, expected))
    printf("  %s\n", statements);
  free(value);
}

// --- elementwise: op, operands as constants, dtype of the operands, expected values ---

typedef struct elementwise_row {
  const char *op;
  const char *operands[3];
  const char *dtype;
  const char *expected;
} elementwise_row;

static const elementwise_row elementwise_rows[] = {
    {"neg", {"1, -0.0, nan, inf"}, "f64", "-1.0 0.0 nan -inf"},
    {"neg", {"1, -128, 127, 0"}, "i8", "-1 -128 -127 0"},
    {"abs", {"-2, -0.0, -inf, nan"}, "f32", "2.0 0.0 inf nan"},
    {"abs", {"-2, -2147483648, 7, 0"}, "i32", "2 -2147483648 7 0"},
    {"abs", {"0, 200, 255, 1"}, "u8", "0 200 255 1"},
    {"sign", {"-2.5, -0.0, 0.0, nan"}, "f64", "-1.0 -0.0 0.0 nan"},
    {"sign", {"-5, 0, 9, -128"}, "i8", "-1 0 1 -1"},
    {"sign", {"0, 200, 1, 255"}, "u8", "0 1 1 1"},
    {"floor", {"-1.5, -0.5, 1.5, inf"}, "f64", "-2.0 -1.0 1.0 inf"},
    {"ceil", {"-1.5, -0.5, 1.5, nan"}, "f64", "-1.0 -0.0 2.0 nan"},
    {"trunc", {"-1.5, -0.5, 1.5, 1e300"}, "f64", "-1.0 -0.0 1.0 1e300"},
    {"round_even", {"0.5, 1.5, 2.5, -0.5"}, "f64", "0.0 2.0 2.0 -0.0"},
    {"round_even", {"0.49999999999999994, -3.5, nan, -inf"}, "f64", "0.0 -4.0 nan -inf"},
    {"sqrt", {"2, -1, -0.0, inf"}, "f64", "1.4142135623730951 nan -0.0 inf"},
    {"sqrt", {"2, 3, 0, 1"}, "f32", "1.4142135 1.7320508 0.0 1.0"},
    {"cbrt", {"27, -8, -0.0, inf"}, "f64", "3.0 -2.0 -0.0 inf"},
    {"exp", {"0, 1, -inf, 1000"}, "f64", "1.0 2.718281828459045 0.0 inf"},
    {"exp", {"1, 88, 89, -104"}, "f32", "2.7182817 1.6516363e38 inf 0.0"},
    {"exp2", {"0, 10, -1074, -1075"}, "f64", "1.0 1024.0 5e-324 0.0"},
    {"expm1", {"0, -0.0, 1e-20, -inf"}, "f64", "0.0 -0.0 1e-20 -1.0"},
    {"log", {"1, 0, -1, 10"}, "f64", "0.0 -inf nan 2.302585092994046"},
    {"log2", {"8, 0.125, inf, -0.0"}, "f64", "3.0 -3.0 inf -inf"},
    {"log10", {"1000, 1, 0.001, nan"}, "f64", "3.0 0.0 -3.0 nan"},
    {"log1p", {"0, -0.0, -1, 1e-20"}, "f64", "0.0 -0.0 -inf 1e-20"},
    {"sin", {"0, -0.0, 1, inf"}, "f64", "0.0 -0.0 0.8414709848078965 nan"},
    {"cos", {"0, 1, nan, 1e22"}, "f64", "1.0 0.5403023058681398 nan 0.523214785395139"},
    {"tan", {"0, 1, -0.0, -inf"}, "f64", "0.0 1.5574077246549023 -0.0 nan"},
    {"asin", {"1, 0, 2, -1"}, "f64", "1.5707963267948966 0.0 nan -1.5707963267948966"},
    {"acos", {"1, 0, 2, -1"}, "f64", "0.0 1.5707963267948966 nan 3.141592653589793"},
    {"atan", {"1, inf, -0.0, nan"}, "f64", "0.7853981633974483 1.5707963267948966 -0.0 nan"},
    {"sinh", {"0, 1, 1000, -inf"}, "f64", "0.0 1.1752011936438014 inf -inf"},
    {"cosh", {"0, 1, 1000, -inf"}, "f64", "1.0 1.5430806348152437 inf inf"},
    {"tanh", {"0, 1, 1000, -inf"}, "f64", "0.0 0.7615941559557649 1.0 -1.0"},
    {"asinh", {"0, 1, inf, -0.0"}, "f64", "0.0 0.881373587019543 inf -0.0"},
    {"acosh", {"1, 2, 0, inf"}, "f64", "0.0 1.3169578969248168 nan inf"},
    {"atanh", {"0, 0.5, 1, 2"}, "f64", "0.0 0.5493061443340549 inf nan"},
    {"erf", {"0, 1, inf, -inf"}, "f64", "0.0 0.8427007929497149 1.0 -1.0"},
    {"erfc", {"0, 1, inf, 10"}, "f64", "1.0 0.15729920705028513 0.0 2.088487583762545e-45"},
    {"lgamma", {"1, 0, 10, -1"}, "f64", "0.0 inf 12.801827480081469 inf"},
    {"not", {"0, 255, 1, 128"}, "u8", "255 0 254 127"},
    {"not", {"true, false, true, true"}, "bool", "false true false false"},
    {"is_nan", {"1, nan, inf, nan(0x7ff0000000000001)"}, "f64", "false true false true"},
    {"is_finite", {"1, nan, inf, -inf"}, "f64", "true false false false"},
    {"popcount", {"0, -1, 127, -128"}, "i8", "0 8 7 1"},
    {"clz", {"0, -1, 1, 64"}, "i8", "8 0 7 1"},
    {"add", {"1e300, -0.0, inf, nan", "1e300, -0.0, -inf, 1"}, "f64", "2e300 -0.0 nan nan"},
    {"add", {"16777216, 0.1, 3e38, 0", "1, 0.2, 3e38, -0.0"}, "f32", "16777216.0 0.3 inf 0.0"},
    {"add", {"127, -128, 1, 0", "1, -1, 1, 0"}, "i8", "-128 127 2 0"},
    {"sub", {"0, 1, 255, 128", "1, 1, 0, 200"}, "u8", "255 0 255 184"},
    {"mul", {"200, 16, 0, 255", "2, 16, 9, 255"}, "u8", "144 0 0 1"},
    {"mul", {"9223372036854775807, -1, 2, 3", "2, -1, 3, 4"}, "i64", "-2 1 6 12"},
    {"mul", {"0, inf, -2, 1e-200", "-1, 0, 3, 1e-200"}, "f64", "-0.0 nan -6.0 0.0"},
    {"div", {"1, -1, 0, inf", "0, 0, 0, inf"}, "f64", "inf -inf nan nan"},
    {"div", {"7, -7, 5, -128", "2, 2, 0, -1"}, "i8", "3 -3 -1 -128"},
    {"div", {"7, 200, 5, 0", "2, 3, 0, 9"}, "u8", "3 66 255 0"},
    {"rem", {"7, -7, 5, inf", "2.5, 2.5, 0, 1"}, "f64", "2.0 -2.0 nan nan"},
    {"rem", {"7, -7, 5, -128", "-4, 4, 0, -1"}, "i8", "3 -3 5 0"},
    {"rem", {"7, 200, 5, 0", "4, 150, 0, 9"}, "u8", "3 50 5 0"},
    {"pow", {"2, 0, -8, nan", "0.5, 0, 0.3333, 0"}, "f64", "1.4142135623730951 1.0 nan 1.0"},
    {"pow", {"3, 2, -2, 0", "4, 31, 3, 0"}, "i32", "81 -2147483648 -8 1"},
    {"pow", {"1, -1, -1, 2", "-5, -3, -2, -1"}, "i32", "1 -1 1 0"},
    {"min", {"-0.0, nan, 1, inf", "0.0, 1, nan, -inf"}, "f64", "-0.0 nan nan -inf"},
    {"max", {"-0.0, nan, 1, inf", "0.0, 1, nan, -inf"}, "f64", "0.0 nan nan inf"},
    {"min", {"200, 1, 3, 255", "100, 2, 3, 0"}, "u8", "100 1 3 0"},
    {"max", {"-100, 1, 3, -1", "100, 2, 3, 0"}, "i8", "100 2 3 0"},
    {"max",
     {"false, true, false, true", "false, false, true, true"},
     "bool",
     "false true true true"},
    {"atan2",
     {"1, 0, 0.0, -0.0", "1, -1, 0, -1"},
     "f64",
     "0.7853981633974483 3.141592653589793 0.0 -3.141592653589793"},
    {"hypot",
     {"3, 1e300, inf, nan", "4, 1e300, nan, 1"},
     "f64",
     "5.0 1.4142135623730952e300 inf nan"},
    {"and",
     {"true, true, false, false", "true, false, true, false"},
     "bool",
     "true false false false"},
    {"and", {"12, -1, 5, 0", "10, 77, 2, 1"}, "i16", "8 77 0 0"},
    {"or", {"12, -1, 5, 0", "10, 77, 2, 1"}, "i16", "14 -1 7 1"},
    {"xor", {"12, -1, 5, 0", "10, 77, 2, 1"}, "i16", "6 -78 7 1"},
    {"shl", {"1, 1, 1, -1", "3, 8, -1, 7"}, "i8", "8 0 0 -128"},
    {"shr", {"-128, -1, 64, -2", "3, 8, 9, -1"}, "i8", "-16 -1 0 -1"},
    {"shr", {"128, 255, 64, 2", "3, 8, 6, 1"}, "u8", "16 0 1 1"},
    {"eq", {"1, nan, 0.0, inf", "1, nan, -0.0, 1"}, "f64", "true false true false"},
    {"ne", {"1, nan, 0.0, inf", "1, nan, -0.0, 1"}, "f64", "false true false true"},
    {"lt", {"1, nan, -0.0, -inf", "2, 1, 0.0, inf"}, "f64", "true false false true"},
    {"le", {"1, nan, -0.0, 3", "1, nan, 0.0, 2"}, "f64", "true false true false"},
    {"gt", {"200, 1, 0, 255", "100, 2, 0, 254"}, "u8", "true false false true"},
    {"gt", {"-100, 1, 0, 1", "100, 2, 0, -1"}, "i8", "false false false true"},
    {"ge", {"1, nan, -0.0, 3", "1, nan, 0.0, 2"}, "f64", "true false true true"},
    {"fma",
     {"3, 1e300, 0.1, inf", "4, 1e10, 10, 0", "5, -inf, -1, 1"},
     "f64",
     "17.0 -inf 5.551115123125783e-17 nan"},
    {"fma", {"3, 0.1, 1, 1", "4, 10, 1, 1", "5, -1, 1, -1"}, "f32", "17.0 1.4901161e-8 2.0 0.0"},
};

static void elementwise_ops_give_the_documented_values(void) {
  for (size_t i = 0; i < sizeof elementwise_rows / sizeof *elementwise_rows; i++) {
    const elementwise_row *row = &elementwise_rows[i];
    gj_strbuf text = {0}, call = {0};
    for (int k = 0; k < 3 && row->operands[k]; k++) {
      gj_strbuf_printf(&text, "%%a%d = const [%s] : %s[4]\n", k, row->operands[k], row->dtype);
      gj_strbuf_printf(&call, "%s %%a%d", k ? "," : "", k);
    }
    gj_strbuf_printf(&text, "%%r = %s%s", row->op, gj_strbuf_peek(&call));
    check_value(gj_strbuf_peek(&text), row->expected);
    gj_strbuf_fini(&text);
    gj_strbuf_fini(&call);
  }
}

static void select_broadcasts_its_predicate(void) {
  check_value("%p = const [true, false] : bool[2]\n%a = const [1, 2, 3, 4] : i8[2, 2]\n"
              "%b = const -1 : i8[]\n%r = select %p, %a, %b",
              "1 -1 3 -1");
}

static void conversions_truncate_saturate_wrap_and_round_once(void) {
#define CHECK_CONVERT(from, values, to, expected)                                                  \
  check_value("%a = const [" values "] : " from "[4]\n%r = convert %a {dtype=" to "}", expected)
  CHECK_CONVERT("f64", "-1.9, 300, nan, 127.9", "i8", "-1 127 0 127");
  CHECK_CONVERT("f64", "-1e30, 1e30, inf, -inf", "i64",
                "-9223372036854775808 9223372036854775807 9223372036854775807 "
                "-9223372036854775808");
  CHECK_CONVERT("f64", "-1, 1e30, -0.5, 255.5", "u8", "0 255 0 255");
  CHECK_CONVERT("f32", "1.8446744e19, 1e10, -3, nan", "u64",
                "18446744073709551615 10000000000 0 0");
  CHECK_CONVERT("f64", "0, -0.0, nan, 0.1", "bool", "false false true true");
  CHECK_CONVERT("i32", "0, 256, -1, 65536", "bool", "false true true true");
  CHECK_CONVERT("i32", "255, 256, -1, 65535", "u8", "255 0 255 255");
  CHECK_CONVERT("u8", "255, 128, 127, 0", "i8", "-1 -128 127 0");
  CHECK_CONVERT("u32", "4294967295, 1, 2, 3", "i64", "4294967295 1 2 3");
  CHECK_CONVERT("bool", "true, false, true, true", "f32", "1.0 0.0 1.0 1.0");
  // 2^24 + 1 is halfway between two f32; one more bit far below decides upwards. A detour through
  // f64 would lose that bit.
  CHECK_CONVERT("i64", "16777217, 72057598332895233, -1, 0", "f32",
                "16777216.0 72057600000000000.0 "
                "-1.0 0.0");
  CHECK_CONVERT("u64", "18446744073709551615, 1, 2, 3", "f64",
                "18446744073709552000.0 1.0 2.0 3.0");
  CHECK_CONVERT("f64", "1e300, 0.1, -1e-300, nan", "f32", "inf 0.1 -0.0 nan");
#undef CHECK_CONVERT
}

static void bitcast_keeps_every_bit(void) {
  check_value("%a = const [1.0, -0.0, inf, nan(0x7ff0000000000001)] : f64[4]\n"
              "%r = bitcast %a {dtype=u64}",
              "4607182418800017408 9223372036854775808 9218868437227405312 9218868437227405313");
  // A signalling f32 NaN stays one on the way through a float and back.
  check_value("%a = const [2139095041, -1, 0, 1] : i32[4]\n%b = bitcast %a {dtype=f32}\n"
              "%c = reverse %b {axes=[0]}\n%r = bitcast %c {dtype=i32}",
              "1 0 -1 2139095041");
}

// --- movement ---

static const char *const movement_rows[][2] = {
    {"%r = iota {dtype=i8, shape=[2, 3], axis=0}", "0 0 0 1 1 1"},
    {"%r = iota {dtype=f32, shape=[2, 3], axis=1}", "0.0 1.0 2.0 0.0 1.0 2.0"},
    {"%a = iota {dtype=u8, shape=[300], axis=0}\n"
     "%r = slice %a {shape=[4], start=[254], stride=[1]}",
     "254 255 0 1"},
    {"%a = iota {dtype=i32, shape=[6], axis=0}\n%r = reshape %a {shape=[2, 1, 3]}", "0 1 2 3 4 5"},
    {"%a = iota {dtype=i32, shape=[6], axis=0}\n%b = reshape %a {shape=[2, 3]}\n"
     "%r = transpose %b {axes=[1, 0]}",
     "0 3 1 4 2 5"},
    {"%a = iota {dtype=i32, shape=[24], axis=0}\n%b = reshape %a {shape=[2, 3, 4]}\n"
     "%r = transpose %b {axes=[2, 0, 1]}",
     "0 4 8 12 16 20 1 5 9 13 17 21 2 6 10 14 18 22 3 7 11 15 19 23"},
    {"%a = const [7, 8] : i32[2]\n%r = broadcast %a {shape=[2, 3], axes=[0]}", "7 7 7 8 8 8"},
    {"%a = const [7, 8] : i32[2, 1]\n%r = broadcast %a {shape=[2, 2, 2], axes=[0, 2]}",
     "7 7 7 7 8 8 8 8"},
    {"%a = const 5 : i32[]\n%r = broadcast %a {shape=[3], axes=[]}", "5 5 5"},
    {"%a = iota {dtype=i32, shape=[10], axis=0}\n"
     "%r = slice %a {shape=[4], start=[9], stride=[-3]}",
     "9 6 3 0"},
    {"%a = iota {dtype=i32, shape=[3, 4], axis=1}\n"
     "%r = slice %a {shape=[2, 2], start=[1, 3], stride=[1, -2]}",
     "3 1 3 1"},
    {"%a = iota {dtype=i32, shape=[4], axis=0}\n"
     "%r = slice %a {shape=[0], start=[-1], stride=[-1]}",
     ""},
    {"%a = iota {dtype=i32, shape=[5], axis=0}\n%s = const -3 : i32[]\n"
     "%r = dynamic_slice %a, %s {shape=[2]}",
     "0 1"},
    {"%a = iota {dtype=i32, shape=[5], axis=0}\n%s = const 18446744073709551615 : u64[]\n"
     "%r = dynamic_slice %a, %s {shape=[2]}",
     "3 4"},
    {"%a = iota {dtype=i32, shape=[5], axis=0}\n%s = const 1 : i8[]\n"
     "%r = dynamic_slice %a, %s {shape=[2]}",
     "1 2"},
    {"%a = const 0 : i32[3, 3]\n%u = const [1, 2] : i32[2, 1]\n%s = const 1 : i32[]\n"
     "%r = update_slice %a, %u, %s, %s",
     "0 0 0 0 1 0 0 2 0"},
    {"%a = const 0 : i32[3]\n%u = const [1, 2] : i32[2]\n%s = const 9 : i32[]\n"
     "%r = update_slice %a, %u, %s",
     "0 1 2"},
    {"%a = const [1, 2, 3] : i32[3]\n%f = const 9 : i32[]\n"
     "%r = pad %a, %f {lo=[1], hi=[2], interior=[1]}",
     "9 1 9 2 9 3 9 9"},
    {"%a = const [1, 2, 3] : i32[3]\n%f = const 9 : i32[]\n"
     "%r = pad %a, %f {lo=[-1], hi=[-1], interior=[2]}",
     "9 9 2 9 9"},
    {"%a = const [] : i32[0]\n%f = const 9 : i32[]\n"
     "%r = pad %a, %f {lo=[1], hi=[1], interior=[5]}",
     "9 9"},
    {"%a = const [1, 2, 3, 4] : i32[2, 2]\n%b = const [5, 6] : i32[2, 1]\n"
     "%r = concat %a, %b, %a {axis=1}",
     "1 2 5 1 2 3 4 6 3 4"},
    {"%a = const [] : i32[0, 2]\n%b = const [5, 6] : i32[1, 2]\n%r = concat %a, %b {axis=0}",
     "5 6"},
    {"%a = iota {dtype=i32, shape=[2, 3], axis=1}\n%r = reverse %a {axes=[1]}", "2 1 0 2 1 0"},
    {"%a = const [1, 2, 3, 4] : i32[2, 2]\n%r = reverse %a {axes=[1, 0]}", "4 3 2 1"},
    // The vectors of Random123 for counters and keys of all zeros, and element 1 of the same key.
    {"%k = const [0, 0] : u32[2]\n%r = rng_bits %k {dtype=u64, shape=[2]}",
     "7719171245655871230 3989946895414531357"},
    {"%k = const [0, 0] : u32[2]\n%r = rng_bits %k {dtype=u32, shape=[1, 2]}",
     "4070199207 4202968722"},
    {"%k = const [1, 2] : u32[2]\n%r = rng_bits %k {dtype=u32, shape=[0]}", ""},
    // Rank 8, and rank 0 through everything that takes it.
    {"%a = iota {dtype=i32, shape=[1, 2, 1, 2, 1, 2, 1, 2], axis=7}\n"
     "%r = transpose %a {axes=[7, 6, 5, 4, 3, 2, 1, 0]}",
     "0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1"},
    {"%a = const 3 : i32[]\n%b = transpose %a {axes=[]}\n%c = reverse %b {axes=[]}\n"
     "%d = slice %c {shape=[], start=[], stride=[]}\n%e = pad %d, %a {lo=[], hi=[], interior=[]}\n"
     "%f = dynamic_slice %e {shape=[]}\n%g = update_slice %f, %e\n%h = reshape %g {shape=[1, 1]}\n"
     "%i = reshape %h {shape=[]}\n%r = reduce_sum %i {axes=[]}",
     "3"},
};

static void movement_ops_put_elements_where_they_should(void) {
  for (size_t i = 0; i < sizeof movement_rows / sizeof *movement_rows; i++)
    check_value(movement_rows[i][0], movement_rows[i][1]);
}

// --- reductions ---

static const char *const reduction_rows[][2] = {
    {"%a = const [1, 2, 3, 4, 5, 6] : f64[2, 3]\n%r = reduce_sum %a {axes=[0]}", "5.0 7.0 9.0"},
    {"%a = const [1, 2, 3, 4, 5, 6] : f64[2, 3]\n%r = reduce_sum %a {axes=[1]}", "6.0 15.0"},
    {"%a = const [1, 2, 3, 4, 5, 6] : f64[2, 3]\n%r = reduce_sum %a {axes=[0, 1]}", "21.0"},
    {"%a = const [1, 2, 3, 4, 5, 6] : f64[2, 3]\n%r = reduce_sum %a {axes=[]}",
     "1.0 2.0 3.0 4.0 5.0 6.0"},
    {"%a = iota {dtype=i32, shape=[2, 3, 2], axis=1}\n%r = reduce_sum %a {axes=[0, 2]}", "0 4 8"},
    {"%a = const [] : f64[0, 2]\n%r = reduce_sum %a {axes=[0]}", "0.0 0.0"},
    {"%a = const [] : f64[0, 2]\n%r = reduce_sum %a {axes=[1]}", ""},
    {"%a = const [] : f64[0]\n%r = reduce_prod %a {axes=[0]}", "1.0"},
    {"%a = const [] : f64[0]\n%r = reduce_min %a {axes=[0]}", "inf"},
    {"%a = const [] : f64[0]\n%r = reduce_max %a {axes=[0]}", "-inf"},
    {"%a = const [] : i16[0]\n%r = reduce_min %a {axes=[0]}", "32767"},
    {"%a = const [] : i16[0]\n%r = reduce_max %a {axes=[0]}", "-32768"},
    {"%a = const [] : u16[0]\n%r = reduce_max %a {axes=[0]}", "0"},
    {"%a = const [] : bool[0]\n%r = reduce_min %a {axes=[0]}", "true"},
    {"%a = const [] : bool[0]\n%r = reduce_and %a {axes=[0]}", "true"},
    {"%a = const [] : u8[0]\n%r = reduce_and %a {axes=[0]}", "255"},
    {"%a = const [] : u8[0]\n%r = reduce_or %a {axes=[0]}", "0"},
    {"%a = const [100, 100, 100] : i8[3]\n%r = reduce_sum %a {axes=[0]}", "44"},
    {"%a = const [7, 7, 7] : u8[3]\n%r = reduce_prod %a {axes=[0]}", "87"},
    {"%a = const [1e16, 1, -1e16] : f64[3]\n%r = reduce_sum %a {axes=[0]}", "1.0"},
    {"%a = const [16777216, 1, 1] : f32[3]\n%r = reduce_sum %a {axes=[0]}", "16777218.0"},
    {"%a = const [1, nan, 3] : f64[3]\n%r = reduce_min %a {axes=[0]}", "nan"},
    {"%a = const [0.0, -0.0] : f64[2]\n%r = reduce_min %a {axes=[0]}", "-0.0"},
    {"%a = const [-0.0, 0.0] : f64[2]\n%r = reduce_max %a {axes=[0]}", "0.0"},
    {"%a = const [5, -3, 4] : i8[3]\n%r = reduce_max %a {axes=[0]}", "5"},
    {"%a = const [12, 10] : u8[2]\n%r = reduce_and %a {axes=[0]}", "8"},
    {"%a = const [false, true] : bool[2]\n%r = reduce_or %a {axes=[0]}", "true"},
};

static void reductions_start_right_and_run_over_their_axes(void) {
  for (size_t i = 0; i < sizeof reduction_rows / sizeof *reduction_rows; i++)
    check_value(reduction_rows[i][0], reduction_rows[i][1]);
}

static void check_arg(const char *op, const char *values, const char *type, const char *indices,
                      const char *index_type, const char *expected) {
  gj_strbuf text = {0}, out = {0};
  gj_strbuf_printf(&text, "%%v = const [%s] : %s\n%%i = const [%s] : %s\n", values, type, indices,
                   index_type);
  gj_strbuf_printf(&text, "%%a = %s %%v, %%i {axes=[0]}\n", op);
  size_t size = text.size;
  for (int result = 0; result < 2; result++) {
    text.size = size;
    gj_strbuf_printf(&text, "%%r = result %%a {index=%d}", result);
    char *value = value_of(gj_strbuf_peek(&text));
    gj_strbuf_printf(&out, "%s%s", result ? " at " : "", value);
    free(value);
  }
  CHECK_STR_EQ(gj_strbuf_peek(&out), expected);
  gj_strbuf_fini(&text);
  gj_strbuf_fini(&out);
}

static void argmin_and_argmax_break_ties_and_prefer_nan(void) {
  check_arg("argmin", "3, 1, 2, 1", "f64[4]", "0, 1, 2, 3", "i32[4]", "1.0 at 1");
  check_arg("argmax", "3, 1, 3, 1", "f64[4]", "0, 1, 2, 3", "i32[4]", "3.0 at 0");
  // Ties go to the lowest index as unsigned, not to the first element.
  check_arg("argmax", "3, 1, 3, 1", "f64[4]", "7, 1, 2, 3", "i64[4]", "3.0 at 2");
  check_arg("argmax", "3, 1, 3, 1", "f64[4]", "-1, 1, 2, 3", "i64[4]", "3.0 at 2");
  check_arg("argmin", "1, nan, -inf, nan", "f32[4]", "0, 1, 2, 3", "u32[4]", "nan at 1");
  check_arg("argmax", "1, inf, nan, 5", "f64[4]", "0, 1, 2, 3", "u64[4]", "nan at 2");
  check_arg("argmin", "0.0, -0.0, 0.0, 1", "f64[4]", "0, 1, 2, 3", "i32[4]", "0.0 at 0");
  check_arg("argmin", "inf, inf", "f64[2]", "0, 1", "i32[2]", "inf at 0");
  check_arg("argmin", "", "f64[0]", "", "i32[0]", "inf at -1");
  check_arg("argmax", "", "u8[0]", "", "u32[0]", "0 at 4294967295");
  check_arg("argmax", "1, 5, 7, 2", "i8[2, 2]", "0, 0, 1, 1", "i32[2, 2]", "7 5 at 1 0");
  check_arg("argmax", "false, true, true", "bool[3]", "0, 1, 2", "i32[3]", "true at 1");
}

// --- scalars ---

static void scalars_come_from_numbers_they_can_hold(void) {
  gj_scalar s;
  CHECK(gj_scalar_from_double(GJ_DTYPE_f32, 0.1, &s));
  CHECK_DOUBLE_EQ(s.v.f, (double)0.1f);
  CHECK(gj_scalar_from_double(GJ_DTYPE_f64, NAN, &s) && isnan(s.v.f));
  CHECK(gj_scalar_from_double(GJ_DTYPE_i8, -128, &s) && s.v.i == -128);
  CHECK(!gj_scalar_from_double(GJ_DTYPE_i8, 128, &s));
  CHECK(!gj_scalar_from_double(GJ_DTYPE_u8, -1, &s));
  CHECK(!gj_scalar_from_double(GJ_DTYPE_i32, 1.5, &s));
  CHECK(!gj_scalar_from_double(GJ_DTYPE_i32, NAN, &s));
  CHECK(!gj_scalar_from_double(GJ_DTYPE_i64, INFINITY, &s));
  CHECK(!gj_scalar_from_double(GJ_DTYPE_i64, 9223372036854775808.0, &s));
  CHECK(gj_scalar_from_double(GJ_DTYPE_i64, -9223372036854775808.0, &s) && s.v.i == INT64_MIN);
  CHECK(gj_scalar_from_double(GJ_DTYPE_u64, 9223372036854775808.0, &s) && s.v.u == UINT64_C(1)
                                                                                       << 63);
  CHECK(gj_scalar_from_double(GJ_DTYPE_bool, 1, &s) && s.v.u == 1);
  CHECK(!gj_scalar_from_double(GJ_DTYPE_bool, 2, &s));
  CHECK(gj_scalar_from_double(GJ_DTYPE_f16, 0.1, &s) && s.v.f == 0x1.998p-4);
  CHECK(gj_scalar_from_double(GJ_DTYPE_bf16, 0.1, &s) && s.v.f == 0x1.9ap-4);
}

static void scalars_compare_by_bits_but_for_nan(void) {
  gj_scalar zero = {.dtype = GJ_DTYPE_f64, .v.f = 0}, minus = {.dtype = GJ_DTYPE_f64, .v.f = -0.0};
  gj_scalar a = {.dtype = GJ_DTYPE_f64, .v.f = NAN}, b = {.dtype = GJ_DTYPE_f64, .v.f = -NAN};
  gj_scalar integer = {.dtype = GJ_DTYPE_i64, .v.i = 0};
  CHECK(gj_scalar_same_bits(zero, zero));
  CHECK(!gj_scalar_same_bits(zero, minus));
  CHECK(gj_scalar_same_bits(a, b));
  CHECK(!gj_scalar_same_bits(a, zero));
  CHECK(!gj_scalar_same_bits(zero, integer));
}

static void every_small_element_loads_and_stores_as_itself(void) {
  for (int d = 1; d < GJ_DTYPE_COUNT; d++)
    for (uint32_t i = 0; i < 65536; i++) {
      unsigned char in[8] = {0}, out[8] = {0};
      size_t width = gj_dtype_bytes((gj_dtype)d);
      // The sixteen bits at the top, where signs and exponents are.
      in[width - 1] = (unsigned char)(d == GJ_DTYPE_bool ? i & 1 : i >> 8);
      if (width > 1)
        in[width - 2] = (unsigned char)i;
      gj_scalar_store(gj_scalar_load((gj_dtype)d, in), out);
      if (memcmp(in, out, width) != 0)
        CHECK(!"same bytes");
    }
}

// --- binding ---

static const char *const bound = "graph \"t\" {\n"
                                 "%x = param \"x\" : f64[n, m]\n"
                                 "%y = param \"y\" : f64[n + m]\n"
                                 "%z = param \"z\" : f64[n]\n"
                                 "%a = reshape %y {shape=[(n + m)/2, 2]}\n"
                                 "%b = slice %z {shape=[n - 1], start=[1], stride=[1]}\n"
                                 "%c = dynamic_slice %z, %k {shape=[m]}\n"
                                 "%e = broadcast %x {shape=[n, m, n*m*n*m], axes=[0, 1]}\n"
                                 "%unneeded = slice %z {shape=[n - 99], start=[99], stride=[1]}\n"
                                 "output \"a\" = %a output \"b\" = %b output \"c\" = %c\n"
                                 "output \"e\" = %e\n"
                                 "}\n";

static gj_status bind(int64_t x0, int64_t x1, int64_t y0, int64_t z0, gj_error *err) {
  // The start of the window is the only constant, so it stands in front.
  gj_strbuf text = {0};
  gj_strbuf_printf(&text, "graph \"t\" {\n%%k = const 0 : i32[]\n%s", strchr(bound, '\n') + 1);
  gj_graph *graph = NULL;
  gj_status status = gj_graph_parse(gj_strbuf_peek(&text), text.size, &graph, err);
  gj_strbuf_fini(&text);
  int64_t x[] = {x0, x1}, symbols[2];
  const int64_t *shapes[] = {x, &y0, &z0};
  if (status == GJ_OK)
    status = gj_graph_bind(graph, shapes, symbols, err);
  if (status == GJ_OK)
    CHECK(symbols[0] == x0 && symbols[1] == x1);
  gj_graph_free(graph);
  return status;
}

static void binding_checks_what_typing_had_to_leave_open(void) {
  gj_error err = {0};
  CHECK_OK(bind(4, 2, 6, 4, &err), &err);
  CHECK_INT_EQ(bind(4, 2, 7, 4, &err), GJ_E_SHAPE);
  CHECK_STR_EQ(err.message,
               "input \"y\": axis 0 has size 7, but it must be m + n for m = 2, n = 4");
  CHECK_INT_EQ(bind(4, 2, 6, 5, &err), GJ_E_SHAPE);
  CHECK_STR_EQ(err.message, "input \"z\": axis 0 has size 5, but n is 4 from input \"x\"");
  CHECK_INT_EQ(bind(4, 1, 5, 4, &err), GJ_E_SHAPE);
  CHECK_STR_EQ(err.message,
               "reshape: [m + n] has 5 elements, but [(m + n)/2, 2] (%5) has 4 for m = "
               "1, n = 4");
  CHECK_INT_EQ(bind(0, 2, 2, 0, &err), GJ_E_SHAPE);
  CHECK_STR_EQ(err.message, "slice: the size of axis 0 of %6 is -1: n - 1 for n = 0");
  CHECK_INT_EQ(bind(4, 6, 10, 4, &err), GJ_E_SHAPE);
  CHECK_CONTAINS(err.message, "dynamic_slice: axis 0 of the window has size 6");
  CHECK_INT_EQ(bind(-1, 2, 1, -1, &err), GJ_E_SHAPE);
  CHECK_STR_EQ(err.message, "input \"x\": axis 0 has size -1, not in [0, 2^47]");
  CHECK_INT_EQ(bind(40000, 20000, 60000, 40000, &err), GJ_E_OVERFLOW);
  CHECK_CONTAINS(err.message, "has more than 2^47 bytes");
  CHECK_INT_EQ(bind(INT64_C(1) << 40, INT64_C(1) << 40, INT64_C(1) << 41, INT64_C(1) << 40, &err),
               GJ_E_OVERFLOW);
}

static void symbols_take_part_in_evaluation(void) {
  static const char *const text =
      "graph \"t\" { %x = param \"x\" : f64[n] %t = const 2 : f64[n]\n"
      "%y = mul %x, %t %s = slice %y {shape=[n], start=[n - 1], stride=[-1]}\n"
      "%e = const 9 : f64[] %p = pad %s, %e {lo=[1], hi=[0], interior=[1]} output \"p\" = %p }";
  gj_graph *graph = NULL;
  gj_error err = {0};
  CHECK_OK(gj_graph_parse(text, strlen(text), &graph, &err), &err);
  CHECK_OR_RETURN(graph != NULL);
  for (int64_t n = 0; n < 4; n++) {
    static const double x[] = {1, 2, 3};
    static const char *const expected[] = {"9.0", "9.0 2.0", "9.0 4.0 9.0 2.0",
                                           "9.0 6.0 9.0 4.0 9.0 2.0"};
    double p[8] = {0};
    int64_t symbols[1];
    const int64_t *shapes[] = {&n};
    const void *inputs[] = {x};
    void *outputs[] = {p};
    CHECK_OK(gj_graph_bind(graph, shapes, symbols, &err), &err);
    CHECK_OK(gj_graph_eval(graph, symbols, inputs, outputs, &err), &err);
    gj_strbuf out = {0};
    gj_type type = {.dtype = GJ_DTYPE_f64};
    append_elements(&type, (const char *)p, n == 0 ? 1 : 2 * n, &out);
    CHECK_STR_EQ(gj_strbuf_peek(&out), expected[n]);
    gj_strbuf_fini(&out);
  }
  gj_graph_free(graph);
}

static void windows_have_any_length_from_one_on(void) {
  static const char *const text =
      "graph \"t\" { %x = param \"x\" : f64[n, 3]\n"
      "%y = window_sum %x {window=[n - 2, 140737488355328], stride=[1, 3], lo=[0, 140737488355328],"
      " hi=[0, 2], base_dilation=[1, 1], dilation=[3, 1]}\n"
      "%z = window_max %y {window=[140737488355328, 140737488355328], stride=[1, 1],"
      " lo=[140737488355327, 140737488355327], hi=[0, 0], base_dilation=[1, 1], dilation=[1, 1]}\n"
      "output \"y\" = %y output \"z\" = %z }";
  static const double x[9] = {1, 2, 3, 4, 9, 6, 7, 8, 1}, sums[6] = {0, 6, 0, 19, 0, 16};
  static const double greatest[6] = {0, 6, 0, 19, 0, 19};
  double y[6] = {0}, z[6] = {0};
  int64_t symbols[1], shape[2] = {3, 3};
  const int64_t *shapes[] = {shape};
  const void *inputs[] = {x};
  void *outputs[] = {y, z};
  gj_graph *graph = NULL;
  gj_error err = {0};
  CHECK_OK(gj_graph_parse(text, strlen(text), &graph, &err), &err);
  CHECK_OR_RETURN(graph != NULL);
  CHECK_OK(gj_graph_bind(graph, shapes, symbols, &err), &err);
  CHECK_OK(gj_graph_eval(graph, symbols, inputs, outputs, &err), &err);
  CHECK(memcmp(y, sums, sizeof y) == 0 && memcmp(z, greatest, sizeof z) == 0);
  shape[0] = 2;
  CHECK_INT_EQ(gj_graph_bind(graph, shapes, symbols, &err), GJ_E_SHAPE);
  CHECK_STR_EQ(
      err.message,
      "window_sum: the window of axis 0 of %2 has size 0, not in [1, 2^47]: n - 2 for n = 2");
  gj_graph_free(graph);
}

static void values_too_large_for_memory_are_reported(void) {
  static const char *const text = "graph \"t\" { %a = const 1 : f64[17592186044416] %r = neg %a "
                                  "output \"r\" = %r }";
  gj_graph *graph = NULL;
  gj_error err = {0};
  CHECK_OK(gj_graph_parse(text, strlen(text), &graph, &err), &err);
  CHECK_OR_RETURN(graph != NULL);
  int64_t symbols[1];
  CHECK_OK(gj_graph_bind(graph, NULL, symbols, &err), &err);
  CHECK_INT_EQ(gj_graph_eval(graph, symbols, NULL, NULL, &err), GJ_E_MEMORY);
  CHECK_STR_EQ(err.message, "eval: out of memory for the 140737488355328 bytes of %1");
  gj_graph_free(graph);
}

int main(void) {
  CHECK_RUN(elementwise_ops_give_the_documented_values);
  CHECK_RUN(select_broadcasts_its_predicate);
  CHECK_RUN(conversions_truncate_saturate_wrap_and_round_once);
  CHECK_RUN(bitcast_keeps_every_bit);
  CHECK_RUN(movement_ops_put_elements_where_they_should);
  CHECK_RUN(reductions_start_right_and_run_over_their_axes);
  CHECK_RUN(argmin_and_argmax_break_ties_and_prefer_nan);
  CHECK_RUN(scalars_come_from_numbers_they_can_hold);
  CHECK_RUN(scalars_compare_by_bits_but_for_nan);
  CHECK_RUN(every_small_element_loads_and_stores_as_itself);
  CHECK_RUN(binding_checks_what_typing_had_to_leave_open);
  CHECK_RUN(symbols_take_part_in_evaluation);
  CHECK_RUN(windows_have_any_length_from_one_on);
  CHECK_RUN(values_too_large_for_memory_are_reported);
  return check_report();
}
