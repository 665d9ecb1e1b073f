// Functions from text. See function.h.
//
// What a graph is to a program the text is here: its hash is the key under which code is shared and
// kept (compiled.c), and on a hit that is all that is done with it. Text that did not come from our
// own front ends does no harm: what is kept under a key was parsed and verified when it was made.
#include "jit/function/function.h"

#include "base/clock.h"
#include "jit/code/compiled.h"
#include "jit/code/host_math.h"
#include "jit/code/key.h"
#include "jit/tier/background.h"
#include "runtime/pool.h"
#include "runtime/stack.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
  BUDGET_NS = 5 * 1000 * 1000,    // quickly made code that ran so long is worth replacing
  PATIENCE_NS = 50 * 1000 * 1000, // so long, making the better one would have paid
  QUICK_LEVEL = 1
};

// Better code, to come.
typedef struct successor {
  gj__job job;
  char *text;
  size_t size;
  gj_function_options options;
  atomic_ullong spent_ns;          // by runs of the code before
  gj_program_stats stats;          // readable once there is code
  _Atomic(gj_compiled *) compiled; // NULL: not yet, or never
} successor;

struct gj_function {
  gj_compiled *compiled;
  successor *successor; // NULL: the code is as good as it gets
  gj_program_stats stats;
};

static atomic_size_t live_functions;

typedef struct source {
  const char *text;
  size_t size;
  const gj_function_options *options;
  const gj_target *target;
} source;

static bool has_entry(const gj_lmodule *module) {
  for (uint32_t i = 0; i < module->func_count; i++)
    if (module->funcs[i]->entry)
      return true;
  return false;
}

// Whether it is in vectors as it is written, or calls the library: then whoever wrote it has
// thought about its loops.
static bool is_kernel(const gj_lmodule *module) {
  for (uint32_t i = 0; i < module->func_count; i++) {
    const gj_lfunc *f = module->funcs[i];
    bool found = f->library != NULL;
    for (uint32_t k = 0; k < f->local_count && !found; k++)
      found = f->locals[k].type.lanes > 1;
    if (found)
      return true;
  }
  return false;
}

// The module as it goes to LLVM: loops that are marked are in vectors already.
static gj_status read_module(const source *own, gj_lmodule **out_module, bool *out_kernel,
                             gj_error *err) {
  gj_lmodule *module;
  gj_loops_machine machine = gj_target_loops(own->target);
  GJ_TRY(gj_lmodule_parse(own->text, own->size, &module, err));
  *out_kernel = is_kernel(module);
  gj_status status = GJ_OK;
  if (!has_entry(module))
    status = gj_fail(err, GJ_E_VERIFY, "the module has no entry function");
  if (status == GJ_OK)
    status = gj_loops_vectorise(module, &machine, NULL, err);
  if (status != GJ_OK) {
    gj_lmodule_free(module);
    return status;
  }
  *out_module = module;
  return GJ_OK;
}

// Quick code of a kernel takes a third of the time: LLVM has nothing to vectorise there, and
// selects instructions for vectors well enough without looking around.
static gj_codegen_options code_options(const gj_function_options *options, bool kernel) {
  bool exact = options->numerics != GJ_NUMERICS_FAST;
  bool quick = kernel && options->opt_level <= QUICK_LEVEL;
  return (gj_codegen_options){.numerics = options->numerics,
                              .math = exact ? GJ_MATH_JS : GJ_MATH_OWN,
                              .platform_pow = gj_host_math_has_platform_pow(),
                              .opt_level = options->opt_level,
                              .vectorise = !quick,
                              .quick = quick && options->opt_level == QUICK_LEVEL,
                              .entry_symbol = GJ__ENTRY_SYMBOL,
                              .host_math = true};
}

static gj_status keep_texts(gj_compiled *c, gj_strbuf *remarks, gj_error *err) {
  gj_strbuf scratch = {0};
  GJ_TRY(gj_strbuf_take(&scratch, &c->scratch, NULL, err));
  return gj_strbuf_take(remarks, &c->remarks, NULL, err);
}

