// The order in which things happen: random programs full of effects, run as JavaScript and as trees.
//
// Every variable and element may be changed in the middle of an expression that has read it already: by an assignment, by
// `++`, by a function that sets what it closes over, by a callback. What is left in the variables and the array tells
// when something was read or written too early or too late.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { build } = require('../../lib/native/build/index.js');
const { evaluator } = require('../../lib/native/hir/evaluate.js');
const { print } = require('../../lib/native/hir/print.js');
const { source } = require('./support/values.js');

const NAMES = ['x', 'y', 'z'];

/** Writes programs. */
class Writer {
  /** @param {number} seed */
  constructor(seed) {
    this.random = source(seed);
    this.loops = 0;
  }

  /** @template T @param {T[]} list @returns {T} */
  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  name() {
    return this.pick(NAMES);
  }

  /** An element's index, in range mostly. @param {number} depth */
  index(depth) {
    return this.pick([() => `${Math.floor(this.random() * 5)}`, () => `${this.name()} & 3`, () => `(${this.expression(depth - 1)}) & 3`])();
  }

  /** What can be assigned to. @param {number} depth @returns {string} */
  target(depth) {
    return this.pick([() => this.name(), () => `a[${this.index(depth)}]`, () => `o.${this.pick(['p', 'q'])}`, () => `a[${this.name()}++ & 3]`])();
  }

  /** @param {number} depth @returns {string} */
  leaf(depth) {
    return this.pick([() => this.name(), () => `${Math.floor(this.random() * 9)}`, () => `a[${this.index(depth)}]`, () => `o.p`, () => 'o.q', () => 'a.length'])();
  }

  /** @param {number} depth @returns {string} */
  expression(depth) {
    if (depth <= 0) return this.leaf(0);
    const sub = () => this.expression(depth - 1);
    return this.pick([
      () => `(${sub()} ${this.pick(['+', '-', '*', '%', '&', '<', '===', '|', '>>'])} ${sub()})`,
      () => `(${this.target(depth)} = ${sub()})`,
      () => `(${this.target(depth)} ${this.pick(['+=', '-=', '^=', '*=', '||=', '&&=', '??='])} ${sub()})`,
      () => `${this.target(depth)}${this.pick(['++', '--'])}`,
      () => `${this.pick(['++', '--'])}${this.target(depth)}`,
      () => `(${sub()} ${this.pick(['&&', '||', '??'])} ${sub()})`,
      () => `(${sub()} ? ${sub()} : ${sub()})`,
      () => `(${sub()}, ${sub()})`,
      () => `f(${sub()}, ${sub()})`,
      () => `g(${sub()})`,
      () => `[${sub()}, ${sub()}, ${sub()}][${sub()} & 1]`,
      () => `Math.max(${sub()}, ${sub()})`,
      () => `-${sub().replace(/^-/, ' -')}`,
      () => `a.reduce((s, e, i) => s + e * (${this.pick(NAMES)} += i), ${sub()})`,
      () => `({ p: ${sub()}, q: ${sub()} }).${this.pick(['p', 'q'])}`,
      () => `a.indexOf(${sub()}, ${sub()})`,
      () => `a?.[${sub()} & 3]`,
      () => `([${this.target(depth)}, ${this.target(depth)} = ${sub()}] = [${sub()}, ${sub()}])[0]`,
    ])();
  }

  /** What happens to an array that grows. @param {string} g @returns {string} */
  growth(g) {
    return this.pick([
      () => `${g}.push(${this.expression(1)}, ${this.name()}++);`,
      () => `${g}[${g}.length] = ${this.expression(2)};`,
      () => `x ^= ${g}.push(${g}.pop() + ${g}.length);`,
      () => `if (${g}.length > 1) { ${g}[1] += ${this.expression(1)}; ${g}[0]++; z = ${g}[${this.expression(0)} & 3] ?? 7; }`,
      () => `y -= ${g}.shift() ?? ${this.expression(1)};`,
      () => `for (let i = 0; i < 9; i++) ${g}[i] = i * x;`,
      () => `a.forEach((e) => { if (e > 1) ${g}.push(e + x++); });`,
      () => `${g}.sort((p, q) => p - q).reverse();`,
      () => `x += Math.max(0, ...${g}) + ${g}.indexOf(y) + ${g}.filter((e) => e > 1).length;`,
      () => `if (${this.expression(1)} & 1) ${g}.length = 0;`,
    ])();
  }

