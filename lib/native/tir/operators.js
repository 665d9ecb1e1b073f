/**
 * What is known of the operators of TIR: what they cost, and which have no derivative.
 *
 * An operator is an elementwise op of Loop IR, which the table of ops describes (src/ops/ops.def, and for functions of
 * Math src/math/js/js.def), a node that only TIR has, or a function of JavaScript that is no op. The tables of the last
 * two are here; emit/prelude.js writes the functions.
 */
'use strict';

const { opRows } = require('../../base/ops.js');

/** @typedef {{ cycles: number, isFlat: boolean, associates: boolean }} Operator */

/** Cycles of what is no op. @type {Readonly<Record<string, number>>} */
const NODES = {
  const: 1, local: 1, load: 2, choose: 1, andalso: 1, orelse: 1, wrap: 1, overflows: 1, offset: 1, nowhere: 1,
  address: 1, pointer: 1, data: 1,
};

/**
 * Functions of JavaScript. Those with `least` are several, of any number of arguments from that on, which stands behind
 * the name: js_hypot3.
 *
 * @type {Readonly<Record<string, { cycles: number, isFlat: boolean, least?: number }>>}
 */
const FUNCTIONS = {
  js_round: { cycles: 3, isFlat: true },
  js_hypot: { cycles: 20, isFlat: false, least: 3 },
};

/**
 * Which function of JavaScript an operator is.
 *
 * @type {(op: string) => { name: string, count: number } | null} count: of its arguments, if there are several such
 */
function functionOf(op) {
  const [, name, digits] = /^(js_[a-z]+)(\d*)$/u.exec(op) ?? [];
  if (name === undefined || !Object.hasOwn(FUNCTIONS, name)) return null;
  const { least } = FUNCTIONS[name];
  if (least === undefined) return digits === '' ? { name, count: 0 } : null;
  return Number(digits) >= least ? { name, count: Number(digits) } : null;
}

/** @type {(op: string) => Operator} */
function find(op) {
  if (Object.hasOwn(NODES, op)) return { cycles: NODES[op], isFlat: false, associates: false };
  const row = opRows.get(op);
  if (row) {
    const cycles = row.jsCycles || row.cycles || row.wideFlops || 1;
    return { cycles, isFlat: row.flags.includes('flat'), associates: row.flags.includes('associates') };
  }
  const own = functionOf(op);
  return { cycles: 1, isFlat: false, ...(own && FUNCTIONS[own.name]), associates: false };
}

/** @type {Map<string, Operator>} */
const known = new Map();

/** @type {(op: string) => Operator} */
function operatorOf(op) {
  const found = known.get(op) ?? find(op);
  known.set(op, found);
  return found;
}

/** Roughly the cycles of one, of numbers of 8 bytes. @type {(op: string) => number} */
const cyclesOf = (op) => operatorOf(op).cycles;

/** Whether its derivative is zero wherever there is one. @type {(op: string) => boolean} */
const isFlat = (op) => operatorOf(op).isFlat;

/** Whether it does not matter how a row of operands is put together. @type {(op: string) => boolean} */
const associates = (op) => operatorOf(op).associates;

module.exports = { associates, cyclesOf, functionOf, isFlat };
