// See formula.h. The grammar is that of passes/derive/formula.c, by which nodes of graphs are made;
// here the same text becomes tokens in postfix order. Rows are ours, so they are not checked.
#include "population/formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// NULL where an op has no formula.
static const char *const formulas[GJ_OP_COUNT] = {
#define GJ_OP(name, ...) [GJ_OP_##name] =
#define GJ_FORMULA(text) text,
#define GJ_DERIVE(reverse, forward) NULL,
#include "ops/ops.def"
};

typedef struct reader {
  const char *at;
  gj__formula *out;
  uint32_t count;
} reader;

static void put(reader *r, int32_t token, double constant) {
  r->out->tokens[r->count] = token;
  r->out->constants[r->count++] = constant;
}

static bool take(reader *r, char c) {
  while (*r->at == ' ')
    r->at++;
  if (*r->at != c)
    return false;
  r->at++;
  return true;
}

static void sum(reader *r);

static void put_name(reader *r, const char *text, size_t length) {
  if (length > 1)
    put(r, GJ_TOKEN_CONSTANT, length == 3 ? 0.6931471805599453 : 2.302585092994046); // ln2, ln10
  else if (*text == 'r')
    put(r, GJ_TOKEN_VARIABLE - GJ__FORMULA_RESULT, 0);
  else if (*text == 's')
    put(r, GJ_TOKEN_VARIABLE - GJ__FORMULA_CHANGE, 0);
  else
    put(r, GJ_TOKEN_VARIABLE - (*text - 'x'), 0);
}

static void atom(reader *r) {
  if (take(r, '(')) {
    sum(r);
    take(r, ')');
    return;
  }
  if (take(r, '-')) {
    atom(r);
    put(r, GJ_OP_neg, 0);
    return;
  }
  if (isdigit((unsigned char)*r->at)) {
    char *end;
    put(r, GJ_TOKEN_CONSTANT, strtod(r->at, &end));
    r->at = end;
    return;
  }
  const char *text = r->at;
  while (isalnum((unsigned char)*r->at) || *r->at == '_')
    r->at++;
  size_t length = (size_t)(r->at - text);
  if (!take(r, '(')) {
    put_name(r, text, length);
    return;
  }
  do
    sum(r);
  while (take(r, ','));
  take(r, ')');
  put(r, (int32_t)gj_op_parse(text, length), 0);
}

static void product(reader *r) {
  atom(r);
  for (;;) {
    gj_op op = take(r, '*') ? GJ_OP_mul : take(r, '/') ? GJ_OP_div : GJ_OP_none;
    if (!op)
      return;
    atom(r);
    put(r, (int32_t)op, 0);
  }
}

static void sum(reader *r) {
  product(r);
  for (;;) {
    gj_op op = take(r, '+') ? GJ_OP_add : take(r, '-') ? GJ_OP_sub : GJ_OP_none;
    if (!op)
      return;
    product(r);
    put(r, (int32_t)op, 0);
  }
}

bool gj__formula_read(gj_op op, size_t operand, gj__formula *out) {
  reader r = {.at = formulas[op], .out = out};
  for (size_t i = 0; i < operand && r.at; i++) {
    r.at = strchr(r.at, ';');
    r.at += r.at != NULL;
  }
  if (!r.at || take(&r, ';') || !*r.at)
    return false;
  sum(&r);
  out->starts[0] = 0;
  out->starts[1] = r.count;
  return true;
}
