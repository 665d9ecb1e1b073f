/**
 * Hidden members by which one room asks objects of another for what they alone can do, without importing it.
 */
'use strict';

/** Of a native comparison: gives a function that sorts the lines of an array by it, `(elements, length) => void`. */
const SORTER = Symbol('graphjit.sorter');

module.exports = { SORTER };
