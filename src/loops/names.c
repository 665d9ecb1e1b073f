// Names of functions and locals: which are legal, which are taken, and how a hint becomes a free
// one.
//
// Lowering asks for the same few names thousands of times ("a", "i"), so the table remembers for
// each name the last number put behind it, and making n names costs O(n).

#include "loops/rules.h"

#include "base/hash.h"

#include <string.h>

enum { HINT_BYTES = 48 };

// Words that stand alone in the text form. Names of ops are free, since "(" or "<" follows those.
static const char *const reserved[] = {
    "address", "ahead",     "alloc",    "any",     "array",   "assume",    "break",    "buffer",
    "call",    "cancelled", "continue", "data",    "dim",     "do",        "else",     "entry",
    "export",  "extern",    "false",    "fence",   "fetch",   "first",     "for",      "func",
    "grain",   "hex",       "if",       "inf",     "is_null", "lanes",     "let",      "mark",
    "module",  "nan",       "note",     "offset",  "over",    "overflows", "parallel", "pointer",
    "release", "return",    "reverse",  "scratch", "slot",    "splat",     "step",     "stream",
    "tile",    "to",        "too_deep", "true",    "unroll",  "vector",    "while",    "wrap",
};

static bool is_reserved(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (reserved[i][0] == name[0] && strlen(reserved[i]) == length &&
        memcmp(reserved[i], name, length) == 0)
      return true;
  return false;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool gj__lname_ok(const char *name, size_t length) {
  if (length == 0 || length > GJ_LOOPS_MAX_NAME || !is_letter(name[0]))
    return false;
  for (size_t i = 1; i < length; i++)
    if (!is_letter(name[i]) && !is_digit(name[i]))
      return false;
  return !is_reserved(name, length);
}

static const char *name_at(const gj_lmodule *m, const gj_lfunc *f, uint32_t index) {
  return f ? f->locals[index].name : m->funcs[index]->name;
}

uint32_t gj__lname_find(const gj_lmodule *m, const gj_lfunc *f, const char *name, size_t length) {
  const gj_table *table = f ? &f->names : &m->names;
  size_t at = 0;
  for (uint32_t v; (v = gj_table_next(table, gj_hash_bytes(0, name, length), &at)) != 0;) {
    const char *taken = name_at(m, f, v - 1);
    if (strlen(taken) == length && memcmp(taken, name, length) == 0)
      return v;
  }
  return 0;
}

void gj__lname_add(gj_lmodule *m, gj_lfunc *f, uint32_t index) {
  const char *name = name_at(m, f, index);
  if (!gj_table_add(f ? &f->names : &m->names, gj_hash_bytes(0, name, strlen(name)), index + 1))
    gj__lfail(m, GJ_E_MEMORY, "loops: out of memory at name %s", name);
}

// Makes an identifier of at most HINT_BYTES - 2 bytes: foreign characters become "_", and a
// reserved word gets a "_" behind it.
static size_t clean(const char *hint, char out[HINT_BYTES]) {
  size_t length = 0;
  if (!is_letter(hint[0]))
    out[length++] = '_';
  for (; *hint && length < HINT_BYTES - 2; hint++)
    out[length++] = is_letter(*hint) || is_digit(*hint) ? *hint : '_';
  if (is_reserved(out, length))
    out[length++] = '_';
  out[length] = '\0';
  return length;
}

// Writes the digits of n, at most 10; returns how many. Most names get some, and printf takes ten
// times as long.
static size_t number(uint32_t n, char *out) {
  size_t count = 1;
  for (uint32_t rest = n; rest >= 10; rest /= 10)
    count++;
  for (size_t i = count; i-- > 0; n /= 10)
    out[i] = (char)('0' + n % 10);
  return count;
}

const char *gj__lname_make(gj_lmodule *m, gj_lfunc *f, const char *hint) {
  char stem[HINT_BYTES], name[HINT_BYTES + 16];
  size_t length = clean(hint ? hint : "", stem);
  uint32_t taken = gj__lname_find(m, f, stem, length);
  if (!taken)
    return gj_arena_strndup(&m->arena, stem, length);
  uint32_t *suffix = f ? &f->locals[taken - 1].suffix : &m->funcs[taken - 1]->suffix;
  // "i3" becomes "i3_2", not "i32".
  memcpy(name, stem, length);
  if (is_digit(stem[length - 1]))
    name[length++] = '_';
  size_t size;
  do {
    *suffix += *suffix ? 1 : 2;
    size = length + number(*suffix, name + length);
  } while (gj__lname_find(m, f, name, size));
  return gj_arena_strndup(&m->arena, name, size);
}
