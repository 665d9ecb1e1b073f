/**
 * Calls of operations on tensors.
 *
 * What is called often and computes little goes by short ways: two tensors of one shape and dtype, a tensor and
 * a number, one tensor. `callElementwise` is for all that works element by element; results that are not small
 * are left pending (pending-node.js), unless one of the operands may change. Whatever is left is computed at once, by
 * `callNow` (evaluate.js).
 */
'use strict';

const { isOptions } = require('../base/check.js');
const { scalarDType, toElement } = require('../tensor/convert.js');
const { asTensor } = require('../tensor/create.js');
const { dtypeOf, dtypes } = require('../tensor/dtypes.js');
const { Block, arrayOf, blockOf, storageOver, isSmall, pendingStorage } = require('../tensor/storage.js');
const { Tensor, storageOf, infoOf, layoutFor, layoutOf, tensorOver } = require('../tensor/tensor.js');
const { MAX_RANK } = require('../tensor/views.js');
const { callNow, runDirect } = require('./evaluate.js');
const { Node, Operand, capture } = require('./pending-node.js');
const { isSameShape } = require('./plan.js');
const { fill, readCall } = require('./signature.js');
const { loops, runBound, runLoop } = require('./small.js');

/** @typedef {import('../tensor/storage.js').Storage} Storage */
/** @typedef {import('../tensor/dtypes.js').DTypeInfo} DTypeInfo */
/** @typedef {import('../tensor/dtypes.js').TypedArray} TypedArray */
/** @typedef {import('../tensor/tensor.js').Layout} Layout */
/** @typedef {import('./operation.js').Entry} Entry */
/** @typedef {import('./operation.js').Operation} Operation */

/** The most results that are pending at once below one another, and the most arrays that they may keep. */
const MOST_PENDING = 32;
const MOST_SOURCES = 8;

// ---------------------------------------------------------------------------------------- shapes

/**
 * Null for shapes that do not broadcast.
 *
 * @type {(shapes: readonly (readonly number[])[]) => readonly number[] | null}
 */
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
const layoutLike = (layout) =>
  layout.isContiguous && layout.offset === 0 && !layout.isView ? layout : layoutFor(layout.shape);

/**
 * Whether the elements lie in a block, all of them in their order.
 *
 * @type {(storage: Storage, layout: Layout) => boolean}
 */
function isInBlock(storage, { isContiguous, offset, size }) {
  return isContiguous && offset === 0 && storage.size === size && blockOf(storage) !== null;
}

// --------------------------------------------------------------------------------------- element by element

/**
 * @param {Entry} entry
 * @param {readonly Tensor[]} tensors
 * @param {readonly number[]} shape of the result
 * @param {number} size
 * @returns {Storage | null} null for what is not small, or not in one piece
 */
function callSmall(entry, tensors, shape, size) {
  if (!isSmall(entry.info, size) || size === 0) return null;
  const storages = tensors.map(storageOf);
  for (let i = 0; i < storages.length; i++) {
    const layout = layoutOf(tensors[i]);
    const fits = layout.size === 1 || isSameShape(layout.shape, shape);
    if (!fits || !isSmall(storages[i].info, layout.size) || !isInBlock(storages[i], layout)) return null;
  }
  return runBound(entry, storages, size);
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
    if (node !== null && node.array === null && node.storage !== null) arrayOf(node.storage, node.entry.operation.name);
  }
}

/** @type {(tensors: readonly Tensor[], caller: string) => Operand[]} */
const captureAll = (tensors, caller) => tensors.map((tensor) => capture(tensor, caller));

