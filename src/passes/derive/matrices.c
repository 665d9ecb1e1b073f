// Rules of the factors of matrices, and of what is solved with them.
//
// Formulas are those of PyTorch and JAX; most are collected by Giles, "An extended collection of
// matrix derivative results for forward and reverse mode algorithmic differentiation" (2008), that
// of QR is Walter and Lehmann's, "Algorithmic differentiation of linear algebra functions" (2010).
// With a bar is what comes back, with a d what goes forward.
//
// A symmetric matrix of which one triangle counts is taken to change symmetrically, as in PyTorch.
// Eigenvectors of equal eigenvalues, and singular vectors of equal or no singular values, have no
// derivative along each other: it is zero. Left out, and refused: lu of matrices that are not
// square, columns of Q beyond those of the matrix (full singular vectors among them), and qr where
// sizes do not say which they are.
#include "passes/derive/rules.h"

// --- words ---

static gj_ref transposed(gj__derive *d, gj_ref a) {
  int64_t axes[GJ_MAX_RANK];
  if (!a)
    return 0;
  uint8_t rank = gj__type_of(d, a)->rank;
  for (uint8_t i = 0; i < rank; i++)
    axes[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  return gj__d_transpose(d, a, axes);
}

// op(a) · op(b), where an operand may count as transposed.
static gj_ref product(gj__derive *d, gj_ref a, bool a_turned, gj_ref b, bool b_turned) {
  int64_t batch[GJ_MAX_RANK], left, right;
  gj_attrs attrs = {0};
  if (!a || !b)
    return 0;
  uint8_t rank = gj__type_of(d, a)->rank;
  for (uint8_t i = 0; i < rank - 2; i++)
    batch[i] = i;
  left = rank - (a_turned ? 2 : 1);
  right = rank - (b_turned ? 1 : 2);
  gj_attrs_set(&attrs, GJ_ATTR_lhs_batch, batch, rank - 2u);
  gj_attrs_set(&attrs, GJ_ATTR_rhs_batch, batch, rank - 2u);
  gj_attrs_set(&attrs, GJ_ATTR_lhs_contract, &left, 1);
  gj_attrs_set(&attrs, GJ_ATTR_rhs_contract, &right, 1);
  return gj_graph_append(d->graph, GJ_OP_dot_general, (gj_ref[]){a, b}, 2, &attrs);
}

static gj_ref times(gj__derive *d, gj_ref a, gj_ref b) { return product(d, a, false, b, false); }

// Where row and column numbers compare so, `a`, and zero elsewhere.
static gj_ref where(gj__derive *d, gj_op compare, gj_ref a) {
  if (!a)
    return 0;
  gj_type type = *gj__type_of(d, a);
  gj_ref row = gj__d_iota(d, GJ_DTYPE_i64, &type, type.rank - 2);
  gj_ref column = gj__d_iota(d, GJ_DTYPE_i64, &type, type.rank - 1);
  return gj__d_select(d, gj__d_op2(d, compare, row, column), a, gj__d_zeros_like(d, a));
}

static gj_ref lower(gj__derive *d, gj_ref a) { return where(d, GJ_OP_ge, a); }
static gj_ref strictly_lower(gj__derive *d, gj_ref a) { return where(d, GJ_OP_gt, a); }
static gj_ref upper(gj__derive *d, gj_ref a) { return where(d, GJ_OP_le, a); }

// Either may be 0, for zero.
static gj_ref sum(gj__derive *d, gj_ref a, gj_ref b) {
  return a && b ? gj__d_add(d, a, b) : a ? a : b;
}

static gj_ref scaled(gj__derive *d, gj_ref a, double factor) {
  return a ? gj__d_mul(d, a, gj__d_number(d, gj__type_of(d, a)->dtype, factor)) : 0;
}

static gj_ref symmetric(gj__derive *d, gj_ref a) {
  return scaled(d, gj__d_add(d, a, transposed(d, a)), 0.5);
}

// The lower triangle with half of the diagonal.
static gj_ref lower_half(gj__derive *d, gj_ref a) {
  return scaled(d, gj__d_add(d, lower(d, a), strictly_lower(d, a)), 0.5);
}

// A vector as a diagonal, and the other way round.
static gj_ref as_diagonal(gj__derive *d, gj_ref a) {
  if (!a)
    return 0;
  gj_type type = *gj__type_of(d, a);
  int64_t axis = type.rank;
  type.shape[type.rank++] = type.shape[axis - 1];
  return where(d, GJ_OP_eq, gj__d_spread(d, a, &type, &axis, 1));
}

static gj_ref diagonal_of(gj__derive *d, gj_ref a) {
  if (!a)
    return 0;
  int64_t last = gj__type_of(d, a)->rank - 1;
  return gj__d_sum(d, where(d, GJ_OP_eq, a), &last, 1);
}

// A vector along the columns or the rows of what `like` is.
static gj_ref along(gj__derive *d, gj_ref vector, gj_ref like, bool rows) {
  if (!vector || !like)
    return 0;
  const gj_type *type = gj__type_of(d, like);
  int64_t axis = type->rank - (rows ? 1 : 2);
  return gj__d_spread(d, vector, type, &axis, 1);
}

static gj_ref solve_triangle(gj__derive *d, gj_ref a, gj_ref b, bool is_upper, bool turned) {
  int64_t values[2] = {is_upper, turned};
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_upper, &values[0], 1);
  gj_attrs_set(&attrs, GJ_ATTR_adjoint, &values[1], 1);
  return a && b ? gj_graph_append(d->graph, GJ_OP_triangular_solve, (gj_ref[]){a, b}, 2, &attrs)
                : 0;
}

