// See apart.h. Whether an operator is taken apart is asked of the target; of loads those are that
// gather, where the machine does not.
#include "loops/vectorise/apart.h"

#include "ops/op.h"

#include <stdio.h>

typedef struct finder {
  const gj__lanes *lanes;
  const gj_loops_machine *machine;
  const gj_lexpr *first;
  bool more;
} finder;

static bool varies(const finder *f, const gj_lexpr *e) {
  return gj__lanes_form(f->lanes, e).kind == GJ__FORM_VARYING;
}

static bool taken_apart(const finder *f, const gj_lexpr *e) {
  if (e->kind == GJ_LX_LOAD) {
    gj__form form = gj__lanes_address(f->lanes, e->args[0], e->args[1]);
    unsigned bytes = (unsigned)gj_dtype_bytes((gj_dtype)e->type.dtype);
    return form.kind == GJ__FORM_VARYING && !(f->machine->gathers & bytes);
  }
  if (e->kind != GJ_LX_OP || !f->machine->takes_apart)
    return false;
  return f->machine->takes_apart(e, !varies(f, e->args[e->arg_count - 1]));
}

static bool same_operation(const gj_lexpr *a, const gj_lexpr *b) {
  return a->kind == b->kind && a->op == b->op && a->type.dtype == b->type.dtype;
}

static void find_in_expr(finder *f, const gj_lexpr *e) {
  if (!e || !varies(f, e))
    return;
  if (taken_apart(f, e)) {
    f->more = f->more || (f->first && !same_operation(f->first, e));
    f->first = f->first ? f->first : e;
  }
  for (uint32_t i = 0; i < e->arg_count; i++)
    find_in_expr(f, e->args[i]);
}

static void find_in_block(finder *f, const gj_lblock *b) {
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    find_in_expr(f, s->a);
    find_in_expr(f, s->b);
    find_in_expr(f, s->c);
    find_in_block(f, &s->body);
    find_in_block(f, &s->orelse);
  }
}

void gj__apart(const gj__lanes *lanes, const gj_loops_machine *machine, char *text,
               size_t capacity) {
  finder f = {.lanes = lanes, .machine = machine};
  find_in_block(&f, &lanes->loop->body);
  text[0] = '\0';
  if (!f.first)
    return;
  const gj_lexpr *e = f.first;
  bool load = e->kind == GJ_LX_LOAD;
  gj_dtype from = load ? (gj_dtype)e->type.dtype : (gj_dtype)e->args[0]->type.dtype;
  bool convert = !load && e->op == GJ_OP_convert;
  snprintf(text, capacity, ", %s of %s%s%s%s lane by lane",
           load ? "gather" : gj_op_name((gj_op)e->op), gj_dtype_name(from), convert ? " to " : "",
           convert ? gj_dtype_name((gj_dtype)e->type.dtype) : "", f.more ? " and others" : "");
}
