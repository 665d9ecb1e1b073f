/**
 * load() and save(): tensors in .npy, .npz and .safetensors files.
 *
 * The end of a file's name says its format, unless an option does. A .npy file holds one tensor; the others hold
 * several by name, which may be a tree of tensors (names.js). Files are read and written on the calling thread, and
 * nothing is executed that is in them.
 */
'use strict';

const { boolean, describe, expected, isOptions, oneOf, readOptions, unknownName } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { asTensor } = require('../tensor/create.js');
const { npyHead, parseNpy } = require('../tensor/npy.js');
const { Tensor, readableOf, wrapOwn } = require('../tensor/tensor.js');
const { Source, writeWhole } = require('./file-io.js');
const { flatNames, isLevel, nested } = require('./names.js');
const { formatSafetensors, readSafetensors } = require('./safetensors.js');
const { listEntries, packEntries, readContent } = require('./zip.js');

/** @typedef {(names: readonly string[]) => ReadonlySet<string>} Choose */
/** @typedef {{ compress?: boolean, metadata?: Record<string, string> }} SaveOptions */

/**
 * @typedef {object} Format
 * @property {boolean} hasNames whether a file holds several tensors
 * @property {(source: Source, choose: Choose) => any} read
 * @property {(value: any, options: SaveOptions, caller: string) => Iterable<ArrayBufferView>} write
 * @property {readonly string[]} options of save
 */

/** @type {(bytes: Uint8Array) => Tensor} */
function tensorOf(bytes) {
  const { dtype, shape, data } = parseNpy(bytes);
  return wrapOwn(data, dtype, shape);
}

/** @type {(tensor: Tensor, caller: string) => Uint8Array[]} */
function npyParts(tensor, caller) {
  const { buffer, byteOffset, byteLength } = readableOf(tensor, caller);
  return [npyHead(tensor), new Uint8Array(buffer, byteOffset, byteLength)];
}

/** @type {(source: Source, choose: Choose) => Record<string, Tensor>} */
function readNpz(source, choose) {
  const entries = listEntries(source);
  const nameOf = (/** @type {string} */ name) => name.replace(/\.npy$/, '');
  const names = entries.map(({ name }) => nameOf(name));
  if (new Set(names).size < names.length)
    fail('ERR_PARSE', `${source.caller}: ${source.file}: two arrays have one name`);
  const chosen = choose(names);
  return Object.fromEntries(
    entries
      .filter((_, i) => chosen.has(names[i]))
      .map((entry) => {
        const bytes = readContent(source, entry);
        return [nameOf(entry.name), tensorOf(bytes)];
      }),
  );
}

/** @type {(tensors: Record<string, Tensor>, options: SaveOptions, caller: string) => Iterable<ArrayBufferView>} */
function formatNpz(tensors, { compress = false }, caller) {
  const files = (function* each() {
    for (const [name, tensor] of Object.entries(tensors))
      yield { name: `${name}.npy`, content: Buffer.concat(npyParts(tensor, caller)) };
  })();
  return packEntries(files, compress);
}

/** @type {Readonly<Record<string, Format>>} */
const formats = Object.freeze({
  npy: {
    hasNames: false,
    read: (source) => tensorOf(source.read(0, source.size)),
    write: (tensor, _, caller) => npyParts(tensor, caller),
    options: [],
  },
  npz: { hasNames: true, read: readNpz, write: formatNpz, options: ['compress'] },
  safetensors: {
    hasNames: true,
    read: readSafetensors,
    write: (tensors, { metadata }, caller) => formatSafetensors(tensors, metadata, caller),
    options: ['metadata'],
  },
});
const names = Object.keys(formats);
const formatOption = oneOf(names);

/**
 * @type {(file: unknown, format: string | undefined, caller: string) => { file: string, format: Format, name: string }}
 */
function formatOf(file, format, caller) {
  if (typeof file !== 'string' || file === '' || file.includes('\0'))
    return expected(caller, 'a path', 'the file', file);
  const name = format ?? names.find((each) => file.toLowerCase().endsWith(`.${each}`));
  if (name !== undefined) return { file, format: formats[name], name };
  const ends = names.map((each) => `.${each}`).join(', ');
  return fail('ERR_ARGUMENT', `${caller}: ${describe(file)} ends in none of ${ends}: say which with option 'format'`);
}

/** @type {import('../base/check.js').Getter<readonly string[]>} */
function nameList(value, which, caller) {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  return expected(caller, 'an array of strings', which, value);
}

/** @type {import('../base/check.js').Getter<Record<string, string>>} */
function texts(value, which, caller) {
  if (isOptions(value) && Object.values(value).every((text) => typeof text === 'string'))
    return /** @type {any} */ (value);
  return expected(caller, 'an object of strings', which, value);
}

/**
 * @param {unknown} file
 * @param {unknown} [options]
 * @returns {any} a Tensor, an object of them, or a tree
 */
function load(file, options) {
  const caller = 'load';
  const own = readOptions(caller, options, { format: formatOption, names: nameList, nested: boolean });
  const { format, names: wanted } = own;
  const chosen = formatOf(file, format, caller);
  if ((wanted !== undefined || own.nested) && !chosen.format.hasNames)
    fail('ERR_ARGUMENT', `${caller}: a .${chosen.name} file holds one tensor, without names`);
  /** @type {Choose} */
  const choose = (known) => {
    const missing = wanted?.find((name) => !known.includes(name));
    if (missing !== undefined) unknownName(caller, 'tensor', missing, known);
    return new Set(wanted ?? known);
  };
  const source = new Source(chosen.file, caller);
  try {
    const read = chosen.format.read(source, choose);
    return own.nested ? nested(read, caller) : read;
  } finally {
    source.close();
  }
}

/** @type {(value: unknown, name: string, caller: string) => Record<string, Tensor>} */
function readNamed(value, name, caller) {
  if (!isLevel(value))
    return expected(caller, `an object from names to tensors, for a .${name} file,`, 'the value', value);
  return Object.fromEntries(
    Object.entries(flatNames(value, caller)).map(([each, data]) => {
      if (each === '__metadata__') fail('ERR_ARGUMENT', `${caller}: '__metadata__' is no name of a tensor`);
      return [each, asTensor(/** @type {any} */ (data))];
    }),
  );
}

/**
 * @param {unknown} file
 * @param {unknown} value a tensor, or a tree of them
 * @param {unknown} [options]
 */
function save(file, value, options) {
  const caller = 'save';
  const read = readOptions(caller, options, { format: formatOption, compress: boolean, metadata: texts });
  const { file: place, format, name } = formatOf(file, read.format, caller);
  for (const option of /** @type {const} */ (['compress', 'metadata'])) {
    if (read[option] !== undefined && !format.options.includes(option))
      fail('ERR_ARGUMENT', `${caller}: a .${name} file has no option '${option}'`);
  }
  const isNamed = !(value instanceof Tensor) && isOptions(value);
  if (!format.hasNames && isNamed) return expected(caller, `one tensor, for a .${name} file,`, 'the value', value);
  const content = format.hasNames ? readNamed(value, name, caller) : asTensor(/** @type {any} */ (value));
  return writeWhole(place, format.write(content, read, caller), caller);
}

module.exports = { load, save };
