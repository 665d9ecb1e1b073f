/**
 * The options that several sub-commands share, each with one meaning and one text.
 */
'use strict';

const { Option } = require('commander');
const { usage } = require('./errors.js');
const { readSizes } = require('./sizes.js');

/** @typedef {import('commander').Command} Command */

/** @type {(name: string, min: number, max: number) => (text: string) => number} */
const wholeNumber = (name, min, max) => (text) => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    usage(`expected a whole number from ${min} to ${max} for ${name}, got '${text}'`);
  return value;
};

/** @type {(name: string) => (text: string) => number} */
const positiveNumber = (name) => (text) => {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0) || !Number.isFinite(value))
    usage(`expected a positive number for ${name}, got '${text}'`);
  return value;
};

/** @type {(text: string, before?: string[]) => string[]} of an option that may be repeated */
const collect = (text, before = []) => [...before, text];

/**
 * One --shape of several, NAME=[2,n] or with a dtype before it.
 *
 * @type {(text: string, before?: Record<string, any>) => Record<string, any>}
 */
function readShapes(text, before = {}) {
  const found = /^(.+?)=([a-z]\w*)?\[([\w\s,]*)\]$/.exec(text);
  if (!found) return usage(`expected NAME=[SIZES] for --shape, such as x=[n,3,224,224] or ids=i64[1,n], got '${text}'`);
  const [, name, dtype = 'f32', list] = found;
  if (Object.hasOwn(before, name)) usage(`--shape ${name} is given twice`);
  const words = list.split(',').map((each) => each.trim()).filter((each) => each !== '');
  return { ...before, [name]: { dtype, shape: words.map((each) => (/^\d+$/.test(each) ? Number(each) : each)) } };
}

const shared = {
  json: () => new Option('--json', 'print one JSON document'),
  size: (text = 'the value of a symbol; may be repeated, or n=1,m=2') =>
    new Option('--size <name=number>', text).argParser(readSizes),
  shape: () =>
    new Option('--shape <name=[sizes]>', 'the type of an input of a model that says none').argParser(readShapes),
  numerics: (initial = 'default') =>
    new Option('--numerics <mode>', 'how floats may be computed')
      .choices(['strict', 'default', 'fast'])
      .default(initial),
  opt: () => new Option('--opt <level>', 'how hard the compiler tries').choices(['0', '1', '2', '3']).default('3'),
  threads: () =>
    new Option('--threads <count>', 'the most threads of a run (default: all cores)').argParser(
      wholeNumber('--threads', 1, 256),
    ),
  input: () => new Option('--input <name=value>', 'an input; may be repeated').argParser(collect),
  seed: () =>
    new Option('--seed <number>', 'of random inputs').argParser(wholeNumber('--seed', 0, 999999999)).default(0),
  cast: () => new Option('--cast', 'convert .npy files of another dtype'),
};

/** @type {(lines: readonly string[]) => string} the last part of a help text */
const examples = (lines) => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;

const VALUES = `
A value is one of
  FILE.npy, FILE.csv, FILE.tsv, FILE.json   the array in a file
  random, random:[SHAPE], random:[SHAPE]:SEED
  [1, 2, 3]                                 a JSON array
  2.5                                       a number, repeated where the input has a shape
`;

module.exports = { VALUES, collect, examples, positiveNumber, shared, wholeNumber };
