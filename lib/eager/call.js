/**
 * Calls of operations on tensors.
 *
 * What is called often and computes little goes by short ways: two tensors of one shape and dtype, a tensor and
 * a number, one tensor. `callElementwise` is for all that works element by element; results that are not small
 * are left pending (node.js), unless one of the operands may change. Whatever is left is computed at once, by
 * `callNow` (evaluate.js).
 */
'use strict';

const { Block, arrayOf, blockOf, cellOver, isSmall, pendingCell } = require('../cells.js');
const { isOptions } = require('../check.js');
const { scalarDType, toElement } = require('../convert.js');
const { asTensor } = require('../create.js');
const { dtypeOf, dtypes } = require('../dtypes.js');
const { Tensor, cellOf, infoOf, layoutFor, layoutOf, tensorOver } = require('../tensor.js');
const { MAX_RANK } = require('../views.js');
const { callNow, runDirect } = require('./evaluate.js');
const { Node, Operand, capture } = require('./node.js');
const { isSameShape } = require('./plan.js');
const { fill, readCall } = require('./signature.js');
const { loops, runBound, runLoop } = require('./small.js');

/** @typedef {import('../cells.js').Cell} Cell */
/** @typedef {import('../dtypes.js').DTypeInfo} DTypeInfo */
/** @typedef {import('../dtypes.js').TypedArray} TypedArray */
/** @typedef {import('../tensor.js').Layout} Layout */
/** @typedef {import('./entries.js').Entry} Entry */
/** @typedef {import('./entries.js').Operation} Operation */

/** The most results that are pending at once below one another, and the most arrays that they may keep. */
const MOST_PENDING = 32;
const MOST_SOURCES = 8;

// ---------------------------------------------------------------------------------------- shapes

/** @type {(shapes: readonly (readonly number[])[]) => readonly number[] | null} null for shapes that do not broadcast */
function broadcast(shapes) {
  let result = shapes[0];
  for (let i = 1; i < shapes.length; i++) {
    const shape = shapes[i];
    if (isSameShape(result, shape)) continue;
    const rank = Math.max(result.length, shape.length);
    if (rank > MAX_RANK) return null;
    /** @type {number[]} */
    const next = new Array(rank);
    for (let axis = 1; axis <= rank; axis++) {
      const [a, b] = [result[result.length - axis] ?? 1, shape[shape.length - axis] ?? 1];
      if (a !== b && a !== 1 && b !== 1) return null;
      next[rank - axis] = a === 1 ? b : a;
    }
    result = next;
  }
  return result;
}

/** @type {(layout: Layout) => Layout} for a result of that shape */
const layoutLike = (layout) => (layout.isContiguous && layout.offset === 0 && !layout.isView ? layout : layoutFor(layout.shape));

/** @type {(cell: Cell, layout: Layout) => boolean} whether the elements lie in a block, all of them in their order */
function isInBlock(cell, { isContiguous, offset, size }) {
  return isContiguous && offset === 0 && cell.size === size && blockOf(cell) !== null;
}

// --------------------------------------------------------------------------------------- element by element

/**
 * @param {Entry} entry
 * @param {readonly Tensor[]} tensors
 * @param {readonly number[]} shape of the result
 * @param {number} size
 * @returns {Cell | null} null for what is not small, or not in one piece
 */
function callSmall(entry, tensors, shape, size) {
  if (!isSmall(entry.info, size) || size === 0) return null;
  const cells = tensors.map(cellOf);
  for (let i = 0; i < cells.length; i++) {
    const layout = layoutOf(tensors[i]);
    const fits = layout.size === 1 || isSameShape(layout.shape, shape);
    if (!fits || !isSmall(cells[i].info, layout.size) || !isInBlock(cells[i], layout)) return null;
  }
  return runBound(entry, cells, size);
}

/** Makes room in a chain that has grown long, or keeps many arrays. @param {readonly Operand[]} operands */
function shorten(operands) {
  let count = 1;
  let sources = 0;
  for (const { node } of operands) {
    count += node?.count ?? 0;
    sources += node?.sources ?? 1;
  }
  if (count <= MOST_PENDING && sources <= MOST_SOURCES) return;
  for (const { node } of operands) {
    if (node !== null && node.array === null && node.cell !== null) arrayOf(node.cell, node.entry.operation.name);
  }
}

/** @type {(tensors: readonly Tensor[], caller: string) => Operand[]} */
const captureAll = (tensors, caller) => tensors.map((tensor) => capture(tensor, caller));

/** @type {(entry: Entry, operands: readonly Operand[], shape: readonly number[], size: number) => Cell} */
function callPending(entry, operands, shape, size) {
  shorten(operands);
  const node = new Node(entry, operands, shape, size);
  const cell = pendingCell(entry.info, size, node);
  node.cell = cell;
  if (isSmall(entry.info, size) || operands.some(({ isStable }) => !isStable)) arrayOf(cell, entry.operation.name);
  return cell;
}

