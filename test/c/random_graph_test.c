// Random graphs through all oracles: see random_graph.h.
//
//   random_graph_test [first seed] [number of seeds]
//   random_graph_test wide FIRST COUNT [EACH]   wide graphs, what goes on for test/fuzz/graphs.js:
//                                               a line per seed, and one graph of EACH as text
//   random_graph_test text N M DATA ROUNDS      the graph of standard input for these sizes
#include "check.h"
#include "random_graph.h"

static uint64_t first_seed = 1;
static uint64_t seed_count = 300;

static rg_stream stream_of(uint64_t seed) {
  return (rg_stream){.state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1, .computes = seed % 4 == 0};
}

// Each third graph rounds. Most of those that are made have values that are too large or do not fit
// together: a seed stands for the first that runs, and half of them for one that does some work.
static rg_verdict try_wide(uint64_t seed, bool prints) {
  enum { TRIES = 50, EXACTING = 40 };
  static const double least[] = {0, 2000, 0, 30000};
  rg_stream s = stream_of(seed);
  s.wide = true;
  s.rounds = seed % 3 == 0;
  s.computes = s.computes && !s.rounds;
  rg_verdict verdict = RG_REFUSED;
  for (int i = 0; i < TRIES && verdict == RG_REFUSED; i++) {
    rg_case c = {.graph = rg_graph(&s), .prints = prints};
    c.least_work = i < EXACTING ? least[seed / 3 % 4] : 0;
    s.data = 0;
    verdict = rg_judge(&c, &s);
  }
  return verdict;
}

static void random_graphs_agree_between_reference_loops_and_code(void) {
  uint64_t count = check_is_quick() ? 20 : seed_count;
  int failures = 0;
  for (uint64_t seed = first_seed; seed < first_seed + count && failures < 5; seed++) {
    if (!check_takes(seed))
      continue;
    rg_stream stream = stream_of(seed);
    if (!rg_check(&stream)) {
      printf("seed %" PRIu64 "\n", seed);
      failures++;
    }
  }
  CHECK_INT_EQ(failures, 0);
}

static void wide_graphs_agree(void) {
  uint64_t count = check_is_quick() ? 10 : seed_count / 4, ran = 0;
  int failures = 0;
  for (uint64_t seed = first_seed; seed < first_seed + count && failures < 5; seed++) {
    if (!check_takes(seed))
      continue;
    rg_verdict verdict = try_wide(seed, false);
    ran += verdict == RG_AGREES;
    if (verdict == RG_DIFFERS) {
      printf("wide seed %" PRIu64 "\n", seed);
      failures++;
    }
  }
  CHECK_INT_EQ(failures, 0);
  CHECK(ran > 0);
}

// Steps from values that have all the axes there may be: sanitizers see what is written past them.
static void values_of_the_greatest_rank_take_every_step(void) {
  size_t most = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    rg_stream stream = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1, .wide = seed % 2};
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

// A seed that ends the process is the last one named.
static int run_wide(uint64_t first, uint64_t count, uint64_t each) {
  int differ = 0;
  for (uint64_t seed = first; seed < first + count; seed++) {
    printf("seed %" PRIu64 "\n", seed);
    fflush(stdout);
    rg_verdict verdict = try_wide(seed, each && seed % each == 0);
    printf("%s\n", verdict == RG_AGREES ? "agrees" : verdict == RG_DIFFERS ? "differs" : "refused");
    differ += verdict == RG_DIFFERS;
  }
  return differ > 0;
}

static int run_text(char **words) {
  static char text[1 << 20];
  gj_error err;
  rg_case c = {.given = true, .symbols = {atoll(words[0]), atoll(words[1])}};
  rg_stream s = {.state = 1,
                 .wide = true,
                 .data = strtoull(words[2], NULL, 10),
                 .rounds = atoi(words[3]) != 0};
  size_t size = fread(text, 1, sizeof text, stdin);
  if (gj_graph_parse(text, size, &c.graph, &err) != GJ_OK) {
    printf("refused: %s\n", err.message);
    return 0;
  }
  rg_verdict verdict = rg_judge(&c, &s);
  printf("%s\n", verdict == RG_AGREES ? "agrees" : verdict == RG_DIFFERS ? "differs" : "refused");
  return verdict == RG_DIFFERS;
}

int main(int argc, char **argv) {
  if (argc > 3 && strcmp(argv[1], "wide") == 0)
    return run_wide(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10),
                    argc > 4 ? strtoull(argv[4], NULL, 10) : 0);
  if (argc > 5 && strcmp(argv[1], "text") == 0)
    return run_text(argv + 2);
  if (argc > 1)
    first_seed = strtoull(argv[1], NULL, 10);
  if (argc > 2)
    seed_count = strtoull(argv[2], NULL, 10);
  CHECK_RUN(values_of_the_greatest_rank_take_every_step);
  CHECK_RUN(random_graphs_agree_between_reference_loops_and_code);
  CHECK_RUN(wide_graphs_agree);
  return check_report();
}
