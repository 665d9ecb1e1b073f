// The reference interpreter of Loop IR: walks the trees with gj_scalar values, one lane at a time.
//
// It is the oracle for generated code and for the transforms, so it is slow and obvious, and shares
// with them only the meaning of the scalar ops (ir/scalar.h). Memory is a list of regions (buffers,
// scratch, data, arrays of live frames); a pointer is a region and a byte offset, and each access
// is checked, so the wildest module that verifies cannot touch anything else. Fresh arrays hold a
// fixed pattern: code that reads what it did not write gives wrong answers rather than lucky ones.
//
// A value of n lanes is n cells. Locals live in the cells of their frame.

#include "ir/custom.h"
#include "loops/eval_memory.h"
#include "loops/rules.h"

#include "base/size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  DEEP = 1 << 18,     // bytes of C's stack from which on too_deep is true
  TOO_DEEP = 1 << 19, // and calls fail
  MAX_PARAMS = 32     // of an exported function
};

#define HEAP_LIMIT ((size_t)1 << 30)

typedef struct frame {
  const gj_lfunc *f;
  gj__lcell *cells;
  size_t *first;    // by local: its first cell
  uint32_t *arrays; // by local: region + 1 of an ARRAY that has been met
  gj__lcell result;
} frame;

typedef struct machine {
  const gj_lmodule *m;
  const gj_leval *args;
  gj__lmemory memory;
  uint64_t steps;
  uintptr_t stack; // where C's began
  bool inside;     // a parallel call
  int64_t slot;    // of the function that runs
  gj_error *err;
} machine;

// How a block ended; BREAK and CONTINUE have the number of the loop they mean in `level`.
typedef struct flow {
  enum { NEXT, BREAK, CONTINUE, RETURN } kind;
  int64_t level;
} flow;

static gj_status eval_expr(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out);
static gj_status run_block(machine *v, frame *fr, const gj_lblock *b, flow *out_flow);
static gj_status run_func(machine *v, const gj_lfunc *f, const gj__lcell *params, gj__lcell *out);

static gj_status no_memory(machine *v, const frame *fr) {
  return gj_fail(v->err, GJ_E_MEMORY, "%s: out of memory while evaluating", fr->f->name);
}

// --- expressions ---

static gj_status eval_op(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  enum { MAX_ARITY = 3 };
  uint32_t lanes = e->type.lanes;
  gj__lcell few[MAX_ARITY];
  gj__lcell *values = lanes == 1 ? few : malloc(MAX_ARITY * lanes * sizeof *values);
  if (!values)
    return no_memory(v, fr);
  gj_status status = GJ_OK;
  for (uint32_t i = 0; i < e->arg_count && !status; i++)
    status = eval_expr(v, fr, e->args[i], values + i * lanes);
  for (uint32_t lane = 0; lane < lanes && !status; lane++) {
    gj_scalar operands[MAX_ARITY] = {{0}};
    for (uint32_t i = 0; i < e->arg_count; i++)
      operands[i] = values[i * lanes + lane].scalar;
    if (!v->args->js_math || !gj_scalar_eval_js((gj_op)e->op, operands, &out[lane].scalar))
      out[lane].scalar = gj_scalar_eval((gj_op)e->op, operands, (gj_dtype)e->type.dtype);
  }
  if (values != few)
    free(values);
  return status;
}

// Names the access for its message: "k0: load of x".
static gj_status stray(machine *v, const frame *fr, const char *what, const gj_lexpr *p,
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
  GJ_TRY(eval_expr(v, fr, e->args[0], &pointer));
  gj__lcell mask[GJ_MAX_LANES];
  if (e->arg_count == 3)
    GJ_TRY(eval_expr(v, fr, e->args[2], mask));
  GJ_TRY(eval_expr(v, fr, e->args[1], out)); // one index, or one per lane
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
      return stray(v, fr, "load of", e->args[0], status);
  }
  return GJ_OK;
}

