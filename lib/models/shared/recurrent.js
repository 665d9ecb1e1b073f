/**
 * Recurrent layers as scans: RNN, LSTM and GRU, in either direction, of sequences that may differ in length.
 *
 * What a step takes from the input is one product of all steps ahead of the scan; only the product with the state is in
 * it. A step behind the end of a sequence keeps the state and gives 0, so going backwards begins at each sequence's own
 * end. Formats differ in the order of the gates in their weights: it is a text, one letter each.
 */
'use strict';

/** @typedef {import('./builder.js').Builder} Builder */
/** @typedef {(x: any) => any} Activation */

/**
 * From what the input gives of a step, [batch, gates · hidden], and the states to the new states, the output first.
 *
 * @typedef {(input: any, states: any[]) => any[]} Cell
 */

/** Loaded late: it needs all operations. @type {() => any} */
const control = () => require('../../trace/control.js').control;

/** Bounds what activations take. @type {(clip: number | undefined, f: Activation) => Activation} */
const clipped = (clip, f) => (clip === undefined ? f : (x) => f(x.clip(-clip, clip)));

/** The gates by their letters. @type {(all: any, order: string) => Record<string, any>} */
function gatesOf(all, order) {
  const parts = all.split(order.length, { axis: -1 });
  return Object.fromEntries([...order].map((letter, i) => [letter, parts[i]]));
}

/**
 * h = f(input + h · Rᵀ).
 *
 * @param {{ weight: any, activation: Activation, clip?: number }} layer `weight` is R, [hidden, hidden]
 * @returns {Cell}
 */
function rnnCell({ weight, activation, clip }) {
  const [turned, f] = [weight.transpose(), clipped(clip, activation)];
  return (input, [h]) => [f(input.add(h.matmul(turned)))];
}

/**
 * Gates i, o, f and c. Peepholes add parts of the cell to gates: that before the step to i and f, that of it to o.
 * Coupled, what is forgotten is what i does not let in.
 *
 * @param {object} layer
 * @param {any} layer.weight R, [4 · hidden, hidden]
 * @param {string} layer.order such as 'iofc'
 * @param {readonly [Activation, Activation, Activation]} layer.activations of gates, of the candidate, of the cell
 * @param {Record<string, any>} [layer.peepholes] vectors by gate
 * @param {boolean} [layer.coupled]
 * @param {number} [layer.clip]
 * @returns {Cell}
 */
function lstmCell({ weight, order, activations, peepholes, coupled = false, clip }) {
  const turned = weight.transpose();
  const [f, g, h] = activations.map((each) => clipped(clip, each));
  const peep = (/** @type {any} */ gate, /** @type {string} */ name, /** @type {any} */ cell) =>
    peepholes ? gate.add(cell.mul(peepholes[name])) : gate;
  return (input, [output, cell]) => {
    const gates = gatesOf(input.add(output.matmul(turned)), order);
    const into = f(peep(gates.i, 'i', cell));
    const kept = coupled ? into.neg().add(1) : f(peep(gates.f, 'f', cell));
    const next = kept.mul(cell).add(into.mul(g(gates.c)));
    return [f(peep(gates.o, 'o', next)).mul(h(next)), next];
  };
}

/**
 * Gates z, r and h. The reset gate scales the state, or with `resetAfter` the product of the state with R, with a bias
 * of its own.
 *
 * @param {object} layer
 * @param {any} layer.weight R, [3 · hidden, hidden]
 * @param {string} layer.order such as 'zrh'
 * @param {readonly [Activation, Activation]} layer.activations of gates, of the candidate
 * @param {boolean} [layer.resetAfter]
 * @param {any} [layer.bias] that of R, [3 · hidden], with `resetAfter`
 * @param {number} [layer.clip]
 * @returns {Cell}
 */
function gruCell({ weight, order, activations, resetAfter = false, bias, clip }) {
  const [f, g] = activations.map((each) => clipped(clip, each));
  const mixed = (/** @type {any} */ z, /** @type {any} */ candidate, /** @type {any} */ h) =>
    z.neg().add(1).mul(candidate).add(z.mul(h));
  if (resetAfter) {
    const turned = weight.transpose();
    return (input, [h]) => {
      const product = h.matmul(turned);
      const [own, from] = [gatesOf(bias === undefined ? product : product.add(bias), order), gatesOf(input, order)];
      const [z, r] = [f(from.z.add(own.z)), f(from.r.add(own.r))];
      return [mixed(z, g(from.h.add(r.mul(own.h))), h)];
    };
  }
  const parts = weight.split(3, { axis: 0 });
  const turned = Object.fromEntries([...order].map((letter, i) => [letter, parts[i].transpose()]));
  return (input, [h]) => {
    const from = gatesOf(input, order);
    const [z, r] = [f(from.z.add(h.matmul(turned.z))), f(from.r.add(h.matmul(turned.r)))];
    return [mixed(z, g(from.h.add(r.mul(h).matmul(turned.h))), h)];
  };
}

/**
 * A layer in one direction.
 *
 * @param {Builder} cx
 * @param {object} layer
 * @param {any} layer.x [steps, batch, features]
 * @param {any} layer.weight [gates · hidden, features]
 * @param {any} [layer.bias] [gates · hidden]
 * @param {Cell} layer.cell
 * @param {readonly any[]} layer.initial states, [batch, hidden] each
 * @param {any} [layer.lengths] of sequences, [batch]
 * @param {boolean} [layer.reverse]
 * @returns {{ all: any, last: any[] }} the output of each step, [steps, batch, hidden], and the last states
 */
function unroll(cx, { x, weight, bias, cell, initial, lengths, reverse = false }) {
  const product = x.matmul(weight.transpose());
  const inputs = bias === undefined ? product : product.add(bias);
  const step = lengths === undefined ? undefined : cx.iota([x.shape[0]], lengths.dtype);
  const [last, all] = control().scan(
    (/** @type {any[]} */ states, /** @type {any} */ { input, at }) => {
      const next = cell(input, states);
      if (lengths === undefined) return [next, next[0]];
      const inside = at.lt(lengths).expandDims(1);
      return [next.map((each, i) => inside.select(each, states[i])), inside.select(next[0], 0)];
    },
    [...initial],
    step === undefined ? { input: inputs } : { input: inputs, at: step },
    { reverse },
  );
  return { all, last };
}

module.exports = { gruCell, lstmCell, rnnCell, unroll };
