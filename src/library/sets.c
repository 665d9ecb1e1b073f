// Whether a string is one of a constant set: a table of open addressing that comes as bytes of the
// kernel's data. It is half empty at most. Words of 64 bits:
//
//   lengths     bit k if a string of k bytes is in the set, bit 63 for all from 63 on
//   mask        slots, a power of two, less one
//   slots       three words each: utf8_hash of a string; its length; and where it is, in bytes from
//               the set on, or 0 if the slot is empty
//
// and then the strings. Most strings that are not in the set have another length or another hash.
#include "library/strings/strings.h"

#define SLOTS 16
#define SLOT 24

int64_t gjl_in_texts(int64_t text, int64_t length, int64_t set) {
  const unsigned char *p = gjl_bytes(set);
  uint64_t lengths = gjl_load64(p), mask = gjl_load64(p + 8);
  if (!(lengths >> (length < 63 ? length : 63) & 1))
    return 0;
  uint64_t hash = (uint64_t)gjl_utf8_hash(text, length);
  for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
    const unsigned char *slot = p + SLOTS + SLOT * i;
    uint64_t place = gjl_load64(slot + 16);
    if (!place)
      return 0;
    if (gjl_load64(slot) == hash && gjl_load64(slot + 8) == (uint64_t)length &&
        gjl_same(p + place, gjl_bytes(text), length))
      return 1;
  }
}
