// Which operators a target has no vector instructions for, so that LLVM takes a vector apart and
// does one lane after the other. The report of the vectoriser says so, and
// test/c/lane_by_lane_test.c compares this table with the code that comes out.
//
//   x86-64       what is missing there is put together of other instructions (divide.c,
//                convert_wide.c); with AVX2 the tables of erf are read one element after the other,
//                since its gathers are no quicker
//   wasm, arm64  vectors of 64-bit integers have two lanes, and emulation would take longer than
//                two scalar instructions. wasm shifts all lanes by the same amount only, and has no
//                count of leading zeros; LLVM makes of comparisons in pow a test of classes of
//                floats, which it does not do in vectors there.
//   riscv64      everything: the processors of the table have no vectors
#include "codegen/targets/apart.h"

#include "ops/op.h"

static bool is_wide_int(const gj_lexpr *e) {
  return !gj_dtype_is_float((gj_dtype)e->type.dtype) &&
         gj_dtype_bytes((gj_dtype)e->type.dtype) == 8;
}

static bool divides(const gj_lexpr *e) { return e->op == GJ_OP_div || e->op == GJ_OP_rem; }

// What all lanes of the second operand are, or NULL.
static const gj_lexpr *constant_second(const gj_lexpr *e) {
  const gj_lexpr *b = e->args[1];
  while (b->kind == GJ_LX_SPLAT)
    b = b->args[0];
  return b->kind == GJ_LX_CONST ? b : NULL;
}

// Division by a power of two is shifting.
static bool by_power_of_two(const gj_lexpr *e) {
  const gj_lexpr *b = constant_second(e);
  if (!b)
    return false;
  uint64_t size = b->value.v.u;
  if (b->type.dtype == GJ_DTYPE_i64 && b->value.v.i < 0)
    size = 0 - size;
  return size && !(size & (size - 1));
}

static bool is_wide_cast(const gj_lexpr *e) {
  const gj_lexpr *from = e->args[0];
  if (e->op != GJ_OP_convert)
    return false;
  bool to_int = gj_dtype_is_float((gj_dtype)from->type.dtype) && is_wide_int(e);
  return to_int || (is_wide_int(from) && e->type.dtype == GJ_DTYPE_f32);
}

static bool with_avx2(const gj_lexpr *e, bool uniform) {
  (void)uniform;
  return e->op == GJ_OP_erf && e->type.dtype == GJ_DTYPE_f64;
}

static bool in_wasm(const gj_lexpr *e, bool uniform) {
  if (e->op == GJ_OP_shl || e->op == GJ_OP_shr)
    return !uniform;
  if (e->op == GJ_OP_clz)
    return gj_dtype_bytes((gj_dtype)e->type.dtype) > 1;
  if (e->op == GJ_OP_pow)
    return e->type.dtype == GJ_DTYPE_f64 || (e->type.dtype == GJ_DTYPE_f32 && !constant_second(e));
  return (divides(e) && is_wide_int(e) && !by_power_of_two(e)) || is_wide_cast(e);
}

static bool on_arm(const gj_lexpr *e, bool uniform) {
  (void)uniform;
  bool multiplies = e->op == GJ_OP_mul || e->op == GJ_OP_pow;
  return is_wide_int(e) && (multiplies || (divides(e) && !by_power_of_two(e)));
}

gj_takes_apart *gj_target_takes_apart(const gj_target *target) {
  switch (target->triple[0]) {
  case 'w':
    return in_wasm;
  case 'a':
    return on_arm;
  case 'r':
    return NULL;
  default:
    return target->vector_bytes == 32 && target->fma ? with_avx2 : NULL;
  }
}
