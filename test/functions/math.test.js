// Elementary functions of native code against the Math of the engine that runs these tests, bit for bit.
//
// Node 20, 22 and 24 agree in all of them but pow, for which 24 asks the C library, and so does code for its process
// (src/jit/code/host_math_js.c). An engine that computes a function in another way fails the test of that function alone,
// which then says how many results differ and shows some.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const graphjit = require('graphjit');
const { native } = require('../../lib/base/binding.js');
const { Prelude } = require('../../lib/native/emit/prelude.js');
const { mathArguments, powerArguments } = require('../support/math-arguments.js');

const COUNT = 150000;

/** A function of arrays that does `value` for each element, as in "sin(x)". @type {(value: string, names: string[], prelude?: string) => (...arrays: Float64Array[]) => void} */
function elementwise(value, names, prelude = '') {
  const arrays = names.map((name, k) => `    let p_${name}: f64* = buffer<${k + 1}, f64>\n`).join('');
  const loads = names.map((name) => `      let ${name}: f64 = p_${name}[i]\n`).join('');
  const text = `module "math" {
${prelude}  entry func main() -> i32 {
${arrays}    let z: f64* = buffer<${names.length + 1}, f64>
    for i = 0 to dim<0> step 1 {
${loads}      z[i] = ${value}
    }
    return 0:i32
  }
}
`;
  const code = native.functionCompile(text, 0, 2, false);
  const call = native.functionCaller(code, undefined, `${'f64[] '.repeat(names.length)}f64[]! ->`, 1, new ArrayBuffer(8));
  return (...given) => assert.notEqual(call(...given), null);
}

/** @type {(title: string, args: Float64Array[], given: Float64Array, wanted: (...x: number[]) => number) => void} */
function compare(title, args, given, wanted) {
  const wrong = [];
  for (let i = 0; i < given.length; i++) {
    const at = args.map((x) => x[i]);
    const right = wanted(...at);
    if (!Object.is(given[i], right)) wrong.push(`${title}(${at.join(', ')}) is ${given[i]}, here ${right}`);
  }
  const version = `V8 ${process.versions.v8}`;
  assert.equal(wrong.length, 0, `${wrong.length} of ${given.length} differ from ${version}:\n${wrong.slice(0, 5).join('\n')}`);
}

const unary = 'acos acosh asin asinh atan atanh cbrt cos cosh exp expm1 log log10 log1p log2 sin sinh tan tanh'.split(' ');
unary.forEach((name, k) => {
  test(`${name} has the bits of Math.${name}`, () => {
    const x = mathArguments(COUNT, 100 + k);
    const z = new Float64Array(COUNT);
    elementwise(`${name}(x)`, ['x'])(x, z);
    compare(name, [x], z, /** @type {any} */ (Math)[name]);
  });
});

/** @type {[string, string, (x: number, y: number) => number][]} */
const binary = [
  ['atan2', 'Math.atan2', Math.atan2],
  ['hypot', 'Math.hypot', Math.hypot],
  ['rem', '%', (x, y) => x % y],
  ['min', 'Math.min', Math.min],
  ['max', 'Math.max', Math.max],
];
binary.forEach(([name, title, wanted], k) => {
  test(`${name} has the bits of ${title}`, () => {
    const x = mathArguments(COUNT, 200 + k);
    const y = mathArguments(COUNT, 300 + k);
    const z = new Float64Array(COUNT);
    elementwise(`${name}(x, y)`, ['x', 'y'])(x, y, z);
    compare(name, [x, y], z, wanted);
  });
});

test('pow has the bits of Math.pow', () => {
  const [x, y] = powerArguments(3 * COUNT, 400);
  const z = new Float64Array(x.length);
  elementwise('pow(x, y)', ['x', 'y'])(x, y, z);
  compare('pow', [x, y], z, Math.pow);
});

const exact = { sqrt: Math.sqrt, floor: Math.floor, ceil: Math.ceil, trunc: Math.trunc, abs: Math.abs, sign: Math.sign };
for (const [name, wanted] of Object.entries(exact)) {
  test(`${name} is Math.${name}`, () => {
    const x = mathArguments(COUNT, 500);
    const z = new Float64Array(COUNT);
    elementwise(`${name}(x)`, ['x'])(x, z);
    compare(name, [x], z, wanted);
  });
}

test("with numerics 'fast' an element has the same bits in a vector as in the rest of a loop", () => {
  const SIZE = 67;
  for (const name of [...unary, 'exp2', 'pow', 'atan2', 'hypot'].filter((each) => each in Math)) {
    const reference = /** @type {any} */ (Math)[name];
    const call = reference.length === 2 ? `Math.${name}(x[i], 1.7)` : `Math.${name}(x[i])`;
    const source = `(x, y) => { for (let i = 0; i < x.length; i++) y[i] = ${call}; }`;
    const fn = graphjit.native(source, { numerics: 'fast', bounds: 'unchecked' });
    const x = mathArguments(SIZE, 600);
    const [y, alone] = [new Float64Array(SIZE), new Float64Array(1)];
    fn(x, y);
    for (let i = 0; i < SIZE; i++) {
      fn(x.subarray(i, i + 1), alone);
      assert.ok(Object.is(alone[0], y[i]), `${name}(${x[i]}) is ${y[i]} in a vector and ${alone[0]} alone`);
      const right = reference.length === 2 ? reference(x[i], 1.7) : reference(x[i]);
      const isRight = Object.is(right, y[i]) || Math.abs(y[i] - right) <= 5 * 2 ** -52 * Math.abs(right) + 2 ** -1021;
      assert.ok(isRight, `${name}(${x[i]}) is ${y[i]}, not ${right}`);
    }
  }
});

test('the prelude rounds as Math.round does', () => {
  const prelude = new Prelude();
  const x = mathArguments(COUNT, 600);
  x.set([0.49999999999999994, -0.5, -0.49999999999999994, 0.5, 1.5, 2.5, -1.5, -2.5, 2 ** 52 - 0.5, 2 ** 52 + 1, 2 ** 53 - 1]);
  const z = new Float64Array(COUNT);
  const value = `call ${prelude.use('js_round')}(x)`;
  elementwise(value, ['x'], prelude.text())(x, z);
  compare('round', [x], z, Math.round);
});

test('the prelude has Math.hypot of any number of arguments', () => {
  for (const count of [3, 4, 7]) {
    const prelude = new Prelude();
    const names = Array.from({ length: count }, (_, k) => `x${k}`);
    const args = names.map((_, k) => mathArguments(COUNT / 5, 700 + k));
    const z = new Float64Array(COUNT / 5);
    const value = `call ${prelude.use(`js_hypot${count}`)}(${names.join(', ')})`;
    elementwise(value, names, prelude.text())(...args, z);
    compare('hypot', args, z, Math.hypot);
  }
});

test('the prelude knows no other names', () => {
  const prelude = new Prelude();
  for (const name of ['js_hypot', 'js_hypot2', 'js_hypot3x', 'hypot3', 'toString']) assert.ok(!prelude.has(name), name);
});
