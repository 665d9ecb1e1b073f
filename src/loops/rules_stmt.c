// The typing rules of statements; see rules.h. Those of expressions are in rules.c.
#include "loops/rules.h"

static gj_status wrong(const char *what, const char *name, gj_ltype got, gj_ltype wanted,
                       gj_error *err) {
  char a[GJ_LOOPS_TYPE_TEXT], b[GJ_LOOPS_TYPE_TEXT];
  return gj_fail(err, GJ_E_VERIFY, "%s%s%s: the value is %s, expected %s", what, *name ? " " : "",
                 name, gj__ltype_text(got, a), gj__ltype_text(wanted, b));
}

static gj_status check_value(const char *what, const char *name, const gj_lexpr *value,
                             gj_ltype wanted, gj_error *err) {
  gj_ltype got = value ? value->type : (gj_ltype){GJ_DTYPE_none, 0, 1};
  return gj_ltype_equal(got, wanted) ? GJ_OK : wrong(what, name, got, wanted, err);
}

static const gj_lexpr *pointer_root(const gj_lexpr *p) {
  while (p->kind == GJ_LX_OFFSET)
    p = p->args[0];
  return p;
}

static gj_status check_writable(const gj_lfunc *f, const gj_lexpr *pointer, gj_error *err) {
  const gj_lexpr *root = pointer_root(pointer);
  if (root->kind == GJ_LX_DATA)
    return gj_fail(err, GJ_E_VERIFY, "store: data<%u> is constant", (unsigned)root->index);
  if (root->kind == GJ_LX_LOCAL && root->index < f->local_count &&
      (f->locals[root->index].flags & GJ_LOCAL_READONLY))
    return gj_fail(err, GJ_E_VERIFY, "store: %s is readonly", f->locals[root->index].name);
  return GJ_OK;
}

static gj_status check_store(const gj_lfunc *f, const gj_lstmt *s, gj_error *err) {
  if (!s->a || !s->b || !s->c)
    return gj_fail(err, GJ_E_VERIFY, "store: pointer, index or value is missing");
  gj_ltype p = s->a->type;
  char text[GJ_LOOPS_TYPE_TEXT];
  if (!p.pointer)
    return gj_fail(err, GJ_E_VERIFY, "store: to %s, expected a pointer", gj__ltype_text(p, text));
  if (!gj__ltype_is(s->b->type, GJ_DTYPE_i64))
    return wrong("store index", "", s->b->type, gj_ltype_scalar(GJ_DTYPE_i64), err);
  if (s->c->type.pointer || s->c->type.dtype != p.dtype)
    return wrong("store", "", s->c->type, gj_ltype_scalar((gj_dtype)p.dtype), err);
  if (s->d && !gj__is_mask(s->d->type, s->c->type.lanes))
    return gj_fail(err, GJ_E_VERIFY, "store: the mask is %s, expected a bool for each lane of a %s",
                   gj__ltype_text(s->d->type, text), "vector");
  if (s->marks & ~GJ_STORE_STREAM)
    return gj_fail(err, GJ_E_VERIFY, "store: unknown marks %u", (unsigned)s->marks);
  if ((s->marks & GJ_STORE_STREAM) && (s->d || s->c->type.lanes == 1))
    return gj_fail(err, GJ_E_VERIFY, "stream: expected a vector without a mask");
  return check_writable(f, s->a, err);
}

static gj_status check_tile(const gj_lfunc *f, const gj_lstmt *s, gj_error *err) {
  gj_ltype i64 = gj_ltype_scalar(GJ_DTYPE_i64);
  if (!s->a || !s->b || !s->a->type.pointer || !gj_ltype_equal(s->a->type, s->b->type))
    return gj_fail(err, GJ_E_VERIFY, "tile: expected two pointers to elements of one type");
  GJ_TRY(check_value("tile", "index", s->c, i64, err));
  GJ_TRY(check_value("tile", "stride", s->d, i64, err));
  if (s->count < 2 || s->count > GJ_MAX_TILE || (s->count & (s->count - 1)))
    return gj_fail(err, GJ_E_VERIFY, "tile: %lld a side, expected a power of two from 2 to %d",
                   (long long)s->count, GJ_MAX_TILE);
  return check_writable(f, s->a, err);
}

static gj_status check_fetch(const gj_lstmt *s, gj_error *err) {
  if (!s->a || !s->a->type.pointer || s->a->type.lanes != 1)
    return gj_fail(err, GJ_E_VERIFY, "fetch: expected a pointer");
  if (s->marks & ~GJ_FETCH_WRITE)
    return gj_fail(err, GJ_E_VERIFY, "fetch: unknown marks %u", (unsigned)s->marks);
  return GJ_OK;
}

