// Tests of counted memory, and of large constants: held once by graphs, their copies, what passes
// make of them and programs, and given back by whoever lets go last.
#include "check.h"
#include "graphjit.h"

#include "passes/pass.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 2048, BYTES = COUNT * 4, THREADS = 4, LINE = 64 };

// --- storages ---

static void storages_begin_at_a_line_with_zeros(void) {
  for (size_t size = 1; size < 1 << 20; size = size * 3 + 1) {
    gj_storage *storage = gj_storage_new(size);
    CHECK_OR_RETURN(storage);
    const char *bytes = gj_storage_bytes(storage);
    CHECK_INT_EQ((uintptr_t)bytes % LINE, 0);
    CHECK_INT_EQ(gj_storage_size(storage), size);
    CHECK_INT_EQ(gj_storage_usage(), size);
    CHECK(bytes[0] == 0 && bytes[size / 2] == 0 && bytes[size - 1] == 0);
    gj_storage_release(storage);
    CHECK_INT_EQ(gj_storage_usage(), 0);
  }
  CHECK(gj_storage_new(SIZE_MAX - 8) == NULL);
}

static void count_up(void *context) { ++*(int *)context; }

static void the_last_holder_gives_back(void) {
  int given_back = 0;
  gj_storage *storage = gj_storage_borrow("words", 5, count_up, &given_back);
  CHECK_OR_RETURN(storage);
  CHECK_STR_EQ(gj_storage_bytes(storage), "words");
  CHECK(gj_storage_retain(storage) == storage);
  gj_storage_release(storage);
  CHECK_INT_EQ(given_back, 0);
  gj_storage_release(storage);
  CHECK_INT_EQ(given_back, 1);
  CHECK(gj_storage_retain(NULL) == NULL);
  gj_storage_release(NULL);
}

static void *digest_and_release(void *storage) {
  const unsigned char *digest = gj_storage_digest(storage)->bytes;
  void *first = (void *)(uintptr_t)digest[0];
  gj_storage_release(storage);
  return first;
}

static void threads_digest_and_release_at_once(void) {
  float data[COUNT];
  for (int i = 0; i < COUNT; i++)
    data[i] = (float)i;
  gj_storage *one = gj_storage_copy(data, BYTES), *other = gj_storage_copy(data, BYTES);
  CHECK_OR_RETURN(one && other);
  const gj_digest *want = gj_storage_digest(other);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, digest_and_release, gj_storage_retain(one));
  gj_storage_release(one);
  for (int i = 0; i < THREADS; i++) {
    void *first = NULL;
    pthread_join(threads[i], &first);
    CHECK_INT_EQ((uintptr_t)first, want->bytes[0]);
  }
  CHECK_INT_EQ(gj_storage_usage(), BYTES);
  gj_storage_release(other);
  CHECK_INT_EQ(gj_storage_usage(), 0);
}

// --- constants of graphs ---

static gj_storage *weights(float first) {
  gj_storage *storage = gj_storage_new(BYTES);
  float *data = storage ? (float *)gj_storage_bytes(storage) : NULL;
  for (int i = 0; data && i < COUNT; i++)
    data[i] = first + (float)i;
  return storage;
}

static const gj_type type = {.dtype = GJ_DTYPE_f32, .rank = 1, .shape = {COUNT}};

// z = f(x) + b, where f multiplies by a; takes the storages over.
static gj_graph *build(gj_storage *a, gj_storage *b) {
  gj_graph *graph = gj_graph_new("weights"), *f = gj_graph_function_new(graph, "f");
  gj_ref own[2] = {gj_graph_param(f, "x", &type), gj_graph_const_shared(f, &type, a)};
  gj_graph_set_output(f, "y", gj_graph_append(f, GJ_OP_mul, own, 2, NULL));
  int64_t number = gj_graph_function_add(f);
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_functions, &number, 1);
  gj_ref x = gj_graph_param(graph, "x", &type);
  gj_ref sum[2] = {gj_graph_append(graph, GJ_OP_call, &x, 1, &attrs),
                   gj_graph_const_shared(graph, &type, b)};
  gj_graph_set_output(graph, "z", gj_graph_append(graph, GJ_OP_add, sum, 2, NULL));
  gj_error err = {0};
  CHECK_OK(gj_graph_take_error(graph, &err), &err);
  gj_storage_release(a);
  gj_storage_release(b);
  return graph;
}

