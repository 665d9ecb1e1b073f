// Row kernels: softmax, norms and their like, which go over the same rows several times.
//
// When reductions go along trailing axes and elementwise values are made of their results, they
// share a kernel that takes one row at a time through all stages: each stage is a loop over the
// row, and by the second one the row is in cache. With [rows, cols] as its domain, whatever the
// axes were, such a kernel knows three kinds of values by their sizes: one element per place,
// rows · cols of them, found at the same place in memory; one per row, kept in a local; and
// one per column, such as a bias. What a later stage needs of a row and cannot recompute cheaply
// lives where a later store will put its result, or else in a buffer of one row: on the stack when
// it is short, so that threads can have one each.
//
// It pays where a row would otherwise be read from memory again. It would not for rows beyond
// ROW_BYTES, which leave the cache anyhow; when their length is a symbol, the kernel is no slower
// than separate ones, since it makes the same passes in the same order. The exception is a single
// long row, which several threads can share only as separate kernels. Rows shorter than SHORT are
// faster as separate kernels, whose loops run over several of them at once.
//
// Left out: reductions along axes that are not trailing.
#include "passes/fuse.h"

#include <string.h>

enum { ROW_BYTES = 1 << 19, STACK_BYTES = 1 << 16, SHORT = 32, MAX_SPACES = 4 };

// --- places ---

bool gj__has_one_element(const gj_type *type) {
  for (uint8_t i = 0; i < type->rank; i++)
    if (type->shape[i] != 1)
      return false;
  return true;
}

static gj_dim product(gj_dims *dims, const gj_dim *sizes, int count) {
  gj_dim size = 1;
  for (int i = 0; i < count; i++)
    size = gj_dim_mul(dims, size, sizes[i]);
  return size;
}

int gj__row_split(const gj_graph *graph, const gj_type *type, gj_dim rows, gj_dim cols) {
  gj_dims *dims = gj_graph_dims(graph);
  for (int split = 0; split <= type->rank; split++)
    if (product(dims, type->shape, split) == rows &&
        product(dims, type->shape + split, type->rank - split) == cols)
      return split;
  return -1;
}

bool gj__align(const gj_graph *graph, gj_ref ref, uint32_t arg, gj_dim out[GJ_MAX_RANK]) {
  const gj_node *node = gj_graph_node(graph, ref);
  const gj_type *from = &gj_graph_node(graph, node->args[arg])->type;
  bool broadcast = node->op == GJ_OP_broadcast;
  if (!broadcast && !gj_op_maps((gj_op)node->op))
    return false;
  int64_t last = -1;
  for (uint8_t i = 0; i < node->type.rank; i++)
    out[i] = 1;
  for (uint8_t i = 0; i < from->rank; i++) {
    int64_t axis = node->type.rank - from->rank + i;
    if (broadcast)
      axis = node->attrs->list[GJ_ATTR_axes].values[i];
    if (from->shape[i] == 1)
      continue;
    if (axis <= last)
      return false;
    out[axis] = from->shape[i];
    last = axis;
  }
  return true;
}

static bool equal(const gj_dim *a, const gj_dim *b, int count) {
  for (int i = 0; i < count; i++)
    if (a[i] != b[i])
      return false;
  return true;
}

static bool all_one(const gj_dim *sizes, int count) {
  for (int i = 0; i < count; i++)
    if (sizes[i] != 1)
      return false;
  return true;
}

gj_place gj__row_align(const gj_graph *graph, gj_dim rows, gj_dim cols, const gj_type *type,
                       const gj_dim *own) {
  int rank = type->rank;
  const gj_dim *shape = type->shape;
  if (equal(own, shape, rank))
    return GJ_PLACE_SAME;
  int split = gj__row_split(graph, type, rows, cols);
  if (split < 0)
    return GJ_PLACE_OTHER;
  if (equal(own, shape, split) && all_one(own + split, rank - split))
    return GJ_PLACE_ROW;
  if (all_one(own, split) && equal(own + split, shape + split, rank - split))
    return GJ_PLACE_COLUMN;
  return GJ_PLACE_OTHER;
}

