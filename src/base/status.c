// Names of status codes, and the formatting of error messages.

#include "base/status.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  const char *doc;
} rows[GJ_STATUS_COUNT] = {
#define GJ_STATUS(constant, name, doc) [constant] = {name, doc},
#include "base/status.def"
};

static gj_status known(gj_status code) {
  return (unsigned)code < GJ_STATUS_COUNT ? code : GJ_E_INTERNAL;
}

const char *gj_status_name(gj_status code) { return rows[known(code)].name; }

const char *gj_status_doc(gj_status code) { return rows[known(code)].doc; }

// The largest length <= `length` that does not end inside a UTF-8 character. Text that is not
// UTF-8 loses at most three bytes.
static size_t utf8_cut(const char *text, size_t length) {
  size_t start = length;
  while (start > 0 && length - start < 4) {
    unsigned char byte = (unsigned char)text[--start];
    if (byte < 0x80)
      return length;
    if (byte >= 0xC0) {
      size_t need = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
      return length - start >= need ? length : start;
    }
  }
  return length;
}

gj_status gj_fail_v(gj_error *err, gj_status code, const char *format, va_list arguments) {
  if (!err)
    return code;
  // Formatted aside first: the old message may be an argument of the new one.
  char text[GJ_ERROR_CAPACITY];
  int length = vsnprintf(text, sizeof text, format, arguments);
  size_t size = length < 0 ? 0 : (size_t)length;
  if (size >= sizeof text)
    size = utf8_cut(text, sizeof text - 1);
  for (size_t i = 0; i < size; i++) {
    unsigned char byte = (unsigned char)text[i];
    err->message[i] = (char)(byte < 0x20 || byte == 0x7F ? ' ' : byte);
  }
  err->message[size] = '\0';
  err->code = code;
  return code;
}

gj_status gj_fail(gj_error *err, gj_status code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  gj_fail_v(err, code, format, arguments);
  va_end(arguments);
  return code;
}
