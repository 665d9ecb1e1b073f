// Loop IR as text. The grammar stands at the head of parse.c; parsing the text gives the same
// module.
//
// Floats are written with the fewest digits that read back to the same bits, NaNs other than the
// default one with their bits.

#include "loops/rules.h"

#include "ops/literal.h"

#include <inttypes.h>

typedef struct printer {
  const gj_lmodule *m;
  const gj_lfunc *f;
  gj_strbuf *out;
  unsigned indent;
} printer;

static void print_expr(const printer *p, const gj_lexpr *e);
static void print_block(printer *p, const gj_lblock *b);

static void print_string(gj_strbuf *out, const char *text) {
  gj_strbuf_char(out, '"');
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      gj_strbuf_printf(out, "\\%c", c);
    else if (c == '\n')
      gj_strbuf_text(out, "\\n");
    else if (c < 0x20 || c == 0x7F)
      gj_strbuf_printf(out, "\\u%04x", c);
    else
      gj_strbuf_char(out, (char)c);
  }
  gj_strbuf_char(out, '"');
}

static void print_type(const printer *p, gj_ltype type) {
  char text[GJ_LOOPS_TYPE_TEXT];
  gj_strbuf_text(p->out, gj__ltype_text(type, text));
}

// An i64 stands without its type, since most constants are indices.
static void print_const(const printer *p, gj_scalar s) {
  unsigned char element[8];
  gj_scalar_store(s, element);
  gj__literal_print(s.dtype, element, p->out);
  if (s.dtype != GJ_DTYPE_i64 && s.dtype != GJ_DTYPE_bool)
    gj_strbuf_printf(p->out, ":%s", gj_dtype_name(s.dtype));
}

// --- expressions ---

static void print_args(const printer *p, const gj_lexpr *e) {
  gj_strbuf_char(p->out, '(');
  for (uint32_t i = 0; i < e->arg_count; i++) {
    if (i)
      gj_strbuf_text(p->out, ", ");
    print_expr(p, e->args[i]);
  }
  gj_strbuf_char(p->out, ')');
}

// The range stands behind the brackets.
static void print_parallel(const printer *p, const gj_lexpr *e) {
  static const char *const words[3] = {" over ", " to ", " grain "};
  gj_lexpr call = *e;
  call.arg_count -= 3;
  gj_strbuf_printf(p->out, "parallel %s", p->m->funcs[e->index]->name);
  print_args(p, &call);
  for (uint32_t i = 0; i < 3; i++) {
    gj_strbuf_text(p->out, words[i]);
    print_expr(p, e->args[call.arg_count + i]);
  }
}

static void print_mask(const printer *p, const gj_lexpr *mask) {
  if (!mask)
    return;
  gj_strbuf_text(p->out, " if ");
  print_expr(p, mask);
}

static void print_load(const printer *p, const gj_lexpr *e) {
  print_expr(p, e->args[0]);
  gj_strbuf_char(p->out, '[');
  print_expr(p, e->args[1]);
  if (e->type.lanes != e->args[1]->type.lanes)
    gj_strbuf_printf(p->out, ":%u", (unsigned)e->type.lanes);
  gj_lrecord r = gj_lrecord_of(e);
  if (r.stride)
    gj_strbuf_printf(p->out, ":%u", r.stride);
  if (r.used > 1)
    gj_strbuf_printf(p->out, " at %u of %u", r.at, r.used);
  print_mask(p, e->arg_count == 3 ? e->args[2] : NULL);
  gj_strbuf_char(p->out, ']');
}

static void print_expr(const printer *p, const gj_lexpr *e) {
  const char *dtype = gj_dtype_name((gj_dtype)e->type.dtype);
  switch (e->kind) {
  case GJ_LX_CONST:
    print_const(p, e->value);
    return;
  case GJ_LX_LOCAL:
    gj_strbuf_text(p->out, p->f->locals[e->index].name);
    return;
  case GJ_LX_LOAD:
    print_load(p, e);
    return;
  case GJ_LX_OP:
    gj_strbuf_text(p->out, gj_op_name((gj_op)e->op));
    if (gj_op_get((gj_op)e->op)->attrs & GJ_HAS_DTYPE)
      gj_strbuf_printf(p->out, "<%s>", dtype);
    else if (e->index == GJ_LX_JS)
      gj_strbuf_text(p->out, "<js>");
    break;
  case GJ_LX_CALL:
    gj_strbuf_printf(p->out, "call %s", p->m->funcs[e->index]->name);
    break;
  case GJ_LX_PARALLEL:
    print_parallel(p, e);
    return;
  case GJ_LX_SPLAT:
  case GJ_LX_FIRST:
  case GJ_LX_MASK:
    gj_strbuf_printf(p->out, "%s<%u>", gj__lx_name(e), (unsigned)e->type.lanes);
    break;
  case GJ_LX_AHEAD:
    gj_strbuf_printf(p->out, "ahead<%u>", (unsigned)e->index);
    break;
  case GJ_LX_LANES:
    gj_strbuf_printf(p->out, "lanes<%u>", (unsigned)e->type.lanes);
    return;
  case GJ_LX_BUFFER:
    gj_strbuf_printf(p->out, "buffer<%u, %s>", (unsigned)e->index, dtype);
    return;
  case GJ_LX_DIM:
  case GJ_LX_DATA:
    gj_strbuf_printf(p->out, "%s<%u>", gj__lx_name(e), (unsigned)e->index);
    return;
  case GJ_LX_SCRATCH:
    gj_strbuf_printf(p->out, "scratch<%s>", dtype);
    break;
  case GJ_LX_WRAP:
  case GJ_LX_ALLOC:
  case GJ_LX_POINTER:
    gj_strbuf_printf(p->out, "%s<%s>", gj__lx_name(e), dtype);
    break;
  case GJ_LX_OVERFLOWS:
    gj_strbuf_printf(p->out, "overflows %s", gj_op_name((gj_op)e->op));
    break;
  case GJ_LX_CANCELLED:
  case GJ_LX_SLOT:
  case GJ_LX_TOO_DEEP:
  case GJ_LX_MARK:
    gj_strbuf_text(p->out, gj__lx_name(e));
    return;
  default:
    gj_strbuf_text(p->out, gj__lx_name(e));
  }
  print_args(p, e);
}

