// pi/2 as the unevaluated sum of two numbers, for the trigonometric functions and their inverses.
#ifndef GJ_MATH_HALF_PI_H
#define GJ_MATH_HALF_PI_H

#define GJM_HALF_PI_HI 0x1.921fb54442d18p0
#define GJM_HALF_PI_LO 0x1.1a62633145c07p-54
#define GJM_HALF_PI_HIF 0x1.921fb6p0f
#define GJM_HALF_PI_LOF -0x1.777a5cp-25f

#endif
