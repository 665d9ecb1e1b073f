// Dividing kernels among threads: what a unit of work is, how many there are, how many make a
// piece.
//
// Units are fixed by shapes alone, so the cut into pieces cannot change a result. They are as large
// as that allows: rows of a nest, or blocks of a power of two of elements, so that pieces end where
// vectors and cache lines do. A nest whose outermost axis is short takes the next ones in, and the
// innermost by blocks if need be, so that [2, n] can be divided as [n] can.
//
// A kernel of several nests (concat) has the units of one nest behind those of the other. Its code
// cuts what it is given to the part of each nest.
#include "lower/context.h"

#include "lower/schedule/cost.h"

enum {
  WANTED = 64,      // units that are surely enough for any number of threads
  UNKNOWN = 8,      // what a symbolic size is taken for
  WORTHWHILE = 4,   // an axis that is shorter stays inside, where its loop can be laid out
  SHORT_BLOCK = 64, // elements: a multiple of every vector, and of a cache line of bytes
  LONG_BLOCK = 1024,
  PIECES = 2 // with less there is nothing to divide
};

// --- which units ---

static int64_t guess(gj_dim size) { return gj_dim_is_const(size) ? size : UNKNOWN; }

gj__units gj__nest_units(gj__lower *l, const gj_type *type, bool flat) {
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(type, axes);
  gj__units units = {.type = type, .blocks = true};
  if (flat || count <= 1)
    return units;
  int64_t reach = guess(type->shape[axes[0]]);
  units.outer = 1;
  while (reach < WANTED && units.outer + 1u < count &&
         guess(type->shape[axes[units.outer]]) >= WORTHWHILE)
    reach *= guess(type->shape[axes[units.outer++]]);
  gj_dim inner = type->shape[axes[count - 1]];
  units.blocks = reach < UNKNOWN && units.outer + 1u == count &&
                 (!gj_dim_is_const(inner) || inner >= PIECES * l->work.block);
  return units;
}

gj__units gj__outermost_units(const gj_type *type) {
  uint8_t axes[GJ_MAX_RANK];
  bool rows = gj__loop_axes(type, axes) > 1;
  return (gj__units){.type = type, .outer = rows, .blocks = !rows};
}

void gj__add_units(gj__lower *l, gj__units units) {
  gj__work *w = &l->work;
  if (w->count == w->capacity) {
    uint32_t capacity = w->capacity ? 2 * w->capacity : 4;
    gj__units *parts = gj_arena_array(&l->scratch, capacity, sizeof *parts);
    if (!parts) {
      l->out_of_memory = true;
      return;
    }
    for (uint32_t i = 0; i < w->count; i++)
      parts[i] = w->parts[i];
    w->parts = parts;
    w->capacity = capacity;
  }
  w->parts[w->count++] = units;
}

void gj__add_line_units(gj__lower *l, const gj_type *whole, uint8_t axis) {
  gj_type *lines = gj_arena_alloc(&l->scratch, sizeof *lines);
  gj_type *along = gj_arena_alloc(&l->scratch, sizeof *along);
  if (!lines || !along) {
    l->out_of_memory = true;
    return;
  }
  uint8_t axes[GJ_MAX_RANK];
  *lines = *whole;
  lines->shape[axis] = 1;
  *along = (gj_type){.dtype = whole->dtype, .rank = 1, .shape = {whole->shape[axis]}};
  unsigned count = gj__loop_axes(lines, axes);
  if (count > 0)
    gj__add_units(l, (gj__units){.type = lines, .outer = (uint8_t)count, .each = along});
}

// --- whether to ---

void gj__work_begin(gj__lower *l) {
  double ns = gj__kernel_cost(l->plan, l->kernel, l->narrow, l->costed);
  double piece = l->piece_ns / ns;
  l->work = (gj__work){.piece = piece < 1 ? 1 : piece > INT32_MAX ? INT32_MAX : (int64_t)piece};
  l->work.block = LONG_BLOCK;
  while (l->work.block > SHORT_BLOCK && l->work.block > l->work.piece)
    l->work.block /= 2;
}

