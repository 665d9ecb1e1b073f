// A hash table from 64-bit hashes to numbers.

#include "base/table.h"

#include "base/size.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 16 };

void gj_table_fini(gj_table *table) {
  free(table->slots);
  *table = (gj_table){0};
}

uint32_t gj_table_next(const gj_table *table, uint64_t hash, size_t *cursor) {
  if (table->capacity == 0)
    return 0;
  size_t mask = table->capacity - 1;
  for (;; ++*cursor) {
    const gj_table_slot *slot = &table->slots[(hash + *cursor) & mask];
    // A free slot ends every probe; one exists because the table is never more than half full.
    if (slot->value == 0)
      return 0;
    if (slot->hash == hash) {
      ++*cursor;
      return slot->value;
    }
  }
}

static void put(gj_table *table, uint64_t hash, uint32_t value) {
  size_t mask = table->capacity - 1;
  size_t at = (size_t)hash & mask;
  while (table->slots[at].value != 0)
    at = (at + 1) & mask;
  table->slots[at] = (gj_table_slot){hash, value};
  table->count++;
}

static bool grow(gj_table *table) {
  gj_table grown = {.capacity = FIRST_CAPACITY};
  if (table->capacity != 0 && !gj_mul_size(table->capacity, 2, &grown.capacity))
    return false;
  grown.slots = calloc(grown.capacity, sizeof *grown.slots);
  if (!grown.slots)
    return false;
  for (size_t i = 0; i < table->capacity; i++)
    if (table->slots[i].value != 0)
      put(&grown, table->slots[i].hash, table->slots[i].value);
  gj_table_fini(table);
  *table = grown;
  return true;
}

bool gj_table_add(gj_table *table, uint64_t hash, uint32_t value) {
  if (2 * (table->count + 1) > table->capacity && !grow(table))
    return false;
  put(table, hash, value);
  return true;
}
