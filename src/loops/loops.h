// Loop IR: functions over scalars, short vectors, typed pointers and mutable locals.
//
// Everything that reaches LLVM passes through here: fused tensor kernels now, filters, plain
// functions and forests later. A module holds functions and constant data. A function is a tree of
// structured statements over expression trees; locals are mutable and typed, there is no SSA form
// and no phi. The scalar operators are the elementwise ops of ops/ops.def, so a new op exists here
// at once.
//
//   module "hypot" {
//     func k0(z: f64* noalias, x: f64* noalias readonly, y: f64* noalias readonly, n: i64) -> i32 {
//       for i = 0 to n step 1 vector {
//         let a: f64 = x[i]
//         let b: f64 = y[i]
//         z[i] = sqrt(add(mul(a, a), mul(b, b)))
//       }
//       return 0:i32
//     }
//     entry func main() -> i32 {
//       return call k0(buffer<2, f64>, buffer<0, f64>, buffer<1, f64>, dim<0>)
//     }
//   }
//
// The entry function has the C ABI int32_t f(void *const *buffers, int64_t *dims, gj_exec *exec);
// buffer<k, T>, dim<k>, scratch<T>(byte offset), cancelled and slot read those three, and dim<k> =
// n tells the caller a size that the run has computed. Every function gets `exec` passed along
// behind the scenes, so scratch, cancelled and slot work anywhere. An exported function is C's too:
// it takes pointers and scalars and returns a scalar, as it says; where something that it reaches
// asks for the run (gj_lfunc_needs_exec), `gj_exec *exec` is its last parameter and may be NULL.
// Nobody here calls it. An external function has no body: it stands for the C function of its
// symbol, which gets its pointers and i64 as two arrays (gj_custom_fn of ops/custom.h). A library
// function has none either: it is the function of that name in library/library.def, all i64.
//
//   library "utf8_valid" func valid(bytes: i64, length: i64) -> i64
//
// A function may call itself and functions that stand behind it. Whoever recurses asks `too_deep`
// first: whether the thread's stack is used up but for what it takes to say so. In wasm that is
// never, as engines throw by themselves.
//
// A run has a heap. alloc<f64>(count) is a pointer to zeroed memory that 64 divides, or null, which
// only is_null looks at, when there is none or `count` is negative. `release m` frees what was
// allocated since m was `mark`; the rest is freed when the run ends. Each thread of a parallel call
// has a heap of its own, of which nothing is left when the call returns. Pointers are not stored or
// returned; their addresses may be, as numbers, of which `pointer<f64>(a)` makes them again.
//
//   let status: i32 = parallel k0(z, x, n) over 0 to units grain 8
//
// calls a function that takes two more i64, begin and end, with disjoint ranges that cover [0,
// units), of 8 and more as far as there are so many, in any order and on any threads. Its value is
// the first result that is not zero, which stops the rest, or zero. An empty range may be called
// with or not. What the calls write must not depend on how the range is cut. A
// parallel call inside a parallel call is one call. slot numbers the threads of a run, from 0.
//
// Memory holds bool as one byte 0/1; a loaded bool is one bit. Halves are 16 bits everywhere, to be
// selected and converted. Indices are i64 and count elements.
// One arena per module owns everything. Thread-compatible: many readers or one writer.
#ifndef GJ_LOOPS_LOOPS_H
#define GJ_LOOPS_LOOPS_H

#include "base/arena.h"
#include "base/status.h"
#include "base/storage.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "ops/scalar.h"

#define GJ_MAX_LANES 64
#define GJ_MAX_TILE 16
#define GJ_MAX_STRIDE 4 // of a load; what lies further apart is gathered

// A scalar (lanes 1), a vector (lanes 2 … GJ_MAX_LANES, a power of two) or a pointer to scalars.
typedef struct gj_ltype {
  uint8_t dtype; // gj_dtype; GJ_DTYPE_none with pointer 0 is "no value"
  uint8_t pointer;
  uint16_t lanes;
} gj_ltype;

