/**
 * What goes wrong in the `graphjit` command, and how it ends: one message on stderr, a place in the
 * input where there is one, and an exit code that scripts can branch on.
 *
 * Stacks are for people who work on graphjit: DEBUG=graphjit shows them.
 */
'use strict';

const { nearest } = require('../base/check.js');
const { GraphError } = require('../base/errors.js');

/** The exit codes, as docs/cli.md lists them. */
const EXIT = Object.freeze({
  ok: 0,
  input: 1, // the graph, the data or a file that was named is at fault
  usage: 2, // the command line is
  environment: 3, // this machine is: the addon does not load, no memory, a folder that cannot be written
  internal: 4, // graphjit is
  interrupted: 130, // SIGINT
  terminated: 143, // SIGTERM
  pipe: 141, // whoever read the output stopped reading
});

/**
 * @typedef {object} Place where in a file something is wrong
 * @property {string} file
 * @property {number} [line] from 1
 * @property {number} [column] in characters, from 1
 * @property {string} [text] the line itself
 */

/** An error of the command itself, with all that a report shows. */
class CommandError extends Error {
  /**
   * @param {string} message one line, without a full stop
   * @param {{ exit?: number, code?: string, place?: Place, cause?: unknown }} [details]
   */
  constructor(message, { exit = EXIT.input, code = 'ERR_ARGUMENT', place, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CommandError';
    this.exit = exit;
    this.code = code;
    this.place = place;
  }
}

/**
 * @param {string} message
 * @param {ConstructorParameters<typeof CommandError>[1]} [details]
 * @returns {never}
 */
function stop(message, details) {
  throw new CommandError(message, details);
}

/** @type {(message: string) => never} for a command line that makes no sense */
const usage = (message) => stop(message, { exit: EXIT.usage });

/** " (did you mean 'x'?)" where a known name is near. @type {(name: string, known: readonly string[]) => string} */
function meantBy(name, known) {
  const meant = nearest(name, known);
  return meant === undefined ? '' : ` (did you mean '${meant}'?)`;
}

/** What the usual errors of the system mean to people. @type {Readonly<Record<string, string>>} */
const SYSTEM = Object.freeze({
  EACCES: 'permission denied',
  EEXIST: 'there is a file of that name',
  EISDIR: 'it is a folder',
  ELOOP: 'too many links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'no such file',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of the path is no folder',
  EROFS: 'the file system is read-only',
});

/** @type {(error: unknown) => string} */
function reasonOf(error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error ?? {});
  return (code !== undefined && SYSTEM[code]) || String(message ?? error);
}

/** Codes of GraphErrors that are not the fault of a graph or of data. @type {Readonly<Record<string, number>>} */
const EXIT_OF_CODE = Object.freeze({
  ERR_MEMORY: EXIT.environment,
  ERR_STATE: EXIT.environment,
  ERR_INTERNAL: EXIT.internal,
});

/** @type {(error: unknown) => number} */
function exitOf(error) {
  if (error instanceof CommandError) return error.exit;
  if (error instanceof GraphError) return EXIT_OF_CODE[error.code] ?? EXIT.input;
  if (error instanceof RangeError && /allocation|Invalid (typed )?array length/i.test(error.message))
    return EXIT.environment;
  return EXIT.internal;
}

/** The line with a caret below the column. @type {(place: Place) => string} */
function excerpt({ line, column, text }) {
  if (line === undefined || column === undefined || text === undefined || text.length > 400) return '';
  const number = String(line);
  // Tabs stay tabs, so that the caret stands where the terminal puts the character.
  const indent = [...text].slice(0, column - 1).map((character) => (character === '\t' ? '\t' : ' '));
  return `\n  ${number} | ${text}\n  ${' '.repeat(number.length)} | ${indent.join('')}^`;
}

/** @type {(place: Place) => string} "model.gj:2:8: " */
const placeText = ({ file, line, column }) => [file, line, column].filter((part) => part !== undefined).join(':');

/**
 * The report for people.
 *
 * @param {unknown} error
 * @param {{ red: (text: string) => string }} style
 */
function reportText(error, style) {
  const own = error instanceof Error ? error : new Error(String(error));
  const place = own instanceof CommandError ? own.place : undefined;
  const lead = place ? `${placeText(place)}: ` : '';
  const internal =
    exitOf(error) === EXIT.internal
      ? '\ngraphjit: this is a fault of graphjit, please report it; DEBUG=graphjit shows more'
      : '';
  const stack = process.env.DEBUG?.split(',').includes('graphjit') ? `\n${own.stack}` : '';
  return `graphjit: ${style.red('error:')} ${lead}${own.message}${place ? excerpt(place) : ''}${internal}${stack}\n`;
}

/** The same for programs. @type {(error: unknown) => { error: Record<string, unknown> }} */
function reportObject(error) {
  const { code, message, place } = /** @type {any} */ (error ?? {});
  const { file, line, column } = place ?? {};
  const known = error instanceof CommandError || error instanceof GraphError;
  return { error: { code: known ? code : 'ERR_INTERNAL', message: String(message ?? error), file, line, column } };
}

module.exports = { CommandError, EXIT, exitOf, meantBy, reasonOf, reportObject, reportText, stop, usage };
