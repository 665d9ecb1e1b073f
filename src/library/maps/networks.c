// The narrowest network of many IP addresses, texts in bytes and offsets, or of IPv6 addresses as
// words.
//
// Addresses have the forms of lib/maps/addresses.js, and networks are intervals that do not
// overlap, in order: of IPv4 as words of 32 bits, of IPv6 as two of 64, the high one first. A block
// of addresses goes through a search by halves together, so that it waits for memory together.
//
//   map_find_addresses   slots: 0 units, 1 count, 2 intervals of IPv4, 3 bytes of an offset, 4
//                        bytes of a value, or 0 for indices, 5 a missing value, 6 intervals of IPv6
//                        addresses: 0 bytes, 1 validity, 2 where intervals of IPv4 begin, u32, 3
//                        where they end, both included, 4 values by entry, 5 what is written, 6
//                        offsets, 7 entries by interval; 8, 9, 10 as 2, 3, 7 of IPv6
#include "library/maps/texts.h"

#define MAP_UNIT 1024

typedef struct address {
  uint64_t hi, lo;
} address;

// The words of an interval's ends, of 32 bits of IPv4.
typedef struct intervals {
  const void *lows, *lasts;
  const int32_t *entries;
  int64_t count;
  bool wide;
} intervals;

static address word_at(const void *words, bool wide, int64_t at) {
  return wide ? ((const address *)words)[at] : (address){0, ((const uint32_t *)words)[at]};
}

static inline bool at_most(address a, address b) {
  return (a.hi < b.hi) | ((a.hi == b.hi) & (a.lo <= b.lo));
}

// --- texts ---

// An address of IPv4, or -1.
static int64_t parse_v4(const unsigned char *s, int64_t n) {
  int64_t word = 0, part = 0;
  int digits = 0, dots = 0;
  if (n < 7 || n > 15)
    return -1;
  for (int64_t i = 0; i < n; i++) {
    unsigned digit = s[i] - (unsigned)'0';
    if (digit <= 9 && !(digits > 0 && part == 0)) {
      part = part * 10 + digit;
      digits++;
      if (part > 255)
        return -1;
    } else if (s[i] == '.' && digits > 0 && dots < 3) {
      word = word << 8 | part;
      part = 0;
      digits = 0;
      dots++;
    } else {
      return -1;
    }
  }
  return dots == 3 && digits > 0 ? word << 8 | part : -1;
}

static int hex_digit(unsigned char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

enum { GROUPS = 8 };

// An address of `count` groups, with zeros before group `gap`, where `::` stood; -1: nowhere.
static bool spread(const uint16_t *given, int count, int gap, address *out) {
  if (gap < 0 ? count != GROUPS : count >= GROUPS)
    return false;
  uint64_t words[2] = {0, 0};
  for (int i = 0; i < count; i++) {
    int at = gap >= 0 && i >= gap ? i + GROUPS - count : i;
    words[at >> 2] |= (uint64_t)given[i] << 16 * (3 - (at & 3));
  }
  *out = (address){words[0], words[1]};
  return true;
}

static bool parse_v6(const unsigned char *s, int64_t n, address *out) {
  uint16_t groups[GROUPS];
  int count = 0, gap = -1;
  int64_t i = 0;
  if (n < 2 || n > 45)
    return false;
  if (s[0] == ':') {
    if (s[1] != ':')
      return false;
    gap = 0;
    i = 2;
  }
  while (i < n) {
    int64_t from = i;
    int group = 0;
    for (int digit; i < n && i - from < 4 && (digit = hex_digit(s[i])) >= 0; i++)
      group = group << 4 | digit;
    if (i == from || count == GROUPS)
      return false;
    if (i < n && s[i] == '.') {
      int64_t v4 = parse_v4(s + from, n - from);
      if (v4 < 0 || count > GROUPS - 2)
        return false;
      groups[count++] = (uint16_t)(v4 >> 16);
      groups[count++] = (uint16_t)v4;
      break;
    }
    groups[count++] = (uint16_t)group;
    if (i == n)
      break;
    if (s[i++] != ':' || i == n)
      return false;
    if (s[i] == ':') {
      if (gap >= 0)
        return false;
      gap = count;
      i++;
    }
  }
  return spread(groups, count, gap, out);
}

// --- search ---

// The entries of addresses that are of this kind: of each `x` for which a bit of `asked` is set.
static void search(const intervals *v, const address *x, uint64_t asked, int64_t count,
                   int32_t *found) {
  uint32_t at[MAP_BLOCK];
  if (!asked || v->count == 0)
    return;
  for (int64_t k = 0; k < count; k++)
    at[k] = 0;
  // at[k] intervals begin no later than x[k]; of the `left` behind them some may.
  int64_t left = v->count;
  for (; left > 1; left -= left / 2)
    for (int64_t k = 0; k < count; k++) {
      int64_t half = left / 2;
      at[k] += at_most(word_at(v->lows, v->wide, at[k] + half - 1), x[k]) ? (uint32_t)half : 0;
    }
  for (int64_t k = 0; k < count; k++)
    at[k] += at_most(word_at(v->lows, v->wide, at[k]), x[k]);
  for (int64_t k = 0; k < count; k++) {
    int64_t own = at[k] > 0 ? at[k] - 1 : 0;
    bool inside = (at[k] > 0) & at_most(x[k], word_at(v->lasts, v->wide, own)) & (asked >> k & 1);
    found[k] = inside ? v->entries[own] : found[k];
  }
}

int64_t gjl_map_find_addresses(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  const int64_t *s = gjl_map_slots(slots);
  const unsigned char *bytes = gjl_map_pointer(addresses, 0);
  const void *offsets = gjl_map_pointer(addresses, 6);
  intervals v4 = {gjl_map_pointer(addresses, 2), gjl_map_pointer(addresses, 3),
                  gjl_map_pointer(addresses, 7), s[2], false};
  intervals v6 = {gjl_map_pointer(addresses, 8), gjl_map_pointer(addresses, 9),
                  gjl_map_pointer(addresses, 10), s[6], true};
  gjl_map_output output = {s[4], &s[5], gjl_map_pointer(addresses, 4),
                           gjl_map_pointer(addresses, 5)};
  int64_t to = end * MAP_UNIT < s[1] ? end * MAP_UNIT : s[1];
  for (int64_t i = begin * MAP_UNIT; i < to; i += MAP_BLOCK) {
    int64_t count = to - i < MAP_BLOCK ? to - i : MAP_BLOCK;
    int32_t found[MAP_BLOCK];
    address x[MAP_BLOCK];
    uint64_t narrow = 0, wide = 0;
    uint64_t absent = gjl_map_absent(gjl_map_pointer(addresses, 1), i, count);
    for (int64_t k = 0; k < count; k++) {
      int64_t from = gjl_map_offset(offsets, s[3], i + k);
      int64_t length = gjl_map_offset(offsets, s[3], i + k + 1) - from;
      int64_t word = parse_v4(bytes + from, length);
      found[k] = -1;
      x[k] = (address){0, (uint64_t)word};
      if (word >= 0)
        narrow |= (uint64_t)1 << k;
      else if (parse_v6(bytes + from, length, &x[k]))
        wide |= (uint64_t)1 << k;
    }
    search(&v4, x, narrow & ~absent, count, found);
    search(&v6, x, wide & ~absent, count, found);
    gjl_map_give(&output, found, i, count);
  }
  return 0;
}
