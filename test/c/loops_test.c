// Tests of Loop IR: builders, folding, the verifier, the text form, the interpreter.

#include "loops_text.h"

#include <math.h>
#include <stdlib.h>

// --- helpers ---

// The text parses, and prints as itself.
static void same(const char *text) {
  gj_lmodule *m = parse(text);
  if (!m)
    return;
  char *printed = print(m);
  CHECK_STR_EQ(printed, text);
  gj_lmodule *copy = gj_lmodule_clone(m);
  char *cloned = print(copy);
  CHECK_STR_EQ(cloned, text);
  free(cloned);
  gj_lmodule_free(copy);
  free(printed);
  gj_lmodule_free(m);
}

// The text is refused with a message that holds `part`.
static void bad(const char *text, const char *part) {
  gj_error err = {0};
  gj_lmodule *m = NULL;
  CHECK(gj_lmodule_parse(text, strlen(text), &m, &err) != GJ_OK);
  CHECK(m == NULL);
  CHECK_CONTAINS(err.message, part);
  gj_lmodule_free(m);
}

// A body of a function over x: f64*, r: f64* readonly, n: i64, b: bool that returns an f64.
static void bad_body(const char *body, const char *part) {
  char text[2048];
  snprintf(text, sizeof text,
           "module \"t\" { func g() { } func f(x: f64*, r: f64* readonly, n: i64, b: bool) -> f64 "
           "{ %s } }",
           body);
  bad(text, part);
}

static const gj_ltype nothing = {GJ_DTYPE_none, 0, 1};

static const gj_lexpr *constant(gj_lmodule *m, gj_dtype dtype, double value) {
  gj_scalar s;
  gj_scalar_from_double(dtype, value, &s);
  return gj_lx_const(m, s);
}

// --- building ---

static void names_are_made_unique_and_legal(void) {
  gj_lmodule *m = gj_lmodule_new("t");
  gj_lfunc *f = gj_lfunc_new(m, "k", nothing, false);
  CHECK_STR_EQ(gj_lfunc_new(m, "k", nothing, false)->name, "k2");
  CHECK_STR_EQ(gj_lfunc_new(m, "k", nothing, false)->name, "k3");
  static const char *const hints[] = {"a", "a", "a", "i3", "i3", "for", "2x", "größe", "", "a-b"};
  static const char *const wanted[] = {"a",    "a2",  "a3",      "i3", "i3_2",
                                       "for_", "_2x", "gr____e", "_",  "a_b"};
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
    uint32_t l = gj_lfunc_local(m, f, hints[i], gj_ltype_scalar(GJ_DTYPE_i64));
    CHECK_STR_EQ(f->locals[l].name, wanted[i]);
  }
  CHECK_INT_EQ(m->failed, GJ_OK);
  gj_lmodule_free(m);
}

static void many_equal_names_take_linear_time(void) {
  gj_lmodule *m = gj_lmodule_new("t");
  gj_lfunc *f = gj_lfunc_new(m, "k", nothing, false);
  for (int i = 0; i < 100000; i++)
    gj_lfunc_local(m, f, "a", gj_ltype_scalar(GJ_DTYPE_f64));
  CHECK_STR_EQ(f->locals[99999].name, "a100000");
  gj_lmodule_free(m);
}

static void index_arithmetic_folds(void) {
  gj_lmodule *m = gj_lmodule_new("t");
  gj_lfunc *f = gj_lfunc_new(m, "k", nothing, false);
  const gj_lexpr *x =
      gj_lx_local(m, f, gj_lfunc_param(m, f, "x", gj_ltype_scalar(GJ_DTYPE_i64), 0));
  const gj_lexpr *zero = gj_lx_i64(m, 0), *one = gj_lx_i64(m, 1), *five = gj_lx_i64(m, 5);
  CHECK(gj_lx_binary(m, GJ_OP_add, x, zero) == x);
  CHECK(gj_lx_binary(m, GJ_OP_add, zero, x) == x);
  CHECK(gj_lx_binary(m, GJ_OP_mul, one, x) == x);
  CHECK(gj_lx_binary(m, GJ_OP_mul, x, zero) == zero);
  CHECK(gj_lx_binary(m, GJ_OP_sub, x, zero) == x);
  CHECK(
      gj_lx_offset(m, gj_lx_data(m, gj_lmodule_data(m, GJ_DTYPE_f64, "12345678", 1)), zero)->kind ==
      GJ_LX_DATA);
  const gj_lexpr *sum = gj_lx_binary(
      m, GJ_OP_sub, gj_lx_binary(m, GJ_OP_add, gj_lx_binary(m, GJ_OP_add, x, five), five), one);
  CHECK(sum->args[0] == x);
  CHECK_INT_EQ(sum->args[1]->value.v.i, 9);
  const gj_lexpr *product = gj_lx_binary(m, GJ_OP_mul, gj_lx_binary(m, GJ_OP_mul, five, x), five);
  CHECK(product->args[0] == x);
  CHECK_INT_EQ(product->args[1]->value.v.i, 25);
  CHECK_INT_EQ(gj_lx_binary(m, GJ_OP_div, gj_lx_i64(m, 7), gj_lx_i64(m, -2))->value.v.i, -3);
  CHECK_INT_EQ(gj_lx_binary(m, GJ_OP_mul, gj_lx_i64(m, INT64_MAX), five)->value.v.i, INT64_MAX - 4);
  CHECK(gj_lx_select(m, gj_lx_binary(m, GJ_OP_lt, one, five), x, zero) == x);
  // Floats are left alone: x + 0 is not x when x is -0.
  const gj_lexpr *a = gj_lx_load(m, gj_lx_data(m, 0), zero, 1);
  CHECK(gj_lx_binary(m, GJ_OP_add, a, constant(m, GJ_DTYPE_f64, 0)) != a);
  CHECK_INT_EQ(m->failed, GJ_OK);
  gj_lmodule_free(m);
}

