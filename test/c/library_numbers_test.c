// Numbers as text and back, rounding, whole division and hashes of the function library.
//
// Floats are compared with libc's strtod and printf, which round exactly; integers with a parser
// that adds one digit at a time; the table of powers of ten with arithmetic in as many bits as it
// takes.

#include "check.h"
#include "library/numbers/numbers.h"
#include "library/numbers/powers.h"

#include <math.h>

static uint64_t seed = 88172645463325252u;

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

// A copy of exactly the text's bytes, so that a sanitizer sees what is read beyond them.
static char *exact(const char *text, int64_t length) {
  char *copy = malloc((size_t)length ? (size_t)length : 1);
  memcpy(copy, text, (size_t)length);
  return copy;
}

typedef int64_t from_text(int64_t text, int64_t length, int64_t out);

static int64_t parse_part(from_text *f, const char *text, int64_t length, int64_t *out) {
  char *copy = exact(text, length);
  int64_t status = f(address_of(copy), length, address_of(out));
  free(copy);
  return status;
}

static int64_t parse(from_text *f, const char *text, int64_t *out) {
  return parse_part(f, text, (int64_t)strlen(text), out);
}

// ---- integers from text -------------------------------------------------------------------------

typedef struct integer_type {
  from_text *parse;
  int bits;
  bool is_signed;
} integer_type;

static const integer_type integer_types[] = {
    {gjl_int8_from_text, 8, true},     {gjl_int16_from_text, 16, true},
    {gjl_int32_from_text, 32, true},   {gjl_int64_from_text, 64, true},
    {gjl_uint8_from_text, 8, false},   {gjl_uint16_from_text, 16, false},
    {gjl_uint32_from_text, 32, false}, {gjl_uint64_from_text, 64, false},
};

// One digit after the other.
static int64_t slow_integer(const char *text, int64_t length, const integer_type *type,
                            int64_t *out) {
  __extension__ typedef __int128 wide;
  int64_t at = 0, end = length;
  while (at < end && text[at] == ' ')
    at++;
  while (at < end && text[end - 1] == ' ')
    end--;
  bool negative = at < end && text[at] == '-';
  if (at < end && (text[at] == '-' || text[at] == '+'))
    at++;
  if (at == end)
    return GJL_INVALID;
  wide sum = 0,
       most = type->is_signed ? ((wide)1 << (type->bits - 1)) - 1 : ((wide)1 << type->bits) - 1;
  wide least = type->is_signed ? -most - 1 : 0;
  bool over = false;
  for (; at < end; at++) {
    if (text[at] < '0' || text[at] > '9')
      return GJL_INVALID;
    sum = sum * 10 + (negative ? '0' - text[at] : text[at] - '0');
    if (sum > most || sum < least) {
      over = true;
      sum = 0;
    }
  }
  if (over)
    return GJL_OVERFLOW;
  *out = (int64_t)sum;
  return GJL_DONE;
}

static void check_integer(const char *text, int64_t length) {
  for (size_t i = 0; i < sizeof integer_types / sizeof *integer_types; i++) {
    int64_t got = 77, want = 77;
    int64_t status = parse_part(integer_types[i].parse, text, length, &got);
    int64_t expected = slow_integer(text, length, &integer_types[i], &want);
    if (status != expected || got != want) {
      printf("\"%.*s\" as type %d:\n", (int)length, text, (int)i);
      CHECK_INT_EQ(status, expected);
      CHECK_INT_EQ(got, want);
    }
  }
}

static void integers_of_every_length_and_type(void) {
  char text[64];
  for (int i = 0; i < rounds(300000); i++) {
    int64_t length = 0, spaces = next_random() % 4 ? 0 : (int64_t)(next_random() % 3);
    while (spaces-- > 0)
      text[length++] = ' ';
    if (next_random() % 2)
      text[length++] = "-+-"[next_random() % 3];
    int64_t digits = (int64_t)(next_random() % (next_random() % 8 ? 21 : 26));
    bool zeros = next_random() % 8 == 0;
    for (int64_t d = 0; d < digits; d++)
      text[length++] = (char)('0' + (zeros && d < digits - 2 ? 0 : next_random() % 10));
    if (next_random() % 16 == 0)
      text[length++] = ' ';
    if (next_random() % 16 == 0 && length)
      text[next_random() % (uint64_t)length] = (char)next_random();
    if (memchr(text, 'x', (size_t)length) || memchr(text, 'X', (size_t)length))
      continue; // the slow one knows no hexadecimal digits
    check_integer(text, length);
  }
}

static void integers_around_the_limits_of_their_types(void) {
  __extension__ typedef __int128 wide;
  for (int bits = 7; bits <= 64; bits++)
    for (int sign = -1; sign <= 1; sign += 2)
      for (int delta = -3; delta <= 3; delta++) {
        wide value = (((wide)1 << bits) + delta) * sign;
        char text[48], reversed[48];
        int length = 0, at = 0;
        for (wide rest = value < 0 ? -value : value; rest; rest /= 10)
          reversed[length++] = (char)('0' + (int)(rest % 10));
        if (value < 0)
          text[at++] = '-';
        while (length)
          text[at++] = reversed[--length];
        check_integer(text, at);
      }
}

static void every_byte_in_every_place_of_an_integer(void) {
  for (int length = 1; length <= 22; length++)
    for (int place = 0; place < length; place++)
      for (int byte = 0; byte < 256; byte++) {
        char text[32];
        memset(text, '1', sizeof text);
        text[place] = (char)byte;
        check_integer(text, length);
      }
}

