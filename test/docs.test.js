// The documentation against the code: generated parts are current, files and scripts it names exist, the
// bounds of elementary functions are those of the table, and every example runs and prints what the page
// says it prints.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { execFile } = require('node:child_process');
const { describe, it } = require('node:test');
const graphjit = require('graphjit');
const { stale } = require('../scripts/docs.js');

const root = path.join(__dirname, '..');
/** @type {(name: string) => string} */
const read = (name) => fs.readFileSync(path.join(root, name), 'utf8');
const manuals = fs.readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md'));
const pages = ['README.md', 'CONTRIBUTING.md', 'lib/native/README.md', ...manuals.map((name) => `docs/${name}`)].sort();
const bare = (/** @type {string} */ page) => read(page).replace(/^[ ]*```[\s\S]*?^[ ]*```$/gm, '');

it('generated parts of the documentation are current', () => {
  assert.deepEqual(stale(), [], 'run: node scripts/docs.js');
});

it('every public name has its place in the documentation', () => {
  const text = read('docs/api.md') + read('docs/ops.md');
  const missing = Object.keys(graphjit).filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
  assert.deepEqual(missing, []);
});

const rows = [...read('src/math/math.def').matchAll(/^GJM_OP\((\w+),\s*\d,\s*([\d.]+),\s*([\d.]+)\)/gm)];

it('the bounds of elementary functions are those of src/math/math.def', () => {
  const bounds = rows.map(([, name, f64, f32]) => `${name} ${f64} ${f32}`);
  const documented = [...read('docs/numerics.md').matchAll(/^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \|$/gm)];
  assert.deepEqual(documented.map(([, name, f64, f32]) => `${name} ${f64} ${f32}`).sort(), bounds.sort());
});

for (const [dtype, column] of [['f64', 2], ['f32', 3]]) {
  it(`docs/math.md has error and times of every elementary function in ${dtype}`, () => {
    const section = (/** @type {string} */ title) => read('docs/math.md').split(`\n### ${dtype} ${title}\n`)[1].split('\n#')[0];
    const names = (/** @type {string} */ title) => [...section(title).matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(names('errors'), rows.map(([, name]) => name));
    assert.deepEqual(names('times'), rows.map(([, name]) => name));
    for (const row of rows) {
      const line = section('errors').split('\n').find((text) => text.startsWith(`| \`${row[1]}\` |`)) ?? '';
      const [, bound, strict, , usual, , fast] = line.slice(2).split(' | ');
      assert.equal(bound, row[column], line);
      assert.ok(Number(strict) <= Number(bound) && Number(usual) <= Number(bound), line);
      assert.ok(Number(fast) <= Math.max(4, Number(bound)), line);
    }
  });
}

for (const page of pages) {
  describe(`the names in ${page}`, () => {
    it('of files and folders exist', () => {
      const names = bare(page).match(/(?<=`)(src|lib|addon|scripts|test|docs|examples)\/[\w./-]*\w\/?(?=`)/g) ?? [];
      assert.deepEqual(names.filter((name) => !fs.existsSync(path.join(root, name))), []);
    });

    it('of npm scripts exist', () => {
      const { scripts } = JSON.parse(read('package.json'));
      const names = [...read(page).matchAll(/\bnpm run ([\w:]+)/g)].map(([, name]) => name);
      assert.deepEqual(names.filter((name) => !Object.hasOwn(scripts, name)), []);
    });

    it('of pages and sections that links lead to exist', () => {
      const anchors = (/** @type {string} */ file) =>
        [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, title]) => title.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-'));
      for (const [, target] of bare(page).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [file, anchor] = target.split('#');
        const name = file === '' ? page : path.join(path.dirname(page), file);
        assert.ok(fs.existsSync(path.join(root, name)), `${target}: there is no ${name}`);
        if (anchor) assert.ok(anchors(name).includes(anchor), `${target}: ${name} has no section ${anchor}`);
      }
    });
  });
}

/** @typedef {{ line: number, code: string, expected: string | undefined }} Example */

/** The JavaScript blocks of a page, with the text block right behind each. @type {(page: string) => Example[]} */
function examplesOf(page) {
  const text = read(page);
  return [...text.matchAll(/^```js\n([\s\S]*?)^```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm)].map((found) => ({
    line: text.slice(0, found.index).split('\n').length,
    code: found[1],
    expected: found[2],
  }));
}

/** Runs code in a process of its own and returns what it prints. @type {(code: string) => Promise<string>} */
function outputOf(code) {
  const words = /^import /m.test(code) ? ['--input-type=module', '-'] : ['-'];
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, words, { cwd: root, timeout: 60_000 }, (error, stdout, stderr) => {
      if (error || stderr) reject(new Error(stderr || String(error)));
      else resolve(stdout);
    });
    child.stdin?.end(code);
  });
}

const trimmed = (/** @type {string} */ text) => text.replace(/[ \t]+$/gm, '').trim();

for (const page of pages.filter((name) => examplesOf(name).length > 0)) {
  describe(`the examples of ${page}`, { concurrency: 2 }, () => {
    for (const { line, code, expected } of examplesOf(page)) {
      it(`in line ${line} ${expected === undefined ? 'runs' : 'prints the text below it'}`, async () => {
        const output = await outputOf(code);
        if (expected !== undefined) assert.equal(trimmed(output), trimmed(expected));
      });
    }
  });
}
