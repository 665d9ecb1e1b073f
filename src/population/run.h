// Running plans over the rows of columns: blocks of rows, divided among threads in chunks.
//
// How rows are divided into chunks depends on how many there are alone, so what sinks add up is the
// same for any number of threads.
#ifndef GJ_POPULATION_RUN_H
#define GJ_POPULATION_RUN_H

#include "population/plan.h"

enum {
  GJ__CHUNK_ROWS = 256, // a chunk is a multiple, but for the last
  GJ__MOST_CHUNKS = 64
};

// The columns of a data set, [rows] each, of the plan's dtype.
typedef struct gj__table {
  size_t rows;
  const void *const *columns;
} gj__table;

// Some rows of the table, at most a block of them, while sinks take their values.
typedef struct gj__rows {
  size_t chunk;
  size_t begin, count;
} gj__rows;

// Takes the values of sink `sink`, one array of rows->count elements for each of its nodes; reads
// no others and writes nothing that a sink of other rows does. `inputs` are places in the frame.
typedef void gj__take(void *context, uint32_t sink, const gj__rows *rows, const double *frame,
                      const uint32_t *inputs);

// The plan of the last run, for the next that is alike: planning is most of what a run over few
// rows takes. A zeroed struct has none.
typedef struct gj__kept {
  gj__plan plan;
  uint32_t *starts, *nodes; // of its sinks
  size_t sink_count, node_count;
  bool is_there;
} gj__kept;

void gj__kept_fini(gj__kept *kept);

typedef struct gj__run {
  const gj__nodes *nodes;
  const gj__sinks *sinks;
  const gj_block_set *set;
  gj_dtype dtype;
  const gj__table *table;
  gj__kept *kept;           // of runs with these nodes, kernels and dtype
  const double *parameters; // values of parameters
  gj__take *take;
  void *context;
  unsigned threads;
  size_t first_chunk, last_chunk; // of gj__chunk_count()
} gj__run;

size_t gj__chunk_count(size_t rows);
// Plans what the sinks need and runs it. Where there are fewer chunks than threads, each thread has
// a part of the sinks, with a plan of its own: values that several parts need are computed by each.
gj_status gj__run_sinks(const gj__run *run, gj_error *err);

#endif
