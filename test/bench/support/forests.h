// Forests of decision trees, as C programmers write them: full trees of 6 levels as heaps of 64, and trees of any shape
// as nodes. Where nothing uses it a heap has place 0: what the first two trees have in theirs is how many trees there
// are, and how many features a row has.

enum { HEAP = 64 };

// x (one row), feature, threshold, leaf, out: one tree after the other, without a branch.
static void forest_one_f32(void *const *a, size_t n) {
  const float *x = a[0], *threshold = a[2], *leaf = a[3];
  const int32_t *feature = a[1];
  float sum = 0.5f;
  (void)n;
  for (int t = 0; t < feature[0]; t++) {
    const int base = t * HEAP;
    int p = 1;
    for (int d = 0; d < 6; d++) {
      p = 2 * p + !(x[feature[base + p]] < threshold[base + p]);
    }
    sum += leaf[base + p - HEAP];
  }
  *(float *)a[4] = sum;
}

// The same by gathers, of as many trees as a vector has lanes.
static void forest_one_gather_f32(void *const *a, size_t n) {
#if defined(__AVX512F__) || defined(__AVX2__)
  const float *x = a[0], *threshold = a[2], *leaf = a[3];
  const int32_t *feature = a[1];
  int t = 0;
#ifdef __AVX512F__
  __m512 sums = _mm512_setzero_ps();
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (; t + 16 <= feature[0]; t += 16) {
    __m512i base = _mm512_slli_epi32(_mm512_add_epi32(lanes, _mm512_set1_epi32(t)), 6), p = one;
    for (int d = 0; d < 6; d++) {
      __m512i at = _mm512_add_epi32(base, p);
      __m512 value = _mm512_i32gather_ps(_mm512_i32gather_epi32(at, feature, 4), x, 4);
      __mmask16 right = _mm512_cmp_ps_mask(value, _mm512_i32gather_ps(at, threshold, 4), _CMP_NLT_UQ);
      p = _mm512_mask_add_epi32(_mm512_add_epi32(p, p), right, _mm512_add_epi32(p, p), one);
    }
    p = _mm512_sub_epi32(_mm512_add_epi32(base, p), _mm512_set1_epi32(HEAP));
    sums = _mm512_add_ps(sums, _mm512_i32gather_ps(p, leaf, 4));
  }
  float sum = 0.5f + _mm512_reduce_add_ps(sums);
#else
  __m256 sums = _mm256_setzero_ps();
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (; t + 8 <= feature[0]; t += 8) {
    __m256i base = _mm256_slli_epi32(_mm256_add_epi32(lanes, _mm256_set1_epi32(t)), 6);
    __m256i p = _mm256_set1_epi32(1);
    for (int d = 0; d < 6; d++) {
      __m256i at = _mm256_add_epi32(base, p);
      __m256 value = _mm256_i32gather_ps(x, _mm256_i32gather_epi32(feature, at, 4), 4);
      __m256 right = _mm256_cmp_ps(value, _mm256_i32gather_ps(threshold, at, 4), _CMP_NLT_UQ);
      p = _mm256_sub_epi32(_mm256_add_epi32(p, p), _mm256_castps_si256(right));
    }
    p = _mm256_sub_epi32(_mm256_add_epi32(base, p), _mm256_set1_epi32(HEAP));
    sums = _mm256_add_ps(sums, _mm256_i32gather_ps(leaf, p, 4));
  }
  float sum = 0.5f;
  for (int i = 0; i < 8; i++) {
    sum += sums[i];
  }
#endif
  for (; t < feature[0]; t++) {
    int p = 1;
    for (int d = 0; d < 6; d++) {
      p = 2 * p + !(x[feature[t * HEAP + p]] < threshold[t * HEAP + p]);
    }
    sum += leaf[t * HEAP + p - HEAP];
  }
  *(float *)a[4] = sum;
  (void)n;
#else
  forest_one_f32(a, n);
#endif
}

#if defined(__AVX512F__)
enum { FOREST_LANES = 16 };
typedef __m512 forest_lanes;
#define FOREST_SET(x) _mm512_set1_ps(x)
#define FOREST_NODE(x, h, left, right)                                                             \
  _mm512_mask_blend_ps(_mm512_cmp_ps_mask(_mm512_load_ps(x), _mm512_set1_ps(h), _CMP_NLT_UQ), left, right)
