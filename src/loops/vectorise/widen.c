// Widening: the body of a loop rewritten so that one execution does W iterations.
//
// UNIFORM and AFFINE values stay scalars (the value of lane 0) and become vectors only where a
// vector is asked for; VARYING ones are vectors throughout. Control flow is uniform, so it stays as
// it is:
//
//   for i = 0 to n step 1 vector {             for i2 = 0 to i_end step 8 {
//     let a: f64 = x[i]                          let a2: f64<8> = x[i2:8]
//     for j = 0 to k step 1 {                    for j2 = 0 to k step 1 {
//       a = add(a, y[j])            becomes        a2 = add(a2, splat<8>(y[j2]))
//     }                                          }
//     z[i] = select(lt(i, 3), a, x[idx[i]])      z[i2] = select(lt(add(splat<8>(i2), lanes<8>),
//   }                                                    splat<8>(3)), a2, x[idx[i2:8]])
//                                              }

#include "loops/vectorise/widen.h"

#include "loops/copy.h"
#include "loops/rules.h"
#include "loops/vectorise/records.h"

#include <stdlib.h>

enum { MOST_LOADED = 8 }; // by one branch; more would go to the stack until they are used

typedef struct widener {
  gj__lcopy copy; // locals of the body, and the loop variable, to what stands for them
  const gj__lanes *lanes;
  gj__records records;
  unsigned width;
  gj__widen_how how;
  const gj_lblock *from; // the block that is being rewritten,
  uint32_t at;           // which of its statements
  gj_lblock *to;         // and where that goes
  uint32_t loaded_count; // loads that a branch has done, and the locals where they are
  const gj_lexpr *loads[MOST_LOADED], *loaded[MOST_LOADED];
  gj_lstmt *stores; // the branch around the stores before, or NULL
} widener;

static const gj_lexpr *vector_of(widener *w, const gj_lexpr *e);

static const gj_lexpr *scalar_of(widener *w, const gj_lexpr *e) {
  return gj__lcopy_expr(&w->copy, e);
}

static gj__form form_of(const widener *w, const gj_lexpr *e) { return gj__lanes_form(w->lanes, e); }

// base + stride · lane
static const gj_lexpr *ramp(widener *w, const gj_lexpr *base, int64_t stride) {
  gj_lmodule *m = w->copy.m;
  const gj_lexpr *steps = gj_lx_lanes(m, w->width);
  if (stride != 1)
    steps = gj_lx_binary(m, GJ_OP_mul, steps, gj_lx_splat(m, gj_lx_i64(m, stride), w->width));
  if (base->kind == GJ_LX_CONST && base->value.v.i == 0)
    return steps;
  return gj_lx_binary(m, GJ_OP_add, gj_lx_splat(m, base, w->width), steps);
}

static const gj_lexpr *gather(widener *w, const gj_lexpr *p, const gj_lexpr *index) {
  gj_lmodule *m = w->copy.m;
  // What varies in the pointer moves into the index, where lanes can have their own.
  while (p->kind == GJ_LX_OFFSET && form_of(w, p).kind == GJ__FORM_VARYING) {
    index = gj_lx_binary(m, GJ_OP_add, p->args[1], index);
    p = p->args[0];
  }
  gj__form pointer = form_of(w, p), total = gj__lanes_address(w->lanes, p, index);
  const gj_lexpr *indices = total.kind == GJ__FORM_VARYING
                                ? vector_of(w, index)
                                : ramp(w, scalar_of(w, index), total.stride);
  if (total.kind == GJ__FORM_VARYING && pointer.kind == GJ__FORM_AFFINE)
    indices = gj_lx_binary(m, GJ_OP_add, indices, ramp(w, gj_lx_i64(m, 0), pointer.stride));
  return gj_lx_load_if(m, scalar_of(w, p), indices, w->width, w->how.mask);
}

