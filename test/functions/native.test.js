/**
 * native(): how functions are given, typed, called, kept and freed. What the language means is tested elsewhere
 * (test/functions); here are arguments and results of each kind, signatures, errors, caches and threads.
 */
'use strict';

require('../support/verify.js');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const { Worker } = require('node:worker_threads');
const { GraphError, native, prange, tensor } = require('graphjit');
const addon = require('../../lib/base/binding.js').native;

/** @type {(x: Float64Array) => number} */
const sum = (x) => {
  let s = 0;
  for (let i = 0; i < x.length; i++) s += x[i];
  return s;
};

// --- types from arguments ---

test('a function is compiled for the types of its arguments, once for each list of them', () => {
  const add = native((/** @type {any} */ a, /** @type {any} */ b) => a + b);
  assert.deepEqual(add.signatures, []);
  assert.equal(add(1, 2.5), 3.5);
  assert.equal(add(3, 4), 7);
  assert.equal(add(2n, 5n), 7n);
  assert.equal(add(0.5, 1), 1.5);
  assert.deepEqual(add.signatures, ['f64(f64, f64)', 'i64(i64, i64)']);
});

test('every class of typed array has elements of its own', () => {
  for (const Class of [
    Float64Array, Float32Array, Int32Array, Uint32Array, Int16Array, Uint16Array, Int8Array, Uint8Array, Uint8ClampedArray,
  ]) {
    const increment = native((/** @type {any} */ x) => {
      for (let i = 0; i < x.length; i++) x[i] = x[i] + 200;
      return x[0];
    });
    const [own, expected] = [Class.of(1, 100, 3), Class.of(1, 100, 3).map((each) => each + 200)];
    assert.equal(increment(own), expected[0], Class.name);
    assert.deepEqual(own, expected, Class.name);
  }
  for (const Class of [BigInt64Array, BigUint64Array]) {
    const first = native((/** @type {any} */ x) => x[0] + 1n);
    assert.equal(first(Class.of(5n)), 6n);
  }
});

test('plain arrays of numbers are copied in, and back where they are written', () => {
  const twice = native((/** @type {number[]} */ x) => {
    for (let i = 0; i < x.length; i++) x[i] *= 2;
    return x;
  });
  const list = [1, 2.5, -3];
  assert.equal(twice(list), list);
  assert.deepEqual(list, [2, 5, -6]);
  const frozen = Object.freeze([1, 2]);
  assert.equal(native((/** @type {readonly number[]} */ x) => x[0] + x[1])(frozen), 3);
});

test('Tensors are read and written by an index for each axis', () => {
  const matrix = tensor([[1, 2, 3], [4, 5, 6]]);
  const at = native((/** @type {any} */ m, /** @type {number} */ i, /** @type {number} */ j) => m.at(i, j));
  const outcome = (/** @type {() => unknown} */ run) => {
    try {
      return run();
    } catch (error) {
      return /** @type {any} */ (error).name;
    }
  };
  for (const view of [matrix, matrix.T, matrix.slice([0, 2], [1, 3]), tensor([[7, 8], [9, 10]], { dtype: 'i16' })]) {
    for (let i = -4; i < 4; i++) {
      for (const j of [-3, -1, 0, 1, 2, 0.5]) {
        const expected = outcome(() => view.at(i, j));
        const found = outcome(() => at(view, i, j));
        assert.equal(found, typeof expected === 'string' ? 'RangeError' : expected, `${i}, ${j} of ${view.shape}`);
      }
    }
  }
  const trace = native((/** @type {any} */ m) => {
    let s = 0;
    for (let i = 0; i < Math.min(m.shape[0], m.shape[1]); i++) s += m.at(i, i);
    m.set([0, 1], s);
    return s + m.rank * 100 + m.size * 1000;
  }, { params: ['Tensor<f64, 2>'] });
  assert.equal(trace(matrix), 6206);
  assert.equal(matrix.at(0, 1), 6);
  const corner = native((/** @type {any} */ t) => t.at(-1, 0, 1) * 10 + t.shape[2]);
  assert.equal(corner(tensor([[[1, 2]], [[3, 4]]], { dtype: 'f32' })), 42);
  assert.equal(native((/** @type {any} */ v) => v.at(-1))(tensor([1, 2, 5])), 5);
  assert.throws(() => native((/** @type {any} */ m) => m.at(1))(matrix), /1 indices for a Tensor of rank 2/);
});

