// Elementary functions for generated code, at any vector width, from the math library's bitcode.
//
// sin on eight f64 becomes
//   define internal <8 x double> @gjm_sin_f64.v8(<8 x double> %x) {
//     %y = call @gjm_sin_f64_main.v8(%x)              ; straight-line, inlined
//     %rare = call @gjm_sin_f64_rare.v8(%x)           ; usually one compare
//     br any(%rare), %fix, %end                       ; predicted not taken
//   fix: call @gjm_sin_f64_slow.v8(%x, %y, %rare)     ; cold: the scalar function on each rare lane
// and a function without rare inputs is its main part alone. The lanes of a vector compute exactly
// what the scalar function does, so the scalar rest of a loop agrees with its vector part bit for
// bit ('fast' does not promise that: in graphs its cheaper functions serve vectors, while scalars
// call the accurate ones of the core). Loops that LLVM widens itself are told of vector functions
// by an attribute of the scalar one. The bitcode of an op is parsed at most once per compilation.
#include "codegen/context.h"

#include <llvm-c/BitReader.h>
#include <stdio.h>
#include <string.h>

typedef struct math_op {
  const char *op;
  gj_dtype dtype;
  unsigned lanes;
  LLVMModuleRef source; // of the main and the rare function
  LLVMModuleRef base;   // of the slow one; another module only in 'fast'
} math_op;

// "gjm_<op>_<dtype><part>" as in the bitcode, with ".v<lanes>" for a widened copy.
static void function_name(char *name, size_t capacity, const math_op *m, const char *part,
                          unsigned lanes) {
  int n = snprintf(name, capacity, "gjm_%s_%s%s", m->op, gj_dtype_name(m->dtype), part);
  if (lanes > 1 && n > 0 && (size_t)n < capacity)
    snprintf(name + n, capacity - (size_t)n, ".v%u", lanes);
}

static LLVMValueRef function_in(LLVMModuleRef module, const math_op *m, const char *part) {
  char name[80];
  function_name(name, sizeof name, m, part, 1);
  LLVMValueRef f = LLVMGetNamedFunction(module, name);
  return f && !LLVMIsDeclaration(f) ? f : NULL;
}

static LLVMValueRef source_function(const math_op *m, const char *part) {
  return function_in(m->source, m, part);
}

static bool is_fused(const gj__cg *cg) {
  return gj_numerics_fuse(cg->options->numerics, cg->target);
}

static bool is_fast(const gj__cg *cg) {
  return cg->target->fma && cg->options->numerics == GJ_NUMERICS_FAST;
}

static LLVMModuleRef load_module(gj__cg *cg, const char *op, gj_math_bitcode code) {
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRange((const char *)code.begin, code.size, op, false);
  LLVMModuleRef module = NULL;
  if (LLVMParseBitcodeInContext2(cg->context, buffer, &module))
    gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: the math library's bitcode of %s is damaged", op);
  LLVMDisposeMemoryBuffer(buffer);
  return module;
}

static size_t slot_count(void) { return 2 * gj_math_blob_count + gj_math_js_blob_count; }

LLVMModuleRef gj__math_module(gj__cg *cg, size_t slot, const char *op, gj_math_bitcode code) {
  if (!cg->math_modules)
    cg->math_modules = gj_arena_array(&cg->arena, slot_count(), sizeof *cg->math_modules);
  if (!cg->math_modules) {
    gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at the math library");
    return NULL;
  }
  if (!cg->math_modules[slot])
    cg->math_modules[slot] = load_module(cg, op, code);
  return cg->math_modules[slot];
}

