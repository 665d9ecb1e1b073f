// Rules of windows at index vectors: gather, the scatters, and compress.
//
// The reverse of taking windows is adding to them, and that of writing windows is taking them.
// gather clamps a start so that its window fits; a scatter drops a window that does not. So what a
// scatter was given is zero where its window was dropped, and what gather adds to has starts
// clamped first.
//
// Of updates that meet in one place,
//   scatter      the last one counts
//   scatter_mul  each counts with the product of the others, zeros among them or not, and so it
//                does in second derivatives. In third ones no place may have three zeros.
//   scatter_min, scatter_max   equals, the operand among them, share alike
#include "passes/derive/rules.h"

#include "ir/infer/index_axes.h"

enum { OPERAND, INDICES, UPDATES };

// The roles of axes that a node gives, without the window that only gather names.
static gj_attrs roles_of(const gj_node *node) {
  static const gj_attr roles[] = {GJ_ATTR_offset_axes, GJ_ATTR_collapsed_axes,
                                  GJ_ATTR_operand_batch, GJ_ATTR_indices_batch, GJ_ATTR_index_map};
  gj_attrs attrs = {0};
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
    const gj_attr_list *list = &node->attrs->list[roles[i]];
    gj_attrs_set(&attrs, roles[i], list->values, list->count);
  }
  return attrs;
}

// A scatter with the roles of a node.
static gj_ref scatter(gj__derive *d, gj_op op, const gj_node *node, gj_ref onto, gj_ref indices,
                      gj_ref updates) {
  gj_attrs attrs = roles_of(node);
  gj_ref args[] = {onto, indices, updates};
  return onto && indices && updates ? gj_graph_append(d->graph, op, args, 3, &attrs) : 0;
}

// A scatter onto what the node scatters onto, or a tensor like it, at the same places.
static gj_ref put(gj__derive *d, gj_op op, const gj_node *node, gj_ref onto, gj_ref updates) {
  return scatter(d, op, node, onto, node->args[INDICES], updates);
}

// What lies in the windows that a scatter writes, in something like its result. Gather needs
// windows that fit, so an axis that may be empty gets one more element.
static gj_ref take(gj__derive *d, const gj_node *node, gj_ref from, double fill) {
  gj_index_axes axes = gj_index_axes_of(d->graph, node);
  gj_attrs attrs = roles_of(node);
  int64_t window[GJ_MAX_RANK];
  for (uint8_t i = 0; i < node->type.rank; i++) {
    window[i] = gj_window_size(d->graph, node, &axes, i);
    bool has_some = gj_dim_is_const(node->type.shape[i]) && node->type.shape[i] > 0;
    if (window[i] == 1 && axes.start[i] != GJ_NO_AXIS && !has_some)
      from = gj__d_pad_axis(d, from, i, 0, 1, fill);
  }
  gj_attrs_set(&attrs, GJ_ATTR_window, window, node->type.rank);
  gj_ref args[] = {from, node->args[INDICES]};
  return from ? gj_graph_append(d->graph, GJ_OP_gather, args, 2, &attrs) : 0;
}

// --- starts that fit ---

// The index vectors in a dtype that holds any size.
static gj_ref wide_indices(gj__derive *d, const gj_node *node) {
  gj_ref indices = node->args[INDICES];
  bool all = gj__type_of(d, indices)->dtype == GJ_DTYPE_u64;
  return gj__d_convert(d, indices, all ? GJ_DTYPE_u64 : GJ_DTYPE_i64);
}

static gj_ref size_of(gj__derive *d, gj_dtype dtype, gj_dim size) {
  gj_type line = {.rank = 1, .shape = {size}};
  return gj__d_extent(d, dtype, &line, (int64_t[]){0}, 1);
}

// How many starts fit, beside each element of an index vector; there is at least one element.
static gj_ref start_counts(gj__derive *d, const gj_node *node, gj_dtype dtype) {
  gj_index_axes axes = gj_index_axes_of(d->graph, node);
  const gj_attr_list *map = &node->attrs->list[GJ_ATTR_index_map];
  const gj_type *operand = gj__type_of(d, node->args[OPERAND]), one = {.rank = 1, .shape = {1}};
  gj_ref counts[GJ_MAX_RANK];
  for (uint8_t k = 0; k < map->count; k++) {
    uint8_t axis = (uint8_t)map->values[k];
    gj_ref window = size_of(d, dtype, gj_window_size(d->graph, node, &axes, axis));
    gj_ref last = gj__d_sub(d, size_of(d, dtype, operand->shape[axis]), window);
    counts[k] = gj__d_reshape(d, gj__d_add(d, last, gj__d_number(d, dtype, 1)), &one);
  }
  return map->count == 1 ? counts[0] : gj__d_concat(d, counts, map->count, 0);
}

