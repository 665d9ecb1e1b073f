// Strips: a vector loop of symbolic or large trip count, and what is done about its rest, the
// iterations behind the last full vector.
//
//   masked rest  for i = lo to end step W { body }                             light bodies
//                if (end < hi) { body at end under first<W>(hi - end) }
//                for i = lo to hi step W {                                     heavy bodies: the
//                  let whole = hi - i >= W                                     code exists once
//                  body, each access of which is one without a mask if whole,
//                  else one under first<W>(hi - i)
//                }
//   overlapping  if (hi - lo >= W) {                                           without masks: the
//                  for i = lo to end step W { body }                           last vector does
//                  if (end < hi) { body at hi - W }                            some iterations
//                } else { scalar loop }                                        again
//   scalar rest  for i = lo to end step W { body }                              whatever is left
//                if W is several vectors, the same by single ones
//                scalar loop from there
//
// Where the loop says when its stores had better go past the caches, they do so from where they are
// aligned, and what is in front of that is done with the rest:
//
//   let skip = 0, or min(ahead<W>(store), hi - lo) if `when`
//   for i = lo + skip to end step W { body, stores streamed if `when` }
//   for side = select(when, 0, 1) to 2 {
//     the body under a mask, at lo for `skip` iterations or at end for the rest
//   }
//
// Code costs compile time, the more the longer it is. So the branch on `when` stands around two
// loops only where the body is so short that one at each store would show.
//
// The last vector overlaps where that saves more than one scalar iteration. Iterations may be done
// again when none reads what it or another writes: then the same values are written twice. A body
// that is heavy or has loops of its own stands once, at min(i, hi - W), and if W is several vectors
// once more for less than those.
//
// A mask is free only where memory is in the first cache. On Zen 5 nothing is fetched ahead for
// masked loads, and masked stores to lines that are elsewhere wait for each other: heavy loops over
// 10⁷ elements took two to eight times as long with masks on all of them, and a tenth longer in
// the cache. The branches are foreseen but for the last one.
//
// Left out: narrower vectors for the rest, which cost more code than they save time. Streams of
// heavy bodies: one core computes longer than it waits for memory, and took a third longer.

#include "loops/vectorise/strip.h"

#include "loops/copy.h"
#include "loops/rules.h"
#include "loops/vectorise/widen.h"

#include "base/size.h"

#include <stdlib.h>

typedef struct strip {
  gj_lmodule *m;
  gj_lfunc *f;
  const gj__lanes *lanes;
  unsigned width, native; // lanes of a step, of a native vector
  const gj_lexpr *lo, *hi;
} strip;

enum {
  LEAST_STREAM = 16, // bytes of a store that goes past the caches
  LONG_BODY = 8      // operations
};

int64_t gj__strip_trip(const gj_lstmt *loop) {
  int64_t span;
  if (loop->a->kind != GJ_LX_CONST || loop->b->kind != GJ_LX_CONST ||
      !gj_sub_i64(loop->b->value.v.i, loop->a->value.v.i, &span))
    return -1;
  return span <= 0 ? 0 : (span - 1) / loop->count + 1;
}

// Gathers of narrow elements are taken apart by LLVM; with a mask that means a branch per lane.
bool gj__strip_maskable(const gj__lanes *lanes, const gj_loops_machine *machine) {
  unsigned wide = 4 | 8;
  return !(lanes->touched & ~machine->masked) && !(lanes->strewn & ~(machine->masked & wide));
}

// --- may iterations be done again? ---

static const gj_lexpr *root_of(const gj_lexpr *p) {
  while (p->kind == GJ_LX_OFFSET)
    p = p->args[0];
  return p;
}

// Whether a load in `e` reads the memory behind the local `root`.
static bool reads(const gj_lexpr *e, uint32_t root) {
  if (e->kind == GJ_LX_LOAD) {
    const gj_lexpr *p = root_of(e->args[0]);
    if (p->kind == GJ_LX_LOCAL && p->index == root)
      return true;
  }
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (reads(e->args[i], root))
      return true;
  return false;
}

static bool block_reads(const gj_lblock *b, uint32_t root) {
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    if ((s->a && reads(s->a, root)) || (s->b && reads(s->b, root)) || (s->c && reads(s->c, root)) ||
        block_reads(&s->body, root) || block_reads(&s->orelse, root))
      return true;
  }
  return false;
}

// Every store goes to a param that nothing else aliases and that the body does not read.
static bool repeatable(const gj_lfunc *f, const gj_lblock *body, const gj_lblock *b) {
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    if (s->kind == GJ_LS_STORE) {
      const gj_lexpr *p = root_of(s->a);
      if (p->kind != GJ_LX_LOCAL || !(f->locals[p->index].flags & GJ_LOCAL_NOALIAS) ||
          block_reads(body, p->index))
        return false;
    }
    if (!repeatable(f, body, &s->body) || !repeatable(f, body, &s->orelse))
      return false;
  }
  return true;
}

