/**
 * A kernel over columns as Loop IR.
 *
 * The entry has the signature of all compiled code (src/base/exec.h): buffer 0 holds slots of 64 bits, buffer 1 the
 * addresses of all arrays (layout.js). It divides units of work among threads (ranges.js).
 *
 * A block is a list of stages (stages.js). The last block of a chunk may have fewer rows: its operands are copied to
 * arrays of 64 elements first, so that the code of a block is there once and has no rest. Outputs have room for whole
 * blocks. `live` has a bit for each row that there is.
 *
 * What is not here: what columns and nulls are; how the code is run.
 */
'use strict';

const { BYTES, isNumber } = require('./dag.js');
const { foldLanes, foldWord, foldsOf } = require('./folds.js');
const { accumulate, fetchGroups, group } = require('./groups.js');
const { BLOCK, CHUNK, SLOT, STATUS } = require('./layout.js');
const { GRAIN, ranges } = require('./ranges.js');
const { numbersText } = require('./selection.js');
const { stagesOf } = require('./stages.js');

/** @typedef {import('./dag.js').Dag} Dag */
/** @typedef {import('./dag.js').Node} Node */
/** @typedef {import('./dag.js').Buffer} Column */
/** @typedef {import('./stages.js').Stage} Stage */

/** Bytes of a line of the caches, and how far ahead of a block its columns are asked for. */
const LINE = 64;
const AHEAD = 2048;

const ALL = '18446744073709551615:u64';

/** @type {(value: number | bigint | boolean | string | null, rep: string) => string} */
function constantText(value, rep) {
  if (rep === 'bool') return value ? 'true' : 'false';
  if (rep === 'f64' || rep === 'f32' || rep === 'f16') {
    const number = Number(value);
    if (Number.isNaN(number)) return `nan:${rep}`;
    if (!Number.isFinite(number)) return `${number < 0 ? '-' : ''}inf:${rep}`;
    return `${Object.is(number, -0) ? '-0' : number}:${rep}`;
  }
  return rep === 'i64' ? `${value}` : `${value}:${rep}`;
}

/**
 * `roots`: what has to be computed. `parameters`: words of them. `unit`: what is divided among threads, where it is not
 * found from what is computed. `record`: what a group is kept in (groups.js).
 *
 * @typedef {object} KernelOptions
 * @property {string} name
 * @property {readonly Node[]} roots
 * @property {number} vectorBytes
 * @property {number} parameters
 * @property {import('./ranges.js').Unit} [unit]
 * @property {import('./groups.js').GroupRecord} [record]
 * @property {boolean} [exported] a function of C in the place of an entry: of slots and addresses
 */

/** What a node is in the loop that is being written: texts of its parts. @typedef {readonly string[]} Parts */

class Emitter {
  /** @type {string[]} */
  #lines = [];
  #indent = 2;
  /** Arrays on the stack, for the head of the function. @type {string[]} */
  arrays = [];
  /** What nodes are in the loop that is being written. @type {Map<Node, Parts>} */
  local = new Map();
  /** Arrays and words in which nodes are kept. @type {Map<Node, Parts>} */
  kept = new Map();
  #names = 0;
  /** Constant bytes that are used: their numbers in the module. @type {Map<number, number>} */
  #data = new Map();
  lanes = 1;
  /** The loop's row number. */
  row = 'r';

  /**
   * @param {Dag} dag
   * @param {KernelOptions} options
   */
  constructor(dag, options) {
    this.dag = dag;
    this.options = options;
    /** The slot where words of chunks begin. */
    this.chunkWords = SLOT.parameters + options.parameters;
    this.stages = stagesOf(dag.nodes, options.roots);
    const nodes = this.stages.flatMap((stage) => stage.nodes);
    /** What a unit of work is (ranges.js). @type {import('./ranges.js').Unit} */
    this.unit = options.unit ?? (nodes.some(({ kind }) => kind === 'storeText') ? 'chunk' : 'block');
    this.needsArena = nodes.some(({ shape }) => shape?.arena);
    /** @type {Map<string, number>} by name, the number of parameters */
    this.library = new Map();
  }

