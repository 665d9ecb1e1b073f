/**
 * Files beside a model that it names. A name never leaves the folder of the model, also not by a link.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { fail } = require('../../base/errors.js');
const { Source } = require('../../files/file-io.js');

/** Nothing is kept open: what is named is read when somebody asks for it, which may be never. */
class FolderFiles {
  /** Places and sizes of files that were checked. @type {Map<string, { file: string, size: number }>} */
  #known = new Map();

  /** @param {string | undefined} folder of the model; undefined for one that is no file */
  constructor(folder) {
    this.folder = folder;
  }

  /** @type {(name: string, what: string) => { file: string, size: number }} */
  #place(name, what) {
    if (this.folder === undefined) return fail('ERR_ARGUMENT', `${what} lies in file '${name}': load the model by its path`);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const root = fs.realpathSync(this.folder);
    const file = path.resolve(root, name);
    const isInside = (/** @type {string} */ place) => place.startsWith(root + path.sep);
    if (name.includes('\0') || !isInside(file) || (fs.existsSync(file) && !isInside(fs.realpathSync(file))))
      return fail('ERR_PARSE', `${what} lies in file '${name}', outside of the folder of the model`);
    const place = { file, size: reading(file, (source) => source.size) };
    this.#known.set(name, place);
    return place;
  }

  /** @type {(name: string, what: string) => number} */
  size(name, what) {
    return this.#place(name, what).size;
  }

  /** @type {(name: string, offset: number, length: number, what: string) => Uint8Array} */
  read(name, offset, length, what) {
    const { file, size } = this.#place(name, what);
    if (!Number.isSafeInteger(offset) || offset < 0 || length < 0 || offset + length > size)
      return fail('ERR_PARSE', `${what} takes ${length} bytes at ${offset} of '${name}', which has ${size}`);
    return reading(file, (source) => source.read(offset, length));
  }
}

/**
 * @template T
 * @param {string} file
 * @param {(source: Source) => T} use
 * @returns {T}
 */
function reading(file, use) {
  const source = new Source(file, 'load');
  try {
    return use(source);
  } finally {
    source.close();
  }
}

module.exports = { FolderFiles };
