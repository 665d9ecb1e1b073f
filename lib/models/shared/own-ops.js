/**
 * Ops in JavaScript that a user gives for those of a file, as translations.
 *
 * They are called with the node and Values. A native function knows nothing of nodes: it gets the operands alone, and
 * becomes an op of the graph. What goes wrong in a function is said of the option, since the file is not to blame.
 */
'use strict';

const { GraphError } = require('../../base/errors.js');
const { describe } = require('../../base/check.js');
const { isValue } = require('../../graph/value.js');
const { isGiven } = require('./operands.js');

/** @typedef {import('./builder.js').Builder} Builder */
/** @typedef {import('./builder.js').Translation} Translation */

/** Whoever gives a native function has loaded what knows it. @type {(own: Function) => boolean} */
const isNative = (own) => require('../../native/run/callable.js').ownerOf(own) !== undefined;

/** @type {(own: Function, node: any, values: readonly any[], cx: Builder) => any} */
function call(own, node, values, cx) {
  try {
    return isNative(own) ? own(...values) : own(node, ...values);
  } catch (error) {
    if (error instanceof GraphError) throw error;
    const message = `${cx.where}: its function of option 'ops' failed: ${error instanceof Error ? error.message : error}`;
    throw new GraphError(message, { code: 'ERR_ARGUMENT', cause: error });
  }
}

/** @type {(own: Function) => Translation} */
const translationOf = (own) => ({
  translate: (node, inputs, cx) => {
    const values = inputs.map((each) => (isGiven(each) ? cx.value(each) : undefined));
    const result = call(own, node, values, cx);
    const list = Array.isArray(result) ? result : [result];
    if (list.every(isValue)) return list;
    return cx.fail('ERR_ARGUMENT', `its function of option 'ops' gave ${describe(result)}, expected Values`);
  },
  fold: false,
});

module.exports = { translationOf };
