// The verifier of Loop IR: what a module must satisfy before anything reads it.
//
// Types are checked by the rules that the builders use (rules.c); this file adds what needs the
// whole function: names, scopes, order of functions, where break and return may stand, stack size
// and nesting. A module that verifies can be printed, evaluated, transformed and emitted without
// further checks. It does not prove that memory accesses are in bounds or that marked loops are
// independent.
//
// Scopes: a local made by let, array or for is seen by the later statements of its block and by the
// blocks inside them; each local is made by one statement. Only a let may be set again.

#include "library/table.h"
#include "loops/rules.h"
#include "ops/custom.h"

#include <stdlib.h>
#include <string.h>

typedef enum scope { UNSEEN = 0, PARAM, LET, ARRAY, COUNTER, CLOSED } scope;

typedef struct checker {
  const gj_lmodule *m;
  const gj_lfunc *f;
  uint8_t *scopes; // by local
  uint32_t *made;  // locals in the order in which they were made, for closing blocks
  uint32_t made_count;
  uint32_t loops; // loops around
  uint32_t nest;  // blocks around
  int64_t stack;  // bytes of arrays so far
  gj_error *err;
} checker;

static gj_status check_expr(checker *c, const gj_lexpr *e, bool may_be_nothing);

static gj_status check_local(const checker *c, const gj_lexpr *e) {
  if (e->index >= c->f->local_count)
    return GJ_OK; // inference reports it
  const char *name = c->f->locals[e->index].name;
  if (c->scopes[e->index] == UNSEEN)
    return gj_fail(c->err, GJ_E_VERIFY, "local %s is used before it is made", name);
  if (c->scopes[e->index] == CLOSED)
    return gj_fail(c->err, GJ_E_VERIFY, "local %s is used outside its block", name);
  return GJ_OK;
}

static gj_status check_place(const checker *c, const gj_lexpr *e) {
  if (e->kind == GJ_LX_LOCAL)
    return check_local(c, e);
  if ((e->kind == GJ_LX_BUFFER || e->kind == GJ_LX_DIM) && !c->f->entry)
    return gj_fail(c->err, GJ_E_VERIFY, "%s<%u> stands outside the entry function", gj__lx_name(e),
                   (unsigned)e->index);
  if (e->kind == GJ_LX_PARALLEL && e->index >= c->f->index && e->index < c->m->func_count)
    return gj_fail(c->err, GJ_E_VERIFY,
                   "parallel call of %s, which does not stand before its caller",
                   c->m->funcs[e->index]->name);
  return GJ_OK;
}

static gj_status check_expr(checker *c, const gj_lexpr *e, bool may_be_nothing) {
  uint64_t size = 1;
  uint32_t depth = 0;
  if (e->depth > GJ_LOOPS_MAX_DEPTH || e->size > GJ_LOOPS_MAX_SIZE)
    return gj_fail(c->err, GJ_E_VERIFY, "%s: the expression has more than %d levels or %d nodes",
                   gj__lx_name(e), GJ_LOOPS_MAX_DEPTH, GJ_LOOPS_MAX_SIZE);
  for (uint32_t i = 0; i < e->arg_count; i++) {
    const gj_lexpr *arg = e->args[i];
    // Depth falls at each step, so this recursion ends even in a tree that someone tied in a knot.
    if (!arg || arg->depth >= e->depth)
      return gj_fail(c->err, GJ_E_VERIFY, "%s: argument %u is missing or not below it",
                     gj__lx_name(e), (unsigned)i);
    GJ_TRY(check_expr(c, arg, false));
    size += arg->size;
    depth = arg->depth > depth ? arg->depth : depth;
  }
  if (e->size != size || e->depth != depth + 1)
    return gj_fail(c->err, GJ_E_VERIFY, "%s: size or depth is not that of its tree",
                   gj__lx_name(e));
  gj_ltype type;
  GJ_TRY(check_place(c, e));
  GJ_TRY(gj__lx_infer(c->m, c->f, e, &type, c->err));
  char a[GJ_LOOPS_TYPE_TEXT], b[GJ_LOOPS_TYPE_TEXT];
  if (!gj_ltype_equal(type, e->type))
    return gj_fail(c->err, GJ_E_VERIFY, "%s: marked as %s, but it is %s", gj__lx_name(e),
                   gj__ltype_text(e->type, a), gj__ltype_text(type, b));
  if (type.dtype == GJ_DTYPE_none && !may_be_nothing)
    return gj_fail(c->err, GJ_E_VERIFY, "call of %s, which returns nothing, used as a value",
                   c->m->funcs[e->index]->name);
  return GJ_OK;
}

