// Compares V8 and native code on random functions that call each other and themselves.
//
//   node test/fuzz/calls.js [--seconds 60] [--seed 1] [--only SEED]
//
// Each has some functions inside: arguments are depths, numbers that may be missing, arrays that may be the same, and functions;
// they use and set variables around them, and give numbers, booleans, pairs, objects, arrays, or nothing.
'use strict';

require('../support/verify.js');
const { parseArgs } = require('node:util');
const { judge } = require('./functions.js');
const { source } = require('../functions/support/values.js');

/** What a function gives, as a number: `t` is what it gave. @type {Record<string, string>} */
const USES = {
  number: 't',
  maybe: '(t === undefined ? -1 : t)',
  truth: '(t ? 2 : 3)',
  maybeTruth: '(t === undefined ? 5 : t === null ? 7 : t ? 2 : 3)',
  pair: '(t[0] - t[1] * 0.5)',
  object: '(t.s + (t.u.b ? t.u.x : 1))',
  array: '(t[0] + t.length)',
};

class Calls {
  /** @type {{ name: string, gives: string, isLeaf: boolean }[]} */
  #functions = [];
  #temporaries = 0;
  #left = 0;

  /** @param {() => number} random */
  constructor(random) {
    this.random = random;
  }

  /** @param {readonly any[]} items */
  pick(items) {
    return items[Math.floor(this.random() * items.length)];
  }

  /** @param {number} chance */
  maybe(chance) {
    return this.random() < chance;
  }

  /** A number. @param {number} depth @param {string[]} names of numbers @returns {string} */
  number(depth, names) {
    if (depth <= 0 || this.maybe(0.25)) return this.maybe(0.6) ? this.pick(names) : this.pick(['0', '1', '2', '-1', '0.5', '3', '-0', '1e3']);
    const [x, y] = [this.number(depth - 1, names), this.number(depth - 1, names)];
    return this.pick([
      `(${x} + ${y})`, `(${x} - ${y})`, `(${x} * ${y})`, `(${x} / 4)`, `(${x} | 0)`, `(${x} & 15)`, `Math.min(${x}, ${y})`, `(${x} > ${y} ? ${x} : 1)`, `Math.floor(${x})`, `-(${x})`,
    ]);
  }

  /** @param {string[]} arrays @param {string[]} names */
  element(arrays, names) {
    return `${this.pick(arrays)}[${this.number(1, names)} & 3]`;
  }

