// Random loops at their limits, as trees of the roles that grammar.js tells of.
//
// What counts is what grammar.js leaves alone: tests that read, set and sum before they ask for the bound, counters that are set
// in the loop or jump, steps that vary, bounds near 2^31, 2^53 and 2^63, bigints that wrap, `continue` into updates, sums of prange,
// rows and objects that are chosen as loops go, lists that grow. Any loop may run on, so each starts by counting its rounds.
// Arrays are views in the middle of buffers of theirs, or of one, with numbers around them that no sum can hide.
'use strict';

const { prange } = require('../../lib/native/source/prange.js');
const { kinds } = require('./grammar.js');
const { Maker } = require('./maker.js');

/** @typedef {import('./grammar.js').Node} Node */

const margin = 128;
// Mostly short, else at the edges of vectors and of loops that are written out several times.
const lengths = [0, 1, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65];
const room = 8 * Math.max(...lengths) + 16;
const starts = ['0', '0', '1', '2', '-1', '-3', 'a.length', 'a.length - 1', 'm', 'm | 0', 'k', 'm & 7', 'n - 2', 'n - 1'];
const steps = ['1', '1', '2', '3', '-1', '-2', 'k', '(k | 0)', '(k & 3)', '(1 + (n & 1))'];
const bounds = ['n', 'n', '(n | 0)', '(n & 15)', 'a.length', 'b.length', 'Math.min(n, a.length)', 'a.length - 1', 'a.length + 1', 'n + k', 'm', '5', '2147483647', '9007199254740992', '9007199254740991'];
const numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, 0, 1, 2, 3, 4, 5, 6, -0, 0.5, 2.5, -1.5, 17, 2 ** 31 - 1, 2 ** 31 - 2, -(2 ** 31), 2 ** 31, 2 ** 32, 2 ** 53 - 2, 2 ** 53 - 1, 2 ** 53, -(2 ** 53) + 1, 2 ** 63, 1e300, 5e-324, -2e-310, NaN, Infinity, -Infinity];
const wholes = numbers.filter((x) => Object.is(x, x | 0));
const others = numbers.filter((x) => !Object.is(x, x | 0));
const bigs = ['0n', '1n', '2n', '-1n', '-2n', '3n', '4503599627370496n', '9223372036854775806n', '-9223372036854775807n', '2147483646n', '9007199254740991n'];

/** One function's making. */
class Loops extends Maker {
  /** @param {() => number} random */
  constructor(random) {
    super(random);
    this.names = 0;
  }

  /** Where an element is looked for. @param {string[]} counters @returns {Node} */
  index(counters) {
    const i = this.pick(counters);
    const [x, y] = [this.pick(counters), this.pick(['1', '2', 'k', 'n', 'm', '8'])];
    return this.expression(this.pick([i, i, i, i, `${i} + 1`, `${i} - 1`, `${i} * 2`, `${i} + ${x}`, `${i} - ${x}`, `${y} - ${i}`, `${i} + ${y}`, `${i} * ${y} + ${x}`, `${i} >> 1`, `(${i} / 2) | 0`, `a[${i}]`, `b[${i}] | 0`, `Math.max(${i}, 0)`, `Math.min(${i}, a.length - 1)`, `${i} & 7`, `${i} % 5`]));
  }

  /** @param {string[]} counters */
  element(counters) {
    return this.expression(`${this.pick(['a', 'a', 'b', 'b', 'w', 'list', 'rows[0]', `rows[${this.pick(counters)} & 1]`, `rows[${this.pick(counters)} % 3 === 0 ? 1 : 0]`])}[`, this.index(counters), ']');
  }

