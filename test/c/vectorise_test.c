// Tests of the vectoriser and the unroller: what they make of chosen loops, and that random modules
// give the same bits before and after.
//
// Random loops read inputs through contiguous, shifted, strided, reversed, constant and gathered
// indices, mix dtypes, nest uniform loops and branches, and store into outputs of their own, so
// that their iterations are independent as the vector mark promises.

#include "loops_text.h"

#include <math.h>
#include <stdlib.h>

// --- helpers ---

// Vectorises the body of a kernel over z, x, y: f64*, h, w: f32*, q: i64*, u: u8*, n, k: i64 and
// checks that the report, then the printed code, hold `report` and `code` (NULL: not looked at).
static void expect_on(const gj_loops_machine *machine, const char *body, const char *report,
                      const char *code) {
  char text[4096];
  snprintf(text, sizeof text,
           "module \"t\" { func f(z: f64*, x: f64* readonly, y: f64*, h: f32*, q: i64*, w: f32* "
           "noalias, "
           "u: u8*, n: i64, k: i64) { %s } }",
           body);
  gj_lmodule *m = parse(text);
  if (!m)
    return;
  gj_error err = {0};
  gj_strbuf said = {0};
  CHECK_OK(gj_loops_vectorise(m, machine, &said, &err), &err);
  CHECK_OK(gj_lmodule_verify(m, &err), &err);
  char *made = print(m);
  CHECK_CONTAINS(gj_strbuf_peek(&said), report);
  if (code)
    CHECK_CONTAINS(made, code);
  free(made);
  gj_strbuf_fini(&said);
  gj_lmodule_free(m);
}

// On a machine without masks.
static void expect(const char *body, unsigned bytes, const char *report, const char *code) {
  expect_on(&(gj_loops_machine){.vector_bytes = bytes}, body, report, code);
}

// --- chosen loops ---

static void contiguous_loads_and_stores_become_vectors(void) {
  expect("for i = 0 to n step 1 vector { z[i] = add(x[i], y[add(i, 3)]) }", 64, "f: for i: 8 lanes",
         "z[i2] = add(x[i2:8], y[add(i2, 3):8])");
  expect("for i = 0 to n step 1 vector(2) { h[i] = mul(h[i], 2:f32) }", 32, "16 lanes",
         "h[i2] = mul(h[i2:16], splat<16>(2.0:f32))");
}

static bool divides(const gj_lexpr *e, bool uniform) { return e->op == GJ_OP_div && !uniform; }

static void what_a_machine_does_lane_by_lane_is_said(void) {
  gj_loops_machine machine = {.vector_bytes = 16, .takes_apart = divides, .gathers = 4};
  expect_on(&machine, "for i = 0 to n step 1 vector { q[i] = add(div(q[i], 3), div(k, n)) }",
            "scalar rest\n", NULL);
  expect_on(&machine, "for i = 0 to n step 1 vector { q[i] = add(div(q[i], i), div(i, q[i])) }",
            "scalar rest, div of i64 lane by lane\n", NULL);
  expect_on(&machine, "for i = 0 to 8 step 1 vector { z[i] = convert<f64>(w[q[i]]) }",
            ", unrolled ×1\n", NULL);
  expect_on(
      &machine,
      "for i = 0 to n step 1 vector { z[i] = convert<f64>(div(q[i], convert<i64>(u[q[i]]))) }",
      "div of i64 and others lane by lane\n", NULL);
  expect_on(&machine, "for i = 0 to n step 1 vector { z[i] = x[q[i]] }",
            "gather of f64 lane by lane", NULL);
}

static void lanes_are_counted_and_appended(void) {
  expect("let c: i64 = 0 for i = 0 to n step 1 vector { c = add(c, convert<i64>(gt(x[i], y[i]))) } "
         "q[0] = c",
         64, "8 lanes, scalar rest", "c = add(c, trues(gt(x[i2:8], y[i2:8])))");
  const char *append = "let c: i64 = 0 for i = 0 to n step 1 vector { if (lt(c, k)) { q[c] = i "
                       "c = add(c, convert<i64>(gt(x[i], 0:f64))) } }";
  expect(append, 32, "4 lanes, scalar rest",
         "let value: i64<4> = compress(add(splat<4>(i2), lanes<4>), taken)\n"
         "      let next: i64 = min(add(c, trues(taken)), k)\n"
         "      if (le(c, add(k, -4))) {\n"
         "        q[c] = value\n"
         "      } else {\n"
         "        array few: i64[4]\n"
         "        few[0] = value\n"
         "        for k2 = c to next step 1 {\n"
         "          q[k2] = few[sub(k2, c)]\n"
         "        }\n"
         "      }\n"
         "      c = next\n");
  // Of elements that are narrower than what is compared, as many as fill a vector.
  const char *narrow = "let c: i64 = 0 for i = 0 to n step 1 vector { if (lt(c, k)) { "
                       "h[c] = w[i] c = add(c, convert<i64>(gt(x[i], 0:f64))) } }";
  expect(narrow, 32, "8 lanes, scalar rest", "let value: f32<8> = compress(w[i2:8], taken)");
  expect("let c: i64 = 0 for i = 0 to n step 1 vector { if (lt(c, k)) { u[c] = u[i] "
         "c = add(c, convert<i64>(gt(x[i], 0:f64))) } }",
         32, "4 lanes, scalar rest", NULL);
  expect("let c: i64 = 0 for i = 0 to n step 1 vector { z[i] = convert<f64>(c) "
         "c = add(c, convert<i64>(gt(x[i], y[i]))) }",
         64, "scalar: it asks for what it counts: c", NULL);
  expect("let c: i64 = 0 for i = 0 to n step 1 vector { c = add(c, convert<i64>(gt(x[i], y[i]))) "
         "c = add(c, convert<i64>(lt(x[i], y[i]))) }",
         64, "scalar: it counts twice by c", NULL);
  expect("let c: i64 = 0 for i = 0 to n step 1 vector { for j = 0 to k step 1 { "
         "c = add(c, convert<i64>(gt(x[i], y[j]))) } }",
         64, "scalar: it sets a local that is made outside the loop: c", NULL);
  expect("let c: i64 = 0 for i = 0 to n step 1 vector { if (lt(c, i)) { q[c] = i "
         "c = add(c, convert<i64>(gt(x[i], 0:f64))) } }",
         64, "scalar: where it appends differs per lane", NULL);
}

