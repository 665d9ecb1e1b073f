// Dividing the functions of a module among objects.
//
// LLVM compiles a module on one thread, so functions are dealt out to several: the longest first,
// each to the part with the least work so far. A function stands in one part and is called from
// others through the linker, so the code of a function does not depend on how many parts there are,
// but for the choice which elementary functions are inlined, which rounds nothing differently.
// Which function goes where depends on the module and the number of threads only.
//
// Functions that read the same large constants of the objects stay together, or there would be a
// copy per part.
#include "jit/code/parts.h"

#include "runtime/cores.h"
#include "runtime/pool.h"

#include <stdlib.h>
#include <string.h>

// Work is counted in nodes of expressions. A part below LEAST_WORK would take less time than it
// costs to have it, about what LARGE_DATA takes to copy.
enum { LEAST_WORK = 300, LARGE_DATA = 16 * 1024, STATEMENT_WORK = 4 };

typedef struct work {
  uint32_t func;
  uint32_t data; // 1 + the first large data it reads
  uint64_t cost;
} work;

typedef struct division {
  const gj_lmodule *module;
  const gj_target *target;
  const gj_codegen_options *options;
  gj_parts *parts;
  uint8_t *in;   // per part, per function: a gj_part
  uint8_t *home; // per function: its part
  gj_status status[GJ__MOST_PARTS];
  gj_error errors[GJ__MOST_PARTS];
  gj_codegen_times times[GJ__MOST_PARTS];
} division;

// --- how much work ---

static bool is_large(const division *d, uint32_t data) {
  const gj_ldata *own = &d->module->data[data];
  bool outside = d->options->constants && d->options->constants[data];
  return !outside && own->count * gj_dtype_bytes(own->dtype) >= LARGE_DATA;
}

static void find_data(const division *d, const gj_lexpr *e, work *w) {
  if (e->kind == GJ_LX_DATA && w->data == 0 && is_large(d, e->index))
    w->data = e->index + 1;
  for (uint32_t i = 0; i < e->arg_count; i++)
    find_data(d, e->args[i], w);
}

static void add_expr(const division *d, const gj_lexpr *e, work *w) {
  if (!e)
    return;
  w->cost += e->size;
  if (d->module->data_count)
    find_data(d, e, w);
}

static void add_block(const division *d, const gj_lblock *block, work *w) {
  for (uint32_t i = 0; i < block->count; i++) {
    const gj_lstmt *s = block->stmts[i];
    w->cost += STATEMENT_WORK;
    add_expr(d, s->a, w);
    add_expr(d, s->b, w);
    add_expr(d, s->c, w);
    add_block(d, &s->body, w);
    add_block(d, &s->orelse, w);
  }
}

static int longest_first(const void *a, const void *b) {
  const work *x = a, *y = b;
  if (x->cost != y->cost)
    return x->cost > y->cost ? -1 : 1;
  return (x->func > y->func) - (x->func < y->func);
}

// --- dealing out ---

static size_t count_parts(const gj_lmodule *m, const work *list, unsigned threads) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < m->func_count; i++)
    total += list[i].cost;
  size_t parts = threads < gj_cores() ? threads : gj_cores();
  parts = parts < total / LEAST_WORK ? parts : (size_t)(total / LEAST_WORK);
  parts = parts < m->func_count - 1 ? parts : m->func_count - 1; // the entry only calls the others
  parts = parts < GJ__MOST_PARTS ? parts : GJ__MOST_PARTS;
  return parts > 1 ? parts : 1;
}

static size_t least_loaded(const uint64_t *loads, size_t count) {
  size_t least = 0;
  for (size_t p = 1; p < count; p++)
    if (loads[p] < loads[least])
      least = p;
  return least;
}

static void deal_out(division *d, const work *list, uint8_t *data_home) {
  uint64_t loads[GJ__MOST_PARTS] = {0};
  for (uint32_t i = 0; i < d->module->func_count; i++) {
    const work *w = &list[i];
    size_t part = w->data && data_home[w->data - 1] ? data_home[w->data - 1] - 1u
                                                    : least_loaded(loads, d->parts->count);
    if (w->data)
      data_home[w->data - 1] = (uint8_t)(part + 1);
    loads[part] += w->cost;
    d->home[w->func] = (uint8_t)part;
    d->in[part * d->module->func_count + w->func] = GJ_PART_OWN;
  }
}

