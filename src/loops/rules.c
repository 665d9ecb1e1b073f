// The typing rules of Loop IR for expressions; those of statements are in rules_stmt.c.
//
// The rules of the scalar ops come from the dtype column of ops/ops.def: lanes go through
// unchanged, and all operands have the same number of them (a scalar is splatted explicitly, so
// that a cost is seen where it arises). Scopes and order are left to verify.c.

#include "loops/rules.h"

#include <stdio.h>
#include <string.h>

typedef enum rule {
  RULE_leaf,
  RULE_attr,
  RULE_bits,
  RULE_same,
  RULE_truth,
  RULE_select,
  RULE_first,
  RULE_indexed,
  RULE_pair,
  RULE_chosen,
  RULE_permuted,
  RULE_result,
  RULE_control
} rule;

static const uint8_t dtype_rules[GJ_OP_COUNT] = {
#define GJ_OP(name, arity, kind, accepts, dtype, shape, attrs, flags) [GJ_OP_##name] = RULE_##dtype,
#include "ops/ops.def"
};

void gj__lfail(gj_lmodule *m, gj_status code, const char *format, ...) {
  if (m->failed)
    return;
  va_list arguments;
  va_start(arguments, format);
  m->failed = gj_fail_v(&m->error, code, format, arguments);
  va_end(arguments);
}

const char *gj__ltype_text(gj_ltype type, char out[GJ_LOOPS_TYPE_TEXT]) {
  if (type.dtype == GJ_DTYPE_none || type.dtype >= GJ_DTYPE_COUNT)
    snprintf(out, GJ_LOOPS_TYPE_TEXT, "nothing");
  else if (type.lanes != 1)
    snprintf(out, GJ_LOOPS_TYPE_TEXT, "%s<%u>", gj_dtype_name((gj_dtype)type.dtype), type.lanes);
  else
    snprintf(out, GJ_LOOPS_TYPE_TEXT, "%s%s", gj_dtype_name((gj_dtype)type.dtype),
             type.pointer ? "*" : "");
  return out;
}

bool gj__ltype_is(gj_ltype type, gj_dtype dtype) {
  return gj_ltype_equal(type, gj_ltype_scalar(dtype));
}

bool gj__lanes_ok(unsigned lanes) {
  return lanes >= 1 && lanes <= GJ_MAX_LANES && (lanes & (lanes - 1)) == 0;
}

const char *gj__lx_name(const gj_lexpr *e) {
  static const char *const names[] = {
      [GJ_LX_CONST] = "constant",
      [GJ_LX_LOCAL] = "local",
      [GJ_LX_OP] = "op",
      [GJ_LX_LOAD] = "load",
      [GJ_LX_OFFSET] = "offset",
      [GJ_LX_SPLAT] = "splat",
      [GJ_LX_LANES] = "lanes",
      [GJ_LX_FIRST] = "first",
      [GJ_LX_REVERSE] = "reverse",
      [GJ_LX_ANY] = "any",
      [GJ_LX_TRUES] = "trues",
      [GJ_LX_COMPRESS] = "compress",
      [GJ_LX_BITS] = "bits",
      [GJ_LX_MASK] = "mask",
      [GJ_LX_AHEAD] = "ahead",
      [GJ_LX_CALL] = "call",
      [GJ_LX_PARALLEL] = "parallel",
      [GJ_LX_BUFFER] = "buffer",
      [GJ_LX_DIM] = "dim",
      [GJ_LX_SCRATCH] = "scratch",
      [GJ_LX_DATA] = "data",
      [GJ_LX_CANCELLED] = "cancelled",
      [GJ_LX_SLOT] = "slot",
      [GJ_LX_WRAP] = "wrap",
      [GJ_LX_OVERFLOWS] = "overflows",
      [GJ_LX_TOO_DEEP] = "too_deep",
      [GJ_LX_ALLOC] = "alloc",
      [GJ_LX_IS_NULL] = "is_null",
      [GJ_LX_ADDRESS] = "address",
      [GJ_LX_POINTER] = "pointer",
      [GJ_LX_MARK] = "mark",
  };
  if (e->kind == GJ_LX_OP && e->op > GJ_OP_none && e->op < GJ_OP_COUNT)
    return gj_op_name((gj_op)e->op);
  return e->kind <= GJ_LX_MARK ? names[e->kind] : "expression";
}

