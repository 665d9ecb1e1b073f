// Constructors of Loop IR expressions, with the light folding that index arithmetic asks for.
//
// Lowering writes x + 0, n · 1 and (i + 1) + 2 freely, and unrolling turns loop variables into
// constants; both would fill the printed code with noise and hide constant strides from the
// vectoriser. Only i64 is folded here: what else is constant was folded in the graph. Constants of
// add and mul move to the right, so that they meet.

#include "loops/rules.h"

#include <string.h>

// What every builder returns after a failure: has a type and no arguments, whatever was asked for.
static const gj_lexpr lost = {.kind = GJ_LX_CONST,
                              .type = {GJ_DTYPE_i64, 0, 1},
                              .size = 1,
                              .depth = 1,
                              .value = {.dtype = GJ_DTYPE_i64, .v = {.i = 0}}};

static bool measure(gj_lexpr *e, const gj_lexpr *const *args, size_t count) {
  uint64_t size = 1;
  uint16_t depth = 0;
  for (size_t i = 0; i < count && size <= GJ_LOOPS_MAX_SIZE; i++) {
    size += args[i]->size;
    depth = args[i]->depth > depth ? args[i]->depth : depth;
  }
  e->size = (uint32_t)size;
  e->depth = (uint16_t)(depth + 1);
  return size <= GJ_LOOPS_MAX_SIZE && e->depth <= GJ_LOOPS_MAX_DEPTH;
}

const gj_lexpr *gj__lx_new(gj_lmodule *m, const gj_lfunc *f, const gj_lexpr *draft,
                           const gj_lexpr *const *args, size_t count) {
  if (m->failed)
    return &lost;
  gj_lexpr node = *draft;
  if (count > UINT32_MAX || !measure(&node, args, count)) {
    gj__lfail(m, GJ_E_UNSUPPORTED, "%s: the expression has more than %d levels or %d nodes",
              gj__lx_name(draft), GJ_LOOPS_MAX_DEPTH, GJ_LOOPS_MAX_SIZE);
    return &lost;
  }
  node.args = args;
  node.arg_count = (uint32_t)count;
  gj_error err;
  gj_status status = gj__lx_infer(m, f, &node, &node.type, &err);
  if (status) {
    gj__lfail(m, status, "%s", err.message);
    return &lost;
  }
  node.args = count ? gj_arena_copy(&m->arena, args, count * sizeof *args) : NULL;
  gj_lexpr *e = gj_arena_copy(&m->arena, &node, sizeof node);
  if (!e || (count && !node.args)) {
    gj__lfail(m, GJ_E_MEMORY, "%s: out of memory", gj__lx_name(draft));
    return &lost;
  }
  return e;
}

// --- leaves ---

const gj_lexpr *gj_lx_const(gj_lmodule *m, gj_scalar value) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_CONST, .value = value}, NULL, 0);
}

const gj_lexpr *gj_lx_i64(gj_lmodule *m, int64_t value) {
  return gj_lx_const(m, (gj_scalar){.dtype = GJ_DTYPE_i64, .v = {.i = value}});
}

const gj_lexpr *gj_lx_local(gj_lmodule *m, const gj_lfunc *f, uint32_t local) {
  return gj__lx_new(m, f, &(gj_lexpr){.kind = GJ_LX_LOCAL, .index = local}, NULL, 0);
}

const gj_lexpr *gj_lx_lanes(gj_lmodule *m, unsigned lanes) {
  gj_lexpr draft = {.kind = GJ_LX_LANES, .type = gj_ltype_vector(GJ_DTYPE_i64, lanes)};
  return gj__lx_new(m, NULL, &draft, NULL, 0);
}

const gj_lexpr *gj_lx_buffer(gj_lmodule *m, uint32_t index, gj_dtype dtype) {
  gj_lexpr draft = {.kind = GJ_LX_BUFFER, .index = index, .type = gj_ltype_pointer(dtype)};
  return gj__lx_new(m, NULL, &draft, NULL, 0);
}

const gj_lexpr *gj_lx_dim(gj_lmodule *m, uint32_t index) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_DIM, .index = index}, NULL, 0);
}

