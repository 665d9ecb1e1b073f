// Rules of windows at computed places: gather, the scatters, dynamic_slice and update_slice.
//
// Where only what is moved is batched, the batch is one more axis of the window, taken whole; where
// places are, examples go along with theirs. dynamic_slice and update_slice at places of their own
// become gather and scatter, which have the same rule for a window that does not fit but for one
// thing: scatter drops it, so that places are clamped first.
#include "passes/batch/rules.h"

// The batch is an axis of the window, the first.
static void take_whole(gj__batch *b, gj__b_attrs *a, bool gathers) {
  gj__b_shift_with(a, GJ_ATTR_offset_axes);
  gj__b_shift(a, GJ_ATTR_collapsed_axes);
  gj__b_shift(a, GJ_ATTR_operand_batch);
  gj__b_shift(a, GJ_ATTR_index_map);
  if (gathers)
    gj__b_lead(a, GJ_ATTR_window, b->all->size);
}

// The batch of the operand goes along with that of the places.
static void go_along(gj__b_attrs *a, bool gathers) {
  gj__b_shift(a, GJ_ATTR_offset_axes);
  gj__b_shift(a, GJ_ATTR_collapsed_axes);
  gj__b_shift_with(a, GJ_ATTR_operand_batch);
  gj__b_shift_with(a, GJ_ATTR_indices_batch);
  gj__b_shift(a, GJ_ATTR_index_map);
  if (gathers)
    gj__b_lead(a, GJ_ATTR_window, 1);
}

void gj__batch_gather(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  gj__b_attrs a;
  if (!gj__b_batched_type(b, &node->type).rank)
    return;
  gj__b_attrs_init(&a, node);
  if (args[0].batched && args[1].batched) {
    go_along(&a, true);
  } else if (args[0].batched) {
    take_whole(b, &a, true);
  } else {
    gj__b_shift(&a, GJ_ATTR_offset_axes);
    gj__b_shift(&a, GJ_ATTR_indices_batch);
  }
  gj__b_finish(b, node, (gj_ref[]){args[0].ref, args[1].ref}, &a, out);
}

void gj__batch_scatter(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  gj__b_attrs a;
  gj_ref refs[] = {gj__b_spread(b, args[0]), args[1].ref, gj__b_spread(b, args[2])};
  if (!refs[0] || !refs[2])
    return;
  gj__b_attrs_init(&a, node);
  if (args[1].batched)
    go_along(&a, false);
  else
    take_whole(b, &a, false);
  gj__b_finish(b, node, refs, &a, out);
}

// --- windows at starts ---

static bool any_batched(const gj_batched *args, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++)
    any = any || args[i].batched;
  return any;
}

// Starts that all examples share: `head` and then one of 0 for the batch.
static gj_ref at_shared(gj__batch *b, gj_op op, const gj_ref *head, size_t count,
                        const gj_batched *starts, size_t rank, const gj_attrs *attrs) {
  gj_ref args[2 + GJ_MAX_RANK];
  gj_type type = {.dtype = gj__b_type(b, starts[0].ref)->dtype};
  memcpy(args, head, count * sizeof *args);
  args[count++] = gj__b_filled(b, &type, 0);
  for (size_t i = 0; i < rank; i++)
    args[count++] = starts[i].ref;
  return gj__b_append(b, op, args, count, attrs);
}

// A start per example, [size, 1]; `most`: clamped to [0, most), else as it is.
static gj_ref column(gj__batch *b, gj_batched start, gj_dim most) {
  static const int64_t zero = 0, one = 1;
  gj_ref spread = gj__b_spread(b, start);
  if (!spread)
    return 0;
  gj_type type = {.dtype = gj__b_type(b, spread)->dtype, .rank = 2, .shape = {b->all->size, 1}};
  gj_ref rows = gj__b_reshape(b, spread, &type);
  if (most == 0)
    return rows;
  // Element number start of 0, 1, 2, …, since gather clamps.
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_offset_axes, NULL, 0);
  gj_attrs_set(&attrs, GJ_ATTR_collapsed_axes, &zero, 1);
  gj_attrs_set(&attrs, GJ_ATTR_operand_batch, NULL, 0);
  gj_attrs_set(&attrs, GJ_ATTR_indices_batch, NULL, 0);
  gj_attrs_set(&attrs, GJ_ATTR_index_map, &zero, 1);
  gj_attrs_set(&attrs, GJ_ATTR_window, &one, 1);
  gj_ref numbers = gj__b_iota(b, type.dtype, most);
  return gj__b_reshape(b, gj__b_append(b, GJ_OP_gather, (gj_ref[]){numbers, rows}, 2, &attrs),
                       &type);
}

