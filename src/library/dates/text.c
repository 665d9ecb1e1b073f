// Texts of dates, times, timestamps and intervals as ISO 8601 and SQL write them; patterns are in
// pattern.c.
//
// Reading is strict: all of the text but spaces around it belongs to the value, and every field is
// in its range. What Gandiva reads besides is read too: months, days and hours of one digit, and
// years of one or two, which are of 1970 … 2069. lib/columns/types/time-text.js reads literals by
// the same rules. What has no room, such as a fraction finer than the unit, is cut off.

#include "library/dates/text.h"

// "2020-02-29", also with slashes. Years have 12 digits at most, so that days always fit an
// int64_t.
static bool read_date(gjl_cursor *c, int64_t *days) {
  int64_t year, month, day;
  bool minus = gjl_accept(c, '-'), sign = minus || gjl_accept(c, '+');
  int digits = gjl_digits(c, 12, &year);
  unsigned char between = gjl_peek(c);
  if (digits == 0 || (between != '-' && between != '/') || !gjl_accept(c, between) ||
      !gjl_digits(c, 2, &month) || !gjl_accept(c, between) || !gjl_digits(c, 2, &day))
    return false;
  if (!sign && digits < 4 && year < 100)
    year += year < 70 ? 2000 : 1900;
  year = minus ? -year : year;
  if (month < 1 || month > 12 || day < 1 || day > gjl_month_days(year, month))
    return false;
  *days = gjl_days_of(year, month, day);
  return true;
}

typedef struct clock {
  int64_t seconds, nanoseconds;
} clock;

// "23:59", "23:59:59" or "23:59:59.999".
static bool read_clock(gjl_cursor *c, clock *time) {
  int64_t hour, minute, second = 0;
  *time = (clock){0, 0};
  if (!gjl_digits(c, 2, &hour) || !gjl_accept(c, ':') || !gjl_digits(c, 2, &minute))
    return false;
  if (gjl_accept(c, ':') &&
      (!gjl_digits(c, 2, &second) || (gjl_accept(c, '.') && !gjl_fraction(c, &time->nanoseconds))))
    return false;
  time->seconds = hour * 3600 + minute * 60 + second;
  return hour <= 23 && minute <= 59 && second <= 59;
}

static int64_t units_of(clock time, int64_t per_second) {
  return time.seconds * per_second + time.nanoseconds / (GJL_SECOND_NANOSECONDS / per_second);
}

typedef struct stamp {
  int64_t days;
  clock time;
  bool has_offset;
  int64_t offset;
} stamp;

// All of a text: a date, maybe a time, and then maybe an offset.
static bool read_stamp(int64_t text, int64_t length, stamp *at) {
  gjl_cursor c = gjl_trimmed(text, length);
  *at = (stamp){0};
  if (!read_date(&c, &at->days))
    return false;
  if (c.at == c.end)
    return true;
  if (gjl_is_space(gjl_peek(&c)))
    gjl_skip_spaces(&c);
  else if (!gjl_accept_word(&c, "t"))
    return false;
  if (!read_clock(&c, &at->time))
    return false;
  gjl_skip_spaces(&c);
  at->has_offset = c.at < c.end;
  if (at->has_offset && !gjl_read_offset(&c, &at->offset))
    return false;
  return c.at == c.end;
}

// A time after the date is checked and dropped.
int64_t gjl_parse_date(int64_t text, int64_t length, int64_t out) {
  stamp at;
  return read_stamp(text, length, &at) ? gjl_put32(out, at.days) : GJL_INVALID;
}

int64_t gjl_parse_time(int64_t text, int64_t length, int64_t per_second, int64_t out) {
  gjl_cursor c = gjl_trimmed(text, length);
  clock time;
  if (!read_clock(&c, &time) || c.at != c.end)
    return GJL_INVALID;
  return gjl_put(out, units_of(time, gjl_units(per_second)));
}

