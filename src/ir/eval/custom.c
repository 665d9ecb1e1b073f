// The reference meaning of custom_call: the function that is registered, called by one thread.
#include "ops/custom.h"
#include "ir/eval/eval.h"

#include <stdlib.h>

static size_t put_sizes(const gj__tensor *tensor, int64_t *out) {
  for (size_t axis = 0; axis < tensor->rank; axis++)
    out[axis] = tensor->shape[axis];
  return tensor->rank;
}

// By the function alone, whatever the run: one thread, and nobody to stop it.
static gj_status call_alone(const gj_custom *custom, const char *name, void *const *buffers,
                            const int64_t *sizes, gj_error *err) {
  gj_refusal refusal = {.taken = false};
  gj_exec exec = {.refusal = &refusal};
  int32_t result = custom->call(custom, buffers, sizes, &exec);
  if (result == 0)
    return GJ_OK;
  if (refusal.error.code != GJ_OK)
    return gj_fail(err, refusal.error.code, "eval: %s", refusal.error.message);
  return gj_fail(err, GJ_E_CALL, "custom_call: \"%s\" returned %d", name, (int)result);
}

static gj_status call(const gj__step *step, gj_error *err) {
  const char *name = step->node->name;
  size_t count = step->node->arg_count, sizes = 0;
  const gj_custom *custom = gj_custom_find(name);
  if (!custom)
    return gj_fail(err, GJ_E_STATE, "custom_call: no function is registered as \"%s\"", name);
  if (custom->check)
    GJ_TRY(custom->check(custom, step->graph, step->node, err));
  void **buffers = calloc(count + 1, sizeof *buffers);
  int64_t *shapes = calloc((count + 1) * GJ_MAX_RANK, sizeof *shapes);
  gj_status status = GJ_OK;
  if (!buffers || !shapes) {
    status = gj_fail(err, GJ_E_MEMORY, "custom_call: out of memory for %zu operands", count);
  } else {
    for (size_t i = 0; i < count; i++) {
      buffers[i] = step->args[i]->data;
      sizes += put_sizes(step->args[i], shapes + sizes);
    }
    buffers[count] = step->out->data;
    put_sizes(step->out, shapes + sizes);
    status = call_alone(custom, name, buffers, shapes, err);
  }
  free(buffers);
  free(shapes);
  return status;
}

void gj__eval_custom_call(const gj__step *step) { *step->status = call(step, step->caller->err); }
