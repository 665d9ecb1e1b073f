// Running reductions along one axis: sums, products, least and greatest so far.
//
// Rows, where the axis is the innermost, are in cumulate_row.c. Columns: when elements behind the
// axis are neighbours in memory, they are the vector loop, and each runs down its line. But only
// for a strip of some rows: what is carried then rests in an array, which stays in the nearest
// cache, and the next columns follow, up to the end of a panel. Going all the way down a few
// columns would touch a page of memory per element. Where there are few columns anyway, strips are
// long.
//
// What a float sum carries is kept as in whole sums (kernels/reduce/state.c): for f32 in f64, for
// f64 as a pair (hi, lo) by Knuth's TwoSum. So errors do not grow with the length. A pair of f32
// would not do: what lo loses counts by the square of the number of elements, which after some
// millions is more than the digits that hi has. The order depends on shapes alone. Blocks of
// columns are shared among threads. Left out: dividing few long columns, for which sums would need
// another order.
#include "lower/kernels/cumulate.h"

enum {
  PANEL = 512,         // columns
  COLUMNS_BLOCK = 256, // that are worth a thread's attention
  FEW_COLUMNS = 64,
  STRIP = 8, // rows
  LONG_STRIP = 4096,
  COLUMN_VECTORS = 4
};

static const gj_lexpr *loop(gj__scan *s, gj_lblock *into, const char *name, const gj_lexpr *lo,
                            const gj_lexpr *hi, uint8_t marks) {
  gj__lower *l = s->l;
  gj_lstmt *made = gj_ls_for(l->m, l->f, into, name, lo, hi, 1, marks, 1);
  gj__enter(l, &made->body);
  return gj__local(l, made->local);
}

// --- columns ---

// What is carried in a panel that begins at column `first`.
typedef struct panel {
  gj__state carries;
  const gj_lexpr *first;
} panel;

static void begin_panel(gj__scan *s, gj_lblock *into, const panel *p, gj__range columns) {
  gj__lower *l = s->l;
  const gj_lexpr *i = loop(s, into, "i", columns.lo, columns.hi, GJ_LOOP_VECTOR);
  gj__state_clear(&s->reducer, p->carries, gj__sub(l, i, p->first));
}

// Rows of a strip of the panel: `at`, but for the places along the axis and along `inner`.
static void scan_strip(gj__scan *s, gj_lblock *into, const panel *p, gj__range columns,
                       gj__range rows, gj__index *at, uint8_t inner) {
  gj__lower *l = s->l;
  gj__reducer *r = &s->reducer;
  gj_lstmt *each =
      gj_ls_for(l->m, l->f, into, "i", columns.lo, columns.hi, 1, GJ_LOOP_VECTOR, COLUMN_VECTORS);
  into = &each->body;
  gj__enter(l, into);
  at->at[inner] = gj__local(l, each->local);
  const gj_lexpr *place = gj__let(l, "place", gj__sub(l, at->at[inner], p->first));
  gj__state carry = gj__state_new(r, into, "carry", 0);
  gj__state_copy(r, carry, NULL, p->carries, place);
  at->at[s->axis] = loop(s, into, "r", rows.lo, rows.hi, 0);
  gj__element v = {gj__let(l, "v", gj__value(l, s->arg, at)), NULL};
  gj__state_add(r, carry, NULL, gj__widened(r, v));
  gj__state_result(r, carry, NULL, NULL);
  gj_ls_store(l->m, l->f, l->block, s->out, gj__flatten(l, &s->type, at), r->value);
  gj__enter(l, into);
  gj__state_copy(r, p->carries, place, carry, NULL);
}

// Columns along axis `inner`, panel by panel.
static void scan_columns(gj__scan *s, gj_lblock *into, panel *p, gj__index *at, uint8_t inner,
                         gj__range columns) {
  gj__lower *l = s->l;
  const gj_lexpr *few = gj__less(l, gj__dim(l, s->type.shape[inner]), FEW_COLUMNS);
  const gj_lexpr *length = gj__dim(l, s->type.shape[s->axis]);
  const gj_lexpr *high =
      gj__let(l, "high", gj_lx_select(l->m, few, gj__i64(l, LONG_STRIP), gj__i64(l, STRIP)));
  const gj_lexpr *up = gj__add(l, length, gj__sub(l, high, gj__i64(l, 1)));
  const gj_lexpr *strips = gj__let(l, "strips", gj_lx_binary(l->m, GJ_OP_div, up, high));
  into = gj__chunks(l, into, columns.lo, columns.hi, PANEL, &columns);
  p->first = columns.lo;
  begin_panel(s, into, p, columns);
  gj_lstmt *each = gj_ls_for(l->m, l->f, into, "s", gj__i64(l, 0), strips, 1, 0, 1);
  gj__poll(l, &each->body);
  gj__enter(l, &each->body);
  const gj_lexpr *top = gj__let(l, "top", gj__mul(l, gj__local(l, each->local), high));
  const gj_lexpr *end = gj__let(l, "end", gj__min(l, gj__add(l, top, high), length));
  scan_strip(s, &each->body, p, columns, (gj__range){top, end}, at, inner);
}

