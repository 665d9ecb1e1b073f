// Parser of the Loop IR text form: recursive descent over the tokens of lex.c.
//
//   module    = "module" string "{" data* function* "}"
//   data      = "data" number ":" dtype "[" count "]" "=" "hex" string       numbered from 0; the
//   bytes
//   function  = [ "note" string ] [ "entry" | "export" | "extern" string ] "func" name "(" params
//               ")" [ "->" type ] block                                       extern: no block
//   params    = [ param { "," param } ]
//   param     = name ":" type [ "noalias" ] [ "readonly" ]
//   type      = dtype [ "*" | "<" lanes ">" ]
//   block     = "{" statement* "}"
//   statement = "let" name ":" type "=" expr            | name "=" expr
//             | [ "stream" ] primary "[" expr [ "if" expr ] "]" "=" expr         | "fence"
//             | "array" name ":" dtype "[" count "]"
//             | "tile" "<" side ">" primary "=" primary "[" expr "by" expr "]"
//             | "for" name "=" expr "to" expr "step" number mark* [ place ] block
//             | "while" "(" expr ")" [ place ] block    | "if" "(" expr ")" block [ "else" block ]
//             | "break" [ level ] | "continue" [ level ] | "return" [ expr ] | "do" expr
//             | "fetch" expr [ "to" "write" ]           | "release" expr | "assume" expr
//   place     = "at" line ":" column
//   mark      = "vector" [ "(" factor ")" ] [ "stream" "(" expr ")" ] | "unroll" | "tile"
//   expr      = primary [ "[" expr [ ":" lanes [ record ] ] [ "if" expr ] "]" ]  p[v] gathers
//   record    = ":" stride [ "at" element "of" elements ]
//   primary   = constant | name | op [ "<" ( dtype | "js" ) ">" ] "(" args ")" | "call" name "("
//   args ")"
//             | "parallel" name "(" args ")" "over" expr "to" expr "grain" expr
//             | "offset" "(" expr "," expr ")" | "splat" "<" lanes ">" "(" expr ")"
//             | "lanes" "<" lanes ">" | "first" "<" lanes ">" "(" expr ")"
//             | "reverse" "(" expr ")" | "any" "(" expr ")" | "ahead" "<" bytes ">" "(" expr ")"
//             | "buffer" "<" number "," dtype ">" | "dim" "<" number ">" | "data" "<" number ">"
//             | "scratch" "<" dtype ">" "(" expr ")" | "cancelled" | "slot" | "too_deep" | "mark"
//             | "wrap" "<" dtype ">" "(" expr ")" | "overflows" op "(" expr "," expr ")"
//             | "alloc" "<" dtype ">" "(" expr ")" | "is_null" "(" expr ")"
//             | "address" "(" expr ")" | "pointer" "<" dtype ">" "(" expr ")"
//   constant  = "true" | "false"
//             | ( number | "inf" | "-inf" | "nan" [ "(" bits ")" ] ) [ ":" dtype ]
//
// A constant without dtype is an i64; literals are those of ops/literal.h. Names are
// [A-Za-z_][A-Za-z0-9_]* and none of the words above (names of ops are allowed). "//" begins a
// comment, which is dropped. "return" takes a value exactly in functions that have a result.
// Functions may call those that stand behind them: the heads of all are read before the bodies.
// Printing and parsing are inverse: structure, names and the bits of constants survive. What was
// read is verified before it is returned.

#include "loops/rules.h"
#include "loops/text/lex.h"

#include "base/array.h"
#include "base/size.h"

#include <stdlib.h>
#include <string.h>

static gj_status read_block(gj__lreader *r, unsigned nest, gj_lblock *b);

// A new name, copied to the arena; of a function when r->f is NULL.
static gj_status read_new_name(gj__lreader *r, const char **out_name) {
  const gj__ltoken *token = &r->token;
  if (token->kind != GJ__TOKEN_NAME || !gj__lname_ok(token->text, token->length))
    return gj__lread_expected(r, "a new name");
  if (gj__lname_find(r->m, r->f, token->text, token->length))
    return gj__lread_expected(r, "a name that is not taken");
  *out_name = gj_arena_strndup(&r->m->arena, token->text, token->length);
  gj__lread_next(r);
  return r->status;
}

