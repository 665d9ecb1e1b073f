/**
 * Zip archives, as far as .npz files need them: entries that are stored or deflated, of any size.
 *
 * The central directory at the end is what counts, as in every reader; headers in front of entries are only asked
 * where the bytes begin. Archives come from strangers: entries may not overlap, lie outside, have one name, or hold
 * more or other bytes than they say, and nothing is unpacked beyond that. Encryption, other ways of packing and
 * archives in several files are refused. The format is that of PKWARE's APPNOTE 6.3, with its 64-bit fields.
 */
'use strict';

const zlib = require('node:zlib');
const { describe } = require('../base/check.js');
const { fail } = require('../base/errors.js');

/** @typedef {import('./file-io.js').Source} Source */
/** @typedef {{ name: string, method: number, checksum: number, packed: number, size: number, at: number }} Entry */

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const MOST_COMMENT = 65535;
const MOST_DIRECTORY = 2 ** 24;
const MOST_32 = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;
/** The first of January 1980: archives of the same arrays are the same. */
const DATE = 0x21;

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 of zip and PNG. @type {(bytes: Uint8Array, before?: number) => number} */
function ownChecksum(bytes, before = 0) {
  let value = ~before;
  for (let i = 0; i < bytes.length; i++) value = table[(value ^ bytes[i]) & 255] ^ (value >>> 8);
  return ~value >>> 0;
}

/** Newer engines have it. @type {(bytes: Uint8Array) => number} */
const checksumOf = /** @type {any} */ (zlib).crc32 ?? ownChecksum;

// --------------------------------------------------------------------------------------- reading

/** @type {(source: Source, text: string) => never} */
const bad = ({ caller, file }, text) => fail('ERR_PARSE', `${caller}: ${file} is no proper zip archive: ${text}`);

/** @type {(bytes: Uint8Array) => DataView} */
const viewOf = ({ buffer, byteOffset, byteLength }) => new DataView(buffer, byteOffset, byteLength);

/** @type {(view: DataView, at: number, source: Source) => number} */
function size64(view, at, source) {
  const value = Number(view.getBigUint64(at, true));
  return Number.isSafeInteger(value) ? value : bad(source, 'a size is beyond all bounds');
}

/** @type {(source: Source) => { count: number, length: number, at: number }} the central directory */
function findDirectory(source) {
  const start = Math.max(0, source.size - 22 - MOST_COMMENT);
  const tail = viewOf(source.read(start, source.size - start));
  let end = tail.byteLength - 22;
  while (
    end >= 0 &&
    (tail.getUint32(end, true) !== END || tail.getUint16(end + 20, true) !== tail.byteLength - end - 22)
  )
    end--;
  if (end < 0) return bad(source, 'it has no directory at its end');
  const found = {
    count: tail.getUint16(end + 10, true), length: tail.getUint32(end + 12, true), at: tail.getUint32(end + 16, true),
  };
  const isLarge = found.count === 0xffff || found.length === MOST_32 || found.at === MOST_32;
  if (end >= 20 && tail.getUint32(end - 20, true) === LOCATOR_64)
    return findDirectory64(source, size64(tail, end - 12, source));
  return isLarge ? bad(source, 'its 64-bit directory is missing') : found;
}

/** @type {(source: Source, at: number) => { count: number, length: number, at: number }} */
function findDirectory64(source, at) {
  if (at + 56 > source.size) return bad(source, 'its 64-bit directory lies outside');
  const view = viewOf(source.read(at, 56));
  if (view.getUint32(0, true) !== END_64) return bad(source, 'its 64-bit directory is damaged');
  return { count: size64(view, 32, source), length: size64(view, 40, source), at: size64(view, 48, source) };
}

/**
 * The sizes and the place of an entry that do not fit in 32 bits.
 *
 * @type {(entry: Entry, view: DataView, extra: number, end: number, source: Source) => void}
 */
