// One row through shallow trees, by AVX-512: all nodes of a tree are compared at once.
//
// Nodes lie in vectors of 64 bytes: the numbers of their codes of 8 bits, then what these are
// compared with. The codes of a row are a few registers, of which a permutation takes those that
// nodes ask; a comparison makes a mask, a bit for each node: whether the row goes right there.
// Eight trees then follow their masks together, as shifts of eight words. So a row reads nodes one
// behind the other, which the processor foresees: the first rows after loading wait for memory as
// little as later ones do. Only where a process runs natively and its processor has byte
// permutations; elsewhere walk.h follows nodes.
#ifndef GJ_LIBRARY_FORESTS_MASKS_H
#define GJ_LIBRARY_FORESTS_MASKS_H

#include "library/forests/codes.h"
#include "library/real.h"

enum { GJL_FOREST_MASK_CODES = 256, GJL_FOREST_MASK_NODES = 64 };

#if defined(GJL_NATIVE) && defined(__x86_64__)
#define GJL_FOREST_HAS_MASKS
#include <immintrin.h>

#define GJL_FOREST_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi")))

enum { GJL_FOREST_MASKED = 64, GJL_FOREST_WAYS = 8 }; // vectors at a time; trees

typedef struct gjl_forest_mask_nodes {
  uint8_t code[GJL_FOREST_MASK_NODES], after[GJL_FOREST_MASK_NODES];
} gjl_forest_mask_nodes;

// The codes that 64 nodes ask, of a row that has as many as the registers have lanes.
#define GJL_FOREST_ASKED_1(at) _mm512_permutexvar_epi8(at, own[0])
#define GJL_FOREST_ASKED_2(at) _mm512_permutex2var_epi8(own[0], at, own[1])
#define GJL_FOREST_ASKED_4(at)                                                                     \
  _mm512_mask_blend_epi8(_mm512_movepi8_mask(at), GJL_FOREST_ASKED_2(at),                          \
                         _mm512_permutex2var_epi8(own[2], at, own[3]))

#define GJL_FOREST_FIND_MASKS(ASKED)                                                               \
  for (int64_t i = 0; i < count; i++) {                                                            \
    __m512i at = _mm512_loadu_si512(nodes[i].code), after = _mm512_loadu_si512(nodes[i].after);    \
    masks[i] = _mm512_cmpge_epu8_mask(ASKED(at), after);                                           \
  }

// Masks of `count` vectors of nodes; `codes` of them a row has.
GJL_FOREST_AVX512 static inline void forest_find_masks(const gjl_forest_mask_nodes *nodes,
                                                       int64_t count, const uint8_t *row,
                                                       int64_t codes, uint64_t *masks) {
  __m512i own[GJL_FOREST_MASK_CODES / 64];
  for (int i = 0; i < GJL_FOREST_MASK_CODES / 64; i++)
    own[i] = _mm512_loadu_si512(row + 64 * i);
  if (codes <= 64) {
    GJL_FOREST_FIND_MASKS(GJL_FOREST_ASKED_1)
  } else if (codes <= 128) {
    GJL_FOREST_FIND_MASKS(GJL_FOREST_ASKED_2)
  } else {
    GJL_FOREST_FIND_MASKS(GJL_FOREST_ASKED_4)
  }
}

// Where the leaves of eight trees from number `tree` on are among all leaves. masks: from that on
// of the vector in which tree number `first` is.
GJL_FOREST_AVX512 static inline __m512i forest_masked_leaves(const uint64_t *masks, int64_t tree,
                                                             int64_t first, int depth) {
  const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), one = _mm512_set1_epi64(1);
  __m512i number = _mm512_add_epi64(lanes, _mm512_set1_epi64(tree)), mask, p = one;
  int shared = GJL_FOREST_DEEPEST_DENSE - depth; // a vector has 2^shared trees
  if (shared == 0)
    mask = _mm512_loadu_si512(masks + (tree - first));
  else {
    __m512i vector = _mm512_srli_epi64(number, (unsigned)shared);
    vector = _mm512_sub_epi64(vector, _mm512_set1_epi64(first >> shared));
    __m512i place = _mm512_and_epi64(number, _mm512_set1_epi64((1 << shared) - 1));
    mask = _mm512_srlv_epi64(_mm512_i64gather_epi64(vector, masks, 8),
                             _mm512_slli_epi64(place, (unsigned)depth));
  }
  for (int d = 0; d < depth; d++) {
    __m512i right = _mm512_and_epi64(_mm512_srlv_epi64(mask, p), one);
    p = _mm512_add_epi64(_mm512_add_epi64(p, p), right);
  }
  number = _mm512_sub_epi64(number, one);
  return _mm512_add_epi64(_mm512_slli_epi64(number, (unsigned)depth), p);
}
#endif

static inline bool forest_masks_run(const gjl_forest *f) {
#ifdef GJL_FOREST_HAS_MASKS
  return f->masks && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw");
#else
  (void)f;
  return false;
#endif
}

#endif
