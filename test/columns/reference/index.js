/**
 * An evaluator of expressions over columns that is slow and obvious: what the compiled kernels are compared with.
 *
 * It takes the trees of lib/columns/language and rows of plain values, finds types first, then computes one row at a time
 * with one small function per operation. Of the library it uses nothing, so that both can be wrong only independently.
 *
 * Values that are passed and returned: null, booleans, numbers (floats, and integers, dates and times of at most 32 bits),
 * bigints (of 64 bits), strings, Uint8Array, { unscaled, scale } for decimals, { months, days, nanoseconds } for intervals.
 * An integer may be passed as a number or as a bigint.
 */
'use strict';

const { castOf } = require('./cast.js');
const { Fault } = require('./faults.js');
const { order } = require('./compare.js');
const { asDecimal, common, inRange, typeOf } = require('./types.js');

/** @typedef {import('./types.js').Type} Type */
/** @typedef {{ type: Type, run: (row: any) => any, literal?: any }} Typed */

const DEFAULTS = { divisionByZero: 'error', overflow: 'wrap', cast: 'error', value: 'error' };

/** @type {[names: string, signature: string, compute: any, resultOf?: any, how?: { nulls: string }][]} */
const ROWS = [
  ...require('./arithmetic.js'), ...require('./compare.js').rows, ...require('./bits.js'), ...require('./math.js'),
  ...require('./conditional.js'), ...require('./cast.js').rows, ...require('./dates.js'), ...require('./strings.js').rows,
  ...require('./hashes.js'),
];

/** @type {Record<string, (type: Type) => boolean>} */
const KINDS = {
  any: () => true,
  number: ({ kind }) => kind === 'int' || kind === 'float' || kind === 'decimal',
  moment: ({ kind }) => kind === 'date' || kind === 'timestamp',
  ...Object.fromEntries(
    ['int', 'float', 'decimal', 'date', 'time', 'timestamp', 'interval', 'duration'].map((kind) => [kind, (/** @type {Type} */ type) => type.kind === kind]),
  ),
};

/** @type {(text: string) => string[]} */
const paramsOf = (text) => (text === '' ? [] : text.split(/, (?![^[(]*[\])])/u));

/** By lower-case names. @type {Map<string, any[]>} */
const functions = new Map();
for (const [names, signature, compute, resultOf, how] of ROWS) {
  const [, params, result] = /** @type {RegExpExecArray} */ (/^\((.*)\) → (.*)$/u.exec(signature));
  const row = { params: paramsOf(params), result, compute, resultOf, own: how?.nulls === 'own' };
  for (const name of names.split(' ')) {
    const key = name.toLowerCase();
    functions.set(key, [...(functions.get(key) ?? []), row]);
  }
}

// --- which overload ---

/** Whether a literal is as good a value of another type. @type {(arg: Typed, to: Type) => boolean} */
function literalFits({ type, literal }, to) {
  if (literal === undefined || literal === null) return false;
  if (type.kind === 'utf8') return ['date', 'time', 'timestamp', 'interval', 'binary'].includes(to.kind);
  if (type.kind === 'int' && to.kind === 'int') return inRange(literal, to);
  return (type.kind === 'int' || type.kind === 'float') && (to.kind === 'float' || to.kind === 'decimal');
}

/** Literals take the type of what they stand beside, where they fit. @type {(args: Typed[]) => Type | null} */
function together(args) {
  const firm = args.filter(({ type, literal }) => literal === undefined && type.kind !== 'null');
  const rest = args.filter((arg) => !firm.includes(arg));
  let type = /** @type {Type | null} */ (firm[0]?.type ?? null);
  for (const each of firm.slice(1)) type = type && common(type, each.type);
  if (firm.length > 0 && type === null) return null;
  for (const each of rest) {
    if (type !== null && literalFits(each, type)) continue;
    type = type === null ? each.type : common(type, each.type);
    if (type === null) return null;
  }
  return type;
}