// Elements a few apart, from where the first of their records begins. With a negative stride that
// is the one of the last lane.
static const gj_lexpr *from_records(widener *w, const gj_lexpr *load, int64_t stride) {
  gj_lmodule *m = w->copy.m;
  gj_lrecord record = gj__record_of(&w->records, load);
  const gj_lexpr *p = scalar_of(w, load->args[0]), *first = scalar_of(w, load->args[1]);
  const gj_lexpr *mask = w->how.mask;
  int64_t back = (int64_t)record.at + (stride < 0 ? -stride * ((int64_t)w->width - 1) : 0);
  if (back)
    first = gj_lx_binary(m, GJ_OP_sub, first, gj_lx_i64(m, back));
  if (stride > 0)
    return gj_lx_load_record(m, p, first, w->width, record, mask);
  mask = mask ? gj_lx_reverse(m, mask) : NULL;
  return gj_lx_reverse(m, gj_lx_load_record(m, p, first, w->width, record, mask));
}

static const gj_lexpr *from_tile(widener *w, const gj_lexpr *lanes) {
  gj_lmodule *m = w->copy.m;
  const gj_lexpr *at =
      gj_lx_binary(m, GJ_OP_mul, w->how.tile->number, gj_lx_i64(m, (int64_t)w->width));
  return gj_lx_load(m, lanes, at, w->width);
}

static const gj_lexpr *load_masked(widener *w, const gj_lexpr *load) {
  gj_lmodule *m = w->copy.m;
  const gj_lexpr *p = load->args[0], *index = load->args[1];
  for (uint32_t i = 0; w->how.tile && i < w->how.tile->turned_count; i++)
    if (w->how.tile->turned[i].load == load)
      return from_tile(w, w->how.tile->turned[i].lanes);
  gj__form form = gj__lanes_address(w->lanes, p, index);
  if (gj__is_record(form))
    return from_records(w, load, form.stride);
  if (form.kind != GJ__FORM_AFFINE || (form.stride != 1 && form.stride != -1))
    return gather(w, p, index);
  const gj_lexpr *first = scalar_of(w, index);
  if (form.stride == 1)
    return gj_lx_load_if(m, scalar_of(w, p), first, w->width, w->how.mask);
  const gj_lexpr *mask = w->how.mask ? gj_lx_reverse(m, w->how.mask) : NULL;
  first = gj_lx_binary(m, GJ_OP_sub, first, gj_lx_i64(m, (int64_t)w->width - 1));
  return gj_lx_reverse(m, gj_lx_load_if(m, scalar_of(w, p), first, w->width, mask));
}

// --- loads of vectors that may be whole ---
//
// A branch chooses between loads with a mask and those without, for several at a time: those that
// follow up to the next store, if where they load from is known by then.

// Whether an address would be the same as later in the block.
static bool is_known(const widener *w, const gj_lexpr *e) {
  if (e->kind == GJ_LX_LOCAL && e->index < w->lanes->count && w->lanes->inside[e->index] &&
      (w->lanes->inside[e->index] == GJ__INSIDE_SET || !w->copy.replace[e->index]))
    return false;
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (!is_known(w, e->args[i]))
      return false;
  return true;
}

// Adds the loads of an expression.
static void find_loads(widener *w, const gj_lexpr *e) {
  if (form_of(w, e).kind != GJ__FORM_VARYING)
    return;
  if (e->kind != GJ_LX_LOAD) {
    for (uint32_t i = 0; i < e->arg_count; i++)
      find_loads(w, e->args[i]);
    return;
  }
  bool fresh = w->loaded_count < MOST_LOADED && is_known(w, e);
  for (uint32_t i = 0; fresh && i < w->loaded_count; i++)
    fresh = w->loads[i] != e;
  if (fresh)
    w->loads[w->loaded_count++] = e;
}

static void find_all_loads(widener *w) {
  bool let = true;
  for (uint32_t i = w->at; let && i < w->from->count; i++) {
    const gj_lstmt *s = w->from->stmts[i];
    let = s->kind == GJ_LS_LET || s->kind == GJ_LS_SET;
    if (let || s->kind == GJ_LS_STORE)
      find_loads(w, let ? s->a : s->c);
  }
}

