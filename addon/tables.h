// The native tables as JavaScript values, and attributes in both directions.
#ifndef GJN_TABLES_H
#define GJN_TABLES_H

#include "helpers.h"

napi_value gjn_ops(napi_env env, napi_callback_info info);      // () => row per op
napi_value gjn_dtypes(napi_env env, napi_callback_info info);   // () => row per dtype
napi_value gjn_statuses(napi_env env, napi_callback_info info); // () => { ERR_…: sentence }

// The value of an attribute as people write it: a dtype's name, a number, or a list of sizes or
// numbers.
napi_value gjn_new_attr(napi_env env, const gj_dims *dims, gj_attr attr, const gj_attr_list *list);
// The same from JavaScript, with sizes as numbers, into out[GJ_MAX_RANK].
bool gjn_get_attr(napi_env env, napi_value value, gj_attr attr, int64_t *out, size_t *out_count);

#endif