// A text without an offset is of the time zone.
int64_t gjl_parse_timestamp(int64_t text, int64_t length, int64_t per_second, int64_t zone,
                            int64_t count, int64_t out) {
  int64_t units = gjl_units(per_second), value = 0;
  stamp at;
  if (!read_stamp(text, length, &at))
    return GJL_INVALID;
  gjl_moment local = {at.days, units_of(at.time, units) - at.offset * units};
  if (!gjl_instant_of(local, units, zone, at.has_offset ? 0 : count, &value))
    return GJL_OVERFLOW;
  return gjl_put(out, value);
}

// A day by its English name or the start of it, two letters at least; 0 is Sunday.
int64_t gjl_parse_weekday(int64_t text, int64_t length, int64_t out) {
  static const char names[7][10] = {"sunday",   "monday", "tuesday", "wednesday",
                                    "thursday", "friday", "saturday"};
  gjl_cursor c = gjl_trimmed(text, length);
  for (int64_t day = 0; day < 7; day++) {
    int64_t letter = 0;
    while (c.at + letter < c.end && names[day][letter] &&
           gjl_ascii_lower(c.bytes[c.at + letter]) == (unsigned char)names[day][letter])
      letter++;
    if (letter >= 2 && c.at + letter == c.end)
      return gjl_put(out, day);
  }
  return GJL_INVALID;
}

// ---- intervals ----

// What amounts add up to; months are in billionths, for fractions of years.
typedef struct span {
  int64_t months, month_billionths, days, nanoseconds;
} span;

typedef struct amount {
  bool minus;
  int64_t whole, billionths;
} amount;

enum { MONTHS, DAYS, NANOSECONDS };

typedef struct unit {
  char name[12];
  int8_t kind;
  int64_t size;
} unit;

static const unit named_units[] = {
    {"millennium", MONTHS, 12000},
    {"millennia", MONTHS, 12000},
    {"century", MONTHS, 1200},
    {"centuries", MONTHS, 1200},
    {"decade", MONTHS, 120},
    {"year", MONTHS, 12},
    {"yr", MONTHS, 12},
    {"y", MONTHS, 12},
    {"quarter", MONTHS, 3},
    {"month", MONTHS, 1},
    {"mon", MONTHS, 1},
    {"week", DAYS, 7},
    {"w", DAYS, 7},
    {"day", DAYS, 1},
    {"d", DAYS, 1},
    {"hour", NANOSECONDS, INT64_C(3600000000000)},
    {"hr", NANOSECONDS, INT64_C(3600000000000)},
    {"h", NANOSECONDS, INT64_C(3600000000000)},
    {"minute", NANOSECONDS, INT64_C(60000000000)},
    {"min", NANOSECONDS, INT64_C(60000000000)},
    {"second", NANOSECONDS, 1000000000},
    {"sec", NANOSECONDS, 1000000000},
    {"s", NANOSECONDS, 1000000000},
    {"millisecond", NANOSECONDS, 1000000},
    {"msec", NANOSECONDS, 1000000},
    {"ms", NANOSECONDS, 1000000},
    {"microsecond", NANOSECONDS, 1000},
    {"usec", NANOSECONDS, 1000},
    {"us", NANOSECONDS, 1000},
    {"nanosecond", NANOSECONDS, 1},
    {"nsec", NANOSECONDS, 1},
    {"ns", NANOSECONDS, 1},
};

static bool add_scaled(int64_t *sum, int64_t n, int64_t size, bool minus) {
  int64_t product;
  return gjl_product(n, size, &product) && gjl_sum(*sum, minus ? -product : product, sum);
}

static bool add_amount(span *to, amount by, int kind, int64_t size) {
  const int64_t second = GJL_SECOND_NANOSECONDS;
  if (kind == MONTHS)
    return add_scaled(&to->months, by.whole, size, by.minus) &&
           add_scaled(&to->month_billionths, by.billionths, size, by.minus);
  if (kind == DAYS)
    return add_scaled(&to->days, by.whole, size, by.minus) &&
           add_scaled(&to->nanoseconds, by.billionths, size * GJL_DAY_SECONDS, by.minus);
  int64_t part = size < second ? by.billionths * size / second : by.billionths * (size / second);
  return add_scaled(&to->nanoseconds, by.whole, size, by.minus) &&
         add_scaled(&to->nanoseconds, part, 1, by.minus);
}

