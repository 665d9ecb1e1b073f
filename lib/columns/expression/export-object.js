/**
 * Filters and projections as objects for C, and headers of these.
 *
 * The object has the kernel as it is, SYMBOL_kernel: of slots and addresses (kernel/layout.js). The header has a
 * function over it that takes a pointer for each buffer of one chunk, and fills in the slots. It takes C11 or C++11 and
 * no library.
 */
'use strict';

const { native } = require('../../base/binding.js');
const { readOptions } = require('../../base/check.js');
const { C_TYPES } = require('../../base/code-text.js');
const { fail } = require('../../base/errors.js');
const { compileObject, objectOptions, textOption } = require('../../graph/object-file.js');
const { textTable } = require('../analyse/names.js');
const { BLOCK, CHUNK, SLOT, STATUS } = require('../kernel/layout.js');
const { fieldsOf } = require('../web/schema.js');
const { OPTIONS, kindOf, onlyOne } = require('./export.js');
const { preparePredicate, prepareProjection } = require('../run/prepare.js');

/** @typedef {import('./export.js').Query} Query */
/** @typedef {import('../run/prepare.js').Prepared} Prepared */
/** @typedef {import('../kernel/dag.js').Buffer} Buffer */
/** A parameter of the function in the header. @typedef {{ type: string, name: string, note: string }} Param */

const MORE = { kind: OPTIONS.kind, parameters: OPTIONS.parameters };
const HEADER = { ...MORE, symbol: textOption };

/** Bytes of vectors: more on x86, whose vectors of 16 bytes are mostly halves. @type {(target: string) => number} */
const vectorBytesOf = (target) => (/^(x86_64|amd64|x64)/.test(target || process.arch) ? 32 : 16);

/** @type {(caller: string, query: Query, schema: unknown, options: { kind?: any, parameters?: any, target?: string }) => { prepared: Prepared, parameters: ReadonlyMap<string, any> }} */
function preparedFor(caller, query, schema, { kind: wanted, parameters = new Map(), target = '' }) {
  const fields = fieldsOf(schema, caller);
  const { policies, functions } = query;
  const prepare = { policies, functions, parameters, vectorBytes: vectorBytesOf(target), lift: false, exported: true };
  /** @type {import('./export.js').Kind} */
  const kind = wanted ?? kindOf(query, fields, prepare);
  if (kind === 'aggregate') return fail('ERR_UNSUPPORTED', `${caller}: aggregates are not exported as objects`);
  const prepared = kind === 'filter'
    ? preparePredicate(onlyOne(query, caller), fields, prepare)
    : prepareProjection(query.named, fields, prepare);
  return { parameters, prepared };
}

/** @type {(symbol: string, lines: string) => { symbol: string, opening: string, names: string }} */
const wordsOf = (symbol, lines) => native.objectWords('columns', symbol, lines);

/**
 * @param {Query} query
 * @param {unknown} schema
 * @param {unknown} options
 * @returns {Uint8Array | string}
 */
function toObject(query, schema, options) {
  const given = objectOptions('toObject', options, { numerics: query.numerics }, MORE);
  const { prepared } = preparedFor('toObject', query, schema, given);
  const name = `${wordsOf(given.symbol, '').symbol}_kernel`;
  return compileObject(given, (target, cpu, features, numerics, optLevel, what) =>
    native.objectFunction(prepared.text, target, cpu, features, name, numerics, optLevel, what, true),
  );
}

// --- the header ---

/** Of parameters of expressions. @type {Record<string, string>} */
const SCALARS = { float64: 'double', int64: 'int64_t', bool: 'bool', timestamp: 'int64_t' };

/** @type {Record<string, string>} */
const SUFFIXES = { values: '', bits: '', validity: '_validity', offsets: '_offsets' };

/** What a buffer holds, for people. @type {(buffer: Buffer) => string} */
function noteOf({ part, bytes, role, column }) {
  if (part === 'bits') return 'a bit per row, in words of 64';
  if (part === 'validity') return 'a bit per row: whether it has a value';
  if (part === 'offsets') return 'where texts begin, and the end';
  if (/@\??$/u.test(column)) return 'of the dictionary';
  if (bytes === 16) return '16 bytes per row';
  return bytes < 2 && role === 'out' ? 'room bytes' : '';
}

