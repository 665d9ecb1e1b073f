// Decimals of the function library against arithmetic on lists of decimal digits, and Gandiva's own
// examples.

#include "check.h"
#include "library/numbers/numbers.h"

#include <math.h>

static uint64_t seed = 1181783497276652981u;

static uint64_t next_random(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed * UINT64_C(0x2545f4914f6cdd1d);
}

// How many cases to look at; with sanitizers, a share of them.
static int rounds(int full) {
  const char *share = getenv("GRAPHJIT_SHARE");
  int some = share ? full / (int)strtol(share, NULL, 10) : full;
  return check_is_quick() ? full / 1000 : some;
}

static int64_t address_of(const void *p) { return (int64_t)(uintptr_t)p; }

static int most(int a, int b) { return a > b ? a : b; }

static int least(int a, int b) { return a < b ? a : b; }

// ---- numbers as lists of digits -----------------------------------------------------------------

enum { DIGITS = 200 };

typedef struct big {
  bool negative;
  signed char digits[DIGITS]; // the last one first
} big;

static int compare_sizes(const big *a, const big *b) {
  for (int i = DIGITS - 1; i >= 0; i--)
    if (a->digits[i] != b->digits[i])
      return a->digits[i] < b->digits[i] ? -1 : 1;
  return 0;
}

static bool is_zero(const big *a) { return compare_sizes(a, &(big){0}) == 0; }

static big shifted(big a, int places) {
  big r = {.negative = a.negative};
  for (int i = 0; i < DIGITS; i++)
    if (i - places >= 0 && i - places < DIGITS)
      r.digits[i] = a.digits[i - places];
  return r;
}

// a + sign · b, of sizes.
static big size_sum(big a, const big *b, int sign) {
  int carry = 0;
  for (int i = 0; i < DIGITS; i++) {
    int digit = a.digits[i] + sign * b->digits[i] + carry;
    carry = digit < 0 ? -1 : digit / 10;
    a.digits[i] = (signed char)(digit - 10 * carry);
  }
  return a;
}

static big sum(big a, big b) {
  if (a.negative == b.negative)
    return size_sum(a, &b, 1);
  return compare_sizes(&a, &b) >= 0 ? size_sum(a, &b, -1) : size_sum(b, &a, -1);
}

static big product(big a, big b) {
  big r = {.negative = a.negative != b.negative};
  for (int i = 0; i < DIGITS / 2; i++)
    for (int times = 0; times < a.digits[i]; times++) {
      big part = shifted(b, i);
      r = size_sum(r, &part, 1);
    }
  return r;
}

// Truncated; the rest has the sign of a.
static big quotient(big a, big b, big *rest) {
  big r = {.negative = a.negative != b.negative};
  *rest = (big){.negative = a.negative};
  for (int i = DIGITS - 1; i >= 0; i--) {
    *rest = shifted(*rest, 1);
    rest->digits[0] = a.digits[i];
    while (compare_sizes(rest, &b) >= 0) {
      *rest = size_sum(*rest, &b, -1);
      r.digits[i]++;
    }
  }
  return r;
}

typedef enum rounding { HALF_AWAY, TOWARDS_ZERO, UP, DOWN } rounding;

static big without_digits(big a, int places, rounding how) {
  bool any = false;
  for (int i = 0; i < places && i < DIGITS; i++)
    any = any || a.digits[i];
  bool half = places > 0 && places <= DIGITS && a.digits[places - 1] >= 5;
  bool away = how == HALF_AWAY ? half : any && how == (a.negative ? DOWN : UP);
  a = shifted(a, -places);
  return away ? size_sum(a, &(big){.digits = {1}}, 1) : a;
}

static big scaled(big a, int places, rounding how) {
  return places >= 0 ? shifted(a, places) : without_digits(a, -places, how);
}

static big big_of(gjl_u128 value) {
  big r = {.negative = value.high >> 63};
  if (r.negative)
    value = gjl_negate_128(value);
  gjl_u256 rest = gjl_wide(value);
  for (int i = 0; i < 40; i++)
    r.digits[i] = (signed char)gjl_divide_by_word(&rest, 10);
  return r;
}

static big big_from(const char *text) {
  big r = {.negative = *text == '-'};
  text += r.negative;
  for (int i = (int)strlen(text) - 1; i >= 0; i--)
    r.digits[i] = (signed char)(*text++ - '0');
  return r;
}

