// Shared state of the emission of one Loop IR module, for codegen/ only.
//
// The first failure is kept in `status` and *err; emission then goes on with poison values of the
// right type, so the emitters need no error paths, and the module is thrown away at the end.
#ifndef GJ_CODEGEN_CONTEXT_H
#define GJ_CODEGEN_CONTEXT_H

#include "codegen/codegen.h"
#include "math/bitcode.h"

#include "codegen/optimise/remarks_shim.h"

#include <llvm-c/Core.h>

// A local of the function being emitted. One that is never set is its value; others live in a stack
// slot until LLVM's mem2reg.
typedef struct gj__local {
  LLVMValueRef value; // value, or slot when `slot`
  bool slot;
  LLVMValueRef *pieces; // slots of an array that lives in vectors of `piece_lanes`, or NULL
  unsigned piece_lanes;
} gj__local;

// What an object has become. Expressions already emitted in the current statement are found here
// (they are shared: without it x + x nested n times would be 2^n instructions), and values of
// cloned functions.
typedef struct gj__memo_entry {
  const void *key;
  LLVMValueRef value;
  uint64_t round; // entries of older rounds are empty
} gj__memo_entry;

typedef struct gj__memo {
  gj__memo_entry *entries;
  size_t capacity, count; // capacity: 0 or a power of two
  uint64_t round;
} gj__memo;

// A loop around the statement being emitted.
typedef struct gj__loop gj__loop;
struct gj__loop {
  LLVMBasicBlockRef on_break, on_continue;
  gj__loop *outer;
};

typedef struct gj__cg {
  const gj_lmodule *lm;
  const gj_target *target;
  const gj_codegen_options *options;
  bool list_features; // write long feature lists into the functions
  gj_arena arena;     // scratch of this compilation
  gj_error *err;
  gj_status status;

  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  LLVMTypeRef i1, i8, i32, i64, f32, f64, ptr;
  LLVMValueRef *functions;     // per Loop IR function
  LLVMValueRef *tasks;         // per Loop IR function: it as a gj_task, NULL until used
  LLVMValueRef *data;          // per data item, NULL until used
  LLVMValueRef weights;        // the region of constant data, or NULL
  LLVMValueRef zero;           // constant 0:i32 that stands for an absent cancel flag, or NULL
  LLVMFastMathFlags fast;      // flags of float operators of the graph
  LLVMModuleRef *math_modules; // of the math library, by slot (mathlib.c); NULL until used
  bool *needs_exec;            // per Loop IR function
  int64_t stack_bytes;         // of the arrays of all functions
  bool own_exec;               // C may call without a limit of the stack, so we set one
  bool captures;               // pointers become numbers somewhere

  const gj_lfunc *func; // function being emitted
  LLVMValueRef function;
  LLVMValueRef exec; // of the call
  gj__local *locals;
  bool sets_dims; // so dims change during the run
  gj__loop *loop;
  LLVMMetadataRef scope; // of positions of loops, or NULL
  const char *reason;    // that a remark gave without a place, or NULL
  gj__memo memo;
} gj__cg;

// Keeps the first failure; returns its code.
gj_status gj__cg_fail(gj__cg *cg, gj_status code, const char *format, ...) GJ_PRINTF(3, 4);

// Types: in registers a bool is i1, in memory i8; lanes 1 is a scalar.
LLVMTypeRef gj__cg_type(gj__cg *cg, gj_ltype type);
LLVMTypeRef gj__cg_register_type(gj__cg *cg, gj_dtype dtype, unsigned lanes);
LLVMTypeRef gj__cg_memory_type(gj__cg *cg, gj_dtype dtype, unsigned lanes);

// An element as a constant, repeated over the lanes.
LLVMValueRef gj__cg_const(gj__cg *cg, gj_scalar value, unsigned lanes);
// A small number of dtype, repeated over the lanes; floats get its value, bool its truth.
LLVMValueRef gj__cg_number(gj__cg *cg, gj_dtype dtype, unsigned lanes, int64_t number);
LLVMValueRef gj__cg_splat(gj__cg *cg, LLVMValueRef scalar, unsigned lanes);
LLVMTypeRef gj__with_lanes(LLVMTypeRef element, unsigned lanes);
LLVMValueRef gj__const_splat(LLVMValueRef scalar, unsigned lanes);

// Calls an overloaded intrinsic; `types` are the types of its name's suffix.
LLVMValueRef gj__cg_intrinsic(gj__cg *cg, const char *name, LLVMTypeRef *types, unsigned type_count,
                              LLVMValueRef *args, unsigned arg_count);
