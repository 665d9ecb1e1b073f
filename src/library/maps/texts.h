// What lookups of texts have in common: UTF-8 in bytes and offsets, as columns have it, each text a
// view. Only for the files of this folder.
#ifndef GJ_LIBRARY_MAPS_TEXTS_H
#define GJ_LIBRARY_MAPS_TEXTS_H

#include "library/maps/maps.h"

// Offsets have 4 or 8 bytes each.
static inline int64_t gjl_map_offset(const void *offsets, int64_t bytes, int64_t at) {
  return bytes == 8 ? ((const int64_t *)offsets)[at] : ((const int32_t *)offsets)[at];
}

#endif
