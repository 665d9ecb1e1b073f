// C functions that graphs call by name: the custom_call op.
//
// A function is registered for the life of the process, since compiled code keeps its address.
// Reference evaluator, loop interpreter and compiled code all call the same one. Besides C
// functions there are those that others have compiled (jit/function/op.h).
#ifndef GJ_OPS_CUSTOM_H
#define GJ_OPS_CUSTOM_H

#include "base/exec.h"
#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// buffers: the row-major elements of each operand, which must not be written, then room for those
// of the result. sizes: the sizes of all axes of all operands, one after the other, then those of
// the result. Returns 0, or anything else to make the run fail. It may be called by any thread, by
// several at once, more often or less often than it stands in a graph, and must give the same for
// the same operands.
typedef int32_t gj_custom_fn(void *const *buffers, const int64_t *sizes);

struct gj_graph; // of ir/, which stands above: only passed on
struct gj_node;

// What stands behind a name. Compiled code knows the first field.
typedef struct gj_custom gj_custom;
struct gj_custom {
  // `exec` is that of the thread. Not 0: the call failed, and gj_custom_refuse() may have said why.
  int32_t (*call)(const gj_custom *own, void *const *buffers, const int64_t *sizes,
                  const gj_exec *exec);
  // Whether a node may call it; NULL: it is believed to look for itself.
  gj_status (*check)(const gj_custom *own, const struct gj_graph *graph, const struct gj_node *node,
                     gj_error *err);
};

// Begins the names of functions of our own that believe what their operands hold, so that texts of
// strangers must not call them.
#define GJ_CUSTOM_OWN "gj__"

// `name` is a C identifier of at most 255 bytes. A name may be registered again only for the same
// function. Thread-safe, as all of these are.
gj_status gj_custom_register(const char *name, gj_custom_fn *function, gj_error *err);
// The same for what is no C function. It must stay as long as the process does.
gj_status gj_custom_add(const char *name, const gj_custom *custom, gj_error *err);
// GJ_OK when `name` is such an identifier.
gj_status gj_custom_name_check(const char *name, gj_error *err);
// NULL when there is none.
const gj_custom *gj_custom_find(const char *name);
// Whether it is a C function, which programs outside of this process can be linked with.
bool gj_custom_is_c(const gj_custom *custom);

// Why a call failed: the first of a run.
typedef struct gj_refusal {
  atomic_bool taken;
  gj_error error; // of a call that has said why, else zero
} gj_refusal;

void gj_custom_refuse(const gj_exec *exec, gj_status code, const char *format, ...) GJ_PRINTF(3, 4);

#endif
