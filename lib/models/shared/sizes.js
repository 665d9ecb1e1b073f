/**
 * Arithmetic on tensors whose elements are sizes: what files compute about shapes, worked out while the graph is built.
 *
 * Elements are numbers, texts of sizes ('n', 'n * 2') and, among floats, fractions of such. Each function gives a
 * tensor again, or undefined where the result would be neither: then the operands become values of the graph, which
 * compute it when they run. Broadcasting is NumPy's.
 */
'use strict';

const { Known, Ratio, Sizes, isFloat } = require('./operands.js');

/** @typedef {import('./operands.js').Item} Item */
/** @typedef {import('../../tensor/dtypes.js').DType} DType */
/** @typedef {{ dtype: DType, shape: readonly number[], items: readonly Item[] }} Table */
/** @typedef {Known | Sizes | undefined} Result */

/** More elements than that are no shapes. */
const MAX_ITEMS = 1024;

/** @type {(operand: any) => Table | undefined} */
function tableOf(operand) {
  if (operand instanceof Sizes) return operand;
  if (!(operand instanceof Known) || operand.size > MAX_ITEMS) return undefined;
  const list = /** @type {any} */ (operand.tensor.toArray());
  const items = (Array.isArray(list) ? list.flat(Infinity) : [list]).map(Number);
  return { dtype: operand.dtype, shape: operand.shape, items };
}

/** @type {(item: Item) => Ratio | undefined} */
const asRatio = (item) => {
  if (item instanceof Ratio) return item;
  return typeof item === 'string' ? new Ratio(item, 1) : undefined;
};

/** @type {(top: string, bottom: number) => Item} */
const ratio = (top, bottom) => (bottom === 1 ? top : new Ratio(top, bottom));

/** Whether a text stands for a size alone, so that `text * 2` needs no parentheses. @type {(text: string) => string} */
const grouped = (text) => (/^\w+$/.test(text) ? text : `(${text})`);

/** @type {(a: Item, b: Item, asFloat: boolean) => Item | undefined} */
function multiply(a, b, asFloat) {
  if (typeof a === 'number' && typeof b === 'number') return a * b;
  if (typeof a === 'number') return multiply(b, a, asFloat);
  if (typeof b === 'number') return scaled(/** @type {Ratio} */ (asRatio(a)), b, asFloat);
  if (typeof a !== 'string' || typeof b !== 'string') return undefined;
  return `${grouped(a)} * ${grouped(b)}`;
}

/**
 * Scales that files have are small fractions: 0.5, 2, 1 / 3.
 *
 * @type {(item: Ratio, factor: number, asFloat: boolean) => Item | undefined}
 */
function scaled({ top, bottom }, factor, asFloat) {
  if (factor === 0) return 0;
  if (factor < 0) return bottom === 1 && Number.isInteger(factor) ? `${grouped(top)} * ${factor}` : undefined;
  for (let below = 1; below <= (asFloat ? 64 : 1); below++) {
    const above = factor * below;
    const whole = Math.round(above);
    if (whole < 1 || Math.abs(above - whole) > 1e-6 * above) continue;
    const common = gcd(whole, below * bottom);
    const [over, under] = [whole / common, (below * bottom) / common];
    return ratio(over === 1 ? top : `${grouped(top)} * ${over}`, under);
  }
  return undefined;
}

const isWhole = (/** @type {Item} */ item) => typeof item === 'string' || Number.isInteger(item);

/** Whether a text is at least 0 whatever the sizes in it are. @type {(item: Item) => item is string} */
const isSize = (item) => typeof item === 'string' && !item.includes('-');

/** @type {(a: number, b: number) => number} */
const gcd = (a, b) => (b === 0 ? a : gcd(b, a % b));

/** @type {(a: Item, b: Item, asFloat: boolean) => Item | undefined} */
function divide(a, b, asFloat) {
  if (typeof a === 'number' && typeof b === 'number') return asFloat ? a / b : b === 0 ? undefined : Math.trunc(a / b);
  if (a === b && typeof a === 'string') return 1;
  if (typeof b === 'number' && b > 0) {
    if (asFloat) return scaled(/** @type {Ratio} */ (asRatio(a)), 1 / b, true);
    return typeof a === 'string' ? (b === 1 ? a : `${grouped(a)} / ${b}`) : undefined;
  }
  return typeof a === 'string' && typeof b === 'string' && !asFloat ? `${grouped(a)} / ${grouped(b)}` : undefined;
}

