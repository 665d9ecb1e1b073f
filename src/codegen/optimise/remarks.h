// What became of the loops of a module that have a position in the user's source.
#ifndef GJ_CODEGEN_OPTIMISE_REMARKS_H
#define GJ_CODEGEN_OPTIMISE_REMARKS_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gj_remark_kind {
  GJ_REMARK_REFUSED,   // not vectorised, and why
  GJ_REMARK_UNROLLED,  // completely: there is no loop any more
  GJ_REMARK_VECTORISED // `width` iterations at once, `interleave` times
} gj_remark_kind;

typedef struct gj_remark {
  uint32_t line, column;
  gj_remark_kind kind;
  unsigned width, interleave;
  const char *text; // "vectorised, 4 lanes, interleaved 2 times"
} gj_remark;

// A zeroed struct is an empty list, in the order of positions after gj_codegen.
typedef struct gj_remarks {
  gj_remark *items;
  size_t count, capacity;
} gj_remarks;

void gj_remarks_fini(gj_remarks *remarks);
// A line for each: "12:5: vectorised, 4 lanes".
void gj_remarks_print(const gj_remarks *remarks, gj_strbuf *out);

#endif
