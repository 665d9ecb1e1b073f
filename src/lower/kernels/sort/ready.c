// Lines that a sort finds in order: what comes out is what went in.
//
// To know it costs a look at every pair of neighbours, and what is not in order mostly shows soon:
// pairs are looked at in blocks, and the first block that is wrong ends it. Short lines are not
// asked, since sorting them takes no longer.
#include "lower/kernels/sort/sort.h"

enum {
  LEAST = 1 << 12, // elements of a line that is asked
  BLOCK = 1 << 12, // pairs
  LANES = GJ__TEST_LANES
};

static const gj_lexpr *zero(gj__lower *l) {
  return gj_lx_const(l->m, (gj_scalar){.dtype = GJ_DTYPE_u8});
}

static const gj_lexpr *flag(gj__lower *l, const gj_lexpr *condition) {
  gj_scalar one = {.dtype = GJ_DTYPE_u8, .v.u = 1};
  return gj_lx_select(l->m, condition, gj_lx_const(l->m, one), zero(l));
}

// Whether any lane is not zero.
static const gj_lexpr *any_lane(gj__lower *l, gj_lblock *into, const gj_lexpr *lanes) {
  gj__enter(l, into);
  uint32_t any = gj_ls_let(l->m, l->f, into, "any", zero(l));
  const gj_lexpr *j = gj__range_loop(l, into, "j", gj__i64(l, 0), gj__i64(l, LANES), 0);
  const gj_lexpr *both =
      gj_lx_binary(l->m, GJ_OP_or, gj__local(l, any), gj_lx_load(l->m, lanes, j, 1));
  gj_ls_set(l->m, l->f, l->block, any, both);
  gj__enter(l, into);
  return gj_lx_binary(l->m, GJ_OP_ne, gj__local(l, any), zero(l));
}

const gj_lexpr *gj__any_in_line(gj__lower *l, gj_lblock *into, gj__range range,
                                const gj_lexpr *lanes, gj__element_test *test, const void *of) {
  const gj_lexpr *j =
      gj__range_loop(l, into, "j", gj__i64(l, 0), gj__i64(l, LANES), GJ_LOOP_VECTOR);
  gj_ls_store(l->m, l->f, l->block, lanes, j, zero(l));
  gj__range chunk;
  gj_lblock *each = gj__chunks(l, into, range.lo, range.hi, LANES, &chunk);
  const gj_lexpr *i = gj__range_loop(l, each, "i", chunk.lo, chunk.hi, GJ_LOOP_VECTOR);
  const gj_lexpr *found = flag(l, test(l, of, i)), *place = gj__sub(l, i, chunk.lo);
  found = gj_lx_binary(l->m, GJ_OP_or, gj_lx_load(l->m, lanes, place, 1), found);
  gj_ls_store(l->m, l->f, l->block, lanes, place, found);
  return any_lane(l, into, lanes);
}

static gj_scalar truth(bool value) { return (gj_scalar){.dtype = GJ_DTYPE_bool, .v.u = value}; }

const gj_lexpr *gj__in_order(gj__lower *l, gj_lblock *into, const gj_lexpr *size,
                             const gj_lexpr *lanes, gj__element_test *falls, const void *of) {
  gj__enter(l, into);
  const gj_lexpr *asked = gj_lx_binary(l->m, GJ_OP_ge, size, gj__i64(l, LEAST));
  uint32_t ordered = gj_ls_let(l->m, l->f, into, "ordered", asked);
  into = &gj_ls_if(l->m, l->f, into, gj__local(l, ordered))->body;
  const gj_lexpr *last = gj__sub(l, size, gj__i64(l, 1));
  gj_lstmt *each = gj_ls_for(l->m, l->f, into, "base", gj__i64(l, 0), last, BLOCK, 0, 1);
  gj__poll(l, &each->body);
  gj__enter(l, &each->body);
  gj__range block = {gj__local(l, each->local), NULL};
  block.hi = gj__let(l, "end", gj__min(l, gj__add(l, block.lo, gj__i64(l, BLOCK)), last));
  const gj_lexpr *any = gj__any_in_line(l, &each->body, block, lanes, falls, of);
  gj_lstmt *wrong = gj_ls_if(l->m, l->f, &each->body, any);
  gj_ls_set(l->m, l->f, &wrong->body, ordered, gj_lx_const(l->m, truth(false)));
  gj_ls_break(l->m, l->f, &wrong->body, 1);
  return gj__local(l, ordered);
}

bool gj__may_be_in_order(gj_dim size) { return !gj_dim_is_const(size) || size >= LEAST; }
