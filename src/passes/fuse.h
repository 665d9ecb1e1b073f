// State shared by the files that make a plan's kernels: fuse.c, stored.c, groups.c, rows.c. Private
// to passes/.
#ifndef GJ_PASSES_FUSE_H
#define GJ_PASSES_FUSE_H

#include "passes/fold/fold.h"
#include "passes/plan.h"

// A kernel computes about GJ__MAX_OPS values for at most GJ__MAX_STORES stores: LLVM's time grows
// faster than the size of a loop body, and registers run out long before. Recursions over
// expressions are bounded too. Gradients of long chains want hundreds of values in memory: with 64
// stores, and the inputs that these have, a loop had more addresses than registers, took a quarter
// longer to run and three times as long to compile.
enum { GJ__MAX_OPS = 512, GJ__MAX_STORES = 8, GJ__MAX_STAGES = 128 };

enum {
  GJ__COMPUTES = 1,
  GJ__COSTLY = 2
}; // an inline expression has an elementwise op, a costly one

// One value to be written: the unit that is grouped into kernels.
typedef struct gj__item {
  gj_ref ref;
  uint32_t buffer;
  gj_kernel_kind kind; // without regard to rows
  gj_ref owner;        // of a kernel of one op: see gj_kernel
  uint32_t axes;
  uint32_t level;
  uint32_t latest;      // the highest level at which all that read it can do so
  uint32_t group;       // the item that heads it
  uint32_t ops, stores; // of the item, then of the group it heads
  gj_type domain;
  bool copy; // of a value that has its home elsewhere
  // row kernels only
  bool in_rows, one; // one: one element per row
  gj_dim rows, cols;
  uint32_t stage;
  uint32_t last;    // the last stage that reads it
  bool leaves;      // its kernel is not the only one that reads it
  bool borrowed;    // see gj_store
  uint32_t lent;    // the stage until which its memory is lent to others
  int64_t on_stack; // of the head of a group: bytes of its rows on the stack
  bool wanted;      // read by another item of its space
  bool pays;        // of the head of a group: see gj__dissolve_rows()
} gj__item;

typedef struct gj__fuser {
  gj_plan *plan;
  const gj_graph *graph;
  gj_dims *dims;
  size_t count;      // nodes + 1
  uint8_t *stored;   // per ref: has memory of its own
  uint8_t *holds;    // per ref: what its inline expression has; see stored.c
  uint32_t *segment; // per ref: the part of a large graph that it is in; see gj__cut_segments()
  uint8_t *far;      // per ref: a later segment takes it
  uint32_t *uses;    // per ref: operands and outputs that name it
  uint64_t *seen;    // per ref: stamp of the last walk; see gj__walk()
  uint32_t *group;   // per ref: the group that computes it inline; see stored.c
  uint32_t *asked;   // per ref: at which index its users want it; see stored.c
  uint32_t *item_of; // per ref: 1 + the item that stores it
  uint32_t *touched; // per ref: see rows.c
  uint8_t *covered;  // per ref: a user of it is shared and not cheap either
  uint8_t *plain;    // per ref: stays out of row kernels
  uint64_t stamp;
  gj__item *items; // by ref once gj__group_items() has run
  size_t item_count;
  uint32_t *table; // for grouping: a power of two of slots, more than twice the items
  size_t slots;
} gj__fuser;

// --- groups.c: items into kernels ---

// Visits everything the kernel of `it` computes or reads for it, `it` itself left out, once for
// each place it is wanted at. `stored` values are visited, but not entered.
typedef void gj__walk_visit(gj__fuser *f, gj_ref ref, gj_place place, bool stored, void *context);
void gj__walk(gj__fuser *f, const gj__item *it, gj__walk_visit *visit, void *context);
// The item that stores `ref`, or NULL when it is an input.
gj__item *gj__item_of(const gj__fuser *f, gj_ref ref);
// Gives every item level and group.
void gj__group_items(gj__fuser *f);

// --- stored.c: which values get memory ---

void gj__count_uses(gj__fuser *f);
// Divides a large graph into segments, between which values are stored.
void gj__cut_segments(gj__fuser *f);
// Decides, from the graph alone, what is stored beyond what must be.
void gj__choose_stored(gj__fuser *f);
// Stores what updates of a stored array read of it besides, so that they may be made in place
// (in_place.c).
void gj__store_apart(gj__fuser *f);
// Stores what more than one kernel computes and is not cheap, if nothing above it is such a value
// too; with `all`, whatever is above it. True when that was anything.
bool gj__store_shared(gj__fuser *f, bool all);

// --- rows.c: row kernels ---

// Marks the items that belong into row kernels; they are sorted by ref.
void gj__mark_rows(gj__fuser *f);
// True when `read` is computed before its row is needed by `it`, in the kernel both are in.
bool gj__joins_rows(const gj__item *it, const gj__item *read, gj_place place);
// Numbers the stages of row kernels, when all items have their levels.
void gj__find_stages(gj__fuser *f);
// Makes the items of row kernels plain that gain nothing from being in one; true when there were
// any.
bool gj__dissolve_rows(gj__fuser *f);
// Takes the memory from values that live inside one row of one kernel. Items are grouped for good.
void gj__place_rows(gj__fuser *f);

#endif