static void types_come_from_the_op_table(void) {
  gj_lmodule *m = gj_lmodule_new("t");
  const gj_lexpr *a = constant(m, GJ_DTYPE_f32, 1), *b = gj_lx_splat(m, a, 8);
  CHECK(gj_ltype_equal(gj_lx_binary(m, GJ_OP_add, a, a)->type, gj_ltype_scalar(GJ_DTYPE_f32)));
  CHECK(gj_ltype_equal(gj_lx_binary(m, GJ_OP_lt, b, b)->type, gj_ltype_vector(GJ_DTYPE_bool, 8)));
  CHECK(gj_ltype_equal(gj_lx_convert(m, b, GJ_DTYPE_i16)->type, gj_ltype_vector(GJ_DTYPE_i16, 8)));
  CHECK(gj_lx_convert(m, b, GJ_DTYPE_f32) == b);
  const gj_lexpr *p = gj_lx_binary(m, GJ_OP_lt, b, b);
  CHECK(gj_ltype_equal(gj_lx_select(m, p, b, b)->type, b->type));
  CHECK(gj_ltype_equal(gj_lx_any(m, p)->type, gj_ltype_scalar(GJ_DTYPE_bool)));
  CHECK_INT_EQ(m->failed, GJ_OK);
  gj_lmodule_free(m);
}

static void misuse_is_kept_and_names_both_types(void) {
  gj_lmodule *m = gj_lmodule_new("t");
  gj_lfunc *f = gj_lfunc_new(m, "k", nothing, false);
  const gj_lexpr *a = constant(m, GJ_DTYPE_f32, 1), *b = constant(m, GJ_DTYPE_f64, 1);
  const gj_lexpr *wrong = gj_lx_binary(m, GJ_OP_mul, a, b);
  CHECK_INT_EQ(m->failed, GJ_E_DTYPE);
  CHECK_STR_EQ(m->error.message, "mul: operands 0 and 1 differ: f32 vs f64");
  // Everything after it is harmless, and the first message stays.
  gj_lstmt *loop = gj_ls_for(m, f, &f->body, "i", wrong, gj_lx_i64(m, 3), 0, 0, 0);
  gj_ls_store(m, f, &loop->body, wrong, wrong, wrong);
  gj_ls_return(m, gj_lfunc_new(m, "g", nothing, false), &loop->body, NULL);
  CHECK_STR_EQ(m->error.message, "mul: operands 0 and 1 differ: f32 vs f64");
  gj_error err = {0};
  CHECK_INT_EQ(gj_lmodule_verify(m, &err), GJ_E_DTYPE);
  gj_lmodule_free(m);
}

static void expressions_have_bounded_depth_and_size(void) {
  gj_lmodule *m = gj_lmodule_new("t");
  const gj_lexpr *e = constant(m, GJ_DTYPE_f64, 1);
  for (int i = 0; i < 15; i++)
    e = gj_lx_binary(m, GJ_OP_add, e, e); // shared: small in memory, doubled as a tree
  CHECK_INT_EQ(m->failed, GJ_OK);
  e = gj_lx_binary(m, GJ_OP_add, e, e);
  CHECK_INT_EQ(m->failed, GJ_E_UNSUPPORTED);
  gj_lmodule_free(m);
  m = gj_lmodule_new("t");
  e = constant(m, GJ_DTYPE_f64, 1);
  for (int i = 0; i < 256; i++)
    e = gj_lx_unary(m, GJ_OP_neg, e);
  CHECK_CONTAINS(m->error.message, "256 levels");
  gj_lmodule_free(m);
}

// --- text ---

