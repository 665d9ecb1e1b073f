/**
 * Choices and loops of operands, as graphs have them of Values.
 *
 * What a loop carries is a Value, or a list as one tensor of all its elements (`Slots`). Where that cannot be, since an
 * element changes its shape from round to round or a list grows, rounds are unrolled: as many as the condition says,
 * which is known or asked of a run. So it is with choices: sides of different shapes become the one that the data
 * chooses.
 */
'use strict';

const { GraphError } = require('../../base/errors.js');
const { control } = require('../../trace/control.js');
const { isValue } = require('../../graph/value.js');
const { Complex, Handle, TensorList } = require('./operands.js');

/** @typedef {import('../shared/builder.js').Builder} Builder */
/** @typedef {import('../shared/operands.js').Operand} Operand */
/** @typedef {(operands: (Operand | undefined)[]) => (Operand | undefined)[]} Run */

/** More rounds than that are not unrolled. */
const MAX_ROUNDS = 4096;

/** Thrown by a trial round that found out shapes of elements. */
class Found extends Error {
  /** @param {(Operand | undefined)[]} operands what the round gave */
  constructor(operands) {
    super('shapes are known');
    this.operands = operands;
  }
}

/** Thrown where something can't be carried. */
class Uncarried extends Error {}

/** How operands become Values and come back. @typedef {{ values: any[], rebuild: (values: any[]) => any[] }} Packed */

/** @type {(operands: readonly any[], cx: Builder) => Packed} */
function pack(operands, cx) {
  const parts = operands.map((operand) => packOne(operand, cx));
  return {
    values: parts.flatMap(({ values }) => values),
    rebuild: (values) => {
      let at = 0;
      return parts.map((part) => part.rebuild(values.slice(at, (at += part.values.length)))[0]);
    },
  };
}

/** @type {(operand: any, cx: Builder) => Packed} */
function packOne(operand, cx) {
  if (operand instanceof TensorList) {
    if (operand.elementShape === undefined) throw new Uncarried('a list whose elements have no known shape');
    return { values: [operand.stack(cx)], rebuild: ([stacked]) => [operand.with({ stacked })] };
  }
  if (operand instanceof Complex) {
    const values = [cx.value(operand.re), cx.value(operand.im)];
    return { values, rebuild: ([re, im]) => [new Complex(re, im)] };
  }
  if (operand instanceof Handle || operand === undefined || operand === null) throw new Uncarried('something that is no tensor');
  return { values: [cx.value(operand)], rebuild: (values) => values };
}

/** Whether another way may do. @type {(error: unknown) => boolean} */
const isOther = (error) =>
  error instanceof Uncarried || (error instanceof GraphError && ['ERR_SHAPE', 'ERR_DTYPE', 'ERR_UNSUPPORTED'].includes(error.code));

/**
 * What a graph computes, or where it cannot, what is made of numbers of a run.
 *
 * @param {Builder} cx
 * @param {() => any[]} compute
 * @param {() => any[]} decide
 * @returns {any[]}
 */
function either(cx, compute, decide) {
  try {
    return compute();
  } catch (error) {
    if (!isOther(error)) throw error;
    try {
      return decide();
    } catch (other) {
      // Inside of a body no run can be asked; why there had to be one says more.
      const isInside = other instanceof GraphError && other.code === 'ERR_UNSUPPORTED' && cx.state !== cx.root;
      throw isInside && error instanceof GraphError ? error : other;
    }
  }
}

/**
 * What one of two sides gives.
 *
 * @param {Builder} cx
 * @param {any} predicate
 * @param {() => any[]} whenTrue
 * @param {() => any[]} whenFalse
 * @returns {any[]}
 */
