// Errors, getters, values and wrapped objects: the part of the addon that knows no tensors.

#include "helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gjn_instance *gjn_get_instance(napi_env env) {
  void *data = NULL;
  napi_get_instance_data(env, &data);
  return data;
}

// --- errors ---

static bool is_exception_pending(napi_env env) {
  bool pending = false;
  return napi_is_exception_pending(env, &pending) != napi_ok || pending;
}

napi_value gjn_new_error(napi_env env, const gj_error *err) {
  gjn_instance *instance = gjn_get_instance(env);
  napi_value receiver, create, argv[2], error;
  GJN_TRY(env, napi_create_string_utf8(env, gj_status_name(err->code), NAPI_AUTO_LENGTH, &argv[0]));
  GJN_TRY(env, napi_create_string_utf8(env, err->message, NAPI_AUTO_LENGTH, &argv[1]));
  if (!instance || !instance->create_error) { // lib/base/binding.js sets it before anything else
    GJN_TRY(env, napi_create_error(env, argv[0], argv[1], &error));
    return error;
  }
  GJN_TRY(env, napi_get_reference_value(env, instance->create_error, &create));
  GJN_TRY(env, napi_get_undefined(env, &receiver));
  GJN_TRY(env, napi_call_function(env, receiver, create, 2, argv, &error));
  return error;
}

napi_value gjn_throw(napi_env env, const gj_error *err) {
  if (!is_exception_pending(env)) {
    napi_value error = gjn_new_error(env, err);
    if (error)
      napi_throw(env, error);
  }
  return NULL;
}

napi_value gjn_fail(napi_env env, gj_status code, const char *format, ...) {
  gj_error err;
  va_list arguments;
  va_start(arguments, format);
  gj_fail_v(&err, code, format, arguments);
  va_end(arguments);
  return gjn_throw(env, &err);
}

// A failure inside the creation of an error must not come back here, so this throws a plain Error.
void gjn_throw_last(napi_env env) {
  const napi_extended_error_info *info = NULL;
  const char *message = NULL;
  if (napi_get_last_error_info(env, &info) == napi_ok && info)
    message = info->error_message;
  if (!is_exception_pending(env))
    napi_throw_error(env, gj_status_name(GJ_E_INTERNAL), message ? message : "Node-API call");
}

// --- reading arguments ---

static bool refuse(napi_env env, const char *name, const char *what) {
  gjn_fail(env, GJ_E_ARGUMENT, "%s: expected %s", name, what);
  return false;
}

bool gjn_get_args(napi_env env, napi_callback_info info, size_t count, napi_value *argv) {
  GJN_TRY(env, napi_get_cb_info(env, info, &count, argv, NULL, NULL));
  return true;
}

bool gjn_get_i64(napi_env env, napi_value value, const char *name, int64_t *out) {
  double number;
  if (napi_get_value_double(env, value, &number) != napi_ok)
    return refuse(env, name, "a number");
  if (!(fabs(number) <= 9007199254740991.0) || number != floor(number))
    return refuse(env, name, "a safe integer");
  *out = (int64_t)number;
  return true;
}

bool gjn_get_u32(napi_env env, napi_value value, const char *name, uint32_t *out) {
  int64_t number;
  if (!gjn_get_i64(env, value, name, &number))
    return false;
  if (number < 0 || number > UINT32_MAX)
    return refuse(env, name, "an integer from 0 to 4294967295");
  *out = (uint32_t)number;
  return true;
}

bool gjn_get_bool(napi_env env, napi_value value, const char *name, bool *out) {
  return napi_get_value_bool(env, value, out) == napi_ok || refuse(env, name, "a boolean");
}

bool gjn_get_text(napi_env env, napi_value value, const char *name, char **out, size_t *out_size) {
  size_t size;
  if (napi_get_value_string_utf8(env, value, NULL, 0, &size) != napi_ok)
    return refuse(env, name, "a string");
  char *text = malloc(size + 1);
  if (!text) {
    gjn_fail(env, GJ_E_MEMORY, "%s: no memory for %zu bytes of text", name, size);
    return false;
  }
  if (napi_get_value_string_utf8(env, value, text, size + 1, &size) != napi_ok) {
    free(text);
    gjn_throw_last(env);
    return false;
  }
  if (memchr(text, '\0', size)) {
    free(text);
    return refuse(env, name, "a string without NUL characters");
  }
  *out = text;
  *out_size = size;
  return true;
}

