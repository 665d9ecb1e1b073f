// Graph IR: typed tensor values in an append-only array.
//
// A graph is a list of nodes; a gj_ref is the index of one (0 is "no value"). Operands stand before
// their users, so the array is a topological order. Nothing is edited in place, but for what
// gj_graph_widen() adds: a pass reads one graph and builds another. One arena per graph owns
// everything but the elements of large constants, which it shares with its copies and with what is
// compiled of it; freeing the graph frees it all.
//
// Typing. An elementwise op takes operands of one dtype (its row says which) whose shapes broadcast
// as in NumPy; conversion between dtypes is a node (convert). gj_graph_op() accepts what a user
// means and inserts those conversions (array-API promotion); gj_graph_append() takes a node exactly
// as written and is what the parser and the passes use.
//
// Appending is sticky: after the first failure every call returns 0 and the first error is kept
// until gj_graph_take_error(), so a chain of calls can be checked once.
//
// Thread-compatible: many readers or one writer.
#ifndef GJ_IR_GRAPH_H
#define GJ_IR_GRAPH_H

#include "base/arena.h"
#include "base/status.h"
#include "base/storage.h"
#include "base/strbuf.h"
#include "ir/dims/dims.h"
#include "ops/dtype.h"
#include "ops/op.h"

#define GJ_MAX_SORT_OPERANDS 16
#define GJ_MAX_CHOSEN 16 // values of a compress
#define GJ_MAX_NODES (1u << 22)
#define GJ_SHARED_LEAST 4096 // bytes of a constant that lies in a storage

typedef uint32_t gj_ref;

typedef struct gj_type {
  gj_dtype dtype;
  uint8_t rank;
  gj_dim shape[GJ_MAX_RANK];
} gj_type;

typedef struct gj_attr_list {
  uint8_t count; // 0: not set… unless the op's row asks for it: then an empty list (rank 0)
  const int64_t *values;
} gj_attr_list;

// Attributes of a node, indexed by gj_attr.
typedef struct gj_attrs {
  uint32_t set; // GJ_HAS_* bits
  gj_attr_list list[GJ_ATTR_COUNT];
} gj_attrs;

typedef struct gj_node {
  uint16_t op;
  uint16_t symbolic; // 1 when any size in its shape or attributes is an expression
  uint32_t arg_count;
  uint32_t result_count; // of control ops; 0 for others
  const gj_ref *args;
  gj_type type;          // of result 0
  const gj_attrs *attrs; // never NULL; may have nothing set
  const char
      *name; // param: its name; custom_call: that of the function; apply: its text; else NULL
  const void *data;    // const: row-major elements, aligned as their dtype is, else NULL
  size_t data_size;    // bytes; a const whose shape has n > 1 elements may hold 1 element (a splat)
  gj_storage *storage; // where data lies if it has GJ_SHARED_LEAST bytes or more, else NULL
} gj_node;

typedef struct gj_output {
  const char *name;
  gj_ref ref;
} gj_output;

typedef struct gj_graph gj_graph;

// --- lifecycle ---

// `name` may be NULL ("main"). NULL when out of memory.
gj_graph *gj_graph_new(const char *name);
// An empty graph with the name and the dims table of `from`, so gj_dim values carry over.
gj_graph *gj_graph_new_like(const gj_graph *from);
void gj_graph_free(gj_graph *graph); // NULL is fine

// --- reading ---

const char *gj_graph_name(const gj_graph *graph);
size_t gj_graph_node_count(const gj_graph *graph); // refs are 1 … count
const gj_node *gj_graph_node(const gj_graph *graph, gj_ref ref);
gj_dims *gj_graph_dims(const gj_graph *graph); // borrowed; interning new dims through it is allowed
size_t gj_graph_input_count(const gj_graph *graph);
gj_ref gj_graph_input(const gj_graph *graph, size_t index); // in order of appending
size_t gj_graph_output_count(const gj_graph *graph);
const gj_output *gj_graph_output(const gj_graph *graph, size_t index);
// Type of result `index` of a multi-result op (argmin, argmax: 0 value, 1 index; reduce_moments: 0
// squares, 1 mean; with EACH: that of the operand).
gj_status gj_graph_result_type(const gj_graph *graph, gj_ref ref, size_t index, gj_type *out_type,
                               gj_error *err);
