// Code generation for a function of Loop IR, and the words of its header; see function.h.
#include "object/function.h"

#include "object/names.h"

#include <stdlib.h>
#include <string.h>

static gj_status read_module(const char *text, size_t size, gj_lmodule **out, gj_error *err) {
  gj_lmodule *code;
  GJ_TRY(gj_lmodule_parse(text, size, &code, err));
  gj_status status = gj_lmodule_verify(code, err);
  if (status == GJ_OK)
    *out = code;
  else
    gj_lmodule_free(code);
  return status;
}

// Callers know from a header whether there is `exec`, so both have to say the same.
static gj_status check_run(const gj_lmodule *code, bool takes_run, gj_error *err) {
  bool *needs = calloc((size_t)code->func_count + 1, sizeof *needs);
  if (!needs)
    return gj_fail(err, GJ_E_MEMORY, "object: out of memory");
  gj_lfunc_needs_exec(code, needs);
  bool same = true;
  for (uint32_t i = 0; i < code->func_count; i++)
    same = same && (!code->funcs[i]->exported || needs[i] == takes_run);
  free(needs);
  return same ? GJ_OK
              : gj_fail(err, GJ_E_INTERNAL, "object: the header and the code differ in `exec`");
}

gj_status gj_object_function(const char *text, size_t size, bool takes_run, const gj_target *target,
                             const gj_object_options *options, gj_emit emit,
                             unsigned char **out_bytes, size_t *out_size, gj_error *err) {
  char symbol[GJ_SYMBOL_CAPACITY];
  gj_target settled;
  gj_lmodule *code;
  *out_bytes = NULL;
  *out_size = 0;
  GJ_TRY(gj__object_symbol(options->symbol, "", options->symbol, symbol, err));
  GJ_TRY(gj__object_target(target, options, &settled, err));
  GJ_TRY(read_module(text, size, &code, err));
  gj_codegen_options back = {.numerics = options->numerics,
                             .math = GJ_MATH_JS,
                             .opt_level = options->opt_level,
                             .vectorise = true,
                             .for_size = settled.wasm,
                             .plan_symbol = symbol};
  gj_status status = check_run(code, takes_run, err);
  if (status == GJ_OK)
    status = gj_codegen(code, &settled, &back, emit, out_bytes, out_size, NULL, err);
  gj_lmodule_free(code);
  return status;
}

// --- words ---

// Each line as an identifier of the scope that the symbol is in.
static bool add_names(gj_object_words *words, const char *lines) {
  gj_arena arena;
  gj_arena_init(&arena, 0);
  gj__c_scope scope = {.arena = &arena};
  gj__c_scope_add(&scope, words->symbol);
  while (*lines) {
    size_t length = strcspn(lines, "\n");
    char *name = gj_arena_strndup(&arena, lines, length);
    gj_strbuf_text(&words->names, name ? gj__c_scope_add(&scope, name) : "");
    gj_strbuf_char(&words->names, '\n');
    words->names.failed = words->names.failed || !name;
    lines += length + (lines[length] == '\n');
  }
  gj__c_scope_fini(&scope);
  gj_arena_fini(&arena);
  return !scope.failed && !words->names.failed;
}

gj_status gj_object_words_init(gj_object_words *words, const char *name, const char *symbol,
                               const char *lines, gj_error *err) {
  *words = (gj_object_words){.symbol = ""};
  GJ_TRY(gj__object_symbol(name, "function", symbol, words->symbol, err));
  gj_object_opening(words->symbol, &words->opening);
  if (!add_names(words, lines) || words->opening.failed)
    return gj_fail(err, GJ_E_MEMORY, "object: out of memory");
  return GJ_OK;
}

void gj_object_words_fini(gj_object_words *words) {
  gj_strbuf_fini(&words->opening);
  gj_strbuf_fini(&words->names);
}
