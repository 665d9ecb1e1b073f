// Times C loops on several threads and ONNX models, one request per line of JSON on stdin.
//
//   { addon, kernel, arrays: [{ type, length, from, to }], seconds }   a loop of peers.c
//   { packages, model, feeds: { name: { type, shape, from, to, turns } }, threads, seconds }   onnxruntime-node; `turns`:
//       how many different inputs take turns, 1 if not given
//
// The answer is the least time of one call in nanoseconds, or null where the package is not installed or
// cannot run the model.
'use strict';

const readline = require('node:readline');
const { fill } = require('./arrays.js');

/** @param {() => unknown} call @param {number} seconds */
async function bestOf(call, seconds) {
  await call();
  let best = Infinity;
  const end = performance.now() + seconds * 1e3;
  for (let runs = 0; runs < 2 || performance.now() < end; runs++) {
    const start = performance.now();
    await call();
    best = Math.min(best, performance.now() - start);
  }
  return best * 1e6;
}

/** The same for calls that return at once: enough of them that the clock's steps do not show. */
function bestOfMany(call, seconds) {
  let count = 1;
  for (let ms = 0; ms < 0.2; count *= 2) {
    const start = performance.now();
    for (let i = 0; i < count; i++) call();
    ms = performance.now() - start;
  }
  return bestOf(() => {
    for (let i = 0; i < count; i++) call();
  }, seconds).then((ns) => ns / count);
}

/** What a request needs, made once. @type {Map<string, Promise<(() => unknown) | null>>} */
const made = new Map();

async function openModel({ packages, model, feeds, threads }) {
  let ort;
  try {
    ort = require(require.resolve('onnxruntime-node', { paths: [packages] }));
  } catch {
    return null;
  }
  const options = { intraOpNumThreads: threads, interOpNumThreads: 1 };
  const session = await ort.InferenceSession.create(model, options).catch(() => null);
  if (!session) return null; // some ops it has for f32 only
  const dtypes = { f32: 'float32', f64: 'float64' };
  /** @type {Record<string, any>[]} */
  const inputs = Array.from({ length: Math.max(...Object.values(feeds).map(({ turns = 1 }) => turns)) }, () => ({}));
  for (const [name, { type, shape, from, to }] of Object.entries(feeds)) {
    const length = shape.reduce((a, b) => a * b, 1);
    const all = fill({ type, length: inputs.length * length, from, to });
    inputs.forEach((own, i) => {
      own[name] = new ort.Tensor(dtypes[type], all.subarray(i * length, (i + 1) * length), shape);
    });
  }
  let next = 0;
  return () => session.run(inputs[next++ % inputs.length]);
}

async function openLoop({ addon, kernel, arrays }) {
  const run = require(addon)[kernel];
  const filled = arrays.map(fill);
  return () => run(...filled);
}

async function answer(request) {
  const { seconds, ...rest } = request;
  const key = JSON.stringify(rest);
  if (!made.has(key)) made.set(key, rest.model ? openModel(rest) : openLoop(rest));
  const call = await made.get(key);
  if (!call) return null;
  return rest.model ? bestOf(call, seconds) : bestOfMany(call, seconds);
}

async function main() {
  for await (const line of readline.createInterface(process.stdin)) {
    console.log(JSON.stringify(await answer(JSON.parse(line))));
  }
}

main();
