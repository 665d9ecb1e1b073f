// What a run gives to JavaScript: one scalar, or the memory that arrays lie in.
//
// Arrays that a run makes are copied into memory of the engine, which frees it when it collects.
// Memory handed over as it is would wait for the event loop to be freed, and a loop of calls would
// fill the machine; that is for arrays too large to have twice. Arrays of which one is a part of
// the other share an ArrayBuffer, as they share their memory.

#include "function.h"

#include <stdlib.h>
#include <string.h>

static napi_value new_scalar(napi_env env, gjn_scalar scalar, uint64_t slot) {
  napi_value value = NULL;
  double number;
  float single;
  napi_status status = napi_invalid_arg;
  int64_t whole = (int64_t)slot;
  switch (scalar) {
  case GJN_F64:
    memcpy(&number, &slot, sizeof number);
    status = napi_create_double(env, number, &value);
    break;
  case GJN_F32:
    memcpy(&single, &slot, sizeof single);
    status = napi_create_double(env, single, &value);
    break;
  case GJN_I8:
  case GJN_U8:
  case GJN_I16:
  case GJN_U16:
  case GJN_I32:
  case GJN_SMI:
    status = napi_create_int32(env, (int32_t)slot, &value);
    break;
  case GJN_U32:
    status = napi_create_uint32(env, (uint32_t)slot, &value);
    break;
  case GJN_INT:
    status = whole == (int32_t)whole ? napi_create_int32(env, (int32_t)whole, &value)
                                     : napi_create_double(env, (double)whole, &value);
    break;
  case GJN_I64:
    status = napi_create_bigint_int64(env, whole, &value);
    break;
  case GJN_U64:
    status = napi_create_bigint_uint64(env, slot, &value);
    break;
  case GJN_BOOL:
    status = napi_get_boolean(env, slot & 1, &value);
    break;
  }
  GJN_TRY(env, status);
  return value;
}

// A result that is one scalar, or one of the values that say there is none, or a boolean among
// numbers.
static napi_value new_only(napi_env env, const gjn_value_port *port, const uint64_t *slot,
                           gjn_frame *frame) {
  napi_value value;
  int32_t tag = port->is_tagged ? (int32_t)slot[1] : 0;
  if (tag == 0)
    return new_scalar(env, port->scalar, slot[0]);
  if (tag == 3) {
    napi_value number = new_scalar(env, port->scalar, slot[0]);
    if (number)
      GJN_TRY(env, napi_coerce_to_bool(env, number, &value));
    return number ? value : NULL;
  }
  frame->outcome[0] = GJN_DONE;
  GJN_TRY(env, tag == 1 ? napi_get_undefined(env, &value) : napi_get_null(env, &value));
  return value;
}

// --- arrays ---

// An array among the results that lies in memory of the run.
typedef struct made {
  uint64_t *slots; // address, length, where it lies
  uintptr_t start, end;
  size_t host; // the one that it is a part of, or itself
} made;

static void free_memory(napi_env env, void *data, void *memory) {
  (void)env;
  (void)data;
  free(memory);
}

// An ArrayBuffer with the memory itself; NULL where the engine takes none from outside.
static napi_value adopt(napi_env env, const made *array, void *memory) {
  napi_value buffer;
  if (napi_create_external_arraybuffer(env, (void *)array->start, array->end - array->start,
                                       free_memory, memory, &buffer) == napi_ok)
    return buffer;
  return NULL;
}

enum { LARGE = 1 << 20, HUGE_BYTES = 1 << 28 };

// By JavaScript, which throws where the engine would end the process for want of memory.
static napi_value construct(napi_env env, size_t bytes) {
  napi_value global, constructor, size, buffer;
  GJN_TRY(env, napi_get_global(env, &global));
  GJN_TRY(env, napi_get_named_property(env, global, "ArrayBuffer", &constructor));
  GJN_TRY(env, napi_create_double(env, (double)bytes, &size));
  GJN_TRY(env, napi_new_instance(env, constructor, 1, &size, &buffer));
  return buffer;
}

