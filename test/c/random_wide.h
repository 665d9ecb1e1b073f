// The wide kind of random graphs: sizes at the edges of every block that a kernel has, on any axis,
// static or bound by a run; infinities, NaN and subnormal numbers in sums; values that are read
// under another shape or along another axis while they are outputs themselves. See random_graph.h,
// which includes this.
#ifndef GJ_TEST_RANDOM_WIDE_H
#define GJ_TEST_RANDOM_WIDE_H

// --- sizes ---

// Below, at and above the sizes of blocks, and primes between them: vectors of 4 to 64 elements,
// tiles of 8 to 32, packed rows (192) and columns (256) of products, windows of a scatter, segments
// of 64 and 1024, panels of columns (512 and 1024), blocks of 2048, 4096 and 8192, polls of sorts
// (16384), strips of 65536. The size itself is there as often as both of its neighbours.
static inline int64_t rg_size_of(rg_stream *s, unsigned scale) {
  static const int64_t tiny[] = {0, 1, 1, 2, 2, 3},
                       primes[][7] = {{5, 7, 11, 13, 19, 23, 29},
                                      {37, 47, 61, 89, 97, 131, 151},
                                      {251, 509, 769, 1021, 1031, 1543, 2039},
                                      {4099, 6151, 8191, 10007, 32749, 65521, 70001}},
                       blocks[][7] = {{4, 8, 16, 24, 4, 8, 16},
                                      {32, 48, 64, 96, 128, 192, 64},
                                      {256, 512, 1024, 1536, 2048, 1024, 256},
                                      {4096, 8192, 16384, 32768, 65536, 4096, 12288}};
  if (scale == 0)
    return tiny[rg_below(s, 6)];
  if (rg_below(s, 4) == 0)
    return primes[scale - 1][rg_below(s, 7)];
  int64_t block = blocks[scale - 1][rg_below(s, 7)];
  uint32_t beside = rg_below(s, 4);
  return beside < 2 ? block : beside == 2 ? block - 1 : block + 1;
}

// Of a symbol, or on its own: mostly small.
static inline int64_t rg_wide_size(rg_stream *s) {
  static const unsigned char scales[16] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4};
  return rg_size_of(s, scales[rg_below(s, 16)]);
}

// A graph has few sizes of its own, so that its values fit together; one of them may be long.
static inline void rg_choose_sizes(rg_stream *s) {
  s->sizes[0] = rg_size_of(s, rg_below(s, 2));
  s->sizes[1] = rg_size_of(s, rg_below(s, 3));
  s->sizes[2] = rg_wide_size(s);
}

static inline gj_dim rg_wide_dim(rg_stream *s, gj_graph *g) {
  gj_dims *dims = gj_graph_dims(g);
  uint32_t pick = rg_below(s, 16);
  if (pick < 9)
    return gj_dim_const(dims, pick < 2 ? 1 : s->sizes[(pick - 2) % 3]);
  if (pick == 9)
    return gj_dim_const(dims, rg_size_of(s, rg_below(s, 2)));
  return gj_dim_symbol(dims, pick < 13 ? "n" : "m", 1);
}

// --- data ---

// The numbers of an input follow from `data` and its name alone, so that a graph that was made
// smaller still has the same ones. Each input has a manner: whole numbers, some odd ones among
// them, any bits, or mostly what is special. Inputs called s… have small whole numbers.
static inline rg_stream rg_data_stream(uint64_t data, const char *name) {
  uint64_t state = data;
  for (; *name; name++)
    state = (state ^ (unsigned char)*name) * UINT64_C(0x100000001B3);
  return (rg_stream){.state = state * UINT64_C(0x9E3779B97F4A7C15) | 1};
}