static inline gj_ltype gj_ltype_scalar(gj_dtype d) { return (gj_ltype){(uint8_t)d, 0, 1}; }
static inline gj_ltype gj_ltype_vector(gj_dtype d, unsigned lanes) {
  return (gj_ltype){(uint8_t)d, 0, (uint16_t)lanes};
}
static inline gj_ltype gj_ltype_pointer(gj_dtype d) { return (gj_ltype){(uint8_t)d, 1, 1}; }
static inline bool gj_ltype_equal(gj_ltype a, gj_ltype b) {
  return a.dtype == b.dtype && a.pointer == b.pointer && a.lanes == b.lanes;
}

// Whether the elementwise `op` takes operands of this dtype here. Halves are moved and converted
// only: src/passes/halves.c has made the rest of it before.
bool gj_loops_takes(gj_op op, gj_dtype dtype);

// --- expressions: immutable, may be shared between trees ---

typedef enum gj_lexpr_kind {
  GJ_LX_CONST,     // value                          2.5:f64, -1 (an i64), true
  GJ_LX_LOCAL,     // local                          a
  GJ_LX_OP,        // op(args); all the same lanes   add(a, b), convert<f64>(a), bitcast<i64>(a),
                   //                                exp<js>(a)
  GJ_LX_LOAD,      // args: pointer, index [, mask]  p[i]; p[i:8] 8 elements from i; p[v] gather;
                   //                                p[i:8 if m]: lanes where m is false are 1;
                   // index: 0 or gj_lrecord         p[i:8:3] every third; p[i:8:3 at 1 of 2] the
                   //                                second of two from every third on
  GJ_LX_OFFSET,    // args: pointer, index           offset(p, i): the pointer to p[i]
  GJ_LX_SPLAT,     // args: scalar                   splat<8>(a)
  GJ_LX_LANES,     //                                lanes<8>: 0:i64 … 7:i64
  GJ_LX_FIRST,     // args: count                    first<8>(n): bool lanes, true below n
  GJ_LX_REVERSE,   // args: vector                   reverse(a)
  GJ_LX_ANY,       // args: bool vector              any(m): bool
  GJ_LX_TRUES,     // args: bool vector              trues(m): i64, how many are true
  GJ_LX_COMPRESS,  // args: vector, mask             compress(a, m): the lanes where m is true, in
                   //                                order, in front; what is behind is anything
  GJ_LX_BITS,      // args: bool vector              bits(m): u64 whose bit k is lane k, others 0
  GJ_LX_MASK,      // args: u64                      mask<8>(w): bool lanes, lane k is bit k of w
  GJ_LX_AHEAD,     // args: pointer                  ahead<64>(p): elements from p to the next
                   //                                address that 64 divides
  GJ_LX_CALL,      // function, args                 call k0(a, b)
  GJ_LX_PARALLEL,  // function, args, lo, hi, grain  parallel k0(a, b) over lo to hi grain g: i32
  GJ_LX_BUFFER,    // index                          buffer<0, f64>: pointer (entry only)
  GJ_LX_DIM,       // index                          dim<0>: i64 (entry only)
  GJ_LX_SCRATCH,   // args: byte offset              scratch<f64>(off): pointer into the run's arena
  GJ_LX_DATA,      // index                          data<0>: pointer to constant data
  GJ_LX_CANCELLED, //                               cancelled: bool
  GJ_LX_SLOT,      //                                slot: i64
  GJ_LX_WRAP,      // args: f64                      wrap<i32>(a): its whole part modulo 2^32 or
                   //                                2^64; 0 for NaN and infinities
  GJ_LX_OVERFLOWS, // op, args: two integers         overflows add(a, b): bool; of add, sub and mul
  GJ_LX_TOO_DEEP,  //                                too_deep: bool
  GJ_LX_ALLOC,     // args: count                    alloc<f64>(n): pointer, null without memory
  GJ_LX_IS_NULL,   // args: pointer                  is_null(p): bool
  GJ_LX_ADDRESS,   // args: pointer                  address(p): i64, as C would cast it
  GJ_LX_POINTER,   // args: address                  pointer<f64>(a): what address(p) was made of
  GJ_LX_MARK       //                                mark: i64, what of the heap is used
} gj_lexpr_kind;