static void load_all(widener *w) {
  gj_lmodule *m = w->copy.m;
  gj_lfunc *f = w->copy.f;
  gj__widen_how how = w->how;
  for (uint32_t i = 0; i < w->loaded_count; i++) {
    gj_scalar zero = {.dtype = (gj_dtype)w->loads[i]->type.dtype};
    const gj_lexpr *none = gj_lx_splat(m, gj_lx_const(m, zero), w->width);
    w->loaded[i] = gj_lx_local(m, f, gj_ls_let(m, f, w->to, "loaded", none));
  }
  gj_lstmt *choice = gj_ls_if(m, f, w->to, how.whole);
  w->how.whole = w->how.mask = NULL;
  for (uint32_t i = 0; i < w->loaded_count; i++)
    gj_ls_set(m, f, &choice->body, w->loaded[i]->index, load_masked(w, w->loads[i]));
  w->how.mask = how.mask;
  for (uint32_t i = 0; i < w->loaded_count; i++)
    gj_ls_set(m, f, &choice->orelse, w->loaded[i]->index, load_masked(w, w->loads[i]));
  w->how = how;
}

static const gj_lexpr *load_of(widener *w, const gj_lexpr *load) {
  if (!w->how.whole)
    return load_masked(w, load);
  for (uint32_t i = 0; i < w->loaded_count; i++)
    if (w->loads[i] == load)
      return w->loaded[i];
  w->loads[0] = load;
  w->loaded_count = 1;
  bool again = is_known(w, load);
  if (again)
    find_all_loads(w);
  load_all(w);
  w->loaded_count = again ? w->loaded_count : 0;
  return w->loaded[0];
}

// (base + stride · lane) · u for a uniform u, as base · u + (stride · lane · u): the bracket does
// not change from step to step, so the loop is left with an addition. NULL when `e` is something
// else.
static const gj_lexpr *scaled_ramp(widener *w, const gj_lexpr *e) {
  gj_lmodule *m = w->copy.m;
  if (e->kind != GJ_LX_OP || e->op != GJ_OP_mul || e->type.dtype != GJ_DTYPE_i64)
    return NULL;
  bool first = form_of(w, e->args[0]).kind == GJ__FORM_AFFINE;
  const gj_lexpr *affine = e->args[first ? 0 : 1], *uniform = e->args[first ? 1 : 0];
  gj__form form = form_of(w, affine);
  if (form.kind != GJ__FORM_AFFINE || form_of(w, uniform).kind != GJ__FORM_UNIFORM)
    return NULL;
  const gj_lexpr *steps = gj_lx_binary(m, GJ_OP_mul, ramp(w, gj_lx_i64(m, 0), form.stride),
                                       gj_lx_splat(m, scalar_of(w, uniform), w->width));
  return gj_lx_binary(m, GJ_OP_add, gj_lx_splat(m, scalar_of(w, e), w->width), steps);
}

static const gj_lexpr *vector_of(widener *w, const gj_lexpr *e) {
  gj_lmodule *m = w->copy.m;
  gj__form form = form_of(w, e);
  if (form.kind == GJ__FORM_UNIFORM)
    return gj_lx_splat(m, scalar_of(w, e), w->width);
  if (form.kind == GJ__FORM_AFFINE)
    return ramp(w, scalar_of(w, e), form.stride);
  if (e->kind == GJ_LX_LOAD)
    return load_of(w, e);
  if (e->kind == GJ_LX_LOCAL)
    return w->copy.replace[e->index];
  const gj_lexpr *args[3], *scaled = scaled_ramp(w, e);
  if (scaled)
    return scaled;
  for (uint32_t i = 0; i < e->arg_count; i++)
    args[i] = vector_of(w, e->args[i]);
  return gj__lx_rebuild(m, e, args);
}

static bool is_vector(const widener *w, uint32_t local) {
  return w->lanes->forms[local].kind == GJ__FORM_VARYING;
}

static void let(widener *w, const gj_lstmt *s, gj_lblock *to) {
  gj_lmodule *m = w->copy.m;
  gj_lfunc *f = w->copy.f;
  const gj_lexpr *value = is_vector(w, s->local) ? vector_of(w, s->a) : scalar_of(w, s->a);
  uint32_t local = gj_ls_let(m, f, to, m->failed ? "lost" : f->locals[s->local].name, value);
  w->copy.replace[s->local] = gj_lx_local(m, f, local);
}