bool gjn_get_length(napi_env env, napi_value value, const char *name, uint32_t *out) {
  return napi_get_array_length(env, value, out) == napi_ok || refuse(env, name, "an array");
}

bool gjn_get_integers(napi_env env, napi_value value, const char *name, int64_t *out,
                      size_t capacity, size_t *out_count) {
  uint32_t count;
  if (!gjn_get_length(env, value, name, &count))
    return false;
  if (count > capacity) {
    gjn_fail(env, GJ_E_SHAPE, "%s: %u values, at most %zu are allowed", name, count, capacity);
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    napi_value element;
    GJN_TRY(env, napi_get_element(env, value, i, &element));
    if (!gjn_get_i64(env, element, name, &out[i]))
      return false;
  }
  *out_count = count;
  return true;
}

bool gjn_get_dtype(napi_env env, napi_value value, gj_dtype *out) {
  char name[16];
  size_t size;
  if (napi_get_value_string_utf8(env, value, name, sizeof name, &size) != napi_ok)
    return refuse(env, "dtype", "a string");
  *out = gj_dtype_parse(name, size);
  return *out != GJ_DTYPE_none || refuse(env, name, "a known dtype");
}

bool gjn_is_undefined(napi_env env, napi_value value) {
  napi_valuetype type;
  return napi_typeof(env, value, &type) == napi_ok && type == napi_undefined;
}

// --- making values ---

napi_value gjn_new_number(napi_env env, double value) {
  napi_value number;
  GJN_TRY(env, napi_create_double(env, value, &number));
  return number;
}

napi_value gjn_new_text(napi_env env, const char *text) {
  napi_value string;
  GJN_TRY(env, napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &string));
  return string;
}

napi_value gjn_take_text(napi_env env, gj_strbuf *buffer) {
  napi_value string = NULL;
  if (buffer->failed)
    gjn_fail(env, GJ_E_MEMORY, "no memory for a text of more than %zu bytes", buffer->size);
  else if (napi_create_string_utf8(env, gj_strbuf_peek(buffer), buffer->size, &string) != napi_ok)
    gjn_throw_last(env);
  gj_strbuf_fini(buffer);
  return string;
}

napi_value gjn_new_size(napi_env env, const gj_dims *dims, gj_dim d) {
  if (gj_dim_is_const(d))
    return gjn_new_number(env, (double)d);
  gj_strbuf text = {0};
  gj_dim_print(dims, d, &text);
  return gjn_take_text(env, &text);
}

napi_value gjn_new_shape(napi_env env, const gj_dims *dims, const gj_type *type) {
  napi_value shape;
  GJN_TRY(env, napi_create_array_with_length(env, type->rank, &shape));
  for (size_t axis = 0; axis < type->rank; axis++)
    if (!gjn_set_index(env, shape, axis, gjn_new_size(env, dims, type->shape[axis])))
      return NULL;
  return shape;
}

bool gjn_set(napi_env env, napi_value object, const char *key, napi_value value) {
  if (!value)
    return false;
  GJN_TRY(env, napi_set_named_property(env, object, key, value));
  return true;
}

bool gjn_set_index(napi_env env, napi_value array, size_t index, napi_value value) {
  if (!value)
    return false;
  GJN_TRY(env, napi_set_element(env, array, (uint32_t)index, value));
  return true;
}

bool gjn_set_number(napi_env env, napi_value object, const char *key, double value) {
  return gjn_set(env, object, key, gjn_new_number(env, value));
}

bool gjn_set_text(napi_env env, napi_value object, const char *key, const char *text) {
  return gjn_set(env, object, key, gjn_new_text(env, text));
}

// --- memory ---

void gjn_report_memory(napi_env env, int64_t bytes) {
  int64_t total;
  if (bytes != 0)
    napi_adjust_external_memory(env, bytes, &total);
}