static const char *const everything =
    "module \"all \\\"of\\\" it\\n\" {\n"
    "  data 0: f32[2] = hex \"0000803f000000c0\"\n"
    "  data 1: bool[0] = hex \"\"\n"
    "  note \"z = x + 1\\\\\"\n"
    "  func k0(z: f64* noalias, x: f64* noalias readonly, n: i64, flag: bool) -> i32 {\n"
    "    let s: f64 = nan:f64\n"
    "    array t: f32[16]\n"
    "    for i = 0 to n step 1 vector(2) {\n"
    "      z[i] = add(x[i], 1.0:f64)\n"
    "    }\n"
    "    for j = 0 to 4 step 2 unroll {\n"
    "      if (and(flag, not(cancelled))) {\n"
    "        break\n"
    "      } else {\n"
    "        continue\n"
    "      }\n"
    "    }\n"
    "    while (lt(s, inf:f64)) {\n"
    "      s = select(flag, -inf:f64, nan(0xfff8000000000123):f64)\n"
    "      t[0] = convert<f32>(s)\n"
    "      offset(z, 3)[4] = bitcast<f64>(-9223372036854775808)\n"
    "    }\n"
    "    let v: f32<8> = add(t[0:8], splat<8>(data<0>[1]))\n"
    "    let w: f32<8> = reverse(t[mul(lanes<8>, splat<8>(2))])\n"
    "    let u: f32<4> = t[1:4:3]\n"
    "    let v4: f32<4> = t[0:4:3 at 1 of 2]\n"
    "    tile<4> t = t[0 by 3]\n"
    "    fetch offset(t, add(n, 1)) to write\n"
    "    for r = 0 to n step 1 tile {\n"
    "    }\n"
    "    let w4: f32<4> = t[0:4:4 at 3 of 4 if first<4>(2)]\n"
    "    let v8: f32<8> = compress(v, ge(v, w))\n"
    "    let v9: i64 = trues(ge(v, w))\n"
    "    let bits: u64 = bits(ge(v, w))\n"
    "    let mask: bool<64> = mask<64>(bits)\n"
    "    let trues: bool<64> = and(mask, mask<64>(bits))\n"
    "    if (any(ge(v, w))) {\n"
    "      t[8] = fma(v, w, v)\n"
    "    }\n"
    "    return -1:i32\n"
    "  }\n"
    "  func k1() {\n"
    "    let add: u64 = 18446744073709551615:u64\n"
    "    let b: bool = true\n"
    "    let c: i8 = -128:i8\n"
    "    let d: f32 = 0.1:f32\n"
    "    let e: f64 = 0.1:f64\n"
    "    let f: f64 = -0.0:f64\n"
    "    let g: f64 = 5e-324:f64\n"
    "    return\n"
    "  }\n"
    "  func k2(p: f64*, begin: i64, end: i64) -> i32 {\n"
    "    p[slot] = convert<f64>(sub(end, begin))\n"
    "    return 0:i32\n"
    "  }\n"
    "  entry func main() -> i32 {\n"
    "    do call k1()\n"
    "    fetch offset(buffer<3, f64>, -7)\n"
    "    let done: i32 = parallel k2(buffer<3, f64>) over 0 to add(dim<0>, 1) grain max(4, "
    "dim<1>)\n"
    "    let p: f64* = scratch<f64>(64)\n"
    "    return call k0(p, buffer<3, f64>, dim<0>, false)\n"
    "  }\n"
    "}\n";

static void printing_and_parsing_are_inverse(void) { same(everything); }

static void constants_keep_their_bits(void) {
  static const uint64_t patterns[] = {0x8000000000000000u, 1,
                                      0x7FEFFFFFFFFFFFFFu, 0x3FB999999999999Au,
                                      0x7FF0000000000001u, 0xFFF8000000000000u,
                                      0x4340000000000001u};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    gj_lmodule *m = gj_lmodule_new("t");
    gj_lfunc *f = gj_lfunc_new(m, "k", nothing, false);
    gj_ls_let(m, f, &f->body, "a",
              gj_lx_const(m, (gj_scalar){.dtype = GJ_DTYPE_f64, .v = {.u = patterns[i]}}));
    char *text = print(m);
    gj_lmodule *back = parse(text);
    if (back)
      CHECK(back->funcs[0]->body.stmts[0]->a->value.v.u == patterns[i]);
    gj_lmodule_free(back);
    free(text);
    gj_lmodule_free(m);
  }
}

static void comments_and_spacing_are_free(void) {
  gj_lmodule *m =
      parse("// first\nmodule\"t\"{func f()->f64{// here\nlet a:f64=1.50:f64 return a}}//");
  char *text = m ? print(m) : NULL;
  CHECK_STR_EQ(text, "module \"t\" {\n  func f() -> f64 {\n    let a: f64 = 1.5:f64\n    return a\n"
                     "  }\n}\n");
  free(text);
  gj_lmodule_free(m);
}

static void syntax_errors_have_line_and_column(void) {
  bad("", "line 1, column 1: expected 'module', got the end of the text");
  bad("module \"t\" {\n  func f( {", "line 2, column 11: expected a new name, got '{'");
  bad("module \"t\" { } x", "expected the end of the text, got 'x'");
  bad("module \"t\" { func f() { let for: f64 = 1:f64 } }", "expected a new name, got 'for'");
  bad("module \"t", "the string has no end on its line");
  bad("module \"t\\q\" {}", "a string with the escapes");
  bad("module \"t\" { func f() { let a: f16 = neg(1:f16) } }",
      "neg: operand 1 is f16, expected f32: halves are moved and converted only");
  bad("module \"t\" { func f() { let a: u8 = 256:u8 } }",
      "column 37: '256' is out of range for u8");
  bad("module \"t\" { func f() { let a: u8 = -1:u8 } }", "'-1' is out of range for u8");
  bad("module \"t\" { func f() { let a: i64 = 9223372036854775808 } }", "is out of range for i64");
  bad("module \"t\" { func f() { let a: f64 = 1e999:f64 } }", "'1e999' is out of range for f64");
  bad("module \"t\" { func f() { let a: f64 = 1.2.3:f64 } }",
      "expected a value of f64, got '1.2.3'");
  bad("module \"t\" { func f() { let a: i64 = inf } }", "expected a value of i64, got 'inf'");
  bad("module \"t\" { func f() { let a: f64 = nan(0x1):f64 } }", "has not the bits of a NaN");
  bad("module \"t\" { func f() { let a: bool = 2:bool } }", "out of range for bool");
  bad("module \"t\" { func f() { let a: f64 = reduce_sum(1:f64) } }", "expected an elementwise op");
  bad("module \"t\" { func f() { let a: f64 = g } }", "expected a local, an op or a constant");
  bad("module \"t\" { func f() { do call h() } }", "expected the name of a function");
  bad("module \"t\" { func f() { } func f() { } }", "a name that is not taken, got 'f'");
  bad("module \"t\" { func f(a: i64, a: i64) { } }", "a name that is not taken, got 'a'");
  bad("module \"t\" { data 1: f64[0] = hex \"\" }", "1 is not in 0 … 0");
  bad("module \"t\" { data 0: f64[1] = hex \"00\" }", "2 hex digits, expected two for each of 8");
  bad("module \"t\" { data 0: u8[1] = hex \"0g\" }", "data byte 0 is not two hex digits");
  bad("module \"t\" { data 0: f64[9223372036854775807] = hex \"\" }", "too large");
  bad("module \"t\" { func f() { array a: f64[99999999] } }", "elements: 99999999 is not in");
  bad("module \"t\" { func f() { for i = 0 to 1 step 0 { } } }", "step: 0 is not in");
  bad("module \"t\" { func f() { for i = 0 to 1 step 1 vector(0) { } } }", "factor: 0 is not in");
}

