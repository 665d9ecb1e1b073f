// See window.h, and rules of reductions of windows.
//
// Of sums the cotangent is summed in turn. Others go over the positions of a window: each position
// is a slice of the operand, and what comes back from it a slice of what is laid out, so that a
// kernel reads memory in order, whatever strides and overlaps are. As many slices as a window has
// elements are few for what windows are used for; a size that is a symbol, or a window of more than
// MOST_POSITIONS, is refused.
//
// The least and greatest: all goes to the first element of a window, in row-major order, that is
// equal to the result. Padding never is, and neither is NaN.
#include "passes/derive/window.h"

#include "passes/fold/fold.h"

#include <math.h>

enum { MOST_POSITIONS = 1024 };

static const int64_t zeros[GJ_MAX_RANK] = {0}, ones[GJ_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};

// --- how windows lie ---

gj__windows gj__windows_of(const gj__derive *d, const gj_node *node, uint8_t first,
                           const gj_dim *window) {
  const gj_attr_list *list = node->attrs->list;
  gj__windows w = {.operand = gj__type_of(d, node->args[0]), .first = first};
  w.rank = w.operand->rank;
  for (uint8_t i = 0; i < w.rank; i++) {
    bool has = i >= first;
    w.places[i] = has ? node->type.shape[i] : w.operand->shape[i];
    w.window[i] = has ? window[i - first] : 1;
    w.stride[i] = has ? list[GJ_ATTR_stride].values[i - first] : 1;
    w.lo[i] = has ? list[GJ_ATTR_lo].values[i - first] : 0;
    w.hi[i] = has ? list[GJ_ATTR_hi].values[i - first] : 0;
    w.base[i] = has ? list[GJ_ATTR_base_dilation].values[i - first] : 1;
    w.dilation[i] = has ? list[GJ_ATTR_dilation].values[i - first] : 1;
  }
  return w;
}

// From the first of `size` elements to the last.
static gj_dim distance(gj_dims *dims, gj_dim size, int64_t step) {
  return gj_dim_mul(dims, gj_dim_sub(dims, size, 1), gj_dim_const(dims, step));
}

bool gj__windows_rest(const gj__derive *d, const gj__windows *w, uint8_t axis, int64_t *out_rest) {
  gj_dims *dims = gj_graph_dims(d->graph);
  gj_dim ends = gj_dim_add(dims, gj_dim_const(dims, w->lo[axis]), gj_dim_const(dims, w->hi[axis]));
  gj_dim room = gj_dim_add(dims, distance(dims, w->operand->shape[axis], w->base[axis]), ends);
  room = gj_dim_sub(dims, room, distance(dims, w->window[axis], w->dilation[axis]));
  *out_rest = 0;
  return w->stride[axis] == 1 ||
         gj_dim_value(dims,
                      gj_dim_sub(dims, room, distance(dims, w->places[axis], w->stride[axis])),
                      out_rest);
}

static gj_ref padded(gj__derive *d, gj_ref a, double fill, const int64_t *lo, const int64_t *hi,
                     const int64_t *step) {
  int64_t gaps[GJ_MAX_RANK];
  if (!a)
    return 0;
  for (uint8_t i = 0; i < gj__type_of(d, a)->rank; i++)
    gaps[i] = step[i] - 1;
  return gj__d_pad(d, a, gj__d_number(d, gj__type_of(d, a)->dtype, fill), lo, hi, gaps);
}

gj_ref gj__windows_padded(gj__derive *d, const gj__windows *w, gj_ref operand, double fill) {
  return padded(d, operand, fill, w->lo, w->hi, w->base);
}

// Edges that a pad cannot name: zeros are joined on, and what is too much is cut.
static gj_ref with_edges(gj__derive *d, const gj__windows *w, gj_ref a, const gj_dim *lo,
                         const gj_dim *hi) {
  gj_dims *dims = gj_graph_dims(d->graph);
  gj_type whole = *gj__type_of(d, a), kept;
  gj_dim before[GJ_MAX_RANK], cut[GJ_MAX_RANK];
  kept = whole;
  for (uint8_t i = 0; i < w->rank; i++) {
    gj_dim gaps = gj_dim_max(dims, gj_dim_sub(dims, w->places[i], 1), 0);
    gj_dim laid = gj_dim_mul(dims, gaps, gj_dim_const(dims, w->stride[i] - 1));
    laid = gj_dim_add(dims, whole.shape[i], laid);
    before[i] = gj_dim_max(dims, lo[i], 0);
    cut[i] = gj_dim_sub(dims, before[i], lo[i]);
    whole.shape[i] =
        gj_dim_add(dims, gj_dim_add(dims, laid, before[i]), gj_dim_max(dims, hi[i], 0));
    kept.shape[i] = gj_dim_add(dims, gj_dim_add(dims, laid, lo[i]), hi[i]);
  }
  return gj__d_slice(d, gj__d_place(d, a, &whole, before, w->stride), cut, &kept, ones);
}

