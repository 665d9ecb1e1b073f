/**
 * What a kernel over columns computes, as a graph without nulls.
 *
 * The analyser has made validities nodes of their own by then (analyse/), so a node here is an operation on values that
 * always are there. A value has a representation: a dtype of Loop IR, `bool`, `view` (address and length of a string),
 * or `i128` (the address of 16 bytes). Equal nodes are one node. Each node belongs to a class, which says in what kind
 * of loop over the 64 rows of a block it is computed (stages.js):
 *
 *   leaf   constants, parameters, what columns hold: there in every loop
 *   lanes  several rows at a time in vectors
 *   word   64 rows at a time, a boolean being a bit of a u64
 *   row    one row at a time: calls of library functions, and what deals with strings
 *
 * What is not here: types of users, names, nulls.
 */
'use strict';

/** @typedef {'f64' | 'f32' | 'f16' | 'i64' | 'i32' | 'i16' | 'i8' | 'u64' | 'u32' | 'u16' | 'u8'} NumberRep */
/** @typedef {NumberRep | 'bool' | 'view' | 'i128'} Rep */
/** @typedef {'leaf' | 'lanes' | 'word' | 'row'} Class */

/**
 * `buffers`: numbers of the buffers that a leaf reads. `name`: of an operation or library function. `value`: of a
 * constant; the number of a parameter, site, output or data. `guard`: the rows for which a call is made, all if null.
 *
 * @typedef {object} Node
 * @property {number} id
 * @property {string} kind
 * @property {string} name
 * @property {Rep} rep
 * @property {Class} cls
 * @property {readonly Node[]} args
 * @property {Node | null} guard
 * @property {number | bigint | boolean | string | null} value
 * @property {readonly number[]} buffers
 * @property {CallShape | null} shape
 */

/**
 * How a library function is called. `out`: it writes its value to where its last parameter but for the arena points;
 * `fails`: it returns a status; `arena`: it may take memory.
 *
 * @typedef {{ out: boolean, fails: boolean, arena: boolean }} CallShape
 */

/**
 * A buffer of each chunk. `shared` ones are the same for all chunks. `bytes` of an element; bits count as 0.
 *
 * @typedef {object} Buffer
 * @property {'in' | 'out'} role
 * @property {string} column or output that it is of
 * @property {'values' | 'validity' | 'offsets' | 'bits'} part
 * @property {string} dtype of Loop IR
 * @property {number} bytes
 * @property {boolean} shared
 */

/** @type {Record<string, number>} bytes of an element */
const BYTES = {
  f64: 8, f32: 4, f16: 2, i64: 8, i32: 4, i16: 2, i8: 1, u64: 8, u32: 4, u16: 2, u8: 1, view: 16, i128: 16,
};

/**
 * Operations on constants that are done here, so that what is known is known to all. Integers wrap.
 *
 * @type {Record<string, (a: bigint, b: bigint) => bigint>}
 */
const FOLDED = {
  add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, neg: (a) => -a, convert: (a) => a,
  and: (a, b) => a & b, or: (a, b) => a | b, xor: (a, b) => a ^ b,
};
/** @type {Record<string, (a: bigint, b: bigint) => boolean>} */
const COMPARED = {
  eq: (a, b) => a === b, ne: (a, b) => a !== b, lt: (a, b) => a < b, le: (a, b) => a <= b, gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};
const INTEGER = /^([iu])(8|16|32|64)$/u;

/**
 * What an operation on constants is, undefined if that is not known here.
 *
 * @type {(name: string, args: readonly Node[], rep: Rep) => bigint | boolean | undefined}
 */
