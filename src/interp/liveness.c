// How long locals live, which block registers are free, and which pointers may meet.
#include "interp/translate.h"

#include "base/array.h"

#include <stdlib.h>

// --- uses ---

typedef struct finder {
  gj__translation *t;
  uint32_t step;
  uint32_t open[64]; // loops around the statement: 1 + their numbers
  uint32_t begun[64];
  unsigned depth;
  bool failed;
} finder;

static void use(finder *w, uint32_t local, bool set) {
  gj__use *u = &w->t->uses[local];
  u->last = w->step;
  u->loop = 0;
  for (unsigned k = 0; k < w->depth && !u->loop; k++)
    if (w->begun[k] > u->made)
      u->loop = w->open[k];
  u->reads += !set;
  u->sets += set;
}

static void find_in_expr(finder *w, const gj_lexpr *e) {
  if (e->kind == GJ_LX_LOCAL)
    use(w, e->index, false);
  for (uint32_t i = 0; i < e->arg_count; i++)
    find_in_expr(w, e->args[i]);
}

static void find_in_block(finder *w, const gj_lblock *b);

static void open_loop(finder *w) {
  gj__translation *t = w->t;
  uint32_t *ends = gj_array_grow(t->loop_ends, &t->loop_capacity, t->loop_count + 1, sizeof *ends);
  if (ends)
    t->loop_ends = ends;
  if (!ends || w->depth == sizeof w->open / sizeof w->open[0]) {
    w->failed = true;
    return;
  }
  w->begun[w->depth] = w->step;
  w->open[w->depth++] = (uint32_t)++t->loop_count;
}

static void find_in_stmt(finder *w, const gj_lstmt *s) {
  bool loop = s->kind == GJ_LS_FOR || s->kind == GJ_LS_WHILE;
  w->step++;
  if (s->kind == GJ_LS_FOR) { // the bounds are computed once, before it
    find_in_expr(w, s->a);
    find_in_expr(w, s->b);
  }
  if (loop)
    open_loop(w);
  if (w->failed)
    return;
  if (s->kind == GJ_LS_LET || s->kind == GJ_LS_ARRAY || s->kind == GJ_LS_FOR)
    w->t->uses[s->local] = (gj__use){.made = w->step, .array = s->kind == GJ_LS_ARRAY};
  if (s->kind != GJ_LS_FOR) {
    if (s->a)
      find_in_expr(w, s->a);
    if (s->b)
      find_in_expr(w, s->b);
    if (s->c)
      find_in_expr(w, s->c);
  }
  if (s->kind == GJ_LS_SET)
    use(w, s->local, true);
  find_in_block(w, &s->body);
  find_in_block(w, &s->orelse);
  if (loop && !w->failed)
    w->t->loop_ends[w->open[--w->depth] - 1] = ++w->step;
}

static void find_in_block(finder *w, const gj_lblock *b) {
  for (uint32_t i = 0; i < b->count && !w->failed; i++)
    find_in_stmt(w, b->stmts[i]);
}

bool gj__tr_find_uses(gj__translation *t) {
  finder w = {.t = t};
  t->loop_count = 0;
  find_in_block(&w, &t->f->body);
  if (w.failed)
    gj__tr_fail(t, GJ_E_MEMORY, "%s: out of memory at its loops", t->f->name);
  return !w.failed;
}

// --- registers ---

uint32_t gj__tr_register(gj__translation *t, unsigned bytes, uint32_t local) {
  uint32_t r = 0;
  while (r < t->register_count && (t->registers[r].taken || t->registers[r].bytes != bytes))
    r++;
  if (r == GJ__MAX_REGISTERS) {
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: a loop holds too many values", t->f->name);
    r = 0;
  }
  if (r == t->register_count) {
    t->register_count++;
    t->registers[r] = (gj__register){.unit = t->units, .bytes = (uint8_t)bytes};
    t->units += bytes;
  }
  t->registers[r].taken = true;
  t->registers[r].local = local;
  return GJ__REGISTER | t->registers[r].unit;
}

gj__operand gj__tr_temporary(gj__translation *t, unsigned bytes) {
  uint32_t at = gj__tr_register(t, bytes, GJ__NO_LOCAL), r = 0;
  while ((GJ__REGISTER | t->registers[r].unit) != at)
    r++;
  return (gj__operand){at, (int32_t)r, false};
}

void gj__tr_release(gj__translation *t, gj__operand operand) {
  if (operand.temporary >= 0)
    t->registers[operand.temporary].taken = false;
}

void gj__tr_release_dead(gj__translation *t) {
  for (uint32_t r = 0; r < t->register_count; r++) {
    gj__register *reg = &t->registers[r];
    if (!reg->taken || reg->local == GJ__NO_LOCAL)
      continue;
    const gj__use *u = &t->uses[reg->local];
    uint32_t end = u->loop ? t->loop_ends[u->loop - 1] : u->last;
    reg->taken = end > t->step;
  }
}

// --- aliases ---

static const gj_lexpr *root(const gj_lexpr *p) {
  while (p->kind == GJ_LX_OFFSET)
    p = p->args[0];
  return p;
}

// Whether it is known which memory the root of a pointer is: a let may hold what was made of any.
static bool is_known(const gj__translation *t, const gj_lexpr *p) {
  return p->kind == GJ_LX_LOCAL && (p->index < t->f->param_count || t->uses[p->index].array);
}

static bool is_apart(const gj__translation *t, const gj_lexpr *p) {
  return t->uses[p->index].array || (t->f->locals[p->index].flags & GJ_LOCAL_NOALIAS);
}

bool gj__tr_may_alias(const gj__translation *t, const gj_lexpr *p, const gj_lexpr *q) {
  p = root(p);
  q = root(q);
  if (p->kind == GJ_LX_DATA || q->kind == GJ_LX_DATA)
    return false; // constant
  if (!is_known(t, p) || !is_known(t, q))
    return true;
  return p->index == q->index || !(is_apart(t, p) || is_apart(t, q));
}

bool gj__tr_is_written(const gj__translation *t, const gj_lblock *block, const gj_lexpr *p) {
  for (uint32_t i = 0; i < block->count; i++) {
    const gj_lstmt *s = block->stmts[i];
    if ((s->kind == GJ_LS_STORE && gj__tr_may_alias(t, s->a, p)) ||
        gj__tr_is_written(t, &s->body, p) || gj__tr_is_written(t, &s->orelse, p))
      return true;
  }
  return false;
}

bool gj__tr_reads(const gj__translation *t, const gj_lexpr *e, const gj_lexpr *p) {
  if (e->kind == GJ_LX_LOAD && gj__tr_may_alias(t, e->args[0], p))
    return true;
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (gj__tr_reads(t, e->args[i], p))
      return true;
  return false;
}
