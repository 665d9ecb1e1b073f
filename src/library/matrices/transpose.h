// Transposes matrices between the layouts of factorisations and of spectra. Included after real.h,
// once for each REAL.

// A block of LANES × LANES, through registers. Halves of vectors are put together as they are
// loaded, which takes no shuffle; what is left goes on within halves.
static inline void NAME(transpose_block)(const REAL *from, int64_t from_row, REAL *to,
                                         int64_t to_row) {
#define HALF(i, at) (*(const HALF_IN_MEMORY *)(from + (i)*from_row + (at)))
#define ROW_TO(i) (*(VECTOR_IN_MEMORY *)(to + (i)*to_row))
#if LANES == 4
#define HALF_IN_MEMORY gjl_f64x2_in_memory
#define HALVES(i, at) __builtin_shufflevector(HALF(i, at), HALF(i + 2, at), 0, 1, 2, 3)
  for (int64_t at = 0; at < LANES; at += 2) {
    VECTOR a = HALVES(0, at), b = HALVES(1, at);
    ROW_TO(at) = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    ROW_TO(at + 1) = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  }
#else
#define HALF_IN_MEMORY gjl_f32x4_in_memory
#define HALVES(i, at) __builtin_shufflevector(HALF(i, at), HALF(i + 4, at), 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SECOND(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
  for (int64_t at = 0; at < LANES; at += 4) {
    VECTOR a0 = HALVES(0, at), a1 = HALVES(1, at), a2 = HALVES(2, at), a3 = HALVES(3, at);
    VECTOR b0 = LOW(a0, a1), b1 = HIGH(a0, a1), b2 = LOW(a2, a3), b3 = HIGH(a2, a3);
    ROW_TO(at) = FIRST(b0, b2);
    ROW_TO(at + 1) = SECOND(b0, b2);
    ROW_TO(at + 2) = FIRST(b1, b3);
    ROW_TO(at + 3) = SECOND(b1, b3);
  }
#undef LOW
#undef HIGH
#undef FIRST
#undef SECOND
#endif
#undef HALF_IN_MEMORY
#undef HALVES
#undef HALF
#undef ROW_TO
}

// to[columns × rows] = the transpose of from[rows × columns]; they may not overlap. It goes along
// the rows of `from`, or of `to`: best those that are a power of 2 apart, as lines of such rows
// displace each other from the cache.
static inline void NAME(transpose)(int64_t rows, int64_t columns, const REAL *from,
                                   int64_t from_row, REAL *to, int64_t to_row, bool along_to) {
  int64_t whole_rows = rows / LANES * LANES, whole_columns = columns / LANES * LANES;
  if (along_to)
    for (int64_t j = 0; j < whole_columns; j += LANES)
      for (int64_t i = 0; i < whole_rows; i += LANES)
        NAME(transpose_block)(from + i * from_row + j, from_row, to + j * to_row + i, to_row);
  else
    for (int64_t i = 0; i < whole_rows; i += LANES)
      for (int64_t j = 0; j < whole_columns; j += LANES)
        NAME(transpose_block)(from + i * from_row + j, from_row, to + j * to_row + i, to_row);
  for (int64_t j = whole_columns; j < columns; j++)
    for (int64_t i = 0; i < whole_rows; i++)
      to[j * to_row + i] = from[i * from_row + j];
  for (int64_t j = 0; j < columns; j++)
    for (int64_t i = whole_rows; i < rows; i++)
      to[j * to_row + i] = from[i * from_row + j];
}
