// One element as text and back, bit for bit.
//
// Digits come from printf and values from strtod, which are correctly rounded in the C libraries in
// use; both depend on the locale's decimal point only, so the point is written and removed here:
// printf's digits are collected around it, and strtod gets all digits as an integer with an
// adjusted exponent.

#include "ir/literal.h"

#include "ir/scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LITERAL = 1200, MAX_EXPONENT = 100000 };

// --- printing ---

// The least digits, "d.ddde±xx" without the point, that read back as `value`; returns their
// exponent.
static int shortest_digits(double value, bool narrow, char *digits) {
  char text[40];
  for (int precision = 1; precision <= 17; precision++) {
    snprintf(text, sizeof text, "%.*e", precision - 1, value);
    if (narrow ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
      break;
  }
  const char *at = text;
  for (; *at && *at != 'e'; at++)
    if (*at >= '0' && *at <= '9')
      *digits++ = *at;
  *digits = '\0';
  return (int)strtol(at + 1, NULL, 10);
}

static void print_finite(double value, bool narrow, gj_strbuf *out) {
  char digits[40];
  if (signbit(value))
    gj_strbuf_char(out, '-');
  int exponent = shortest_digits(fabs(value), narrow, digits);
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

// The bits of a float element, for its NaN payload.
static uint64_t float_bits(gj_dtype dtype, const void *element) {
  uint64_t wide;
  uint32_t narrow;
  if (dtype == GJ_DTYPE_f64) {
    memcpy(&wide, element, sizeof wide);
    return wide;
  }
  memcpy(&narrow, element, sizeof narrow);
  return narrow;
}

static void print_nan(gj_dtype dtype, uint64_t bits, gj_strbuf *out) {
  bool wide = dtype == GJ_DTYPE_f64;
  gj_strbuf_text(out, "nan");
  if (bits != (wide ? UINT64_C(0x7FF8000000000000) : UINT64_C(0x7FC00000)))
    gj_strbuf_printf(out, "(0x%0*llx)", wide ? 16 : 8, (unsigned long long)bits);
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
      print_nan(dtype, float_bits(dtype, element), out);
    else if (isinf(s.v.f))
      gj_strbuf_text(out, s.v.f < 0 ? "-inf" : "inf");
    else
      print_finite(s.v.f, dtype == GJ_DTYPE_f32, out);
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

static gj_status fail(const literal *l, const char *what) {
  int shown = l->length < 60 ? (int)l->length : 60;
  return gj_fail(l->err, GJ_E_PARSE, "'%.*s' %s", shown, l->text, what);
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
  if (!fits || value > limit) {
    gj_strbuf what = {0};
    gj_strbuf_printf(&what, "is out of range for %s", gj_dtype_name(l->dtype));
    gj_status status = fail(l, gj_strbuf_peek(&what));
    gj_strbuf_fini(&what);
    return status;
  }
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
  uint32_t narrow = (uint32_t)bits;
  bool wide = l->dtype == GJ_DTYPE_f64;
  bool is_nan = wide ? (bits & INT64_MAX) > UINT64_C(0x7FF0000000000000)
                     : bits <= UINT32_MAX && (bits & INT32_MAX) > 0x7F800000u;
  if (!is_nan)
    return fail(l, "has not the bits of a NaN");
  memcpy(element, wide ? (const void *)&bits : (const void *)&narrow, wide ? 8 : 4);
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
  bool narrow = l->dtype == GJ_DTYPE_f32;
  gj_scalar s = {.dtype = l->dtype};
  if (is(l, "inf") || is(l, "-inf")) {
    s.v.f = l->text[0] == '-' ? -INFINITY : INFINITY;
  } else if (is(l, "nan")) {
    uint64_t wide_bits = UINT64_C(0x7FF8000000000000);
    uint32_t narrow_bits = 0x7FC00000u;
    memcpy(element, narrow ? (const void *)&narrow_bits : (const void *)&wide_bits, narrow ? 4 : 8);
    return GJ_OK;
  } else if (l->length > 0 && l->text[0] == 'n') {
    return parse_nan(l, element);
  } else {
    char decimal[MAX_LITERAL + 32];
    GJ_TRY(rewrite_decimal(l, decimal));
    s.v.f = narrow ? (double)strtof(decimal, NULL) : strtod(decimal, NULL);
    if (isinf(s.v.f))
      return fail(l, narrow ? "is out of range for f32" : "is out of range for f64");
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
  if (!gj_dtype_get(dtype)->ready)
    return gj_fail(err, GJ_E_UNSUPPORTED, "dtype %s is not supported by this version",
                   gj_dtype_name(dtype));
  if (dtype == GJ_DTYPE_bool)
    return parse_bool(&l, element);
  return gj_dtype_is_float(dtype) ? parse_float(&l, element) : parse_integer(&l, element);
}
