// Functions of numbers that graphs apply, as code inside of others.
//
// One without branches is written where it is applied, since loops with calls are not vectorised.
// All others become functions of the module, which LLVM inlines where it pays.
#include "loops/apply.h"

#include "loops/rules.h"

#include "base/digest.h"

#include <stdio.h>

enum { MOST_INLINE = 256 }; // statements that become part of the caller

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
  c->m->applies = true;
  for (uint32_t i = 0; i < from->func_count; i++) {
    const gj_lfunc *f = from->funcs[i];
    char own[64];
    snprintf(own, sizeof own, "%s%s%.16s", name, f == exported ? "" : "_",
             f == exported ? "" : f->name);
    made[i] = gj_lfunc_new(c->m, own, f->returns, false);
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
