// Loop IR → LLVM IR → optimised code, for any target. The one way into LLVM for the layers above.
//
// Every call uses an LLVM context of its own, so calls may run at the same time on several threads.
// Vector operators are emitted as LLVM vector instructions; elementary functions are cloned from
// the math bitcode at the width asked for (codegen/mathlib/mathlib.c). For graphs LLVM's loop and
// SLP vectorisers are not run: the loop transforms have decided already, and so scalar and vector
// code round alike. For functions of users, which nobody has looked at yet, they are (`vectorise`),
// and so where a graph applies such functions by calls.
#ifndef GJ_CODEGEN_CODEGEN_H
#define GJ_CODEGEN_CODEGEN_H

#include "codegen/optimise/remarks.h"
#include "codegen/targets/target.h"
#include "loops/loops.h"

typedef enum gj_numerics {
  GJ_NUMERICS_DEFAULT = 0,
  GJ_NUMERICS_STRICT,
  GJ_NUMERICS_FAST
} gj_numerics;

// Whose elementary functions the ops on f64 are. JavaScript's have the bits of V8's Math.* on every
// target, and rem is its %; 'fast' numerics take our own all the same.
typedef enum gj_math_flavour { GJ_MATH_OWN = 0, GJ_MATH_JS } gj_math_flavour;

// Whether code may use fused multiply-add where a product is added: elementary functions do inside,
// contractions for each product.
static inline bool gj_numerics_fuse(gj_numerics numerics, const gj_target *target) {
  return target->fma && numerics != GJ_NUMERICS_STRICT;
}

// Where a function of a module is when several objects that are loaded together make it up.
typedef enum gj_part {
  GJ_PART_ELSEWHERE, // in another object
  GJ_PART_SHARED,    // in this one, and called from others
  GJ_PART_OWN        // in this one alone
} gj_part;

// Constant data that is not in the object: item i of the module's data lies at offsets[i] of a
// zeroed region, exported as GJ_REGION_SYMBOL, which is filled before the first run.
typedef struct gj_region {
  const uint64_t *offsets; // GJ_REGION_OUTSIDE: this item is in the object
  uint64_t size;           // 0: there is no region
} gj_region;
#define GJ_REGION_OUTSIDE UINT64_MAX
#define GJ_REGION_SYMBOL "weights"

// Before the names of functions of custom_call in code for this process, where each is the
// gj_custom that ops/custom.h has for it, whatever else there is of these names.
#define GJ_CUSTOM_PREFIX "gj.custom."

// Before the names of library functions in code for this process that calls them in the core.
#define GJ_LIBRARY_PREFIX "gj.library."

// Before the numbers of constant data that is not in the object but somewhere in this process.
#define GJ_CONSTANT_PREFIX "gj.constant."

typedef struct gj_codegen_options {
  gj_numerics numerics;
  gj_math_flavour math;
  bool platform_pow;  // JavaScript's pow is one that only calls know: vectors call it for each lane
  unsigned opt_level; // 0 … 3
  bool vectorise;     // LLVM vectorises and unrolls loops: of modules that nobody has lowered
  bool quick;         // nothing counts but the time until the code is there; at level 1
  bool for_size;      // prefer small code (wasm)
  bool keep_functions;       // do not inline kernels, for profilers to tell them apart
  bool keep_calls;           // recursion does not become a loop, so that its stack ends
  const char *entry_symbol;  // linker name of the entry function
  const char *plan_symbol;   // linker name of the exported function where there is one; NULL: those
                             // that are exported are called what they are called
  bool exec_optional;        // the entry may be called without exec, where it need not have scratch
  const char *export_prefix; // not NULL: other functions are exported too, by this and their name
  const char *custom_prefix; // what the names of C functions begin with; NULL: GJ_CUSTOM_PREFIX
  const uint8_t *part;       // per function: where it is, a gj_part; NULL: all are here
  gj_region weights;         // where constant data lies that is not in the object
  const uint32_t *constants; // per item of data: 1 + its number, where it is known by a
                             // GJ_CONSTANT_PREFIX; 0: it is in the object; NULL: all are
  gj_remarks *remarks;       // gets what became of loops with positions; NULL: nobody asks
  size_t most_data;          // for texts: longer data is declared, not written; 0: no limit
  bool wasm_pool; // of wasm: the module gets a pool of threads (codegen/wasm_pool/pool.c)
  bool host_math; // scalar math is called in the core (jit/code/host_math.h), not compiled, and up
                  // to level 1 the library is, too: for the host only, and only gj_jit_load can
                  // link the object
} gj_codegen_options;

typedef enum gj_emit {
  GJ_EMIT_LLVM,           // LLVM IR text as emitted
  GJ_EMIT_LLVM_OPTIMIZED, // after the optimiser
  GJ_EMIT_BITCODE,        // after the optimiser
  GJ_EMIT_ASSEMBLY,
  GJ_EMIT_OBJECT
} gj_emit;

typedef struct gj_codegen_times { // milliseconds
  double emit, optimize, machine;
} gj_codegen_times;

// On success *out_bytes (malloc; caller frees; text is NUL-terminated beyond *out_size) holds the
// result. `times` may be NULL.
gj_status gj_codegen(const gj_lmodule *module, const gj_target *target,
                     const gj_codegen_options *options, gj_emit what, unsigned char **out_bytes,
                     size_t *out_size, gj_codegen_times *times, gj_error *err);

#endif