/** @type {(sign: 1 | -1) => (a: Item, b: Item) => Item | undefined} */
const sum = (sign) => (a, b) => {
  if (typeof a === 'number' && typeof b === 'number') return a + sign * b;
  if (b === 0) return a;
  if (a === 0 && sign === 1) return b;
  if (a === b && sign === -1) return 0;
  if (!isWhole(a) || !isWhole(b)) return undefined;
  if (typeof b === 'number' && sign * b < 0) return `${a} - ${Math.abs(b)}`;
  if (typeof a === 'number' && a < 0) return sign === 1 ? `${b} - ${-a}` : undefined;
  return sign === 1 ? `${a} + ${b}` : `${a} - ${grouped(String(b))}`;
};

/** @type {(a: Item, b: Item) => Item | undefined} */
const difference = sum(-1);

/** @type {(a: Item, b: Item) => Item | undefined} */
function greater(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return Math.max(a, b);
  if (a === b) return a;
  if (a instanceof Ratio || b instanceof Ratio) return undefined;
  if (typeof a === 'number' && a <= 0 && isSize(b)) return b;
  if (typeof b === 'number' && b <= 0 && isSize(a)) return a;
  if (![a, b].every(isWhole)) return undefined;
  return `max(${a}, ${b})`;
}

/** @type {(a: Item, b: Item) => Item | undefined} */
function lesser(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return Math.min(a, b);
  if (a === b) return a;
  if (a instanceof Ratio || b instanceof Ratio) return undefined;
  if (typeof a === 'number' && a <= 0 && isSize(b)) return a;
  if (typeof b === 'number' && b <= 0 && isSize(a)) return b;
  if (![a, b].every(isWhole)) return undefined;
  const least = `${a} + ${grouped(String(b))} - max(${a}, ${b})`;
  // As slices say it: of sizes that depend on data it must be seen that this is at least 0.
  return [a, b].every((item) => isSize(item) || Number(item) >= 0) ? `max(${least}, 0)` : least;
}

/** @type {(item: Item) => Item | undefined} */
const floor = (item) => {
  if (typeof item === 'number') return Math.floor(item);
  return item instanceof Ratio ? `${grouped(item.top)} / ${item.bottom}` : item;
};

/** @type {(item: Item) => Item | undefined} */
const ceil = (item) => {
  if (typeof item === 'number') return Math.ceil(item);
  return item instanceof Ratio ? `(${item.top} + ${item.bottom - 1}) / ${item.bottom}` : item;
};

/** What two items compare as, where that does not depend on what a size is. @type {(a: Item, b: Item) => boolean | undefined} */
function equal(a, b) {
  if (a === b) return true;
  if (typeof a === 'number' && typeof b === 'number') return false;
  const [size, number] = typeof a === 'number' ? [b, a] : [a, b];
  return typeof number === 'number' && number < 0 && isSize(size) ? false : undefined;
}

/** @type {(a: Item, b: Item) => boolean | undefined} a < b */
function less(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (a === b) return false;
  if (typeof a === 'number' && a < 0 && isSize(b)) return true;
  if (typeof b === 'number' && b <= 0 && isSize(a)) return false;
  return undefined;
}

/** @type {(a: readonly number[], b: readonly number[]) => number[] | undefined} */
function broadcastShapes(a, b) {
  const rank = Math.max(a.length, b.length);
  const shape = Array.from({ length: rank }, (_, i) => {
    const [one, other] = [a[i - rank + a.length] ?? 1, b[i - rank + b.length] ?? 1];
    return one === 1 ? other : other === 1 || one === other ? one : -1;
  });
  return shape.includes(-1) ? undefined : shape;
}

/**
 * Elements in row-major order, repeated to another shape.
 *
 * @template T
 * @param {readonly T[]} items
 * @param {readonly number[]} own their shape
 * @param {readonly number[]} shape
 * @returns {T[]}
 */