test('one plain array for two parameters is one array', () => {
  const shift = native((/** @type {number[]} */ z, /** @type {number[]} */ x) => {
    for (let i = 1; i < x.length; i++) z[i] = x[i - 1] + 1;
  });
  const list = [1, 0, 0, 0];
  shift(list, list);
  assert.deepEqual(list, [1, 2, 3, 4]);
});

test('an empty array for two parameters is one array', async () => {
  const read = native('(a, b) => a === b');
  const written = native('(a, b) => { a[0] = 1; return a === b; }');
  const [empty, list] = [new Float64Array(0), new Float64Array(1)];
  for (const [a, b] of [[empty, empty], [empty, new Float64Array(0)], [list.subarray(1), list.subarray(1)], [list, list.subarray(1)]]) {
    assert.deepEqual([read(a, b), written(a, b), await written.runAsync([a, b])], [a === b, a === b, a === b]);
  }
});

test('objects and tuples are taken apart', () => {
  const dot = native((/** @type {any} */ a, /** @type {any} */ b) => a.x * b.x + a.y * b.y);
  assert.equal(dot({ x: 1, y: 2 }, { x: 3, y: 4 }), 11);
  assert.equal(dot({ x: 2, y: 2 }, { x: 3, y: 4 }), 14);
  const mixed = native((/** @type {any} */ [flag, big, { data }]) => (flag ? Number(big) : data[0]));
  assert.equal(mixed([true, 5n, { data: Float64Array.of(7) }]), 5);
  assert.equal(mixed([false, 5n, { data: Float64Array.of(7) }]), 7);
});

test('fields that a function sets are set, and an object that it returns is that very object', () => {
  const scale = native((/** @type {any} */ v, /** @type {number} */ k) => {
    v.x *= k;
    if (k > 2) v.inner.y = v.x;
    return v;
  });
  for (const k of [2, 3]) {
    const v = { x: 2, inner: { y: 1, z: 0 } };
    assert.equal(scale(v, k), v);
    assert.deepEqual(v, { x: 2 * k, inner: { y: k > 2 ? 2 * k : 1, z: 0 } });
  }
  const step = native((/** @type {any} */ body, /** @type {number} */ n) => {
    for (let i = 0; i < n; i++) {
      body.v = body.v * 0.5;
      body.x += body.v;
      if (body.x > 100) break;
    }
  });
  const body = { x: 0, v: 8, name: 'b' };
  step(body, 3);
  assert.deepEqual(body, { x: 7, v: 1, name: 'b' });
  const swap = native((/** @type {any} */ pair) => {
    [pair[0], pair[1]] = [pair[1], pair[0]];
  }, { params: [['f64', 'f64']] });
  const pair = [1, 2];
  swap(pair);
  assert.deepEqual(pair, [2, 1]);
  const both = native((/** @type {any} */ a, /** @type {any} */ b) => {
    a.x = b.x + 1;
  });
  const one = { x: 1 };
  assert.throws(() => both(one, one), { code: 'ERR_UNSUPPORTED', message: /given twice/ });
  assert.equal(native((/** @type {any} */ p) => p.x)(Object.freeze({ x: 4 })), 4);
  const state = { x: 1 };
  assert.throws(() => native('() => { state.x = 2; }', { capture: { state } })(), { code: 'ERR_UNSUPPORTED', message: /captured object/ });
});

