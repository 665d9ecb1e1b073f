// The swap from the first tier to LLVM code, and the thread that compiles.
//
// A tier and what is compiled for it are counted by who needs them: the program, and the job while
// it is queued or compiling. So freeing a program never waits. What is compiled is a copy of the
// graph, in the way of all programs (compiled.h), and readers find the code by one acquire load.
//
// The thread is started with the first job, runs at low priority and lives as long as the process.
// Before exit the queue is dropped and the job under way is waited for: LLVM's own state goes away
// then, and must not be in use. What a compilation makes for the first time goes before what was
// registered with atexit earlier, so that alone would come too late for the first one: who can
// should call gj_tiers_stop, as the addon does. Waiting for a program (gj_program_finish) compiles
// it on the caller's thread unless it is being compiled already, so waiters do not queue behind
// each other.
//
// A child of fork() has the queue but not the thread. It starts one of its own, unless something
// was being compiled: locks of LLVM may then be held for ever, and the child goes without.
#include "jit/tier.h"

#include "base/clock.h"
#include "interp/interp.h"
#include "jit/program_data.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  BUDGET_NS = 1000 * 1000, // interpreted so long, a program is worth compiling
  LARGE_BYTES = 1 << 20,   // of arrays: compiled with the first run
  MAX_QUEUED = 256,        // further programs ask again with a later run
  NICE = 5
};

typedef enum state { IDLE, QUEUED, COMPILING, DONE } state;

struct gj__tier {
  atomic_uint references; // the program, its job
  gj_interp *interp;
  gj_lmodule *module; // owns the interpreter's constant data; NULL: there is none
  gj_compile_options options;
  atomic_ullong spent_ns;
  bool fused; // the block kernels that it runs
  char *scratch;
  gj_program_stats stats;          // of compiling, readable once it has succeeded
  _Atomic(gj_compiled *) compiled; // NULL: not yet, or never
  // under the lock of the queue
  state state;
  gj_graph *graph; // of the job
  gj__tier *next;
  gj_status status; // of a job that is done
  gj_error error;
};

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed; // a job was queued or is done, or all shall stop
  gj__tier *first, *last;
  size_t length;
  bool prepared, running, stopping, busy;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

// --- making ---

static gj_status start(const gj_pipeline *pipeline, const gj_block_set *set, gj__tier *tier,
                       gj_error *err) {
  gj_strbuf text = {0};
  GJ_TRY(gj_interp_new(pipeline->lowered.module, set, &tier->interp, err));
  gj_dim_print(gj_graph_dims(pipeline->graph), pipeline->scratch_bytes, &text);
  return gj_strbuf_take(&text, &tier->scratch, NULL, err);
}

static void destroy(gj__tier *tier) {
  gj_interp_free(tier->interp);
  gj_lmodule_free(tier->module);
  gj__compiled_release(atomic_load(&tier->compiled));
  gj_graph_free(tier->graph);
  free(tier->scratch);
  free(tier);
}

gj_status gj__tier_new(const gj_graph *graph, const gj_compile_options *options,
                       gj__tier **out_tier, gj_program_stats *stats, gj_error *err) {
  bool exact = options->numerics != GJ_NUMERICS_FAST,
       strict = options->numerics == GJ_NUMERICS_STRICT;
  const gj_block_set *set = gj_block_set_choose(strict);
  if (options->tier != GJ_TIER_AUTO || !exact || !set)
    return GJ_E_UNSUPPORTED;
  gj_pipeline pipeline;
  // No machine to vectorise for: loops as they are lowered. LLVM is not even started.
  gj_pipeline_options front = {
      .poll = true, .piece_ns = gj__piece_ns(options), .fma = set->fused && !strict};
  GJ_TRY(gj_pipeline_run(graph, &front, &pipeline, err));
  gj__tier *tier = calloc(1, sizeof *tier);
  gj_status status =
      tier ? start(&pipeline, set, tier, err) : gj_fail(err, GJ_E_MEMORY, "compile: out of memory");
  stats->simplify_ms = pipeline.simplify_ms;
  stats->fuse_ms = pipeline.fuse_ms;
  stats->lower_ms = pipeline.lower_ms;
  stats->nodes_after = gj_graph_node_count(pipeline.graph);
  stats->kernels = pipeline.lowered.kernel_count;
  if (status == GJ_OK) {
    atomic_init(&tier->references, 1);
    tier->options = *options;
    tier->fused = set->fused;
    if (pipeline.lowered.module->data_count > 0) {
      tier->module = pipeline.lowered.module;
      pipeline.lowered.module = NULL; // the tier's now
    }
    *out_tier = tier;
  } else if (tier) {
    destroy(tier);
  }
  gj_pipeline_fini(&pipeline);
  return status;
}

