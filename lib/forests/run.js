/**
 * The compiled code of forests, and calls of it.
 *
 * What a model says is data (table.js), so all forests share one module of Loop IR, which goes over blocks of rows on
 * several threads and calls the library (src/library/forests). A call is a caller of the addon, which takes arrays as
 * they are; the module holds their lengths against what it is about to touch.
 */
'use strict';

const { AbortError, onAbort } = require('../base/abort.js');
const { native } = require('../base/binding.js');
const { fail } = require('../base/errors.js');
const { NUMERICS } = require('../base/numerics.js');
const { HEAD } = require('./table.js');

/** @typedef {import('../base/binding.js').Handle} Handle */
/** Types of features, and of what is computed. @typedef {'f32' | 'f64'} Float */
/** @typedef {'sums' | 'leaves' | 'contributions'} Kind */

/** What code returns besides src/base/exec.h: an array is too short. */
const TOO_SHORT = 16;
/** Most results that are few. */
const FEW = 16;
/** Rows times trees that are worth a thread: some 50 µs. */
const SHARE = 25000;
/** Words of a caller's state before its slots. */
const STATE_BYTES = 8;

/**
 * `width`: results of a row; `block`: rows of a round; `size`: memory of a thread, which it allocates by itself if it
 * `allocates`, as one does whose rounds take long.
 *
 * @typedef {object} Made
 * @property {(to: Float) => string} library
 * @property {number} params
 * @property {(row: string, end: string) => string} call
 * @property {(to: Float) => Float | 'i32'} out
 * @property {string} width
 * @property {string} block
 * @property {string} size the function of the library and what it is given
 * @property {boolean} [allocates]
 */

/** Of those that go through blocks as large as the first cache has room for. */
const BLOCKS = { block: `head[${HEAD.block}]`, size: 'forest_work address(table)' };

const ALL = 'address(table), address(x), doubles, address(ranges), address(out)';

/** @type {Record<Kind, Made>} */
const KINDS = {
  sums: {
    ...BLOCKS, library: (to) => `forest_sums_${to}`, params: 8, width: `head[${HEAD.groups}]`, out: (to) => to,
    call: (row, end) => `call lib(${ALL}, ${row}, ${end}, memory)`,
  },
  leaves: {
    ...BLOCKS, library: () => 'forest_leaves', params: 7, width: `head[${HEAD.trees}]`, out: () => 'i32',
    call: (row, end) => `call lib(address(table), address(x), doubles, address(out), ${row}, ${end}, memory)`,
  },
  contributions: {
    block: '16', size: 'forest_contributions_work address(table), address(ranges)', params: 8, out: () => 'f64',
    allocates: true, library: () => 'forest_contributions', width: `mul(head[${HEAD.groups}], add(head[${HEAD.features}], 1))`,
    call: (row, end) => `call lib(${ALL}, ${row}, ${end}, memory)`,
  },
};

/**
 * The module. Arrays: table, x, ranges (of contributions the ways to leaves), out, work of each thread; slots: rows,
 * threads that there is work memory for, blocks that are worth a thread.
 *
 * @type {(kind: Kind, from: Float, to: Float) => string}
 */
function moduleText(kind, from, to) {
  const { library, params, call, out, width, block, size, allocates = false } = KINDS[kind];
  const [sizeName, ...sizeArgs] = size.split(/,? /);
  const type = out(to);
  const list = Array.from({ length: params }, (_, i) => `a${i}: i64`).join(', ');
  const bytes = `call size(${sizeArgs.join(', ')})`;
  const own = allocates ? `alloc<u8>(${bytes})` : `offset(work, mul(slot, ${bytes}))`;
  const given = allocates ? '0' : `mul(slots[1], ${bytes})`;
  const arrays = `table: u8* noalias readonly, x: ${from}* noalias readonly, ranges: i32* noalias readonly, out: ${type}* noalias, work: u8* noalias`;
  return `module "forest" {
  library "${library(to)}" func lib(${list})
  library "${sizeName}" func size(${sizeArgs.map((_, i) => `a${i}: i64`).join(', ')}) -> i64
  func rows(${arrays}, n: i64, begin: i64, end: i64) -> i32 {
    let head: i64* = pointer<i64>(address(table))
    let block: i64 = ${block}
    let own: u8* = ${own}
    if (is_null(own)) {
      return 2:i32
    }
    let memory: i64 = address(own)
    let doubles: i64 = ${from === 'f64' ? 1 : 0}
    for b = begin to end step 1 {
      if (cancelled) {
        return 1:i32
      }
      let row: i64 = mul(b, block)
      do ${call('row', 'min(n, add(row, block))')}
    }
    return 0:i32
  }
  entry func main() -> i32 {
    let slots: i64* = buffer<0, i64>
    let table: u8* = buffer<1, u8>
    let ranges: i32* = buffer<3, i32>
    let head: i64* = pointer<i64>(address(table))
    let n: i64 = slots[0]
    let block: i64 = ${block}
    let blocks: i64 = div(add(n, sub(block, 1)), block)
    if (or(lt(dim<1>, mul(n, head[${HEAD.features}])), or(lt(dim<3>, mul(n, ${width})), lt(dim<4>, ${given})))) {
      return ${TOO_SHORT}:i32
    }
    return parallel rows(table, buffer<2, ${from}>, ranges, buffer<4, ${type}>, buffer<5, u8>, n) over 0 to blocks grain slots[2]
  }
}
`;
}

