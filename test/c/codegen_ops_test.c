// Every elementwise op, dtype and vector width through LLVM and the machine, against the reference.
//
// For each case one module computes op over adversarial operands twice, with scalar and with vector
// code, on each instruction set that this machine can run. Ops that the reference computes exactly
// must agree bit for bit; elementary functions must agree between scalar and vector code bit for
// bit and lie within 4 units in the last place of the reference (the accuracy itself is measured
// elsewhere).
#include "loop_code.h"
#include "op_cases.h"

#include "math/bitcode.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_WIDTHS = 5 };

static gj_target targets[MOST_TARGETS];
static size_t target_count;
static unsigned char results[MAX_WIDTHS][MAX_COUNT * 8]; // one per width tried

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
  gj_codegen_options options = {.numerics = numerics, .opt_level = opt_level};
  gj_jit_code *code;
  gj_entry *entry = load_code(m, target, options, &code);
  if (!entry)
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

// --- comparing ---

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
  return gj_dtype_is_float(c->args[0]) && !(gj_op_get(c->op)->flags & GJ_OP_EXACT);
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

// --- other targets ---

// z[i] = op(x[i], op(op(x[i + 1], x[i + 2]), op(x[i + 3], x[i + 4]))), or the same of three.
static gj_lmodule *build_nested(gj_op op, gj_dtype dtype, unsigned operand_count, unsigned lanes,
                                size_t count) {
  gj_lmodule *m = gj_lmodule_new("nested");
  gj_lfunc *entry = gj_lfunc_new(m, "entry", gj_ltype_scalar(GJ_DTYPE_i32), true);
  gj_lstmt *loop = gj_ls_for(m, entry, &entry->body, "i", gj_lx_i64(m, 0),
                             gj_lx_i64(m, (int64_t)count), lanes, 0, 0);
  const gj_lexpr *i = gj_lx_local(m, entry, loop->local), *x[5];
  for (unsigned k = 0; k < 5; k++)
    x[k] = gj_lx_load(m, gj_lx_buffer(m, 0, dtype), gj_lx_binary(m, GJ_OP_add, i, gj_lx_i64(m, k)),
                      lanes);
  const gj_lexpr *rest = gj_lx_binary(m, op, x[1], x[2]);
  if (operand_count == 5)
    rest = gj_lx_binary(m, op, rest, gj_lx_binary(m, op, x[3], x[4]));
  gj_ls_store(m, entry, &loop->body, gj_lx_buffer(m, 3, dtype), i, gj_lx_binary(m, op, x[0], rest));
  gj_ls_return(m, entry, &entry->body, gj_lx_const(m, (gj_scalar){GJ_DTYPE_i32, {.i = 0}}));
  return m;
}

static void check_nested(gj_op op, gj_dtype dtype, unsigned operand_count, const gj_target *target,
                         unsigned lanes) {
  enum { COUNT = 256 };
  static const double values[] = {0.0,  -0.0, -0.0, -0.0, -1.0, -2.5, -INFINITY, 1.0,
                                  -0.0, 0.0,  0.0,  0.0,  1.0,  2.5,  INFINITY,  NAN};
  gj_scalar x[COUNT + 8];
  uint32_t state = 1;
  for (size_t i = 0; i < COUNT + 8; i++) { // signs change slowly, so that zeros meet their like
    state = state * 1664525 + 1013904223;
    x[i] = (gj_scalar){dtype, {.f = values[(i / 16 % 2 * 8 + (state >> 24) % 9) % 16]}};
    gj_scalar_store(x[i], (char *)operands[0] + i * gj_dtype_bytes(dtype));
  }
  gj_lmodule *m = build_nested(op, dtype, operand_count, lanes, COUNT);
  bool ran = run_module(m, target, GJ_NUMERICS_DEFAULT, 2);
  for (size_t at = 0; ran && at < COUNT; at++) {
    gj_scalar want = x[at];
    for (unsigned k = 1; k < operand_count; k++)
      want = gj_scalar_eval(op, (gj_scalar[]){want, x[at + k]}, dtype);
    gj_scalar got = gj_scalar_load(dtype, results[0] + at * gj_dtype_bytes(dtype));
    CHECK(isnan(want.v.f) ? isnan(got.v.f) : gj_scalar_same_bits(got, want));
  }
  gj_lmodule_free(m);
}

static void nested_minima_and_maxima_keep_nan_and_the_signs_of_zeros(void) {
  static const gj_dtype dtypes[] = {GJ_DTYPE_f32, GJ_DTYPE_f64};
  for (size_t t = 0; t < target_count; t++)
    for (size_t d = 0; d < 2; d++)
      for (unsigned operand_count = 3; operand_count <= 5; operand_count += 2)
        for (unsigned lanes = 1; lanes <= 16; lanes *= 4) {
          check_nested(GJ_OP_min, dtypes[d], operand_count, &targets[t], lanes);
          check_nested(GJ_OP_max, dtypes[d], operand_count, &targets[t], lanes);
        }
}

// The first call in the assembly of a function that is not the module's own, nor one of those that
// every compiler for 32-bit ARM brings along; or NULL.
static const char *outside_call(const char *assembly) {
  static const char *const calls[] = {"\tcall\t", "\tcallq\t", "\tbl\t", "\ttail\t"};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
    for (const char *at = strstr(assembly, calls[i]); at; at = strstr(at + 1, calls[i])) {
      const char *name = at + strlen(calls[i]);
      if (strncmp(name, "gj", 2) != 0 && strncmp(name, ".Lgj", 4) != 0 &&
          strncmp(name, "__aeabi_", 8) != 0)
        return at;
    }
  return NULL;
}

static void visit_other_target(const op_case *c, void *data) {
  const gj_target *target = data;
  if (c->op == GJ_OP_fma && !target->fma && !math_has("fma"))
    return;
  unsigned widths[2] = {1, target->vector_bytes ? target->vector_bytes / 8 : 1};
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
  static const char *const names[][2] = {{"wasm32"},        {"aarch64"}, {"riscv64"},
                                         {"riscv64", "+v"}, {"arm"},     {"x86_64"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    gj_target target;
    gj_error err = {0};
    gj_status status = gj_target_named(names[i][0], NULL, names[i][1], &target, &err);
    CHECK_OK(status, &err);
    if (status == GJ_OK)
      for_each_case(visit_other_target, &target);
  }
}

int main(void) {
  target_count = find_targets(targets);
  CHECK_RUN(every_op_and_dtype_agrees_with_the_reference_on_this_cpu);
  CHECK_RUN(every_op_and_dtype_agrees_with_the_reference_on_smaller_cpus);
  CHECK_RUN(nested_minima_and_maxima_keep_nan_and_the_signs_of_zeros);
  CHECK_RUN(unoptimised_code_agrees_with_the_reference);
  CHECK_RUN(no_op_calls_a_library_on_any_target);
  CHECK_RUN(math_functions_agree_at_all_widths_with_fma);
  CHECK_RUN(math_functions_agree_at_all_widths_without_fma);
  return check_report();
}
