// The plan of a run: which values get memory, which kernels compute them, where their memory is.
//
// A plan is a set of side tables beside an unchanged graph. Values without a home are recomputed
// wherever a kernel needs them, at the index it needs them: elementwise chains, broadcasts and
// movement cost no memory. fuse.c decides homes and kernels, memory.c places the homes in the run's
// arena.
#ifndef GJ_PASSES_PLAN_H
#define GJ_PASSES_PLAN_H

#include "ir/library_op.h"
#include "passes/pass.h"

// How a kernel's loops are made, see kernels.def.
typedef enum gj_kernel_kind {
#define GJ_KERNEL(NAME, ...) GJ_KERNEL_##NAME,
#include "passes/kernels.def"
  GJ_KERNEL_COUNT
} gj_kernel_kind;

// What is true of all kernels of a kind.
enum {
  GJ_KERNEL_HAS_STEP = 1,    // stores are made element by element, as the domain is walked
  GJ_KERNEL_HAS_REUSES = 2,  // may write where a buffer lies that it reads in step, for good
  GJ_KERNEL_HAS_UPDATES = 4, // changes operand 0, which may lie where the result goes
  GJ_KERNEL_HAS_FEW = 8,     // stores much less than it reads
  GJ_KERNEL_HAS_ASKS = 16,   // asks for values one by one, which are noted then
  GJ_KERNEL_HAS_FAILS = 32,  // its code gives a status of its own
  GJ_KERNEL_HAS_CALLS = 64,  // runs functions of the graph
  GJ_KERNEL_HAS_SIZES = 128  // gives a symbol its value
};

// One value written by a kernel. For argmin and argmax, `ref` is the op for the value and its
// result node for the index.
//
// A kernel of rows makes its stores in stages, each of which is a loop over the row: elementwise
// values in even ones, reductions in odd ones. Numbers per row (`one`) are computed before their
// stage. Without a buffer a value lives in registers during its stage, a number per row until the
// row is done; in a buffer whose `row` is set, or `borrowed` from a later store, a value lasts for
// as long as its row is at work.
typedef struct gj_store {
  gj_ref ref;
  uint32_t buffer; // GJ_NO_BUFFER: rows only
  uint32_t stage;
  bool one;      // one element per row
  bool borrowed; // the buffer belongs to a store that overwrites it
} gj_store;

typedef struct gj_kernel {
  gj_kernel_kind kind;
  gj_type domain; // iteration space; dtype unused
  uint32_t axes;  // REDUCE: bit per reduced axis
  uint32_t level; // what a kernel reads was written by kernels of lower levels, or by one before
                  // it whose group was full; the order counts all the same, as updates in place
                  // overwrite what others read
  uint32_t store_count;
  gj_store *stores;
  gj_ref owner; // of kernels of one op: that op, whose results the stores are; else 0
  uint32_t temp_count;
  uint32_t *temps; // buffers of working memory
} gj_kernel;

// Working memory of a kernel: an array, and how many elements it has.
enum { GJ_MAX_TEMPS = 8 };
typedef struct gj_temp {
  gj_dtype dtype;
  gj_dim count;
} gj_temp;

typedef enum gj_buffer_kind {
  GJ_BUFFER_INPUT,
  GJ_BUFFER_OUTPUT,
  GJ_BUFFER_SCRATCH,
  GJ_BUFFER_LOCAL, // a row on the stack of the kernel that writes and reads it
  GJ_BUFFER_NONE   // of a value that is kept elsewhere
} gj_buffer_kind;

typedef struct gj_buffer {
  gj_buffer_kind kind;
  uint32_t index; // INPUT, OUTPUT: position in the buffers argument
  gj_type type;
  gj_dim bytes;         // the most that there may be
  gj_dim offset;        // SCRATCH: from the start of the arena, a multiple of 64
  uint32_t first, last; // SCRATCH: kernels that write it first and read it last
  bool in_place;        // SCRATCH: takes the place of a buffer that the same kernel reads
  bool row;             // SCRATCH, LOCAL: holds one row at a time
} gj_buffer;