static bool read_amount(gjl_cursor *c, bool comma, amount *by) {
  *by = (amount){.minus = gjl_accept(c, '-')};
  if (!by->minus)
    gjl_accept(c, '+');
  if (!gjl_digits(c, 18, &by->whole) || gjl_is_digit(gjl_peek(c)))
    return false;
  return !(gjl_accept(c, '.') || (comma && gjl_accept(c, ','))) || gjl_fraction(c, &by->billionths);
}

// "P1Y2M3W4DT5H6M7.8S" from after the P: parts may be missing, but not out of order.
static int64_t read_iso(gjl_cursor *c, bool minus, span *to) {
  static const struct {
    unsigned char letter;
    bool time;
    int8_t kind;
    int64_t size;
  } parts[] = {
      {'Y', false, MONTHS, 12},
      {'M', false, MONTHS, 1},
      {'W', false, DAYS, 7},
      {'D', false, DAYS, 1},
      {'H', true, NANOSECONDS, INT64_C(3600000000000)},
      {'M', true, NANOSECONDS, INT64_C(60000000000)},
      {'S', true, NANOSECONDS, 1000000000},
  };
  enum { PARTS = sizeof parts / sizeof *parts };
  bool time = false, any = false;
  for (size_t part = 0; c->at < c->end; part++) {
    amount by;
    if (!time && gjl_accept(c, 'T')) {
      time = true;
      any = false;
    }
    if (!read_amount(c, true, &by))
      return GJL_INVALID;
    while (part < PARTS && (parts[part].time != time || parts[part].letter != gjl_peek(c)))
      part++;
    if (part >= PARTS)
      return GJL_INVALID;
    c->at++;
    any = true;
    by.minus ^= minus;
    if (!add_amount(to, by, parts[part].kind, parts[part].size))
      return GJL_OVERFLOW;
  }
  return any ? GJL_DONE : GJL_INVALID;
}

// The unit by its name, or its name and an s if it is a word.
static const unit *read_unit(gjl_cursor *c) {
  int64_t length = 0;
  while (c->at + length < c->end && gjl_ascii_lower(c->bytes[c->at + length]) >= 'a' &&
         gjl_ascii_lower(c->bytes[c->at + length]) <= 'z')
    length++;
  for (size_t row = 0; row < sizeof named_units / sizeof *named_units; row++) {
    gjl_cursor word = {c->bytes, c->at, c->at + length};
    if (!gjl_accept_word(&word, named_units[row].name))
      continue;
    if (word.at - c->at > 1 && named_units[row].name[word.at - c->at - 1] != 's')
      gjl_accept_word(&word, "s");
    if (word.at != word.end)
      continue;
    c->at = word.at;
    return &named_units[row];
  }
  return NULL;
}

// "1 year -2 months 3.5 days 04:05:06.7".
static int64_t read_words(gjl_cursor *c, span *to) {
  bool any = false;
  for (; c->at < c->end; gjl_skip_spaces(c), any = true) {
    amount by;
    int64_t start = c->at;
    if (!read_amount(c, false, &by))
      return GJL_INVALID;
    if (gjl_peek(c) == ':') {
      clock time;
      c->at = start;
      bool minus = gjl_accept(c, '-');
      if (!minus)
        gjl_accept(c, '+');
      if (!read_clock(c, &time))
        return GJL_INVALID;
      if (!add_amount(to, (amount){minus, time.seconds, time.nanoseconds}, NANOSECONDS,
                      GJL_SECOND_NANOSECONDS))
        return GJL_OVERFLOW;
      continue;
    }
    gjl_skip_spaces(c);
    const unit *of = read_unit(c);
    if (!of)
      return GJL_INVALID;
    if (!add_amount(to, by, of->kind, of->size))
      return GJL_OVERFLOW;
  }
  return any ? GJL_DONE : GJL_INVALID;
}