test('an object with other fields, or of another class, is of another type', () => {
  const area = native((/** @type {any} */ box) => box.w * (box.h ?? 1));
  assert.equal(area({ w: 3 }), 3);
  assert.equal(area({ w: 3, h: 2 }), 6);
  assert.equal(area({ w: 5 }), 5);
  class Square {
    /** @param {number} side */
    constructor(side) {
      this.side = side;
    }

    get area() {
      return this.side ** 2;
    }

    scaled(/** @type {number} */ k) {
      return new Square(k * this.side);
    }
  }
  Object.assign(Square.prototype, { isSquare: true });
  const side = native((/** @type {any} */ s) => (s.isSquare ? s.side : -1));
  assert.equal(side(new Square(4)), 4);
  assert.equal(side({ side: 4 }), -1);
  assert.equal(side(new Square(5)), 5);
  assert.throws(() => native((/** @type {any} */ s) => s.area + 1)(new Square(2)), { code: 'ERR_UNSUPPORTED' });
});

test('missing arguments are undefined, and others are ignored', () => {
  const scale = native((/** @type {number} */ x, k = 10) => x * k);
  assert.equal(scale(2), 20);
  assert.equal(scale(2, 3), 6);
  assert.equal(scale(2), 20);
  assert.equal(/** @type {any} */ (scale)(2, 3, 4), 6);
  const count = native((/** @type {number[]} */ ...rest) => rest.length);
  assert.deepEqual([count(), count(1), count(1, 2), count(7)], [0, 1, 2, 1]);
});

test('functions are known by their identity', () => {
  const twice = native((/** @type {any} */ f, /** @type {number} */ x) => f(f(x)));
  const increment = (/** @type {number} */ x) => x + 1;
  assert.equal(twice(increment, 1), 3);
  assert.equal(twice(Math.sqrt, 16), 2);
  assert.equal(twice(increment, 5), 7);
  assert.equal(twice(native((/** @type {number} */ x) => x * 3), 1), 9);
});

test('what native code cannot take is refused with its place', () => {
  const first = native((/** @type {any} */ x) => x);
  const cases = [
    [Symbol('s'), /argument 1: native code takes no symbol/],
    [new DataView(new ArrayBuffer(8)), /takes no a DataView/],
    [new ArrayBuffer(8), /takes no an ArrayBuffer/],
    [Array.from({ length: 100 }, (_, i) => (i === 70 ? 'x' : i)), /expected an array of numbers, but element 70 is "x"/],
  ];
  for (const [value, message] of cases) assert.throws(() => first(value), { code: 'ERR_DTYPE', message });
  const cyclic = {};
  cyclic.self = cyclic;
  assert.throws(() => first(cyclic), { code: 'ERR_DTYPE', message: /contain themselves/ });
});

test('there is an end to lists of types', () => {
  const first = native((/** @type {any} */ object) => object.k);
  const call = (/** @type {number} */ i) => first({ k: 1, [`field${i}`]: 1 });
  for (let i = 0; i < 256; i++) call(i);
  assert.throws(() => call(256), { code: 'ERR_UNSUPPORTED', message: /256 lists of argument types/ });
  assert.equal(call(3), 1);
});

// --- results ---

test('results are numbers, booleans, bigints, undefined, null, arrays and objects of these', () => {
  assert.equal(native((/** @type {number} */ a) => a > 1)(2), true);
  assert.equal(native((/** @type {number} */ a) => void a)(2), undefined);
  const nothing = native((/** @type {number} */ a) => (a > 100 ? null : null));
  assert.equal(nothing(1), null);
  assert.equal(nothing(2), null);
  const maybe = native((/** @type {number} */ a) => (a > 0 ? a : undefined));
  assert.deepEqual([maybe(1), maybe(-1)], [1, undefined]);
  const either = native((/** @type {number} */ a) => (a > 0 ? a : null));
  assert.deepEqual([either(1), either(-1), either(-2), either(0.5)], [1, null, null, 0.5]);
  const many = native((/** @type {number} */ a) => ({ pair: [a, a > 1], big: 5n, inner: { none: null } }));
  assert.deepEqual(many(2), { pair: [2, true], big: 5n, inner: { none: null } });
});

