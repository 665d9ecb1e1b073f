// See run.h.
#include "population/run.h"

#include "runtime/memory.h"
#include "runtime/pool.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_SINKS = 16 }; // of a part

typedef struct state {
  const gj__run *run;
  const gj__plan *plan;
  const gj__sinks *sinks; // of the plan
  uint32_t first_sink;    // its number among all
  double **frames;        // of threads
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

// --- steps ---

static void call_kernel(const state *s, const gj__step *t, double *frame, int64_t count) {
  s->plan->kernels[t->kernel](frame + t->d, frame + t->a, frame + t->b, frame + t->c, count, NULL);
}

// A function of numbers takes no memory and is not cancelled, so it cannot fail.
static void call_function(const state *s, const gj__step *t, double *frame, int64_t count) {
  const gj_population_function *f = &s->run->nodes->functions[t->kernel - GJ__PLAN_FUNCTION];
  void *buffers[GJ_MOST_ARGS + 1] = {frame + t->a, frame + t->b, frame + t->c};
  buffers[f->arity] = frame + t->d;
  gj_exec exec = {0};
  (void)f->entry(buffers, &count, &exec);
}

// --- what is the same in all rows ---

static void put_cell(const gj__plan *plan, double *cell, double value) {
  float narrow = (float)value;
  if (plan->dtype == GJ_DTYPE_f32)
    memcpy(cell, &narrow, sizeof narrow);
  else
    *cell = value;
}

static void fill_cells(const state *s, double *cells) {
  const gj__plan *plan = s->plan;
  const gj__run *run = s->run;
  for (size_t i = 0; i < run->nodes->count; i++) {
    const gj__node *n = &run->nodes->list[i];
    if (n->leaf == GJ__CONSTANT && plan->places[i])
      put_cell(plan, &cells[plan->places[i]], n->value);
    else if (n->leaf == GJ__PARAMETER && plan->places[i])
      put_cell(plan, &cells[plan->places[i]], run->parameters[n->args[0]]);
  }
  for (size_t i = 0; i < plan->once_count; i++) {
    const gj__step *t = &plan->once[i];
    (t->kernel < GJ__PLAN_FUNCTION ? call_kernel : call_function)(s, t, cells, 1);
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

static void load_columns(const state *s, const gj__rows *rows, double *frame) {
  const gj__plan *plan = s->plan;
  size_t bytes = gj_dtype_bytes(plan->dtype);
  for (size_t i = 0; i < plan->column_count; i++)
    memcpy(frame + plan->cells + i * plan->block_stride,
           (const char *)s->run->table->columns[plan->columns[i]] + rows->begin * bytes,
           rows->count * bytes);
}

static void run_rows(const state *s, const gj__rows *rows, double *frame) {
  const gj__plan *plan = s->plan;
  int64_t count = (int64_t)rows->count;
  load_columns(s, rows, frame);
  for (const gj__step *t = plan->steps, *end = t + plan->step_count; t < end; t++) {
    if (t->kernel < GJ__PLAN_FUNCTION)
      call_kernel(s, t, frame, count);
    else if (t->kernel < GJ__PLAN_FILL)
      call_function(s, t, frame, count);
    else if (t->kernel == GJ__PLAN_FILL)
      spread(frame + t->d, frame + t->a, t->b, rows->count);
    else
      s->run->take(s->run->context, s->first_sink + t->a, rows, frame,
                   plan->inputs + s->sinks->starts[t->a]);
  }
}

static int32_t run_chunks(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  const state *s = context;
  size_t total = s->run->table->rows, most = s->plan->block_rows;
  for (size_t chunk = (size_t)begin; chunk < (size_t)end; chunk++) {
    size_t last = chunk_begin(total, chunk + 1);
    for (size_t at = chunk_begin(total, chunk); at < last; at += most) {
      gj__rows rows = {chunk, at, last - at < most ? last - at : most};
      run_rows(s, &rows, s->frames[exec->slot]);
    }
  }
  return GJ_RUN_OK;
}

// Frames for all threads, whose cells are filled; false without memory.
static bool make_frames(state *s, unsigned threads) {
  const gj__plan *plan = s->plan;
  for (unsigned i = 0; i < threads; i++) {
    s->frames[i] = gj_memory_take(gj__plan_frame_bytes(plan));
    if (!s->frames[i])
      return false;
    if (i == 0)
      fill_cells(s, s->frames[0]);
    else
      memcpy(s->frames[i], s->frames[0], plan->cells * sizeof **s->frames);
  }
  return true;
}

static gj_status run_plan(const gj__run *run, const gj__plan *plan, const gj__sinks *sinks,
                          size_t first, unsigned threads, gj_error *err) {
  state s = {run, plan, sinks, (uint32_t)first, calloc(threads, sizeof *s.frames)};
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

// Some of the sinks, from number `first` on.
static gj_status run_part(const gj__run *run, size_t first, size_t count, gj_error *err) {
  gj__sinks sinks = {count, run->sinks->starts + first, run->sinks->nodes};
  gj__plan plan;
  GJ_TRY(gj__plan_make(&plan, run->nodes, &sinks, run->set, run->dtype, err));
  gj_status status = run_plan(run, &plan, &sinks, first, 1, err);
  gj__plan_fini(&plan);
  return status;
}

// --- plans that are kept ---

void gj__kept_fini(gj__kept *kept) {
  if (kept->is_there)
    gj__plan_fini(&kept->plan);
  free(kept->starts);
  free(kept->nodes);
  *kept = (gj__kept){0};
}

// Nodes that came later do not change a plan, but it has no places for them.
static bool is_kept(const gj__run *run) {
  const gj__kept *kept = run->kept;
  const gj__sinks *sinks = run->sinks;
  size_t inputs = sinks->starts[sinks->count];
  return kept->is_there && kept->node_count == run->nodes->count &&
         kept->sink_count == sinks->count &&
         memcmp(kept->starts, sinks->starts, (sinks->count + 1) * sizeof *sinks->starts) == 0 &&
         memcmp(kept->nodes, sinks->nodes, inputs * sizeof *sinks->nodes) == 0;
}

static gj_status keep(const gj__run *run, gj_error *err) {
  const gj__sinks *sinks = run->sinks;
  size_t starts = (sinks->count + 1) * sizeof *sinks->starts;
  size_t inputs = sinks->starts[sinks->count] * sizeof *sinks->nodes;
  gj__kept *kept = run->kept;
  gj__kept_fini(kept);
  kept->starts = malloc(starts);
  kept->nodes = malloc(inputs + 1);
  if (!kept->starts || !kept->nodes)
    return gj_fail(err, GJ_E_MEMORY, "population: no memory for its evaluation");
  GJ_TRY(gj__plan_make(&kept->plan, run->nodes, sinks, run->set, run->dtype, err));
  memcpy(kept->starts, sinks->starts, starts);
  if (inputs)
    memcpy(kept->nodes, sinks->nodes, inputs);
  kept->sink_count = sinks->count;
  kept->node_count = run->nodes->count;
  kept->is_there = true;
  return GJ_OK;
}

static gj_status run_whole(const gj__run *run, unsigned threads, gj_error *err) {
  if (!is_kept(run))
    GJ_TRY(keep(run, err));
  return run_plan(run, &run->kept->plan, run->sinks, 0, threads, err);
}

// --- parts ---

typedef struct parts {
  const gj__run *run;
  size_t count;
} parts;

static int32_t run_parts(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  const parts *p = context;
  size_t all = p->run->sinks->count;
  (void)exec;
  for (size_t i = (size_t)begin; i < (size_t)end; i++) {
    size_t first = i * all / p->count, last = (i + 1) * all / p->count;
    if (run_part(p->run, first, last - first, NULL) != GJ_OK)
      return GJ_RUN_NO_MEMORY;
  }
  return GJ_RUN_OK;
}

gj_status gj__run_sinks(const gj__run *run, gj_error *err) {
  size_t chunks = run->last_chunk - run->first_chunk, all = run->sinks->count;
  if (chunks == 0)
    return GJ_OK;
  size_t most = all / LEAST_SINKS < run->threads ? all / LEAST_SINKS : run->threads;
  if (chunks >= most)
    return run_whole(run, run->threads < chunks ? run->threads : (unsigned)chunks, err);
  parts p = {run, most};
  gj_exec exec = {0};
  if (gj_pool_run(gj_pool_shared(), run->threads, &exec, run_parts, &p, 0, (int64_t)most,
                  GJ_POOL_EACH) != GJ_RUN_OK)
    return gj_fail(err, GJ_E_MEMORY, "population: no memory for %zu parts of its programs", most);
  return GJ_OK;
}