static void drop(gj__tier *tier) {
  if (atomic_fetch_sub(&tier->references, 1) == 1)
    destroy(tier);
}

static const gj_compiled *compiled_of(const gj__tier *tier) {
  return atomic_load_explicit(&tier->compiled, memory_order_acquire);
}

gj_entry *gj__tier_entry(const gj__tier *tier) {
  const gj_compiled *compiled = compiled_of(tier);
  return compiled ? compiled->entry : NULL;
}

const char *gj__tier_scratch(const gj__tier *tier) { return tier->scratch; }

void gj__tier_get_stats(const gj__tier *tier, gj_program_stats *stats) {
  if (!compiled_of(tier))
    return;
  stats->cache = tier->stats.cache;
  stats->cache_ms = tier->stats.cache_ms;
  stats->emit_ms = tier->stats.emit_ms;
  stats->optimize_ms = tier->stats.optimize_ms;
  stats->machine_ms = tier->stats.machine_ms;
  stats->load_ms = tier->stats.load_ms;
  stats->code_bytes = tier->stats.code_bytes;
}

// --- the queue: all of this under its lock ---

static void append(gj__tier *tier) {
  tier->state = QUEUED;
  tier->next = NULL;
  if (queue.last)
    queue.last->next = tier;
  else
    queue.first = tier;
  queue.last = tier;
  queue.length++;
}

// Takes a job out of the queue; it must be in it.
static void take_out(gj__tier *tier) {
  gj__tier **at = &queue.first, *before = NULL;
  while (*at != tier) {
    before = *at;
    at = &before->next;
  }
  *at = tier->next;
  if (queue.last == tier)
    queue.last = before;
  queue.length--;
}

static gj_status get_compiled(gj__tier *tier, gj_compiled **out_compiled, gj_error *err) {
  const gj_target *host;
  GJ_TRY(gj_target_host_shared(&host, err));
  if (host->fma != tier->fused) // the block kernels asked the CPU themselves
    return gj_fail(err, GJ_E_INTERNAL, "compile: the tiers differ in fused multiply-add");
  return gj__compiled_get(tier->graph, &tier->options, host, out_compiled, &tier->stats, err);
}

// Compiles outside the lock and publishes the result, whose runs get the scratch memory that the
// first tier needs.
static void compile(gj__tier *tier) {
  gj_compiled *compiled = NULL;
  gj_error err = {0};
  tier->state = COMPILING;
  pthread_mutex_unlock(&queue.lock);
  gj_status status = get_compiled(tier, &compiled, &err);
  if (status == GJ_OK && strcmp(compiled->scratch, tier->scratch) != 0) {
    status = gj_fail(&err, GJ_E_INTERNAL, "compile: the tiers differ in their memory: %s and %s",
                     tier->scratch, compiled->scratch);
    gj__compiled_release(compiled);
    compiled = NULL;
  }
  pthread_mutex_lock(&queue.lock);
  atomic_store_explicit(&tier->compiled, compiled, memory_order_release);
  gj_graph_free(tier->graph);
  tier->graph = NULL;
  tier->status = status;
  tier->error = err;
  tier->state = DONE;
  pthread_cond_broadcast(&queue.changed);
}

// --- the thread ---

void gj_tiers_stop(bool forever) {
  pthread_mutex_lock(&queue.lock);
  queue.stopping = queue.stopping || forever;
  pthread_cond_broadcast(&queue.changed);
  while (queue.first) {
    gj__tier *tier = queue.first;
    take_out(tier);
    tier->state = IDLE;
    pthread_mutex_unlock(&queue.lock);
    drop(tier);
    pthread_mutex_lock(&queue.lock);
  }
  while (queue.busy)
    pthread_cond_wait(&queue.changed, &queue.lock);
  pthread_mutex_unlock(&queue.lock);
}

static void stop_at_exit(void) { gj_tiers_stop(true); }

static void *work(void *unused) {
  bool first = true;
  (void)unused;
  setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
  pthread_mutex_lock(&queue.lock);
  while (!queue.stopping) {
    gj__tier *tier = queue.first;
    if (!tier) {
      pthread_cond_wait(&queue.changed, &queue.lock);
      continue;
    }
    take_out(tier);
    queue.busy = true;
    compile(tier);
    // What the first compilation left for the end of the process is undone in the opposite order
    // of its making, so a stop that was registered after it comes before it.
    if (first && !queue.stopping)
      atexit(stop_at_exit);
    first = false;
    pthread_mutex_unlock(&queue.lock);
    drop(tier);
    pthread_mutex_lock(&queue.lock);
    queue.busy = false;
    pthread_cond_broadcast(&queue.changed);
  }
  pthread_mutex_unlock(&queue.lock);
  return NULL;
}

