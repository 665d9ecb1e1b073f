// Copies of Loop IR: whole modules, and trees with locals replaced.
//
// A clone is structural: every number stays what it is and nothing is folded. A copy with
// replacements goes through the builders, so that a loop variable replaced by a constant folds
// away.

#include "loops/copy.h"

#include "loops/rules.h"

#include <stdlib.h>
#include <string.h>

// --- clone ---

static const gj_lexpr *clone_expr(gj_lmodule *m, const gj_lexpr *e) {
  if (!e || m->failed)
    return NULL;
  gj_lexpr *copy = gj_arena_copy(&m->arena, e, sizeof *e);
  const gj_lexpr **args = gj_arena_array(&m->arena, e->arg_count, sizeof *args);
  if (!copy || !args) {
    gj__lfail(m, GJ_E_MEMORY, "loops: out of memory while cloning");
    return NULL;
  }
  for (uint32_t i = 0; i < e->arg_count; i++)
    args[i] = clone_expr(m, e->args[i]);
  copy->args = e->arg_count ? args : NULL;
  return copy;
}

static void clone_block(gj_lmodule *m, const gj_lblock *from, gj_lblock *to) {
  *to = (gj_lblock){0};
  gj_lstmt **stmts = gj_arena_array(&m->arena, from->count, sizeof *stmts);
  for (uint32_t i = 0; stmts && i < from->count; i++) {
    gj_lstmt *s = gj_arena_copy(&m->arena, from->stmts[i], sizeof *s);
    stmts[i] = s;
    if (!s)
      break;
    s->a = clone_expr(m, s->a);
    s->b = clone_expr(m, s->b);
    s->c = clone_expr(m, s->c);
    s->d = clone_expr(m, s->d);
    clone_block(m, &from->stmts[i]->body, &s->body);
    clone_block(m, &from->stmts[i]->orelse, &s->orelse);
  }
  if (!stmts || (from->count && !stmts[from->count - 1])) {
    gj__lfail(m, GJ_E_MEMORY, "loops: out of memory while cloning");
    return;
  }
  *to = (gj_lblock){from->count, from->count, stmts};
}

static void clone_func(gj_lmodule *m, const gj_lfunc *from) {
  const char *name = gj_arena_strdup(&m->arena, from->name);
  gj_lfunc *f = gj__lfunc_new(m, name, from->returns, from->entry);
  for (uint32_t i = 0; i < from->local_count; i++) {
    const gj_llocal *local = &from->locals[i];
    gj__lfunc_local(m, f, gj_arena_strdup(&m->arena, local->name), local->type);
    if (m->failed)
      return;
    f->locals[i].flags = local->flags;
  }
  f->param_count = from->param_count;
  f->exported = from->exported;
  f->note = from->note ? gj_arena_strdup(&m->arena, from->note) : NULL;
  f->external = from->external ? gj_arena_strdup(&m->arena, from->external) : NULL;
  f->library = from->library ? gj_arena_strdup(&m->arena, from->library) : NULL;
  if ((from->note && !f->note) || (from->external && !f->external) ||
      (from->library && !f->library))
    gj__lfail(m, GJ_E_MEMORY, "loops: out of memory while cloning");
  clone_block(m, &from->body, &f->body);
}

gj_lmodule *gj_lmodule_clone(const gj_lmodule *module) {
  gj_lmodule *m = gj_lmodule_new(module->name);
  if (!m)
    return NULL;
  for (uint32_t i = 0; i < module->data_count; i++)
    gj_lmodule_data_like(m, &module->data[i]);
  for (uint32_t i = 0; i < module->func_count; i++)
    clone_func(m, module->funcs[i]);
  if (m->failed) {
    gj_lmodule_free(m);
    return NULL;
  }
  m->applies = module->applies;
  m->ends_early = module->ends_early;
  m->failed = module->failed;
  m->error = module->error;
  return m;
}

// --- copies with replacements ---