gj_status gj__dtype_check(const char *what, unsigned dtype, gj_error *err) {
  if (dtype == GJ_DTYPE_none || dtype >= GJ_DTYPE_COUNT)
    return gj_fail(err, GJ_E_DTYPE, "%s: %u is not a dtype", what, dtype);
  return GJ_OK;
}

// --- expressions ---

// What an operand of another dtype than the op takes should be; NULL if it may be what it is.
static const char *wanted(gj_op op, gj_dtype dtype) {
  static const char *const text[] = {
      [GJ_ACCEPTS_ANY] = "known",       [GJ_ACCEPTS_NUMERIC] = "a number",
      [GJ_ACCEPTS_FLOAT] = "a float",   [GJ_ACCEPTS_INTEGER] = "an integer",
      [GJ_ACCEPTS_SIGNED] = "signed",   [GJ_ACCEPTS_LOGIC] = "a bool or an integer",
      [GJ_ACCEPTS_REAL] = "f64 or f32",
  };
  if (!gj_op_takes(op, dtype))
    return text[gj_op_get(op)->accepts];
  return gj_loops_takes(op, dtype) ? NULL : "f32: halves are moved and converted only";
}

bool gj_loops_takes(gj_op op, gj_dtype dtype) {
  bool moves = gj_op_get(op)->flags & GJ_OP_MOVES;
  return gj_op_takes(op, dtype) && (moves || !gj_dtype_is_half(dtype));
}

static gj_status differ(const gj_lexpr *e, uint32_t i, uint32_t j, gj_error *err) {
  char a[GJ_LOOPS_TYPE_TEXT], b[GJ_LOOPS_TYPE_TEXT];
  return gj_fail(err, GJ_E_DTYPE, "%s: operands %u and %u differ: %s vs %s", gj__lx_name(e),
                 (unsigned)i, (unsigned)j, gj__ltype_text(e->args[i]->type, a),
                 gj__ltype_text(e->args[j]->type, b));
}

// Operands from `first` on have one type; lanes agree with those of operand 0 too.
static gj_status check_operands(const gj_lexpr *e, uint32_t first, gj_error *err) {
  const gj_op_info *info = gj_op_get((gj_op)e->op);
  char text[GJ_LOOPS_TYPE_TEXT];
  for (uint32_t i = 0; i < e->arg_count; i++) {
    gj_ltype type = e->args[i]->type;
    if (type.pointer || type.dtype == GJ_DTYPE_none)
      return gj_fail(err, GJ_E_DTYPE, "%s: operand %u is %s, expected a value", info->name,
                     (unsigned)i + 1, gj__ltype_text(type, text));
    if (type.lanes != e->args[0]->type.lanes)
      return differ(e, 0, i, err);
    if (i > first && type.dtype != e->args[first]->type.dtype)
      return differ(e, first, i, err);
    const char *other = i >= first ? wanted((gj_op)e->op, (gj_dtype)type.dtype) : NULL;
    if (other)
      return gj_fail(err, GJ_E_DTYPE, "%s: operand %u is %s, expected %s", info->name,
                     (unsigned)i + 1, gj__ltype_text(type, text), other);
  }
  return GJ_OK;
}

static gj_status infer_op(const gj_lexpr *e, gj_ltype *out, gj_error *err) {
  if (e->op == GJ_OP_none || e->op >= GJ_OP_COUNT)
    return gj_fail(err, GJ_E_VERIFY, "op %u does not exist", (unsigned)e->op);
  const gj_op_info *info = gj_op_get((gj_op)e->op);
  if (!gj_op_is_elementwise((gj_op)e->op))
    return gj_fail(err, GJ_E_VERIFY, "%s: not an elementwise op", info->name);
  if (info->arity != (int)e->arg_count)
    return gj_fail(err, GJ_E_VERIFY, "%s: %u operands, expected %d", info->name,
                   (unsigned)e->arg_count, info->arity);
  rule r = (rule)dtype_rules[e->op];
  uint32_t first = r == RULE_select ? 1 : 0;
  GJ_TRY(check_operands(e, first, err));
  if (e->index != 0 &&
      (e->index != GJ_LX_JS || !gj_scalar_is_js((gj_op)e->op, (gj_dtype)e->args[0]->type.dtype)))
    return gj_fail(err, GJ_E_VERIFY, "%s: JavaScript has no function of this name for %s",
                   info->name, gj_dtype_name((gj_dtype)e->args[0]->type.dtype));
  gj_ltype type = e->args[first]->type;
  if (r == RULE_select && e->args[0]->type.dtype != GJ_DTYPE_bool) {
    char text[GJ_LOOPS_TYPE_TEXT];
    return gj_fail(err, GJ_E_DTYPE, "select: operand 1 is %s, expected bool",
                   gj__ltype_text(e->args[0]->type, text));
  }
  if (r == RULE_truth)
    type.dtype = GJ_DTYPE_bool;
  if (r == RULE_attr || r == RULE_bits) {
    GJ_TRY(gj__dtype_check(info->name, e->type.dtype, err));
    const gj_dtype_info *from = gj_dtype_get((gj_dtype)type.dtype);
    const gj_dtype_info *to = gj_dtype_get((gj_dtype)e->type.dtype);
    if (r == RULE_bits && (to->bits != from->bits || to->kind == GJ_KIND_BOOL))
      return gj_fail(err, GJ_E_DTYPE, "%s: %s to %s changes the width", info->name, from->name,
                     to->name);
    type.dtype = e->type.dtype;
  }
  *out = type;
  return GJ_OK;
}