// --- statements ---

static gj_status append(gj__lreader *r, gj_lblock *b, const gj_lstmt *draft, gj_lstmt **out_stmt) {
  gj_lstmt *s = gj__ls_append(r->m, r->f, b, draft);
  if (out_stmt)
    *out_stmt = s;
  return gj__lread_built(r);
}

static gj_status read_let(gj__lreader *r, gj_lblock *b) {
  const char *name;
  gj_ltype type;
  gj_lstmt draft = {.kind = GJ_LS_LET};
  GJ_TRY(read_new_name(r, &name));
  GJ_TRY(gj__lread_expect(r, ":"));
  GJ_TRY(gj__lread_type(r, &type));
  GJ_TRY(gj__lread_expect(r, "="));
  // The local is entered behind its value: "let a: f64 = a" reads another a, or none.
  GJ_TRY(gj__lread_expr(r, 0, &draft.a));
  draft.local = gj__lfunc_local(r->m, r->f, name, type);
  return append(r, b, &draft, NULL);
}

static gj_status read_set(gj__lreader *r, gj_lblock *b) {
  uint32_t found = gj__lname_find(r->m, r->f, r->token.text, r->token.length);
  if (!found)
    return gj__lread_expected(r, "a local or a statement");
  gj_lstmt draft = {.kind = GJ_LS_SET, .local = found - 1};
  gj__lread_next(r);
  GJ_TRY(gj__lread_expect(r, "="));
  GJ_TRY(gj__lread_expr(r, 0, &draft.a));
  return append(r, b, &draft, NULL);
}

// A store to a pointer that has been read.
static gj_status read_store_to(gj__lreader *r, uint8_t marks, const gj_lexpr *pointer,
                               gj_lblock *b) {
  gj_lstmt draft = {.kind = GJ_LS_STORE, .marks = marks, .a = pointer};
  GJ_TRY(gj__lread_expect(r, "["));
  GJ_TRY(gj__lread_expr(r, 0, &draft.b));
  if (gj__lread_accept(r, "if"))
    GJ_TRY(gj__lread_expr(r, 0, &draft.d));
  GJ_TRY(gj__lread_expect(r, "]"));
  GJ_TRY(gj__lread_expect(r, "="));
  GJ_TRY(gj__lread_expr(r, 0, &draft.c));
  return append(r, b, &draft, NULL);
}

static gj_status read_store(gj__lreader *r, uint8_t marks, gj_lblock *b) {
  const gj_lexpr *pointer;
  GJ_TRY(gj__lread_primary(r, 0, &pointer));
  return read_store_to(r, marks, pointer, b);
}

static gj_status read_tile(gj__lreader *r, gj_lblock *b) {
  gj_lstmt draft = {.kind = GJ_LS_TILE};
  GJ_TRY(gj__lread_expect(r, "<"));
  GJ_TRY(gj__lread_int(r, "side", 2, GJ_MAX_TILE, &draft.count));
  GJ_TRY(gj__lread_expect(r, ">"));
  GJ_TRY(gj__lread_primary(r, 0, &draft.a));
  GJ_TRY(gj__lread_expect(r, "="));
  GJ_TRY(gj__lread_primary(r, 0, &draft.b));
  GJ_TRY(gj__lread_expect(r, "["));
  GJ_TRY(gj__lread_expr(r, 0, &draft.c));
  GJ_TRY(gj__lread_expect(r, "by"));
  GJ_TRY(gj__lread_expr(r, 0, &draft.d));
  GJ_TRY(gj__lread_expect(r, "]"));
  return append(r, b, &draft, NULL);
}

static gj_status read_fetch(gj__lreader *r, gj_lblock *b) {
  gj_lstmt draft = {.kind = GJ_LS_FETCH};
  GJ_TRY(gj__lread_expr(r, 0, &draft.a));
  if (gj__lread_accept(r, "to")) {
    GJ_TRY(gj__lread_expect(r, "write"));
    draft.marks = GJ_FETCH_WRITE;
  }
  return append(r, b, &draft, NULL);
}

