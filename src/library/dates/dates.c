// Fields, truncation, differences and arithmetic of dates, timestamps and intervals; see dates.h.

#include "library/dates/zones.h"

// ---- fields of a date ----

int64_t gjl_year_of_days(int64_t days) { return gjl_civil_of(days).year; }
int64_t gjl_month_of_days(int64_t days) { return gjl_civil_of(days).month; }
int64_t gjl_day_of_days(int64_t days) { return gjl_civil_of(days).day; }
int64_t gjl_quarter_of_days(int64_t days) { return (gjl_civil_of(days).month + 2) / 3; }

int64_t gjl_doy_of_days(int64_t days) { return gjl_year_day(gjl_civil_of(days)) + 1; }

// 1970 began on a Thursday.
int64_t gjl_dow_of_days(int64_t days) { return (gjl_rest(days, 7) + 4) % 7; }
int64_t gjl_isodow_of_days(int64_t days) { return (gjl_rest(days, 7) + 3) % 7 + 1; }

// A week is of the year that its Thursday is in, and numbered by the Thursdays before it.
static gjl_civil thursday_of(int64_t days) {
  int64_t weekday = gjl_isodow_of_days(days), thursday;
  // Next to the ends of int64_t, which no type reaches, the day itself has to do.
  return gjl_civil_of(gjl_sum(days, 4 - weekday, &thursday) ? thursday : days);
}

int64_t gjl_isoyear_of_days(int64_t days) { return thursday_of(days).year; }

int64_t gjl_week_of_days(int64_t days) { return gjl_year_day(thursday_of(days)) / 7 + 1; }

int64_t gjl_decade_of_days(int64_t days) { return gjl_floor(gjl_civil_of(days).year, 10); }
int64_t gjl_century_of_days(int64_t days) {
  return gjl_floor(gjl_civil_of(days).year - 1, 100) + 1;
}
int64_t gjl_millennium_of_days(int64_t days) {
  return gjl_floor(gjl_civil_of(days).year - 1, 1000) + 1;
}

// ---- fields of a timestamp, a time or a duration ----

int64_t gjl_time_div(int64_t t, int64_t size) { return gjl_floor(t, gjl_size(size)); }
int64_t gjl_time_mod(int64_t t, int64_t size) { return gjl_rest(t, gjl_size(size)); }

int64_t gjl_time_subsecond(int64_t t, int64_t per_second, int64_t target) {
  int64_t from = gjl_units(per_second), to = gjl_units(target), rest = gjl_rest(t, from);
  return from <= to ? rest * (to / from) : rest / (from / to);
}

int64_t gjl_local_days(int64_t t, int64_t per_second, int64_t zone, int64_t count) {
  return gjl_moment_of(t, per_second, zone, count).days;
}

int64_t gjl_local_time(int64_t t, int64_t per_second, int64_t zone, int64_t count) {
  return gjl_moment_of(t, per_second, zone, count).rest;
}

// ---- conversions ----

int64_t gjl_time_rescale(int64_t t, int64_t times, int64_t by, int64_t out) {
  int64_t value = 0;
  if (!gjl_product(gjl_floor(t, gjl_size(by)), gjl_size(times), &value))
    return GJL_OVERFLOW;
  return gjl_put(out, value);
}

int64_t gjl_to_local(int64_t t, int64_t per_second, int64_t zone, int64_t count, int64_t out) {
  int64_t value = 0;
  if (!gjl_instant_of(gjl_moment_of(t, per_second, zone, count), per_second, 0, 0, &value))
    return GJL_OVERFLOW;
  return gjl_put(out, value);
}

int64_t gjl_to_utc(int64_t t, int64_t per_second, int64_t zone, int64_t count, int64_t out) {
  int64_t value = 0;
  if (!gjl_instant_of(gjl_moment_of(t, per_second, 0, 0), per_second, zone, count, &value))
    return GJL_OVERFLOW;
  return gjl_put(out, value);
}

int64_t gjl_to_date(int64_t t, int64_t per_second, int64_t zone, int64_t count, int64_t out) {
  return gjl_put32(out, gjl_local_days(t, per_second, zone, count));
}

int64_t gjl_make_timestamp(int64_t days, int64_t time, int64_t per_second, int64_t zone,
                           int64_t count, int64_t out) {
  int64_t value = 0;
  if (!gjl_instant_of((gjl_moment){days, time}, per_second, zone, count, &value))
    return GJL_OVERFLOW;
  return gjl_put(out, value);
}