static void copies_and_passes_share_large_constants(void) {
  gj_error err = {0};
  gj_graph *graph = build(weights(1), weights(2)), *copy = NULL, *simple = NULL;
  CHECK_OK(gj_graph_copy(graph, &copy, &err), &err);
  CHECK_OK(gj_passes_run(graph, NULL, NULL, &simple, &err), &err);
  CHECK_INT_EQ(gj_graph_function_count(simple), 0); // inlined, with its constant
  CHECK_INT_EQ(gj_storage_usage(), 2 * BYTES);
  gj_graph_free(graph);
  gj_graph_free(copy);
  CHECK_OK(gj_graph_verify(simple, &err), &err);
  CHECK_INT_EQ(gj_storage_usage(), 2 * BYTES);
  gj_graph_free(simple);
  CHECK_INT_EQ(gj_storage_usage(), 0);
}

static void equal_constants_become_one(void) {
  gj_error err = {0};
  gj_graph *graph = build(weights(3), weights(3)), *simple = NULL;
  CHECK_INT_EQ(gj_storage_usage(), 2 * BYTES);
  CHECK_OK(gj_passes_run(graph, NULL, NULL, &simple, &err), &err);
  gj_graph_free(graph);
  CHECK_INT_EQ(gj_storage_usage(), BYTES);
  gj_graph_free(simple);
}

static void few_or_unaligned_elements_are_copied(void) {
  gj_graph *graph = gj_graph_new(NULL);
  static _Alignas(LINE) char memory[BYTES + LINE];
  int given_back = 0;
  gj_storage *odd = gj_storage_borrow(memory + 1, BYTES, count_up, &given_back);
  gj_storage *even = gj_storage_borrow(memory + 4, BYTES, count_up, &given_back);
  gj_storage *small = gj_storage_borrow(memory, 64, count_up, &given_back);
  gj_type few = {.dtype = GJ_DTYPE_f32, .rank = 1, .shape = {16}};
  const gj_node *node = gj_graph_node(graph, gj_graph_const_shared(graph, &type, odd));
  CHECK(node->storage && node->storage != odd && (uintptr_t)node->data % LINE == 0);
  node = gj_graph_node(graph, gj_graph_const_shared(graph, &type, even));
  CHECK(node->storage == even && node->data == memory + 4);
  node = gj_graph_node(graph, gj_graph_const_shared(graph, &few, small));
  CHECK(!node->storage && node->data != memory);
  gj_storage_release(odd);
  gj_storage_release(small);
  CHECK_INT_EQ(given_back, 2);
  gj_storage_release(even);
  CHECK_INT_EQ(given_back, 2);
  gj_graph_free(graph);
  CHECK_INT_EQ(given_back, 3);
}

static void a_refused_constant_holds_nothing(void) {
  gj_graph *graph = gj_graph_new(NULL);
  gj_error err = {0};
  gj_storage *storage = weights(1);
  gj_type other = {.dtype = GJ_DTYPE_f32, .rank = 1, .shape = {COUNT - 1}};
  gj_type truth = {.dtype = GJ_DTYPE_bool, .rank = 1, .shape = {BYTES}};
  gj_type none = {.dtype = GJ_DTYPE_COUNT, .rank = 1, .shape = {COUNT}};
  CHECK_INT_EQ(gj_graph_const_shared(graph, &other, storage), 0);
  CHECK_INT_EQ(gj_graph_take_error(graph, &err), GJ_E_SHAPE);
  CHECK_INT_EQ(gj_graph_const_shared(graph, &truth, storage), 0);
  CHECK_INT_EQ(gj_graph_take_error(graph, &err), GJ_E_ARGUMENT);
  CHECK_INT_EQ(gj_graph_const_shared(graph, &none, storage), 0);
  CHECK(gj_graph_take_error(graph, &err) != GJ_OK);
  gj_storage_release(storage);
  CHECK_INT_EQ(gj_storage_usage(), 0);
  gj_graph_free(graph);
}

// --- programs ---

static gj_program *compile(const gj_graph *graph, gj_compile_options options) {
  gj_error err = {0};
  gj_program *program = NULL;
  options.threads = 1;
  CHECK_OK(gj_program_compile(graph, &options, &program, &err), &err);
  return program;
}