static gj_status want_count(const gj_lexpr *e, uint32_t count, gj_error *err) {
  if (e->arg_count != count)
    return gj_fail(err, GJ_E_VERIFY, "%s: %u arguments, expected %u", gj__lx_name(e),
                   (unsigned)e->arg_count, (unsigned)count);
  return GJ_OK;
}

static gj_status want_lanes(const gj_lexpr *e, unsigned least, gj_error *err) {
  unsigned lanes = e->type.lanes;
  if (!gj__lanes_ok(lanes) || lanes < least)
    return gj_fail(err, GJ_E_VERIFY, "%s: %u lanes, expected a power of two from %u to %d",
                   gj__lx_name(e), lanes, least, GJ_MAX_LANES);
  return GJ_OK;
}

static gj_status unexpected(const gj_lexpr *e, uint32_t i, const char *wanted, gj_error *err) {
  char text[GJ_LOOPS_TYPE_TEXT];
  return gj_fail(err, GJ_E_VERIFY, "%s: argument %u is %s, expected %s", gj__lx_name(e),
                 (unsigned)i, gj__ltype_text(e->args[i]->type, text), wanted);
}

static gj_status infer_const(const gj_lexpr *e, gj_ltype *out, gj_error *err) {
  GJ_TRY(gj__dtype_check("constant", (unsigned)e->value.dtype, err));
  *out = gj_ltype_scalar(e->value.dtype);
  // A value outside its dtype would change when it is stored or emitted.
  unsigned char bytes[8] = {0};
  gj_scalar_store(e->value, bytes);
  gj_scalar back = gj_scalar_load(e->value.dtype, bytes);
  bool in_range = e->value.dtype != GJ_DTYPE_bool || (e->value.v.u <= 1);
  if (!in_range || !gj_scalar_same_bits(back, e->value))
    return gj_fail(err, GJ_E_VERIFY, "constant: the value is not one of dtype %s",
                   gj_dtype_name(e->value.dtype));
  return GJ_OK;
}

bool gj__is_mask(gj_ltype type, unsigned lanes) {
  return lanes > 1 && gj_ltype_equal(type, gj_ltype_vector(GJ_DTYPE_bool, lanes));
}

static gj_status infer_load(const gj_lexpr *e, gj_ltype *out, gj_error *err) {
  if (e->arg_count != 3)
    GJ_TRY(want_count(e, 2, err));
  gj_ltype pointer = e->args[0]->type, index = e->args[1]->type;
  if (!pointer.pointer)
    return unexpected(e, 0, "a pointer", err);
  if (index.pointer || index.dtype != GJ_DTYPE_i64)
    return unexpected(e, 1, "an i64 index", err);
  GJ_TRY(want_lanes(e, 1, err));
  if (index.lanes != 1 && index.lanes != e->type.lanes)
    return gj_fail(err, GJ_E_VERIFY, "load: %u lanes from an index of %u lanes",
                   (unsigned)e->type.lanes, (unsigned)index.lanes);
  if (e->arg_count == 3 && !gj__is_mask(e->args[2]->type, e->type.lanes))
    return unexpected(e, 2, "a mask: a bool for each of several lanes", err);
  gj_lrecord r = gj_lrecord_of(e);
  if (e->index && (r.stride < 2 || r.stride > GJ_MAX_STRIDE))
    return gj_fail(err, GJ_E_VERIFY, "load: stride %u, expected 2 to %d", r.stride, GJ_MAX_STRIDE);
  if (e->index && (r.at >= r.used || r.used > r.stride))
    return gj_fail(err, GJ_E_VERIFY, "load: element %u of %u with stride %u", r.at, r.used,
                   r.stride);
  if (e->index && (e->type.lanes == 1 || index.lanes != 1))
    return gj_fail(err, GJ_E_VERIFY, "load: a stride needs several lanes and one index");
  *out = gj_ltype_vector((gj_dtype)pointer.dtype, e->type.lanes);
  return GJ_OK;
}