int64_t gjl_make_date(int64_t year, int64_t month, int64_t day, int64_t out) {
  if (month < 1 || month > 12 || day < 1 || day > 31)
    return GJL_INVALID;
  if (year > GJL_MAX_YEAR || year < -GJL_MAX_YEAR)
    return GJL_OVERFLOW;
  return day > gjl_month_days(year, month) ? GJL_INVALID
                                           : gjl_put32(out, gjl_days_of(year, month, day));
}

int64_t gjl_make_time(int64_t hour, int64_t minute, int64_t second, int64_t per_second,
                      int64_t out) {
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59)
    return GJL_INVALID;
  return gjl_put(out, (hour * 3600 + minute * 60 + second) * gjl_units(per_second));
}

// A number becomes the time of that many units after midnight, any day's; negative ones are
// midnight (as in Gandiva).
int64_t gjl_time_of_int(int64_t value, int64_t per_second) {
  return value < 0 ? 0 : value % (gjl_units(per_second) * GJL_DAY_SECONDS);
}

static int64_t truncated(double units, int64_t out) {
  if (units != units)
    return GJL_INVALID;
  if (units >= 0x1p63 || units < -0x1p63)
    return GJL_OVERFLOW;
  return gjl_put(out, (int64_t)units);
}

int64_t gjl_timestamp_of_f64(int64_t bits, int64_t per_second, int64_t out) {
  double seconds;
  __builtin_memcpy(&seconds, &bits, sizeof seconds);
  return truncated(seconds * (double)gjl_units(per_second), out);
}

// In the precision of the number: 3601.4 becomes 3601400 thousandths.
int64_t gjl_timestamp_of_f32(int64_t bits, int64_t per_second, int64_t out) {
  float seconds;
  int32_t low = (int32_t)bits;
  __builtin_memcpy(&seconds, &low, sizeof seconds);
  float units = seconds * (float)gjl_units(per_second);
  return truncated((double)units, out);
}

// ---- truncation ----

int64_t gjl_trunc(int64_t t, int64_t size, int64_t origin, int64_t per_second, int64_t zone,
                  int64_t count, int64_t out) {
  int64_t units = gjl_units(per_second), day = units * GJL_DAY_SECONDS, step = gjl_size(size),
          value = 0;
  if (count > 0 && step % day == 0) {
    int64_t days = gjl_local_days(t, per_second, zone, count);
    days -= gjl_rest(gjl_rest(days, step / day) - gjl_rest(gjl_floor(origin, day), step / day),
                     step / day);
    if (!gjl_instant_of((gjl_moment){days, 0}, per_second, zone, count, &value))
      return GJL_OVERFLOW;
    return gjl_put(out, value);
  }
  // Within a day the offset stays that of the instant, so that the second 01:30 of a day is of the
  // second 01:00.
  int64_t turn =
      gjl_rest(gjl_rest(gjl_shift_at(t, units, zone, count), step) - gjl_rest(origin, step), step);
  int64_t at = gjl_rest(t, step) - (step - turn);
  return gjl_sum(t, -(at < 0 ? at + step : at), &value) ? gjl_put(out, value) : GJL_OVERFLOW;
}

int64_t gjl_trunc_months(int64_t t, int64_t months, int64_t origin, int64_t per_second,
                         int64_t zone, int64_t count, int64_t out) {
  gjl_moment local = {
      gjl_first_of_months(gjl_local_days(t, per_second, zone, count), months, origin), 0};
  int64_t value = 0;
  return gjl_instant_of(local, per_second, zone, count, &value) ? gjl_put(out, value)
                                                                : GJL_OVERFLOW;
}

int64_t gjl_date_trunc(int64_t days, int64_t size, int64_t origin, int64_t out) {
  int64_t step = gjl_size(size), value,
          at = gjl_rest(gjl_rest(days, step) - gjl_rest(origin, step), step);
  return gjl_sum(days, -at, &value) ? gjl_put32(out, value) : GJL_OVERFLOW;
}

int64_t gjl_date_trunc_months(int64_t days, int64_t months, int64_t origin, int64_t out) {
  if (days != (int32_t)days)
    return GJL_OVERFLOW;
  return gjl_put32(out, gjl_first_of_months(days, months, origin));
}

int64_t gjl_last_day(int64_t days, int64_t out) {
  gjl_civil at = gjl_civil_of(days);
  int64_t value = 0;
  return gjl_sum(days, gjl_month_days(at.year, at.month) - at.day, &value) ? gjl_put32(out, value)
                                                                           : GJL_OVERFLOW;
}

