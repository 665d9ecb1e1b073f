// The choice among the block kernels that were built: by CPU, once per process and mode.
#include "interp/blocks.h"

#include <string.h>

static bool runs_here(const char *cpu) {
  if (!*cpu)
    return true;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (strcmp(cpu, "x86-64-v4") == 0)
    return __builtin_cpu_supports("x86-64-v4") != 0;
  if (strcmp(cpu, "x86-64-v3") == 0)
    return __builtin_cpu_supports("x86-64-v3") != 0;
  if (strcmp(cpu, "x86-64-v2") == 0)
    return __builtin_cpu_supports("x86-64-v2") != 0;
#endif
  return false;
}

// Whether code compiled for this CPU fuses; a set for any machine was built like that code.
static bool fuses_here(const gj_block_set *set) {
#if defined(__x86_64__)
  if (*set->cpu)
    return __builtin_cpu_supports("fma") != 0;
#endif
  return set->fused;
}

const gj_block_set *gj_block_set_choose(bool strict) {
  for (const gj_block_set *const *pair = gj_block_sets; *pair; pair += 2)
    if (runs_here(pair[0]->cpu) && pair[0]->fused == fuses_here(pair[0]))
      return pair[strict];
  return NULL;
}

gj_block *gj_block_find(const gj_block_set *set, gj_op op, gj_dtype operand, gj_dtype result,
                        unsigned form) {
  for (; set; set = set->base) {
    gj_block *found =
        op == GJ_OP_convert ? set->convert[operand][result] : set->ops[op][operand][form];
    if (found)
      return found;
  }
  return NULL;
}
