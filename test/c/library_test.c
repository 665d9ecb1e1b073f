// Library functions in Loop IR: their text, what is refused, and that machine code of every level
// and the reference evaluator call the same; that no code for other machines asks for anything.
#include "loop_code.h"
#include "loops_text.h"

#include "wasm/function.h"

// Of 8 texts of 10 bytes each, which overlap: whether each is valid, and how it stands to the next.
static const char kernel[] =
    "module \"m\" {\n"
    "  library \"utf8_valid\" func valid(bytes: i64, length: i64) -> i64\n"
    "  library \"memory_compare\" func memory_compare(a: i64, n: i64, b: i64, m: i64) -> i64\n"
    "  func at(bytes: u8*, i: i64) -> i64 {\n"
    "    return address(offset(bytes, mul(i, 3)))\n"
    "  }\n"
    "  entry func e() -> i32 {\n"
    "    let bytes: u8* = buffer<0, u8>\n"
    "    let out: i64* = buffer<1, i64>\n"
    "    for i = 0 to 8 step 1 {\n"
    "      out[i] = call valid(call at(bytes, i), 10)\n"
    "      out[add(i, 8)] = call memory_compare(call at(bytes, i), 10, call at(bytes, add(i, 1)), "
    "i)\n"
    "    }\n"
    "    return 0:i32\n"
    "  }\n"
    "}\n";

static const char bytes[] = "na\xC3\xAFve caf\xC3\xA9 \xE2\x82\xAC 1\xF0\x9F\x98\x80z";

enum { RESULTS = 16 };

static void run(gj_entry *entry, int64_t *out) {
  char input[64] = {0};
  memcpy(input, bytes, sizeof bytes);
  memset(out, 0x55, RESULTS * sizeof *out);
  gj_exec exec = {0};
  CHECK_INT_EQ(entry((void *[]){input, out}, NULL, &exec), 0);
}

static void evaluate(const gj_lmodule *m, int64_t *out) {
  char input[64] = {0};
  memcpy(input, bytes, sizeof bytes);
  int32_t status = -1;
  gj_error err = {0};
  gj_leval args = {.buffers = (void *[]){input, out},
                   .buffer_sizes = (size_t[]){sizeof input, RESULTS * sizeof *out},
                   .buffer_count = 2};
  CHECK_OK(gj_lmodule_eval(m, &args, &status, &err), &err);
  CHECK_INT_EQ(status, 0);
}

static void text_is_kept(void) {
  gj_lmodule *m = parse(kernel), *copy = m ? gj_lmodule_clone(m) : NULL;
  CHECK_OR_RETURN(copy);
  char *text = print(copy);
  CHECK_STR_EQ(text, kernel);
  free(text);
  gj_lmodule_free(copy);
  gj_lmodule_free(m);
}

static void refuse(const char *head, const char *part) {
  char text[512];
  gj_lmodule *m = NULL;
  gj_error err = {0};
  snprintf(text, sizeof text, "module \"m\" { %s entry func e() -> i32 { return 0:i32 } }", head);
  CHECK_INT_EQ(gj_lmodule_parse(text, strlen(text), &m, &err), GJ_E_VERIFY);
  CHECK_CONTAINS(err.message, part);
}

static void what_the_library_has_not_is_refused(void) {
  const char *takes =
      "f: the library function \"utf8_valid\" takes 2 i64, returns an i64 and has no body";
  refuse("library \"memcpy\" func f(a: i64) -> i64", "f: the library has no function \"memcpy\"");
  refuse("library \"\" func f()", "f: the library has no function \"\"");
  refuse("library \"utf8_valid\" func f(a: i64) -> i64", takes);
  refuse("library \"utf8_valid\" func f(a: i64, b: i64)", takes);
  refuse("library \"utf8_valid\" func f(a: i64, b: i32) -> i64", takes);
  refuse("library \"utf8_valid\" func f(a: u8*, b: i64) -> i64", takes);
  refuse("library \"utf8_valid\" func f(a: i64, b: i64) -> i32", takes);
  refuse("library \"utf8_valid\" export func f(a: i64, b: i64) -> i64", takes);
}

static void code_of_all_levels_does_what_the_evaluator_does(void) {
  int64_t wanted[RESULTS], got[RESULTS];
  gj_target targets[MOST_TARGETS];
  size_t count = find_targets(targets);
  gj_lmodule *m = parse(kernel);
  CHECK_OR_RETURN(m);
  evaluate(m, wanted);
  CHECK(wanted[0] == 1 && wanted[1] == 0 && wanted[8] == 1); // not all alike
  for (size_t i = 0; i < count; i++)
    for (unsigned level = 0; level <= 3; level++)
      for (int host = 0; host < 2; host++) {
        gj_jit_code *code;
        gj_codegen_options options = {.opt_level = level, .vectorise = true, .host_math = host};
        gj_entry *entry = load_code(m, &targets[i], options, &code);
        CHECK_OR_RETURN(entry);
        run(entry, got);
        CHECK(memcmp(got, wanted, sizeof got) == 0);
        gj_jit_unload(code);
      }
  gj_lmodule_free(m);
}

static char *optimised(unsigned level) {
  gj_target target;
  gj_error err = {0};
  unsigned char *text = NULL;
  size_t size;
  gj_codegen_options options = {
      .opt_level = level, .vectorise = true, .host_math = true, .entry_symbol = "e"};
  gj_lmodule *m = parse(kernel);
  if (!m)
    return NULL;
  CHECK_OK(gj_target_host(&target, &err), &err);
  CHECK_OK(gj_codegen(m, &target, &options, GJ_EMIT_LLVM_OPTIMIZED, &text, &size, NULL, &err),
           &err);
  gj_lmodule_free(m);
  return (char *)text;
}

