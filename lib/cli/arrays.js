/**
 * The arrays of a run: what `--input NAME=VALUE` names is read, what `--output NAME=FILE` names is written.
 *
 * A VALUE is a file whose ending says its format, `random`, a JSON array, or one number. Files are
 * read first: from their shapes follow the symbols that random arrays need.
 */
'use strict';

const path = require('node:path');
const { GraphError } = require('../base/errors.js');
const { fillRandom } = require('../graph/sample-inputs.js');
const { dtypes } = require('../tensor/dtypes.js');
const { numbersOf } = require('../tensor/halves.js');
const { formatNpy, parseNpy } = require('../tensor/npy.js');
const { formatCsv, parseCsv } = require('./csv.js');
const { elementOf, isElement } = require('./elements.js');
const { meantBy, stop, usage } = require('./errors.js');
const { readBytes, textOf } = require('./files.js');
const { formatNested, parseNested } = require('./json-arrays.js');
const { valueOf } = require('./sizes.js');

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('./sizes.js').Symbols} Symbols */
/** @typedef {{ name: string, dtype: import('../tensor/dtypes.js').DType, shape?: readonly (number | string)[] }} Port of a model without a shape where any rank will do, and of strings where `dtype` is 'string' */
/** @typedef {{ name: string, text: string }} Spec */

// --------------------------------------------------------------------------------------- formats

/** @type {(port: { dtype: string, shape?: readonly (number | string)[] }) => string} */
const typeText = ({ dtype, shape }) => `${dtype}[${shape?.join(', ') ?? '…'}]`;

/** @type {(elements: any, shape: readonly number[] | null, port: Port) => unknown} */
function arrayOf(elements, shape, { dtype }) {
  const { tensor } = require('../tensor/create.js');
  const { arrayType, half } = dtypes[dtype];
  const stored = half && Array.isArray(elements) ? elements.map(half.encode) : elements;
  const data = arrayType === stored.constructor ? stored : /** @type {any} */ (arrayType).from(stored);
  return shape === null ? data : tensor(data, { dtype, shape });
}

/** @type {(separator: string) => (bytes: Uint8Array, port: Port, file: string) => unknown} */
const csvReader = (separator) => (bytes, port, file) => {
  const { rows, columns, elements } = parseCsv(textOf(bytes, file), dtypes[port.dtype], file, separator);
  const rank = port.shape?.length ?? 2;
  // A file without a line tells nothing of its columns.
  if (rank === 2) return arrayOf(elements, [rows, columns === 0 ? Number(port.shape?.[1]) || 0 : columns], port);
  const isLine = rows === 1 || columns === 1 || elements.length === 0;
  if (rank === 1 && isLine) return arrayOf(elements, [elements.length], port);
  if (rank === 0 && elements.length === 1) return arrayOf(elements, [], port);
  if (rank > 2) return arrayOf(elements, null, port); // its shape has to follow from its length
  const wanted = rank === 0 ? 'one number' : 'one column or one row';
  return stop(
    `${file}: expected ${wanted} for input '${port.name}' (${typeText(port)}), got ${rows} rows of ${columns}`,
    { code: 'ERR_SHAPE' },
  );
};

/** @type {(text: string, port: Port, file: string) => unknown} */
function readNested(text, port, file) {
  const { shape, elements } = parseNested(text, dtypes[port.dtype], file);
  const wanted = port.shape ?? [];
  // Nothing is known of the axes behind an empty one.
  const known = elements.length > 0 || shape.length >= wanted.length;
  return arrayOf(
    elements,
    known ? shape : [...shape, ...wanted.slice(shape.length).map((size) => Number(size) || 0)],
    port,
  );
}

/** @type {(bytes: Uint8Array, port: Port, file: string, cast: boolean) => unknown} */
function readNpy(bytes, port, file, cast) {
  const { tensor } = require('../tensor/create.js');
  try {
    const { dtype, shape, data } = parseNpy(bytes);
    const made = tensor(data, { dtype, shape });
    if (dtype === port.dtype) return made;
    if (cast) return tensor(made, { dtype: port.dtype });
    return stop(`it holds ${dtype}, input '${port.name}' is ${typeText(port)}; --cast converts it`, {
      code: 'ERR_DTYPE',
      place: { file },
    });
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    return stop(error.message, { code: error.code, place: { file }, cause: error });
  }
}

/**
 * With the numbers that halves stand for.
 *
 * @type {<T extends { data: any, dtype: string, shape: readonly number[] }>(array: T) => T}
 */
const inNumbers = (array) => /** @type {any} */ ({ data: numbersOf(array), dtype: array.dtype, shape: array.shape });

