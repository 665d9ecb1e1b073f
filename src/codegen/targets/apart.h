// Operators that a target does lane by lane.
#ifndef GJ_CODEGEN_TARGETS_APART_H
#define GJ_CODEGEN_TARGETS_APART_H

#include "codegen/targets/target.h"

// NULL: none.
gj_takes_apart *gj_target_takes_apart(const gj_target *target);

#endif
