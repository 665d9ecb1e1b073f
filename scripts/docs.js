// Writes what repeats tables of the code: docs/ops.md, docs/standard.md, docs/model-ops.md, the op table of README.md,
// the error codes of docs/api.md, the functions of docs/columns.md, the passes in lib/native/README.md, and the names
// in lib/index.mjs and lib/ops/names.js.
//
//   node scripts/docs.js            writes what has changed
//   node scripts/docs.js --check    only says what is stale, with exit status 1
//
// The native tables say which ops, dtypes and codes there are, so a new row appears here by itself; the
// typings in lib/types/value.d.ts say how methods are called, and what composites do. A generated part
// of a page that is otherwise written by hand stands between two marker comments. Needs the addon.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const graphjit = require('../lib/index.js');
const { native } = require('../lib/base/binding.js');
const { PASSES } = require('../lib/native/pipeline.js');
const { files, ownMethods } = require('../lib/ops/index.js');
const { aggregatePart, functionPart, gandivaPart } = require('./column-functions.js');
const { domains } = require('./model-ops.js');
const { arrayApi, numpy } = require('./standard.js');

const { Graph, Tensor, Value, tensor } = graphjit;

/** @typedef {import('../lib/base/binding.js').OpRow} OpRow */
/** @typedef {{ title: string, text?: string, has: (row: OpRow) => boolean }} Group */
/** @typedef {{ call: string, doc: string }} Method how a method of Value is called, and its first paragraph */

const root = path.join(__dirname, '..');
/** @type {(name: string) => string} */
const read = (name) => fs.readFileSync(path.join(root, name), 'utf8');
/** @type {(name: string) => string} */
const camelCase = (name) => (name === 'top_k' ? 'topk' : name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()));
/** @type {(text: string) => string} */
const cell = (text) => text.replace(/\|/g, '\\|');
/** @type {(head: string[], rows: string[][]) => string} */
const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

// --------------------------------------------------------------------------------- the typings

/** Names of the parameters of a signature, "?" behind optional ones. @type {(signature: string) => string[]} */
function parameters(signature) {
  let list = signature.slice(signature.indexOf('(') + 1, signature.lastIndexOf(')'));
  for (let before = ''; before !== list;) {
    before = list;
    list = list.replace(/[[({<][^[\](){}<>]*[\])}>]/g, '');
  }
  return list.split(',').flatMap((part) => part.split(':')[0].trim() || []);
}

/** The methods of Value in the order of the typings. @returns {Map<string, Method>} */
function readMethods() {
  const text = read('lib/types/value.d.ts');
  const body = text.slice(
    text.indexOf('export class Value {'),
    text.indexOf('\n}', text.indexOf('export class Value {')),
  );
  /** @type {Map<string, Method>} */
  const methods = new Map();
  for (const [, comment, member] of body.matchAll(/\/\*\*([\s\S]*?)\*\/\s*([^;]*);/g)) {
    const name = /^(?:readonly )?(\w+)/.exec(member)?.[1] ?? '';
    if (!(name in Value.prototype) || ['dtype', 'graph', 'rank', 'ref', 'shape'].includes(name)) continue;
    const doc = comment
      .replace(/^[ *]+/gm, '')
      .trim()
      .split(/\n\n|\n@/)[0]
      .replace(/\n/g, ' ');
    const given = parameters(member);
    const self = given.includes('x') ? 'p' : 'x';
    const call = member.startsWith('readonly') ? `${self}.${name}` : `${self}.${name}(${given.join(', ')})`;
    methods.set(name, { call, doc });
  }
  return methods;
}

// ----------------------------------------------------------------------------------- op table

const ops = native.ops();
const dtypeRows = native.dtypes();

/** Dtypes that a column of the op table stands for. @type {Record<OpRow['accepts'], (kind: string, name: string) => boolean>} */
const accepted = {
  any: () => true,
  numeric: (kind) => kind !== 'bool',
  float: (kind) => kind === 'float',
  real: (_, name) => name === 'f64' || name === 'f32',
  integer: (kind) => kind === 'int' || kind === 'uint',
  signed: (kind) => kind === 'int' || kind === 'float',
  logic: (kind) => kind !== 'float',
};