/** @type {(buffer: Buffer) => Param} */
function paramOf(buffer) {
  const { role, column, part, dtype } = buffer;
  const name = `${column.replace(/@/g, '_dictionary')}${SUFFIXES[part]}`;
  return { type: `${role === 'in' ? 'const ' : ''}${C_TYPES[dtype]} *`, name: name.replace(/\W/gu, '_') || 'column', note: noteOf(buffer) };
}

/** @type {(text: string) => string} where nothing may end or hide the comment */
const comment = (text) => text.replace(/[^ -~]|[\\?]/gu, '_');

/** @type {(param: Param) => string} */
const declared = ({ type, name }) => (type.endsWith('*') ? `${type}${name}` : `${type} ${name}`);

/** What the chunk writes did not fit; behind what kernels return. */
const NO_ROOM = 1 + Math.max(...Object.values(STATUS));

/** @type {(prepared: Prepared) => string[]} */
const statusLines = ({ sites, needsArena, unit }) => [
  'Returns 0, or',
  '   1  cancelled',
  ...(sites.length > 0 ? [`  ${STATUS.failed}  row failed[1] failed; failed[0] says how:`] : []),
  ...sites.map(({ what }, i) => `        ${i}  ${what}`),
  ...(needsArena ? [`  ${STATUS.arena}  the arena is too small for 64 rows`, `  ${STATUS.long}  a text gets longer than 2 GiB`] : []),
  ...(unit === 'chunk' ? [`  ${NO_ROOM}  texts have more than room bytes`] : []),
];

/** @type {(prepared: Prepared, parameters: ReadonlyMap<string, any>, symbol: string) => { params: Param[], scalars: (Param & { slot: number })[], pointers: Param[] }} */
function paramsOf({ buffers, needsArena, unit }, parameters, symbol) {
  const own = buffers.filter(({ shared }) => !shared);
  const shared = buffers.filter((buffer) => buffer.shared);
  const given = [...parameters].map(([name, { id }], i) => {
    const word = name.replace(/\W/gu, '_') || 'parameter';
    return { name: word, id, slot: SLOT.parameters + 2 * i };
  });
  const words = given.filter(({ id }) => id in SCALARS);
  const scalars = words.map(({ name, id, slot }) => ({ type: SCALARS[id], name, note: '', slot }));
  const texts = new Map(given.map(({ name }, i) => [textTable(i), name]));
  const pointers = [...own, ...shared].map((buffer) => {
    const { column } = buffer;
    return paramOf({ ...buffer, column: texts.get(column) ?? column });
  });
  const rows = { type: 'int64_t', name: 'rows', note: '' };
  const room = unit === 'chunk' ? [{ type: 'int64_t', name: 'room', note: 'bytes for the texts that are written, below 2 GiB' }] : [];
  const arena = needsArena
    ? [{ type: 'void *', name: 'arena', note: 'memory to work in, for each thread' }, { type: 'int64_t', name: 'arena_bytes', note: 'of a thread' }]
    : [];
  const failed = { type: 'int64_t *', name: 'failed', note: 'two: see below' };
  const exec = { type: 'gj_exec *', name: 'exec', note: 'NULL: one thread' };
  const fixed = [rows, ...room, ...arena, failed, exec];
  const taken = [`${symbol}_kernel`, 'gj_slots', 'gj_addresses', 'gj_status', 'gj_units', 'gj_bits', ...fixed.map(({ name }) => name)];
  const named = [...scalars, ...pointers];
  const names = wordsOf(symbol, [...taken, ...named.map(({ name }) => name)].join('\n')).names.split('\n').slice(taken.length);
  named.forEach((param, i) => (param.name = names[i]));
  return { scalars, pointers, params: [rows, ...scalars, ...pointers, ...room, ...arena, failed, exec] };
}

/** How a parameter of the expression becomes a word. @type {(param: Param & { slot: number }) => string} */
function scalarLines({ type, name, slot }) {
  if (type !== 'double') return `  gj_slots[${slot}] = ${name};\n`;
  return `  { union { double number; int64_t bits; } gj_bits; gj_bits.number = ${name}; gj_slots[${slot}] = gj_bits.bits; }\n`;
}