const gj_lexpr *gj_lx_data(gj_lmodule *m, uint32_t index) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_DATA, .index = index}, NULL, 0);
}

const gj_lexpr *gj_lx_cancelled(gj_lmodule *m) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_CANCELLED}, NULL, 0);
}

const gj_lexpr *gj_lx_slot(gj_lmodule *m) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_SLOT}, NULL, 0);
}

const gj_lexpr *gj_lx_too_deep(gj_lmodule *m) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_TOO_DEEP}, NULL, 0);
}

const gj_lexpr *gj_lx_mark(gj_lmodule *m) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_MARK}, NULL, 0);
}

// --- memory, vectors, calls ---

const gj_lexpr *gj_lx_load(gj_lmodule *m, const gj_lexpr *p, const gj_lexpr *index,
                           unsigned lanes) {
  return gj_lx_load_if(m, p, index, lanes, NULL);
}

const gj_lexpr *gj_lx_load_if(gj_lmodule *m, const gj_lexpr *p, const gj_lexpr *index,
                              unsigned lanes, const gj_lexpr *mask) {
  gj_lexpr draft = {.kind = GJ_LX_LOAD, .type = {.lanes = (uint16_t)lanes}};
  return gj__lx_new(m, NULL, &draft, (const gj_lexpr *[]){p, index, mask}, mask ? 3 : 2);
}

const gj_lexpr *gj_lx_load_record(gj_lmodule *m, const gj_lexpr *p, const gj_lexpr *index,
                                  unsigned lanes, gj_lrecord record, const gj_lexpr *mask) {
  gj_lexpr draft = {
      .kind = GJ_LX_LOAD, .index = gj_lrecord_pack(record), .type = {.lanes = (uint16_t)lanes}};
  return gj__lx_new(m, NULL, &draft, (const gj_lexpr *[]){p, index, mask}, mask ? 3 : 2);
}

static bool is_i64(const gj_lexpr *e, int64_t value) {
  return e->kind == GJ_LX_CONST && e->type.dtype == GJ_DTYPE_i64 && e->value.v.i == value;
}

const gj_lexpr *gj_lx_offset(gj_lmodule *m, const gj_lexpr *p, const gj_lexpr *index) {
  if (p->type.pointer && is_i64(index, 0))
    return p;
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_OFFSET}, (const gj_lexpr *[]){p, index}, 2);
}

const gj_lexpr *gj_lx_splat(gj_lmodule *m, const gj_lexpr *a, unsigned lanes) {
  gj_lexpr draft = {.kind = GJ_LX_SPLAT, .type = {.lanes = (uint16_t)lanes}};
  return gj__lx_new(m, NULL, &draft, &a, 1);
}

const gj_lexpr *gj_lx_first(gj_lmodule *m, const gj_lexpr *count, unsigned lanes) {
  gj_lexpr draft = {.kind = GJ_LX_FIRST, .type = {.lanes = (uint16_t)lanes}};
  return gj__lx_new(m, NULL, &draft, &count, 1);
}

const gj_lexpr *gj_lx_reverse(gj_lmodule *m, const gj_lexpr *a) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_REVERSE}, &a, 1);
}

const gj_lexpr *gj_lx_any(gj_lmodule *m, const gj_lexpr *a) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_ANY}, &a, 1);
}

const gj_lexpr *gj_lx_trues(gj_lmodule *m, const gj_lexpr *a) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_TRUES}, &a, 1);
}

const gj_lexpr *gj_lx_compress(gj_lmodule *m, const gj_lexpr *a, const gj_lexpr *mask) {
  const gj_lexpr *const args[] = {a, mask};
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_COMPRESS}, args, 2);
}

const gj_lexpr *gj_lx_bits(gj_lmodule *m, const gj_lexpr *a) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_BITS}, &a, 1);
}

const gj_lexpr *gj_lx_mask(gj_lmodule *m, const gj_lexpr *bits, unsigned lanes) {
  gj_lexpr draft = {.kind = GJ_LX_MASK, .type = {.lanes = (uint16_t)lanes}};
  return gj__lx_new(m, NULL, &draft, &bits, 1);
}

