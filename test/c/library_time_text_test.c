// Texts of times are read alike here and by lib/columns/types/time-text.js: random ones, mostly a
// few characters away from right, with what came out go to a file, which test/support/time-text.js
// reads and compares.

#include "library/dates/zones.h"

#include "check.h"

#include <unistd.h>

static uint64_t state = 88172645463325252u;
static uint64_t random_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static int64_t address(const void *p) { return (int64_t)(uintptr_t)p; }

static const char *const seeds[] = {
    "2020-02-29",
    "1999/12/31",
    "-0044-3-15",
    "7-1-1",
    "5881580-07-11",
    "2020-02-29 23:59:59.999999999",
    "2262-04-11T23:47:16.854775807Z",
    "-292277022657-01-27 08:29:52",
    "2020-01-01 00:00+05:30",
    "2020-01-01 1:2:3-00:00:30",
    "2020-01-01 1:2 utc",
    "23:59:59.5",
    "9:5",
    "P1Y2M3W4DT5H6M7.8S",
    "-P1,5YT-0.5S",
    "1 year -2 months 3.5 days 04:05:06.7",
    "1.55 yrs 3 ms 2 centuries",
    "99999999999999999 s",
    "-1 mon 0.05 y",
};

// A seed with up to four characters added, changed or taken away.
static void make(char *text, size_t size) {
  static const char alphabet[] = "0123456789019-+:.,/ TZPYMWDHSdsmyhx\t";
  snprintf(text, size, "%s", seeds[random_bits() % (sizeof seeds / sizeof *seeds)]);
  for (uint64_t change = random_bits() % 5; change > 0; change--) {
    size_t length = strlen(text), place = random_bits() % (length + 1);
    if (random_bits() % 3 == 0 && place < length)
      memmove(text + place, text + place + 1, length - place);
    else if (length + 2 < size) {
      memmove(text + place + 1, text + place, length - place + 1);
      text[place] = alphabet[random_bits() % (sizeof alphabet - 1)];
    }
  }
}

// "name scale text status value [value]" with tabs between; the text is JSON's.
static void record(FILE *to, const char *name, int64_t scale, const char *text, int64_t status,
                   const int64_t *values, int count) {
  fprintf(to, "%s\t%" PRId64 "\t\"", name, scale);
  for (; *text; text++)
    fprintf(to, *text == '\t' ? "\\t" : "%c", *text);
  fprintf(to, "\"\t%" PRId64, status);
  for (int value = 0; value < count; value++)
    fprintf(to, "\t%" PRId64, status ? 0 : values[value]);
  fprintf(to, "\n");
}

static void record_all(FILE *to, const char *text) {
  int64_t at = address(text), length = (int64_t)strlen(text), out[2] = {0, 0}, status;
  status = gjl_parse_date(at, length, address(out));
  record(to, "date", 0, text, status, out, 1);
  for (int64_t scale = 1; scale <= 1000000000; scale *= 1000) {
    status = gjl_parse_time(at, length, scale, address(out));
    record(to, "time", scale, text, status, out, 1);
    status = gjl_parse_timestamp(at, length, scale, 0, 0, address(out));
    record(to, "timestamp", scale, text, status, out, 1);
  }
  status = gjl_parse_interval(at, length, address(out));
  int64_t parts[3] = {gjl_interval_low(out[0]), gjl_interval_high(out[0]), out[1]};
  record(to, "interval", 0, text, status, parts, 3);
}

static void texts_of_times_are_read_as_in_javascript(void) {
  char path[] = "/tmp/gj-times-XXXXXX", command[128], text[64];
  int file = mkstemp(path);
  CHECK_OR_RETURN(file >= 0);
  FILE *to = fdopen(file, "w");
  CHECK_OR_RETURN(to != NULL);
  for (int round = 0; round < (check_is_quick() ? 500 : 5000); round++) {
    make(text, sizeof text);
    record_all(to, text);
  }
  fclose(to);
  snprintf(command, sizeof command, "node test/support/time-text.js %s", path);
  CHECK_INT_EQ(system(command), 0);
  unlink(path);
}

int main(void) {
  CHECK_RUN(texts_of_times_are_read_as_in_javascript);
  return check_report();
}
