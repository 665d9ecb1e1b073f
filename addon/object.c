// Objects and their headers from JavaScript, which has checked kinds and names of options.

#include "object.h"

#include "graph.h"

#include "codegen/targets/processors.h"

#include <stdlib.h>
#include <string.h>

// --- arguments ---

enum { TARGET, CPU, FEATURES, SYMBOL, TEXTS };

// Texts that are malloc'ed, of which an empty one is a default.
static bool get_texts(napi_env env, const napi_value *argv, char *texts[TEXTS]) {
  static const char *const names[TEXTS] = {"target", "cpu", "features", "symbol"};
  size_t size;
  for (int i = 0; i < TEXTS; i++)
    if (!gjn_get_text(env, argv[i], names[i], &texts[i], &size))
      return false;
  return true;
}

static const char *given(const char *text) { return *text ? text : NULL; }

static void free_texts(char *texts[TEXTS]) {
  for (int i = 0; i < TEXTS; i++)
    free(texts[i]);
}

// Without a target or with this machine's processor asked for: the host's triple, or all of it.
static gj_status find_target(char *const texts[TEXTS], gj_target *out, gj_error *err) {
  const gj_target *host;
  const char *cpu = given(texts[CPU]), *triple = given(texts[TARGET]);
  GJ_TRY(gj_target_host_shared(&host, err));
  if (cpu && strcmp(cpu, "native") == 0) {
    if (triple || given(texts[FEATURES]))
      return gj_fail(err, GJ_E_ARGUMENT,
                     "target: the CPU \"native\" goes with no other target or features");
    *out = *host;
    return GJ_OK;
  }
  return gj_target_named(triple ? triple : host->triple, cpu, given(texts[FEATURES]), out, err);
}

// --- results ---

static napi_value new_output(napi_env env, gj_emit emit, const unsigned char *bytes, size_t size) {
  napi_value result, buffer;
  void *data;
  if (emit != GJ_EMIT_OBJECT && emit != GJ_EMIT_BITCODE) {
    GJN_TRY(env, napi_create_string_utf8(env, (const char *)bytes, size, &result));
    return result;
  }
  GJN_TRY(env, napi_create_arraybuffer(env, size, &data, &buffer));
  memcpy(data, bytes, size);
  GJN_TRY(env, napi_create_typedarray(env, napi_uint8_array, size, buffer, 0, &result));
  return result;
}

static napi_value compile(napi_env env, const gj_graph *graph, char *const texts[TEXTS],
                          gj_object_options *options, gj_emit emit) {
  gj_target target;
  gj_error err;
  unsigned char *bytes = NULL;
  size_t size = 0;
  options->symbol = given(texts[SYMBOL]);
  if (find_target(texts, &target, &err) != GJ_OK ||
      gj_object_compile(graph, &target, options, emit, &bytes, &size, &err) != GJ_OK)
    return gjn_throw(env, &err);
  napi_value result = new_output(env, emit, bytes, size);
  free(bytes);
  return result;
}

napi_value gjn_object_compile(napi_env env, napi_callback_info info) {
  napi_value argv[9];
  uint32_t numerics, level, emit;
  gj_object_options options = {0};
  if (!gjn_get_args(env, info, 9, argv))
    return NULL;
  gj_graph *graph = gjn_get_graph(env, argv[0]);
  if (!graph || !gjn_get_u32(env, argv[5], "numerics", &numerics) ||
      !gjn_get_u32(env, argv[6], "optLevel", &level) ||
      !gjn_get_bool(env, argv[7], "threads", &options.threads) ||
      !gjn_get_u32(env, argv[8], "emit", &emit))
    return NULL;
  options.numerics = (gj_numerics)numerics;
  options.opt_level = level;
  char *texts[TEXTS] = {0};
  napi_value result = NULL;
  if (get_texts(env, argv + 1, texts))
    result = compile(env, graph, texts, &options, (gj_emit)emit);
  free_texts(texts);
  return result;
}

napi_value gjn_object_header(napi_env env, napi_callback_info info) {
  napi_value argv[4];
  uint32_t numerics;
  char *symbol;
  size_t size;
  gj_object_options options = {0};
  if (!gjn_get_args(env, info, 4, argv))
    return NULL;
  gj_graph *graph = gjn_get_graph(env, argv[0]);
  if (!graph || !gjn_get_u32(env, argv[2], "numerics", &numerics) ||
      !gjn_get_bool(env, argv[3], "threads", &options.threads) ||
      !gjn_get_text(env, argv[1], "symbol", &symbol, &size))
    return NULL;
  options.numerics = (gj_numerics)numerics;
  options.symbol = given(symbol);
  gj_error err;
  gj_strbuf text = {0};
  gj_status status = gj_object_header(graph, &options, &text, &err);
  free(symbol);
  if (status == GJ_OK)
    return gjn_take_text(env, &text);
  gj_strbuf_fini(&text);
  return gjn_throw(env, &err);
}

