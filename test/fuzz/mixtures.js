// Random small functions of variables that may be one of several things, as trees of the roles that grammar.js tells of.
//
// What counts is what grammar.js has too much around: a variable that is a number on one way, a boolean, undefined or null on
// others, or an element that may not be there, carried by branches, loops, closures, fields and elements, and then used by every
// operation of the language. Functions are short, so many are tried in little time.
'use strict';

const { Maker } = require('./maker.js');

/** @typedef {import('./grammar.js').Node} Node */
/** @typedef {{ names: string[], depth: number, counters: string[], isInner: boolean }} Scope */

const literals = ['0', '1', '-1', '2', '0.5', '-0', 'NaN', 'Infinity', '-Infinity', '2147483648', '9007199254740992', '5e-324', '7', '4294967295'];
const nothings = ['undefined', 'null', 'true', 'false'];
const arithmetic = ['+', '-', '*', '/', '%', '**', '&', '|', '^', '<<', '>>', '>>>'];
const relations = ['<', '<=', '>', '>='];
const equalities = ['===', '!==', '==', '!='];
const unaryMath = ['abs', 'floor', 'ceil', 'round', 'trunc', 'sqrt', 'sign', 'fround', 'clz32', 'exp', 'cbrt'];
const binaryMath = ['min', 'max', 'imul', 'pow', 'hypot', 'atan2'];
const arrays = ['Float64Array', 'Float32Array', 'Int32Array', 'Uint32Array', 'Int16Array', 'Uint8Array', 'Uint8ClampedArray'];
const types = ["'number'", "'undefined'", "'boolean'", "'object'"];

/** One function's making. */
class Mixtures extends Maker {
  /** @param {() => number} random */
  constructor(random) {
    super(random);
    this.count = 0;
    /** @type {{ name: string, arity: number }[]} */
    this.functions = [];
    /** @type {string[]} */
    this.lists = [];
  }

  name(/** @type {string} */ stem) {
    return `${stem}${this.count++}`;
  }

  /** @param {Scope} scope @returns {Node} */
  leaf({ names, counters }) {
    if (counters.length && this.chance(0.15)) return this.expression(this.pick(counters));
    if (names.length && this.chance(0.6)) return this.expression(this.pick(names));
    return this.expression(`(${this.chance(0.4) ? this.pick(nothings) : this.pick(literals)})`);
  }

  /** Anything. @param {Scope} scope @param {number} depth @returns {Node} */
  value(scope, depth) {
    if (depth <= 0 || this.chance(0.3)) return this.leaf(scope);
    const go = () => this.value(scope, depth - 1);
    const called = this.functions.length ? this.pick(this.functions) : null;
    return this.pick([
      () => this.expression('(', this.test(scope, depth - 1), ' ? ', go(), ' : ', go(), ')'),
      () => this.expression('(', this.test(scope, depth - 1), ' ? ', go(), ' : ', go(), ')'),
      () => this.expression('(', go(), this.pick([' ?? ', ' || ', ' && ']), go(), ')'),
      () => this.expression('(', go(), this.pick([' ?? ', ' || ', ' && ']), go(), ')'),
      () => this.test(scope, depth - 1),
      () => this.number(scope, depth - 1),
      () => this.expression('a[', go(), ']'),
      () => (this.lists.length ? this.expression(`${this.pick(this.lists)}[`, this.chance(0.5) ? `${this.pick(['0', '1', '2', '-1'])}` : go(), ']') : go()),
      () => (called ? this.call(called, go) : go()),
      () => (scope.names.length ? this.expression('(', this.pick(scope.names), ' = ', go(), ')') : go()),
    ])();
  }

  /** One of the ways to call a function, mostly with as many arguments as it has parameters. @param {{ name: string, arity: number }} fn @param {() => Node} argument */
  call({ name, arity }, argument) {
    const count = this.chance(0.8) ? arity : this.pick([0, 1, 2, 3]);
    const args = Array.from({ length: count }, (_, i) => [i ? ', ' : '', argument()]).flat();
    return this.pick([
      () => this.expression(`${name}(`, ...args, ')'), () => this.expression(`${name}(`, ...args, ')'),
      () => this.expression(`${name}(...[`, ...args, '])'), () => this.expression(`${name}.apply(null, [`, ...args, '])'),
      () => this.expression(`${name}.call(null${count ? ', ' : ''}`, ...args, ')'),
    ])();
  }

