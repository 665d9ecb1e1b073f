// Tests of the plan of a run, as properties of random graphs: what is read has been written, what
// lives at the same time has memory of its own, for the sizes of any run.
#include "base/size.h"
#include "check.h"
#include "passes/derive/derive.h"
#include "passes/pass.h"
#include "passes/plan.h"
#include "random_graph.h"

typedef struct place {
  int64_t offset, bytes;
} place;

typedef struct reads {
  const gj_plan *plan;
  uint32_t kernel;
  uint32_t *last; // per buffer: the last kernel that reads it
  gj_ref *holds;  // per buffer: the value in it
  bool is_long;   // has full groups, whose values others of their level read
  bool ok;
} reads;

// A kernel reads inputs and what kernels before it have written, of lower levels.
static void check_read(gj_ref ref, bool in_step, void *context) {
  (void)in_step;
  reads *r = context;
  const gj_plan *plan = r->plan;
  uint32_t home = plan->home[ref], writer = plan->writer[ref];
  if (!CHECK(home != GJ_NO_BUFFER)) {
    r->ok = false;
    return;
  }
  r->last[home] = r->kernel;
  bool input = gj_graph_node(plan->graph, ref)->op == GJ_OP_param;
  bool earlier = writer != GJ_NO_KERNEL && writer < r->kernel &&
                 plan->kernels[writer].level < plan->kernels[r->kernel].level + r->is_long;
  r->ok = CHECK(input || earlier) && CHECK(r->holds[home] == ref) && r->ok;
}

// What the buffers hold once the kernel has run.
static void note_writes(reads *r) {
  const gj_kernel *kernel = &r->plan->kernels[r->kernel];
  for (uint32_t i = 0; i < kernel->store_count; i++)
    if (gj__store_lasts(r->plan, &kernel->stores[i]))
      r->holds[kernel->stores[i].buffer] = kernel->stores[i].ref;
  for (uint32_t i = 0; i < kernel->temp_count; i++)
    r->holds[kernel->temps[i]] = 0;
}

// Inputs lie in their buffers, those that a function takes in an output there.
static void note_inputs(reads *r) {
  const gj_plan *plan = r->plan;
  for (size_t i = 0; i < gj_graph_input_count(plan->graph); i++) {
    gj_ref ref = gj_graph_input(plan->graph, i);
    r->holds[plan->home[ref]] = ref;
  }
}

// At the end every output is where it is wanted.
static bool check_outputs(const reads *r) {
  const gj_plan *plan = r->plan;
  bool ok = true;
  for (uint32_t b = 0; b < plan->buffer_count; b++)
    if (plan->buffers[b].kind == GJ_BUFFER_OUTPUT) {
      size_t index = plan->buffers[b].index - gj_graph_input_count(plan->graph);
      ok = CHECK_INT_EQ(r->holds[b], gj_graph_output(plan->graph, index)->ref) && ok;
    }
  return ok;
}

// Kernels that may write where a value is that they read.
static bool updates(const gj_kernel *kernel) {
  return kernel->kind == GJ_KERNEL_UPDATE || kernel->kind == GJ_KERNEL_SCATTER ||
         kernel->kind == GJ_KERNEL_CONTROL;
}

static bool is_taken(const gj_plan *plan, const gj_buffer *buffer) {
  return buffer->kind == GJ_BUFFER_OUTPUT &&
         plan->taken[buffer->index - gj_graph_input_count(plan->graph)] != GJ_NO_BUFFER;
}

static bool check_writes(const gj_plan *plan, uint32_t *writes) {
  bool ok = true;
  for (uint32_t k = 0; k < plan->kernel_count; k++) {
    ok = CHECK(plan->kernels[k].store_count > 0) && ok;
    for (uint32_t i = 0; i < plan->kernels[k].store_count; i++) {
      const gj_store *store = &plan->kernels[k].stores[i];
      bool rows = plan->kernels[k].kind == GJ_KERNEL_ROWS;
      ok = CHECK(rows || (store->buffer != GJ_NO_BUFFER && !store->borrowed)) && ok;
      if (store->buffer != GJ_NO_BUFFER && !store->borrowed)
        writes[store->buffer] += writes[store->buffer] == 0 || !updates(&plan->kernels[k]);
    }
    for (uint32_t i = 0; i < plan->kernels[k].temp_count; i++)
      writes[plan->kernels[k].temps[i]]++;
  }
  for (uint32_t b = 0; b < plan->buffer_count; b++) {
    gj_buffer_kind kind = plan->buffers[b].kind;
    bool written = kind != GJ_BUFFER_INPUT && kind != GJ_BUFFER_NONE;
    bool given = is_taken(plan, &plan->buffers[b]);
    ok = (given || CHECK_INT_EQ(writes[b], written ? 1 : 0)) && ok;
  }
  return ok;
}

