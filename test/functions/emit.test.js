// TIR to Loop IR: programs written by hand do, compiled, what a slow evaluator of TIR does, in values, memory and errors.
'use strict';

const assert = require('node:assert');
const { test } = require('node:test');

const T = require('./support/tir.js');
const { emit } = require('../../lib/native/emit/index.js');
const { isModule, takesRun } = require('../../lib/native/emit/module.js');
const { evaluate } = require('./support/tir-evaluate.js');
const { runText } = require('./support/tir-run.js');

const { Builder, f64, get, give, i32, i64, load, local, make, op, set, store } = T;
const add = (a, b) => op('add', a, b);
const sub = (a, b) => op('sub', a, b);
const mul = (a, b) => op('mul', a, b);
const lt = (a, b) => op('lt', a, b);
const NAN = f64(NaN);
const SITES = 16;

/** Compiled code and the evaluator agree, for each list of arguments. */
function agrees(builder, cases, options = {}) {
  const { program } = builder;
  const { text } = emit(program, options);
  for (const given of cases) {
    const copies = [0, 1].map(() => given.map((arg) => (ArrayBuffer.isView(arg) ? arg.slice() : arg)));
    const want = evaluate(program, copies[0]);
    const got = runText(program, text, copies[1]);
    if ('site' in want) {
      assert.strictEqual(got.status, SITES + want.site);
      want.values.forEach((value, k) => assert.deepStrictEqual(got.slots(typeof value === 'bigint' ? 'i64' : 'f64', k), typeof value === 'bigint' ? value : Number(value)));
    } else {
      assert.strictEqual(got.status, 0);
      assert.deepStrictEqual(got.results, want.results);
    }
    assert.deepStrictEqual(copies[1], copies[0]);
  }
  return text;
}

/** A function of scalars whose result is one expression. */
function expression(params, type, inside) {
  const b = new Builder();
  b.func('f', params, [type], (...locals) => [give(inside(...locals))]);
  return b;
}

test('a sum over an array counts in a for and reads without asking', () => {
  const b = new Builder('sum');
  b.func('sum', [['a', 'f64[]']], ['f64'], (a) => {
    const [s, i] = [local('s', 'f64'), local('i', 'i64')];
    return [make(s, f64(0)), ...b.count(i, i64(0), a.length, [set(s, add(get(s), load(a, get(i))))]), give(get(s))];
  });
  const text = agrees(b, [[Float64Array.of(1, 2.5, -4)], [new Float64Array(0)]], { noalias: true });
  assert.match(text, /for i_2 = i to a_length_ step 1 at 1:1/u);
  assert.match(text, /func f_sum_\(a: f64\* noalias, a_length_: i64\) -> f64/u);
});

test('reads out of range give what is missing, writes out of range nothing', () => {
  const b = new Builder();
  b.func('f', [['a', 'f64[]'], ['i', 'i64'], ['whole', 'bool']], ['f64', 'f64'], (a, i, whole) => [
    store(a, add(get(i), i64(1)), f64(7)),
    store(a, get(i), f64(9), { valid: get(whole) }),
    give(load(a, get(i), NAN), load(a, sub(get(i), i64(1)), NAN, get(whole))),
  ]);
  const cases = [-(2n ** 63n), -2n, -1n, 0n, 1n, 2n, 3n, 2n ** 62n].flatMap((i) => [true, false].map((whole) => [Float64Array.of(1, 2, 3), i, whole]));
  agrees(b, cases);
});

test('elements of all kinds are read and written', () => {
  for (const dtype of ['f64', 'f32', 'i64', 'u64', 'i32', 'u32', 'i16', 'u16', 'i8', 'u8']) {
    const b = new Builder();
    const scalar = dtype.length < 3 || dtype.endsWith('16') ? 'i32' : dtype;
    b.func('f', [['a', `${dtype}[]`], ['x', scalar]], [scalar], (a, x) => [store(a, i64(1), get(x)), give(load(a, i64(1)))]);
    const values = { f64: [0.1], f32: [Math.fround(0.1)], i64: [-5n], u64: [2n ** 64n - 1n], u32: [2 ** 32 - 1] }[dtype] ?? [-1, 70000, 200];
    const array = { f64: Float64Array, f32: Float32Array, i64: BigInt64Array, u64: BigUint64Array, i32: Int32Array, u32: Uint32Array, i16: Int16Array, u16: Uint16Array, i8: Int8Array, u8: Uint8Array }[dtype];
    agrees(b, values.map((value) => [new array(3), value]));
  }
});