// --- hostile text ---

static void every_truncation_is_refused_or_valid(void) {
  size_t length = strlen(everything);
  for (size_t cut = 0; cut < length; cut++) {
    // An exact heap copy lets the sanitizer see a read behind the end.
    char *text = malloc(cut + 1);
    memcpy(text, everything, cut);
    gj_error err = {0};
    gj_lmodule *m = NULL;
    char *exact = cut ? realloc(text, cut) : text;
    CHECK((gj_lmodule_parse(exact, cut, &m, &err) != GJ_OK) == (m == NULL));
    gj_lmodule_free(m);
    free(exact);
  }
}

static void mutated_text_never_breaks_anything(void) {
  static const char noise[] = "(){}[]<>,:=\"-+*019ae.xn \n\\\xff";
  size_t length = strlen(everything);
  uint64_t state = 42;
  for (int round = 0; round < 4000; round++) {
    char *text = malloc(length);
    memcpy(text, everything, length);
    for (int edits = 1 + round % 3; edits; edits--) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      size_t at = (state >> 33) % length;
      text[at] = noise[(state >> 20) % (sizeof noise - 1)];
    }
    gj_error err = {0};
    gj_lmodule *m = NULL;
    if (gj_lmodule_parse(text, length, &m, &err) == GJ_OK) {
      gj_strbuf report = {0};
      CHECK_OK(gj_loops_vectorise(m, &(gj_loops_machine){.vector_bytes = 32}, &report, &err), &err);
      CHECK_OK(gj_lmodule_verify(m, &err), &err);
      gj_strbuf_fini(&report);
    }
    gj_lmodule_free(m);
    free(text);
  }
}

static void deep_nesting_is_refused(void) {
  enum { DEEP = 100000 };
  char *text = malloc(DEEP * 8 + 100);
  size_t at = (size_t)sprintf(text, "module \"t\" { func f() { let a: f64 = ");
  for (int i = 0; i < DEEP; i++)
    at += (size_t)sprintf(text + at, "neg(");
  bad(text, "expressions nest more than 256 deep");
  at = (size_t)sprintf(text, "module \"t\" { func f(x: i64*) { let a: i64 = ");
  for (int i = 0; i < DEEP; i++)
    at += (size_t)sprintf(text + at, "x[");
  bad(text, "expressions nest more than 256 deep");
  at = (size_t)sprintf(text, "module \"t\" { func f(b: bool) { ");
  for (int i = 0; i < DEEP / 2; i++)
    at += (size_t)sprintf(text + at, "if (b) { ");
  bad(text, "statements nest more than 64 deep");
  free(text);
}

// --- the verifier ---