static void check_program(const gj_program *program, float a, float b) {
  static float x[COUNT], z[COUNT];
  const int64_t shape[1] = {COUNT}, *shapes[1] = {shape};
  void *buffers[2] = {x, z};
  gj_error err = {0};
  gj_binding *binding = NULL;
  CHECK_OR_RETURN(program);
  for (int i = 0; i < COUNT; i++)
    x[i] = (float)(i % 5);
  CHECK_OK(gj_program_bind(program, shapes, &binding, &err), &err);
  CHECK_OK(gj_program_run(program, binding, buffers, NULL, NULL, &err), &err);
  int wrong = 0;
  for (int i = 0; i < COUNT; i++)
    wrong += z[i] != x[i] * (a + (float)i) + (b + (float)i);
  CHECK_INT_EQ(wrong, 0);
  gj_binding_free(binding);
}

// Numbers that every compilation of `build` gets right, rounded once or twice.
static void programs_read_constants_where_they_lie(void) {
  static const gj_compile_options ways[] = {
      {.opt_level = 3}, {.opt_level = 0, .cache = true}, {.opt_level = 3, .tier = GJ_TIER_AUTO}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    gj_error err = {0};
    gj_graph *graph = build(weights(1), weights(2));
    gj_program *program = compile(graph, ways[i]);
    gj_program_stats stats;
    gj_graph_free(graph);
    check_program(program, 1, 2);
    CHECK_OK(gj_program_finish(program, &err), &err);
    check_program(program, 1, 2);
    gj_program_get_stats(program, &stats);
    CHECK(stats.code_bytes > 0 && stats.code_bytes < BYTES);
    CHECK_INT_EQ(gj_storage_usage(), 2 * BYTES);
    gj_program_free(program);
    CHECK_INT_EQ(gj_storage_usage(), 0);
  }
}

static void equal_programs_share_constants_too(void) {
  gj_compile_options options = {.opt_level = 1, .cache = true};
  gj_graph *graph = build(weights(5), weights(6)), *equal = build(weights(5), weights(6));
  CHECK_INT_EQ(gj_storage_usage(), 4 * BYTES);
  gj_program *first = compile(graph, options), *second = compile(equal, options);
  gj_graph_free(graph);
  gj_graph_free(equal);
  CHECK_INT_EQ(gj_storage_usage(), 2 * BYTES);
  gj_program_free(first);
  check_program(second, 5, 6);
  gj_program_free(second);
  CHECK_INT_EQ(gj_storage_usage(), 0);
}

// Code of one program goes where that of another was, under the same numbers.
static void later_code_has_its_own_constants(void) {
  for (int i = 0; i < 4; i++) {
    gj_graph *graph = build(weights((float)(7 + i)), weights((float)(9 - i)));
    gj_program *program = compile(graph, (gj_compile_options){.opt_level = 0});
    gj_graph_free(graph);
    check_program(program, (float)(7 + i), (float)(9 - i));
    gj_program_free(program);
  }
}

static void profiles_read_constants_too(void) {
  static float x[COUNT], z[COUNT];
  const int64_t shape[1] = {COUNT}, *shapes[1] = {shape};
  void *buffers[2] = {x, z};
  gj_error err = {0};
  gj_binding *binding = NULL;
  gj_profile *profile = NULL;
  gj_profile_options options = {.seconds = 0.001, .runs = 2};
  gj_graph *graph = build(weights(1), weights(2));
  gj_program *program = compile(graph, (gj_compile_options){.opt_level = 1});
  gj_graph_free(graph);
  CHECK_OK(gj_program_bind(program, shapes, &binding, &err), &err);
  CHECK_OK(gj_program_profile(program, binding, buffers, &options, &profile, &err), &err);
  CHECK(z[1] == 3);
  CHECK_INT_EQ(gj_storage_usage(), 2 * BYTES);
  gj_profile_free(profile);
  gj_binding_free(binding);
  gj_program_free(program);
  CHECK_INT_EQ(gj_storage_usage(), 0);
}

int main(void) {
  CHECK_RUN(storages_begin_at_a_line_with_zeros);
  CHECK_RUN(the_last_holder_gives_back);
  CHECK_RUN(threads_digest_and_release_at_once);
  CHECK_RUN(copies_and_passes_share_large_constants);
  CHECK_RUN(equal_constants_become_one);
  CHECK_RUN(few_or_unaligned_elements_are_copied);
  CHECK_RUN(a_refused_constant_holds_nothing);
  CHECK_RUN(programs_read_constants_where_they_lie);
  CHECK_RUN(equal_programs_share_constants_too);
  CHECK_RUN(later_code_has_its_own_constants);
  CHECK_RUN(profiles_read_constants_too);
  return check_report();
}
