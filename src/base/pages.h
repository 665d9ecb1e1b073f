// Large pages for large arrays.

#ifndef GJ_BASE_PAGES_H
#define GJ_BASE_PAGES_H

#include <stddef.h>

// Asks the system for large pages where `data` has whole ones that nobody has touched yet. Advice
// only: the contents stay, and where the system does not take it nothing happens.
void gj_pages_advise(void *data, size_t bytes);

#endif
