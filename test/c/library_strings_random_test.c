// The library functions of strings against slow and obvious ones, on random strings.
//
// The slow ones work on arrays of code points. Strings are of few letters of one to four bytes, so
// that parts of them are found; operands lie between pages that may not be touched.

#include "check.h"
#include "library_strings.h"

enum { LONGEST = 1200 };

typedef struct chars {
  uint32_t at[LONGEST];
  int n;
} chars;

static uint64_t state = 88172645463325252u;

static int below(int n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)(state >> 33) % n;
}

static void push(chars *s, uint32_t c) { s->at[s->n++] = c; }

static void append(chars *s, const chars *more, int from, int to) {
  for (int i = from; i < to; i++)
    push(s, more->at[i]);
}

// Capital letters and their small ones take turns; what follows has no case.
static const uint32_t alphabet[] = {'A',     'a', 0xC9, 0xE9, 0x178, 0xFF, 0x23A,  0x2C65, 0x10400,
                                    0x10428, ' ', ',',  '%',  '_',   '\'', 0x4E2D, 0x1F600};
enum { CASED = 10, ALPHABET = sizeof alphabet / sizeof *alphabet };

static chars random_chars(int longest, int letters) {
  chars s = {.n = below(longest + 1)};
  // Letters next to each other in the alphabet, so that some strings are of one letter.
  int first = below(ALPHABET), kinds = 1 + below(letters);
  for (int i = 0; i < s.n; i++)
    s.at[i] = alphabet[(first + below(kinds)) % ALPHABET];
  return s;
}

// Strings in guarded memory, freed when the case is over.
static guarded kept[32];
static int kept_count;
static gjl_view out;
static gjl_arena arena;
static unsigned char memory[1 << 18];

