// Scatters: the operand is copied, then the updates are joined to it one after the other.
//
// The loops go over the updates in row-major order, so where several of them meet, the order does
// not depend on anything else. A window that lies along the innermost axes of the updates is one
// check of its start and then loops over it, vector loops where it is contiguous in the result:
//
//   for o = 0 to n { if (start[o] is inside) for i = 0 to 64 vector { out[start[o], i] += u[o, i] }
//   }
//
// When the innermost axis numbers windows, blocks of them are taken: first where each element goes,
// -1 for nowhere, and what is computed of the updates, in vectors, then the joining one by one.
//
// Threads share the result along an axis that every update goes to alike: one that the indices go
// along with, or one of the window that has no starts. The rest is one call; dividing it by ranges
// of starts would have each thread look at all indices, which takes as long as joining.
//
// Left out: dividing the copy when the updates are not; computed starts of wide windows in vectors.
#include "lower/context.h"

enum {
  BLOCK = 256,      // windows of one element that are taken together
  CUT_BYTES = 1024, // of the innermost axis per unit: what is fetched ahead of less is for others
  LEAST_PARTS = 4   // of another axis that is divided
};

typedef struct scatter {
  gj__lower *l;
  const gj_node *node;
  const gj_type *whole, *updates;
  gj_index_axes axes;
  gj_op combine; // GJ_OP_none: the update itself
  const gj_lexpr *out;
  int cut; // axis of the result that calls share, -1 without
  gj__range part;
  const gj_lexpr *places, *values; // of a block, see join_line(); values: NULL when they need none
} scatter;

static const gj_type *type_of(const gj__lower *l, gj_ref ref) {
  return &gj_graph_node(l->graph, ref)->type;
}

// The last axis with more than one element, -1 without.
static int innermost(const gj_type *type) {
  int axis = type->rank - 1;
  while (axis >= 0 && type->shape[axis] == 1)
    axis--;
  return axis;
}

static scatter scatter_of(gj__lower *l, const gj_kernel *kernel) {
  scatter s = {.l = l, .node = gj_graph_node(l->graph, kernel->stores[0].ref), .cut = -1};
  s.whole = &s.node->type;
  s.updates = type_of(l, s.node->args[2]);
  s.axes = gj_index_axes_of(l->graph, s.node);
  s.combine = (gj_op)gj_op_get((gj_op)s.node->op)->combine;
  return s;
}

// --- dividing ---

static int64_t columns_of_cut(const gj_type *type) {
  return CUT_BYTES / (int64_t)gj_dtype_bytes(type->dtype);
}

// Outer axes first: their parts are whole rows.
static int find_cut(const scatter *s) {
  int last = innermost(s->whole);
  for (int i = 0; i <= last; i++) {
    gj_dim size = s->whole->shape[i];
    int64_t least = i == last ? 2 * columns_of_cut(s->whole) : LEAST_PARTS;
    if (s->axes.start[i] == GJ_NO_AXIS && (!gj_dim_is_const(size) || size >= least))
      return i;
  }
  return -1;
}

void gj__divide_scatter(gj__lower *l, const gj_kernel *kernel) {
  scatter s = scatter_of(l, kernel);
  int cut = find_cut(&s);
  gj_type *line = gj_arena_alloc(&l->scratch, sizeof *line);
  if (cut < 0 || !line) {
    l->out_of_memory = l->out_of_memory || !line;
    return;
  }
  bool columns = cut == innermost(s.whole);
  *line = (gj_type){.dtype = s.whole->dtype, .rank = 1, .shape = {s.whole->shape[cut]}};
  if (columns)
    l->work.block = columns_of_cut(s.whole);
  gj__add_units(l, (gj__units){.type = line, .outer = !columns, .blocks = columns, .even = true});
}

// --- the copy ---

static void copy(scatter *s) {
  gj__lower *l = s->l;
  gj_ref from = s->node->args[0];
  gj__range ranges[GJ_MAX_RANK];
  for (uint8_t i = 0; i < s->whole->rank; i++)
    ranges[i] = i == s->cut ? s->part : (gj__range){gj__i64(l, 0), gj__dim(l, s->whole->shape[i])};
  bool flat = s->cut < 0 && gj__is_flat(l, from);
  const gj__index *at = gj__nest(l, &l->f->body, s->whole, flat, s->cut < 0 ? NULL : ranges);
  const gj_lexpr *value = gj__value(l, from, at);
  gj_ls_store(l->m, l->f, l->block, s->out, gj__flatten(l, s->whole, at), value);
}

// --- where updates go ---

// The axis of the updates that stands for an axis of the result, -1 without.
static int update_axis(const scatter *s, int axis) {
  if (s->axes.along[axis] != GJ_NO_AXIS)
    return s->axes.batch[s->axes.along[axis]];
  for (uint8_t k = 0; k < s->axes.window_count; k++)
    if (s->axes.operand[k] == axis)
      return s->axes.offset[k];
  return -1;
}

