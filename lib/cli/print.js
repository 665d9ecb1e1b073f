/**
 * Text for terminals and pipes: colours, tables, and JSON that keeps every digit.
 *
 * Results go to stdout, everything else to stderr. There are colours on a terminal only, unless
 * FORCE_COLOR asks for them; NO_COLOR forbids them.
 */
'use strict';

const { env, stderr, stdout } = process;

/** @type {(name: string) => boolean} */
const isSet = (name) => env[name] !== undefined && env[name] !== '';

/** @type {(stream: { isTTY?: boolean }) => boolean} */
function hasColours(stream) {
  if (isSet('NO_COLOR')) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

const SGR = Object.freeze({ bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], cyan: [36, 39] });

/**
 * Functions that colour a text for a stream, or leave it alone.
 *
 * @param {{ isTTY?: boolean }} stream
 * @returns {Record<keyof typeof SGR, (text: string) => string>}
 */
function styleOf(stream) {
  const on = hasColours(stream);
  const entries = Object.entries(SGR).map(([name, [open, close]]) => [
    name,
    on
      ? (/** @type {string} */ text) => `\u001b[${open}m${text}\u001b[${close}m`
      : (/** @type {string} */ text) => text,
  ]);
  return Object.fromEntries(entries);
}

/** @type {(text: string) => void} a result, unless it is empty */
const write = (text) => void (text === '' || stdout.write(text.endsWith('\n') ? text : `${text}\n`));

/** @type {(text: string) => void} for people who watch */
const note = (text) => void stderr.write(`${text}\n`);

/**
 * Does something that may take long, and says so meanwhile where somebody is watching.
 *
 * @template T
 * @param {string} what
 * @param {() => T} work
 * @returns {T}
 */
function during(what, work) {
  const shown = stderr.isTTY === true;
  if (shown) stderr.write(`\r${what} …`);
  try {
    return work();
  } finally {
    if (shown) stderr.write('\r\u001b[K');
  }
}

/**
 * Shows where work is that has stages, where somebody is watching. At once: a stage that takes long leaves no time to
 * tell of it later.
 *
 * @returns {{ stage: (at: { stage: string }) => void, end: () => void }}
 */
function progress() {
  const show = (/** @type {string} */ text) => void (stderr.isTTY === true && stderr.write(`\r\u001b[K${text}`));
  return { stage: ({ stage }) => show(`${stage} …`), end: () => show('') };
}

// ---------------------------------------------------------------------------------------- tables

/** Columns that a text takes, colours aside. @type {(text: string) => number} */
// eslint-disable-next-line no-control-regex
const widthOf = (text) => [...text.replace(/\u001b\[\d+m/g, '')].length;

/** @type {(text: string, width: number) => string} */
const clip = (text, width) =>
  widthOf(text) > width ? `${[...text].slice(0, Math.max(1, width - 1)).join('')}…` : text;

/**
 * Rows as aligned columns. A terminal that is too narrow costs the widest of the columns on the left.
 *
 * @param {readonly (readonly string[])[]} rows the first is the heading
 * @param {{ right?: readonly number[], indent?: string }} [options] right: columns aligned at their right ends
 * @returns {string} lines, each with its end
 */
function table(rows, { right = [], indent = '' } = {}) {
  const style = styleOf(stdout);
  const widths = rows[0].map((_, column) => rows.reduce((most, row) => Math.max(most, widthOf(row[column])), 0));
  const room = stdout.isTTY ? (stdout.columns || 80) - indent.length - 2 * (widths.length - 1) : Infinity;
  const left = widths.map((_, column) => column).filter((column) => !right.includes(column));
  const excess = widths.reduce((sum, width) => sum + width, 0) - room;
  if (excess > 0 && left.length > 0) {
    const widest = left.reduce((best, column) => (widths[column] > widths[best] ? column : best));
    widths[widest] = Math.max(8, widths[widest] - excess);
  }
  const lines = rows.map((row, i) => {
    const cells = row.map((cell, column) => {
      const shown = clip(cell, widths[column]);
      const pad = ' '.repeat(widths[column] - widthOf(shown));
      return right.includes(column) ? pad + shown : shown + pad;
    });
    const line = indent + cells.join('  ').trimEnd();
    return i === 0 ? style.bold(line) : line;
  });
  return `${lines.join('\n')}\n`;
}

// ------------------------------------------------------------------------------------------ JSON

/** @type {(value: number) => string} JSON has no names for these */
const numberJson = (value) => (Number.isFinite(value) ? (Object.is(value, -0) ? '-0' : String(value)) : `"${value}"`);

/**
 * JSON text. Bigints are numbers with all their digits; NaN and infinities, which JSON lacks, are
 * strings. Arrays without objects stay on one line.
 *
 * @param {unknown} value
 * @param {string} [indent]
 * @returns {string}
 */
function toJson(value, indent = '') {
  if (typeof value === 'number') return numberJson(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = `${indent}  `;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const items = Array.from(/** @type {ArrayLike<unknown>} */ (value), (item) => toJson(item, inner));
    const isFlat = items.every((item) => !item.includes('\n') && !item.startsWith('{'));
    return isFlat ? `[${items.join(', ')}]` : `[\n${inner}${items.join(`,\n${inner}`)}\n${indent}]`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return '{}';
  const lines = members.map(([key, member]) => `${inner}${JSON.stringify(key)}: ${toJson(member, inner)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

module.exports = { during, note, progress, styleOf, table, toJson, write };
