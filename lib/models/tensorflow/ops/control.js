/**
 * Functions that are called, choices and loops of them, and lists of tensors.
 *
 * A TensorArray is known by its handle, and what it holds goes along edges named `flow`; here the flow is the list
 * itself. A TensorList is a value anyway.
 */
'use strict';

const { isValue } = require('../../../graph/value.js');
const sizes = require('../../shared/sizes.js');
const { Known } = require('../../shared/operands.js');
const { sliceAxes, wrapped } = require('../../shared/slices.js');
const { listLength } = require('../../shared/translations.js');
const { joins } = require('../../../ops/movement.js');
const { choose, loop } = require('../control.js');
const { TensorList } = require('../operands.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {Translation} */
const call = { fold: false, translate: (node, inputs, cx) => node.call('f', inputs, cx) };

/** @type {Translation} */
const choice = {
  fold: false,
  translate: (node, [predicate, ...inputs], cx) =>
    choose(cx, predicate, () => node.call('then_branch', inputs, cx), () => node.call('else_branch', inputs, cx)),
};

/** @type {Translation} */
const cases = {
  fold: false,
  translate: (node, [index, ...inputs], cx) => {
    const branches = node.attr('branches', []);
    if (branches.length === 0) cx.fail('ERR_PARSE', 'there are no branches');
    const run = (/** @type {number} */ i) => node.program.call(branches[i].name, inputs, cx, node.scope.depth + 1);
    const last = branches.length - 1;
    const pick = (/** @type {number} */ i) => (i < 0 || i > last ? last : i);
    if (!isValue(index)) return run(pick(cx.int(index, 'the index')));
    /** @type {(i: number) => any[]} */
    const from = (i) => (i === last ? run(i) : choose(cx, /** @type {any} */ (index).eq(i), () => run(i), () => from(i + 1)));
    return from(0);
  },
};

/** @type {Translation} */
const rounds = {
  fold: false,
  translate: (node, inputs, cx) => {
    const kept = node.program.keeps(node.attr('body')?.name ?? '');
    return loop(cx, inputs, kept, (operands) => node.call('cond', operands, cx)[0], (operands) => node.call('body', operands, cx));
  },
};

// ------------------------------------------------------------------------------------------ lists

/** @type {(operand: any, cx: Builder) => TensorList} */
const listOf = (operand, cx) => (operand instanceof TensorList ? operand : cx.fail('ERR_PARSE', 'an operand is no list'));

/** A shape that may be open. @type {(operand: any, cx: Builder) => (number | string | null)[] | undefined} */
function elementShape(operand, cx) {
  if (operand === undefined || (operand instanceof Known && operand.shape.length === 0)) return undefined;
  return cx.sizes(operand, 'the shape of elements').map((size) => (typeof size === 'number' && size < 0 ? null : size));
}

/**
 * An empty list: of slots where its length is known.
 *
 * @type {(dtype: string, length: number | string, shape: (number | string | null)[] | undefined) => TensorList}
 */
const reserved = (dtype, length, shape) =>
  new TensorList(dtype, { shape, length, ...(length === 0 ? { items: [] } : {}) });

/** @type {(list: TensorList, index: any, cx: Builder) => number | undefined} where both sides know the place */
function placeOf(list, index, cx) {
  if (isValue(index) || list.stacked !== undefined || typeof list.length !== 'number') return undefined;
  const at = cx.int(index, 'the index');
  return at >= 0 && at < list.length ? at : cx.fail('ERR_ARGUMENT', `element ${at} of a list of ${list.length}`);
}

/** The items of a list, where they are not one tensor. @type {(list: TensorList) => any[]} */
const slotsOf = (list) => [...(list.items ?? Array(Number(list.length)).fill(undefined))];

/** @type {(list: TensorList, index: any, cx: Builder, like?: any) => any} */
function read(list, index, cx, like) {
  const at = placeOf(list, index, cx);
  const item = at === undefined ? undefined : list.items?.[at];
  if (item !== undefined) return item;
  const all = list.stack(cx, like);
  return all.take(wrapped(cx.value(index), all.shape[0], cx), { axis: 0 });
}

/** @type {(list: TensorList, index: any, item: any, cx: Builder) => TensorList} */
function write(list, index, item, cx) {
  const at = placeOf(list, index, cx);
  if (at !== undefined) return list.with({ items: slotsOf(list).with(at, item) });
  const value = /** @type {any} */ (cx.value(item));
  const all = list.stack(cx, value.shape);
  const row = value.reshape([1, ...value.shape]);
  const zeros = value.shape.map(() => 0);
  return list.with({ stacked: all.updateSlice(row, [cx.value(index, 'i64'), ...zeros]) });
}

/** @type {(list: TensorList, indices: any, cx: Builder, like?: any) => any} */
function gather(list, indices, cx, like) {
  const all = list.stack(cx, like);
  return all.take(cx.value(indices), { axis: 0 });
}

/** @type {(x: any, dtype: string) => TensorList} */
const ofTensor = (x, dtype) => new TensorList(dtype, { stacked: x });

/** Elements of a tensor at places of a list. @type {(list: TensorList, indices: any, x: any, cx: Builder) => TensorList} */
function scatter(list, indices, x, cx) {
  const value = /** @type {any} */ (cx.value(x));
  const places = cx.ints(indices, 'the indices');
  const isInOrder = places.length === value.shape[0] && places.every((each, i) => each === i);
  if (isInOrder && (list.length === places.length || list.length === 0)) return ofTensor(value, list.dtype);
  const length = places.reduce((most, each) => Math.max(most, each + 1), Number(list.length) || 0);
  const slots = Array.from({ length: listLength(length, 'the list', cx) }, (_, i) => list.items?.[i]);
  places.forEach((place, i) => (slots[place] = value.slice(i)));
  return list.with({ items: slots });
}

/**
 * Indices that count all elements are common in files, also of lists whose length is a size.
 *
 * @type {(list: TensorList, indices: any, x: any, cx: Builder) => TensorList}
 */
function scatterAny(list, indices, x, cx) {
  const length = cx.shape(x)[0];
  return typeof length === 'string' && String(cx.shape(indices)[0]) === length ? ofTensor(cx.value(x), list.dtype) : scatter(list, indices, x, cx);
}

/** @type {(list: TensorList, cx: Builder) => any[]} lengths along axis 0 of all elements, and these joined */
function joined(list, cx) {
  if (list.items !== undefined && list.items.length > 0) {
    const values = list.items.map((item) => /** @type {any} */ (cx.value(item)));
    return [joins.concat(values, { axis: 0 }), sizes.ofShape(values.map((value) => value.shape[0]))];
  }
  const all = list.stack(cx);
  const [count, each, ...rest] = all.shape;
  return [all.reshape([-1, ...rest]), sizes.ofShape(Array(Number(count) || 0).fill(each))];
}

/** Parts of a tensor along axis 0. @type {(x: any, lengths: any, dtype: string, cx: Builder) => TensorList} */
function parts(x, lengths, dtype, cx) {
  const value = /** @type {any} */ (cx.value(x));
  let at = 0;
  const items = cx.ints(lengths, 'the lengths').map((length) => sliceAxes(value, [at], [(at += length)], [0], [1], cx));
  return new TensorList(dtype, { items });
}

/** @type {Translation['translate']} */
const tensorArray = (node, [size], cx) => {
  const shape = node.attr('element_shape');
  const list = reserved(node.attr('dtype', 'f32'), cx.sizes(size, 'the size')[0], shape);
  return [list, list];
};

/** @type {Record<string, Translation['translate']>} */
const lists = {
  TensorArrayWriteV3: (_, [, index, value, flow], cx) => write(listOf(flow, cx), index, value, cx),
  TensorArrayReadV3: (_, [, index, flow], cx) => read(listOf(flow, cx), index, cx),
  TensorArrayGatherV3: (node, [, indices, flow], cx) => gather(listOf(flow, cx), indices, cx, known(node.attr('element_shape'))),
  TensorArrayScatterV3: (_, [, indices, value, flow], cx) => scatterAny(listOf(flow, cx), indices, value, cx),
  TensorArrayConcatV3: (_, [, flow], cx) => joined(listOf(flow, cx), cx),
  TensorArraySplitV3: (_, [, value, lengths, flow], cx) => parts(value, lengths, listOf(flow, cx).dtype, cx),
  TensorArraySizeV3: (_, [, flow], cx) => sizes.reshape(sizes.ofShape([listOf(flow, cx).length], 'i32'), []),
  TensorArrayCloseV3: () => [],

  EmptyTensorList: (node, [shape], cx) => reserved(node.attr('element_dtype', 'f32'), 0, elementShape(shape, cx)),
  TensorListReserve: (node, [shape, count], cx) => reserved(node.attr('element_dtype', 'f32'), cx.sizes(count, 'the length')[0], elementShape(shape, cx)),
  TensorListFromTensor: (node, [x], cx) => ofTensor(cx.value(x), node.attr('element_dtype', cx.dtype(x))),
  TensorListStack: (_, [list, shape], cx) => listOf(list, cx).stack(cx, known(elementShape(shape, cx))),
  TensorListGetItem: (_, [list, index, shape], cx) => read(listOf(list, cx), index, cx, known(elementShape(shape, cx))),
  TensorListSetItem: (_, [list, index, item], cx) => write(listOf(list, cx), index, item, cx),
  TensorListGather: (_, [list, indices, shape], cx) =>
    gather(listOf(list, cx), indices, cx, known(elementShape(shape, cx))),
  TensorListScatter: (node, [x, indices], cx) => scatterAny(reserved(node.attr('element_dtype', 'f32'), 0, undefined), indices, x, cx),
  TensorListScatterV2: (node, [x, indices, , count], cx) => scatterAny(reserved(node.attr('element_dtype', 'f32'), Math.max(cx.int(count, 'the length'), 0), undefined), indices, x, cx),
  TensorListLength: (_, [list], cx) => sizes.reshape(sizes.ofShape([listOf(list, cx).length], 'i32'), []),
  TensorListPushBack: (_, [list, item], cx) => pushed(listOf(list, cx), item, cx),
  TensorListPopBack: (_, [list], cx) => popped(listOf(list, cx), cx),
  TensorListConcat: (_, [list], cx) => joined(listOf(list, cx), cx),
  TensorListConcatV2: (_, [list], cx) => joined(listOf(list, cx), cx),
  TensorListSplit: (node, [x, , lengths], cx) => parts(x, lengths, node.attr('element_dtype', 'f32'), cx),
  TensorListResize: (_, [list, count], cx) => {
    const length = listLength(cx.int(count, 'the length'), 'the list', cx);
    const items = itemsOf(listOf(list, cx), cx);
    return listOf(list, cx).with({ items: Array.from({ length }, (__, i) => items[i]) });
  },
};

/**
 * a shape all of which is known
 *
 * @type {(shape: readonly (number | string | null)[] | undefined) => readonly (number | string)[] | undefined}
 */
const known = (shape) => (shape?.every((size) => size !== null) ? /** @type {any} */ (shape) : undefined);

/** @type {(list: TensorList, cx: Builder) => any[]} */
const itemsOf = (list, cx) => {
  if (list.stacked === undefined) return slotsOf(list);
  return typeof list.length === 'number' ? list.stacked.unstack() : cx.fail('ERR_UNSUPPORTED', 'a list of unknown length grows');
};

/** @type {(list: TensorList, item: any, cx: Builder) => TensorList} */
const pushed = (list, item, cx) => list.with({ items: [...itemsOf(list, cx), item] });

/** @type {(list: TensorList, cx: Builder) => any[]} */
function popped(list, cx) {
  const items = itemsOf(list, cx);
  const last = items.pop();
  return [list.with({ items }), last === undefined ? cx.fail('ERR_ARGUMENT', 'a list is empty') : last];
}

/** @type {import('./index.js').Table} */
const ops = {
  PartitionedCall: call, StatefulPartitionedCall: call, If: choice, StatelessIf: choice,
  Case: cases, StatelessCase: cases,
  While: rounds, StatelessWhile: rounds,
  // translate.js reads these with the nodes around them
  Merge: { translate: () => undefined, outputs: ['output', 'value_index'] }, RefMerge: { translate: () => undefined, outputs: ['output', 'value_index'] },
  Exit: { translate: () => undefined }, RefExit: { translate: () => undefined },
  TensorArrayV3: { translate: tensorArray, fold: false, outputs: ['handle', 'flow'] },
  ...Object.fromEntries(Object.entries(lists).map(([name, translate]) => [name, { translate, fold: false }])),
};
for (const name of ['TensorArrayConcatV3', 'TensorListConcat', 'TensorListConcatV2']) ops[name] = { translate: lists[name], fold: false, outputs: name.startsWith('TensorArray') ? ['value', 'lengths'] : ['tensor', 'lengths'] };
ops.TensorListPopBack = { translate: lists.TensorListPopBack, fold: false, outputs: ['output_handle', 'tensor'] };

module.exports = { ops };