// Work that is known to be small stays in one piece, and its code free of ranges.
void gj__work_settle(gj__lower *l) {
  gj_dims *dims = gj_graph_dims(l->graph);
  const gj_type *domain = &l->plan->kernels[l->kernel].domain;
  gj_dim size = gj_type_size(dims, domain);
  bool small = size != GJ_DIM_ERROR && gj_dim_is_const(size) &&
               (size < PIECES * l->work.piece || size <= SHORT_BLOCK);
  l->work.divided = l->work.count > 0 && !small;
}

// --- as expressions ---

// The elements in one step of the outer loops.
static const gj_lexpr *inner_size(gj__lower *l, const gj__units *units) {
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(units->type, axes);
  return gj__size(l, units->type, axes + units->outer, count - units->outer);
}

static const gj_lexpr *block_count(gj__lower *l, const gj_lexpr *elements) {
  const gj_lexpr *up = gj__add(l, elements, gj__i64(l, l->work.block - 1));
  return gj_lx_binary(l->m, GJ_OP_div, up, gj__i64(l, l->work.block));
}

static const gj_lexpr *units_of(gj__lower *l, const gj__units *units) {
  uint8_t axes[GJ_MAX_RANK];
  gj__loop_axes(units->type, axes);
  const gj_lexpr *outer = gj__size(l, units->type, axes, units->outer);
  return units->blocks ? gj__mul(l, outer, block_count(l, inner_size(l, units))) : outer;
}

const gj_lexpr *gj__units_per_step(gj__lower *l, const gj__units *units, unsigned axis) {
  uint8_t axes[GJ_MAX_RANK];
  gj__loop_axes(units->type, axes);
  const gj_lexpr *steps = gj__size(l, units->type, axes + axis + 1, units->outer - axis - 1u);
  return units->blocks ? gj__mul(l, steps, block_count(l, inner_size(l, units))) : steps;
}

const gj_lexpr *gj__work_units(gj__lower *l, const gj__work *work) {
  l->work = *work;
  const gj_lexpr *sum = gj__i64(l, 0);
  for (uint32_t i = 0; i < work->count; i++)
    sum = gj__add(l, sum, units_of(l, &work->parts[i]));
  return sum;
}

const gj_lexpr *gj__work_grain(gj__lower *l, const gj__work *work, const gj_type *domain,
                               const gj_lexpr *units) {
  const gj__units *first = &work->parts[0];
  const gj_lexpr *one = gj__i64(l, 1), *elements; // of a unit
  l->work = *work;
  if (work->count > 1 || first->even) {
    uint8_t axes[GJ_MAX_RANK];
    const gj_lexpr *all = gj__size(l, domain, axes, gj__loop_axes(domain, axes));
    elements = gj_lx_binary(l->m, GJ_OP_div, all, gj__max(l, units, one));
  } else {
    elements = first->blocks ? gj__i64(l, work->block) : inner_size(l, first);
    if (first->each) {
      uint8_t axes[GJ_MAX_RANK];
      unsigned count = gj__loop_axes(first->each, axes);
      elements = gj__mul(l, elements, gj__size(l, first->each, axes, count));
    }
  }
  const gj_lexpr *grain =
      gj_lx_binary(l->m, GJ_OP_div, gj__i64(l, work->piece), gj__max(l, elements, one));
  return gj__max(l, grain, one);
}

// --- in the kernel ---

gj__share gj__share_of(gj__lower *l, uint32_t part) {
  const gj__work *w = &l->work;
  if (!w->divided)
    return (gj__share){0};
  gj__share share = {true, w->parts[part], w->begin, w->end};
  if (w->count == 1)
    return share;
  gj__enter(l, &l->f->body);
  const gj_lexpr *before = gj__i64(l, 0), *units = units_of(l, &share.units);
  for (uint32_t i = 0; i < part; i++)
    before = gj__add(l, before, units_of(l, &w->parts[i]));
  share.begin = gj__let(l, "first", gj__max(l, gj__sub(l, w->begin, before), gj__i64(l, 0)));
  share.end = gj__let(l, "last", gj__min(l, gj__sub(l, w->end, before), units));
  return share;
}

gj__range gj__share_elements(gj__lower *l, const gj__share *share, const gj_lexpr *size) {
  if (!share->units.blocks)
    return (gj__range){share->begin, share->end};
  const gj_lexpr *block = gj__i64(l, l->work.block);
  return (gj__range){gj__mul(l, share->begin, block),
                     gj__min(l, gj__mul(l, share->end, block), size)};
}
