// What a function takes and gives: the text that describes it, arguments read by it, results made.
//
// Nothing that JavaScript says about an array is believed: class, length and address come from the
// engine at every call. Reading arguments runs no JavaScript, so none of them can change meanwhile.

#include "function.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- the text of a signature ---

// Whole numbers have a range, both ends within 2^53.
typedef struct scalar_row {
  const char *name;
  double least, most;
} scalar_row;

static const scalar_row scalars[] = {[GJN_F64] = {"f64", 0, 0},
                                     [GJN_F32] = {"f32", 0, 0},
                                     [GJN_I8] = {"i8", INT8_MIN, INT8_MAX},
                                     [GJN_U8] = {"u8", 0, UINT8_MAX},
                                     [GJN_I16] = {"i16", INT16_MIN, INT16_MAX},
                                     [GJN_U16] = {"u16", 0, UINT16_MAX},
                                     [GJN_I32] = {"i32", INT32_MIN, INT32_MAX},
                                     [GJN_U32] = {"u32", 0, UINT32_MAX},
                                     [GJN_SMI] = {"smi", INT32_MIN, INT32_MAX},
                                     [GJN_INT] = {"int", -9007199254740991.0, 9007199254740991.0},
                                     [GJN_I64] = {"i64", 0, 0},
                                     [GJN_U64] = {"u64", 0, 0},
                                     [GJN_BOOL] = {"bool", 0, 0}};

typedef struct element_row {
  const char *name;
  napi_typedarray_type type;
  uint8_t bytes;
} element_row;

static const element_row elements[] = {
    {"f64[]", napi_float64_array, 8},       {"f32[]", napi_float32_array, 4},
    {"i32[]", napi_int32_array, 4},         {"u32[]", napi_uint32_array, 4},
    {"i16[]", napi_int16_array, 2},         {"u16[]", napi_uint16_array, 2},
    {"i8[]", napi_int8_array, 1},           {"u8[]", napi_uint8_array, 1},
    {"u8c[]", napi_uint8_clamped_array, 1}, {"i64[]", napi_bigint64_array, 8},
    {"u64[]", napi_biguint64_array, 8}};

static bool is_word(const char *word, size_t length, const char *name) {
  return strlen(name) == length && memcmp(word, name, length) == 0;
}

static bool read_port(const char *word, size_t length, gjn_value_port *port) {
  *port =
      (gjn_value_port){.is_written = word[length - 1] == '!', .is_tagged = word[length - 1] == '?'};
  length -= port->is_written || port->is_tagged;
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars && !port->is_written; i++)
    if (is_word(word, length, scalars[i].name)) {
      port->scalar = (uint8_t)i;
      return true;
    }
  for (size_t i = 0; i < sizeof elements / sizeof *elements && !port->is_tagged; i++)
    if (is_word(word, length, elements[i].name)) {
      port->is_array = true;
      port->type = elements[i].type;
      port->bytes = elements[i].bytes;
      return true;
    }
  return false;
}

// Words that are ports, up to an arrow that ends the params.
static bool read_ports(const char *text, gjn_signature *s) {
  bool results = false;
  while (*(text += strspn(text, " "))) {
    size_t length = strcspn(text, " ");
    if (!results && is_word(text, length, "->"))
      results = true;
    else if (s->param_count + s->result_count == GJN_MOST_PORTS ||
             !read_port(text, length, &s->ports[s->param_count + s->result_count]))
      return false;
    else if (results)
      s->result_count++;
    else if (s->ports[s->param_count].is_tagged)
      return false;
    else
      s->param_count++;
    text += length;
  }
  return results;
}

static void count_ports(gjn_signature *s) {
  bool written = false;
  for (uint32_t i = 0; i < s->param_count; i++) {
    s->scalar_count += !s->ports[i].is_array;
    s->array_count += s->ports[i].is_array;
    written |= s->ports[i].is_written;
  }
  s->slot_count = s->scalar_count;
  for (uint32_t i = 0; i < s->result_count; i++) {
    const gjn_value_port *port = &s->ports[s->param_count + i];
    s->slot_count += port->is_array ? GJN_ARRAY_SLOTS : 1 + port->is_tagged;
    s->has_arrays |= port->is_array;
  }
  s->may_overlap = written && s->array_count > 1;
}

static gjn_function *hold(napi_env env, napi_value value) {
  gjn_function *own = gjn_get_function(env, value);
  if (own)
    own->references++;
  return own;
}

