// Contractions through packed panels, with a tile of the result in registers.
//
//   for p = 0 to products step depth {
//     rows p … p + depth of all rows of the unit, packed           stays in the second cache
//     for j = the columns of the unit step tile_columns {
//       the same of those columns, packed                          stays in the first cache
//       for i = 0 to the rows of the unit step tile_rows {
//         tile_rows · tile_columns running values, loaded from the result (0 at first)
//         for k { running values += rows[i …, k] · columns[k, j …] }
//         running values to the result
//       } } }
//
// (The loops of Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, ACM TOMS
// 34, 2008, but that a panel of columns is packed when it is needed, by everybody who needs it: so
// units share nothing.) A tile always has all its rows and columns; what is behind the edge of the
// unit is zeros, and goes to a tile in memory instead of the result, of which the rest is copied.
// Packing puts operands into order whatever order they were in, converts and computes them.
#include "lower/kernels/contract/contract.h"

// What is at work, as expressions.
typedef struct step {
  gj__contract *c;
  const gj__panels *panels;
  const gj_lexpr *first, *depth;    // products: where they begin, how many
  const gj_lexpr *rows;             // of the unit
  const gj_lexpr *column, *columns; // of the panel: where it begins, how many
  const gj_lexpr *to, *at, *pitch;  // where the tile is stored
} step;

static gj_lstmt *loop(const step *s, gj_lblock *into, const char *name, const gj_lexpr *lo,
                      const gj_lexpr *hi, int64_t by, uint8_t marks) {
  gj__lower *l = s->c->l;
  uint8_t vectors = marks & GJ_LOOP_VECTOR ? s->c->sizes.vectors : 1;
  gj_lstmt *made = gj_ls_for(l->m, l->f, into, name, lo, hi, by, marks, vectors);
  gj__enter(l, &made->body);
  return made;
}

// Whether `e` is known to be a multiple.
static bool divides(const gj_lexpr *e, int64_t by) {
  return e->kind == GJ_LX_CONST && e->value.v.i % by == 0;
}

static const gj_lexpr *zero(const step *s) { return gj__i64(s->c->l, 0); }

gj__panels gj__contract_panels(gj__contract *c) {
  gj__lower *l = c->l;
  const gj__contract_sizes *s = &c->sizes;
  gj_dtype dtype = c->node->type.dtype;
  gj_lblock *top = &l->f->body;
  uint32_t rows = gj_ls_array(l->m, l->f, top, "rows", dtype, s->block_rows * s->pitch);
  uint32_t columns = gj_ls_array(l->m, l->f, top, "columns", dtype, s->depth * s->tile_columns);
  uint32_t tile = gj_ls_array(l->m, l->f, top, "tile", dtype, s->tile_rows * s->tile_columns);
  return (gj__panels){gj__local(l, rows), gj__local(l, columns), gj__local(l, tile)};
}

// --- packing ---

static void pack_rows(step *s, gj_lblock *into) {
  gj__contract *c = s->c;
  gj__lower *l = c->l;
  uint8_t tiles = c->crossed[c->rows_of] ? 0 : GJ_LOOP_TILE;
  gj_lstmt *rows = loop(s, into, "i", zero(s), s->rows, 1, tiles);
  gj_lstmt *all = loop(s, &rows->body, "k", zero(s), s->depth, 1, GJ_LOOP_VECTOR);
  const gj_lexpr *i = gj__local(l, rows->local), *k = gj__local(l, all->local);
  const gj_lexpr *row = gj__add(l, c->row_range.lo, i), *product = gj__add(l, s->first, k);
  const gj_lexpr *at = gj__add(l, gj__mul(l, i, gj__i64(l, c->sizes.pitch)), k);
  const gj_lexpr *value = gj__contract_element(c, c->rows_of, row, product);
  gj_ls_store(l->m, l->f, l->block, s->panels->rows, at, value);
}

