// Models that PyTorch itself wrote, traced, scripted and as exported programs, against what it gives for them.
//
// Nothing of it is recorded, but for what torch-recorded.test.js has: torch-models.py and torch-export.py make files in a temporary folder, where PyTorch is installed.
'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, describe, it } = require('node:test');
const { ScriptModule, load } = require('graphjit');
const { compare, compareAll, leaves } = require('../support/torch-results.js');

const python = ['/usr/bin/python3', 'python3'].find((name) => spawnSync(name, ['-c', 'import torch, numpy']).status === 0);
const skip = python === undefined && 'PyTorch is not installed';
/** @type {(script: string, folder: string) => void} */
function makeFiles(script, folder) {
  const { status, stderr } = spawnSync(String(python), [path.join(__dirname, script), folder], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
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
          const recorded = load(path.join(folder, file.replace(end, '.npz')));
          compareAll(await load(path.join(folder, file), { cache: false, compile: false }), recorded);
        });
      }
    });
  });
}
