// The native tables as JavaScript values: ops, attributes, dtypes, status codes. lib/ makes the
// methods of Value from them, and tests compare typings and docs with them.

#include "tables.h"

#include "passes/derive/derive.h"

// clang-format off
static const char *const accepts_names[] = {
  [GJ_ACCEPTS_ANY] = "any", [GJ_ACCEPTS_NUMERIC] = "numeric", [GJ_ACCEPTS_FLOAT] = "float",
  [GJ_ACCEPTS_REAL] = "real", [GJ_ACCEPTS_INTEGER] = "integer", [GJ_ACCEPTS_SIGNED] = "signed", [GJ_ACCEPTS_LOGIC] = "logic",
};
static const char *const form_names[] = {
  [GJ_FORM_DTYPE] = "dtype", [GJ_FORM_DIMS] = "dims", [GJ_FORM_INT] = "int",
  [GJ_FORM_INTS] = "ints", [GJ_FORM_AXES] = "axes", [GJ_FORM_FUNCTIONS] = "functions",
};
static const char *const dtype_kind_names[] = {
  [GJ_KIND_NONE] = "none", [GJ_KIND_BOOL] = "bool", [GJ_KIND_UINT] = "uint",
  [GJ_KIND_INT] = "int", [GJ_KIND_FLOAT] = "float",
};
// clang-format on

static napi_value new_attrs(napi_env env, unsigned set) {
  napi_value attrs;
  GJN_TRY(env, napi_create_object(env, &attrs));
  for (int attr = 0; attr < GJ_ATTR_COUNT; attr++) {
    const gj_attr_info *info = gj_attr_get((gj_attr)attr);
    if ((set & (1u << attr)) && !gjn_set_text(env, attrs, info->name, form_names[info->form]))
      return NULL;
  }
  return attrs;
}

static napi_value new_flags(napi_env env, unsigned set) {
  napi_value flags;
  size_t count = 0;
  GJN_TRY(env, napi_create_array(env, &flags));
  for (int flag = 0; flag < GJ_OP_FLAG_COUNT; flag++)
    if ((set & (1u << flag)) &&
        !gjn_set_index(env, flags, count++, gjn_new_text(env, gj_op_flag_name((gj_op_flag)flag))))
      return NULL;
  return flags;
}

static napi_value new_op(napi_env env, gj_op op) {
  const gj_op_info *info = gj_op_get(op);
  napi_value row;
  GJN_TRY(env, napi_create_object(env, &row));
  bool ok = gjn_set_text(env, row, "name", info->name) && gjn_set_number(env, row, "code", op) &&
            gjn_set_number(env, row, "arity", info->arity) &&
            gjn_set_text(env, row, "kind", gj_op_kind_name((gj_op_kind)info->kind)) &&
            gjn_set_text(env, row, "accepts", accepts_names[info->accepts]) &&
            gjn_set(env, row, "flags", new_flags(env, info->flags)) &&
            gjn_set_number(env, row, "narrowFlops", info->narrow_flops) &&
            gjn_set_number(env, row, "wideFlops", info->wide_flops) &&
            gjn_set_number(env, row, "cycles", info->cycles) &&
            gjn_set_number(env, row, "jsCycles", gj_op_js_cycles(op)) &&
            gjn_set(env, row, "attrs", new_attrs(env, info->attrs)) &&
            gjn_set_text(env, row, "derivative", gj_derivative_text(op)) &&
            gjn_set_text(env, row, "doc", info->doc);
  return ok ? row : NULL;
}

napi_value gjn_ops(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value rows;
  GJN_TRY(env, napi_create_array(env, &rows));
  for (int op = GJ_OP_none + 1; op < GJ_OP_COUNT; op++)
    if (!gjn_set_index(env, rows, (size_t)op - 1, new_op(env, (gj_op)op)))
      return NULL;
  return rows;
}

// The common type with each other type that has one.
static napi_value new_promotions(napi_env env, gj_dtype dtype) {
  napi_value promotes;
  GJN_TRY(env, napi_create_object(env, &promotes));
  for (int other = GJ_DTYPE_none + 1; other < GJ_DTYPE_COUNT; other++) {
    gj_dtype common = gj_dtype_promote(dtype, (gj_dtype)other);
    if (common != GJ_DTYPE_none &&
        !gjn_set_text(env, promotes, gj_dtype_name((gj_dtype)other), gj_dtype_name(common)))
      return NULL;
  }
  return promotes;
}

napi_value gjn_dtypes(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value rows;
  GJN_TRY(env, napi_create_array(env, &rows));
  for (int dtype = GJ_DTYPE_none + 1; dtype < GJ_DTYPE_COUNT; dtype++) {
    const gj_dtype_info *own = gj_dtype_get((gj_dtype)dtype);
    napi_value row;
    GJN_TRY(env, napi_create_object(env, &row));
    if (!gjn_set_text(env, row, "name", own->name) ||
        !gjn_set_text(env, row, "kind", dtype_kind_names[own->kind]) ||
        !gjn_set_number(env, row, "bytes", own->bytes) ||
        !gjn_set_text(env, row, "jsarray", own->jsarray) ||
        !gjn_set(env, row, "promotes", new_promotions(env, (gj_dtype)dtype)) ||
        !gjn_set_index(env, rows, (size_t)dtype - 1, row))
      return NULL;
  }
  return rows;
}

napi_value gjn_statuses(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value rows;
  GJN_TRY(env, napi_create_object(env, &rows));
  for (int code = GJ_OK + 1; code < GJ_STATUS_COUNT; code++)
    if (!gjn_set_text(env, rows, gj_status_name((gj_status)code), gj_status_doc((gj_status)code)))
      return NULL;
  return rows;
}

napi_value gjn_new_attr(napi_env env, const gj_dims *dims, gj_attr attr, const gj_attr_list *list) {
  gj_attr_form form = gj_attr_get(attr)->form;
  if (form == GJ_FORM_DTYPE)
    return gjn_new_text(env, gj_dtype_name((gj_dtype)list->values[0]));
  if (form == GJ_FORM_INT)
    return gjn_new_number(env, (double)list->values[0]);
  napi_value values;
  GJN_TRY(env, napi_create_array_with_length(env, list->count, &values));
  for (size_t i = 0; i < list->count; i++) {
    int64_t value = list->values[i];
    napi_value shown =
        form == GJ_FORM_DIMS ? gjn_new_size(env, dims, value) : gjn_new_number(env, (double)value);
    if (!gjn_set_index(env, values, i, shown))
      return NULL;
  }
  return values;
}

bool gjn_get_attr(napi_env env, napi_value value, gj_attr attr, int64_t *out, size_t *out_count) {
  const gj_attr_info *info = gj_attr_get(attr);
  gj_dtype dtype = GJ_DTYPE_none;
  *out_count = 1;
  if (info->form == GJ_FORM_INT)
    return gjn_get_i64(env, value, info->name, out);
  if (info->form != GJ_FORM_DTYPE)
    return gjn_get_integers(env, value, info->name, out, gj_attr_most(attr), out_count);
  if (!gjn_get_dtype(env, value, &dtype))
    return false;
  out[0] = dtype;
  return true;
}