typedef struct gj_lexpr gj_lexpr;
struct gj_lexpr {
  uint8_t kind; // gj_lexpr_kind
  uint16_t op;  // GJ_LX_OP: gj_op, elementwise; GJ_LX_OVERFLOWS: add, sub or mul
  gj_ltype type;
  uint32_t index; // local, function, buffer, dim or data number; GJ_LX_OP: 0 or GJ_LX_JS
  uint32_t arg_count;
  uint32_t size;  // nodes of the tree, shared ones counted as often as they are reached
  uint16_t depth; // levels of the tree; both are bounded, so every reader may recurse
  const gj_lexpr *const *args;
  gj_scalar value; // GJ_LX_CONST
};

// Of an elementary function of f64: the one of JavaScript, whatever the module is compiled for.
enum { GJ_LX_JS = 1 };

// What the lanes of a load from records take: `lane` i is the element `at` of record i, the first
// `used` elements of which may be touched by anybody who may touch this one. Records are `stride`
// elements apart, at < used <= stride. A load touches the used elements of its records, and without
// a mask what is between them. Loads that differ in nothing but `at` touch the same memory.
typedef struct gj_lrecord {
  unsigned stride, at, used;
} gj_lrecord;

static inline uint32_t gj_lrecord_pack(gj_lrecord r) { return r.stride | r.at << 8 | r.used << 16; }
static inline gj_lrecord gj_lrecord_of(const gj_lexpr *load) {
  return (gj_lrecord){load->index & 255, load->index >> 8 & 255, load->index >> 16};
}

// A plain or a parallel call: `index` is a function.
static inline bool gj_lexpr_calls(const gj_lexpr *e) {
  return e->kind == GJ_LX_CALL || e->kind == GJ_LX_PARALLEL;
}

// Whether it must happen as often as it is met: a call, or something with the heap.
static inline bool gj_lexpr_acts(const gj_lexpr *e) {
  return gj_lexpr_calls(e) || e->kind == GJ_LX_ALLOC || e->kind == GJ_LX_MARK;
}

// --- statements ---

typedef enum gj_lstmt_kind {
  GJ_LS_LET,      // let a: f64 = e            makes a local; scope ends with the enclosing block
  GJ_LS_SET,      // a = e
  GJ_LS_STORE,    // p[i] = e                  a vector value stores lanes from i on
                  // p[i if m] = e             only the lanes where m is true
                  // stream p[i] = e           past the caches; aligned like a whole vector
  GJ_LS_ARRAY,    // array acc: f64[16]        makes a pointer local to fresh stack memory (not
                  // cleared)
  GJ_LS_FOR,      // for i = lo to hi step s [vector[(k)]] [stream(c)] [unroll] [at 12:5] { … }
  GJ_LS_WHILE,    // while (c) [at 12:5] { … }
  GJ_LS_IF,       // if (c) { … } else { … }
  GJ_LS_BREAK,    // break                     leaves the innermost for or while
                  // break 2                   the second around it, and so on
  GJ_LS_CONTINUE, // continue                  next round of it; of the second with continue 2
  GJ_LS_RETURN,   // return e
  GJ_LS_DO,       // do call f(…)              result ignored
  GJ_LS_DIM,      // dim<0> = e                for the caller (entry only)
  GJ_LS_FENCE,    // fence                     what was streamed before is seen by who syncs later
  GJ_LS_FETCH,    // fetch offset(p, i)        brings memory nearer, which may be nobody's
                  // fetch offset(p, i) to write
  GJ_LS_TILE,    // tile<8> t = p[i by s]     a square of 8·8 elements, turned: t[8·r + c] becomes
                 //                           p[i + c·s + r] for r and c below 8
  GJ_LS_RELEASE, // release m                frees what was allocated since m was `mark`
  GJ_LS_ASSUME   // assume c                 c is true, for the optimiser to use
} gj_lstmt_kind;

enum {
  GJ_LOOP_VECTOR = 1, // iterations are independent: vectorise, `factor` native vectors at a time
  GJ_LOOP_UNROLL = 2, // constant trip count: unroll fully
  GJ_LOOP_TILE = 4    // around a vector loop: iterations of both may be done in any order, in tiles
};

enum { GJ_STORE_STREAM = 1 };
enum { GJ_FETCH_WRITE = 1 };

