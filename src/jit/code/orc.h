// Machine code in this process: takes an object file, gives a function, frees both.
//
// The only file that includes ORC headers is orc.c. One LLJIT per process serves all programs; each
// loaded object has a resource tracker, so that its memory goes when it is unloaded. Thread-safe.
#ifndef GJ_JIT_CODE_ORC_H
#define GJ_JIT_CODE_ORC_H

#include "base/exec.h"
#include "base/status.h"
#include "jit/code/constants.h"

#include <stddef.h>

typedef struct gj_jit_code gj_jit_code;

typedef struct gj_object {
  const void *bytes;
  size_t size;
} gj_object;

// Loads an object for the host and finds `symbol` in it. The object bytes may be freed afterwards.
gj_status gj_jit_load(const void *object, size_t size, const char *symbol, gj_jit_code **out_code,
                      gj_entry **out_entry, gj_error *err);
// The same with several objects that call each other. They may read `constants`, which must live
// as long as the code does; NULL: there are none.
gj_status gj_jit_load_all(const gj_object *objects, size_t count, const gj_constants *constants,
                          const char *symbol, gj_jit_code **out_code, gj_entry **out_entry,
                          gj_error *err);
void gj_jit_unload(gj_jit_code *code); // NULL is fine; no run may be in progress
// Bytes of code and data held by loaded objects, and how many there are: for leak tests.
void gj_jit_usage(size_t *out_objects, size_t *out_bytes);

#endif