function spread(items, own, shape) {
  const count = shape.reduce((total, size) => total * size, 1);
  return Array.from({ length: count }, (_, flat) => {
    let [rest, at, stride] = [flat, 0, 1];
    for (let axis = shape.length - 1, from = own.length - 1; axis >= 0; axis--, from--) {
      const index = rest % shape[axis];
      rest = Math.floor(rest / shape[axis]);
      if (from < 0) continue;
      if (own[from] !== 1) at += index * stride;
      stride *= own[from];
    }
    return items[at];
  });
}

/**
 * @param {DType | undefined} dtype of the result; by default that of the first operand
 * @param {(...items: Item[]) => Item | boolean | undefined} compute
 * @param {readonly any[]} operands
 * @returns {Result}
 */
function elementwise(dtype, compute, ...operands) {
  const tables = operands.map(tableOf);
  /** @type {readonly number[] | undefined} */
  let shape = [];
  for (const table of tables) shape = shape && table && broadcastShapes(shape, table.shape);
  if (shape === undefined) return undefined;
  const own = /** @type {Table[]} */ (tables);
  const columns = own.map((table) => spread(table.items, table.shape, /** @type {readonly number[]} */ (shape)));
  const items = Array.from({ length: columns[0]?.length ?? 0 }, (_, i) => compute(...columns.map((each) => each[i])));
  if (items.some((item) => item === undefined || Number.isNaN(item))) return undefined;
  return Sizes.of(dtype ?? own[0].dtype, shape, items.map((item) => (typeof item === 'boolean' ? Number(item) : /** @type {Item} */ (item))));
}

/** @type {(a: any, b: any) => Result} */
const add = (a, b) => elementwise(undefined, sum(1), a, b);
/** @type {(a: any, b: any) => Result} */
const sub = (a, b) => elementwise(undefined, sum(-1), a, b);
/** @type {(a: any, b: any) => Result} */
const mul = (a, b) => elementwise(undefined, (x, y) => multiply(x, y, isFloat(a)), a, b);
/** Towards zero for integers. @type {(a: any, b: any) => Result} */
const div = (a, b) => elementwise(undefined, (x, y) => divide(x, y, isFloat(a)), a, b);

/** With the sign of a divisor above 0. @type {(a: Item, b: Item) => Item | undefined} */
function remaining(a, b) {
  if (typeof b !== 'number' || b <= 0 || !Number.isInteger(b) || a instanceof Ratio) return undefined;
  return typeof a === 'number' ? ((a % b) + b) % b : `${a} - ${b} * (${grouped(a)} / ${b})`;
}

/** @type {(a: any, b: any) => Result} */
const remainder = (a, b) => elementwise(undefined, remaining, a, b);

/** @type {(item: Item) => Item | undefined} */
const negative = (item) => difference(0, item);

/** @type {(a: any, dtype: DType) => Result} to another dtype; a fraction is cut off on the way to an integer */
const cast = (a, dtype) =>
  elementwise(dtype, (item) => {
    if (dtype === 'bool') return typeof item === 'number' ? item !== 0 : undefined;
    return isFloat({ dtype }) ? item : typeof item === 'number' ? Math.trunc(item) : floor(item);
  }, a);

/** @type {(p: any, a: any, b: any) => Result} */
const where = (p, a, b) => elementwise(a.dtype, (test, x, y) => (typeof test === 'number' ? (test ? x : y) : x === y ? x : undefined), p, a, b);

/**
 * Of all elements, or without a start of those behind the first.
 *
 * @type {(operand: any, keepDims: boolean, combine: (a: Item, b: Item) => Item | undefined, start?: number) => Result}
 */
function reduceAll(operand, keepDims, combine, start) {
  const table = tableOf(operand);
  if (table === undefined) return undefined;
  /** @type {Item | undefined} */
  let total = start ?? table.items[0];
  const rest = start === undefined ? table.items.slice(1) : table.items;
  for (const item of rest) total = total === undefined ? undefined : combine(total, item);
  return total === undefined ? undefined : Sizes.of(table.dtype, keepDims ? table.shape.map(() => 1) : [], [total]);
}

/**
 * What an index tensor picks along axis 0 of a vector.
 *
 * @param {any} operand
 * @param {any} indices
 * @returns {Result}
 */
