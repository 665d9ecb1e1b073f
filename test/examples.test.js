// Every example runs, without a word on standard error.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
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