// Finds the modules of an op; false with a failure.
static bool find_modules(gj__cg *cg, math_op *m) {
  for (size_t row = 0; row < gj_math_blob_count; row++) {
    const gj_math_blob *blob = &gj_math_blobs[row];
    if (strcmp(blob->op, m->op) != 0)
      continue;
    m->base = m->source =
        gj__math_module(cg, 2 * row, m->op, is_fused(cg) ? blob->fma : blob->strict);
    if (m->source && is_fast(cg) && blob->fast.size > 0)
      m->source = gj__math_module(cg, 2 * row + 1, m->op, blob->fast);
    // A table is quick where a lookup is a permutation, and slower than no table elsewhere.
    if (m->source && LLVMGetFirstGlobal(m->source) && !gj__cg_has_permute(cg, m->dtype))
      m->source = m->base;
    return m->source != NULL;
  }
  gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: the math library has no %s", m->op);
  return false;
}

void gj__mathlib_fini(gj__cg *cg) {
  for (size_t i = 0; cg->math_modules && i < slot_count(); i++)
    if (cg->math_modules[i])
      LLVMDisposeModule(cg->math_modules[i]);
}

// --- wrappers ---

// The library reads nothing but constants and always returns, so equal calls are one.
void gj__cg_mark_pure(gj__cg *cg, LLVMValueRef f) {
  gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "memory", 0);
  gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "willreturn", 0);
}

static void mark(gj__cg *cg, LLVMValueRef f, const char *attribute) {
  gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, attribute, 0);
}

void gj__cg_mark_cold(gj__cg *cg, LLVMValueRef f) {
  mark(cg, f, "cold");
  mark(cg, f, "noinline");
  if (!cg->target->wasm) // its quick code is several times larger
    mark(cg, f, "optnone");
}

// The function is optimised already; the optimiser passes over it and then decides on inlining.
void gj__cg_mark_optimised(gj__cg *cg, LLVMValueRef f) {
  mark(cg, f, "noinline");
  if (!cg->options->for_size) // LLVM allows only one of optsize and optnone
    mark(cg, f, "optnone");
}

// The natively compiled function of this name, see jit/code/host_math.h.
static LLVMValueRef host_function(gj__cg *cg, const char *name, LLVMTypeRef type) {
  char symbol[96];
  snprintf(symbol, sizeof symbol, "%s.%s", name, is_fused(cg) ? "fused" : "strict");
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, symbol);
  if (f)
    return f;
  f = LLVMAddFunction(cg->module, symbol, type);
  mark(cg, f, "nounwind");
  gj__cg_mark_pure(cg, f);
  return f;
}

static LLVMValueRef host_scalar(gj__cg *cg, const math_op *m, unsigned arity) {
  LLVMTypeRef type = gj__cg_register_type(cg, m->dtype, 1), params[3] = {type, type, type};
  char name[80];
  function_name(name, sizeof name, m, "", 1);
  return host_function(cg, name, LLVMFunctionType(type, params, arity, false));
}

// A copy of one part; NULL on failure.
static LLVMValueRef clone_part(gj__cg *cg, const math_op *m, const char *part, const char *as,
                               unsigned lanes) {
  char name[80];
  function_name(name, sizeof name, m, as, lanes);
  LLVMValueRef f = gj__clone_function(cg, source_function(m, part), lanes, name);
  if (f)
    gj__cg_mark_pure(cg, f);
  return f;
}

// The scalar function for rare inputs; NULL on failure.
static LLVMValueRef slow_function(gj__cg *cg, const math_op *m) {
  char name[80];
  LLVMValueRef source = function_in(m->base, m, "_slow");
  function_name(name, sizeof name, m, "_slow", 1);
  if (cg->options->host_math)
    return host_function(cg, name, LLVMGlobalGetValueType(source));
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, name);
  if (f)
    return f;
  f = gj__clone_function(cg, source, 1, name);
  if (f) {
    gj__cg_mark_pure(cg, f);
    gj__cg_mark_cold(cg, f);
  }
  return f;
}

static LLVMValueRef call(gj__cg *cg, LLVMValueRef f, LLVMValueRef *args, unsigned count) {
  return LLVMBuildCall2(cg->builder, LLVMGlobalGetValueType(f), f, args, count, "");
}