static gj_status infer_offset(const gj_lexpr *e, gj_ltype *out, gj_error *err) {
  GJ_TRY(want_count(e, 2, err));
  if (!e->args[0]->type.pointer)
    return unexpected(e, 0, "a pointer", err);
  if (!gj__ltype_is(e->args[1]->type, GJ_DTYPE_i64))
    return unexpected(e, 1, "an i64 index", err);
  *out = e->args[0]->type;
  return GJ_OK;
}

static gj_status infer_ahead(const gj_lexpr *e, gj_ltype *out, gj_error *err) {
  GJ_TRY(want_count(e, 1, err));
  if (!e->args[0]->type.pointer)
    return unexpected(e, 0, "a pointer", err);
  uint32_t least = (uint32_t)gj_dtype_bytes((gj_dtype)e->args[0]->type.dtype);
  if (e->index < least || e->index > GJ_LOOPS_MAX_ALIGN || (e->index & (e->index - 1)))
    return gj_fail(err, GJ_E_VERIFY, "ahead: %u bytes, expected a power of two from %u to %d",
                   (unsigned)e->index, (unsigned)least, GJ_LOOPS_MAX_ALIGN);
  *out = gj_ltype_scalar(GJ_DTYPE_i64);
  return GJ_OK;
}

static bool is_wide_integer(unsigned dtype) {
  return dtype == GJ_DTYPE_i32 || dtype == GJ_DTYPE_u32 || dtype == GJ_DTYPE_i64 ||
         dtype == GJ_DTYPE_u64;
}

static gj_status infer_wrap(const gj_lexpr *e, gj_ltype *out, gj_error *err) {
  GJ_TRY(want_count(e, 1, err));
  gj_ltype from = e->args[0]->type;
  if (from.pointer || from.dtype != GJ_DTYPE_f64)
    return unexpected(e, 0, "an f64", err);
  if (!is_wide_integer(e->type.dtype))
    return gj_fail(err, GJ_E_DTYPE, "wrap: to %s, expected i32, u32, i64 or u64",
                   e->type.dtype < GJ_DTYPE_COUNT ? gj_dtype_name((gj_dtype)e->type.dtype) : "?");
  *out = gj_ltype_vector((gj_dtype)e->type.dtype, from.lanes);
  return GJ_OK;
}

static gj_status infer_overflows(const gj_lexpr *e, gj_ltype *out, gj_error *err) {
  GJ_TRY(want_count(e, 2, err));
  if (e->op != GJ_OP_add && e->op != GJ_OP_sub && e->op != GJ_OP_mul)
    return gj_fail(err, GJ_E_VERIFY, "overflows: expected add, sub or mul");
  gj_ltype type = e->args[0]->type;
  if (type.pointer || !is_wide_integer(type.dtype))
    return unexpected(e, 0, "an i32, u32, i64 or u64", err);
  if (!gj_ltype_equal(type, e->args[1]->type))
    return differ(e, 0, 1, err);
  *out = gj_ltype_vector(GJ_DTYPE_bool, type.lanes);
  return GJ_OK;
}

// is_null and address.
static gj_status infer_looked_at(const gj_lexpr *e, gj_ltype *out, gj_error *err) {
  GJ_TRY(want_count(e, 1, err));
  if (!e->args[0]->type.pointer)
    return unexpected(e, 0, "a pointer", err);
  *out = gj_ltype_scalar(e->kind == GJ_LX_ADDRESS ? GJ_DTYPE_i64 : GJ_DTYPE_bool);
  return GJ_OK;
}

