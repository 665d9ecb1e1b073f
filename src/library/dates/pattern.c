// Texts of timestamps by a pattern, such as "yyyy-mm-dd hh24:mi:ss.fff".
//
// Words of a pattern are in any case and are the longest that match; names are those Gandiva has,
// and a few of Oracle and PostgreSQL. Text in double quotes stands for itself, and so does what is
// neither letter nor digit, and a T or Z in upper case where no word matches. Spaces are any number
// of spaces when reading. What a pattern does not say is midnight of 1970-01-01; a weekday or week
// is read and says nothing.
//
//   yyyy yy cc ad bc          year, its last two digits, century; with ad or bc years before 1
//   count from 1 BC down q mm mon month ww iw      quarter, month and its names; weeks from the
//   first Monday and of ISO dd ddd d dy day           day of the month and of the year; weekday 1
//   (Monday) … 7, and its names hh24 hh hh12 am pm mi ss  hours 0 … 23 and 1 … 12 f … fffffffff,
//   ff1 … ff9  that many digits of the fraction of a second tzo tzh tzm               offset, its
//   hours with a sign, its minutes
//
// A name is written as its word is: DAY, Day or day. lib/columns/types/time-text.js checks patterns
// before code runs.

#include "library/dates/text.h"

typedef enum field {
  END, // of the pattern
  BAD, // no word
  LITERAL,
  SPACE,
  YEAR,
  YEAR2,
  CENTURY,
  ERA,
  QUARTER,
  MONTH,
  MONTH_NAME,
  MONTH_SHORT,
  WEEK,
  ISO_WEEK,
  DAY,
  YEAR_DAY,
  WEEKDAY,
  WEEKDAY_NAME,
  WEEKDAY_SHORT,
  HOUR,
  HOUR12,
  HALF,
  MINUTE,
  SECOND,
  FRACTION,
  OFFSET,
  OFFSET_HOURS,
  OFFSET_MINUTES
} field;

// Where one word starts another, the longer one is first.
static const struct {
  char name[6];
  uint8_t field;
} words[] = {
    {"yyyy", YEAR},        {"yy", YEAR2},
    {"cc", CENTURY},       {"ad", ERA},
    {"bc", ERA},           {"q", QUARTER},
    {"month", MONTH_NAME}, {"mon", MONTH_SHORT},
    {"mm", MONTH},         {"mi", MINUTE},
    {"ww", WEEK},          {"iw", ISO_WEEK},
    {"ddd", YEAR_DAY},     {"day", WEEKDAY_NAME},
    {"dd", DAY},           {"dy", WEEKDAY_SHORT},
    {"d", WEEKDAY},        {"hh24", HOUR},
    {"hh12", HOUR12},      {"hh", HOUR12},
    {"am", HALF},          {"pm", HALF},
    {"ss", SECOND},        {"tzo", OFFSET},
    {"tzh", OFFSET_HOURS}, {"tzm", OFFSET_MINUTES},
};

typedef struct token {
  field field;
  int digits;         // of a fraction
  int64_t start, end; // in the pattern
} token;

// f, ff, …, or ff3.
static token fraction(gjl_cursor *c) {
  token of = {.field = FRACTION, .start = c->at};
  while (of.digits < 9 && gjl_accept_word(c, "f"))
    of.digits++;
  unsigned char digit = gjl_peek(c);
  if (of.digits == 2 && digit >= '1' && digit <= '9') {
    of.digits = digit - '0';
    c->at++;
  }
  of.end = c->at;
  return of;
}

// Goes on to the next word of a pattern. `quoted` says whether the place is in quotes.
static token next(gjl_cursor *c, bool *quoted) {
  while (gjl_accept(c, '"'))
    *quoted = !*quoted;
  token of = {.field = *quoted ? BAD : END, .start = c->at, .end = c->at + 1};
  if (c->at >= c->end)
    return of;
  unsigned char byte = gjl_peek(c), letter = gjl_ascii_lower(byte);
  for (size_t row = 0; !*quoted && row < sizeof words / sizeof *words; row++)
    if (gjl_accept_word(c, words[row].name)) {
      of.field = (field)words[row].field;
      of.end = c->at;
      return of;
    }
  if (!*quoted && letter == 'f')
    return fraction(c);
  c->at++;
  bool is_word =
      (letter >= 'a' && letter <= 'z' && byte != 'T' && byte != 'Z') || gjl_is_digit(byte);
  of.field = !*quoted && gjl_is_space(byte) ? SPACE : !*quoted && is_word ? BAD : LITERAL;
  return of;
}