static inline void rg_datum(rg_stream *s, unsigned manner, gj_dtype dtype, void *out) {
  // Subnormal and least normal numbers of every dtype, and the greatest.
  static const double special[] = {
      NAN,       -NAN,       INFINITY,    -INFINITY, 0.0,       -0.0,       0x1p-1074, 1e-310,
      0x1p-1022, -0x1p-149,  0x1.8p-127,  0x1p-126,  -0x1p-133, -0x1.8p-24, 0x1p-14,   -0x1p-16,
      65504,     0x1.8p1023, -0x1.fep127, 0x1p127,   -0.0,      -INFINITY,  NAN,       -0x1p-1022};
  gj_scalar value;
  if (dtype == GJ_DTYPE_bool || manner > 3) {
    rg_scalar(s, dtype, out);
  } else if (manner == 0) {
    gj_scalar_from_double(dtype, (double)rg_below(s, 9) - (gj_op_takes(GJ_OP_neg, dtype) ? 4 : 0),
                          &value);
    gj_scalar_store(value, out);
  } else if (manner == 1) {
    uint64_t bits = rg_next(s) * UINT64_C(0x9E3779B97F4A7C15) ^ rg_next(s);
    memcpy(out, &bits, gj_dtype_bytes(dtype));
  } else if (gj_dtype_is_float(dtype) && rg_below(s, manner == 2 ? 2 : 64) == 0) {
    value = (gj_scalar){.dtype = dtype, .v.f = gj__scalar_nearest(dtype, special[rg_below(s, 24)])};
    gj_scalar_store(value, out);
  } else {
    rg_scalar(s, dtype, out);
  }
}

// --- steps ---

static inline gj_ref rg_unary(gj_graph *g, gj_op op, gj_ref ref) {
  return ref ? gj_graph_append(g, op, &ref, 1, &(gj_attrs){0}) : 0;
}

// `plain`, but what `ref` has of infinities and NaN.
static inline gj_ref rg_with_specials(gj_graph *g, gj_ref plain, gj_ref ref) {
  gj_ref args[3] = {rg_unary(g, GJ_OP_is_finite, ref), plain, ref};
  return gj_graph_append(g, GJ_OP_select, args, 3, &(gj_attrs){0});
}

// What may be multiplied in any order and is exact: -1, 0 and 1, and what is no number.
static inline gj_ref rg_factor(rg_stream *s, gj_graph *g, gj_ref ref) {
  gj_dtype dtype = gj_graph_node(g, ref)->type.dtype;
  if (s->rounds || !gj_dtype_is_float(dtype))
    return ref;
  gj_ref sign = rg_unary(g, GJ_OP_sign, ref);
  return rg_below(s, 4) ? sign : rg_with_specials(g, sign, ref);
}

// A value that may be an output.
static inline void rg_mark(rg_stream *s, const gj_graph *g, gj_ref ref) {
  if (ref && !gj_graph_is_function(g) && s->marked_count < RG_MAX_MARKED && rg_below(s, 2))
    s->marked[s->marked_count++] = ref;
}

// A running value, and what it comes to beside its operand.
static inline void rg_cumulate(rg_stream *s, gj_graph *g, gj_ref ref) {
  static const gj_op ops[] = {GJ_OP_cumulate_sum, GJ_OP_cumulate_prod, GJ_OP_cumulate_min,
                              GJ_OP_cumulate_max};
  const gj_type type = gj_graph_node(g, ref)->type;
  gj_op op = ops[rg_below(s, 4)];
  int64_t axis = type.rank ? rg_below(s, type.rank) : 0;
  if (op == GJ_OP_cumulate_sum)
    ref = rg_summand(s, g, ref);
  if (op == GJ_OP_cumulate_prod)
    ref = rg_factor(s, g, ref);
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_axis, &axis, 1);
  gj_ref made = ref ? gj_graph_append(g, op, &ref, 1, &attrs) : 0;
  rg_mark(s, g, made);
  if (made && rg_below(s, 2))
    rg_mark(s, g, gj_graph_op(g, GJ_OP_max, (gj_ref[2]){made, ref}, 2, &(gj_attrs){0}));
}

