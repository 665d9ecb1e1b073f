// Calls of the string functions by name, for tests and the fuzzer: what each takes and yields, and
// what holds of every call.
//
// Operands lie between pages that may not be touched, so a read or write outside of them stops the
// program. After a call: nothing was written around the arena; without room nothing was written at
// all; a result lies in an operand or in what was taken of the arena; and text of valid UTF-8 is
// valid UTF-8.
#ifndef GJ_TEST_LIBRARY_STRINGS_H
#define GJ_TEST_LIBRARY_STRINGS_H

#include "guarded.h"
#include "library/library.h"

#include <stdio.h>
#include <stdlib.h>

// What functions take: S text, B bytes, I a number, V views, O a view of text to be written and P
// one of bytes, N a number to be written, A the arena, W a number of bytes from 1 to 8.
static const struct {
  const char *name, *takes;
} string_takes[] = {
    {"utf8_length", "S"},
    {"utf8_equal", "SS"},
    {"utf8_compare", "SS"},
    {"starts_with", "SS"},
    {"ends_with", "SS"},
    {"contains", "SS"},
    {"strpos", "SS"},
    {"locate", "SSIN"},
    {"instr", "SS"},
    {"ascii", "S"},
    {"find_in_set", "SS"},
    {"like", "SSI"},
    {"ilike", "SSI"},
    {"like_valid", "SI"},
    {"like_escape", "SN"},
    {"substr", "SIIO"},
    {"substr_from", "SIO"},
    {"left", "SIO"},
    {"right", "SIO"},
    {"utf8_truncate", "SIO"},
    {"bytes_truncate", "BIP"},
    {"byte_substr", "BIIP"},
    {"ltrim", "SO"},
    {"rtrim", "SO"},
    {"btrim", "SO"},
    {"ltrim_chars", "SSO"},
    {"rtrim_chars", "SSO"},
    {"btrim_chars", "SSO"},
    {"split_part", "SSIO"},
    {"substring_index", "SSIO"},
    {"elt", "IVO"},
    {"concat2", "SSOA"},
    {"concat", "VOA"},
    {"concat_ws", "SVOA"},
    {"repeat", "SIOA"},
    {"space", "IOA"},
    {"lpad", "SISOA"},
    {"rpad", "SISOA"},
    {"reverse", "SOA"},
    {"replace", "SSSOA"},
    {"overlay", "SSIIOA"},
    {"quote", "SOA"},
    {"chr", "IOA"},
    {"translate", "SSSOA"},
    {"utf8_upper", "SOA"},
    {"utf8_lower", "SOA"},
    {"initcap", "SOA"},
    {"mask", "SSSSOA"},
    {"mask_first_n", "SIOA"},
    {"mask_last_n", "SIOA"},
    {"mask_show_first_n", "SIOA"},
    {"mask_show_last_n", "SIOA"},
    {"soundex", "SOA"},
    {"levenshtein", "SSNA"},
    {"to_hex", "BOA"},
    {"to_hex_int64", "IOA"},
    {"to_hex_int32", "IOA"},
    {"from_hex", "SPA"},
    {"binary_string", "SPA"},
    {"base64", "BOA"},
    {"unbase64", "SPA"},
    {"convert_from_utf8", "BO"},
    {"convert_replace_utf8", "BSOA"},
    {"to_bytes", "IWPA"},
    {"to_bytes_be", "IWPA"},
    {"crc32", "B"},
    {"hash32", "BI"},
    {"hash64", "BI"},
    {"utf8_hash", "B"},
    {"md5", "BOA"},
    {"md5_number", "IOA"},
    {"sha1", "BOA"},
    {"sha1_number", "IOA"},
    {"sha256", "BOA"},
    {"sha256_number", "IOA"},
    {"sha512", "BOA"},
    {"sha512_number", "IOA"},
};

static const struct string_function {
  const char *name;
  int params;
  void (*call)(void);
} string_functions[] = {
#define GJL(name, params, result) {#name, params, (void (*)(void))gjl_##name},
#include "library/strings/strings.def"
#undef GJL
};

enum { STRING_FUNCTIONS = sizeof string_functions / sizeof *string_functions };

// What a function takes, or NULL when it is not told or takes another number of parameters.
static inline const char *string_takes_of(const struct string_function *f) {
  for (size_t i = 0; i < sizeof string_takes / sizeof *string_takes; i++) {
    int params = 0;
    for (const char *kind = string_takes[i].takes; *kind; kind++)
      params += strchr("SBV", *kind) ? 2 : 1;
    if (strcmp(string_takes[i].name, f->name) == 0)
      return params == f->params ? string_takes[i].takes : NULL;
  }
  return NULL;
}

static inline int64_t string_call(const struct string_function *f, const int64_t *a) {
  switch (f->params) {
#define CALL(n, ...)                                                                               \
  case n:                                                                                          \
    return ((int64_t(*)(GJL_PARAMS_##n))f->call)(__VA_ARGS__);
    CALL(1, a[0])
    CALL(2, a[0], a[1])
    CALL(3, a[0], a[1], a[2])
    CALL(4, a[0], a[1], a[2], a[3])
    CALL(5, a[0], a[1], a[2], a[3], a[4])
    CALL(6, a[0], a[1], a[2], a[3], a[4], a[5])
    CALL(7, a[0], a[1], a[2], a[3], a[4], a[5], a[6])
    CALL(8, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])
    CALL(9, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8])
    CALL(10, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9])
#undef CALL
  default:
    return -1;
  }
}

static inline int64_t address_of(const void *p) { return (int64_t)(uintptr_t)p; }