// Arrays of bytes and not of addresses, which would have to be relocated.
static const char months[12][10] = {"january",   "february", "march",    "april",
                                    "may",       "june",     "july",     "august",
                                    "september", "october",  "november", "december"};
static const char weekdays[7][10] = {"monday", "tuesday",  "wednesday", "thursday",
                                     "friday", "saturday", "sunday"};

// ---- writing ----

// The first `limit` letters of a name, in the case of the pattern's word.
static unsigned char *write_name(unsigned char *p, const char *name, int limit,
                                 const unsigned char *word) {
  bool first = word[0] < 'a', others = first && word[1] < 'a';
  for (int letter = 0; letter < limit && name[letter]; letter++)
    *p++ = (unsigned char)(name[letter] - ((letter ? others : first) ? 32 : 0));
  return p;
}

typedef struct parts {
  gjl_civil date;
  int64_t days, seconds, billionths, offset;
  bool has_era;
} parts;

// In years before 1 only with an era.
static int64_t shown_year(const parts *at) {
  return at->has_era && at->date.year < 1 ? 1 - at->date.year : at->date.year;
}

static unsigned char *write_date_field(unsigned char *p, token of, const unsigned char *word,
                                       const parts *at) {
  int64_t weekday = gjl_isodow_of_days(at->days);
  switch (of.field) {
  case YEAR:
    return gjl_write_year(p, shown_year(at));
  case YEAR2:
    return gjl_write(p, gjl_rest(shown_year(at), 100), 2);
  case CENTURY: {
    int64_t century = gjl_century_of_days(at->days);
    if (century < 0)
      *p++ = '-';
    return gjl_write(p, century < 0 ? -century : century, 2);
  }
  case ERA:
    return write_name(p, at->date.year < 1 ? "bc" : "ad", 2, word);
  case QUARTER:
    return gjl_write(p, (at->date.month + 2) / 3, 1);
  case MONTH:
    return gjl_write(p, at->date.month, 2);
  case MONTH_NAME:
    return write_name(p, months[at->date.month - 1], 9, word);
  case MONTH_SHORT:
    return write_name(p, months[at->date.month - 1], 3, word);
  case WEEK:
    return gjl_write(p, (gjl_doy_of_days(at->days) + 7 - weekday) / 7, 2);
  case ISO_WEEK:
    return gjl_write(p, gjl_week_of_days(at->days), 2);
  case DAY:
    return gjl_write(p, at->date.day, 2);
  case YEAR_DAY:
    return gjl_write(p, gjl_doy_of_days(at->days), 3);
  case WEEKDAY:
    return gjl_write(p, weekday, 1);
  default:
    return write_name(p, weekdays[weekday - 1], of.field == WEEKDAY_NAME ? 9 : 3, word);
  }
}

static unsigned char *write_time_field(unsigned char *p, token of, const unsigned char *word,
                                       const parts *at) {
  int64_t hour = at->seconds / 3600, distance = at->offset < 0 ? -at->offset : at->offset;
  switch (of.field) {
  case HOUR:
    return gjl_write(p, hour, 2);
  case HOUR12:
    return gjl_write(p, (hour + 11) % 12 + 1, 2);
  case HALF:
    return write_name(p, hour < 12 ? "am" : "pm", 2, word);
  case MINUTE:
    return gjl_write(p, at->seconds / 60 % 60, 2);
  case SECOND:
    return gjl_write(p, at->seconds % 60, 2);
  case FRACTION: {
    int64_t value = at->billionths;
    for (int digit = of.digits; digit < 9; digit++)
      value /= 10;
    return gjl_write(p, value, of.digits);
  }
  case OFFSET:
    return gjl_write_offset(p, at->offset);
  case OFFSET_HOURS:
    *p++ = at->offset < 0 ? '-' : '+';
    return gjl_write(p, distance / 3600, 2);
  default:
    return gjl_write(p, distance / 60 % 60, 2);
  }
}

// No word of a pattern is longer as text than this many times its length: a "d" is a digit, a "yy"
// two, a year of "yyyy" 18 at most, and an offset of "tzo" 9.
enum { EXPANSION = 5, LONGEST_PATTERN = 1 << 20 };

static bool has_era(gjl_cursor c) {
  bool quoted = false;
  token of;
  do
    of = next(&c, &quoted);
  while (of.field != END && of.field != BAD && of.field != ERA);
  return of.field == ERA;
}

