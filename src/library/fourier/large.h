// Transforms of smooth lengths: as one line or as columns if short, and in two steps if long.
//
// Two steps (Bailey, "FFTs in external or hierarchical memory", 1990): n = rows · columns numbers,
// row by row, are transformed down the columns, multiplied with w^(row · column), transposed, and
// transformed down the columns again, which leaves them in order. Each step takes as many columns
// at a time as fit in the cache of the second level, so that memory is passed through twice, and no
// table of n roots exists: they are products of two short sequences. Blocks of columns at an edge
// overlap the ones before, so both factors must be LANES or more.

typedef enum NAME(fourier_way) {
  NAME(fourier_line),
  NAME(fourier_lines),
  NAME(fourier_steps)
} NAME(fourier_way);

typedef struct NAME(fourier_smooth) {
  NAME(fourier_way) way;
  int64_t n, rows, columns;
  NAME(fourier_passes) down, across;
  REAL *a, *b, *roots, *middle; // work
} NAME(fourier_smooth);

// How many short lines of n numbers go through each pass together: up to 8 KiB of them.
static int64_t NAME(short_lines_at_once)(int64_t n) { return n < 256 ? 512 / n : 1; }

#undef GJL_LONGEST_LINE
#define GJL_LONGEST_LINE (LANES * 16384) // of which the call makes a table: 1 MiB of roots

// How many of `columns` to take at a time, in blocks, with `rows` rows.
static int64_t NAME(columns_at_once)(int64_t rows, int64_t columns) {
  int64_t width = 1;
  while (width < 4 && 2 * width * LANES <= columns && rows * width * 2 * 128 <= 262144)
    width *= 2;
  return width;
}

// n is smooth. Takes work of 10 n + 512 reals at most if steps are taken, of 4 n + 1536 for a line,
// of 36 n + 4096 for columns, which are short.
static REAL *NAME(prepare_smooth)(NAME(fourier_smooth) * plan, int64_t n, int64_t lines,
                                  REAL *work) {
  plan->n = n;
  if (NAME(first_radix)(n) > 0 && n <= GJL_LONGEST_LINE) {
    plan->way = NAME(fourier_line);
    plan->a = NAME(round_up)(NAME(prepare_line)(&plan->down, n, NAME(round_up)(work)));
    return plan->a + 2 * n * NAME(short_lines_at_once)(n);
  }
  plan->rows = gjl_middle_divisor(n, LANES);
  if (plan->rows == 0 || (n <= 256 && lines >= LANES)) {
    const int64_t each = n * NAME(lines_at_once)(n) * BLOCK;
    plan->way = NAME(fourier_lines);
    plan->a = NAME(round_up)(NAME(prepare_columns)(&plan->down, n, NAME(round_up)(work)));
    plan->b = plan->a + each;
    return plan->b + each;
  }
  plan->way = NAME(fourier_steps);
  plan->columns = n / plan->rows;
  work = NAME(prepare_columns)(&plan->down, plan->rows, NAME(round_up)(work));
  work = NAME(prepare_columns)(&plan->across, plan->columns, NAME(round_up)(work));
  plan->middle = NAME(round_up)(work);
  const int64_t down = plan->rows * NAME(columns_at_once)(plan->rows, plan->columns);
  const int64_t across = plan->columns * NAME(columns_at_once)(plan->columns, plan->rows);
  plan->a = NAME(round_up)(plan->middle + 2 * n);
  plan->b = plan->a + (down > across ? down : across) * BLOCK;
  plan->roots = plan->b + (plan->b - plan->a);
  return plan->roots + (plan->rows / 16 + 17) * BLOCK;
}

