// Code generation as a whole: statements and memory against the reference interpreter, what the
// LLVM text and the assembly promise, targets and their errors.
#include "loop_code.h"
#include "loops_text.h"

#include <stdlib.h>

static gj_target host;

// The output of a stage as text; the caller frees it. NULL on failure.
static char *emit(const char *text, const gj_target *target, gj_numerics numerics, gj_emit what) {
  gj_codegen_options options = {.numerics = numerics, .opt_level = 3, .entry_symbol = "entry"};
  unsigned char *bytes = NULL;
  size_t size = 0;
  gj_error err = {0};
  gj_lmodule *m = parse(text);
  if (m)
    CHECK_OK(gj_codegen(m, target, &options, what, &bytes, &size, NULL, &err), &err);
  gj_lmodule_free(m);
  return (char *)bytes;
}

static void check_absent(const char *text, const char *part) {
  if (strstr(text, part))
    CHECK_STR_EQ(text, part);
}

// --- programs against the interpreter ---

enum { BUFFERS = 4, ELEMENTS = 64, SCRATCH = 1024 };

typedef struct memory {
  _Alignas(64) double buffers[BUFFERS][ELEMENTS];
  _Alignas(64) unsigned char scratch[SCRATCH];
} memory;

// Buffers 0 and 1 are f64, 2 holds i64 and 3 bytes 0 … 255.
static void fill(memory *m) {
  memset(m, 0, sizeof *m);
  for (int i = 0; i < ELEMENTS; i++) {
    m->buffers[0][i] = i * 0.75 - 11;
    m->buffers[1][i] = 100 - i;
    int64_t number = (i * 29) % ELEMENTS;
    memcpy(&m->buffers[2][i], &number, sizeof number);
  }
  for (int i = 0; i < ELEMENTS * 8; i++)
    ((unsigned char *)m->buffers[3])[i] = (unsigned char)(i % 3 == 0);
}

static gj_entry *load_text(const char *text, gj_jit_code **out_code) {
  gj_lmodule *m = parse(text);
  gj_entry *entry = m ? load_code(m, &host, (gj_codegen_options){.opt_level = 3}, out_code) : NULL;
  gj_lmodule_free(m);
  return entry;
}

static void run_native(const gj_lmodule *m, memory *state, int64_t *dims, int32_t *out_status,
                       unsigned opt_level) {
  gj_jit_code *code;
  gj_entry *entry = load_code(m, &host, (gj_codegen_options){.opt_level = opt_level}, &code);
  CHECK_OR_RETURN(entry);
  void *buffers[BUFFERS] = {state->buffers[0], state->buffers[1], state->buffers[2],
                            state->buffers[3]};
  gj_exec exec = {.scratch = state->scratch};
  *out_status = entry(buffers, dims, &exec);
  gj_jit_unload(code);
}

static void run_reference(const gj_lmodule *m, memory *state, int64_t *dims, int32_t *out_status) {
  gj_error err = {0};
  void *buffers[BUFFERS];
  size_t sizes[BUFFERS];
  for (int i = 0; i < BUFFERS; i++) {
    buffers[i] = state->buffers[i];
    sizes[i] = sizeof state->buffers[i];
  }
  gj_leval args = {.buffers = buffers,
                   .buffer_sizes = sizes,
                   .buffer_count = BUFFERS,
                   .dims = dims,
                   .dim_count = 2,
                   .scratch = state->scratch,
                   .scratch_size = SCRATCH};
  CHECK_OK(gj_lmodule_eval(m, &args, out_status, &err), &err);
}

static void check_program(const char *text) {
  static memory native, reference;
  gj_lmodule *m = parse(text);
  CHECK_OR_RETURN(m);
  for (unsigned opt_level = 0; opt_level <= 3; opt_level++) {
    int32_t got = -1, want = -2;
    int64_t dims[2] = {ELEMENTS, 7}, same[2] = {ELEMENTS, 7};
    fill(&native);
    fill(&reference);
    run_native(m, &native, dims, &got, opt_level);
    run_reference(m, &reference, same, &want);
    CHECK(memcmp(dims, same, sizeof dims) == 0);
    CHECK_INT_EQ(got, want);
    CHECK(memcmp(&native, &reference, sizeof native) == 0);
  }
  gj_lmodule_free(m);
}

static void loops_run_as_often_as_in_the_interpreter(void) {
  check_program("module \"m\" { entry func e() -> i32 {"
                "  let z: f64* = buffer<0, f64>  let n: i64 = 0"
                "  for i = 3 to 50 step 7 { z[i] = add(z[i], 1.0:f64)  n = add(n, 1) }"
                "  for j = -5 to 5 step 1 { n = add(n, j) }"
                "  for k = 9 to 9 step 1 { n = add(n, 1000) }"
                "  for l = 9 to -9 step 2 { n = add(n, 1000) }"
                "  for o = 9223372036854775800 to 9223372036854775807 step 5 { n = add(n, 10) }"
                "  return convert<i32>(n) } }");
}

