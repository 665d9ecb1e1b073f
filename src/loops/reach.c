// What functions reach through calls: whether they ask for the run, and how much stack.
//
// Recursion makes the calls a graph with cycles, so what is asked for spreads until nothing
// changes.
#include "loops/loops.h"

#include "base/size.h"
#include "loops/rules.h"

static bool asks_here(const gj_lexpr *e) {
  switch (e->kind) {
  case GJ_LX_SCRATCH:
  case GJ_LX_CANCELLED:
  case GJ_LX_SLOT:
  case GJ_LX_PARALLEL:
  case GJ_LX_TOO_DEEP:
  case GJ_LX_ALLOC:
  case GJ_LX_MARK:
    return true;
  default:
    return false;
  }
}

static bool expr_needs(const gj_lexpr *e, const bool *needs) {
  if (!e)
    return false;
  if (asks_here(e) || (e->kind == GJ_LX_CALL && needs[e->index]))
    return true;
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (expr_needs(e->args[i], needs))
      return true;
  return false;
}

static bool block_needs(const gj_lblock *b, const bool *needs) {
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    if (s->kind == GJ_LS_RELEASE || expr_needs(s->a, needs) || expr_needs(s->b, needs) ||
        expr_needs(s->c, needs) || expr_needs(s->d, needs) || block_needs(&s->body, needs) ||
        block_needs(&s->orelse, needs))
      return true;
  }
  return false;
}

void gj_lfunc_needs_exec(const gj_lmodule *m, bool *out_needs) {
  for (uint32_t i = 0; i < m->func_count; i++)
    out_needs[i] = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < m->func_count; i++)
      if (!out_needs[i] && block_needs(&m->funcs[i]->body, out_needs))
        out_needs[i] = changed = true;
  }
}

static int64_t block_stack(const gj_lfunc *f, const gj_lblock *b) {
  int64_t bytes = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    if (s->kind == GJ_LS_ARRAY)
      bytes += s->count * (int64_t)gj_dtype_bytes((gj_dtype)f->locals[s->local].type.dtype);
    bytes += block_stack(f, &s->body) + block_stack(f, &s->orelse);
  }
  return bytes;
}

int64_t gj_lmodule_stack_bytes(const gj_lmodule *m) {
  int64_t bytes = 0;
  for (uint32_t i = 0; i < m->func_count; i++)
    if (!gj_add_i64(bytes, block_stack(m->funcs[i], &m->funcs[i]->body), &bytes))
      return INT64_MAX;
  return bytes;
}
