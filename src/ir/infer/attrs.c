// Attributes: what every list must satisfy whatever the op. What a list means, and how it fits the
// operands, is for the shape rules.

#include "ir/infer/infer.h"

static gj_status check_sets(gj_op op, const gj_attrs *attrs, gj_error *err) {
  const gj_op_info *info = gj_op_get(op);
  for (int a = 0; a < GJ_ATTR_COUNT; a++) {
    unsigned bit = 1u << a;
    const char *name = gj_attr_get((gj_attr)a)->name;
    if ((info->attrs & bit) && !(attrs->set & bit))
      return gj_fail(err, GJ_E_ARGUMENT, "%s: attribute %s is missing", info->name, name);
    if (!(info->attrs & bit) && (attrs->set & bit))
      return gj_fail(err, GJ_E_ARGUMENT, "%s: takes no attribute %s", info->name, name);
  }
  return GJ_OK;
}

static gj_status check_list(const gj_dims *dims, const char *op, gj_attr attr,
                            const gj_attr_list *list, gj_error *err) {
  const gj_attr_info *info = gj_attr_get(attr);
  bool single = info->form == GJ_FORM_DTYPE || info->form == GJ_FORM_INT;
  if (single && list->count != 1)
    return gj_fail(err, GJ_E_ARGUMENT, "%s: %s takes one value, got %d", op, info->name,
                   list->count);
  if (info->form == GJ_FORM_FUNCTIONS && list->count > GJ_MAX_LIST)
    return gj_fail(err, GJ_E_ARGUMENT, "%s: %s has %d values, there may be %d", op, info->name,
                   list->count, GJ_MAX_LIST);
  if (info->form != GJ_FORM_FUNCTIONS && list->count > GJ_MAX_RANK)
    return gj_fail(err, GJ_E_SHAPE, "%s: %s has %d values, the highest rank is %d", op, info->name,
                   list->count, GJ_MAX_RANK);
  for (size_t i = 0; i < list->count; i++) {
    int64_t v = list->values[i];
    if (info->form == GJ_FORM_DTYPE) {
      if (v <= GJ_DTYPE_none || v >= GJ_DTYPE_COUNT)
        return gj_fail(err, GJ_E_DTYPE, "%s: unknown dtype number %lld", op, (long long)v);
    } else if (info->form == GJ_FORM_DIMS && !gj_dim_is_valid(dims, v)) {
      return gj_fail(err, GJ_E_OVERFLOW, "%s: value %zu of %s overflows or is too complex", op, i,
                     info->name);
    }
  }
  return GJ_OK;
}

gj_status gj__attrs_check(const gj_dims *dims, gj_op op, const gj_attrs *attrs, gj_error *err) {
  GJ_TRY(check_sets(op, attrs, err));
  for (int a = 0; a < GJ_ATTR_COUNT; a++)
    if (attrs->set & 1u << a)
      GJ_TRY(check_list(dims, gj_op_name(op), (gj_attr)a, &attrs->list[a], err));
  return GJ_OK;
}
