// Linking object files into this process with LLVM's ORC.
//
// One LLJIT serves the process; it is made by the first load and lives until the end. Each loaded
// object has a JITDylib of its own, so equal symbol names never meet (the same object from a cache
// may be loaded twice), and a resource tracker, which gives its memory back. ORC's C interface
// cannot destroy a JITDylib, so unloaded ones are kept in a list and used again: the list is as
// long as the most objects there ever were at once.
//
// Generated code may need memcpy, memmove, memset, the natively compiled elementary functions of
// jit/code/host_math.h, those of the library, functions that were registered for custom_call and
// the constants that are given with it, and nothing else. A JITDylib knows no other symbol of the
// process, so a missing math function is an error here and never libm. Loading takes a lock:
// linking is a few tenths of a millisecond, and ORC reports the cause of an error to a callback of
// the session, which the lock ties to the load that it belongs to.
#include "jit/code/orc.h"

#include "codegen/codegen.h"
#include "codegen/targets/machine.h"
#include "jit/code/host_math.h"
#include "library/numeric.h"
#include "ops/custom.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Object.h>
#include <llvm-c/Orc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gj_jit_code {
  LLVMOrcJITDylibRef dylib;
  LLVMOrcResourceTrackerRef tracker; // NULL while in the list of free ones
  const gj_constants *constants;     // that it reads, or NULL
  size_t bytes;                      // of its code and data
  gj_jit_code *next_free;
};

// All under `lock`.
static struct {
  pthread_mutex_t lock;
  LLVMOrcLLJITRef lljit;
  gj_jit_code *free_codes;
  size_t dylib_count;
  size_t object_count, byte_count;
  size_t unloads;  // since names were last cleared
  char cause[512]; // what the session reported last
} jit = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { UNLOADS_PER_CLEANING = 64 };

// Consumes the error.
static gj_status fail_with(LLVMErrorRef error, const char *what, gj_error *err) {
  char *message = LLVMGetErrorMessage(error);
  gj_fail(err, GJ_E_INTERNAL, "jit: %s: %s%s%s", what, message, jit.cause[0] ? ": " : "",
          jit.cause);
  LLVMDisposeErrorMessage(message);
  return GJ_E_INTERNAL;
}

static void keep_cause(void *context, LLVMErrorRef error) {
  (void)context;
  char *message = LLVMGetErrorMessage(error);
  snprintf(jit.cause, sizeof jit.cause, "%s", message);
  LLVMDisposeErrorMessage(message);
}

static LLVMOrcExecutionSessionRef session(void) {
  return LLVMOrcLLJITGetExecutionSession(jit.lljit);
}

// What LLJIT makes target machines from. It compiles nothing here and only asks them for the data
// layout, so they may do without the features of the host, which take a millisecond to read.
static LLVMOrcJITTargetMachineBuilderRef bare_machine(void) {
  char *triple = LLVMGetDefaultTargetTriple();
  LLVMTargetRef target = NULL;
  LLVMTargetMachineRef machine = NULL;
  if (!LLVMGetTargetFromTriple(triple, &target, NULL))
    machine = LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelNone, LLVMRelocPIC,
                                      LLVMCodeModelJITDefault);
  LLVMDisposeMessage(triple);
  return machine ? LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine) : NULL;
}

static gj_status start_lljit(gj_error *err) {
  if (jit.lljit)
    return GJ_OK;
  gj__targets_ready();
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcJITTargetMachineBuilderRef machine = bare_machine();
  if (machine) // else LLJIT looks at the host itself
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder, machine);
  LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit.lljit, builder);
  if (error) {
    jit.lljit = NULL;
    return fail_with(error, "cannot start LLVM's JIT", err);
  }
  LLVMOrcExecutionSessionSetErrorReporter(session(), keep_cause, NULL);
  return GJ_OK;
}

// --- JITDylibs ---

typedef void *copy_function(void *, const void *, size_t);
typedef void *set_function(void *, int, size_t);

// Of a name in the library, with the variant of a numeric function behind it.
static uint64_t library_address(const char *name) {
  char own[64];
  size_t length = strcspn(name, ".");
  if (length >= sizeof own)
    return 0;
  memcpy(own, name, length);
  own[length] = '\0';
  const gj_library_function *f = gj_library_find(own);
  if (!f || f->numeric != (name[length] != '\0'))
    return 0;
  return (uintptr_t)(f->numeric ? gj_numeric_find(f, strcmp(name + length, ".fused") == 0)
                                : f->code);
}

