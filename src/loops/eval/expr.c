// The reference interpreter's expressions; see eval.c.
#include "loops/eval/eval.h"
#include "loops/rules.h"

#include "base/size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 1 << 18 }; // bytes of C's stack from which on too_deep is true

#define HEAP_LIMIT ((size_t)1 << 30)

typedef gj__lframe frame;
typedef gj__lmachine machine;

gj_status gj__leval_no_memory(machine *v, const frame *fr) {
  return gj_fail(v->err, GJ_E_MEMORY, "%s: out of memory while evaluating", fr->f->name);
}

static gj_status eval_op(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  enum { MAX_ARITY = 3 };
  uint32_t lanes = e->type.lanes;
  gj__lcell few[MAX_ARITY];
  gj__lcell *values = lanes == 1 ? few : malloc(MAX_ARITY * lanes * sizeof *values);
  if (!values)
    return gj__leval_no_memory(v, fr);
  gj_status status = GJ_OK;
  for (uint32_t i = 0; i < e->arg_count && !status; i++)
    status = gj__leval_expr(v, fr, e->args[i], values + i * lanes);
  for (uint32_t lane = 0; lane < lanes && !status; lane++) {
    gj_scalar operands[MAX_ARITY] = {{0}};
    for (uint32_t i = 0; i < e->arg_count; i++)
      operands[i] = values[i * lanes + lane].scalar;
    bool js = v->args->js_math || e->index == GJ_LX_JS;
    if (!js || !gj_scalar_eval_js((gj_op)e->op, operands, &out[lane].scalar))
      out[lane].scalar = gj_scalar_eval((gj_op)e->op, operands, (gj_dtype)e->type.dtype);
  }
  if (values != few)
    free(values);
  return status;
}

gj_status gj__leval_stray(machine *v, const frame *fr, const char *what, const gj_lexpr *p,
                          gj_status status) {
  while (p->kind == GJ_LX_OFFSET)
    p = p->args[0];
  const char *name = p->kind == GJ_LX_LOCAL ? fr->f->locals[p->index].name : gj__lx_name(p);
  return gj_fail(v->err, status, "%s: %s %s: %s", fr->f->name, what, name, v->err->message);
}

// Element r.at of the record that lies `ahead` behind `index`; all that may be touched of it is
// checked.
static gj_status load_record(machine *v, gj__lcell pointer, gj_dtype dtype, int64_t index,
                             uint32_t ahead, gj_lrecord r, gj_scalar *out) {
  for (uint32_t k = 0; k < r.used; k++) {
    unsigned char *element;
    GJ_TRY(gj__lmemory_at(&v->memory, pointer, dtype, index, ahead + k, false, &element, v->err));
    if (k == r.at)
      *out = gj_scalar_load(dtype, element);
  }
  return GJ_OK;
}

static gj_status eval_load(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  gj__lcell pointer;
  gj_dtype dtype = (gj_dtype)e->type.dtype;
  GJ_TRY(gj__leval_expr(v, fr, e->args[0], &pointer));
  gj__lcell mask[GJ_MAX_LANES];
  if (e->arg_count == 3)
    GJ_TRY(gj__leval_expr(v, fr, e->args[2], mask));
  GJ_TRY(gj__leval_expr(v, fr, e->args[1], out)); // one index, or one per lane
  bool gather = e->args[1]->type.lanes != 1;
  int64_t base = out[0].scalar.v.i;
  gj_lrecord r = e->index ? gj_lrecord_of(e) : (gj_lrecord){.stride = 1, .used = 1};
  for (uint32_t lane = 0; lane < e->type.lanes; lane++) {
    if (e->arg_count == 3 && !mask[lane].scalar.v.u) {
      gj_scalar_from_double(dtype, 1, &out[lane].scalar);
      continue;
    }
    int64_t index = gather ? out[lane].scalar.v.i : base;
    gj_status status =
        load_record(v, pointer, dtype, index, gather ? 0 : lane * r.stride, r, &out[lane].scalar);
    if (status)
      return gj__leval_stray(v, fr, "load of", e->args[0], status);
  }
  return GJ_OK;
}

static gj_status eval_offset(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  gj__lcell index;
  GJ_TRY(gj__leval_expr(v, fr, e->args[0], out));
  GJ_TRY(gj__leval_expr(v, fr, e->args[1], &index));
  gj_status status = gj__lpointer_move(out, (gj_dtype)e->type.dtype, index.scalar.v.i, v->err);
  return status ? gj__leval_stray(v, fr, "offset of", e->args[0], status) : GJ_OK;
}

