// One element as text and back, bit for bit.
//
// Digits come from printf and values from strtod, which are correctly rounded in the C libraries in
// use; both depend on the locale's decimal point only, so the point is written and removed here:
// printf's digits are collected around it, and strtod gets all digits as an integer with an
// adjusted exponent.

#include "ops/literal.h"

#include "ops/scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LITERAL = 1200, MAX_EXPONENT = 100000 };

// --- printing ---

// What a decimal means in a float type. f32 has a function of its own; a half is so much shorter
// than a double that rounding twice matters only to decimals that are closer to a tie than a double
// is.
static double read_decimal(gj_dtype dtype, const char *text) {
  return dtype == GJ_DTYPE_f32 ? (double)strtof(text, NULL)
                               : gj__scalar_nearest(dtype, strtod(text, NULL));
}

// The least digits, "d.ddde±xx" without the point, that read back as `value`; returns their
// exponent.
static int shortest_digits(gj_dtype dtype, double value, char *digits) {
  char text[40];
  for (int precision = 1; precision <= 17; precision++) {
    snprintf(text, sizeof text, "%.*e", precision - 1, value);
    if (read_decimal(dtype, text) == value)
      break;
  }
  const char *at = text;
  for (; *at && *at != 'e'; at++)
    if (*at >= '0' && *at <= '9')
      *digits++ = *at;
  *digits = '\0';
  return (int)strtol(at + 1, NULL, 10);
}

static void print_finite(gj_dtype dtype, double value, gj_strbuf *out) {
  char digits[40];
  if (signbit(value))
    gj_strbuf_char(out, '-');
  int exponent = shortest_digits(dtype, fabs(value), digits);
  int count = (int)strlen(digits);
  while (count > 1 && digits[count - 1] == '0')
    count--;
  if (exponent < -5 || exponent > 20) {
    gj_strbuf_char(out, digits[0]);
    if (count > 1)
      gj_strbuf_printf(out, ".%.*s", count - 1, digits + 1);
    gj_strbuf_printf(out, "e%d", exponent);
  } else if (exponent < 0) {
    gj_strbuf_text(out, "0.");
    gj_strbuf_fill(out, '0', (size_t)(-exponent - 1));
    gj_strbuf_bytes(out, digits, (size_t)count);
  } else if (count > exponent + 1) {
    gj_strbuf_printf(out, "%.*s.%.*s", exponent + 1, digits, count - exponent - 1,
                     digits + exponent + 1);
  } else {
    gj_strbuf_bytes(out, digits, (size_t)count);
    gj_strbuf_fill(out, '0', (size_t)(exponent + 1 - count));
    gj_strbuf_text(out, ".0");
  }
}

// The bits of a float type from the sign down to the infinity and to the plain NaN, of `bytes`.
typedef struct nans {
  uint64_t infinity, plain;
  size_t bytes;
} nans;

static nans nans_of(gj_dtype dtype) {
  nans n = {.bytes = gj_dtype_bytes(dtype)};
  gj_scalar_store((gj_scalar){.dtype = dtype, .v.f = INFINITY}, &n.infinity);
  gj_scalar_store((gj_scalar){.dtype = dtype, .v.f = (double)NAN}, &n.plain);
  n.plain &= ~(UINT64_C(1) << (8 * n.bytes - 1));
  return n;
}

static void print_nan(gj_dtype dtype, const void *element, gj_strbuf *out) {
  nans n = nans_of(dtype);
  uint64_t bits = 0;
  memcpy(&bits, element, n.bytes); // little-endian, as all hosts are
  gj_strbuf_text(out, "nan");
  if (bits != n.plain)
    gj_strbuf_printf(out, "(0x%0*llx)", (int)(2 * n.bytes), (unsigned long long)bits);
}

void gj__literal_print(gj_dtype dtype, const void *element, gj_strbuf *out) {
  gj_scalar s = gj_scalar_load(dtype, element);
  switch ((gj_dtype_kind)gj_dtype_get(dtype)->kind) {
  case GJ_KIND_NONE:
    break;
  case GJ_KIND_BOOL:
    gj_strbuf_text(out, s.v.u ? "true" : "false");
    break;
  case GJ_KIND_UINT:
    gj_strbuf_printf(out, "%llu", (unsigned long long)s.v.u);
    break;
  case GJ_KIND_INT:
    gj_strbuf_printf(out, "%lld", (long long)s.v.i);
    break;
  case GJ_KIND_FLOAT:
    if (isnan(s.v.f))
      print_nan(dtype, element, out);
    else if (isinf(s.v.f))
      gj_strbuf_text(out, s.v.f < 0 ? "-inf" : "inf");
    else
      print_finite(dtype, s.v.f, out);
    break;
  }
}

// --- parsing ---

typedef struct literal {
  gj_dtype dtype;
  const char *text;
  size_t length;
  gj_error *err;
} literal;

static gj_status refuse(const literal *l, const char *what) {
  int shown = l->length < 60 ? (int)l->length : 60;
  return gj_fail(l->err, GJ_E_PARSE, "'%.*s' %s", shown, l->text, what);
}

static gj_status fail_range(const literal *l) {
  gj_strbuf what = {0};
  gj_strbuf_printf(&what, "is out of range for %s", gj_dtype_name(l->dtype));
  gj_status status = refuse(l, gj_strbuf_peek(&what));
  gj_strbuf_fini(&what);
  return status;
}

