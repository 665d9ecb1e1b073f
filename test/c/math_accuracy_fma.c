// math_accuracy for the fused variant of the math library.
//
// The build compiles this file and src/math/*.c with GJ_MATH_FMA; the functions so defined are used
// in place of the strict ones in gjcore. Where the target has no FMA instruction, libm's fma gives
// the same bits.
#include "math_accuracy.c"
