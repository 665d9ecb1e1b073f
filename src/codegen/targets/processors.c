// See processors.h. Features are those that a table of CPUs leaves open: extensions that change
// which instructions are chosen, not the hundreds of tuning flags.
#include "codegen/targets/processors.h"

#include <string.h>

static const gj_processor x86_64[] = {
    {"x86-64-v2", 16, false, ""},     {"x86-64-v3", 32, true, ""},
    {"x86-64-v4", 64, true, ""},      {"nehalem", 16, false, ""},
    {"sandybridge", 16, false, ""},   {"haswell", 32, true, ""},
    {"broadwell", 32, true, ""},      {"skylake", 32, true, ""},
    {"alderlake", 32, true, ""},      {"skylake-avx512", 64, true, ""},
    {"cascadelake", 64, true, ""},    {"icelake-client", 64, true, ""},
    {"icelake-server", 64, true, ""}, {"sapphirerapids", 64, true, ""},
    {"graniterapids", 64, true, ""},  {"znver1", 32, true, ""},
    {"znver2", 32, true, ""},         {"znver3", 32, true, ""},
    {"znver4", 64, true, ""},         {"znver5", 64, true, ""},
};

static const gj_processor aarch64[] = {
    {"generic", 16, true, ""},     {"cortex-a53", 16, true, ""},  {"cortex-a55", 16, true, ""},
    {"cortex-a57", 16, true, ""},  {"cortex-a72", 16, true, ""},  {"cortex-a76", 16, true, ""},
    {"cortex-a78", 16, true, ""},  {"cortex-x1", 16, true, ""},   {"neoverse-n1", 16, true, ""},
    {"neoverse-n2", 16, true, ""}, {"neoverse-v1", 16, true, ""}, {"neoverse-v2", 16, true, ""},
    {"apple-m1", 16, true, ""},    {"apple-m2", 16, true, ""},    {"apple-m3", 16, true, ""},
    {"apple-m4", 16, true, ""},
};

// Version 7 with floating point in hardware. NEON flushes subnormal numbers, so it must be asked
// for.
#define ARM_V7 "+armv7-a,+vfp3d16,-neon"
static const gj_processor arm[] = {
    {"generic", 0, false, ARM_V7},     {"cortex-a7", 0, false, "-neon"},
    {"cortex-a8", 0, false, "-neon"},  {"cortex-a9", 0, false, "-neon"},
    {"cortex-a15", 0, false, "-neon"}, {"cortex-a53", 0, false, "-neon"},
    {"cortex-a72", 0, false, "-neon"},
};

#define RV64 "+m,+a,+f,+d,+c"
static const gj_processor riscv64[] = {
    {"generic-rv64", 0, true, RV64}, {"rocket-rv64", 0, true, RV64}, {"sifive-u74", 0, true, ""},
    {"sifive-p550", 0, true, ""},    {"sifive-x280", 16, true, ""},  {"spacemit-x60", 16, true, ""},
};

static const gj_processor wasm32[] = {
    {"mvp", 16, false, ""},
    {"generic", 16, false, ""},
};

static const char *const x86_64_names[] = {"amd64", "x86-64", NULL};
static const char *const aarch64_names[] = {"arm64", NULL};
static const char *const arm_names[] = {"armv7", "armv7a", "armv7l", NULL};
static const char *const no_names[] = {NULL};

static const char *const x86_64_features[] = {"sse3",
                                              "ssse3",
                                              "sse4.1",
                                              "sse4.2",
                                              "popcnt",
                                              "avx",
                                              "avx2",
                                              "fma",
                                              "f16c",
                                              "bmi",
                                              "bmi2",
                                              "lzcnt",
                                              "movbe",
                                              "aes",
                                              "gfni",
                                              "vaes",
                                              "vpclmulqdq",
                                              "avxvnni",
                                              "avx512f",
                                              "avx512bw",
                                              "avx512cd",
                                              "avx512dq",
                                              "avx512vl",
                                              "avx512ifma",
                                              "avx512vbmi",
                                              "avx512vbmi2",
                                              "avx512vnni",
                                              "avx512bitalg",
                                              "avx512vpopcntdq",
                                              "avx512bf16",
                                              "avx512fp16",
                                              NULL};
static const char *const aarch64_features[] = {
    "neon", "fp-armv8", "crc",  "lse", "rdm",  "dotprod", "fullfp16", "fp16fml", "rcpc", "jsconv",
    "i8mm", "bf16",     "sha2", "aes", "sha3", "sm4",     "sve",      "sve2",    NULL};
static const char *const arm_features[] = {
    "neon",  "vfp3",      "vfp3d16",    "vfp4",    "vfp4d16", "d32", "fp16",
    "hwdiv", "hwdiv-arm", "thumb-mode", "armv7-a", "armv8-a", "crc", NULL};
static const char *const riscv64_features[] = {
    "m",       "a",       "f",       "d",        "c",      "v",      "zba",  "zbb",
    "zbc",     "zbs",     "zfa",     "zfh",      "zfhmin", "zicond", "zcb",  "zve32x",
    "zve32f",  "zve64x",  "zve64f",  "zve64d",   "zvfh",   "zvbb",   "zvkb", "zvl64b",
    "zvl128b", "zvl256b", "zvl512b", "zvl1024b", NULL};
static const char *const wasm32_features[] = {"simd128",
                                              "relaxed-simd",
                                              "bulk-memory",
                                              "bulk-memory-opt",
                                              "nontrapping-fptoint",
                                              "sign-ext",
                                              "mutable-globals",
                                              "multivalue",
                                              "reference-types",
                                              "tail-call",
                                              "extended-const",
                                              "atomics",
                                              "fp16",
                                              NULL};

// Square roots, rounding and arithmetic of floats, and vectors where all processors have them.
static const char *const x86_64_needed[] = {"sse3", "ssse3", "sse4.1", NULL};
static const char *const aarch64_needed[] = {"fp-armv8", "neon", NULL};
static const char *const riscv64_needed[] = {"f", "d", NULL};
static const char *const nothing_needed[] = {NULL};

#define COUNTED(list) list, sizeof list / sizeof *list
static const gj_architecture architectures[] = {
    {"x86_64", x86_64_names, "x86_64-unknown-linux-gnu", x86_64_features, x86_64_needed,
     COUNTED(x86_64)},
    {"aarch64", aarch64_names, "aarch64-unknown-linux-gnu", aarch64_features, aarch64_needed,
     COUNTED(aarch64)},
    {"arm", arm_names, "armv7-unknown-linux-gnueabihf", arm_features, nothing_needed, COUNTED(arm)},
    {"riscv64", no_names, "riscv64-unknown-linux-gnu", riscv64_features, riscv64_needed,
     COUNTED(riscv64)},
    {"wasm32", no_names, "wasm32-unknown-unknown", wasm32_features, nothing_needed,
     COUNTED(wasm32)},
};

size_t gj_architecture_count(void) { return sizeof architectures / sizeof *architectures; }

const gj_architecture *gj_architecture_get(size_t index) { return &architectures[index]; }

const gj_architecture *gj__architecture_of(const char *triple) {
  size_t length = strcspn(triple, "-");
  if (strcmp(triple, "x86-64") == 0) // alone; else it has the separator of triples in its name
    length = strlen(triple);
  for (size_t i = 0; i < gj_architecture_count(); i++) {
    const gj_architecture *a = &architectures[i];
    const char *name = a->name;
    for (size_t k = 0; name; name = a->aliases[k++])
      if (strlen(name) == length && strncmp(name, triple, length) == 0)
        return a;
  }
  return NULL;
}
