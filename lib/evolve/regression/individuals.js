/**
 * Trees with their losses, the best of each size, and many trees as a few arrays.
 */
'use strict';

const { joined } = require('./trees.js');

/** @typedef {import('./trees.js').Tree} Tree */
/** @typedef {import('../programs.js').Programs} Programs */
/** A loss is Infinity where it is no number. @typedef {{ readonly tree: Tree, readonly loss: number }} Individual */
/** The best of each size. @typedef {(Individual | undefined)[]} Hall */
/** Individuals as threads pass them on. @typedef {{ programs: Programs, losses: Float64Array, fitted: Uint8Array }} Packed */

/** @param {readonly Tree[]} trees @returns {Programs} */
function programsOf(trees) {
  const offsets = new Uint32Array(trees.length + 1);
  trees.forEach(({ tokens }, i) => (offsets[i + 1] = offsets[i] + tokens.length));
  return { ...joined(...trees), offsets, order: 'postfix' };
}

/** Programs as trees. @param {Programs} programs @returns {Tree[]} */
function treesOf({ tokens, constants, offsets }) {
  const bounds = Array.from(offsets);
  return bounds.slice(1).map((end, i) => ({
    tokens: tokens.slice(bounds[i], end), constants: constants.slice(bounds[i], end),
  }));
}

/** @param {readonly Individual[]} individuals @returns {Packed} */
const pack = (individuals) => ({
  programs: programsOf(individuals.map(({ tree }) => tree)),
  losses: Float64Array.from(individuals, ({ loss }) => loss),
  fitted: Uint8Array.from(individuals, ({ tree }) => Number(tree.isFitted ?? false)),
});

/** @param {Packed} packed @returns {Individual[]} */
const unpack = ({ programs, losses, fitted }) =>
  treesOf(programs).map((tree, i) => ({ tree: fitted[i] ? { ...tree, isFitted: true } : tree, loss: losses[i] }));

/** @param {Hall} hall @param {Individual} individual */
function admit(hall, individual) {
  const size = individual.tree.tokens.length;
  if (individual.loss < (hall[size]?.loss ?? Infinity)) hall[size] = individual;
}

/** Part of a loss by which a larger formula has to be better: less comes of the order of its operators, by rounding. */
const BETTER = 1e-9;

/** The individuals better than all smaller ones, the smallest first. @param {Hall} hall @returns {Individual[]} */
function frontOf(hall) {
  let bound = Infinity;
  /** @type {Individual[]} */
  const front = [];
  for (const each of hall) {
    if (!each || !(each.loss < bound)) continue;
    bound = each.loss - BETTER * Math.abs(each.loss);
    front.push(each);
  }
  return front;
}

module.exports = { admit, frontOf, pack, programsOf, treesOf, unpack };