  /** A number. @param {string[]} counters @param {number} [depth] @returns {Node} */
  value(counters, depth = 2) {
    if (depth <= 0) return this.expression(this.pick([...counters, 's', 't', 'k', '1', '2', '-1', '0.5', 'o.x', '9007199254740991', '-0']));
    const go = () => this.value(counters, depth - 1);
    return this.pick([
      () => this.element(counters), () => this.element(counters), () => this.element(counters), go,
      () => this.expression('(', go(), this.pick([' + ', ' - ', ' * ', ' % ']), go(), ')'),
      () => this.expression('((', go(), this.pick([') | 0)', ') & 15)', ') >>> 0)', ') >> 1)'])),
      () => this.expression('Math.', this.pick(['min', 'max', 'imul']), '(', go(), ', ', go(), ')'),
      () => this.expression('(', this.test(counters, 1), ' ? ', go(), ' : ', go(), ')'),
      () => this.expression('(', this.element(counters), ' ?? ', go(), ')'),
      () => this.expression('Number(q)'), () => this.expression('Number(BigInt.asIntN(64, BigInt(Math.trunc(', go(), ') || 0)))'), () => this.expression(this.pick(['o', 'r']), this.pick(['.x', '.y'])),
    ])();
  }

  /** @param {string[]} counters @param {number} depth @returns {Node} */
  test(counters, depth) {
    const i = this.pick(counters);
    const plain = () => this.expression(this.pick([`${i} < `, `${i} < `, `${i} <= `, `${i} !== `, `${i} > `, `${i} >= `]), this.pick(bounds));
    if (depth <= 0) return plain();
    const value = () => this.value(counters, 1);
    const again = () => this.test(counters, depth - 1);
    return this.pick([
      plain, plain,
      () => this.expression('(t = +', this.element(counters), this.pick([') > 0', ') !== 0', ') === t', ') < 1e9'])),
      () => this.expression('(s += ', value(), ', ', again(), ')'),
      () => this.expression('(', again(), this.pick([' && ', ' && ', ' || ']), again(), ')'),
      () => this.expression('+', this.element(counters), this.pick([' > ', ' !== +', ' <= ', ' < ']), value()),
      () => this.expression('!(', again(), ')'),
      () => this.expression(this.element(counters), this.pick([' === undefined', ' !== undefined', ' == null', ' != null'])),
      () => this.expression('BigInt.asIntN(64, q ', this.pick(['- 1n', '+ 1n', '* 2n']), this.pick([') >= 0n', ') < 5n', ') < q'])),
    ])();
  }

  /** @param {string[]} counters whose last may be set @returns {Node} */
  set(counters) {
    const i = /** @type {string} */ (counters.at(-1));
    return this.statement(this.pick([
      `${i} += ${this.pick(steps)}`, `${i} -= ${this.pick(steps)}`, `${i}++`, `${i}--`, `${i} *= 2`, `${i} = t`, `${i} = ${i} * 2 - 1`, `${i} = ${this.pick(starts)}`, `k++`, `k = ${i}`, `k -= 1`, `n -= 1`, `n++`,
      `${i} = a[${i}] | 0`, `${i} = ${this.pick(counters)} + 1`,
    ]), ';\n');
  }

  /** @param {string[]} counters */
  change(counters) {
    const value = () => this.value(counters);
    return this.pick([
      () => this.statement('s += ', value(), ';\n'), () => this.statement('s = ', value(), ';\n'), () => this.statement('t = ', value(), ';\n'),
      () => this.statement(this.pick(['a[', 'b[', 'w[', 'rows[0][']), this.index(counters), this.pick(['] = ', '] += ', '] = ']), value(), ';\n'),
      () => this.statement('q = BigInt.asIntN(', this.pick(['64', '64', '32', '8']), `, q ${this.pick(['+', '-', '*'])} ${this.pick(bigs)});\n`),
      () => this.statement('q = BigInt.asIntN(64, q + BigInt.asUintN(', this.pick(['63', '8', '33']), `, BigInt(${this.pick(counters)} | 0)));\n`),
      () => this.statement('list.push(', value(), ');\n'),
      () => this.statement(this.pick(['[o, r] = [r, { x: o.y + 1, y: t }]', 'const h = { x: r.x, y: o.x + 1 }; o = r; r = h', '[o, r] = [{ ...r, x: s }, o]', 'r = { x: o.y, y: r.x }']), ';\n'),
      () => this.statement(this.pick(['[o, r] = [r, o]', 'r = o', 'o = { x: r.y, y: s }', 'o.x += s', 'r = { ...o }', 'rows = [rows[1], rows[0]]', 'const h = o; o = r; r = h']), ';\n'),
      () => this.statement(this.pick(['w.sort()', 'w.sort((x, y) => x - y)', 'w.sort((x, y) => y - x)', 'w.set([s, t, NaN, -0])', 'w.fill(s, 1)', 'a.copyWithin(1, 0, 3)', 'w.reverse()']), ';\n'),
      () => this.statement('s = f(', value(), ' & 3, ', value(), ');\n'),
    ])();
  }