static void the_rest_runs_in_a_scalar_loop(void) {
  expect("for i = 0 to n step 1 vector { z[i] = exp(x[i]) }", 16, "2 lanes, scalar rest",
         "    let end: i64 = and(max(n, 0), -2)\n"
         "    for i2 = 0 to end step 2 {\n"
         "      z[i2] = exp(x[i2:2])\n"
         "    }\n"
         "    for i = end to n step 1 {\n"
         "      z[i] = exp(x[i])\n"
         "    }\n");
  expect("for i = k to n step 1 vector { z[i] = exp(x[i]) }", 16, "2 lanes",
         "let end: i64 = add(k, and(sub(max(n, k), k), -2))\n    for i2 = k to end step 2 {");
}

static void narrow_vectors_share_the_loop_around_a_light_body(void) {
  expect("for i = 0 to n step 1 vector { z[i] = x[i] }", 16, "8 lanes, scalar rest",
         "    let end: i64 = and(max(n, 0), -8)\n"
         "    for i2 = 0 to end step 8 {\n"
         "      z[i2] = x[i2:8]\n"
         "    }\n"
         "    let end2: i64 = add(end, and(sub(max(n, end), end), -2))\n"
         "    for i3 = end to end2 step 2 {\n"
         "      z[i3] = x[i3:2]\n"
         "    }\n"
         "    for i = end2 to n step 1 {\n"
         "      z[i] = x[i]\n"
         "    }\n");
  // The widest dtype of the body counts, here one of 16 bits; bytes alone fill their vector.
  expect("for i = 0 to n step 1 vector { u[i] = convert<u8>(shr(convert<u16>(u[i]), 3:u16)) }", 16,
         "16 lanes", NULL);
  expect("for i = 0 to n step 1 vector { u[i] = shr(u[i], 3:u8) }", 16, "16 lanes", NULL);
}

static const gj_loops_machine masks = {
    .vector_bytes = 64, .masked = 1 | 2 | 4 | 8, .cheap_masks = true};
static const gj_loops_machine wide_masks = {.vector_bytes = 32, .masked = 4 | 8};

static void the_rest_runs_under_a_mask(void) {
  expect_on(&masks, "for i = k to n step 1 vector { z[i] = add(x[i], x[sub(n, i)]) }",
            "8 lanes, masked rest",
            "    if (lt(end, n)) {\n"
            "      let mask: bool<8> = first<8>(sub(n, end))\n"
            "      z[end if mask] = add(x[end:8 if mask], "
            "reverse(x[add(sub(n, end), -7):8 if reverse(mask)]))\n"
            "    }\n  }");
  expect_on(&masks, "for i = 0 to 11 step 1 vector { z[i] = x[i] }",
            "8 lanes, unrolled ×2, masked rest", "z[8 if first<8>(3)] = x[8:8 if first<8>(3)]");
  expect_on(&masks, "for i = 0 to 3 step 1 vector { z[i] = x[i] }",
            "4 lanes, unrolled ×1, masked rest", "z[0 if first<4>(3)] = x[0:4 if first<4>(3)]");
}

static void a_heavy_body_stands_once_and_masks_the_rest_only(void) {
  const char *whole = "    for i2 = 0 to n step 16 {\n"
                      "      let left: i64 = sub(n, i2)\n"
                      "      let whole: bool = ge(left, 16)\n"
                      "      let loaded: f64<16> = splat<16>(0.0:f64)\n"
                      "      if (whole) {\n"
                      "        loaded = x[i2:16]\n"
                      "      } else {\n"
                      "        loaded = x[i2:16 if first<16>(left)]\n"
                      "      }\n"
                      "      let stored: f64<16> = exp(loaded)\n"
                      "      if (whole) {\n"
                      "        z[i2] = stored\n"
                      "      } else {\n"
                      "        z[i2 if first<16>(left)] = stored\n"
                      "      }\n"
                      "    }\n  }";
  expect_on(&masks, "for i = 0 to n step 1 vector { z[i] = exp(x[i]) }", "16 lanes, masked rest\n",
            whole);
  // A long body takes several vectors at a time, if there are registers for them.
  expect_on(&masks, "for i = 0 to n step 1 vector { z[i] = exp(sin(x[i])) }",
            "32 lanes, masked rest\n", "let stored: f64<32> = exp(sin(loaded))");
  expect_on(&masks, "for i = 0 to n step 1 vector { z[i] = pow(exp(x[i]), sin(x[i])) }",
            "16 lanes, masked rest\n", "pow(exp(loaded), sin(loaded2))");
  expect_on(&wide_masks, "for i = 0 to n step 1 vector { z[i] = exp(x[i]) }",
            "4 lanes, masked rest\n", "        z[i2 if first<4>(left)] = stored\n");
  // The index of a gather is loaded without a mask where the gather is.
  expect_on(&masks, "for i = 0 to n step 1 vector { z[i] = exp(x[q[i]]) }",
            "16 lanes, masked rest, gather",
            "        loaded = x[q[i2:16]]\n"
            "      } else {\n"
            "        loaded = x[q[i2:16 if first<16>(left)] if first<16>(left)]\n");
  // One branch loads what comes before the next store, but for what is not known so early, and one
  // stores what is computed by then.
  expect_on(&masks,
            "for i = 0 to n step 1 vector { let a: f32 = sin(h[i]) let j: i64 = add(q[k], i) "
            "let b: f32 = add(h[add(i, k)], h[j]) let c: f32 = add(b, h[i]) w[i] = a "
            "w[add(i, n)] = c }",
            "32 lanes, masked rest\n",
            "      if (whole) {\n"
            "        loaded = h[i2:32]\n"
            "        loaded2 = h[add(i2, k):32]\n"
            "        loaded3 = h[i2:32]\n"
            "      } else {\n");
  expect_on(&masks,
            "for i = 0 to n step 1 vector { let a: f32 = sin(h[i]) w[i] = a w[add(i, n)] = a "
            "w[add(i, k)] = h[i] }",
            "32 lanes, masked rest\n",
            "      if (whole) {\n"
            "        w[i2] = a2\n"
            "        w[add(i2, n)] = a2\n"
            "      } else {\n"
            "        w[i2 if first<32>(left)] = a2\n"
            "        w[add(i2, n) if first<32>(left)] = a2\n"
            "      }\n"
            "      let loaded2: f32<32> = splat<32>(0.0:f32)\n");
  // Loads stay in the branch that they were in.
  expect_on(&masks,
            "for i = 0 to n step 1 vector { let a: f64 = 0:f64 if (lt(k, 3)) { a = exp(x[i]) } "
            "z[i] = a }",
            "16 lanes, masked rest\n",
            "      if (lt(k, 3)) {\n"
            "        let loaded: f64<16> = splat<16>(0.0:f64)\n"
            "        if (whole) {\n");
}

