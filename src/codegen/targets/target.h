// What a kernel is compiled for: triple, CPU and the few facts that shape loops.
//
// Lowering and the loop transforms read only the description; the triple and feature string go to
// LLVM.
#ifndef GJ_CODEGEN_TARGETS_TARGET_H
#define GJ_CODEGEN_TARGETS_TARGET_H

#include "loops/loops.h"

#include <stdbool.h>

// The optimiser decides where loop strength reduction pays (optimise.c); in LLVM's code generator
// it is on or off for the whole process.
#define GJ_CODEGEN_OPTION "-disable-lsr"

typedef struct gj_target {
  char triple[96];
  char cpu[64];
  char features[4096];
  unsigned vector_bytes;  // widest vector register worth using: 16, 32 or 64; 0: there is none
  unsigned pointer_bytes; // 4 or 8
  unsigned masked;        // sizes of elements, or'ed, that vector memory accesses can mask
  bool cheap_masks;       // a mask costs no time
  int64_t stream_bytes;   // what no cache holds any more, so that stores go past them; 0: never
  bool fma;               // has fused multiply-add in hardware
  bool halves;            // converts between f16 and f32 in hardware, vectors too
  bool wasm;
  bool relaxed; // wasm: has relaxed simd
} gj_target;

// What a wasm engine must know beyond version 1.0 of the standard.
typedef enum gj_wasm_variant {
  GJ_WASM_MVP,    // nothing
  GJ_WASM_SIMD,   // simd128, sign extension, non-trapping conversions, bulk memory
  GJ_WASM_RELAXED // relaxed simd too
} gj_wasm_variant;

// This machine. Detected once per process.
gj_status gj_target_host(gj_target *out_target, gj_error *err);
// The same without a copy; it lives as long as the process.
gj_status gj_target_host_shared(const gj_target **out_target, gj_error *err);
// `threads`: with atomic instructions, for memory that is shared; GJ_E_ARGUMENT for GJ_WASM_MVP,
// which has none.
gj_status gj_target_wasm(gj_wasm_variant variant, bool threads, gj_target *out_target,
                         gj_error *err);
// Any linked-in LLVM target by triple or architecture, with its generic or a named CPU and "+a,-b"
// features (both may be NULL). An unknown triple, CPU or feature is GJ_E_ARGUMENT listing the known
// ones (processors.h).
gj_status gj_target_named(const char *triple, const char *cpu, const char *features,
                          gj_target *out_target, gj_error *err);

// Whether its vectors turn subnormal numbers into zeros, as those of 32-bit ARM do; and the same
// target without them.
bool gj_target_flushes(const gj_target *target);
gj_status gj_target_drop_vectors(gj_target *target, gj_error *err);

// What the loop transforms have to know of it.
gj_loops_machine gj_target_loops(const gj_target *target);

#endif