  /** @param {string[]} counters @param {string[]} labels @param {number} depth @returns {Node} */
  block(counters, labels, depth) {
    const items = Array.from({ length: 1 + Math.floor(this.random() * 3) }, () => {
      if (depth > 0 && this.chance(0.25)) return this.loop(counters, labels, depth - 1);
      if (this.chance(0.25)) return this.set(counters);
      if (this.chance(0.2)) return this.statement('if (', this.test(counters, 1), ') ', this.pick(['continue', 'continue', 'break', ...labels.map((label) => `continue ${label}`), ...labels.map((label) => `break ${label}`)]), ';\n');
      if (this.chance(0.15)) return this.statement('if (', this.test(counters, 1), ') {\n', this.list(this.change(counters)), '}\n');
      return this.change(counters);
    });
    return this.list(...items);
  }

  /** @param {string[]} outer @param {string[]} labels @param {number} depth @returns {Node} */
  loop(outer, labels, depth) {
    const i = `i${this.names++}`;
    const label = this.chance(0.3) ? `l${i}` : '';
    const mark = label && `${label}: `;
    const counters = [...outer, i, i];
    const inside = label ? [...labels, label] : labels;
    const end = `if (c${i}++ > ${depth ? 6 : 20}) break;\n`;
    const [start, step, bound] = [this.pick(starts), this.pick(steps), this.pick(bounds)];
    const head = `let c${i} = 0, ${i} = ${start};\n${mark}`;
    const body = () => this.block(counters, inside, depth);
    const simple = () => this.list(...Array.from({ length: 2 }, () => this.change([...outer, i])));
    const limit = this.pick(['8', 'a.length', 'b.length', '(n & 15)', 'Math.min(n, 20)', 'Math.min(a.length, b.length)', 'a.length - 1']);
    const update = this.pick([`${i} += ${step}`, `${i} -= ${step}`, `${i}++`, `${i}++`, `${i} = ${i} * 2 + 1`, `${i} = Math.imul(${i}, 3) + 1`, `${i}++, s = s * 2 % 1001`, `k++, ${i} += k`, `${i} += 2, t = +a[${i}]`]);
    return this.pick([
      () => this.statement(`for (let ${i} = ${this.pick(['0', '0', '1', '-2', 'm & 7', '(m | 0) & 7'])}; ${i} < ${limit}; ${i} += ${this.pick(['1', '1', '2', '3'])}) {\n`, simple(), '}\n'),
      () => this.statement(`for (let ${i} = ${limit}; ${this.pick([`--${i} >= 0`, `${i}-- > 0`, `${i} > 0 && ${i}--`])};) {\n`, simple(), '}\n'),
      () => this.statement(head, 'while (', this.test(counters, 2), `) {\n${end}`, body(), `${update};\n}\n`),
      () => this.statement(head, 'do {\n', end, body(), `${update};\n} while (`, this.test(counters, 2), ');\n'),
      () => this.statement(`let c${i} = 0;\n${mark}for (let ${i} = ${start}; ${i} ${this.pick(['<', '<=', '!==', '>'])} ${bound}; ${update}) {\n${end}`, body(), '}\n'),
      () => this.statement(head, 'for (; ', this.test(counters, 2), `; ${update}) {\n${end}`, body(), '}\n'),
      () => this.statement(`let c${i} = 0;\nfor (let g${i} = ${this.pick(bigs)}; g${i} ${this.pick(['<', '<=', '>', '!=='])} ${this.pick(bigs)}; g${i} = BigInt.as${this.pick(['Int', 'Int', 'Uint'])}N(${this.pick(['64', '64', '63', '32', '8'])}, g${i} ${this.pick(['+', '+', '-', '*'])} ${this.pick(bigs)})) {\n${end}const ${i} = Number(g${i});\n`, simple(), '}\n'),
      () => this.shared(i, outer),
    ])();
  }

