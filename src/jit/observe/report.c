// See report.h. Everything is copied into the report's arena, so that plan, loops and graph of the
// front half can go.
#include "jit/observe/report.h"

#include "jit/program/data.h"
#include "passes/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reporter {
  gj_report *out;
  const gj_pipeline *pipeline;
  const gj_plan *plan;
  const gj_dims *dims;
  bool out_of_memory;
  const char **names; // per buffer of the plan
  // the kernel being reported
  uint32_t *seen;  // per ref, for gj__kernel_walk
  uint32_t *noted; // per buffer: 1 + the last kernel that listed it as read
  uint32_t kernel;
  const char **reads; // room for one per buffer
  uint32_t read_count;
  uint32_t *computed; // per ref: 1 + the last kernel that listed it as computed
  gj_ref *nodes;      // room for one per ref
  uint32_t node_count;
  gj_traffic_formulas *traffic; // per kernel
} reporter;

static void *room(reporter *r, size_t count, size_t size) {
  void *memory = gj_arena_array(&r->out->arena, count + 1, size);
  if (!memory)
    r->out_of_memory = true;
  return memory;
}

static const char *keep(reporter *r, const char *text, size_t length) {
  const char *kept = gj_arena_strndup(&r->out->arena, text, length);
  if (!kept)
    r->out_of_memory = true;
  return kept ? kept : "";
}

static const char *take(reporter *r, gj_strbuf *text) {
  const char *kept = keep(r, gj_strbuf_peek(text), text->size);
  r->out_of_memory = r->out_of_memory || text->failed;
  gj_strbuf_fini(text);
  return kept;
}

static gj_amount amount(reporter *r, gj_dim d) {
  if (gj_dim_is_const(d))
    return (gj_amount){.number = d, .dim = d};
  if (d == GJ_DIM_ERROR)
    return (gj_amount){-1, NULL, d};
  gj_strbuf text = {0};
  gj_dim_print(r->dims, d, &text);
  return (gj_amount){-1, take(r, &text), d};
}

// --- buffers ---

static void name_buffers(reporter *r) {
  const gj_graph *graph = r->plan->graph;
  size_t inputs = gj_graph_input_count(graph);
  for (uint32_t i = 0; i < r->plan->buffer_count; i++) {
    const gj_buffer *b = &r->plan->buffers[i];
    const char *name = "";
    if (b->kind == GJ_BUFFER_INPUT)
      name = gj_graph_node(graph, gj_graph_input(graph, b->index))->name;
    else if (b->kind == GJ_BUFFER_OUTPUT)
      name = gj_graph_output(graph, b->index - inputs)->name;
    r->names[i] = keep(r, name, strlen(name));
  }
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++) {
    uint32_t home = r->plan->home[ref];
    if (home == GJ_NO_BUFFER || r->plan->buffers[home].kind != GJ_BUFFER_SCRATCH)
      continue;
    gj_strbuf text = {0};
    gj_strbuf_printf(&text, "%%%u", ref);
    r->names[home] = take(r, &text);
  }
}

static gj_held_info held(reporter *r, uint32_t buffer) {
  const gj_buffer *b = &r->plan->buffers[buffer];
  gj_held_info info = {.name = r->names[buffer],
                       .dtype = gj_dtype_name(b->type.dtype),
                       .rank = b->type.rank,
                       .bytes = amount(r, b->bytes)};
  for (uint8_t i = 0; i < b->type.rank; i++)
    info.shape[i] = amount(r, b->type.shape[i]);
  return info;
}

// The plan has the buffers of the ports in the order of their positions.
static void report_ports(reporter *r) {
  const gj_graph *graph = r->plan->graph;
  r->out->input_count = gj_graph_input_count(graph);
  r->out->output_count = gj_graph_output_count(graph);
  gj_held_info *ports = room(r, r->out->input_count + r->out->output_count, sizeof *ports);
  for (uint32_t i = 0; i < r->plan->buffer_count && !r->out_of_memory; i++) {
    const gj_buffer *b = &r->plan->buffers[i];
    if (b->kind == GJ_BUFFER_INPUT || b->kind == GJ_BUFFER_OUTPUT)
      ports[b->index] = held(r, i);
  }
  r->out->ports = ports;
}

