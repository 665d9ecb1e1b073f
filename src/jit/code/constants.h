// The large constants of a graph as its code in this process reads them: where they lie.
//
// Code does not contain them. It knows each by its number among those of the graph, so it may be
// kept on disk and loaded for any graph that is equal, whose constants have the same numbers.
#ifndef GJ_JIT_CODE_CONSTANTS_H
#define GJ_JIT_CODE_CONSTANTS_H

#include "ir/graph.h"
#include "loops/loops.h"

typedef struct gj_constants {
  size_t count;
  gj_storage **list; // held; of the nodes of all functions in order, then of the graph
} gj_constants;

// Empty after a failure.
gj_status gj_constants_init(gj_constants *out_constants, const gj_graph *graph, gj_error *err);
void gj_constants_fini(gj_constants *constants); // a zeroed struct is fine

// Per item of data of a module that was made of the graph 1 + its number, 0 for what passes made;
// in the module's arena.
gj_status gj_constants_place(const gj_constants *constants, gj_lmodule *module,
                             const uint32_t **out_numbers, gj_error *err);
// The bytes of the one whose number a text is, or NULL.
const void *gj_constants_at(const gj_constants *constants, const char *number);

#endif