gj_place gj__row_place(const gj_graph *graph, gj_dim rows, gj_dim cols, gj_ref ref, uint32_t arg,
                       gj_place place) {
  const gj_node *node = gj_graph_node(graph, ref);
  const gj_type *from = &gj_graph_node(graph, node->args[arg])->type;
  gj_dim own[GJ_MAX_RANK];
  if (gj__has_one_element(from))
    return rows == 1 ? GJ_PLACE_ROW : GJ_PLACE_OTHER;
  bool in_step = gj_op_maps((gj_op)node->op) && gj__same_shape(from, &node->type);
  if (in_step || node->op == GJ_OP_reshape)
    return place;
  if (!gj__align(graph, ref, arg, own))
    return GJ_PLACE_OTHER;
  if (place == GJ_PLACE_SAME)
    return gj__row_align(graph, rows, cols, &node->type, own);
  return equal(own, node->type.shape, node->type.rank) ? place : GJ_PLACE_OTHER;
}

// --- which items ---

// The rows of a reduction, when it goes along trailing axes and they are worth it.
static bool find_rows(const gj__fuser *f, gj__item *it) {
  const gj_type *type = &it->domain;
  uint8_t last_kept = 0, first_reduced = type->rank;
  it->rows = it->cols = 1;
  for (uint8_t i = 0; i < type->rank; i++) {
    bool reduced = (it->axes & (1u << i)) != 0;
    gj_dim *part = reduced ? &it->cols : &it->rows;
    *part = gj_dim_mul(f->dims, *part, type->shape[i]);
    if (type->shape[i] != 1 && !reduced)
      last_kept = i;
    if (type->shape[i] != 1 && reduced && first_reduced == type->rank)
      first_reduced = i;
  }
  if (it->rows == GJ_DIM_ERROR || it->cols == GJ_DIM_ERROR || it->rows == 0 ||
      last_kept > first_reduced)
    return false;
  if (!gj_dim_is_const(it->cols))
    return it->rows != 1;
  return it->cols >= SHORT && it->cols <= ROW_BYTES / (int64_t)gj_dtype_bytes(type->dtype);
}

typedef struct check {
  const gj__item *it;
  unsigned joined; // values of the space that it reads in their row
  bool mixed;      // it takes positions along a row of several axes apart
} check;

// True when an element of `ref` in place asks for a position on each axis of the row.
static bool takes_apart(const gj__fuser *f, const gj__item *it, gj_ref ref) {
  const gj_node *node = gj_graph_node(f->graph, ref);
  bool asks = node->op == GJ_OP_iota || node->op == GJ_OP_rng_bits;
  for (uint32_t a = 0; a < node->arg_count && !asks; a++) {
    const gj_type *from = &gj_graph_node(f->graph, node->args[a])->type;
    gj_place place = gj__row_place(f->graph, it->rows, it->cols, ref, a, GJ_PLACE_SAME);
    asks = place == GJ_PLACE_OTHER && !gj__has_one_element(from);
  }
  if (!asks)
    return false;
  int split = gj__row_split(f->graph, &node->type, it->rows, it->cols);
  unsigned wide = 0;
  for (int i = split; split >= 0 && i < node->type.rank; i++)
    wide += node->type.shape[i] != 1;
  return split < 0 || wide > 1;
}

static void check_value(gj__fuser *f, gj_ref ref, gj_place place, bool stored, void *context) {
  check *c = context;
  const gj__item *read = gj__item_of(f, ref);
  if (stored)
    c->joined += read && read->in_rows && gj__joins_rows(c->it, read, place);
  else if (place == GJ_PLACE_SAME)
    c->mixed = c->mixed || takes_apart(f, c->it, ref);
}

// Puts `it` into the space it->rows by it->cols if it fits there; `alone` if nothing that it reads
// need be in it.
static void join(gj__fuser *f, gj__item *it, bool alone) {
  check c = {.it = it};
  gj_dim size = gj_type_size(f->dims, &it->domain);
  it->one = it->kind == GJ_KERNEL_ELEMENTWISE && size == it->rows;
  it->in_rows = it->one || size == gj_dim_mul(f->dims, it->rows, it->cols);
  if (!it->in_rows)
    return;
  gj__walk(f, it, check_value, &c);
  bool own = it->kind == GJ_KERNEL_ELEMENTWISE && !it->one && takes_apart(f, it, it->ref);
  it->in_rows = !c.mixed && !own && (alone || c.joined > 0);
}

typedef struct spaces {
  unsigned count;
  gj_dim rows[MAX_SPACES], cols[MAX_SPACES];
} spaces;

static void note_space(gj__fuser *f, gj_ref ref, gj_place place, bool stored, void *context) {
  (void)place;
  spaces *s = context;
  const gj__item *read = gj__item_of(f, ref);
  if (!stored || !read || !read->in_rows || s->count == MAX_SPACES)
    return;
  for (unsigned i = 0; i < s->count; i++)
    if (s->rows[i] == read->rows && s->cols[i] == read->cols)
      return;
  s->rows[s->count] = read->rows;
  s->cols[s->count++] = read->cols;
}

