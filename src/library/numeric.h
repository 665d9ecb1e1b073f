// Numeric library functions (numeric.def) as this process calls them.
//
// Like all of the library they are compiled with the core, and to bitcode for other targets. As
// they are long, and what they take lies in their inner loops, they are compiled natively twice
// more: for processors with wide vectors, and the same with fused multiply-add
// (scripts/cmake/library.cmake). The first two have the same bits, those of every target without
// fused multiply-add.
#ifndef GJ_LIBRARY_NUMERIC_H
#define GJ_LIBRARY_NUMERIC_H

#include "library/table.h"

typedef void gj_numeric_code(void);

typedef struct gj_numeric_row {
  const char *name;
  gj_numeric_code *code;
} gj_numeric_row;

// In the order of numeric.def; a zeroed row ends each table.
extern const gj_numeric_row gj_numeric_wide[], gj_numeric_fused[];

// The code for this CPU of a numeric function, with fused multiply-add or without. Where the
// variants take more than the CPU has, that is what was compiled with the core.
gj_numeric_code *gj_numeric_find(const gj_library_function *function, bool fused);

#endif