int64_t gjl_format_pattern(int64_t t, int64_t per_second, int64_t zone, int64_t count,
                           int64_t pattern, int64_t pattern_length, int64_t out, int64_t arena) {
  if (pattern_length > LONGEST_PATTERN)
    return GJL_INVALID;
  int64_t units = gjl_units(per_second), before = ((gjl_arena *)(uintptr_t)arena)->next;
  unsigned char *start = gjl_take(arena, EXPANSION * (pattern_length > 0 ? pattern_length : 0));
  if (!start)
    return GJL_MORE;
  gjl_cursor c = {gjl_bytes(pattern), 0, pattern_length};
  gjl_moment local = gjl_moment_of(t, units, zone, count);
  parts at = {gjl_civil_of(local.days),
              local.days,
              local.rest / units,
              local.rest % units * (GJL_SECOND_NANOSECONDS / units),
              gjl_shift_at(t, units, zone, count) / units,
              has_era(c)};
  unsigned char *p = start;
  bool quoted = false;
  for (token of; of = next(&c, &quoted), of.field != END;) {
    const unsigned char *word = c.bytes + of.start;
    if (of.field == BAD) {
      ((gjl_arena *)(uintptr_t)arena)->next = before;
      return GJL_INVALID;
    }
    if (of.field == LITERAL || of.field == SPACE)
      *p++ = *word;
    else
      p = of.field < HOUR ? write_date_field(p, of, word, &at) : write_time_field(p, of, word, &at);
  }
  return gjl_give_part(out, arena, start, p);
}

// ---- reading ----

typedef struct found {
  int64_t year, month, day, year_day; // 0 if not said, but for the year
  int64_t hour, minute, second, billionths;
  int64_t offset, offset_minutes;
  bool bc, pm, has_half, has_hour12, has_offset, west;
} found;

// The number of a name, from 1, whole or as its first three letters; 0 if it is none.
static int64_t read_name(gjl_cursor *c, const char (*names)[10], int64_t count) {
  for (int64_t row = 0; row < count; row++) {
    const char brief[4] = {names[row][0], names[row][1], names[row][2], 0};
    if (gjl_accept_word(c, names[row]) || gjl_accept_word(c, brief))
      return row + 1;
  }
  return 0;
}

static bool read_number(gjl_cursor *c, int digits, int64_t least, int64_t most, int64_t *value) {
  return gjl_digits(c, digits, value) && *value >= least && *value <= most;
}

// A year of more than four digits only where digits do not follow.
static bool read_year(gjl_cursor *c, bool is_open, int64_t *year) {
  bool minus = gjl_accept(c, '-');
  if (!gjl_digits(c, is_open ? 12 : 4, year))
    return false;
  *year = minus ? -*year : *year;
  return true;
}

static bool read_half(gjl_cursor *c, found *at) {
  at->has_half = true;
  at->pm = gjl_accept_word(c, "pm");
  return at->pm || gjl_accept_word(c, "am");
}

static bool read_era(gjl_cursor *c, found *at) {
  at->bc = gjl_accept_word(c, "bc");
  return at->bc || gjl_accept_word(c, "ad");
}

static bool read_fraction(gjl_cursor *c, bool is_open, int digits, int64_t *billionths) {
  if (is_open)
    return gjl_fraction(c, billionths);
  int count = gjl_digits(c, digits, billionths);
  for (int digit = count; digit < 9; digit++)
    *billionths *= 10;
  return count > 0;
}

static bool read_offset_hours(gjl_cursor *c, found *at) {
  at->has_offset = true;
  at->west = gjl_accept(c, '-');
  return (at->west || gjl_accept(c, '+')) && read_number(c, 2, 0, 23, &at->offset) &&
         (at->offset *= 3600, true);
}

