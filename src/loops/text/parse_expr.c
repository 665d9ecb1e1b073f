// Expressions of the Loop IR text form. The grammar stands at the head of parse.c.
//
// Nodes are made exactly as written, without the folding of the builders: printing what was parsed
// gives back the text.

#include "loops/rules.h"
#include "loops/text/lex.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

typedef struct arguments {
  const gj_lexpr **items;
  size_t count, capacity;
} arguments;

static gj_status read_argument(gj__lreader *r, unsigned depth, arguments *args) {
  const gj_lexpr **items =
      gj_array_grow(args->items, &args->capacity, args->count + 1, sizeof *items);
  if (!items)
    return gj__lread_fail(r, GJ_E_MEMORY, "out of memory for arguments");
  args->items = items;
  GJ_TRY(gj__lread_expr(r, depth + 1, &args->items[args->count]));
  args->count++;
  return GJ_OK;
}

static gj_status read_arguments(gj__lreader *r, unsigned depth, arguments *args) {
  GJ_TRY(gj__lread_expect(r, "("));
  if (gj__lread_accept(r, ")"))
    return r->status;
  do
    GJ_TRY(read_argument(r, depth, args));
  while (gj__lread_accept(r, ","));
  return gj__lread_expect(r, ")");
}

// "over" lo "to" hi "grain" g
static gj_status read_range(gj__lreader *r, unsigned depth, arguments *args) {
  static const char *const words[3] = {"over", "to", "grain"};
  for (int i = 0; i < 3; i++) {
    GJ_TRY(gj__lread_expect(r, words[i]));
    GJ_TRY(read_argument(r, depth, args));
  }
  return GJ_OK;
}

// Builds `draft` over the arguments in brackets that follow.
static gj_status read_node(gj__lreader *r, unsigned depth, const gj_lexpr *draft,
                           const gj_lexpr **out_expr) {
  arguments args = {0};
  gj_status status = read_arguments(r, depth, &args);
  if (!status && draft->kind == GJ_LX_PARALLEL)
    status = read_range(r, depth, &args);
  if (!status) {
    *out_expr = gj__lx_new(r->m, r->f, draft, args.items, args.count);
    status = gj__lread_built(r);
  }
  free(args.items);
  return status;
}

static gj_status read_leaf(gj__lreader *r, const gj_lexpr *draft, const gj_lexpr **out_expr) {
  *out_expr = gj__lx_new(r->m, r->f, draft, NULL, 0);
  return gj__lread_built(r);
}

static gj_status read_angle_int(gj__lreader *r, const char *what, int64_t most, int64_t *out) {
  GJ_TRY(gj__lread_expect(r, "<"));
  return gj__lread_int(r, what, 0, most, out);
}

static gj_status read_lanes(gj__lreader *r, unsigned depth, gj_lexpr_kind kind,
                            const gj_lexpr **out_expr) {
  int64_t lanes;
  gj__lread_next(r);
  GJ_TRY(read_angle_int(r, "lanes", GJ_MAX_LANES, &lanes));
  GJ_TRY(gj__lread_expect(r, ">"));
  gj_lexpr draft = {.kind = (uint8_t)kind, .type = gj_ltype_vector(GJ_DTYPE_i64, (unsigned)lanes)};
  return kind == GJ_LX_LANES ? read_leaf(r, &draft, out_expr)
                             : read_node(r, depth, &draft, out_expr);
}

static gj_status read_ahead(gj__lreader *r, unsigned depth, const gj_lexpr **out_expr) {
  int64_t bytes;
  gj__lread_next(r);
  GJ_TRY(read_angle_int(r, "bytes", GJ_LOOPS_MAX_ALIGN, &bytes));
  GJ_TRY(gj__lread_expect(r, ">"));
  gj_lexpr draft = {.kind = GJ_LX_AHEAD, .index = (uint32_t)bytes};
  return read_node(r, depth, &draft, out_expr);
}

static gj_status read_numbered(gj__lreader *r, gj_lexpr_kind kind, const gj_lexpr **out_expr) {
  int64_t index;
  gj_lexpr draft = {.kind = (uint8_t)kind};
  gj__lread_next(r);
  GJ_TRY(read_angle_int(r, "a number", UINT32_MAX, &index));
  draft.index = (uint32_t)index;
  if (kind == GJ_LX_BUFFER) {
    gj_dtype dtype;
    GJ_TRY(gj__lread_expect(r, ","));
    GJ_TRY(gj__lread_dtype(r, &dtype));
    draft.type = gj_ltype_pointer(dtype);
  }
  GJ_TRY(gj__lread_expect(r, ">"));
  return read_leaf(r, &draft, out_expr);
}