static gj_status check_for(const gj_lfunc *f, const gj_lstmt *s, gj_error *err) {
  gj_ltype i64 = gj_ltype_scalar(GJ_DTYPE_i64);
  const char *name = f->locals[s->local].name;
  if (!gj_ltype_equal(f->locals[s->local].type, i64))
    return wrong("for", name, f->locals[s->local].type, i64, err);
  GJ_TRY(check_value("first value of for", name, s->a, i64, err));
  GJ_TRY(check_value("end of for", name, s->b, i64, err));
  if (s->count <= 0)
    return gj_fail(err, GJ_E_VERIFY, "for %s: step %lld, expected at least 1", name,
                   (long long)s->count);
  if (s->marks & ~(GJ_LOOP_VECTOR | GJ_LOOP_UNROLL | GJ_LOOP_TILE))
    return gj_fail(err, GJ_E_VERIFY, "for %s: unknown marks %u", name, (unsigned)s->marks);
  if (s->d)
    GJ_TRY(check_value("stream condition of for", name, s->d, gj_ltype_scalar(GJ_DTYPE_bool), err));
  if (s->d && !(s->marks & GJ_LOOP_VECTOR))
    return gj_fail(err, GJ_E_VERIFY, "for %s: a stream condition without vector", name);
  if ((s->marks & GJ_LOOP_VECTOR) && (s->factor < 1 || s->factor > GJ_LOOPS_MAX_FACTOR))
    return gj_fail(err, GJ_E_VERIFY, "for %s: vector(%u), expected 1 to %d", name,
                   (unsigned)s->factor, GJ_LOOPS_MAX_FACTOR);
  return GJ_OK;
}

static gj_status check_leave(const gj_lstmt *s, gj_error *err) {
  if (s->count < 1 || s->count > GJ_LOOPS_MAX_NEST)
    return gj_fail(err, GJ_E_VERIFY, "%s %lld: expected a loop from 1 to %d",
                   s->kind == GJ_LS_BREAK ? "break" : "continue", (long long)s->count,
                   GJ_LOOPS_MAX_NEST);
  return GJ_OK;
}

static gj_status check_array(const gj_lfunc *f, const gj_lstmt *s, gj_error *err) {
  const gj_llocal *local = &f->locals[s->local];
  if (!local->type.pointer)
    return wrong("array", local->name, local->type, gj_ltype_pointer((gj_dtype)local->type.dtype),
                 err);
  GJ_TRY(gj__dtype_check("array", local->type.dtype, err));
  int64_t most = GJ_LOOPS_MAX_STACK / (int64_t)gj_dtype_bytes((gj_dtype)local->type.dtype);
  if (s->count < 1 || s->count > most)
    return gj_fail(err, GJ_E_VERIFY, "array %s: %lld elements, expected 1 to %lld", local->name,
                   (long long)s->count, (long long)most);
  return GJ_OK;
}

gj_status gj__ls_check(const gj_lfunc *f, const gj_lstmt *s, gj_error *err) {
  bool writes = s->kind == GJ_LS_LET || s->kind == GJ_LS_SET || s->kind == GJ_LS_ARRAY ||
                s->kind == GJ_LS_FOR;
  if (writes && s->local >= f->local_count)
    return gj_fail(err, GJ_E_VERIFY, "local %u does not exist", (unsigned)s->local);
  switch (s->kind) {
  case GJ_LS_LET:
  case GJ_LS_SET: {
    const gj_llocal *local = &f->locals[s->local];
    if (local->type.dtype == GJ_DTYPE_none)
      return gj_fail(err, GJ_E_VERIFY, "let %s: the value is nothing", local->name);
    return check_value(s->kind == GJ_LS_LET ? "let" : "set", local->name, s->a, local->type, err);
  }
  case GJ_LS_STORE:
    return check_store(f, s, err);
  case GJ_LS_ARRAY:
    return check_array(f, s, err);
  case GJ_LS_FOR:
    return check_for(f, s, err);
  case GJ_LS_TILE:
    return check_tile(f, s, err);
  case GJ_LS_FETCH:
    return check_fetch(s, err);
  case GJ_LS_DIM:
    if (!f->entry || s->count < 0 || s->count > UINT32_MAX)
      return gj_fail(err, GJ_E_VERIFY, "dim<%lld> is set outside the entry function, or is no dim",
                     (long long)s->count);
    return check_value("dim", "", s->a, gj_ltype_scalar(GJ_DTYPE_i64), err);
  case GJ_LS_WHILE:
  case GJ_LS_IF:
    return check_value(s->kind == GJ_LS_IF ? "if" : "while", "", s->a,
                       gj_ltype_scalar(GJ_DTYPE_bool), err);
  case GJ_LS_RETURN:
    return check_value("return", "", s->a, f->returns, err);
  case GJ_LS_DO:
    if (!s->a || s->a->kind != GJ_LX_CALL)
      return gj_fail(err, GJ_E_VERIFY, "do: expected a call");
    return GJ_OK;
  case GJ_LS_RELEASE:
    return check_value("release", "", s->a, gj_ltype_scalar(GJ_DTYPE_i64), err);
  case GJ_LS_ASSUME:
    return check_value("assume", "", s->a, gj_ltype_scalar(GJ_DTYPE_bool), err);
  case GJ_LS_BREAK:
  case GJ_LS_CONTINUE:
    return check_leave(s, err);
  case GJ_LS_FENCE:
    return GJ_OK;
  default:
    return gj_fail(err, GJ_E_VERIFY, "statement kind %u does not exist", (unsigned)s->kind);
  }
}
