// The swap from the first tier to LLVM code.
//
// A tier and what is compiled for it are one job of the background (background.h), counted by who
// needs it. What is compiled is a copy of the graph, in the way of all programs (compiled.h), and
// readers find the code by one acquire load.
#include "jit/tier/tier.h"

#include "base/clock.h"
#include "interp/interp.h"
#include "jit/program/data.h"
#include "jit/tier/background.h"

#include <stdlib.h>
#include <string.h>

enum {
  BUDGET_NS = 1000 * 1000, // interpreted so long, a program is worth compiling
  LARGE_BYTES = 1 << 20    // of arrays: compiled with the first run
};

struct gj__tier {
  gj__job job;
  gj_interp *interp;
  gj_lmodule *module; // owns the interpreter's constant data; NULL: there is none
  gj_compile_options options;
  atomic_ullong spent_ns;
  bool fused; // the block kernels that it runs
  char *scratch;
  gj_program_stats stats;          // of compiling, readable once it has succeeded
  _Atomic(gj_compiled *) compiled; // NULL: not yet, or never
  gj_graph *graph;                 // of the job, from its preparation on
  gj_status status;                // of a job that is done
  gj_error error;
};

// --- making ---

static gj_status start(const gj_pipeline *pipeline, const gj_block_set *set, gj__tier *tier,
                       gj_error *err) {
  gj_strbuf text = {0};
  GJ_TRY(gj_interp_new(pipeline->lowered.module, set, &tier->interp, err));
  gj_dim_print(gj_graph_dims(pipeline->graph), pipeline->scratch_bytes, &text);
  return gj_strbuf_take(&text, &tier->scratch, NULL, err);
}

static void destroy(gj__job *job) {
  gj__tier *tier = (gj__tier *)job;
  gj_interp_free(tier->interp);
  gj_lmodule_free(tier->module);
  gj__compiled_release(atomic_load(&tier->compiled));
  gj_graph_free(tier->graph);
  free(tier->scratch);
  free(tier);
}

static gj_status get_compiled(gj__tier *tier, gj_compiled **out_compiled, gj_error *err) {
  const gj_target *host;
  GJ_TRY(gj_target_host_shared(&host, err));
  if (host->fma != tier->fused) // the block kernels asked the CPU themselves
    return gj_fail(err, GJ_E_INTERNAL, "compile: the tiers differ in fused multiply-add");
  return gj__compiled_get(tier->graph, &tier->options, host, out_compiled, &tier->stats, err);
}

// Publishes the code, whose runs get the scratch memory that the first tier needs.
static void compile(gj__job *job) {
  gj__tier *tier = (gj__tier *)job;
  gj_compiled *compiled = NULL;
  gj_error err = {0};
  gj_status status = get_compiled(tier, &compiled, &err);
  if (status == GJ_OK && strcmp(compiled->scratch, tier->scratch) != 0) {
    status = gj_fail(&err, GJ_E_INTERNAL, "compile: the tiers differ in their memory: %s and %s",
                     tier->scratch, compiled->scratch);
    gj__compiled_release(compiled);
    compiled = NULL;
  }
  atomic_store_explicit(&tier->compiled, compiled, memory_order_release);
  gj_graph_free(tier->graph);
  tier->graph = NULL;
  tier->status = status;
  tier->error = err;
}

gj_status gj__tier_new(const gj_graph *graph, const gj_compile_options *options,
                       gj__tier **out_tier, gj_program_stats *stats, gj_error *err) {
  bool exact = options->numerics != GJ_NUMERICS_FAST,
       strict = options->numerics == GJ_NUMERICS_STRICT;
  const gj_block_set *set = gj_block_set_choose(strict);
  if (options->tier == GJ_TIER_LLVM || !exact || !set)
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
    gj__job_init(&tier->job, compile, destroy);
    tier->options = *options;
    tier->fused = set->fused;
    if (pipeline.lowered.module->data_count > 0) {
      tier->module = pipeline.lowered.module;
      pipeline.lowered.module = NULL; // the tier's now
    }
    *out_tier = tier;
  } else if (tier) {
    destroy(&tier->job);
  }
  gj_pipeline_fini(&pipeline);
  return status;
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

// --- runs ---

// Gives the job a graph of its own: neither may change while the other is read.
static gj_status copy_graph(const void *owner, gj_error *err) {
  const gj_program *p = owner;
  gj__tier *tier = p->tier;
  if (tier->graph)
    return GJ_OK;
  gj__program_lock_graph(p);
  gj_status status = gj_graph_copy(p->graph, &tier->graph, err);
  gj__program_unlock_graph(p);
  return status;
}

void gj__tier_consider(const gj_program *p, size_t bytes) {
  unsigned long long spent = atomic_load_explicit(&p->tier->spent_ns, memory_order_relaxed);
  bool once = p->tier->options.tier == GJ_TIER_INTERPRETER;
  if (!once && (spent >= BUDGET_NS || bytes >= LARGE_BYTES))
    gj__job_queue(&p->tier->job, copy_graph, p);
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
  GJ_TRY(gj__job_finish(&tier->job, copy_graph, p, err));
  return tier->status == GJ_OK ? GJ_OK : gj_fail(err, tier->status, "%s", tier->error.message);
}

void gj__tier_release(gj__tier *tier) {
  if (tier)
    gj__job_release(&tier->job);
}

gj_tier gj_program_tier(const gj_program *p, gj_error *out_error) {
  out_error->code = GJ_OK;
  if (!p->tier || compiled_of(p->tier))
    return GJ_TIER_LLVM;
  if (gj__job_is_done(&p->tier->job))
    *out_error = p->tier->error;
  return GJ_TIER_AUTO;
}
