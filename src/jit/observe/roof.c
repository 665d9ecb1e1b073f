// See roof.h.
//
// Three functions of Loop IR do the work: many independent chains of multiply-adds in registers,
// sums over an array, copies of an array. Each is timed several times and the best counts, since
// whatever disturbs a measurement only makes it longer. On several threads each thread has a piece
// of its own, in the private caches half of the cache, elsewhere its share.
//
// Left out: streaming stores, so that a kernel that uses them can be better than a copy here; and
// the caches of other cores, which some kernels may profit from.
#include "jit/observe/roof.h"

#include "base/clock.h"
#include "base/strbuf.h"
#include "codegen/codegen.h"
#include "jit/code/orc.h"
#include "runtime/cores.h"
#include "runtime/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  CHAINS = 12,      // hides the latency of a multiply-add, and fits into 16 registers
  STREAMS = 8,      // vectors per step of a sum or copy
  TRIES = 6,        // of which the best counts
  MOST_MEMORY = 256 // MiB touched when the last cache is huge
};
static const double try_ms = 1.0,
                    memory_ms = 25.0; // one try, and all tries at a level beyond caches

// The tasks of the entry, by dims[0]; dims[1] elements or steps, dims[2] repeats.
typedef enum task_kind { PEAK_WIDE, PEAK_NARROW, READ, COPY } task_kind;

// --- the code ---

static void write_peak(gj_strbuf *t, const char *name, const char *type, unsigned lanes, bool fma) {
  gj_strbuf_printf(t, "func %s(z: %s*, n: i64) -> i32 {\n", name, type);
  gj_strbuf_printf(t, "let m: %s<%u> = splat<%u>(0.999:%s)\n", type, lanes, lanes, type);
  gj_strbuf_printf(t, "let c: %s<%u> = splat<%u>(0.001:%s)\n", type, lanes, lanes, type);
  for (unsigned i = 0; i < CHAINS; i++)
    gj_strbuf_printf(t, "let a%u: %s<%u> = splat<%u>(%u.5:%s)\n", i, type, lanes, lanes, i, type);
  gj_strbuf_text(t, "for i = 0 to n step 1 {\n");
  for (unsigned i = 0; i < CHAINS; i++)
    gj_strbuf_printf(t, fma ? "a%u = fma(a%u, m, c)\n" : "a%u = add(mul(a%u, m), c)\n", i, i);
  gj_strbuf_text(t, "}\n");
  for (unsigned i = 0; i < CHAINS; i++)
    gj_strbuf_printf(t, "z[%u] = a%u\n", i * lanes, i);
  gj_strbuf_text(t, "return 0:i32\n}\n");
}

static void write_read(gj_strbuf *t, unsigned lanes) {
  gj_strbuf_text(t,
                 "func read(z: f64* noalias, x: f64* noalias readonly, n: i64, r: i64) -> i32 {\n");
  for (unsigned i = 0; i < STREAMS; i++)
    gj_strbuf_printf(t, "let a%u: f64<%u> = splat<%u>(0.0:f64)\n", i, lanes, lanes);
  gj_strbuf_printf(t, "for k = 0 to r step 1 {\nfor i = 0 to n step %u {\n", STREAMS * lanes);
  for (unsigned i = 0; i < STREAMS; i++)
    gj_strbuf_printf(t, "a%u = add(a%u, x[add(i, %u):%u])\n", i, i, i * lanes, lanes);
  gj_strbuf_text(t, "}\n}\n");
  for (unsigned i = 0; i < STREAMS; i++)
    gj_strbuf_printf(t, "z[%u] = a%u\n", i * lanes, i);
  gj_strbuf_text(t, "return 0:i32\n}\n");
}

static void write_copy(gj_strbuf *t, unsigned lanes) {
  gj_strbuf_text(t,
                 "func copy(z: f64* noalias, x: f64* noalias readonly, n: i64, r: i64) -> i32 {\n");
  gj_strbuf_printf(t, "for k = 0 to r step 1 {\nfor i = 0 to n step %u {\n", STREAMS * lanes);
  for (unsigned i = 0; i < STREAMS; i++)
    gj_strbuf_printf(t, "z[add(i, %u)] = x[add(i, %u):%u]\n", i * lanes, i * lanes, lanes);
  gj_strbuf_text(t, "}\n}\nreturn 0:i32\n}\n");
}

