// All cases of the bench, in the order of the table.
//
// A case has `name`, `title`, the `unit` to show, and either
//   contestants()  functions to time by name, graphjit first (the promises of `awaited` cases are awaited);
//                  an entry { sample(seconds) } promises nanoseconds per call by itself, or null, or
//   values({ quick })  figures by name, or a promise of them: nanoseconds, or bytes.
// `targets` are a list of { who, below: figure } in the shown unit, or { who, peer, speed }: at least so many times as fast as
// the peer, where that is there. `who` is graphjit unless told. Of the cases of a `group`, geometric means are printed, too.
'use strict';

module.exports = [
  ...require('./cases/hypot.js'),
  ...require('./cases/calls.js'),
  ...require('./cases/jit-call.js'),
  ...require('./cases/compile.js'),
  ...require('./cases/first.js'),
  ...require('./cases/start.js'),
  ...require('./cases/math.js'),
  ...require('./cases/reduce.js'),
  ...require('./cases/rows.js'),
  ...require('./cases/sort.js'),
  ...require('./cases/select.js'),
  ...require('./cases/running.js'),
  ...require('./cases/indexing.js'),
  ...require('./cases/elementwise.js'),
  ...require('./cases/fused.js'),
  ...require('./cases/control.js'),
  ...require('./cases/functions.js'),
  ...require('./cases/functions-compile.js'),
  ...require('./cases/wasm.js'),
  ...require('./cases/wasm-peers.js'),
  ...require('./cases/wasm-tensors.js'),
  ...require('./cases/wasm-size.js'),
  ...require('./cases/threads.js'),
  ...require('./cases/populations.js'),
  ...require('./cases/regression.js'),
  ...require('./cases/tier.js'),
  ...require('./cases/tensors.js'),
  ...require('./cases/models.js'),
  ...require('./cases/forests.js'),
  ...require('./cases/columns-filter.js'),
  ...require('./cases/columns-gandiva.js'),
  ...require('./cases/columns-group.js'),
  ...require('./cases/columns-first.js'),
  ...require('./cases/derivatives.js'),
  ...require('./cases/linear-algebra.js'),
  ...require('./cases/maps.js'),
];