function folded(name, args, rep) {
  if (!args.every((arg) => arg.kind === 'constant' && INTEGER.test(arg.rep))) return undefined;
  const [a, b] = args.map(({ value }) => BigInt(/** @type {bigint} */ (value)));
  if (rep === 'bool') return COMPARED[name]?.(a, b);
  const [, sign, bits] = INTEGER.exec(rep) ?? [];
  const result = sign === undefined ? undefined : FOLDED[name]?.(a, b);
  return result === undefined ? undefined : (sign === 'i' ? BigInt.asIntN : BigInt.asUintN)(Number(bits), result);
}

/** For each byte the numbers of its bits that are set, lowest first. */
const BIT_TABLE = new Uint8Array(256 * 8);
for (let byte = 0; byte < 256; byte++) {
  let k = 8 * byte;
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) BIT_TABLE[k++] = bit;
}

const isNumber = (/** @type {Rep} */ rep) => rep !== 'bool' && rep !== 'view' && rep !== 'i128';

class Dag {
  /** @type {Map<string, Node>} */
  #known = new Map();
  /** @type {Node[]} in an order in which operands come first */
  nodes = [];
  /** @type {Buffer[]} */
  buffers = [];
  /** @type {Map<string, number>} */
  #bufferNumbers = new Map();
  /** Constant bytes, of strings and tables. @type {Uint8Array[]} */
  data = [];
  /** @type {Map<string, number>} */
  #dataNumbers = new Map();
  /** Modules of Loop IR whose exported functions are called. @type {string[]} */
  natives = [];

  /**
   * @param {{ kind: string, rep: Rep, cls: Class } & Partial<Node>} draft
   * @returns {Node}
   */
  node({ kind, rep, cls, name = '', args = [], guard = null, value = null, buffers = [], shape = null }) {
    const text = typeof value === 'number' && Object.is(value, -0) ? '-0' : `${typeof value} ${value}`;
    const ids = args.map(({ id }) => id).join();
    const key = `${kind} ${name} ${rep} ${ids} ${guard?.id ?? ''} ${text} ${buffers.join()}`;
    const known = this.#known.get(key);
    if (known) return known;
    const fresh = { id: this.nodes.length, kind, name, rep, cls, args, guard, value, buffers, shape };
    this.nodes.push(fresh);
    this.#known.set(key, fresh);
    return fresh;
  }

  /** The number of a buffer of a column or output. @param {Buffer} buffer */
  buffer(buffer) {
    const key = `${buffer.role} ${buffer.part} ${buffer.column}`;
    const known = this.#bufferNumbers.get(key);
    if (known !== undefined) return known;
    this.#bufferNumbers.set(key, this.buffers.length);
    return this.buffers.push(buffer) - 1;
  }

  /** The number of constant bytes, equal ones once. @param {Uint8Array} bytes */
  bytes(bytes) {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const known = this.#dataNumbers.get(key);
    if (known !== undefined) return known;
    this.#dataNumbers.set(key, this.data.length);
    return this.data.push(bytes) - 1;
  }

  // --- leaves ---

  /** @type {(value: number | bigint | boolean, rep: Rep) => Node} */
  constant(value, rep) {
    return this.node({ kind: 'constant', rep, cls: 'leaf', value });
  }

  /** A string that is known. @param {Uint8Array} bytes */
  text(bytes) {
    return this.node({ kind: 'text', rep: 'view', cls: 'leaf', value: this.bytes(bytes), name: String(bytes.length) });
  }

  /** The address of constant bytes: of a table, or of a value of 16 bytes. @type {(bytes: Uint8Array, rep?: 'i64' | 'i128') => Node} */
  table(bytes, rep = 'i64') {
    return this.node({ kind: 'table', rep, cls: 'leaf', value: this.bytes(bytes) });
  }

  /** @type {(slot: number, rep: Rep) => Node} */
  parameter(slot, rep) {
    return this.node({ kind: 'parameter', rep, cls: 'leaf', value: slot });
  }

