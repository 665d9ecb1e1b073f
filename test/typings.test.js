// The typings against what is there: every op of the native table, every public name, every dtype and
// error code has its line, so that a new row without one is found here.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const graphjit = require('graphjit');
const { native } = require('../lib/base/binding.js');

const read = (/** @type {string} */ name) => fs.readFileSync(path.join(__dirname, '..', 'lib', name), 'utf8');
const index = read('index.d.ts');
const values = read('types/value.d.ts');
const graphs = read('types/graph.d.ts');
const functions = read('types/function.d.ts') + read('types/transform.d.ts') + read('types/jit.d.ts') + read('types/random.d.ts') + read('types/models.d.ts') + read('types/optimise.d.ts') + read('types/evolve.d.ts');
const columns = read('types/columns.d.ts') + read('types/maps.d.ts');
const forests = read('types/forests.d.ts');
const camelCase = (/** @type {string} */ name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** The text of a class in a declaration file. */
const bodyOf = (text, name) => {
  const start = text.search(new RegExp(`^export class ${name}\\b`, 'm'));
  return text.slice(start, text.indexOf('\n}\n', start));
};

/** Names that a declaration file exports as values. */
const exportsOf = (text) =>
  [...text.matchAll(/^export (?:declare )?(?:function|const|class) (\w+)|^export \{ \w+ as (\w+) \}/gm)].map(
    ([, name, alias]) => name ?? alias,
  );

/** Names of members of a class, from the start of their lines. */
const membersOf = (body) => new Set([...body.matchAll(/^ {2}(?:readonly |static )?(\w+)[(?:<]/gm)].map(([, name]) => name));

test('every op has a typing under its own line of the native table', () => {
  const body = bodyOf(values, 'Value');
  const exported = exportsOf(values);
  const own = { param: null, const: null, result: null, iota: null, custom_call: null, apply: null, argmin: null, argmax: null, top_k: null };
  for (const { name, kind, doc } of native.ops()) {
    if (Object.hasOwn(own, name) || kind === 'control' || kind === 'library') continue; // methods of these do more than the op
    const method = camelCase(name);
    const at = body.search(new RegExp(`^ {2}${method}\\(`, 'm'));
    assert.ok(at > 0, `no typing of the method ${method}`);
    const comment = body.slice(body.lastIndexOf('/**', at), at);
    const line = comment.replace(/^\/\*\*\s*(?:\* )?/, '').split(/\n| \*\//)[0];
    assert.equal(line, doc, `the first line above ${method}`);
    assert.ok(exported.includes(method), `no typing of the function ${method}`);
  }
  for (const leaf of ['iota', 'custom_call']) {
    const row = native.ops().find(({ name }) => name === leaf);
    assert.ok(graphs.includes(`   * ${row?.doc}\n`));
  }
});

test('imports have typings of their own, which know no default export', () => {
  const { exports } = require('../package.json');
  assert.deepEqual(exports['.'].import, { types: './lib/index.d.mts', default: './lib/index.mjs' });
  assert.match(read('index.d.mts'), /^export \* from '\.\/index\.js';$/m);
});

test('the typings name what the package exports and nothing else', () => {
  const typed = [index, values, graphs, functions, columns, forests, read('types/control.d.ts')].flatMap(exportsOf);
  assert.deepEqual([...new Set(typed)].sort(), Object.keys(graphjit).sort());
});

test('the typings of classes name their members and nothing else', () => {
  for (const [name, text, own] of [
    ['Value', values, ['ref']],
    ['Graph', graphs, []],
    ['Program', graphs, ['inputs', 'outputs']],
    ['Expression', columns, []],
    ['Forest', forests, []],
    ['Table', columns, ['rows', 'origin', 'kit', 'fields', 'chunks']],
    ['Tensor', index, Object.keys(graphjit.tensor(1))],
  ]) {
    const Class = graphjit[name];
    const found = [...Object.getOwnPropertyNames(Class.prototype), ...own];
    // Tensor has the operations of Value by a type that is computed from it.
    const computed = name === 'Tensor' ? [...membersOf(bodyOf(values, 'Value'))].filter((each) => each in Class.prototype) : [];
    const statics = Object.getOwnPropertyNames(Class).filter((each) => typeof Class[each] === 'function' && each !== 'prototype');
    const typed = [...membersOf(bodyOf(text, name)), ...computed];
    assert.deepEqual(new Set([...typed, 'constructor', 'toString']), new Set([...found, ...statics, 'toString']), name);
  }
});

test('the typings list every dtype and every error code', () => {
  for (const { name, jsarray } of native.dtypes()) assert.match(index, new RegExp(`^  ${name}: ${jsarray};$`, 'm'));
  for (const code of Object.keys(native.statuses())) {
    assert.ok(index.includes(`  | '${code}'`), code);
    assert.ok(index.includes(` * | \`${code}\` | `), code);
  }
});

test('the table of dtypes in JavaScript is the native one', () => {
  const rows = native.dtypes();
  assert.deepEqual(rows.map(({ name }) => name).sort(), Object.keys(graphjit.dtypes).sort());
  for (const { name, kind, bytes, jsarray } of rows) {
    const own = graphjit.dtypes[name];
    assert.deepEqual([own.kind, own.bytes, own.arrayType.name], [kind, bytes, jsarray], name);
  }
});
