/**
 * Rows of the table of functions, and how one finds the overload for its arguments.
 *
 * A row has overloads, and each is a text such as '(utf8, int64) → utf8' with what computes it. Where a text is not
 * enough, since the result depends on more than a list can say, an overload is a function of the types of the
 * arguments. Of several overloads that take the arguments, the one with the cheapest conversions is chosen, of equal
 * ones the first.
 *
 *   a type        int64, utf8, timestamp[us] …: what converts to it without loss is taken too
 *   a kind        int, float, real (either), decimal, number (any of these), text (utf8 or binary), timestamp, date,
 *                 moment (either), time, interval, duration, any
 *   A, B          any type, the same everywhere in the text: the common type of what is passed
 *   int A         the same, of a kind
 *   name...       the last one, as often as one likes, at least once
 */
'use strict';

const { commonType } = require('../types/common.js');
const { MAX_PRECISION, decimalOfInteger, leastDecimal } = require('../types/decimal.js');
const types = require('../types/index.js');
const { typeOf } = require('../types/names.js');

/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../analyse/context.js').Typed} Typed */

/**
 * The types that arguments have been converted to, and what literals among them say, and where.
 *
 * @typedef {{ args: readonly DataType[], result: DataType, literals: readonly unknown[],
 *   places: readonly ({ start: number, end: number } | undefined)[] }} CallInfo
 */

/**
 * What computes a call. With nulls 'intersect' it gets values that are there and gives one; else it gets values with
 * their validity, and gives that too.
 *
 * @typedef {(c: Context, args: any[], info: CallInfo) => Node | Typed} Build
 */

/** An overload that takes the arguments: the types to convert them to. @typedef {{ args: readonly DataType[], result: DataType, cost: number }} Fit */
/** @typedef {{ text: string, fit: (args: readonly Typed[]) => Fit | null, build: Build }} Overload */

/**
 * @typedef {object} FunctionRow
 * @property {string} name
 * @property {readonly string[]} aliases
 * @property {string} category
 * @property {'intersect' | 'own'} nulls
 * @property {readonly Overload[]} overloads
 * @property {string} doc
 */

/** @type {Record<string, (type: DataType) => boolean>} */
const KINDS = {
  any: () => true,
  number: types.isNumeric,
  real: ({ kind }) => kind === 'int' || kind === 'float',
  text: ({ kind }) => kind === 'utf8' || kind === 'binary',
  moment: ({ kind }) => kind === 'date' || kind === 'timestamp',
  ...Object.fromEntries(
    ['int', 'float', 'decimal', 'timestamp', 'date', 'time', 'interval', 'duration'].map((kind) => [
      kind,
      (/** @type {DataType} */ type) => type.kind === kind,
    ]),
  ),
};

/** What a value of a type costs as one of another; null where it may lose something. @type {(from: Typed, to: DataType) => number | null} */
function costOf(from, to) {
  const { type } = from;
  if (type === to) return 0;
  if (type.kind === 'null') return 1;
  if (from.literal && literalFits(from, to)) return 1;
  if (commonType(type, to) !== to) {
    // f64 is what everything numeric may become, as in most languages of queries.
    return types.isNumeric(type) && to === types.float64 ? 20 : null;
  }
  return type.kind === to.kind ? 2 + Math.abs(to.bits - type.bits) / 8 : 16;
}

/** Whether a literal is as good a value of another type. @type {(from: Typed, to: DataType) => boolean} */
function literalFits({ type, literal }, to) {
  if (literal === undefined) return false;
  if (type.kind === 'utf8') return TEXT_FITS.has(to.kind);
  if (type.kind === 'interval') return intervalFits(/** @type {any} */ (literal), to);
  if (types.isTemporal(type)) return typeof literal === 'string' && temporalFits(type, to);
  if (type.kind === 'int' && to.kind === 'int') return inRange(BigInt(/** @type {bigint} */ (literal)), to);
  if (to.kind === 'decimal') return fitsDecimal(decimalOfLiteral(type, literal), to);
  return (type.kind === 'int' || type.kind === 'float') && to.kind === 'float';
}

