// Shallow trees, all of whose nodes are compared for 64 rows at a time, by codes of 8 bits.
//
// A tree is filled up to a full one. Its nodes are numbered as those of a heap, from 1; each makes
// of its code a mask of the rows that go left. From below, masks choose between what the two
// children have found, which is the number of a leaf, and rows take its value at the end. There is
// no branch and no gather, and all numbers of nodes are constants of the code.
#ifndef GJ_LIBRARY_FORESTS_DENSE_H
#define GJ_LIBRARY_FORESTS_DENSE_H

#include "library/forests/codes.h"

typedef int8_t gjl_i8x32 __attribute__((vector_size(32)));
typedef int8_t gjl_i8x32_in_memory __attribute__((vector_size(32), aligned(1), may_alias));

// Of 64 rows.
typedef struct gjl_forest_lanes {
  gjl_i8x32 a, b;
} gjl_forest_lanes;

#define GJL_FOREST_INLINE static inline __attribute__((always_inline))

// Lanes of 0 or -1: whether rows go left at node i.
GJL_FOREST_INLINE gjl_forest_lanes forest_left(const gjl_forest_dense *nodes, int i,
                                               const int8_t *codes) {
  int32_t word = (int32_t)nodes[i].after;
  gjl_i8x32 after = (gjl_i8x32)(gjl_i32x8){word, word, word, word, word, word, word, word};
  const int8_t *own = codes + nodes[i].byte;
  return (gjl_forest_lanes){after > *(const gjl_i8x32_in_memory *)own,
                            after > *(const gjl_i8x32_in_memory *)(own + 32)};
}

GJL_FOREST_INLINE gjl_i8x32 forest_choose(gjl_i8x32 mask, gjl_i8x32 yes, gjl_i8x32 no) {
  return (mask & yes) | (~mask & no);
}

// Which leaf rows come to in the tree below node i, whose children are the leaves `leaf` and
// `leaf` + 1.
GJL_FOREST_INLINE gjl_forest_lanes forest_dense_1(const gjl_forest_dense *nodes, int i, int leaf,
                                                  const int8_t *codes) {
  gjl_forest_lanes left = forest_left(nodes, i, codes);
  int8_t right = (int8_t)(leaf + 1);
  return (gjl_forest_lanes){left.a + right, left.b + right};
}

// The same of a tree of more levels: `leaf` is its first one, and `half` how many the left child
// has.
#define GJL_FOREST_DENSE(name, below, half)                                                        \
  GJL_FOREST_INLINE gjl_forest_lanes name(const gjl_forest_dense *nodes, int i, int leaf,          \
                                          const int8_t *codes) {                                   \
    gjl_forest_lanes no = below(nodes, 2 * i + 1, leaf + half, codes);                             \
    gjl_forest_lanes yes = below(nodes, 2 * i, leaf, codes);                                       \
    gjl_forest_lanes left = forest_left(nodes, i, codes);                                          \
    return (gjl_forest_lanes){forest_choose(left.a, yes.a, no.a),                                  \
                              forest_choose(left.b, yes.b, no.b)};                                 \
  }

GJL_FOREST_DENSE(forest_dense_2, forest_dense_1, 2)
GJL_FOREST_DENSE(forest_dense_3, forest_dense_2, 4)
GJL_FOREST_DENSE(forest_dense_4, forest_dense_3, 8)
GJL_FOREST_DENSE(forest_dense_5, forest_dense_4, 16)
GJL_FOREST_DENSE(forest_dense_6, forest_dense_5, 32)

// The numbers of the leaves of 64 rows, of whose codes there are 64 at a time.
static inline void forest_dense_leaves(const gjl_forest_dense *nodes, int32_t depth,
                                       const int8_t *codes, uint8_t *leaves) {
  gjl_forest_lanes found;
  switch (depth) {
  case 1:
    found = forest_dense_1(nodes, 1, 0, codes);
    break;
  case 2:
    found = forest_dense_2(nodes, 1, 0, codes);
    break;
  case 3:
    found = forest_dense_3(nodes, 1, 0, codes);
    break;
  case 4:
    found = forest_dense_4(nodes, 1, 0, codes);
    break;
  case 5:
    found = forest_dense_5(nodes, 1, 0, codes);
    break;
  default:
    found = forest_dense_6(nodes, 1, 0, codes);
  }
  *(gjl_i8x32_in_memory *)leaves = found.a;
  *(gjl_i8x32_in_memory *)(leaves + 32) = found.b;
}

#endif