static gj_status eval_offset(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  gj__lcell index;
  GJ_TRY(eval_expr(v, fr, e->args[0], out));
  GJ_TRY(eval_expr(v, fr, e->args[1], &index));
  gj_status status = gj__lpointer_move(out, (gj_dtype)e->type.dtype, index.scalar.v.i, v->err);
  return status ? stray(v, fr, "offset of", e->args[0], status) : GJ_OK;
}

static gj_status eval_ahead(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  GJ_TRY(eval_expr(v, fr, e->args[0], out));
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
    return no_memory(v, fr);
  gj_status status = eval_expr(v, fr, e->args[0], values);
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
  GJ_TRY(eval_expr(v, fr, e->args[0], out));
  if (e->kind == GJ_LX_FIRST) {
    int64_t count = out[0].scalar.v.i;
    for (uint32_t lane = 0; lane < lanes; lane++)
      out[lane].scalar = (gj_scalar){.dtype = GJ_DTYPE_bool, .v = {.u = lane < count}};
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
    status = run_func(v, v->m->funcs[e->index], params, out);
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
    return no_memory(v, fr);
  gj_status status = GJ_OK;
  for (uint32_t i = 0; i < e->arg_count && !status; i++)
    status = eval_expr(v, fr, e->args[i], params + i);
  if (!status && e->kind == GJ_LX_PARALLEL && !v->inside)
    status = eval_pieces(v, e, params, out);
  else if (!status)
    status = run_func(v, v->m->funcs[e->index], params, out);
  free(params);
  return status;
}

// Frames are as deep as C's, whose depth is what has an end.
static size_t depth(const machine *v) {
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
  GJ_TRY(eval_expr(v, fr, e->args[0], out));
  if (e->kind == GJ_LX_OVERFLOWS)
    GJ_TRY(eval_expr(v, fr, e->args[1], other));
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
  GJ_TRY(eval_expr(v, fr, e->args[0], out));
  int64_t count = out->scalar.v.i;
  out->pointer = (gj__lpointer){GJ__NO_REGION, 0};
  if (count < 0 || !gj_mul_size((size_t)count, gj_dtype_bytes((gj_dtype)e->type.dtype), &size) ||
      v->memory.heap_bytes > limit || size > limit - v->memory.heap_bytes)
    return GJ_OK;
  return gj__lmemory_heap(&v->memory, size, &out->pointer.region, v->err);
}

static gj_status eval_pointer(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
  GJ_TRY(eval_expr(v, fr, e->args[0], out));
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
    GJ_TRY(eval_expr(v, fr, e->args[0], out));
    out->pointer = (gj__lpointer){(uint32_t)v->args->buffer_count, out->scalar.v.i};
    return GJ_OK;
  case GJ_LX_TOO_DEEP:
    out->scalar = (gj_scalar){.dtype = GJ_DTYPE_bool, .v = {.u = depth(v) > DEEP}};
    return GJ_OK;
  case GJ_LX_MARK:
    out->scalar = (gj_scalar){.dtype = GJ_DTYPE_i64, .v = {.i = (int64_t)v->memory.heap_count}};
    return GJ_OK;
  default: // nobody cancels a reference run
    out->scalar = (gj_scalar){.dtype = GJ_DTYPE_bool};
    return GJ_OK;
  }
}