#elif defined(__AVX2__)
enum { FOREST_LANES = 8 };
typedef __m256 forest_lanes;
#define FOREST_SET(x) _mm256_set1_ps(x)
#define FOREST_NODE(x, h, left, right)                                                             \
  _mm256_blendv_ps(left, right, _mm256_cmp_ps(_mm256_load_ps(x), _mm256_set1_ps(h), _CMP_NLT_UQ))
#else
enum { FOREST_LANES = 1 };
typedef float forest_lanes;
#define FOREST_SET(x) (x)
#define FOREST_NODE(x, h, left, right) (*(x) < (h) ? (left) : (right))
#endif

enum { FOREST_GROUPS = 4, FOREST_FEATURES = 32 };

#define FOREST_ARGS const float *x, const int32_t *f, const float *h, const float *l
#define FOREST_LEVEL(name, low, high)                                                              \
  static inline __attribute__((always_inline)) forest_lanes name(FOREST_ARGS, int i) {             \
    forest_lanes left = low, right = high;                                                         \
    return FOREST_NODE(x + f[i] * FOREST_LANES, h[i], left, right);                                \
  }
FOREST_LEVEL(forest_level_1, FOREST_SET(l[2 * i - HEAP]), FOREST_SET(l[2 * i + 1 - HEAP]))
FOREST_LEVEL(forest_level_2, forest_level_1(x, f, h, l, 2 * i), forest_level_1(x, f, h, l, 2 * i + 1))
FOREST_LEVEL(forest_level_3, forest_level_2(x, f, h, l, 2 * i), forest_level_2(x, f, h, l, 2 * i + 1))
FOREST_LEVEL(forest_level_4, forest_level_3(x, f, h, l, 2 * i), forest_level_3(x, f, h, l, 2 * i + 1))
FOREST_LEVEL(forest_level_5, forest_level_4(x, f, h, l, 2 * i), forest_level_4(x, f, h, l, 2 * i + 1))
FOREST_LEVEL(forest_level_6, forest_level_5(x, f, h, l, 2 * i), forest_level_5(x, f, h, l, 2 * i + 1))

// out (as many as rows), feature, threshold, leaf, x [rows, 32]: all nodes of a tree are compared for a vector of rows,
// and leaves chosen from below.
static void forest_rows_f32(void *const *a, size_t n) {
  float *out = a[0];
  const int32_t *feature = a[1];
  const float *threshold = a[2], *leaf = a[3], *x = a[4];
  enum { ROWS = FOREST_LANES * FOREST_GROUPS };
#pragma omp parallel for
  for (size_t row = 0; row < n; row += ROWS) {
    _Alignas(64) float part[FOREST_GROUPS][FOREST_FEATURES * FOREST_LANES];
    forest_lanes sums[FOREST_GROUPS];
    for (size_t r = 0; r < ROWS; r++) {
      for (size_t j = 0; j < FOREST_FEATURES; j++) {
        size_t own = row + r < n ? row + r : n - 1;
        part[r / FOREST_LANES][j * FOREST_LANES + r % FOREST_LANES] = x[own * FOREST_FEATURES + j];
      }
    }
    for (int g = 0; g < FOREST_GROUPS; g++) {
      sums[g] = FOREST_SET(0.5f);
    }
    for (int t = 0; t < feature[0]; t++) {
      for (int g = 0; g < FOREST_GROUPS; g++) {
        sums[g] += forest_level_6(part[g], feature + t * HEAP, threshold + t * HEAP, leaf + t * HEAP, 1);
      }
    }
    memcpy(out + row, sums, sizeof(float) * (row + ROWS <= n ? ROWS : n - row));
  }
}

typedef struct forest_node {
  double threshold; // of a leaf its value
  int32_t feature, left, right, unused;
} forest_node;

// out (as many as rows), nodes, roots (behind how many there are), x [rows, 32]: one row after the other through a tree,
// in blocks of rows.
static void forest_walk_f64(void *const *a, size_t n) {
  enum { ROWS = 256 };
  double *out = a[0];
  const forest_node *nodes = a[1];
  const int32_t *roots = a[2];
  const float *x = a[3];
#pragma omp parallel for
  for (size_t begin = 0; begin < n; begin += ROWS) {
    size_t end = begin + ROWS < n ? begin + ROWS : n;
    memset(out + begin, 0, (end - begin) * sizeof *out);
    for (int32_t t = 1; t <= roots[0]; t++) {
      for (size_t r = begin; r < end; r++) {
        const forest_node *node = &nodes[roots[t]];
        while (node->left >= 0) {
          node = &nodes[x[r * FOREST_FEATURES + (size_t)node->feature] <= node->threshold ? node->left : node->right];
        }
        out[r] += node->threshold;
      }
    }
  }
}