// Vectors as arrays on the stack, so that a loop can index their lanes.
static LLVMValueRef spill(gj__cg *cg, LLVMValueRef vector) {
  LLVMValueRef slot = LLVMBuildAlloca(cg->builder, LLVMTypeOf(vector), "");
  LLVMBuildStore(cg->builder, vector, slot);
  return slot;
}

static LLVMValueRef lane_address(gj__cg *cg, LLVMTypeRef element, LLVMValueRef slot,
                                 LLVMValueRef lane) {
  return LLVMBuildInBoundsGEP2(cg->builder, element, slot, &lane, 1, "");
}

// slow.v8(x, …, y, rare): y with each rare lane replaced by the scalar function's result.
static void build_slow_lanes(gj__cg *cg, LLVMValueRef f, LLVMValueRef slow, unsigned arity,
                             unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef element = LLVMGetReturnType(LLVMGlobalGetValueType(slow));
  LLVMBasicBlockRef block[5];
  static const char *const names[5] = {"entry", "lane", "slow", "next", "end"};
  for (unsigned i = 0; i < 5; i++)
    block[i] = LLVMAppendBasicBlockInContext(cg->context, f, names[i]);
  LLVMPositionBuilderAtEnd(b, block[0]);
  LLVMValueRef slots[4], args[4];
  for (unsigned i = 0; i <= arity; i++)
    slots[i] = spill(cg, LLVMGetParam(f, i));
  LLVMTypeRef bytes = LLVMVectorType(cg->i8, lanes);
  LLVMValueRef mask = spill(cg, LLVMBuildZExt(b, LLVMGetParam(f, arity + 1), bytes, ""));
  LLVMBuildBr(b, block[1]);

  LLVMPositionBuilderAtEnd(b, block[1]);
  LLVMValueRef i = LLVMBuildPhi(b, cg->i64, "i"), zero = LLVMConstNull(cg->i64);
  LLVMValueRef rare = LLVMBuildLoad2(b, cg->i8, lane_address(cg, cg->i8, mask, i), "");
  LLVMBuildCondBr(b, LLVMBuildIsNotNull(b, rare, ""), block[2], block[3]);

  LLVMPositionBuilderAtEnd(b, block[2]);
  for (unsigned k = 0; k < arity; k++)
    args[k] = LLVMBuildLoad2(b, element, lane_address(cg, element, slots[k], i), "");
  LLVMBuildStore(b, call(cg, slow, args, arity), lane_address(cg, element, slots[arity], i));
  LLVMBuildBr(b, block[3]);

  LLVMPositionBuilderAtEnd(b, block[3]);
  LLVMValueRef next = LLVMBuildNUWAdd(b, i, LLVMConstInt(cg->i64, 1, false), "");
  LLVMValueRef more = LLVMBuildICmp(b, LLVMIntULT, next, LLVMConstInt(cg->i64, lanes, false), "");
  LLVMBuildCondBr(b, more, block[1], block[4]);
  LLVMAddIncoming(i, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){block[0], block[3]}, 2);

  LLVMPositionBuilderAtEnd(b, block[4]);
  LLVMTypeRef vector = LLVMGetReturnType(LLVMGlobalGetValueType(f));
  LLVMBuildRet(b, LLVMBuildLoad2(b, vector, slots[arity], ""));
}

static LLVMValueRef slow_lanes(gj__cg *cg, const char *name, LLVMValueRef slow, unsigned arity,
                               LLVMTypeRef vector) {
  unsigned lanes = LLVMGetVectorSize(vector);
  LLVMTypeRef params[5];
  for (unsigned i = 0; i <= arity; i++)
    params[i] = vector;
  params[arity + 1] = LLVMVectorType(cg->i1, lanes);
  LLVMValueRef f = gj__cg_function(cg, name, LLVMFunctionType(vector, params, arity + 2, false));
  gj__cg_mark_pure(cg, f);
  gj__cg_mark_cold(cg, f);
  build_slow_lanes(cg, f, slow, arity, lanes);
  return f;
}

