// Memory that is ours but not to be touched now, told to AddressSanitizer; nothing without it.
//
// Allocators that hand out parts of larger blocks, or the same block again, would hide overruns and
// late accesses from it. Only instrumented code is watched, so compiled programs are not.
#ifndef GJ_BASE_POISON_H
#define GJ_BASE_POISON_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define GJ_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GJ_POISONS 1
#endif
#endif

#ifdef GJ_POISONS
#include <sanitizer/asan_interface.h>
static inline void gj_poison(void *at, size_t size) { __asan_poison_memory_region(at, size); }
static inline void gj_unpoison(void *at, size_t size) { __asan_unpoison_memory_region(at, size); }
#else
static inline void gj_poison(void *at, size_t size) { (void)at, (void)size; }
static inline void gj_unpoison(void *at, size_t size) { (void)at, (void)size; }
#endif

#endif