// False if it has more than `precision` digits.
static bool decimal_of(const big *a, int precision, gjl_u128 *value) {
  for (int i = precision; i < DIGITS; i++)
    if (a->digits[i])
      return false;
  *value = (gjl_u128){0, 0};
  for (int i = 38; i >= 0; i--)
    *value = gjl_add_128(gjl_multiply_128(*value, (gjl_u128){10, 0}),
                         (gjl_u128){(uint64_t)a->digits[i], 0});
  if (a->negative)
    *value = gjl_negate_128(*value);
  return true;
}

static const char *big_text(const big *a) {
  static char text[DIGITS + 2];
  int top = DIGITS - 1, at = 0;
  while (top > 0 && !a->digits[top])
    top--;
  if (a->negative)
    text[at++] = '-';
  while (top >= 0)
    text[at++] = (char)('0' + a->digits[top--]);
  text[at] = 0;
  return text;
}

// ---- random decimals ----------------------------------------------------------------------------

typedef struct type {
  int precision, scale;
} type;

static type random_type(void) {
  int precision = next_random() % 3 ? 1 + (int)(next_random() % 38) : 38;
  return (type){precision, (int)(next_random() % (uint64_t)(precision + 1))};
}

// Of any number of digits up to the precision; often all nines, or a power of ten.
static gjl_u128 random_decimal(type t) {
  big a = {.negative = next_random() & 1};
  int digits = (int)(next_random() % (uint64_t)(t.precision + 1));
  uint64_t kind = next_random() % 8;
  for (int i = 0; i < digits; i++)
    a.digits[i] = (signed char)(kind == 0   ? 9
                                : kind == 1 ? (i == digits - 1)
                                : kind == 2 ? 5 * (i == digits - 1)
                                            : (int)(next_random() % 10));
  gjl_u128 value = {0, 0};
  CHECK(decimal_of(&a, t.precision, &value));
  return value;
}

// The operand and the result lie at odd addresses.
static unsigned char places[3][32];

static int64_t put(int place, gjl_u128 value) {
  unsigned char *at = places[place] + 1 + place;
  memcpy(at, &value, sizeof value);
  return address_of(at);
}

static gjl_u128 get(int place) {
  gjl_u128 value;
  memcpy(&value, places[place] + 1 + place, sizeof value);
  return value;
}

static bool same(gjl_u128 a, gjl_u128 b) { return a.low == b.low && a.high == b.high; }

// Compares a status and what lies at the third place with what it ought to be.
static void check_result(const char *what, int64_t status, const big *want, int precision) {
  gjl_u128 value;
  bool fits = decimal_of(want, precision, &value);
  if (status == (fits ? GJL_DONE : GJL_OVERFLOW) && (!fits || same(get(2), value)))
    return;
  printf("%s: expected %s in %d digits\n", what, big_text(want), precision);
  big got = big_of(get(2));
  CHECK_STR_EQ(big_text(&got), "");
  CHECK_INT_EQ(status, fits ? GJL_DONE : GJL_OVERFLOW);
}

// Gandiva's rule for a type that would have more than 38 digits.
static type adjusted(int precision, int scale) {
  if (precision <= 38)
    return (type){precision, scale};
  return (type){38, most(scale - (precision - 38), least(scale, 6))};
}

static void check_pair(type tx, gjl_u128 x, type ty, gjl_u128 y) {
  big a = big_of(x), b = big_of(y), rest;
  int64_t at_x = put(0, x), at_y = put(1, y), out = put(2, (gjl_u128){7, 7});
  int scale = most(tx.scale, ty.scale), x_up = scale - tx.scale, y_up = scale - ty.scale;
  big left = shifted(a, x_up), right = shifted(b, y_up), minus = right;
  minus.negative = !minus.negative;

  type t = adjusted(most(tx.precision - tx.scale, ty.precision - ty.scale) + scale + 1, scale);
  big want = without_digits(sum(left, right), scale - t.scale, HALF_AWAY);
  check_result("add", gjl_decimal_add(at_x, at_y, x_up, y_up, scale - t.scale, t.precision, out),
               &want, t.precision);
  want = without_digits(sum(left, minus), scale - t.scale, HALF_AWAY);
  check_result("subtract",
               gjl_decimal_subtract(at_x, at_y, x_up, y_up, scale - t.scale, t.precision, out),
               &want, t.precision);

  big difference = sum(left, minus);
  int side = is_zero(&difference) ? 0 : difference.negative ? -1 : 1;
  CHECK_INT_EQ(gjl_decimal_compare(at_x, at_y, x_up, y_up), side);
  CHECK_INT_EQ(gjl_decimal_less(at_x, at_y, x_up, y_up), side < 0);
  CHECK_INT_EQ(gjl_decimal_less(at_y, at_x, y_up, x_up), side > 0);
  CHECK_INT_EQ(gjl_decimal_equal(at_x, at_y, x_up, y_up), side == 0);

  t = adjusted(tx.precision + ty.precision + 1, tx.scale + ty.scale);
  int down = tx.scale + ty.scale - t.scale;
  want = without_digits(product(a, b), down, HALF_AWAY);
  check_result("multiply", gjl_decimal_multiply(at_x, at_y, down, t.precision, out), &want,
               t.precision);

  if (is_zero(&b)) {
    CHECK_INT_EQ(gjl_decimal_divide(at_x, at_y, 3, 38, out), GJL_DIVISION);
    CHECK_INT_EQ(gjl_decimal_mod(at_x, at_y, x_up, y_up, out), GJL_DIVISION);
    return;
  }
  int divided = most(6, tx.scale + ty.precision + 1);
  t = adjusted(tx.precision - tx.scale + ty.scale + divided, divided);
  int up = t.scale + ty.scale - tx.scale;
  want = quotient(shifted(a, up), b, &rest);
  big twice = size_sum(rest, &rest, 1);
  if (compare_sizes(&twice, &b) >= 0)
    want = size_sum(want, &(big){.digits = {1}}, 1);
  check_result("divide", gjl_decimal_divide(at_x, at_y, up, t.precision, out), &want, t.precision);

  quotient(left, right, &want);
  check_result("mod", gjl_decimal_mod(at_x, at_y, x_up, y_up, out), &want, 38);
}

