/**
 * Files beside a model that it names. A name never leaves the folder of the model, also not by a link.
 *
 * Nothing is kept open: what is named is read when somebody asks for it, which may be never. It must be as it was when
 * it was asked for first, since a graph may be built again. Bytes come in memory that graphs share
 * (graph/shared-constants.js), so that weights are held once.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { fail } = require('../../base/errors.js');
const { Source } = require('../../files/file-io.js');
const { allocateConstant } = require('../../graph/shared-constants.js');

class FolderFiles {
  /** Sizes and times of change of files that were asked for. @type {Map<string, { size: number, modified: number }>} */
  #known = new Map();

  /** @param {string | undefined} folder of the model; undefined for one that is no file */
  constructor(folder) {
    this.folder = folder;
  }

  /** @type {(name: string, what: string) => string} */
  #place(name, what) {
    if (this.folder === undefined) return fail('ERR_ARGUMENT', `${what} lies in file '${name}': load the model by its path`);
    const root = fs.realpathSync(this.folder);
    const file = path.resolve(root, name);
    const isInside = (/** @type {string} */ place) => place.startsWith(root + path.sep);
    if (name.includes('\0') || !isInside(file) || (fs.existsSync(file) && !isInside(fs.realpathSync(file))))
      return fail('ERR_PARSE', `${what} lies in file '${name}', outside of the folder of the model`);
    return file;
  }

  /**
   * @template T
   * @param {string} name
   * @param {string} what
   * @param {(source: Source) => T} use
   * @returns {T}
   */
  #open(name, what, use) {
    const source = new Source(this.#place(name, what), 'load');
    try {
      const { size, modified } = source;
      const known = this.#known.get(name) ?? { size, modified };
      this.#known.set(name, known);
      if (known.size !== size || known.modified !== modified)
        return fail('ERR_STATE', `${what} lies in file '${name}', which was changed meanwhile`);
      return use(source);
    } finally {
      source.close();
    }
  }

  /** @type {(name: string, what: string) => number} */
  size(name, what) {
    return this.#known.get(name)?.size ?? this.#open(name, what, ({ size }) => size);
  }

  /** @type {(name: string, offset: number, length: number, what: string) => Uint8Array} */
  read(name, offset, length, what) {
    return this.#open(name, what, (source) => {
      if (!Number.isSafeInteger(offset) || offset < 0 || !(length >= 0) || offset + length > source.size)
        return fail('ERR_PARSE', `${what} takes ${length} bytes at ${offset} of '${name}', which has ${source.size}`);
      const bytes = /** @type {Uint8Array} */ (allocateConstant('u8', length, 'load'));
      source.fill(bytes, offset);
      return bytes;
    });
  }

  /**
   * Fills an array from a place that is inside of the file.
   *
   * @type {(bytes: Uint8Array, name: string, offset: number, what: string) => void}
   */
  fill(bytes, name, offset, what) {
    this.#open(name, what, (source) => source.fill(bytes, offset));
  }
}

module.exports = { FolderFiles };