// Expressions may be shared, also by the two blocks of a branch, of which each has its own loads.
static void blocks_that_share_a_load_do_it_each(void) {
  gj_lmodule *m = parse("module \"t\" { func f(z: f64* noalias, x: f64* readonly, n: i64) {"
                        "  for i = 0 to n step 1 vector {"
                        "    let a: f64 = 0:f64"
                        "    if (gt(n, 20)) { a = exp(x[i]) } else { a = exp(x[i]) }"
                        "    z[i] = a"
                        "  }"
                        "} }");
  if (!m)
    return;
  gj_error err = {0};
  const gj_lstmt *branch = m->funcs[0]->body.stmts[0]->body.stmts[1];
  branch->orelse.stmts[0]->a = branch->body.stmts[0]->a;
  CHECK_OK(gj_loops_vectorise(m, &masks, NULL, &err), &err);
  CHECK_OK(gj_lmodule_verify(m, &err), &err);
  char *made = print(m);
  CHECK_CONTAINS(made, "a2 = exp(loaded)\n");
  CHECK_CONTAINS(made, "a2 = exp(loaded2)\n");
  free(made);
  gj_lmodule_free(m);
}

static void large_loops_have_a_form_that_streams(void) {
  expect_on(&masks, "for i = k to n step 1 vector stream(gt(n, 1000)) { w[i] = h[i] }",
            "16 lanes, masked rest, streaming",
            "    let large: bool = gt(n, 1000)\n"
            "    let skip: i64 = 0\n"
            "    if (large) {\n"
            "      skip = min(ahead<64>(offset(w, k)), sub(max(n, k), k))\n"
            "    }\n"
            "    let start: i64 = add(k, skip)\n"
            "    let end: i64 = add(start, and(sub(max(n, start), start), -16))\n"
            "    if (large) {\n"
            "      for i2 = start to end step 16 {\n"
            "        stream w[i2] = h[i2:16]\n"
            "      }\n"
            "    } else {\n"
            "      for i3 = start to end step 16 {\n"
            "        w[i3] = h[i3:16]\n"
            "      }\n"
            "    }\n"
            "    for side = select(large, 0, 1) to 2 step 1 {\n"
            "      let rest: i64 = select(eq(side, 0), skip, sub(max(n, end), end))\n"
            "      if (lt(0, rest)) {\n"
            "        let at: i64 = select(eq(side, 0), k, end)\n"
            "        let mask: bool<16> = first<16>(rest)\n"
            "        w[at if mask] = h[at:16 if mask]\n"
            "      }\n"
            "    }\n  }");
  // A long body stands once, and decides at its store.
  expect_on(&masks,
            "for i = 0 to n step 1 vector stream(gt(n, 1000)) { let a: f32 = mul(h[i], h[i]) "
            "let b: f32 = mul(add(a, 1:f32), add(a, 2:f32)) let c: f32 = mul(sub(a, b), add(a, b)) "
            "w[i] = add(b, c) }",
            "16 lanes, masked rest, streaming",
            "      if (large) {\n"
            "        stream w[i2] = stored\n"
            "      } else {\n"
            "        w[i2] = stored\n"
            "      }\n"
            "    }\n"
            "    for side = select(large, 0, 1) to 2 step 1 {\n");
  const char *others[] = {
      "for i = 0 to n step 1 vector stream(true) { h[i] = w[i] }",
      "for i = 0 to n step 1 vector stream(true) { w[i] = add(w[i], h[i]) }",
      "for i = 0 to n step 1 vector stream(true) { w[i] = exp(h[i]) }",
      "for i = 0 to n step 1 vector stream(true) { if (lt(k, 3)) { w[i] = 1:f32 } }",
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    expect_on(&masks, others[i], "masked rest\n", NULL);
}

static void transposed_loads_make_tiles(void) {
  expect("for r = 0 to n step 1 tile { for c = 0 to k step 1 vector { "
         "w[add(mul(r, k), c)] = h[add(mul(c, n), r)] } }",
         32, "f: for c: 8 lanes, in tiles of 8 rows",
         "        tile<8> turned = h[add(mul(at, n), at2) by n]\n");
  expect("for r = 0 to 6 step 1 tile { for c = 0 to 4 step 1 vector { "
         "w[add(mul(r, 4), c)] = h[add(mul(c, 6), r)] } }",
         32, "4 lanes, in tiles of 4 rows", NULL);
  // What is written may be read by another iteration; nothing is contiguous along the rows; there
  // is something else in a row; there are fewer columns than are worth it.
  expect("for r = 0 to n step 1 tile { for c = 0 to k step 1 vector { "
         "h[add(mul(r, k), c)] = h[add(mul(c, n), r)] } }",
         32, "8 lanes, scalar rest", NULL);
  expect("for r = 0 to n step 1 tile { for c = 0 to k step 1 vector { "
         "w[add(mul(r, k), c)] = h[add(mul(c, n), mul(r, 2))] } }",
         32, "8 lanes, overlapping rest", NULL);
  expect("for r = 0 to n step 1 tile { q[r] = r for c = 0 to k step 1 vector { "
         "w[add(mul(r, k), c)] = h[add(mul(c, n), r)] } }",
         32, "8 lanes, overlapping rest", NULL);
  expect("for r = 0 to n step 1 tile { for c = 0 to 3 step 1 vector { "
         "w[add(mul(r, 3), c)] = h[add(mul(c, n), r)] } }",
         32, "2 lanes", NULL);
}

static void what_cannot_be_masked_is_not(void) {
  expect_on(&wide_masks, "for i = 0 to n step 1 vector { h[i] = convert<f32>(u[i]) }",
            "8 lanes, scalar rest", NULL);
  expect_on(&masks, "for i = 0 to n step 1 vector { z[i] = convert<f64>(u[q[i]]) }",
            "8 lanes, scalar rest", NULL);
}

static void the_rest_overlaps_where_nothing_is_read_that_is_written(void) {
  expect("for i = 0 to n step 1 vector { w[i] = h[i] }", 32, "8 lanes, overlapping rest",
         "    let span: i64 = max(n, 0)\n"
         "    if (ge(span, 8)) {\n"
         "      let last: i64 = add(n, -8)\n"
         "      let end: i64 = and(span, -8)\n"
         "      for i2 = 0 to end step 8 {\n"
         "        w[i2] = h[i2:8]\n"
         "      }\n"
         "      if (lt(end, n)) {\n"
         "        w[last] = h[last:8]\n"
         "      }\n"
         "    } else {\n"
         "      for i = 0 to n step 1 {\n"
         "        w[i] = h[i]\n"
         "      }\n"
         "    }\n");
  expect("for i = 0 to n step 1 vector { w[i] = exp(h[i]) }", 32, "8 lanes, overlapping rest",
         "      for i2 = 0 to n step 8 {\n"
         "        let at: i64 = min(i2, last)\n"
         "        w[at] = exp(h[at:8])\n"
         "      }\n");
  expect("for i = 0 to 1001 step 1 vector { w[i] = h[i] }", 32, "8 lanes, overlapping rest",
         "w[993] = h[993:8]");
  expect("for i = 0 to n step 1 vector { w[i] = add(w[i], h[i]) }", 32, "8 lanes, scalar rest",
         NULL);
  expect("for i = 0 to n step 1 vector { h[i] = w[i] }", 32, "8 lanes, scalar rest", NULL);
}

static void strides_choose_the_kind_of_load(void) {
  expect("for i = 0 to n step 1 vector { z[i] = x[sub(n, i)] }", 32, "4 lanes",
         "reverse(x[add(sub(n, i2), -3):4])");
  expect("for i = 0 to n step 1 vector { z[i] = x[mul(i, 3)] }", 32, "4 lanes",
         "x[mul(i2, 3):4:3]");
  expect("for i = 0 to n step 1 vector { z[i] = x[sub(n, mul(i, 4))] }", 32, "4 lanes",
         "reverse(x[add(sub(n, mul(i2, 4)), -12):4:4])");
  expect("for i = 0 to n step 1 vector { z[i] = sub(x[add(mul(i, 3), 2)], x[mul(i, 3)]) }", 32,
         "4 lanes", "sub(x[mul(i2, 3):4:3 at 2 of 3], x[mul(i2, 3):4:3 at 0 of 3])");
  expect("for i = 0 to n step 1 vector { z[i] = sub(x[add(mul(i, 2), 5)], x[add(mul(i, 2), 3)]) }",
         32, "4 lanes", "sub(x[add(mul(i2, 2), 5):4:2], x[add(mul(i2, 2), 3):4:2])");
  expect("for i = 0 to n step 1 vector { z[i] = x[mul(i, 5)] }", 32, "4 lanes",
         "x[add(splat<4>(mul(i2, 5)), mul(lanes<4>, splat<4>(5)))]");
  expect("for i = 0 to n step 1 vector { z[i] = x[q[i]] }", 32, "4 lanes", "x[q[i2:4]]");
  expect("for i = 0 to n step 1 vector { z[i] = x[mul(k, add(i, 1))] }", 32, "4 lanes",
         "x[add(splat<4>(mul(k, add(i2, 1))), mul(lanes<4>, splat<4>(k)))]");
  expect("for i = 0 to n step 1 vector { z[i] = x[k] }", 32, "4 lanes", "splat<4>(x[k])");
  expect("for i = 0 to n step 1 vector { z[i] = offset(x, q[i])[k] }", 32, "4 lanes",
         "x[add(q[i2:4], splat<4>(k))]");
  expect("for i = 0 to n step 1 vector { z[i] = offset(x, mul(i, 2))[neg(i)] }", 32, "4 lanes",
         "offset(x, mul(i2, 2))[neg(i2):4]");
}

static void affine_locals_stay_scalar(void) {
  expect("for i = 0 to n step 1 vector { let j: i64 = add(i, k) let p: f64* = offset(x, j) z[i] = "
         "p[5] }",
         32, "4 lanes", "let p2: f64* = offset(x, j2)\n      z[i2] = p2[5:4]");
}

static void index_arithmetic_does_not_narrow_the_vector(void) {
  expect("for i = 0 to n step 1 vector { h[i] = select(lt(i, k), h[q[i]], 0:f32) }", 64, "16 lanes",
         NULL);
  expect("for i = 0 to n step 1 vector { let j: i64 = q[i] h[i] = h[j] }", 64, "16 lanes", NULL);
  expect("for i = 0 to n step 1 vector { let j: i64 = q[i] h[i] = convert<f32>(j) }", 64, "8 lanes",
         NULL);
}

static void outer_loops_keep_uniform_loops_inside(void) {
  expect("for c = 0 to n step 1 vector { let s: f64 = 0:f64 for r = 0 to k step 1 { s = add(s, "
         "x[add(mul(r, n), c)]) } z[c] = s }",
         64, "for c: 8 lanes",
         "      let s2: f64<8> = splat<8>(0.0:f64)\n"
         "      for r2 = 0 to k step 1 {\n"
         "        s2 = add(s2, x[add(mul(r2, n), c2):8])\n"
         "      }\n"
         "      z[c2] = s2\n");
}

static void short_constant_trips_become_straight_code(void) {
  expect("array t: f64[16] for i = 0 to 16 step 1 vector { t[i] = 1:f64 }", 64,
         "8 lanes, unrolled ×2",
         "    array t: f64[16]\n"
         "    t[0] = splat<8>(1.0:f64)\n"
         "    t[8] = splat<8>(1.0:f64)\n  }");
  expect("for i = 0 to 4 step 1 vector { z[i] = x[i] }", 64, "4 lanes, unrolled ×1",
         "z[0] = x[0:4]");
  expect("for i = 0 to 6 step 1 vector { z[i] = x[i] }", 64, "4 lanes", "for i = 4 to 6 step 1 {");
  expect("for i = 3 to 4 step 1 vector { z[i] = x[i] }", 64, "unrolled ×1", "    z[3] = x[3]\n  }");
  expect("for i = 3 to 3 step 1 vector { z[i] = x[i] }", 64, "scalar: too few", "for i = 3 to 3");
  expect("for i = 0 to 8000 step 1 vector { z[i] = x[i] }", 64, "8 lanes",
         "for i2 = 0 to 8000 step 8 {\n      z[i2] = x[i2:8]\n    }\n  }");
}

static void marked_loops_are_unrolled(void) {
  expect("for i = 1 to 6 step 2 unroll { z[add(i, 1)] = x[i] }", 64, "unrolled ×3",
         "    z[2] = x[1]\n    z[4] = x[3]\n    z[6] = x[5]\n");
  expect("for i = 0 to n step 1 unroll { z[i] = x[i] }", 64, "not unrolled: its trip count", NULL);
  expect("for i = 0 to 4 step 1 unroll { if (lt(i, k)) { break } }", 64,
         "not unrolled: it has a break", NULL);
}

static void loops_that_cannot_be_widened_stay_and_say_why(void) {
  expect("for i = 0 to n step 2 vector { z[i] = x[i] }", 64, "scalar: its step is 2", NULL);
  expect("for i = 0 to n step 1 vector { z[mul(i, 2)] = x[i] }", 64, "a store is not contiguous",
         "for i = 0 to n step 1 {");
  expect("for i = 0 to n step 1 vector { z[k] = x[i] }", 64, "a store is not contiguous", NULL);
  expect("let s: f64 = 0:f64 for i = 0 to n step 1 vector { s = add(s, x[i]) }", 64,
         "sets a local that is made outside the loop: s", NULL);
  expect("for i = 0 to n step 1 vector { if (lt(x[i], 0:f64)) { z[i] = 1:f64 } }", 64,
         "a condition differs per lane", NULL);
  expect("for i = 0 to n step 1 vector { for j = 0 to i step 1 { z[i] = 1:f64 } }", 64,
         "bounds differ per lane: for j", NULL);
  expect("for i = 0 to n step 1 vector { if (lt(k, 3)) { continue } z[i] = 1:f64 }", 64,
         "it has a break or continue of its own", NULL);
  expect("for i = 0 to n step 1 vector { array t: f64[4] t[0] = x[i] z[i] = t[0] }", 64,
         "it makes an array: t", NULL);
  expect("for i = 0 to n step 1 vector { if (lt(k, 3)) { return } z[i] = 1:f64 }", 64, "it returns",
         NULL);
  expect("for i = 0 to n step 1 vector { let p: f64* = offset(x, q[i]) z[i] = p[0] }", 64,
         "a pointer differs per lane: p", NULL);
  expect("for i = 0 to n step 1 vector { let a: f64 = x[k] }", 64, "it stores nothing", NULL);
}

static void a_refused_outer_loop_leaves_its_inner_loops_their_chance(void) {
  expect("for i = 0 to n step 1 vector { for j = 0 to i step 1 vector { z[j] = x[j] } }", 64,
         "for j: 8 lanes", "z[j2] = x[j2:8]");
}

static void other_vector_sizes_are_refused(void) {
  gj_error err = {0};
  gj_lmodule *m = parse("module \"t\" {}");
  CHECK_OR_RETURN(m != NULL);
  CHECK_INT_EQ(gj_loops_vectorise(m, &(gj_loops_machine){.vector_bytes = 24}, NULL, &err),
               GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "24 vector bytes");
  gj_lmodule_free(m);
}

static void unrolling_stops_before_code_explodes(void) {
  expect("for a = 0 to 64 step 1 unroll { for b = 0 to 64 step 1 unroll { for c = 0 to 64 step 1 "
         "unroll { z[add(add(a, b), c)] = 1:f64 } } }",
         64, "it would become too long", NULL);
}

// --- random modules ---

enum { ELEMENTS = 800, KINDS = 7, OUTPUTS = 4, MAX_LOCALS = 24 };

static const gj_dtype kinds[KINDS] = {GJ_DTYPE_f64, GJ_DTYPE_f32, GJ_DTYPE_i64, GJ_DTYPE_i32,
                                      GJ_DTYPE_u16, GJ_DTYPE_i8,  GJ_DTYPE_bool};

static uint64_t random_state = 88172645463325252u;

static unsigned pick(unsigned count) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (unsigned)(random_state >> 33) % count;
}

