/**
 * Safetensors files: a length, a header in JSON, the bytes of all tensors one after the other.
 *
 * The rules are those of the format's own reader, and checked before anything is allocated: the header is at most 100
 * MB and begins with '{'; every tensor has dtype, shape and offsets and nothing else; its bytes are as many as its
 * shape needs; tensors lie one behind the other from 0 to the end of the file, without gaps and without overlapping.
 * Each is then read into an array of its own, and those that nobody asked for not at all.
 */
'use strict';

const { describe } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { allocate } = require('../tensor/allocate.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readableOf, wrapOwn } = require('../tensor/tensor.js');
const { MAX_RANK } = require('../tensor/views.js');

/** @typedef {import('../tensor/dtypes.js').DType} DType */
/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('./file-io.js').Source} Source */
/** @typedef {{ name: string, dtype: DType, shape: number[], from: number, to: number }} Place */

const MOST_HEADER = 100_000_000;
const ALIGNMENT = 8;

/** @type {Readonly<Record<string, DType>>} */
const DTYPE_OF = Object.freeze({
  F64: 'f64', F32: 'f32', F16: 'f16', BF16: 'bf16', I64: 'i64', I32: 'i32', I16: 'i16', I8: 'i8', U64: 'u64',
  U32: 'u32', U16: 'u16', U8: 'u8', BOOL: 'bool',
});

/** @type {(source: Source, text: string) => never} */
const bad = ({ caller, file }, text) => fail('ERR_PARSE', `${caller}: ${file} is no proper safetensors file: ${text}`);

/** @type {(value: unknown) => value is number} */
const isSize = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

/** Names that come twice, which JSON.parse would not tell. @type {(text: string) => string | undefined} */
function repeatedName(text) {
  const seen = new Set();
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const mark = text[at];
    if (mark === '{' || mark === '[') depth++;
    else if (mark === '}' || mark === ']') depth--;
    else if (mark === '"') {
      const start = at++;
      while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      let next = at + 1;
      while (' \t\r\n'.includes(text[next])) next++;
      if (depth !== 1 || text[next] !== ':') continue;
      const name = JSON.parse(text.slice(start, at + 1));
      if (seen.has(name)) return name;
      seen.add(name);
    }
  }
  return undefined;
}

/** @type {(source: Source) => { header: Record<string, unknown>, start: number }} */
function readHeader(source) {
  if (source.size < 8) return bad(source, `it has ${source.size} bytes, fewer than its length takes`);
  const first = source.read(0, 8);
  const length = Number(new DataView(first.buffer).getBigUint64(0, true));
  if (length > MOST_HEADER) return bad(source, `its header has ${length} bytes, more than ${MOST_HEADER}`);
  if (8 + length > source.size) return bad(source, `its header of ${length} bytes reaches beyond its end`);
  let text = '';
  let header;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(source.read(8, length));
    header = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return bad(source, 'its header is no JSON');
  }
  if (!text.startsWith('{')) return bad(source, "its header does not begin with '{'");
  const twice = repeatedName(text);
  if (twice !== undefined) return bad(source, `two tensors have the name ${describe(twice)}`);
  return { header, start: 8 + length };
}

