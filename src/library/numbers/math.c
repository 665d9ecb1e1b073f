// Arithmetic on numbers that Loop IR has no op for: rounding to decimal digits, whole division and
// remainders by their sign rules, powers, factorials, divisors, and the hashes of numbers.
//
// Rounding is away from 0 at half, as in SQL, or to even for bround. A float is scaled by a power
// of ten, rounded, and scaled back, so that the result is the float nearest to the decimal; a float
// that is a hair below half, such as 1.45 to one digit, may reach it when it is scaled. Floats that
// have no such digits come back as they are. What is left out: float32, which converts to float64
// and back.
#include "library/numbers/numbers.h"

// ---- rounding floats ----------------------------------------------------------------------------

typedef enum rounding { HALF_AWAY, HALF_EVEN, TOWARDS_ZERO } rounding;

#define TWO_TO_52 4503599627370496.0

// 10^power for 0 … 308.
static double ten_f64(int64_t power) {
  return gjl_f64(gjl_number_to_f64(&(gjl_number){.digits = 1, .exponent = power}));
}

// To a whole number; x >= 0.
static inline double round_whole(double x, rounding how) {
  if (!(x < TWO_TO_52))
    return x;
  double whole = (double)(int64_t)x, rest = x - whole;
  bool up = rest > 0.5 || (rest == 0.5 && (how == HALF_AWAY || ((int64_t)x & 1)));
  return how != TOWARDS_ZERO && up ? whole + 1 : whole;
}

static inline int64_t round_f64(int64_t value, int64_t digits, rounding how) {
  uint64_t sign = (uint64_t)value & ~(uint64_t)INT64_MAX;
  double x = gjl_f64((uint64_t)value & INT64_MAX), result = x;
  if (!(x < __builtin_inf()) || digits > 308)
    return value;
  if (digits < -308) {
    result = 0;
  } else if (digits == 0) {
    result = round_whole(x, how);
  } else if (digits < 0) {
    double unit = ten_f64(-digits), scaled = x / unit;
    if (scaled < TWO_TO_52)
      result = round_whole(scaled, how) * unit;
  } else {
    double unit = ten_f64(digits), scaled = x * unit;
    if (scaled < TWO_TO_52)
      result = round_whole(scaled, how) / unit;
  }
  return (int64_t)(gjl_f64_bits(result) | sign);
}

int64_t gjl_round_float64(int64_t value, int64_t digits) {
  return round_f64(value, digits, HALF_AWAY);
}
int64_t gjl_bround_float64(int64_t value, int64_t digits) {
  return round_f64(value, digits, HALF_EVEN);
}
int64_t gjl_truncate_float64(int64_t value, int64_t digits) {
  return round_f64(value, digits, TOWARDS_ZERO);
}

// ---- rounding integers --------------------------------------------------------------------------

// To a multiple of 10^-digits; beyond 18 digits there is none but 0, as in Gandiva. False if it
// runs over.
static inline bool round_digits(uint64_t *value, int64_t digits, rounding how) {
  if (digits >= 0)
    return true;
  if (digits < -18) {
    *value = 0;
    return true;
  }
  uint64_t unit = gjl_ten_64(-digits), rest = *value % unit, whole = *value - rest;
  bool up = how == HALF_AWAY && rest >= unit / 2;
  *value = up ? whole + unit : whole;
  return !up || *value >= unit;
}

int64_t gjl_round_int64(int64_t value, int64_t digits, int64_t bits, int64_t out) {
  uint64_t size = gjl_magnitude(value);
  if (!round_digits(&size, digits, HALF_AWAY) || size > (UINT64_MAX >> (65 - bits)) + (value < 0))
    return GJL_OVERFLOW;
  gjl_store_64(out, value < 0 ? 0 - size : size);
  return GJL_DONE;
}

int64_t gjl_round_uint64(int64_t value, int64_t digits, int64_t bits, int64_t out) {
  uint64_t size = (uint64_t)value;
  if (!round_digits(&size, digits, HALF_AWAY) || size > UINT64_MAX >> (64 - bits))
    return GJL_OVERFLOW;
  gjl_store_64(out, size);
  return GJL_DONE;
}

int64_t gjl_truncate_int64(int64_t value, int64_t digits) {
  uint64_t size = gjl_magnitude(value);
  round_digits(&size, digits, TOWARDS_ZERO);
  return (int64_t)(value < 0 ? 0 - size : size);
}

