// Derivatives of programs by their parameters, as nodes.
#ifndef GJ_POPULATION_DERIVE_H
#define GJ_POPULATION_DERIVE_H

#include "base/status.h"
#include "population/nodes.h"

// The parameters that one root depends on, and the derivative by each: nodes both. Arrays grow.
typedef struct gj__derivatives {
  uint32_t *parameters, *values;
  size_t count, parameter_capacity, value_capacity;
} gj__derivatives;

void gj__derivatives_fini(gj__derivatives *derivatives);

typedef struct gj__deriver gj__deriver;

// Works on `nodes`, to which it appends.
gj__deriver *gj__deriver_new(gj__nodes *nodes); // NULL without memory
void gj__deriver_free(gj__deriver *deriver);

// In reverse mode, by the formulas of ops.def; 0 where an op has no derivative. Parameters come in
// the order of their numbers.
gj_status gj__derive(gj__deriver *deriver, uint32_t root, gj__derivatives *out, gj_error *err);

#endif
