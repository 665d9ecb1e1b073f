// JavaScript's elementary functions as a WebAssembly module, run by node against its own Math
// (test/support/math-wasm.js): the bitcode means the same there, on every variant.
#include "check.h"

#include "codegen/codegen.h"
#include "wasm/link.h"

#include <unistd.h>

#define GJS_OP(name, arity) {#name, arity},
static const struct {
  const char *name;
  int arity;
} functions[] = {
#include "math/js/js.def"
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

// A module with an exported function for each.
static char *module_text(void) {
  gj_strbuf text = {0};
  gj_error err;
  char *out = NULL;
  gj_strbuf_printf(&text, "module \"math\" {\n");
  for (int i = 0; i < FUNCTIONS; i++) {
    bool two = functions[i].arity == 2;
    gj_strbuf_printf(&text, "  export func js_%s(x: f64%s) -> f64 {\n    return %s(x%s)\n  }\n",
                     functions[i].name, two ? ", y: f64" : "", functions[i].name, two ? ", y" : "");
  }
  gj_strbuf_printf(&text, "}\n");
  CHECK_OK(gj_strbuf_take(&text, &out, NULL, &err), &err);
  return out;
}

static gj_status compile(gj_wasm_variant variant, unsigned char **out_bytes, size_t *out_size,
                         gj_error *err) {
  char names[FUNCTIONS][24];
  const char *exports[FUNCTIONS];
  gj_lmodule *module;
  gj_target target;
  unsigned char *object;
  size_t size;
  for (int i = 0; i < FUNCTIONS; i++) {
    snprintf(names[i], sizeof *names, "js_%s", functions[i].name);
    exports[i] = names[i];
  }
  char *text = module_text();
  gj_status status = gj_lmodule_parse(text, strlen(text), &module, err);
  free(text);
  GJ_TRY(status);
  gj_codegen_options options = {.math = GJ_MATH_JS, .opt_level = 2, .for_size = true};
  status = gj_target_wasm(variant, false, &target, err);
  if (status == GJ_OK)
    status = gj_codegen(module, &target, &options, GJ_EMIT_OBJECT, &object, &size, NULL, err);
  gj_lmodule_free(module);
  GJ_TRY(status);
  gj_wasm_link_options link = {.exports = exports, .export_count = FUNCTIONS};
  status = gj_wasm_link(object, size, &link, out_bytes, out_size, err);
  free(object);
  return status;
}

static void run(gj_wasm_variant variant) {
  char path[] = "/tmp/gj-math-XXXXXX", command[128];
  unsigned char *bytes = NULL;
  size_t size = 0;
  gj_error err;
  CHECK_OK(compile(variant, &bytes, &size, &err), &err);
  int file = mkstemp(path);
  CHECK_OR_RETURN(bytes && file >= 0);
  CHECK_INT_EQ(write(file, bytes, size), size);
  close(file);
  free(bytes);
  snprintf(command, sizeof command, "node test/support/math-wasm.js %s", path);
  CHECK_INT_EQ(system(command), 0);
  unlink(path);
}

static void modules_have_the_bits_of_math_without_vectors(void) { run(GJ_WASM_MVP); }
static void modules_have_the_bits_of_math(void) { run(GJ_WASM_SIMD); }

int main(void) {
  CHECK_RUN(modules_have_the_bits_of_math_without_vectors);
  CHECK_RUN(modules_have_the_bits_of_math);
  return check_report();
}
