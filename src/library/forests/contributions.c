// What each feature contributes to the sums of rows: SHAP values of trees.
//
// Lundberg, Erion, Lee: "Consistent Individualized Feature Attribution for Tree Ensembles" (2018).
// The ways to the leaves are given one by one, with the conditions of each feature joined, so that
// there is nothing to undo where a feature is met again. What a way does is the same for all rows
// but for which conditions these meet, so eight rows are lanes of a vector: their conditions are
// bits, and where all eight agree, only one of two formulas is needed. What is not here: what a
// forest expects of any row, which is the same for all (lib/forests/contributions.js).
#include "library/forests/codes.h"
#include "library/forests/table.h"
#include "library/forests/walk.h"
#include "library/real.h"

// The ways, in one piece of memory with sections at offsets in bytes, like the table.
typedef struct paths {
  int64_t trees;
  int64_t most_nodes;    // of a tree
  int64_t most_elements; // of a way
  int64_t tree_at;       // path_tree[trees]
  int64_t leaf_at;       // path_leaf
  int64_t element_at;    // path_element
  int64_t condition_at;  // uint32_t: twice a node of the tree, and whether it is to be left right
} paths;

typedef struct path_tree {
  uint32_t first; // of its nodes in the table
  int32_t nodes;
  int32_t leaf, leaves;
  int32_t group;
  int32_t has_sets;
} path_tree;

typedef struct path_leaf {
  double value;
  int32_t element, elements;
} path_leaf;

// A feature on a way. zero: the share of rows that goes the way where the feature is not known.
typedef struct path_element {
  double zero;
  int32_t feature;
  int32_t condition, conditions;
  int32_t unused;
} path_element;

enum { TOGETHER = GJL_FOREST_TOGETHER, ALL = (1 << TOGETHER) - 1 };

typedef double lanes __attribute__((vector_size(8 * TOGETHER)));
// Memory that callers give is aligned for numbers, not for vectors.
typedef double lanes_in_memory __attribute__((vector_size(8 * TOGETHER), aligned(8), may_alias));
typedef int64_t lane_bits __attribute__((vector_size(8 * TOGETHER)));

typedef struct work {
  lanes_in_memory *weights; // [elements + 1], by size of the subset
  double *inverse;          // [elements + 2]: 1 / i
  uint16_t *words;          // [TOGETHER, words]
  uint8_t *right;           // [nodes], a bit for each row
  uint8_t *meets;           // [elements], likewise: whether the conditions are met
} work;

static int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

static const void *section(const paths *p, int64_t offset) { return (const char *)p + offset; }

// Places of what there is to work with from `at` on; returns the end.
static char *place(const gjl_forest *f, const paths *p, char *at, work *w) {
  w->weights = (lanes_in_memory *)at;
  at += (p->most_elements + 1) * (int64_t)sizeof(lanes);
  w->inverse = (double *)at;
  at += aligned((p->most_elements + 2) * (int64_t)sizeof(double));
  w->words = (uint16_t *)at;
  at += aligned(TOGETHER * f->words * (int64_t)sizeof(uint16_t));
  w->right = (uint8_t *)at;
  at += aligned(p->most_nodes);
  w->meets = (uint8_t *)at;
  return at + aligned(p->most_elements);
}

int64_t GJL_JOIN(gjl_forest_contributions_work, , GJL_SUFFIX)(int64_t table, int64_t ways) {
  work w;
  char *start = (char *)(uintptr_t)64;
  return place((const gjl_forest *)(uintptr_t)table, (const paths *)(uintptr_t)ways, start, &w) -
         start;
}

static void go_right(const gjl_forest *f, const path_tree *tree, const work *w) {
  gjl_forest_nodes n = forest_nodes(f);
  for (int32_t i = 0; i < tree->nodes; i++) {
    uint32_t at = tree->first + (uint32_t)i, bits = 0;
    for (int k = 0; k < TOGETHER; k++) {
      const uint16_t *codes = w->words + k * f->words;
      uint32_t to = tree->has_sets ? forest_set_step(&n, at, codes) : forest_step(&n, at, codes);
      bits |= (uint32_t)(to != n.nodes[at].next) << k;
    }
    w->right[i] = (uint8_t)bits;
  }
}

static lane_bits mask_of(uint32_t bits) {
  lane_bits each = {1, 2, 4, 8, 16, 32, 64, 128};
  return (((lane_bits){0} + (int64_t)bits) & each) != 0;
}

