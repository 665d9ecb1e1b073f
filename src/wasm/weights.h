// The constants of a module that lie outside of it.
//
// Separate weights take a region of the module's memory that is zero until the caller copies the
// bytes of a file into it. What the file must hold is told by its size and a hash, so that the file
// of another program is refused: FNV-1a over the little-endian words of 32 bits, from 2166136261
// on,
//   for (const word of words) hash = Math.imul(hash ^ word, 16777619);
// in hexadecimal digits without zeros in front. A hash against mistakes, not against malice.
#ifndef GJ_WASM_WEIGHTS_H
#define GJ_WASM_WEIGHTS_H

#include "codegen/codegen.h"

enum { GJ_WEIGHT_LEAST = 64 }; // bytes: smaller constants stay in the module

// Where each item of data of `module` lies in the region, in its arena. GJ_E_OVERFLOW when 32 bits
// do not address all of them, inside and outside. A region of no bytes means that weights are not
// separate, or no constant is large enough.
gj_status gj_weights_place(gj_lmodule *module, bool separate, gj_region *out_region, gj_error *err);
// The content of the region; malloc.
gj_status gj_weights_copy(const gj_lmodule *module, const gj_region *region,
                          unsigned char **out_bytes, gj_error *err);
uint32_t gj_weights_hash(const unsigned char *bytes, size_t size);

#endif
