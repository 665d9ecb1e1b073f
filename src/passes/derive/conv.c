// Rules of convolutions, which are linear in each operand; the forward one is that of contractions.
//
// To the input comes a convolution of the cotangent with the kernel turned round. Where windows
// move in larger steps, the cotangent would have gaps, and most products a zero: so the input is
// taken apart by the phases of a step, each of which has a convolution without gaps, and put
// together.
//
// To the kernel comes for each of its positions a product of matrices: of the cotangent and of the
// elements of the input that the position meets, summed over images and places. All positions are
// one contraction whose second operand has them side by side, as large as the input for each. That
// is made image by image and then summed, which needs no axis taken apart and gives threads
// something to share, unless the kernel is so large that this would be more memory than the
// operands. A convolution with the cotangent as its kernel would need neither, but its rows would
// be as short as a kernel is wide, which no vectors fill: so that is for windows of many positions,
// or of a size that is a symbol.
#include "passes/derive/window.h"

#include "passes/fold/fold.h"

enum { MOST_POSITIONS = 64, MOST_PER_IMAGE = 1 << 18, MOST_PHASES = 16, FEW_CHANNELS = 4 };

// Sizes of the problem: images, groups, and channels of a group on both sides.
typedef struct conv {
  gj__derive *d;
  const gj_node *node;
  gj__windows windows;
  const gj_type *input, *kernel;
  gj_dim images, inner, outer;
  int64_t groups;
  uint8_t spatial; // axes
} conv;

static conv conv_of(gj__derive *d, const gj_node *node) {
  const gj_type *kernel = gj__type_of(d, node->args[1]);
  conv c = {.d = d,
            .node = node,
            .windows = gj__windows_of(d, node, 2, kernel->shape + 2),
            .input = gj__type_of(d, node->args[0]),
            .kernel = kernel,
            .images = node->type.shape[0],
            .inner = kernel->shape[1],
            .groups = gj_node_int(node, GJ_ATTR_groups),
            .spatial = kernel->rank - 2};
  c.outer = gj_dim_floordiv(gj_graph_dims(d->graph), kernel->shape[0], c.groups);
  return c;
}

static bool has_nothing(const gj_type *type) {
  for (uint8_t i = 0; i < type->rank; i++)
    if (type->shape[i] == 0)
      return true;
  return false;
}

// `a` with its first axes as `head` says and the others as they are.
static gj_ref with_head(const conv *c, gj_ref a, const gj_dim *head, uint8_t count) {
  gj_type type = {0};
  if (!a)
    return 0;
  const gj_type *own = gj__type_of(c->d, a);
  type.rank = count + c->spatial;
  memcpy(type.shape, head, count * sizeof *head);
  memcpy(type.shape + count, own->shape + own->rank - c->spatial, c->spatial * sizeof *head);
  return gj__d_reshape(c->d, a, &type);
}

// The first axes in another order.
static gj_ref with_order(const conv *c, gj_ref a, const int64_t *order, uint8_t count) {
  int64_t axes[GJ_MAX_RANK];
  for (uint8_t i = 0; i < count + c->spatial; i++)
    axes[i] = i < count ? order[i] : i;
  return gj__d_transpose(c->d, a, axes);
}

static gj_dim all_groups(const conv *c, gj_dim each) {
  return gj_dim_mul(gj_graph_dims(c->d->graph), each, c->groups);
}

static gj_ref convolve(const conv *c, gj_ref input, gj_ref kernel, gj_attrs attrs) {
  gj_attrs_set(&attrs, GJ_ATTR_groups, &c->groups, 1);
  gj_ref args[] = {input, kernel};
  return input && kernel ? gj_graph_append(c->d->graph, GJ_OP_conv, args, 2, &attrs) : 0;
}

// --- what comes to the input ---

