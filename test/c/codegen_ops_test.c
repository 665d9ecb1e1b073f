// Every elementwise op, dtype and vector width through LLVM and the machine, against the reference.
//
// For each case one module computes op over adversarial operands twice, with scalar and with vector
// code, on each instruction set that this machine can run. Ops that the reference computes exactly
// must agree bit for bit; elementary functions must agree between scalar and vector code bit for
// bit and lie within 4 units in the last place of the reference (the accuracy itself is measured
// elsewhere).
#include "check.h"

#include "codegen/codegen.h"
#include "jit/orc.h"
#include "math/bitcode.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_VALUES = 64, MAX_COUNT = 4096, MAX_WIDTHS = 5 };

static gj_target targets[4];
static size_t target_count;

// --- operands -----------------------------------------------------------------------------------

static size_t float_values(gj_dtype dtype, gj_scalar *out) {
  static const double values[] = {
      0.0,     -0.0,        1.0,      -1.0,           0.5,      -0.5,     1.5,
      2.5,     -2.5,        3.0,      -7.0,           0.1,      -0.3,     1e-3,
      100.25,  127.5,       128.0,    -128.5,         -129.0,   255.5,    256.0,
      32767.5, 32768.0,     -32769.0, 65535.9,        65536.0,  1e9,      0x1p31,
      -0x1p31, -0x1p31 - 1, 0x1p32,   0x1p53,         0x1p63,   -0x1p63,  0x1p64,
      -0x1p64, 1e30,        -1e30,    0x1.fffffep127, 0x1p-126, 0x1p-149, -0x1p-140,
      20.5,    -33.25,      710.0,    -745.0,         88.5,     -104.0,   1e22};
  size_t n = 0;
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    out[n++] =
        (gj_scalar){dtype, {.f = dtype == GJ_DTYPE_f32 ? (double)(float)values[i] : values[i]}};
  out[n++] = (gj_scalar){dtype, {.f = INFINITY}};
  out[n++] = (gj_scalar){dtype, {.f = -INFINITY}};
  out[n++] = (gj_scalar){dtype, {.f = NAN}};
  if (dtype == GJ_DTYPE_f64) {
    static const double more[] = {1e300, -0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074, 1e-310};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
      out[n++] = (gj_scalar){dtype, {.f = more[i]}};
  }
  return n;
}

static size_t values_of(gj_dtype dtype, gj_scalar *out) {
  if (gj_dtype_is_float(dtype))
    return float_values(dtype, out);
  if (dtype == GJ_DTYPE_bool) {
    out[0] = (gj_scalar){dtype, {.u = 0}};
    out[1] = (gj_scalar){dtype, {.u = 1}};
    return 2;
  }
  unsigned bits = gj_dtype_get(dtype)->bits;
  uint64_t top = (uint64_t)1 << (bits - 1);
  uint64_t values[] = {0,
                       1,
                       2,
                       3,
                       5,
                       7,
                       10,
                       100,
                       bits - 1,
                       bits,
                       bits + 1,
                       top,
                       top - 1,
                       top + 1,
                       top - 2,
                       (uint64_t)-1,
                       (uint64_t)-2,
                       (uint64_t)-3,
                       (uint64_t)-7,
                       (uint64_t)-100,
                       (uint64_t)0 - bits,
                       0x5555555555555555u,
                       0x0123456789abcdefu,
                       0x0f0f0f0f0f0f0f0fu};
  size_t n = sizeof values / sizeof values[0];
  for (size_t i = 0; i < n; i++)
    out[i] = gj_scalar_load(dtype, &values[i]);
  return n;
}

// --- one case -----------------------------------------------------------------------------------

typedef struct op_case {
  gj_op op;
  gj_dtype args[3], result;
  unsigned arity;
} op_case;

// Operands and results (one per width tried) as arrays in memory; the count is a multiple of every
// vector width.
static unsigned char operands[3][MAX_COUNT * 8], results[MAX_WIDTHS][MAX_COUNT * 8];
static gj_scalar scalars[3][MAX_COUNT];

static uint64_t random_state = 88172645463325252u;
static size_t random_below(size_t n) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (size_t)(random_state >> 11) % n;
}

