// Rebuilding a graph node by node, with its functions: what simplify.c and fold/control.c share.
#ifndef GJ_PASSES_REBUILD_H
#define GJ_PASSES_REBUILD_H

#include "base/table.h"
#include "ir/graph.h"

// What is done on the way, see passes.def.
enum { GJ__FOLD = 1, GJ__INLINE = 2, GJ__HOIST = 4, GJ__SHRINK = 8 };

// What one rebuilding of a graph with all its functions has.
typedef struct gj__rebuilding {
  gj_arena *scratch;
  gj_table equal;        // hash of a function of `out` → its number + 1
  const uint32_t *sites; // by number in `in`: how often its functions and itself name it
  size_t budget;         // nodes that may still be made by inlining and specialising
  size_t sunk_bytes;     // constants that functions may still get copies of
  uint8_t rules;         // GJ__FOLD and its like; 0: only drop what is not needed
  bool out_of_memory;
} gj__rebuilding;

// One graph on its way from `in` to `out`.
typedef struct gj__rebuild {
  gj__rebuilding *all;
  const gj_graph *in; // the graph, one of its functions, or a function of `out`
  gj_graph *out;
  const uint8_t *live;   // by ref of `in`: 1 for nodes to keep
  gj_ref *map;           // by ref of `in`: the ref in `out`, 0 for others
  gj_ref **results;      // by ref of `in`: of control ops what stands for each result; else NULL
  gj_ref *chain;         // by ref of `in`: see gj__rebuild_chains()
  gj_ref *user;          // by ref of `in`: see gj__rebuild_chains()
  gj_ref *args;          // room for the longest operand list
  const gj_ref *given;   // by input of `in`: what stands for it in `out`; NULL: inputs are made
  const gj_ref *instead; // by ref of `in`: what stands for it in `out`, or 0; NULL: nothing
  int64_t *functions; // by number in `in`: the number in `out`; NULL: `in` is a function of `out`
} gj__rebuild;

// The nodes of `in` that live, as nodes of `out`.
void gj__rebuild_nodes(gj__rebuild *r);
// chain[owner] becomes the last live `result` of it and chain[result] the one before it, 0 at the
// end; user[ref] the live node that names it and is no `result`, `ref` itself where there are
// several or it is an output, 0 where there is none.
void gj__rebuild_chains(const gj__rebuild *r);
// Adds a function of r->out, or finds the one that it is equal to; then it is called by nobody.
int64_t gj__rebuild_add_function(gj__rebuilding *all, gj_graph *function);
// Makes r->results[ref] of a control op whose operands are in r->args (fold/control.c); the ref of
// its first result.
gj_ref gj__rebuild_control(gj__rebuild *r, gj_ref ref);
// The most nodes and the most operands that a graph, its functions left out, has, if they are more.
void gj__measure(const gj_graph *graph, size_t *most_nodes, size_t *most_args);

#endif
