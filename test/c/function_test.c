// Tests of functions compiled from Loop IR text: what they compute, that equal ones share code in a
// process and through the disk, what is refused.
#include "check.h"
#include "graphjit.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static const char sum_text[] = "module \"sum\" {\n"
                               "  entry func main() -> i32 {\n"
                               "    let slots: f64* = buffer<0, f64>\n"
                               "    let x: f64* = buffer<1, f64>\n"
                               "    let s: f64 = slots[0]\n"
                               "    for i = 0 to dim<0> step 1 {\n"
                               "      s = add(s, x[i])\n"
                               "    }\n"
                               "    slots[1] = s\n"
                               "    return 0:i32\n"
                               "  }\n"
                               "}\n";

static gj_function *compile(const char *text, bool cache) {
  gj_error err = {0};
  gj_function *function = NULL;
  gj_function_options options = {.opt_level = 2, .cache = cache};
  CHECK_OK(gj_function_compile(text, strlen(text), &options, &function, &err), &err);
  return function;
}

static double run_sum(const gj_function *function) {
  double x[] = {1, 2, 4}, slots[] = {0.5, 0};
  void *buffers[] = {slots, x};
  int64_t dims[] = {3};
  gj_run_heap heap;
  gj_heap_init(&heap);
  CHECK_INT_EQ(gj_function_run(function, 1, buffers, dims, NULL, &heap), 0);
  gj_heap_fini(&heap);
  return slots[1];
}

static void a_function_reads_slots_and_arrays(void) {
  size_t alive = gj_function_usage(); // ops of other tests live on
  gj_function *function = compile(sum_text, false);
  CHECK_OR_RETURN(function);
  CHECK(run_sum(function) == 7.5);
  CHECK(strcmp(gj_function_remarks(function), "") == 0);
  CHECK_INT_EQ(gj_function_usage(), alive + 1);
  gj_function_free(function);
  CHECK_INT_EQ(gj_function_usage(), alive);
}

static gj_cache_source source_of(const gj_function *function) {
  gj_program_stats stats;
  gj_function_get_stats(function, &stats);
  return stats.cache;
}

static void equal_texts_share_their_code(void) {
  size_t programs, alone, both;
  gj_function *first = compile(sum_text, true);
  gj_program_usage(&programs, &alone);
  gj_function *second = compile(sum_text, true);
  gj_program_usage(&programs, &both);
  CHECK_OR_RETURN(first && second);
  CHECK_INT_EQ(source_of(first), GJ_CACHE_MISS);
  CHECK_INT_EQ(source_of(second), GJ_CACHE_MEMORY);
  CHECK_INT_EQ(alone, both);
  gj_function_free(first);
  CHECK(run_sum(second) == 7.5);
  gj_function_free(second);
}

static void code_comes_back_from_the_disk(void) {
  gj_function *first = compile(sum_text, true);
  CHECK_INT_EQ(source_of(first), GJ_CACHE_DISK); // written by the test before
  CHECK(run_sum(first) == 7.5);
  gj_function_free(first);
}

static void notes_come_back_by_their_whole_name(void) {
  static const char name[] = "a name", text[] = "what is known", more[] = "more";
  char *found = NULL;
  size_t size = 0;
  CHECK(!gj_note_read(name, sizeof name - 1, &found, &size));
  gj_note_write(name, sizeof name - 1, text, sizeof text - 1);
  gj_note_write(name, sizeof name - 1, more, sizeof more - 1);
  gj_note_write(name, sizeof name - 2, text, sizeof text - 1);
  CHECK_OR_RETURN(gj_note_read(name, sizeof name - 1, &found, &size));
  CHECK_INT_EQ(size, sizeof more - 1);
  CHECK(strcmp(found, more) == 0);
  free(found);
  CHECK(!gj_note_read("another", 7, &found, &size));
}

static void options_are_part_of_the_key(void) {
  gj_error err = {0};
  gj_function *first = compile(sum_text, true), *second = NULL;
  gj_function_options options = {.opt_level = 2, .numerics = GJ_NUMERICS_FAST, .cache = true};
  CHECK_OK(gj_function_compile(sum_text, strlen(sum_text), &options, &second, &err), &err);
  CHECK_OR_RETURN(second);
  CHECK_INT_EQ(source_of(second), GJ_CACHE_MISS);
  gj_function_free(first);
  gj_function_free(second);
}

static void refuse(const char *text, gj_status status) {
  gj_error err = {0};
  gj_function *function = NULL;
  gj_function_options options = {.opt_level = 2, .cache = true};
  CHECK_INT_EQ(gj_function_compile(text, strlen(text), &options, &function, &err), status);
  CHECK(err.message[0] != '\0');
  CHECK(!function);
}

static void bad_texts_are_refused(void) {
  gj_error err = {0};
  gj_function *function = NULL;
  gj_function_options options = {.opt_level = 4};
  refuse("", GJ_E_PARSE);
  refuse("module \"m\" {\n}\n", GJ_E_VERIFY);
  refuse("module \"m\" {\n  entry func main() -> i32 {\n    return 1.5:f64\n  }\n}\n", GJ_E_VERIFY);
  CHECK_INT_EQ(gj_function_compile(sum_text, strlen(sum_text), &options, &function, &err),
               GJ_E_ARGUMENT);
}

