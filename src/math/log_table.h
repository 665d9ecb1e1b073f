// The reduction of the float logarithm with fused multiply-add, see log.c.
//
// x = 2^k m with m in [2/3, 4/3), cut into 16 intervals by its leading bits; c is the reciprocal of
// the middle of an interval, 1 around 1. -log c stands in two parts, the first with 16 digits
// behind the point, so that its sum with k times such a head of ln2 is exact. Next to the interval
// around 1 c has so few digits that r is exact, as half of it cancels.
#ifndef GJ_MATH_LOG_TABLE_H
#define GJ_MATH_LOG_TABLE_H

static const float gjm_log_inversef[16] = {
    0x1.7734c4p0f,  0x1.66c612p0f,  0x1.57b864p0f,  0x1.49e112p0f, 0x1.3d1c14p0f, 0x1.314abcp0f,
    0x1.2652c8p0f,  0x1.1c1d98p0f,  0x1.12979ap0f,  0x1.08p0f,     0x1p0f,        0x1.e8p-1f,
    0x1.cb5d4ep-1f, 0x1.b2f934p-1f, 0x1.9d0ac2p-1f, 0x1.89374cp-1f};
static const float gjm_log_headf[16] = {-0x1.8778p-2f,
                                        -0x1.599cp-2f,
                                        -0x1.2db8p-2f,
                                        -0x1.03a4p-2f,
                                        -0x1.b668p-3f,
                                        -0x1.68ap-3f,
                                        -0x1.1dbp-3f,
                                        -0x1.aadp-4f,
                                        -0x1.1f3p-4f,
                                        -0x1.f84p-6f,
                                        0,
                                        0x1.894p-5f,
                                        0x1.bc5p-4f,
                                        0x1.4de8p-3f,
                                        0x1.b7ep-3f,
                                        0x1.0e4cp-2f};
static const float gjm_log_tailf[16] = {-0x1.25597ap-18f,
                                        -0x1.611c16p-18f,
                                        -0x1.d79d14p-19f,
                                        0x1.a4ffa6p-18f,
                                        -0x1.3c3848p-18f,
                                        -0x1.34b17cp-18f,
                                        -0x1.81b114p-18f,
                                        -0x1.8e89c6p-20f,
                                        0x1.2f085cp-18f,
                                        0x1.64f188p-18f,
                                        0,
                                        0x1.54294p-18f,
                                        0x1.8ed7a2p-18f,
                                        -0x1.1ca10cp-21f,
                                        -0x1.f27324p-18f,
                                        0x1.f6aa6p-19f};

#endif
