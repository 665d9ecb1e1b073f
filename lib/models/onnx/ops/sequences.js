/**
 * Ops on sequences and optionals.
 *
 * A sequence is a list whose length is known while a graph is built (operands.js); positions in it that depend on
 * data are asked of a run. An optional is what it holds, or null.
 */
'use strict';

const { asTensor } = require('../../../tensor/create.js');
const { Known, Sequence } = require('../../shared/operands.js');
const { axisOf } = require('../../shared/slices.js');
const { moving } = require('./shapes.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {(operand: any, cx: Builder) => readonly any[]} */
const itemsOf = (operand, cx) =>
  operand instanceof Sequence ? operand.items : cx.fail('ERR_DTYPE', 'expected a sequence');

/** A position, which may count from the end. @type {(operand: any, count: number, cx: Builder) => number} */
function positionOf(operand, count, cx) {
  const given = cx.int(operand, 'the position');
  if (given < -count || given >= count) cx.fail('ERR_ARGUMENT', `position ${given} is none of a sequence of ${count}`);
  return given < 0 ? given + count : given;
}

/** @type {(value: any, dtype: 'i64' | 'bool') => Known} */
const known = (value, dtype) => Known.of(asTensor(value, { dtype }));

/** @type {Translation['translate']} */
function sequenceInsert(_, [list, item, position], cx) {
  const items = itemsOf(list, cx);
  const at = position === undefined ? items.length : cx.int(position, 'the position');
  if (Math.abs(at) > items.length) cx.fail('ERR_ARGUMENT', `position ${at} is none of a sequence of ${items.length}`);
  return new Sequence(items.toSpliced(at, 0, item));
}

/** @type {Translation['translate']} */
function sequenceErase(_, [list, position], cx) {
  const items = itemsOf(list, cx);
  return new Sequence(items.toSpliced(positionOf(position ?? known(-1n, 'i64'), items.length, cx), 1));
}

/** The same as ops on tensors: Concat, Unsqueeze. @type {(op: string) => Translation} */
const standard = (op) => /** @type {Translation} */ (require('./index.js').rowOf('ai.onnx', op));

/** @type {(attributes: Record<string, any>) => any} a node with these attributes */
const nodeOf = (attributes) => ({
  version: 13,
  attributes,
  attr: (/** @type {string} */ name, /** @type {any} */ initial) => attributes[name] ?? initial,
  hasOutput: () => true,
});

/** @type {Translation['translate']} */
function concatFromSequence(node, [list], cx) {
  const items = itemsOf(list, cx);
  if (items.length === 0) return cx.fail('ERR_SHAPE', 'nothing can be joined of an empty sequence');
  const isNew = node.attr('new_axis', 0) === 1;
  const axis = axisOf(node.attr('axis'), cx.shape(items[0]).length + Number(isNew), cx);
  const expanded = (/** @type {any} */ each) =>
    cx.apply(standard('Unsqueeze'), nodeOf({}), [each, known([BigInt(axis)], 'i64')])[0];
  return cx.apply(standard('Concat'), nodeOf({ axis }), isNew ? items.map(expanded) : [...items]);
}

/** Sizes of parts along an axis. @type {(split: any, size: number | string, cx: Builder) => number[]} */
function partsOf(split, size, cx) {
  const total = typeof size === 'number' ? size : cx.fail('ERR_SHAPE', `size '${size}' of the axis that is split must be known`);
  if (split === undefined) return Array(total).fill(1);
  const sizes = cx.ints(split, 'the sizes of parts');
  const isOne = cx.shape(split).length === 0;
  const [size0] = sizes;
  if (isOne && size0 > 0)
    return Array.from({ length: Math.ceil(total / size0) }, (_, i) => Math.min(size0, total - i * size0));
  if (isOne || sizes.some((each) => each < 0) || sizes.reduce((sum, each) => sum + each, 0) !== total)
    return cx.fail('ERR_SHAPE', `parts of sizes [${sizes}] are not those of an axis of ${total}`);
  return sizes;
}

/** @type {Translation['translate']} */
function splitToSequence(node, [x, split], cx) {
  const shape = cx.shape(x);
  const axis = axisOf(node.attr('axis', 0), shape.length, cx);
  const parts = partsOf(split, shape[axis], cx);
  const drops = split === undefined && node.attr('keepdims', 1) === 0;
  const cut = moving((_, [from], builder) => {
    const value = /** @type {any} */ (builder.value(from));
    let start = 0;
    return parts.map((length) => {
      const part = value.slice(...shape.map((__, at) => (at === axis ? [start, start + length] : null)));
      start += length;
      return drops ? part.squeeze([axis]) : part;
    });
  });
  return new Sequence(cx.apply({ translate: cut }, node, [x]));
}

/** Runs a graph for the items at each position; what is no sequence is the same in all rounds. @type {Translation['translate']} */
function sequenceMap(node, inputs, cx) {
  const body = node.attr('body');
  const { length } = itemsOf(inputs[0], cx);
  if (inputs.some((each) => each instanceof Sequence && each.items.length !== length))
    cx.fail('ERR_ARGUMENT', 'the sequences have different lengths');
  const rounds = Array.from({ length }, (_, i) =>
    body.run(cx, inputs.map((each) => (each instanceof Sequence ? each.items[i] : each))));
  return body.outputs.map((/** @type {any} */ _, /** @type {number} */ at) => new Sequence(rounds.map((round) => round[at])));
}

/** @type {Translation['translate']} */
function reverseSequence(node, [x, lengths], cx) {
  const [time, batch] = [node.attr('time_axis', 0), node.attr('batch_axis', 1)];
  const value = /** @type {any} */ (cx.value(x));
  const along = (/** @type {number} */ axis) =>
    value.shape.map((/** @type {any} */ size, /** @type {number} */ i) => (i === axis ? size : 1));
  const step = /** @type {any} */ (cx.iota([value.shape[time]], 'i64')).reshape(along(time));
  const length = /** @type {any} */ (cx.value(lengths, 'i64')).reshape(along(batch));
  const places = step.lt(length).select(length.sub(1).sub(step), step);
  return value.takeAlongAxis(places, { axis: time });
}

/** @type {(translate: Translation['translate']) => Translation} */
const unfolded = (translate) => ({ translate, fold: false, sizes: translate });

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    SequenceEmpty: unfolded(() => new Sequence([])),
    SequenceConstruct: unfolded((_, inputs) => new Sequence(/** @type {any[]} */ (inputs))),
    SequenceInsert: unfolded(sequenceInsert),
    SequenceErase: unfolded(sequenceErase),
    SequenceAt: unfolded((_, [list, position], cx) => {
      const items = itemsOf(list, cx);
      return items[positionOf(position, items.length, cx)];
    }),
    SequenceLength: unfolded((_, [list], cx) => known(BigInt(itemsOf(list, cx).length), 'i64')),
    ConcatFromSequence: unfolded(concatFromSequence),
    SplitToSequence: unfolded(splitToSequence),
    SequenceMap: unfolded(sequenceMap),
    ReverseSequence: reverseSequence,
    Optional: unfolded((_, [x]) => x ?? null),
    OptionalHasElement: unfolded((_, [x]) => known(x !== undefined && x !== null, 'bool')),
    OptionalGetElement: unfolded((_, [x], cx) => x ?? cx.fail('ERR_ARGUMENT', 'an optional that holds nothing has no element')),
  },
};

module.exports = { ops };
