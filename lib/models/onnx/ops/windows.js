/**
 * The attributes that convolutions and pools of ONNX share, as shared/convolution.js takes them.
 */
'use strict';

/** @typedef {import('../../shared/builder.js').Builder} Builder */

/** @type {Record<string, 'valid' | 'same' | 'sameLower' | undefined>} */
const names = { VALID: 'valid', SAME_UPPER: 'same', SAME_LOWER: 'sameLower', NOTSET: undefined };

/** @type {(node: any, name: string, count: number, initial: number | undefined, cx: Builder) => number[] | undefined} */
function listOf(node, name, count, initial, cx) {
  const list = node.attr(name) ?? (initial === undefined ? undefined : Array(count).fill(initial));
  if (list !== undefined && list.length !== count)
    cx.fail('ERR_SHAPE', `attribute '${name}' has ${list.length} elements, expected ${count}`);
  return list;
}

/**
 * @param {any} node
 * @param {number} count of spatial axes
 * @param {Builder} cx
 * @returns {{ stride: number[], dilation: number[], padding: 'valid' | 'same' | 'sameLower' | number[][] }}
 */
function slidesOf(node, count, cx) {
  if (count < 1) cx.fail('ERR_SHAPE', `expected batch, channels and spatial axes, got rank ${count + 2}`);
  const name = node.attr('auto_pad', 'NOTSET');
  if (!Object.hasOwn(names, name)) cx.fail('ERR_ARGUMENT', `auto_pad is '${name}'`);
  const pads = /** @type {number[]} */ (listOf(node, 'pads', 2 * count, 0, cx));
  return {
    stride: /** @type {number[]} */ (listOf(node, 'strides', count, 1, cx)),
    dilation: /** @type {number[]} */ (listOf(node, 'dilations', count, 1, cx)),
    padding: names[name] ?? Array.from({ length: count }, (_, i) => [pads[i], pads[i + count]]),
  };
}

/** The window of a pool. @type {(node: any, count: number, cx: Builder) => number[]} */
const windowOf = (node, count, cx) =>
  listOf(node, 'kernel_shape', count, undefined, cx) ?? cx.fail('ERR_ARGUMENT', "attribute 'kernel_shape' is missing");

module.exports = { listOf, slidesOf, windowOf };
