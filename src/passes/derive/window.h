// How the windows of a conv or of a reduction of windows lie, and the same turned round: which
// windows reach an element of the operand.
//
// An element i of the operand lies at i · base, position k of window p at p · stride + k · dilation
// - lo. So results that are laid out in steps of `stride`, with the right edges, are read by
// windows that move in steps of `base`, and whose position window - 1 - k is where position k of
// theirs was: what comes to an operand is made by an op of the same kind, or by as many slices as a
// window has positions. Where sizes are symbols, that may give more than the operand has at its
// ends, which no window had reached, and is cut.
#ifndef GJ_PASSES_DERIVE_WINDOW_H
#define GJ_PASSES_DERIVE_WINDOW_H

#include "passes/derive/rules.h"

// By axis of the operand; one without windows has such of one element in steps of one.
typedef struct gj__windows {
  const gj_type *operand;
  uint8_t rank, first; // windows lie along axes first … rank - 1
  gj_dim places[GJ_MAX_RANK], window[GJ_MAX_RANK];
  int64_t stride[GJ_MAX_RANK], lo[GJ_MAX_RANK], hi[GJ_MAX_RANK], base[GJ_MAX_RANK],
      dilation[GJ_MAX_RANK];
} gj__windows;

// Of a node whose windows lie along axes from `first`, and have the sizes window[axis - first].
gj__windows gj__windows_of(const gj__derive *d, const gj_node *node, uint8_t first,
                           const gj_dim *window);
// What of the padded operand no window reaches at its end; false where sizes do not tell.
bool gj__windows_rest(const gj__derive *d, const gj__windows *w, uint8_t axis, int64_t *out_rest);
// The operand, or what is like it, with gaps and edges of a number.
gj_ref gj__windows_padded(gj__derive *d, const gj__windows *w, gj_ref operand, double fill);
// What has the shape of the result, with gaps and edges of a number: 0, where a window has a symbol
// for its size.
gj_ref gj__windows_laid_out(gj__derive *d, const gj__windows *w, gj_ref results, double fill);
// Position k of all windows, of what is padded.
gj_ref gj__windows_at(gj__derive *d, const gj__windows *w, gj_ref padded, const gj_dim *k);
// The attributes of an op on what is laid out, but for `window` and `groups`; values lie in `w`.
gj_attrs gj__windows_turned(const gj__windows *w);
// The first elements of `a` along each axis, as many as `type` has.
gj_ref gj__windows_cut(gj__derive *d, gj_ref a, const gj_type *type);

#endif
