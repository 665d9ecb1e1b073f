// Running reductions: what cumulate.c and cumulate_row.c share. Private to lower/.
#ifndef GJ_LOWER_KERNELS_CUMULATE_H
#define GJ_LOWER_KERNELS_CUMULATE_H

#include "lower/kernels/reduce/reduce.h"

typedef struct gj__scan {
  gj__lower *l;
  gj_ref arg;
  gj_type type;
  uint8_t axis;
  gj__reducer reducer; // how elements join: what is carried is a running value of a whole reduction
  const gj_lexpr *out;
} gj__scan;

// --- cumulate_row.c ---

// Whether rows are few and long, so that threads had better share each of them.
bool gj__splits_running_rows(const gj__scan *s);
// Makes the kernel where the axis is the innermost with a loop, and the part of one that is split.
void gj__scan_rows(gj__scan *s);
void gj__scan_rows_part(gj__scan *s);

#endif
