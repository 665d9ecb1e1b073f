// Regular expressions, compiled from RE2's syntax by lib/columns/functions/regexp, in linear time.
//
// A program has a table of a deterministic automaton over bytes, where that is small, which says
// whether there is a match; and instructions, which say where the match and its groups are. In
// short texts they are tried one way after the other, and no instruction twice at a place; in
// others all ways at once, in order of preference (Pike's virtual machine), which takes longer but
// memory in proportion to the program only. It is lent from the end of the arena for the time of a
// call.
//
// A program is trusted, texts are not: instructions and states are those of the compiler, but bytes
// that are no UTF-8 are read as code points that are in no set.

#include "library/strings/strings.h"

// The words of 32 bits at the beginning of a program; places are in bytes from there.
enum {
  TABLE,     // classes of bytes, then states; 0: there is none
  START,     // the state to start with
  ACCEPTS,   // the state of a match; those above it have none
  END_CLASS, // the class of the end of the text
  PREFIX,    // bytes that all matches begin with
  PREFIX_LENGTH,
  CODE,       // instructions
  COUNT,      // how many
  ENTRY,      // the first one
  SLOTS,      // two for the match and for each group; 0 where only its being there counts
  ANCHORED,   // whether matches begin where the text does
  HAS_FIRSTS, // whether there is a set of bytes that matches begin with
  FIRSTS,     // 256 bits
  BRANCHES = FIRSTS + 8, // instructions after which there is something left to do
};

// Instructions are three words: what to do, an operand, and the instruction to go on with.
enum { CHAR, SET, SPLIT, SAVE, ASSERT, MATCH, INSTRUCTION = 12 };

enum { BEGIN_TEXT, END_TEXT, BEGIN_LINE, END_LINE, WORD, NOT_WORD };

static inline uint32_t word_at(const unsigned char *program, uint32_t index) {
  return gjl_load32(program + (size_t)index * 4);
}

// --- whether there is a match ---

static inline uint32_t next_state(const unsigned char *table, uint32_t state, uint32_t class) {
  uint16_t next;
  __builtin_memcpy(&next, table + 256 + ((size_t)state + class) * 2, sizeof next);
  return next;
}

// The table says it. States are where their rows begin.
static inline bool is_match(gjl_text s, const unsigned char *program) {
  const unsigned char *table = program + word_at(program, TABLE);
  uint32_t start = word_at(program, START), state = start, accepts = word_at(program, ACCEPTS);
  int64_t prefix_length = word_at(program, PREFIX_LENGTH);
  uint32_t seeks = prefix_length ? start : UINT32_MAX;
  while (state < accepts) {
    if (s.at == s.end)
      return next_state(table, state, word_at(program, END_CLASS)) == accepts;
    if (state == seeks) {
      const unsigned char *p = gjl_find(s, program + word_at(program, PREFIX), prefix_length);
      if (!p)
        return false;
      s.at = p;
    }
    state = next_state(table, state, table[*s.at++]);
  }
  return state == accepts;
}

// 1 if a part of `text` matches.
int64_t gjl_regexp_matches(int64_t text, int64_t length, int64_t program) {
  return is_match(gjl_text_of(text, length), gjl_bytes(program));
}

// --- where it is ---

// A slot to be as it was, or, if that is −1, an instruction to go on with at a place.
typedef struct later {
  int32_t slot;
  uint32_t instruction;
  int64_t place;
} later;

// Threads of a step, the preferred ones first, with what they have saved by instruction.
typedef struct threads {
  uint16_t *order;
  int64_t *saved;
  uint32_t count;
} threads;

typedef struct machine {
  gjl_text text;
  const unsigned char *program;
  uint32_t slots;
  bool has_match, is_short;
  later *waiting;
  int64_t *now;   // slots of the way at hand
  int64_t *match; // slots of the best match
  uint64_t
      *seen; // of short texts: bits by instruction and place; else by instruction: the last step
  // Of texts that are not short.
  uint64_t step; // counts places of the text
  threads here, next;
} machine;

static inline void copy_slots(int64_t *to, const int64_t *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    to[i] = from[i];
}

// Most places times instructions of short texts.
enum { SHORT = 8192 };

