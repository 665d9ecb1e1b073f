// Contractions: what is computed in which order, units of work, and where operands' elements are.
//
// Every result is the sum of its products in ascending order, added one by one to a single running
// value of its dtype, whatever the blocks and tiles are. So they may be chosen freely, and results
// do not depend on them: not on the machine's vectors, nor on threads, nor on which operand is read
// in vectors. A fused multiply-add rounds once instead of twice; it is used where lowering is told
// so (gj_lower_options).
//
// Axes are not moved. Those of a group (batch, rows, columns, products) are counted through as one;
// where they lie side by side in memory, or are one, a position among them is an address, else it
// is taken apart by division.
//
// Two ways of computing a unit, a block of rows and columns at one place of the batch axes:
// straight from memory for few rows, as there is little to gain from reading anything twice
// (direct.c), and through packed panels (packed.c). This file chooses; the other
// two know nothing of graphs.
//
// Left out: what is computed on the way of storing the result, and panels that units share.
#include "lower/kernels/contract/contract.h"

enum {
  FEW_ROWS = 8,      // up to which nothing is packed
  SLIM = 8,          // columns that are too few for vectors
  TINY = 4096,       // products in all that are not worth the code of packing
  DEPTH = 256,       // products
  ROW_BYTES = 98304, // of packed rows: part of a second-level cache
  MOST_ROWS = 192,
  PANEL_BYTES = 65536, // of packed columns for a single row
  COLUMNS = 256,       // of a unit
  DIRECT_BYTES = 4096, // of a row of a unit that is computed directly
  MOST_LANES = 64,     // of a row of a tile
  SCALAR_COLUMNS = 64, // of a tile where vectors are made of blocks (the first tier)
  PAIR = 2,            // vectors of a row of a tile
  MIDDLE_VECTOR = 32   // bytes
};

// --- elements ---

static const gj_type *type_of(const gj__contract *c, int operand) {
  return &gj_graph_node(c->l->graph, c->node->args[operand])->type;
}

// Puts position `e` among `axes` of an operand into its index. With `flat` what the index says is
// only multiplied and added up, so neighbouring axes need not be told apart.
static void spread(gj__lower *l, const gj_type *type, const uint8_t *axes, uint8_t count, bool flat,
                   const gj_lexpr *e, gj__index *out) {
  uint8_t loops[GJ_MAX_RANK];
  unsigned loop_count = 0;
  bool in_line = true;
  for (uint8_t i = 0; i < count; i++) {
    if (type->shape[axes[i]] == 1)
      continue;
    for (uint8_t between = loop_count ? loops[loop_count - 1] + 1u : axes[i]; between < axes[i];
         between++)
      in_line = in_line && type->shape[between] == 1;
    in_line = in_line && (!loop_count || axes[i] > loops[loop_count - 1]);
    loops[loop_count++] = axes[i];
  }
  for (unsigned i = loop_count; i-- > 0;) {
    if (i == 0 || (flat && in_line)) {
      out->at[loops[i]] = e;
      return;
    }
    const gj_lexpr *size = gj__dim(l, type->shape[loops[i]]);
    out->at[loops[i]] = gj__let(l, "i", gj_lx_binary(l->m, GJ_OP_rem, e, size));
    e = gj__let(l, "rest", gj_lx_binary(l->m, GJ_OP_div, e, size));
  }
}

const gj_lexpr *gj__contract_element(gj__contract *c, int operand, const gj_lexpr *at,
                                     const gj_lexpr *k) {
  gj__lower *l = c->l;
  gj_ref ref = c->node->args[operand];
  const gj_type *type = type_of(c, operand);
  const gj_contract_side *side = &c->axes.side[operand];
  bool flat = gj__is_flat(l, ref);
  gj__index *index = gj__index_new(l);
  for (uint8_t i = 0; i < type->rank; i++)
    index->at[i] = gj__i64(l, 0);
  for (uint8_t i = 0; i < c->axes.batch_count; i++)
    if (type->shape[side->batch[i]] != 1)
      index->at[side->batch[i]] = c->batch[i];
  spread(l, type, side->free, side->free_count, flat, at, index);
  spread(l, type, side->contract, c->axes.contract_count, flat, k, index);
  if (flat) {
    index->at[0] = gj__flatten(l, type, index);
    index->flat = true;
  }
  return gj__value(l, ref, index);
}

const gj_lexpr *gj__contract_at(gj__contract *c, const gj_lexpr *row, const gj_lexpr *column) {
  gj__lower *l = c->l;
  if (c->rows_of == 0)
    return gj__add(l, gj__mul(l, gj__add(l, c->place, row), c->columns), column);
  return gj__add(l, gj__mul(l, gj__add(l, c->place, column), c->rows), row);
}