int64_t gjl_next_day(int64_t days, int64_t dow, int64_t out) {
  int64_t value = 0, after = gjl_rest(gjl_rest(dow, 7) - gjl_dow_of_days(days) - 1, 7) + 1;
  return gjl_sum(days, after, &value) ? gjl_put32(out, value) : GJL_OVERFLOW;
}

// ---- addition ----

int64_t gjl_date_add(int64_t days, int64_t n, int64_t size, int64_t out) {
  int64_t value = 0;
  if (!gjl_product(n, gjl_size(size), &value) || !gjl_sum(days, value, &value))
    return GJL_OVERFLOW;
  return gjl_put32(out, value);
}

int64_t gjl_date_add_months(int64_t days, int64_t n, int64_t times, int64_t out) {
  int64_t months, value = days;
  if (!gjl_product(n, gjl_size(times), &months) || !gjl_shift_months(&value, months))
    return GJL_OVERFLOW;
  return gjl_put32(out, value);
}

int64_t gjl_time_add(int64_t t, int64_t n, int64_t size, int64_t out) {
  int64_t value = 0;
  if (!gjl_product(n, gjl_size(size), &value) || !gjl_sum(t, value, &value))
    return GJL_OVERFLOW;
  return gjl_put(out, value);
}

int64_t gjl_add_days(int64_t t, int64_t n, int64_t times, int64_t per_second, int64_t zone,
                     int64_t count, int64_t out) {
  return gjl_add_interval(t, 0, n, 0, gjl_size(times), per_second, zone, count, out);
}

int64_t gjl_add_months(int64_t t, int64_t n, int64_t times, int64_t per_second, int64_t zone,
                       int64_t count, int64_t out) {
  return gjl_add_interval(t, n, 0, 0, gjl_size(times), per_second, zone, count, out);
}

// Of n by a factor that may be negative.
static bool scaled(int64_t n, int64_t times, int64_t *out) {
  if (times > 0)
    return gjl_product(n, times, out);
  *out = 0;
  return times == 0 || (times != INT64_MIN && gjl_product(n, -times, out) && *out != INT64_MIN &&
                        (*out = -*out, true));
}

int64_t gjl_add_interval(int64_t t, int64_t months, int64_t days, int64_t nanoseconds,
                         int64_t times, int64_t per_second, int64_t zone, int64_t count,
                         int64_t out) {
  int64_t value = t;
  if (!scaled(months, times, &months) || !scaled(days, times, &days) ||
      !scaled(nanoseconds, times, &nanoseconds))
    return GJL_OVERFLOW;
  if (months | days) {
    gjl_moment local = gjl_moment_of(t, per_second, zone, count);
    if ((months && !gjl_shift_months(&local.days, months)) ||
        !gjl_sum(local.days, days, &local.days) ||
        !gjl_instant_of(local, per_second, zone, count, &value))
      return GJL_OVERFLOW;
  }
  if (!gjl_sum(value, gjl_floor(nanoseconds, GJL_SECOND_NANOSECONDS / gjl_units(per_second)),
               &value))
    return GJL_OVERFLOW;
  return gjl_put(out, value);
}

int64_t gjl_time_of_day_add(int64_t time, int64_t nanoseconds, int64_t per_second) {
  int64_t units = gjl_units(per_second), day = units * GJL_DAY_SECONDS;
  return gjl_rest(gjl_rest(time, day) +
                      gjl_rest(gjl_floor(nanoseconds, GJL_SECOND_NANOSECONDS / units), day),
                  day);
}

// ---- differences: from `a` to `b`, of whole units, toward zero ----

int64_t gjl_time_diff(int64_t a, int64_t b, int64_t size, int64_t out) {
  int64_t step = gjl_size(size), rest = gjl_rest(b, step) - gjl_rest(a, step), units;
  if (__builtin_sub_overflow(gjl_floor(b, step), gjl_floor(a, step), &units))
    return GJL_OVERFLOW;
  return gjl_put(out, units + (units < 0 && rest > 0) - (units > 0 && rest < 0));
}

int64_t gjl_diff_days(int64_t a, int64_t b, int64_t per_second, int64_t zone, int64_t count) {
  return gjl_local_days(b, per_second, zone, count) - gjl_local_days(a, per_second, zone, count);
}

static int64_t month_of(gjl_civil at) { return at.year * 12 + at.month - 1; }
static bool is_last(gjl_civil at) { return at.day == gjl_month_days(at.year, at.month); }

