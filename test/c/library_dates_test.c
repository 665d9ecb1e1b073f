// Functions of dates against slow arithmetic, against what Gandiva's tests expect, and against
// hostile texts.

#include "library/dates/zones.h"

#include "check.h"

#include <math.h>

enum { SECOND = 1, MILLI = 1000, MICRO = 1000000, NANO = 1000000000 };

// Rounds of a loop over anything: few under a tool that makes them slow.
static int many(int rounds) { return check_is_quick() ? rounds / 100 : rounds; }

static const int64_t scales[] = {SECOND, MILLI, MICRO, NANO};

static uint64_t state = 88172645463325252u;
static uint64_t random_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

// Of all magnitudes, and often next to a multiple of something.
static int64_t random_int(void) {
  int64_t value = (int64_t)random_bits() >> (random_bits() % 64);
  uint64_t kind = random_bits() % 8;
  if (kind == 0)
    value = INT64_MIN + (int64_t)(random_bits() % 1000);
  if (kind == 1)
    value = INT64_MAX - (int64_t)(random_bits() % 1000);
  if (kind == 2)
    value = value / 86400000 * 86400000 + (int64_t)(random_bits() % 3) - (value > 0);
  return value;
}

static int64_t address(const void *p) { return (int64_t)(uintptr_t)p; }

// ---- slow ones ----

__extension__ typedef __int128 wide;

static int64_t slow_floor(wide a, wide b) {
  wide q = a / b;
  return (int64_t)(q - (a % b != 0 && (a < 0) != (b < 0)));
}

static bool slow_leaps(int64_t year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}
static const int lengths[2][12] = {{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31},
                                   {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}};

typedef struct slow_date {
  int64_t year;
  int month, day, year_day;
} slow_date;

// By walking through the years and months after 1970 + 400 n.
static slow_date slow_civil(int64_t days) {
  int64_t era = slow_floor(days, 146097), rest = (int64_t)(days - (wide)era * 146097),
          year = 1970 + 400 * era;
  for (; rest >= 365 + slow_leaps(year); year++)
    rest -= 365 + slow_leaps(year);
  slow_date date = {year, 1, 0, (int)rest + 1};
  for (; rest >= lengths[slow_leaps(year)][date.month - 1]; date.month++)
    rest -= lengths[slow_leaps(year)][date.month - 1];
  date.day = (int)rest + 1;
  return date;
}

static bool has_fields(int64_t days) {
  slow_date date = slow_civil(days);
  int weekday = (int)(((days % 7) + 7 + 3) % 7) + 1;
  slow_date thursday = slow_civil(days + 4 - weekday);
  return gjl_year_of_days(days) == date.year && gjl_month_of_days(days) == date.month &&
         gjl_day_of_days(days) == date.day && gjl_doy_of_days(days) == date.year_day &&
         gjl_quarter_of_days(days) == (date.month - 1) / 3 + 1 &&
         gjl_isodow_of_days(days) == weekday && gjl_dow_of_days(days) == weekday % 7 &&
         gjl_isoyear_of_days(days) == thursday.year &&
         gjl_week_of_days(days) == (thursday.year_day - 1) / 7 + 1 &&
         gjl_decade_of_days(days) == slow_floor(date.year, 10) &&
         gjl_century_of_days(days) == slow_floor(date.year - 1, 100) + 1 &&
         gjl_millennium_of_days(days) == slow_floor(date.year - 1, 1000) + 1 &&
         (date.year > GJL_MAX_YEAR || date.year < -GJL_MAX_YEAR ||
          gjl_days_of(date.year, date.month, date.day) == days);
}

// What vector code does for days in lanes of 32 bits: low halves of products, shifts, comparisons
// and selects. The estimate of the era is at most one too small.
typedef struct lane_date {
  int32_t year, month, day;
} lane_date;

static uint32_t lane_era(int32_t days, uint32_t first, int32_t *era) {
  *era = ((days >> 15) + 21) * 29398 >> 17;
  uint32_t rest = (uint32_t)days + first - (uint32_t)*era * 146097, over = rest >= 146097;
  *era += (int32_t)over;
  return rest - (over ? 146097 : 0);
}

// Eras from March of year 0, so that the day that some years lack is their last.
static lane_date lane_civil(int32_t days) {
  int32_t era;
  uint32_t rest = lane_era(days, 719468, &era);
  uint32_t century = (rest >= 36524) + (rest >= 73048) + (rest >= 109572);
  rest -= century * 36524;
  uint32_t year = (rest * 91867 + 80000) >> 25;
  rest -= year * 1461 >> 2;
  uint32_t month = (rest * 2141 + 197913) >> 16, next = rest >= 306;
  uint32_t day = rest - ((month * 979 - 2919) >> 5) + 1;
  return (lane_date){era * 400 + (int32_t)(century * 100 + year + next),
                     (int32_t)(month - (next ? 12 : 0)), (int32_t)day};
}

// Eras from January of year 0, for the year alone: with the first of its centuries a day longer, a
// year of any century is as in the Julian calendar.
static int32_t lane_year(int32_t days) {
  int32_t era;
  uint32_t rest = lane_era(days, 719528, &era);
  uint32_t century = (rest >= 36525) + (rest >= 73049) + (rest >= 109573);
  uint32_t year = ((rest - century * 36524) * 91867 + 10000) >> 25;
  return era * 400 + (int32_t)(century * 100 + year);
}

static bool lanes_agree(int32_t days) {
  lane_date lane = lane_civil(days);
  gjl_civil date = gjl_civil_of(days);
  return lane.year == date.year && lane.month == date.month && lane.day == date.day &&
         lane_year(days) == date.year;
}

// And for days of timestamps, in lanes of 64 bits: the quotient in floating point is one off at
// most.
static int64_t lane_days(int64_t t, int64_t day) {
  int64_t days = (int64_t)floor((double)t * (1.0 / (double)day));
  int64_t rest = (int64_t)((uint64_t)t - (uint64_t)days * (uint64_t)day);
  return days + (rest >= day) - (rest < 0);
}

static void days_of_timestamps_in_lanes_are_floored(void) {
  for (int round = 0; round < many(200000); round++) {
    int64_t t = random_int(), day = 86400 * scales[round % 4];
    CHECK_OR_RETURN(lane_days(t, day) == slow_floor(t, day));
    t = t / day * day;
    CHECK_OR_RETURN(lane_days(t, day) == slow_floor(t, day));
    if (t > INT64_MIN)
      CHECK_OR_RETURN(lane_days(t - 1, day) == slow_floor(t - 1, day));
  }
}

static void fields_of_every_day_of_a_calendar_era_are_right(void) {
  for (int64_t days = -800000; days <= 800000; days += check_is_quick() ? 23 : 1)
    if (check_takes((uint64_t)(days + 800000)))
      CHECK_OR_RETURN(has_fields(days));
}

static void fields_of_days_of_all_of_int32_and_beyond_are_right(void) {
  for (int64_t days = INT32_MIN; days <= INT32_MAX; days += check_is_quick() ? 999983 : 9973)
    CHECK_OR_RETURN(has_fields(days) && lanes_agree((int32_t)days));
  for (int64_t edge = 0; edge < 1000; edge++) {
    CHECK_OR_RETURN(has_fields(INT32_MIN + edge) && lanes_agree((int32_t)(INT32_MIN + edge)));
    CHECK_OR_RETURN(has_fields(INT32_MAX - edge) && lanes_agree((int32_t)(INT32_MAX - edge)));
    CHECK_OR_RETURN(has_fields(INT64_MIN + 4 + edge) && has_fields(INT64_MAX - 4 - edge));
  }
  for (int64_t year = -2000; year <= 4000; year += check_is_quick() ? 37 : 1)
    for (int64_t edge = -1; edge <= 60; edge++) {
      int32_t days = (int32_t)(gjl_days_of(year, 1, 1) + edge);
      CHECK_OR_RETURN(has_fields(days) && lanes_agree(days));
    }
}