// A number alone is of the unit `bare_kind` and `bare_size`, if that is not 0. A fraction of a
// month that remains is cut off: it is no number of days.
static int64_t read_span(int64_t text, int64_t length, int bare_kind, int64_t bare_size, span *to) {
  gjl_cursor c = gjl_trimmed(text, length), number = c;
  amount by;
  int64_t status;
  *to = (span){0};
  if (bare_size && read_amount(&number, false, &by) && number.at == number.end)
    return add_amount(to, by, bare_kind, bare_size) ? GJL_DONE : GJL_OVERFLOW;
  bool minus = c.at + 1 < c.end && c.bytes[c.at] == '-' && c.bytes[c.at + 1] == 'P';
  c.at += minus;
  status = gjl_accept(&c, 'P') ? read_iso(&c, minus, to) : read_words(&c, to);
  if (status)
    return status;
  int64_t rest = to->month_billionths % GJL_SECOND_NANOSECONDS;
  if (!gjl_sum(to->months, to->month_billionths / GJL_SECOND_NANOSECONDS, &to->months))
    return GJL_OVERFLOW;
  to->months += (to->months < 0 && rest > 0) - (to->months > 0 && rest < 0);
  return GJL_DONE;
}

int64_t gjl_parse_interval(int64_t text, int64_t length, int64_t out) {
  span of;
  int64_t status = read_span(text, length, MONTHS, 0, &of);
  if (status)
    return status;
  if (of.months != (int32_t)of.months || of.days != (int32_t)of.days)
    return GJL_OVERFLOW;
  gjl_put(out, gjl_interval_pair(of.months, of.days));
  return gjl_put(out + 8, of.nanoseconds);
}

// As Gandiva has it, this has no months, and a number alone is milliseconds, of which those of
// whole days are days.
int64_t gjl_parse_interval_day_time(int64_t text, int64_t length, int64_t out) {
  const int64_t day = 1000 * GJL_DAY_SECONDS;
  span of;
  int64_t status = read_span(text, length, NANOSECONDS, 1000000, &of);
  if (status)
    return status;
  int64_t milliseconds = of.nanoseconds / 1000000, days = of.days;
  if (!gjl_sum(days, milliseconds / day, &days) || days != (int32_t)days)
    return GJL_OVERFLOW;
  return gjl_put(out, gjl_interval_pair(days, milliseconds % day));
}

// This has nothing but months, and a number alone is months.
int64_t gjl_parse_interval_months(int64_t text, int64_t length, int64_t out) {
  span of;
  int64_t status = read_span(text, length, MONTHS, 1, &of);
  return status ? status : gjl_put32(out, of.months);
}

// ---- writing ----

enum { LONGEST = 80 }; // of any of these texts: less than 3 years of 12 digits and all other fields

static unsigned char *write_date(unsigned char *p, int64_t days) {
  gjl_civil at = gjl_civil_of(days);
  p = gjl_write_year(p, at.year);
  *p++ = '-';
  p = gjl_write(p, at.month, 2);
  *p++ = '-';
  return gjl_write(p, at.day, 2);
}

// A fraction of all the digits that the unit has.
static unsigned char *write_fraction(unsigned char *p, int64_t rest, int64_t per_second) {
  int digits = 0;
  for (int64_t units_left = per_second; units_left > 1; units_left /= 10)
    digits++;
  if (digits == 0)
    return p;
  *p++ = '.';
  return gjl_write(p, rest, digits);
}

