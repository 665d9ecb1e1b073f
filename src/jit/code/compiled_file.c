// Compiled code as bytes: figures, texts, then the object files.
//
// What keeps files has checked that the bytes are those that were written. They are read as if they
// were a stranger's all the same: a length that does not fit ends the reading.
#include "jit/code/compiled.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECT_ALIGNMENT = 64 };

typedef struct head {
  uint64_t nodes, kernels, scratch_length, remarks_length, object_count;
  uint64_t object_bytes[GJ__MOST_PARTS];
} head;

static size_t padding(size_t at) { return -at % OBJECT_ALIGNMENT; }

bool gj__compiled_write(const gj_compiled *c, const gj_parts *parts, gj_strbuf *out) {
  head h = {c->nodes, c->kernels, strlen(c->scratch), strlen(c->remarks), parts->count, {0}};
  for (size_t i = 0; i < parts->count; i++)
    h.object_bytes[i] = parts->objects[i].size;
  gj_strbuf_bytes(out, &h, sizeof h);
  gj_strbuf_text(out, c->scratch);
  gj_strbuf_text(out, c->remarks);
  for (size_t i = 0; i < parts->count; i++) {
    gj_strbuf_fill(out, '\0', padding(out->size));
    gj_strbuf_bytes(out, parts->objects[i].bytes, parts->objects[i].size);
  }
  return !out->failed;
}

bool gj__compiled_read(const unsigned char *bytes, size_t size, gj_compiled *c,
                       gj_parts *out_parts) {
  head h;
  if (size < sizeof h)
    return false;
  memcpy(&h, bytes, sizeof h);
  size_t texts = size - sizeof h;
  if (h.scratch_length > texts || h.remarks_length > texts - h.scratch_length ||
      h.object_count < 1 || h.object_count > GJ__MOST_PARTS)
    return false;
  size_t at = sizeof h + h.scratch_length + h.remarks_length;
  *out_parts = (gj_parts){.count = h.object_count};
  for (size_t i = 0; i < h.object_count; i++) {
    if (padding(at) > size - at || h.object_bytes[i] > size - at - padding(at))
      return false;
    at += padding(at);
    out_parts->objects[i] = (gj_object){bytes + at, h.object_bytes[i]};
    at += h.object_bytes[i];
    c->code_bytes += h.object_bytes[i];
  }
  c->nodes = h.nodes;
  c->kernels = h.kernels;
  const char *scratch = (const char *)bytes + sizeof h;
  c->scratch = strndup(scratch, h.scratch_length);
  c->remarks = strndup(scratch + h.scratch_length, h.remarks_length);
  return at == size && c->scratch && c->remarks;
}