// The plan marks both values that share a place in place; this asks for the second of them.
static bool overwrites(const gj_plan *plan, const gj_buffer *b) {
  for (uint32_t i = 0; b->in_place && i < plan->buffer_count; i++) {
    const gj_buffer *old = &plan->buffers[i];
    if (old->kind == GJ_BUFFER_SCRATCH && old->in_place && old->offset == b->offset &&
        old->last == b->first && old->first < b->first)
      return true;
  }
  return false;
}

static void report_places(reporter *r) {
  gj_place_info *places = room(r, r->plan->buffer_count, sizeof *places);
  for (uint32_t i = 0; i < r->plan->buffer_count && !r->out_of_memory; i++) {
    const gj_buffer *b = &r->plan->buffers[i];
    if (b->kind != GJ_BUFFER_SCRATCH)
      continue;
    places[r->out->place_count++] = (gj_place_info){.value = held(r, i),
                                                    .offset = amount(r, b->offset),
                                                    .first = b->first,
                                                    .last = b->last,
                                                    .in_place = overwrites(r->plan, b)};
  }
  r->out->places = places;
}

// --- kernels ---

static void note_read(gj_ref ref, bool in_step, void *context) {
  (void)in_step;
  reporter *r = context;
  uint32_t buffer = r->plan->home[ref];
  if (r->noted[buffer] == r->kernel + 1)
    return;
  r->noted[buffer] = r->kernel + 1;
  r->reads[r->read_count++] = r->names[buffer];
}

static void note_computed(gj_ref ref, bool in_step, void *context) {
  (void)in_step;
  reporter *r = context;
  if (r->computed[ref] == r->kernel + 1)
    return;
  r->computed[ref] = r->kernel + 1;
  r->nodes[r->node_count++] = ref;
}

static int by_ref(const void *a, const void *b) {
  gj_ref x = *(const gj_ref *)a, y = *(const gj_ref *)b;
  return (x > y) - (x < y);
}

static void list_nodes(reporter *r, gj_kernel_info *out) {
  gj_ref *nodes = room(r, r->node_count, sizeof *nodes);
  if (r->out_of_memory)
    return;
  memcpy(nodes, r->nodes, r->node_count * sizeof *nodes);
  qsort(nodes, r->node_count, sizeof *nodes, by_ref);
  out->nodes = nodes;
  out->node_count = r->node_count;
}

static void list_buffers(reporter *r, gj_kernel_info *out) {
  const gj_kernel *kernel = &r->plan->kernels[r->kernel];
  const char **reads = room(r, r->read_count, sizeof *reads);
  const char **writes = room(r, kernel->store_count, sizeof *writes);
  if (r->out_of_memory)
    return;
  for (uint32_t i = 0; i < r->read_count; i++)
    reads[i] = r->reads[i];
  for (uint32_t i = 0; i < kernel->store_count; i++)
    if (gj__store_lasts(r->plan, &kernel->stores[i]))
      writes[out->write_count++] = r->names[kernel->stores[i].buffer];
  out->reads = reads;
  out->read_count = r->read_count;
  out->writes = writes;
}

typedef struct loops {
  uint32_t count;
  gj_loop_info *list;
} loops;

// One line of the vectoriser's report, "k0: for i: 8 lanes, …".
static void add_loop(reporter *r, loops *into, const char *line, size_t length) {
  const char *name = strstr(line, ": for ");
  const char *how = name ? strstr(name + 6, ": ") : NULL;
  if (!how || how >= line + length)
    return;
  unsigned long lanes = strtoul(how + 2, NULL, 10);
  into->list[into->count++] = (gj_loop_info){
      .name = keep(r, name + 6, (size_t)(how - name - 6)),
      .how = keep(r, how + 2, (size_t)(line + length - how - 2)),
      .lanes = lanes > 1 ? (unsigned)lanes : 1,
  };
}

