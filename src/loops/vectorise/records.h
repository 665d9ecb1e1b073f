// Which loads of a loop body read the same records: elements a few apart, of which each iteration
// takes several. See records.c.
#ifndef GJ_LOOPS_VECTORISE_RECORDS_H
#define GJ_LOOPS_VECTORISE_RECORDS_H

#include "loops/vectorise/lanes.h"

typedef struct gj__record_load {
  const gj_lexpr *load;
  uint32_t family; // the first load that lies at a known distance from this one
  int64_t distance;
  gj_lrecord record; // stride 0: not known yet
} gj__record_load;

typedef struct gj__records {
  const gj__lanes *lanes;
  gj__record_load *loads;
  uint32_t count;
} gj__records;

// Whether lanes that lie `form` apart are loaded as records.
bool gj__is_record(gj__form form);

// Finds the records of a body that has been analysed. Without memory there are none, and each load
// stands for itself. Fini in either case.
void gj__records_init(gj__records *records, const gj__lanes *lanes);
void gj__records_fini(gj__records *records);
// What `load`, for which gj__is_record() holds, takes of its records.
gj_lrecord gj__record_of(const gj__records *records, const gj_lexpr *load);

#endif
