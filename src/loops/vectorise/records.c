// Records: loads that lie a few elements apart and read the same memory.
//
//   z[i] = x[3·i] + x[3·i + 1] + x[3·i + 2]
//
// Lanes of a load with a small stride are picked from contiguous vectors that hold all that lies
// between them. Where several loads of a body are of one stride and begin less than it apart, they
// had better read the same vectors. So they are said to be elements of one record: they begin where
// the first of them does and touch what ends with the last.
//
// Only loads that every iteration does may be joined, or one would touch what no other reads. So
// these are looked for in the statements of the body itself, not in loops and branches inside.
//
// Left out: indices that are equal for reasons other than their form.
#include "loops/vectorise/records.h"

#include "base/size.h"

#include <stdlib.h>

enum { MAX_LOADS = 256 }; // of a body that are compared with each other

bool gj__is_record(gj__form form) {
  bool near = form.stride >= -GJ_MAX_STRIDE && form.stride <= GJ_MAX_STRIDE;
  return form.kind == GJ__FORM_AFFINE && near && form.stride != 1 && form.stride != -1;
}

// --- distances ---

static bool distance(const gj__lanes *lanes, const gj_lexpr *a, const gj_lexpr *b, int64_t *out);

static bool is_number(const gj_lexpr *e) {
  return e->kind == GJ_LX_CONST && e->type.dtype == GJ_DTYPE_i64;
}

// The constant that `e` adds to *rest; 0 when it adds none.
static int64_t split(const gj_lexpr *e, const gj_lexpr **rest) {
  *rest = e;
  if (e->kind != GJ_LX_OP || e->op != GJ_OP_add || e->type.dtype != GJ_DTYPE_i64)
    return 0;
  for (int k = 0; k < 2; k++)
    if (is_number(e->args[k])) {
      *rest = e->args[1 - k];
      return e->args[k]->value.v.i;
    }
  return 0;
}

// Both operators alike: sums and differences of what lies apart, products with a constant, and
// anything of what is equal.
static bool distance_op(const gj__lanes *lanes, const gj_lexpr *a, const gj_lexpr *b,
                        int64_t *out) {
  int64_t apart[3] = {0};
  if (a->op != b->op || a->arg_count != b->arg_count || !gj_ltype_equal(a->type, b->type))
    return false;
  bool equal = true;
  for (uint32_t i = 0; i < a->arg_count; i++) {
    if (!distance(lanes, a->args[i], b->args[i], &apart[i]))
      return false;
    equal = equal && apart[i] == 0;
  }
  *out = 0;
  if (equal)
    return true;
  if (a->type.dtype != GJ_DTYPE_i64)
    return false;
  if (a->op == GJ_OP_add)
    return gj_add_i64(apart[0], apart[1], out);
  if (a->op == GJ_OP_sub)
    return gj_sub_i64(apart[0], apart[1], out);
  for (int k = 0; a->op == GJ_OP_mul && k < 2; k++)
    if (is_number(a->args[k]) && apart[k] == 0)
      return gj_mul_i64(apart[1 - k], a->args[k]->value.v.i, out);
  return false;
}

// b - a, when the two differ in constants only and no local in them is ever set again.
static bool distance(const gj__lanes *lanes, const gj_lexpr *a, const gj_lexpr *b, int64_t *out) {
  const gj_lexpr *x, *y;
  int64_t more = split(a, &x), less = split(b, &y), rest;
  if (x != a || y != b)
    return distance(lanes, x, y, &rest) && gj_sub_i64(rest, more, &rest) &&
           gj_add_i64(rest, less, out);
  *out = 0;
  if (a->kind != b->kind)
    return false;
  switch (a->kind) {
  case GJ_LX_CONST:
    return is_number(a) && is_number(b) && gj_sub_i64(b->value.v.i, a->value.v.i, out);
  case GJ_LX_LOCAL:
    return a->index == b->index && lanes->inside[a->index] != GJ__INSIDE_SET;
  case GJ_LX_DATA:
    return a->index == b->index;
  case GJ_LX_OFFSET: {
    int64_t apart[2];
    return distance(lanes, a->args[0], b->args[0], &apart[0]) &&
           distance(lanes, a->args[1], b->args[1], &apart[1]) &&
           gj_add_i64(apart[0], apart[1], out);
  }
  case GJ_LX_OP:
    return distance_op(lanes, a, b, out);
  default:
    return false;
  }
}

