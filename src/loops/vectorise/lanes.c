// Lane analysis: which form each local and expression of a loop body takes when the loop is
// widened, and whether it can be widened at all.
//
// The iterations are independent by the loop's mark, so nothing is proved about memory. What has to
// hold is that control flow is the same in every lane, that stores are contiguous, and that nothing
// made outside the loop is set in it. Forms of locals are joined over all their assignments until
// they stop changing: UNKNOWN < UNIFORM, AFFINE(c) < VARYING.

#include "loops/vectorise/lanes.h"

#include "base/size.h"
#include "loops/vectorise/records.h"

#include <stdio.h>
#include <stdlib.h>

enum {
  MAX_PASSES =
      64, // of the fixpoint; each local changes at most twice, chains are short in practice
  // Of expressions: widening adds levels and nodes, and must stay within the limits of the IR.
  MAX_BODY_DEPTH = 96,
  MAX_BODY_SIZE = 8192,
  MANY_OPS = 40 // vector operators from which on a body is heavy
};

static const gj__form uniform = {GJ__FORM_UNIFORM, 0};
static const gj__form varying = {GJ__FORM_VARYING, 0};

static gj__form affine(int64_t stride) {
  return stride ? (gj__form){GJ__FORM_AFFINE, stride} : uniform;
}

// --- forms of expressions ---

// The form of a + sign · b, where strides of known forms are 0 for UNIFORM.
static gj__form form_sum(gj__form a, gj__form b, int sign) {
  int64_t scaled, stride;
  if (a.kind == GJ__FORM_VARYING || b.kind == GJ__FORM_VARYING)
    return varying;
  if (!gj_mul_i64(b.stride, sign, &scaled) || !gj_add_i64(a.stride, scaled, &stride))
    return varying;
  return affine(stride);
}

static gj__form form_product(gj__form a, const gj_lexpr *b) {
  int64_t stride;
  if (b->kind != GJ_LX_CONST || !gj_mul_i64(a.stride, b->value.v.i, &stride))
    return varying;
  return affine(stride);
}

static gj__form form_op(const gj__lanes *lanes, const gj_lexpr *e) {
  gj__form forms[3];
  bool all_uniform = true, any_varying = false;
  for (uint32_t i = 0; i < e->arg_count; i++) {
    forms[i] = gj__lanes_form(lanes, e->args[i]);
    all_uniform = all_uniform && forms[i].kind == GJ__FORM_UNIFORM;
    any_varying = any_varying || forms[i].kind == GJ__FORM_VARYING;
  }
  if (all_uniform)
    return uniform;
  if (any_varying || e->type.dtype != GJ_DTYPE_i64)
    return varying;
  // Wrapping i64 arithmetic keeps an affine form affine, as the strides wrap with it.
  switch ((int)e->op) {
  case GJ_OP_add:
    return form_sum(forms[0], forms[1], 1);
  case GJ_OP_sub:
    return form_sum(forms[0], forms[1], -1);
  case GJ_OP_neg:
    return form_sum(uniform, forms[0], -1);
  case GJ_OP_mul:
    return e->args[1]->kind == GJ_LX_CONST ? form_product(forms[0], e->args[1])
                                           : form_product(forms[1], e->args[0]);
  default:
    return varying;
  }
}

gj__form gj__lanes_address(const gj__lanes *lanes, const gj_lexpr *pointer, const gj_lexpr *index) {
  return form_sum(gj__lanes_form(lanes, pointer), gj__lanes_form(lanes, index), 1);
}

static gj__form form_of_uniform_args(const gj__lanes *lanes, const gj_lexpr *e) {
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (gj__lanes_form(lanes, e->args[i]).kind != GJ__FORM_UNIFORM)
      return varying;
  return uniform;
}

gj__form gj__lanes_form(const gj__lanes *lanes, const gj_lexpr *e) {
  switch (e->kind) {
  case GJ_LX_LOCAL:
    if (e->index == lanes->loop->local)
      return affine(1);
    // A local is assigned before it is read, so UNKNOWN never decides anything.
    if (e->index >= lanes->count || !lanes->inside[e->index] ||
        lanes->forms[e->index].kind == GJ__FORM_UNKNOWN)
      return uniform;
    return lanes->forms[e->index];
  case GJ_LX_OP:
    return form_op(lanes, e);
  case GJ_LX_WRAP:
  case GJ_LX_OVERFLOWS:
    return form_of_uniform_args(lanes, e);
  case GJ_LX_LOAD:
    return gj__lanes_address(lanes, e->args[0], e->args[1]).kind == GJ__FORM_UNIFORM ? uniform
                                                                                     : varying;
  case GJ_LX_OFFSET:
    return gj__lanes_address(lanes, e->args[0], e->args[1]);
  case GJ_LX_SCRATCH:
    return gj__lanes_form(lanes, e->args[0]).kind == GJ__FORM_UNIFORM ? uniform : varying;
  default:
    return uniform;
  }
}