// A kernel reversed along the axes of the window, with input and output channels swapped.
static gj_ref turned(const conv *c, gj_ref kernel) {
  gj_ref a = with_head(c, kernel, (gj_dim[]){c->groups, c->outer, c->inner}, 3);
  a = with_order(c, a, (int64_t[]){0, 2, 1}, 3);
  a = with_head(c, a, (gj_dim[]){all_groups(c, c->inner), c->outer}, 2);
  for (uint8_t i = 2; a && i < c->kernel->rank; i++)
    if (gj__type_of(c->d, a)->shape[i] != 1)
      a = gj__d_reverse_axis(c->d, a, i);
  return a;
}

static gj_ref input_of(const conv *c, const gj__windows *w, gj_ref kernel, gj_ref ct) {
  gj_ref laid_out = gj__windows_laid_out(c->d, w, ct, 0);
  return convolve(c, laid_out, turned(c, kernel), gj__windows_turned(w));
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// Elements of the padded input that lie a step of the windows apart are met by the same positions,
// so what comes to them is a convolution without gaps, with a part of the kernel. How many such
// parts there are along an axis; 0 where it is not taken apart.
static int64_t phases_of(const conv *c, uint8_t axis) {
  const gj__windows *w = &c->windows;
  bool apart = w->stride[axis] > 1 && w->base[axis] == 1 && gj_dim_is_const(w->window[axis]) &&
               (w->dilation[axis] == 1 || w->window[axis] == 1);
  return apart ? least(w->stride[axis], w->window[axis]) : 0;
}

// How many steps there are behind the last place in the padded input.
static int64_t steps_behind(const conv *c, uint8_t axis) {
  const gj__windows *w = &c->windows;
  gj_dims *dims = gj_graph_dims(c->d->graph);
  int64_t stride = w->stride[axis], steps;
  gj_dim size = gj_dim_add(dims, c->input->shape[axis], gj_dim_const(dims, w->lo[axis]));
  size = gj_dim_floordiv(dims, gj_dim_add(dims, size, gj_dim_const(dims, stride - 1)), stride);
  if (gj_dim_value(dims, gj_dim_sub(dims, size, w->places[axis]), &steps))
    return steps;
  // At most, whatever the size is.
  int64_t room = w->window[axis] - 1 - w->hi[axis];
  return (room >= 0 ? room / stride : -((stride - 1 - room) / stride)) + 1;
}

// What comes to elements phase, phase + stride, … of the padded input, of each axis taken apart.
static gj_ref phase_part(const conv *c, gj_ref ct, const int64_t *phase) {
  gj__windows w = c->windows;
  gj_type taps = *c->kernel;
  int64_t start[GJ_MAX_RANK] = {0}, step[GJ_MAX_RANK];
  for (uint8_t i = 0; i < w.rank; i++) {
    step[i] = 1;
    if (i < 2 || !phases_of(c, i))
      continue;
    start[i] = phase[i];
    step[i] = w.stride[i];
    taps.shape[i] = w.window[i] = (w.window[i] - phase[i] + step[i] - 1) / step[i];
    w.lo[i] = 0;
    w.hi[i] = w.window[i] - 1 - steps_behind(c, i);
    w.stride[i] = w.dilation[i] = 1;
  }
  gj_ref kernel = c->node->args[1];
  if (!gj__same_shape(&taps, c->kernel))
    kernel = gj__d_slice(c->d, kernel, start, &taps, step);
  return input_of(c, &w, kernel, ct);
}

// `own`, the elements of the padded input from number `phase`, where they are in the input along
// an axis, as far as its size is a number; else there may be more of them.
static gj_ref at_phase(const conv *c, gj_ref own, uint8_t axis, int64_t phase) {
  int64_t lo[GJ_MAX_RANK] = {0}, hi[GJ_MAX_RANK] = {0}, gaps[GJ_MAX_RANK] = {0}, behind;
  gj_dims *dims = gj_graph_dims(c->d->graph);
  int64_t stride = c->windows.stride[axis];
  if (!own)
    return 0;
  gj_dim laid_out =
      gj_dim_mul(dims, gj_dim_sub(dims, gj__type_of(c->d, own)->shape[axis], 1), stride);
  lo[axis] = phase - c->windows.lo[axis];
  gaps[axis] = stride - 1;
  gj_dim rest = gj_dim_sub(dims, c->input->shape[axis], gj_dim_add(dims, laid_out, 1));
  rest = gj_dim_sub(dims, rest, gj_dim_const(dims, lo[axis]));
  hi[axis] = gj_dim_value(dims, rest, &behind) ? behind : stride - 1 - phase;
  return gj__d_pad(c->d, own, gj__d_number(c->d, c->input->dtype, 0), lo, hi, gaps);
}

// What comes to the input, of all parts along the axes from `axis`.
static gj_ref all_phases(const conv *c, gj_ref ct, uint8_t axis, int64_t *phase) {
  if (axis == c->kernel->rank)
    return phase_part(c, ct, phase);
  int64_t count = phases_of(c, axis);
  if (count == 0)
    return all_phases(c, ct, axis + 1, phase);
  gj_ref sum = 0;
  for (phase[axis] = 0; phase[axis] < count; phase[axis]++) {
    gj_ref own = at_phase(c, all_phases(c, ct, axis + 1, phase), axis, phase[axis]);
    sum = sum ? gj__d_add(c->d, sum, own) : own;
  }
  return sum;
}

// Whether no two windows meet, and axes of places and of positions can stand beside each other.
static bool windows_are_apart(const conv *c) {
  bool apart = 3 + 2 * c->spatial <= GJ_MAX_RANK;
  for (uint8_t i = 2; i < c->kernel->rank; i++)
    apart = apart && phases_of(c, i) == c->windows.window[i];
  return apart;
}

// What comes from each position of each window: [groups, input channels, positions, images,
// places].
static gj_ref from_positions(const conv *c, gj_ref ct) {
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_lhs_batch, (int64_t[]){0}, 1);
  gj_attrs_set(&attrs, GJ_ATTR_rhs_batch, (int64_t[]){1}, 1);
  gj_attrs_set(&attrs, GJ_ATTR_lhs_contract, (int64_t[]){1}, 1);
  gj_attrs_set(&attrs, GJ_ATTR_rhs_contract, (int64_t[]){2}, 1);
  gj_ref args[] = {with_head(c, c->node->args[1], (gj_dim[]){c->groups, c->outer, c->inner}, 3),
                   with_head(c, ct, (gj_dim[]){c->images, c->groups, c->outer}, 3)};
  return args[0] && args[1] ? gj_graph_append(c->d->graph, GJ_OP_dot_general, args, 2, &attrs) : 0;
}

