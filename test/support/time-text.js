/**
 * Compares what C read of texts of times with what lib/columns/types/time-text.js reads, for
 * test/c/library_time_text_test.c.
 *
 *   node test/support/time-text.js FILE
 *
 * A line of the file is the kind of text, units to the second, the text, the status and the values.
 */
'use strict';

const fs = require('node:fs');
const { parseDate, parseInterval, parseTime, parseTimestamp } = require('../../lib/columns/types/time-text.js');

/** @typedef {import('../../lib/columns/types/time-text.js').TimeUnit} TimeUnit */

/** @type {Record<string, TimeUnit>} */
const units = { 1: 's', 1000: 'ms', 1000000: 'us', 1000000000: 'ns' };
/** Of gjl_status. @type {Record<string, string>} */
const statuses = { ERR_PARSE: '2', ERR_OVERFLOW: '3' };

/** @type {Record<string, (text: string, unit: TimeUnit) => (number | bigint)[]>} */
const readers = {
  date: (text) => [parseDate(text)],
  time: (text, unit) => [parseTime(text, unit)],
  timestamp: (text, unit) => [parseTimestamp(text, unit)],
  interval: (text) => Object.values(parseInterval(text)),
};

/** @type {(kind: string, text: string, unit: TimeUnit) => string} */
function read(kind, text, unit) {
  try {
    return ['0', ...readers[kind](text, unit)].join('\t');
  } catch (error) {
    const status = statuses[/** @type {any} */ (error).code];
    if (status === undefined) throw error;
    return status;
  }
}

const lines = fs.readFileSync(process.argv[2], 'utf8').trimEnd().split('\n');
let wrong = 0;
for (const line of lines) {
  const [kind, scale, text, status, ...values] = line.split('\t');
  const wanted = status === '0' ? [status, ...values].join('\t') : status;
  const given = read(kind, JSON.parse(text), units[scale]);
  if (given !== wanted && wrong++ < 10) console.log(`${kind} ${text} is ${given} here and ${wanted} in C`);
}
console.log(`${lines.length} readings, ${wrong} differ`);
process.exitCode = lines.length > 1 && wrong === 0 ? 0 : 1;