test('arrays that a function makes are fresh typed arrays, of any size', () => {
  const range = native((/** @type {number} */ n) => {
    const a = new Float64Array(n);
    for (let i = 0; i < n; i++) a[i] = i;
    return a;
  });
  for (const n of [0, 1, 1000, 200000]) {
    const own = range(n);
    assert.ok(own instanceof Float64Array);
    assert.deepEqual([own.length, own[n - 1]], [n, n === 0 ? undefined : n - 1]);
    assert.notEqual(range(n).buffer, own.buffer);
  }
});

test('an array too large to be copied is handed over', () => {
  const make = native((/** @type {number} */ n) => {
    const a = new Uint8Array(n);
    a[n - 1] = 7;
    return [a, a.subarray(n - 2)];
  });
  const [whole, end] = make(2 ** 28);
  assert.deepEqual([whole.length, whole[2 ** 28 - 1], end[1]], [2 ** 28, 7, 7]);
  assert.equal(end.buffer, whole.buffer);
});

test('an argument that is returned is that very array, a part of it a view', () => {
  const same = native((/** @type {Float64Array} */ a, /** @type {Float64Array} */ b) => b);
  const tail = native((/** @type {Float64Array} */ a) => a.subarray(1));
  const [a, b] = [Float64Array.of(1, 2, 3), Float64Array.of(4)];
  assert.equal(same(a, b), b);
  const view = tail(a);
  assert.deepEqual([view.buffer, view.byteOffset, view.length], [a.buffer, 8, 2]);
  const shared = new Float64Array(new SharedArrayBuffer(32)).fill(3);
  assert.equal(tail(shared).buffer, shared.buffer);
  const either = native((/** @type {Float64Array} */ x, /** @type {Float64Array} */ y, /** @type {boolean} */ first) => (first ? x : y));
  const [x, y] = [new Float64Array(0), new Float64Array(0)];
  assert.equal(either(x, y, true), x);
  assert.equal(either(x, y, false), y);
});

// --- signatures ---

test('with a signature a function is compiled at once, and takes nothing else', () => {
  const total = native(sum, { params: ['f64[]'], returns: 'f64' });
  assert.deepEqual(total.signatures, ['f64(f64[])']);
  assert.equal(total(Float64Array.of(1, 2)), 3);
  assert.throws(() => total(/** @type {any} */ ([1])), {
    code: 'ERR_DTYPE',
    message: /sum: expected f64\[\] for argument 1, got \[1\]/,
  });
  assert.throws(() => total(/** @type {any} */ (new Float32Array(1))), { code: 'ERR_DTYPE' });
  const clamp = native((/** @type {number} */ a) => a, 'f64(u8)');
  assert.equal(clamp(255), 255);
  for (const wrong of [256, -1, 0.5, NaN]) assert.throws(() => clamp(wrong), { code: 'ERR_DTYPE', message: /expected u8/ });
  const big = native((/** @type {bigint} */ a) => a, 'i64(i64)');
  assert.throws(() => big(2n ** 63n), { code: 'ERR_DTYPE' });
});

test('a signature is an object or a text, with options behind it or none', () => {
  const scale = (/** @type {any} */ x, /** @type {number} */ k) => x[0] * k;
  for (const made of [
    native(scale, 'f64(f64[], i32)'),
    native(scale, '(f64[], i32)'),
    native(scale, { params: ['f64[]', 'i32'] }),
    native(scale, { params: ['Float64Array', 'i32'], returns: 'f64' }, { optLevel: 1 }),
    native(scale, { params: ['f64[]', 'i32'], optLevel: 1 }),
  ]) {
    assert.deepEqual(made.signatures, ['f64(f64[], i32)']);
    assert.equal(made(Float64Array.of(2), 3), 6);
  }
  const objects = native((/** @type {any} */ p, /** @type {any} */ t) => p.x + t[1], { params: [{ x: 'f64' }, ['f64', 'f64']] });
  assert.equal(objects({ x: 1 }, [2, 3]), 4);
  const three = native((/** @type {any} */ v) => v[0] + v[2], 'f64(number[3])');
  assert.equal(three([1, 2, 3]), 4);
  assert.throws(() => three([1, 2]), { code: 'ERR_DTYPE', message: /number\[3\]/ });
  const optional = native((/** @type {number} */ a, b = 2) => a + b, 'f64(f64, f64?)');
  assert.deepEqual([optional(1), optional(1, 5)], [3, 6]);
});