int64_t gjl_truncate_uint64(int64_t value, int64_t digits) {
  uint64_t size = (uint64_t)value;
  round_digits(&size, digits, TOWARDS_ZERO);
  return (int64_t)size;
}

// ---- division -----------------------------------------------------------------------------------

// A quotient and a remainder: a = quotient · b + rest, with a rest between 0 and b.
static inline gjl_status divide_down(int64_t a, int64_t b, int64_t *quotient, int64_t *rest) {
  if (b == 0)
    return GJL_DIVISION;
  *rest = 0;
  if (b == -1) {
    *quotient = (int64_t)(0 - (uint64_t)a);
    return a == INT64_MIN ? GJL_OVERFLOW : GJL_DONE;
  }
  *quotient = a / b;
  *rest = a % b;
  if (*rest && (*rest < 0) != (b < 0)) {
    --*quotient;
    *rest += b;
  }
  return GJL_DONE;
}

int64_t gjl_floor_divide_int64(int64_t a, int64_t b, int64_t out) {
  int64_t quotient, rest;
  gjl_status status = divide_down(a, b, &quotient, &rest);
  if (status == GJL_DONE)
    gjl_store_64(out, (uint64_t)quotient);
  return status;
}

// The sign of the remainder is that of b.
int64_t gjl_floor_mod_int64(int64_t a, int64_t b, int64_t out) {
  int64_t quotient, rest;
  if (divide_down(a, b, &quotient, &rest) == GJL_DIVISION)
    return GJL_DIVISION;
  gjl_store_64(out, (uint64_t)rest);
  return GJL_DONE;
}

// Gandiva's pmod: b is added to the remainder that has the sign of a, if that or b is negative. Of
// a positive b this is 0 … b - 1; of a negative b it is what Gandiva gives.
int64_t gjl_pmod_int64(int64_t a, int64_t b, int64_t out) {
  if (b == 0)
    return GJL_DIVISION;
  int64_t rest = b == -1 ? 0 : a % b;
  if ((rest < 0 || b < 0) && __builtin_add_overflow(rest, b, &rest))
    return GJL_OVERFLOW;
  gjl_store_64(out, (uint64_t)rest);
  return GJL_DONE;
}

// ---- whole numbers ------------------------------------------------------------------------------

int64_t gjl_factorial(int64_t n, int64_t out) {
  if (n < 0)
    return GJL_INVALID;
  if (n > 20)
    return GJL_OVERFLOW;
  uint64_t product = 1;
  while (n > 1)
    product *= (uint64_t)n--;
  gjl_store_64(out, product);
  return GJL_DONE;
}

// Stein's algorithm: halves and subtracts.
static inline uint64_t common_divisor(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0)
    return a | b;
  int twos = __builtin_ctzll(a | b);
  a >>= __builtin_ctzll(a);
  do {
    b >>= __builtin_ctzll(b);
    uint64_t less = a < b ? a : b;
    b = a < b ? b - a : a - b;
    a = less;
  } while (b);
  return a << twos;
}

static inline int64_t give_positive(gjl_u128 value, int64_t out) {
  if (value.high || value.low > INT64_MAX)
    return GJL_OVERFLOW;
  gjl_store_64(out, value.low);
  return GJL_DONE;
}

int64_t gjl_gcd_int64(int64_t a, int64_t b, int64_t out) {
  return give_positive((gjl_u128){common_divisor(gjl_magnitude(a), gjl_magnitude(b)), 0}, out);
}

int64_t gjl_lcm_int64(int64_t a, int64_t b, int64_t out) {
  uint64_t divisor = common_divisor(gjl_magnitude(a), gjl_magnitude(b));
  if (a == 0 || b == 0)
    divisor = 1;
  return give_positive(gjl_multiply_64(gjl_magnitude(a) / divisor, gjl_magnitude(b)), out);
}

