// All of the transforms for one type of reals, GJL_REAL_BITS.
// clang-format off
#include "library/real.h"
#include "library/fourier/plan.h"
#include "library/fourier/roots.h"
#include "library/fourier/passes.h"
#include "library/fourier/line_roots.h"
#include "library/fourier/columns.h"
#include "library/fourier/large.h"
#include "library/fourier/bluestein.h"
#include "library/fourier/real_transforms.h"
#include "library/fourier/transforms.h"
// clang-format on