// b · op(a)⁻¹
static gj_ref divide_triangle(gj__derive *d, gj_ref b, gj_ref a, bool is_upper, bool turned) {
  return transposed(d, solve_triangle(d, a, transposed(d, b), is_upper, !turned));
}

static gj_ref slice_columns(gj__derive *d, gj_ref a, gj_dim first, gj_dim count) {
  int64_t start[GJ_MAX_RANK] = {0}, stride[GJ_MAX_RANK];
  if (!a)
    return 0;
  gj_type type = *gj__type_of(d, a);
  for (uint8_t i = 0; i < type.rank; i++)
    stride[i] = 1;
  start[type.rank - 1] = first;
  type.shape[type.rank - 1] = count;
  return gj__d_slice(d, a, start, &type, stride);
}

static gj_dim rows_of(gj__derive *d, gj_ref a) {
  const gj_type *type = gj__type_of(d, a);
  return type->shape[type->rank - 2];
}

static gj_dim columns_of(gj__derive *d, gj_ref a) {
  const gj_type *type = gj__type_of(d, a);
  return type->shape[type->rank - 1];
}

// --- cholesky: L·Lᵀ = A ---

// Ā = L⁻ᵀ·Φ(Lᵀ·L̄)·L⁻¹, made symmetric; Φ takes the lower triangle with half of the diagonal.
void gj__vjp_cholesky(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  gj_ref inner = lower_half(d, product(d, ref, true, lower(d, cts[0]), false));
  gj_ref left = solve_triangle(d, ref, inner, false, true);
  gj__d_give(d, node->args[0], symmetric(d, divide_triangle(d, left, ref, false, false)));
}

// dL = L·Φ(L⁻¹·dA·L⁻ᵀ)
void gj__jvp_cholesky(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  gj_ref change = symmetric(d, gj__d_tangent(d, node->args[0]));
  gj_ref left = solve_triangle(d, ref, change, false, false);
  out_tangents[0] = times(d, ref, lower_half(d, divide_triangle(d, left, ref, false, true)));
}

// --- solving: op(A)·x = b ---

// -w·xᵀ, or its transpose.
static gj_ref solved_matrix(gj__derive *d, gj_ref w, gj_ref x, bool turned) {
  return gj__d_neg(d, turned ? product(d, x, false, w, true) : product(d, w, false, x, true));
}

static gj_ref triangle(gj__derive *d, const gj_node *node, gj_ref a) {
  return gj_node_int(node, GJ_ATTR_upper) ? upper(d, a) : lower(d, a);
}