test('what a signature says of the result is checked', () => {
  const pair = (/** @type {number} */ a) => ({ a, flags: [a > 0] });
  assert.deepEqual(native(pair, { params: ['f64'], returns: { flags: ['bool'], a: 'f64' } })(1), { a: 1, flags: [true] });
  for (const [fn, returns] of /** @type {[Function, any][]} */ ([
    [pair, 'f64'],
    [pair, { a: 'f64' }],
    [pair, { a: 'f64', flags: ['f64'] }],
    [(/** @type {number} */ a) => a, 'bool'],
    [(/** @type {number} */ a) => new Float32Array(a), 'f64[]'],
    [(/** @type {number} */ a) => BigInt(Math.floor(a)), 'f64'],
  ])) {
    const message = /the signature says that it returns/;
    assert.throws(() => native(/** @type {any} */ (fn), { params: ['f64'], returns }), { code: 'ERR_DTYPE', message });
  }
  assert.equal(native((/** @type {number} */ a) => a | 0, 'f64(f64)')(2.5), 2);
  assert.equal(native(() => {}, 'void()')(), undefined);
});

test('a signature that is none is refused with what is known', () => {
  const one = (/** @type {any} */ a) => a;
  const cases = [
    ['f63(f64)', /there is no type 'f63' \(did you mean 'f64'\?\), known types are f64, f32/],
    ['f64(f64', /expected '\)' at its end/],
    ['', /ends where a type should stand/],
    [{ params: 'f64' }, /expected an array of types for 'params'/],
    [{ params: [5] }, /param 1 of the signature: expected a type such as/],
    [{ params: ['f64', 'f64'] }, /the function has 1 parameters, the signature 2/],
    [{ returns: 'f64' }, /a signature has 'params' too/],
    [{ params: ['f64'], bound: 'check' }, /unknown option 'bound' \(did you mean 'bounds'\?\)/],
    [5, /expected an object or a text for the signature, got 5/],
  ];
  for (const [signature, message] of cases) {
    assert.throws(() => native(one, /** @type {any} */ (signature)), { code: 'ERR_ARGUMENT', message }, String(message));
  }
  assert.throws(() => native(one, 'f64(f64)', /** @type {any} */ ({ bounds: 'never' })), { code: 'ERR_ARGUMENT' });
  assert.throws(() => native(/** @type {any} */ (5)), { code: 'ERR_ARGUMENT' });
});

/**
 * @param {Float64Array} x
 * @param {number} [k]
 */
function documented(x, k = 2) {
  return x[0] * k;
}

test('comments give types, inside of the text and in front of it', () => {
  const outside = native(documented);
  assert.deepEqual(outside.signatures, ['f64(f64[], f64)']);
  assert.deepEqual([outside(Float64Array.of(3)), outside(Float64Array.of(3), 4)], [6, 12]);
  assert.equal(outside(/** @type {any} */ (Int32Array.of(5)), 1), 5, 'comments bind nobody');
  const inside = native('function f(/** @type {Int32Array} */ a, /** number */ b) { return a[0] + b; }');
  assert.deepEqual(inside.signatures, ['f64(i32[], f64)']);
  const fields = native(`function f(p) {
    /** @param {object} p @param {number} p.x @param {number} p.y */
    return p.x * p.y;
  }`);
  assert.deepEqual(fields.signatures, ['f64({ x: f64, y: f64 })']);
  for (const vague of ['{ArrayLike<number>} a', '{number|string} a', '{Whatever} a', '{{x: number} a', 'a the thing']) {
    assert.deepEqual(native(`function f(a) { /** @param ${vague} */ return 1; }`).signatures, [], vague);
  }
});

