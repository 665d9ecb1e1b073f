// A hash table from 64-bit hashes to numbers: the index behind every interning and name lookup.
//
// The table stores hash and value only; what a value stands for, and when two things are equal, is
// the owner's business. A lookup therefore walks the values with the wanted hash:
//
//   size_t at = 0;
//   for (uint32_t v; (v = gj_table_next(&table, hash, &at)) != 0;)
//     if (same(things[v], wanted))
//       return v;
//
// Open addressing with linear probing, at most half full. Values cannot be removed: graphs only
// grow.

#ifndef GJ_BASE_TABLE_H
#define GJ_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gj_table_slot {
  uint64_t hash;
  uint32_t value; // 0: free
} gj_table_slot;

// A zeroed struct is an empty table.
typedef struct gj_table {
  gj_table_slot *slots;
  size_t capacity; // 0 or a power of two
  size_t count;
} gj_table;

void gj_table_fini(gj_table *table);

// The next value with that hash, 0 when there are no more. `*cursor` starts at 0.
uint32_t gj_table_next(const gj_table *table, uint64_t hash, size_t *cursor);

// Adds a value other than 0; false when out of memory, and then nothing changed.
bool gj_table_add(gj_table *table, uint64_t hash, uint32_t value);

#endif