// b̄ = op(A)⁻ᵀ·x̄, Ā = -b̄·xᵀ of the triangle.
void gj__vjp_triangular_solve(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  bool is_upper = gj_node_int(node, GJ_ATTR_upper), turned = gj_node_int(node, GJ_ATTR_adjoint);
  gj_ref w = solve_triangle(d, node->args[0], cts[0], is_upper, !turned);
  gj__d_give(d, node->args[1], w);
  if (gj__d_wants(d, node->args[0]))
    gj__d_give(d, node->args[0], triangle(d, node, solved_matrix(d, w, ref, turned)));
}

// The right side of op(A)·dx = db - op(dA)·x
static gj_ref solved_change(gj__derive *d, gj_ref da, gj_ref db, gj_ref x, bool turned) {
  gj_ref moved = da ? gj__d_neg(d, product(d, da, turned, x, false)) : 0;
  return sum(d, db, moved);
}

void gj__jvp_triangular_solve(gj__derive *d, gj_ref ref, const gj_node *node,
                              gj_ref *out_tangents) {
  bool is_upper = gj_node_int(node, GJ_ATTR_upper), turned = gj_node_int(node, GJ_ATTR_adjoint);
  gj_ref da = triangle(d, node, gj__d_tangent(d, node->args[0]));
  gj_ref right = solved_change(d, da, gj__d_tangent(d, node->args[1]), ref, turned);
  out_tangents[0] = solve_triangle(d, node->args[0], right, is_upper, turned);
}

// Factors are of the matrix, which has the derivative; they serve again.
static gj_ref solve_again(gj__derive *d, const gj_node *node, gj_ref b, bool turned) {
  int64_t value = turned;
  gj_attrs attrs = {0};
  gj_ref args[] = {node->args[0], node->args[1], b, node->args[3]};
  gj_attrs_set(&attrs, GJ_ATTR_adjoint, &value, 1);
  return b ? gj_graph_append(d->graph, GJ_OP_lu_solve, args, 4, &attrs) : 0;
}

void gj__vjp_lu_solve(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  bool turned = gj_node_int(node, GJ_ATTR_adjoint);
  gj_ref w = solve_again(d, node, cts[0], !turned);
  gj__d_give(d, node->args[2], w);
  if (gj__d_wants(d, node->args[0]))
    gj__d_give(d, node->args[0], solved_matrix(d, w, ref, turned));
}

void gj__jvp_lu_solve(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  bool turned = gj_node_int(node, GJ_ATTR_adjoint);
  gj_ref da = gj__d_tangent(d, node->args[0]), db = gj__d_tangent(d, node->args[2]);
  out_tangents[0] =
      da || db ? solve_again(d, node, solved_change(d, da, db, ref, turned), turned) : 0;
}

// --- lu: P·A = L·U ---

static gj_ref unit_lower(gj__derive *d, gj_ref packed) {
  gj_type type = *gj__type_of(d, packed);
  type.rank--;
  return gj__d_add(d, strictly_lower(d, packed), as_diagonal(d, gj__d_filled(d, &type, 1)));
}

static bool is_square(gj__derive *d, gj_ref ref) {
  if (rows_of(d, ref) == columns_of(d, ref))
    return true;
  gj__d_refuse(d, ref, "the matrix is not square");
  return false;
}

// The row numbers of lu for every column.
static gj_ref row_positions(gj__derive *d, gj_ref ref) {
  gj_type type = *gj__type_of(d, ref);
  int64_t axis = type.rank - 1;
  return gj__d_spread(d, gj__d_result(d, ref, 1), &type, &axis, 1);
}

