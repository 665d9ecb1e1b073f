// Library functions: what kernels over columns call, row by row, for strings, dates, decimals and
// hashes.
//
// They are written in C, compiled natively and to bitcode, and inlined into kernels from that; so
// the same code runs in a process, in wasm32 and in objects for other targets. All parameters and
// results are int64_t: addresses as C casts them, lengths in bytes, f64 as its bits, f32 as bits in
// the low half. One row in a .def file per function:
//
//   GJL(name, params, result)    gjl_<name> takes `params` int64_t; `result` is 1 if it returns
//   one, 0 if void
//
// Those of numeric.def work on arrays of floats. They are there in variants for several processors
// (numeric.h), and of those that may use fused multiply-add the bits depend on whether it is used.
//
// A function that may fail returns a gjl_status and writes its value to where its parameter `out`
// points. Strings are valid UTF-8, which is verified before code runs; results that are strings are
// views, of a parameter or of memory from the arena. What is not here: anything of libc, global
// state, and memory of its own.
#ifndef GJ_LIBRARY_LIBRARY_H
#define GJ_LIBRARY_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gjl_status {
  GJL_DONE,
  GJL_MORE,     // the arena has no room: nothing was written; give more and run again
  GJL_INVALID,  // the operand is not what the function takes, such as a text that is no number
  GJL_OVERFLOW, // the result does not fit its type
  GJL_DIVISION  // by zero
} gjl_status;

// Where new strings lie; addresses of the first free byte and of the end.
typedef struct gjl_arena {
  int64_t next, end;
} gjl_arena;

// A string, or bytes.
typedef struct gjl_view {
  int64_t address, length;
} gjl_view;

static inline const unsigned char *gjl_bytes(int64_t address) {
  return (const unsigned char *)(uintptr_t)address;
}

// Room for `size` bytes, 0 … INT32_MAX, or NULL.
static inline unsigned char *gjl_take(int64_t arena, int64_t size) {
  gjl_arena *a = (gjl_arena *)(uintptr_t)arena;
  if (size > a->end - a->next)
    return NULL;
  unsigned char *p = (unsigned char *)(uintptr_t)a->next;
  a->next += size;
  return p;
}

static inline void gjl_give(int64_t out, const unsigned char *p, int64_t length) {
  *(gjl_view *)(uintptr_t)out = (gjl_view){(int64_t)(uintptr_t)p, length};
}

// The bytes of a string; both may be NULL when there are none.
typedef struct gjl_text {
  const unsigned char *at, *end;
} gjl_text;

static inline gjl_text gjl_text_of(int64_t address, int64_t length) {
  return (gjl_text){gjl_bytes(address), gjl_bytes(address + length)};
}

static inline uint64_t gjl_load64(const unsigned char *p) {
  uint64_t word;
  __builtin_memcpy(&word, p, sizeof word);
  return word;
}

static inline uint32_t gjl_load32(const unsigned char *p) {
  uint32_t word;
  __builtin_memcpy(&word, p, sizeof word);
  return word;
}

static inline void gjl_store64(unsigned char *p, uint64_t word) {
  __builtin_memcpy(p, &word, sizeof word);
}

static inline void gjl_store32(unsigned char *p, uint32_t word) {
  __builtin_memcpy(p, &word, sizeof word);
}

// All functions, so that tables and definitions agree.
#define GJL_PARAMS_0 void
#define GJL_PARAMS_1 int64_t
#define GJL_PARAMS_2 GJL_PARAMS_1, int64_t
#define GJL_PARAMS_3 GJL_PARAMS_2, int64_t
#define GJL_PARAMS_4 GJL_PARAMS_3, int64_t
#define GJL_PARAMS_5 GJL_PARAMS_4, int64_t
#define GJL_PARAMS_6 GJL_PARAMS_5, int64_t
#define GJL_PARAMS_7 GJL_PARAMS_6, int64_t
#define GJL_PARAMS_8 GJL_PARAMS_7, int64_t
#define GJL_PARAMS_9 GJL_PARAMS_8, int64_t
#define GJL_PARAMS_10 GJL_PARAMS_9, int64_t
#define GJL_PARAMS_11 GJL_PARAMS_10, int64_t
#define GJL_PARAMS_12 GJL_PARAMS_11, int64_t
#define GJL_RESULT_0 void
#define GJL_RESULT_1 int64_t
#define GJL(name, params, result) GJL_RESULT_##result gjl_##name(GJL_PARAMS_##params);
#include "library/library.def"
#define GJL(name, params, result) GJL_RESULT_##result gjl_##name(GJL_PARAMS_##params);
#include "library/numeric.def"

#endif
