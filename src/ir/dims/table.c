// Dim expressions: the hash-consed table, symbols and the order of expressions.

#include "ir/dims/table.h"

#include "base/array.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WEIGHT = 2048, MAX_DEPTH = 128, MAX_ENTRIES = 1 << 20, MAX_SYMBOL_NAME = 63 };

typedef struct gj__dim_entry entry;

gj_dims *gj_dims_new(void) {
  gj_dims *dims = calloc(1, sizeof *dims);
  if (dims)
    gj_arena_init(&dims->arena, 4096);
  return dims;
}

void gj_dims_free(gj_dims *dims) {
  if (!dims)
    return;
  gj_arena_fini(&dims->arena);
  gj_table_fini(&dims->table);
  free(dims->entries);
  free(dims->symbols);
  free(dims->bounds);
  free(dims);
}

static entry *at(const gj_dims *dims, gj_dim d) { return &dims->entries[-1 - d]; }

bool gj_dim_is_valid(const gj_dims *dims, gj_dim d) {
  return d >= 0 || (d != GJ_DIM_ERROR && (uint64_t)(-1 - d) < dims->count);
}

gj_dim_node gj_dim_get(const gj_dims *dims, gj_dim d) {
  if (d >= 0 || !gj_dim_is_valid(dims, d))
    return (gj_dim_node){.kind = GJ_DIM_CONST, .value = d};
  return at(dims, d)->node;
}

static bool same(const entry *e, const gj_dim_node *node, const char *name, size_t length) {
  if (e->node.kind != node->kind)
    return false;
  if (node->kind == GJ_DIM_SYMBOL)
    return strlen(e->name) == length && memcmp(e->name, name, length) == 0;
  return e->node.value == node->value && e->node.operand_count == node->operand_count &&
         (node->operand_count == 0 ||
          memcmp(e->node.operands, node->operands, node->operand_count * sizeof(gj_dim)) == 0);
}

// Weight and depth from the operands; false when the expression is beyond the limits.
static bool measure(const gj_dims *dims, entry *e) {
  uint64_t weight = 1;
  uint32_t depth = 0;
  for (uint32_t i = 0; i < e->node.operand_count; i++) {
    gj_dim operand = e->node.operands[i];
    weight += operand >= 0 ? 1 : at(dims, operand)->weight;
    if (operand < 0 && at(dims, operand)->depth > depth)
      depth = at(dims, operand)->depth;
  }
  e->weight = (uint32_t)weight;
  e->depth = depth + 1;
  return weight <= MAX_WEIGHT && e->depth <= MAX_DEPTH;
}

static bool add_symbol(gj_dims *dims, entry *e, const char *name, size_t length) {
  gj_dim *symbols =
      gj_array_grow(dims->symbols, &dims->symbol_capacity, dims->symbol_count + 1, sizeof *symbols);
  if (!symbols)
    return false;
  dims->symbols = symbols;
  e->name = gj_arena_strndup(&dims->arena, name, length);
  e->node.symbol = (uint32_t)dims->symbol_count;
  return e->name != NULL;
}

gj_dim gj__dims_intern(gj_dims *dims, const gj_dim_node *node, const char *name, size_t length) {
  uint64_t hash = gj_hash_u64(node->kind, (uint64_t)node->value);
  hash = gj_hash_bytes(hash, name, length);
  for (uint32_t i = 0; i < node->operand_count; i++)
    hash = gj_hash_u64(hash, (uint64_t)node->operands[i]);
  size_t cursor = 0;
  for (uint32_t i; (i = gj_table_next(&dims->table, hash, &cursor)) != 0;)
    if (same(&dims->entries[i - 1], node, name, length))
      return -(gj_dim)i;

  entry e = {.node = *node};
  entry *entries = gj_array_grow(dims->entries, &dims->capacity, dims->count + 1, sizeof *entries);
  if (!entries)
    return GJ_DIM_ERROR;
  dims->entries = entries;
  if (dims->count >= MAX_ENTRIES || !measure(dims, &e))
    return GJ_DIM_ERROR;
  if (node->kind == GJ_DIM_SYMBOL && !add_symbol(dims, &e, name, length))
    return GJ_DIM_ERROR;
  if (node->operand_count > 0) {
    e.node.operands =
        gj_arena_copy(&dims->arena, node->operands, node->operand_count * sizeof(gj_dim));
    if (!e.node.operands)
      return GJ_DIM_ERROR;
  }
  if (!gj_table_add(&dims->table, hash, (uint32_t)dims->count + 1))
    return GJ_DIM_ERROR;
  entries[dims->count++] = e;
  gj_dim d = -(gj_dim)dims->count;
  if (node->kind == GJ_DIM_SYMBOL)
    dims->symbols[dims->symbol_count++] = d;
  return d;
}

