// The interpreter loop of the first tier.
#include "interp/code.h"
#include "runtime/memory.h"

#include <string.h>

typedef struct machine {
  const gj_interp *interp;
  void *const *buffers;
  int64_t *dims;
  gj_exec *exec;
} machine;

// --- instructions ---

static inline void *at(char *frame, uint32_t place) {
  char *p = frame + (place & ~(uint32_t)GJ__INDIRECT);
  return place & GJ__INDIRECT ? *(void **)(void *)p : p;
}

static inline int64_t *number(char *frame, uint32_t place) {
  return (int64_t *)(void *)(frame + place);
}

static inline char **pointer(char *frame, uint32_t place) {
  return (char **)(void *)(frame + place);
}

static inline char *element(char *frame, const gj__insn *i, size_t bytes) {
  uint64_t offset = (uint64_t)*number(frame, i->b) * bytes;
  return (char *)((uintptr_t)*pointer(frame, i->a) + (uintptr_t)offset);
}

static void fill(char *d, const char *value, size_t bytes, int64_t n) {
  if (bytes == 1) {
    memset(d, *(const unsigned char *)value, (size_t)n);
    return;
  }
  memcpy(d, value, bytes);
  size_t done = bytes, total = (size_t)n * bytes;
  for (; done * 2 <= total; done *= 2)
    memcpy(d + done, d, done);
  memcpy(d + done, d, total - done);
}

static void copy_bool(unsigned char *d, const unsigned char *a, int64_t n) {
  for (int64_t k = 0; k < n; k++)
    d[k] = a[k] != 0;
}

// Elements at from + (first + step · k), or at from + indices[k] when there are indices.
#define GATHER(type)                                                                               \
  for (int64_t k = 0; k < n; k++)                                                                  \
  memcpy(d + k * (int64_t)sizeof(type),                                                            \
         (const void *)(from +                                                                     \
                        (uintptr_t)((uint64_t)(indices ? indices[k] : step * k) * sizeof(type))),  \
         sizeof(type))

static void gather(char *d, uintptr_t from, const int64_t *indices, int64_t step, size_t bytes,
                   int64_t n) {
  switch (bytes) {
  case 1:
    GATHER(uint8_t);
    return;
  case 2:
    GATHER(uint16_t);
    return;
  case 4:
    GATHER(uint32_t);
    return;
  default:
    GATHER(uint64_t);
    return;
  }
}
#undef GATHER

static void gather_any(char *frame, const gj__insn *i, int64_t n) {
  bool indexed = i->code == GJ__CODE_gather || i->code == GJ__CODE_gather_bool;
  char *d = at(frame, i->d);
  gather(d, (uintptr_t)*pointer(frame, i->a), indexed ? at(frame, i->b) : NULL,
         indexed ? 0 : i->imm, i->bytes, n);
  if (i->code == GJ__CODE_stride_bool || i->code == GJ__CODE_gather_bool)
    copy_bool((unsigned char *)d, (unsigned char *)d, n);
}

static void ramp(int64_t *d, int64_t first, int64_t step, int64_t n) {
  for (int64_t k = 0; k < n; k++)
    d[k] = (int64_t)((uint64_t)first + (uint64_t)step * (uint64_t)k);
}

static bool is_cancelled(const gj_exec *exec) { return exec->cancel && *exec->cancel != 0; }

// Iterations left of a loop at `i`, at most `most`.
static inline int64_t left(int64_t i, int64_t hi, int64_t most) {
  uint64_t rest = (uint64_t)hi - (uint64_t)i;
  return rest < (uint64_t)most ? (int64_t)rest : most;
}

static uint64_t run_func(const machine *v, const gj__ifunc *f, char *frame);

static void prepare(const gj__ifunc *f, char *frame) {
  for (uint32_t k = 0; k < f->preset_count; k++)
    memcpy(frame + f->presets[k].at, &f->presets[k].value, sizeof f->presets[k].value);
}

static uint64_t call(const machine *v, const gj__ifunc *f, char *frame, const gj__insn *i) {
  const gj__ifunc *callee = &v->interp->funcs[i->imm];
  char *inner = frame + f->frame;
  for (uint32_t k = 0; k < callee->param_count; k++)
    memcpy(inner + 8 * (size_t)k, frame + f->lists[i->a + k], 8);
  return run_func(v, callee, inner);
}

// --- parallel calls ---

typedef struct piece {
  const machine *v;
  const gj__ifunc *callee;
  const char *args; // a frame that begins with them
} piece;

