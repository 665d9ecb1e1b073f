// Floats from text, rounded exactly, and to text, in the fewest digits that read back as the same
// number.
//
// From text: [spaces] [sign] digits [. digits] [e [sign] digits] [spaces], with a digit before or
// behind the point; also inf, infinity and nan in letters of any case. There is no hexadecimal
// form. A number above the largest float is an overflow; one below half of the smallest is 0.
//   The first 19 digits are multiplied by a power of ten from a table of 128 bits (Eisel and
//   Lemire, "Number Parsing at
// a Gigabyte per Second", 2021); the product is right but for an error it bounds. Where that leaves
// two floats to choose from, the number is compared with the point half way between neighbours, in
// integers of as many bits as that takes.
//
// To text: Schubfach (Giulietti, "The Schubfach way to render doubles", 2020), which needs the same
// table, finds the shortest decimal within the rounding interval, and of those the closest one. Its
// layout is that of Gandiva's castVARCHAR, which is Java's (1.0, 1.0E7, 1.0E-4, NaN, Infinity), or
// that of JavaScript (1, 10000000, 0.0001, 1e+21).
#include "library/numbers/numbers.h"
#include "library/numbers/powers.h"

// An IEEE format by the bits of its mantissa without the leading one, and the bias of its exponent.
typedef struct real {
  int mantissa, bias;
} real;
static const real f64 = {52, 1023}, f32 = {23, 127};

static inline uint64_t real_infinity(real r) { return (uint64_t)(2 * r.bias + 1) << r.mantissa; }

// ---- from digits: the table ---------------------------------------------------------------------

// Bits of a float at or beside digits · 10^exponent; `*sure` if it is the nearest one.
static inline uint64_t estimate(uint64_t digits, int64_t exponent, real r, bool *sure) {
  gjl_u128 power = gjl_powers[exponent - GJL_LEAST_POWER];
  int shift = __builtin_clzll(digits);
  digits <<= shift;
  const int spare = 61 - r.mantissa; // bits of a product below its rounding bit, or one more
  const uint64_t low_bits = (UINT64_C(1) << spare) - 1;
  gjl_u128 product = gjl_multiply_64(digits, power.high);
  *sure = true;
  // The table is rounded down, by less than one in power.low: what is left out adds less than
  // `digits` to the low word.
  if ((product.high & low_bits) == low_bits && product.low + digits < product.low) {
    gjl_u128 below = gjl_multiply_64(digits, power.low);
    product = gjl_add_128(product, (gjl_u128){below.high, 0});
    *sure = !((product.high & low_bits) == low_bits && product.low == UINT64_MAX &&
              below.low + digits < below.low);
  }
  int top = (int)(product.high >> 63);
  uint64_t mantissa = product.high >> (top + spare); // with its leading one and the rounding bit
  // log2 10 = 217706 / 2^16, nearly; right shifts of negative numbers are arithmetic in what
  // compiles this.
  int64_t biased = ((217706 * exponent) >> 16) + 64 + r.bias - shift - (1 - top);
  if (biased <= 0) { // subnormal, where another bit decides
    *sure = false;
    int64_t down = 2 - biased;
    return down > 63 ? 0 : mantissa >> down;
  }
  if (product.low == 0 && (product.high & low_bits) == 0 && (mantissa & 3) == 1)
    *sure = false; // half way, as far as the table can tell
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  uint64_t bits = ((uint64_t)(biased - 1) << r.mantissa) +
                  mantissa; // the leading one and a carry add to the exponent
  if (bits >= real_infinity(r)) {
    *sure = false;
    bits = real_infinity(r) - 1;
  }
  return bits;
}

// ---- from digits: exact integers ----------------------------------------------------------------

// The digits that matter: a point half way between floats has 767, and one more says on which side
// a number is.
enum { MOST_DIGITS = 770, LIMBS = 48 };

typedef struct large {
  int count;
  uint64_t limbs[LIMBS]; // the lowest first; none of the numbers here has more than 2650 bits
} large;