gj_ref gj__windows_laid_out(gj__derive *d, const gj__windows *w, gj_ref results, double fill) {
  gj_dims *dims = gj_graph_dims(d->graph);
  gj_dim before[GJ_MAX_RANK], behind[GJ_MAX_RANK];
  int64_t lo[GJ_MAX_RANK], hi[GJ_MAX_RANK], rest;
  bool numbers = true;
  if (!results)
    return 0;
  for (uint8_t i = 0; i < w->rank; i++) {
    if (!gj__windows_rest(d, w, i, &rest))
      rest = w->stride[i] - 1; // at most
    gj_dim reach = distance(dims, w->window[i], w->dilation[i]);
    before[i] = gj_dim_sub(dims, reach, gj_dim_const(dims, w->lo[i]));
    behind[i] = gj_dim_add(dims, reach, gj_dim_const(dims, rest - w->hi[i]));
    numbers =
        numbers && gj_dim_value(dims, before[i], &lo[i]) && gj_dim_value(dims, behind[i], &hi[i]);
  }
  return numbers ? padded(d, results, fill, lo, hi, w->stride)
                 : with_edges(d, w, results, before, behind);
}

gj_ref gj__windows_at(gj__derive *d, const gj__windows *w, gj_ref a, const gj_dim *k) {
  int64_t start[GJ_MAX_RANK];
  gj_type shape = {.rank = w->rank};
  for (uint8_t i = 0; i < w->rank; i++) {
    start[i] = k[i] * w->dilation[i];
    shape.shape[i] = w->places[i];
  }
  return gj__d_slice(d, a, start, &shape, w->stride);
}

gj_attrs gj__windows_turned(const gj__windows *w) {
  gj_attrs attrs = {0};
  uint8_t count = w->rank - w->first;
  gj_attrs_set(&attrs, GJ_ATTR_stride, w->base + w->first, count);
  gj_attrs_set(&attrs, GJ_ATTR_lo, zeros, count);
  gj_attrs_set(&attrs, GJ_ATTR_hi, zeros, count);
  gj_attrs_set(&attrs, GJ_ATTR_base_dilation, ones, count);
  gj_attrs_set(&attrs, GJ_ATTR_dilation, w->dilation + w->first, count);
  return attrs;
}

gj_ref gj__windows_cut(gj__derive *d, gj_ref a, const gj_type *type) {
  return !a || gj__same_shape(gj__type_of(d, a), type) ? a : gj__d_slice(d, a, zeros, type, ones);
}

static gj__windows windows_of(const gj__derive *d, const gj_node *node) {
  return gj__windows_of(d, node, 0, node->attrs->list[GJ_ATTR_window].values);
}

void gj__vjp_window_sum(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  gj__windows w = windows_of(d, node);
  gj_attrs attrs = gj__windows_turned(&w);
  gj_ref laid_out = gj__windows_laid_out(d, &w, cts[0], 0);
  (void)ref;
  gj_attrs_set(&attrs, GJ_ATTR_window, w.window, w.rank);
  if (!laid_out)
    return;
  gj_ref sums = gj_graph_append(d->graph, GJ_OP_window_sum, &laid_out, 1, &attrs);
  gj__d_give(d, node->args[0], gj__windows_cut(d, sums, w.operand));
}

// --- position by position ---

// The positions of a window; 0 and an error where they cannot be gone over.
static int64_t positions_of(gj__derive *d, gj_ref ref, const gj__windows *w) {
  int64_t count = 1;
  for (uint8_t i = 0; i < w->rank; i++) {
    if (!gj_dim_is_const(w->window[i])) {
      gj__d_refuse(d, ref,
                   "its window has a size that is not known; use a reduction over the axis, "
                   "or a number");
      return 0;
    }
    count = w->window[i] <= MOST_POSITIONS ? count * w->window[i] : MOST_POSITIONS + 1;
    if (count > MOST_POSITIONS) {
      gj__d_refuse(d, ref, "its window has more than 1024 elements");
      return 0;
    }
  }
  return count;
}

static void index_of(const gj__windows *w, int64_t position, gj_dim *out_k) {
  for (uint8_t i = w->rank; i-- > 0; position /= w->window[i])
    out_k[i] = position % w->window[i];
}

// Of the padded operand, or what is like it.
static gj_ref at(gj__derive *d, const gj__windows *w, gj_ref a, int64_t position) {
  gj_dim k[GJ_MAX_RANK];
  index_of(w, position, k);
  return gj__windows_at(d, w, a, k);
}