typedef struct maker {
  gj_lmodule *m;
  gj_lfunc *f;
  uint32_t inputs[KINDS], indices, outputs[OUTPUTS], n, k;
  gj_dtype output_dtypes[OUTPUTS];
  bool stored[OUTPUTS];
  uint32_t i, j; // loop variables; j is 0 outside the inner loop
  uint32_t locals[MAX_LOCALS];
  unsigned local_count;
} maker;

static const gj_lexpr *local(maker *g, uint32_t l) { return gj_lx_local(g->m, g->f, l); }
static const gj_lexpr *number(maker *g, int64_t v) { return gj_lx_i64(g->m, v); }
static const gj_lexpr *two(maker *g, gj_op op, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(g->m, op, a, b);
}

// An index in [0, ELEMENTS) for i < 80 and j < 4.
static const gj_lexpr *index_of(maker *g) {
  const gj_lexpr *i = local(g, g->i);
  const gj_lexpr *j = g->j ? local(g, g->j) : number(g, pick(4));
  switch (pick(10)) {
  case 0:
    return number(g, pick(ELEMENTS));
  case 8:
    return two(g, GJ_OP_mul, two(g, GJ_OP_add, i, j), local(g, g->k));
  case 1:
    return two(g, GJ_OP_add, i, number(g, pick(20)));
  case 2:
    return two(g, GJ_OP_add, two(g, GJ_OP_mul, i, number(g, 2 + pick(3))), j);
  case 3:
    return two(g, GJ_OP_sub, number(g, 100 + pick(100)), i);
  case 4:
    return two(g, GJ_OP_sub, number(g, 300), two(g, GJ_OP_mul, number(g, 2), i));
  case 5:
    return two(g, GJ_OP_add, two(g, GJ_OP_mul, j, number(g, 90)), i);
  case 6:
    return gj_lx_load(g->m, local(g, g->indices), two(g, GJ_OP_add, i, j), 1);
  case 7:
    return two(g, GJ_OP_rem, two(g, GJ_OP_mul, i, i), number(g, 97));
  default:
    return i;
  }
}