// dim<0> = e, or a store to a pointer that is written with < as well.
static gj_status read_dim(gj__lreader *r, gj_lblock *b) {
  gj_lstmt draft = {.kind = GJ_LS_DIM};
  GJ_TRY(gj__lread_primary(r, 0, &draft.a));
  if (draft.a->kind != GJ_LX_DIM)
    return read_store_to(r, 0, draft.a, b);
  draft.count = draft.a->index;
  GJ_TRY(gj__lread_expect(r, "="));
  GJ_TRY(gj__lread_expr(r, 0, &draft.a));
  return append(r, b, &draft, NULL);
}

static gj_status read_array(gj__lreader *r, gj_lblock *b) {
  const char *name;
  gj_dtype dtype;
  gj_lstmt draft = {.kind = GJ_LS_ARRAY};
  GJ_TRY(read_new_name(r, &name));
  GJ_TRY(gj__lread_expect(r, ":"));
  GJ_TRY(gj__lread_dtype(r, &dtype));
  GJ_TRY(gj__lread_expect(r, "["));
  GJ_TRY(gj__lread_int(r, "elements", 1, GJ_LOOPS_MAX_STACK, &draft.count));
  GJ_TRY(gj__lread_expect(r, "]"));
  draft.local = gj__lfunc_local(r->m, r->f, name, gj_ltype_pointer(dtype));
  return append(r, b, &draft, NULL);
}

static gj_status read_condition(gj__lreader *r, const gj_lexpr **out_expr) {
  if (!gj__lread_accept(r, "stream"))
    return r->status;
  GJ_TRY(gj__lread_expect(r, "("));
  GJ_TRY(gj__lread_expr(r, 0, out_expr));
  return gj__lread_expect(r, ")");
}

static gj_status read_marks(gj__lreader *r, gj_lstmt *s) {
  static const struct {
    const char *word;
    uint8_t bit;
  } marks[] = {{"vector", GJ_LOOP_VECTOR}, {"unroll", GJ_LOOP_UNROLL}, {"tile", GJ_LOOP_TILE}};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    if (!gj__lread_accept(r, marks[i].word))
      continue;
    int64_t factor = 1;
    s->marks |= marks[i].bit;
    if (marks[i].bit == GJ_LOOP_VECTOR) {
      if (gj__lread_accept(r, "(")) {
        GJ_TRY(gj__lread_int(r, "factor", 1, GJ_LOOPS_MAX_FACTOR, &factor));
        GJ_TRY(gj__lread_expect(r, ")"));
      }
      s->factor = (uint8_t)factor;
      GJ_TRY(read_condition(r, &s->d));
    }
  }
  return r->status;
}

static gj_status read_position(gj__lreader *r, gj_lstmt *s) {
  int64_t line, column;
  if (!gj__lread_accept(r, "at"))
    return r->status;
  GJ_TRY(gj__lread_int(r, "line", 1, UINT32_MAX, &line));
  GJ_TRY(gj__lread_expect(r, ":"));
  GJ_TRY(gj__lread_int(r, "column", 1, UINT32_MAX, &column));
  s->line = (uint32_t)line;
  s->column = (uint32_t)column;
  return r->status;
}

static gj_status read_for(gj__lreader *r, unsigned nest, gj_lblock *b) {
  const char *name;
  gj_lstmt draft = {.kind = GJ_LS_FOR}, *made;
  GJ_TRY(read_new_name(r, &name));
  GJ_TRY(gj__lread_expect(r, "="));
  GJ_TRY(gj__lread_expr(r, 0, &draft.a));
  GJ_TRY(gj__lread_expect(r, "to"));
  GJ_TRY(gj__lread_expr(r, 0, &draft.b));
  GJ_TRY(gj__lread_expect(r, "step"));
  GJ_TRY(gj__lread_int(r, "step", 1, INT64_MAX, &draft.count));
  GJ_TRY(read_marks(r, &draft));
  GJ_TRY(read_position(r, &draft));
  draft.local = gj__lfunc_local(r->m, r->f, name, gj_ltype_scalar(GJ_DTYPE_i64));
  GJ_TRY(append(r, b, &draft, &made));
  return read_block(r, nest + 1, &made->body);
}