static gj_status eval_ahead(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  GJ_TRY(gj__leval_expr(v, fr, e->args[0], out));
  uintptr_t address = (uintptr_t)gj__lmemory_address(&v->memory, out->pointer);
  size_t element = gj_dtype_bytes((gj_dtype)e->args[0]->type.dtype);
  int64_t ahead = (int64_t)((-address & (e->index - 1)) / element);
  out->scalar = (gj_scalar){.dtype = GJ_DTYPE_i64, .v = {.i = ahead}};
  return GJ_OK;
}

static gj_status eval_any(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  uint32_t lanes = e->args[0]->type.lanes;
  gj__lcell *values = malloc(lanes * sizeof *values);
  if (!values)
    return gj__leval_no_memory(v, fr);
  gj_status status = gj__leval_expr(v, fr, e->args[0], values);
  uint64_t any = 0;
  for (uint32_t lane = 0; lane < lanes && !status; lane++)
    any |= values[lane].scalar.v.u;
  out->scalar = (gj_scalar){.dtype = GJ_DTYPE_bool, .v = {.u = any}};
  free(values);
  return status;
}

static gj_status eval_lanes(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  uint32_t lanes = e->type.lanes;
  if (e->kind == GJ_LX_LANES) {
    for (uint32_t lane = 0; lane < lanes; lane++)
      out[lane].scalar = (gj_scalar){.dtype = GJ_DTYPE_i64, .v = {.i = lane}};
    return GJ_OK;
  }
  GJ_TRY(gj__leval_expr(v, fr, e->args[0], out));
  if (e->kind == GJ_LX_FIRST) {
    int64_t count = out[0].scalar.v.i;
    for (uint32_t lane = 0; lane < lanes; lane++)
      out[lane].scalar = (gj_scalar){.dtype = GJ_DTYPE_bool, .v = {.u = lane < count}};
    return GJ_OK;
  }
  if (e->kind == GJ_LX_MASK) {
    uint64_t bits = out[0].scalar.v.u;
    for (uint32_t lane = 0; lane < lanes; lane++)
      out[lane].scalar = (gj_scalar){.dtype = GJ_DTYPE_bool, .v = {.u = bits >> lane & 1}};
    return GJ_OK;
  }
  for (uint32_t lane = 1; e->kind == GJ_LX_SPLAT && lane < lanes; lane++)
    out[lane] = out[0];
  for (uint32_t lane = 0; e->kind == GJ_LX_REVERSE && lane < lanes / 2; lane++) {
    gj__lcell swapped = out[lane];
    out[lane] = out[lanes - 1 - lane];
    out[lanes - 1 - lane] = swapped;
  }
  return GJ_OK;
}

static gj_status eval_compress(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  uint32_t count = 0, lanes = e->type.lanes;
  gj__lcell mask[GJ_MAX_LANES];
  GJ_TRY(gj__leval_expr(v, fr, e->args[0], out));
  GJ_TRY(gj__leval_expr(v, fr, e->args[1], mask));
  for (uint32_t lane = 0; lane < lanes; lane++)
    if (mask[lane].scalar.v.u)
      out[count++] = out[lane];
  return GJ_OK;
}

static gj_status eval_trues(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  gj__lcell mask[GJ_MAX_LANES];
  int64_t count = 0;
  GJ_TRY(gj__leval_expr(v, fr, e->args[0], mask));
  for (uint32_t lane = 0; lane < e->args[0]->type.lanes; lane++)
    count += mask[lane].scalar.v.u != 0;
  out->scalar = (gj_scalar){.dtype = GJ_DTYPE_i64, .v = {.i = count}};
  return GJ_OK;
}

static gj_status eval_bits(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  gj__lcell mask[GJ_MAX_LANES];
  uint64_t bits = 0;
  GJ_TRY(gj__leval_expr(v, fr, e->args[0], mask));
  for (uint32_t lane = 0; lane < e->args[0]->type.lanes; lane++)
    bits |= (uint64_t)(mask[lane].scalar.v.u != 0) << lane;
  out->scalar = (gj_scalar){.dtype = GJ_DTYPE_u64, .v = {.u = bits}};
  return GJ_OK;
}

// The range in three uneven pieces, the middle one first, each with a slot of its own as far as
// there are enough: whatever depends on the cut or on the order shows.
static gj_status eval_pieces(machine *v, const gj_lexpr *e, gj__lcell *params, gj__lcell *out) {
  gj__lcell *range = params + v->m->funcs[e->index]->param_count - 2;
  int64_t lo = range[0].scalar.v.i, hi = range[1].scalar.v.i, span, outer = v->slot;
  out->scalar = (gj_scalar){.dtype = GJ_DTYPE_i32};
  if (lo >= hi)
    return GJ_OK;
  if (!gj_sub_i64(hi, lo, &span))
    return gj_fail(v->err, GJ_E_OVERFLOW, "parallel: the range is too large");
  const int64_t cuts[4] = {lo, lo + span / 5, hi - span / 3, hi};
  static const int order[3] = {1, 2, 0};
  gj_status status = GJ_OK;
  v->inside = true;
  for (int i = 0; i < 3 && !status && out->scalar.v.i == 0; i++) {
    range[0].scalar.v.i = cuts[order[i]];
    range[1].scalar.v.i = cuts[order[i] + 1];
    if (range[0].scalar.v.i == range[1].scalar.v.i)
      continue;
    v->slot = v->args->slots ? i % v->args->slots : 0;
    size_t heap = v->memory.heap_count;
    status = gj__leval_func(v, v->m->funcs[e->index], params, out);
    gj__lmemory_release(&v->memory, heap);
  }
  v->slot = outer;
  v->inside = false;
  return status;
}

