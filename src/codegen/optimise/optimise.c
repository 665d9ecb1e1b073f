// LLVM's optimiser with a pipeline of our own.
//
// The modules that come here are small, already in loops of the right form and already vectorised,
// so most of default<O3> finds nothing to do but costs 5 times as much (4.7 ms against 0.85 ms for
// a kernel of two loops). Kept are the passes that removed instructions from kernels: mem2reg for
// locals that are set, inlining of kernels, SROA for arrays that unrolling made constant-indexed,
// instcombine, CSE, LICM. LLVM's loop and SLP vectorisers do not run: they could not know which
// loops may be reordered, and scalar and vector code would no longer round alike.
//
// Functions of users are another matter. Nobody has looked at their loops, which are written any
// how, so they go through most of LLVM's own pipeline. It keeps the order of floating-point
// operations unless their flags say otherwise.
//
// Elementary functions are larger than the kernels that use them and were optimised when the
// library was built. They join after the passes over kernels, which halves the time of those.
#include "codegen/optimise/optimise.h"

#include "codegen/context.h"
#include "codegen/optimise/memory_shim.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

// The module but for elementary functions, which are left alone and count as calls.
static const char *kernel_passes(unsigned opt_level) {
  switch (opt_level) {
  case 0:
    return "always-inline,globaldce";
  case 1:
    return "function(mem2reg),always-inline,cgscc(inline),"
           "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm)),"
           "globaldce";
  default:
    return "function(mem2reg),always-inline,cgscc(inline),"
           "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
           "loop-mssa(licm),gvn,instcombine<no-verify-fixpoint>,simplifycfg,adce),globaldce";
  }
}

// default<O3> without what found nothing in functions of numbers and arrays: half of its passes,
// and those that run twice. What is left is in its order.
#define TIDY "instcombine<no-verify-fixpoint>"
static const char most_passes[] =
    "always-inline,function(lower-expect,sroa,early-cse,simplifycfg),globalopt,"
    "cgscc(devirt<1>(inline,function-attrs,function(sroa,early-cse<memssa>,simplifycfg," TIDY ","
    "aggressive-instcombine,reassociate,constraint-elimination,"
    "loop-mssa(loop-instsimplify,loop-rotate,licm,simple-loop-unswitch<nontrivial;trivial>),"
    "simplifycfg," TIDY
    ",loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),sroa,gvn,bdce," TIDY
    ",jump-threading,correlated-propagation,adce,dse,loop-mssa(licm),"
    "simplifycfg<hoist-common-insts;sink-common-insts>," TIDY "))),deadargelim,globaldce,"
    "function(float2int,loop(loop-rotate,loop-deletion),loop-vectorize,loop-load-elim," TIDY ","
    "simplifycfg<forward-switch-cond;switch-to-lookup;no-keep-loops;hoist-common-insts;"
    "sink-common-insts>,slp-vectorizer,vector-combine," TIDY ",loop-unroll<O3>,sroa," TIDY ","
    "loop-mssa(licm),div-rem-pairs,simplifycfg),globaldce";
#undef TIDY

// What quickly makes code that is two thirds as fast in loops that stay scalar.
static const char few_passes[] =
    "function(lower-expect,mem2reg),always-inline,cgscc(inline),"
    "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(loop-rotate,licm)),"
    "globaldce";

static const char *function_passes(unsigned opt_level) {
  static const char *const less[] = {"default<O0>", few_passes};
  return opt_level < 2 ? less[opt_level] : most_passes;
}

// For code of kernels that better code follows. Combining instructions took as long as all of this,
// and what comes of it is not worth that in the first milliseconds.
static const char quick_passes[] = "function(mem2reg),always-inline,cgscc(inline),"
                                   "function(early-cse,simplifycfg,loop-mssa(licm)),globaldce";

static const char *first_passes(const gj_codegen_options *options) {
  if (options->quick)
    return quick_passes;
  return options->vectorise ? function_passes(options->opt_level)
                            : kernel_passes(options->opt_level);
}

// Whether loop strength reduction pays: it turns indices into pointers that step. Instructions of
// x86 and wasm add a scaled or constant index for nothing, and there it made the loops of kernels
// larger, none faster, and took a quarter of the time of small ones. Arm steps a pointer in the
// access itself.
static bool steps_pointers(const gj_target *target) {
  return !target->wasm && strncmp(target->triple, "x86_64", 6) != 0;
}

// Elementary functions come optimised from the build. What is left to find is what two of them have
// in common (the reduction of sin and cos) and what follows from a constant argument.
static const char *math_passes(unsigned opt_level, const gj_target *target) {
  if (opt_level == 0)
    return NULL;
  return opt_level >= 2 && steps_pointers(target)
             ? "always-inline,function(early-cse,simplifycfg,loop(loop-reduce)),globaldce"
             : "always-inline,function(early-cse,simplifycfg),globaldce";
}

// --- inlining elementary functions ---

// Inlining a vector function saves spilling all vector registers around a call: 7 % for exp and
// log, nothing for pow and lgamma. It costs compile time with each use, about 10 µs an instruction.
// The bound is on instructions times uses; scalar functions serve the rest of a loop and are
// called.
enum { INLINE_INSTRUCTIONS = 150 };

