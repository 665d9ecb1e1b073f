// Runs of programs on the libuv pool (work.h).
//
// A run holds its program, its sizes and references to its arrays. Where an array is found detached
// in the end, the run has failed, since its memory then belonged to somebody else.
#include "program.h"
#include "work.h"

#include <stdlib.h>

typedef struct gjn_run {
  gjn_work work; // first
  gjn_program *own;
  gjn_binding *sizes;
  napi_ref arrays;  // a JavaScript array that keeps the typed arrays alive
  int64_t *symbols; // of this run when it computes sizes, else NULL
  void *buffers[];  // per port
} gjn_run;

static void free_run(gjn_work *work) {
  gjn_run *run = (gjn_run *)work;
  free(run->symbols);
  free(run);
}

static void let_go(napi_env env, gjn_work *work) {
  gjn_run *run = (gjn_run *)work;
  if (run->arrays)
    napi_delete_reference(env, run->arrays);
  gjn_binding_release(run->sizes);
  run->own->pending--;
  gjn_program_settle(env, run->own);
  gjn_program_release(env, run->own);
}

static void execute(gjn_work *work) {
  gjn_run *run = (gjn_run *)work;
  gj_program_run_sizes(run->own->program, run->sizes->binding, run->buffers, NULL, &work->cancel,
                       run->symbols, &work->err);
}

// Whether every array still has the memory that the run used; else the error says which one has
// not.
static bool are_arrays_in_place(napi_env env, gjn_run *run) {
  const gjn_ports *ports = &run->own->ports;
  napi_value list, array;
  if (napi_get_reference_value(env, run->arrays, &list) != napi_ok)
    return false;
  for (size_t i = 0; i < ports->count; i++) {
    void *data = NULL;
    size_t length = 0, bytes = run->sizes->binding->buffer_bytes[i];
    if (napi_get_element(env, list, (uint32_t)i, &array) != napi_ok ||
        napi_get_typedarray_info(env, array, NULL, &length, &data, NULL, NULL) != napi_ok)
      return false;
    if (bytes > 0 && (data != run->buffers[i] || length == 0)) {
      gj_fail(&run->work.err, GJ_E_STATE,
              "runAsync: the array of %s '%s' was detached during the run",
              i < ports->input_count ? "input" : "output", ports->list[i].name);
      return true;
    }
  }
  return true;
}

static napi_value finish(napi_env env, gjn_work *work) {
  gjn_run *run = (gjn_run *)work;
  napi_value value;
  if (!are_arrays_in_place(env, run) || work->err.code != GJ_OK)
    return NULL;
  if (run->symbols)
    return gjn_new_run_result(env, run->own, run->symbols);
  return napi_get_undefined(env, &value) == napi_ok ? value : NULL;
}

static const gjn_work_type run_type = {.name = "graphjit.run",
                                       .what = "runAsync",
                                       .execute = execute,
                                       .finish = finish,
                                       .let_go = let_go,
                                       .free = free_run};

// --- from JavaScript ---

static gjn_run *new_run(napi_env env, gjn_program *own) {
  gjn_run *run = calloc(1, sizeof *run + own->ports.count * sizeof *run->buffers);
  if (!run) {
    gjn_fail(env, GJ_E_MEMORY, "runAsync: no memory for %zu arrays", own->ports.count);
    return NULL;
  }
  size_t symbols = own->latest->binding->symbol_count;
  if (own->computes && !(run->symbols = calloc(symbols + 1, sizeof *run->symbols))) {
    gjn_fail(env, GJ_E_MEMORY, "runAsync: no memory for %zu sizes", symbols);
    free(run);
    return NULL;
  }
  own->references++;
  own->pending++;
  run->own = own;
  run->sizes = gjn_binding_hold(own->latest);
  gjn_work_init(env, &run->work, &run_type);
  return run;
}

static bool hold_arrays(napi_env env, gjn_run *run, napi_value arrays) {
  if (!gjn_get_listed_buffers(env, arrays, &run->own->ports, run->sizes->binding->buffer_bytes,
                              "runAsync", run->buffers))
    return false;
  GJN_TRY(env, napi_create_reference(env, arrays, 1, &run->arrays));
  return true;
}

napi_value gjn_run_start(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  gjn_program *own = gjn_get_args(env, info, 2, argv) ? gjn_get_program(env, argv[0]) : NULL;
  if (!own)
    return NULL;
  if (!own->latest)
    return gjn_fail(env, GJ_E_INTERNAL, "runAsync before the sizes of the program are known");
  gjn_run *run = new_run(env, own);
  if (!run)
    return NULL;
  if (hold_arrays(env, run, argv[1]))
    return gjn_work_start(env, &run->work, false);
  gjn_work_abandon(env, &run->work);
  return NULL;
}