// Lends memory from the end of the arena; what is left of it ends at `now`.
static inline bool set_up(machine *m, gjl_text text, const unsigned char *program, int64_t arena) {
  const gjl_arena *a = (const gjl_arena *)(uintptr_t)arena;
  int64_t count = word_at(program, COUNT), slots = word_at(program, SLOTS);
  int64_t places = text.end - text.at + 1;
  bool is_short = places <= SHORT / count;
  int64_t seen = is_short ? (count * places + 63) / 64 : count;
  int64_t waiting = (is_short ? word_at(program, BRANCHES) * places : count) + 1;
  int64_t saved = is_short ? 0 : count * slots, order = is_short ? 0 : count;
  int64_t size = (2 * slots + seen + 2 * saved) * 8 + waiting * (int64_t)sizeof(later) + order * 4;
  if (size + 8 > a->end - a->next)
    return false;
  int64_t *p = (int64_t *)(uintptr_t)((a->end - size) & ~INT64_C(7));
  *m = (machine){.text = text, .program = program, .slots = (uint32_t)slots, .is_short = is_short};
  m->now = p;
  m->match = m->now + slots;
  m->seen = (uint64_t *)(m->match + slots);
  m->waiting = (later *)(m->seen + seen);
  m->here.saved = (int64_t *)(m->waiting + waiting);
  m->next.saved = m->here.saved + saved;
  m->here.order = (uint16_t *)(m->next.saved + saved);
  m->next.order = m->here.order + order;
  for (int64_t i = 0; i < count && !is_short; i++)
    m->seen[i] = 0;
  return true;
}

static inline bool is_word(unsigned char c) {
  return (unsigned char)((c | 32) - 'a') < 26 || (unsigned char)(c - '0') < 10 || c == '_';
}

static inline bool holds(gjl_text text, uint32_t assertion, const unsigned char *at) {
  bool first = at == text.at, last = at == text.end;
  switch (assertion) {
  case BEGIN_TEXT:
    return first;
  case END_TEXT:
    return last;
  case BEGIN_LINE:
    return first || at[-1] == '\n';
  case END_LINE:
    return last || *at == '\n';
  default:
    return ((!first && is_word(at[-1])) != (!last && is_word(*at))) == (assertion == WORD);
  }
}

// Adds the threads that an instruction leads to without taking a code point. Each instruction is
// come to once in a step, by the thread that is preferred.
static inline void follow(machine *m, threads *list, uint32_t first, const unsigned char *at) {
  const unsigned char *code = m->program + word_at(m->program, CODE);
  int64_t depth = 0;
  m->waiting[depth++] = (later){-1, first, 0};
  while (depth) {
    later each = m->waiting[--depth];
    if (each.slot >= 0) {
      m->now[each.slot] = each.place;
      continue;
    }
    uint32_t index = each.instruction;
    while (m->seen[index] != m->step) {
      m->seen[index] = m->step;
      const unsigned char *instruction = code + (size_t)index * INSTRUCTION;
      uint32_t operand = word_at(instruction, 1);
      index = word_at(instruction, 2);
      switch (word_at(instruction, 0)) {
      case SPLIT:
        m->waiting[depth++] = (later){-1, index, 0};
        index = operand;
        continue;
      case SAVE:
        m->waiting[depth++] = (later){(int32_t)operand, 0, m->now[operand]};
        m->now[operand] = (int64_t)(uintptr_t)at;
        continue;
      case ASSERT:
        if (holds(m->text, operand, at))
          continue;
        break;
      default:
        index = (uint32_t)((instruction - code) / INSTRUCTION);
        list->order[list->count++] = (uint16_t)index;
        copy_slots(list->saved + (size_t)index * m->slots, m->now, m->slots);
      }
      break;
    }
  }
}

// Sets are 128 bits for ASCII, the number of ranges, and the ranges above.
static inline bool is_in(const unsigned char *set, uint32_t c) {
  if (c < 0x80)
    return word_at(set, c >> 5) >> (c & 31) & 1;
  uint32_t low = 0, high = word_at(set, 4);
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (word_at(set, 6 + 2 * middle) < c)
      low = middle + 1;
    else
      high = middle;
  }
  return low < word_at(set, 4) && word_at(set, 5 + 2 * low) <= c;
}

// Takes a code point with all threads.
static inline void take(machine *m, uint32_t c, const unsigned char *next) {
  const unsigned char *code = m->program + word_at(m->program, CODE);
  m->next.count = 0;
  m->step++;
  for (uint32_t i = 0; i < m->here.count; i++) {
    uint32_t index = m->here.order[i];
    const unsigned char *instruction = code + (size_t)index * INSTRUCTION;
    const int64_t *saved = m->here.saved + (size_t)index * m->slots;
    uint32_t what = word_at(instruction, 0), operand = word_at(instruction, 1);
    if (what == MATCH) {
      m->has_match = true;
      copy_slots(m->match, saved, m->slots);
      break;
    }
    if (what == CHAR ? c == operand : is_in(m->program + operand, c)) {
      copy_slots(m->now, saved, m->slots);
      follow(m, &m->next, word_at(instruction, 2), next);
    }
  }
  threads taken = m->here;
  m->here = m->next;
  m->next = taken;
}

