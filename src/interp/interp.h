// The first tier: runs a Loop IR module at once, block by block, without compiling it.
//
// A translator makes compact code of each function. Control flow and index arithmetic are
// interpreted; a loop marked vector runs in blocks of some hundred iterations, each operation on
// one block being one call of a prebuilt kernel (interp/blocks.h). So an operation on 10 000
// elements costs some twenty dispatches, and results have the bits that compiled code gives: the
// kernels come from the same code generator, and iterations of a vector loop are independent by
// its mark. Memory is not checked; the module must be one that lowering made or that verifies and
// is trusted as compiled code would be.
//
// Left out: vector-typed values, which only exist after vectorisation. Loops that cannot be
// widened run one iteration at a time, correct but slow.
#ifndef GJ_INTERP_INTERP_H
#define GJ_INTERP_INTERP_H

#include "base/exec.h"
#include "interp/blocks.h"
#include "loops/loops.h"

typedef struct gj_interp gj_interp;

// GJ_E_UNSUPPORTED with a reason for modules that are too large or hold what is left out. Constant
// data stays in the module, which must live as long; nothing else of it is kept.
gj_status gj_interp_new(const gj_lmodule *module, const gj_block_set *set, gj_interp **out_interp,
                        gj_error *err);
void gj_interp_free(gj_interp *interp); // NULL is fine

// Runs the entry as compiled code would. Any number of runs at once, from any thread. Returns a
// gj_run_status.
int32_t gj_interp_run(const gj_interp *interp, void *const *buffers, int64_t *dims, gj_exec *exec);

// The code as text, for tests and for those who look at it.
void gj_interp_print(const gj_interp *interp, gj_strbuf *out);

#endif
