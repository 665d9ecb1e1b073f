// Dim expressions: printing and parsing.
//
// The text is what a user would write: "n", "n + 2*m", "max(n - 2, 0)", "(n + 1)/2". Terms that are
// added stand before terms that are subtracted, the constant last. Operators have their usual
// precedence and associate to the left; a division inside a product or under a minus gets
// parentheses, since 2*(n/2) and 2*n/2 differ. The parser builds through the arithmetic of dims.c,
// so any spelling becomes canonical.

#include "base/size.h"
#include "ir/dims/table.h"

enum { MAX_NESTING = 64 };

// --- printing ---

static void print(const gj_dims *dims, gj_dim d, gj_strbuf *out);

static void print_in_parentheses(const gj_dims *dims, gj_dim d, gj_strbuf *out) {
  gj_strbuf_char(out, '(');
  print(dims, d, out);
  gj_strbuf_char(out, ')');
}

// A factor: bare when nothing around it can tear it apart.
static void print_factor(const gj_dims *dims, gj_dim d, gj_strbuf *out) {
  gj_dim_node node = gj_dim_get(dims, d);
  if (node.kind == GJ_DIM_SYMBOL || node.kind == GJ_DIM_MAXIMUM ||
      (node.kind == GJ_DIM_CONST && node.value >= 0))
    print(dims, d, out);
  else
    print_in_parentheses(dims, d, out);
}

// A product without its sign: 2*n*m
static void print_product(const gj_dims *dims, const gj_dim_node *node, gj_strbuf *out) {
  uint64_t size = node->value < 0 ? 0 - (uint64_t)node->value : (uint64_t)node->value;
  if (size != 1)
    gj_strbuf_printf(out, "%llu*", (unsigned long long)size);
  for (uint32_t i = 0; i < node->operand_count; i++) {
    if (i > 0)
      gj_strbuf_char(out, '*');
    print_factor(dims, node->operands[i], out);
  }
}

static void print_terms(const gj_dims *dims, const gj_dim_node *sum, bool negative, bool *first,
                        gj_strbuf *out) {
  for (uint32_t i = 0; i < sum->operand_count; i++) {
    gj_dim_node node = gj_dim_get(dims, sum->operands[i]);
    bool is_product = node.kind == GJ_DIM_PRODUCT;
    if ((is_product && node.value < 0) != negative)
      continue;
    if (negative)
      gj_strbuf_text(out, *first ? "-" : " - ");
    else if (!*first)
      gj_strbuf_text(out, " + ");
    if (is_product)
      print_product(dims, &node, out);
    else
      print(dims, sum->operands[i], out);
    *first = false;
  }
}

static void print_sum(const gj_dims *dims, const gj_dim_node *sum, gj_strbuf *out) {
  bool first = true;
  print_terms(dims, sum, false, &first, out);
  print_terms(dims, sum, true, &first, out);
  if (sum->value != 0)
    gj_strbuf_printf(out, " %c %lld", sum->value < 0 ? '-' : '+',
                     (long long)(sum->value < 0 ? -sum->value : sum->value));
}

static void print_division(const gj_dims *dims, const gj_dim_node *node, gj_strbuf *out) {
  gj_dim_node over = gj_dim_get(dims, node->operands[0]);
  // n*m/2 reads as (n*m)/2, which is what this is; -n/2 would read as -(n/2), which it is not.
  if (over.kind == GJ_DIM_PRODUCT && over.value > 0)
    print(dims, node->operands[0], out);
  else
    print_factor(dims, node->operands[0], out);
  gj_strbuf_char(out, '/');
  print_factor(dims, node->operands[1], out);
}

static void print(const gj_dims *dims, gj_dim d, gj_strbuf *out) {
  gj_dim_node node = gj_dim_get(dims, d);
  switch (node.kind) {
  case GJ_DIM_CONST:
    gj_strbuf_printf(out, "%lld", (long long)node.value);
    break;
  case GJ_DIM_SYMBOL:
    gj_strbuf_text(out, gj_dims_symbol_name(dims, node.symbol));
    break;
  case GJ_DIM_SUM:
    print_sum(dims, &node, out);
    break;
  case GJ_DIM_PRODUCT:
    if (node.value < 0)
      gj_strbuf_char(out, '-');
    print_product(dims, &node, out);
    break;
  case GJ_DIM_FLOORDIV:
    print_division(dims, &node, out);
    break;
  case GJ_DIM_MAXIMUM:
    gj_strbuf_text(out, "max(");
    print(dims, node.operands[0], out);
    gj_strbuf_text(out, ", ");
    print(dims, node.operands[1], out);
    gj_strbuf_char(out, ')');
    break;
  }
}

void gj_dim_print(const gj_dims *dims, gj_dim d, gj_strbuf *out) {
  if (gj_dim_is_valid(dims, d))
    print(dims, d, out);
  else
    gj_strbuf_char(out, '?');
}

// --- parsing ---

typedef struct parser {
  gj_dims *dims;
  const char *at;
  const char *end;
  int nesting;
  gj_error *err;
} parser;

static gj_dim parse_sum(parser *p);

// The next character that is not a blank, 0 at the end.
static char peek(parser *p) {
  while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
    p->at++;
  return p->at < p->end ? *p->at : '\0';
}