function readLarge(entry, view, extra, end, source) {
  for (let at = extra; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    const stop = Math.min(end, at + 4 + view.getUint16(at + 2, true));
    let next = at + 4;
    for (const field of /** @type {const} */ (['size', 'packed', 'at'])) {
      if (entry[field] !== MOST_32) continue;
      if (next + 8 > stop) return;
      entry[field] = size64(view, next, source);
      next += 8;
    }
    return;
  }
}

/** @type {(view: DataView, bytes: Uint8Array, at: number, source: Source) => { entry: Entry, next: number }} */
function readEntry(view, bytes, at, source) {
  if (at + 46 > view.byteLength || view.getUint32(at, true) !== CENTRAL) return bad(source, 'its directory is damaged');
  const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
  const next = at + 46 + name + extra + comment;
  if (next > view.byteLength) return bad(source, 'its directory is damaged');
  const entry = {
    name: Buffer.from(bytes.subarray(at + 46, at + 46 + name)).toString('utf8'),
    method: view.getUint16(at + 10, true),
    checksum: view.getUint32(at + 16, true),
    packed: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    at: view.getUint32(at + 42, true),
  };
  readLarge(entry, view, at + 46 + name, at + 46 + name + extra, source);
  if (view.getUint16(at + 8, true) & 1) bad(source, `${describe(entry.name)} is encrypted`);
  return { entry, next };
}

/** @type {(entries: readonly Entry[], end: number, source: Source) => void} */
function checkPlaces(entries, end, source) {
  const sorted = entries.toSorted((a, b) => a.at - b.at);
  sorted.forEach(({ name, at, packed }, i) => {
    const limit = sorted[i + 1]?.at ?? end;
    if (at + 30 + packed > limit) bad(source, `${describe(name)} reaches beyond its end, into what follows`);
  });
  const seen = new Set();
  for (const { name } of entries) {
    if (seen.has(name)) bad(source, `two entries have the name ${describe(name)}`);
    seen.add(name);
  }
}

/**
 * @param {Source} source
 * @returns {Entry[]}
 * @throws {import('../base/errors.js').GraphError} ERR_PARSE
 */
function listEntries(source) {
  const { count, length, at } = findDirectory(source);
  if (at + length > source.size) return bad(source, 'its directory lies outside');
  if (length > MOST_DIRECTORY) return bad(source, `its directory has ${length} bytes, more than ${MOST_DIRECTORY}`);
  if (count > length / 46) return bad(source, `its directory has no room for ${count} entries`);
  const bytes = source.read(at, length);
  const view = viewOf(bytes);
  /** @type {Entry[]} */
  const entries = [];
  for (let i = 0, next = 0; i < count; i++) {
    const read = readEntry(view, bytes, next, source);
    entries.push(read.entry);
    next = read.next;
  }
  checkPlaces(entries, at, source);
  return entries;
}

/** @type {(source: Source, packed: Uint8Array, entry: Entry) => Uint8Array} */
function inflate(source, packed, { name, size }) {
  try {
    // One byte more than there should be tells a liar.
    return zlib.inflateRawSync(packed, { maxOutputLength: Math.max(1, size + 1) });
  } catch (error) {
    const { code = 'damaged' } = /** @type {NodeJS.ErrnoException} */ (error);
    return bad(
      source,
      code === 'ERR_BUFFER_TOO_LARGE'
        ? `${describe(name)} is larger than it says`
        : `${describe(name)} cannot be unpacked (${code})`,
    );
  }
}

/** @type {(source: Source, entry: Entry, start: number, allocate: (size: number) => Uint8Array) => Uint8Array} */
function unpack(source, entry, start, allocate) {
  const { name, method, packed, size } = entry;
  if (method !== STORED) return inflate(source, source.read(start, packed), entry);
  if (packed !== size) bad(source, `${describe(name)} has ${packed} bytes, not ${size}`);
  const content = allocate(size);
  source.fill(content, start);
  return content;
}

/**
 * @param {Source} source
 * @param {Entry} entry
 * @param {(size: number) => Uint8Array} [allocate] memory for what is stored as it is
 * @returns {Uint8Array}
 * @throws {import('../base/errors.js').GraphError} ERR_PARSE, ERR_UNSUPPORTED
 */
