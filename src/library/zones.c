// Offsets of time zones; see zones.h for the table.

#include "zones.h"

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

int64_t gjl_zone_offset(int64_t seconds, int64_t zone, int64_t count) {
  const int64_t *starts = (const int64_t *)(uintptr_t)zone;
  const int32_t *offsets = (const int32_t *)(uintptr_t)(zone + count * (int64_t)sizeof *starts);
  if (count <= 1)
    return count == 1 ? offsets[0] : 0;
  int64_t at = within(seconds), row = 0;
  for (int64_t rows = count; rows > 1;) {
    int64_t half = rows / 2;
    row += starts[row + half] <= at ? half : 0;
    rows -= half;
  }
  return offsets[row];
}

// A local time that clocks show twice is the earlier instant. One that they leave out is read with
// the offset before the gap, which makes it as much later: 02:30 is 03:30 where clocks go from
// 02:00 to 03:00. (As java.time and Temporal do unless told otherwise.)
int64_t gjl_zone_local_offset(int64_t seconds, int64_t zone, int64_t count) {
  const int64_t *starts = (const int64_t *)(uintptr_t)zone;
  const int32_t *offsets = (const int32_t *)(uintptr_t)(zone + count * (int64_t)sizeof *starts);
  if (count <= 1)
    return count == 1 ? offsets[0] : 0;
  // The first row that ends, in its own time, after the local time.
  int64_t at = within(seconds), row = 0;
  for (int64_t rows = count; rows > 1;) {
    int64_t half = rows / 2;
    row += starts[row + half] + offsets[row + half - 1] <= at ? half : 0;
    rows -= half;
  }
  return row > 0 && at < starts[row] + offsets[row] ? offsets[row - 1] : offsets[row];
}
