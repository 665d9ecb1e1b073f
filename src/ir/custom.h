// The custom_call ops of a graph; the functions that they may call are in ops/custom.h.
#ifndef GJ_IR_CUSTOM_H
#define GJ_IR_CUSTOM_H

#include "ir/graph.h"
#include "ops/custom.h"

// GJ_OK when all nodes of a graph and its functions call what there is, as it may be called.
gj_status gj_custom_check(const gj_graph *graph, gj_error *err);

typedef bool gj_custom_match(const char *name, const void *context);
// The first custom_call in the functions of a graph, then in the graph itself, whose name `match`
// takes; *out_ref is its number there. NULL when there is none.
const gj_node *gj_custom_first(const gj_graph *graph, gj_custom_match *match, const void *context,
                               gj_ref *out_ref);

#endif