bool gj__strip_repeatable(const gj_lfunc *f, const gj_lblock *body) {
  return repeatable(f, body, body);
}

// --- may stores go past the caches? ---

static bool made_inside(const strip *s, const gj_lexpr *e) {
  if (e->kind == GJ_LX_LOCAL && e->index != s->lanes->loop->local && s->lanes->inside[e->index])
    return true;
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (made_inside(s, e->args[i]))
      return true;
  return false;
}

// Elements from where `store` writes first to the next whole vector, or NULL when that depends on
// more than the loop variable.
static const gj_lexpr *ahead_of(const strip *s, const gj_lstmt *store) {
  if (made_inside(s, store->a) || made_inside(s, store->b))
    return NULL;
  gj__lcopy copy;
  if (!gj__lcopy_init(&copy, s->m, s->f))
    return NULL;
  copy.replace[s->lanes->loop->local] = s->lo;
  const gj_lexpr *at =
      gj_lx_offset(s->m, gj__lcopy_expr(&copy, store->a), gj__lcopy_expr(&copy, store->b));
  free(copy.replace);
  return gj_lx_ahead(s->m, at, s->width * (unsigned)gj_dtype_bytes((gj_dtype)at->type.dtype));
}

// The same for all stores of the body, which must have elements of one size; *also is a condition
// that they begin equally far from a whole vector. NULL when the loop cannot stream.
static const gj_lexpr *ahead_of_all(strip *s, const gj_lexpr **also) {
  const gj_lblock *body = &s->lanes->loop->body;
  const gj_lexpr *first = NULL;
  unsigned bytes = 0;
  for (uint32_t i = 0; i < body->count; i++) {
    const gj_lstmt *store = body->stmts[i];
    if (store->kind == GJ_LS_IF)
      return NULL;
    if (store->kind != GJ_LS_STORE)
      continue;
    unsigned size = (unsigned)gj_dtype_bytes((gj_dtype)store->a->type.dtype);
    const gj_lexpr *ahead = ahead_of(s, store);
    if (!ahead || (bytes && size != bytes) || size * s->width < LEAST_STREAM)
      return NULL;
    bytes = size;
    if (first)
      *also = gj_lx_binary(s->m, GJ_OP_and, *also, gj_lx_binary(s->m, GJ_OP_eq, first, ahead));
    first = first ? first : ahead;
  }
  return first;
}

// --- pieces ---

static const gj_lexpr *binary(strip *s, gj_op op, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(s->m, op, a, b);
}

// A value that is used several times: constants and locals stand for themselves.
static const gj_lexpr *once(strip *s, gj_lblock *to, const char *name, const gj_lexpr *e) {
  if (e->kind == GJ_LX_CONST || e->kind == GJ_LX_LOCAL)
    return e;
  return gj_lx_local(s->m, s->f, gj_ls_let(s->m, s->f, to, name, e));
}

// The number of iterations. It may wrap for absurd bounds; masking and adding wrap back to the
// right place.
static const gj_lexpr *span_of(strip *s) {
  return binary(s, GJ_OP_sub, binary(s, GJ_OP_max, s->hi, s->lo), s->lo);
}

// Where the last full vector ends.
static const gj_lexpr *end_of(strip *s, gj_lblock *to, const gj_lexpr *span) {
  const gj_lexpr *whole = binary(s, GJ_OP_and, span, gj_lx_i64(s->m, -(int64_t)s->width));
  return once(s, to, "end", binary(s, GJ_OP_add, s->lo, whole));
}

static const gj_lexpr *mask_from(strip *s, gj_lblock *to, const gj_lexpr *base) {
  return once(s, to, "mask", gj_lx_first(s->m, binary(s, GJ_OP_sub, s->hi, base), s->width));
}

// A loop in steps of the width from lo to `end`.
static gj_lstmt *loop_to(strip *s, gj_lblock *to, const gj_lexpr *end) {
  const gj_lstmt *loop = s->lanes->loop;
  return gj_ls_for(s->m, s->f, to, s->f->locals[loop->local].name, s->lo, end, s->width, 0, 0);
}

static void body_at(strip *s, gj_lblock *to, const gj_lexpr *base, const gj_lexpr *mask) {
  if (!s->m->failed)
    gj__widen(s->m, s->f, s->lanes, s->width, base, (gj__widen_how){.mask = mask}, to);
}

