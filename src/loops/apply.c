// Functions of numbers that graphs apply: checking them, running them, what they cost.
//
// What is let through is decided by lists of the expressions and statements that there may be, so
// that what Loop IR learns later is refused here until somebody has thought of it. Without memory
// every operator has a result for all operands, and without recursion stacks stay short: the worst
// that a text can do is not to end. An `assume` would be a promise of the text's author, which the
// optimiser builds on, so it is read over.
#include "loops/apply.h"

#include "loops/rules.h"

#include <stdlib.h>
#include <string.h>

enum {
  MOST_FUNCTIONS = 256, // of a text, looked at once for each level of calls
  LOOP_ROUNDS = 50      // what a loop is taken to cost, in its operations
};

// --- checking ---

static gj_status refuse(const gj_lfunc *f, const char *what, gj_error *err) {
  return gj_fail(err, GJ_E_UNSUPPORTED, "apply: %s %s, but only numbers can be applied to elements",
                 f->name, what);
}

static gj_status check_number(const gj_lfunc *f, gj_ltype type, gj_error *err) {
  if (type.pointer)
    return refuse(f, "has pointers", err);
  if (type.lanes != 1)
    return refuse(f, "has vectors", err);
  return gj_dtype_is_half((gj_dtype)type.dtype) ? refuse(f, "computes on halves", err) : GJ_OK;
}

static gj_status check_expr(const gj_lfunc *f, const gj_lexpr *e, gj_error *err) {
  if (!e)
    return GJ_OK;
  switch (e->kind) {
  case GJ_LX_CONST:
  case GJ_LX_LOCAL:
  case GJ_LX_OP:
  case GJ_LX_CALL:
  case GJ_LX_WRAP:
  case GJ_LX_OVERFLOWS:
    break;
  case GJ_LX_CANCELLED:
  case GJ_LX_SLOT:
  case GJ_LX_PARALLEL:
  case GJ_LX_TOO_DEEP:
    return refuse(f, "asks something of the run", err);
  default:
    return refuse(f, "touches memory or vectors", err);
  }
  for (uint32_t i = 0; i < e->arg_count; i++)
    GJ_TRY(check_expr(f, e->args[i], err));
  return GJ_OK;
}

static gj_status check_block(const gj_lfunc *f, const gj_lblock *b, gj_error *err) {
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    switch (s->kind) {
    case GJ_LS_LET:
    case GJ_LS_SET:
    case GJ_LS_FOR:
    case GJ_LS_WHILE:
    case GJ_LS_IF:
    case GJ_LS_BREAK:
    case GJ_LS_CONTINUE:
    case GJ_LS_RETURN:
    case GJ_LS_ASSUME:
      break;
    default:
      return refuse(f, "touches memory", err);
    }
    GJ_TRY(check_expr(f, s->a, err));
    GJ_TRY(check_expr(f, s->b, err));
    GJ_TRY(check_block(f, &s->body, err));
    GJ_TRY(check_block(f, &s->orelse, err));
  }
  return GJ_OK;
}

static gj_status check_function(const gj_lfunc *f, gj_error *err) {
  if (f->entry || gj_lfunc_is_foreign(f))
    return refuse(f, "is an entry, or a function of C", err);
  for (uint32_t i = 0; i < f->local_count; i++)
    GJ_TRY(check_number(f, f->locals[i].type, err));
  if (f->returns.dtype == GJ_DTYPE_none)
    return refuse(f, "returns nothing", err);
  GJ_TRY(check_number(f, f->returns, err));
  return check_block(f, &f->body, err);
}

static bool calls_settled(const gj_lexpr *e, const bool *settled) {
  if (!e)
    return true;
  if (e->kind == GJ_LX_CALL && !settled[e->index])
    return false;
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (!calls_settled(e->args[i], settled))
      return false;
  return true;
}

static bool block_settled(const gj_lblock *b, const bool *settled) {
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    if (!calls_settled(s->a, settled) || !calls_settled(s->b, settled) ||
        !block_settled(&s->body, settled) || !block_settled(&s->orelse, settled))
      return false;
  }
  return true;
}

// Functions call others only that end: those which call none, then those which call these.
static gj_status check_recursion(const gj_lmodule *m, gj_error *err) {
  bool *settled = calloc((size_t)m->func_count + 1, sizeof *settled);
  if (!settled)
    return gj_fail(err, GJ_E_MEMORY, "apply: out of memory at %u functions", m->func_count);
  uint32_t left = m->func_count;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < m->func_count; i++)
      if (!settled[i] && block_settled(&m->funcs[i]->body, settled)) {
        settled[i] = changed = true;
        left--;
      }
  }
  gj_status status = GJ_OK;
  for (uint32_t i = 0; left > 0 && i < m->func_count && status == GJ_OK; i++)
    if (!settled[i])
      status = refuse(m->funcs[i], "calls itself", err);
  free(settled);
  return status;
}

