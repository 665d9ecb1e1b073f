// Kernels that call a library function for each item of a batch: factors of matrices, transforms of
// signals.
//
// The batch is divided into a few shares, each with working memory of its own, which threads take;
// results that nobody wants go to working memory too. What a function computes does not depend on
// who calls it, so neither do results on the number of threads. Left out: threads that share one
// item.
#include "lower/context.h"

#include <stdio.h>

static gj_library_form form_of(const gj__lower *l, const gj_kernel *kernel) {
  return gj_library_form_of(l->graph, gj_graph_node(l->graph, kernel->owner));
}

// The function that the kernel calls.
void gj__prepare_library(gj__lower *l, const gj_kernel *kernel) {
  gj_library_form form = form_of(l, kernel);
  gj_dtype dtype = gj_graph_node(l->graph, kernel->owner)->type.dtype;
  char name[24], function[40];
  snprintf(name, sizeof name, "c%u", (unsigned)l->kernel);
  snprintf(function, sizeof function, "%s_%s", form.function, gj_dtype_name(dtype));
  gj_lfunc *f = gj_lfunc_new(l->m, name, gj_ltype_scalar(GJ_DTYPE_none), false);
  unsigned params = form.passed_count + form.result_count + form.size_count + (form.at_once > 1) +
                    form.takes_options + 1u;
  for (unsigned i = 0; i < params; i++)
    gj_lfunc_param(l->m, f, "p", gj_ltype_scalar(GJ_DTYPE_i64), 0);
  f->library = gj_arena_strdup(&l->m->arena, function);
  l->out_of_memory = l->out_of_memory || !f->library;
  l->external = f;
}

// One element per share.
static gj_type *shares_of(gj__lower *l, const gj_kernel *kernel) {
  gj_library_form form = form_of(l, kernel);
  gj_type *shares = gj_arena_alloc(&l->scratch, sizeof *shares);
  if (!shares) {
    l->out_of_memory = true;
    return NULL;
  }
  *shares = (gj_type){.dtype = GJ_DTYPE_u8,
                      .rank = 1,
                      .shape = {gj__library_shares(gj_graph_dims(l->graph), &form)}};
  return shares;
}

void gj__divide_library(gj__lower *l, const gj_kernel *kernel) {
  uint8_t axes[GJ_MAX_RANK];
  const gj_type *shares = shares_of(l, kernel);
  unsigned count = shares ? gj__loop_axes(shares, axes) : 0;
  if (count > 0)
    gj__add_units(l, (gj__units){.type = shares, .outer = (uint8_t)count, .even = true});
}

// The size of the last axes.
static const gj_lexpr *item_size(gj__lower *l, const gj_type *type, uint8_t count) {
  uint8_t axes[GJ_MAX_RANK];
  for (uint8_t i = 0; i < count; i++)
    axes[i] = (uint8_t)(type->rank - count + i);
  return gj__size(l, type, axes, count);
}

static const gj_lexpr *address(gj__lower *l, const gj_lexpr *base, const gj_lexpr *number,
                               const gj_lexpr *size) {
  return gj_lx_address(l->m, gj_lx_offset(l->m, base, gj__mul(l, number, size)));
}

// Where result `index` of the item goes: to a buffer, or to the share's memory.
static const gj_lexpr *result_address(gj__lower *l, const gj_kernel *kernel,
                                      const gj_library_form *form, uint32_t index,
                                      const gj_lexpr *item, const gj_lexpr *share) {
  const gj_lexpr *size = item_size(l, &form->results[index], form->result_axes[index]);
  uint32_t temp = 1;
  for (uint32_t i = 0; i < kernel->store_count; i++)
    if (index == gj__result_stored(l->graph, &kernel->stores[i]))
      return address(l, l->buffers[kernel->stores[i].buffer], item, size);
  for (uint32_t i = 0; i < index; i++)
    temp += !gj__stores_result(l->graph, kernel, i);
  return address(l, gj__temp(l, temp), share, size);
}

// A call for the item, or for `count` of them from there on where it takes several.
static void call_function(gj__lower *l, const gj_kernel *kernel, const gj_library_form *form,
                          const gj_lexpr *item, const gj_lexpr *count, const gj_lexpr *share) {
  const gj_node *node = gj_graph_node(l->graph, kernel->owner);
  const gj_lexpr *args[GJ_LIBRARY_ARGS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < form->passed_count; i++) {
    uint8_t which = form->passed[i];
    const gj_type *type = &gj_graph_node(l->graph, node->args[which])->type;
    args[n++] = address(l, l->buffers[l->plan->home[node->args[which]]], item,
                        item_size(l, type, form->operand_axes[which]));
  }
  for (uint32_t i = 0; i < form->result_count; i++)
    args[n++] = result_address(l, kernel, form, i, item, share);
  for (uint32_t i = 0; i < form->size_count; i++)
    args[n++] = gj__dim(l, form->sizes[i]);
  if (form->at_once > 1)
    args[n++] = count;
  if (form->takes_options)
    args[n++] = gj__i64(l, form->options);
  args[n++] = address(l, gj__temp(l, 0), share, gj__dim(l, form->work));
  gj_ls_do(l->m, l->f, l->block, gj_lx_call(l->m, l->external, args, n));
}

void gj__lower_library(gj__lower *l, const gj_kernel *kernel) {
  gj_library_form form = form_of(l, kernel);
  const gj__index *index;
  const gj_lexpr *share;
  const gj_type *shares = shares_of(l, kernel);
  if (!shares)
    return;
  gj__enter(l, &l->f->body);
  gj_lblock *into = gj__rows_loop(l, "share", shares, &index, &share);
  const gj_lexpr *items = item_size(l, &form.batch, form.batch.rank);
  const gj_lexpr *all = gj__max(l, gj__dim(l, shares->shape[0]), gj__i64(l, 1));
  const gj_lexpr *next = gj__add(l, share, gj__i64(l, 1));
  const gj_lexpr *begin = gj__keep(l, "begin", gj__divide(l, gj__mul(l, share, items), all));
  const gj_lexpr *end = gj__keep(l, "end", gj__divide(l, gj__mul(l, next, items), all));
  if (form.at_once == INT64_MAX) {
    call_function(l, kernel, &form, begin, gj__sub(l, end, begin), share);
    return;
  }
  // A share has room for one item of a result that nobody wants.
  int64_t at_once = kernel->store_count == form.result_count ? form.at_once : 1;
  gj_lstmt *each = gj_ls_for(l->m, l->f, into, "item", begin, end, at_once, 0, 1);
  gj__poll(l, &each->body);
  gj__enter(l, &each->body);
  const gj_lexpr *item = gj__local(l, each->local);
  const gj_lexpr *some = gj__min(l, gj__sub(l, end, item), gj__i64(l, at_once));
  call_function(l, kernel, &form, item, some, share);
}
