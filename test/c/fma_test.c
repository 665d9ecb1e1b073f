// The math library's fma against libm's, bit for bit.
//
//   fma_test [samples per kind]
//
// Kinds are the ways in which an emulation goes wrong: exponents that nearly meet, cancellation,
// ties, results at both ends of the exponent range, products too small for their exact error. The
// program with no argument draws two million of each.
#include "check.h"

#include "math/scalar.h"

#include <math.h>

static uint64_t samples = 2000000, random_state = 1;

static uint64_t random_u64(void) { // splitmix64
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static float float_from_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static bool same(double a, double b) {
  return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : bits_of(a) == bits_of(b);
}

static int wrong;

static void check_f64(double x, double y, double z) {
  double got = gj_math_fma_f64(x, y, z), want = fma(x, y, z);
  // The slow function must be right everywhere, not only where it is called today.
  double slow = gjm_fma_f64_slow ? gjm_fma_f64_slow(x, y, z) : want;
  if ((same(got, want) && same(slow, want)) || wrong++ >= 5)
    return;
  printf("fma(%a, %a, %a) is %a, slow %a, not %a\n", x, y, z, got, slow, want);
}

static void check_f32(float x, float y, float z) {
  float got = gj_math_fma_f32(x, y, z), want = fmaf(x, y, z);
  if (same((double)got, (double)want) || wrong++ >= 5)
    return;
  printf("fmaf(%a, %a, %a) is %a, not %a\n", (double)x, (double)y, (double)z, (double)got,
         (double)want);
}

static void report(void) {
  CHECK_INT_EQ(wrong, 0);
  wrong = 0;
}

// A significand of `digits` bits, either spread or with its ones next to both ends.
static double random_significand(unsigned digits) {
  uint64_t bits = random_u64(), keep = digits >= 52 ? 0 : 52 - digits;
  if (bits & 1 << 5)
    bits = (bits & 3) * 0x4000000000000u + (random_u64() & 7) - (bits >> 60 & 1) * 8;
  bits = (bits >> 12 >> keep) << keep;
  return from_bits(0x3ff0000000000000u | (bits & 0xfffffffffffffu)) * (random_u64() & 1 ? -1 : 1);
}

static int between(int lo, int hi) { return lo + (int)(random_u64() % (uint64_t)(hi - lo + 1)); }

// Operands whose product has about `exponent`, and z within `reach` of it.
static void draw(int exponent, int reach, unsigned digits, double *x, double *y, double *z) {
  int part = between(-500, 500);
  part = exponent - part < -1060 ? exponent / 2 : part;
  *x = ldexp(random_significand(digits), part);
  *y = ldexp(random_significand(digits), exponent - part);
  *z = ldexp(random_significand(53), exponent + between(-reach, reach));
}

static void any_bits_agree(void) {
  for (uint64_t i = 0; i < samples; i++) {
    check_f64(from_bits(random_u64()), from_bits(random_u64()), from_bits(random_u64()));
    check_f32(float_from_bits((uint32_t)random_u64()), float_from_bits((uint32_t)random_u64()),
              float_from_bits((uint32_t)random_u64()));
  }
  report();
}

static void exponents_that_nearly_meet_agree(void) {
  for (uint64_t i = 0; i < samples; i++) {
    double x, y, z;
    draw(between(-800, 800), 120, 53, &x, &y, &z);
    check_f64(x, y, z);
    draw(between(-100, 90), 60, 53, &x, &y, &z);
    check_f32((float)x, (float)y, (float)z);
  }
  report();
}

// z is the product with the other sign, a few last places off.
static void cancellation_agrees(void) {
  for (uint64_t i = 0; i < samples; i++) {
    double x, y, z;
    draw(between(-1000, 1000), 3, 53, &x, &y, &z);
    check_f64(x, y, from_bits(bits_of(-x * y) + random_u64() % 5 - 2));
    draw(between(-140, 120), 3, 53, &x, &y, &z);
    float product = (float)x * (float)y;
    check_f32((float)x, (float)y, (float)(-product * (1 + 0x1p-23 * between(-2, 2))));
  }
  report();
}

// Few digits make exact results and ties likely.
static void ties_agree(void) {
  for (uint64_t i = 0; i < samples; i++) {
    double x, y, z;
    draw(between(-300, 300), 110, (unsigned)between(1, 28), &x, &y, &z);
    check_f64(
        x, y,
        ldexp(random_significand((unsigned)between(1, 53)), ilogb(x * y) + between(-110, 110)));
    draw(between(-60, 60), 50, (unsigned)between(1, 13), &x, &y, &z);
    check_f32((float)x, (float)y, (float)z);
  }
  report();
}

static void results_near_overflow_agree(void) {
  for (uint64_t i = 0; i < samples; i++) {
    double x, y, z;
    draw(between(995, 1030), 8, 53, &x, &y, &z);
    check_f64(x, y, z);
    check_f64(x, y, random_u64() & 1 ? INFINITY : -INFINITY);
    draw(between(120, 130), 8, 53, &x, &y, &z);
    check_f32((float)x, (float)y, (float)z);
  }
  report();
}

static void results_near_underflow_agree(void) {
  for (uint64_t i = 0; i < samples; i++) {
    double x, y, z;
    draw(between(-1140, -880), 120, (unsigned)between(1, 53), &x, &y, &z);
    check_f64(x, y, z);
    check_f64(x, y, ldexp((double)between(-40, 40), -1074));
    draw(between(-170, -120), 30, (unsigned)between(1, 53), &x, &y, &z);
    check_f32((float)x, (float)y, (float)z);
    check_f32((float)x, (float)y, (float)ldexp((double)between(-40, 40), -149));
  }
  report();
}

static void special_values_agree(void) {
  static const double values[] = {0.0,
                                  1.0,
                                  1.5,
                                  3.0,
                                  0x1p-1074,
                                  0x1p-1022,
                                  0x1p-538,
                                  0x1p-500,
                                  0x1p500,
                                  0x1p-501,
                                  0x1p1000,
                                  0x1p1001,
                                  0x1p1023,
                                  0x1p512,
                                  0x1p-149,
                                  0x1p-126,
                                  0x1p127,
                                  0x1p-75,
                                  0x1.fffffep127,
                                  0x1p53,
                                  0x1p-53,
                                  0x1p-54,
                                  INFINITY,
                                  NAN,
                                  0x1.fffffffffffffp1023,
                                  0x1.0000000000001p0,
                                  0x1.fffffffffffffp-1023};
  enum { COUNT = sizeof values / sizeof values[0] };
  for (size_t i = 0; i < (size_t)COUNT * COUNT * COUNT * 8; i++) {
    double x = values[i / 8 % COUNT], y = values[i / 8 / COUNT % COUNT];
    double z = values[i / 8 / COUNT / COUNT];
    x = i & 1 ? -x : x;
    y = i & 2 ? -y : y;
    z = i & 4 ? -z : z;
    check_f64(x, y, z);
    check_f32((float)x, (float)y, (float)z);
  }
  report();
}

int main(int argc, char **argv) {
  if (argc > 1)
    samples = strtoull(argv[1], NULL, 10);
  else if (check_is_quick())
    samples = 20000;
  CHECK_RUN(special_values_agree);
  CHECK_RUN(any_bits_agree);
  CHECK_RUN(exponents_that_nearly_meet_agree);
  CHECK_RUN(cancellation_agrees);
  CHECK_RUN(ties_agree);
  CHECK_RUN(results_near_overflow_agree);
  CHECK_RUN(results_near_underflow_agree);
  return check_report();
}