static gj_status read_branch(gj__lreader *r, unsigned nest, gj_lstmt_kind kind, gj_lblock *b) {
  gj_lstmt draft = {.kind = (uint8_t)kind}, *made;
  GJ_TRY(gj__lread_expect(r, "("));
  GJ_TRY(gj__lread_expr(r, 0, &draft.a));
  GJ_TRY(gj__lread_expect(r, ")"));
  if (kind == GJ_LS_WHILE)
    GJ_TRY(read_position(r, &draft));
  GJ_TRY(append(r, b, &draft, &made));
  GJ_TRY(read_block(r, nest + 1, &made->body));
  if (kind == GJ_LS_IF && gj__lread_accept(r, "else"))
    return read_block(r, nest + 1, &made->orelse);
  return r->status;
}

static gj_status read_leave(gj__lreader *r, gj_lstmt_kind kind, gj_lblock *b) {
  gj_lstmt draft = {.kind = (uint8_t)kind};
  if (kind == GJ_LS_RETURN ? r->f->returns.dtype != GJ_DTYPE_none : true)
    GJ_TRY(gj__lread_expr(r, 0, &draft.a));
  return append(r, b, &draft, NULL);
}

static gj_status read_jump(gj__lreader *r, gj_lstmt_kind kind, gj_lblock *b) {
  gj_lstmt draft = {.kind = (uint8_t)kind, .count = 1};
  if (r->token.kind == GJ__TOKEN_NUMBER)
    GJ_TRY(gj__lread_int(r, "the number of a loop", 1, GJ_LOOPS_MAX_NEST, &draft.count));
  return append(r, b, &draft, NULL);
}

static gj_status read_statement(gj__lreader *r, unsigned nest, gj_lblock *b) {
  if (gj__lread_accept(r, "let"))
    return read_let(r, b);
  if (gj__lread_accept(r, "array"))
    return read_array(r, b);
  if (gj__lread_accept(r, "tile"))
    return read_tile(r, b);
  if (gj__lread_accept(r, "for"))
    return read_for(r, nest, b);
  if (gj__lread_accept(r, "while"))
    return read_branch(r, nest, GJ_LS_WHILE, b);
  if (gj__lread_accept(r, "if"))
    return read_branch(r, nest, GJ_LS_IF, b);
  if (gj__lread_accept(r, "break"))
    return read_jump(r, GJ_LS_BREAK, b);
  if (gj__lread_accept(r, "continue"))
    return read_jump(r, GJ_LS_CONTINUE, b);
  if (gj__lread_accept(r, "return"))
    return read_leave(r, GJ_LS_RETURN, b);
  if (gj__lread_accept(r, "fence"))
    return append(r, b, &(gj_lstmt){.kind = GJ_LS_FENCE}, NULL);
  if (gj__lread_accept(r, "do"))
    return read_leave(r, GJ_LS_DO, b);
  if (gj__lread_accept(r, "release"))
    return read_leave(r, GJ_LS_RELEASE, b);
  if (gj__lread_accept(r, "assume"))
    return read_leave(r, GJ_LS_ASSUME, b);
  if (gj__lread_accept(r, "fetch"))
    return read_fetch(r, b);
  if (r->token.kind == GJ__TOKEN_NAME && gj__lread_behind(r) == '<')
    return read_dim(r, b);
  if (r->token.kind == GJ__TOKEN_NAME && gj__lread_behind(r) == '=')
    return read_set(r, b);
  return read_store(r, gj__lread_accept(r, "stream") ? GJ_STORE_STREAM : 0, b);
}

static gj_status read_block(gj__lreader *r, unsigned nest, gj_lblock *b) {
  if (nest > GJ_LOOPS_MAX_NEST)
    return gj__lread_fail(r, GJ_E_PARSE, "statements nest more than %d deep", GJ_LOOPS_MAX_NEST);
  GJ_TRY(gj__lread_expect(r, "{"));
  while (!gj__lread_accept(r, "}"))
    GJ_TRY(read_statement(r, nest, b));
  return r->status;
}

// --- functions and modules ---

