// Trees whose nodes are followed from the root, by codes of 16 bits.
//
// Eight ways at a time, of eight rows through one tree or of one row through eight trees: a step is
// without a branch, and while one waits for memory the others go on. Leaves lead to themselves, so
// that all go as many steps as the longest way; on deep trees one looks now and then whether all
// have ended.
#ifndef GJ_LIBRARY_FORESTS_WALK_H
#define GJ_LIBRARY_FORESTS_WALK_H

#include "library/forests/codes.h"

enum { GJL_FOREST_STEPS = 4 }; // between looks

// Where nodes are.
typedef struct gjl_forest_nodes {
  const gjl_forest_node *nodes;
  const uint32_t *sets, *bits;
} gjl_forest_nodes;

static inline gjl_forest_nodes forest_nodes(const gjl_forest *f) {
  return (gjl_forest_nodes){gjl_forest_section(f, f->node_at), gjl_forest_section(f, f->set_at),
                            gjl_forest_section(f, f->bit_at)};
}

static inline uint32_t forest_step(const gjl_forest_nodes *n, uint32_t at, const uint16_t *codes) {
  gjl_forest_node node = n->nodes[at];
  return node.next + (codes[node.word] > node.least);
}

// The same where nodes may ask whether a category is in a set: those of numbers have a set of none.
static inline uint32_t forest_set_step(const gjl_forest_nodes *n, uint32_t at,
                                       const uint16_t *codes) {
  gjl_forest_node node = n->nodes[at];
  uint32_t code = codes[node.word];
  uint32_t bit = n->bits[n->sets[at] + code / 32] >> code % 32 & 1;
  return node.next + ((uint32_t)(code > node.least) | bit);
}

// What way k does in a step, of p to q or back.
#define GJL_FOREST_ON(k) q[k] = forest_step(n, p[k], codes + k * apart);
#define GJL_FOREST_BACK(k) p[k] = forest_step(n, q[k], codes + k * apart);
#define GJL_FOREST_SET_ON(k) q[k] = forest_set_step(n, p[k], codes + k * apart);
#define GJL_FOREST_SET_BACK(k) p[k] = forest_set_step(n, q[k], codes + k * apart);
#define GJL_FOREST_MOVED(k) (p[k] ^ q[k]) |

// Eight ways from the nodes in p, of at least `depth` steps or to leaves; way k by the codes at
// codes + k · apart. Leaves p[k] at the last node.
#define GJL_FOREST_WALK(name, ON, BACK)                                                            \
  static inline void name(const gjl_forest_nodes *n, int32_t depth, const uint16_t *codes,         \
                          int64_t apart, uint32_t *p) {                                            \
    uint32_t q[GJL_FOREST_TOGETHER];                                                               \
    for (int32_t d = 0; d < depth; d += GJL_FOREST_STEPS) {                                        \
      GJL_FOREST_EACH(ON)                                                                          \
      GJL_FOREST_EACH(BACK)                                                                        \
      GJL_FOREST_EACH(ON)                                                                          \
      GJL_FOREST_EACH(BACK)                                                                        \
      if (d >= GJL_FOREST_STEPS && (GJL_FOREST_EACH(GJL_FOREST_MOVED) 0) == 0)                     \
        break;                                                                                     \
    }                                                                                              \
  }

GJL_FOREST_WALK(forest_walk, GJL_FOREST_ON, GJL_FOREST_BACK)
GJL_FOREST_WALK(forest_set_walk, GJL_FOREST_SET_ON, GJL_FOREST_SET_BACK)

// Where eight rows end in a tree; their codes lie `apart` from each other.
static inline void forest_rows_ends(const gjl_forest_nodes *n, const gjl_forest_tree *tree,
                                    const uint16_t *codes, int64_t apart, uint32_t *ends) {
  uint32_t p[GJL_FOREST_TOGETHER];
  for (int k = 0; k < GJL_FOREST_TOGETHER; k++)
    p[k] = tree->root;
  if (tree->kind & GJL_FOREST_HAS_SETS)
    forest_set_walk(n, tree->depth, codes, apart, p);
  else
    forest_walk(n, tree->depth, codes, apart, p);
  for (int k = 0; k < GJL_FOREST_TOGETHER; k++)
    ends[k] = p[k];
}

enum { GJL_FOREST_ABREAST = 4 }; // dense trees that one row goes through together

static inline bool forest_all_dense(const gjl_forest_tree *trees) {
  return trees[0].dense > 0 && trees[1].dense > 0 && trees[2].dense > 0 && trees[3].dense > 0;
}

// The leaves that one row comes to in dense trees that are next to each other. Nodes have their
// children at twice their place.
static inline void forest_heap_leaves(const gjl_forest_heap *heap, int32_t depth,
                                      const uint16_t *codes, uint32_t *leaves) {
  const gjl_forest_heap *h0 = heap, *h1 = heap + (1 << depth), *h2 = heap + (2 << depth),
                        *h3 = heap + (3 << depth);
  uint32_t p0 = 1, p1 = 1, p2 = 1, p3 = 1;
  for (int32_t d = 0; d < depth; d++) {
    p0 += p0 + (codes[h0[p0].word] > h0[p0].least);
    p1 += p1 + (codes[h1[p1].word] > h1[p1].least);
    p2 += p2 + (codes[h2[p2].word] > h2[p2].least);
    p3 += p3 + (codes[h3[p3].word] > h3[p3].least);
  }
  leaves[0] = p0;
  leaves[1] = p1;
  leaves[2] = p2;
  leaves[3] = p3;
}

// Where one row ends in up to eight trees.
static inline void forest_trees_ends(const gjl_forest_nodes *n, const gjl_forest_tree *trees,
                                     int64_t count, const uint16_t *codes, uint32_t *ends) {
  uint32_t p[GJL_FOREST_TOGETHER];
  int32_t depth = 0, kind = 0;
  for (int64_t k = 0; k < GJL_FOREST_TOGETHER; k++) {
    const gjl_forest_tree *tree = &trees[k < count ? k : 0];
    p[k] = tree->root;
    depth = tree->depth > depth ? tree->depth : depth;
    kind |= tree->kind;
  }
  if (kind & GJL_FOREST_HAS_SETS)
    forest_set_walk(n, depth, codes, 0, p);
  else
    forest_walk(n, depth, codes, 0, p);
  for (int64_t k = 0; k < GJL_FOREST_TOGETHER; k++)
    ends[k] = p[k];
}

#endif
