// What functions of a language need of Loop IR: jumps out of several loops, recursion, the heap of
// a run, modular conversions, overflow, functions that C calls. Each program runs in the reference
// interpreter and as machine code of every level, which must agree.
#include "loop_code.h"
#include "loops_text.h"

#include "runtime/heap.h"
#include "runtime/pool.h"
#include "runtime/stack.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS = 4096, LEVELS = 3 };

static gj_target targets[MOST_TARGETS];
static size_t target_count;

typedef struct memory {
  _Alignas(64) int64_t cells[2][CELLS];
} memory;

static gj_codegen_options level(int i) {
  static const unsigned levels[LEVELS] = {1, 0, 3};
  return (gj_codegen_options){.opt_level = levels[i], .vectorise = i > 0};
}

static int32_t run_code(const gj_lmodule *m, const gj_target *target, int which, memory *state) {
  gj_jit_code *code;
  gj_entry *entry = load_code(m, target, level(which), &code);
  int32_t status = -1;
  gj_run_heap heap;
  gj_heap_init(&heap);
  gj_exec exec = {.stack_limit = gj_stack_limit(), .heap = &heap.face};
  if (entry)
    status = entry((void *[]){state->cells[0], state->cells[1]}, NULL, &exec);
  gj_heap_fini(&heap);
  gj_jit_unload(code);
  return status;
}

static int32_t run_reference(const gj_lmodule *m, memory *state) {
  gj_error err = {0};
  int32_t status = -1;
  size_t sizes[2] = {sizeof state->cells[0], sizeof state->cells[1]};
  gj_leval args = {.buffers = (void *[]){state->cells[0], state->cells[1]},
                   .buffer_sizes = sizes,
                   .buffer_count = 2};
  CHECK_OK(gj_lmodule_eval(m, &args, &status, &err), &err);
  return status;
}

// Runs the module in all ways, from `start`, and compares buffer 1 and the status with those of the
// reference interpreter; these are left in *out.
static void run_all(const char *text, const memory *start, int32_t wanted, memory *out) {
  gj_lmodule *m = parse(text);
  CHECK_OR_RETURN(m);
  *out = *start;
  CHECK_INT_EQ(run_reference(m, out), wanted);
  int levels = check_is_quick() ? 1 : LEVELS;
  for (size_t t = 0; t < (check_is_quick() ? 1 : target_count); t++)
    for (int i = t ? LEVELS - 1 : 0; i < levels; i++) { // others at their best only
      memory *got = aligned_alloc(64, sizeof *got);
      *got = *start;
      CHECK_INT_EQ(run_code(m, &targets[t], i, got), wanted);
      bool same = memcmp(got->cells[1], out->cells[1], sizeof got->cells[1]) == 0;
      CHECK(same);
      for (int k = 0; k < CELLS && !same; k++)
        if (got->cells[1][k] != out->cells[1][k]) {
          fprintf(stderr, "target %zu level %d cell %d: %lld vs %lld\n", t, i, k,
                  (long long)got->cells[1][k], (long long)out->cells[1][k]);
          break;
        }
      free(got);
    }
  gj_lmodule_free(m);
}

static void gives(const char *text, int32_t wanted) {
  static memory start, out;
  memset(&start, 0, sizeof start);
  run_all(text, &start, wanted, &out);
}

// --- text ---