// P·Ā = L⁻ᵀ·(strictly lower Lᵀ·L̄ + upper Ū·Uᵀ)·U⁻ᵀ
void gj__vjp_lu(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  if (!cts[0] || !is_square(d, ref))
    return;
  gj_ref l = unit_lower(d, ref), u = upper(d, ref);
  gj_ref of_l = strictly_lower(d, product(d, l, true, strictly_lower(d, cts[0]), false));
  gj_ref of_u = upper(d, product(d, upper(d, cts[0]), false, u, true));
  gj_ref left = solve_triangle(d, l, gj__d_add(d, of_l, of_u), false, true);
  gj_ref both = divide_triangle(d, left, u, true, true);
  gj__d_give(d, node->args[0],
             gj__d_add_along(d, gj__d_zeros_like(d, node->args[0]), row_positions(d, ref), both,
                             gj__type_of(d, ref)->rank - 2));
}

// dL = L·(strictly lower F), dU = (upper F)·U, F = L⁻¹·P·dA·U⁻¹
void gj__jvp_lu(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  if (!is_square(d, ref))
    return;
  gj_ref l = unit_lower(d, ref), u = upper(d, ref);
  gj_ref moved = gj__d_take_along(d, gj__d_tangent(d, node->args[0]), row_positions(d, ref),
                                  gj__type_of(d, ref)->rank - 2);
  gj_ref f = divide_triangle(d, solve_triangle(d, l, moved, false, false), u, true, false);
  out_tangents[0] = gj__d_add(d, times(d, l, strictly_lower(d, f)), times(d, upper(d, f), u));
}

// --- qr: Q·R = A ---

typedef enum qr_form { QR_REFUSED, QR_TALL, QR_WIDE } qr_form;

// Tall ones have at least as many rows as columns.
static qr_form qr_form_of(gj__derive *d, gj_ref ref, const gj_node *node) {
  gj_dim m = rows_of(d, node->args[0]), n = columns_of(d, node->args[0]);
  bool known = gj_dim_is_const(m) && gj_dim_is_const(n);
  if (m != n && !known)
    gj__d_refuse(d, ref, "it is not known whether the matrix has more rows than columns");
  else if (m > n && columns_of(d, ref) != n)
    gj__d_refuse(d, ref,
                 "columns of Q beyond those of the matrix have no derivative; ask for the "
                 "reduced form, of svd without fullMatrices");
  else
    return m == n || m > n ? QR_TALL : QR_WIDE;
  return QR_REFUSED;
}

// Ā = (Q̄ + Q·C)·R⁻ᵀ, where C is the lower triangle of R·R̄ᵀ - Q̄ᵀ·Q and its mirror image.
static gj_ref qr_back(gj__derive *d, gj_ref q, gj_ref r, gj_ref ct_q, gj_ref ct_r) {
  gj_ref of_r = ct_r ? product(d, r, false, upper(d, ct_r), true) : 0;
  gj_ref of_q = ct_q ? gj__d_neg(d, product(d, ct_q, true, q, false)) : 0;
  gj_ref both = sum(d, of_r, of_q);
  gj_ref mirrored = gj__d_add(d, lower(d, both), transposed(d, strictly_lower(d, both)));
  return divide_triangle(d, sum(d, ct_q, times(d, q, mirrored)), r, true, true);
}

void gj__vjp_qr(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  gj_ref q = ref, r = gj__d_result(d, ref, 1), a = node->args[0];
  qr_form form = qr_form_of(d, ref, node);
  if (form == QR_TALL)
    gj__d_give(d, a, qr_back(d, q, r, cts[0], cts[1]));
  if (form != QR_WIDE)
    return;
  // A = [X | Y], R = [U | V]: Q and U are those of X, and V is Qᵀ·Y.
  gj_dim m = rows_of(d, a), rest = gj_dim_sub(gj_graph_dims(d->graph), columns_of(d, a), m);
  gj_ref ct_u = slice_columns(d, cts[1], 0, m), ct_v = slice_columns(d, cts[1], m, rest);
  gj_ref y = slice_columns(d, a, m, rest);
  gj_ref ct_q = ct_v ? sum(d, cts[0], product(d, y, false, ct_v, true)) : cts[0];
  gj_ref of_x = qr_back(d, q, slice_columns(d, r, 0, m), ct_q, ct_u);
  gj_ref of_y = ct_v ? times(d, q, ct_v) : gj__d_zeros_like(d, y);
  gj_ref parts[] = {of_x, of_y};
  gj__d_give(d, a, gj__d_concat(d, parts, 2, gj__type_of(d, a)->rank - 1));
}

