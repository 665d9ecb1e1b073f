// Reductions: running values, and how elements join them.
//
// Most are one number. A sum of f32 runs in f64, whose digits are enough for any number of
// elements, and so does a product. A sum of f64 is a pair (high, low): Knuth's TwoSum (The Art of
// Computer Programming, vol. 2, section 4.2.2, theorem B) finds what an addition to `high` loses,
// and `low` gathers it (Ogita, Rump, Oishi, Accurate sum and dot product, SIAM J. Sci. Comput. 26,
// 2005, algorithm 4.4); where sums may lose digits it is one number too. A bool
// runs as a byte. argmin and argmax are a value and its index.
#include "lower/kernels/reduce/reduce.h"

// --- small parts ---

static const gj_lexpr *as_unsigned(gj__lower *l, const gj_lexpr *a) {
  gj_dtype wide = gj_dtype_bytes((gj_dtype)a->type.dtype) == 8 ? GJ_DTYPE_u64 : GJ_DTYPE_u32;
  return a->type.dtype == wide ? a : gj_lx_op(l->m, GJ_OP_bitcast, &a, 1, wide);
}

static const gj_lexpr *both(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(l->m, GJ_OP_and, a, b);
}

static const gj_lexpr *either(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(l->m, GJ_OP_or, a, b);
}

static gj_scalar converted(gj_scalar value, gj_dtype to) {
  return value.dtype == to ? value : gj_scalar_eval(GJ_OP_convert, &value, to);
}

static gj_dtype index_dtype(const gj__reducer *r) {
  return gj_graph_node(r->l->graph, r->index)->type.dtype;
}

// argmin and argmax: is `a` better than `b`? A strictly better value is, a NaN is better than a
// number, and of equals the lower index, compared as unsigned so that the start index -1 loses to
// all.
static const gj_lexpr *is_better(const gj__reducer *r, gj__element a, gj__element b) {
  gj__lower *l = r->l;
  const gj_lexpr *yes = gj_lx_binary(l->m, r->combine, a.v, b.v);
  const gj_lexpr *tie = gj_lx_binary(l->m, GJ_OP_eq, a.v, b.v);
  if (gj_dtype_is_float(r->acc)) {
    const gj_lexpr *a_nan = gj_lx_unary(l->m, GJ_OP_is_nan, a.v);
    const gj_lexpr *b_nan = gj_lx_unary(l->m, GJ_OP_is_nan, b.v);
    yes = either(l, yes, both(l, a_nan, gj_lx_unary(l->m, GJ_OP_not, b_nan)));
    tie = either(l, tie, both(l, a_nan, b_nan));
  }
  const gj_lexpr *lower = gj_lx_binary(l->m, GJ_OP_lt, as_unsigned(l, a.i), as_unsigned(l, b.i));
  return either(l, yes, both(l, tie, lower));
}

// a + b as a rounded sum and what it lost.
static const gj_lexpr *two_sum(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b,
                               const gj_lexpr **out_lost) {
  const gj_lexpr *sum = gj__let(l, "sum", gj__add(l, a, b));
  const gj_lexpr *moved = gj__let(l, "moved", gj__sub(l, sum, a));
  *out_lost = gj__add(l, gj__sub(l, a, gj__sub(l, sum, moved)), gj__sub(l, b, moved));
  return sum;
}

// --- reducers and their elements ---

// Whether it is a sum of ones.
static bool is_count(const gj__lower *l, const gj__reducer *r) {
  const gj_node *arg = gj_graph_node(l->graph, r->arg);
  gj_scalar one;
  return r->combine == GJ_OP_add && arg->op == GJ_OP_const &&
         arg->data_size == gj_dtype_bytes(arg->type.dtype) &&
         gj_scalar_from_double(arg->type.dtype, 1, &one) &&
         gj_scalar_same_bits(gj_scalar_load(arg->type.dtype, arg->data), one);
}