static void text_survives(void) {
  static const char text[] =
      "module \"t\" {\n"
      "  entry func main() -> i32 {\n"
      "    let m: i64 = mark\n"
      "    let p: f64* = alloc<f64>(12)\n"
      "    if (is_null(p)) {\n"
      "      return 2:i32\n"
      "    }\n"
      "    let q: f64* = pointer<f64>(address(p))\n"
      "    while (true) at 3:7 {\n"
      "      for i = 0 to 4 step 1 at 4:9 {\n"
      "        for j = 0 to 4 step 1 unroll at 5:11 {\n"
      "          if (overflows mul(i, j)) {\n"
      "            break 3\n"
      "          }\n"
      "          continue 2\n"
      "        }\n"
      "        break\n"
      "      }\n"
      "      continue\n"
      "    }\n"
      "    assume ge(wrap<i64>(p[0]), 0)\n"
      "    release m\n"
      "    return call later(1:i32)\n"
      "  }\n"
      "  func later(n: i32) -> i32 {\n"
      "    if (or(too_deep, le(n, 0:i32))) {\n"
      "      return n\n"
      "    }\n"
      "    return call later(sub(n, 1:i32))\n"
      "  }\n"
      "  export func shown(x: f64, n: u32, b: bool, p: f64* readonly) -> f32 {\n"
      "    return convert<f32>(p[0])\n"
      "  }\n"
      "}\n";
  gj_lmodule *m = parse(text);
  CHECK_OR_RETURN(m);
  char *printed = print(m);
  CHECK_STR_EQ(printed, text);
  gj_lmodule *copy = gj_lmodule_clone(m);
  char *cloned = print(copy);
  CHECK_STR_EQ(cloned, text);
  bool needs[3];
  gj_lfunc_needs_exec(m, needs);
  CHECK(needs[0] && needs[1] && !needs[2]);
  free(cloned);
  free(printed);
  gj_lmodule_free(copy);
  gj_lmodule_free(m);
}

static void bad(const char *body, const char *part) {
  char text[2048];
  gj_error err = {0};
  gj_lmodule *m = NULL;
  snprintf(text, sizeof text, "module \"t\" { func f(p: f64*, n: i64, x: f64, b: bool) { %s } }",
           body);
  CHECK(gj_lmodule_parse(text, strlen(text), &m, &err) != GJ_OK);
  CHECK_CONTAINS(err.message, part);
}

static void types_are_checked(void) {
  bad("n = wrap<i64>(n)", "wrap: argument 0 is i64, expected an f64");
  bad("let a: i64 = wrap<f32>(x)", "wrap: to f32, expected i32, u32, i64 or u64");
  bad("b = overflows add(n, 1:i32)", "overflows: operands 0 and 1 differ: i64 vs i32");
  bad("b = overflows add(x, x)", "overflows: argument 0 is f64, expected an i32, u32, i64 or u64");
  bad("b = overflows div(n, n)", "expected add, sub or mul, got 'div'");
  bad("let q: f64* = alloc<f64>(x)", "alloc: argument 0 is f64, expected an i64 count");
  bad("let q: f32* = alloc<f64>(n)", "let q: the value is f64*, expected f32*");
  bad("b = is_null(n)", "is_null: argument 0 is i64, expected a pointer");
  bad("n = address(x)", "address: argument 0 is f64, expected a pointer");
  bad("let q: f64* = pointer<f64>(x)", "pointer: argument 0 is f64, expected an i64 address");
  bad("release b", "release: the value is bool, expected i64");
  bad("assume n", "assume: the value is i64, expected bool");
  bad("let mark: i64 = 0", "expected a new name");
  bad("while (b) at 0:1 { }", "line: 0 is not in 1");
  bad("do call g()", "expected the name of a function, got 'g'");
  bad("do call f(p, n, x)", "call f: 3 arguments, expected 4");
}

// --- control flow ---

static void jumps_leave_several_loops(void) {
  // Counts what each jump lets happen.
  gives("module \"t\" { entry func main() -> i32 { let s: i32 = 0:i32"
        "  for i = 0 to 5 step 1 {"
        "    let j: i64 = 0"
        "    while (lt(j, 5)) {"
        "      j = add(j, 1)"
        "      for k = 0 to 5 step 1 {"
        "        s = add(s, 1:i32)"
        "        if (eq(k, 3)) { if (eq(j, 3)) { continue 3 } break }"
        "        if (eq(i, 3)) { if (eq(k, 2)) { continue 2 } if (eq(j, 2)) { break 3 } }"
        "      }"
        "    }"
        "    s = add(s, 1000:i32)"
        "  }"
        "  return s } }",
        40);
}

