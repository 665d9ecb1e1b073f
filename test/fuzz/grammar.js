// Random functions of numbers and typed arrays, as trees that can be printed and made smaller.
//
// A node is { role, parts }: parts are texts and nodes. The role says what may stand in its place: an 'expression' may become
// one of the expressions in it or a number, a 'list' may lose its items, and a 'statement' may become the lists in it. Loops have
// bounds that are texts, so that however small a function is made, it ends.
//
// Most is a number here, so that any expression may stand where any other does; `undefined`, which an element out of
// range is, is turned to NaN by a plus wherever the two differ. BigInts are kept apart, and wrapped to 64 bits; so are variables and
// lists that may hold undefined, null and booleans, the odd ones, and objects of two numbers.
'use strict';

/** @typedef {{ role: 'expression' | 'statement' | 'list', parts: (string | Node)[] }} Node */
/** @typedef {{ numbers: string[], constants: string[], bigs: string[], arrays: string[], odds: string[], lists: string[], objects: string[], counters: string[], helpers: { name: string, arity: number }[], labels: { name: string, isLoop: boolean }[], depth: number, inLoop: boolean, isSmall: boolean }} Scope */

const kinds = [Float64Array, Float32Array, Int32Array, Uint32Array, Int16Array, Uint16Array, Int8Array, Uint8Array, Uint8ClampedArray];
const literals = ['0', '1', '2', '-1', '3', '7', '0.5', '-0.5', '1.5', '10', '100', '255', '256', '-128', '65536', '2147483647', '-2147483648', '4294967295', '4294967296', '1e10', '-0', 'NaN', 'Infinity', '-Infinity', '5e-324', '1e300', '9007199254740993', '0.1'];
const binary = ['+', '-', '*', '/', '%', '+', '-', '*', '&', '|', '^', '<<', '>>', '>>>'];
const comparisons = ['<', '<=', '>', '>=', '===', '!==', '==', '!='];
const compound = ['=', '=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', '>>>='];
const unaryMath = ['abs', 'floor', 'ceil', 'round', 'trunc', 'sqrt', 'sign', 'fround', 'clz32', 'sin', 'exp', 'cbrt'];
const binaryMath = ['min', 'max', 'imul', 'pow', 'hypot', 'atan2'];

/** One function's making. */
class Grammar {
  /** @param {() => number} random */
  constructor(random) {
    this.random = random;
    this.names = 0;
    this.givesArray = random() < 0.3;
  }

  below(/** @type {number} */ n) {
    return Math.floor(this.random() * n);
  }

  chance(/** @type {number} */ p) {
    return this.random() < p;
  }

  /** @template T @param {T[]} items @returns {T} */
  pick(items) {
    return items[this.below(items.length)];
  }

  name(/** @type {string} */ stem) {
    return `${stem}${this.names++}`;
  }

  /** @param {(string | Node)[]} parts @returns {Node} */
  expression(...parts) {
    return { role: 'expression', parts };
  }

  /** @param {(string | Node)[]} parts @returns {Node} */
  statement(...parts) {
    return { role: 'statement', parts };
  }

  // --- expressions ---

