/**
 * What is the name of a time zone: those that Intl knows, 'UTC', 'Z', and offsets.
 *
 * Apart from the tables of zones, which take time to make and which whoever only reads names does not need.
 */
'use strict';

const { describe, nearest } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');

/** Of names that are an offset. @type {(name: string) => number | undefined} */
function fixedOffset(name) {
  if (/^(utc|z)$/i.test(name)) return 0;
  const parts = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(name);
  if (parts === null) return undefined;
  const [hours, minutes] = [Number(parts[2]), Number(parts[3] ?? 0)];
  if (hours > 23 || minutes > 59) fail('ERR_ARGUMENT', `time zone '${name}': an offset is less than 24 hours`);
  return (parts[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** @type {(name: string) => never} */
function unknownZone(name) {
  const meant = nearest(name, Intl.supportedValuesOf('timeZone'));
  const hint = meant === undefined ? '' : ` (did you mean '${meant}'?)`;
  return fail('ERR_ARGUMENT', `unknown time zone ${describe(name)}${hint}; expected a name such as 'Europe/Berlin', or '+05:30'`);
}

/** What tells the offsets of a zone, with seconds. @type {(name: string) => Intl.DateTimeFormat} */
function zoneFormat(name) {
  try {
    return new Intl.DateTimeFormat('en', { second: 'numeric', timeZoneName: 'longOffset', timeZone: name });
  } catch {
    return unknownZone(name);
  }
}

/** Throws for a name that is none. @type {(name: string) => void} */
function checkZone(name) {
  if (fixedOffset(name) === undefined) zoneFormat(name);
}

module.exports = { checkZone, fixedOffset, zoneFormat };