static gj_dim fail_expected(parser *p, const char *what) {
  char next = peek(p);
  if (p->at == p->end)
    gj_fail(p->err, GJ_E_PARSE, "expected %s, got the end of the text", what);
  else if (next > ' ' && next < 0x7F)
    gj_fail(p->err, GJ_E_PARSE, "expected %s, got '%c'", what, next);
  else
    gj_fail(p->err, GJ_E_PARSE, "expected %s, got byte 0x%02x", what, (unsigned char)next);
  return GJ_DIM_ERROR;
}

static gj_dim fail_nesting(parser *p) {
  gj_fail(p->err, GJ_E_PARSE, "expected at most %d nested sizes, got more", MAX_NESTING);
  return GJ_DIM_ERROR;
}

// Arithmetic reports trouble by its result alone.
static gj_dim checked(parser *p, gj_dim d) {
  if (d == GJ_DIM_ERROR)
    gj_fail(p->err, GJ_E_OVERFLOW, "size expression overflows, divides by zero or is too complex");
  return d;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static gj_dim parse_number(parser *p) {
  int64_t value = 0;
  for (; p->at < p->end && is_digit(*p->at); p->at++)
    if (!gj_mul_i64(value, 10, &value) || !gj_add_i64(value, *p->at - '0', &value)) {
      gj_fail(p->err, GJ_E_OVERFLOW, "number is larger than 2^63 - 1");
      return GJ_DIM_ERROR;
    }
  return value;
}

static bool expect(parser *p, char c, const char *what) {
  if (peek(p) == c && p->at < p->end) {
    p->at++;
    return true;
  }
  fail_expected(p, what);
  return false;
}

static gj_dim parse_max(parser *p) {
  p->at++; // the parenthesis
  gj_dim a = parse_sum(p);
  if (a == GJ_DIM_ERROR || !expect(p, ',', "','"))
    return GJ_DIM_ERROR;
  gj_dim b = parse_sum(p);
  if (b == GJ_DIM_ERROR || !expect(p, ')', "')'"))
    return GJ_DIM_ERROR;
  return checked(p, gj_dim_max(p->dims, a, b));
}

static gj_dim parse_name(parser *p) {
  const char *start = p->at;
  while (p->at < p->end && (is_letter(*p->at) || is_digit(*p->at)))
    p->at++;
  size_t length = (size_t)(p->at - start);
  // A symbol may be called max too: only the parenthesis makes it the function.
  if (length == 3 && start[0] == 'm' && start[1] == 'a' && start[2] == 'x' && peek(p) == '(')
    return parse_max(p);
  gj_dim d = gj_dim_symbol(p->dims, start, length);
  if (d == GJ_DIM_ERROR)
    gj_fail(p->err, GJ_E_PARSE, "symbol of %zu characters is too long, or too many symbols",
            length);
  return d;
}

static gj_dim parse_factor(parser *p) {
  char next = peek(p);
  if (is_digit(next))
    return parse_number(p);
  if (is_letter(next))
    return parse_name(p);
  if (next != '(' && next != '-')
    return fail_expected(p, "a size");
  p->at++;
  if (next == '-') {
    gj_dim d = ++p->nesting > MAX_NESTING ? fail_nesting(p) : parse_factor(p);
    p->nesting--;
    return d == GJ_DIM_ERROR ? d : checked(p, gj_dim_sub(p->dims, 0, d));
  }
  gj_dim d = parse_sum(p);
  return d == GJ_DIM_ERROR || expect(p, ')', "')'") ? d : GJ_DIM_ERROR;
}

static gj_dim parse_product(parser *p) {
  gj_dim d = parse_factor(p);
  while (d != GJ_DIM_ERROR && (peek(p) == '*' || peek(p) == '/')) {
    // "//" begins a comment in the texts around sizes.
    if (*p->at == '/' && p->end - p->at > 1 && p->at[1] == '/')
      break;
    char sign = *p->at++;
    gj_dim right = parse_factor(p);
    if (right == GJ_DIM_ERROR)
      return right;
    d = checked(p,
                sign == '*' ? gj_dim_mul(p->dims, d, right) : gj_dim_floordiv(p->dims, d, right));
  }
  return d;
}

static gj_dim parse_sum(parser *p) {
  if (p->nesting >= MAX_NESTING)
    return fail_nesting(p);
  p->nesting++;
  bool negative = peek(p) == '-';
  if (negative)
    p->at++;
  gj_dim d = parse_product(p);
  if (negative && d != GJ_DIM_ERROR)
    d = checked(p, gj_dim_sub(p->dims, 0, d));
  while (d != GJ_DIM_ERROR && (peek(p) == '+' || peek(p) == '-')) {
    bool minus = *p->at++ == '-';
    gj_dim right = parse_product(p);
    if (right == GJ_DIM_ERROR)
      return right;
    d = checked(p, minus ? gj_dim_sub(p->dims, d, right) : gj_dim_add(p->dims, d, right));
  }
  p->nesting--;
  return d;
}

gj_dim gj_dim_parse(gj_dims *dims, const char **text, const char *end, gj_error *err) {
  parser p = {dims, *text, end, 0, err};
  gj_dim d = parse_sum(&p);
  *text = p.at;
  return d;
}