/** @type {(entry: Entry, operands: readonly Operand[], shape: readonly number[], size: number) => Storage} */
function callPending(entry, operands, shape, size) {
  shorten(operands);
  const node = new Node(entry, operands, shape, size);
  const storage = pendingStorage(entry.info, size, node);
  node.storage = storage;
  if (isSmall(entry.info, size) || operands.some(({ isStable }) => !isStable)) arrayOf(storage, entry.operation.name);
  return storage;
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
  const storage =
    callSmall(entry, tensors, shape, size) ??
    callPending(entry, captureAll(tensors, entry.operation.name), layout.shape, size);
  return tensorOver(storage, layout);
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
 * @throws {import('../base/errors.js').GraphError} ERR_DTYPE for a number that the dtype cannot hold, beside a row
 */
function operandsOf({ name, first, isRow }, args) {
  const found = args.map((arg) => {
    if (arg instanceof Tensor) return arg;
    if (dtypeOf(arg) !== undefined || (isRow && Array.isArray(arg))) return asTensor(/** @type {any} */ (arg));
    return scalarDType(arg) === undefined ? null : undefined;
  });
  // What a number beside a composite becomes is the business of that, where it is not plain.
  if (found.includes(null) || (!isRow && args.some((arg) => typeof arg === 'number' && !Number.isFinite(arg))))
    return null;
  const like = found.find((tensor, i) => i >= first && tensor !== undefined);
  const common = like ? infoOf(like) : dtypes[scalarDType(args[first]) ?? 'f64'];
  if (!isRow && common.kind !== 'float' && found.includes(undefined)) return null;
  return found.map((tensor, i) => {
    const value = /** @type {number} */ (args[i]);
    if (tensor) return tensor;
    const info = i < first ? dtypes.bool : common;
    return tensorOver(storageOver(oneElement(value, info, `operand ${i + 1}`, name), info, false), SCALAR);
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
  if (args.some((arg) => typeof arg === 'function')) return require('./higher-order.js').callHigherOrder(operation, args);
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

/** @type {(entry: Entry, storage: Storage, size: number) => boolean} whether operands and result are small */
const isFew = ({ info }, storage, size) => size > 0 && isSmall(info, size) && isSmall(storage.info, size);

/** @type {(operation: Operation, entry: Entry, x: Tensor, y: Tensor) => Tensor | null} of one shape and dtype */
function callPair({ name }, entry, x, y) {
  const layout = layoutOf(x);
  const { size } = layout;
  const [a, b] = [storageOf(x), storageOf(y)];
  if (!isFew(entry, a, size))
    return tensorOver(callPending(entry, captureAll([x, y], name), layout.shape, size), layoutLike(layout));
  if (!isInBlock(a, layout) || !isInBlock(b, layoutOf(y))) return null;
  return pairOver(name, entry, a, b, layout);
}

/**
 * Where b has as many elements as a, or one.
 *
 * @type {(name: string, entry: Entry, a: Storage, b: Storage, layout: Layout) => Tensor | null}
 */
function pairOver(name, entry, a, b, layout) {
  const loop = loops[name];
  const storage = (loop && runLoop(loop, a, b, layout.size)) ?? runBound(entry, [a, b], layout.size);
  return storage && tensorOver(storage, layoutLike(layout));
}

/** @type {(operation: Operation, entry: Entry, x: Tensor, y: number) => Tensor | null} */
function callNumber({ name }, entry, x, y) {
  const layout = layoutOf(x);
  const { size, shape } = layout;
  const storage = storageOf(x);
  const { info } = storage;
  if (isFew(entry, storage, size)) {
    return isInBlock(storage, layout) ? pairOver(name, entry, storage, numberStorage(y, info, name), layout) : null;
  }
  const number = new Operand(null, oneElement(y, info, 'operand 2', name), info, SCALAR.shape, 1, null, true);
  return tensorOver(callPending(entry, [capture(x, name), number], shape, size), layoutLike(layout));
}

/** A storage for a number during one call, for each dtype. @type {Partial<Record<string, Storage>>} */
const numberStorages = {};

/** @type {(value: number, info: DTypeInfo, caller: string) => Storage} good until the next call */
function numberStorage(value, info, caller) {
  const storage = (numberStorages[info.name] ??= newNumberStorage(info));
  const array = /** @type {TypedArray} */ (storage.array);
  array[0] = info.kind === 'float' && !info.half ? value : toElement(value, info, () => 'operand 2', caller);
  return storage;
}

/** @type {(info: DTypeInfo) => Storage} with whole words, so that it can be copied as such */
function newNumberStorage(info) {
  const ArrayOver = /** @type {any} */ (info.arrayType);
  const words = new Int32Array(2);
  const storage = storageOver(new ArrayOver(words.buffer, 0, 1), info, false);
  storage.block = new Block(
    info.name === 'f64' ? /** @type {any} */ (storage.array) : null,
    info.name === 'f32' ? /** @type {any} */ (storage.array) : null,
    words,
  );
  return storage;
}

/** @type {(operation: Operation, x: Tensor) => any} null for what takes more than a tensor */
function callOne(operation, x) {
  const entry = operation.same[1][infoOf(x).name];
  const layout = layoutOf(x);
  if (!entry) {
    const { latest } = operation;
    const isLike =
      latest !== null && latest.layout === layout && latest.info === infoOf(x) && storageOf(x).pending === null;
    return isLike && !latest.direct.isDropped ? runDirect(latest.direct, [x]) : null;
  }
  const { size } = layout;
  const storage = storageOf(x);
  if (!isFew(entry, storage, size)) {
    return tensorOver(callPending(entry, [capture(x, operation.name)], layout.shape, size), layoutLike(layout));
  }
  const made = isInBlock(storage, layout) ? runBound(entry, [storage], size) : null;
  return made && tensorOver(made, layoutLike(layout));
}

module.exports = { call, callOne, callTwo, isWorthKnowing, operandsOf };
