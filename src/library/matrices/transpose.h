// Transposes matrices between the layouts of factorisations and of spectra. Included after real.h,
// once for each REAL.

// A block of LANES × LANES, through registers.
static inline void NAME(transpose_block)(const REAL *from, int64_t from_row, REAL *to,
                                         int64_t to_row) {
#define ROW_FROM(i) (*(const VECTOR_IN_MEMORY *)(from + (i)*from_row))
#define ROW_TO(i) (*(VECTOR_IN_MEMORY *)(to + (i)*to_row))
#if LANES == 4
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define HIGH(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
  VECTOR a0 = ROW_FROM(0), a1 = ROW_FROM(1), a2 = ROW_FROM(2), a3 = ROW_FROM(3);
  VECTOR b0 = LOW(a0, a1), b1 = HIGH(a0, a1), b2 = LOW(a2, a3), b3 = HIGH(a2, a3);
  ROW_TO(0) = __builtin_shufflevector(b0, b2, 0, 1, 4, 5);
  ROW_TO(1) = __builtin_shufflevector(b1, b3, 0, 1, 4, 5);
  ROW_TO(2) = __builtin_shufflevector(b0, b2, 2, 3, 6, 7);
  ROW_TO(3) = __builtin_shufflevector(b1, b3, 2, 3, 6, 7);
#else
  // Within halves of 4 lanes as the processors' unpack and shuffle do, then the halves.
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SECOND(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
  VECTOR a0 = ROW_FROM(0), a1 = ROW_FROM(1), a2 = ROW_FROM(2), a3 = ROW_FROM(3);
  VECTOR a4 = ROW_FROM(4), a5 = ROW_FROM(5), a6 = ROW_FROM(6), a7 = ROW_FROM(7);
  VECTOR b0 = LOW(a0, a1), b1 = HIGH(a0, a1), b2 = LOW(a2, a3), b3 = HIGH(a2, a3);
  VECTOR b4 = LOW(a4, a5), b5 = HIGH(a4, a5), b6 = LOW(a6, a7), b7 = HIGH(a6, a7);
  a0 = FIRST(b0, b2), a1 = SECOND(b0, b2), a2 = FIRST(b1, b3), a3 = SECOND(b1, b3);
  a4 = FIRST(b4, b6), a5 = SECOND(b4, b6), a6 = FIRST(b5, b7), a7 = SECOND(b5, b7);
  ROW_TO(0) = __builtin_shufflevector(a0, a4, 0, 1, 2, 3, 8, 9, 10, 11);
  ROW_TO(1) = __builtin_shufflevector(a1, a5, 0, 1, 2, 3, 8, 9, 10, 11);
  ROW_TO(2) = __builtin_shufflevector(a2, a6, 0, 1, 2, 3, 8, 9, 10, 11);
  ROW_TO(3) = __builtin_shufflevector(a3, a7, 0, 1, 2, 3, 8, 9, 10, 11);
  ROW_TO(4) = __builtin_shufflevector(a0, a4, 4, 5, 6, 7, 12, 13, 14, 15);
  ROW_TO(5) = __builtin_shufflevector(a1, a5, 4, 5, 6, 7, 12, 13, 14, 15);
  ROW_TO(6) = __builtin_shufflevector(a2, a6, 4, 5, 6, 7, 12, 13, 14, 15);
  ROW_TO(7) = __builtin_shufflevector(a3, a7, 4, 5, 6, 7, 12, 13, 14, 15);
#undef FIRST
#undef SECOND
#endif
#undef LOW
#undef HIGH
#undef ROW_FROM
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