static void multiply_add(large *a, uint64_t factor, uint64_t carry) {
  for (int i = 0; i < a->count; i++)
    a->limbs[i] = gjl_multiply_add(a->limbs[i], factor, &carry);
  if (carry && a->count < LIMBS)
    a->limbs[a->count++] = carry;
}

static void multiply_fives(large *a, int64_t power) {
  for (; power >= 27; power -= 27)
    multiply_add(a, UINT64_C(7450580596923828125), 0);
  uint64_t rest = 1;
  while (power-- > 0)
    rest *= 5;
  multiply_add(a, rest, 0);
}

static void shift_left(large *a, int64_t bits) {
  for (; bits >= 32; bits -= 32)
    multiply_add(a, UINT64_C(1) << 32, 0);
  multiply_add(a, UINT64_C(1) << bits, 0);
}

static int compare_large(const large *a, const large *b) {
  if (a->count != b->count)
    return a->count < b->count ? -1 : 1;
  for (int i = a->count - 1; i >= 0; i--)
    if (a->limbs[i] != b->limbs[i])
      return a->limbs[i] < b->limbs[i] ? -1 : 1;
  return 0;
}

// All digits of a number, `*exponent` as the power of ten of the last one. Beyond MOST_DIGITS, a 1
// stands for the rest.
static void all_digits(const gjl_number *number, large *a, int64_t *exponent) {
  a->count = 0;
  if (!number->more) {
    *exponent = number->exponent;
    multiply_add(a, 0, number->digits);
    return;
  }
  int64_t taken = 0, left = 0;
  bool rest = false;
  uint64_t chunk = 0, base = 1;
  for (const unsigned char *p = number->from; p < number->end; p++) {
    if (*p == '.')
      continue;
    if (taken == MOST_DIGITS) {
      left++;
      rest = rest || *p != '0';
      continue;
    }
    if (base == gjl_ten_64(19)) {
      multiply_add(a, base, chunk);
      chunk = 0;
      base = 1;
    }
    chunk = chunk * 10 + (*p - '0');
    base *= 10;
    taken++;
  }
  multiply_add(a, base, chunk);
  *exponent = number->last + left;
  if (rest) {
    multiply_add(a, 10, 1);
    --*exponent;
  }
}

// How a number compares with the point half way between a float and the next larger one.
static int compare_with_half_way(const gjl_number *number, uint64_t bits, real r) {
  uint64_t mantissa = bits & ((UINT64_C(1) << r.mantissa) - 1);
  int64_t two = (int64_t)(bits >> r.mantissa);
  if (two)
    mantissa |= UINT64_C(1) << r.mantissa;
  else
    two = 1;
  two -= r.bias + r.mantissa + 1;
  large left, right;
  int64_t exponent;
  all_digits(number, &left, &exponent);
  right.count = 0;
  multiply_add(&right, 0, 2 * mantissa + 1);
  if (exponent > 0)
    multiply_fives(&left, exponent);
  else
    multiply_fives(&right, -exponent);
  if (exponent > two)
    shift_left(&left, exponent - two);
  else
    shift_left(&right, two - exponent);
  return compare_large(&left, &right);
}

// From an estimate a few floats off at most. Neighbours are the neighbours of their bits.
__attribute__((noinline)) static uint64_t nearest(const gjl_number *number, uint64_t bits, real r) {
  for (;;) {
    int side = bits == real_infinity(r) ? -1 : compare_with_half_way(number, bits, r);
    if (side > 0 || (side == 0 && (bits & 1))) {
      bits++;
      continue;
    }
    if (bits == 0)
      return bits;
    side = compare_with_half_way(number, bits - 1, r);
    if (side > 0 || (side == 0 && !(bits & 1)))
      return bits;
    bits--;
  }
}

