// State shared by the files of lower/ while one kernel is made. Private to lower/.
#ifndef GJ_LOWER_CONTEXT_H
#define GJ_LOWER_CONTEXT_H

#include "ir/infer/index_axes.h"
#include "lower/lower.h"

// Where a value is wanted: one i64 expression per axis, or (flat) one row-major position.
// Positions outside a value are never asked for.
//
// A row index is flat too, and knows its row and its place in it, where the values of a row kernel
// have rows · cols elements.
typedef struct gj__index {
  bool flat;
  const gj_lexpr *at[GJ_MAX_RANK]; // flat: at[0] only
  const gj_lexpr *row, *col;       // row index: at[0] = row · cols + col; else NULL
} gj__index;

typedef struct gj__memo {
  gj_ref ref;
  const gj__index *index;
  const gj_lexpr *value;
} gj__memo;

// An operand's index made from its user's by NumPy broadcasting, kept so that it is made once.
typedef struct gj__derived {
  const gj__index *from;
  const gj_type *type; // of the user
  const gj_dim *shape;
  uint8_t rank;
  const gj__index *index;
} gj__derived;

// The value of `ref` at this_row or origin, when `kernel` is 1 + the kernel being made.
typedef struct gj__number {
  uint32_t kernel;
  const gj_lexpr *value;
} gj__number;

// What a param of a kernel stands for: a buffer of the plan, where in the arena one is, or a
// symbol.
typedef struct gj__param {
  bool symbol, place;
  uint32_t index;
} gj__param;

typedef struct gj__range {
  const gj_lexpr *lo, *hi;
} gj__range;

// A number of units, see work.c: the iterations of the first `outer` loop axes of a type together,
// and with `blocks` those of blocks of elements of what is left of it (so all of it when `outer` is
// 0, else its last loop axis).
typedef struct gj__units {
  const gj_type *type;
  uint8_t outer;
  bool blocks;
  const gj_type *each; // what an element of a block stands for, when that is several; or NULL
  bool even;           // a unit is as large a part of the kernel's domain as any other
} gj__units;

// The units of one part that a call of the kernel does; not divided: all.
typedef struct gj__share {
  bool divided;
  gj__units units;
  const gj_lexpr *begin, *end;
} gj__share;

// How a kernel is divided.
typedef struct gj__work {
  bool divided;
  int64_t piece; // elements of the domain that are worth a thread's attention
  int64_t block; // elements of a block, a power of two
  gj__units *parts;
  uint32_t count, capacity;
  const gj_lexpr *begin, *end; // params of the kernel: the units to do, counted through its parts
  bool split;                  // one call of the kernel calls `part` in parallel
  const gj_lfunc *part;
} gj__work;

typedef struct gj__lower {
  const gj_plan *plan;
  const gj_graph *graph;
  const gj_dims *dims;
  gj_lmodule *m;
  gj_arena scratch; // freed when lowering ends
  bool out_of_memory;
  bool poll, by_kernel;      // see gj_lower_options
  unsigned piece_ns, narrow; // the same
  int64_t stream_bytes;
  bool fma, reassociate;  // the same
  bool cheap_masks;       // of gj_loops_machine
  unsigned vector_bytes;  // of the same; 0: vectors are made later
  const gj_lexpr *stream; // whether vector loops had better store past the caches, or NULL
  bool tiles;        // the last two loops of nests may be done in tiles; see loops/vectorise/tile.c
  uint8_t tile_axis; // then an operand is contiguous along this axis
  // the graph, or one of its functions
  int64_t function;           // its number, -1 for the graph
  const gj_lfunc **functions; // those that have been made
  const gj_lexpr **ports;     // of a function: its inputs, then its outputs
  const gj_lexpr *base;       // where in the arena a function or a control kernel may work
  // the kernel being made
  uint32_t kernel;
  gj_lfunc *f;
  const gj_lfunc *external; // what it calls; see custom.c
  const gj_lexpr **buffers; // per plan buffer: its pointer, or NULL
  const gj_lexpr **symbols; // per symbol: its value, or NULL when the kernel does not take it
  gj__param *params;        // of the kernel, in order
  size_t param_count, param_capacity;
  uint32_t *sized;  // per ref: 1 + the last kernel whose symbols it was asked for
  uint32_t *needed; // per symbol: 1 + the last kernel that takes it
  gj__work work;
  uint32_t *seen;     // per ref, for gj__kernel_reads
  uint32_t *costed;   // per ref, for gj__kernel_cost
  uint32_t *flat;     // per ref: answer of gj__is_flat for a kernel
  uint32_t *crossed;  // per ref: answer of gj__is_crossed for a kernel
  uint32_t *data;     // per ref: 1 + its constant data in the module
  uint32_t *computed; // per ref: 1 + the last kernel that computes it, for the note
  gj_ref *ops;        // what this kernel computes
  size_t op_count;
  // the block being filled, and what has been computed in it
  gj_lblock *block;
  gj__memo *memo; // open-addressed, memo_slots a power of two
  size_t memo_slots, memo_count;
  gj__derived *derived;
  size_t derived_count, derived_capacity;
  gj__index *origin; // flat index 0, for values of one element
  // row kernels only (rows.c)
  gj_dim rows, cols;
  gj__index *this_row; // flat index of values with one element per row
  gj__number *numbers; // per ref: what has been computed for the row
  uint32_t *kept;      // per ref: 1 + the kernel that has stored its row
  uint32_t *asked;     // per ref: the last stage that was asked which numbers it needs
  uint32_t stage;      // counts stages of all kernels
} gj__lower;

