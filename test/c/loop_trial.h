// Loops as machine code against the same loops left scalar, for tests.
//
// The arrays of a trial lie in arenas, each between two pages that may not be touched. They end
// where the arena does, or begin where it begins, so that a stray access stops the test; what lies
// around results is compared, too.
#ifndef GJ_TEST_LOOP_TRIAL_H
#define GJ_TEST_LOOP_TRIAL_H

#include "loop_code.h"

#include <sys/mman.h>

enum { ARENAS = 5, PAGE = 4096, ROOM = 4 * PAGE };

static unsigned char *arenas[ARENAS];

typedef struct trial {
  unsigned char *at[ARENAS];
  size_t sizes[ARENAS]; // bytes
  unsigned count;
  int64_t *dims;
  unsigned dim_count;
  bool exact; // the evaluator gives the same bits: not so for elementary functions
} trial;

static inline void make_arenas(void) {
  for (int b = 0; b < ARENAS; b++) {
    unsigned char *bytes =
        mmap(NULL, ROOM + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK_OR_RETURN(bytes != MAP_FAILED);
    CHECK(mprotect(bytes + PAGE, ROOM, PROT_READ | PROT_WRITE) == 0);
    arenas[b] = bytes + PAGE;
  }
}

static inline gj_dtype dtype_called(const char *name) { return gj_dtype_parse(name, strlen(name)); }

// Adds an array of small numbers.
static inline void add_array(trial *t, const char *type, int64_t count, bool at_end) {
  gj_dtype dtype = dtype_called(type);
  unsigned b = t->count++;
  t->sizes[b] = (size_t)count * gj_dtype_bytes(dtype);
  t->at[b] = arenas[b] + (at_end ? ROOM - t->sizes[b] : 0);
  memset(arenas[b], 0x5a, ROOM);
  for (int64_t i = 0; i < count; i++) {
    gj_scalar s;
    double value = dtype == GJ_DTYPE_bool ? (double)(i % 3 == 0) : (double)((i * 37 + b) % 101);
    gj_scalar_from_double(dtype, value, &s);
    gj_scalar_store(s, t->at[b] + i * (int64_t)gj_dtype_bytes(dtype));
  }
}

// Machine code of the module, whose loops are vectorised before. NULL on failure.
static inline gj_entry *load_vectorised(gj_lmodule *m, const gj_target *target, gj_strbuf *report,
                                        gj_jit_code **out_code) {
  gj_loops_machine machine = gj_target_loops(target);
  gj_error err = {0};
  CHECK_OK(gj_loops_vectorise(m, &machine, report, &err), &err);
  return load_code(m, target, (gj_codegen_options){.opt_level = 3}, out_code);
}

static inline void copy_arenas(unsigned char (*to)[ROOM]) {
  for (int b = 0; b < ARENAS; b++)
    memcpy(to[b], arenas[b], ROOM);
}

static inline void fill_arenas(unsigned char (*from)[ROOM]) {
  for (int b = 0; b < ARENAS; b++)
    memcpy(arenas[b], from[b], ROOM);
}

static inline bool are_arenas(unsigned char (*bytes)[ROOM]) {
  bool same = true;
  for (int b = 0; b < ARENAS; b++)
    same = same && memcmp(bytes[b], arenas[b], ROOM) == 0;
  return same;
}

// Whether both entries, and the evaluator of the module, leave the same in all arenas. The
// evaluator knows where arrays end, too.
static inline bool try_loops(const trial *t, const gj_lmodule *m, gj_entry *entry,
                             gj_entry *scalar) {
  static unsigned char before[ARENAS][ROOM], expected[ARENAS][ROOM];
  gj_exec exec = {0};
  void *buffers[ARENAS];
  memcpy(buffers, t->at, sizeof buffers);
  copy_arenas(before);
  CHECK_INT_EQ(scalar(buffers, t->dims, &exec), 0);
  copy_arenas(expected);
  fill_arenas(before);
  CHECK_INT_EQ(entry(buffers, t->dims, &exec), 0);
  bool same = are_arenas(expected);
  fill_arenas(before);
  gj_leval args = {.buffers = buffers,
                   .buffer_sizes = t->sizes,
                   .buffer_count = t->count,
                   .dims = t->dims,
                   .dim_count = t->dim_count};
  int32_t status = 0;
  gj_error err = {0};
  CHECK_OK(gj_lmodule_eval(m, &args, &status, &err), &err);
  return same && (!t->exact || are_arenas(expected));
}

#endif