// Rows of the last tile that the unit does not have.
static void clear_rows(step *s, gj_lblock *into) {
  gj__lower *l = s->c->l;
  int64_t tile = s->c->sizes.tile_rows;
  if (divides(s->c->rows, tile))
    return;
  gj__enter(l, into);
  const gj_lexpr *tiles =
      gj__divide(l, gj__add(l, s->rows, gj__i64(l, tile - 1)), gj__i64(l, tile));
  const gj_lexpr *end = gj__mul(l, tiles, gj__i64(l, tile));
  gj_lstmt *rows = loop(s, into, "i", s->rows, end, 1, 0);
  gj_lstmt *all = loop(s, &rows->body, "k", zero(s), s->depth, 1, GJ_LOOP_VECTOR);
  const gj_lexpr *from = gj__mul(l, gj__local(l, rows->local), gj__i64(l, s->c->sizes.pitch));
  gj_ls_store(l->m, l->f, l->block, s->panels->rows, gj__add(l, from, gj__local(l, all->local)),
              gj__contract_zero(s->c));
}

static void pack_columns(step *s, gj_lblock *into, const gj_lexpr *count) {
  gj__contract *c = s->c;
  gj__lower *l = c->l;
  uint8_t tiles = c->crossed[c->columns_of] ? GJ_LOOP_TILE : 0;
  gj_lstmt *all = loop(s, into, "k", zero(s), s->depth, 1, tiles);
  gj_lstmt *columns = loop(s, &all->body, "j", zero(s), count, 1, GJ_LOOP_VECTOR);
  const gj_lexpr *j = gj__local(l, columns->local), *k = gj__local(l, all->local);
  const gj_lexpr *column = gj__add(l, s->column, j), *product = gj__add(l, s->first, k);
  const gj_lexpr *at = gj__add(l, gj__mul(l, k, gj__i64(l, c->sizes.tile_columns)), j);
  const gj_lexpr *value = gj__contract_element(c, c->columns_of, column, product);
  gj_ls_store(l->m, l->f, l->block, s->panels->columns, at, value);
}

// A panel that is full has a loop of constant length; of others what they lack is cleared.
static void pack_panel(step *s, gj_lblock *into) {
  gj__lower *l = s->c->l;
  const gj_lexpr *width = gj__i64(l, s->c->sizes.tile_columns);
  if (s->columns->kind == GJ_LX_CONST && s->columns->value.v.i == s->c->sizes.tile_columns) {
    pack_columns(s, into, width);
    return;
  }
  const gj_lexpr *whole = gj_lx_binary(l->m, GJ_OP_eq, s->columns, width);
  gj_lstmt *choice = gj_ls_if(l->m, l->f, into, whole);
  pack_columns(s, &choice->body, width);
  const gj_lexpr *end = gj__mul(l, s->depth, width);
  gj_lstmt *all = loop(s, &choice->orelse, "j", zero(s), end, 1, GJ_LOOP_VECTOR);
  gj_ls_store(l->m, l->f, l->block, s->panels->columns, gj__local(l, all->local),
              gj__contract_zero(s->c));
  pack_columns(s, &choice->orelse, s->columns);
}

// --- tiles ---