// --- statements ---

static gj_status check_block(checker *c, const gj_lblock *b);

static gj_status make_local(checker *c, const gj_lstmt *s, scope kind) {
  if (c->scopes[s->local] != UNSEEN)
    return gj_fail(c->err, GJ_E_VERIFY, "local %s is made twice", c->f->locals[s->local].name);
  c->scopes[s->local] = (uint8_t)kind;
  c->made[c->made_count++] = s->local;
  return GJ_OK;
}

static gj_status check_set(const checker *c, const gj_lstmt *s) {
  const char *name = c->f->locals[s->local].name;
  switch (c->scopes[s->local]) {
  case LET:
    return GJ_OK;
  case UNSEEN:
    return gj_fail(c->err, GJ_E_VERIFY, "local %s is set before it is made", name);
  case CLOSED:
    return gj_fail(c->err, GJ_E_VERIFY, "local %s is set outside its block", name);
  default:
    return gj_fail(c->err, GJ_E_VERIFY, "local %s is set, but it is a %s", name,
                   c->scopes[s->local] == PARAM   ? "param"
                   : c->scopes[s->local] == ARRAY ? "array"
                                                  : "loop variable");
  }
}

static gj_status check_array_size(checker *c, const gj_lstmt *s) {
  const gj_llocal *local = &c->f->locals[s->local];
  c->stack += s->count * (int64_t)gj_dtype_bytes((gj_dtype)local->type.dtype);
  if (c->stack > GJ_LOOPS_MAX_STACK)
    return gj_fail(c->err, GJ_E_VERIFY, "array %s: arrays take %lld bytes of stack, at most %d",
                   local->name, (long long)c->stack, GJ_LOOPS_MAX_STACK);
  return make_local(c, s, ARRAY);
}

static void close_from(checker *c, uint32_t mark) {
  while (c->made_count > mark)
    c->scopes[c->made[--c->made_count]] = CLOSED;
}

static gj_status check_blocks(checker *c, const gj_lstmt *s) {
  bool loop = s->kind == GJ_LS_FOR || s->kind == GJ_LS_WHILE;
  if (++c->nest > GJ_LOOPS_MAX_NEST)
    return gj_fail(c->err, GJ_E_VERIFY, "statements nest more than %d deep", GJ_LOOPS_MAX_NEST);
  c->loops += loop;
  uint32_t mark = c->made_count;
  if (s->kind == GJ_LS_FOR)
    GJ_TRY(make_local(c, s, COUNTER));
  GJ_TRY(check_block(c, &s->body));
  GJ_TRY(check_block(c, &s->orelse));
  close_from(c, mark);
  c->loops -= loop;
  c->nest--;
  return GJ_OK;
}

static const char *leave_name(const gj_lstmt *s) {
  return s->kind == GJ_LS_BREAK ? "break" : "continue";
}

static gj_status check_stmt(checker *c, const gj_lstmt *s) {
  const gj_lexpr *const parts[] = {s->a, s->b, s->c, s->d};
  for (int i = 0; i < 4; i++)
    if (parts[i])
      GJ_TRY(check_expr(c, parts[i], s->kind == GJ_LS_DO));
  GJ_TRY(gj__ls_check(c->f, s, c->err));
  switch (s->kind) {
  case GJ_LS_LET:
    return make_local(c, s, LET);
  case GJ_LS_SET:
    return check_set(c, s);
  case GJ_LS_ARRAY:
    return check_array_size(c, s);
  case GJ_LS_FOR:
  case GJ_LS_WHILE:
  case GJ_LS_IF:
    return check_blocks(c, s);
  case GJ_LS_BREAK:
  case GJ_LS_CONTINUE:
    if (c->loops < s->count)
      return c->loops == 0 ? gj_fail(c->err, GJ_E_VERIFY, "%s outside a loop", leave_name(s))
                           : gj_fail(c->err, GJ_E_VERIFY, "%s %lld inside %u loops", leave_name(s),
                                     (long long)s->count, (unsigned)c->loops);
    return GJ_OK;
  default:
    return GJ_OK;
  }
}

static bool leaves(const gj_lstmt *s) {
  return s->kind == GJ_LS_BREAK || s->kind == GJ_LS_CONTINUE || s->kind == GJ_LS_RETURN;
}

