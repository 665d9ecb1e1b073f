// Sums of leaves: a template over REAL, the type of the leaves. Included by forests.c alone.
#include "library/real.h"

// The values of as many leaves as a vector has lanes.
#if LANES == 4
static inline VECTOR NAME(chosen)(const REAL *v, const uint8_t *leaf) {
  return (VECTOR){v[leaf[0]], v[leaf[1]], v[leaf[2]], v[leaf[3]]};
}
#else
static inline VECTOR NAME(chosen)(const REAL *v, const uint8_t *leaf) {
  return (VECTOR){v[leaf[0]], v[leaf[1]], v[leaf[2]], v[leaf[3]],
                  v[leaf[4]], v[leaf[5]], v[leaf[6]], v[leaf[7]]};
}
#endif

// Adds a tree's leaves to the sums of a block.
static inline void NAME(add_walked)(const gjl_forest *f, const gjl_forest_tree *tree, int64_t count,
                                    const uint16_t *words, REAL *sums) {
  gjl_forest_nodes nodes = forest_nodes(f);
  const REAL *leaves = gjl_forest_section(f, f->leaf_at);
  for (int64_t r = 0; r < count; r += GJL_FOREST_TOGETHER) {
    uint32_t ends[GJL_FOREST_TOGETHER];
    forest_rows_ends(&nodes, tree, words + r * f->words, f->words, ends);
    for (int64_t k = 0; k < GJL_FOREST_TOGETHER; k++)
      sums[r + k] += leaves[ends[k]];
  }
}

static inline void NAME(add_dense)(const gjl_forest *f, const gjl_forest_tree *tree, int64_t count,
                                   int8_t *bytes, REAL *sums) {
  const gjl_forest_dense *nodes = gjl_forest_section(f, f->dense_at);
  const REAL *values = (const REAL *)gjl_forest_section(f, f->value_at) + tree->values;
  for (int64_t r = 0; r < count; r += GJL_FOREST_DENSE_ROWS) {
    uint8_t leaves[GJL_FOREST_DENSE_ROWS];
    forest_dense_leaves(nodes + tree->nodes, tree->dense, forest_bytes_of(f, bytes, r), leaves);
    for (int64_t k = 0; k < GJL_FOREST_DENSE_ROWS; k += LANES)
      *(VECTOR_IN_MEMORY *)(sums + r + k) += NAME(chosen)(values, leaves + k);
  }
}

// out: [rows, groups]. compares: whether dense trees are compared, else they are followed.
GJL_FOREST_INLINE void NAME(sums_block)(const gjl_forest *f, const gjl_forest_rows *rows,
                                        const int32_t *ranges, REAL *out, int64_t row,
                                        int64_t count, const work *w, bool compares) {
  const gjl_forest_tree *trees = gjl_forest_section(f, f->tree_at);
  const double *base = gjl_forest_section(f, f->base_at);
  REAL *sums = w->sums;
  forest_codes(f, rows, row, count, compares && f->bytes > 0 ? w->bytes : 0,
               !compares || f->walks ? w->words : 0);
  for (int64_t g = 0; g < f->groups; g++) {
    for (int64_t r = 0; r < f->block; r++)
      sums[r] = (REAL)base[g];
    for (int32_t t = ranges[2 * g]; t < ranges[2 * g + 1]; t++)
      if (compares && trees[t].dense > 0)
        NAME(add_dense)(f, &trees[t], count, w->bytes, sums);
      else
        NAME(add_walked)(f, &trees[t], count, w->words, sums);
    for (int64_t r = 0; r < count; r++)
      out[(row + r) * f->groups + g] = sums[r];
  }
}

// Adds the leaves of one row in dense trees that are next to each other.
static inline REAL NAME(add_heaps)(const gjl_forest *f, const gjl_forest_tree *tree,
                                   const uint16_t *words, REAL sum) {
  const gjl_forest_heap *heap = gjl_forest_section(f, f->heap_at);
  const REAL *values = gjl_forest_section(f, f->value_at);
  uint32_t leaves[GJL_FOREST_ABREAST];
  int32_t depth = tree->dense;
  forest_heap_leaves(heap + tree->nodes, depth, words, leaves);
  values += tree->values;
  for (int k = 0; k < GJL_FOREST_ABREAST; k++)
    sum += values[(int64_t)leaves[k] + (k - 1) * ((int64_t)1 << depth)];
  return sum;
}

#ifdef GJL_FOREST_HAS_MASKS
// Adds the leaves of one row in dense trees from number `tree` up to `end`.
GJL_FOREST_AVX512 GJL_FOREST_INLINE REAL NAME(add_masked_levels)(const gjl_forest *f, int64_t tree,
                                                                 int64_t end, const uint8_t *codes,
                                                                 int depth, REAL sum) {
  const gjl_forest_mask_nodes *nodes = gjl_forest_section(f, f->mask_at);
  const REAL *values = gjl_forest_section(f, f->value_at);
  const int shared = GJL_FOREST_DEEPEST_DENSE - depth;
  uint64_t masks[GJL_FOREST_MASKED + GJL_FOREST_WAYS];
  while (tree < end) {
    int64_t first = tree >> shared, stop = (first + GJL_FOREST_MASKED) << shared;
    stop = stop < end ? stop : end;
    int64_t vectors = ((stop - 1) >> shared) + 1 - first, begin = first << shared;
    forest_find_masks(nodes + first, vectors, codes, f->bytes, masks);
    for (int k = 0; k < GJL_FOREST_WAYS; k++)
      masks[vectors + k] = 0;
    for (; tree < stop; tree += GJL_FOREST_WAYS) {
      _Alignas(64) int64_t leaves[GJL_FOREST_WAYS];
      _mm512_store_si512(leaves, forest_masked_leaves(masks, tree, begin, depth));
      if (stop - tree >= GJL_FOREST_WAYS)
        for (int k = 0; k < GJL_FOREST_WAYS; k++)
          sum += values[leaves[k]];
      else
        for (int64_t k = 0; k < stop - tree; k++)
          sum += values[leaves[k]];
    }
    tree = stop;
  }
  return sum;
}