// rare(x) ? slow(x) : main(x); a vector computes main for all lanes and then mends the rare ones.
static void build_choice(gj__cg *cg, LLVMValueRef f, LLVMValueRef main, LLVMValueRef rare,
                         LLVMValueRef slow, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  unsigned arity = LLVMCountParams(f);
  LLVMValueRef args[6];
  LLVMGetParams(f, args);
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(cg->context, f, "entry");
  LLVMBasicBlockRef fix = LLVMAppendBasicBlockInContext(cg->context, f, "rare");
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(cg->context, f, "end");
  LLVMPositionBuilderAtEnd(b, entry);
  LLVMValueRef usual = call(cg, main, args, arity), flags = call(cg, rare, args, arity);
  LLVMValueRef mask = LLVMBuildICmp(b, LLVMIntNE, flags, LLVMConstNull(LLVMTypeOf(flags)), "");
  LLVMBuildCondBr(b, gj__cg_any(cg, mask), fix, end);
  LLVMPositionBuilderAtEnd(b, fix);
  args[arity] = usual;
  args[arity + 1] = mask;
  LLVMValueRef mended = call(cg, slow, args, lanes > 1 ? arity + 2 : arity);
  LLVMBuildBr(b, end);
  LLVMPositionBuilderAtEnd(b, end);
  LLVMValueRef result = LLVMBuildPhi(b, LLVMTypeOf(usual), "");
  LLVMAddIncoming(result, (LLVMValueRef[]){usual, mended}, (LLVMBasicBlockRef[]){entry, fix}, 2);
  LLVMBuildRet(b, result);
}

LLVMValueRef gj__math_choice(gj__cg *cg, const char *name, const char *slow_name, LLVMValueRef main,
                             LLVMValueRef rare, LLVMValueRef slow) {
  LLVMTypeRef type = LLVMGlobalGetValueType(main), returns = LLVMGetReturnType(type);
  unsigned lanes = 1;
  mark(cg, main, "alwaysinline");
  mark(cg, rare, "alwaysinline");
  LLVMValueRef f = gj__cg_function(cg, name, type);
  if (LLVMGetTypeKind(returns) == LLVMVectorTypeKind) {
    lanes = LLVMGetVectorSize(returns);
    slow = slow_lanes(cg, slow_name, slow, LLVMCountParams(main), returns);
  }
  build_choice(cg, f, main, rare, slow, lanes);
  gj__cg_mark_pure(cg, f);
  gj__cg_mark_optimised(cg, f);
  return f;
}

static LLVMValueRef build_with_rare(gj__cg *cg, const math_op *m, const char *name) {
  if (!function_in(m->base, m, "_slow") || LLVMCountParams(source_function(m, "")) > 3) {
    gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: math function %s has rare inputs but no slow part",
                name);
    return NULL;
  }
  LLVMValueRef main = clone_part(cg, m, "", "_main", m->lanes);
  LLVMValueRef rare = clone_part(cg, m, "_rare", "_rare", m->lanes);
  LLVMValueRef slow = slow_function(cg, m);
  if (!main || !rare || !slow)
    return NULL;
  char slow_name[80];
  function_name(slow_name, sizeof slow_name, m, "_slow", m->lanes);
  return gj__math_choice(cg, name, slow_name, main, rare, slow);
}

static LLVMValueRef build_function(gj__cg *cg, const math_op *m, const char *name) {
  if (!source_function(m, "")) {
    gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: the math library has no %s of %s", m->op,
                gj_dtype_name(m->dtype));
    return NULL;
  }
  if (source_function(m, "_rare"))
    return build_with_rare(cg, m, name);
  LLVMValueRef f = clone_part(cg, m, "", "", m->lanes);
  if (f)
    gj__cg_mark_optimised(cg, f);
  return f;
}

