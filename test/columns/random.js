/**
 * Random expressions over random columns, from a seed: what the engine computes is compared with what the reference
 * evaluator does.
 *
 * Expressions are typed: an operand is made to be of the kind that a parameter wants, from the reference's table of
 * functions, so that most of a tree is computed and little refused. Arguments that have a meaning of their own (patterns,
 * names of units, lengths) are drawn from lists. Columns have the values on which things go wrong: extremes, NaN, -0,
 * empty and multi-byte texts, the last days of months, and nulls from none to all.
 */
'use strict';

const { randomOf } = require('../support/values.js');
const { evaluate, functions, typeOfTree } = require('./reference/index.js');
const { typeOf } = require('./reference/types.js');

const SIZES = [0, 1, 2, 63, 64, 65, 127, 128, 131, 1000];
const DENSITIES = [0, 0, 0.05, 0.5, 1];

const TYPES = [
  'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float32', 'float64', 'bool', 'utf8', 'binary',
  'date32', 'date64', 'time32[ms]', 'timestamp[s]', 'timestamp[ms]', 'timestamp[us]', 'timestamp[ms, America/New_York]',
  'decimal128(10, 2)', 'decimal128(38, 6)',
];

const TEXTS = [
  '', ' ', 'a', 'A', 'b', 'ab', 'abc', 'ABC', 'Hello World', '  padded  ', 'a,b,,c', 'straße', 'ÄÖÜ äöü', '日本語', '😀', 'x😀y',
  'e\u0301', '\uffff', 'ﬁ', 'ǅ', '0', '12', '-7', '3.5', 'true', 'null', '%', '_', 'a%b_c', '\\', "it's", 'tab\there', 'line\nbreak',
  'The quick brown fox jumps over the lazy dog', 'mississippi', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
];
const FLOATS = [
  0, -0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3.14159, 1e-5, -1e-300, 1e10, 1e300, 2 ** 31, -(2 ** 31), 2 ** 53, 2 ** 63, NaN,
  Infinity, -Infinity, 100, 4294967295.5,
];
/** Days since 1970: ends of months, of centuries, leap days, the first and last year that everybody writes with four digits. */
const DAYS = [0, -1, 1, 58, 59, 364, 365, 789, 11016, 11017, 10956, 10957, 18321, 18993, 19723, 19782, -25567, -135081, -719162, 2932896];
const CLOCKS = [0, 1, 999, 1000, 59999, 3600000, 43200000, 37233123, 86399999];