  /** A number. @param {Scope} scope @param {number} depth @returns {Node} */
  value(scope, depth) {
    if (depth <= 0 || this.chance(0.15)) return this.leaf(scope);
    const go = () => this.value(scope, depth - 1);
    /** @type {[number, () => Node][]} */
    const choices = [
      [8, () => this.expression('(', go(), ` ${this.pick(binary)} `, go(), ')')],
      [1, () => this.expression('(', this.pick(['-', '+', '~', '+!']), '(', go(), '))')],
      [1, () => this.expression('(', go(), this.pick([' | 0', ' >>> 0', ' & 255', ' % 7', ' + 1', ' * 0.5', ' >> 1']), ')')],
      [2, () => this.expression('(', this.condition(scope, depth - 1), ' ? ', go(), ' : ', go(), ')')],
      [1, () => this.expression('(', go(), this.pick([' && ', ' || ']), go(), ')')],
      [1, () => this.expression('+', this.condition(scope, depth - 1))],
      [2, () => this.expression(`Math.${this.pick(unaryMath)}(`, go(), ')')],
      [1, () => this.expression(`Math.${this.pick(binaryMath)}(`, go(), ', ', go(), ')')],
      [1, () => this.expression('Math.max(', go(), ', ', go(), ', ', go(), ')')],
      [0.5, () => this.expression('((', go(), ') ** ', this.pick(['2', '3', '0.5', '-1']), ')')],
      [scope.arrays.length ? 6 : 0, () => this.element(scope, depth - 1)],
      [scope.arrays.length ? 0.5 : 0, () => this.expression('(', this.element(scope, depth - 1), ' ?? ', go(), ')')],
      [scope.arrays.length ? 0.5 : 0, () => this.expression('+(', this.element(scope, depth - 1), ' === undefined)')],
      [scope.numbers.length ? 0.7 : 0, () => this.update(scope)],
      [scope.numbers.length ? 0.7 : 0, () => this.expression('(', this.pick(scope.numbers), ` ${this.pick(compound)} `, go(), ')')],
      [0.3, () => this.expression('(', go(), ', ', go(), ')')],
      [scope.helpers.length ? 1.5 : 0, () => this.call(scope, depth - 1)],
      [scope.bigs.length ? 0.7 : 0, () => this.expression('Number(', this.big(scope, depth - 1), ')')],
      [scope.odds.length + scope.lists.length ? 1.5 : 0, () => this.expression(this.pick(['+(', 'Number(', '1 - (']), this.odd(scope, depth - 1), ')')],
      [scope.odds.length + scope.lists.length ? 0.7 : 0, () => this.expression('+(', this.odd(scope, depth - 1), this.pick([' ?? ', ' || ', ' && ']), this.odd(scope, depth - 1), ')')],
      [scope.objects.length ? 2 : 0, () => this.expression(this.field(scope))],
      [0.3, () => this.expression('((x, y) => x * y - ', go(), ')(', go(), ', ', go(), ')')],
    ];
    return this.weighted(choices)();
  }

