// Equal functions become one.
//
// Graphs repeat themselves: the layers of a model lower to the same kernels over other memory. Two
// functions are equal when they have the same statements over the same numbers of locals; names and
// notes do not count. Locals are numbered in order of appearance, so equal code has equal numbers
// and a comparison is one walk over both. Callees that stand before are settled first, so functions
// that call equal functions are found as well.
//
// Left out: equality up to the order of params or statements, constants as params, and functions
// that differ in which equal function behind them they call, or call themselves.
#include "loops/dedupe.h"

#include "base/hash.h"
#include "loops/rules.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A field that is added to these is part of what makes functions equal: hash and compare it below.
static_assert(sizeof(gj_lexpr) == 48 || sizeof(void *) != 8, "see hash_expr and same_expr");
static_assert(sizeof(gj_lstmt) == 88 || sizeof(void *) != 8, "see hash_block and same_block");
static_assert(sizeof(gj_ltype) == 4, "see hash_type");

// --- hashing ---

static uint64_t hash_type(uint64_t h, gj_ltype type) {
  return gj_hash_u64(h, type.dtype | (uint64_t)type.pointer << 8 | (uint64_t)type.lanes << 16);
}

// Calls hash by the function that is left of their callee.
static uint32_t index_of(const gj_lexpr *e, const uint32_t *left) {
  return gj_lexpr_calls(e) ? left[e->index] : e->index;
}

static uint64_t value_bits(const gj_scalar *value) {
  uint64_t bits;
  static_assert(sizeof bits == sizeof value->v, "a scalar has 64 bits");
  memcpy(&bits, &value->v, sizeof bits);
  return bits;
}

static uint64_t hash_expr(uint64_t h, const gj_lexpr *e, const uint32_t *left) {
  if (!e)
    return gj_hash_u64(h, 0);
  h = gj_hash_u64(h, e->kind + 1u + ((uint64_t)e->op << 16));
  h = gj_hash_u64(hash_type(h, e->type), index_of(e, left));
  if (e->kind == GJ_LX_CONST)
    h = gj_hash_u64(h, value_bits(&e->value));
  for (uint32_t i = 0; i < e->arg_count; i++)
    h = hash_expr(h, e->args[i], left);
  return gj_hash_u64(h, e->arg_count);
}

static uint64_t hash_block(uint64_t h, const gj_lblock *b, const uint32_t *left) {
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    h = gj_hash_u64(h, s->kind | (uint64_t)s->marks << 8 | (uint64_t)s->factor << 16);
    h = gj_hash_u64(gj_hash_u64(h, s->local), (uint64_t)s->count);
    h = hash_expr(hash_expr(hash_expr(h, s->a, left), s->b, left), s->c, left);
    h = hash_expr(h, s->d, left);
    h = hash_block(hash_block(h, &s->body, left), &s->orelse, left);
  }
  return gj_hash_u64(h, b->count);
}

static uint64_t hash_func(const gj_lfunc *f, const uint32_t *left) {
  uint64_t h = hash_type(gj_hash_u64(f->entry + 2u * f->exported, f->param_count), f->returns);
  for (uint32_t i = 0; i < f->local_count; i++)
    h = gj_hash_u64(hash_type(h, f->locals[i].type), f->locals[i].flags);
  return hash_block(h, &f->body, left);
}

// --- comparing ---

static bool same_expr(const gj_lexpr *a, const gj_lexpr *b, const uint32_t *left) {
  if (a == b || !a || !b)
    return a == b;
  bool same = a->kind == b->kind && a->op == b->op && gj_ltype_equal(a->type, b->type) &&
              index_of(a, left) == index_of(b, left) && a->arg_count == b->arg_count &&
              (a->kind != GJ_LX_CONST || value_bits(&a->value) == value_bits(&b->value));
  for (uint32_t i = 0; same && i < a->arg_count; i++)
    same = same_expr(a->args[i], b->args[i], left);
  return same;
}

static bool same_block(const gj_lblock *a, const gj_lblock *b, const uint32_t *left) {
  bool same = a->count == b->count;
  for (uint32_t i = 0; same && i < a->count; i++) {
    const gj_lstmt *s = a->stmts[i], *t = b->stmts[i];
    same = s->kind == t->kind && s->marks == t->marks && s->factor == t->factor &&
           s->local == t->local && s->count == t->count && same_expr(s->a, t->a, left) &&
           same_expr(s->b, t->b, left) && same_expr(s->c, t->c, left) &&
           same_expr(s->d, t->d, left) && same_block(&s->body, &t->body, left) &&
           same_block(&s->orelse, &t->orelse, left);
  }
  return same;
}