/** What some parameters have to be, by function and place. @type {Record<string, Record<number, readonly any[]>>} */
const MEANINGS = {
  like: { 1: ['', '%', '_', 'a%', '%a', '%a%', 'a_c', '%_%', 'A%B', '%ss%ss%', '日%', '\\%', '%\\_%'], 2: ['\\', '!'] },
  ilike: { 1: ['', '%', 'A%', '%AB%', 'a_C', 'äö%', '%SS%'], 2: ['\\'] },
  extract: { 0: ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second', 'doy', 'dow', 'decade', 'century'] },
  date_trunc: { 0: ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second', 'decade', 'century', 'millennium'] },
  next_day: { 1: ['MONDAY', 'TU', 'FRI', 'SUNDAY'] },
  to_utc_timestamp: { 1: ['Asia/Kolkata', 'America/Los_Angeles', 'UTC'] },
  from_utc_timestamp: { 1: ['Asia/Kolkata', 'America/Los_Angeles', 'UTC'] },
  to_date: { 1: ['YYYY-MM-DD', 'YYYY-MM', 'YYYY'], 2: [0n, 1n] },
  factorial: { 0: [0n, 1n, 5n, 20n, 21n, -1n] },
  regexp_replace: { 1: ['a', '[0-9]+', '(l+)', '^'], 2: ['', '#'] },
  regexp_extract: { 1: ['(a)', '([0-9]+)', '(l)(o)?'], 2: [0n, 1n] },
};
MEANINGS.date_part = MEANINGS.extract;

/** Their results are not those of others in all digits, or are random, secret or endless. */
const LEFT_OUT = new Set(['aes_encrypt', 'aes_decrypt', 'castnullableintervalday', 'castintervalday']);

const DIGEST = /^(?:hash|sha|md5|crc)/u;

/** @typedef {{ params: string[], result: string, resultOf: any }} Overload */

class Random {
  /** @param {number} seed */
  constructor(seed) {
    this.next = randomOf(seed);
  }

  /** @type {(n: number) => number} from 0 up to but not n */
  below(n) {
    return Math.floor(this.next() * n);
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  of(list) {
    return list[this.below(list.length)];
  }

  /** @type {(chance: number) => boolean} */
  flip(chance) {
    return this.next() < chance;
  }
}

// --- columns ---

/** @type {(random: Random, type: any) => bigint} any size, extremes included */
function integer(random, { bits, signed }) {
  const extremes = signed ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n, -1n] : [2n ** BigInt(bits) - 1n];
  if (random.flip(0.15)) return random.of(extremes);
  if (random.flip(0.7)) return BigInt(random.below(13) - (signed ? 6 : 0));
  const wide = BigInt(random.below(2 ** 30)) * 2n ** 34n + BigInt(random.below(2 ** 30)) * 16n;
  return signed ? BigInt.asIntN(bits, wide) : BigInt.asUintN(bits, wide >> BigInt(64 - bits));
}

/** A day, with a time of day, in milliseconds. @type {(random: Random) => bigint} */
const moment = (random) => BigInt(random.flip(0.5) ? random.of(DAYS) : random.below(40000) - 10000) * 86400000n;

/** Values as the reference takes them, by kinds. @type {Record<string, (random: Random, type: any) => any>} */
const VALUES = {
  int: (random, type) => {
    const value = integer(random, type);
    return type.bits === 64 ? value : Number(value);
  },
  float: (random, { bits }) => {
    const value = random.flip(0.5) ? random.of(FLOATS) : (random.next() - 0.5) * 10 ** (random.below(8) - 1);
    return bits === 32 ? Math.fround(value) : value;
  },
  bool: (random) => random.flip(0.5),
  utf8: (random) => (random.flip(0.8) ? random.of(TEXTS) : Array.from({ length: random.below(40) }, () => random.of(TEXTS)).join('').slice(0, 200).toWellFormed()),
  binary: (random) => (random.flip(0.5) ? new Uint8Array(Buffer.from(random.of(TEXTS))) : Uint8Array.from({ length: random.below(20) }, () => random.below(256))),
  date: (random, { id }) => (id === 'date32' ? Number(moment(random) / 86400000n) : moment(random)),
  time: (random) => random.of(CLOCKS),
  timestamp: (random, { unit }) => {
    const ms = moment(random) + BigInt(random.of(CLOCKS));
    return /** @type {Record<string, bigint>} */ ({ s: ms / 1000n, ms, us: ms * 1000n + BigInt(random.below(1000)), ns: ms * 1000000n })[unit];
  },
  decimal: (random, { precision, scale }) => {
    const digits = 10n ** BigInt(random.flip(0.2) ? precision : Math.min(precision, 1 + random.below(10)));
    const unscaled = (integer(random, { bits: 64, signed: true }) * 1000003n) % digits;
    return { unscaled: random.flip(0.1) ? digits - 1n : unscaled, scale };
  },
};

/** @type {(random: Random, type: string, size: number) => any[]} */
function column(random, type, size) {
  const parsed = typeOf(type);
  const density = random.of(DENSITIES);
  return Array.from({ length: size }, () => (random.flip(density) ? null : VALUES[parsed.kind](random, parsed)));
}

// --- trees ---

/** @type {(type: string, value: any) => any} */
const literal = (type, value) => ({ kind: 'literal', type, value });
/** @type {(name: string, args: any[]) => any} */
const call = (name, args) => ({ kind: 'call', name, args });

/** The kinds of what a parameter takes. @type {Record<string, readonly string[]>} */
const TAKES = {
  any: ['int', 'float', 'bool', 'utf8', 'date', 'timestamp'], number: ['int', 'float', 'decimal'], moment: ['date', 'timestamp'],
  A: ['int', 'float', 'utf8', 'date', 'timestamp', 'decimal'],
};

/** Literals by kinds: those that have a spelling. @type {Record<string, (random: Random) => any>} */
const LITERALS = {
  int: (random) => literal('integer', random.flip(0.85) ? BigInt(random.below(22) - 6) : integer(random, { bits: 40, signed: true })),
  float: (random) => literal('float', random.of([0, 0.5, 1.5, 2, -1, -2.5, 100.25, 1e-5, 1e10])),
  bool: (random) => literal('boolean', random.flip(0.5)),
  utf8: (random) => literal('string', random.of(TEXTS)),
  binary: (random) => literal('binary', new Uint8Array(Buffer.from(random.of(TEXTS)))),
  date: (random) => literal('date', random.of(['1970-01-01', '2000-02-29', '1999-12-31', '2024-06-30'])),
  timestamp: (random) => literal('timestamp', random.of(['2000-02-29 12:34:56', '1969-12-31 23:59:59', '2021-03-28 01:30:00'])),
  time: (random) => literal('time', random.of(['00:00:00', '12:34:56', '23:59:59'])),
  decimal: (random) => literal('decimal', random.of(['0', '1.50', '-2.25', '100', '0.001'])),
};

/** What is cast to a kind, and to which types of it. @type {Record<string, { from: readonly string[], to: readonly string[] }>} */
const CASTS = {
  int: { from: ['int', 'float', 'bool', 'utf8'], to: ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint32'] },
  float: { from: ['int', 'float', 'decimal', 'utf8'], to: ['float32', 'float64'] },
  utf8: { from: ['int', 'bool', 'date', 'timestamp', 'decimal'], to: ['utf8'] },
  date: { from: ['timestamp', 'utf8'], to: ['date32', 'date64'] },
  bool: { from: ['int', 'float', 'utf8'], to: ['bool'] },
};

class Maker {
  /** @param {Random} random @param {Record<string, string>} schema @param {readonly string[] | undefined} names */
  constructor(random, schema, names) {
    this.random = random;
    this.schema = schema;
    /** Of the columns: nothing else is made, but what a parameter asks for. */
    this.kinds = new Set(Object.values(schema).map((type) => typeOf(type).kind));
    const wanted = names && new Set(names.map((name) => name.toLowerCase()));
    const known = [...functions].filter(([name]) => !LEFT_OUT.has(name) && (!wanted || wanted.has(name)));
    /** @type {[name: string, overload: Overload][]} */
    this.overloads = known.flatMap(([name, overloads]) => overloads.map((overload) => /** @type {any} */ ([name, overload])));
  }

  /** One of some kinds, of which there are columns if possible. @type {(kinds: readonly string[]) => string} */
  anyOf(kinds) {
    const present = kinds.filter((kind) => this.kinds.has(kind));
    return this.random.of(present.length > 0 ? present : kinds);
  }

  /** A tree of a kind. @type {(kind: string, depth: number) => any} */
  make(kind, depth) {
    const { random } = this;
    if (depth <= 0 || random.flip(0.15)) return this.leaf(kind);
    if (random.flip(0.25)) return this.form(kind, depth - 1);
    const fitting = this.overloads.filter(([, overload]) => this.kindsOf(overload).includes(kind));
    if (fitting.length === 0) return this.form(kind, depth - 1);
    const [name, overload] = random.of(fitting);
    // Digests tell last digits, which are nobody's promise, apart: they are of columns and literals.
    return call(name, this.args(name, overload, kind, DIGEST.test(name) ? 0 : depth - 1));
  }

  /** The kinds that a result may have. @type {(overload: Overload) => readonly string[]} */
  kindsOf({ params, result }) {
    if (result !== '?' && result !== 'A') return [typeOf(result).kind];
    const [first = 'any'] = params.map((param) => param.replace('...', '').split(' ')[0]).filter((param) => param !== 'utf8');
    return TAKES[first] ?? [first];
  }

  /** @type {(name: string, overload: Overload, kind: string, depth: number) => any[]} */
  args(name, { params, result }, kind, depth) {
    const { random } = this;
    const all = [...params];
    if (all.at(-1)?.endsWith('...')) while (random.flip(0.5) && all.length < 5) all.push(/** @type {string} */ (params.at(-1)));
    const variable = result === '?' || result === 'A' ? kind : this.anyOf(TAKES.A);
    const isCount = all.length > 1 && !all.every((param) => param.startsWith('int'));
    return all.map((param, i) => {
      const meaning = MEANINGS[name]?.[i];
      if (meaning) {
        const value = random.of(meaning);
        return literal(typeof value === 'bigint' ? 'integer' : 'string', value);
      }
      if (param === 'int' && isCount) return literal('integer', BigInt(random.below(16) - 3));
      const [word] = param.replace('...', '').split(' ');
      if (word === 'A') return this.make(variable, depth);
      if (TAKES[word]) return this.make(TAKES[word].includes(kind) && result === '?' ? kind : this.anyOf(TAKES[word]), depth);
      return this.make(kindOf(word), depth);
    });
  }

  /** What is no call: choices, lists, casts, logic. @type {(kind: string, depth: number) => any} */
  form(kind, depth) {
    const { random } = this;
    if (kind === 'bool' && random.flip(0.7)) return this.condition(depth);
    if (random.flip(0.2)) return call('coalesce', [this.make(kind, depth), this.make(kind, depth)]);
    const cast = CASTS[kind];
    if (cast && random.flip(0.4)) {
      const to = { name: random.of(cast.to), args: [] };
      return { kind: 'cast', value: this.make(this.anyOf(cast.from), depth), to, safe: random.flip(0.3) };
    }
    const branches = Array.from({ length: 1 + random.below(2) }, () => ({ when: this.make('bool', depth), then: this.make(kind, depth) }));
    return { kind: 'case', branches, otherwise: random.flip(0.7) ? this.make(kind, depth) : null };
  }

  /** @type {(depth: number) => any} */
  condition(depth) {
    const { random } = this;
    const kind = this.anyOf(['int', 'float', 'utf8', 'date', 'timestamp']);
    return random.of([
      () => call(random.of(['and', 'or']), [this.make('bool', depth), this.make('bool', depth)]),
      () => call('not', [this.make('bool', depth)]),
      () => call(random.of(['isnull', 'isnotnull']), [this.make(kind, depth)]),
      () => call(random.of(['less_than', 'equal', 'greater_than_or_equal_to', 'not_equal']), [this.make(kind, depth), this.make(kind, depth)]),
      () => ({ kind: 'in', value: this.make(kind, depth), list: this.list(kind) }),
    ])();
  }

  /** @type {(kind: string) => any[]} */
  list(kind) {
    const items = Array.from({ length: 1 + this.random.below(12) }, () => LITERALS[kind](this.random));
    return this.random.flip(0.1) ? [...items, literal('null', null)] : items;
  }

  /** @type {(kind: string) => any} */
  leaf(kind) {
    const { random } = this;
    const columns = Object.keys(this.schema).filter((name) => typeOf(this.schema[name]).kind === kind);
    if (columns.length > 0 && random.flip(0.8)) return { kind: 'name', name: random.of(columns) };
    return LITERALS[kind]?.(random) ?? literal('null', null);
  }
}

/** @type {(param: string) => string} of a kind or a type */
const kindOf = (param) => (/^(int|float|decimal|date|time|timestamp|interval|duration)$/u.test(param) ? param : typeOf(param).kind);

// --- texts ---

/** @type {Record<string, string>} */
const INFIX = {
  add: '+', subtract: '-', multiply: '*', divide: '/', floor_divide: '//', mod: '%', power: '**', and: 'and', or: 'or', '&': '&',
  '|': '|', '^': '^', '||': '||', shift_left: '<<', shift_right: '>>', equal: '=', not_equal: '<>', less_than: '<',
  less_than_or_equal_to: '<=', greater_than: '>', greater_than_or_equal_to: '>=', like: 'like', ilike: 'ilike',
  is_distinct_from: 'is distinct from', is_not_distinct_from: 'is not distinct from',
};

const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", "''")}'`;

/** @type {Record<string, (value: any) => string>} */
const SPELLINGS = {
  integer: String,
  float: (value) => (/[.e]/u.test(String(value)) ? String(value) : `${value}.0`),
  boolean: String,
  null: () => 'null',
  string: quoted,
  binary: (value) => `x'${Buffer.from(value).toString('hex')}'`,
  date: (value) => `date ${quoted(value)}`,
  time: (value) => `time ${quoted(value)}`,
  timestamp: (value) => `timestamp ${quoted(value)}`,
  decimal: (value) => `decimal ${quoted(value)}`,
};

/** A tree as a text, with all brackets. @type {(ast: any) => string} */
function textOf(ast) {
  switch (ast.kind) {
    case 'literal':
      return ast.value < 0 ? `(${SPELLINGS[ast.type](ast.value)})` : SPELLINGS[ast.type](ast.value);
    case 'name':
      return ast.name;
    case 'in':
      return `(${textOf(ast.value)} in (${ast.list.map(textOf).join(', ')}))`;
    case 'case': {
      const branches = ast.branches.map((/** @type {any} */ { when, then }) => ` when ${textOf(when)} then ${textOf(then)}`).join('');
      return `(case${branches}${ast.otherwise ? ` else ${textOf(ast.otherwise)}` : ''} end)`;
    }
    case 'cast':
      return `${ast.safe ? 'try_cast' : 'cast'}(${textOf(ast.value)} as ${ast.to.name})`;
    default: {
      const args = ast.args.map(textOf);
      const infix = args.length === 2 ? INFIX[ast.name] : undefined;
      return infix ? `(${args[0]} ${infix} ${args[1]})` : `${ast.name}(${args.join(', ')})`;
    }
  }
}

// --- all of it ---

/** What a run does where there is no value: most of all nulls, that there be something to compare. @type {(random: Random) => any} */
const policies = (random) =>
  random.flip(0.1)
    ? { divisionByZero: 'error', overflow: random.of(['wrap', 'error']), cast: 'error', value: 'error' }
    : { divisionByZero: 'null', overflow: random.of(['wrap', 'null']), cast: 'null', value: 'null' };

/**
 * A random expression with columns for it.
 *
 * @param {number} seed
 * @param {object} [how]
 * @param {readonly string[]} [how.functions] those to use, all if there are none; operators are called by their functions
 * @param {readonly string[]} [how.types] of the columns
 * @param {readonly string[]} [how.kinds] of the result
 * @param {number} [how.depth]
 * @returns {{ ast: any, text: string, type: string, schema: Record<string, string>, columns: Record<string, any[]>, rows: any[], options: any }}
 */
function generate(seed, { functions: names, types = TYPES, kinds = ['bool', 'int', 'float', 'utf8', 'timestamp', 'decimal'], depth = 4 } = {}) {
  const random = new Random(seed);
  const offered = schemaOf(random, types);
  const maker = new Maker(random, offered, names);
  const isConstant = random.flip(0.03);
  const { ast, type } = untilTyped(() => maker.make(random.of(kinds), 1 + random.below(depth)), offered, isConstant);
  const used = namesIn(ast);
  const schema = Object.fromEntries(Object.entries(offered).filter(([name], i) => used.has(name) || (used.size === 0 && i === 0)));
  const size = random.of(SIZES);
  const columns = Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, column(random, each, size)]));
  const rows = Array.from({ length: size }, (_, at) => Object.fromEntries(Object.keys(columns).map((name) => [name, columns[name][at]])));
  return { ast, text: textOf(ast), type, schema, columns, rows, options: policies(random) };
}