typedef struct gj_lstmt gj_lstmt;
typedef struct gj_lblock {
  uint32_t count, capacity;
  gj_lstmt **stmts;
} gj_lblock;

struct gj_lstmt {
  uint8_t kind;   // gj_lstmt_kind
  uint8_t marks;  // GJ_LOOP_*, GJ_STORE_* or GJ_FETCH_* bits
  uint8_t factor; // FOR with GJ_LOOP_VECTOR: ≥ 1
  uint32_t local; // LET, SET, ARRAY, FOR: the local written
  uint32_t line,
      column;    // FOR WHILE: where the loop is in the user's source, from 1; line 0: nowhere
  int64_t count; // ARRAY: elements; FOR: step, > 0; TILE: of a side, 2 … GJ_MAX_TILE; DIM: which;
                 // BREAK CONTINUE: of which loop around, from 1
  const gj_lexpr *a; // LET SET DIM RETURN DO RELEASE: value; STORE FETCH: pointer; FOR: lo; WHILE
                     // IF ASSUME: condition; TILE: pointer written
  const gj_lexpr *b; // STORE: index; FOR: hi (exclusive, evaluated once); TILE: pointer read
  const gj_lexpr *c; // STORE: value; TILE: index
  const gj_lexpr *d; // STORE: mask or NULL; TILE: stride; FOR with GJ_LOOP_VECTOR: whether its
                     // stores had better go past the caches, or NULL
  gj_lblock body;    // FOR WHILE IF
  gj_lblock orelse;  // IF
};

// --- functions and modules ---

enum { GJ_LOCAL_NOALIAS = 1, GJ_LOCAL_READONLY = 2 };

typedef struct gj_llocal {
  const char *name; // unique in its function
  gj_ltype type;
  uint8_t flags;   // params: GJ_LOCAL_* bits
  uint32_t suffix; // the last number put behind this name to make another
} gj_llocal;

typedef struct gj_lfunc {
  const char *name;
  const char *note; // a comment printed above it, or NULL: which graph nodes it computes
  bool entry;
  bool exported;        // a function of C, too
  const char *external; // symbol of a C function that this is; takes pointers, then i64; or NULL
  const char *library;  // name of the library function that this is; takes i64; or NULL
  gj_ltype returns;
  uint32_t param_count; // the first locals
  uint32_t local_count, local_capacity;
  gj_llocal *locals;
  gj_lblock body;
  uint32_t index;  // in its module
  uint32_t suffix; // the last number put behind this name to make another
  gj_table names;  // index of a local + 1, by the hash of its name
} gj_lfunc;

typedef struct gj_ldata {
  gj_dtype dtype;
  size_t count; // elements
  const void *bytes;
  gj_storage *storage; // that the module shares them with, or NULL
} gj_ldata;

typedef struct gj_lmodule {
  gj_arena arena;
  const char *name;
  uint32_t func_count, func_capacity;
  gj_lfunc **funcs; // callees of parallel calls stand before callers
  uint32_t data_count, data_capacity;
  gj_ldata *data;
  gj_status failed; // sticky: out of memory or a misuse caught while building
  gj_error error;
  bool applies;       // it has functions of users, which nobody has vectorised (loops/apply.h)
  bool ends_early;    // it has loops that end when the run is cancelled (loops/apply.h)
  gj_table names;     // index of a function + 1, by the hash of its name
  gj_lfunc lost_func; // what builders return after a failure, so that callers need no checks
  gj_lstmt lost_stmt;
} gj_lmodule;

// Both return NULL when out of memory.
gj_lmodule *gj_lmodule_new(const char *name);
gj_lmodule *gj_lmodule_clone(const gj_lmodule *module);
void gj_lmodule_free(gj_lmodule *module);

// --- building ---
//
// Sticky: on failure module->failed is set and the calls return harmless stand-ins.

gj_lfunc *gj_lfunc_new(gj_lmodule *m, const char *name, gj_ltype returns, bool entry);
uint32_t gj_lmodule_data(gj_lmodule *m, gj_dtype dtype, const void *elements,
                         size_t count); // copied