bool gjn_signature_init(napi_env env, const napi_value *argv, gjn_signature *s) {
  char *text;
  size_t size;
  *s = (gjn_signature){0};
  if (!gjn_get_u32(env, argv[3], "threads", &s->threads) || !(s->code = hold(env, argv[0])) ||
      (!gjn_is_undefined(env, argv[1]) && !(s->apart = hold(env, argv[1]))) ||
      !gjn_get_text(env, argv[2], "the signature", &text, &size))
    return false;
  s->ports = calloc(GJN_MOST_PORTS, sizeof *s->ports);
  if (!s->ports)
    gjn_fail(env, GJ_E_MEMORY, "no memory for a signature");
  else if (read_ports(text, s))
    count_ports(s);
  else {
    gjn_fail(env, GJ_E_INTERNAL, "not a signature of at most %d values: %s", GJN_MOST_PORTS, text);
    free(s->ports);
    s->ports = NULL;
  }
  free(text);
  return s->ports != NULL;
}

void gjn_signature_fini(napi_env env, gjn_signature *s) {
  gjn_function_release(env, s->code);
  gjn_function_release(env, s->apart);
  free(s->ports);
  *s = (gjn_signature){0};
}

// --- arguments ---

// Of `smi` and `int` -0 is no value: everything else that is declared to be an integer has none.
static bool read_whole(napi_env env, napi_value value, gjn_scalar scalar, uint64_t *slot) {
  const scalar_row *row = &scalars[scalar];
  double number;
  if (napi_get_value_double(env, value, &number) != napi_ok ||
      !(number >= row->least && number <= row->most))
    return false;
  int64_t whole = (int64_t)number;
  *slot = (uint64_t)whole;
  return (double)whole == number &&
         (whole != 0 || (scalar != GJN_INT && scalar != GJN_SMI) || !signbit(number));
}

static bool read_float(napi_env env, napi_value value, bool narrow, uint64_t *slot) {
  double number;
  if (napi_get_value_double(env, value, &number) != napi_ok)
    return false;
  float single = (float)number;
  if (narrow)
    memcpy(slot, &single, sizeof single);
  else
    memcpy(slot, &number, sizeof number);
  return true;
}

static bool read_bigint(napi_env env, napi_value value, bool is_signed, uint64_t *slot) {
  bool lossless = false;
  int64_t number = 0;
  if (!is_signed)
    return napi_get_value_bigint_uint64(env, value, slot, &lossless) == napi_ok && lossless;
  bool ok = napi_get_value_bigint_int64(env, value, &number, &lossless) == napi_ok && lossless;
  *slot = (uint64_t)number;
  return ok;
}

// Integers take the low bytes of their slot, which on our machines the slot as a whole has as well.
static bool read_scalar(napi_env env, napi_value value, gjn_scalar scalar, uint64_t *slot) {
  bool truth;
  switch (scalar) {
  case GJN_F64:
  case GJN_F32:
    return read_float(env, value, scalar == GJN_F32, slot);
  case GJN_I64:
  case GJN_U64:
    return read_bigint(env, value, scalar == GJN_I64, slot);
  case GJN_BOOL:
    if (napi_get_value_bool(env, value, &truth) != napi_ok)
      return false;
    *slot = truth;
    return true;
  default:
    return read_whole(env, value, scalar, slot);
  }
}

// Of an empty array there may be no address. Each gets one, and another one than others have,
// unless it is one that was passed before: code may be told that there always is one, and asks by
// it which array is which.
static void *place_of_empty(napi_env env, const gjn_signature *s, const napi_value *args,
                            uint32_t param, const gjn_frame *frame) {
  static uint64_t nowhere[GJN_MOST_PORTS];
  uint32_t array = 0;
  for (uint32_t i = 0; i < param; i++) {
    bool same = false;
    if (!s->ports[i].is_array)
      continue;
    if (frame->dims[array] == 0 &&
        napi_strict_equals(env, args[i], args[param], &same) == napi_ok && same)
      return frame->buffers[1 + array];
    array++;
  }
  return &nowhere[array];
}

