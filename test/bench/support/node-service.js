// Times C loops on several threads and ONNX models, one request per line of JSON on stdin.
//
//   { addon, kernel, arrays: [{ type, length, from, to }], seconds }   a loop of peers.c
//   { packages, model, feeds: { name: { type, shape, from, to } }, threads, seconds }   onnxruntime-node
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
  const tensors = Object.fromEntries(
    Object.entries(feeds).map(([name, { type, shape, from, to }]) => {
      const length = shape.reduce((a, b) => a * b, 1);
      return [name, new ort.Tensor(dtypes[type], fill({ type, length, from, to }), shape)];
    }),
  );
  return () => session.run(tensors);
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
