// Offsets of time zones; see zones.h for the table.

#include "library/dates/zones.h"

// The same time of the year in a year like it that the table has; instants before its end as they
// are.
static int64_t within(int64_t seconds) {
  const int64_t end = (gjl_days_of(GJL_ZONE_YEARS + 28, 1, 1)) * GJL_DAY_SECONDS;
  if (seconds < end)
    return seconds;
  int64_t year = gjl_civil_of(gjl_floor(seconds, GJL_DAY_SECONDS)).year;
  int64_t first = gjl_days_of(year, 1, 1), weekday = gjl_rest(first, 7);
  bool leaps = gjl_leaps(year);
  for (int64_t like = GJL_ZONE_YEARS; like < GJL_ZONE_YEARS + 28; like++) {
    int64_t start = gjl_days_of(like, 1, 1);
    if (gjl_leaps(like) == leaps && gjl_rest(start, 7) == weekday)
      return seconds - (first - start) * GJL_DAY_SECONDS;
  }
  return seconds;
}

// A zone's table: where its rows start, and their offsets.
typedef struct table {
  const int64_t *starts;
  const int32_t *offsets;
} table;

static table table_at(int64_t zone, int64_t count) {
  const int64_t *starts = (const int64_t *)(uintptr_t)zone;
  return (table){starts, (const int32_t *)(uintptr_t)(zone + count * (int64_t)sizeof *starts)};
}

// The last row that has started at `at`: an instant, or a time in the offset of the row before.
static inline int64_t row_at(table t, int64_t count, int64_t at, bool is_local) {
  int64_t row = 0;
  for (int64_t rows = count; rows > 1;) {
    int64_t half = rows / 2, before = is_local ? t.offsets[row + half - 1] : 0;
    row += t.starts[row + half] + before <= at ? half : 0;
    rows -= half;
  }
  return row;
}

int64_t gjl_zone_offset(int64_t seconds, int64_t zone, int64_t count) {
  table t = table_at(zone, count);
  if (count <= 1)
    return count == 1 ? t.offsets[0] : 0;
  return t.offsets[row_at(t, count, within(seconds), false)];
}

// A local time that clocks show twice is the earlier instant. One that they leave out is read with
// the offset before the gap, which makes it as much later: 02:30 is 03:30 where clocks go from
// 02:00 to 03:00. (As java.time and Temporal do unless told otherwise.)
int64_t gjl_zone_local_offset(int64_t seconds, int64_t zone, int64_t count) {
  table t = table_at(zone, count);
  if (count <= 1)
    return count == 1 ? t.offsets[0] : 0;
  int64_t at = within(seconds), row = row_at(t, count, at, true);
  return row > 0 && at < t.starts[row] + t.offsets[row] ? t.offsets[row - 1] : t.offsets[row];
}