// What comes to the input of windows that are apart: positions go beside the places.
static gj_ref side_by_side(const conv *c, gj_ref ct) {
  gj__derive *d = c->d;
  gj_dims *dims = gj_graph_dims(d->graph);
  const gj__windows *w = &c->windows;
  uint8_t images = 2 + c->spatial;
  int64_t none[GJ_MAX_RANK] = {0}, between[GJ_MAX_RANK] = {0}, order[GJ_MAX_RANK] = {images, 0, 1};
  int64_t lo[GJ_MAX_RANK] = {0}, hi[GJ_MAX_RANK] = {0};
  gj_type type = *c->input;
  for (uint8_t i = 0; i < c->spatial; i++) {
    uint8_t axis = i + 2;
    between[axis] = w->stride[axis] - w->window[axis];
    order[3 + 2 * i] = images + 1 + i;
    order[4 + 2 * i] = axis;
    type.shape[axis] = gj_dim_mul(dims, w->places[axis], w->stride[axis]);
    lo[axis] = -w->lo[axis];
    gj_dim all = gj_dim_add(dims, c->input->shape[axis], gj_dim_const(dims, w->lo[axis]));
    if (!gj_dim_value(dims, gj_dim_sub(dims, all, type.shape[axis]), &hi[axis]))
      hi[axis] = w->window[axis] - 1 - w->hi[axis]; // at most
  }
  gj_ref zero = gj__d_number(d, type.dtype, 0);
  gj_ref made = gj__d_pad(d, from_positions(c, ct), zero, none, between, none);
  return gj__d_pad(d, gj__d_reshape(d, gj__d_transpose(d, made, order), &type), zero, lo, hi, none);
}

