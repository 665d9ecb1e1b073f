// Target descriptions: this machine, wasm32, and other machines by name.
//
// The processors that can be named are a table (processors.c); explicit "+a,-b" features adjust
// them. The host is asked for its features instead, so any x86-64 or arm64 machine works whatever
// it is called.
#include "codegen/targets/target.h"

#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "codegen/targets/apart.h"
#include "codegen/targets/machine.h"
#include "codegen/targets/processors.h"

// What wasm engines of 2021 and later have (Node 16.4, Chrome 91, Firefox 89, Safari 16.4). The
// "mvp" processor adds nothing of its own. Relaxed simd came in 2023 (Chrome 114, Node 22) and
// later.
#define WASM_SIMD "+bulk-memory,+bulk-memory-opt,+nontrapping-fptoint,+sign-ext,+simd128"
#define WASM_RELAXED WASM_SIMD ",+relaxed-simd"
#define WASM_THREADS ",+atomics,+mutable-globals"

// Bytes of a last cache, of a list in a message, of a feature that is known.
enum { USUAL_CACHE = 32 << 20, KNOWN_TEXT = 400, NAME_TEXT = 32 };

static pthread_once_t targets_once = PTHREAD_ONCE_INIT;

static void targets_init(void) {
#define INIT(name)                                                                                 \
  LLVMInitialize##name##TargetInfo();                                                              \
  LLVMInitialize##name##Target();                                                                  \
  LLVMInitialize##name##TargetMC();                                                                \
  LLVMInitialize##name##AsmPrinter();
  INIT(X86)
  INIT(AArch64)
  INIT(ARM)
  INIT(RISCV)
  INIT(WebAssembly)
#undef INIT
  static const char *const arguments[] = {"graphjit", GJ_CODEGEN_OPTION};
  LLVMParseCommandLineOptions(2, arguments, "");
}

void gj__targets_ready(void) { pthread_once(&targets_once, targets_init); }

// Copies text into a field of the target; the text may be too long when it comes from a caller.
static gj_status copy_field(char *field, size_t capacity, const char *what, const char *text,
                            gj_error *err) {
  size_t length = strlen(text);
  if (length >= capacity)
    return gj_fail(err, GJ_E_ARGUMENT, "target: %s has %zu characters; at most %zu are allowed",
                   what, length, capacity - 1);
  memcpy(field, text, length + 1);
  return GJ_OK;
}

