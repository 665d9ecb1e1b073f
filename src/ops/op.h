// Ops as data: what the rows of ops.def say, readable at run time.
#ifndef GJ_OPS_OP_H
#define GJ_OPS_OP_H

#include "ops/dtype.h"

#define GJ_MAX_RANK 8
#define GJ_MAX_NAME 255 // bytes of a name of a graph, an input, an output or a custom function
#define GJ_MAX_LIST 64  // functions of a node

typedef enum gj_op {
  GJ_OP_none = 0,
#define GJ_OP(name, ...) GJ_OP_##name,
#include "ops/ops.def"
  GJ_OP_COUNT
} gj_op;

// What loop nest an op makes: everything that is not about one scalar is looked up by this, in the
// tables that kinds.def makes.
typedef enum gj_op_kind {
  GJ_OP_KIND_NONE = 0,
#define GJ_KIND(NAME, ...) GJ_OP_KIND_##NAME,
#include "ops/kinds.def"
  GJ_OP_KIND_COUNT
} gj_op_kind;

// What is true of all ops of a kind.
enum {
  GJ_TRAIT_MAPS = 1,       // an element of the result is made of one element of each operand
  GJ_TRAIT_COMPUTES = 2,   // where it is wanted, an element takes operations
  GJ_TRAIT_PICKS = 4,      // each element is one of operand 0
  GJ_TRAIT_ONCE = 8,       // every element of an operand is taken once, in whatever order
  GJ_TRAIT_CONTRACTS = 16, // elements of operands are taken many times each
  GJ_TRAIT_ADDRESSES = 32, // takes the addresses of its operands, which lie in memory
  GJ_TRAIT_CALLS = 64      // runs functions of the graph
};

// Which dtypes the operands may have.
typedef enum gj_op_accepts {
  GJ_ACCEPTS_ANY = 0,
  GJ_ACCEPTS_NUMERIC, // not bool
  GJ_ACCEPTS_FLOAT,
  GJ_ACCEPTS_REAL, // f64 and f32
  GJ_ACCEPTS_INTEGER,
  GJ_ACCEPTS_SIGNED, // signed integers and floats
  GJ_ACCEPTS_LOGIC   // bool and integers
} gj_op_accepts;

// Flags by number and as bits (GJ_OP_*), from flags.def.
typedef enum gj_op_flag {
#define GJ_FLAG(NAME, name) GJ_OP_FLAG_##NAME,
#include "ops/flags.def"
  GJ_OP_FLAG_COUNT
} gj_op_flag;
enum {
#define GJ_FLAG(NAME, name) GJ_OP_##NAME = 1 << GJ_OP_FLAG_##NAME,
#include "ops/flags.def"
};
_Static_assert(GJ_OP_FLAG_COUNT <= 16, "sets of flags are 16 bits wide");
const char *gj_op_flag_name(gj_op_flag flag);

// Attributes by number and as bits (GJ_HAS_*), from attrs.def.
typedef enum gj_attr {
#define GJ_ATTR(name, NAME, form) GJ_ATTR_##name,
#include "ops/attrs.def"
  GJ_ATTR_COUNT
} gj_attr;

typedef enum gj_attr_form {
  GJ_FORM_DTYPE,
  GJ_FORM_DIMS,
  GJ_FORM_INT,
  GJ_FORM_INTS,
  GJ_FORM_AXES,
  GJ_FORM_FUNCTIONS
} gj_attr_form;

enum {
#define GJ_ATTR(name, NAME, form) GJ_HAS_##NAME = 1 << GJ_ATTR_##name,
#include "ops/attrs.def"
};
_Static_assert(GJ_ATTR_COUNT <= 31, "sets of attributes are 32 bits wide, enumerators are ints");

typedef struct gj_attr_info {
  const char *name;
  uint8_t form; // gj_attr_form
} gj_attr_info;

const gj_attr_info *gj_attr_get(gj_attr attr);
// The most elements that a list of it may have.
size_t gj_attr_most(gj_attr attr);
// The attribute named by `length` bytes, or GJ_ATTR_COUNT.
gj_attr gj_attr_parse(const char *name, size_t length);

// The value a reduction starts from.
typedef enum gj_start {
  GJ_START_NONE = 0,
  GJ_START_ZERO,
  GJ_START_ONE,
  GJ_START_ONES,    // all bits one (true)
  GJ_START_LEAST,   // -inf, least integer, false
  GJ_START_GREATEST // +inf, greatest integer, true
} gj_start;

typedef struct gj_op_info {
  const char *name;
  const char *doc;
  int8_t arity;                     // -1: variable
  uint8_t kind;                     // gj_op_kind
  uint8_t accepts;                  // gj_op_accepts
  uint16_t flags;                   // GJ_OP_* bits
  uint32_t attrs;                   // GJ_HAS_* bits it must carry, and no others
  uint16_t combine;                 // reductions, running ones and scatters too: gj_op
  uint8_t start;                    // the same: gj_start
  uint8_t narrow_flops, wide_flops; // operations of an element of up to 4, of 8 bytes; 0 means 1
  uint8_t cycles;                   // of an element, where ops.def says so; else 0
} gj_op_info;

// Row of an op; `op` must be a valid code.
const gj_op_info *gj_op_get(gj_op op);
// Cycles of one element in the flavour of JavaScript (math/js/js.def); 0 where it has none.
unsigned gj_op_js_cycles(gj_op op);
static inline const char *gj_op_name(gj_op op) { return gj_op_get(op)->name; }
static inline bool gj_op_is_elementwise(gj_op op) {
  return gj_op_get(op)->kind == GJ_OP_KIND_ELEMENTWISE;
}
static inline gj_op_kind gj_op_kind_of(gj_op op) { return (gj_op_kind)gj_op_get(op)->kind; }
// "elementwise"
const char *gj_op_kind_name(gj_op_kind kind);
// Whether ops of its kind have this trait, a GJ_TRAIT_* bit.
bool gj_op_has(gj_op op, unsigned trait);
static inline bool gj_op_maps(gj_op op) { return gj_op_has(op, GJ_TRAIT_MAPS); }
// Whether operands may have this dtype (of select, those behind the condition).
bool gj_op_takes(gj_op op, gj_dtype dtype);
// The op named by `length` bytes, or GJ_OP_none.
gj_op gj_op_parse(const char *name, size_t length);

#endif