static gj_ref input_part(const conv *c, gj_ref ct) {
  int64_t phase[GJ_MAX_RANK] = {0}, parts = 1;
  for (uint8_t i = 2; i < c->kernel->rank && parts <= MOST_PHASES; i++) {
    int64_t own = phases_of(c, i);
    parts *= own ? least(own, MOST_PHASES + 1) : 1;
  }
  gj_ref all = parts <= MOST_PHASES   ? all_phases(c, ct, 2, phase)
               : windows_are_apart(c) ? side_by_side(c, ct)
                                      : input_of(c, &c->windows, c->node->args[1], ct);
  return gj__windows_cut(c->d, all, c->input);
}

// --- what comes to the kernel ---

// The positions of a window, or -1.
static int64_t positions_of(const conv *c) {
  int64_t count = 1;
  for (uint8_t i = 2; i < c->kernel->rank; i++) {
    gj_dim size = c->kernel->shape[i];
    if (!gj_dim_is_const(size) || size > MOST_POSITIONS)
      return -1;
    count *= size;
  }
  return count <= MOST_POSITIONS ? count : -1;
}

// What position number `p` of all windows meets: [images, input channels, places].
static gj_ref met_at(const conv *c, gj_ref padded, int64_t p) {
  gj_dim k[GJ_MAX_RANK] = {0};
  for (uint8_t i = c->kernel->rank; i-- > 2; p /= c->kernel->shape[i])
    k[i] = p % c->kernel->shape[i];
  return gj__windows_at(c->d, &c->windows, padded, k);
}

// Side by side: [input channels, positions, images, places].
static gj_ref met(const conv *c, int64_t count) {
  gj_ref padded = gj__windows_padded(c->d, &c->windows, c->node->args[0], 0);
  gj_ref parts[MOST_POSITIONS];
  for (int64_t p = 0; p < count; p++) {
    gj_ref own = with_order(c, met_at(c, padded, p), (int64_t[]){1, 0}, 2);
    parts[p] = with_head(c, own, (gj_dim[]){c->input->shape[1], 1, c->images}, 3);
  }
  return count == 1 ? parts[0] : gj__d_concat(c->d, parts, (size_t)count, 1);
}

static bool goes_image_by_image(const conv *c) {
  gj_dim size = gj_type_size(gj_graph_dims(c->d->graph), c->kernel);
  return !gj_dim_is_const(size) || size <= MOST_PER_IMAGE;
}

// [groups, output channels, input channels, positions], or one for each image behind the groups.
static gj_ref products(const conv *c, gj_ref ct, gj_ref others, bool by_image) {
  static const int64_t lhs[] = {0, 3, 4, 5}, rhs[] = {3, 4, 5, 6};
  static const int64_t lhs_batch[] = {1, 0}, rhs_batch[] = {0, 3}; // groups, then images
  gj_attrs attrs = {0};
  uint8_t skipped = by_image, batches = 1 + by_image;
  gj_attrs_set(&attrs, GJ_ATTR_lhs_batch, lhs_batch, batches);
  gj_attrs_set(&attrs, GJ_ATTR_rhs_batch, rhs_batch, batches);
  gj_attrs_set(&attrs, GJ_ATTR_lhs_contract, lhs + skipped, c->spatial + 1u - skipped);
  gj_attrs_set(&attrs, GJ_ATTR_rhs_contract, rhs + skipped, c->spatial + 1u - skipped);
  gj_ref args[] = {ct, others};
  return ct && others ? gj_graph_append(c->d->graph, GJ_OP_dot_general, args, 2, &attrs) : 0;
}