static void hexadecimal_integers_are_bits(void) {
  static const struct {
    from_text *parse;
    const char *text;
    int64_t status, value;
  } rows[] = {
      {gjl_int8_from_text, "0xff", GJL_DONE, -1},
      {gjl_int8_from_text, "0x7F", GJL_DONE, 127},
      {gjl_uint8_from_text, " 0xFF ", GJL_DONE, 255},
      {gjl_int8_from_text, "0x100", GJL_INVALID, 0},
      {gjl_int32_from_text, "0X80000000", GJL_DONE, INT32_MIN},
      {gjl_int64_from_text, "0xffffffffffffffff", GJL_DONE, -1},
      {gjl_int64_from_text, "0x8000000000000000", GJL_DONE, INT64_MIN},
      {gjl_uint64_from_text, "0xDeadBeefDeadBeef", GJL_DONE, (int64_t)UINT64_C(0xdeadbeefdeadbeef)},
      {gjl_int64_from_text, "0x10000000000000000", GJL_INVALID, 0},
      {gjl_int32_from_text, "0x", GJL_INVALID, 0},
      {gjl_int32_from_text, "0xg", GJL_INVALID, 0},
      {gjl_int32_from_text, "-0x1", GJL_INVALID, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int64_t value = 0;
    CHECK_INT_EQ(parse(rows[i].parse, rows[i].text, &value), rows[i].status);
    CHECK_INT_EQ(value, rows[i].value);
  }
}

static void booleans_are_words_and_nothing_else(void) {
  static const char *const words[2][6] = {{"false", "f", "no", "n", "off", "0"},
                                          {"true", "t", "yes", "y", "on", "1"}};
  char text[16];
  int64_t value;
  for (int64_t truth = 0; truth < 2; truth++)
    for (int i = 0; i < 6; i++)
      for (int letters = 0; letters < 3; letters++) {
        int length = snprintf(text, sizeof text, "  %s ", words[truth][i]);
        for (int c = 0; c < length; c++)
          if (letters == 1 || (letters == 2 && c == 2))
            text[c] = (char)(text[c] >= 'a' ? text[c] - 32 : text[c]);
        value = -1;
        CHECK_INT_EQ(parse(gjl_bool_from_text, text, &value), GJL_DONE);
        CHECK_INT_EQ(value, truth);
      }
  static const char *const not_words[] = {"",   " ",    "tr",   "truex",  "falsey", "2",
                                          "00", "\x10", "\x11", "yes no", "tru\xe9"};
  for (size_t i = 0; i < sizeof not_words / sizeof *not_words; i++)
    CHECK_INT_EQ(parse(gjl_bool_from_text, not_words[i], &value), GJL_INVALID);
}

// ---- floats from text ---------------------------------------------------------------------------

static void powers_of_ten_are_cut_exactly(void) {
  static uint32_t limbs[80];
  for (int k = GJL_LEAST_POWER; k <= GJL_MOST_POWER; k++) {
    // 10^|k| in limbs, then the first 128 bits of it, or of its reciprocal by long division.
    memset(limbs, 0, sizeof limbs);
    limbs[0] = 1;
    for (int i = 0; i < (k < 0 ? -k : k); i++) {
      uint64_t carry = 0;
      for (int j = 0; j < 80; j++) {
        carry += (uint64_t)limbs[j] * 10;
        limbs[j] = (uint32_t)carry;
        carry >>= 32;
      }
    }
    int top = 80 * 32 - 1;
    while (!(limbs[top / 32] >> top % 32 & 1))
      top--;
    gjl_u128 want = {0, 0};
    if (k >= 0) {
      for (int i = 0; i < 128; i++) {
        int bit = top - i;
        uint64_t set = bit < 0 ? 0 : limbs[bit / 32] >> bit % 32 & 1;
        want = gjl_add_128(gjl_add_128(want, want), (gjl_u128){set, 0});
      }
    } else {
      static uint32_t rest[81];
      memset(rest, 0, sizeof rest);
      rest[top / 32] = 1u << top % 32; // 2^top <= 10^-k; one bit of the quotient for each doubling
      for (int i = 0; i < 128; i++) {
        uint32_t carry = 0;
        for (int j = 0; j < 80; j++) {
          uint32_t high = rest[j] >> 31;
          rest[j] = rest[j] << 1 | carry;
          carry = high;
        }
        int side = 0;
        for (int j = 79; j >= 0 && !side; j--)
          side = rest[j] < limbs[j] ? -1 : rest[j] > limbs[j];
        want = gjl_add_128(want, want);
        if (side >= 0) {
          want.low |= 1;
          uint64_t borrow = 0;
          for (int j = 0; j < 80; j++) {
            uint64_t difference = (uint64_t)rest[j] - limbs[j] - borrow;
            rest[j] = (uint32_t)difference;
            borrow = difference >> 63;
          }
        }
      }
    }
    gjl_u128 got = gjl_powers[k - GJL_LEAST_POWER];
    CHECK(got.low == want.low && got.high == want.high);
  }
}

static uint64_t bits_of(double x) { return gjl_f64_bits(x); }

static uint32_t bits_of_f32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static float f32_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static void check_float(const char *text) {
  int64_t got = 0;
  double want = strtod(text, NULL);
  int64_t status = parse(gjl_float64_from_text, text, &got);
  if (status != (isinf(want) ? GJL_OVERFLOW : GJL_DONE) ||
      (!isinf(want) && (uint64_t)got != bits_of(want))) {
    printf("%s: ", text);
    CHECK_INT_EQ(status, GJL_DONE);
    CHECK_DOUBLE_EQ(gjl_f64((uint64_t)got), want);
  }
  float want32 = strtof(text, NULL);
  got = 0;
  status = parse(gjl_float32_from_text, text, &got);
  if (status != (isinf(want32) ? GJL_OVERFLOW : GJL_DONE) ||
      (!isinf(want32) && (uint64_t)got != bits_of_f32(want32))) {
    printf("%s as f32: ", text);
    CHECK_INT_EQ(status, GJL_DONE);
    CHECK_INT_EQ(got, bits_of_f32(want32));
  }
}

static void floats_from_text_are_those_of_strtod(void) {
  static const char *const texts[] = {
      "0",
      "-0",
      "1",
      "-1.5",
      "+.5",
      "5.",
      "1e0",
      "1E+5",
      "00012.50",
      "  3.25  ",
      "9007199254740993",
      "9007199254740992.999999999999999999999999999",
      "9007199254740993.0000000000000000000000000000001",
      "1e308",
      "1.7976931348623157e308",
      "1.7976931348623158e308",
      "1.797693134862315807e308",
      "1.7976931348623159e308",
      "1e309",
      "1e400",
      "-1e999999999999999999999",
      "4.9e-324",
      "2.5e-324",
      "2.4703282292062327e-324",
      "2.4703282292062328e-324",
      "1e-400",
      "1e-999999999999999999999",
      "2.2250738585072014e-308",
      "2.2250738585072011e-308",
      "2.2250738585072012e-308",
      "0e999999999999999",
      "0.000e-5",
      "123456789012345678901234567890",
      "0.1",
      "0.3",
      "1e22",
      "1e23",
      "8.589973e9",
      "3.4028235e38",
      "3.4028236e38",
      "16777217",
      "33554435",
      "1.17549435e-38",
      "1e-45",
      "7e-46",
      "7.006492321624085e-46",
      "7.1e-46",
      "6929495644600919.5",
      "6929495644600920.5",
      "9223372036854775807",
      "18446744073709551615",
      "18446744073709551616",
      "1090544144181609278303144771584",
      "1090544144181609419040633126912",
      "0.500000000000000166533453693773481063544750213623046875",
      "3.518437208883201171875e13",
      "62.5364939768271845828",
      "8.10109172351e-10",
      "1.50000000000000011102230246251565",
      "3.5028234666e38",
      "1.00000017881393432617187499",
      "1.00000017881393432617187500",
      "1.00000017881393432617187501",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    check_float(texts[i]);
}

static void floats_from_random_text(void) {
  char text[1100];
  for (int i = 0; i < rounds(400000); i++) {
    int length = 0, digits = 1 + (int)(next_random() % (next_random() % 64 ? 24 : 900));
    if (next_random() % 4 == 0)
      text[length++] = '-';
    int point = (int)(next_random() % (uint64_t)(digits + 1));
    for (int d = 0; d < digits; d++) {
      if (d == point)
        text[length++] = '.';
      text[length++] = (char)('0' + (next_random() % 8 ? next_random() % 10 : 0));
    }
    text[length] = 0;
    if (next_random() % 2)
      sprintf(text + length, "e%d", (int)(next_random() % 700) - 350);
    check_float(text);
  }
}

// Numbers at and beside the points half way between floats, in all their digits.
static void floats_half_way_between_two(void) {
  static char text[2000];
  for (int i = 0; i < rounds(20000); i++) {
    uint64_t bits = next_random() >> 1;
    if (i % 4 == 0)
      bits &= (UINT64_C(1) << 52) - 1; // subnormal
    double low = gjl_f64(bits), high = gjl_f64(bits + 1);
    if (!(high < INFINITY))
      continue;
    long double middle =
        ((long double)low + (long double)high) / 2; // 64 bits of mantissa and 15 of exponent
    snprintf(text, sizeof text, "%.1200Lf", middle);
    if (middle < 1e-300L || middle > 1e300L)
      snprintf(text, sizeof text, "%.800Le", middle);
    check_float(text);
    char *digit = text + strcspn(text, "e");
    while (digit[-1] == '0')
      digit--;
    if (digit[-1] != '.') {
      digit[-1]--; // below it
      check_float(text);
    }
    float f = f32_of((uint32_t)bits & 0x7f7fffffu), g = f32_of(((uint32_t)bits & 0x7f7fffffu) + 1);
    snprintf(text, sizeof text, "%.200e", ((double)f + (double)g) / 2);
    check_float(text);
  }
}

static void words_for_infinity_and_nan(void) {
  static const struct {
    const char *text;
    double value;
  } rows[] = {{"inf", INFINITY},
              {"-Inf", -INFINITY},
              {"+INFINITY", INFINITY},
              {" infinity ", INFINITY},
              {"-infinity", -INFINITY}};
  int64_t value;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CHECK_INT_EQ(parse(gjl_float64_from_text, rows[i].text, &value), GJL_DONE);
    CHECK_DOUBLE_EQ(gjl_f64((uint64_t)value), rows[i].value);
    CHECK_INT_EQ(parse(gjl_float32_from_text, rows[i].text, &value), GJL_DONE);
    CHECK_INT_EQ(value, bits_of_f32((float)rows[i].value));
  }
  CHECK_INT_EQ(parse(gjl_float64_from_text, "NaN", &value), GJL_DONE);
  CHECK_INT_EQ(value, UINT64_C(0x7ff8000000000000));
  CHECK_INT_EQ(parse(gjl_float32_from_text, "nan", &value), GJL_DONE);
  CHECK_INT_EQ(value, 0x7fc00000);
}

static void what_is_no_number_is_invalid(void) {
  static const char *const texts[] = {
      "",        " ",         "-",     "+",   ".",   "-.",  "e5",  "1e",    "1e+", "1e+-5",
      "1 2",     "1..2",      "1.2.3", "--1", "+-1", "0x1", "1f",  "1e5.5", "in",  "infi",
      "infinit", "infinityy", "nanx",  "na",  "1\t", "\t1", "1,5", "١"};
  int64_t value = 5;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    CHECK_INT_EQ(parse(gjl_float64_from_text, texts[i], &value), GJL_INVALID);
    CHECK_INT_EQ(parse(gjl_float32_from_text, texts[i], &value), GJL_INVALID);
  }
  CHECK_INT_EQ(value, 5);
}