gj_dims *gj_dims_clone(const gj_dims *dims) {
  gj_dims *copy = gj_dims_new();
  for (size_t i = 0; copy && i < dims->count; i++) {
    const entry *e = &dims->entries[i];
    // Interning in the old order gives every entry its old number.
    gj_dim d = gj__dims_intern(copy, &e->node, e->name, e->name ? strlen(e->name) : 0);
    if (d != -1 - (gj_dim)i) {
      gj_dims_free(copy);
      return NULL;
    }
  }
  if (copy && dims->bound_count > 0) {
    copy->bounds =
        gj_array_grow(NULL, &copy->bound_capacity, dims->bound_count, sizeof *copy->bounds);
    if (!copy->bounds) {
      gj_dims_free(copy);
      return NULL;
    }
    memcpy(copy->bounds, dims->bounds, dims->bound_count * sizeof *copy->bounds);
    copy->bound_count = dims->bound_count;
  }
  return copy;
}

static bool is_name(const char *name, size_t length) {
  if (length == 0 || length > MAX_SYMBOL_NAME || (name[0] >= '0' && name[0] <= '9'))
    return false;
  for (size_t i = 0; i < length; i++) {
    char c = name[i];
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
      return false;
  }
  return true;
}

gj_dim gj_dim_symbol(gj_dims *dims, const char *name, size_t length) {
  gj_dim_node node = {.kind = GJ_DIM_SYMBOL};
  return is_name(name, length) ? gj__dims_intern(dims, &node, name, length) : GJ_DIM_ERROR;
}

size_t gj_dims_symbol_count(const gj_dims *dims) { return dims->symbol_count; }

const char *gj_dims_symbol_name(const gj_dims *dims, size_t symbol) {
  return at(dims, dims->symbols[symbol])->name;
}

int gj_dim_as_symbol(const gj_dims *dims, gj_dim d) {
  gj_dim_node node = gj_dim_get(dims, d);
  return node.kind == GJ_DIM_SYMBOL ? (int)node.symbol : -1;
}

gj_dim gj_dim_const(gj_dims *dims, int64_t value) {
  if (value >= 0 || value == INT64_MIN)
    return value; // INT64_MIN has no negative and is GJ_DIM_ERROR
  gj_dim_node node = {.kind = GJ_DIM_CONST, .value = value};
  return gj__dims_intern(dims, &node, NULL, 0);
}

bool gj_dim_value(const gj_dims *dims, gj_dim d, int64_t *out_value) {
  gj_dim_node node = gj_dim_get(dims, d);
  if (!gj_dim_is_valid(dims, d) || node.kind != GJ_DIM_CONST)
    return false;
  *out_value = node.value;
  return true;
}

int gj__dims_compare(const gj_dims *dims, gj_dim a, gj_dim b) {
  static const uint8_t rank[] = {[GJ_DIM_SYMBOL] = 0,  [GJ_DIM_FLOORDIV] = 1, [GJ_DIM_MAXIMUM] = 2,
                                 [GJ_DIM_PRODUCT] = 3, [GJ_DIM_SUM] = 4,      [GJ_DIM_CONST] = 5};
  if (a == b)
    return 0;
  gj_dim_node x = gj_dim_get(dims, a), y = gj_dim_get(dims, b);
  if (x.kind != y.kind)
    return rank[x.kind] < rank[y.kind] ? -1 : 1;
  if (x.kind == GJ_DIM_SYMBOL)
    return strcmp(at(dims, a)->name, at(dims, b)->name);
  for (uint32_t i = 0; i < x.operand_count && i < y.operand_count; i++) {
    int order = gj__dims_compare(dims, x.operands[i], y.operands[i]);
    if (order != 0)
      return order;
  }
  if (x.operand_count != y.operand_count)
    return x.operand_count < y.operand_count ? -1 : 1;
  return x.value < y.value ? -1 : 1;
}