static napi_value copy(napi_env env, const made *array) {
  void *data = NULL;
  size_t bytes = array->end - array->start, length = bytes;
  napi_value buffer;
  if (bytes < LARGE)
    GJN_TRY(env, napi_create_arraybuffer(env, bytes, &data, &buffer));
  else if (!(buffer = construct(env, bytes)))
    return NULL;
  else
    GJN_TRY(env, napi_get_arraybuffer_info(env, buffer, &data, &length));
  if (length < bytes)
    return gjn_fail(env, GJ_E_STATE, "ArrayBuffer is not what it was: it gives %zu bytes", length);
  if (bytes > 0)
    memcpy(data, (const void *)array->start, bytes);
  return buffer;
}

static napi_value new_buffer(napi_env env, gjn_frame *frame, const made *array) {
  void *memory = NULL;
  if (array->end - array->start < HUGE_BYTES ||
      !gj_heap_take(&frame->heap, (const void *)array->start, &memory))
    return copy(env, array);
  napi_value buffer = adopt(env, array, memory);
  if (buffer)
    return buffer;
  buffer = copy(env, array);
  free(memory);
  return buffer;
}

static bool contains(const made *host, const made *part) {
  return host->start <= part->start && part->end <= host->end;
}

// The largest of those that an array is a part of, the first of equal ones.
static void find_hosts(made *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    list[i].host = i;
    for (size_t j = 0; j < count; j++) {
      const made *host = &list[list[i].host];
      bool larger = list[j].end - list[j].start > host->end - host->start;
      if (contains(&list[j], &list[i]) &&
          (larger || (contains(host, &list[j]) && j < list[i].host)))
        list[i].host = j;
    }
  }
}

// Finds the arrays of the run; turns addresses in arrays that were passed into offsets.
static size_t list_made(const gjn_signature *s, gjn_frame *frame, made *list) {
  size_t count = 0;
  uint64_t *slot = frame->slots + s->scalar_count;
  for (uint32_t i = 0; i < s->result_count; i++) {
    const gjn_value_port *port = &s->ports[s->param_count + i];
    uintptr_t start = (uintptr_t)slot[0];
    if (port->is_array && slot[2] == 1)
      list[count++] = (made){slot, start, start + (size_t)slot[1] * port->bytes, 0};
    else if (port->is_array && (slot[2] & GJN_ORIGIN) - 2 < s->array_count)
      slot[0] = start - (uintptr_t)frame->buffers[1 + (slot[2] & GJN_ORIGIN) - 2];
    slot += port->is_array ? GJN_ARRAY_SLOTS : 1 + port->is_tagged;
  }
  return count;
}

static napi_value new_buffers(napi_env env, gjn_frame *frame, made *list, size_t count) {
  napi_value buffers;
  GJN_TRY(env, napi_create_array_with_length(env, count, &buffers));
  find_hosts(list, count);
  for (size_t i = 0; i < count; i++) {
    list[i].slots[0] = list[i].start - list[list[i].host].start;
    list[i].slots[2] = (uint64_t)(-1 - (int64_t)list[i].host);
    if (list[i].host == i && !gjn_set_index(env, buffers, i, new_buffer(env, frame, &list[i])))
      return NULL;
  }
  return buffers;
}

napi_value gjn_frame_result(napi_env env, const gjn_signature *s, gjn_frame *frame) {
  if (s->result_count == 1 && !s->has_arrays) {
    gj_heap_clear(&frame->heap);
    return new_only(env, &s->ports[s->param_count], frame->slots + s->scalar_count, frame);
  }
  made list[GJN_MOST_PORTS];
  size_t count = s->has_arrays ? list_made(s, frame, list) : 0;
  napi_value result = count > 0 ? new_buffers(env, frame, list, count) : NULL;
  gj_heap_clear(&frame->heap);
  return result;
}