static bool may_join(const gj__fuser *f, const gj__item *it) {
  return it->kind == GJ_KERNEL_ELEMENTWISE && !it->copy && !it->in_rows && !f->plain[it->ref];
}

// Elementwise values made of what is in a space join it.
static void join_users(gj__fuser *f) {
  for (size_t i = 0; i < f->item_count; i++) {
    gj__item *it = &f->items[i];
    spaces s = {0};
    if (!may_join(f, it))
      continue;
    gj__walk(f, it, note_space, &s);
    for (unsigned k = 0; k < s.count && !it->in_rows; k++) {
      it->rows = s.rows[k];
      it->cols = s.cols[k];
      join(f, it, false);
    }
  }
}

static void want_read(gj__fuser *f, gj_ref ref, gj_place place, bool stored, void *context) {
  const gj__item *it = context;
  gj__item *read = gj__item_of(f, ref);
  if (!stored || !read || read->wanted || (place != GJ_PLACE_SAME && place != GJ_PLACE_ROW))
    return;
  if (read->in_rows) {
    read->wanted = gj__joins_rows(it, read, place);
  } else if (place == GJ_PLACE_SAME && may_join(f, read)) {
    read->wanted = true;
    read->rows = it->rows;
    read->cols = it->cols;
  }
}

// Elementwise values that a space reads in place join it, so that their row is at hand.
static void join_operands(gj__fuser *f) {
  for (size_t i = f->item_count; i-- > 0;) {
    gj__item *it = &f->items[i];
    if (it->wanted && may_join(f, it))
      join(f, it, true);
    if (it->in_rows)
      gj__walk(f, it, want_read, it);
  }
}

// Costly numbers per row that no later stage asks for are computed faster many at a time.
static void leave_costly(gj__fuser *f) {
  for (size_t i = 0; i < f->item_count; i++)
    f->items[i].wanted = false;
  for (size_t i = f->item_count; i-- > 0;) {
    gj__item *it = &f->items[i];
    const gj_node *node = gj_graph_node(f->graph, it->ref);
    bool costly = (gj_op_get((gj_op)node->op)->flags & GJ_OP_COSTLY) != 0;
    for (uint32_t a = 0; a < node->arg_count; a++)
      costly = costly || (f->holds[node->args[a]] & GJ__COSTLY);
    if (it->one && !it->wanted && costly)
      it->in_rows = it->one = false;
    if (it->in_rows)
      gj__walk(f, it, want_read, it);
  }
}

void gj__mark_rows(gj__fuser *f) {
  bool any = false;
  for (size_t i = 0; i < f->item_count; i++) {
    gj__item *it = &f->items[i];
    it->in_rows = it->one = it->wanted = false;
    if (it->kind == GJ_KERNEL_REDUCE && !f->plain[it->ref] && find_rows(f, it))
      join(f, it, true);
    any = any || it->in_rows;
  }
  if (!any)
    return;
  join_users(f);
  join_operands(f);
  join_users(f);
  leave_costly(f);
}

// --- stages ---

bool gj__joins_rows(const gj__item *it, const gj__item *read, gj_place place) {
  if (!it->in_rows || !read->in_rows || it->rows != read->rows || it->cols != read->cols)
    return false;
  bool number = read->one || read->kind == GJ_KERNEL_REDUCE;
  return place == (number ? GJ_PLACE_ROW : GJ_PLACE_SAME);
}

static void raise_stage(gj__fuser *f, gj_ref ref, gj_place place, bool stored, void *context) {
  gj__item *it = context;
  const gj__item *read = gj__item_of(f, ref);
  if (!stored || !read || read->level != it->level || !gj__joins_rows(it, read, place))
    return;
  uint32_t stage = read->stage + (read->kind == GJ_KERNEL_REDUCE);
  if (stage > it->stage)
    it->stage = stage;
}

// Elementwise stages have even numbers, reductions odd ones.
void gj__find_stages(gj__fuser *f) {
  for (size_t i = 0; i < f->item_count; i++) {
    gj__item *it = &f->items[i];
    it->stage = 0;
    if (!it->in_rows)
      continue;
    gj__walk(f, it, raise_stage, it);
    it->stage |= it->kind == GJ_KERNEL_REDUCE;
  }
}