static gj_status eval_expr(machine *v, frame *fr, const gj_lexpr *e, gj__lcell *out) {
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
    return eval_lanes(v, fr, e, out);
  case GJ_LX_AHEAD:
    return eval_ahead(v, fr, e, out);
  case GJ_LX_ANY:
    return eval_any(v, fr, e, out);
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

// --- statements ---

static gj_status step(machine *v, const frame *fr) {
  if (v->args->max_steps && v->steps >= v->args->max_steps)
    return gj_fail(v->err, GJ_E_UNSUPPORTED, "%s: stopped after %llu steps", fr->f->name,
                   (unsigned long long)v->steps);
  v->steps++;
  return GJ_OK;
}

static gj_status run_assign(machine *v, frame *fr, const gj_lstmt *s) {
  // The new value is made aside, as it may read the old one lane by lane.
  uint32_t lanes = s->a->type.lanes;
  gj__lcell one;
  gj__lcell *value = lanes == 1 ? &one : malloc(lanes * sizeof *value);
  if (!value)
    return no_memory(v, fr);
  gj_status status = eval_expr(v, fr, s->a, value);
  if (!status)
    memcpy(fr->cells + fr->first[s->local], value, lanes * sizeof *value);
  if (value != &one)
    free(value);
  return status;
}

static gj_status run_store(machine *v, frame *fr, const gj_lstmt *s) {
  uint32_t lanes = s->c->type.lanes;
  gj_dtype dtype = (gj_dtype)s->c->type.dtype;
  gj__lcell pointer, index, one, mask[GJ_MAX_LANES];
  GJ_TRY(eval_expr(v, fr, s->a, &pointer));
  GJ_TRY(eval_expr(v, fr, s->b, &index));
  if (s->d)
    GJ_TRY(eval_expr(v, fr, s->d, mask));
  gj__lcell *value = lanes == 1 ? &one : malloc(lanes * sizeof *value);
  if (!value)
    return no_memory(v, fr);
  gj_status status = eval_expr(v, fr, s->c, value);
  for (uint32_t lane = 0; lane < lanes && !status; lane++) {
    unsigned char *at;
    if (s->d && !mask[lane].scalar.v.u)
      continue;
    status = gj__lmemory_at(&v->memory, pointer, dtype, index.scalar.v.i, lane, true, &at, v->err);
    size_t aligned = s->marks & GJ_STORE_STREAM ? lanes * gj_dtype_bytes(dtype) : 1;
    if (!status && lane == 0 && (uintptr_t)at % aligned != 0)
      status = gj_fail(v->err, GJ_E_VERIFY, "%zu bytes do not divide its address", aligned);
    if (status)
      stray(v, fr, "store to", s->a, status);
    else
      gj_scalar_store(value[lane].scalar, at);
  }
  if (value != &one)
    free(value);
  return status;
}

static gj_status run_array(machine *v, frame *fr, const gj_lstmt *s) {
  gj_dtype dtype = (gj_dtype)fr->f->locals[s->local].type.dtype;
  uint32_t *region = &fr->arrays[s->local];
  if (*region)
    gj__lmemory_spoil(&v->memory, *region - 1);
  else
    GJ_TRY(gj__lmemory_array(&v->memory, (size_t)s->count * gj_dtype_bytes(dtype), region, v->err));
  fr->cells[fr->first[s->local]].pointer = (gj__lpointer){*region - 1, 0};
  return GJ_OK;
}

static gj_status run_tile(machine *v, frame *fr, const gj_lstmt *s) {
  gj__lcell to, from, index, stride;
  GJ_TRY(eval_expr(v, fr, s->a, &to));
  GJ_TRY(eval_expr(v, fr, s->b, &from));
  GJ_TRY(eval_expr(v, fr, s->c, &index));
  GJ_TRY(eval_expr(v, fr, s->d, &stride));
  gj_status status =
      gj__lmemory_tile(&v->memory, &to, &from, (gj_dtype)s->b->type.dtype, index.scalar.v.i,
                       stride.scalar.v.i, (uint32_t)s->count, v->err);
  return status ? stray(v, fr, "tile of", s->b, status) : GJ_OK;
}

// Whether a round that ended so was the last of its loop, and how the loop ends for what is around.
static bool leaves_loop(flow inner, flow *out_flow) {
  if (inner.kind == RETURN)
    *out_flow = inner;
  else if (inner.kind != NEXT && inner.level > 1)
    *out_flow = (flow){inner.kind, inner.level - 1};
  return inner.kind == BREAK || out_flow->kind != NEXT;
}

static gj_status run_for(machine *v, frame *fr, const gj_lstmt *s, flow *out_flow) {
  gj__lcell lo, hi;
  GJ_TRY(eval_expr(v, fr, s->a, &lo));
  GJ_TRY(eval_expr(v, fr, s->b, &hi));
  int64_t i = lo.scalar.v.i, end = hi.scalar.v.i;
  while (i < end) {
    GJ_TRY(step(v, fr));
    fr->cells[fr->first[s->local]].scalar = (gj_scalar){.dtype = GJ_DTYPE_i64, .v = {.i = i}};
    flow inner = {NEXT, 0};
    GJ_TRY(run_block(v, fr, &s->body, &inner));
    if (leaves_loop(inner, out_flow))
      return GJ_OK;
    if (__builtin_add_overflow(i, s->count, &i))
      return GJ_OK; // past the last i64 means past the end
  }
  return GJ_OK;
}

static gj_status run_while(machine *v, frame *fr, const gj_lstmt *s, flow *out_flow) {
  for (;;) {
    gj__lcell condition;
    GJ_TRY(step(v, fr));
    GJ_TRY(eval_expr(v, fr, s->a, &condition));
    if (!condition.scalar.v.u)
      return GJ_OK;
    flow inner = {NEXT, 0};
    GJ_TRY(run_block(v, fr, &s->body, &inner));
    if (leaves_loop(inner, out_flow))
      return GJ_OK;
  }
}

static gj_status run_if(machine *v, frame *fr, const gj_lstmt *s, flow *out_flow) {
  gj__lcell condition;
  GJ_TRY(eval_expr(v, fr, s->a, &condition));
  return run_block(v, fr, condition.scalar.v.u ? &s->body : &s->orelse, out_flow);
}

static gj_status run_dim(machine *v, frame *fr, const gj_lstmt *s) {
  gj__lcell value;
  GJ_TRY(eval_expr(v, fr, s->a, &value));
  if ((uint64_t)s->count >= v->args->dim_count)
    return gj_fail(v->err, GJ_E_VERIFY, "%s: dim<%lld>: there are %zu dims", fr->f->name,
                   (long long)s->count, v->args->dim_count);
  v->args->dims[s->count] = value.scalar.v.i;
  return GJ_OK;
}

// Statements that must be true to what they say.
static gj_status run_promise(machine *v, frame *fr, const gj_lstmt *s) {
  gj__lcell value;
  GJ_TRY(eval_expr(v, fr, s->a, &value));
  if (s->kind == GJ_LS_ASSUME)
    return value.scalar.v.u
               ? GJ_OK
               : gj_fail(v->err, GJ_E_VERIFY, "%s: what it assumes is not so", fr->f->name);
  int64_t mark = value.scalar.v.i;
  if (mark < 0 || (uint64_t)mark > v->memory.heap_count)
    return gj_fail(v->err, GJ_E_VERIFY, "%s: release of what is no mark", fr->f->name);
  gj__lmemory_release(&v->memory, (size_t)mark);
  return GJ_OK;
}

static gj_status run_stmt(machine *v, frame *fr, const gj_lstmt *s, flow *out_flow) {
  gj__lcell ignored;
  switch (s->kind) {
  case GJ_LS_LET:
  case GJ_LS_SET:
    return run_assign(v, fr, s);
  case GJ_LS_STORE:
    return run_store(v, fr, s);
  case GJ_LS_ARRAY:
    return run_array(v, fr, s);
  case GJ_LS_FOR:
    return run_for(v, fr, s, out_flow);
  case GJ_LS_WHILE:
    return run_while(v, fr, s, out_flow);
  case GJ_LS_IF:
    return run_if(v, fr, s, out_flow);
  case GJ_LS_BREAK:
    *out_flow = (flow){BREAK, s->count};
    return GJ_OK;
  case GJ_LS_CONTINUE:
    *out_flow = (flow){CONTINUE, s->count};
    return GJ_OK;
  case GJ_LS_RETURN:
    *out_flow = (flow){RETURN, 0};
    return s->a ? eval_expr(v, fr, s->a, &fr->result) : GJ_OK;
  case GJ_LS_TILE:
    return run_tile(v, fr, s);
  case GJ_LS_DIM:
    return run_dim(v, fr, s);
  case GJ_LS_RELEASE:
  case GJ_LS_ASSUME:
    return run_promise(v, fr, s);
  case GJ_LS_FENCE:
  case GJ_LS_FETCH:
    return GJ_OK;
  default:
    return eval_expr(v, fr, s->a, &ignored);
  }
}

static gj_status run_block(machine *v, frame *fr, const gj_lblock *b, flow *out_flow) {
  for (uint32_t i = 0; i < b->count && out_flow->kind == NEXT; i++) {
    GJ_TRY(step(v, fr));
    GJ_TRY(run_stmt(v, fr, b->stmts[i], out_flow));
  }
  return GJ_OK;
}

// --- functions ---

static bool frame_init(frame *fr, const gj_lfunc *f, const gj__lcell *params) {
  size_t count = (size_t)f->local_count + 1, cells = 0;
  *fr = (frame){.f = f};
  fr->first = calloc(count, sizeof *fr->first);
  fr->arrays = calloc(count, sizeof *fr->arrays);
  for (uint32_t i = 0; fr->first && i < f->local_count; i++) {
    fr->first[i] = cells;
    cells += f->locals[i].type.lanes;
  }
  fr->cells = calloc(cells + 1, sizeof *fr->cells);
  if (!fr->first || !fr->arrays || !fr->cells)
    return false;
  if (f->param_count)
    memcpy(fr->cells, params, f->param_count * sizeof *params);
  return true;
}

static void frame_fini(frame *fr) {
  free(fr->cells);
  free(fr->first);
  free(fr->arrays);
}

// Its memory is its own business: only the addresses are checked.
static gj_status call_external(machine *v, const gj_lfunc *f, const gj__lcell *params,
                               gj__lcell *out) {
  gj_custom_fn *function = gj_custom_find(f->external);
  if (!function)
    return gj_fail(v->err, GJ_E_UNSUPPORTED, "%s: no function is registered as \"%s\"", f->name,
                   f->external);
  void **buffers = calloc((size_t)f->param_count + 1, sizeof *buffers);
  int64_t *sizes = calloc((size_t)f->param_count + 1, sizeof *sizes);
  gj_status status = GJ_OK;
  if (!buffers || !sizes)
    status = gj_fail(v->err, GJ_E_MEMORY, "%s: out of memory", f->name);
  for (uint32_t i = 0, pointers = 0; i < f->param_count && !status; i++) {
    if (!f->locals[i].type.pointer) {
      sizes[i - pointers] = params[i].scalar.v.i;
      continue;
    }
    gj__lpointer p = params[i].pointer;
    const gj__lregion *region = gj__lmemory_region(&v->memory, p.region);
    if (!region || p.offset < 0 || (uint64_t)p.offset > region->size)
      status = gj_fail(v->err, GJ_E_VERIFY, "%s: argument %u is no address of %s", f->name, i,
                       region ? region->kind : "anything");
    else
      buffers[pointers++] = region->bytes + p.offset;
  }
  if (!status)
    out->scalar = (gj_scalar){.dtype = GJ_DTYPE_i32, .v.i = function(buffers, sizes)};
  free(buffers);
  free(sizes);
  return status;
}

static gj_status run_func(machine *v, const gj_lfunc *f, const gj__lcell *params, gj__lcell *out) {
  if (f->external)
    return call_external(v, f, params, out);
  if (depth(v) > TOO_DEEP)
    return gj_fail(v->err, GJ_E_UNSUPPORTED, "%s: calls nest too deep", f->name);
  size_t mark = v->memory.count;
  frame fr;
  gj_status status;
  if (frame_init(&fr, f, params)) {
    flow end = {NEXT, 0};
    status = run_block(v, &fr, &f->body, &end);
    *out = fr.result;
  } else {
    status = no_memory(v, &fr);
  }
  frame_fini(&fr);
  gj__lmemory_drop(&v->memory, mark);
  return status;
}

static gj_status lay_out(machine *v) {
  const gj_leval *args = v->args;
  for (size_t i = 0; i < args->buffer_count; i++)
    GJ_TRY(gj__lmemory_add(&v->memory, "buffer", args->buffers[i], args->buffer_sizes[i], true,
                           v->err));
  GJ_TRY(gj__lmemory_add(&v->memory, "scratch", args->scratch, args->scratch_size, true, v->err));
  for (uint32_t i = 0; i < v->m->data_count; i++) {
    const gj_ldata *data = &v->m->data[i];
    GJ_TRY(gj__lmemory_add(&v->memory, "data", (void *)(uintptr_t)data->bytes,
                           data->count * gj_dtype_bytes(data->dtype), false, v->err));
  }
  return GJ_OK;
}

// The params of an exported function: pointers are the buffers, in order.
static gj_status fill_params(const gj_lfunc *f, const gj_leval *args, gj__lcell *params,
                             gj_error *err) {
  uint32_t pointers = 0, scalars = 0;
  for (uint32_t i = 0; i < f->param_count && i < MAX_PARAMS; i++) {
    gj_ltype type = f->locals[i].type;
    if (type.pointer) {
      params[i].pointer = (gj__lpointer){pointers++, 0};
      continue;
    }
    if (scalars < args->scalar_count && args->scalars[scalars].dtype != type.dtype)
      return gj_fail(err, GJ_E_VERIFY, "%s: scalar %u is of another dtype than %s", f->name,
                     (unsigned)scalars, f->locals[i].name);
    params[i].scalar = scalars < args->scalar_count ? args->scalars[scalars] : (gj_scalar){0};
    scalars++;
  }
  if (f->param_count > MAX_PARAMS || pointers != args->buffer_count ||
      scalars != args->scalar_count)
    return gj_fail(err, GJ_E_VERIFY, "%s takes %u pointers and %u scalars, got %zu and %zu",
                   f->name, (unsigned)pointers, (unsigned)scalars, args->buffer_count,
                   args->scalar_count);
  return GJ_OK;
}

// The function to run, and its params.
static gj_status find_function(const gj_lmodule *m, const gj_leval *args, const gj_lfunc **out_f,
                               gj__lcell *params, gj_error *err) {
  const char *wanted = args->function;
  *out_f = NULL;
  for (uint32_t i = 0; i < m->func_count; i++) {
    const gj_lfunc *f = m->funcs[i];
    if (wanted ? f->exported && strcmp(f->name, wanted) == 0 : f->entry)
      *out_f = f;
  }
  if (!*out_f)
    return gj_fail(err, GJ_E_VERIFY, "module %s has no %s function%s%s", m->name,
                   wanted ? "exported" : "entry", wanted ? " " : "", wanted ? wanted : "");
  if (!wanted)
    return GJ_OK;
  return fill_params(*out_f, args, params, err);
}

gj_status gj_lmodule_eval(const gj_lmodule *m, const gj_leval *args, int32_t *out_status,
                          gj_error *err) {
  gj_error unseen;
  GJ_TRY(gj_lmodule_verify(m, err));
  const gj_lfunc *f = NULL;
  gj__lcell params[MAX_PARAMS];
  GJ_TRY(find_function(m, args, &f, params, err));
  machine v = {.m = m,
               .args = args,
               .stack = (uintptr_t)__builtin_frame_address(0),
               .err = err ? err : &unseen};
  gj__lcell result = {.scalar = {0}};
  gj_status status = lay_out(&v);
  if (!status)
    status = run_func(&v, f, params, &result);
  gj__lmemory_fini(&v.memory);
  *out_status = (int32_t)result.scalar.v.i;
  if (args->result)
    *args->result = result.scalar;
  return status;
}
