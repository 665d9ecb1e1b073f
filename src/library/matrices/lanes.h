// Small matrices of a batch, one in each lane of vectors: element (i, j) of matrices of n columns
// is a vector, number i · n + j. Included after rows.h and transpose.h, once for each REAL.
//
// A small matrix leaves most of a row of vectors empty, and its pivots wait for each other; here
// LANES of them wait together. A function for lanes does for each matrix what the one for a single
// matrix does, in the same order, so that bits depend neither on the batch nor on the place in it.

#define LANES_ROWS 16     // of a matrix that goes into a lane
#define LANES_COLUMNS 128 // of right-hand sides

#undef WHOLE
#if GJL_REAL_BITS == 64
#define WHOLE int64_t
#else
#define WHOLE int32_t
#endif
typedef WHOLE NAME(whole_vector) __attribute__((vector_size(32)));

// `size` elements each of LANES matrices, contiguous.
static inline void NAME(lanes_load)(int64_t size, const REAL *from, REAL *lanes) {
  NAME(transpose)(LANES, size, from, size, lanes, LANES, false);
}

static inline void NAME(lanes_store)(int64_t size, const REAL *lanes, REAL *to) {
  NAME(transpose)(size, LANES, lanes, LANES, to, size, true);
}

static inline VECTOR NAME(select)(NAME(whole_vector) mask, VECTOR yes, VECTOR no) {
  return (VECTOR)((mask & (NAME(whole_vector))yes) | (~mask & (NAME(whole_vector))no));
}

static inline VECTOR NAME(lanes_sqrt)(VECTOR x) {
#if defined(__clang__)
  return __builtin_elementwise_sqrt(x);
#else
  for (int lane = 0; lane < LANES; lane++)
    x[lane] = SQRT(x[lane]);
  return x;
#endif
}

// Elements y[i] −= x[i] · factor.
static inline void NAME(lanes_subtract)(int64_t count, const REAL *x, VECTOR factor, REAL *y) {
  for (int64_t i = 0; i < count * LANES; i += LANES) {
    VECTOR s = NAME(row_load)(y + i);
    s -= NAME(row_load)(x + i) * factor;
    NAME(row_store)(y + i, s);
  }
}