static void types_are_checked(void) {
  bad_body("return add(1:f64, 1)", "add: operands 0 and 1 differ: f64 vs i64");
  bad_body("return add(splat<4>(1:f64), 1:f64)", "add: operands 0 and 1 differ: f64<4> vs f64");
  bad_body("return not(1:f64)", "not: operand 1 is f64, expected a bool or an integer");
  bad_body("return neg(x)", "neg: operand 1 is f64*, expected a value");
  bad_body("return sqrt(b)", "sqrt: operand 1 is bool, expected a float");
  bad_body("return neg(1:u32)", "neg: operand 1 is u32, expected signed");
  bad_body("return add(b, b)", "add: operand 1 is bool, expected a number");
  bad_body("return select(1:f64, 1:f64, 1:f64)", "select: operand 1 is f64, expected bool");
  bad_body("return select(b, 1:f64, 1:f32)", "select: operands 1 and 2 differ: f64 vs f32");
  bad_body("return add(1:f64)", "add: 1 operands, expected 2");
  bad_body("return bitcast<f32>(1:f64)", "bitcast: f64 to f32 changes the width");
  bad_body("return n[0]", "load: argument 0 is i64, expected a pointer");
  bad_body("return x[1:f64]", "load: argument 1 is f64, expected an i64 index");
  bad_body("return x[lanes<4>:8]", "load: 8 lanes from an index of 4 lanes");
  bad_body("let v: f64<4> = x[0:4:1]", "stride: 1 is not in 2 … 4");
  bad_body("let v: f64<4> = x[0:4:5]", "stride: 5 is not in 2 … 4");
  bad_body("let v: f64<4> = x[lanes<4>:4:2]", "load: a stride needs several lanes and one index");
  bad_body("let v: f64<4> = x[0:4:3 at 3 of 3]", "element: 3 is not in 0 … 2");
  bad_body("let v: f64<4> = x[0:4:3 at 1 of 4]", "elements: 4 is not in 2 … 3");
  bad_body("let v: f64<4> = x[0:4:4 at 2 of 2]", "load: element 2 of 2 with stride 4");
  bad_body("tile<3> x = x[0 by 1]", "tile: 3 a side, expected a power of two from 2 to 16");
  bad_body("tile<32> x = x[0 by 1]", "side: 32 is not in 2 … 16");
  bad_body("tile<4> n = x[0 by 1]", "tile: expected two pointers to elements of one type");
  bad_body("tile<4> x = x[0 by 1:f64]", "stride");
  bad_body("fetch x to read", "expected 'write', got 'read'");
  bad_body("let v: f64<3> = splat<3>(1:f64)", "expected a power of two");
  bad_body("stream x[0] = 1:f64", "stream: expected a vector without a mask");
  bad_body("let a: i64 = ahead<4>(x)", "ahead: 4 bytes, expected a power of two from 8 to 4096");
  bad_body("let a: i64 = ahead<64>(n)", "ahead: argument 0 is i64, expected a pointer");
  bad_body("for i = 0 to n step 1 vector stream(n) { x[i] = 1:f64 }",
           "stream condition of for i: the value is i64, expected bool");
  bad_body("let v: f64<4> = x[0:4 if first<8>(n)]",
           "load: argument 2 is bool<8>, expected a mask: a bool for each of several lanes");
  bad_body("let v: f64 = x[0 if b]", "load: argument 2 is bool, expected a mask");
  bad_body("x[0 if first<2>(n)] = 1:f64", "store: the mask is bool<2>");
  bad_body("let v: bool<4> = first<4>(1:f64)", "first: argument 0 is f64, expected an i64 count");
  bad_body("let v: bool<4> = first<1>(n)", "first: 1 lanes, expected a power of two");
  bad_body("return trues(lanes<4>)", "trues: argument 0 is i64<4>, expected a vector of bool");
  bad_body("let v: f64<2> = compress(splat<2>(1:f64), first<4>(2))",
           "compress: argument 1 is bool<4>, expected a bool for each lane");
  bad_body("return compress(1:f64, true)", "compress: argument 0 is f64, expected a vector");
  bad_body("return bits(lanes<4>)", "bits: argument 0 is i64<4>, expected a vector of bool");
  bad_body("return bits(true)", "bits: argument 0 is bool, expected a vector");
  bad_body("let v: bool<4> = mask<4>(1)", "mask: argument 0 is i64, expected a u64");
  bad_body("let v: bool<3> = mask<3>(1:u64)", "mask: 3 lanes, expected a power of two from 2");
  bad_body("return reverse(1:f64)", "reverse: argument 0 is f64, expected a vector");
  bad_body("let v: bool = any(splat<2>(1:f64))",
           "any: argument 0 is f64<2>, expected a vector of bool");
  bad_body("let a: f64 = 1:f32 return a", "let a: the value is f32, expected f64");
  bad_body("let a: f64 = 1:f64 a = 2:f32 return a", "set a: the value is f32, expected f64");
  bad_body("x[0] = 1:f32", "store: the value is f32, expected f64");
  bad_body("n[0] = 1:f32", "store: to i64, expected a pointer");
  bad_body("r[0] = 1:f64", "store: r is readonly");
  bad_body("offset(r, 3)[0] = 1:f64", "store: r is readonly");
  bad_body("for i = 1:f64 to 2 step 1 { }", "first value of for i: the value is f64, expected i64");
  bad_body("while (n) { }", "while: the value is i64, expected bool");
  bad_body("return n", "return: the value is i64, expected f64");
  bad_body("do add(n, n)", "do: expected a call");
  bad_body("fetch n", "fetch: expected a pointer");
  bad_body("do call g(n)", "call g: 1 arguments, expected 0");
  bad_body("let a: f64 = call g()", "let a: the value is nothing, expected f64");
  bad_body("return add(call g(), call g())", "add: operand 1 is nothing, expected a value");
  bad_body("return data<0>[0]", "data<0> does not exist");
}