// The elements of a storage, which the module holds then.
uint32_t gj_lmodule_data_shared(gj_lmodule *m, gj_dtype dtype, gj_storage *storage);
// Data as that of another module, shared with it where that is.
uint32_t gj_lmodule_data_like(gj_lmodule *m, const gj_ldata *data);
// Params come first, before any other local. Names are made unique by a number behind them.
uint32_t gj_lfunc_param(gj_lmodule *m, gj_lfunc *f, const char *name, gj_ltype type, uint8_t flags);
uint32_t gj_lfunc_local(gj_lmodule *m, gj_lfunc *f, const char *name, gj_ltype type);

const gj_lexpr *gj_lx_const(gj_lmodule *m, gj_scalar value);
const gj_lexpr *gj_lx_i64(gj_lmodule *m, int64_t value);
const gj_lexpr *gj_lx_local(gj_lmodule *m, const gj_lfunc *f, uint32_t local);
// Any elementwise op; `to` is the result dtype of convert and bitcast, ignored otherwise. Integer
// adds, subs and muls of constants, x + 0, x · 1 and x · 0 on i64 are folded, as index arithmetic
// makes many.
const gj_lexpr *gj_lx_op(gj_lmodule *m, gj_op op, const gj_lexpr *const *args, size_t count,
                         gj_dtype to);
const gj_lexpr *gj_lx_unary(gj_lmodule *m, gj_op op, const gj_lexpr *a);
const gj_lexpr *gj_lx_binary(gj_lmodule *m, gj_op op, const gj_lexpr *a, const gj_lexpr *b);
const gj_lexpr *gj_lx_select(gj_lmodule *m, const gj_lexpr *p, const gj_lexpr *a,
                             const gj_lexpr *b);
const gj_lexpr *gj_lx_convert(gj_lmodule *m, const gj_lexpr *a,
                              gj_dtype to); // `a` itself if it has it
const gj_lexpr *gj_lx_load(gj_lmodule *m, const gj_lexpr *p, const gj_lexpr *index, unsigned lanes);
// `mask` may be NULL: all lanes.
const gj_lexpr *gj_lx_load_if(gj_lmodule *m, const gj_lexpr *p, const gj_lexpr *index,
                              unsigned lanes, const gj_lexpr *mask);
// An element from each record, the first of which begins at `index`; strides are 2 to
// GJ_MAX_STRIDE. `mask` may be NULL.
const gj_lexpr *gj_lx_load_record(gj_lmodule *m, const gj_lexpr *p, const gj_lexpr *index,
                                  unsigned lanes, gj_lrecord record, const gj_lexpr *mask);
const gj_lexpr *gj_lx_offset(gj_lmodule *m, const gj_lexpr *p, const gj_lexpr *index);
const gj_lexpr *gj_lx_splat(gj_lmodule *m, const gj_lexpr *a, unsigned lanes);
const gj_lexpr *gj_lx_lanes(gj_lmodule *m, unsigned lanes);
const gj_lexpr *gj_lx_first(gj_lmodule *m, const gj_lexpr *count, unsigned lanes);
const gj_lexpr *gj_lx_reverse(gj_lmodule *m, const gj_lexpr *a);
const gj_lexpr *gj_lx_any(gj_lmodule *m, const gj_lexpr *a);
const gj_lexpr *gj_lx_trues(gj_lmodule *m, const gj_lexpr *a);
const gj_lexpr *gj_lx_compress(gj_lmodule *m, const gj_lexpr *a, const gj_lexpr *mask);
const gj_lexpr *gj_lx_bits(gj_lmodule *m, const gj_lexpr *a);
const gj_lexpr *gj_lx_mask(gj_lmodule *m, const gj_lexpr *bits, unsigned lanes);
// `bytes` is a power of two of at least an element.
const gj_lexpr *gj_lx_ahead(gj_lmodule *m, const gj_lexpr *pointer, unsigned bytes);
const gj_lexpr *gj_lx_call(gj_lmodule *m, const gj_lfunc *callee, const gj_lexpr *const *args,
                           size_t count);
