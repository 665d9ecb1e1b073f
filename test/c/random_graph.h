// Random graphs, and the check that every way of computing them agrees.
//
// A stream of bytes decides everything, so a fuzzer can drive it and a seed can repeat it. Only ops
// whose result is exact are used (floats are summed when they are small integers), so results must
// agree to the last bit: reference evaluator, Loop IR evaluator before and after vectorisation,
// first tier, and machine code at two numeric modes. Operands are mostly made to fit; what the
// builder refuses of the rest is skipped, which tests the builder as well. Arrays lie between pages
// that may not be touched (guarded.h).
//
// There are wide graphs, too (random_wide.h), and graphs that round, with every float op on any
// numbers, whose results are compared with each other only (random_run.h).
#ifndef GJ_TEST_RANDOM_GRAPH_H
#define GJ_TEST_RANDOM_GRAPH_H

#include "graphjit.h"
#include "guarded.h"
#include "interp/interp.h"
#include "lower/pipeline.h"
#include "runtime/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  RG_MAX_PORTS = 48,
  RG_MAX_SYMBOLS = 48,
  RG_MAX_MARKED = 6,
  RG_FAMILIES = 3, // see random_run.h
  RG_MAX_ELEMENTS = 1 << 14,
  // Of wide graphs: elements of a value, what a graph computes, and what its loops may evaluate.
  RG_MOST_WIDE = 1 << 17,
  RG_MOST_WORK = 1 << 22,
  RG_MOST_LOOPS = 1 << 15
};

typedef struct rg_stream {
  const unsigned char *bytes; // NULL: numbers come from the state alone
  size_t size, at;
  uint64_t state;
  bool plain;                   // only elementwise ops, reductions and movement
  bool computes;                // whether graphs may have sizes that a run computes
  bool wide;                    // see random_wide.h
  bool rounds;                  // see random_run.h
  int64_t sizes[3];             // of wide graphs
  gj_ref marked[RG_MAX_MARKED]; // values that are to be outputs
  unsigned marked_count;
  uint64_t data; // decides about data, with the name of each input; 0: not chosen yet
} rg_stream;

static inline uint64_t rg_next(rg_stream *s) {
  s->state ^= s->state << 13;
  s->state ^= s->state >> 7;
  s->state ^= s->state << 17;
  if (s->bytes && s->at < s->size)
    return s->bytes[s->at++];
  return s->state * UINT64_C(0x2545F4914F6CDD1D) >> 11;
}

static inline uint32_t rg_below(rg_stream *s, uint32_t limit) {
  return (uint32_t)(rg_next(s) % limit);
}

// The same for sizes, which may be of more than 32 bits before they are refused.
static inline int64_t rg_below_size(rg_stream *s, int64_t size) {
  return (int64_t)(rg_next(s) % (uint64_t)size);
}

typedef struct rg_case {
  gj_graph *graph;
  int64_t symbols[RG_MAX_SYMBOLS]; // of n and m, then of those that are computed
  int64_t bound[RG_MAX_SYMBOLS];   // what they are before a run
  int64_t most;                    // elements of a value; 0: RG_MAX_ELEMENTS
  int64_t shapes[RG_MAX_PORTS][GJ_MAX_RANK];
  const int64_t *shape_list[RG_MAX_PORTS];
  size_t bytes[RG_MAX_PORTS]; // inputs, then outputs
  guarded arrays[RG_MAX_PORTS];
  size_t inputs, outputs;
  double work;       // elements that are computed, each as often as it has terms
  double least_work; // so much at least
  double most_work;  // 0: any
  double most_loops; // work beyond which loops are not evaluated; 0: any
  uint64_t data;     // see rg_stream
  bool given;        // n and m are
  unsigned modes;    // bits: compiled in 'default', in 'strict'; 0: in both, as usual
  bool prints;       // says what the graph is, whatever becomes of it
  bool rounds;       // first[family] is what others are compared with
  bool has_first[RG_FAMILIES];
  guarded first[RG_FAMILIES][RG_MAX_PORTS];
} rg_case;

// --- building ---

static inline gj_dtype rg_dtype(rg_stream *s) {
  return (gj_dtype)(1 + rg_below(s, GJ_DTYPE_COUNT - 1));
}

static inline gj_dim rg_wide_dim(rg_stream *s, gj_graph *g);
static inline gj_ref rg_with_specials(gj_graph *g, gj_ref plain, gj_ref ref);
static inline gj_ref rg_factor(rg_stream *s, gj_graph *g, gj_ref ref);

static inline gj_dim rg_dim(rg_stream *s, gj_graph *g) {
  if (s->wide)
    return rg_wide_dim(s, g);
  static const int sizes[] = {1, 1, 2, 3, 4, 7, 16, 33, 0};
  uint32_t pick = rg_below(s, 14);
  if (pick < 9)
    return gj_dim_const(gj_graph_dims(g), sizes[pick]);
  return gj_dim_symbol(gj_graph_dims(g), pick < 12 ? "n" : "m", 1);
}

static inline gj_type rg_type(rg_stream *s, gj_graph *g) {
  gj_type type = {.dtype = rg_dtype(s), .rank = (uint8_t)rg_below(s, 4)};
  if (s->wide && type.rank == 0)
    type.rank = (uint8_t)rg_below(s, 3);
  for (uint8_t i = 0; i < type.rank; i++)
    type.shape[i] = rg_dim(s, g);
  return type;
}

static inline gj_ref rg_pick_any(rg_stream *s, gj_graph *g) {
  size_t count = gj_graph_node_count(g);
  uint32_t recent = rg_below(s, 3);
  if (recent && count > 6)
    return (gj_ref)(count - rg_below(s, 6));
  return (gj_ref)(1 + rg_below(s, (uint32_t)count));
}

