/**
 * Spans of time: months, days and nanoseconds, which are told apart since neither months nor days are all equally long.
 *
 *   1 year 2 months   3 days 04:05:06.789   -2 hours   1.5 days   P1Y2M3DT4H5M6.7S
 *
 * Fractions are exact: half a day is twelve hours, half a month is an error.
 */
'use strict';

/** @typedef {import('./ast.js').Interval} Interval */
/** @typedef {'months' | 'days' | 'nanoseconds'} Part */

const SECOND = 1_000_000_000n;
const DAY = 86_400n * SECOND;

/** @type {readonly [part: Part, size: bigint, names: string][]} */
const ROWS = [
  ['months', 12n, 'year years yr yrs y'],
  ['months', 3n, 'quarter quarters'],
  ['months', 1n, 'month months mon mons'],
  ['days', 7n, 'week weeks w'],
  ['days', 1n, 'day days d'],
  ['nanoseconds', 3600n * SECOND, 'hour hours hr hrs h'],
  ['nanoseconds', 60n * SECOND, 'minute minutes min mins'],
  ['nanoseconds', SECOND, 'second seconds sec secs s'],
  ['nanoseconds', 1_000_000n, 'millisecond milliseconds ms'],
  ['nanoseconds', 1000n, 'microsecond microseconds us µs'],
  ['nanoseconds', 1n, 'nanosecond nanoseconds ns'],
];
/** @type {ReadonlyMap<string, { part: Part, size: bigint }>} */
const UNITS = new Map(ROWS.flatMap(([part, size, names]) => names.split(' ').map((name) => [name, { part, size }])));
/** The units of ISO 8601, of dates and of times. @type {Readonly<Record<string, string>>} */
const ISO_DATE = Object.freeze({ Y: 'year', M: 'month', W: 'week', D: 'day' });
/** @type {Readonly<Record<string, string>>} */
const ISO_TIME = Object.freeze({ H: 'hour', M: 'minute', S: 'second' });

const PIECE = /\s*(?:([+-]?)(\d{1,6}):(\d\d)(?::(\d\d(?:\.\d{1,9})?))?|([+-]?\d{1,20}(?:\.\d{0,20})?|[+-]?\.\d{1,20})\s*([a-zµ]+))(?:\s+|,|$|(?=[-+\d]))/iuy;
const ISO = /^([+-]?)P(?=.)((?:[+-]?\d{1,20}(?:\.\d{1,20})?[YMWD])*)(?:T((?:[+-]?\d{1,20}(?:\.\d{1,20})?[HMS])+))?$/i;
const ISO_PIECE = /([+-]?\d{1,20}(?:\.\d{1,20})?)([A-Z])/giy;

const LIMITS = Object.freeze({ months: 1n << 31n, days: 1n << 31n, nanoseconds: 1n << 63n });

class Sum {
  months = 0n;
  days = 0n;
  nanoseconds = 0n;

  /**
   * Adds so much of a unit.
   *
   * @param {string} amount a decimal
   * @param {string} unit
   * @param {bigint} [sign]
   * @returns {string | undefined} what is wrong with it
   */
  add(amount, unit, sign = 1n) {
    const row = UNITS.get(unit.toLowerCase());
    if (row === undefined) return `'${unit}' is no unit of time`;
    const [whole, fraction = ''] = amount.split('.');
    const scale = 10n ** BigInt(fraction.length);
    const scaled = sign * BigInt(`${whole}${fraction}`) * row.size;
    this[row.part] += scaled / scale;
    const rest = scaled % scale;
    if (rest === 0n) return undefined;
    if (row.part === 'days' && (rest * DAY) % scale === 0n) {
      this.nanoseconds += (rest * DAY) / scale;
      return undefined;
    }
    return row.part === 'months' ? `${amount} ${unit} is no number of months` : `${amount} ${unit} is no number of nanoseconds`;
  }

  /** @returns {Interval | string} */
  get value() {
    const { months, days, nanoseconds } = this;
    for (const [part, limit] of /** @type {[Part, bigint][]} */ (Object.entries(LIMITS))) {
      if (this[part] >= limit || this[part] < -limit) return `an interval of ${this[part]} ${part} is too long`;
    }
    return Object.freeze({ months: Number(months), days: Number(days), nanoseconds });
  }
}

/** @type {(amount: string, unit: string) => Interval | string} */
function intervalOf(amount, unit) {
  const sum = new Sum();
  return sum.add(amount.replace(/\.$/, ''), unit) ?? sum.value;
}

/** @type {(sum: Sum, text: string, units: Readonly<Record<string, string>>, sign: bigint) => string | undefined} */
function addIso(sum, text, units, sign) {
  for (const [, amount, letter] of text.matchAll(ISO_PIECE)) {
    const wrong = sum.add(amount, units[letter.toUpperCase()], sign);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** @type {(sum: Sum, piece: RegExpExecArray) => string | undefined} */
function addPiece(sum, [, minus, hours, minutes, rest = '0', amount, unit]) {
  if (unit !== undefined) return sum.add(amount.replace(/\.$/, ''), unit);
  if (Number(minutes) > 59 || Number(rest) >= 60) return `${hours}:${minutes}:${rest} is no time`;
  const sign = minus === '-' ? -1n : 1n;
  return sum.add(hours, 'hour', sign) ?? sum.add(minutes, 'minute', sign) ?? sum.add(rest, 'second', sign);
}

/**
 * @param {string} text
 * @returns {Interval | string} a string says what is wrong with it
 */
function parseInterval(text) {
  const sum = new Sum();
  const iso = ISO.exec(text.trim());
  if (iso) {
    const sign = iso[1] === '-' ? -1n : 1n;
    return addIso(sum, iso[2], ISO_DATE, sign) ?? addIso(sum, iso[3] ?? '', ISO_TIME, sign) ?? sum.value;
  }
  const body = text.trimEnd();
  PIECE.lastIndex = 0;
  do {
    const from = PIECE.lastIndex;
    const piece = PIECE.exec(body);
    if (piece === null) {
      return `expected amounts and units such as '1 month 2 days', got '${body.slice(from, from + 20)}'`;
    }
    const wrong = addPiece(sum, piece);
    if (wrong !== undefined) return wrong;
  } while (PIECE.lastIndex < body.length);
  return sum.value;
}

/** @type {(nanoseconds: bigint) => string} */
function seconds(nanoseconds) {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = String(size % SECOND).padStart(9, '0').replace(/0+$/, '');
  return `${nanoseconds < 0n ? '-' : ''}${size / SECOND}${fraction && `.${fraction}`} seconds`;
}

/**
 * The text that {@link parseInterval} reads as this interval.
 *
 * @param {Interval} interval
 * @returns {string}
 */
function printInterval({ months, days, nanoseconds }) {
  const parts = [
    ...(months === 0 ? [] : [`${months} months`]),
    ...(days === 0 ? [] : [`${days} days`]),
    ...(nanoseconds === 0n ? [] : [seconds(nanoseconds)]),
  ];
  return parts.length === 0 ? '0 days' : parts.join(' ');
}

const unitNames = [...UNITS.keys()];

module.exports = { LIMITS, intervalOf, parseInterval, printInterval, unitNames };
