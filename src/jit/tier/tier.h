// Programs that run before they are compiled: interpreted at first, LLVM code swapped in when
// ready.
//
// With GJ_TIER_AUTO a program starts in the block interpreter (interp/interp.h). Once it has cost
// more than compiling it would, or is given large arrays, one thread of the process compiles it,
// and the next run calls the code; runs under way end where they began. Both compute the same
// bits. Numerics 'fast', whose bits are not promised, and modules that the interpreter refuses are
// compiled at once. Private to jit/.
#ifndef GJ_JIT_TIER_TIER_H
#define GJ_JIT_TIER_TIER_H

#include "jit/program/program.h"

typedef struct gj__tier gj__tier;

// GJ_E_UNSUPPORTED: there is no first tier for these options, this machine or this graph; compile
// it. Fills the times and figures of `stats`.
gj_status gj__tier_new(const gj_graph *graph, const gj_compile_options *options,
                       gj__tier **out_tier, gj_program_stats *stats, gj_error *err);
// For gj_program_free(): a compilation under way ends by itself. NULL is fine.
void gj__tier_release(gj__tier *tier);

// Before an interpreted run of `bytes` bytes of arrays: queues the program if it is worth
// compiling.
void gj__tier_consider(const gj_program *program, size_t bytes);
// One run in the interpreter. Returns a gj_run_status.
int32_t gj__tier_interpret(gj__tier *tier, void *const *buffers, int64_t *dims, gj_exec *exec);
gj_entry *gj__tier_entry(const gj__tier *tier); // NULL while there is no machine code
// Bytes of scratch memory of a run, the text of a size; the same in both tiers.
const char *gj__tier_scratch(const gj__tier *tier);
// What compiling took and made, once it has.
void gj__tier_get_stats(const gj__tier *tier, gj_program_stats *stats);

#endif
