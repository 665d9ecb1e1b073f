// See numbers.h.

#include "numbers.h"

#include "base/array.h"

bool gjn_number_take(gjn_numbers *numbers, void *item, uint32_t *out_number) {
  if (numbers->free) {
    *out_number = numbers->free - 1;
    numbers->free = numbers->list[*out_number].next;
  } else {
    gjn_numbered *list = NULL;
    if (numbers->count < INT32_MAX)
      list = gj_array_grow(numbers->list, &numbers->capacity, numbers->count + 1, sizeof *list);
    if (!list)
      return false;
    numbers->list = list;
    *out_number = (uint32_t)numbers->count++;
  }
  numbers->list[*out_number] = (gjn_numbered){.item = item};
  return true;
}

void gjn_number_give(gjn_numbers *numbers, uint32_t number) {
  numbers->list[number] = (gjn_numbered){.next = numbers->free};
  numbers->free = number + 1;
}