// args: those of the callee but for its last two.
const gj_lexpr *gj_lx_parallel(gj_lmodule *m, const gj_lfunc *callee, const gj_lexpr *const *args,
                               size_t count, const gj_lexpr *lo, const gj_lexpr *hi,
                               const gj_lexpr *grain);
const gj_lexpr *gj_lx_buffer(gj_lmodule *m, uint32_t index, gj_dtype dtype);
const gj_lexpr *gj_lx_dim(gj_lmodule *m, uint32_t index);
const gj_lexpr *gj_lx_scratch(gj_lmodule *m, const gj_lexpr *byte_offset, gj_dtype dtype);
const gj_lexpr *gj_lx_data(gj_lmodule *m, uint32_t index);
const gj_lexpr *gj_lx_cancelled(gj_lmodule *m);
const gj_lexpr *gj_lx_slot(gj_lmodule *m);
const gj_lexpr *gj_lx_wrap(gj_lmodule *m, const gj_lexpr *a, gj_dtype to); // i32 u32 i64 u64
const gj_lexpr *gj_lx_overflows(gj_lmodule *m, gj_op op, const gj_lexpr *a, const gj_lexpr *b);
const gj_lexpr *gj_lx_too_deep(gj_lmodule *m);
const gj_lexpr *gj_lx_alloc(gj_lmodule *m, const gj_lexpr *count, gj_dtype dtype);
const gj_lexpr *gj_lx_is_null(gj_lmodule *m, const gj_lexpr *pointer);
const gj_lexpr *gj_lx_address(gj_lmodule *m, const gj_lexpr *pointer);
const gj_lexpr *gj_lx_pointer(gj_lmodule *m, const gj_lexpr *address, gj_dtype dtype);
const gj_lexpr *gj_lx_mark(gj_lmodule *m);

// Statements are appended to a block of `f`.
uint32_t gj_ls_let(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const char *name,
                   const gj_lexpr *value);
void gj_ls_set(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, uint32_t local, const gj_lexpr *value);
void gj_ls_store(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *p, const gj_lexpr *index,
                 const gj_lexpr *value);
void gj_ls_store_if(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *p,
                    const gj_lexpr *index, const gj_lexpr *value, const gj_lexpr *mask);
void gj_ls_stream(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *p,
                  const gj_lexpr *index, const gj_lexpr *value);
uint32_t gj_ls_array(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const char *name, gj_dtype dtype,
                     int64_t count);
// Returns the statement; fill its body. Its local is made here.
gj_lstmt *gj_ls_for(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const char *name, const gj_lexpr *lo,
                    const gj_lexpr *hi, int64_t step, uint8_t marks, uint8_t factor);
gj_lstmt *gj_ls_while(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *condition);
gj_lstmt *gj_ls_if(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *condition);
// `level` 1 is the innermost loop.
void gj_ls_break(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, uint32_t level);
void gj_ls_continue(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, uint32_t level);
void gj_ls_return(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *value);
// t[side · r + c] = p[index + c · stride + r]
void gj_ls_tile(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, unsigned side, const gj_lexpr *t,
                const gj_lexpr *p, const gj_lexpr *index, const gj_lexpr *stride);
void gj_ls_dim(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, uint32_t index, const gj_lexpr *value);
void gj_ls_fence(gj_lmodule *m, gj_lfunc *f, gj_lblock *b);
// `marks`: GJ_FETCH_* bits.
void gj_ls_fetch(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *pointer, uint8_t marks);
void gj_ls_do(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *call);
void gj_ls_release(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *mark);
void gj_ls_assume(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *condition);

// --- verify, text, reference ---