// base^exponent. A negative exponent gives the quotient 1 / base^-exponent, which is 0 but for
// bases 1, -1 and 0.
int64_t gjl_power_int64(int64_t base, int64_t exponent, int64_t out) {
  uint64_t size = gjl_magnitude(base), product = 1;
  bool negative = base < 0 && (exponent & 1), fits = true;
  if (exponent < 0) {
    if (size == 0)
      return GJL_DIVISION;
    product = size == 1;
  } else {
    for (uint64_t left = (uint64_t)exponent; left; left >>= 1) {
      uint64_t carry = 0;
      if (left & 1)
        product = gjl_multiply_add(product, size, &carry);
      fits = fits && !carry;
      carry = 0;
      size = gjl_multiply_add(size, size, &carry);
      fits = fits && (!carry || left == 1);
    }
  }
  if (!fits || product > (uint64_t)INT64_MAX + negative)
    return GJL_OVERFLOW;
  gjl_store_64(out, negative ? 0 - product : product);
  return GJL_DONE;
}

// ---- hashes -------------------------------------------------------------------------------------

static inline uint64_t rotate_64(uint64_t x, int by) { return x << by | x >> (64 - by); }
static inline uint32_t rotate_32(uint32_t x, int by) { return x << by | x >> (32 - by); }

static inline uint64_t finish_64(uint64_t x) {
  x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
  x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
  return x ^ x >> 33;
}

static inline uint32_t finish_32(uint32_t x) {
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

#define C1 UINT64_C(0x87c37b91114253d5)
#define C2 UINT64_C(0x4cf5ad432745937f)

// Murmur3's first 64 of 128 bits over the eight bytes of an f64, which is how Gandiva hashes all
// numbers, times, dates and booleans; the seed is cut to 32 bits, with its sign.
int64_t gjl_hash64_float64(int64_t value, int64_t seed) {
  uint64_t start = (uint64_t)(int64_t)(int32_t)seed;
  uint64_t h1 = (start ^ rotate_64((uint64_t)value * C1, 31) * C2) ^ 8, h2 = start ^ 8;
  h1 += h2;
  h2 += h1;
  return (int64_t)(finish_64(h1) + finish_64(h2));
}

static inline uint32_t mix_32(uint32_t h, uint32_t word) {
  h ^= rotate_32(word * 0xcc9e2d51u, 15) * 0x1b873593u;
  return rotate_32(h, 13) * 5 + 0xe6546b64u;
}

// The same with Murmur3 of 32 bits; the result is an int32.
int64_t gjl_hash32_float64(int64_t value, int64_t seed) {
  uint32_t h = mix_32(mix_32((uint32_t)seed, (uint32_t)value), (uint32_t)((uint64_t)value >> 32));
  return (int32_t)finish_32(h ^ 8);
}

// Of the 16 bytes of a decimal, as Gandiva hashes bytes.
int64_t gjl_hash64_decimal(int64_t x, int64_t seed) {
  uint64_t start = (uint64_t)(int64_t)(int32_t)seed, h1 = start, h2 = start;
  h1 ^= rotate_64(gjl_load64(gjl_bytes(x)) * C1, 31) * C2;
  h1 = (rotate_64(h1, 27) + h2) * 5 + 0x52dce729;
  h2 ^= rotate_64(gjl_load64(gjl_bytes(x) + 8) * C2, 33) * C1;
  h2 = (rotate_64(h2, 31) + h1) * 5 + 0x38495ab5;
  h1 ^= 16;
  h2 ^= 16;
  h1 += h2;
  h2 += h1;
  return (int64_t)(finish_64(h1) + finish_64(h2));
}

int64_t gjl_hash32_decimal(int64_t x, int64_t seed) {
  // Gandiva widens the seed with its sign and rotates it once in 64 bits, which sets bits 13 … 31
  // if it is negative.
  uint32_t h = (uint32_t)seed ^ rotate_32(gjl_load32(gjl_bytes(x)) * 0xcc9e2d51u, 15) * 0x1b873593u;
  h = rotate_32(h, 13) | ((int32_t)seed < 0 ? 0xffffe000u : 0);
  h = h * 5 + 0xe6546b64u;
  for (int i = 4; i < 16; i += 4)
    h = mix_32(h, gjl_load32(gjl_bytes(x) + i));
  return (int32_t)finish_32(h ^ 16);
}

// For hash tables: every bit of the result depends on every bit of the key, and keys hash apart (it
// is a permutation for each seed). Several keys are hashed one into the other: hash_u64(b,
// hash_u64(a, 0)).
int64_t gjl_hash_u64(int64_t value, int64_t seed) {
  uint64_t x = (uint64_t)value ^ rotate_64((uint64_t)seed, 25) * UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
  x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
  return (int64_t)(x ^ x >> 32);
}