static unsigned char *write_clock(unsigned char *p, int64_t time, int64_t per_second) {
  int64_t seconds = time / per_second;
  p = gjl_write(p, seconds / 3600, 2);
  *p++ = ':';
  p = gjl_write(p, seconds / 60 % 60, 2);
  *p++ = ':';
  p = gjl_write(p, seconds % 60, 2);
  return write_fraction(p, time % per_second, per_second);
}

int64_t gjl_format_date(int64_t days, int64_t out, int64_t arena) {
  unsigned char *start = gjl_take(arena, LONGEST);
  if (!start)
    return GJL_MORE;
  return gjl_give_part(out, arena, start, write_date(start, days));
}

int64_t gjl_format_time(int64_t time, int64_t per_second, int64_t out, int64_t arena) {
  unsigned char *start = gjl_take(arena, LONGEST);
  if (!start)
    return GJL_MORE;
  int64_t units = gjl_units(per_second);
  int64_t of_day = gjl_rest(time, units * GJL_DAY_SECONDS);
  return gjl_give_part(out, arena, start, write_clock(start, of_day, units));
}

// With a table, in local time and with the offset.
int64_t gjl_format_timestamp(int64_t t, int64_t per_second, int64_t zone, int64_t count,
                             int64_t out, int64_t arena) {
  unsigned char *start = gjl_take(arena, LONGEST);
  if (!start)
    return GJL_MORE;
  int64_t units = gjl_units(per_second);
  gjl_moment local = gjl_moment_of(t, units, zone, count);
  unsigned char *p = write_date(start, local.days);
  *p++ = ' ';
  p = write_clock(p, local.rest, units);
  if (count > 0)
    p = gjl_write_offset(p, gjl_zone_offset(gjl_floor(t, units), zone, count));
  return gjl_give_part(out, arena, start, p);
}

// A part of a period, unless it is 0.
static unsigned char *write_part(unsigned char *p, int64_t n, unsigned char letter) {
  if (n == 0)
    return p;
  if (n < 0)
    *p++ = '-';
  p = gjl_write(p, n < 0 ? -n : n, 1);
  *p++ = letter;
  return p;
}

// "P1Y2M3DT4H5M6.7S", with a sign at each negative part; "PT0S" for nothing.
static unsigned char *write_period(unsigned char *p, int64_t months, int64_t days, int64_t seconds,
                                   int64_t rest, int64_t per_second) {
  unsigned char *start = p;
  *p++ = 'P';
  p = write_part(p, months / 12, 'Y');
  p = write_part(p, months % 12, 'M');
  p = write_part(p, days, 'D');
  bool empty = p == start + 1;
  if (!seconds && !rest && !empty)
    return p;
  *p++ = 'T';
  p = write_part(p, seconds / 3600, 'H');
  p = write_part(p, seconds / 60 % 60, 'M');
  seconds %= 60;
  if (!seconds && !rest && p[-1] != 'T')
    return p;
  if (seconds < 0 || rest < 0)
    *p++ = '-';
  p = gjl_write(p, seconds < 0 ? -seconds : seconds, 1);
  if (rest) {
    p = write_fraction(p, rest < 0 ? -rest : rest, per_second);
    while (p[-1] == '0')
      p--;
  }
  *p++ = 'S';
  return p;
}

int64_t gjl_format_interval(int64_t months, int64_t days, int64_t nanoseconds, int64_t out,
                            int64_t arena) {
  unsigned char *start = gjl_take(arena, LONGEST);
  if (!start)
    return GJL_MORE;
  const int64_t second = GJL_SECOND_NANOSECONDS;
  return gjl_give_part(out, arena, start,
                       write_period(start, (int32_t)months, (int32_t)days, nanoseconds / second,
                                    nanoseconds % second, second));
}

int64_t gjl_format_duration(int64_t t, int64_t per_second, int64_t out, int64_t arena) {
  unsigned char *start = gjl_take(arena, LONGEST);
  if (!start)
    return GJL_MORE;
  int64_t units = gjl_units(per_second);
  return gjl_give_part(out, arena, start, write_period(start, 0, 0, t / units, t % units, units));
}
