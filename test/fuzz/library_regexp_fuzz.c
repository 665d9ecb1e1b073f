// Fuzzes the machines and the tables of regular expressions: any instructions, any text, valid
// UTF-8 or not, and much or little memory. Programs are as compilers make them only in that
// instructions and states are there; what must hold is that nothing outside of operands is touched,
// that results lie in the text or the arena, and that all ends.

#include "../c/guarded.h"
#include "../c/library_regexp.h"
#include "library/library.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct source {
  const uint8_t *data;
  size_t size;
} source;

static uint32_t next_byte(void *from) {
  source *s = from;
  if (s->size == 0)
    return 0;
  s->size--;
  return *s->data++;
}

static int64_t address_of(const void *p) { return (int64_t)(uintptr_t)p; }

static void must(bool ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "%s\n", what);
    abort();
  }
}

static guarded copied(source *s, size_t size, bool at_end) {
  size = size < s->size ? size : s->size;
  guarded g = guarded_new(size, at_end);
  for (size_t i = 0; i < size; i++)
    g.data[i] = (unsigned char)next_byte(s);
  return g;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  source s = {data, size};
  uint32_t how = next_byte(&s), group = next_byte(&s) % 6;
  bool at_end = how & 1;
  re_code code = re_random(next_byte, &s);
  if (how & 2)
    code.prefix = "ab";
  re_program program = re_assemble(&code);
  re_table table = re_random_table(next_byte, &s);
  size_t room = how & 4 ? next_byte(&s) * 64 : 1 << 15;
  guarded by = copied(&s, next_byte(&s) % 16, at_end);
  guarded text = copied(&s, s.size, at_end), memory = guarded_new(room, at_end);
  gjl_arena arena = {address_of(memory.data), address_of(memory.data + room)}, before = arena;
  int64_t at = address_of(text.data), length = (int64_t)text.bytes, number = 0;
  gjl_view out = {0, 0};
  gjl_regexp_matches(at, length, address_of(&table));
  int64_t status =
      gjl_regexp_search(at, length, address_of(&program), address_of(&number), address_of(&arena));
  must(status == GJL_MORE || (status == GJL_DONE && number >> 1 == 0), "says neither");
  // Saves of random programs may be in any order: a group may end before it begins.
  for (uint32_t i = 0; i < code.count; i++)
    if (code.at[i].what == RE_SAVE)
      code.at[i].what = RE_ASSERT;
  re_code wrapped = code;
  must(code.count + 3 <= RE_MOST, "is too large to be wrapped");
  if (code.slots) {
    // The match and one group are all of it.
    for (uint32_t i = 0; i < code.count; i++) {
      re_instruction each = code.at[i];
      each.next += 2;
      each.operand += each.what == RE_SPLIT ? 2 : 0;
      if (each.what == RE_ASSERT)
        each.operand %= 6;
      if (each.what == RE_MATCH)
        each = (re_instruction){RE_SAVE, 1, code.count + 2};
      wrapped.at[i + 2] = each;
    }
    wrapped.at[0] = (re_instruction){RE_SAVE, 0, 1};
    wrapped.at[1] = (re_instruction){RE_SPLIT, 2, 2};
    wrapped.at[code.count + 2] = (re_instruction){RE_MATCH, 0, 0};
    wrapped.count = code.count + 3;
    program = re_assemble(&wrapped);
    status = gjl_regexp_extract(at, length, address_of(&program), group, address_of(&out),
                                address_of(&arena));
    must(status != GJL_DONE || (out.address >= at && out.address + out.length <= at + length),
         "extracts what is not there");
    must(arena.next == before.next, "keeps memory");
    status = gjl_regexp_replace(at, length, address_of(&program), address_of(by.data),
                                (int64_t)by.bytes, address_of(&out), address_of(&arena));
    bool is_old = out.address == at && out.length == length;
    bool is_new = out.address == before.next && out.address + out.length == arena.next;
    must(status != GJL_DONE || is_old || is_new, "replaces by what is not its own");
    must(status == GJL_DONE || arena.next == before.next, "fails and keeps memory");
  }
  must(guarded_stands(&memory), "wrote around the arena");
  must(guarded_stands(&text) && guarded_stands(&by), "wrote around an operand");
  guarded_free(&memory);
  guarded_free(&text);
  guarded_free(&by);
  return 0;
}