// The same for the many that have one type and take at most three operands of it (NULL: absent).
LLVMValueRef gj__cg_intrinsic1(gj__cg *cg, const char *name, LLVMValueRef a, LLVMValueRef b,
                               LLVMValueRef c);
// compress.c: the lanes of a vector where a mask is true, in front.
LLVMValueRef gj__cg_compress(gj__cg *cg, const gj_lexpr *e);
// mask.c: masks as numbers, a bit of an i64 for each lane; how many lanes of one are true.
LLVMValueRef gj__cg_mask_number(gj__cg *cg, LLVMValueRef mask);
LLVMValueRef gj__cg_bits(gj__cg *cg, const gj_lexpr *e);
LLVMValueRef gj__cg_mask(gj__cg *cg, const gj_lexpr *e);
LLVMValueRef gj__cg_trues(gj__cg *cg, const gj_lexpr *e);
// Whether any lane of a vector of i1 is true; a scalar is itself.
LLVMValueRef gj__cg_any(gj__cg *cg, LLVMValueRef mask);
// A load or store of the lanes where the mask is true; lanes not loaded are 1.
LLVMValueRef gj__cg_masked_load(gj__cg *cg, gj_dtype dtype, LLVMTypeRef type, LLVMValueRef address,
                                LLVMValueRef mask);
void gj__cg_masked_store(gj__cg *cg, gj_dtype dtype, LLVMValueRef value, LLVMValueRef address,
                         LLVMValueRef mask);
// records.c: lanes of memory type from records that begin at `address`; `mask` may be NULL.
LLVMValueRef gj__cg_load_records(gj__cg *cg, const gj_lexpr *load, LLVMValueRef address,
                                 LLVMValueRef mask);
// pieces.c: finds the arrays of the function that live in registers; a store into one, a load from
// one as memory types; false and NULL where the array is none.
void gj__cg_find_pieces(gj__cg *cg);
bool gj__cg_store_piece(gj__cg *cg, const gj_lstmt *s, LLVMValueRef value);
LLVMValueRef gj__cg_load_piece(gj__cg *cg, const gj_lexpr *e);
// tile.c: a tile statement.
void gj__cg_tile(gj__cg *cg, const gj_lstmt *s);
// Loads whole vectors through a vector of pointers.
LLVMValueRef gj__cg_gather(gj__cg *cg, LLVMTypeRef type, LLVMValueRef pointers, unsigned align);

// Marks the result of a function or call that C shares: an i32 widened as its ABI wants it.
void gj__cg_widened_result(gj__cg *cg, LLVMValueRef value);
void gj__cg_attribute(gj__cg *cg, LLVMValueRef function, LLVMAttributeIndex at, const char *name,
                      uint64_t value);
void gj__cg_string_attribute(gj__cg *cg, LLVMValueRef function, const char *name,
                             const char *value);
// An internal function with the attributes that all functions have (CPU, vector width, nounwind).
LLVMValueRef gj__cg_function(gj__cg *cg, const char *name, LLVMTypeRef type);
// What is said of every function of the module.
void gj__cg_function_attributes(gj__cg *cg, LLVMValueRef function);

// emit.c: the whole module; a new block of the function, named by both texts; stack memory of it.
void gj__cg_module(gj__cg *cg);
LLVMBasicBlockRef gj__cg_block(gj__cg *cg, const char *prefix, const char *suffix);
LLVMValueRef gj__cg_slot(gj__cg *cg, LLVMTypeRef type, const char *name, unsigned align);

// expr.c: an expression at the builder's place; a new statement begins with gj__memo_clear.
LLVMValueRef gj__cg_expr(gj__cg *cg, const gj_lexpr *e);
LLVMValueRef gj__cg_address(gj__cg *cg, gj_dtype dtype, const gj_lexpr *pointer,
                            const gj_lexpr *index, unsigned flags);
// Makes the region of the options, for data that is not in the object.
void gj__cg_region(gj__cg *cg);
void gj__memo_clear(gj__memo *memo);
void gj__memo_fini(gj__memo *memo);
LLVMValueRef gj__memo_get(gj__memo *memo, const void *key); // NULL when absent
void gj__memo_put(gj__cg *cg, gj__memo *memo, const void *key, LLVMValueRef value);