static void scopes_and_order_are_checked(void) {
  bad_body("if (b) { let a: f64 = 1:f64 } return a", "f: local a is used outside its block");
  bad_body("if (b) { let a: f64 = 1:f64 } a = 1:f64 return 1:f64",
           "local a is set outside its block");
  bad_body("for i = 0 to i step 1 { } return 1:f64",
           "expected a local, an op or a constant, got 'i'");
  bad_body("for i = 0 to 2 step 1 { i = 3 } return 1:f64",
           "local i is set, but it is a loop variable");
  bad_body("n = 3 return 1:f64", "local n is set, but it is a param");
  bad_body("break", "break outside a loop");
  bad_body("if (b) { continue } return 1:f64", "continue outside a loop");
  bad_body("while (b) { break do call g() } return 1:f64", "a statement stands behind break");
  bad_body("if (b) { return 1:f64 } else { return 2:f64 }", "the last statement is not a return");
  bad_body("return x[dim<0>]", "dim<0> stands outside the entry function");
  bad_body("return buffer<0, f64>[0]", "buffer<0> stands outside the entry function");
  bad_body("array a: f64[30000] array c: f64[30000] return a[0]",
           "array c: arrays take 480000 bytes");
  bad_body("while (b) { while (b) { break 3 } } return 1:f64", "break 3 inside 2 loops");
  bad_body("for i = 0 to 2 step 1 { continue 0 } return 1:f64",
           "the number of a loop: 0 is not in 1");
  bad("module \"t\" { entry func f() -> i64 { return 1 } }", "takes nothing and returns i32");
  bad("module \"t\" { entry func f(n: i64) -> i32 { return 1:i32 } }", "takes nothing and returns");
  bad("module \"t\" { entry func f() -> i32 { return 1:i32 } entry func g() -> i32 { return 1:i32 "
      "} }",
      "two entry functions: f and g");
  bad("module \"t\" { func f(n: i64 noalias) { } }", "n is marked noalias or readonly");
  bad("module \"t\" { func f(n: i64<4>) { } }", "param n is a vector");
  bad("module \"t\" { func f() -> f64* { return scratch<f64>(0) } }", "the result has type f64*");
}

static void parallel_calls_are_checked(void) {
  static const char module[] =
      "module \"t\" { func k(x: f64*, begin: i64, end: i64) -> i32 { return 0:i32 } "
      "func one(n: i64) -> i32 { return 0:i32 } "
      "func void(begin: i64, end: i64) { } "
      "func f32s(x: f64*, begin: f32, end: i64) -> i32 { return 0:i32 } "
      "entry func main() -> i32 { let x: f64* = buffer<0, f64> return %s } }";
  static const struct {
    const char *call, *part;
  } cases[] = {
      {"parallel k(x, 0) over 0 to 4 grain 1", "parallel k: 2 arguments, expected 1"},
      {"parallel k() over 0 to 4 grain 1", "parallel k: 0 arguments, expected 1"},
      {"parallel k(0) over 0 to 4 grain 1", "argument 0 (x) is i64, expected f64*"},
      {"parallel k(x) over 0 to 4:i32 grain 1", "argument 2 is i32, expected an i64"},
      {"parallel k(x) over 0 to 4 grain 1.0:f64", "argument 3 is f64, expected an i64"},
      {"parallel one() over 0 to 4 grain 1", "parallel one: expected a function with two i64"},
      {"parallel void() over 0 to 4 grain 1", "parallel void: expected a function with two i64"},
      {"parallel f32s(x) over 0 to 4 grain 1", "parallel f32s: expected a function with two i64"},
      {"parallel k(x) over 0 to 4", "expected 'grain'"},
      {"parallel k(x) 0 to 4 grain 1", "expected 'over'"},
      {"parallel main(x) over 0 to 4 grain 1", "the entry function main cannot be called"},
      {"parallel", "the name of a function"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2048];
    snprintf(text, sizeof text, module, cases[i].call);
    bad(text, cases[i].part);
  }
  bad("module \"t\" { func f(begin: i64, end: i64) -> i32 { "
      "return parallel f() over begin to end grain 1 } }",
      "parallel call of f, which does not stand before");
}

static void locals_without_a_statement_are_not_usable(void) {
  gj_lmodule *m = gj_lmodule_new("t");
  gj_lfunc *f = gj_lfunc_new(m, "k", gj_ltype_scalar(GJ_DTYPE_i64), false);
  uint32_t a = gj_lfunc_local(m, f, "a", gj_ltype_scalar(GJ_DTYPE_i64));
  gj_ls_return(m, f, &f->body, gj_lx_local(m, f, a));
  gj_error err = {0};
  CHECK_INT_EQ(gj_lmodule_verify(m, &err), GJ_E_VERIFY);
  CHECK_STR_EQ(err.message, "k: local a is used before it is made");
  gj_lmodule_free(m);
}

// --- the interpreter ---

static gj_status eval(const char *text, double *buffer, size_t count, uint64_t steps, int32_t *out,
                      gj_error *err) {
  gj_lmodule *m = parse(text);
  if (!m)
    return GJ_E_PARSE;
  void *buffers[] = {buffer};
  size_t sizes[] = {count * sizeof *buffer};
  int64_t dims[] = {(int64_t)count};
  double scratch[8] = {0};
  gj_leval args = {.buffers = buffers,
                   .buffer_sizes = sizes,
                   .buffer_count = 1,
                   .dims = dims,
                   .dim_count = 1,
                   .scratch = scratch,
                   .scratch_size = sizeof scratch,
                   .slots = 2,
                   .max_steps = steps};
  gj_status status = gj_lmodule_eval(m, &args, out, err);
  gj_lmodule_free(m);
  return status;
}

// Runs `body` as the entry function over one buffer of four f64 and checks the status that it
// returns.
static void gives(const char *body, int32_t wanted) {
  char text[2048];
  double buffer[4] = {1, 2, 3, 4};
  int32_t got = -99;
  gj_error err = {0};
  snprintf(text, sizeof text,
           "module \"t\" { data 0: i32[3] = hex \"010000000200000003000000\" "
           "entry func main() -> i32 { let x: f64* = buffer<0, f64> %s } }",
           body);
  CHECK_OK(eval(text, buffer, 4, 10000, &got, &err), &err);
  CHECK_INT_EQ(got, wanted);
}