static const gj_lexpr *constant(maker *g, gj_dtype dtype) {
  gj_scalar s;
  static const double values[] = {0, 1, 2, 3, 7, 100};
  gj_scalar_from_double(dtype, dtype == GJ_DTYPE_bool ? pick(2) : values[pick(6)], &s);
  return gj_lx_const(g->m, s);
}

static const gj_lexpr *load(maker *g, unsigned kind) {
  const gj_lexpr *p = local(g, g->inputs[kind]), *index = index_of(g);
  if (pick(6) == 0)
    p = gj_lx_offset(g->m, p, number(g, 0));
  else if (pick(6) == 0)
    return gj_lx_load(g->m, gj_lx_offset(g->m, p, index), number(g, 0), 1);
  return gj_lx_load(g->m, p, index, 1);
}

static const gj_lexpr *value(maker *g, gj_dtype dtype, int depth);

static const gj_lexpr *leaf(maker *g, gj_dtype dtype) {
  for (unsigned tries = 0; tries < 3 && g->local_count; tries++) {
    uint32_t l = g->locals[pick(g->local_count)];
    if (g->f->locals[l].type.dtype == dtype)
      return local(g, l);
  }
  if (dtype == GJ_DTYPE_i64 && pick(4) == 0)
    return pick(2) ? local(g, g->i) : local(g, g->k);
  if (pick(4) == 0)
    return constant(g, dtype);
  for (unsigned kind = 0; kind < KINDS; kind++)
    if (kinds[kind] == dtype)
      return load(g, kind);
  return constant(g, dtype);
}

