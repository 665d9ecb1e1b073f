/**
 * The texts of the stages, divided into functions: `k0` and its parts in Loop IR, `@gj.k0` in LLVM IR,
 * the label `gj.k0` in assembly. What stands before, between and behind them is kept as pieces without a
 * name, so that together the pieces are the text, but for lines that are too long to read.
 */
'use strict';

/**
 * @typedef {object} Piece
 * @property {string} name of the function, '' for what is none
 * @property {string} text
 * @property {number} lines
 */

const LONG_LINE = 400;
const LONG_PREAMBLE = 160;

/** @type {(line: string) => string} */
const clipped = (line) =>
  line.length > LONG_LINE
    ? `${line.slice(0, LONG_LINE)} … ${(line.length - LONG_LINE).toLocaleString('en')} more characters`
    : line;

/** @type {(name: string, lines: readonly string[]) => Piece} */
function piece(name, lines) {
  const shown = name === '' && lines.length > LONG_PREAMBLE ? lines.slice(0, LONG_PREAMBLE) : lines;
  const left = lines.length - shown.length;
  const text = shown.map(clipped).join('\n') + (left > 0 ? `\n… ${left.toLocaleString('en')} more lines` : '');
  return { name, text, lines: lines.length };
}

/**
 * Cuts lines where a function begins and ends.
 *
 * @param {string} text
 * @param {(line: string, next: string) => string | undefined} startOf the name of the function that begins with a line
 * @param {(line: string) => boolean} isEnd
 * @returns {Piece[]}
 */
function cut(text, startOf, isEnd) {
  /** @type {Piece[]} */
  const pieces = [];
  const lines = text.split('\n');
  let [name, from] = ['', 0];
  const close = (/** @type {number} */ to) => {
    const own = lines.slice(from, to);
    if (own.some((line) => line.trim() !== '')) pieces.push(piece(name, own));
    [name, from] = ['', to];
  };
  lines.forEach((line, i) => {
    const start = name === '' ? startOf(line, lines[i + 1] ?? '') : undefined;
    if (start !== undefined) {
      close(i);
      name = start;
    }
    if (name !== '' && isEnd(line)) close(i + 1);
  });
  close(lines.length);
  return pieces;
}

/** @type {(text: string) => Piece[]} a note above a function belongs to it */
function loopPieces(text) {
  const start = /^ {2}(?:entry )?func (\w+)\(/;
  const ofNote = (/** @type {string} */ line, /** @type {string} */ next) =>
    /^ {2}note "/.test(line) ? start.exec(next)?.[1] : start.exec(line)?.[1];
  return cut(text, ofNote, (line) => line === '  }');
}

const LLVM_NAME = /^define .*?@(?:"((?:[^"\\]|\\.)*)"|([-\w.$]+))\(/;

/** @type {(text: string) => Piece[]} */
function llvmPieces(text) {
  const ofComment = (/** @type {string} */ line, /** @type {string} */ next) => {
    const found = LLVM_NAME.exec(line.startsWith('; Function Attrs') ? next : line);
    return found ? (found[1] ?? found[2]) : undefined;
  };
  return cut(text, ofComment, (line) => line === '}');
}

/** @type {(text: string) => Piece[]} */
function asmPieces(text) {
  return cut(
    text,
    (line) => /^\s+\.type\s+([^,\s]+),\s*[@%]function/.exec(line)?.[1],
    (line) => /^\s+\.size\s/.test(line),
  );
}

/**
 * Where kernels can be found in the texts: by names of functions, of their parts and of the tasks that run them.
 *
 * @type {(name: string) => string}
 */
const ownerOf = (name) => name.replace(/^gj\./, '').replace(/\.task$/, '');

module.exports = { asmPieces, llvmPieces, loopPieces, ownerOf };