const gj_lexpr *gj__contract_add(gj__contract *c, const gj_lexpr *sum, const gj_lexpr *a,
                                 const gj_lexpr *b) {
  gj__lower *l = c->l;
  if (l->fma && gj_dtype_is_float((gj_dtype)sum->type.dtype)) {
    const gj_lexpr *args[] = {a, b, sum};
    return gj_lx_op(l->m, GJ_OP_fma, args, 3, GJ_DTYPE_none);
  }
  return gj__add(l, sum, gj__mul(l, a, b));
}

const gj_lexpr *gj__contract_zero(gj__contract *c) {
  return gj_lx_const(c->l->m, gj_scalar_start(GJ_START_ZERO, c->node->type.dtype));
}

// --- how operands lie ---

static int last_loop_axis(const gj_type *type) {
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(type, axes);
  return count ? axes[count - 1] : -1;
}

static int near_axis(gj__lower *l, gj_ref ref);

// --- see kinds.def: `inner` is the axis of operand 0, or -1 ---

static int near_first(gj__lower *l, const gj_node *node, int inner) {
  (void)l, (void)node;
  return inner;
}

static int near_transpose(gj__lower *l, const gj_node *node, int inner) {
  const gj_attr_list *axes = &node->attrs->list[GJ_ATTR_axes];
  (void)l;
  for (uint8_t i = 0; i < axes->count; i++)
    if (axes->values[i] == inner)
      return i;
  return -1;
}

static int near_broadcast(gj__lower *l, const gj_node *node, int inner) {
  (void)l;
  return inner < 0 ? -1 : (int)node->attrs->list[GJ_ATTR_axes].values[inner];
}

static int near_maps(gj__lower *l, const gj_node *node, int inner) {
  for (uint32_t a = 0; a < node->arg_count; a++) {
    inner = near_axis(l, node->args[a]);
    if (inner >= 0)
      return inner + node->type.rank - gj_graph_node(l->graph, node->args[a])->type.rank;
  }
  return -1;
}

static int near_reshape(gj__lower *l, const gj_node *node, int inner) {
  (void)l, (void)inner;
  return last_loop_axis(&node->type);
}

typedef int near_fn(gj__lower *l, const gj_node *node, int inner);

static near_fn *const nears[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_LAYOUT(flat, crossed, near) near_##near,
#include "ops/kinds.def"
};

// The axis along which neighbours are neighbours in memory, as far as movement on the way shows; -1
// when there is none.
static int near_axis(gj__lower *l, gj_ref ref) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  if (gj__has_one_element(&node->type))
    return -1;
  if (gj__in_memory(l, ref) || node->arg_count == 0)
    return last_loop_axis(&node->type);
  return nears[gj_op_kind_of((gj_op)node->op)](l, node, near_axis(l, node->args[0]));
}

static bool has_axis(const uint8_t *axes, uint8_t count, int axis) {
  for (uint8_t i = 0; i < count; i++)
    if (axes[i] == axis)
      return true;
  return false;
}

static bool is_crossed(gj__contract *c, int operand) {
  int near = near_axis(c->l, c->node->args[operand]);
  return has_axis(c->axes.side[operand].contract, c->axes.contract_count, near);
}

// --- sizes ---

// A product of sizes, or -1 when it is not a number.
static int64_t known(const gj_type *type, const uint8_t *axes, uint8_t count) {
  int64_t total = 1;
  for (uint8_t i = 0; i < count; i++) {
    if (!gj_dim_is_const(type->shape[axes[i]]))
      return -1;
    total *= type->shape[axes[i]];
  }
  return total;
}

static int64_t known_free(const gj__contract *c, int operand) {
  const gj_contract_side *side = &c->axes.side[operand];
  return known(type_of(c, operand), side->free, side->free_count);
}

static int64_t known_products(const gj__contract *c) {
  return known(type_of(c, 0), c->axes.side[0].contract, c->axes.contract_count);
}

static int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// Rows of a tile so that its running values, two vectors of the columns, and an element of a row
// fit in registers, of which there are 32 where masks are cheap, else 16; of a known number of rows
// as many as leave few tiles partly empty.
static int64_t tile_rows(const gj__lower *l, int64_t rows) {
  int64_t most = l->cheap_masks ? 8 : l->vector_bytes == MIDDLE_VECTOR ? 6 : 4;
  if (rows <= 0)
    return most;
  int64_t tiles = (rows + most - 1) / most;
  return (rows + tiles - 1) / tiles;
}

// A block of about `most` and a multiple of `tile`; of a known size blocks are equally large.
static int64_t block(int64_t size, int64_t most, int64_t tile) {
  if (size <= 0)
    return round_up(most - tile + 1, tile);
  int64_t blocks = (size + most - 1) / most;
  return round_up((size + blocks - 1) / blocks, tile);
}