// All pairs of the first two operands, random thirds.
static size_t fill_operands(const op_case *c) {
  gj_scalar values[3][MAX_VALUES];
  size_t counts[3] = {1, 1, 1}, count = 0;
  for (unsigned k = 0; k < c->arity; k++)
    counts[k] = values_of(c->args[k], values[k]);
  size_t pairs = counts[0] * counts[1];
  for (size_t i = 0; i < pairs || i % 64 != 0; i++) {
    size_t pick[3] = {i % counts[0], i / counts[0] % counts[1], random_below(counts[2])};
    if (c->arity == 3)
      pick[0] = random_below(counts[0]);
    for (unsigned k = 0; k < c->arity; k++) {
      scalars[k][i] = values[k][pick[k]];
      gj_scalar_store(scalars[k][i], operands[k] + i * gj_dtype_bytes(c->args[k]));
    }
    count = i + 1;
  }
  return count;
}

// for i = 0 to count step lanes { z[i] = op(x[i], …) }
static gj_lfunc *add_kernel(gj_lmodule *m, const op_case *c, unsigned lanes, size_t count) {
  static const char *const names[4] = {"x", "y", "w", "z"};
  gj_lfunc *f = gj_lfunc_new(m, "kernel", gj_ltype_scalar(GJ_DTYPE_i32), false);
  uint32_t params[4];
  for (unsigned k = 0; k < c->arity; k++)
    params[k] = gj_lfunc_param(m, f, names[k], gj_ltype_pointer(c->args[k]), GJ_LOCAL_READONLY);
  params[c->arity] = gj_lfunc_param(m, f, names[3], gj_ltype_pointer(c->result), GJ_LOCAL_NOALIAS);
  gj_lstmt *loop =
      gj_ls_for(m, f, &f->body, "i", gj_lx_i64(m, 0), gj_lx_i64(m, (int64_t)count), lanes, 0, 0);
  const gj_lexpr *i = gj_lx_local(m, f, loop->local), *args[3];
  for (unsigned k = 0; k < c->arity; k++)
    args[k] = gj_lx_load(m, gj_lx_local(m, f, params[k]), i, lanes);
  gj_ls_store(m, f, &loop->body, gj_lx_local(m, f, params[c->arity]), i,
              gj_lx_op(m, c->op, args, c->arity, c->result));
  gj_ls_return(m, f, &f->body, gj_lx_const(m, (gj_scalar){GJ_DTYPE_i32, {.i = 0}}));
  return f;
}

static gj_lmodule *build_case(const op_case *c, const unsigned *widths, size_t width_count,
                              size_t count) {
  gj_lmodule *m = gj_lmodule_new("case");
  gj_lfunc *kernels[MAX_WIDTHS];
  for (size_t w = 0; w < width_count; w++)
    kernels[w] = add_kernel(m, c, widths[w], count);
  gj_lfunc *entry = gj_lfunc_new(m, "entry", gj_ltype_scalar(GJ_DTYPE_i32), true);
  for (size_t w = 0; w < width_count; w++) {
    const gj_lexpr *args[4];
    for (unsigned k = 0; k < c->arity; k++)
      args[k] = gj_lx_buffer(m, k, c->args[k]);
    args[c->arity] = gj_lx_buffer(m, 3 + (uint32_t)w, c->result);
    gj_ls_do(m, entry, &entry->body, gj_lx_call(m, kernels[w], args, c->arity + 1));
  }
  gj_ls_return(m, entry, &entry->body, gj_lx_const(m, (gj_scalar){GJ_DTYPE_i32, {.i = 0}}));
  return m;
}

static bool run_module(const gj_lmodule *m, const gj_target *target, gj_numerics numerics,
                       unsigned opt_level) {
  gj_codegen_options options = {
      .numerics = numerics, .opt_level = opt_level, .entry_symbol = "case_entry"};
  unsigned char *object = NULL;
  size_t size = 0;
  gj_error err = {0};
  gj_jit_code *code = NULL;
  gj_entry *entry = NULL;
  gj_status status = gj_lmodule_verify(m, &err);
  if (status == GJ_OK)
    status = gj_codegen(m, target, &options, GJ_EMIT_OBJECT, &object, &size, NULL, &err);
  if (status == GJ_OK)
    status = gj_jit_load(object, size, "case_entry", &code, &entry, &err);
  CHECK_OK(status, &err);
  free(object);
  if (status != GJ_OK)
    return false;
  void *buffers[3 + MAX_WIDTHS];
  for (unsigned k = 0; k < 3; k++)
    buffers[k] = operands[k];
  for (unsigned k = 0; k < MAX_WIDTHS; k++)
    buffers[3 + k] = results[k];
  gj_exec exec = {0};
  CHECK_INT_EQ(entry(buffers, NULL, &exec), 0);
  gj_jit_unload(code);
  return true;
}

