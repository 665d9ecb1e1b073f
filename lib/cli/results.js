/**
 * Results of a run as text and as parts of a JSON document: tensors, and what models give besides: strings, lists,
 * maps.
 */
'use strict';

const { inspect } = require('node:util');
const { typeText } = require('./arrays.js');
const { styleOf } = require('./print.js');

/** So many elements of strings and lists are printed. */
const MAX_PRINTED = 1000;

/** @type {(value: any) => boolean} */
const isTensor = (value) => typeof value?.toArray === 'function';
/** @type {(value: any) => boolean} */
const isStrings = (value) => Array.isArray(value?.data) && Array.isArray(value.shape);

/**
 * Elements in row-major order as nested arrays; a rank of 0 is the element.
 *
 * @type {(data: readonly string[], shape: readonly number[]) => unknown}
 */
function nested(data, [size, ...rest]) {
  if (size === undefined) return data[0];
  const step = rest.reduce((product, each) => product * each, 1);
  return Array.from({ length: size }, (_, i) => nested(data.slice(i * step, (i + 1) * step), rest));
}

/** A result without classes of its own. @type {(value: any) => unknown} */
function plain(value) {
  if (isTensor(value)) return value.toArray();
  if (isStrings(value)) return nested(value.data, value.shape);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [String(key), plain(each)]));
  return Array.isArray(value) ? value.map(plain) : value;
}

/** What a result is and its elements, for people. @type {(value: any) => [string, string]} */
function described(value) {
  if (isTensor(value)) return [typeText(value), String(value)];
  const type = isStrings(value) ? `string[${value.shape.join(', ')}]` : Array.isArray(value) ? 'sequence' : 'map';
  return [value === null ? 'optional' : type, inspect(plain(value), { depth: null, maxArrayLength: MAX_PRINTED })];
}

/** @type {(results: Record<string, any>, names: readonly string[]) => string} */
function printed(results, names) {
  const style = styleOf(process.stdout);
  return names
    .map((name) => {
      const [type, text] = described(results[name]);
      return `${style.bold(name)} ${style.dim(type)}${text.includes('\n') ? '\n' : ' '}${text}\n`;
    })
    .join('');
}

/** @type {(value: any) => unknown} */
function documentOf(value) {
  if (isTensor(value)) return { dtype: value.dtype, shape: value.shape, data: value.toArray() };
  return isStrings(value) ? { dtype: 'string', shape: value.shape, data: plain(value) } : plain(value);
}

/** @type {(results: Record<string, any>, names: readonly string[]) => Record<string, unknown>} */
const documented = (results, names) => Object.fromEntries(names.map((name) => [name, documentOf(results[name])]));

module.exports = { documented, printed };
