// The reference interpreter of Loop IR: walks the trees with gj_scalar values, one lane at a time.
//
// It is the oracle for generated code and for the transforms, so it is slow and obvious, and shares
// with them only the meaning of the scalar ops (ops/scalar.h). Memory is a list of regions
// (buffers, scratch, data, arrays of live frames); a pointer is a region and a byte offset, and
// each access is checked, so the wildest module that verifies cannot touch anything else. Fresh
// arrays hold a fixed pattern: code that reads what it did not write gives wrong answers rather
// than lucky ones.
//
// A value of n lanes is n cells. Locals live in the cells of their frame.
// Expressions are in expr.c.
#include "loops/eval/eval.h"

#include "library/table.h"
#include "ops/custom.h"

#include <stdlib.h>
#include <string.h>

enum {
  TOO_DEEP = 1 << 19, // bytes of C's stack from which on calls fail
  MAX_PARAMS = 32     // of an exported function
};

typedef gj__lframe frame;
typedef gj__lmachine machine;

// How a block ended; BREAK and CONTINUE have the number of the loop they mean in `level`.
typedef struct flow {
  enum { NEXT, BREAK, CONTINUE, RETURN } kind;
  int64_t level;
} flow;

static gj_status run_block(machine *v, frame *fr, const gj_lblock *b, flow *out_flow);

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
    return gj__leval_no_memory(v, fr);
  gj_status status = gj__leval_expr(v, fr, s->a, value);
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
  GJ_TRY(gj__leval_expr(v, fr, s->a, &pointer));
  GJ_TRY(gj__leval_expr(v, fr, s->b, &index));
  if (s->d)
    GJ_TRY(gj__leval_expr(v, fr, s->d, mask));
  gj__lcell *value = lanes == 1 ? &one : malloc(lanes * sizeof *value);
  if (!value)
    return gj__leval_no_memory(v, fr);
  gj_status status = gj__leval_expr(v, fr, s->c, value);
  for (uint32_t lane = 0; lane < lanes && !status; lane++) {
    unsigned char *at;
    if (s->d && !mask[lane].scalar.v.u)
      continue;
    status = gj__lmemory_at(&v->memory, pointer, dtype, index.scalar.v.i, lane, true, &at, v->err);
    size_t aligned = s->marks & GJ_STORE_STREAM ? lanes * gj_dtype_bytes(dtype) : 1;
    if (!status && lane == 0 && (uintptr_t)at % aligned != 0)
      status = gj_fail(v->err, GJ_E_VERIFY, "%zu bytes do not divide its address", aligned);
    if (status)
      gj__leval_stray(v, fr, "store to", s->a, status);
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
  GJ_TRY(gj__leval_expr(v, fr, s->a, &to));
  GJ_TRY(gj__leval_expr(v, fr, s->b, &from));
  GJ_TRY(gj__leval_expr(v, fr, s->c, &index));
  GJ_TRY(gj__leval_expr(v, fr, s->d, &stride));
  gj_status status =
      gj__lmemory_tile(&v->memory, &to, &from, (gj_dtype)s->b->type.dtype, index.scalar.v.i,
                       stride.scalar.v.i, (uint32_t)s->count, v->err);
  return status ? gj__leval_stray(v, fr, "tile of", s->b, status) : GJ_OK;
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
  GJ_TRY(gj__leval_expr(v, fr, s->a, &lo));
  GJ_TRY(gj__leval_expr(v, fr, s->b, &hi));
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
    GJ_TRY(gj__leval_expr(v, fr, s->a, &condition));
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
  GJ_TRY(gj__leval_expr(v, fr, s->a, &condition));
  return run_block(v, fr, condition.scalar.v.u ? &s->body : &s->orelse, out_flow);
}

static gj_status run_dim(machine *v, frame *fr, const gj_lstmt *s) {
  gj__lcell value;
  GJ_TRY(gj__leval_expr(v, fr, s->a, &value));
  if ((uint64_t)s->count >= v->args->dim_count)
    return gj_fail(v->err, GJ_E_VERIFY, "%s: dim<%lld>: there are %zu dims", fr->f->name,
                   (long long)s->count, v->args->dim_count);
  v->args->dims[s->count] = value.scalar.v.i;
  return GJ_OK;
}

// Statements that must be true to what they say.
static gj_status run_promise(machine *v, frame *fr, const gj_lstmt *s) {
  gj__lcell value;
  GJ_TRY(gj__leval_expr(v, fr, s->a, &value));
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
    return s->a ? gj__leval_expr(v, fr, s->a, &fr->result) : GJ_OK;
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
    return gj__leval_expr(v, fr, s->a, &ignored);
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
  const gj_custom *custom = gj_custom_find(f->external);
  if (!custom || custom->check) // no node tells what is behind the addresses
    return gj_fail(v->err, GJ_E_UNSUPPORTED, "%s: no C function is registered as \"%s\"", f->name,
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
  gj_exec exec = {0};
  if (!status)
    out->scalar =
        (gj_scalar){.dtype = GJ_DTYPE_i32, .v.i = custom->call(custom, buffers, sizes, &exec)};
  free(buffers);
  free(sizes);
  return status;
}

// The addresses it gets are those of this process.
static gj_status call_library(machine *v, const gj_lfunc *f, const gj__lcell *params,
                              gj__lcell *out) {
  const gj_library_function *own = gj_library_find(f->library);
  int64_t args[GJ_LIBRARY_MOST_PARAMS];
  if (!own || f->param_count != own->params)
    return gj_fail(v->err, GJ_E_VERIFY, "%s: no library function of %u i64", f->name,
                   (unsigned)f->param_count);
  for (uint32_t i = 0; i < f->param_count; i++)
    args[i] = params[i].scalar.v.i;
  out->scalar = (gj_scalar){.dtype = GJ_DTYPE_i64, .v.i = own->call(args)};
  return GJ_OK;
}

gj_status gj__leval_func(machine *v, const gj_lfunc *f, const gj__lcell *params, gj__lcell *out) {
  if (f->external)
    return call_external(v, f, params, out);
  if (f->library)
    return call_library(v, f, params, out);
  if (gj__leval_depth(v) > TOO_DEEP)
    return gj_fail(v->err, GJ_E_UNSUPPORTED, "%s: calls nest too deep", f->name);
  size_t mark = v->memory.count;
  frame fr;
  gj_status status;
  if (frame_init(&fr, f, params)) {
    flow end = {NEXT, 0};
    status = run_block(v, &fr, &f->body, &end);
    *out = fr.result;
  } else {
    status = gj__leval_no_memory(v, &fr);
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
    status = gj__leval_func(&v, f, params, &result);
  gj__lmemory_fini(&v.memory);
  *out_status = (int32_t)result.scalar.v.i;
  if (args->result)
    *args->result = result.scalar;
  return status;
}