#define GJ_NO_BUFFER UINT32_MAX
#define GJ_NO_KERNEL UINT32_MAX

typedef struct gj_plan gj_plan;
struct gj_plan {
  gj_arena arena;
  const gj_graph *graph; // borrowed
  uint32_t kernel_count;
  gj_kernel *kernels; // in order of execution
  uint32_t buffer_count;
  gj_buffer *buffers;
  uint32_t *home;   // per ref: the buffer it can be read from, or GJ_NO_BUFFER
  uint32_t *writer; // per ref: the kernel that writes its home, or GJ_NO_KERNEL
  uint32_t *taken;  // of a function, per output: the input whose value it finds there, or
                    // GJ_NO_BUFFER; nothing reads that input elsewhere (in_place.c)
  bool placed;      // memory.c has run
  gj_dim scratch_bytes;
  gj_plan **functions; // of the functions of the graph, by number; owned by the plan of the graph
};

// "elementwise"
const char *gj_kernel_name(gj_kernel_kind kind);
// Whether kernels of this kind have a trait, a GJ_KERNEL_HAS_* bit.
bool gj_kernel_has(gj_kernel_kind kind, unsigned trait);

// The graph must outlive the plan.
gj_status gj_plan_new(const gj_graph *graph, gj_plan **out_plan, gj_error *err);
// By the passes up to `until` only, for somebody to look at. Its functions are planned in full.
gj_status gj_plan_until(const gj_graph *graph, gj_pass_id until, gj_plan **out_plan, gj_error *err);
// Its functions, buffers and kernels as text (plan_print.c).
void gj_plan_print(const gj_plan *plan, gj_strbuf *out);
void gj_plan_free(gj_plan *plan); // NULL is fine

// The working memory of a control kernel, offsets in bytes (control.c).
typedef struct gj_control_places {
  uint32_t carried;
  uint32_t *stores; // per result: the buffer it goes to, or GJ_NO_BUFFER
  bool *in_place;   // per result: a carried value that the body changes where it lies
  gj_dim *places;   // per result: of carried ones their place in a set, of others without a buffer
                    // one to be written and forgotten
  gj_dim set;       // bytes of a set of carried values; the second follows the first
  gj_dim line;      // loops: 8 bytes
  gj_dim inner;     // what the functions work in
  gj_dim bytes;     // all of it
} gj_control_places;
gj_status gj__control_places(const gj_plan *plan, const gj_kernel *kernel, gj_arena *arena,
                             gj_control_places *out, gj_error *err);
// Whether the functions of a control op compute numbers only, so that they need no memory.
bool gj__runs_in_registers(const gj_graph *graph, const gj_node *node);
// The function that gives the results of a control op; of several, the first.
const gj_graph *gj__control_body(const gj_graph *graph, const gj_node *node);
const gj_plan *gj__control_plan(const gj_plan *plan, const gj_node *node);

// The passes that make a plan, each in a file named so.
typedef gj_status gj__plan_fn(gj_plan *plan, gj_error *err);
#define GJ_PLAN_PASS(name, ...) gj__plan_fn gj__plan_##name;
#include "passes/passes.def"

// Whether the array that a kernel of update_slice or scatter changes lies where the result goes.
bool gj__is_in_place(const gj_plan *plan, const gj_kernel *kernel);

// Where a kernel wants a value: at the place of its own element, or anywhere else. A kernel of rows
// also knows values that have one element per row, or per column, wanted at that of its own.
typedef enum gj_place { GJ_PLACE_OTHER, GJ_PLACE_COLUMN, GJ_PLACE_ROW, GJ_PLACE_SAME } gj_place;

