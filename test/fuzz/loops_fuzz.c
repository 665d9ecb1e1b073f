// Fuzzes the text form of Loop IR: whatever the bytes, the parser answers; what it accepts prints
// to text that parses to the same text, also after vectorising; and it runs in the interpreter,
// which checks every access to memory, for a limited number of steps.

#include "loops/loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 4, BUFFER_BYTES = 256, DIM = 5, MAX_STEPS = 2000 };

static void expect(bool ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "%s\n", what);
    abort();
  }
}

static void check_round_trip(const gj_lmodule *module) {
  gj_strbuf once = {0}, twice = {0};
  gj_error err = {0};
  gj_lmodule *again = NULL;
  gj_lmodule_print(module, &once);
  expect(gj_lmodule_parse(gj_strbuf_peek(&once), once.size, &again, &err) == GJ_OK, err.message);
  gj_lmodule_print(again, &twice);
  expect(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0,
         "the text changes when it is parsed and printed");
  gj_lmodule_free(again);
  gj_strbuf_fini(&once);
  gj_strbuf_fini(&twice);
}

// Any answer will do, as long as there is one.
static void evaluate(const gj_lmodule *module) {
  static const size_t sizes[BUFFERS] = {BUFFER_BYTES, BUFFER_BYTES, BUFFER_BYTES, BUFFER_BYTES};
  static const int64_t dims[BUFFERS] = {DIM, DIM, DIM, DIM};
  void *buffers[BUFFERS];
  for (size_t i = 0; i < BUFFERS; i++)
    buffers[i] = calloc(1, BUFFER_BYTES);
  gj_leval args = {.buffers = buffers,
                   .buffer_sizes = sizes,
                   .buffer_count = BUFFERS,
                   .dims = dims,
                   .dim_count = BUFFERS,
                   .scratch = calloc(1, BUFFER_BYTES),
                   .scratch_size = BUFFER_BYTES,
                   .max_steps = MAX_STEPS};
  gj_error err = {0};
  int32_t status;
  gj_lmodule_eval(module, &args, &status, &err);
  free(args.scratch);
  for (size_t i = 0; i < BUFFERS; i++)
    free(buffers[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gj_lmodule *module = NULL;
  gj_error err = {0};
  if (gj_lmodule_parse((const char *)data, size, &module, &err) != GJ_OK) {
    bool placed = strncmp(err.message, "line ", 5) == 0; // the verifier names functions, not lines
    expect(module == NULL && (placed || err.code == GJ_E_VERIFY), err.message);
    return 0;
  }
  expect(gj_lmodule_verify(module, &err) == GJ_OK, err.message);
  check_round_trip(module);
  evaluate(module);
  gj_loops_machine machine = {.vector_bytes = 16u << (size % 3)};
  machine.masked = size % 2 ? 15 : 0;
  machine.cheap_masks = size % 4 == 1;
  expect(gj_loops_vectorise(module, &machine, NULL, &err) == GJ_OK, err.message);
  expect(gj_lmodule_verify(module, &err) == GJ_OK, err.message);
  check_round_trip(module);
  evaluate(module);
  gj_lmodule_free(module);
  return 0;
}