/** @type {Group[]} */
const groups = [
  { title: 'Leaves', text: 'Methods of `Graph`.', has: ({ kind }) => ['param', 'const', 'iota'].includes(kind) },
  {
    title: 'Random bits',
    text: 'Element i is made of the key and i alone. `random` has keys and distributions (see [api.md](api.md#random-numbers)).',
    has: ({ kind }) => kind === 'rng',
  },
  { title: 'One operand', has: ({ kind, arity, attrs }) => kind === 'elementwise' && arity === 1 && !attrs.dtype },
  { title: 'Two operands', has: ({ kind, arity }) => kind === 'elementwise' && arity === 2 },
  {
    title: 'Choice, fused multiply-add, conversion',
    has: ({ kind, arity, attrs }) => kind === 'elementwise' && (arity === 3 || attrs.dtype !== undefined),
  },
  {
    title: 'Movement',
    text: 'A movement that another op of the same kernel reads is index arithmetic, without memory of its own.',
    has: ({ kind }) =>
      [
        'reshape', 'transpose', 'broadcast', 'slice', 'dynamic_slice', 'update_slice', 'pad', 'concat', 'reverse',
      ].includes(kind),
  },
  {
    title: 'Reductions',
    text: 'These keep the dtype and drop the axes; `sum`, `mean` and the other composites below are what programs usually call.',
    has: ({ kind }) => kind === 'reduce',
  },
  {
    title: 'Running reductions',
    text: 'These keep dtype and shape; `cumulativeSum` and `cumulativeProd` compute integers in 64 bits and can begin with 0 or 1.',
    has: ({ kind }) => kind === 'cumulate',
  },
  {
    title: 'Indices',
    text: 'Attributes are those of StableHLO, with index vectors along the last axis of the indices; see [api.md](api.md#indices).',
    has: ({ kind }) => ['gather', 'scatter'].includes(kind),
  },
  {
    title: 'Contractions',
    text: '`matmul`, `einsum` and the other composites below say which axes they mean.',
    has: ({ kind }) => kind === 'dot',
  },
  {
    title: 'Linear algebra and Fourier transforms',
    text: 'Of matrices along the last two axes, and of signals; the functions below take options and several axes, and solve with the factors.',
    has: ({ kind }) => kind === 'library',
  },
  {
    title: 'C functions',
    text: 'Methods of `Graph`; see [api.md](api.md#c-functions-in-graphs).',
    has: ({ kind }) => kind === 'custom_call',
  },
  {
    title: 'Native functions',
    text: 'A compiled JavaScript function, `const f = native(fn)`, is this op when it is called with Values; see [functions.md](functions.md#as-ops).',
    has: ({ kind }) => kind === 'apply',
  },
  {
    title: 'Sorts',
    text: 'They are stable. `sort` takes any number of operands of one shape and gives as many; the first `keys` of them are compared.',
    has: ({ kind }) => kind === 'sort' || kind === 'top_k',
  },
  {
    title: 'Windows',
    text: 'These slide over axes; `conv2d`, `maxPool` and the other composites below are what programs usually call.',
    has: ({ kind }) => kind === 'conv' || kind === 'window',
  },
  {
    title: 'Selection',
    text: 'How many rows there are is known when the run has found it out; see [api.md](api.md#sizes-that-depend-on-data).',
    has: ({ kind }) => kind === 'compress',
  },
  {
    title: 'Control',
    text: 'Functions are written in front of the nodes, as `func @0 "body" { … }`.',
    has: ({ kind }) => kind === 'control',
  },
  { title: 'Results', text: 'Appears in graph text only.', has: ({ kind }) => kind === 'result' },
];

for (const row of ops) {
  if (groups.filter(({ has }) => has(row)).length !== 1)
    throw new Error(`the op ${row.name} belongs to no group, or to several`);
}

