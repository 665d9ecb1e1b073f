// Random trees and texts for the language of columns.
//
//   node test/fuzz/columns-language.js [--seconds 60] [--seed 1] [--only SEED]
//
// A seed makes a tree, whose text must parse to it again, and then damages the text in some places: what comes of it is a
// tree, whose text parses to it again, or an ERR_PARSE with a place in the text. Either takes milliseconds.
'use strict';

const { parseArgs } = require('node:util');
const { nodes, parse, print, same, validate } = require('../../lib/columns/language/index.js');
const { source } = require('../functions/support/values.js');
const { Maker } = require('./maker.js');

/** @typedef {import('../../lib/columns/language/ast.js').Node} Node */

const names = ['x', 'y', 'date', 'End', 'order id', 'a.b', 'größe', 'say "hi"', 'if', 'interval', 'like', 'e', 'x.str', '', 'µ', '数', 'from', 'distinct', 'both', 'a$', '1a'];
const strings = ['', 'a', "it's", 'a%_', '\\', '-- no', '/* no */', 'ä€😀', '\n\t\0', '"', '::', "''"];
const operators = [
  'add', 'subtract', 'multiply', 'divide', 'floor_divide', 'mod', 'power', 'and', 'or', '||', '|', '&', '^', 'shift_left', 'shift_right', 'equal', 'not_equal', 'less_than',
  'less_than_or_equal_to', 'greater_than', 'greater_than_or_equal_to', 'is_distinct_from', 'is_not_distinct_from', 'like', 'ilike',
];
const unary = ['negative', 'not', '~', 'isnull', 'isnotnull', 'istrue', 'isfalse', 'isnottrue', 'isnotfalse', 'upper'];
const functions = ['coalesce', 'count', 'trim', 'position', 'extract', 'substring', 'timestampadd', 'timestampdiff', 'cast', 'if', 'between', 'case', 'date', 'and', 'not', 'like', 'add', 'isnull', 'Ünï', 'a b', 'x'];
const types = [['int32', []], ['decimal', [38, 2]], ['timestamp', ['us', 'America/New_York']], ['double precision', []], ['timestamp with time zone', [3]], ['t', ["it's", -1, '1', '']]];

class Trees extends Maker {
  /** @type {Node[]} to be used again */
  made = [];

  /** @param {number} depth @returns {Node} */
  tree(depth) {
    if (this.made.length > 0 && this.chance(0.1)) return this.pick(this.made);
    const node = depth <= 0 || this.chance(0.15) ? this.leaf() : this.inner(depth - 1);
    this.made.push(node);
    return node;
  }

  /** @returns {Node} */
  leaf() {
    const kind = this.pick(['name', 'name', 'name', 'parameter', 'literal', 'literal', 'literal']);
    return kind === 'literal' ? this.literal() : /** @type {any} */ (nodes)[kind](this.pick(names));
  }

  literal() {
    const number = () => Math.floor((this.random() - 0.5) * 10 ** Math.floor(this.random() * 12));
    /** @type {Record<string, () => any>} */
    const values = {
      integer: () => this.pick([0n, 1n, -1n, 2n ** 63n, -(2n ** 63n), BigInt(number())]),
      float: () => this.pick([0, -0, 1.5, -2, 1e300, 5e-324, -1e21, NaN, Infinity, -Infinity, this.random()]),
      decimal: () => this.pick(['1.50', '-1', '.5', '+7', '0000.1']),
      string: () => this.pick(strings),
      boolean: () => this.chance(0.5),
      null: () => null,
      date: () => '2020-01-31',
      time: () => '12:30',
      timestamp: () => "2020-01-31 12:30 it's",
      interval: () => ({ months: number() % 2 ** 31, days: this.pick([0, -1, 7]), nanoseconds: this.pick([0n, -1n, 10n ** 18n, BigInt(number())]) }),
      binary: () => Uint8Array.from({ length: Math.floor(this.random() * 4) }, () => this.random() * 256),
    };
    const type = /** @type {any} */ (this.pick(Object.keys(values)));
    return nodes.literal(type, values[type]());
  }

  /** @param {number} depth */
  some(depth, least = 0) {
    return Array.from({ length: least + Math.floor(this.random() * 3) }, () => this.tree(depth));
  }

  /** @param {number} depth @returns {Node} */
  inner(depth) {
    const tree = () => this.tree(depth);
    const call = nodes.call;
    const kinds = [
      () => call(this.pick(operators), [tree(), tree()]),
      () => call(this.pick(operators), [tree(), tree()]),
      () => call(this.pick(operators), [tree(), tree()]),
      () => call(this.pick(unary), [tree()]),
      () => call(this.pick([...functions, ...operators, ...unary]).toLowerCase(), this.some(depth)),
      () => nodes.within(tree(), this.some(depth)),
      () => nodes.choice([{ when: tree(), then: tree() }, ...(this.chance(0.5) ? [{ when: tree(), then: tree() }] : [])], this.chance(0.5) ? tree() : null),
      () => {
        const [name, args] = this.pick(types);
        return nodes.cast(tree(), nodes.typeName(/** @type {string} */ (name), /** @type {any} */ (args)), this.chance(0.5));
      },
      () => this.shared(depth),
    ];
    return this.pick(kinds)();
  }

