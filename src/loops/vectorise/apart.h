// What a machine does lane by lane of a loop that is vectorised.
#ifndef GJ_LOOPS_VECTORISE_APART_H
#define GJ_LOOPS_VECTORISE_APART_H

#include "loops/vectorise/lanes.h"

// ", div of i64 lane by lane": the first of the operations, and whether there are more. Empty where
// vector instructions do everything.
void gj__apart(const gj__lanes *lanes, const gj_loops_machine *machine, char *text,
               size_t capacity);

#endif
