// The memory of a run as JavaScript values: inputs, outputs and the plan of intermediate values,
// with sizes as formulas or for given values of the symbols.

#include "program.h"

#include <stdlib.h>

napi_value gjn_new_amount(napi_env env, const gj_report *report, const gj_amount *amount,
                          const int64_t *symbols) {
  int64_t value;
  gj_error err;
  if (!symbols && amount->number < 0 && amount->text)
    return gjn_new_text(env, amount->text);
  if (!symbols && amount->number < 0) {
    napi_value none;
    GJN_TRY(env, napi_get_null(env, &none));
    return none;
  }
  if (!symbols)
    return gjn_new_number(env, (double)amount->number);
  if (gj_report_evaluate(report, amount, symbols, &value, &err) != GJ_OK)
    return gjn_throw(env, &err);
  return gjn_new_number(env, (double)value);
}

static napi_value new_sizes(napi_env env, const gj_report *report, const gj_held_info *own,
                            const int64_t *symbols) {
  napi_value list;
  GJN_TRY(env, napi_create_array_with_length(env, own->rank, &list));
  for (uint8_t i = 0; i < own->rank; i++)
    if (!gjn_set_index(env, list, i, gjn_new_amount(env, report, &own->shape[i], symbols)))
      return NULL;
  return list;
}

// "[n, 4]", or "[100, 4]".
static napi_value new_shape_text(napi_env env, const gj_report *report, const gj_held_info *own,
                                 const int64_t *symbols) {
  gj_strbuf text = {0};
  gj_strbuf_char(&text, '[');
  for (uint8_t i = 0; i < own->rank; i++) {
    int64_t value = own->shape[i].number;
    gj_error err;
    if (symbols && gj_report_evaluate(report, &own->shape[i], symbols, &value, &err) != GJ_OK) {
      gj_strbuf_fini(&text);
      return gjn_throw(env, &err);
    }
    gj_strbuf_text(&text, i ? ", " : "");
    if (value < 0)
      gj_strbuf_text(&text, own->shape[i].text);
    else
      gj_strbuf_printf(&text, "%lld", (long long)value);
  }
  gj_strbuf_char(&text, ']');
  return gjn_take_text(env, &text);
}

static bool set_place(napi_env env, napi_value place, const gj_report *report,
                      const gj_place_info *own, const int64_t *symbols) {
  napi_value in_place;
  GJN_TRY(env, napi_get_boolean(env, own->in_place, &in_place));
  return gjn_set_text(env, place, "value", own->value.name) &&
         gjn_set_text(env, place, "dtype", own->value.dtype) &&
         gjn_set(env, place, "shape", new_shape_text(env, report, &own->value, symbols)) &&
         gjn_set(env, place, "bytes", gjn_new_amount(env, report, &own->value.bytes, symbols)) &&
         gjn_set(env, place, "offset", gjn_new_amount(env, report, &own->offset, symbols)) &&
         gjn_set_number(env, place, "firstKernel", own->first) &&
         gjn_set_number(env, place, "lastKernel", own->last) &&
         gjn_set(env, place, "inPlace", in_place);
}

napi_value gjn_new_places(napi_env env, const gj_report *report, const int64_t *symbols) {
  napi_value list, place;
  GJN_TRY(env, napi_create_array_with_length(env, report->place_count, &list));
  for (size_t i = 0; i < report->place_count; i++) {
    GJN_TRY(env, napi_create_object(env, &place));
    if (!set_place(env, place, report, &report->places[i], symbols) ||
        !gjn_set_index(env, list, i, place))
      return NULL;
  }
  return list;
}

static napi_value new_ports(napi_env env, const gj_report *report, const gj_held_info *ports,
                            size_t count, const int64_t *symbols) {
  napi_value list, port;
  GJN_TRY(env, napi_create_array_with_length(env, count, &list));
  for (size_t i = 0; i < count; i++) {
    GJN_TRY(env, napi_create_object(env, &port));
    if (!gjn_set_text(env, port, "name", ports[i].name) ||
        !gjn_set_text(env, port, "dtype", ports[i].dtype) ||
        !gjn_set(env, port, "shape", new_sizes(env, report, &ports[i], symbols)) ||
        !gjn_set(env, port, "bytes", gjn_new_amount(env, report, &ports[i].bytes, symbols)) ||
        !gjn_set_index(env, list, i, port))
      return NULL;
  }
  return list;
}

static napi_value new_memory(napi_env env, const gj_program *program, const int64_t *symbols) {
  napi_value result;
  const gj_report *report;
  gj_program_stats stats;
  gj_error err;
  gj_program_get_stats(program, &stats);
  if (gj_program_report(program, &report, &err) != GJ_OK)
    return gjn_throw(env, &err);
  const gj_held_info *outputs = report->ports + report->input_count;
  GJN_TRY(env, napi_create_object(env, &result));
  bool ok = gjn_set(env, result, "inputs",
                    new_ports(env, report, report->ports, report->input_count, symbols)) &&
            gjn_set(env, result, "outputs",
                    new_ports(env, report, outputs, report->output_count, symbols)) &&
            gjn_set_number(env, result, "constantBytes", (double)stats.constant_bytes) &&
            gjn_set(env, result, "scratchBytes",
                    gjn_new_amount(env, report, &report->scratch, symbols)) &&
            gjn_set(env, result, "intermediates", gjn_new_places(env, report, symbols));
  return ok ? result : NULL;
}

// Names and values of symbols as JavaScript has them.
typedef struct sizes {
  uint32_t count;
  char **names;
  int64_t *values;
} sizes;

static bool get_sizes(napi_env env, napi_value names, napi_value values, sizes *out) {
  uint32_t count;
  size_t length, given;
  if (!gjn_get_length(env, names, "names", &count))
    return false;
  out->names = calloc((size_t)count + 1, sizeof *out->names);
  out->values = calloc((size_t)count + 1, sizeof *out->values);
  if (!out->names || !out->values) {
    gjn_fail(env, GJ_E_MEMORY, "memory: no memory for %u sizes", count);
    return false;
  }
  for (; out->count < count; out->count++) {
    napi_value element;
    GJN_TRY(env, napi_get_element(env, names, out->count, &element));
    if (!gjn_get_text(env, element, "name", &out->names[out->count], &length))
      return false;
  }
  return gjn_get_integers(env, values, "values", out->values, count, &given);
}

static napi_value sized_memory(napi_env env, const gj_program *program, napi_value names,
                               napi_value values) {
  sizes own = {0};
  gj_binding *binding = NULL;
  gj_error err;
  napi_value result = NULL;
  if (get_sizes(env, names, values, &own)) {
    if (gj_program_bind_symbols(program, (const char *const *)own.names, own.values, own.count,
                                &binding, &err) == GJ_OK)
      result = new_memory(env, program, binding->symbols);
    else
      gjn_throw(env, &err);
  }
  gj_binding_free(binding);
  for (uint32_t i = 0; i < own.count; i++)
    free(own.names[i]);
  free(own.names);
  free(own.values);
  return result;
}

napi_value gjn_program_memory(napi_env env, napi_callback_info info) {
  napi_value argv[3];
  gjn_program *own = gjn_get_args(env, info, 3, argv) ? gjn_get_program(env, argv[0]) : NULL;
  if (!own)
    return NULL;
  return gjn_is_undefined(env, argv[1]) ? new_memory(env, own->program, NULL)
                                        : sized_memory(env, own->program, argv[1], argv[2]);
}
