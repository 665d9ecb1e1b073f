// Working memory of runs: scratch arenas and frames of the first tier.
//
// A thread keeps a few of the blocks that it gave back, so that repeated runs allocate nothing and
// find their pages warm. Runs inside runs take further blocks. What a thread keeps is freed when it
// ends, and never exceeds GJ_MEMORY_KEPT bytes: larger blocks come from the system each time.
#ifndef GJ_RUNTIME_MEMORY_H
#define GJ_RUNTIME_MEMORY_H

#include <stddef.h>

#define GJ_MEMORY_KEPT ((size_t)64 << 20)

// 64-byte aligned, of any content; NULL when out of memory.
void *gj_memory_take(size_t bytes);
void gj_memory_give(void *memory); // by the thread that took it; NULL is fine

// Bytes of the blocks that this thread keeps, taken or not.
size_t gj_memory_kept(void);

#endif
