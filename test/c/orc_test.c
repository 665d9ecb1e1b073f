// Loading compiled code into this process and giving its memory back.
#include "check.h"

#include "codegen/codegen.h"
#include "jit/code/orc.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

// entry() { buffer0[0] = buffer0[0] + number; return 0 }
static gj_status compile(double number, const char *symbol, unsigned char **out, size_t *out_size,
                         gj_error *err) {
  gj_target target;
  GJ_TRY(gj_target_host(&target, err));
  gj_lmodule *m = gj_lmodule_new("adder");
  gj_lfunc *f = gj_lfunc_new(m, "adder", gj_ltype_scalar(GJ_DTYPE_i32), true);
  const gj_lexpr *p = gj_lx_buffer(m, 0, GJ_DTYPE_f64), *zero = gj_lx_i64(m, 0);
  const gj_lexpr *add = gj_lx_const(m, (gj_scalar){GJ_DTYPE_f64, {.f = number}});
  gj_ls_store(m, f, &f->body, p, zero, gj_lx_binary(m, GJ_OP_add, gj_lx_load(m, p, zero, 1), add));
  gj_ls_return(m, f, &f->body, gj_lx_const(m, (gj_scalar){GJ_DTYPE_i32, {.i = 0}}));
  gj_codegen_options options = {.opt_level = 1, .entry_symbol = symbol};
  gj_status status = gj_codegen(m, &target, &options, GJ_EMIT_OBJECT, out, out_size, NULL, err);
  gj_lmodule_free(m);
  return status;
}

static double call(gj_entry *entry, double x) {
  void *buffers[1] = {&x};
  gj_exec exec = {0};
  CHECK_INT_EQ(entry(buffers, NULL, &exec), 0);
  return x;
}