// Whether an axis of the updates has a loop: that of a cut may be empty whatever its size.
static bool loops(const scatter *s, int axis) {
  return s->updates->shape[axis] != 1 || (s->cut >= 0 && update_axis(s, s->cut) == axis);
}

static gj__range range_of(const scatter *s, int axis) {
  gj__lower *l = s->l;
  gj__range all = {gj__i64(l, 0), gj__dim(l, s->updates->shape[axis])};
  if (s->cut < 0 || update_axis(s, s->cut) != axis)
    return all;
  return (gj__range){s->part.lo, gj__lesser(l, s->part.hi, all.hi)};
}

// Whether all windows that `at` is a place of lie inside, and where the one at hand starts, per
// axis. NULL: always.
static const gj_lexpr *find_starts(scatter *s, const gj__index *at, const gj_lexpr **out_starts) {
  gj__lower *l = s->l;
  const gj_lexpr *inside = NULL;
  for (uint8_t i = 0; i < s->whole->rank; i++) {
    out_starts[i] = gj__i64(l, 0);
    if (s->axes.along[i] != GJ_NO_AXIS)
      out_starts[i] = at->at[s->axes.batch[s->axes.along[i]]];
    if (s->axes.start[i] == GJ_NO_AXIS)
      continue;
    const gj__index *where = gj__indices_at(l, s->node, &s->axes, at, s->axes.start[i]);
    const gj_lexpr *start = gj__value(l, s->node->args[1], where);
    gj_dim window = gj_window_size(l->graph, s->node, &s->axes, i);
    // Below 0 it is large as an unsigned number. Nothing fits where the window is larger.
    const gj_lexpr *places =
        gj__add(l, gj__sub(l, gj__dim(l, s->whole->shape[i]), gj__dim(l, window)), gj__i64(l, 1));
    places = gj_lx_convert(l->m, gj__max(l, places, gj__i64(l, 0)), GJ_DTYPE_u64);
    out_starts[i] = gj__let(l, "start", gj_lx_convert(l->m, start, GJ_DTYPE_i64));
    const gj_lexpr *unsign = gj_lx_convert(l->m, out_starts[i], GJ_DTYPE_u64);
    const gj_lexpr *fits = gj_lx_binary(l->m, GJ_OP_lt, unsign, places);
    inside = inside ? gj_lx_binary(l->m, GJ_OP_and, inside, fits) : fits;
  }
  return inside;
}

// The flat position in the result of element `at` of the updates.
static const gj_lexpr *place_of(scatter *s, const gj__index *at, const gj_lexpr *const *starts) {
  gj__index *to = gj__index_new(s->l);
  for (uint8_t i = 0; i < s->whole->rank; i++)
    to->at[i] = starts[i];
  for (uint8_t k = 0; k < s->axes.window_count; k++)
    to->at[s->axes.operand[k]] =
        gj__add(s->l, starts[s->axes.operand[k]], at->at[s->axes.offset[k]]);
  return gj__flatten(s->l, s->whole, to);
}

static void join(scatter *s, const gj_lexpr *place, const gj_lexpr *value) {
  gj__lower *l = s->l;
  if (s->combine != GJ_OP_none)
    value = gj_lx_binary(l->m, s->combine, gj_lx_load(l->m, s->out, place, 1), value);
  gj_ls_store(l->m, l->f, l->block, s->out, place, value);
}

// --- wide windows ---

// The loops of the window that `at` is in, which lie behind axis `last` of the updates.
static void join_window(scatter *s, gj_lblock *into, gj__index *at, int last) {
  gj__lower *l = s->l;
  const gj_lexpr *starts[GJ_MAX_RANK];
  gj__enter(l, into);
  const gj_lexpr *inside = find_starts(s, at, starts);
  if (inside)
    into = &gj_ls_if(l->m, l->f, into, inside)->body;
  int inner = s->updates->rank - 1;
  while (inner > last && !loops(s, inner))
    inner--;
  bool dense =
      inner > last && innermost(s->whole) >= 0 && update_axis(s, innermost(s->whole)) == inner;
  for (int axis = last + 1; axis <= inner; axis++) {
    if (!loops(s, axis))
      continue;
    gj__range range = range_of(s, axis);
    bool vector = dense && axis == inner;
    gj_lstmt *loop = gj_ls_for(l->m, l->f, into, vector ? "i" : "w", range.lo, range.hi, 1,
                               vector ? GJ_LOOP_VECTOR : 0, 1);
    at->at[axis] = gj__local(l, loop->local);
    into = &loop->body;
  }
  gj__enter(l, into);
  const gj_lexpr *value = gj__value(l, s->node->args[2], at);
  join(s, place_of(s, at, starts), value);
}

