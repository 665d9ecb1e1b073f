// A folder of entries on disk, each found by a 256-bit key: what the code cache keeps its files in.
//
// The folder belongs to one user and is bounded in size; entries that were not used for the longest
// time go first. Any number of processes and threads may use it at once: entries appear and go
// whole. Nothing here fails a caller: a folder that cannot be used, an entry that is not as it was
// written and a full disk all look like an entry that is not there.
#ifndef GJ_CACHE_DISK_H
#define GJ_CACHE_DISK_H

#include "base/digest.h"

#include <stdbool.h>

typedef struct gj_disk {
  const char *folder; // NULL: nothing is kept
  size_t limit;       // bytes of all entries
} gj_disk;

// The folder and limit that the environment says, looked at once per process:
//   GRAPHJIT_CACHE=off     none, in any case of letters
//   GRAPHJIT_CACHE_DIR     the folder; else $XDG_CACHE_HOME/graphjit, else $HOME/.cache/graphjit
//   GRAPHJIT_CACHE_SIZE    limit in MiB, 256 when it is not a number
const gj_disk *gj_disk_default(void);
bool gj_disk_is_off(void); // GRAPHJIT_CACHE=off was said

// The content of an entry as it was written, 64-byte aligned, in *out_bytes (the caller's, by
// free()); false when there is none. Counts as a use of the entry.
bool gj_disk_read(const gj_disk *disk, const gj_digest *key, unsigned char **out_bytes,
                  size_t *out_size);
// Keeps a copy of the bytes, replaces an entry of that key; then removes old entries as needed.
void gj_disk_write(const gj_disk *disk, const gj_digest *key, const void *bytes, size_t size);

// What the folder holds, or what was removed from it.
typedef struct gj_disk_usage {
  size_t entries, bytes;
} gj_disk_usage;

// False when there is a folder that cannot be used, such as one that others may write to; none at
// all is an empty one.
bool gj_disk_get_usage(const gj_disk *disk, gj_disk_usage *out);
// Removes entries, those that were not used for the longest time first, until at most `bytes` are
// left; what was removed is in *out.
bool gj_disk_prune(const gj_disk *disk, size_t bytes, gj_disk_usage *out);

#endif