/** @type {(prepared: Prepared, face: ReturnType<typeof paramsOf>, symbol: string) => string} */
function wrapperText({ unit, needsArena, buffers, parameters }, { params, scalars, pointers }, symbol) {
  const chunk = SLOT.parameters + 2 * parameters.length;
  const address = (/** @type {string} */ name) => `(int64_t)(uintptr_t)${name}`;
  const addresses = [...pointers.map(({ name }) => address(name)), ...(needsArena ? [address('arena')] : [])];
  const isText = unit === 'chunk';
  const own = buffers.filter(({ shared }) => !shared);
  const ends = own.flatMap(({ role, part }, i) => (role === 'out' && part === 'offsets' ? [`    ${pointers[i].name}[0] = 0;\n`] : []));
  const lines = [
    `  int64_t gj_slots[${chunk + 2 * CHUNK.words}] = {0};\n`,
    `  const int64_t gj_addresses[] = {${[...addresses, '0'].join(', ')}};\n`,
    `  int64_t gj_units = ${isText ? '1' : `(rows + ${BLOCK - 1}) / ${BLOCK}`};\n`,
    '  int32_t gj_status;\n',
    ends.length > 0 ? `  if (rows == 0) {\n${ends.join('')}  }\n` : '',
    '  if (rows <= 0)\n    return 0;\n',
    needsArena ? `  gj_slots[${SLOT.scratch}] = arena_bytes;\n` : '',
    `  gj_slots[${SLOT.chunkCount}] = 1;\n  gj_slots[${SLOT.units}] = gj_units;\n`,
    ...scalars.map(scalarLines),
    `  gj_slots[${chunk + CHUNK.rows}] = rows;\n`,
    isText ? `  gj_slots[${chunk + CHUNK.room}] = room;\n` : '',
    `  gj_slots[${chunk + CHUNK.words + CHUNK.unit}] = gj_units;\n`,
    `  gj_status = ${symbol}_kernel(gj_slots, gj_addresses, exec);\n`,
    `  failed[0] = gj_slots[${SLOT.site}];\n  failed[1] = gj_slots[${SLOT.row}];\n`,
    isText ? `  if (gj_status == 0 && gj_slots[${chunk + CHUNK.state}] < 0)\n    return ${NO_ROOM};\n` : '',
    '  return gj_status;\n',
  ];
  return `static inline int32_t ${symbol}(${params.map(declared).join(', ')}) {\n${lines.join('')}}\n\n`;
}

/**
 * @param {Query} query
 * @param {unknown} schema
 * @param {unknown} options
 * @returns {string}
 */
function toHeader(query, schema, options) {
  const { symbol: wanted = '', ...given } = readOptions('toHeader', options, HEADER);
  const { prepared, parameters } = preparedFor('toHeader', query, schema, given);
  const { symbol, opening } = wordsOf(wanted, '');
  const face = paramsOf(prepared, parameters, symbol);
  const about = [
    `${symbol}: made by graphjit ${native.version} of an expression over columns.`,
    '',
    ...prepared.source.split('\n').map((line) => `  ${line}`),
    '',
    `Buffers are those of Arrow, aligned to 8 bytes. Those that are written have room for a multiple of ${BLOCK} rows.`,
    ...face.params.filter(({ note }) => note !== '').map(({ name, note }) => `  ${name}: ${note}`),
  ];
  const commented = (/** @type {string[]} */ lines) => lines.map((line) => `// ${comment(line)}`.trimEnd()).join('\n');
  return [
    `${commented(about)}\n`,
    opening,
    '// What the object has. Slots and addresses are what the function below makes of them.\n',
    `int32_t ${symbol}_kernel(int64_t *slots, const int64_t *addresses, gj_exec *exec);\n\n`,
    `${commented(statusLines(prepared))}\n`,
    wrapperText(prepared, face, symbol),
    '#ifdef __cplusplus\n}\n#endif\n\n#endif\n',
  ].join('');
}

module.exports = { toHeader, toObject };
