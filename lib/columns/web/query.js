/**
 * What a page has of a module of an expression: a function of tables.
 *
 * The driver is that of Node (run/driver.js), and so is what results are made with. `info` is what the compiler says of
 * the kernel in the module (run/export.js).
 */
'use strict';

const { expected, isOptions, readOptions } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { Partition, onlyGroup } = require('../aggregate/partition.js');
const { columnFor, keptOf, outputsFor, rowsOf, wholeOf } = require('../aggregate/results.js');
const { useArrow } = require('../data/arrow-module.js');
const { emptyBitmap } = require('../data/bitmaps.js');
const { Column } = require('../data/column.js');
const { concatColumns, runsOf, sliceColumn, takeColumn } = require('../data/parts.js');
const { Driver, piecesOf } = require('../run/driver.js');
const { parameterTypes, parameterWords } = require('../run/parameters.js');
const { handOver, resultsOf } = require('../run/results.js');
const { enterDictionaries } = require('../run/shared-arrays.js');
const types = require('../types/index.js');
const { Room, call } = require('./calls.js');
const { columnsFor, fitting } = require('./table.js');

/** A module and what it is described as. @typedef {{ info: any, exports: any, space: import('./calls.js').Space }} Instance */
/** `after`: what computes with results of aggregates. @typedef {{ exports: any, space: import('./calls.js').Space, hasArrow: boolean, after: { info: any, engine: Engine } | null }} Engine */
/** What a call is given; `texts`: arrays of parameters. @typedef {{ chunks: { rows: number, columns: Map<string, Column> }[], table: any, words: bigint[], texts: [string, any][] }} Given */

const REASONS = /** @type {Record<number, string>} */ ({ 1: 'cancelled', 2: 'out of memory' });

/** Rows that are copied and computed at once, so that what is copied still is in the caches. */
const AT_ONCE = 65536;

/** Whether rows of chunks are copied: columns of texts are as a whole, and what lies in the memory is not. @type {(engine: Engine, info: any, chunks: Given['chunks']) => boolean} */
const isCut = ({ exports: { memory } }, { buffers }, chunks) =>
  buffers.every((/** @type {any} */ { role, shared, part }) => role === 'out' || (!shared && part !== 'offsets')) &&
  !chunks.some(({ columns }) => [...columns.values()].some(({ values }) => values.buffer === memory.buffer));

/** @type {(chunks: Given['chunks']) => (Given['chunks'][0] & { start: number })[]} chunks that are not larger than that */
function cut(chunks) {
  let start = 0;
  return chunks.flatMap(({ rows, columns }) => {
    const own = Array.from({ length: Math.ceil(rows / AT_ONCE) }, (_, i) => {
      const [from, to] = [i * AT_ONCE, Math.min((i + 1) * AT_ONCE, rows)];
      const slices = [...columns].map(([name, column]) => /** @type {[string, Column]} */ ([name, sliceColumn(column, from, to)]));
      return { rows: to - from, start: start + from, columns: new Map(slices) };
    });
    start += rows;
    return own;
  });
}

/** @type {(engine: Engine, info: any, given: Given, more?: { tables?: Map<string, any>, partitions?: Partition[] }) => Map<string, any[]>} */
function run({ exports, space }, info, { chunks, words, texts }, { tables = new Map(), partitions } = {}) {
  const arrays = new Map([...tables, ...texts]);
  if (chunks.length > 0) {
    enterDictionaries(arrays, info.buffers, (name) => /** @type {Column} */ (chunks[0].columns.get(name)?.dictionary));
  }
  const calls = new Driver(info, { chunks, tables: arrays, words, partitions }, 1).calls();
  let step = calls.next();
  while (!step.done) {
    const status = call(exports, space, step.value.slots, step.value.given);
    if (status !== 0 && status < 16) fail('ERR_INTERNAL', `the module ended: ${REASONS[status] ?? `status ${status}`}`);
    step = calls.next(status);
  }
  return step.value;
}

/** @type {(info: any, data: any, parameters: any) => Given} */
function givenOf({ fields, parameters: wanted }, data, parameters) {
  const have = parameterTypes(parameters);
  for (const { name, type } of wanted) {
    const own = have.get(name);
    if (own?.text !== type) {
      fail('ERR_ARGUMENT', `parameter '${name}': expected a value of ${type}, got ${own === undefined ? 'none' : `one of ${own.text}`}`);
    }
  }
  const odd = [...have.keys()].find((name) => !wanted.some((/** @type {any} */ each) => each.name === name));
  if (odd !== undefined) fail('ERR_ARGUMENT', `the module has no parameter '${odd}'`);
  const own = parameterWords(wanted.map((/** @type {any} */ { name }) => name), parameters);
  return { ...columnsFor(fields, data), ...own };
}