static gj__contract_sizes choose_sizes(const gj__contract *c) {
  const gj__lower *l = c->l;
  gj__contract_sizes s = {.depth = DEPTH};
  int64_t bytes = (int64_t)gj_dtype_bytes(c->node->type.dtype);
  int64_t rows = known_free(c, c->rows_of), columns = known_free(c, c->columns_of);
  int64_t products = known_products(c);
  s.tile_rows = tile_rows(l, rows);
  // Of a single row every panel is read once: few streams from memory, and long ones.
  bool single = rows == 1 && l->vector_bytes > MIDDLE_VECTOR;
  s.vectors = single ? 1 : PAIR;
  s.tile_columns = SCALAR_COLUMNS;
  if (l->vector_bytes)
    s.tile_columns = least(s.vectors * (int64_t)l->vector_bytes / bytes, MOST_LANES);
  if (single)
    s.depth = PANEL_BYTES / (s.tile_columns * bytes);
  if (products >= 0)
    s.depth = least(s.depth, products > 0 ? products : 1);
  s.pitch = s.depth + 64 / bytes; // rows a power of two apart would share few lines of a cache
  s.block_rows = block(rows, least(ROW_BYTES / (s.pitch * bytes), MOST_ROWS), s.tile_rows);
  s.block_columns = block(columns, c->packed ? COLUMNS : DIRECT_BYTES / bytes, s.tile_columns);
  return s;
}

static bool is_tiny(const gj__contract *c) {
  int64_t sizes[] = {known_free(c, 0), known_free(c, 1), known_products(c)}, total = 1;
  for (int i = 0; i < 3; i++) {
    if (sizes[i] < 0 || sizes[i] > TINY)
      return false;
    total *= sizes[i];
  }
  return total <= TINY;
}

// Whether the second operand had better give the rows: where it has one column, or too few for
// vectors beside many rows of the first.
static bool is_turned(const gj__contract *c) {
  int64_t rows = known_free(c, 0), columns = known_free(c, 1);
  return columns >= 0 && columns <= SLIM && (rows < 0 || rows > SLIM * columns);
}

// Decides how units are computed; of a symbolic number of rows both ways, chosen when they are
// known. Several rows of a result that is turned are no vectors.
static void choose_ways(gj__contract *c) {
  int64_t rows = known_free(c, c->rows_of);
  bool tiny = is_tiny(c);
  c->direct = tiny || (!c->crossed[c->columns_of] && rows <= FEW_ROWS);
  if (c->rows_of == 1 && rows > 1)
    c->direct = false;
  c->packed = !c->direct || rows < 0;
}

static gj__contract contract_of(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->owner);
  gj__contract c = {.l = l, .node = node, .axes = gj_contraction_of(l->graph, node)};
  c.rows_of = is_turned(&c) && (known_free(&c, 1) == 1 || !is_tiny(&c));
  c.columns_of = 1 - c.rows_of;
  for (int operand = 0; operand < 2; operand++)
    c.crossed[operand] = is_crossed(&c, operand);
  choose_ways(&c);
  c.sizes = choose_sizes(&c);
  return c;
}

// --- units ---

static gj_dim blocks_of(gj_dims *dims, gj_dim size, int64_t block) {
  gj_dim up = gj_dim_add(dims, size, gj_dim_const(dims, block - 1));
  return gj_dim_floordiv(dims, up, gj_dim_const(dims, block));
}

void gj__divide_contract(gj__lower *l, const gj_kernel *kernel) {
  gj_dims *dims = gj_graph_dims(l->graph);
  gj_type *units = gj_arena_alloc(&l->scratch, sizeof *units);
  gj_type *products = gj_arena_alloc(&l->scratch, sizeof *products);
  gj_type space;
  if (!units || !products) {
    l->out_of_memory = true;
    return;
  }
  gj__contract c = contract_of(l, kernel);
  if (!gj_contraction_space(l->graph, c.node, &space))
    return;
  gj_dim batch = space.rank > 3 ? space.shape[0] : 1;
  const gj_dim *size = &space.shape[space.rank - 3];
  gj_dim rows = blocks_of(dims, size[c.rows_of], c.sizes.block_rows);
  gj_dim columns = blocks_of(dims, size[c.columns_of], c.sizes.block_columns);
  gj_dim elements = gj_dim_const(dims, c.sizes.block_rows * c.sizes.block_columns);
  *units = (gj_type){.dtype = space.dtype, .rank = 4, .shape = {batch, rows, columns, elements}};
  *products = (gj_type){.dtype = space.dtype, .rank = 1, .shape = {size[2]}};
  uint8_t outer = (uint8_t)((batch != 1) + (rows != 1) + (columns != 1));
  bool valid = rows != GJ_DIM_ERROR && columns != GJ_DIM_ERROR;
  if (valid && outer > 0)
    gj__add_units(l, (gj__units){.type = units, .outer = outer, .each = products});
}

