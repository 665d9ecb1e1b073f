// See arrays.h.

#include "arrays.h"

#include "base/size.h"

#include <stdlib.h>

// --- ports and sizes ---

bool gjn_ports_init(napi_env env, size_t input_count, size_t output_count, gjn_ports *ports) {
  size_t count = input_count + output_count; // both counts are below GJ_MAX_NODES
  *ports = (gjn_ports){input_count, count, calloc(count + 1, sizeof *ports->list)};
  if (!ports->list)
    gjn_fail(env, GJ_E_MEMORY, "no memory for %zu inputs and outputs", count);
  return ports->list != NULL;
}

void gjn_ports_fini(gjn_ports *ports) {
  free(ports->list);
  *ports = (gjn_ports){0};
}

bool gjn_shapes_init(napi_env env, napi_value value, const gjn_ports *ports, gjn_shapes *shapes) {
  size_t count = ports->input_count;
  shapes->sizes = calloc(count + 1, sizeof *shapes->sizes);
  shapes->rows = calloc(count + 1, sizeof *shapes->rows);
  if (!shapes->sizes || !shapes->rows) {
    gjn_fail(env, GJ_E_MEMORY, "no memory for the shapes of %zu inputs", count);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    napi_value row;
    size_t rank;
    GJN_TRY(env, napi_get_element(env, value, (uint32_t)i, &row));
    if (!gjn_get_integers(env, row, ports->list[i].name, shapes->sizes[i], GJ_MAX_RANK, &rank))
      return false;
    if (rank != ports->list[i].type.rank) {
      gjn_fail(env, GJ_E_SHAPE, "input '%s': expected rank %u, got %zu", ports->list[i].name,
               ports->list[i].type.rank, rank);
      return false;
    }
    shapes->rows[i] = shapes->sizes[i];
  }
  return true;
}

void gjn_shapes_fini(gjn_shapes *shapes) {
  free(shapes->sizes);
  free(shapes->rows);
}

napi_value gjn_new_output_shapes(napi_env env, const gjn_ports *ports, const int64_t *sizes) {
  size_t count = ports->count - ports->input_count;
  napi_value result;
  GJN_TRY(env, napi_create_array_with_length(env, count, &result));
  for (size_t i = 0; i < count; i++) {
    size_t rank = ports->list[ports->input_count + i].type.rank;
    napi_value shape;
    GJN_TRY(env, napi_create_array_with_length(env, rank, &shape));
    for (size_t axis = 0; axis < rank; axis++)
      if (!gjn_set_index(env, shape, axis,
                         gjn_new_number(env, (double)sizes[i * GJ_MAX_RANK + axis])))
        return NULL;
    if (!gjn_set_index(env, result, i, shape))
      return NULL;
  }
  return result;
}

// --- typed arrays ---

// The class of typed array that holds a dtype. A bool is a Uint8Array.
static const uint8_t array_types[GJ_DTYPE_COUNT] = {
#define Uint8Array napi_uint8_array
#define Uint16Array napi_uint16_array
#define Uint32Array napi_uint32_array
#define BigUint64Array napi_biguint64_array
#define Int8Array napi_int8_array
#define Int16Array napi_int16_array
#define Int32Array napi_int32_array
#define BigInt64Array napi_bigint64_array
#define Float32Array napi_float32_array
#define Float64Array napi_float64_array
#define GJ_DTYPE(name, kind, bits, ctype, jsarray, ready) [GJ_DTYPE_##name] = jsarray,
#include "ir/dtypes.def"
#undef Uint8Array
#undef Uint16Array
#undef Uint32Array
#undef BigUint64Array
#undef Int8Array
#undef Int16Array
#undef Int32Array
#undef BigInt64Array
#undef Float32Array
#undef Float64Array
};

static const char *role_of(const gjn_ports *ports, size_t port) {
  return port < ports->input_count ? "input" : "output";
}

// Says what is wrong with an array of the wrong length: detached arrays have length 0.
static bool refuse_length(napi_env env, napi_value array, const gjn_ports *ports, size_t port,
                          size_t expected, size_t length, const char *caller) {
  const gj_port *own = &ports->list[port];
  napi_value buffer;
  bool detached = false;
  if (length == 0 &&
      napi_get_typedarray_info(env, array, NULL, NULL, NULL, &buffer, NULL) == napi_ok)
    napi_is_detached_arraybuffer(env, buffer, &detached);
  if (detached)
    gjn_fail(env, GJ_E_STATE, "%s: the array of %s '%s' is detached", caller, role_of(ports, port),
             own->name);
  else
    gjn_fail(env, GJ_E_SHAPE, "%s: expected %zu elements of %s for %s '%s', got %zu", caller,
             expected, gj_dtype_name(own->type.dtype), role_of(ports, port), own->name, length);
  return false;
}

static bool get_buffer(napi_env env, napi_value array, const gjn_ports *ports, size_t port,
                       size_t bytes, const char *caller, void **out_data) {
  const gj_port *own = &ports->list[port];
  const gj_dtype_info *info = gj_dtype_get(own->type.dtype);
  napi_typedarray_type type;
  size_t length;
  if (napi_get_typedarray_info(env, array, &type, &length, out_data, NULL, NULL) != napi_ok ||
      type != array_types[own->type.dtype]) {
    gjn_fail(env, GJ_E_DTYPE, "%s: expected %s (%s) for %s '%s'", caller, info->jsarray, info->name,
             role_of(ports, port), own->name);
    return false;
  }
  size_t expected = bytes / info->bytes;
  return length == expected || refuse_length(env, array, ports, port, expected, length, caller);
}

static bool overlap(const char *a, size_t a_bytes, const char *b, size_t b_bytes) {
  return a_bytes > 0 && b_bytes > 0 && (uintptr_t)a < (uintptr_t)b + b_bytes &&
         (uintptr_t)b < (uintptr_t)a + a_bytes;
}

bool gjn_get_buffers(napi_env env, const napi_value *arrays, const gjn_ports *ports,
                     const size_t *bytes, const char *caller, void **out_buffers) {
  for (size_t i = 0; i < ports->count; i++)
    if (!get_buffer(env, arrays[i], ports, i, bytes[i], caller, &out_buffers[i]))
      return false;
  for (size_t i = ports->input_count; i < ports->count; i++)
    for (size_t j = 0; j < i; j++)
      if (overlap(out_buffers[i], bytes[i], out_buffers[j], bytes[j])) {
        gjn_fail(env, GJ_E_ARGUMENT, "%s: output '%s' overlaps %s '%s' in memory", caller,
                 ports->list[i].name, role_of(ports, j), ports->list[j].name);
        return false;
      }
  return true;
}

bool gjn_get_elements(napi_env env, napi_value array, size_t count, napi_value *out) {
  for (size_t i = 0; i < count; i++)
    GJN_TRY(env, napi_get_element(env, array, (uint32_t)i, &out[i]));
  return true;
}
