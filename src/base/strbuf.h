// A growing string: what the printers write into.
//
// Out of memory is sticky: after the first refusal every append does nothing, and the owner asks
// once at the end through gj_strbuf_take or the `failed` field. The text may hold NUL bytes (the
// size counts) and is always followed by one.

#ifndef GJ_BASE_STRBUF_H
#define GJ_BASE_STRBUF_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct gj_strbuf {
  char *data; // NULL while empty; read it through gj_strbuf_peek
  size_t size;
  size_t capacity;
  bool failed;
} gj_strbuf;

// A zeroed struct is an empty buffer as well.
void gj_strbuf_init(gj_strbuf *buffer);

// Frees the text and leaves an empty buffer.
void gj_strbuf_fini(gj_strbuf *buffer);

void gj_strbuf_bytes(gj_strbuf *buffer, const void *bytes, size_t size);
void gj_strbuf_text(gj_strbuf *buffer, const char *text);
void gj_strbuf_char(gj_strbuf *buffer, char character);
void gj_strbuf_fill(gj_strbuf *buffer, char character, size_t count);
void gj_strbuf_printf(gj_strbuf *buffer, const char *format, ...) GJ_PRINTF(2, 3);

// The text so far, NUL-terminated, valid until the next append. "" for an empty buffer.
const char *gj_strbuf_peek(const gj_strbuf *buffer);

// Hands the text over and leaves an empty buffer: the caller frees `*out_text` with free().
// `out_size` may be NULL. GJ_E_MEMORY if any append was refused; then `*out_text` is NULL and the
// buffer is empty too.
gj_status gj_strbuf_take(gj_strbuf *buffer, char **out_text, size_t *out_size, gj_error *err);

#endif