// scratch, alloc, pointer and wrap: what comes of them stands in angle brackets.
static gj_status read_typed(gj__lreader *r, unsigned depth, gj_lexpr_kind kind,
                            const gj_lexpr **out_expr) {
  gj_dtype dtype;
  gj__lread_next(r);
  GJ_TRY(gj__lread_expect(r, "<"));
  GJ_TRY(gj__lread_dtype(r, &dtype));
  GJ_TRY(gj__lread_expect(r, ">"));
  gj_lexpr draft = {.kind = (uint8_t)kind, .type = gj_ltype_pointer(dtype)};
  if (kind == GJ_LX_WRAP)
    draft.type = gj_ltype_scalar(dtype);
  return read_node(r, depth, &draft, out_expr);
}

// overflows add(a, b)
static gj_status read_overflows(gj__lreader *r, unsigned depth, const gj_lexpr **out_expr) {
  gj__lread_next(r);
  gj_op op = gj_op_parse(r->token.text, r->token.length);
  if (op != GJ_OP_add && op != GJ_OP_sub && op != GJ_OP_mul)
    return gj__lread_expected(r, "add, sub or mul");
  gj__lread_next(r);
  return read_node(r, depth, &(gj_lexpr){.kind = GJ_LX_OVERFLOWS, .op = (uint16_t)op}, out_expr);
}

static gj_status read_call(gj__lreader *r, unsigned depth, gj_lexpr_kind kind,
                           const gj_lexpr **out_expr) {
  gj__lread_next(r);
  uint32_t found = r->token.kind == GJ__TOKEN_NAME
                       ? gj__lname_find(r->m, NULL, r->token.text, r->token.length)
                       : 0;
  if (!found)
    return gj__lread_expected(r, "the name of a function");
  gj__lread_next(r);
  gj_lexpr draft = {.kind = (uint8_t)kind, .index = found - 1};
  return read_node(r, depth, &draft, out_expr);
}

static gj_status read_op(gj__lreader *r, unsigned depth, const gj_lexpr **out_expr) {
  gj_op op = gj_op_parse(r->token.text, r->token.length);
  if (op == GJ_OP_none || !gj_op_is_elementwise(op))
    return gj__lread_expected(r, "an elementwise op");
  gj_lexpr draft = {.kind = GJ_LX_OP, .op = (uint16_t)op};
  gj__lread_next(r);
  if (gj_op_get(op)->attrs & GJ_HAS_DTYPE) {
    gj_dtype dtype;
    GJ_TRY(gj__lread_expect(r, "<"));
    GJ_TRY(gj__lread_dtype(r, &dtype));
    GJ_TRY(gj__lread_expect(r, ">"));
    draft.type = gj_ltype_scalar(dtype);
  } else if (gj__lread_accept(r, "<")) {
    GJ_TRY(gj__lread_expect(r, "js"));
    GJ_TRY(gj__lread_expect(r, ">"));
    draft.index = GJ_LX_JS;
  }
  return read_node(r, depth, &draft, out_expr);
}

static gj_status read_local(gj__lreader *r, const gj_lexpr **out_expr) {
  uint32_t found = gj__lname_find(r->m, r->f, r->token.text, r->token.length);
  if (!found)
    return gj__lread_expected(r, "a local, an op or a constant");
  gj__lread_next(r);
  return read_leaf(r, &(gj_lexpr){.kind = GJ_LX_LOCAL, .index = found - 1}, out_expr);
}

// Words that are free as names, since a bracket follows where they are meant.
static bool is_free(gj_lexpr_kind kind) {
  return kind == GJ_LX_TRUES || kind == GJ_LX_COMPRESS || kind == GJ_LX_BITS || kind == GJ_LX_MASK;
}

// Words with a meaning of their own; GJ_LX_LOCAL for all others.
static gj_lexpr_kind word_kind(const gj__lreader *r) {
  static const struct {
    const char *word;
    gj_lexpr_kind kind;
  } words[] = {
      {"true", GJ_LX_CONST},        {"false", GJ_LX_CONST},       {"inf", GJ_LX_CONST},
      {"nan", GJ_LX_CONST},         {"offset", GJ_LX_OFFSET},     {"splat", GJ_LX_SPLAT},
      {"lanes", GJ_LX_LANES},       {"any", GJ_LX_ANY},           {"reverse", GJ_LX_REVERSE},
      {"call", GJ_LX_CALL},         {"buffer", GJ_LX_BUFFER},     {"dim", GJ_LX_DIM},
      {"scratch", GJ_LX_SCRATCH},   {"data", GJ_LX_DATA},         {"cancelled", GJ_LX_CANCELLED},
      {"parallel", GJ_LX_PARALLEL}, {"slot", GJ_LX_SLOT},         {"ahead", GJ_LX_AHEAD},
      {"first", GJ_LX_FIRST},       {"wrap", GJ_LX_WRAP},         {"overflows", GJ_LX_OVERFLOWS},
      {"too_deep", GJ_LX_TOO_DEEP}, {"alloc", GJ_LX_ALLOC},       {"is_null", GJ_LX_IS_NULL},
      {"mark", GJ_LX_MARK},         {"address", GJ_LX_ADDRESS},   {"pointer", GJ_LX_POINTER},
      {"trues", GJ_LX_TRUES},       {"compress", GJ_LX_COMPRESS}, {"bits", GJ_LX_BITS},
      {"mask", GJ_LX_MASK},
  };
  char behind = gj__lread_behind(r);
  bool bracket = behind == '(' || behind == '<';
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (gj__lread_is(r, words[i].word))
      return bracket || !is_free(words[i].kind) ? words[i].kind : GJ_LX_LOCAL;
  return GJ_LX_LOCAL;
}