static gj_status make(const void *from, gj_compiled *c, gj_parts *out_parts,
                      gj_program_stats *stats, gj_error *err) {
  const source *own = from;
  double start = gj_clock_ms();
  gj_lmodule *module;
  unsigned char *bytes = NULL;
  size_t size = 0;
  gj_codegen_times times = {0};
  gj_strbuf lines = {0};
  gj_remarks remarks = {0};
  bool kernel;
  GJ_TRY(read_module(own, &module, &kernel, err));
  gj_codegen_options options = code_options(own->options, kernel);
  options.remarks = &remarks;
  stats->lower_ms = gj_clock_ms() - start;
  gj_status status =
      gj_codegen(module, own->target, &options, GJ_EMIT_OBJECT, &bytes, &size, &times, err);
  gj_lmodule_free(module);
  if (status == GJ_OK)
    gj_remarks_print(&remarks, &lines);
  gj_remarks_fini(&remarks);
  if (status != GJ_OK)
    return status;
  *out_parts = (gj_parts){.count = 1, .objects = {{bytes, size}}};
  stats->emit_ms = times.emit;
  stats->optimize_ms = times.optimize;
  stats->machine_ms = times.machine;
  return keep_texts(c, &lines, err);
}

static bool key_of(const source *own, gj_digest *out_key) {
  return gj__compiled_may_keep(own->options->cache) &&
         gj__text_key(own->text, own->size, own->options, own->target, out_key);
}

static gj_status find(const source *own, gj_compiled **out_compiled, gj_program_stats *stats,
                      gj_error *err) {
  double start = gj_clock_ms();
  gj__maker maker = {own, NULL, make, NULL};
  gj_digest key;
  bool keeps = key_of(own, &key);
  stats->cache_ms = gj_clock_ms() - start;
  GJ_TRY(gj__compiled_find(keeps ? &key : NULL, &maker, out_compiled, stats, err));
  stats->total_ms = gj_clock_ms() - start;
  return GJ_OK;
}

// --- better code ---

static void destroy_successor(gj__job *job) {
  successor *s = (successor *)job;
  gj__compiled_release(atomic_load(&s->compiled));
  free(s->text);
  free(s);
}

static void make_successor(gj__job *job) {
  successor *s = (successor *)job;
  source own = {s->text, s->size, &s->options, NULL};
  gj_compiled *compiled = NULL;
  gj_error ignored;
  if (gj_target_host_shared(&own.target, &ignored) == GJ_OK &&
      find(&own, &compiled, &s->stats, &ignored) == GJ_OK)
    atomic_store_explicit(&s->compiled, compiled, memory_order_release);
}

static successor *new_successor(const source *own) {
  successor *s = calloc(1, sizeof *s);
  char *text = malloc(own->size + 1);
  if (!s || !text) {
    free(s);
    free(text);
    return NULL;
  }
  memcpy(text, own->text, own->size);
  text[own->size] = '\0';
  gj__job_init(&s->job, make_successor, destroy_successor);
  s->text = text;
  s->size = own->size;
  s->options = *own->options;
  return s;
}

static const gj_compiled *better_of(const gj_function *function) {
  const successor *s = function->successor;
  return s ? atomic_load_explicit(&s->compiled, memory_order_acquire) : NULL;
}

static const gj_compiled *code_of(const gj_function *function) {
  const gj_compiled *better = better_of(function);
  return better ? better : function->compiled;
}

void gj_function_finish(const gj_function *function) {
  gj_error ignored;
  if (function->successor)
    gj__job_finish(&function->successor->job, NULL, NULL, &ignored);
}

gj_tier gj_function_tier(const gj_function *function) {
  return function->successor && !better_of(function) ? GJ_TIER_AUTO : GJ_TIER_LLVM;
}

// Quickly made code, unless better one is there.
static gj_status find_quick(const source *own, gj_function *function, gj_error *err) {
  double start = gj_clock_ms();
  gj_digest key;
  if (key_of(own, &key) &&
      (function->compiled = gj__compiled_known(&key, NULL, &function->stats))) {
    function->stats.total_ms = gj_clock_ms() - start;
    return GJ_OK;
  }
  gj_function_options options = *own->options;
  options.opt_level = QUICK_LEVEL;
  source quick = {own->text, own->size, &options, own->target};
  function->stats = (gj_program_stats){0};
  GJ_TRY(find(&quick, &function->compiled, &function->stats, err));
  function->successor = new_successor(own); // without memory it stays as it is
  return GJ_OK;
}

static bool may_start_quickly(const gj_function_options *options) {
  return options->tier == GJ_TIER_AUTO && options->numerics != GJ_NUMERICS_FAST &&
         options->opt_level > QUICK_LEVEL;
}

