// Keeping the folder of the cache within its limit; for cache/ only.
#ifndef GJ_CACHE_EVICT_H
#define GJ_CACHE_EVICT_H

#include "cache/disk.h"

#define GJ__ENTRY_SUFFIX ".code"
#define GJ__TEMPORARY_PREFIX "new-"

// An entry of `bytes` was written to the folder: removes old ones when there may be too many.
void gj__disk_note_written(int folder, size_t bytes, size_t limit);

gj_disk_usage gj__disk_usage(int folder);
// Removes what was not used for the longest time until at most `bytes` are left.
gj_disk_usage gj__disk_prune(int folder, size_t bytes);

#endif