  /** @template T @param {[number, T][]} choices @returns {T} */
  weighted(choices) {
    let at = this.random() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) if ((at -= weight) < 0) return choice;
    return choices[0][1];
  }

  /** @param {Scope} scope */
  leaf(scope) {
    const names = [...scope.numbers, ...scope.constants, ...scope.counters, ...scope.counters];
    if (scope.arrays.length && this.chance(0.1)) return this.expression(`${this.pick(scope.arrays)}.length`);
    return this.expression(names.length && this.chance(0.7) ? this.pick(names) : `(${this.pick(literals)})`);
  }

  /** @param {Scope} scope */
  update(scope) {
    const name = this.pick(scope.numbers);
    return this.expression(this.pick([`${name}++`, `${name}--`, `(++${name})`, `(--${name})`]));
  }

  /** @param {Scope} scope @param {number} depth */
  condition(scope, depth) {
    const go = () => this.value(scope, depth - 1);
    const op = this.pick(comparisons);
    const plus = /^[=!]/.test(op) ? '+' : ''; // undefined equals itself, NaN does not
    const simple = () => this.expression(`(${plus}(`, go(), `) ${op} ${plus}(`, go(), '))');
    if (this.chance(0.15)) return this.expression('(', simple(), this.pick([' && ', ' || ']), simple(), ')');
    if (this.chance(0.1)) return this.expression('!', simple());
    if (scope.odds.length + scope.lists.length && this.chance(0.3)) return this.question(scope, depth);
    if (scope.bigs.length && this.chance(0.1)) return this.expression('(', this.big(scope, 1), ` ${op} `, this.big(scope, 1), ')');
    return simple();
  }

  /** What may be undefined, null, a boolean or a number. @param {Scope} scope @param {number} depth @returns {Node} */
  odd(scope, depth) {
    const names = [...scope.odds, ...scope.lists.map((list) => `${list}[${scope.counters.length ? this.pick(scope.counters) : 1} & 3]`)];
    if (names.length && (depth <= 0 || this.chance(0.5))) return this.expression(this.pick(names));
    return this.weighted([
      [2, () => this.expression(this.pick(['undefined', 'null', 'true', 'false']))],
      [1, () => this.expression('(', this.condition(scope, 1), ' ? ', this.odd(scope, depth - 1), ' : ', this.odd(scope, depth - 1), ')')],
      [1, () => this.expression('(', this.condition(scope, 1), ')')],
      [2, () => this.value(scope, 1)],
    ])();
  }

  /** @param {Scope} scope @param {number} depth */
  question(scope, depth) {
    const go = () => this.odd(scope, depth - 1);
    return this.weighted([
      [3, () => this.expression('(', go(), this.pick([' === ', ' !== ', ' == ', ' != ']), go(), ')')],
      [1, () => this.expression('(', go(), this.pick([' < ', ' >= ', ' <= ', ' > ']), go(), ')')],
      [1, () => this.expression('(', go(), this.pick([' == null', ' === null', ' !== undefined', ' === true', ' != false']), ')')],
      [1, () => this.expression('(typeof (', go(), ')', this.pick([' === ', ' !== ']), this.pick(["'number'", "'undefined'", "'boolean'", "'object'"]), ')')],
      [0.5, () => this.expression(this.pick(['isNaN(', 'Number.isNaN(', 'Number.isInteger(', '!(']), go(), ')')],
      [0.5, () => this.expression('Object.is(', go(), ', ', go(), ')')],
    ])();
  }

  /** @param {Scope} scope */
  field(scope) {
    return `${this.pick(scope.objects)}.${this.pick(['x', 'y'])}`;
  }

  /** @param {Scope} scope @param {number} depth */
  index(scope, depth) {
    const counter = scope.counters.length ? this.pick(scope.counters) : '0';
    if (this.chance(0.6)) return this.expression(this.pick([counter, counter, `${counter} + 1`, `${counter} - 1`, `${counter} * 2`, '0', '1', '3', '-1', '0.5', '20']));
    if (this.chance(0.5)) return this.expression('(', this.value(scope, depth), this.pick([') & 7', ') | 0', ') >>> 0', ') % 9']));
    return this.value(scope, depth);
  }

  /** @param {Scope} scope @param {number} depth */
  element(scope, depth) {
    return this.expression(`${this.pick(scope.arrays)}[`, this.index(scope, depth), ']');
  }

  /** @param {Scope} scope @param {number} depth */
  call(scope, depth) {
    const { name, arity } = this.pick(scope.helpers);
    const args = Array.from({ length: arity }, (_, i) => [i > 0 ? ', ' : '', this.value(scope, depth - 1)]).flat();
    return this.pick([
      () => this.expression(`${name}(`, ...args, ')'), () => this.expression(`${name}(`, ...args, ')'),
      () => this.expression(`${name}(...[`, ...args, '])'), () => this.expression(`${name}.apply(null, [`, ...args, '])'),
    ])();
  }

  /** A BigInt of 64 bits. @param {Scope} scope @param {number} depth @returns {Node} */
  big(scope, depth) {
    const leaf = () => ({ role: /** @type {'list'} */ ('list'), parts: [scope.bigs.length && this.chance(0.7) ? this.pick(scope.bigs) : this.pick(['1n', '0n', '-3n', '12345678901n', '9007199254740993n'])] });
    if (depth <= 0) return leaf();
    const inner = () => this.big(scope, depth - 1);
    const parts = this.weighted([
      [4, () => ['BigInt.asIntN(64, ', inner(), this.pick([' + ', ' - ', ' * ', ' ^ ', ' & ', ' | ']), inner(), ')']],
      [1, () => ['(', inner(), this.pick([' >> 3n', ' >> 40n', ' & 255n', ' / 7n', ' % 1000n', ' | 1n']), ')']],
      [1, () => ['BigInt.asIntN(', this.pick(['8', '32', '64', '33']), ', ', inner(), ')']],
      [0.5, () => ['BigInt((', this.value(scope, depth - 1), ') | 0)']],
      [0.3, () => [`BigInt.as${this.pick(['Int', 'Uint'])}N(${this.pick(['63', '32', '8'])}, BigInt(Math.trunc(`, this.value(scope, depth - 1), ') || 0))']],
      [0.5, () => ['(', this.condition(scope, depth - 1), ' ? ', inner(), ' : ', inner(), ')']],
    ])();
    return { role: 'list', parts };
  }

  // --- statements ---

  /** @param {Scope} scope @param {number} count @returns {Node} */
  block(scope, count) {
    const own = { ...scope, numbers: [...scope.numbers], constants: [...scope.constants], bigs: [...scope.bigs], arrays: [...scope.arrays], odds: [...scope.odds], lists: [...scope.lists], objects: [...scope.objects], helpers: [...scope.helpers], depth: scope.depth + 1 };
    return { role: 'list', parts: Array.from({ length: 1 + this.below(count) }, () => this.anyStatement(own)) };
  }

  /** @param {Scope} scope @returns {Node} */
  anyStatement(scope) {
    const isDeep = scope.depth > 3;
    /** @type {[number, () => Node][]} */
    const choices = [
      [3, () => this.declaration(scope)],
      [scope.numbers.length ? 5 : 0, () => this.statement(`${this.pick(scope.numbers)} ${this.pick(compound)} `, this.value(scope, 3), ';\n')],
      [scope.numbers.length ? 1 : 0, () => this.statement(this.update(scope), ';\n')],
      [scope.arrays.length ? 5 : 0, () => this.store(scope)],
      [scope.bigs.length ? 1 : 0, () => this.statement(`${this.pick(scope.bigs)} = `, this.big(scope, 2), ';\n')],
      [scope.odds.length ? 2 : 0, () => this.statement(`${this.pick(scope.odds)} ${this.pick(['=', '=', '??=', '||=', '&&='])} `, this.odd(scope, 2), ';\n')],
      [scope.lists.length ? 2 : 0, () => this.statement(`${this.pick(scope.lists)}[(`, this.index(scope, 1), ') & 3] = ', this.odd(scope, 2), ';\n')],
      [scope.objects.length ? 2 : 0, () => this.statement(`${this.field(scope)} ${this.pick(compound)} `, this.value(scope, 2), ';\n')],
      [scope.numbers.length > 1 ? 0.7 : 0, () => this.swap(scope)],
      [isDeep ? 0 : 3, () => this.branch(scope)],
      [isDeep ? 0 : 4, () => this.loop(scope)],
      [isDeep ? 0 : 0.7, () => this.switch(scope)],
      [isDeep ? 0 : 0.4, () => this.labelled(scope)],
      [scope.labels.length || scope.inLoop ? 1 : 0, () => this.jump(scope)],
      [0.25, () => this.leave(scope)],
      [scope.arrays.length ? 0.4 : 0, () => this.method(scope)],
    ];
    return this.weighted(choices)();
  }

  /** @param {Scope} scope */
  declaration(scope) {
    if (this.chance(0.12) && scope.arrays.length) {
      const name = this.name('part');
      const made = this.statement(`const ${name} = ${this.pick(scope.arrays)}.subarray(`, this.index(scope, 1), ', ', this.index(scope, 1), ');\n');
      scope.arrays.push(name);
      return made;
    }
    if (this.chance(0.1)) {
      const name = this.name('local');
      const made = this.statement(`const ${name} = new ${this.pick(kinds).name}(${this.pick([0, 1, 4, 5, 8])});\n`);
      scope.arrays.push(name);
      return made;
    }
    if (this.chance(0.1)) {
      const name = this.name('big');
      const made = this.statement(`let ${name} = `, this.big(scope, 2), ';\n');
      scope.bigs.push(name);
      return made;
    }
    if (this.chance(0.2)) return this.oddDeclaration(scope);
    const isConst = this.chance(0.3);
    const name = this.name(isConst ? 'c' : 'v');
    const made = this.statement(`${isConst ? 'const' : 'let'} ${name} = `, this.value(scope, 3), ';\n');
    (isConst ? scope.constants : scope.numbers).push(name);
    return made;
  }

  /** @param {Scope} scope */
  oddDeclaration(scope) {
    const kind = this.pick(/** @type {const} */ (['odds', 'odds', 'lists', 'objects']));
    const name = this.name(kind.slice(0, -1));
    const made = {
      odds: () => [`let ${name} = `, this.odd(scope, 2), ';\n'],
      lists: () => [`const ${name} = ${this.pick(['new Array(4)', 'new Array(4).fill(false)', 'new Array(4).fill(null)', '[1, 2, 3, 4]', '[true, false, true, true]', '[null, undefined, 0, true]'])};\n`],
      objects: () => [`${this.chance(0.5) ? 'let' : 'const'} ${name} = { x: `, this.value(scope, 2), ', y: ', this.value(scope, 2), ' };\n'],
    }[kind]();
    scope[kind].push(name);
    return this.statement(...made);
  }

  /** @param {Scope} scope */
  store(scope) {
    const [array, index] = [this.pick(scope.arrays), this.index(scope, 1)];
    if (this.chance(0.15)) return this.statement(`${array}[`, index, this.pick([']++', ']--']), ';\n');
    return this.statement(`${array}[`, index, `] ${this.pick(compound)} `, this.value(scope, 3), ';\n');
  }

  /** @param {Scope} scope */
  swap(scope) {
    const [a, b] = [this.pick(scope.numbers), this.pick(scope.numbers)];
    if (this.chance(0.3) && scope.arrays.length) {
      const array = this.pick(scope.arrays);
      return this.statement(`[${array}[`, this.index(scope, 1), `], ${a}] = [`, this.value(scope, 2), ', ', this.value(scope, 2), '];\n');
    }
    return this.statement(`[${a}, ${b}] = [`, this.value(scope, 2), ', ', this.value(scope, 2), '];\n');
  }

  /** @param {Scope} scope */
  branch(scope) {
    const head = ['if (', this.condition(scope, 2), ') {\n', this.block(scope, 3), '}'];
    if (this.chance(0.5)) head.push(' else {\n', this.block(scope, 3), '}');
    return this.statement(...head, '\n');
  }

  /** @param {Scope} scope */
  loop(scope) {
    const label = this.chance(0.25) ? this.name('l') : null;
    const mark = label ? `${label}: ` : '';
    const inside = (/** @type {string[]} */ counters) => ({
      ...scope, inLoop: true, counters: [...scope.counters, ...counters],
      labels: label ? [...scope.labels, { name: label, isLoop: true }] : scope.labels,
    });
    const i = this.name('i');
    const most = scope.isSmall ? 3 : scope.depth > 1 ? 5 : 12;
    const bound = scope.isSmall ? '2' : scope.arrays.length && this.chance(0.5) ? this.pick([`${this.pick(scope.arrays)}.length`, `${this.pick(scope.arrays)}.length - 1`]) : this.pick([String(1 + this.below(most)), `(${this.pick(scope.numbers.concat('5'))} & 7)`]);
    const body = (/** @type {string[]} */ ...counters) => this.block(inside(counters), 4);
    return this.weighted([
      [4, () => this.statement(`${mark}for (let ${i} = ${this.pick(['0', '0', '1', '-2'])}; ${i} ${this.pick(['<', '<', '<='])} ${bound}; ${this.pick([`${i}++`, `${i} += 2`, `++${i}`])}) {\n`, body(i), '}\n')],
      [1, () => this.statement(`${mark}for (let ${i} = Math.min(${bound}, 20); ${i}-- > 0; ) {\n`, body(i), '}\n')],
      [1, () => this.statement(`let ${i} = ${1 + this.below(most)};\n${mark}while (`, this.condition(scope, 2), ` && ${i}-- > 0) {\n`, body(i), '}\n')],
      [1, () => this.statement(`let ${i} = 0;\n${mark}do {\n`, this.block(inside([i]), 3), `} while (++${i} < ${1 + this.below(most)});\n`)],
      [scope.arrays.length && !scope.isSmall ? 1 : 0, () => this.statement(`${mark}for (const ${i} of ${this.pick(scope.arrays)}) {\n`, body(i), '}\n')],
      [0.5, () => this.statement(`${mark}for (let ${i} = 0, ${i}b = 9; ${i} < ${i}b; ${i}++, ${i}b -= 2) {\n`, body(i, `${i}b`), '}\n')],
    ])();
  }

  /** @param {Scope} scope */
  switch(scope) {
    const parts = ['switch (', this.value(scope, 2), this.pick([' & 3', ' | 0', ' % 4', '']), ') {\n'];
    const cases = ['case 0:', 'case 1:', 'case 2:\ncase 3:', 'case -1:', 'default:'].filter(() => this.chance(0.7));
    if (this.chance(0.3)) cases.reverse();
    for (const one of cases) parts.push(`${one} {\n`, this.block(scope, 2), this.chance(0.7) ? 'break;\n' : '', '}\n');
    return this.statement(...parts, '}\n');
  }

  /** @param {Scope} scope */
  labelled(scope) {
    const name = this.name('b');
    return this.statement(`${name}: {\n`, this.block({ ...scope, labels: [...scope.labels, { name, isLoop: false }] }, 4), '}\n');
  }

  /** @param {Scope} scope */
  jump(scope) {
    const label = scope.labels.length && this.chance(0.6) ? this.pick(scope.labels) : null;
    if (!label && !scope.inLoop) return this.statement(';\n');
    const word = label && !label.isLoop ? 'break' : this.pick(['break', 'continue']);
    return this.statement('if (', this.condition(scope, 2), `) ${word}${label ? ` ${label.name}` : ''};\n`);
  }

  /** @param {Scope} scope */
  leave(scope) {
    if (this.chance(0.5) && (!this.givesArray || scope.isSmall)) return this.statement('if (', this.condition(scope, 2), ') return ', this.value(scope, 2), ' + 0;\n');
    return this.statement('if (', this.condition(scope, 2), ') throw new RangeError(`at ${+(', this.value(scope, 1), ')}`);\n');
  }

  /** @param {Scope} scope */
  method(scope) {
    const array = this.pick(scope.arrays);
    if (this.chance(0.6)) return this.statement(`${array}.fill(`, this.value(scope, 2), ', +(', this.index(scope, 1), '), +(', this.index(scope, 1), '));\n');
    const other = this.pick(scope.arrays);
    return this.statement(`if (${other}.length <= ${array}.length) ${array}.set(${other});\n`);
  }

  // --- functions ---

  /** @param {Scope} scope */
  helper(scope) {
    const name = this.name('f');
    const params = ['x', 'y'].slice(0, 1 + this.below(2));
    const own = { ...scope, numbers: [...scope.numbers, ...params], labels: [], inLoop: false, isSmall: true, counters: [] };
    const head = `const ${name} = (${params.join(', ')}) => `;
    let made;
    const inside = { ...own, numbers: scope.numbers, constants: [...scope.constants, 'x', 'y'], helpers: [] }; // x must go down
    if (this.chance(0.25)) made = this.statement(`const ${name} = (x, y) => ((x &= 7) <= 0 ? y : `, this.value(inside, 2), ` + ${name}(x - 1, `, this.value(inside, 2), '));\n');
    else if (this.chance(0.2)) made = this.statement(`const ${name} = (${params.join(', ')}, ...rest) => `, this.value(own, 3), ' + rest.length;\n');
    else if (this.chance(0.5)) made = this.statement(head, this.value(own, 3), ';\n');
    else made = this.statement(`${head}{\n`, this.block({ ...own, depth: 2 }, 3), 'return ', this.value(own, 2), ' + 0;\n};\n');
    scope.helpers.push({ name, arity: /\(x, y/.test(String(made.parts[0])) ? 2 : 1 });
    return made;
  }

  /** A whole function, and arguments for it. */
  function() {
    const numbers = Array.from({ length: 1 + this.below(3) }, (_, i) => `p${i}`);
    const arrays = Array.from({ length: this.below(4) }, (_, i) => `a${i}`);
    const params = [...numbers, ...arrays];
    /** @type {Scope} */
    const scope = { numbers, constants: [], bigs: [], arrays, odds: [], lists: [], objects: [], counters: [], helpers: [], labels: [], depth: 0, inLoop: false, isSmall: false };
    const first = Array.from({ length: 1 + this.below(3) }, () => this.declaration(scope));
    const helpers = Array.from({ length: this.below(3) }, () => this.helper(scope));
    const body = Array.from({ length: 2 + this.below(5) }, () => this.anyStatement(scope));
    const values = [this.value(scope, 2), ' + 0'];
    const last = this.givesArray ? this.statement('return [', ...values, ', ', this.value(scope, 2), ' + 0];\n') : this.statement('return ', ...values, ';\n');
    return { params, tree: /** @type {Node} */ ({ role: 'list', parts: [...first, ...helpers, ...body, last] }) };
  }
}

module.exports = { Grammar, kinds };
