// Reductions of sliding windows.
//
// Each element of the result is its window in row-major order, begun with the start value. The
// innermost axis is the vector loop, the window is walked inside:
//
//   for row … {
//     let from = first position of the window along y that is inside, let to = behind the last
//     for x vector { acc = start; for y = from to to { for w unroll { acc ∘= … } } store acc }
//   }
//
// What is padded changes nothing, so windows are cut where they leave the operand: along outer axes
// that is the same for the whole row. Along the innermost axis most windows lie inside; those that
// do not, at both ends, go one by one.
//
// Rows are units of work; of one long row blocks are. Left out: sharing work between windows that
// overlap. Of sums it would change the order.
#include "lower/context.h"

enum { MOST_UNROLLED = 32, WIDE_VECTORS = 2 };

typedef struct slide {
  gj__lower *l;
  gj_ref arg;
  gj_type from, to;
  const int64_t *window, *stride, *lo, *hi, *dilation;
  gj_op combine;
  gj_dtype dtype; // of the running value
  gj_scalar start;
  const gj_lexpr *out;
  uint8_t loops[GJ_MAX_RANK], loop_count; // axes of the result that have loops
  gj__range cut[GJ_MAX_RANK];             // of the window along each axis, for the row at work
} slide;

static gj_dtype running_dtype(gj_dtype dtype) {
  return gj_dtype_is_float(dtype) && gj_dtype_bytes(dtype) == 2 ? GJ_DTYPE_f32 : dtype;
}

static slide slide_of(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->stores[0].ref);
  const gj_op_info *info = gj_op_get((gj_op)node->op);
  const gj_attr_list *list = node->attrs->list;
  slide s = {.l = l,
             .arg = node->args[0],
             .from = gj_graph_node(l->graph, node->args[0])->type,
             .to = node->type,
             .window = list[GJ_ATTR_window].values,
             .stride = list[GJ_ATTR_stride].values,
             .lo = list[GJ_ATTR_lo].values,
             .hi = list[GJ_ATTR_hi].values,
             .dilation = list[GJ_ATTR_dilation].values,
             .combine = (gj_op)info->combine,
             .dtype = running_dtype(node->type.dtype),
             .out = l->buffers[kernel->stores[0].buffer]};
  s.start = gj_scalar_start((gj_start)info->start, s.dtype);
  s.loop_count = (uint8_t)gj__loop_axes(&s.to, s.loops);
  return s;
}

// Whether no window leaves the operand along `axis`.
static bool stays_inside(const slide *s, uint8_t axis) {
  return s->lo[axis] <= 0 && s->hi[axis] <= 0;
}

// (a + by - 1) / by, at least 0
static const gj_lexpr *steps(gj__lower *l, const gj_lexpr *a, int64_t by) {
  const gj_lexpr *up = gj__greater(l, gj__add(l, a, gj__i64(l, by - 1)), gj__i64(l, 0));
  return by == 1 ? up : gj__divide(l, up, gj__i64(l, by));
}

// Where the window of place `at` along `axis` begins in the operand.
static const gj_lexpr *begins(slide *s, uint8_t axis, const gj_lexpr *at) {
  gj__lower *l = s->l;
  const gj_lexpr *by = gj__mul(l, at, gj__i64(l, s->stride[axis]));
  return gj__add(l, by, gj__i64(l, -s->lo[axis]));
}

// The positions of the window of place `at` along `axis` that are inside the operand.
static gj__range cut_window(slide *s, uint8_t axis, const gj_lexpr *at) {
  gj__lower *l = s->l;
  gj__range all = {gj__i64(l, 0), gj__dim(l, s->window[axis])};
  if (stays_inside(s, axis))
    return all;
  const gj_lexpr *begin = gj__let(l, "begin", begins(s, axis, at));
  const gj_lexpr *first = steps(l, gj__sub(l, gj__i64(l, 0), begin), s->dilation[axis]);
  const gj_lexpr *room = gj__sub(l, gj__dim(l, s->from.shape[axis]), begin);
  const gj_lexpr *end = steps(l, room, s->dilation[axis]);
  return (gj__range){gj__keep(l, "first", first), gj__keep(l, "end", gj__lesser(l, end, all.hi))};
}