/** @type {(arg: Typed, to: Type) => number | null} */
function costOf(arg, to) {
  if (arg.type === to) return 0;
  if (arg.type.kind === 'null' || literalFits(arg, to)) return 1;
  if (common(arg.type, to) === to) return arg.type.kind === to.kind ? 2 + Math.abs(to.bits - arg.type.bits) / 8 : 16;
  return KINDS.number(arg.type) && to.id === 'float64' ? 20 : null;
}

/** What one parameter wants of an argument: `int A` is A where A is an integer. @type {(param: string, arg: Typed, bound: Map<string, Type>) => { type: Type, cost: number } | null} */
function wanted(param, arg, bound) {
  const words = param.replace('...', '').split(' ');
  const type = bound.get(/** @type {string} */ (words.at(-1)));
  if (type) {
    const isKind = words.length === 1 || KINDS[words[0]](type);
    return isKind ? { type, cost: arg.type === type ? 0 : 3 } : null;
  }
  const [name] = words;
  if (name === 'decimal' && arg.type.kind === 'int') return { type: asDecimal(arg.type), cost: 4 };
  if (KINDS[name]) return KINDS[name](arg.type) || arg.type.kind === 'null' ? { type: arg.type, cost: name === 'any' ? 2 : 1 } : null;
  const exact = typeOf(name);
  const cost = costOf(arg, exact);
  return cost === null ? null : { type: exact, cost };
}

/** @type {(row: any, args: Typed[]) => { types: Type[], result: Type, cost: number } | null} */
function fit(row, args) {
  const rest = row.params.at(-1)?.endsWith('...');
  if (rest ? args.length < row.params.length : args.length !== row.params.length) return null;
  const params = args.map((_, i) => row.params[Math.min(i, row.params.length - 1)]);
  const bound = new Map();
  for (const variable of ['A']) {
    const of = args.filter((_, i) => params[i].replace('...', '').split(' ').at(-1) === variable);
    if (of.length === 0) continue;
    const type = together(of);
    if (type === null) return null;
    bound.set(variable, type);
  }
  const found = args.map((arg, i) => wanted(params[i], arg, bound));
  if (found.some((each) => each === null)) return null;
  const types = found.map((each) => /** @type {any} */ (each).type);
  const result = row.result === '?' ? row.resultOf(types) : bound.get(row.result) ?? typeOf(row.result);
  return { types, result, cost: found.reduce((sum, each) => sum + /** @type {any} */ (each).cost, 0) };
}

// --- trees ---

/** @type {Record<string, [ofBooleans: string, other: string]>} */
const BY_TYPE = {
  '&': ['and', 'bitwise_and'], '|': ['or', 'bitwise_or'], '^': ['xor', 'bitwise_xor'], '~': ['not', 'bitwise_not'],
  '||': ['or', 'concat'],
};

class Evaluator {
  /** @param {Record<string, string>} schema @param {any} options */
  constructor(schema, options) {
    this.schema = schema;
    this.options = { ...DEFAULTS, ...options };
  }

  /** @type {(ast: any) => Typed} */
  typed(ast) {
    return this[/** @type {'name'} */ (ast.kind)](ast);
  }

  /** @type {(ast: any) => Typed} */
  name({ name }) {
    if (this.schema[name] === undefined) throw new TypeError(`no column ${name}`);
    const type = typeOf(this.schema[name]);
    return { type, run: (row) => valueIn(row[name], type) };
  }

  /** @type {(ast: any) => Typed} */
  literal({ type: kind, value }) {
    const type = typeOf(LITERALS[kind](value));
    const text = typeOf('utf8');
    const taken = ['date', 'time', 'timestamp'].includes(kind) ? /** @type {any} */ (castOf(text, type))(value, text, type)
      : kind === 'decimal' ? /** @type {any} */ (castOf(text, type))(value, text, type) : value;
    return { type, run: () => taken, literal: taken };
  }

  /** @type {(ast: any) => Typed} */
  cast({ value, to, safe }) {
    const operand = this.typed(value);
    const type = typeOf(typeof to === 'string' ? to : nameOf(to));
    const options = safe ? { ...this.options, cast: 'null', overflow: 'null', value: 'null' } : this.options;
    return { type, run: this.conversion(operand, type, options) };
  }

