// Tests of graphs as wasm modules: what they export and say of themselves, how large they are, that
// they are the same every time. (What they compute is tested where there is an engine, in
// node:test.)
#include "check.h"
#include "graphjit.h"
#include "wasm/trim.h"
#include "wasm/weights.h"

#include <pthread.h>

static gj_status compile(const char *text, const gj_wasm_options *options, gj_wasm_module *module,
                         gj_error *err) {
  gj_graph *graph = NULL;
  gj_status status = gj_graph_parse(text, strlen(text), &graph, err);
  CHECK_OK(status, err);
  if (status == GJ_OK)
    status = gj_wasm_compile(graph, options, module, err);
  gj_graph_free(graph);
  return status;
}

static const char *const hypot_graph = "graph \"hypot\" {\n"
                                       "  %1 = param \"x\" : f64[n]\n"
                                       "  %2 = param \"y\" : f64[n]\n"
                                       "  %3 = mul %1, %1\n"
                                       "  %4 = mul %2, %2\n"
                                       "  %5 = add %3, %4\n"
                                       "  %6 = sqrt %5\n"
                                       "  output \"z\" = %6\n}\n";

// --- reading a module ---

// A cursor over the bytes; `bad` once something does not fit.
typedef struct reader {
  const unsigned char *at, *end;
  bool bad;
} reader;

static uint32_t read_number(reader *r) {
  uint32_t value = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (r->at == r->end)
      break;
    unsigned char byte = *r->at++;
    value |= (uint32_t)(byte & 127) << shift;
    if (byte < 128)
      return value;
  }
  r->bad = true;
  return 0;
}

static void read_name(reader *r, gj_strbuf *out) {
  uint32_t length = read_number(r);
  if (length > (size_t)(r->end - r->at)) {
    r->bad = true;
    return;
  }
  gj_strbuf_bytes(out, (const char *)r->at, length);
  r->at += length;
}

// The section with this id; empty when there is none.
static reader find_section(const gj_wasm_module *module, unsigned id) {
  reader r = {module->bytes + 8, module->bytes + module->size, module->size < 8};
  while (!r.bad && r.at < r.end) {
    unsigned found = *r.at++;
    uint32_t size = read_number(&r);
    if (size > (size_t)(r.end - r.at))
      break;
    if (found == id)
      return (reader){r.at, r.at + size, false};
    r.at += size;
  }
  return (reader){r.end, r.end, !r.bad};
}

static void list_exports(const gj_wasm_module *module, gj_strbuf *out) {
  reader r = find_section(module, 7);
  uint32_t count = r.at < r.end ? read_number(&r) : 0;
  for (uint32_t i = 0; i < count && !r.bad; i++) {
    read_name(&r, out);
    gj_strbuf_printf(out, ":%u ", r.at < r.end ? *r.at++ : 255u);
    read_number(&r);
  }
}

// Two of the ids of sections.
enum { CUSTOM = 0, IMPORTS = 2 };

static void check_face(const gj_wasm_module *module, const char *exported) {
  gj_strbuf exports = {0};
  CHECK(module->size > 8 && memcmp(module->bytes, "\0asm\1\0\0\0", 8) == 0);
  reader imports = find_section(module, IMPORTS);
  CHECK(imports.at == imports.end);
  list_exports(module, &exports);
  CHECK_STR_EQ(gj_strbuf_peek(&exports), exported);
  gj_strbuf_fini(&exports);
}

#define USUAL_EXPORTS "memory:2 run:0 plan:0 __heap_base:3 "

// What the custom section says, which must be the only one: names of functions, producers and
// features are stripped. The caller frees it.
static char *description_of(const gj_wasm_module *module) {
  gj_strbuf name = {0}, text = {0};
  char *result = NULL;
  reader r = find_section(module, CUSTOM);
  read_name(&r, &name);
  CHECK_STR_EQ(gj_strbuf_peek(&name), "graphjit");
  CHECK(r.end == module->bytes + module->size);
  gj_strbuf_bytes(&text, r.at, (size_t)(r.end - r.at));
  gj_strbuf_fini(&name);
  gj_error err = {0};
  CHECK_OK(gj_strbuf_take(&text, &result, NULL, &err), &err);
  return result;
}

