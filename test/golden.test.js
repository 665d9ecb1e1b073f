// Every file under test/golden: what `gj` makes of a text is the text below it.
'use strict';

const { describe, it, after } = require('node:test');
const { goldenNames, readGolden, writeGolden, verifyCase, isUpdate } = require('./support/golden.js');

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