static gj_status check_block(checker *c, const gj_lblock *b) {
  uint32_t mark = c->made_count;
  for (uint32_t i = 0; i < b->count; i++) {
    GJ_TRY(check_stmt(c, b->stmts[i]));
    // Code generators end a basic block here and want nothing behind it.
    if (leaves(b->stmts[i]) && i + 1 < b->count)
      return gj_fail(c->err, GJ_E_VERIFY, "a statement stands behind break, continue or return");
  }
  close_from(c, mark);
  return GJ_OK;
}

// --- functions and modules ---

static gj_status check_type(const gj_lfunc *f, const char *what, gj_ltype type, bool pointers,
                            gj_error *err) {
  char text[GJ_LOOPS_TYPE_TEXT];
  bool known = type.dtype > GJ_DTYPE_none && type.dtype < GJ_DTYPE_COUNT;
  if (!known || type.pointer > 1 || !gj__lanes_ok(type.lanes) ||
      (type.pointer && (type.lanes != 1 || !pointers)))
    return gj_fail(err, GJ_E_VERIFY, "%s: %s has type %s, which is not allowed there", f->name,
                   what, gj__ltype_text(type, text));
  return GJ_OK;
}

static bool is_scalar_of(gj_ltype type, const gj_dtype *dtypes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (gj__ltype_is(type, dtypes[i]))
      return true;
  return false;
}

static gj_status check_exported(const gj_lfunc *f, gj_error *err) {
  static const gj_dtype in_c[] = {GJ_DTYPE_f64, GJ_DTYPE_f32, GJ_DTYPE_i64, GJ_DTYPE_i32,
                                  GJ_DTYPE_u32, GJ_DTYPE_u64, GJ_DTYPE_bool};
  bool ok =
      !f->exported || (!f->entry && (f->returns.dtype == GJ_DTYPE_none ||
                                     is_scalar_of(f->returns, in_c, sizeof in_c / sizeof *in_c)));
  for (uint32_t i = 0; f->exported && i < f->param_count; i++)
    ok = ok && (f->locals[i].type.pointer ||
                is_scalar_of(f->locals[i].type, in_c, sizeof in_c / sizeof *in_c));
  return ok ? GJ_OK
            : gj_fail(err, GJ_E_VERIFY,
                      "%s: an exported function takes pointers and scalars of f64, f32, i64, i32, "
                      "u64, u32 and bool, and returns one of these or nothing",
                      f->name);
}

static gj_status check_external(const gj_lfunc *f, gj_error *err) {
  gj_error why;
  if (!f->external)
    return GJ_OK;
  bool ok = !f->entry && !f->exported && f->body.count == 0 && f->local_count == f->param_count &&
            gj__ltype_is(f->returns, GJ_DTYPE_i32) &&
            gj_custom_name_check(f->external, &why) == GJ_OK;
  for (uint32_t i = 0; i < f->param_count; i++)
    ok = ok && (f->locals[i].type.pointer ? i == 0 || f->locals[i - 1].type.pointer
                                          : gj__ltype_is(f->locals[i].type, GJ_DTYPE_i64));
  return ok ? GJ_OK
            : gj_fail(err, GJ_E_VERIFY,
                      "%s: an external function takes pointers, then i64, returns i32, and has a C "
                      "identifier as symbol and no body",
                      f->name);
}

static gj_status check_library(const gj_lfunc *f, gj_error *err) {
  if (!f->library)
    return GJ_OK;
  const gj_library_function *own = gj_library_find(f->library);
  if (!own)
    return gj_fail(err, GJ_E_VERIFY, "%s: the library has no function \"%s\"", f->name, f->library);
  bool ok = !f->entry && !f->exported && !f->external && f->body.count == 0 &&
            f->local_count == f->param_count && f->param_count == own->params;
  for (uint32_t i = 0; i < f->param_count; i++)
    ok = ok && gj__ltype_is(f->locals[i].type, GJ_DTYPE_i64);
  ok = ok &&
       (own->returns ? gj__ltype_is(f->returns, GJ_DTYPE_i64) : f->returns.dtype == GJ_DTYPE_none);
  return ok ? GJ_OK
            : gj_fail(err, GJ_E_VERIFY,
                      "%s: the library function \"%s\" takes %u i64, returns %s and has no body",
                      f->name, f->library, own->params, own->returns ? "an i64" : "nothing");
}