// --- tests ---

static const gj_wasm_options usual = {
    .numerics = GJ_NUMERICS_STRICT, .opt_level = 3, .variant = GJ_WASM_SIMD};

static void hypot_is_small_and_imports_nothing(void) {
  for (int variant = GJ_WASM_MVP; variant <= GJ_WASM_RELAXED; variant++)
    for (unsigned level = 1; level <= 3; level++) {
      gj_wasm_module module;
      gj_error err = {0};
      gj_wasm_options options = usual;
      options.opt_level = level;
      options.variant = (gj_wasm_variant)variant;
      CHECK_OK(compile(hypot_graph, &options, &module, &err), &err);
      check_face(&module, USUAL_EXPORTS);
      if (!CHECK(module.size < (level > 1 ? 1024 : 1536)))
        printf("%zu bytes at level %u\n", module.size, level);
      CHECK(!module.weights);
      gj_wasm_module_fini(&module);
    }
}

static void check_description(const char *text, const gj_wasm_options *options,
                              const char *expected) {
  gj_wasm_module module;
  gj_error err = {0};
  CHECK_OK(compile(text, options, &module, &err), &err);
  char *description = description_of(&module);
  CHECK_STR_EQ(description, expected);
  free(description);
  gj_wasm_module_fini(&module);
}

static void a_module_describes_itself(void) {
  check_description(hypot_graph, &usual,
                    "{\"v\":1,\"name\":\"hypot\",\"numerics\":\"strict\",\"symbols\":[\"n\"],"
                    "\"inputs\":[[\"x\",\"f64\",[\"n\"]],[\"y\",\"f64\",[\"n\"]]],"
                    "\"outputs\":[[\"z\",\"f64\",[\"n\"]]],"
                    "\"checks\":[\"input \\\"x\\\": the size of axis 0, n, is not in "
                    "[0, 17592186044416]\"]}");
  gj_wasm_options fast = usual;
  fast.numerics = GJ_NUMERICS_FAST;
  check_description(
      "graph \"a \\\"b\\\\ \xc3\xbc\" { %1 = param \"\xe2\x82\xac\\\"\" : f64[4, 3] "
      "%2 = exp %1 %3 = reverse %2 {axes=[0]} %4 = add %2, %3 output \"'\" = %4 }",
      &fast,
      "{\"v\":1,\"name\":\"a \\\"b\\\\ \xc3\xbc\",\"numerics\":\"fast\",\"symbols\":[],"
      "\"inputs\":[[\"\xe2\x82\xac\\\"\",\"f64\",[4,3]]],"
      "\"outputs\":[[\"'\",\"f64\",[4,3]]],\"scratch\":128}");
  check_description(
      "graph \"g\" { %1 = param \"x\" : bool[n, m] %2 = concat %1, %1 {axis=0} "
      "output \"y\" = %2 }",
      &usual,
      "{\"v\":1,\"name\":\"g\",\"numerics\":\"strict\",\"symbols\":[\"n\",\"m\"],"
      "\"inputs\":[[\"x\",\"bool\",[\"n\",\"m\"]]],"
      "\"outputs\":[[\"y\",\"bool\",[\"2*n\",\"m\"]]],\"checks\":["
      "\"input \\\"x\\\": the size of axis 0, n, is not in [0, 140737488355328]\","
      "\"input \\\"x\\\": the size of axis 1, m, is not in [0, 140737488355328]\","
      "\"param: %1 of shape [n, m] has a negative size or more than 2^47 bytes\","
      "\"concat: %2 of shape [2*n, m] has a negative size or more than 2^47 bytes\"]}");
}

