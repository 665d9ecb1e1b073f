// The template of secular.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/spectral/stages.h"

// The secular function at a point, whose terms up to the root's left pole are apart from those
// right of it.
typedef struct NAME(secular) {
  REAL left, left_slope, right, right_slope;
} NAME(secular);

// The poles relative to that of `origin`, and past them zeros of squares at a far pole.
static void NAME(secular_shift)(int64_t k, const REAL *poles, bool squared, int64_t origin,
                                REAL *shifted) {
  REAL at = poles[origin];
  for (int64_t i = 0, end = NAME(row_padded)(k); i < end; i += LANES) {
    VECTOR x = NAME(row_load)(poles + i), difference = x - at;
    NAME(row_store)(shifted + i, squared ? difference * (x + at) : difference);
  }
}

// Terms squares[i] / (shifted[i] − x), those up to `last` as left ones.
static NAME(secular)
    NAME(secular_at)(int64_t k, int64_t last, const REAL *squares, const REAL *shifted, REAL x) {
  VECTOR left = {0}, left_slope = {0}, right = {0}, right_slope = {0};
  int64_t middle = last / LANES * LANES, i = 0;
  for (; i < middle; i += LANES) {
    VECTOR inverse = 1 / (NAME(row_load)(shifted + i) - x);
    VECTOR term = NAME(row_load)(squares + i) * inverse;
    left += term;
    left_slope += term * inverse;
  }
  REAL before[LANES], after[LANES];
  for (int64_t j = 0; j < LANES; j++) {
    before[j] = i + j <= last ? squares[i + j] : 0;
    after[j] = i + j <= last ? 0 : squares[i + j];
  }
  VECTOR inverse = 1 / (NAME(row_load)(shifted + i) - x);
  VECTOR of_left = NAME(row_load)(before) * inverse, of_right = NAME(row_load)(after) * inverse;
  left += of_left;
  left_slope += of_left * inverse;
  right += of_right;
  right_slope += of_right * inverse;
  for (i += LANES; i < k; i += LANES) {
    inverse = 1 / (NAME(row_load)(shifted + i) - x);
    VECTOR term = NAME(row_load)(squares + i) * inverse;
    right += term;
    right_slope += term * inverse;
  }
  return (NAME(secular)){NAME(row_sum)(left), NAME(row_sum)(left_slope), NAME(row_sum)(right),
                         NAME(row_sum)(right_slope)};
}

// A root of c·x² − a·x + b, the one that is about b / a where c is small.
static inline REAL NAME(secular_quadratic)(REAL a, REAL b, REAL c) {
  REAL square = a * a - 4 * b * c, root = SQRT(square > 0 ? square : 0);
  if (a <= 0)
    return c != 0 ? (a - root) / (2 * c) : b / a;
  return 2 * b / (a + root);
}

// A point inside of a bracket of one sign, whose bounds may be of very different sizes.
static inline REAL NAME(secular_between)(REAL low, REAL high) {
  REAL size_low = ABS(low), size_high = ABS(high);
  if (size_low > size_high / 16 && size_high > size_low / 16)
    return low + (high - low) / 2;
  REAL far = size_low > size_high ? low : high, near = size_low > size_high ? high : low;
  return near == 0 ? far / 256 : (far < 0 ? -1 : 1) * SQRT(near / far) * ABS(far);
}