static inline uint64_t number_to_real(const gjl_number *number, real r) {
  if (number->digits == 0 || number->exponent < GJL_LEAST_POWER)
    return 0;
  if (number->exponent > 308)
    return real_infinity(r);
  bool sure, sure_above = true;
  uint64_t bits = estimate(number->digits, number->exponent, r, &sure);
  // More digits put the number between this one and the next; digits has 19 of them, so that the
  // next fits a word.
  if (sure &&
      (!number->more || estimate(number->digits + 1, number->exponent, r, &sure_above) == bits) &&
      sure_above)
    return bits;
  return nearest(number, bits, r);
}

uint64_t gjl_number_to_f64(const gjl_number *number) { return number_to_real(number, f64); }
uint64_t gjl_number_to_f32(const gjl_number *number) { return number_to_real(number, f32); }

// ---- from text ----------------------------------------------------------------------------------

// Whether a text is `word`, which has small letters only.
static bool is_word(gjl_text t, const char *word) {
  for (; *word; word++, t.at++)
    if (t.at == t.end || (*t.at | 0x20) != *word)
      return false;
  return t.at == t.end;
}

// The first 19 digits from the first one that is not 0.
static void take_first_digits(gjl_number *number) {
  while (number->from < number->end && (*number->from == '0' || *number->from == '.'))
    number->from++;
  number->digits = 0;
  int64_t taken = 0, left = 0;
  for (const unsigned char *p = number->from; p < number->end; p++) {
    if (*p == '.')
      continue;
    if (taken < 19) {
      number->digits = number->digits * 10 + (*p - '0');
      taken++;
    } else {
      left++;
    }
  }
  number->more = left > 0;
  number->exponent = number->last + left;
}

static inline const unsigned char *take_digits(const unsigned char *p, const unsigned char *end,
                                               uint64_t *sum) {
  while (end - p >= 8) {
    uint64_t word = gjl_load64(p) ^ GJL_EACH_BYTE(0x30);
    if (!gjl_are_digits(word))
      break;
    *sum = *sum * 100000000u + gjl_eight_digits(word);
    p += 8;
  }
  for (; p < end && gjl_is_digit(*p); p++)
    *sum = *sum * 10 + (*p - '0');
  return p;
}

// The power of ten behind e; false if there is none. Far beyond all floats, it stops to grow.
static bool take_exponent(gjl_text t, int64_t *exponent) {
  bool negative = gjl_take_sign(&t);
  int64_t sum = 0;
  if (t.at == t.end)
    return false;
  for (; t.at < t.end; t.at++) {
    if (!gjl_is_digit(*t.at))
      return false;
    if (sum < INT64_C(1) << 40)
      sum = sum * 10 + (*t.at - '0');
  }
  *exponent = negative ? -sum : sum;
  return true;
}

bool gjl_take_number(gjl_text t, gjl_number *number) {
  number->negative = gjl_take_sign(&t);
  number->digits = 0;
  number->from = t.at;
  const unsigned char *p = take_digits(t.at, t.end, &number->digits);
  int64_t count = p - t.at, fraction = 0;
  if (p < t.end && *p == '.') {
    const unsigned char *point = p + 1;
    p = take_digits(point, t.end, &number->digits);
    fraction = p - point;
  }
  count += fraction;
  if (count == 0)
    return false;
  number->end = p;
  int64_t exponent = 0;
  if (p < t.end && ((*p | 0x20) != 'e' || !take_exponent((gjl_text){p + 1, t.end}, &exponent)))
    return false;
  number->last = number->exponent = exponent - fraction;
  number->more = false;
  if (count > 19)
    take_first_digits(number); // the sum may have run over
  return true;
}

static inline int64_t real_from_text(int64_t text, int64_t length, real r, int64_t out) {
  gjl_text t = gjl_trim(text, length);
  gjl_number number;
  uint64_t bits;
  if (gjl_take_number(t, &number)) {
    bits = number_to_real(&number, r);
    if (bits == real_infinity(r))
      return GJL_OVERFLOW;
  } else {
    number.negative = gjl_take_sign(&t);
    if (is_word(t, "inf") || is_word(t, "infinity"))
      bits = real_infinity(r);
    else if (is_word(t, "nan"))
      bits = real_infinity(r) | UINT64_C(1) << (r.mantissa - 1);
    else
      return GJL_INVALID;
  }
  gjl_store_64(out, bits | (uint64_t)number.negative << (r.mantissa == f64.mantissa ? 63 : 31));
  return GJL_DONE;
}