// Twenty doubles are large enough, three are not.
static void separate_weights_leave_the_module(void) {
  const char *text = "graph \"w\" { %1 = param \"x\" : f64[20] "
                     "%2 = const [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20] : f64[20] "
                     "%3 = mul %1, %2 output \"y\" = %3 "
                     "%4 = const [1.5,2.5,3.5] : f64[3] output \"z\" = %4 }";
  gj_wasm_options options = usual;
  gj_wasm_module inside, module;
  gj_error err = {0};
  CHECK_OK(compile(text, &options, &inside, &err), &err);
  options.separate_weights = true;
  CHECK_OK(compile(text, &options, &module, &err), &err);
  check_face(&inside, "memory:2 run:0 __heap_base:3 ");
  check_face(&module, "memory:2 run:0 weights:3 __heap_base:3 ");
  CHECK(!inside.weights && module.weights);
  CHECK(module.size + 100 < inside.size);
  CHECK_INT_EQ(module.weight_bytes, 192);
  double last = 0;
  memcpy(&last, module.weights + 19 * 8, 8);
  CHECK(last == 20);
  // The hash as written in weights.h.
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < module.weight_bytes; i += 4) {
    uint32_t word;
    memcpy(&word, module.weights + i, 4);
    hash = (hash ^ word) * 16777619u;
  }
  char expected[64];
  snprintf(expected, sizeof expected, "\"weights\":{\"bytes\":192,\"hash\":\"%x\"}}", hash);
  char *description = description_of(&module);
  CHECK_CONTAINS(description, expected);
  free(description);
  gj_wasm_module_fini(&inside);
  gj_wasm_module_fini(&module);
}

// What stands between "env.memory" in the import section and its end.
typedef struct shared_memory {
  uint32_t imports, flags, pages, most_pages;
} shared_memory;

static shared_memory read_import(const gj_wasm_module *module) {
  gj_strbuf name = {0};
  reader r = find_section(module, IMPORTS);
  shared_memory found = {.imports = read_number(&r)};
  read_name(&r, &name);
  gj_strbuf_char(&name, '.');
  read_name(&r, &name);
  CHECK_STR_EQ(gj_strbuf_peek(&name), "env.memory");
  gj_strbuf_fini(&name);
  CHECK_INT_EQ(read_number(&r), 2); // a memory
  found.flags = read_number(&r);
  found.pages = read_number(&r);
  found.most_pages = read_number(&r);
  CHECK(!r.bad && r.at == r.end);
  return found;
}

static const char *const threaded_graphs[] = {
    "graph \"f\" { %1 = param \"x\" : f64[n] %2 = sin %1 output \"y\" = %2 }",
    "graph \"s\" { %1 = param \"x\" : f64[n, m] %2 = reduce_sum %1 {axes=[1]} output \"y\" = %2 }",
    ("graph \"c\" { %1 = param \"x\" : f64[1000000] %2 = const [3] : f64[1] %3 = pow %1, %2 "
     "output \"y\" = %3 }")};

static void threads_share_an_imported_memory(void) {
  gj_wasm_options options = usual;
  options.threads = true;
  for (size_t i = 0; i < 2 * sizeof threaded_graphs / sizeof *threaded_graphs; i++) {
    options.variant = i % 2 ? GJ_WASM_RELAXED : GJ_WASM_SIMD;
    gj_wasm_module module;
    gj_error err = {0};
    CHECK_OK(compile(threaded_graphs[i / 2], &options, &module, &err), &err);
    shared_memory memory = read_import(&module);
    CHECK_INT_EQ(memory.imports, 1);
    CHECK_INT_EQ(memory.flags, 3); // has a maximum, is shared
    CHECK_INT_EQ(memory.most_pages, 65536);
    gj_strbuf exported = {0};
    list_exports(&module, &exported);
    for (size_t k = 0; k < 4; k++)
      CHECK_CONTAINS(gj_strbuf_peek(&exported),
                     ((const char *const[]){"run:0 ", "work:0 ", "stop:0 ", "fail:0 "})[k]);
    CHECK_CONTAINS(gj_strbuf_peek(&exported), "__stack_pointer:3 ");
    gj_strbuf_fini(&exported);
    char expected[64], *description = description_of(&module);
    snprintf(expected, sizeof expected, "\"threads\":{\"pages\":%u}}", memory.pages);
    CHECK_CONTAINS(description, expected);
    free(description);
    gj_wasm_module_fini(&module);
  }
}