// Whether two scratch buffers may have the same bytes: they do not live at once, or the later one
// takes the place of the earlier one element by element.
static bool may_share(const gj_plan *plan, uint32_t a, uint32_t b, const place *at,
                      const uint32_t *last) {
  const gj_buffer *x = &plan->buffers[a], *y = &plan->buffers[b];
  uint32_t x_last = last[a] > x->first ? last[a] : x->first;
  gj_kernel_kind kind = plan->kernels[y->first].kind;
  if (x_last < y->first)
    return true;
  return x_last == y->first && x->first < y->first && x->in_place && y->in_place &&
         at[a].offset == at[b].offset && x->type.dtype == y->type.dtype &&
         (kind == GJ_KERNEL_ELEMENTWISE || kind == GJ_KERNEL_SCATTER);
}

// False for sizes that a binding would refuse, such as n = 0 where there is an n - 1.
static bool is_possible(const gj_graph *graph, const int64_t *symbols) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++) {
    const gj_type *type = &gj_graph_node(graph, ref)->type;
    int64_t size, bytes = (int64_t)gj_dtype_bytes(type->dtype);
    for (uint8_t i = 0; i < type->rank; i++)
      if (!gj_dim_eval(gj_graph_dims(graph), type->shape[i], symbols, &size) || size < 0 ||
          !gj_mul_i64(bytes, size, &bytes) || bytes > GJ_DIM_MAX)
        return false;
  }
  return true;
}

static bool all_possible(const gj_graph *graph, const int64_t *symbols) {
  bool ok = is_possible(graph, symbols);
  for (size_t i = 0; ok && i < gj_graph_function_count(graph); i++)
    ok = is_possible(gj_graph_function(graph, i), symbols);
  return ok;
}

static bool check_places(const gj_plan *plan, const int64_t *symbols, const uint32_t *last,
                         place *at) {
  const gj_dims *dims = gj_graph_dims(plan->graph);
  int64_t total = 0;
  bool ok = CHECK(gj_dim_eval(dims, plan->scratch_bytes, symbols, &total));
  for (uint32_t b = 0; b < plan->buffer_count; b++) {
    const gj_buffer *buffer = &plan->buffers[b];
    at[b] = (place){0, 0};
    if (buffer->kind != GJ_BUFFER_SCRATCH)
      continue;
    ok = CHECK(gj_dim_eval(dims, buffer->offset, symbols, &at[b].offset)) &&
         CHECK(gj_dim_eval(dims, buffer->bytes, symbols, &at[b].bytes)) && ok;
    ok = CHECK_INT_EQ(at[b].offset % 64, 0) && ok;
    ok = CHECK(at[b].offset >= 0 && at[b].bytes >= 0 && at[b].offset + at[b].bytes <= total) && ok;
    ok = CHECK(last[b] <= buffer->last && buffer->first <= buffer->last) && ok;
  }
  for (uint32_t a = 0; ok && a < plan->buffer_count; a++)
    for (uint32_t b = a + 1; b < plan->buffer_count; b++) {
      bool apart =
          at[a].offset + at[a].bytes <= at[b].offset || at[b].offset + at[b].bytes <= at[a].offset;
      ok = CHECK(apart || may_share(plan, a, b, at, last) || may_share(plan, b, a, at, last)) && ok;
    }
  return ok;
}

// What a store has borrowed is overwritten by its owner, in a later stage, and by no other borrower
// that is alive in between.
static bool check_loans(const gj_kernel *kernel) {
  bool ok = true;
  for (uint32_t i = 0; i < kernel->store_count; i++) {
    const gj_store *a = &kernel->stores[i];
    uint32_t owners = 0;
    for (uint32_t j = 0; a->borrowed && j < kernel->store_count; j++) {
      const gj_store *b = &kernel->stores[j];
      if (i == j || b->buffer != a->buffer)
        continue;
      owners += !b->borrowed && b->stage > a->stage;
      ok = CHECK(b->stage != a->stage) && ok;
    }
    ok = CHECK_INT_EQ(owners, a->borrowed ? 1 : 0) && ok;
  }
  return ok;
}

