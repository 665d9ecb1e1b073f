// Runs that repeat the one before, and runs of very many arrays: the short ways give what the long one gives.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');

/** z = x + y, w = x · y on vectors. */
function twoResults() {
  const graph = new Graph('two');
  const x = graph.input('x', 'f64', ['n']);
  const y = graph.input('y', 'f64', ['n']);
  return graph.output('z', x.add(y)).output('w', x.mul(y)).compile();
}

const filled = (length, value) => new Float64Array(length).fill(value);

test('repeating a run on the same arrays sees what they hold now', () => {
  const program = twoResults();
  const [x, y, z, w] = [filled(5, 1), filled(5, 2), filled(5, 0), filled(5, 0)];
  for (let i = 0; i < 6; i++) {
    x.fill(i);
    const results = program.run({ x, y }, { w, z });
    assert.equal(results.z.data, z);
    assert.equal(results.w.data, w);
    assert.deepEqual([...z, ...w], [...filled(5, i + 2), ...filled(5, 2 * i)]);
    results.z = null; // the object is the caller's
  }
});

test('repeated runs may change to other arrays, lengths and fresh outputs at any time', () => {
  const program = twoResults();
  const sets = [3, 3, 7].map((length) => ['x', 'y', 'z', 'w'].map(() => filled(length, 0)));
  const order = [0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 2, 0, 0, 2, 1, 1];
  order.forEach((which, step) => {
    const [x, y, z, w] = sets[which];
    x.fill(step);
    y.fill(3);
    const { z: sum } = step % 5 === 4 ? program.run({ x, y }) : program.run({ x, y }, { z, w });
    assert.deepEqual(sum.toArray(), [...filled(x.length, step + 3)]);
    assert.equal(sum.data === z, step % 5 !== 4);
  });
});

test('a repeated run refuses what the first would have refused', () => {
  const program = twoResults();
  const [x, y, z, w] = [0, 1, 2, 3].map(() => filled(4, 1));
  for (let i = 0; i < 4; i++) program.run({ x, y }, { z, w });
  assert.throws(() => program.run({ x, y }, { z, w, v: w }), { code: 'ERR_ARGUMENT', message: /unknown output 'v'/ });
  assert.throws(() => program.run({ x, y }, { z }), { code: 'ERR_ARGUMENT', message: /output 'w' .* is missing/ });
  assert.throws(() => program.run({ x, y, z }, { z, w }), { code: 'ERR_ARGUMENT', message: /unknown input 'z'/ });
  assert.throws(() => program.run({ x, y }, { z: w, w }), { code: 'ERR_ARGUMENT', message: /overlaps/ });
  structuredClone(y.buffer, { transfer: [y.buffer] });
  assert.throws(() => program.run({ x, y }, { z, w }), { code: 'ERR_STATE', message: /input 'y' is detached/ });
  program.dispose();
  assert.throws(() => program.run({ x, y: x }, { z, w }), { code: 'ERR_STATE', message: /disposed/ });
});

test('getters that run the program inside of a run do not disturb it', () => {
  const program = twoResults();
  const [x, y, z, w] = [0, 1, 2, 3].map(() => filled(4, 1));
  const other = [0, 1, 2, 3].map(() => filled(9, 5));
  for (let i = 0; i < 3; i++) program.run({ x, y }, { z, w });
  const inputs = {
    x,
    get y() {
      for (let i = 0; i < 3; i++) program.run({ x: other[0], y: other[1] }, { z: other[2], w: other[3] });
      return y;
    },
  };
  for (let i = 0; i < 3; i++) {
    z.fill(0);
    program.run(inputs, { z, w });
    assert.deepEqual([...z], [2, 2, 2, 2]);
    assert.equal(other[2][8], 10);
  }
});

test('getters are asked once by a run, whatever the run before was given', () => {
  const program = twoResults();
  const lengths = [2, 2, 5, 3, 3, 1, 4];
  const queue = lengths.map((length) => filled(length, length));
  const first = { get x() { return queue.shift(); }, y: 0 };
  const found = lengths.map((length) => program.run(Object.defineProperty(first, 'y', { value: filled(length, 1) })).z.shape[0]);
  assert.deepEqual(found, lengths);
});

/** s · x + m's sums, of a number, a vector and a matrix. */
function mixed() {
  const graph = new Graph('mixed');
  const s = graph.input('s', 'f32', []);
  const x = graph.input('x', 'f32', ['n']);
  const m = graph.input('m', 'f32', ['n', 'k']);
  return graph.output('z', x.mul(s).add(m.sum({ axis: 1 }))).output('t', x.sum().mul(s));
}

/** A vector of the class that other values are wrong for, in one of the ways that a vector can be given. */
function given(random, length, rank, shape) {
  const data = new Float32Array(length).map(() => random(9));
  const ways = [
    () => data,
    () => data,
    () => tensor(data, { shape }),
    () => tensor(data, { shape }).add(0),
    () => tensor(data.slice(), { shape }).flip(),
    () => (rank === 0 ? data[0] : data),
    () => (rank === 1 ? [...data] : data),
    () => new Int32Array(length),
    () => new Float32Array(length + 1),
    () => Object.assign(new Int32Array(length), { constructor: Float32Array }),
    () => tensor(new Float64Array(length), { shape }),
    () => tensor(new Float32Array(2 * length)).slice([0, length]).reshape(shape),
    () => undefined,
    () => structuredClone(data, { transfer: [data.buffer] }) && data,
  ];
  return ways[random(random(3) === 0 ? ways.length : 6)]();
}