// The report of the vectoriser by function. Functions follow each other there in their order.
static loops *list_loops(reporter *r) {
  const gj_lmodule *m = r->pipeline->lowered.module;
  const char *text = gj_strbuf_peek(&r->pipeline->report);
  size_t lines = 0;
  for (const char *c = text; *c; c++)
    lines += *c == '\n';
  loops *by_function = room(r, m->func_count, sizeof *by_function);
  gj_loop_info *next = room(r, lines, sizeof *next);
  uint32_t f = 0;
  while (*text && !r->out_of_memory) {
    size_t length = strcspn(text, "\n"), name = strcspn(text, ":");
    while (f < m->func_count &&
           (strlen(m->funcs[f]->name) != name || memcmp(m->funcs[f]->name, text, name) != 0))
      f++;
    if (f == m->func_count)
      break;
    loops *own = &by_function[f];
    own->list = own->list ? own->list : next;
    add_loop(r, own, text, length);
    next = own->list + own->count;
    text += length + (text[length] == '\n');
  }
  return by_function;
}

// The widest of the loops in a few words, or what was said about the first.
static void summarise(reporter *r, gj_kernel_info *kernel) {
  char text[32];
  kernel->lanes = 1;
  for (uint32_t i = 0; i < kernel->loop_count; i++)
    if (kernel->loops[i].lanes > kernel->lanes)
      kernel->lanes = kernel->loops[i].lanes;
  int length = snprintf(text, sizeof text, "%u lanes", kernel->lanes);
  kernel->vectorised = kernel->loop_count == 0 ? "no loop"
                       : kernel->lanes > 1     ? keep(r, text, (size_t)length)
                                               : kernel->loops[0].how;
}

static const gj_kernel_info *report_kernels(reporter *r, const gj_lowered_kernel *lowered,
                                            uint32_t count, const loops *by_function) {
  gj_kernel_info *kernels = room(r, count, sizeof *kernels);
  for (r->kernel = 0; r->kernel < count && !r->out_of_memory; r->kernel++) {
    const gj_lowered_kernel *k = &lowered[r->kernel];
    gj_kernel_info *own = &kernels[r->kernel];
    const char *part = r->pipeline->lowered.module->funcs[k->part]->name;
    *own = (gj_kernel_info){.name = keep(r, k->name, strlen(k->name)),
                            .part = keep(r, part, strlen(part)),
                            .kind = keep(r, k->kind, strlen(k->kind)),
                            .what = keep(r, k->what, strlen(k->what)),
                            .shape = keep(r, k->shape, strlen(k->shape)),
                            .loop_count = by_function[k->part].count,
                            .loops = by_function[k->part].list,
                            .bytes_read = amount(r, r->traffic[r->kernel].bytes_read),
                            .bytes_written = amount(r, r->traffic[r->kernel].bytes_written),
                            .flops = amount(r, r->traffic[r->kernel].ops)};
    r->read_count = r->node_count = 0;
    gj__kernel_walk(r->plan, r->kernel, r->seen, note_read, note_computed, r);
    list_buffers(r, own);
    list_nodes(r, own);
    summarise(r, own);
  }
  return kernels;
}

// --- the report ---

// Room for reporting the kernels of a plan, that of the graph or of one of its functions.
static bool begin_plan(reporter *r, gj_arena *scratch, const gj_plan *plan) {
  size_t buffers = plan->buffer_count + 1, refs = gj_graph_node_count(plan->graph) + 1;
  gj_error err;
  r->plan = plan;
  r->names = gj_arena_array(scratch, buffers, sizeof *r->names);
  r->reads = gj_arena_array(scratch, buffers, sizeof *r->reads);
  r->noted = gj_arena_array(scratch, buffers, sizeof *r->noted);
  r->seen = gj_arena_array(scratch, refs, sizeof *r->seen);
  r->computed = gj_arena_array(scratch, refs, sizeof *r->computed);
  r->nodes = gj_arena_array(scratch, refs, sizeof *r->nodes);
  r->traffic = gj_arena_array(scratch, plan->kernel_count + 1, sizeof *r->traffic);
  if (!r->names || !r->reads || !r->noted || !r->seen || !r->computed || !r->nodes || !r->traffic ||
      gj_plan_traffic_formulas(plan, r->traffic, &err) != GJ_OK)
    return false;
  name_buffers(r);
  return true;
}