static void functions_call_themselves_and_others_behind(void) {
  gives("module \"t\" {"
        "entry func main() -> i32 {"
        "  return add(call fib(15:i32), mul(call even(7:i32), 10000:i32)) }"
        "func fib(n: i32) -> i32 {"
        "  if (lt(n, 2:i32)) { return n }"
        "  return add(call fib(sub(n, 1:i32)), call fib(sub(n, 2:i32))) }"
        "func even(n: i32) -> i32 { if (le(n, 0:i32)) { return 1:i32 }"
        "  return call odd(sub(n, 1:i32)) }"
        "func odd(n: i32) -> i32 { if (le(n, 0:i32)) { return 3:i32 }"
        "  return call even(sub(n, 1:i32)) } }",
        30610);
}

static void endless_recursion_ends(void) {
  gives("module \"t\" { entry func main() -> i32 { return call f(0) }"
        "func f(n: i64) -> i32 {"
        "  if (too_deep) { return 5:i32 }"
        "  array a: f64[100]"
        "  a[rem(n, 100)] = convert<f64>(n)"
        "  let status: i32 = call f(add(n, 1))"
        "  if (ne(status, 0:i32)) { return status }"
        "  return select(lt(a[rem(n, 100)], 0:f64), 1:i32, 0:i32) } }",
        5);
  // What does not recurse has nothing to say.
  gives("module \"t\" { entry func main() -> i32 { if (too_deep) { return 5:i32 } return 0:i32 } }",
        0);
}

// --- the heap ---

static void memory_is_zeroed_and_comes_and_goes(void) {
  gives("module \"t\" { entry func main() -> i32 {"
        "  let wrong: i64 = 0"
        "  let m: i64 = mark"
        "  for i = 0 to 300 step 23 {"
        "    let p: i32* = alloc<i32>(mul(i, i))"
        "    if (is_null(p)) { return 2:i32 }"
        "    wrong = or(wrong, and(address(p), 63))"
        "    for k = 0 to mul(i, i) step 1 {"
        "      wrong = or(wrong, convert<i64>(p[k]))"
        "      p[k] = -1:i32"
        "    }"
        "    if (eq(rem(i, 3), 0)) { release m }"
        "  }"
        "  release m"
        "  return convert<i32>(wrong) } }",
        0);
  gives("module \"t\" { entry func main() -> i32 {"
        "  if (not(is_null(alloc<f64>(-1)))) { return 1:i32 }"
        "  if (not(is_null(alloc<f64>(2305843009213693953)))) { return 2:i32 }"
        "  if (not(is_null(alloc<f64>(9223372036854775807)))) { return 3:i32 }"
        "  if (is_null(alloc<f64>(0))) { return 4:i32 }"
        "  return 0:i32 } }",
        0);
}

static void pointers_travel_as_numbers(void) {
  gives("module \"t\" { entry func main() -> i32 {"
        "  array slots: i64[2]"
        "  let status: i32 = call make(slots, 5)"
        "  if (ne(status, 0:i32)) { return status }"
        "  let p: f64* = pointer<f64>(slots[0])"
        "  let s: f64 = 0.0:f64"
        "  for i = 0 to slots[1] step 1 { s = add(s, p[i]) }"
        "  return convert<i32>(s) }"
        "func make(slots: i64*, n: i64) -> i32 {"
        "  let p: f64* = alloc<f64>(n)"
        "  if (is_null(p)) { return 2:i32 }"
        "  for i = 0 to n step 1 { p[i] = convert<f64>(add(i, 1)) }"
        "  slots[0] = address(p) slots[1] = n"
        "  return 0:i32 } }",
        15);
}

