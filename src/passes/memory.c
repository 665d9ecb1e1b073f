// The memory plan: one arena per run, its offsets known as dim expressions before the run.
//
// Every scratch buffer lives from the kernel that writes it to the last one that reads it, working
// memory in its kernel only. Buffers
// are placed in order of birth into slots: first into the slot of an operand that dies in the same
// kernel and is read element by element (so the kernel works in place), then into a free slot that
// is surely large enough (equal sizes, or numbers), else into a new one. Slots stand one behind the
// other, each on a 64-byte boundary.
//
// Left out: fitting several small buffers into one freed large slot, and comparing symbolic sizes
// other than by equality.
#include "passes/plan.h"

#include <string.h>

typedef struct slot {
  gj_dim bytes;
  uint32_t occupant; // buffer last placed here
} slot;

typedef struct placer {
  gj_plan *plan;
  slot *slots;
  uint32_t slot_count;
  uint32_t *slot_of;    // per buffer
  uint32_t *jumbled_in; // per buffer: 1 + the last kernel that reads it out of step
  uint8_t *written;     // per buffer: by a kernel that was seen
  uint32_t kernel;
} placer;

static void note_read(gj_ref ref, bool in_step, void *context) {
  placer *p = context;
  uint32_t buffer = p->plan->home[ref];
  p->plan->buffers[buffer].last = p->kernel;
  if (!in_step)
    p->jumbled_in[buffer] = p->kernel + 1;
}

static void find_lifetimes(placer *p, uint32_t *seen) {
  gj_plan *plan = p->plan;
  for (p->kernel = 0; p->kernel < plan->kernel_count; p->kernel++) {
    const gj_kernel *kernel = &plan->kernels[p->kernel];
    for (uint32_t i = 0; i < kernel->store_count; i++) {
      if (kernel->stores[i].buffer == GJ_NO_BUFFER)
        continue;
      gj_buffer *b = &plan->buffers[kernel->stores[i].buffer];
      b->last = p->kernel;
      if (!p->written[kernel->stores[i].buffer])
        b->first = p->kernel;
      p->written[kernel->stores[i].buffer] = 1;
    }
    for (uint32_t i = 0; i < kernel->temp_count; i++)
      plan->buffers[kernel->temps[i]].first = plan->buffers[kernel->temps[i]].last = p->kernel;
    gj__kernel_reads(plan, p->kernel, seen, note_read, p);
  }
}

static bool fits_in_place(const placer *p, const slot *s, const gj_buffer *b) {
  const gj_buffer *old = &p->plan->buffers[s->occupant];
  gj_kernel_kind kind = p->plan->kernels[p->kernel].kind;
  return gj_kernel_has(kind, GJ_KERNEL_HAS_REUSES) && old->last == p->kernel &&
         old->first < p->kernel && p->jumbled_in[s->occupant] != p->kernel + 1 &&
         old->bytes == b->bytes && old->type.dtype == b->type.dtype;
}

static bool fits_free(const placer *p, const slot *s, const gj_buffer *b) {
  const gj_buffer *old = &p->plan->buffers[s->occupant];
  if (old->last >= p->kernel)
    return false;
  return s->bytes == b->bytes ||
         (gj_dim_is_const(s->bytes) && gj_dim_is_const(b->bytes) && s->bytes >= b->bytes);
}

static void place(placer *p, uint32_t buffer) {
  gj_buffer *b = &p->plan->buffers[buffer];
  uint32_t chosen = p->slot_count;
  for (uint32_t i = 0; i < p->slot_count && !b->in_place; i++) {
    if (fits_in_place(p, &p->slots[i], b)) {
      chosen = i;
      b->in_place = true;
    } else if (chosen == p->slot_count && fits_free(p, &p->slots[i], b)) {
      chosen = i;
    }
  }
  if (b->in_place) // its kernel reads and writes this memory: neither pointer is unaliased
    p->plan->buffers[p->slots[chosen].occupant].in_place = true;
  if (chosen == p->slot_count)
    p->slots[p->slot_count++].bytes = b->bytes;
  p->slots[chosen].occupant = buffer;
  p->slot_of[buffer] = chosen;
}

