// Tiles: a vector loop over columns inside a loop over rows, where some operand is read transposed,
// so that its elements are contiguous from row to row instead of from column to column.
//
//   for r = 0 to n {                        for b = 0 to n step 16 {
//     if (cancelled) { … }                    if (cancelled) { … }
//     for c = 0 to k vector {                 for c = 0 to k step 8 {
//       z[r·k + c] = x[c·n + r]                 for r = b to min(b + 16, n) step 8 {
//     }                           becomes         tile<8> t = x[c·n + r by n]
//   }                                             z[r·k + c] = t[0:8]
//                                                 z[(r + 1)·k + c] = t[8:8] …
//
// The last tile of a row or column overlaps the one before. So all iterations must be such that
// they can be done again, and there have to be as many rows and columns as a tile has; otherwise
// the loops stay as they are.
//
// Blocks of 16 rows keep few pages and lines in use on either side. Rows are far apart, so that a
// processor foresees none of them: what will be read and written some tiles later is asked for in
// advance. Stores would otherwise wait for one line after the other, and a transpose take several
// times as long as a copy.
//
// Left out: tiles under a mask, and loads that are transposed behind a local index.
#include "loops/vectorise/tile.h"

#include "loops/copy.h"
#include "loops/rules.h"
#include "loops/vectorise/lanes.h"
#include "loops/vectorise/strip.h"
#include "loops/vectorise/widen.h"

#include <stdlib.h>

enum {
  BLOCK = 16,        // rows
  AHEAD = 128,       // bytes of a row from which on something is asked for in advance
  MAX_TURNED = 8,    // loads
  MAX_LAID_OUT = 160 // statements, of all rows of a tile together
};

typedef struct tiling {
  gj_lmodule *m;
  gj_lfunc *f;
  const gj_lstmt *rows, *columns;
  gj__lanes lanes; // of columns
  unsigned side;
  bool fetch;
  gj__turned turned[MAX_TURNED];
  uint32_t turned_count;
  const gj_lexpr *row_lo, *row_hi, *column_lo, *column_hi;
} tiling;

// --- which loads ---

static bool is_number(const gj_lexpr *e, int64_t value) {
  return e && e->kind == GJ_LX_CONST && e->type.dtype == GJ_DTYPE_i64 && e->value.v.i == value;
}

static const gj_lexpr *binary(tiling *t, gj_op op, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(t->m, op, a, b);
}

static const gj_lexpr *slope(tiling *t, const gj_lexpr *e, uint32_t local);

static const gj_lexpr *slope_op(tiling *t, const gj_lexpr *e, uint32_t local) {
  const gj_lexpr *parts[3];
  bool flat = true;
  for (uint32_t i = 0; i < e->arg_count; i++) {
    parts[i] = slope(t, e->args[i], local);
    if (!parts[i])
      return NULL;
    flat = flat && is_number(parts[i], 0);
  }
  if (flat)
    return gj_lx_i64(t->m, 0);
  if (e->type.dtype != GJ_DTYPE_i64)
    return NULL;
  if (e->op == GJ_OP_add || e->op == GJ_OP_sub)
    return binary(t, (gj_op)e->op, parts[0], parts[1]);
  for (int k = 0; e->op == GJ_OP_mul && k < 2; k++)
    if (is_number(parts[k], 0))
      return binary(t, GJ_OP_mul, parts[1 - k], e->args[k]);
  return NULL;
}

// How much `e` grows with each step of a loop variable, the same everywhere; NULL when unknown.
static const gj_lexpr *slope(tiling *t, const gj_lexpr *e, uint32_t local) {
  if (e->kind == GJ_LX_LOCAL)
    return t->lanes.inside[e->index] ? NULL : gj_lx_i64(t->m, e->index == local);
  if (e->kind == GJ_LX_OP)
    return slope_op(t, e, local);
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (!is_number(slope(t, e->args[i], local), 0))
      return NULL;
  return gj_lx_i64(t->m, 0);
}

// Whether the lanes of a load lie far apart, and those of the rows next to each other.
static bool is_turned(tiling *t, const gj_lexpr *load) {
  const gj_lexpr *p = load->args[0], *index = load->args[1];
  uint32_t row = t->rows->local, column = t->columns->local;
  gj__form form = gj__lanes_address(&t->lanes, p, index);
  bool far = form.kind == GJ__FORM_VARYING ||
             (form.kind == GJ__FORM_AFFINE &&
              (form.stride > GJ_MAX_STRIDE || form.stride < -GJ_MAX_STRIDE));
  return far && is_number(slope(t, p, row), 0) && is_number(slope(t, p, column), 0) &&
         is_number(slope(t, index, row), 1) && slope(t, index, column);
}

