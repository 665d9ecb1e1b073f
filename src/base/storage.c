// Counted memory, digested once.
#include "base/storage.h"

#include "base/pages.h"
#include "base/size.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

struct gj_storage {
  atomic_size_t holders;
  const void *bytes;
  size_t size;
  gj_storage_release_fn *release; // NULL: nobody is to be told
  void *context;
  pthread_mutex_t lock; // of the digest
  bool digested;
  gj_digest digest;
};

static atomic_size_t live_bytes;

static gj_storage *start(gj_storage *storage, const void *bytes, size_t size) {
  atomic_init(&storage->holders, 1);
  pthread_mutex_init(&storage->lock, NULL);
  storage->bytes = bytes;
  storage->size = size;
  atomic_fetch_add_explicit(&live_bytes, size, memory_order_relaxed);
  return storage;
}

gj_storage *gj_storage_new(size_t size) {
  size_t room;
  // One allocation; the system has zeroed the pages of a large one, and gives them when touched.
  gj_storage *storage = gj_add_size(size, sizeof *storage + LINE, &room) ? calloc(1, room) : NULL;
  if (!storage)
    return NULL;
  char *bytes = (char *)(storage + 1);
  bytes += -(uintptr_t)bytes % LINE;
  gj_pages_advise(bytes, size);
  return start(storage, bytes, size);
}

gj_storage *gj_storage_copy(const void *bytes, size_t size) {
  gj_storage *storage = gj_storage_new(size);
  if (storage && size > 0)
    memcpy((void *)storage->bytes, bytes, size);
  return storage;
}

gj_storage *gj_storage_borrow(const void *bytes, size_t size, gj_storage_release_fn *release,
                              void *context) {
  gj_storage *storage = calloc(1, sizeof *storage);
  if (!storage)
    return NULL;
  storage->release = release;
  storage->context = context;
  return start(storage, bytes, size);
}

gj_storage *gj_storage_retain(gj_storage *storage) {
  if (storage)
    atomic_fetch_add_explicit(&storage->holders, 1, memory_order_relaxed);
  return storage;
}

void gj_storage_release(gj_storage *storage) {
  // What any holder has done with it is done before it is freed.
  if (!storage || atomic_fetch_sub_explicit(&storage->holders, 1, memory_order_acq_rel) > 1)
    return;
  atomic_fetch_sub_explicit(&live_bytes, storage->size, memory_order_relaxed);
  if (storage->release)
    storage->release(storage->context);
  pthread_mutex_destroy(&storage->lock);
  free(storage);
}

const void *gj_storage_bytes(const gj_storage *storage) { return storage->bytes; }

size_t gj_storage_size(const gj_storage *storage) { return storage->size; }

const gj_digest *gj_storage_digest(gj_storage *storage) {
  pthread_mutex_lock(&storage->lock);
  if (!storage->digested) {
    gj_digester d;
    gj_digester_init(&d);
    gj_digester_add(&d, storage->bytes, storage->size);
    storage->digest = gj_digester_finish(&d);
    storage->digested = true;
  }
  pthread_mutex_unlock(&storage->lock);
  return &storage->digest;
}

size_t gj_storage_usage(void) { return atomic_load_explicit(&live_bytes, memory_order_relaxed); }