// The weights of subsets of the features on a way, by their size.
static void weigh(const path_element *elements, int32_t count, const work *w) {
  lanes_in_memory *weights = w->weights;
  weights[0] = (lanes){0} + 1;
  for (int32_t e = 0; e < count; e++) {
    int32_t length = e + 1;
    double inverse = w->inverse[length + 1];
    lane_bits one = mask_of(w->meets[e]);
    weights[length] = (lanes){0};
    for (int32_t i = e; i >= 0; i--) {
      lanes with = (lanes)(one & (lane_bits)weights[i]);
      weights[i + 1] += with * ((i + 1) * inverse);
      weights[i] *= elements[e].zero * ((length - i) * inverse);
    }
  }
}

// What feature e adds, where the leaf is 1.
static lanes share(double zero, uint32_t meets, int32_t last, const work *w) {
  const lanes_in_memory *weights = w->weights;
  const double *inverse = w->inverse;
  lanes met = {0}, missed = {0};
  if (meets != 0) {
    lanes next = weights[last];
    for (int32_t i = last - 1; i >= 0; i--) {
      lanes own = next * ((last + 1) * inverse[i + 1]);
      met += own;
      next = weights[i] - own * (zero * ((last - i) * inverse[last + 1]));
    }
    met *= 1 - zero;
  }
  if (meets != ALL && zero != 0)
    for (int32_t i = 0; i < last; i++)
      missed -= weights[i] * ((last + 1) * inverse[last - i]);
  lane_bits one = mask_of(meets);
  return (lanes)((one & (lane_bits)met) | (~one & (lane_bits)missed));
}

static void add_leaf(const paths *p, const path_leaf *leaf, int64_t count, const work *w,
                     double *out, int64_t apart) {
  const path_element *elements = (const path_element *)section(p, p->element_at) + leaf->element;
  const uint32_t *conditions = section(p, p->condition_at);
  for (int32_t e = 0; e < leaf->elements; e++) {
    uint32_t meets = ALL;
    for (int32_t c = 0; c < elements[e].conditions; c++) {
      uint32_t condition = conditions[elements[e].condition + c];
      meets &= condition & 1 ? w->right[condition / 2] : ~(uint32_t)w->right[condition / 2];
    }
    w->meets[e] = (uint8_t)meets;
  }
  weigh(elements, leaf->elements, w);
  for (int32_t e = 0; e < leaf->elements; e++) {
    lanes added = share(elements[e].zero, w->meets[e], leaf->elements, w) * leaf->value;
    for (int64_t k = 0; k < count; k++)
      out[k * apart + elements[e].feature] += added[k];
  }
}

// out: [rows, groups, features + 1], the last of which are left at 0.
void GJL_JOIN(gjl_forest_contributions, , GJL_SUFFIX)(int64_t table, int64_t x, int64_t doubles,
                                                      int64_t ways, int64_t out, int64_t begin,
                                                      int64_t end, int64_t memory) {
  const gjl_forest *f = (const gjl_forest *)(uintptr_t)table;
  const paths *p = (const paths *)(uintptr_t)ways;
  gjl_forest_rows rows = {(const void *)(uintptr_t)x, doubles != 0, f->features};
  const path_tree *trees = section(p, p->tree_at);
  const path_leaf *leaves = section(p, p->leaf_at);
  int64_t width = f->features + 1, apart = f->groups * width;
  work w;
  place(f, p, (char *)(uintptr_t)memory, &w);
  for (int64_t i = 1; i < p->most_elements + 2; i++)
    w.inverse[i] = 1 / (double)i;
  for (int64_t row = begin; row < end; row += TOGETHER) {
    int64_t count = end - row < TOGETHER ? end - row : TOGETHER;
    double *own = (double *)(uintptr_t)out + row * apart;
    for (int64_t k = 0; k < TOGETHER; k++)
      forest_row_codes(f, &rows, row + (k < count ? k : count - 1), w.words + k * f->words, 0);
    for (int64_t i = 0; i < count * apart; i++)
      own[i] = 0;
    for (int64_t t = 0; t < p->trees; t++) {
      go_right(f, &trees[t], &w);
      for (int32_t i = 0; i < trees[t].leaves; i++)
        add_leaf(p, &leaves[trees[t].leaf + i], count, &w, own + trees[t].group * width, apart);
    }
  }
}
