// argmin and argmax along a row: where its least or greatest element is.
//
// Carrying an index beside every partial result would make the loop three times as long, and with
// 64-bit indices half as wide. Instead a piece of the row that fits in the first cache is reduced
// to its best value alone, and the place of the best piece is carried. At the end of the row that
// piece is read again for the first element equal to its value.
#include "lower/kernels/reduce/reduce.h"

enum { PIECE = 4096 };

// A reduction of the same elements by another op.
static gj__reduction part_of(const gj__reduction *x, gj__reducer *r, gj_op op) {
  gj__reduction part = *x;
  gj_scalar start = gj_scalar_start((gj_start)gj_op_get(op)->start, r->from);
  r->op = op;
  r->combine = (gj_op)gj_op_get(op)->combine;
  r->searches = false;
  r->fold = GJ__FOLD_PLAIN;
  r->start = start;
  part.reducers = r;
  part.count = 1;
  return part;
}

// The position of the first element in `range` that equals `match`.
static const gj_lexpr *find(const gj__reduction *x, const gj__reducer *r, gj_lblock *into,
                            const gj__index *index, gj__range range, const gj_lexpr *match) {
  gj__lower *l = r->l;
  gj__reducer first = *r;
  first.from = first.acc = first.dtype = GJ_DTYPE_i64;
  first.match = match;
  gj__reduction part = part_of(x, &first, GJ_OP_reduce_min);
  gj__reduce_segment(&part, into, index, range);
  gj__enter(l, into);
  gj__state_result(&first, first.lanes, gj__i64(l, 0), NULL);
  return first.value;
}

void gj__search_segment(const gj__reduction *x, gj__reducer *r, gj_lblock *into,
                        const gj__index *index, gj__range range) {
  gj__lower *l = r->l;
  bool poll = l->poll;
  l->poll = false; // segments do
  into = gj__chunks(l, into, range.lo, range.hi, PIECE, &range);
  l->poll = poll;
  gj__reducer best = *r;
  gj__reduction part =
      part_of(x, &best, r->op == GJ_OP_argmin ? GJ_OP_reduce_min : GJ_OP_reduce_max);
  gj__reduce_segment(&part, into, index, range);
  gj__enter(l, into);
  gj__state_result(&best, best.lanes, gj__i64(l, 0), NULL);
  gj_dtype dtype = gj_graph_node(l->graph, r->index)->type.dtype;
  gj__element e = {gj__let(l, "v", best.value), gj_lx_convert(l->m, range.lo, dtype)};
  gj__state_add(r, r->total, NULL, e);
}

// The value is read again where the position is, since +0 and -0 compare as equal.
void gj__search_end(gj__reduction *x, gj__reducer *r, gj_lblock *into, const gj__index *index,
                    const gj_lexpr *size) {
  gj__lower *l = x->l;
  gj_dtype dtype = gj_graph_node(l->graph, r->index)->type.dtype;
  gj_lstmt *some = gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_gt, size, gj__i64(l, 0)));
  gj__enter(l, &some->body);
  const gj_lexpr *best = gj__local(l, r->total.local[0]), *at = gj__local(l, r->total.local[1]);
  const gj_lexpr *lo = gj__let(l, "lo", gj_lx_convert(l->m, at, GJ_DTYPE_i64));
  const gj_lexpr *hi = gj__let(l, "hi", gj__min(l, gj__add(l, lo, gj__i64(l, PIECE)), size));
  const gj_lexpr *first = find(x, r, &some->body, index, (gj__range){lo, hi}, best);
  first = gj__let(l, "first", first);
  gj_ls_set(l->m, l->f, &some->body, r->total.local[1], gj_lx_convert(l->m, first, dtype));
  if (r->wants_value) {
    gj__reducer plain = *r;
    plain.fold = GJ__FOLD_PLAIN;
    gj__element e = gj__element_at(x, &plain, gj__at_row(x, index, first), first);
    gj_ls_set(l->m, l->f, &some->body, r->total.local[0], e.v);
  }
  gj__enter(l, into);
  r->value = best;
  r->position = at;
}
