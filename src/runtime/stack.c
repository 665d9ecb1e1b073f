// Where the stack of this thread ends.
//
// pthread_getattr_np reads a file for the main thread, some 30 µs, so the answer is kept. Of a
// stack without an end, or one that the system says nothing about, a part below this frame is used
// that every thread has.
#include "runtime/stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum {
  ROOM = 128 * 1024,      // for code that does not ask: the heap, math, signal handlers
  UNKNOWN = 256 * 1024,   // of a stack that nothing is known about
  MOST = 64 * 1024 * 1024 // of a stack that says it is larger
};

static uintptr_t find_end(uintptr_t here) {
  pthread_attr_t attr;
  void *lowest = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attr) != 0)
    return here - UNKNOWN;
  bool known = pthread_attr_getstack(&attr, &lowest, &size) == 0 && lowest && size;
  pthread_attr_destroy(&attr);
  uintptr_t end = (uintptr_t)lowest;
  if (!known || here < end || here - end > size)
    return here - UNKNOWN;
  return here - end > MOST ? here - MOST : end;
}

uintptr_t gj_stack_limit(void) {
  static _Thread_local uintptr_t limit;
  if (!limit)
    limit = find_end((uintptr_t)__builtin_frame_address(0)) + ROOM;
  return limit;
}
