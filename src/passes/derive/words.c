// See rules.h: nodes that rules append, named by what they are for.
#include "passes/derive/rules.h"

#include "passes/fold/fold.h"

gj_ref gj__d_number(gj__derive *d, gj_dtype dtype, double value) {
  return gj__d_filled(d, &(gj_type){.dtype = dtype}, value);
}

gj_ref gj__d_zeros_like(gj__derive *d, gj_ref ref) {
  return ref ? gj__d_filled(d, gj__type_of(d, ref), 0) : 0;
}

gj_ref gj__d_broadcast(gj__derive *d, gj_ref a, const gj_type *shape, const int64_t *axes) {
  static const int64_t same[GJ_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
  gj_attrs attrs = {0};
  if (!a || gj__same_shape(gj__type_of(d, a), shape))
    return a;
  gj_attrs_set(&attrs, GJ_ATTR_shape, shape->shape, shape->rank);
  gj_attrs_set(&attrs, GJ_ATTR_axes, axes ? axes : same, gj__type_of(d, a)->rank);
  return gj_graph_append(d->graph, GJ_OP_broadcast, &a, 1, &attrs);
}

static gj_ref with_axes(gj__derive *d, gj_op op, gj_ref a, const int64_t *axes, size_t count) {
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_axes, axes, count);
  return a ? gj_graph_append(d->graph, op, &a, 1, &attrs) : 0;
}

gj_ref gj__d_reverse_axis(gj__derive *d, gj_ref a, int64_t axis) {
  return with_axes(d, GJ_OP_reverse, a, &axis, 1);
}

gj_ref gj__d_reduce(gj__derive *d, gj_op op, gj_ref a, const int64_t *axes, size_t count) {
  return count == 0 ? a : with_axes(d, op, a, axes, count);
}

gj_ref gj__d_sum(gj__derive *d, gj_ref a, const int64_t *axes, size_t count) {
  size_t first = count; // of the axes at the end
  if (!a)
    return 0;
  for (int64_t axis = gj__type_of(d, a)->rank; first > 0 && axes[first - 1] == axis - 1; axis--)
    first--;
  if (first > 0) {
    a = gj__d_reduce(d, GJ_OP_reduce_sum, a, axes + first, count - first);
    count = first;
  }
  return gj__d_reduce(d, GJ_OP_reduce_sum, a, axes, count);
}

gj_ref gj__d_cumulate(gj__derive *d, gj_op op, gj_ref a, int64_t axis) {
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_axis, &axis, 1);
  return a ? gj_graph_append(d->graph, op, &a, 1, &attrs) : 0;
}

gj_ref gj__d_spread(gj__derive *d, gj_ref a, const gj_type *shape, const int64_t *axes,
                    size_t count) {
  int64_t kept[GJ_MAX_RANK] = {0};
  size_t rank = 0, gone = 0;
  for (uint8_t i = 0; i < shape->rank; i++)
    if (gone < count && axes[gone] == i)
      gone++;
    else
      kept[rank++] = i;
  return gj__d_broadcast(d, a, shape, kept);
}

gj_ref gj__d_unbroadcast(gj__derive *d, gj_ref a, const gj_type *type) {
  int64_t axes[GJ_MAX_RANK];
  size_t count = 0;
  if (!a || gj__same_shape(gj__type_of(d, a), type))
    return a;
  const gj_type *have = gj__type_of(d, a);
  uint8_t ahead = (uint8_t)(have->rank - type->rank);
  for (uint8_t i = 0; i < have->rank; i++)
    if (i < ahead || type->shape[i - ahead] != have->shape[i])
      axes[count++] = i;
  return gj__d_reshape(d, gj__d_sum(d, a, axes, count), type);
}