// In wide graphs rather an array than a number.
static inline gj_ref rg_pick(rg_stream *s, gj_graph *g) {
  gj_ref ref = rg_pick_any(s, g);
  for (int i = 0; s->wide && i < 3 && gj_graph_node(g, ref)->type.rank == 0; i++)
    ref = rg_pick_any(s, g);
  return ref;
}

static inline void rg_scalar(rg_stream *s, gj_dtype dtype, void *out) {
  static const double odd[] = {0.0,  -0.0,  1,      -1,       2,         0.5, -2.5, 3,
                               1e30, -1e30, 5e-324, INFINITY, -INFINITY, NAN, 255,  -129};
  gj_scalar value = {.dtype = dtype};
  if (gj_dtype_is_float(dtype)) {
    value.v.f = rg_below(s, 4) ? (double)(int)rg_below(s, 200) - 100 : odd[rg_below(s, 16)];
    value.v.f = gj__scalar_nearest(dtype, value.v.f);
  } else if (dtype == GJ_DTYPE_bool) {
    value.v.i = rg_below(s, 2);
  } else {
    unsigned char bytes[8];
    uint64_t raw = rg_below(s, 5) ? rg_below(s, 16) : rg_next(s) * UINT64_C(0x9E3779B97F4A7C15);
    if (rg_below(s, 8) == 0)
      raw = UINT64_C(1) << (gj_dtype_get(dtype)->bits - 1);
    memcpy(bytes, &raw, 8);
    memcpy(out, bytes, gj_dtype_bytes(dtype));
    return;
  }
  gj_scalar_store(value, out);
}

static inline gj_ref rg_convert(gj_graph *g, gj_ref ref, int64_t to) {
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_dtype, &to, 1);
  if (!ref || gj_graph_node(g, ref)->type.dtype == (gj_dtype)to)
    return ref;
  return gj_graph_append(g, GJ_OP_convert, &ref, 1, &attrs);
}

// True when two shapes broadcast, as far as equality of sizes shows.
static inline bool rg_fits(const gj_type *a, const gj_type *b) {
  for (uint8_t i = 0; i < a->rank && i < b->rank; i++) {
    gj_dim x = a->shape[a->rank - 1 - i], y = b->shape[b->rank - 1 - i];
    if (x != y && x != 1 && y != 1)
      return false;
  }
  return true;
}

// A value that broadcasts with `ref` if a few tries find one, else `ref` itself.
static inline gj_ref rg_partner(rg_stream *s, gj_graph *g, gj_ref ref) {
  for (int i = 0; i < 6; i++) {
    gj_ref other = rg_pick(s, g);
    if (rg_fits(&gj_graph_node(g, ref)->type, &gj_graph_node(g, other)->type))
      return other;
  }
  return ref;
}

// Payloads of NaNs are nobody's promise, so none may become an integer.
static inline gj_ref rg_without_nan(gj_graph *g, gj_ref ref) {
  gj_type type = {.dtype = gj_graph_node(g, ref)->type.dtype};
  unsigned char zero[8] = {0};
  gj_ref args[3] = {gj_graph_append(g, GJ_OP_is_nan, &ref, 1, &(gj_attrs){0}),
                    gj_graph_const(g, &type, zero, gj_dtype_bytes(type.dtype)), ref};
  return gj_graph_append(g, GJ_OP_select, args, 3, &(gj_attrs){0});
}

static inline gj_op rg_elementwise_op(rg_stream *s) {
  for (;;) {
    gj_op op = (gj_op)(1 + rg_below(s, GJ_OP_COUNT - 1));
    bool known = s->rounds || (gj_op_get(op)->flags & GJ_OP_EXACT);
    if (gj_op_is_elementwise(op) && known)
      return op;
  }
}

// One op of operands made to fit; now and then with whatever there is, for the builder to refuse.
static inline void rg_elementwise(rg_stream *s, gj_graph *g, gj_ref ref) {
  gj_op op = rg_elementwise_op(s);
  const gj_op_info *info = gj_op_get(op);
  gj_ref args[3] = {ref, rg_pick(s, g), rg_pick(s, g)};
  gj_attrs attrs = {0};
  int64_t dtype = rg_dtype(s);
  if (info->attrs & GJ_HAS_DTYPE)
    gj_attrs_set(&attrs, GJ_ATTR_dtype, &dtype, 1);
  if (rg_below(s, 8) > 0) {
    size_t first = op == GJ_OP_select ? 1 : 0;
    gj_dtype have = gj_graph_node(g, args[first])->type.dtype;
    while (!gj_op_takes(op, have))
      have = rg_dtype(s);
    for (size_t a = 0; a < (size_t)info->arity; a++) {
      if (a != first)
        args[a] = rg_partner(s, g, args[first]);
      args[a] = rg_convert(g, args[a], a < first ? (int64_t)GJ_DTYPE_bool : (int64_t)have);
    }
  }
  gj_dtype from = gj_graph_node(g, args[0])->type.dtype;
  while (op == GJ_OP_bitcast && gj_dtype_bytes((gj_dtype)dtype) != gj_dtype_bytes(from))
    dtype = rg_dtype(s);
  if (op == GJ_OP_bitcast && gj_dtype_is_float(from))
    args[0] = rg_without_nan(g, args[0]);
  gj_graph_op(g, op, args, (size_t)info->arity, &attrs);
}