// --- appending ---

static bool is_local(const gj_lexpr *e, uint32_t local) {
  return e->kind == GJ_LX_LOCAL && e->index == local;
}

static bool is_op(const gj_lexpr *e, gj_op op) { return e->kind == GJ_LX_OP && e->op == op; }

// count = add(count, convert<i64>(taken))
static bool is_count(const gj_lstmt *s, gj__append *out) {
  if (s->kind != GJ_LS_SET || !is_op(s->a, GJ_OP_add) || !is_local(s->a->args[0], s->local) ||
      !is_op(s->a->args[1], GJ_OP_convert) || s->a->type.dtype != GJ_DTYPE_i64)
    return false;
  *out = (gj__append){.count = s->local, .taken = s->a->args[1]->args[0]};
  return out->taken->type.dtype == GJ_DTYPE_bool;
}

bool gj__append_of(const gj_lstmt *s, gj__append *out) {
  if (is_count(s, out))
    return true;
  if (s->kind != GJ_LS_IF || s->orelse.count || s->body.count != 2 || !is_op(s->a, GJ_OP_lt))
    return false;
  const gj_lstmt *store = s->body.stmts[0];
  if (!is_count(s->body.stmts[1], out) || !is_local(s->a->args[0], out->count) ||
      store->kind != GJ_LS_STORE || store->d || !is_local(store->b, out->count))
    return false;
  out->end = s->a->args[1];
  out->pointer = store->a;
  out->value = store->c;
  return true;
}

static bool asks(const gj_lexpr *e, uint32_t local) {
  if (is_local(e, local))
    return true;
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (asks(e->args[i], local))
      return true;
  return false;
}

// --- can it be widened? ---

static bool refuse(gj__lanes *lanes, const char *what, const char *name) {
  snprintf(lanes->why, sizeof lanes->why, "%s%s%.100s", what, *name ? " " : "", name);
  return false;
}

static bool scan_expr(gj__lanes *lanes, const gj_lexpr *e) {
  if (e->depth > MAX_BODY_DEPTH || e->size > MAX_BODY_SIZE)
    return refuse(lanes, "an expression is too large", "");
  if (gj_lexpr_calls(e))
    return refuse(lanes, "it calls a function", "");
  if (gj_lexpr_acts(e))
    return refuse(lanes, "it asks for memory", "");
  if (e->kind == GJ_LX_AHEAD || e->kind == GJ_LX_IS_NULL || e->kind == GJ_LX_ADDRESS ||
      e->kind == GJ_LX_POINTER || e->kind == GJ_LX_TOO_DEEP)
    return refuse(lanes, "it asks where memory lies", "");
  if (e->type.lanes != 1)
    return refuse(lanes, "it holds vectors already", "");
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (!scan_expr(lanes, e->args[i]))
      return false;
  return true;
}

static bool scan_stmt(gj__lanes *lanes, const gj_lstmt *s, unsigned loops) {
  const char *name = s->local < lanes->count ? lanes->f->locals[s->local].name : "";
  switch (s->kind) {
  case GJ_LS_LET:
  case GJ_LS_FOR:
    lanes->inside[s->local] = GJ__INSIDE_MADE;
    return true;
  case GJ_LS_SET:
    if (!lanes->inside[s->local])
      return refuse(lanes, "it sets a local that is made outside the loop:", name);
    lanes->inside[s->local] = GJ__INSIDE_SET;
    return true;
  case GJ_LS_ARRAY:
    return refuse(lanes, "it makes an array:", name);
  case GJ_LS_BREAK:
  case GJ_LS_CONTINUE:
    return loops >= s->count || refuse(lanes, "it has a break or continue of its own", "");
  case GJ_LS_RETURN:
    return refuse(lanes, "it returns", "");
  case GJ_LS_DO:
    return refuse(lanes, "it calls a function", "");
  case GJ_LS_FETCH:
    return refuse(lanes, "it fetches memory", "");
  case GJ_LS_DIM:
    return refuse(lanes, "it sets a dim", "");
  case GJ_LS_RELEASE:
    return refuse(lanes, "it releases memory", "");
  case GJ_LS_ASSUME:
    return refuse(lanes, "it assumes something", "");
  default:
    return true;
  }
}