// Index vectors of starts, [size, rank]; clamped so that a window of that shape fits into a whole
// one, or as they are where there is none.
static gj_ref vectors(gj__batch *b, const gj_batched *starts, size_t rank, const gj_dim *whole,
                      const gj_dim *window) {
  gj_dims *dims = gj_graph_dims(b->out);
  gj_ref columns[GJ_MAX_RANK];
  gj_attrs attrs = {0};
  int64_t axis = 1;
  for (size_t i = 0; i < rank; i++) {
    gj_dim most = whole ? gj_dim_add(dims, gj_dim_sub(dims, whole[i], window[i]), 1) : 0;
    columns[i] = column(b, starts[i], most);
  }
  gj_attrs_set(&attrs, GJ_ATTR_axis, &axis, 1);
  return rank == 1 ? columns[0] : gj__b_append(b, GJ_OP_concat, columns, rank, &attrs);
}

// The roles of axes where an index vector has a place for each axis of the operand, which has a
// batch or none.
static void set_roles(gj_attrs *attrs, size_t rank, bool batched) {
  static const int64_t axes[GJ_MAX_RANK + 1] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  gj_attrs_set(attrs, GJ_ATTR_offset_axes, axes + 1, rank);
  gj_attrs_set(attrs, GJ_ATTR_collapsed_axes, NULL, 0);
  gj_attrs_set(attrs, GJ_ATTR_operand_batch, axes, batched);
  gj_attrs_set(attrs, GJ_ATTR_indices_batch, axes, batched);
  gj_attrs_set(attrs, GJ_ATTR_index_map, axes + batched, rank);
}

void gj__batch_dynamic_slice(gj__batch *b, const gj_node *node, const gj_batched *args,
                             gj_batched *out) {
  size_t rank = node->type.rank;
  gj__b_attrs a;
  if (rank == 0) {
    out[0] = args[0];
    return;
  }
  if (!gj__b_batched_type(b, &node->type).rank)
    return;
  gj__b_attrs_init(&a, node);
  if (!any_batched(args + 1, rank)) {
    gj__b_lead(&a, GJ_ATTR_shape, b->all->size);
    gj_ref made = at_shared(b, GJ_OP_dynamic_slice, &args[0].ref, 1, args + 1, rank, &a.attrs);
    out[0] = (gj_batched){made, true};
    return;
  }
  gj_attrs attrs = {0};
  gj_type window = {.rank = (uint8_t)rank};
  memcpy(window.shape, node->type.shape, rank * sizeof *window.shape);
  if (args[0].batched) {
    memmove(window.shape + 1, window.shape, rank * sizeof *window.shape);
    window.shape[0] = 1;
    window.rank++;
  }
  set_roles(&attrs, rank, args[0].batched);
  gj_attrs_set(&attrs, GJ_ATTR_window, window.shape, window.rank);
  gj_ref refs[] = {args[0].ref, vectors(b, args + 1, rank, NULL, NULL)};
  out[0] = (gj_batched){gj__b_append(b, GJ_OP_gather, refs, 2, &attrs), true};
}

void gj__batch_update_slice(gj__batch *b, const gj_node *node, const gj_batched *args,
                            gj_batched *out) {
  size_t rank = node->type.rank;
  gj_attrs attrs = {0};
  if (rank == 0) {
    out[0] = args[1];
    return;
  }
  gj_ref head[3] = {gj__b_spread(b, args[0]), gj__b_spread(b, args[1])};
  if (!head[0] || !head[1])
    return;
  if (!any_batched(args + 2, rank)) {
    gj_ref made = at_shared(b, GJ_OP_update_slice, head, 2, args + 2, rank, NULL);
    out[0] = (gj_batched){made, true};
    return;
  }
  const gj_dim *whole = gj__b_type(b, head[0])->shape + 1;
  const gj_dim *window = gj__b_type(b, head[1])->shape + 1;
  set_roles(&attrs, rank, true);
  gj_ref refs[] = {head[0], vectors(b, args + 2, rank, whole, window), head[1]};
  out[0] = (gj_batched){gj__b_append(b, GJ_OP_scatter, refs, 3, &attrs), true};
}
