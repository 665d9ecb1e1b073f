/** Amounts and types as people read them. */
'use strict';

const { bytesText, countText: counted, figures, timeText } = require('../base/format-units.js');

/** "12.3 M" @type {(count: number) => string} */
const countText = (count) => counted(count).trim();

/** @type {(value: number) => string} */
const percent = (value) => `${(100 * value).toFixed(value > 0 && value < 0.0995 ? 1 : 0)}%`;

/** A size that may be a formula. @type {(size: number | string) => string} */
const sizeText = (size) => (typeof size === 'number' ? bytesText(size) : `${size} B`);

/** @type {(type: { dtype: string, shape: readonly (number | string)[] }) => string} */
const typeText = ({ dtype, shape }) => `${dtype}[${shape.join(', ')}]`;

/** @type {(text: string, width: number) => string} */
function clip(text, width) {
  const characters = [...text.slice(0, 2 * width + 2)];
  return characters.length > width ? `${characters.slice(0, width - 1).join('')}…` : text;
}

/** @type {(count: number, one: string, many?: string) => string} */
const plural = (count, one, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

module.exports = { bytesText, clip, countText, figures, percent, plural, sizeText, timeText, typeText };