/** A type of each kind, and some more. @type {(random: Random, types: readonly string[]) => Record<string, string>} */
function schemaOf(random, types) {
  const kinds = [...new Set(types.map((type) => typeOf(type).kind))];
  const ofKinds = kinds.map((kind) => random.of(types.filter((type) => typeOf(type).kind === kind)));
  const more = Array.from({ length: random.below(4) }, () => random.of(types));
  return Object.fromEntries([...ofKinds, ...more].map((type, i) => [`c${i}`, type]));
}

/** Columns that a tree reads. @type {(ast: any) => Set<string>} */
function namesIn(ast) {
  if (ast === null || typeof ast !== 'object' || ast instanceof Uint8Array) return new Set();
  if (ast.kind === 'name') return new Set([ast.name]);
  return new Set(Object.values(ast).flatMap((part) => [...namesIn(part)]));
}

/** Trees until there is one whose types agree, and that reads columns. @type {(make: () => any, schema: Record<string, string>, isConstant: boolean) => { ast: any, type: string }} */
function untilTyped(make, schema, isConstant) {
  for (let tries = 0; tries < 1000; tries++) {
    const ast = make();
    if (!isConstant && namesIn(ast).size === 0) continue;
    try {
      return { ast, type: typeOfTree(ast, schema) };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  throw new Error('no tree of a thousand has types that agree');
}

/** The values that a generated expression has, or the fault. @type {(generated: any) => { values: any[] } | { fault: string }} */
function expected({ ast, schema, rows, options }) {
  try {
    return { values: evaluate(ast, schema, rows, options).values };
  } catch (fault) {
    const { kind } = /** @type {any} */ (fault);
    if (kind === undefined) throw fault;
    return { fault: kind };
  }
}

module.exports = { TYPES, expected, generate, textOf };
