// Equal functions become one.
//
// Graphs repeat themselves: the layers of a model lower to the same kernels over other memory. Two
// functions are equal when they have the same statements over the same numbers of locals; names and
// notes do not count. Locals are numbered in order of appearance, so equal code has equal numbers
// and a comparison is one walk over both. Callees that stand before are settled first, so functions
// that call equal functions are found as well.
//
// Nor does it count which constant data a function reads, as the weights of its layer: where one
// stands for functions of other data, it gets the data from its callers (lift.h), and what its
// callers pass then counts as data that they read.
//
// Left out: equality up to the order of params or statements, other constants as params,
// functions that differ in which equal function behind them they call, or call themselves, and
// other data of functions that call one behind them.
#include "loops/dedupe.h"

#include "base/hash.h"
#include "loops/lift.h"
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

// Calls hash by the function that is left of their callee, data not at all.
static uint32_t index_of(const gj_lexpr *e, const uint32_t *left) {
  if (e->kind == GJ_LX_DATA)
    return 0;
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

// The data that a function reads, in order of appearance, and where another one stands for it the
// data that that one reads there.
typedef struct reads {
  uint32_t count;
  uint32_t here[GJ__MOST_LIFTED], there[GJ__MOST_LIFTED];
} reads;

typedef struct comparison {
  const gj_lmodule *m;
  const uint32_t *left;
  const reads *all; // of the functions compared so far
  bool lifting;     // of functions that it can be lifted from, data may differ
  bool lifts;       // this is one of them
  const gj_lfunc *a, *b;
  bool calls_ahead; // what has not been compared before them: its data are not known
  reads own;
} comparison;

// Whether function b may read data `there` where function a reads `here`: always the same one.
static bool same_data(comparison *c, uint32_t here, uint32_t there) {
  const gj_ldata *a = &c->m->data[here], *b = &c->m->data[there];
  for (uint32_t i = 0; i < c->own.count; i++)
    if (c->own.here[i] == here)
      return c->own.there[i] == there;
  if (here != there && (!c->lifts || a->dtype != b->dtype || a->count != b->count))
    return false;
  if (c->own.count == GJ__MOST_LIFTED) // this one is never lifted
    return here == there;
  c->own.here[c->own.count] = here;
  c->own.there[c->own.count++] = there;
  return true;
}

// Two calls of what becomes one function, each with the data that its callee has read.
static bool same_callees(comparison *c, uint32_t a, uint32_t b) {
  const reads *x = &c->all[a], *y = &c->all[b];
  c->calls_ahead |= a >= c->a->index || b >= c->b->index;
  for (uint32_t i = 0; i < x->count && i < y->count; i++)
    if (!same_data(c, x->there[i], y->there[i]))
      return false;
  return x->count == y->count;
}

static bool same_expr(comparison *c, const gj_lexpr *a, const gj_lexpr *b) {
  if (!a || !b)
    return a == b;
  bool same = a->kind == b->kind && a->op == b->op && gj_ltype_equal(a->type, b->type) &&
              index_of(a, c->left) == index_of(b, c->left) && a->arg_count == b->arg_count &&
              (a->kind != GJ_LX_CONST || value_bits(&a->value) == value_bits(&b->value));
  if (same && a->kind == GJ_LX_DATA)
    same = same_data(c, a->index, b->index);
  if (same && gj_lexpr_calls(a))
    same = same_callees(c, a->index, b->index);
  for (uint32_t i = 0; same && i < a->arg_count; i++)
    same = same_expr(c, a->args[i], b->args[i]);
  return same;
}

static bool same_block(comparison *c, const gj_lblock *a, const gj_lblock *b) {
  bool same = a->count == b->count;
  for (uint32_t i = 0; same && i < a->count; i++) {
    const gj_lstmt *s = a->stmts[i], *t = b->stmts[i];
    same = s->kind == t->kind && s->marks == t->marks && s->factor == t->factor &&
           s->local == t->local && s->count == t->count && same_expr(c, s->a, t->a) &&
           same_expr(c, s->b, t->b) && same_expr(c, s->c, t->c) && same_expr(c, s->d, t->d) &&
           same_block(c, &s->body, &t->body) && same_block(c, &s->orelse, &t->orelse);
  }
  return same;
}

static bool reads_other(const reads *own) {
  for (uint32_t i = 0; i < own->count; i++)
    if (own->here[i] != own->there[i])
      return true;
  return false;
}

static bool same_name(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static bool same_func(comparison *c, const gj_lfunc *a, const gj_lfunc *b) {
  bool same = a->entry == b->entry && a->exported == b->exported &&
              a->param_count == b->param_count && a->local_count == b->local_count &&
              gj_ltype_equal(a->returns, b->returns);
  for (uint32_t i = 0; same && i < a->local_count; i++)
    same = a->locals[i].flags == b->locals[i].flags &&
           gj_ltype_equal(a->locals[i].type, b->locals[i].type);
  same = same && same_name(a->external, b->external) && same_name(a->library, b->library);
  c->own.count = 0;
  c->a = a;
  c->b = b;
  c->calls_ahead = false;
  c->lifts = c->lifting && !a->entry && !a->exported && !gj_lfunc_is_foreign(a) &&
             a->param_count <= GJ__MOST_PARAMS;
  return same && same_block(c, &a->body, &b->body) && !(c->calls_ahead && reads_other(&c->own));
}

// --- leaving one ---

// left[i] becomes the first function equal to function i; numbers are those of before.
static bool find_equal(const gj_lmodule *m, bool lifts, uint32_t *left, reads *all) {
  gj_table seen = {0};
  bool ok = true;
  for (uint32_t i = 0; i < m->func_count; i++)
    left[i] = i;
  if (m->func_count == 2 && m->funcs[1]->entry) // most programs: there is nothing to compare
    return true;
  for (uint32_t i = 0; ok && i < m->func_count; i++) {
    comparison c = {.m = m, .left = left, .all = all, .lifting = lifts};
    uint64_t hash = hash_func(m->funcs[i], left);
    size_t at = 0;
    uint32_t found;
    while ((found = gj_table_next(&seen, hash, &at)) != 0 &&
           !same_func(&c, m->funcs[found - 1], m->funcs[i]))
      ;
    left[i] = found ? found - 1 : i;
    if (!found) // what it reads itself
      ok = gj_table_add(&seen, hash, i + 1) && same_func(&c, m->funcs[i], m->funcs[i]);
    all[i] = c.own;
  }
  gj_table_fini(&seen);
  return ok;
}

// Leaves of the data of each function only that in which functions that become one differ.
static void keep_different(uint32_t func_count, const uint32_t *left, reads *all, bool *differs) {
  for (uint32_t i = 0; i < func_count; i++)
    for (uint32_t k = 0; k < all[i].count; k++)
      if (all[i].here[k] != all[i].there[k])
        differs[left[i] * GJ__MOST_LIFTED + k] = true;
  for (uint32_t i = 0; i < func_count; i++) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < all[i].count; k++)
      if (differs[left[i] * GJ__MOST_LIFTED + k]) {
        all[i].here[kept] = all[i].here[k];
        all[i].there[kept++] = all[i].there[k];
      }
    all[i].count = kept;
  }
}