/**
 * @param {Entry} entry
 * @param {readonly Tensor[]} tensors
 * @returns {Tensor | null} null for shapes that do not broadcast
 */
function callElementwise(entry, tensors) {
  const layouts = tensors.map(layoutOf);
  const shape = broadcast(layouts.map((layout) => layout.shape));
  if (shape === null) return null;
  const like = layouts.find((layout) => layout.shape === shape);
  const layout = like === undefined ? layoutFor(shape) : layoutLike(like);
  const { size } = layout;
  if (!Number.isSafeInteger(size)) return null;
  const cell = callSmall(entry, tensors, shape, size) ?? callPending(entry, captureAll(tensors, entry.operation.name), layout.shape, size);
  return tensorOver(cell, layout);
}

/** @type {(value: number | bigint | boolean, info: DTypeInfo, which: string, caller: string) => TypedArray} */
function oneElement(value, info, which, caller) {
  const array = new info.arrayType(1);
  array[0] = toElement(value, info, () => which, caller);
  return array;
}

/**
 * Arguments as operands: numbers take the dtype of the first tensor, as beside values.
 *
 * @param {Operation} operation
 * @param {readonly unknown[]} args
 * @returns {Tensor[] | null} null if one of them can be no operand
 * @throws {import('../errors.js').GraphError} ERR_DTYPE for a number that the dtype cannot hold, beside a row
 */
function operandsOf({ name, first, isRow }, args) {
  const found = args.map((arg) => {
    if (arg instanceof Tensor) return arg;
    if (dtypeOf(arg) !== undefined || (isRow && Array.isArray(arg))) return asTensor(/** @type {any} */ (arg));
    return scalarDType(arg) === undefined ? null : undefined;
  });
  // What a number beside a composite becomes is the business of that, where it is not plain.
  if (found.includes(null) || (!isRow && args.some((arg) => typeof arg === 'number' && !Number.isFinite(arg)))) return null;
  const like = found.find((tensor, i) => i >= first && tensor !== undefined);
  const common = like ? infoOf(like) : dtypes[scalarDType(args[first]) ?? 'f64'];
  if (!isRow && common.kind !== 'float' && found.includes(undefined)) return null;
  return found.map((tensor, i) => {
    const value = /** @type {number} */ (args[i]);
    if (tensor) return tensor;
    const info = i < first ? dtypes.bool : common;
    return tensorOver(cellOver(oneElement(value, info, `operand ${i + 1}`, name), info, false), SCALAR);
  });
}

const SCALAR = layoutFor([]);

/** Numbers that make a cheaper kernel when they are known. @type {(name: string, number: unknown) => boolean} */
function isWorthKnowing(name, number) {
  if (typeof number !== 'number' || name !== 'pow') return false;
  return Math.abs(number) === 0.5 || (Number.isInteger(number) && Math.abs(number) <= 16);
}

/**
 * Calls an operation that takes operands only, numbers among them: so they are no part of a key, and one kernel serves
 * them all.
 *
 * @type {(operation: Operation, args: readonly unknown[]) => Tensor | null} null for what is to be done otherwise
 */
function callOperands(operation, args) {
  if (!operation.isRow && isOptions(args.at(-1))) return null;
  if (isWorthKnowing(operation.name, args[1])) return null;
  const tensors = operandsOf(operation, args);
  if (tensors === null) return null;
  const infos = tensors.map(infoOf);
  const build = (/** @type {readonly unknown[]} */ values) => operation.call(...values);
  const entry = operation.entryFor(infos.map(({ name }) => name).join(), infos, build);
  if (entry === null) return null;
  const same = operation.same[infos.length];
  if (same !== undefined && infos.every((info) => info === infos[0])) same[infos[0].name] = entry;
  return callElementwise(entry, tensors);
}

/**
 * @param {Operation} operation
 * @param {readonly unknown[]} args among which there is a tensor, and no value
 * @returns {any}
 */
function call(operation, args) {
  if (args.some((arg) => typeof arg === 'function')) return require('./with-functions.js').callWith(operation, args);
  const made = callOperands(operation, args);
  if (made !== null) return made;
  const { tensors, template, key } = readCall(args, operation.name);
  if (key !== null && tensors.length > 0) {
    const infos = tensors.map(infoOf);
    const build = (/** @type {readonly unknown[]} */ values) => operation.call(...fill(template, values));
    const entry = operation.entryFor(`${infos.map(({ name }) => name)}|${key}`, infos, build);
    const result = entry && callElementwise(entry, tensors);
    if (result) return result;
  }
  return callNow(operation, tensors, template, key);
}