// The name of the input or output that a buffer is, "t" for a place in the arena (lower.c).
const char *gj__buffer_name(const gj__lower *l, uint32_t buffer);

// That this kernel computes `ref`, for its note (lower.c).
void gj__note_computed(gj__lower *l, gj_ref ref);

// --- params.c: what a kernel takes ---

bool gj__params_init(gj__lower *l); // false when out of memory
// Params of l->f, in this order: memory written, working memory, memory read, symbols, units of a
// divided kernel.
void gj__add_params(gj__lower *l, const gj_kernel *kernel);
// The params of `other`, made just before for the same kernel, for l->f too.
void gj__repeat_params(gj__lower *l, const gj_lfunc *other);
// The pointer to temporary array `index` of the kernel being made; see temps.c of passes/.
const gj_lexpr *gj__temp(gj__lower *l, uint32_t index);
// A copy of l->params that lasts until lowering ends.
const gj__param *gj__keep_params(gj__lower *l);

// --- expr.c: small Loop IR constructors ---

const gj_lexpr *gj__i64(gj__lower *l, int64_t value);
const gj_lexpr *gj__add(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b);
const gj_lexpr *gj__sub(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b);
const gj_lexpr *gj__mul(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b);
const gj_lexpr *gj__min(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b);
const gj_lexpr *gj__max(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b);
const gj_lexpr *gj__dim(gj__lower *l, gj_dim d);
// The product of some sizes of a shape. As one dim it is simplest, but the product of long sums has
// more terms than a dim may have; then it is multiplied at run time.
const gj_lexpr *gj__size(gj__lower *l, const gj_type *type, const uint8_t *axes, unsigned count);
// A local of the current block holding `value`.
const gj_lexpr *gj__let(gj__lower *l, const char *name, const gj_lexpr *value);
// The same for what is not a constant.
const gj_lexpr *gj__keep(gj__lower *l, const char *name, const gj_lexpr *e);
const gj_lexpr *gj__local(gj__lower *l, uint32_t local);
// a < b; and of i64, with constants folded, the lesser, the greater and the quotient.
const gj_lexpr *gj__less(gj__lower *l, const gj_lexpr *a, int64_t b);
const gj_lexpr *gj__lesser(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b);
const gj_lexpr *gj__greater(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b);
const gj_lexpr *gj__divide(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b);
bool gj__is_one(const gj_lexpr *e);
gj__index *gj__index_new(gj__lower *l);

// --- value.c: graph values as expressions ---