// call.c: calls of functions of the module.
LLVMValueRef gj__cg_call(gj__cg *cg, const gj_lexpr *e);
LLVMValueRef gj__cg_parallel(gj__cg *cg, const gj_lexpr *e);
// Whether there may be threads to divide work among.
bool gj__cg_divides(const gj__cg *cg);
// wasm_pool.c: the function of this module that divides work; NULL on failure.
LLVMValueRef gj__cg_wasm_pool(gj__cg *cg);
// library/library.c: a library function as a declaration of this module; afterwards, the code of
// those that are called, unless they are called where they are in the core.
LLVMValueRef gj__cg_library_function(gj__cg *cg, const gj_lfunc *func);
void gj__cg_link_library(gj__cg *cg);
// expr.c: tells the caller of the entry function a size.
void gj__cg_set_dim(gj__cg *cg, uint64_t index, LLVMValueRef value);
// A load of something that never changes during the run.
LLVMValueRef gj__cg_invariant_load(gj__cg *cg, LLVMTypeRef type, LLVMValueRef address,
                                   unsigned align);

// run.c: field `index` of the gj_exec that every function gets last, as a value of `type`; what the
// entry goes on with when it was called without; expressions and statements that ask the run.
LLVMValueRef gj__cg_exec_field(gj__cg *cg, LLVMTypeRef type, unsigned index);
LLVMValueRef gj__cg_exec_or_none(gj__cg *cg, LLVMValueRef exec);
LLVMValueRef gj__cg_too_deep(gj__cg *cg);
LLVMValueRef gj__cg_alloc(gj__cg *cg, const gj_lexpr *e);
LLVMValueRef gj__cg_mark(gj__cg *cg);
void gj__cg_release(gj__cg *cg, LLVMValueRef mark);
// The condition, which the optimiser is told to be false nearly always.
LLVMValueRef gj__cg_unlikely(gj__cg *cg, LLVMValueRef condition);

// remarks.c: adds to the options' list (a gj__on_remark); puts it into the order of positions.
void gj__on_loop_remark(const gj__llvm_remark *remark, void *cg);
void gj__remarks_sort(gj_remarks *remarks);
// places.c: says where a loop is in the user's source, on the branch that goes back.
void gj__cg_place_loop(gj__cg *cg, const gj_lstmt *s, LLVMValueRef back);

// wrap.c
LLVMValueRef gj__cg_wrap(gj__cg *cg, const gj_lexpr *e);
LLVMValueRef gj__cg_overflows(gj__cg *cg, const gj_lexpr *e);

// ops.c: an operator on its emitted operands; a comparison of integers.
LLVMValueRef gj__cg_op(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *args);
LLVMValueRef gj__cg_icmp(gj__cg *cg, LLVMIntPredicate predicate, LLVMValueRef x, LLVMValueRef y);

// round.c: floor, ceil, trunc and round_even.
LLVMValueRef gj__cg_round(gj__cg *cg, const gj_lexpr *e, LLVMValueRef x);

// extreme.c: nested minima or maxima of floats as one, where the target has only quick but faulty
// ones; NULL where they had better be emitted one by one.
LLVMValueRef gj__cg_extreme(gj__cg *cg, const gj_lexpr *e);

// divide.c, integer.c: the operators on integers that need more than an instruction. `e` gives
// types and constants.
LLVMValueRef gj__cg_int_divide(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *args, bool remainder);
LLVMValueRef gj__cg_int_pow(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *args);
LLVMValueRef gj__cg_shift(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *args, bool left);
LLVMValueRef gj__cg_popcount(gj__cg *cg, const gj_lexpr *e, LLVMValueRef x);
// The integer that every lane of the expression is, if it is constant.
bool gj__cg_constant_int(const gj_lexpr *e, int64_t *out);

// convert.c: the value in another dtype; a float that is in range of the integer type truncated.
LLVMValueRef gj__cg_convert(gj__cg *cg, LLVMValueRef value, gj_dtype from, gj_dtype to,
                            unsigned lanes);
LLVMValueRef gj__cg_truncate(gj__cg *cg, LLVMValueRef x, gj_dtype from, gj_dtype to,
                             unsigned lanes);

// convert_half.c: a half as f32, and a value of any other dtype rounded once to a half.
LLVMValueRef gj__cg_from_half(gj__cg *cg, LLVMValueRef bits, gj_dtype from, unsigned lanes);
LLVMValueRef gj__cg_to_half(gj__cg *cg, LLVMValueRef value, gj_dtype from, gj_dtype to,
                            unsigned lanes);

// convert_wide.c: casts between floats and 64-bit integers where vectors of them are no
// instruction, to be used where the first says so.
bool gj__cg_lacks_wide_casts(const gj__cg *cg, unsigned lanes);
LLVMValueRef gj__cg_wide_truncate(gj__cg *cg, LLVMValueRef x, gj_dtype from, gj_dtype to,
                                  unsigned lanes);
// A 64-bit integer of at most 53 bits, rounded to odd if it has more.
LLVMValueRef gj__cg_odd_integer(gj__cg *cg, LLVMValueRef x, gj_dtype from, unsigned lanes);
LLVMValueRef gj__cg_wide_to_float(gj__cg *cg, LLVMValueRef x, gj_dtype from, gj_dtype to,
                                  unsigned lanes);

