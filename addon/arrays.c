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
#define GJ_DTYPE(name, kind, bits, ctype, jsarray, computed) [GJ_DTYPE_##name] = jsarray,
#include "ops/dtypes.def"
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

// --- overlap ---

// Memory of one port that is not empty.
typedef struct extent {
  uintptr_t start, end;
  size_t port;
} extent;

static bool refuse_overlap(napi_env env, const gjn_ports *ports, size_t a, size_t b,
                           const char *caller) {
  size_t output = a > b ? a : b, other = a > b ? b : a; // inputs come first
  gjn_fail(env, GJ_E_ARGUMENT, "%s: output '%s' overlaps %s '%s' in memory", caller,
           ports->list[output].name, role_of(ports, other), ports->list[other].name);
  return false;
}

static bool check_pairs(napi_env env, const gjn_ports *ports, const size_t *bytes,
                        const char *caller, void *const *buffers) {
  for (size_t i = ports->input_count; i < ports->count; i++) {
    uintptr_t start = (uintptr_t)buffers[i];
    for (size_t j = 0; j < i; j++) {
      uintptr_t other = (uintptr_t)buffers[j];
      if (start < other + bytes[j] && other < start + bytes[i] && bytes[i] > 0 && bytes[j] > 0)
        return refuse_overlap(env, ports, i, j, caller);
    }
  }
  return true;
}

static int by_start(const void *a, const void *b) {
  const extent *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

// In order of address an array overlaps an earlier one exactly if it begins before the furthest end
// so far: of any array when it is an output, else of the outputs.
static bool check_sorted(napi_env env, const gjn_ports *ports, const extent *list, size_t count,
                         const char *caller) {
  extent furthest = {0}, furthest_output = {0};
  for (size_t i = 0; i < count; i++) {
    bool output = list[i].port >= ports->input_count;
    const extent *before = output ? &furthest : &furthest_output;
    if (list[i].start < before->end)
      return refuse_overlap(env, ports, list[i].port, before->port, caller);
    if (list[i].end > furthest.end)
      furthest = list[i];
    if (output && list[i].end > furthest_output.end)
      furthest_output = list[i];
  }
  return true;
}

// Comparing all pairs of a few arrays is quickest; of thousands it takes milliseconds.
enum { FEW_PORTS = 64 };

static bool check_overlap(napi_env env, const gjn_ports *ports, const size_t *bytes,
                          const char *caller, void *const *buffers) {
  if (ports->count <= FEW_PORTS)
    return check_pairs(env, ports, bytes, caller, buffers);
  size_t count = 0;
  extent *list = calloc(ports->count, sizeof *list);
  if (!list) {
    gjn_fail(env, GJ_E_MEMORY, "%s: no memory for %zu arrays", caller, ports->count);
    return false;
  }
  for (size_t i = 0; i < ports->count; i++)
    if (bytes[i] > 0)
      list[count++] = (extent){(uintptr_t)buffers[i], (uintptr_t)buffers[i] + bytes[i], i};
  qsort(list, count, sizeof *list, by_start);
  bool apart = check_sorted(env, ports, list, count, caller);
  free(list);
  return apart;
}

bool gjn_get_buffers(napi_env env, const napi_value *arrays, const gjn_ports *ports,
                     const size_t *bytes, const char *caller, void **out_buffers) {
  for (size_t i = 0; i < ports->count; i++)
    if (!get_buffer(env, arrays[i], ports, i, bytes[i], caller, &out_buffers[i]))
      return false;
  return check_overlap(env, ports, bytes, caller, out_buffers);
}

// Asking for the class takes as long as all else that a call does, up to 25 ns an array, and
// reading or writing so many bytes of an array is safe whatever they mean. What they mean lib/ has
// seen to.
static bool has_bytes(napi_env env, napi_value array, size_t bytes, void **out_data) {
  size_t length;
  return napi_get_typedarray_info(env, array, NULL, NULL, out_data, NULL, NULL) == napi_ok &&
         napi_get_buffer_info(env, array, NULL, &length) == napi_ok && length == bytes;
}

bool gjn_get_known_buffers(napi_env env, const napi_value *arrays, const gjn_ports *ports,
                           const size_t *bytes, const char *caller, void **out_buffers) {
  for (size_t i = 0; i < ports->count; i++)
    if (!has_bytes(env, arrays[i], bytes[i], &out_buffers[i]))
      return gjn_get_buffers(env, arrays, ports, bytes, caller, out_buffers);
  return check_overlap(env, ports, bytes, caller, out_buffers);
}

static bool get_elements(napi_env env, napi_value list, size_t count, napi_value *out) {
  for (size_t i = 0; i < count; i++)
    GJN_TRY(env, napi_get_element(env, list, (uint32_t)i, &out[i]));
  return true;
}

// All elements come before the first pointer: getting one may run JavaScript, which may detach
// another.
bool gjn_get_listed_buffers(napi_env env, napi_value list, const gjn_ports *ports,
                            const size_t *bytes, const char *caller, void **out_buffers) {
  napi_value *arrays = calloc(ports->count + 1, sizeof *arrays);
  if (!arrays)
    gjn_fail(env, GJ_E_MEMORY, "%s: no memory for %zu arrays", caller, ports->count);
  bool ok = arrays && get_elements(env, list, ports->count, arrays) &&
            gjn_get_buffers(env, arrays, ports, bytes, caller, out_buffers);
  free(arrays);
  return ok;
}