static void while_break_and_continue_leave_the_right_loop(void) {
  check_program("module \"m\" { entry func e() -> i32 {"
                "  let n: i64 = 0  let i: i64 = 0"
                "  while (lt(i, 40)) {"
                "    i = add(i, 1)"
                "    if (eq(rem(i, 3), 0)) { continue }"
                "    for j = 0 to 10 step 1 {"
                "      if (gt(j, i)) { break }"
                "      if (eq(j, 4)) { continue }"
                "      n = add(n, j)"
                "    }"
                "    if (gt(n, 700)) { break } else { n = add(n, 1) }"
                "  }"
                "  if (lt(n, 0)) { return 1:i32 }"
                "  return convert<i32>(n) } }");
}

static void locals_begin_anew_in_each_round(void) {
  check_program("module \"m\" { entry func e() -> i32 {"
                "  let z: f64* = buffer<1, f64>"
                "  for i = 0 to 64 step 1 {"
                "    let a: f64 = convert<f64>(i)"
                "    if (gt(a, 10.0:f64)) { a = mul(a, 2.0:f64) }"
                "    let b: f64 = add(a, z[i])"
                "    a = sub(b, a)"
                "    z[i] = add(a, mul(b, b))"
                "  }"
                "  return 0:i32 } }");
}

static void vectors_load_store_reverse_and_gather(void) {
  check_program("module \"m\" { entry func e() -> i32 {"
                "  let x: f64* = buffer<0, f64>  let z: f64* = buffer<1, f64>"
                "  let p: i64* = buffer<2, i64>"
                "  for i = 0 to 56 step 8 {"
                "    let a: f64<8> = x[i:8]"
                "    let g: f64<8> = x[p[i:8]]"
                "    let r: f64<8> = reverse(x[sub(56, i):8])"
                "    let s: f64<8> = splat<8>(x[i])"
                "    let l: f64<8> = convert<f64>(lanes<8>)"
                "    z[i] = add(add(a, mul(g, r)), mul(s, l))"
                "  }"
                "  return 0:i32 } }");
}

static void true_lanes_move_to_the_front(void) {
  check_program("module \"m\" { entry func e() -> i32 {"
                "  let x: f64* = buffer<0, f64>  let z: f64* = buffer<1, f64>  let n: i64 = 0"
                "  for i = 3 to 8 step 8 {"
                "    let a: bool<8> = gt(x[i:8], splat<8>(3.5:f64))"
                "    z[n if first<8>(trues(a))] = compress(x[add(i, 1):8], a)"
                "    n = add(n, trues(a))"
                "    let b: bool<4> = lt(x[i:4], splat<4>(x[add(i, 3)]))"
                "    z[n if first<4>(trues(b))] = compress(x[i:4], b)"
                "    n = add(n, trues(b))"
                "    let c: bool<16> = ge(x[i:16], splat<16>(x[add(i, 9)]))"
                "    let w: f32<16> = compress(convert<f32>(x[i:16]), c)"
                "    z[n if first<16>(trues(c))] = convert<f64>(w)"
                "    n = add(n, trues(c))"
                "    let d: i16<16> = compress(convert<i16>(x[i:16]), not(c))"
                "    z[n if first<16>(sub(16, trues(c)))] = convert<f64>(d)"
                "  }"
                "  return convert<i32>(n) } }");
}

// A text with `type` for each @ and `lanes` for each #.
static void fill_in(char *text, size_t capacity, const char *pattern, const char *type, int lanes) {
  size_t at = 0;
  for (; *pattern && at < capacity; pattern++) {
    int written = *pattern == '@'   ? snprintf(text + at, capacity - at, "%s", type)
                  : *pattern == '#' ? snprintf(text + at, capacity - at, "%d", lanes)
                                    : snprintf(text + at, capacity - at, "%c", *pattern);
    at += (size_t)written;
  }
}

// Into a word and back, and out as what a store, a choice and a masked load take of it.
static void masks_are_words(void) {
  static const char *const dtypes[] = {"i8", "i16", "f32", "i64", "f64"};
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
    for (int lanes = 2; lanes <= 64; lanes *= 2) {
      char text[1024];
      fill_in(text, sizeof text,
              "module \"m\" { entry func e() -> i32 {"
              "  let x: @* = pointer<@>(address(buffer<0, f64>))"
              "  let z: @* = pointer<@>(address(buffer<3, f64>))"
              "  let q: u64* = buffer<2, u64>"
              "  let v: @<#> = convert<@>(lanes<#>)"
              "  let w: u64 = mul(q[7], 11400714819323198485:u64)"
              "  let bits: bool<#> = mask<#>(w)"
              "  q[8] = bits(bits)"
              "  q[9] = bits(not(gt(v, splat<#>(1:@))))"
              "  q[10] = bits(and(bits, mask<#>(q[9])))"
              "  x[0 if bits] = add(v, x[0:# if not(bits)])"
              "  z[0] = select(mask<#>(shr(w, 3:u64)), v, splat<#>(7:@))"
              "  return 0:i32 } }",
              dtypes[d], lanes);
      check_program(text);
    }
}

