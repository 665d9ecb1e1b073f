// See table.h.
//
// All that is said about an array comes from the engine. Elements are taken out of the list before
// the first address is: taking one may run JavaScript, which may detach another. The code is
// trusted with lengths.
#include "table.h"

#include "function.h"
#include "work.h"

#include <stdlib.h>

enum { MOST_ARRAYS = 1000000, FEW = 64 };

// What a run needs of its arguments.
typedef struct table {
  gjn_function *code;
  uint32_t threads;
  uint32_t count; // of arrays
  void *slots;
  napi_value *values; // the arrays, as long as the call from JavaScript lasts
  int64_t *addresses;
  napi_value few_values[FEW];
  int64_t few_addresses[FEW];
} table;

static bool refuse_array(napi_env env, const char *what, uint32_t at) {
  gjn_fail(env, GJ_E_ARGUMENT, "%s: expected a typed array or null as array %u", what, at);
  return false;
}

static bool check_detached(napi_env env, napi_value array, const char *what, uint32_t at) {
  napi_value buffer;
  bool detached = false;
  GJN_TRY(env, napi_get_typedarray_info(env, array, NULL, NULL, NULL, &buffer, NULL));
  GJN_TRY(env, napi_is_detached_arraybuffer(env, buffer, &detached));
  if (detached)
    gjn_fail(env, GJ_E_STATE, "%s: array %u is detached", what, at);
  return !detached;
}

// Null where there is none, and of the length of its memory in elements.
static bool get_memory(napi_env env, napi_value array, const char *what, uint32_t at,
                       void **out_data, size_t *out_length) {
  if (napi_get_typedarray_info(env, array, NULL, out_length, out_data, NULL, NULL) == napi_ok)
    return *out_length > 0 || check_detached(env, array, what, at);
  napi_valuetype type;
  *out_data = NULL;
  *out_length = 0;
  GJN_TRY(env, napi_typeof(env, array, &type));
  return type == napi_null || refuse_array(env, what, at);
}

static bool read_addresses(napi_env env, table *t, const char *what) {
  for (uint32_t i = 0; i < t->count; i++) {
    void *data;
    size_t length;
    if (!get_memory(env, t->values[i], what, i, &data, &length))
      return false;
    t->addresses[i] = (int64_t)(uintptr_t)data;
  }
  return true;
}

// Of a BigInt64Array or an ArrayBuffer; false for any other value. Throws nothing.
static bool find_slots(napi_env env, napi_value value, void **out_slots, bool *out_detached) {
  napi_typedarray_type type = napi_bigint64_array;
  napi_value buffer = value;
  size_t size;
  if (napi_get_typedarray_info(env, value, &type, &size, out_slots, &buffer, NULL) != napi_ok &&
      napi_get_arraybuffer_info(env, value, out_slots, &size) != napi_ok)
    return false;
  *out_detached = false;
  return type == napi_bigint64_array &&
         (size > 0 || napi_is_detached_arraybuffer(env, buffer, out_detached) == napi_ok);
}

static bool read_slots(napi_env env, napi_value value, const char *what, void **out_slots) {
  bool detached;
  if (!find_slots(env, value, out_slots, &detached)) {
    gjn_fail(env, GJ_E_ARGUMENT, "%s: expected a BigInt64Array or an ArrayBuffer as slots", what);
    return false;
  }
  if (detached)
    gjn_fail(env, GJ_E_STATE, "%s: the slots are detached", what);
  return !detached;
}

static bool make_room(napi_env env, table *t, const char *what) {
  t->values = t->few_values;
  t->addresses = t->few_addresses;
  if (t->count <= FEW)
    return true;
  t->values = malloc(t->count * sizeof *t->values);
  t->addresses = malloc(t->count * sizeof *t->addresses);
  if (!t->values || !t->addresses)
    gjn_fail(env, GJ_E_MEMORY, "%s: no memory for %u arrays", what, t->count);
  return t->values && t->addresses;
}

static void free_values(table *t) {
  if (t->values != t->few_values)
    free(t->values);
  t->values = NULL;
}

static void table_fini(table *t) {
  free_values(t);
  if (t->addresses != t->few_addresses)
    free(t->addresses);
  t->addresses = NULL;
}

static bool count_arrays(napi_env env, napi_value list, const char *what, uint32_t *out_count) {
  if (napi_get_array_length(env, list, out_count) != napi_ok) {
    gjn_fail(env, GJ_E_ARGUMENT, "%s: expected an array of typed arrays", what);
    return false;
  }
  if (*out_count > MOST_ARRAYS) {
    gjn_fail(env, GJ_E_ARGUMENT, "%s: %u arrays, expected at most %d", what, *out_count,
             MOST_ARRAYS);
    return false;
  }
  return true;
}

