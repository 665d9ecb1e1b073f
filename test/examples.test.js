// Every example runs, without a word on standard error; what one finds is compared with what others found.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { spawnSync } = require('node:child_process');

const folder = path.join(__dirname, '..', 'examples');

for (const name of fs.readdirSync(folder).filter((file) => file.endsWith('.js')).sort()) {
  test(`example ${name} runs`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(folder, name)], { encoding: 'utf8' });
    assert.equal(stderr, '');
    assert.equal(status, 0);
    assert.ok(stdout.length > 0);
  });

  test(`example ${name} opens by saying what it shows`, () => {
    assert.match(fs.readFileSync(path.join(folder, name), 'utf8'), /^\/\/ [A-Z]/);
  });
}

// The means that Carpenter found of the same model for the same pelts, with Stan (2018), and their deviations.
const hares = { births: [0.55, 0.06], eaten: [0.028, 0.004], deaths: [0.8, 0.09], fed: [0.024, 0.004], hare: [34, 3], lynx: [5.9, 0.5] };

test('the equation of hares and lynxes has the parameters that others found, and is drawn', () => {
  const file = path.join(os.tmpdir(), `graphjit-hares-${process.pid}.svg`);
  try {
    const { stdout } = spawnSync(process.execPath, [path.join(folder, '26-hares-and-lynxes.js'), file], { encoding: 'utf8' });
    for (const [name, [mean, deviation]] of Object.entries(hares)) {
      const [, value, error] = new RegExp(`^${name} +([\\d.]+) ± ([\\d.]+)$`, 'm').exec(stdout) ?? [];
      assert.ok(Math.abs(Number(value) - mean) < deviation / 2, stdout);
      assert.ok(Math.abs(Number(error) / deviation - 1) < 0.5, stdout);
    }
    const picture = fs.readFileSync(file, 'utf8');
    assert.equal(picture.match(/<circle/g)?.length, 42);
    assert.ok(!/NaN|undefined/.test(picture));
  } finally {
    fs.rmSync(file, { force: true });
  }
});
