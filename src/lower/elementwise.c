// Elementwise kernels: one loop nest over the shape, everything computed inside.
//
// When all values can be had in memory order, the nest is a single loop over the elements;
// otherwise (broadcasts along an inner axis, transposes, slices) there is a loop per axis. What is
// read transposed is read in strips where rows would not stay in the cache.
#include "lower/context.h"

static bool is_flat(gj__lower *l, const gj_kernel *kernel) {
  for (uint32_t i = 0; i < kernel->store_count; i++)
    if (!gj__is_flat(l, kernel->stores[i].ref))
      return false;
  return true;
}

enum { PAGE = 4096, MANY_COLUMNS = 8192 };

// Strips pay where the lines of one row of a transposed operand crowd each other out of the cache:
// when they lie a multiple of a page apart, or are many. Elsewhere whole rows are faster.
static bool is_crossed(gj__lower *l, const gj_kernel *kernel) {
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(&kernel->domain, axes);
  gj_dim rows = count > 1 ? kernel->domain.shape[axes[count - 2]] : GJ_DIM_ERROR;
  gj_dim columns = count > 1 ? kernel->domain.shape[axes[count - 1]] : GJ_DIM_ERROR;
  int64_t bytes = (int64_t)gj_dtype_bytes(l->plan->buffers[kernel->stores[0].buffer].type.dtype);
  if (count < 2 || !gj_dim_is_const(rows) || !gj_dim_is_const(columns))
    return false;
  if (rows % (PAGE / bytes) != 0 && columns < MANY_COLUMNS)
    return false;
  for (uint32_t i = 0; i < kernel->store_count; i++)
    if (gj__is_crossed(l, kernel->stores[i].ref))
      return true;
  return false;
}

void gj__divide_elementwise(gj__lower *l, const gj_kernel *kernel) {
  gj__add_units(l, gj__nest_units(l, &kernel->domain, is_flat(l, kernel)));
}

void gj__lower_elementwise(gj__lower *l, const gj_kernel *kernel) {
  gj__share share = gj__share_of(l, 0);
  bool flat = is_flat(l, kernel);
  l->strips = !flat && is_crossed(l, kernel);
  if (!l->strips) // the pieces of rows in a strip are too short
    gj__stream_begin(l, kernel, flat);
  const gj__index *index = gj__nest_share(l, &l->f->body, &kernel->domain, flat, &share);
  // All values before the first store: a store may overwrite, in place, what another value reads.
  const gj_lexpr **values = gj_arena_array(&l->scratch, kernel->store_count, sizeof *values);
  if (!values) {
    l->out_of_memory = true;
    return;
  }
  for (uint32_t i = 0; i < kernel->store_count; i++)
    values[i] = gj__value(l, kernel->stores[i].ref, index);
  const gj_lexpr *position = gj__flatten(l, &kernel->domain, index);
  for (uint32_t i = 0; i < kernel->store_count; i++)
    gj_ls_store(l->m, l->f, l->block, l->buffers[kernel->stores[i].buffer], position, values[i]);
  gj__stream_end(l);
  l->strips = false;
}
