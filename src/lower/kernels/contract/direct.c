// Contractions with few rows: straight from memory, without packing.
//
//   for r: for c vector { out[r, c] = 0 }
//   for k = 0 to products step 8 {
//     for r { for c vector { out[r, c] = (out[r, c] + a[r, k] · b[k, c]) + … a[r, k + 7] · b[k + 7,
//     c] } }
//   }
//   for k = the rest { the same, one by one }
//
// The second operand is read once, front to back in eight streams, and what is added up rests in
// the result itself, in the nearest cache. Eight products per load and store of a result keep these
// from counting.
#include "lower/kernels/contract/contract.h"

enum { STREAMS = 8 };

static gj_lstmt *loop(gj__contract *c, gj_lblock *into, const char *name, gj__range range,
                      int64_t step, uint8_t marks) {
  gj_lstmt *made = gj_ls_for(c->l->m, c->l->f, into, name, range.lo, range.hi, step, marks, 1);
  gj__enter(c->l, &made->body);
  return made;
}

static void clear(gj__contract *c, gj_lblock *into) {
  gj__lower *l = c->l;
  gj_lstmt *rows = loop(c, into, "r", c->row_range, 1, 0);
  gj_lstmt *columns = loop(c, &rows->body, "c", c->column_range, 1, GJ_LOOP_VECTOR);
  const gj_lexpr *at = gj__contract_at(c, gj__local(l, rows->local), gj__local(l, columns->local));
  gj_ls_store(l->m, l->f, l->block, c->out, at, gj__contract_zero(c));
}

// Products k … k + count - 1 of all rows and columns, added to what is there or, with `first`, to
// 0.
static void add_products(gj__contract *c, gj_lblock *into, const gj_lexpr *k, int64_t count,
                         bool first) {
  gj__lower *l = c->l;
  const gj_lexpr *factors[STREAMS];
  gj_lstmt *rows = loop(c, into, "r", c->row_range, 1, 0);
  const gj_lexpr *row = gj__local(l, rows->local);
  for (int64_t i = 0; i < count; i++)
    factors[i] = gj__contract_element(c, c->rows_of, row, gj__add(l, k, gj__i64(l, i)));
  gj_lstmt *columns = loop(c, &rows->body, "c", c->column_range, 1, GJ_LOOP_VECTOR);
  const gj_lexpr *column = gj__local(l, columns->local);
  const gj_lexpr *at = gj__contract_at(c, row, column);
  const gj_lexpr *sum = gj__contract_zero(c);
  if (!first)
    sum = gj__let(l, "sum", gj_lx_load(l->m, c->out, at, 1));
  for (int64_t i = 0; i < count; i++) {
    const gj_lexpr *other =
        gj__contract_element(c, c->columns_of, column, gj__add(l, k, gj__i64(l, i)));
    sum = gj__let(l, "sum", gj__contract_add(c, sum, factors[i], other));
  }
  gj_ls_store(l->m, l->f, l->block, c->out, at, sum);
}

void gj__contract_direct(gj__contract *c, gj_lblock *into) {
  gj__lower *l = c->l;
  bool known = c->products->kind == GJ_LX_CONST;
  int64_t products = known ? c->products->value.v.i : 0;
  gj__enter(l, into);
  if (known && products > 0 && products <= STREAMS) {
    add_products(c, into, gj__i64(l, 0), products, true);
    return;
  }
  clear(c, into);
  gj__enter(l, into);
  const gj_lexpr *full = gj_lx_binary(l->m, GJ_OP_and, c->products, gj__i64(l, -STREAMS));
  if (known)
    full = gj__i64(l, products & -STREAMS);
  full = gj__keep(l, "full", full);
  gj_lstmt *many = loop(c, into, "k", (gj__range){gj__i64(l, 0), full}, STREAMS, 0);
  gj__poll(l, &many->body);
  add_products(c, &many->body, gj__local(l, many->local), STREAMS, false);
  if (known) {
    gj__enter(l, into);
    if (products & (STREAMS - 1))
      add_products(c, into, full, products & (STREAMS - 1), false);
    return;
  }
  gj_lstmt *single = loop(c, into, "k", (gj__range){full, c->products}, 1, 0);
  add_products(c, &single->body, gj__local(l, single->local), 1, false);
}
