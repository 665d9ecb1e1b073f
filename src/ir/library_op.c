// See library_op.h. A row per op: letters stand for sizes, and a letter that stands twice says that
// two sizes are the same.
//
//   m n k  sizes of operands; n of irfft is its attribute
//   r      the lesser of m and n
//   c      columns of Q of qr, its attribute
//   h      n / 2 + 1
//   2      the number
#include "ir/library_op.h"

#include "ir/dims/dims.h"
#include "ir/infer/infer.h"

#include <string.h>

enum { LETTERS = 128 };

// Elements of working memory, as a sum of such products.
typedef struct work {
  int mn, nn, nk, rr, m, n, r, one;
} work;

typedef struct row {
  gj_op op;
  const char *operands, *results;
  const char *passed; // numbers of operands
  const char *sizes;
  int64_t at_once;
  bool takes_options;
  work work;
} row;

// Functions that take several items at once: all of a batch, or some, so that a run can be
// cancelled in between.
enum { ALONE = 1, SOME = 64 };
#define ALL INT64_MAX

// The workspace that products of matrices take whatever their sizes (library/matrices/product.h).
enum { PACK = 98304 };

static const row rows[] = {
    {GJ_OP_cholesky, "nn", "nn", "0", "n", SOME, false, {.nn = 1, .n = 16, .one = PACK}},
    {GJ_OP_triangular_solve, "nn nk", "nk", "01", "nk", ALONE, true, {.one = PACK}},
    {GJ_OP_lu, "mn", "mn m", "0", "mn", SOME, false, {.m = 16, .one = PACK + 256}},
    {GJ_OP_lu_solve, "nn nn nk n", "nk", "132", "nk", SOME, true, {.nk = 1, .one = PACK}},
    {GJ_OP_qr,
     "mn",
     "mc cn",
     "0",
     "mn",
     ALONE,
     true,
     {.mn = 2, .m = 150, .n = 150, .one = PACK + 4608}},
    {GJ_OP_eigh, "nn", "n nn", "0", "n", ALONE, false, {.nn = 3, .n = 196, .one = PACK + 3392}},
    {GJ_OP_svd,
     "mn",
     "mr r rn",
     "0",
     "mn",
     ALONE,
     false,
     {.rr = 3, .mn = 1, .r = 252, .m = 48, .n = 48, .one = PACK + 4800}},
    {GJ_OP_fft, "n2", "n2", "0", "n", ALL, true, {.n = 32, .one = 8192}},
    {GJ_OP_rfft, "n", "h2", "0", "n", ALL, false, {.n = 32, .one = 8192}},
    {GJ_OP_irfft, "h2", "n", "0", "n", ALL, false, {.n = 32, .one = 8192}},
};

static const row *row_of(gj_op op) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].op == op)
      return &rows[i];
  return NULL;
}

// Word number `index` of a text, and its length.
static size_t word(const char *text, size_t index, const char **out) {
  for (; index > 0; index--)
    text += strcspn(text, " ") + 1;
  *out = text;
  return strcspn(text, " ");
}

static size_t word_count(const char *text) {
  size_t count = 1;
  for (; *text; text++)
    count += *text == ' ';
  return count;
}

// --- sizes ---

typedef struct letters {
  gj_dims *dims;
  gj_dim of[LETTERS];
  bool known[LETTERS];
} letters;

static void set_letter(letters *l, char letter, gj_dim size) {
  l->of[(unsigned char)letter] = size;
  l->known[(unsigned char)letter] = true;
}

static gj_dim letter_of(letters *l, char letter) {
  if (letter == 'r')
    return gj_dim_min(l->dims, l->of['m'], l->of['n']);
  if (letter == 'h')
    return gj_dim_add(l->dims, gj_dim_floordiv(l->dims, l->of['n'], 2), 1);
  return letter == '2' ? 2 : l->of[(unsigned char)letter];
}

static bool is_known(const letters *l, char letter) {
  return letter == '2' || letter == 'h' || l->known[(unsigned char)letter];
}

static void letters_init(letters *l, const gj_graph *graph, gj_op op, const gj_attrs *attrs) {
  memset(l, 0, sizeof *l);
  l->dims = gj_graph_dims(graph);
  if (op == GJ_OP_irfft || op == GJ_OP_qr)
    set_letter(l, op == GJ_OP_qr ? 'c' : 'n', attrs->list[GJ_ATTR_count].values[0]);
}

