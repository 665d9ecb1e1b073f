// The longest prefix of many texts, UTF-8 in bytes and offsets.
//
// The tree is that of lib/maps/radix.js over bytes: a node says at which byte texts part, and has a
// table of its own, in which the top bits of byte times factor are the one place where a child can
// be. A lookup goes down without comparing, and compares once with the text of the node where it
// ended, of which all nodes above have the beginning.
//
//   slots       0 units, of MAP_UNIT texts; 1 count; 2 the bytes of a separator, as a word, and 6
//               how many, 0 without one; 3 bytes of an offset; 4 bytes of a value, or 0 for
//               indices; 5 a missing value
//   addresses   0 bytes; 1 validity; 2 nodes: begin of the table, factor, shift, depth; 3 places:
//               byte and child; 4 values by entry; 5 what is written; 6 offsets; 7 by node the
//               nearest from it on upwards where an entry ends, or -1; 8 the nearest above it; 9
//               where its text begins; 10 bytes of texts; 11 by node its entry, or -1
#include "library/maps/texts.h"

#define MAP_UNIT 1024

typedef struct node {
  int32_t begin;
  uint32_t factor;
  int32_t shift, depth;
} node;

typedef struct place {
  int32_t byte, child;
} place;

typedef struct tree {
  const node *nodes;
  const place *places;
  const int32_t *nearest, *above, *texts, *entries;
  const unsigned char *bytes;
  uint64_t separator;
  int64_t separator_length;
} tree;

static bool is_separator(const tree *t, const unsigned char *s) {
  for (int64_t i = 0; i < t->separator_length; i++)
    if (s[i] != (unsigned char)(t->separator >> 8 * i))
      return false;
  return true;
}

// Whether a prefix of `depth` bytes of a text of `n` ends at the end, or before or behind a
// separator.
static bool ends_there(const tree *t, const unsigned char *s, int64_t n, int64_t depth) {
  int64_t length = t->separator_length;
  return !length || depth == n || (depth + length <= n && is_separator(t, s + depth)) ||
         (depth >= length && is_separator(t, s + depth - length));
}

// The entry of the longest prefix, or -1.
static int32_t longest(const tree *t, const unsigned char *s, int64_t n) {
  int32_t at = 0;
  for (int64_t depth = 0; depth < n; depth = t->nodes[at].depth) {
    const node *own = &t->nodes[at];
    const place *p = &t->places[own->begin + (int32_t)(s[depth] * own->factor >> own->shift)];
    if (p->byte != s[depth])
      break;
    at = p->child;
  }
  at = t->nearest[at];
  if (at < 0)
    return -1;
  int64_t depth = t->nodes[at].depth, most = depth < n ? depth : n, right = 0;
  const unsigned char *text = t->bytes + t->texts[at];
  while (right + 8 <= most && gjl_load64(s + right) == gjl_load64(text + right))
    right += 8;
  while (right < most && s[right] == text[right])
    right++;
  while (at >= 0 && (t->nodes[at].depth > right || !ends_there(t, s, n, t->nodes[at].depth)))
    at = t->above[at];
  return at < 0 ? -1 : t->entries[at];
}

int64_t gjl_map_find_prefixes(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  const int64_t *s = gjl_map_slots(slots);
  const unsigned char *bytes = gjl_map_pointer(addresses, 0);
  const void *offsets = gjl_map_pointer(addresses, 6);
  gjl_map_output output = {s[4], &s[5], gjl_map_pointer(addresses, 4),
                           gjl_map_pointer(addresses, 5)};
  tree t = {gjl_map_pointer(addresses, 2),
            gjl_map_pointer(addresses, 3),
            gjl_map_pointer(addresses, 7),
            gjl_map_pointer(addresses, 8),
            gjl_map_pointer(addresses, 9),
            gjl_map_pointer(addresses, 11),
            gjl_map_pointer(addresses, 10),
            (uint64_t)s[2],
            s[6]};
  int64_t to = end * MAP_UNIT < s[1] ? end * MAP_UNIT : s[1];
  for (int64_t i = begin * MAP_UNIT; i < to; i += MAP_BLOCK) {
    int64_t count = to - i < MAP_BLOCK ? to - i : MAP_BLOCK;
    int32_t found[MAP_BLOCK];
    uint64_t absent = gjl_map_absent(gjl_map_pointer(addresses, 1), i, count);
    for (int64_t k = 0; k < count; k++) {
      int64_t from = gjl_map_offset(offsets, s[3], i + k);
      int64_t length = gjl_map_offset(offsets, s[3], i + k + 1) - from;
      found[k] = absent >> k & 1 ? -1 : longest(&t, bytes + from, length);
    }
    gjl_map_give(&output, found, i, count);
  }
  return 0;
}
