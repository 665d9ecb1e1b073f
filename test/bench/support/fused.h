// Fused elementwise loops for one element type: T and NAME(stem) are defined by who includes this.
//
// With OpenMP they divide themselves among threads, unless they are too short for it to pay.

#define EACH _Pragma("omp parallel for simd schedule(static) if (n > 20000)") for (size_t i = 0; i < n; i++)

// mul sin cos mul mul add
static void NAME(chain)(void *const *a, size_t n) {
  const T *restrict x = a[0];
  T *restrict z = a[1];
  EACH {
    T c = cos(sin(x[i] * x[i])), d = c * c;
    z[i] = d + d * d;
  }
}

// The tanh form of Gaussian error linear units.
static void NAME(gelu)(void *const *a, size_t n) {
  const T *restrict x = a[0];
  T *restrict z = a[1];
  EACH {
    T v = x[i];
    z[i] = (T)0.5 * v * (1 + tanh((T)0.7978845608028654 * (v + (T)0.044715 * v * v * v)));
  }
}

// The price of a call option: spot, strike, time; rate 3 %, volatility 20 %.
static void NAME(black_scholes)(void *const *a, size_t n) {
  const T *restrict s = a[0], *restrict k = a[1], *restrict t = a[2];
  T *restrict z = a[3];
  const T rate = (T)0.03, v = (T)0.2, half = (T)0.5, root = (T)0.7071067811865476;
  EACH {
    T deviation = v * sqrt(t[i]);
    T d1 = (log(s[i] / k[i]) + (rate + half * v * v) * t[i]) / deviation, d2 = d1 - deviation;
    z[i] = s[i] * half * (1 + erf(d1 * root)) - k[i] * exp(-rate * t[i]) * half * (1 + erf(d2 * root));
  }
}

#undef EACH
