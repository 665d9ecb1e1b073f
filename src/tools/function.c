// gj fn: what a module of Loop IR text becomes, as functions of users are compiled.
//
// Options stand behind the file: --llvm (as optimised, the default), --raw (before that), --asm,
// --loops (parsed and printed), --numerics=strict|default|fast, --opt=0…3, --wasm,
// --variant=mvp|simd|relaxed, --graph (LLVM's vectorisers do not run), --repeat=N (compiles it N
// times and says what the quickest took). What became of loops with
// positions and how long it took stands in front, as comments.
#include "tools/gj.h"

#include "codegen/codegen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
  gj_codegen_options back;
  gj_emit what;
  gj_wasm_variant variant;
  bool wasm, loops;
  unsigned repeat; // compile it as often, to see the time
} settings;

static int place_of(const char *word, const char *const *words, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(word, words[i]) == 0)
      return i;
  return -1;
}

static bool set(settings *s, const char *text) {
  static const char *const numerics[] = {"default", "strict", "fast"};
  static const char *const variants[] = {"mvp", "simd", "relaxed"};
  static const char *const emits[] = {"--raw", "--llvm", "--bitcode", "--asm"};
  int at = place_of(text, emits, 4);
  if (at >= 0) {
    s->what = (gj_emit)at;
    return true;
  }
  if (strncmp(text, "--numerics=", 11) == 0 && (at = place_of(text + 11, numerics, 3)) >= 0) {
    s->back.numerics = (gj_numerics)at;
    return true;
  }
  if (strncmp(text, "--variant=", 10) == 0 && (at = place_of(text + 10, variants, 3)) >= 0) {
    s->variant = (gj_wasm_variant)at;
    return true;
  }
  if (strncmp(text, "--opt=", 6) == 0 && text[6] >= '0' && text[6] <= '3' && !text[7]) {
    s->back.opt_level = (unsigned)(text[6] - '0');
    return true;
  }
  if (strncmp(text, "--repeat=", 9) == 0 && (s->repeat = (unsigned)atoi(text + 9)) > 0)
    return true;
  if (strcmp(text, "--graph") == 0)
    s->back.vectorise = false;
  else if (strcmp(text, "--wasm") == 0)
    s->wasm = s->back.for_size = true;
  else if (strcmp(text, "--loops") == 0)
    s->loops = true;
  else
    return false;
  return true;
}

// Keeps the times of the quickest of several compilations and the outcome of the last.
static gj_status compile(const gj_lmodule *module, const gj_target *target, settings *s,
                         unsigned char **out_text, size_t *out_size, gj_codegen_times *out_times,
                         gj_error *err) {
  gj_status status = GJ_OK;
  *out_times = (gj_codegen_times){1e9, 1e9, 1e9};
  for (unsigned i = 0; i < s->repeat && status == GJ_OK; i++) {
    gj_codegen_times t;
    free(*out_text);
    gj_remarks_fini(s->back.remarks);
    status = gj_codegen(module, target, &s->back, s->what, out_text, out_size, &t, err);
    if (t.emit + t.optimize + t.machine <
        out_times->emit + out_times->optimize + out_times->machine)
      *out_times = t;
  }
  return status;
}

static gj_status generate(const gj_lmodule *module, settings *s, gj_strbuf *out, gj_error *err) {
  gj_target target = {0};
  gj_remarks remarks = {0};
  gj_codegen_times times;
  unsigned char *text = NULL;
  size_t size = 0;
  GJ_TRY(s->wasm ? gj_target_wasm(s->variant, false, &target, err) : gj_target_host(&target, err));
  s->back.remarks = &remarks;
  gj_status status = compile(module, &target, s, &text, &size, &times, err);
  if (status == GJ_OK && s->what != GJ_EMIT_LLVM) {
    const char *mark = s->what == GJ_EMIT_ASSEMBLY ? "#" : ";";
    for (size_t i = 0; i < remarks.count; i++)
      gj_strbuf_printf(out, "%s %u:%u: %s\n", mark, (unsigned)remarks.items[i].line,
                       (unsigned)remarks.items[i].column, remarks.items[i].text);
    fprintf(stderr, "emit %.2f ms, optimise %.2f ms, machine %.2f ms\n", times.emit, times.optimize,
            times.machine);
  }
  if (status == GJ_OK)
    gj_strbuf_bytes(out, text, size);
  gj_remarks_fini(&remarks);
  free(text);
  return status;
}

int gj__run_fn(int argc, char **argv) {
  settings s = {.back = {.opt_level = 3, .vectorise = true, .entry_symbol = "run"},
                .what = GJ_EMIT_LLVM_OPTIMIZED,
                .variant = GJ_WASM_SIMD,
                .repeat = 1};
  for (int i = 1; i < argc; i++)
    if (!set(&s, argv[i])) {
      fprintf(stderr,
              "gj: %s: expected --asm, --llvm, --raw, --loops, --numerics=strict|default|fast, "
              "--opt=0…3, --wasm, --variant=mvp|simd|relaxed, --repeat=N or --graph\n",
              argv[i]);
      return EXIT_USAGE;
    }
  s.back.host_math = !s.wasm;
  gj_error err = {0};
  char *text = NULL;
  size_t size = 0;
  gj_lmodule *module = NULL;
  gj_strbuf out = {0};
  gj_status status = gj__read_file(argv[0], &text, &size, &err);
  if (status == GJ_OK)
    status = gj_lmodule_parse(text, size, &module, &err);
  free(text);
  if (status == GJ_OK && s.loops)
    gj_lmodule_print(module, &out);
  else if (status == GJ_OK)
    status = generate(module, &s, &out, &err);
  gj_lmodule_free(module);
  if (status == GJ_OK)
    return gj__write_text(&out);
  gj_strbuf_fini(&out);
  return gj__complain(argv[0], &err);
}