static void sizes_divide_with_a_floor(void) {
  for (int round = 0; round < many(20000); round++) {
    int64_t t = random_int(), size = random_int();
    size = size < 1 ? -(size + 1) : size;
    if (size < 1)
      continue;
    int64_t units = slow_floor(t, size);
    CHECK_OR_RETURN(gjl_time_div(t, size) == units &&
                    gjl_time_mod(t, size) == (int64_t)(t - (wide)units * size));
  }
  CHECK_INT_EQ(gjl_time_div(INT64_MIN, 0), INT64_MIN);
  CHECK_INT_EQ(gjl_time_mod(INT64_MIN, -1), 0);
  CHECK_INT_EQ(gjl_time_subsecond(-1, MILLI, MICRO), 999000);
  CHECK_INT_EQ(gjl_time_subsecond(-1, NANO, MILLI), 999);
}

// ---- texts ----

static char memory[1 << 12];
static gjl_arena arena;
static gjl_view view;

static const char *written(int64_t status) {
  static char text[1 << 12];
  if (status)
    return "(status)";
  memcpy(text, gjl_bytes(view.address), (size_t)view.length);
  text[view.length] = 0;
  return text;
}

static int64_t fresh(void) {
  arena = (gjl_arena){address(memory), address(memory) + (int64_t)sizeof memory};
  return address(&arena);
}

// What a text is read as; the status if that is not 0.
typedef struct result {
  int64_t status, value;
} result;

static result stamp_in(const char *text, int64_t per_second, int64_t zone, int64_t count) {
  result r = {0, -7};
  r.status = gjl_parse_timestamp(address(text), (int64_t)strlen(text), per_second, zone, count,
                                 address(&r.value));
  return r;
}

static int64_t stamp(const char *text) {
  result r = stamp_in(text, MILLI, 0, 0);
  return CHECK_INT_EQ(r.status, GJL_DONE) ? r.value : -1;
}

static int64_t days_of_text(const char *text) {
  int64_t value = 0;
  CHECK_INT_EQ(gjl_parse_date(address(text), (int64_t)strlen(text), address(&value)), GJL_DONE);
  return value;
}

static int64_t date_status(const char *text) {
  int64_t value = 0;
  return gjl_parse_date(address(text), (int64_t)strlen(text), address(&value));
}

static int64_t time_of_text(const char *text) {
  int64_t value = 0;
  int64_t status = gjl_parse_time(address(text), (int64_t)strlen(text), MILLI, address(&value));
  return status ? -status : value;
}

static const char *text_of(int64_t t) {
  int64_t memory_of = fresh();
  return written(gjl_format_timestamp(t, MILLI, 0, 0, address(&view), memory_of));
}

static void texts_are_read_as_gandiva_reads_them(void) {
  CHECK_INT_EQ(days_of_text("1967-12-1"), -65836800000 / 86400000);
  CHECK_INT_EQ(days_of_text("2067-12-1"), 3089923200000 / 86400000);
  CHECK_INT_EQ(days_of_text("7-12-1"), 1196467200000 / 86400000);
  CHECK_INT_EQ(days_of_text("67-12-1"), 3089923200000 / 86400000);
  CHECK_INT_EQ(days_of_text("067-12-1"), 3089923200000 / 86400000);
  CHECK_INT_EQ(days_of_text("0067-12-1"), -60023980800000 / 86400000);
  CHECK_INT_EQ(days_of_text("00067-12-1"), -60023980800000 / 86400000);
  CHECK_INT_EQ(days_of_text("167-12-1"), -56868307200000 / 86400000);
  CHECK_INT_EQ(days_of_text("72-12-1"), 92016000000 / 86400000);
  CHECK_INT_EQ(days_of_text("71-1-1"), 31536000000 / 86400000);
  CHECK_INT_EQ(days_of_text("2000-09-23 9:45:30.920 +08:00"), 11223);
  CHECK_INT_EQ(stamp("2000-09-23 9:45:30"), 969702330000);
  CHECK_INT_EQ(stamp("2000-09-23 9:45:30.920"), 969702330920);
  CHECK_INT_EQ(stamp("2000-09-23 9:45:30.920 +08:00"), 969673530920);
  CHECK_INT_EQ(stamp("2000-09-23 9:45:30.920 -11:45"), 969744630920);
  CHECK_INT_EQ(stamp("65-03-04 00:20:40.920 +00:30"), 3003349840920);
  CHECK_INT_EQ(stamp("1932-05-18 11:30:00.920 +11:30"), -1187308799080);
  CHECK_INT_EQ(stamp("1857-02-11 20:31:40.920 -05:30"), -3562264699080);
  CHECK_INT_EQ(stamp("2000-09-23 9:45:30.1"), 969702330100);
  CHECK_INT_EQ(stamp("2000-01-01 00:00:00.1999"), 946684800199);
  CHECK_INT_EQ(time_of_text("9:45:30"), 35130000);
  CHECK_INT_EQ(time_of_text("9:45:30.920"), 35130920);
  CHECK_INT_EQ(time_of_text("9:45:30.123456789"), 35130123);
}

static void texts_of_other_forms_are_read(void) {
  CHECK_INT_EQ(stamp("  2020-02-29T23:59:59.5Z\n"), 1583020799500);
  CHECK_INT_EQ(stamp("2020-02-29t23:59"), 1583020740000);
  CHECK_INT_EQ(stamp("2020/02/29 23:59:00 UTC"), 1583020740000);
  CHECK_INT_EQ(stamp("2020-02-29 23:59:00+0530"), 1583020740000 - 19800000);
  CHECK_INT_EQ(stamp("2020-02-29 23:59:00-00:00:30"), 1583020740000 + 30000);
  CHECK_INT_EQ(days_of_text("+0000-03-01"), -719468);
  CHECK_INT_EQ(days_of_text("-0001-03-01"), -719468 - 366);
  CHECK_INT_EQ(days_of_text("12345-01-01"), 3789391);
  CHECK_INT_EQ(days_of_text("5881580-07-11"), INT32_MAX);
  CHECK_INT_EQ(days_of_text("-5877641-06-23"), INT32_MIN);
}

