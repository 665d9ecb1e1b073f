// Graph text to graph: a recursive descent over statements, one append per statement.
//
//   graph  = "graph" string "{" { node | output | func } "}"
//   func   = "func" function string "{" { node | output } "}"
//   node   = "%" word "=" ( "param" string ":" type | "const" data ":" type | op )
//   op     = word [ value { "," value } ] [ "{" attr { "," attr } "}" ] [ ":" type ]
//   attr   = word "=" ( word | integer | "[" [ size { "," size } ] "]"
//            | "[" [ function { "," function } ] "]" )
//   function = "@" word
//   data   = literal | "[" [ literal { "," literal } ] "]" | "hex" string
//   output = "output" string "=" value
//   type   = word "[" [ size { "," size } ] "]"
//
// Values may be called anything; they get numbers in the order of the text, and so do functions.
// Names of values are known inside their function or graph only. The type of an op is
// inferred and compared with the text when it is there. Nothing here recurses but sizes
// (dims/text.c, bounded), and nothing is allocated ahead of the text that asks for it, so a short
// text costs little whatever it says.

#include "ir/graph.h"
#include "ir/text/lexer.h"
#include "ops/custom.h"
#include "ops/literal.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TEXT ((size_t)1 << 30)

typedef struct value_name {
  const char *text; // in the text being parsed
  size_t length;
  gj_ref ref;
} value_name;

// Names that were defined, of values or of functions.
typedef struct scope {
  gj_table table; // hash of a name → index + 1
  value_name *names;
  size_t count, capacity;
} scope;

typedef struct parser {
  gj__lexer lex;
  gj_graph *graph;  // the graph or function being read
  gj_strbuf string; // the last string read
  scope values;     // of the graph or function
  scope functions;  // ref: number + 1
  gj_ref *args;
  size_t arg_count, arg_capacity;
} parser;

// --- values ---

static gj_status fail_memory(parser *p) {
  return gj__lex_fail(&p->lex, p->lex.at, GJ_E_MEMORY, "out of memory");
}

// "%word" or "@word"; *out_word lies in the text.
static gj_status parse_marked(parser *p, char mark, const char **out_word, size_t *out_length) {
  if (!gj__lex_take(&p->lex, mark))
    return gj__lex_expected(&p->lex, mark == '%' ? "a value like %1" : "a function like @0");
  const char *at = p->lex.at;
  *out_length = gj__lex_word(&p->lex, out_word);
  if (*out_length > 0 && *out_word == at)
    return GJ_OK;
  p->lex.at = at;
  return gj__lex_expected(&p->lex,
                          mark == '%' ? "a name right behind '%'" : "a name right behind '@'");
}

static value_name *find(const scope *s, const char *word, size_t length) {
  uint64_t hash = gj_hash_bytes(0, word, length);
  size_t cursor = 0;
  for (uint32_t i; (i = gj_table_next(&s->table, hash, &cursor)) != 0;) {
    value_name *name = &s->names[i - 1];
    if (name->length == length && memcmp(name->text, word, length) == 0)
      return name;
  }
  return NULL;
}

static int shown(size_t length) { return length < 60 ? (int)length : 60; }

static gj_status parse_name(parser *p, const scope *s, char mark, gj_ref *out_ref) {
  const char *word;
  size_t length;
  GJ_TRY(parse_marked(p, mark, &word, &length));
  const value_name *name = find(s, word, length);
  if (!name)
    return gj__lex_fail(&p->lex, word - 1, GJ_E_PARSE, "%c%.*s is not defined above", mark,
                        shown(length), word);
  *out_ref = name->ref;
  return GJ_OK;
}

static gj_status parse_value(parser *p, gj_ref *out_ref) {
  return parse_name(p, &p->values, '%', out_ref);
}

