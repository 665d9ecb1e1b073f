// What the lanes of a value look like when W iterations of a loop run side by side.
//
//   UNIFORM      the same in every lane
//   AFFINE(c)    value of lane 0 plus c times the lane: i64 values and pointers (c in elements)
//   VARYING      anything
#ifndef GJ_LOOPS_LANES_H
#define GJ_LOOPS_LANES_H

#include "loops/loops.h"

typedef enum gj__form_kind {
  GJ__FORM_UNKNOWN = 0, // nothing assigned yet
  GJ__FORM_UNIFORM,
  GJ__FORM_AFFINE,
  GJ__FORM_VARYING
} gj__form_kind;

typedef struct gj__form {
  uint8_t kind;   // gj__form_kind
  int64_t stride; // of AFFINE, never 0
} gj__form;

enum { GJ__INSIDE_MADE = 1, GJ__INSIDE_SET = 2 }; // and never set again; and set again

typedef struct gj__lanes {
  const gj_lfunc *f;
  const gj_lstmt *loop;
  uint32_t count;   // locals of f
  uint8_t *inside;  // by local: GJ__INSIDE_* when it is made in the body
  uint8_t *as_data; // by local: an i64 that is used as a value, not only as an index
  gj__form *forms;  // by local
  unsigned widest;  // bytes of the widest element that the body handles
  unsigned touched; // sizes, or'ed, of the elements that lanes load and store
  unsigned strewn;  // those of them loaded by gathers
  unsigned flops;   // operations on lanes, those of elementary functions included
  bool records;     // some lanes are loaded from records, see records.c
  bool nested;      // the body has loops
  bool heavy;       // long or with elementary functions: its code had better exist once
  char why[160];    // why the loop stays scalar
} gj__lanes;

// Analyses a FOR of step 1 in `f`. True when its body can be widened; false with the reason in
// `why`. Fini in either case.
bool gj__lanes_init(gj__lanes *lanes, const gj_lfunc *f, const gj_lstmt *loop);
void gj__lanes_fini(gj__lanes *lanes);

gj__form gj__lanes_form(const gj__lanes *lanes, const gj_lexpr *e);
// The form of the address behind pointer and index.
gj__form gj__lanes_address(const gj__lanes *lanes, const gj_lexpr *pointer, const gj_lexpr *index);

#endif
