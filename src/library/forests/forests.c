// Forests of decision trees over rows of features: sums of leaves, and which leaves these are.
//
// What a forest is stands in table.h. Rows are taken in blocks: their values become codes, then one
// tree after the other adds its leaves to the sums of a group, so that all sums are in the order of
// trees, in the type that the leaves have, whatever the number of rows. Trees are followed by
// walk.h or, where they are shallow, compared as a whole: by dense.h, or one row by masks.h where
// the processor can. All find the same leaves. What is not here: what becomes of sums, and leaves
// that are functions of features.
#include "library/forests/codes.h"
#include "library/forests/dense.h"
#include "library/forests/masks.h"
#include "library/forests/table.h"
#include "library/forests/walk.h"
#include "library/real.h"

// From so many rows on they are worth a block: less a row costs where all of a tree is compared.
enum { FEW = 8, FEW_MASKED = 16 };

typedef struct work {
  uint16_t *words; // [block, words]
  int8_t *bytes;   // [bytes, block]
  void *sums;      // [block]
} work;

static int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

static int64_t words_size(const gjl_forest *f) {
  return aligned(f->block * f->words * (int64_t)sizeof(uint16_t));
}

static work work_in(const gjl_forest *f, int64_t address) {
  char *bytes = (char *)(uintptr_t)address + words_size(f);
  return (work){(uint16_t *)(uintptr_t)address, (int8_t *)bytes,
                bytes + aligned(f->block * f->bytes)};
}

int64_t GJL_JOIN(gjl_forest_work, , GJL_SUFFIX)(int64_t table) {
  const gjl_forest *f = (const gjl_forest *)(uintptr_t)table;
  return words_size(f) + aligned(f->block * f->bytes) + aligned(f->block * (int64_t)sizeof(double));
}

#define GJL_REAL_BITS 64
#include "library/forests/sums.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/forests/sums.h"

// --- which leaves ---

enum { LEAVES_TOGETHER = 16 }; // trees whose leaves of a row are written together

static void leaves_of_row(const gjl_forest *f, const uint16_t *words, int32_t *out) {
  gjl_forest_nodes nodes = forest_nodes(f);
  const gjl_forest_tree *trees = gjl_forest_section(f, f->tree_at);
  const int32_t *numbers = gjl_forest_section(f, f->number_at);
  for (int64_t t = 0; t < f->trees; t += GJL_FOREST_TOGETHER) {
    int64_t left = f->trees - t;
    uint32_t ends[GJL_FOREST_TOGETHER];
    forest_trees_ends(&nodes, trees + t, left, words, ends);
    for (int64_t k = 0; k < GJL_FOREST_TOGETHER && k < left; k++)
      out[trees[t + k].place] = numbers[ends[k]];
  }
}

// Of some rows, by their codes, in some trees. Trees take turns, so that their nodes stay in the
// cache, and rows are written as a whole, since neighbours of a column lie far apart.
static void leaves_of_tile(const gjl_forest *f, const gjl_forest_tree *trees, int64_t tree_count,
                           const uint16_t *words, int64_t rows, int32_t *out) {
  int32_t found[LEAVES_TOGETHER][GJL_FOREST_DENSE_ROWS];
  gjl_forest_nodes nodes = forest_nodes(f);
  const int32_t *numbers = gjl_forest_section(f, f->number_at);
  for (int64_t t = 0; t < tree_count; t++)
    for (int64_t r = 0; r < rows; r += GJL_FOREST_TOGETHER) {
      uint32_t ends[GJL_FOREST_TOGETHER];
      forest_rows_ends(&nodes, trees + t, words + r * f->words, f->words, ends);
      for (int64_t k = 0; k < GJL_FOREST_TOGETHER; k++)
        found[t][r + k] = numbers[ends[k]];
    }
  for (int64_t r = 0; r < rows; r++)
    for (int64_t t = 0; t < tree_count; t++)
      out[r * f->trees + trees[t].place] = found[t][r];
}

static void leaves_of_block(const gjl_forest *f, const gjl_forest_rows *rows, int64_t row,
                            int64_t count, uint16_t *words, int32_t *out) {
  const gjl_forest_tree *trees = gjl_forest_section(f, f->tree_at);
  forest_codes(f, rows, row, count, 0, words);
  for (int64_t t = 0; t < f->trees; t += LEAVES_TOGETHER) {
    int64_t left = f->trees - t, tree_count = left < LEAVES_TOGETHER ? left : LEAVES_TOGETHER;
    for (int64_t r = 0; r < count; r += GJL_FOREST_DENSE_ROWS) {
      int64_t rest = count - r, some = rest < GJL_FOREST_DENSE_ROWS ? rest : GJL_FOREST_DENSE_ROWS;
      leaves_of_tile(f, trees + t, tree_count, words + r * f->words, some, out + r * f->trees);
    }
  }
}

void GJL_JOIN(gjl_forest_leaves, , GJL_SUFFIX)(int64_t table, int64_t x, int64_t doubles,
                                               int64_t out, int64_t begin, int64_t end,
                                               int64_t memory) {
  const gjl_forest *f = (const gjl_forest *)(uintptr_t)table;
  gjl_forest_rows rows = {(const void *)(uintptr_t)x, doubles != 0, f->features};
  uint16_t *words = work_in(f, memory).words;
  for (int64_t row = begin; row < end; row += f->block) {
    int64_t count = end - row < f->block ? end - row : f->block;
    int32_t *own = (int32_t *)(uintptr_t)out + row * f->trees;
    if (count >= FEW) {
      leaves_of_block(f, &rows, row, count, words, own);
      continue;
    }
    for (int64_t r = 0; r < count; r++) {
      forest_row_codes(f, &rows, row + r, words, 0);
      leaves_of_row(f, words, own + r * f->trees);
    }
  }
}