// Whether the comma-separated list has the word: "+fma" is not in "+fma4".
static bool has_feature(const char *features, const char *word) {
  size_t length = strlen(word);
  for (const char *at = strstr(features, word); at; at = strstr(at + 1, word))
    if ((at == features || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
      return true;
  return false;
}

// A feature of an x86 CPU after "+f" and "-f" have been applied to what the processor has itself.
static bool x86_feature(const char *features, const char *name, bool inherent) {
  char word[NAME_TEXT];
  snprintf(word, sizeof word, "-%s", name);
  if (has_feature(features, word))
    return false;
  word[0] = '+';
  return inherent || has_feature(features, word);
}

// The inherent facts stand in `target` and are adjusted by its features.
static void apply_x86_features(gj_target *target) {
  const char *f = target->features;
  bool wide = target->vector_bytes >= 64, middle = target->vector_bytes >= 32;
  // Without these LLVM takes away what was built on them, too.
  bool avx = x86_feature(f, "sse4.2", true) && x86_feature(f, "avx", true);
  bool avx2 = avx && x86_feature(f, "avx2", middle || has_feature(f, "+avx512f"));
  bool avx512 = avx2 && x86_feature(f, "avx512f", wide) && x86_feature(f, "avx512vl", wide) &&
                x86_feature(f, "avx512dq", wide) && x86_feature(f, "avx512bw", wide);
  target->vector_bytes = avx512 ? 64 : avx2 ? 32 : 16;
  // AVX2 masks words and doublewords only, and some processors do so slowly when they store.
  target->masked = avx512 ? 1 | 2 | 4 | 8 : avx2 ? 4 | 8 : 0;
  target->cheap_masks = avx512;
  target->stream_bytes = USUAL_CACHE;
  target->fma = avx && x86_feature(f, "fma", target->fma);
  target->halves = avx && x86_feature(f, "f16c", target->halves);
}

// The last cache of this machine, as the system knows it. A larger one is shared with many cores,
// and streaming won from a third of 100 MB on.
static void measure_cache(gj_target *target) {
#ifdef _SC_LEVEL3_CACHE_SIZE
  long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (target->stream_bytes && bytes > 0)
    target->stream_bytes = bytes < USUAL_CACHE ? bytes : USUAL_CACHE;
#endif
}

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

// Pointer size and byte order as LLVM sees them; also the proof that the triple can be compiled
// for.
static gj_status check_layout(gj_target *target, gj_error *err) {
  LLVMTargetMachineRef machine = NULL;
  GJ_TRY(gj__target_machine(target, 2, &machine, err));
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  target->pointer_bytes = LLVMPointerSize(layout);
  bool little = LLVMByteOrder(layout) == LLVMLittleEndian;
  LLVMDisposeTargetData(layout);
  gj__target_machine_release(target, 2, machine);
  if (!little)
    return gj_fail(err, GJ_E_UNSUPPORTED,
                   "target: %s is big-endian; only little-endian targets "
                   "are supported",
                   target->triple);
  return GJ_OK;
}

static pthread_once_t host_once = PTHREAD_ONCE_INIT;
static gj_target host_target;
static gj_status host_status;
static gj_error host_error;

static gj_status detect_host(gj_target *out, gj_error *err) {
  char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName();
  char *features = LLVMGetHostCPUFeatures();
  gj_status status = copy_field(out->triple, sizeof out->triple, "the host's triple", triple, err);
  if (status == GJ_OK)
    status = copy_field(out->cpu, sizeof out->cpu, "the host's CPU name", cpu, err);
  if (status == GJ_OK)
    status =
        copy_field(out->features, sizeof out->features, "the host's feature list", features, err);
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  GJ_TRY(status);
  out->vector_bytes = 16;
  if (starts_with(out->triple, "x86_64")) {
    if (!has_feature(out->features, "+sse4.1"))
      return gj_fail(err, GJ_E_UNSUPPORTED,
                     "target: this CPU (%s) has no SSE4.1; x86-64-v2 or newer is needed", out->cpu);
    apply_x86_features(out);
    measure_cache(out);
  } else {
    out->halves = starts_with(out->triple, "aarch64") || starts_with(out->triple, "arm64");
    out->fma = out->halves || has_feature(out->features, "+d");
  }
  // What check_layout() would find by making a target machine, which takes a millisecond.
  out->pointer_bytes = sizeof(void *);
  return GJ_OK;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "only little-endian hosts are supported");

static void host_init(void) { host_status = detect_host(&host_target, &host_error); }

gj_status gj_target_host_shared(const gj_target **out_target, gj_error *err) {
  pthread_once(&host_once, host_init);
  if (host_status != GJ_OK)
    return gj_fail(err, host_status, "%s", host_error.message);
  *out_target = &host_target;
  return GJ_OK;
}

gj_status gj_target_host(gj_target *out_target, gj_error *err) {
  const gj_target *host;
  GJ_TRY(gj_target_host_shared(&host, err));
  *out_target = *host;
  return GJ_OK;
}

gj_status gj_target_wasm(gj_wasm_variant variant, bool threads, gj_target *out_target,
                         gj_error *err) {
  static const char *const features[][2] = {
      [GJ_WASM_MVP] = {"", NULL},
      [GJ_WASM_SIMD] = {WASM_SIMD, WASM_SIMD WASM_THREADS},
      [GJ_WASM_RELAXED] = {WASM_RELAXED, WASM_RELAXED WASM_THREADS}};
  const char *list = features[variant][threads];
  if (!list)
    return gj_fail(err, GJ_E_ARGUMENT,
                   "wasm: variant 'mvp' has no threads, those that have are 'simd', 'relaxed'");
  return gj_target_named("wasm32-unknown-unknown", "mvp", list, out_target, err);
}

// --- targets by name ---

typedef const char *name_of(const void *list, size_t index); // NULL: there are no more

static const char *architecture_name(const void *list, size_t index) {
  (void)list;
  return index < gj_architecture_count() ? gj_architecture_get(index)->name : NULL;
}

static const char *processor_name(const void *list, size_t index) {
  const gj_architecture *arch = list;
  return index < arch->processor_count ? arch->processors[index].name : NULL;
}

static const char *feature_name(const void *list, size_t index) {
  return ((const gj_architecture *)list)->features[index];
}

// "a, b, c"
static const char *join(name_of *name, const void *list, char *text, size_t capacity) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; name(list, i) && used < capacity; i++) {
    int n = snprintf(text + used, capacity - used, "%s%s", i ? ", " : "", name(list, i));
    used += n > 0 ? (size_t)n : 0;
  }
  return text;
}

