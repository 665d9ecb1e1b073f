// Data types of columns: interned, read from names in several spellings, and where two of them meet.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const types = require('../../lib/columns/types');

const { commonType, decimal128, timestamp, typeFromName, typeOf } = types;

test('types are interned: the same parameters give the same object', () => {
  assert.equal(timestamp('us', 'UTC'), timestamp('us', 'UTC'));
  assert.equal(timestamp('us', null), timestamp('us'));
  assert.notEqual(timestamp('us'), timestamp('us', 'UTC'));
  assert.equal(decimal128(5), decimal128(5, 0));
  for (const type of types.plain) assert.equal(typeOf(type.text), type);
  assert.ok(Object.isFrozen(types.int32));
});

/** What is written, and the text of the type it stands for. @type {[string, string][]} */
const spellings = [
  ['int', 'int32'], ['INTEGER', 'int32'], ['bigint', 'int64'], ['smallint', 'int16'], ['tinyint', 'int8'], ['uint', 'uint32'],
  ['double', 'float64'], ['double  precision', 'float64'], ['real', 'float32'], ['float', 'float64'], ['float(24)', 'float32'], ['float(53)', 'float64'], ['halffloat', 'float16'],
  ['varchar(20)', 'utf8'], ['string', 'utf8'], ['text', 'utf8'], ['large_utf8', 'utf8'], ['varbinary(3)', 'binary'], ['bytea', 'binary'], ['boolean', 'bool'],
  ['date', 'date32'], ['date64', 'date64'], ['datetime', 'timestamp[ms]'], ['timestamp', 'timestamp[ms]'], ['timestamp(6)', 'timestamp[us]'],
  ['timestamp with time zone', 'timestamp[ms, UTC]'], ['timestamp(3) with time zone', 'timestamp[ms, UTC]'], ['timestamptz', 'timestamp[ms, UTC]'], ['timestamp without time zone', 'timestamp[ms]'],
  ['timestamp[us, UTC]', 'timestamp[us, UTC]'], ["timestamp('ns', 'Europe/Berlin')", 'timestamp[ns, Europe/Berlin]'], [' timestamp [ s ] ', 'timestamp[s]'],
  ['time', 'time32[ms]'], ['time(0)', 'time32[s]'], ['time(6)', 'time64[us]'], ['time64[ns]', 'time64[ns]'], ['duration[us]', 'duration[us]'],
  ['interval', 'interval[month_day_nano]'], ['interval[day_time]', 'interval[day_time]'], ['interval[year_month]', 'interval[year_month]'],
  ['decimal(38,2)', 'decimal128(38, 2)'], ['numeric(7)', 'decimal128(7, 0)'], ['numeric', 'decimal128(38, 9)'], ['decimal128(38, 38)', 'decimal128(38, 38)'], ['null', 'null'],
];

test('names are read in the spellings of Arrow and of SQL', () => {
  for (const [written, text] of spellings) assert.equal(typeOf(written).text, text, written);
  assert.equal(typeFromName({ name: 'decimal', args: [10, 2] }), decimal128(10, 2));
  assert.equal(typeOf(types.int8), types.int8);
});

test('a zone that casts name has to be one', () => {
  const zoned = (/** @type {string} */ zone) => typeFromName({ name: 'timestamp', args: ['ms', zone] });
  for (const zone of ['Europe/Berlin', 'UTC', 'z', '+05:30', '-0800', '+01']) assert.equal(zoned(zone).zone, zone);
  assert.throws(() => zoned('Mars/Base'), { code: 'ERR_ARGUMENT', message: /unknown time zone "Mars\/Base"; expected a name such as 'Europe\/Berlin'/ });
  assert.throws(() => zoned('Europe/Berln'), /did you mean 'Europe\/Berlin'/);
  assert.throws(() => zoned('+24'), /an offset is less than 24 hours/);
  // Columns have what their data say.
  assert.equal(typeOf('timestamp[ms, Mars/Base]').zone, 'Mars/Base');
});

test('the text of a type gives the type again', () => {
  for (const [written] of spellings) assert.equal(typeOf(typeOf(written).text), typeOf(written));
});