static gjl_view view_of(const chars *s) {
  unsigned char bytes[LONGEST * 4];
  size_t size = 0;
  for (int i = 0; i < s->n; i++) {
    uint32_t c = s->at[i];
    if (c < 0x80) {
      bytes[size++] = (unsigned char)c;
    } else if (c < 0x800) {
      bytes[size++] = (unsigned char)(0xC0 | c >> 6);
      bytes[size++] = (unsigned char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
      bytes[size++] = (unsigned char)(0xE0 | c >> 12);
      bytes[size++] = (unsigned char)(0x80 | (c >> 6 & 63));
      bytes[size++] = (unsigned char)(0x80 | (c & 63));
    } else {
      bytes[size++] = (unsigned char)(0xF0 | c >> 18);
      bytes[size++] = (unsigned char)(0x80 | (c >> 12 & 63));
      bytes[size++] = (unsigned char)(0x80 | (c >> 6 & 63));
      bytes[size++] = (unsigned char)(0x80 | (c & 63));
    }
  }
  guarded g = guarded_copy(bytes, size, kept_count % 2);
  kept[kept_count++] = g;
  return (gjl_view){address_of(g.data), (int64_t)size};
}

static void forget(void) {
  while (kept_count)
    guarded_free(&kept[--kept_count]);
}

// Whether a call yielded these code points.
static bool yields(int64_t status, const chars *expected) {
  gjl_view wanted = view_of(expected);
  return status == GJL_DONE && out.length == wanted.length &&
         (out.length == 0 ||
          memcmp(gjl_bytes(out.address), gjl_bytes(wanted.address), (size_t)out.length) == 0);
}

static int64_t fresh(void) {
  arena = (gjl_arena){address_of(memory), address_of(memory + sizeof memory)};
  return address_of(&arena);
}

#define V(view) (view).address, (view).length
#define OUT address_of(&out)
#define YIELDS(call, expected) CHECK(yields(call, expected))

static bool is_at(const chars *s, int at, const chars *part) {
  for (int i = 0; i < part->n; i++)
    if (at + i >= s->n || s->at[at + i] != part->at[i])
      return false;
  return true;
}

static int find_from(const chars *s, int from, const chars *part) {
  for (int i = from; i + part->n <= s->n; i++)
    if (is_at(s, i, part))
      return i;
  return -1;
}

static chars slice(const chars *s, int from, int to) {
  chars r = {.n = 0};
  append(&r, s, from < 0 ? 0 : from, to > s->n ? s->n : to);
  return r;
}

static bool has(const chars *set, uint32_t c) {
  for (int i = 0; i < set->n; i++)
    if (set->at[i] == c)
      return true;
  return false;
}

// Runs a check on many random cases.
static void many(int cases, void (*check)(void)) {
  for (int i = 0; i < (check_is_quick() ? cases / 20 : cases); i++) {
    check();
    forget();
  }
}

static void check_search(void) {
  chars s = random_chars(60, 3), p = random_chars(below(2) ? 2 : 12, 3);
  if (below(2) && s.n) {
    int from = below(s.n);
    p = slice(&s, from, from + 1 + below(20));
  }
  gjl_view a = view_of(&s), b = view_of(&p);
  int at = find_from(&s, 0, &p), start = below(s.n + 3);
  CHECK_INT_EQ(gjl_utf8_length(V(a)), s.n);
  CHECK_INT_EQ(gjl_contains(V(a), V(b)), at >= 0);
  CHECK_INT_EQ(gjl_strpos(V(a), V(b)), p.n && s.n ? at + 1 : 0);
  CHECK_INT_EQ(gjl_instr(V(a), V(b)), p.n ? at + 1 : 1);
  CHECK_INT_EQ(gjl_starts_with(V(a), V(b)), is_at(&s, 0, &p));
  CHECK_INT_EQ(gjl_ends_with(V(a), V(b)), p.n <= s.n && is_at(&s, s.n - p.n, &p));
  CHECK_INT_EQ(gjl_locate(V(b), V(a), start + 1, OUT), 0);
  CHECK_INT_EQ(out.address, p.n && start < s.n ? find_from(&s, start, &p) + 1 : 0);
  CHECK_INT_EQ(gjl_utf8_equal(V(a), V(b)), s.n == p.n && is_at(&s, 0, &p));
  int n = (int)(a.length < b.length ? a.length : b.length);
  int order = n ? memcmp(gjl_bytes(a.address), gjl_bytes(b.address), (size_t)n) : 0;
  order = order ? order : (int)(a.length - b.length);
  CHECK_INT_EQ(gjl_utf8_compare(V(a), V(b)), (order > 0) - (order < 0));
}

static void strings_are_searched(void) { many(40000, check_search); }

static void check_parts(void) {
  chars s = random_chars(40, 6), p = random_chars(4, 4), r;
  gjl_view a = view_of(&s), b = view_of(&p);
  int position = below(60) - 30, count = below(40) - 5, k = position;
  int from = position > 0 ? position - 1 : position < 0 ? s.n + position : 0;
  bool none = count <= 0 || from < 0 || from >= s.n;
  r = slice(&s, none ? 0 : from, none ? 0 : from + count);
  YIELDS(gjl_substr(V(a), position, count, OUT), &r);
  r = slice(&s, from < 0 ? s.n : from, s.n);
  YIELDS(gjl_substr_from(V(a), position, OUT), &r);
  r = slice(&s, 0, k < 0 ? s.n + k : k);
  YIELDS(gjl_left(V(a), k, OUT), &r);
  r = slice(&s, k < 0 ? -k : k > s.n ? 0 : s.n - k, s.n);
  YIELDS(gjl_right(V(a), k, OUT), &r);
  r = slice(&s, 0, k > 0 ? k : s.n);
  YIELDS(gjl_utf8_truncate(V(a), k < 0 ? 0 : k, OUT), &r);
  const chars space = {.at = {' '}, .n = 1};
  for (int chosen = 0; chosen < 2; chosen++) {
    const chars *set = chosen ? &p : &space;
    int low = 0, high = s.n, all = 0;
    while (low < s.n && has(set, s.at[low]))
      low++;
    while (high > 0 && has(set, s.at[high - 1]))
      high--;
    all = high < low ? low : high;
    r = slice(&s, low, s.n);
    YIELDS(chosen ? gjl_ltrim_chars(V(a), V(b), OUT) : gjl_ltrim(V(a), OUT), &r);
    r = slice(&s, 0, high);
    YIELDS(chosen ? gjl_rtrim_chars(V(a), V(b), OUT) : gjl_rtrim(V(a), OUT), &r);
    r = slice(&s, low, all);
    YIELDS(chosen ? gjl_btrim_chars(V(a), V(b), OUT) : gjl_btrim(V(a), OUT), &r);
  }
}

static void parts_are_taken(void) { many(20000, check_parts); }

static void check_splits(void) {
  chars s = random_chars(30, 3), p = random_chars(2, 3), r = s;
  gjl_view a = view_of(&s), b = view_of(&p);
  int index = 1 + below(5), places[LONGEST], found = 0, low = 0;
  for (int part = 1; p.n; part++) {
    int next = find_from(&s, low, &p);
    r = slice(&s, low, next < 0 ? s.n : next);
    if (part == index)
      break;
    if (next < 0) {
      r.n = 0;
      break;
    }
    low = next + p.n;
  }
  YIELDS(gjl_split_part(V(a), V(b), index, OUT), &r);
  for (int i = 0; p.n && i < s.n; i++)
    if (is_at(&s, i, &p))
      places[found++] = i;
  r = !p.n ? slice(&s, 0, 0) : found >= index ? slice(&s, 0, places[index - 1]) : s;
  YIELDS(gjl_substring_index(V(a), V(b), index, OUT), &r);
  r = !p.n ? r : found >= index ? slice(&s, places[found - index] + p.n, s.n) : s;
  YIELDS(gjl_substring_index(V(a), V(b), -index, OUT), &r);
  const chars comma = {.at = {','}, .n = 1};
  int item = 0, answer = 0;
  for (low = 0; low >= 0 && s.n && !has(&p, ',') && !answer;) {
    int next = find_from(&s, low, &comma), stop = next < 0 ? s.n : next;
    item++;
    answer = stop - low == p.n && is_at(&s, low, &p) ? item : 0;
    low = next < 0 ? -1 : next + 1;
  }
  CHECK_INT_EQ(gjl_find_in_set(V(b), V(a)), answer);
}

static void strings_are_split(void) { many(20000, check_splits); }

static void check_edits(void) {
  chars s = random_chars(30, 4), f = random_chars(3, 4), t = random_chars(4, 4), r = {.n = 0};
  gjl_view a = view_of(&s), b = view_of(&f), c = view_of(&t);
  for (int i = 0; i < s.n;) {
    bool here = f.n && is_at(&s, i, &f);
    if (here)
      append(&r, &t, 0, t.n);
    else
      push(&r, s.at[i]);
    i += here ? f.n : 1;
  }
  YIELDS(gjl_replace(V(a), V(b), V(c), OUT, fresh()), &r);
  r.n = 0;
  for (int i = s.n; i > 0; i--)
    push(&r, s.at[i - 1]);
  YIELDS(gjl_reverse(V(a), OUT, fresh()), &r);
  int count = below(60), times = below(5);
  for (int left = 0; left < 2; left++) {
    chars fill = {.n = 0};
    while (t.n && s.n && fill.n + s.n < count)
      push(&fill, t.at[fill.n % t.n]);
    r = left ? fill : slice(&s, 0, count);
    append(&r, left ? &s : &fill, 0, left ? (count < s.n ? count : s.n) : fill.n);
    YIELDS((left ? gjl_lpad : gjl_rpad)(V(a), count, V(c), OUT, fresh()), &r);
  }
  r.n = 0;
  for (int i = 0; i < times; i++)
    append(&r, &s, 0, s.n);
  YIELDS(gjl_repeat(V(a), times, OUT, fresh()), &r);
  int from = below(s.n + 3), size = below(6);
  r = slice(&s, 0, from);
  append(&r, &t, 0, t.n);
  append(&r, &s, from + size < s.n ? from + size : s.n, s.n);
  YIELDS(gjl_overlay(V(a), V(c), from + 1, size, OUT, fresh()), &r);
  // Which of `t` a letter becomes is settled when it turns up first.
  int as[LONGEST], next = 0;
  r.n = 0;
  for (int i = 0; i < s.n; i++) {
    int first = i;
    for (int j = i; j-- > 0;)
      first = s.at[j] == s.at[i] ? j : first;
    as[i] = first < i ? as[first] : has(&f, s.at[i]) ? next++ : -1;
    if (as[i] < 0)
      push(&r, s.at[i]);
    else if (as[i] < t.n)
      push(&r, t.at[as[i]]);
  }
  YIELDS(gjl_translate(V(a), V(b), V(c), OUT, fresh()), &r);
  gjl_view views[] = {a, {0, -1}, b, c};
  r = s;
  append(&r, &f, 0, f.n);
  YIELDS(gjl_concat2(V(a), V(b), OUT, fresh()), &r);
  append(&r, &t, 0, t.n);
  YIELDS(gjl_concat(address_of(views), 4, OUT, fresh()), &r);
  r = s;
  append(&r, &t, 0, t.n);
  append(&r, &f, 0, f.n);
  append(&r, &t, 0, t.n);
  append(&r, &t, 0, t.n);
  YIELDS(gjl_concat_ws(V(c), address_of(views), 4, OUT, fresh()), &r);
}

static void strings_are_edited(void) { many(20000, check_edits); }

static int cased(uint32_t c) {
  for (int i = 0; i < CASED; i++)
    if (alphabet[i] == c)
      return i;
  return -1;
}

static void check_letters(void) {
  chars s = random_chars(50, ALPHABET), up = s, low = s, first = s;
  bool in_word = false;
  for (int i = 0; i < s.n; i++) {
    int at = cased(s.at[i]);
    if (at >= 0) {
      up.at[i] = alphabet[at & ~1];
      low.at[i] = alphabet[at | 1];
      first.at[i] = in_word ? low.at[i] : up.at[i];
    }
    in_word = at >= 0;
  }
  gjl_view a = view_of(&s);
  YIELDS(gjl_utf8_upper(V(a), OUT, fresh()), &up);
  YIELDS(gjl_utf8_lower(V(a), OUT, fresh()), &low);
  YIELDS(gjl_initcap(V(a), OUT, fresh()), &first);
}

static void letters_change_case(void) { many(20000, check_letters); }

static bool is_like(const chars *s, int i, const chars *p, int j, uint32_t escape, bool folds) {
  if (j == p->n)
    return i == s->n;
  uint32_t c = p->at[j];
  bool escaped = c == escape && j + 1 < p->n;
  if (escaped)
    c = p->at[++j];
  else if (c == '%')
    return is_like(s, i, p, j + 1, escape, folds) ||
           (i < s->n && is_like(s, i + 1, p, j, escape, folds));
  if (i == s->n)
    return false;
  uint32_t d = s->at[i];
  bool same = c == d || (!escaped && c == '_');
  if (folds && cased(c) >= 0 && cased(d) >= 0)
    same |= (cased(c) | 1) == (cased(d) | 1);
  return same && is_like(s, i + 1, p, j + 1, escape, folds);
}

static void check_like(void) {
  chars s = random_chars(12, 4), p = {.n = 0};
  // Most patterns are made of the string, so that they match or nearly do.
  for (int i = 0; i < s.n; i++) {
    int what = below(8);
    if (what < 3)
      push(&p, s.at[i]);
    else if (what == 3)
      push(&p, '_');
    else if (what == 4)
      push(&p, '%');
    else if (what == 5)
      push(&p, alphabet[below(ALPHABET)]);
  }
  uint32_t escape = below(2) ? alphabet[below(ALPHABET)] : UINT32_MAX;
  int64_t told = escape == UINT32_MAX ? -1 : (int64_t)escape;
  gjl_view a = view_of(&s), b = view_of(&p);
  CHECK_INT_EQ(gjl_like(V(a), V(b), told), is_like(&s, 0, &p, 0, escape, false));
  CHECK_INT_EQ(gjl_ilike(V(a), V(b), told), is_like(&s, 0, &p, 0, escape, true));
}

static void patterns_match(void) { many(60000, check_like); }

static int distance(const chars *s, int i, const chars *t, int j) {
  if (i == 0 || j == 0)
    return i + j;
  int best = distance(s, i - 1, t, j - 1) + (s->at[i - 1] != t->at[j - 1]);
  int deleted = best ? distance(s, i - 1, t, j) + 1 : 0,
      added = best ? distance(s, i, t, j - 1) + 1 : 0;
  best = deleted < best ? deleted : best;
  return added < best ? added : best;
}

static void check_codes(void) {
  chars s = random_chars(40, ALPHABET), x = random_chars(5, 3), y = random_chars(5, 3);
  gjl_view a = view_of(&s), b = view_of(&x), c = view_of(&y);
  CHECK_INT_EQ(gjl_levenshtein(V(b), V(c), OUT, fresh()), 0);
  CHECK_INT_EQ(out.address, distance(&x, x.n, &y, y.n));
  gjl_view code;
  CHECK_INT_EQ(gjl_to_hex(V(a), OUT, fresh()), 0);
  code = out;
  YIELDS(gjl_from_hex(V(code), OUT, address_of(&arena)), &s);
  CHECK_INT_EQ(gjl_base64(V(a), OUT, fresh()), 0);
  code = out;
  YIELDS(gjl_unbase64(V(code), OUT, address_of(&arena)), &s);
}

static void codes_are_undone(void) { many(10000, check_codes); }

static void check_any(void) {
  uint8_t bytes[400];
  int kinds = below(2) ? 256 : 4;
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(below(kinds) + (kinds == 4 ? 64 * (below(4) == 0) : 0));
  for (size_t i = 0; i < STRING_FUNCTIONS; i++) {
    bytes[0] = (uint8_t)below(256);
    string_check(&string_functions[i], (string_source){bytes, sizeof bytes});
  }
}

// Valid or not, with or without room: see library_strings.h.
static void all_functions_keep_to_their_memory(void) { many(2000, check_any); }

int main(void) {
  CHECK_RUN(strings_are_searched);
  CHECK_RUN(parts_are_taken);
  CHECK_RUN(strings_are_split);
  CHECK_RUN(strings_are_edited);
  CHECK_RUN(letters_change_case);
  CHECK_RUN(patterns_match);
  CHECK_RUN(codes_are_undone);
  CHECK_RUN(all_functions_keep_to_their_memory);
  return check_report();
}