// Where generated code finds what it does not define; 0 when it may not have it.
static uint64_t allowed_address(const char *name, const gj_constants *constants) {
  copy_function *const copies[2] = {memcpy, memmove};
  set_function *set = memset;
  if (strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0)
    return (uintptr_t)copies[name[3] == 'm'];
  if (strcmp(name, "memset") == 0)
    return (uintptr_t)set;
  size_t prefix = strlen(GJ_CONSTANT_PREFIX);
  if (constants && strncmp(name, GJ_CONSTANT_PREFIX, prefix) == 0)
    return (uintptr_t)gj_constants_at(constants, name + prefix);
  prefix = strlen(GJ_CUSTOM_PREFIX);
  if (strncmp(name, GJ_CUSTOM_PREFIX, prefix) == 0)
    return (uintptr_t)gj_custom_find(name + prefix);
  prefix = strlen(GJ_LIBRARY_PREFIX);
  if (strncmp(name, GJ_LIBRARY_PREFIX, prefix) == 0)
    return library_address(name + prefix);
  return (uintptr_t)gj_host_math_find(name);
}

// Called by ORC with the symbols that a link lacks. What it may have is defined in the JITDylib and
// stays, until code with constants leaves it; ORC reports the rest as missing.
static LLVMErrorRef define_allowed(LLVMOrcDefinitionGeneratorRef generator, void *context,
                                   LLVMOrcLookupStateRef *state, LLVMOrcLookupKind kind,
                                   LLVMOrcJITDylibRef dylib, LLVMOrcJITDylibLookupFlags flags,
                                   LLVMOrcCLookupSet wanted, size_t count) {
  (void)generator, (void)state, (void)kind, (void)flags;
  const gj_jit_code *code = context;
  LLVMOrcCSymbolMapPair *pairs = calloc(count + 1, sizeof *pairs);
  if (!pairs)
    return LLVMCreateStringError("out of memory");
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t address =
        allowed_address(LLVMOrcSymbolStringPoolEntryStr(wanted[i].Name), code->constants);
    if (!address)
      continue;
    LLVMOrcRetainSymbolStringPoolEntry(wanted[i].Name);
    pairs[found].Name = wanted[i].Name;
    pairs[found].Sym.Address = address;
    pairs[found++].Sym.Flags.GenericFlags =
        LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable;
  }
  LLVMErrorRef error = LLVMErrorSuccess;
  if (found) {
    LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(pairs, found);
    error = LLVMOrcJITDylibDefine(dylib, unit);
    if (error)
      LLVMOrcDisposeMaterializationUnit(unit);
  }
  free(pairs);
  return error;
}

// A free code object with an empty JITDylib.
static gj_status take_code(gj_jit_code **out_code, gj_error *err) {
  if (jit.free_codes) {
    *out_code = jit.free_codes;
    jit.free_codes = jit.free_codes->next_free;
    return GJ_OK;
  }
  gj_jit_code *code = calloc(1, sizeof *code);
  if (!code)
    return gj_fail(err, GJ_E_MEMORY, "jit: out of memory at %zu loaded objects", jit.object_count);
  char name[32];
  snprintf(name, sizeof name, "gj%zu", jit.dylib_count);
  code->dylib = LLVMOrcExecutionSessionCreateBareJITDylib(session(), name);
  jit.dylib_count++;
  LLVMOrcJITDylibAddGenerator(
      code->dylib, LLVMOrcCreateCustomCAPIDefinitionGenerator(define_allowed, code, NULL));
  *out_code = code;
  return GJ_OK;
}

// Unlinks what the code object holds and puts it into the list of free ones. The next code there
// has other constants under the same names.
static void release_code(gj_jit_code *code) {
  LLVMErrorRef error = code->constants ? LLVMOrcJITDylibClear(code->dylib)
                                       : LLVMOrcResourceTrackerRemove(code->tracker);
  if (error)
    LLVMConsumeError(error); // nothing a caller could do; the memory stays with the session
  LLVMOrcReleaseResourceTracker(code->tracker);
  code->tracker = NULL;
  code->constants = NULL;
  code->next_free = jit.free_codes;
  jit.free_codes = code;
  if (++jit.unloads < UNLOADS_PER_CLEANING)
    return;
  jit.unloads = 0;
  LLVMOrcSymbolStringPoolClearDeadEntries(LLVMOrcExecutionSessionGetSymbolStringPool(session()));
}

// --- loading ---

typedef struct found {
  LLVMErrorRef error;
  LLVMOrcExecutorAddress address;
} found;

static void on_found(LLVMErrorRef error, LLVMOrcCSymbolMapPairs result, size_t count,
                     void *context) {
  found *out = context;
  out->error = error;
  if (!error && count == 1)
    out->address = result[0].Sym.Address;
}

