// Calendar arithmetic that the functions of dates share; dates.def lists those that kernels call.
//
// Everything is floor arithmetic on the proleptic Gregorian calendar with a year 0, right for every
// int64_t. A date is a number of days since 1970-01-01; a timestamp a number of units since then,
// of which a second has `per_second`: 1, 1000, 1000000 or 1000000000. Kernels pass that and other
// sizes as constants, and after inlining the divisions are by constants. What does not fit is
// GJL_OVERFLOW. A size that makes no sense counts as 1, so no input divides by zero.
//
// `zone` and `count` are a table of a time zone (zones.h), and `count` 0 is UTC and no table at
// all: then a timestamp is an instant and has its fields in local time.
//
// No 128-bit products and quotients here, nor the overflow builtins for products: in wasm32 they
// are calls of a runtime.
#ifndef GJ_LIBRARY_DATES_H
#define GJ_LIBRARY_DATES_H

#include "library/library.h"

enum {
  GJL_DAY_SECONDS = 86400,
  GJL_ERA_DAYS = 146097, // of 400 years, after which the calendar repeats
  GJL_SECOND_NANOSECONDS = 1000000000
};

// No instant of any unit is farther from 1970 than this many days, nor in a year beyond this one.
#define GJL_MAX_DAYS (INT64_MAX / GJL_DAY_SECONDS)
#define GJL_MAX_YEAR INT64_C(292277026596)

// A day of the calendar: month 1 … 12, day 1 … 31, and the day of the year that starts in March,
// from 0.
typedef struct gjl_civil {
  int64_t year;
  int32_t month, day, march_day;
} gjl_civil;

// Where a timestamp is in local time.
typedef struct gjl_moment {
  int64_t days, rest; // `rest` are units since midnight
} gjl_moment;

static inline int64_t gjl_size(int64_t size) { return size < 1 ? 1 : size; }
static inline int64_t gjl_floor(int64_t a, int64_t size) { return a / size - (a % size < 0); }
static inline int64_t gjl_rest(int64_t a, int64_t size) {
  return a % size + (a % size < 0 ? size : 0);
}

static inline int64_t gjl_units(int64_t per_second) {
  return per_second < 1 || per_second > GJL_SECOND_NANOSECONDS ? 1 : per_second;
}

static inline bool gjl_sum(int64_t a, int64_t b, int64_t *out) {
  return !__builtin_add_overflow(a, b, out);
}

// `size` is positive.
static inline bool gjl_product(int64_t a, int64_t size, int64_t *out) {
  if (a > INT64_MAX / size || a < INT64_MIN / size)
    return false;
  *out = a * size;
  return true;
}

static inline int64_t gjl_put(int64_t out, int64_t value) {
  *(int64_t *)(uintptr_t)out = value;
  return GJL_DONE;
}

static inline int64_t gjl_put32(int64_t out, int64_t value) {
  return value == (int32_t)value ? gjl_put(out, value) : GJL_OVERFLOW;
}

// Days since the first of March of year 0, as eras and days of the era. `days` itself may be near
// the end of its type.
static inline int64_t gjl_era(int64_t days, uint32_t *day) {
  uint32_t rest =
      (uint32_t)gjl_rest(days, GJL_ERA_DAYS) + 135080; // 719468 = 4 eras and 135080 days
  uint32_t over = rest >= GJL_ERA_DAYS;
  *day = rest - (over ? GJL_ERA_DAYS : 0);
  return gjl_floor(days, GJL_ERA_DAYS) + 4 + over;
}

// Without a branch, after C. Neri and L. Schneider, "Euclidean affine functions and their
// application to calendar algorithms": years of a century by one product, of which the upper half
// is the year and the lower one the day.
static inline gjl_civil gjl_civil_of(int64_t days) {
  uint32_t era_day;
  int64_t era = gjl_era(days, &era_day);
  uint32_t quarters = 4 * era_day + 3;
  uint32_t century = quarters / GJL_ERA_DAYS;
  uint64_t product = UINT64_C(2939745) * (quarters % GJL_ERA_DAYS / 4 * 4 + 3);
  uint32_t march_day = (uint32_t)product / 2939745 / 4;
  uint32_t mixed = 2141 * march_day + 197913;
  uint32_t month = mixed >> 16, next = march_day >= 306;
  return (gjl_civil){.year = 400 * era + 100 * century + (int64_t)(product >> 32) + next,
                     .month = (int32_t)(month - (next ? 12 : 0)),
                     .day = (int32_t)((mixed & 0xffff) / 2141 + 1),
                     .march_day = (int32_t)march_day};
}