static void blocks_are_taken_out_of_a_heap(void) {
  gj_run_heap heap;
  gj_heap_init(&heap);
  double *small = heap.face.alloc(&heap.face, 10, sizeof *small);
  double *large = heap.face.alloc(&heap.face, 100000, sizeof *large);
  double *other = heap.face.alloc(&heap.face, 100000, sizeof *other);
  CHECK_OR_RETURN(small && large && other);
  void *taken = NULL;
  CHECK(!gj_heap_take(&heap, small, &taken));
  CHECK(gj_heap_take(&heap, large, &taken));
  CHECK(!gj_heap_take(&heap, large, &taken));
  gj_heap_clear(&heap);
  CHECK_INT_EQ(heap.face.mark(&heap.face), 0);
  large[99999] = 1;
  free(taken);
  gj_heap_fini(&heap);
}

// Each thread allocates and releases by itself, and recursion inside sees its own stack.
static void threads_have_heaps_and_stacks_of_their_own(void) {
  gj_lmodule *m = parse("module \"t\" {"
                        "func down(n: i64) -> i64 { if (too_deep) { return 0 }"
                        "  if (eq(n, 0)) { return 1 } return call down(sub(n, 1)) }"
                        "func k(x: i64*, begin: i64, end: i64) -> i32 {"
                        "  for i = begin to end step 1 {"
                        "    let m: i64 = mark let p: i64* = alloc<i64>(add(mul(i, 2), 1))"
                        "    if (is_null(p)) { return 2:i32 }"
                        "    for j = 0 to i step 1 { p[j] = j }"
                        "    let s: i64 = call down(100)"
                        "    for l = 0 to i step 1 { s = add(s, p[l]) }"
                        "    x[i] = s release m } return 0:i32 }"
                        "entry func main() -> i32 {"
                        "  return parallel k(buffer<1, i64>) over 0 to 4096 grain 8 } }");
  CHECK_OR_RETURN(m);
  static memory state;
  gj_jit_code *code;
  gj_entry *entry = load_code(m, &targets[0], level(2), &code);
  gj_pool *pool = gj_pool_new(4);
  gj_run_heap heap;
  gj_heap_init(&heap);
  gj_pool_exec exec = gj_pool_exec_make(4, NULL, NULL);
  exec.pool = pool;
  exec.exec.heap = &heap.face;
  exec.exec.stack_limit = gj_stack_limit();
  if (entry && pool)
    CHECK_INT_EQ(entry((void *[]){state.cells[0], state.cells[1]}, NULL, &exec.exec), 0);
  bool right = true;
  for (int64_t i = 0; i < CELLS; i++)
    right = right && state.cells[1][i] == 1 + i * (i - 1) / 2;
  CHECK(right);
  gj_heap_fini(&heap);
  gj_pool_free(pool);
  gj_jit_unload(code);
  gj_lmodule_free(m);
}

// --- numbers ---

static uint64_t next_bits(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state ^ *state >> 29;
}

static void fill_floats(memory *m) {
  static const double edges[] = {0,
                                 -0.0,
                                 0.5,
                                 -0.5,
                                 -1,
                                 1e300,
                                 -1e300,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 0x1p31,
                                 -0x1p31,
                                 0x1p32,
                                 0x1p32 + 3.7,
                                 -0x1p32 - 3.7,
                                 0x1p53,
                                 0x1p62,
                                 0x1p63,
                                 -0x1p63,
                                 0x1.fffffffffffffp62,
                                 -0x1.fffffffffffffp63,
                                 0x1.fffffffffffffp63,
                                 0x1p64,
                                 0x1.8p64,
                                 0x1.fffffffffffffp84,
                                 0x1.fffffffffffffp115,
                                 0x1.fffffffffffffp116,
                                 -0x1.fffffffffffffp115,
                                 5e-324,
                                 4294967295.5,
                                 2147483647.9};
  uint64_t state = 7;
  for (int i = 0; i < CELLS; i++) {
    uint64_t bits = next_bits(&state);
    if (i % 2) // of a size that matters
      bits = (bits & UINT64_C(0x800FFFFFFFFFFFFF)) | (UINT64_C(1023) - 2 + bits % 130) << 52;
    memcpy(&m->cells[0][i], &bits, sizeof bits);
  }
  memcpy(m->cells[0], edges, sizeof edges);
}