static gj_status infer_vector(const gj_lexpr *e, gj_ltype *out, gj_error *err) {
  uint32_t count = e->kind == GJ_LX_LANES ? 0 : e->kind == GJ_LX_COMPRESS ? 2 : 1;
  GJ_TRY(want_count(e, count, err));
  gj_ltype type = e->arg_count ? e->args[0]->type : gj_ltype_scalar(GJ_DTYPE_i64);
  if (e->kind == GJ_LX_FIRST) {
    if (!gj__ltype_is(type, GJ_DTYPE_i64))
      return unexpected(e, 0, "an i64 count", err);
    type = gj_ltype_scalar(GJ_DTYPE_bool);
  }
  if (e->kind == GJ_LX_MASK) {
    if (!gj__ltype_is(type, GJ_DTYPE_u64))
      return unexpected(e, 0, "a u64", err);
    type = gj_ltype_scalar(GJ_DTYPE_bool);
  }
  if (e->kind == GJ_LX_SPLAT || e->kind == GJ_LX_LANES || e->kind == GJ_LX_FIRST ||
      e->kind == GJ_LX_MASK) {
    if (type.pointer || type.lanes != 1 || type.dtype == GJ_DTYPE_none)
      return unexpected(e, 0, "a scalar", err);
    GJ_TRY(want_lanes(e, 2, err));
    *out = gj_ltype_vector((gj_dtype)type.dtype, e->type.lanes);
    return GJ_OK;
  }
  if (type.lanes == 1)
    return unexpected(e, 0, "a vector", err);
  bool asks = e->kind == GJ_LX_ANY || e->kind == GJ_LX_TRUES || e->kind == GJ_LX_BITS;
  if (asks && type.dtype != GJ_DTYPE_bool)
    return unexpected(e, 0, "a vector of bool", err);
  if (e->kind == GJ_LX_COMPRESS && !gj__is_mask(e->args[1]->type, type.lanes))
    return unexpected(e, 1, "a bool for each lane", err);
  *out = e->kind == GJ_LX_ANY     ? gj_ltype_scalar(GJ_DTYPE_bool)
         : e->kind == GJ_LX_TRUES ? gj_ltype_scalar(GJ_DTYPE_i64)
         : e->kind == GJ_LX_BITS  ? gj_ltype_scalar(GJ_DTYPE_u64)
                                  : type;
  return GJ_OK;
}

// What a parallel call asks of its callee, and the types of its range.
static gj_status check_range(const gj_lexpr *e, const gj_lfunc *callee, gj_error *err) {
  uint32_t params = callee->param_count;
  bool takes_range = params >= 2 && gj__ltype_is(callee->locals[params - 1].type, GJ_DTYPE_i64) &&
                     gj__ltype_is(callee->locals[params - 2].type, GJ_DTYPE_i64);
  if (!takes_range || !gj__ltype_is(callee->returns, GJ_DTYPE_i32))
    return gj_fail(err, GJ_E_VERIFY,
                   "parallel %s: expected a function with two i64 params last that returns i32",
                   callee->name);
  if (e->arg_count < 3)
    return gj_fail(err, GJ_E_VERIFY, "parallel %s: the range is missing", callee->name);
  for (uint32_t i = e->arg_count - 3; i < e->arg_count; i++)
    if (!gj__ltype_is(e->args[i]->type, GJ_DTYPE_i64))
      return unexpected(e, i, "an i64", err);
  return GJ_OK;
}

static gj_status infer_call(const gj_lmodule *m, const gj_lexpr *e, gj_ltype *out, gj_error *err) {
  if (e->index >= m->func_count)
    return gj_fail(err, GJ_E_VERIFY, "call: function %u does not exist", (unsigned)e->index);
  const gj_lfunc *callee = m->funcs[e->index];
  if (callee->entry || callee->exported)
    return gj_fail(err, GJ_E_VERIFY, "%s: the %s function %s cannot be called", gj__lx_name(e),
                   callee->entry ? "entry" : "exported", callee->name);
  bool parallel = e->kind == GJ_LX_PARALLEL;
  if (parallel)
    GJ_TRY(check_range(e, callee, err));
  uint32_t ranges = parallel ? 3 : 0, given = parallel ? 2 : 0; // args beside, params beside
  if (e->arg_count - ranges != callee->param_count - given)
    return gj_fail(err, GJ_E_VERIFY, "%s %s: %u arguments, expected %u", gj__lx_name(e),
                   callee->name, (unsigned)(e->arg_count - ranges),
                   (unsigned)(callee->param_count - given));
  for (uint32_t i = 0; i + ranges < e->arg_count; i++) {
    char a[GJ_LOOPS_TYPE_TEXT], b[GJ_LOOPS_TYPE_TEXT];
    if (!gj_ltype_equal(e->args[i]->type, callee->locals[i].type))
      return gj_fail(err, GJ_E_VERIFY, "%s %s: argument %u (%s) is %s, expected %s", gj__lx_name(e),
                     callee->name, (unsigned)i, callee->locals[i].name,
                     gj__ltype_text(e->args[i]->type, a),
                     gj__ltype_text(callee->locals[i].type, b));
  }
  *out = callee->returns;
  return GJ_OK;
}

