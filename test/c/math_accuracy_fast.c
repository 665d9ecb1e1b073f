// math_accuracy for numerics 'fast': the functions of src/math/fast, and where there is none the
// fused variant of src/math. All are held to 4 ulp; subnormal numbers may count as zero.
#define FAST
#include "math_accuracy.c"