void gj__reducer_init(gj__reducer *r, gj__lower *l, gj_ref ref) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  const gj_op_info *info = gj_op_get((gj_op)node->op);
  *r = (gj__reducer){.l = l, .op = (gj_op)node->op, .combine = (gj_op)info->combine};
  r->arg = node->args[0];
  r->index = node->arg_count == 2 ? node->args[1] : 0;
  r->from = r->acc = r->dtype = node->type.dtype;
  r->counts = is_count(l, r);
  r->wants_value = true;
  bool rounds = r->combine == GJ_OP_add || r->combine == GJ_OP_mul;
  if (info->flags & GJ_OP_TWO) {
    r->fold = GJ__FOLD_MOMENTS;
    r->from = r->acc = GJ_DTYPE_f64;
    r->counts = false;
  } else if (r->index)
    r->fold = GJ__FOLD_INDEXED;
  else if (r->from == GJ_DTYPE_bool)
    r->acc = GJ_DTYPE_u8;
  else if (r->from == GJ_DTYPE_f32 && rounds)
    r->acc = GJ_DTYPE_f64;
  else if (r->from == GJ_DTYPE_f64 && r->combine == GJ_OP_add && !l->reassociate)
    r->fold = GJ__FOLD_PAIR;
  r->start = converted(gj_scalar_start((gj_start)info->start, r->dtype), r->acc);
}

const gj_lexpr *gj__element_count(const gj__reduction *x, const gj__reducer *r) {
  gj__lower *l = x->l;
  const gj_lexpr *count = gj__i64(l, 1);
  for (uint8_t i = 0; i < x->domain.rank; i++)
    if (x->axes & (1u << i))
      count = gj__mul(l, count, gj__dim(l, x->domain.shape[i]));
  return gj_lx_convert(l->m, count, r->dtype);
}

gj__element gj__element_at(const gj__reduction *x, const gj__reducer *r, const gj__index *index,
                           const gj_lexpr *position) {
  gj__lower *l = r->l;
  const gj_type *type = &gj_graph_node(l->graph, r->arg)->type;
  const gj__index *at = gj__broadcast(l, &x->domain, type, index);
  gj__element e = {gj__value(l, r->arg, at), NULL};
  if (r->fold == GJ__FOLD_INDEXED)
    e.i = gj__value(l, r->index, at);
  if (r->fold == GJ__FOLD_MOMENTS)
    e.v = gj__let(l, "d", gj__sub(l, gj_lx_convert(l->m, e.v, r->acc), r->centre));
  if (!r->match)
    return e;
  const gj_lexpr *same = gj_lx_binary(l->m, GJ_OP_eq, e.v, r->match);
  if (gj_dtype_is_float((gj_dtype)e.v->type.dtype))
    same = either(
        l, same,
        both(l, gj_lx_unary(l->m, GJ_OP_is_nan, e.v), gj_lx_unary(l->m, GJ_OP_is_nan, r->match)));
  e.v = gj__let(l, "at", gj_lx_select(l->m, same, position, gj_lx_const(l->m, r->start)));
  return e;
}

gj__element gj__neutral(const gj__reducer *r) {
  gj__element e = {gj_lx_const(r->l->m, converted(r->start, r->from)), NULL};
  if (r->fold == GJ__FOLD_INDEXED)
    e.i = gj_lx_const(r->l->m, gj_scalar_start(GJ_START_ONES, index_dtype(r)));
  return e;
}

gj__element gj__staged(const gj__reducer *r, gj__state stage, const gj_lexpr *at) {
  gj__lower *l = r->l;
  gj__element e = {gj__let(l, "v", gj_lx_load(l->m, gj__local(l, stage.local[0]), at, 1)), NULL};
  if (r->fold == GJ__FOLD_INDEXED)
    e.i = gj__let(l, "i", gj_lx_load(l->m, gj__local(l, stage.local[1]), at, 1));
  return e;
}

void gj__stage(const gj__reducer *r, gj__state stage, const gj_lexpr *at, gj__element e) {
  gj__lower *l = r->l;
  gj_ls_store(l->m, l->f, l->block, gj__local(l, stage.local[0]), at, e.v);
  if (r->fold == GJ__FOLD_INDEXED)
    gj_ls_store(l->m, l->f, l->block, gj__local(l, stage.local[1]), at, e.i);
}