// The element numbers of a shape, each another one.
static inline gj_ref rg_numbers(gj_graph *g, const gj_type *type, int64_t dtype) {
  gj_attrs iota = {0}, shape = {0};
  int64_t axis = 0;
  gj_dim size = gj_type_size(gj_graph_dims(g), type);
  gj_attrs_set(&iota, GJ_ATTR_dtype, &dtype, 1);
  gj_attrs_set(&iota, GJ_ATTR_shape, &size, 1);
  gj_attrs_set(&iota, GJ_ATTR_axis, &axis, 1);
  gj_attrs_set(&shape, GJ_ATTR_shape, type->shape, type->rank);
  gj_ref numbers = gj_graph_append(g, GJ_OP_iota, NULL, 0, &iota);
  return numbers ? gj_graph_append(g, GJ_OP_reshape, &numbers, 1, &shape) : 0;
}

static inline gj_ref rg_result(gj_graph *g, gj_ref ref, int64_t index) {
  gj_attrs which = {0};
  gj_attrs_set(&which, GJ_ATTR_index, &index, 1);
  return ref ? gj_graph_append(g, GJ_OP_result, &ref, 1, &which) : 0;
}

// Sums of small integers are exact, with infinities and NaN among them too.
static inline gj_ref rg_summand(rg_stream *s, gj_graph *g, gj_ref ref) {
  gj_dtype dtype = gj_graph_node(g, ref)->type.dtype;
  if (s->rounds || !gj_dtype_is_float(dtype))
    return ref;
  gj_ref plain = rg_convert(g, rg_convert(g, ref, GJ_DTYPE_i8), dtype);
  return s->wide && rg_below(s, 4) == 0 ? rg_with_specials(g, plain, ref) : plain;
}

static inline void rg_reduce(rg_stream *s, gj_graph *g, gj_ref ref) {
  static const gj_op ops[] = {GJ_OP_reduce_sum, GJ_OP_reduce_prod, GJ_OP_reduce_min,
                              GJ_OP_reduce_max, GJ_OP_reduce_and,  GJ_OP_reduce_or,
                              GJ_OP_argmin,     GJ_OP_argmax};
  gj_op op = ops[rg_below(s, 8)];
  gj_ref args[2] = {ref, 0};
  const gj_type type = gj_graph_node(g, ref)->type;
  if (op == GJ_OP_reduce_prod)
    args[0] = rg_factor(s, g, ref);
  if (op == GJ_OP_reduce_sum)
    args[0] = rg_summand(s, g, ref);
  int64_t axes[GJ_MAX_RANK], count = 0;
  for (int64_t i = 0; i < type.rank; i++)
    if (rg_below(s, 2))
      axes[count++] = i;
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_axes, axes, (size_t)count);
  if (op != GJ_OP_argmin && op != GJ_OP_argmax) {
    gj_graph_op(g, op, args, 1, &attrs);
    return;
  }
  // Every element has its own index: between -0 and 0 at the same index there is no first one.
  args[1] = rg_numbers(g, &type, rg_below(s, 2) ? GJ_DTYPE_i64 : GJ_DTYPE_i32);
  rg_result(g, args[1] ? gj_graph_op(g, op, args, 2, &attrs) : 0, 1);
}

// A value beside the result of reducing it along trailing axes, as softmax and norms have it.
static inline void rg_row(rg_stream *s, gj_graph *g, gj_ref ref) {
  const gj_type type = gj_graph_node(g, ref)->type;
  static const gj_op reduces[] = {GJ_OP_reduce_max, GJ_OP_reduce_min, GJ_OP_reduce_sum};
  static const gj_op joins[] = {GJ_OP_sub, GJ_OP_add, GJ_OP_max, GJ_OP_mul};
  if (type.rank == 0 || type.dtype == GJ_DTYPE_bool)
    return;
  gj_op op = reduces[rg_below(s, 3)];
  gj_ref row = op == GJ_OP_reduce_sum ? rg_summand(s, g, ref) : ref;
  int64_t axes[GJ_MAX_RANK], shape[GJ_MAX_RANK];
  uint8_t first = rg_below(s, 3) ? (uint8_t)(type.rank - 1) : (uint8_t)rg_below(s, type.rank);
  for (uint8_t i = 0; i < type.rank; i++) {
    shape[i] = i < first ? type.shape[i] : 1;
    if (i >= first)
      axes[i - first] = i;
  }
  gj_attrs reduce = {0}, keep = {0};
  gj_attrs_set(&reduce, GJ_ATTR_axes, axes, (size_t)(type.rank - first));
  gj_attrs_set(&keep, GJ_ATTR_shape, shape, type.rank);
  gj_ref number = gj_graph_op(g, op, &row, 1, &reduce);
  if (s->wide && rg_below(s, 4) == 0) { // the place of the result, beside it
    gj_ref pair[2] = {row, rg_numbers(g, &type, GJ_DTYPE_i32)};
    number = pair[1] ? gj_graph_op(g, GJ_OP_argmax, pair, 2, &reduce) : 0;
    number = rg_result(g, number, rg_below(s, 4) != 0);
  }
  number = number ? gj_graph_append(g, GJ_OP_reshape, &number, 1, &keep) : 0;
  gj_ref args[2] = {ref, number};
  if (number)
    gj_graph_op(g, joins[rg_below(s, 4)], args, 2, &(gj_attrs){0});
}

enum { RG_MOVES = 4 };