// --- comparing ----------------------------------------------------------------------------------

// Position on the number line of floats, so that neighbours differ by one.
static int64_t ordinal(gj_scalar s) {
  uint64_t bits = 0;
  gj_scalar_store(s, &bits);
  if (s.dtype == GJ_DTYPE_f32)
    return bits >> 31 ? -(int64_t)(bits & 0x7fffffff) : (int64_t)bits;
  return bits >> 63 ? -(int64_t)(bits & INT64_MAX) : (int64_t)bits;
}

static bool close_enough(gj_scalar a, gj_scalar b, int64_t ulps) {
  if (gj_scalar_same_bits(a, b))
    return true;
  if (ulps == 0 || isnan(a.v.f) || isnan(b.v.f))
    return false;
  int64_t distance;
  return !__builtin_sub_overflow(ordinal(a), ordinal(b), &distance) && llabs(distance) <= ulps;
}

static void show(const op_case *c, size_t i, const char *what, gj_scalar got, gj_scalar want,
                 const gj_target *target) {
  printf("%s %s -> %s on %s, %s, of", gj_op_name(c->op), gj_dtype_name(c->args[0]),
         gj_dtype_name(c->result), target->cpu, what);
  for (unsigned k = 0; k < c->arity; k++)
    if (gj_dtype_is_float(c->args[k]))
      printf(" %a", scalars[k][i].v.f);
    else
      printf(" %" PRId64, scalars[k][i].v.i);
  if (gj_dtype_is_float(c->result))
    printf(": %a, not %a\n", got.v.f, want.v.f);
  else
    printf(": %" PRId64 ", not %" PRId64 "\n", got.v.i, want.v.i);
}

static bool math_has(const char *op) {
  for (const gj_math_blob *b = gj_math_blobs; b->op; b++)
    if (strcmp(b->op, op) == 0)
      return true;
  return false;
}

// Whether the result may differ from the reference's.
static bool is_math(const op_case *c) {
  return gj_dtype_is_float(c->args[0]) && math_has(gj_op_name(c->op)) && c->op != GJ_OP_rem &&
         c->op != GJ_OP_fma;
}

// lgamma is promised only an absolute error near its negative roots.
static int64_t allowed_ulps(const op_case *c, size_t i) {
  if (!is_math(c))
    return 0;
  return c->op == GJ_OP_lgamma && scalars[0][i].v.f < 0 ? INT64_MAX : 4;
}

static void compare(const op_case *c, const unsigned *widths, size_t width_count, size_t count,
                    const gj_target *target) {
  size_t bytes = gj_dtype_bytes(c->result);
  int wrong = 0;
  for (size_t i = 0; i < count && wrong < 4; i++) {
    gj_scalar args[3] = {scalars[0][i], scalars[1][i], scalars[2][i]};
    gj_scalar want = gj_scalar_eval(c->op, args, c->result);
    gj_scalar first = gj_scalar_load(c->result, results[0] + i * bytes);
    if (!close_enough(first, want, allowed_ulps(c, i))) {
      show(c, i, "scalar", first, want, target);
      wrong++;
    }
    for (size_t w = 1; w < width_count; w++) {
      gj_scalar got = gj_scalar_load(c->result, results[w] + i * bytes);
      char what[32];
      snprintf(what, sizeof what, "%u lanes", widths[w]);
      if (!gj_scalar_same_bits(got, first)) {
        show(c, i, what, got, first, target);
        wrong++;
      }
    }
  }
  CHECK_INT_EQ(wrong, 0);
}

