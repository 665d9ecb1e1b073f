// See perf_map.h.
//
// The folder is open to all, so the file is made anew for this process: what has its name is
// removed, which in a sticky folder only its owner may do, and creating insists that nothing is
// there. A link that somebody put in the way is never followed. Lines of one program go out in one
// write. A child of fork() gets a file of its own.
//
// The linker keeps the sections of an object in one piece, so a function lies as far from the entry
// in memory as it does in the object. Left out: telling when code is freed, for which the format
// has no words; a later line for the same address holds.
#include "jit/observe/perf_map.h"

#include "base/strbuf.h"

#include <fcntl.h>
#include <inttypes.h>
#include <llvm-c/Core.h>
#include <llvm-c/Object.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAME = 160 };

static struct {
  pthread_mutex_t lock;
  pid_t owner; // of the file; 0: none has been tried
  int file;    // -1: there is none
} map = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_on;

static void read_environment(void) {
  const char *value = getenv("GRAPHJIT_PERF");
  is_on = value && strcmp(value, "1") == 0;
}

bool gj_perf_map_is_on(void) {
  pthread_once(&once, read_environment);
  return is_on;
}

// --- the file ---

static void open_locked(void) {
  char path[64];
  pid_t self = getpid();
  if (map.owner == self)
    return;
  if (map.file >= 0)
    close(map.file); // of the process that forked this one
  map.owner = self;
  snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)self);
  unlink(path);
  map.file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static void write_all(const gj_strbuf *text) {
  const char *rest = gj_strbuf_peek(text);
  size_t left = text->size;
  pthread_mutex_lock(&map.lock);
  open_locked();
  while (map.file >= 0 && left > 0) {
    ssize_t written = write(map.file, rest, left);
    if (written <= 0)
      break; // a full disk: what is missing stays an address
    rest += written;
    left -= (size_t)written;
  }
  pthread_mutex_unlock(&map.lock);
}

// --- the lines ---

// A line can hold no control characters.
static void add_name(gj_strbuf *out, const char *name) {
  for (size_t i = 0; name[i] && i < MOST_NAME; i++) {
    unsigned char c = (unsigned char)name[i];
    gj_strbuf_char(out, c < ' ' || c == 127 ? '?' : name[i]);
  }
}

// "mul mul add sqrt -> z" as "mul+mul+add+sqrt".
static void add_ops(gj_strbuf *out, const char *what) {
  const char *end = strstr(what, " ->");
  size_t length = end ? (size_t)(end - what) : strlen(what);
  for (size_t i = 0; i < length && i < MOST_NAME; i++)
    gj_strbuf_char(out, what[i] == ' ' ? '+' : what[i]);
}

static bool is_name(const char *name, const char *text, size_t length) {
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

// In an object kernels are called "gj.k0", and what hands out their pieces "gj.k0.task". A kernel
// whose loops are in another function, "gj.k0_part", is that as well.
static const gj_lowered_kernel *kernel_of(const gj_lowered *lowered, const char *symbol) {
  if (strncmp(symbol, "gj.", 3) != 0)
    return NULL;
  size_t length = strcspn(symbol + 3, ".");
  for (uint32_t i = 0; i < lowered->kernel_count; i++) {
    const gj_lowered_kernel *k = &lowered->kernels[i];
    if (is_name(k->name, symbol + 3, length) ||
        is_name(lowered->module->funcs[k->part]->name, symbol + 3, length))
      return k;
  }
  return NULL;
}

static void add_line(gj_strbuf *out, const gj_lowered *lowered, const char *symbol,
                     const char *entry_symbol, uintptr_t address, uint64_t size) {
  const gj_lowered_kernel *kernel = kernel_of(lowered, symbol);
  gj_strbuf_printf(out, "%" PRIxPTR " %" PRIx64 " graphjit ", address, size);
  add_name(out, lowered->module->name);
  gj_strbuf_char(out, ' ');
  if (kernel) {
    gj_strbuf_printf(out, "%s ", kernel->name);
    add_ops(out, kernel->what);
  } else {
    add_name(out, strcmp(symbol, entry_symbol) == 0 ? "run" : symbol);
  }
  gj_strbuf_char(out, '\n');
}

typedef void visit_symbol(const char *name, const char *section, uint64_t at, uint64_t size,
                          void *context);

// Calls `visit` for what has a size in the object; `section` points to the contents it lies in.
static void each_symbol(LLVMBinaryRef binary, visit_symbol *visit, void *context) {
  LLVMSymbolIteratorRef symbol = LLVMObjectFileCopySymbolIterator(binary);
  LLVMSectionIteratorRef section = LLVMObjectFileCopySectionIterator(binary);
  for (; !LLVMObjectFileIsSymbolIteratorAtEnd(binary, symbol); LLVMMoveToNextSymbol(symbol)) {
    uint64_t size = LLVMGetSymbolSize(symbol);
    if (size == 0)
      continue;
    LLVMMoveToContainingSection(section, symbol);
    if (!LLVMObjectFileIsSectionIteratorAtEnd(binary, section))
      visit(LLVMGetSymbolName(symbol), LLVMGetSectionContents(section),
            LLVMGetSymbolAddress(symbol), size, context);
  }
  LLVMDisposeSectionIterator(section);
  LLVMDisposeSymbolIterator(symbol);
}

typedef struct lines {
  const gj_lowered *lowered;
  const char *entry_symbol;
  uintptr_t entry;
  const char *section; // of the entry
  uint64_t entry_at;   // in it
  gj_strbuf text;
} lines;

static void find_entry(const char *name, const char *section, uint64_t at, uint64_t size,
                       void *context) {
  (void)size;
  lines *l = context;
  if (strcmp(name, l->entry_symbol) != 0)
    return;
  l->section = section;
  l->entry_at = at;
}

static void name_function(const char *name, const char *section, uint64_t at, uint64_t size,
                          void *context) {
  lines *l = context;
  if (section == l->section)
    add_line(&l->text, l->lowered, name, l->entry_symbol, l->entry + (uintptr_t)(at - l->entry_at),
             size);
}

void gj_perf_map_add(const gj_lowered *lowered, const void *object, size_t size,
                     const char *entry_symbol, gj_entry *entry) {
  LLVMMemoryBufferRef view = LLVMCreateMemoryBufferWithMemoryRange(object, size, "object", false);
  char *message = NULL;
  LLVMBinaryRef binary = LLVMCreateBinary(view, NULL, &message);
  if (binary) {
    lines l = {lowered, entry_symbol, (uintptr_t)entry, NULL, 0, {0}};
    each_symbol(binary, find_entry, &l);
    if (l.section)
      each_symbol(binary, name_function, &l);
    if (!l.text.failed && l.text.size > 0)
      write_all(&l.text);
    gj_strbuf_fini(&l.text);
    LLVMDisposeBinary(binary);
  }
  LLVMDisposeMessage(message);
  LLVMDisposeMemoryBuffer(view);
}
