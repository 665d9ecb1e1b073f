/**
 * What became of each loop of a function, as a text for people: vectors, threads, range checks, and why not.
 *
 * Loops carry their number instead of a line through the compiler (emit/loops.js), with the number of the copy behind
 * it: 1 is the one without range checks, where there are several, and the one worth telling of.
 */
'use strict';

/** @typedef {import('../tir/index.js').LoopRecord} LoopRecord */
/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {(place: Place) => { file: string, line: number, column: number }} WhereOf */

/** Arrays named before a list ends with how many more there are. */
const MOST_NAMED = 4;

/** What the compiler says of each loop, by its number. @type {(remarks: string) => Map<number, string>} */
function remarksOf(remarks) {
  /** @type {Map<number, { copy: number, text: string }>} */
  const best = new Map();
  for (const line of remarks.split('\n')) {
    const match = /^(\d+):(\d+): (.*)$/u.exec(line);
    if (!match) continue;
    const [id, copy] = [Number(match[1]) - 1, Number(match[2])];
    const known = best.get(id);
    if (!known || copy < known.copy) best.set(id, { copy, text: match[3] });
  }
  return new Map([...best].map(([id, { text }]) => [id, text]));
}

/** @type {(count: number, what: string) => string} */
const counted = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** @type {(record: LoopRecord, whereOf: WhereOf) => string[]} */
function checksText({ checks }, whereOf) {
  if (!checks) return [];
  const texts = [];
  if (checks.moved > 0) texts.push(`${counted(checks.moved, 'range check')} moved out of it`);
  if (checks.kept.length > 0) {
    const places = checks.kept.map(({ name, place }) => {
      const where = place && whereOf(place);
      return where ? `${name} at ${where.line}:${where.column}` : name;
    });
    const named = [...new Set(places)];
    const more = named.length > MOST_NAMED ? ` and ${named.length - MOST_NAMED} more` : '';
    texts.push(
      `range checks stay for ${named.slice(0, MOST_NAMED).join(', ')}${more}: where they read and write is not known before the loop`,
    );
  }
  return texts;
}

/** @type {(loop: LoopRecord, remark: string | undefined, whereOf: WhereOf) => string} */
function loopText(loop, remark, whereOf) {
  const { file, line, column } = whereOf(loop.place);
  const facts = [loop.vector ?? remark, loop.parallel, ...loop.reasons, ...checksText(loop, whereOf)].filter(
    (each) => each !== null && each !== undefined,
  );
  return `${file}:${line}:${column}: ${loop.form} loop${facts.length === 0 ? '' : `: ${facts.join('; ')}`}`;
}

/**
 * @param {readonly LoopRecord[]} loops
 * @param {WhereOf} whereOf
 * @param {string} remarks of the compiler, a line each
 * @returns {string}
 */
function explain(loops, whereOf, remarks) {
  if (loops.length === 0) return 'there are no loops';
  const known = remarksOf(remarks);
  return loops.map((loop) => loopText(loop, known.get(loop.id), whereOf)).join('\n');
}

module.exports = { explain };