const gj_lexpr *gj_lx_ahead(gj_lmodule *m, const gj_lexpr *pointer, unsigned bytes) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_AHEAD, .index = bytes}, &pointer, 1);
}

const gj_lexpr *gj_lx_call(gj_lmodule *m, const gj_lfunc *callee, const gj_lexpr *const *args,
                           size_t count) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_CALL, .index = callee->index}, args, count);
}

const gj_lexpr *gj_lx_parallel(gj_lmodule *m, const gj_lfunc *callee, const gj_lexpr *const *args,
                               size_t count, const gj_lexpr *lo, const gj_lexpr *hi,
                               const gj_lexpr *grain) {
  const gj_lexpr **all = gj_arena_array(&m->arena, count + 3, sizeof *all);
  if (!all) {
    gj__lfail(m, GJ_E_MEMORY, "parallel: out of memory");
    return &lost;
  }
  if (count)
    memcpy(all, args, count * sizeof *all);
  all[count] = lo;
  all[count + 1] = hi;
  all[count + 2] = grain;
  gj_lexpr draft = {.kind = GJ_LX_PARALLEL, .index = callee->index};
  return gj__lx_new(m, NULL, &draft, all, count + 3);
}

const gj_lexpr *gj_lx_scratch(gj_lmodule *m, const gj_lexpr *byte_offset, gj_dtype dtype) {
  gj_lexpr draft = {.kind = GJ_LX_SCRATCH, .type = gj_ltype_pointer(dtype)};
  return gj__lx_new(m, NULL, &draft, &byte_offset, 1);
}

const gj_lexpr *gj_lx_alloc(gj_lmodule *m, const gj_lexpr *count, gj_dtype dtype) {
  gj_lexpr draft = {.kind = GJ_LX_ALLOC, .type = gj_ltype_pointer(dtype)};
  return gj__lx_new(m, NULL, &draft, &count, 1);
}

const gj_lexpr *gj_lx_is_null(gj_lmodule *m, const gj_lexpr *pointer) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_IS_NULL}, &pointer, 1);
}

const gj_lexpr *gj_lx_address(gj_lmodule *m, const gj_lexpr *pointer) {
  return gj__lx_new(m, NULL, &(gj_lexpr){.kind = GJ_LX_ADDRESS}, &pointer, 1);
}

const gj_lexpr *gj_lx_pointer(gj_lmodule *m, const gj_lexpr *address, gj_dtype dtype) {
  gj_lexpr draft = {.kind = GJ_LX_POINTER, .type = gj_ltype_pointer(dtype)};
  return gj__lx_new(m, NULL, &draft, &address, 1);
}

// --- operators ---

const gj_lexpr *gj_lx_wrap(gj_lmodule *m, const gj_lexpr *a, gj_dtype to) {
  gj_lexpr draft = {.kind = GJ_LX_WRAP, .type = gj_ltype_scalar(to)};
  return gj__lx_new(m, NULL, &draft, &a, 1);
}

const gj_lexpr *gj_lx_overflows(gj_lmodule *m, gj_op op, const gj_lexpr *a, const gj_lexpr *b) {
  gj_lexpr draft = {.kind = GJ_LX_OVERFLOWS, .op = (uint16_t)op};
  return gj__lx_new(m, NULL, &draft, (const gj_lexpr *[]){a, b}, 2);
}

static bool is_const(const gj_lexpr *e) { return e->kind == GJ_LX_CONST; }

// x op c where e is exactly that, for scalars of i64.
static bool is_op_const(const gj_lexpr *e, gj_op op) {
  return e->kind == GJ_LX_OP && e->op == op && is_const(e->args[1]);
}

static int64_t wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

