/**
 * What an expression has become, for people: the tree with its types, how nulls and loops are dealt with, and code.
 */
'use strict';

const { native } = require('../../base/binding.js');
const { NUMERICS } = require('../../base/numerics.js');
const { print } = require('../language/print.js');
const { gathered } = require('../analyse/equalities.js');
const { partsOf } = require('../analyse/names.js');
const { stagesOf } = require('../kernel/stages.js');

/** @typedef {import('../language/ast.js').Node} Ast */
/** @typedef {import('../run/prepare.js').Prepared} Prepared */

/** Levels of a tree that are shown. */
const DEEPEST = 40;
/** Lines of a stage's list. */
const MOST_NODES = 60;

/** What a node is by itself. @type {(ast: any) => string} */
function headOf(ast) {
  switch (ast.kind) {
    case 'name':
      return `column ${print(ast)}`;
    case 'literal':
      return `literal ${print(ast)}`;
    case 'parameter':
      return `parameter ${print(ast)}`;
    case 'cast':
      return `${ast.safe ? 'try_cast' : 'cast'} to ${ast.to.name}`;
    default:
      return ast.kind === 'call' ? ast.name : ast.kind;
  }
}

/** @type {(ast: Ast, notes: ReadonlyMap<Ast, import('../analyse/index.js').Note>, depth?: number) => string[]} */
function treeLines(written, notes, depth = 0) {
  const ast = gathered(written);
  const indent = '  '.repeat(depth);
  if (depth === DEEPEST) return [`${indent}…`];
  const note = notes.get(ast);
  const type = note === undefined ? '' : `: ${note.type.text}${note.nullable ? ', may be null' : ''}`;
  const how = note?.how === undefined ? '' : `   ${note.how}`;
  const own = `${indent}${headOf(ast)}${type}${how}`;
  return [own, ...partsOf(ast).flatMap((part) => treeLines(part, notes, depth + 1))];
}

/** @type {Record<string, string>} */
const CLASSES = { lanes: 'rows in lanes of vectors', word: '64 rows in a word of bits', row: 'row by row' };

/** @type {(prepared: Prepared) => string[]} */
function planLines({ dag, roots }) {
  return stagesOf(dag.nodes, roots).flatMap(({ cls, guard, nodes }, i) => {
    const names = nodes.slice(0, MOST_NODES).map(({ kind, name }) => (name === '' ? kind : name));
    const more = nodes.length > MOST_NODES ? ` and ${nodes.length - MOST_NODES} more` : '';
    const which = guard === null ? '' : ', for some rows';
    return `stage ${i + 1}, ${CLASSES[cls]}${which}: ${names.join(' ')}${more}`;
  });
}

/** Of a kernel, text by text. @type {Record<string, (prepared: Prepared, options: any) => string>} */
const STAGES = {
  tree: ({ asts, notes }) => asts.map((ast) => treeLines(ast, notes).join('\n')).join('\n'),
  plan: (prepared) => planLines(prepared).join('\n'),
  loops: ({ text }) => text,
  llvm: ({ text }, options) => codeText(text, options, 'optimized'),
  asm: ({ text }, options) => codeText(text, options, 'asm'),
};

/** @type {(text: string, options: any, what: 'optimized' | 'asm') => string} */
const codeText = (text, { numerics, optLevel }, what) =>
  native.functionText(text, NUMERICS[/** @type {keyof typeof NUMERICS} */ (numerics)], optLevel, what);

/** @type {(prepared: Prepared, options: any, stage: string | undefined) => string} */
function explained(prepared, options, stage) {
  if (stage !== undefined) return STAGES[stage](prepared, options);
  return Object.entries(STAGES).map(([name, text]) => `-- ${name}\n${text(prepared, options).trimEnd()}\n`).join('\n');
}

module.exports = { STAGES, explained };