typedef struct move {
  const uint32_t *number; // of functions, by what it was
  const reads *all;       // what calls of them pass in front of their arguments
} move;

static bool calls_moved(const gj_lexpr *e, const move *v) {
  bool moved = gj_lexpr_calls(e) && (v->number[e->index] != e->index || v->all[e->index].count);
  for (uint32_t i = 0; !moved && i < e->arg_count; i++)
    moved = calls_moved(e->args[i], v);
  return moved;
}

// Expressions may be shared and are not edited: those that hold a call that moved are copied.
static const gj_lexpr *renumber(gj_lmodule *m, const gj_lexpr *e, const move *v) {
  if (!e || m->failed || !calls_moved(e, v))
    return e;
  const reads *data = gj_lexpr_calls(e) ? &v->all[e->index] : NULL;
  uint32_t more = data ? data->count : 0;
  const gj_lexpr **args = gj_arena_array(&m->arena, (size_t)e->arg_count + more, sizeof *args);
  gj_lexpr *copy = gj_arena_copy(&m->arena, e, sizeof *e);
  if (!args || !copy) {
    gj__lfail(m, GJ_E_MEMORY, "loops: out of memory while renumbering calls");
    return e;
  }
  for (uint32_t i = 0; i < more; i++)
    args[i] = gj_lx_data(m, data->there[i]);
  copy->size = 1 + more;
  copy->depth = more ? 2 : 1;
  for (uint32_t i = 0; i < e->arg_count; i++) {
    const gj_lexpr *arg = args[more + i] = renumber(m, e->args[i], v);
    copy->size += arg->size;
    copy->depth = arg->depth + 1 > copy->depth ? (uint16_t)(arg->depth + 1) : copy->depth;
  }
  copy->args = args;
  copy->arg_count += more;
  copy->index = gj_lexpr_calls(e) ? v->number[e->index] : e->index;
  return copy;
}

static void renumber_block(gj_lmodule *m, gj_lblock *b, const move *v) {
  for (uint32_t i = 0; i < b->count; i++) {
    gj_lstmt *s = b->stmts[i];
    s->a = renumber(m, s->a, v);
    s->b = renumber(m, s->b, v);
    s->c = renumber(m, s->c, v);
    s->d = renumber(m, s->d, v);
    renumber_block(m, &s->body, v);
    renumber_block(m, &s->orelse, v);
  }
}

// Removes functions that another one stands for and closes the gaps; left[i] becomes a new number.
static void remove_equal(gj_lmodule *m, uint32_t *left, const reads *all) {
  uint32_t kept = 0, count = m->func_count;
  move v = {left, all};
  gj_table_fini(&m->names);
  for (uint32_t i = 0; i < count; i++) {
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
    renumber_block(m, &m->funcs[i]->body, &v);
  for (uint32_t i = 0, done = 0; i < count; i++)
    if (left[i] == done && !m->failed) { // the first of those that it stands for
      gj__lift_data(m, m->funcs[done], all[i].here, all[i].count);
      done++;
    }
}

static gj_status dedupe(gj_lmodule *m, bool lifts, uint32_t *left, reads *all, bool *differs,
                        gj_error *err) {
  uint32_t i = 0;
  if (!all || !differs || !find_equal(m, lifts, left, all))
    return gj_fail(err, GJ_E_MEMORY, "loops: out of memory at %u functions", m->func_count);
  keep_different(m->func_count, left, all, differs);
  while (i < m->func_count && left[i] == i)
    i++;
  if (i < m->func_count)
    remove_equal(m, left, all);
  return m->failed ? gj_fail(err, m->failed, "%s", m->error.message) : GJ_OK;
}

gj_status gj_loops_dedupe(gj_lmodule *m, bool lifts, uint32_t *out_left, gj_error *err) {
  reads *all = calloc((size_t)m->func_count + 1, sizeof *all);
  bool *differs = calloc((size_t)m->func_count + 1, GJ__MOST_LIFTED * sizeof *differs);
  gj_status status = dedupe(m, lifts, out_left, all, differs, err);
  free(all);
  free(differs);
  return status;
}