// The places along `axis` whose whole windows are inside, cut to `range`.
static gj__range inner_places(slide *s, uint8_t axis, gj__range range) {
  gj__lower *l = s->l;
  const gj_lexpr *by = gj__i64(l, s->stride[axis]), *zero = gj__i64(l, 0), *one = gj__i64(l, 1);
  const gj_lexpr *first = steps(l, gj__i64(l, s->lo[axis]), s->stride[axis]);
  const gj_lexpr *last =
      gj__mul(l, gj__sub(l, gj__dim(l, s->window[axis]), one), gj__i64(l, s->dilation[axis]));
  const gj_lexpr *room = gj__add(l, gj__dim(l, s->from.shape[axis]), gj__i64(l, s->lo[axis]));
  room = gj__add(l, gj__sub(l, room, last), gj__i64(l, s->stride[axis] - 1));
  const gj_lexpr *end = gj__divide(l, gj__greater(l, room, zero), by);
  first = gj__keep(l, "inside", gj__lesser(l, gj__greater(l, first, range.lo), range.hi));
  end = gj__keep(l, "outside", gj__greater(l, gj__lesser(l, end, range.hi), first));
  return (gj__range){first, end};
}

// The loops over a window, the innermost ones laid out where that is short; enters their body and
// fills `at`, the position in the operand.
static void window_loops(slide *s, gj_lblock *into, const gj_lexpr *const *begin, gj__index *at) {
  gj__lower *l = s->l;
  bool laid_out[GJ_MAX_RANK] = {false};
  int64_t copies = 1;
  for (uint8_t axis = s->to.rank; axis-- > 0;) {
    gj__range r = s->cut[axis];
    bool known = r.lo->kind == GJ_LX_CONST && r.hi->kind == GJ_LX_CONST;
    if (known && r.hi->value.v.i <= MOST_UNROLLED / copies) {
      laid_out[axis] = true;
      copies *= r.hi->value.v.i > 0 ? r.hi->value.v.i : 1;
    } else {
      copies = MOST_UNROLLED + 1;
    }
  }
  for (uint8_t axis = 0; axis < s->to.rank; axis++) {
    at->at[axis] = begin[axis];
    if (s->window[axis] == 1 && stays_inside(s, axis))
      continue;
    gj_lstmt *each = gj_ls_for(l->m, l->f, into, "w", s->cut[axis].lo, s->cut[axis].hi, 1,
                               laid_out[axis] ? GJ_LOOP_UNROLL : 0, 1);
    const gj_lexpr *step = gj__mul(l, gj__local(l, each->local), gj__i64(l, s->dilation[axis]));
    at->at[axis] = gj__add(l, begin[axis], step);
    into = &each->body;
  }
  gj__enter(l, into);
}

// The element at `place`, into the result.
static void reduce_window(slide *s, gj_lblock *into, gj__index *place) {
  gj__lower *l = s->l;
  const gj_lexpr *begin[GJ_MAX_RANK];
  gj__enter(l, into);
  for (uint8_t axis = 0; axis < s->to.rank; axis++)
    begin[axis] = begins(s, axis, place->at[axis]);
  uint32_t all = gj_ls_let(l->m, l->f, into, "all", gj_lx_const(l->m, s->start));
  gj__index *at = gj__index_new(l);
  window_loops(s, into, begin, at);
  const gj_lexpr *v = gj_lx_convert(l->m, gj__value(l, s->arg, at), s->dtype);
  gj_ls_set(l->m, l->f, l->block, all, gj_lx_binary(l->m, s->combine, gj__local(l, all), v));
  const gj_lexpr *result = gj_lx_convert(l->m, gj__local(l, all), s->to.dtype);
  gj__enter(l, into);
  gj_ls_store(l->m, l->f, into, s->out, gj__flatten(l, &s->to, place), result);
}

