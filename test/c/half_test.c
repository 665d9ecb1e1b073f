// Halves: what their patterns mean, and every conversion from and to them on every instruction set
// that this machine runs.
//
// All 65,536 patterns of f16 and bf16 are converted to every other dtype. Into halves go all
// midpoints of neighbours and the numbers next to these on both sides, from f32 and from f64, and
// integers around the midpoints. Code must give the bits of the reference, which is first compared
// with a search for the nearest pattern.
#include "loop_code.h"

#include "ops/half.h"

#include <math.h>

enum { PATTERNS = 1 << 16, ROOM = 8 * PATTERNS, MOST_SOURCES = ROOM, LANES = 16 };

static const gj_dtype halves[] = {GJ_DTYPE_f16, GJ_DTYPE_bf16};
static gj_target targets[MOST_TARGETS];
static size_t target_count;
static uint16_t patterns[PATTERNS];
static double from[MOST_SOURCES];
static uint64_t source[MOST_SOURCES], scalar[MOST_SOURCES], vector[MOST_SOURCES];

// --- the reference ---

static uint16_t infinity_of(gj_dtype dtype) { return dtype == GJ_DTYPE_f16 ? 0x7C00 : 0x7F80; }

static void patterns_mean_what_the_formats_say(void) {
  static const struct {
    gj_dtype dtype;
    uint16_t bits;
    double value;
  } rows[] = {
      {GJ_DTYPE_f16, 0x0001, 0x1p-24},    {GJ_DTYPE_f16, 0x03FF, 0x1p-14 - 0x1p-24},
      {GJ_DTYPE_f16, 0x0400, 0x1p-14},    {GJ_DTYPE_f16, 0x3C00, 1},
      {GJ_DTYPE_f16, 0x3555, 0x1.554p-2}, {GJ_DTYPE_f16, 0x7BFF, 65504},
      {GJ_DTYPE_f16, 0xC000, -2},         {GJ_DTYPE_f16, 0xFC00, -INFINITY},
      {GJ_DTYPE_bf16, 0x0001, 0x1p-133},  {GJ_DTYPE_bf16, 0x0080, 0x1p-126},
      {GJ_DTYPE_bf16, 0x3F80, 1},         {GJ_DTYPE_bf16, 0x7F7F, 0x1.fep127},
      {GJ_DTYPE_bf16, 0xC049, -3.140625}, {GJ_DTYPE_bf16, 0x7F80, INFINITY},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CHECK_DOUBLE_EQ(gj__half_value(rows[i].dtype, rows[i].bits), rows[i].value);
    CHECK_INT_EQ(gj__half_bits(rows[i].dtype, rows[i].value), rows[i].bits);
  }
}

static void patterns_rise_and_come_back(void) {
  for (size_t d = 0; d < 2; d++)
    for (unsigned bits = 0; bits < PATTERNS; bits++) {
      double value = gj__half_value(halves[d], (uint16_t)bits);
      unsigned size = bits & 0x7FFF;
      CHECK_INT_EQ(gj__half_bits(halves[d], value), bits); // payloads too
      CHECK_INT_EQ(isnan(value) != 0, size > infinity_of(halves[d]));
      CHECK_INT_EQ(signbit(value) != 0, bits >> 15);
      if (size > 0 && size <= infinity_of(halves[d]))
        CHECK(fabs(value) > fabs(gj__half_value(halves[d], (uint16_t)(bits - 1))));
    }
}

// The pattern of the positive number nearest to x, by bisection, the even one of two.
static unsigned nearest(gj_dtype dtype, double x) {
  unsigned low = 0, high = infinity_of(dtype);
  while (high - low > 1) {
    unsigned middle = (low + high) / 2;
    *(gj__half_value(dtype, (uint16_t)middle) <= x ? &low : &high) = middle;
  }
  double below = gj__half_value(dtype, (uint16_t)low);
  // The infinity is as far away as the next number would be.
  double gap = below - gj__half_value(dtype, (uint16_t)(low - 1));
  double above = high == infinity_of(dtype) ? below + gap : gj__half_value(dtype, (uint16_t)high);
  if (x - below != above - x)
    return x - below < above - x ? low : high;
  return low % 2 == 0 ? low : high;
}

static void rounding_finds_the_nearest(void) {
  uint64_t state = 1;
  for (size_t d = 0; d < 2; d++)
    for (int i = 0; i < 200000; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      uint32_t bits = (uint32_t)(state >> 33); // of any positive float
      float x;
      memcpy(&x, &bits, sizeof x);
      if (!isnan(x) && !isinf(x))
        CHECK_INT_EQ(gj__half_bits(halves[d], x), nearest(halves[d], x));
    }
}

// --- code ---

static gj_lmodule *build(gj_dtype operand, gj_dtype result, size_t count) {
  gj_lmodule *m = gj_lmodule_new("half");
  gj_lfunc *f = gj_lfunc_new(m, "entry", gj_ltype_scalar(GJ_DTYPE_i32), true);
  for (unsigned k = 0; k < 2; k++) {
    unsigned lanes = k ? LANES : 1;
    gj_lstmt *loop =
        gj_ls_for(m, f, &f->body, "i", gj_lx_i64(m, 0), gj_lx_i64(m, (int64_t)count), lanes, 0, 0);
    const gj_lexpr *i = gj_lx_local(m, f, loop->local);
    const gj_lexpr *x = gj_lx_load(m, gj_lx_buffer(m, 0, operand), i, lanes);
    gj_ls_store(m, f, &loop->body, gj_lx_buffer(m, 1 + k, result), i,
                gj_lx_op(m, GJ_OP_convert, &x, 1, result));
  }
  gj_ls_return(m, f, &f->body, gj_lx_const(m, (gj_scalar){GJ_DTYPE_i32, {.i = 0}}));
  return m;
}

