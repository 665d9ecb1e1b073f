// Which constants code reads, by number.
#include "jit/code/constants.h"

#include "base/hash.h"
#include "base/table.h"

#include <stdlib.h>

static size_t count_nodes(const gj_graph *graph) {
  size_t count = 0;
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++)
    count += gj_graph_node(graph, ref)->storage != NULL;
  return count;
}

static void hold(gj_constants *constants, const gj_graph *graph) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++) {
    gj_storage *storage = gj_graph_node(graph, ref)->storage;
    if (storage)
      constants->list[constants->count++] = gj_storage_retain(storage);
  }
}

gj_status gj_constants_init(gj_constants *out_constants, const gj_graph *graph, gj_error *err) {
  size_t functions = gj_graph_function_count(graph), count = count_nodes(graph);
  *out_constants = (gj_constants){0};
  for (size_t i = 0; i < functions; i++)
    count += count_nodes(gj_graph_function(graph, i));
  if (count == 0)
    return GJ_OK;
  out_constants->list = calloc(count, sizeof *out_constants->list);
  if (!out_constants->list)
    return gj_fail(err, GJ_E_MEMORY, "compile: out of memory at %zu constants", count);
  for (size_t i = 0; i < functions; i++)
    hold(out_constants, gj_graph_function(graph, i));
  hold(out_constants, graph);
  return GJ_OK;
}

void gj_constants_fini(gj_constants *constants) {
  for (size_t i = 0; i < constants->count; i++)
    gj_storage_release(constants->list[i]);
  free(constants->list);
  *constants = (gj_constants){0};
}

// --- numbers ---

static uint64_t hash_of(const gj_storage *storage) {
  return gj_hash_u64(0, (uint64_t)(uintptr_t)storage);
}

static uint32_t number_of(const gj_constants *constants, const gj_table *table,
                          const gj_storage *storage) {
  size_t cursor = 0;
  for (uint32_t i; (i = gj_table_next(table, hash_of(storage), &cursor)) != 0;)
    if (constants->list[i - 1] == storage)
      return i;
  return 0;
}

// The first of equal ones.
static bool index_all(const gj_constants *constants, gj_table *table) {
  for (size_t i = 0; i < constants->count; i++)
    if (!number_of(constants, table, constants->list[i]) &&
        !gj_table_add(table, hash_of(constants->list[i]), (uint32_t)i + 1))
      return false;
  return true;
}

gj_status gj_constants_place(const gj_constants *constants, gj_lmodule *module,
                             const uint32_t **out_numbers, gj_error *err) {
  gj_table table = {0};
  uint32_t *numbers = gj_arena_array(&module->arena, module->data_count + 1, sizeof *numbers);
  bool ok = numbers && index_all(constants, &table);
  for (uint32_t i = 0; ok && i < module->data_count; i++)
    if (module->data[i].storage)
      numbers[i] = number_of(constants, &table, module->data[i].storage);
  gj_table_fini(&table);
  *out_numbers = numbers;
  return ok ? GJ_OK
            : gj_fail(err, GJ_E_MEMORY, "compile: out of memory at %u constants",
                      module->data_count);
}

const void *gj_constants_at(const gj_constants *constants, const char *number) {
  char *end;
  unsigned long index = strtoul(number, &end, 10);
  return end > number && *end == '\0' && index < constants->count
             ? gj_storage_bytes(constants->list[index])
             : NULL;
}
