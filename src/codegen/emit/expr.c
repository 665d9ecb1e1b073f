// Loop IR → LLVM IR: types, constants, memory and the expressions that are not operators.
//
// bool is i1 in registers and one byte in memory; a load tests the byte against 0, so even a
// foreign byte such as 2 becomes a proper true. Halves are i16 in both. Vector accesses promise no
// more than the alignment of an element, since a typed array may start anywhere. Address arithmetic
// inside a load or store is `inbounds`; offset() alone is not, because its result may point behind
// the end.
#include "codegen/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- types and constants ---

LLVMTypeRef gj__with_lanes(LLVMTypeRef element, unsigned lanes) {
  return lanes > 1 ? LLVMVectorType(element, lanes) : element;
}

static LLVMTypeRef integer_type(gj__cg *cg, unsigned bits) {
  return LLVMIntTypeInContext(cg->context, bits);
}

LLVMTypeRef gj__cg_memory_type(gj__cg *cg, gj_dtype dtype, unsigned lanes) {
  LLVMTypeRef element = dtype == GJ_DTYPE_f64   ? cg->f64
                        : dtype == GJ_DTYPE_f32 ? cg->f32
                                                : integer_type(cg, gj_dtype_get(dtype)->bits);
  return gj__with_lanes(element, lanes);
}

LLVMTypeRef gj__cg_register_type(gj__cg *cg, gj_dtype dtype, unsigned lanes) {
  if (dtype == GJ_DTYPE_bool)
    return gj__with_lanes(cg->i1, lanes);
  return gj__cg_memory_type(cg, dtype, lanes);
}

LLVMTypeRef gj__cg_type(gj__cg *cg, gj_ltype type) {
  return type.pointer ? cg->ptr : gj__cg_register_type(cg, type.dtype, type.lanes);
}

LLVMValueRef gj__const_splat(LLVMValueRef scalar, unsigned lanes) {
  LLVMValueRef lane[GJ_MAX_LANES];
  if (lanes == 1)
    return scalar;
  for (unsigned i = 0; i < lanes; i++)
    lane[i] = scalar;
  return LLVMConstVector(lane, lanes);
}

LLVMValueRef gj__cg_const(gj__cg *cg, gj_scalar value, unsigned lanes) {
  LLVMTypeRef type = gj__cg_register_type(cg, value.dtype, 1);
  uint64_t bits = 0;
  gj_scalar_store(value, &bits); // the bits that memory would hold, on little-endian hosts
  bool is_float = gj_dtype_is_float(value.dtype) && !gj_dtype_is_half(value.dtype);
  LLVMValueRef scalar =
      is_float ? LLVMConstFPFromBits(type, &bits) : LLVMConstInt(type, bits, false);
  return gj__const_splat(scalar, lanes);
}

LLVMValueRef gj__cg_number(gj__cg *cg, gj_dtype dtype, unsigned lanes, int64_t number) {
  if (gj_dtype_is_half(dtype))
    return gj__cg_const(cg, (gj_scalar){dtype, {.f = (double)number}}, lanes);
  LLVMTypeRef type = gj__cg_register_type(cg, dtype, 1);
  LLVMValueRef scalar = gj_dtype_is_float(dtype)
                            ? LLVMConstReal(type, (double)number)
                            : LLVMConstInt(type, (unsigned long long)number, true);
  return gj__const_splat(scalar, lanes);
}

LLVMValueRef gj__cg_splat(gj__cg *cg, LLVMValueRef scalar, unsigned lanes) {
  if (lanes == 1)
    return scalar;
  if (LLVMIsAConstantInt(scalar) || LLVMIsAConstantFP(scalar))
    return gj__const_splat(scalar, lanes);
  LLVMTypeRef vector = LLVMVectorType(LLVMTypeOf(scalar), lanes);
  LLVMValueRef none = LLVMGetPoison(vector), first = LLVMConstNull(cg->i32);
  LLVMValueRef one = LLVMBuildInsertElement(cg->builder, none, scalar, first, "");
  return LLVMBuildShuffleVector(cg->builder, one, none,
                                LLVMConstNull(LLVMVectorType(cg->i32, lanes)), "");
}

// --- intrinsics ---

LLVMValueRef gj__cg_intrinsic(gj__cg *cg, const char *name, LLVMTypeRef *types, unsigned type_count,
                              LLVMValueRef *args, unsigned arg_count) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(cg->module, id, types, type_count);
  LLVMTypeRef type = LLVMGlobalGetValueType(f);
  return LLVMBuildCall2(cg->builder, type, f, args, arg_count, "");
}