  /** @param {number} depth @returns {string} */
  statement(depth) {
    const inner = () => this.statements(depth - 1);
    const simple = [
      () => `${this.expression(3)};`,
      () => `[${this.target(1)}, ${this.target(1)}] = [${this.expression(2)}, ${this.expression(2)}];`,
      () => `({ p: ${this.target(1)}, q: ${this.target(1)} = ${this.expression(1)} } = { p: ${this.expression(2)}, r: 1 });`,
    ];
    if (depth <= 0) return this.pick(simple)();
    const round = `k${this.loops++}`;
    return this.pick([
      ...simple,
      () => `if (${this.expression(2)}) { ${inner()} } else { ${inner()} }`,
      () => `for (let ${round} = 0; ${round} < 3 && (${this.expression(1)}, true); ${round}++, ${this.expression(1)}) { ${inner()} fs.push(() => ${round}++); }`,
      () => `for (const ${round} of a) { x += ${round}; ${inner()} if (${this.expression(1)} & 1) ${this.pick(['break', 'continue'])}; }`,
      () => `for (const ${round} of [${this.expression(1)}, ${this.expression(1)}, ${this.name()}]) { z -= ${round}; ${inner()} fs.push(() => ${round}); if (${this.expression(1)} & 1) ${this.pick(['break', 'continue'])}; }`,
      () => `{ const t = [0, 1]; t[0] = ${this.expression(1)}; t[2] = ${this.expression(1)}; t[3] = t[2] + ${this.name()}; x += ${this.pick(['t.length', 't[3]', 'Math.max(...t, ...a)', 'Math.min(...a, y)'])}; }`,
      () => `{ const g${round} = [${this.pick(['', 'x', '1, y'])}]; ${this.growth(`g${round}`)} ${inner()} ${this.growth(`g${round}`)} for (const e of g${round}) { x += e; ${this.growth(`g${round}`)} if (calls++ > 60) break; } y = y * 3 + g${round}.reduce((s, e) => s * 2 + e, g${round}.length) | 0; }`,
      () => `let ${round} = 3; do { ${inner()} } while (--${round} > 0 && ${this.expression(1)});`,
      () => `switch (${this.expression(1)} & 3) { case ${this.expression(1)} & 3: ${inner()} ${this.pick(['break;', ''])} default: ${inner()} case 2: ${inner()} }`,
      () => `L${round}: { ${inner()} if (${this.expression(1)}) break L${round}; ${inner()} }`,
      () => `{ let x = ${this.name() === 'x' ? 'y' : 'z'}; ${inner()} y ^= x; }`,
    ])();
  }

  /** @param {number} depth @returns {string} */
  statements(depth) {
    return Array.from({ length: 1 + Math.floor(this.random() * 2) }, () => this.statement(depth)).join(' ');
  }

  program() {
    return `(a, x, y) => {
  let z = 1; const o = { p: 1, q: 2 }; const fs = []; let calls = 0;
  const f = (u, v) => { if (++calls > 40) return 0; ${this.name()} = u; a[v & 3] += ${this.name()}; return ${this.expression(1)}; };
  function g(u) { if (++calls > 40) return 1; o.p ^= u; x++; return u + ${this.leaf(1)}; }
  ${this.statements(2)} ${this.statements(2)}
  return [x, y, z, o.p, o.q, calls, ...fs.map((h) => h()), ...fs.map((h) => h())];
}`;
  }
}

/** @param {Function} fn */
function outcome(fn) {
  const a = Int32Array.of(3, 1, 4, 1);
  try {
    return { value: fn(a, 5, 9), a };
  } catch (error) {
    return { error: String(error), a };
  }
}

test('random programs full of effects do the same as trees', () => {
  for (let seed = 1; seed <= Number(process.env.GRAPHJIT_ORDER ?? 150); seed++) {
    const text = new Writer(seed).program();
    const fn = new Function(`return ${text}`)();
    const tree = build(fn);
    const [actual, expected] = [outcome(evaluator(tree)), outcome(fn)];
    try {
      assert.deepEqual(actual, expected);
    } catch (error) {
      throw new Error(`seed ${seed}:\n${text}\n${print(tree)}`, { cause: error });
    }
  }
});