// --- kernels ---

// Whether the axis is the innermost that has a loop.
static bool is_rows(const gj__scan *s) {
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(&s->type, axes);
  return count == 0 || axes[count - 1] <= s->axis;
}

static gj__scan scan_of(gj__lower *l, const gj_kernel *kernel) {
  gj_ref ref = kernel->stores[0].ref;
  const gj_node *node = gj_graph_node(l->graph, ref);
  gj__scan s = {.l = l,
                .arg = node->args[0],
                .type = node->type,
                .axis = (uint8_t)gj_node_int(node, GJ_ATTR_axis),
                .out = l->buffers[kernel->stores[0].buffer]};
  gj__reducer_init(&s.reducer, l, ref);
  s.reducer.counts = false; // how many ones there are so far takes a loop
  return s;
}

// Rows are units, unless threads share each of them; of columns steps of the outermost loop over
// them, or blocks where it is the only one.
void gj__divide_cumulate(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->stores[0].ref);
  gj__scan s = scan_of(l, kernel);
  uint8_t axis = s.axis;
  if (is_rows(&s)) {
    l->work.split = gj__splits_running_rows(&s);
    if (!l->work.split)
      gj__add_line_units(l, &node->type, axis);
    return;
  }
  gj_type *kept = gj_arena_alloc(&l->scratch, sizeof *kept);
  gj_type *running = gj_arena_alloc(&l->scratch, sizeof *running);
  if (!kept || !running) {
    l->out_of_memory = true;
    return;
  }
  *kept = node->type;
  kept->shape[axis] = 1;
  *running = (gj_type){.dtype = kept->dtype, .rank = 1, .shape = {node->type.shape[axis]}};
  gj__units units = gj__outermost_units(kept);
  gj_dim columns = gj_type_size(gj_graph_dims(l->graph), kept);
  if (units.blocks && gj_dim_is_const(columns) && columns <= COLUMNS_BLOCK)
    return;
  if (units.blocks)
    l->work.block = COLUMNS_BLOCK;
  units.each = running;
  gj__add_units(l, units);
}

// The columns of this call: loops over the kept axes but the innermost.
static void columns_loop(gj__scan *s, const gj_type *kept) {
  gj__lower *l = s->l;
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(kept, axes);
  gj__share share = gj__share_of(l, 0);
  gj_lblock *into = &l->f->body;
  gj__index *at = gj__index_new(l);
  for (uint8_t i = 0; i < kept->rank; i++)
    at->at[i] = gj__i64(l, 0);
  panel p = {.carries = gj__state_new(&s->reducer, &l->f->body, "carries", PANEL)};
  gj__range range = {NULL, NULL};
  for (unsigned k = 0; k < count; k++) {
    range = (gj__range){gj__i64(l, 0), gj__dim(l, kept->shape[axes[k]])};
    if (k == 0 && share.divided)
      range = gj__share_elements(l, &share, range.hi);
    if (k + 1 == count)
      break;
    gj_lstmt *each = gj_ls_for(l->m, l->f, into, "o", range.lo, range.hi, 1, 0, 1);
    into = &each->body;
    at->at[axes[k]] = gj__local(l, each->local);
  }
  gj__enter(l, into);
  scan_columns(s, into, &p, at, axes[count - 1], range);
}

void gj__lower_cumulate_part(gj__lower *l, const gj_kernel *kernel) {
  gj__scan s = scan_of(l, kernel);
  gj__scan_rows_part(&s);
}

void gj__lower_cumulate(gj__lower *l, const gj_kernel *kernel) {
  gj__scan s = scan_of(l, kernel);
  gj_type kept = s.type;
  kept.shape[s.axis] = 1;
  gj__enter(l, &l->f->body);
  if (is_rows(&s))
    gj__scan_rows(&s);
  else
    columns_loop(&s, &kept);
}