// The running values of a tile whose first row is `i` of the packed ones.
static void compute_tile(step *s, gj_lblock *into, const gj_lexpr *i) {
  gj__contract *c = s->c;
  gj__lower *l = c->l;
  int64_t rows = c->sizes.tile_rows, columns = c->sizes.tile_columns;
  uint32_t sums[GJ_MAX_LANES];
  const gj_lexpr *places[GJ_MAX_LANES];
  gj__enter(l, into);
  const gj_lexpr *from = gj__let(
      l, "from", gj_lx_offset(l->m, s->panels->rows, gj__mul(l, i, gj__i64(l, c->sizes.pitch))));
  gj_lstmt *all = loop(s, into, "j", zero(s), gj__i64(l, columns), 1, GJ_LOOP_VECTOR);
  gj_lblock *body = &all->body;
  const gj_lexpr *j = gj__local(l, all->local);
  for (int64_t r = 0; r < rows; r++) {
    const gj_lexpr *row = gj__mul(l, gj__i64(l, r), s->pitch);
    places[r] = gj__add(l, gj__add(l, s->at, row), j);
    sums[r] = gj_ls_let(l->m, l->f, body, "sum", gj__contract_zero(c));
  }
  if (s->first->kind != GJ_LX_CONST) {
    const gj_lexpr *later = gj_lx_binary(l->m, GJ_OP_gt, s->first, zero(s));
    gj_lstmt *again = gj_ls_if(l->m, l->f, body, later);
    for (int64_t r = 0; r < rows; r++)
      gj_ls_set(l->m, l->f, &again->body, sums[r], gj_lx_load(l->m, s->to, places[r], 1));
  }
  gj_lstmt *products = loop(s, body, "k", zero(s), s->depth, 1, 0);
  const gj_lexpr *k = gj__local(l, products->local);
  const gj_lexpr *at = gj__add(l, gj__mul(l, k, gj__i64(l, columns)), j);
  const gj_lexpr *column = gj__let(l, "column", gj_lx_load(l->m, s->panels->columns, at, 1));
  for (int64_t r = 0; r < rows; r++) {
    const gj_lexpr *place = gj__add(l, k, gj__i64(l, r * c->sizes.pitch));
    const gj_lexpr *row = gj_lx_load(l->m, from, place, 1);
    const gj_lexpr *sum = gj__contract_add(c, gj__local(l, sums[r]), row, column);
    gj_ls_set(l->m, l->f, l->block, sums[r], sum);
  }
  for (int64_t r = 0; r < rows; r++)
    gj_ls_store(l->m, l->f, body, s->to, places[r], gj__local(l, sums[r]));
}

// What the unit has of a tile, between the tile in memory and the result.
static void copy_tile(step *s, gj_lblock *into, const gj_lexpr *i, bool back) {
  gj__contract *c = s->c;
  gj__lower *l = c->l;
  const gj_lexpr *left = gj__sub(l, s->rows, i);
  const gj_lexpr *count = gj__lesser(l, left, gj__i64(l, c->sizes.tile_rows));
  gj_lstmt *rows = loop(s, into, "r", zero(s), count, 1, 0);
  gj_lstmt *columns = loop(s, &rows->body, "j", zero(s), s->columns, 1, GJ_LOOP_VECTOR);
  const gj_lexpr *r = gj__local(l, rows->local), *j = gj__local(l, columns->local);
  const gj_lexpr *row = gj__add(l, gj__add(l, c->row_range.lo, i), r);
  const gj_lexpr *out = gj__contract_at(c, row, gj__add(l, s->column, j));
  const gj_lexpr *at = gj__add(l, gj__mul(l, r, gj__i64(l, c->sizes.tile_columns)), j);
  if (back)
    gj_ls_store(l->m, l->f, l->block, c->out, out, gj_lx_load(l->m, s->panels->tile, at, 1));
  else
    gj_ls_store(l->m, l->f, l->block, s->panels->tile, at, gj_lx_load(l->m, c->out, out, 1));
}

// Where in the result the tile begins whose first row is `i` of the unit.
static const gj_lexpr *tile_at(step *s, const gj_lexpr *i) {
  gj__contract *c = s->c;
  return gj__contract_at(c, gj__add(c->l, c->row_range.lo, i), s->column);
}

// Whether all of the tile is in the result, in rows.
static const gj_lexpr *is_whole(step *s, const gj_lexpr *i) {
  gj__contract *c = s->c;
  gj__lower *l = c->l;
  if (c->rows_of == 1)
    return gj_lx_const(l->m, (gj_scalar){.dtype = GJ_DTYPE_bool});
  const gj_lexpr *behind = gj__add(l, i, gj__i64(l, c->sizes.tile_rows));
  const gj_lexpr *rows = gj_lx_binary(l->m, GJ_OP_le, behind, s->rows);
  const gj_lexpr *width = gj__i64(l, c->sizes.tile_columns);
  return gj_lx_binary(l->m, GJ_OP_and, rows, gj_lx_binary(l->m, GJ_OP_eq, s->columns, width));
}