// touched[ref] is 1 + the last item that has read a row of it. A kernel pays when two of its items
// that would otherwise be in separate ones read the same row.
static void touch(gj__fuser *f, gj_ref ref, gj_place place, bool stored, void *context) {
  const gj__item *it = context;
  bool input = gj_graph_node(f->graph, ref)->op == GJ_OP_param;
  if (place != GJ_PLACE_SAME || (!stored && !input))
    return;
  uint32_t mine = (uint32_t)(it - f->items);
  const gj__item *first = f->touched[ref] ? &f->items[f->touched[ref] - 1] : NULL;
  if (!first || first->group != it->group)
    f->touched[ref] = mine + 1;
  else if (first->stage != it->stage)
    f->items[it->group].pays = true;
}

bool gj__dissolve_rows(gj__fuser *f) {
  bool any = false;
  memset(f->touched, 0, f->count * sizeof *f->touched);
  for (size_t i = 0; i < f->item_count; i++)
    f->items[i].pays = false;
  for (size_t i = 0; i < f->item_count; i++) {
    gj__item *it = &f->items[i];
    if (!it->in_rows)
      continue;
    if (!it->one && it->kind == GJ_KERNEL_ELEMENTWISE)
      touch(f, it->ref, GJ_PLACE_SAME, true, it);
    gj__walk(f, it, touch, it);
  }
  for (size_t i = 0; i < f->item_count; i++) {
    gj__item *it = &f->items[i];
    if (!it->in_rows || f->items[it->group].pays)
      continue;
    f->plain[it->ref] = 1;
    any = true;
  }
  return any;
}

// --- memory ---

static void note_reader(gj__fuser *f, gj_ref ref, gj_place place, bool stored, void *context) {
  (void)place;
  const gj__item *it = context;
  gj__item *read = gj__item_of(f, ref);
  if (!stored || !read || !read->in_rows)
    return;
  if (it->group != read->group || !it->in_rows)
    read->leaves = true;
  else if (it->stage > read->last)
    read->last = it->stage;
}

static bool stays(const gj__fuser *f, const gj__item *it) {
  bool scratch = f->plan->buffers[it->buffer].kind == GJ_BUFFER_SCRATCH;
  return it->in_rows && scratch && !it->leaves;
}

// A later store of the same rows and dtype whose memory `it` may use until then. (One borrower may
// follow another in the stage that reads the first, since values are read before any is stored.)
static gj__item *find_lender(gj__fuser *f, const gj__item *it) {
  gj_dtype dtype = it->domain.dtype;
  for (size_t i = (size_t)(it - f->items) + 1; i < f->item_count; i++) {
    gj__item *to = &f->items[i];
    bool whole = to->group == it->group && to->kind == GJ_KERNEL_ELEMENTWISE && !to->one;
    if (whole && !stays(f, to) && to->lent <= it->stage && to->domain.dtype == dtype &&
        to->stage > it->stage && to->stage >= it->last)
      return to;
  }
  return NULL;
}

static void place_row(gj__fuser *f, gj__item *it) {
  gj_buffer *buffer = &f->plan->buffers[it->buffer];
  bool number = it->one || it->kind == GJ_KERNEL_REDUCE;
  gj__item *lender = NULL;
  if (number || it->last == it->stage) {
    buffer->kind = GJ_BUFFER_NONE;
    it->buffer = GJ_NO_BUFFER;
  } else if ((lender = find_lender(f, it))) {
    buffer->kind = GJ_BUFFER_NONE;
    lender->lent = it->last;
    it->borrowed = true;
    it->buffer = lender->buffer;
  } else {
    buffer->row = true;
    buffer->type = (gj_type){.dtype = buffer->type.dtype, .rank = 1, .shape = {it->cols}};
    gj_dim element = gj_dim_const(f->dims, (int64_t)gj_dtype_bytes(buffer->type.dtype));
    buffer->bytes = gj_dim_mul(f->dims, it->cols, element);
    gj__item *head = &f->items[it->group];
    if (gj_dim_is_const(buffer->bytes) && buffer->bytes <= STACK_BYTES - head->on_stack) {
      buffer->kind = GJ_BUFFER_LOCAL;
      head->on_stack += buffer->bytes;
    }
  }
  f->plan->home[it->ref] = it->buffer;
}

void gj__place_rows(gj__fuser *f) {
  for (size_t i = 0; i < f->item_count; i++)
    f->items[i].last = f->items[i].stage;
  for (size_t i = 0; i < f->item_count; i++)
    gj__walk(f, &f->items[i], note_reader, &f->items[i]);
  for (size_t i = 0; i < f->item_count; i++)
    if (stays(f, &f->items[i]))
      place_row(f, &f->items[i]);
}