static void a_function_can_be_looked_at(void) {
  gj_error err = {0};
  gj_strbuf out = {0};
  gj_function_options options = {.opt_level = 2};
  size_t size = strlen(sum_text);
  CHECK_OK(gj_function_print_loops(sum_text, size, &out, &err), &err);
  CHECK(strstr(gj_strbuf_peek(&out), "s = add(s, x[i])"));
  gj_strbuf_fini(&out);
  CHECK_OK(gj_function_print(sum_text, size, &options, GJ_EMIT_LLVM, &out, &err), &err);
  CHECK(strstr(gj_strbuf_peek(&out), "fadd"));
  gj_strbuf_fini(&out);
  CHECK_INT_EQ(gj_function_print("x", 1, &options, GJ_EMIT_LLVM, &out, &err), GJ_E_PARSE);
  gj_strbuf_fini(&out);
}

// --- tiers ---

static gj_function *compile_auto(gj_numerics numerics, bool cache) {
  gj_error err = {0};
  gj_function *function = NULL;
  gj_function_options options = {
      .opt_level = 3, .cache = cache, .tier = GJ_TIER_AUTO, .numerics = numerics};
  CHECK_OK(gj_function_compile(sum_text, strlen(sum_text), &options, &function, &err), &err);
  return function;
}

static void a_function_starts_quickly_and_gets_better(void) {
  gj_function *function = compile_auto(GJ_NUMERICS_DEFAULT, false);
  CHECK_OR_RETURN(function);
  CHECK_INT_EQ(gj_function_tier(function), GJ_TIER_AUTO);
  CHECK(run_sum(function) == 7.5);
  gj_function_finish(function);
  gj_function_finish(function);
  CHECK_INT_EQ(gj_function_tier(function), GJ_TIER_LLVM);
  CHECK(run_sum(function) == 7.5);
  gj_function_free(function);
  gj_function *fast = compile_auto(GJ_NUMERICS_FAST, false);
  CHECK_INT_EQ(gj_function_tier(fast), GJ_TIER_LLVM);
  gj_function_free(fast);
}

static void a_function_that_runs_much_gets_better_by_itself(void) {
  enum { COUNT = 100000 };
  gj_function *function = compile_auto(GJ_NUMERICS_DEFAULT, false);
  double *x = calloc(COUNT, sizeof *x), slots[2] = {0.5, 0};
  void *buffers[] = {slots, x};
  int64_t dims[] = {COUNT};
  for (int i = 0; i < 100000 && gj_function_tier(function) == GJ_TIER_AUTO; i++) {
    gj_run_heap heap;
    gj_heap_init(&heap);
    CHECK_INT_EQ(gj_function_run(function, 1, buffers, dims, NULL, &heap), 0);
    gj_heap_fini(&heap);
  }
  CHECK_INT_EQ(gj_function_tier(function), GJ_TIER_LLVM);
  CHECK(slots[1] == 0.5);
  gj_function_free(function);
  function = compile_auto(GJ_NUMERICS_DEFAULT, false);
  CHECK_INT_EQ(gj_function_run(function, 1, buffers, dims, NULL, &(gj_run_heap){0}), 0);
  gj_function_free(function); // perhaps while it is queued, or compiled
  free(x);
}

static void better_code_that_is_kept_is_taken_at_once(void) {
  gj_function *first = compile_auto(GJ_NUMERICS_DEFAULT, true);
  CHECK_INT_EQ(gj_function_tier(first), GJ_TIER_AUTO);
  gj_function_finish(first);
  CHECK_INT_EQ(source_of(first), GJ_CACHE_MISS);
  gj_function *second = compile_auto(GJ_NUMERICS_DEFAULT, true);
  CHECK_INT_EQ(gj_function_tier(second), GJ_TIER_LLVM);
  CHECK_INT_EQ(source_of(second), GJ_CACHE_MEMORY);
  gj_function_free(first);
  gj_function_free(second);
  gj_function *third = compile_auto(GJ_NUMERICS_DEFAULT, true);
  CHECK_INT_EQ(gj_function_tier(third), GJ_TIER_LLVM);
  CHECK_INT_EQ(source_of(third), GJ_CACHE_DISK);
  CHECK(run_sum(third) == 7.5);
  gj_function_free(third);
}

// --- threads ---

static void *compile_and_run(void *failed) {
  for (int i = 0; i < 20; i++) {
    gj_function *function = compile(sum_text, true);
    if (!function || run_sum(function) != 7.5)
      *(bool *)failed = true;
    gj_function_free(function);
  }
  return NULL;
}

static void threads_compile_and_run_the_same_function(void) {
  pthread_t threads[3];
  bool failed[3] = {false};
  size_t alive = gj_function_usage();
  for (int i = 0; i < 3; i++)
    CHECK_INT_EQ(pthread_create(&threads[i], NULL, compile_and_run, &failed[i]), 0);
  for (int i = 0; i < 3; i++) {
    pthread_join(threads[i], NULL);
    CHECK(!failed[i]);
  }
  CHECK_INT_EQ(gj_function_usage(), alive);
}

int main(void) {
  char folder[] = "/tmp/gj-function-XXXXXX", command[64];
  if (!mkdtemp(folder))
    return 1;
  setenv("GRAPHJIT_CACHE_DIR", folder, 1);
  unsetenv("GRAPHJIT_CACHE");
  CHECK_RUN(a_function_reads_slots_and_arrays);
  CHECK_RUN(equal_texts_share_their_code);
  CHECK_RUN(code_comes_back_from_the_disk);
  CHECK_RUN(notes_come_back_by_their_whole_name);
  CHECK_RUN(options_are_part_of_the_key);
  CHECK_RUN(bad_texts_are_refused);
  CHECK_RUN(a_function_can_be_looked_at);
  CHECK_RUN(a_function_starts_quickly_and_gets_better);
  CHECK_RUN(a_function_that_runs_much_gets_better_by_itself);
  CHECK_RUN(better_code_that_is_kept_is_taken_at_once);
  CHECK_RUN(threads_compile_and_run_the_same_function);
  gj_tiers_stop(true);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) == 0 ? check_report() : 1;
}