static gj_ref clamped_indices(gj__derive *d, const gj_node *node) {
  if (node->attrs->list[GJ_ATTR_index_map].count == 0)
    return node->args[INDICES];
  gj_ref indices = wide_indices(d, node);
  gj_dtype dtype = indices ? gj__type_of(d, indices)->dtype : GJ_DTYPE_i64;
  gj_ref last = gj__d_sub(d, start_counts(d, node, dtype), gj__d_number(d, dtype, 1));
  gj_ref least = gj__d_op2(d, GJ_OP_max, indices, gj__d_number(d, dtype, 0));
  return gj__d_op2(d, GJ_OP_min, least, last);
}

// `a`, which is like the updates, with zeros where windows were dropped.
static gj_ref where_inside(gj__derive *d, const gj_node *node, gj_ref a) {
  int64_t batch[GJ_MAX_RANK];
  if (node->attrs->list[GJ_ATTR_index_map].count == 0 || !a)
    return a;
  gj_index_axes axes = gj_index_axes_of(d->graph, node);
  for (uint8_t k = 0; k < axes.batch_count; k++)
    batch[k] = axes.batch[k];
  gj_ref indices = wide_indices(d, node);
  gj_dtype dtype = indices ? gj__type_of(d, indices)->dtype : GJ_DTYPE_i64;
  gj_ref below = gj__d_op2(d, GJ_OP_lt, indices, start_counts(d, node, dtype));
  gj_ref exists = gj__d_op2(d, GJ_OP_ge, indices, gj__d_number(d, dtype, 0));
  gj_ref inside = gj__d_reduce(d, GJ_OP_reduce_and, gj__d_op2(d, GJ_OP_and, exists, below),
                               (int64_t[]){axes.batch_count}, 1);
  inside = gj__d_broadcast(d, inside, gj__type_of(d, a), batch);
  return gj__d_select(d, inside, a, gj__d_number(d, node->type.dtype, 0));
}

// --- gather, scatter_add ---

void gj__vjp_gather(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  gj_ref zeros = gj__d_zeros_like(d, node->args[OPERAND]);
  (void)ref;
  gj__d_give(d, node->args[OPERAND],
             scatter(d, GJ_OP_scatter_add, node, zeros, clamped_indices(d, node), cts[0]));
}

void gj__vjp_scatter_add(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  (void)ref;
  gj__d_give(d, node->args[OPERAND], cts[0]);
  if (gj__d_wants(d, node->args[UPDATES]))
    gj__d_give(d, node->args[UPDATES], where_inside(d, node, take(d, node, cts[0], 0)));
}

// --- scatter ---

// Whether an element of the updates is what the result has there. Each one has a number, which is
// scattered in its place; one whose window was dropped does not find its own.
static gj_ref stays(gj__derive *d, const gj_node *node) {
  const gj_type *updates = gj__type_of(d, node->args[UPDATES]);
  gj_type line = {.rank = 1, .shape = {gj_type_size(gj_graph_dims(d->graph), updates)}};
  gj_type where = node->type;
  where.dtype = gj__d_position_dtype(line.shape[0]);
  gj_ref numbers = gj__d_reshape(d, gj__d_iota(d, where.dtype, &line, 0), updates);
  gj_ref last = put(d, GJ_OP_scatter, node, gj__d_filled(d, &where, -1), numbers);
  return gj__d_eq(d, take(d, node, last, -1), numbers);
}

void gj__vjp_scatter(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  (void)ref;
  if (gj__d_wants(d, node->args[OPERAND])) {
    gj_ref zeros = gj__d_zeros_like(d, node->args[UPDATES]);
    gj__d_give(d, node->args[OPERAND], put(d, GJ_OP_scatter, node, cts[0], zeros));
  }
  if (gj__d_wants(d, node->args[UPDATES]))
    gj__d_give(d, node->args[UPDATES],
               gj__d_select(d, stays(d, node), take(d, node, cts[0], 0),
                            gj__d_number(d, node->type.dtype, 0)));
}

// --- scatter_mul ---

// The product of the updates in each place.
static gj_ref product_of_updates(gj__derive *d, const gj_node *node) {
  return put(d, GJ_OP_scatter_mul, node, gj__d_filled(d, &node->type, 1), node->args[UPDATES]);
}

// Factors taken apart, for the operand or the updates.
typedef struct factors {
  gj_ref is_zero;
  gj_ref others; // 1 for those that are zero
  gj_ref zeros;  // 0 for those that are not
} factors;

