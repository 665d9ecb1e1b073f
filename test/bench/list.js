// All cases of the bench, in the order of the table.
//
// A case has `name`, `title`, the `unit` to show, and either
//   contestants()  functions to time by name, graphjit first (the promises of `awaited` cases are awaited);
//                  an entry { sample(seconds) } returns nanoseconds per call by itself, or null, or
//   values()       figures by name: nanoseconds, or bytes.
// A `target` is { below: figure } in the shown unit, or { peer, ratio }: at most that part of the peer's time.
'use strict';

module.exports = [
  ...require('./cases/hypot.js'),
  ...require('./cases/calls.js'),
  ...require('./cases/compile.js'),
  ...require('./cases/math.js'),
  ...require('./cases/sum.js'),
];
