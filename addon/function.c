// Functions from JavaScript: compiled, looked at, freed. Calls of them are in function_call.c.

#include "function.h"

#include "jit/function/op.h"

#include <stdlib.h>
#include <string.h>

// What a function takes besides its code: pages of its own and tables of the linker. The collector
// is told, since it would otherwise let thousands of dropped ones lie.
enum { FUNCTION_BYTES = 32 * 1024 };

// --- lifetime ---

void gjn_function_settle(napi_env env, gjn_function *own) {
  if (!own->function || own->pending > 0 || !own->disposed)
    return;
  gj_function_free(own->function);
  own->function = NULL;
  gjn_report_memory(env, -own->reported);
  gjn_get_instance(env)->functions--;
}

void gjn_function_release(napi_env env, gjn_function *own) {
  if (!own || --own->references > 0)
    return;
  own->disposed = true;
  gjn_function_settle(env, own);
  free(own);
}

static void drop(napi_env env, void *data) { gjn_function_release(env, data); }

gjn_function *gjn_get_function(napi_env env, napi_value value) {
  gjn_function *own = gjn_unwrap(env, value, GJN_FUNCTION);
  if (own && own->disposed) {
    gjn_fail(env, GJ_E_STATE, "function is disposed");
    return NULL;
  }
  return own;
}

// Takes `function` over, also on failure.
static napi_value new_function(napi_env env, gj_function *function) {
  gjn_function *own = calloc(1, sizeof *own);
  if (!own) {
    gj_function_free(function);
    return gjn_fail(env, GJ_E_MEMORY, "compile: no memory for a function");
  }
  gj_program_stats stats;
  gj_function_get_stats(function, &stats);
  own->references = 1;
  own->function = function;
  own->reported = FUNCTION_BYTES + (int64_t)stats.code_bytes;
  gjn_report_memory(env, own->reported);
  gjn_get_instance(env)->functions++;
  napi_value object = gjn_wrap(env, GJN_FUNCTION, own, drop);
  if (!object)
    gjn_function_release(env, own);
  return object;
}

napi_value gjn_function_compile(napi_env env, napi_callback_info info) {
  napi_value argv[5];
  uint32_t numerics, opt_level, tier = GJ_TIER_LLVM;
  bool cache;
  char *text;
  size_t size;
  if (!gjn_get_args(env, info, 5, argv) || !gjn_get_u32(env, argv[1], "numerics", &numerics) ||
      !gjn_get_u32(env, argv[2], "optLevel", &opt_level) ||
      !gjn_get_bool(env, argv[3], "cache", &cache) ||
      (!gjn_is_undefined(env, argv[4]) && !gjn_get_u32(env, argv[4], "tier", &tier)) ||
      !gjn_get_text(env, argv[0], "the text", &text, &size))
    return NULL;
  gj_function_options options = {(gj_numerics)numerics, opt_level, cache, (gj_tier)tier};
  gj_function *function;
  gj_error err;
  gj_status status = gj_function_compile(text, size, &options, &function, &err);
  free(text);
  return status == GJ_OK ? new_function(env, function) : gjn_throw(env, &err);
}

napi_value gjn_function_op(napi_env env, napi_callback_info info) {
  napi_value argv[7];
  uint32_t numerics, opt_level, tier;
  bool cache;
  char *texts[3] = {NULL, NULL, NULL};
  size_t sizes[3];
  static const char *const names[3] = {"the name", "the text", "the description"};
  bool ok = gjn_get_args(env, info, 7, argv) && gjn_get_u32(env, argv[2], "numerics", &numerics) &&
            gjn_get_u32(env, argv[3], "optLevel", &opt_level) &&
            gjn_get_bool(env, argv[4], "cache", &cache) && gjn_get_u32(env, argv[5], "tier", &tier);
  for (int i = 0; ok && i < 3; i++)
    ok = gjn_get_text(env, argv[i == 2 ? 6 : i], names[i], &texts[i], &sizes[i]);
  if (ok) {
    gj_function_options options = {(gj_numerics)numerics, opt_level, cache, (gj_tier)tier};
    gj_error err;
    if (gj_function_op_register(texts[0], texts[1], sizes[1], &options, texts[2], &err) != GJ_OK)
      gjn_throw(env, &err);
  }
  for (int i = 0; i < 3; i++)
    free(texts[i]);
  return NULL;
}