  /** @type {(ast: any) => Typed} */
  case({ branches, otherwise }) {
    const tests = branches.map((/** @type {any} */ { when }) => this.typed(when));
    const values = branches.map((/** @type {any} */ { then }) => this.typed(then));
    if (otherwise) values.push(this.typed(otherwise));
    const type = this.unified(values);
    const runs = values.map((/** @type {Typed} */ each) => this.conversion(each, type));
    return { type, run: (row) => {
      const at = tests.findIndex((/** @type {Typed} */ test) => test.run(row) === true);
      return at >= 0 ? runs[at](row) : otherwise ? runs[branches.length](row) : null;
    } };
  }

  /** @type {(ast: any) => Typed} */
  in({ value, list }) {
    const all = [value, ...list].map((each) => this.typed(each));
    const type = this.unified(all);
    const [needle, ...items] = all.map((each) => this.conversion(each, type));
    return { type: typeOf('bool'), run: (row) => {
      const wantedValue = needle(row);
      if (wantedValue === null) return null;
      const found = items.map((item) => item(row));
      if (found.some((each) => each !== null && order(each, wantedValue) === 0)) return true;
      return found.includes(null) ? null : false;
    } };
  }

  /** @type {(ast: any) => Typed} */
  call(ast) {
    const args = ast.args.map((/** @type {any} */ arg) => this.typed(arg));
    const isTruth = args.some((/** @type {Typed} */ { type }) => type.kind === 'bool');
    const name = BY_TYPE[ast.name]?.[isTruth ? 0 : 1] ?? ast.name.toLowerCase();
    if (name === 'and' || name === 'or') return kleene(name, args);
    if (LAZY.has(name)) return this.firstOf(args);
    const fits = (functions.get(name) ?? []).map((row) => ({ row, found: fit(row, args) })).filter(({ found }) => found !== null);
    if (fits.length === 0) {
      throw new TypeError(`no function ${name}(${args.map((/** @type {Typed} */ { type }) => type.text).join(', ')})`);
    }
    const { row, found } = fits.reduce((a, b) => (/** @type {any} */ (b.found).cost < /** @type {any} */ (a.found).cost ? b : a));
    const { types, result } = /** @type {any} */ (found);
    const runs = args.map((/** @type {Typed} */ arg, /** @type {number} */ i) => this.conversion(arg, types[i]));
    const info = { args: types, result, options: this.options };
    return { type: result, run: this.guarded((each) => {
      const values = runs.map((/** @type {any} */ run) => run(each));
      return !row.own && values.includes(null) ? null : row.compute(...values, info);
    }) };
  }

  /** The first that is not null; the others are not asked for. @type {(args: Typed[]) => Typed} */
  firstOf(args) {
    const type = this.unified(args);
    const runs = args.map((arg) => this.conversion(arg, type));
    return { type, run: (row) => {
      for (const run of runs) {
        const value = run(row);
        if (value !== null) return value;
      }
      return null;
    } };
  }

  /** @type {(args: Typed[]) => Type} */
  unified(args) {
    const type = together(args);
    if (type === null) throw new TypeError(`no common type of ${args.map(({ type: { text } }) => text).join(', ')}`);
    return type;
  }

  /** @type {(from: Typed, to: Type, options?: any) => (row: any) => any} */
  conversion({ type, run, literal }, to, options = this.options) {
    if (type === to) return run;
    // A literal of another kind is read anew: the text of a date, 1 as 1.0.
    const cast = castOf(type, to);
    if (cast === undefined) throw new TypeError(`no cast from ${type.text} to ${to.text}`);
    void literal;
    // What the operand fails with is its own affair, also where a cast is one that is tried.
    const convert = this.guarded((/** @type {any} */ value) => cast(value, type, to), options);
    return (row) => {
      const value = run(row);
      return value === null ? null : convert(value);
    };
  }

  /** Faults are nulls where the options say so. @type {(run: (row: any) => any, options?: any) => (row: any) => any} */
  guarded(run, options = this.options) {
    return (row) => {
      try {
        return run(row);
      } catch (fault) {
        if (fault instanceof Fault && options[fault.kind] === 'null') return null;
        throw fault;
      }
    };
  }
}