static void wrong_texts_are_refused(void) {
  static const char *const wrong[] = {
      "",
      " ",
      "blahblah",
      "1972222222",
      "1967-12-1bb",
      "71-45-1",
      "71-12-XX",
      "2000-00-01",
      "2000-13-01",
      "2000-01-00",
      "2000-01-32",
      "2001-02-29",
      "1900-02-29",
      "2000-02-30",
      "2000-04-31",
      "2000-01",
      "2000-01-",
      "2000-01-01-01",
      "2000-01/01",
      "2000--1-01",
      "+-2000-01-01",
      "20000101",
      "2000 01 01",
      "2000-1-001",
      "1234567890123-01-01",
      "2000-01-01 ",
      "2000-01-01T",
      "2000-01-01 1",
      "2000-01-01 24:00:00",
      "2000-01-01 00:60:00",
      "2000-01-01 00:00:60",
      "2000-01-01 00:00:100",
      "2000-01-01 00:00:00.",
      "2000-01-01 00:00:00.1x",
      "2000-01-01 00:00:00+",
      "2000-01-01 00:00:00+1",
      "2000-01-01 00:00:00+24",
      "2000-01-01 00:00:00+01:60",
      "2000-01-01 00:00:00+01:",
      "2000-01-01 00:00:00+01:00:",
      "2000-01-01 00:00:00 Unknown/Zone",
      "2000-01-01 00:00:00 ZZ",
      "2000-01-01  T00:00:00",
      "2000-01-01T 00:00:00",
      "2000-01-01 00:00:-1",
      "\xef\xbc\x91-01-01",
  };
  for (size_t row = 0; row < sizeof wrong / sizeof *wrong; row++) {
    // A space after a date belongs to nothing.
    int64_t expected = strcmp(wrong[row], "2000-01-01 ") == 0 ? GJL_DONE : GJL_INVALID;
    if (date_status(wrong[row]) != expected || stamp_in(wrong[row], MILLI, 0, 0).status != expected)
      CHECK_STR_EQ(wrong[row], "refused");
  }
  CHECK_INT_EQ(date_status("5881580-07-12"), GJL_OVERFLOW);
  CHECK_INT_EQ(date_status("-5877641-06-22"), GJL_OVERFLOW);
  CHECK_INT_EQ(date_status("999999999999-01-01"), GJL_OVERFLOW);
  CHECK_INT_EQ(stamp_in("2262-04-11 23:47:16.854775807", NANO, 0, 0).value, INT64_MAX);
  CHECK_INT_EQ(stamp_in("2262-04-11 23:47:16.854775808", NANO, 0, 0).status, GJL_OVERFLOW);
  CHECK_INT_EQ(stamp_in("1677-09-21 00:12:43.145224192", NANO, 0, 0).value, INT64_MIN);
  CHECK_INT_EQ(stamp_in("1677-09-21 00:12:43.145224191", NANO, 0, 0).status, GJL_OVERFLOW);
  CHECK_INT_EQ(stamp_in("292277026596-12-04 15:30:07", SECOND, 0, 0).value, INT64_MAX);
  CHECK_INT_EQ(stamp_in("292277026596-12-04 15:30:08", SECOND, 0, 0).status, GJL_OVERFLOW);
  CHECK_INT_EQ(stamp_in("-292277022657-01-27 08:29:52", SECOND, 0, 0).value, INT64_MIN);
  CHECK_INT_EQ(time_of_text("24:00:00"), -GJL_INVALID);
  CHECK_INT_EQ(time_of_text("24H00H00"), -GJL_INVALID);
  CHECK_INT_EQ(time_of_text("00:60:00"), -GJL_INVALID);
  CHECK_INT_EQ(time_of_text("00:00:100"), -GJL_INVALID);
  CHECK_INT_EQ(time_of_text("10"), -GJL_INVALID);
}

static void what_is_written_is_read_as_the_same(void) {
  for (int round = 0; round < many(100000); round++) {
    int64_t t = random_int(), scale = scales[round % 4], value = 0;
    CHECK_OR_RETURN(gjl_format_timestamp(t, scale, 0, 0, address(&view), fresh()) == GJL_DONE);
    CHECK_INT_EQ(gjl_parse_timestamp(view.address, view.length, scale, 0, 0, address(&value)),
                 GJL_DONE);
    if (!CHECK_INT_EQ(value, t))
      CHECK_OR_RETURN(false);
    int64_t days = (int32_t)random_int(), time = gjl_local_time(t, scale, 0, 0);
    gjl_format_date(days, address(&view), fresh());
    CHECK_OR_RETURN(gjl_parse_date(view.address, view.length, address(&value)) == GJL_DONE &&
                    value == days);
    gjl_format_time(time, scale, address(&view), fresh());
    CHECK_OR_RETURN(gjl_parse_time(view.address, view.length, scale, address(&value)) == GJL_DONE &&
                    value == time);
    int64_t months = (int32_t)random_int(), pair[2];
    gjl_format_interval(months, days, t, address(&view), fresh());
    CHECK_OR_RETURN(gjl_parse_interval(view.address, view.length, address(pair)) == GJL_DONE);
    CHECK_OR_RETURN(gjl_interval_low(pair[0]) == months && gjl_interval_high(pair[0]) == days &&
                    pair[1] == t);
  }
}

static void texts_are_written_as_gandiva_writes_them(void) {
  CHECK_STR_EQ(text_of(stamp("2000-05-01 10:20:34")), "2000-05-01 10:20:34.000");
  CHECK_STR_EQ(text_of(stamp("0002-5-1 00:00:04")), "0002-05-01 00:00:04.000");
  CHECK_STR_EQ(text_of(stamp("1969-12-31 23:59:59.920")), "1969-12-31 23:59:59.920");
  CHECK_STR_EQ(text_of(stamp("-0044-03-15")), "-0044-03-15 00:00:00.000");
  CHECK_STR_EQ(written(gjl_format_time(86399000000001, NANO, address(&view), fresh())),
               "23:59:59.000000001");
  CHECK_STR_EQ(written(gjl_format_time(59, SECOND, address(&view), fresh())), "00:00:59");
  CHECK_STR_EQ(written(gjl_format_interval(-14, 3, -500000000, address(&view), fresh())),
               "P-1Y-2M3DT-0.5S");
  CHECK_STR_EQ(written(gjl_format_interval(0, 0, 0, address(&view), fresh())), "PT0S");
  CHECK_STR_EQ(written(gjl_format_duration(INT64_MIN, SECOND, address(&view), fresh())),
               "PT-2562047788015215H-30M-8S");
  CHECK_STR_EQ(written(gjl_format_duration(3600, SECOND, address(&view), fresh())), "PT1H");
  CHECK_STR_EQ(written(gjl_format_duration(61500, MILLI, address(&view), fresh())), "PT1M1.5S");
}

static void without_room_nothing_is_written(void) {
  static char small[40];
  for (int64_t room = 0; room < 40; room++) {
    arena = (gjl_arena){address(small), address(small) + room};
    CHECK_INT_EQ(gjl_format_timestamp(0, MILLI, 0, 0, address(&view), address(&arena)), GJL_MORE);
    CHECK_INT_EQ(arena.next, address(small));
  }
}

// ---- intervals ----

static const char *interval_text(const char *text) {
  int64_t pair[2];
  int64_t status = gjl_parse_interval(address(text), (int64_t)strlen(text), address(pair));
  if (status)
    return status == GJL_INVALID ? "invalid" : "overflow";
  return written(gjl_format_interval(gjl_interval_low(pair[0]), gjl_interval_high(pair[0]), pair[1],
                                     address(&view), fresh()));
}

static result day_time(const char *text) {
  result r = {0, 0};
  r.status = gjl_parse_interval_day_time(address(text), (int64_t)strlen(text), address(&r.value));
  return r;
}

static result year_month(const char *text) {
  result r = {0, 0};
  r.status = gjl_parse_interval_months(address(text), (int64_t)strlen(text), address(&r.value));
  return r;
}

static void intervals_are_read_as_gandiva_reads_them(void) {
  static const struct {
    const char *text;
    int64_t days, milliseconds, months;
  } rows[] = {
      {"73834992", 0, 73834992, 73834992},
      {"1", 0, 1, 1},
      {"PT0.001S", 0, 1, 0},
      {"P12Y15D", 15, 0, 144},
      {"P12Y2M15D", 15, 0, 146},
      {"P5M13D", 13, 0, 5},
      {"P2Y5M13DT10H42M21S", 13, 38541000, 29},
      {"PT10H42M21S", 0, 38541000, 0},
      {"PT42M21S", 0, 2541000, 0},
      {"P25W", 175, 0, 0},
      {"P2,5Y5,5M13DT10,5H42,5M21,5S", 13, 40371500, 35},
      {"P2.5Y5.5M13DT10.5H42.5M21.5S", 13, 40371500, 35},
      {"P-1D", -1, 0, 0},
      {"P-1W", -7, 0, 0},
      {"P-1Y-2M", 0, 0, -14},
      {"PT48H1M1S", 2, 61000, 0},
      {"P10DT1S", 10, 1000, 0},
      {"P0DT0S", 0, 0, 0},
  };
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    result days = day_time(rows[row].text), months = year_month(rows[row].text);
    CHECK_INT_EQ(days.status | months.status, GJL_DONE);
    CHECK_INT_EQ(gjl_interval_low(days.value), rows[row].days);
    CHECK_INT_EQ(gjl_interval_high(days.value), rows[row].milliseconds);
    CHECK_INT_EQ(months.value, rows[row].months);
  }
  static const char *const wrong[] = {
      "",           "P15D12Y",    "P12M15D2Y", "5M13D",   "P2Y5M13DT10H42m21S",
      "P10H42M21S", "P2Y25W2M3D", "P",         "PT",      "P1DT",
      "P1Y1Y",      "P1.Y",       "P--1D",     "P1DT1H1D"};
  for (size_t row = 0; row < sizeof wrong / sizeof *wrong; row++)
    if (day_time(wrong[row]).status != GJL_INVALID || year_month(wrong[row]).status != GJL_INVALID)
      CHECK_STR_EQ(wrong[row], "refused");
}