  // --- writing ---

  line(/** @type {string} */ text) {
    this.#lines.push('  '.repeat(this.#indent) + text);
  }

  braces(/** @type {string} */ head, /** @type {() => void} */ inside) {
    this.line(`${head} {`);
    this.nest(inside);
    this.line('}');
  }

  /** @param {() => void} inside */
  nest(inside) {
    this.#indent++;
    inside();
    this.#indent--;
  }

  fresh(/** @type {string} */ hint) {
    return `${hint}${this.#names++}`;
  }

  array(/** @type {string} */ hint, /** @type {string} */ dtype, /** @type {number} */ count) {
    const name = this.fresh(hint);
    this.arrays.push(`    array ${name}: ${dtype}[${count}]`);
    return name;
  }

  let(/** @type {string} */ hint, /** @type {string} */ type, /** @type {string} */ value) {
    const name = this.fresh(hint);
    this.line(`let ${name}: ${type} = ${value}`);
    return name;
  }

  // --- the module ---

  /** `folds`: lanes of each. @returns {{ text: string, unit: import('./ranges.js').Unit, needsArena: boolean, folds: { table: string, lanes: number }[] }} */
  module() {
    const body = this.#rangeText();
    const data = [...this.#data].map(([number, i]) => {
      const bytes = this.dag.data[number];
      const filled = bytes.length > 0 ? bytes : new Uint8Array(1);
      const hex = Buffer.from(filled.buffer, filled.byteOffset, filled.byteLength).toString('hex');
      return `  data ${i}: u8[${filled.length}] = hex "${hex}"\n`;
    });
    const library = [...this.library].map(([name, count]) => {
      const params = Array.from({ length: count }, (_, i) => `a${i}: i64`).join(', ');
      return `  library "${name}" func lib_${name}(${params}) -> i64\n`;
    });
    const head = this.options.exported
      ? '  export func F0(slots: i64*, addresses: i64* readonly) -> i32 {\n'
      : '  entry func main() -> i32 {\n    let slots: i64* = buffer<0, i64>\n    let addresses: i64* = buffer<1, i64>\n';
    const grain = GRAIN[this.unit];
    const entry = `${head}    return parallel rows(slots, addresses) over 0 to slots[${SLOT.units}] grain ${grain}\n  }\n`;
    const text = `module "${this.options.name}" {\n${data.join('')}${library.join('')}${this.dag.natives.map(nativeText).join('')}${body}${entry}}\n`;
    const folds = foldsOf(this).map(({ node, lanes }) => ({ table: this.dag.buffers[node.buffers[0]].column, lanes }));
    return { text, unit: this.unit, needsArena: this.needsArena, folds };
  }

  /** The function that computes a range of units. */
  #rangeText() {
    this.line(`let u: i64 = begin`);
    this.line(`let count: i64 = slots[${SLOT.chunkCount}]`);
    const used = this.stages.flatMap(({ nodes }) => nodes.flatMap(({ args }) => args)).filter(isParameter);
    for (const node of new Set(used)) this.#parameter(node);
    if (this.needsArena) this.#arena();
    const found = this.stages.flatMap(({ nodes }) => nodes).find(({ kind }) => kind === 'numbers');
    if (found !== undefined) this.line('let found: i64 = 0');
    ranges[this.unit](this);
    if (found !== undefined) this.line(`pointer<i64>(table[${this.addressOf(found.buffers[1])}])[0] = found`);
    this.line('return 0:i32');
    const head = '  func rows(slots: i64* noalias, table: i64* noalias readonly, begin: i64, end: i64) -> i32 {\n';
    return `${head}${[...this.arrays, ...this.#lines].join('\n')}\n  }\n`;
  }

  /** The locals of chunk `c`: where its words are, its rows, the number of the first one, addresses of its buffers. */
  chunk() {
    this.line(`let at: i64 = add(${this.chunkWords}, mul(${CHUNK.words}, c))`);
    this.line('let rows: i64 = slots[at]');
    this.line(`let row: i64 = slots[add(at, ${CHUNK.row})]`);
    this.dag.buffers.forEach((_, k) => this.line(`let b${k}: i64 = table[${this.addressOf(k)}]`));
  }

  /** Where in the table of addresses that of a buffer is: the one of chunk `c`, or of all chunks. @param {number} k */
  addressOf(k) {
    const { buffers } = this.dag;
    const alike = buffers.filter(({ shared }) => shared === buffers[k].shared);
    const own = buffers.filter(({ shared }) => !shared).length;
    return `add(mul(${buffers[k].shared ? 'count' : 'c'}, ${own}), ${alike.indexOf(buffers[k])})`;
  }

  /** What strings are written, and the local that counts their bytes. */
  texts() {
    const stores = this.stages.flatMap(({ nodes }) => nodes.filter(({ kind }) => kind === 'storeText'));
    return stores.map(({ buffers: [offsets, values] }) => ({ offsets, values, written: `written${values}` }));
  }

  /** @param {Node} node */
  #parameter(node) {
    const slot = SLOT.parameters + Number(node.value);
    const name = `p${node.value}`;
    if (node.rep === 'f64') this.line(`let ${name}: f64 = bitcast<f64>(slots[${slot}])`);
    else if (node.rep === 'bool') this.line(`let ${name}: bool = ne(slots[${slot}], 0)`);
    else this.line(`let ${name}: ${node.rep} = ${node.rep === 'i64' ? `slots[${slot}]` : `convert<${node.rep}>(slots[${slot}])`}`);
  }

  #arena() {
    const { buffers } = this.dag;
    const own = buffers.filter(({ shared }) => !shared).length;
    const at = `add(mul(count, ${own}), ${buffers.length - own})`;
    this.arrays.push('    array arena: i64[2]');
    this.line(`let room_each: i64 = slots[${SLOT.scratch}]`);
    this.line(`let scratch_begin: i64 = add(table[${at}], mul(slot, room_each))`);
    this.line('arena[1] = add(scratch_begin, room_each)');
  }

  // --- a block ---

  block() {
    this.line(`let left: i64 = sub(rows, mul(g, ${BLOCK}))`);
    this.line(`let live: u64 = ${ALL}`);
    this.#leaves();
    if (this.needsArena) this.line('arena[0] = scratch_begin');
    for (const stage of this.stages) {
      this.local.clear();
      if (stage.cls === 'word') this.#wordStage(stage);
      else if (stage.cls === 'lanes') this.#laneStage(stage);
      else this.#rowStage(stage);
    }
  }

  /** Where the block's operands and results lie; in the last block, copies of operands. */
  #leaves() {
    const own = this.dag.buffers.map((buffer, k) => ({ buffer, k })).filter(({ buffer }) => !buffer.shared);
    for (const { buffer, k } of own) {
      if (buffer.role === 'in' && isBits(buffer)) this.line(`let w${k}: u64 = 0:u64`);
      else if (buffer.bytes > 0) this.line(`let a${k}: i64 = add(b${k}, mul(g, ${BLOCK * buffer.bytes}))`);
    }
    const inputs = own.filter(({ buffer }) => buffer.role === 'in');
    for (const { buffer, k } of inputs) if (buffer.part === 'values' && buffer.bytes > 0) this.#fetchAhead(buffer, k);
    this.line(`if (ge(left, ${BLOCK})) {`);
    this.#indent++;
    for (const { k } of inputs.filter(({ buffer }) => isBits(buffer))) this.line(`w${k} = pointer<u64>(b${k})[g]`);
    this.#indent--;
    this.line('} else {');
    this.#indent++;
    this.line('live = sub(shl(1:u64, convert<u64>(left)), 1:u64)');
    for (const { buffer, k } of inputs) this.#copyRest(buffer, k);
    this.#indent--;
    this.line('}');
  }

  /** Asks for what comes after the next blocks: processors do so themselves, but not from one page to the next. */
  #fetchAhead(/** @type {Column} */ { bytes }, /** @type {number} */ k) {
    const q = this.fresh('q');
    const fetch = `fetch offset(pointer<i64>(a${k}), add(${AHEAD / 8}, mul(${q}, ${LINE / 8})))`;
    this.braces(`for ${q} = 0 to ${(BLOCK * bytes) / LINE} step 1`, () => this.line(fetch));
  }

  #copyRest(/** @type {Column} */ { part, dtype, bytes }, /** @type {number} */ k) {
    if (part === 'bits' || part === 'validity') {
      this.line(`w${k} = bitcast<u64>(${this.called('bits_rest', `add(b${k}, mul(g, 8))`, 'left')})`);
      return;
    }
    if (bytes === 0) return;
    const isOffset = part === 'offsets';
    const count = (bytes === 16 ? 2 : 1) * BLOCK + (isOffset ? 1 : 0);
    const pad = this.array('pad', dtype, count);
    const call = isOffset
      ? this.called('offsets_rest', `address(${pad})`, `a${k}`, 'left', `${bytes}`)
      : this.called('block_rest', `address(${pad})`, `a${k}`, `mul(left, ${bytes})`, `${BLOCK * bytes}`);
    this.line(`do ${call}`);
    this.line(`a${k} = address(${pad})`);
  }

  /** The address of constant bytes. @param {Node} node */
  dataAt({ value }) {
    return `address(data<${this.dataNumber(Number(value))}>)`;
  }

  /** The number in the module of constant bytes. @param {number} number of the graph's */
  dataNumber(number) {
    const known = this.#data.get(number) ?? this.#data.size;
    this.#data.set(number, known);
    return known;
  }

  /** A call of a library function. @type {(name: string, ...args: string[]) => string} */
  called(name, ...args) {
    this.library.set(name, args.length);
    return `call lib_${name}(${args.join(', ')})`;
  }

  // --- words ---

  #wordStage(/** @type {Stage} */ { nodes }) {
    for (const node of nodes) {
      const [first, second] = node.args.map((arg) => this.word(arg));
      if (node.kind === 'logic') {
        const text = node.name === 'not' ? `not(${first})` : `${node.name}(${first}, ${second})`;
        this.kept.set(node, [this.let('w_', 'u64', text)]);
      } else if (node.kind === 'fold') {
        foldWord(this, node, first);
      } else if (node.kind === 'numbers') {
        this.#numbers(node, first);
      } else if (node.kind === 'storeBits') {
        this.line(`pointer<u64>(b${node.buffers[0]})[g] = and(${first}, live)`);
      } else {
        const bad = this.let('bad', 'u64', `and(${first}, live)`);
        this.braces(`if (ne(${bad}, 0:u64))`, () => {
          this.line(`slots[${SLOT.site}] = ${node.value}`);
          this.line(`slots[${SLOT.row}] = add(row, add(mul(g, ${BLOCK}), ${lowest(bad)}))`);
          this.line(`return ${STATUS.failed}:i32`);
        });
      }
    }
  }

  #numbers(/** @type {Node} */ { buffers: [rows], value }, /** @type {string} */ bits) {
    const word = this.let('w_', 'u64', `and(${bits}, live)`);
    const base = this.let('x', 'i64', `add(row, mul(g, ${BLOCK}))`);
    const out = this.let('rows_', 'u32*', `pointer<u32>(b${rows})`);
    const text = numbersText({ word, base, out, k: 'found', table: `data<${this.dataNumber(Number(value))}>` });
    for (const line of text.split('\n')) this.line(line);
  }

  /** A boolean as a word. @param {Node} node */
  word(node) {
    if (node.kind === 'constant') return node.value ? ALL : '0:u64';
    if (node.kind === 'parameter') return `select(p${node.value}, ${ALL}, 0:u64)`;
    if (node.kind === 'bits') return `w${node.buffers[0]}`;
    if (node.kind === 'local') return node.name;
    return /** @type {Parts} */ (this.kept.get(node))[0];
  }

  // --- lanes ---

  /** Elements of a vector in a stage: as many as there are of the widest values. @param {readonly Node[]} nodes */
  lanesOf(nodes) {
    const reps = nodes.flatMap((node) => [node, ...node.args]).map(({ rep }) => rep);
    const widest = Math.max(...reps.map((rep) => (rep === 'bool' ? 1 : BYTES[rep])));
    return Math.min(BLOCK, Math.max(2, this.options.vectorBytes / widest));
  }

  #laneStage(/** @type {Stage} */ { nodes, kept }) {
    this.lanes = this.lanesOf(nodes);
    for (const node of kept) this.home(node);
    this.row = this.fresh('j');
    this.braces(`for ${this.row} = 0 to ${BLOCK} step ${this.lanes}`, () => {
      for (const node of nodes) this.#laneNode(node, kept.has(node));
    });
  }

  /** Makes the array or word in which a node is kept. @param {Node} node */
  home(node) {
    if (node.rep === 'bool') this.kept.set(node, [this.let('w_', 'u64', '0:u64')]);
    else if (node.rep === 'view') this.kept.set(node, [this.array('t', 'i64', BLOCK), this.array('t', 'i64', BLOCK)]);
    else if (node.rep === 'i128') this.kept.set(node, [this.array('t', 'i64', 2 * BLOCK)]);
    else this.kept.set(node, [this.array('t', node.rep, BLOCK)]);
  }

  #laneNode(/** @type {Node} */ node, /** @type {boolean} */ isKept) {
    const lanes = this.lanes;
    if (node.kind === 'store') {
      this.line(`pointer<${node.rep}>(a${node.buffers[0]})[${this.row}] = ${this.lane(node.args[0])}`);
      return;
    }
    const args = node.args.map((arg) => this.lane(arg));
    if (node.kind === 'fold') {
      foldLanes(this, node, args);
      return;
    }
    const name = this.let('v', `${node.rep}<${lanes}>`, laneText(this, node, args));
    this.local.set(node, [name]);
    if (!isKept) return;
    const [home] = /** @type {Parts} */ (this.kept.get(node));
    this.line(
      node.rep === 'bool' ? `${home} = or(${home}, shl(bits(${name}), convert<u64>(${this.row})))` : `${home}[${this.row}] = ${name}`,
    );
  }

  /** A value in each lane. @param {Node} node */
  lane(node) {
    const known = this.local.get(node);
    if (known) return known[0];
    const lanes = this.lanes;
    if (node.kind === 'constant') return `splat<${lanes}>(${constantText(node.value, node.rep)})`;
    if (node.kind === 'parameter') return `splat<${lanes}>(p${node.value})`;
    if (node.kind === 'local' && node.rep !== 'bool') return `splat<${lanes}>(${node.name})`;
    if (node.kind === 'table') return `splat<${lanes}>(${this.dataAt(node)})`;
    const text =
      node.rep === 'bool'
        ? `mask<${lanes}>(shr(${this.word(node)}, convert<u64>(${this.row})))`
        : node.kind === 'column'
          ? `pointer<${node.rep}>(a${node.buffers[0]})[${this.row}:${lanes}]`
          : `${/** @type {Parts} */ (this.kept.get(node))[0]}[${this.row}:${lanes}]`;
    const name = this.let('v', `${node.rep}<${lanes}>`, text);
    this.local.set(node, [name]);
    return name;
  }

  // --- rows ---

  #rowStage(/** @type {Stage} */ { nodes, kept, guard }) {
    for (const node of kept) this.home(node);
    const body = () => {
      for (const node of nodes) this.#rowNode(node, kept.has(node));
    };
    const grouping = nodes.find(({ kind }) => kind === 'group');
    if (grouping !== undefined) fetchGroups(this, grouping);
    this.row = this.fresh('r');
    if (guard === null) {
      this.braces(`for ${this.row} = 0 to min(left, ${BLOCK}) step 1`, body);
      return;
    }
    for (const node of kept) this.#clear(node);
    const rest = this.let('rest', 'u64', `and(${this.word(guard)}, live)`);
    this.braces(`while (ne(${rest}, 0:u64))`, () => {
      this.line(`let ${this.row}: i64 = ${lowest(rest)}`);
      this.line(`${rest} = and(${rest}, sub(${rest}, 1:u64))`);
      body();
    });
  }

  /** Rows that nobody computes hold zeros: strings without bytes. @param {Node} node */
  #clear(node) {
    if (node.rep === 'bool') return;
    const dtype = node.rep === 'view' || node.rep === 'i128' ? 'i64' : node.rep;
    const count = node.rep === 'i128' ? 2 * BLOCK : BLOCK;
    for (const home of /** @type {Parts} */ (this.kept.get(node))) {
      const k = this.fresh('z');
      this.braces(`for ${k} = 0 to ${count} step 8`, () =>
        this.line(`${home}[${k}] = splat<8>(${constantText(0, dtype)})`),
      );
    }
  }

  #rowNode(/** @type {Node} */ node, /** @type {boolean} */ isKept) {
    const parts = rowKinds[node.kind]?.(this, node);
    if (parts === undefined) return;
    this.local.set(node, parts);
    if (isKept) this.#keepRow(node, parts);
  }

  #keepRow(/** @type {Node} */ node, /** @type {Parts} */ parts) {
    const homes = /** @type {Parts} */ (this.kept.get(node));
    const r = this.row;
    if (node.rep === 'bool') this.line(`${homes[0]} = or(${homes[0]}, shl(convert<u64>(${parts[0]}), convert<u64>(${r})))`);
    else if (node.rep === 'i128') {
      for (const half of [0, 1]) {
        this.line(`${homes[0]}[add(mul(${r}, 2), ${half})] = pointer<i64>(${parts[0]})[${half}]`);
      }
    } else homes.forEach((home, i) => this.line(`${home}[${r}] = ${parts[i]}`));
  }

  /** The parts of a node in a row: one, or address and length of a string. @param {Node} node @returns {Parts} */
  parts(node) {
    const known = this.local.get(node);
    if (known) return known;
    const made = this.#rowLeaf(node);
    this.local.set(node, made);
    return made;
  }

  /** @param {Node} node @returns {Parts} */
  #rowLeaf(node) {
    const r = this.row;
    const [k, values] = node.buffers;
    if (node.kind === 'constant') return [constantText(node.value, node.rep)];
    if (node.kind === 'parameter') return [`p${node.value}`];
    if (node.kind === 'table') return [this.dataAt(node)];
    if (node.kind === 'text') return [this.dataAt(node), node.name];
    if (node.kind === 'strings') return this.stringAt(`a${k}`, this.dag.buffers[k].dtype, `b${values}`, r);
    if (node.rep === 'bool') return [this.let('q', 'bool', `ne(and(shr(${this.word(node)}, convert<u64>(${r})), 1:u64), 0:u64)`)];
    const kept = this.kept.get(node);
    if (node.rep === 'i128') {
      const base = kept ? `address(${kept[0]})` : `a${k}`;
      return [this.let('x', 'i64', `add(${base}, mul(${r}, 16))`)];
    }
    if (kept) return kept.map((home) => this.let('x', isNumber(node.rep) ? node.rep : 'i64', `${home}[${r}]`));
    return [this.let('x', node.rep, `pointer<${node.rep}>(a${k})[${r}]`)];
  }

  /** @type {(offsets: string, dtype: string, values: string, index: string) => Parts} */
  stringAt(offsets, dtype, values, index) {
    const widen = (/** @type {string} */ text) => (dtype === 'i64' ? text : `convert<i64>(${text})`);
    const begin = this.let('x', 'i64', widen(`pointer<${dtype}>(${offsets})[${index}]`));
    const end = widen(`pointer<${dtype}>(${offsets})[add(${index}, 1)]`);
    return [this.let('x', 'i64', `add(${values}, ${begin})`), this.let('x', 'i64', `sub(${end}, ${begin})`)];
  }

  /** An argument of a library function. @type {(node: Node) => readonly string[]} */
  argument(node) {
    const parts = this.parts(node);
    // Behind what a call gives stands its status.
    if (node.rep === 'view') return parts.slice(0, 2);
    if (node.rep === 'i64' || node.rep === 'i128') return [parts[0]];
    if (node.rep === 'f64') return [`bitcast<i64>(${parts[0]})`];
    if (node.rep === 'f32') return [`convert<i64>(bitcast<u32>(${parts[0]}))`];
    return [`convert<i64>(${parts[0]})`];
  }

  /** @type {(node: Node) => Parts} */
  call(node) {
    const { out, fails, arena } = /** @type {import('./dag.js').CallShape} */ (node.shape);
    const args = node.args.flatMap((arg) => this.argument(arg));
    const place = out ? this.array('out', 'i64', 2) : '';
    // What fails writes nothing, and others may read it before anybody looks at the status.
    if (fails) this.line(`${place}[0] = splat<2>(0)`);
    if (out) args.push(`address(${place})`);
    if (arena) args.push('address(arena)');
    const status = this.let('s', 'i64', this.called(node.name, ...args));
    if (arena) {
      const [test, code] = fails
        ? [`eq(${status}, 1)`, `${STATUS.arena}:i32`]
        : [`ne(${status}, 0)`, `select(eq(${status}, 1), ${STATUS.arena}:i32, ${STATUS.long}:i32)`];
      this.braces(`if (${test})`, () => this.line(`return ${code}`));
    }
    if (!out) return [this.let('x', resultType(node.rep), resultText(status, node.rep))];
    if (node.rep === 'view') return [this.let('x', 'i64', `${place}[0]`), this.let('x', 'i64', `${place}[1]`), status];
    if (node.rep === 'i128') return [`address(${place})`, status];
    return [this.let('x', resultType(node.rep), resultText(`${place}[0]`, node.rep)), status];
  }

  /** @type {(node: Node) => Parts} */
  native({ args, rep, value }) {
    const parts = args.map((arg) => this.parts(arg)[0]);
    return [this.let('x', rep, `call native${value}(${parts.join(', ')})`)];
  }

  /** @type {(node: Node) => Parts} */
  choose({ args: [condition, a, b], rep }) {
    const [test] = this.parts(condition);
    const sides = [this.parts(a), this.parts(b)];
    return (rep === 'view' ? [0, 1] : [0]).map((i) =>
      this.let('x', 'i64', `select(${test}, ${sides[0][i]}, ${sides[1][i]})`),
    );
  }

  /** @type {(node: Node) => Parts} */
  lookupText({ args: [index], buffers: [offsets, values] }) {
    const [at] = this.parts(index);
    return this.stringAt(`b${offsets}`, this.dag.buffers[offsets].dtype, `b${values}`, at);
  }

  /** @type {(node: Node) => Parts} */
  wide({ args }) {
    const place = this.array('out', 'i64', 2);
    args.forEach((arg, i) => this.line(`${place}[${i}] = ${this.argument(arg)[0]}`));
    return [`address(${place})`];
  }

  /** @type {(node: Node) => Parts} */
  views({ args }) {
    const count = args.length / 2;
    const place = this.array('views', 'i64', 2 * count);
    for (let i = 0; i < count; i++) {
      this.line(`${place}[${2 * i}] = ${this.parts(args[i])[0]}`);
      this.line(`${place}[${2 * i + 1}] = ${this.parts(args[count + i])[0]}`);
    }
    return [`address(${place})`];
  }

  /** @type {(node: Node) => Parts} */
  failed({ args: [call], value }) {
    const status = /** @type {string} */ (this.parts(call).at(-1));
    return [this.let('q', 'bool', value === 0 ? `ne(${status}, 0)` : `eq(${status}, ${value})`)];
  }

  /** @type {(node: Node) => undefined} 16 bytes */
  storeWide({ args: [value], buffers: [k] }) {
    const [from] = this.parts(value);
    for (const half of [0, 1]) {
      this.line(`pointer<i64>(a${k})[add(mul(${this.row}, 2), ${half})] = pointer<i64>(${from})[${half}]`);
    }
  }

  /** @type {(node: Node) => undefined} */
  storeText({ args: [value, valid], buffers: [offsets, values] }) {
    const [from, length] = this.parts(value);
    const size = valid ? this.let('x', 'i64', `select(${this.parts(valid)[0]}, ${length}, 0)`) : length;
    const written = `written${values}`;
    this.line('if (full) {');
    this.line(`} else {`);
    this.#indent++;
    this.line(`if (gt(${size}, sub(room, ${written}))) {`);
    this.line('  full = true');
    this.line('} else {');
    this.#indent++;
    this.line(`do ${this.called('bytes_copy', `add(b${values}, ${written})`, from, size)}`);
    this.line(`${written} = add(${written}, ${size})`);
    this.line(`pointer<i32>(a${offsets})[add(${this.row}, 1)] = convert<i32>(${written})`);
    this.#indent--;
    this.line('}');
    this.#indent--;
    this.line('}');
  }
}

