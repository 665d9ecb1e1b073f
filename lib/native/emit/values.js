/**
 * TIR expressions as Loop IR.
 *
 * What may not be evaluated (a load out of range, the side that was not chosen) becomes statements in front, which
 * leave their value in a local; expressions have no effects, so it does not matter that these come first. Where
 * both sides of a choice are cheap and touch no memory, they are evaluated and one is selected.
 */
'use strict';

const { constantOf } = require('../tir/counted-loops.js');
const { cyclesOf } = require('../tir/operators.js');
const { eachNode } = require('../tir/walk.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */
/** @typedef {import('./writer.js').Writer} Writer */
/** @typedef {{ text: string, depth: number }} Value */

/** Levels of an expression above which it is divided; Loop IR takes 256. */
const DEEPEST = 100;
/** Nodes of a side of a choice that is evaluated without being asked for. */
const CHEAP_NODES = 6;

/** Nodes of one cycle that are evaluated only if somebody asks: what has statements in front, or branches. */
const ASKED = new Set(['choose', 'wrap', 'address', 'pointer']);

/** What an element is in memory: Loop IR has no clamped ones. @type {(dtype: string) => string} */
const memoryOf = (dtype) => (dtype === 'u8c' ? 'u8' : dtype);

/** Loop IR's spelling of a type. @type {(type: string) => string} */
const typeText = (type) => (type.endsWith('*') ? `${memoryOf(type.slice(0, -1))}*` : type);

/** @type {(value: number | bigint | boolean, type: string) => string} */
function constantText(value, type) {
  if (type === 'bool') return value ? 'true' : 'false';
  if (type === 'f64' || type === 'f32') {
    const number = Number(value);
    if (Number.isNaN(number)) return `nan:${type}`;
    if (!Number.isFinite(number)) return `${number < 0 ? '-' : ''}inf:${type}`;
    return `${Object.is(number, -0) ? '-0' : number}:${type}`;
  }
  const whole = BigInt(/** @type {number | bigint} */ (value));
  return type === 'i64' ? `${whole}` : `${whole}:${type}`;
}

/**
 * Whether an expression is a float that is a power of two from 1 on, by which nothing is rounded.
 *
 * @type {(e: Expression) => boolean}
 */
const isPower = (e) =>
  e.op === 'const' &&
  (e.type === 'f64' || e.type === 'f32') &&
  e.value >= 1 &&
  e.value <= 2 ** 64 &&
  Number.isInteger(Math.log2(e.value));

/** Whether it may be evaluated even if nobody needs it. @type {(e: Expression) => boolean} */
function isCheap(e) {
  let nodes = 0;
  let cheap = true;
  eachNode(e, (node) => {
    nodes++;
    cheap &&= cyclesOf(node.op) === 1 && !ASKED.has(node.op);
  });
  return cheap && nodes <= CHEAP_NODES;
}

/** @type {(w: Writer, value: Value, type: string) => Value} */
function held(w, value, type) {
  const name = w.fresh('t');
  w.line(`let ${name}: ${typeText(type)} = ${value.text}`);
  return { text: name, depth: 1 };
}

/** @type {(head: string, args: Value[]) => Value} */
const applied = (head, args) => ({
  text: `${head}(${args.map((a) => a.text).join(', ')})`,
  depth: 1 + Math.max(0, ...args.map((a) => a.depth)),
});

/** A conversion, where there is something to convert. @type {(value: Value, from: string, to: string) => Value} */
const converted = (value, from, to) => (from === to ? value : applied(`convert<${to}>`, [value]));

/** @type {(w: Writer, e: Expression) => Value} */
function dispatch(w, e) {
  switch (e.op) {
    case 'const':
      return { text: constantText(e.value, e.type), depth: 1 };
    case 'local':
      return { text: w.nameOf(e.local), depth: 1 };
    case 'data':
      w.needs.data = true;
      return { text: `data<${e.index}>`, depth: 1 };
    case 'load':
      return loadOf(w, e);
    case 'choose':
      return chooseOf(w, e);
    case 'andalso':
    case 'orelse':
      return shortOf(w, e);
    case 'overflows':
      return applied(`overflows ${e.what}`, argsOf(w, e));
    case 'nowhere':
      return { text: `pointer<${e.type.slice(0, -1)}>(0)`, depth: 1 };
    case 'convert':
      return converted(valueOf(w, e.args[0]), e.args[0].type, e.type);
    case 'rem':
      return isPower(e.args[1]) ? remainder(w, e) : applied(e.op, argsOf(w, e));
    case 'bitcast':
    case 'pointer':
    case 'wrap':
      return applied(`${e.op}<${e.op === 'pointer' ? e.type.slice(0, -1) : e.type}>`, argsOf(w, e));
    default:
      return w.shared.prelude.has(e.op)
        ? applied(`call ${w.shared.prelude.use(e.op)}`, argsOf(w, e))
        : applied(e.op, argsOf(w, e));
  }
}

/**
 * What is left of a float by a power of two: quotient, whole part and product are exact. A remainder of zero has the
 * sign of what was divided, as a product with zero has.
 *
 * @type {(w: Writer, e: Expression) => Value}
 */
function remainder(w, e) {
  const x = held(w, valueOf(w, e.args[0]), e.type).text;
  const by = constantText(e.args[1].value, e.type);
  const rest = held(w, { text: `sub(${x}, mul(trunc(div(${x}, ${by})), ${by}))`, depth: 4 }, e.type).text;
  return {
    text: `select(eq(${rest}, ${constantText(0, e.type)}), mul(${x}, ${constantText(0, e.type)}), ${rest})`,
    depth: 3,
  };
}

/** @type {(w: Writer, e: Expression) => Value[]} */
const argsOf = (w, e) => e.args.map((arg) => valueOf(w, arg));

/**
 * An expression of Loop IR for one of TIR. What it needs stands in front when it returns.
 *
 * @param {Writer} w
 * @param {Expression} e
 * @returns {Value}
 */
function valueOf(w, e) {
  const value = dispatch(w, e);
  return value.depth > DEEPEST ? held(w, value, e.type) : value;
}

/** @type {(w: Writer, e: Expression) => string} */
const textOf = (w, e) => valueOf(w, e).text;

/**
 * Whether an index is one of an array's. Lengths are not negative, so one comparison does.
 *
 * @type {(w: Writer, array: ArrayRef, index: Value) => string}
 */
function inRange(w, array, index) {
  return `lt(bitcast<u64>(${index.text}), bitcast<u64>(${textOf(w, array.length)}))`;
}

/** An index that is used more than once. @type {(w: Writer, index: Expression) => Value} */
const indexOf = (w, index) =>
  index.op === 'local' || constantOf(index) !== null ? valueOf(w, index) : held(w, valueOf(w, index), 'i64');

/**
 * A bool that is whether an access is to memory of its array.
 *
 * @param {Writer} w
 * @param {ArrayRef} array
 * @param {Value} index
 * @param {Expression | null} valid
 */
function accessible(w, array, index, valid) {
  const range = inRange(w, array, index);
  return valid ? `and(${textOf(w, valid)}, ${range})` : range;
}

/** @type {(w: Writer, e: Expression) => Value} */
function loadOf(w, e) {
  const element = memoryOf(e.array.dtype);
  const from = (/** @type {Value} */ index) =>
    converted({ text: `${textOf(w, e.array.pointer)}[${index.text}]`, depth: index.depth + 1 }, element, e.type);
  if (!e.missing) return from(valueOf(w, e.args[0]));
  const index = indexOf(w, e.args[0]);
  const name = w.fresh('t');
  w.line(`let ${name}: ${e.type} = ${constantText(e.missing.value, e.type)}`);
  w.braces(`if (${accessible(w, e.array, index, e.valid)})`, () => w.line(`${name} = ${from(index).text}`));
  return { text: name, depth: 1 };
}

/** @type {(w: Writer, e: Expression) => Value} */
function chooseOf(w, e) {
  const [test, then, otherwise] = e.args;
  if (isCheap(then) && isCheap(otherwise)) return applied('select', argsOf(w, e));
  const condition = textOf(w, test);
  const name = w.fresh('t');
  w.line(`let ${name}: ${e.type} = ${constantText(0, e.type)}`);
  w.line(`if (${condition}) {`);
  w.nest(() => w.line(`${name} = ${textOf(w, then)}`));
  w.line('} else {');
  w.nest(() => w.line(`${name} = ${textOf(w, otherwise)}`));
  w.line('}');
  return { text: name, depth: 1 };
}

/** @type {(w: Writer, e: Expression) => Value} */
function shortOf(w, e) {
  const [first, second] = e.args;
  const both = e.op === 'andalso';
  if (isCheap(second)) return applied(both ? 'and' : 'or', argsOf(w, e));
  const name = w.fresh('t');
  const { text } = valueOf(w, first);
  w.line(`let ${name}: bool = ${text}`);
  w.braces(`if (${both ? name : `not(${name})`})`, () => w.line(`${name} = ${textOf(w, second)}`));
  return { text: name, depth: 1 };
}

/**
 * A value as an element in memory: narrower ones take its low bits.
 *
 * @type {(w: Writer, e: Expression, dtype: string) => string}
 */
const elementText = (w, e, dtype) => converted(valueOf(w, e), e.type, memoryOf(dtype)).text;

module.exports = {
  accessible, constantText, converted, elementText, held, indexOf, memoryOf, textOf, typeText, valueOf,
};