gj__element gj__widened(const gj__reducer *r, gj__element e) {
  e.v = gj_lx_convert(r->l->m, e.v, r->acc);
  if (r->fold == GJ__FOLD_MOMENTS)
    e.i = gj__mul(r->l, e.v, e.v);
  return e;
}

gj__element gj__joined(const gj__reducer *r, gj__element a, gj__element b) {
  gj__lower *l = r->l;
  if (r->fold != GJ__FOLD_INDEXED)
    return (gj__element){gj_lx_binary(l->m, r->combine, a.v, b.v),
                         r->fold == GJ__FOLD_MOMENTS ? gj__add(l, a.i, b.i) : NULL};
  const gj_lexpr *better = gj__let(l, "better", is_better(r, b, a));
  return (gj__element){gj__let(l, "v", gj_lx_select(l->m, better, b.v, a.v)),
                       gj__let(l, "i", gj_lx_select(l->m, better, b.i, a.i))};
}

// --- running values ---

static unsigned components(const gj__reducer *r) {
  return r->fold == GJ__FOLD_PLAIN ? 1 : r->fold == GJ__FOLD_MOMENTS ? 4 : 2;
}

static gj_scalar start_of(const gj__reducer *r, unsigned component) {
  if (component == 0)
    return r->start;
  return r->fold == GJ__FOLD_INDEXED ? gj_scalar_start(GJ_START_ONES, index_dtype(r))
                                     : gj_scalar_start(GJ_START_ZERO, r->acc);
}

gj__state gj__state_new(const gj__reducer *r, gj_lblock *into, const char *name, int64_t count) {
  gj__lower *l = r->l;
  gj__state s = {.array = count > 0};
  for (unsigned c = 0; c < components(r); c++) {
    gj_scalar start = start_of(r, c);
    const char *label = c == 0 ? name : r->fold == GJ__FOLD_PAIR ? "low" : "at";
    s.local[c] = count > 0 ? gj_ls_array(l->m, l->f, into, label, start.dtype, count)
                           : gj_ls_let(l->m, l->f, into, label, gj_lx_const(l->m, start));
  }
  return s;
}

gj__state gj__state_params(const gj__reducer *r) {
  gj__lower *l = r->l;
  gj__state s = {.array = true};
  for (unsigned c = 0; c < components(r); c++)
    s.local[c] = gj_lfunc_param(l->m, l->f, "part", gj_ltype_pointer(start_of(r, c).dtype),
                                GJ_LOCAL_NOALIAS);
  return s;
}

uint32_t gj__state_args(const gj__reducer *r, gj__state s, const gj_lexpr **args) {
  for (unsigned c = 0; c < components(r); c++)
    args[c] = gj__local(r->l, s.local[c]);
  return components(r);
}

static const gj_lexpr *get(const gj__reducer *r, gj__state s, unsigned c, const gj_lexpr *at) {
  const gj_lexpr *local = gj__local(r->l, s.local[c]);
  return s.array ? gj_lx_load(r->l->m, local, at, 1) : local;
}

static void set(const gj__reducer *r, gj__state s, unsigned c, const gj_lexpr *at,
                const gj_lexpr *value) {
  gj__lower *l = r->l;
  if (s.array)
    gj_ls_store(l->m, l->f, l->block, gj__local(l, s.local[c]), at, value);
  else
    gj_ls_set(l->m, l->f, l->block, s.local[c], value);
}

void gj__state_clear(const gj__reducer *r, gj__state s, const gj_lexpr *at) {
  for (unsigned c = 0; c < components(r); c++)
    set(r, s, c, at, gj_lx_const(r->l->m, start_of(r, c)));
}

void gj__state_copy(const gj__reducer *r, gj__state s, const gj_lexpr *at, gj__state from,
                    const gj_lexpr *from_at) {
  for (unsigned c = 0; c < components(r); c++)
    set(r, s, c, at, get(r, from, c, from_at));
}

