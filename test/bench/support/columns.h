// Row numbers of what a test selects, as somebody writes it who knows the instructions: 64 rows at
// a time become a word with a bit for each, from which rows are taken eight (AVX2, by a table) or
// sixteen (AVX-512) at a time; none of it where the word is 0.
//
// Threads make the words of a part each, and count; then each one knows where its rows begin.

#define COLUMNS_BETWEEN(v) ((v) > 2.0 && (v) < 6.0)
#define COLUMNS_BELOW(v) ((v) < 4.0)

#if defined __AVX512F__
#define COLUMNS_LANES 8
#define COLUMNS_LOAD(p) _mm512_loadu_pd(p)
#define COLUMNS_BITS_BETWEEN(v)                                                                    \
  _mm512_mask_cmp_pd_mask(_mm512_cmp_pd_mask(v, _mm512_set1_pd(2), _CMP_GT_OQ), v,                 \
                          _mm512_set1_pd(6), _CMP_LT_OQ)
#define COLUMNS_BITS_BELOW(v) _mm512_cmp_pd_mask(v, _mm512_set1_pd(4), _CMP_LT_OQ)
#elif defined __AVX2__
#define COLUMNS_LANES 4
#define COLUMNS_LOAD(p) _mm256_loadu_pd(p)
#define COLUMNS_BITS_BETWEEN(v)                                                                    \
  _mm256_movemask_pd(_mm256_and_pd(_mm256_cmp_pd(v, _mm256_set1_pd(2), _CMP_GT_OQ),                \
                                   _mm256_cmp_pd(v, _mm256_set1_pd(6), _CMP_LT_OQ)))
#define COLUMNS_BITS_BELOW(v) _mm256_movemask_pd(_mm256_cmp_pd(v, _mm256_set1_pd(4), _CMP_LT_OQ))
#else
#define COLUMNS_LANES 1
#define COLUMNS_LOAD(p) (*(p))
#define COLUMNS_BITS_BETWEEN COLUMNS_BETWEEN
#define COLUMNS_BITS_BELOW COLUMNS_BELOW
#endif

#if defined __AVX2__ && !defined __AVX512F__
// The places of the bits of each byte, as bytes.
static uint64_t columns_places[256];

__attribute__((constructor)) static void fill_columns_places(void) {
  for (unsigned byte = 0; byte < 256; byte++) {
    unsigned count = 0;
    for (unsigned bit = 0; bit < 8; bit++) {
      if (byte >> bit & 1) {
        columns_places[byte] |= (uint64_t)bit << 8 * count++;
      }
    }
  }
}
#endif

// Appends the rows of a word, and may write up to 15 elements more; there are as many as the word
// has places.
static inline size_t append_rows(uint64_t word, uint32_t first, uint32_t *rows) {
  uint32_t *end = rows;
#if defined __AVX512F__
  __m512i numbers =
      _mm512_add_epi32(_mm512_set1_epi32((int)first),
                       _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  for (unsigned i = 0; i < 64; i += 16) {
    __mmask16 taken = (__mmask16)(word >> i);
    _mm512_storeu_si512(end, _mm512_maskz_compress_epi32(taken, numbers));
    end += __builtin_popcount(taken);
    numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
  }
#elif defined __AVX2__
  for (unsigned i = 0; i < 64; i += 8) {
    unsigned taken = word >> i & 255;
    __m256i places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)columns_places[taken]));
    _mm256_storeu_si256((__m256i *)end,
                        _mm256_add_epi32(places, _mm256_set1_epi32((int)(first + i))));
    end += __builtin_popcount(taken);
  }
#else
  for (; word; word &= word - 1) {
    *end++ = first + (uint32_t)__builtin_ctzll(word);
  }
#endif
  return (size_t)(end - rows);
}

// a: x, rows with room for 15 more than there are elements, their count.
#define COLUMNS_ROWS(name, TEST)                                                                   \
  static inline uint64_t name##_word(const double *x) {                                            \
    uint64_t word = 0;                                                                             \
    for (size_t i = 0; i < 64; i += COLUMNS_LANES) {                                               \
      word |= (uint64_t)COLUMNS_BITS_##TEST(COLUMNS_LOAD(x + i)) << i;                             \
    }                                                                                              \
    return word;                                                                                   \
  }                                                                                                \
  static void name(void *const *a, size_t n) {                                                     \
    const double *restrict x = a[0];                                                               \
    uint32_t *restrict rows = a[1];                                                                \
    size_t count = 0, whole = n / 64;                                                              \
    COLUMNS_WHOLE(name)                                                                            \
    for (size_t i = whole * 64; i < n; i++) {                                                      \
      if (COLUMNS_##TEST(x[i])) {                                                                  \
        rows[count++] = (uint32_t)i;                                                               \
      }                                                                                            \
    }                                                                                              \
    *(int64_t *)a[2] = (int64_t)count;                                                             \
  }

#ifdef _OPENMP
#include <omp.h>
enum { COLUMNS_MOST_THREADS = 64 };
static uint64_t *columns_words; // kept between calls
static size_t columns_words_count;

static uint64_t *words_for(size_t count) {
  if (count > columns_words_count) {
    free(columns_words);
    columns_words = malloc(count * sizeof *columns_words);
    columns_words_count = count;
  }
  return columns_words;
}

#define COLUMNS_WHOLE(name)                                                                        \
  uint64_t *words = words_for(whole);                                                              \
  size_t starts[COLUMNS_MOST_THREADS + 1] = {0};                                                   \
  _Pragma("omp parallel") {                                                                        \
    size_t threads = (size_t)omp_get_num_threads(), t = (size_t)omp_get_thread_num();              \
    size_t first = whole * t / threads, last = whole * (t + 1) / threads, found = 0;               \
    for (size_t w = first; w < last; w++) {                                                        \
      words[w] = name##_word(x + w * 64);                                                          \
      found += (size_t)__builtin_popcountll(words[w]);                                             \
    }                                                                                              \
    starts[t + 1] = found;                                                                         \
    _Pragma("omp barrier") size_t place = 0;                                                       \
    for (size_t i = 0; i <= t; i++) {                                                              \
      place += starts[i];                                                                          \
    }                                                                                              \
    for (size_t w = first, end = place + found; w < last; w++) {                                   \
      if (words[w] && place + 79 < end) {                                                          \
        place += append_rows(words[w], (uint32_t)(w * 64), rows + place);                          \
      } else {                                                                                     \
        for (uint64_t word = words[w]; word; word &= word - 1) {                                   \
          rows[place++] = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(word);                    \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
    if (t == threads - 1) {                                                                        \
      count = place;                                                                               \
    }                                                                                              \
  }
#else
#define COLUMNS_WHOLE(name)                                                                        \
  for (size_t w = 0; w < whole; w++) {                                                             \
    uint64_t word = name##_word(x + w * 64);                                                       \
    if (word) {                                                                                    \
      count += append_rows(word, (uint32_t)(w * 64), rows + count);                                \
    }                                                                                              \
  }
#endif

COLUMNS_ROWS(between_rows, BETWEEN)
COLUMNS_ROWS(below_rows, BELOW)
