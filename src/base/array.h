// Growing of heap arrays: the one place where capacities are computed.
//
// A growable array is three plain fields of its owner (pointer, count, capacity), so that readers
// index it like any C array; only the growth is shared:
//
//   gj_node *nodes = gj_array_grow(g->nodes, &g->capacity, g->count + 1, sizeof *nodes);
//   if (!nodes)
//     return gj_fail(err, GJ_E_MEMORY, "graph: out of memory at %zu nodes", g->count);
//   g->nodes = nodes;

#ifndef GJ_BASE_ARRAY_H
#define GJ_BASE_ARRAY_H

#include <stddef.h>

// Returns `items` (NULL for a new array) with room for at least `needed` items of `item_size`
// bytes, doubling so that n appends cost O(n), and updates `*capacity`. New items are zeroed.
// Returns NULL when memory or size_t is exhausted or `needed` is 0 for a new array; then `items`
// and `*capacity` stay valid and unchanged. The array is released with free().
void *gj_array_grow(void *items, size_t *capacity, size_t needed, size_t item_size);

#endif
