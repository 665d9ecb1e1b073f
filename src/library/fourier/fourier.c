// Discrete Fourier transforms of lines of any length, complex and real; not normalised.
//
// Roots of unity are computed by each call, for all of its lines, into its workspace; native code
// keeps those of short lines. Files: roots.h (vectors, twiddle factors), passes.h (butterflies),
// line_roots.h and columns.h (short lengths), large.h (long ones), bluestein.h (lengths with a
// large prime factor), real_transforms.h. Some lengths are taken apart in another way when there
// are many lines (prepare_smooth), so the bits of a line may depend on how many there are. What is
// not here: transforms along other axes than the last, and those of real even or odd symmetry.
#define GJL_REAL_BITS 64
#include "library/fourier/template.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/fourier/template.h"