static void floats_wrap_as_in_javascript(void) {
  static const char *const dtypes[] = {"i32", "u32", "i64", "u64"};
  static memory start, out;
  fill_floats(&start);
  for (int d = 0; d < (check_is_quick() ? 1 : 4); d++) {
    char text[1024];
    snprintf(text, sizeof text,
             "module \"t\" { entry func main() -> i32 { let x: f64* = buffer<0, f64>"
             "  let y: i64* = buffer<1, i64>"
             "  for i = 0 to %d step 1 { y[i] = convert<i64>(wrap<%s>(x[i])) }"
             "  return 0:i32 } }",
             CELLS, dtypes[d]);
    run_all(text, &start, 0, &out);
    if (d == 0) {
      CHECK_INT_EQ(out.cells[1][5], 0);              // 1e300
      CHECK_INT_EQ(out.cells[1][10], -2147483648LL); // 2^31
      CHECK_INT_EQ(out.cells[1][13], 3);             // 2^32 + 3.7
      CHECK_INT_EQ(out.cells[1][14], -3);
      CHECK_INT_EQ(out.cells[1][29], -1); // 4294967295.5
    }
    if (d == 2)
      CHECK(out.cells[1][24] == (int64_t)(UINT64_C(0x1FFFFFFFFFFFFF) << 32));
  }
}

static void wrapped_vectors_agree(void) {
  static memory start, out;
  fill_floats(&start);
  run_all("module \"t\" { entry func main() -> i32 { let x: f64* = buffer<0, f64>"
          "  let y: i64* = buffer<1, i64>"
          "  for i = 0 to 2048 step 4 {"
          "    y[i] = wrap<i64>(x[i:4])"
          "    y[add(i, 2048)] = convert<i64>(wrap<u32>(x[i:4]))"
          "  } return 0:i32 } }",
          &start, 0, &out);
}

static void overflow_is_seen(void) {
  static const char *const dtypes[] = {"i32", "u32", "i64", "u64"};
  static memory start, out;
  static const int64_t edges[] = {0,  1,         2,           -1,         -2,         INT32_MAX,
                                  7,  INT32_MIN, INT64_MAX,   INT64_MIN,  UINT32_MAX, 3037000500,
                                  -7, 65536,     0x100000000, -3037000500};
  enum { COUNT = sizeof edges / sizeof *edges };
  uint64_t state = 3;
  for (int i = 0; i < CELLS; i++)
    start.cells[0][i] = (int64_t)(next_bits(&state) >> (i % 64));
  for (int i = 0; i < COUNT * COUNT; i++) {
    start.cells[0][2 * i] = edges[i / COUNT];
    start.cells[0][2 * i + 1] = edges[i % COUNT];
  }
  for (int d = 0; d < (check_is_quick() ? 1 : 4); d++) {
    char text[2048];
    snprintf(text, sizeof text,
             "module \"t\" { entry func main() -> i32 { let x: i64* = buffer<0, i64>"
             "  let y: i64* = buffer<1, i64>"
             "  for i = 0 to 2000 step 1 {"
             "    let a: %s = convert<%s>(x[mul(i, 2)]) let b: %s = convert<%s>(x[add(mul(i, 2), "
             "1)])"
             "    let s: i64 = 0"
             "    if (overflows add(a, b)) { s = 1 } else { s = mul(convert<i64>(add(a, b)), 8) }"
             "    if (overflows sub(a, b)) { s = add(s, 2) }"
             "    if (overflows mul(a, b)) { s = add(s, 4) } else { y[add(i, 2000)] = "
             "convert<i64>(mul(a, b)) }"
             "    y[i] = s"
             "  } return 0:i32 } }",
             dtypes[d], dtypes[d], dtypes[d], dtypes[d]);
    run_all(text, &start, 0, &out);
  }
}