size_t gj_node_result_count(const gj_node *node); // at least 1
// The only value of an attribute with one (axis, dtype, index).
static inline int64_t gj_node_int(const gj_node *node, gj_attr attr) {
  return node->attrs->list[attr].values[0];
}
// --- computed sizes: symbols that are the count of a compress ---
//
// Sizes of values may be made of them behind that node, and in functions that are called there.

bool gj_graph_computes_sizes(const gj_graph *graph);
// The node, of the graph and not of a function, that gives a symbol its value; 0 for what is no
// symbol, or is known before a run.
gj_ref gj_graph_binder(const gj_graph *graph, gj_dim d);
// All those that give values to what the type and the attributes of a node are made of, any number
// of times; and the last of them, 0 when there is none.
typedef void gj_binder_fn(void *context, gj_ref binder);
void gj_node_each_binder(const gj_graph *graph, const gj_node *node, gj_binder_fn *visit,
                         void *context);
gj_ref gj_node_binder(const gj_graph *graph, const gj_node *node);
// Product of a shape as a dim; GJ_DIM_ERROR on overflow.
gj_dim gj_type_size(gj_dims *dims, const gj_type *type);

// --- appending (sticky) ---

// Appends a node as written after checking arity, attributes, dtypes and shapes and inferring its
// type. Everything passed is copied. Returns 0 after any failure.
gj_ref gj_graph_append(gj_graph *graph, gj_op op, const gj_ref *args, size_t arg_count,
                       const gj_attrs *attrs);
// Appends a node like `node`, with other operands, as many as that has.
gj_ref gj_graph_append_like(gj_graph *graph, const gj_node *node, const gj_ref *args);
// Appends a call of the C function `name`, an identifier; see ops/custom.h.
gj_ref gj_graph_custom_call(gj_graph *graph, const char *name, const gj_ref *args, size_t arg_count,
                            const gj_attrs *attrs);
// Appends a node that applies the function that `text` is to each element; see loops/apply.h.
gj_ref gj_graph_apply(gj_graph *graph, const char *text, const gj_ref *args, size_t arg_count,
                      const gj_attrs *attrs);
// The same as gj_graph_append(), but promotes operands to their common dtype with convert nodes
// first.
gj_ref gj_graph_op(gj_graph *graph, gj_op op, const gj_ref *args, size_t arg_count,
                   const gj_attrs *attrs);
gj_ref gj_graph_param(gj_graph *graph, const char *name, const gj_type *type);
// `data` holds the elements of `type` in row-major order, or one element to repeat; copied.
gj_ref gj_graph_const(gj_graph *graph, const gj_type *type, const void *data, size_t data_size);
// The same with the elements that a storage holds, which is held by the graph then. They are copied
// where they are few, or not aligned as their dtype is.
gj_ref gj_graph_const_shared(gj_graph *graph, const gj_type *type, gj_storage *storage);
// Appends a constant like `node`, of this graph or another; large elements are shared with it.
gj_ref gj_graph_const_like(gj_graph *graph, const gj_node *node);
// Declares an output; names are unique. Returns false after any failure.
bool gj_graph_set_output(gj_graph *graph, const char *name, gj_ref ref);
// From now on, appending a node equal to an existing one returns the existing one (CSE). For
// passes. Whether it was so before.
bool gj_graph_share_nodes(gj_graph *graph, bool share);
// Gives a control op other functions, as many as it has, that take what its own take and give what
// they give, and more behind it. The one thing that is edited in place: nothing that was there
// changes, so what the derivative of the op wants to know can be asked of it instead of a second
// op. False after any failure.
bool gj_graph_widen(gj_graph *graph, gj_ref ref, const int64_t *functions);
// Fails as appending would, unless something else has failed: what a rule of a pass found.
void gj_graph_refuse(gj_graph *graph, const gj_error *error);

// GJ_OK, or the first failure since the last call, which it clears; the graph stays usable.
gj_status gj_graph_take_error(gj_graph *graph, gj_error *err);

// --- functions ---
//
// A function is a graph of its own with inputs and outputs, closed but for the dims table, which it
// shares with the graph it belongs to. Functions are numbered in the order in which they were
// added; a node may refer to those that are there when it is appended, so that nothing calls
// itself. Functions of functions belong to the same graph: gj_graph_function() of any of them is
// one list.

#define GJ_MAX_FUNCTIONS 65536
#define GJ_MAX_FUNCTION_DEPTH 32 // functions that call functions