// Of a year within 1e15 and a month 1 … 12; the day may be any of an int32_t.
static inline int64_t gjl_days_of(int64_t year, int64_t month, int64_t day) {
  int64_t y = year - (month <= 2), era = gjl_floor(y, 400);
  uint32_t of_era = (uint32_t)(y - era * 400), m = (uint32_t)month + (month <= 2 ? 12 : 0);
  uint32_t days = of_era * 365 + of_era / 4 - of_era / 100 + (979 * m - 2919) / 32;
  return era * GJL_ERA_DAYS + days + day - 1 - 719468;
}

static inline bool gjl_leaps(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static inline int64_t gjl_month_days(int64_t year, int64_t month) {
  return month == 2 ? 28 + gjl_leaps(year) : 30 + ((month + (month >> 3)) & 1);
}

// The seconds from UTC to local time at an instant, and at a local time (zones.h); 0 without a
// table.
static inline int64_t gjl_shift_at(int64_t t, int64_t per_second, int64_t zone, int64_t count) {
  return count > 0 ? gjl_zone_offset(gjl_floor(t, per_second), zone, count) * per_second : 0;
}

static inline gjl_moment gjl_moment_of(int64_t t, int64_t per_second, int64_t zone, int64_t count) {
  int64_t units = gjl_units(per_second), day = units * GJL_DAY_SECONDS;
  int64_t rest = gjl_rest(t, day) + gjl_shift_at(t, units, zone, count);
  return (gjl_moment){.days = gjl_floor(t, day) + gjl_floor(rest, day),
                      .rest = gjl_rest(rest, day)};
}

// The instant; `rest` may be of other days, up to ± 2^62.
static inline bool gjl_instant_of(gjl_moment local, int64_t per_second, int64_t zone, int64_t count,
                                  int64_t *out) {
  int64_t units = gjl_units(per_second), day = units * GJL_DAY_SECONDS;
  int64_t days, rest = gjl_rest(local.rest, day);
  if (!gjl_sum(local.days, gjl_floor(local.rest, day), &days) || days > GJL_MAX_DAYS ||
      days < -GJL_MAX_DAYS - 1)
    return false;
  if (count > 0) {
    // Zones know nothing of the far past, and repeat themselves with the calendar in the far
    // future.
    const int64_t far = 10 * GJL_ERA_DAYS;
    int64_t near = days > far ? far + gjl_rest(days, GJL_ERA_DAYS) : days < -far ? -far : days;
    rest -= gjl_zone_local_offset(near * GJL_DAY_SECONDS + rest / units, zone, count) * units;
    days += gjl_floor(rest, day);
    rest = gjl_rest(rest, day);
  }
  // The first day of the range is not whole, and its midnight is no int64_t.
  if (days < 0)
    return gjl_product(days + 1, day, out) && gjl_sum(*out, rest - day, out);
  return gjl_product(days, day, out) && gjl_sum(*out, rest, out);
}

// Moves by months and keeps to the end of a shorter month.
static inline bool gjl_shift_months(int64_t *days, int64_t months) {
  const int64_t limit = 12 * 2 * GJL_MAX_YEAR;
  gjl_civil at = gjl_civil_of(*days);
  if (at.year > GJL_MAX_YEAR || at.year < -GJL_MAX_YEAR || months > limit || months < -limit)
    return false;
  int64_t index = at.year * 12 + at.month - 1 + months;
  int64_t year = gjl_floor(index, 12), month = gjl_rest(index, 12) + 1,
          last = gjl_month_days(year, month);
  *days = gjl_days_of(year, month, at.day < last ? at.day : last);
  return true;
}

// The day of the year from 0.
static inline int32_t gjl_year_day(gjl_civil at) {
  return at.month <= 2 ? at.march_day - 306 : at.march_day + 59 + gjl_leaps(at.year);
}

// The first day of the group of months that `days` is in; groups of `months` start `origin` months
// after year 0. Months and years are the most asked for and take no way back to days.
static inline int64_t gjl_first_of_months(int64_t days, int64_t months, int64_t origin) {
  gjl_civil at = gjl_civil_of(days);
  int64_t size = gjl_size(months), index = at.year * 12 + at.month - 1;
  if (size == 1)
    return days - (at.day - 1);
  if (size == 12 && origin == 0)
    return days - gjl_year_day(at);
  index -= gjl_rest(gjl_rest(index, size) - gjl_rest(origin, size), size);
  return gjl_days_of(gjl_floor(index, 12), gjl_rest(index, 12) + 1, 1);
}

#endif