/** @type {(source: Source, name: string, value: any, total: number) => Place} */
function readPlace(source, name, value, total) {
  const which = `tensor ${describe(name)}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return bad(source, `${which} is ${describe(value)}, not an object`);
  const keys = Object.keys(value).sort().join();
  if (keys !== 'data_offsets,dtype,shape')
    return bad(source, `${which} has ${keys || 'nothing'}, not data_offsets, dtype and shape`);
  const { dtype, shape, data_offsets: offsets } = value;
  if (!Array.isArray(shape) || !shape.every(isSize)) return bad(source, `${which} has the shape ${describe(shape)}`);
  if (shape.length > MAX_RANK)
    return fail(
      'ERR_SHAPE',
      `${source.caller}: ${source.file}: ${which} has ${shape.length} axes, more than ${MAX_RANK}`,
    );
  const isPair = Array.isArray(offsets) && offsets.length === 2 && offsets.every(isSize) && offsets[0] <= offsets[1];
  if (!isPair || offsets[1] > total)
    return bad(source, `${which} has the offsets ${describe(offsets)}, of ${total} bytes`);
  if (!Object.hasOwn(DTYPE_OF, dtype)) {
    const known = Object.keys(DTYPE_OF).join(', ');
    return fail(
      'ERR_UNSUPPORTED',
      `${source.caller}: ${source.file}: ${which} has the dtype ${describe(dtype)}, known are ${known}`,
    );
  }
  const own = DTYPE_OF[dtype];
  const bytes = shape.reduce((product, size) => product * BigInt(size), BigInt(dtypes[own].bytes));
  const held = offsets[1] - offsets[0];
  if (bytes !== BigInt(held))
    return bad(source, `${which} has ${held} bytes, ${dtype}[${shape.join(', ')}] needs ${bytes}`);
  return { name, dtype: own, shape, from: offsets[0], to: offsets[1] };
}

/** @type {(source: Source) => { places: Place[], start: number }} in the order of the file */
function readPlaces(source) {
  const { header, start } = readHeader(source);
  const total = source.size - start;
  const { __metadata__: metadata = {}, ...tensors } = header;
  const isText =
    typeof metadata === 'object' &&
    metadata !== null &&
    Object.values(metadata).every((value) => typeof value === 'string');
  if (!isText) bad(source, '__metadata__ is no object of texts');
  const places = Object.entries(tensors).map(([name, value]) => readPlace(source, name, value, total));
  places.sort((a, b) => a.from - b.from || a.to - b.to);
  let end = 0;
  for (const { name, from, to } of places) {
    if (from !== end) bad(source, `tensor ${describe(name)} begins at ${from}, where ${end} bytes come before it`);
    end = to;
  }
  if (end !== total) bad(source, `its tensors have ${end} bytes, the file has ${total}`);
  return { places, start };
}

/**
 * @param {Source} source
 * @param {(names: readonly string[]) => ReadonlySet<string>} choose which of the tensors to read
 * @returns {Record<string, Tensor>}
 * @throws {import('../base/errors.js').GraphError} ERR_PARSE, ERR_UNSUPPORTED for a dtype, ERR_SHAPE beyond 8 axes
 */
function readSafetensors(source, choose) {
  const { places, start } = readPlaces(source);
  const chosen = choose(places.map(({ name }) => name));
  return Object.fromEntries(
    places
      .filter(({ name }) => chosen.has(name))
      .map(({ name, dtype, shape, from, to }) => {
        const info = dtypes[dtype];
        const data = allocate(info, (to - from) / info.bytes, source.caller);
        source.fill(data, start + from);
        if (dtype === 'bool' && /** @type {Uint8Array} */ (data).some((byte) => byte > 1))
          bad(source, `tensor ${describe(name)} has a bool that is neither 0 nor 1`);
        return [name, wrapOwn(data, dtype, shape)];
      }),
  );
}

/**
 * @param {Record<string, Tensor>} tensors
 * @param {Record<string, string> | undefined} metadata
 * @param {string} caller
 * @returns {Generator<ArrayBufferView, void, undefined>} the parts of a file
 */
function* formatSafetensors(tensors, metadata, caller) {
  /** @type {Record<string, unknown>} */
  const header = Object.create(null);
  if (metadata !== undefined) header.__metadata__ = metadata;
  // Wide elements first, so that each begins at a multiple of its size.
  const sorted = Object.entries(tensors).sort(([, a], [, b]) => dtypes[b.dtype].bytes - dtypes[a.dtype].bytes);
  let end = 0;
  for (const [name, { dtype, shape, size }] of sorted) {
    const code = /** @type {string} */ (Object.keys(DTYPE_OF).find((each) => DTYPE_OF[each] === dtype));
    const from = end;
    end += size * dtypes[dtype].bytes;
    header[name] = { dtype: code, shape, data_offsets: [from, end] };
  }
  const text = Buffer.from(JSON.stringify(header), 'utf8');
  const length = Math.ceil(text.length / ALIGNMENT) * ALIGNMENT;
  yield BigUint64Array.of(BigInt(length));
  yield text;
  yield Buffer.alloc(length - text.length, ' ');
  for (const [, tensor] of sorted) yield readableOf(tensor, caller);
}

module.exports = { formatSafetensors, readSafetensors };
