// Values of features as codes: see table.h.
//
// The search for a rank takes a fixed number of steps without branches, for eight rows at a time,
// whose steps do not wait for each other.
#ifndef GJ_LIBRARY_FORESTS_CODES_H
#define GJ_LIBRARY_FORESTS_CODES_H

#include "library/forests/table.h"

enum { GJL_FOREST_TOGETHER = 8 };

// A condition on which nothing branches: its outcomes are as those of a coin.
#ifdef __clang__
#define GJL_FOREST_COIN(condition) __builtin_unpredictable(condition)
#else
#define GJL_FOREST_COIN(condition) __builtin_expect_with_probability(condition, 1, 0.5)
#endif

#define GJL_FOREST_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

// Rows of features, of double or float.
typedef struct gjl_forest_rows {
  const void *x;
  bool doubles;
  int64_t features;
} gjl_forest_rows;

static inline double forest_value(const gjl_forest_rows *rows, int64_t row, int64_t feature) {
  int64_t at = row * rows->features + feature;
  return rows->doubles ? ((const double *)rows->x)[at] : (double)((const float *)rows->x)[at];
}

// Of eight rows, or of fewer and copies of the last one.
static inline void forest_values(const gjl_forest_rows *rows, int64_t row, int64_t count,
                                 int64_t feature, double *v) {
  int64_t step = rows->features, at = row * step + feature;
  if (count < GJL_FOREST_TOGETHER)
    for (int64_t k = 0; k < GJL_FOREST_TOGETHER; k++)
      v[k] = forest_value(rows, row + (k < count ? k : count - 1), feature);
  else if (rows->doubles)
    for (int64_t k = 0; k < GJL_FOREST_TOGETHER; k++)
      v[k] = ((const double *)rows->x)[at + k * step];
  else
    for (int64_t k = 0; k < GJL_FOREST_TOGETHER; k++)
      v[k] = (double)((const float *)rows->x)[at + k * step];
}

// A category, of which NaN is missing and -1 is none.
static inline double forest_category(double v, int32_t flags) {
  bool negative = flags & GJL_FOREST_FRACTION_IS_NEGATIVE ? v < 0 : v <= -1;
  if (v != v || negative || v >= 2147483648.0)
    return v != v ? v : -1;
  return (double)(int32_t)v;
}

// What takes part in the search; missing values as NaN.
static inline double forest_prepared(const gjl_forest *f, const gjl_forest_column *c, double v) {
  if (f->rounds_input)
    v = (double)(float)v;
  if (c->flags & GJL_FOREST_CATEGORY)
    return forest_category(v, c->flags);
  if (c->flags & GJL_FOREST_ZERO_IS_MISSING && __builtin_fabs(v) <= (double)1e-35f)
    return __builtin_nan("");
  return c->flags & GJL_FOREST_NAN_IS_ZERO && v != v ? 0 : v;
}

typedef int32_t gjl_i32x8 __attribute__((vector_size(32)));
typedef int8_t gjl_i8x8 __attribute__((vector_size(8)));

// Of eight rows: how many thresholds are at most the value, and -1 where it is missing.
typedef struct gjl_forest_ranks {
  gjl_i32x8 rank, missing;
} gjl_forest_ranks;

static inline gjl_forest_ranks forest_ranks(const double *t, int32_t count, const double *v) {
  int32_t rank[GJL_FOREST_TOGETHER] = {0};
  gjl_forest_ranks found;
  for (int32_t left = count; left > 0;) {
    int32_t half = (left + 1) / 2;
    const double *own = t + half - 1;
#define GJL_FOREST_HALVE(k) rank[k] += GJL_FOREST_COIN(own[rank[k]] <= v[k]) ? half : 0;
    GJL_FOREST_EACH(GJL_FOREST_HALVE)
    left -= half;
  }
#define GJL_FOREST_RANK(k) rank[k],
#define GJL_FOREST_MISSING(k) -(v[k] != v[k]),
  found.rank = (gjl_i32x8){GJL_FOREST_EACH(GJL_FOREST_RANK)};
  found.missing = (gjl_i32x8){GJL_FOREST_EACH(GJL_FOREST_MISSING)};
  return found;
}

// Of categories: their place, from 1 on.
static inline gjl_i32x8 forest_places(gjl_forest_ranks found, const double *t, int32_t count,
                                      const double *v) {
  gjl_i32x8 place;
  for (int k = 0; k < GJL_FOREST_TOGETHER; k++) {
    int32_t rank = found.rank[k];
    place[k] = v[k] != v[k] ? count + 1 : rank > 0 && t[rank - 1] == v[k] ? rank : 0;
  }
  return place;
}

// Code number `part`, where codes tell `most` thresholds apart, less `middle`.
static inline gjl_i32x8 forest_part(gjl_i32x8 rank, int32_t part, int32_t most, int32_t middle) {
  gjl_i32x8 code = rank - part * most;
  gjl_i32x8 above = code > most;
  code &= code > 0;
  code = (most & above) | (code & ~above);
  return code - middle;
}

// The codes of 8 bits of the 64 rows that row `r` of a block is of.
static inline int8_t *forest_bytes_of(const gjl_forest *f, int8_t *bytes, int64_t r) {
  return bytes + r / GJL_FOREST_DENSE_ROWS * GJL_FOREST_DENSE_ROWS * f->bytes;
}

