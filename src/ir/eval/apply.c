// The reference meaning of apply: the function, read from its text, on element after element.
#include "loops/apply.h"
#include "ir/eval/eval.h"

static gj_status apply_all(const gj__step *step, gj_error *err) {
  gj_applied *applied;
  gj_scalar args[GJ_MAX_APPLIED];
  size_t count = step->node->arg_count;
  int64_t index[GJ_MAX_RANK];
  GJ_TRY(gj_applied_new(step->node->name, &applied, err));
  gj_status status = GJ_OK;
  for (int64_t i = 0; i < step->out->count && status == GJ_OK; i++) {
    gj_scalar value = {0};
    gj__unravel(step->out, i, index);
    for (size_t k = 0; k < count; k++) {
      const gj__tensor *arg = step->args[k];
      args[k] = gj_scalar_load(arg->dtype, gj__element(arg, index + step->out->rank - arg->rank));
    }
    status = gj_applied_eval(applied, args, count, &value, err);
    if (status == GJ_OK)
      gj_scalar_store(value, step->out->data + (size_t)i * step->out->width);
  }
  gj_applied_free(applied);
  return status;
}

void gj__eval_apply(const gj__step *step) { *step->status = apply_all(step, step->caller->err); }