gj_status gj_function_compile(const char *text, size_t size, const gj_function_options *options,
                              gj_function **out_function, gj_error *err) {
  *out_function = NULL;
  if (options->opt_level > 3)
    return gj_fail(err, GJ_E_ARGUMENT,
                   "compile: expected an optimisation level from 0 to 3, got %u",
                   options->opt_level);
  source own = {text, size, options, NULL};
  GJ_TRY(gj_target_host_shared(&own.target, err));
  gj_function *function = calloc(1, sizeof *function);
  if (!function)
    return gj_fail(err, GJ_E_MEMORY, "compile: out of memory");
  gj_status status = may_start_quickly(options)
                         ? find_quick(&own, function, err)
                         : find(&own, &function->compiled, &function->stats, err);
  if (status != GJ_OK) {
    free(function);
    return status;
  }
  atomic_fetch_add(&live_functions, 1);
  *out_function = function;
  return GJ_OK;
}

void gj_function_free(gj_function *function) {
  if (!function)
    return;
  atomic_fetch_sub(&live_functions, 1);
  if (function->successor)
    gj__job_release(&function->successor->job);
  gj__compiled_release(function->compiled);
  free(function);
}

// --- runs ---

static unsigned long long spent_of(const successor *s) {
  return atomic_load_explicit(&s->spent_ns, memory_order_relaxed);
}

// A run of quickly made code, whose time counts.
static int32_t run_quick(const gj_function *function, void *const *buffers, int64_t *dims,
                         gj_exec *exec) {
  successor *s = function->successor;
  double start = gj_clock_ms();
  int32_t status = function->compiled->entry(buffers, dims, exec);
  unsigned long long ns = (unsigned long long)((gj_clock_ms() - start) * 1e6);
  ns += atomic_fetch_add_explicit(&s->spent_ns, ns, memory_order_relaxed);
  if (ns >= BUDGET_NS)
    gj__job_queue(&s->job, NULL, NULL);
  return status;
}

// With a stack and a heap of its own.
static int32_t run_with(const gj_function *function, void *const *buffers, int64_t *dims,
                        gj_pool_exec *run, gj_run_heap *heap) {
  run->exec.stack_limit = gj_stack_limit();
  run->exec.heap = &heap->face;
  if (gj_function_tier(function) == GJ_TIER_AUTO && spent_of(function->successor) >= PATIENCE_NS)
    gj_function_finish(function);
  if (gj_function_tier(function) == GJ_TIER_AUTO)
    return run_quick(function, buffers, dims, &run->exec);
  return code_of(function)->entry(buffers, dims, &run->exec);
}

int32_t gj_function_run(const gj_function *function, unsigned threads, void *const *buffers,
                        int64_t *dims, const volatile int32_t *cancel, gj_run_heap *heap) {
  gj_pool_exec run = gj_pool_exec_make(threads, NULL, cancel);
  return run_with(function, buffers, dims, &run, heap);
}

int32_t gj_function_run_within(const gj_function *function, void *const *buffers, int64_t *dims,
                               const gj_exec *exec, gj_run_heap *heap) {
  gj_pool_exec run = gj_pool_exec_copy(exec);
  return run_with(function, buffers, dims, &run, heap);
}

void gj_function_get_stats(const gj_function *function, gj_program_stats *out_stats) {
  *out_stats = better_of(function) ? function->successor->stats : function->stats;
}

const char *gj_function_remarks(const gj_function *function) {
  gj_function_finish(function);
  return code_of(function)->remarks;
}

size_t gj_function_usage(void) { return atomic_load(&live_functions); }

// --- seeing ---

gj_status gj_function_print(const char *text, size_t size, const gj_function_options *options,
                            gj_emit what, gj_strbuf *out, gj_error *err) {
  source own = {text, size, options, NULL};
  gj_lmodule *module;
  unsigned char *bytes = NULL;
  size_t count = 0;
  bool kernel;
  GJ_TRY(gj_target_host_shared(&own.target, err));
  GJ_TRY(read_module(&own, &module, &kernel, err));
  gj_codegen_options back = code_options(options, kernel);
  gj_status status = gj_codegen(module, own.target, &back, what, &bytes, &count, NULL, err);
  gj_lmodule_free(module);
  GJ_TRY(status);
  gj_strbuf_bytes(out, bytes, count);
  free(bytes);
  return out->failed ? gj_fail(err, GJ_E_MEMORY, "print: out of memory") : GJ_OK;
}

gj_status gj_function_print_loops(const char *text, size_t size, gj_strbuf *out, gj_error *err) {
  source own = {text, size, NULL, NULL};
  gj_lmodule *module;
  bool kernel;
  GJ_TRY(gj_target_host_shared(&own.target, err));
  GJ_TRY(read_module(&own, &module, &kernel, err));
  gj_lmodule_print(module, out);
  gj_lmodule_free(module);
  return out->failed ? gj_fail(err, GJ_E_MEMORY, "print: out of memory") : GJ_OK;
}
