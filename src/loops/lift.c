// Constant data become params.
//
// The params of a task end with its range, so new ones stand in front, and the numbers of all
// locals move. Every expression with a local in it is copied, since others may share it. What is
// shared inside of a function stays shared for the most part: the copies made last are kept.
#include "loops/lift.h"

#include "base/hash.h"
#include "loops/rules.h"

#include <string.h>

enum { KEPT = 256 };

typedef struct lifting {
  gj_lmodule *m;
  gj_lfunc *f;
  const uint32_t *data;
  uint32_t count;
  struct {
    const gj_lexpr *from, *to;
  } kept[KEPT];
} lifting;

static const gj_lexpr *lift(lifting *l, const gj_lexpr *e);

// The same over lifted arguments; nothing is folded, so that equal functions stay equal.
static const gj_lexpr *copy(lifting *l, const gj_lexpr *e) {
  const gj_lexpr **args = gj_arena_array(&l->m->arena, e->arg_count, sizeof *args);
  gj_lexpr *made = gj_arena_copy(&l->m->arena, e, sizeof *e);
  if (!args || !made) {
    gj__lfail(l->m, GJ_E_MEMORY, "%s: out of memory at its constants", l->f->name);
    return e;
  }
  for (uint32_t i = 0; i < e->arg_count; i++)
    args[i] = lift(l, e->args[i]);
  made->args = args;
  return made;
}

static const gj_lexpr *lift(lifting *l, const gj_lexpr *e) {
  if (!e || l->m->failed)
    return e;
  if (e->kind == GJ_LX_LOCAL)
    return gj_lx_local(l->m, l->f, e->index + l->count);
  for (uint32_t i = 0; e->kind == GJ_LX_DATA && i < l->count; i++)
    if (l->data[i] == e->index)
      return gj_lx_local(l->m, l->f, i);
  if (e->arg_count == 0)
    return e;
  size_t at = gj_hash_u64(0, (uintptr_t)e) % KEPT;
  if (l->kept[at].from != e) {
    const gj_lexpr *made = copy(l, e);
    l->kept[at].from = e;
    l->kept[at].to = made;
  }
  return l->kept[at].to;
}

static void lift_block(lifting *l, gj_lblock *b) {
  for (uint32_t i = 0; i < b->count; i++) {
    gj_lstmt *s = b->stmts[i];
    if (s->kind == GJ_LS_LET || s->kind == GJ_LS_SET || s->kind == GJ_LS_ARRAY ||
        s->kind == GJ_LS_FOR)
      s->local += l->count;
    s->a = lift(l, s->a);
    s->b = lift(l, s->b);
    s->c = lift(l, s->c);
    s->d = lift(l, s->d);
    lift_block(l, &s->body);
    lift_block(l, &s->orelse);
  }
}

// Makes the params, behind all locals, and brings them to the front.
static void add_params(gj_lmodule *m, gj_lfunc *f, const uint32_t *data, uint32_t count) {
  gj_llocal made[GJ__MOST_LIFTED];
  uint32_t before = f->local_count;
  for (uint32_t i = 0; i < count; i++)
    gj_lfunc_local(m, f, "constant", gj_ltype_pointer(m->data[data[i]].dtype));
  if (m->failed)
    return;
  memcpy(made, f->locals + before, count * sizeof *made);
  memmove(f->locals + count, f->locals, before * sizeof *f->locals);
  memcpy(f->locals, made, count * sizeof *made);
  for (uint32_t i = 0; i < count; i++)
    f->locals[i].flags = GJ_LOCAL_NOALIAS | GJ_LOCAL_READONLY;
  f->param_count += count;
  gj_table_fini(&f->names);
  for (uint32_t i = 0; i < f->local_count; i++)
    gj__lname_add(m, f, i);
}

void gj__lift_data(gj_lmodule *m, gj_lfunc *f, const uint32_t *data, uint32_t count) {
  lifting l = {.m = m, .f = f, .data = data, .count = count};
  if (count == 0)
    return;
  add_params(m, f, data, count);
  if (!m->failed)
    lift_block(&l, &f->body);
}
