// Reference evaluator: node by node in order, every value a full tensor, every element through
// gj_scalar.
//
// It is what compiled code is compared with, so it is written to be obviously right: no fusion, no
// views, no reuse of memory, and nothing shared with lowering but the scalar functions, which
// generated code never calls. Elements that only move are copied as bytes. Nodes that no output
// needs are passed over, as gj_graph_bind() has not checked their sizes.

#include "ir/eval/eval.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

// --- indexing ---

gj_dtype gj__running_dtype(gj_dtype dtype) {
  return gj_dtype_is_float(dtype) && gj_dtype_bytes(dtype) == 2 ? GJ_DTYPE_f32 : dtype;
}

gj_scalar gj__in_dtype(gj_scalar value, gj_dtype dtype) {
  return value.dtype == dtype ? value : gj_scalar_eval(GJ_OP_convert, &value, dtype);
}

void gj__unravel(const gj__tensor *tensor, int64_t linear, int64_t *out_index) {
  for (size_t axis = tensor->rank; axis-- > 0;) {
    out_index[axis] = linear % tensor->shape[axis];
    linear /= tensor->shape[axis];
  }
}

unsigned char *gj__element(const gj__tensor *tensor, const int64_t *index) {
  int64_t linear = 0;
  for (size_t axis = 0; axis < tensor->rank; axis++)
    linear = linear * tensor->shape[axis] + (tensor->shape[axis] == 1 ? 0 : index[axis]);
  return tensor->data + (size_t)linear * tensor->width;
}

// --- leaves and elementwise ops ---

void gj__eval_const(const gj__step *step) {
  size_t width = step->out->width;
  bool splat = step->node->data_size == width;
  const unsigned char *data = step->node->data;
  for (int64_t i = 0; i < step->out->count; i++)
    memcpy(step->out->data + (size_t)i * width, splat ? data : data + (size_t)i * width, width);
}

void gj__eval_iota(const gj__step *step) {
  int64_t axis = gj_node_int(step->node, GJ_ATTR_axis), index[GJ_MAX_RANK];
  for (int64_t i = 0; i < step->out->count; i++) {
    gj__unravel(step->out, i, index);
    gj_scalar position = {.dtype = GJ_DTYPE_i64, .v.i = index[axis]};
    gj_scalar_store(gj_scalar_eval(GJ_OP_convert, &position, step->out->dtype),
                    step->out->data + (size_t)i * step->out->width);
  }
}

void gj__eval_elementwise(const gj__step *step) {
  enum { MAX_ARITY = 3 };
  gj_scalar args[MAX_ARITY];
  int64_t index[GJ_MAX_RANK];
  for (int64_t i = 0; i < step->out->count; i++) {
    gj__unravel(step->out, i, index);
    for (size_t k = 0; k < step->node->arg_count && k < MAX_ARITY; k++) {
      // Operands of lower rank are aligned at their last axis.
      const gj__tensor *arg = step->args[k];
      args[k] = gj_scalar_load(arg->dtype, gj__element(arg, index + step->out->rank - arg->rank));
    }
    gj_scalar value = gj_scalar_eval((gj_op)step->node->op, args, step->out->dtype);
    gj_scalar_store(value, step->out->data + (size_t)i * step->out->width);
  }
}

// The rows where the mask is true, whose number is known by now.
void gj__eval_compress(const gj__step *step) {
  const gj__tensor *mask = step->args[0];
  for (size_t v = 1; v < step->node->arg_count; v++) {
    const gj__tensor *from = step->args[v];
    size_t row = from->width;
    unsigned char *to = step->out[v - 1].data;
    for (size_t axis = 1; axis < from->rank; axis++)
      row *= (size_t)from->shape[axis];
    for (int64_t i = 0; i < mask->count; i++)
      if (mask->data[i] && row > 0) {
        memcpy(to, from->data + (size_t)i * row, row);
        to += row;
      }
  }
}

// Of what is there without a step: inputs and results.
void gj__eval_none(const gj__step *step) { (void)step; }

// --- the run ---

// All values together. A system that overcommits would grant more and kill the process when it is
// used.
#define MAX_TOTAL_BYTES ((size_t)1 << 36)

typedef struct run {
  const gj_graph *graph;
  int64_t *symbol_values;
  const void *const *inputs;
  size_t next_input;
  uint64_t *left;          // values that may still be computed
  size_t total;            // bytes of all values so far
  gj__tensor *tensors;     // of all nodes, one after the other
  size_t *first;           // by ref: the tensor of result 0
  const gj__tensor **args; // of the node at work
  uint8_t *needed;         // by ref
  gj_error *err;
} run;