static void intervals_in_words_are_read(void) {
  CHECK_STR_EQ(interval_text("1 year 2 months -3 days 04:05:06.7"), "P1Y2M-3DT4H5M6.7S");
  CHECK_STR_EQ(interval_text("1.5 years 1 quarter 2 weeks"), "P1Y9M14D");
  CHECK_STR_EQ(interval_text("1.5 days"), "P1DT12H");
  CHECK_STR_EQ(interval_text("-0.5 seconds"), "PT-0.5S");
  CHECK_STR_EQ(interval_text("-00:30"), "PT-30M");
  CHECK_STR_EQ(interval_text("10ms 3us 1 ns"), "PT0.010003001S");
  CHECK_STR_EQ(interval_text("2 Centuries 1 DECADE"), "P210Y");
  CHECK_STR_EQ(interval_text("-P1Y-2M"), "P-10M");
  CHECK_STR_EQ(interval_text("9223372036854775807 ns"), "invalid");
  CHECK_STR_EQ(interval_text("9223372036854 ms"), "PT2562047H47M16.854S");
  CHECK_STR_EQ(interval_text("9223372037 s"), "overflow");
  CHECK_STR_EQ(interval_text("3000000000 days"), "overflow");
  CHECK_STR_EQ(interval_text("-2147483648 months"), "P-178956970Y-8M");
  CHECK_STR_EQ(interval_text("12"), "invalid");
  CHECK_STR_EQ(interval_text("1 fortnight"), "invalid");
  CHECK_STR_EQ(interval_text("1 day x"), "invalid");
  CHECK_STR_EQ(interval_text("day"), "invalid");
  CHECK_STR_EQ(interval_text("1 daysx"), "invalid");
  CHECK_STR_EQ(interval_text("1 ds"), "invalid");
}