/** An object of these values, in one of the ways that an object can have them, or nearly. */
function held(random, /** @type {Record<string, unknown>} */ values) {
  const [name] = Object.keys(values);
  const { [name]: first, ...others } = values;
  const ways = [
    () => Object.assign(Object.create(null), values),
    () => Object.assign(Object.create({ unused: 1 }), values),
    () => Object.defineProperty({ ...others }, name, { enumerable: true, get: () => first }),
    () => Object.defineProperty({ ...others }, name, { value: first }),
    () => Object.assign(Object.create({ [name]: first }), others),
    () => Object.assign([], values),
    () => ({ ...values, unused: undefined }),
    () => others,
    () => null,
  ];
  return random(4) > 0 ? values : ways[random(ways.length)]();
}

test('a run does what the first run of a program does, however values are given', () => {
  let state = 1;
  const random = (/** @type {number} */ below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const graph = mixed();
  const program = graph.compile();
  let quick = 0;
  const outcome = (/** @type {any} */ of, /** @type {any} */ inputs, /** @type {any} */ outputs) => {
    try {
      const results = of.run(inputs, outputs);
      return { z: results.z.toArray(), t: results.t.toArray(), shape: results.z.shape };
    } catch (error) {
      const { code, message } = /** @type {any} */ (error);
      return { code, message };
    }
  };
  let [n, k] = [3, 2];
  for (let step = 0; step < 3000; step++) {
    if (step % 20 === 0) [n, k] = [1 + random(4), 1 + random(20)];
    const inputs = held(random, { s: given(random, 1, 0, []), x: given(random, n, 1, [n]), m: given(random, n * k, 2, [n, k]) });
    const outputs = step % 3 === 0 ? undefined : held(random, { z: given(random, n, 1, [n]), t: given(random, 1, 0, []) });
    const first = graph.compile();
    const expected = outcome(first, inputs, outputs);
    first.dispose();
    assert.deepEqual(outcome(program, inputs, outputs), expected, `step ${step}`);
    if (expected.code === undefined) quick++;
  }
  assert.ok(quick > 500, `${quick} runs were right`);
});

test('a bound function checks arrays that lie in one buffer, and empty ones', () => {
  const program = twoResults();
  const buffer = new ArrayBuffer(256);
  const [x, y, z, w] = [0, 64, 128, 192].map((offset) => new Float64Array(buffer, offset, 4));
  const call = program.bind({ x, y }, { z, w });
  x.fill(2);
  call();
  assert.deepEqual([...z], [2, 2, 2, 2]);
  structuredClone(buffer, { transfer: [buffer] });
  assert.throws(call, { code: 'ERR_STATE', message: /input 'x' was detached/ });
  const empty = program.bind({ x: filled(0, 0), y: filled(0, 0) });
  assert.equal(empty().z.size, 0);
});

/** copies of `count` inputs */
function manyPorts(count) {
  const graph = new Graph('many');
  const names = Array.from({ length: count }, (_, i) => `p${i}`);
  for (const name of names) graph.output(`${name}_out`, graph.input(name, 'i32', ['n']).add(1));
  return { program: graph.compile(), names };
}

test('overlap is found among hundreds of arrays, and only where it is', () => {
  const { program, names } = manyPorts(100);
  const buffer = new ArrayBuffer(64 * 400);
  const at = (place) => new Int32Array(buffer, place * 64, 16);
  const inputs = Object.fromEntries(names.map((name, i) => [name, at(2 * ((i * 37) % 100))]));
  const outputs = Object.fromEntries(names.map((name, i) => [`${name}_out`, at(2 * ((i * 61) % 100) + 1)]));
  program.run(inputs, outputs);
  inputs.p7 = inputs.p8; // inputs may be the same
  program.run(inputs, outputs);
  assert.equal(outputs.p7_out[3], inputs.p8[3] + 1);
  const touching = { ...outputs, p40_out: new Int32Array(buffer, 4 * 3 + 64 * 200, 16) };
  program.run(inputs, touching); // right behind the last array
  const shifted = new Int32Array(inputs.p55.buffer, inputs.p55.byteOffset + 60, 16);
  assert.throws(() => program.run(inputs, { ...outputs, p3_out: shifted }), {
    code: 'ERR_ARGUMENT',
    message: /^run: output 'p\d+_out' overlaps (input|output) 'p\d+(_out)?' in memory$/,
  });
  const twice = { ...outputs, p3_out: outputs.p99_out };
  assert.throws(() => program.run(inputs, twice), { code: 'ERR_ARGUMENT', message: /output 'p99_out' overlaps output 'p3_out'/ });
  const long = new Int32Array(buffer, 0, 16 * 3); // an input around an output
  assert.throws(() => program.run({ ...inputs, p20: long.subarray(12, 28) }, outputs), { code: 'ERR_ARGUMENT', message: /overlaps input 'p20'/ });
});