GJL_FOREST_AVX512 static REAL NAME(add_masked)(const gjl_forest *f, const gjl_forest_tree *tree,
                                               int64_t count, const uint8_t *codes, REAL sum) {
  int64_t first = tree->nodes >> tree->dense;
  switch (tree->dense) {
#define GJL_FOREST_MASKED_LEVELS(depth)                                                            \
  case depth:                                                                                      \
    return NAME(add_masked_levels)(f, first, first + count, codes, depth, sum);
    GJL_FOREST_MASKED_LEVELS(1)
    GJL_FOREST_MASKED_LEVELS(2)
    GJL_FOREST_MASKED_LEVELS(3)
    GJL_FOREST_MASKED_LEVELS(4)
    GJL_FOREST_MASKED_LEVELS(5)
#undef GJL_FOREST_MASKED_LEVELS
  default:
    return NAME(add_masked_levels)(f, first, first + count, codes, GJL_FOREST_DEEPEST_DENSE, sum);
  }
}
#endif

// Adds the leaves of one row in dense trees that are next to each other. bytes: NULL if nodes are
// to be followed.
static inline REAL NAME(add_shallow)(const gjl_forest *f, const gjl_forest_tree *trees,
                                     int64_t count, const uint16_t *words, const uint8_t *bytes,
                                     REAL sum) {
#ifdef GJL_FOREST_HAS_MASKS
  if (bytes)
    return NAME(add_masked)(f, trees, count, bytes, sum);
#endif
  (void)bytes;
  gjl_forest_nodes nodes = forest_nodes(f);
  const REAL *leaves = gjl_forest_section(f, f->leaf_at);
  int64_t t = 0;
  for (; t + GJL_FOREST_ABREAST <= count; t += GJL_FOREST_ABREAST)
    sum = NAME(add_heaps)(f, &trees[t], words, sum);
  if (t == count)
    return sum;
  uint32_t ends[GJL_FOREST_TOGETHER];
  forest_trees_ends(&nodes, trees + t, count - t, words, ends);
  for (int64_t k = 0; k < count - t; k++)
    sum += leaves[ends[k]];
  return sum;
}

static void NAME(sums_row)(const gjl_forest *f, const gjl_forest_rows *rows, const int32_t *ranges,
                           REAL *out, int64_t row, uint16_t *words) {
  gjl_forest_nodes nodes = forest_nodes(f);
  const gjl_forest_tree *trees = gjl_forest_section(f, f->tree_at);
  const REAL *leaves = gjl_forest_section(f, f->leaf_at);
  const double *base = gjl_forest_section(f, f->base_at);
  _Alignas(64) uint8_t codes[GJL_FOREST_MASK_CODES];
  uint8_t *bytes = forest_masks_run(f) ? codes : 0;
  forest_row_codes(f, rows, row, bytes && !f->walks ? 0 : words, bytes);
  for (int64_t g = 0; g < f->groups; g++) {
    REAL sum = (REAL)base[g];
    int64_t end = ranges[2 * g + 1], next;
    for (int64_t t = ranges[2 * g]; t < end; t = next) {
      next = f->walks ? t : end;
      while (next < end && trees[next].dense > 0)
        next++;
      if (next > t) {
        sum = NAME(add_shallow)(f, &trees[t], next - t, words, bytes, sum);
        continue;
      }
      while (next < end && next - t < GJL_FOREST_TOGETHER && trees[next].dense == 0)
        next++;
      uint32_t ends[GJL_FOREST_TOGETHER];
      forest_trees_ends(&nodes, trees + t, next - t, words, ends);
      for (int64_t k = 0; k < next - t; k++)
        sum += leaves[ends[k]];
    }
    out[row * f->groups + g] = sum;
  }
}

GJL_FOREST_INLINE void NAME(sums)(int64_t table, int64_t x, int64_t doubles, int64_t ranges,
                                  int64_t out, int64_t begin, int64_t end, int64_t memory,
                                  bool compares) {
  const gjl_forest *f = (const gjl_forest *)(uintptr_t)table;
  gjl_forest_rows rows = {(const void *)(uintptr_t)x, doubles != 0, f->features};
  work w = work_in(f, memory);
  const int32_t *own = (const int32_t *)(uintptr_t)ranges;
  REAL *sums = (REAL *)(uintptr_t)out;
  const int64_t few = forest_masks_run(f) && !f->walks ? FEW_MASKED : FEW;
  for (int64_t row = begin; row < end; row += f->block) {
    int64_t count = end - row < f->block ? end - row : f->block;
    if (count >= few)
      NAME(sums_block)(f, &rows, own, sums, row, count, &w, compares);
    else
      for (int64_t r = 0; r < count; r++)
        NAME(sums_row)(f, &rows, own, sums, row + r, w.words);
  }
}

void NAME(forest_sums)(int64_t table, int64_t x, int64_t doubles, int64_t ranges, int64_t out,
                       int64_t begin, int64_t end, int64_t memory) {
  NAME(sums)(table, x, doubles, ranges, out, begin, end, memory, true);
}

void NAME(forest_walks)(int64_t table, int64_t x, int64_t doubles, int64_t ranges, int64_t out,
                        int64_t begin, int64_t end, int64_t memory) {
  NAME(sums)(table, x, doubles, ranges, out, begin, end, memory, false);
}