static gj_status find_processor(const gj_architecture *arch, const char *cpu,
                                const gj_processor **out, gj_error *err) {
  for (size_t i = 0; i < arch->processor_count; i++)
    if (!cpu || strcmp(cpu, arch->processors[i].name) == 0) {
      *out = &arch->processors[i];
      return GJ_OK;
    }
  char known[KNOWN_TEXT];
  return gj_fail(err, GJ_E_ARGUMENT, "target: unknown CPU \"%.64s\" for %s; known ones are %s", cpu,
                 arch->name, join(processor_name, arch, known, sizeof known));
}

static bool is_in(const char *const *list, const char *name, size_t length) {
  for (size_t i = 0; list[i]; i++)
    if (strlen(list[i]) == length && memcmp(list[i], name, length) == 0)
      return true;
  return false;
}

// Whether the list has the same word with the other sign.
static bool has_opposite(const char *features, const char *word, size_t length) {
  char opposite[NAME_TEXT];
  snprintf(opposite, sizeof opposite, "%c%.*s", word[0] == '+' ? '-' : '+', (int)length - 1,
           word + 1);
  return has_feature(features, opposite);
}

static gj_status check_feature(const gj_architecture *arch, const char *features, const char *word,
                               size_t length, gj_error *err) {
  char known[KNOWN_TEXT];
  int shown = (int)(length < 64 ? length : 64);
  if (length < 2 || (word[0] != '+' && word[0] != '-'))
    return gj_fail(err, GJ_E_ARGUMENT, "target: feature \"%.*s\" is not of the form +name or -name",
                   shown, word);
  if (!is_in(arch->features, word + 1, length - 1))
    return gj_fail(err, GJ_E_ARGUMENT, "target: unknown feature \"%.*s\" for %s; known ones are %s",
                   shown, word, arch->name, join(feature_name, arch, known, sizeof known));
  if (word[0] == '-' && is_in(arch->needed, word + 1, length - 1))
    return gj_fail(err, GJ_E_ARGUMENT,
                   "target: feature \"%.*s\" for %s: code needs it and cannot do without", shown,
                   word, arch->name);
  if (has_opposite(features, word, length))
    return gj_fail(err, GJ_E_ARGUMENT, "target: feature \"%.*s\" is asked for with + and with -",
                   shown, word);
  return GJ_OK;
}

// "+a,-b", or nothing
static gj_status check_features(const gj_architecture *arch, const char *features, gj_error *err) {
  for (const char *at = features; *features;) {
    size_t length = strcspn(at, ",");
    GJ_TRY(check_feature(arch, features, at, length, err));
    if (!at[length])
      break;
    at += length + 1;
  }
  return GJ_OK;
}

// Lengths of vectors without vectors end the process in LLVM. Taking the parts of v away one by one
// would leave such lengths behind.
static gj_status check_vector_lengths(const gj_processor *p, const char *features, gj_error *err) {
  bool vectors = p->vector_bytes > 0 || has_feature(features, "+v") || strstr(features, "+zve");
  if (strstr(features, "+zvl") && !vectors)
    return gj_fail(err, GJ_E_ARGUMENT, "target: features \"%.64s\": zvl goes with +v or +zve",
                   features);
  if (strstr(features, "-zve"))
    return gj_fail(err, GJ_E_ARGUMENT,
                   "target: features \"%.64s\": zve cannot be taken away, leave out +v", features);
  return GJ_OK;
}

// What of a processor depends on features.
static void apply_features(gj_target *target, const gj_architecture *arch) {
  const char *f = target->features;
  target->wasm = strcmp(arch->name, "wasm32") == 0;
  if (target->wasm && !has_feature(f, "+simd128"))
    target->vector_bytes = 0;
  target->relaxed = target->wasm && target->vector_bytes > 0 && has_feature(f, "+relaxed-simd");
  if (strcmp(arch->name, "x86_64") == 0)
    apply_x86_features(target);
  if (strcmp(arch->name, "riscv64") == 0) {
    target->fma = !has_feature(f, "-d");
    if (has_feature(f, "+v"))
      target->vector_bytes = 16;
    if (has_feature(f, "-v"))
      target->vector_bytes = 0;
  }
  if (strcmp(arch->name, "arm") == 0 && has_feature(f, "+neon"))
    target->vector_bytes = 16;
}

static gj_status join_features(gj_target *target, const char *own, const char *given,
                               gj_error *err) {
  char both[sizeof target->features];
  int n = snprintf(both, sizeof both, "%s%s%s", own, *own && *given ? "," : "", given);
  if (n < 0 || (size_t)n >= sizeof both)
    return gj_fail(err, GJ_E_ARGUMENT,
                   "target: the feature list has %zu characters; at most %zu are allowed",
                   strlen(given), sizeof both - strlen(own) - 2);
  memcpy(target->features, both, (size_t)n + 1);
  return GJ_OK;
}