int64_t gjl_float64_from_text(int64_t text, int64_t length, int64_t out) {
  return real_from_text(text, length, f64, out);
}

int64_t gjl_float32_from_text(int64_t text, int64_t length, int64_t out) {
  return real_from_text(text, length, f32, out);
}

// ---- to digits ----------------------------------------------------------------------------------

// digits · 10^exponent, without zeros at the end.
typedef struct decimal {
  uint64_t digits;
  int64_t exponent;
} decimal;

// factor · 4 mantissas, of which the lowest bit says whether anything is left out below it.
static inline uint64_t scaled_f64(gjl_u128 factor, uint64_t mantissa) {
  gjl_u128 below = gjl_multiply_64(factor.low, mantissa);
  gjl_u128 product = gjl_add_128(gjl_multiply_64(factor.high, mantissa), (gjl_u128){below.high, 0});
  return product.high | (product.low > 1);
}

// The same with the 64 highest bits of the factor, rounded up, which is enough for f32.
static inline uint64_t scaled_f32(gjl_u128 factor, uint64_t mantissa) {
  gjl_u128 product = gjl_multiply_64(factor.high, mantissa);
  return product.high | (product.low >> 32 > 1);
}

static decimal shortest(uint64_t bits, real r) {
  uint64_t mantissa = bits & ((UINT64_C(1) << r.mantissa) - 1);
  int64_t biased = (int64_t)(bits >> r.mantissa);
  bool closer_below =
      mantissa == 0 && biased > 1; // the float below a power of two is nearer than the one above
  if (biased)
    mantissa |= UINT64_C(1) << r.mantissa;
  else
    biased = 1;
  int64_t two = biased - r.bias - r.mantissa;
  bool excluded = mantissa & 1; // a point half way reads as the even one
  // 10^k is at most as wide as the interval that rounds to this float, and 10^(k+1) is wider.
  int64_t k = (two * 1262611 - (closer_below ? 524031 : 0)) >> 22;
  int64_t shift = two + ((-k * 1741647) >> 19) + 1;
  gjl_u128 factor = gjl_powers[-k - GJL_LEAST_POWER];
  bool exact = k <= 0 && k >= -55;
  uint64_t middle = 4 * mantissa, lower = middle - 2 + closer_below, upper = middle + 2;
  if (r.mantissa == f64.mantissa) {
    factor = gjl_add_128(factor, (gjl_u128){!exact, 0});
    middle = scaled_f64(factor, middle << shift);
    lower = scaled_f64(factor, lower << shift);
    upper = scaled_f64(factor, upper << shift);
  } else {
    factor.high += !(exact && factor.low == 0);
    middle = scaled_f32(factor, middle << shift);
    lower = scaled_f32(factor, lower << shift);
    upper = scaled_f32(factor, upper << shift);
  }
  lower += excluded;
  upper -= excluded;
  uint64_t digits = middle / 4;
  decimal d = {0, k};
  uint64_t tens = digits / 10;
  bool tens_inside = digits >= 10 && lower <= 40 * tens,
       next_tens_inside = digits >= 10 && 40 * tens + 40 <= upper;
  if (tens_inside != next_tens_inside) { // a digit less is enough, and there is one way to write it
    d = (decimal){tens + next_tens_inside, k + 1};
  } else {
    bool inside = lower <= 4 * digits, next_inside = 4 * digits + 4 <= upper;
    bool up = middle > 4 * digits + 2 || (middle == 4 * digits + 2 && (digits & 1));
    d.digits = digits + (inside != next_inside ? next_inside : up);
  }
  // By the inverse of 5 modulo 2^64 and half of that: what is no multiple of 10 becomes large.
  for (;;) {
    uint64_t tenth = d.digits * UINT64_C(0xcccccccccccccccd);
    tenth = tenth >> 1 | tenth << 63;
    if (tenth > UINT64_MAX / 10)
      return d;
    d = (decimal){tenth, d.exponent + 1};
  }
}