static const gj_lexpr *count_of(gj__contract *c, const gj_type *type, const uint8_t *axes,
                                uint8_t count) {
  return gj__keep(c->l, "size", gj__size(c->l, type, axes, count));
}

static const gj_lexpr *block_count(gj__lower *l, const gj_lexpr *size, int64_t block) {
  const gj_lexpr *up = gj__add(l, size, gj__i64(l, block - 1));
  return gj__keep(l, "blocks", gj__divide(l, up, gj__i64(l, block)));
}

// Takes the last of several counters, of `count` values each, out of *rest.
static const gj_lexpr *take_counter(gj__lower *l, const gj_lexpr *count, const gj_lexpr **rest) {
  if (gj__is_one(count))
    return gj__i64(l, 0);
  const gj_lexpr *own = gj__let(l, "block", gj_lx_binary(l->m, GJ_OP_rem, *rest, count));
  *rest = gj__let(l, "rest", gj_lx_binary(l->m, GJ_OP_div, *rest, count));
  return own;
}

static gj__range block_range(gj__lower *l, const gj_lexpr *block, int64_t by,
                             const gj_lexpr *size) {
  const gj_lexpr *lo = gj__keep(l, "lo", gj__mul(l, block, gj__i64(l, by)));
  const gj_lexpr *end = gj__lesser(l, gj__add(l, lo, gj__i64(l, by)), size);
  return (gj__range){lo, gj__keep(l, "hi", end)};
}

// The loop over the units of this call; finds out what a unit is.
static gj_lblock *each_unit(gj__contract *c) {
  gj__lower *l = c->l;
  const gj__contract_sizes *s = &c->sizes;
  const gj_type *result = &c->node->type;
  uint8_t axes[GJ_MAX_RANK];
  for (uint8_t i = 0; i < GJ_MAX_RANK; i++)
    axes[i] = i;
  gj__share share = gj__share_of(l, 0);
  gj__enter(l, &l->f->body);
  const gj_lexpr *rows = block_count(l, c->rows, s->block_rows);
  const gj_lexpr *columns = block_count(l, c->columns, s->block_columns);
  const gj_lexpr *batch = gj__size(l, result, axes, c->axes.batch_count);
  gj__range all = {gj__i64(l, 0), gj__mul(l, batch, gj__mul(l, rows, columns))};
  if (share.divided)
    all = (gj__range){share.begin, share.end};
  gj_lstmt *loop = gj_ls_for(l->m, l->f, &l->f->body, "u", all.lo, all.hi, 1, 0, 1);
  gj__poll(l, &loop->body);
  gj__enter(l, &loop->body);
  const gj_lexpr *rest = gj__local(l, loop->local);
  c->column_range = block_range(l, take_counter(l, columns, &rest), s->block_columns, c->columns);
  c->row_range = block_range(l, take_counter(l, rows, &rest), s->block_rows, c->rows);
  const gj_lexpr *matrix = gj__is_one(batch) ? gj__i64(l, 0) : rest;
  const gj_lexpr *each = c->rows_of == 0 ? c->rows : c->columns;
  c->place = gj__keep(l, "place", gj__mul(l, matrix, each));
  for (uint8_t i = c->axes.batch_count; i-- > 0;)
    c->batch[i] = take_counter(l, gj__dim(l, result->shape[i]), &matrix);
  return &loop->body;
}

void gj__lower_contract(gj__lower *l, const gj_kernel *kernel) {
  gj__contract c = contract_of(l, kernel);
  const gj_contract_side *rows = &c.axes.side[c.rows_of], *columns = &c.axes.side[c.columns_of];
  gj__panels panels = {0};
  c.out = l->buffers[kernel->stores[0].buffer];
  gj__enter(l, &l->f->body);
  c.rows = count_of(&c, type_of(&c, c.rows_of), rows->free, rows->free_count);
  c.columns = count_of(&c, type_of(&c, c.columns_of), columns->free, columns->free_count);
  c.products = count_of(&c, type_of(&c, 0), c.axes.side[0].contract, c.axes.contract_count);
  if (c.packed)
    panels = gj__contract_panels(&c);
  gj_lblock *into = each_unit(&c);
  if (c.direct && c.packed) {
    gj_lstmt *few = gj_ls_if(l->m, l->f, into, gj__less(l, c.rows, FEW_ROWS + 1));
    gj__contract_direct(&c, &few->body);
    gj__contract_packed(&c, &panels, &few->orelse);
  } else if (c.direct) {
    gj__contract_direct(&c, into);
  } else {
    gj__contract_packed(&c, &panels, into);
  }
}