// How `ref` reads its operand `arg`: true when element i of the result needs just element i of an
// operand of the same shape.
bool gj__reads_in_step(const gj_graph *graph, gj_ref ref, uint32_t arg);
// The axis of `type` at which [rows, cols] divides it: the sizes before make up the rows, those
// from there on a row. -1 when there is none.
int gj__row_split(const gj_graph *graph, const gj_type *type, gj_dim rows, gj_dim cols);
// The sizes of operand `arg` of an elementwise op or broadcast along the axes of its result; false
// when they come in another order, and for other ops.
bool gj__align(const gj_graph *graph, gj_ref ref, uint32_t arg, gj_dim out[GJ_MAX_RANK]);
// Where an element of `type`, with [rows, cols] as its place, finds its operand that has the sizes
// `own` along the axes of `type`.
gj_place gj__row_align(const gj_graph *graph, gj_dim rows, gj_dim cols, const gj_type *type,
                       const gj_dim *own);
// Where `ref`, itself wanted at `place` of [rows, cols], wants its operand `arg`.
gj_place gj__row_place(const gj_graph *graph, gj_dim rows, gj_dim cols, gj_ref ref, uint32_t arg,
                       gj_place place);
bool gj__has_one_element(const gj_type *type);
// True for values that kernels cannot compute on the way: they live in memory.
bool gj__is_stored_kind(const gj_node *node);
// The same, of values that a kernel has to be made for.
bool gj__has_own_kernel(const gj_node *node);
// True for an op whose kernel gives a symbol its value.
bool gj__gives_size(const gj_node *node);
// True for an op whose kernel changes operand 0 where it lies, if it may.
bool gj__updates(const gj_node *node);

// True when the kernel of this op takes the addresses of its operands: they are stored, constants
// too. Others compute them on the way.
bool gj__reads_memory(const gj_node *node);

// The temporary arrays that the kernel of an op works in (temps.c), at most GJ_MAX_TEMPS;
// a count that overflows is GJ_DIM_ERROR.
uint32_t gj__temps_of(const gj_plan *plan, const gj_kernel *kernel, gj_temp out[GJ_MAX_TEMPS]);

// Rows of the mask that a compress takes together.
enum { GJ_COMPRESS_BLOCK = 2048 };

// Elements of a row that a running sum reduces by themselves (lower/kernels/cumulate_row.c).
enum { GJ_CUMULATE_SEGMENT = 1024 };

// Of sort and top_k: the unsigned dtype that holds the keys they compare, and that of the positions
// which go along with them; none for one operand.
gj_dtype gj__sort_key_dtype(const gj_graph *graph, const gj_node *node);
gj_dtype gj__sort_position_dtype(const gj_graph *graph, const gj_node *node);

// A batch of library functions is divided into at most so many shares, each of which has working
// memory of its own: as many as there are items, if those are fewer.
enum { GJ_LIBRARY_SHARES = 8 };
gj_dim gj__library_shares(gj_dims *dims, const gj_library_form *form);
// Which result of its op a store is, and whether a result is among the stores of a kernel.
uint32_t gj__result_stored(const gj_graph *graph, const gj_store *store);
bool gj__stores_result(const gj_graph *graph, const gj_kernel *kernel, uint32_t result);

// True when what `store` writes is there after the kernel: not for values that last for a row.
static inline bool gj__store_lasts(const gj_plan *plan, const gj_store *store) {
  return store->buffer != GJ_NO_BUFFER && !store->borrowed && !plan->buffers[store->buffer].row;
}

// Calls `visit` for every value that kernel `index` reads from memory; `in_step` says whether each
// element of the domain reads only the element of the same index. A value may be reported twice.
// `seen` has an entry per ref, zero at first, and is shared by calls for rising `index`.
typedef void gj_read_visit(gj_ref ref, bool in_step, void *context);
void gj__kernel_reads(const gj_plan *plan, uint32_t index, uint32_t *seen, gj_read_visit *visit,
                      void *context);
// The same, and calls `computes` for every value that the kernel computes, whether it stores it or
// needs it on the way; several kernels may compute the same value.
void gj__kernel_walk(const gj_plan *plan, uint32_t index, uint32_t *seen, gj_read_visit *reads,
                     gj_read_visit *computes, void *context);

#endif
