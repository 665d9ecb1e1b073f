// Tests of graphs as wasm modules: what they import and export, how large they are, that they are
// the same every time. (What they compute is tested where there is an engine, in node:test.)
#include "check.h"
#include "graphjit.h"

#include <pthread.h>

static gj_status compile(const char *text, const gj_wasm_options *options, gj_wasm_module *module,
                         gj_error *err) {
  gj_graph *graph = NULL;
  CHECK_OK(gj_graph_parse(text, strlen(text), &graph, err), err);
  gj_status status = gj_wasm_compile(graph, options, module, err);
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

// "env.memory:2 " per import, 2 being the kind of a memory.
static void list_imports(const gj_wasm_module *module, gj_strbuf *out) {
  reader r = find_section(module, 2);
  uint32_t count = r.at < r.end ? read_number(&r) : 0;
  for (uint32_t i = 0; i < count && !r.bad; i++) {
    read_name(&r, out);
    gj_strbuf_char(out, '.');
    read_name(&r, out);
    unsigned kind = r.at < r.end ? *r.at++ : 255;
    gj_strbuf_printf(out, ":%u ", kind);
    if (kind != 2) // the others have another form; one of them is a failure already
      return;
    uint32_t flags = read_number(&r);
    read_number(&r);
    if (flags & 1)
      read_number(&r);
  }
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

static void check_face(const gj_wasm_module *module) {
  gj_strbuf imports = {0}, exports = {0};
  CHECK(module->size > 8 && memcmp(module->bytes, "\0asm\1\0\0\0", 8) == 0);
  list_imports(module, &imports);
  list_exports(module, &exports);
  CHECK_STR_EQ(gj_strbuf_peek(&imports), "env.memory:2 ");
  CHECK_STR_EQ(gj_strbuf_peek(&exports), "run:0 __heap_base:3 ");
  gj_strbuf_fini(&imports);
  gj_strbuf_fini(&exports);
}

// --- tests ---

static void hypot_is_small_and_imports_only_memory(void) {
  for (int simd = 0; simd < 2; simd++)
    for (unsigned level = 1; level <= 3; level++) {
      gj_wasm_module module;
      gj_error err = {0};
      gj_wasm_options options = {GJ_NUMERICS_STRICT, level, simd};
      CHECK_OK(compile(hypot_graph, &options, &module, &err), &err);
      check_face(&module);
      CHECK(module.size < 1024);
      CHECK_STR_EQ(gj_strbuf_peek(&module.scratch), "0");
      gj_wasm_module_fini(&module);
    }
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
    gj_wasm_options options = {GJ_NUMERICS_STRICT, 2, true};
    char text[256];
    snprintf(text, sizeof text,
             "graph \"op\" { %%1 = param \"x\" : f64[n] %%2 = %s %%1%s output \"z\" = %%2 }",
             info->name, info->arity == 2 ? ", %1" : "");
    gj_status status = compile(text, &options, &module, &err);
    if (!CHECK(status == GJ_OK)) {
      printf("%s: %s\n", info->name, err.message);
      continue;
    }
    check_face(&module);
    if (!CHECK(module.size < 32768))
      printf("%s: %zu bytes\n", info->name, module.size);
    gj_wasm_module_fini(&module);
  }
}

static void the_arena_is_an_expression_in_javascript(void) {
  gj_wasm_module module;
  gj_error err = {0};
  gj_wasm_options options = {GJ_NUMERICS_STRICT, 3, true};
  CHECK_OK(
      compile("graph \"sum\" { %1 = param \"x\" : f64[n] %2 = exp %1 %3 = reverse %2 {axes=[0]}"
              " %4 = add %2, %3 output \"z\" = %4 }",
              &options, &module, &err),
      &err);
  CHECK_STR_EQ(gj_strbuf_peek(&module.scratch), "64 * (Math.floor((n + 7) / 8))");
  gj_wasm_module_fini(&module);
}

typedef struct worker {
  pthread_t thread;
  gj_wasm_module module;
  gj_status status;
} worker;

static void *compile_hypot(void *context) {
  worker *w = context;
  gj_error err = {0};
  gj_wasm_options options = {GJ_NUMERICS_STRICT, 3, true};
  w->status = compile(hypot_graph, &options, &w->module, &err);
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
  gj_wasm_options options = {GJ_NUMERICS_STRICT, 3, true};
  CHECK_INT_EQ(compile("graph \"none\" { %1 = param \"x\" : f64[n] }", &options, &module, &err),
               GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "output");
  CHECK(module.bytes == NULL && module.size == 0);
}

int main(void) {
  CHECK_RUN(hypot_is_small_and_imports_only_memory);
  CHECK_RUN(every_op_brings_what_it_needs);
  CHECK_RUN(the_arena_is_an_expression_in_javascript);
  CHECK_RUN(modules_made_at_once_have_the_same_bytes);
  CHECK_RUN(a_graph_without_outputs_is_refused);
  return check_report();
}