static const gj_lexpr *truth(maker *g, int depth) {
  static const gj_op compares[] = {GJ_OP_lt, GJ_OP_le, GJ_OP_eq, GJ_OP_ne, GJ_OP_gt, GJ_OP_ge};
  static const gj_op logic[] = {GJ_OP_and, GJ_OP_or, GJ_OP_xor};
  if (pick(3) == 0)
    return two(g, logic[pick(3)], value(g, GJ_DTYPE_bool, depth - 1),
               value(g, GJ_DTYPE_bool, depth - 1));
  gj_dtype dtype = kinds[pick(KINDS)];
  return two(g, compares[pick(6)], value(g, dtype, depth - 1), value(g, dtype, depth - 1));
}

static const gj_lexpr *value(maker *g, gj_dtype dtype, int depth) {
  static const gj_op floats[] = {GJ_OP_add, GJ_OP_sub, GJ_OP_mul, GJ_OP_div, GJ_OP_min, GJ_OP_max};
  static const gj_op integers[] = {GJ_OP_add, GJ_OP_sub, GJ_OP_mul, GJ_OP_div, GJ_OP_rem,
                                   GJ_OP_and, GJ_OP_xor, GJ_OP_shl, GJ_OP_shr, GJ_OP_max};
  static const gj_op unary[] = {GJ_OP_abs, GJ_OP_sqrt, GJ_OP_floor, GJ_OP_neg, GJ_OP_sin};
  if (depth <= 0)
    return leaf(g, dtype);
  switch (pick(6)) {
  case 0:
    return gj_lx_select(g->m, value(g, GJ_DTYPE_bool, depth - 1), value(g, dtype, depth - 1),
                        value(g, dtype, depth - 1));
  case 1:
    return gj_lx_convert(g->m, value(g, kinds[pick(KINDS)], depth - 1), dtype);
  case 2:
    return leaf(g, dtype);
  default:
    break;
  }
  if (dtype == GJ_DTYPE_bool)
    return truth(g, depth);
  if (!gj_dtype_is_float(dtype))
    return two(g, integers[pick(10)], value(g, dtype, depth - 1), value(g, dtype, depth - 1));
  if (pick(3) == 0)
    return gj_lx_unary(g->m, unary[pick(5)], value(g, dtype, depth - 1));
  return two(g, floats[pick(6)], value(g, dtype, depth - 1), value(g, dtype, depth - 1));
}

static void statements(maker *g, gj_lblock *b, int nest);

// Each output is stored by one statement, at one place per iteration.
static void store(maker *g, gj_lblock *b) {
  unsigned o = pick(OUTPUTS);
  if (g->stored[o])
    return;
  g->stored[o] = true;
  const gj_lexpr *p = local(g, g->outputs[o]), *index = local(g, g->i);
  if (g->j)
    index = two(g, GJ_OP_add, two(g, GJ_OP_mul, local(g, g->j), number(g, 90)), index);
  else if (pick(8) == 0)
    index = two(g, GJ_OP_mul, index, number(g, 2)); // refused by the vectoriser
  if (pick(3) == 0)
    p = gj_lx_offset(g->m, p, number(g, pick(30)));
  const gj_lexpr *stored = value(g, g->output_dtypes[o], 3);
  gj_ls_store(g->m, g->f, b, p, index, stored);
  if (pick(3) == 0) // reads back what this iteration wrote
    gj_ls_store(g->m, g->f, b, p, index,
                two(g, GJ_OP_max, gj_lx_load(g->m, p, index, 1), value(g, g->output_dtypes[o], 1)));
}