  /** @param {Scope} scope @param {number} depth @returns {Node} */
  number(scope, depth) {
    const go = () => this.value(scope, depth - 1);
    return this.pick([
      () => this.expression(`(${this.pick(['+', '-', '~'])}(`, go(), '))'),
      () => this.expression('(', go(), ` ${this.pick(arithmetic.filter((op) => op !== '**'))} `, go(), ')'),
      () => this.expression('((', go(), ') ** ', this.pick(['2', '0', '1', '-1', '3']), ')'),
      () => this.expression('((', go(), this.pick([') | 0)', ') >>> 0)', ') & 3)', ') % 3)', ') * 0.5)'])),
      () => this.expression(`Math.${this.pick(unaryMath)}(`, go(), ')'),
      () => this.expression(`Math.${this.pick(binaryMath)}(`, go(), ', ', go(), ')'),
      () => this.expression('Number(', go(), ')'),
      () => this.expression('Number(BigInt.as', this.pick(['Int', 'Uint']), 'N(', this.pick(['64', '32', '8', '53']), ', ', this.big(scope, depth), '))'),
      () => (scope.names.length ? this.expression(this.pick([(x) => `${x}++`, (x) => `--${x}`])(this.pick(scope.names))) : go()),
      () => (scope.names.length ? this.expression('(', this.pick(scope.names), ` ${this.pick(arithmetic.slice(0, 5))}= `, go(), ')') : go()),
    ])();
  }

  /** A BigInt of any size. @param {Scope} scope @param {number} depth */
  big(scope, depth) {
    return this.expression(this.pick(['', '-', '3n * ', '7n + ']), 'BigInt(Math.trunc(', this.value(scope, depth - 1), ') || 0)');
  }

  /** @param {Scope} scope @param {number} depth @returns {Node} */
  test(scope, depth) {
    const go = () => this.value(scope, depth - 1);
    if (this.chance(0.4)) return this.expression(`(${this.pick(['p', 'q', 'n', 'n', ...scope.counters])} ${this.pick([...relations, '===', '!=='])} ${this.pick(['0', '1', '2', '-1', '3'])})`);
    return this.pick([
      () => this.expression('(', go(), ` ${this.pick(relations)} `, go(), ')'),
      () => this.expression('(', go(), ` ${this.pick(relations)} `, this.pick(literals), ')'),
      () => this.expression('(', go(), ` ${this.pick(equalities)} `, go(), ')'),
      () => this.expression('(', go(), ` ${this.pick(equalities)} `, this.pick([...nothings, ...literals]), ')'),
      () => this.expression('(typeof (', go(), ')', ` ${this.pick(equalities)} `, this.pick(types), ')'),
      () => this.expression('!(', go(), ')'),
      () => this.expression(`${this.pick(['isNaN', 'isFinite', 'Number.isNaN', 'Number.isFinite', 'Number.isInteger', 'Number.isSafeInteger', 'Boolean'])}(`, go(), ')'),
      () => this.expression('Object.is(', go(), ', ', go(), ')'),
      () => this.expression('(BigInt(Math.trunc(', go(), `) || 0) ${this.pick([...relations, ...equalities])} `, this.pick(['0n', '5n', '18446744073709551616', '-1', 'BigInt(n | 0)']), ')'),
      () => this.expression('(', this.test(scope, depth - 2), this.pick([' && ', ' || ']), this.test(scope, depth - 2), ')'),
    ])();
  }

  // --- statements ---

  /** @param {Scope} scope @param {number} count */
  block(scope, count) {
    const own = { ...scope, names: [...scope.names], depth: scope.depth + 1 };
    return this.list(...Array.from({ length: 1 + Math.floor(this.random() * count) }, () => this.any(own)));
  }

  /** @param {Scope} scope @returns {Node} */
  any(scope) {
    const { names } = scope;
    const isDeep = scope.depth > 2;
    const set = () => this.statement(`${this.pick(names)} ${this.pick(['=', '=', '=', '??=', '||=', '&&=', '+='])} `, this.value(scope, 2), ';\n');
    const choices = [
      set, set, set,
      () => this.declaration(scope),
      () => (isDeep ? set() : this.chain(scope)),
      () => (isDeep ? set() : this.chain(scope)),
      () => (isDeep ? set() : this.loop(scope)),
      () => (isDeep ? set() : this.switch(scope)),
      () => (isDeep ? set() : this.early(scope)),
      () => this.statement(`${this.pick(['a', 'b'])}[`, this.pick(['0', '1', '2']), '] = ', this.value(scope, 2), ';\n'),
      () => this.statement(`o.${this.pick(['x', 'y'])} = `, this.value(scope, 2), ';\n'),
      () => (this.lists.length ? this.statement(`${this.pick(this.lists)}[`, this.pick(['0', '1', '2']), '] = ', this.value(scope, 2), ';\n') : set()),
      () => this.statement('if (', this.test(scope, 2), ') throw new RangeError(`${', this.value(scope, 1), '}`);\n'),
      () => this.statement('if (', this.test(scope, 2), ') return ', ...(scope.isInner ? [this.value(scope, 1)] : ['[', this.value(scope, 1), ']']), ';\n'),
    ];
    return this.pick(names.length ? choices : choices.slice(3, 4))();
  }

