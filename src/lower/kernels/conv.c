// Convolutions: a direct one, whose input has been padded before (passes/fold/window.c).
//
// The innermost axis of the result is the vector loop, and some output channels share the input
// that is loaded:
//
//   for image, group, block of output channels, outer places {
//     for x vector {
//       a0 = a1 = … = 0
//       for c { for window { v = input[…]; a0 += v · kernel[o, …]; a1 += v · kernel[o + 1, …]; … }
//       } store a0, a1, …
//     }
//   }
//
// So each sum runs over input channels, then the window in row-major order, and has one
// accumulator, in whatever way the loops are cut; a product and its sum round once where the target
// has an instruction for that and the numeric mode allows it. Axes that a window of one element
// moves over in single steps are one axis with those before: convolutions of 1×1 are products of
// matrices.
//
// Units of work are rows of a block of channels. Left out: vectors over output channels, which
// short rows had better use, packed kernels, and blocks of input channels for the caches.
#include "lower/context.h"

enum {
  BLOCK = 8,        // output channels whose sums are in registers
  NARROW_BLOCK = 4, // the same for machines with few registers
  VECTORS = 2,      // along x in one step
  LONE_VECTORS = 4, // where there is one channel only
  MOST_LAID_OUT = 16
};

// An axis of the result that the window moves along.
typedef struct axis {
  gj_dim size, window; // places, elements of the window
  uint8_t first,
      last; // of the axes of the operand that it stands for; the window is along the first
  int64_t stride, dilation;
  const gj_lexpr *step,
      *hop; // in memory: to the next place but for stride, to the next of a window
} axis;

typedef struct conv {
  gj__lower *l;
  gj_ref input, kernel;
  const gj_type *from, *taps, *to;
  gj_dtype dtype; // of the sums
  axis axes[GJ_MAX_RANK];
  uint8_t count; // of axes
  int64_t groups;
  gj_dim outer;  // output channels of a group
  int64_t block; // output channels that go together
  const gj_lexpr *out;
  const gj_lexpr *plane, *window,
      *places; // elements of an input channel, a window, a result channel
} conv;

// --- the problem ---

// Joins each axis that is only walked along with the one before it.
static void merge_axes(conv *s) {
  uint8_t last = 0;
  for (uint8_t i = 1; i < s->count; i++) {
    axis *to = &s->axes[last], *from = &s->axes[i];
    gj_dim both = gj_dim_mul(gj_graph_dims(s->l->graph), to->size, from->size);
    if (from->window == 1 && from->stride == 1 && to->stride == 1 && both != GJ_DIM_ERROR) {
      to->size = both;
      to->last = from->last;
    } else {
      s->axes[++last] = *from;
    }
  }
  s->count = (uint8_t)(last + 1);
}

// As many as divide the channels, if that is not just a few.
static int64_t choose_block(const conv *s) {
  int64_t most = s->l->narrow > 1 ? NARROW_BLOCK : BLOCK;
  if (!gj_dim_is_const(s->outer))
    return most;
  for (int64_t block = most; block > most / 2; block--)
    if (s->outer % block == 0)
      return block;
  return s->outer < most ? (s->outer > 0 ? s->outer : 1) : most;
}

static conv conv_of(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->stores[0].ref);
  gj_dtype dtype = node->type.dtype;
  bool half = gj_dtype_is_float(dtype) && gj_dtype_bytes(dtype) == 2;
  conv s = {.l = l,
            .input = node->args[0],
            .kernel = node->args[1],
            .from = &gj_graph_node(l->graph, node->args[0])->type,
            .taps = &gj_graph_node(l->graph, node->args[1])->type,
            .to = &node->type,
            .dtype = half ? GJ_DTYPE_f32 : dtype,
            .count = (uint8_t)(node->type.rank - 2),
            .groups = gj_node_int(node, GJ_ATTR_groups)};
  s.outer = gj_dim_floordiv(gj_graph_dims(l->graph), s.taps->shape[0], s.groups);
  for (uint8_t i = 0; i < s.count; i++)
    s.axes[i] = (axis){.size = s.to->shape[i + 2],
                       .window = s.taps->shape[i + 2],
                       .first = i,
                       .last = i,
                       .stride = node->attrs->list[GJ_ATTR_stride].values[i],
                       .dilation = node->attrs->list[GJ_ATTR_dilation].values[i]};
  merge_axes(&s);
  s.block = choose_block(&s);
  return s;
}