static gj_status define(parser *p, scope *s, const char *word, size_t length, gj_ref ref) {
  uint64_t hash = gj_hash_bytes(0, word, length);
  value_name *names = gj_array_grow(s->names, &s->capacity, s->count + 1, sizeof *names);
  if (!names)
    return fail_memory(p);
  s->names = names;
  if (!gj_table_add(&s->table, hash, (uint32_t)s->count + 1))
    return fail_memory(p);
  names[s->count++] = (value_name){word, length, ref};
  return GJ_OK;
}

static gj_status check_new(parser *p, const scope *s, const char *statement, char mark,
                           const char *word, size_t length) {
  if (!find(s, word, length))
    return GJ_OK;
  return gj__lex_fail(&p->lex, statement, GJ_E_PARSE, "%c%.*s is defined twice", mark,
                      shown(length), word);
}

static void close_scope(scope *s) {
  gj_table_fini(&s->table);
  free(s->names);
}

// --- types and attributes ---

static gj_status parse_dim(parser *p, int64_t *out_dim) {
  gj_error why;
  gj__lex_skip(&p->lex);
  gj_dim d = gj_dim_parse(gj_graph_dims(p->graph), &p->lex.at, p->lex.end, &why);
  if (d == GJ_DIM_ERROR)
    return gj__lex_fail(&p->lex, p->lex.at, why.code, "%s", why.message);
  *out_dim = d;
  return GJ_OK;
}

// "[" items "]", at most `most` of them.
static gj_status parse_list(parser *p, gj_status (*parse_item)(parser *, int64_t *), size_t most,
                            int64_t *out_values, size_t *out_count) {
  GJ_TRY(gj__lex_expect(&p->lex, '['));
  size_t count = 0;
  if (!gj__lex_take(&p->lex, ']')) {
    do {
      if (count == most)
        return gj__lex_fail(&p->lex, p->lex.at, GJ_E_SHAPE, "expected at most %zu values%s", most,
                            most == GJ_MAX_RANK ? ", the highest rank" : "");
      GJ_TRY(parse_item(p, &out_values[count++]));
    } while (gj__lex_take(&p->lex, ','));
    GJ_TRY(gj__lex_expect(&p->lex, ']'));
  }
  *out_count = count;
  return GJ_OK;
}

static gj_status parse_integer(parser *p, int64_t *out_value) {
  return gj__lex_integer(&p->lex, out_value);
}

static gj_status parse_function_name(parser *p, int64_t *out_value) {
  gj_ref ref;
  GJ_TRY(parse_name(p, &p->functions, '@', &ref));
  *out_value = ref - (int64_t)1;
  return GJ_OK;
}

static gj_status parse_dtype(parser *p, int64_t *out_dtype) {
  const char *word;
  size_t length = gj__lex_word(&p->lex, &word);
  *out_dtype = gj_dtype_parse(word, length);
  if (*out_dtype != GJ_DTYPE_none)
    return GJ_OK;
  p->lex.at = word;
  return gj__lex_expected(&p->lex, "a dtype like f64");
}

static gj_status parse_type(parser *p, gj_type *out_type) {
  int64_t dtype;
  size_t rank;
  GJ_TRY(parse_dtype(p, &dtype));
  GJ_TRY(parse_list(p, parse_dim, GJ_MAX_RANK, out_type->shape, &rank));
  out_type->dtype = (gj_dtype)dtype;
  out_type->rank = (uint8_t)rank;
  return GJ_OK;
}