// A new function of `graph`, which owns it; nothing sees it until it is added. NULL and an error
// kept in `graph` when out of memory.
gj_graph *gj_graph_function_new(gj_graph *graph, const char *name);
// Adds it, after which it stays as it is; its number, or -1 after any failure, of the function's
// own building too.
int64_t gj_graph_function_add(gj_graph *function);
size_t gj_graph_function_count(const gj_graph *graph);
const gj_graph *gj_graph_function(const gj_graph *graph, size_t number);
// The number of a function that was added, or -1.
int64_t gj_graph_function_number(const gj_graph *graph);
bool gj_graph_is_function(const gj_graph *graph); // added or not
// The graph that a function belongs to, or itself: it keeps why a function could not be added.
gj_graph *gj_graph_root(const gj_graph *graph);
const gj_type *gj_graph_output_type(const gj_graph *graph, size_t index);
// Whether two functions of one graph compute the same, node for node.
bool gj_graph_function_equal(const gj_graph *a, const gj_graph *b);
uint64_t gj_graph_function_hash(const gj_graph *function); // equal for equal functions
// Sets out_called[number] to 1 for functions that marked nodes of the graph call, or that such
// functions call, else to 0; it has room for gj_graph_function_count() + 1 entries.
void gj_graph_mark_called(const gj_graph *graph, const uint8_t *needed, uint8_t *out_called);

// --- attributes ---

// Sets a list in a caller's gj_attrs (values stay borrowed until the append).
static inline void gj_attrs_set(gj_attrs *attrs, gj_attr attr, const int64_t *values,
                                size_t count) {
  attrs->set |= 1u << attr;
  attrs->list[attr] = (gj_attr_list){(uint8_t)count, values};
}

// --- verify, text, reference ---

// Checks every invariant of a finished graph from scratch (types are inferred again and compared;
// operands stand before users; symbols used are bound by a bare use in some param). Inferring may
// intern sizes, so this counts as writing to the graph; printing, binding and evaluating only read
// it.
gj_status gj_graph_verify(const gj_graph *graph, gj_error *err);

// Canonical text; gj_graph_parse() of it gives the same graph, node for node.
void gj_graph_print(const gj_graph *graph, gj_strbuf *out);
// On failure *out_graph is NULL and the message starts with "line L, column C: ".
gj_status gj_graph_parse(const char *text, size_t length, gj_graph **out_graph, gj_error *err);
// "f64[n, 4]"
void gj_type_print(const gj_dims *dims, const gj_type *type, gj_strbuf *out);

// Sets out_needed[ref] to 1 for the inputs and for what outputs depend on, else to 0; it has room
// for gj_graph_node_count() + 1 entries.
void gj_graph_mark_needed(const gj_graph *graph, uint8_t *out_needed);
// A copy, node for node, which shares large constants.
gj_status gj_graph_copy(const gj_graph *graph, gj_graph **out_graph, gj_error *err);
// The same with the constants that other storages hold, equal ones: in the order of the nodes of
// all functions, then of the graph.
gj_status gj_graph_copy_with(const gj_graph *graph, gj_storage *const *constants,
                             gj_graph **out_graph, gj_error *err);

// Binds symbols from the concrete shapes of all inputs: `shapes[i]` has the rank of input i. Fills
// symbol_values[gj_dims_symbol_count()], then checks that input shapes agree and that every size
// that outputs depend on is in [0, GJ_DIM_MAX], slices stay inside, byte sizes do not overflow.
// Names what disagrees. Computed sizes get the most they can be as their value. The graph has been
// verified.
gj_status gj_graph_bind(const gj_graph *graph, const int64_t *const *shapes, int64_t *symbol_values,
                        gj_error *err);

// Reference evaluator: slow and obvious, shares no code with the compiler. inputs[i] are row-major
// elements of input i, outputs[i] receives output i. `symbol_values` come from gj_graph_bind(),
// whose checks are not made again; those of computed sizes are set, and outputs have room for the
// most they can be. Sums and products of floats are accumulated in a wider type.
// GJ_E_MEMORY when the values of all nodes together have more than 64 GiB or do not fit.
gj_status gj_graph_eval(const gj_graph *graph, int64_t *symbol_values, const void *const *inputs,
                        void *const *outputs, gj_error *err);
// The same, but gives up with GJ_E_UNSUPPORTED after as many values were computed, those of each
// round of a loop.
gj_status gj_graph_eval_steps(const gj_graph *graph, int64_t *symbol_values,
                              const void *const *inputs, void *const *outputs, uint64_t most,
                              gj_error *err);

#endif