static inline void rg_shape_move_of(rg_stream *s, gj_graph *g, gj_ref ref, unsigned kind) {
  const gj_type type = gj_graph_node(g, ref)->type;
  int64_t list[GJ_MAX_RANK], shape[GJ_MAX_RANK];
  gj_attrs attrs = {0};
  switch (kind) {
  case 0: { // reverse the axes, or rotate them
    uint32_t turn = rg_below(s, 3);
    for (int64_t i = 0; i < type.rank; i++)
      list[i] = turn ? (i + turn) % type.rank : type.rank - 1 - i;
    gj_attrs_set(&attrs, GJ_ATTR_axes, list, type.rank);
    gj_graph_append(g, GJ_OP_transpose, &ref, 1, &attrs);
    break;
  }
  case 1: { // flatten, or put an axis of size 1 in front where there may be one more
    bool flat = rg_below(s, 2) || type.rank == GJ_MAX_RANK;
    shape[0] = flat ? gj_type_size(gj_graph_dims(g), &type) : 1;
    uint8_t rank = 1;
    for (uint8_t i = 0; !flat && i < type.rank; i++)
      shape[rank++] = type.shape[i];
    gj_attrs_set(&attrs, GJ_ATTR_shape, shape, rank);
    gj_graph_append(g, GJ_OP_reshape, &ref, 1, &attrs);
    break;
  }
  case 2: { // broadcast along a new axis in front or behind
    bool front = rg_below(s, 2);
    for (uint8_t i = 0; i < type.rank && type.rank < GJ_MAX_RANK; i++) {
      list[i] = i + front;
      shape[i + front] = type.shape[i] == 1 ? rg_dim(s, g) : type.shape[i];
    }
    if (type.rank >= 4)
      return;
    shape[front ? 0 : type.rank] = rg_dim(s, g);
    gj_attrs_set(&attrs, GJ_ATTR_shape, shape, type.rank + 1u);
    gj_attrs_set(&attrs, GJ_ATTR_axes, list, type.rank);
    gj_graph_append(g, GJ_OP_broadcast, &ref, 1, &attrs);
    break;
  }
  default: {
    size_t count = 0;
    for (int64_t i = 0; i < type.rank; i++)
      if (rg_below(s, 2))
        list[count++] = i;
    gj_attrs_set(&attrs, GJ_ATTR_axes, list, count);
    gj_graph_append(g, GJ_OP_reverse, &ref, 1, &attrs);
  }
  }
}

static inline void rg_shape_move(rg_stream *s, gj_graph *g, gj_ref ref) {
  rg_shape_move_of(s, g, ref, rg_below(s, RG_MOVES));
}

static inline void rg_slice(rg_stream *s, gj_graph *g, gj_ref ref) {
  const gj_type type = gj_graph_node(g, ref)->type;
  gj_dims *dims = gj_graph_dims(g);
  int64_t start[GJ_MAX_RANK], shape[GJ_MAX_RANK], stride[GJ_MAX_RANK];
  for (uint8_t i = 0; i < type.rank; i++) {
    int64_t size;
    start[i] = 0;
    stride[i] = 1;
    shape[i] = type.shape[i];
    if (!gj_dim_value(dims, type.shape[i], &size) || size < 2)
      continue;
    if (rg_below(s, 2)) {
      start[i] = rg_below_size(s, size);
      stride[i] = 1 + rg_below(s, 3);
      shape[i] = (size - start[i] + stride[i] - 1) / stride[i];
    } else {
      start[i] = size - 1;
      stride[i] = -(int64_t)(1 + rg_below(s, 2));
      shape[i] = (size - 1) / -stride[i] + 1;
    }
  }
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_start, start, type.rank);
  gj_attrs_set(&attrs, GJ_ATTR_shape, shape, type.rank);
  gj_attrs_set(&attrs, GJ_ATTR_stride, stride, type.rank);
  gj_graph_append(g, GJ_OP_slice, &ref, 1, &attrs);
}

// A constant start per axis, at times far outside.
static inline gj_ref rg_start(rg_stream *s, gj_graph *g, gj_dtype dtype) {
  unsigned char element[8];
  rg_scalar(s, dtype, element);
  gj_type type = {.dtype = dtype};
  return gj_graph_const(g, &type, element, gj_dtype_bytes(dtype));
}

static inline void rg_window(rg_stream *s, gj_graph *g, gj_ref ref) {
  const gj_type type = gj_graph_node(g, ref)->type;
  gj_ref args[2 + GJ_MAX_RANK] = {ref};
  gj_attrs attrs = {0};
  int64_t shape[GJ_MAX_RANK];
  bool update = rg_below(s, 2);
  gj_dtype dtype = rg_below(s, 2) ? GJ_DTYPE_i32 : GJ_DTYPE_u64;
  args[1] = rg_pick(s, g);
  for (uint8_t i = 0; i < type.rank; i++) {
    int64_t size;
    bool known = gj_dim_value(gj_graph_dims(g), type.shape[i], &size);
    shape[i] = known && size > 0 ? 1 + rg_below_size(s, size) : type.shape[i];
    args[i + 1 + update] = rg_start(s, g, dtype);
  }
  if (!update)
    gj_attrs_set(&attrs, GJ_ATTR_shape, shape, type.rank);
  gj_graph_append(g, update ? GJ_OP_update_slice : GJ_OP_dynamic_slice, args,
                  type.rank + 1u + update, &attrs);
}

