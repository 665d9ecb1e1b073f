/**
 * Calls of compiled functions as the addon makes them, on hand-written Loop IR: each kind of argument and result,
 * and what a caller answers where it cannot go on.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { native } = require('../../lib/base/binding.js');

const OUTCOMES = { misfit: 1, detached: 2, overlap: 3, failed: 4, disposed: 5 };

/** As later versions of the language have it. @type {any} */
const Resizable = ArrayBuffer;

/** @type {(body: string) => any} */
const compile = (body) => native.functionCompile(`module "f" {\n  entry func main() -> i32 {\n${body}\n  }\n}`, 0, 2, false);

/**
 * @param {string} signature
 * @param {string} body of the entry
 * @param {any} [apart]
 */
function callerOf(signature, body, apart) {
  const state = new ArrayBuffer(256);
  const code = compile(body);
  const call = native.functionCaller(code, apart, signature, 1, state);
  return { call, code, outcome: () => [...new Int32Array(state, 0, 2)], slots: new Float64Array(state, 8) };
}

/** @type {(dtype: string) => string} slot 1 = slot 0 */
const copied = (dtype) => `let from: ${dtype}* = buffer<0, ${dtype}>
  let next: i64* = buffer<0, i64>
  next[1] = 0
  let target: ${dtype}* = buffer<0, ${dtype}>
  target[${{ f64: 1, i64: 1, u64: 1, f32: 2, i32: 2, u32: 2, bool: 8 }[dtype]}] = from[0]
  return 0:i32`;

test('a scalar of each kind goes in and comes back', () => {
  const cases = [
    ['f64', 'f64', [0, -0, 1.5, NaN, Infinity, 2 ** 60]],
    ['f32', 'f32', [0.5, -0, NaN]],
    ['i32', 'i32', [0, -1, 2 ** 31 - 1, -(2 ** 31)]],
    ['u32', 'u32', [0, 2 ** 32 - 1]],
    ['i8', 'i32', [-128, 127]],
    ['u8', 'i32', [0, 255]],
    ['i16', 'i32', [-32768, 32767]],
    ['u16', 'i32', [0, 65535]],
    ['int', 'i64', [0, -5, 2 ** 53 - 1, -(2 ** 53) + 1]],
    ['i64', 'i64', [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]],
    ['u64', 'u64', [0n, 2n ** 64n - 1n]],
    ['bool', 'bool', [false, true]],
  ];
  for (const [kind, dtype, values] of /** @type {[string, string, unknown[]][]} */ (cases)) {
    const result = ['i8', 'u8', 'i16', 'u16'].includes(kind) ? 'i32' : kind;
    const { call } = callerOf(`${kind} -> ${result}`, copied(dtype));
    for (const value of values) assert.ok(Object.is(call(value), value), `${kind} ${String(value)}`);
  }
});

test('what is not of its kind is answered with null and the number of the argument', () => {
  const cases = {
    f64: [undefined, null, '1', 1n, true, {}, Symbol('s')],
    i32: [0.5, NaN, 2 ** 31, -(2 ** 31) - 1, Infinity, 1n],
    u32: [-1, 2 ** 32],
    i8: [128, -129],
    u16: [65536, -1],
    int: [0.5, 2 ** 53, -0],
    i64: [1, 2n ** 63n, -(2n ** 63n) - 1n],
    u64: [-1n, 2n ** 64n],
    bool: [0, 1, undefined],
    'f64[]': [[1], new Float32Array(1), new ArrayBuffer(8), new DataView(new ArrayBuffer(8)), 1],
    'u8[]': [new Uint8ClampedArray(1), new Int8Array(1)],
    'u8c[]': [new Uint8Array(1)],
  };
  for (const [kind, values] of Object.entries(cases)) {
    const { call, outcome } = callerOf(`f64 ${kind} -> f64`, 'return 0:i32');
    for (const value of values) {
      assert.equal(call(1, value), null, `${kind} ${String(value)}`);
      assert.deepEqual(outcome(), [OUTCOMES.misfit, 1]);
    }
  }
});

const SUM = `let slots: f64* = buffer<0, f64>
  let s: f64 = 0:f64
  let x: f64* = buffer<1, f64>
  for i = 0 to dim<0> step 1 {
    s = add(s, x[i])
  }
  slots[0] = s
  return 0:i32`;