static void pointers_are_set_and_made_of_addresses_that_only_an_element_divides(void) {
  check_program("module \"m\" { entry func e() -> i32 {"
                "  let a: i64 = address(buffer<0, f64>)  let p: f64* = buffer<1, f64>"
                "  let bytes: u8* = buffer<3, u8>  let q: u8* = bytes"
                "  for i = 0 to 4 step 1 {"
                "    let v: f64<8> = add(p[i:8], pointer<f64>(add(a, 8))[i:8])"
                "    p = pointer<f64>(add(add(a, 64), mul(i, 8)))"
                "    p[1] = v"
                "    q = offset(bytes, add(i, 1))"
                "    q[3] = add(q[0:16], bytes[101:16])"
                "  }"
                "  return 0:i32 } }");
}

static void bool_bytes_become_bits_and_bytes_again(void) {
  check_program("module \"m\" { entry func e() -> i32 {"
                "  let q: bool* = buffer<3, bool>  let x: f64* = buffer<0, f64>  let n: i32 = 0:i32"
                "  for i = 0 to 64 step 16 {"
                "    let m: bool<16> = q[i:16]"
                "    let c: bool<16> = gt(x[i:16], splat<16>(3.5:f64))"
                "    q[add(i, 64)] = or(and(m, not(c)), xor(m, c))"
                "    q[add(i, 128)] = q[add(mul(lanes<16>, splat<16>(3)), splat<16>(i))]"
                "    if (any(and(m, c))) { n = add(n, 1:i32) }"
                "    q[add(i, 300)] = q[add(i, 1)]"
                "  }"
                "  return n } }");
}

static void a_byte_other_than_one_is_true(void) {
  const char *text = "module \"m\" { entry func e() -> i32 {"
                     "  let q: bool* = buffer<3, bool>"
                     "  q[0] = q[0]  q[8] = q[8:8]  return 0:i32 } }";
  static memory state;
  gj_lmodule *m = parse(text);
  fill(&state);
  unsigned char *q = (unsigned char *)state.buffers[3];
  memset(q, 2, 16);
  int32_t status = -1;
  run_native(m, &state, NULL, &status, 3);
  CHECK_INT_EQ(q[0], 1);
  CHECK_INT_EQ(q[1], 2);
  CHECK_INT_EQ(q[15], 1);
  gj_lmodule_free(m);
}

static void arrays_scratch_and_data_are_memory(void) {
  check_program("module \"m\" {"
                "  data 0: f64[2] = hex \"000000000000f03f0000000000000040\""
                "  data 1: i16[3] = hex \"0100feff0300\""
                "  entry func e() -> i32 {"
                "    let x: f64* = buffer<0, f64>  let s: f64* = scratch<f64>(64)"
                "    let t: i32* = scratch<i32>(512)"
                "    for i = 0 to 4 step 1 {"
                "      array acc: f64[16]"
                "      for j = 0 to 16 step 1 { acc[j] = mul(x[add(j, i)], data<0>[rem(j, 2)]) }"
                "      for k = 0 to 16 step 4 { s[add(k, i)] = reverse(acc[k:4]) }"
                "      t[i] = convert<i32>(data<1>[rem(i, 3)])"
                "    }"
                "    for l = 0 to 20 step 1 { x[l] = add(x[l], s[l]) }"
                "    return t[1] } }");
}

static void calls_pass_pointers_values_and_the_run_itself(void) {
  check_program("module \"m\" {"
                "  func square(v: f64) -> f64 { return mul(v, v) }"
                "  func fill(p: f64* noalias, q: f64* readonly, n: i64) {"
                "    for i = 0 to n step 1 { p[i] = add(call square(q[i]), scratch<f64>(0)[i]) }"
                "    if (cancelled) { p[0] = 0.0:f64 } }"
                "  entry func e() -> i32 {"
                "    let x: f64* = buffer<0, f64>"
                "    scratch<f64>(0)[0] = x[1:4]"
                "    do call fill(offset(x, 8), buffer<1, f64>, dim<1>)"
                "    return convert<i32>(dim<0>) } }");
}

