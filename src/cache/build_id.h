// Which build of this software is running: part of the key of everything that is kept on disk.
#ifndef GJ_CACHE_BUILD_ID_H
#define GJ_CACHE_BUILD_ID_H

#include "base/digest.h"

#include <stdbool.h>

// Adds the linker's build id of the program or library that holds `address`; false when it has
// none. Two binaries with the same id were made of the same bytes.
bool gj_build_id_add(gj_digester *d, const void *address);

#endif
