/**
 * If, Loop and Scan.
 *
 * They become the control ops of graphs (trace/control.js) where branches agree in types and state keeps its own. What
 * a graph cannot say, such as a branch with another shape, state that grows, or a list that is carried, is decided
 * while the graph is built: conditions and numbers of rounds are known, or asked of a run, and rounds are translated
 * one after the other.
 */
'use strict';

const { GraphError } = require('../../../base/errors.js');
const { isValue } = require('../../../graph/value.js');
const { joins } = require('../../../ops/movement.js');
const { control } = require('../../../trace/control.js');
const { Known, Sizes, isGiven } = require('../../shared/operands.js');
const { axisOf } = require('../../shared/slices.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {import('../../shared/operands.js').Operand} Operand */
/** @typedef {number | string} Size */

/** More rounds than that are not translated one after the other. */
const MAX_ROUNDS = 4096;
/** Results of that many rounds are kept in an array that is cut afterwards. */
const MAX_STACKED = 65_536;

/** @type {(operand: Operand | undefined) => number | undefined} a scalar that is known */
const knownNumber = (operand) =>
  operand instanceof Known ? Number([operand.tensor.toArray()].flat(Infinity)[0]) : undefined;

/** @type {(cx: Builder, operand: Operand | undefined, dtype?: import('../../../tensor/dtypes.js').DType) => any} as a Value of rank 0 */
const scalarOf = (cx, operand, dtype) => {
  const value = /** @type {any} */ (cx.value(operand, dtype));
  return value.rank === 0 ? value : value.reshape([]);
};

/**
 * What a graph computes, or where it cannot, what is made of numbers of a run.
 *
 * @template T
 * @param {Builder} cx
 * @param {() => T} compiled
 * @param {() => T} decided
 * @returns {T}
 */
function either(cx, compiled, decided) {
  try {
    return compiled();
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    try {
      return decided();
    } catch (other) {
      // Inside of a body no run can be asked; why there had to be one says more.
      if (other instanceof GraphError && other.code === 'ERR_UNSUPPORTED' && cx.state !== cx.root) throw error;
      throw other;
    }
  }
}

/** @type {(cx: Builder, operands: readonly (Operand | undefined)[]) => any[]} */
const valuesOf = (cx, operands) => operands.map((each) => cx.value(each));

// --------------------------------------------------------------------------------------------- If

/** @type {Translation} */
const choice = {
  fold: false,
  translate: (node, [condition], cx) => {
    const [yes, no] = [node.attr('then_branch'), node.attr('else_branch')];
    const chosen = (/** @type {number} */ truth) => (truth ? yes : no).run(cx, []);
    const known = knownNumber(condition);
    if (known !== undefined) return chosen(known);
    const predicate = scalarOf(cx, condition, 'bool');
    return either(
      cx,
      () => control.cond(predicate, () => valuesOf(cx, yes.run(cx, [])), () => valuesOf(cx, no.run(cx, []))),
      () => chosen(cx.int(predicate.astype('u8'), 'the condition')),
    );
  },
};

// ------------------------------------------------------------------------------------------- Loop

/**
 * A loop as nodes have it.
 *
 * @typedef {object} Rounds
 * @property {(index: Operand, state: readonly (Operand | undefined)[]) => { go: Operand | undefined, state: (Operand | undefined)[], given: (Operand | undefined)[] }} step
 * @property {readonly (Operand | undefined)[]} initial
 */

/**
 * Results of rounds that were translated one by one, stacked.
 *
 * @type {(cx: Builder, given: readonly (readonly (Operand | undefined)[])[]) => any[]}
 */
const stacked = (cx, given) => given[0].map((_, i) => joins.stack(given.map((each) => cx.value(each[i]))));

/** What no rounds give: the shape is that of a round. @type {(cx: Builder, each: Operand | undefined) => any} */
function noneOf(cx, each) {
  const value = /** @type {any} */ (cx.value(each));
  return value.expandDims(0).broadcastTo([1, ...value.shape]).slice([0, 0]);
}

/**
 * Rounds translated one after the other.
 *
 * @param {Builder} cx
 * @param {Rounds} loop
 * @param {(done: number) => boolean} goesOn whether there is one more, by count
 * @param {Operand | undefined} go whether there is a first, by condition
 * @returns {(Operand | undefined)[]}
 */
function unrolled(cx, { step, initial }, goesOn, go) {
  const truth = (/** @type {Operand | undefined} */ operand) =>
    operand === undefined || operand === null ? true : (knownNumber(operand) ?? cx.int(scalarOf(cx, operand, 'u8'), 'the condition')) !== 0;
  /** @type {(Operand | undefined)[][]} */
  const given = [];
  let state = [...initial];
  let more = truth(go);
  for (let i = 0; more && goesOn(i); i++) {
    if (i >= MAX_ROUNDS) cx.fail('ERR_UNSUPPORTED', `more than ${MAX_ROUNDS} rounds of a loop whose state changes its type`);
    const round = step(Sizes.of('i64', [], [i]), state);
    ({ state } = round);
    given.push(round.given);
    more = truth(round.go);
  }
  if (given.length > 0) return [...state, ...stacked(cx, given)];
  return [...state, ...step(Sizes.of('i64', [], [0]), initial).given.map((each) => noneOf(cx, each))];
}

/**
 * A number of rounds that is a size.
 *
 * @param {Builder} cx
 * @param {Rounds} loop
 * @param {Size} count
 * @returns {(Operand | undefined)[]}
 */
function counted(cx, { step, initial }, count) {
  const init = valuesOf(cx, initial);
  const [state, ys] = control.scan((/** @type {any[]} */ own, /** @type {any} */ index) => {
    const round = step(index, own);
    if (knownNumber(round.go) !== 1 && round.go !== undefined) cx.fail('ERR_UNSUPPORTED', 'the condition depends on data');
    return [valuesOf(cx, round.state), valuesOf(cx, round.given)];
  }, init, cx.iota([count]));
  return [...state, ...ys];
}

/**
 * As many rounds as a condition says, or fewer; results of rounds are none, or in arrays of `room`.
 *
 * @param {Builder} cx
 * @param {Rounds} loop
 * @param {any} most a Value
 * @param {any} go a Value
 * @param {{ room?: Size, types?: readonly any[] }} [stack] types of what rounds give
 * @returns {{ count: any, state: any[], arrays: any[] }}
 */
function conditional(cx, { step, initial }, most, go, { room = 0, types = [] } = {}) {
  const arrays = types.map(({ dtype, shape }) => cx.constant(dtype === 'bool' ? false : 0, dtype, [room, ...shape]));
  return control.whileLoop(
    (/** @type {any} */ now) => (most === undefined ? now.go : now.go.and(now.count.lt(most))),
    (/** @type {any} */ now) => {
      const round = step(now.count, now.state);
      const kept = now.arrays.map((/** @type {any} */ each, /** @type {number} */ i) => {
        const value = /** @type {any} */ (cx.value(round.given[i]));
        return each.updateSlice(value.expandDims(0), [now.count, ...value.shape.map(() => 0)]);
      });
      const more = round.go === undefined ? now.go : scalarOf(cx, round.go, 'bool');
      return { count: now.count.add(1), go: more, state: valuesOf(cx, round.state), arrays: kept };
    },
    { count: cx.constant(0, 'i64'), go, state: valuesOf(cx, initial), arrays },
  );
}

/**
 * Types of what a round gives, which is translated once for that; what it computes is never used.
 *
 * @type {(cx: Builder, loop: Rounds) => any[]}
 */
const typesOf = (cx, { step, initial }) =>
  valuesOf(cx, step(cx.constant(0, 'i64'), valuesOf(cx, initial)).given).map(({ dtype, shape }) => ({ dtype, shape }));

/** The number of rounds as a size, undefined where data says it. @type {(cx: Builder, count: Operand | undefined) => Size | undefined} */
function sizeOf(cx, count) {
  if (!(count instanceof Known) && !(count instanceof Sizes)) return undefined;
  const [size] = cx.sizes(count, 'the number of rounds');
  return typeof size === 'number' ? Math.max(size, 0) : size;
}

/** @type {Translation} */
const loop = {
  fold: false,
  translate: (node, [count, condition, ...initial], cx) => {
    const body = node.attr('body');
    /** @type {Rounds} */
    const rounds = {
      initial,
      step: (index, state) => {
        // A round begins only where the condition held.
        const [go, ...rest] = body.run(cx, [index, Sizes.of('bool', [], [1]), ...state]);
        return { go, state: rest.slice(0, initial.length), given: rest.slice(initial.length) };
      },
    };
    const most = count === null ? undefined : count;
    const size = sizeOf(cx, most);
    const begins = isGiven(condition) ? knownNumber(condition) : 1;
    if (begins === 0) return unrolled(cx, rounds, () => false, undefined);
    const hasGiven = body.outputs.length > 1 + initial.length;
    const compiled = () => {
      if (size !== undefined && begins === 1 && (typeof size === 'string' || size <= MAX_STACKED)) {
        const whole = attempt(() => counted(cx, rounds, size));
        if (whole !== undefined) return whole;
      }
      return whileOf(cx, rounds, { most, size, go: begins === 1 ? cx.constant(true, 'bool') : scalarOf(cx, condition, 'bool'), hasGiven });
    };
    const asked = () => {
      const limit = most === undefined ? Infinity : cx.int(isValue(most) ? most : cx.value(most), 'the number of rounds');
      return unrolled(cx, rounds, (done) => done < limit, condition);
    };
    return either(cx, compiled, size === undefined || typeof size === 'string' ? asked : () => unrolled(cx, rounds, (done) => done < size, condition));
  },
};

/** What a function gives, or undefined when a graph cannot have it. @template T @param {() => T} run @returns {T | undefined} */
function attempt(run) {
  try {
    return run();
  } catch (error) {
    if (error instanceof GraphError) return undefined;
    throw error;
  }
}

/**
 * A loop whose number of rounds data says.
 *
 * @param {Builder} cx
 * @param {Rounds} rounds
 * @param {{ most: Operand | undefined, size: Size | undefined, go: any, hasGiven: boolean }} limits
 * @returns {(Operand | undefined)[]}
 */
function whileOf(cx, rounds, { most, size, go, hasGiven }) {
  const end = most === undefined ? undefined : scalarOf(cx, most, 'i64');
  if (!hasGiven) return conditional(cx, rounds, end, go).state;
  const isBounded = size !== undefined && (typeof size === 'string' || size <= MAX_STACKED);
  if (!isBounded || cx.state !== cx.root) {
    // The rounds are counted, and then there are so many.
    const { count } = conditional(cx, rounds, end, go);
    return sure(cx, rounds, cx.int(count, 'the number of rounds'));
  }
  const { count, state, arrays } = conditional(cx, rounds, end, go, { room: size, types: typesOf(cx, rounds) });
  const isMade = /** @type {any} */ (cx.iota([size])).lt(count);
  return [...state, ...arrays.map((/** @type {any} */ each) => each.compress(isMade, { axis: 0 }))];
}

/** So many rounds, whatever the condition says. @type {(cx: Builder, rounds: Rounds, count: number) => (Operand | undefined)[]} */
function sure(cx, { step, initial }, count) {
  return counted(cx, { initial, step: (index, state) => ({ ...step(index, state), go: undefined }) }, count);
}

// ------------------------------------------------------------------------------------------- Scan

/** @type {(value: any, from: number, to: number, cx: Builder) => any} an axis elsewhere */
function moved(value, from, to, cx) {
  const [source, target] = [from, to].map((axis) => axisOf(axis, value.rank, cx));
  if (source === target) return value;
  const axes = Array.from({ length: value.rank }, (_, i) => i).filter((axis) => axis !== source);
  axes.splice(target, 0, source);
  return value.permute(axes);
}

/** @type {(list: readonly number[] | undefined, i: number) => number} */
const at = (list, i) => list?.[i] ?? 0;

/**
 * Goes along axis 0 of the inputs.
 *
 * @param {Builder} cx
 * @param {any} body
 * @param {readonly (Operand | undefined)[]} initial
 * @param {readonly any[]} xs Values
 * @returns {any[]}
 */
function scanned(cx, body, initial, xs) {
  const step = (/** @type {readonly Operand[]} */ state, /** @type {readonly Operand[]} */ each) => {
    const results = body.run(cx, [...state, ...each]);
    return [results.slice(0, initial.length), results.slice(initial.length)];
  };
  return either(
    cx,
    () => {
      const [state, ys] = control.scan(
        (/** @type {any[]} */ own, /** @type {any[]} */ each) => step(own, each).map((list) => valuesOf(cx, list)),
        valuesOf(cx, initial),
        xs,
      );
      return [...state, ...ys];
    },
    () => {
      const length = xs[0].shape[0];
      const count = typeof length === 'number' ? length : cx.int(cx.sizeValue(length), 'the number of rounds');
      const rounds = {
        initial,
        step: (/** @type {any} */ index, /** @type {any} */ state) => {
          const i = /** @type {number} */ (knownNumber(index));
          const [next, given] = step(state, xs.map((each) => each.slice(i)));
          return { go: undefined, state: next, given };
        },
      };
      return unrolled(cx, rounds, (done) => done < count, undefined);
    },
  );
}

/** @type {Translation} */
const scan = {
  fold: false,
  translate: (node, inputs, cx) => {
    if (node.version < 9) return scanBatches(node, inputs, cx);
    const body = node.attr('body');
    const count = node.attr('num_scan_inputs');
    const initial = inputs.slice(0, inputs.length - count);
    const xs = inputs.slice(inputs.length - count).map((each, i) => {
      const front = moved(cx.value(each), at(node.attr('scan_input_axes'), i), 0, cx);
      return at(node.attr('scan_input_directions'), i) ? front.flip(0) : front;
    });
    const results = scanned(cx, body, initial, xs);
    return results.map((each, k) => {
      const i = k - initial.length;
      if (i < 0) return each;
      const ordered = at(node.attr('scan_output_directions'), i) ? each.flip(0) : each;
      return moved(ordered, 0, at(node.attr('scan_output_axes'), i), cx);
    });
  },
};

/** The first Scan had a batch along axis 0 and the sequence along axis 1. @type {Translation['translate']} */
function scanBatches(node, [lengths, ...inputs], cx) {
  const body = node.attr('body');
  const count = node.attr('num_scan_inputs');
  const directions = node.attr('directions');
  if (isGiven(lengths) && directions?.some(Boolean))
    cx.fail('ERR_UNSUPPORTED', 'sequences of several lengths are not gone through backwards');
  const values = valuesOf(cx, inputs);
  const ends = isGiven(lengths) ? [cx.value(lengths)] : [];
  const states = values.length - count;
  return control.map((/** @type {any[]} */ own) => {
    const [state, xs, end] = [own.slice(0, states), own.slice(states, values.length), own[values.length]];
    const flipped = xs.map((each, i) => (at(directions, i) ? each.flip(0) : each));
    const index = cx.iota([flipped[0].shape[0]]);
    const [last, ys] = control.scan((/** @type {any[]} */ before, /** @type {any[]} */ [place, ...each]) => {
      const results = valuesOf(cx, body.run(cx, [...before, ...each]));
      const isIn = end === undefined ? undefined : place.lt(end);
      if (isIn === undefined) return [results.slice(0, states), results.slice(states)];
      const next = results.slice(0, states).map((value, i) => isIn.select(value, before[i]));
      return [next, results.slice(states).map((value) => isIn.select(value, 0))];
    }, state, [index, ...flipped]);
    return [...last, ...ys];
  }, [...values, ...ends]);
}

/** @type {import('./index.js').Tables} */
const ops = { 'ai.onnx': { If: choice, Loop: loop, Scan: scan } };

module.exports = { ops };