static void assumptions_must_hold(void) {
  gives("module \"t\" { entry func main() -> i32 { let n: i64 = 4 assume gt(n, 3) return 0:i32 } }",
        0);
  gj_lmodule *m = parse("module \"t\" { entry func main() -> i32 { assume false return 0:i32 } }");
  gj_error err = {0};
  int32_t status;
  CHECK(gj_lmodule_eval(m, &(gj_leval){0}, &status, &err) != GJ_OK);
  CHECK_CONTAINS(err.message, "main: what it assumes is not so");
  gj_lmodule_free(m);
}

// --- functions of C ---

static const char exported[] =
    "module \"t\" {"
    "export func mix(x: f64, f: f32, n: i64, i: i32, u: u32, big: u64, b: bool, p: f64* readonly) "
    "-> f64 {"
    "  let s: f64 = add(mul(x, p[n]), convert<f64>(f))"
    "  return select(b, add(s, convert<f64>(i)), call twice(add(convert<f64>(u), "
    "convert<f64>(big)))) }"
    "func twice(x: f64) -> f64 { return add(x, x) }"
    "export func deep(n: i64) -> i32 { return call down(n) }"
    "func down(n: i64) -> i32 { if (too_deep) { return 5:i32 }"
    "  if (eq(n, 0)) { return 0:i32 } let s: i32 = call down(sub(n, 1)) return add(s, 0:i32) }"
    "export func is_odd(n: u32) -> bool { return eq(and(n, 1:u32), 1:u32) } }";

typedef double mix_fn(double x, float f, int64_t n, int32_t i, uint32_t u, uint64_t big, bool b,
                      const double *p);

static void c_calls_functions_with_scalars(void) {
  gj_lmodule *m = parse(exported);
  gj_error err = {0};
  gj_codegen_options options = {.opt_level = 3, .vectorise = true, .entry_symbol = "unused"};
  static const char *const symbols[] = {"mix", "deep", "is_odd"};
  unsigned char *object = NULL;
  size_t size = 0;
  CHECK_OR_RETURN(m);
  CHECK_OK(gj_codegen(m, &targets[0], &options, GJ_EMIT_OBJECT, &object, &size, NULL, &err), &err);
  gj_lmodule_free(m);
  for (int k = 0; k < 3 && object; k++) {
    gj_jit_code *code;
    gj_entry *entry;
    CHECK_OK(gj_jit_load(object, size, symbols[k], &code, &entry, &err), &err);
    if (k == 0) {
      mix_fn *mix = (mix_fn *)(void (*)(void))entry;
      const double p[] = {1, 10};
      CHECK(mix(2.5, 0.5F, 1, -3, 4000000000u, 7, true, p) == 22.5);
      CHECK(mix(2.5, 0.5F, 1, -3, 4000000000u, 7, false, p) == 8000000014.0);
    } else if (k == 1) {
      int32_t (*deep)(int64_t, gj_exec *) = (int32_t(*)(int64_t, gj_exec *))(void (*)(void))entry;
      CHECK_INT_EQ(deep(10, NULL), 0);
      CHECK_INT_EQ(deep(1000000000, NULL), 5); // a limit of its own
      gj_exec exec = {.stack_limit = gj_stack_limit()};
      CHECK_INT_EQ(deep(1000000000, &exec), 5);
    } else {
      bool (*is_odd)(uint32_t) = (bool (*)(uint32_t))(void (*)(void))entry;
      CHECK(is_odd(7) && !is_odd(8));
    }
    gj_jit_unload(code);
  }
  free(object);
}

static void the_interpreter_calls_functions_with_scalars(void) {
  gj_lmodule *m = parse(exported);
  CHECK_OR_RETURN(m);
  gj_error err = {0};
  gj_scalar odd = {GJ_DTYPE_u32, {.u = 7}}, result = {0};
  gj_leval args = {.function = "is_odd", .scalars = &odd, .scalar_count = 1, .result = &result};
  int32_t status;
  CHECK_OK(gj_lmodule_eval(m, &args, &status, &err), &err);
  CHECK(result.dtype == GJ_DTYPE_bool && result.v.u == 1);
  odd.dtype = GJ_DTYPE_i64;
  CHECK(gj_lmodule_eval(m, &args, &status, &err) != GJ_OK);
  CHECK_CONTAINS(err.message, "is_odd: scalar 0 is of another dtype than n");
  args.scalar_count = 0;
  CHECK(gj_lmodule_eval(m, &args, &status, &err) != GJ_OK);
  CHECK_CONTAINS(err.message, "is_odd takes 0 pointers and 1 scalars, got 0 and 0");
  gj_lmodule_free(m);
}

