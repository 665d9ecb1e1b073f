// Which entries of the folder go: those that were not used for the longest time, by the time of
// their files, which a reader sets.
//
// Looking at a folder of thousands of files takes milliseconds, so a process does it at its first
// write and then again each time it has written a sixteenth of the limit; several processes
// together may be over the limit by that much each. Files that a dead process left half-written go
// after an hour. Files of other names are not ours to count or remove.
#include "cache/evict.h"

#include "base/array.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_BYTES = 96, STALE_SECONDS = 3600, SCANS_PER_LIMIT = 16 };

typedef struct found {
  char name[NAME_BYTES];
  struct timespec used;
  size_t bytes;
} found;

typedef struct listing {
  found *files;
  size_t count, capacity;
  size_t bytes;
} listing;

static bool ends_with(const char *name, const char *suffix) {
  size_t length = strlen(name), tail = strlen(suffix);
  return length > tail && strcmp(name + length - tail, suffix) == 0;
}

static void look_at(int folder, const char *name, listing *list) {
  bool temporary = strncmp(name, GJ__TEMPORARY_PREFIX, strlen(GJ__TEMPORARY_PREFIX)) == 0;
  struct stat info;
  if ((!temporary && !ends_with(name, GJ__ENTRY_SUFFIX)) || strlen(name) >= NAME_BYTES ||
      fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
    return;
  if (temporary) {
    if (time(NULL) - info.st_mtime > STALE_SECONDS)
      unlinkat(folder, name, 0);
    return;
  }
  found *files = gj_array_grow(list->files, &list->capacity, list->count + 1, sizeof *files);
  if (!files)
    return;
  list->files = files;
  found *file = &files[list->count++];
  *file = (found){.used = info.st_mtim, .bytes = (size_t)info.st_size};
  memcpy(file->name, name, strlen(name) + 1);
  list->bytes += file->bytes;
}

static void list_files(int folder, listing *list) {
  // A descriptor of its own, since closedir() closes it and both would share a position.
  int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = own >= 0 ? fdopendir(own) : NULL;
  if (!stream && own >= 0)
    close(own);
  for (struct dirent *entry; stream && (entry = readdir(stream)) != NULL;)
    look_at(folder, entry->d_name, list);
  if (stream)
    closedir(stream);
}

static int by_use(const void *a, const void *b) {
  const struct timespec *x = &((const found *)a)->used, *y = &((const found *)b)->used;
  if (x->tv_sec != y->tv_sec)
    return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

gj_disk_usage gj__disk_usage(int folder) {
  listing list = {0};
  list_files(folder, &list);
  free(list.files);
  return (gj_disk_usage){list.count, list.bytes};
}

// Goes down to `target` bytes where there are more than `limit`.
static gj_disk_usage evict(int folder, size_t limit, size_t target) {
  listing list = {0};
  gj_disk_usage removed = {0};
  list_files(folder, &list);
  if (list.bytes > limit) {
    qsort(list.files, list.count, sizeof *list.files, by_use);
    for (size_t i = 0; i < list.count && list.bytes > target; i++) {
      list.bytes -= list.files[i].bytes;
      if (unlinkat(folder, list.files[i].name, 0) != 0)
        continue;
      removed.entries++;
      removed.bytes += list.files[i].bytes;
    }
  }
  free(list.files);
  return removed;
}

gj_disk_usage gj__disk_prune(int folder, size_t bytes) { return evict(folder, bytes, bytes); }

void gj__disk_note_written(int folder, size_t bytes, size_t limit) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static bool looked;
  static size_t written; // since the folder was looked at
  pthread_mutex_lock(&lock);
  written += bytes;
  bool due = !looked || written > limit / SCANS_PER_LIMIT;
  if (due) {
    looked = true;
    written = 0;
    // A tenth more goes than needed, or each write to a full folder would come here.
    evict(folder, limit, limit - limit / 10);
  }
  pthread_mutex_unlock(&lock);
}
