// Fuzzes the reading of times: whatever the bytes, the functions answer and read nothing else, and
// what they accept is written as a text that reads the same. The first byte says how many of the
// others are a pattern.

#include "library/dates/zones.h"

#include <stdlib.h>
#include <string.h>

static int64_t address(const void *p) { return (int64_t)(uintptr_t)p; }

static void expect(bool ok) {
  if (!ok)
    abort();
}

// Room for one text, new each time.
static int64_t room(gjl_arena *arena) {
  static char memory[1 << 16];
  *arena = (gjl_arena){address(memory), address(memory) + (int64_t)sizeof memory};
  return address(arena);
}

static void try_stamp(int64_t at, int64_t length, int64_t per_second) {
  int64_t t = 0, again = 0;
  gjl_view view = {0};
  gjl_arena arena;
  if (gjl_parse_timestamp(at, length, per_second, 0, 0, address(&t)))
    return;
  expect(!gjl_format_timestamp(t, per_second, 0, 0, address(&view), room(&arena)));
  expect(!gjl_parse_timestamp(view.address, view.length, per_second, 0, 0, address(&again)));
  expect(again == t);
}

static void try_interval(int64_t at, int64_t length) {
  int64_t of[2] = {0}, again[2] = {0};
  gjl_view view = {0};
  gjl_arena arena;
  gjl_parse_interval_day_time(at, length, address(of));
  gjl_parse_interval_months(at, length, address(of));
  if (gjl_parse_interval(at, length, address(of)))
    return;
  int64_t months = gjl_interval_low(of[0]), days = gjl_interval_high(of[0]);
  expect(!gjl_format_interval(months, days, of[1], address(&view), room(&arena)));
  expect(!gjl_parse_interval(view.address, view.length, address(again)));
  expect(memcmp(of, again, sizeof of) == 0);
}

static void try_pattern(int64_t at, int64_t length, int64_t pattern, int64_t pattern_length) {
  int64_t t = 0;
  gjl_view view = {0};
  gjl_arena arena;
  gjl_parse_date_pattern(at, length, pattern, pattern_length, 0, address(&t));
  gjl_parse_pattern(at, length, pattern, pattern_length, 1, 1000000000, 0, 0, address(&t));
  gjl_format_pattern(t, 1000000, 0, 0, pattern, pattern_length, address(&view), room(&arena));
}

// A copy of exactly its size.
static char *copy(const unsigned char *bytes, size_t size) {
  char *text = malloc(size ? size : 1);
  if (size)
    memcpy(text, bytes, size);
  return text;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  if (size == 0)
    return 0;
  size_t pattern_size = data[0] % size, text_size = size - 1 - pattern_size;
  char *pattern = copy(data + 1, pattern_size), *text = copy(data + 1 + pattern_size, text_size);
  int64_t at = address(text), length = (int64_t)text_size, value = 0;
  gjl_parse_date(at, length, address(&value));
  gjl_parse_time(at, length, 1000000000, address(&value));
  gjl_parse_weekday(at, length, address(&value));
  for (int64_t per_second = 1; per_second <= 1000000000; per_second *= 1000)
    try_stamp(at, length, per_second);
  try_interval(at, length);
  try_pattern(at, length, address(pattern), (int64_t)pattern_size);
  free(pattern);
  free(text);
  return 0;
}