static void report_functions(reporter *r, gj_arena *scratch, const loops *by_function) {
  const gj_lowered *lowered = &r->pipeline->lowered;
  gj_function_info *functions = room(r, lowered->function_count, sizeof *functions);
  for (uint32_t i = 0; i < lowered->function_count && !r->out_of_memory; i++) {
    const gj_lowered_function *f = &lowered->functions[i];
    functions[i] = (gj_function_info){.title = keep(r, f->title, strlen(f->title)),
                                      .called = f->called,
                                      .kernel_count = f->kernel_count};
    if (!begin_plan(r, scratch, r->pipeline->plan->functions[i]))
      r->out_of_memory = true;
    else
      functions[i].kernels = report_kernels(r, f->kernels, f->kernel_count, by_function);
  }
  r->out->function_count = lowered->function_count;
  r->out->functions = functions;
}

static void fill(reporter *r) {
  gj_arena scratch;
  const gj_lowered *lowered = &r->pipeline->lowered;
  gj_arena_init(&scratch, 0);
  const loops *by_function = list_loops(r);
  if (!r->out_of_memory)
    report_functions(r, &scratch, by_function);
  if (r->out_of_memory || !begin_plan(r, &scratch, r->pipeline->plan)) {
    r->out_of_memory = true;
  } else {
    report_ports(r);
    report_places(r);
    r->out->kernel_count = lowered->kernel_count;
    r->out->kernels = report_kernels(r, lowered->kernels, lowered->kernel_count, by_function);
    r->out->scratch = amount(r, r->plan->scratch_bytes);
  }
  gj_arena_fini(&scratch);
}

static gj_status make_report(const gj_program *program, gj_report **out_report, gj_error *err) {
  gj_pipeline pipeline;
  const gj_target *host;
  GJ_TRY(gj_target_host_shared(&host, err));
  gj_pipeline_options options = gj__front_options(host, &program->options);
  GJ_TRY(gj__program_pipeline(program, &options, &pipeline, err));
  gj_report *report = calloc(1, sizeof *report);
  reporter r = {.out = report,
                .pipeline = &pipeline,
                .plan = pipeline.plan,
                .dims = gj_graph_dims(pipeline.graph),
                .out_of_memory = !report};
  if (report) {
    gj_arena_init(&report->arena, 4096);
    fill(&r);
    report->dims = gj_dims_clone(r.dims); // with the formulas that filling added
    r.out_of_memory = r.out_of_memory || !report->dims;
  }
  gj_pipeline_fini(&pipeline);
  if (r.out_of_memory) {
    gj__report_free(report);
    return gj_fail(err, GJ_E_MEMORY, "stats: out of memory");
  }
  *out_report = report;
  return GJ_OK;
}

gj_status gj_program_report(const gj_program *program, const gj_report **out_report,
                            gj_error *err) {
  gj_program *own = (gj_program *)program; // what is seen of it stays the same
  gj_report *kept = atomic_load(&own->report), *fresh = NULL;
  if (!kept) {
    GJ_TRY(make_report(program, &fresh, err));
    if (atomic_compare_exchange_strong(&own->report, &kept, fresh))
      kept = fresh;
    else
      gj__report_free(fresh); // another thread was first
  }
  *out_report = kept;
  return GJ_OK;
}

gj_status gj_report_evaluate(const gj_report *report, const gj_amount *amount,
                             const int64_t *symbols, int64_t *out_value, gj_error *err) {
  *out_value = amount->number;
  if (amount->number >= 0 ||
      (gj_dim_eval(report->dims, amount->dim, symbols, out_value) && *out_value <= GJ_DIM_MAX))
    return GJ_OK;
  return gj_fail(err, GJ_E_OVERFLOW, "memory: the size %s is more than 2^47", amount->text);
}

void gj__report_free(gj_report *report) {
  if (!report)
    return;
  gj_dims_free(report->dims);
  gj_arena_fini(&report->arena);
  free(report);
}
