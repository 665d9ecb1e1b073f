/**
 * RNN, LSTM and GRU, in one direction or both.
 */
'use strict';

const { gruCell, lstmCell, rnnCell, unroll } = require('../../shared/recurrent.js');
const { optional } = require('./neural.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {import('../../shared/recurrent.js').Cell} Cell */

/** @typedef {{ alpha?: number, beta?: number, of: (x: any, alpha: number, beta: number) => any }} Row */

/** Activations with the factors they take, and those factors by default. @type {Record<string, Row>} */
const activations = {
  relu: { of: (x) => x.relu() },
  tanh: { of: (x) => x.tanh() },
  sigmoid: { of: (x) => x.sigmoid() },
  softsign: { of: (x) => x.softsign() },
  softplus: { of: (x) => x.softplus() },
  affine: { alpha: 1, beta: 0, of: (x, alpha, beta) => x.mul(alpha).add(beta) },
  leakyrelu: { alpha: 0.01, of: (x, alpha) => x.ge(0).select(x, x.mul(alpha)) },
  thresholdedrelu: { alpha: 1, of: (x, alpha) => x.ge(alpha).select(x, 0) },
  scaledtanh: { alpha: 1, beta: 1, of: (x, alpha, beta) => x.mul(beta).tanh().mul(alpha) },
  hardsigmoid: { alpha: 0.2, beta: 0.5, of: (x, alpha, beta) => x.mul(alpha).add(beta).clip(0, 1) },
  elu: { alpha: 1, of: (x, alpha) => x.ge(0).select(x, x.expm1().mul(alpha)) },
};

/**
 * The activations of all directions: factors go to those that take any, in order.
 *
 * @type {(node: any, initial: readonly string[], count: number, cx: Builder) => ((x: any) => any)[]}
 */
function activationsOf(node, initial, count, cx) {
  const names = node.attr('activations', Array.from({ length: count / initial.length }, () => initial).flat());
  if (names.length < count) cx.fail('ERR_ARGUMENT', `there are ${names.length} activations, expected ${count}`);
  const factors = { alpha: [...node.attr('activation_alpha', [])], beta: [...node.attr('activation_beta', [])] };
  return names.slice(0, count).map((/** @type {string} */ name) => {
    const row = activations[name.toLowerCase()] ?? cx.fail('ERR_ARGUMENT', `'${name}' is no activation`);
    const next = (/** @type {'alpha' | 'beta'} */ which) =>
      row[which] === undefined ? 0 : (factors[which].shift() ?? row[which]);
    const [alpha, beta] = [next('alpha'), next('beta')];
    return (/** @type {any} */ x) => row.of(x, alpha, beta);
  });
}

/**
 * A layer of ONNX: weights, biases and states have the direction as their first axis.
 *
 * @typedef {object} Kind
 * @property {readonly string[]} activations
 * @property {number} states
 * @property {(layer: Record<'weight' | 'functions' | 'bias' | 'peepholes' | 'clip' | 'node', any>) => Cell} cell
 * @property {(node: any) => boolean} [ownBias] whether the bias of R is added by the cell
 */

/** @type {(kind: Kind) => Translation} */
const layer = (kind) => ({
  fold: false,
  translate(node, [operand, w, r, b, lens, ...others], cx) {
    const direction = node.attr('direction', 'forward').toLowerCase();
    const names = { forward: [false], reverse: [true], bidirectional: [false, true] };
    if (!Object.hasOwn(names, direction)) cx.fail('ERR_ARGUMENT', `direction is '${direction}'`);
    const reversed = names[/** @type {keyof typeof names} */ (direction)];
    const batchFirst = node.attr('layout', 0) === 1;
    const given = /** @type {any} */ (cx.value(operand));
    const x = batchFirst ? given.swapaxes(0, 1) : given;
    const [weights, recurrent] = [/** @type {any} */ (cx.value(w)), /** @type {any} */ (cx.value(r))];
    const [biases, lengths] = [optional(b, cx), optional(lens, cx)];
    const starts = others.slice(0, kind.states).map((each) => optional(each, cx));
    const peepholes = optional(others[kind.states], cx);
    const functions = activationsOf(node, kind.activations, kind.activations.length * reversed.length, cx);
    const hidden = recurrent.shape.at(-1);
    const ways = reversed.map((reverse, d) => {
      const part = biases?.slice(d).split(2, { axis: 0 });
      const ownBias = kind.ownBias?.(node) === true;
      const cell = kind.cell({
        weight: recurrent.slice(d),
        functions: functions.slice(d * kind.activations.length, (d + 1) * kind.activations.length),
        bias: part?.[1],
        peepholes: peepholes?.slice(d),
        clip: node.attr('clip'),
        node,
      });
      const initial = Array.from({ length: kind.states }, (_, i) => {
        const start = starts[i];
        if (start === undefined) return cx.constant(0, x.dtype, [x.shape[1], hidden]);
        return batchFirst ? start.slice(null, d) : start.slice(d);
      });
      const bias = part && (ownBias ? part[0] : part[0].add(part[1]));
      return unroll(cx, { x, weight: weights.slice(d), bias, cell, initial, lengths, reverse });
    });
    const { stack } = require('../../../ops/movement.js').joins;
    const all = stack(ways.map((way) => (batchFirst ? way.all.swapaxes(0, 1) : way.all)), { axis: batchFirst ? 2 : 1 });
    const states = Array.from({ length: kind.states }, (_, i) => ways.map((way) => way.last[i]));
    const last = states.map((each) => stack(each, { axis: batchFirst ? 1 : 0 }));
    return [all, ...last];
  },
});

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    RNN: layer({
      activations: ['Tanh'], states: 1,
      cell: ({ weight, functions, clip }) => rnnCell({ weight, activation: functions[0], clip }),
    }),
    LSTM: layer({
      activations: ['Sigmoid', 'Tanh', 'Tanh'], states: 2,
      cell({ weight, functions, peepholes, clip, node }) {
        const [i, o, f] = peepholes?.split(3, { axis: 0 }) ?? [];
        const [gate, candidate, output] = functions;
        return lstmCell({
          weight, order: 'iofc', activations: [gate, candidate, output], clip,
          peepholes: peepholes && { i, o, f }, coupled: node.attr('input_forget', 0) === 1,
        });
      },
    }),
    GRU: layer({
      activations: ['Sigmoid', 'Tanh'], states: 1,
      ownBias: (node) => node.attr('linear_before_reset', 0) !== 0,
      cell: ({ weight, functions: [gate, candidate], bias, clip, node }) =>
        gruCell({
          weight, order: 'zrh', activations: [gate, candidate], bias, clip,
          resetAfter: node.attr('linear_before_reset', 0) !== 0,
        }),
    }),
  },
};

module.exports = { ops };