static gjn_outcome read_array(napi_env env, const gjn_signature *s, const napi_value *args,
                              uint32_t param, uint32_t array, gjn_frame *frame) {
  void **out_data = &frame->buffers[1 + array];
  napi_value buffer, value = args[param];
  napi_typedarray_type type;
  size_t length;
  bool detached = false;
  if (napi_get_typedarray_info(env, value, &type, &length, out_data, NULL, NULL) != napi_ok ||
      type != s->ports[param].type)
    return GJN_MISFIT;
  frame->dims[array] = (int64_t)length;
  if (length > 0)
    return GJN_DONE;
  *out_data = place_of_empty(env, s, args, param, frame);
  if (napi_get_typedarray_info(env, value, NULL, NULL, NULL, &buffer, NULL) == napi_ok)
    napi_is_detached_arraybuffer(env, buffer, &detached);
  return detached ? GJN_DETACHED : GJN_DONE;
}

static bool refuse(gjn_frame *frame, gjn_outcome outcome, int32_t detail) {
  frame->outcome[0] = (int32_t)outcome;
  frame->outcome[1] = detail;
  return false;
}

// --- frames ---

bool gjn_frame_init(napi_env env, const gjn_signature *s, napi_value state, gjn_frame *frame) {
  void *data;
  size_t bytes;
  if (napi_get_arraybuffer_info(env, state, &data, &bytes) != napi_ok ||
      bytes < sizeof(int32_t) * GJN_STATE_WORDS + s->slot_count * sizeof(uint64_t)) {
    gjn_fail(env, GJ_E_INTERNAL, "the state of a call has no room for %u slots", s->slot_count);
    return false;
  }
  frame->outcome = data;
  frame->slots = (uint64_t *)(frame->outcome + GJN_STATE_WORDS);
  frame->buffers = calloc(s->array_count + 1, sizeof *frame->buffers);
  frame->dims = calloc(s->array_count + 1, sizeof *frame->dims);
  gj_heap_init(&frame->heap);
  if (!frame->buffers || !frame->dims)
    gjn_fail(env, GJ_E_MEMORY, "no memory for %u arrays", s->array_count);
  return frame->buffers && frame->dims;
}

void gjn_frame_fini(gjn_frame *frame) {
  gj_heap_fini(&frame->heap);
  free(frame->buffers);
  free(frame->dims);
}

bool gjn_frame_read(napi_env env, const gjn_signature *s, const napi_value *args,
                    gjn_frame *frame) {
  uint32_t scalar = 0, array = 0;
  frame->buffers[0] = frame->slots;
  for (uint32_t i = 0; i < s->param_count; i++) {
    const gjn_value_port *port = &s->ports[i];
    gjn_outcome outcome = GJN_DONE;
    if (port->is_array) {
      outcome = read_array(env, s, args, i, array++, frame);
    } else if (!read_scalar(env, args[i], port->scalar, &frame->slots[scalar++]))
      outcome = GJN_MISFIT;
    if (outcome != GJN_DONE)
      return refuse(frame, outcome, (int32_t)i);
  }
  return true;
}

// --- the run ---

typedef struct extent {
  uintptr_t start, end;
  bool is_written;
} extent;

static extent extent_of(const gjn_value_port *port, const gjn_frame *frame, uint32_t array) {
  uintptr_t start = (uintptr_t)frame->buffers[1 + array];
  return (extent){start, start + (size_t)frame->dims[array] * port->bytes, port->is_written};
}

static bool overlaps(const gjn_signature *s, const gjn_frame *frame) {
  extent list[GJN_MOST_PORTS];
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->param_count; i++)
    if (s->ports[i].is_array) {
      extent own = extent_of(&s->ports[i], frame, count);
      for (uint32_t j = 0; j < count; j++)
        if (own.start < list[j].end && list[j].start < own.end &&
            (own.is_written || list[j].is_written))
          return true;
      list[count++] = own;
    }
  return false;
}

bool gjn_frame_run(const gjn_signature *s, gjn_frame *frame, const volatile int32_t *cancel) {
  const gjn_function *own = s->code;
  if (s->may_overlap && overlaps(s, frame)) {
    own = s->apart;
    if (!own)
      return refuse(frame, GJN_OVERLAP, 0);
  }
  if (!own->function)
    return refuse(frame, GJN_DISPOSED, 0);
  int32_t status =
      gj_function_run(own->function, s->threads, frame->buffers, frame->dims, cancel, &frame->heap);
  if (status == 0)
    return true;
  gj_heap_clear(&frame->heap);
  return refuse(frame, GJN_FAILED, status);
}
