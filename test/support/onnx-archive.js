// Folders of test cases in one file: their files one after another, with Brotli over all of them, because the cases of
// an op differ little.
//
//   node test/support/onnx-archive.js FOLDER FILE [bytes]   packs the cases of FOLDER that have fewer bytes (25000)
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');

/** So far back a repetition may be: the largest window there is. */
const WINDOW_BITS = 24;

/** @type {(folder: string) => string[]} paths in it, with slashes */
const filesOf = (folder) =>
  fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    (fs.statSync(path.join(folder, entry.name)).isDirectory()
      ? filesOf(path.join(folder, entry.name)).map((file) => `${entry.name}/${file}`)
      : [entry.name])).sort();

/** A name and bytes, each behind its length. @type {(name: string, bytes: Buffer) => Buffer[]} */
function entryOf(name, bytes) {
  const [text, lengths] = [Buffer.from(name), Buffer.alloc(8)];
  lengths.writeUInt32LE(text.length, 0);
  lengths.writeUInt32LE(bytes.length, 4);
  return [lengths, text, bytes];
}

/** @type {(root: string, limit: number) => Buffer} */
function pack(root, limit) {
  const cases = fs.readdirSync(root).sort().map((name) => filesOf(path.join(root, name)).map((file) => `${name}/${file}`));
  const parts = cases.map((names) => names.map((name) => /** @type {const} */ ([name, fs.readFileSync(path.join(root, name))])));
  const small = parts.filter((files) => files.reduce((total, [, bytes]) => total + bytes.length, 0) < limit);
  const all = Buffer.concat(small.flat().flatMap(([name, bytes]) => entryOf(name, bytes)));
  const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
  return zlib.brotliCompressSync(all, { params: { [BROTLI_PARAM_LGWIN]: WINDOW_BITS, [BROTLI_PARAM_SIZE_HINT]: all.length } });
}

/** @type {(file: string, root: string) => void} writes the folders of an archive */
function unpack(file, root) {
  const bytes = zlib.brotliDecompressSync(fs.readFileSync(file));
  for (let at = 0; at < bytes.length; ) {
    const begin = at + 8;
    const middle = begin + bytes.readUInt32LE(at);
    const end = middle + bytes.readUInt32LE(at + 4);
    const target = path.join(root, bytes.toString('utf8', begin, middle));
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, bytes.subarray(middle, end));
    at = end;
  }
}

if (require.main === module) {
  const [root, file, limit = '25000'] = process.argv.slice(2);
  fs.writeFileSync(file, pack(root, Number(limit)));
}

module.exports = { unpack };