// Index vectors of `count` elements along the last of `axes.rank` axes, at times far outside. With
// a size in front they differ along that axis.
static inline gj_ref rg_indices(rg_stream *s, gj_graph *g, gj_dim front, int64_t rows,
                                int64_t count) {
  static const gj_dtype dtypes[] = {GJ_DTYPE_i32, GJ_DTYPE_i64, GJ_DTYPE_u64, GJ_DTYPE_i8,
                                    GJ_DTYPE_u16};
  unsigned char data[8 * 64];
  int64_t dtype = dtypes[rg_below(s, 5)], axis = 0, last[] = {1, 2};
  gj_type type = {.dtype = (gj_dtype)dtype, .rank = 2, .shape = {rows, count}};
  size_t width = gj_dtype_bytes(type.dtype), size = (size_t)(rows * count);
  for (size_t i = 0; i < size; i++) {
    uint64_t near = rg_below(s, 6);
    memcpy(data + i * width, &near, width);
    if (rg_below(s, 6) == 0)
      rg_scalar(s, type.dtype, data + i * width);
  }
  if (size == 0)
    return 0;
  gj_ref vectors = gj_graph_const(g, &type, data, size * width);
  if (front == 1)
    return vectors;
  int64_t shape[] = {front, rows, count};
  gj_attrs wide = {0}, iota = {0};
  gj_attrs_set(&wide, GJ_ATTR_shape, shape, 3);
  gj_attrs_set(&wide, GJ_ATTR_axes, last, 2);
  gj_attrs_set(&iota, GJ_ATTR_shape, shape, 3);
  gj_attrs_set(&iota, GJ_ATTR_dtype, &dtype, 1);
  gj_attrs_set(&iota, GJ_ATTR_axis, &axis, 1);
  gj_ref args[] = {gj_graph_append(g, GJ_OP_broadcast, &vectors, 1, &wide),
                   gj_graph_append(g, GJ_OP_iota, NULL, 0, &iota)};
  return gj_graph_append(g, GJ_OP_add, args, 2, &(gj_attrs){0});
}

// A gather with random roles of its axes, and a scatter of what it takes to other places.
static inline void rg_indexed(rg_stream *s, gj_graph *g, gj_ref ref) {
  const gj_type type = gj_graph_node(g, ref)->type;
  static const gj_op scatters[] = {GJ_OP_scatter,     GJ_OP_scatter_add, GJ_OP_scatter_mul,
                                   GJ_OP_scatter_min, GJ_OP_scatter_max, GJ_OP_scatter_and,
                                   GJ_OP_scatter_or};
  int64_t collapsed[GJ_MAX_RANK], map[GJ_MAX_RANK], offset[GJ_MAX_RANK], window[GJ_MAX_RANK];
  int64_t batch = -1, front = 0, rows = 1 + rg_below(s, 5);
  size_t gone = 0, starts = 0, left = 0;
  for (int64_t i = 0; i < type.rank; i++) {
    int64_t size, role = rg_below(s, 5);
    bool known = gj_dim_value(gj_graph_dims(g), type.shape[i], &size);
    window[i] = 1;
    if (role == 0 && batch < 0 && type.shape[i] != 1) {
      batch = i;
      continue;
    }
    if (role > 1)
      map[starts++] = i;
    if (role == 2)
      collapsed[gone++] = i;
    else if (role < 4)
      window[i] = type.shape[i];
    else if (known && size > 0)
      window[i] = 1 + rg_below_size(s, size);
    left += role != 2;
  }
  for (size_t i = 0; starts > 1 && i < starts; i++) { // in any order
    size_t other = rg_below(s, (uint32_t)starts);
    int64_t kept = map[i];
    map[i] = map[other];
    map[other] = kept;
  }
  gj_dim size = batch < 0 ? 1 : type.shape[batch];
  size_t rank = left + (size == 1 ? 1 : 2), offsets = 0;
  for (size_t i = 0; i < rank && offsets < left; i++) // some, in order, the last ones if need be
    if (rank - i == left - offsets || rg_below(s, 2))
      offset[offsets++] = (int64_t)i;
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_offset_axes, offset, left);
  gj_attrs_set(&attrs, GJ_ATTR_collapsed_axes, collapsed, gone);
  gj_attrs_set(&attrs, GJ_ATTR_operand_batch, &batch, batch >= 0);
  gj_attrs_set(&attrs, GJ_ATTR_indices_batch, &front, batch >= 0);
  gj_attrs_set(&attrs, GJ_ATTR_index_map, map, starts);
  gj_attrs scatter = attrs;
  gj_attrs_set(&attrs, GJ_ATTR_window, window, type.rank);
  gj_ref args[3] = {ref, rg_indices(s, g, size, rows, (int64_t)starts), 0};
  args[2] = args[1] ? gj_graph_append(g, GJ_OP_gather, args, 2, &attrs) : 0;
  gj_op op = scatters[rg_below(s, 7)];
  if (!args[2] || rg_below(s, 2) || !gj_op_takes(op, type.dtype))
    return;
  args[1] = rg_indices(s, g, size, rows, (int64_t)starts);
  if (args[1])
    gj_graph_append(g, op, args, 3, &scatter);
}

static inline void rg_join(rg_stream *s, gj_graph *g, gj_ref ref) {
  const gj_type type = gj_graph_node(g, ref)->type;
  gj_attrs attrs = {0};
  int64_t lo[GJ_MAX_RANK], hi[GJ_MAX_RANK], interior[GJ_MAX_RANK];
  if (rg_below(s, 2)) {
    gj_ref args[3] = {ref, rg_below(s, 2) ? ref : rg_pick(s, g), ref};
    int64_t axis = type.rank ? rg_below(s, type.rank) : 0;
    gj_attrs_set(&attrs, GJ_ATTR_axis, &axis, 1);
    gj_graph_append(g, GJ_OP_concat, args, 2 + rg_below(s, 2), &attrs);
    return;
  }
  for (uint8_t i = 0; i < type.rank; i++) {
    lo[i] = (int64_t)rg_below(s, 5) - 1;
    hi[i] = (int64_t)rg_below(s, 5) - 1;
    interior[i] = rg_below(s, 3) ? 0 : rg_below(s, 3);
  }
  gj_attrs_set(&attrs, GJ_ATTR_lo, lo, type.rank);
  gj_attrs_set(&attrs, GJ_ATTR_hi, hi, type.rank);
  gj_attrs_set(&attrs, GJ_ATTR_interior, interior, type.rank);
  gj_ref args[2] = {ref, rg_start(s, g, type.dtype)};
  gj_graph_append(g, GJ_OP_pad, args, 2, &attrs);
}

