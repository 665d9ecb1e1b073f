// Every file under test/golden: what `gj` makes of a text is the text below it.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { describe, it, after } = require('node:test');
const { gj, goldenNames, readGolden, writeGolden, verifyCase, isUpdate } = require('./support/golden.js');

for (const name of goldenNames()) {
  const golden = readGolden(name);
  describe(`golden ${name}`, { concurrency: 2 }, () => {
    for (const one of golden.cases) {
      it(one.title || 'gives the text below it', () => verifyCase(golden, one));
    }
    after(() => {
      if (isUpdate) {
        writeGolden(golden);
      }
    });
  });
}

it('shows what there is behind every pass', () => {
  const list = execFileSync(gj, ['passes', '--list'], { encoding: 'utf8' });
  const passes = [...list.matchAll(/^(\w+) \(/gm)].map(([, name]) => name);
  const shown = fs.readdirSync(path.join(__dirname, 'golden', 'after')).map((name) => path.parse(name).name);
  assert.deepEqual(passes.filter((name) => !shown.includes(name)), []);
});