// ---- to text ------------------------------------------------------------------------------------

// How numbers are laid out, one row a style.
typedef struct style {
  int64_t least, most; // the powers of ten of the first digit for which there is no exponent
  bool fraction;       // a whole number and a mantissa of one digit have .0
  bool plus;           // a positive exponent has its sign
  bool negative_zero;  // -0 has its sign
  unsigned char e;
} style;
static const style styles[] = {
    {-3, 6, true, false, true, 'E'},   // 0: Gandiva
    {-6, 20, false, true, false, 'e'}, // 1: JavaScript
};

enum { LONGEST = 32 };

static unsigned char *put_word(unsigned char *p, const char *word) {
  while (*word)
    *p++ = (unsigned char)*word++;
  return p;
}

// `count` digits and then zeros, `length` characters in all.
static unsigned char *put_padded(unsigned char *p, uint64_t digits, int64_t count, int64_t length) {
  for (int64_t i = length; i-- > 0;) {
    p[i] = '0';
    if (i < count) {
      p[i] = (unsigned char)('0' + digits % 10);
      digits /= 10;
    }
  }
  return p + length;
}

static unsigned char *put_exponent(unsigned char *p, int64_t power, const style *s) {
  *p++ = s->e;
  if (power < 0)
    *p++ = '-';
  else if (s->plus)
    *p++ = '+';
  uint64_t size = gjl_magnitude(power);
  int64_t count = gjl_count_digits(size);
  gjl_put_digits(p, size, count);
  return p + count;
}

static unsigned char *put_decimal(unsigned char *p, decimal d, const style *s) {
  int64_t count = gjl_count_digits(d.digits), power = count - 1 + d.exponent;
  bool plain = power >= s->least && power <= s->most;
  if (plain && power < 0) {
    *p++ = '0';
    *p++ = '.';
    // The zeros in front are digits of the number in as many places as they take.
    gjl_put_digits(p, d.digits, count - 1 - power);
    return p + count - 1 - power;
  }
  int64_t whole = plain ? power + 1 : 1;
  if (count <= whole) {
    p = put_padded(p, d.digits, count, whole);
    if (s->fraction)
      p = put_word(p, ".0");
  } else {
    uint64_t split = gjl_ten_64(count - whole);
    gjl_put_digits(p, d.digits / split, whole);
    p[whole] = '.';
    gjl_put_digits(p + whole + 1, d.digits % split, count - whole);
    p += count + 1;
  }
  return plain ? p : put_exponent(p, power, s);
}

static inline int64_t real_to_text(uint64_t bits, bool negative, real r, int64_t which, int64_t out,
                                   int64_t arena) {
  const style *s = &styles[which != 0];
  unsigned char *from = gjl_take(arena, LONGEST), *p = from;
  if (!from)
    return GJL_MORE;
  if (negative && (bits ? bits <= real_infinity(r) : s->negative_zero))
    *p++ = '-';
  if (bits > real_infinity(r))
    p = put_word(p, "NaN");
  else if (bits == real_infinity(r))
    p = put_word(p, "Infinity");
  else if (bits == 0)
    p = put_word(p, s->fraction ? "0.0" : "0");
  else
    p = put_decimal(p, shortest(bits, r), s);
  gjl_give_taken(out, arena, from, p);
  return GJL_DONE;
}

int64_t gjl_float64_to_text(int64_t value, int64_t which, int64_t out, int64_t arena) {
  return real_to_text((uint64_t)value & INT64_MAX, value < 0, f64, which, out, arena);
}

int64_t gjl_float32_to_text(int64_t value, int64_t which, int64_t out, int64_t arena) {
  return real_to_text((uint64_t)value & INT32_MAX, value >> 31 & 1, f32, which, out, arena);
}
