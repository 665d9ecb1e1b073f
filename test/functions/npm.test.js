// Functions of npm packages, unchanged, give the same bits natively as in V8.
'use strict';

require('../support/verify.js');
const { test } = require('node:test');
const gaps = require('./gaps.js').npm;
const rows = require('./npm-functions.js');
const { captureOf, judge, verdict, wrap } = require('./support/judge.js');
const { functionOf } = require('./support/modules.js');
const { setsOf } = require('./support/values.js');

for (const { file, name, kinds, known } of rows) {
  const title = `${file.split('/').slice(0, file.startsWith('@') ? 2 : 1).join('/')} ${name}`;
  test(`${title} gives V8's bits`, () => {
    const fn = functionOf(file, name);
    judge(verdict(fn, setsOf(kinds), { capture: captureOf(fn, wrap, known?.()) }), gaps[title], title);
  });
}