static bool scan_append(gj__lanes *lanes, const gj__append *a) {
  const char *name = lanes->f->locals[a->count].name;
  if (lanes->inside[a->count] || lanes->counts[a->count])
    return refuse(lanes, "it counts twice by", name);
  lanes->counts[a->count] = lanes->appends = true;
  const gj_lexpr *const parts[] = {a->taken, a->end, a->pointer, a->value};
  for (int k = 0; k < (a->pointer ? 4 : 1); k++)
    if (!scan_expr(lanes, parts[k]))
      return false;
  return true;
}

// Marks the locals made in the body and refuses what no form could save.
static bool scan_block(gj__lanes *lanes, const gj_lblock *b, unsigned loops) {
  gj__append append;
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    if (loops == 0 && gj__append_of(s, &append) && !lanes->inside[append.count]) {
      if (!scan_append(lanes, &append))
        return false;
      continue;
    }
    unsigned inner = loops + (s->kind == GJ_LS_FOR || s->kind == GJ_LS_WHILE);
    if (!scan_stmt(lanes, s, loops) || (s->a && !scan_expr(lanes, s->a)) ||
        (s->b && !scan_expr(lanes, s->b)) || (s->c && !scan_expr(lanes, s->c)) ||
        !scan_block(lanes, &s->body, inner) || !scan_block(lanes, &s->orelse, loops))
      return false;
  }
  return true;
}

static bool append_asks(const gj__append *a, uint32_t local) {
  bool appends = a->pointer != NULL;
  return asks(a->taken, local) ||
         (appends && (asks(a->end, local) || asks(a->pointer, local) || asks(a->value, local)));
}

// Whether something in the body but the counting itself asks for what is counted.
static bool asks_count(const gj__lanes *lanes, const gj_lblock *b, uint32_t local) {
  gj__append a;
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    if (gj__append_of(s, &a) && a.count == local) {
      if (append_asks(&a, local))
        return true;
      continue;
    }
    if ((s->a && asks(s->a, local)) || (s->b && asks(s->b, local)) || (s->c && asks(s->c, local)) ||
        asks_count(lanes, &s->body, local) || asks_count(lanes, &s->orelse, local))
      return true;
  }
  return false;
}

static bool check_counts(gj__lanes *lanes) {
  for (uint32_t i = 0; lanes->appends && i < lanes->count; i++)
    if (lanes->counts[i] && asks_count(lanes, &lanes->loop->body, i))
      return refuse(lanes, "it asks for what it counts:", lanes->f->locals[i].name);
  return true;
}

static bool join(gj__form *form, gj__form with) {
  if (form->kind == GJ__FORM_VARYING || (form->kind == with.kind && form->stride == with.stride))
    return false;
  *form = form->kind == GJ__FORM_UNKNOWN ? with : varying;
  return true;
}

static bool is_append(const gj__lanes *lanes, const gj_lstmt *s, gj__append *out) {
  return lanes->appends && gj__append_of(s, out) && lanes->counts[out->count];
}

static bool spread(gj__lanes *lanes, const gj_lblock *b) {
  bool changed = false;
  gj__append append;
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    if (is_append(lanes, s, &append))
      continue;
    if (s->kind == GJ_LS_LET || s->kind == GJ_LS_SET)
      changed |= join(&lanes->forms[s->local], gj__lanes_form(lanes, s->a));
    if (s->kind == GJ_LS_FOR)
      changed |= join(&lanes->forms[s->local], uniform);
    changed |= spread(lanes, &s->body);
    changed |= spread(lanes, &s->orelse);
  }
  return changed;
}

static bool is_uniform(const gj__lanes *lanes, const gj_lexpr *e) {
  return gj__lanes_form(lanes, e).kind == GJ__FORM_UNIFORM;
}

// A pointer may vary only through offsets of a load, which become gather indices.
static bool check_pointers(gj__lanes *lanes, const gj_lexpr *e) {
  if (e->kind == GJ_LX_SCRATCH && !is_uniform(lanes, e))
    return refuse(lanes, "a scratch offset differs per lane", "");
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (!check_pointers(lanes, e->args[i]))
      return false;
  return true;
}