static void quick_code_calls_the_core_and_better_code_has_its_own(void) {
  char *quick = optimised(1), *better = optimised(3);
  CHECK_OR_RETURN(quick && better);
  CHECK_CONTAINS(quick, "declare i64 @gj.library.utf8_valid(i64, i64)");
  CHECK(!strstr(quick, "gjl_"));
  CHECK(!strstr(better, "declare i64 @gj"));
  CHECK(!strstr(better, "define i64 @gjl_")); // inlined, or internal
  free(quick);
  free(better);
}

static void modules_for_the_web_import_nothing(void) {
  gj_error err = {0};
  for (unsigned variant = GJ_WASM_MVP; variant <= GJ_WASM_RELAXED; variant++)
    for (unsigned level = 0; level <= 3; level++) {
      gj_wasm_function_options options = {
          .opt_level = level, .variant = (gj_wasm_variant)variant, .description = "{}"};
      unsigned char *module = NULL;
      size_t size = 0;
      // lld knows no symbol but those of the object.
      CHECK_OK(gj_wasm_function(kernel, strlen(kernel), &options, &module, &size, &err), &err);
      free(module);
    }
}

typedef struct listed {
  const char *name;
  int params, result;
} listed;

static const listed functions[] = {
#define GJL(name, params, result) {#name, params, result},
#include "library/library.def"
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

// A module that calls every function there is, with the words of buffer 0.
static char *calls_of_all(void) {
  gj_strbuf out = {0};
  char *text = NULL;
  gj_error err = {0};
  gj_strbuf_text(&out, "module \"all\" {\n");
  for (int i = 0; i < FUNCTIONS; i++) {
    gj_strbuf_printf(&out, "library \"%s\" func f%d(", functions[i].name, i);
    for (int k = 0; k < functions[i].params; k++)
      gj_strbuf_printf(&out, "%sa%d: i64", k ? ", " : "", k);
    gj_strbuf_text(&out, functions[i].result ? ") -> i64\n" : ")\n");
  }
  gj_strbuf_text(&out, "entry func e() -> i32 {\nlet w: i64* = buffer<0, i64>\n");
  for (int i = 0; i < FUNCTIONS; i++) {
    if (functions[i].result)
      gj_strbuf_printf(&out, "w[%d] = call f%d(", i, i);
    else
      gj_strbuf_printf(&out, "do call f%d(", i);
    for (int k = 0; k < functions[i].params; k++)
      gj_strbuf_printf(&out, "%sw[%d]", k ? ", " : "", i + k);
    gj_strbuf_text(&out, ")\n");
  }
  gj_strbuf_text(&out, "return 0:i32 } }");
  CHECK_OK(gj_strbuf_take(&out, &text, NULL, &err), &err);
  return text;
}

// Also where there are no instructions for blocks of memory, and where code had better be small.
static void no_function_needs_anything_from_outside(void) {
  char *text = calls_of_all();
  gj_error err = {0};
  CHECK_OR_RETURN(text);
  for (int i = 0; i < 3; i++) {
    gj_wasm_function_options options = {.opt_level = i == 2 ? 1 : 2,
                                        .variant = i ? GJ_WASM_MVP : GJ_WASM_SIMD,
                                        .description = "{}"};
    unsigned char *module = NULL;
    size_t size = 0;
    CHECK_OK(gj_wasm_function(text, strlen(text), &options, &module, &size, &err), &err);
    free(module);
  }
  gj_lmodule *m = parse(text);
  gj_target target;
  CHECK_OK(gj_target_host(&target, &err), &err);
  for (unsigned level = 1; m && level <= 2; level++) { // the first calls, the other has copies
    gj_jit_code *code;
    gj_codegen_options options = {.opt_level = level, .vectorise = true, .host_math = true};
    CHECK(load_code(m, &target, options, &code));
    gj_jit_unload(code);
  }
  gj_lmodule_free(m);
  free(text);
}

static void objects_are_made_for_all_machines(void) {
  static const char *const triples[] = {"x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu",
                                        "armv7-unknown-linux-gnueabihf",
                                        "riscv64-unknown-linux-gnu"};
  for (size_t i = 0; i < sizeof triples / sizeof *triples; i++) {
    gj_target target;
    gj_error err = {0};
    unsigned char *text = NULL;
    size_t size;
    gj_lmodule *m = parse(kernel);
    CHECK_OR_RETURN(m);
    gj_codegen_options options = {.opt_level = 2, .vectorise = true, .entry_symbol = "e"};
    CHECK_OK(gj_target_named(triples[i], NULL, NULL, &target, &err), &err);
    CHECK_OK(gj_codegen(m, &target, &options, GJ_EMIT_ASSEMBLY, &text, &size, NULL, &err), &err);
    CHECK(text && !strstr((char *)text, "memcpy") && !strstr((char *)text, "gj.library"));
    free(text);
    gj_lmodule_free(m);
  }
}

int main(void) {
  CHECK_RUN(text_is_kept);
  CHECK_RUN(what_the_library_has_not_is_refused);
  CHECK_RUN(code_of_all_levels_does_what_the_evaluator_does);
  CHECK_RUN(quick_code_calls_the_core_and_better_code_has_its_own);
  CHECK_RUN(modules_for_the_web_import_nothing);
  if (!check_is_quick()) // it compiles every function five times, which is LLVM's work
    CHECK_RUN(no_function_needs_anything_from_outside);
  CHECK_RUN(objects_are_made_for_all_machines);
  return check_report();
}