test('operators are those of Loop IR, conversions explicit', () => {
  const numbers = [0, -0, 1.5, -2.5, NaN, Infinity, -Infinity, 2 ** 31, 2 ** 32 + 5, -(2 ** 63), 1e300];
  for (const type of ['i32', 'u32', 'i64', 'u64']) agrees(expression([['x', 'f64']], type, (x) => T.wrap(type, get(x))), numbers.map((x) => [x]));
  agrees(expression([['x', 'f64']], 'i64', (x) => T.bits('i64', get(x))), [[-0], [1.5]]);
  agrees(expression([['x', 'f64']], 'f64', (x) => T.to('f64', T.to('f32', get(x)))), [[0.1], [1e300]]);
  agrees(expression([['x', 'f64']], 'f64', (x) => op('js_round', get(x))), [...numbers, 0.49999999999999994, -0.3, -0.5, 4503599627370495.5].map((x) => [x]));
  for (const what of ['add', 'sub', 'mul']) {
    const cases = [[2n ** 62n, 2n ** 62n], [1n, 2n], [-(2n ** 63n), -1n], [-(2n ** 63n), 1n]];
    agrees(expression([['x', 'i64'], ['y', 'i64']], 'bool', (x, y) => T.overflows(what, get(x), get(y))), cases);
  }
});

test('of a choice only what was chosen is evaluated', () => {
  const b = new Builder();
  b.func('f', [['a', 'f64[]'], ['i', 'i64']], ['f64', 'bool', 'bool', 'f64'], (a, i) => {
    const inside = T.andalso(op('ge', get(i), i64(0)), lt(get(i), a.length));
    const positive = op('gt', load(a, get(i)), f64(1));
    return [
      give(
        T.choose(inside, add(load(a, get(i)), f64(1)), f64(-1)),
        T.andalso(inside, positive),
        T.orelse(op('not', inside), positive),
        T.choose(lt(get(i), i64(2)), f64(2), f64(3)),
      ),
    ];
  });
  agrees(b, [-1n, 0n, 1n, 2n, 100n].map((i) => [Float64Array.of(0.5, 4), i]));
});

test('deep expressions are divided', () => {
  const b = expression([['x', 'f64']], 'f64', (x) => Array.from({ length: 1000 }, (_, k) => f64(k)).reduce((sum, k) => add(sum, k), get(x)));
  agrees(b, [[0.5]]);
});

test('names need not be names of Loop IR', () => {
  const b = new Builder('für "alle"');
  b.func('let', [['for', 'f64'], ['f64', 'f64'], ['$x', 'f64'], ['größe', 'f64']], ['f64'], (a, b2, c, d) => [
    give([a, b2, c, d].map(get).reduce((x, y) => add(x, y))),
  ]);
  agrees(b, [[1, 2, 3, 4]]);
});

test('loops count with any step, to bounds that belong and with counters of 32 bits', () => {
  for (const [compare, type, step] of [['lt', 'i64', 1], ['lt', 'i64', 3], ['le', 'i64', 1], ['lt', 'i32', 1], ['le', 'i32', 2], ['gt', 'i64', -1], ['ge', 'i32', -2], ['ne', 'i64', 1]]) {
    const b = new Builder();
    const one = type === 'i64' ? i64 : i32;
    b.func('f', [['lo', type], ['hi', type]], [type, type], (lo, hi) => {
      const [i, s] = [local('i', type), local('s', type)];
      const bound = { ...get(hi), range: [-1000, 1000] };
      const body = [set(s, add(mul(get(s), one(3)), get(i)))];
      return [make(s, one(0)), make(i, get(lo)), b.loop(op(compare, get(i), bound), body, [set(i, add(get(i), one(step)))]), give(get(s), get(i))];
    });
    const pairs = compare === 'ne' ? [[0, 5], [3, 3]] : [[0, 5], [5, 0], [-3, 4], [7, 7]];
    agrees(b, pairs.map((pair) => pair.map(type === 'i64' ? BigInt : Number)));
  }
});

