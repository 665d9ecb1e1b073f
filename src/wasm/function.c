// A function of Loop IR as a WebAssembly module; see function.h.
#include "wasm/function.h"

#include "wasm/describe.h"
#include "wasm/link.h"
#include "wasm/trim.h"

#include <stdlib.h>
#include <string.h>

#define RUN_SYMBOL "run"

enum {
  STACK_BYTES = 16 * 1024, // for everything but arrays
  STACK_LINE = 64,
  DEEP_BYTES = 1024 * 1024, // as much as engines have for the calls themselves
  MOST_EXPORTS = 4
};

static bool has_entry(const gj_lmodule *code) {
  for (uint32_t i = 0; i < code->func_count; i++)
    if (code->funcs[i]->entry)
      return true;
  return false;
}

static gj_status find_stack(const gj_lmodule *code, bool recurses, uint32_t *out, gj_error *err) {
  int64_t bytes = gj_lmodule_stack_bytes(code);
  if (bytes > INT32_MAX - STACK_BYTES - DEEP_BYTES - STACK_LINE)
    return gj_fail(err, GJ_E_OVERFLOW, "wasm: arrays on the stack take %lld bytes",
                   (long long)bytes);
  bytes += STACK_BYTES + (recurses ? DEEP_BYTES : 0);
  *out = (uint32_t)((bytes + STACK_LINE - 1) / STACK_LINE * STACK_LINE);
  return GJ_OK;
}

static gj_status link_code(const gj_lmodule *code, const gj_wasm_function_options *options,
                           unsigned char **out_bytes, size_t *out_size, gj_error *err) {
  const char *exports[MOST_EXPORTS];
  gj_wasm_link_options link = {.exports = exports, .stack_pointer = options->recurses};
  gj_target target;
  unsigned char *object = NULL;
  size_t size = 0;
  GJ_TRY(find_stack(code, options->recurses, &link.stack_size, err));
  GJ_TRY(gj_target_wasm(options->variant, false, &target, err));
  gj_codegen_options back = {.numerics = options->numerics,
                             .math = GJ_MATH_JS,
                             .opt_level = options->opt_level,
                             .vectorise = true,
                             .for_size = options->name != NULL,
                             .keep_calls = options->recurses,
                             .entry_symbol = RUN_SYMBOL,
                             .plan_symbol = options->name};
  if (has_entry(code))
    exports[link.export_count++] = RUN_SYMBOL;
  if (options->name)
    exports[link.export_count++] = options->name;
  exports[link.export_count++] = "__heap_base";
  GJ_TRY(gj_codegen(code, &target, &back, GJ_EMIT_OBJECT, &object, &size, NULL, err));
  gj_status status = gj_wasm_link(object, size, &link, out_bytes, out_size, err);
  free(object);
  return status;
}

// Trims the data of the module and puts the description behind it.
static gj_status finish(const char *description, unsigned char **bytes, size_t *size,
                        gj_error *err) {
  gj_strbuf out = {0};
  char *text = NULL;
  gj_wasm_trim(*bytes, *size, &out);
  gj_wasm_add_description(description, strlen(description), &out);
  free(*bytes);
  *bytes = NULL;
  GJ_TRY(gj_strbuf_take(&out, &text, size, err));
  *bytes = (unsigned char *)text;
  return GJ_OK;
}

gj_status gj_wasm_function(const char *text, size_t size, const gj_wasm_function_options *options,
                           unsigned char **out_bytes, size_t *out_size, gj_error *err) {
  gj_lmodule *code;
  *out_bytes = NULL;
  *out_size = 0;
  if (options->variant > GJ_WASM_RELAXED || options->numerics > GJ_NUMERICS_FAST ||
      options->opt_level > 3)
    return gj_fail(err, GJ_E_ARGUMENT, "wasm: no variant %u with numerics %u and level %u",
                   (unsigned)options->variant, (unsigned)options->numerics, options->opt_level);
  GJ_TRY(gj_lmodule_parse(text, size, &code, err));
  gj_status status = gj_lmodule_verify(code, err);
  if (status == GJ_OK)
    status = link_code(code, options, out_bytes, out_size, err);
  gj_lmodule_free(code);
  GJ_TRY(status);
  return finish(options->description, out_bytes, out_size, err);
}