// (high, low) += (v, lost): `v` in full, `lost` to the digits of low.
static void add_pair(const gj__reducer *r, gj__state s, unsigned c, const gj_lexpr *at,
                     const gj_lexpr *v, const gj_lexpr *low) {
  gj__lower *l = r->l;
  const gj_lexpr *lost, *high = gj__let(l, "hi", get(r, s, c, at));
  const gj_lexpr *sum = two_sum(l, high, v, &lost);
  if (low)
    lost = gj__add(l, lost, low);
  set(r, s, c, at, sum);
  set(r, s, c + 1, at, gj__add(l, get(r, s, c + 1, at), lost));
}

static void add(const gj__reducer *r, gj__state s, const gj_lexpr *at, gj__element e) {
  gj__element old = {get(r, s, 0, at), NULL};
  if (r->fold == GJ__FOLD_INDEXED) {
    old.v = gj__let(r->l, "best", old.v);
    old.i = gj__let(r->l, "best_at", get(r, s, 1, at));
  }
  gj__element sum = gj__joined(r, old, e);
  set(r, s, 0, at, sum.v);
  if (r->fold == GJ__FOLD_INDEXED)
    set(r, s, 1, at, sum.i);
}

void gj__state_add(const gj__reducer *r, gj__state s, const gj_lexpr *at, gj__element e) {
  if (r->fold == GJ__FOLD_PAIR || r->fold == GJ__FOLD_MOMENTS)
    add_pair(r, s, 0, at, gj__let(r->l, "v", e.v), NULL);
  else
    add(r, s, at, e);
  if (r->fold == GJ__FOLD_MOMENTS)
    add_pair(r, s, 2, at, gj__let(r->l, "v", e.i), NULL);
}

void gj__state_merge(const gj__reducer *r, gj__state s, const gj_lexpr *at, gj__state from,
                     const gj_lexpr *from_at) {
  const gj_lexpr *v[GJ__COMPONENTS] = {NULL};
  for (unsigned c = 0; c < components(r); c++)
    v[c] = gj__let(r->l, c % 2 ? "i" : "v", get(r, from, c, from_at));
  if (r->fold == GJ__FOLD_PAIR || r->fold == GJ__FOLD_MOMENTS)
    add_pair(r, s, 0, at, v[0], v[1]);
  else
    add(r, s, at, (gj__element){v[0], v[1]});
  if (r->fold == GJ__FOLD_MOMENTS)
    add_pair(r, s, 2, at, v[2], v[3]);
}

// A pair is high + low, or high alone where the sum has left the finite numbers (low is NaN then).
static const gj_lexpr *rounded(const gj__reducer *r, gj__state s, unsigned c, const gj_lexpr *at) {
  gj__lower *l = r->l;
  const gj_lexpr *high = gj__let(l, "hi", get(r, s, c, at)), *low = get(r, s, c + 1, at);
  const gj_lexpr *finite = gj_lx_unary(l->m, GJ_OP_is_finite, high);
  return gj_lx_select(l->m, finite, gj__add(l, high, low), high);
}

void gj__state_result(gj__reducer *r, gj__state s, const gj_lexpr *at, const gj_lexpr *count) {
  gj__lower *l = r->l;
  if (r->fold == GJ__FOLD_MOMENTS) {
    const gj_lexpr *sums = gj__let(l, "sums", rounded(r, s, 0, at));
    gj__moments_result(r, sums, rounded(r, s, 2, at), count);
    return;
  }
  r->value = r->fold == GJ__FOLD_PAIR ? rounded(r, s, 0, at) : get(r, s, 0, at);
  if (r->fold == GJ__FOLD_INDEXED)
    r->position = get(r, s, 1, at);
  r->value = gj_lx_convert(l->m, r->value, r->dtype);
}

int64_t gj__state_bytes(const gj__reducer *r) {
  int64_t bytes = 0;
  for (unsigned c = 0; c < components(r); c++)
    bytes += (int64_t)gj_dtype_bytes(start_of(r, c).dtype);
  return bytes;
}

const gj_lexpr *gj__vector_loop(gj__lower *l, gj_lblock *into, const char *name,
                                const gj_lexpr *count, int64_t factor) {
  gj_lstmt *loop =
      gj_ls_for(l->m, l->f, into, name, gj__i64(l, 0), count, 1, GJ_LOOP_VECTOR, (uint8_t)factor);
  gj__enter(l, &loop->body);
  return gj__local(l, loop->local);
}
