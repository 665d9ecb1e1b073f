// Runs test programs that are linked into one: by the name it is called by, or those named, one
// after another.
//
//   loops_test [arguments]          a link to the program: that test alone
//   tests loops_test program_test   these, each after a line `# <name>`
//   tests -                         those whose names come as lines, each asked for by `# ready`
//
// One program links once where fifty linked fifty times, and valgrind, which translates what it
// runs piece by piece, translates LLVM once for all tests of a process. scripts/cmake/tests.cmake
// writes the table of them. What asks for the next test shares many of them among a few processes.

#ifndef GJ_TEST_DRIVER_H
#define GJ_TEST_DRIVER_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

// The exit status of the test, after a line with its name.
static inline int driver_run_named(const driver_test *tests, char *name) {
  const driver_test *test = driver_find(tests, name);
  if (!test) {
    fprintf(stderr, "no test is called %s\n", name);
    return 2;
  }
  printf("# %s\n", test->name);
  fflush(stdout);
  int status = test->run(1, (char *[]){name, NULL});
  fflush(stdout);
  return status;
}

static inline int driver_run_asked(const driver_test *tests) {
  // Names are for this process alone, whatever the tests start.
  FILE *names = fdopen(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), "r");
  if (!names || !freopen("/dev/null", "r", stdin))
    return 2;
  char name[64];
  int status = 0;
  while (puts("# ready"), fflush(stdout), fgets(name, sizeof name, names)) {
    name[strcspn(name, "\n")] = '\0';
    status |= driver_run_named(tests, name);
  }
  fclose(names);
  return status;
}

static inline int driver_run(const driver_test *tests, int argc, char **argv) {
  const char *slash = strrchr(argv[0], '/');
  const driver_test *named = driver_find(tests, slash ? slash + 1 : argv[0]);
  if (named)
    return named->run(argc, argv);
  if (argc == 2 && strcmp(argv[1], "-") == 0)
    return driver_run_asked(tests);
  int status = 0;
  for (int i = 1; i < argc; i++)
    status |= driver_run_named(tests, argv[i]);
  return status;
}

#endif
