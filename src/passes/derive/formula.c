// Formulas: what rows of ops.def say of elementwise ops, read and appended as nodes.
//
//   "s / y; -(s / y * r)"     of div: the change s of x, and of y, as a change of the result
//
// One formula per operand, parted by `;`, left out where the operand has no derivative. They are
// linear in s, so reverse mode multiplies a cotangent by them and forward mode a tangent. Names:
// the operands x, y and z, the result r, s; ln2, ln10; elementwise ops as functions. Numbers have
// the dtype of the result. The grammar is that of + - * / with parentheses. Rows are ours, so what
// is wrong in one is an internal error.
#include "passes/derive/rules.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct formula {
  gj__derive *d;
  const char *at;
  gj_ref ref;
  const gj_node *node;
  gj_ref s;
} formula;

static gj_ref sum(formula *f);

static void skip(formula *f) {
  while (*f->at == ' ')
    f->at++;
}

static bool take(formula *f, char c) {
  skip(f);
  if (*f->at != c)
    return false;
  f->at++;
  return true;
}

static gj_ref wrong(formula *f) {
  gj__d_refuse(f->d, f->ref, "its formula is wrong");
  return 0;
}

static gj_ref name(formula *f, const char *text, size_t length) {
  gj_dtype dtype = f->node->type.dtype;
  if (length == 1 && *text >= 'x' && *text <= 'z' && (uint32_t)(*text - 'x') < f->node->arg_count)
    return f->node->args[*text - 'x'];
  if (length == 1 && *text == 'r')
    return f->ref;
  if (length == 1 && *text == 's')
    return f->s;
  if (length == 3 && strncmp(text, "ln2", length) == 0)
    return gj__d_number(f->d, dtype, 0.6931471805599453);
  if (length == 4 && strncmp(text, "ln10", length) == 0)
    return gj__d_number(f->d, dtype, 2.302585092994046);
  return wrong(f);
}

static gj_ref call(formula *f, gj_op op) {
  gj_ref args[3];
  size_t count = 0;
  do
    args[count++] = sum(f);
  while (count < 3 && take(f, ','));
  if (!op || !take(f, ')'))
    return wrong(f);
  for (size_t i = 0; i < count; i++)
    if (!args[i])
      return 0;
  return gj_graph_append(f->d->graph, op, args, count, NULL);
}

static gj_ref atom(formula *f) {
  skip(f);
  if (take(f, '(')) {
    gj_ref inner = sum(f);
    return take(f, ')') ? inner : wrong(f);
  }
  if (take(f, '-'))
    return gj__d_neg(f->d, atom(f));
  if (isdigit((unsigned char)*f->at)) {
    char *end;
    double value = strtod(f->at, &end);
    f->at = end;
    return gj__d_number(f->d, f->node->type.dtype, value);
  }
  const char *text = f->at;
  while (isalnum((unsigned char)*f->at) || *f->at == '_')
    f->at++;
  size_t length = (size_t)(f->at - text);
  return take(f, '(') ? call(f, gj_op_parse(text, length)) : name(f, text, length);
}

static gj_ref product(formula *f) {
  gj_ref a = atom(f);
  for (;;)
    if (take(f, '*'))
      a = gj__d_mul(f->d, a, atom(f));
    else if (take(f, '/'))
      a = gj__d_div(f->d, a, atom(f));
    else
      return a;
}

static gj_ref sum(formula *f) {
  gj_ref a = product(f);
  for (;;)
    if (take(f, '+'))
      a = gj__d_add(f->d, a, product(f));
    else if (take(f, '-'))
      a = gj__d_sub(f->d, a, product(f));
    else
      return a;
}

gj_ref gj__d_formula(gj__derive *d, const char *formulas, gj_ref ref, size_t operand, gj_ref s) {
  formula f = {.d = d, .at = formulas, .ref = ref, .node = gj_graph_node(d->graph, ref), .s = s};
  for (size_t i = 0; i < operand; i++) {
    f.at = strchr(f.at, ';');
    if (!f.at)
      return 0;
    f.at++;
  }
  skip(&f);
  if (*f.at == ';' || !*f.at || !s)
    return 0;
  gj_ref made = sum(&f);
  skip(&f);
  return *f.at == ';' || !*f.at ? made : wrong(&f);
}