static void inner_loop(maker *g, gj_lblock *b, int nest) {
  const gj_lexpr *end = pick(2) ? number(g, pick(5)) : local(g, g->k);
  uint8_t marks = pick(3) == 0 ? GJ_LOOP_UNROLL : 0;
  gj_lstmt *s = gj_ls_for(g->m, g->f, b, "j", number(g, 0), end, 1, marks, 0);
  unsigned scope = g->local_count;
  g->j = s->local;
  statements(g, &s->body, nest + 1);
  if (pick(4) == 0) {
    gj_lstmt *leave =
        gj_ls_if(g->m, g->f, &s->body, two(g, GJ_OP_gt, local(g, g->j), local(g, g->k)));
    gj_ls_break(g->m, g->f, &leave->body, 1);
  }
  g->j = 0;
  g->local_count = scope;
}

static void branch(maker *g, gj_lblock *b, int nest) {
  // Now and then the condition differs per lane, and the loop must stay scalar.
  const gj_lexpr *left = g->j && pick(2) ? local(g, g->j) : local(g, g->k);
  const gj_lexpr *condition =
      pick(12) == 0 ? truth(g, 1) : two(g, GJ_OP_lt, left, number(g, pick(4)));
  gj_lstmt *s = gj_ls_if(g->m, g->f, b, condition);
  unsigned scope = g->local_count;
  statements(g, &s->body, nest + 1);
  g->local_count = scope;
  if (pick(2))
    statements(g, &s->orelse, nest + 1);
  g->local_count = scope;
}

static void counted_while(maker *g, gj_lblock *b, int nest) {
  uint32_t left = gj_ls_let(g->m, g->f, b, "left", local(g, g->k));
  gj_lstmt *s = gj_ls_while(g->m, g->f, b, two(g, GJ_OP_gt, local(g, left), number(g, 0)));
  gj_ls_set(g->m, g->f, &s->body, left, two(g, GJ_OP_sub, local(g, left), number(g, 1)));
  unsigned scope = g->local_count;
  bool stored[OUTPUTS];
  memcpy(stored, g->stored, sizeof stored);
  memset(g->stored, true, sizeof g->stored);
  statements(g, &s->body, nest + 1);
  memcpy(g->stored, stored, sizeof stored);
  g->local_count = scope;
}

static void statements(maker *g, gj_lblock *b, int nest) {
  for (unsigned count = 1 + pick(4); count; count--) {
    switch (pick(9)) {
    case 0:
    case 1:
    case 2:
      if (g->local_count < MAX_LOCALS) {
        uint32_t made = gj_ls_let(g->m, g->f, b, "v", value(g, kinds[pick(KINDS)], 2));
        g->locals[g->local_count++] = made;
      }
      break;
    case 3:
    case 4:
      if (g->local_count) {
        uint32_t l = g->locals[pick(g->local_count)];
        gj_ls_set(g->m, g->f, b, l, value(g, (gj_dtype)g->f->locals[l].type.dtype, 2));
      }
      break;
    case 5:
      if (!g->j && nest < 3)
        inner_loop(g, b, nest);
      break;
    case 6:
      if (nest < 3)
        branch(g, b, nest);
      break;
    case 7:
      if (nest < 2)
        counted_while(g, b, nest);
      break;
    default:
      store(g, b);
    }
  }
}

static void make_kernel(maker *g) {
  static const char *const names[KINDS] = {"d", "s", "l", "w", "h", "c", "t"};
  for (unsigned k = 0; k < KINDS; k++)
    g->inputs[k] =
        gj_lfunc_param(g->m, g->f, names[k], gj_ltype_pointer(kinds[k]), GJ_LOCAL_READONLY);
  g->indices = gj_lfunc_param(g->m, g->f, "idx", gj_ltype_pointer(GJ_DTYPE_i64), GJ_LOCAL_READONLY);
  for (unsigned o = 0; o < OUTPUTS; o++) {
    g->output_dtypes[o] = kinds[pick(KINDS)];
    g->outputs[o] = gj_lfunc_param(g->m, g->f, "z", gj_ltype_pointer(g->output_dtypes[o]), 0);
  }
  g->n = gj_lfunc_param(g->m, g->f, "n", gj_ltype_scalar(GJ_DTYPE_i64), 0);
  g->k = gj_lfunc_param(g->m, g->f, "k", gj_ltype_scalar(GJ_DTYPE_i64), 0);
  const gj_lexpr *lo = pick(3) ? number(g, pick(3) ? 0 : pick(6)) : local(g, g->k);
  const gj_lexpr *hi = pick(3) ? local(g, g->n) : number(g, pick(71));
  uint8_t factor = (uint8_t)(1 + pick(3));
  gj_lstmt *loop = gj_ls_for(g->m, g->f, &g->f->body, "i", lo, hi, 1, GJ_LOOP_VECTOR, factor);
  g->i = loop->local;
  statements(g, &loop->body, 0);
  store(g, &loop->body);
  gj_ls_return(g->m, g->f, &g->f->body, NULL);
}

static void make_entry(maker *g) {
  gj_lfunc *entry = gj_lfunc_new(g->m, "main", gj_ltype_scalar(GJ_DTYPE_i32), true);
  const gj_lexpr *args[KINDS + 1 + OUTPUTS + 2];
  uint32_t count = 0;
  for (; count < KINDS + 1 + OUTPUTS; count++)
    args[count] = gj_lx_buffer(g->m, count, (gj_dtype)g->f->locals[count].type.dtype);
  args[count++] = gj_lx_dim(g->m, 0);
  args[count++] = gj_lx_dim(g->m, 1);
  gj_ls_do(g->m, entry, &entry->body, gj_lx_call(g->m, g->f, args, count));
  gj_scalar zero = {.dtype = GJ_DTYPE_i32};
  gj_ls_return(g->m, entry, &entry->body, gj_lx_const(g->m, zero));
}

