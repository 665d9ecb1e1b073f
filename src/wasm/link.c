// Linking one WebAssembly object: the command line for lld, and its complaints as a gj_error.

#include "wasm/link.h"

#include "base/arena.h"
#include "base/size.h"
#include "codegen/targets/target.h"
#include "wasm/lld_shim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIXED_WORDS = 22, DEFAULT_STACK = 16 * 1024, LOG_CAPACITY = 2048, OPTION_CAPACITY = 64 };

// The words of the command line, in one arena; room was reserved for all of them.
typedef struct command {
  gj_arena *arena;
  const char **words;
  size_t count;
  bool failed;
} command;

static void add(command *line, const char *word) { line->words[line->count++] = word; }

static void add_number(command *line, const char *option, uint64_t value) {
  char text[OPTION_CAPACITY];
  snprintf(text, sizeof text, "%s%llu", option, (unsigned long long)value);
  char *word = gj_arena_strdup(line->arena, text);
  if (word)
    add(line, word);
  else
    line->failed = true;
}

static void add_export(command *line, const char *symbol) {
  static const char option[] = "--export=";
  char *word = gj_arena_array(line->arena, strlen(symbol) + sizeof option, 1);
  if (!word) {
    line->failed = true;
    return;
  }
  memcpy(word, option, sizeof option);
  strcpy(word + sizeof option - 1, symbol);
  add(line, word);
}

static bool command_init(command *line, gj_arena *arena, const gj_wasm_link_options *options) {
  size_t room;
  *line = (command){.arena = arena};
  if (!gj_add_size(options->export_count, FIXED_WORDS, &room))
    return false;
  line->words = gj_arena_array(arena, room, sizeof *line->words);
  if (!line->words)
    return false;
  add(line, "wasm-ld");
  add(line, "--no-entry");
  add(line, "--threads=1"); // lld's own pool would start threads inside Node
  add(line, "--color-diagnostics=never");
  add(line, "-mllvm"); // lld takes back all options of the process, but for those it is given
  add(line, GJ_CODEGEN_OPTION);
  add(line, "--stack-first");
  add_number(line, "-zstack-size=", options->stack_size ? options->stack_size : DEFAULT_STACK);
  add(line, options->keep_names ? "--strip-debug" : "--strip-all");
  if (options->import_memory)
    add(line, "--import-memory");
  if (options->shared_memory)
    add(line, "--shared-memory");
  if (options->initial_memory)
    add_number(line, "--initial-memory=", options->initial_memory);
  if (options->max_memory)
    add_number(line, "--max-memory=", options->max_memory);
  if (options->stack_pointer) {
    add(line, "--no-check-features");
    add_export(line, "__stack_pointer");
  }
  for (size_t i = 0; i < options->export_count; i++)
    add_export(line, options->exports[i]);
  add(line, GJ_LLD_OBJECT);
  add(line, "-o");
  add(line, GJ_LLD_MODULE);
  return !line->failed;
}

// lld begins each message with its name and "error:", and may print several.
static gj_status refuse(char *log, gj_error *err) {
  static const char prefix[] = "wasm-ld: error: ";
  const char *message =
      strncmp(log, prefix, sizeof prefix - 1) == 0 ? log + sizeof prefix - 1 : log;
  char *end = strstr(message, "\nwasm-ld: ");
  if (end)
    *end = '\0';
  size_t size = strlen(log);
  while (size > 0 && log[size - 1] == '\n')
    log[--size] = '\0';
  return gj_fail(err, GJ_E_INTERNAL, "wasm link: %s", *message ? message : "no message from lld");
}

gj_status gj_wasm_link(const void *object, size_t size, const gj_wasm_link_options *options,
                       unsigned char **out_bytes, size_t *out_size, gj_error *err) {
  static const unsigned char magic[8] = {0, 'a', 's', 'm', 1, 0, 0, 0};
  *out_bytes = NULL;
  *out_size = 0;
  // lld would take bitcode and archives, too, and we link no code for them.
  if (size < sizeof magic || memcmp(object, magic, sizeof magic) != 0)
    return gj_fail(err, GJ_E_INTERNAL, "wasm link: %zu bytes are not a WebAssembly object", size);
  gj_arena arena;
  gj_arena_init(&arena, 0);
  command line;
  gj_status status = GJ_OK;
  char log[LOG_CAPACITY] = "";
  if (!command_init(&line, &arena, options))
    status = gj_fail(err, GJ_E_MEMORY, "wasm link: out of memory for the command line");
  else if (!gj_lld_wasm(line.words, line.count, object, size, out_bytes, out_size, log, sizeof log))
    status = refuse(log, err);
  gj_arena_fini(&arena);
  return status;
}