static void little_work_makes_a_module_without_threads(void) {
  const char *text =
      "graph \"g\" { %1 = param \"x\" : f64[100] %2 = add %1, %1 output \"y\" = %2 }";
  gj_wasm_options options = usual;
  gj_wasm_module plain, module;
  gj_error err = {0};
  CHECK_OK(compile(text, &options, &plain, &err), &err);
  options.threads = true;
  CHECK_OK(compile(text, &options, &module, &err), &err);
  CHECK(module.size == plain.size && memcmp(module.bytes, plain.bytes, plain.size) == 0);
  gj_wasm_module_fini(&plain);
  gj_wasm_module_fini(&module);
}

static void version_one_has_no_threads(void) {
  gj_wasm_options options = usual;
  gj_wasm_module module;
  gj_error err = {0};
  options.threads = true;
  options.variant = GJ_WASM_MVP;
  CHECK_INT_EQ(compile(hypot_graph, &options, &module, &err), GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "'mvp'");
  CHECK(!module.bytes);
}

// A module per unary and binary op, over floats, is complete by itself.
static void every_op_brings_what_it_needs(void) {
  for (int op = 1; op < GJ_OP_COUNT; op++) {
    const gj_op_info *info = gj_op_get((gj_op)op);
    bool floats = info->accepts != GJ_ACCEPTS_INTEGER && info->accepts != GJ_ACCEPTS_LOGIC;
    if (info->kind != GJ_OP_KIND_ELEMENTWISE || info->arity > 2 || info->attrs || !floats)
      continue;
    if (check_is_quick() && op % 8)
      continue;
    gj_wasm_module module;
    gj_error err = {0};
    gj_wasm_options options = usual;
    options.opt_level = 2;
    options.variant = (gj_wasm_variant)(op % 3);
    char text[256];
    snprintf(text, sizeof text,
             "graph \"op\" { %%1 = param \"x\" : f64[n] %%2 = %s %%1%s output \"z\" = %%2 }",
             info->name, info->arity == 2 ? ", %1" : "");
    gj_status status = compile(text, &options, &module, &err);
    if (!CHECK(status == GJ_OK)) {
      printf("%s: %s\n", info->name, err.message);
      continue;
    }
    check_face(&module, USUAL_EXPORTS);
    if (!CHECK(module.size < 32768))
      printf("%s: %zu bytes\n", info->name, module.size);
    gj_wasm_module_fini(&module);
  }
}

// Items of data without their bytes, which only the sizes are asked of.
static void constants_that_32_bits_do_not_address_are_refused(void) {
  gj_lmodule *m = gj_lmodule_new("large");
  CHECK_OR_RETURN(m);
  gj_ldata data[2] = {{.dtype = GJ_DTYPE_f64, .count = (size_t)1 << 28},
                      {.dtype = GJ_DTYPE_u8, .count = (size_t)1 << 31}};
  gj_ldata *own = m->data;
  uint32_t own_count = m->data_count;
  m->data = data;
  for (int separate = 0; separate < 2; separate++) {
    gj_region region = {0};
    gj_error err = {0};
    m->data_count = 1;
    CHECK_OK(gj_weights_place(m, separate, &region, &err), &err);
    CHECK_INT_EQ(region.size, separate ? (uint64_t)1 << 31 : 0);
    m->data_count = 2;
    CHECK_INT_EQ(gj_weights_place(m, separate, &region, &err), GJ_E_OVERFLOW);
    CHECK_CONTAINS(err.message, "constants take 4294967296 bytes");
  }
  m->data = own;
  m->data_count = own_count;
  gj_lmodule_free(m);
}

// Two segments of 4 bytes and of 40, the last of which are zeros with a 7 among them.
static const unsigned char data_module[] = {
    0, 'a', 's',  'm',  1, 0,    0,  0, 5, 3, 1, 0, 2, 11, 56, 2, 0, 0x41, 16, 0x0b, 4, 1, 0, 0,
    2, 0,   0x41, 0x80, 1, 0x0b, 40, 0, 0, 0, 0, 0, 0, 0,  0,  0, 0, 0,    0,  0,    0, 0, 0, 0,
    0, 0,   7,    0,    0, 0,    0,  0, 0, 0, 0, 0, 0, 0,  0,  0, 0, 0,    0,  0,    0, 0, 0};