static void find_turned(tiling *t, const gj_lexpr *e) {
  for (uint32_t i = 0; i < e->arg_count; i++)
    find_turned(t, e->args[i]);
  if (e->kind != GJ_LX_LOAD || t->turned_count == MAX_TURNED || !is_turned(t, e))
    return;
  for (uint32_t i = 0; i < t->turned_count; i++)
    if (t->turned[i].load == e)
      return;
  t->turned[t->turned_count++].load = e;
}

// The same for all loads of the body, of which there are some when it returns true. A body with
// control flow of its own is left alone.
static bool find_loads(tiling *t) {
  const gj_lblock *body = &t->columns->body;
  for (uint32_t i = 0; i < body->count; i++) {
    const gj_lstmt *s = body->stmts[i];
    const gj_lexpr *const parts[] = {s->a, s->b, s->c};
    if (s->kind != GJ_LS_LET && s->kind != GJ_LS_SET && s->kind != GJ_LS_STORE)
      return false;
    for (int k = 0; k < 3; k++)
      if (parts[k])
        find_turned(t, parts[k]);
  }
  return t->turned_count > 0;
}

// --- may tiles overlap? ---

static bool makes_array(const gj_lblock *b, uint32_t local) {
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    if ((s->kind == GJ_LS_ARRAY && s->local == local) || makes_array(&s->body, local) ||
        makes_array(&s->orelse, local))
      return true;
  }
  return false;
}

// Whether all that `e` reads is behind params that are only read.
static bool reads_params(const gj_lfunc *f, const gj_lexpr *e) {
  const gj_lexpr *p = e->kind == GJ_LX_LOAD ? e->args[0] : NULL;
  while (p && p->kind == GJ_LX_OFFSET)
    p = p->args[0];
  if (p && p->kind != GJ_LX_DATA &&
      (p->kind != GJ_LX_LOCAL || !(f->locals[p->index].flags & GJ_LOCAL_READONLY)))
    return false;
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (!reads_params(f, e->args[i]))
      return false;
  return true;
}

// Whether the body copies what the function was given into an array of its own: then nobody reads
// what it writes, as where stores go to params.
static bool fills_array(const gj_lfunc *f, const gj_lblock *body) {
  for (uint32_t i = 0; i < body->count; i++) {
    const gj_lstmt *s = body->stmts[i];
    if ((s->a && !reads_params(f, s->a)) || (s->b && !reads_params(f, s->b)) ||
        (s->c && !reads_params(f, s->c)))
      return false;
    if (s->kind == GJ_LS_STORE &&
        (s->a->kind != GJ_LX_LOCAL || !makes_array(&f->body, s->a->index)))
      return false;
  }
  return true;
}

// --- which loops ---

// Before the vector loop a row may only ask whether the run was cancelled.
static bool find_columns(tiling *t) {
  const gj_lblock *body = &t->rows->body;
  if (t->rows->count != 1 || body->count == 0)
    return false;
  for (uint32_t i = 0; i + 1 < body->count; i++)
    if (body->stmts[i]->kind != GJ_LS_IF || body->stmts[i]->a->kind != GJ_LX_CANCELLED)
      return false;
  t->columns = body->stmts[body->count - 1];
  return t->columns->kind == GJ_LS_FOR && (t->columns->marks & GJ_LOOP_VECTOR) &&
         t->columns->count == 1;
}

static unsigned at_most(unsigned side, int64_t trip) {
  while (trip >= 0 && side > 1 && trip < side)
    side /= 2;
  return side;
}

static unsigned choose_side(const tiling *t, const gj_loops_machine *machine) {
  unsigned native = machine->vector_bytes / t->lanes.widest;
  native = native < GJ_MAX_TILE ? native : GJ_MAX_TILE;
  unsigned side = at_most(native, gj__strip_trip(t->rows));
  side = at_most(side, gj__strip_trip(t->columns));
  return side == native || side >= 4 ? side : 0;
}

// --- pieces ---

static const gj_lexpr *number(tiling *t, int64_t value) { return gj_lx_i64(t->m, value); }

static const gj_lexpr *local(tiling *t, uint32_t index) { return gj_lx_local(t->m, t->f, index); }

static const gj_lexpr *once(tiling *t, gj_lblock *to, const char *name, const gj_lexpr *e) {
  if (e->kind == GJ_LX_CONST || e->kind == GJ_LX_LOCAL)
    return e;
  return local(t, gj_ls_let(t->m, t->f, to, name, e));
}