test('a function may be given as a text, and by any syntax', () => {
  assert.equal(native('(a, b) => a * b')(2, 3), 6);
  assert.equal(native('function twice(a) { return 2 * a; }').name, 'twice');
  const { method } = { method(/** @type {number} */ a) { return a + 1; } };
  assert.equal(native(method)(1), 2);
  class Private { static #twice(/** @type {number} */ a) { return a * 2; } static twice = Private.#twice; }
  assert.equal(native(Private.twice)(4), 8);
  assert.throws(() => native('(a, b => a'), { code: 'ERR_PARSE' });
  assert.equal(native(native('(a) => a + k', { capture: { k: 5 } }), 'f64(f64)')(1), 6);
  assert.throws(() => native(Math.max), { code: 'ERR_UNSUPPORTED', message: /has no source/ });
});

// --- captures ---

test('captured arrays are seen as they are at each call, other values as they were', () => {
  const table = Float64Array.of(1, 2);
  const capture = { table, k: 10, pair: [5, 6], name: { x: 7 }, double: (/** @type {number} */ x) => 2 * x };
  const look = native('(i) => double(table[i]) * k + pair[1] + name.x', { capture });
  assert.equal(look(1), 53);
  table[1] = 3;
  capture.k = 0;
  assert.equal(look(1), 73);
  assert.throws(() => native('(a) => a + unknown'), { code: 'ERR_UNSUPPORTED', message: /capture: \{ unknown \}/ });
});

// --- arrays that overlap ---

test('arrays that overlap are computed as in JavaScript', () => {
  const source = (/** @type {Float64Array} */ z, /** @type {Float64Array} */ x) => {
    for (let i = 0; i < x.length; i++) z[i] = x[i] * 2;
  };
  const made = native(source);
  const [own, expected] = [new Float64Array(100), new Float64Array(100)].map((array) => array.map((_, i) => i + 1));
  made(own.subarray(0, 50), own.subarray(50));
  source(expected.subarray(0, 50), expected.subarray(50));
  assert.deepEqual(own, expected);
  made(own.subarray(1), own.subarray(0, 99));
  source(expected.subarray(1), expected.subarray(0, 99));
  assert.deepEqual(own, expected);
  made(own, Float64Array.of(1));
  assert.equal(own[0], 2);
});

test('independent loops divide arrays that do not overlap, and leave others alone', () => {
  const source = (/** @type {Float64Array} */ z, /** @type {Float64Array} */ x, /** @type {number} */ k) => {
    for (let i = 0; i < x.length; i++) z[i] = Math.sqrt(x[i]) + k;
  };
  const made = native(source, { threads: 2 });
  const [own, expected] = [0, 1].map(() => new Float64Array(20001).map((_, i) => i));
  for (const [array, run] of /** @type {[Float64Array, Function][]} */ ([[own, made], [expected, source]])) {
    run(array.subarray(0, 10000), array.subarray(10001), 3);
    run(array.subarray(1), array.subarray(0, 20000), 0.5);
  }
  assert.deepEqual(own, expected);
});

// --- errors of runs ---

test('what is thrown has class, message and place', () => {
  const check = native(function check(/** @type {number} */ n, /** @type {bigint} */ b) {
    if (n < 0) throw new RangeError(`negative: ${n}, ${b}`);
    if (n > 10) throw new TypeError('too large');
    return n;
  });
  assert.equal(check(1, 1n), 1);
  assert.throws(
    () => check(-0.5, 2n ** 62n),
    (/** @type {any} */ error) => {
      assert.ok(error instanceof RangeError);
      assert.equal(error.message, `negative: -0.5, ${2n ** 62n}`);
      const lines = fs.readFileSync(__filename, 'utf8').split('\n');
      const [, line] = /at check \(.*native\.test\.js:(\d+):\d+\)/.exec(String(error.stack).split('\n')[1]) ?? [];
      assert.match(lines[Number(line) - 1], /throw new RangeError/);
      assert.match(String(error.stack).split('\n')[2], /native\.test\.js/);
      return true;
    },
  );
  assert.throws(() => check(11, 0n), { name: 'TypeError', message: 'too large' });
  assert.equal(check(2, 0n), 2);
});

test('recursion without end is a RangeError', () => {
  const down = native(function down(/** @type {number} */ n) {
    return n < -1 ? 0 : down(n + 1) + 1;
  });
  for (let i = 0; i < 3; i++) assert.throws(() => down(0), { name: 'RangeError', message: /call stack/ });
});

test('an array for which there is no memory is a RangeError', () => {
  const make = native((/** @type {number} */ n) => new Float64Array(n).length);
  assert.equal(make(5), 5);
  assert.throws(() => make(2 ** 48), RangeError);
});

test('a detached array is refused', () => {
  const total = native(sum);
  const array = new Float64Array(3);
  total(array);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  assert.throws(() => total(array), { code: 'ERR_STATE', message: /detached/ });
});

// --- fallback ---

test('with fallback the function itself runs where it cannot be compiled, and says so once', async () => {
  /** @type {Error[]} */
  const warnings = [];
  const listen = (/** @type {Error} */ warning) => warnings.push(warning);
  process.on('warning', listen);
  const generator = function* generator(/** @type {number} */ a) {
    yield a;
  };
  const kept = native(generator, { fallback: true });
  assert.equal(kept, generator);
  assert.deepEqual([...kept(5)], [5]);
  assert.deepEqual(kept.signatures, []);
  assert.match(kept.explain(), /runs as JavaScript: .*generators are not supported/);
  const late = native((/** @type {any} */ a) => a.get('k'), { fallback: true });
  assert.equal(late(new Map([['k', 7]])), 7);
  assert.equal(late(new Map([['k', null]])), null);
  assert.equal(await late.runAsync([new Map([['k', 8]])]), 8);
  await new Promise(setImmediate);
  process.off('warning', listen);
  assert.equal(warnings.length, 2);
  assert.throws(() => native(generator), { code: 'ERR_UNSUPPORTED' });
  assert.throws(() => native(sum, /** @type {any} */ ('nonsense'), { fallback: true }), { code: 'ERR_ARGUMENT' });
});

// --- on other threads ---

test('runAsync compiles for what the code of calls before does not take', async () => {
  const at = native('(x, i) => x[i] * 2');
  const x = Float64Array.of(1, 2, 4);
  for (const [i, value] of [[2, 8], [0.5, NaN], [-0, 2], [1, 4], [2 ** 40, NaN]]) assert.equal(await at.runAsync([x, i]), value);
  assert.deepEqual(at.signatures, ['f64(f64[], smi)', 'f64(f64[], f64)']);
  await assert.rejects(native((/** @type {number} */ v) => v, '(u8)').runAsync([256]), { code: 'ERR_DTYPE', message: /expected u8 for argument 1, got 256/ });
});

test('runAsync gives what a call gives, and its errors', async () => {
  const total = native(sum);
  assert.equal(await total.runAsync([Float64Array.of(1, 2, 3)]), 6);
  const twice = native((/** @type {number[]} */ x) => {
    for (let i = 0; i < x.length; i++) x[i] *= 2;
    return { x };
  });
  const list = [1, 2];
  assert.deepEqual(await twice.runAsync([list]), { x: [2, 4] });
  assert.deepEqual(list, [2, 4]);
  const thrower = native((/** @type {number} */ n) => {
    if (n > 1) throw new TypeError(`no ${n}`);
    return n;
  });
  await assert.rejects(thrower.runAsync([2]), { name: 'TypeError', message: 'no 2' });
  await assert.rejects(total.runAsync(/** @type {any} */ (5)), { code: 'ERR_ARGUMENT' });
  await assert.rejects(total.runAsync([Float64Array.of(1)], /** @type {any} */ ({ sign: 1 })), { code: 'ERR_ARGUMENT' });
});

test('a run is aborted', async () => {
  const endless = native((/** @type {number} */ n) => {
    let s = 0;
    for (let i = 0; i < n; i++) s = (s * 3 + i) % 1000003;
    return s;
  });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 10);
  await assert.rejects(endless.runAsync([1e15], { signal: controller.signal }), { name: 'AbortError' });
  await assert.rejects(endless.runAsync([1], { signal: controller.signal }), { name: 'AbortError' });
  assert.equal(await endless.runAsync([3]), endless(3));
  assert.equal(addon.usage().runs, 0);
});