// --- statements ---

static void print_indent(const printer *p) { gj_strbuf_fill(p->out, ' ', (size_t)p->indent * 2); }

// Where a loop is in the user's source; a block follows.
static void print_position(const printer *p, const gj_lstmt *s) {
  if (s->line)
    gj_strbuf_printf(p->out, "at %u:%u ", (unsigned)s->line, (unsigned)s->column);
}

static void print_for(const printer *p, const gj_lstmt *s) {
  gj_strbuf_printf(p->out, "for %s = ", p->f->locals[s->local].name);
  print_expr(p, s->a);
  gj_strbuf_text(p->out, " to ");
  print_expr(p, s->b);
  gj_strbuf_printf(p->out, " step %" PRId64, s->count);
  if (s->marks & GJ_LOOP_VECTOR)
    gj_strbuf_text(p->out, " vector");
  if ((s->marks & GJ_LOOP_VECTOR) && s->factor != 1)
    gj_strbuf_printf(p->out, "(%u)", (unsigned)s->factor);
  if (s->d) {
    gj_strbuf_text(p->out, " stream(");
    print_expr(p, s->d);
    gj_strbuf_char(p->out, ')');
  }
  if (s->marks & GJ_LOOP_UNROLL)
    gj_strbuf_text(p->out, " unroll");
  if (s->marks & GJ_LOOP_TILE)
    gj_strbuf_text(p->out, " tile");
  gj_strbuf_char(p->out, ' ');
  print_position(p, s);
}

static void print_tile(const printer *p, const gj_lstmt *s) {
  gj_strbuf_printf(p->out, "tile<%u> ", (unsigned)s->count);
  print_expr(p, s->a);
  gj_strbuf_text(p->out, " = ");
  print_expr(p, s->b);
  gj_strbuf_char(p->out, '[');
  print_expr(p, s->c);
  gj_strbuf_text(p->out, " by ");
  print_expr(p, s->d);
  gj_strbuf_char(p->out, ']');
}

static void print_head(const printer *p, const gj_lstmt *s) {
  const gj_llocal *local = p->f->locals ? &p->f->locals[s->local] : NULL;
  switch (s->kind) {
  case GJ_LS_LET:
    gj_strbuf_printf(p->out, "let %s: ", local->name);
    print_type(p, local->type);
    gj_strbuf_text(p->out, " = ");
    print_expr(p, s->a);
    return;
  case GJ_LS_SET:
    gj_strbuf_printf(p->out, "%s = ", local->name);
    print_expr(p, s->a);
    return;
  case GJ_LS_STORE:
    gj_strbuf_text(p->out, s->marks & GJ_STORE_STREAM ? "stream " : "");
    print_expr(p, s->a);
    gj_strbuf_char(p->out, '[');
    print_expr(p, s->b);
    print_mask(p, s->d);
    gj_strbuf_text(p->out, "] = ");
    print_expr(p, s->c);
    return;
  case GJ_LS_ARRAY:
    gj_strbuf_printf(p->out, "array %s: %s[%" PRId64 "]", local->name,
                     gj_dtype_name((gj_dtype)local->type.dtype), s->count);
    return;
  case GJ_LS_FOR:
    print_for(p, s);
    return;
  case GJ_LS_TILE:
    print_tile(p, s);
    return;
  case GJ_LS_WHILE:
  case GJ_LS_IF:
    gj_strbuf_text(p->out, s->kind == GJ_LS_IF ? "if (" : "while (");
    print_expr(p, s->a);
    gj_strbuf_text(p->out, ") ");
    print_position(p, s);
    return;
  case GJ_LS_DIM:
    gj_strbuf_printf(p->out, "dim<%" PRId64 "> = ", s->count);
    print_expr(p, s->a);
    return;
  case GJ_LS_FENCE:
    gj_strbuf_text(p->out, "fence");
    return;
  case GJ_LS_BREAK:
  case GJ_LS_CONTINUE:
    gj_strbuf_text(p->out, s->kind == GJ_LS_BREAK ? "break" : "continue");
    if (s->count != 1)
      gj_strbuf_printf(p->out, " %" PRId64, s->count);
    return;
  case GJ_LS_RETURN:
  case GJ_LS_DO:
  case GJ_LS_FETCH:
  case GJ_LS_RELEASE:
  case GJ_LS_ASSUME:
    gj_strbuf_text(p->out, s->kind == GJ_LS_DO        ? "do"
                           : s->kind == GJ_LS_FETCH   ? "fetch"
                           : s->kind == GJ_LS_RELEASE ? "release"
                           : s->kind == GJ_LS_ASSUME  ? "assume"
                                                      : "return");
    if (s->a) {
      gj_strbuf_char(p->out, ' ');
      print_expr(p, s->a);
    }
    if (s->kind == GJ_LS_FETCH && (s->marks & GJ_FETCH_WRITE))
      gj_strbuf_text(p->out, " to write");
    return;
  default:
    return;
  }
}

