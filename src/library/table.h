// The library functions as a table: what compiled code and the reference evaluator may call by
// name.
#ifndef GJ_LIBRARY_TABLE_H
#define GJ_LIBRARY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum { GJ_LIBRARY_MOST_PARAMS = 12 };

typedef struct gj_library_function {
  const char *name; // without gjl_
  uint8_t params;
  bool returns;
  bool numeric;                         // there are variants of it; see numeric.h
  void (*code)(void);                   // as it was compiled with the core
  int64_t (*call)(const int64_t *args); // calls it; 0 where it returns nothing
} gj_library_function;

// The function of this name, or NULL.
const gj_library_function *gj_library_find(const char *name);

// The library as LLVM bitcode, for targets with pointers of 64 and of 32 bits: every gjl_<name>,
// and what they share, without target features and metadata; numeric functions apart from the
// others. Written by scripts/cmake/library.cmake.
extern const unsigned char gj_library_64_begin[], gj_library_64_end[], gj_library_32_begin[],
    gj_library_32_end[], gj_numeric_64_begin[], gj_numeric_64_end[], gj_numeric_32_begin[],
    gj_numeric_32_end[];

#endif