// Checks types, scopes, order and limits. Beyond what the types say: only lets are set again;
// break, continue and return stand last in their block; a function with a result ends in a return;
// parallel calls are of functions that stand before; arrays take at most 256 KiB of stack per
// function.
gj_status gj_lmodule_verify(const gj_lmodule *m, gj_error *err);
void gj_lmodule_print(const gj_lmodule *m, gj_strbuf *out);
// The same without the bytes of data that has more than `most_data`: to be read by people.
void gj_lmodule_sketch(const gj_lmodule *m, size_t most_data, gj_strbuf *out);
gj_status gj_lmodule_parse(const char *text, size_t length, gj_lmodule **out_module, gj_error *err);
// Adds functions to a module, those in `text` behind those it has, whose names they may call. For
// code that no graph has a part in. What is wrong with the text fails the module.
void gj_lmodule_add(gj_lmodule *m, const char *text, size_t length);
// Whether it is a function of C, which has no body.
static inline bool gj_lfunc_is_foreign(const gj_lfunc *f) { return f->external || f->library; }
// The function of this name, or NULL.
const gj_lfunc *gj_lmodule_find(const gj_lmodule *m, const char *name);
// By function: whether it, or what it calls, asks for something of the run (scratch, cancelled,
// slot, parallel, too_deep, the heap). Of a module that verifies; `out_needs` has room for all.
void gj_lfunc_needs_exec(const gj_lmodule *m, bool *out_needs);
// Bytes of the arrays that all functions have on the stack, which no chain of calls that asks
// too_deep at each turn exceeds.
int64_t gj_lmodule_stack_bytes(const gj_lmodule *m);

// Runs the entry function, or an exported one with the buffers and scalars as its params. Memory
// accesses are checked against the sizes given: buffer_sizes[i] bytes of buffers[i], scratch_size
// bytes of scratch; a stray access is GJ_E_VERIFY naming function and pointer, and so is an
// assumption that does not hold. Parallel ranges are cut unevenly and run in odd order, on slots
// below `slots`. too_deep is true some thousand calls down, and calls that go twice as deep are
// GJ_E_UNSUPPORTED. There is heap_limit memory to allocate.
typedef struct gj_leval {
  void *const *buffers;
  const size_t *buffer_sizes;
  size_t buffer_count;
  int64_t *dims;
  size_t dim_count;
  void *scratch;
  size_t scratch_size;
  uint32_t slots;           // 0: one
  const char *function;     // NULL: the entry
  const gj_scalar *scalars; // of an exported function, in order and of the dtypes that it takes
  size_t scalar_count;
  gj_scalar *result;  // of an exported function, or NULL
  size_t heap_limit;  // bytes; 0: 1 GiB
  uint64_t max_steps; // statements executed before it gives up (GJ_E_UNSUPPORTED); 0: no limit
  bool js_math;       // elementary functions of f64 are JavaScript's (src/math/js)
} gj_leval;
gj_status gj_lmodule_eval(const gj_lmodule *m, const gj_leval *args, int32_t *out_status,
                          gj_error *err);

// --- transforms (module in place) ---

// Whether a machine does an operator lane by lane; `uniform`: all lanes have the same last operand.
typedef bool gj_takes_apart(const gj_lexpr *e, bool uniform);

// What the vectoriser has to know of a machine.
typedef struct gj_loops_machine {
  unsigned vector_bytes; // 16, 32 or 64
  unsigned masked;       // element sizes, or'ed, that it loads and stores under a mask: 1 2 4 8
  bool cheap_masks;      // a mask costs no time
  int64_t stream_bytes;  // a kernel that touches as many had better write past the caches; 0: none
  unsigned gathers;      // element sizes, or'ed, that it gathers by an instruction
  gj_takes_apart *takes_apart; // for the report; NULL: no operator
} gj_loops_machine;

// Rewrites loops of step 1 marked vector with explicit vector types of `vector_bytes` times the
// factor, or as straight-line code when the trip count is constant and small; lays out loops marked
// unroll. The rest of a loop is done under a mask, by a last vector that overlaps the one before,
// or by a scalar loop (strip.c). Loops that it can't rewrite keep running as they are; no mark
// remains. Results keep their bits. What it did is said per loop in `report` when that is not NULL
// ("k0: for i: 8 lanes, masked rest", "k1: for j: scalar: why"), with ", div of i64 lane by lane"
// where vectors are taken apart. The module must verify.
gj_status gj_loops_vectorise(gj_lmodule *m, const gj_loops_machine *machine, gj_strbuf *report,
                             gj_error *err);
// A part of it, for somebody to look at: loops of marks not among `marks` (GJ_LOOP_*) stay marked.
gj_status gj_loops_rewrite(gj_lmodule *m, const gj_loops_machine *machine, unsigned marks,
                           gj_strbuf *report, gj_error *err);

#endif
