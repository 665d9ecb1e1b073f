// Elementwise kernels: one loop nest over the shape, everything computed inside.
//
// When all values can be had in memory order, the nest is a single loop over the elements;
// otherwise (broadcasts along an inner axis, transposes, slices) there is a loop per axis. What is
// read transposed is read in tiles, which the vectoriser makes.
#include "lower/context.h"

static bool is_flat(gj__lower *l, const gj_kernel *kernel) {
  for (uint32_t i = 0; i < kernel->store_count; i++)
    if (!gj__is_flat(l, kernel->stores[i].ref))
      return false;
  return true;
}

// Whether a value is read transposed, so that tiles serve it better than rows; then along which
// axis it is contiguous.
static bool find_tiles(gj__lower *l, const gj_kernel *kernel) {
  for (uint32_t i = 0; i < kernel->store_count; i++) {
    gj_ref ref = kernel->stores[i].ref;
    if (!gj__is_crossed(l, ref))
      continue;
    unsigned axis = gj__crossed_axis(l, ref), rank = kernel->domain.rank;
    l->tile_axis = (uint8_t)(axis < rank ? rank - 1 - axis : 0);
    return true;
  }
  return false;
}

void gj__divide_elementwise(gj__lower *l, const gj_kernel *kernel) {
  gj__add_units(l, gj__nest_units(l, &kernel->domain, is_flat(l, kernel)));
}

void gj__lower_elementwise(gj__lower *l, const gj_kernel *kernel) {
  gj__share share = gj__share_of(l, 0);
  bool flat = is_flat(l, kernel);
  l->tiles = !flat && find_tiles(l, kernel);
  if (!l->tiles) // the pieces of rows in a tile are too short
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
  l->tiles = false;
}
