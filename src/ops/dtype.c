// Element types: the table and the promotion rule.

#include "ops/dtype.h"

#include <string.h>

static const gj_dtype_info rows[GJ_DTYPE_COUNT] = {
    [GJ_DTYPE_none] = {.name = "none", .jsarray = ""},
#define GJ_DTYPE(dtype, type_kind, width, ctype, array, computed_in)                               \
  [GJ_DTYPE_##dtype] = {.name = #dtype,                                                            \
                        .jsarray = #array,                                                         \
                        .kind = GJ_KIND_##type_kind,                                               \
                        .bits = width,                                                             \
                        .bytes = width / 8,                                                        \
                        .computed = GJ_DTYPE_##computed_in},
#include "ops/dtypes.def"
};

#define GJ_DTYPE(name, kind, bits, ctype, jsarray, computed)                                       \
  _Static_assert(sizeof(ctype) * 8 == bits, "the C type of " #name " has another width");
#include "ops/dtypes.def"

const gj_dtype_info *gj_dtype_get(gj_dtype dtype) {
  return &rows[(unsigned)dtype < GJ_DTYPE_COUNT ? dtype : GJ_DTYPE_none];
}

gj_dtype gj_dtype_parse(const char *name, size_t length) {
  for (int i = GJ_DTYPE_none + 1; i < GJ_DTYPE_COUNT; i++)
    if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
      return (gj_dtype)i;
  return GJ_DTYPE_none;
}

static gj_dtype find(gj_dtype_kind kind, int bits) {
  for (int i = GJ_DTYPE_none + 1; i < GJ_DTYPE_COUNT; i++)
    if (rows[i].kind == kind && rows[i].bits == bits)
      return (gj_dtype)i;
  return GJ_DTYPE_none;
}

gj_dtype gj_dtype_promote(gj_dtype a, gj_dtype b) {
  if (a == b)
    return a;
  const gj_dtype_info *x = gj_dtype_get(a), *y = gj_dtype_get(b);
  if (x->kind == y->kind && x->bits != y->bits)
    return x->bits > y->bits ? a : b;
  // f16 and bf16 share kind and width and contain different numbers; the next wider has them all.
  if (x->kind == y->kind)
    return find((gj_dtype_kind)x->kind, 2 * x->bits);
  if (x->kind == GJ_KIND_UINT && y->kind == GJ_KIND_INT)
    return find(GJ_KIND_INT, y->bits > x->bits ? y->bits : 2 * x->bits);
  if (x->kind == GJ_KIND_INT && y->kind == GJ_KIND_UINT)
    return find(GJ_KIND_INT, x->bits > y->bits ? x->bits : 2 * y->bits);
  return GJ_DTYPE_none;
}