static factors factors_of(gj__derive *d, gj_ref a) {
  gj_dtype dtype = gj__type_of(d, a)->dtype;
  gj_ref zero = gj__d_number(d, dtype, 0), is_zero = gj__d_eq(d, a, zero);
  return (factors){.is_zero = is_zero,
                   .others = gj__d_select(d, is_zero, gj__d_number(d, dtype, 1), a),
                   .zeros = gj__d_select(d, is_zero, a, zero)};
}

// For each element of the updates the product of all others in its place and of the operand. That
// is the result over it. For an element that is zero it is the product of those that are not, times
// the other zero where there are two: their sum less itself, which is zero but has a derivative.
static gj_ref product_of_others(gj__derive *d, gj_ref ref, const gj_node *node) {
  factors whole = factors_of(d, node->args[OPERAND]), part = factors_of(d, node->args[UPDATES]);
  gj_ref zero = gj__d_number(d, node->type.dtype, 0);
  gj_ref count = put(d, GJ_OP_scatter_add, node, gj__d_convert(d, whole.is_zero, GJ_DTYPE_i32),
                     gj__d_convert(d, part.is_zero, GJ_DTYPE_i32));
  gj_ref product = put(d, GJ_OP_scatter_mul, node, whole.others, part.others);
  gj_ref sum = put(d, GJ_OP_scatter_add, node, whole.zeros, part.zeros);
  gj_ref is_one = gj__d_eq(d, count, gj__d_number(d, GJ_DTYPE_i32, 1));
  gj_ref is_two = gj__d_eq(d, count, gj__d_number(d, GJ_DTYPE_i32, 2));
  gj_ref of_two = gj__d_select(d, is_two, product, zero);
  gj_ref of_any = gj__d_select(d, is_one, product, gj__d_mul(d, of_two, sum));
  gj_ref itself = gj__d_mul(d, part.zeros, take(d, node, of_two, 0));
  gj_ref of_zero = gj__d_sub(d, take(d, node, of_any, 0), itself);
  gj_ref of_other = gj__d_div(d, take(d, node, ref, 0), part.others);
  return gj__d_select(d, part.is_zero, of_zero, of_other);
}

void gj__vjp_scatter_mul(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  if (gj__d_wants(d, node->args[OPERAND]))
    gj__d_give(d, node->args[OPERAND], gj__d_mul(d, cts[0], product_of_updates(d, node)));
  if (gj__d_wants(d, node->args[UPDATES])) {
    gj_ref all = gj__d_mul(d, take(d, node, cts[0], 0), product_of_others(d, ref, node));
    gj__d_give(d, node->args[UPDATES], where_inside(d, node, all));
  }
}

void gj__jvp_scatter_mul(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  gj_ref of_operand = gj__d_tangent(d, node->args[OPERAND]);
  gj_ref of_updates = gj__d_tangent(d, node->args[UPDATES]);
  gj_ref all =
      of_operand ? gj__d_mul(d, of_operand, product_of_updates(d, node)) : gj__d_zeros_like(d, ref);
  if (of_updates)
    all = put(d, GJ_OP_scatter_add, node, all,
              gj__d_mul(d, of_updates, product_of_others(d, ref, node)));
  out_tangents[0] = all;
}

// --- scatter_min, scatter_max ---

// What is equal to the result in its place, and how many these are.
typedef struct equals {
  gj_ref operand, updates; // 1 or 0, of the dtype of the result
  gj_ref count;            // like the result
} equals;

static equals equals_of(gj__derive *d, gj_ref ref, const gj_node *node) {
  gj_ref operand = gj__d_eq(d, node->args[OPERAND], ref);
  gj_ref updates = gj__d_eq(d, node->args[UPDATES], take(d, node, ref, 0));
  gj_ref count = put(d, GJ_OP_scatter_add, node, gj__d_convert(d, operand, GJ_DTYPE_i32),
                     gj__d_convert(d, updates, GJ_DTYPE_i32));
  return (equals){.operand = gj__d_convert(d, operand, node->type.dtype),
                  .updates = gj__d_convert(d, updates, node->type.dtype),
                  .count = gj__d_convert(d, count, node->type.dtype)};
}

void gj__vjp_scatter_extreme(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  equals e = equals_of(d, ref, node);
  gj_ref share = gj__d_div(d, cts[0], e.count);
  gj__d_give(d, node->args[OPERAND], gj__d_mul(d, e.operand, share));
  if (gj__d_wants(d, node->args[UPDATES])) {
    gj_ref all = gj__d_mul(d, e.updates, take(d, node, share, 0));
    gj__d_give(d, node->args[UPDATES], where_inside(d, node, all));
  }
}

