/**
 * Tables of time zones against what Intl says of instants and of local times.
 */
'use strict';

const { test } = require('node:test');
const assert = require('node:assert/strict');
const { zoneLocalOffset, zoneOffset, zoneTable } = require('../../lib/columns/types/zones.js');

const names = [
  'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'America/Recife',
  'Africa/Casablanca', 'Asia/Gaza', 'Europe/Dublin', 'Antarctica/Troll',
];

let state = 42;
/** Below `limit`. @type {(limit: number) => number} */
function random(limit) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

/** Local time less UTC, by the fields of the local time. @param {string} name */
function offsetByFields(name) {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: name, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
  });
  return (/** @type {number} */ seconds) => {
    const parts = Object.fromEntries(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) / 1000 - seconds;
  };
}

const years = (/** @type {number} */ first, /** @type {number} */ last) => {
  const [from, to] = [first, last].map((year) => Date.UTC(year, 0, 1) / 1000);
  return () => from + random(to - from);
};

for (const name of names) {
  test(`${name}: offsets are those of Intl`, () => {
    const table = zoneTable(name);
    const offsetAt = offsetByFields(name);
    /** @type {number[]} */
    const instants = [];
    for (const pick of [years(1800, 1970), years(1900, 2040), years(2040, 2129), years(2129, 2600), years(2600, 9999)])
      for (let i = 0; i < 60; i++) instants.push(pick());
    for (const start of Array.from(table.starts).slice(1).filter((_, row) => row % 7 === 0 || row < 20))
      instants.push(Number(start) - 1, Number(start));
    for (const instant of instants)
      assert.equal(zoneOffset(table, BigInt(instant)), offsetAt(instant), new Date(instant * 1000).toISOString());
  });
}

test('local times are instants of that local time, the earlier one of two, and later by the gap where there is none', () => {
  const table = zoneTable('Europe/Berlin');
  const utc = (/** @type {string} */ local) => {
    const seconds = Date.parse(`${local}Z`) / 1000;
    return new Date((seconds - zoneLocalOffset(table, BigInt(seconds))) * 1000).toISOString().slice(0, 19);
  };
  assert.equal(utc('2024-07-01T12:00:00'), '2024-07-01T10:00:00');
  assert.equal(utc('2024-03-31T01:59:59'), '2024-03-31T00:59:59');
  assert.equal(utc('2024-03-31T02:30:00'), '2024-03-31T01:30:00');
  assert.equal(utc('2024-03-31T03:00:00'), '2024-03-31T01:00:00');
  assert.equal(utc('2024-10-27T02:30:00'), '2024-10-27T00:30:00');
  assert.equal(utc('2024-10-27T03:00:00'), '2024-10-27T02:00:00');
  assert.equal(utc('3024-07-01T12:00:00'), '3024-07-01T10:00:00');
  for (const name of names) {
    const { offsets, starts, ...rest } = zoneTable(name);
    for (let i = 0; i < 200; i++) {
      const t = i % 2 ? BigInt(years(1800, 2300)()) : starts[1 + random(starts.length - 1)] + BigInt(random(20000) - 10000);
      const local = t + BigInt(zoneOffset({ ...rest, offsets, starts }, t));
      const back = local - BigInt(zoneLocalOffset({ ...rest, offsets, starts }, local));
      assert.ok(back <= t);
      assert.equal(back + BigInt(zoneOffset({ ...rest, offsets, starts }, back)), local);
    }
  }
});

test('a table is starts and then offsets in one piece of memory, and kept', () => {
  const table = zoneTable('America/New_York');
  assert.equal(zoneTable('America/New_York'), table);
  assert.equal(table.bytes.length, 12 * table.count);
  assert.equal(table.bytes.byteOffset % 8, 0);
  const view = new DataView(table.bytes.buffer);
  assert.equal(view.getBigInt64(0, true), -(2n ** 63n));
  assert.equal(view.getBigInt64(8, true), table.starts[1]);
  assert.equal(view.getInt32(8 * table.count + 4, true), table.offsets[1]);
  assert.ok(table.starts.every((start, row) => row === 0 || start > table.starts[row - 1]));
});

test('offsets are zones too', () => {
  /** @type {[string, number][]} */
  const cases = [['UTC', 0], ['z', 0], ['+05:30', 19800], ['-0800', -28800], ['+01', 3600], ['-23:59', -86340]];
  for (const [name, offset] of cases) {
    const table = zoneTable(name);
    assert.equal(table.count, 1);
    for (const seconds of [-(2n ** 63n), 0n, 2n ** 63n - 1n]) {
      assert.equal(zoneOffset(table, seconds), offset);
      assert.equal(zoneLocalOffset(table, seconds), offset);
    }
  }
  assert.equal(zoneTable('Etc/GMT+5').count, 1);
});

test('instants beyond what Intl takes have an offset', () => {
  const table = zoneTable('Europe/Berlin');
  assert.equal(zoneOffset(table, -(2n ** 63n)), 3208);
  assert.ok([3600, 7200].includes(zoneOffset(table, 2n ** 63n - 1n)));
});

test('names that are no zone are refused with a suggestion', () => {
  assert.throws(() => zoneTable('Europe/Berln'), {
    code: 'ERR_ARGUMENT',
    message: "unknown time zone \"Europe/Berln\" (did you mean 'Europe/Berlin'?); expected a name such as 'Europe/Berlin', or '+05:30'",
  });
  for (const name of ['', 'Nowhere', '+24:00', '+5', '+05:60', '05:30', 'UTC+1', '\u0000'])
    assert.throws(() => zoneTable(name), { code: 'ERR_ARGUMENT' });
});
