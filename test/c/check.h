// A small test harness for C: checks that print both values, tests that are sentences.
//
//   static void arena_keeps_every_allocation_aligned(void) { … CHECK_INT_EQ(a, b); … }
//   int main(void) { CHECK_RUN(arena_keeps_every_allocation_aligned); return check_report(); }
//
// Under valgrind the runner sets GRAPHJIT_QUICK; loops that only repeat ask check_is_quick(). With
// sanitizers it sets GRAPHJIT_SHARE; loops over many like cases ask check_takes(). GRAPHJIT_TEST is
// part of the names of the only tests to run.
// Checks stay on in release builds, and a failed check does not leave the test: a test that cannot
// go on says CHECK_OR_RETURN. The last line of output is `N passed, N failed`, counting tests.

#ifndef GJ_TEST_CHECK_H
#define GJ_TEST_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  int passed;
  int failed;
  int failures; // failed checks of the running test
} check_state;

static inline bool check_true(bool ok, const char *file, int line, const char *text) {
  if (!ok) {
    check_state.failures++;
    printf("%s:%d: %s\n", file, line, text);
  }
  return ok;
}

static inline bool check_int(intmax_t a, intmax_t b, const char *file, int line, const char *text) {
  if (a != b) {
    check_state.failures++;
    printf("%s:%d: %s: %" PRIdMAX " vs %" PRIdMAX "\n", file, line, text, a, b);
  }
  return a == b;
}

static inline bool check_str(const char *a, const char *b, const char *file, int line,
                             const char *text) {
  bool ok = a == b || (a && b && strcmp(a, b) == 0);
  if (!ok) {
    check_state.failures++;
    printf("%s:%d: %s:\n  \"%s\"\nvs\n  \"%s\"\n", file, line, text, a ? a : "(null)",
           b ? b : "(null)");
  }
  return ok;
}

// Compares bits, so that -0 and 0 differ and a NaN equals itself.
static inline bool check_bits(double a, double b, const char *file, int line, const char *text) {
  uint64_t x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  if (x != y) {
    check_state.failures++;
    printf("%s:%d: %s: %.17g (%016" PRIx64 ") vs %.17g (%016" PRIx64 ")\n", file, line, text, a, x,
           b, y);
  }
  return x == y;
}

static inline bool check_is_quick(void) { return getenv("GRAPHJIT_QUICK") != NULL; }

// Whether a test looks at its case `number`: at all of them, or at one in so many as GRAPHJIT_SHARE
// says.
static inline bool check_takes(uint64_t number) {
  const char *share = getenv("GRAPHJIT_SHARE");
  return !share || number % strtoull(share, NULL, 10) == 0;
}

#define CHECK(condition) check_true((condition), __FILE__, __LINE__, #condition)
#define CHECK_INT_EQ(a, b) check_int((intmax_t)(a), (intmax_t)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_STR_EQ(a, b) check_str((a), (b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_DOUBLE_EQ(a, b) check_bits((a), (b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_CONTAINS(text, part)                                                                 \
  (strstr((text), (part))                                                                          \
       ? (void)0                                                                                   \
       : (void)check_str((text), (part), __FILE__, __LINE__, #text " contains " #part))
// A gj_status is GJ_OK; prints the message of the gj_error otherwise.
#define CHECK_OK(status, err)                                                                      \
  ((status) == GJ_OK ? (void)0 : (void)check_true(false, __FILE__, __LINE__, (err)->message))
#define CHECK_OR_RETURN(condition)                                                                 \
  do {                                                                                             \
    if (!CHECK(condition))                                                                         \
      return;                                                                                      \
  } while (0)

// Runs one test and counts it; a failure prints its name as a sentence.
#define CHECK_RUN(test) check_run(#test, test)

static inline void check_run(const char *name, void (*test)(void)) {
  const char *named = getenv("GRAPHJIT_TEST");
  if (named && !strstr(name, named))
    return;
  check_state.failures = 0;
  test();
  if (check_state.failures == 0) {
    check_state.passed++;
    return;
  }
  check_state.failed++;
  printf("not ok: ");
  for (; *name; name++)
    putchar(*name == '_' ? ' ' : *name);
  putchar('\n');
}

static inline int check_report(void) {
  printf("%d passed, %d failed\n", check_state.passed, check_state.failed);
  return check_state.failed ? 1 : 0;
}

#endif