  /** @param {Scope} scope */
  declaration(scope) {
    const name = this.name('x');
    if (this.chance(0.4)) {
      const made = this.statement(`let ${name} = `, this.value(scope, 2), ';\n');
      scope.names.push(name);
      return made;
    }
    const own = { ...scope, names: [...scope.names, name] };
    scope.names.push(name);
    return this.list(this.statement(`let ${name};\n`), ...(this.chance(0.7) && scope.depth < 3 ? [this.chain(own, name)] : []));
  }

  /** if … else if …, which give a variable another type each. @param {Scope} scope @param {string} [name] */
  chain(scope, name = this.pick(scope.names)) {
    const ways = () => [this.leaf(scope), this.test(scope, 1), this.expression(this.pick(nothings)), this.expression(this.pick(literals)), this.number(scope, 1)];
    /** @type {(string | Node)[]} */
    const parts = [];
    for (let i = 0; i < 3; i++) {
      if (i > 0) parts.push(' else ');
      parts.push('if (', this.test(scope, 2), ') {\n', this.chance(0.7) ? this.list(this.statement(`${name} = `, this.pick(ways()), ';\n')) : this.block(scope, 2), '}');
      if (this.chance(0.3)) break;
    }
    if (this.chance(0.3)) parts.push(' else {\n', this.block(scope, 2), '}');
    return this.statement(...parts, '\n');
  }

  /** @param {Scope} scope */
  loop(scope) {
    const i = this.name('i');
    const inner = { ...scope, counters: [...scope.counters, i] };
    const leave = this.chance(0.4) ? [this.statement('if (', this.test(inner, 2), `) ${this.pick(['break', 'continue'])};\n`)] : [];
    const body = this.list(...leave, this.block(inner, 3));
    return this.pick([
      () => this.statement(`for (let ${i} = 0; ${i} < ${this.pick(['2', '3', '5', '(n & 3)', 'a.length'])}; ${i}++) {\n`, body, '}\n'),
      () => this.statement(`let ${i} = 3;\nwhile (${i}-- > 0 && `, this.test(scope, 1), ') {\n', body, '}\n'),
      () => this.statement(`let ${i} = 0;\ndo {\n${i}++;\n`, body, `} while (${i} < 3 && `, this.test(scope, 1), ');\n'),
      () => this.statement(`for (const ${i} of ${this.pick(['a', 'b', ...this.lists])}) {\n`, body, '}\n'),
    ])();
  }

  /** @param {Scope} scope */
  switch(scope) {
    const cases = ['case 0:', 'case 1:', 'case undefined:', 'case null:', 'case true:', 'default:'].filter(() => this.chance(0.6));
    const parts = ['switch (', this.value(scope, 1), ') {\n'];
    for (const one of cases) parts.push(`${one}\n`, /** @type {any} */ (this.block(scope, 2)), this.chance(0.7) ? 'break;\n' : '');
    return this.statement(.../** @type {any} */ (parts), '}\n');
  }

  /** A closure that reads and sets what is around it. @param {Scope} scope */
  helper(scope) {
    const name = this.name('f');
    const arity = this.pick([0, 1, 2]);
    const params = ['u', 'v'].slice(0, arity);
    const kind = this.pick(['plain', 'plain', 'rest', 'arguments', this.functions.length > 0 ? 'handed' : 'plain']);
    const own = { ...scope, names: [...scope.names, ...(kind === 'plain' ? params : ['u', 'v'])], depth: 2, isInner: true };
    const give = () => [this.block(own, 2), 'return ', this.value(own, 2), ';\n};\n'];
    const made = {
      plain: () => (this.chance(0.4) ? [`const ${name} = (${params.join(', ')}) => `, this.value(own, 2), ';\n'] : [`const ${name} = (${params.join(', ')}) => {\n`, ...give()]),
      rest: () => [`const ${name} = (...w) => {\nlet u = w[0], v = w.length;\n`, ...give()],
      arguments: () => [`const ${name} = function () {\nlet u = arguments[${this.pick(['0', '1', 'n'])}], v = arguments.length;\n`, ...give()],
      handed: () => [`const ${name} = ${this.pick([(f) => `(...w) => ${f}(...w)`, (f) => `(...w) => ${f}.apply(null, w)`, (f) => `function () { return ${f}.apply(this, arguments); }`, (f) => `(u, ...w) => ${f}(...w, u)`])(this.pick(this.functions).name)};\n`],
    }[kind]();
    this.functions.push({ name, arity });
    return this.statement(...made);
  }