// `e` for another row and column.
static const gj_lexpr *moved(tiling *t, const gj_lexpr *e, const gj_lexpr *row,
                             const gj_lexpr *column) {
  gj__lcopy copy;
  if (!gj__lcopy_init(&copy, t->m, t->f))
    return e;
  copy.replace[t->rows->local] = row;
  copy.replace[t->columns->local] = column;
  e = gj__lcopy_expr(&copy, e);
  free(copy.replace);
  return e;
}

// A loop from lo to hi in steps of the side, and in it where the tile begins: the last one ends
// with the last of `end`.
static gj_lblock *tile_loop(tiling *t, gj_lblock *to, const gj_lstmt *loop, const gj_lexpr *lo,
                            const gj_lexpr *hi, const gj_lexpr *end, const gj_lexpr **out_at) {
  gj_lstmt *made = gj_ls_for(t->m, t->f, to, t->m->failed ? "i" : t->f->locals[loop->local].name,
                             lo, hi, t->side, 0, 0);
  int64_t trip = gj__strip_trip(loop);
  *out_at = local(t, made->local);
  if (trip < 0 || trip % t->side != 0)
    *out_at = once(t, &made->body, "at",
                   binary(t, GJ_OP_min, *out_at, binary(t, GJ_OP_sub, end, number(t, t->side))));
  return &made->body;
}

// --- asking in advance ---

static void fetch(tiling *t, gj_lblock *to, const gj_lexpr *p, const gj_lexpr *index,
                  const gj_lexpr *row, const gj_lexpr *column, uint8_t marks) {
  const gj_lexpr *at = gj_lx_offset(t->m, moved(t, p, row, column), moved(t, index, row, column));
  gj_ls_fetch(t->m, t->f, to, at, marks);
}

static bool is_plain(const tiling *t, const gj_lexpr *load) {
  gj__form form = gj__lanes_address(&t->lanes, load->args[0], load->args[1]);
  return form.kind == GJ__FORM_AFFINE && form.stride == 1;
}

static bool is_outside(const tiling *t, const gj_lexpr *e) {
  if (e->kind == GJ_LX_LOCAL && t->lanes.inside[e->index])
    return false;
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (!is_outside(t, e->args[i]))
      return false;
  return true;
}

static void fetch_loads(tiling *t, gj_lblock *to, const gj_lexpr *e, const gj_lexpr *row,
                        const gj_lexpr *column) {
  for (uint32_t i = 0; i < e->arg_count; i++)
    fetch_loads(t, to, e->args[i], row, column);
  if (e->kind == GJ_LX_LOAD && is_plain(t, e) && is_outside(t, e))
    fetch(t, to, e->args[0], e->args[1], row, column, 0);
}

// What tiles further on in the same rows will touch, as much of it as belongs to one of the rows,
// and of the transposed loads to one of the columns. Accesses may begin anywhere in a line, so it
// is the last element of them that is asked for.
static void fetch_row(tiling *t, gj_lblock *to, const gj_lexpr *first, const gj_lexpr *column,
                      const gj_lexpr *k) {
  const gj_lblock *body = &t->columns->body;
  const gj_lexpr *ahead = binary(t, GJ_OP_add, column, number(t, AHEAD / t->lanes.widest));
  const gj_lexpr *last = number(t, t->side - 1), *row = binary(t, GJ_OP_add, first, k);
  for (uint32_t i = 0; i < t->turned_count; i++) {
    const gj_lexpr *load = t->turned[i].load;
    fetch(t, to, load->args[0], load->args[1], binary(t, GJ_OP_add, first, last),
          binary(t, GJ_OP_add, ahead, k), 0);
  }
  ahead = binary(t, GJ_OP_add, ahead, last);
  for (uint32_t i = 0; i < body->count; i++) {
    const gj_lstmt *s = body->stmts[i];
    if (s->kind == GJ_LS_STORE && is_outside(t, s->a) && is_outside(t, s->b))
      fetch(t, to, s->a, s->b, row, ahead, GJ_FETCH_WRITE);
    const gj_lexpr *value = s->kind == GJ_LS_STORE ? s->c : s->a;
    fetch_loads(t, to, value, row, ahead);
  }
}

// --- a tile ---

static void one_row(tiling *t, gj_lblock *to, const gj_lexpr *first, const gj_lexpr *column,
                    const gj_lexpr *k) {
  if (t->m->failed)
    return;
  if (t->fetch)
    fetch_row(t, to, first, column, k);
  gj__widen_tile tile = {.row = t->rows->local,
                         .row_at = binary(t, GJ_OP_add, first, k),
                         .number = k,
                         .turned = t->turned,
                         .turned_count = t->turned_count};
  gj__widen(t->m, t->f, &t->lanes, t->side, column, (gj__widen_how){.tile = &tile}, to);
}