static gj_status assign_offsets(placer *p, gj_arena *scratch, gj_error *err) {
  gj_dims *dims = gj_graph_dims(p->plan->graph);
  gj_dim *offsets = gj_arena_array(scratch, p->slot_count + 1, sizeof *offsets);
  if (!offsets)
    return gj_fail(err, GJ_E_MEMORY, "plan: out of memory for %u slots", p->slot_count);
  gj_dim total = 0, line = gj_dim_const(dims, 64), up = gj_dim_const(dims, 63);
  for (uint32_t i = 0; i < p->slot_count; i++) {
    offsets[i] = total;
    gj_dim lines = gj_dim_floordiv(dims, gj_dim_add(dims, p->slots[i].bytes, up), line);
    total = gj_dim_add(dims, total, gj_dim_mul(dims, lines, line));
  }
  if (total == GJ_DIM_ERROR || total > GJ_DIM_MAX)
    return gj_fail(err, GJ_E_OVERFLOW,
                   "the intermediate values of graph \"%s\" need more than 2^47 bytes",
                   gj_graph_name(p->plan->graph));
  for (uint32_t i = 0; i < p->plan->buffer_count; i++)
    if (p->plan->buffers[i].kind == GJ_BUFFER_SCRATCH)
      p->plan->buffers[i].offset = offsets[p->slot_of[i]];
  p->plan->scratch_bytes = total;
  return GJ_OK;
}

gj_status gj__plan_memory(gj_plan *plan, gj_error *err) {
  gj_arena scratch;
  gj_arena_init(&scratch, 1 << 14);
  size_t refs = gj_graph_node_count(plan->graph) + 1;
  placer p = {.plan = plan};
  uint32_t *seen = gj_arena_array(&scratch, refs, sizeof *seen);
  p.slots = gj_arena_array(&scratch, plan->buffer_count + 1, sizeof *p.slots);
  p.slot_of = gj_arena_array(&scratch, plan->buffer_count + 1, sizeof *p.slot_of);
  p.jumbled_in = gj_arena_array(&scratch, plan->buffer_count + 1, sizeof *p.jumbled_in);
  p.written = gj_arena_array(&scratch, plan->buffer_count + 1, 1);
  gj_status status = GJ_OK;
  if (!seen || !p.slots || !p.slot_of || !p.jumbled_in || !p.written) {
    status = gj_fail(err, GJ_E_MEMORY, "plan: out of memory for %zu nodes", refs - 1);
  } else {
    memset(seen, 0, refs * sizeof *seen);
    memset(p.written, 0, plan->buffer_count + 1);
    memset(p.jumbled_in, 0, (plan->buffer_count + 1) * sizeof *p.jumbled_in);
    find_lifetimes(&p, seen);
    for (p.kernel = 0; p.kernel < plan->kernel_count; p.kernel++) {
      const gj_kernel *kernel = &plan->kernels[p.kernel];
      for (uint32_t i = 0; i < kernel->store_count; i++) {
        const gj_store *store = &kernel->stores[i];
        bool owns = store->buffer != GJ_NO_BUFFER && !store->borrowed;
        const gj_buffer *b = &plan->buffers[owns ? store->buffer : 0];
        if (owns && b->kind == GJ_BUFFER_SCRATCH && b->first == p.kernel)
          place(&p, store->buffer);
      }
      for (uint32_t i = 0; i < kernel->temp_count; i++)
        place(&p, kernel->temps[i]);
    }
    status = assign_offsets(&p, &scratch, err);
    plan->placed = status == GJ_OK;
  }
  gj_arena_fini(&scratch);
  return status;
}