static int32_t run_piece(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  const piece *p = context;
  const gj__ifunc *callee = p->callee;
  machine v = *p->v;
  char *frame = gj_memory_take(callee->stack);
  if (!frame)
    return GJ_RUN_NO_MEMORY;
  size_t fixed = 8 * (size_t)(callee->param_count - 2);
  v.exec = exec;
  memcpy(frame, p->args, fixed);
  memcpy(frame + fixed, &begin, 8);
  memcpy(frame + fixed + 8, &end, 8);
  int32_t status = (int32_t)run_func(&v, callee, frame);
  gj_memory_give(frame);
  return status;
}

static int32_t call_parallel(const machine *v, const gj__ifunc *f, char *frame, const gj__insn *i) {
  const gj__ifunc *callee = &v->interp->funcs[i->imm];
  const uint32_t *range = f->lists + i->a + callee->param_count - 2;
  int64_t lo = *number(frame, range[0]), hi = *number(frame, range[1]);
  if (lo >= hi)
    return 0;
  if (!v->exec->parallel || (uint64_t)hi - (uint64_t)lo <= (uint64_t)*number(frame, range[2]))
    return (int32_t)call(v, f, frame, i);
  char *args = frame + f->frame;
  for (uint32_t k = 0; k + 2 < callee->param_count; k++)
    memcpy(args + 8 * (size_t)k, frame + f->lists[i->a + k], 8);
  piece p = {v, callee, args};
  return v->exec->parallel(v->exec, run_piece, &p, lo, hi, *number(frame, range[2]));
}

// --- the loop ---

// These steps are parts of the dispatch in run_func(), which says what is whose. The compiler makes
// one jump of all, as long as none of them has more than some ten instructions.
static inline void step_scalar(char *frame, const gj__insn *i) {
  switch (i->code) {
  case GJ__CODE_move:
    memcpy(frame + i->d, frame + i->a, 8);
    break;
  case GJ__CODE_add:
    *number(frame, i->d) =
        (int64_t)((uint64_t)*number(frame, i->a) + (uint64_t)*number(frame, i->b));
    break;
  case GJ__CODE_sub:
    *number(frame, i->d) =
        (int64_t)((uint64_t)*number(frame, i->a) - (uint64_t)*number(frame, i->b));
    break;
  case GJ__CODE_mul:
    *number(frame, i->d) =
        (int64_t)((uint64_t)*number(frame, i->a) * (uint64_t)*number(frame, i->b));
    break;
  case GJ__CODE_scalar:
    i->kernel(frame + i->d, frame + i->a, frame + i->b, frame + i->c, 1, NULL);
    break;
  case GJ__CODE_address:
    *pointer(frame, i->d) = element(frame, i, i->bytes);
    break;
  }
}

#define LOAD(bytes) memcpy(frame + i->d, element(frame, i, bytes), bytes)
#define STORE(bytes) memcpy(element(frame, i, bytes), frame + i->c, bytes)

// Single elements.
static inline void step_element(char *frame, const gj__insn *i) {
  switch (i->code) {
  case GJ__CODE_load1:
    LOAD(1);
    break;
  case GJ__CODE_load2:
    LOAD(2);
    break;
  case GJ__CODE_load4:
    LOAD(4);
    break;
  case GJ__CODE_load8:
    LOAD(8);
    break;
  case GJ__CODE_load_bool:
    frame[i->d] = *element(frame, i, 1) != 0;
    break;
  case GJ__CODE_store1:
    STORE(1);
    break;
  case GJ__CODE_store2:
    STORE(2);
    break;
  case GJ__CODE_store4:
    STORE(4);
    break;
  case GJ__CODE_store8:
    STORE(8);
    break;
  }
}

#undef LOAD
#undef STORE

// n iterations at once.
static inline void step_block(char *frame, const gj__insn *i, int64_t n) {
  switch (i->code) {
  case GJ__CODE_block:
    i->kernel(at(frame, i->d), at(frame, i->a), at(frame, i->b), at(frame, i->c), n, NULL);
    break;
  case GJ__CODE_fill:
    fill(at(frame, i->d), frame + i->a, i->bytes, n);
    break;
  case GJ__CODE_ramp:
    ramp(at(frame, i->d), *number(frame, i->a), i->imm, n);
    break;
  case GJ__CODE_copy:
    memmove(at(frame, i->d), at(frame, i->a), (size_t)n * i->bytes);
    break;
  case GJ__CODE_copy_bool:
    copy_bool(at(frame, i->d), at(frame, i->a), n);
    break;
  default:
    gather_any(frame, i, n);
  }
}