// ----------------------------------------------------------------------------------- short ways

/**
 * @param {Operation} operation
 * @param {Tensor} x
 * @param {unknown} y
 * @returns {Tensor | null} null for what is not two tensors of one shape and dtype, or a tensor and a number
 */
function callTwo(operation, x, y) {
  const info = infoOf(x);
  const entry = operation.same[2][info.name];
  if (!entry) return null;
  if (y instanceof Tensor) {
    const [a, b] = [layoutOf(x), layoutOf(y)];
    if (infoOf(y) !== info || (a !== b && !isSameShape(a.shape, b.shape))) return null;
    return callPair(operation, entry, x, y);
  }
  if (typeof y !== 'number' || isWorthKnowing(operation.name, y)) return null;
  return callNumber(operation, entry, x, y);
}

/** @type {(entry: Entry, cell: Cell, size: number) => boolean} whether operands and result are small */
const isFew = ({ info }, cell, size) => size > 0 && isSmall(info, size) && isSmall(cell.info, size);

/** @type {(operation: Operation, entry: Entry, x: Tensor, y: Tensor) => Tensor | null} of one shape and dtype */
function callPair({ name }, entry, x, y) {
  const layout = layoutOf(x);
  const { size } = layout;
  const [a, b] = [cellOf(x), cellOf(y)];
  if (!isFew(entry, a, size)) return tensorOver(callPending(entry, captureAll([x, y], name), layout.shape, size), layoutLike(layout));
  if (!isInBlock(a, layout) || !isInBlock(b, layoutOf(y))) return null;
  return pairOver(name, entry, a, b, layout);
}

/** @type {(name: string, entry: Entry, a: Cell, b: Cell, layout: Layout) => Tensor | null} where b has as many elements as a, or one */
function pairOver(name, entry, a, b, layout) {
  const loop = loops[name];
  const cell = (loop && runLoop(loop, a, b, layout.size)) ?? runBound(entry, [a, b], layout.size);
  return cell && tensorOver(cell, layoutLike(layout));
}

/** @type {(operation: Operation, entry: Entry, x: Tensor, y: number) => Tensor | null} */
function callNumber({ name }, entry, x, y) {
  const layout = layoutOf(x);
  const { size, shape } = layout;
  const cell = cellOf(x);
  const { info } = cell;
  if (isFew(entry, cell, size)) {
    return isInBlock(cell, layout) ? pairOver(name, entry, cell, numberCell(y, info, name), layout) : null;
  }
  const number = new Operand(null, oneElement(y, info, 'operand 2', name), info, SCALAR.shape, 1, null, true);
  return tensorOver(callPending(entry, [capture(x, name), number], shape, size), layoutLike(layout));
}

/** A cell for a number during one call, for each dtype. @type {Partial<Record<string, Cell>>} */
const numberCells = {};

/** @type {(value: number, info: DTypeInfo, caller: string) => Cell} good until the next call */
function numberCell(value, info, caller) {
  const cell = (numberCells[info.name] ??= newNumberCell(info));
  const array = /** @type {TypedArray} */ (cell.array);
  array[0] = info.kind === 'float' && !info.half ? value : toElement(value, info, () => 'operand 2', caller);
  return cell;
}

/** @type {(info: DTypeInfo) => Cell} with whole words, so that it can be copied as such */
function newNumberCell(info) {
  const ArrayOver = /** @type {any} */ (info.arrayType);
  const words = new Int32Array(2);
  const cell = cellOver(new ArrayOver(words.buffer, 0, 1), info, false);
  cell.block = new Block(
    info.name === 'f64' ? /** @type {any} */ (cell.array) : null,
    info.name === 'f32' ? /** @type {any} */ (cell.array) : null,
    words,
  );
  return cell;
}

/** @type {(operation: Operation, x: Tensor) => any} null for what takes more than a tensor */
function callOne(operation, x) {
  const entry = operation.same[1][infoOf(x).name];
  const layout = layoutOf(x);
  if (!entry) {
    const { latest } = operation;
    const isLike = latest !== null && latest.layout === layout && latest.info === infoOf(x) && cellOf(x).pending === null;
    return isLike && !latest.direct.isDropped ? runDirect(latest.direct, [x]) : null;
  }
  const { size } = layout;
  const cell = cellOf(x);
  if (!isFew(entry, cell, size)) {
    return tensorOver(callPending(entry, [capture(x, operation.name)], layout.shape, size), layoutLike(layout));
  }
  const made = isInBlock(cell, layout) ? runBound(entry, [cell], size) : null;
  return made && tensorOver(made, layoutLike(layout));
}

module.exports = { call, callOne, callTwo };
