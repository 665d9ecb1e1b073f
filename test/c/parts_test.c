// Tests of src/jit/parts: several objects are one program, whatever calls what.

#include "check.h"

#include "jit/code/parts.h"
#include "runtime/cores.h"

#include <stdlib.h>

enum { KERNELS = 12, LINES = 60, ELEMENTS = 100 };

// KERNELS functions of some work each, of which the odd ones call the one before, and an entry that
// calls all.
static gj_lmodule *many_functions(void) {
  gj_strbuf text = {0};
  gj_error err = {0};
  gj_lmodule *m = NULL;
  gj_strbuf_text(&text, "module \"many\" {\n");
  for (int k = 0; k < KERNELS; k++) {
    gj_strbuf_printf(&text, "func k%d(z: f64*, n: i64) -> i32 {\n", k);
    if (k % 2)
      gj_strbuf_printf(&text, "do call k%d(z, n)\n", k - 1);
    gj_strbuf_text(&text, "for i = 0 to n step 1 {\nlet v0: f64 = z[i]\n");
    for (int i = 1; i < LINES; i++)
      gj_strbuf_printf(&text, "let v%d: f64 = add(mul(v%d, 0.5:f64), %d.25:f64)\n", i, i - 1,
                       i + k);
    gj_strbuf_printf(&text, "z[i] = v%d\n}\nreturn 0:i32\n}\n", LINES - 1);
  }
  gj_strbuf_text(&text, "entry func main() -> i32 {\n");
  for (int k = 0; k < KERNELS; k++)
    gj_strbuf_printf(&text, "do call k%d(buffer<0, f64>, dim<0>)\n", k);
  gj_strbuf_text(&text, "return 0:i32\n}\n}\n");
  CHECK_OK(gj_lmodule_parse(gj_strbuf_peek(&text), text.size, &m, &err), &err);
  gj_strbuf_fini(&text);
  return m;
}

// Compiles the module on `threads` threads, runs it and returns the number of parts.
static size_t run_on(const gj_lmodule *m, unsigned threads, double z[ELEMENTS]) {
  gj_error err = {0};
  gj_target target;
  gj_parts parts = {0};
  gj_codegen_times times = {0};
  gj_jit_code *code = NULL;
  gj_entry *entry = NULL;
  gj_codegen_options options = {.opt_level = 3, .entry_symbol = "entry", .host_math = true};
  CHECK_OK(gj_target_host(&target, &err), &err);
  CHECK_OK(gj__parts_compile(m, &target, &options, threads, &parts, &times, &err), &err);
  CHECK_OK(gj_jit_load_all(parts.objects, parts.count, NULL, "entry", &code, &entry, &err), &err);
  CHECK(times.machine > 0);
  if (entry) {
    int64_t n = ELEMENTS;
    void *buffers[1] = {z};
    gj_exec exec = {0};
    CHECK_INT_EQ(entry(buffers, &n, &exec), GJ_RUN_OK);
  }
  size_t count = parts.count;
  gj__parts_fini(&parts);
  gj_jit_unload(code);
  return count;
}

static void results_do_not_depend_on_the_number_of_parts(void) {
  gj_lmodule *m = many_functions();
  CHECK_OR_RETURN(m != NULL);
  double one[ELEMENTS], several[ELEMENTS];
  for (int i = 0; i < ELEMENTS; i++)
    one[i] = several[i] = i / 3.0;
  CHECK_INT_EQ(run_on(m, 1, one), 1);
  size_t parts = run_on(m, 3, several);
  CHECK_INT_EQ(parts, gj_cores() < 3 ? gj_cores() : 3);
  for (int i = 0; i < ELEMENTS; i++)
    CHECK_DOUBLE_EQ(several[i], one[i]);
  gj_lmodule_free(m);
}

static void little_work_stays_together(void) {
  static const char text[] = "module \"small\" {"
                             "  func a(z: f64*) -> i32 { z[0] = 1.5:f64 return 0:i32 }"
                             "  func b(z: f64*) -> i32 { z[1] = 2.5:f64 return 0:i32 }"
                             "  entry func main() -> i32 {"
                             "    do call a(buffer<0, f64>) do call b(buffer<0, f64>)"
                             "    return 0:i32"
                             "  }"
                             "}";
  gj_error err = {0};
  gj_lmodule *m = NULL;
  double z[ELEMENTS] = {0};
  CHECK_OK(gj_lmodule_parse(text, sizeof text - 1, &m, &err), &err);
  CHECK_OR_RETURN(m != NULL);
  CHECK_INT_EQ(run_on(m, 8, z), 1);
  CHECK_DOUBLE_EQ(z[0], 1.5);
  CHECK_DOUBLE_EQ(z[1], 2.5);
  gj_lmodule_free(m);
}

int main(void) {
  CHECK_RUN(results_do_not_depend_on_the_number_of_parts);
  CHECK_RUN(little_work_stays_together);
  return check_report();
}
