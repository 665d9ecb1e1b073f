// Loads from records: an element of every second, third or fourth.
//
// The lanes are picked by shuffles from contiguous vectors, the last of which ends with the last
// element that may be touched. Loads of other elements of the same records load the same vectors,
// and LLVM leaves one of each. A masked load touches the records of its lanes only: the mask of
// each vector is made from that of the lanes.
#include "codegen/context.h"

typedef struct pieces {
  gj__cg *cg;
  gj_dtype dtype;
  unsigned lanes;
  gj_lrecord record;
  LLVMValueRef address, lanes_mask;
} pieces;

static LLVMValueRef number(const pieces *p, unsigned n) {
  return LLVMConstInt(p->cg->i32, n, false);
}

// Where vector `k` begins, in elements.
static unsigned start_of(const pieces *p, unsigned k) {
  unsigned last = (p->lanes - 1) * p->record.stride + p->record.used - p->lanes;
  return k * p->lanes < last ? k * p->lanes : last;
}

// Which elements from `start` on may be touched: the used ones of records whose lane is on.
static LLVMValueRef mask_from(const pieces *p, unsigned start) {
  LLVMValueRef pick[GJ_MAX_LANES];
  for (unsigned i = 0; i < p->lanes; i++) {
    unsigned lane = (start + i) / p->record.stride, at = (start + i) % p->record.stride;
    pick[i] = number(p, at < p->record.used ? lane : p->lanes); // the latter is always off
  }
  return LLVMBuildShuffleVector(p->cg->builder, p->lanes_mask,
                                LLVMConstNull(LLVMTypeOf(p->lanes_mask)),
                                LLVMConstVector(pick, p->lanes), "");
}

static LLVMValueRef vector_from(const pieces *p, unsigned start) {
  gj__cg *cg = p->cg;
  LLVMTypeRef type = gj__cg_memory_type(cg, p->dtype, p->lanes);
  LLVMValueRef at = LLVMConstInt(cg->i64, start, false);
  LLVMValueRef from =
      LLVMBuildGEPWithNoWrapFlags(cg->builder, gj__cg_memory_type(cg, p->dtype, 1), p->address, &at,
                                  1, "", p->lanes_mask ? 0 : LLVMGEPFlagInBounds);
  if (p->lanes_mask)
    return gj__cg_masked_load(cg, p->dtype, type, from, mask_from(p, start));
  LLVMValueRef load = LLVMBuildLoad2(cg->builder, type, from, "");
  LLVMSetAlignment(load, (unsigned)gj_dtype_bytes(p->dtype));
  return load;
}

LLVMValueRef gj__cg_load_records(gj__cg *cg, const gj_lexpr *load, LLVMValueRef address,
                                 LLVMValueRef mask) {
  pieces p = {.cg = cg,
              .dtype = (gj_dtype)load->type.dtype,
              .lanes = load->type.lanes,
              .record = gj_lrecord_of(load),
              .address = address,
              .lanes_mask = mask};
  LLVMValueRef joined = LLVMGetPoison(gj__cg_memory_type(cg, p.dtype, p.lanes));
  LLVMValueRef pick[GJ_MAX_LANES];
  unsigned lane = 0;
  for (unsigned k = 0; lane < p.lanes; k++) {
    unsigned start = start_of(&p, k);
    for (unsigned i = 0; i < p.lanes; i++)
      pick[i] = i < lane ? number(&p, i) : LLVMGetPoison(cg->i32);
    for (unsigned at; lane < p.lanes; lane++) {
      at = lane * p.record.stride + p.record.at;
      if (at >= start + p.lanes)
        break;
      pick[lane] = number(&p, p.lanes + at - start);
    }
    joined = LLVMBuildShuffleVector(cg->builder, joined, vector_from(&p, start),
                                    LLVMConstVector(pick, p.lanes), "");
  }
  return joined;
}