// Codes of eight rows from row `r` of a block on.
static inline void forest_store(const gjl_forest *f, const gjl_forest_column *c, int side,
                                gjl_i32x8 rank, int64_t r, int8_t *bytes, uint16_t *words) {
  if (bytes && c->byte[side] >= 0) {
    int8_t *at = forest_bytes_of(f, bytes, r) + r % GJL_FOREST_DENSE_ROWS;
    for (int32_t part = 0; part < c->bytes; part++) {
      gjl_i32x8 code = forest_part(rank, part, GJL_FOREST_BYTE, 128);
      gjl_i8x8 narrow = __builtin_convertvector(code, gjl_i8x8);
      __builtin_memcpy(at + (c->byte[side] + part) * GJL_FOREST_DENSE_ROWS, &narrow, sizeof narrow);
    }
  }
  if (words && c->word[side] >= 0)
    for (int32_t part = 0; part < c->words; part++) {
      gjl_i32x8 code = forest_part(rank, part, GJL_FOREST_WORD, 0);
      for (int64_t k = 0; k < GJL_FOREST_TOGETHER; k++)
        words[(r + k) * f->words + c->word[side] + part] = (uint16_t)code[k];
    }
}

// Codes of `count` rows from `row` on. bytes: [block / 64, codes, 64], words: [block, codes];
// either may be NULL. Both are written up to the next multiple of GJL_FOREST_TOGETHER, with copies
// of the last row.
static inline void forest_codes(const gjl_forest *f, const gjl_forest_rows *rows, int64_t row,
                                int64_t count, int8_t *bytes, uint16_t *words) {
  const gjl_forest_column *columns = gjl_forest_section(f, f->column_at);
  const double *thresholds = gjl_forest_section(f, f->threshold_at);
  for (int64_t i = 0; i < f->columns; i++) {
    const gjl_forest_column *c = &columns[i];
    const double *t = thresholds + c->first;
    bool prepares = c->flags != 0 || (f->rounds_input && rows->doubles);
    for (int64_t r = 0; r < count; r += GJL_FOREST_TOGETHER) {
      double v[GJL_FOREST_TOGETHER];
      forest_values(rows, row + r, count - r, c->feature, v);
      for (int64_t k = 0; prepares && k < GJL_FOREST_TOGETHER; k++)
        v[k] = forest_prepared(f, c, v[k]);
      gjl_forest_ranks found = forest_ranks(t, c->count, v);
      gjl_i32x8 left = found.rank & ~found.missing;
      if (c->flags & GJL_FOREST_CATEGORY)
        left = forest_places(found, t, c->count, v);
      forest_store(f, c, 0, left, r, bytes, words);
      forest_store(f, c, 1, left | (found.missing & c->count), r, bytes, words);
    }
  }
}

static inline int32_t forest_one_part(int32_t rank, int32_t part, int32_t most) {
  int32_t code = rank - part * most;
  return code < 0 ? 0 : code > most ? most : code;
}

// Codes of one value; either kind may be NULL.
static inline void forest_put(const gjl_forest_column *c, const double *t, double v, int32_t rank,
                              uint16_t *words, uint8_t *bytes) {
  int32_t side[2] = {v != v ? 0 : rank, v != v ? c->count : rank};
  if (c->flags & GJL_FOREST_CATEGORY)
    side[0] = v != v ? c->count + 1 : rank > 0 && t[rank - 1] == v ? rank : 0;
  for (int k = 0; k < 2; k++) {
    for (int32_t i = 0; words && c->word[k] >= 0 && i < c->words; i++)
      words[c->word[k] + i] = (uint16_t)forest_one_part(side[k], i, GJL_FOREST_WORD);
    for (int32_t i = 0; bytes && c->byte[k] >= 0 && i < c->bytes; i++)
      bytes[c->byte[k] + i] = (uint8_t)forest_one_part(side[k], i, GJL_FOREST_BYTE);
  }
}

// Codes of one row: words [codes], bytes [codes] as they are; either may be NULL. Eight columns
// take the steps of their searches together, each as many as it needs.
static inline void forest_row_codes(const gjl_forest *f, const gjl_forest_rows *rows, int64_t row,
                                    uint16_t *words, uint8_t *bytes) {
  const gjl_forest_column *columns = gjl_forest_section(f, f->column_at);
  const double *thresholds = gjl_forest_section(f, f->threshold_at);
  for (int64_t i = 0; i < f->columns; i += GJL_FOREST_TOGETHER) {
    int64_t count = f->columns - i < GJL_FOREST_TOGETHER ? f->columns - i : GJL_FOREST_TOGETHER;
    const double *t[GJL_FOREST_TOGETHER];
    double v[GJL_FOREST_TOGETHER];
    int32_t left[GJL_FOREST_TOGETHER], rank[GJL_FOREST_TOGETHER] = {0}, most = 0;
    for (int64_t k = 0; k < GJL_FOREST_TOGETHER; k++) {
      const gjl_forest_column *c = &columns[i + (k < count ? k : 0)];
      t[k] = thresholds + c->first;
      v[k] = forest_prepared(f, c, forest_value(rows, row, c->feature));
      left[k] = c->count;
      most = c->count > most ? c->count : most;
    }
    // A search that has ended reads a threshold before its own, or what stands before them, and
    // adds nothing.
#define GJL_FOREST_SEARCH(k)                                                                       \
  {                                                                                                \
    int32_t half = (left[k] + 1) / 2;                                                              \
    rank[k] += GJL_FOREST_COIN(t[k][rank[k] + half - 1] <= v[k]) ? half : 0;                       \
    left[k] -= half;                                                                               \
  }
    for (; most > 0; most /= 2) {
      GJL_FOREST_EACH(GJL_FOREST_SEARCH)
    }
    for (int64_t k = 0; k < count; k++)
      forest_put(&columns[i + k], t[k], v[k], rank[k], words, bytes);
  }
}

#endif