// A tile of the result, or one beside it where it is not all there or not in rows.
static void tile(step *s, gj_lblock *into, const gj_lexpr *i) {
  gj__contract *c = s->c;
  gj__lower *l = c->l;
  const gj__contract_sizes *sizes = &c->sizes;
  gj__enter(l, into);
  if (c->rows_of == 0 && divides(c->rows, sizes->tile_rows) &&
      divides(c->columns, sizes->tile_columns)) {
    s->to = c->out;
    s->at = gj__let(l, "at", tile_at(s, i));
    s->pitch = c->columns;
    compute_tile(s, into, i);
    return;
  }
  const gj_lexpr *whole = gj__let(l, "whole", is_whole(s, i));
  uint32_t to = gj_ls_let(l->m, l->f, into, "to", s->panels->tile);
  uint32_t at = gj_ls_let(l->m, l->f, into, "at", zero(s));
  uint32_t pitch = gj_ls_let(l->m, l->f, into, "pitch", gj__i64(l, sizes->tile_columns));
  gj_lstmt *inside = gj_ls_if(l->m, l->f, into, whole);
  gj_ls_set(l->m, l->f, &inside->body, to, c->out);
  gj_ls_set(l->m, l->f, &inside->body, at, tile_at(s, i));
  gj_ls_set(l->m, l->f, &inside->body, pitch, c->columns);
  if (s->first->kind != GJ_LX_CONST)
    copy_tile(s, &inside->orelse, i, false);
  s->to = gj__local(l, to);
  s->at = gj__local(l, at);
  s->pitch = gj__local(l, pitch);
  compute_tile(s, into, i);
  gj_lstmt *edge = gj_ls_if(l->m, l->f, into, gj_lx_unary(l->m, GJ_OP_not, whole));
  copy_tile(s, &edge->body, i, true);
}

// Of the `most` places from `lo` on those before `end`, all of them where that divides `size`.
static const gj_lexpr *part(gj__lower *l, const char *name, const gj_lexpr *lo, int64_t most,
                            const gj_lexpr *end, const gj_lexpr *size) {
  if (divides(size, most))
    return gj__i64(l, most);
  return gj__keep(l, name, gj__lesser(l, gj__sub(l, end, lo), gj__i64(l, most)));
}

// The panels of columns of the unit, for the products of one round.
static void each_panel(step *s, gj_lblock *into) {
  gj__contract *c = s->c;
  gj__lower *l = c->l;
  const gj__contract_sizes *sizes = &c->sizes;
  pack_rows(s, into);
  clear_rows(s, into);
  gj_lstmt *panel =
      loop(s, into, "j", c->column_range.lo, c->column_range.hi, sizes->tile_columns, 0);
  s->column = gj__local(l, panel->local);
  s->columns = part(l, "columns", s->column, sizes->tile_columns, c->column_range.hi, c->columns);
  pack_panel(s, &panel->body);
  gj_lstmt *tiles = loop(s, &panel->body, "i", zero(s), s->rows, sizes->tile_rows, 0);
  tile(s, &tiles->body, gj__local(l, tiles->local));
}

void gj__contract_packed(gj__contract *c, const gj__panels *panels, gj_lblock *into) {
  gj__lower *l = c->l;
  int64_t depth = c->sizes.depth;
  step s = {.c = c, .panels = panels, .first = gj__i64(l, 0)};
  gj__enter(l, into);
  s.rows = part(l, "rows", c->row_range.lo, c->sizes.block_rows, c->row_range.hi, c->rows);
  if (c->products->kind == GJ_LX_CONST && c->products->value.v.i <= depth) {
    s.depth = c->products;
    each_panel(&s, into);
    return;
  }
  // Of no products there is one round, which stores zeros.
  const gj_lexpr *end = c->products;
  if (end->kind != GJ_LX_CONST)
    end = gj__let(l, "end", gj__max(l, end, gj__i64(l, 1)));
  gj_lstmt *rounds = loop(&s, into, "p", s.first, end, depth, 0);
  gj__poll(l, &rounds->body);
  gj__enter(l, &rounds->body);
  s.first = gj__local(l, rounds->local);
  s.depth = part(l, "depth", s.first, depth, c->products, c->products);
  each_panel(&s, &rounds->body);
}
