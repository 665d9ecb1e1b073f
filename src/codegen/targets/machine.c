// Makes LLVM target machines from target descriptions, and keeps a few for the next compilation.
//
// Level 0 selects instructions the quick way: a third of the time, and with the optimiser's passes
// run before, the loops of vectorised kernels are 0–20 % slower. Loops of scalars are 2–4 times
// slower, so functions of users get level 1 then: it costs half of what level 2 does. Code is
// position-independent except for wasm, where that would turn constants into imports; it reaches
// its constants within ±2 GiB, which both ORC and linkers keep.
//
// A machine caches subtargets without locking, so each compilation has one to itself. Making one
// and its first subtarget takes half a millisecond, most of it for the host's 150 features, hence
// the pool.
#include "codegen/targets/machine.h"

#include <llvm-c/Core.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum { POOL_SIZE = 4 };

typedef struct pooled {
  LLVMTargetMachineRef machine; // NULL: a free place
  LLVMCodeGenOptLevel level;
  gj_target target;
} pooled;

// Machines that nobody uses, the one returned last in front.
static struct {
  pthread_mutex_t lock;
  pooled places[POOL_SIZE];
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static LLVMCodeGenOptLevel level_of(unsigned opt_level) {
  static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                               LLVMCodeGenLevelDefault, LLVMCodeGenLevelAggressive};
  return levels[opt_level > 3 ? 3 : opt_level];
}

// Takes the place out of the pool; those behind it move up. Under the lock.
static pooled remove_place(size_t at) {
  pooled taken = pool.places[at];
  memmove(&pool.places[at], &pool.places[at + 1], (POOL_SIZE - 1 - at) * sizeof taken);
  pool.places[POOL_SIZE - 1].machine = NULL;
  return taken;
}

static bool same_target(const gj_target *a, const gj_target *b) {
  return strcmp(a->triple, b->triple) == 0 && strcmp(a->cpu, b->cpu) == 0 &&
         strcmp(a->features, b->features) == 0;
}

static LLVMTargetMachineRef take_pooled(const gj_target *target, LLVMCodeGenOptLevel level) {
  LLVMTargetMachineRef machine = NULL;
  pthread_mutex_lock(&pool.lock);
  for (size_t i = 0; i < POOL_SIZE && pool.places[i].machine && !machine; i++)
    if (pool.places[i].level == level && same_target(&pool.places[i].target, target))
      machine = remove_place(i).machine;
  pthread_mutex_unlock(&pool.lock);
  return machine;
}

void gj__target_machine_release(const gj_target *target, unsigned opt_level,
                                LLVMTargetMachineRef machine) {
  pthread_mutex_lock(&pool.lock);
  LLVMTargetMachineRef oldest = remove_place(POOL_SIZE - 1).machine;
  memmove(&pool.places[1], &pool.places[0], (POOL_SIZE - 1) * sizeof pool.places[0]);
  pool.places[0] = (pooled){machine, level_of(opt_level), *target};
  pthread_mutex_unlock(&pool.lock);
  if (oldest)
    LLVMDisposeTargetMachine(oldest);
}

gj_status gj__target_machine(const gj_target *target, unsigned opt_level,
                             LLVMTargetMachineRef *out_machine, gj_error *err) {
  *out_machine = take_pooled(target, level_of(opt_level));
  if (*out_machine)
    return GJ_OK;
  gj__targets_ready();
  LLVMTargetRef llvm_target = NULL;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(target->triple, &llvm_target, &message)) {
    gj_fail(err, GJ_E_ARGUMENT, "target: triple %s: %s", target->triple, message);
    LLVMDisposeMessage(message);
    return GJ_E_ARGUMENT;
  }
  *out_machine = LLVMCreateTargetMachine(
      llvm_target, target->triple, target->cpu, target->features, level_of(opt_level),
      target->wasm ? LLVMRelocDefault : LLVMRelocPIC, LLVMCodeModelDefault);
  if (!*out_machine)
    return gj_fail(err, GJ_E_UNSUPPORTED, "target: no code generator for %s", target->triple);
  return GJ_OK;
}
