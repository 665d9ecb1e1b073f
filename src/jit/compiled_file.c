// Compiled code as bytes: figures, the text of the scratch size, then the object file.
//
// What keeps files has checked that the bytes are those that were written. They are read as if they
// were a stranger's all the same: a length that does not fit ends the reading.
#include "jit/compiled.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECT_ALIGNMENT = 64 };

typedef struct head {
  uint64_t nodes, kernels, scratch_length, object_bytes;
} head;

bool gj__compiled_write(const gj_compiled *c, const unsigned char *object, gj_strbuf *out) {
  head h = {c->nodes, c->kernels, strlen(c->scratch), c->code_bytes};
  gj_strbuf_bytes(out, &h, sizeof h);
  gj_strbuf_text(out, c->scratch);
  gj_strbuf_fill(out, '\0', -out->size % OBJECT_ALIGNMENT);
  gj_strbuf_bytes(out, object, c->code_bytes);
  return !out->failed;
}

bool gj__compiled_read(const unsigned char *bytes, size_t size, gj_compiled *c,
                       const unsigned char **out_object) {
  head h;
  if (size < sizeof h)
    return false;
  memcpy(&h, bytes, sizeof h);
  if (h.scratch_length > size - sizeof h)
    return false;
  size_t end = sizeof h + h.scratch_length, start = end + -end % OBJECT_ALIGNMENT;
  if (start > size || h.object_bytes != size - start)
    return false;
  c->nodes = h.nodes;
  c->kernels = h.kernels;
  c->code_bytes = h.object_bytes;
  c->scratch = strndup((const char *)bytes + sizeof h, h.scratch_length);
  *out_object = bytes + start;
  return c->scratch != NULL;
}
