/**
 * `throw`: a message of texts that are known and values that the run shows.
 */
'use strict';

const M = require('../tir/machine.js');
const E = require('./environment.js');
const { settleValue, toNumber } = require('./conversions.js');

/** @typedef {import('../hir/index.js').ThrowNode} ThrowNode */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/** @type {(walk: Walk, s: ThrowNode) => void} */
function throwStatement(walk, s) {
  const parts = s.parts.map((part) => settleValue(walk, walk.evaluate(part)));
  walk.out.push(...thrown(walk, s, parts, [], []));
  walk.env = null;
}

/**
 * Throws with what is known of the message and the rest of it; a part that may be nothing has a way of its own.
 *
 * @type {(walk: Walk, s: ThrowNode, rest: any[], message: (string | null)[], values: Expression[]) => Statement[]}
 */
function thrown(walk, s, rest, message, values) {
  const [part, ...more] = rest;
  if (!part) return [{ kind: 'throw', site: walk.site(s.place, s.type, message, values), values }];
  const place = s.parts[s.parts.length - rest.length].place;
  const told = (/** @type {Expression} */ x) => thrown(walk, s, more, [...message, null], [...values, x]);
  const text = (/** @type {string} */ known) => thrown(walk, s, more, [...message, known], values);
  if (part.kind === 'string' && !part.tag) return text(part.value);
  if (part.kind === 'undefined' || part.kind === 'null') return text(part.kind);
  if (part.kind === 'bigint') return told(part.x);
  const isBoolean = part.kind === 'boolean';
  const exact = isBoolean ? part.x : M.convert(toNumber(part, place).x, 'f64');
  if (!part.tag) return told(exact);
  const tag = (/** @type {number} */ k) => M.binary('eq', part.tag, M.constant('i32', k));
  /** @type {(test: Expression, then: Statement[], otherwise: Statement[]) => Statement[]} */
  const either = (test, then, otherwise) => [{ kind: 'if', test, then, otherwise, place: s.place }];
  const solid =
    isBoolean || !part.type.boolean
      ? told(exact)
      : either(tag(E.BOOLEAN), told(M.binary('ne', part.x, M.constant(part.x.type, 0))), told(exact));
  return either(tag(1), text('undefined'), either(tag(2), text('null'), solid));
}

module.exports = { throwStatement };
