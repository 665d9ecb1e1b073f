// The machines of regular expressions against one that goes back in the text, on random programs
// and texts; programs by hand; and what holds of memory. Patterns are tested in JavaScript.

#include "check.h"
#include "guarded.h"
#include "library/library.h"
#include "library_regexp.h"

static uint64_t state = 88172645463325252u;

static uint32_t random_number(void *unused) {
  (void)unused;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 33);
}

static uint32_t below(uint32_t n) { return random_number(NULL) % n; }

static int64_t address_of(const void *p) { return (int64_t)(uintptr_t)p; }

// --- the reference ---

enum { LONGEST = 12 };

typedef struct chars {
  uint32_t at[LONGEST];
  unsigned char bytes[LONGEST * 4];
  int begins[LONGEST + 1]; // where code points begin
  int n;
} chars;

static chars random_chars(void) {
  chars s = {.n = (int)below(LONGEST + 1)};
  int size = 0;
  for (int i = 0; i < s.n; i++) {
    uint32_t c = re_letters[below(below(2) ? 2 : RE_LETTERS)];
    s.at[i] = c;
    s.begins[i] = size;
    if (c < 0x80) {
      s.bytes[size++] = (unsigned char)c;
    } else if (c < 0x800) {
      s.bytes[size++] = (unsigned char)(0xC0 | c >> 6);
      s.bytes[size++] = (unsigned char)(0x80 | (c & 63));
    } else {
      if (c < 0x10000) {
        s.bytes[size++] = (unsigned char)(0xE0 | c >> 12);
      } else {
        s.bytes[size++] = (unsigned char)(0xF0 | c >> 18);
        s.bytes[size++] = (unsigned char)(0x80 | (c >> 12 & 63));
      }
      s.bytes[size++] = (unsigned char)(0x80 | (c >> 6 & 63));
      s.bytes[size++] = (unsigned char)(0x80 | (c & 63));
    }
  }
  s.begins[s.n] = size;
  return s;
}

// A search that goes back: an instruction that was left for nothing at a place is for nothing ever.
typedef struct search {
  const re_code *code;
  const chars *text;
  bool tried[LONGEST + 1][RE_MOST];
  int saved[8];
} search;

static bool is_word(uint32_t c) { return c == 'a' || c == 'b' || c == '_'; }

static bool stands(const chars *s, uint32_t assertion, int at) {
  bool before = at > 0 && is_word(s->at[at - 1]), after = at < s->n && is_word(s->at[at]);
  const bool all[] = {[RE_BEGIN_TEXT] = at == 0,
                      [RE_END_TEXT] = at == s->n,
                      [RE_BEGIN_LINE] = at == 0 || s->at[at - 1] == '\n',
                      [RE_END_LINE] = at == s->n || s->at[at] == '\n',
                      [RE_WORD] = before != after,
                      [RE_NOT_WORD] = before == after};
  return all[assertion];
}

static bool holds_char(const re_set *set, uint32_t c) {
  if (c < 0x80)
    return set->ascii[c / 32] >> c % 32 & 1;
  return set->low <= c && c <= set->high;
}

static bool goes_on(search *s, uint32_t index, int at) {
  if (s->tried[at][index])
    return false;
  s->tried[at][index] = true;
  re_instruction each = s->code->at[index];
  int old = 0;
  switch (each.what) {
  case RE_MATCH:
    return true;
  case RE_SPLIT:
    return goes_on(s, each.operand, at) || goes_on(s, each.next, at);
  case RE_SAVE:
    old = s->saved[each.operand];
    s->saved[each.operand] = at;
    if (goes_on(s, each.next, at))
      return true;
    s->saved[each.operand] = old;
    return false;
  case RE_ASSERT:
    return stands(s->text, each.operand, at) && goes_on(s, each.next, at);
  default:
    if (at == s->text->n)
      return false;
    if (each.what == RE_CHAR ? s->text->at[at] != each.operand
                             : !holds_char(&s->code->sets[each.operand], s->text->at[at]))
      return false;
    return goes_on(s, each.next, at + 1);
  }
}