static gj_status read_word(gj__lreader *r, unsigned depth, const gj_lexpr **out_expr) {
  gj_lexpr_kind kind = word_kind(r);
  char behind = gj__lread_behind(r);
  switch (kind) {
  case GJ_LX_SPLAT:
  case GJ_LX_LANES:
  case GJ_LX_FIRST:
  case GJ_LX_MASK:
    return read_lanes(r, depth, kind, out_expr);
  case GJ_LX_BUFFER:
  case GJ_LX_DIM:
  case GJ_LX_DATA:
    return read_numbered(r, kind, out_expr);
  case GJ_LX_AHEAD:
    return read_ahead(r, depth, out_expr);
  case GJ_LX_SCRATCH:
  case GJ_LX_ALLOC:
  case GJ_LX_POINTER:
  case GJ_LX_WRAP:
    return read_typed(r, depth, kind, out_expr);
  case GJ_LX_OVERFLOWS:
    return read_overflows(r, depth, out_expr);
  case GJ_LX_CALL:
  case GJ_LX_PARALLEL:
    return read_call(r, depth, kind, out_expr);
  case GJ_LX_CANCELLED:
  case GJ_LX_SLOT:
  case GJ_LX_TOO_DEEP:
  case GJ_LX_MARK:
    gj__lread_next(r);
    return read_leaf(r, &(gj_lexpr){.kind = (uint8_t)kind}, out_expr);
  case GJ_LX_LOCAL:
    return behind == '(' || behind == '<' ? read_op(r, depth, out_expr) : read_local(r, out_expr);
  default:
    gj__lread_next(r);
    return read_node(r, depth, &(gj_lexpr){.kind = (uint8_t)kind}, out_expr);
  }
}

gj_status gj__lread_primary(gj__lreader *r, unsigned depth, const gj_lexpr **out_expr) {
  if (depth >= GJ_LOOPS_MAX_DEPTH)
    return gj__lread_fail(r, GJ_E_PARSE, "expressions nest more than %d deep", GJ_LOOPS_MAX_DEPTH);
  if (r->token.kind == GJ__TOKEN_NAME && word_kind(r) != GJ_LX_CONST)
    return read_word(r, depth, out_expr);
  if (r->token.kind != GJ__TOKEN_NUMBER && r->token.kind != GJ__TOKEN_NAME)
    return gj__lread_expected(r, "an expression");
  gj_lexpr draft = {.kind = GJ_LX_CONST};
  GJ_TRY(gj__lread_const(r, &draft.value));
  return read_leaf(r, &draft, out_expr);
}

// stride [at k of used]
static gj_status read_record(gj__lreader *r, uint32_t *out_record) {
  int64_t stride, at = 0, used = 1;
  GJ_TRY(gj__lread_int(r, "stride", 2, GJ_MAX_STRIDE, &stride));
  if (gj__lread_accept(r, "at")) {
    GJ_TRY(gj__lread_int(r, "element", 0, stride - 1, &at));
    GJ_TRY(gj__lread_expect(r, "of"));
    GJ_TRY(gj__lread_int(r, "elements", 2, stride, &used));
  }
  *out_record = gj_lrecord_pack((gj_lrecord){(unsigned)stride, (unsigned)at, (unsigned)used});
  return GJ_OK;
}

gj_status gj__lread_expr(gj__lreader *r, unsigned depth, const gj_lexpr **out_expr) {
  GJ_TRY(gj__lread_primary(r, depth, out_expr));
  if (!gj__lread_accept(r, "["))
    return r->status;
  const gj_lexpr *args[3] = {*out_expr};
  size_t count = 2;
  GJ_TRY(gj__lread_expr(r, depth + 1, &args[1]));
  int64_t lanes = args[1]->type.lanes;
  uint32_t record = 0;
  if (gj__lread_accept(r, ":")) {
    GJ_TRY(gj__lread_int(r, "lanes", 2, GJ_MAX_LANES, &lanes));
    if (gj__lread_accept(r, ":"))
      GJ_TRY(read_record(r, &record));
  }
  if (gj__lread_accept(r, "if"))
    GJ_TRY(gj__lread_expr(r, depth + 1, &args[count++]));
  GJ_TRY(gj__lread_expect(r, "]"));
  gj_lexpr draft = {.kind = GJ_LX_LOAD, .index = record, .type = {.lanes = (uint16_t)lanes}};
  *out_expr = gj__lx_new(r->m, r->f, &draft, args, count);
  return gj__lread_built(r);
}