// Straight-line code of its own, which loops that LLVM vectorises have inside.
LLVMValueRef gj__math_fast_function(gj__cg *cg, const char *op, const char *name, gj_dtype dtype,
                                    unsigned lanes) {
  math_op m = {.op = op, .dtype = dtype, .lanes = lanes};
  if (!is_fast(cg) || cg->status != GJ_OK || !find_modules(cg, &m))
    return NULL;
  m.op = name;
  char symbol[80];
  function_name(symbol, sizeof symbol, &m, "", lanes);
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, symbol);
  if (f)
    return f;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(cg->builder);
  f = clone_part(cg, &m, "", "", lanes);
  LLVMPositionBuilderAtEnd(cg->builder, here);
  if (f)
    mark(cg, f, "alwaysinline");
  return f;
}

static const char variant_attribute[] = "vector-function-abi-variant";

unsigned gj__math_variant_lanes(const gj__cg *cg, gj_dtype dtype) {
  bool asked = cg->options->vectorise && cg->options->opt_level >= 2 && !cg->target->wasm;
  return asked ? cg->target->vector_bytes / (unsigned)gj_dtype_bytes(dtype) : 1;
}

void gj__math_add_variant(gj__cg *cg, LLVMValueRef scalar, LLVMValueRef vector, unsigned arity,
                          unsigned lanes) {
  char text[192];
  size_t length;
  if (!vector)
    return;
  LLVMSetLinkage(vector, LLVMExternalLinkage);
  gj__cg_string_attribute(cg, vector, GJ__VARIANT, "");
  snprintf(text, sizeof text, "_ZGV_LLVM_N%u%s_%s(%s)", lanes, arity == 2 ? "vv" : "v",
           LLVMGetValueName2(scalar, &length), LLVMGetValueName2(vector, &length));
  gj__cg_string_attribute(cg, scalar, variant_attribute, text);
}

static bool has_variant(LLVMValueRef scalar) {
  unsigned size = sizeof variant_attribute - 1;
  return LLVMGetStringAttributeAtIndex(scalar, LLVMAttributeFunctionIndex, variant_attribute, size);
}

// Whether a scalar call goes to the core: not where vectors of the same loop have cheaper code, so
// that it does not show which elements were in the rest.
static bool calls_host(gj__cg *cg, math_op m) {
  if (m.lanes > 1 || !cg->options->host_math)
    return false;
  return gj__math_variant_lanes(cg, m.dtype) == 1 || !is_fast(cg) || !find_modules(cg, &m) ||
         m.source == m.base;
}

static LLVMValueRef module_function(gj__cg *cg, math_op m) {
  char name[80];
  function_name(name, sizeof name, &m, "", m.lanes);
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, name);
  if (f || cg->status != GJ_OK)
    return f;
  if (!find_modules(cg, &m))
    return NULL;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(cg->builder);
  f = build_function(cg, &m, name);
  LLVMPositionBuilderAtEnd(cg->builder, here);
  return f;
}

LLVMValueRef gj__math_function(gj__cg *cg, const char *op, gj_dtype dtype, unsigned arity,
                               unsigned lanes) {
  math_op m = {.op = op, .dtype = dtype, .lanes = lanes};
  if (gj__is_js_math(cg, op, dtype))
    return gj__js_math_function(cg, op, arity, lanes);
  LLVMValueRef f = calls_host(cg, m) ? host_scalar(cg, &m, arity) : module_function(cg, m);
  m.lanes = gj__math_variant_lanes(cg, dtype);
  if (f && lanes == 1 && m.lanes > 1 && arity <= 2 && !has_variant(f))
    gj__math_add_variant(cg, f, module_function(cg, m), arity, m.lanes);
  return f;
}