// What is called from another part is shared.
static void find_shared(division *d, uint8_t caller_part, const gj_lexpr *e) {
  if (!e)
    return;
  if (gj_lexpr_calls(e) && d->home[e->index] != caller_part)
    d->in[d->home[e->index] * (size_t)d->module->func_count + e->index] = GJ_PART_SHARED;
  for (uint32_t i = 0; i < e->arg_count; i++)
    find_shared(d, caller_part, e->args[i]);
}

static void find_shared_block(division *d, uint8_t caller_part, const gj_lblock *block) {
  for (uint32_t i = 0; i < block->count; i++) {
    const gj_lstmt *s = block->stmts[i];
    find_shared(d, caller_part, s->a);
    find_shared(d, caller_part, s->b);
    find_shared(d, caller_part, s->c);
    find_shared_block(d, caller_part, &s->body);
    find_shared_block(d, caller_part, &s->orelse);
  }
}

static gj_status divide(division *d, unsigned threads, gj_error *err) {
  const gj_lmodule *m = d->module;
  work *list = calloc(m->func_count + 1, sizeof *list);
  uint8_t *data_home = calloc(m->data_count + 1, 1); // per data: 1 + the part that has it
  d->home = calloc(m->func_count + 1, 1);
  d->in = calloc((size_t)m->func_count + 1, GJ__MOST_PARTS);
  bool ok = list && data_home && d->home && d->in;
  for (uint32_t i = 0; ok && i < m->func_count; i++) {
    list[i].func = i;
    add_block(d, &m->funcs[i]->body, &list[i]);
  }
  if (ok) {
    d->parts->count = count_parts(m, list, threads);
    qsort(list, m->func_count, sizeof *list, longest_first);
    deal_out(d, list, data_home);
  }
  for (uint32_t i = 0; ok && i < m->func_count && d->parts->count > 1; i++)
    find_shared_block(d, d->home[i], &m->funcs[i]->body);
  free(list);
  free(data_home);
  return ok ? GJ_OK
            : gj_fail(err, GJ_E_MEMORY, "compile: out of memory at %u functions", m->func_count);
}

// --- compiling ---

static void compile_part(division *d, size_t part) {
  gj_codegen_options options = *d->options;
  unsigned char *bytes = NULL;
  options.part = d->parts->count > 1 ? d->in + part * d->module->func_count : NULL;
  d->status[part] = gj_codegen(d->module, d->target, &options, GJ_EMIT_OBJECT, &bytes,
                               &d->parts->objects[part].size, &d->times[part], &d->errors[part]);
  d->parts->objects[part].bytes = bytes;
}

static int32_t compile_some(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  (void)exec;
  for (int64_t part = begin; part < end; part++)
    compile_part(context, (size_t)part);
  return GJ_RUN_OK; // every part is tried, so that the error told is always the same
}

gj_status gj__parts_compile(const gj_lmodule *module, const gj_target *target,
                            const gj_codegen_options *options, unsigned threads,
                            gj_parts *out_parts, gj_codegen_times *times, gj_error *err) {
  *out_parts = (gj_parts){0};
  division d = {.module = module, .target = target, .options = options, .parts = out_parts};
  gj_status status = divide(&d, threads, err);
  size_t count = out_parts->count;
  if (status == GJ_OK && count > 1)
    gj_pool_run(gj_pool_shared(), (unsigned)count, NULL, compile_some, &d, 0, (int64_t)count,
                GJ_POOL_EACH);
  else if (status == GJ_OK)
    compile_part(&d, 0);
  free(d.in);
  free(d.home);
  for (size_t i = 0; i < count && status == GJ_OK; i++) {
    times->emit += d.times[i].emit;
    times->optimize += d.times[i].optimize;
    times->machine += d.times[i].machine;
    if (d.status[i] != GJ_OK)
      status = gj_fail(err, d.status[i], "%s", d.errors[i].message);
  }
  if (status != GJ_OK)
    gj__parts_fini(out_parts);
  return status;
}

void gj__parts_fini(gj_parts *parts) {
  for (size_t i = 0; i < parts->count; i++)
    free((void *)parts->objects[i].bytes);
  *parts = (gj_parts){0};
}
