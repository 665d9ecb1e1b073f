// Functions of numbers that graphs apply: checking them, running them, and their code in others.
//
// What is let through is decided by lists of the expressions and statements that there may be, so
// that what Loop IR learns later is refused here until somebody has thought of it. Without memory
// every operator has a result for all operands, and without recursion stacks stay short: the worst
// that a text can do is not to end. An `assume` would be a promise of the text's author, which the
// optimiser builds on, so it is read over.
#include "loops/apply.h"

#include "ir/apply.h"
#include "loops/rules.h"

#include "base/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_INLINE = 256, // statements that become part of the caller
  LOOP_ROUNDS = 50   // what a loop is taken to cost, in its operations
};

struct gj_applied {
  gj_lmodule *m;
  const gj_lfunc *f; // the exported one
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
  if (f->entry || f->external)
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

// --- code ---

// Where functions of the text go, and what stands for their locals.
typedef struct copier {
  gj_lmodule *m; // gets the code
  const gj_lmodule *from;
  gj_lfunc *f;             // where statements go
  gj_lfunc *const *funcs;  // by function of `from`: its copy, where functions are copied
  const gj_lexpr **locals; // by local of the function at hand
  bool poll;
} copier;

static const gj_lexpr **room(copier *c, size_t count) {
  const gj_lexpr **array = gj_arena_array(&c->m->arena, count + 1, sizeof *array);
  if (!array)
    gj__lfail(c->m, GJ_E_MEMORY, "apply: out of memory");
  return array;
}

// Nothing is shared with the module that it comes from, which is soon gone.
static const gj_lexpr *copy_expr(copier *c, const gj_lexpr *e) {
  enum { FEW = 3 };
  const gj_lexpr *few[FEW], **args = e->arg_count > FEW ? room(c, e->arg_count) : few;
  if (e->kind == GJ_LX_LOCAL)
    return c->locals[e->index];
  for (uint32_t i = 0; args && i < e->arg_count; i++)
    args[i] = copy_expr(c, e->args[i]);
  if (!args || c->m->failed)
    return gj_lx_i64(c->m, 0);
  if (e->kind == GJ_LX_CALL)
    return gj_lx_call(c->m, c->funcs[e->index], args, e->arg_count);
  gj_lexpr draft = *e;
  if (e->kind == GJ_LX_OP && gj_scalar_is_js((gj_op)e->op, (gj_dtype)e->args[0]->type.dtype))
    draft.index = GJ_LX_JS;
  return gj__lx_new(c->m, c->f, &draft, e->arg_count ? args : NULL, e->arg_count);
}

// --- as statements of the caller ---

static bool has_call(const gj_lexpr *e) {
  bool found = e->kind == GJ_LX_CALL;
  for (uint32_t i = 0; i < e->arg_count && !found; i++)
    found = has_call(e->args[i]);
  return found;
}

// How many statements a function becomes where it is called; 0 when it has branches, loops or
// locals that change.
static uint32_t straight(const gj_lmodule *m, const gj_lfunc *f) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->body.count && count <= MOST_INLINE; i++) {
    const gj_lstmt *s = f->body.stmts[i];
    if (s->kind == GJ_LS_ASSUME)
      continue;
    if (s->kind != GJ_LS_LET && s->kind != GJ_LS_RETURN)
      return 0;
    bool calls = s->a->kind == GJ_LX_CALL;
    for (uint32_t k = 0; k < s->a->arg_count; k++)
      if (has_call(s->a->args[k]))
        return 0;
    uint32_t inside = calls ? straight(m, m->funcs[s->a->index]) : 1;
    if (inside == 0)
      return 0;
    count += inside;
  }
  return count <= MOST_INLINE ? count : 0;
}

static const gj_lexpr *write_straight(copier *c, gj_lblock *b, const gj_lfunc *f,
                                      const gj_lexpr *const *args);

static const gj_lexpr *write_value(copier *c, gj_lblock *b, const gj_lexpr *e) {
  if (e->kind != GJ_LX_CALL)
    return copy_expr(c, e);
  const gj_lexpr **args = room(c, e->arg_count);
  for (uint32_t i = 0; args && i < e->arg_count; i++)
    args[i] = copy_expr(c, e->args[i]);
  return c->m->failed ? gj_lx_i64(c->m, 0) : write_straight(c, b, c->from->funcs[e->index], args);
}

// A copy of the statements, with `args` for the params: locals or constants, so that nothing is
// computed twice.
static const gj_lexpr *write_straight(copier *c, gj_lblock *b, const gj_lfunc *f,
                                      const gj_lexpr *const *args) {
  const gj_lexpr **outer = c->locals, *result = gj_lx_i64(c->m, 0);
  const gj_lexpr **own = room(c, f->local_count);
  for (uint32_t i = 0; own && i < f->param_count; i++)
    own[i] = args[i]->kind == GJ_LX_LOCAL || args[i]->kind == GJ_LX_CONST
                 ? args[i]
                 : gj_lx_local(c->m, c->f, gj_ls_let(c->m, c->f, b, f->locals[i].name, args[i]));
  for (uint32_t i = 0; own && i < f->body.count && !c->m->failed; i++) {
    const gj_lstmt *s = f->body.stmts[i];
    if (s->kind == GJ_LS_ASSUME)
      continue;
    c->locals = own;
    const gj_lexpr *value = write_value(c, b, s->a);
    if (s->kind == GJ_LS_RETURN)
      result = value;
    else if (value->kind == GJ_LX_LOCAL || value->kind == GJ_LX_CONST)
      own[s->local] = value;
    else
      own[s->local] =
          gj_lx_local(c->m, c->f, gj_ls_let(c->m, c->f, b, f->locals[s->local].name, value));
  }
  c->locals = outer;
  return result;
}

