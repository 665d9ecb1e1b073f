// Profiles, and the roof of the machine that they are compared with, as plain figures: rates,
// fractions and tables are made in lib/graph/profile.js.

#include "program.h"

#include <math.h>
#include <stdlib.h>

// --- the machine ---

static napi_value new_level(napi_env env, const gj_roof_level *own) {
  napi_value level;
  GJN_TRY(env, napi_create_object(env, &level));
  double bytes = own->bytes == SIZE_MAX ? HUGE_VAL : (double)own->bytes;
  bool ok = gjn_set_text(env, level, "level", own->name) &&
            gjn_set_number(env, level, "bytes", bytes) &&
            gjn_set_number(env, level, "read", own->read) &&
            gjn_set_number(env, level, "copy", own->copy);
  return ok ? level : NULL;
}

static napi_value new_levels(napi_env env, const gj_roof *roof) {
  napi_value list;
  GJN_TRY(env, napi_create_array_with_length(env, GJ_ROOF_LEVELS, &list));
  for (size_t i = 0; i < GJ_ROOF_LEVELS; i++)
    if (!gjn_set_index(env, list, i, new_level(env, &roof->levels[i])))
      return NULL;
  return list;
}

static napi_value new_peak(napi_env env, const gj_roof *roof) {
  napi_value peak;
  GJN_TRY(env, napi_create_object(env, &peak));
  bool ok = gjn_set_number(env, peak, "f64", roof->wide) &&
            gjn_set_number(env, peak, "f32", roof->narrow);
  return ok ? peak : NULL;
}

napi_value gjn_machine(napi_env env, napi_callback_info info) {
  napi_value argv[1], result, fma;
  uint32_t threads;
  const gj_roof *roof;
  gj_target target;
  gj_error err;
  if (!gjn_get_args(env, info, 1, argv) || !gjn_get_u32(env, argv[0], "threads", &threads))
    return NULL;
  if (gj_target_host(&target, &err) != GJ_OK || gj_machine_roof(threads, &roof, &err) != GJ_OK)
    return gjn_throw(env, &err);
  GJN_TRY(env, napi_create_object(env, &result));
  GJN_TRY(env, napi_get_boolean(env, target.fma, &fma));
  bool ok = gjn_set_text(env, result, "cpu", target.cpu) &&
            gjn_set_number(env, result, "vectorBytes", target.vector_bytes) &&
            gjn_set(env, result, "fma", fma) &&
            gjn_set_number(env, result, "threads", roof->threads) &&
            gjn_set(env, result, "peak", new_peak(env, roof)) &&
            gjn_set(env, result, "bandwidth", new_levels(env, roof));
  return ok ? result : NULL;
}

napi_value gjn_vector_bytes(napi_env env, napi_callback_info info) {
  (void)info;
  gj_target target;
  gj_error err;
  napi_value result;
  if (gj_target_host(&target, &err) != GJ_OK)
    return gjn_throw(env, &err);
  GJN_TRY(env, napi_create_uint32(env, target.vector_bytes, &result));
  return result;
}

// --- profiles ---

static napi_value new_part(napi_env env, gj_timing timing) {
  napi_value part;
  GJN_TRY(env, napi_create_object(env, &part));
  bool ok = gjn_set_number(env, part, "best", timing.best) &&
            gjn_set_number(env, part, "median", timing.median);
  return ok ? part : NULL;
}

static napi_value new_kernel(napi_env env, const gj_profile *profile, size_t k) {
  const gj_traffic *traffic = &profile->traffic[k];
  napi_value kernel = new_part(env, profile->kernels[k]);
  bool ok = kernel && gjn_set_number(env, kernel, "bytesRead", traffic->bytes_read) &&
            gjn_set_number(env, kernel, "bytesWritten", traffic->bytes_written) &&
            gjn_set_number(env, kernel, "narrowOps", traffic->narrow_ops) &&
            gjn_set_number(env, kernel, "wideOps", traffic->wide_ops);
  return ok ? kernel : NULL;
}

static napi_value new_result(napi_env env, const gj_profile *profile) {
  napi_value result, kernels;
  GJN_TRY(env, napi_create_object(env, &result));
  GJN_TRY(env, napi_create_array_with_length(env, profile->kernel_count, &kernels));
  for (size_t k = 0; k < profile->kernel_count; k++)
    if (!gjn_set_index(env, kernels, k, new_kernel(env, profile, k)))
      return NULL;
  bool ok = gjn_set_number(env, result, "runs", profile->runs) &&
            gjn_set(env, result, "run", new_part(env, profile->run)) &&
            gjn_set(env, result, "kernels", kernels);
  return ok ? result : NULL;
}

static napi_value profile(napi_env env, gjn_program *own, napi_value arrays,
                          const gj_profile_options *options) {
  const gj_binding *binding = own->latest->binding;
  napi_value result = NULL;
  void **buffers = calloc(own->ports.count + 1, sizeof *buffers);
  gj_profile *profile = NULL;
  gj_error err;
  if (!buffers)
    gjn_fail(env, GJ_E_MEMORY, "profile: no memory for %zu arrays", own->ports.count);
  else if (gjn_get_listed_buffers(env, arrays, &own->ports, binding->buffer_bytes, "profile",
                                  buffers)) {
    if (gj_program_profile(own->program, binding, buffers, options, &profile, &err) == GJ_OK)
      result = new_result(env, profile);
    else
      gjn_throw(env, &err);
  }
  gj_profile_free(profile);
  free(buffers);
  return result;
}

napi_value gjn_program_profile(napi_env env, napi_callback_info info) {
  napi_value argv[4];
  gj_profile_options options;
  gjn_program *own = gjn_get_args(env, info, 4, argv) ? gjn_get_program(env, argv[0]) : NULL;
  if (!own || !gjn_get_u32(env, argv[2], "runs", &options.runs))
    return NULL;
  GJN_TRY(env, napi_get_value_double(env, argv[3], &options.seconds));
  if (!own->latest)
    return gjn_fail(env, GJ_E_INTERNAL, "profile before the sizes of the program are known");
  return profile(env, own, argv[1], &options);
}
