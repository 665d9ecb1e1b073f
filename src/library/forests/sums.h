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

static void NAME(sums_row)(const gjl_forest *f, const gjl_forest_rows *rows, const int32_t *ranges,
                           REAL *out, int64_t row, uint16_t *words) {
  gjl_forest_nodes nodes = forest_nodes(f);
  const gjl_forest_tree *trees = gjl_forest_section(f, f->tree_at);
  const REAL *leaves = gjl_forest_section(f, f->leaf_at);
  const double *base = gjl_forest_section(f, f->base_at);
  forest_row_words(f, rows, row, words);
  for (int64_t g = 0; g < f->groups; g++) {
    REAL sum = (REAL)base[g];
    int64_t end = ranges[2 * g + 1], next;
    for (int64_t t = ranges[2 * g]; t < end; t = next) {
      next = t + GJL_FOREST_ABREAST;
      if (next <= end && forest_all_dense(&trees[t])) {
        sum = NAME(add_heaps)(f, &trees[t], words, sum);
        continue;
      }
      next = t + 1;
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
  for (int64_t row = begin; row < end; row += f->block) {
    int64_t count = end - row < f->block ? end - row : f->block;
    if (count >= FEW)
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
