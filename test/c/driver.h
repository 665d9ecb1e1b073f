// Runs test programs that are linked into one: by the name it is called by, or those named, one
// after another.
//
//   loops_test [arguments]          a link to the program: that test alone
//   tests loops_test program_test   these, each after a line `# <name>`
//
// One program links once where fifty linked fifty times, and valgrind, which translates what it
// runs piece by piece, translates LLVM once for all tests of a process. scripts/cmake/tests.cmake
// writes the table of them.

#ifndef GJ_TEST_DRIVER_H
#define GJ_TEST_DRIVER_H

#include <stdio.h>
#include <string.h>

typedef struct driver_test {
  const char *name;
  int (*run)(int argc, char **argv); // the main of its source, which may ignore what it is given
} driver_test;

static inline const driver_test *driver_find(const driver_test *tests, const char *name) {
  for (; tests->name; tests++)
    if (strcmp(tests->name, name) == 0)
      return tests;
  return NULL;
}

static inline int driver_run(const driver_test *tests, int argc, char **argv) {
  const char *slash = strrchr(argv[0], '/');
  const driver_test *named = driver_find(tests, slash ? slash + 1 : argv[0]);
  if (named)
    return named->run(argc, argv);
  int status = 0;
  for (int i = 1; i < argc; i++) {
    const driver_test *test = driver_find(tests, argv[i]);
    if (!test) {
      fprintf(stderr, "no test is called %s\n", argv[i]);
      return 2;
    }
    printf("# %s\n", test->name);
    fflush(stdout);
    status |= test->run(1, (char *[]){argv[i], NULL});
    fflush(stdout);
  }
  return status;
}

#endif