static gj_status read_param(gj__lreader *r) {
  const char *name;
  gj_ltype type;
  uint8_t flags = 0;
  GJ_TRY(read_new_name(r, &name));
  GJ_TRY(gj__lread_expect(r, ":"));
  GJ_TRY(gj__lread_type(r, &type));
  if (gj__lread_accept(r, "noalias"))
    flags |= GJ_LOCAL_NOALIAS;
  if (gj__lread_accept(r, "readonly"))
    flags |= GJ_LOCAL_READONLY;
  uint32_t local = gj__lfunc_local(r->m, r->f, name, type);
  GJ_TRY(gj__lread_built(r));
  r->f->locals[local].flags = flags;
  r->f->param_count++;
  return r->status;
}

// Everything of a function but its body.
static gj_status read_head(gj__lreader *r) {
  const char *name, *note = NULL, *external = NULL, *library = NULL;
  r->f = NULL;
  if (gj__lread_accept(r, "note"))
    GJ_TRY(gj__lread_string(r, &note));
  if (gj__lread_accept(r, "extern"))
    GJ_TRY(gj__lread_string(r, &external));
  else if (gj__lread_accept(r, "library"))
    GJ_TRY(gj__lread_string(r, &library));
  bool entry = gj__lread_accept(r, "entry"), exported = !entry && gj__lread_accept(r, "export");
  GJ_TRY(gj__lread_expect(r, "func"));
  GJ_TRY(read_new_name(r, &name));
  gj_lfunc *f = gj__lfunc_new(r->m, name, (gj_ltype){GJ_DTYPE_none, 0, 1}, entry);
  GJ_TRY(gj__lread_built(r));
  r->f = f;
  f->note = note;
  f->exported = exported;
  f->external = external;
  f->library = library;
  GJ_TRY(gj__lread_expect(r, "("));
  if (!gj__lread_is(r, ")"))
    do
      GJ_TRY(read_param(r));
    while (gj__lread_accept(r, ","));
  GJ_TRY(gj__lread_expect(r, ")"));
  if (gj__lread_accept(r, "->"))
    GJ_TRY(gj__lread_type(r, &f->returns));
  return gj__lread_built(r);
}

// Leaves out a body, to be read when the names of all functions are known. What is wrong with it is
// said then, and that the text ends in it, too.
static gj_status skip_body(gj__lreader *r) {
  size_t depth = 0;
  do {
    if (gj__lread_is(r, "{"))
      depth++;
    else if (gj__lread_is(r, "}"))
      depth--;
    else if (depth == 0)
      return gj__lread_expect(r, "{");
    gj__lread_next(r);
  } while (depth && r->token.kind != GJ__TOKEN_END);
  return r->status;
}

typedef struct heads {
  const char **bodies; // by function: where its body begins, NULL for those without
  size_t count, capacity;
} heads;

static gj_status read_heads(gj__lreader *r, heads *h) {
  while (r->token.kind != GJ__TOKEN_END && !gj__lread_is(r, "}")) {
    const char **bodies = gj_array_grow(h->bodies, &h->capacity, h->count + 1, sizeof *bodies);
    if (!bodies)
      return gj__lread_fail(r, GJ_E_MEMORY, "out of memory for functions");
    h->bodies = bodies;
    GJ_TRY(read_head(r));
    bool foreign = gj_lfunc_is_foreign(r->f);
    h->bodies[h->count++] = foreign ? NULL : r->token.text;
    if (!foreign)
      GJ_TRY(skip_body(r));
  }
  return r->status;
}