// Goes on to the first place where a match may begin; false if there is none.
static inline bool seek(const machine *m, const unsigned char **at) {
  const unsigned char *program = m->program, *p = *at, *end = m->text.end;
  uint32_t prefix_length = word_at(program, PREFIX_LENGTH);
  if (word_at(program, ANCHORED))
    return p == m->text.at;
  if (prefix_length) {
    p = gjl_find((gjl_text){p, end}, program + word_at(program, PREFIX), prefix_length);
    *at = p;
    return p != NULL;
  }
  if (!word_at(program, HAS_FIRSTS))
    return true;
  while (p < end && !(word_at(program, FIRSTS + (*p >> 5)) >> (*p & 31) & 1))
    p++;
  *at = p;
  return p < end;
}

// Finds a match with all ways at once.
static inline bool find_together(machine *m, const unsigned char *at) {
  m->has_match = false;
  m->here.count = 0;
  m->step++;
  for (;;) {
    if (m->here.count == 0) {
      if (m->has_match || !seek(m, &at))
        return m->has_match;
      m->step++; // what was seen is seen elsewhere now
    }
    if (!m->has_match) {
      for (uint32_t i = 0; i < m->slots; i++)
        m->now[i] = -1;
      follow(m, &m->here, word_at(m->program, ENTRY), at);
    }
    bool last = at == m->text.end;
    gjl_char c = last ? (gjl_char){GJL_NO_CHAR, 0} : gjl_decode((gjl_text){at, m->text.end});
    at += c.size;
    take(m, c.code, at);
    if (last || (m->has_match && m->slots == 0))
      return m->has_match;
  }
}

// Goes on from `at`, going back where that comes to nothing. `from`: the first place of the search.
static inline bool try_at(machine *m, const unsigned char *at, const unsigned char *from) {
  const unsigned char *code = m->program + word_at(m->program, CODE), *end = m->text.end;
  uint64_t places = (uint64_t)(end - from) + 1;
  int64_t depth = 0;
  m->waiting[depth++] = (later){-1, word_at(m->program, ENTRY), (int64_t)(uintptr_t)at};
  while (depth) {
    later each = m->waiting[--depth];
    if (each.slot >= 0) {
      m->now[each.slot] = each.place;
      continue;
    }
    uint32_t index = each.instruction;
    const unsigned char *p = gjl_bytes(each.place);
    for (;;) {
      uint64_t bit = index * places + (uint64_t)(p - from);
      if (m->seen[bit >> 6] >> (bit & 63) & 1)
        break;
      m->seen[bit >> 6] |= UINT64_C(1) << (bit & 63);
      const unsigned char *instruction = code + (size_t)index * INSTRUCTION;
      uint32_t what = word_at(instruction, 0), operand = word_at(instruction, 1);
      index = word_at(instruction, 2);
      if (what == SPLIT) {
        m->waiting[depth++] = (later){-1, index, (int64_t)(uintptr_t)p};
        index = operand;
      } else if (what == SAVE) {
        m->waiting[depth++] = (later){(int32_t)operand, 0, m->now[operand]};
        m->now[operand] = (int64_t)(uintptr_t)p;
      } else if (what == ASSERT) {
        if (!holds(m->text, operand, p))
          break;
      } else if (what == MATCH) {
        copy_slots(m->match, m->now, m->slots);
        return true;
      } else {
        if (p == end)
          break;
        gjl_char c = gjl_decode((gjl_text){p, end});
        if (what == CHAR ? c.code != operand : !is_in(m->program + operand, c.code))
          break;
        p += c.size;
      }
    }
  }
  return false;
}

// Finds a match with one way after the other.
static inline bool find_in_turn(machine *m, const unsigned char *at) {
  const unsigned char *from = at, *end = m->text.end;
  int64_t bits = word_at(m->program, COUNT) * (end - from + 1);
  for (int64_t i = 0; i < (bits + 63) / 64; i++)
    m->seen[i] = 0;
  for (uint32_t i = 0; i < m->slots; i++)
    m->now[i] = -1;
  while (seek(m, &at)) {
    if (try_at(m, at, from))
      return true;
    if (at == end)
      return false;
    at += gjl_decode((gjl_text){at, end}).size;
  }
  return false;
}

// Finds the first match that begins at `at` or behind it: of those that begin there, the one that
// the pattern prefers.
static inline bool find_match(machine *m, const unsigned char *at) {
  return m->is_short ? find_in_turn(m, at) : find_together(m, at);
}