/**
 * @typedef {object} Format
 * @property {(bytes: Uint8Array, port: Port, file: string, cast: boolean) => unknown} read
 * @property {(array: { data: any, dtype: import('../tensor/dtypes.js').DType, shape: readonly number[] }) => string | Uint8Array} write
 * @property {number} [axes] the most that it can hold
 */

/** @type {Readonly<Record<string, Format>>} */
const formats = Object.freeze({
  '.npy': { read: readNpy, write: formatNpy },
  '.csv': { read: csvReader(','), write: (array) => formatCsv(inNumbers(array)), axes: 2 },
  '.tsv': { read: csvReader('\t'), write: (array) => formatCsv(inNumbers(array), '\t'), axes: 2 },
  '.json': {
    read: (bytes, port, file) => readNested(textOf(bytes, file), port, file),
    write: (array) => formatNested(inNumbers(array)),
  },
});

/** @type {(file: string) => Format | undefined} */
const formatOf = (file) => formats[path.extname(file).toLowerCase()];

const known = Object.keys(formats).join(', ');

// ----------------------------------------------------------------------------------------- specs

/**
 * `NAME=REST` for one of the ports; names may hold '=', so the longest that fits is meant.
 *
 * @param {readonly string[]} given
 * @param {readonly Port[]} ports
 * @param {'input' | 'output'} role
 * @returns {Map<string, string>}
 */
function readSpecs(given, ports, role) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const spec of given) {
    const names = ports.map(({ name }) => name).filter((name) => spec.startsWith(`${name}=`));
    const name = names.reduce((a, b) => (b.length > a.length ? b : a), '');
    if (names.length === 0) {
      const at = spec.indexOf('=');
      if (at < 0) usage(`expected NAME=${role === 'input' ? 'VALUE' : 'FILE'} for --${role}, got '${spec}'`);
      const all = ports.map((port) => port.name);
      const own = spec.slice(0, at);
      usage(
        `--${role} ${own}: the graph has no such ${role}${meantBy(own, all)}, its ${role}s are ${all.join(', ') || 'none'}`,
      );
    }
    if (found.has(name)) usage(`--${role} ${name} is given twice`);
    found.set(name, spec.slice(name.length + 1));
  }
  return found;
}

const RANDOM = /^random(?::\[([\d,\s]*)\])?(?::(\d{1,9}))?$/;

/** @type {(port: Port) => boolean} */
const isText = ({ dtype }) => /** @type {string} */ (dtype) === 'string';

/** @type {(text: string, port: Port) => boolean} whether a value needs no symbols */
const isData = (text, port) => isText(port) || (!RANDOM.test(text) && !isElement(text));

/** A JSON array of strings, in place or in a file, or one string as it stands. @type {(text: string, port: Port) => unknown} */
function readStrings(text, { name }) {
  const isFile = text.endsWith('.json');
  if (!isFile && !text.startsWith('[')) return text;
  try {
    return JSON.parse(isFile ? textOf(readBytes(text), text) : text);
  } catch (error) {
    if (error instanceof SyntaxError) return usage(`--input ${name}: expected a JSON array of strings: ${error.message}`);
    throw error;
  }
}

/** @type {(text: string, port: Port, cast: boolean) => unknown} */
function readData(text, port, cast) {
  if (isText(port)) return readStrings(text, port);
  if (text.startsWith('[')) return readNested(text, port, `--input ${port.name}`);
  const format = formatOf(text);
  if (format) return format.read(readBytes(text), port, text, cast);
  return usage(
    `--input ${port.name}: '${text}' is no number, random[:SHAPE][:SEED], array or file; files end in ${known}`,
  );
}

/** @type {(port: Port, symbols: Symbols) => number[]} */
function shapeOf(port, symbols) {
  if (port.shape === undefined)
    return usage(`input '${port.name}' may have any rank; say its shape, as in --input ${port.name}=random:[3,4]`);
  return port.shape.map((size) => {
    const value = valueOf(size, symbols);
    if (typeof value === 'number' && value >= 0) return value;
    return usage(
      `input '${port.name}' is ${typeText(port)}, and nothing says what ${size} is; say --size ${size}=1000`,
    );
  });
}

/** @type {(shape: readonly number[], port: Port) => any} */
function room(shape, { name, dtype }) {
  const { zeros } = require('../tensor/create.js');
  try {
    return zeros(shape, { dtype });
  } catch (error) {
    const { code, message } = /** @type {any} */ (error);
    return stop(`input '${name}': ${message}`, { code, cause: error, exit: code === 'ERR_MEMORY' ? 3 : 1 });
  }
}