/** By text. @type {Map<string, Handle>} */
const handles = new Map();

/** @type {(text: string) => Handle} strict, as products that are added must round on their own */
function handleOf(text) {
  const handle = handles.get(text) ?? native.functionCompile(text, NUMERICS.strict, 3, true, 0);
  handles.set(text, handle);
  return handle;
}

const OUTCOME = Object.freeze({ misfit: 1, detached: 2, overlap: 3, failed: 4 });

/** @type {(state: ArrayBuffer, caller: string) => never} what a call says that gave nothing */
function refuse(state, caller) {
  const [outcome, detail] = new Int32Array(state, 0, 2);
  if (outcome === OUTCOME.overlap) return fail('ERR_ARGUMENT', `${caller}: the output overlaps the rows`);
  if (outcome === OUTCOME.detached) return fail('ERR_STATE', `${caller}: the rows are detached`);
  if (outcome === OUTCOME.failed && detail === 2) return fail('ERR_MEMORY', `${caller}: out of memory`);
  if (outcome === OUTCOME.failed && detail === TOO_SHORT) return fail('ERR_STATE', `${caller}: an array became shorter`);
  return fail('ERR_INTERNAL', `${caller}: the run ended with ${outcome}, ${detail}`);
}

/** Code for a kind of results, for rows of one type. */
class Runner {
  #code;
  #signature;
  #threads;
  #state = new ArrayBuffer(STATE_BYTES + 8 * 4);
  #work;
  #workBytes;
  /** @type {any} */
  #few;
  #call;

  /**
   * @param {Kind} kind
   * @param {Float} from
   * @param {Float} to type of sums
   * @param {{ threads: number, workBytes: number }} options of forest_work
   */
  constructor(kind, from, to, { threads, workBytes }) {
    this.#code = handleOf(moduleText(kind, from, to));
    this.#signature = `u8[] ${from}[] i32[] ${KINDS[kind].out(to)}[]! u8[]! int int int ->`;
    this.#threads = threads;
    this.#workBytes = KINDS[kind].allocates ? 0 : workBytes;
    this.#work = new Uint8Array(threads * this.#workBytes);
    this.#call = native.functionCaller(this.#code, undefined, this.#signature, threads, this.#state);
  }

  /** Figures of the code. */
  get stats() {
    return native.functionStats(this.#code);
  }

  /** An array of the class for few results, the same each time. @type {(Class: any) => any} */
  few(Class) {
    this.#few ??= new Class(FEW);
    return this.#few;
  }

  /** @type {(table: Uint8Array, x: any, ranges: Int32Array, out: any, rows: number, grain: number, caller: string) => void} */
  now(table, x, ranges, out, rows, grain, caller) {
    const done = this.#call(table, x, ranges, out, this.#work, rows, this.#threads, grain);
    if (done === null) refuse(this.#state, caller);
  }

  /** @type {(table: Uint8Array, x: any, ranges: Int32Array, out: any, rows: number, grain: number, caller: string, signal: AbortSignal | undefined) => Promise<void>} */
  async later(table, x, ranges, out, rows, grain, caller, signal) {
    if (signal?.aborted) throw new AbortError(signal);
    const state = new ArrayBuffer(this.#state.byteLength);
    const work = new Uint8Array(this.#threads * this.#workBytes);
    const args = [table, x, ranges, out, work, rows, this.#threads, grain];
    const run = native.functionStart(this.#code, undefined, this.#signature, this.#threads, state, args);
    const forget = signal && onAbort(signal, () => native.workCancel(run));
    let done;
    try {
      done = await run.promise;
    } catch (error) {
      if (!signal?.aborted) throw error;
    } finally {
      forget?.();
    }
    if (signal?.aborted) throw new AbortError(signal);
    if (done === null) refuse(state, caller);
  }
}

module.exports = { FEW, SHARE, Runner };