static void run_case(const op_case *c, const unsigned *widths, size_t width_count,
                     const gj_target *target, gj_numerics numerics, unsigned opt_level) {
  size_t count = fill_operands(c);
  memset(results, 0xa5, sizeof results);
  gj_lmodule *m = build_case(c, widths, width_count, count);
  if (run_module(m, target, numerics, opt_level))
    compare(c, widths, width_count, count, target);
  gj_lmodule_free(m);
}

// One scalar and one vector kernel, as wide as the widest type on the target.
static void run_native_width(const op_case *c, const gj_target *target, unsigned opt_level) {
  size_t widest = gj_dtype_bytes(c->result);
  for (unsigned k = 0; k < c->arity; k++)
    if (gj_dtype_bytes(c->args[k]) > widest)
      widest = gj_dtype_bytes(c->args[k]);
  unsigned widths[2] = {1, target->vector_bytes / (unsigned)widest};
  run_case(c, widths, 2, target, GJ_NUMERICS_DEFAULT, opt_level);
}

// --- the table ----------------------------------------------------------------------------------

static bool accepts(gj_op op, gj_dtype dtype) {
  uint8_t kind = gj_dtype_get(dtype)->kind;
  if (!gj_dtype_get(dtype)->ready)
    return false;
  switch ((gj_op_accepts)gj_op_get(op)->accepts) {
  case GJ_ACCEPTS_ANY:
    return true;
  case GJ_ACCEPTS_NUMERIC:
    return kind != GJ_KIND_BOOL;
  case GJ_ACCEPTS_FLOAT:
    return kind == GJ_KIND_FLOAT;
  case GJ_ACCEPTS_INTEGER:
    return kind == GJ_KIND_INT || kind == GJ_KIND_UINT;
  case GJ_ACCEPTS_SIGNED:
    return kind == GJ_KIND_INT || kind == GJ_KIND_FLOAT;
  case GJ_ACCEPTS_LOGIC:
    return kind != GJ_KIND_FLOAT;
  }
  return false;
}

static gj_dtype result_of(gj_op op, gj_dtype dtype) {
  switch (op) {
  case GJ_OP_eq:
  case GJ_OP_ne:
  case GJ_OP_lt:
  case GJ_OP_le:
  case GJ_OP_gt:
  case GJ_OP_ge:
  case GJ_OP_is_nan:
  case GJ_OP_is_finite:
    return GJ_DTYPE_bool;
  default:
    return dtype;
  }
}

typedef void visit_case(const op_case *c, void *data);

static void for_each_case(visit_case *visit, void *data) {
  for (gj_op op = GJ_OP_none + 1; op < GJ_OP_COUNT; op++) {
    if (!gj_op_is_elementwise(op))
      continue;
    for (gj_dtype d = GJ_DTYPE_none + 1; d < GJ_DTYPE_COUNT; d++) {
      if (!accepts(op, d))
        continue;
      op_case c = {op, {d, d, d}, result_of(op, d), (unsigned)gj_op_get(op)->arity};
      if (op == GJ_OP_select)
        c.args[0] = GJ_DTYPE_bool;
      if (op != GJ_OP_convert && op != GJ_OP_bitcast) {
        visit(&c, data);
        continue;
      }
      for (gj_dtype to = GJ_DTYPE_none + 1; to < GJ_DTYPE_COUNT; to++) {
        bool same = op == GJ_OP_bitcast &&
                    (gj_dtype_bytes(to) != gj_dtype_bytes(d) || to == GJ_DTYPE_bool || to == d);
        if (!gj_dtype_get(to)->ready || to == d || same)
          continue;
        c.result = to;
        visit(&c, data);
      }
    }
  }
}

static void visit_native(const op_case *c, void *data) {
  if (c->op != GJ_OP_fma || ((const gj_target *)data)->fma || math_has("fma"))
    run_native_width(c, data, 2);
}

static void every_op_and_dtype_agrees_with_the_reference_on_this_cpu(void) {
  for_each_case(visit_native, &targets[0]);
}

static void every_op_and_dtype_agrees_with_the_reference_on_smaller_cpus(void) {
  for (size_t t = 1; t < target_count; t++)
    for_each_case(visit_native, &targets[t]);
}