// Whether the text ends with one of the words.
static bool ends_with(const char *text, const char *const *words) {
  size_t length = strlen(text);
  for (size_t i = 0; words[i]; i++) {
    size_t size = strlen(words[i]);
    if (size <= length && strcmp(text + length - size, words[i]) == 0)
      return true;
  }
  return false;
}

// Systems and formats of objects that do not go with each other end the process in LLVM. So the
// format is that of the system, Windows, whose format is its own, comes with the environments
// that it has, and UEFI with none.
static gj_status check_triple(const gj_target *target, const gj_architecture *arch, gj_error *err) {
  static const char *const formats[] = {"coff", "macho", "goff",        "xcoff",
                                        "wasm", "spirv", "dxcontainer", NULL};
  static const char *const environments[] = {"-gnu", "-msvc", "-itanium", "-cygnus", NULL};
  static const char *const elf[] = {"elf", NULL}, *const uefi[] = {"-uefi", NULL};
  const char *triple = target->triple;
  bool windows = strstr(triple, "-windows") || strstr(triple, "-win32");
  bool wide = strcmp(arch->name, "x86_64") == 0 || strcmp(arch->name, "aarch64") == 0;
  bool wrong = ends_with(triple, formats) || (target->wasm && ends_with(triple, elf)) ||
               (windows && (!wide || !ends_with(triple, environments))) ||
               (strstr(triple, "-uefi") && (!wide || !ends_with(triple, uefi)));
  if (!wrong)
    return GJ_OK;
  return gj_fail(
      err, GJ_E_ARGUMENT,
      "target: triple \"%.64s\": the architecture, the system and the environment do not "
      "go with each other",
      triple);
}

// An architecture alone stands for its usual triple.
static gj_status set_triple(gj_target *target, const gj_architecture *arch, const char *triple,
                            gj_error *err) {
  bool alone = !strchr(triple, '-') || strcmp(triple, "x86-64") == 0;
  char *normal = LLVMNormalizeTargetTriple(alone ? arch->triple : triple);
  gj_status status = copy_field(target->triple, sizeof target->triple, "the triple", normal, err);
  LLVMDisposeMessage(normal);
  return status;
}

gj_status gj_target_named(const char *triple, const char *cpu, const char *features,
                          gj_target *out_target, gj_error *err) {
  gj__targets_ready();
  const gj_processor *p = NULL;
  const gj_architecture *arch = gj__architecture_of(triple);
  gj_target target = {0};
  char known[KNOWN_TEXT];
  if (!arch)
    return gj_fail(err, GJ_E_ARGUMENT,
                   "target: unknown triple \"%.64s\"; known architectures are %s", triple,
                   join(architecture_name, NULL, known, sizeof known));
  GJ_TRY(find_processor(arch, cpu, &p, err));
  if (!features)
    features = strcmp(arch->name, "wasm32") == 0 ? WASM_SIMD : "";
  GJ_TRY(check_features(arch, features, err));
  if (strcmp(arch->name, "riscv64") == 0)
    GJ_TRY(check_vector_lengths(p, features, err));
  GJ_TRY(set_triple(&target, arch, triple, err));
  GJ_TRY(copy_field(target.cpu, sizeof target.cpu, "the CPU name", p->name, err));
  GJ_TRY(join_features(&target, p->features, features, err));
  target.vector_bytes = p->vector_bytes;
  target.fma = p->fma;
  target.halves = p->fma && strcmp(arch->name, "riscv64") != 0; // came together with AVX2
  apply_features(&target, arch);
  GJ_TRY(check_triple(&target, arch, err));
  GJ_TRY(check_layout(&target, err));
  *out_target = target;
  return GJ_OK;
}

bool gj_target_flushes(const gj_target *target) {
  return strncmp(target->triple, "arm", 3) == 0 && target->vector_bytes > 0;
}

gj_status gj_target_drop_vectors(gj_target *target, gj_error *err) {
  target->vector_bytes = 0;
  char own[sizeof target->features];
  memcpy(own, target->features, sizeof own);
  return join_features(target, own, "-neon", err);
}

gj_loops_machine gj_target_loops(const gj_target *target) {
  return (gj_loops_machine){.vector_bytes = target->vector_bytes,
                            .masked = target->masked,
                            .cheap_masks = target->cheap_masks,
                            .stream_bytes = target->stream_bytes,
                            .gathers = target->cheap_masks ? 4 | 8 : 0,
                            .takes_apart = gj_target_takes_apart(target)};
}
