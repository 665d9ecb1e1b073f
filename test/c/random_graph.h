// Random graphs, and the check that every way of computing them agrees.
//
// A stream of bytes decides everything, so a fuzzer can drive it and a seed can repeat it. Only ops
// whose result is exact are used (floats are summed when they are small integers), so results must
// agree to the last bit: reference evaluator, Loop IR evaluator before and after vectorisation,
// first tier, and machine code at two numeric modes. Operands are mostly made to fit; what the
// builder refuses of the rest is skipped, which tests the builder as well. Arrays have canary bytes
// on both sides.
#ifndef GJ_TEST_RANDOM_GRAPH_H
#define GJ_TEST_RANDOM_GRAPH_H

#include "graphjit.h"
#include "interp/interp.h"
#include "lower/pipeline.h"
#include "runtime/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  RG_MAX_PORTS = 16,
  RG_MAX_SYMBOLS = 48,
  RG_CANARY = 64,
  RG_CANARY_BYTE = 0xA5,
  RG_MAX_ELEMENTS = 1 << 14
};

typedef struct rg_stream {
  const unsigned char *bytes; // NULL: numbers come from the state alone
  size_t size, at;
  uint64_t state;
  bool plain;    // only elementwise ops, reductions and movement
  bool computes; // whether graphs may have sizes that a run computes
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

typedef struct rg_case {
  gj_graph *graph;
  int64_t symbols[RG_MAX_SYMBOLS]; // of n and m, then of those that are computed
  int64_t bound[RG_MAX_SYMBOLS];   // what they are before a run
  int64_t most;                    // elements of a value; 0: RG_MAX_ELEMENTS
  int64_t shapes[RG_MAX_PORTS][GJ_MAX_RANK];
  const int64_t *shape_list[RG_MAX_PORTS];
  size_t bytes[RG_MAX_PORTS]; // inputs, then outputs
  unsigned char *memory[RG_MAX_PORTS];
  size_t inputs, outputs;
} rg_case;

// --- building ---

static inline gj_dtype rg_dtype(rg_stream *s) {
  return (gj_dtype)(1 + rg_below(s, GJ_DTYPE_COUNT - 1));
}

static inline gj_dim rg_dim(rg_stream *s, gj_graph *g) {
  static const int sizes[] = {1, 1, 2, 3, 4, 7, 16, 33, 0};
  uint32_t pick = rg_below(s, 14);
  if (pick < 9)
    return gj_dim_const(gj_graph_dims(g), sizes[pick]);
  return gj_dim_symbol(gj_graph_dims(g), pick < 12 ? "n" : "m", 1);
}

static inline gj_type rg_type(rg_stream *s, gj_graph *g) {
  gj_type type = {.dtype = rg_dtype(s), .rank = (uint8_t)rg_below(s, 4)};
  for (uint8_t i = 0; i < type.rank; i++)
    type.shape[i] = rg_dim(s, g);
  return type;
}

static inline gj_ref rg_pick(rg_stream *s, gj_graph *g) {
  size_t count = gj_graph_node_count(g);
  uint32_t recent = rg_below(s, 3);
  if (recent && count > 6)
    return (gj_ref)(count - rg_below(s, 6));
  return (gj_ref)(1 + rg_below(s, (uint32_t)count));
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

static inline gj_op rg_exact_op(rg_stream *s) {
  for (;;) {
    gj_op op = (gj_op)(1 + rg_below(s, GJ_OP_COUNT - 1));
    if (gj_op_is_elementwise(op) && (gj_op_get(op)->flags & GJ_OP_EXACT))
      return op;
  }
}

// One op of operands made to fit; now and then with whatever there is, for the builder to refuse.
static inline void rg_elementwise(rg_stream *s, gj_graph *g, gj_ref ref) {
  gj_op op = rg_exact_op(s);
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

static inline void rg_reduce(rg_stream *s, gj_graph *g, gj_ref ref) {
  static const gj_op ops[] = {GJ_OP_reduce_sum, GJ_OP_reduce_prod, GJ_OP_reduce_min,
                              GJ_OP_reduce_max, GJ_OP_reduce_and,  GJ_OP_reduce_or,
                              GJ_OP_argmin,     GJ_OP_argmax};
  gj_op op = ops[rg_below(s, 8)];
  gj_ref args[2] = {ref, 0};
  const gj_type type = gj_graph_node(g, ref)->type;
  if (op == GJ_OP_reduce_prod && gj_dtype_is_float(type.dtype))
    return;
  if (op == GJ_OP_reduce_sum && gj_dtype_is_float(type.dtype)) // sums of small integers are exact
    args[0] = rg_convert(g, rg_convert(g, args[0], GJ_DTYPE_i8), type.dtype);
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
  gj_ref row = ref;
  if (op == GJ_OP_reduce_sum && gj_dtype_is_float(type.dtype))
    row = rg_convert(g, rg_convert(g, ref, GJ_DTYPE_i8), type.dtype);
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
  number = number ? gj_graph_append(g, GJ_OP_reshape, &number, 1, &keep) : 0;
  gj_ref args[2] = {ref, number};
  if (number)
    gj_graph_op(g, joins[rg_below(s, 4)], args, 2, &(gj_attrs){0});
}

static inline void rg_shape_move(rg_stream *s, gj_graph *g, gj_ref ref) {
  const gj_type type = gj_graph_node(g, ref)->type;
  int64_t list[GJ_MAX_RANK], shape[GJ_MAX_RANK];
  gj_attrs attrs = {0};
  switch (rg_below(s, 4)) {
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
      start[i] = rg_below(s, (uint32_t)size);
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
    shape[i] = known && size > 0 ? 1 + (int64_t)rg_below(s, (uint32_t)size) : type.shape[i];
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
      window[i] = 1 + rg_below(s, (uint32_t)size);
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

// Small whole numbers in the dtype that `ref` has, so that sums of products are exact.
static inline gj_ref rg_small(gj_graph *g, gj_ref ref, int64_t dtype) {
  gj_type type = {.dtype = GJ_DTYPE_i8};
  signed char mask = 15, half = 8;
  gj_ref few[2] = {rg_convert(g, ref, GJ_DTYPE_i8), gj_graph_const(g, &type, &mask, 1)};
  gj_ref less[2] = {gj_graph_append(g, GJ_OP_and, few, 2, &(gj_attrs){0}),
                    gj_graph_const(g, &type, &half, 1)};
  return rg_convert(g, gj_graph_append(g, GJ_OP_sub, less, 2, &(gj_attrs){0}), dtype);
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
        gj_dtype_is_float(dtype) ? rg_small(g, args[a], dtype) : rg_convert(g, args[a], dtype);
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
      count = rg_below(s, (uint32_t)size + 1);
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
  gj_op op = ops[rg_below(s, gj_dtype_is_float(type.dtype) ? 3 : 4)];
  if (op == GJ_OP_window_sum && gj_dtype_is_float(type.dtype))
    ref = rg_small(g, ref, type.dtype);
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
  gj_ref args[2] = {gj_dtype_is_float(type.dtype) ? rg_small(g, ref, type.dtype) : ref,
                    gj_graph_const(g, &kernel, data, (size_t)taps * width)};
  args[0] = gj_graph_append(g, GJ_OP_reshape, args, 1, &reshape);
  gj_graph_append(g, GJ_OP_conv, args, 2, &attrs);
}

static inline void rg_step(rg_stream *s, gj_graph *g);
#include "random_control.h"

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
  enum { PLAIN = 18, ALL = 26 };
  static maker *const makers[ALL] = {
      rg_elementwise,  rg_elementwise, rg_elementwise, rg_elementwise, rg_elementwise,
      rg_elementwise,  rg_elementwise, rg_elementwise, rg_reduce,      rg_reduce,
      rg_row,          rg_row,         rg_row,         rg_shape_move,  rg_shape_move,
      rg_slice,        rg_window,      rg_join, // the plain ones
      rg_constants,    rg_contract,    rg_indexed,     rg_indexed,     rg_sort,
      rg_slide_window, rg_conv,        rg_bits,
  };
  gj_error refused;
  if (s->computes && rg_below(s, 12) == 0) {
    rg_compress(s, g, rg_pick(s, g));
  } else if (!s->plain && rg_below(s, 32) == 0) {
    rg_control(s, g);
  } else {
    maker *make = makers[rg_below(s, s->plain ? PLAIN : ALL)];
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
  for (uint32_t i = 0; i < params; i++) {
    char name[8] = {'x', (char)('0' + i), 0};
    gj_type type = rg_type(s, g);
    gj_graph_param(g, name, &type);
  }
  for (uint32_t i = 0; i < steps; i++)
    rg_step(s, g);
  for (uint32_t i = 0; i < outputs; i++) {
    char name[8] = {'z', (char)('0' + i), 0};
    gj_graph_set_output(g, name, rg_below(s, 4) ? rg_unused(s, g) : rg_pick(s, g));
  }
  return g;
}

// --- running ---

static inline unsigned char *rg_allocate(size_t bytes) {
  unsigned char *memory = aligned_alloc(64, (bytes + 2 * RG_CANARY + 63) & ~(size_t)63);
  if (memory)
    memset(memory, RG_CANARY_BYTE, bytes + 2 * RG_CANARY);
  return memory;
}

static inline bool rg_canaries_stand(const unsigned char *memory, size_t bytes) {
  for (size_t i = 0; i < RG_CANARY; i++)
    if (memory[i] != RG_CANARY_BYTE || memory[RG_CANARY + bytes + i] != RG_CANARY_BYTE)
      return false;
  return true;
}

static inline void rg_free(rg_case *c) {
  for (size_t i = 0; i < RG_MAX_PORTS; i++)
    free(c->memory[i]);
  gj_graph_free(c->graph);
}

// Bytes of a value for these symbols, sizes that are computed at their most; 0 elements is fine,
// too many is false.
static inline bool rg_bytes(const rg_case *c, const gj_graph *g, gj_ref ref, int64_t *shape,
                            size_t *out_bytes) {
  const gj_node *node = gj_graph_node(g, ref);
  int64_t elements = 1;
  for (uint8_t i = 0; i < node->type.rank; i++) {
    int64_t least;
    if (!gj_dim_range(gj_graph_dims(c->graph), node->type.shape[i], c->symbols, &least, &shape[i]))
      return false;
    elements *= shape[i];
    if (shape[i] < 0 || elements > (c->most ? c->most : RG_MAX_ELEMENTS))
      return false;
  }
  *out_bytes = (size_t)elements * gj_dtype_bytes(node->type.dtype);
  return true;
}

static inline bool rg_all_small(const rg_case *c, const gj_graph *g) {
  int64_t ignored[GJ_MAX_RANK];
  size_t bytes;
  for (gj_ref ref = 1; ref <= gj_graph_node_count(g); ref++)
    if (!rg_bytes(c, g, ref, ignored, &bytes))
      return false;
  return true;
}

// Arrays for the values that the symbols have, inputs filled at random.
static inline bool rg_fill(rg_case *c, rg_stream *s) {
  c->inputs = gj_graph_input_count(c->graph);
  c->outputs = gj_graph_output_count(c->graph);
  if (!rg_all_small(c, c->graph))
    return false;
  for (size_t i = 0; i < gj_graph_function_count(c->graph); i++)
    if (!rg_all_small(c, gj_graph_function(c->graph, i)))
      return false;
  for (size_t i = 0; i < c->inputs + c->outputs; i++) {
    bool input = i < c->inputs;
    gj_ref ref =
        input ? gj_graph_input(c->graph, i) : gj_graph_output(c->graph, i - c->inputs)->ref;
    if (!rg_bytes(c, c->graph, ref, c->shapes[i], &c->bytes[i]))
      return false;
    c->shape_list[i] = c->shapes[i];
    c->memory[i] = rg_allocate(c->bytes[i]);
    gj_dtype dtype = gj_graph_node(c->graph, ref)->type.dtype;
    for (size_t at = 0; input && at < c->bytes[i]; at += gj_dtype_bytes(dtype))
      rg_scalar(s, dtype, c->memory[i] + RG_CANARY + at);
  }
  return true;
}

static inline bool rg_prepare(rg_case *c, rg_stream *s) {
  static const int64_t sizes[] = {0, 1, 2, 5, 8, 13, 31, 64};
  c->symbols[0] = sizes[rg_below(s, 8)];
  c->symbols[1] = sizes[rg_below(s, 8)];
  return rg_fill(c, s);
}

// Fresh output arrays; pointers to all buffers in `buffers`.
static inline void rg_outputs(const rg_case *c, unsigned char **fresh, void **buffers) {
  for (size_t i = 0; i < c->inputs + c->outputs; i++) {
    fresh[i] = i < c->inputs ? NULL : rg_allocate(c->bytes[i]);
    buffers[i] = (fresh[i] ? fresh[i] : c->memory[i]) + RG_CANARY;
  }
}

// Bytes of an output for the sizes that a run has computed.
static inline size_t rg_used(const rg_case *c, gj_ref ref, const int64_t *symbols) {
  const gj_type *type = &gj_graph_node(c->graph, ref)->type;
  int64_t elements = 1, size = 0;
  for (uint8_t i = 0; i < type->rank; i++)
    elements *= gj_dim_eval(gj_graph_dims(c->graph), type->shape[i], symbols, &size) ? size : 0;
  return (size_t)elements * gj_dtype_bytes(type->dtype);
}

// True when output arrays and computed sizes agree with those of the reference. Prints the first
// difference.
static inline bool rg_agree(const rg_case *c, unsigned char **fresh, const int64_t *symbols,
                            const char *who) {
  bool ok = true;
  for (size_t i = c->inputs; i < c->inputs + c->outputs; i++) {
    const gj_output *output = gj_graph_output(c->graph, i - c->inputs);
    gj_dtype dtype = gj_graph_node(c->graph, output->ref)->type.dtype;
    size_t width = gj_dtype_bytes(dtype), used = rg_used(c, output->ref, c->symbols);
    if (used != rg_used(c, output->ref, symbols)) {
      printf("%s: %s has %zu bytes, but should have %zu\n", who, output->name,
             rg_used(c, output->ref, symbols), used);
      ok = false;
    }
    for (size_t at = 0; ok && at < used; at += width) {
      gj_scalar want = gj_scalar_load(dtype, c->memory[i] + RG_CANARY + at);
      gj_scalar got = gj_scalar_load(dtype, fresh[i] + RG_CANARY + at);
      if (gj_scalar_same_bits(want, got))
        continue;
      printf("%s: %s[%zu] : %s differs: want %.17g (%llx), got %.17g (%llx)\n", who, output->name,
             at / width, gj_dtype_name(dtype),
             gj_dtype_is_float(dtype) ? want.v.f : (double)want.v.i, (unsigned long long)want.v.u,
             gj_dtype_is_float(dtype) ? got.v.f : (double)got.v.i, (unsigned long long)got.v.u);
      ok = false;
    }
    if (!rg_canaries_stand(fresh[i], c->bytes[i])) {
      printf("%s: bytes around %s were overwritten\n", who, output->name);
      ok = false;
    }
  }
  for (size_t i = c->inputs; i < c->inputs + c->outputs; i++)
    free(fresh[i]);
  return ok;
}

static inline bool rg_complain(const char *who, const gj_error *err) {
  printf("%s: %s (%s)\n", who, err->message, gj_status_name(err->code));
  return false;
}

// `piece_ns` 1 divides every kernel as finely as can be.
static inline bool rg_run_loops(const rg_case *c, gj_loops_machine machine, unsigned piece_ns) {
  gj_error err;
  gj_pipeline p;
  gj_pipeline_options options = {.machine = machine, .piece_ns = piece_ns};
  const char *who = machine.masked         ? "masked loops"
                    : machine.vector_bytes ? "vectorised loops"
                                           : "loops";
  if (gj_pipeline_run(c->graph, &options, &p, &err) != GJ_OK)
    return rg_complain(who, &err);
  unsigned char *fresh[RG_MAX_PORTS];
  void *buffers[RG_MAX_PORTS];
  int64_t scratch = 0;
  int64_t dims[RG_MAX_SYMBOLS];
  memcpy(dims, c->bound, sizeof dims);
  gj_dim_eval(gj_graph_dims(p.graph), p.scratch_bytes, dims, &scratch);
  rg_outputs(c, fresh, buffers);
  gj_leval args = {.buffers = buffers,
                   .buffer_sizes = c->bytes,
                   .buffer_count = c->inputs + c->outputs,
                   .dims = dims,
                   .dim_count = RG_MAX_SYMBOLS,
                   .scratch = aligned_alloc(64, (size_t)scratch + 64),
                   .scratch_size = (size_t)scratch,
                   .slots = 3};
  int32_t status = 0;
  gj_status result = gj_lmodule_eval(p.lowered.module, &args, &status, &err);
  free(args.scratch);
  gj_pipeline_fini(&p);
  bool ok = rg_agree(c, fresh, dims, who);
  return result == GJ_OK ? ok && status == 0 : rg_complain(who, &err);
}

// A pool larger than the machine, so that many threads meet.
static inline gj_pool *rg_pool(void) {
  static gj_pool *pool;
  if (!pool)
    pool = gj_pool_new(8);
  return pool;
}

// The first tier on the loops as they are lowered.
static inline bool rg_run_interp(const rg_case *c, bool strict) {
  gj_error err;
  gj_pipeline p;
  gj_pipeline_options options = {.poll = true, .piece_ns = strict ? 1 : 0}; // divided, or whole
  gj_interp *interp = NULL;
  const gj_block_set *set = gj_block_set_choose(strict);
  const char *who = "first tier";
  if (!set)
    return true; // a machine for which nothing was built
  if (gj_pipeline_run(c->graph, &options, &p, &err) != GJ_OK)
    return rg_complain(who, &err);
  int64_t scratch = 0;
  gj_dim_eval(gj_graph_dims(p.graph), p.scratch_bytes, c->symbols, &scratch);
  bool ok = gj_interp_new(p.lowered.module, set, &interp, &err) == GJ_OK || rg_complain(who, &err);
  if (ok) {
    unsigned char *fresh[RG_MAX_PORTS];
    void *buffers[RG_MAX_PORTS];
    void *memory = aligned_alloc(64, ((size_t)scratch + 127) & ~(size_t)63);
    gj_pool_exec run = gj_pool_exec_make(strict ? 3 : 1, memory, NULL);
    run.pool = rg_pool();
    int64_t dims[RG_MAX_SYMBOLS];
    memcpy(dims, c->bound, sizeof dims);
    rg_outputs(c, fresh, buffers);
    ok = gj_interp_run(interp, buffers, dims, &run.exec) == GJ_RUN_OK;
    ok = rg_agree(c, fresh, dims, who) && ok;
    free(memory);
  }
  gj_interp_free(interp);
  gj_pipeline_fini(&p);
  return ok;
}

// One run on so many threads; 0: by gj_program_run().
static inline bool rg_run_once(const rg_case *c, const gj_program *program,
                               const gj_binding *binding, unsigned threads, const char *who) {
  gj_error err;
  unsigned char *fresh[RG_MAX_PORTS];
  void *buffers[RG_MAX_PORTS];
  rg_outputs(c, fresh, buffers);
  bool ok;
  int64_t dims[RG_MAX_SYMBOLS];
  memcpy(dims, c->bound, sizeof dims);
  if (threads == 0) {
    ok = gj_program_run_sizes(program, binding, buffers, NULL, NULL, dims, &err) == GJ_OK ||
         rg_complain(who, &err);
  } else {
    void *scratch = aligned_alloc(64, (binding->scratch_bytes + 64) & ~(size_t)63);
    gj_pool_exec run = gj_pool_exec_make(threads, scratch, NULL);
    run.pool = rg_pool();
    ok = gj_program_entry(program)(buffers, dims, &run.exec) == 0;
    free(scratch);
  }
  ok = rg_agree(c, fresh, dims, who) && ok;
  if (!ok)
    printf("on %u threads\n", threads);
  return ok;
}

static inline bool rg_run_program(const rg_case *c, gj_numerics numerics) {
  gj_error err;
  gj_program *program = NULL;
  gj_binding *binding = NULL;
  const char *who = numerics == GJ_NUMERICS_STRICT ? "strict code" : "code";
  gj_compile_options options = {.numerics = numerics,
                                .opt_level = numerics == GJ_NUMERICS_STRICT ? 1 : 3,
                                .threads = 8,
                                .piece_ns = 1};
  if (gj_program_compile(c->graph, &options, &program, &err) != GJ_OK)
    return rg_complain(who, &err);
  bool ok =
      gj_program_bind(program, c->shape_list, &binding, &err) == GJ_OK || rg_complain(who, &err);
  static const unsigned threads[] = {0, 1, 2, 3, 8};
  for (size_t i = 0; i < sizeof threads / sizeof *threads && ok; i++)
    ok = rg_run_once(c, program, binding, threads[i], who);
  gj_binding_free(binding);
  gj_program_free(program);
  return ok;
}

// True when all ways agree on a case that is filled; frees it.
static inline bool rg_compare(rg_case *c) {
  gj_error err;
  bool ok = true;
  void *outputs[RG_MAX_PORTS];
  const void *inputs[RG_MAX_PORTS];
  for (size_t i = 0; i < c->inputs; i++)
    inputs[i] = c->memory[i] + RG_CANARY;
  for (size_t i = 0; i < c->outputs; i++)
    outputs[i] = c->memory[c->inputs + i] + RG_CANARY;
  memcpy(c->bound, c->symbols, sizeof c->bound);
  if (gj_graph_eval(c->graph, c->symbols, inputs, outputs, &err) != GJ_OK)
    ok = rg_complain("reference", &err);
  ok = ok && rg_run_interp(c, false) && rg_run_interp(c, true) &&
       rg_run_loops(c, (gj_loops_machine){0}, 0) &&
       rg_run_loops(c, (gj_loops_machine){.vector_bytes = 16}, 1) &&
       rg_run_loops(c, (gj_loops_machine){.vector_bytes = 32, .masked = 4 | 8}, 0) &&
       rg_run_loops(c,
                    (gj_loops_machine){.vector_bytes = 64,
                                       .masked = 1 | 2 | 4 | 8,
                                       .cheap_masks = true,
                                       .stream_bytes = 64},
                    1) &&
       rg_run_program(c, GJ_NUMERICS_DEFAULT) && rg_run_program(c, GJ_NUMERICS_STRICT);
  if (!ok) {
    gj_strbuf text = {0};
    gj_graph_print(c->graph, &text);
    printf("n = %lld, m = %lld\n%s\n", (long long)c->symbols[0], (long long)c->symbols[1],
           gj_strbuf_peek(&text));
    gj_strbuf_fini(&text);
  }
  rg_free(c);
  return ok;
}

// Runs a graph, which is freed. True when all agree (or it has sizes that do not fit together).
static inline bool rg_check_graph(gj_graph *graph, rg_stream *s) {
  rg_case c = {.graph = graph};
  gj_error err;
  // What depends on computed sizes may be refused as a whole.
  bool possible =
      graph && (!gj_graph_computes_sizes(graph) || gj_graph_verify(graph, &err) == GJ_OK);
  if (possible && rg_prepare(&c, s) &&
      gj_graph_bind(c.graph, c.shape_list, c.symbols, &err) == GJ_OK)
    return rg_compare(&c);
  rg_free(&c);
  return true;
}

// Builds and runs one case.
static inline bool rg_check(rg_stream *s) { return rg_check_graph(rg_graph(s), s); }

#endif
