// The functions of fourier.def.

void NAME(fft)(int64_t in, int64_t out, int64_t n, int64_t lines, int64_t inverse, int64_t work);
void NAME(rfft)(int64_t in, int64_t out, int64_t n, int64_t lines, int64_t work);
void NAME(irfft)(int64_t in, int64_t out, int64_t n, int64_t lines, int64_t work);

void NAME(fft)(int64_t in, int64_t out, int64_t n, int64_t lines, int64_t inverse, int64_t work) {
  const REAL *from = (const REAL *)(uintptr_t)in;
  REAL *to = (REAL *)(uintptr_t)out;
  if (n <= 0 || lines <= 0)
    return;
  NAME(fourier_plan) plan;
  NAME(prepare_fourier)(&plan, n, lines, (REAL *)(uintptr_t)work);
  NAME(run_fourier)(&plan, from, to, lines, inverse ? -1 : 1);
}

void NAME(rfft)(int64_t in, int64_t out, int64_t n, int64_t lines, int64_t work) {
  const REAL *from = (const REAL *)(uintptr_t)in;
  REAL *to = (REAL *)(uintptr_t)out;
  if (n <= 0 || lines <= 0)
    return;
  NAME(real_plan) plan;
  NAME(prepare_real)(&plan, n, lines, (REAL *)(uintptr_t)work);
  if (n % 2)
    NAME(odd_forward)(&plan, from, to, lines);
  else
    NAME(even_forward)(&plan, from, to, lines);
}

void NAME(irfft)(int64_t in, int64_t out, int64_t n, int64_t lines, int64_t work) {
  const REAL *from = (const REAL *)(uintptr_t)in;
  REAL *to = (REAL *)(uintptr_t)out;
  if (n <= 0 || lines <= 0)
    return;
  NAME(real_plan) plan;
  NAME(prepare_real)(&plan, n, lines, (REAL *)(uintptr_t)work);
  if (n % 2)
    NAME(odd_inverse)(&plan, from, to, lines);
  else
    NAME(even_inverse)(&plan, from, to, lines);
}
