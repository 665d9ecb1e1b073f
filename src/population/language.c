// See language.h. Tokens are strangers': whatever they are, one of a program is looked at once, on
// a stack of its own that has room for all of them.
#include "population/language.h"

#include <stdlib.h>

static gj_status no_memory(gj_error *err) {
  return gj_fail(err, GJ_E_MEMORY, "population: out of memory for its programs");
}

gj_status gj__programs_check(const gj_programs *programs, size_t token_count, gj_error *err) {
  const uint32_t *starts = programs->starts;
  if (starts[0] != 0 || starts[programs->count] != token_count)
    return gj_fail(err, GJ_E_ARGUMENT,
                   "population: offsets go from %u to %u, expected from 0 to the %zu tokens",
                   starts[0], starts[programs->count], token_count);
  for (size_t i = 0; i < programs->count; i++)
    if (starts[i + 1] < starts[i])
      return gj_fail(err, GJ_E_ARGUMENT, "population: offset %zu is %u, less than the one before",
                     i + 1, starts[i + 1]);
  return GJ_OK;
}

// --- bodies of operators ---

// Ops that kernels over blocks compute: of floats, and of what comparisons make of them.
static bool is_usable(int32_t token) {
  if (token <= GJ_OP_none || token >= GJ_OP_COUNT)
    return false;
  gj_op op = (gj_op)token;
  int arity = gj_op_get(op)->arity;
  bool logic = op == GJ_OP_and || op == GJ_OP_or || op == GJ_OP_not;
  bool real = gj_op_takes(op, GJ_DTYPE_f64) && op != GJ_OP_convert && op != GJ_OP_bitcast;
  return gj_op_is_elementwise(op) && arity >= 1 && arity <= 3 && (logic || real);
}

static bool is_function(const gj_operators *operators, int32_t token) {
  return token >= GJ_TOKEN_FUNCTION &&
         (size_t)(token - GJ_TOKEN_FUNCTION) < operators->function_count;
}

// Takes the numbers that are a function's operands from the stack and puts its result there.
static bool check_function(const gj_population_function *function, bool *truths, size_t *depth) {
  if (*depth < function->arity)
    return false;
  *depth -= function->arity;
  for (size_t i = 0; i < function->arity; i++)
    if (truths[*depth + i])
      return false;
  truths[(*depth)++] = false;
  return true;
}

// Takes the types of an op's operands, true for bool, from the stack and puts its own there.
static bool check_op(gj_op op, bool *truths, size_t *depth) {
  size_t arity = (size_t)gj_op_get(op)->arity;
  if (*depth < arity)
    return false;
  *depth -= arity;
  bool logic = op == GJ_OP_and || op == GJ_OP_or || op == GJ_OP_not;
  for (size_t i = 0; i < arity; i++)
    if (truths[*depth + i] != (logic || (op == GJ_OP_select && i == 0)))
      return false;
  truths[(*depth)++] = gj__op_is_truth(op);
  return true;
}

static bool check_token(const gj_operators *operators, int32_t token, bool *truths, size_t *depth) {
  if (is_function(operators, token))
    return check_function(&operators->functions[token - GJ_TOKEN_FUNCTION], truths, depth);
  return is_usable(token) && check_op((gj_op)token, truths, depth);
}

static bool check_body(const gj_operators *operators, size_t body, size_t arity) {
  const gj_programs *bodies = &operators->bodies;
  bool truths[GJ_MOST_BODY];
  size_t depth = 0;
  if (bodies->starts[body + 1] - bodies->starts[body] > GJ_MOST_BODY)
    return false;
  for (uint32_t i = bodies->starts[body]; i < bodies->starts[body + 1]; i++) {
    int32_t token = bodies->tokens[i];
    if (token < 0) {
      if (token < GJ_TOKEN_CONSTANT && (size_t)(GJ_TOKEN_VARIABLE - (int64_t)token) >= arity)
        return false;
      truths[depth++] = false;
    } else if (!check_token(operators, token, truths, &depth)) {
      return false;
    }
  }
  return depth == 1 && !truths[0];
}

static bool check_derivatives(const gj_operators *operators,
                              const gj_population_function *function) {
  for (size_t i = 0; i < function->arity; i++) {
    uint32_t number = function->derivatives[i];
    if (number > operators->function_count ||
        (number && operators->functions[number - 1].arity != function->arity))
      return false;
  }
  return true;
}

gj_status gj__operators_check(const gj_operators *operators, size_t token_count, gj_error *err) {
  GJ_TRY(gj__programs_check(&operators->bodies, token_count, err));
  for (size_t i = 0; i < operators->function_count; i++) {
    const gj_population_function *f = &operators->functions[i];
    if (f->arity < 1 || f->arity > GJ_MOST_ARGS || !check_derivatives(operators, f))
      return gj_fail(err, GJ_E_ARGUMENT, "population: function %zu is not one of 1 to %d operands",
                     i, GJ_MOST_ARGS);
  }
  for (size_t i = 0; i < operators->bodies.count; i++)
    if (operators->arity[i] > GJ_MOST_OPERANDS || !check_body(operators, i, operators->arity[i]))
      return gj_fail(err, GJ_E_ARGUMENT, "population: the body of operator %zu is no expression",
                     i);
  return GJ_OK;
}

