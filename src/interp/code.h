// Code of the first tier, shared by the files of interp/ only.
//
// A function has a frame of bytes: slots of 8 bytes (params first), then arrays, then block
// registers. A place is a byte offset in the frame; with GJ__INDIRECT the slot there holds the
// address of what is meant, which is how kernels read and write memory without a copy. Values lie
// as they do in memory, so a slot can be read by a kernel as an array of one.
#ifndef GJ_INTERP_CODE_H
#define GJ_INTERP_CODE_H

#include "interp/interp.h"

typedef enum gj__code {
#define GJ_CODE(name, does) GJ__CODE_##name,
#include "interp/codes.def"
  GJ__CODE_COUNT
} gj__code;

// While translating: the rest is bytes per element, not a place yet.
#define GJ__REGISTER ((uint32_t)1 << 31)

enum {
  GJ__INDIRECT = 1,        // bit of a place: slots lie at multiples of 8
  GJ__MAX_FRAME = 1 << 24, // bytes of frames that call each other
  GJ__MAX_CODE = 1 << 16,  // instructions of a function
  GJ__MAX_CALLS = 32
};

typedef struct gj__insn {
  uint8_t code;  // gj__code
  uint8_t bytes; // of an element
  uint32_t d, a, b, c;
  union {
    gj_block *kernel;
    int64_t imm;
  };
} gj__insn;

typedef struct gj__preset { // a slot that holds a constant
  uint32_t at;
  uint64_t value;
} gj__preset;

typedef struct gj__ifunc {
  const gj__insn *code;
  uint32_t count;
  const gj__preset *presets;
  uint32_t preset_count;
  const uint32_t *lists; // places of the arguments of calls
  uint32_t list_count;
  uint32_t param_count;
  uint32_t frame; // bytes, a multiple of 64
  uint32_t stack; // bytes with the frames of all it may call
  uint32_t calls; // levels of them
} gj__ifunc;

struct gj_interp {
  gj_arena arena;
  gj__ifunc *funcs;
  uint32_t func_count, entry;
};

#endif