// Type and shape of a result, without data.
static gj_status describe(const run *r, gj_ref ref, size_t index, gj__tensor *out) {
  gj_type type;
  GJ_TRY(gj_graph_result_type(r->graph, ref, index, &type, r->err));
  out->dtype = type.dtype;
  out->rank = type.rank;
  out->width = gj_dtype_bytes(type.dtype);
  out->count = 1;
  for (size_t axis = 0; axis < type.rank; axis++) {
    int64_t size;
    if (!gj_dim_eval(gj_graph_dims(r->graph), type.shape[axis], r->symbol_values, &size) ||
        size < 0 || size > GJ_DIM_MAX || !gj_mul_i64(out->count, size, &out->count) ||
        out->count > GJ_DIM_MAX)
      return gj_fail(r->err, GJ_E_OVERFLOW, "eval: the size of axis %zu of %%%u is out of range",
                     axis, ref);
    out->shape[axis] = size;
  }
  return GJ_OK;
}

static gj_status allocate(run *r, gj_ref ref, gj__tensor *tensor) {
  size_t bytes = (size_t)tensor->count * tensor->width; // at most 2^47 · 8
  r->total += bytes;
  if (r->total <= MAX_TOTAL_BYTES)
    tensor->data = calloc(bytes > 0 ? bytes : 1, 1);
  tensor->owned = true;
  if (!tensor->data)
    return gj_fail(r->err, GJ_E_MEMORY, "eval: out of memory for the %zu bytes of %%%u", bytes,
                   ref);
  return GJ_OK;
}

// Whether an op computes on halves otherwise than element by element, which ops/eval.c does.
static bool computes_on_halves(const gj_graph *graph, const gj_node *node) {
  const gj_op_info *info = gj_op_get((gj_op)node->op);
  bool found = false;
  for (uint32_t i = 0; i < node->arg_count; i++)
    found = found || gj_dtype_is_half(gj_graph_node(graph, node->args[i])->type.dtype);
  return found && !gj_op_maps((gj_op)node->op) && !(info->flags & GJ_OP_MOVES);
}

// Elements of one tensor as those of another dtype, into memory that is there.
static void convert_all(const gj__tensor *from, const gj__tensor *to) {
  for (int64_t i = 0; i < from->count; i++) {
    gj_scalar value = gj_scalar_load(from->dtype, from->data + (size_t)i * from->width);
    gj_scalar_store(gj_scalar_eval(GJ_OP_convert, &value, to->dtype),
                    to->data + (size_t)i * to->width);
  }
}

// Makes `all` of operands and results, f32 in the place of halves; false when out of memory.
static bool widen_all(const gj__step *step, gj__tensor *all, size_t args, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const gj__tensor *own = i < args ? step->args[i] : &step->out[i - args];
    all[i] = *own;
    all[i].owned = gj_dtype_is_half(own->dtype);
    if (!all[i].owned)
      continue;
    all[i].dtype = GJ_DTYPE_f32;
    all[i].width = gj_dtype_bytes(GJ_DTYPE_f32);
    all[i].data = calloc((size_t)own->count + 1, all[i].width);
    if (!all[i].data)
      return false;
    if (i < args)
      convert_all(own, &all[i]);
  }
  return true;
}

// The op on f32 in the place of halves, its results rounded.
static gj_status eval_in_f32(const run *r, const gj__step *step, gj__eval_fn *eval) {
  size_t args = step->node->arg_count, count = args + gj_node_result_count(step->node);
  gj__tensor *all = calloc(count, sizeof *all);
  const gj__tensor **list = calloc(args + 1, sizeof *list);
  bool ok = all && list && widen_all(step, all, args, count);
  gj__step wide = *step;
  for (size_t i = 0; ok && i < args; i++)
    list[i] = &all[i];
  if (ok) {
    wide.args = list;
    wide.out = all + args;
    eval(&wide);
  }
  for (size_t i = 0; all && i < count; i++) {
    if (ok && i >= args && all[i].owned)
      convert_all(&all[i], &step->out[i - args]);
    if (all[i].owned)
      free(all[i].data);
  }
  free(all);
  free(list);
  return ok ? *step->status : gj_fail(r->err, GJ_E_MEMORY, "eval: out of memory for halves as f32");
}

// The symbol of a compress becomes the number of rows that its mask selects.
static void compute_size(run *r, const gj_node *node) {
  const gj__tensor *mask = &r->tensors[r->first[node->args[0]]];
  int64_t count = 0;
  for (int64_t i = 0; i < mask->count; i++)
    count += mask->data[i] != 0;
  r->symbol_values[gj_dim_as_symbol(gj_graph_dims(r->graph), node->type.shape[0])] = count;
}

// Where an array has no elements its address may be NULL, with which C lets nobody compute or copy
// nothing: steps get another one.
static void take_input(run *r, gj__tensor *out) {
  static const unsigned char nothing;
  const void *data = r->inputs[r->next_input++];
  if (!data && out->count == 0)
    data = &nothing;
  memcpy(&out->data, &data, sizeof data); // never written through: only results of steps are
}

// --- how nodes are evaluated, see kinds.def ---

typedef gj_status eval_how(run *r, gj_ref ref, gj__eval_fn *step);

static gj_status eval_input(run *r, gj_ref ref, gj__eval_fn *step) {
  (void)step;
  gj__tensor *out = &r->tensors[r->first[ref]];
  GJ_TRY(describe(r, ref, 0, out));
  take_input(r, out);
  return GJ_OK;
}