static gj_status find_exported(gj_applied *applied, gj_error *err) {
  const gj_lmodule *m = applied->m;
  if (m->func_count > MOST_FUNCTIONS)
    return gj_fail(err, GJ_E_UNSUPPORTED, "apply: module %s has %u functions, there may be %d",
                   m->name, m->func_count, MOST_FUNCTIONS);
  for (uint32_t i = 0; i < m->func_count; i++) {
    GJ_TRY(check_function(m->funcs[i], err));
    if (!m->funcs[i]->exported)
      continue;
    if (applied->f)
      return gj_fail(err, GJ_E_VERIFY, "apply: module %s exports %s and %s, one was expected",
                     m->name, applied->f->name, m->funcs[i]->name);
    applied->f = m->funcs[i];
  }
  if (!applied->f)
    return gj_fail(err, GJ_E_VERIFY, "apply: module %s exports no function", m->name);
  return check_recursion(m, err);
}

gj_status gj_applied_new(const char *text, gj_applied **out_applied, gj_error *err) {
  gj_error why;
  size_t length = text ? strlen(text) : 0;
  *out_applied = NULL;
  if (!text || length > GJ_MAX_APPLY_TEXT)
    return gj_fail(err, GJ_E_ARGUMENT, "apply: expected the text of a function, at most %zu bytes",
                   GJ_MAX_APPLY_TEXT);
  gj_applied *applied = calloc(1, sizeof *applied);
  if (!applied)
    return gj_fail(err, GJ_E_MEMORY, "apply: out of memory");
  gj_status status = gj_lmodule_parse(text, length, &applied->m, &why);
  if (status != GJ_OK)
    status = gj_fail(err, status, "apply: the function: %s", why.message);
  else
    status = find_exported(applied, err);
  if (status != GJ_OK) {
    gj_applied_free(applied);
    return status;
  }
  *out_applied = applied;
  return GJ_OK;
}

void gj_applied_free(gj_applied *applied) {
  if (!applied)
    return;
  gj_lmodule_free(applied->m);
  free(applied);
}

static gj_status check_operands(const gj_lfunc *f, const gj_dtype *args, size_t count,
                                gj_dtype result, gj_error *err) {
  if (count == 0 || count > GJ_MAX_APPLIED)
    return gj_fail(err, GJ_E_ARGUMENT, "apply: %zu operands, expected 1 to %d", count,
                   GJ_MAX_APPLIED);
  if (count != f->param_count)
    return gj_fail(err, GJ_E_ARGUMENT, "apply: %s takes %u numbers, got %zu operands", f->name,
                   f->param_count, count);
  for (size_t i = 0; i < count; i++)
    if (f->locals[i].type.dtype != args[i])
      return gj_fail(err, GJ_E_DTYPE, "apply: %s takes %s for operand %zu, got %s", f->name,
                     gj_dtype_name((gj_dtype)f->locals[i].type.dtype), i + 1,
                     gj_dtype_name(args[i]));
  if (f->returns.dtype != result)
    return gj_fail(err, GJ_E_DTYPE, "apply: %s gives %s, but the attribute dtype is %s", f->name,
                   gj_dtype_name((gj_dtype)f->returns.dtype), gj_dtype_name(result));
  return GJ_OK;
}

gj_status gj_apply_check(const char *text, const gj_dtype *args, size_t count, gj_dtype result,
                         gj_error *err) {
  gj_applied *applied;
  GJ_TRY(gj_applied_new(text, &applied, err));
  gj_status status = check_operands(applied->f, args, count, result, err);
  gj_applied_free(applied);
  return status;
}

// --- running ---

gj_status gj_applied_eval(const gj_applied *applied, const gj_scalar *args, size_t count,
                          gj_scalar *out, gj_error *err) {
  int32_t unused;
  gj_leval eval = {.function = applied->f->name,
                   .scalars = args,
                   .scalar_count = count,
                   .result = out,
                   .js_math = true};
  return gj_lmodule_eval(applied->m, &eval, &unused, err);
}

// --- cost ---

static double expr_flops(const gj_lexpr *e) { return e ? (double)e->size : 0; }

static double block_flops(const gj_lblock *b) {
  double flops = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    bool loop = s->kind == GJ_LS_FOR || s->kind == GJ_LS_WHILE;
    double inside = expr_flops(s->a) + block_flops(&s->body) + block_flops(&s->orelse);
    flops += loop ? LOOP_ROUNDS * inside : inside;
  }
  return flops;
}

double gj_apply_flops(const char *text) {
  gj_applied *applied;
  gj_error unseen;
  double flops = 1;
  if (gj_applied_new(text, &applied, &unseen) != GJ_OK)
    return flops;
  for (uint32_t i = 0; i < applied->m->func_count; i++)
    flops += block_flops(&applied->m->funcs[i]->body);
  gj_applied_free(applied);
  return flops;
}