// --- filters ---

/** Elements behind the last row that may be written. */
const SLACK = 64;

/** The numbers of rows for which it is true, piece by piece, each as a view that the next one destroys. @type {(engine: Engine, info: any, given: Given, take: (numbers: Uint32Array) => void) => void} */
function select(engine, info, { chunks, ...given }, take) {
  const parts = isCut(engine, info, chunks) ? cut(chunks).map((chunk) => [chunk]) : [chunks];
  for (const part of parts) {
    const room = new Room(4 * (part.reduce((sum, { rows }) => sum + rows, 0) + SLACK));
    const found = new BigInt64Array(1);
    const tables = new Map(Object.entries({ 'rows values': room, 'found values': found }));
    run(engine, info, { ...given, chunks: part }, { tables });
    take(new Uint32Array(engine.exports.memory.buffer, room.at, Number(found[0])));
  }
}

/** @type {(engine: Engine, info: any, given: Given) => Uint32Array} */
function rowNumbers(engine, info, given) {
  /** @type {Uint32Array[]} */
  const parts = [];
  select(engine, info, given, (numbers) => void parts.push(numbers.slice()));
  if (parts.length === 1) return parts[0];
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** @type {(engine: Engine, info: any, given: Given) => number} */
function countOf(engine, info, given) {
  let count = 0;
  select(engine, info, given, ({ length }) => void (count += length));
  return count;
}

/** A truth per row. @type {(engine: Engine, info: any, given: Given) => any} */
function maskOf(engine, info, given) {
  const rows = given.chunks.reduce((sum, chunk) => sum + chunk.rows, 0);
  const bits = emptyBitmap(rows);
  select(engine, info, given, (numbers) => {
    for (const row of numbers) bits[row >>> 3] |= 1 << (row & 7);
  });
  const column = new Column(types.bool, rows, { values: bits.subarray(0, Math.ceil(rows / 8)) });
  return handOver([{ name: 'mask', type: types.bool, parts: [column] }], likeOf(engine, given.table), true);
}

// --- aggregates ---

/** @type {(engine: Engine, info: any, given: Given) => any} */
function aggregates(engine, info, given) {
  const { table, chunks } = given;
  const { record, results, keys, single, folds, buffers } = info;
  const tables = outputsFor(buffers, chunks, record !== null);
  const partitions = record === null ? undefined : [new Partition(record.words)];
  run(engine, info, given, { tables, partitions });
  const found = partitions === undefined ? wholeOf(tables, folds, piecesOf(chunks)) : keptOf(partitions, record.words);
  const isNothing = found.size === 0 && keys.length === 0;
  const kept = isNothing ? keptOf([onlyGroup(record)], record.words) : found;
  const columnIn = (/** @type {string} */ name) => chunks.map(({ columns }) => /** @type {Column} */ (columns.get(name)));
  /** @type {import('../aggregate/results.js').Sources} */
  const sources = {
    valuesAt: ({ name }, rows) => atOnce(rowsOf(columnIn(name), rows)),
    links: ({ fields: [word] }) => tables.get(`links ${word} values`),
    numbers: ({ name }) => concatColumns(columnIn(name)).values,
    distinct: () => fail('ERR_UNSUPPORTED', 'different values are not counted in pages'),
  };
  // Nothing here takes another run, so each is there at once.
  const made = results.map((/** @type {any} */ each) =>
    columnFor(kept, { ...each, result: types.typeOf(each.result) }, sources).next().value,
  );
  const firsts = keys.length === 0 ? new Uint32Array(0) : kept.rows();
  const runs = runsOf(chunks, firsts);
  /** @type {Map<string, Column>} */
  const columns = new Map([
    ...keys.map((/** @type {any} */ { name, column }) => [name, takeColumn(columnIn(column), firsts, runs)]),
    ...results.map((/** @type {any} */ { call: { name } }, /** @type {number} */ i) => [name, made[i]]),
  ]);
  const open = computed(engine, columns, kept.size, given);
  const finals = info.finals.map((/** @type {any} */ { name, from }) => {
    const column = /** @type {Column} */ (from === null ? open.get(name) : columns.get(from));
    return { name, type: column.type, parts: [column] };
  });
  if (keys.length === 0) {
    const entries = finals.map((/** @type {any} */ { name, parts: [column] }) => [name, column.get(0)]);
    return single ? entries[0][1] : Object.fromEntries(entries);
  }
  const by = keys.map((/** @type {any} */ { name }) => {
    const column = /** @type {Column} */ (columns.get(name));
    return { name, type: column.type, parts: [column] };
  });
  return handOver([...by, ...finals], likeOf(engine, table), false);
}

/** What is computed of results of aggregates. @type {(engine: Engine, columns: ReadonlyMap<string, Column>, rows: number, given: Given) => Map<string, Column>} */
function computed({ after }, columns, rows, given) {
  if (after === null) return new Map();
  const { info, engine } = after;
  const own = info.fields.map((/** @type {any} */ field) =>
    [field.name, fitting(/** @type {Column} */ (columns.get(field.name)), field)]);
  const written = run(engine, info, { ...given, chunks: [{ rows, columns: new Map(own) }] });
  return new Map(resultsOf(outputsOf(info), written).map(({ name, parts }) => [name, concatColumns(parts)]));
}

/** @type {(info: any) => any[]} */
const outputsOf = ({ outputs }) =>
  outputs.map((/** @type {any} */ { name, type }) => ({ name, type: types.typeOf(type) }));

/**
 * What takes no run.
 *
 * @template T
 * @param {T} value
 * @returns {Generator<any, T, any>}
 */
// eslint-disable-next-line require-yield -- others ask for runs
function* atOnce(value) {
  return value;
}

/** As what results are made: apache-arrow's where there is one. @type {(engine: Engine, table: any) => any} */
const likeOf = ({ hasArrow }, { origin }) => ({ origin: hasArrow ? origin : 'arrays' });

/** By kind, what a call gives. @type {Record<string, (engine: Engine, info: any, given: Given) => any>} */
const KINDS = {
  filter: rowNumbers,
  project(engine, info, given) {
    const results = resultsOf(outputsOf(info), run(engine, info, given));
    return handOver(results, likeOf(engine, given.table), info.single);
  },
  aggregate: aggregates,
};

/** What only filters have. @type {Record<string, (engine: Engine, info: any, given: Given) => any>} */
const OF_FILTERS = { count: countOf, mask: maskOf };

/** @type {import('../../base/check.js').Getter<Record<string, unknown>>} */
const parametersOption = (value, which, caller) =>
  isOptions(value) ? value : expected(caller, 'an object of values by name', which, value);

const MOST_MEMORY = 2 ** 32 - 65536;

/** @type {import('../../base/check.js').Getter<number>} */
const memoryOption = (value, which, caller) => {
  const good = Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MOST_MEMORY;
  return good ? Number(value) : expected(caller, 'a number of bytes below 4 GiB', which, value);
};

/**
 * @param {Instance} instance
 * @param {Instance | null} next what computes with results
 * @param {any} options of load
 * @returns {any}
 */
function queryOf({ info, exports, space }, next, options) {
  const { arrow, memory = 0 } = readOptions('load', options, { arrow: (module) => module, memory: memoryOption });
  if (arrow !== undefined) useArrow(arrow);
  space.reserve(memory);
  const hasArrow = arrow !== undefined;
  const after = next && { info: next.info, engine: { ...next, hasArrow, after: null } };
  const engine = { exports, space, hasArrow, after };
  const callOf = (/** @type {string} */ name, /** @type {any} */ of) => (/** @type {any} */ data, /** @type {any} */ given) => {
    const { parameters } = readOptions(name, given, { parameters: parametersOption });
    return of(engine, info, givenOf(info, data, parameters));
  };
  const { kind, source, fields, outputs, parameters } = info;
  const more = kind === 'filter' ? Object.entries(OF_FILTERS).map(([name, of]) => [name, callOf(name, of)]) : [];
  const query = Object.defineProperty(callOf(kind, KINDS[kind]), 'name', { value: kind });
  return Object.assign(query, {
    ...Object.fromEntries(more),
    kind, source, fields, outputs, parameters, memory: exports.memory,
    allocate: (/** @type {number} */ bytes) => space.allocate('u8', bytes),
  });
}

module.exports = { queryOf };
