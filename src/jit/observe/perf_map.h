// Names of compiled functions for `perf`, in the file /tmp/perf-<pid>.map.
//
// On when the environment variable GRAPHJIT_PERF is 1. Kernels then stay functions of their own and
// code is not shared between programs, so that each has its names. Nothing here fails: without a
// file, profilers show addresses.
#ifndef GJ_JIT_OBSERVE_PERF_MAP_H
#define GJ_JIT_OBSERVE_PERF_MAP_H

#include "base/exec.h"
#include "lower/lower.h"

bool gj_perf_map_is_on(void);

// Adds a line "graphjit <graph> k0 mul+add" for each kernel of an object that has been loaded with
// its entry at `entry`, and one for each other function. Whatever the graph is called will do.
void gj_perf_map_add(const gj_lowered *lowered, const void *object, size_t size,
                     const char *entry_symbol, gj_entry *entry);

#endif