LLVMValueRef gj__cg_intrinsic1(gj__cg *cg, const char *name, LLVMValueRef a, LLVMValueRef b,
                               LLVMValueRef c) {
  LLVMTypeRef type = LLVMTypeOf(a);
  LLVMValueRef args[3] = {a, b, c};
  return gj__cg_intrinsic(cg, name, &type, 1, args, c ? 3 : b ? 2 : 1);
}

LLVMValueRef gj__cg_any(gj__cg *cg, LLVMValueRef mask) {
  if (LLVMGetTypeKind(LLVMTypeOf(mask)) != LLVMVectorTypeKind)
    return mask;
  return gj__cg_intrinsic1(cg, "llvm.vector.reduce.or", mask, NULL, NULL);
}

LLVMValueRef gj__cg_gather(gj__cg *cg, LLVMTypeRef type, LLVMValueRef pointers, unsigned align) {
  LLVMTypeRef types[2] = {type, LLVMTypeOf(pointers)};
  LLVMValueRef all = LLVMConstAllOnes(LLVMVectorType(cg->i1, LLVMGetVectorSize(type)));
  LLVMValueRef args[3] = {pointers, all, LLVMGetPoison(type)};
  LLVMValueRef call = gj__cg_intrinsic(cg, "llvm.masked.gather", types, 2, args, 3);
  LLVMSetInstrParamAlignment(call, 1, align);
  return call;
}

// --- memo of shared expressions ---

void gj__memo_clear(gj__memo *memo) {
  memo->round++;
  memo->count = 0;
}

void gj__memo_fini(gj__memo *memo) { free(memo->entries); }