static gj_status infer_environment(const gj_lmodule *m, const gj_lexpr *e, gj_ltype *out,
                                   gj_error *err) {
  bool one = e->kind == GJ_LX_SCRATCH || e->kind == GJ_LX_ALLOC || e->kind == GJ_LX_POINTER;
  GJ_TRY(want_count(e, one, err));
  switch (e->kind) {
  case GJ_LX_DIM:
  case GJ_LX_SLOT:
  case GJ_LX_MARK:
    *out = gj_ltype_scalar(GJ_DTYPE_i64);
    return GJ_OK;
  case GJ_LX_CANCELLED:
  case GJ_LX_TOO_DEEP:
    *out = gj_ltype_scalar(GJ_DTYPE_bool);
    return GJ_OK;
  case GJ_LX_DATA:
    if (e->index >= m->data_count)
      return gj_fail(err, GJ_E_VERIFY, "data<%u> does not exist", (unsigned)e->index);
    *out = gj_ltype_pointer(m->data[e->index].dtype);
    return GJ_OK;
  case GJ_LX_SCRATCH:
    if (!gj__ltype_is(e->args[0]->type, GJ_DTYPE_i64))
      return unexpected(e, 0, "an i64 byte offset", err);
    break;
  case GJ_LX_ALLOC:
  case GJ_LX_POINTER:
    if (!gj__ltype_is(e->args[0]->type, GJ_DTYPE_i64))
      return unexpected(e, 0, e->kind == GJ_LX_ALLOC ? "an i64 count" : "an i64 address", err);
    break;
  default:
    break;
  }
  GJ_TRY(gj__dtype_check(gj__lx_name(e), e->type.dtype, err));
  *out = gj_ltype_pointer((gj_dtype)e->type.dtype);
  return GJ_OK;
}

gj_status gj__lx_infer(const gj_lmodule *m, const gj_lfunc *f, const gj_lexpr *e,
                       gj_ltype *out_type, gj_error *err) {
  switch (e->kind) {
  case GJ_LX_CONST:
    return infer_const(e, out_type, err);
  case GJ_LX_LOCAL:
    if (!f || e->index >= f->local_count)
      return gj_fail(err, GJ_E_VERIFY, "local %u does not exist", (unsigned)e->index);
    *out_type = f->locals[e->index].type;
    return GJ_OK;
  case GJ_LX_OP:
    return infer_op(e, out_type, err);
  case GJ_LX_LOAD:
    return infer_load(e, out_type, err);
  case GJ_LX_OFFSET:
    return infer_offset(e, out_type, err);
  case GJ_LX_AHEAD:
    return infer_ahead(e, out_type, err);
  case GJ_LX_SPLAT:
  case GJ_LX_LANES:
  case GJ_LX_FIRST:
  case GJ_LX_REVERSE:
  case GJ_LX_ANY:
  case GJ_LX_TRUES:
  case GJ_LX_COMPRESS:
  case GJ_LX_BITS:
  case GJ_LX_MASK:
    return infer_vector(e, out_type, err);
  case GJ_LX_CALL:
  case GJ_LX_PARALLEL:
    return infer_call(m, e, out_type, err);
  case GJ_LX_BUFFER:
  case GJ_LX_DIM:
  case GJ_LX_SCRATCH:
  case GJ_LX_DATA:
  case GJ_LX_CANCELLED:
  case GJ_LX_SLOT:
  case GJ_LX_TOO_DEEP:
  case GJ_LX_ALLOC:
  case GJ_LX_POINTER:
  case GJ_LX_MARK:
    return infer_environment(m, e, out_type, err);
  case GJ_LX_WRAP:
    return infer_wrap(e, out_type, err);
  case GJ_LX_OVERFLOWS:
    return infer_overflows(e, out_type, err);
  case GJ_LX_IS_NULL:
  case GJ_LX_ADDRESS:
    return infer_looked_at(e, out_type, err);
  default:
    return gj_fail(err, GJ_E_VERIFY, "expression kind %u does not exist", (unsigned)e->kind);
  }
}