// Places `range` of a row; `whole`: their windows are inside along the axis.
static void places(slide *s, gj_lblock *into, const gj__index *row, uint8_t axis, gj__range range,
                   bool whole) {
  gj__lower *l = s->l;
  uint8_t factor = l->narrow > 1 ? 1 : WIDE_VECTORS;
  gj_lstmt *each = gj_ls_for(l->m, l->f, into, whole ? "i" : "e", range.lo, range.hi, 1,
                             whole ? GJ_LOOP_VECTOR : 0, whole ? factor : 1);
  gj__enter(l, &each->body);
  gj__index *place = gj__index_new(l);
  *place = *row;
  place->at[axis] = gj__local(l, each->local);
  s->cut[axis] = (gj__range){gj__i64(l, 0), gj__dim(l, s->window[axis])};
  if (!whole)
    s->cut[axis] = cut_window(s, axis, place->at[axis]);
  reduce_window(s, &each->body, place);
}

// Places `range` of the row at `row`, along its last loop axis.
static void reduce_row(slide *s, gj_lblock *into, const gj__index *row, gj__range range) {
  gj__lower *l = s->l;
  gj__enter(l, into);
  uint8_t axis = s->loop_count ? s->loops[s->loop_count - 1] : 0;
  for (uint8_t i = 0; i < s->to.rank; i++)
    if (i != axis || s->loop_count == 0)
      s->cut[i] = cut_window(s, i, row->at[i]);
  if (s->to.rank == 0 || s->loop_count == 0) {
    gj__index *place = gj__index_new(l);
    *place = *row;
    reduce_window(s, into, place);
    return;
  }
  if (stays_inside(s, axis)) {
    places(s, into, row, axis, range, true);
    return;
  }
  gj__range inner = inner_places(s, axis, range);
  places(s, into, row, axis, (gj__range){range.lo, inner.lo}, false);
  places(s, into, row, axis, inner, true);
  places(s, into, row, axis, (gj__range){inner.hi, range.hi}, false);
}

// --- kernels ---

void gj__divide_window(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->stores[0].ref);
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(&node->type, axes);
  if (count > 0)
    gj__add_units(
        l, (gj__units){.type = &node->type, .outer = (uint8_t)(count - 1), .blocks = count == 1});
}

void gj__lower_window(gj__lower *l, const gj_kernel *kernel) {
  slide s = slide_of(l, kernel);
  gj__share share = gj__share_of(l, 0);
  gj_lblock *into = &l->f->body;
  gj__enter(l, into);
  gj__index *row = gj__index_new(l);
  *row = (gj__index){.flat = true, .at = {gj__i64(l, 0)}};
  gj_type outer = s.to;
  gj__range range = {gj__i64(l, 0), gj__i64(l, 1)};
  if (s.loop_count > 0) {
    outer.shape[s.loops[s.loop_count - 1]] = 1;
    range.hi = gj__dim(l, s.to.shape[s.loops[s.loop_count - 1]]);
  }
  if (s.loop_count > 1) {
    gj__range rows = {gj__i64(l, 0), gj__size(l, &s.to, s.loops, s.loop_count - 1u)};
    if (share.divided)
      rows = (gj__range){share.begin, share.end};
    gj_lstmt *each = gj_ls_for(l->m, l->f, into, "o", rows.lo, rows.hi, 1, 0, 1);
    gj__poll(l, &each->body);
    into = &each->body;
    row->at[0] = gj__local(l, each->local);
  } else if (share.divided) {
    range = gj__share_elements(l, &share, range.hi);
  }
  gj__enter(l, into);
  reduce_row(&s, into, gj__unflatten(l, &outer, row), range);
}