static void widen_block(widener *w, const gj_lblock *from, gj_lblock *to);

static void nested(widener *w, const gj_lstmt *s, gj_lblock *to) {
  gj_lmodule *m = w->copy.m;
  gj_lfunc *f = w->copy.f;
  gj_lstmt draft = *s;
  draft.body = draft.orelse = (gj_lblock){0};
  draft.a = scalar_of(w, s->a);
  if (s->kind == GJ_LS_FOR) {
    draft.b = scalar_of(w, s->b);
    draft.marks &= (uint8_t)~GJ_LOOP_VECTOR; // its body holds vectors now
    draft.d = NULL;
    draft.local = gj_lfunc_local(m, f, f->locals[s->local].name, gj_ltype_scalar(GJ_DTYPE_i64));
    w->copy.replace[s->local] = gj_lx_local(m, f, draft.local);
  }
  gj_lstmt *made = gj__ls_append(m, f, to, &draft);
  w->loaded_count = 0; // a loop may have stored since
  widen_block(w, &s->body, &made->body);
  w->loaded_count = 0; // what the body has loaded is gone
  widen_block(w, &s->orelse, &made->orelse);
}

// A value that stands in both branches of a choice.
static const gj_lexpr *shared(widener *w, const gj_lexpr *value, gj_lblock *to) {
  gj_lmodule *m = w->copy.m;
  gj_lfunc *f = w->copy.f;
  if (value->kind == GJ_LX_LOCAL || value->kind == GJ_LX_CONST)
    return value;
  return gj_lx_local(m, f, gj_ls_let(m, f, to, "stored", value));
}

static void store(widener *w, const gj_lstmt *s, gj_lblock *to) {
  gj_lmodule *m = w->copy.m;
  gj_lfunc *f = w->copy.f;
  const gj_lexpr *p = scalar_of(w, s->a), *index = scalar_of(w, s->b), *value = vector_of(w, s->c);
  if (w->how.stream && w->how.when) {
    value = shared(w, value, to);
    gj_lstmt *choice = gj_ls_if(m, f, to, w->how.when);
    gj_ls_stream(m, f, &choice->body, p, index, value);
    gj_ls_store_if(m, f, &choice->orelse, p, index, value, NULL);
  } else if (w->how.stream) {
    gj_ls_stream(m, f, to, p, index, value);
  } else if (w->how.whole) {
    value = shared(w, value, to);
    gj_lstmt *last = to->count ? to->stmts[to->count - 1] : NULL, *choice = w->stores;
    if (!choice || choice != last)
      choice = w->stores = gj_ls_if(m, f, to, w->how.whole);
    gj_ls_store(m, f, &choice->body, p, index, value);
    gj_ls_store_if(m, f, &choice->orelse, p, index, value, w->how.mask);
  } else {
    gj_ls_store_if(m, f, to, p, index, value, w->how.mask);
  }
}

