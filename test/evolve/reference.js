// Programs computed the obvious way: a nested array, one row at a time, with Math.
'use strict';

const OPERATORS = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  pow: (a, b) => a ** b,
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  mod: (a, b) => a % b,
  hypot: (a, b) => Math.hypot(a, b),
  atan2: (a, b) => Math.atan2(a, b),
  aq: (a, b) => a / Math.sqrt(1 + b * b),
  greater: (a, b) => Number(a > b),
  less: (a, b) => Number(a < b),
  choose: (a, b, c) => (a > 0 ? b : c),
  neg: (a) => -a,
  inv: (a) => 1 / a,
  square: (a) => a * a,
  cube: (a) => a * a * a,
  sigmoid: (a) => 1 / (1 + Math.exp(-a)),
  relu: (a) => Math.max(a, 0),
  gauss: (a) => Math.exp(-a * a),
  softplus: (a) => Math.max(a, 0) + Math.log1p(Math.exp(-Math.abs(a))),
};
for (const name of ['abs', 'sign', 'floor', 'ceil', 'sqrt', 'cbrt', 'exp', 'expm1', 'log', 'log2', 'log10', 'log1p', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh']) {
  OPERATORS[name] = Math[name];
}
OPERATORS.exp2 = (a) => 2 ** a;

const PROTECTED = {
  div: (a, b) => (Math.abs(b) > 0.001 ? a / b : 1),
  inv: (a) => (Math.abs(a) > 0.001 ? 1 / a : 0),
  log: (a) => (Math.abs(a) > 0.001 ? Math.log(Math.abs(a)) : 0),
  log2: (a) => (Math.abs(a) > 0.001 ? Math.log2(Math.abs(a)) : 0),
  log10: (a) => (Math.abs(a) > 0.001 ? Math.log10(Math.abs(a)) : 0),
  sqrt: (a) => Math.sqrt(Math.abs(a)),
};

/** The value of a program in a row, an object of the variables. */
function valueOf(program, row, isProtected = false) {
  if (typeof program === 'number') return program;
  if (typeof program === 'string') return row[program];
  const [name, ...operands] = program;
  const apply = (isProtected && PROTECTED[name]) || OPERATORS[name];
  return apply(...operands.map((each) => valueOf(each, row, isProtected)));
}

/** A random nested array of at most this depth. */
function randomProgram(next, names, variables, depth) {
  const pick = (list) => list[Math.floor(next() * list.length)];
  if (depth === 0 || next() < 0.15) return next() < 0.7 ? pick(variables) : Math.round((next() * 6 - 3) * 1000) / 1000;
  const name = pick(names);
  return [name, ...Array.from({ length: OPERATORS[name].length }, () => randomProgram(next, names, variables, depth - 1))];
}

/** Typed arrays of nested arrays, in prefix or postfix order, as docs/populations.md has them. */
function encode(programs, ops, variables, order) {
  const tokens = [];
  const constants = [];
  const offsets = [0];
  const put = (token, constant) => {
    tokens.push(token);
    constants.push(constant);
  };
  const visit = (node) => {
    if (typeof node === 'number') return put(-1, node);
    if (typeof node === 'string') return put(-2 - variables.indexOf(node), 0);
    const operator = ops.indexOf(node[0]);
    if (order === 'prefix') put(operator, 0);
    node.slice(1).forEach(visit);
    if (order === 'postfix') put(operator, 0);
    return undefined;
  };
  for (const program of programs) {
    visit(program);
    offsets.push(tokens.length);
  }
  return { tokens: Int32Array.from(tokens), constants: Float64Array.from(constants), offsets: Uint32Array.from(offsets), order };
}

module.exports = { OPERATORS, encode, randomProgram, valueOf };