static void parallel_calls_do_what_plain_ones_do(void) {
  check_program("module \"m\" {"
                "  func k(z: f64*, x: f64*, by: f64, odd: bool, begin: i64, end: i64) -> i32 {"
                "    if (gt(end, 60)) { return 3:i32 }"
                "    for i = begin to end step 1 { z[i] = select(odd, mul(x[i], by), x[i]) }"
                "    return convert<i32>(slot) }"
                "  func outer(z: f64*, begin: i64, end: i64) -> i32 {"
                "    return parallel k(offset(z, 8), z, 3.0:f64, true) over begin to end grain 1 }"
                "  entry func e() -> i32 {"
                "    let z: f64* = buffer<0, f64>"
                "    let x: f64* = buffer<1, f64>"
                "    let a: i32 = parallel k(z, x, x[3], false) over 1 to dim<1> grain 2"
                "    let b: i32 = parallel k(z, x, x[3], true) over 9 to 50 grain 100"
                "    let c: i32 = parallel outer(buffer<1, f64>) over 20 to 22 grain 1"
                "    let d: i32 = parallel k(z, x, 0.0:f64, true) over 61 to 64 grain 1"
                "    return add(add(a, b), add(c, d)) } }");
}

typedef struct parallel_run {
  gj_exec exec;
  int calls;
  int64_t lo, hi, grain;
} parallel_run;

// A gj_parallel that runs three pieces, the last first, each on a slot of its own.
static int32_t in_pieces(gj_exec *exec, gj_task *task, void *context, int64_t lo, int64_t hi,
                         int64_t grain) {
  parallel_run *run = (parallel_run *)exec;
  run->calls++;
  run->lo = lo;
  run->hi = hi;
  run->grain = grain;
  gj_exec other = *exec;
  other.parallel = NULL;
  const int64_t cuts[4] = {lo, lo + 1, hi - 5, hi};
  for (other.slot = 2; other.slot >= 0; other.slot--) {
    int32_t status = task(context, cuts[other.slot], cuts[other.slot + 1], &other);
    if (status != 0)
      return status;
  }
  return 0;
}

static void long_ranges_go_to_the_threads_of_the_run(void) {
  const char *text =
      "module \"m\" {"
      "  func k(z: f64*, by: f64, fails: bool, begin: i64, end: i64) -> i32 {"
      "    if (fails) { return 5:i32 }"
      "    for i = begin to end step 1 { z[i] = add(mul(z[i], by), convert<f64>(slot)) }"
      "    return 0:i32 }"
      "  entry func e() -> i32 {"
      "    let fails: bool = gt(dim<1>, 0)"
      "    return parallel k(buffer<0, f64>, 10.0:f64, fails) over 2 to dim<0> grain 4 } }";
  gj_jit_code *code;
  gj_entry *entry = load_text(text, &code);
  CHECK_OR_RETURN(entry);
  double z[16];
  void *buffers[1] = {z};
  parallel_run run = {.exec = {.parallel = in_pieces}};
  for (int64_t n = 4; n <= 16; n += 12) {
    for (int i = 0; i < 16; i++)
      z[i] = i;
    CHECK_INT_EQ(entry(buffers, (int64_t[]){n, 0}, &run.exec), 0);
    for (int i = 0; i < 16; i++) // a short range stays with the caller
      CHECK(z[i] == (i < 2 || i >= n ? i : 10 * i + (n == 4 || i == 2 ? 0 : i < n - 5 ? 1 : 2)));
  }
  CHECK_INT_EQ(run.calls, 1);
  CHECK(run.lo == 2 && run.hi == 16 && run.grain == 4);
  CHECK_INT_EQ(entry(buffers, (int64_t[]){16, 1}, &run.exec), 5);
  gj_jit_unload(code);
}

static void shared_expressions_keep_their_meaning_around_calls(void) {
  check_program("module \"m\" {"
                "  func bump(p: f64*) -> f64 { p[0] = add(p[0], 1.0:f64) return p[0] }"
                "  entry func e() -> i32 {"
                "    let x: f64* = buffer<0, f64>"
                "    x[5] = add(mul(x[0], 2.0:f64), add(call bump(x), mul(x[0], 2.0:f64)))"
                "    return 0:i32 } }");
}

static void the_cancel_flag_is_read_and_may_be_absent(void) {
  const char *text = "module \"m\" { entry func e() -> i32 {"
                     "  let n: i32 = 0:i32"
                     "  while (not(cancelled)) { n = add(n, 1:i32) if (gt(n, 9:i32)) { return n } }"
                     "  return -1:i32 } }";
  gj_jit_code *code;
  gj_entry *entry = load_text(text, &code);
  CHECK_OR_RETURN(entry);
  int32_t flag = 0;
  gj_exec exec = {0};
  CHECK_INT_EQ(entry(NULL, NULL, &exec), 10);
  exec.cancel = &flag;
  CHECK_INT_EQ(entry(NULL, NULL, &exec), 10);
  flag = 7;
  CHECK_INT_EQ(entry(NULL, NULL, &exec), -1);
  gj_jit_unload(code);
}

// --- text ---