test('worker threads compile and call the same function', async () => {
  const code = `
    const { native } = require('graphjit');
    const { parentPort } = require('node:worker_threads');
    const f = native((x) => { let s = 0; for (let i = 0; i < x.length; i++) s += x[i]; return s; });
    let s = 0;
    for (let k = 0; k < 1000; k++) s += f(Float64Array.of(k, 1));
    parentPort.postMessage(s);`;
  const results = [0, 1, 2].map(() => {
    const worker = new Worker(code, { eval: true });
    return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  });
  assert.deepEqual(await Promise.all(results), [500500, 500500, 500500]);
});

// --- caches and memory ---

test('a disposed function frees its code, and can be called no more', () => {
  const { functions } = addon.usage();
  const made = native((/** @type {any} */ a, /** @type {any} */ b) => a + b);
  made(1, 2);
  made(1n, 2n);
  assert.equal(addon.usage().functions, functions + 2);
  made.dispose();
  made.dispose();
  assert.equal(addon.usage().functions, functions);
  assert.throws(() => made(1, 2), { code: 'ERR_STATE', message: /disposed/ });
});

test('functions that nobody holds are collected', async () => {
  const script = `const { native } = require(${JSON.stringify(path.join(__dirname, '..', '..'))});
    const { native: addon } = require(${JSON.stringify(path.join(__dirname, '../../lib/base/binding.js'))});
    (async () => {
      for (let i = 0; i < 30; i++) native('(a) => a + ' + i)(1);
      for (let i = 0; i < 20 && addon.usage().functions > 0; i++) {
        global.gc();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      console.log(addon.usage().functions);
    })();`;
  const left = Number(execFileSync(process.execPath, ['--expose-gc', '-e', script], { encoding: 'utf8' }));
  assert.ok(left <= 2, `${left} are left`);
});