static gj_status eval_call(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  // The grain of a parallel call lies behind its params and is not looked at.
  gj__lcell *params = malloc(((size_t)e->arg_count + 1) * sizeof *params);
  if (!params)
    return gj__leval_no_memory(v, fr);
  gj_status status = GJ_OK;
  for (uint32_t i = 0; i < e->arg_count && !status; i++)
    status = gj__leval_expr(v, fr, e->args[i], params + i);
  if (!status && e->kind == GJ_LX_PARALLEL && !v->inside)
    status = eval_pieces(v, e, params, out);
  else if (!status)
    status = gj__leval_func(v, v->m->funcs[e->index], params, out);
  free(params);
  return status;
}

size_t gj__leval_depth(const machine *v) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  return here < v->stack ? v->stack - here : here - v->stack;
}

// ECMAScript's ToInt32 and its like: the whole part modulo 2^64, and of that the low bits.
static gj_scalar wrap(double x, gj_dtype to) {
  const double all = 18446744073709551616.0;
  double rest = isfinite(x) ? fmod(trunc(x), all) : 0;
  uint64_t bits = rest < 0 ? 0 - (uint64_t)-rest : (uint64_t)rest;
  gj_scalar result = {.dtype = to, .v = {.u = bits}};
  if (to == GJ_DTYPE_i32)
    result.v.i = (int32_t)(uint32_t)bits;
  if (to == GJ_DTYPE_u32)
    result.v.u = (uint32_t)bits;
  return result;
}

static bool overflows_signed(gj_op op, int64_t a, int64_t b, bool narrow) {
  int64_t result;
  bool over = op == GJ_OP_add   ? __builtin_add_overflow(a, b, &result)
              : op == GJ_OP_sub ? __builtin_sub_overflow(a, b, &result)
                                : __builtin_mul_overflow(a, b, &result);
  return over || (narrow && result != (int32_t)result);
}

static bool overflows_unsigned(gj_op op, uint64_t a, uint64_t b, bool narrow) {
  uint64_t result;
  bool over = op == GJ_OP_add   ? __builtin_add_overflow(a, b, &result)
              : op == GJ_OP_sub ? __builtin_sub_overflow(a, b, &result)
                                : __builtin_mul_overflow(a, b, &result);
  return over || (narrow && result > UINT32_MAX);
}

// Whether op(a, b) leaves the dtype of its operands.
static bool overflows(gj_op op, gj_scalar a, gj_scalar b) {
  bool narrow = a.dtype == GJ_DTYPE_i32 || a.dtype == GJ_DTYPE_u32;
  if (a.dtype == GJ_DTYPE_i32 || a.dtype == GJ_DTYPE_i64)
    return overflows_signed(op, a.v.i, b.v.i, narrow);
  return overflows_unsigned(op, a.v.u, b.v.u, narrow);
}

static gj_status eval_numbers(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  gj__lcell other[GJ_MAX_LANES];
  GJ_TRY(gj__leval_expr(v, fr, e->args[0], out));
  if (e->kind == GJ_LX_OVERFLOWS)
    GJ_TRY(gj__leval_expr(v, fr, e->args[1], other));
  for (uint32_t lane = 0; lane < e->type.lanes; lane++) {
    gj_scalar a = out[lane].scalar;
    if (e->kind == GJ_LX_WRAP)
      out[lane].scalar = wrap(a.v.f, (gj_dtype)e->type.dtype);
    else
      out[lane].scalar =
          (gj_scalar){GJ_DTYPE_bool, {.u = overflows((gj_op)e->op, a, other[lane].scalar)}};
  }
  return GJ_OK;
}

// Zeroed memory that stays until it is released or the run ends.
static gj_status eval_alloc(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  size_t limit = v->args->heap_limit ? v->args->heap_limit : HEAP_LIMIT, size;
  GJ_TRY(gj__leval_expr(v, fr, e->args[0], out));
  int64_t count = out->scalar.v.i;
  out->pointer = (gj__lpointer){GJ__NO_REGION, 0};
  if (count < 0 || !gj_mul_size((size_t)count, gj_dtype_bytes((gj_dtype)e->type.dtype), &size) ||
      v->memory.heap_bytes > limit || size > limit - v->memory.heap_bytes)
    return GJ_OK;
  return gj__lmemory_heap(&v->memory, size, &out->pointer.region, v->err);
}

