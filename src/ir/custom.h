// C functions that graphs call by name: the custom_call op.
//
// A function is registered for the life of the process, since compiled code keeps its address.
// Reference evaluator, loop interpreter and compiled code all call the same one.
#ifndef GJ_IR_CUSTOM_H
#define GJ_IR_CUSTOM_H

#include "ir/graph.h"

#include <stdint.h>

// buffers: the row-major elements of each operand, which must not be written, then room for those
// of the result. sizes: the sizes of all axes of all operands, one after the other, then those of
// the result. Returns 0, or anything else to make the run fail. It may be called by any thread, by
// several at once, more often or less often than it stands in a graph, and must give the same for
// the same operands.
typedef int32_t gj_custom_fn(void *const *buffers, const int64_t *sizes);

// `name` is a C identifier of at most 255 bytes. A name may be registered again only for the same
// function. Thread-safe.
gj_status gj_custom_register(const char *name, gj_custom_fn *function, gj_error *err);
// GJ_OK when `name` is such an identifier.
gj_status gj_custom_name_check(const char *name, gj_error *err);
// NULL when there is none. Thread-safe.
gj_custom_fn *gj_custom_find(const char *name);

typedef bool gj_custom_match(const char *name, const void *context);
// The first custom_call in the functions of a graph, then in the graph itself, whose name `match`
// takes; *out_ref is its number there. NULL when there is none.
const gj_node *gj_custom_first(const gj_graph *graph, gj_custom_match *match, const void *context,
                               gj_ref *out_ref);

#endif