// Small whole numbers in a float dtype, so that sums of products are exact.
static inline gj_ref rg_small(rg_stream *s, gj_graph *g, gj_ref ref, int64_t dtype) {
  if (s->rounds)
    return rg_convert(g, ref, dtype);
  gj_type type = {.dtype = GJ_DTYPE_i8};
  signed char mask = 15, half = 8;
  gj_ref few[2] = {rg_convert(g, ref, GJ_DTYPE_i8), gj_graph_const(g, &type, &mask, 1)};
  gj_ref less[2] = {gj_graph_append(g, GJ_OP_and, few, 2, &(gj_attrs){0}),
                    gj_graph_const(g, &type, &half, 1)};
  gj_ref plain = rg_convert(g, gj_graph_append(g, GJ_OP_sub, less, 2, &(gj_attrs){0}), dtype);
  bool special = s->wide && gj_graph_node(g, ref)->type.dtype == (gj_dtype)dtype;
  return special && rg_below(s, 4) == 0 ? rg_with_specials(g, plain, ref) : plain;
}

// A contraction: axes of equal size are paired at random, and each pair is contracted or batched.
static inline void rg_contract(rg_stream *s, gj_graph *g, gj_ref ref) {
  gj_ref args[2] = {ref, rg_pick(s, g)};
  int64_t lists[4][GJ_MAX_RANK], counts[2] = {0, 0};
  gj_dtype dtype = gj_graph_node(g, ref)->type.dtype;
  bool used[GJ_MAX_RANK] = {false};
  if (dtype == GJ_DTYPE_bool)
    dtype = GJ_DTYPE_i32;
  const gj_type *x = &gj_graph_node(g, args[0])->type, *y = &gj_graph_node(g, args[1])->type;
  for (uint8_t i = 0; i < x->rank; i++)
    for (uint8_t k = 0; k < y->rank; k++) {
      if (used[k] || x->shape[i] != y->shape[k] || rg_below(s, 4) == 0)
        continue;
      uint32_t pair = rg_below(s, 3) ? 0 : 2;
      lists[pair][counts[pair / 2]] = i;
      lists[pair + 1][counts[pair / 2]++] = k;
      used[k] = true;
      break;
    }
  for (int a = 0; a < 2; a++)
    args[a] =
        gj_dtype_is_float(dtype) ? rg_small(s, g, args[a], dtype) : rg_convert(g, args[a], dtype);
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_lhs_contract, lists[0], (size_t)counts[0]);
  gj_attrs_set(&attrs, GJ_ATTR_rhs_contract, lists[1], (size_t)counts[0]);
  gj_attrs_set(&attrs, GJ_ATTR_lhs_batch, lists[2], (size_t)counts[1]);
  gj_attrs_set(&attrs, GJ_ATTR_rhs_batch, lists[3], (size_t)counts[1]);
  gj_graph_append(g, GJ_OP_dot_general, args, 2, &attrs);
}

// A sort by one or several operands, some of which only go along, or the first few of one.
static inline void rg_sort(rg_stream *s, gj_graph *g, gj_ref ref) {
  const gj_type type = gj_graph_node(g, ref)->type;
  int64_t axis = type.rank ? rg_below(s, type.rank) : 0, descending = rg_below(s, 2);
  gj_ref args[3] = {ref, rg_partner(s, g, ref), rg_numbers(g, &type, GJ_DTYPE_i64)};
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_axis, &axis, 1);
  gj_attrs_set(&attrs, GJ_ATTR_descending, &descending, 1);
  if (rg_below(s, 3) == 0) {
    int64_t size, count = 0;
    args[1] = args[2];
    if (type.rank && gj_dim_value(gj_graph_dims(g), type.shape[axis], &size))
      count = rg_below_size(s, size + 1);
    gj_attrs_set(&attrs, GJ_ATTR_count, &count, 1);
    rg_result(g, gj_graph_append(g, GJ_OP_top_k, args, 2, &attrs), 1);
    return;
  }
  uint32_t operands = 1 + rg_below(s, 3);
  int64_t keys = 1 + rg_below(s, operands);
  gj_attrs_set(&attrs, GJ_ATTR_keys, &keys, 1);
  gj_ref sorted = gj_graph_append(g, GJ_OP_sort, args, operands, &attrs);
  rg_result(g, sorted, rg_below(s, operands));
}

// Strides, padding and dilations for `axes` axes, mostly plain.
typedef struct rg_slide {
  int64_t window[GJ_MAX_RANK], stride[GJ_MAX_RANK], lo[GJ_MAX_RANK], hi[GJ_MAX_RANK];
  int64_t base[GJ_MAX_RANK], dilation[GJ_MAX_RANK];
} rg_slide;

static inline void rg_slide_attrs(rg_stream *s, rg_slide *w, uint8_t axes, gj_attrs *attrs) {
  for (uint8_t i = 0; i < axes; i++) {
    w->window[i] = 1 + rg_below(s, 4);
    w->stride[i] = 1 + (rg_below(s, 2) ? rg_below(s, 5) : 0);
    w->lo[i] = (int64_t)rg_below(s, 5) - 1;
    w->hi[i] = (int64_t)rg_below(s, 5) - 1;
    w->base[i] = rg_below(s, 4) ? 1 : 1 + rg_below(s, 3);
    w->dilation[i] = rg_below(s, 3) ? 1 : 1 + rg_below(s, 3);
  }
  gj_attrs_set(attrs, GJ_ATTR_stride, w->stride, axes);
  gj_attrs_set(attrs, GJ_ATTR_lo, w->lo, axes);
  gj_attrs_set(attrs, GJ_ATTR_hi, w->hi, axes);
  gj_attrs_set(attrs, GJ_ATTR_base_dilation, w->base, axes);
  gj_attrs_set(attrs, GJ_ATTR_dilation, w->dilation, axes);
}