  /** A function that names a variable which is declared below it, called before and after. @param {Scope} scope */
  early(scope) {
    const [name, late] = [this.name('e'), this.name('z')];
    const isConst = this.chance(0.3);
    const own = { ...scope, names: isConst ? scope.names : [...scope.names, late], depth: 3, isInner: true };
    const head = this.pick([`const ${name} = () => `, `const ${name} = () => `, `function ${name}() { return `]);
    const fn = this.statement(head, this.pick([() => this.value(own, 2), () => this.expression(late), () => this.expression(isConst ? `(${late} > 0)` : `(${late} += 1)`)])(), head.startsWith('f') ? '; }\n' : ';\n');
    const call = this.statement('if (', this.test(scope, 1), `) ${this.pick(scope.names)} = ${name}();\n`);
    const declared = this.statement(`${isConst ? 'const' : 'let'} ${late} = `, this.value(scope, 2), ';\n');
    const after = this.statement(`${this.pick(scope.names)} = ${name}();\n`);
    const parts = this.chance(0.3) ? [call, fn, declared, after] : [fn, call, declared, after];
    return this.list('{\n', ...(head.startsWith('f') ? parts : [fn, call, declared, after]), '}\n');
  }

  /** @returns {Node} */
  function() {
    const scope = { names: ['p', 'q'], depth: 0, counters: [], isInner: false };
    const first = [this.statement(`const b = new ${this.pick(arrays)}(3), o = { x: `, this.value(scope, 1), ', y: ', this.value(scope, 1), ' };\n')];
    for (let i = this.pick([1, 2, 3]); i > 0; i--) first.push(this.declaration(scope));
    if (this.chance(0.4)) {
      first.push(this.statement('const l = [', this.value(scope, 1), ', ', this.value(scope, 1), ', ', this.value(scope, 1), '];\n'));
      this.lists.push('l');
    }
    for (let i = this.pick([0, 0, 1, 2]); i > 0; i--) first.push(this.helper(scope));
    const body = Array.from({ length: this.pick([1, 2, 3, 4]) }, () => this.any(scope));
    const kept = scope.names.map((name) => this.pick([name, name, `+${name}`, `${name} + 1`, `${name} == null`, `${name} >= 0`, `${name} === 0`, `~${name}`, `!${name}`, `a[${name}]`, `a.slice(${name}).length`]));
    const seen = Array.from({ length: 3 }, () => [this.value(scope, 3), ', ']).flat();
    return this.list(...first, ...body, 'return [', ...seen, kept.join(', '), ', o.x, o.y, b[0], b[1]', this.lists.length ? ', l[0], l[1], l[2]' : '', '];\n');
  }
}

const odds = [undefined, null, true, false];
const wholes = [0, 1, 2, 3, 0, 1, -1, -5, 7, 2 ** 31 - 1, -(2 ** 31)];
const others = [-0, 0.5, 2.5, -1.5, NaN, Infinity, -Infinity, 5e-324, -5e-324, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53) + 1, 1e300];

/** A function, and what it is called with. @param {() => number} random */
function mixtures(random) {
  const made = new Mixtures(random);
  const tree = made.function();
  const type = made.pick([Float64Array, Int32Array, Uint8Array, Float32Array]);
  // Each list of types is one more function to compile, and numbers that count have one of their own.
  const kinds = ['p', 'q', 'n'].map((name) => (name !== 'n' && made.chance(0.3) ? [made.pick(odds)] : made.pick([wholes, wholes, others])));
  const any = () => made.pick([...wholes, ...others]);
  const array = () => type.from({ length: made.pick([0, 1, 2, 3, 5, 7]) }, any);
  const sets = Array.from({ length: 7 }, () => [...kinds.map((kind) => made.pick(kind)), array()]);
  sets.push([made.pick([...odds, any()]), any(), any(), array()]);
  return { params: ['p', 'q', 'n', 'a'], tree, sets, capture: {} };
}

module.exports = { mixtures };