  /** What the printer writes once: between, chains, a case with a subject. @param {number} depth @returns {Node} */
  shared(depth) {
    const [x, y, z] = [this.tree(depth), this.tree(depth), this.tree(depth)];
    const { call } = nodes;
    const between = call('and', [call('greater_than_or_equal_to', [x, y]), call('less_than_or_equal_to', [x, z])]);
    const chain = call('and', [call('less_than', [x, y]), call(this.pick(['less_than', 'equal']), [y, z])]);
    const longer = call('and', [chain, call('greater_than', [z, x])]);
    const subject = nodes.choice([{ when: call('equal', [x, y]), then: z }, { when: call('equal', [x, z]), then: y }], null);
    const node = this.pick([between, chain, longer, subject]);
    return this.chance(0.3) ? call('not', [node]) : node;
  }
}

const pieces = [
  ...['(', ')', '[', ']', ',', "'", '"', '`', '.', ':', '::', '?', '@', '@p', ':p', '--', '-- ', '/*', '*/', '\\', ';', '\n', '\u00a0', '😀', '\ud800', '\0', '≤', '=>'],
  ...['and', 'or', 'not', 'in', 'like', 'between', 'is', 'null', 'case', 'when', 'then', 'else', 'end', 'if', 'cast(', 'as', 'interval', "date '", 'x.str.', "E'\\", "x'", 'count(distinct ', 'trim(both ', 'position(', 'extract(year from '],
  ...['1', '0x', '1e999', '1_', '.5', '1.5m', '1n', '+', '-', '**', '//', '||', '&', '~', '!', '<', '<>', '==', '===', '%'],
];

/** A text with a few mistakes. @param {Maker} maker @param {string} text */
function damage(maker, text) {
  let damaged = text;
  for (let count = 1 + Math.floor(maker.random() * 4); count > 0; count--) {
    const at = Math.floor(maker.random() * (damaged.length + 1));
    const to = at + Math.floor(maker.random() * 6);
    const part = maker.pick(['', maker.pick(pieces), ` ${maker.pick(pieces)} `, damaged.slice(at, to).repeat(2), maker.pick(pieces).repeat(Math.floor(maker.random() * 40))]);
    damaged = damaged.slice(0, at) + part + damaged.slice(maker.chance(0.5) ? at : to);
  }
  return damaged;
}

/** Allowed for one text, which takes a fraction of it: machines pause. */
const MILLISECONDS = 1000;
const PLACE = /^expression:(\d+):(\d+): [^\n]+\n(?:[^\n]*\n)?> [^\n]*\n +\| *\^$/;

/** What is wrong with how a text is taken; undefined where nothing is. @param {string} text @returns {string | undefined} */
function judge(text) {
  const started = performance.now();
  let tree;
  try {
    tree = parse(text);
  } catch (error) {
    if (error.code !== 'ERR_PARSE') return `throws ${error.stack}`;
    if (!PLACE.test(error.message)) return `has a message of another form: ${error.message}`;
  }
  const took = performance.now() - started;
  if (took > MILLISECONDS) return `takes ${Math.round(took)} ms`;
  return tree && judgeTree(tree);
}

/** @param {Node} tree @returns {string | undefined} */
function judgeTree(tree) {
  let text = '';
  try {
    text = print(tree);
    const again = parse(text);
    if (!same(tree, again)) return `parses to another tree from its text: ${text}`;
    if (print(again) !== text) return `prints otherwise the second time: ${text} and ${print(again)}`;
    return same(validate(tree), tree) ? undefined : `is another tree when validated: ${text}`;
  } catch (error) {
    return `throws ${error.stack} for its text: ${text}`;
  }
}

/** @param {number} seed @returns {string | undefined} what is wrong */
function tryOne(seed) {
  const maker = new Trees(source(seed));
  const tree = maker.tree(2 + Math.floor(maker.random() * 4));
  const wrong = judgeTree(tree);
  if (wrong) return `seed ${seed}: ${wrong}`;
  const text = print(tree);
  for (let i = 0; i < 10; i++) {
    const damaged = damage(maker, text);
    const found = judge(damaged);
    if (found) return `seed ${seed}: ${JSON.stringify(damaged)} ${found}`;
  }
  return undefined;
}

function main() {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: String(Date.now() % 1e9) }, only: { type: 'string' } } });
  if (values.only !== undefined) {
    console.log(tryOne(Number(values.only)) ?? 'right');
    return;
  }
  const end = performance.now() + 1000 * Number(values.seconds);
  let seed = Number(values.seed);
  for (; performance.now() < end; seed++) {
    const found = tryOne(seed);
    if (found === undefined) continue;
    console.log(found);
    process.exitCode = 1;
  }
  console.log(`${seed - Number(values.seed)} trees`);
}

if (require.main === module) main();
module.exports = { Trees, judge, judgeTree, tryOne };