// --- as functions of the module ---

// Whether a `continue` goes on with the loop that is `level` loops around.
static bool continues(const gj_lblock *b, int64_t level) {
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    int64_t inner = level + (s->kind == GJ_LS_FOR || s->kind == GJ_LS_WHILE);
    if ((s->kind == GJ_LS_CONTINUE && s->count == level) || continues(&s->body, inner) ||
        continues(&s->orelse, level))
      return true;
  }
  return false;
}

// Whether a `while` may have a second round: it has none where it stands for a block that is left
// early.
static bool repeats(const gj_lstmt *s) {
  const gj_lstmt *last = s->body.count ? s->body.stmts[s->body.count - 1] : NULL;
  bool leaves = last && (last->kind == GJ_LS_BREAK || last->kind == GJ_LS_RETURN);
  return !leaves || continues(&s->body, 1);
}

static uint32_t copy_local(copier *c, const gj_lfunc *from, uint32_t local) {
  const gj_llocal *own = &from->locals[local];
  uint32_t made = gj_lfunc_local(c->m, c->f, own->name, own->type);
  c->locals[local] = c->m->failed ? NULL : gj_lx_local(c->m, c->f, made);
  return made;
}

static const gj_lexpr *copy_condition(copier *c, const gj_lstmt *s) {
  const gj_lexpr *condition = copy_expr(c, s->a);
  if (s->kind != GJ_LS_WHILE || !c->poll || !repeats(s) || c->m->failed)
    return condition;
  c->m->ends_early = true;
  const gj_lexpr *goes_on = gj_lx_unary(c->m, GJ_OP_not, gj_lx_cancelled(c->m));
  return gj_lx_binary(c->m, GJ_OP_and, goes_on, condition);
}

static void copy_block(copier *c, const gj_lfunc *from, const gj_lblock *b, gj_lblock *to) {
  for (uint32_t i = 0; i < b->count && !c->m->failed; i++) {
    const gj_lstmt *s = b->stmts[i];
    if (s->kind == GJ_LS_ASSUME)
      continue;
    gj_lstmt draft = *s;
    draft.a = s->a ? copy_condition(c, s) : NULL;
    draft.b = s->b ? copy_expr(c, s->b) : NULL;
    draft.c = draft.d = NULL;
    draft.marks = draft.factor = 0;
    draft.line = draft.column = 0;
    draft.body = draft.orelse = (gj_lblock){0};
    if (s->kind == GJ_LS_LET || s->kind == GJ_LS_FOR)
      draft.local = copy_local(c, from, s->local);
    else if (s->kind == GJ_LS_SET)
      draft.local = c->locals[s->local]->index;
    if (c->m->failed)
      return;
    gj_lstmt *made = gj__ls_append(c->m, c->f, to, &draft);
    copy_block(c, from, &s->body, &made->body);
    copy_block(c, from, &s->orelse, &made->orelse);
  }
}

// Functions are declared before any of them is filled, as they may call those behind them.
static void add_functions(copier *c, const gj_lfunc *exported, const char *name) {
  const gj_lmodule *from = c->from;
  gj_lfunc **made = gj_arena_array(&c->m->arena, from->func_count + 1, sizeof *made);
  if (!made) {
    gj__lfail(c->m, GJ_E_MEMORY, "apply: out of memory");
    return;
  }
  c->funcs = made;
  for (uint32_t i = 0; i < from->func_count; i++) {
    const gj_lfunc *f = from->funcs[i];
    made[i] = gj_lfunc_new(c->m, f == exported ? name : f->name, f->returns, false);
    for (uint32_t k = 0; k < f->param_count; k++)
      gj_lfunc_param(c->m, made[i], f->locals[k].name, f->locals[k].type, 0);
  }
  for (uint32_t i = 0; i < from->func_count && !c->m->failed; i++) {
    const gj_lfunc *f = from->funcs[i];
    c->f = made[i];
    c->locals = room(c, f->local_count);
    for (uint32_t k = 0; c->locals && k < f->param_count; k++)
      c->locals[k] = gj_lx_local(c->m, c->f, k);
    if (c->locals)
      copy_block(c, f, &f->body, &c->f->body);
  }
}

// One name for one text, whoever applies it.
static void name_of(const char *text, char name[40]) {
  gj_digester d;
  gj_digester_init(&d);
  gj_digester_add_text(&d, text);
  gj_digest digest = gj_digester_finish(&d);
  int at = snprintf(name, 40, "apply_");
  for (int i = 0; i < 16; i++)
    at += snprintf(name + at, 40 - (size_t)at, "%02x", digest.bytes[i]);
}

const gj_lexpr *gj_lx_apply(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const char *text,
                            const gj_lexpr *const *args, size_t count, bool poll) {
  char name[40];
  gj_applied *applied;
  gj_error why;
  if (m->failed)
    return gj_lx_i64(m, 0);
  name_of(text, name);
  const gj_lfunc *known = gj_lmodule_find(m, name);
  if (known)
    return gj_lx_call(m, known, args, count);
  gj_status status = gj_applied_new(text, &applied, &why);
  if (status != GJ_OK) {
    gj__lfail(m, status, "%s", why.message);
    return gj_lx_i64(m, 0);
  }
  copier c = {.m = m, .from = applied->m, .f = f, .poll = poll};
  const gj_lexpr *value = NULL;
  if (straight(applied->m, applied->f)) {
    value = write_straight(&c, b, applied->f, args);
  } else {
    add_functions(&c, applied->f, name);
    known = gj_lmodule_find(m, name);
    value = known ? gj_lx_call(m, known, args, count) : gj_lx_i64(m, 0);
  }
  gj_applied_free(applied);
  return value;
}
