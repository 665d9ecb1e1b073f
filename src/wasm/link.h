// Linking one WebAssembly object into a module.
//
// The code generator emits a relocatable object; lld resolves its relocations, drops what is not
// exported and writes a module that a browser accepts. Everything stays in memory.

#ifndef GJ_WASM_LINK_H
#define GJ_WASM_LINK_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gj_wasm_link_options {
  // Symbols to export. "__heap_base" and "__data_end" are known to the linker: globals that hold
  // the first address behind stack and data, resp. behind data.
  const char *const *exports;
  size_t export_count;
  // Import the memory as env.memory; otherwise the module has its own and exports it as "memory".
  bool import_memory;
  // The memory is shared between threads: needs `max_memory` and code with atomics.
  bool shared_memory;
  // Bytes of stack, placed below the data so that an overflow traps. 0 means 16 KiB.
  uint32_t stack_size;
  // Least and largest size of the memory in bytes, multiples of 65536. 0: what the data needs, and
  // no limit.
  uint64_t initial_memory;
  uint64_t max_memory;
  // Export __stack_pointer, which may be set: all engines know such exports, but the first version
  // of WebAssembly did not, so lld asks.
  bool stack_pointer;
  // Keep the name section, for stack traces and profiles.
  bool keep_names;
} gj_wasm_link_options;

// Links `object`. On success `*out_bytes` is the module, freed with free(); on failure it is NULL.
// GJ_E_INTERNAL if lld refuses (an undefined symbol, a damaged object), with its first message;
// GJ_E_MEMORY. Thread-safe; calls are serialised.
gj_status gj_wasm_link(const void *object, size_t size, const gj_wasm_link_options *options,
                       unsigned char **out_bytes, size_t *out_size, gj_error *err);

#endif