static inline void rg_moments(rg_stream *s, gj_graph *g, gj_ref ref) {
  const gj_type type = gj_graph_node(g, ref)->type;
  int64_t axes[GJ_MAX_RANK];
  size_t count = 0;
  for (int64_t i = 0; i < type.rank; i++)
    if (rg_below(s, 2))
      axes[count++] = i;
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_axes, axes, count);
  if (s->rounds && gj_dtype_is_float(type.dtype))
    rg_result(g, gj_graph_append(g, GJ_OP_reduce_moments, &ref, 1, &attrs), 1);
}

// `ref` over new axes at any places, of size 1 or not, and wider where it has size 1.
static inline gj_ref rg_spread(rg_stream *s, gj_graph *g, gj_ref ref) {
  const gj_type type = gj_graph_node(g, ref)->type;
  int64_t shape[GJ_MAX_RANK], axes[GJ_MAX_RANK];
  uint8_t rank = 0;
  for (uint8_t i = 0; i <= type.rank; i++) {
    while (rank + type.rank - i < 4 && rg_below(s, 3) == 0)
      shape[rank++] = rg_below(s, 2) ? 1 : rg_wide_dim(s, g);
    if (i == type.rank)
      break;
    axes[i] = rank;
    shape[rank++] = type.shape[i] == 1 && rg_below(s, 3) == 0 ? rg_wide_dim(s, g) : type.shape[i];
  }
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_shape, shape, rank);
  gj_attrs_set(&attrs, GJ_ATTR_axes, axes, type.rank);
  return gj_graph_append(g, GJ_OP_broadcast, &ref, 1, &attrs);
}

// Numbers of a shape that differ along all axes.
static inline gj_ref rg_matrix(rg_stream *s, gj_graph *g, gj_dtype dtype, const gj_dim *shape,
                               uint8_t rank) {
  gj_type type = {.dtype = GJ_DTYPE_i32, .rank = rank};
  memcpy(type.shape, shape, rank * sizeof *shape);
  gj_ref pair[2] = {rg_numbers(g, &type, GJ_DTYPE_i32),
                    rg_literal(g, GJ_DTYPE_i32, 1 + (int64_t)rg_below(s, 100))};
  gj_ref mixed = pair[0] ? gj_graph_append(g, GJ_OP_mul, pair, 2, &(gj_attrs){0}) : 0;
  gj_ref value = mixed ? rg_small(s, g, mixed, dtype) : 0;
  return s->rounds && value ? rg_unary(g, GJ_OP_sin, value) : value;
}

// A product of matrices with sizes at the edges of tiles, either side transposed or not, in batches
// or not, with something done to its result.
static inline void rg_product(rg_stream *s, gj_graph *g, gj_ref ref) {
  static const gj_dtype dtypes[] = {GJ_DTYPE_f32, GJ_DTYPE_f64, GJ_DTYPE_f32,
                                    GJ_DTYPE_f16, GJ_DTYPE_i32, GJ_DTYPE_bf16};
  gj_dtype dtype = dtypes[rg_below(s, s->rounds ? 4 : 6)];
  uint32_t front = rg_below(s, 4) == 0;
  gj_dim rows = rg_wide_dim(s, g), columns = rg_wide_dim(s, g), terms = rg_wide_dim(s, g);
  gj_dim batch = rg_size_of(s, 0);
  bool left = rg_below(s, 2), right = rg_below(s, 2);
  gj_dim x[3] = {batch, left ? terms : rows, left ? rows : terms};
  gj_dim y[3] = {batch, right ? columns : terms, right ? terms : columns};
  gj_ref args[2] = {rg_matrix(s, g, dtype, x + 1 - front, (uint8_t)(2 + front)),
                    rg_matrix(s, g, dtype, y + 1 - front, (uint8_t)(2 + front))};
  int64_t first[1] = {0}, over[2] = {front + !left, front + right};
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_lhs_contract, &over[0], 1);
  gj_attrs_set(&attrs, GJ_ATTR_rhs_contract, &over[1], 1);
  gj_attrs_set(&attrs, GJ_ATTR_lhs_batch, first, front);
  gj_attrs_set(&attrs, GJ_ATTR_rhs_batch, first, front);
  gj_ref made = args[0] && args[1] ? gj_graph_append(g, GJ_OP_dot_general, args, 2, &attrs) : 0;
  if (!made)
    return;
  gj_ref pair[2] = {made, rg_below(s, 2) ? rg_convert(g, rg_partner(s, g, made), dtype) : made};
  rg_mark(s, g, made);
  if (pair[1] && rg_below(s, 2)) {
    gj_op op = rg_below(s, 2) ? GJ_OP_add : GJ_OP_max;
    rg_mark(s, g, gj_graph_op(g, op, pair, 2, &(gj_attrs){0}));
  }
  (void)ref;
}