static inline void rg_slide_window(rg_stream *s, gj_graph *g, gj_ref ref) {
  const gj_type type = gj_graph_node(g, ref)->type;
  static const gj_op ops[] = {GJ_OP_window_sum, GJ_OP_window_max, GJ_OP_window_min,
                              GJ_OP_window_prod};
  gj_op op = ops[rg_below(s, !s->rounds && gj_dtype_is_float(type.dtype) ? 3 : 4)];
  if (op == GJ_OP_window_sum && gj_dtype_is_float(type.dtype))
    ref = rg_small(s, g, ref, type.dtype);
  rg_slide w;
  gj_attrs attrs = {0};
  rg_slide_attrs(s, &w, type.rank, &attrs);
  gj_attrs_set(&attrs, GJ_ATTR_window, w.window, type.rank);
  gj_graph_op(g, op, &ref, 1, &attrs);
}

// `ref` with axes in front as input, and a small constant as kernel.
static inline void rg_conv(rg_stream *s, gj_graph *g, gj_ref ref) {
  const gj_type type = gj_graph_node(g, ref)->type;
  enum { MOST_CHANNELS = 9, MOST_TAPS = 1 << 12 };
  gj_type input = {.dtype = type.dtype}, kernel = {.dtype = type.dtype};
  uint8_t front = type.rank > 4 ? 0 : type.rank < 2 ? 2 : (uint8_t)(1 + rg_below(s, 2));
  for (uint8_t i = 0; i < front + type.rank; i++)
    input.shape[input.rank++] = i < front ? 1 : type.shape[i - front];
  if (input.rank < 3)
    input.shape[input.rank++] = 1;
  int64_t channels = input.shape[1], groups = 1;
  if (type.dtype == GJ_DTYPE_bool || input.rank > 5 || channels < 1 || channels > MOST_CHANNELS)
    return;
  gj_attrs attrs = {0}, reshape = {0};
  rg_slide w;
  rg_slide_attrs(s, &w, (uint8_t)(input.rank - 2), &attrs);
  if (rg_below(s, 2))
    groups = channels % 2 ? channels : 2;
  gj_attrs_set(&attrs, GJ_ATTR_groups, &groups, 1);
  gj_attrs_set(&reshape, GJ_ATTR_shape, input.shape, input.rank);
  kernel.rank = input.rank;
  kernel.shape[0] = groups * (1 + rg_below(s, 10));
  kernel.shape[1] = channels / groups;
  int64_t taps = kernel.shape[0] * kernel.shape[1];
  for (uint8_t i = 2; i < input.rank; i++)
    taps *= kernel.shape[i] = w.window[i - 2];
  unsigned char data[8 * MOST_TAPS];
  if (taps > MOST_TAPS)
    return;
  size_t width = gj_dtype_bytes(type.dtype);
  for (int64_t i = 0; i < taps; i++) {
    gj_scalar tap;
    gj_scalar_from_double(type.dtype, (double)rg_below(s, 6), &tap);
    gj_scalar_store(tap, data + (size_t)i * width);
  }
  gj_ref args[2] = {gj_dtype_is_float(type.dtype) ? rg_small(s, g, ref, type.dtype) : ref,
                    gj_graph_const(g, &kernel, data, (size_t)taps * width)};
  args[0] = gj_graph_append(g, GJ_OP_reshape, args, 1, &reshape);
  gj_graph_append(g, GJ_OP_conv, args, 2, &attrs);
}

static inline void rg_step(rg_stream *s, gj_graph *g);
#include "random_control.h"
#include "random_wide.h"

// Random bits of a constant key, or of one that is computed, in the shape of another value.
static inline void rg_bits(rg_stream *s, gj_graph *g, gj_ref ref) {
  const gj_type type = gj_graph_node(g, ref)->type;
  uint32_t words[2] = {rg_below(s, 1000), (uint32_t)rg_next(s)};
  gj_type pair = {.dtype = GJ_DTYPE_u32, .rank = 1, .shape = {2}};
  gj_ref key = gj_graph_const(g, &pair, words, sizeof words);
  gj_attrs attrs = {0}, none = {0};
  int64_t dtype = rg_below(s, 2) ? GJ_DTYPE_u32 : GJ_DTYPE_u64;
  gj_attrs_set(&attrs, GJ_ATTR_dtype, &dtype, 1);
  gj_attrs_set(&attrs, GJ_ATTR_shape, type.shape, type.rank);
  if (rg_below(s, 2))
    key = gj_graph_append(g, GJ_OP_not, &key, 1, &none);
  gj_graph_append(g, GJ_OP_rng_bits, &key, 1, &attrs);
}

// A vector of a few constants, whatever there is.
static inline void rg_constants(rg_stream *s, gj_graph *g, gj_ref ref) {
  (void)ref;
  unsigned char data[8 * 64];
  gj_type type = {.dtype = rg_dtype(s), .rank = 1, .shape = {1 + rg_below(s, 16)}};
  size_t width = gj_dtype_bytes(type.dtype);
  for (int64_t i = 0; i < type.shape[0]; i++)
    rg_scalar(s, type.dtype, data + (size_t)i * width);
  gj_graph_const(g, &type, data, (size_t)type.shape[0] * width);
}