/** @type {(text: string, port: Port, symbols: Symbols, seed: number) => unknown} */
function makeArray(text, port, symbols, seed) {
  const random = RANDOM.exec(text);
  if (random) {
    const sizes = random[1]
      ?.split(',')
      .filter((size) => size.trim() !== '')
      .map(Number);
    const tensor = room(sizes ?? shapeOf(port, symbols), port);
    fillRandom(tensor.data, dtypes[port.dtype], port.name, random[2] === undefined ? seed : Number(random[2]));
    return tensor;
  }
  const element = elementOf(text, dtypes[port.dtype], (message) => usage(`--input ${port.name}: ${message}`));
  const tensor = room(shapeOf(port, symbols), port);
  tensor.data.fill(dtypes[port.dtype].half?.encode(Number(element)) ?? element);
  return tensor;
}

/** What the shape of an array says of symbols. @type {(array: any, port: Port, symbols: Symbols) => void} */
function learn(array, port, symbols) {
  const { shape } = array;
  const wanted = port.shape ?? [];
  if (isText(port) || shape?.length !== wanted.length) return;
  wanted.forEach((size, axis) => {
    if (typeof size !== 'string' || !/^\w+$/.test(size)) return;
    const before = symbols.get(size);
    if (before !== undefined && before !== shape[axis]) {
      stop(`input '${port.name}' (${typeText(port)}) has shape [${shape.join(', ')}], but ${size} is ${before}`, {
        code: 'ERR_SHAPE',
      });
    }
    symbols.set(size, shape[axis]);
  });
}

/**
 * A bare array in the shape that follows from symbols; where none does, a run says so.
 *
 * @type {(array: any, port: Port, symbols: Symbols) => unknown}
 */
function shaped(array, port, symbols) {
  if (isText(port) || array.shape !== undefined || port.shape === undefined) return array;
  const sizes = port.shape.map((size) => valueOf(size, symbols));
  const held = sizes.reduce((/** @type {number} */ a, b) => a * (typeof b === 'number' ? b : NaN), 1);
  if (held !== array.length) return array;
  return arrayOf(array, /** @type {number[]} */ (sizes), port);
}

/**
 * The arrays of all inputs, by name.
 *
 * @param {readonly Port[]} ports
 * @param {readonly string[]} given NAME=VALUE each
 * @param {{ size?: Symbols, seed?: number, cast?: boolean, fallback?: string }} options fallback: the value
 *   of inputs that are not given
 * @returns {{ inputs: Record<string, any>, symbols: Symbols }}
 */
function readInputs(ports, given, { size, seed = 0, cast = false, fallback }) {
  const specs = readSpecs(given, ports, 'input');
  const missing = ports.filter(({ name }) => !specs.has(name));
  if (missing.length > 0 && fallback === undefined) {
    const list = missing.map((port) => `'${port.name}' (${typeText(port)})`).join(', ');
    usage(`no value for input ${list}; say --input ${missing[0].name}=FILE, or =random`);
  }
  /** @type {Symbols} */
  const symbols = new Map(size);
  /** @type {Record<string, any>} */
  const inputs = Object.create(null);
  const textFor = (/** @type {Port} */ { name }) => specs.get(name) ?? String(fallback);
  const explicit = (/** @type {Port} */ port) => isData(textFor(port), port) || /^random:\[/.test(textFor(port));
  // Random arrays take their sizes from those of files.
  for (const first of [true, false]) {
    for (const port of ports.filter((each) => explicit(each) === first)) {
      const text = textFor(port);
      inputs[port.name] = isData(text, port) ? readData(text, port, cast) : makeArray(text, port, symbols, seed);
      learn(inputs[port.name], port, symbols);
    }
  }
  for (const port of ports) inputs[port.name] = shaped(inputs[port.name], port, symbols);
  return { inputs, symbols };
}

/** @type {(name: string) => never} of strings, lists and maps of a model */
const notArray = (name) => usage(`--output ${name}: files hold tensors of numbers; it is printed without --output`);

/**
 * The files that `--output` asks for, ready to be written.
 *
 * @param {readonly Port[]} ports
 * @param {readonly string[]} given NAME=FILE each
 * @returns {{ name: string, file: string, contentOf: (tensor: Tensor) => string | Uint8Array }[]}
 */
function planOutputs(ports, given) {
  return [...readSpecs(given, ports, 'output')].map(([name, file]) => {
    const format = formatOf(file);
    if (!format) return usage(`--output ${name}: cannot tell the format of '${file}'; files end in ${known}`);
    const port = /** @type {Port} */ (ports.find((each) => each.name === name));
    if (isText(port)) return notArray(name);
    if ((port.shape?.length ?? 0) > (format.axes ?? Infinity)) {
      return usage(
        `--output ${name}: ${file} cannot hold ${typeText(port)}, only up to ${format.axes} axes; use .npy or .json`,
      );
    }
    const contentOf = (/** @type {Tensor} */ tensor) =>
      typeof tensor?.contiguous === 'function' ? format.write(tensor.contiguous()) : notArray(name);
    return { name, file, contentOf };
  });
}

module.exports = { planOutputs, readInputs, typeText };