/** How nodes of rows are written. @type {Record<string, (e: Emitter, node: Node) => Parts | undefined>} */
const rowKinds = {
  rowNumber: (e) => [e.let('x', 'i64', `add(row, add(mul(g, ${BLOCK}), ${e.row}))`)],
  call: (e, node) => e.call(node),
  choose: (e, node) => e.choose(node),
  failed: (e, node) => e.failed(node),
  native: (e, node) => e.native(node),
  length: (e, { args: [view] }) => [e.parts(view)[1]],
  half: (e, { args: [wide], value }) => [e.let('x', 'i64', `pointer<i64>(${e.parts(wide)[0]})[${value}]`)],
  bytes16: (e, { args: [value] }) => [e.parts(value)[0], '16'],
  lookupText: (e, node) => e.lookupText(node),
  views: (e, node) => e.views(node),
  wide: (e, node) => e.wide(node),
  store: (e, node) => e.storeWide(node),
  storeText: (e, node) => e.storeText(node),
  group: (e, node) => group(e, node),
  accumulate: (e, node) => accumulate(e, node),
};

const isParameter = (/** @type {Node} */ { kind }) => kind === 'parameter';
const isBits = (/** @type {Column} */ { part }) => part === 'bits' || part === 'validity';

/** The functions of a module, with names of their own. @type {(text: string, number: number) => string} */
function nativeText(text, number) {
  const names = [...text.matchAll(/^ {2}(export )?func (\w+)\(/gmu)].map(([, exported, name]) => ({ name, exported }));
  let functions = text.slice(text.indexOf('\n') + 1, text.lastIndexOf('}'));
  for (const { name, exported } of names) {
    const own = exported ? `native${number}` : `native${number}_${name}`;
    functions = functions.replace(new RegExp(`(func|call) ${name}\\(`, 'gu'), `$1 ${own}(`);
  }
  return functions.replace(/^ {2}export func/gmu, '  func');
}

/** The number of the lowest bit that is set. @type {(word: string) => string} */
const lowest = (word) => `convert<i64>(popcount(and(not(${word}), sub(${word}, 1:u64))))`;

/** @type {(rep: string) => string} */
const resultType = (rep) => (rep === 'view' || rep === 'i128' ? 'i64' : rep);

/** What a library function returned, as what it stands for. @type {(text: string, rep: string) => string} */
function resultText(text, rep) {
  if (rep === 'i64') return text;
  if (rep === 'f64') return `bitcast<f64>(${text})`;
  if (rep === 'f32') return `bitcast<f32>(convert<u32>(${text}))`;
  return rep === 'bool' ? `ne(${text}, 0)` : `convert<${rep}>(${text})`;
}

/** @type {(e: Emitter, node: Node, args: string[]) => string} */
function laneText(e, node, args) {
  if (node.kind === 'pick') return `pointer<${node.rep}>(${e.dataAt(node)})[${args[0]}]`;
  if (node.kind === 'lookup') return `pointer<${node.rep}>(b${node.buffers[0]})[${args[0]}]`;
  const head = node.name === 'convert' || node.name === 'bitcast' ? `${node.name}<${node.rep}>` : node.name;
  return `${head}(${args.join(', ')})`;
}

/**
 * @param {Dag} dag
 * @param {KernelOptions} options
 */
const emitKernel = (dag, options) => new Emitter(dag, options).module();

module.exports = { Emitter, emitKernel };