static gj_status parse_attr(parser *p, gj_attrs *attrs,
                            int64_t values[GJ_ATTR_COUNT][GJ_MAX_LIST]) {
  const char *word;
  size_t length = gj__lex_word(&p->lex, &word), count = 1, most;
  gj_attr attr = gj_attr_parse(word, length);
  if (attr == GJ_ATTR_COUNT || (attrs->set & 1u << attr)) {
    p->lex.at = word;
    return gj__lex_expected(&p->lex,
                            attr == GJ_ATTR_COUNT ? "an attribute" : "each attribute once");
  }
  GJ_TRY(gj__lex_expect(&p->lex, '='));
  most = gj_attr_most(attr);
  switch ((gj_attr_form)gj_attr_get(attr)->form) {
  case GJ_FORM_DTYPE:
    GJ_TRY(parse_dtype(p, values[attr]));
    break;
  case GJ_FORM_INT:
    GJ_TRY(parse_integer(p, values[attr]));
    break;
  case GJ_FORM_DIMS:
    GJ_TRY(parse_list(p, parse_dim, most, values[attr], &count));
    break;
  case GJ_FORM_INTS:
  case GJ_FORM_AXES:
    GJ_TRY(parse_list(p, parse_integer, most, values[attr], &count));
    break;
  case GJ_FORM_FUNCTIONS:
    GJ_TRY(parse_list(p, parse_function_name, most, values[attr], &count));
    break;
  }
  gj_attrs_set(attrs, attr, values[attr], count);
  return GJ_OK;
}

// --- constants ---

// No literal starts like this.
static bool starts_with_hex(gj__lexer *lex) {
  gj__lex_skip(lex);
  return lex->end - lex->at > 3 && memcmp(lex->at, "hex", 3) == 0;
}

// Moves behind the data without reading it: its type comes later.
static gj_status skip_data(parser *p) {
  gj__lexer *lex = &p->lex;
  if (gj__lex_take(lex, '[')) {
    if (gj__lex_peek(lex) == '[')
      return gj__lex_expected(lex, "all values in one list, row by row");
    // The colon ends a list whose bracket was forgotten, before the one of the type is taken for
    // it.
    for (char c; (c = gj__lex_peek(lex)) != ']' && c != ':' && lex->at < lex->end;)
      lex->at++;
    return gj__lex_expect(lex, ']');
  }
  if (starts_with_hex(lex)) {
    lex->at += strlen("hex");
    GJ_TRY(gj__lex_expect(lex, '"'));
    while (lex->at < lex->end && *lex->at != '"')
      lex->at++;
    return gj__lex_expect(lex, '"');
  }
  const char *start = lex->at;
  while (lex->at<lex->end && * lex->at> ' ' && *lex->at != ':' && *lex->at != '/')
    lex->at++;
  return lex->at > start ? GJ_OK : gj__lex_expected(lex, "a value, a list or hex");
}

static gj_status parse_literal(parser *p, gj_dtype dtype, gj_strbuf *data) {
  gj__lexer *lex = &p->lex;
  gj__lex_skip(lex);
  const char *start = lex->at;
  while (lex->at<lex->end && * lex->at> ' ' && !strchr(",]:/", *lex->at))
    lex->at++;
  unsigned char element[8];
  gj_error why;
  gj_status status = gj__literal_parse(dtype, start, (size_t)(lex->at - start), element, &why);
  if (status != GJ_OK)
    return gj__lex_fail(lex, start, status, "%s", why.message);
  gj_strbuf_bytes(data, element, gj_dtype_bytes(dtype));
  return GJ_OK;
}

static int hex_value(char c) {
  const char *digits = "0123456789abcdef0123456789ABCDEF", *found = c ? strchr(digits, c) : NULL;
  return found ? (int)(found - digits) % 16 : -1;
}

static gj_status parse_hex(parser *p, gj_strbuf *data) {
  gj__lexer *lex = &p->lex;
  GJ_TRY(gj__lex_expect(lex, '"'));
  while (lex->at < lex->end && *lex->at != '"') {
    int high = hex_value(*lex->at), low = lex->end - lex->at > 1 ? hex_value(lex->at[1]) : -1;
    if (high < 0 || low < 0)
      return gj__lex_fail(lex, lex->at, GJ_E_PARSE, "expected pairs of hex digits");
    gj_strbuf_char(data, (char)(high << 4 | low));
    lex->at += 2;
  }
  return gj__lex_expect(lex, '"');
}