function readContent(source, entry, allocate = (size) => new Uint8Array(size)) {
  const { name, method, packed, size, at } = entry;
  const head = viewOf(source.read(at, 30));
  if (head.getUint32(0, true) !== LOCAL)
    return bad(source, `${describe(name)} does not begin where the directory says`);
  const start = at + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  if (start + packed > source.size) return bad(source, `${describe(name)} reaches beyond its end`);
  if (method !== STORED && method !== DEFLATED) {
    const known = `${STORED} (stored) and ${DEFLATED} (deflated)`;
    return fail(
      'ERR_UNSUPPORTED',
      `${source.caller}: ${source.file}: ${describe(name)} is packed by method ${method}, known are ${known}`,
    );
  }
  const content = unpack(source, entry, start, allocate);
  if (content.length !== size) bad(source, `${describe(name)} has ${content.length} bytes, not ${size}`);
  if (checksumOf(content) !== entry.checksum) bad(source, `the checksum of ${describe(name)} is wrong`);
  return content;
}

// --------------------------------------------------------------------------------------- writing

/** @type {(values: readonly [bytes: 2 | 4 | 8, value: number][]) => Uint8Array} */
function fields(values) {
  const view = new DataView(new ArrayBuffer(values.reduce((sum, [bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [bytes, value] of values) {
    if (bytes === 2) view.setUint16(at, value, true);
    else if (bytes === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

/** Bit 11 says that names are UTF-8. */
const FLAGS = 0x800;

/**
 * Sizes in 64 bits always, as NumPy has them.
 *
 * @type {(entry: Entry, name: Uint8Array, isCentral: boolean) => Uint8Array[]}
 */
function header({ method, checksum, packed, size, at }, name, isCentral) {
  const extra = fields([
    [2, 1], [2, isCentral ? 24 : 16], [8, size], [8, packed],
    ...(isCentral ? [/** @type {[8, number]} */ ([8, at])] : []),
  ]);
  /** @type {[2 | 4, number][]} */
  const common = [
    [2, 45], [2, FLAGS], [2, method], [2, 0], [2, DATE], [4, checksum], [4, MOST_32], [4, MOST_32], [2, name.length],
    [2, extra.length],
  ];
  if (!isCentral) return [fields([[4, LOCAL], ...common]), name, extra];
  return [fields([[4, CENTRAL], [2, 45], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, MOST_32]]), name, extra];
}

/** @type {(parts: readonly Uint8Array[]) => number} */
const lengthOf = (parts) => parts.reduce((sum, { byteLength }) => sum + byteLength, 0);

/**
 * The parts of an archive, one entry in memory at a time.
 *
 * @param {Iterable<{ name: string, content: Uint8Array }>} files
 * @param {boolean} compress
 * @returns {Generator<Uint8Array, void, undefined>}
 */
function* packEntries(files, compress) {
  /** @type {Uint8Array[]} */
  const directory = [];
  let at = 0;
  let count = 0;
  for (const { name, content } of files) {
    const bytes = compress ? zlib.deflateRawSync(content) : content;
    const entry = {
      name, method: compress ? DEFLATED : STORED, checksum: checksumOf(content), packed: bytes.length,
      size: content.length, at,
    };
    const text = Buffer.from(name, 'utf8');
    const parts = [...header(entry, text, false), bytes];
    yield* parts;
    directory.push(...header(entry, text, true));
    at += lengthOf(parts);
    count++;
  }
  const length = lengthOf(directory);
  yield* directory;
  yield fields([
    [4, END_64], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, count], [8, count], [8, length], [8, at],
  ]);
  yield fields([
    [4, LOCATOR_64], [4, 0], [8, at + length], [4, 1],
  ]);
  yield fields([
    [4, END], [2, 0], [2, 0], [2, 0xffff], [2, 0xffff], [4, MOST_32], [4, MOST_32], [2, 0],
  ]);
}

module.exports = { listEntries, ownChecksum, packEntries, readContent };
