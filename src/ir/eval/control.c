// The reference of control: functions are evaluated as graphs of their own, round by round, and
// what they give is copied to where the next round finds it.
#include "ir/eval/eval.h"

#include <stdlib.h>
#include <string.h>

static size_t size_of(const gj__tensor *tensor) { return (size_t)tensor->count * tensor->width; }

static const gj_graph *function_of(const gj__step *step, int64_t i) {
  return gj_graph_function(step->graph, (size_t)gj__step_list(step, GJ_ATTR_functions)->values[i]);
}

static gj_status eval_choice(const gj__caller *caller, const gj__step *step, const void **inputs,
                             void **outputs) {
  int64_t chosen = 0, last = gj__step_list(step, GJ_ATTR_functions)->count - 1;
  size_t first = step->node->op == GJ_OP_cond || step->node->op == GJ_OP_switch;
  if (first > 0) {
    gj_scalar value = gj_scalar_load(step->args[0]->dtype, step->args[0]->data);
    chosen = value.v.i;
  }
  if (step->node->op == GJ_OP_cond)
    chosen = chosen ? 0 : 1;
  chosen = chosen < 0 ? 0 : chosen > last ? last : chosen;
  return gj__eval_graph(caller, function_of(step, chosen), inputs + first, outputs);
}

// --- loops ---

// What the body writes, beside what it reads: carried values change places after each round.
typedef struct loop {
  const gj__caller *caller;
  const gj__step *step;
  size_t carried, results;
  const void **inputs; // of the functions: carried values come first
  void **fresh;        // by result: memory that the body writes
} loop;

static void take_fresh(loop *l, const void **inputs) {
  for (size_t i = 0; i < l->carried; i++) {
    memcpy(l->step->out[i].data, l->fresh[i], size_of(&l->step->out[i]));
    inputs[i] = l->step->out[i].data;
  }
}

static gj_status eval_while(loop *l) {
  const gj_graph *condition = function_of(l->step, 0), *body = function_of(l->step, 1);
  for (;;) {
    unsigned char go = 0;
    void *truth = &go;
    GJ_TRY(gj__eval_graph(l->caller, condition, l->inputs, &truth));
    if (!go)
      return GJ_OK;
    GJ_TRY(gj__eval_graph(l->caller, body, l->inputs, l->fresh));
    take_fresh(l, l->inputs);
  }
}

// Inputs of the body: the round, then the operands, of the stacked ones the part of the round.
static gj_status eval_for(loop *l, int64_t count) {
  const gj_node *node = l->step->node;
  const gj_graph *body = function_of(l->step, 0);
  size_t end = l->carried + (size_t)gj_node_int(node, GJ_ATTR_stacked);
  bool descending = gj_node_int(node, GJ_ATTR_descending);
  for (int64_t i = 0; i < count; i++) {
    int64_t round = descending ? count - 1 - i : i;
    l->inputs[0] = &round;
    for (size_t k = l->carried; k < end; k++) {
      const gj__tensor *whole = l->step->args[k];
      l->inputs[k + 1] = whole->data + size_of(whole) / (size_t)count * (size_t)round;
    }
    GJ_TRY(gj__eval_graph(l->caller, body, l->inputs, l->fresh));
    take_fresh(l, l->inputs + 1);
    for (size_t k = l->carried; k < l->results; k++) {
      const gj__tensor *whole = &l->step->out[k];
      size_t part = size_of(whole) / (size_t)count;
      if (part > 0)
        memcpy(whole->data + part * (size_t)round, l->fresh[k], part);
    }
  }
  return GJ_OK;
}

static gj_status eval_loop(loop *l) {
  const gj_node *node = l->step->node;
  int64_t count = 0;
  if (node->op == GJ_OP_for &&
      !gj_dim_eval(gj_graph_dims(l->step->graph), gj_node_int(node, GJ_ATTR_count),
                   l->step->symbol_values, &count))
    return gj_fail(l->caller->err, GJ_E_OVERFLOW, "eval: the count of a loop is out of range");
  for (size_t i = 0; i < l->carried; i++)
    memcpy(l->step->out[i].data, l->step->args[i]->data, size_of(&l->step->out[i]));
  for (size_t i = 0; i < l->results; i++) {
    size_t bytes = size_of(&l->step->out[i]);
    l->fresh[i] = calloc(bytes > 0 ? bytes : 1, 1);
    if (!l->fresh[i])
      return gj_fail(l->caller->err, GJ_E_MEMORY, "eval: out of memory for %zu bytes", bytes);
  }
  return node->op == GJ_OP_while ? eval_while(l) : eval_for(l, count);
}

void gj__eval_control(const gj__step *step) {
  const gj__caller *caller = step->caller;
  size_t args = step->node->arg_count, results = gj_node_result_count(step->node);
  const void **inputs = calloc(args + 1, sizeof *inputs);
  void **outputs = calloc(results, sizeof *outputs);
  gj_status status;
  if (!inputs || !outputs) {
    status = gj_fail(caller->err, GJ_E_MEMORY, "eval: out of memory for %zu operands", args);
  } else if (step->node->attrs->set & GJ_HAS_CARRIED) {
    loop l = {caller,  step,   (size_t)gj_node_int(step->node, GJ_ATTR_carried),
              results, inputs, outputs};
    for (size_t i = 0; i < args; i++)
      inputs[i + (step->node->op == GJ_OP_for)] = step->args[i]->data;
    status = eval_loop(&l);
    for (size_t i = 0; i < results; i++)
      free(outputs[i]);
  } else {
    for (size_t i = 0; i < args; i++)
      inputs[i] = step->args[i]->data;
    for (size_t i = 0; i < results; i++)
      outputs[i] = step->out[i].data;
    status = eval_choice(caller, step, inputs, outputs);
  }
  free(inputs);
  free(outputs);
  *step->status = status;
}
