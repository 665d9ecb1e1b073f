// Tiles: a square of memory read in rows and written in columns.
//
// Each column of the square that is written was contiguous where it comes from, so it is loaded as
// a vector, and log2 of their number rounds of shuffles turn the vectors. The first rounds zip two
// vectors within 16 bytes, which every instruction set has an instruction for; the others collect
// every second of those 16 bytes from two vectors.
#include "codegen/context.h"

typedef struct square {
  gj__cg *cg;
  unsigned side;  // vectors, and lanes of each
  unsigned block; // lanes of 16 bytes, or all
  LLVMValueRef rows[GJ_MAX_TILE];
} square;

static LLVMValueRef shuffle(const square *q, LLVMValueRef a, LLVMValueRef b, const unsigned *pick) {
  LLVMValueRef lanes[GJ_MAX_TILE];
  for (unsigned i = 0; i < q->side; i++)
    lanes[i] = LLVMConstInt(q->cg->i32, pick[i], false);
  return LLVMBuildShuffleVector(q->cg->builder, a, b, LLVMConstVector(lanes, q->side), "");
}

// Lanes of the lower (high 0) or upper halves of each block, of a and b in turn.
static LLVMValueRef zip(const square *q, LLVMValueRef a, LLVMValueRef b, unsigned high) {
  unsigned pick[GJ_MAX_TILE];
  for (unsigned i = 0; i < q->side; i++) {
    unsigned block = i / q->block * q->block, at = i % q->block;
    pick[i] = block + high * q->block / 2 + at / 2 + (at % 2) * q->side;
  }
  return shuffle(q, a, b, pick);
}

// Blocks 0, 2, 4 … (odd 0) or 1, 3, 5 … of those of a and b in a row.
static LLVMValueRef collect(const square *q, LLVMValueRef a, LLVMValueRef b, unsigned odd) {
  unsigned pick[GJ_MAX_TILE];
  for (unsigned i = 0; i < q->side; i++)
    pick[i] = (i / q->block * 2 + odd) * q->block + i % q->block;
  return shuffle(q, a, b, pick);
}

// Turns each group of `block` vectors within their blocks: vector j of a group then holds, in its
// block k, element k · block + j of each vector of the group.
static void turn_groups(square *q) {
  LLVMValueRef made[GJ_MAX_TILE];
  for (unsigned round = 1; round < q->block; round *= 2) {
    for (unsigned i = 0; i < q->side; i += 2) {
      unsigned group = i / q->block * q->block, at = group + i % q->block / 2;
      made[i] = zip(q, q->rows[at], q->rows[at + q->block / 2], 0);
      made[i + 1] = zip(q, q->rows[at], q->rows[at + q->block / 2], 1);
    }
    for (unsigned i = 0; i < q->side; i++)
      q->rows[i] = made[i];
  }
}

// Turns blocks among groups: vectors j of all groups become those of elements j, block + j …
static void turn_blocks(square *q) {
  unsigned groups = q->side / q->block;
  LLVMValueRef made[GJ_MAX_TILE];
  for (unsigned round = 1; round < groups; round *= 2) {
    for (unsigned g = 0; g < groups / 2; g++) {
      for (unsigned j = 0; j < q->block; j++) {
        LLVMValueRef a = q->rows[2 * g * q->block + j], b = q->rows[(2 * g + 1) * q->block + j];
        made[g * q->block + j] = collect(q, a, b, 0);
        made[(g + groups / 2) * q->block + j] = collect(q, a, b, 1);
      }
    }
    for (unsigned i = 0; i < q->side; i++)
      q->rows[i] = made[i];
  }
}

static LLVMValueRef row_address(gj__cg *cg, gj_dtype dtype, LLVMValueRef base, LLVMValueRef at) {
  return LLVMBuildGEPWithNoWrapFlags(cg->builder, gj__cg_memory_type(cg, dtype, 1), base, &at, 1,
                                     "", LLVMGEPFlagInBounds);
}

void gj__cg_tile(gj__cg *cg, const gj_lstmt *s) {
  gj_dtype dtype = (gj_dtype)s->b->type.dtype;
  unsigned bytes = (unsigned)gj_dtype_bytes(dtype), side = (unsigned)s->count;
  square q = {.cg = cg, .side = side, .block = 16 / bytes < side ? 16 / bytes : side};
  LLVMTypeRef type = gj__cg_memory_type(cg, dtype, side);
  LLVMValueRef from = gj__cg_expr(cg, s->b), index = gj__cg_expr(cg, s->c);
  LLVMValueRef stride = gj__cg_expr(cg, s->d), to = gj__cg_expr(cg, s->a);
  for (unsigned i = 0; i < side; i++) {
    q.rows[i] = LLVMBuildLoad2(cg->builder, type, row_address(cg, dtype, from, index), "");
    LLVMSetAlignment(q.rows[i], bytes);
    index = LLVMBuildAdd(cg->builder, index, stride, "");
  }
  turn_groups(&q);
  turn_blocks(&q);
  for (unsigned i = 0; i < side; i++) {
    LLVMValueRef at = LLVMConstInt(cg->i64, (uint64_t)i * side, false);
    LLVMValueRef store = LLVMBuildStore(cg->builder, q.rows[i], row_address(cg, dtype, to, at));
    LLVMSetAlignment(store, bytes);
  }
}