// From now on code goes to `block`, where nothing has been computed.
void gj__enter(gj__lower *l, gj_lblock *block);
// The element of `ref` at `index`, computed in the current block or loaded from its home. `ref`
// itself is computed even if it has a home, when this kernel writes it.
const gj_lexpr *gj__value(gj__lower *l, gj_ref ref, const gj__index *index);
// Its rules for what is not in memory, as kinds.def names them: value.c, gather.c, random.c.
typedef const gj_lexpr *gj__value_fn(gj__lower *l, gj_ref ref, const gj__index *index);
#define GJ_KIND_VALUE(rule) gj__value_fn gj__value_##rule;
#include "ops/kinds.def"
// Where the elements of a constant lie.
const gj_lexpr *gj__constant(gj__lower *l, gj_ref ref);
// True when this kernel reads `ref` from memory instead of computing it.
bool gj__in_memory(const gj__lower *l, gj_ref ref);
// The index into `whole` for `index` into a window of it that starts at the scalars `starts`,
// clamped.
const gj__index *gj__window(gj__lower *l, const gj_type *whole, const gj_type *window,
                            const gj_ref *starts, const gj__index *index);
// True when every element of `ref` can be had at a flat index without dividing.
bool gj__is_flat(gj__lower *l, gj_ref ref);
// True when computing `ref` here reads memory transposed: neighbours along the last axis lie far
// apart.
bool gj__is_crossed(gj__lower *l, gj_ref ref);
// The axis along which it is contiguous then, counted from the last one: at least 1.
unsigned gj__crossed_axis(gj__lower *l, gj_ref ref);

// --- gather.c ---

// `start`, of any integer dtype, as an i64 clamped so that a window of `window` elements fits into
// `size`.
const gj_lexpr *gj__clamp_start(gj__lower *l, const gj_lexpr *start, gj_dim size, gj_dim window);
// Places in the indices for the windows of a place in the result (or the updates); the index vector
// lies along their last axis.
const gj__index *gj__indices_at(gj__lower *l, const gj_node *node, const gj_index_axes *axes,
                                const gj__index *index, uint8_t element);

// --- index.c ---

const gj_lexpr *gj__flatten(gj__lower *l, const gj_type *type, const gj__index *index);
// `index` with one expression per axis of `type`.
const gj__index *gj__unflatten(gj__lower *l, const gj_type *type, const gj__index *index);
// The index of an operand of shape `arg` for an elementwise result of shape `type`.
const gj__index *gj__broadcast(gj__lower *l, const gj_type *type, const gj_type *arg,
                               const gj__index *index);
// The index of an operand that has the sizes `own` along the axes of `type`, where a flat index or
// one of a row tells it, as gj__row_place() says; NULL when that takes positions along the axes.
const gj__index *gj__aligned_operand(gj__lower *l, const gj_type *type, const gj_dim *own,
                                     const gj__index *index);
// True when the shapes are equal once axes of size 1 are left out.
bool gj__same_sizes(const gj_type *a, const gj_type *b);
// Axes of `type` whose size is not the number 1; returns how many.
unsigned gj__loop_axes(const gj_type *type, uint8_t axes[GJ_MAX_RANK]);

// --- work.c: kernels divided among threads ---
//
// The work of a kernel is a range of units, such that no unit reads what another one writes, nor
// writes it. A rule that can divide its kernel has a function `divide` that adds the units of each
// part of it, a loop nest, before anything is made. If there is work enough, the kernel gets two
// params more, begin and end, and is called in parallel; its code asks for the share of each part.
//
// A rule whose kernel makes few results of much data sets `split` instead. Then `part` makes
// another function, which takes what the kernel takes and more, and the kernel calls it in
// parallel.

// Begins the work of l->kernel: no parts, not divided.
void gj__work_begin(gj__lower *l);
void gj__add_units(gj__lower *l, gj__units units);
// Decides whether the kernel is divided, once its parts are known.
void gj__work_settle(gj__lower *l);
// What this call does of a part; makes locals in the body of the kernel when there are several.
gj__share gj__share_of(gj__lower *l, uint32_t part);
// The elements that a share of blocks covers, at most `size`.
gj__range gj__share_elements(gj__lower *l, const gj__share *share, const gj_lexpr *size);
// For the entry, with its own symbols: how many units there are, and how many make a piece.
const gj_lexpr *gj__work_units(gj__lower *l, const gj__work *work);
const gj_lexpr *gj__work_grain(gj__lower *l, const gj__work *work, const gj_type *domain,
                               const gj_lexpr *units);
