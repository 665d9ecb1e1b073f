// The programs of programs/ give natively what they give in V8, however they are compiled.
'use strict';

require('../support/verify.js');
const { test } = require('node:test');
const gaps = require('./gaps.js').programs;
const programs = require('./programs/index.js');
const { judge, verdict } = require('./support/judge.js');
const { setsOf } = require('./support/values.js');

/** Ways to compile, and which share of the programs is compiled so. */
const ways = [
  { options: { tier: 'full' }, share: 1 },
  { options: {}, share: 3 },
  { options: { optLevel: 0 }, share: 5 },
  { options: { tier: 'full', numerics: 'strict' }, share: 17 },
  { options: { tier: 'full', optLevel: 2, threads: 1 }, share: 11 },
];

for (const { options, share } of ways) {
  for (const [i, { subject, name, fn, kinds, sets, capture }] of programs.entries()) {
    if (i % share !== 0) continue;
    const how = Object.keys(options).length > 0 ? `, ${JSON.stringify(options)}` : '';
    test(`${subject}: ${name}${how}`, () => {
      const found = verdict(fn, sets ?? setsOf(kinds ?? []), { ...options, ...(capture && { capture }) });
      judge(found, gaps[`${subject}: ${name}`], name);
    });
  }
}