static bool search_from(search *s, int from) {
  memset(s->tried, 0, sizeof s->tried);
  for (; from <= s->text->n; from++) {
    for (int i = 0; i < 8; i++)
      s->saved[i] = -1;
    if (goes_on(s, 0, from))
      return true;
  }
  return false;
}

// --- random programs ---

static unsigned char memory[1 << 21];

static void check_random(void) {
  re_code code = re_random(random_number, NULL);
  chars text = random_chars();
  search wanted = {.code = &code, .text = &text};
  bool found = search_from(&wanted, 0);
  re_program program = re_assemble(&code);
  // With so many instructions no text is short enough to go back in.
  if (below(4) == 0)
    program.words[7] = 10000;
  guarded g = guarded_new((size_t)text.begins[text.n], below(2));
  memcpy(g.data, text.bytes, g.bytes);
  gjl_arena arena = {address_of(memory), address_of(memory + sizeof memory)};
  int64_t at = address_of(g.data), length = (int64_t)g.bytes, number = -1;
  CHECK_INT_EQ(
      gjl_regexp_search(at, length, address_of(&program), address_of(&number), address_of(&arena)),
      GJL_DONE);
  CHECK_INT_EQ(number, found);
  for (uint32_t group = 0; group < code.slots / 2; group++) {
    gjl_view part = {0, -1};
    CHECK_INT_EQ(gjl_regexp_extract(at, length, address_of(&program), group, address_of(&part),
                                    address_of(&arena)),
                 GJL_DONE);
    const int *saved = wanted.saved + 2 * group;
    bool is_there = found && saved[0] >= 0 && saved[1] >= 0;
    // Saves of random programs may be in any order.
    if (is_there && saved[0] > saved[1])
      continue;
    CHECK_INT_EQ(part.length, is_there ? text.begins[saved[1]] - text.begins[saved[0]] : 0);
    if (part.length)
      CHECK_INT_EQ(part.address - at, text.begins[saved[0]]);
  }
  CHECK_INT_EQ(arena.next, address_of(memory));
  guarded_free(&g);
}

static void programs_find_what_going_back_finds(void) {
  for (int i = 0; i < (check_is_quick() ? 5000 : 200000); i++)
    check_random();
}

static bool table_says(const re_table *t, const chars *s) {
  uint32_t at = t->words[1];
  for (int i = 0; i < s->begins[s->n] && at < t->words[2]; i++)
    at = t->next[at + t->classes[s->bytes[i]]];
  return (at < t->words[2] ? t->next[at + t->words[3]] : at) == t->words[2];
}

static void tables_are_followed(void) {
  for (int i = 0; i < 20000; i++) {
    re_table table = re_random_table(random_number, NULL);
    table.words[5] = 0;
    chars text = random_chars();
    int64_t got =
        gjl_regexp_matches(address_of(text.bytes), text.begins[text.n], address_of(&table));
    CHECK_INT_EQ(got, table_says(&table, &text));
  }
}

// --- programs by hand ---

// (a)(b)? with the places of the match and of both groups.
static const re_code pairs = {.count = 10,
                              .slots = 6,
                              .prefix = "a",
                              .at = {{RE_SAVE, 0, 1},
                                     {RE_SAVE, 2, 2},
                                     {RE_CHAR, 'a', 3},
                                     {RE_SAVE, 3, 4},
                                     {RE_SPLIT, 5, 8},
                                     {RE_SAVE, 4, 6},
                                     {RE_CHAR, 'b', 7},
                                     {RE_SAVE, 5, 8},
                                     {RE_SAVE, 1, 9},
                                     {RE_MATCH, 0, 0}}};

// Nothing.
static const re_code nothing = {
    .count = 3, .slots = 2, .at = {{RE_SAVE, 0, 1}, {RE_SAVE, 1, 2}, {RE_MATCH, 0, 0}}};

static int64_t replace(const re_code *code, const char *text, const char *by, gjl_view *out,
                       int64_t room) {
  static re_program program;
  program = re_assemble(code);
  gjl_arena arena = {address_of(memory), address_of(memory) + room};
  int64_t status =
      gjl_regexp_replace(address_of(text), (int64_t)strlen(text), address_of(&program),
                         address_of(by), (int64_t)strlen(by), address_of(out), address_of(&arena));
  bool took = status == GJL_DONE && out->address == address_of(memory);
  CHECK_INT_EQ(arena.next, address_of(memory) + (took ? out->length : 0));
  return status;
}

