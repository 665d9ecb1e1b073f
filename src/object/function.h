// A function of Loop IR as an object file for C, for any target that is linked in.
//
// The text has one exported function and no entry. It is a C function as it stands, with `gj_exec
// *exec` last where something asks for the run (loops.h). Elementary functions of f64 are
// JavaScript's, and no library is needed. The header is written by who knows what the parameters
// mean, in JavaScript, out of parts from here.
#ifndef GJ_OBJECT_FUNCTION_H
#define GJ_OBJECT_FUNCTION_H

#include "object/object.h"

// options->symbol is the name of the function; threads is not looked at. `takes_run`: its header
// has `exec`. GJ_E_INTERNAL where the function is another one than that.
gj_status gj_object_function(const char *text, size_t size, bool takes_run, const gj_target *target,
                             const gj_object_options *options, gj_emit emit,
                             unsigned char **out_bytes, size_t *out_size, gj_error *err);

// The symbol asked for (NULL: the name made into one), how a header of it begins, and identifiers
// for names, which are lines of a text, different ones in one scope.
typedef struct gj_object_words {
  char symbol[GJ_SYMBOL_CAPACITY];
  gj_strbuf opening, names;
} gj_object_words;
gj_status gj_object_words_init(gj_object_words *words, const char *name, const char *symbol,
                               const char *lines, gj_error *err);
void gj_object_words_fini(gj_object_words *words);

#endif
