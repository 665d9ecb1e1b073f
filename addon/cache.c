// The cache on disk: where its folder is, what it holds, making it smaller, and notes of front
// ends.

#include "cache.h"

#include "cache/disk.h"

#include <stdlib.h>

static bool set_flag(napi_env env, napi_value object, const char *key, bool flag) {
  napi_value value;
  GJN_TRY(env, napi_get_boolean(env, flag, &value));
  return gjn_set(env, object, key, value);
}

static napi_value new_usage(napi_env env, const gj_disk_usage *usage, bool usable) {
  napi_value result;
  GJN_TRY(env, napi_create_object(env, &result));
  bool ok = gjn_set_number(env, result, "entries", (double)usage->entries) &&
            gjn_set_number(env, result, "bytes", (double)usage->bytes) &&
            set_flag(env, result, "usable", usable);
  return ok ? result : NULL;
}

napi_value gjn_cache_usage(napi_env env, napi_callback_info info) {
  (void)info;
  const gj_disk *disk = gj_disk_default();
  gj_disk_usage usage;
  bool usable = gj_disk_get_usage(disk, &usage);
  napi_value result = new_usage(env, &usage, usable);
  bool ok = result && set_flag(env, result, "off", gj_disk_is_off()) &&
            gjn_set_number(env, result, "limit", (double)disk->limit) &&
            (!disk->folder || gjn_set_text(env, result, "folder", disk->folder));
  return ok ? result : NULL;
}

napi_value gjn_cache_prune(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  int64_t bytes;
  if (!gjn_get_args(env, info, 1, argv) || !gjn_get_i64(env, argv[0], "bytes", &bytes))
    return NULL;
  gj_disk_usage removed;
  bool usable = gj_disk_prune(gj_disk_default(), bytes > 0 ? (size_t)bytes : 0, &removed);
  return new_usage(env, &removed, usable);
}

napi_value gjn_note_read(napi_env env, napi_callback_info info) {
  napi_value argv[1], result = NULL;
  char *name, *text;
  size_t name_size, size;
  if (!gjn_get_args(env, info, 1, argv) ||
      !gjn_get_text(env, argv[0], "the name", &name, &name_size))
    return NULL;
  bool found = gj_note_read(name, name_size, &text, &size);
  free(name);
  if (!found)
    return NULL;
  napi_status status = napi_create_string_utf8(env, text, size, &result);
  free(text);
  GJN_TRY(env, status);
  return result;
}

napi_value gjn_note_write(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  char *name, *text;
  size_t name_size, size;
  if (!gjn_get_args(env, info, 2, argv) ||
      !gjn_get_text(env, argv[0], "the name", &name, &name_size))
    return NULL;
  if (gjn_get_text(env, argv[1], "the text", &text, &size)) {
    gj_note_write(name, name_size, text, size);
    free(text);
  }
  free(name);
  return NULL;
}
