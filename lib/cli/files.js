/**
 * Reading files whole, and writing them so that nobody ever sees half of one.
 *
 * What is written goes to a temporary name in the same folder first and is renamed when all files of a
 * command are complete, so an error, a full disk or Ctrl-C leaves everything as it was.
 */
'use strict';

const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { EXIT, reasonOf, stop, usage } = require('./errors.js');

const CHUNK = 2 ** 30;

/** @type {(file: string) => string} what messages call it */
const nameOf = (file) => (file === '-' ? '<stdin>' : file);

/**
 * Waits where whoever shares the pipe has made it non-blocking.
 *
 * @type {(descriptor: number, part: Buffer) => number}
 */
function readSome(descriptor, part) {
  for (;;) {
    try {
      return fs.readSync(descriptor, part, 0, part.length, null);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** @type {(descriptor: number) => Uint8Array} of a pipe, whose size nobody knows */
function readStream(descriptor) {
  /** @type {Buffer[]} */
  const parts = [];
  for (;;) {
    const part = Buffer.allocUnsafe(65536);
    const got = readSome(descriptor, part);
    if (got === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, got));
  }
}

/** @type {(descriptor: number, size: number) => Uint8Array} also beyond the 2 GiB of readFileSync */
function readRegular(descriptor, size) {
  const bytes = new Uint8Array(size);
  let at = 0;
  while (at < size) {
    const got = fs.readSync(descriptor, bytes, at, Math.min(CHUNK, size - at), at);
    if (got === 0) break;
    at += got;
  }
  return bytes.subarray(0, at);
}

/** What cannot be asked for is an error of whoever reads it. @type {(file: string) => fs.Stats | undefined} */
function statOf(file) {
  try {
    return file === '-' ? undefined : fs.statSync(file);
  } catch {
    return undefined;
  }
}

/** Whether a file can be read again and at any place: no pipe, no standard input. @type {(file: string) => boolean} */
const isRegular = (file) => statOf(file)?.isFile() ?? false;

/** @type {(file: string) => boolean} */
const isFolder = (file) => statOf(file)?.isDirectory() ?? false;

/**
 * The bytes of a file, or of standard input for '-'.
 *
 * @param {string} file
 * @param {number} [most] that are read of a regular file
 * @returns {Uint8Array}
 */
function readBytes(file, most = Infinity) {
  let descriptor = -1;
  try {
    descriptor = file === '-' ? 0 : fs.openSync(file, 'r');
    const info = fs.fstatSync(descriptor);
    if (info.isDirectory()) return stop(`cannot read ${file}: it is a folder`);
    return info.isFile() && file !== '-' ? readRegular(descriptor, Math.min(info.size, most)) : readStream(descriptor);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EOF') return new Uint8Array(0);
    if (error instanceof Error && 'syscall' in error)
      return stop(`cannot read ${nameOf(file)}: ${reasonOf(error)}`, { cause: error });
    throw error;
  } finally {
    if (descriptor > 0) fs.closeSync(descriptor);
  }
}

/**
 * The text of bytes.
 *
 * @param {Uint8Array} bytes
 * @param {string} file for the message
 * @returns {string}
 */
function textOf(bytes, file) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const why = bytes.length > 2 ** 29 ? 'it is too large for a text' : 'it is not UTF-8 text';
    return stop(`cannot read ${nameOf(file)}: ${why}`, { cause, code: 'ERR_PARSE' });
  }
}

/** @type {(file: string, why: unknown) => never} */
const cannotWrite = (file, why) => {
  const isLost = /** @type {NodeJS.ErrnoException} */ (why).code === 'ENOENT';
  return stop(`cannot write ${file}: ${isLost ? 'there is no such folder' : reasonOf(why)}`, {
    exit: EXIT.environment,
    cause: why,
  });
};

/** @type {(a: string, b: string) => boolean} whether both are names of one file, through links too */
function isSameFile(a, b) {
  try {
    const [one, other] = [a, b].map((file) => fs.statSync(file));
    return one.dev === other.dev && one.ino === other.ino;
  } catch {
    return false; // one of them is not there, or nobody can tell: who writes it will be told
  }
}

/**
 * Refuses to write over the file that a command reads.
 *
 * @type {(input: string, outputs: readonly string[], remedy: string) => void}
 */
function keepInput(input, outputs, remedy) {
  if (input === '-' || !outputs.some((file) => isSameFile(file, input))) return;
  stop(`${input} would be overwritten by its own output; say another ${remedy}`);
}

/**
 * What a name stands for: a link for the file at its end, and is kept. A device or a pipe (`/dev/null`,
 * `/dev/stdout`) is written to where it is; a file renamed to its name would take its place.
 *
 * @param {string} file
 * @returns {{ place: string, temporary: string | undefined }}
 */
function destinationOf(file) {
  const info = fs.statSync(file, { throwIfNoEntry: false });
  if (info?.isDirectory()) cannotWrite(file, 'it is a folder');
  if (info && !info.isFile()) return { place: file, temporary: undefined };
  const place = info ? fs.realpathSync(file) : file;
  return { place, temporary: path.join(path.dirname(place), `.graphjit-${randomUUID()}.tmp`) };
}

/**
 * Makes a folder with those above it.
 *
 * @param {string} folder
 */
function makeFolder(folder) {
  try {
    fs.mkdirSync(folder, { recursive: true });
  } catch (error) {
    cannotWrite(folder, error);
  }
}

/**
 * Writes all files or none: those of the same names are replaced, others stay.
 *
 * @param {readonly { file: string, content: string | Uint8Array }[]} files
 */
async function writeFiles(files) {
  /** @type {{ place: string, temporary: string | undefined, file: string, content: string | Uint8Array }[]} */
  const made = [];
  const undo = () => made.forEach(({ temporary }) => temporary !== undefined && fs.rmSync(temporary, { force: true }));
  const interrupted = (/** @type {string} */ signal) => {
    undo();
    process.exit(signal === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted);
  };
  let current = '';
  const places = files.map(({ file }) => path.resolve(file));
  const twice = places.find((place, i) => places.indexOf(place) < i);
  if (twice !== undefined) usage(`two outputs would be written to ${twice}`);
  // Not `once`: a second signal would find no listener and end the process before the files are gone.
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  try {
    for (const { file, content } of files) {
      current = file;
      const destination = destinationOf(file);
      made.push({ ...destination, file, content });
      if (destination.temporary !== undefined)
        await fs.promises.writeFile(destination.temporary, content, { flag: 'wx' });
    }
    for (const { place, temporary, file, content } of made) {
      current = file;
      if (temporary === undefined) await fs.promises.writeFile(place, content);
      else fs.renameSync(temporary, place);
    }
  } catch (error) {
    undo();
    if (error instanceof Error && 'syscall' in error) cannotWrite(current, error);
    throw error;
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}

module.exports = { isFolder, isRegular, keepInput, makeFolder, nameOf, readBytes, textOf, writeFiles };