static void one_tile(tiling *t, gj_lblock *to, const gj_lexpr *row, const gj_lexpr *column) {
  for (uint32_t i = 0; i < t->turned_count; i++) {
    const gj_lexpr *p = t->turned[i].load->args[0], *index = t->turned[i].load->args[1];
    const gj_lexpr *stride = slope(t, index, t->columns->local);
    gj_ls_tile(t->m, t->f, to, t->side, t->turned[i].lanes, p, moved(t, index, row, column),
               stride);
  }
  bool laid_out = !t->lanes.heavy && t->columns->body.count * t->side <= MAX_LAID_OUT;
  for (unsigned k = 0; laid_out && k < t->side; k++)
    one_row(t, to, row, column, number(t, k));
  if (!laid_out) {
    gj_lstmt *loop = gj_ls_for(t->m, t->f, to, "k", number(t, 0), number(t, t->side), 1, 0, 0);
    one_row(t, &loop->body, row, column, local(t, loop->local));
  }
}

// Blocks of rows; what a row does first is done for each of them.
static void blocks(tiling *t, gj_lblock *to) {
  for (uint32_t i = 0; i < t->turned_count; i++) {
    gj_dtype dtype = (gj_dtype)t->turned[i].load->type.dtype;
    t->turned[i].lanes =
        local(t, gj_ls_array(t->m, t->f, to, "turned", dtype, (int64_t)t->side * t->side));
  }
  gj_lstmt *block = gj_ls_for(t->m, t->f, to, "b", t->row_lo, t->row_hi, BLOCK, 0, 0);
  const gj_lexpr *b = local(t, block->local), *column, *row;
  for (uint32_t i = 0; i + 1 < t->rows->body.count; i++)
    gj__ls_append(t->m, t->f, &block->body, t->rows->body.stmts[i]);
  const gj_lexpr *end =
      once(t, &block->body, "end",
           binary(t, GJ_OP_min, binary(t, GJ_OP_add, b, number(t, BLOCK)), t->row_hi));
  gj_lblock *in_column =
      tile_loop(t, &block->body, t->columns, t->column_lo, t->column_hi, t->column_hi, &column);
  gj_lblock *in_row = tile_loop(t, in_column, t->rows, b, end, t->row_hi, &row);
  if (!t->m->failed)
    one_tile(t, in_row, row, column);
}

// Where the tiles go: a branch, when sizes are not known to suffice.
static gj_lblock *if_large(tiling *t, gj_lblock *to) {
  t->row_lo = once(t, to, "first", t->rows->a);
  t->row_hi = once(t, to, "last", t->rows->b);
  t->column_lo = once(t, to, "lo", t->columns->a);
  t->column_hi = once(t, to, "hi", t->columns->b);
  const gj_lexpr *rows = binary(t, GJ_OP_sub, t->row_hi, t->row_lo);
  const gj_lexpr *columns = binary(t, GJ_OP_sub, t->column_hi, t->column_lo);
  bool known_rows = gj__strip_trip(t->rows) >= 0, known_columns = gj__strip_trip(t->columns) >= 0;
  if (known_rows && known_columns)
    return to;
  const gj_lexpr *least = known_rows      ? columns
                          : known_columns ? rows
                                          : binary(t, GJ_OP_min, rows, columns);
  gj_lstmt *choice = gj_ls_if(t->m, t->f, to, binary(t, GJ_OP_ge, least, number(t, t->side)));
  gj__ls_append(t->m, t->f, &choice->orelse, t->rows);
  return &choice->body;
}

unsigned gj__tile(gj_lmodule *m, gj_lfunc *f, const gj_lstmt *rows, const gj_loops_machine *machine,
                  gj_lblock *to) {
  tiling t = {.m = m, .f = f, .rows = rows};
  if (!find_columns(&t))
    return 0;
  if (gj__lanes_init(&t.lanes, f, t.columns) && !t.lanes.appends &&
      is_number(slope(&t, t.columns->a, rows->local), 0) &&
      is_number(slope(&t, t.columns->b, rows->local), 0) &&
      (gj__strip_repeatable(f, &t.columns->body) || fills_array(f, &t.columns->body)) &&
      find_loads(&t))
    t.side = choose_side(&t, machine);
  int64_t trip = gj__strip_trip(t.columns);
  t.fetch = trip < 0 || trip > 4 * AHEAD / (int64_t)t.lanes.widest;
  if (t.side)
    blocks(&t, if_large(&t, to));
  gj__lanes_fini(&t.lanes);
  return t.side;
}
