// State of one translation, shared by the files of interp/ that make code.
//
// The first failure is kept; translation then goes on with harmless places and is thrown away.
#ifndef GJ_INTERP_TRANSLATE_H
#define GJ_INTERP_TRANSLATE_H

#include "interp/code.h"
#include "loops/vectorise/lanes.h"

// When a local lives, in numbers of statements in the order they are met.
typedef struct gj__use {
  uint32_t made;  // by its let, array or loop; params: 0
  uint32_t last;  // read or set
  uint32_t loop;  // 1 + the outermost loop that uses it and does not make it: it lives to its end
  uint32_t reads; // reads, counted
  uint32_t sets;
  bool array; // memory of the function itself
} gj__use;

// A block register: as many elements of `bytes` bytes as a block has.
typedef struct gj__register {
  uint32_t unit; // bytes per element in front of it
  uint8_t bytes;
  bool taken;
  uint32_t local; // it belongs to, or NO_LOCAL for a temporary
} gj__register;

#define GJ__NO_LOCAL UINT32_MAX
enum { GJ__MAX_REGISTERS = 256 };

// A value in a block loop: an array of n elements, or a scalar for all of them.
typedef struct gj__operand {
  uint32_t at;
  int32_t temporary; // register to give back, or -1
  bool splat;
} gj__operand;

typedef struct gj__translation {
  const gj_lmodule *m;
  const gj_block_set *set;
  gj_interp *interp;
  gj_status status;
  gj_error *err;
  // the function being translated
  const gj_lfunc *f;
  gj__use *uses;       // by local
  uint32_t *loop_ends; // by loop, in the order they begin
  size_t loop_count, loop_capacity;
  uint32_t step;      // number of the statement
  uint32_t *places;   // by local: where its value is
  uint8_t *forwarded; // by local: its store has been done already
  gj__insn *code;
  size_t count, capacity;
  gj__preset *presets;
  size_t preset_count, preset_capacity;
  uint32_t *lists;
  size_t list_count, list_capacity;
  uint32_t frame;        // bytes of slots and arrays so far
  uint32_t stack, calls; // of callees, the most
  // the block loop being translated
  const gj__lanes *lanes; // NULL outside
  gj__register registers[GJ__MAX_REGISTERS];
  uint32_t register_count;
  uint32_t units, most_units; // bytes per element of all registers; the most of any loop
  // the innermost loop: chains of jumps whose targets are not known yet (1 + their numbers)
  uint32_t breaks, continues;
} gj__translation;

gj_status gj__tr_fail(gj__translation *t, gj_status code, const char *format, ...) GJ_PRINTF(3, 4);
// Appends an instruction and returns its number.
uint32_t gj__tr_emit(gj__translation *t, gj__insn insn);
uint32_t gj__tr_slot(gj__translation *t);

// liveness.c
bool gj__tr_find_uses(gj__translation *t);
uint32_t gj__tr_register(gj__translation *t, unsigned bytes, uint32_t local); // its place
gj__operand gj__tr_temporary(gj__translation *t, unsigned bytes);
void gj__tr_release(gj__translation *t, gj__operand operand);
void gj__tr_release_dead(gj__translation *t); // locals whose last use is over
bool gj__tr_may_alias(const gj__translation *t, const gj_lexpr *p, const gj_lexpr *q);
// Whether a store in `block` may write what pointer `p` reads.
bool gj__tr_is_written(const gj__translation *t, const gj_lblock *block, const gj_lexpr *p);
// Whether `e` loads through a pointer that may alias `p`.
bool gj__tr_reads(const gj__translation *t, const gj_lexpr *e, const gj_lexpr *p);

// expr.c: values of lane 0, and of all lanes of a block.
uint32_t gj__tr_scalar(gj__translation *t, const gj_lexpr *e);
void gj__tr_scalar_into(gj__translation *t, const gj_lexpr *e, uint32_t d);
void gj__tr_block_into(gj__translation *t, const gj_lexpr *e, uint32_t d);
// The slot that holds the address of an element.
uint32_t gj__tr_address(gj__translation *t, const gj_lexpr *p, const gj_lexpr *index);

#endif