// --- functions ---

static napi_value compile_function(napi_env env, napi_value text, bool takes_run,
                                   char *const texts[TEXTS], gj_object_options *options,
                                   gj_emit emit) {
  gj_target target;
  gj_error err;
  unsigned char *bytes = NULL;
  size_t size = 0, length;
  char *code;
  if (!gjn_get_text(env, text, "the text", &code, &length))
    return NULL;
  options->symbol = texts[SYMBOL];
  gj_status status = find_target(texts, &target, &err);
  if (status == GJ_OK)
    status =
        gj_object_function(code, length, takes_run, &target, options, emit, &bytes, &size, &err);
  free(code);
  if (status != GJ_OK)
    return gjn_throw(env, &err);
  napi_value result = new_output(env, emit, bytes, size);
  free(bytes);
  return result;
}

napi_value gjn_object_function(napi_env env, napi_callback_info info) {
  napi_value argv[9], result = NULL;
  uint32_t numerics, emit;
  bool takes_run;
  gj_object_options options = {0};
  if (!gjn_get_args(env, info, 9, argv) || !gjn_get_u32(env, argv[5], "numerics", &numerics) ||
      !gjn_get_u32(env, argv[6], "optLevel", &options.opt_level) ||
      !gjn_get_u32(env, argv[7], "emit", &emit) ||
      !gjn_get_bool(env, argv[8], "takesRun", &takes_run))
    return NULL;
  options.numerics = (gj_numerics)numerics;
  char *texts[TEXTS] = {0};
  if (get_texts(env, argv + 1, texts))
    result = compile_function(env, argv[0], takes_run, texts, &options, (gj_emit)emit);
  free_texts(texts);
  return result;
}

static napi_value new_words(napi_env env, gj_object_words *words) {
  napi_value result;
  GJN_TRY(env, napi_create_object(env, &result));
  bool ok = gjn_set_text(env, result, "symbol", words->symbol) &&
            gjn_set_text(env, result, "opening", gj_strbuf_peek(&words->opening)) &&
            gjn_set_text(env, result, "names", gj_strbuf_peek(&words->names));
  return ok ? result : NULL;
}

napi_value gjn_object_words(napi_env env, napi_callback_info info) {
  static const char *const names[] = {"name", "symbol", "names"};
  napi_value argv[3], result = NULL;
  char *texts[3] = {0};
  size_t size;
  bool ok = gjn_get_args(env, info, 3, argv);
  for (int i = 0; ok && i < 3; i++)
    ok = gjn_get_text(env, argv[i], names[i], &texts[i], &size);
  if (ok) {
    gj_object_words words;
    gj_error err;
    ok = gj_object_words_init(&words, texts[0], given(texts[1]), texts[2], &err) == GJ_OK;
    result = ok ? new_words(env, &words) : gjn_throw(env, &err);
    gj_object_words_fini(&words);
  }
  for (int i = 0; i < 3; i++)
    free(texts[i]);
  return result;
}

// --- targets ---

static napi_value new_features(napi_env env, const gj_architecture *arch) {
  napi_value list;
  GJN_TRY(env, napi_create_array(env, &list));
  for (size_t i = 0; arch->features[i]; i++)
    if (!gjn_set_index(env, list, i, gjn_new_text(env, arch->features[i])))
      return NULL;
  return list;
}

static napi_value new_cpus(napi_env env, const gj_architecture *arch) {
  napi_value list;
  GJN_TRY(env, napi_create_array(env, &list));
  for (size_t i = 0; i < arch->processor_count; i++)
    if (!gjn_set_index(env, list, i, gjn_new_text(env, arch->processors[i].name)))
      return NULL;
  return list;
}

napi_value gjn_targets(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value list, item;
  GJN_TRY(env, napi_create_array(env, &list));
  for (size_t i = 0; i < gj_architecture_count(); i++) {
    const gj_architecture *arch = gj_architecture_get(i);
    GJN_TRY(env, napi_create_object(env, &item));
    if (!gjn_set_text(env, item, "arch", arch->name) ||
        !gjn_set_text(env, item, "triple", arch->triple) ||
        !gjn_set(env, item, "cpus", new_cpus(env, arch)) ||
        !gjn_set(env, item, "features", new_features(env, arch)) ||
        !gjn_set_index(env, list, i, item))
      return NULL;
  }
  return list;
}