static gj_ref kernel_by_position(const conv *c, gj_ref ct, int64_t count) {
  gj__derive *d = c->d;
  bool by_image = goes_image_by_image(c);
  ct = with_head(c, ct, (gj_dim[]){c->images, c->groups, c->outer}, 3);
  gj_ref others = with_head(c, met(c, count), (gj_dim[]){c->groups, c->inner, count, c->images}, 4);
  gj_ref all = products(c, ct, others, by_image);
  all = by_image ? gj__d_reduce(d, GJ_OP_reduce_sum, all, (int64_t[]){1}, 1) : all;
  return gj__d_reshape(d, all, c->kernel);
}

// The same where groups have one input channel and few output channels: sums, whose products are
// made on the way.
static gj_ref kernel_by_sums(const conv *c, gj_ref ct, int64_t count) {
  static const int64_t axes[] = {0, 3, 4, 5};
  gj__derive *d = c->d;
  gj_ref padded = gj__windows_padded(d, &c->windows, c->node->args[0], 0), parts[MOST_POSITIONS];
  gj_type one = {.rank = 3, .shape = {c->groups, c->outer, 1}};
  ct = with_head(c, ct, (gj_dim[]){c->images, c->groups, c->outer}, 3);
  for (int64_t p = 0; p < count; p++) {
    gj_ref own = with_head(c, met_at(c, padded, p), (gj_dim[]){c->images, c->groups, 1}, 3);
    own = gj__d_reduce(d, GJ_OP_reduce_sum, gj__d_mul(d, ct, own), axes, c->spatial + 1u);
    parts[p] = gj__d_reshape(d, own, &one);
  }
  return gj__d_reshape(d, gj__d_concat(d, parts, (size_t)count, 2), c->kernel);
}

// A convolution whose images are input channels, whose channels are images, with the cotangent as
// its kernel.
static gj_ref kernel_by_conv(const conv *c, gj_ref ct) {
  const gj__windows *w = &c->windows;
  int64_t hi[GJ_MAX_RANK];
  gj_attrs attrs = {0};
  gj_ref input = c->node->args[0];
  input = with_head(c, input, (gj_dim[]){c->images, c->groups, c->inner}, 3);
  input = with_order(c, input, (int64_t[]){2, 1, 0}, 3);
  input = with_head(c, input, (gj_dim[]){c->inner, all_groups(c, c->images)}, 2);
  ct = with_order(c, ct, (int64_t[]){1, 0}, 2);
  for (uint8_t i = 2; i < w->rank; i++) {
    int64_t rest;
    hi[i] = w->hi[i] - (gj__windows_rest(c->d, w, i, &rest) ? rest : 0);
  }
  gj_attrs_set(&attrs, GJ_ATTR_stride, w->dilation + 2, c->spatial);
  gj_attrs_set(&attrs, GJ_ATTR_lo, w->lo + 2, c->spatial);
  gj_attrs_set(&attrs, GJ_ATTR_hi, hi + 2, c->spatial);
  gj_attrs_set(&attrs, GJ_ATTR_base_dilation, w->base + 2, c->spatial);
  gj_attrs_set(&attrs, GJ_ATTR_dilation, w->stride + 2, c->spatial);
  gj_ref all = with_order(c, convolve(c, input, ct, attrs), (int64_t[]){1, 0}, 2);
  return gj__windows_cut(c->d, all, c->kernel);
}

static gj_ref kernel_part(const conv *c, gj_ref ct) {
  int64_t count = positions_of(c);
  bool slim = c->inner == 1 && gj_dim_is_const(c->outer) && c->outer <= FEW_CHANNELS;
  if (count < 0)
    return kernel_by_conv(c, ct);
  return slim ? kernel_by_sums(c, ct, count) : kernel_by_position(c, ct, count);
}

void gj__vjp_conv(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  conv c = conv_of(d, node);
  (void)ref;
  if (has_nothing(c.input) || has_nothing(c.kernel) || has_nothing(&node->type))
    return;
  if (gj__d_wants(d, node->args[0]))
    gj__d_give(d, node->args[0], input_part(&c, cts[0]));
  if (gj__d_wants(d, node->args[1]))
    gj__d_give(d, node->args[1], kernel_part(&c, cts[0]));
}