test('break, continue and labels go where they should', () => {
  const b = new Builder();
  b.func('f', [['n', 'i64']], ['i64', 'i64'], (n) => {
    const [i, j, s] = ['i', 'j', 's'].map((name) => local(name, 'i64'));
    const is = (x, k) => op('eq', get(x), i64(k));
    const note = (k) => set(s, add(mul(get(s), i64(3)), i64(k)));
    const outer = b.loop(lt(get(i), get(n)), [], [set(i, add(get(i), i64(1))), note(5)]);
    const inner = b.loop(lt(get(j), i64(6)), [], [set(j, add(get(j), i64(1)))]);
    inner.body = [
      T.when(is(j, 1), [T.next(inner)]),
      T.when(T.andalso(is(i, 2), is(j, 3)), [T.next(outer)]),
      T.when(T.andalso(is(i, 4), is(j, 2)), [T.leave(outer)]),
      T.when(is(j, 5), [T.leave(inner)], [note(1)]),
    ];
    outer.body = [make(j, i64(0)), inner, T.block((self) => [T.when(is(i, 1), [note(7), T.leave(self)]), note(2)])];
    return [make(s, i64(0)), make(i, i64(0)), outer, give(get(s), get(i))];
  });
  agrees(b, [0n, 1n, 2n, 3n, 4n, 5n, 9n].map((n) => [n]));
  agrees(b, [0n, 1n, 2n, 3n, 4n, 5n, 9n].map((n) => [n]), { poll: true });
});

test('do-while loops begin with the body, tests may need statements', () => {
  const b = new Builder();
  b.func('f', [['n', 'i64'], ['a', 'f64[]']], ['i64', 'i64'], (n, a) => {
    const [k, s, t, p] = ['k', 's', 't', 'p'].map((name) => local(name, 'i64'));
    const late = b.loop(lt(get(t), get(n)), (self) => [
      set(s, add(get(s), i64(2))),
      T.when(op('eq', get(s), i64(6)), [T.next(self)]),
      T.when(op('gt', get(s), i64(30)), [T.leave(self)]),
      set(s, add(get(s), i64(1))),
    ], [set(k, add(get(k), i64(1)))], { before: [set(t, mul(get(k), i64(2)))], late: true });
    const search = b.loop(op('ne', load(a, get(p), NAN), f64(3)), [T.when(op('gt', get(p), i64(9)), [T.leave(null)])], [set(p, add(get(p), i64(1)))]);
    search.body[0].then[0].target = search;
    return [make(s, i64(0)), make(k, i64(0)), make(t, i64(0)), late, make(p, i64(0)), search, give(add(get(s), get(k)), get(p))];
  });
  agrees(b, [[0n, Float64Array.of(1, 3)], [7n, Float64Array.of(1, 2)], [1000n, new Float64Array(0)]]);
});

test('what is thrown is a site and the values of its message', () => {
  const b = new Builder();
  const site = b.site('RangeError', 'x is ', null, ' not ', null);
  const other = b.site('Error', 'no');
  const main = b.func('f', [['x', 'f64'], ['k', 'i64']], ['f64'], () => [], { throws: true });
  const inner = b.func('inner', [], ['f64'], () => [], { throws: true });
  const [x, k] = [local('x', 'f64'), local('k', 'i64')];
  inner.params = [x, k];
  inner.body = [
    T.when(lt(get(x), f64(0)), [T.raise(site, get(x), get(k))]),
    T.when(op('gt', get(x), f64(10)), [T.raise(other)], [give(mul(get(x), f64(2)))]),
  ];
  const r = local('r', 'f64');
  main.body = [T.call(inner, main.params.map(get), [r]), give(add(get(r), f64(1)))];
  agrees(b, [[1, 2n], [-1.5, -(2n ** 63n)], [11, 0n]]);
});