bool gj__lcopy_init(gj__lcopy *copy, gj_lmodule *m, gj_lfunc *f) {
  *copy = (gj__lcopy){.m = m, .f = f, .count = f->local_count};
  copy->replace = calloc((size_t)f->local_count + 1, sizeof *copy->replace);
  if (!copy->replace)
    gj__lfail(m, GJ_E_MEMORY, "%s: out of memory while copying", f->name);
  return copy->replace != NULL;
}

const gj_lexpr *gj__lx_rebuild(gj_lmodule *m, const gj_lexpr *e, const gj_lexpr *const *args) {
  if (e->kind == GJ_LX_OP && e->index == 0)
    return gj_lx_op(m, (gj_op)e->op, args, e->arg_count, (gj_dtype)e->type.dtype);
  if (e->kind == GJ_LX_OFFSET)
    return gj_lx_offset(m, args[0], args[1]);
  return gj__lx_new(m, NULL, e, args, e->arg_count);
}

static const gj_lexpr *rebuild_with_many(const gj__lcopy *copy, const gj_lexpr *e);

const gj_lexpr *gj__lcopy_expr(const gj__lcopy *copy, const gj_lexpr *e) {
  enum { FEW = 3 };
  if (e->kind == GJ_LX_LOCAL)
    return e->index < copy->count && copy->replace[e->index] ? copy->replace[e->index] : e;
  if (e->arg_count > FEW)
    return rebuild_with_many(copy, e);
  const gj_lexpr *args[FEW];
  bool changed = false;
  for (uint32_t i = 0; i < e->arg_count; i++) {
    args[i] = gj__lcopy_expr(copy, e->args[i]);
    changed = changed || args[i] != e->args[i];
  }
  return changed ? gj__lx_rebuild(copy->m, e, args) : e;
}

// Only calls have more than three arguments.
static const gj_lexpr *rebuild_with_many(const gj__lcopy *copy, const gj_lexpr *e) {
  const gj_lexpr **args = gj_arena_array(&copy->m->arena, e->arg_count, sizeof *args);
  if (!args) {
    gj__lfail(copy->m, GJ_E_MEMORY, "%s: out of memory while copying", copy->f->name);
    return e;
  }
  for (uint32_t i = 0; i < e->arg_count; i++)
    args[i] = gj__lcopy_expr(copy, e->args[i]);
  return gj__lx_rebuild(copy->m, e, args);
}

// The number under which a statement of the copy writes what `s` writes.
static uint32_t written(gj__lcopy *copy, const gj_lstmt *s) {
  if (s->kind == GJ_LS_SET) {
    const gj_lexpr *other = copy->replace[s->local];
    return other && other->kind == GJ_LX_LOCAL ? other->index : s->local;
  }
  if (s->kind != GJ_LS_LET && s->kind != GJ_LS_ARRAY && s->kind != GJ_LS_FOR)
    return s->local;
  gj_llocal local = copy->f->locals[s->local];
  uint32_t fresh = gj_lfunc_local(copy->m, copy->f, local.name, local.type);
  copy->replace[s->local] = gj_lx_local(copy->m, copy->f, fresh);
  return fresh;
}

void gj__lcopy_block(gj__lcopy *copy, const gj_lblock *from, gj_lblock *to) {
  for (uint32_t i = 0; i < from->count && !copy->m->failed; i++) {
    const gj_lstmt *s = from->stmts[i];
    gj_lstmt draft = *s;
    draft.a = s->a ? gj__lcopy_expr(copy, s->a) : NULL;
    draft.b = s->b ? gj__lcopy_expr(copy, s->b) : NULL;
    draft.c = s->c ? gj__lcopy_expr(copy, s->c) : NULL;
    draft.d = s->d ? gj__lcopy_expr(copy, s->d) : NULL;
    draft.local = written(copy, s);
    draft.body = draft.orelse = (gj_lblock){0};
    gj_lstmt *made = gj__ls_append(copy->m, copy->f, to, &draft);
    gj__lcopy_block(copy, &s->body, &made->body);
    gj__lcopy_block(copy, &s->orelse, &made->orelse);
  }
}