static size_t resident_bytes(void) {
  size_t pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*s %zu", &pages) != 1)
    pages = 0;
  if (file)
    fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void loaded_code_runs(void) {
  unsigned char *object = NULL;
  size_t size = 0, objects = 0, bytes = 0;
  gj_error err = {0};
  gj_jit_code *code = NULL;
  gj_entry *entry = NULL;
  CHECK_OK(compile(2.5, "adder", &object, &size, &err), &err);
  CHECK_OK(gj_jit_load(object, size, "adder", &code, &entry, &err), &err);
  CHECK_OR_RETURN(entry);
  memset(object, 0, size); // the code must not depend on the bytes any more
  free(object);
  CHECK_DOUBLE_EQ(call(entry, 1.0), 3.5);
  gj_jit_usage(&objects, &bytes);
  CHECK_INT_EQ(objects, 1);
  CHECK(bytes > 8 && bytes < 4096);
  gj_jit_unload(code);
  gj_jit_usage(&objects, &bytes);
  CHECK_INT_EQ(objects, 0);
  CHECK_INT_EQ(bytes, 0);
  gj_jit_unload(NULL);
}

static void objects_with_the_same_symbol_live_side_by_side(void) {
  enum { COUNT = 20 };
  gj_jit_code *codes[COUNT] = {0};
  gj_entry *entries[COUNT] = {0};
  gj_error err = {0};
  for (int i = 0; i < COUNT; i++) {
    unsigned char *object = NULL;
    size_t size = 0;
    CHECK_OK(compile(i, "same", &object, &size, &err), &err);
    CHECK_OK(gj_jit_load(object, size, "same", &codes[i], &entries[i], &err), &err);
    free(object);
  }
  for (int i = 0; i < COUNT; i += 2)
    gj_jit_unload(codes[i]);
  for (int i = 1; i < COUNT; i += 2)
    CHECK_DOUBLE_EQ(call(entries[i], 100.0), 100.0 + i);
  for (int i = 1; i < COUNT; i += 2)
    gj_jit_unload(codes[i]);
}

// AddressSanitizer keeps freed memory in quarantine, so that the resident size says nothing there.
#if defined(__SANITIZE_ADDRESS__)
#define RESIDENT_SIZE_COUNTS 0
#elif defined(__has_feature)
#define RESIDENT_SIZE_COUNTS !__has_feature(address_sanitizer)
#else
#define RESIDENT_SIZE_COUNTS 1
#endif

static void unloading_returns_the_memory_of_ten_thousand_loads(void) {
  unsigned char *object = NULL;
  size_t size = 0, early = 0;
  gj_error err = {0};
  CHECK_OK(compile(1, "many", &object, &size, &err), &err);
  for (int i = 0; i < 10000; i++) {
    gj_jit_code *code = NULL;
    gj_entry *entry = NULL;
    gj_status status = gj_jit_load(object, size, "many", &code, &entry, &err);
    CHECK_OK(status, &err);
    CHECK_OR_RETURN(status == GJ_OK);
    if (i % 1000 == 0)
      CHECK_DOUBLE_EQ(call(entry, 1), 2);
    gj_jit_unload(code);
    if (i == 1000)
      early = resident_bytes();
  }
  size_t late = resident_bytes();
  if (RESIDENT_SIZE_COUNTS && !CHECK(late < early + 256 * 1024))
    printf("resident: %zu bytes after 1,000 loads, %zu after 10,000\n", early, late);
  free(object);
}

static void a_missing_symbol_is_named(void) {
  unsigned char *object = NULL;
  size_t size = 0, objects = 0, bytes = 0;
  gj_error err = {0};
  gj_jit_code *code = NULL;
  gj_entry *entry = NULL;
  CHECK_OK(compile(1, "present", &object, &size, &err), &err);
  CHECK_INT_EQ(gj_jit_load(object, size, "absent", &code, &entry, &err), GJ_E_INTERNAL);
  CHECK_CONTAINS(err.message, "absent");
  gj_jit_usage(&objects, &bytes);
  CHECK_INT_EQ(objects, 0);
  CHECK_OK(gj_jit_load(object, size, "present", &code, &entry, &err), &err);
  gj_jit_unload(code);
  free(object);
}

static void damaged_objects_are_refused(void) {
  unsigned char *object = NULL;
  size_t size = 0;
  gj_error err = {0};
  gj_jit_code *code = NULL;
  gj_entry *entry = NULL;
  CHECK_INT_EQ(gj_jit_load("not an object", 13, "f", &code, &entry, &err), GJ_E_INTERNAL);
  CHECK_OK(compile(1, "cut", &object, &size, &err), &err);
  for (size_t part = 0; part < size; part += 7)
    CHECK(gj_jit_load(object, part, "cut", &code, &entry, &err) != GJ_OK);
  free(object);
}

static void *work(void *data) {
  int seed = *(int *)data;
  for (int i = 0; i < 40; i++) {
    unsigned char *object = NULL;
    size_t size = 0;
    gj_error err = {0};
    gj_jit_code *code = NULL;
    gj_entry *entry = NULL;
    if (compile(seed + i, "work", &object, &size, &err) != GJ_OK ||
        gj_jit_load(object, size, "work", &code, &entry, &err) != GJ_OK) {
      free(object);
      return "compile or load";
    }
    double x = 0.5;
    void *buffers[1] = {&x};
    gj_exec exec = {0};
    int32_t returned = entry(buffers, NULL, &exec);
    gj_jit_unload(code);
    free(object);
    if (returned != 0 || x != seed + i + 0.5)
      return "result";
  }
  return NULL;
}

static void several_threads_compile_load_and_unload_at_once(void) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  int seeds[THREADS];
  for (int t = 0; t < THREADS; t++) {
    seeds[t] = t * 1000;
    CHECK_INT_EQ(pthread_create(&threads[t], NULL, work, &seeds[t]), 0);
  }
  for (int t = 0; t < THREADS; t++) {
    void *wrong = NULL;
    pthread_join(threads[t], &wrong);
    CHECK_STR_EQ(wrong, NULL);
  }
}

int main(void) {
  CHECK_RUN(loaded_code_runs);
  CHECK_RUN(objects_with_the_same_symbol_live_side_by_side);
  CHECK_RUN(unloading_returns_the_memory_of_ten_thousand_loads);
  CHECK_RUN(a_missing_symbol_is_named);
  CHECK_RUN(damaged_objects_are_refused);
  CHECK_RUN(several_threads_compile_load_and_unload_at_once);
  return check_report();
}