// Reads the last sizes of an operand; false, and the letter, where one is not what it was before.
static bool read_sizes(letters *l, const char *text, size_t count, const gj_type *type, char *out) {
  for (size_t i = 0; i < count; i++) {
    gj_dim size = type->shape[type->rank - count + i];
    *out = text[i];
    if (!is_known(l, text[i]))
      set_letter(l, text[i], size);
    else if (letter_of(l, text[i]) != size)
      return false;
  }
  return true;
}

static gj_type type_of(letters *l, const char *text, size_t count, const gj_type *batch,
                       gj_dtype dtype) {
  gj_type type = *batch;
  type.dtype = dtype;
  for (size_t i = 0; i < count; i++)
    type.shape[type.rank++] = letter_of(l, text[i]);
  return type;
}

// --- the shape rule ---

// "[..., n, k]"
static gj__text form_text(const char *text, size_t count) {
  gj_strbuf out = {0};
  gj_strbuf_text(&out, "[...");
  for (size_t i = 0; i < count; i++)
    if (text[i] == 'h')
      gj_strbuf_text(&out, ", count / 2 + 1");
    else
      gj_strbuf_printf(&out, ", %c", text[i]);
  gj_strbuf_text(&out, "]");
  return gj__text_take(&out);
}

static gj_status refuse_operand(const gj__infer *in, size_t i, const char *text, size_t count,
                                const char *why) {
  return gj_fail(in->err, GJ_E_SHAPE, "%s: operand %zu (%%%u) has shape %s, but it must be %s%s",
                 in->name, i + 1, in->args[i], gj__shape_text(in->dims, gj__operand(in, i)).s,
                 form_text(text, count).s, why);
}

static gj_status check_options(const gj__infer *in) {
  static const gj_attr options[] = {GJ_ATTR_upper, GJ_ATTR_adjoint};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    if (!(gj_op_get(in->op)->attrs & 1u << options[i]))
      continue;
    int64_t value = gj__list(in, options[i])->values[0];
    if (value != 0 && value != 1)
      return gj_fail(in->err, GJ_E_ARGUMENT, "%s: %s is %lld, but it must be 0 or 1", in->name,
                     gj_attr_get(options[i])->name, (long long)value);
  }
  if ((gj_op_get(in->op)->attrs & GJ_HAS_COUNT) && gj__list(in, GJ_ATTR_count)->count != 1)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: count takes one value, got %d", in->name,
                   gj__list(in, GJ_ATTR_count)->count);
  return GJ_OK;
}

gj_status gj_shape_library(const gj__infer *in, gj_type *out) {
  const row *own = row_of(in->op);
  letters l;
  gj_type batch = {0};
  const char *text;
  size_t count;
  GJ_TRY(check_options(in));
  letters_init(&l, in->graph, in->op, in->attrs);
  for (size_t i = 0; i < in->arg_count; i++) {
    const gj_type *type = gj__operand(in, i);
    char letter;
    count = word(own->operands, i, &text);
    if (type->rank < count)
      return refuse_operand(in, i, text, count, "");
    if (!read_sizes(&l, text, count, type, &letter))
      return refuse_operand(in, i, text, count,
                            gj_dim_is_const(letter_of(&l, letter)) ? ""
                                                                   : "; use the same symbol for "
                                                                     "sizes that are equal");
    gj_type front = {.rank = (uint8_t)(type->rank - count)};
    memcpy(front.shape, type->shape, front.rank * sizeof *front.shape);
    if (i == 0)
      batch = front;
    if (!gj__type_equal(&batch, &front))
      return gj_fail(in->err, GJ_E_SHAPE,
                     "%s: operands %%%u and %%%u have shapes %s and %s, but the axes in front of "
                     "the last must be the same",
                     in->name, in->args[0], in->args[i],
                     gj__shape_text(in->dims, gj__operand(in, 0)).s,
                     gj__shape_text(in->dims, type).s);
  }
  if (in->op == GJ_OP_qr && letter_of(&l, 'c') != letter_of(&l, 'm') &&
      letter_of(&l, 'c') != letter_of(&l, 'r'))
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: count is %s, but Q may have %s or %s columns",
                   in->name, gj__dim_text(in->dims, letter_of(&l, 'c')).s,
                   gj__dim_text(in->dims, letter_of(&l, 'r')).s,
                   gj__dim_text(in->dims, letter_of(&l, 'm')).s);
  count = word(own->results, 0, &text);
  if (batch.rank + count > GJ_MAX_RANK)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: rank %zu of the result is above the highest, %d",
                   in->name, batch.rank + count, GJ_MAX_RANK);
  *out = type_of(&l, text, count, &batch, out->dtype);
  return GJ_OK;
}