// regexp_matches for patterns without a table: the number is 1 if a part of `text` matches.
int64_t gjl_regexp_search(int64_t text, int64_t length, int64_t program, int64_t out,
                          int64_t arena) {
  machine m;
  gjl_text s = gjl_text_of(text, length);
  if (!set_up(&m, s, gjl_bytes(program), arena))
    return GJL_MORE;
  *(int64_t *)(uintptr_t)out = find_match(&m, s.at);
  return GJL_DONE;
}

static inline bool may_match(gjl_text s, const unsigned char *program) {
  return word_at(program, TABLE) == 0 || is_match(s, program);
}

// A group; empty where it is not part of the match.
static inline gjl_text group_of(const machine *m, uint32_t group) {
  int64_t begin = m->match[2 * group], end = m->match[2 * group + 1];
  return begin == -1 || end == -1 ? (gjl_text){m->text.at, m->text.at}
                                  : (gjl_text){gjl_bytes(begin), gjl_bytes(end)};
}

// What a group of the first match is, 0 being all of it; empty if nothing matches. GJL_INVALID:
// there is no such group.
int64_t gjl_regexp_extract(int64_t text, int64_t length, int64_t program, int64_t group,
                           int64_t out, int64_t arena) {
  machine m;
  gjl_text s = gjl_text_of(text, length);
  if (group < 0 || group >= word_at(gjl_bytes(program), SLOTS) / 2)
    return GJL_INVALID;
  if (!may_match(s, gjl_bytes(program)))
    return gjl_part(out, s.at, s.at);
  if (!set_up(&m, s, gjl_bytes(program), arena))
    return GJL_MORE;
  gjl_text part = {s.at, s.at};
  if (find_match(&m, s.at))
    part = group_of(&m, (uint32_t)group);
  return gjl_part(out, part.at, part.end);
}

// --- replacing ---

// A new text: what does not fit is counted only.
typedef struct writer {
  unsigned char *at;
  int64_t room, size;
} writer;

static inline void put(writer *w, gjl_text s) {
  int64_t size = s.end - s.at;
  if (w->size + size <= w->room)
    gjl_copy(w->at + w->size, s.at, size);
  w->size += size;
}

// Writes a replacement: \0 … \9 are groups, \\ is \, and nothing else follows a \.
static inline bool put_replacement(writer *w, const machine *m, gjl_text by) {
  while (by.at < by.end) {
    const unsigned char *run = by.at;
    while (by.at < by.end && *by.at != '\\')
      by.at++;
    put(w, (gjl_text){run, by.at});
    if (by.at == by.end)
      return true;
    if (by.end - by.at < 2)
      return false;
    uint32_t group = (uint32_t)by.at[1] - '0';
    if (by.at[1] == '\\')
      put(w, (gjl_text){by.at, by.at + 1});
    else if (group <= 9 && group < m->slots / 2)
      put(w, group_of(m, group));
    else
      return false;
    by.at += 2;
  }
  return true;
}

// `by` in place of all matches, which do not overlap; one that is empty does not count where
// another ends. GJL_INVALID: `by` asks for a group that there is not.
int64_t gjl_regexp_replace(int64_t text, int64_t length, int64_t program, int64_t by,
                           int64_t by_length, int64_t out, int64_t arena) {
  machine m;
  gjl_text s = gjl_text_of(text, length), replacement = gjl_text_of(by, by_length);
  if (!may_match(s, gjl_bytes(program)))
    return gjl_part(out, s.at, s.end);
  if (!set_up(&m, s, gjl_bytes(program), arena))
    return GJL_MORE;
  int64_t start = ((const gjl_arena *)(uintptr_t)arena)->next;
  writer w = {(unsigned char *)(uintptr_t)start, (int64_t)(uintptr_t)m.now - start, 0};
  const unsigned char *at = s.at, *done = NULL;
  bool is_changed = false;
  while (w.size <= INT32_MAX && find_match(&m, at)) {
    gjl_text match = group_of(&m, 0);
    put(&w, (gjl_text){at, match.at});
    at = match.end;
    if (!is_changed || match.at != match.end || match.at != done) {
      if (!put_replacement(&w, &m, replacement))
        return GJL_INVALID;
      is_changed = true;
      done = at;
    } else if (at < s.end) {
      at += gjl_decode((gjl_text){at, s.end}).size;
      put(&w, (gjl_text){match.at, at});
    } else {
      break;
    }
  }
  if (!is_changed)
    return gjl_part(out, s.at, s.end);
  put(&w, (gjl_text){at, s.end});
  if (w.size > INT32_MAX)
    return GJL_OVERFLOW;
  return w.size > w.room ? GJL_MORE : gjl_keep(out, arena, w.at, w.at + w.size);
}