// Converts `count` elements of `operands` (a multiple of LANES) and compares.
static void check(gj_dtype operand, gj_dtype result, const void *operands, size_t count,
                  const gj_target *target) {
  gj_lmodule *m = build(operand, result, count);
  gj_jit_code *code;
  gj_entry *entry = load_code(m, target, (gj_codegen_options){.opt_level = 1}, &code);
  gj_lmodule_free(m);
  if (!entry)
    return;
  void *buffers[3] = {(void *)(uintptr_t)operands, scalar, vector};
  gj_exec exec = {0};
  CHECK_INT_EQ(entry(buffers, NULL, &exec), 0);
  gj_jit_unload(code);
  size_t width = gj_dtype_bytes(operand), bytes = gj_dtype_bytes(result), wrong = 0;
  for (size_t i = 0; i < count && wrong < 5; i++) {
    gj_scalar x = gj_scalar_load(operand, (const char *)operands + i * width);
    gj_scalar want = gj_scalar_eval(GJ_OP_convert, &x, result);
    gj_scalar one = gj_scalar_load(result, (const char *)scalar + i * bytes);
    gj_scalar many = gj_scalar_load(result, (const char *)vector + i * bytes);
    if (gj_scalar_same_bits(one, want) && gj_scalar_same_bits(many, want))
      continue;
    printf("%s to %s on %s: of %a (%" PRIx64 ") %" PRIx64 " and %" PRIx64 ", not %" PRIx64 "\n",
           gj_dtype_name(operand), gj_dtype_name(result), target->cpu, x.v.f, x.v.u, one.v.u,
           many.v.u, want.v.u);
    wrong++;
  }
  CHECK_INT_EQ(wrong, 0);
}

static void every_half_becomes_every_dtype(void) {
  for (unsigned i = 0; i < PATTERNS; i++)
    patterns[i] = (uint16_t)i;
  for (size_t t = 0; t < target_count; t++)
    for (size_t d = 0; d < 2; d++)
      for (gj_dtype to = GJ_DTYPE_none + 1; to < GJ_DTYPE_COUNT; to++)
        if (to != halves[d])
          check(halves[d], to, patterns, PATTERNS, &targets[t]);
}

// All midpoints, the patterns themselves, and what lies next to them as `neighbour` says.
static size_t collect(gj_dtype dtype, double (*neighbour)(double, double)) {
  size_t count = 0;
  unsigned infinity = infinity_of(dtype);
  for (unsigned bits = 0; bits <= infinity; bits++) {
    double value = gj__half_value(dtype, (uint16_t)bits);
    double next = gj__half_value(dtype, (uint16_t)(bits + (bits < infinity)));
    if (bits + 1 == infinity)
      next = 2 * value - gj__half_value(dtype, (uint16_t)(bits - 1));
    double middle = isinf(value) ? value : value + (next - value) / 2;
    double all[] = {value, middle, neighbour(middle, 0), neighbour(middle, INFINITY)};
    for (size_t k = 0; k < 4; k++) {
      from[count++] = all[k];
      from[count++] = -all[k];
    }
  }
  while (count % LANES)
    from[count++] = NAN;
  return count;
}

static double next_float(double x, double to) { return nextafterf((float)x, (float)to); }

static void put(gj_dtype dtype, size_t count) {
  for (size_t i = 0; i < count; i++)
    gj_scalar_store((gj_scalar){dtype, {.f = from[i]}}, (char *)source + i * gj_dtype_bytes(dtype));
}

static void floats_round_once_to_halves(void) {
  for (size_t d = 0; d < 2; d++) {
    size_t count = collect(halves[d], next_float);
    put(GJ_DTYPE_f32, count);
    for (size_t t = 0; t < target_count; t++)
      check(GJ_DTYPE_f32, halves[d], source, count, &targets[t]);
    // With neighbours of 53 bits, rounding to f32 on the way would make midpoints of them.
    count = collect(halves[d], nextafter);
    put(GJ_DTYPE_f64, count);
    for (size_t t = 0; t < target_count; t++)
      check(GJ_DTYPE_f64, halves[d], source, count, &targets[t]);
  }
}

static void integers_round_once_to_halves(void) {
  for (gj_dtype dtype = GJ_DTYPE_u32; dtype <= GJ_DTYPE_i64; dtype++) {
    unsigned bits = gj_dtype_get(dtype)->bits;
    size_t count = 0;
    if (bits < 32)
      continue;
    for (unsigned digits = 8; digits < 12; digits++) // a half with a tie behind its last digit
      for (unsigned shift = 0; shift + digits < bits; shift++)
        for (int64_t lead = 0; lead < 4; lead++)
          for (int64_t off = -1; off <= 1; off++) {
            uint64_t value = (uint64_t)(((INT64_C(1) << digits) + 2 * lead + 1)) << shift;
            value += (uint64_t)off;
            for (int sign = 0; sign < 2; sign++, count++) {
              uint64_t own = sign ? 0 - value : value;
              memcpy((char *)source + count * (bits / 8), &own, bits / 8);
            }
          }
    count -= count % LANES;
    for (size_t t = 0; t < target_count; t++)
      for (size_t d = 0; d < 2; d++)
        check(dtype, halves[d], source, count, &targets[t]);
  }
}

int main(void) {
  target_count = find_targets(targets);
  CHECK_RUN(patterns_mean_what_the_formats_say);
  CHECK_RUN(patterns_rise_and_come_back);
  CHECK_RUN(rounding_finds_the_nearest);
  CHECK_RUN(every_half_becomes_every_dtype);
  CHECK_RUN(floats_round_once_to_halves);
  CHECK_RUN(integers_round_once_to_halves);
  return check_report();
}