static gj_status eval_pointer(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  GJ_TRY(gj__leval_expr(v, fr, e->args[0], out));
  gj_scalar result = {.dtype = GJ_DTYPE_bool, .v = {.u = out->pointer.region == GJ__NO_REGION}};
  if (e->kind == GJ_LX_POINTER)
    return gj__lmemory_pointer(&v->memory, out->scalar.v.i, &out->pointer, v->err);
  if (e->kind == GJ_LX_ADDRESS)
    result = (gj_scalar){.dtype = GJ_DTYPE_i64,
                         .v = {.i = gj__lmemory_address(&v->memory, out->pointer)}};
  out->scalar = result;
  return GJ_OK;
}

static gj_status eval_environment(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  switch (e->kind) {
  case GJ_LX_BUFFER:
    if (e->index >= v->args->buffer_count)
      return gj_fail(v->err, GJ_E_VERIFY, "%s: buffer<%u>: there are %zu buffers", fr->f->name,
                     (unsigned)e->index, v->args->buffer_count);
    out->pointer = (gj__lpointer){e->index, 0};
    return GJ_OK;
  case GJ_LX_DIM:
    if (e->index >= v->args->dim_count)
      return gj_fail(v->err, GJ_E_VERIFY, "%s: dim<%u>: there are %zu dims", fr->f->name,
                     (unsigned)e->index, v->args->dim_count);
    out->scalar = (gj_scalar){.dtype = GJ_DTYPE_i64, .v = {.i = v->args->dims[e->index]}};
    return GJ_OK;
  case GJ_LX_DATA:
    out->pointer = (gj__lpointer){(uint32_t)v->args->buffer_count + 1 + e->index, 0};
    return GJ_OK;
  case GJ_LX_SLOT:
    out->scalar = (gj_scalar){.dtype = GJ_DTYPE_i64, .v = {.i = v->slot}};
    return GJ_OK;
  case GJ_LX_SCRATCH:
    GJ_TRY(gj__leval_expr(v, fr, e->args[0], out));
    out->pointer = (gj__lpointer){(uint32_t)v->args->buffer_count, out->scalar.v.i};
    return GJ_OK;
  case GJ_LX_TOO_DEEP:
    out->scalar = (gj_scalar){.dtype = GJ_DTYPE_bool, .v = {.u = gj__leval_depth(v) > DEEP}};
    return GJ_OK;
  case GJ_LX_MARK:
    out->scalar = (gj_scalar){.dtype = GJ_DTYPE_i64, .v = {.i = (int64_t)v->memory.heap_count}};
    return GJ_OK;
  default: // nobody cancels a reference run
    out->scalar = (gj_scalar){.dtype = GJ_DTYPE_bool};
    return GJ_OK;
  }
}

gj_status gj__leval_expr(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  switch (e->kind) {
  case GJ_LX_CONST:
    out->scalar = e->value;
    return GJ_OK;
  case GJ_LX_LOCAL:
    memcpy(out, fr->cells + fr->first[e->index], e->type.lanes * sizeof *out);
    return GJ_OK;
  case GJ_LX_OP:
    return eval_op(v, fr, e, out);
  case GJ_LX_LOAD:
    return eval_load(v, fr, e, out);
  case GJ_LX_OFFSET:
    return eval_offset(v, fr, e, out);
  case GJ_LX_SPLAT:
  case GJ_LX_LANES:
  case GJ_LX_FIRST:
  case GJ_LX_REVERSE:
  case GJ_LX_MASK:
    return eval_lanes(v, fr, e, out);
  case GJ_LX_AHEAD:
    return eval_ahead(v, fr, e, out);
  case GJ_LX_ANY:
    return eval_any(v, fr, e, out);
  case GJ_LX_TRUES:
    return eval_trues(v, fr, e, out);
  case GJ_LX_BITS:
    return eval_bits(v, fr, e, out);
  case GJ_LX_COMPRESS:
    return eval_compress(v, fr, e, out);
  case GJ_LX_CALL:
  case GJ_LX_PARALLEL:
    return eval_call(v, fr, e, out);
  case GJ_LX_WRAP:
  case GJ_LX_OVERFLOWS:
    return eval_numbers(v, fr, e, out);
  case GJ_LX_ALLOC:
    return eval_alloc(v, fr, e, out);
  case GJ_LX_IS_NULL:
  case GJ_LX_ADDRESS:
  case GJ_LX_POINTER:
    return eval_pointer(v, fr, e, out);
  default:
    return eval_environment(v, fr, e, out);
  }
}