// Appended lanes are stored as one vector, of which those behind the last one taken are in the way
// of nobody, until too little room is left for that; then one by one, by way of an array.
//
//   let taken: bool<8> = …
//   let value: i64<8> = compress(…, taken)
//   let next: i64 = min(add(count, trues(taken)), end)
//   if (le(count, sub(end, 8))) { p[count] = value } else {
//     array few: i64[8]
//     few[0] = value
//     for k = count to next step 1 { p[k] = few[sub(k, count)] }
//   }
//   count = next
static void append(widener *w, const gj__append *a, gj_lblock *to) {
  gj_lmodule *m = w->copy.m;
  gj_lfunc *f = w->copy.f;
  const gj_lexpr *count = gj_lx_local(m, f, a->count), *taken = vector_of(w, a->taken);
  if (w->how.mask)
    taken = gj_lx_binary(m, GJ_OP_and, taken, w->how.mask);
  if (!a->pointer) {
    gj_ls_set(m, f, to, a->count, gj_lx_binary(m, GJ_OP_add, count, gj_lx_trues(m, taken)));
    return;
  }
  gj_dtype dtype = (gj_dtype)a->pointer->type.dtype;
  const gj_lexpr *end = scalar_of(w, a->end), *p = scalar_of(w, a->pointer);
  taken = gj_lx_local(m, f, gj_ls_let(m, f, to, "taken", taken));
  const gj_lexpr *value = gj_lx_compress(m, vector_of(w, a->value), taken);
  value = gj_lx_local(m, f, gj_ls_let(m, f, to, "value", value));
  const gj_lexpr *next = gj_lx_binary(m, GJ_OP_add, count, gj_lx_trues(m, taken));
  next = gj_lx_binary(m, GJ_OP_min, next, end);
  next = gj_lx_local(m, f, gj_ls_let(m, f, to, "next", next));
  const gj_lexpr *last = gj_lx_binary(m, GJ_OP_sub, end, gj_lx_i64(m, (int64_t)w->width));
  gj_lstmt *room = gj_ls_if(m, f, to, gj_lx_binary(m, GJ_OP_le, count, last));
  gj_ls_store(m, f, &room->body, p, count, value);
  uint32_t array = gj_ls_array(m, f, &room->orelse, "few", dtype, (int64_t)w->width);
  const gj_lexpr *few = gj_lx_local(m, f, array);
  gj_ls_store(m, f, &room->orelse, few, gj_lx_i64(m, 0), value);
  gj_lstmt *each = gj_ls_for(m, f, &room->orelse, "k", count, next, 1, 0, 1);
  const gj_lexpr *k = gj_lx_local(m, f, each->local);
  const gj_lexpr *one = gj_lx_load(m, few, gj_lx_binary(m, GJ_OP_sub, k, count), 1);
  gj_ls_store(m, f, &each->body, p, k, one);
  gj_ls_set(m, f, to, a->count, next);
}

static void widen_stmt(widener *w, const gj_lstmt *s, gj_lblock *to) {
  gj_lmodule *m = w->copy.m;
  gj_lfunc *f = w->copy.f;
  gj__append appended;
  if (w->lanes->appends && gj__append_of(s, &appended) && w->lanes->counts[appended.count]) {
    append(w, &appended, to);
    return;
  }
  switch (s->kind) {
  case GJ_LS_LET:
    let(w, s, to);
    return;
  case GJ_LS_SET:
    gj_ls_set(m, f, to, w->copy.replace[s->local]->index,
              is_vector(w, s->local) ? vector_of(w, s->a) : scalar_of(w, s->a));
    return;
  case GJ_LS_STORE:
    store(w, s, to);
    return;
  case GJ_LS_FOR:
  case GJ_LS_WHILE:
  case GJ_LS_IF:
    nested(w, s, to);
    return;
  default: // break and continue of a loop inside
    gj__ls_append(m, f, to, s);
    return;
  }
}

static void widen_block(widener *w, const gj_lblock *from, gj_lblock *to) {
  for (uint32_t i = 0; i < from->count && !w->copy.m->failed; i++) {
    const gj_lstmt *s = from->stmts[i];
    w->from = from;
    w->at = i;
    w->to = to;
    widen_stmt(w, s, to);
    // Behind a store memory is another; behind a block its locals are gone.
    if (s->kind != GJ_LS_LET && s->kind != GJ_LS_SET)
      w->loaded_count = 0;
  }
}

void gj__widen(gj_lmodule *m, gj_lfunc *f, const gj__lanes *lanes, unsigned width,
               const gj_lexpr *base, gj__widen_how how, gj_lblock *to) {
  widener w = {.lanes = lanes, .width = width, .how = how};
  if (!gj__lcopy_init(&w.copy, m, f))
    return;
  if (lanes->records)
    gj__records_init(&w.records, lanes);
  w.copy.replace[lanes->loop->local] = base;
  if (how.tile)
    w.copy.replace[how.tile->row] = how.tile->row_at;
  widen_block(&w, &lanes->loop->body, to);
  gj__records_fini(&w.records);
  free(w.copy.replace);
}