// Functions up to a brace or the end of the text.
static gj_status read_funcs(gj__lreader *r) {
  heads h = {0};
  uint32_t first = r->m->func_count;
  gj_status status = read_heads(r, &h);
  gj__lreader behind = *r;
  for (size_t i = 0; i < h.count && !status; i++) {
    if (!h.bodies[i])
      continue;
    r->at = h.bodies[i];
    r->f = r->m->funcs[first + i];
    gj__lread_next(r);
    status = read_block(r, 0, &r->f->body);
  }
  free(h.bodies);
  if (status)
    return status;
  *r = behind;
  return GJ_OK;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Decodes the string token into `bytes` bytes; NULL without memory or with the error reported.
static unsigned char *read_hex(gj__lreader *r, size_t bytes) {
  size_t digits = r->token.length - 2;
  if (digits / 2 != bytes || digits % 2 != 0) {
    gj__lread_fail(r, GJ_E_PARSE, "data has %zu hex digits, expected two for each of %zu bytes",
                   digits, bytes);
    return NULL;
  }
  unsigned char *out = malloc(bytes + 1);
  for (size_t i = 0; out && i < bytes; i++) {
    int high = hex_digit(r->token.text[1 + 2 * i]), low = hex_digit(r->token.text[2 + 2 * i]);
    if (high < 0 || low < 0) {
      free(out);
      gj__lread_fail(r, GJ_E_PARSE, "data byte %zu is not two hex digits", i);
      return NULL;
    }
    out[i] = (unsigned char)(high << 4 | low);
  }
  return out;
}

static gj_status read_data(gj__lreader *r) {
  int64_t index, count;
  gj_dtype dtype;
  size_t bytes;
  GJ_TRY(gj__lread_int(r, "the number of the data", r->m->data_count, r->m->data_count, &index));
  GJ_TRY(gj__lread_expect(r, ":"));
  GJ_TRY(gj__lread_dtype(r, &dtype));
  GJ_TRY(gj__lread_expect(r, "["));
  GJ_TRY(gj__lread_int(r, "elements", 0, INT64_MAX, &count));
  GJ_TRY(gj__lread_expect(r, "]"));
  GJ_TRY(gj__lread_expect(r, "="));
  GJ_TRY(gj__lread_expect(r, "hex"));
  if (r->token.kind != GJ__TOKEN_STRING)
    return gj__lread_expected(r, "a string of hex digits");
  if (!gj_mul_size((size_t)count, gj_dtype_bytes(dtype), &bytes))
    return gj__lread_fail(r, GJ_E_OVERFLOW, "data of %lld elements is too large", (long long)count);
  unsigned char *elements = read_hex(r, bytes);
  if (!elements)
    return gj__lread_fail(r, GJ_E_MEMORY, "out of memory for %zu bytes of data", bytes);
  gj_lmodule_data(r->m, dtype, elements, (size_t)count);
  free(elements);
  gj__lread_next(r);
  return gj__lread_built(r);
}

static gj_status read_module(gj__lreader *r) {
  gj__lread_next(r);
  GJ_TRY(gj__lread_expect(r, "module"));
  GJ_TRY(gj__lread_string(r, &r->m->name));
  GJ_TRY(gj__lread_expect(r, "{"));
  while (gj__lread_accept(r, "data"))
    GJ_TRY(read_data(r));
  GJ_TRY(read_funcs(r));
  GJ_TRY(gj__lread_expect(r, "}"));
  return r->token.kind == GJ__TOKEN_END ? r->status : gj__lread_expected(r, "the end of the text");
}

gj_status gj_lmodule_parse(const char *text, size_t length, gj_lmodule **out_module,
                           gj_error *err) {
  enum { MAX_TEXT = 1 << 30 };
  *out_module = NULL;
  if (length > MAX_TEXT)
    return gj_fail(err, GJ_E_PARSE, "the text has %zu bytes, at most %d", length, MAX_TEXT);
  gj__lreader r = {.text = text, .end = text + length, .at = text, .err = err};
  r.m = gj_lmodule_new("");
  if (!r.m)
    return gj_fail(err, GJ_E_MEMORY, "out of memory for a module");
  gj_status status = read_module(&r);
  if (!status)
    status = gj_lmodule_verify(r.m, err);
  if (status) {
    gj_lmodule_free(r.m);
    return status;
  }
  *out_module = r.m;
  return GJ_OK;
}

void gj_lmodule_add(gj_lmodule *m, const char *text, size_t length) {
  gj_error err;
  gj__lreader r = {.text = text, .end = text + length, .at = text, .m = m, .err = &err};
  if (m->failed)
    return;
  gj__lread_next(&r);
  if (!read_funcs(&r) && r.token.kind != GJ__TOKEN_END)
    gj__lread_expected(&r, "a function");
  if (r.status && !m->failed)
    gj__lfail(m, GJ_E_INTERNAL, "%s", err.message);
}

const gj_lfunc *gj_lmodule_find(const gj_lmodule *m, const char *name) {
  uint32_t found = gj__lname_find(m, NULL, name, strlen(name));
  return found ? m->funcs[found - 1] : NULL;
}