// With C = dA·R⁻¹ and Z = Qᵀ·C: dQ = C + Q·(S - Z) and dR = (Z - S)·R, where S is skew with the
// strictly lower triangle of Z.
static void qr_forward(gj__derive *d, gj_ref q, gj_ref r, gj_ref da, gj_ref *out_dq,
                       gj_ref *out_dr) {
  gj_ref c = divide_triangle(d, da, r, true, false);
  gj_ref z = product(d, q, true, c, false), low = strictly_lower(d, z);
  gj_ref rest = gj__d_sub(d, z, gj__d_sub(d, low, transposed(d, low)));
  *out_dq = gj__d_sub(d, c, times(d, q, rest));
  *out_dr = times(d, rest, r);
}

void gj__jvp_qr(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  gj_ref q = ref, r = gj__d_result(d, ref, 1), a = node->args[0], da = gj__d_tangent(d, a);
  qr_form form = qr_form_of(d, ref, node);
  if (form == QR_TALL)
    qr_forward(d, q, r, da, &out_tangents[0], &out_tangents[1]);
  if (form != QR_WIDE)
    return;
  gj_dim m = rows_of(d, a), rest = gj_dim_sub(gj_graph_dims(d->graph), columns_of(d, a), m);
  gj_ref parts[2];
  qr_forward(d, q, slice_columns(d, r, 0, m), slice_columns(d, da, 0, m), &out_tangents[0],
             &parts[0]);
  parts[1] = gj__d_add(d, product(d, out_tangents[0], true, slice_columns(d, a, m, rest), false),
                       product(d, q, true, slice_columns(d, da, m, rest), false));
  out_tangents[1] = gj__d_concat(d, parts, 2, gj__type_of(d, a)->rank - 1);
}

// --- eigh: A·V = V·diag(w) ---

// 1 / x, and 0 for 0.
static gj_ref safe_inverse(gj__derive *d, gj_ref x) {
  if (!x)
    return 0;
  gj_ref zero = gj__d_zeros_like(d, x);
  gj_ref one = gj__d_filled(d, gj__type_of(d, x), 1);
  gj_ref none = gj__d_eq(d, x, zero);
  return gj__d_select(d, none, zero, gj__d_div(d, one, gj__d_select(d, none, one, x)));
}

// 1 / (x of the column - x of the row), and 0 where they are equal.
static gj_ref gaps(gj__derive *d, gj_ref x, gj_ref like) {
  return safe_inverse(d, gj__d_sub(d, along(d, x, like, false), along(d, x, like, true)));
}

// Ā = V·(diag(w̄) + F∘(Vᵀ·V̄))·Vᵀ, made symmetric.
void gj__vjp_eigh(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  gj_ref w = ref, v = gj__d_result(d, ref, 1);
  gj_ref inner = as_diagonal(d, cts[0]);
  if (cts[1])
    inner = sum(d, inner, gj__d_mul(d, gaps(d, w, v), product(d, v, true, cts[1], false)));
  gj__d_give(d, node->args[0], symmetric(d, product(d, times(d, v, inner), false, v, true)));
}

void gj__jvp_eigh(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  gj_ref w = ref, v = gj__d_result(d, ref, 1);
  gj_ref change = symmetric(d, gj__d_tangent(d, node->args[0]));
  gj_ref inner = times(d, product(d, v, true, change, false), v);
  out_tangents[0] = diagonal_of(d, inner);
  out_tangents[1] = times(d, v, gj__d_mul(d, gaps(d, w, v), inner));
}

// --- svd: U·diag(s)·Vᵀ = A ---

typedef struct svd_parts {
  gj_ref u, s, vt;
  gj_ref inverse;       // 1 / s
  bool over_u, over_vt; // whether columns of U, rows of Vᵀ may be fewer than they have elements
} svd_parts;