const leafCalls = new Map([
  ['param', 'graph.input(name, dtype, shape?)'],
  ['const', 'graph.constant(data, options?)'],
  ['iota', 'graph.iota(shape, options?)'],
  ['custom_call', 'graph.customCall(name, operands, options)'],
  ['apply', 'native(fn)(...operands)'],
  ['cond', 'cond(predicate, thenFn, elseFn, ...operands)'],
  ['switch', 'switchCase(index, functions, ...operands)'],
  ['while', 'whileLoop(conditionFn, bodyFn, initial)'],
  ['for', 'scan(bodyFn, initial, xs, options?)'],
]);

/** What an op gives for some dtypes that it takes, asked of the op itself. @type {(row: OpRow) => string} */
function resultOf(row) {
  if (row.attrs.dtype) return 'the `dtype` given';
  if (row.kind === 'param' || row.kind === 'const' || row.kind === 'result' || row.kind === 'control') return '';
  if (row.kind === 'sort' || row.kind === 'compress') return 'the same each';
  if (row.kind !== 'elementwise') return /^arg|^top_k/.test(row.name) ? 'the same, and the index' : 'the same';
  const graph = new Graph();
  const given = dtypeRows.filter(({ kind, name }) => accepted[row.accepts](kind, name)).map(({ name }) => name);
  const results = given.map((dtype) => {
    const operands = Array.from({ length: row.arity }, (_, i) => {
      const isCondition = row.name === 'select' && i === 0;
      return graph.constant(
        tensor([isCondition ? 1 : 0], { dtype: /** @type {any} */ (isCondition ? 'bool' : dtype) }),
      );
    });
    return /** @type {any} */ (operands[0])[camelCase(row.name)](...operands.slice(1)).dtype;
  });
  graph.dispose();
  return results.every((dtype) => dtype === 'bool') && given.length > 1 ? '`bool`' : 'the same';
}

/** @type {(row: OpRow, methods: Map<string, Method>) => string[]} */
function opRow(row, methods) {
  const call = leafCalls.get(row.name) ?? methods.get(camelCase(row.name))?.call;
  return [
    `\`${row.name}\``,
    call ? `\`${call}\`` : '',
    row.arity < 0 ? 'varies' : String(row.arity),
    row.accepts,
    resultOf(row),
    Object.keys(row.attrs)
      .map((name) => `\`${name}\``)
      .join(' '),
    cell(row.doc),
  ];
}

/** The methods that are no ops themselves. @type {(methods: Map<string, Method>) => [string, Method][]} */
function compositesOf(methods) {
  const names = new Set(ops.map(({ name }) => camelCase(name)));
  return [...methods].filter(([name]) => !names.has(name));
}

/** docs/ops.md @type {(methods: Map<string, Method>) => string} */
function opsPage(methods) {
  const head = ['op', 'in JavaScript', 'operands', 'takes', 'gives', 'attributes', 'meaning'];
  const kinds = Object.entries(accepted).map(([word, test]) => {
    const names = dtypeRows.filter(({ kind, name }) => test(kind, name)).map(({ name }) => `\`${name}\``);
    return [word, names.join(' ')];
  });
  const parts = groups.map(({ title, text, has }) => {
    const rows = ops.filter(has).map((row) => opRow(row, methods));
    return `## ${title}\n\n${text ? `${text}\n\n` : ''}${table(head, rows)}\n`;
  });
  const composites = compositesOf(methods).map(([name, { call, doc }]) => [`\`${name}\``, `\`${call}\``, cell(doc)]);
  return `<!-- Written by scripts/docs.js from src/ops/ops.def and lib/types/value.d.ts. Edit those. -->

# Ops

The ${ops.length} primitives, one row of \`src/ops/ops.def\` each. Graph text uses the name in the first column. In JavaScript an op is a
method of \`Value\` and a function of the same name that takes the value as its first argument: \`x.add(y)\` is
\`add(x, y)\`. Operands are broadcast against each other and promoted to a common dtype (see
[api.md](api.md#dtypes)). What happens at the edges (NaN, overflow, division by zero) is collected in
[numerics.md](numerics.md).

The column "takes" names a set of dtypes, "gives" the dtype of the result. "Attributes" are what graph text writes in
braces behind the operands; the methods compute them from their arguments.

${table(['takes', 'dtypes'], kinds)}

${parts.join('\n')}
## Composites

Methods and functions made of the primitives above. The compiler sees the primitives, so a composite costs what they cost.

${table(['name', 'in JavaScript', 'meaning'], composites)}
`;
}