// From (code, threads, slots, arrays). Whatever the result, the caller calls table_fini().
static bool table_init(napi_env env, const napi_value *argv, const char *what, table *t) {
  t->values = NULL;
  t->addresses = NULL;
  t->code = gjn_get_function(env, argv[0]);
  if (!t->code || !gjn_get_u32(env, argv[1], "threads", &t->threads) ||
      !count_arrays(env, argv[3], what, &t->count) || !make_room(env, t, what))
    return false;
  for (uint32_t i = 0; i < t->count; i++)
    GJN_TRY(env, napi_get_element(env, argv[3], i, &t->values[i]));
  // A getter among the elements may have disposed of the code.
  return gjn_get_function(env, argv[0]) && read_slots(env, argv[2], what, &t->slots) &&
         read_addresses(env, t, what);
}

static int32_t run(const table *t, const volatile int32_t *cancel) {
  void *buffers[] = {t->slots, t->addresses};
  gj_run_heap heap;
  gj_heap_init(&heap);
  int32_t status = gj_function_run(t->code->function, t->threads, buffers, NULL, cancel, &heap);
  gj_heap_fini(&heap);
  return status;
}

napi_value gjn_table_run(napi_env env, napi_callback_info info) {
  napi_value argv[4], result = NULL;
  table t;
  if (!gjn_get_args(env, info, 4, argv))
    return NULL;
  if (table_init(env, argv, "run", &t))
    result = gjn_new_number(env, run(&t, NULL));
  table_fini(&t);
  return result;
}

// --- on another thread ---

typedef struct table_work {
  gjn_work work; // first
  table table;
  napi_ref kept; // a JavaScript array: the slots, then the arrays
  int32_t status;
} table_work;

static void free_work(gjn_work *work) { free(work); }

static void execute(gjn_work *work) {
  table_work *own = (table_work *)work;
  own->status = run(&own->table, &work->cancel);
  if (own->status != 0 && work->cancel)
    gj_fail(&work->err, GJ_E_CANCELLED, "runAsync: cancelled");
}

// Whether every array, and the slots, still have the memory that the run used.
static bool are_in_place(napi_env env, const table_work *own) {
  napi_value list, value;
  void *data;
  size_t length;
  if (napi_get_reference_value(env, own->kept, &list) != napi_ok)
    return false;
  for (uint32_t i = 0; i < own->table.count; i++) {
    napi_handle_scope scope;
    if (own->table.addresses[i] == 0)
      continue;
    if (napi_open_handle_scope(env, &scope) != napi_ok)
      return false;
    bool same = napi_get_element(env, list, 1 + i, &value) == napi_ok &&
                napi_get_typedarray_info(env, value, NULL, &length, &data, NULL, NULL) == napi_ok &&
                (int64_t)(uintptr_t)data == own->table.addresses[i];
    napi_close_handle_scope(env, scope);
    if (!same)
      return false;
  }
  bool detached;
  return napi_get_element(env, list, 0, &value) == napi_ok &&
         find_slots(env, value, &data, &detached) && data == own->table.slots;
}

static napi_value finish(napi_env env, gjn_work *work) {
  table_work *own = (table_work *)work;
  if (work->err.code == GJ_OK && !are_in_place(env, own))
    gj_fail(&work->err, GJ_E_STATE, "runAsync: an array was detached during the run");
  return work->err.code == GJ_OK ? gjn_new_number(env, own->status) : NULL;
}

static void let_go(napi_env env, gjn_work *work) {
  table_work *own = (table_work *)work;
  gjn_function *code = own->table.code;
  if (own->kept)
    napi_delete_reference(env, own->kept);
  table_fini(&own->table);
  if (!code)
    return;
  code->pending--;
  gjn_function_settle(env, code);
  gjn_function_release(env, code);
}

static const gjn_work_type work_type = {.name = "graphjit.table",
                                        .what = "runAsync",
                                        .execute = execute,
                                        .finish = finish,
                                        .let_go = let_go,
                                        .free = free_work};

// A list of our own: the caller may change theirs.
static bool keep(napi_env env, table_work *own, napi_value slots) {
  napi_value list;
  GJN_TRY(env, napi_create_array_with_length(env, (size_t)own->table.count + 1, &list));
  bool ok = gjn_set_index(env, list, 0, slots);
  for (uint32_t i = 0; ok && i < own->table.count; i++)
    ok = gjn_set_index(env, list, 1 + (size_t)i, own->table.values[i]);
  if (ok)
    GJN_TRY(env, napi_create_reference(env, list, 1, &own->kept));
  return ok;
}

napi_value gjn_table_start(napi_env env, napi_callback_info info) {
  napi_value argv[4];
  if (!gjn_get_args(env, info, 4, argv))
    return NULL;
  table_work *own = calloc(1, sizeof *own);
  if (!own)
    return gjn_fail(env, GJ_E_MEMORY, "runAsync: no memory for a run");
  gjn_work_init(env, &own->work, &work_type);
  bool ok = table_init(env, argv, "runAsync", &own->table);
  if (own->table.code) {
    own->table.code->references++;
    own->table.code->pending++;
  }
  ok = ok && keep(env, own, argv[2]);
  free_values(&own->table);
  if (ok)
    return gjn_work_start(env, &own->work, false);
  gjn_work_abandon(env, &own->work);
  return NULL;
}