static void main_loop(strip *s, gj_lblock *to, const gj_lexpr *end) {
  gj_lstmt *loop = loop_to(s, to, end);
  body_at(s, &loop->body, gj_lx_local(s->m, s->f, loop->local), NULL);
}

static void scalar_loop(strip *s, gj_lblock *to, const gj_lexpr *lo) {
  gj_lstmt rest = *s->lanes->loop;
  rest.marks &= GJ_LOOP_UNROLL;
  rest.factor = 0;
  rest.d = NULL;
  rest.a = lo;
  rest.b = s->hi;
  gj__ls_append(s->m, s->f, to, &rest);
}

// Where code goes that runs only if there is a rest; `trip` decides when it is known.
static gj_lblock *if_rest(strip *s, gj_lblock *to, const gj_lexpr *end, int64_t trip) {
  return trip >= 0 ? to : &gj_ls_if(s->m, s->f, to, binary(s, GJ_OP_lt, end, s->hi))->body;
}

// --- the ways ---

static void one_body(strip *s, gj_lblock *to) {
  gj_lstmt *loop = loop_to(s, to, s->hi);
  if (s->m->failed)
    return;
  const gj_lexpr *i = gj_lx_local(s->m, s->f, loop->local), *width = gj_lx_i64(s->m, s->width);
  const gj_lexpr *left = once(s, &loop->body, "left", binary(s, GJ_OP_sub, s->hi, i));
  const gj_lexpr *whole = once(s, &loop->body, "whole", binary(s, GJ_OP_ge, left, width));
  gj__widen_how how = {.mask = gj_lx_first(s->m, left, s->width), .whole = whole};
  gj__widen(s->m, s->f, s->lanes, s->width, i, how, &loop->body);
}

static void masked_rest(strip *s, gj_lblock *to, int64_t trip) {
  const gj_lexpr *end = end_of(s, to, span_of(s));
  main_loop(s, to, end);
  to = if_rest(s, to, end, trip);
  body_at(s, to, end, mask_from(s, to, end));
}

static void overlapping(strip *s, gj_lblock *to, int64_t trip) {
  gj_lblock *vectors = to;
  const gj_lexpr *span = span_of(s), *width = gj_lx_i64(s->m, s->width);
  if (trip < 0) {
    span = once(s, to, "span", span);
    gj_lstmt *choice = gj_ls_if(s->m, s->f, to, binary(s, GJ_OP_ge, span, width));
    strip single = *s;
    single.width = s->native;
    if (s->width > s->native)
      overlapping(&single, &choice->orelse, trip);
    else
      scalar_loop(s, &choice->orelse, s->lo);
    vectors = &choice->body;
  }
  const gj_lexpr *last = once(s, vectors, "last", binary(s, GJ_OP_sub, s->hi, width));
  if (s->lanes->heavy || s->lanes->nested) {
    gj_lstmt *loop = loop_to(s, vectors, s->hi);
    if (s->m->failed)
      return;
    const gj_lexpr *i = gj_lx_local(s->m, s->f, loop->local);
    body_at(s, &loop->body, once(s, &loop->body, "at", binary(s, GJ_OP_min, i, last)), NULL);
    return;
  }
  const gj_lexpr *end = end_of(s, vectors, span);
  main_loop(s, vectors, end);
  body_at(s, if_rest(s, vectors, end, trip), last, NULL);
}

static void scalar_rest(strip *s, gj_lblock *to) {
  const gj_lexpr *end = end_of(s, to, span_of(s));
  main_loop(s, to, end);
  strip single = *s;
  single.lo = end;
  single.width = s->native;
  if (s->width > s->native && s->native > 1)
    scalar_rest(&single, to);
  else
    scalar_loop(s, to, end);
}

static void body_streamed(strip *s, gj_lstmt *loop, const gj_lexpr *when) {
  if (!s->m->failed)
    gj__widen(s->m, s->f, s->lanes, s->width, gj_lx_local(s->m, s->f, loop->local),
              (gj__widen_how){.stream = true, .when = when}, &loop->body);
}

// The whole vectors up to `end`. A long body stands once, with a branch at each store.
static void streamed_loop(strip *s, gj_lblock *to, const gj_lexpr *end, const gj_lexpr *when) {
  if (!when || s->lanes->flops >= LONG_BODY) {
    body_streamed(s, loop_to(s, to, end), when);
    return;
  }
  gj_lstmt *choice = gj_ls_if(s->m, s->f, to, when);
  body_streamed(s, loop_to(s, &choice->body, end), NULL);
  main_loop(s, &choice->orelse, end);
}

