// Tests of the WebAssembly linker: objects made through LLVM's C interface, linked in memory.

#include "check.h"

#include "base/poison.h"
#include "wasm/link.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <malloc.h>
#include <stdlib.h>
#include <time.h>
#ifdef GJ_POISONS
#include <sanitizer/lsan_interface.h>
#endif

// The object of `double f(double x) { return x + 2; }`, with a call to an undefined g in place of
// the 2 if asked for.
static LLVMMemoryBufferRef object_of_f(bool undefined) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("m", context);
  LLVMTypeRef f64 = LLVMDoubleTypeInContext(context);
  LLVMTypeRef type = LLVMFunctionType(f64, &f64, 1, 0);
  LLVMValueRef f = LLVMAddFunction(module, "f", type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, f, ""));
  LLVMValueRef x = LLVMGetParam(f, 0), two = LLVMConstReal(f64, 2);
  if (undefined)
    two = LLVMBuildCall2(builder, type, LLVMAddFunction(module, "g", type), &x, 1, "");
  LLVMBuildRet(builder, LLVMBuildFAdd(builder, x, two, ""));
  LLVMDisposeBuilder(builder);

  LLVMTargetRef target;
  char *message = NULL;
  LLVMMemoryBufferRef object = NULL;
  if (!LLVMGetTargetFromTriple("wasm32-unknown-unknown", &target, &message)) {
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(target, "wasm32-unknown-unknown", "", "", LLVMCodeGenLevelDefault,
                                LLVMRelocStatic, LLVMCodeModelDefault);
    LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object);
    LLVMDisposeTargetMachine(machine);
  }
  LLVMDisposeMessage(message);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return object;
}

static const char *const exports[] = {"f"};
static const gj_wasm_link_options options = {
    .exports = exports, .export_count = 1, .import_memory = true};

static gj_status link_buffer(LLVMMemoryBufferRef object, unsigned char **out_bytes,
                             size_t *out_size, gj_error *err) {
  return gj_wasm_link(LLVMGetBufferStart(object), LLVMGetBufferSize(object), &options, out_bytes,
                      out_size, err);
}

static void a_function_links_to_a_small_module(void) {
  LLVMMemoryBufferRef object = object_of_f(false);
  CHECK_OR_RETURN(object);
  unsigned char *bytes;
  size_t size;
  gj_error err = {0};
  CHECK_OK(link_buffer(object, &bytes, &size, &err), &err);
  CHECK(bytes && memcmp(bytes, "\0asm\1\0\0\0", 8) == 0);
  CHECK_INT_EQ(size, 72);
  free(bytes);
  LLVMDisposeMemoryBuffer(object);
}

static void an_undefined_symbol_is_named(void) {
  LLVMMemoryBufferRef object = object_of_f(true);
  CHECK_OR_RETURN(object);
  unsigned char *bytes;
  size_t size;
  gj_error err = {0};
  CHECK_INT_EQ(link_buffer(object, &bytes, &size, &err), GJ_E_INTERNAL);
  CHECK(!bytes && size == 0);
  CHECK_STR_EQ(err.message, "wasm link: object: undefined symbol: g");
  LLVMDisposeMemoryBuffer(object);
}

static void a_missing_export_is_named(void) {
  LLVMMemoryBufferRef object = object_of_f(false);
  CHECK_OR_RETURN(object);
  const char *const missing[] = {"f", "h"};
  gj_wasm_link_options changed = options;
  changed.exports = missing;
  changed.export_count = 2;
  unsigned char *bytes;
  size_t size;
  gj_error err = {0};
  CHECK_INT_EQ(gj_wasm_link(LLVMGetBufferStart(object), LLVMGetBufferSize(object), &changed, &bytes,
                            &size, &err),
               GJ_E_INTERNAL);
  CHECK_CONTAINS(err.message, "h");
  LLVMDisposeMemoryBuffer(object);
}

// A fatal error inside lld jumps out of it and leaves its objects behind (src/wasm/lld_shim.cpp).
// That is some 20 KB after an internal error; the alternative is the end of the process.
static gj_status link_leaking(const void *object, size_t object_size, unsigned char **out_bytes,
                              size_t *out_size, gj_error *err) {
#ifdef GJ_POISONS
  __lsan_disable();
#endif
  gj_status status = gj_wasm_link(object, object_size, &options, out_bytes, out_size, err);
#ifdef GJ_POISONS
  __lsan_enable();
#endif
  return status;
}

// lld ends its process on input that it takes for corrupt, such as a module that is linked already.
// That must come back as an error, and a good object must still link afterwards.
static void input_that_is_fatal_to_lld_is_refused_and_the_process_lives(void) {
  LLVMMemoryBufferRef object = object_of_f(false);
  CHECK_OR_RETURN(object);
  unsigned char *module, *bytes;
  size_t module_size, size;
  gj_error err = {0};
  CHECK_OK(link_buffer(object, &module, &module_size, &err), &err);
  for (int i = 0; i < 10; i++) {
    CHECK_INT_EQ(link_leaking(module, module_size, &bytes, &size, &err), GJ_E_INTERNAL);
    CHECK_STR_EQ(err.message, "wasm link: object: not a relocatable wasm file");
    CHECK(!bytes && size == 0);
  }
  CHECK_OK(link_buffer(object, &bytes, &size, &err), &err);
  CHECK_INT_EQ(size, 72);
  free(bytes);
  free(module);
  LLVMDisposeMemoryBuffer(object);
}

static void bytes_that_are_no_object_are_refused(void) {
  unsigned char *bytes;
  size_t size;
  gj_error err = {0};
  CHECK_INT_EQ(gj_wasm_link("BC\xC0\xDE", 4, &options, &bytes, &size, &err), GJ_E_INTERNAL);
  CHECK_STR_EQ(err.message, "wasm link: 4 bytes are not a WebAssembly object");
}

static void linking_again_and_again_keeps_memory_flat(void) {
  LLVMMemoryBufferRef object = object_of_f(false);
  CHECK_OR_RETURN(object);
  const int warm = 50, rounds = check_is_quick() ? 200 : 5000;
  gj_error err = {0};
  struct mallinfo2 before = {0};
  struct timespec start, end;
  for (int i = 0; i < warm + rounds; i++) {
    if (i == warm) {
      before = mallinfo2();
      clock_gettime(CLOCK_MONOTONIC, &start);
    }
    unsigned char *bytes;
    size_t size;
    CHECK_OK(link_buffer(object, &bytes, &size, &err), &err);
    free(bytes);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  double ms =
      (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6;
  struct mallinfo2 after = mallinfo2();
  printf("%.3f ms per link, %zd bytes more in use after %d\n", ms / rounds,
         (ssize_t)(after.uordblks - before.uordblks), rounds);
  // A sanitizer's allocator leaves these figures at 0 and finds leaks itself.
  CHECK(after.uordblks < before.uordblks + 64 * 1024);
  LLVMDisposeMemoryBuffer(object);
}

int main(void) {
  LLVMInitializeWebAssemblyTargetInfo();
  LLVMInitializeWebAssemblyTarget();
  LLVMInitializeWebAssemblyTargetMC();
  LLVMInitializeWebAssemblyAsmPrinter();
  CHECK_RUN(a_function_links_to_a_small_module);
  CHECK_RUN(an_undefined_symbol_is_named);
  CHECK_RUN(a_missing_export_is_named);
  CHECK_RUN(input_that_is_fatal_to_lld_is_refused_and_the_process_lives);
  CHECK_RUN(bytes_that_are_no_object_are_refused);
  CHECK_RUN(linking_again_and_again_keeps_memory_flat);
  return check_report();
}