// Reads what the word stands for. `is_open` says that no digits follow by the pattern.
static bool read_field(gjl_cursor *c, token of, bool is_open, found *at) {
  int64_t ignored;
  switch (of.field) {
  case SPACE:
    gjl_skip_spaces(c);
    return true;
  case YEAR:
    return read_year(c, is_open, &at->year);
  case YEAR2:
    return gjl_digits(c, 2, &at->year) && (at->year += at->year < 70 ? 2000 : 1900, true);
  case ERA:
    return read_era(c, at);
  case MONTH:
    return read_number(c, 2, 1, 12, &at->month);
  case MONTH_NAME:
  case MONTH_SHORT:
    return (at->month = read_name(c, months, 12)) != 0;
  case WEEK:
  case ISO_WEEK:
    return read_number(c, 2, 0, 53, &ignored);
  case DAY:
    return read_number(c, 2, 1, 31, &at->day);
  case YEAR_DAY:
    return read_number(c, 3, 1, 366, &at->year_day);
  case WEEKDAY:
    return read_number(c, 1, 1, 7, &ignored);
  case WEEKDAY_NAME:
  case WEEKDAY_SHORT:
    return read_name(c, weekdays, 7) != 0;
  case HOUR:
    return read_number(c, 2, 0, 23, &at->hour);
  case HOUR12:
    at->has_hour12 = true;
    return read_number(c, 2, 1, 12, &at->hour);
  case HALF:
    return read_half(c, at);
  case MINUTE:
    return read_number(c, 2, 0, 59, &at->minute);
  case SECOND:
    return read_number(c, 2, 0, 59, &at->second);
  case FRACTION:
    return read_fraction(c, is_open, of.digits, &at->billionths);
  case OFFSET:
    at->has_offset = true;
    return gjl_read_offset(c, &at->offset);
  case OFFSET_HOURS:
    return read_offset_hours(c, at);
  case OFFSET_MINUTES:
    return read_number(c, 2, 0, 59, &at->offset_minutes);
  default:
    return false; // a century or quarter says too little
  }
}

static bool starts_with_digit(token of) {
  switch (of.field) {
  case YEAR:
  case YEAR2:
  case MONTH:
  case WEEK:
  case ISO_WEEK:
  case DAY:
  case YEAR_DAY:
  case WEEKDAY:
  case HOUR:
  case HOUR12:
  case MINUTE:
  case SECOND:
  case FRACTION:
  case OFFSET_MINUTES:
    return true;
  default:
    return false;
  }
}

static bool read_by(gjl_cursor *c, gjl_cursor pattern, bool trailing, found *at) {
  bool quoted = false;
  *at = (found){.year = 1970};
  for (token of = next(&pattern, &quoted), then; of.field != END; of = then) {
    then = of.field == BAD ? of : next(&pattern, &quoted);
    bool literal = of.field == LITERAL;
    if (literal ? !gjl_accept(c, pattern.bytes[of.start])
                : !read_field(c, of, !starts_with_digit(then), at))
      return false;
  }
  return trailing || c->at == c->end;
}

static int64_t days_found(const found *at, int64_t *days) {
  int64_t year = at->bc ? 1 - at->year : at->year, month = at->month ? at->month : 1;
  if (year > GJL_MAX_YEAR || year < -GJL_MAX_YEAR)
    return GJL_OVERFLOW;
  if (at->day > gjl_month_days(year, month) || at->year_day > 365 + gjl_leaps(year))
    return GJL_INVALID;
  *days = at->year_day ? gjl_days_of(year, 1, at->year_day)
                       : gjl_days_of(year, month, at->day ? at->day : 1);
  return GJL_DONE;
}

int64_t gjl_parse_pattern(int64_t text, int64_t length, int64_t pattern, int64_t pattern_length,
                          int64_t trailing, int64_t per_second, int64_t zone, int64_t count,
                          int64_t out) {
  gjl_cursor c = gjl_trimmed(text, length);
  int64_t units = gjl_units(per_second), days, value = 0;
  found at;
  if (!read_by(&c, (gjl_cursor){gjl_bytes(pattern), 0, pattern_length}, trailing, &at) ||
      (at.has_half && !at.has_hour12))
    return GJL_INVALID;
  int64_t status = days_found(&at, &days);
  if (status)
    return status;
  int64_t hour = at.has_hour12 ? at.hour % 12 + (at.pm ? 12 : 0) : at.hour;
  int64_t offset = (at.west ? -1 : 1) * (at.offset + at.offset_minutes * 60);
  int64_t seconds = hour * 3600 + at.minute * 60 + at.second - offset;
  gjl_moment local = {days, seconds * units + at.billionths / (GJL_SECOND_NANOSECONDS / units)};
  if (!gjl_instant_of(local, units, zone, at.has_offset ? 0 : count, &value))
    return GJL_OVERFLOW;
  return gjl_put(out, value);
}

int64_t gjl_parse_date_pattern(int64_t text, int64_t length, int64_t pattern,
                               int64_t pattern_length, int64_t trailing, int64_t out) {
  gjl_cursor c = gjl_trimmed(text, length);
  int64_t days;
  found at;
  if (!read_by(&c, (gjl_cursor){gjl_bytes(pattern), 0, pattern_length}, trailing, &at))
    return GJL_INVALID;
  int64_t status = days_found(&at, &days);
  return status ? status : gjl_put32(out, days);
}
