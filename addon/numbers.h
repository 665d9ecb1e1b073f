// Programs and bound calls by number, for calls that have no time to look at arguments.
//
// A function of Node-API for each program would be a call that the engine cannot foresee, 20 ns
// more than one of a function that is the same for all, and some memory that it gives back in
// another turn of the event loop only. So there is one function to run programs and one for bound
// calls, and which one is meant stands in memory that JavaScript writes to: reading an argument
// takes 4 ns.
#ifndef GJN_NUMBERS_H
#define GJN_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gjn_numbered {
  void *item;    // NULL: the number is free
  uint32_t next; // of a free one: another that is free + 1, or 0
} gjn_numbered;

typedef struct gjn_numbers {
  gjn_numbered *list;
  size_t count, capacity;
  uint32_t free; // one that is free + 1, or 0
} gjn_numbers;

// False when out of memory. `item` is not NULL.
bool gjn_number_take(gjn_numbers *numbers, void *item, uint32_t *out_number);
void gjn_number_give(gjn_numbers *numbers, uint32_t number);

// NULL for a number of nothing.
static inline void *gjn_number_find(const gjn_numbers *numbers, uint32_t number) {
  return number < numbers->count ? numbers->list[number].item : NULL;
}

#endif
