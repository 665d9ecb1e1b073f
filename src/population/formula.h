// Formulas of derivatives (ops.def) as bodies, which gj__body_apply() takes.
#ifndef GJ_POPULATION_FORMULA_H
#define GJ_POPULATION_FORMULA_H

#include "population/language.h"

// Operands of such a body: those of the op, its result, and the change that is carried on.
enum { GJ__FORMULA_RESULT = 3, GJ__FORMULA_CHANGE = 4, GJ__FORMULA_OPERANDS = 5 };

typedef struct gj__formula {
  uint32_t starts[2];
  int32_t tokens[GJ_MOST_BODY];
  double constants[GJ_MOST_BODY];
} gj__formula;

// By operand number `operand` of an op; false where it has no derivative.
bool gj__formula_read(gj_op op, size_t operand, gj__formula *out);

#endif