/** @type {[any, string, RegExp][]} */
const wrong = [
  ['strng', 'ERR_ARGUMENT', /unknown type 'strng' \(did you mean 'string'\?\)/],
  ['int33', 'ERR_ARGUMENT', /did you mean 'int32'/],
  ['constructor', 'ERR_ARGUMENT', /unknown type 'constructor'/],
  ['int(3)', 'ERR_ARGUMENT', /type int takes no arguments, got 1/],
  ['decimal(40)', 'ERR_ARGUMENT', /from 1 to 38 for the precision, got 40/],
  ['decimal(5, 6)', 'ERR_ARGUMENT', /from 0 to the precision 5 for the scale, got 6/],
  ['decimal(a)', 'ERR_ARGUMENT', /expected a number of digits for type decimal, got "a"/],
  ['timestamp[h]', 'ERR_ARGUMENT', /for the unit of timestamp, got "h"/],
  ['time32[us]', 'ERR_ARGUMENT', /expected one of 's', 'ms' for the unit, got "us"/],
  ['interval[weeks]', 'ERR_ARGUMENT', /expected one of 'year_month', 'day_time', 'month_day_nano'/],
  ['a[', 'ERR_PARSE', /expected the name of a type, got "a\["/],
  ['', 'ERR_PARSE', /expected the name of a type/],
  ['a '.repeat(5000), 'ERR_PARSE', /expected the name of a type/],
  [7, 'ERR_ARGUMENT', /expected the name of a type for the type, got 7/],
  [null, 'ERR_ARGUMENT', /got null/],
];

test('wrong names say what was expected', () => {
  for (const [written, code, message] of wrong) {
    assert.throws(() => typeOf(written), (/** @type {any} */ error) => error.code === code && message.test(error.message), String(written).slice(0, 30));
  }
});

/** @type {[string, string, string | undefined][]} */
const meetings = [
  ['int8', 'int32', 'int32'], ['uint8', 'int8', 'int16'], ['uint16', 'int32', 'int32'], ['uint32', 'int32', 'int64'], ['uint64', 'int8', 'float64'], ['uint8', 'uint64', 'uint64'],
  ['int8', 'float16', 'float16'], ['int16', 'float16', 'float32'], ['int16', 'float32', 'float32'], ['int32', 'float32', 'float64'], ['uint8', 'float64', 'float64'], ['float16', 'float32', 'float32'],
  ['decimal(10,2)', 'int64', 'decimal128(21, 2)'], ['decimal(10,2)', 'decimal(12,5)', 'decimal128(13, 5)'], ['decimal(38,30)', 'int64', 'decimal128(38, 19)'], ['decimal(4,2)', 'float32', 'float64'],
  ['date32', 'date64', 'date64'], ['date32', 'timestamp[us, UTC]', 'timestamp[us, UTC]'], ['date64', 'timestamp[s]', 'timestamp[ms]'],
  ['timestamp[s]', 'timestamp[ns]', 'timestamp[ns]'], ['timestamp[s, UTC]', 'timestamp[s]', undefined], ['timestamp[s, Asia/Tokyo]', 'timestamp[ms, UTC]', 'timestamp[ms, UTC]'],
  ['time32[s]', 'time64[us]', 'time64[us]'], ['duration[s]', 'duration[ms]', 'duration[ms]'], ['interval[year_month]', 'interval[day_time]', 'interval[month_day_nano]'],
  ['null', 'utf8', 'utf8'], ['null', 'null', 'null'], ['utf8', 'binary', 'binary'], ['utf8', 'int32', undefined], ['bool', 'int8', undefined], ['time32[s]', 'timestamp[s]', undefined],
];

test('two types meet in a type that holds both, in either order', () => {
  for (const [a, b, text] of meetings) {
    assert.equal(commonType(typeOf(a), typeOf(b))?.text, text, `${a}, ${b}`);
    assert.equal(commonType(typeOf(b), typeOf(a))?.text, text, `${b}, ${a}`);
  }
});

test('types know their storage', () => {
  const facts = (/** @type {string} */ name) => { const { bytes, bits, array, stride, dtype } = typeOf(name); return [bytes, bits, array, stride, dtype]; };
  assert.deepEqual(facts('float16'), [2, 16, Uint16Array, 1, 'u16']);
  assert.deepEqual(facts('int64'), [8, 64, BigInt64Array, 1, 'i64']);
  assert.deepEqual(facts('date32'), [4, 32, Int32Array, 1, 'i32']);
  assert.deepEqual(facts('bool'), [0, 1, Uint8Array, 1, undefined]);
  assert.deepEqual(facts('decimal(3)'), [16, 128, Uint32Array, 4, undefined]);
  assert.deepEqual(facts('interval[day_time]'), [8, 64, Int32Array, 2, undefined]);
});