// A list or hex holds every element; only a bare literal is repeated.
static gj_status check_count(parser *p, const char *start, const gj_type *type, size_t size) {
  gj_dim count = gj_type_size(gj_graph_dims(p->graph), type);
  size_t width = gj_dtype_bytes(type->dtype);
  if (!gj_dim_is_const(count))
    return gj__lex_fail(&p->lex, start, GJ_E_SHAPE, "expected one value for a symbolic shape");
  if (size % width == 0 && size / width == (uint64_t)count)
    return GJ_OK;
  return gj__lex_fail(&p->lex, start, GJ_E_SHAPE,
                      "expected %lld values of %zu bytes, got %zu bytes", (long long)count, width,
                      size);
}

static gj_status parse_data(parser *p, const gj_type *type, gj_strbuf *data) {
  gj__lexer *lex = &p->lex;
  gj__lex_skip(lex);
  const char *start = lex->at;
  if (gj__lex_take(lex, '[')) {
    while (!gj__lex_take(lex, ']')) {
      if (data->size > 0)
        GJ_TRY(gj__lex_expect(lex, ','));
      GJ_TRY(parse_literal(p, type->dtype, data));
    }
  } else if (starts_with_hex(lex)) {
    lex->at += strlen("hex");
    GJ_TRY(parse_hex(p, data));
  } else {
    return parse_literal(p, type->dtype, data);
  }
  return check_count(p, start, type, data->size);
}

static gj_status parse_const(parser *p, gj_ref *out_ref) {
  gj__lexer *lex = &p->lex;
  gj__lex_skip(lex);
  const char *start = lex->at, *end;
  gj_type type = {.dtype = GJ_DTYPE_none};
  GJ_TRY(skip_data(p));
  GJ_TRY(gj__lex_expect(lex, ':'));
  GJ_TRY(parse_type(p, &type));
  end = lex->at;
  lex->at = start;
  gj_strbuf data = {0};
  gj_status status = parse_data(p, &type, &data);
  if (status == GJ_OK && gj__lex_peek(lex) != ':')
    status = gj__lex_expected(lex, "':'");
  if (status == GJ_OK && data.failed)
    status = fail_memory(p);
  if (status == GJ_OK)
    *out_ref = gj_graph_const(p->graph, &type, data.data, data.size);
  gj_strbuf_fini(&data);
  lex->at = status == GJ_OK ? end : lex->at;
  return status;
}

// --- statements ---

// GJ_OK, or the error that appending left, with the place of the statement in front.
static gj_status check_append(parser *p, const char *statement) {
  gj_error why;
  gj_status status = gj_graph_take_error(p->graph, &why);
  return status == GJ_OK ? GJ_OK : gj__lex_fail(&p->lex, statement, status, "%s", why.message);
}

static gj_status parse_param(parser *p, gj_ref *out_ref) {
  gj_type type = {.dtype = GJ_DTYPE_none};
  GJ_TRY(gj__lex_string(&p->lex, &p->string));
  GJ_TRY(gj__lex_expect(&p->lex, ':'));
  GJ_TRY(parse_type(p, &type));
  *out_ref = gj_graph_param(p->graph, gj_strbuf_peek(&p->string), &type);
  return GJ_OK;
}

static gj_status parse_operands(parser *p) {
  p->arg_count = 0;
  if (gj__lex_peek(&p->lex) != '%')
    return GJ_OK;
  // The next statement also begins with a value, but follows without a comma.
  do {
    gj_ref *args = gj_array_grow(p->args, &p->arg_capacity, p->arg_count + 1, sizeof *args);
    if (!args)
      return fail_memory(p);
    p->args = args;
    GJ_TRY(parse_value(p, &args[p->arg_count++]));
  } while (gj__lex_take(&p->lex, ','));
  return GJ_OK;
}

