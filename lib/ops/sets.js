/**
 * Different values, and sets of them.
 *
 * All of it is a sort, a look at the neighbour of each element, and `compress`. NaNs differ from each other, as the
 * array API has it, unless `equalNaN` says otherwise; -0 equals +0, and which of them stands for both is the one that
 * came first. Slices along an axis are sorted by one of their elements after the other, the last one first: sorts are
 * stable, so each keeps the order of those before among its equals, however many there are. Of two vectors, elements
 * are sorted by value and then by where they come from, so that one sort tells what is in both.
 */
'use strict';

const { boolean, readOptions } = require('../base/check.js');
const { append, constantOf, dimsOf, graphOf, isValue, resultsOf, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readAxis } = require('../tensor/views.js');
const { flattened, numbers, selectRows, selection, valueFrom } = require('./boolean-indexing.js');
const { elementwise, rows } = require('./elementwise.js');
const { indexing, sizeValue } = require('./indexing.js');
const { manipulation } = require('./manipulation.js');
const { joins, movement, reshapeTo } = require('./movement.js');
const { reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */

/** Loaded late: trace/control.js needs the operations. @type {() => typeof import('../trace/control.js').control} */
const control = () => require('../trace/control.js').control;

const { add, and, eq, isNan, ne, not, or, select, sub } = rows;

/** Elements of a vector at places; what is outside is clamped. @type {(line: Value, places: Value) => Value} */
function at(line, places) {
  const indices = movement.expandDims(places, -1);
  return append(stateOf(line), 'gather', [line, indices], {
    offset_axes: [],
    collapsed_axes: [0],
    operand_batch: [],
    indices_batch: [],
    index_map: [0],
    window: [1],
  });
}

/** @type {(values: readonly Value[], keys: number) => Value[]} vectors in the order of the first `keys` */
function sorted(values, keys) {
  const state = stateOf(values[0]);
  const first = append(state, 'sort', values, { axis: 0, keys, descending: 0 });
  return resultsOf(first, values.length);
}

/**
 * Whether elements of a sorted vector differ from those before them.
 *
 * @type {(line: Value, place: Value, equalNaN: boolean) => Value}
 */
function begins(line, place, equalNaN) {
  const before = at(line, sub(place, 1));
  const differs = ne(line, before);
  const fresh =
    equalNaN && dtypes[line.dtype].kind === 'float' ? and(differs, not(and(isNan(line), isNan(before)))) : differs;
  return or(eq(place, 0), fresh);
}

// ------------------------------------------------------------------------------------ one vector

const given = (/** @type {unknown} */ value) => value;
const uniqueOptions = { equalNaN: boolean, axis: given, sorted: boolean, ...selection };

/** @typedef {{ equalNaN?: boolean } & import('./boolean-indexing.js').Selection} Known */

/** @type {(x: unknown, caller: string) => Value} */
function lineOf(x, caller) {
  graphOf([x], caller);
  return flattened(/** @type {Value} */ (x));
}

/** @type {(x: unknown, options: Known) => Value} */
function uniqueValues(x, { equalNaN = false, ...known }) {
  const line = lineOf(x, 'uniqueValues');
  const [ordered] = sorted([line], 1);
  const place = numbers(stateOf(line), dimsOf(line), 0, 'i64');
  return selectRows(begins(ordered, place, equalNaN), [ordered], known, 'uniqueValues')[0];
}

/** How far each of these is from the next. @type {(starts: Value) => Value} */
function gaps(starts) {
  const state = stateOf(starts);
  const shape = [state.sub(dimsOf(starts)[0], 1)];
  const [next, own] = [1, 0].map((start) => append(state, 'slice', [starts], { shape, start: [start], stride: [1] }));
  return sub(next, own);
}

/**
 * Rows where runs begin, and how long these are: up to where the next one begins, which with `size` may be the first
 * that is left out.
 *
 * @param {Value} fresh where runs begin
 * @param {readonly Value[]} values the first of them filled with `fill`, others with 0
 * @param {Value} place the number of each row
 * @param {import('./boolean-indexing.js').Selection} known
 * @param {string} caller
 * @returns {Value[]} one per value, and the lengths
 */
function selectRuns(fresh, values, place, known, caller) {
  const state = stateOf(place);
  const end = sizeValue(state, dimsOf(place)[0], 'i64', caller);
  if (known.size === undefined) {
    const all = selectRows(fresh, [...values, place], known, caller);
    const starts = joins.concat([all[values.length], reshapeTo(state, end, [1])]);
    return [...all.slice(0, -1), gaps(starts)];
  }
  const some = selectRows(
    fresh,
    values,
    known,
    caller,
    values.map((_, i) => (i === 0 ? known.fill : undefined)),
  );
  const size = state.text(state.add(state.dim(known.size, "option 'size'", caller), 1));
  return [...some, gaps(selectRows(fresh, [place], { size }, caller, [end])[0])];
}

/** @type {(x: unknown, options: Known) => { values: Value, counts: Value }} */
function uniqueCounts(x, { equalNaN = false, ...known }) {
  const line = lineOf(x, 'uniqueCounts');
  const [ordered] = sorted([line], 1);
  const place = numbers(stateOf(line), dimsOf(line), 0, 'i64');
  const [values, counts] = selectRuns(begins(ordered, place, equalNaN), [ordered], place, known, 'uniqueCounts');
  return { values, counts };
}

/** The number of the value that each element has. @type {(x: Value, order: Value, fresh: Value) => Value} */
function groups(x, order, fresh) {
  const state = stateOf(x);
  const before = append(state, 'cumulate_sum', [elementwise.convert(fresh, 'i64')], { axis: 0 });
  const dims = dimsOf(x);
  const nothing = constantOf(state, 0n, 'i64', 'zero', 'unique', [...dimsOf(order)]);
  const placed = put('scatter', nothing, order, sub(before, 1));
  return dims.length === 1 ? placed : reshapeTo(state, placed, dims);
}

/**
 * The elements in order, where each comes from, its number there, and where runs of equals begin.
 *
 * @type {(x: unknown, equalNaN: boolean, caller: string) => { ordered: Value, order: Value, place: Value, fresh: Value }}
 */
function inOrder(x, equalNaN, caller) {
  const line = lineOf(x, caller);
  const place = numbers(stateOf(line), dimsOf(line), 0, 'i64');
  const [ordered, order] = sorted([line, place], 1);
  return { ordered, order, place, fresh: begins(ordered, place, equalNaN) };
}

/** @type {(x: unknown, options: Known) => { values: Value, inverseIndices: Value }} */
function uniqueInverse(x, { equalNaN = false, ...known }) {
  const { ordered, order, fresh } = inOrder(x, equalNaN, 'uniqueInverse');
  const [values] = selectRows(fresh, [ordered], known, 'uniqueInverse');
  return { values, inverseIndices: groups(/** @type {Value} */ (x), order, fresh) };
}

/**
 * @type {(x: unknown, options: Known) => { values: Value, indices: Value, inverseIndices: Value, counts: Value }}
 */
function uniqueAll(x, { equalNaN = false, ...known }) {
  const { ordered, order, place, fresh } = inOrder(x, equalNaN, 'uniqueAll');
  const [values, indices, counts] = selectRuns(fresh, [ordered, order], place, known, 'uniqueAll');
  return { values, indices, inverseIndices: groups(/** @type {Value} */ (x), order, fresh), counts };
}

// ------------------------------------------------------------------------- slices, and other orders

/** @typedef {{ values: Value, indices: Value, inverseIndices: Value, counts: Value }} Unique */

/** Slices along axis 0 as rows of a matrix. @type {(value: Value) => Value} */
function matrixOf(value) {
  const [count, ...rest] = dimsOf(value);
  return reshapeTo(stateOf(value), value, [count, stateOf(value).product(rest)]);
}

/**
 * The numbers of the rows of a matrix in their order. A column more is there to be taken from where there is none.
 *
 * @type {(matrix: Value, place: Value) => Value}
 */
function orderOfRows(matrix, place) {
  const columns = dimsOf(matrix)[1];
  const zero = constantOf(stateOf(matrix), matrix.dtype === 'bool' ? false : 0, matrix.dtype, 'zero', 'unique');
  const wider = append(stateOf(matrix), 'pad', [matrix, zero], { lo: [0, 0], hi: [0, 1], interior: [0, 0] });
  const last = sub(sizeValue(stateOf(matrix), columns, 'i64', 'unique'), 1);
  return control().forLoop(
    0,
    stateOf(matrix).text(columns),
    (/** @type {Value} */ round, /** @type {Value} */ order) => {
      const column = indexing.take(wider, sub(last, round), { axis: 1 });
      return sorted([at(column, order), order], 1)[1];
    },
    place,
  );
}

/** Whether rows differ from those before them. @type {(matrix: Value, place: Value, equalNaN: boolean) => Value} */
function rowsBegin(matrix, place, equalNaN) {
  const before = indexing.take(matrix, rows.max(sub(place, 1), 0), { axis: 0 });
  const differs = ne(matrix, before);
  const isFloat = dtypes[matrix.dtype].kind === 'float';
  const fresh = equalNaN && isFloat ? and(differs, not(and(isNan(matrix), isNan(before)))) : differs;
  return or(eq(place, 0), reductions.any(fresh, { axis: 1 }));
}

/**
 * A vector whose element at each of these places is the update.
 *
 * @type {(op: string, base: Value, places: Value, updates: Value) => Value}
 */
const put = (op, base, places, updates) =>
  append(stateOf(base), op, [base, movement.expandDims(places, -1), updates], {
    offset_axes: [],
    collapsed_axes: [0],
    operand_batch: [],
    indices_batch: [],
    index_map: [0],
  });

/**
 * Different slices in the order in which they come: each slice learns where its like is for the first time.
 *
 * @param {Value} value slices along axis 0
 * @param {Value} order the numbers of the slices when they are sorted
 * @param {Value} fresh where runs of equals begin then
 * @param {Value} place
 * @param {import('./boolean-indexing.js').Selection} known
 * @param {string} caller
 * @returns {Unique}
 */
function asTheyCome(value, order, fresh, place, known, caller) {
  const state = stateOf(value);
  const nothing = constantOf(state, 0, 'i64', 'zero', caller, [...dimsOf(place)]);
  const start = append(state, 'cumulate_max', [select(fresh, place, 0)], { axis: 0 });
  const first = put('scatter', nothing, order, at(order, start));
  const isFirst = eq(first, place);
  const rank = sub(append(state, 'cumulate_sum', [elementwise.convert(isFirst, 'i64')], { axis: 0 }), 1);
  const count = put('scatter_add', nothing, first, constantOf(state, 1, 'i64', 'one', caller, [...dimsOf(place)]));
  const fills = [known.fill, undefined, undefined];
  const [values, indices, counts] = selectRows(isFirst, [value, place, count], known, caller, fills);
  return { values, indices, inverseIndices: at(rank, first), counts };
}

/**
 * Different slices along an axis, or elements, sorted or as they come.
 *
 * @type {(x: unknown, axis: unknown, isSorted: boolean, options: Known, caller: string) => Unique}
 */
function uniqueSlices(x, axis, isSorted, { equalNaN = false, ...known }, caller) {
  const state = graphOf([x], caller);
  const whole = /** @type {Value} */ (x);
  const along = axis === undefined ? 0 : readAxis(axis, whole.rank, caller);
  const value = axis === undefined ? flattened(whole) : manipulation.moveaxis(whole, along, 0);
  const matrix = matrixOf(value);
  const place = numbers(state, [dimsOf(value)[0]], 0, 'i64');
  const order = orderOfRows(matrix, place);
  const ordered = indexing.take(value, order, { axis: 0 });
  const fresh = rowsBegin(matrixOf(ordered), place, equalNaN);
  if (!isSorted) return shaped(asTheyCome(value, order, fresh, place, known, caller), whole, axis, along);
  const [values, indices, counts] = selectRuns(fresh, [ordered, order], place, known, caller);
  return shaped({ values, indices, inverseIndices: groups(place, order, fresh), counts }, whole, axis, along);
}

/**
 * With the axis where it was; of elements, the inverse has the axes of all.
 *
 * @type {(found: Unique, x: Value, axis: unknown, along: number) => Unique}
 */
function shaped({ values, inverseIndices, ...rest }, x, axis, along) {
  if (axis !== undefined) return { values: manipulation.moveaxis(values, 0, along), inverseIndices, ...rest };
  return { values, inverseIndices: reshapeTo(stateOf(x), inverseIndices, [...dimsOf(x)]), ...rest };
}

/**
 * One of the operations above, or of slices and in the order in which they come.
 *
 * @template T
 * @param {string} caller
 * @param {(x: unknown, options: Known) => T} ofElements
 * @param {(found: Unique) => T} picked
 * @returns {(x: unknown, options?: unknown) => T}
 */
const unique = (caller, ofElements, picked) => (x, options) => {
  const { axis, sorted: isSorted = true, ...known } = readOptions(caller, options, uniqueOptions);
  if (axis === undefined && isSorted) return ofElements(x, known);
  return picked(uniqueSlices(x, axis, isSorted, known, caller));
};

// ----------------------------------------------------------------------------------- two vectors

/**
 * The elements of both, in order, and for each where it stands and whether it is of y.
 *
 * @type {(x: unknown, y: unknown, caller: string) => { line: Value, other: Value, place: Value }}
 */
function together(x, y, caller) {
  const state = graphOf([x, y].filter(isValue).length > 0 ? [x, y].filter(isValue) : [x], caller);
  const [own, their] = [x, y].map((each, i) => flattened(valueFrom(state, each, caller, `operand ${i + 1}`)));
  const all = joins.concat([own, their]);
  const place = numbers(state, dimsOf(all), 0, 'i64');
  const [line, order] = sorted([all, place], 1); // stable: those of x come first among equals
  return { line, place, other: rows.ge(order, sizeValue(state, dimsOf(own)[0], 'i64', caller)) };
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
function union1d(x, y, options) {
  const known = readOptions('union1d', options, selection);
  const { line, place } = together(x, y, 'union1d');
  return selectRows(begins(line, place, false), [line], known, 'union1d')[0];
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
function intersect1d(x, y, options) {
  const known = readOptions('intersect1d', options, selection);
  const { line, place, other } = together(x, y, 'intersect1d');
  const before = sub(place, 1);
  const crosses = and(other, not(at(other, before))); // the first of y behind elements of x
  const value = at(line, before);
  return selectRows(and(and(crosses, rows.gt(place, 0)), eq(value, line)), [value], known, 'intersect1d')[0];
}

/** Whether a run of equals ends with this element. @type {(line: Value, place: Value, fresh: Value) => Value} */
function endsOf(line, place, fresh) {
  const state = stateOf(line);
  const last = sub(sizeValue(state, dimsOf(line)[0], 'i64', 'sets'), 1);
  return or(eq(place, last), at(fresh, add(place, 1)));
}

/**
 * Elements of a run, all of them of x or all of y.
 *
 * @type {(line: Value, place: Value, other: Value) => { ends: Value, first: Value, last: Value }}
 */
function runs(line, place, other) {
  const fresh = begins(line, place, false);
  const start = append(stateOf(line), 'cumulate_max', [select(fresh, place, 0)], { axis: 0 });
  return { ends: endsOf(line, place, fresh), first: at(other, start), last: other };
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
function setdiff1d(x, y, options) {
  const known = readOptions('setdiff1d', options, selection);
  const { line, place, other } = together(x, y, 'setdiff1d');
  const { ends, last } = runs(line, place, other); // a run that ends in x has nothing of y
  return selectRows(and(ends, not(last)), [line], known, 'setdiff1d')[0];
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
function setxor1d(x, y, options) {
  const known = readOptions('setxor1d', options, selection);
  const { line, place, other } = together(x, y, 'setxor1d');
  const { ends, first, last } = runs(line, place, other);
  return selectRows(and(ends, eq(first, last)), [line], known, 'setxor1d')[0];
}

/** Every operation here that becomes a method and a function, by name. */
const sets = {
  intersect1d,
  setdiff1d,
  setxor1d,
  union1d,
  uniqueAll: unique('uniqueAll', uniqueAll, (found) => found),
  uniqueCounts: unique('uniqueCounts', uniqueCounts, ({ values, counts }) => ({ values, counts })),
  uniqueInverse: unique('uniqueInverse', uniqueInverse, ({ values, inverseIndices }) => ({ values, inverseIndices })),
  uniqueValues: unique('uniqueValues', uniqueValues, ({ values }) => values),
};

module.exports = { sets };
