// Texts that front ends keep in the cache on disk: what they have found out about a source.
//
// A note is found by its name, which says all that it depends on outside of this library. It is
// kept like code (cache/disk.h), and for this build only: another one finds none. Nothing here
// fails a caller.
#ifndef GJ_JIT_CODE_NOTE_H
#define GJ_JIT_CODE_NOTE_H

#include <stdbool.h>
#include <stddef.h>

// The text as it was written, with a NUL behind it, in *out_text (the caller's, by free()); false
// when there is none.
bool gj_note_read(const char *name, size_t name_size, char **out_text, size_t *out_size);
// Replaces a note of that name.
void gj_note_write(const char *name, size_t name_size, const char *text, size_t size);

#endif
