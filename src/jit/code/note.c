// Notes are entries of the cache like compiled code, under keys of their own.
#include "jit/code/note.h"

#include "cache/disk.h"
#include "jit/code/compiled.h"
#include "jit/code/key.h"

#include <stdlib.h>
#include <string.h>

static bool key_of(const char *name, size_t size, gj_digest *out_key) {
  return gj__compiled_may_keep(true) && gj_disk_default()->folder &&
         gj__note_key(name, size, out_key);
}

bool gj_note_read(const char *name, size_t name_size, char **out_text, size_t *out_size) {
  gj_digest key;
  unsigned char *bytes;
  size_t size;
  if (!key_of(name, name_size, &key) || !gj_disk_read(gj_disk_default(), &key, &bytes, &size))
    return false;
  char *text = malloc(size + 1);
  if (text) {
    memcpy(text, bytes, size);
    text[size] = '\0';
    *out_text = text;
    *out_size = size;
  }
  free(bytes);
  return text != NULL;
}

void gj_note_write(const char *name, size_t name_size, const char *text, size_t size) {
  gj_digest key;
  if (key_of(name, name_size, &key))
    gj_disk_write(gj_disk_default(), &key, text, size);
}