// What comes to the operand from a position of windows, of results that are laid out.
static gj_ref back(gj__derive *d, const gj__windows *w, gj_ref a, int64_t position) {
  gj_dim k[GJ_MAX_RANK];
  index_of(w, position, k);
  for (uint8_t i = 0; i < w->rank; i++)
    k[i] = (w->window[i] - 1 - k[i]) * w->dilation[i];
  return gj__d_slice(d, a, k, w->operand, w->base);
}

static gj_ref sum(gj__derive *d, gj_ref a, gj_ref b) { return a ? gj__d_add(d, a, b) : b; }

// --- products ---

// By position the product of the others, in the order of positions; NULL after a failure.
static gj_ref *others_of(gj__derive *d, const gj__windows *w, gj_ref operand, int64_t count) {
  gj_ref *others = gj_arena_array(&d->arena, (size_t)count, sizeof *others), before = 0, behind = 0;
  gj_ref whole = gj__windows_padded(d, w, operand, 1);
  if (!others || !whole)
    return NULL;
  for (int64_t p = 0; p < count; p++) {
    others[p] = before;
    before = before ? gj__d_mul(d, before, at(d, w, whole, p)) : at(d, w, whole, p);
  }
  for (int64_t p = count; p-- > 0;) {
    if (behind)
      others[p] = others[p] ? gj__d_mul(d, others[p], behind) : behind;
    behind = behind ? gj__d_mul(d, at(d, w, whole, p), behind) : at(d, w, whole, p);
  }
  return others;
}

void gj__vjp_window_prod(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  gj__windows w = windows_of(d, node);
  int64_t count = positions_of(d, ref, &w);
  gj_ref *others = count ? others_of(d, &w, node->args[0], count) : NULL, all = 0;
  for (int64_t p = 0; others && p < count; p++) {
    gj_ref own = others[p] ? gj__d_mul(d, cts[0], others[p]) : cts[0];
    all = sum(d, all, back(d, &w, gj__windows_laid_out(d, &w, own, 0), p));
  }
  gj__d_give(d, node->args[0], all);
}

void gj__jvp_window_prod(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  gj__windows w = windows_of(d, node);
  int64_t count = positions_of(d, ref, &w);
  gj_ref *others = count ? others_of(d, &w, node->args[0], count) : NULL, all = 0;
  gj_ref tangent = gj__windows_padded(d, &w, gj__d_tangent(d, node->args[0]), 0);
  for (int64_t p = 0; others && p < count; p++) {
    gj_ref own = at(d, &w, tangent, p);
    all = sum(d, all, others[p] ? gj__d_mul(d, own, others[p]) : own);
  }
  out_tangents[0] = all;
}

// --- least and greatest: the first that is equal ---

// Of positions a value for each, begun with `none`: that of the first whose element is the result.
typedef gj_ref value_fn(gj__derive *d, const gj__windows *w, gj_ref of, int64_t position);

static gj_ref of_first(gj__derive *d, const gj__windows *w, gj_ref ref, int64_t count, gj_ref none,
                       value_fn *value, gj_ref of) {
  // NaN is equal to nothing, so what is padded with it never is.
  gj_ref whole = gj__windows_padded(d, w, gj_graph_node(d->graph, ref)->args[0], (double)NAN);
  gj_ref found = none;
  for (int64_t p = count; p-- > 0;) {
    gj_ref equal = gj__d_eq(d, at(d, w, whole, p), ref);
    found = gj__d_select(d, equal, value(d, w, of, p), found);
  }
  return found;
}

static gj_ref number_of(gj__derive *d, const gj__windows *w, gj_ref of, int64_t position) {
  (void)w, (void)of;
  return gj__d_number(d, GJ_DTYPE_i32, (double)position);
}

void gj__vjp_window_extreme(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  gj__windows w = windows_of(d, node);
  int64_t count = positions_of(d, ref, &w);
  gj_ref none = gj__d_number(d, GJ_DTYPE_i32, -1), zero = gj__d_number(d, node->type.dtype, 0);
  gj_ref first = of_first(d, &w, ref, count, none, number_of, 0), all = 0;
  first = gj__windows_laid_out(d, &w, first, -1);
  gj_ref ct = gj__windows_laid_out(d, &w, cts[0], 0);
  for (int64_t p = 0; p < count; p++) {
    gj_ref is_own = gj__d_eq(d, back(d, &w, first, p), number_of(d, &w, 0, p));
    all = sum(d, all, gj__d_select(d, is_own, back(d, &w, ct, p), zero));
  }
  gj__d_give(d, node->args[0], all);
}

void gj__jvp_window_extreme(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  gj__windows w = windows_of(d, node);
  int64_t count = positions_of(d, ref, &w);
  gj_ref tangent = gj__windows_padded(d, &w, gj__d_tangent(d, node->args[0]), 0);
  gj_ref zero = gj__d_number(d, node->type.dtype, 0);
  out_tangents[0] = count ? of_first(d, &w, ref, count, zero, at, tangent) : 0;
}