  /** Numbers of a column. @type {(column: string, rep: Rep) => Node} */
  column(column, rep) {
    const bytes = BYTES[rep];
    const dtype = rep === 'i128' ? 'i64' : rep;
    const buffer = this.buffer({ role: 'in', column, part: 'values', dtype, bytes, shared: false });
    return this.node({ kind: 'column', rep, cls: 'leaf', buffers: [buffer] });
  }

  /** Bits of a column: its booleans, or which of its values there are. @type {(column: string, part: 'bits' | 'validity') => Node} */
  bits(column, part) {
    const buffer = this.buffer({ role: 'in', column, part, dtype: 'u64', bytes: 0, shared: false });
    return this.node({ kind: 'bits', rep: 'bool', cls: 'leaf', buffers: [buffer] });
  }

  /** Strings of a column. @type {(column: string, offset: 'i32' | 'i64') => Node} */
  strings(column, offset) {
    const bytes = BYTES[offset];
    const offsets = this.buffer({ role: 'in', column, part: 'offsets', dtype: offset, bytes, shared: false });
    const values = this.buffer({ role: 'in', column, part: 'values', dtype: 'u8', bytes: 0, shared: false });
    return this.node({ kind: 'strings', rep: 'view', cls: 'leaf', buffers: [offsets, values] });
  }

  /** A local of the loops around a block: `live`, the rows that there are; of partitions, which one it is of how many, and of keys in a small range the least one and bits of the partition. @type {(name: 'live' | 'part_number' | 'part_mask' | 'least' | 'part_shift') => Node} */
  local(name) {
    return this.node({ kind: 'local', name, rep: name === 'live' ? 'bool' : name === 'least' ? 'i64' : 'u64', cls: 'leaf' });
  }

  // --- numbers ---

  /** An elementwise op of Loop IR. @type {(name: string, args: readonly Node[], rep?: Rep) => Node} */
  op(name, args, rep = args[0].rep) {
    const known = folded(name, args, rep);
    if (known !== undefined) return this.constant(known, rep);
    return this.node({ kind: 'op', name, rep, cls: 'lanes', args });
  }

  /** @type {(name: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge', a: Node, b: Node) => Node} */
  compare(name, a, b) {
    return this.op(name, [a, b], 'bool');
  }

  /** @type {(a: Node, rep: Rep) => Node} */
  convert(a, rep) {
    return a.rep === rep ? a : this.op('convert', [a], rep);
  }

  /** Element `index` of a table that all chunks share. @type {(table: string, index: Node, rep: NumberRep) => Node} */
  lookup(table, index, rep) {
    const buffer = this.buffer({ role: 'in', column: table, part: 'values', dtype: rep, bytes: BYTES[rep], shared: true });
    return this.node({ kind: 'lookup', rep, cls: 'lanes', args: [this.convert(index, 'i64')], buffers: [buffer] });
  }

  /** Element `index` of constant bytes. @type {(bytes: Uint8Array, index: Node, rep: NumberRep) => Node} */
  pick(bytes, index, rep) {
    return this.node({ kind: 'pick', rep, cls: 'lanes', args: [this.convert(index, 'i64')], value: this.bytes(bytes) });
  }

  /** String `index` of a table of strings that all chunks share. @type {(table: string, index: Node, offset: 'i32' | 'i64') => Node} */
  lookupText(table, index, offset) {
    const bytes = BYTES[offset];
    const offsets = this.buffer({ role: 'in', column: table, part: 'offsets', dtype: offset, bytes, shared: true });
    const values = this.buffer({ role: 'in', column: table, part: 'values', dtype: 'u8', bytes: 0, shared: true });
    return this.node({
      kind: 'lookupText', rep: 'view', cls: 'row', args: [this.convert(index, 'i64')], buffers: [offsets, values],
    });
  }