// How many iterations are in front of the first whole vector. What does not stream branches around
// the address that this takes, as short loops would wait for it.
static const gj_lexpr *skip_of(strip *s, gj_lblock *to, const gj_lexpr *when,
                               const gj_lexpr *ahead) {
  const gj_lexpr *skip = binary(s, GJ_OP_min, ahead, span_of(s));
  if (!when)
    return once(s, to, "skip", skip);
  uint32_t local = gj_ls_let(s->m, s->f, to, "skip", gj_lx_i64(s->m, 0));
  gj_ls_set(s->m, s->f, &gj_ls_if(s->m, s->f, to, when)->body, local, skip);
  return gj_lx_local(s->m, s->f, local);
}

// The whole vectors, and then what is in front of the first of them, if they stream, and behind the
// last: at most one masked vector each, by the same code.
static void masked_or_streamed(strip *s, gj_lblock *to, const gj_lexpr *when,
                               const gj_lexpr *ahead) {
  const gj_lexpr *zero = gj_lx_i64(s->m, 0);
  when = when->kind == GJ_LX_CONST ? NULL : once(s, to, "large", when);
  const gj_lexpr *skip = skip_of(s, to, when, ahead);
  strip aligned = *s;
  aligned.lo = once(s, to, "start", binary(s, GJ_OP_add, s->lo, skip));
  const gj_lexpr *end = end_of(&aligned, to, span_of(&aligned));
  streamed_loop(&aligned, to, end, when);
  // What does not stream has nothing in front.
  const gj_lexpr *one = gj_lx_i64(s->m, 1),
                 *side = when ? gj_lx_select(s->m, when, zero, one) : zero;
  gj_lstmt *sides = gj_ls_for(s->m, s->f, to, "side", side, gj_lx_i64(s->m, 2), 1, 0, 0);
  if (s->m->failed)
    return;
  const gj_lexpr *front = binary(s, GJ_OP_eq, gj_lx_local(s->m, s->f, sides->local), zero);
  const gj_lexpr *rest = binary(s, GJ_OP_sub, binary(s, GJ_OP_max, s->hi, end), end);
  rest = once(s, &sides->body, "rest", gj_lx_select(s->m, front, skip, rest));
  gj_lblock *some = &gj_ls_if(s->m, s->f, &sides->body, binary(s, GJ_OP_lt, zero, rest))->body;
  const gj_lexpr *at = once(s, some, "at", gj_lx_select(s->m, front, s->lo, end));
  body_at(s, some, at, once(s, some, "mask", gj_lx_first(s->m, rest, s->width)));
}

const gj_lexpr *gj__strip_streams(gj_lmodule *m, gj_lfunc *f, const gj__lanes *lanes,
                                  unsigned width, gj_lblock *to) {
  const gj_lstmt *loop = lanes->loop;
  const gj_lexpr *when = loop->d;
  if (!when || lanes->heavy || lanes->nested)
    return NULL;
  strip s = {.m = m, .f = f, .lanes = lanes, .width = width, .lo = loop->a, .hi = loop->b};
  const gj_lexpr *ahead = ahead_of_all(&s, &when);
  if (!ahead)
    return NULL;
  const gj_lexpr *aligned = binary(&s, GJ_OP_eq, ahead, gj_lx_i64(m, 0));
  return once(&s, to, "streams", binary(&s, GJ_OP_and, when, aligned));
}

const char *gj__strip(gj_lmodule *m, gj_lfunc *f, const gj__lanes *lanes,
                      const gj_loops_machine *machine, unsigned width, gj_lblock *to) {
  unsigned native = machine->vector_bytes / lanes->widest;
  strip s = {.m = m, .f = f, .lanes = lanes, .width = width, .native = native};
  s.lo = once(&s, to, "lo", lanes->loop->a);
  s.hi = once(&s, to, "hi", lanes->loop->b);
  int64_t trip = gj__strip_trip(lanes->loop);
  if (trip >= 0 && trip % width == 0 && !lanes->loop->d) {
    main_loop(&s, to, s.hi);
    return "";
  }
  bool again = !lanes->appends && repeatable(f, &lanes->loop->body, &lanes->loop->body);
  if (gj__strip_maskable(lanes, machine)) {
    if (lanes->heavy) {
      one_body(&s, to);
      return ", masked rest";
    }
    const gj_lexpr *when = lanes->loop->d;
    const gj_lexpr *ahead = when && again && !lanes->nested ? ahead_of_all(&s, &when) : NULL;
    if (ahead) {
      masked_or_streamed(&s, to, when, ahead);
      return ", masked rest, streaming";
    }
    masked_rest(&s, to, trip);
    return ", masked rest";
  }
  bool stands_once = lanes->heavy || lanes->nested;
  if (again && native > 2 && (width <= native ? width > 2 : stands_once)) {
    overlapping(&s, to, trip);
    return ", overlapping rest";
  }
  scalar_rest(&s, to);
  return ", scalar rest";
}