static void before_fork(void) { pthread_mutex_lock(&queue.lock); }
static void after_fork(void) { pthread_mutex_unlock(&queue.lock); }

static void in_child(void) {
  pthread_mutex_init(&queue.lock, NULL);
  pthread_cond_init(&queue.changed, NULL);
  queue.stopping = queue.stopping || queue.busy;
  queue.running = queue.busy = false;
}

// What the thread needs to be there before it starts, once.
static bool prepare(void) {
  queue.prepared = queue.prepared || (atexit(stop_at_exit) == 0 &&
                                      pthread_atfork(before_fork, after_fork, in_child) == 0);
  return queue.prepared;
}

// Every signal is for the threads that the application knows.
static bool start_masked(const pthread_attr_t *attributes) {
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
    return false;
  bool started = pthread_create(&thread, attributes, work, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

static bool start_thread(void) {
  if (queue.running || queue.stopping)
    return queue.running && !queue.stopping;
  pthread_attr_t attributes;
  if (!prepare() || pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  queue.running = start_masked(&attributes);
  pthread_attr_destroy(&attributes);
  return queue.running;
}

// --- runs ---

// Gives the job a graph of its own: neither may change while the other is read.
static gj_status copy_graph(const gj_program *p, gj_error *err) {
  gj__tier *tier = p->tier;
  if (tier->graph)
    return GJ_OK;
  gj__program_lock_graph(p);
  gj_status status = gj_graph_copy(p->graph, &tier->graph, err);
  gj__program_unlock_graph(p);
  return status;
}

static void queue_job(const gj_program *p) {
  gj__tier *tier = p->tier;
  gj_error ignored;
  pthread_mutex_lock(&queue.lock);
  if (tier->state == IDLE && queue.length < MAX_QUEUED && start_thread() &&
      copy_graph(p, &ignored) == GJ_OK) {
    atomic_fetch_add(&tier->references, 1);
    append(tier);
    pthread_cond_broadcast(&queue.changed);
  }
  pthread_mutex_unlock(&queue.lock);
}

void gj__tier_consider(const gj_program *p, size_t bytes) {
  unsigned long long spent = atomic_load_explicit(&p->tier->spent_ns, memory_order_relaxed);
  if (spent >= BUDGET_NS || bytes >= LARGE_BYTES)
    queue_job(p);
}

int32_t gj__tier_interpret(gj__tier *tier, void *const *buffers, int64_t *dims, gj_exec *exec) {
  double start = gj_clock_ms();
  int32_t status = gj_interp_run(tier->interp, buffers, dims, exec);
  unsigned long long ns = (unsigned long long)((gj_clock_ms() - start) * 1e6);
  atomic_fetch_add_explicit(&tier->spent_ns, ns, memory_order_relaxed);
  return status;
}

gj_status gj_program_finish(const gj_program *p, gj_error *err) {
  gj__tier *tier = p->tier;
  if (!tier)
    return GJ_OK;
  pthread_mutex_lock(&queue.lock);
  while (tier->state == COMPILING)
    pthread_cond_wait(&queue.changed, &queue.lock);
  gj_status status = GJ_OK;
  if (tier->state != DONE)
    status = copy_graph(p, err);
  if (tier->state != DONE && status == GJ_OK) {
    bool queued = tier->state == QUEUED;
    if (queued)
      take_out(tier);
    compile(tier);
    if (queued) // the job's
      atomic_fetch_sub(&tier->references, 1);
  }
  if (status == GJ_OK && tier->status != GJ_OK)
    status = gj_fail(err, tier->status, "%s", tier->error.message);
  pthread_mutex_unlock(&queue.lock);
  return status;
}

// A job that waits is given up; one that runs ends by itself.
void gj__tier_release(gj__tier *tier) {
  if (!tier)
    return;
  pthread_mutex_lock(&queue.lock);
  bool queued = tier->state == QUEUED;
  if (queued)
    take_out(tier);
  tier->state = queued ? IDLE : tier->state;
  pthread_mutex_unlock(&queue.lock);
  if (queued)
    drop(tier);
  drop(tier);
}

gj_tier gj_program_tier(const gj_program *p, gj_error *out_error) {
  out_error->code = GJ_OK;
  if (!p->tier || compiled_of(p->tier))
    return GJ_TIER_LLVM;
  pthread_mutex_lock(&queue.lock);
  if (p->tier->state == DONE)
    *out_error = p->tier->error;
  pthread_mutex_unlock(&queue.lock);
  return GJ_TIER_AUTO;
}
