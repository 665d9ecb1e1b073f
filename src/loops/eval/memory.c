// Memory of the reference interpreter: regions, and the check that each access passes.

#include "loops/eval/memory.h"

#include "base/array.h"
#include "base/size.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATTERN = 0xA5 };

void gj__lmemory_fini(gj__lmemory *memory) {
  gj__lmemory_drop(memory, 0);
  gj__lmemory_release(memory, 0);
  free(memory->regions);
  free(memory->heap);
  *memory = (gj__lmemory){0};
}

static gj_status push(gj__lmemory *memory, gj__lregion region, gj_error *err) {
  gj__lregion *regions = NULL;
  if (memory->count < UINT32_MAX - 1)
    regions = gj_array_grow(memory->regions, &memory->capacity, memory->count + 1, sizeof *regions);
  if (!regions)
    return gj_fail(err, GJ_E_MEMORY, "out of memory at %zu regions", memory->count);
  memory->regions = regions;
  memory->regions[memory->count++] = region;
  return GJ_OK;
}

gj_status gj__lmemory_add(gj__lmemory *memory, const char *kind, void *bytes, size_t size,
                          bool writable, gj_error *err) {
  return push(memory, (gj__lregion){kind, bytes, size, writable, false}, err);
}

gj_status gj__lmemory_array(gj__lmemory *memory, size_t size, uint32_t *out_region, gj_error *err) {
  gj__lregion region = {"array", malloc(size), size, true, true};
  if (!region.bytes)
    return gj_fail(err, GJ_E_MEMORY, "out of memory for an array of %zu bytes", size);
  gj_status status = push(memory, region, err);
  if (status) {
    free(region.bytes);
    return status;
  }
  *out_region = (uint32_t)memory->count;
  gj__lmemory_spoil(memory, *out_region - 1);
  return GJ_OK;
}

void gj__lmemory_spoil(gj__lmemory *memory, uint32_t region) {
  memset(memory->regions[region].bytes, PATTERN, memory->regions[region].size);
}

void gj__lmemory_drop(gj__lmemory *memory, size_t count) {
  while (memory->count > count) {
    gj__lregion *region = &memory->regions[--memory->count];
    if (region->owned)
      free(region->bytes);
  }
}

// --- heap and addresses ---

gj_status gj__lmemory_heap(gj__lmemory *memory, size_t size, uint32_t *out_region, gj_error *err) {
  enum { ALIGN = 64 };
  gj__lregion *heap = NULL;
  if (memory->heap_count < GJ__HEAP_REGION - 1)
    heap =
        gj_array_grow(memory->heap, &memory->heap_capacity, memory->heap_count + 1, sizeof *heap);
  if (!heap)
    return gj_fail(err, GJ_E_MEMORY, "out of memory at %zu allocations", memory->heap_count);
  memory->heap = heap;
  // One byte more, so that the address behind it is of nobody else.
  size_t padded;
  unsigned char *bytes =
      gj_align_size(size + 1, ALIGN, &padded) ? aligned_alloc(ALIGN, padded) : NULL;
  if (!bytes)
    return gj_fail(err, GJ_E_MEMORY, "out of memory for an allocation of %zu bytes", size);
  memset(bytes, 0, padded);
  *out_region = GJ__HEAP_REGION + (uint32_t)memory->heap_count;
  memory->heap[memory->heap_count++] = (gj__lregion){"heap", bytes, size, true, true};
  memory->heap_bytes += size;
  return GJ_OK;
}

void gj__lmemory_release(gj__lmemory *memory, size_t count) {
  while (memory->heap_count > count) {
    gj__lregion *region = &memory->heap[--memory->heap_count];
    memory->heap_bytes -= region->size;
    free(region->bytes);
  }
}

const gj__lregion *gj__lmemory_region(const gj__lmemory *memory, uint32_t region) {
  if (region < GJ__HEAP_REGION)
    return region < memory->count ? &memory->regions[region] : NULL;
  region -= GJ__HEAP_REGION;
  return region < memory->heap_count ? &memory->heap[region] : NULL;
}

int64_t gj__lmemory_address(const gj__lmemory *memory, gj__lpointer pointer) {
  const gj__lregion *region = gj__lmemory_region(memory, pointer.region);
  return region ? (int64_t)((uint64_t)(uintptr_t)region->bytes + (uint64_t)pointer.offset) : 0;
}