static bool check_stmt(gj__lanes *lanes, const gj_lstmt *s) {
  switch (s->kind) {
  case GJ_LS_LET:
  case GJ_LS_SET:
    return !s->a->type.pointer || lanes->forms[s->local].kind != GJ__FORM_VARYING ||
           refuse(lanes, "a pointer differs per lane:", lanes->f->locals[s->local].name);
  case GJ_LS_STORE: {
    gj__form form = gj__lanes_address(lanes, s->a, s->b);
    return (form.kind == GJ__FORM_AFFINE && form.stride == 1) ||
           refuse(lanes, "a store is not contiguous", "");
  }
  case GJ_LS_FOR:
    return (is_uniform(lanes, s->a) && is_uniform(lanes, s->b)) ||
           refuse(lanes, "bounds differ per lane: for", lanes->f->locals[s->local].name);
  case GJ_LS_WHILE:
  case GJ_LS_IF:
    return is_uniform(lanes, s->a) || refuse(lanes, "a condition differs per lane", "");
  default:
    return true;
  }
}

static bool check_append(gj__lanes *lanes, const gj__append *a) {
  if (!a->pointer)
    return true;
  return (is_uniform(lanes, a->end) && is_uniform(lanes, a->pointer) &&
          a->pointer->type.dtype != GJ_DTYPE_bool) ||
         refuse(lanes, "where it appends differs per lane, or is of bool", "");
}

static bool check_block(gj__lanes *lanes, const gj_lblock *b) {
  gj__append append;
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    if (is_append(lanes, s, &append)) {
      if (!check_append(lanes, &append) || !check_pointers(lanes, append.taken) ||
          (append.value && !check_pointers(lanes, append.value)))
        return false;
      continue;
    }
    if ((s->a && !check_pointers(lanes, s->a)) || (s->b && !check_pointers(lanes, s->b)) ||
        (s->c && !check_pointers(lanes, s->c)) || !check_stmt(lanes, s) ||
        !check_block(lanes, &s->body) || !check_block(lanes, &s->orelse))
      return false;
  }
  return true;
}

// --- the widest element ---

static void widen_to(gj__lanes *lanes, unsigned dtype) {
  unsigned bytes = (unsigned)gj_dtype_bytes((gj_dtype)dtype);
  if (bytes > lanes->widest)
    lanes->widest = bytes;
}

// Counts what `e` handles in vectors. i64 is counted only where it is data, that is loaded or
// stored and not just an index: index arithmetic must not halve the lanes of an f32 kernel.
static bool measure_expr(gj__lanes *lanes, const gj_lexpr *e, bool data) {
  if (gj__lanes_form(lanes, e).kind != GJ__FORM_VARYING)
    return false;
  bool changed = false, narrow = e->type.dtype != GJ_DTYPE_i64;
  if (e->kind == GJ_LX_LOCAL && data && !lanes->as_data[e->index]) {
    lanes->as_data[e->index] = 1;
    changed = true;
  }
  if (narrow || (data && e->kind == GJ_LX_LOAD))
    if (!e->type.pointer)
      widen_to(lanes, e->type.dtype);
  bool inner = e->kind == GJ_LX_OP && (narrow || data);
  for (uint32_t i = 0; i < e->arg_count; i++)
    changed |= measure_expr(lanes, e->args[i], inner);
  return changed;
}

static bool measure_block(gj__lanes *lanes, const gj_lblock *b) {
  bool changed = false;
  gj__append append;
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    if (is_append(lanes, s, &append)) {
      changed |= measure_expr(lanes, append.taken, true);
      unsigned bytes =
          append.pointer ? (unsigned)gj_dtype_bytes((gj_dtype)append.pointer->type.dtype) : 0;
      lanes->appended = bytes > lanes->appended ? bytes : lanes->appended;
      widen_to(lanes, append.pointer ? append.pointer->type.dtype : GJ_DTYPE_bool);
      if (append.value)
        changed |= measure_expr(lanes, append.value, true);
      continue;
    }
    if (s->kind == GJ_LS_LET || s->kind == GJ_LS_SET)
      changed |=
          measure_expr(lanes, s->a, s->a->type.dtype != GJ_DTYPE_i64 || lanes->as_data[s->local]);
    if (s->kind == GJ_LS_STORE) {
      widen_to(lanes, s->a->type.dtype);
      changed |= measure_expr(lanes, s->b, false);
      changed |= measure_expr(lanes, s->c, true);
    }
    changed |= measure_block(lanes, &s->body);
    changed |= measure_block(lanes, &s->orelse);
  }
  return changed;
}