static bool check_plan(const gj_plan *plan, bool is_long) {
  static const int64_t sizes[][2] = {{0, 0}, {1, 1}, {1, 64}, {7, 3}, {1000, 33}};
  size_t refs = gj_graph_node_count(plan->graph) + 1;
  uint32_t *writes = calloc(plan->buffer_count + 1, sizeof *writes);
  uint32_t *last = calloc(plan->buffer_count + 1, sizeof *last);
  uint32_t *seen = calloc(refs, sizeof *seen);
  place *at = calloc(plan->buffer_count + 1, sizeof *at);
  gj_ref *holds = calloc(plan->buffer_count + 1, sizeof *holds);
  reads r = {.plan = plan, .last = last, .holds = holds, .is_long = is_long, .ok = true};
  note_inputs(&r);
  bool ok = check_writes(plan, writes);
  for (r.kernel = 0; r.kernel < plan->kernel_count; r.kernel++) {
    gj__kernel_reads(plan, r.kernel, seen, check_read, &r);
    ok = check_loans(&plan->kernels[r.kernel]) && ok;
    note_writes(&r);
  }
  ok = check_outputs(&r) && ok;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (all_possible(plan->graph, sizes[i]))
      ok = check_places(plan, sizes[i], last, at) && ok;
  free(writes);
  free(last);
  free(seen);
  free(at);
  free(holds);
  return ok && r.ok;
}

static bool check_plans(const gj_plan *plan) {
  bool ok = check_plan(plan, false);
  for (size_t i = 0; i < gj_graph_function_count(plan->graph); i++)
    ok = check_plan(plan->functions[i], false) && ok;
  return ok;
}

static gj_plan *plan_of(const gj_graph *graph, gj_graph **out_simple) {
  gj_error err = {0};
  gj_plan *plan = NULL;
  *out_simple = NULL;
  CHECK_OK(gj_passes_run(graph, NULL, NULL, out_simple, &err), &err);
  if (*out_simple)
    CHECK_OK(gj_plan_new(*out_simple, &plan, &err), &err);
  return plan;
}

static void random_plans_give_what_lives_at_once_memory_of_its_own(void) {
  uint64_t count = check_is_quick() ? 50 : 6000;
  size_t in_place = 0, scratch = 0, rows = 0, loans = 0, row_buffers = 0;
  int failures = 0;
  for (uint64_t seed = 1; seed <= count && failures < 3; seed++) {
    // Every other graph has no kernels but those that share memory and loans with each other.
    rg_stream stream = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1, .plain = seed % 2};
    gj_graph *graph = rg_graph(&stream), *simple;
    gj_plan *plan = plan_of(graph, &simple);
    if (plan && !check_plans(plan)) {
      gj_strbuf text = {0};
      gj_graph_print(simple, &text);
      printf("seed %" PRIu64 "\n%s", seed, gj_strbuf_peek(&text));
      gj_strbuf_fini(&text);
      failures++;
    }
    for (uint32_t b = 0; plan && b < plan->buffer_count; b++) {
      in_place += plan->buffers[b].in_place;
      scratch += plan->buffers[b].kind == GJ_BUFFER_SCRATCH;
      row_buffers += plan->buffers[b].row;
    }
    for (uint32_t k = 0; plan && k < plan->kernel_count; k++) {
      rows += plan->kernels[k].kind == GJ_KERNEL_ROWS;
      for (uint32_t i = 0; i < plan->kernels[k].store_count; i++)
        loans += plan->kernels[k].stores[i].borrowed;
    }
    gj_plan_free(plan);
    gj_graph_free(simple);
    gj_graph_free(graph);
  }
  // The properties were put to the test.
  CHECK(check_is_quick() || (scratch > 1000 && in_place > 0));
  CHECK(check_is_quick() || (rows > 100 && loans > 10 && row_buffers > 0));
}

static gj_graph *parse(const char *text) {
  gj_error err = {0};
  gj_graph *graph = NULL;
  CHECK_OK(gj_graph_parse(text, strlen(text), &graph, &err), &err);
  return graph;
}

// A long chain whose links each need a buffer gets by with two.
static void memory_of_dead_values_is_used_again(void) {
  gj_strbuf text = {0};
  gj_strbuf_text(&text, "graph \"chain\" {\n  %0 = param \"x\" : f64[1000]\n");
  for (int i = 0; i < 50; i++)
    gj_strbuf_printf(&text,
                     "  %%a%d = exp %%%s%d\n  %%r%d = reverse %%a%d {axes=[0]}\n"
                     "  %%b%d = add %%r%d, %%a%d\n",
                     i, i ? "b" : "", i ? i - 1 : 0, i, i, i, i, i);
  gj_strbuf_text(&text, "  output \"z\" = %b49\n}\n");
  gj_graph *graph = parse(gj_strbuf_peek(&text)), *simple;
  gj_plan *plan = plan_of(graph, &simple);
  CHECK_INT_EQ(plan->scratch_bytes, 2 * 8000);
  check_plan(plan, false);
  gj_plan_free(plan);
  gj_graph_free(simple);
  gj_graph_free(graph);
  gj_strbuf_fini(&text);
}