static void visit_math_widths(const op_case *c, void *data) {
  static const unsigned widths[MAX_WIDTHS] = {1, 2, 4, 8, 16};
  const gj_numerics *numerics = data;
  if (is_math(c) || (c->op == GJ_OP_rem && gj_dtype_is_float(c->args[0])))
    run_case(c, widths, MAX_WIDTHS, &targets[0], *numerics, 1);
}

static void math_functions_agree_at_all_widths_with_fma(void) {
  gj_numerics numerics = GJ_NUMERICS_DEFAULT;
  for_each_case(visit_math_widths, &numerics);
}

static void math_functions_agree_at_all_widths_without_fma(void) {
  gj_numerics numerics = GJ_NUMERICS_STRICT;
  for_each_case(visit_math_widths, &numerics);
}

// Without optimisation LLVM selects instructions by another path.
static void visit_unoptimised(const op_case *c, void *data) {
  if (!is_math(c))
    run_native_width(c, data, 0);
}

static void unoptimised_code_agrees_with_the_reference(void) {
  for_each_case(visit_unoptimised, &targets[0]);
}

// --- other targets -------------------------------------------------------------------------------

// The first call in the assembly of a function that is not the module's own, or NULL.
static const char *outside_call(const char *assembly) {
  static const char *const calls[] = {"\tcall\t", "\tcallq\t", "\tbl\t", "\ttail\t"};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
    for (const char *at = strstr(assembly, calls[i]); at; at = strstr(at + 1, calls[i])) {
      const char *name = at + strlen(calls[i]);
      if (strncmp(name, "gj", 2) != 0 && strncmp(name, ".Lgj", 4) != 0)
        return at;
    }
  return NULL;
}

static void visit_other_target(const op_case *c, void *data) {
  const gj_target *target = data;
  if (c->op == GJ_OP_fma && !target->fma && !math_has("fma"))
    return;
  unsigned widths[2] = {1, target->vector_bytes / 8};
  gj_codegen_options options = {.numerics = GJ_NUMERICS_STRICT,
                                .opt_level = 1,
                                .for_size = target->wasm,
                                .entry_symbol = "case_entry"};
  unsigned char *text = NULL;
  size_t size = 0;
  gj_error err = {0};
  gj_lmodule *m = build_case(c, widths, 2, 64);
  CHECK_OK(gj_codegen(m, target, &options, GJ_EMIT_ASSEMBLY, &text, &size, NULL, &err), &err);
  const char *call = text ? outside_call((const char *)text) : NULL;
  if (call) {
    printf("%s of %s for %s:%.40s\n", gj_op_name(c->op), gj_dtype_name(c->args[0]), target->triple,
           call);
    CHECK(!call);
  }
  free(text);
  gj_lmodule_free(m);
}

static void no_op_calls_a_library_on_any_target(void) {
  static const char *const triples[] = {"wasm32-unknown-unknown", "aarch64-unknown-linux-gnu",
                                        "riscv64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"};
  for (size_t i = 0; i < sizeof triples / sizeof triples[0]; i++) {
    gj_target target;
    gj_error err = {0};
    gj_status status = gj_target_named(triples[i], NULL, NULL, &target, &err);
    CHECK_OK(status, &err);
    if (status == GJ_OK)
      for_each_case(visit_other_target, &target);
  }
}

int main(void) {
  static const char *const cpus[] = {"x86-64-v3", "x86-64-v2"};
  gj_error err = {0};
  gj_status status = gj_target_host(&targets[target_count++], &err);
  CHECK_OK(status, &err);
  // Smaller instruction sets run on this machine too if it is an x86-64 with AVX2.
  for (size_t i = 0; i < 2 && targets[0].vector_bytes >= 32; i++) {
    status =
        gj_target_named("x86_64-unknown-linux-gnu", cpus[i], NULL, &targets[target_count++], &err);
    CHECK_OK(status, &err);
  }
  CHECK_RUN(every_op_and_dtype_agrees_with_the_reference_on_this_cpu);
  CHECK_RUN(every_op_and_dtype_agrees_with_the_reference_on_smaller_cpus);
  CHECK_RUN(unoptimised_code_agrees_with_the_reference);
  CHECK_RUN(no_op_calls_a_library_on_any_target);
  CHECK_RUN(math_functions_agree_at_all_widths_with_fma);
  CHECK_RUN(math_functions_agree_at_all_widths_without_fma);
  return check_report();
}
