// What the lanes of a value look like when W iterations of a loop run side by side.
//
//   UNIFORM      the same in every lane
//   AFFINE(c)    value of lane 0 plus c times the lane: i64 values and pointers (c in elements)
//   VARYING      anything
#ifndef GJ_LOOPS_VECTORISE_LANES_H
#define GJ_LOOPS_VECTORISE_LANES_H

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
  uint32_t count;    // locals of f
  uint8_t *inside;   // by local: GJ__INSIDE_* when it is made in the body
  uint8_t *as_data;  // by local: an i64 that is used as a value, not only as an index
  gj__form *forms;   // by local
  uint8_t *counts;   // by local: it is made outside, and counts lanes
  unsigned widest;   // bytes of the widest element that the body handles
  unsigned touched;  // sizes, or'ed, of the elements that lanes load and store
  unsigned strewn;   // those of them loaded by gathers
  unsigned flops;    // operations on lanes, those of elementary functions included
  unsigned appended; // bytes of the widest element that is appended, or 0
  bool appends;      // lanes are counted or appended, see gj__append
  bool records;      // some lanes are loaded from records, see records.c
  bool nested;       // the body has loops
  bool heavy;        // long or with elementary functions: its code had better exist once
  char why[160];     // why the loop stays scalar
} gj__lanes;

// What stands for counting the iterations where `taken` is true, and for appending their elements
// to an array:
//
//   count = add(count, convert<i64>(taken))        if (lt(count, end)) {
//                                                    p[count] = value
//                                                    count = add(count, convert<i64>(taken))
//                                                  }
//
// The count is made outside the loop and asked for nowhere else in it, so lanes may be counted or
// appended together. What is behind the count may hold anything then, up to the end.
typedef struct gj__append {
  uint32_t count;                        // a local
  const gj_lexpr *end, *pointer, *value; // NULL where nothing is appended
  const gj_lexpr *taken;
} gj__append;

bool gj__append_of(const gj_lstmt *s, gj__append *out);

// Analyses a FOR of step 1 in `f`. True when its body can be widened; false with the reason in
// `why`. Fini in either case.
bool gj__lanes_init(gj__lanes *lanes, const gj_lfunc *f, const gj_lstmt *loop);
void gj__lanes_fini(gj__lanes *lanes);

gj__form gj__lanes_form(const gj__lanes *lanes, const gj_lexpr *e);
// The form of the address behind pointer and index.
gj__form gj__lanes_address(const gj__lanes *lanes, const gj_lexpr *pointer, const gj_lexpr *index);

#endif