static void operations_on_two_decimals(void) {
  for (int i = 0; i < rounds(10000); i++) {
    type tx = random_type(), ty = next_random() % 4 ? random_type() : tx;
    if (i % 4 == 0)
      tx = ty = (type){38, (int)(next_random() % 3)}; // sums run over without a digit to drop
    gjl_u128 x = random_decimal(tx),
             y = next_random() % 16 ? random_decimal(ty) : random_decimal(tx);
    if (next_random() % 16 == 0 && tx.precision <= ty.precision)
      y = x;
    big b = big_of(y);
    gjl_u128 fits;
    if (decimal_of(&b, ty.precision, &fits))
      check_pair(tx, x, ty, y);
  }
}

static void rounding_to_any_digits(void) {
  static const struct {
    const char *name;
    int64_t (*call)(int64_t x, int64_t scale, int64_t digits, int64_t out_scale, int64_t precision,
                    int64_t out);
  } rows[] = {{"round", gjl_decimal_round},
              {"truncate", gjl_decimal_truncate},
              {"ceil", gjl_decimal_ceil},
              {"floor", gjl_decimal_floor}};
  for (int i = 0; i < rounds(30000); i++) {
    type t = random_type(), to = random_type();
    gjl_u128 x = random_decimal(t);
    int digits = (int)(next_random() % 90) - 45, kind = (int)(next_random() % 4);
    int64_t in = put(0, x), out = put(2, (gjl_u128){7, 7});
    int kept = least(least(digits, to.scale), t.scale);
    big want = shifted(without_digits(big_of(x), t.scale - kept, (rounding)kind), to.scale - kept);
    check_result(rows[kind].name, rows[kind].call(in, t.scale, digits, to.scale, to.precision, out),
                 &want, to.precision);
    want = scaled(big_of(x), to.scale - t.scale, HALF_AWAY);
    check_result("rescale", gjl_decimal_rescale(in, t.scale, to.scale, to.precision, out), &want,
                 to.precision);
  }
  int64_t in = put(0, (gjl_u128){12345, 0}), out = put(2, (gjl_u128){7, 7});
  CHECK_INT_EQ(gjl_decimal_round(in, 2, INT64_MIN, 2, 38, out), GJL_DONE);
  CHECK(same(get(2), (gjl_u128){0, 0}));
  CHECK_INT_EQ(gjl_decimal_round(in, 2, INT64_MAX, 2, 38, out), GJL_DONE);
  CHECK(same(get(2), (gjl_u128){12345, 0}));
}

static void signs_of_decimals(void) {
  for (int i = 0; i < rounds(10000); i++) {
    gjl_u128 x = i ? random_decimal(random_type()) : (gjl_u128){0, 0};
    big want = big_of(x);
    int64_t in = put(0, x), out = put(2, (gjl_u128){7, 7});
    CHECK_INT_EQ(gjl_decimal_sign(in), is_zero(&want) ? 0 : want.negative ? -1 : 1);
    want.negative = !want.negative;
    gjl_decimal_negate(in, out);
    check_result("negate", GJL_DONE, &want, 38);
    want.negative = false;
    gjl_decimal_abs(in, out);
    check_result("abs", GJL_DONE, &want, 38);
  }
}