const LAZY = new Set(['coalesce', 'nvl', 'ifnull']);

/** The second operand is asked for where the first does not decide. @type {(name: string, args: Typed[]) => Typed} */
function kleene(name, args) {
  const decides = name === 'or';
  return { type: typeOf('bool'), run: (row) => {
    let missing = false;
    for (const { run } of args) {
      const value = run(row);
      if (value === decides) return decides;
      missing ||= value === null;
    }
    return missing ? null : !decides;
  } };
}

/** Types of literals by their kinds. @type {Record<string, (value: any) => string>} */
const LITERALS = {
  integer: (value) => ['int32', 'int64', 'uint64'].find((text) => inRange(value, typeOf(text))) ?? 'decimal128(38, 0)',
  float: () => 'float64',
  decimal: (value) => {
    const [, whole, part = ''] = /** @type {RegExpExecArray} */ (/^[+-]?0*(\d*)\.?(\d*)$/u.exec(value));
    return `decimal128(${Math.max(1, whole.length + part.length)}, ${part.length})`;
  },
  string: () => 'utf8',
  boolean: () => 'bool',
  null: () => 'null',
  date: () => 'date32',
  time: (value) => (/\.\d{4}/u.test(value) ? 'time64[us]' : 'time32[ms]'),
  timestamp: (value) => (/\.\d{4}/u.test(value) ? 'timestamp[us]' : 'timestamp[ms]'),
  interval: () => 'interval[month_day_nano]',
  binary: () => 'binary',
};

/** @type {Record<string, string>} */
const TYPE_NAMES = {
  int: 'int32', integer: 'int32', bigint: 'int64', smallint: 'int16', tinyint: 'int8', double: 'float64', float: 'float64',
  real: 'float32', boolean: 'bool', string: 'utf8', text: 'utf8', varchar: 'utf8', date: 'date32', timestamp: 'timestamp[ms]',
  time: 'time32[ms]', blob: 'binary', varbinary: 'binary',
};

/** @type {(to: any) => string} */
function nameOf({ name, args = [] }) {
  if (name === 'decimal' || name === 'numeric' || name === 'decimal128') return `decimal128(${args[0] ?? 38}, ${args[1] ?? (args.length ? 0 : 9)})`;
  return args.length > 0 && name === 'timestamp' ? `timestamp[${args.join(', ')}]` : TYPE_NAMES[name] ?? name;
}

// --- values in and out ---

const INTEGERS = new Set(['int', 'date', 'time', 'timestamp', 'duration']);

/** @type {(value: any, type: Type) => any} */
function valueIn(value, type) {
  if (value === null || value === undefined) return null;
  if (INTEGERS.has(type.kind)) return BigInt(value);
  if (type.kind === 'decimal' && typeof value === 'object') return value.unscaled;
  return type.kind === 'float' && type.bits === 32 ? Math.fround(value) : value;
}

/** @type {(value: any, type: Type) => any} */
function valueOut(value, type) {
  if (value === null || value === undefined) return null;
  if (INTEGERS.has(type.kind)) return type.bits === 64 ? value : Number(value);
  if (type.kind === 'decimal') return { unscaled: value, scale: type.scale };
  return type.kind === 'binary' ? new Uint8Array(value) : value;
}

/**
 * The values of an expression for all rows, and their type. Throws a Fault where a row has no value and the options say
 * that this is an error.
 *
 * @param {any} ast of lib/columns/language
 * @param {Record<string, string>} schema types by columns
 * @param {any[]} rows values by columns
 * @param {any} [options] divisionByZero, overflow, cast, value
 * @returns {{ type: string, values: any[] }}
 */
function evaluate(ast, schema, rows, options) {
  const { type, run } = new Evaluator(schema, options).typed(ast);
  return { type: type.text, values: rows.map((row) => valueOut(run(row), type)) };
}

/** The type alone. @type {(ast: any, schema: Record<string, string>) => string} */
const typeOfTree = (ast, schema) => new Evaluator(schema, {}).typed(ast).type.text;

module.exports = { Fault, evaluate, functions, typeOfTree };