// --- of a node ---

static gj_dim plus(gj_dims *dims, gj_dim sum, int factor, gj_dim a, gj_dim b) {
  if (factor == 0)
    return sum;
  return gj_dim_add(dims, sum, gj_dim_mul(dims, factor, gj_dim_mul(dims, a, b)));
}

static gj_dim work_of(letters *l, const work *w) {
  gj_dim m = l->of['m'], n = l->of['n'], k = l->of['k'], sum = w->one;
  gj_dim r = w->rr || w->r ? letter_of(l, 'r') : 0;
  sum = plus(l->dims, sum, w->mn, m, n);
  sum = plus(l->dims, sum, w->nn, n, n);
  sum = plus(l->dims, sum, w->nk, n, k);
  sum = plus(l->dims, sum, w->rr, r, r);
  sum = plus(l->dims, sum, w->m, m, 1);
  sum = plus(l->dims, sum, w->n, n, 1);
  return plus(l->dims, sum, w->r, r, 1);
}

static int64_t options_of(letters *l, const gj_node *node) {
  const gj_attrs *attrs = node->attrs;
  switch ((gj_op)node->op) {
  case GJ_OP_triangular_solve:
    return attrs->list[GJ_ATTR_upper].values[0] | attrs->list[GJ_ATTR_adjoint].values[0] << 1;
  case GJ_OP_lu_solve:
  case GJ_OP_fft:
    return attrs->list[GJ_ATTR_adjoint].values[0];
  case GJ_OP_qr:
    return letter_of(l, 'c') == letter_of(l, 'm');
  default:
    return 0;
  }
}

size_t gj__library_result_count(const gj_node *node) {
  return word_count(row_of((gj_op)node->op)->results);
}

gj_library_form gj_library_form_of(const gj_graph *graph, const gj_node *node) {
  const row *own = row_of((gj_op)node->op);
  const char *text, *results = own->results;
  letters l;
  char letter;
  gj_library_form form = {.function = gj_op_name((gj_op)node->op),
                          .result_count = (uint8_t)word_count(results),
                          .at_once = own->at_once,
                          .takes_options = own->takes_options};
  letters_init(&l, graph, (gj_op)node->op, node->attrs);
  for (size_t i = 0; i < node->arg_count; i++) {
    const gj_type *type = &gj_graph_node(graph, node->args[i])->type;
    size_t count = word(own->operands, i, &text);
    read_sizes(&l, text, count, type, &letter);
    form.operand_axes[i] = (uint8_t)count;
  }
  form.batch = gj_graph_node(graph, node->args[0])->type;
  form.batch.rank = (uint8_t)(form.batch.rank - form.operand_axes[0]);
  for (size_t i = 0; i < form.result_count; i++) {
    size_t count = word(results, i, &text);
    bool rows_of_lu = node->op == GJ_OP_lu && i == 1;
    form.results[i] =
        type_of(&l, text, count, &form.batch, rows_of_lu ? GJ_DTYPE_i32 : node->type.dtype);
    form.result_axes[i] = (uint8_t)count;
  }
  for (; own->passed[form.passed_count]; form.passed_count++)
    form.passed[form.passed_count] = (uint8_t)(own->passed[form.passed_count] - '0');
  for (; own->sizes[form.size_count]; form.size_count++)
    form.sizes[form.size_count] = l.of[(unsigned char)own->sizes[form.size_count]];
  form.options = options_of(&l, node);
  // of a matrix as many as it has columns, or as the result has
  form.steps = own->at_once == ALL ? 1 : form.sizes[form.size_count - 1];
  form.work = work_of(&l, &own->work);
  return form;
}