// convert_wasm.c: floats to u32 or i32, saturating, or any how out of range; i32 below 2^22 and f64
// to f32; whether a vector has fewer lanes of f32 than a register; a cast of such a vector to
// `type`, which is one of f32.
LLVMValueRef gj__cg_wasm_saturate(gj__cg *cg, LLVMValueRef x, gj_dtype to, unsigned lanes);
LLVMValueRef gj__cg_wasm_truncate(gj__cg *cg, LLVMValueRef x, gj_dtype to, unsigned lanes);
LLVMValueRef gj__cg_wasm_small_to_f32(gj__cg *cg, LLVMValueRef x, unsigned lanes);
LLVMValueRef gj__cg_wasm_demote(gj__cg *cg, LLVMValueRef x, unsigned lanes);
bool gj__cg_is_short(const gj__cg *cg, unsigned lanes);
LLVMValueRef gj__cg_wasm_padded(gj__cg *cg, LLVMValueRef x, LLVMOpcode cast, LLVMTypeRef type);

// mathlib.c: op of the math library on vectors of `lanes`, as a function of this module; NULL on
// failure.
LLVMValueRef gj__math_function(gj__cg *cg, const char *op, gj_dtype dtype, unsigned arity,
                               unsigned lanes);
// The function `name`, of any width, that numerics 'fast' have beside that of the op; NULL where
// these have none of their own, or with a failure.
LLVMValueRef gj__math_fast_function(gj__cg *cg, const char *op, const char *name, gj_dtype dtype,
                                    unsigned lanes);
void gj__mathlib_fini(gj__cg *cg);
// A module of the library, read when first asked for; NULL with a failure. Slots are two for each
// row of gj_math_blobs, then one for each of gj_math_js_blobs.
LLVMModuleRef gj__math_module(gj__cg *cg, size_t slot, const char *op, gj_math_bitcode code);

// Says of a function that it is the library's: equal calls of it are one, and, where it is defined
// here, it is optimised already.
void gj__cg_mark_pure(gj__cg *cg, LLVMValueRef function);
void gj__cg_mark_optimised(gj__cg *cg, LLVMValueRef function);

// A function of these names that gives rare(x) ? slow(x) : main(x) for each lane; `slow` is scalar.
LLVMValueRef gj__math_choice(gj__cg *cg, const char *name, const char *slow_name, LLVMValueRef main,
                             LLVMValueRef rare, LLVMValueRef slow);
// How many lanes functions have that LLVM's vectoriser may call, those of a whole register; 1: it
// calls none. One of half of them would serve the rest of a loop, and cost as much compile time.
unsigned gj__math_variant_lanes(const gj__cg *cg, gj_dtype dtype);
// Tells it that `vector` (NULL: none) does what `scalar` does, by the name that its vector function
// ABI has for that: N for no mask, the lanes, v for each vector.
void gj__math_add_variant(gj__cg *cg, LLVMValueRef scalar, LLVMValueRef vector, unsigned arity,
                          unsigned lanes);
// Of such functions: it does not see that they are used.
#define GJ__VARIANT "gj.variant"

// mathlib/turns.c: the value of sin or cos of an angle that is a multiple of 2 pi times something,
// or NULL where it is none or other code is as good.
LLVMValueRef gj__math_turns(gj__cg *cg, const gj_lexpr *e, LLVMValueRef angle);

// mathlib/js.c: whether an op has JavaScript's meaning here, and the function for it.
bool gj__is_js_math(const gj__cg *cg, const char *op, gj_dtype dtype);
LLVMValueRef gj__js_math_function(gj__cg *cg, const char *op, unsigned arity, unsigned lanes);
// For code that hardly ever runs: kept out of line and compiled without effort, a quarter of the
// time.
void gj__cg_mark_cold(gj__cg *cg, LLVMValueRef function);

// lookup.c: whether the target looks up small tables of dtype in registers, and such a lookup: the
// elements of a constant table that the lanes of `index` (unsigned, as wide as the elements) name;
// NULL where a table of this length is better gathered from memory.
bool gj__cg_has_permute(const gj__cg *cg, gj_dtype dtype);
LLVMValueRef gj__cg_lookup(gj__cg *cg, LLVMValueRef table, LLVMValueRef index);

// widen.c: a copy in this module of a function of another module in the same context, each scalar
// made a vector of `lanes` when that is more than 1. NULL on failure.
LLVMValueRef gj__clone_function(gj__cg *cg, LLVMValueRef source, unsigned lanes, const char *name);

#endif
