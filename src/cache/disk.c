// Entries as files: reading, writing, trust. Which of them go is decided in evict.c.
//
// What is read here is run as code later, so a folder is used only when nobody else could have
// written to it: it must be a real directory of this user without write permission for others, and
// so must each file. Everything below it goes through a descriptor of the folder and follows no
// links. A file is a header and the content; the header has a hash over itself and the content, so
// whatever happens to a file (a crash while writing, a bad disk, another version of the format) is
// seen before anything is used.
//
// Files are written under a temporary name and renamed, so that a reader sees all or nothing. They
// are not synced: a file that a power cut tore is found out by its hash.
#include "cache/disk.h"

#include "base/size.h"
#include "cache/evict.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct header {
  char magic[8]; // with the version of this format
  gj_digest key;
  uint64_t size; // of the content
  gj_digest hash;
  char pad[48]; // the content starts on a cache line
} header;

_Static_assert(sizeof(header) == 128, "the content is aligned in the file");

static const char magic[8] = {'g', 'r', 'a', 'p', 'h', 'j', 't', '1'};

enum { DEFAULT_MIB = 256, MAX_PATH = 4096 };

// --- where ---

static pthread_once_t environment_once = PTHREAD_ONCE_INIT;
static char environment_folder[MAX_PATH];
static gj_disk environment;
static bool environment_off;

static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

static void read_environment(void) {
  const char *use = variable("GRAPHJIT_CACHE"), *folder = variable("GRAPHJIT_CACHE_DIR");
  const char *size = variable("GRAPHJIT_CACHE_SIZE");
  const char *xdg = variable("XDG_CACHE_HOME"), *home = variable("HOME");
  int length = -1;
  environment_off = use && strcasecmp(use, "off") == 0;
  if (environment_off)
    return;
  if (folder)
    length = snprintf(environment_folder, MAX_PATH, "%s", folder);
  else if (xdg && xdg[0] == '/') // the specification says to ignore relative ones
    length = snprintf(environment_folder, MAX_PATH, "%s/graphjit", xdg);
  else if (home && home[0] == '/')
    length = snprintf(environment_folder, MAX_PATH, "%s/.cache/graphjit", home);
  char *end = NULL;
  unsigned long mib = size ? strtoul(size, &end, 10) : DEFAULT_MIB;
  if (size && (*end || size[0] < '0' || size[0] > '9' || mib > SIZE_MAX >> 20))
    mib = DEFAULT_MIB;
  environment.limit = (size_t)mib << 20;
  environment.folder = length > 0 && length < MAX_PATH && mib > 0 ? environment_folder : NULL;
}

const gj_disk *gj_disk_default(void) {
  pthread_once(&environment_once, read_environment);
  return &environment;
}

bool gj_disk_is_off(void) {
  pthread_once(&environment_once, read_environment);
  return environment_off;
}

// --- trust ---