function take(operand, indices) {
  const [table, at] = [tableOf(operand), tableOf(indices)];
  if (table === undefined || at === undefined || table.shape.length !== 1) return undefined;
  const length = table.shape[0];
  const items = at.items.map((index) => {
    const place = typeof index === 'number' ? (index < 0 ? index + length : index) : -1;
    return table.items[place];
  });
  return items.includes(/** @type {any} */ (undefined)) ? undefined : Sizes.of(table.dtype, at.shape, items);
}

/** @type {(operand: any, start: number, stop: number, step: number) => Result} a[start:stop:step] of a vector, as in Python */
function slice(operand, start, stop, step) {
  const table = tableOf(operand);
  if (table === undefined || table.shape.length !== 1 || step === 0) return undefined;
  const length = table.shape[0];
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const clamp = (/** @type {number} */ index) => Math.min(Math.max(index < 0 ? index + length : index, low), high);
  /** @type {Item[]} */
  const items = [];
  const [from, to] = [clamp(start), clamp(stop)];
  for (let i = from; step > 0 ? i < to : i > to; i += step) items.push(table.items[i]);
  return Sizes.of(table.dtype, [items.length], items);
}

/** @type {(operands: readonly any[]) => Result} vectors joined */
function concat(operands) {
  const tables = operands.map(tableOf);
  if (!tables.every((table) => table?.shape.length === 1)) return undefined;
  const items = tables.flatMap((table) => /** @type {Table} */ (table).items);
  return Sizes.of(/** @type {Table} */ (tables.find((table) => table !== undefined)).dtype, [items.length], items);
}

/** @type {(operand: any, shape: readonly (number | string)[]) => Result} the same elements in another shape */
function reshape(operand, shape) {
  const table = tableOf(operand);
  if (table === undefined || shape.some((size) => typeof size !== 'number')) return undefined;
  const sizes = /** @type {number[]} */ ([...shape]);
  const known = sizes.reduce((total, size) => (size === -1 ? total : total * size), 1);
  const full = sizes.map((size) => (size === -1 ? table.items.length / known : size));
  return full.reduce((total, size) => total * size, 1) === table.items.length
    ? Sizes.of(table.dtype, full, table.items)
    : undefined;
}

/** @type {(operand: any, shape: readonly (number | string)[]) => Result} */
function broadcastTo(operand, shape) {
  const table = tableOf(operand);
  if (table === undefined || shape.some((size) => typeof size !== 'number')) return undefined;
  const full = broadcastShapes(table.shape, /** @type {number[]} */ ([...shape]));
  const count = full?.reduce((total, size) => total * size, 1) ?? Infinity;
  return full && count <= MAX_ITEMS ? Sizes.of(table.dtype, full, spread(table.items, table.shape, full)) : undefined;
}

/**
 * What moves elements, done with their places.
 *
 * @param {readonly any[]} operands
 * @param {(places: Known[]) => any[] | undefined} move of as many tensors of places
 * @returns {(Known | Sizes)[] | undefined}
 */
function moved(operands, move) {
  const tables = operands.map(tableOf);
  if (!tables.every((table) => table !== undefined)) return undefined;
  const items = tables.flatMap((table) => /** @type {Table} */ (table).items);
  let next = 0;
  const places = /** @type {Table[]} */ (tables).map(({ shape, items: { length } }) => {
    const numbers = Array.from({ length }, () => next++);
    return /** @type {Known} */ (Sizes.of('i64', shape, numbers));
  });
  return move(places)?.map((/** @type {Known} */ each) => {
    const { items: from, shape } = /** @type {Table} */ (tableOf(each));
    return Sizes.of(/** @type {Table} */ (tables[0]).dtype, shape, from.map((place) => items[Number(place)]));
  });
}

/** @type {(shape: readonly (number | string)[], dtype?: DType) => Known | Sizes} a shape as a vector */
const ofShape = (shape, dtype = 'i64') => Sizes.of(dtype, [shape.length], shape);

module.exports = {
  add, broadcastTo, cast, ceil, concat, difference, div, elementwise, equal, floor, greater, less, lesser,
  moved, mul, multiply, negative, ofShape, reduceAll, remainder, reshape, slice, spread, sub, sum, take, where,
};
