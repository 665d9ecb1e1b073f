/**
 * Runs of Loop IR over any number of typed arrays, known by address: slots in and out, null entries, what is refused,
 * and the same on another thread.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { native } = require('../../lib/base/binding.js');

/** @type {(text: string) => any} */
const compile = (text) => native.functionCompile(`module "t" {\n${text}\n}`, 0, 2, false);

// slot 0: how many arrays of f64 there are, with slot 2 elements each; slot 1 gets how many are null, slot 3 their sum.
const SUM = `entry func main() -> i32 {
  let slots: i64* = buffer<0, i64>
  let arrays: i64* = buffer<1, i64>
  let sum: f64 = 0:f64
  let nulls: i64 = 0
  for k = 0 to slots[0] step 1 {
    if (eq(arrays[k], 0)) {
      nulls = add(nulls, 1)
    } else {
      let x: f64* = pointer<f64>(arrays[k])
      for i = 0 to slots[2] step 1 {
        sum = add(sum, x[i])
      }
    }
  }
  slots[1] = nulls
  slots[3] = bitcast<i64>(sum)
  return 0:i32
}`;

const ENDLESS = `entry func main() -> i32 {
  while (not(cancelled)) {
  }
  return 9:i32
}`;

/** @type {(slots: BigInt64Array | ArrayBuffer) => number} */
const sumIn = (slots) => new Float64Array(ArrayBuffer.isView(slots) ? slots.buffer : slots)[3];

test('code finds slots and arrays, of which some are null', () => {
  const code = compile(SUM);
  const arrays = [Float64Array.of(1, 2, 3), null, Float64Array.of(0, 4, 5, 6).subarray(1), null];
  const slots = BigInt64Array.of(4n, 0n, 3n, 0n);
  assert.equal(native.tableRun(code, 1, slots, arrays), 0);
  assert.equal(sumIn(slots), 21);
  assert.equal(slots[1], 2n);
  const buffer = slots.buffer.slice(0);
  assert.equal(native.tableRun(code, 2, buffer, arrays), 0);
  assert.equal(sumIn(buffer), 21);
  assert.equal(native.tableRun(code, 1, BigInt64Array.of(0n, 0n, 0n, 0n), []), 0);
  assert.equal(native.tableRun(compile('entry func main() -> i32 { return -7:i32 }'), 1, slots, []), -7);
});

test('there may be thousands of arrays, of any class', () => {
  const count = 5000;
  const arrays = Array.from({ length: count }, (_, i) => Float64Array.of(i));
  const slots = BigInt64Array.of(BigInt(count), 0n, 1n, 0n);
  assert.equal(native.tableRun(compile(SUM), 1, slots, arrays), 0);
  assert.equal(sumIn(slots), (count * (count - 1)) / 2);
  const classes = [new Uint8Array(8), new Int16Array(4), new BigUint64Array(1), new Float32Array(2), new Uint8Array(0)];
  slots[0] = 4n;
  assert.equal(native.tableRun(compile(SUM), 1, slots, classes), 0);
  assert.equal(sumIn(slots), 0);
});

test('what is no array, detached, disposed or too much is refused', () => {
  const code = compile(SUM);
  const slots = new BigInt64Array(4);
  const run = (/** @type {any} */ arrays, /** @type {any} */ own = slots) => native.tableRun(code, 1, own, arrays);
  for (const bad of [1, undefined, 'x', {}, new DataView(new ArrayBuffer(8)), new ArrayBuffer(8)]) {
    assert.throws(() => run([null, bad]), { code: 'ERR_ARGUMENT', message: /a typed array or null as array 1$/ });
  }
  assert.throws(() => run({ length: 1 }), { code: 'ERR_ARGUMENT', message: /expected an array of typed arrays/ });
  assert.throws(() => run(new Array(1_000_001).fill(null)), { code: 'ERR_ARGUMENT', message: /at most 1000000/ });
  for (const bad of [new Float64Array(4), [1n], null, new Uint8Array(32)]) {
    assert.throws(() => run([], bad), { code: 'ERR_ARGUMENT', message: /BigInt64Array or an ArrayBuffer as slots/ });
  }
  const array = new Float64Array(2);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  assert.throws(() => run([array]), { code: 'ERR_STATE', message: /array 0 is detached/ });
  const gone = new BigInt64Array(4);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  assert.throws(() => run([], gone), { code: 'ERR_STATE', message: /the slots are detached/ });
  assert.throws(() => run([], gone.buffer), { code: 'ERR_STATE', message: /the slots are detached/ });
  assert.throws(() => native.tableRun({}, 1, slots, []), { code: 'ERR_ARGUMENT' });
  native.functionDispose(code);
  assert.throws(() => run([]), { code: 'ERR_STATE' });
});

test('an element that runs JavaScript can take nothing away from under the code', () => {
  const first = Float64Array.of(1);
  const arrays = [first, first];
  Object.defineProperty(arrays, 1, {
    get: () => {
      structuredClone(first.buffer, { transfer: [first.buffer] });
      return Float64Array.of(2);
    },
  });
  const slots = BigInt64Array.of(2n, 0n, 1n, 0n);
  assert.throws(() => native.tableRun(compile(SUM), 1, slots, arrays), { code: 'ERR_STATE' });
  const code = compile(SUM);
  const disposing = [null];
  Object.defineProperty(disposing, 0, { get: () => native.functionDispose(code) ?? null });
  assert.throws(() => native.tableRun(code, 1, slots, disposing), { code: 'ERR_STATE' });
  const throwing = [null];
  Object.defineProperty(throwing, 0, { get: () => assert.fail('own') });
  assert.throws(() => native.tableRun(compile(SUM), 1, slots, throwing), { message: 'own' });
});