// --- seeing ---

test('a native function shows what it has become', () => {
  const made = native(sum);
  assert.throws(() => made.loops(), { code: 'ERR_STATE', message: /nothing is compiled yet/ });
  assert.equal(String(made), 'native sum');
  made(Float64Array.of(1));
  assert.equal(String(made), 'native sum: f64(f64[])');
  assert.deepEqual([made.name, made.length], ['sum', 1]);
  assert.match(made.loops(), /^module/);
  assert.match(made.llvm(), /define/);
  assert.match(made.llvm({ optimized: true }), /define/);
  assert.match(made.asm(), /ret/);
  assert.ok(made.stats[0].total >= 0 && made.stats[0].codeBytes > 0);
  assert.throws(() => made.llvm(/** @type {any} */ ({ optimised: true })), { code: 'ERR_ARGUMENT' });
});

test('prange counts where nothing is compiled', () => {
  assert.deepEqual([...prange(3)], [0, 1, 2]);
  assert.deepEqual([...prange(2, 5)], [2, 3, 4]);
  assert.deepEqual([...prange(5, 2)], []);
  const fill = native((/** @type {Float64Array} */ z) => {
    for (const i of prange(1, z.length)) z[i] = 2 * i;
  });
  const z = new Float64Array(4);
  fill(z);
  assert.deepEqual([...z], [0, 2, 4, 6]);
});

test('errors are GraphErrors whose stack begins at the caller', () => {
  try {
    native(sum, /** @type {any} */ ('f6(f64[])'));
    assert.fail();
  } catch (error) {
    assert.ok(error instanceof GraphError);
    assert.match(String(error.stack).split('\n')[1], /native\.test\.js/);
  }
});