static svd_parts svd_parts_of(gj__derive *d, gj_ref ref, const gj_node *node) {
  gj_dim m = rows_of(d, node->args[0]), n = columns_of(d, node->args[0]);
  bool known = gj_dim_is_const(m) && gj_dim_is_const(n);
  svd_parts p = {.u = ref, .s = gj__d_result(d, ref, 1), .vt = gj__d_result(d, ref, 2)};
  p.over_u = m != n && (!known || m > n);
  p.over_vt = m != n && (!known || n > m);
  p.inverse = safe_inverse(d, p.s);
  return p;
}

static gj_ref by_columns(gj__derive *d, gj_ref a, gj_ref s) {
  return gj__d_mul(d, a, along(d, s, a, false));
}

static gj_ref by_rows(gj__derive *d, gj_ref s, gj_ref a) {
  return gj__d_mul(d, a, along(d, s, a, true));
}

static gj_ref with_mirror(gj__derive *d, gj_ref a) { return gj__d_add(d, a, transposed(d, a)); }

// a - U·Uᵀ·a
static gj_ref outside_u(gj__derive *d, gj_ref u, gj_ref a) {
  return gj__d_sub(d, a, times(d, u, product(d, u, true, a, false)));
}

// a - a·V·Vᵀ
static gj_ref outside_vt(gj__derive *d, gj_ref vt, gj_ref a) {
  return gj__d_sub(d, a, times(d, product(d, a, false, vt, true), vt));
}

static gj_ref squares(gj__derive *d, gj_ref s) { return gj__d_mul(d, s, s); }

// Of U: Ā = U·(K + Kᵀ)·diag(s)·Vᵀ with K = F∘(Uᵀ·Ū), and what lies outside of U over s; of V alike.
void gj__vjp_svd(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  svd_parts p = svd_parts_of(d, ref, node);
  gj_ref inner = as_diagonal(d, cts[1]), whole = 0;
  if (cts[0]) {
    gj_ref own = product(d, p.u, true, cts[0], false);
    gj_ref k = gj__d_mul(d, gaps(d, squares(d, p.s), own), own);
    inner = sum(d, inner, by_columns(d, with_mirror(d, k), p.s));
  }
  if (cts[2]) {
    gj_ref own = product(d, p.vt, false, cts[2], true);
    gj_ref k = gj__d_mul(d, gaps(d, squares(d, p.s), own), own);
    inner = sum(d, inner, by_rows(d, p.s, with_mirror(d, k)));
  }
  if (inner)
    whole = times(d, times(d, p.u, inner), p.vt);
  if (cts[0] && p.over_u)
    whole = sum(d, whole, times(d, by_columns(d, outside_u(d, p.u, cts[0]), p.inverse), p.vt));
  if (cts[2] && p.over_vt)
    whole = sum(d, whole, times(d, p.u, by_rows(d, p.inverse, outside_vt(d, p.vt, cts[2]))));
  gj__d_give(d, node->args[0], whole);
}

void gj__jvp_svd(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  svd_parts p = svd_parts_of(d, ref, node);
  gj_ref da = gj__d_tangent(d, node->args[0]);
  gj_ref right = product(d, da, false, p.vt, true), left = product(d, p.u, true, da, false);
  gj_ref inner = product(d, p.u, true, right, false);
  gj_ref f = gaps(d, squares(d, p.s), inner);
  gj_ref of_u = gj__d_mul(d, f, with_mirror(d, by_columns(d, inner, p.s)));
  gj_ref of_v = gj__d_mul(d, f, with_mirror(d, by_rows(d, p.s, inner)));
  out_tangents[0] = times(d, p.u, of_u);
  out_tangents[1] = diagonal_of(d, inner);
  out_tangents[2] = product(d, of_v, true, p.vt, false);
  if (p.over_u)
    out_tangents[0] =
        gj__d_add(d, out_tangents[0], by_columns(d, outside_u(d, p.u, right), p.inverse));
  if (p.over_vt)
    out_tangents[2] =
        gj__d_add(d, out_tangents[2], by_rows(d, p.inverse, outside_vt(d, p.vt, left)));
}