// --- what the body touches, and how much it does ---

static unsigned flops_of(const gj_lexpr *e) {
  const gj_op_info *op = gj_op_get((gj_op)e->op);
  unsigned flops = gj_dtype_bytes((gj_dtype)e->type.dtype) > 4 ? op->wide_flops : op->narrow_flops;
  return flops ? flops : 1;
}

// Counts operators whose lanes differ, an elementary function as many.
static unsigned survey_expr(gj__lanes *lanes, const gj_lexpr *e) {
  if (gj__lanes_form(lanes, e).kind != GJ__FORM_VARYING)
    return 0;
  unsigned work = e->kind == GJ_LX_OP;
  if (e->kind == GJ_LX_OP && (gj_op_get((gj_op)e->op)->flags & GJ_OP_COSTLY))
    work = MANY_OPS;
  if (e->kind == GJ_LX_OP)
    lanes->flops += flops_of(e);
  if (e->kind == GJ_LX_LOAD) {
    unsigned bytes = (unsigned)gj_dtype_bytes((gj_dtype)e->type.dtype);
    gj__form form = gj__lanes_address(lanes, e->args[0], e->args[1]);
    lanes->touched |= bytes;
    bool dense = form.kind == GJ__FORM_AFFINE && (form.stride == 1 || form.stride == -1);
    if (!dense && !gj__is_record(form))
      lanes->strewn |= bytes;
    lanes->records = lanes->records || gj__is_record(form);
  }
  for (uint32_t i = 0; i < e->arg_count; i++)
    work += survey_expr(lanes, e->args[i]);
  return work;
}

static unsigned survey_block(gj__lanes *lanes, const gj_lblock *b) {
  unsigned work = 0;
  gj__append append;
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    if (is_append(lanes, s, &append)) {
      work += survey_expr(lanes, append.taken);
      work += append.value ? survey_expr(lanes, append.value) : 0;
      continue;
    }
    const gj_lexpr *const parts[] = {s->a, s->b, s->c};
    for (int k = 0; k < 3; k++)
      work += parts[k] ? survey_expr(lanes, parts[k]) : 0;
    if (s->kind == GJ_LS_STORE)
      lanes->touched |= (unsigned)gj_dtype_bytes((gj_dtype)s->a->type.dtype);
    lanes->nested = lanes->nested || s->kind == GJ_LS_FOR || s->kind == GJ_LS_WHILE;
    work += survey_block(lanes, &s->body) + survey_block(lanes, &s->orelse);
  }
  return work;
}

// --- entry ---

bool gj__lanes_init(gj__lanes *lanes, const gj_lfunc *f, const gj_lstmt *loop) {
  *lanes = (gj__lanes){.f = f, .loop = loop, .count = f->local_count};
  size_t count = (size_t)f->local_count + 1;
  lanes->inside = calloc(count, sizeof *lanes->inside);
  lanes->as_data = calloc(count, sizeof *lanes->as_data);
  lanes->counts = calloc(count, sizeof *lanes->counts);
  lanes->forms = calloc(count, sizeof *lanes->forms);
  if (!lanes->inside || !lanes->as_data || !lanes->counts || !lanes->forms)
    return refuse(lanes, "out of memory", "");
  if (!scan_block(lanes, &loop->body, 0) || !check_counts(lanes))
    return false;
  int passes = 0;
  while (spread(lanes, &loop->body))
    if (++passes > MAX_PASSES)
      return refuse(lanes, "its locals depend on each other in a long chain", "");
  if (!check_block(lanes, &loop->body))
    return false;
  // Cut short, this only chooses more lanes than it might have.
  for (passes = 0; passes < MAX_PASSES && measure_block(lanes, &loop->body); passes++)
    continue;
  lanes->heavy = survey_block(lanes, &loop->body) >= MANY_OPS;
  return lanes->widest > 0 || refuse(lanes, "it stores nothing", "");
}

void gj__lanes_fini(gj__lanes *lanes) {
  free(lanes->inside);
  free(lanes->as_data);
  free(lanes->counts);
  free(lanes->forms);
}