// The type in the text is the one inferred.
static gj_status check_type(parser *p, gj_ref ref) {
  const gj_node *node = gj_graph_node(p->graph, ref);
  const char *start = p->lex.at;
  gj_type type = {.dtype = GJ_DTYPE_none};
  GJ_TRY(parse_type(p, &type));
  if (type.dtype == node->type.dtype && type.rank == node->type.rank &&
      memcmp(type.shape, node->type.shape, type.rank * sizeof(gj_dim)) == 0)
    return GJ_OK;
  gj_strbuf inferred = {0}, written = {0};
  gj_type_print(gj_graph_dims(p->graph), &node->type, &inferred);
  gj_type_print(gj_graph_dims(p->graph), &type, &written);
  gj_status status = gj__lex_fail(
      &p->lex, start, GJ_E_VERIFY, "%s gives %.200s, but the text says %.200s",
      gj_op_name((gj_op)node->op), gj_strbuf_peek(&inferred), gj_strbuf_peek(&written));
  gj_strbuf_fini(&inferred);
  gj_strbuf_fini(&written);
  return status;
}

static bool is_own(const char *name) {
  return strncmp(name, GJ_CUSTOM_OWN, sizeof GJ_CUSTOM_OWN - 1) == 0;
}

static gj_status parse_op(parser *p, gj_op op, const char *statement, gj_ref *out_ref) {
  gj_attrs attrs = {0};
  int64_t values[GJ_ATTR_COUNT][GJ_MAX_LIST];
  bool named = op == GJ_OP_custom_call || op == GJ_OP_apply;
  if (named)
    GJ_TRY(gj__lex_string(&p->lex, &p->string));
  if (op == GJ_OP_custom_call && is_own(gj_strbuf_peek(&p->string)))
    return gj__lex_fail(&p->lex, statement, GJ_E_UNSUPPORTED,
                        "custom_call: no text may call what begins with \"" GJ_CUSTOM_OWN "\"");
  // An op without operands is followed by the next statement, whose value is not its operand.
  if (gj_op_get(op)->arity != 0)
    GJ_TRY(parse_operands(p));
  else
    p->arg_count = 0;
  if (gj__lex_take(&p->lex, '{')) {
    do
      GJ_TRY(parse_attr(p, &attrs, values));
    while (gj__lex_take(&p->lex, ','));
    GJ_TRY(gj__lex_expect(&p->lex, '}'));
  }
  const char *name = named ? gj_strbuf_peek(&p->string) : NULL;
  if (op == GJ_OP_custom_call)
    *out_ref = gj_graph_custom_call(p->graph, name, p->args, p->arg_count, &attrs);
  else if (op == GJ_OP_apply)
    *out_ref = gj_graph_apply(p->graph, name, p->args, p->arg_count, &attrs);
  else
    *out_ref = gj_graph_append(p->graph, op, p->args, p->arg_count, &attrs);
  GJ_TRY(check_append(p, statement));
  return gj__lex_take(&p->lex, ':') ? check_type(p, *out_ref) : GJ_OK;
}

static gj_status parse_node(parser *p) {
  const char *statement = p->lex.at, *name, *word;
  size_t name_length;
  gj_ref ref = 0;
  GJ_TRY(parse_marked(p, '%', &name, &name_length));
  GJ_TRY(check_new(p, &p->values, statement, '%', name, name_length));
  GJ_TRY(gj__lex_expect(&p->lex, '='));
  size_t length = gj__lex_word(&p->lex, &word);
  gj_op op = gj_op_parse(word, length);
  if (op == GJ_OP_none) {
    p->lex.at = word;
    return gj__lex_expected(&p->lex, "an op");
  }
  if (op == GJ_OP_param)
    GJ_TRY(parse_param(p, &ref));
  else if (op == GJ_OP_const)
    GJ_TRY(parse_const(p, &ref));
  else
    GJ_TRY(parse_op(p, op, statement, &ref));
  GJ_TRY(check_append(p, statement));
  return define(p, &p->values, name, name_length, ref);
}