void gj__jvp_scatter_extreme(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  equals e = equals_of(d, ref, node);
  gj_ref of_operand = gj__d_mul(d, e.operand, gj__d_tangent_or_zeros(d, node->args[OPERAND]));
  gj_ref of_updates = gj__d_mul(d, e.updates, gj__d_tangent_or_zeros(d, node->args[UPDATES]));
  gj_ref sum = put(d, GJ_OP_scatter_add, node, of_operand, of_updates);
  out_tangents[0] = gj__d_div(d, sum, e.count);
}

// --- compress: the size that it binds is bound once, so rows move by where they came from ---

// Rows as windows: index vectors of one element, a position along axis 0 of an operand of a rank.
typedef struct rows {
  gj_attrs attrs;
  int64_t offset[GJ_MAX_RANK], first;
} rows;

static void set_rows(rows *r, uint8_t rank) {
  *r = (rows){.first = 0};
  for (uint8_t i = 1; i < rank; i++)
    r->offset[i - 1] = i;
  gj_attrs_set(&r->attrs, GJ_ATTR_offset_axes, r->offset, rank - 1u);
  gj_attrs_set(&r->attrs, GJ_ATTR_collapsed_axes, &r->first, 1);
  gj_attrs_set(&r->attrs, GJ_ATTR_operand_batch, NULL, 0);
  gj_attrs_set(&r->attrs, GJ_ATTR_indices_batch, NULL, 0);
  gj_attrs_set(&r->attrs, GJ_ATTR_index_map, &r->first, 1);
}

static gj_ref put_rows(gj__derive *d, gj_op op, gj_ref onto, gj_ref positions, gj_ref updates) {
  gj_ref args[] = {onto, positions, updates};
  rows r;
  if (!onto || !positions || !updates)
    return 0;
  set_rows(&r, gj__type_of(d, onto)->rank);
  return gj_graph_append(d->graph, op, args, 3, &r.attrs);
}

static gj_ref take_rows(gj__derive *d, gj_ref from, gj_ref positions) {
  int64_t window[GJ_MAX_RANK];
  rows r;
  if (!from || !positions)
    return 0;
  const gj_type *type = gj__type_of(d, from);
  set_rows(&r, type->rank);
  memcpy(window, type->shape, sizeof window);
  window[0] = 1;
  gj_attrs_set(&r.attrs, GJ_ATTR_window, window, type->rank);
  return gj_graph_append(d->graph, GJ_OP_gather, (gj_ref[]){from, positions}, 2, &r.attrs);
}

// The row of the values that each row of the results is, as index vectors: the numbers of all rows,
// put where the mask puts them.
static gj_ref origins(gj__derive *d, const gj_node *node) {
  gj_ref mask = node->args[0];
  gj_dim size = gj__type_of(d, mask)->shape[0], count = node->type.shape[0];
  gj_dtype dtype = gj__d_position_dtype(size);
  gj_type all = {.dtype = dtype, .rank = 1, .shape = {size}}, vectors = {.rank = 2};
  gj_type kept = {.dtype = dtype, .rank = 1, .shape = {count}};
  gj_ref before = gj__d_cumulate(d, GJ_OP_cumulate_sum, gj__d_convert(d, mask, dtype), 0);
  gj_ref place = gj__d_sub(d, before, gj__d_number(d, dtype, 1));
  place = gj__d_select(d, mask, place, gj__d_number(d, dtype, -1)); // which is dropped
  vectors.shape[0] = size;
  vectors.shape[1] = 1;
  gj_ref from = put_rows(d, GJ_OP_scatter, gj__d_filled(d, &kept, 0),
                         gj__d_reshape(d, place, &vectors), gj__d_iota(d, dtype, &all, 0));
  vectors.shape[0] = count;
  return gj__d_reshape(d, from, &vectors);
}

void gj__vjp_compress(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  (void)ref;
  for (uint32_t i = 1; i < node->arg_count; i++)
    if (cts[i - 1] && gj__d_wants(d, node->args[i])) {
      gj_ref zeros = gj__d_zeros_like(d, node->args[i]);
      gj__d_give(d, node->args[i],
                 put_rows(d, GJ_OP_scatter_add, zeros, origins(d, node), cts[i - 1]));
    }
}

void gj__jvp_compress(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  (void)ref;
  for (uint32_t i = 1; i < node->arg_count; i++) {
    gj_ref tangent = gj__d_tangent(d, node->args[i]);
    if (tangent)
      out_tangents[i - 1] = take_rows(d, tangent, origins(d, node));
  }
}