// --- windows that lie across ---

// Whether the updates had better be computed in vectors before.
static bool is_computed(const scatter *s) {
  const gj_node *updates = gj_graph_node(s->l->graph, s->node->args[2]);
  return updates->op != GJ_OP_const && !gj__in_memory(s->l, s->node->args[2]);
}

static void blocks_new(scatter *s) {
  gj__lower *l = s->l;
  gj_lblock *into = &l->f->body;
  s->places = gj__local(l, gj_ls_array(l->m, l->f, into, "places", GJ_DTYPE_i64, BLOCK));
  if (is_computed(s))
    s->values = gj__local(l, gj_ls_array(l->m, l->f, into, "values", s->whole->dtype, BLOCK));
}

// The updates along `axis`, which numbers windows, of places `at` along the others.
static void join_line(scatter *s, gj_lblock *into, gj__index *at, int axis) {
  gj__lower *l = s->l;
  gj__range line = {gj__i64(l, 0), gj__i64(l, 1)};
  bool computed = s->values != NULL;
  const gj_lexpr *places = s->places, *values = s->values;
  if (axis >= 0)
    line = range_of(s, axis);
  into = gj__chunks(l, into, line.lo, line.hi, BLOCK, &line);
  gj_lstmt *find = gj_ls_for(l->m, l->f, into, "i", line.lo, line.hi, 1, GJ_LOOP_VECTOR, 1);
  gj__enter(l, &find->body);
  const gj_lexpr *i = gj__local(l, find->local), *starts[GJ_MAX_RANK];
  if (axis >= 0)
    at->at[axis] = i;
  const gj_lexpr *inside = find_starts(s, at, starts);
  const gj_lexpr *place = place_of(s, at, starts);
  if (inside)
    place = gj_lx_select(l->m, inside, place, gj__i64(l, -1));
  gj_ls_store(l->m, l->f, l->block, places, gj__sub(l, i, line.lo), place);
  if (computed)
    gj_ls_store(l->m, l->f, l->block, values, gj__sub(l, i, line.lo),
                gj__value(l, s->node->args[2], at));
  gj_lstmt *each = gj_ls_for(l->m, l->f, into, "u", line.lo, line.hi, 1, 0, 1);
  gj__enter(l, &each->body);
  const gj_lexpr *u = gj__local(l, each->local), *in_block = gj__sub(l, u, line.lo);
  if (axis >= 0)
    at->at[axis] = u;
  const gj_lexpr *to = gj__let(l, "place", gj_lx_load(l->m, places, in_block, 1));
  gj_lstmt *some =
      gj_ls_if(l->m, l->f, &each->body, gj_lx_binary(l->m, GJ_OP_ge, to, gj__i64(l, 0)));
  gj__enter(l, &some->body);
  join(s, to,
       computed ? gj_lx_load(l->m, values, in_block, 1) : gj__value(l, s->node->args[2], at));
}

// --- all updates ---

static void join_all(scatter *s) {
  gj__lower *l = s->l;
  int last = s->axes.batch_count ? s->axes.batch[s->axes.batch_count - 1] : -1;
  int inner = s->updates->rank - 1, outer = last;
  while (inner >= 0 && !loops(s, inner))
    inner--;
  bool across = inner <= last; // no loop of a window is inside those over windows
  if (across) {
    outer = inner - 1;
    blocks_new(s);
  }
  gj__index *at = gj__index_new(l);
  for (uint8_t i = 0; i < s->updates->rank; i++)
    at->at[i] = gj__i64(l, 0);
  gj_lblock *into = &l->f->body;
  for (int axis = 0; axis <= outer; axis++) {
    if (!loops(s, axis))
      continue;
    gj__range range = range_of(s, axis);
    gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "o", range.lo, range.hi, 1, 0, 1);
    at->at[axis] = gj__local(l, loop->local);
    into = &loop->body;
    gj__poll(l, into);
  }
  gj__enter(l, into);
  if (across)
    join_line(s, into, at, inner);
  else
    join_window(s, into, at, last);
}

void gj__lower_scatter(gj__lower *l, const gj_kernel *kernel) {
  scatter s = scatter_of(l, kernel);
  s.out = l->buffers[kernel->stores[0].buffer];
  gj__share share = gj__share_of(l, 0);
  if (share.divided) {
    s.cut = find_cut(&s);
    gj__enter(l, &l->f->body);
    s.part = gj__share_elements(l, &share, gj__dim(l, s.whole->shape[s.cut]));
  }
  if (!gj__is_in_place(l->plan, kernel)) // else there is nothing to copy
    copy(&s);
  join_all(&s);
}
