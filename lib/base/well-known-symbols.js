/**
 * Hidden members by which one room asks objects of another for what they alone can do, without importing it.
 */
'use strict';

/** Of a native comparison: gives a function that sorts the lines of an array by it, `(elements, length) => void`. */
const SORTER = Symbol('graphjit.sorter');

/** Of a compiled map: gives the row of the table of functions that it is in expressions, `(name) => FunctionRow`. */
const COLUMN_FUNCTION = Symbol('graphjit.columnFunction');

module.exports = { COLUMN_FUNCTION, SORTER };