// A copy between pages that may not be touched; address 0 for nothing, if it is to be nowhere.
static inline guarded guarded_copy(const void *bytes, size_t size, bool at_end) {
  guarded g = guarded_new(size, at_end);
  if (g.data && size)
    memcpy(g.data, bytes, size);
  return g;
}

static inline void string_holds(bool ok, const char *function, const char *what) {
  if (!ok) {
    fprintf(stderr, "%s: %s\n", function, what);
    abort();
  }
}

// Where operands of a call come from: bytes that are used up, and zeros behind them.
typedef struct string_source {
  const uint8_t *data;
  size_t size;
} string_source;

static inline uint8_t source_byte(string_source *s) {
  if (s->size == 0)
    return 0;
  s->size--;
  return *s->data++;
}

// Small numbers mostly, of either sign, and now and then the ends of the range.
static inline int64_t source_number(string_source *s) {
  static const int64_t far[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX,
                                0x10FFFF,  0xD800,    70000};
  uint8_t byte = source_byte(s);
  return byte < 240 ? (int64_t)byte % 48 - 16 : far[(byte - 240) % 7];
}

static inline bool is_utf8(int64_t address, int64_t length) {
  gjl_view whole = {0, 0};
  return gjl_convert_from_utf8(address, length, address_of(&whole)) == GJL_DONE;
}

// Makes `bytes` valid UTF-8 by replacing what is not; gives their number back.
static inline size_t make_valid(uint8_t *bytes, size_t size) {
  size_t at = 0;
  while (at < size) {
    size_t n = size - at < 4 ? size - at : 4;
    while (n > 0 && !(is_utf8(address_of(bytes + at), (int64_t)n) && (n == 1 || bytes[at] >= 0xC0)))
      n--;
    if (n == 0)
      bytes[at] = (uint8_t)('a' + bytes[at] % 26);
    at += n ? n : 1;
  }
  return size;
}

enum { STRING_OPERANDS = 16, STRING_LONGEST = 100 };

// One call of one function with operands from a source, and what must hold of it.
static inline void string_check(const struct string_function *f, string_source source) {
  const char *takes = string_takes_of(f);
  string_holds(takes != NULL, f->name, "what it takes is not told");
  guarded operands[STRING_OPERANDS];
  int used = 0, params = 0;
  int64_t args[10] = {0};
  gjl_view result = {0, 0}, items[3];
  uint8_t how = source_byte(&source);
  bool at_end = how & 1, valid = how & 2, bytes_out = strchr(takes, 'P');
  size_t room = how & 4 ? source_byte(&source) : 1 << 13;
  guarded memory = guarded_new(room, at_end);
  gjl_arena arena = {address_of(memory.data), address_of(memory.data + room)}, before = arena;
  for (const char *kind = takes; *kind; kind++) {
    int strings = *kind == 'V' ? 3 : *kind == 'S' || *kind == 'B';
    for (int i = 0; i < strings; i++) {
      uint8_t bytes[STRING_LONGEST];
      size_t size = source_byte(&source) % STRING_LONGEST;
      for (size_t j = 0; j < size; j++)
        bytes[j] = source_byte(&source);
      if (*kind != 'B' && valid)
        size = make_valid(bytes, size);
      guarded g = guarded_copy(bytes, size, at_end);
      operands[used++] = g;
      items[i] = (gjl_view){size || !(how & 8) ? address_of(g.data) : 0, (int64_t)size};
    }
    if (*kind == 'V') {
      int count = how >> 4 & 3;
      if (how & 64)
        items[0].length = -1;
      guarded g = guarded_copy(items, (size_t)count * sizeof *items, at_end);
      operands[used++] = g;
      args[params++] = address_of(g.data);
      args[params++] = count;
    } else if (strings) {
      args[params++] = items[0].address;
      args[params++] = items[0].length;
    } else {
      args[params++] = *kind == 'A'   ? address_of(&arena)
                       : *kind == 'W' ? 1 + source_byte(&source) % 8
                       : *kind == 'I' ? source_number(&source)
                                      : address_of(&result);
    }
  }
  int64_t status = string_call(f, args);
  bool yields = strpbrk(takes, "OP");
  string_holds(guarded_stands(&memory), f->name, "wrote around the arena");
  string_holds(arena.next >= before.next && arena.next <= arena.end, f->name, "lost the arena");
  if (strpbrk(takes, "OPN"))
    string_holds(status >= GJL_DONE && status <= GJL_OVERFLOW, f->name, "yields no status");
  if (status == GJL_MORE && strchr(takes, 'A')) {
    string_holds(arena.next == before.next, f->name, "takes memory and wants more");
    for (size_t i = 0; i < room; i++)
      string_holds(memory.data[i] == GUARDED_CANARY, f->name, "writes and wants more");
  }
  if (yields && status == GJL_DONE) {
    bool inside = result.length == 0 ||
                  (result.address >= before.next && result.address + result.length <= arena.next);
    for (int i = 0; i < used; i++)
      inside |= result.address >= address_of(operands[i].data) &&
                result.address + result.length <=
                    address_of(operands[i].data) + (int64_t)operands[i].bytes;
    string_holds(inside && result.length >= 0, f->name, "yields what is not its own");
    if (!bytes_out && (valid || strcmp(f->name, "convert_replace_utf8") == 0))
      string_holds(is_utf8(result.address, result.length), f->name, "breaks UTF-8");
  }
  while (used)
    guarded_free(&operands[--used]);
  guarded_free(&memory);
}

#endif