// An operator of a body as nodes have it.
static uint32_t op_of(int32_t token) {
  return token < GJ_TOKEN_FUNCTION ? (uint32_t)token
                                   : GJ_OP_COUNT + (uint32_t)(token - GJ_TOKEN_FUNCTION);
}

uint32_t gj__body_apply(gj__nodes *nodes, const gj_programs *bodies, size_t body,
                        const uint32_t *operands) {
  uint32_t stack[GJ_MOST_BODY];
  size_t depth = 0;
  for (uint32_t i = bodies->starts[body]; i < bodies->starts[body + 1]; i++) {
    int32_t token = bodies->tokens[i];
    uint32_t value;
    if (token >= 0) {
      depth -= (size_t)gj__op_arity(nodes, op_of(token));
      value = gj__nodes_apply(nodes, op_of(token), &stack[depth]);
    } else if (token == GJ_TOKEN_CONSTANT) {
      value = gj__nodes_leaf(nodes, GJ__CONSTANT, 0, bodies->constants[i]);
    } else {
      value = operands[GJ_TOKEN_VARIABLE - token];
    }
    if (value == GJ__NO_NODE)
      return GJ__NO_NODE;
    stack[depth++] = value;
  }
  return stack[0];
}

// --- programs ---

typedef struct reader {
  const gj_programs *programs;
  const gj_operators *operators;
  size_t variable_count;
  bool parameters;
  gj__nodes *nodes;
  uint32_t *stack; // room for the longest program
  size_t depth;
  gj_error *err;
} reader;

static gj_status apply(reader *r, size_t program, uint32_t at, size_t which, uint32_t *out) {
  const gj_programs *programs = r->programs;
  uint32_t operands[GJ_MOST_OPERANDS];
  if (which >= r->operators->bodies.count)
    return gj_fail(r->err, GJ_E_ARGUMENT,
                   "population: program %zu: token %u is operator %zu, and there are %zu", program,
                   at - programs->starts[program], which, r->operators->bodies.count);
  size_t arity = r->operators->arity[which];
  if (r->depth < arity)
    return gj_fail(r->err, GJ_E_ARGUMENT,
                   "population: program %zu: token %u is an operator of %zu operands, of which %zu "
                   "are there",
                   program, at - programs->starts[program], arity, r->depth);
  r->depth -= arity;
  for (size_t i = 0; i < arity; i++)
    operands[i] = r->stack[r->depth + (programs->prefix ? arity - 1 - i : i)];
  *out = gj__body_apply(r->nodes, &r->operators->bodies, which, operands);
  return GJ_OK;
}

static gj_status read_token(reader *r, size_t program, uint32_t at) {
  int32_t token = r->programs->tokens[at];
  uint32_t value = GJ__NO_NODE;
  if (token >= 0) {
    GJ_TRY(apply(r, program, at, (size_t)token, &value));
  } else if (token == GJ_TOKEN_CONSTANT) {
    value = r->parameters ? gj__nodes_leaf(r->nodes, GJ__PARAMETER, at, 0)
                          : gj__nodes_leaf(r->nodes, GJ__CONSTANT, 0, r->programs->constants[at]);
  } else {
    size_t variable = (size_t)(GJ_TOKEN_VARIABLE - (int64_t)token);
    if (variable >= r->variable_count)
      return gj_fail(r->err, GJ_E_ARGUMENT,
                     "population: program %zu: token %u is variable %zu, and there are %zu",
                     program, at - r->programs->starts[program], variable, r->variable_count);
    value = gj__nodes_leaf(r->nodes, GJ__VARIABLE, (uint32_t)variable, 0);
  }
  if (value == GJ__NO_NODE)
    return no_memory(r->err);
  r->stack[r->depth++] = value;
  return GJ_OK;
}

// Prefix order, read from its end, is postfix order with operands the other way round.
static gj_status read_program(reader *r, size_t program, uint32_t *out_root) {
  uint32_t begin = r->programs->starts[program], end = r->programs->starts[program + 1];
  r->depth = 0;
  for (uint32_t i = 0; i < end - begin; i++)
    GJ_TRY(read_token(r, program, r->programs->prefix ? end - 1 - i : begin + i));
  if (r->depth != 1)
    return gj_fail(r->err, GJ_E_ARGUMENT,
                   "population: program %zu: its %u tokens are %zu values, expected one", program,
                   end - begin, r->depth);
  *out_root = r->stack[0];
  return GJ_OK;
}

gj_status gj__programs_read(const gj_programs *programs, const gj_operators *operators,
                            size_t variable_count, bool parameters, gj__nodes *nodes,
                            uint32_t *roots, gj_error *err) {
  size_t longest = 0;
  for (size_t i = 0; i < programs->count; i++)
    if (programs->starts[i + 1] - programs->starts[i] > longest)
      longest = programs->starts[i + 1] - programs->starts[i];
  reader r = {programs, operators, variable_count, parameters, nodes, NULL, 0, err};
  r.stack = malloc((longest + 1) * sizeof *r.stack);
  if (!r.stack)
    return no_memory(err);
  gj_status status = GJ_OK;
  for (size_t i = 0; i < programs->count && status == GJ_OK; i++)
    status = read_program(&r, i, &roots[i]);
  free(r.stack);
  return status;
}