static gj__memo_entry *memo_find(gj__memo *memo, const void *key) {
  size_t at = (size_t)(((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 32) & (memo->capacity - 1);
  while (memo->entries[at].round == memo->round && memo->entries[at].key != key)
    at = (at + 1) & (memo->capacity - 1);
  return &memo->entries[at];
}

static bool memo_grow(gj__memo *memo) {
  gj__memo old = *memo;
  memo->capacity = old.capacity ? old.capacity * 2 : 256;
  memo->entries = calloc(memo->capacity, sizeof *memo->entries);
  if (!memo->entries) {
    *memo = old;
    return false;
  }
  memo->round = old.round ? old.round : 1;
  for (size_t i = 0; i < old.capacity; i++)
    if (old.entries[i].round == old.round)
      *memo_find(memo, old.entries[i].key) = old.entries[i];
  free(old.entries);
  return true;
}

LLVMValueRef gj__memo_get(gj__memo *memo, const void *key) {
  if (!memo->capacity)
    return NULL;
  gj__memo_entry *entry = memo_find(memo, key);
  return entry->round == memo->round ? entry->value : NULL;
}

void gj__memo_put(gj__cg *cg, gj__memo *memo, const void *key, LLVMValueRef value) {
  if (memo->count * 2 >= memo->capacity && !memo_grow(memo)) {
    gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at %zu values", memo->count);
    return;
  }
  gj__memo_entry *entry = memo_find(memo, key);
  memo->count += entry->round != memo->round;
  *entry = (gj__memo_entry){key, value, memo->round};
}

// --- memory ---

LLVMValueRef gj__cg_address(gj__cg *cg, gj_dtype dtype, const gj_lexpr *pointer,
                            const gj_lexpr *index, unsigned flags) {
  LLVMValueRef base = gj__cg_expr(cg, pointer), at = gj__cg_expr(cg, index);
  return LLVMBuildGEPWithNoWrapFlags(cg->builder, gj__cg_memory_type(cg, dtype, 1), base, &at, 1,
                                     "", flags);
}

LLVMValueRef gj__cg_invariant_load(gj__cg *cg, LLVMTypeRef type, LLVMValueRef address,
                                   unsigned align) {
  LLVMValueRef load = LLVMBuildLoad2(cg->builder, type, address, "");
  unsigned kind = LLVMGetMDKindIDInContext(cg->context, "invariant.load", 14);
  LLVMMetadataRef empty = LLVMMDNodeInContext2(cg->context, NULL, 0);
  LLVMSetMetadata(load, kind, LLVMMetadataAsValue(cg->context, empty));
  if (align)
    LLVMSetAlignment(load, align);
  return load;
}

static LLVMValueRef entry_address(gj__cg *cg, LLVMTypeRef type, unsigned param, uint64_t index) {
  LLVMValueRef at = LLVMConstInt(cg->i64, index, false);
  return LLVMBuildGEPWithNoWrapFlags(cg->builder, type, LLVMGetParam(cg->function, param), &at, 1,
                                     "", LLVMGEPFlagInBounds | LLVMGEPFlagNUW);
}

static LLVMValueRef entry_buffer(gj__cg *cg, uint64_t index) {
  return gj__cg_invariant_load(cg, cg->ptr, entry_address(cg, cg->ptr, 0, index), 0);
}

static LLVMValueRef entry_dim(gj__cg *cg, uint64_t index) {
  LLVMValueRef address = entry_address(cg, cg->i64, 1, index);
  return cg->sets_dims ? LLVMBuildLoad2(cg->builder, cg->i64, address, "")
                       : gj__cg_invariant_load(cg, cg->i64, address, 0);
}

void gj__cg_set_dim(gj__cg *cg, uint64_t index, LLVMValueRef value) {
  gj__memo_clear(&cg->memo);
  LLVMBuildStore(cg->builder, value, entry_address(cg, cg->i64, 1, index));
}

static LLVMValueRef emit_load(gj__cg *cg, const gj_lexpr *e) {
  gj_dtype dtype = e->type.dtype;
  LLVMTypeRef type = gj__cg_memory_type(cg, dtype, e->type.lanes);
  LLVMValueRef piece = gj__cg_load_piece(cg, e);
  if (piece)
    return piece;
  // A masked access may begin outside of what it is masked to.
  LLVMValueRef mask = e->arg_count == 3 ? gj__cg_expr(cg, e->args[2]) : NULL;
  LLVMValueRef address =
      gj__cg_address(cg, dtype, e->args[0], e->args[1], mask ? 0 : LLVMGEPFlagInBounds);
  unsigned align = (unsigned)gj_dtype_bytes(dtype);
  LLVMValueRef load;
  if (e->index) {
    load = gj__cg_load_records(cg, e, address, mask);
  } else if (mask) {
    load = gj__cg_masked_load(cg, dtype, type, address, mask);
  } else if (e->args[1]->type.lanes > 1) {
    load = gj__cg_gather(cg, type, address, align);
  } else {
    load = LLVMBuildLoad2(cg->builder, type, address, "");
    LLVMSetAlignment(load, align);
  }
  if (dtype == GJ_DTYPE_bool)
    load = LLVMBuildICmp(cg->builder, LLVMIntNE, load, LLVMConstNull(type), "");
  return load;
}

// Through a pointer, or a vector of them.
LLVMValueRef gj__cg_masked_load(gj__cg *cg, gj_dtype dtype, LLVMTypeRef type, LLVMValueRef address,
                                LLVMValueRef mask) {
  bool gather = LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMVectorTypeKind;
  LLVMTypeRef types[2] = {type, LLVMTypeOf(address)};
  LLVMValueRef ones = dtype == GJ_DTYPE_bool
                          ? gj__const_splat(LLVMConstInt(cg->i8, 1, false), LLVMGetVectorSize(type))
                          : gj__cg_number(cg, dtype, LLVMGetVectorSize(type), 1);
  LLVMValueRef args[3] = {address, mask, ones};
  const char *name = gather ? "llvm.masked.gather" : "llvm.masked.load";
  LLVMValueRef call = gj__cg_intrinsic(cg, name, types, 2, args, 3);
  LLVMSetInstrParamAlignment(call, 1, (unsigned)gj_dtype_bytes(dtype));
  return call;
}

void gj__cg_masked_store(gj__cg *cg, gj_dtype dtype, LLVMValueRef value, LLVMValueRef address,
                         LLVMValueRef mask) {
  LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(address)};
  LLVMValueRef args[3] = {value, address, mask};
  LLVMValueRef call = gj__cg_intrinsic(cg, "llvm.masked.store", types, 2, args, 3);
  LLVMSetInstrParamAlignment(call, 2, (unsigned)gj_dtype_bytes(dtype));
}

void gj__cg_region(gj__cg *cg) {
  LLVMTypeRef type = LLVMArrayType2(cg->i8, cg->options->weights.size);
  cg->weights = LLVMAddGlobal(cg->module, type, GJ_REGION_SYMBOL);
  LLVMSetInitializer(cg->weights, LLVMConstNull(type));
  LLVMSetExternallyInitialized(cg->weights, true);
  LLVMSetAlignment(cg->weights, 64);
}

// Data of this process. Two items may be one constant, with elements of several dtypes.
static LLVMValueRef emit_constant(gj__cg *cg, const gj_ldata *data, uint32_t number) {
  char name[sizeof GJ_CONSTANT_PREFIX + 10];
  snprintf(name, sizeof name, GJ_CONSTANT_PREFIX "%u", (unsigned)number);
  unsigned width = (unsigned)gj_dtype_bytes(data->dtype);
  LLVMValueRef global = LLVMGetNamedGlobal(cg->module, name);
  if (!global) {
    global = LLVMAddGlobal(cg->module, LLVMArrayType2(cg->i8, data->count * width), name);
    LLVMSetGlobalConstant(global, true);
  }
  if (LLVMGetAlignment(global) < width) // elements are aligned, and nothing more is
    LLVMSetAlignment(global, width);
  return global;
}

static LLVMValueRef emit_data(gj__cg *cg, uint32_t index) {
  const gj_ldata *data = &cg->lm->data[index];
  if (cg->options->constants && cg->options->constants[index])
    return emit_constant(cg, data, cg->options->constants[index] - 1);
  const gj_region *outside = &cg->options->weights;
  if (outside->size && outside->offsets[index] != GJ_REGION_OUTSIDE) {
    LLVMValueRef at = LLVMConstInt(cg->i64, outside->offsets[index], false);
    return LLVMConstInBoundsGEP2(cg->i8, cg->weights, &at, 1);
  }
  if (cg->data[index])
    return cg->data[index];
  LLVMTypeRef element = gj__cg_memory_type(cg, data->dtype, 1);
  size_t size = data->count * gj_dtype_bytes(data->dtype), most = cg->options->most_data;
  LLVMValueRef global = LLVMAddGlobal(cg->module, LLVMArrayType2(element, data->count), "data");
  LLVMSetGlobalConstant(global, true);
  LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
  if (most && size > most) {
    LLVMSetVisibility(global, LLVMHiddenVisibility); // addressed as if it were here
  } else {
    LLVMSetInitializer(global, LLVMConstDataArray(element, data->bytes, size));
    LLVMSetLinkage(global, LLVMPrivateLinkage);
  }
  LLVMSetAlignment(global, 64);
  cg->data[index] = global;
  return global;
}

// The flag pointer may be NULL; then a zero that is always there is read in its place, without a
// branch.
static LLVMValueRef emit_cancelled(gj__cg *cg) {
  if (!cg->zero) {
    cg->zero = LLVMAddGlobal(cg->module, cg->i32, "never");
    LLVMSetInitializer(cg->zero, LLVMConstNull(cg->i32));
    LLVMSetGlobalConstant(cg->zero, true);
    LLVMSetLinkage(cg->zero, LLVMPrivateLinkage);
  }
  LLVMValueRef flag = gj__cg_exec_field(cg, cg->ptr, 1);
  LLVMValueRef absent = LLVMBuildIsNull(cg->builder, flag, "");
  flag = LLVMBuildSelect(cg->builder, absent, cg->zero, flag, "");
  LLVMValueRef value = LLVMBuildLoad2(cg->builder, cg->i32, flag, "");
  LLVMSetVolatile(value, true);
  return LLVMBuildICmp(cg->builder, LLVMIntNE, value, LLVMConstNull(cg->i32), "cancelled");
}

// Functions of so many statements are entries that run many kernels. There LLVM would keep each
// address that is named twice in a place on the stack from its first call to its last, which takes
// it a time that grows faster than their number. So it must not know that the arena stays the same.
enum { MANY_STATEMENTS = 64 };

static LLVMValueRef emit_arena(gj__cg *cg) {
  LLVMValueRef arena = gj__memo_get(&cg->memo, cg->exec); // once for each statement
  if (!arena) {
    arena = gj__cg_exec_field(cg, cg->ptr, 0);
    LLVMSetVolatile(arena, cg->func->body.count > MANY_STATEMENTS);
    gj__memo_put(cg, &cg->memo, cg->exec, arena);
  }
  return arena;
}

static LLVMValueRef emit_scratch(gj__cg *cg, const gj_lexpr *e) {
  LLVMValueRef offset = gj__cg_expr(cg, e->args[0]);
  return LLVMBuildGEPWithNoWrapFlags(cg->builder, cg->i8, emit_arena(cg), &offset, 1, "scratch",
                                     LLVMGEPFlagInBounds | LLVMGEPFlagNUW);
}

// --- the rest ---

static LLVMValueRef emit_lane_numbers(gj__cg *cg, unsigned lanes) {
  LLVMValueRef lane[GJ_MAX_LANES];
  for (unsigned i = 0; i < lanes; i++)
    lane[i] = LLVMConstInt(cg->i64, i, false);
  return lanes > 1 ? LLVMConstVector(lane, lanes) : lane[0];
}

// Lanes below a count: their numbers are compared with it, in elements as wide as fill a vector.
// Bits shifted into place would be shorter, but LLVM 22 forgets to clear what is above them when it
// widens the mask of eight bytes to sixteen.
static LLVMValueRef emit_first(gj__cg *cg, const gj_lexpr *e) {
  LLVMBuilderRef b = cg->builder;
  unsigned lanes = e->type.lanes, bits = cg->target->vector_bytes * 8 / lanes;
  if (e->args[0]->kind == GJ_LX_CONST) { // without a doubt, see single_lane.c
    LLVMValueRef known[GJ_MAX_LANES];
    LLVMTypeRef i1 = integer_type(cg, 1);
    for (unsigned i = 0; i < lanes; i++)
      known[i] = LLVMConstInt(i1, (int64_t)i < e->args[0]->value.v.i, false);
    return LLVMConstVector(known, lanes);
  }
  LLVMTypeRef element = integer_type(cg, bits < 8 ? 8 : bits > 64 ? 64 : bits);
  LLVMValueRef count = gj__cg_expr(cg, e->args[0]), lane[GJ_MAX_LANES];
  count = gj__cg_intrinsic1(cg, "llvm.smin", count, LLVMConstInt(cg->i64, lanes, false), NULL);
  count = gj__cg_intrinsic1(cg, "llvm.smax", count, LLVMConstInt(cg->i64, 0, false), NULL);
  for (unsigned i = 0; i < lanes; i++)
    lane[i] = LLVMConstInt(element, i, false);
  count = gj__cg_splat(cg, LLVMBuildTruncOrBitCast(b, count, element, ""), lanes);
  return LLVMBuildICmp(b, LLVMIntULT, LLVMConstVector(lane, lanes), count, "");
}

static LLVMValueRef emit_ahead(gj__cg *cg, const gj_lexpr *e) {
  LLVMBuilderRef b = cg->builder;
  unsigned element = (unsigned)gj_dtype_bytes((gj_dtype)e->args[0]->type.dtype);
  LLVMValueRef address = LLVMBuildPtrToInt(b, gj__cg_expr(cg, e->args[0]), cg->i64, "");
  LLVMValueRef mask = LLVMConstInt(cg->i64, e->index - 1, false);
  LLVMValueRef bytes = LLVMBuildAnd(b, LLVMBuildNeg(b, address, ""), mask, "");
  return LLVMBuildUDiv(b, bytes, LLVMConstInt(cg->i64, element, false), "");
}

static LLVMValueRef emit_reverse(gj__cg *cg, const gj_lexpr *e) {
  LLVMValueRef mask[GJ_MAX_LANES], value = gj__cg_expr(cg, e->args[0]);
  unsigned lanes = e->type.lanes;
  if (lanes == 1)
    return value;
  for (unsigned i = 0; i < lanes; i++)
    mask[i] = LLVMConstInt(cg->i32, lanes - 1 - i, false);
  return LLVMBuildShuffleVector(cg->builder, value, LLVMGetPoison(LLVMTypeOf(value)),
                                LLVMConstVector(mask, lanes), "");
}

static LLVMValueRef emit_local(gj__cg *cg, const gj_lexpr *e) {
  gj__local *local = &cg->locals[e->index];
  if (!local->slot)
    return local->value;
  return LLVMBuildLoad2(cg->builder, gj__cg_type(cg, e->type), local->value, "");
}

static LLVMValueRef emit_op(gj__cg *cg, const gj_lexpr *e) {
  LLVMValueRef args[4] = {0}, extreme = gj__cg_extreme(cg, e);
  if (extreme)
    return extreme;
  for (uint32_t i = 0; i < e->arg_count && i < 4; i++)
    args[i] = gj__cg_expr(cg, e->args[i]);
  return gj__cg_op(cg, e, args);
}

static LLVMValueRef emit_pointer(gj__cg *cg, const gj_lexpr *e) {
  LLVMValueRef address = gj__cg_expr(cg, e->args[0]);
  if (cg->target->pointer_bytes < 8)
    address = LLVMBuildTrunc(cg->builder, address, cg->i32, "");
  return LLVMBuildIntToPtr(cg->builder, address, cg->ptr, "");
}

static LLVMValueRef emit_expr(gj__cg *cg, const gj_lexpr *e) {
  switch ((gj_lexpr_kind)e->kind) {
  case GJ_LX_CONST:
    return gj__cg_const(cg, e->value, e->type.lanes);
  case GJ_LX_LOCAL:
    return emit_local(cg, e);
  case GJ_LX_OP:
    return emit_op(cg, e);
  case GJ_LX_LOAD:
    return emit_load(cg, e);
  case GJ_LX_OFFSET:
    return gj__cg_address(cg, e->type.dtype, e->args[0], e->args[1], 0);
  case GJ_LX_SPLAT:
    return gj__cg_splat(cg, gj__cg_expr(cg, e->args[0]), e->type.lanes);
  case GJ_LX_LANES:
    return emit_lane_numbers(cg, e->type.lanes);
  case GJ_LX_FIRST:
    return emit_first(cg, e);
  case GJ_LX_AHEAD:
    return emit_ahead(cg, e);
  case GJ_LX_REVERSE:
    return emit_reverse(cg, e);
  case GJ_LX_TRUES:
    return gj__cg_trues(cg, e);
  case GJ_LX_COMPRESS:
    return gj__cg_compress(cg, e);
  case GJ_LX_BITS:
    return gj__cg_bits(cg, e);
  case GJ_LX_MASK:
    return gj__cg_mask(cg, e);
  case GJ_LX_ANY:
    return gj__cg_any(cg, gj__cg_expr(cg, e->args[0]));
  case GJ_LX_CALL:
    return gj__cg_call(cg, e);
  case GJ_LX_PARALLEL:
    return gj__cg_parallel(cg, e);
  case GJ_LX_BUFFER:
    return entry_buffer(cg, e->index);
  case GJ_LX_DIM:
    return entry_dim(cg, e->index);
  case GJ_LX_SCRATCH:
    return emit_scratch(cg, e);
  case GJ_LX_DATA:
    return emit_data(cg, e->index);
  case GJ_LX_CANCELLED:
    return emit_cancelled(cg);
  case GJ_LX_SLOT: // wasm modules have one thread, and their loader leaves the field out
    return gj__cg_divides(cg) ? gj__cg_exec_field(cg, cg->i64, 3) : LLVMConstNull(cg->i64);
  case GJ_LX_WRAP:
    return gj__cg_wrap(cg, e);
  case GJ_LX_OVERFLOWS:
    return gj__cg_overflows(cg, e);
  case GJ_LX_TOO_DEEP:
    return gj__cg_too_deep(cg);
  case GJ_LX_ALLOC:
    return gj__cg_alloc(cg, e);
  case GJ_LX_MARK:
    return gj__cg_mark(cg);
  case GJ_LX_IS_NULL:
    return LLVMBuildIsNull(cg->builder, gj__cg_expr(cg, e->args[0]), "");
  case GJ_LX_ADDRESS:
    return LLVMBuildPtrToInt(cg->builder, gj__cg_expr(cg, e->args[0]), cg->i64, "");
  case GJ_LX_POINTER:
    return emit_pointer(cg, e);
  }
  gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: unknown expression kind %d", e->kind);
  return LLVMGetPoison(gj__cg_type(cg, e->type));
}

LLVMValueRef gj__cg_expr(gj__cg *cg, const gj_lexpr *e) {
  // Constants, locals and data cost nothing to emit again; a call must happen each time; the flag
  // may change.
  bool shared = e->kind != GJ_LX_CONST && e->kind != GJ_LX_LOCAL && e->kind != GJ_LX_DATA &&
                !gj_lexpr_acts(e) && e->kind != GJ_LX_CANCELLED;
  LLVMValueRef value = shared ? gj__memo_get(&cg->memo, e) : NULL;
  if (value)
    return value;
  uint64_t round = cg->memo.round;
  value = emit_expr(cg, e);
  if (shared && cg->memo.round == round) // an expression with a call in it is no candidate either
    gj__memo_put(cg, &cg->memo, e, value);
  return value;
}