static gj_status eval_result(run *r, gj_ref ref, gj__eval_fn *step) {
  (void)step;
  const gj_node *node = gj_graph_node(r->graph, ref);
  gj__tensor *out = &r->tensors[r->first[ref]];
  *out = r->tensors[r->first[node->args[0]] + (size_t)gj_node_int(node, GJ_ATTR_index)];
  out->owned = false;
  return GJ_OK;
}

static gj_status eval_plain(run *r, gj_ref ref, gj__eval_fn *eval) {
  const gj_node *node = gj_graph_node(r->graph, ref);
  gj__tensor *out = &r->tensors[r->first[ref]];
  for (size_t i = 0; i < gj_node_result_count(node); i++) {
    GJ_TRY(describe(r, ref, i, &out[i]));
    GJ_TRY(allocate(r, ref, &out[i]));
  }
  for (size_t i = 0; i < node->arg_count; i++)
    r->args[i] = &r->tensors[r->first[node->args[i]]];
  gj_status status = GJ_OK;
  gj__caller caller = {r->graph, r->symbol_values, r->total, r->left, r->err};
  gj__step step = {r->graph, node, r->symbol_values, r->args, out, &caller, &status};
  if (computes_on_halves(r->graph, node))
    return eval_in_f32(r, &step, eval);
  eval(&step);
  return status;
}

static gj_status eval_sized(run *r, gj_ref ref, gj__eval_fn *step) {
  compute_size(r, gj_graph_node(r->graph, ref));
  return eval_plain(r, ref, step);
}

static const struct kind_rule {
  eval_how *how;
  gj__eval_fn *step;
} kinds[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_EVAL(how, step) {eval_##how, gj__eval_##step},
#include "ops/kinds.def"
};

static gj_status eval_node(run *r, gj_ref ref) {
  if ((*r->left)-- == 0)
    return gj_fail(r->err, GJ_E_UNSUPPORTED, "eval: more values to compute than were allowed");
  const struct kind_rule *rule = &kinds[gj_op_kind_of((gj_op)gj_graph_node(r->graph, ref)->op)];
  return rule->how(r, ref, rule->step);
}

// Bytes of bool that only moved on their way through may be foreign; every load took them for what
// they mean, and results hold 0 and 1.
static void copy_output(const gj__tensor *tensor, unsigned char *out) {
  if (tensor->count > 0)
    memcpy(out, tensor->data, (size_t)tensor->count * tensor->width);
  for (int64_t i = 0; tensor->dtype == GJ_DTYPE_bool && i < tensor->count; i++)
    out[i] = out[i] != 0;
}

static gj_status eval_all(run *r, void *const *outputs) {
  gj_graph_mark_needed(r->graph, r->needed);
  for (gj_ref ref = 1; ref <= gj_graph_node_count(r->graph); ref++)
    if (r->needed[ref])
      GJ_TRY(eval_node(r, ref));
  for (size_t i = 0; i < gj_graph_output_count(r->graph); i++)
    copy_output(&r->tensors[r->first[gj_graph_output(r->graph, i)->ref]], outputs[i]);
  return GJ_OK;
}

gj_status gj__eval_graph(const gj__caller *caller, const gj_graph *graph, const void *const *inputs,
                         void *const *outputs) {
  size_t count = gj_graph_node_count(graph), most_args = 1, results = 0;
  run r = {.graph = graph,
           .symbol_values = caller->symbol_values,
           .inputs = inputs,
           .left = caller->left,
           .total = caller->total,
           .err = caller->err};
  r.first = calloc(count + 1, sizeof *r.first);
  for (gj_ref ref = 1; ref <= count; ref++) {
    const gj_node *node = gj_graph_node(graph, ref);
    if (r.first)
      r.first[ref] = results;
    results += gj_node_result_count(node);
    if (node->arg_count > most_args)
      most_args = node->arg_count;
  }
  r.tensors = calloc(results + 1, sizeof *r.tensors);
  r.args = calloc(most_args, sizeof *r.args);
  r.needed = malloc(count + 1);
  gj_status status = r.tensors && r.first && r.args && r.needed
                         ? eval_all(&r, outputs)
                         : gj_fail(r.err, GJ_E_MEMORY, "eval: out of memory for %zu nodes", count);
  for (size_t i = 0; r.tensors && i < results; i++)
    if (r.tensors[i].owned)
      free(r.tensors[i].data);
  free(r.tensors);
  free(r.first);
  free(r.args);
  free(r.needed);
  return status;
}

gj_status gj_graph_eval_steps(const gj_graph *graph, int64_t *symbol_values,
                              const void *const *inputs, void *const *outputs, uint64_t most,
                              gj_error *err) {
  gj__caller caller = {graph, symbol_values, 0, &most, err};
  return gj__eval_graph(&caller, graph, inputs, outputs);
}

gj_status gj_graph_eval(const gj_graph *graph, int64_t *symbol_values, const void *const *inputs,
                        void *const *outputs, gj_error *err) {
  return gj_graph_eval_steps(graph, symbol_values, inputs, outputs, UINT64_MAX, err);
}
