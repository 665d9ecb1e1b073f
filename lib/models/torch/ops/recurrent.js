/**
 * Recurrent layers: LSTM, GRU and plain ones, in layers and in both directions, and their cells.
 *
 * What a layer computes of its input alone is one product for all steps; the steps are a scan.
 */
'use strict';

const { control } = require('../../../trace/control.js');

/** @typedef {import('../call.js').Call} Call */
/** @typedef {{ ih: any, hh: any, bias?: any, hiddenBias?: any, projection?: any }} Weights */
/** @typedef {(input: any, state: any[], weights: Weights) => any[]} Step what gates get of the input, and the state: the next state, output first */

const joins = () => require('../../../ops/movement.js').joins;

/** @type {(value: any, count: number) => any[]} */
const gates = (value, count) => value.split(count, { axis: value.rank - 1 });

/** @type {(h: any, { hh, hiddenBias }: Weights) => any} */
const recurrent = (h, { hh, hiddenBias }) => h.linear(hh, hiddenBias);

/** @type {Step} */
function lstmStep(input, [h, c], weights) {
  const [i, f, g, o] = gates(input.add(recurrent(h, weights)), 4);
  const cell = f.sigmoid().mul(c).add(i.sigmoid().mul(g.tanh()));
  const output = o.sigmoid().mul(cell.tanh());
  return [weights.projection ? output.linear(weights.projection) : output, cell];
}

/** @type {Step} */
function gruStep(input, [h], weights) {
  const [fromInput, fromState] = [gates(input, 3), gates(recurrent(h, weights), 3)];
  const [reset, update] = [0, 1].map((i) => fromInput[i].add(fromState[i]).sigmoid());
  const candidate = fromInput[2].add(reset.mul(fromState[2])).tanh();
  return [candidate.add(update.mul(h.sub(candidate)))];
}

/** @type {(activation: 'tanh' | 'relu') => Step} */
const plainStep = (activation) => (input, [h], weights) => [input.add(recurrent(h, weights))[activation]()];

/**
 * One direction of a layer: all outputs, and the last state.
 *
 * @type {(x: any, state: any[], weights: Weights, step: Step, reverse: boolean) => { outputs: any, last: any[] }}
 */
function direction(x, state, weights, step, reverse) {
  const input = x.linear(weights.ih, weights.bias);
  const [last, outputs] = control.scan((/** @type {any[]} */ before, /** @type {any} */ now) => {
    const next = step(now, before, weights);
    return [next, next[0]];
  }, state, input, { reverse });
  return { outputs, last };
}

/** @type {(params: readonly any[], hasBias: boolean) => Weights} */
function weightsOf(params, hasBias) {
  const [ih, hh, bias, hiddenBias] = hasBias ? params : [params[0], params[1]];
  return { ih, hh, bias, hiddenBias, projection: params[hasBias ? 4 : 2] };
}

/** @type {(step: Step, call: Call, states: any[]) => any[]} outputs, and for each part of the state what it is at the end */
function layers(step, call, states) {
  const params = call.values('params');
  const directions = call.flag('bidirectional') ? 2 : 1;
  const count = call.int('num_layers');
  const perLayer = params.length / (count * directions);
  if (!Number.isInteger(perLayer) || perLayer < 2) call.fail('ERR_ARGUMENT', `${params.length} tensors are no weights of ${count} layers`);
  const isBatchFirst = call.flag('batch_first');
  const given = call.value();
  const isSingle = given.rank === 2;
  let x = isSingle ? given.expandDims(1) : isBatchFirst ? given.swapaxes(0, 1) : given;
  const starts = states.map((state) => (isSingle ? state.expandDims(1) : state));
  /** @type {any[][]} */
  const ends = states.map(() => []);
  for (let layer = 0; layer < count; layer++) {
    const outputs = Array.from({ length: directions }, (_, i) => {
      const at = layer * directions + i;
      const weights = weightsOf(params.slice(at * perLayer, (at + 1) * perLayer), call.flag('has_biases'));
      const own = direction(x, starts.map((state) => state.take(at, { axis: 0 })), weights, step, i === 1);
      own.last.forEach((each, k) => ends[k].push(each));
      return own.outputs;
    });
    x = outputs.length === 1 ? outputs[0] : joins().concat(outputs, { axis: 2 });
  }
  const output = isSingle ? x.squeeze(1) : isBatchFirst ? x.swapaxes(0, 1) : x;
  const stacked = ends.map((list) => /** @type {any} */ (joins().stack(list)));
  return [output, ...stacked.map((each) => (isSingle ? each.squeeze(1) : each))];
}

/** @type {(call: Call, name: string) => void} */
function refusePacked(call, name) {
  if (call.isTensor('hx') && Array.isArray(call.args.has_biases)) call.fail('ERR_UNSUPPORTED', `${name} of packed sequences`);
}

/** @type {(step: Step) => (call: Call) => any} of layers whose state is one tensor */
const plain = (step) => (call) => {
  refusePacked(call, 'a recurrent layer');
  return layers(step, call, [call.value('hx')]);
};

/** @type {(call: Call) => any} */
function lstm(call) {
  if (!Array.isArray(call.args.hx)) call.fail('ERR_UNSUPPORTED', 'an LSTM of packed sequences');
  return layers(lstmStep, call, call.values('hx'));
}

/** @type {(step: Step) => (call: Call) => any} one step */
const cell = (step) => (call) => {
  const isMany = Array.isArray(call.args.hx);
  const weights = { ih: call.value('w_ih'), hh: call.value('w_hh'), bias: call.optional('b_ih'), hiddenBias: call.optional('b_hh') };
  const next = step(call.value().linear(weights.ih, weights.bias), isMany ? call.values('hx') : [call.value('hx')], weights);
  return isMany ? next : next[0];
};

const LAYER = 'self|input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first=False';
const CELL = 'self|input, hx, w_ih, w_hh, b_ih=None, b_hh=None';

/** @type {import('./index.js').Ops} */
const ops = {
  [`lstm(${LAYER})`]: lstm,
  [`gru(${LAYER})`]: plain(gruStep),
  [`rnn_tanh(${LAYER})`]: plain(plainStep('tanh')), [`rnn_relu(${LAYER})`]: plain(plainStep('relu')),
  [`lstm_cell(${CELL})`]: cell(lstmStep), [`gru_cell(${CELL})`]: cell(gruStep),
  [`rnn_tanh_cell(${CELL})`]: cell(plainStep('tanh')), [`rnn_relu_cell(${CELL})`]: cell(plainStep('relu')),
};

module.exports = { ops };