// A month has passed at the same time of the same day, or with the last day of a month that lacks
// the day.
int64_t gjl_diff_months(int64_t a, int64_t b, int64_t times, int64_t per_second, int64_t zone,
                        int64_t count) {
  bool back = b < a;
  gjl_moment start = gjl_moment_of(back ? b : a, per_second, zone, count);
  gjl_moment end = gjl_moment_of(back ? a : b, per_second, zone, count);
  gjl_civil from = gjl_civil_of(start.days), to = gjl_civil_of(end.days);
  bool whole = to.day != from.day ? to.day > from.day || is_last(to) : end.rest >= start.rest;
  // Where clocks are set back, the later instant may be earlier in local time.
  int64_t months = month_of(to) - month_of(from) - !whole,
          units = (months < 0 ? 0 : months) / gjl_size(times);
  return back ? -units : units;
}

// Months from `b` to `a` with the fraction on the base of 31 days; whole between equal days and
// between last days of months whatever the time of the day, as Oracle has it and Gandiva after it.
// Bits of an f64.
int64_t gjl_months_between(int64_t a, int64_t b, int64_t per_second, int64_t zone, int64_t count) {
  gjl_moment end = gjl_moment_of(a, per_second, zone, count),
             start = gjl_moment_of(b, per_second, zone, count);
  gjl_civil to = gjl_civil_of(end.days), from = gjl_civil_of(start.days);
  double months = (double)(month_of(to) - month_of(from));
  if (to.day != from.day && !(is_last(to) && is_last(from))) {
    int64_t units = gjl_units(per_second), seconds = end.rest / units - start.rest / units;
    months += (to.day - from.day) / 31.0 + (double)seconds / 3600 / 744;
  }
  int64_t bits;
  __builtin_memcpy(&bits, &months, sizeof bits);
  return bits;
}

// ---- intervals ----
//
// Those of two int32_t are one int64_t with the first in its low half: days and milliseconds, or
// months and days, which nanoseconds follow in a second one.

static int64_t pair(int64_t low, int64_t high) {
  return (int64_t)((uint64_t)high << 32 | (uint32_t)low);
}
int64_t gjl_interval_pair(int64_t low, int64_t high) { return pair(low, high); }
int64_t gjl_interval_low(int64_t value) { return (int32_t)value; }
int64_t gjl_interval_high(int64_t value) { return (int32_t)(value >> 32); }

int64_t gjl_interval_milliseconds(int64_t value) {
  return gjl_interval_low(value) * (1000 * GJL_DAY_SECONDS) + gjl_interval_high(value);
}

static int64_t put_pair(int64_t out, int64_t low, int64_t high) {
  return low == (int32_t)low && high == (int32_t)high ? gjl_put(out, pair(low, high))
                                                      : GJL_OVERFLOW;
}

// a + sign * b, by halves.
int64_t gjl_interval_pair_add(int64_t a, int64_t b, int64_t sign, int64_t out) {
  int64_t s = sign < 0 ? -1 : 1;
  return put_pair(out, gjl_interval_low(a) + s * gjl_interval_low(b),
                  gjl_interval_high(a) + s * gjl_interval_high(b));
}

int64_t gjl_interval_pair_multiply(int64_t a, int64_t n, int64_t out) {
  int64_t low, high;
  if (!scaled(gjl_interval_low(a), n, &low) || !scaled(gjl_interval_high(a), n, &high))
    return GJL_OVERFLOW;
  return put_pair(out, low, high);
}

int64_t gjl_interval_add(int64_t a, int64_t a_nanoseconds, int64_t b, int64_t b_nanoseconds,
                         int64_t sign, int64_t out) {
  int64_t nanoseconds;
  if (sign < 0 ? __builtin_sub_overflow(a_nanoseconds, b_nanoseconds, &nanoseconds)
               : __builtin_add_overflow(a_nanoseconds, b_nanoseconds, &nanoseconds))
    return GJL_OVERFLOW;
  int64_t status = gjl_interval_pair_add(a, b, sign, out);
  return status ? status : gjl_put(out + 8, nanoseconds);
}

int64_t gjl_interval_multiply(int64_t a, int64_t nanoseconds, int64_t n, int64_t out) {
  if (!scaled(nanoseconds, n, &nanoseconds))
    return GJL_OVERFLOW;
  int64_t status = gjl_interval_pair_multiply(a, n, out);
  return status ? status : gjl_put(out + 8, nanoseconds);
}
