/**
 * Different values, and sets of them.
 *
 * All of it is a sort, a look at the neighbour of each element, and `compress`. NaNs differ from each other, as the
 * array API has it, unless `equalNaN` says otherwise; -0 equals +0, and which of them stands for both is the one that
 * came first. Of two vectors, elements are sorted by value and then by where they come from, so that one sort tells
 * what is in both.
 */
'use strict';

const { boolean, readOptions } = require('../base/check.js');
const { append, constantOf, dimsOf, graphOf, isValue, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { flattened, numbers, selectRows, selection, valueFrom } = require('./boolean-indexing.js');
const { elementwise, rows } = require('./elementwise.js');
const { sizeValue } = require('./indexing.js');
const { joins, movement, reshapeTo } = require('./movement.js');

/** @typedef {import('../graph/value.js').Value} Value */

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
  return values.map((_, index) => (index === 0 ? first : append(state, 'result', [first], { index })));
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

const uniqueOptions = { equalNaN: boolean, ...selection };

/** @type {(x: unknown, caller: string) => Value} */
function lineOf(x, caller) {
  graphOf([x], caller);
  return flattened(/** @type {Value} */ (x));
}

/** @type {(x: unknown, options?: unknown) => Value} */
function uniqueValues(x, options) {
  const { equalNaN = false, ...known } = readOptions('uniqueValues', options, uniqueOptions);
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

/** @type {(x: unknown, options?: unknown) => { values: Value, counts: Value }} */
function uniqueCounts(x, options) {
  const { equalNaN = false, ...known } = readOptions('uniqueCounts', options, uniqueOptions);
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
  const placed = append(state, 'scatter', [nothing, movement.expandDims(order, -1), sub(before, 1)], {
    offset_axes: [],
    collapsed_axes: [0],
    operand_batch: [],
    indices_batch: [],
    index_map: [0],
  });
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

/** @type {(x: unknown, options?: unknown) => { values: Value, inverseIndices: Value }} */
function uniqueInverse(x, options) {
  const { equalNaN = false, ...known } = readOptions('uniqueInverse', options, uniqueOptions);
  const { ordered, order, fresh } = inOrder(x, equalNaN, 'uniqueInverse');
  const [values] = selectRows(fresh, [ordered], known, 'uniqueInverse');
  return { values, inverseIndices: groups(/** @type {Value} */ (x), order, fresh) };
}

/**
 * @type {(x: unknown, options?: unknown) => { values: Value, indices: Value, inverseIndices: Value, counts: Value }}
 */
function uniqueAll(x, options) {
  const { equalNaN = false, ...known } = readOptions('uniqueAll', options, uniqueOptions);
  const { ordered, order, place, fresh } = inOrder(x, equalNaN, 'uniqueAll');
  const [values, indices, counts] = selectRuns(fresh, [ordered, order], place, known, 'uniqueAll');
  return { values, indices, inverseIndices: groups(/** @type {Value} */ (x), order, fresh), counts };
}

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
const sets = { intersect1d, setdiff1d, setxor1d, union1d, uniqueAll, uniqueCounts, uniqueInverse, uniqueValues };

module.exports = { sets };