napi_value gjn_function_dispose(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  if (!gjn_get_args(env, info, 1, argv))
    return NULL;
  gjn_function *own = gjn_unwrap(env, argv[0], GJN_FUNCTION);
  if (own) {
    own->disposed = true;
    gjn_function_settle(env, own);
  }
  return NULL;
}

// --- looking ---

napi_value gjn_function_stats(napi_env env, napi_callback_info info) {
  static const char *const sources[] = {[GJ_CACHE_OFF] = "off",
                                        [GJ_CACHE_MISS] = "miss",
                                        [GJ_CACHE_DISK] = "disk",
                                        [GJ_CACHE_MEMORY] = "memory"};
  napi_value argv[1], result;
  gjn_function *own = gjn_get_args(env, info, 1, argv) ? gjn_get_function(env, argv[0]) : NULL;
  if (!own)
    return NULL;
  gj_program_stats stats;
  gj_function_get_stats(own->function, &stats);
  GJN_TRY(env, napi_create_object(env, &result));
  const char *tier = gj_function_tier(own->function) == GJ_TIER_AUTO ? "quick" : "full";
  bool ok = gjn_set_text(env, result, "tier", tier) &&
            gjn_set_text(env, result, "cache", sources[stats.cache]) &&
            gjn_set_number(env, result, "codeBytes", (double)stats.code_bytes) &&
            gjn_set_number(env, result, "loops", stats.lower_ms) &&
            gjn_set_number(env, result, "emit", stats.emit_ms) &&
            gjn_set_number(env, result, "optimize", stats.optimize_ms) &&
            gjn_set_number(env, result, "machine", stats.machine_ms) &&
            gjn_set_number(env, result, "load", stats.load_ms) &&
            gjn_set_number(env, result, "lookup", stats.cache_ms) &&
            gjn_set_number(env, result, "total", stats.total_ms);
  return ok ? result : NULL;
}

napi_value gjn_function_remarks(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  gjn_function *own = gjn_get_args(env, info, 1, argv) ? gjn_get_function(env, argv[0]) : NULL;
  return own ? gjn_new_text(env, gj_function_remarks(own->function)) : NULL;
}

static gj_status print(const char *text, size_t size, const gj_function_options *options,
                       const char *what, gj_strbuf *out, gj_error *err) {
  static const struct {
    const char *name;
    gj_emit emit;
  } ways[] = {
      {"llvm", GJ_EMIT_LLVM}, {"optimized", GJ_EMIT_LLVM_OPTIMIZED}, {"asm", GJ_EMIT_ASSEMBLY}};
  if (strcmp(what, "loops") == 0)
    return gj_function_print_loops(text, size, out, err);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (strcmp(what, ways[i].name) == 0)
      return gj_function_print(text, size, options, ways[i].emit, out, err);
  return gj_fail(err, GJ_E_ARGUMENT, "there is no text '%s' of a function", what);
}

napi_value gjn_function_text(napi_env env, napi_callback_info info) {
  napi_value argv[4];
  uint32_t numerics, opt_level;
  char *text, *what;
  size_t size, length;
  if (!gjn_get_args(env, info, 4, argv) || !gjn_get_u32(env, argv[1], "numerics", &numerics) ||
      !gjn_get_u32(env, argv[2], "optLevel", &opt_level) ||
      !gjn_get_text(env, argv[0], "the text", &text, &size))
    return NULL;
  if (!gjn_get_text(env, argv[3], "what to show", &what, &length)) {
    free(text);
    return NULL;
  }
  gj_function_options options = {(gj_numerics)numerics, opt_level, false, GJ_TIER_LLVM};
  gj_strbuf out = {0};
  gj_error err;
  gj_status status = print(text, size, &options, what, &out, &err);
  free(text);
  free(what);
  if (status == GJ_OK)
    return gjn_take_text(env, &out);
  gj_strbuf_fini(&out);
  return gjn_throw(env, &err);
}