static gj_status fail_form(const literal *l) {
  int shown = l->length < 60 ? (int)l->length : 60;
  const char *name = gj_dtype_name(l->dtype);
  return gj_fail(l->err, GJ_E_PARSE, "expected a value of %s, got '%.*s'", name, shown, l->text);
}

static bool is(const literal *l, const char *text) {
  return l->length == strlen(text) && memcmp(l->text, text, l->length) == 0;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static gj_status parse_integer(const literal *l, void *element) {
  const char *at = l->text, *end = l->text + l->length;
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+'))
    at++;
  if (at == end)
    return fail_form(l);
  uint64_t limit =
      negative ? 0 - (uint64_t)gj__scalar_least(l->dtype) : gj__scalar_greatest(l->dtype);
  uint64_t value = 0;
  bool fits = true;
  for (; at < end; at++) {
    if (!is_digit(*at))
      return fail_form(l);
    uint64_t digit = (uint64_t)(*at - '0');
    fits = fits && value <= (UINT64_MAX - digit) / 10;
    value = fits ? value * 10 + digit : value;
  }
  if (!fits || value > limit)
    return fail_range(l);
  gj_scalar s = {.dtype = l->dtype, .v.u = negative ? 0 - value : value};
  gj_scalar_store(s, element);
  return GJ_OK;
}

static gj_status parse_bool(const literal *l, void *element) {
  bool value = is(l, "true");
  if (!value && !is(l, "false"))
    return parse_integer(l, element);
  gj_scalar_store((gj_scalar){.dtype = GJ_DTYPE_bool, .v.u = value}, element);
  return GJ_OK;
}

// nan(0x…) with any number of digits that fits, as long as the bits are those of a NaN.
static gj_status parse_nan(const literal *l, void *element) {
  const char *at = l->text + strlen("nan(0x"), *end = l->text + l->length - 1;
  uint64_t bits = 0;
  if (l->length < strlen("nan(0x0)") || memcmp(l->text, "nan(0x", 6) != 0 || *end != ')')
    return fail_form(l);
  for (; at < end; at++) {
    char c = *at;
    unsigned digit = is_digit(c)            ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                            : 16;
    if (digit == 16 || bits >> 60 != 0)
      return fail_form(l);
    bits = bits << 4 | digit;
  }
  nans n = nans_of(l->dtype);
  uint64_t sign = UINT64_C(1) << (8 * n.bytes - 1);
  if (bits > (sign | (sign - 1)) || (bits & (sign - 1)) <= n.infinity)
    return refuse(l, "has not the bits of a NaN");
  memcpy(element, &bits, n.bytes);
  return GJ_OK;
}

// Digits with an optional point into `out` without the point; moves *at behind them. Returns the
// number of digits behind the point, -1 when there are no digits.
static int copy_digits(const char **at, const char *end, char **out) {
  int digits = 0, behind = 0;
  bool point = false;
  for (; *at < end && (is_digit(**at) || (**at == '.' && !point)); ++*at) {
    if (**at == '.') {
      point = true;
      continue;
    }
    *(*out)++ = **at;
    digits++;
    behind += point;
  }
  return digits > 0 ? behind : -1;
}

// "12.5e3" as "125e2".
static gj_status rewrite_decimal(const literal *l, char *out) {
  const char *at = l->text, *end = l->text + l->length;
  if (*at == '-')
    *out++ = '-';
  if (*at == '-' || *at == '+')
    at++;
  int behind = copy_digits(&at, end, &out);
  if (behind < 0)
    return fail_form(l);
  int exponent = 0;
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
      at++;
    if (at == end)
      return fail_form(l);
    for (; at < end && is_digit(*at); at++)
      if (exponent < MAX_EXPONENT) // beyond it every literal of this length is 0 or infinite
        exponent = exponent * 10 + (*at - '0');
    exponent = negative ? -exponent : exponent;
  }
  if (at != end)
    return fail_form(l);
  snprintf(out, 16, "e%d", exponent - behind);
  return GJ_OK;
}

static gj_status parse_float(const literal *l, void *element) {
  gj_scalar s = {.dtype = l->dtype};
  if (is(l, "inf") || is(l, "-inf")) {
    s.v.f = l->text[0] == '-' ? -INFINITY : INFINITY;
  } else if (is(l, "nan")) {
    nans n = nans_of(l->dtype);
    memcpy(element, &n.plain, n.bytes);
    return GJ_OK;
  } else if (l->length > 0 && l->text[0] == 'n') {
    return parse_nan(l, element);
  } else {
    char decimal[MAX_LITERAL + 32];
    GJ_TRY(rewrite_decimal(l, decimal));
    s.v.f = read_decimal(l->dtype, decimal);
    if (isinf(s.v.f))
      return fail_range(l);
  }
  gj_scalar_store(s, element);
  return GJ_OK;
}

gj_status gj__literal_parse(gj_dtype dtype, const char *text, size_t length, void *element,
                            gj_error *err) {
  literal l = {dtype, text, length, err};
  if (length == 0)
    return gj_fail(err, GJ_E_PARSE, "expected a value of %s, got nothing", gj_dtype_name(dtype));
  if (length > MAX_LITERAL)
    return gj_fail(err, GJ_E_PARSE, "expected a value of at most %d characters, got %zu",
                   MAX_LITERAL, length);
  if (dtype == GJ_DTYPE_bool)
    return parse_bool(&l, element);
  return gj_dtype_is_float(dtype) ? parse_float(&l, element) : parse_integer(&l, element);
}