// Calls, and what only the run knows.
static inline void step_run(const machine *v, const gj__ifunc *f, char *frame, const gj__insn *i) {
  switch (i->code) {
  case GJ__CODE_call:
    *(uint64_t *)(void *)(frame + i->d) = call(v, f, frame, i);
    break;
  case GJ__CODE_parallel:
    *number(frame, i->d) = call_parallel(v, f, frame, i);
    break;
  case GJ__CODE_buffer:
    *pointer(frame, i->d) = v->buffers[i->imm];
    break;
  case GJ__CODE_dim:
    *number(frame, i->d) = v->dims[i->imm];
    break;
  case GJ__CODE_set_dim:
    v->dims[i->imm] = *number(frame, i->a);
    break;
  case GJ__CODE_scratch:
    *pointer(frame, i->d) = (char *)((uintptr_t)v->exec->scratch + (uintptr_t)*number(frame, i->a));
    break;
  case GJ__CODE_array:
    *pointer(frame, i->d) = frame + i->imm;
    break;
  case GJ__CODE_cancelled:
    frame[i->d] = is_cancelled(v->exec);
    break;
  case GJ__CODE_slot:
    *number(frame, i->d) = v->exec->slot;
    break;
  }
}

// Whether to go to i->c. n: iterations of the block.
static inline bool is_jump_taken(char *frame, const gj__insn *i, int64_t *n) {
  switch (i->code) {
  case GJ__CODE_unless:
    return !frame[i->a];
  case GJ__CODE_for_enter:
    *number(frame, i->d) = *number(frame, i->a);
    return *number(frame, i->a) >= *number(frame, i->b);
  case GJ__CODE_for_next:
    if ((uint64_t)*number(frame, i->b) - (uint64_t)*number(frame, i->d) <= (uint64_t)i->imm)
      return false;
    *number(frame, i->d) += i->imm;
    return true;
  case GJ__CODE_block_enter:
    *number(frame, i->d) = *number(frame, i->a);
    *n = left(*number(frame, i->a), *number(frame, i->b), i->imm);
    return *number(frame, i->a) >= *number(frame, i->b);
  case GJ__CODE_block_next:
    if ((uint64_t)*number(frame, i->b) - (uint64_t)*number(frame, i->d) <= (uint64_t)*n)
      return false;
    *number(frame, i->d) += *n;
    *n = left(*number(frame, i->d), *number(frame, i->b), i->imm);
    return true;
  default:
    return true;
  }
}

// `frame` begins with the arguments.
static uint64_t run_func(const machine *v, const gj__ifunc *f, char *frame) {
  int64_t n = 0;
  prepare(f, frame);
  for (const gj__insn *i = f->code;; i++) {
    switch ((gj__code)i->code) {
    case GJ__CODE_move:
    case GJ__CODE_add:
    case GJ__CODE_sub:
    case GJ__CODE_mul:
    case GJ__CODE_scalar:
    case GJ__CODE_address:
      step_scalar(frame, i);
      break;
    case GJ__CODE_load1:
    case GJ__CODE_load2:
    case GJ__CODE_load4:
    case GJ__CODE_load8:
    case GJ__CODE_load_bool:
    case GJ__CODE_store1:
    case GJ__CODE_store2:
    case GJ__CODE_store4:
    case GJ__CODE_store8:
      step_element(frame, i);
      break;
    case GJ__CODE_block:
    case GJ__CODE_fill:
    case GJ__CODE_ramp:
    case GJ__CODE_copy:
    case GJ__CODE_copy_bool:
    case GJ__CODE_stride:
    case GJ__CODE_gather:
    case GJ__CODE_stride_bool:
    case GJ__CODE_gather_bool:
      step_block(frame, i, n);
      break;
    case GJ__CODE_jump:
    case GJ__CODE_unless:
    case GJ__CODE_for_enter:
    case GJ__CODE_for_next:
    case GJ__CODE_block_enter:
    case GJ__CODE_block_next:
      i = is_jump_taken(frame, i, &n) ? f->code + i->c - 1 : i;
      break;
    case GJ__CODE_call:
    case GJ__CODE_parallel:
    case GJ__CODE_buffer:
    case GJ__CODE_dim:
    case GJ__CODE_set_dim:
    case GJ__CODE_scratch:
    case GJ__CODE_array:
    case GJ__CODE_cancelled:
    case GJ__CODE_slot:
      step_run(v, f, frame, i);
      break;
    case GJ__CODE_COUNT: // is in no code
    case GJ__CODE_ret:
      return *(uint64_t *)(void *)(frame + i->a);
    }
  }
}

int32_t gj_interp_run(const gj_interp *interp, void *const *buffers, int64_t *dims, gj_exec *exec) {
  const gj__ifunc *entry = &interp->funcs[interp->entry];
  machine v = {interp, buffers, dims, exec};
  char *frame = gj_memory_take(entry->stack);
  if (!frame)
    return GJ_RUN_NO_MEMORY;
  int32_t status = (int32_t)run_func(&v, entry, frame);
  gj_memory_give(frame);
  return status;
}