// A mask for the rows of a value: true where something is not zero, or in a pattern.
static inline gj_ref rg_mask(rg_stream *s, gj_graph *g, gj_ref ref, gj_type type) {
  if (type.rank == 1 && type.dtype == GJ_DTYPE_bool)
    return ref;
  gj_type rows = {.dtype = GJ_DTYPE_i32, .rank = 1, .shape = {type.shape[0]}};
  gj_ref pair[2] = {ref, 0};
  if (type.rank != 1 || rg_below(s, 3) == 0) {
    gj_ref bits[2] = {rg_numbers(g, &rows, GJ_DTYPE_i32),
                      rg_literal(g, GJ_DTYPE_i32, rg_below(s, 8))};
    pair[0] = gj_graph_append(g, GJ_OP_and, bits, 2, NULL);
    type = rows;
  }
  pair[1] = rg_literal(g, type.dtype, rg_below(s, 4));
  return gj_graph_append(g, rg_below(s, 2) ? GJ_OP_ne : GJ_OP_lt, pair, 2, NULL);
}

// Rows that a mask selects, of a value and of others with as many.
static inline void rg_compress(rg_stream *s, gj_graph *g, gj_ref ref) {
  char name[16];
  gj_type type = gj_graph_node(g, ref)->type;
  gj_ref args[4] = {0, ref};
  uint32_t count = 2, most = 2 + rg_below(s, 3);
  gj_attrs attrs = {0};
  if (type.rank == 0 || gj_dims_symbol_count(gj_graph_dims(g)) >= RG_MAX_SYMBOLS)
    return;
  args[0] = rg_mask(s, g, ref, type);
  for (gj_ref other = (gj_ref)gj_graph_node_count(g); other > 0 && count < most; other--) {
    const gj_type *own = &gj_graph_node(g, other)->type;
    if (own->rank > 0 && own->shape[0] == type.shape[0] && rg_below(s, 2))
      args[count++] = other;
  }
  snprintf(name, sizeof name, "k%zu", gj_graph_node_count(g));
  gj_dim symbol = gj_dim_symbol(gj_graph_dims(g), name, strlen(name));
  gj_attrs_set(&attrs, GJ_ATTR_count, &symbol, 1);
  gj_ref made = gj_graph_append(g, GJ_OP_compress, args, count, &attrs);
  rg_results(s, g, made);
}

// One more op or so on a value that is there.
static inline void rg_step(rg_stream *s, gj_graph *g) {
  typedef void maker(rg_stream *, gj_graph *, gj_ref);
  enum { PLAIN = 18, ALL = 26, WIDE = 37 };
  static maker *const makers[WIDE] = {
      rg_elementwise,  rg_elementwise, rg_elementwise, rg_elementwise, rg_elementwise,
      rg_elementwise,  rg_elementwise, rg_elementwise, rg_reduce,      rg_reduce,
      rg_row,          rg_row,         rg_row,         rg_shape_move,  rg_shape_move,
      rg_slice,        rg_window,      rg_join, // the plain ones
      rg_constants,    rg_contract,    rg_indexed,     rg_indexed,     rg_sort,
      rg_slide_window, rg_conv,        rg_bits, // all
      rg_turned,       rg_turned,      rg_turned,      rg_turned,      rg_cumulate,
      rg_cumulate,     rg_moments,     rg_product,     rg_product,     rg_moved,
      rg_moved,
  };
  gj_error refused;
  if (s->computes && rg_below(s, 12) == 0) {
    rg_compress(s, g, rg_pick(s, g));
  } else if (!s->plain && rg_below(s, 32) == 0) {
    rg_control(s, g);
  } else {
    maker *make = makers[rg_below(s, s->plain ? PLAIN : s->wide ? WIDE : ALL)];
    make(s, g, rg_pick(s, g));
  }
  gj_graph_take_error(g, &refused); // what the rules forbid is simply not there
}

// One of the last values that nothing uses, so that most of a graph is needed.
static inline gj_ref rg_unused(rg_stream *s, gj_graph *g) {
  gj_ref count = (gj_ref)gj_graph_node_count(g), skip = rg_below(s, 4), found = count;
  for (gj_ref ref = count; ref > 0; ref--) {
    bool used = false;
    for (gj_ref user = ref + 1; user <= count && !used; user++)
      for (uint32_t a = 0; a < gj_graph_node(g, user)->arg_count; a++)
        used = used || gj_graph_node(g, user)->args[a] == ref;
    if (used)
      continue;
    found = ref;
    if (skip-- == 0)
      break;
  }
  return found;
}

static inline gj_graph *rg_graph(rg_stream *s) {
  gj_graph *g = gj_graph_new("random");
  if (!g)
    return NULL;
  gj_type n = {.dtype = GJ_DTYPE_f32, .rank = 2};
  n.shape[0] = gj_dim_symbol(gj_graph_dims(g), "n", 1);
  n.shape[1] = gj_dim_symbol(gj_graph_dims(g), "m", 1);
  gj_graph_param(g, "binds", &n);
  uint32_t params = 1 + rg_below(s, 4), steps = 4 + rg_below(s, 28), outputs = 1 + rg_below(s, 4);
  if (s->wide) {
    rg_choose_sizes(s);
    steps = 1 + rg_below(s, 16);
  }
  s->marked_count = 0;
  for (uint32_t i = 0; i < params; i++) {
    char name[8] = {'x', (char)('0' + i), 0};
    gj_type type = rg_type(s, g);
    gj_graph_param(g, name, &type);
  }
  gj_error refused; // an input of too many bytes is not there
  gj_graph_take_error(g, &refused);
  for (uint32_t i = 0; i < steps; i++)
    rg_step(s, g);
  for (uint32_t i = 0; i < outputs; i++) {
    char name[8] = {'z', (char)('0' + i), 0};
    gj_graph_set_output(g, name, rg_below(s, 4) ? rg_unused(s, g) : rg_pick(s, g));
  }
  for (uint32_t i = 0; i < s->marked_count; i++) {
    char name[8] = {'y', (char)('0' + i), 0};
    gj_graph_set_output(g, name, s->marked[i]);
  }
  return g;
}

#include "random_run.h"

#endif