static void integers_and_decimals(void) {
  for (int i = 0; i < rounds(30000); i++) {
    type t = random_type();
    int64_t value = (int64_t)next_random() >> next_random() % 64, got = 5;
    int64_t out = put(2, (gjl_u128){7, 7});
    gjl_u128 wide = {(uint64_t)value, value < 0 ? UINT64_MAX : 0};
    big want = shifted(big_of(wide), t.scale);
    check_result("from int64", gjl_decimal_from_int64(value, t.scale, t.precision, out), &want,
                 t.precision);
    want = shifted(big_of((gjl_u128){(uint64_t)value, 0}), t.scale);
    check_result("from uint64", gjl_decimal_from_uint64(value, t.scale, t.precision, out), &want,
                 t.precision);

    gjl_u128 x = random_decimal(t), whole;
    big rounded = without_digits(big_of(x), t.scale, HALF_AWAY);
    CHECK(decimal_of(&rounded, 38, &whole));
    int64_t in = put(0, x);
    bool fits = whole.high + (whole.low >> 63) == 0;
    CHECK_INT_EQ(gjl_decimal_to_int64(in, t.scale, address_of(&got)),
                 fits ? GJL_DONE : GJL_OVERFLOW);
    CHECK_INT_EQ(got, fits ? (int64_t)whole.low : 5);
    got = 5;
    fits = whole.high == 0;
    CHECK_INT_EQ(gjl_decimal_to_uint64(in, t.scale, address_of(&got)),
                 fits ? GJL_DONE : GJL_OVERFLOW);
    CHECK_INT_EQ(got, fits ? (int64_t)whole.low : 5);
  }
}

// ---- text and floats ----------------------------------------------------------------------------

static int64_t from_text(const char *text, int scale, int precision) {
  size_t length = strlen(text);
  char *copy = malloc(length ? length : 1);
  memcpy(copy, text, length);
  int64_t status = gjl_decimal_from_text(address_of(copy), (int64_t)length, scale, precision,
                                         put(2, (gjl_u128){7, 7}));
  free(copy);
  return status;
}

static const char *to_text_in(gjl_u128 x, int scale, int64_t style) {
  static char memory[64], text[64];
  gjl_arena arena = {address_of(memory), address_of(memory) + (int64_t)sizeof memory};
  gjl_view view = {0, 0};
  CHECK_INT_EQ(gjl_decimal_to_text(put(0, x), scale, style, address_of(&view), address_of(&arena)),
               GJL_DONE);
  CHECK_INT_EQ(arena.next, view.address + view.length);
  memcpy(text, (const void *)(uintptr_t)view.address, (size_t)view.length);
  text[view.length] = 0;
  return text;
}

static const char *to_text(gjl_u128 x, int scale) { return to_text_in(x, scale, 0); }

static gjl_u128 decimal_from(const char *digits) {
  big a = big_from(digits);
  gjl_u128 value = {0, 0};
  CHECK(decimal_of(&a, 39, &value));
  return value;
}