// --- what LLVM's optimiser is told and tells ---

static const char loops[] = "module \"t\" { entry func main() -> i32 {"
                            "  let x: f64* = buffer<0, f64>"
                            "  let s: f64 = 0:f64"
                            "  for i = 0 to 4096 step 1 at 2:5 { s = add(s, x[i]) }"
                            "  let n: i64 = 0"
                            "  while (lt(n, 4096)) at 4:3 {"
                            "    n = add(n, 1)"
                            "    x[sub(n, 1)] = 0:f64"
                            "  }"
                            "  for k = 1 to 4096 step 1 at 7:1 {"
                            "    x[k] = add(mul(x[sub(k, 1)], 0.5:f64), s) }"
                            "  for j = 0 to 4000 step 1 at 9:9 { x[j] = add(x[j], 1:f64) }"
                            "  return 0:i32 } }";

// The remarks and a text of the module above; the caller frees both.
static char *optimise(gj_codegen_options options, const gj_target *target, gj_emit what,
                      char **out_remarks) {
  gj_remarks remarks = {0};
  gj_strbuf lines = {0};
  unsigned char *bytes = NULL;
  size_t size = 0;
  gj_error err = {0};
  gj_lmodule *m = parse(loops);
  options.entry_symbol = "run";
  options.remarks = &remarks;
  CHECK_OK(gj_codegen(m, target, &options, what, &bytes, &size, NULL, &err), &err);
  gj_remarks_print(&remarks, &lines);
  CHECK_OK(gj_strbuf_take(&lines, out_remarks, NULL, &err), &err);
  gj_remarks_fini(&remarks);
  gj_lmodule_free(m);
  return (char *)bytes;
}

static void remarks_say_what_became_of_loops(void) {
  gj_target sse;
  gj_error err = {0};
  char *remarks;
  CHECK_OK(gj_target_named("x86_64-unknown-linux-gnu", "x86-64-v2", NULL, &sse, &err), &err);
  gj_codegen_options options = {.opt_level = 3, .vectorise = true};
  free(optimise(options, &sse, GJ_EMIT_LLVM_OPTIMIZED, &remarks));
  CHECK_STR_EQ(remarks, "2:5: not vectorised: floats must be added in order; numerics: 'fast' "
                        "allows another one\n"
                        "4:3: vectorised, 2 lanes, 2 vectors at a time\n"
                        "7:1: not vectorised: an iteration may read what another writes\n"
                        "9:9: vectorised, 2 lanes, 2 vectors at a time\n");
  free(remarks);
  options.numerics = GJ_NUMERICS_FAST;
  free(optimise(options, &sse, GJ_EMIT_LLVM_OPTIMIZED, &remarks));
  CHECK_CONTAINS(remarks, "2:5: vectorised, 2 lanes");
  free(remarks);
  options.vectorise = false;
  free(optimise(options, &sse, GJ_EMIT_LLVM_OPTIMIZED, &remarks));
  CHECK_STR_EQ(remarks, "");
  free(remarks);
}

// A loop that clears memory becomes a call only where there is something to call.
static void code_needs_no_library(void) {
  gj_target wasm;
  gj_error err = {0};
  char *remarks, *text;
  gj_codegen_options options = {.opt_level = 3, .vectorise = true};
  text = optimise(options, &targets[0], GJ_EMIT_ASSEMBLY, &remarks);
  CHECK(text && !strstr(text, "memset"));
  free(remarks);
  free(text);
  CHECK_OK(gj_target_wasm(GJ_WASM_MVP, false, &wasm, &err), &err);
  text = optimise(options, &wasm, GJ_EMIT_ASSEMBLY, &remarks);
  CHECK(text && !strstr(text, "memset"));
  free(remarks);
  free(text);
}