// The product of the sizes of `type` from axis `first` on.
static const gj_lexpr *size_from(gj__lower *l, const gj_type *type, uint8_t first) {
  uint8_t axes[GJ_MAX_RANK], count = 0;
  for (uint8_t i = first; i < type->rank; i++)
    axes[count++] = i;
  return gj__size(l, type, axes, count);
}

// What the loops need to know, in the body of the kernel.
static void measure(conv *s, const gj_kernel *kernel) {
  gj__lower *l = s->l;
  gj__enter(l, &l->f->body);
  s->out = l->buffers[kernel->stores[0].buffer];
  s->plane = gj__keep(l, "plane", size_from(l, s->from, 2));
  s->window = gj__keep(l, "window", size_from(l, s->taps, 2));
  s->places = gj__keep(l, "places", size_from(l, s->to, 2));
  for (uint8_t i = 0; i < s->count; i++) {
    axis *a = &s->axes[i];
    a->step = gj__keep(l, "step", size_from(l, s->from, (uint8_t)(a->last + 3)));
    a->hop = a->first == a->last ? a->step : size_from(l, s->from, (uint8_t)(a->first + 3));
    a->hop = gj__keep(l, "hop", gj__mul(l, a->hop, gj__i64(l, a->dilation)));
  }
}

// --- the loops ---

// Where things are for the row at work; all are positions in memory.
typedef struct row {
  const gj_lexpr *input, *kernel, *out;
} row;

// The place of each axis but the last in the input, and in a channel of the result.
static row row_of(conv *s, const gj_lexpr *image, const gj_lexpr *group, const gj_lexpr *first,
                  const gj_lexpr *const *places) {
  gj__lower *l = s->l;
  const gj_lexpr *inner = gj__dim(l, s->taps->shape[1]), *outer = gj__dim(l, s->outer);
  const gj_lexpr *groups = gj__i64(l, s->groups);
  const gj_lexpr *channel =
      gj__mul(l, gj__add(l, gj__mul(l, image, groups), group), inner); // of the input
  const gj_lexpr *input = gj__mul(l, channel, s->plane);
  const gj_lexpr *place = gj__i64(l, 0);
  for (uint8_t i = 0; i + 1 < s->count; i++) {
    const axis *a = &s->axes[i];
    const gj_lexpr *step = gj__mul(l, a->step, gj__i64(l, a->stride));
    input = gj__add(l, input, gj__mul(l, places[i], step));
    place = gj__add(l, gj__mul(l, place, gj__dim(l, a->size)), places[i]);
  }
  place = gj__mul(l, place, gj__dim(l, s->axes[s->count - 1].size));
  const gj_lexpr *own = gj__add(l, gj__mul(l, group, outer), first);
  const gj_lexpr *taps = gj__mul(l, inner, s->window);
  const gj_lexpr *all = gj__mul(l, outer, groups);
  const gj_lexpr *line = gj__add(l, gj__mul(l, image, all), own);
  return (row){gj__let(l, "from", input), gj__let(l, "taps", gj__mul(l, own, taps)),
               gj__let(l, "to", gj__add(l, gj__mul(l, line, s->places), place))};
}

static const gj_lexpr *element(conv *s, gj_ref ref, const gj_lexpr *at) {
  gj__index *index = gj__index_new(s->l);
  *index = (gj__index){.flat = true, .at = {at}};
  return gj_lx_convert(s->l->m, gj__value(s->l, ref, index), s->dtype);
}