function choose(cx, predicate, whenTrue, whenFalse) {
  const decide = () => (cx.number(predicate, 'the predicate') !== 0 ? whenTrue() : whenFalse());
  if (!isValue(predicate)) return decide();
  /** @type {Packed | undefined} */
  let packed;
  const side = (/** @type {() => any[]} */ run) => () => {
    const each = pack(run(), cx);
    packed ??= each;
    return each.values;
  };
  return either(cx, () => {
    const values = control.cond(/** @type {any} */ (cx.value(predicate, 'bool')).reshape([]), side(whenTrue), side(whenFalse));
    return /** @type {Packed} */ (/** @type {unknown} */ (packed)).rebuild(values);
  }, decide);
}

/**
 * Rounds of a body, as long as a condition holds.
 *
 * @param {Builder} cx
 * @param {any[]} initial
 * @param {readonly boolean[]} isKept which of them no round changes
 * @param {(operands: any[]) => any} condition
 * @param {(operands: any[]) => any[]} body
 * @returns {any[]}
 */
function loop(cx, initial, isKept, condition, body) {
  return either(
    cx,
    () => compiled(cx, settled(cx, initial, isKept, body), isKept, condition, body),
    () => unrolled(cx, initial, condition, body),
  );
}

/**
 * The operands of the rounds: those that change, among those that stay.
 *
 * @type {(initial: any[], isKept: readonly boolean[], changing: any[]) => any[]}
 */
function joined(initial, isKept, changing) {
  let at = 0;
  return initial.map((operand, i) => (isKept[i] ? operand : changing[at++]));
}

/**
 * @type {(cx: Builder, initial: any[], isKept: readonly boolean[], condition: (operands: any[]) => any, body: (operands: any[]) => any[]) => any[]}
 */
function compiled(cx, initial, isKept, condition, body) {
  const packed = pack(initial.filter((_, i) => !isKept[i]), cx);
  const operandsOf = (/** @type {any[]} */ values) => joined(initial, isKept, packed.rebuild(values));
  const values = control.whileLoop(
    (/** @type {any[]} */ state) => /** @type {any} */ (cx.value(condition(operandsOf(state)), 'bool')).reshape([]),
    (/** @type {any[]} */ state) => pack(body(operandsOf(state)).filter((_, i) => !isKept[i]), cx).values,
    packed.values,
  );
  return operandsOf(values);
}

/**
 * Tells lists the shapes of their elements, by a round that is thrown away.
 *
 * @type {(cx: Builder, initial: any[], isKept: readonly boolean[], body: (operands: any[]) => any[]) => any[]}
 */
function settled(cx, initial, isKept, body) {
  const isOpen = (/** @type {any} */ operand) => operand instanceof TensorList && operand.elementShape === undefined;
  if (!initial.some(isOpen)) return initial;
  const told = initial.filter((operand, i) => !isKept[i] && !isOpen(operand));
  const packed = pack(told, cx);
  try {
    control.whileLoop(() => false, (/** @type {any[]} */ state) => {
      const rest = packed.rebuild(state);
      throw new Found(body(initial.map((operand, i) => (isKept[i] || isOpen(operand) ? operand : rest.shift()))));
    }, packed.values);
  } catch (error) {
    if (!(error instanceof Found)) throw error;
    const { operands } = error;
    return initial.map((operand, i) => (isOpen(operand) ? shaped(operand, operands[i]) : operand));
  }
  return initial;
}

/** A list that knows the shape of its elements, as far as one that came of it does. @type {(list: TensorList, later: any) => TensorList} */
const shaped = ({ dtype, length, items, shape }, later) =>
  new TensorList(dtype, { length, items, shape: later instanceof TensorList ? later.elementShape : shape });

/** @type {(cx: Builder, initial: any[], condition: (operands: any[]) => any, body: (operands: any[]) => any[]) => any[]} */
function unrolled(cx, initial, condition, body) {
  let operands = initial;
  for (let round = 0; cx.number(condition(operands), 'the condition of a loop') !== 0; round++) {
    if (round === MAX_ROUNDS) cx.fail('ERR_UNSUPPORTED', `more than ${MAX_ROUNDS} rounds of a loop whose state changes its type`);
    operands = body(operands);
  }
  return operands;
}

module.exports = { choose, loop };