// Any bytes: a float as strtod reads it, or no number.
static void floats_from_any_bytes(void) {
  static const char letters[] = "0123456789.eE+- infnatyxXp";
  char text[48];
  for (int i = 0; i < rounds(500000); i++) {
    int length = (int)(next_random() % 20);
    for (int c = 0; c < length; c++)
      text[c] =
          next_random() % 64 ? letters[next_random() % (sizeof letters - 1)] : (char)next_random();
    text[length] = 0;
    int64_t got = 0;
    int64_t status = parse_part(gjl_float64_from_text, text, length, &got);
    if (status == GJL_INVALID)
      continue;
    char *end;
    double want = strtod(text, &end);
    while (*end == ' ')
      end++;
    CHECK_INT_EQ(end - text, length);
    if (status == GJL_DONE && !isnan(want))
      CHECK_DOUBLE_EQ(gjl_f64((uint64_t)got), want);
  }
}

// ---- to text ------------------------------------------------------------------------------------

static char memory[256];

static gjl_arena arena_of(int64_t size) {
  gjl_arena arena = {address_of(memory), address_of(memory) + size};
  return arena;
}

static const char *text_of(gjl_view view) {
  static char text[128];
  memcpy(text, (const void *)(uintptr_t)view.address, (size_t)view.length);
  text[view.length] = 0;
  return text;
}