// Loops over input channels and the window; enters their body. *input and *tap become the positions
// of the input element and of the kernel element of the first channel.
static void term_loops(conv *s, gj_lblock *into, const gj_lexpr **input, const gj_lexpr **tap) {
  gj__lower *l = s->l;
  bool laid_out[GJ_MAX_RANK] = {false};
  // Engines of wasm keep what is loaded for all copies, on the stack as there are few registers.
  int64_t copies = l->narrow > 1 ? MOST_LAID_OUT + 1 : 1;
  for (uint8_t i = s->count; i-- > 0;) {
    gj_dim size = s->axes[i].window;
    laid_out[i] = gj_dim_is_const(size) && size <= MOST_LAID_OUT / copies;
    copies = laid_out[i] ? copies * (size > 0 ? size : 1) : MOST_LAID_OUT + 1;
  }
  gj_lstmt *each = gj_ls_for(l->m, l->f, into, "c", gj__i64(l, 0), gj__dim(l, s->taps->shape[1]), 1,
                             s->taps->shape[1] == 1 ? GJ_LOOP_UNROLL : 0, 1);
  const gj_lexpr *c = gj__local(l, each->local);
  *input = gj__add(l, *input, gj__mul(l, c, s->plane));
  *tap = gj__add(l, *tap, gj__mul(l, c, s->window));
  const gj_lexpr *position = gj__i64(l, 0);
  for (uint8_t i = 0; i < s->count; i++) {
    const axis *a = &s->axes[i];
    if (a->window == 1)
      continue;
    each = gj_ls_for(l->m, l->f, &each->body, "k", gj__i64(l, 0), gj__dim(l, a->window), 1,
                     laid_out[i] ? GJ_LOOP_UNROLL : 0, 1);
    const gj_lexpr *k = gj__local(l, each->local);
    *input = gj__add(l, *input, gj__mul(l, k, a->hop));
    position = gj__add(l, gj__mul(l, position, gj__dim(l, a->window)), k);
  }
  *tap = gj__add(l, *tap, position);
  gj__enter(l, &each->body);
}

// One place after the other along the last axis, for `width` output channels.
static void sum_row(conv *s, gj_lblock *into, const row *r, int64_t width) {
  gj__lower *l = s->l;
  const axis *x = &s->axes[s->count - 1];
  uint8_t factor = width == 1 ? LONE_VECTORS : VECTORS;
  gj_lstmt *each = gj_ls_for(l->m, l->f, into, "i", gj__i64(l, 0), gj__dim(l, x->size), 1,
                             GJ_LOOP_VECTOR, factor);
  const gj_lexpr *at = gj__local(l, each->local);
  bool fused = l->fma && gj_dtype_is_float(s->dtype);
  uint32_t sums[BLOCK];
  gj_scalar zero = gj_scalar_start(GJ_START_ZERO, s->dtype);
  for (int64_t j = 0; j < width; j++)
    sums[j] = gj_ls_let(l->m, l->f, &each->body, "sum", gj_lx_const(l->m, zero));
  const gj_lexpr *input =
      gj__add(l, r->input, gj__mul(l, at, gj__mul(l, x->step, gj__i64(l, x->stride))));
  const gj_lexpr *tap = r->kernel;
  term_loops(s, &each->body, &input, &tap);
  const gj_lexpr *v = gj__keep(l, "v", element(s, s->input, input));
  const gj_lexpr *taps = gj__mul(l, gj__dim(l, s->taps->shape[1]), s->window);
  for (int64_t j = 0; j < width; j++) {
    const gj_lexpr *w = element(s, s->kernel, gj__add(l, tap, gj__mul(l, taps, gj__i64(l, j))));
    const gj_lexpr *sum = gj__local(l, sums[j]);
    const gj_lexpr *terms[3] = {v, w, sum};
    const gj_lexpr *more = fused ? gj_lx_op(l->m, GJ_OP_fma, terms, 3, GJ_DTYPE_none)
                                 : gj__add(l, sum, gj__mul(l, v, w));
    gj_ls_set(l->m, l->f, l->block, sums[j], more);
  }
  gj__enter(l, &each->body);
  for (int64_t j = 0; j < width; j++) {
    const gj_lexpr *line = gj__mul(l, s->places, gj__i64(l, j));
    const gj_lexpr *place = gj__add(l, gj__add(l, r->out, line), at);
    gj_ls_store(l->m, l->f, l->block, s->out, place,
                gj_lx_convert(l->m, gj__local(l, sums[j]), s->to->dtype));
  }
}