test('typed arrays come with their length; empty, shared and resizable ones too', () => {
  const { call } = callerOf('f64[] -> f64', SUM);
  assert.equal(call(Float64Array.of(1, 2, 3)), 6);
  assert.equal(call(new Float64Array(0)), 0);
  assert.equal(call(new Float64Array(new SharedArrayBuffer(16)).fill(2)), 4);
  assert.equal(call(Float64Array.of(1, 2, 3, 4).subarray(1, 3)), 5);
  assert.equal(call(new Float64Array(new Resizable(16, { maxByteLength: 64 })).fill(1)), 2);
});

test('a detached array is refused', () => {
  const { call, outcome } = callerOf('f64[] -> f64', SUM);
  const array = new Float64Array(4);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  assert.equal(call(array), null);
  assert.deepEqual(outcome(), [OUTCOMES.detached, 0]);
});

test('arrays that overlap need the code for it where one is written', () => {
  const body = `let z: f64* = buffer<1, f64>
  let x: f64* = buffer<2, f64>
  z[0] = add(x[0], 1:f64)
  return 0:i32`;
  const { call, outcome } = callerOf('f64[]! f64[] ->', body);
  const array = Float64Array.of(1, 2, 3);
  assert.equal(call(array, Float64Array.of(5)), undefined);
  assert.equal(array[0], 6);
  assert.equal(call(array, array.subarray(1)), null);
  assert.deepEqual(outcome(), [OUTCOMES.overlap, 0]);
  assert.equal(call(array.subarray(0, 1), array.subarray(1)), undefined, 'neighbours do not overlap');
  const both = callerOf('f64[]! f64[] ->', body, compile(body));
  assert.equal(both.call(array, array.subarray(1)), undefined);
  const reading = callerOf('f64[] f64[] ->', 'return 0:i32');
  assert.equal(reading.call(array, array), undefined);
});

test('what the code returns is told, and several results lie in the slots', () => {
  const failing = callerOf('f64 -> f64', 'return 17:i32');
  assert.equal(failing.call(2.5), null);
  assert.deepEqual(failing.outcome(), [OUTCOMES.failed, 17]);
  const two = callerOf('f64 -> f64 f64', `let slots: f64* = buffer<0, f64>
  slots[1] = mul(slots[0], 2:f64)
  slots[2] = mul(slots[0], 3:f64)
  return 0:i32`);
  assert.equal(two.call(5), undefined);
  assert.deepEqual([...two.slots.slice(0, 3)], [5, 10, 15]);
});

test('a result may be undefined or null instead', () => {
  const { call, outcome } = callerOf('f64 i32 -> f64?', `let slots: f64* = buffer<0, f64>
  slots[2] = slots[0]
  let words: i32* = buffer<0, i32>
  words[6] = words[2]
  return 0:i32`);
  assert.equal(call(2.5, 0), 2.5);
  assert.equal(call(2.5, 1), undefined);
  call('', 0);
  assert.equal(call(2.5, 2), null);
  assert.equal(outcome()[0], 0);
});

test('more arguments than most functions have', () => {
  const count = 20;
  const { call } = callerOf(`${'f64 '.repeat(count)} -> f64`, `let slots: f64* = buffer<0, f64>
  slots[${count}] = sub(slots[0], slots[${count - 1}])
  return 0:i32`);
  assert.equal(call(...Array.from({ length: count }, (_, i) => i)), -19);
  assert.equal(call(1), null);
});

test('a disposed function is not called, and frees its code', () => {
  const { functions } = native.usage();
  const { call, code, outcome } = callerOf('-> f64', 'return 0:i32');
  assert.equal(native.usage().functions, functions + 1);
  native.functionDispose(code);
  native.functionDispose(code);
  assert.equal(native.usage().functions, functions);
  assert.equal(call(), null);
  assert.deepEqual(outcome(), [OUTCOMES.disposed, 0]);
  assert.throws(() => native.functionStats(code), { code: 'ERR_STATE' });
});

test('what describes a caller is checked', () => {
  const code = compile('return 0:i32');
  const state = new ArrayBuffer(8);
  for (const bad of ['', 'f64', 'f63 ->', 'f64? ->', '-> f64[]?', 'f64! ->', '-> -> ->', `${'f64 '.repeat(300)} ->`]) {
    assert.throws(() => native.functionCaller(code, undefined, bad, 1, new ArrayBuffer(4096)), { code: 'ERR_INTERNAL' });
  }
  assert.throws(() => native.functionCaller(code, undefined, 'f64 ->', 1, state), { code: 'ERR_INTERNAL' });
  assert.throws(() => native.functionCaller({}, undefined, '->', 1, state), { code: 'ERR_ARGUMENT' });
  assert.throws(() => native.functionCaller(code, undefined, '->', 1, /** @type {any} */ ({})), { code: 'ERR_INTERNAL' });
});