static const char *float_text(double x, int64_t style) {
  gjl_arena arena = arena_of(sizeof memory);
  gjl_view view = {0, 0};
  CHECK_INT_EQ(
      gjl_float64_to_text((int64_t)bits_of(x), style, address_of(&view), address_of(&arena)),
      GJL_DONE);
  CHECK_INT_EQ(arena.next, view.address + view.length);
  return text_of(view);
}

static const char *float32_text(float x, int64_t style) {
  gjl_arena arena = arena_of(sizeof memory);
  gjl_view view = {0, 0};
  CHECK_INT_EQ(gjl_float32_to_text(bits_of_f32(x), style, address_of(&view), address_of(&arena)),
               GJL_DONE);
  return text_of(view);
}

static void integers_to_text_and_back(void) {
  for (int i = 0; i < rounds(200000); i++) {
    uint64_t value = next_random() >> next_random() % 64;
    if (i < 20)
      value = gjl_ten_64(i) - (uint64_t)(i & 1);
    if (i == 20)
      value = 0;
    char want[32];
    gjl_arena arena = arena_of(sizeof memory);
    gjl_view view = {0, 0};
    snprintf(want, sizeof want, "%" PRId64, (int64_t)value);
    CHECK_INT_EQ(gjl_int64_to_text((int64_t)value, address_of(&view), address_of(&arena)),
                 GJL_DONE);
    if (strcmp(text_of(view), want) != 0)
      CHECK_STR_EQ(text_of(view), want);
    snprintf(want, sizeof want, "%" PRIu64, value);
    CHECK_INT_EQ(gjl_uint64_to_text((int64_t)value, address_of(&view), address_of(&arena)),
                 GJL_DONE);
    if (strcmp(text_of(view), want) != 0)
      CHECK_STR_EQ(text_of(view), want);
  }
}

static void text_that_does_not_fit_takes_nothing(void) {
  gjl_arena arena = arena_of(4);
  gjl_view view = {1, 2};
  CHECK_INT_EQ(gjl_int64_to_text(-1234, address_of(&view), address_of(&arena)), GJL_MORE);
  CHECK_INT_EQ(gjl_float64_to_text(0, 0, address_of(&view), address_of(&arena)), GJL_MORE);
  CHECK_INT_EQ(gjl_uint64_to_base(255, 2, address_of(&view), address_of(&arena)), GJL_MORE);
  CHECK_INT_EQ(view.address, 1);
  CHECK_INT_EQ(arena.next, address_of(memory));
  CHECK_INT_EQ(gjl_int64_to_text(-123, address_of(&view), address_of(&arena)), GJL_DONE);
  CHECK_STR_EQ(text_of(view), "-123");
}

static void booleans_to_text(void) {
  gjl_view view = {0, 0};
  gjl_bool_to_text(1, address_of(&view));
  CHECK_STR_EQ(text_of(view), "true");
  gjl_bool_to_text(0, address_of(&view));
  CHECK_STR_EQ(text_of(view), "false");
}

