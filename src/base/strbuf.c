// A growing string with sticky out-of-memory.

#include "base/strbuf.h"

#include "base/array.h"
#include "base/size.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gj_strbuf_init(gj_strbuf *buffer) { *buffer = (gj_strbuf){0}; }

void gj_strbuf_fini(gj_strbuf *buffer) {
  free(buffer->data);
  gj_strbuf_init(buffer);
}

// Makes room for `extra` more bytes and the final NUL; false if refused, now or before.
static bool reserve(gj_strbuf *buffer, size_t extra) {
  if (buffer->failed)
    return false;
  size_t needed;
  char *data = NULL;
  if (gj_add_size(buffer->size, extra, &needed) && gj_add_size(needed, 1, &needed))
    data = gj_array_grow(buffer->data, &buffer->capacity, needed, 1);
  if (!data) {
    buffer->failed = true;
    return false;
  }
  buffer->data = data;
  return true;
}

void gj_strbuf_bytes(gj_strbuf *buffer, const void *bytes, size_t size) {
  if (size == 0 || !reserve(buffer, size))
    return;
  memcpy(buffer->data + buffer->size, bytes, size);
  buffer->size += size;
  buffer->data[buffer->size] = '\0';
}

void gj_strbuf_text(gj_strbuf *buffer, const char *text) {
  gj_strbuf_bytes(buffer, text, strlen(text));
}

void gj_strbuf_char(gj_strbuf *buffer, char character) { gj_strbuf_bytes(buffer, &character, 1); }

void gj_strbuf_fill(gj_strbuf *buffer, char character, size_t count) {
  if (count == 0 || !reserve(buffer, count))
    return;
  memset(buffer->data + buffer->size, character, count);
  buffer->size += count;
  buffer->data[buffer->size] = '\0';
}

void gj_strbuf_printf(gj_strbuf *buffer, const char *format, ...) {
  va_list measured, written;
  va_start(measured, format);
  va_copy(written, measured);
  int length = vsnprintf(NULL, 0, format, measured);
  va_end(measured);
  if (length < 0)
    buffer->failed = true;
  else if (reserve(buffer, (size_t)length)) {
    vsnprintf(buffer->data + buffer->size, (size_t)length + 1, format, written);
    buffer->size += (size_t)length;
  }
  va_end(written);
}

const char *gj_strbuf_peek(const gj_strbuf *buffer) { return buffer->data ? buffer->data : ""; }

gj_status gj_strbuf_take(gj_strbuf *buffer, char **out_text, size_t *out_size, gj_error *err) {
  *out_text = NULL;
  if (out_size)
    *out_size = 0;
  // An empty text is still a text: the caller gets something to free.
  if (!reserve(buffer, 0)) {
    size_t size = buffer->size;
    gj_strbuf_fini(buffer);
    return gj_fail(err, GJ_E_MEMORY, "out of memory after %zu bytes of text", size);
  }
  buffer->data[buffer->size] = '\0';
  *out_text = buffer->data;
  if (out_size)
    *out_size = buffer->size;
  gj_strbuf_init(buffer);
  return GJ_OK;
}