static unsigned count_instructions(LLVMValueRef f) {
  unsigned count = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      count++;
  return count;
}

static unsigned count_uses(LLVMValueRef f) {
  unsigned count = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
    count++;
  return count;
}

static unsigned attribute_kind(const char *name) {
  return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static void settle_function(LLVMValueRef f) {
  LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, attribute_kind("optnone"));
  LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, attribute_kind("noinline"));
  bool vector = LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(f))) == LLVMVectorTypeKind;
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
  const char *inlining = vector && count_instructions(f) * count_uses(f) <= INLINE_INSTRUCTIONS
                             ? "alwaysinline"
                             : "noinline";
  LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(context, attribute_kind(inlining), 0));
}

enum { STACK_ALIGNMENT = 16 };

// LLVM puts vectors on the stack as it finds that, at a multiple of 16: most of those of 64 bytes
// lie in two cache lines then. That was a fifth of the time of erf of f64.
static void align_stack(LLVMValueRef f) {
  static const char name[] = "stackrealign";
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
  LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                          LLVMCreateStringAttribute(context, name, sizeof name - 1, "", 0));
}

// Of a vector function and of those that call it, where it may soon stand.
static void align_stacks(LLVMValueRef f) {
  if (LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(f))) != LLVMVectorTypeKind)
    return;
  align_stack(f);
  for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMIsAInstruction(LLVMGetUser(use));
    if (user)
      align_stack(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
  }
}

static bool is_variant(LLVMValueRef f) {
  static const char name[] = GJ__VARIANT;
  return LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, name, sizeof name - 1);
}

// Ends the special treatment of elementary functions (gj__cg_mark_optimised in mathlib.c) and
// decides which of them are inlined. Those that the vectoriser has found no use for may go now.
// Whether there are any.
static bool settle_math(LLVMModuleRef module, const gj_target *target) {
  unsigned noinline = attribute_kind("noinline"), cold = attribute_kind("cold");
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (is_variant(f))
      LLVMSetLinkage(f, LLVMInternalLinkage);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, noinline) &&
        !LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, cold)) {
      any = true;
      settle_function(f);
      if (target->vector_bytes > STACK_ALIGNMENT)
        align_stacks(f);
    }
  return any;
}

// Whether a loop of one block multiplies integers, as an index like k * n + j does.
static bool multiplies_in_loop(LLVMBasicBlockRef block) {
  LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
  bool loops = false;
  for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
    loops |= LLVMGetSuccessor(last, i) == block;
  if (!loops)
    return false;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    if (LLVMGetInstructionOpcode(i) == LLVMMul &&
        LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind)
      return true;
  return false;
}

// Whether strength reduction pays for a function of a user on x86 too: to step by sums instead
// makes products of matrices 15 % faster and n-body 5 %. A loop without products got a second
// counter, and a sieve lost 20 %.
static bool has_products(LLVMValueRef f) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
    if (multiplies_in_loop(b))
      return true;
  return false;
}

// Runs passes over the module, or over one function of it.
static gj_status run_passes(LLVMModuleRef module, LLVMValueRef f, LLVMTargetMachineRef machine,
                            const char *passes, gj_error *err) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopVectorization(options, true); // where a pipeline has it
  LLVMPassBuilderOptionsSetLoopInterleaving(options, true);
  LLVMPassBuilderOptionsSetSLPVectorization(options, true);
  LLVMPassBuilderOptionsSetLoopUnrolling(options, true);
  LLVMErrorRef error = f ? LLVMRunPassesOnFunction(f, passes, machine, options)
                         : LLVMRunPasses(module, passes, machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return GJ_OK;
  char *message = LLVMGetErrorMessage(error);
  gj_fail(err, GJ_E_INTERNAL, "codegen: LLVM's optimiser refused the module: %s", message);
  LLVMDisposeErrorMessage(message);
  return GJ_E_INTERNAL;
}

static gj_status reduce_products(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                 gj_error *err) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (has_products(f))
      GJ_TRY(run_passes(module, f, machine, "loop(loop-reduce)", err));
  return GJ_OK;
}

gj_status gj__optimise(LLVMModuleRef module, LLVMTargetMachineRef machine, const gj_target *target,
                       const gj_codegen_options *options, gj_error *err) {
  unsigned opt_level = options->opt_level;
  GJ_TRY(run_passes(module, NULL, machine, first_passes(options), err));
  bool math = settle_math(module, target);
  const char *passes = math || opt_level > 1 ? math_passes(opt_level, target) : NULL;
  if (passes)
    GJ_TRY(run_passes(module, NULL, machine, passes, err));
  if (options->vectorise && opt_level >= 2 && !target->wasm && !steps_pointers(target))
    GJ_TRY(reduce_products(module, machine, err));
  gj__store_single_lanes(module);
  if (target->wasm && !strstr(target->features, "+bulk-memory"))
    gj__expand_memory(module);
  if (target->pointer_bytes < 8)
    gj__lower_overflow(module);
  if (target->wasm && target->vector_bytes)
    gj__keep_extremes_exact(module); // of what has no vectors, linked code may have them
  if (strncmp(target->triple, "x86_64", 6) == 0)
    gj__keep_signalling_nans(module);
  return GJ_OK;
}
