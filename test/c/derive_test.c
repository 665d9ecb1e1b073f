// Derivatives of random graphs: whatever is asked of them, a graph stays one that verifies, and
// what cannot be derived is said to be so. (That derivatives are right is what test/derive checks.)
//
//   derive_test [first seed] [number of seeds]
#include "check.h"
#include "passes/derive/derive.h"
#include "passes/pass.h"
#include "random_graph.h"

enum { MOST = 64 };

static uint64_t first_seed = 1, seed_count = 400;
static uint64_t derived; // graphs that could be

static bool is_float(const gj_graph *graph, gj_ref ref) {
  return gj_dtype_is_float(gj_graph_node(graph, ref)->type.dtype);
}

// Values that are there, or ones of their types.
static gj_ref ones_like(gj_graph *graph, gj_ref ref) {
  const gj_type *type = &gj_graph_node(graph, ref)->type;
  unsigned char one[8];
  gj_scalar_store((gj_scalar){.dtype = type->dtype, .v.f = 1}, one);
  return gj_graph_const(graph, type, one, gj_dtype_bytes(type->dtype));
}

static void complain(const gj_graph *graph, const char *what, const gj_error *err) {
  gj_strbuf text = {0};
  gj_graph_print(graph, &text);
  printf("%s: %s\n%s", what, err->message, gj_strbuf_peek(&text));
  gj_strbuf_fini(&text);
}

static bool is_sound(const gj_graph *graph, const char *what) {
  gj_error err = {0};
  gj_graph *simple = NULL;
  gj_status status = gj_graph_verify(graph, &err);
  if (status == GJ_OK)
    status = gj_passes_run(graph, NULL, NULL, &simple, &err);
  gj_graph_free(simple);
  if (status != GJ_OK)
    complain(graph, what, &err);
  return status == GJ_OK;
}

typedef struct sides {
  gj_ref ys[MOST], xs[MOST], seeds[MOST], made[MOST];
  size_t y_count, x_count;
} sides;

static bool derive(gj_graph *graph, sides *s, bool reverse, const char *what, bool *out_done) {
  size_t count = reverse ? s->y_count : s->x_count;
  gj_error err = {0};
  for (size_t i = 0; i < count; i++)
    s->seeds[i] = ones_like(graph, reverse ? s->ys[i] : s->xs[i]);
  gj_status status = gj_graph_take_error(graph, &err);
  if (status == GJ_OK)
    status = reverse ? gj_graph_vjp(graph, s->ys, s->seeds, s->y_count, s->xs, s->x_count, NULL,
                                    s->made, &err)
                     : gj_graph_jvp(graph, s->ys, s->y_count, s->xs, s->seeds, s->x_count, NULL,
                                    s->made, &err);
  *out_done = status == GJ_OK;
  if (status != GJ_OK && status != GJ_E_UNSUPPORTED) {
    complain(graph, what, &err);
    return false;
  }
  for (size_t i = 0; *out_done && i < (reverse ? s->x_count : s->y_count); i++) {
    char name[64];
    snprintf(name, sizeof name, "%s %zu", what, i);
    if (s->made[i])
      gj_graph_set_output(graph, name, s->made[i]);
  }
  return is_sound(graph, what);
}

// Gradients, then what these change, and their gradients.
static bool check_graph(gj_graph *graph) {
  sides s = {0};
  bool done;
  for (size_t i = 0; i < gj_graph_output_count(graph) && s.y_count < MOST; i++)
    if (is_float(graph, gj_graph_output(graph, i)->ref))
      s.ys[s.y_count++] = gj_graph_output(graph, i)->ref;
  for (size_t i = 0; i < gj_graph_input_count(graph) && s.x_count < MOST; i++)
    if (is_float(graph, gj_graph_input(graph, i)))
      s.xs[s.x_count++] = gj_graph_input(graph, i);
  if (!derive(graph, &s, false, "tangent", &done) || !done)
    return !done;
  if (!derive(graph, &s, true, "gradient", &done) || !done)
    return !done;
  derived++;
  sides second = s;
  second.y_count = 0;
  for (size_t i = 0; i < s.x_count; i++)
    if (s.made[i])
      second.ys[second.y_count++] = s.made[i];
  return derive(graph, &second, false, "change of the gradient", &done) &&
         derive(graph, &second, true, "gradient of the gradient", &done);
}

static void derivatives_of_random_graphs_verify(void) {
  uint64_t count = check_is_quick() ? 40 : seed_count;
  int failures = 0;
  for (uint64_t seed = first_seed; seed < first_seed + count && failures < 5; seed++) {
    rg_stream s = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1, .computes = seed % 4 == 0};
    gj_graph *graph = rg_graph(&s);
    gj_error err;
    bool verifies = graph && gj_graph_verify(graph, &err) == GJ_OK; // sizes may not fit
    if (verifies && !check_graph(graph)) {
      printf("seed %" PRIu64 "\n", seed);
      failures++;
    }
    gj_graph_free(graph);
  }
  CHECK_INT_EQ(failures, 0);
  CHECK(derived > count / 20);
}

int main(int argc, char **argv) {
  if (argc > 1)
    first_seed = strtoull(argv[1], NULL, 10);
  if (argc > 2)
    seed_count = strtoull(argv[2], NULL, 10);
  CHECK_RUN(derivatives_of_random_graphs_verify);
  return check_report();
}