static const char plus_two[] =
    "module \"plus\" {"
    "  func k0(a: f64* noalias, x: f64* noalias readonly, n: i64) -> i32 {"
    "    for i = 0 to n step 1 { let t: f64 = add(x[i], 2.0:f64)  a[i] = t }"
    "    return 0:i32 }"
    "  entry func main() -> i32 {"
    "    return call k0(buffer<1, f64>, buffer<0, f64>, dim<0>) } }";

static void llvm_text_states_what_does_not_alias(void) {
  char *text = emit(plus_two, &host, GJ_NUMERICS_DEFAULT, GJ_EMIT_LLVM);
  CHECK_OR_RETURN(text);
  CHECK_CONTAINS(text, "define internal i32 @gj.k0(ptr noalias captures(none) %a, "
                       "ptr noalias readonly captures(none) %x, i64 %n, "
                       "ptr noalias readonly captures(none) %exec)");
  CHECK_CONTAINS(text, "@entry(ptr noalias readonly captures(none) %buffers, "
                       "ptr noalias readonly captures(none) %dims, "
                       "ptr noalias readonly captures(none) %exec)");
  CHECK_CONTAINS(text, "!invariant.load");
  CHECK_CONTAINS(text, "%t = fadd double %");
  free(text);
}

static void optimised_text_of_a_sum_is_small(void) {
  char *text = emit(plus_two, &host, GJ_NUMERICS_DEFAULT, GJ_EMIT_LLVM_OPTIMIZED);
  CHECK_OR_RETURN(text);
  CHECK_CONTAINS(text, "fadd double");
  check_absent(text, "alloca");
  check_absent(text, "define internal");
  check_absent(strstr(text, "fadd") + 1, "fadd");
  CHECK(strlen(text) < 3000);
  free(text);
}

static const char exponential[] =
    "module \"m\" { entry func e() -> i32 { let x: f64* = buffer<0, f64>"
    "  x[0] = add(exp(x[0]), mul(x[1], x[2])) return 0:i32 } }";

// A mask of one register is a word by an instruction, not lane by lane.
static void words_are_made_by_an_instruction(void) {
  static const struct {
    const char *triple, *cpu, *type;
    int lanes;
    const char *wanted;
  } cases[] = {
      {"x86_64-unknown-linux-gnu", "x86-64-v4", "f64", 8, "kmovb"},
      {"x86_64-unknown-linux-gnu", "x86-64-v4", "i8", 64, "kmovq"},
      {"x86_64-unknown-linux-gnu", "x86-64-v3", "f64", 4, "vmovmskpd"},
      {"x86_64-unknown-linux-gnu", "x86-64-v3", "i32", 8, "vmovmskps"},
      {"x86_64-unknown-linux-gnu", "x86-64-v3", "u8", 32, "vpmovmskb"},
      {"x86_64-unknown-linux-gnu", "x86-64-v2", "f64", 2, "movmskpd"},
      {"aarch64-unknown-linux-gnu", NULL, "f32", 4, "addv"},
      {NULL, NULL, "f64", 2, "i64x2.bitmask"},
  };
  gj_error err = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gj_target target;
    char text[512];
    fill_in(text, sizeof text,
            "module \"m\" { entry func e() -> i32 {"
            "  let x: @* = buffer<0, @>  let z: u64* = buffer<1, u64>"
            "  z[0] = bits(gt(x[0:#], x[#:#]))"
            "  return 0:i32 } }",
            cases[i].type, cases[i].lanes);
    CHECK_OK(cases[i].triple ? gj_target_named(cases[i].triple, cases[i].cpu, NULL, &target, &err)
                             : gj_target_wasm(GJ_WASM_SIMD, false, &target, &err),
             &err);
    char *code = emit(text, &target, GJ_NUMERICS_DEFAULT, GJ_EMIT_ASSEMBLY);
    CHECK_OR_RETURN(code);
    CHECK_CONTAINS(code, cases[i].wanted);
    check_absent(code, "setb");
    check_absent(code, "extr");
    free(code);
  }
}

static void numerics_modes_choose_flags_and_math(void) {
  char *strict = emit(exponential, &host, GJ_NUMERICS_STRICT, GJ_EMIT_LLVM);
  char *usual = emit(exponential, &host, GJ_NUMERICS_DEFAULT, GJ_EMIT_LLVM);
  char *fast = emit(exponential, &host, GJ_NUMERICS_FAST, GJ_EMIT_LLVM);
  CHECK_OR_RETURN(strict && usual && fast);
  check_absent(strict, "llvm.fma");
  check_absent(strict, "contract");
  check_absent(usual, "contract");
  CHECK_CONTAINS(fast, "fadd reassoc arcp contract double");
  CHECK_CONTAINS(fast, "fmul reassoc arcp contract double");
  if (host.fma) {
    CHECK_CONTAINS(usual, "@llvm.fma.f64");
    CHECK_CONTAINS(fast, "@llvm.fma.f64");
  }
  free(strict);
  free(usual);
  free(fast);
}