static void write_module(gj_strbuf *t, const gj_target *target) {
  unsigned wide = target->vector_bytes / 8, narrow = target->vector_bytes / 4;
  gj_strbuf_text(t, "module \"roof\" {\n");
  write_peak(t, "peak_wide", "f64", wide, target->fma);
  write_peak(t, "peak_narrow", "f32", narrow, target->fma);
  write_read(t, wide);
  write_copy(t, wide);
  gj_strbuf_text(t, "entry func main() -> i32 {\n");
  gj_strbuf_printf(t, "if (eq(dim<0>, %d)) {\nreturn call peak_wide(buffer<0, f64>, dim<1>)\n}\n",
                   PEAK_WIDE);
  gj_strbuf_printf(t, "if (eq(dim<0>, %d)) {\nreturn call peak_narrow(buffer<0, f32>, dim<1>)\n}\n",
                   PEAK_NARROW);
  gj_strbuf_printf(t,
                   "if (eq(dim<0>, %d)) {\nreturn call read(buffer<0, f64>, buffer<1, f64>, "
                   "dim<1>, dim<2>)\n}\n",
                   READ);
  gj_strbuf_text(t, "return call copy(buffer<0, f64>, buffer<1, f64>, dim<1>, dim<2>)\n}\n}\n");
}

static gj_status compile(const gj_target *target, gj_jit_code **out_code, gj_entry **out_entry,
                         gj_error *err) {
  gj_strbuf text = {0};
  gj_lmodule *module;
  unsigned char *object = NULL;
  size_t size = 0;
  write_module(&text, target);
  gj_status status = text.failed ? gj_fail(err, GJ_E_MEMORY, "machine: out of memory")
                                 : gj_lmodule_parse(gj_strbuf_peek(&text), text.size, &module, err);
  gj_strbuf_fini(&text);
  if (status != GJ_OK)
    return status;
  gj_codegen_options options = {.opt_level = 3, .entry_symbol = "graphjit_roof", .host_math = true};
  status = gj_codegen(module, target, &options, GJ_EMIT_OBJECT, &object, &size, NULL, err);
  gj_lmodule_free(module);
  if (status == GJ_OK)
    status = gj_jit_load(object, size, options.entry_symbol, out_code, out_entry, err);
  free(object);
  return status;
}

// --- measuring ---

typedef struct meter {
  gj_entry *entry;
  unsigned threads, vector_bytes;
  char *memory;
  int64_t dims[3];
  size_t slice; // bytes of memory per thread
} meter;

// Results go to the first half of a slice, and a sum reads all of it but for what it writes.
static int32_t work(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  meter *m = context;
  for (int64_t i = begin; i < end; i++) {
    char *slice = m->memory + (size_t)i * m->slice;
    bool copies = m->dims[0] == COPY;
    void *buffers[2] = {slice, copies ? slice + m->slice / 2 : slice};
    char sums[STREAMS * 64];
    if (m->dims[0] == READ)
      buffers[0] = sums;
    m->entry(buffers, m->dims, exec);
  }
  return 0;
}

// Milliseconds of one call on all threads.
static double time_call(meter *m) {
  double start = gj_clock_ms();
  gj_pool_run(gj_pool_shared(), m->threads, NULL, work, m, 0, m->threads, GJ_POOL_EACH);
  return gj_clock_ms() - start;
}

// Milliseconds of the best try, `*repeat` (one of the dims) having been raised until a try takes a
// while. One slow call does not end that: something else may have had the core, and what is left
// over of so little work says nothing.
static double best_try(meter *m, int64_t *repeat, double budget_ms) {
  double best = 0, spent = 0;
  for (*repeat = 1;; *repeat *= best > try_ms / 8 ? 2 : 8) {
    best = time_call(m);
    spent = best;
    for (int i = 1; i < TRIES && best >= try_ms / 2 && (i < 2 || spent < budget_ms); i++) {
      double ms = time_call(m);
      spent += ms;
      best = ms < best ? ms : best;
    }
    if (best >= try_ms / 2 || *repeat >= INT64_MAX / 16)
      return best;
  }
}