static void matches_are_replaced(void) {
  static const struct {
    const re_code *code;
    const char *text, *by, *result;
  } cases[] = {
      {&pairs, "xabaay", "<\\2\\1>", "x<ba><a><a>y"},
      {&pairs, "xyz", "\\9", "xyz"},
      {&pairs, "a", "\\\\1", "\\1"},
      {&pairs, "", "x", ""},
      {&nothing, "", "-", "-"},
      {&nothing, "a\xC3\xA9\xF0\x9F\x98\x80", "-", "-a-\xC3\xA9-\xF0\x9F\x98\x80-"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gjl_view out = {0, -1};
    CHECK_INT_EQ(replace(cases[i].code, cases[i].text, cases[i].by, &out, sizeof memory), GJL_DONE);
    CHECK_INT_EQ(out.length, strlen(cases[i].result));
    CHECK(memcmp(gjl_bytes(out.address), cases[i].result, strlen(cases[i].result)) == 0);
  }
}

static void replacements_that_ask_for_what_is_not_there_are_refused(void) {
  gjl_view out;
  CHECK_INT_EQ(replace(&pairs, "a", "\\3", &out, sizeof memory), GJL_INVALID);
  CHECK_INT_EQ(replace(&pairs, "a", "\\", &out, sizeof memory), GJL_INVALID);
  CHECK_INT_EQ(replace(&pairs, "a", "\\x", &out, sizeof memory), GJL_INVALID);
}

static void memory_that_is_too_little_is_asked_for(void) {
  gjl_view out;
  int64_t room = 0;
  int64_t status;
  while ((status = replace(&pairs, "abababab", "\\1\\1\\1\\1\\1\\1", &out, room)) == GJL_MORE)
    room++;
  CHECK_INT_EQ(status, GJL_DONE);
  CHECK_INT_EQ(out.length, 24);
  // What the machine needs, and the text.
  CHECK(room > 24 && room < 4000);
  re_program program = re_assemble(&pairs);
  gjl_arena none = {address_of(memory), address_of(memory)};
  int64_t number = -1;
  CHECK_INT_EQ(gjl_regexp_search(address_of("a"), 1, address_of(&program), address_of(&number),
                                 address_of(&none)),
               GJL_MORE);
  CHECK_INT_EQ(gjl_regexp_extract(address_of("a"), 1, address_of(&program), 0, address_of(&out),
                                  address_of(&none)),
               GJL_MORE);
}

static void texts_that_get_too_long_overflow(void) {
  enum { LONG = 1 << 17 };
  static char text[LONG + 1], by[LONG + 1];
  memset(text, 'a', LONG);
  memset(by, 'b', LONG);
  gjl_view out;
  CHECK_INT_EQ(replace(&pairs, text, by, &out, sizeof memory), GJL_OVERFLOW);
}

static void groups_that_are_not_there_are_refused(void) {
  re_program program = re_assemble(&pairs);
  gjl_arena arena = {address_of(memory), address_of(memory + sizeof memory)};
  static const int64_t groups[] = {-1, 3, INT64_MIN, INT64_MAX};
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    gjl_view out = {0, 0};
    CHECK_INT_EQ(gjl_regexp_extract(address_of("a"), 1, address_of(&program), groups[i],
                                    address_of(&out), address_of(&arena)),
                 GJL_INVALID);
  }
}

int main(void) {
  CHECK_RUN(programs_find_what_going_back_finds);
  CHECK_RUN(tables_are_followed);
  CHECK_RUN(matches_are_replaced);
  CHECK_RUN(replacements_that_ask_for_what_is_not_there_are_refused);
  CHECK_RUN(memory_that_is_too_little_is_asked_for);
  CHECK_RUN(texts_that_get_too_long_overflow);
  CHECK_RUN(groups_that_are_not_there_are_refused);
  return check_report();
}