static void intervals_add_and_multiply_within_their_type(void) {
  int64_t out[2] = {0, 0}, a = gjl_interval_pair(-3, 500);
  CHECK_INT_EQ(gjl_interval_milliseconds(a), -3 * INT64_C(86400000) + 500);
  CHECK_INT_EQ(gjl_interval_milliseconds(-100), -8640000001); // as Gandiva reads its bits
  CHECK_INT_EQ(gjl_interval_pair_add(a, gjl_interval_pair(5, -600), -1, address(out)), GJL_DONE);
  CHECK_INT_EQ(out[0], gjl_interval_pair(-8, 1100));
  CHECK_INT_EQ(gjl_interval_pair_multiply(a, -4, address(out)), GJL_DONE);
  CHECK_INT_EQ(out[0], gjl_interval_pair(12, -2000));
  CHECK_INT_EQ(gjl_interval_pair_multiply(a, INT64_MIN, address(out)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_interval_pair_multiply(gjl_interval_pair(INT32_MIN, 0), -1, address(out)),
               GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_interval_add(a, INT64_MAX, a, 1, 1, address(out)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_interval_add(a, 7, a, 9, -1, address(out)), GJL_DONE);
  CHECK(out[0] == 0 && out[1] == -2);
  CHECK_INT_EQ(gjl_interval_multiply(a, 7, 3, address(out)), GJL_DONE);
  CHECK(out[0] == gjl_interval_pair(-9, 1500) && out[1] == 21);
}

// ---- truncation, addition, differences ----

enum { HOUR = 3600000, DAY = 86400000 };

static int64_t truncated(const char *text, int64_t size, int64_t origin) {
  int64_t value = 0;
  CHECK_INT_EQ(gjl_trunc(stamp(text), size, origin, MILLI, 0, 0, address(&value)), GJL_DONE);
  return value;
}

static int64_t truncated_months(const char *text, int64_t months, int64_t origin) {
  int64_t value = 0;
  CHECK_INT_EQ(gjl_trunc_months(stamp(text), months, origin, MILLI, 0, 0, address(&value)),
               GJL_DONE);
  return value;
}

#define CHECK_TEXT(t, text) CHECK_STR_EQ(text_of(t), text ".000")

static void timestamps_are_truncated(void) {
  const char *t = "2015-05-05 10:20:34";
  CHECK_TEXT(truncated(t, 1000, 0), "2015-05-05 10:20:34");
  CHECK_TEXT(truncated(t, 60000, 0), "2015-05-05 10:20:00");
  CHECK_TEXT(truncated(t, HOUR, 0), "2015-05-05 10:00:00");
  CHECK_TEXT(truncated(t, DAY, 0), "2015-05-05 00:00:00");
  CHECK_TEXT(truncated_months(t, 1, 0), "2015-05-01 00:00:00");
  CHECK_TEXT(truncated_months(t, 3, 0), "2015-04-01 00:00:00");
  CHECK_TEXT(truncated_months(t, 12, 0), "2015-01-01 00:00:00");
  CHECK_TEXT(truncated_months(t, 120, 0), "2010-01-01 00:00:00");
  CHECK_TEXT(truncated_months("2115-05-05 10:20:34", 1200, 12), "2101-01-01 00:00:00");
  CHECK_TEXT(truncated_months("2115-05-05 10:20:34", 12000, 12), "2001-01-01 00:00:00");
  CHECK_TEXT(truncated_months("1930-05-15 12:34:56", 1200, 12), "1901-01-01 00:00:00");
  CHECK_TEXT(truncated("2011-01-01 10:10:10", 7 * INT64_C(86400000), -3 * DAY),
             "2010-12-27 00:00:00");
  CHECK_TEXT(truncated("2011-01-02 10:10:10", 7 * INT64_C(86400000), -3 * DAY),
             "2010-12-27 00:00:00");
  CHECK_TEXT(truncated("2011-01-03 10:10:10", 7 * INT64_C(86400000), -3 * DAY),
             "2011-01-03 00:00:00");
  CHECK_TEXT(truncated("2000-03-05 10:10:10", 7 * INT64_C(86400000), -3 * DAY),
             "2000-02-28 00:00:00");
  CHECK_TEXT(truncated("1969-12-31 23:45:15", 60000, 0), "1969-12-31 23:45:00");
  CHECK_TEXT(truncated("1969-12-31 23:45:15", DAY, 0), "1969-12-31 00:00:00");
  CHECK_TEXT(truncated_months("1969-12-31 23:45:15", 3, 0), "1969-10-01 00:00:00");
}

static void truncation_agrees_with_wide_arithmetic(void) {
  for (int round = 0; round < many(50000); round++) {
    int64_t t = random_int(), origin = random_int(), size = random_int(), value = 0;
    size = round % 3 ? (int64_t)(random_bits() % 1000000) + 1 : size;
    if (size < 1)
      continue;
    wide expected = (wide)t - (wide)origin;
    expected -= ((expected % size) + size) % size;
    expected += origin;
    bool fits = expected >= INT64_MIN && expected <= INT64_MAX;
    int64_t status = gjl_trunc(t, size, origin, MILLI, 0, 0, address(&value));
    CHECK_OR_RETURN(fits ? status == GJL_DONE && value == (int64_t)expected
                         : status == GJL_OVERFLOW);
    int64_t days = (int32_t)t;
    status = gjl_date_trunc(days, size, origin, address(&value));
    CHECK_OR_RETURN(status ? status == GJL_OVERFLOW : value <= days && (wide)days - value < size);
  }
}

static int64_t moved(const char *text, int64_t n, int64_t times) {
  int64_t value = 0;
  CHECK_INT_EQ(gjl_add_months(stamp(text), n, times, MILLI, 0, 0, address(&value)), GJL_DONE);
  return value;
}

static void months_are_added_as_gandiva_adds_them(void) {
  CHECK_TEXT(moved("2000-05-01 10:20:34", 10, 1), "2001-03-01 10:20:34");
  CHECK_TEXT(moved("2000-01-31 10:20:34", 1, 1), "2000-02-29 10:20:34");
  CHECK_TEXT(moved("2001-01-31 10:20:34", 13, 1), "2002-02-28 10:20:34");
  CHECK_TEXT(moved("2000-05-31 10:20:34", 11, 1), "2001-04-30 10:20:34");
  CHECK_TEXT(moved("2000-05-01 10:20:34", -2, 3), "1999-11-01 10:20:34");
  CHECK_TEXT(moved("2000-05-01 10:20:34", 2, 12), "2002-05-01 10:20:34");
  CHECK_TEXT(moved("2000-05-01 10:20:34", -6, 3), "1998-11-01 10:20:34");
  int64_t value = 0;
  CHECK_INT_EQ(gjl_time_add(stamp("2000-05-01 10:20:34"), -35, DAY, address(&value)), GJL_DONE);
  CHECK_TEXT(value, "2000-03-27 10:20:34");
  CHECK_INT_EQ(gjl_date_add(days_of_text("2000-02-29"), -365, 1, address(&value)), GJL_DONE);
  CHECK_INT_EQ(value, days_of_text("1999-03-01"));
}

// Months from a date, by stepping over single months of lengths from a table.
static void added_months_agree_with_steps(void) {
  for (int round = 0; round < many(20000); round++) {
    int64_t days = (int64_t)(random_bits() % 4000000) - 2000000,
            months = (int64_t)(random_bits() % 60) - 30;
    slow_date date = slow_civil(days);
    int64_t index = date.year * 12 + date.month - 1 + months, year = slow_floor(index, 12);
    int month = (int)(index - year * 12), last = lengths[slow_leaps(year)][month], value_day;
    int64_t value = 0;
    CHECK_INT_EQ(gjl_date_add_months(days, months, 1, address(&value)), GJL_DONE);
    slow_date got = slow_civil(value);
    value_day = date.day < last ? date.day : last;
    CHECK_OR_RETURN(got.year == year && got.month == month + 1 && got.day == value_day);
  }
}

static void additions_that_leave_their_type_overflow(void) {
  int64_t value = 42;
  for (size_t scale = 0; scale < 4; scale++) {
    CHECK_INT_EQ(gjl_add_months(INT64_MAX, 1, 1, scales[scale], 0, 0, address(&value)),
                 GJL_OVERFLOW);
    CHECK_INT_EQ(gjl_add_months(INT64_MIN, -1, 1, scales[scale], 0, 0, address(&value)),
                 GJL_OVERFLOW);
    CHECK_INT_EQ(gjl_add_months(0, INT64_MAX, 12, scales[scale], 0, 0, address(&value)),
                 GJL_OVERFLOW);
    CHECK_INT_EQ(gjl_add_months(0, INT64_MIN, 1, scales[scale], 0, 0, address(&value)),
                 GJL_OVERFLOW);
    CHECK_INT_EQ(gjl_trunc_months(INT64_MIN, 12, 0, scales[scale], 0, 0, address(&value)),
                 GJL_OVERFLOW);
    CHECK_INT_EQ(gjl_add_interval(0, 0, 0, INT64_MIN, -1, scales[scale], 0, 0, address(&value)),
                 GJL_OVERFLOW);
  }
  CHECK_INT_EQ(gjl_date_add(INT32_MAX, 1, 1, address(&value)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_date_add(0, INT64_MAX, INT64_MAX, address(&value)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_date_add_months(INT32_MIN, -1, 1, address(&value)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_last_day(INT32_MAX, address(&value)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_next_day(INT32_MAX, 0, address(&value)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_time_rescale(INT64_MAX, 1000, 1, address(&value)), GJL_OVERFLOW);
  CHECK_INT_EQ(value, 42);
}

static void intervals_are_added_to_timestamps(void) {
  int64_t value = 0, t = stamp("2020-01-31 23:00:00");
  CHECK_INT_EQ(gjl_add_interval(t, 1, 1, INT64_C(3600000000000), 1, MILLI, 0, 0, address(&value)),
               GJL_DONE);
  CHECK_TEXT(value, "2020-03-02 00:00:00");
  CHECK_INT_EQ(gjl_add_interval(t, 1, 1, INT64_C(3600000000000), -1, MILLI, 0, 0, address(&value)),
               GJL_DONE);
  CHECK_TEXT(value, "2019-12-30 22:00:00");
  CHECK_INT_EQ(gjl_time_of_day_add(0, -1, NANO), INT64_C(86399999999999));
  CHECK_INT_EQ(gjl_time_of_day_add(86399, 2 * INT64_C(1000000000), SECOND), 1);
}

static void differences_are_those_of_gandiva(void) {
  static const struct {
    const char *a, *b;
    int64_t months, days;
  } rows[] = {
      {"2019-06-30", "2019-05-31", -1, 30}, {"2019-06-30", "2019-02-28", -4, 122},
      {"2019-06-30", "2019-03-31", -3, 91}, {"2019-06-30", "2019-06-30", 0, 0},
      {"2019-06-30", "2019-07-31", 1, -31}, {"2019-06-30", "2019-07-30", 1, -30},
      {"2019-06-30", "2019-07-29", 0, -29},
  };
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    int64_t a = stamp(rows[row].a), b = stamp(rows[row].b), days = 0;
    CHECK_INT_EQ(gjl_diff_months(a, b, 1, MILLI, 0, 0), rows[row].months);
    CHECK_INT_EQ(gjl_time_diff(b, a, DAY, address(&days)), GJL_DONE);
    CHECK_INT_EQ(days, rows[row].days);
    CHECK_INT_EQ(gjl_diff_days(b, a, MILLI, 0, 0), rows[row].days);
  }
  static const struct {
    const char *end, *start;
    double months;
  } between[] = {
      {"1995-03-02", "1995-02-02", 1.0},
      {"1995-02-02", "1995-03-02", -1.0},
      {"1995-03-31", "1995-02-28", 1.0},
      {"1996-03-31", "1996-02-28", 1.09677418},
      {"1996-03-31", "1996-02-29", 1.0},
      {"1996-05-31", "1996-03-30", 2.03225806},
      {"1996-03-15", "1996-02-14", 1.03225806},
      {"1995-02-02 10:00:00", "1995-01-01 11:00:00", 1.03091397},
  };
  for (size_t row = 0; row < sizeof between / sizeof *between; row++) {
    int64_t bits =
        gjl_months_between(stamp(between[row].end), stamp(between[row].start), MILLI, 0, 0);
    double months;
    memcpy(&months, &bits, sizeof months);
    CHECK(fabs(months - between[row].months) < 1e-7);
  }
}

static void differences_agree_with_wide_arithmetic(void) {
  for (int round = 0; round < many(50000); round++) {
    int64_t a = random_int(), b = random_int(),
            size = (int64_t)(random_bits() >> (1 + random_bits() % 62)), value = 0;
    size += size == 0;
    wide expected = ((wide)b - a) / size;
    bool fits = expected >= INT64_MIN && expected <= INT64_MAX;
    int64_t status = gjl_time_diff(a, b, size, address(&value));
    CHECK_OR_RETURN(fits ? status == GJL_DONE && value == (int64_t)expected
                         : status == GJL_OVERFLOW);
    CHECK_OR_RETURN(gjl_diff_months(a, b, 1, MILLI, 0, 0) ==
                    -gjl_diff_months(b, a, 1, MILLI, 0, 0));
  }
}

static void days_next_and_last_are_those_of_gandiva(void) {
  static const struct {
    const char *date, *weekday, *next;
  } rows[] = {
      {"2021-11-08", "FR", "2021-11-12"},  {"2021-11-08", "FRIDAY", "2021-11-12"},
      {"2015-08-06", "THU", "2015-08-13"}, {"2012-08-14", "TUE", "2012-08-21"},
      {"2012-12-12", "TU", "2012-12-18"},  {"2000-01-01", "saturday", "2000-01-08"},
      {"2021-11-08", "SA", "2021-11-13"},  {"2021-11-08", "TH", "2021-11-11"},
      {"2021-11-08", "Su", "2021-11-14"},
  };
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    int64_t weekday = 0, value = 0;
    CHECK_INT_EQ(gjl_parse_weekday(address(rows[row].weekday), (int64_t)strlen(rows[row].weekday),
                                   address(&weekday)),
                 GJL_DONE);
    CHECK_INT_EQ(gjl_next_day(days_of_text(rows[row].date), weekday, address(&value)), GJL_DONE);
    CHECK_INT_EQ(value, days_of_text(rows[row].next));
  }
  static const char *const wrong[] = {"", "S", "AHSRK", "DAY", "mondays", "mo n"};
  for (size_t row = 0; row < sizeof wrong / sizeof *wrong; row++) {
    int64_t weekday = 0;
    CHECK_INT_EQ(
        gjl_parse_weekday(address(wrong[row]), (int64_t)strlen(wrong[row]), address(&weekday)),
        GJL_INVALID);
  }
  int64_t value = 0;
  CHECK_INT_EQ(gjl_last_day(days_of_text("2016-02-11"), address(&value)), GJL_DONE);
  CHECK_INT_EQ(value, days_of_text("2016-02-29"));
  CHECK_INT_EQ(gjl_last_day(days_of_text("2015-12-03"), address(&value)), GJL_DONE);
  CHECK_INT_EQ(value, days_of_text("2015-12-31"));
}

static int64_t bits_of(double value) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static int64_t bits_of_float(float value) {
  int32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void numbers_become_times(void) {
  int64_t value = 0;
  gjl_timestamp_of_f64(bits_of(61.6), MILLI, address(&value));
  CHECK_INT_EQ(value, 61600);
  gjl_timestamp_of_f32(bits_of_float(3601.4f), MILLI, address(&value));
  CHECK_INT_EQ(value, 3601400);
  CHECK_INT_EQ(gjl_timestamp_of_f64(bits_of(NAN), MILLI, address(&value)), GJL_INVALID);
  CHECK_INT_EQ(gjl_timestamp_of_f64(bits_of(1e300), MILLI, address(&value)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_timestamp_of_f64(bits_of(-0x1p63), SECOND, address(&value)), GJL_DONE);
  CHECK_INT_EQ(value, INT64_MIN);
  CHECK_INT_EQ(gjl_time_of_int(86400001, MILLI), 1);
  CHECK_INT_EQ(gjl_time_of_int(-1, MILLI), 0);
  CHECK_INT_EQ(gjl_make_date(2000, 2, 29, address(&value)), GJL_DONE);
  CHECK_INT_EQ(value, 11016);
  CHECK_INT_EQ(gjl_make_date(1900, 2, 29, address(&value)), GJL_INVALID);
  CHECK_INT_EQ(gjl_make_date(INT64_MAX, 2, 29, address(&value)), GJL_OVERFLOW);
  CHECK_INT_EQ(gjl_make_time(23, 59, 59, NANO, address(&value)), GJL_DONE);
  CHECK_INT_EQ(value, INT64_C(86399000000000));
  CHECK_INT_EQ(gjl_make_time(24, 0, 0, NANO, address(&value)), GJL_INVALID);
  CHECK_INT_EQ(gjl_time_rescale(-1, 1, 1000, address(&value)), GJL_DONE);
  CHECK_INT_EQ(value, -1);
}

// ---- time zones ----

// A zone of all that is odd: local mean time with seconds, a change of half an hour, a day left
// out, and the rule of Berlin in the years that the rest of time goes by.
enum { ZONE_ROWS = 5 + 2 * 28 };
static struct {
  int64_t starts[ZONE_ROWS];
  int32_t offsets[ZONE_ROWS];
} zone = {{INT64_MIN, -2000000000, 0, 1000000000, 2000000000},
          {3208, 3600, 5400, 3600 - 86400, 3600}};

static int64_t last_sunday(int64_t year, int64_t month) {
  int64_t last = gjl_days_of(year, month, 31);
  return last - gjl_dow_of_days(last);
}

static void make_zone(void) {
  for (int64_t year = 0; year < 28; year++) {
    zone.starts[5 + 2 * year] = last_sunday(GJL_ZONE_YEARS + year, 3) * 86400 + 3600;
    zone.starts[6 + 2 * year] = last_sunday(GJL_ZONE_YEARS + year, 10) * 86400 + 3600;
    zone.offsets[5 + 2 * year] = 7200;
    zone.offsets[6 + 2 * year] = 3600;
  }
}

static int64_t offset_at(int64_t seconds) {
  return gjl_zone_offset(seconds, address(&zone), ZONE_ROWS);
}

static int64_t slow_offset(int64_t seconds) {
  int64_t row = ZONE_ROWS - 1;
  while (zone.starts[row] > seconds)
    row--;
  return zone.offsets[row];
}

static void offsets_are_those_of_the_table(void) {
  make_zone();
  for (size_t row = 0; row < ZONE_ROWS; row++)
    for (int64_t near = row ? -2 : 0; near <= 2; near++)
      CHECK_OR_RETURN(offset_at(zone.starts[row] + near) == slow_offset(zone.starts[row] + near));
  for (int64_t year = GJL_ZONE_YEARS; year < GJL_ZONE_YEARS + 3000; year += 7) {
    int64_t spring = last_sunday(year, 3) * 86400 + 3600,
            autumn = last_sunday(year, 10) * 86400 + 3600;
    CHECK_INT_EQ(offset_at(spring - 1), 3600);
    CHECK_INT_EQ(offset_at(spring), 7200);
    CHECK_INT_EQ(offset_at(autumn - 1), 7200);
    CHECK_INT_EQ(offset_at(autumn), 3600);
  }
  CHECK_INT_EQ(offset_at(INT64_MIN), 3208);
  CHECK(offset_at(INT64_MAX) == 3600 || offset_at(INT64_MAX) == 7200);
  CHECK_INT_EQ(gjl_zone_offset(12345, address(&zone), 0), 0);
}

static void local_times_become_instants(void) {
  make_zone();
  int64_t of = address(&zone), spring = last_sunday(3000, 3) * 86400 + 3600, out = 0;
  // 02:30 does not exist and is 03:30 of summer; 02:30 in autumn is that of summer.
  CHECK_INT_EQ(gjl_to_utc(spring + 5400, SECOND, of, ZONE_ROWS, address(&out)), GJL_DONE);
  CHECK_INT_EQ(out, spring + 1800);
  int64_t autumn = last_sunday(3000, 10) * 86400 + 3600;
  CHECK_INT_EQ(gjl_to_utc(autumn + 5400, SECOND, of, ZONE_ROWS, address(&out)), GJL_DONE);
  CHECK_INT_EQ(out, autumn - 1800);
  for (int round = 0; round < many(100000); round++) {
    int64_t t = random_int(), scale = scales[round % 4], local = 0, back = 0;
    if (round % 2)
      t = (zone.starts[1 + random_bits() % (ZONE_ROWS - 1)] + (int64_t)(random_bits() % 20000) -
           10000) *
          MILLI,
      scale = MILLI;
    if (gjl_to_local(t, scale, of, ZONE_ROWS, address(&local)) != GJL_DONE)
      continue;
    CHECK_OR_RETURN(gjl_local_days(t, scale, of, ZONE_ROWS) == gjl_local_days(local, scale, 0, 0));
    CHECK_OR_RETURN(gjl_local_time(t, scale, of, ZONE_ROWS) == gjl_local_time(local, scale, 0, 0));
    CHECK_OR_RETURN(gjl_to_utc(local, scale, of, ZONE_ROWS, address(&back)) == GJL_DONE);
    // The same instant, or the earlier one of that local time.
    if (back != t) {
      int64_t again = 0;
      gjl_to_local(back, scale, of, ZONE_ROWS, address(&again));
      CHECK_OR_RETURN(back < t && again == local);
    }
  }
}

static void fields_near_the_ends_of_time_are_local(void) {
  make_zone();
  int64_t of = address(&zone), out = 0;
  CHECK_INT_EQ(gjl_to_local(INT64_MAX, NANO, of, ZONE_ROWS, address(&out)), GJL_OVERFLOW);
  // 2262-04-11 23:47:16 UTC is the next day with two hours more.
  CHECK_INT_EQ(gjl_local_days(INT64_MAX, NANO, of, ZONE_ROWS), gjl_days_of(2262, 4, 12));
  CHECK_INT_EQ(gjl_local_time(INT64_MAX, NANO, of, ZONE_ROWS) / NANO,
               (23 * 3600 + 47 * 60 + 16 + 7200) % 86400);
}

static void days_and_months_keep_the_local_time(void) {
  make_zone();
  int64_t of = address(&zone), spring = last_sunday(2110, 3) * 86400 + 3600, out = 0;
  CHECK_INT_EQ(gjl_add_days(spring - 7200, 1, 1, SECOND, of, ZONE_ROWS, address(&out)), GJL_DONE);
  CHECK_INT_EQ(out, spring - 7200 + 23 * 3600);
  CHECK_INT_EQ(gjl_add_days(spring - 7200, 1, 1, SECOND, 0, 0, address(&out)), GJL_DONE);
  CHECK_INT_EQ(out, spring - 7200 + 24 * 3600);
  // Midnight of the day that lost an hour; and hours of the one that gained one stay two.
  CHECK_INT_EQ(gjl_trunc(spring + 7200, 86400, 0, SECOND, of, ZONE_ROWS, address(&out)), GJL_DONE);
  CHECK_INT_EQ(out, spring - 7200);
  int64_t autumn = last_sunday(2110, 10) * 86400 + 3600;
  CHECK_INT_EQ(gjl_trunc(autumn + 1800, 3600, 0, SECOND, of, ZONE_ROWS, address(&out)), GJL_DONE);
  CHECK_INT_EQ(out, autumn);
  CHECK_INT_EQ(gjl_trunc(autumn - 1800, 3600, 0, SECOND, of, ZONE_ROWS, address(&out)), GJL_DONE);
  CHECK_INT_EQ(out, autumn - 3600);
  CHECK_INT_EQ(gjl_trunc_months(autumn, 12, 0, SECOND, of, ZONE_ROWS, address(&out)), GJL_DONE);
  CHECK_INT_EQ(out, gjl_days_of(2110, 1, 1) * 86400 - 3600);
  CHECK_INT_EQ(gjl_diff_months(spring - 7200, out, 1, SECOND, of, ZONE_ROWS), -2);
  CHECK_STR_EQ(
      written(gjl_format_timestamp(-3000000000, SECOND, of, ZONE_ROWS, address(&view), fresh())),
      "1874-12-07 19:33:28+00:53:28");
  result r = stamp_in("1874-12-07 19:33:28", SECOND, of, ZONE_ROWS);
  CHECK_INT_EQ(r.value, -3000000000);
  r = stamp_in("1874-12-07 19:33:28+00:00", SECOND, of, ZONE_ROWS);
  CHECK_INT_EQ(r.value, -3000000000 + 3208);
}

// ---- patterns ----

static const char *by_pattern(const char *text, const char *pattern) {
  return written(gjl_format_pattern(stamp(text), MILLI, 0, 0, address(pattern),
                                    (int64_t)strlen(pattern), address(&view), fresh()));
}

static result read_pattern(const char *text, const char *pattern, bool trailing) {
  result r = {0, 0};
  r.status = gjl_parse_pattern(address(text), (int64_t)strlen(text), address(pattern),
                               (int64_t)strlen(pattern), trailing, MILLI, 0, 0, address(&r.value));
  return r;
}

static void timestamps_are_written_by_a_pattern(void) {
  const char *t = "2023-03-05 13:04:09.078";
  CHECK_STR_EQ(by_pattern(t, "yyyy-MM-dd hh24:mi:ss"), "2023-03-05 13:04:09");
  CHECK_STR_EQ(by_pattern(t, "YYYYMMDDThh24miss.fffZ"), "20230305T130409.078Z");
  CHECK_STR_EQ(by_pattern(t, "Day DY dy, d DDD"), "Sunday SUN sun, 7 064");
  CHECK_STR_EQ(by_pattern(t, "Month MON mon q cc yy"), "March MAR mar 1 21 23");
  CHECK_STR_EQ(by_pattern(t, "hh:mi:ss AM hh12 pm"), "01:04:09 PM 01 pm");
  CHECK_STR_EQ(by_pattern(t, "ww iw ff6 f ff"), "09 09 078000 0 07");
  CHECK_STR_EQ(by_pattern(t, "\"day \"dd\" of \"mm tzo tzh:tzm"), "day 05 of 03 +00:00 +00:00");
  CHECK_STR_EQ(by_pattern("-0043-03-15", "yyyy bc"), "0044 bc");
  CHECK_STR_EQ(by_pattern("-0043-03-15", "yyyy cc"), "-0043 00");
  CHECK_STR_EQ(by_pattern(t, ""), "");
  CHECK_STR_EQ(by_pattern(t, "x"), "(status)");
  CHECK_STR_EQ(by_pattern(t, "yyyy\"x"), "(status)");
  CHECK_STR_EQ(by_pattern(t, "yyy"), "(status)");
}

static void texts_are_read_by_a_pattern(void) {
  static const struct {
    const char *text, *pattern;
    int64_t value;
  } rows[] = {
      {"1986-12-01 01:01:01", "YYYY-MM-DD HH:MI:SS", 533779200000 + 3661000},
      {"1986-12-01 01:01:01.11", "YYYY-MM-DD HH:MI:SS", 533779200000 + 3661000},
      {"1986-12-01 01:01:01 +0800", "YYYY-MM-DD HH:MI:SS", 533779200000 + 3661000},
      {"1886-12-01 01:01:01", "YYYY-MM-DD HH:MI:SS", -2621894400000 + 3661000},
      {"1886-12-1", "YYYY-MM-DD", -2621894400000},
      {"2012-12", "YYYY-MM", 1354320000000},
      {"1999", "YYYY", 915148800000},
      {"19991231235959123", "yyyymmddhh24missfff", 946684799123},
      {"12/31/99 11:59:59 pm", "mm/dd/yy hh:mi:ss am", 946684799000},
      {"Friday, 31 December 1999", "day, dd month yyyy", 946598400000},
      {"fri 31 dec 1999", "dy dd mon yyyy", 946598400000},
      {"1999 365", "yyyy ddd", 946598400000},
      {"1999-12-31T23:59:59.5+01:00", "yyyy-mm-ddThh24:mi:ss.ftzo", 946684799500 - 3600000},
      {"1999-12-31 -01:30", "yyyy-mm-dd tzh:tzm", 946598400000 + 5400000},
      {"44-03-15 BC", "yyyy-mm-dd ad", -63517824000000},
      {"12 AM", "hh am", 0},
  };
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    result r = read_pattern(rows[row].text, rows[row].pattern, true);
    if (r.status || r.value != rows[row].value) {
      CHECK_STR_EQ(rows[row].text, "read");
      CHECK_INT_EQ(r.value, rows[row].value);
    }
  }
  static const char *const wrong[][2] = {
      {"1986-21-01 01:01:01", "YYYY-MM-DD HH:MI:SS"},
      {"1986-01-40 01:01:01", "YYYY-MM-DD HH:MI:SS"},
      {"1986-01-01 01:01:01 +0800", "YYYY-MM-DD HH:MI:SS tzx"},
      {"1986-01-01 13:01:01", "YYYY-MM-DD HH:MI:SS"},
      {"1986-01-01x", "YYYY-MM-DD"},
      {"1986-02-29", "YYYY-MM-DD"},
      {"1986 366", "YYYY ddd"},
      {"10 am", "hh24 am"},
      {"20", "cc"},
      {"1986", "\"1986"},
      {"", "yyyy"},
  };
  for (size_t row = 0; row < sizeof wrong / sizeof *wrong; row++)
    if (read_pattern(wrong[row][0], wrong[row][1], false).status != GJL_INVALID)
      CHECK_STR_EQ(wrong[row][0], wrong[row][1]);
  int64_t days = 0;
  CHECK_INT_EQ(gjl_parse_date_pattern(address("2012-12-1 x"), 11, address("yyyy-mm-dd"), 10, 1,
                                      address(&days)),
               GJL_DONE);
  CHECK_INT_EQ(days, 1354320000000 / DAY);
}

static void patterns_read_what_they_write(void) {
  static const char *const patterns[] = {"yyyy-mm-dd hh24:mi:ss.fff", "fff ss mi hh24 ddd yyyy",
                                         "Month dd, yyyy BC hh12:mi:ss.fff am",
                                         "dy dd mon yyyyThh24:mi:ss,fff tzo"};
  for (int round = 0; round < many(40000); round++) {
    int64_t t = random_int();
    const char *pattern = patterns[round % 4];
    CHECK_INT_EQ(gjl_format_pattern(t, MILLI, 0, 0, address(pattern), (int64_t)strlen(pattern),
                                    address(&view), fresh()),
                 GJL_DONE);
    result r = read_pattern(written(0), pattern, false);
    if (r.status || r.value != t) {
      CHECK_STR_EQ(written(0), pattern);
      return;
    }
  }
}

// ---- hostile texts ----

static void run_all(const char *text, int64_t length, const char *pattern, int64_t pattern_length) {
  int64_t at = address(text), of = address(pattern), out[2];
  gjl_parse_date(at, length, address(out));
  gjl_parse_time(at, length, NANO, address(out));
  gjl_parse_weekday(at, length, address(out));
  gjl_parse_interval_day_time(at, length, address(out));
  gjl_parse_interval_months(at, length, address(out));
  gjl_parse_pattern(at, length, of, pattern_length, random_bits() & 1, MICRO, 0, 0, address(out));
  gjl_parse_date_pattern(at, length, of, pattern_length, random_bits() & 1, address(out));
  gjl_format_pattern(random_int(), MICRO, 0, 0, of, pattern_length, address(&view), fresh());
  for (size_t scale = 0; scale < 4; scale++)
    if (gjl_parse_timestamp(at, length, scales[scale], 0, 0, address(out)) == GJL_DONE) {
      int64_t again = 0;
      gjl_format_timestamp(out[0], scales[scale], 0, 0, address(&view), fresh());
      CHECK(gjl_parse_timestamp(view.address, view.length, scales[scale], 0, 0, address(&again)) ==
                GJL_DONE &&
            again == out[0]);
    }
  if (gjl_parse_interval(at, length, address(out)) == GJL_DONE) {
    int64_t again[2] = {0, 0};
    gjl_format_interval(gjl_interval_low(out[0]), gjl_interval_high(out[0]), out[1], address(&view),
                        fresh());
    CHECK(gjl_parse_interval(view.address, view.length, address(again)) == GJL_DONE &&
          again[0] == out[0] && again[1] == out[1]);
  }
}

// A copy of its own size, so that a sanitizer sees what is read beyond it.
static char *mutated(const char *seed, int64_t *length) {
  static const char alphabet[] = "0123456789-+:.,/ TZPYMWDHS\"yfdahmis\xff";
  *length = (int64_t)strlen(seed);
  char *text = malloc((size_t)*length + 8);
  memcpy(text, seed, (size_t)*length);
  for (uint64_t change = random_bits() % 5; change > 0; change--) {
    int64_t place = (int64_t)(random_bits() % (uint64_t)(*length + 1));
    char byte = alphabet[random_bits() % (sizeof alphabet - 1)];
    if (random_bits() % 3 == 0 && place < *length)
      memmove(text + place, text + place + 1, (size_t)(--*length - place));
    else if (random_bits() % 2 && place < *length)
      text[place] = byte;
    else if (*length < (int64_t)strlen(seed) + 7) {
      memmove(text + place + 1, text + place, (size_t)((*length)++ - place));
      text[place] = byte;
    }
  }
  char *exact = malloc(*length ? (size_t)*length : 1);
  memcpy(exact, text, (size_t)*length);
  free(text);
  return exact;
}

static void any_text_is_read_or_refused(void) {
  static const char *const texts[] = {
      "",
      "2020-02-29",
      "2020-02-29 23:59:59.999999999",
      "-292277022657-01-27T08:29:52Z",
      "23:59:59.5",
      "2020-01-01 00:00+05:30",
      "P1Y2M3W4DT5H6M7.8S",
      "1 year -2 months 3.5 days 04:05:06.7",
      "999999999999999999 millennia",
      "thursday",
      "1 century 999999999999999999 ns",
  };
  static const char *const patterns[] = {"", "yyyy-mm-dd hh24:mi:ss.fff",
                                         "day, dd month yyyy bc hh:mi am tzo",
                                         "\"T\"ddd q cc ww iw yy tzh:tzm ff9"};
  int rounds = many(200000);
  for (int round = 0; round < rounds; round++) {
    int64_t length, pattern_length;
    char *text = mutated(texts[random_bits() % (sizeof texts / sizeof *texts)], &length);
    char *pattern = mutated(patterns[random_bits() % 4], &pattern_length);
    run_all(text, length, pattern, pattern_length);
    free(text);
    free(pattern);
  }
}

int main(void) {
  CHECK_RUN(fields_of_every_day_of_a_calendar_era_are_right);
  CHECK_RUN(fields_of_days_of_all_of_int32_and_beyond_are_right);
  CHECK_RUN(days_of_timestamps_in_lanes_are_floored);
  CHECK_RUN(sizes_divide_with_a_floor);
  CHECK_RUN(texts_are_read_as_gandiva_reads_them);
  CHECK_RUN(texts_of_other_forms_are_read);
  CHECK_RUN(wrong_texts_are_refused);
  CHECK_RUN(what_is_written_is_read_as_the_same);
  CHECK_RUN(texts_are_written_as_gandiva_writes_them);
  CHECK_RUN(without_room_nothing_is_written);
  CHECK_RUN(intervals_are_read_as_gandiva_reads_them);
  CHECK_RUN(intervals_in_words_are_read);
  CHECK_RUN(intervals_add_and_multiply_within_their_type);
  CHECK_RUN(timestamps_are_truncated);
  CHECK_RUN(truncation_agrees_with_wide_arithmetic);
  CHECK_RUN(months_are_added_as_gandiva_adds_them);
  CHECK_RUN(added_months_agree_with_steps);
  CHECK_RUN(additions_that_leave_their_type_overflow);
  CHECK_RUN(intervals_are_added_to_timestamps);
  CHECK_RUN(differences_are_those_of_gandiva);
  CHECK_RUN(differences_agree_with_wide_arithmetic);
  CHECK_RUN(days_next_and_last_are_those_of_gandiva);
  CHECK_RUN(numbers_become_times);
  CHECK_RUN(offsets_are_those_of_the_table);
  CHECK_RUN(local_times_become_instants);
  CHECK_RUN(fields_near_the_ends_of_time_are_local);
  CHECK_RUN(days_and_months_keep_the_local_time);
  CHECK_RUN(timestamps_are_written_by_a_pattern);
  CHECK_RUN(texts_are_read_by_a_pattern);
  CHECK_RUN(patterns_read_what_they_write);
  CHECK_RUN(any_text_is_read_or_refused);
  return check_report();
}