static void fails(const char *body, gj_status wanted, const char *part) {
  char text[2048];
  double buffer[4] = {1, 2, 3, 4};
  int32_t got;
  gj_error err = {0};
  snprintf(text, sizeof text,
           "module \"t\" { data 0: i32[1] = hex \"01000000\" func w(p: i32*) { p[0] = 1:i32 } "
           "entry func main() -> i32 { let x: f64* = buffer<0, f64> %s return 0:i32 } }",
           body);
  CHECK_INT_EQ(eval(text, buffer, 4, 10000, &got, &err), wanted);
  CHECK_CONTAINS(err.message, part);
}

static void statements_run_in_order(void) {
  gives("return convert<i32>(add(x[0], x[3]))", 5);
  gives("let s: i64 = 0 for i = 0 to 10 step 3 { s = add(s, i) } return convert<i32>(s)", 18);
  gives("let s: i64 = 0 for i = 5 to 5 step 1 { s = 1 } return convert<i32>(s)", 0);
  gives("let s: i64 = 0 while (lt(s, 7)) { s = add(s, 2) } return convert<i32>(s)", 8);
  gives("let s: i64 = 0 for i = 0 to 9 step 1 { if (eq(i, 2)) { continue } if (gt(i, 4)) { break } "
        "s = add(s, i) } return convert<i32>(s)",
        8);
  gives("for i = 0 to 9 step 1 { for j = 0 to 9 step 1 { if (eq(mul(i, j), 42)) { return "
        "convert<i32>(add(mul(i, 10), j)) } } } return 0:i32",
        67);
  gives(
      "let s: i64 = 0 for i = 9223372036854775806 to 9223372036854775807 step 5 { s = add(s, 1) } "
      "return convert<i32>(s)",
      1);
  gives("if (cancelled) { return 1:i32 } else { return 2:i32 } return 3:i32", 2);
}

static void memory_and_vectors_work(void) {
  gives("x[1] = 7:f64 return convert<i32>(offset(x, 1)[0])", 7);
  gives("return data<0>[2]", 3);
  gives("let p: i32* = scratch<i32>(8) p[0] = 5:i32 return scratch<i32>(0)[2]", 5);
  gives("x[0] = reverse(x[0:4]) return convert<i32>(x[0])", 4);
  gives("x[0] = compress(x[0:4], gt(x[0:4], splat<4>(2:f64))) return convert<i32>(add(mul(x[0], "
        "10:f64), x[1]))",
        34);
  gives("return convert<i32>(trues(gt(x[0:4], splat<4>(1:f64))))", 3);
  gives("return convert<i32>(bits(gt(x[0:4], splat<4>(2:f64))))", 12);
  gives("return convert<i32>(bits(not(mask<4>(18446744073709551605:u64))))", 10);
  gives("x[0] = select(mask<4>(26:u64), x[0:4], splat<4>(9:f64)) return convert<i32>(add(mul(x[0], "
        "10:f64), x[1]))",
        92);
  gives("let p: f64* = x p = offset(p, 2) return convert<i32>(p[1])", 4);
  gives("fetch offset(x, 1000000) fetch x return 8:i32", 8);
  gives("let v: f64<4> = x[sub(splat<4>(3), lanes<4>)] x[0] = v return convert<i32>(x[3])", 1);
  gives("if (any(gt(x[0:4], splat<4>(3:f64)))) { return 1:i32 } return 0:i32", 1);
  gives("if (any(gt(x[0:4], splat<4>(4:f64)))) { return 1:i32 } return 0:i32", 0);
  gives("array t: f64[4] t[0] = add(x[0:4], x[0:4]) return convert<i32>(t[3])", 8);
  gives("let v: f64<2> = x[0:2:3] x[0] = v return convert<i32>(x[1])", 4);
  gives("array t: f64[4] tile<2> t = x[0 by 2] return convert<i32>(add(mul(t[1], 10:f64), t[2]))",
        32);
  gives("fetch offset(x, 1000000) to write return convert<i32>(x[1])", 2);
  gives("let v: f64<2> = x[0:2:2 at 1 of 2] x[0] = v return convert<i32>(x[1])", 4);
  gives("let v: f64<2> = x[2:2:3 at 1 of 2 if first<2>(1)] x[0] = v return convert<i32>(x[0])", 4);
  gives("return convert<i32>(dim<0>)", 4);
}

static void fresh_arrays_are_not_zero(void) {
  gives("let s: i32 = 0:i32 for i = 0 to 3 step 1 { array t: i32[1] if (ne(t[0], 0:i32)) { s = "
        "add(s, 1:i32) } t[0] = 0:i32 } return s",
        3);
}