  /** Rounds that may run at once, which only read and sum. @param {string} i @param {string[]} outer */
  shared(i, outer) {
    const at = () => `${this.pick(['a', 'b'])}[${this.pick([i, `${i} + 1`, `${i} - 1`, `${i} & 7`, `a[${i}]`])}]`;
    const sum = this.pick([`s = Math.max(s, ${at()})`, `s = Math.min(s, ${at()})`, `u${i} |= ${at()}`, `if (${at()} > ${at()}) u${i} += 1`, `u${i} ^= ${at()} | 0`, `out${i}[${i}] = +${at()} + k`, `u${i} = Math.max(u${i}, ${at()} | 0)`, `u${i} = Math.min(u${i}, ${at()})`]);
    const end = this.pick(['a.length', '(n & 15)', '8', 'b.length', ...outer.slice(0, 1).map((name) => `(${name} & 7)`)]);
    return this.statement(`let u${i} = ${this.pick(['0', '-1'])};\nconst out${i} = new Float64Array(16);\nfor (const ${i} of prange(${end})) {\n${sum};\n}\ns += out${i}[1] + u${i} + (+a[u${i}] || 0);\n`);
  }

  /** @returns {Node} */
  function() {
    const before = `let s = ${this.pick(['0', '0', 'm', '1', '9007199254740990'])}, t = ${this.pick(['0', '1', 'k'])}, q = ${this.pick(bigs)};\nlet o = { x: 1, y: s }, r = { x: k, y: 2 }, rows = [a, ${this.pick(['a.subarray(1)', 'a.subarray(0, 2)', 'a.slice()'])}], list = ${this.pick(['[1, 2, 3]', '[...a]', 'Array.from(b)', '[0]'])};\nconst w = ${this.pick(['a.slice()', 'new Float64Array(6)', 'Float64Array.from(b)', 'a.subarray(1, 5)', 'b.subarray(2)'])};\nconst f = (x, y) => (x <= 0 ? y + k : f(x - 1, y + (+a[x] || 0)) + s);\n`;
    const kept = ['n', 'm', 'k'];
    const most = Array.from({ length: this.pick([1, 1, 2]) }, () => this.loop(kept.slice(0, 2), [], 1));
    return this.list(before, ...most, 'return [+s, +t, Number(q), +k, +n, +o.x, +o.y, +r.x, +r.y, list.length, +list[1], +w[0]];\n');
  }

  number() {
    return this.pick(numbers);
  }

  /** Arrays in the middle of buffers, whose numbers around them show wherever they are read. */
  arrays() {
    const buffer = () => new Float64Array((2 * margin + room) / 8).fill(-1.2345678912345e287).buffer;
    const types = [this.pick([Float64Array, Int32Array, ...kinds]), this.pick([Float64Array, Int32Array, ...kinds])];
    return () => {
      const first = buffer();
      const second = this.chance(0.3) ? first : buffer();
      return types.map((type, at) => {
        const array = new type(at ? second : first, margin + this.pick([0, 0, 8, 16]), this.pick(lengths));
        for (const i of array.keys()) array[i] = this.chance(0.8) ? this.pick([0, 1, 2, 3, 4, 5, 7, -1]) : this.number();
        return array;
      });
    };
  }
}

/** A function, and what it is called with. @param {() => number} random */
function loops(random) {
  const made = new Loops(random);
  const tree = made.function();
  const arrays = made.arrays();
  // Numbers that count are compiled for, so that each mixture of them and others is one more function to compile.
  const given = Array.from({ length: 3 }, () => made.pick([wholes, wholes, others]));
  const sets = Array.from({ length: 6 }, (_, i) => [...arrays(), ...given.map((kind) => (i > 4 ? made.number() : made.pick(kind)))]);
  return { params: ['a', 'b', 'n', 'm', 'k'], tree, sets, capture: { prange } };
}

module.exports = { loops };
