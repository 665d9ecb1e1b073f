// Growing of heap arrays.

#include "base/array.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 8 };

void *gj_array_grow(void *items, size_t *capacity, size_t needed, size_t item_size) {
  if (needed <= *capacity)
    return items;
  size_t grown = *capacity < FIRST_CAPACITY ? FIRST_CAPACITY : *capacity;
  while (grown < needed) {
    if (!gj_mul_size(grown, 2, &grown))
      grown = needed;
  }
  size_t bytes;
  if (!gj_mul_size(grown, item_size, &bytes))
    return NULL;
  char *moved = realloc(items, bytes);
  if (!moved)
    return NULL;
  size_t old_bytes = *capacity * item_size;
  memset(moved + old_bytes, 0, bytes - old_bytes);
  *capacity = grown;
  return moved;
}