  /** The value of `a` where the condition holds, else that of `b`. @type {(condition: Node, a: Node, b: Node) => Node} */
  select(condition, a, b) {
    if (condition.kind === 'constant') return condition.value ? a : b;
    if (a === b) return a;
    if (a.rep === 'bool') return this.or(this.and(condition, a), this.and(this.not(condition), b));
    return isNumber(a.rep)
      ? this.op('select', [condition, a, b], a.rep)
      : this.node({ kind: 'choose', rep: a.rep, cls: 'row', args: [condition, a, b] });
  }

  // --- booleans ---

  #logic(/** @type {string} */ name, /** @type {readonly Node[]} */ args) {
    const cls = args.every((arg) => arg.cls === 'lanes') ? 'lanes' : 'word';
    return this.node({ kind: 'logic', name, rep: 'bool', cls, args });
  }

  /** @type {(a: Node, b: Node) => Node} */
  and(a, b) {
    if (a === b) return a;
    if (a.kind === 'constant') return a.value ? b : a;
    if (b.kind === 'constant') return b.value ? a : b;
    return this.#logic('and', [a, b]);
  }

  /** @type {(a: Node, b: Node) => Node} */
  or(a, b) {
    if (a === b) return a;
    if (a.kind === 'constant') return a.value ? a : b;
    if (b.kind === 'constant') return b.value ? b : a;
    return this.#logic('or', [a, b]);
  }

  /** @type {(a: Node) => Node} */
  not(a) {
    if (a.kind === 'constant') return this.constant(!a.value, 'bool');
    if (a.kind === 'logic' && a.name === 'not') return a.args[0];
    return this.#logic('not', [a]);
  }

  /** @type {(a: Node, b: Node) => Node} */
  xor(a, b) {
    return this.#logic('xor', [a, b]);
  }

  // --- rows ---

  /** The number of the row, counted over all chunks. */
  rowNumber() {
    return this.node({ kind: 'rowNumber', rep: 'i64', cls: 'row' });
  }

  /** @type {(name: string, args: readonly Node[], rep: Rep, shape: CallShape, guard: Node | null) => Node} */
  call(name, args, rep, shape, guard) {
    return this.node({ kind: 'call', name, rep, cls: 'row', args, shape, guard });
  }

  /** A call of a function of numbers that a module of Loop IR exports. @type {(text: string, args: readonly Node[], rep: Rep, guard: Node | null) => Node} */
  native(text, args, rep, guard) {
    const known = this.natives.indexOf(text);
    const number = known >= 0 ? known : this.natives.push(text) - 1;
    return this.node({ kind: 'native', rep, cls: 'row', args, guard, value: number });
  }

  /** Whether a call returned a status, or any other than 0. @type {(call: Node, status?: number) => Node} */
  failed(call, status = 0) {
    return this.node({ kind: 'failed', rep: 'bool', cls: 'row', args: [call], guard: call.guard, value: status });
  }

  /** The bytes of a string. @param {Node} view */
  length(view) {
    return this.node({ kind: 'length', rep: 'i64', cls: 'row', args: [view] });
  }

  /** 16 bytes as a string of bytes. @param {Node} value */
  bytes16(value) {
    return this.node({ kind: 'bytes16', rep: 'view', cls: 'row', args: [value] });
  }

  /** The address of the views of several strings; where one is not valid its length is -1. @type {(texts: readonly { value: Node, valid: Node | null }[]) => Node} */
  views(texts) {
    const lengths = texts.map(({ value, valid }) =>
      valid === null ? this.length(value) : this.select(valid, this.length(value), this.constant(-1n, 'i64')),
    );
    return this.node({ kind: 'views', rep: 'i64', cls: 'row', args: [...texts.map(({ value }) => value), ...lengths] });
  }

  /** A pair of 64-bit halves as 16 bytes. @type {(low: Node, high: Node) => Node} */
  wide(low, high) {
    return this.node({ kind: 'wide', rep: 'i128', cls: 'row', args: [low, high] });
  }

  /** A 64-bit half of 16 bytes. @type {(value: Node, half: 0 | 1) => Node} */
  half(value, half) {
    return this.node({ kind: 'half', rep: 'i64', cls: 'row', args: [value], value: half });
  }

  // --- what has effects ---

  /**
   * Ends the run with the number of a site if a bit is set.
   *
   * @type {(bad: Node, site: number) => Node}
   */
  check(bad, site) {
    return this.node({ kind: 'check', rep: 'bool', cls: 'word', args: [bad], value: site });
  }

  /** A reduction, to a buffer that all chunks share (folds.js). @type {(name: string, table: string, args: readonly Node[]) => Node} */
  fold(name, table, args) {
    const [{ rep: own }] = args;
    const rep = own === 'bool' ? 'i64' : own;
    const buffer = this.buffer({ role: 'out', column: table, part: 'values', dtype: rep, bytes: BYTES[rep], shared: true });
    return this.node({ kind: 'fold', name, rep, cls: own === 'bool' ? 'word' : 'lanes', args, buffers: [buffer] });
  }

  /** The record of the group of a row (groups.js). @type {(args: readonly Node[], guard: Node | null) => Node} */
  group(args, guard) {
    return this.node({ kind: 'group', rep: 'i64', cls: 'row', args, guard });
  }

  /** What a row adds to the words of its group's record from `word` on. @type {(name: string, word: number, args: readonly Node[], guard: Node | null) => Node} */
  accumulate(name, word, args, guard) {
    const rep = args.length > 1 ? args[1].rep : 'i64';
    const links = { role: /** @type {const} */ ('out'), column: `links ${word}`, part: /** @type {const} */ ('values'), dtype: 'i32', bytes: 4, shared: true };
    const buffers = name === 'chain' ? [this.buffer(links)] : [];
    return this.node({ kind: 'accumulate', name, rep, cls: 'row', args, value: word, guard, buffers });
  }

  /** The numbers of the rows for which it is true, one behind the other (selection.js). @type {(value: Node) => Node} */
  rowNumbers(value) {
    const [rows, found] = [['rows', 'u32', 4], ['found', 'i64', 8]].map(([column, dtype, bytes]) =>
      this.buffer(/** @type {any} */ ({ role: 'out', column, part: 'values', dtype, bytes, shared: true })));
    return this.node({ kind: 'numbers', rep: 'bool', cls: 'word', args: [value], buffers: [rows, found], value: this.bytes(BIT_TABLE) });
  }

  /** Bits that an output has. @type {(output: string, part: 'bits' | 'validity', value: Node) => Node} */
  storeBits(output, part, value) {
    const buffer = this.buffer({ role: 'out', column: output, part, dtype: 'u64', bytes: 0, shared: false });
    return this.node({ kind: 'storeBits', rep: 'bool', cls: 'word', args: [value], buffers: [buffer] });
  }

  /** Values that an output has. @type {(output: string, value: Node) => Node} */
  store(output, value) {
    const { rep } = value;
    const dtype = rep === 'i128' ? 'i64' : rep;
    const buffer = this.buffer({ role: 'out', column: output, part: 'values', dtype, bytes: BYTES[rep], shared: false });
    return this.node({ kind: 'store', rep, cls: rep === 'i128' ? 'row' : 'lanes', args: [value], buffers: [buffer] });
  }

  /** Strings that an output has; where `valid` is false, empty ones. @type {(output: string, value: Node, valid: Node | null) => Node} */
  storeText(output, value, valid) {
    const offsets = this.buffer({ role: 'out', column: output, part: 'offsets', dtype: 'i32', bytes: 4, shared: false });
    const values = this.buffer({ role: 'out', column: output, part: 'values', dtype: 'u8', bytes: 1, shared: false });
    const args = valid ? [value, valid] : [value];
    return this.node({ kind: 'storeText', rep: 'view', cls: 'row', args, buffers: [offsets, values] });
  }
}

module.exports = { BIT_TABLE, BYTES, Dag, isNumber };