// --- arrays that a run makes ---

/** Makes `count` elements, element i being i, and gives the array and its part from 1 on. */
const MADE = `let count: i64 = buffer<0, i64>[0]
  let a: f64* = alloc<f64>(count)
  if (is_null(a)) {
    return 2:i32
  }
  for i = 0 to count step 1 {
    a[i] = convert<f64>(i)
  }
  let slots: i64* = buffer<0, i64>
  slots[1] = address(a)
  slots[2] = count
  slots[3] = 1
  slots[4] = address(offset(a, 1))
  slots[5] = sub(count, 1)
  slots[6] = 1
  return 0:i32`;

test('arrays of a run are handed over, small and large, and keep what they share', () => {
  const { call, slots } = callerOf('int -> f64[] f64[]', MADE);
  const words = new BigInt64Array(slots.buffer, 8);
  for (const count of [2, 1000, 100000]) {
    const buffers = call(count);
    const [whole, part] = [1, 4].map((at) => {
      const [offset, length, origin] = words.slice(at, at + 3).map(BigInt);
      return new Float64Array(buffers[-1 - Number(origin)], Number(offset), Number(length));
    });
    assert.equal(whole.length, count);
    assert.equal(whole[count - 1], count - 1);
    assert.equal(part.length, count - 1);
    assert.equal(part.buffer, whole.buffer);
    assert.equal(part[0], 1);
  }
});

test('an array argument that is returned is told by its number and offset', () => {
  const { call, slots } = callerOf('f64[] f64[] -> f64[]', `let slots: i64* = buffer<0, i64>
  slots[0] = address(offset(buffer<2, f64>, 3))
  slots[1] = 2
  slots[2] = 3
  return 0:i32`);
  assert.equal(call(new Float64Array(2), new Float64Array(8)), undefined);
  assert.deepEqual([...new BigInt64Array(slots.buffer, 8, 3)], [24n, 2n, 3n]);
});

test('code knows how deep the stack is, and gets no memory that there is not', () => {
  const text = `module "f" {
  func down(n: i64) -> i32 {
    if (too_deep) {
      return 5:i32
    }
    return call down(add(n, 1))
  }
  entry func main() -> i32 {
    return call down(0)
  }
}`;
  const state = new ArrayBuffer(64);
  const call = native.functionCaller(native.functionCompile(text, 0, 0, false), undefined, '->', 1, state);
  assert.equal(call(), null);
  assert.deepEqual([...new Int32Array(state, 0, 2)], [OUTCOMES.failed, 5]);
  const { call: make, outcome } = callerOf('int -> f64[] f64[]', MADE);
  assert.equal(make(2 ** 50), null);
  assert.deepEqual(outcome(), [OUTCOMES.failed, 2]);
});

// --- on another thread ---

/** @type {(signature: string, body: string, args: unknown[]) => any} */
function start(signature, body, args) {
  const state = new ArrayBuffer(256);
  const run = native.functionStart(compile(body), undefined, signature, 1, state, args);
  return { run, promise: run.promise, outcome: () => [...new Int32Array(state, 0, 2)], state };
}

test('a run on another thread gives what a call gives', async () => {
  assert.equal(await start('f64[] -> f64', SUM, [Float64Array.of(1, 2)]).promise, 3);
  const misfit = start('f64[] -> f64', SUM, [[1]]);
  assert.equal(await misfit.promise, null);
  assert.deepEqual(misfit.outcome(), [OUTCOMES.misfit, 0]);
  const failed = start('f64 -> f64', 'return 17:i32', [1]);
  assert.equal(await failed.promise, null);
  assert.deepEqual(failed.outcome(), [OUTCOMES.failed, 17]);
  const made = start('int -> f64[] f64[]', MADE, [100000]);
  const [buffer] = await made.promise;
  assert.equal(new Float64Array(buffer)[99999], 99999);
  assert.equal(native.usage().runs, 0);
});

test('a run on another thread is cancelled, and its arrays must stay', async () => {
  const endless = `while (true) {
    if (cancelled) {
      return 1:i32
    }
  }
  return 0:i32`;
  const { run, promise, outcome } = start('->', endless, []);
  setTimeout(() => native.workCancel(run), 5);
  assert.equal(await promise, null);
  assert.deepEqual(outcome(), [OUTCOMES.failed, 1]);
  const array = new Float64Array(8);
  const reading = start('f64[] -> f64', SUM, [array]);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  await assert.rejects(reading.promise, { code: 'ERR_STATE' });
  assert.throws(() => native.workCancel(/** @type {any} */ ({})), { code: 'ERR_ARGUMENT' });
});