static void stray_accesses_are_refused(void) {
  fails("x[4] = 1:f64", GJ_E_VERIFY, "main: store to x: element 4 (lane 0) is at byte 32");
  fails("x[-1] = 1:f64", GJ_E_VERIFY, "at byte -8 of the 32 bytes of buffer");
  fails("let v: f64<4> = x[1:4 if first<4>(4)]", GJ_E_VERIFY, "load of x: element 1 (lane 3)");
  fails("stream x[ahead<16>(offset(x, 1))] = splat<2>(1:f64) stream x[add(ahead<16>(x), 1)] = "
        "splat<2>(1:f64)",
        GJ_E_VERIFY, "main: store to x: 16 bytes do not divide its address");
  fails("x[2 if first<4>(3)] = splat<4>(1:f64)", GJ_E_VERIFY, "store to x: element 2 (lane 2)");
  fails("let v: f64<4> = x[1:4]", GJ_E_VERIFY, "main: load of x: element 1 (lane 3)");
  fails("let v: f64<2> = x[1:2:3]", GJ_E_VERIFY, "load of x: element 1 (lane 3)");
  fails("tile<2> x = x[0 by 3]", GJ_E_VERIFY, "main: tile of x: element 3 (lane 1)");
  fails("array t: f64[3] tile<2> t = x[0 by 2]", GJ_E_VERIFY, "element 0 (lane 3)");
  fails("tile<2> x = x[0 by 9223372036854775807]", GJ_E_VERIFY, "tile of x");
  fails("let v: f64<2> = x[1:2:2 at 0 of 2]", GJ_E_VERIFY, "load of x: element 1 (lane 3)");
  fails("let v: f64 = x[9223372036854775807]", GJ_E_VERIFY, "is no address");
  fails("let v: f64 = offset(x, 1152921504606846976)[0]", GJ_E_VERIFY, "offset of x");
  fails("let v: f64 = scratch<f64>(4)[0]", GJ_E_VERIFY, "byte 4 of scratch is not aligned for f64");
  fails("do call w(data<0>)", GJ_E_VERIFY, "w: store to p: data is constant");
  fails("let p: f64* = buffer<7, f64>", GJ_E_VERIFY, "buffer<7>: there are 1 buffers");
  fails("let n: i64 = dim<7>", GJ_E_VERIFY, "dim<7>: there are 1 dims");
  fails("while (true) { }", GJ_E_UNSUPPORTED, "stopped after 10000 steps");
}

static void endless_calls_are_refused(void) {
  static const char text[] = "module \"t\" { entry func main() -> i32 { do call f() return 0:i32 } "
                             "func f() { do call g() } func g() { if (true) { do call f() } } }";
  gj_error err = {0};
  int32_t got;
  CHECK_INT_EQ(eval(text, NULL, 0, 0, &got, &err), GJ_E_UNSUPPORTED);
  CHECK_CONTAINS(err.message, "calls nest too deep");
}

// k adds 1 to elements of its range and 100 to the one that its slot names.
static void parallel_ranges_are_cut_and_cover_all(void) {
  static const char text[] =
      "module \"t\" { func k(x: f64*, stop: i64, begin: i64, end: i64) -> i32 {"
      "  if (and(le(begin, stop), lt(stop, end))) { return 7:i32 }"
      "  for i = begin to end step 1 { x[i] = add(x[i], 1.0:f64) }"
      "  x[slot] = add(x[slot], 100.0:f64)"
      "  return 0:i32 }"
      "entry func main() -> i32 {"
      "  let a: i32 = parallel k(buffer<0, f64>, -1) over 2 to dim<0> grain 4"
      "  let b: i32 = parallel k(buffer<0, f64>, 5) over 2 to dim<0> grain 1"
      "  let c: i32 = parallel k(buffer<0, f64>, -1) over 9 to 8 grain 1"
      "  return add(add(mul(a, 100:i32), b), c) } }";
  double x[32] = {0};
  int32_t got = -1;
  gj_error err = {0};
  CHECK_OK(eval(text, x, 32, 0, &got, &err), &err);
  CHECK_INT_EQ(got, 7);
  CHECK(x[0] == 300 && x[1] == 200); // two pieces of three are on slot 0, the last was not reached
  for (int i = 2; i < 32; i++)
    CHECK(x[i] == 1 || x[i] == 2);
  CHECK(x[2] == 1 && x[31] == 2);
}

static void a_module_without_entry_does_not_run(void) {
  gj_error err = {0};
  int32_t got;
  CHECK_INT_EQ(eval("module \"lib\" { }", NULL, 0, 0, &got, &err), GJ_E_VERIFY);
  CHECK_STR_EQ(err.message, "module lib has no entry function");
}

int main(void) {
  CHECK_RUN(names_are_made_unique_and_legal);
  CHECK_RUN(many_equal_names_take_linear_time);
  CHECK_RUN(index_arithmetic_folds);
  CHECK_RUN(types_come_from_the_op_table);
  CHECK_RUN(misuse_is_kept_and_names_both_types);
  CHECK_RUN(expressions_have_bounded_depth_and_size);
  CHECK_RUN(printing_and_parsing_are_inverse);
  CHECK_RUN(constants_keep_their_bits);
  CHECK_RUN(comments_and_spacing_are_free);
  CHECK_RUN(syntax_errors_have_line_and_column);
  CHECK_RUN(every_truncation_is_refused_or_valid);
  CHECK_RUN(mutated_text_never_breaks_anything);
  CHECK_RUN(deep_nesting_is_refused);
  CHECK_RUN(types_are_checked);
  CHECK_RUN(scopes_and_order_are_checked);
  CHECK_RUN(parallel_calls_are_checked);
  CHECK_RUN(locals_without_a_statement_are_not_usable);
  CHECK_RUN(statements_run_in_order);
  CHECK_RUN(memory_and_vectors_work);
  CHECK_RUN(fresh_arrays_are_not_zero);
  CHECK_RUN(stray_accesses_are_refused);
  CHECK_RUN(endless_calls_are_refused);
  CHECK_RUN(parallel_ranges_are_cut_and_cover_all);
  CHECK_RUN(a_module_without_entry_does_not_run);
  return check_report();
}
