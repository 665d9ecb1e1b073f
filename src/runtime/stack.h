// How far down the stack of a thread may be used.
#ifndef GJ_RUNTIME_STACK_H
#define GJ_RUNTIME_STACK_H

#include <stdint.h>

// The lowest address that code which asks how deep it is may reach on this thread's stack: its end
// and room for those who do not ask. Found once per thread.
uintptr_t gj_stack_limit(void);

#endif