static void long_runs_of_zeros_are_trimmed(void) {
  static const unsigned char trimmed[] = {0, 'a', 's', 'm', 1,    0,    0,    0,    5,    3, 1,
                                          0, 2,   11,  17,  2,    0,    0x41, 16,   0x0b, 4, 1,
                                          0, 0,   2,   0,   0x41, 0x93, 1,    0x0b, 1,    7};
  gj_strbuf out = {0};
  gj_wasm_trim(data_module, sizeof data_module, &out);
  CHECK_INT_EQ(out.size, sizeof trimmed);
  CHECK(out.size == sizeof trimmed && memcmp(gj_strbuf_peek(&out), trimmed, out.size) == 0);
  gj_strbuf_fini(&out);
}

// Each prefix in memory of its own size, so that a sanitizer sees reads behind it.
static void what_is_cut_off_is_copied_as_it_is(void) {
  for (size_t size = 0; size < sizeof data_module; size++) {
    unsigned char *bytes = malloc(size ? size : 1);
    CHECK_OR_RETURN(bytes);
    memcpy(bytes, data_module, size);
    gj_strbuf out = {0};
    gj_wasm_trim(bytes, size, &out);
    CHECK_INT_EQ(out.size, size);
    CHECK(memcmp(gj_strbuf_peek(&out), bytes, size) == 0);
    gj_strbuf_fini(&out);
    free(bytes);
  }
}

// Checks for overflow are divisions, not calls of a function of 128 bits.
static void sizes_that_may_overflow_need_no_library(void) {
  for (int variant = GJ_WASM_MVP; variant <= GJ_WASM_RELAXED; variant++)
    for (unsigned level = 0; level <= 3; level++) {
      gj_wasm_module module;
      gj_error err = {0};
      gj_wasm_options options = usual;
      options.opt_level = level;
      options.variant = (gj_wasm_variant)variant;
      CHECK_OK(compile("graph \"r\" { %1 = param \"x\" : f64[n, m, k] "
                       "%2 = reshape %1 {shape=[n*m*k]} output \"z\" = %2 }",
                       &options, &module, &err),
               &err);
      check_face(&module, USUAL_EXPORTS);
      gj_wasm_module_fini(&module);
    }
}

typedef struct worker {
  pthread_t thread;
  gj_wasm_module module;
  gj_status status;
} worker;

static void *compile_hypot(void *context) {
  worker *w = context;
  gj_error err = {0};
  w->status = compile(hypot_graph, &usual, &w->module, &err);
  return NULL;
}

static void modules_made_at_once_have_the_same_bytes(void) {
  enum { THREADS = 4 };
  worker workers[THREADS];
  for (int i = 0; i < THREADS; i++)
    CHECK_INT_EQ(pthread_create(&workers[i].thread, NULL, compile_hypot, &workers[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    CHECK_INT_EQ(workers[i].status, GJ_OK);
    CHECK(workers[i].module.size == workers[0].module.size &&
          memcmp(workers[i].module.bytes, workers[0].module.bytes, workers[0].module.size) == 0);
  }
  for (int i = 0; i < THREADS; i++)
    gj_wasm_module_fini(&workers[i].module);
}

static void a_graph_without_outputs_is_refused(void) {
  gj_wasm_module module;
  gj_error err = {0};
  CHECK_INT_EQ(compile("graph \"none\" { %1 = param \"x\" : f64[n] }", &usual, &module, &err),
               GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "output");
  CHECK(module.bytes == NULL && module.size == 0);
}

int main(void) {
  CHECK_RUN(hypot_is_small_and_imports_nothing);
  CHECK_RUN(a_module_describes_itself);
  CHECK_RUN(separate_weights_leave_the_module);
  CHECK_RUN(threads_share_an_imported_memory);
  CHECK_RUN(little_work_makes_a_module_without_threads);
  CHECK_RUN(version_one_has_no_threads);
  CHECK_RUN(every_op_brings_what_it_needs);
  CHECK_RUN(constants_that_32_bits_do_not_address_are_refused);
  CHECK_RUN(long_runs_of_zeros_are_trimmed);
  CHECK_RUN(what_is_cut_off_is_copied_as_it_is);
  CHECK_RUN(sizes_that_may_overflow_need_no_library);
  CHECK_RUN(modules_made_at_once_have_the_same_bytes);
  CHECK_RUN(a_graph_without_outputs_is_refused);
  return check_report();
}