test('a run on another thread gives what a run gives, and holds what it needs', async () => {
  const code = compile(SUM);
  const slots = BigInt64Array.of(100n, 0n, 1000n, 0n);
  const arrays = Array.from({ length: 100 }, () => new Float64Array(1000).fill(1));
  const { promise } = native.tableStart(code, 2, slots, arrays);
  native.functionDispose(code);
  arrays.length = 0;
  global.gc?.();
  assert.equal(await promise, 0);
  assert.equal(sumIn(slots), 100000);
  assert.equal(native.usage().runs, 0);
  assert.throws(() => native.tableStart(code, 1, slots, []), { code: 'ERR_STATE' });
  assert.throws(() => native.tableStart(compile(SUM), 1, slots, [/** @type {any} */ (1)]), { code: 'ERR_ARGUMENT' });
  assert.equal(native.usage().runs, 0);
});

test('a run on another thread is cancelled, and its arrays must stay', async () => {
  const run = native.tableStart(compile(ENDLESS), 1, new BigInt64Array(1), []);
  setTimeout(() => native.workCancel(run), 5);
  await assert.rejects(run.promise, { code: 'ERR_CANCELLED' });
  const moved = [new Float64Array(8), new BigInt64Array(4)];
  for (const taken of moved) {
    const slots = taken instanceof BigInt64Array ? taken : BigInt64Array.of(1n, 0n, 8n, 0n);
    const reading = native.tableStart(compile(SUM), 1, slots, [new Float64Array(1), taken]);
    structuredClone(taken.buffer, { transfer: [taken.buffer] });
    await assert.rejects(reading.promise, { code: 'ERR_STATE' });
  }
});

// Words of the rows with 2 < x < 6, of slot 0 rows; slot 1 says whether the first 64 bytes of x are text.
const KERNEL = `module "k" {
  library "utf8_valid" func valid(bytes: i64, length: i64) -> i64
  entry func main() -> i32 {
    if (cancelled) {
      return 1:i32
    }
    let slots: i64* = buffer<0, i64>
    let x: f64* = pointer<f64>(buffer<1, i64>[0])
    let words: u64* = pointer<u64>(buffer<1, i64>[1])
    for i = 0 to slots[0] step 64 {
      let w: u64 = 0:u64
      for j = 0 to 64 step 4 unroll {
        let v: f64<4> = offset(x, i)[j:4]
        w = or(w, shl(bits(and(gt(v, splat<4>(2:f64)), lt(v, splat<4>(6:f64)))), convert<u64>(j)))
      }
      words[div(i, 64)] = w
    }
    slots[1] = call valid(buffer<1, i64>[0], 64)
    return 0:i32
  }
}`;

const rows = Float64Array.from({ length: 640 }, (_, i) => (i % 3 === 1 ? NaN : i % 8));
const expectedWords = Array.from({ length: 10 }, (_, i) => {
  const bits = [...rows.subarray(64 * i, 64 * i + 64)].map((v) => (v > 2 && v < 6 ? '1' : '0'));
  return BigInt(`0b${bits.reverse().join('')}`);
});

test('a kernel in vectors gives the same words by quick code and by better code', () => {
  for (const tier of [1, 0]) {
    const code = native.functionCompile(KERNEL, 0, 3, false, tier);
    assert.equal(native.functionStats(code).tier, tier ? 'quick' : 'full');
    const words = new BigUint64Array(10);
    const slots = BigInt64Array.of(640n, -1n);
    assert.equal(native.tableRun(code, 1, slots, [rows, words]), 0);
    assert.deepEqual([...words], expectedWords);
    assert.equal(slots[1], 0n);
  }
});

test('the same kernel as a module of WebAssembly imports nothing and takes addresses of i64', () => {
  for (const variant of [0, 1, 2]) {
    const module = new WebAssembly.Module(native.wasmFunction(KERNEL, 0, 2, variant, false, '', '{}'));
    assert.deepEqual(WebAssembly.Module.imports(module), []);
    const { memory, __heap_base: base, run } = /** @type {any} */ (new WebAssembly.Instance(module).exports);
    memory.grow(1);
    const top = Math.ceil(base.value / 64) * 64;
    const [slots, addresses, buffers, exec, x, words] = [0, 64, 128, 192, 256, 256 + rows.byteLength].map((at) => top + at);
    new BigInt64Array(memory.buffer, slots, 2).set([640n, -1n]);
    // What is above 32 bits of an address counts for nothing.
    new BigInt64Array(memory.buffer, addresses, 2).set([BigInt(x) | (7n << 32n), BigInt(words)]);
    new Uint32Array(memory.buffer, buffers, 2).set([slots, addresses]);
    new Float64Array(memory.buffer, x, 640).set(rows);
    assert.equal(run(buffers, 0, exec), 0);
    assert.deepEqual([...new BigUint64Array(memory.buffer, words, 10)], expectedWords);
    assert.equal(new BigInt64Array(memory.buffer, slots, 2)[1], 0n);
  }
});