test('functions give several results, call themselves and each other', () => {
  const b = new Builder();
  const main = b.func('f', [['n', 'i64']], ['i64', 'f64', 'bool'], () => [], { throws: true });
  const fib = b.func('fib', [], ['i64'], () => [], { throws: true, isRecursive: true });
  const two = b.func('two', [], ['f64', 'bool'], () => []);
  const [n, x, y, p, q] = ['n', 'x', 'y', 'p', 'q'].map((name) => local(name, 'i64'));
  fib.params = [n];
  fib.body = [
    T.when(lt(get(n), i64(2)), [give(get(n))]),
    T.call(fib, [sub(get(n), i64(1))], [x]),
    T.call(fib, [sub(get(n), i64(2))], [y]),
    give(add(get(x), get(y))),
  ];
  const z = local('z', 'i64');
  two.params = [z];
  two.body = [set(z, add(get(z), i64(1))), give(T.to('f64', get(z)), lt(get(z), i64(5)))];
  const [u, v] = [local('u', 'f64'), local('v', 'bool')];
  main.body = [T.call(fib, [get(main.params[0])], [p]), T.call(two, [get(p)], [u, v]), make(q, get(p)), give(get(q), get(u), get(v))];
  agrees(b, [[0n], [1n], [10n]]);
});

test('local arrays are zero, filled, copied over themselves and given back', () => {
  const b = new Builder();
  b.func('f', [['n', 'i64'], ['a', 'i16[]']], ['i32', 'i32'], (n, a) => {
    const [p, t, i, s] = [local('p', 'i16*'), local('t', 'i32*'), local('i', 'i64'), local('s', 'i32')];
    const heap = b.array(p, get(n));
    const small = b.array(t, i64(40), 'stack');
    const table = b.data('u8', [3, 1, 4, 1, 5]);
    const sum = (array) => set(s, add(mul(get(s), i32(31)), load(array, get(i), i32(-1))));
    return [
      make(s, i32(0)),
      ...b.count(i, i64(0), i64(5), () => [
        T.alloc(p, 'i16', get(n)),
        T.stack(t, 'i32', 40),
        sum(heap),
        sum(small),
        sum(table),
        T.fill(heap, get(s), i64(0), get(n)),
        T.copy(small, i64(2), table, i64(1), i64(4)),
        T.copy(heap, i64(0), a, i64(0), i64(3)),
        T.copy(heap, i64(1), heap, i64(0), i64(3)),
        T.copy(heap, i64(0), heap, i64(2), i64(2)),
        T.copy(T.part(heap, i64(2), i64(3)), i64(0), heap, i64(1), i64(2)),
        sum(heap),
        sum(small),
      ]),
      give(get(s), load(a, i64(0))),
    ];
  });
  agrees(b, [[5n, Int16Array.of(1, -2, 30000)], [9n, Int16Array.of(4, 5, 6)]]);
});

test('prange runs its rounds', () => {
  const b = new Builder();
  b.func('f', [['a', 'f64[]']], ['f64'], (a) => {
    const i = local('i', 'i64');
    return [b.prange(i, i64(0), a.length, (self) => [T.when(op('eq', get(i), i64(2)), [T.next(self)]), store(a, get(i), T.to('f64', get(i)))]), give(load(a, i64(1), NAN))];
  });
  agrees(b, [[new Float64Array(6)], [new Float64Array(0)]]);
});

/** What a module says of itself, as short as it can be told. */
const told = ({ name, params, returns, failures, needs }) => [
  `${name}(${params.map(({ role, dtype, isWritten }) => `${role}${isWritten ? '!' : ''} ${dtype}`).join(', ')}): ${returns ? `${returns.is} ${returns.dtype}` : 'nothing'}`,
  failures.map(({ status, reason, site }) => `${status} ${reason}${site === null ? '' : ` ${site}`}`).join(', '),
  Object.keys(needs).filter((key) => needs[key]).join(' '),
];