// The simpler equal of op(a, b) on i64 scalars, or NULL. Wrapping arithmetic is associative, so the
// constants of nested adds and muls may be joined whatever they are.
static const gj_lexpr *fold_binary(gj_lmodule *m, gj_op op, const gj_lexpr *a, const gj_lexpr *b) {
  if (!is_const(b))
    return is_const(a) && (op == GJ_OP_add || op == GJ_OP_mul) ? gj_lx_binary(m, op, b, a) : NULL;
  int64_t c = b->value.v.i;
  switch ((int)op) {
  case GJ_OP_sub:
    return gj_lx_binary(m, GJ_OP_add, a, gj_lx_i64(m, wrap_mul(c, -1)));
  case GJ_OP_add:
    if (c == 0)
      return a;
    if (is_op_const(a, GJ_OP_add))
      return gj_lx_binary(m, GJ_OP_add, a->args[0],
                          gj_lx_i64(m, wrap_add(a->args[1]->value.v.i, c)));
    return NULL;
  case GJ_OP_mul:
    if (c == 0 || c == 1)
      return c ? a : b;
    if (is_op_const(a, GJ_OP_mul))
      return gj_lx_binary(m, GJ_OP_mul, a->args[0],
                          gj_lx_i64(m, wrap_mul(a->args[1]->value.v.i, c)));
    return NULL;
  case GJ_OP_div:
    return c == 1 ? a : NULL;
  default:
    return NULL;
  }
}

// An op whose operands are i64 constants and whose result is i64 or bool has one exact value.
static const gj_lexpr *fold(gj_lmodule *m, gj_op op, const gj_lexpr *const *args, size_t count) {
  const gj_op_info *info = gj_op_get(op);
  if (!gj_op_is_elementwise(op) || (size_t)info->arity != count || count > 3)
    return NULL;
  if (op == GJ_OP_select && is_const(args[0]) && gj_ltype_equal(args[1]->type, args[2]->type))
    return args[0]->value.v.u ? args[1] : args[2];
  bool all_const = true;
  gj_scalar values[3];
  for (size_t i = 0; i < count; i++) {
    if (!gj__ltype_is(args[i]->type, GJ_DTYPE_i64))
      return NULL;
    all_const = all_const && is_const(args[i]);
    values[i] = args[i]->value;
  }
  if (!all_const)
    return count == 2 ? fold_binary(m, op, args[0], args[1]) : NULL;
  if (!(info->flags & GJ_OP_EXACT) || op == GJ_OP_convert || op == GJ_OP_bitcast)
    return NULL;
  // The type rules refuse what i64 has no meaning for, so ask them before evaluating.
  gj_lexpr node = {
      .kind = GJ_LX_OP, .op = (uint16_t)op, .args = args, .arg_count = (uint32_t)count};
  gj_ltype type;
  gj_error err;
  if (gj__lx_infer(m, NULL, &node, &type, &err))
    return NULL;
  return gj_lx_const(m, gj_scalar_eval(op, values, (gj_dtype)type.dtype));
}

const gj_lexpr *gj_lx_op(gj_lmodule *m, gj_op op, const gj_lexpr *const *args, size_t count,
                         gj_dtype to) {
  if (m->failed)
    return &lost;
  const gj_lexpr *folded = op < GJ_OP_COUNT ? fold(m, op, args, count) : NULL;
  if (folded)
    return folded;
  gj_lexpr draft = {.kind = GJ_LX_OP, .op = (uint16_t)op, .type = gj_ltype_scalar(to)};
  return gj__lx_new(m, NULL, &draft, args, count);
}

const gj_lexpr *gj_lx_unary(gj_lmodule *m, gj_op op, const gj_lexpr *a) {
  return gj_lx_op(m, op, &a, 1, GJ_DTYPE_none);
}

const gj_lexpr *gj_lx_binary(gj_lmodule *m, gj_op op, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_op(m, op, (const gj_lexpr *[]){a, b}, 2, GJ_DTYPE_none);
}

const gj_lexpr *gj_lx_select(gj_lmodule *m, const gj_lexpr *p, const gj_lexpr *a,
                             const gj_lexpr *b) {
  return gj_lx_op(m, GJ_OP_select, (const gj_lexpr *[]){p, a, b}, 3, GJ_DTYPE_none);
}

const gj_lexpr *gj_lx_convert(gj_lmodule *m, const gj_lexpr *a, gj_dtype to) {
  if (!a->type.pointer && a->type.dtype == to)
    return a;
  return gj_lx_op(m, GJ_OP_convert, &a, 1, to);
}