// How far behind load `a` load `b` is in memory.
static bool apart(const gj__lanes *lanes, const gj_lexpr *a, const gj_lexpr *b, int64_t *out) {
  int64_t pointers, indices;
  return gj_ltype_equal(a->type, b->type) &&
         gj__lanes_address(lanes, a->args[0], a->args[1]).stride ==
             gj__lanes_address(lanes, b->args[0], b->args[1]).stride &&
         distance(lanes, a->args[0], b->args[0], &pointers) &&
         distance(lanes, a->args[1], b->args[1], &indices) && gj_add_i64(pointers, indices, out);
}

// --- finding ---

static void add(gj__records *r, const gj_lexpr *load) {
  gj__record_load *new = &r->loads[r->count];
  *new = (gj__record_load){.load = load, .family = r->count};
  for (uint32_t i = 0; i < r->count; i++)
    if (r->loads[i].load == load)
      return;
  for (uint32_t i = 0; i < r->count; i++) {
    if (r->loads[i].family == i && apart(r->lanes, r->loads[i].load, load, &new->distance)) {
      new->family = i;
      break;
    }
  }
  r->count++;
}

static void find(gj__records *r, const gj_lexpr *e) {
  for (uint32_t i = 0; i < e->arg_count; i++)
    find(r, e->args[i]);
  if (e->kind == GJ_LX_LOAD && r->count < MAX_LOADS &&
      gj__is_record(gj__lanes_address(r->lanes, e->args[0], e->args[1])))
    add(r, e);
}

static bool same_record(const gj__record_load *first, const gj__record_load *other,
                        unsigned stride) {
  int64_t from;
  return other->family == first->family && !other->record.stride &&
         gj_sub_i64(other->distance, first->distance, &from) && from >= 0 && from < stride;
}

// The load of a family that lies first among those whose record is not known.
static gj__record_load *first_of(gj__records *r, uint32_t family) {
  gj__record_load *first = NULL;
  for (uint32_t i = family; i < r->count; i++) {
    gj__record_load *load = &r->loads[i];
    if (load->family == family && !load->record.stride &&
        (!first || load->distance < first->distance))
      first = load;
  }
  return first;
}

static unsigned stride_of(const gj__records *r, const gj_lexpr *load) {
  int64_t stride = gj__lanes_address(r->lanes, load->args[0], load->args[1]).stride;
  return (unsigned)(stride < 0 ? -stride : stride);
}

// Cuts a family into records, the first of which begins with its first load.
static void cut(gj__records *r, uint32_t family) {
  unsigned stride = stride_of(r, r->loads[family].load);
  gj__record_load *first;
  while ((first = first_of(r, family))) {
    int64_t from = first->distance;
    unsigned used = 1;
    for (uint32_t i = family; i < r->count; i++)
      if (same_record(first, &r->loads[i], stride) && r->loads[i].distance - from >= used)
        used = (unsigned)(r->loads[i].distance - from) + 1;
    gj__record_load begin = *first;
    for (uint32_t i = family; i < r->count; i++)
      if (same_record(&begin, &r->loads[i], stride))
        r->loads[i].record = (gj_lrecord){stride, (unsigned)(r->loads[i].distance - from), used};
  }
}

void gj__records_init(gj__records *records, const gj__lanes *lanes) {
  *records = (gj__records){.lanes = lanes};
  records->loads = calloc(MAX_LOADS, sizeof *records->loads);
  const gj_lblock *body = &lanes->loop->body;
  for (uint32_t i = 0; records->loads && i < body->count; i++) {
    const gj_lstmt *s = body->stmts[i];
    const gj_lexpr *const parts[] = {s->a, s->b, s->c};
    bool always = s->kind == GJ_LS_LET || s->kind == GJ_LS_SET || s->kind == GJ_LS_STORE;
    for (int k = 0; always && k < 3; k++)
      if (parts[k])
        find(records, parts[k]);
  }
  for (uint32_t i = 0; i < records->count; i++)
    if (records->loads[i].family == i)
      cut(records, i);
}

void gj__records_fini(gj__records *records) { free(records->loads); }

gj_lrecord gj__record_of(const gj__records *records, const gj_lexpr *load) {
  for (uint32_t i = 0; i < records->count; i++)
    if (records->loads[i].load == load)
      return records->loads[i].record;
  return (gj_lrecord){stride_of(records, load), 0, 1};
}
