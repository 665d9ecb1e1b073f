// Random graphs through all oracles: see random_graph.h.
//
//   random_graph_test [first seed] [number of seeds]
#include "check.h"
#include "random_graph.h"

static uint64_t first_seed = 1;
static uint64_t seed_count = 600;

static void random_graphs_agree_between_reference_loops_and_code(void) {
  uint64_t count = check_is_quick() ? 20 : seed_count;
  int failures = 0;
  for (uint64_t seed = first_seed; seed < first_seed + count && failures < 5; seed++) {
    if (!check_takes(seed))
      continue;
    rg_stream stream = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1,
                        .computes = seed % 4 == 0};
    if (!rg_check(&stream)) {
      printf("seed %" PRIu64 "\n", seed);
      failures++;
    }
  }
  CHECK_INT_EQ(failures, 0);
}

// Steps from values that have all the axes there may be: sanitizers see what is written past them.
static void values_of_the_greatest_rank_take_every_step(void) {
  size_t most = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    rg_stream stream = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1};
    gj_graph *graph = gj_graph_new("ranks");
    gj_type type = {.dtype = rg_dtype(&stream), .rank = GJ_MAX_RANK};
    for (uint8_t i = 0; i < type.rank; i++)
      type.shape[i] = gj_dim_const(gj_graph_dims(graph), 1 + rg_below(&stream, 2));
    gj_graph_param(graph, "x", &type);
    for (int step = 0; step < 20; step++)
      rg_step(&stream, graph);
    for (gj_ref ref = 2; ref <= gj_graph_node_count(graph); ref++)
      most += gj_graph_node(graph, ref)->type.rank == GJ_MAX_RANK;
    gj_graph_free(graph);
  }
  CHECK(most > 1000);
}

int main(int argc, char **argv) {
  if (argc > 1)
    first_seed = strtoull(argv[1], NULL, 10);
  if (argc > 2)
    seed_count = strtoull(argv[2], NULL, 10);
  CHECK_RUN(values_of_the_greatest_rank_take_every_step);
  CHECK_RUN(random_graphs_agree_between_reference_loops_and_code);
  return check_report();
}
