// Machine code from Loop IR, for tests.
#ifndef GJ_TEST_LOOP_CODE_H
#define GJ_TEST_LOOP_CODE_H

#include "check.h"

#include "codegen/codegen.h"
#include "jit/code/orc.h"

#include <stdlib.h>

enum { MOST_TARGETS = 3 };

// The instruction sets that this machine runs, its own first: smaller ones, too, if it is an x86-64
// with AVX2. Returns how many.
static inline size_t find_targets(gj_target *out) {
  static const char *const cpus[] = {"x86-64-v3", "x86-64-v2"};
  size_t count = 0;
  gj_error err = {0};
  CHECK_OK(gj_target_host(&out[count++], &err), &err);
  for (size_t i = 0; i < 2 && out[0].vector_bytes >= 32; i++)
    CHECK_OK(gj_target_named("x86_64-unknown-linux-gnu", cpus[i], NULL, &out[count++], &err), &err);
  return count;
}

// The entry of a module's machine code; NULL on failure. The caller unloads *out_code.
static inline gj_entry *load_code(const gj_lmodule *m, const gj_target *target,
                                  gj_codegen_options options, gj_jit_code **out_code) {
  unsigned char *object = NULL;
  size_t size = 0;
  gj_error err = {0};
  gj_entry *entry = NULL;
  *out_code = NULL;
  options.entry_symbol = "test_entry";
  gj_status status = gj_lmodule_verify(m, &err);
  if (status == GJ_OK)
    status = gj_codegen(m, target, &options, GJ_EMIT_OBJECT, &object, &size, NULL, &err);
  if (status == GJ_OK)
    status = gj_jit_load(object, size, options.entry_symbol, out_code, &entry, &err);
  CHECK_OK(status, &err);
  free(object);
  return entry;
}

#endif
