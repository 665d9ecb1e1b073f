// Counted memory: the elements of large constants, which graphs, programs and code share.
//
// Weights of a model are hundreds of megabytes, and passes copy graphs several times on their way
// to code. So a storage belongs to whoever holds it and goes with the last of them, on whatever
// thread that is. What lies in it must not change once it has been digested, which is what tells
// equal constants. Thread-safe.
#ifndef GJ_BASE_STORAGE_H
#define GJ_BASE_STORAGE_H

#include "base/digest.h"

#include <stddef.h>

typedef struct gj_storage gj_storage;
typedef void gj_storage_release_fn(void *context);

// All return NULL when out of memory, and else a storage with one holder.

// Of `size` zeroed bytes that begin at a cache line.
gj_storage *gj_storage_new(size_t size);
// With a copy of them.
gj_storage *gj_storage_copy(const void *bytes, size_t size);
// Of memory of the caller, who is told by `release` when the last holder is gone; it must not call
// back here. `release` may be NULL. When out of memory it is not called.
gj_storage *gj_storage_borrow(const void *bytes, size_t size, gj_storage_release_fn *release,
                              void *context);

gj_storage *gj_storage_retain(gj_storage *storage); // returns it; NULL is fine
void gj_storage_release(gj_storage *storage);       // NULL is fine

const void *gj_storage_bytes(const gj_storage *storage);
size_t gj_storage_size(const gj_storage *storage);
// Of the bytes, computed by the first call: equal for equal content.
const gj_digest *gj_storage_digest(gj_storage *storage);

// Bytes of all storages that live: for leak tests.
size_t gj_storage_usage(void);

#endif