static double measure_peak(meter *m, task_kind kind, unsigned element_bytes) {
  m->dims[0] = kind;
  m->slice = CHAINS * 64;
  double ms = best_try(m, &m->dims[1], TRIES * try_ms * 2);
  double lanes = m->vector_bytes / element_bytes;
  return 2.0 * CHAINS * lanes * (double)m->dims[1] * m->threads / (ms * 1e6);
}

// GB/s over `slice` bytes per thread.
static double measure_bandwidth(meter *m, task_kind kind, size_t slice) {
  size_t step = (size_t)2 * STREAMS * m->vector_bytes;
  m->slice = slice / step * step;
  m->dims[0] = kind;
  m->dims[1] = (int64_t)(m->slice / sizeof(double) / (kind == COPY ? 2 : 1));
  double ms = best_try(m, &m->dims[2], memory_ms);
  return (double)m->slice * (double)m->dims[2] * m->threads / (ms * 1e6);
}

// Bytes of a cache, or a usual figure where the system does not tell.
static size_t cache_bytes(int name, size_t usual) {
  long bytes = sysconf(name);
  return bytes > 0 ? (size_t)bytes : usual;
}

static void measure_levels(meter *m, gj_roof *roof, size_t last, size_t total) {
  size_t first = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
  size_t second = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 512 << 10);
  const gj_roof_level levels[GJ_ROOF_LEVELS] = {{"L1", first * m->threads, 0, 0},
                                                {"L2", second * m->threads, 0, 0},
                                                {"L3", last, 0, 0},
                                                {"memory", SIZE_MAX, 0, 0}};
  // Twice the caches above, at most half of the level: surely there, and not above.
  size_t slices[GJ_ROOF_LEVELS] = {first / 2, second / 2, last / 2 / m->threads,
                                   total / m->threads};
  if (slices[2] > second * 4)
    slices[2] = second * 4;
  for (unsigned i = 0; i < GJ_ROOF_LEVELS; i++) {
    roof->levels[i] = levels[i];
    roof->levels[i].read = measure_bandwidth(m, READ, slices[i]);
    roof->levels[i].copy = measure_bandwidth(m, COPY, slices[i]);
  }
}

static gj_status measure(unsigned threads, gj_roof *roof, gj_error *err) {
  gj_target target;
  gj_jit_code *code;
  meter m = {.threads = threads};
  GJ_TRY(gj_target_host(&target, err));
  GJ_TRY(compile(&target, &code, &m.entry, err));
  size_t last = cache_bytes(_SC_LEVEL3_CACHE_SIZE, 8 << 20), most = (size_t)MOST_MEMORY << 20;
  size_t total = last < most / 2 ? 2 * last : most;
  total = total < (size_t)64 << 20 ? (size_t)64 << 20 : total;
  m.vector_bytes = target.vector_bytes;
  m.memory = aligned_alloc(4096, total);
  if (m.memory) {
    memset(m.memory, 0, total);
    roof->threads = threads;
    roof->wide = measure_peak(&m, PEAK_WIDE, 8);
    roof->narrow = measure_peak(&m, PEAK_NARROW, 4);
    measure_levels(&m, roof, last, total);
  }
  free(m.memory);
  gj_jit_unload(code);
  return m.memory
             ? GJ_OK
             : gj_fail(err, GJ_E_MEMORY, "machine: no memory for %zu bytes to measure with", total);
}

gj_status gj_machine_roof(unsigned threads, const gj_roof **out_roof, gj_error *err) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static gj_roof *roofs[GJ_POOL_MAX_THREADS + 1];
  unsigned most = gj_cores() < GJ_POOL_MAX_THREADS ? gj_cores() : GJ_POOL_MAX_THREADS;
  unsigned own = threads < 1 ? 1 : threads > most ? most : threads;
  gj_status status = GJ_OK;
  pthread_mutex_lock(&lock); // two measurements at once would disturb each other
  if (!roofs[own]) {
    gj_roof *fresh = calloc(1, sizeof *fresh);
    status = fresh ? measure(own, fresh, err) : gj_fail(err, GJ_E_MEMORY, "machine: out of memory");
    if (status == GJ_OK)
      roofs[own] = fresh;
    else
      free(fresh);
  }
  *out_roof = roofs[own];
  pthread_mutex_unlock(&lock);
  return status;
}