// Fills inputs with small values, special floats included, and outputs with a pattern.
static void fill(unsigned char (*memory)[ELEMENTS * 8]) {
  static const double specials[] = {0.0, -0.0, 1.5, -2.25, 1e300, -3, 12, 0.1};
  for (unsigned k = 0; k < KINDS; k++)
    for (unsigned i = 0; i < ELEMENTS; i++) {
      gj_scalar s = {.dtype = kinds[k]};
      if (gj_dtype_is_float(kinds[k]))
        s.v.f =
            pick(20) == 0 ? (double)INFINITY - (pick(2) ? INFINITY : 0) : (float)specials[pick(8)];
      else
        s.v.i = kinds[k] == GJ_DTYPE_bool ? pick(2) : pick(100);
      gj_scalar_store(s, memory[k] + i * gj_dtype_bytes(kinds[k]));
    }
  for (unsigned i = 0; i < ELEMENTS; i++) {
    int64_t index = pick(ELEMENTS);
    memcpy(memory[KINDS] + 8 * i, &index, 8);
  }
  for (unsigned o = 0; o < OUTPUTS; o++)
    memset(memory[KINDS + 1 + o], 0, ELEMENTS * 8);
}

static void run(const gj_lmodule *m, unsigned char (*memory)[ELEMENTS * 8], int64_t *dims) {
  enum { COUNT = KINDS + 1 + OUTPUTS };
  void *buffers[COUNT];
  size_t sizes[COUNT];
  for (unsigned b = 0; b < COUNT; b++) {
    buffers[b] = memory[b];
    sizes[b] = ELEMENTS * 8;
  }
  gj_leval args = {.buffers = buffers,
                   .buffer_sizes = sizes,
                   .buffer_count = COUNT,
                   .dims = dims,
                   .dim_count = 2,
                   .max_steps = 1000000};
  int32_t status = -1;
  gj_error err = {0};
  CHECK_OK(gj_lmodule_eval(m, &args, &status, &err), &err);
  CHECK_INT_EQ(status, 0);
}

static void check_text(const gj_lmodule *m) {
  char *first = print(m);
  gj_lmodule *again = parse(first);
  if (again) {
    char *second = print(again);
    CHECK_STR_EQ(first, second);
    free(second);
  }
  free(first);
  gj_lmodule_free(again);
}

// Returns whether the loop was vectorised.
static bool try_one(uint64_t seed) {
  static unsigned char before[KINDS + 1 + OUTPUTS][ELEMENTS * 8];
  static unsigned char after[KINDS + 1 + OUTPUTS][ELEMENTS * 8];
  static const gj_loops_machine machines[] = {
      {.vector_bytes = 16},
      {.vector_bytes = 32},
      {.vector_bytes = 64},
      {.vector_bytes = 32, .masked = 4 | 8},
      {.vector_bytes = 64, .masked = 1 | 2 | 4 | 8, .cheap_masks = true},
  };
  enum { COUNT_MACHINES = sizeof machines / sizeof *machines };
  random_state = seed * 2654435761u + 88172645463325252u;
  maker g = {.m = gj_lmodule_new("random")};
  gj_error err = {0};
  gj_strbuf report = {0};
  g.f = gj_lfunc_new(g.m, "kernel", (gj_ltype){0}, false);
  make_kernel(&g);
  make_entry(&g);
  CHECK_OK(gj_lmodule_verify(g.m, &err), &err);
  gj_lmodule *changed = gj_lmodule_clone(g.m);
  CHECK_OK(gj_loops_vectorise(changed, &machines[pick(COUNT_MACHINES)], &report, &err), &err);
  CHECK_OK(gj_lmodule_verify(changed, &err), &err);
  check_text(g.m);
  check_text(changed);
  fill(before);
  memcpy(after, before, sizeof before);
  int64_t dims[] = {pick(71), pick(4)};
  run(g.m, before, dims);
  run(changed, after, dims);
  bool vectorised = strstr(gj_strbuf_peek(&report), " lanes") != NULL;
  int failures = check_state.failures;
  for (unsigned b = 0; b < KINDS + 1 + OUTPUTS; b++)
    CHECK(memcmp(before[b], after[b], sizeof before[b]) == 0);
  if (check_state.failures > failures) {
    char *text = print(g.m);
    printf("seed %llu:\n%s%s", (unsigned long long)seed, gj_strbuf_peek(&report), text);
    free(text);
  }
  gj_strbuf_fini(&report);
  gj_lmodule_free(changed);
  gj_lmodule_free(g.m);
  return vectorised;
}

static uint64_t rounds;

static void random_modules_keep_their_bits(void) {
  uint64_t vectorised = 0, tried = 0;
  for (uint64_t seed = 0; seed < rounds && check_state.failures == 0; seed++)
    if (check_takes(seed)) {
      vectorised += try_one(seed);
      tried++;
    }
  // A test that refuses everything would pass too.
  CHECK(vectorised > tried / 3);
}

int main(int argc, char **argv) {
  rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : check_is_quick() ? 60 : 1500;
  CHECK_RUN(contiguous_loads_and_stores_become_vectors);
  CHECK_RUN(what_a_machine_does_lane_by_lane_is_said);
  CHECK_RUN(lanes_are_counted_and_appended);
  CHECK_RUN(the_rest_runs_in_a_scalar_loop);
  CHECK_RUN(narrow_vectors_share_the_loop_around_a_light_body);
  CHECK_RUN(the_rest_runs_under_a_mask);
  CHECK_RUN(a_heavy_body_stands_once_and_masks_the_rest_only);
  CHECK_RUN(blocks_that_share_a_load_do_it_each);
  CHECK_RUN(large_loops_have_a_form_that_streams);
  CHECK_RUN(transposed_loads_make_tiles);
  CHECK_RUN(what_cannot_be_masked_is_not);
  CHECK_RUN(the_rest_overlaps_where_nothing_is_read_that_is_written);
  CHECK_RUN(strides_choose_the_kind_of_load);
  CHECK_RUN(affine_locals_stay_scalar);
  CHECK_RUN(index_arithmetic_does_not_narrow_the_vector);
  CHECK_RUN(outer_loops_keep_uniform_loops_inside);
  CHECK_RUN(short_constant_trips_become_straight_code);
  CHECK_RUN(marked_loops_are_unrolled);
  CHECK_RUN(loops_that_cannot_be_widened_stay_and_say_why);
  CHECK_RUN(a_refused_outer_loop_leaves_its_inner_loops_their_chance);
  CHECK_RUN(other_vector_sizes_are_refused);
  CHECK_RUN(unrolling_stops_before_code_explodes);
  CHECK_RUN(random_modules_keep_their_bits);
  return check_report();
}
