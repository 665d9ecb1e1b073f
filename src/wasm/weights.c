// Separate weights: which constants, where, and the bytes of their file.
#include "wasm/weights.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

// What leaves room for stack and arrays.
static const uint64_t MOST_BYTES = ((uint64_t)1 << 32) - ((uint64_t)1 << 24);

static uint64_t data_bytes(const gj_ldata *data) {
  return (uint64_t)data->count * gj_dtype_bytes(data->dtype);
}

gj_status gj_weights_place(gj_lmodule *module, bool separate, gj_region *out_region,
                           gj_error *err) {
  uint64_t *offsets = gj_arena_array(&module->arena, module->data_count + 1, sizeof *offsets);
  uint64_t end = 0, total = 0;
  if (!offsets)
    return gj_fail(err, GJ_E_MEMORY, "wasm: out of memory at %u constants", module->data_count);
  for (uint32_t i = 0; i < module->data_count; i++) {
    uint64_t bytes = data_bytes(&module->data[i]);
    bool outside = separate && bytes >= GJ_WEIGHT_LEAST;
    uint64_t whole = (bytes + LINE - 1) / LINE * LINE;
    offsets[i] = outside ? end : GJ_REGION_OUTSIDE;
    end += outside ? whole : 0;
    total += whole;
    if (total > MOST_BYTES)
      return gj_fail(err, GJ_E_OVERFLOW,
                     "wasm: the constants take %" PRIu64 " bytes and more, of the %" PRIu64
                     " that 32 bits address",
                     total, (uint64_t)1 << 32);
  }
  *out_region = (gj_region){offsets, end};
  return GJ_OK;
}

gj_status gj_weights_copy(const gj_lmodule *module, const gj_region *region,
                          unsigned char **out_bytes, gj_error *err) {
  unsigned char *bytes = calloc(region->size ? region->size : 1, 1);
  if (!bytes)
    return gj_fail(err, GJ_E_MEMORY, "wasm: out of memory at %" PRIu64 " bytes of weights",
                   region->size);
  for (uint32_t i = 0; i < module->data_count; i++)
    if (region->offsets[i] != GJ_REGION_OUTSIDE)
      memcpy(bytes + region->offsets[i], module->data[i].bytes, data_bytes(&module->data[i]));
  *out_bytes = bytes;
  return GJ_OK;
}

uint32_t gj_weights_hash(const unsigned char *bytes, size_t size) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i + 4 <= size; i += 4) {
    uint32_t word = bytes[i] | (uint32_t)bytes[i + 1] << 8 | (uint32_t)bytes[i + 2] << 16 |
                    (uint32_t)bytes[i + 3] << 24;
    hash = (hash ^ word) * 16777619u;
  }
  return hash;
}