static bool same_func(const gj_lfunc *a, const gj_lfunc *b, const uint32_t *left) {
  bool same = a->entry == b->entry && a->exported == b->exported &&
              a->param_count == b->param_count && a->local_count == b->local_count &&
              gj_ltype_equal(a->returns, b->returns);
  for (uint32_t i = 0; same && i < a->local_count; i++)
    same = a->locals[i].flags == b->locals[i].flags &&
           gj_ltype_equal(a->locals[i].type, b->locals[i].type);
  same = same && (!a->external || !b->external ? a->external == b->external
                                               : strcmp(a->external, b->external) == 0);
  return same && same_block(&a->body, &b->body, left);
}

// --- leaving one ---

// left[i] becomes the first function equal to function i; numbers are those of before.
static bool find_equal(const gj_lmodule *m, uint32_t *left) {
  gj_table seen = {0};
  bool ok = true;
  for (uint32_t i = 0; i < m->func_count; i++)
    left[i] = i;
  if (m->func_count == 2 && m->funcs[1]->entry) // most programs: there is nothing to compare
    return true;
  for (uint32_t i = 0; ok && i < m->func_count; i++) {
    uint64_t hash = hash_func(m->funcs[i], left);
    size_t at = 0;
    uint32_t found;
    while ((found = gj_table_next(&seen, hash, &at)) != 0 &&
           !same_func(m->funcs[found - 1], m->funcs[i], left))
      ;
    left[i] = found ? found - 1 : i;
    if (!found)
      ok = gj_table_add(&seen, hash, i + 1);
  }
  gj_table_fini(&seen);
  return ok;
}

static bool calls_moved(const gj_lexpr *e, const uint32_t *number) {
  bool moved = gj_lexpr_calls(e) && number[e->index] != e->index;
  for (uint32_t i = 0; !moved && i < e->arg_count; i++)
    moved = calls_moved(e->args[i], number);
  return moved;
}

// Expressions may be shared and are not edited: those that hold a call that moved are copied.
static const gj_lexpr *renumber(gj_lmodule *m, const gj_lexpr *e, const uint32_t *number) {
  if (!e || m->failed || !calls_moved(e, number))
    return e;
  const gj_lexpr **args = gj_arena_array(&m->arena, e->arg_count, sizeof *args);
  gj_lexpr *copy = gj_arena_copy(&m->arena, e, sizeof *e);
  if (!args || !copy) {
    gj__lfail(m, GJ_E_MEMORY, "loops: out of memory while renumbering calls");
    return e;
  }
  for (uint32_t i = 0; i < e->arg_count; i++)
    args[i] = renumber(m, e->args[i], number);
  copy->args = args;
  copy->index = gj_lexpr_calls(e) ? number[e->index] : e->index;
  return copy;
}

static void renumber_block(gj_lmodule *m, gj_lblock *b, const uint32_t *number) {
  for (uint32_t i = 0; i < b->count; i++) {
    gj_lstmt *s = b->stmts[i];
    s->a = renumber(m, s->a, number);
    s->b = renumber(m, s->b, number);
    s->c = renumber(m, s->c, number);
    s->d = renumber(m, s->d, number);
    renumber_block(m, &s->body, number);
    renumber_block(m, &s->orelse, number);
  }
}

// Removes functions that another one stands for and closes the gaps; left[i] becomes a new number.
static void remove_equal(gj_lmodule *m, uint32_t *left) {
  uint32_t kept = 0;
  gj_table_fini(&m->names);
  for (uint32_t i = 0; i < m->func_count; i++) {
    gj_lfunc *f = m->funcs[i];
    if (left[i] != i) {
      gj_table_fini(&f->names);
      left[i] = left[left[i]]; // that one stands before, so its number is new already
      continue;
    }
    left[i] = f->index = kept;
    m->funcs[kept++] = f;
    gj__lname_add(m, NULL, f->index);
  }
  m->func_count = kept;
  for (uint32_t i = 0; i < kept; i++)
    renumber_block(m, &m->funcs[i]->body, left);
}

gj_status gj_loops_dedupe(gj_lmodule *m, uint32_t *out_left, gj_error *err) {
  if (!find_equal(m, out_left))
    return gj_fail(err, GJ_E_MEMORY, "loops: out of memory at %u functions", m->func_count);
  uint32_t i = 0;
  while (i < m->func_count && out_left[i] == i)
    i++;
  if (i < m->func_count)
    remove_equal(m, out_left);
  return m->failed ? gj_fail(err, m->failed, "%s", m->error.message) : GJ_OK;
}
