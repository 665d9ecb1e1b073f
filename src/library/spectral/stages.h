// The stages of eigenvalue and singular value decompositions: a template over REAL. Each is
// described where it is defined.
void NAME(tridiagonal_direct)(int64_t n, REAL *a, int64_t stride, REAL *d, REAL *e, REAL *q,
                              REAL *work);
void NAME(tridiagonal)(int64_t n, REAL *a, int64_t stride, REAL *d, REAL *e, REAL *tau, REAL *work,
                       REAL *pack);
bool NAME(tridiagonal_ql)(int64_t n, REAL *d, REAL *e, REAL *z, int64_t stride, int64_t columns);
bool NAME(tridiagonal_divide)(int64_t n, REAL *d, REAL *e, REAL *z, REAL *s, int64_t stride,
                              int32_t *order, REAL *aside, REAL *work, REAL *pack);
void NAME(secular_solve)(int64_t k, REAL *poles, bool squared, REAL *z, REAL rho, REAL *differences,
                         int64_t stride, REAL *roots, int32_t *origins, REAL *work);
void NAME(bidiagonal_direct)(int64_t n, REAL *w, REAL *y, int64_t stride, REAL *d, REAL *e, REAL *q,
                             REAL *work);
void NAME(bidiagonal)(int64_t n, REAL *w, int64_t stride, REAL *d, REAL *e, REAL *tau_x,
                      REAL *tau_y, REAL *work, REAL *pack);
bool NAME(bidiagonal_divide)(int64_t n, REAL *d, REAL *e, REAL *u, REAL *v, REAL *s, int64_t stride,
                             int32_t *order, REAL *aside, REAL *work, REAL *pack);
bool NAME(bidiagonal_qr)(int64_t n, REAL *d, REAL *e, REAL *u, REAL *v, int64_t stride,
                         int64_t columns);
void NAME(reflectors_apply)(int64_t rows, int64_t length, REAL *z, int64_t z_stride, int64_t count,
                            const REAL *v, int64_t v_stride, const REAL *tau, bool reversed,
                            REAL *work, REAL *pack);
void NAME(lq)(int64_t k, int64_t n, REAL *w, int64_t w_stride, REAL *tau, REAL *l, int64_t stride,
              REAL *work, REAL *pack);
void NAME(lq_apply)(int64_t k, int64_t n, const REAL *w, int64_t w_stride, const REAL *tau, REAL *z,
                    int64_t stride, REAL *work, REAL *pack);

// How many reflectors are applied together.
#undef REFLECTORS
#define REFLECTORS 32