/** The decimal that a literal number is, if it is one. @type {(type: DataType, literal: unknown) => DataType | undefined} */
function decimalOfLiteral(type, literal) {
  if (type.kind === 'decimal') return type;
  if (typeof literal !== 'bigint' && typeof literal !== 'number') return undefined;
  const least = Number.isFinite(Number(literal)) ? leastDecimal(String(literal)) : null;
  return least === null ? undefined : types.decimal128(least.p, least.s);
}

/**
 * What decimals, and integers and literals beside them, are each as a decimal, where no decimal holds all of them.
 *
 * @type {(args: readonly Typed[]) => DataType[] | null}
 */
function apartDecimals(args) {
  if (!args.some(({ type }) => type.kind === 'decimal')) return null;
  const each = args.map(({ type, literal }) => {
    const own = decimalOfLiteral(type, literal);
    if (own !== undefined || type.kind !== 'int') return own;
    const { p, s } = decimalOfInteger(type.bits, type.signed);
    return types.decimal128(p, s);
  });
  const all = each.filter((type) => type !== undefined);
  if (all.length < args.length) return null;
  const whole = Math.max(...all.map(({ precision, scale }) => precision - scale));
  return whole + Math.max(...all.map(({ scale }) => scale)) > MAX_PRECISION ? all : null;
}

/** @type {(own: DataType | undefined, to: DataType) => boolean} */
const fitsDecimal = (own, to) =>
  own !== undefined && own.scale <= to.scale && own.precision - own.scale <= to.precision - to.scale;

/** What texts are literals of. */
const TEXT_FITS = new Set(['date', 'time', 'timestamp', 'interval', 'duration', 'binary']);

/** A day is its midnight too, and finer units say the same. @type {(from: DataType, to: DataType) => boolean} */
function temporalFits(from, to) {
  if (from.kind === 'date') return to.kind === 'date' || to.kind === 'timestamp';
  const [own, other] = [from, to].map(({ unit }) => types.TIME_UNITS.indexOf(/** @type {any} */ (unit)));
  return from.kind === to.kind && other >= own;
}

/** @type {(interval: { months: number, days: number, nanoseconds: bigint }, to: DataType) => boolean} without loss */
function intervalFits({ months, days, nanoseconds }, { kind, unit }) {
  if (kind === 'duration') return months === 0 && nanoseconds % NANOSECONDS[String(unit)] === 0n;
  if (kind !== 'interval') return false;
  if (unit === 'year_month') return days === 0 && nanoseconds === 0n;
  const rest = nanoseconds / NANOSECONDS.ms;
  return unit !== 'day_time' || (months === 0 && rest * NANOSECONDS.ms === nanoseconds && BigInt.asIntN(32, rest) === rest);
}

/** @type {Record<string, bigint>} */
const NANOSECONDS = { s: 1_000_000_000n, ms: 1_000_000n, us: 1000n, ns: 1n };

/** @type {(value: bigint, type: DataType) => boolean} */
const inRange = (value, { signed, bits }) =>
  signed ? BigInt.asIntN(bits, value) === value : BigInt.asUintN(bits, value) === value;

/** Is a name of the overload's text a variable? @type {(name: string) => boolean} */
const isVariable = (name) => /^(?:[a-z]+ )?[A-Z]$/u.test(name);

/**
 * The type of which all are: literals are of the type of what they stand beside, where they fit.
 *
 * @param {readonly Typed[]} args
 * @returns {DataType | undefined}
 */
function together(args) {
  const firm = args.filter(({ literal, type }) => literal === undefined && type.kind !== 'null');
  const rest = args.filter((arg) => !firm.includes(arg));
  /** @type {DataType | undefined} */
  let type = firm[0]?.type;
  for (const each of firm.slice(1)) type = type && commonType(type, each.type);
  if (firm.length > 0 && type === undefined) return undefined;
  for (const each of rest) {
    if (type !== undefined && literalFits(each, type)) continue;
    // A number that a decimal has not enough digits for makes it one with more, not a float.
    const own = type?.kind === 'decimal' ? (decimalOfLiteral(each.type, each.literal) ?? each.type) : each.type;
    type = type === undefined ? own : commonType(type, own);
    if (type === undefined) return undefined;
  }
  return type;
}