static void decimals_to_text(void) {
  static const struct {
    const char *digits;
    int scale;
    const char *text;
  } rows[] = {
      {"0", 0, "0"},
      {"0", 2, "0.00"},
      {"0", 8, "0E-8"},
      {"123", 1, "12.3"},
      {"-123", 1, "-12.3"},
      {"123", 4, "0.0123"},
      {"-123", 4, "-0.0123"},
      {"123", 3, "0.123"},
      {"-123", 9, "-1.23E-7"},
      {"123", 8, "0.00000123"},
      {"1", 38, "1E-38"},
      {"99999999999999999999999999999999999999", 38, "0.99999999999999999999999999999999999999"},
      {"-99999999999999999999999999999999999999", 0, "-99999999999999999999999999999999999999"},
      {"-99999999999999999999999999999999999999", 1, "-9999999999999999999999999999999999999.9"},
      {"100000000000000000000", 19, "10.0000000000000000000"},
      {"18446744073709551616", 0, "18446744073709551616"},
      {"-170141183460469231731687303715884105728", 0, "-170141183460469231731687303715884105728"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CHECK_STR_EQ(to_text(decimal_from(rows[i].digits), rows[i].scale), rows[i].text);
  CHECK_STR_EQ(to_text_in(decimal_from("-123"), 9, 1), "-0.000000123");
  CHECK_STR_EQ(to_text_in(decimal_from("0"), 8, 1), "0.00000000");
  CHECK_STR_EQ(to_text_in(decimal_from("-1"), 38, 1), "-0.00000000000000000000000000000000000001");
  CHECK_STR_EQ(to_text_in(decimal_from("1234"), 2, 1), "12.34");
  char memory[8];
  gjl_arena arena = {address_of(memory), address_of(memory) + 8};
  gjl_view view = {0, 0};
  CHECK_INT_EQ(
      gjl_decimal_to_text(put(0, (gjl_u128){1, 0}), 0, 0, address_of(&view), address_of(&arena)),
      GJL_MORE);
  CHECK_INT_EQ(arena.next, address_of(memory));
}

static void decimals_from_text(void) {
  static const struct {
    const char *text;
    int scale, precision;
    int64_t status;
    const char *digits;
  } rows[] = {
      {"1.5", 2, 5, GJL_DONE, "150"},
      {" -1.5 ", 2, 5, GJL_DONE, "-150"},
      {"+.5", 2, 5, GJL_DONE, "50"},
      {"5.", 2, 5, GJL_DONE, "500"},
      {"1.005", 2, 5, GJL_DONE, "101"},
      {"-1.005", 2, 5, GJL_DONE, "-101"},
      {"1.00499999999999999999999999999999999999999999", 2, 5, GJL_DONE, "100"},
      {"0.005", 2, 5, GJL_DONE, "1"},
      {"0.0049", 2, 5, GJL_DONE, "0"},
      {"0.0009", 2, 5, GJL_DONE, "0"},
      {"999.994", 2, 5, GJL_DONE, "99999"},
      {"999.995", 2, 5, GJL_OVERFLOW, ""},
      {"1000", 2, 5, GJL_OVERFLOW, ""},
      {"1e2", 2, 5, GJL_DONE, "10000"},
      {"12345e-4", 2, 5, GJL_DONE, "123"},
      {"1e1000000000000000", 2, 38, GJL_OVERFLOW, ""},
      {"1e-1000000000000000", 2, 38, GJL_DONE, "0"},
      {"0e1000000000000000", 2, 38, GJL_DONE, "0"},
      {"5e-3", 2, 38, GJL_DONE, "1"},
      {"99999999999999999999999999999999999999", 0, 38, GJL_DONE,
       "99999999999999999999999999999999999999"},
      {"99999999999999999999999999999999999999.4999", 0, 38, GJL_DONE,
       "99999999999999999999999999999999999999"},
      {"99999999999999999999999999999999999999.5", 0, 38, GJL_OVERFLOW, ""},
      {"100000000000000000000000000000000000000", 0, 38, GJL_OVERFLOW, ""},
      {"340282366920938463463374607431768211457", 0, 38, GJL_OVERFLOW, ""},
      {"00000000000000000000000000000000000000000000000000001.5", 1, 2, GJL_DONE, "15"},
      {"0.000000000000000000000000000000000000000000000000000015e54", 0, 2, GJL_DONE, "15"},
      {"", 2, 5, GJL_INVALID, ""},
      {"x", 2, 5, GJL_INVALID, ""},
      {"1.2.3", 2, 5, GJL_INVALID, ""},
      {"inf", 2, 5, GJL_INVALID, ""},
      {"nan", 2, 5, GJL_INVALID, ""},
      {".", 2, 5, GJL_INVALID, ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CHECK_INT_EQ(from_text(rows[i].text, rows[i].scale, rows[i].precision), rows[i].status);
    if (rows[i].status == GJL_DONE) {
      big got = big_of(get(2));
      CHECK_STR_EQ(big_text(&got), rows[i].digits);
    } else {
      CHECK(same(get(2), (gjl_u128){7, 7}));
    }
  }
}

static void random_decimals_as_text(void) {
  for (int i = 0; i < rounds(30000); i++) {
    type t = random_type(), to = random_type();
    gjl_u128 x = random_decimal(t);
    char text[128];
    snprintf(text, sizeof text, "%s", to_text_in(x, t.scale, i & 1));
    CHECK_INT_EQ(from_text(text, t.scale, 38), GJL_DONE);
    CHECK(same(get(2), x));
    big want = scaled(big_of(x), to.scale - t.scale, HALF_AWAY);
    check_result(text, from_text(text, to.scale, to.precision), &want, to.precision);
    // The same digits with a point and an exponent wherever they are.
    big digits = big_of(x);
    int exponent = (int)(next_random() % 20) - 10;
    snprintf(text, sizeof text, "%se%d", big_text(&digits), exponent);
    want = scaled(digits, to.scale + exponent, HALF_AWAY);
    check_result(text, from_text(text, to.scale, to.precision), &want, to.precision);
  }
}

static void decimals_from_floats_are_gandivas(void) {
  static const struct {
    const char *digits;
    int precision, scale;
    double value;
    int64_t status;
  } rows[] = {
      {"-16285", 38, 3, -16.285, GJL_DONE},
      {"-162850", 38, 4, -16.285, GJL_DONE},
      {"-1629", 38, 2, -16.285, GJL_DONE},
      {"1", 18, 0, 1.15470053838, GJL_DONE},
      {"-2", 18, 0, -1.55470053838, GJL_DONE},
      {"9007199254740992", 38, 0, 9007199254740992.0, GJL_DONE},
      {"123", 38, 16, 1.23e-14, GJL_DONE},
      {"123", 38, 32, 1.23e-30, GJL_DONE},
      {"1230", 38, 33, 1.23e-30, GJL_DONE},
      {"123", 38, 38, 1.23e-36, GJL_DONE},
      {"0", 38, 0, 2.2250738585072014e-308, GJL_DONE},
      {"0", 38, 0, 0.49999999999999994, GJL_DONE},
      {"1", 38, 0, 0.5, GJL_DONE},
      {"0", 38, 0, -1.7976931348623157e308, GJL_OVERFLOW},
      {"0", 38, 36, 123.45, GJL_OVERFLOW},
      {"0", 4, 2, 12345.67, GJL_OVERFLOW},
      {"0", 38, 0, NAN, GJL_OVERFLOW},
      {"0", 38, 0, -INFINITY, GJL_OVERFLOW},
      {"0", 38, 0, 1e38, GJL_DONE},
      {"0", 38, 0, 1.1e38, GJL_OVERFLOW},
      {"0", 38, 0, 0x1p127, GJL_OVERFLOW},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int64_t out = put(2, (gjl_u128){7, 7});
    int64_t status = gjl_decimal_from_float64((int64_t)gjl_f64_bits(rows[i].value), rows[i].scale,
                                              rows[i].precision, out);
    big got = big_of(get(2));
    if (rows[i].value == 1e38) {
      CHECK_STR_EQ(big_text(&got), "99999999999999997748809823456034029568");
      continue;
    }
    CHECK_INT_EQ(status, rows[i].status);
    CHECK_STR_EQ(status == GJL_DONE ? big_text(&got) : "0", rows[i].digits);
  }
  for (int i = 0; i < rounds(20000); i++) {
    double x = ldexp((double)(int64_t)next_random(), (int)(next_random() % 63));
    char text[64];
    snprintf(text, sizeof text, "%.0f", x);
    big want = big_from(text);
    int64_t out = put(2, (gjl_u128){7, 7});
    check_result(text, gjl_decimal_from_float64((int64_t)gjl_f64_bits(x), 0, 38, out), &want, 38);
  }
}

static void decimals_to_floats_are_the_nearest(void) {
  for (int i = 0; i < rounds(30000); i++) {
    type t = random_type();
    gjl_u128 x = random_decimal(t);
    big digits = big_of(x);
    char text[64];
    snprintf(text, sizeof text, "%se-%d", big_text(&digits), t.scale);
    double got = gjl_f64((uint64_t)gjl_decimal_to_float64(put(0, x), t.scale)),
           want = strtod(text, NULL);
    if (want == 0)
      want = 0; // there is no -0
    CHECK_DOUBLE_EQ(got, want);
  }
}

// ---- Gandiva's examples -------------------------------------------------------------------------

#define NINES_8 "99999999"
#define NINES_35 NINES_8 NINES_8 NINES_8 NINES_8 "999"
#define NINES_36 NINES_35 "9"
#define NINES_38 NINES_36 "99"

typedef struct example {
  char op;
  const char *x;
  int x_precision, x_scale;
  const char *y;
  int y_precision, y_scale;
  const char *result;
  int precision, scale;
  int64_t status;
} example;

static const example examples[] = {
    {'+', "201", 30, 3, "301", 30, 3, "502", 31, 3, GJL_DONE},
    {'+', "09999999999999999999999999999999000000", 38, 5, "100", 38, 7,
     "99999999999999999999999999999990000010", 38, 6, GJL_DONE},
    {'+', "-201", 30, 3, "-301", 30, 2, "-3211", 32, 3, GJL_DONE},
    {'+', "-09999999999999999999999999999999000000", 38, 5, "-100", 38, 7,
     "-99999999999999999999999999999990000010", 38, 6, GJL_DONE},
    {'-', "201", 30, 3, "301", 30, 3, "-100", 31, 3, GJL_DONE},
    {'-', "09999999999999999999999999999999000000", 38, 5, "100", 38, 7,
     "99999999999999999999999999999989999990", 38, 6, GJL_DONE},
    {'-', "-201", 30, 3, "-301", 30, 2, "2809", 32, 3, GJL_DONE},
    {'*', "201", 10, 3, "301", 10, 2, "60501", 21, 5, GJL_DONE},
    {'*', "201", 20, 3, "0", 20, 2, "0", 38, 5, GJL_DONE},
    {'*', "201", 20, 3, NINES_35, 35, 2, "20099999999999999999999999999999999799", 38, 5, GJL_DONE},
    {'*', "201", 20, 3, NINES_36, 35, 2, "0", 38, 5, GJL_OVERFLOW},
    {'*', "201", 20, 3, NINES_38, 35, 2, "0", 38, 5, GJL_OVERFLOW},
    {'*', "201", 20, 5, "301", 20, 5, "61", 38, 7, GJL_DONE},
    {'*', "201", 20, 5, NINES_35, 35, 5, "2010000000000000000000000000000000", 38, 6, GJL_DONE},
    {'*', NINES_35, 38, 20, NINES_36, 38, 20, "9999999999999999999999999999999999890", 38, 6,
     GJL_DONE},
    {'*', NINES_35, 38, 4, NINES_36, 38, 4, "0", 38, 6, GJL_OVERFLOW},
    {'*', "18446744073709551615", 38, 4, "18446744073709551615", 38, 4,
     "3402823669209384634264811192843491082", 38, 6, GJL_DONE},
    {'*', "18446744073709551615", 38, 4, "9223372036854775807", 38, 4,
     "1701411834604692317040171876053197783", 38, 6, GJL_DONE},
    {'*', "201", 38, 38, "301", 38, 38, "0", 38, 37, GJL_DONE},
    {'*', "18446744073709551615", 38, 38, "18446744073709551615", 38, 38, "0", 38, 37, GJL_DONE},
    {'*', NINES_35, 38, 38, NINES_36, 38, 38, "100000000000000000000000000000000", 38, 37,
     GJL_DONE},
    {'/', "201", 10, 3, "301", 10, 2, "6677740863787", 23, 14, GJL_DONE},
    {'/', "201", 20, 3, "301", 20, 2, "667774086378737542", 38, 19, GJL_DONE},
    {'/', "201", 20, 3, NINES_35, 35, 2, "0", 38, 19, GJL_DONE},
    {'/', NINES_35, 35, 6, "201", 20, 3, "497512437810945273631840796019900493", 38, 6, GJL_DONE},
    {'/', NINES_38, 38, 20, NINES_35, 38, 20, "1000000000", 38, 6, GJL_DONE},
    {'/', "31939128063561476055", 38, 8, "10000", 20, 0, "3193912806356148", 38, 8, GJL_DONE},
    {'/', "18446744073709551615", 38, 4, "9223372036854775807", 38, 4, "2000000", 38, 6, GJL_DONE},
    {'/', "18446744073709551615", 19, 5, "9223372036854775807", 19, 5, "20000000000000000001", 38,
     19, GJL_DONE},
    {'/', NINES_35, 38, 37, NINES_35, 38, 38, "10000000", 38, 6, GJL_DONE},
    {'/', NINES_38, 38, 6, "201", 20, 3, "0", 38, 6, GJL_OVERFLOW},
    {'/', "201", 20, 3, "0", 20, 2, "0", 38, 19, GJL_DIVISION},
    {'%', "201", 10, 3, "301", 10, 2, "201", 10, 3, GJL_DONE},
    {'%', "201", 20, 2, "301", 20, 3, "204", 20, 3, GJL_DONE},
    {'%', "201", 20, 3, NINES_35, 35, 2, "201", 20, 3, GJL_DONE},
    {'%', NINES_35, 35, 6, "201", 20, 3, "180999", 23, 6, GJL_DONE},
    {'%', NINES_38, 38, 20, NINES_35, 38, 21, "9990", 38, 21, GJL_DONE},
    {'%', "31939128063561476055", 38, 8, "10000", 20, 0, "63561476055", 28, 8, GJL_DONE},
    {'%', "18446744073709551615", 38, 4, "9223372036854775807", 38, 4, "1", 38, 4, GJL_DONE},
    {'%', "201", 20, 3, "0", 20, 2, "0", 20, 3, GJL_DIVISION},
};

static int64_t run_example(const example *e, gjl_u128 x, gjl_u128 y) {
  int64_t a = put(0, x), b = put(1, y), out = put(2, (gjl_u128){7, 7});
  int scale = most(e->x_scale, e->y_scale), x_up = scale - e->x_scale, y_up = scale - e->y_scale;
  switch (e->op) {
  case '+':
    return gjl_decimal_add(a, b, x_up, y_up, scale - e->scale, e->precision, out);
  case '-':
    return gjl_decimal_subtract(a, b, x_up, y_up, scale - e->scale, e->precision, out);
  case '*':
    return gjl_decimal_multiply(a, b, e->x_scale + e->y_scale - e->scale, e->precision, out);
  case '/':
    return gjl_decimal_divide(a, b, e->scale + e->y_scale - e->x_scale, e->precision, out);
  default:
    return gjl_decimal_mod(a, b, x_up, y_up, out);
  }
}

static void examples_of_gandiva(void) {
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    const example *e = &examples[i];
    gjl_u128 x = decimal_from(e->x), y = decimal_from(e->y);
    for (int signs = 0; signs < 4; signs++) {
      if ((e->op == '+' || e->op == '-') && signs)
        break;
      bool minus_x = signs & 1, minus_y = signs & 2;
      bool negative = e->op == '%' ? minus_x : minus_x != minus_y;
      CHECK_INT_EQ(run_example(e, minus_x ? gjl_negate_128(x) : x, minus_y ? gjl_negate_128(y) : y),
                   e->status);
      if (e->status != GJL_DONE)
        continue;
      gjl_u128 want = decimal_from(e->result);
      big got = big_of(get(2)), wanted = big_of(negative ? gjl_negate_128(want) : want);
      char text[DIGITS + 2];
      snprintf(text, sizeof text, "%s", big_text(&wanted));
      CHECK_STR_EQ(big_text(&got), text);
    }
  }
}

// A result may lie where an operand is.
static void results_in_place_of_operands(void) {
  gjl_u128 x = decimal_from("-12345678901234567890123"), y = decimal_from("987");
  int64_t a = put(0, x), b = put(1, y);
  CHECK_INT_EQ(gjl_decimal_add(a, b, 0, 2, 0, 30, a), GJL_DONE);
  CHECK_STR_EQ(to_text(get(0), 0), "-12345678901234567791423");
  a = put(0, x);
  CHECK_INT_EQ(gjl_decimal_multiply(a, b, 1, 38, b), GJL_DONE);
  CHECK_STR_EQ(to_text(get(1), 0), "-1218518507551851850755140");
}

// Bytes that no decimal of 38 digits has: any result is fine, but it is one.
static void any_bytes_are_operands(void) {
  for (int i = 0; i < rounds(100000); i++) {
    gjl_u128 x = {next_random(), next_random()},
             y = {next_random(), next_random() >> next_random() % 64};
    if (i % 8 == 0)
      x = (gjl_u128){0, UINT64_C(1) << 63};
    if (i % 16 == 0)
      y = x;
    int64_t a = put(0, x), b = put(1, y), out = put(2, x), got = 0;
    int up = (int)(next_random() % 39), other = (int)(next_random() % 39),
        precision = 1 + (int)(next_random() % 38);
    gjl_decimal_add(a, b, up, 0, other, precision, out);
    gjl_decimal_subtract(a, b, 0, up, other, precision, out);
    gjl_decimal_multiply(a, b, other, precision, out);
    gjl_decimal_divide(a, b, up + other, precision, out);
    gjl_decimal_mod(a, b, up, 0, out);
    int64_t side = gjl_decimal_compare(a, b, up, 0);
    CHECK(side >= -1 && side <= 1);
    gjl_decimal_round(a, up, up - other, other, precision, out);
    gjl_decimal_rescale(a, up, other, precision, out);
    gjl_decimal_to_int64(a, up, address_of(&got));
    CHECK(!isnan(gjl_f64((uint64_t)gjl_decimal_to_float64(a, up))));
    CHECK(strlen(to_text(x, up)) < 48);
  }
}

int main(void) {
  CHECK_RUN(examples_of_gandiva);
  CHECK_RUN(operations_on_two_decimals);
  CHECK_RUN(rounding_to_any_digits);
  CHECK_RUN(signs_of_decimals);
  CHECK_RUN(integers_and_decimals);
  CHECK_RUN(decimals_to_text);
  CHECK_RUN(decimals_from_text);
  CHECK_RUN(random_decimals_as_text);
  CHECK_RUN(decimals_from_floats_are_gandivas);
  CHECK_RUN(decimals_to_floats_are_the_nearest);
  CHECK_RUN(results_in_place_of_operands);
  CHECK_RUN(any_bytes_are_operands);
  return check_report();
}
