/**
 * Files read piece by piece, and written so that nobody ever sees half of one.
 *
 * What is written goes to a temporary name in the same folder and is renamed when it is complete. Errors of
 * the system become a GraphError that says what could not be done to which file.
 */
'use strict';

const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { GraphError, fail } = require('../base/errors.js');

/** The most that one call of the system reads or writes. */
const CHUNK = 2 ** 30;

/** @type {Record<string, string>} */
const reasons = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'part of the path is no folder',
  ENOSPC: 'the disk is full',
};

/**
 * @template T
 * @param {string} caller
 * @param {string} what such as 'read x.npy'
 * @param {() => T} action
 * @returns {T}
 */
function attempt(caller, what, action) {
  try {
    return action();
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
    const { code = '' } = /** @type {NodeJS.ErrnoException} */ (cause);
    const message = `${caller}: cannot ${what}: ${reasons[code] ?? code}`;
    throw new GraphError(message, { code: 'ERR_ARGUMENT', cause });
  }
}

/** A file that is being read. */
class Source {
  #descriptor;

  /**
   * @param {string} file
   * @param {string} caller
   */
  constructor(file, caller) {
    this.file = file;
    this.caller = caller;
    this.#descriptor = attempt(caller, `read ${file}`, () => fs.openSync(file, 'r'));
    const info = attempt(caller, `read ${file}`, () => fs.fstatSync(this.#descriptor));
    this.size = info.size;
    this.modified = info.mtimeMs;
    if (info.isFile()) return;
    this.close();
    fail(
      'ERR_ARGUMENT',
      `${caller}: cannot read ${file}: it is ${info.isDirectory() ? 'a folder' : 'no regular file'}`,
    );
  }

  /**
   * Fills an array from a place of the file.
   *
   * @param {ArrayBufferView} target
   * @param {number} at
   */
  fill({ buffer, byteOffset, byteLength }, at) {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    for (let done = 0; done < byteLength;) {
      const some = Math.min(CHUNK, byteLength - done);
      const got = attempt(this.caller, `read ${this.file}`, () =>
        fs.readSync(this.#descriptor, bytes, done, some, at + done),
      );
      if (got === 0)
        fail('ERR_PARSE', `${this.caller}: ${this.file} ends at byte ${at + done}, before ${at + byteLength}`);
      done += got;
    }
  }

  /** @type {(at: number, length: number) => Uint8Array} */
  read(at, length) {
    const bytes = new Uint8Array(length);
    this.fill(bytes, at);
    return bytes;
  }

  close() {
    fs.closeSync(this.#descriptor);
  }
}

/**
 * Writes a file, or leaves what is there.
 *
 * @param {string} file
 * @param {Iterable<ArrayBufferView>} parts
 * @param {string} caller
 */
function writeWhole(file, parts, caller) {
  const write = `write ${file}`;
  const info = attempt(caller, write, () => fs.statSync(file, { throwIfNoEntry: false }));
  if (info?.isDirectory()) fail('ERR_ARGUMENT', `${caller}: cannot write ${file}: it is a folder`);
  const place = info ? attempt(caller, write, () => fs.realpathSync(file)) : file;
  const isPlain = info === undefined || info.isFile();
  // A device or a pipe is written to where it is; a file renamed to its name would take its place.
  const name = isPlain ? path.join(path.dirname(place), `.graphjit-${randomUUID()}.tmp`) : place;
  const descriptor = attempt(caller, write, () =>
    fs.openSync(name, isPlain ? 'wx' : 'w', info ? info.mode & 0o777 : 0o666),
  );
  try {
    try {
      for (const part of parts) writePart(descriptor, part, caller, write);
    } finally {
      fs.closeSync(descriptor);
    }
    if (isPlain) attempt(caller, write, () => fs.renameSync(name, place));
  } catch (error) {
    if (isPlain) fs.rmSync(name, { force: true });
    throw error;
  }
}

/** @type {(descriptor: number, part: ArrayBufferView, caller: string, write: string) => void} */
function writePart(descriptor, { buffer, byteOffset, byteLength }, caller, write) {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  for (let done = 0; done < byteLength;) {
    const some = Math.min(CHUNK, byteLength - done);
    done += attempt(caller, write, () => fs.writeSync(descriptor, bytes, done, some));
  }
}

module.exports = { Source, writeWhole };