static gj_status check_signature(const gj_lfunc *f, gj_error *err) {
  bool nothing = f->returns.dtype == GJ_DTYPE_none;
  if (!nothing)
    GJ_TRY(check_type(f, "the result", f->returns, false, err));
  if (f->param_count > f->local_count)
    return gj_fail(err, GJ_E_VERIFY, "%s: %u params but %u locals", f->name,
                   (unsigned)f->param_count, (unsigned)f->local_count);
  for (uint32_t i = 0; i < f->local_count; i++) {
    const gj_llocal *local = &f->locals[i];
    GJ_TRY(check_type(f, local->name, local->type, true, err));
    if (local->flags && (i >= f->param_count || !local->type.pointer))
      return gj_fail(err, GJ_E_VERIFY,
                     "%s: %s is marked noalias or readonly but is no pointer param", f->name,
                     local->name);
    if (i < f->param_count && local->type.lanes != 1)
      return gj_fail(err, GJ_E_VERIFY, "%s: param %s is a vector", f->name, local->name);
  }
  if (f->returns.lanes != 1)
    return gj_fail(err, GJ_E_VERIFY, "%s: returns a vector", f->name);
  if (f->entry && (f->param_count != 0 || !gj__ltype_is(f->returns, GJ_DTYPE_i32)))
    return gj_fail(err, GJ_E_VERIFY, "%s: the entry function takes nothing and returns i32",
                   f->name);
  GJ_TRY(check_exported(f, err));
  GJ_TRY(check_external(f, err));
  GJ_TRY(check_library(f, err));
  if (f->note && strlen(f->note) > UINT16_MAX)
    return gj_fail(err, GJ_E_VERIFY, "%s: the note is longer than %d bytes", f->name, UINT16_MAX);
  return GJ_OK;
}

static gj_status check_names(const gj_lmodule *m, const gj_lfunc *f, gj_error *err) {
  if (!gj__lname_ok(f->name, strlen(f->name)) ||
      gj__lname_find(m, NULL, f->name, strlen(f->name)) != f->index + 1)
    return gj_fail(err, GJ_E_VERIFY, "function name %s is reserved, taken or no identifier",
                   f->name);
  for (uint32_t i = 0; i < f->local_count; i++) {
    const char *name = f->locals[i].name;
    if (!gj__lname_ok(name, strlen(name)) || gj__lname_find(m, f, name, strlen(name)) != i + 1)
      return gj_fail(err, GJ_E_VERIFY, "%s: local name %s is reserved, taken or no identifier",
                     f->name, name);
  }
  return GJ_OK;
}

static gj_status check_body(checker *c) {
  const gj_lfunc *f = c->f;
  for (uint32_t i = 0; i < f->param_count; i++)
    c->scopes[i] = PARAM;
  if (gj_lfunc_is_foreign(f))
    return GJ_OK;
  GJ_TRY(check_block(c, &f->body));
  bool returns = f->body.count && f->body.stmts[f->body.count - 1]->kind == GJ_LS_RETURN;
  if (f->returns.dtype != GJ_DTYPE_none && !returns)
    return gj_fail(c->err, GJ_E_VERIFY, "the last statement is not a return");
  return GJ_OK;
}

static gj_status check_func(const gj_lmodule *m, const gj_lfunc *f, gj_error *err) {
  GJ_TRY(check_signature(f, err));
  GJ_TRY(check_names(m, f, err));
  size_t count = (size_t)f->local_count + 1;
  checker c = {.m = m, .f = f, .err = err};
  c.scopes = calloc(count, sizeof *c.scopes);
  c.made = calloc(count, sizeof *c.made);
  gj_error inner;
  c.err = &inner;
  gj_status status = GJ_OK;
  if (!c.scopes || !c.made)
    status = gj_fail(err, GJ_E_MEMORY, "%s: out of memory while verifying", f->name);
  else if ((status = check_body(&c)) != GJ_OK)
    gj_fail(err, status, "%s: %s", f->name, inner.message);
  free(c.scopes);
  free(c.made);
  return status;
}

gj_status gj_lmodule_verify(const gj_lmodule *m, gj_error *err) {
  if (m->failed)
    return gj_fail(err, m->failed, "%s", m->error.message);
  const gj_lfunc *entry = NULL;
  for (uint32_t i = 0; i < m->func_count; i++) {
    const gj_lfunc *f = m->funcs[i];
    if (f->index != i)
      return gj_fail(err, GJ_E_VERIFY, "%s: is function %u, but says %u", f->name, (unsigned)i,
                     (unsigned)f->index);
    if (f->entry && entry)
      return gj_fail(err, GJ_E_VERIFY, "two entry functions: %s and %s", entry->name, f->name);
    entry = f->entry ? f : entry;
    GJ_TRY(check_func(m, f, err));
  }
  return GJ_OK;
}