// Assembly of a fast logarithm of a whole vector; the caller frees it.
static char *fast_log(const char *cpu, const char *text) {
  gj_target target;
  gj_error err = {0};
  CHECK_OK(gj_target_named("x86_64-unknown-linux-gnu", cpu, NULL, &target, &err), &err);
  return emit(text, &target, GJ_NUMERICS_FAST, GJ_EMIT_ASSEMBLY);
}

static void tables_of_fast_functions_lie_in_registers_or_are_not_used(void) {
  char *wide = fast_log("x86-64-v4", "module \"m\" { entry func e() -> i32 {"
                                     "  let x: f64* = buffer<0, f64>  let v: f64<8> = x[0:8]"
                                     "  x[0] = log(v) return 0:i32 } }");
  char *less = fast_log("x86-64-v3", "module \"m\" { entry func e() -> i32 {"
                                     "  let x: f64* = buffer<0, f64>  let v: f64<4> = x[0:4]"
                                     "  x[0] = log(v) return 0:i32 } }");
  CHECK_OR_RETURN(wide && less);
  CHECK(strstr(wide, "vpermi2pd") || strstr(wide, "vpermt2pd"));
  check_absent(wide, "vdivpd");
  check_absent(wide, "gather");
  CHECK_CONTAINS(less, "vdivpd");
  check_absent(less, "gather");
  free(wide);
  free(less);
}

static void vectors_on_the_stack_lie_in_lines_of_their_own(void) {
  static const char text[] = "module \"m\" { entry func e() -> i32 {"
                             "  let x: f64* = buffer<0, f64>  let v: f64<32> = x[0:32]"
                             "  x[0] = erf(v) return 0:i32 } }";
  gj_target target;
  gj_error err = {0};
  CHECK_OK(gj_target_named("x86_64-unknown-linux-gnu", "x86-64-v4", NULL, &target, &err), &err);
  char *assembly = emit(text, &target, GJ_NUMERICS_DEFAULT, GJ_EMIT_ASSEMBLY);
  CHECK_OR_RETURN(assembly != NULL);
  CHECK_CONTAINS(assembly, "andq\t$-64, %rsp");
  free(assembly);
}

static const char *const hypot_text =
    "module \"hypot\" {"
    "  func k(z: %s* noalias, x: %s* noalias readonly, y: %s* noalias readonly, n: i64) -> i32 {"
    "    for i = 0 to n step 1 vector {"
    "      let a: %s = x[i]  let b: %s = y[i]"
    "      z[i] = sqrt(add(mul(a, a), mul(b, b))) }"
    "    return 0:i32 }"
    "  entry func main() -> i32 {"
    "    return call k(buffer<2, %s>, buffer<0, %s>, buffer<1, %s>, dim<0>) } }";

// Assembly of the kernel after the project's vectoriser; the caller frees it.
static char *hypot_assembly(const char *t, const gj_target *target) {
  char text[1024];
  snprintf(text, sizeof text, hypot_text, t, t, t, t, t, t, t, t);
  gj_codegen_options options = {.opt_level = 3, .entry_symbol = "entry"};
  unsigned char *bytes = NULL;
  size_t size = 0;
  gj_error err = {0};
  gj_lmodule *m = parse(text);
  gj_loops_machine machine = gj_target_loops(target);
  CHECK_OK(gj_loops_vectorise(m, &machine, NULL, &err), &err);
  CHECK_OK(gj_codegen(m, target, &options, GJ_EMIT_ASSEMBLY, &bytes, &size, NULL, &err), &err);
  gj_lmodule_free(m);
  return (char *)bytes;
}