// Units in one step of outer loop `axis` of a nest.
const gj_lexpr *gj__units_per_step(gj__lower *l, const gj__units *units, unsigned axis);

// The units of a nest over `type`, as gj__nest divides it.
gj__units gj__nest_units(gj__lower *l, const gj_type *type, bool flat);
// One unit per iteration of the outermost loop, or blocks when it is the only one.
gj__units gj__outermost_units(const gj_type *type);
// Adds one unit per line of `whole` along `axis`: what gj__rows_loop goes over for the type that
// has one element there. An axis of size 1 has lines of one element, wherever it stands.
void gj__add_line_units(gj__lower *l, const gj_type *whole, uint8_t axis);

// --- nest.c: loops over a shape ---

// Appends loops over `type` to `into`, the innermost marked vector, and enters the innermost body;
// returns the index there. With `flat` there is one loop over all elements and a flat index.
// `ranges`, per axis, narrows the loops (NULL: everything; not with `flat`).
const gj__index *gj__nest(gj__lower *l, gj_lblock *into, const gj_type *type, bool flat,
                          const gj__range *ranges);
// The same for a share of gj__nest_units().
const gj__index *gj__nest_share(gj__lower *l, gj_lblock *into, const gj_type *type, bool flat,
                                const gj__share *share);
// One loop over a range of flat indices.
const gj__index *gj__nest_run(gj__lower *l, gj_lblock *into, gj__range range);
// One loop from lo to hi in chunks of `chunk`, polling for cancellation between them when that is
// asked for; enters the block in a chunk and returns it, its bounds in *out.
gj_lblock *gj__chunks(gj__lower *l, gj_lblock *into, const gj_lexpr *lo, const gj_lexpr *hi,
                      int64_t chunk, gj__range *out);
void gj__poll(gj__lower *l, gj_lblock *block);
// One loop over the elements of `rows` that are this call's, or all where work is not divided, in
// the body of the kernel, which has been entered; polls, enters the body and returns it, the index
// there in *out_index and the flat one in *out_flat unless that is NULL.
gj_lblock *gj__rows_loop(gj__lower *l, const char *name, const gj_type *rows,
                         const gj__index **out_index, const gj_lexpr **out_flat);

// --- stream.c: stores past the caches ---

// Decides for `kernel`, whose nest is flat or not, and keeps the answer in l->stream until
// gj__stream_end(), which orders the stores.
void gj__stream_begin(gj__lower *l, const gj_kernel *kernel, bool flat);
void gj__stream_end(gj__lower *l);

// --- fetch.c: reading ahead ---

// Appends to the body of a loop that reads `step` elements of the domain from flat position `at`
// on: where the domain is large, memory that follows is asked for.
void gj__fetch_ahead(gj__lower *l, gj_lblock *into, const gj_type *domain, const gj_lexpr *at,
                     int64_t step);

// --- sizes.c: the plan function ---

// Adds it for `graph`, whose sizes are in `dims`; that may be added to. False when out of memory.
bool gj__lower_sizes(gj_lmodule *m, const gj_graph *graph, gj_dims *dims, gj_dim scratch_bytes,
                     gj_lowered *out);

// --- kernels ---

// The rules named in kernels.def, in files named after what they lower; kinds may share one.
typedef void gj__kernel_fn(gj__lower *l, const gj_kernel *kernel);
#define GJ_KERNEL_LOWER(divide, lower, part, prepare)                                              \
  gj__kernel_fn gj__divide_##divide, gj__lower_##lower, gj__lower_##part, gj__prepare_##prepare;
#include "passes/kernels.def"

// One of the functions `first` … `first + count - 1`, chosen by number: `write` puts each into the
// block where it is chosen. Halves of halves, so that nesting stays low.
typedef void gj__choice_fn(void *context, gj_lblock *into, size_t function);
void gj__choose(gj__lower *l, gj_lblock *into, const gj_lexpr *number, size_t first, size_t count,
                gj__choice_fn *write, void *context);
// The same where the functions compute numbers only (kernels/control_registers.c).
void gj__lower_registers(gj__lower *l, const gj_kernel *kernel, const gj_control_places *places);

#endif