// Root j of k of 1/ρ + Σ squares[i] / (poles[i] − x) = 0, with poles that ascend, or if `squared`
// are their own squares: the root is behind pole j. Returns it relative to the pole of *origin, j
// or j + 1, whichever is closer, and sets differences[i] to poles[i] − x, which are accurate
// relative to themselves. k > 1. Poles and squares are padded with greater poles and zeros.
static REAL NAME(secular_root)(int64_t k, int64_t j, const REAL *poles, bool squared,
                               const REAL *squares, REAL inverse_rho, REAL *differences,
                               int64_t *origin) {
  bool last = j == k - 1;
  REAL low = 0, high, x;
  NAME(secular) f;
  *origin = j;
  NAME(secular_shift)(k, poles, squared, j, differences);
  if (last) {
    REAL sum = 0;
    for (int64_t i = 0; i < k; i++)
      sum += squares[i];
    high = sum / inverse_rho;
    high += 4 * REAL_EPSILON * high;
    x = high / 2;
    f = NAME(secular_at)(k, j, squares, differences, x);
  } else {
    REAL gap = differences[j + 1];
    x = gap / 2;
    f = NAME(secular_at)(k, j, squares, differences, x);
    REAL value = inverse_rho + f.left + f.right;
    // What the two poles beside the root do not account for is about constant.
    REAL c = value + 2 * (squares[j] - squares[j + 1]) / gap;
    if (value >= 0) {
      high = x;
      x = NAME(secular_quadratic)(c * gap + squares[j] + squares[j + 1], squares[j] * gap, c);
    } else {
      low = -x;
      high = 0;
      *origin = j + 1;
      NAME(secular_shift)(k, poles, squared, j + 1, differences);
      x = -NAME(secular_quadratic)(squares[j] + squares[j + 1] - c * gap, squares[j + 1] * gap, -c);
    }
    if (!(x > low && x < high))
      x = NAME(secular_between)(low, high);
    f = NAME(secular_at)(k, j, squares, differences, x);
  }
  for (int64_t step = 0; step < 100; step++) {
    REAL value = inverse_rho + f.left + f.right;
    REAL size = inverse_rho + ABS(f.left) + ABS(f.right);
    if (ABS(value) <= 4 * REAL_EPSILON * size)
      break;
    if (value < 0)
      low = x;
    else
      high = x;
    REAL near = differences[j] - x, move;
    if (last) {
      // One pole and a constant, with the slope: Newton's method for 1/f, which is nearly linear.
      REAL c = value - near * (f.left_slope + f.right_slope);
      move = c > 0 ? near * value / c : 0;
    } else {
      // Li's middle way: two poles and a constant, with the slopes of either side.
      REAL next = differences[j + 1] - x;
      REAL c = value - near * f.left_slope - next * f.right_slope;
      REAL a = (near + next) * value - near * next * (f.left_slope + f.right_slope);
      move = NAME(secular_quadratic)(a, near * next * value, c);
    }
    REAL to = x + move;
    if (!(to > low && to < high) || step % 8 == 7)
      to = NAME(secular_between)(low, high);
    if (to == x || !(to > low && to < high))
      break;
    x = to;
    f = NAME(secular_at)(k, j, squares, differences, x);
  }
  for (int64_t i = 0, end = NAME(row_padded)(k); i < end; i += LANES)
    NAME(row_store)(differences + i, NAME(row_load)(differences + i) - x);
  return x;
}

// The eigenvalues of diag(poles) + ρ·z·zᵀ, or of diag(poles²) + ρ·z·zᵀ: row j of `differences`
// becomes poles − eigenvalue j, and z what it is exactly for these eigenvalues, so that vectors of
// z[i] / differences[j][i] are orthogonal. roots: what eigenvalue j is greater than the pole (its
// square) of origins[j]. Poles ascend and differ, z has no zeros. Both have room for a padding.
void NAME(secular_solve)(int64_t k, REAL *poles, bool squared, REAL *z, REAL rho, REAL *differences,
                         int64_t stride, REAL *roots, int32_t *origins, REAL *work) {
  REAL inverse_rho = 1 / rho, *product = work;
  int64_t padded = NAME(row_padded)(k);
  for (int64_t i = k; i < padded; i++) {
    poles[i] = 4 * (1 + ABS(poles[k - 1]));
    z[i] = 0;
  }
  if (k == 1) {
    roots[0] = rho * z[0] * z[0];
    origins[0] = 0;
    for (int64_t i = 0; i < padded; i++)
      differences[i] = poles[i] - poles[0] - roots[0];
    return;
  }
  for (int64_t i = 0; i < padded; i++)
    product[i] = z[i] * z[i];
  for (int64_t j = 0; j < k; j++) {
    int64_t origin;
    roots[j] = NAME(secular_root)(k, j, poles, squared, product, inverse_rho,
                                  differences + j * stride, &origin);
    origins[j] = (int32_t)origin;
  }
  for (int64_t i = 0; i < padded; i++)
    product[i] = 1;
  for (int64_t j = 0; j < k; j++) {
    REAL kept = product[j], at = poles[j];
    const REAL *row = differences + j * stride;
    for (int64_t i = 0; i < padded; i += LANES) {
      VECTOR x = NAME(row_load)(poles + i), apart = x - at;
      if (squared)
        apart *= x + at;
      NAME(row_store)(product + i, NAME(row_load)(product + i) * (NAME(row_load)(row + i) / apart));
    }
    product[j] = kept * row[j];
  }
  for (int64_t i = 0; i < k; i++) {
    REAL size = SQRT(ABS(product[i]));
    z[i] = z[i] < 0 ? -size : size;
  }
}