static gj_status parse_output(parser *p) {
  const char *statement = p->lex.at;
  gj_ref ref;
  GJ_TRY(gj__lex_expect_word(&p->lex, "output"));
  GJ_TRY(gj__lex_string(&p->lex, &p->string));
  GJ_TRY(gj__lex_expect(&p->lex, '='));
  GJ_TRY(parse_value(p, &ref));
  gj_graph_set_output(p->graph, gj_strbuf_peek(&p->string), ref);
  return check_append(p, statement);
}

static gj_status parse_function(parser *p);

// Statements up to the brace that ends them; a function has no functions inside.
static gj_status parse_body(parser *p, bool function) {
  GJ_TRY(gj__lex_expect(&p->lex, '{'));
  while (!gj__lex_take(&p->lex, '}')) {
    char next = gj__lex_peek(&p->lex);
    if (next == '%')
      GJ_TRY(parse_node(p));
    else if (next == 'o')
      GJ_TRY(parse_output(p));
    else if (next == 'f' && !function)
      GJ_TRY(parse_function(p));
    else
      return gj__lex_expected(&p->lex, function ? "a value like %1, 'output' or '}'"
                                                : "a value like %1, 'output', 'func' or '}'");
  }
  return GJ_OK;
}

static gj_status parse_function(parser *p) {
  const char *statement = p->lex.at, *name;
  size_t length;
  gj_graph *outer = p->graph;
  scope values = p->values;
  GJ_TRY(gj__lex_expect_word(&p->lex, "func"));
  GJ_TRY(parse_marked(p, '@', &name, &length));
  GJ_TRY(check_new(p, &p->functions, statement, '@', name, length));
  GJ_TRY(gj__lex_string(&p->lex, &p->string));
  gj_graph *function = gj_graph_function_new(outer, gj_strbuf_peek(&p->string));
  if (!function)
    return check_append(p, statement);
  p->graph = function;
  p->values = (scope){0};
  gj_status status = check_append(p, statement); // of the name
  if (status == GJ_OK)
    status = parse_body(p, true);
  close_scope(&p->values);
  p->values = values;
  p->graph = outer;
  GJ_TRY(status);
  int64_t number = gj_graph_function_add(function);
  GJ_TRY(check_append(p, statement));
  return define(p, &p->functions, name, length, (gj_ref)number + 1);
}

static gj_status parse_graph(parser *p) {
  gj__lex_skip(&p->lex);
  const char *statement = p->lex.at;
  GJ_TRY(gj__lex_expect_word(&p->lex, "graph"));
  GJ_TRY(gj__lex_string(&p->lex, &p->string));
  p->graph = gj_graph_new(gj_strbuf_peek(&p->string));
  if (!p->graph)
    return fail_memory(p);
  GJ_TRY(check_append(p, statement));
  GJ_TRY(parse_body(p, false));
  gj__lex_skip(&p->lex);
  return p->lex.at == p->lex.end ? GJ_OK : gj__lex_expected(&p->lex, "the end of the text");
}

gj_status gj_graph_parse(const char *text, size_t length, gj_graph **out_graph, gj_error *err) {
  *out_graph = NULL;
  if (length > MAX_TEXT)
    return gj_fail(err, GJ_E_PARSE, "line 1, column 1: expected at most 2^30 bytes, got %zu",
                   length);
  gj_error unseen;
  parser p = {.lex = {text, text, text + length, err ? err : &unseen}};
  gj_status status = parse_graph(&p);
  if (status == GJ_OK)
    *out_graph = p.graph;
  else
    gj_graph_free(p.graph);
  gj_strbuf_fini(&p.string);
  close_scope(&p.values);
  close_scope(&p.functions);
  free(p.args);
  return status;
}
