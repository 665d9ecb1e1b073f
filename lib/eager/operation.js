/**
 * Operations as tensors see them, and what is known about them for given dtypes.
 *
 * Whether an operation works element by element is found out by asking it: it is called once each on vectors, numbers
 * and matrices, and when the graph then holds elementwise rows only, and results have the shape of the operands, it may
 * be fused with its neighbours and serve all shapes with one kernel. The entry keeps what this gave: the dtype of the
 * result, and how to append the operation to a graph. No list says so, which means that composites, and operations
 * still to be written, take part by themselves.
 */
'use strict';

const { GraphError } = require('../base/errors.js');
const { opRows } = require('../base/ops.js');
const { Graph } = require('../graph/graph.js');
const { isValue } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');

/** @typedef {import('../tensor/dtypes.js').DType} DType */
/** @typedef {import('../tensor/dtypes.js').DTypeInfo} DTypeInfo */
/** @typedef {import('../graph/value.js').Value} Value */

/** @typedef {{ info: DTypeInfo, layout: import('../tensor/tensor.js').Layout, direct: import('./kernels.js').Direct }} Latest */

/** Entries of one operation beyond which all are found out anew; each static argument makes one. */
const MOST_ENTRIES = 256;

let entries = 0;

/** An operation that works element by element, for operands of given dtypes. */
class Entry {
  /**
   * @param {Operation} operation
   * @param {DTypeInfo} info of the result
   * @param {(values: readonly Value[]) => Value} build
   */
  constructor(operation, info, build) {
    this.id = ++entries;
    this.operation = operation;
    this.info = info;
    this.build = build;
    /** Kernels on small arrays, by size and by which operands are numbers (small.js). @type {Map<number, any>} */
    this.small = new Map();
  }
}

class Operation {
  /**
   * @param {string} name
   * @param {(...args: any[]) => any} call on values
   * @param {boolean} isRow whether it is a row of the native table
   * @param {number} first operands before this one have a dtype of their own
   */
  constructor(name, call, isRow, first) {
    this.name = name;
    this.call = call;
    this.isRow = isRow;
    this.first = first;
    /** By key; null for what does not work element by element. @type {Map<string, Entry | null>} */
    this.entries = new Map();
    /**
     * Of operands that all have one dtype, by its name.
     *
     * @type {Partial<Record<DType, Entry | null>>[]} by the number of operands
     */
    this.same = [{}, {}, {}, {}];
    /**
     * The kernel of the last call with one tensor and nothing else, if that was not elementwise.
     *
     * @type {Latest | null}
     */
    this.latest = null;
  }

  /**
   * @param {string} key
   * @param {readonly DTypeInfo[]} infos
   * @param {(values: readonly Value[]) => any} build
   * @returns {Entry | null}
   */
  entryFor(key, infos, build) {
    const found = this.entries.get(key);
    if (found !== undefined) return found;
    const info = probe(infos, build);
    const entry = info === null ? null : new Entry(this, info, build);
    if (this.entries.size >= MOST_ENTRIES) this.entries.clear();
    this.entries.set(key, entry);
    return entry;
  }
}

/** @type {(node: import('../base/binding.js').NodeInfo) => boolean} */
function isElementwise({ op, shape }) {
  const kind = opRows.get(op)?.kind;
  return kind === 'elementwise' || kind === 'apply' || kind === 'param' || (kind === 'const' && shape.length === 0);
}

/** Shapes to ask with: what does nothing to a vector may add axes to a number, or refuse a matrix. */
const SHAPES = [['n'], [], ['n', 'm']];

/**
 * @param {readonly DTypeInfo[]} infos
 * @param {(values: readonly Value[]) => any} build
 * @param {readonly string[]} shape
 * @returns {DTypeInfo | null} of the result, where it is computed element by element from operands of that shape
 */
function probeShape(infos, build, shape) {
  const graph = new Graph('probe');
  try {
    const result = build(infos.map(({ name }, i) => graph.input(`x${i}`, name, shape)));
    const isAlike =
      isValue(result) && result.rank === shape.length && result.shape.every((size, axis) => size === shape[axis]);
    return isAlike && graph.nodes.every(isElementwise) ? dtypes[result.dtype] : null;
  } catch (error) {
    // With the real shapes it may work, or fail with a message that names them.
    if (error instanceof GraphError) return null;
    throw error;
  } finally {
    graph.dispose();
  }
}

/**
 * The same for all shapes.
 *
 * @type {(infos: readonly DTypeInfo[], build: (values: readonly Value[]) => any) => DTypeInfo | null}
 */
function probe(infos, build) {
  let info = null;
  for (const shape of SHAPES) {
    info = probeShape(infos, build, shape);
    if (info === null) return null;
  }
  return info;
}

module.exports = { Entry, Operation };