// Moves of one kind on top of each other, and what they lead to in a product.
static inline void rg_moved(rg_stream *s, gj_graph *g, gj_ref ref) {
  unsigned kind = rg_below(s, RG_MOVES + 2);
  for (uint32_t times = 2 + rg_below(s, 2); times > 0; times--) {
    size_t before = gj_graph_node_count(g);
    if (kind < RG_MOVES)
      rg_shape_move_of(s, g, ref, kind);
    else
      rg_slice(s, g, ref);
    if (gj_graph_node_count(g) == before)
      return;
    ref = (gj_ref)gj_graph_node_count(g);
  }
  if (rg_below(s, 2))
    rg_contract(s, g, ref);
}

// A value, what it comes to along some axes, and that along others again: each may be an output, so
// that kernels have several results at different places of their space.
static inline void rg_turned(rg_stream *s, gj_graph *g, gj_ref ref) {
  static const gj_op ops[] = {GJ_OP_reduce_sum, GJ_OP_reduce_max, GJ_OP_reduce_min,
                              GJ_OP_reduce_prod};
  const gj_type type = gj_graph_node(g, ref)->type;
  if (type.rank == 0 || type.dtype == GJ_DTYPE_bool)
    return;
  gj_ref pair[2] = {ref, rg_partner(s, g, ref)};
  pair[1] = rg_convert(g, pair[1], type.dtype);
  gj_ref own = pair[1] && rg_below(s, 2) ? gj_graph_op(g, GJ_OP_max, pair, 2, &(gj_attrs){0}) : ref;
  if (!own)
    return;
  const gj_type all = gj_graph_node(g, own)->type;
  int64_t axes[GJ_MAX_RANK];
  uint8_t from = (uint8_t)rg_below(s, all.rank);
  size_t count = 0;
  for (uint8_t i = 0; i < all.rank; i++)
    if (rg_below(s, 4) ? i >= from : rg_below(s, 2))
      axes[count++] = i;
  gj_op op = ops[rg_below(s, 4)];
  gj_ref row = op == GJ_OP_reduce_sum    ? rg_summand(s, g, own)
               : op == GJ_OP_reduce_prod ? rg_factor(s, g, own)
                                         : own;
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_axes, axes, count);
  gj_ref number = row ? gj_graph_append(g, op, &row, 1, &attrs) : 0;
  gj_ref turned = number ? rg_spread(s, g, number) : 0;
  rg_mark(s, g, own);
  rg_mark(s, g, number);
  rg_mark(s, g, turned);
  gj_ref join[2] = {turned, rg_below(s, 2) ? own : turned};
  if (turned && rg_below(s, 2))
    rg_mark(s, g, gj_graph_op(g, rg_below(s, 2) ? GJ_OP_sub : GJ_OP_min, join, 2, &(gj_attrs){0}));
}

#endif