static bool find_in(const gj__lregion *regions, size_t count, uint64_t address, uint32_t first,
                    gj__lpointer *out_pointer) {
  for (size_t i = count; i-- > 0;) {
    uint64_t offset = address - (uint64_t)(uintptr_t)regions[i].bytes;
    if (!regions[i].bytes || offset > regions[i].size)
      continue;
    *out_pointer = (gj__lpointer){first + (uint32_t)i, (int64_t)offset};
    if (offset < regions[i].size)
      return true;
  }
  return false;
}

gj_status gj__lmemory_pointer(const gj__lmemory *memory, int64_t address, gj__lpointer *out_pointer,
                              gj_error *err) {
  *out_pointer = (gj__lpointer){GJ__NO_REGION, 0};
  if (address == 0 ||
      find_in(memory->heap, memory->heap_count, (uint64_t)address, GJ__HEAP_REGION, out_pointer) ||
      find_in(memory->regions, memory->count, (uint64_t)address, 0, out_pointer) ||
      out_pointer->region != GJ__NO_REGION)
    return GJ_OK;
  return gj_fail(err, GJ_E_VERIFY, "%" PRId64 " is the address of nothing", address);
}

// base + index · bytes, with overflow reported.
static gj_status advance(int64_t base, gj_dtype dtype, int64_t index, int64_t *out_offset,
                         gj_error *err) {
  int64_t bytes;
  if (!gj_mul_i64(index, (int64_t)gj_dtype_bytes(dtype), &bytes) ||
      !gj_add_i64(base, bytes, out_offset))
    return gj_fail(err, GJ_E_VERIFY, "element %" PRId64 " from byte %" PRId64 " is no address",
                   index, base);
  return GJ_OK;
}

gj_status gj__lmemory_at(const gj__lmemory *memory, gj__lcell pointer, gj_dtype dtype,
                         int64_t index, uint32_t lane, bool write, unsigned char **out_at,
                         gj_error *err) {
  const gj__lregion *region = gj__lmemory_region(memory, pointer.pointer.region);
  if (!region)
    return gj_fail(err, GJ_E_VERIFY, "element %" PRId64 " of memory that is not there", index);
  int64_t offset = 0, size = (int64_t)gj_dtype_bytes(dtype);
  GJ_TRY(advance(pointer.pointer.offset, dtype, index, &offset, err));
  GJ_TRY(advance(offset, dtype, lane, &offset, err));
  if (offset < 0 || (uint64_t)offset > region->size ||
      region->size - (uint64_t)offset < (size_t)size)
    return gj_fail(err, GJ_E_VERIFY,
                   "element %" PRId64 " (lane %u) is at byte %" PRId64 " of the %zu bytes of %s",
                   index, (unsigned)lane, offset, region->size, region->kind);
  if (offset % size != 0)
    return gj_fail(err, GJ_E_VERIFY, "byte %" PRId64 " of %s is not aligned for %s", offset,
                   region->kind, gj_dtype_name(dtype));
  if (write && !region->writable)
    return gj_fail(err, GJ_E_VERIFY, "%s is constant", region->kind);
  *out_at = region->bytes + offset;
  return GJ_OK;
}

gj_status gj__lmemory_tile(const gj__lmemory *memory, const gj__lcell *to, const gj__lcell *from,
                           gj_dtype dtype, int64_t index, int64_t stride, uint32_t side,
                           gj_error *err) {
  unsigned char values[GJ_MAX_TILE * GJ_MAX_TILE][sizeof(uint64_t)], *at;
  size_t bytes = gj_dtype_bytes(dtype);
  for (uint32_t c = 0; c < side; c++) {
    int64_t first;
    if (!gj_mul_i64(c, stride, &first) || !gj_add_i64(index, first, &first))
      return gj_fail(err, GJ_E_VERIFY, "the stride %" PRId64 " is too large", stride);
    for (uint32_t r = 0; r < side; r++) {
      GJ_TRY(gj__lmemory_at(memory, *from, dtype, first, r, false, &at, err));
      memcpy(values[side * r + c], at, bytes);
    }
  }
  for (uint32_t k = 0; k < side * side; k++) {
    GJ_TRY(gj__lmemory_at(memory, *to, dtype, 0, k, true, &at, err));
    memcpy(at, values[k], bytes);
  }
  return GJ_OK;
}

gj_status gj__lpointer_move(gj__lcell *pointer, gj_dtype dtype, int64_t index, gj_error *err) {
  return advance(pointer->pointer.offset, dtype, index, &pointer->pointer.offset, err);
}
