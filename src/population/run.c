// See run.h.
#include "population/run.h"

#include "runtime/memory.h"
#include "runtime/pool.h"

#include <stdlib.h>
#include <string.h>

typedef struct state {
  const gj__run *run;
  double **frames; // of threads
} state;

static size_t units_of(size_t rows) { return rows / GJ__CHUNK_ROWS + (rows % GJ__CHUNK_ROWS != 0); }

size_t gj__chunk_count(size_t rows) {
  size_t units = units_of(rows);
  return units < GJ__MOST_CHUNKS ? units : GJ__MOST_CHUNKS;
}

// Where a chunk begins: they are as equal as whole units allow.
static size_t chunk_begin(size_t rows, size_t chunk) {
  size_t begin = chunk * units_of(rows) / gj__chunk_count(rows) * GJ__CHUNK_ROWS;
  return begin < rows ? begin : rows;
}

// --- what is the same in all rows ---

static void put_cell(const gj__plan *plan, double *cell, double value) {
  float narrow = (float)value;
  if (plan->dtype == GJ_DTYPE_f32)
    memcpy(cell, &narrow, sizeof narrow);
  else
    *cell = value;
}

static void fill_cells(const gj__run *run, double *cells) {
  const gj__plan *plan = run->plan;
  for (size_t i = 0; i < run->nodes->count; i++) {
    const gj__node *n = &run->nodes->list[i];
    if (n->leaf == GJ__CONSTANT && plan->places[i])
      put_cell(plan, &cells[plan->places[i]], n->value);
    else if (n->leaf == GJ__PARAMETER && plan->places[i])
      put_cell(plan, &cells[plan->places[i]], run->parameters[n->args[0]]);
  }
  for (size_t i = 0; i < plan->once_count; i++) {
    const gj__step *s = &plan->once[i];
    plan->kernels[s->kernel](cells + s->d, cells + s->a, cells + s->b, cells + s->c, 1, NULL);
  }
}

// --- rows ---

static void spread(void *to, const void *from, size_t bytes, size_t count) {
  if (bytes == 1) {
    memset(to, *(const unsigned char *)from, count);
  } else if (bytes == 4) {
    for (size_t i = 0; i < count; i++)
      memcpy((char *)to + 4 * i, from, 4);
  } else {
    for (size_t i = 0; i < count; i++)
      memcpy((char *)to + 8 * i, from, 8);
  }
}

static void load_columns(const gj__run *run, const gj__rows *rows, double *frame) {
  const gj__plan *plan = run->plan;
  size_t bytes = gj_dtype_bytes(plan->dtype);
  for (size_t i = 0; i < plan->column_count; i++)
    memcpy(frame + plan->cells + i * plan->block_stride,
           (const char *)run->table->columns[plan->columns[i]] + rows->begin * bytes,
           rows->count * bytes);
}

static void run_rows(const gj__run *run, const gj__rows *rows, double *frame) {
  const gj__plan *plan = run->plan;
  gj_block *const *kernels = plan->kernels;
  int64_t count = (int64_t)rows->count;
  load_columns(run, rows, frame);
  for (const gj__step *s = plan->steps, *end = s + plan->step_count; s < end; s++) {
    if (s->kernel < GJ__PLAN_FILL)
      kernels[s->kernel](frame + s->d, frame + s->a, frame + s->b, frame + s->c, count, NULL);
    else if (s->kernel == GJ__PLAN_FILL)
      spread(frame + s->d, frame + s->a, s->b, rows->count);
    else
      run->take(run->context, s->a, rows, frame, plan->inputs + run->sinks->starts[s->a]);
  }
}

static int32_t run_chunks(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  const state *s = context;
  size_t total = s->run->table->rows, most = s->run->plan->block_rows;
  for (size_t chunk = (size_t)begin; chunk < (size_t)end; chunk++) {
    size_t last = chunk_begin(total, chunk + 1);
    for (size_t at = chunk_begin(total, chunk); at < last; at += most) {
      gj__rows rows = {chunk, at, last - at < most ? last - at : most};
      run_rows(s->run, &rows, s->frames[exec->slot]);
    }
  }
  return GJ_RUN_OK;
}

// Frames for all threads, whose cells are filled; false without memory.
static bool make_frames(state *s, unsigned threads) {
  const gj__plan *plan = s->run->plan;
  for (unsigned i = 0; i < threads; i++) {
    s->frames[i] = gj_memory_take(gj__plan_frame_bytes(plan));
    if (!s->frames[i])
      return false;
    if (i == 0)
      fill_cells(s->run, s->frames[0]);
    else
      memcpy(s->frames[i], s->frames[0], plan->cells * sizeof **s->frames);
  }
  return true;
}

gj_status gj__run_plan(const gj__run *run, gj_error *err) {
  size_t chunks = run->last_chunk - run->first_chunk;
  unsigned threads = run->threads < chunks ? run->threads : (unsigned)chunks;
  if (threads == 0)
    return GJ_OK;
  state s = {run, calloc(threads, sizeof *s.frames)};
  int32_t status = GJ_RUN_NO_MEMORY;
  if (s.frames && make_frames(&s, threads)) {
    gj_exec exec = {0};
    status = gj_pool_run(gj_pool_shared(), threads, &exec, run_chunks, &s,
                         (int64_t)run->first_chunk, (int64_t)run->last_chunk, GJ_POOL_EACH);
  }
  for (unsigned i = 0; s.frames && i < threads; i++)
    gj_memory_give(s.frames[i]);
  free(s.frames);
  if (status != GJ_RUN_OK)
    return gj_fail(err, GJ_E_MEMORY, "population: no memory for the blocks of %u threads", threads);
  return GJ_OK;
}