// --- units: rows of blocks ---

// [images, groups, blocks, outer places …, places of a row]
static gj_type units_type(const conv *s) {
  gj_dims *dims = gj_graph_dims(s->l->graph);
  gj_dim up = gj_dim_add(dims, s->outer, s->block - 1);
  gj_type type = {.rank = 3,
                  .shape = {s->to->shape[0], s->groups, gj_dim_floordiv(dims, up, s->block)}};
  for (uint8_t i = 0; i < s->count; i++)
    type.shape[type.rank++] = s->axes[i].size;
  return type;
}

void gj__divide_conv(gj__lower *l, const gj_kernel *kernel) {
  conv s = conv_of(l, kernel);
  gj_type *types = gj_arena_array(&l->scratch, 2, sizeof *types);
  if (!types) {
    l->out_of_memory = true;
    return;
  }
  types[0] = units_type(&s);
  types[1] = (gj_type){.rank = 1, .shape = {s.block}};
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(&types[0], axes);
  unsigned inside = count > 0 && axes[count - 1] == types[0].rank - 1;
  if (count > inside)
    gj__add_units(
        l, (gj__units){.type = &types[0], .outer = (uint8_t)(count - inside), .each = &types[1]});
}

// Output channels first … of the group, as many as are left when that is less than a block.
static void sum_block(conv *s, gj_lblock *into, const gj__index *at) {
  gj__lower *l = s->l;
  const gj_lexpr *first = gj__mul(l, at->at[2], gj__i64(l, s->block));
  const gj_lexpr *outer = gj__dim(l, s->outer);
  bool known = gj_dim_is_const(s->outer);
  if (known && s->outer % s->block == 0) {
    row r = row_of(s, at->at[0], at->at[1], first, at->at + 3);
    sum_row(s, into, &r, s->block);
    return;
  }
  const gj_lexpr *left = gj__let(l, "left", gj__sub(l, outer, first));
  gj_lstmt *whole =
      gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_ge, left, gj__i64(l, s->block)));
  gj__enter(l, &whole->body);
  row r = row_of(s, at->at[0], at->at[1], first, at->at + 3);
  sum_row(s, &whole->body, &r, s->block);
  if (known) {
    gj__enter(l, &whole->orelse);
    r = row_of(s, at->at[0], at->at[1], first, at->at + 3);
    sum_row(s, &whole->orelse, &r, s->outer % s->block);
    return;
  }
  gj_lstmt *each = gj_ls_for(l->m, l->f, &whole->orelse, "j", first, outer, 1, 0, 1);
  gj__enter(l, &each->body);
  r = row_of(s, at->at[0], at->at[1], gj__local(l, each->local), at->at + 3);
  sum_row(s, &each->body, &r, 1);
}

void gj__lower_conv(gj__lower *l, const gj_kernel *kernel) {
  conv s = conv_of(l, kernel);
  gj_type units = units_type(&s);
  measure(&s, kernel);
  const gj__index *at;
  units.shape[units.rank - 1] = 1;
  gj_lblock *into = gj__rows_loop(l, "o", &units, &at, NULL);
  sum_block(&s, into, at);
}
