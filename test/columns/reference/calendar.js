/**
 * The calendar: days and months of moments, by JavaScript's own Date; zones by Intl.
 *
 * A moment here is the milliseconds since 1970 as a bigint, or nanoseconds where units matter. Date ends in the year
 * 275760, and so does this.
 */
'use strict';

const { NANOS } = require('./types.js');
const { floored } = require('./numbers.js');
const { invalid, overflow } = require('./faults.js');

const DAY = 86400000n;

/** Years below 100 are years, not 19xx. @type {(year: number, month: number, day?: number) => bigint} months from 0, which may be any */
function momentOf(year, month, day = 1) {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  const ms = date.getTime();
  return Number.isNaN(ms) ? overflow(`the year ${year + Math.floor(month / 12)}`) : BigInt(ms);
}

/** @type {(ms: bigint) => { year: number, month: number, day: number, weekday: number, rest: bigint }} month from 0, Sunday 0 */
function fieldsOf(ms) {
  const rest = ms - floored(ms, DAY) * DAY;
  const date = new Date(Number(ms - rest));
  if (Number.isNaN(date.getTime())) return overflow(`${ms} milliseconds since 1970`);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate(), weekday: date.getUTCDay(), rest };
}

/** @type {(year: number, month: number) => number} */
const daysInMonth = (year, month) => fieldsOf(momentOf(year, month + 1, 0)).day;

/** The same day so many months later, or the last one of the month if it is shorter. @type {(ms: bigint, months: number) => bigint} */
function addMonths(ms, months) {
  const { year, month, day, rest } = fieldsOf(ms);
  const last = fieldsOf(momentOf(year, month + months + 1, 0)).day;
  return momentOf(year, month + months, Math.min(day, last)) + rest;
}

/** A moment of a type in milliseconds, and what is left of them in the unit. @type {(value: bigint, unit: string) => { ms: bigint, rest: bigint }} */
function toMillis(value, unit) {
  const nanos = value * NANOS[unit];
  const ms = floored(nanos, NANOS.ms);
  return { ms, rest: nanos - ms * NANOS.ms };
}

/** @type {(ms: bigint, rest: bigint, unit: string) => bigint} */
const fromMillis = (ms, rest, unit) => floored(ms * NANOS.ms + rest, NANOS[unit]);

/** Months first, then days, then what is shorter. @type {(value: bigint, interval: any, sign: bigint, from: any, to: any) => bigint} */
function addInterval(value, { months, days, nanoseconds }, sign, from, to) {
  const { ms, rest } = toMillis(value, from.unit);
  const moved = addMonths(ms, Number(sign) * months) + sign * BigInt(days) * DAY;
  return fromMillis(moved, rest + sign * nanoseconds, to.unit);
}

/** Milliseconds that a zone is ahead of UTC at a moment. @type {(zone: string, ms: bigint) => bigint} */
function offsetOf(zone, ms) {
  const fixed = /^([+-])(\d\d):?(\d\d)$/u.exec(zone);
  if (fixed) return (fixed[1] === '-' ? -1n : 1n) * BigInt(Number(fixed[2]) * 60 + Number(fixed[3])) * 60000n;
  const parts = formatOf(zone).formatToParts(new Date(Number(ms)));
  const part = (/** @type {string} */ type) => Number(parts.find((each) => each.type === type)?.value);
  const year = parts.some(({ type, value }) => type === 'era' && value.startsWith('B')) ? 1 - part('year') : part('year');
  const local = momentOf(year, part('month') - 1, part('day')) +
    BigInt(((part('hour') % 24) * 60 + part('minute')) * 60 + part('second')) * 1000n;
  return local - floored(ms, 1000n) * 1000n;
}

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @type {(zone: string) => Intl.DateTimeFormat} */
function formatOf(zone) {
  const found = formats.get(zone);
  if (found) return found;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone, era: 'short', hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric',
      minute: 'numeric', second: 'numeric',
    });
    formats.set(zone, format);
    return format;
  } catch {
    return invalid(`no zone ${zone}`);
  }
}

/** The moment of what clocks show in a zone; twice shown, the earlier one. @type {(local: bigint, zone: string) => bigint} */
function momentInZone(local, zone) {
  const candidates = [offsetOf(zone, local - DAY), offsetOf(zone, local + DAY)].map((offset) => local - offset);
  const real = candidates.filter((ms) => ms + offsetOf(zone, ms) === local);
  return real.length > 0 ? real.reduce((a, b) => (a < b ? a : b)) : candidates[0];
}

module.exports = { DAY, addInterval, addMonths, daysInMonth, fieldsOf, fromMillis, momentInZone, momentOf, offsetOf, toMillis };
