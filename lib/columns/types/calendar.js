/**
 * Days and dates of the proleptic Gregorian calendar with a year 0, as src/library/dates/dates.h counts them.
 *
 * Numbers are exact to years of 12 digits, which are all that texts may have and more than any timestamp reaches.
 */
'use strict';

/** Of 400 years. */
const ERA_DAYS = 146097;

/** @type {(year: number) => boolean} */
const isLeap = (year) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** @type {(year: number, month: number) => number} */
const monthDays = (year, month) =>
  month === 2 ? (isLeap(year) ? 29 : 28) : 30 + ((month + (month >> 3)) & 1);

/** Days from 1970-01-01. @type {(year: number, month: number, day: number) => number} */
function daysOf(year, month, day) {
  // Years that start in March end with the day that some lack.
  const y = month <= 2 ? year - 1 : year;
  const m = month <= 2 ? month + 12 : month;
  const era = Math.floor(y / 400);
  const ofEra = y - era * 400;
  const days = ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + Math.floor((979 * m - 2919) / 32);
  return era * ERA_DAYS + days + day - 1 - 719468;
}

/** The year that a day is in. @type {(days: number) => number} */
function yearOf(days) {
  const year = 1970 + Math.floor(days / 365.2425);
  if (daysOf(year, 1, 1) > days) return year - 1;
  return daysOf(year + 1, 1, 1) > days ? year : year + 1;
}

/** @type {(a: bigint, b: bigint) => bigint} */
const floorDiv = (a, b) => a / b - (a % b < 0n ? 1n : 0n);

module.exports = { daysOf, floorDiv, isLeap, monthDays, yearOf };
