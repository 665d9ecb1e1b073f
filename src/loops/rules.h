// The typing rules of Loop IR and its limits, for the files of loops/ only.
//
// Builders and verifier ask the same functions, so what builds without an error verifies, apart
// from the rules about scopes and order, which only the whole function shows.
#ifndef GJ_LOOPS_RULES_H
#define GJ_LOOPS_RULES_H

#include "loops/loops.h"

enum {
  GJ_LOOPS_MAX_DEPTH = 256,           // levels of an expression
  GJ_LOOPS_MAX_SIZE = 1 << 16,        // nodes of an expression written out as a tree
  GJ_LOOPS_MAX_NEST = 64,             // statements inside statements
  GJ_LOOPS_MAX_NAME = 255,            // bytes of a name
  GJ_LOOPS_MAX_STACK = 256 * 1024,    // bytes of all arrays of a function
  GJ_LOOPS_MAX_FACTOR = GJ_MAX_LANES, // native vectors per step of a vector loop
  GJ_LOOPS_MAX_ALIGN = 4096,          // bytes of ahead<n>
  GJ_LOOPS_TYPE_TEXT = 24             // buffer for gj__ltype_text
};

// Keeps the first failure of a module.
void gj__lfail(gj_lmodule *m, gj_status code, const char *format, ...) GJ_PRINTF(3, 4);

// "f64", "f64<8>", "f64*" or "nothing", written to `out`, which is returned.
const char *gj__ltype_text(gj_ltype type, char out[GJ_LOOPS_TYPE_TEXT]);
bool gj__ltype_is(gj_ltype type, gj_dtype dtype); // a scalar of this dtype
bool gj__lanes_ok(unsigned lanes);                // 1, 2, 4 … GJ_MAX_LANES

// The name a reader sees in an error message: "add", "load", "splat" …
const char *gj__lx_name(const gj_lexpr *e);

// The type that `e` has by its kind, arguments and free parts. Free parts are taken from e->type:
// the lanes of a load, splat or lanes, the dtype of buffer, scratch, convert and bitcast. `f` is
// needed for locals only and may otherwise be NULL.
gj_status gj__lx_infer(const gj_lmodule *m, const gj_lfunc *f, const gj_lexpr *e,
                       gj_ltype *out_type, gj_error *err);

// Whether there are values of this dtype; `what` asks.
gj_status gj__dtype_check(const char *what, unsigned dtype, gj_error *err);
bool gj__is_mask(gj_ltype type, unsigned lanes); // a bool for each of several lanes

// Types of the parts of one statement; not its blocks, not scopes.
gj_status gj__ls_check(const gj_lfunc *f, const gj_lstmt *s, gj_error *err);

// A node as given by `draft`, with its type inferred and nothing folded; `args` is copied. The
// parser uses it so that a text keeps its structure.
const gj_lexpr *gj__lx_new(gj_lmodule *m, const gj_lfunc *f, const gj_lexpr *draft,
                           const gj_lexpr *const *args, size_t count);
// Appends a checked copy of `draft`; returns module->lost_stmt after a failure.
gj_lstmt *gj__ls_append(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lstmt *draft);
// As gj_lfunc_new and gj_lfunc_local with a name taken as it is: free, and in the arena. NULL
// stands for out of memory.
gj_lfunc *gj__lfunc_new(gj_lmodule *m, const char *name, gj_ltype returns, bool entry);
uint32_t gj__lfunc_local(gj_lmodule *m, gj_lfunc *f, const char *name, gj_ltype type);
// Grows an arena array of pointers or structs by doubling; NULL when out of memory.
void *gj__larray_grow(gj_arena *arena, void *items, uint32_t count, uint32_t *capacity,
                      size_t size);

// --- names.c ---

// [A-Za-z_][A-Za-z0-9_]*, at most GJ_LOOPS_MAX_NAME bytes and no word of the text form.
bool gj__lname_ok(const char *name, size_t length);
// A free name made from `hint`, in the arena: of a local, or of a function when `f` is NULL. NULL
// when out of memory.
const char *gj__lname_make(gj_lmodule *m, gj_lfunc *f, const char *hint);
// Enters the name of local or function `index`; a failure is kept by the module.
void gj__lname_add(gj_lmodule *m, gj_lfunc *f, uint32_t index);
// Index + 1 of the local (of the function when `f` is NULL) with this name, or 0.
uint32_t gj__lname_find(const gj_lmodule *m, const gj_lfunc *f, const char *name, size_t length);

#endif