test('a module tells its signature, its failures and what it needs', () => {
  const sum = new Builder('sum');
  sum.func('sum', [['a', 'f64[]'], ['k', 'i64']], ['f64'], (a, k) => [store(a, get(k), f64(1)), give(load(a, get(k), NAN))]);
  const exported = { declared: ['f64[]', 'u32'], wholes: [false] };
  assert.deepEqual(told(emit(sum.program)), ['main(): status i32', '', '']);
  assert.deepEqual(told(emit(sum.program, { poll: true, exported })), ['F0(array! f64, length i64, scalar u32): value f64', '', '']);
  const narrow = emit(sum.program, { exported: { ...exported, gives: 'i32' } });
  assert.deepEqual(told(narrow)[0], 'F0(array! f64, length i64, scalar u32): value i32');
  assert.match(narrow.text, /return wrap<i32>\(value_?\)/u);
  const constants = [Float64Array.of(1)];
  const swapped = new Builder();
  swapped.func('f', [['k', 'i64'], ['a', 'f64[]']], ['f64'], (k, a) => [give(load(a, get(k), NAN))]);
  assert.deepEqual(told(emit(swapped.program, { constants, exported: { declared: ['i64'], wholes: [false] } })), ['F0(scalar i64): value f64', '', 'data']);
});

test('a module tells of all functions that are reached, and of no others', () => {
  const b = new Builder();
  const [m, r] = [local('m', 'i64'), local('r', 'i64')];
  const main = b.func('f', [['n', 'i64']], ['i64', 'i64'], () => [], { throws: true });
  const deep = b.func('deep', [], ['i64'], () => [], { throws: true, isRecursive: true });
  b.func('alone', [['n', 'i64']], ['i32'], (n) => {
    const p = local('p', 'i32*');
    return [T.alloc(p, 'i32', get(n)), give(i32(0))];
  });
  b.site('Error', 'no');
  b.site('RangeError', 'too much');
  deep.params = [m];
  deep.body = [T.when(lt(get(m), i64(0)), [T.raise(1)]), T.call(deep, [sub(get(m), i64(1))], [r]), give(get(r))];
  const s = local('s', 'i64');
  main.body = [T.call(deep, [get(main.params[0])], [s]), give(get(s), get(s))];
  const exported = { declared: ['i64'], wholes: [true, false] };
  const signature = 'F0(scalar i64, result! f64, result! i64): status i32';
  assert.deepEqual(told(emit(b.program, { exported })), [signature, '5 tooDeep, 17 threw 1', 'stack frame']);
  assert.deepEqual(told(emit(b.program, { exported, unlimited: true })), [signature, '17 threw 1', 'frame']);
  assert.deepEqual(told(emit(b.program)), ['main(): status i32', '5 tooDeep, 17 threw 1', 'stack frame']);
});

test('what is asked of the run is told, and a module that was kept is one again', () => {
  const b = new Builder();
  b.func('f', [['n', 'i64']], ['i32'], (n) => {
    const [p, i] = [local('p', 'i32*'), local('i', 'i64')];
    const heap = b.array(p, get(n));
    return [T.alloc(p, 'i32', get(n)), ...b.count(i, i64(0), get(n), [store(heap, get(i), i32(1))]), give(load(heap, i64(0), i32(-1)))];
  });
  const kept = JSON.parse(JSON.stringify(emit(b.program, { poll: true })));
  assert.deepEqual(told(kept), ['main(): status i32', '1 cancelled, 2 memory', 'heap cancel frame']);
  assert.ok(isModule(kept, 0) && takesRun(kept));
  const wrong = [
    null, 5, {}, { ...kept, text: 5 }, { ...kept, params: [{}] }, { ...kept, params: [{ ...kept.params[0], role: 'given' }] }, { ...kept, returns: { is: 'maybe', dtype: 'i32' } },
    { ...kept, returns: {} }, { ...kept, failures: {} }, { ...kept, failures: [{ status: 1, reason: 'memory', site: null }] }, { ...kept, failures: [{ status: 3, site: null }] },
    { ...kept, failures: [{ status: 16, reason: 'threw', site: 0 }] }, { ...kept, needs: {} }, { ...kept, needs: undefined },
  ];
  for (const each of wrong) assert.equal(isModule(each, 0), false, JSON.stringify(each));
  assert.ok(isModule({ ...kept, failures: [{ status: 16, reason: 'threw', site: 0 }] }, 1));
});
