// Reference evaluator: ops that are library functions, one item after another. What they compute is
// for the library to say; its functions are compared with sums and products by their own tests.
#include "ir/eval/eval.h"
#include "ir/library_op.h"
#include "library/table.h"

#include "ir/dims/dims.h"

#include <stdio.h>
#include <stdlib.h>

static int64_t count_of(const int64_t *shape, size_t first, size_t end) {
  int64_t count = 1;
  for (size_t i = first; i < end; i++)
    count *= shape[i];
  return count;
}

static int64_t address_of(const gj__tensor *tensor, size_t axes, int64_t item) {
  int64_t size = count_of(tensor->shape, tensor->rank - axes, tensor->rank);
  return (int64_t)(uintptr_t)(tensor->data + (size_t)(item * size) * tensor->width);
}

static gj_status call(const gj__step *step, const gj_library_form *form, void *room) {
  char name[40];
  int64_t args[GJ_LIBRARY_ARGS], size;
  const gj__tensor *first = step->args[0];
  snprintf(name, sizeof name, "%s_%s", form->function, gj_dtype_name(step->node->type.dtype));
  const gj_library_function *f = gj_library_find(name);
  if (!f)
    return gj_fail(step->caller->err, GJ_E_INTERNAL, "eval: the library has no %s", name);
  int64_t items = count_of(first->shape, 0, first->rank - form->operand_axes[0]);
  for (int64_t item = 0, some; item < items; item += some) {
    some = items - item < form->at_once ? items - item : form->at_once;
    size_t count = 0;
    for (size_t i = 0; i < form->passed_count; i++)
      args[count++] =
          address_of(step->args[form->passed[i]], form->operand_axes[form->passed[i]], item);
    for (size_t i = 0; i < form->result_count; i++)
      args[count++] = address_of(&step->out[i], form->result_axes[i], item);
    for (size_t i = 0; i < form->size_count; i++) {
      gj_dim_eval(gj_graph_dims(step->graph), form->sizes[i], step->symbol_values, &size);
      args[count++] = size;
    }
    if (form->at_once > 1)
      args[count++] = some;
    if (form->takes_options)
      args[count++] = form->options;
    args[count++] = (int64_t)(uintptr_t)room;
    f->call(args);
  }
  return GJ_OK;
}

void gj__eval_library(const gj__step *step) {
  gj_library_form form = gj_library_form_of(step->graph, step->node);
  int64_t work;
  void *room = NULL;
  if (gj_dim_eval(gj_graph_dims(step->graph), form.work, step->symbol_values, &work))
    room = calloc((size_t)work + 1, gj_dtype_bytes(step->node->type.dtype));
  if (!room)
    *step->status =
        gj_fail(step->caller->err, GJ_E_MEMORY, "eval: out of memory for %s", form.function);
  else
    *step->status = call(step, &form, room);
  free(room);
}