gj_ref gj__d_extent(gj__derive *d, gj_dtype dtype, const gj_type *type, const int64_t *axes,
                    size_t count) {
  gj_type part = {.dtype = dtype, .rank = (uint8_t)count};
  static const int64_t all[GJ_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (size_t i = 0; i < count; i++)
    part.shape[i] = type->shape[axes[i]];
  gj_dim size = gj_type_size(gj_graph_dims(d->graph), &part);
  int64_t known;
  if (gj_dim_value(gj_graph_dims(d->graph), size, &known))
    return gj__d_number(d, dtype, (double)known);
  return gj__d_reduce(d, GJ_OP_reduce_sum, gj__d_filled(d, &part, 1), all, count);
}

// --- elements at positions along an axis ---

typedef struct along {
  gj_attrs attrs;
  int64_t others[GJ_MAX_RANK], collapsed, map, window[GJ_MAX_RANK];
  gj_ref indices; // positions as index vectors of one element
} along;

// Every axis but `axis` goes along with the same one of the positions.
static bool set_along(gj__derive *d, along *w, gj_ref positions, int64_t axis, bool gathers) {
  gj_type type = *gj__type_of(d, positions);
  size_t count = 0;
  for (uint8_t i = 0; i < type.rank; i++) {
    w->window[i] = 1;
    if (i != axis)
      w->others[count++] = i;
  }
  w->collapsed = w->map = axis;
  w->attrs = (gj_attrs){0};
  gj_attrs_set(&w->attrs, GJ_ATTR_offset_axes, NULL, 0);
  gj_attrs_set(&w->attrs, GJ_ATTR_collapsed_axes, &w->collapsed, 1);
  gj_attrs_set(&w->attrs, GJ_ATTR_operand_batch, w->others, count);
  gj_attrs_set(&w->attrs, GJ_ATTR_indices_batch, w->others, count);
  gj_attrs_set(&w->attrs, GJ_ATTR_index_map, &w->map, 1);
  if (gathers)
    gj_attrs_set(&w->attrs, GJ_ATTR_window, w->window, type.rank);
  type.shape[type.rank++] = 1;
  w->indices = gj__d_reshape(d, positions, &type);
  return w->indices;
}

// Index vectors need an axis: of the highest rank, all axes but one are made one first.
static size_t axes_to_merge(gj__derive *d, gj_ref positions, int64_t axis, int64_t *out_axes) {
  size_t count = 0;
  for (int64_t i = 0; i < GJ_MAX_RANK; i++)
    if (i != axis)
      out_axes[count++] = i;
  return gj__type_of(d, positions)->rank == GJ_MAX_RANK ? count : 0;
}

gj_ref gj__d_take_along(gj__derive *d, gj_ref a, gj_ref positions, int64_t axis) {
  int64_t axes[GJ_MAX_RANK];
  along w;
  if (!a || !positions)
    return 0;
  size_t count = axes_to_merge(d, positions, axis, axes);
  if (count > 0) {
    gj_ref taken = gj__d_take_along(d, gj__d_merge(d, a, axes, count),
                                    gj__d_merge(d, positions, axes, count), 0);
    return gj__d_unmerge(d, taken, gj__type_of(d, positions), axes, count);
  }
  if (!set_along(d, &w, positions, axis, true))
    return 0;
  return gj_graph_append(d->graph, GJ_OP_gather, (gj_ref[]){a, w.indices}, 2, &w.attrs);
}

gj_ref gj__d_add_along(gj__derive *d, gj_ref a, gj_ref positions, gj_ref updates, int64_t axis) {
  int64_t axes[GJ_MAX_RANK];
  along w;
  if (!a || !updates || !positions)
    return 0;
  size_t count = axes_to_merge(d, positions, axis, axes);
  if (count > 0) {
    gj_ref sum =
        gj__d_add_along(d, gj__d_merge(d, a, axes, count), gj__d_merge(d, positions, axes, count),
                        gj__d_merge(d, updates, axes, count), 0);
    return gj__d_unmerge(d, sum, gj__type_of(d, a), axes, count);
  }
  if (!set_along(d, &w, positions, axis, false))
    return 0;
  gj_ref args[] = {a, w.indices, updates};
  return gj_graph_append(d->graph, GJ_OP_scatter_add, args, 3, &w.attrs);
}

gj_dtype gj__d_position_dtype(gj_dim size) {
  return gj_dim_is_const(size) && size <= INT32_MAX ? GJ_DTYPE_i32 : GJ_DTYPE_i64;
}

// --- edges, and axes made one ---

gj_ref gj__d_pad_axis(gj__derive *d, gj_ref a, int64_t axis, int64_t lo, int64_t hi, double fill) {
  int64_t before[GJ_MAX_RANK] = {0}, behind[GJ_MAX_RANK] = {0}, none[GJ_MAX_RANK] = {0};
  gj_attrs attrs = {0};
  if (!a)
    return 0;
  uint8_t rank = gj__type_of(d, a)->rank;
  before[axis] = lo;
  behind[axis] = hi;
  gj_attrs_set(&attrs, GJ_ATTR_lo, before, rank);
  gj_attrs_set(&attrs, GJ_ATTR_hi, behind, rank);
  gj_attrs_set(&attrs, GJ_ATTR_interior, none, rank);
  gj_ref args[] = {a, gj__d_number(d, gj__type_of(d, a)->dtype, fill)};
  return args[1] ? gj_graph_append(d->graph, GJ_OP_pad, args, 2, &attrs) : 0;
}

gj_ref gj__d_concat(gj__derive *d, const gj_ref *parts, size_t count, int64_t axis) {
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_axis, &axis, 1);
  for (size_t i = 0; i < count; i++)
    if (!parts[i])
      return 0;
  return gj_graph_append(d->graph, GJ_OP_concat, parts, count, &attrs);
}

// The axes of a shape with some of them last, each in its order; the type with axes so.
static gj_type set_last(const gj_type *shape, const int64_t *axes, size_t count,
                        int64_t *out_order) {
  gj_type type = *shape;
  size_t kept = 0, last = 0;
  for (uint8_t i = 0; i < shape->rank; i++)
    if (last < count && axes[last] == i)
      out_order[shape->rank - count + last++] = i;
    else
      out_order[kept++] = i;
  for (uint8_t i = 0; i < shape->rank; i++)
    type.shape[i] = shape->shape[out_order[i]];
  return type;
}

gj_ref gj__d_merge(gj__derive *d, gj_ref a, const int64_t *axes, size_t count) {
  int64_t order[GJ_MAX_RANK];
  if (!a)
    return 0;
  gj_type type = set_last(gj__type_of(d, a), axes, count, order), one = {.rank = (uint8_t)count};
  uint8_t kept = (uint8_t)(type.rank - count);
  memcpy(one.shape, type.shape + kept, count * sizeof *one.shape);
  type.shape[kept] = gj_type_size(gj_graph_dims(d->graph), &one);
  type.rank = kept + 1;
  return gj__d_reshape(d, gj__d_transpose(d, a, order), &type);
}

gj_ref gj__d_unmerge(gj__derive *d, gj_ref a, const gj_type *shape, const int64_t *axes,
                     size_t count) {
  int64_t order[GJ_MAX_RANK], back[GJ_MAX_RANK];
  gj_type moved = set_last(shape, axes, count, order);
  for (uint8_t i = 0; i < shape->rank; i++)
    back[order[i]] = i;
  return gj__d_transpose(d, gj__d_reshape(d, a, &moved), back);
}