// Links the object. Without compile threads ORC does all work in this call and then calls back.
static gj_status find_symbol(gj_jit_code *code, const char *symbol, gj_entry **out_entry,
                             gj_error *err) {
  LLVMOrcCJITDylibSearchOrderElement where = {code->dylib,
                                              LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly};
  LLVMOrcCLookupSetElement what = {LLVMOrcLLJITMangleAndIntern(jit.lljit, symbol),
                                   LLVMOrcSymbolLookupFlagsRequiredSymbol};
  found result = {0};
  LLVMOrcExecutionSessionLookup(session(), LLVMOrcLookupKindStatic, &where, 1, &what, 1, on_found,
                                &result);
  if (result.error)
    return fail_with(result.error, "cannot link the compiled code", err);
  if (!result.address)
    return gj_fail(err, GJ_E_INTERNAL, "jit: symbol %s has no address", symbol);
  *out_entry = (gj_entry *)(uintptr_t)result.address;
  return GJ_OK;
}

// A copy, since the bytes may be freed; from adding on it belongs to ORC, also when that fails.
static gj_status add_object(gj_jit_code *code, const gj_object *object, gj_error *err) {
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(object->bytes, object->size, "object");
  if (!buffer)
    return gj_fail(err, GJ_E_MEMORY, "jit: out of memory at an object of %zu bytes", object->size);
  LLVMErrorRef error = LLVMOrcLLJITAddObjectFileWithRT(jit.lljit, code->tracker, buffer);
  return error ? fail_with(error, "cannot read the compiled object", err) : GJ_OK;
}

static gj_status load_locked(const gj_object *objects, size_t count, const gj_constants *constants,
                             const char *symbol, gj_jit_code **out_code, gj_entry **out_entry,
                             gj_error *err) {
  gj_jit_code *code = NULL;
  jit.cause[0] = '\0';
  GJ_TRY(start_lljit(err));
  GJ_TRY(take_code(&code, err));
  code->tracker = LLVMOrcJITDylibCreateResourceTracker(code->dylib);
  code->constants = constants;
  gj_status status = GJ_OK;
  for (size_t i = 0; i < count && status == GJ_OK; i++)
    status = add_object(code, &objects[i], err);
  if (status == GJ_OK)
    status = find_symbol(code, symbol, out_entry, err);
  if (status != GJ_OK) {
    release_code(code);
    return status;
  }
  *out_code = code;
  return GJ_OK;
}

// Adds the sections that take memory at run time.
static gj_status measure(const void *object, size_t size, size_t *out_bytes, gj_error *err) {
  static const char *const loaded[] = {".text", ".rodata", ".data", ".bss", ".lrodata", ".ldata"};
  LLVMMemoryBufferRef view = LLVMCreateMemoryBufferWithMemoryRange(object, size, "object", false);
  char *message = NULL;
  LLVMBinaryRef binary = LLVMCreateBinary(view, NULL, &message);
  if (!binary) {
    gj_fail(err, GJ_E_INTERNAL, "jit: cannot read the compiled object: %s", message);
    LLVMDisposeMessage(message);
    LLVMDisposeMemoryBuffer(view);
    return GJ_E_INTERNAL;
  }
  LLVMSectionIteratorRef section = LLVMObjectFileCopySectionIterator(binary);
  for (; !LLVMObjectFileIsSectionIteratorAtEnd(binary, section); LLVMMoveToNextSection(section)) {
    const char *name = LLVMGetSectionName(section);
    for (size_t i = 0; name && i < sizeof loaded / sizeof loaded[0]; i++)
      if (strncmp(name, loaded[i], strlen(loaded[i])) == 0)
        *out_bytes += LLVMGetSectionSize(section);
  }
  LLVMDisposeSectionIterator(section);
  LLVMDisposeBinary(binary);
  LLVMDisposeMemoryBuffer(view);
  return GJ_OK;
}

gj_status gj_jit_load_all(const gj_object *objects, size_t count, const gj_constants *constants,
                          const char *symbol, gj_jit_code **out_code, gj_entry **out_entry,
                          gj_error *err) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++)
    GJ_TRY(measure(objects[i].bytes, objects[i].size, &bytes, err));
  pthread_mutex_lock(&jit.lock);
  gj_status status = load_locked(objects, count, constants, symbol, out_code, out_entry, err);
  if (status == GJ_OK) {
    (*out_code)->bytes = bytes;
    jit.object_count++;
    jit.byte_count += bytes;
  }
  pthread_mutex_unlock(&jit.lock);
  return status;
}

gj_status gj_jit_load(const void *object, size_t size, const char *symbol, gj_jit_code **out_code,
                      gj_entry **out_entry, gj_error *err) {
  return gj_jit_load_all(&(gj_object){object, size}, 1, NULL, symbol, out_code, out_entry, err);
}

void gj_jit_unload(gj_jit_code *code) {
  if (!code)
    return;
  pthread_mutex_lock(&jit.lock);
  jit.object_count--;
  jit.byte_count -= code->bytes;
  release_code(code);
  pthread_mutex_unlock(&jit.lock);
}

void gj_jit_usage(size_t *out_objects, size_t *out_bytes) {
  pthread_mutex_lock(&jit.lock);
  *out_objects = jit.object_count;
  *out_bytes = jit.byte_count;
  pthread_mutex_unlock(&jit.lock);
}