static void vector_loops_use_the_whole_registers_of_a_cpu(void) {
  static const struct {
    const char *triple, *cpu, *f64, *f32;
  } rows[] = {
      {"x86_64-unknown-linux-gnu", "x86-64-v4", "vsqrtpd\t%zmm", "vsqrtps\t%zmm"},
      {"x86_64-unknown-linux-gnu", "skylake-avx512", "vsqrtpd\t%zmm", "vsqrtps\t%zmm"},
      {"x86_64-unknown-linux-gnu", "znver5", "vsqrtpd\t%zmm", "vsqrtps\t%zmm"},
      {"x86_64-unknown-linux-gnu", "x86-64-v3", "vsqrtpd\t%ymm", "vsqrtps\t%ymm"},
      {"x86_64-unknown-linux-gnu", "x86-64-v2", "sqrtpd\t%xmm", "sqrtps\t%xmm"},
      {"aarch64-unknown-linux-gnu", NULL, "fsqrt\tv", "fsqrt\tv"},
      {"wasm32-unknown-unknown", NULL, "f64x2.sqrt", "f32x4.sqrt"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    gj_target target;
    gj_error err = {0};
    gj_status status = gj_target_named(rows[i].triple, rows[i].cpu, NULL, &target, &err);
    CHECK_OK(status, &err);
    char *f64 = hypot_assembly("f64", &target), *f32 = hypot_assembly("f32", &target);
    CHECK_OR_RETURN(f64 && f32);
    CHECK_CONTAINS(f64, rows[i].f64);
    CHECK_CONTAINS(f32, rows[i].f32);
    check_absent(f64, "\tcall");
    check_absent(f64, "\tbl\t");
    free(f64);
    free(f32);
  }
}

static void bitcode_and_wasm_objects_have_their_signatures(void) {
  gj_target wasm;
  gj_error err = {0};
  CHECK_OK(gj_target_wasm(GJ_WASM_SIMD, false, &wasm, &err), &err);
  CHECK_INT_EQ(wasm.pointer_bytes, 4);
  CHECK(wasm.wasm && !wasm.fma);
  char *bitcode = emit(plus_two, &host, GJ_NUMERICS_DEFAULT, GJ_EMIT_BITCODE);
  char *object = emit(plus_two, &wasm, GJ_NUMERICS_STRICT, GJ_EMIT_OBJECT);
  char *text = emit(plus_two, &wasm, GJ_NUMERICS_STRICT, GJ_EMIT_LLVM);
  CHECK_OR_RETURN(bitcode && object && text);
  CHECK(memcmp(bitcode, "BC\xc0\xde", 4) == 0);
  CHECK(memcmp(object, "\0asm", 4) == 0);
  CHECK_CONTAINS(text, "+simd128");
  free(bitcode);
  free(object);
  free(text);
}

// --- targets ---

static void the_host_is_described(void) {
  CHECK(host.pointer_bytes == sizeof(void *));
  CHECK(host.vector_bytes == 16 || host.vector_bytes == 32 || host.vector_bytes == 64);
  CHECK(host.cpu[0] && host.triple[0] && host.features[0]);
}

static void named_targets_know_their_vectors(void) {
  gj_target t;
  gj_error err = {0};
  CHECK_OK(gj_target_named("x86_64-pc-linux-gnu", "x86-64-v3", NULL, &t, &err), &err);
  CHECK_INT_EQ(t.vector_bytes, 32);
  CHECK(t.fma);
  CHECK_OK(gj_target_named("x86_64-pc-linux-gnu", "x86-64-v4", "-avx512bw,-fma", &t, &err), &err);
  CHECK_INT_EQ(t.vector_bytes, 32);
  CHECK(!t.fma);
  CHECK_OK(gj_target_named("x86_64-pc-linux-gnu", "x86-64-v2", "+avx2,-fma", &t, &err), &err);
  CHECK_INT_EQ(t.vector_bytes, 32);
  CHECK(!t.fma);
  CHECK_OK(gj_target_named("arm64-apple-darwin", NULL, NULL, &t, &err), &err);
  CHECK(t.fma && t.vector_bytes == 16 && t.pointer_bytes == 8);
  CHECK_OK(gj_target_named("riscv64-unknown-linux-gnu", NULL, NULL, &t, &err), &err);
  CHECK(t.fma && t.vector_bytes == 0);
  CHECK_OK(gj_target_named("riscv64", NULL, "+v", &t, &err), &err);
  CHECK(t.fma && t.vector_bytes == 16);
  CHECK_STR_EQ(t.triple, "riscv64-unknown-linux-gnu");
  CHECK_OK(gj_target_named("arm", NULL, NULL, &t, &err), &err);
  CHECK(t.vector_bytes == 0 && t.pointer_bytes == 4 && !gj_target_flushes(&t));
  CHECK_OK(gj_target_named("armv7-unknown-linux-gnueabihf", "cortex-a9", "+neon", &t, &err), &err);
  CHECK(t.vector_bytes == 16 && gj_target_flushes(&t));
  CHECK_OK(gj_target_drop_vectors(&t, &err), &err);
  CHECK(t.vector_bytes == 0 && !gj_target_flushes(&t));
}

static void unknown_targets_are_refused_with_the_known_ones(void) {
  gj_target t;
  gj_error err = {0};
  CHECK_INT_EQ(gj_target_named("pdp11-dec-unix", NULL, NULL, &t, &err), GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "\"pdp11-dec-unix\"");
  CHECK_CONTAINS(err.message, "x86_64, aarch64, arm, riscv64, wasm32");
  CHECK_INT_EQ(gj_target_named("", NULL, NULL, &t, &err), GJ_E_ARGUMENT);
  CHECK_INT_EQ(gj_target_named("x86_64", "z80", NULL, &t, &err), GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "unknown CPU \"z80\" for x86_64");
  CHECK_CONTAINS(err.message, "haswell");
  CHECK_INT_EQ(gj_target_named("aarch64_be-linux", NULL, NULL, &t, &err), GJ_E_ARGUMENT);
  CHECK_INT_EQ(gj_target_named("x86_64", NULL, "avx2", &t, &err), GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "\"avx2\"");
  CHECK_INT_EQ(gj_target_named("x86_64", NULL, "+a b", &t, &err), GJ_E_ARGUMENT);
  CHECK_INT_EQ(gj_target_named("aarch64", NULL, "+avx2", &t, &err), GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "unknown feature \"+avx2\" for aarch64; known ones are neon");
  CHECK_INT_EQ(gj_target_named("riscv64", NULL, "+zvl256b", &t, &err), GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "zvl goes with +v or +zve");
  CHECK_INT_EQ(gj_target_named("riscv64", NULL, "+v,-zve32x", &t, &err), GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "leave out +v");
  CHECK_OK(gj_target_named("riscv64", NULL, "+v,+zvl256b", &t, &err), &err);
  static const char *const odd[] = {"+v,", ",+v", "+v,,+m", ","};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    CHECK_INT_EQ(gj_target_named("riscv64", NULL, odd[i], &t, &err), GJ_E_ARGUMENT);
    CHECK_CONTAINS(err.message, "feature \"\" is not of the form +name or -name");
  }
  CHECK_OK(gj_target_named("riscv64", NULL, "", &t, &err), &err);
  CHECK_INT_EQ(gj_target_named("wasm32", NULL, "+simd128,-simd128", &t, &err), GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "\"+simd128\" is asked for with + and with -");
  CHECK_OK(gj_target_named("wasm32", NULL, "+relaxed-simd,-simd128", &t, &err), &err);
  CHECK(t.vector_bytes == 0 && !t.relaxed);
  char longer[200];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  memcpy(longer, "wasm32-", 7);
  CHECK_INT_EQ(gj_target_named(longer, NULL, NULL, &t, &err), GJ_E_ARGUMENT);
}