// Everything above, for machines that are not at hand: LLVM takes it and needs no library for it.
static void other_targets_have_it_all(void) {
  static const char *const triples[] = {"aarch64-unknown-linux-gnu", "riscv64-unknown-linux-gnu"};
  static const char text[] =
      "module \"t\" { entry func main() -> i32 { let x: f64* = buffer<0, f64> let m: i64 = mark"
      "  let p: i64* = alloc<i64>(dim<0>) if (is_null(p)) { return 2:i32 }"
      "  for i = 0 to dim<0> step 1 { p[i] = wrap<i64>(x[i])"
      "    if (overflows mul(p[i], 3)) { return 16:i32 } x[i] = convert<f64>(wrap<u32>(x[i])) }"
      "  let y: i64<2> = wrap<i64>(x[0:2]) p[0] = y release m return call f(9:i32) }"
      "  func f(n: i32) -> i32 { if (too_deep) { return 5:i32 } if (lt(n, 1:i32)) { return 0:i32 }"
      "    return add(n, call f(sub(n, 1:i32))) } }";
  gj_codegen_options options = {.vectorise = true, .entry_symbol = "run", .exec_optional = true};
  for (unsigned i = 0; i < (check_is_quick() ? 1 : 6); i++) {
    gj_target target;
    gj_error err = {0};
    unsigned char *bytes = NULL;
    size_t size = 0;
    bool wasm = i / 2 == 2;
    gj_lmodule *m = parse(text);
    CHECK_OK(wasm ? gj_target_wasm(GJ_WASM_MVP, false, &target, &err)
                  : gj_target_named(triples[i / 2], NULL, NULL, &target, &err),
             &err);
    options.opt_level = i % 2 ? 3 : 0;
    CHECK_OK(gj_codegen(m, &target, &options, GJ_EMIT_ASSEMBLY, &bytes, &size, NULL, &err), &err);
    static const char *const calls[] = {"memset", "__mulo", "__multi", "__fix"};
    for (int k = 0; k < 4 && bytes; k++)
      CHECK(!strstr((char *)bytes, calls[k]));
    free(bytes);
    gj_lmodule_free(m);
  }
}

// Nothing of positions is left in the object.
static void positions_leave_no_trace(void) {
  char *remarks;
  gj_codegen_options options = {.opt_level = 3, .vectorise = true};
  char *text = optimise(options, &targets[0], GJ_EMIT_ASSEMBLY, &remarks);
  CHECK(text && !strstr(text, ".debug") && !strstr(text, ".loc"));
  free(remarks);
  free(text);
}

int main(void) {
  target_count = find_targets(targets);
  CHECK_RUN(text_survives);
  CHECK_RUN(types_are_checked);
  CHECK_RUN(jumps_leave_several_loops);
  CHECK_RUN(functions_call_themselves_and_others_behind);
  CHECK_RUN(endless_recursion_ends);
  CHECK_RUN(memory_is_zeroed_and_comes_and_goes);
  CHECK_RUN(pointers_travel_as_numbers);
  CHECK_RUN(blocks_are_taken_out_of_a_heap);
  CHECK_RUN(threads_have_heaps_and_stacks_of_their_own);
  CHECK_RUN(floats_wrap_as_in_javascript);
  CHECK_RUN(wrapped_vectors_agree);
  CHECK_RUN(overflow_is_seen);
  CHECK_RUN(assumptions_must_hold);
  CHECK_RUN(c_calls_functions_with_scalars);
  CHECK_RUN(the_interpreter_calls_functions_with_scalars);
  CHECK_RUN(remarks_say_what_became_of_loops);
  CHECK_RUN(code_needs_no_library);
  CHECK_RUN(other_targets_have_it_all);
  CHECK_RUN(positions_leave_no_trace);
  return check_report();
}