// Multiplies row i of a block of columns with w^(i · column), the first column being `column`, and
// writes it transposed: interleaved, lines of `rows` numbers.
static void NAME(twist_and_transpose)(const NAME(fourier_smooth) * plan, const REAL *blocks,
                                      int64_t stride, int64_t column, REAL *out) {
  enum { CHUNK = 16 };
  const int64_t rows = plan->rows;
  REAL *near = plan->roots, *far = plan->roots + CHUNK * BLOCK;
  for (int64_t i = 0; i < CHUNK && i < rows; i++) {
    COMPLEX w = NAME(roots_block)((double)(i * column), (double)i, (double)plan->n, true);
    NAME(store_block)(near + i * BLOCK, w);
  }
  for (int64_t i = 0; i < rows; i += CHUNK) {
    COMPLEX w = NAME(roots_block)((double)(i * column), (double)i, (double)plan->n, false);
    NAME(store_block)(far + i / CHUNK * BLOCK, w);
  }
  for (int64_t i = 0; i < rows; i += LANES) {
    const int64_t first = i + LANES <= rows ? i : rows - LANES;
    VECTOR re[LANES], im[LANES];
    GJL_UNROLL for (int l = 0; l < LANES; l++) {
      const int64_t row = first + GJL_LANE(l);
      COMPLEX w = NAME(roots_product)(NAME(load_block)(far + row / CHUNK * BLOCK),
                                      NAME(load_block)(near + row % CHUNK * BLOCK));
      COMPLEX x = NAME(complex_multiply)(NAME(load_block)(blocks + row * stride), w);
      re[l] = x.re;
      im[l] = x.im;
    }
    NAME(transpose_lanes)(re);
    NAME(transpose_lanes)(im);
    GJL_UNROLL for (int l = 0; l < LANES; l++) {
      NAME(store_pairs)(out + 2 * (GJL_LANE(l) * rows + first), (COMPLEX){re[l], im[l]});
    }
  }
}

static void NAME(run_steps)(const NAME(fourier_smooth) * plan, const REAL *in, REAL *out,
                            REAL sign) {
  const int64_t rows = plan->rows, columns = plan->columns;
  REAL *a = plan->a, *b = plan->b, *middle = plan->middle;
  const NAME(fourier_rows) nowhere = {NULL, 0, 0};
  int64_t width = NAME(columns_at_once)(rows, columns);
  for (int64_t i = 0; i < columns; i += width * LANES) {
    const int64_t first = i + width * LANES <= columns ? i : columns - width * LANES;
    const NAME(fourier_rows) from = {(REAL *)(uintptr_t)(in + 2 * first), 2 * columns, sign};
    const REAL *done = NAME(run_columns)(&plan->down, width, from, nowhere, a, b);
    for (int64_t v = 0; v < width; v++) {
      const int64_t column = first + v * LANES;
      REAL *to = middle + 2 * column * rows;
      NAME(twist_and_transpose)(plan, done + v * BLOCK, width * BLOCK, column, to);
    }
  }
  width = NAME(columns_at_once)(columns, rows);
  for (int64_t i = 0; i < rows; i += width * LANES) {
    const int64_t first = i + width * LANES <= rows ? i : rows - width * LANES;
    const NAME(fourier_rows) from = {middle + 2 * first, 2 * rows, 1};
    const NAME(fourier_rows) to = {out + 2 * first, 2 * rows, sign};
    NAME(run_columns)(&plan->across, width, from, to, a, b);
  }
}

static void NAME(run_smooth)(const NAME(fourier_smooth) * plan, const REAL *in, REAL *out,
                             int64_t lines, REAL sign) {
  if (plan->way == NAME(fourier_lines)) {
    NAME(run_lines)(&plan->down, in, out, lines, sign, plan->a, plan->b);
    return;
  }
  const bool single = plan->way == NAME(fourier_line);
  const int64_t most = single ? NAME(short_lines_at_once)(plan->n) : 1;
  for (int64_t line = 0; line < lines; line += most) {
    const REAL *from = in + 2 * line * plan->n;
    REAL *to = out + 2 * line * plan->n;
    const int64_t count = lines - line < most ? lines - line : most;
    if (single)
      NAME(run_line)(&plan->down, from, to, plan->a, count, sign);
    else
      NAME(run_steps)(plan, from, to, sign);
  }
}
