// argmin and argmax along a row: where its least or greatest element is.
//
// Carrying an index beside every partial result would make the loop three times as long, and with
// 64-bit indices half as wide. Instead a piece of the row that fits in the first cache is reduced
// to its best value alone, and only when that beats what was best so far, which soon becomes rare,
// is the piece read again for the first element equal to it.
#include "lower/reduce.h"

enum { PIECE = 4096 };

static const gj_lexpr *is_nan(gj__lower *l, const gj_lexpr *v) {
  return gj_lx_unary(l->m, GJ_OP_is_nan, v);
}

void gj__search_start(gj__reducer *r, gj_lblock *into, const gj_lexpr *size) {
  gj__lower *l = r->l;
  const gj_lexpr *some = gj_lx_binary(l->m, GJ_OP_gt, size, gj__i64(l, 0));
  const gj_lexpr *first = gj_lx_select(l->m, some, gj__i64(l, 0), gj__i64(l, -1));
  r->total.local[0] = gj_ls_let(l->m, l->f, into, "best", gj_lx_const(l->m, r->start));
  r->total.local[1] = gj_ls_let(l->m, l->f, into, "at", first);
}

// A reduction of the same elements by another op.
static gj__reduction part_of(const gj__reduction *x, gj__reducer *r, gj_op op) {
  gj__reduction part = *x;
  gj_scalar start = gj_scalar_start((gj_start)gj_op_get(op)->start, r->from);
  r->op = op;
  r->combine = (gj_op)gj_op_get(op)->combine;
  r->searches = false;
  r->start = start;
  part.reducers = r;
  part.count = 1;
  return part;
}

// Sets the position to that of the first element in `range` that equals `match`.
static void find(const gj__reduction *x, const gj__reducer *r, gj_lblock *into,
                 const gj__index *index, gj__range range, const gj_lexpr *match) {
  gj__lower *l = r->l;
  gj__reducer first = *r;
  first.from = first.acc = first.dtype = GJ_DTYPE_i64;
  first.match = match;
  gj__reduction part = part_of(x, &first, GJ_OP_reduce_min);
  gj__reduce_segment(&part, into, index, range);
  gj__enter(l, into);
  gj__state_result(&first, first.lanes, gj__i64(l, 0), NULL);
  gj_ls_set(l->m, l->f, into, r->total.local[0], match);
  gj_ls_set(l->m, l->f, into, r->total.local[1], first.value);
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
  const gj_lexpr *v = gj__let(l, "v", best.value), *old = gj__local(l, r->total.local[0]);
  const gj_lexpr *better = gj_lx_binary(l->m, r->combine, v, old);
  if (gj_dtype_is_float(r->from)) {
    const gj_lexpr *fresh = gj_lx_unary(l->m, GJ_OP_not, is_nan(l, old));
    better =
        gj_lx_binary(l->m, GJ_OP_or, better, gj_lx_binary(l->m, GJ_OP_and, is_nan(l, v), fresh));
  }
  gj_lstmt *yes = gj_ls_if(l->m, l->f, into, better);
  find(x, r, &yes->body, index, range, v);
}

// The value is read again where the position is, since +0 and -0 compare as equal.
void gj__search_end(gj__reduction *x, gj__reducer *r, gj_lblock *into, const gj__index *index,
                    const gj_lexpr *size) {
  gj__lower *l = r->l;
  const gj_lexpr *at = gj__local(l, r->total.local[1]);
  if (r->wants_value) {
    gj_lstmt *some = gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_gt, size, gj__i64(l, 0)));
    gj__enter(l, &some->body);
    gj__element e = gj__element_at(x, r, gj__at_row(x, index, at), at);
    gj_ls_set(l->m, l->f, &some->body, r->total.local[0], e.v);
  }
  gj__enter(l, into);
  r->value = gj__local(l, r->total.local[0]);
  r->position = gj_lx_convert(l->m, at, gj_graph_node(l->graph, r->index)->type.dtype);
}
