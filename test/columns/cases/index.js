/**
 * Cases of functions: rows of [name, arguments with types, type of the result, result].
 *
 *   ['substr', [['utf8', 'asdf'], ['int64', 1n], ['int64', 3n]], 'utf8', 'asd'],
 *
 * 64-bit integers are bigints, dates and timestamps texts in UTC (or bigints, where no text can say it), times of day
 * numbers in their unit, bytes hexadecimal texts, decimals texts, intervals { months } or { days, milliseconds }. A result
 * of { error } is a fault of this kind: divisionByZero, overflow, cast or value.
 *
 * Most rows are Gandiva's: gathered from its tests as calls with their results, or calls of its code. departures.js has
 * those that are meant to differ.
 */
'use strict';

const CATEGORIES = [
  'arithmetic', 'bits', 'cast', 'compare', 'conditional', 'dates', 'decimals', 'hashes', 'intervals', 'math', 'operators',
  'padding', 'patterns', 'strings',
];

/** @typedef {[name: string, args: [type: string, value: any][], type: string, result: any]} Case */

/** @type {Record<string, Case[]>} */
const cases = Object.fromEntries(CATEGORIES.map((name) => [name, require(`./${name}.js`)]));

/** @type {Record<string, bigint>} */
const NANOS = { s: 1000000000n, ms: 1000000n, us: 1000n, ns: 1n };

/** @type {(text: string, unit: string) => bigint} */
function momentOf(text, unit) {
  const [, day, clock = '00:00:00'] = /** @type {RegExpExecArray} */ (/^(\S+)(?: (.*))?$/u.exec(text));
  const ms = BigInt(Date.parse(`${day}T${clock}Z`));
  return (ms * 1000000n) / NANOS[unit];
}

/** @type {(text: string, scale: number) => bigint} */
function digitsOf(text, scale) {
  const [whole, part = ''] = text.split('.');
  return BigInt(whole + part.padEnd(scale, '0'));
}

/** What a row writes as a value. @type {(type: string, written: any) => any} */
function valueOf(type, written) {
  if (written === null) return null;
  if (type === 'binary') return new Uint8Array(Buffer.from(written, 'hex'));
  if (type === 'date32') return typeof written === 'string' ? Number(momentOf(written, 's') / 86400n) : written;
  if (type === 'date64') return typeof written === 'string' ? momentOf(written, 'ms') : written;
  if (type.startsWith('timestamp')) {
    return typeof written === 'string' ? momentOf(written, /** @type {any} */ (/\[(\w+)/u.exec(type))[1]) : written;
  }
  if (type.startsWith('interval')) {
    const { months = 0, days = 0, milliseconds = 0 } = written;
    return { months, days, nanoseconds: BigInt(milliseconds) * NANOS.ms };
  }
  if (type.startsWith('decimal')) {
    const scale = Number(/** @type {any} */ (/, (\d+)/u.exec(type))[1]);
    return { unscaled: digitsOf(written, scale), scale };
  }
  return type === 'float32' ? Math.fround(written) : written;
}

/** Functions that are not rounded correctly may be off in their last digits. @type {(type: string, got: number, wanted: number) => boolean} */
function near(type, got, wanted) {
  if (Object.is(got, wanted) || got === wanted) return true;
  return Math.abs(got - wanted) <= (type === 'float32' ? 2e-7 : 1e-14) * Math.abs(wanted);
}

/** Whether a value is what a row says. @type {(type: string, got: any, written: any) => boolean} */
function agrees(type, got, written) {
  const wanted = valueOf(type, written);
  if (got === null || wanted === null) return got === wanted;
  if (type.startsWith('float')) return near(type, got, wanted);
  if (type === 'binary') return Buffer.compare(Buffer.from(got), Buffer.from(wanted)) === 0;
  if (type.startsWith('decimal')) return got.unscaled === wanted.unscaled && got.scale === wanted.scale;
  if (type.startsWith('interval')) {
    return got.months === wanted.months && got.days === wanted.days && got.nanoseconds === wanted.nanoseconds;
  }
  return got === wanted;
}

/** What a row says is an error. @type {(result: any) => string | undefined} */
const errorOf = (result) => (result !== null && typeof result === 'object' ? result.error : undefined);

module.exports = { agrees, cases, departures: require('./departures.js'), errorOf, valueOf };