/** @type {(text: string) => { params: string[], rest: boolean, result: string }} */
function parse(text) {
  const match = /^\((.*)\) → (.+)$/u.exec(text);
  if (match === null) throw new Error(`a row of the table of functions says ${text}`);
  const params = match[1] === '' ? [] : match[1].split(/, (?![^[(]*[\])])/u);
  const rest = params.at(-1)?.endsWith('...') ?? false;
  return { params: params.map((param) => param.replace('...', '')), rest, result: match[2] };
}

/**
 * An overload that a text says.
 *
 * @param {string} text
 * @param {Build} build
 * @param {(args: readonly DataType[], literals: readonly Typed[]) => DataType | null} [resultOf] the result where the
 * text says `?`
 * @returns {Overload}
 */
function overload(text, build, resultOf) {
  const { params, rest, result } = parse(text);
  return {
    text,
    build,
    fit: (args) => {
      if (rest ? args.length < params.length : args.length !== params.length) return null;
      const names = args.map((_, i) => params[Math.min(i, params.length - 1)]);
      const bound = bindVariables(names, args);
      if (bound === null) return null;
      let cost = 0;
      const wanted = [];
      for (const [i, arg] of args.entries()) {
        const found = paramFit(names[i], arg, bound);
        if (found === null) return null;
        cost += found.cost;
        wanted.push(found.type);
      }
      const type = result === '?' ? resultOf?.(wanted, args) : (bound.get(result) ?? typeOf(result));
      return type ? { args: wanted, result: type, cost } : null;
    },
  };
}

/** @type {(names: readonly string[], args: readonly Typed[]) => Map<string, DataType> | null} */
function bindVariables(names, args) {
  /** @type {Map<string, DataType>} */
  const bound = new Map();
  for (const name of new Set(names.filter(isVariable))) {
    const type = together(args.filter((_, i) => names[i] === name));
    const kind = name.slice(0, -2);
    if (type === undefined || (kind !== '' && !KINDS[kind](type))) return null;
    bound.set(name, type).set(name.slice(-1), type);
  }
  return bound;
}

/** @type {(name: string, arg: Typed, bound: Map<string, DataType>) => { type: DataType, cost: number } | null} */
function paramFit(name, arg, bound) {
  const variable = bound.get(name);
  if (variable !== undefined) return { type: variable, cost: arg.type === variable ? 0 : 3 };
  const kind = KINDS[name];
  if (kind !== undefined) return kind(arg.type) ? { type: arg.type, cost: name === 'any' ? 2 : 1 } : null;
  const type = typeOf(name);
  const cost = costOf(arg, type);
  return cost === null ? null : { type, cost };
}

/**
 * The overload to take, or null.
 *
 * @param {FunctionRow} row
 * @param {readonly Typed[]} args
 * @returns {{ overload: Overload, fit: Fit } | null}
 */
function choose({ overloads }, args) {
  let best = null;
  for (const each of overloads) {
    const fit = each.fit(args);
    if (fit !== null && (best === null || fit.cost < best.fit.cost)) best = { overload: each, fit };
  }
  return best;
}

/**
 * A row.
 *
 * @param {string} category
 * @param {string} names the name, and its aliases behind it
 * @param {string} doc
 * @param {readonly (Overload | null)[]} overloads
 * @param {'intersect' | 'own'} [nulls]
 * @returns {FunctionRow}
 */
function row(category, names, doc, overloads, nulls = 'intersect') {
  const [name, ...aliases] = names.split(' ');
  return { name, aliases, category, nulls, doc, overloads: overloads.filter((each) => each !== null) };
}

module.exports = { apartDecimals, choose, decimalOfLiteral, inRange, literalFits, overload, row, together };