static void too_much_memory_is_refused(void) {
  gj_graph *graph = parse("graph \"large\" {\n"
                          "  %1 = param \"x\" : u8[100000000000000]\n"
                          "  %2 = reverse %1 {axes=[0]}\n"
                          "  %3 = concat %1 {axis=0}\n"
                          "  %4 = const 0 : u8[]\n"
                          "  %5 = pad %1, %4 {lo=[1], hi=[-1], interior=[0]}\n"
                          "  %6 = pad %1, %4 {lo=[-1], hi=[1], interior=[0]}\n"
                          "  %7 = sub %5, %6\n"
                          "  output \"z\" = %7\n}\n");
  gj_error err = {0};
  gj_plan *plan = NULL;
  CHECK_INT_EQ(gj_plan_new(graph, &plan, &err), GJ_E_OVERFLOW);
  CHECK_STR_EQ(err.message, "the intermediate values of graph \"large\" need more than 2^47 bytes");
  CHECK(plan == NULL);
  gj_graph_free(graph);
}

// y = y - max(y), again and again: link k read from memory, not computed from the k before it.
static void links_of_a_long_chain_are_not_computed_again(void) {
  enum { LINKS = 60, INLINE = 20 };
  gj_error err = {0};
  gj_plan *plan = NULL;
  gj_strbuf text = {0};
  gj_strbuf_text(&text, "graph \"chain\" {\n  %1 = param \"x\" : f64[n]\n");
  for (unsigned i = 0, y = 1; i < LINKS; i++, y += 2)
    gj_strbuf_printf(&text, "  %%%u = reduce_max %%%u {axes=[0]}\n  %%%u = sub %%%u, %%%u\n", y + 1,
                     y, y + 2, y, y + 1);
  gj_strbuf_printf(&text, "  output \"z\" = %%%u\n}\n", 2 * LINKS + 1);
  gj_graph *graph = parse(gj_strbuf_peek(&text));
  CHECK_OK(gj_plan_new(graph, &plan, &err), &err);
  CHECK(plan->kernel_count > 2 * LINKS - INLINE);
  gj_plan_free(plan);
  gj_graph_free(graph);
  gj_strbuf_fini(&text);
}

static void count_read(gj_ref ref, bool in_step, void *context) {
  (void)ref, (void)in_step;
  ++*(unsigned *)context;
}

// y = tanh(y * x) - x, again and again, and back: each of its kernels is of bounded size, and what
// the way back computes on the way is kept where it is cut only.
static void the_way_back_of_a_long_chain_is_cut_where_little_crosses(void) {
  enum { LINKS = 1000, MOST_READS = 48, STORES = 8, LEAST_LINKS = 10 };
  gj_error err = {0};
  gj_strbuf text = {0};
  gj_strbuf_text(&text, "graph \"chain\" {\n  %1 = param \"x\" : f64[64]\n");
  unsigned y = 1;
  for (unsigned i = 0; i < LINKS; i++, y += 3)
    gj_strbuf_printf(&text, "  %%%u = mul %%%u, %%1\n  %%%u = tanh %%%u\n  %%%u = sub %%%u, %%1\n",
                     y + 1, y, y + 2, y + 1, y + 3, y + 2);
  gj_strbuf_printf(&text, "  output \"y\" = %%%u\n}\n", y);
  gj_graph *graph = parse(gj_strbuf_peek(&text)), *simple;
  gj_ref from = gj_graph_input(graph, 0), to = gj_graph_output(graph, 0)->ref, gradient;
  gj_derive_options options = {0};
  CHECK_OK(gj_graph_vjp(graph, &to, &from, 1, &from, 1, &options, &gradient, &err), &err);
  gj_graph_set_output(graph, "d", gradient);
  gj_plan *plan = plan_of(graph, &simple);
  CHECK(plan->kernel_count < LINKS / STORES + LINKS / LEAST_LINKS);
  uint32_t *seen = calloc(gj_graph_node_count(simple) + 1, sizeof *seen);
  for (uint32_t k = 0; k < plan->kernel_count; k++) {
    unsigned count = 0;
    gj__kernel_reads(plan, k, seen, count_read, &count);
    CHECK(count <= MOST_READS);
    CHECK(plan->kernels[k].store_count <= STORES);
  }
  check_plan(plan, true);
  free(seen);
  gj_plan_free(plan);
  gj_graph_free(simple);
  gj_graph_free(graph);
  gj_strbuf_fini(&text);
}

int main(void) {
  CHECK_RUN(links_of_a_long_chain_are_not_computed_again);
  CHECK_RUN(the_way_back_of_a_long_chain_is_cut_where_little_crosses);
  CHECK_RUN(random_plans_give_what_lives_at_once_memory_of_its_own);
  CHECK_RUN(memory_of_dead_values_is_used_again);
  CHECK_RUN(too_much_memory_is_refused);
  return check_report();
}