static void a_failed_module_is_not_compiled(void) {
  gj_lmodule *m = gj_lmodule_new("bad");
  gj_lfunc *f = gj_lfunc_new(m, "f", gj_ltype_scalar(GJ_DTYPE_i32), true);
  const gj_lexpr *one = gj_lx_i64(m, 1);
  gj_ls_return(m, f, &f->body,
               gj_lx_binary(m, GJ_OP_add, one, gj_lx_convert(m, one, GJ_DTYPE_f64)));
  gj_codegen_options options = {.opt_level = 3, .entry_symbol = "entry"};
  unsigned char *bytes = NULL;
  size_t size = 0;
  gj_error err = {0};
  CHECK(gj_codegen(m, &host, &options, GJ_EMIT_OBJECT, &bytes, &size, NULL, &err) != GJ_OK);
  CHECK(!bytes && size == 0 && err.message[0]);
  gj_lmodule_free(m);
}

int main(void) {
  gj_error err = {0};
  gj_status status = gj_target_host(&host, &err);
  CHECK_OK(status, &err);
  CHECK_RUN(loops_run_as_often_as_in_the_interpreter);
  CHECK_RUN(while_break_and_continue_leave_the_right_loop);
  CHECK_RUN(locals_begin_anew_in_each_round);
  CHECK_RUN(vectors_load_store_reverse_and_gather);
  CHECK_RUN(true_lanes_move_to_the_front);
  CHECK_RUN(masks_are_words);
  CHECK_RUN(pointers_are_set_and_made_of_addresses_that_only_an_element_divides);
  CHECK_RUN(words_are_made_by_an_instruction);
  CHECK_RUN(bool_bytes_become_bits_and_bytes_again);
  CHECK_RUN(a_byte_other_than_one_is_true);
  CHECK_RUN(arrays_scratch_and_data_are_memory);
  CHECK_RUN(calls_pass_pointers_values_and_the_run_itself);
  CHECK_RUN(parallel_calls_do_what_plain_ones_do);
  CHECK_RUN(long_ranges_go_to_the_threads_of_the_run);
  CHECK_RUN(shared_expressions_keep_their_meaning_around_calls);
  CHECK_RUN(the_cancel_flag_is_read_and_may_be_absent);
  CHECK_RUN(llvm_text_states_what_does_not_alias);
  CHECK_RUN(optimised_text_of_a_sum_is_small);
  CHECK_RUN(numerics_modes_choose_flags_and_math);
  CHECK_RUN(tables_of_fast_functions_lie_in_registers_or_are_not_used);
  CHECK_RUN(vectors_on_the_stack_lie_in_lines_of_their_own);
  CHECK_RUN(vector_loops_use_the_whole_registers_of_a_cpu);
  CHECK_RUN(bitcode_and_wasm_objects_have_their_signatures);
  CHECK_RUN(the_host_is_described);
  CHECK_RUN(named_targets_know_their_vectors);
  CHECK_RUN(unknown_targets_are_refused_with_the_known_ones);
  CHECK_RUN(a_failed_module_is_not_compiled);
  return check_report();
}