static bool is_ours(const struct stat *info) {
  return info->st_uid == geteuid() && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static void make_folders(const char *folder) {
  char path[MAX_PATH];
  size_t length = strlen(folder);
  if (length >= sizeof path)
    return;
  memcpy(path, folder, length + 1);
  for (size_t i = 1; i <= length; i++) {
    char end = path[i];
    if (end != '/' && end != '\0')
      continue;
    path[i] = '\0';
    mkdir(path, 0700); // those that are there stay; if it fails, opening will
    path[i] = end;
  }
}

// A descriptor of the folder, or -1.
static int open_folder(const gj_disk *disk, bool make) {
  enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
  if (!disk->folder)
    return -1;
  int folder = open(disk->folder, FLAGS);
  if (folder < 0 && errno == ENOENT && make) {
    make_folders(disk->folder);
    folder = open(disk->folder, FLAGS);
  }
  struct stat info;
  if (folder >= 0 && (fstat(folder, &info) != 0 || !is_ours(&info))) {
    close(folder);
    folder = -1;
  }
  return folder;
}

// --- entries ---

typedef char entry_name[2 * GJ_DIGEST_BYTES + sizeof GJ__ENTRY_SUFFIX];

static void name_of(const gj_digest *key, entry_name out) {
  for (size_t i = 0; i < GJ_DIGEST_BYTES; i++)
    snprintf(out + 2 * i, 3, "%02x", key->bytes[i]);
  memcpy(out + 2 * GJ_DIGEST_BYTES, GJ__ENTRY_SUFFIX, sizeof GJ__ENTRY_SUFFIX);
}

static header header_of(const gj_digest *key, const void *content, size_t size) {
  header h = {.key = *key, .size = size};
  memcpy(h.magic, magic, sizeof magic);
  gj_digester d;
  gj_digester_init(&d);
  gj_digester_add(&d, &h, sizeof h);
  gj_digester_add(&d, content, size);
  h.hash = gj_digester_finish(&d);
  return h;
}

static bool read_all(int file, void *bytes, size_t size) {
  for (char *at = bytes; size > 0;) {
    ssize_t got = read(file, at, size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    at += got, size -= (size_t)got;
  }
  return true;
}

static bool write_all(int file, const void *bytes, size_t size) {
  for (const char *at = bytes; size > 0;) {
    ssize_t put = write(file, at, size);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    at += put, size -= (size_t)put;
  }
  return true;
}

static bool read_entry(int file, const gj_digest *key, size_t limit, unsigned char **out_bytes,
                       size_t *out_size) {
  struct stat info;
  header found;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || !is_ours(&info) ||
      info.st_size < (off_t)sizeof found || (uintmax_t)info.st_size > limit ||
      !read_all(file, &found, sizeof found) || memcmp(&found.key, key, sizeof *key) != 0)
    return false;
  size_t size = (size_t)info.st_size - sizeof found, room;
  unsigned char *bytes = gj_align_size(size + 1, 64, &room) ? aligned_alloc(64, room) : NULL;
  bool ok = bytes && read_all(file, bytes, size);
  if (ok) {
    header expected = header_of(key, bytes, size);
    ok = memcmp(&found, &expected, sizeof found) == 0;
  }
  if (!ok) {
    free(bytes);
    return false;
  }
  *out_bytes = bytes;
  *out_size = size;
  return true;
}

bool gj_disk_read(const gj_disk *disk, const gj_digest *key, unsigned char **out_bytes,
                  size_t *out_size) {
  entry_name name;
  int folder = open_folder(disk, false);
  if (folder < 0)
    return false;
  name_of(key, name);
  // Not blocking: what bears the name might be a pipe.
  int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  bool found = file >= 0 && read_entry(file, key, disk->limit, out_bytes, out_size);
  if (found)
    futimens(file, NULL); // eviction goes by it; it does no harm if this is not allowed
  if (file >= 0)
    close(file);
  close(folder);
  return found;
}

static bool write_entry(int folder, const char *name, const header *h, const void *bytes) {
  static atomic_uint next;
  char temporary[64];
  snprintf(temporary, sizeof temporary, GJ__TEMPORARY_PREFIX "%ld-%u", (long)getpid(),
           atomic_fetch_add(&next, 1));
  enum { FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };
  int file = openat(folder, temporary, FLAGS, 0600);
  if (file < 0 && errno == EEXIST) { // left behind by a process that had this number
    unlinkat(folder, temporary, 0);
    file = openat(folder, temporary, FLAGS, 0600);
  }
  if (file < 0)
    return false;
  bool ok = write_all(file, h, sizeof *h) && write_all(file, bytes, (size_t)h->size);
  ok = close(file) == 0 && ok;
  ok = ok && renameat(folder, temporary, folder, name) == 0;
  if (!ok)
    unlinkat(folder, temporary, 0);
  return ok;
}

void gj_disk_write(const gj_disk *disk, const gj_digest *key, const void *bytes, size_t size) {
  // One entry may not push out most of the others.
  if (!disk->folder || size > disk->limit / 2)
    return;
  int folder = open_folder(disk, true);
  if (folder < 0)
    return;
  entry_name name;
  name_of(key, name);
  header h = header_of(key, bytes, size);
  if (write_entry(folder, name, &h, bytes))
    gj__disk_note_written(folder, sizeof h + size, disk->limit);
  close(folder);
}

// --- looking after the folder ---

static bool with_folder(const gj_disk *disk, gj_disk_usage (*look)(int folder, size_t bytes),
                        size_t bytes, gj_disk_usage *out) {
  *out = (gj_disk_usage){0};
  errno = 0;
  int folder = open_folder(disk, false);
  if (folder < 0)
    return !disk->folder || errno == ENOENT;
  *out = look(folder, bytes);
  close(folder);
  return true;
}

static gj_disk_usage look_at_usage(int folder, size_t bytes) {
  (void)bytes;
  return gj__disk_usage(folder);
}

bool gj_disk_get_usage(const gj_disk *disk, gj_disk_usage *out) {
  return with_folder(disk, look_at_usage, 0, out);
}

bool gj_disk_prune(const gj_disk *disk, size_t bytes, gj_disk_usage *out) {
  return with_folder(disk, gj__disk_prune, bytes, out);
}