  /** A call and what it is as a number, in statements before it. @param {string[]} out @param {string} k @param {string[]} names @param {string[]} arrays @param {string[]} closures */
  call(out, k, names, arrays, closures) {
    const { name, gives } = this.pick(this.#functions);
    const x = this.maybe(0.1) ? 'undefined' : this.maybe(0.1) ? this.element(arrays, names) : this.number(2, names);
    const t = `t${this.#temporaries++}`;
    out.push(`const ${t} = ${name}(${k}, ${x}, ${this.pick(arrays)}, ${this.pick(arrays)}, ${this.pick(closures)});`);
    return USES[gives].replace(/\bt\b/g, t);
  }

  /** @param {string[]} out @param {string[]} names @param {string[]} arrays @param {string[]} closures */
  statement(out, names, arrays, closures) {
    const value = this.number(2, names);
    switch (Math.floor(this.random() * 7)) {
      case 0:
        return out.push(`v${this.pick([0, 1])} ${this.pick(['=', '+='])} ${value};`);
      case 1:
        return out.push(`${this.element(arrays, names)} = ${value};`);
      case 2:
        return out.push(`flag = ${value} > ${this.number(1, names)};`);
      case 3:
        return out.push(`if (${value} > 1) last = ${this.number(1, names)};`);
      case 4:
        return out.push(`y += ${this.pick(closures)}(${value});`);
      case 5:
        return out.push(`for (let i = 0; i < 3; i++) y = y / 2 + ${this.element(arrays, [...names, 'i'])};`);
      default:
        return out.push(`y = ${value};`);
    }
  }

  /** @param {string} gives @param {string[]} names @param {string[]} arrays */
  result(gives, names, arrays) {
    const [x, y] = [this.number(2, names), this.number(1, names)];
    /** @type {Record<string, string>} */
    const results = {
      number: x,
      maybe: `${x} > ${y} ? ${y} : undefined`,
      truth: `${x} > ${y}`,
      maybeTruth: `${x} > 3 ? undefined : ${y} < 0 ? null : ${x} > ${y}`,
      pair: `[${x}, ${y}]`,
      object: `{ s: ${x}, u: { x: ${y}, b: ${x} >= ${y} } }`,
      array: this.pick(arrays),
    };
    return results[gives];
  }

  /** @param {{ name: string, gives: string, isLeaf: boolean }} fn @returns {string} */
  definition({ name, gives, isLeaf }) {
    const names = ['k', 'x', 'y', 'v0', 'v1', 'p0'];
    const arrays = ['a', 'b', 'a0', 'w'];
    const closures = ['g', 'scale', 'shift'];
    /** @type {string[]} */
    const out = [`if (x === undefined) x = ${this.number(1, ['k', 'p0'])};`, `let y = ${this.number(2, ['k', 'x', 'v0'])};`, `if (k <= 0) return ${this.result(gives, names, arrays)};`];
    for (let i = this.pick([1, 2, 3, isLeaf ? 9 : 2]); i > 0; i--) this.statement(out, names, arrays, closures);
    for (let i = isLeaf ? 0 : this.pick([1, 1, 2]); i > 0; i--) {
      if (this.#left-- > 0) out.push(`y = y / 2 + ${this.call(out, 'k - 1', names, arrays, closures)};`);
    }
    return `const ${name} = (k, x, a, b, g) => { ${out.join(' ')} return ${this.result(gives, names, arrays)}; };`;
  }

  function() {
    const kinds = Object.keys(USES);
    this.#functions = Array.from({ length: this.pick([1, 2, 3]) }, (_, i) => ({ name: `f${i}`, gives: this.pick(kinds), isLeaf: this.maybe(0.3) }));
    this.#left = 4;
    const out = ['let v0 = 1, v1 = p1, flag = false, last;', 'const w = new Float64Array(4);', 'const scale = (x) => x * 0.5 + v1;', 'const shift = (x) => { v0 += 1; return scale(x) - 1; };'];
    out.push(...this.#functions.map((fn) => this.definition(fn)), 'let y = 0;');
    const times = this.pick([1, 2, 3, 12]);
    for (let i = 0; i < times; i++) out.push(`y = y / 2 + ${this.call(out, this.pick(['1', '2', '3']), ['p0', 'p1', 'v0', 'y'], ['a0', 'a1', 'w'], ['scale', 'shift', '(x) => x + p0'])};`);
    out.push('return [y, v0, v1, flag, last, w[0], w[1]];');
    return { params: ['p0', 'p1', 'a0', 'a1'], body: `${out.join('\n')}\n` };
  }
}

/** @param {number} seed */
function make(seed) {
  const random = source(seed);
  const calls = new Calls(random);
  const { params, body } = calls.function();
  const number = () => calls.pick([0, 1, -1, 2, 0.5, -1.5, 7, NaN, 1e9, -0]);
  const array = () => Float64Array.from({ length: 4 }, number);
  const sets = Array.from({ length: 3 }, () => {
    const a = array();
    return [number(), number(), a, calls.maybe(0.2) ? a : array()];
  });
  return { params, body, sets, options: { optLevel: calls.pick([0, 2]) } };
}

/** How native code differs from V8, null where it does not. @param {number} seed */
function tryOne(seed) {
  const made = make(seed);
  const found = judge(made, made.body);
  return found && { ...found, message: `${found.message}\nfunction (${made.params.join(', ')}) {\n${made.body}}` };
}

function main() {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' }, only: { type: 'string' } } });
  if (values.only !== undefined) {
    console.log(tryOne(Number(values.only)) ?? 'the same');
    return;
  }
  const end = performance.now() + 1000 * Number(values.seconds);
  let tried = 0;
  for (let seed = Number(values.seed); performance.now() < end; seed++) {
    const found = tryOne(seed);
    tried++;
    if (!found || found.kind === 'invalid') continue;
    console.log(`seed ${seed} ${found.kind}: ${found.message}\n`);
    process.exitCode = 1;
  }
  console.log(`${tried} functions`);
}

if (require.main === module) main();
module.exports = { tryOne };
