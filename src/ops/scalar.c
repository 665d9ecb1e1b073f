// One element of any dtype: reading, writing, comparing, and conversions from JS numbers.
//
// f32 and half values travel as doubles. NaNs are widened and narrowed by moving bits, since a
// conversion in hardware would make a signalling NaN quiet and a bitcast there and back would not
// be the identity.

#include "ops/scalar.h"
#include "ops/half.h"

#include <math.h>
#include <string.h>

static double widen(float value) {
  uint32_t narrow;
  memcpy(&narrow, &value, sizeof narrow);
  if ((narrow & 0x7FFFFFFFu) <= 0x7F800000u)
    return value;
  uint64_t wide =
      (uint64_t)(narrow >> 31) << 63 | UINT64_C(0x7FF) << 52 | (uint64_t)(narrow & 0x7FFFFFu) << 29;
  double result;
  memcpy(&result, &wide, sizeof result);
  return result;
}

static float narrow(double value) {
  if (!isnan(value))
    return (float)value;
  uint64_t wide;
  memcpy(&wide, &value, sizeof wide);
  uint32_t payload = (uint32_t)(wide >> 29) & 0x7FFFFFu;
  // A payload that sits in the dropped bits alone would turn the NaN into an infinity.
  uint32_t bits = (uint32_t)(wide >> 63) << 31 | 0x7F800000u | (payload ? payload : 0x400000u);
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

gj_scalar gj_scalar_load(gj_dtype dtype, const void *element) {
  gj_scalar s = {.dtype = dtype};
  const gj_dtype_info *info = gj_dtype_get(dtype);
  if (dtype == GJ_DTYPE_f64) {
    memcpy(&s.v.f, element, sizeof s.v.f);
  } else if (dtype == GJ_DTYPE_f32) {
    float f;
    memcpy(&f, element, sizeof f);
    s.v.f = widen(f);
  } else {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    switch (info->bytes) {
    case 1:
      memcpy(&u8, element, sizeof u8);
      // A byte from outside may hold any value; as in C and in generated code, not 0 means true.
      s.v.u = info->kind == GJ_KIND_BOOL ? u8 != 0 : u8;
      break;
    case 2:
      memcpy(&u16, element, sizeof u16);
      if (info->kind == GJ_KIND_FLOAT) {
        s.v.f = gj__half_value(dtype, u16);
        return s;
      }
      s.v.u = u16;
      break;
    case 4:
      memcpy(&u32, element, sizeof u32);
      s.v.u = u32;
      break;
    default:
      memcpy(&s.v.u, element, sizeof s.v.u);
    }
    s.v.u = gj__scalar_wrap(dtype, s.v.u);
  }
  return s;
}

void gj_scalar_store(gj_scalar value, void *element) {
  if (value.dtype == GJ_DTYPE_f64) {
    memcpy(element, &value.v.f, sizeof value.v.f);
  } else if (value.dtype == GJ_DTYPE_f32) {
    float f = narrow(value.v.f);
    memcpy(element, &f, sizeof f);
  } else {
    bool half = gj_dtype_is_half(value.dtype);
    uint8_t u8 = (uint8_t)value.v.u;
    uint16_t u16 = half ? gj__half_bits(value.dtype, value.v.f) : (uint16_t)value.v.u;
    uint32_t u32 = (uint32_t)value.v.u;
    switch (gj_dtype_bytes(value.dtype)) {
    case 1:
      memcpy(element, &u8, sizeof u8);
      break;
    case 2:
      memcpy(element, &u16, sizeof u16);
      break;
    case 4:
      memcpy(element, &u32, sizeof u32);
      break;
    default:
      memcpy(element, &value.v.u, sizeof value.v.u);
    }
  }
}

uint64_t gj__scalar_wrap(gj_dtype dtype, uint64_t bits) {
  const gj_dtype_info *info = gj_dtype_get(dtype);
  if (info->kind == GJ_KIND_BOOL)
    return bits & 1;
  if (info->bits >= 64 || info->bits == 0)
    return bits;
  uint64_t mask = (UINT64_C(1) << info->bits) - 1;
  bool negative = info->kind == GJ_KIND_INT && (bits >> (info->bits - 1) & 1);
  return negative ? bits | ~mask : bits & mask;
}

int64_t gj__scalar_least(gj_dtype dtype) {
  const gj_dtype_info *info = gj_dtype_get(dtype);
  return info->kind == GJ_KIND_INT ? INT64_MIN >> (64 - info->bits) : 0;
}

uint64_t gj__scalar_greatest(gj_dtype dtype) {
  const gj_dtype_info *info = gj_dtype_get(dtype);
  if (info->kind == GJ_KIND_BOOL)
    return 1;
  return info->kind == GJ_KIND_INT ? (uint64_t)INT64_MAX >> (64 - info->bits)
                                   : UINT64_MAX >> (64 - info->bits);
}

bool gj_scalar_same_bits(gj_scalar a, gj_scalar b) {
  if (a.dtype != b.dtype)
    return false;
  if (gj_dtype_is_float(a.dtype) && isnan(a.v.f) && isnan(b.v.f))
    return true;
  return a.v.u == b.v.u;
}

double gj__scalar_nearest(gj_dtype dtype, double value) {
  if (gj_dtype_is_half(dtype))
    return gj__half_value(dtype, gj__half_bits(dtype, value));
  return dtype == GJ_DTYPE_f32 ? widen(narrow(value)) : value;
}

double gj__scalar_result(gj_dtype dtype, double value) {
  value = gj__scalar_nearest((gj_dtype)gj_dtype_get(dtype)->computed, value);
  return gj__scalar_nearest(dtype, value);
}

bool gj_scalar_from_double(gj_dtype dtype, double value, gj_scalar *out) {
  gj_scalar s = {.dtype = dtype};
  const gj_dtype_info *info = gj_dtype_get(dtype);
  if (info->kind == GJ_KIND_FLOAT) {
    s.v.f = gj__scalar_nearest(dtype, value);
    *out = s;
    return true;
  }
  if (info->kind == GJ_KIND_NONE || !(trunc(value) == value))
    return false;
  // The limits are compared as powers of two, which doubles hold exactly.
  bool is_signed = info->kind == GJ_KIND_INT;
  double limit = info->kind == GJ_KIND_BOOL ? 2 : ldexp(1, info->bits - is_signed);
  if (value >= limit || value < (is_signed ? -limit : 0))
    return false;
  if (is_signed)
    s.v.i = (int64_t)value;
  else
    s.v.u = (uint64_t)value;
  *out = s;
  return true;
}

gj_scalar gj_scalar_start(gj_start start, gj_dtype dtype) {
  gj_scalar s = {.dtype = dtype};
  bool is_float = gj_dtype_is_float(dtype);
  switch (start) {
  case GJ_START_NONE:
  case GJ_START_ZERO:
    break;
  case GJ_START_ONE:
    if (is_float)
      s.v.f = 1;
    else
      s.v.i = 1;
    break;
  case GJ_START_ONES:
    s.v.u = gj__scalar_wrap(dtype, UINT64_MAX);
    break;
  case GJ_START_LEAST:
    if (is_float)
      s.v.f = -INFINITY;
    else
      s.v.i = gj__scalar_least(dtype);
    break;
  case GJ_START_GREATEST:
    if (is_float)
      s.v.f = INFINITY;
    else
      s.v.u = gj__scalar_greatest(dtype);
    break;
  }
  return s;
}
