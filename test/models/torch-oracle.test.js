// Models that PyTorch itself wrote, traced, scripted and as exported programs, against what it gives for them.
//
// Nothing is recorded: torch-models.py and torch-export.py make files in a temporary folder, where PyTorch is installed.
'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, describe, it } = require('node:test');
const { ScriptModule, Tensor, load, tensor } = require('graphjit');

const python = ['/usr/bin/python3', 'python3'].find((name) => spawnSync(name, ['-c', 'import torch, numpy']).status === 0);
const skip = python === undefined && 'PyTorch is not installed';
/** Of the greatest element; halves as far as they go. @type {(dtype: string) => number} */
const toleranceOf = (dtype) => (dtype === 'f16' ? 2e-3 : 1e-5);

/** @type {(script: string, folder: string) => void} */
function makeFiles(script, folder) {
  const { status, stderr } = spawnSync(String(python), [path.join(__dirname, script), folder], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

/** @type {(value: any) => Tensor[]} the leaves of results, in their order */
function leaves(value) {
  if (value === null) return [];
  if (value instanceof Tensor) return [value];
  if (typeof value !== 'object') return [tensor(value)];
  return Object.values(value).flatMap(leaves);
}

/** @type {(got: Tensor, want: any, which: string) => void} */
function compare(got, want, which) {
  assert.deepEqual(got.shape, want.shape, `${which}: shape`);
  if (want.shape.length > 0) assert.equal(got.dtype, want.dtype, `${which}: dtype`);
  const [a, b] = [got, want].map((each) => [each.toArray()].flat(Infinity).map(Number));
  const bound = toleranceOf(want.dtype) * Math.max(1e-3, ...b.filter(Number.isFinite).map(Math.abs));
  b.forEach((number, i) => assert.ok(Object.is(a[i], number) || a[i] === number || Math.abs(a[i] - number) <= bound, `${which}[${i}]: ${a[i]}, expected ${number}`));
}

describe('operations in scripts', { skip }, () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-torch-'));
  after(() => fs.rmSync(folder, { recursive: true }));

  it('give what PyTorch gives', async (t) => {
    makeFiles('torch-ops.py', folder);
    const net = new ScriptModule(path.join(folder, 'ops.pt'), { cache: false });
    const recorded = load(path.join(folder, 'ops.npz'));
    const texts = fs.readFileSync(path.join(folder, 'ops.txt'), 'utf8').trim().split('\n');
    assert.ok(texts.length > 450, `${texts.length} operations`);
    for (const [i, text] of texts.entries()) {
      await t.test(text, () => {
        const results = leaves(net.call(`op${i}`, ...net.model(`op${i}`).inputs.map(({ name }) => recorded[name])));
        results.forEach((result, k) => compare(result, recorded[`op${i}_${k}`], `result ${k}`));
        assert.ok(!(`op${i}_${results.length}` in recorded), 'a result is missing');
      });
    }
  });
});

for (const [script, end, least] of /** @type {const} */ ([['torch-models.py', '.pt', 70], ['torch-export.py', '.pt2', 30]])) {
  describe(`models of ${script}`, { skip }, () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-torch-'));
    after(() => fs.rmSync(folder, { recursive: true }));

    it('give what PyTorch gives', async (t) => {
      makeFiles(script, folder);
      const files = fs.readdirSync(folder).filter((file) => file.endsWith(end));
      assert.ok(files.length >= least, `${files.length} files`);
      for (const file of files) {
        await t.test(file, async () => {
          const model = await load(path.join(folder, file), { cache: false, compile: false });
          const recorded = load(path.join(folder, file.replace(end, '.npz')));
          const given = Object.keys(recorded).filter((name) => name.startsWith('in')).map((name, i) => [model.inputs[i].name, recorded[name]]);
          const results = leaves(model.run(Object.fromEntries(given)));
          assert.equal(results.length, Object.keys(recorded).length - given.length);
          results.forEach((result, i) => compare(result, recorded[`out${i}`], `result ${i}`));
        });
      }
    });
  });
}
