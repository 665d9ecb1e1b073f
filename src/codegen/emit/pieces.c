// Small arrays on the stack that live in vector registers.
//
// LLVM takes an array apart only where accesses do not overlap in part, as those of a running sum
// do: x[i - 1] and x[i] of eight neighbours share seven. So an array all accesses of which have
// constant places, and all stores whole vectors of one width, becomes a slot per vector, which
// mem2reg then dissolves; a load that begins inside of a vector is a shuffle of two. Left out:
// arrays accessed under masks, arrays of bool, and larger ones, which registers would not hold.
#include "codegen/context.h"

enum { MOST_BYTES = 512 };

// What is known of the array that a local is.
typedef struct accesses {
  int64_t count;           // elements; 0: no such array
  unsigned stored, loaded; // lanes of all stores, most lanes of a load
} accesses;

static accesses *of_pointer(accesses *all, const gj_lexpr *pointer) {
  return pointer->kind == GJ_LX_LOCAL && all[pointer->index].count ? &all[pointer->index] : NULL;
}

// Whether elements at `index` are inside of the array, and where.
static bool is_inside(const accesses *a, const gj_lexpr *index, unsigned lanes, int64_t *out_at) {
  return index->type.lanes == 1 && gj__cg_constant_int(index, out_at) && *out_at >= 0 &&
         *out_at <= a->count - (int64_t)lanes;
}

static void see_expr(accesses *all, const gj_lexpr *e) {
  if (!e)
    return;
  accesses *a = e->kind == GJ_LX_LOCAL ? of_pointer(all, e) : NULL;
  if (a)
    a->count = 0; // somebody has its address
  uint32_t first = 0;
  a = e->kind == GJ_LX_LOAD ? of_pointer(all, e->args[0]) : NULL;
  int64_t at;
  if (a && e->arg_count == 2 && e->index == 0 && is_inside(a, e->args[1], e->type.lanes, &at)) {
    a->loaded = e->type.lanes > a->loaded ? e->type.lanes : a->loaded;
    first = 1;
  }
  for (uint32_t i = first; i < e->arg_count; i++)
    see_expr(all, e->args[i]);
}

static void see_store(accesses *all, const gj_lstmt *s) {
  accesses *a = of_pointer(all, s->a);
  unsigned lanes = s->c->type.lanes;
  int64_t at;
  bool plain = a && !s->d && s->marks == 0 && lanes > 1 && is_inside(a, s->b, lanes, &at) &&
               at % lanes == 0 && (a->stored == 0 || a->stored == lanes);
  if (plain)
    a->stored = lanes;
  else
    see_expr(all, s->a);
  see_expr(all, s->b);
  see_expr(all, s->c);
  see_expr(all, s->d);
}

static void see_block(accesses *all, const gj_lblock *block) {
  for (uint32_t i = 0; i < block->count; i++) {
    const gj_lstmt *s = block->stmts[i];
    if (s->kind == GJ_LS_STORE) {
      see_store(all, s);
      continue;
    }
    const gj_lexpr *const parts[4] = {s->a, s->b, s->c, s->d};
    for (int k = 0; k < 4; k++)
      see_expr(all, parts[k]);
    see_block(all, &s->body);
    see_block(all, &s->orelse);
  }
}

// Notes the arrays that are small enough; returns how many there are.
static uint32_t find_arrays(gj__cg *cg, accesses *all, const gj_lblock *block) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < block->count; i++) {
    const gj_lstmt *s = block->stmts[i];
    gj_dtype dtype = s->kind == GJ_LS_ARRAY ? cg->func->locals[s->local].type.dtype : GJ_DTYPE_bool;
    if (dtype != GJ_DTYPE_bool && s->count <= MOST_BYTES / (int64_t)gj_dtype_bytes(dtype)) {
      all[s->local].count = s->count;
      found++;
    }
    found += find_arrays(cg, all, &s->body) + find_arrays(cg, all, &s->orelse);
  }
  return found;
}

static LLVMTypeRef piece_type(gj__cg *cg, uint32_t local) {
  gj_dtype dtype = cg->func->locals[local].type.dtype;
  return gj__cg_memory_type(cg, dtype, cg->locals[local].piece_lanes);
}

static void make_pieces(gj__cg *cg, uint32_t local, const accesses *a) {
  gj__local *own = &cg->locals[local];
  size_t count = (size_t)a->count / a->stored;
  own->pieces = gj_arena_array(&cg->arena, count, sizeof *own->pieces);
  if (!own->pieces) {
    gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at the arrays of %s", cg->func->name);
    return;
  }
  own->piece_lanes = a->stored;
  for (size_t i = 0; i < count; i++)
    own->pieces[i] = gj__cg_slot(cg, piece_type(cg, local), cg->func->locals[local].name, 0);
}

void gj__cg_find_pieces(gj__cg *cg) {
  const gj_lfunc *func = cg->func;
  accesses *all = gj_arena_array(&cg->arena, func->local_count, sizeof *all);
  if (!all) {
    gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at the arrays of %s", func->name);
    return;
  }
  if (find_arrays(cg, all, &func->body) == 0)
    return;
  see_block(all, &func->body);
  for (uint32_t i = 0; i < func->local_count; i++)
    if (all[i].count && all[i].stored && all[i].loaded <= all[i].stored &&
        all[i].count % all[i].stored == 0)
      make_pieces(cg, i, &all[i]);
}

static gj__local *pieces_of(gj__cg *cg, const gj_lexpr *pointer) {
  bool is = pointer->kind == GJ_LX_LOCAL && cg->locals[pointer->index].pieces;
  return is ? &cg->locals[pointer->index] : NULL;
}

bool gj__cg_store_piece(gj__cg *cg, const gj_lstmt *s, LLVMValueRef value) {
  gj__local *own = pieces_of(cg, s->a);
  int64_t at;
  if (!own || !gj__cg_constant_int(s->b, &at))
    return false;
  LLVMBuildStore(cg->builder, value, own->pieces[at / own->piece_lanes]);
  return true;
}

LLVMValueRef gj__cg_load_piece(gj__cg *cg, const gj_lexpr *e) {
  gj__local *own = pieces_of(cg, e->args[0]);
  int64_t at;
  if (!own || !gj__cg_constant_int(e->args[1], &at))
    return NULL;
  LLVMTypeRef type = piece_type(cg, e->args[0]->index);
  unsigned lanes = e->type.lanes, whole = own->piece_lanes, first = (unsigned)(at % whole);
  LLVMValueRef *piece = &own->pieces[at / whole], mask[GJ_MAX_LANES];
  LLVMValueRef low = LLVMBuildLoad2(cg->builder, type, piece[0], "");
  if (lanes == 1)
    return LLVMBuildExtractElement(cg->builder, low, LLVMConstInt(cg->i32, first, false), "");
  if (lanes == whole && first == 0)
    return low;
  bool spans = first + lanes > whole;
  LLVMValueRef high = spans ? LLVMBuildLoad2(cg->builder, type, piece[1], "") : LLVMGetPoison(type);
  for (unsigned i = 0; i < lanes; i++)
    mask[i] = LLVMConstInt(cg->i32, first + i, false);
  return LLVMBuildShuffleVector(cg->builder, low, high, LLVMConstVector(mask, lanes), "");
}