/** The op table of README.md @type {(methods: Map<string, Method>) => string} */
function opsSummary(methods) {
  const short = (/** @type {string} */ name) => (leafCalls.get(name) ?? camelCase(name)).replace(/\([^(]*$/, '');
  const isWritten = (/** @type {string} */ name) => leafCalls.has(name) || exists(camelCase(name)); // `call` has no function
  const rows = groups
    .filter(({ title }) => title !== 'Results')
    .map(({ title, has }) => [
      title.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase()),
      ops
        .filter((row) => has(row) && isWritten(row.name))
        .map(({ name }) => `\`${short(name)}\``)
        .join(' '),
    ]);
  rows.push(['composites', `${compositesOf(methods).length} more, from \`attention\` to \`where\``]);
  return table(['group', 'ops'], rows);
}

/** @returns {string} */
function errorCodes() {
  return table(
    ['code', 'when, and what to do'],
    Object.entries(native.statuses()).map(([code, doc]) => [`\`${code}\``, cell(doc)]),
  );
}

/** What rows of elementwise ops say of derivatives @returns {string} */
function derivatives() {
  const rows = ops.filter(({ kind, derivative }) => kind === 'elementwise' && derivative !== 'none' && derivative !== 'rule');
  const operands = ['x', 'y', 'z'];
  return table(
    ['op', 'by x', 'by y', 'by z'],
    rows.map(({ name, arity, derivative }) => {
      const parts = derivative.split(';').map((part) => (part.trim() === '' ? '' : `\`${part.trim()}\``));
      return [`\`${name}\``, ...operands.map((_, i) => (i < arity ? (parts[i] ?? '') : ''))];
    }),
  );
}

/** The passes of the function compiler @returns {string} */
function passTable() {
  const languages = { hir: 'HIR', tir: 'TIR', loops: 'Loop IR' };
  return table(
    ['pass', 'gives', 'requires', 'keeps', 'changes'],
    PASSES.map(({ name, gives, requires, keeps, changes }) => [
      `\`${name}\``, languages[gives], ...[requires, keeps, changes].map(cell),
    ]),
  );
}

// ------------------------------------------------------------------------------- array-API and NumPy

/** @type {(name: string) => boolean} */
const exists = (name) =>
  name.startsWith('random.')
    ? name.slice(7) in graphjit.random
    : name in graphjit || name in Value.prototype || name in Tensor.prototype;

/**
 * The names of functions in an expression: `div` and `convert` of "div(convert(x, 'f64'), y)".
 *
 * @type {(expression: string) => string[]}
 */
function functionsIn(expression) {
  const calls = [...expression.matchAll(/([A-Za-z]\w*)\(/g)].map(([, name]) => name);
  const alone = expression.includes('(') ? [] : expression.split(',').map((name) => name.trim());
  return [...calls, ...alone];
}

/** @type {(line: string) => { row: string[], has: boolean }} */
function standardRow(line) {
  const [, names, sign, rest] = /** @type {RegExpExecArray} */ (/^(.*?) ([=-]) (.*)$/.exec(line));
  const shown = names
    .split(', ')
    .map((name) => `\`${name}\``)
    .join(' ');
  if (sign === '-') return { row: [shown, 'no', rest], has: false };
  const [expression, note = ''] = rest.split(' | ');
  const missing = functionsIn(expression).filter((name) => !exists(name));
  if (missing.length > 0) return { row: [shown, 'not yet', ''], has: false };
  const ours = expression.includes('(')
    ? `\`${expression}\``
    : expression
        .split(', ')
        .map((name) => `\`${name}\``)
        .join(' ');
  return { row: [shown, ours, note], has: true };
}

/** @type {(parts: Record<string, string>) => { text: string, have: number, all: number }} */
function standardPart(parts) {
  let [have, all] = [0, 0];
  const texts = Object.entries(parts).map(([title, lines]) => {
    const rows = lines.trim().split('\n').map(standardRow);
    have += rows.filter(({ has }) => has).length;
    all += rows.length;
    return `### ${title}\n\n${table(
      ['name', 'here', ''],
      rows.map(({ row }) => row.map(cell)),
    )}\n`;
  });
  return { text: texts.join('\n'), have, all };
}

/** docs/standard.md @returns {string} */
function standardPage() {
  const [standard, rest] = [arrayApi, numpy].map(standardPart);
  return `<!-- Written by scripts/docs.js from scripts/standard.js and what graphjit exports. Edit those. -->

# The array-API standard and NumPy

What there is of both, under which name, and why not. Functions are methods too: \`sub(x, y)\` is \`x.sub(y)\`. [ops.md](ops.md)
says what each does, [api.md](api.md#dtypes) how dtypes are promoted.

## The array-API standard

${standard.have} of ${standard.all} lines of the standard of 2023.12, with the additions of 2024.12.

${standard.text}
## NumPy

Functions that are in common use and not above: ${rest.have} of ${rest.all} lines.

${rest.text}`;
}

// ------------------------------------------------------------------------------- ops of model files

/** Remarks by op, from those by lists of ops. @type {(remarks?: Readonly<Record<string, string>>) => Map<string, string>} */
const byOp = (remarks = {}) =>
  new Map(Object.entries(remarks).flatMap(([names, text]) => names.split(' ').map((name) => [name, text])));

/** Names in a line of text. @type {(names: readonly string[]) => string} */
const codes = (names) => names.map((name) => `\`${name}\``).join(' ');

/** @type {(domain: import('./model-ops.js').Domain) => string} */
function domainPart({ title, source, names = '', known: look, ...given }) {
  const all = /** @type {string[]} */ (names.match(/\S+/g) ?? []);
  const known = look();
  const besides = known.filter((name) => !all.includes(name));
  if (all.length === 0) return `## ${title}\n\nFrom ${source}. There are ${known.length}:\n\n${codes(known)}\n`;
  const [partly, missing, refused] = [given.partly, given.missing, given.refused].map(byOp);
  const unknown = [...partly.keys(), ...missing.keys(), ...refused.keys()].filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`remarks on ${unknown.join(', ')}, which ${title} has not`);
  const rows = all.map((name) => {
    if (refused.has(name)) return [codes([name]), 'no', refused.get(name) ?? ''];
    if (!known.includes(name)) return [codes([name]), 'no', missing.get(name) ?? 'not yet'];
    return [codes([name]), partly.has(name) ? 'partly' : 'yes', partly.get(name) ?? ''];
  });
  const count = (/** @type {string} */ word) => rows.filter(([, here]) => here === word).length;
  const partlyText = count('partly') > 0 ? `, and ${count('partly')} partly` : '';
  return `## ${title}\n\nFrom ${source}. There: ${count('yes')} of ${all.length}${partlyText}.

${table(['op', 'here', 'what not, or why not'], rows.map((row) => row.map(cell)))}
${besides.length > 0 ? `\nBesides: ${codes(besides)}\n` : ''}`;
}

/** docs/model-ops.md @returns {string} */
function modelOpsPage() {
  return `<!-- Written by scripts/docs.js from scripts/model-ops.js and the tables of lib/models. Edit those. -->

# Ops of model files

Which ops of which format [\`load\`](models.md) knows. A file with one that is missing is refused with all their names, unless a
function of the file says what it means, or the option [\`ops\`](models.md#ops-of-your-own) does.

${domains.map(domainPart).join('\n')}`;
}

// ------------------------------------------------------------------------------------- writing

/** Puts `part` between the markers of that name. @type {(page: string, name: string, part: string) => string} */
function fill(page, name, part) {
  const [begin, end] = [`<!-- ${name}: written by scripts/docs.js -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the markers of the part "${name}" are missing`);
  return `${page.slice(0, from + begin.length)}\n\n${part}\n\n${page.slice(to)}`;
}

/** lib/index.mjs: names that a module exports have to be written out. @returns {string} */
function esModule() {
  const names = Object.keys(graphjit)
    .filter((name) => name !== 'var')
    .sort();
  return `// The public names of graphjit, for import; lib/index.js gives the same names to require().
// Written by scripts/docs.js from what index.js exports.
import graphjit from './index.js';

export const {
${names.map((name) => `  ${name},\n`).join('')}} = graphjit;

// A reserved word cannot be declared, but it can be exported.
const variance = graphjit.var;
export { variance as var };
`;
}

const NAMES = 'lib/ops/names.js';

/** Words in lines that are not too long. @type {(words: string[], indent: string) => string} */
function filled(words, indent) {
  const lines = [''];
  for (const word of words) {
    const line = `${lines[lines.length - 1]} ${word},`;
    if (line.length + indent.length > 120) lines.push(` ${word},`);
    else lines[lines.length - 1] = line;
  }
  return lines.map((line) => `${indent}${line.slice(1)}\n`).join('');
}

/** lib/ops/names.js: what the files of operations export, without loading them. @returns {string} */
function operationNames() {
  const rows = Object.entries({ ...files, ...ownMethods }).map(
    ([file, load]) => `  ${file}: [\n${filled(Object.keys(load()).map((name) => `'${name}'`), '    ')}  ],\n`,
  );
  return `/**
 * The names of all operations, by the keys of the files in index.js that have them.
 * Written by scripts/docs.js from what the files export.
 */
'use strict';

/** @type {Readonly<Record<string, readonly string[]>>} */
const names = {
${rows.join('')}};

module.exports = { names };
`;
}

/** docs/columns.md @returns {string} */
function columnsPage() {
  const parts = { functions: functionPart(table), aggregates: aggregatePart(table), "Gandiva's functions": gandivaPart(table) };
  return Object.entries(parts).reduce((page, [name, part]) => fill(page, name, part), read('docs/columns.md'));
}

/** Every page with generated parts, by path: its text as it should be. @returns {Record<string, string>} */
function pages() {
  const methods = readMethods();
  return {
    'docs/ops.md': opsPage(methods),
    'docs/standard.md': standardPage(),
    'docs/model-ops.md': modelOpsPage(),
    'docs/columns.md': columnsPage(),
    [NAMES]: operationNames(),
    'lib/index.mjs': esModule(),
    'README.md': fill(read('README.md'), 'op table', opsSummary(methods)),
    'lib/native/README.md': fill(read('lib/native/README.md'), 'passes', passTable()),
    'docs/transforms.md': fill(read('docs/transforms.md'), 'derivatives', derivatives()),
    'docs/api.md': fill(read('docs/api.md'), 'error codes', errorCodes()),
  };
}

/** Paths of the pages that are not as they should be. @returns {string[]} */
function stale() {
  return Object.entries(pages()).flatMap(([name, text]) =>
    fs.existsSync(path.join(root, name)) && read(name) === text ? [] : name,
  );
}

function main() {
  if (process.argv[2] === '--check') {
    const names = stale();
    if (names.length > 0) console.error(`stale: ${names.join(', ')}; run: node scripts/docs.js`);
    process.exitCode = names.length > 0 ? 1 : 0;
    return;
  }
  const names = operationNames();
  if (read(NAMES) !== names) {
    // What the package exports depends on it, and pages on that.
    fs.writeFileSync(path.join(root, NAMES), names);
    process.exitCode = spawnSync(process.execPath, [__filename], { stdio: 'inherit' }).status ?? 1;
    return;
  }
  for (const [name, text] of Object.entries(pages())) fs.writeFileSync(path.join(root, name), text);
}

if (require.main === module) main();

module.exports = { accepted, stale };