static void print_block(printer *p, const gj_lblock *b) {
  gj_strbuf_text(p->out, "{\n");
  p->indent++;
  for (uint32_t i = 0; i < b->count; i++) {
    const gj_lstmt *s = b->stmts[i];
    print_indent(p);
    print_head(p, s);
    if (s->kind == GJ_LS_FOR || s->kind == GJ_LS_WHILE || s->kind == GJ_LS_IF)
      print_block(p, &s->body);
    if (s->kind == GJ_LS_IF && s->orelse.count) {
      gj_strbuf_text(p->out, " else ");
      print_block(p, &s->orelse);
    }
    gj_strbuf_char(p->out, '\n');
  }
  p->indent--;
  print_indent(p);
  gj_strbuf_char(p->out, '}');
}

// --- functions and modules ---

static void print_func(printer *p) {
  const gj_lfunc *f = p->f;
  if (f->note) {
    gj_strbuf_text(p->out, "  note ");
    print_string(p->out, f->note);
    gj_strbuf_char(p->out, '\n');
  }
  bool foreign = gj_lfunc_is_foreign(f);
  if (foreign) {
    gj_strbuf_text(p->out, f->external ? "  extern " : "  library ");
    print_string(p->out, f->external ? f->external : f->library);
  }
  gj_strbuf_printf(p->out, "%s%sfunc %s(", foreign ? " " : "  ",
                   f->entry      ? "entry "
                   : f->exported ? "export "
                                 : "",
                   f->name);
  for (uint32_t i = 0; i < f->param_count; i++) {
    const gj_llocal *local = &f->locals[i];
    gj_strbuf_printf(p->out, "%s%s: ", i ? ", " : "", local->name);
    print_type(p, local->type);
    gj_strbuf_text(p->out, local->flags & GJ_LOCAL_NOALIAS ? " noalias" : "");
    gj_strbuf_text(p->out, local->flags & GJ_LOCAL_READONLY ? " readonly" : "");
  }
  gj_strbuf_char(p->out, ')');
  if (f->returns.dtype != GJ_DTYPE_none) {
    gj_strbuf_text(p->out, " -> ");
    print_type(p, f->returns);
  }
  gj_strbuf_char(p->out, foreign ? '\n' : ' ');
  if (foreign)
    return;
  p->indent = 1;
  print_block(p, &f->body);
  gj_strbuf_char(p->out, '\n');
}

// The bytes are those of memory, which is little-endian on every target.
static void print_data(gj_strbuf *out, uint32_t index, const gj_ldata *data, size_t most) {
  gj_strbuf_printf(out, "  data %u: %s[%zu]", (unsigned)index, gj_dtype_name(data->dtype),
                   data->count);
  const unsigned char *bytes = data->bytes;
  size_t size = data->count * gj_dtype_bytes(data->dtype);
  if (size <= most) {
    gj_strbuf_text(out, " = hex \"");
    for (size_t i = 0; i < size; i++)
      gj_strbuf_printf(out, "%02x", bytes[i]);
    gj_strbuf_char(out, '"');
  }
  gj_strbuf_char(out, '\n');
}

void gj_lmodule_print(const gj_lmodule *m, gj_strbuf *out) { gj_lmodule_sketch(m, SIZE_MAX, out); }

void gj_lmodule_sketch(const gj_lmodule *m, size_t most_data, gj_strbuf *out) {
  gj_strbuf_text(out, "module ");
  print_string(out, m->name);
  gj_strbuf_text(out, " {\n");
  for (uint32_t i = 0; i < m->data_count; i++)
    print_data(out, i, &m->data[i], most_data);
  for (uint32_t i = 0; i < m->func_count; i++) {
    printer p = {.m = m, .f = m->funcs[i], .out = out};
    print_func(&p);
  }
  gj_strbuf_text(out, "}\n");
}
