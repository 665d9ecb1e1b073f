/**
 * Walks over TIR: every statement, every expression, and who is read and set where.
 *
 * The one place that knows where statements keep blocks and expressions; transforms and emission ask it. Walks go
 * over a statement before what is inside it, in the order of the program.
 */
'use strict';

/** @typedef {import('./index.js').Statement} Statement */
/** @typedef {import('./index.js').Expression} Expression */
/** @typedef {import('./index.js').ArrayRef} ArrayRef */
/** @typedef {import('./index.js').Local} Local */
/** @typedef {import('./index.js').LoopStmt} LoopStmt */

/** @type {Statement[][]} */
const NONE = [];

/**
 * The blocks directly inside a statement.
 *
 * @param {Statement} s
 * @returns {Statement[][]}
 */
function blocksOf(s) {
  switch (s.kind) {
    case 'if':
      return [s.then, s.otherwise];
    case 'loop':
      return [s.before, s.body, s.update];
    case 'prange':
    case 'block':
      return [s.body];
    default:
      return NONE;
  }
}

/** The elements a statement touches besides those of its expressions. @type {(s: Statement) => ArrayRef[]} */
function arraysOf(s) {
  if (s.kind === 'store' || s.kind === 'fill') return [s.array];
  return s.kind === 'copy' ? [s.target, s.source] : [];
}

/** @type {(array: ArrayRef) => Expression[]} */
const partsOf = (array) => [array.pointer, array.length];

/**
 * The expressions of a statement itself, not those inside its blocks, with pointers and lengths of the arrays it
 * touches.
 *
 * @param {Statement} s
 * @returns {Expression[]}
 */
function expressionsOf(s) {
  switch (s.kind) {
    case 'let':
    case 'set':
      return [s.value];
    case 'store':
      return s.valid
        ? [s.array.pointer, s.array.length, s.index, s.value, s.valid]
        : [s.array.pointer, s.array.length, s.index, s.value];
    case 'if':
      return [s.test];
    case 'loop':
      return s.test ? [s.test] : [];
    case 'prange':
      return [s.lo, s.hi];
    case 'return':
    case 'throw':
      return s.values;
    case 'call':
      return s.args;
    case 'parallel':
      return [...s.args, s.lo, s.hi, s.grain];
    case 'alloc':
      return [s.count];
    case 'fill':
      return [s.array.pointer, s.array.length, s.value, s.from, s.to];
    case 'copy':
      return [...partsOf(s.target), ...partsOf(s.source), s.at, s.from, s.count];
    default:
      return [];
  }
}

/** The operands of an expression, with what loads read besides. @type {(e: Expression) => Expression[]} */
function operandsOf(e) {
  if (e.op !== 'load') return e.args;
  return [...e.args, ...partsOf(e.array), ...(e.valid ? [e.valid] : [])];
}

/** @type {(body: Statement[], visit: (s: Statement) => void) => void} */
function eachStatement(body, visit) {
  for (const s of body) {
    visit(s);
    for (const block of blocksOf(s)) eachStatement(block, visit);
  }
}

/** Every node of an expression. @type {(e: Expression, visit: (e: Expression) => void) => void} */
function eachNode(e, visit) {
  visit(e);
  for (const operand of operandsOf(e)) eachNode(operand, visit);
}

/** Every node of every expression of a block. @type {(body: Statement[], visit: (e: Expression) => void) => void} */
function eachExpression(body, visit) {
  eachStatement(body, (s) => {
    for (const e of expressionsOf(s)) eachNode(e, visit);
  });
}

/** The local that a pointer was made of, null for constant data. @type {(pointer: Expression) => Local | null} */
function baseOf(pointer) {
  let at = pointer;
  while (at.op === 'offset') at = at.args[0];
  return at.op === 'local' ? at.local : null;
}

/** The locals that a block sets again. @type {(body: Statement[]) => Set<Local>} */
function setsIn(body) {
  const found = new Set();
  eachStatement(body, (s) => {
    if (s.kind === 'set') found.add(s.local);
  });
  return found;
}

/** The locals that a block makes. @type {(body: Statement[]) => Set<Local>} */
function declaredIn(body) {
  const found = new Set();
  eachStatement(body, (s) => {
    if (s.kind === 'let' || s.kind === 'alloc' || s.kind === 'stack' || s.kind === 'prange') found.add(s.local);
    if (s.kind === 'call') s.results.forEach((local) => found.add(local));
  });
  return found;
}

/** How often a block reads each local. @type {(body: Statement[]) => Map<Local, number>} */
function readsIn(body) {
  const found = new Map();
  eachExpression(body, (e) => {
    if (e.op === 'local') found.set(e.local, (found.get(e.local) ?? 0) + 1);
  });
  return found;
}

/**
 * Whether some statement of a block satisfies `test`.
 *
 * @type {(body: Statement[], test: (s: Statement) => boolean) => boolean}
 */
function someStatement(body, test) {
  for (const s of body) {
    if (test(s)) return true;
    for (const block of blocksOf(s)) if (someStatement(block, test)) return true;
  }
  return false;
}

/**
 * Whether a node of an expression satisfies `test`.
 *
 * @type {(e: Expression, test: (e: Expression) => boolean) => boolean}
 */
function someNode(e, test) {
  return test(e) || operandsOf(e).some((operand) => someNode(operand, test));
}

const LEAVING = new Set(['break', 'continue', 'return', 'throw']);

/**
 * Whether control never comes to the end of a block because a statement of it leaves.
 *
 * @type {(body: Statement[]) => boolean}
 */
const leaves = (body) => body.some((s) => LEAVING.has(s.kind));

module.exports = {
  arraysOf, baseOf, blocksOf, declaredIn, eachExpression, eachNode, eachStatement, expressionsOf, leaves, operandsOf,
  readsIn, setsIn, someNode, someStatement,
};