static void floats_are_laid_out_as_by_gandiva_and_javascript(void) {
  static const struct {
    double value;
    const char *gandiva, *javascript;
  } rows[] = {
      {0.0, "0.0", "0"},
      {-0.0, "-0.0", "0"},
      {1, "1.0", "1"},
      {-1.5, "-1.5", "-1.5"},
      {100, "100.0", "100"},
      {1234567, "1234567.0", "1234567"},
      {9999999, "9999999.0", "9999999"},
      {1e7, "1.0E7", "10000000"},
      {10000002.3, "1.00000023E7", "10000002.3"},
      {0.001, "0.001", "0.001"},
      {0.00123, "0.00123", "0.00123"},
      {0.0001, "1.0E-4", "0.0001"},
      {0.000012, "1.2E-5", "0.000012"},
      {0.000001, "1.0E-6", "0.000001"},
      {0.0000001, "1.0E-7", "1e-7"},
      {-1.25e-7, "-1.25E-7", "-1.25e-7"},
      {123456789012345680000.0, "1.2345678901234568E20", "123456789012345680000"},
      {1e21, "1.0E21", "1e+21"},
      {1.5e300, "1.5E300", "1.5e+300"},
      {5e-324, "4.9E-324", "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157E308", "1.7976931348623157e+308"},
      {INFINITY, "Infinity", "Infinity"},
      {-INFINITY, "-Infinity", "-Infinity"},
      {NAN, "NaN", "NaN"},
      {-NAN, "NaN", "NaN"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    // Java and Gandiva write two digits at least, but not other ones.
    const char *want = rows[i].value == 5e-324 ? "5.0E-324" : rows[i].gandiva;
    CHECK_STR_EQ(float_text(rows[i].value, 0), want);
    CHECK_STR_EQ(float_text(rows[i].value, 1), rows[i].javascript);
  }
  CHECK_STR_EQ(float32_text(0.1f, 0), "0.1");
  CHECK_STR_EQ(float32_text(16777216, 0), "1.6777216E7");
  CHECK_STR_EQ(float32_text(-3.4028235e38f, 1), "-3.4028235e+38");
  CHECK_STR_EQ(float32_text(1e-45f, 1), "1e-45");
  CHECK_STR_EQ(float32_text(NAN, 1), "NaN");
  CHECK_STR_EQ(float32_text(-INFINITY, 0), "-Infinity");
  CHECK_STR_EQ(float32_text(-0.0f, 0), "-0.0");
}

// Digits and exponent of a text, as d.ddde±x.
static int digits_of(const char *text, char *digits) {
  int count = 0;
  for (; *text && *text != 'e'; text++)
    if (*text >= '0' && *text <= '9' && (count || *text != '0'))
      digits[count++] = *text;
  while (count > 1 && digits[count - 1] == '0')
    count--;
  digits[count] = 0;
  return count;
}

// The fewest digits that read back, by trying; printf rounds exactly, so of as many digits they are
// the closest.
static void check_shortest(double x, bool is_f32) {
  char text[64], got[128], want[64], digits[128];
  int places = 0;
  do
    snprintf(text, sizeof text, "%.*e", places++, x);
  while (is_f32 ? strtof(text, NULL) != (float)x : strtod(text, NULL) != x);
  snprintf(got, sizeof got, "%s", is_f32 ? float32_text((float)x, 1) : float_text(x, 1));
  bool same = is_f32 ? strtof(got, NULL) == (float)x : strtod(got, NULL) == x;
  digits_of(got, digits);
  digits_of(text, want);
  // Of a power of two the closest decimal of so many digits may be outside of the interval while
  // another one is inside.
  if (!same || strcmp(digits, want) != 0) {
    int mantissa_bits = is_f32 ? 23 : 52;
    uint64_t bits = is_f32 ? bits_of_f32((float)x) : bits_of(x);
    bool power_of_two = !(bits & ((UINT64_C(1) << mantissa_bits) - 1));
    if (same && power_of_two &&
        strlen(digits) + 1 == strlen(want) + (strlen(digits) < strlen(want) ? 0 : 1))
      return;
    printf("%a: %s, expected the digits of %s\n", x, got, text);
    CHECK(false);
  }
}

static void floats_to_text_have_the_fewest_digits(void) {
  for (int i = 0; i < rounds(150000); i++) {
    uint64_t bits = next_random() >> 1;
    if (i < 2046)
      bits = (uint64_t)i << 52;
    if (i % 8 == 0)
      bits &= (UINT64_C(1) << (next_random() % 53)) - 1;
    double x = gjl_f64(bits);
    if (x > 0 && x < INFINITY)
      check_shortest(x, false);
    x = (double)(next_random() >> (11 + next_random() % 53)); // whole numbers
    if (x > 0)
      check_shortest(x, false);
    x = (double)(next_random() % 1000000) / 1000; // and what people write
    if (x > 0)
      check_shortest(x, false);
    float f = f32_of((uint32_t)next_random() >> 1);
    if (i < 254)
      f = f32_of((uint32_t)i << 23);
    if (f > 0 && f < INFINITY)
      check_shortest(f, true);
  }
}

static void floats_to_text_and_back(void) {
  for (int i = 0; i < rounds(1000000); i++) {
    int64_t bits = (int64_t)next_random(), back = 0;
    gjl_arena arena = arena_of(sizeof memory);
    gjl_view view = {0, 0};
    if (isnan(gjl_f64((uint64_t)bits)))
      continue;
    gjl_float64_to_text(bits, i & 1, address_of(&view), address_of(&arena));
    if (gjl_float64_from_text(view.address, view.length, address_of(&back)) != GJL_DONE ||
        back != bits) {
      CHECK_STR_EQ(text_of(view), "a text that reads back");
      CHECK_INT_EQ(back, bits);
    }
    bits = (int64_t)(uint32_t)bits;
    if (isnan(f32_of((uint32_t)bits)))
      continue;
    gjl_float32_to_text(bits, i & 1, address_of(&view), address_of(&arena));
    back = 0;
    if (gjl_float32_from_text(view.address, view.length, address_of(&back)) != GJL_DONE ||
        back != bits) {
      CHECK_STR_EQ(text_of(view), "a text that reads back");
      CHECK_INT_EQ(back, bits);
    }
  }
}

static const char *in_base(uint64_t value, int64_t base) {
  gjl_arena arena = arena_of(sizeof memory);
  gjl_view view = {0, 0};
  CHECK_INT_EQ(gjl_uint64_to_base((int64_t)value, base, address_of(&view), address_of(&arena)),
               GJL_DONE);
  return text_of(view);
}

static void numbers_in_other_bases(void) {
  CHECK_STR_EQ(in_base(0, 2), "0");
  CHECK_STR_EQ(in_base(7, 2), "111");
  CHECK_STR_EQ(in_base(28550, 2), "110111110000110");
  CHECK_STR_EQ(in_base((uint32_t)-28550, 2), "11111111111111111001000001111010");
  CHECK_STR_EQ(in_base(UINT64_MAX, 2),
               "1111111111111111111111111111111111111111111111111111111111111111");
  CHECK_STR_EQ(in_base(3002, 16), "BBA");
  CHECK_STR_EQ(in_base((uint64_t)INT64_MIN, 16), "8000000000000000");
  CHECK_STR_EQ(in_base(35, 36), "Z");
  gjl_view view = {0, 0};
  gjl_arena arena = arena_of(sizeof memory);
  CHECK_INT_EQ(gjl_uint64_to_base(5, 1, address_of(&view), address_of(&arena)), GJL_INVALID);
  CHECK_INT_EQ(gjl_uint64_to_base(5, 37, address_of(&view), address_of(&arena)), GJL_INVALID);
}

static const char *conv(const char *text, int64_t from, int64_t to) {
  gjl_arena arena = arena_of(sizeof memory);
  gjl_view view = {0, 0};
  int64_t length = (int64_t)strlen(text);
  if (gjl_conv(address_of(text), length, from, to, address_of(&view), address_of(&arena)) !=
      GJL_DONE)
    return "invalid";
  return text_of(view);
}

static void conv_is_that_of_mysql(void) {
  CHECK_STR_EQ(conv("a", 16, 2), "1010");
  CHECK_STR_EQ(conv("6E", 18, 8), "172");
  CHECK_STR_EQ(conv("-17", 10, -18), "-H");
  CHECK_STR_EQ(conv("-17", 10, 16), "FFFFFFFFFFFFFFEF");
  CHECK_STR_EQ(conv("12z", 10, 10), "12");
  CHECK_STR_EQ(conv("z", 10, 10), "0");
  CHECK_STR_EQ(conv("", 10, 10), "0");
  CHECK_STR_EQ(conv("99999999999999999999999", 10, 16), "FFFFFFFFFFFFFFFF");
  CHECK_STR_EQ(conv("18446744073709551615", 10, -10), "-1");
  CHECK_STR_EQ(conv("1", 1, 10), "invalid");
  CHECK_STR_EQ(conv("1", 10, 37), "invalid");
  CHECK_STR_EQ(conv("1", 10, INT64_MIN), "invalid");
}

// ---- rounding -----------------------------------------------------------------------------------

typedef int64_t round_function(int64_t value, int64_t digits);

static double rounded(round_function *f, double x, int64_t digits) {
  return gjl_f64((uint64_t)f((int64_t)bits_of(x), digits));
}

static void floats_are_rounded_to_decimal_digits(void) {
  static const struct {
    double value;
    int64_t digits;
    double round, bround, truncate;
  } rows[] = {
      {1234.245, 0, 1234, 1234, 1234},
      {-11.7892, 0, -12, -12, -11},
      {1.4999999, 0, 1, 1, 1},
      {0.49999999999999994, 0, 0, 0, 0},
      {2.5, 0, 3, 2, 2},
      {3.5, 0, 4, 4, 3},
      {-2.5, 0, -3, -2, -2},
      {-0.3, 0, -0.0, -0.0, -0.0},
      {1234.789, 2, 1234.79, 1234.79, 1234.78},
      {1234.12345, -3, 1000, 1000, 1000},
      {-1234.4567, 3, -1234.457, -1234.457, -1234.456},
      {2147483648.0, 0, 2147483648.0, 2147483648.0, 2147483648.0},
      {0.125, 2, 0.13, 0.12, 0.12},
      {1e300, 5, 1e300, 1e300, 1e300},
      {1e300, -5, 1e300, 1e300, 1e300},
      {1.7976931348623157e308, 308, 1.7976931348623157e308, 1.7976931348623157e308,
       1.7976931348623157e308},
      {123.456, 400, 123.456, 123.456, 123.456},
      {123.456, -400, 0, 0, 0},
      {5, -1, 10, 0, 0},
      {15, -1, 20, 20, 10},
      {9007199254740993.0, 1, 9007199254740992.0, 9007199254740992.0, 9007199254740992.0},
      {1.5e-300, 300, 2e-300, 2e-300, 1e-300},
      {INFINITY, 2, INFINITY, INFINITY, INFINITY},
      {-INFINITY, INT64_MIN, -INFINITY, -INFINITY, -INFINITY},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CHECK_DOUBLE_EQ(rounded(gjl_round_float64, rows[i].value, rows[i].digits), rows[i].round);
    CHECK_DOUBLE_EQ(rounded(gjl_bround_float64, rows[i].value, rows[i].digits), rows[i].bround);
    CHECK_DOUBLE_EQ(rounded(gjl_truncate_float64, rows[i].value, rows[i].digits), rows[i].truncate);
  }
  CHECK(isnan(rounded(gjl_round_float64, NAN, 2)));
  for (int i = 0; i < rounds(200000); i++) {
    double x = gjl_f64(next_random());
    if (isnan(x))
      continue;
    CHECK_DOUBLE_EQ(rounded(gjl_round_float64, x, 0), round(x));
    CHECK_DOUBLE_EQ(rounded(gjl_bround_float64, x, 0), nearbyint(x));
    CHECK_DOUBLE_EQ(rounded(gjl_truncate_float64, x, 0), trunc(x));
    x = (double)((int64_t)next_random() >> next_random() % 64) / 8;
    CHECK_DOUBLE_EQ(rounded(gjl_round_float64, x, 0), round(x));
    CHECK_DOUBLE_EQ(rounded(gjl_bround_float64, x, 0), nearbyint(x));
  }
}

static void integers_are_rounded_to_decimal_digits(void) {
  static const struct {
    int64_t value, digits, bits, status, result, truncated;
  } rows[] = {
      {7589, -1, 32, GJL_DONE, 7590, 7580},
      {8532, -2, 32, GJL_DONE, 8500, 8500},
      {-8579, -1, 32, GJL_DONE, -8580, -8570},
      {-8612, -2, 32, GJL_DONE, -8600, -8600},
      {758, 2, 32, GJL_DONE, 758, 758},
      {8612, -5, 32, GJL_DONE, 0, 0},
      {3453562343, -5, 64, GJL_DONE, 3453600000, 3453500000},
      {345353425343, 12, 64, GJL_DONE, 345353425343, 345353425343},
      {-23453462343, -4, 64, GJL_DONE, -23453460000, -23453460000},
      {345353425343, -12, 64, GJL_DONE, 0, 0},
      {8124674407369523212, -2, 64, GJL_DONE, 8124674407369523200, 8124674407369523200},
      {INT64_MAX, -1, 64, GJL_OVERFLOW, 0, 9223372036854775800},
      {INT64_MIN, -1, 64, GJL_OVERFLOW, 0, -9223372036854775800},
      {INT64_MIN, 0, 64, GJL_DONE, INT64_MIN, INT64_MIN},
      {INT64_MIN, -3, 64, GJL_OVERFLOW, 0, -9223372036854775000},
      {INT64_MAX, -19, 64, GJL_DONE, 0, 0},
      {INT64_MAX, INT64_MIN, 64, GJL_DONE, 0, 0},
      {INT32_MAX, -1, 32, GJL_OVERFLOW, 0, 2147483640},
      {-128, -1, 8, GJL_OVERFLOW, 0, -120},
      {124, -1, 8, GJL_DONE, 120, 120},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int64_t got = 0;
    CHECK_INT_EQ(gjl_round_int64(rows[i].value, rows[i].digits, rows[i].bits, address_of(&got)),
                 rows[i].status);
    CHECK_INT_EQ(got, rows[i].result);
    CHECK_INT_EQ(gjl_truncate_int64(rows[i].value, rows[i].digits), rows[i].truncated);
  }
  int64_t got = 0;
  CHECK_INT_EQ(gjl_round_uint64(-1, -1, 64, address_of(&got)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_round_uint64(-1, -2, 64, address_of(&got)), GJL_DONE);
  CHECK_INT_EQ(got, (int64_t)UINT64_C(18446744073709551600));
  CHECK_INT_EQ(gjl_round_uint64(255, -1, 8, address_of(&got)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_truncate_uint64(-1, -18), (int64_t)UINT64_C(18000000000000000000));
}

// ---- whole numbers ------------------------------------------------------------------------------

static void division_by_its_sign_rules(void) {
  static const struct {
    int64_t a, b, divide, quotient, mod, remainder, pmod, positive;
  } rows[] = {
      {7, 3, GJL_DONE, 2, GJL_DONE, 1, GJL_DONE, 1},
      {-7, 3, GJL_DONE, -3, GJL_DONE, 2, GJL_DONE, 2},
      {7, -3, GJL_DONE, -3, GJL_DONE, -2, GJL_DONE, -2},
      {-7, -3, GJL_DONE, 2, GJL_DONE, -1, GJL_DONE, -4},
      {6, -3, GJL_DONE, -2, GJL_DONE, 0, GJL_DONE, -3},
      {1, 0, GJL_DIVISION, 0, GJL_DIVISION, 0, GJL_DIVISION, 0},
      {INT64_MIN, -1, GJL_OVERFLOW, 0, GJL_DONE, 0, GJL_DONE, -1},
      {INT64_MIN, INT64_MAX, GJL_DONE, -2, GJL_DONE, INT64_MAX - 1, GJL_DONE, INT64_MAX - 1},
      {INT64_MAX, INT64_MIN, GJL_DONE, -1, GJL_DONE, -1, GJL_DONE, -1},
      {INT64_MIN + 1, INT64_MIN, GJL_DONE, 0, GJL_DONE, INT64_MIN + 1, GJL_OVERFLOW, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int64_t got = 0;
    CHECK_INT_EQ(gjl_floor_divide_int64(rows[i].a, rows[i].b, address_of(&got)), rows[i].divide);
    CHECK_INT_EQ(got, rows[i].quotient);
    got = 0;
    CHECK_INT_EQ(gjl_floor_mod_int64(rows[i].a, rows[i].b, address_of(&got)), rows[i].mod);
    CHECK_INT_EQ(got, rows[i].remainder);
    got = 0;
    CHECK_INT_EQ(gjl_pmod_int64(rows[i].a, rows[i].b, address_of(&got)), rows[i].pmod);
    CHECK_INT_EQ(got, rows[i].positive);
  }
}

static void factorials_divisors_and_powers(void) {
  int64_t got = 0, want = 1;
  for (int64_t n = 0; n <= 20; n++) {
    want *= n ? n : 1;
    CHECK_INT_EQ(gjl_factorial(n, address_of(&got)), GJL_DONE);
    CHECK_INT_EQ(got, want);
  }
  CHECK_INT_EQ(gjl_factorial(21, address_of(&got)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_factorial(-1, address_of(&got)), GJL_INVALID);
  for (int i = 0; i < rounds(100000); i++) {
    int64_t a = (int64_t)next_random() >> next_random() % 64,
            b = (int64_t)next_random() >> next_random() % 64;
    uint64_t x = gjl_magnitude(a), y = gjl_magnitude(b);
    while (y) {
      uint64_t rest = x % y;
      x = y;
      y = rest;
    }
    if (x > INT64_MAX) {
      CHECK_INT_EQ(gjl_gcd_int64(a, b, address_of(&got)), GJL_OVERFLOW);
      continue;
    }
    CHECK_INT_EQ(gjl_gcd_int64(a, b, address_of(&got)), GJL_DONE);
    CHECK_INT_EQ(got, (int64_t)x);
    __extension__ unsigned __int128 multiple = x ? gjl_magnitude(a) / x : 0;
    multiple *= gjl_magnitude(b);
    bool fits = multiple <= INT64_MAX;
    CHECK_INT_EQ(gjl_lcm_int64(a, b, address_of(&got)), fits ? GJL_DONE : GJL_OVERFLOW);
    if (fits)
      CHECK_INT_EQ(got, (int64_t)multiple);
  }
  CHECK_INT_EQ(gjl_gcd_int64(INT64_MIN, 0, address_of(&got)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_gcd_int64(INT64_MIN, 6, address_of(&got)), GJL_DONE);
  CHECK_INT_EQ(got, 2);
  for (int64_t base = -12; base <= 12; base++)
    for (int64_t exponent = 0; exponent < 70; exponent++) {
      __extension__ __int128 power = 1;
      bool fits = true;
      for (int64_t i = 0; i < exponent && fits; i++) {
        power *= base;
        fits = power <= INT64_MAX && power >= INT64_MIN;
      }
      CHECK_INT_EQ(gjl_power_int64(base, exponent, address_of(&got)),
                   fits ? GJL_DONE : GJL_OVERFLOW);
      if (fits)
        CHECK_INT_EQ(got, (int64_t)power);
    }
  CHECK_INT_EQ(gjl_power_int64(-1, INT64_MAX, address_of(&got)), GJL_DONE);
  CHECK_INT_EQ(got, -1);
  CHECK_INT_EQ(gjl_power_int64(0, -1, address_of(&got)), GJL_DIVISION);
  CHECK_INT_EQ(gjl_power_int64(-1, -3, address_of(&got)), GJL_DONE);
  CHECK_INT_EQ(got, -1);
  CHECK_INT_EQ(gjl_power_int64(2, INT64_MIN, address_of(&got)), GJL_DONE);
  CHECK_INT_EQ(got, 0);
}

// ---- hashes -------------------------------------------------------------------------------------

// Murmur3 as published, over bytes, with the seed widened as Gandiva widens it.
static int64_t murmur_64(const unsigned char *bytes, int length, int32_t from) {
  uint64_t h1 = (uint64_t)(int64_t)from, h2 = h1, c1 = UINT64_C(0x87c37b91114253d5),
           c2 = UINT64_C(0x4cf5ad432745937f);
  uint64_t k1 = 0, k2 = 0;
  int at = 0;
  for (; at + 16 <= length; at += 16) {
    memcpy(&k1, bytes + at, 8);
    memcpy(&k2, bytes + at + 8, 8);
    k1 *= c1;
    k1 = k1 << 31 | k1 >> 33;
    h1 ^= k1 * c2;
    h1 = (h1 << 27 | h1 >> 37) + h2;
    h1 = h1 * 5 + 0x52dce729;
    k2 *= c2;
    k2 = k2 << 33 | k2 >> 31;
    h2 ^= k2 * c1;
    h2 = (h2 << 31 | h2 >> 33) + h1;
    h2 = h2 * 5 + 0x38495ab5;
  }
  if (at < length) { // eight bytes are left
    memcpy(&k1, bytes + at, 8);
    k1 *= c1;
    k1 = k1 << 31 | k1 >> 33;
    h1 ^= k1 * c2;
  }
  h1 ^= (uint64_t)length;
  h2 ^= (uint64_t)length;
  h1 += h2;
  h2 += h1;
  uint64_t *each[] = {&h1, &h2};
  for (int i = 0; i < 2; i++) {
    *each[i] ^= *each[i] >> 33;
    *each[i] *= UINT64_C(0xff51afd7ed558ccd);
    *each[i] ^= *each[i] >> 33;
    *each[i] *= UINT64_C(0xc4ceb9fe1a85ec53);
    *each[i] ^= *each[i] >> 33;
  }
  return (int64_t)(h1 + h2);
}

static int64_t murmur_32(const unsigned char *bytes, int length, uint64_t from) {
  uint64_t h = from;
  for (int at = 0; at < length; at += 4) {
    uint32_t k;
    memcpy(&k, bytes + at, 4);
    k *= 0xcc9e2d51u;
    k = k << 15 | k >> 17;
    k *= 0x1b873593u;
    h ^= k;
    h = (h << 13 & UINT32_MAX) | h >> 19;
    h = (h * 5 + 0xe6546b64u) & UINT32_MAX;
  }
  uint32_t x = (uint32_t)h ^ (uint32_t)length;
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  x ^= x >> 16;
  return (int32_t)x;
}

static void hashes_are_murmur3_of_the_bytes(void) {
  // The published test vector of Murmur3_32 for four zero bytes with seed 0 ends as this function
  // does.
  CHECK_INT_EQ((uint32_t)murmur_32((const unsigned char[4]){0}, 4, 0), 0x2362f9deu);
  for (int i = 0; i < rounds(20000); i++) {
    uint64_t words[2] = {next_random(), next_random()};
    int64_t from = i % 3 ? (int64_t)next_random() : i;
    const unsigned char *bytes = (const unsigned char *)words;
    CHECK_INT_EQ(gjl_hash64_float64((int64_t)words[0], from), murmur_64(bytes, 8, (int32_t)from));
    CHECK_INT_EQ(gjl_hash32_float64((int64_t)words[0], from), murmur_32(bytes, 8, (uint32_t)from));
    CHECK_INT_EQ(gjl_hash64_decimal(address_of(words), from), murmur_64(bytes, 16, (int32_t)from));
    CHECK_INT_EQ(gjl_hash32_decimal(address_of(words), from),
                 murmur_32(bytes, 16, (uint64_t)(int64_t)(int32_t)from));
  }
}

static void a_hash_for_tables_moves_half_of_the_bits(void) {
  static int flips[64][64];
  memset(flips, 0, sizeof flips);
  enum { KEYS = 4000 };
  for (int64_t key = 0; key < KEYS; key++)
    for (int bit = 0; bit < 64; bit++) {
      uint64_t change = (uint64_t)(gjl_hash_u64(key, 0) ^
                                   gjl_hash_u64((int64_t)((uint64_t)key ^ UINT64_C(1) << bit), 0));
      for (int out = 0; out < 64; out++)
        flips[bit][out] += change >> out & 1;
    }
  int least = KEYS, most = 0;
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++) {
      least = flips[i][j] < least ? flips[i][j] : least;
      most = flips[i][j] > most ? flips[i][j] : most;
    }
  CHECK(least > KEYS * 0.4);
  CHECK(most < KEYS * 0.6);
  CHECK(gjl_hash_u64(1, gjl_hash_u64(2, 0)) != gjl_hash_u64(2, gjl_hash_u64(1, 0)));
}

int main(void) {
  CHECK_RUN(integers_of_every_length_and_type);
  CHECK_RUN(integers_around_the_limits_of_their_types);
  CHECK_RUN(every_byte_in_every_place_of_an_integer);
  CHECK_RUN(hexadecimal_integers_are_bits);
  CHECK_RUN(booleans_are_words_and_nothing_else);
  CHECK_RUN(powers_of_ten_are_cut_exactly);
  CHECK_RUN(floats_from_text_are_those_of_strtod);
  CHECK_RUN(floats_from_random_text);
  CHECK_RUN(floats_half_way_between_two);
  CHECK_RUN(words_for_infinity_and_nan);
  CHECK_RUN(what_is_no_number_is_invalid);
  CHECK_RUN(floats_from_any_bytes);
  CHECK_RUN(integers_to_text_and_back);
  CHECK_RUN(text_that_does_not_fit_takes_nothing);
  CHECK_RUN(booleans_to_text);
  CHECK_RUN(floats_are_laid_out_as_by_gandiva_and_javascript);
  CHECK_RUN(floats_to_text_have_the_fewest_digits);
  CHECK_RUN(floats_to_text_and_back);
  CHECK_RUN(numbers_in_other_bases);
  CHECK_RUN(conv_is_that_of_mysql);
  CHECK_RUN(floats_are_rounded_to_decimal_digits);
  CHECK_RUN(integers_are_rounded_to_decimal_digits);
  CHECK_RUN(division_by_its_sign_rules);
  CHECK_RUN(factorials_divisors_and_powers);
  CHECK_RUN(hashes_are_murmur3_of_the_bytes);
  CHECK_RUN(a_hash_for_tables_moves_half_of_the_bits);
  return check_report();
}
