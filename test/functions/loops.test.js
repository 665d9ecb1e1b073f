// What is done to loops of TIR: range checks move out of them, and programs still do what they did, whatever the lengths.
'use strict';

require('../support/verify.js');
const assert = require('node:assert');
const { test } = require('node:test');
const { compileMap, compileRanges, native } = require('graphjit');

const T = require('./support/tir.js');
const { emit } = require('../../lib/native/emit/index.js');
const { improveLoops, infer } = require('../../lib/native/pipeline.js');
const { build } = require('../../lib/native/build/index.js');
const { prange } = require('../../lib/native/source/prange.js');
const { evaluate } = require('./support/tir-evaluate.js');
const { runText } = require('./support/tir-run.js');

const { Builder, f64, get, give, i32, i64, load, local, make, op, set, store, when } = T;
const add = (a, b) => op('add', a, b);
const sub = (a, b) => op('sub', a, b);
const mul = (a, b) => op('mul', a, b);
const lt = (a, b) => op('lt', a, b);
const NAN = f64(NaN);

/** The program as it was and as it became agree on all cases; the text of what it became. */
function improved(builder, cases, options = {}) {
  const { program } = builder;
  const copies = () => cases.map((given) => given.map((arg) => (ArrayBuffer.isView(arg) ? arg.slice() : arg)));
  const [before, after] = [copies(), copies()];
  const want = before.map((given) => evaluate(program, given));
  const { text } = emit(improveLoops(program, options), options);
  after.forEach((given, i) => {
    const got = runText(program, text, given, options);
    if ('site' in want[i]) assert.strictEqual(got.status, 16 + want[i].site);
    else assert.deepStrictEqual(got.results, want[i].results);
  });
  assert.deepStrictEqual(after, before);
  return text;
}

const numbers = (count, from = 1) => Float64Array.from({ length: count }, (_, k) => from + k / 4);

/** How many checks are in the part of the text that runs where conditions hold, and behind it. */
function checksIn(text) {
  const count = (part) => (part.match(/if \(lt\(bitcast<u64>/gu) ?? []).length;
  const [fast, slow = ''] = text.slice(text.indexOf('in_range_)')).split('} else {');
  return [count(fast), count(slow)];
}

test('checks of a nest go out of it', () => {
  const b = new Builder('matmul');
  b.func('matmul', [['a', 'f64[]'], ['b', 'f64[]'], ['c', 'f64[]'], ['n', 'i64']], [], (a, x, c, n) => {
    const [i, j, k, s] = [...['i', 'j', 'k'].map((name) => local(name, 'i64')), local('s', 'f64')];
    const at = (p, q) => add(mul(get(p), get(n)), get(q));
    const product = mul(load(a, at(i, k), NAN), load(x, at(k, j), NAN));
    const inner = [make(s, f64(0)), ...b.count(k, i64(0), get(n), [set(s, add(get(s), product))]), store(c, at(i, j), get(s))];
    return [...b.count(i, i64(0), get(n), b.count(j, i64(0), get(n), inner)), give()];
  });
  const cases = [[3, 9, 9, 9], [3, 8, 9, 9], [3, 9, 9, 5], [0, 0, 0, 0], [-2, 1, 1, 1], [2 ** 40, 0, 0, 0]].slice(0, 5);
  const text = improved(b, cases.map(([n, ...lengths]) => [...lengths.map((length) => numbers(length)), BigInt(n)]));
  assert.deepStrictEqual(checksIn(text), [0, 3]);
  assert.deepStrictEqual(b.program.loops.at(-1).checks, { moved: 3, kept: [] });
});

test('a counter below the length of an array needs no check and no condition', () => {
  const b = new Builder();
  b.func('f', [['a', 'f64[]']], ['f64'], (a) => {
    const [n, i, s] = [local('n', 'i64'), local('i', 'i64'), local('s', 'f64')];
    const step = when(lt(i64(0), get(i)), [set(s, add(get(s), load(a, sub(get(i), i64(1)), NAN)))]);
    return [make(n, a.length), make(s, f64(0)), ...b.count(i, i64(0), get(n), [store(a, get(i), mul(load(a, get(i), NAN), f64(2))), step]), give(get(s))];
  });
  const text = improved(b, [[numbers(5)], [numbers(0)]]);
  assert.doesNotMatch(text, /bitcast/u);
});

test('triangular nests, loops that go down and steps that are not known', () => {
  const b = new Builder();
  b.func('f', [['a', 'f64[]'], ['n', 'i64'], ['d', 'i64']], ['f64'], (a, n, d) => {
    const [i, j, k, m, s] = [...['i', 'j', 'k', 'm'].map((name) => local(name, 'i64')), local('s', 'f64')];
    const sum = (at) => set(s, add(mul(get(s), f64(0.5)), load(a, at, NAN)));
    const down = [make(k, sub(get(n), i64(1))), b.loop(op('ge', get(k), i64(0)), [sum(get(k))], [set(k, sub(get(k), i64(1)))])];
    const strides = [make(m, get(d)), b.loop(op('le', get(m), get(n)), [store(a, get(m), get(s))], [set(m, add(get(m), get(d)))])];
    return [
      make(s, f64(0)),
      ...b.count(i, i64(0), get(n), [...b.count(j, i64(0), add(get(i), i64(1)), [sum(sub(get(i), get(j)))]), ...b.count(local('j', 'i64'), add(get(i), i64(1)), get(n), [sum(sub(get(n), get(i)))])]),
      when(op('gt', get(d), i64(0)), [...strides]),
      ...down,
      give(get(s)),
    ];
  });
  const cases = [[6, 5n, 1n], [5, 5n, 2n], [7, 6n, 3n], [0, 0n, 1n], [3, 5n, 1n], [4, -2n, 5n], [20, 9n, 0n]];
  const text = improved(b, cases.map(([length, ...rest]) => [numbers(length), ...rest]));
  assert.match(text, /in_range_/u);
});

test('a double that is whole counts and indexes as an integer', () => {
  const b = new Builder();
  b.func('f', [['a', 'f64[]'], ['n', 'f64']], ['f64'], (a, n) => {
    const [i, j, x, at, s] = [local('i', 'i64'), local('j', 'i64'), local('x', 'f64'), local('at', 'i64'), local('s', 'f64')];
    const double = (of) => T.to('f64', get(of));
    const body = [
      make(x, add(mul(double(i), get(n)), double(j))),
      make(at, T.to('i64', get(x))),
      set(s, add(get(s), load(a, get(at), NAN, op('eq', T.to('f64', get(at)), get(x))))),
    ];
    const rows = (of, inner) => [make(of, i64(0)), b.loop(lt(double(of), get(n)), inner, [set(of, { ...add(get(of), i64(1)), range: [0, 2 ** 53] })])];
    return [make(s, f64(0)), ...rows(i, rows(j, body)), give(get(s))];
  });
  const cases = [[4, 2], [4, 1.5], [9, 3], [8, 3], [0, NaN], [1, -1], [0, 0]];
  const text = improved(b, cases.map(([length, n]) => [numbers(length), n]));
  const [fast] = text.slice(text.indexOf('in_range_)')).split('} else {');
  assert.match(fast, /for j_\d = j(_\d)? to n_2 step 1/u);
  assert.match(fast, /a\[at_?\w*\]/u);
});

test('an error out of range comes at the moment it should', () => {
  const b = new Builder();
  const site = b.site('RangeError', 'index ', null);
  b.func('f', [['a', 'f64[]'], ['n', 'i64']], ['f64'], (a, n) => {
    const [i, s] = [local('i', 'i64'), local('s', 'f64')];
    const u64 = (e) => T.bits('u64', e);
    const inside = lt(u64(get(i)), u64(a.length));
    const body = [when(op('not', inside), [T.raise(site, get(i))]), store(a, get(i), get(s), { checked: false }), set(s, add(get(s), f64(1)))];
    return [make(s, f64(0)), ...b.count(i, i64(0), get(n), body), give(get(s))];
  }, { throws: true });
  const text = improved(b, [[numbers(4), 4n], [numbers(4), 5n], [numbers(0), 0n]]);
  const [fast, slow] = text.slice(text.indexOf('in_range_)')).split('} else {');
  assert.doesNotMatch(fast, /return 16/u);
  assert.match(slow, /return 16/u);
});

// --- any loops ---

/** Numbers from 0 to below n, the same for the same seed. */
function randomOf(seed) {
  let state = seed * 2654435761 + 1;
  return (n) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % n;
  };
}

/** A program of nested loops that read and write at indices of all kinds. */
function randomProgram(seed) {
  const random = randomOf(seed);
  const b = new Builder(`random${seed}`);
  b.func('f', [['a', 'f64[]'], ['b', 'i32[]'], ['n', 'i64'], ['m', 'i64'], ['w', 'i32']], ['f64'], (a, x, n, m, w) => {
    const s = local('s', 'f64');
    const small = (k) => i64(random(k) - (k >> 1));
    const value = (scope, depth = 0) => {
      const kind = random(depth > 2 ? 5 : 9);
      if (kind < 3) return get([n, ...scope][random(scope.length + 1)]);
      if (kind === 3) return get(random(2) ? n : m);
      if (kind === 4) return small(7);
      if (kind === 5) return T.to('i64', op(random(2) ? 'add' : 'mul', get(w), T.to('i32', value(scope, depth + 1))));
      if (kind === 6) return op('and', value(scope, depth + 1), i64(3));
      return op(['add', 'sub', 'mul', 'min'][random(4)], value(scope, depth + 1), value(scope, depth + 1));
    };
    const access = (scope) => {
      const at = value(scope);
      if (random(3) === 0) return [store(a, at, add(get(s), f64(1)))];
      if (random(3) === 0) return [store(x, at, i32(random(100)))];
      const read = random(2) ? load(a, at, NAN) : T.to('f64', load(x, at, i32(-1)));
      return [set(s, add(mul(get(s), f64(0.5)), T.choose(op('is_nan', read), f64(3), read)))];
    };
    const compared = (scope) => op(['lt', 'le', 'gt', 'ge', 'eq'][random(5)], value(scope), value(scope));
    const statements = (scope, depth) => Array.from({ length: 1 + random(3) }, () => statement(scope, depth)).flat();
    const statement = (scope, depth) => {
      const kind = random(depth > 2 ? 2 : 6);
      if (kind < 2) return access(scope);
      if (kind === 2) return [when(compared(scope), statements(scope, depth + 1), random(2) ? statements(scope, depth + 1) : [])];
      if (kind === 3) {
        const t = local('t', 'i64');
        return [make(t, value(scope)), ...statements([...scope, t], depth + 1)];
      }
      return loop(scope, depth);
    };
    const loop = (scope, depth) => {
      const i = local('i', 'i64');
      const up = random(3) > 0;
      const rounds = local('rounds', 'i64');
      const bound = random(4) === 0 ? value(scope) : get(random(2) ? n : m);
      const step = i64((up ? 1 : -1) * (1 + random(3)));
      const made = b.loop(op(up ? ['lt', 'le'][random(2)] : ['gt', 'ge'][random(2)], get(i), up ? bound : small(5)), [], []);
      const leave = random(4) === 0 ? [when(compared([...scope, i]), [random(2) ? T.leave(made) : T.next(made)])] : [];
      const limit = [set(rounds, add(get(rounds), i64(1))), when(op('gt', get(rounds), i64(12)), [T.leave(made)])];
      made.body = [...(random(3) === 0 ? limit : []), ...leave, ...statements([...scope, i], depth + 1)];
      const move = set(i, add(get(i), step));
      if (leave.length === 0 && random(3) === 0) made.body.push(move);
      else made.update = [move];
      return [make(rounds, i64(0)), make(i, up ? (random(3) ? i64(0) : value(scope)) : get(n)), made];
    };
    return [make(s, f64(1)), ...loop([], 0), ...loop([], 0), give(get(s))];
  });
  return b;
}

test('random loops do what they did', () => {
  for (let seed = 1; seed <= 12; seed++) {
    const b = randomProgram(seed);
    const sizes = [[6, 5, 3n, 4n, 1], [40, 60, 5n, 3n, 2], [0, 3, 2n, 6n, -1], [300, 300, 4n, 4n, 3]];
    improved(b, sizes.map(([p, q, ...rest]) => [numbers(p), new Int32Array(q).fill(7), ...rest]), seed % 2 ? {} : { threads: 2, noalias: true });
  }
});

// --- loops that run in parallel ---

/** What a function of JavaScript does, and what explain() is told of its first loop. */
function parallel(fn, types, given, options = {}) {
  const { program } = infer(build(fn, { capture: options.capture }), types);
  const { text } = emit(improveLoops(program, { threads: 2, noalias: true, ...options }), { noalias: true });
  const copy = given.map((arg) => (ArrayBuffer.isView(arg) ? arg.slice() : arg));
  const { status, results } = runText(program, text, copy, { threads: 2 });
  assert.strictEqual(status, 0);
  const want = fn(...given);
  if (results.length === 1) assert.strictEqual(Number(results[0]), want);
  assert.deepStrictEqual(copy, given);
  return program.loops[0];
}

const f64s = { kind: 'array', dtype: 'f64' };
const i32s = { kind: 'array', dtype: 'i32' };
const number = { kind: 'number', dtype: 'f64' };
const many = (n) => Float64Array.from({ length: n }, (_, i) => ((i * 7919) % 10007) - 5000);

test('independent loops run in parallel: elements, rows, triangles', () => {
  const rows = (n) => [new Float64Array(n * n).fill(1), n];
  const cases = [
    [function scale(a, b) { for (let i = 0; i < a.length; i++) b[i] = a[i] * 2 + b[i]; }, [f64s, f64s], [many(70001), many(70001)]],
    [function strided(a, b) { for (let i = 1; i <= b.length - 3; i += 3) { b[i + 1] = a[i]; b[i - 1] += 2; } }, [f64s, f64s], [many(50000), many(50000)]],
    [function fillsRows(a, n) { for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) a[i * n + j] = (i * j) % 7; }, [f64s, number], rows(200)],
    [function triangle(a, n) { for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) a[i * n + j] += j; }, [f64s, number], rows(150)],
    [function privates(a) { let t = 0; for (let i = 0; i < a.length; i++) { t = a[i] * 2; let k = 0; while (t > 1) { t /= 2; k++; } a[i] = k; } }, [f64s], [many(20000)]],
  ];
  for (const [fn, types, given] of cases) assert.match(parallel(fn, types, given).parallel ?? `${fn.name}: no`, /^in parallel/u);
});

test('reductions that are exact run in parallel, in pieces', () => {
  const ints = Int32Array.from({ length: 80001 }, (_, i) => Math.imul(i, 77777777));
  const cases = [
    [function sum(a) { let s = 5; for (let i = 0; i < a.length; i++) s = (s + a[i]) | 0; return s; }, [i32s], [ints]],
    [function bits(a) { let s = -1, t = 0; for (let i = 0; i < a.length; i++) { s &= a[i] | 7; t ^= a[i]; } return s ^ t; }, [i32s], [ints]],
    [function product(a) { let s = 1; for (let i = 0; i < a.length; i++) s = Math.imul(s, a[i] | 1); return s; }, [i32s], [ints]],
    [function least(a) { let m = 1e9; for (let i = 0; i < a.length; i++) m = Math.min(m, a[i]); return m; }, [f64s], [many(60000)]],
    [function whereGreatest(a) { let m = -Infinity, at = -1; for (let i = 0; i < a.length; i++) if (a[i] > m) { m = a[i]; at = i; } return at; }, [f64s], [many(60000)]],
    [function counts(a) { let n = 0; for (let i = 0; i < a.length; i++) if (a[i] > 0) n++; return n; }, [f64s], [many(60000)]],
    [function none(a) { let m = 7; for (let i = 0; i < a.length; i++) m = Math.max(m, a[i]); return m; }, [f64s], [new Float64Array(0)]],
  ];
  for (const [fn, types, given] of cases) assert.match(parallel(fn, types, given).parallel ?? `${fn.name}: no`, /reducing/u);
});

test('the same bits whatever the threads, with reordered sums too', () => {
  const fn = function sum(a) { let s = 0; for (let i = 0; i < a.length; i++) s += 1 / a[i]; return s; };
  const { program } = infer(build(fn), [f64s]);
  const { text } = emit(improveLoops(program, { threads: 2, noalias: true, numerics: 'fast' }), { noalias: true });
  const values = [1, 2, 3].map((threads) => runText(program, text, [many(100001).map((x) => x + 0.5)], { threads }).results[0]);
  assert.deepStrictEqual(values, [values[0], values[0], values[0]]);
});

test('loops that carry something do not run in parallel, and say why', () => {
  const cases = [
    [function scan(a) { for (let i = 1; i < a.length; i++) a[i] += a[i - 1]; }, /elements of a that another writes/u],
    [function sums(a) { let s = 0; for (let i = 0; i < a.length; i++) s += a[i]; return s; }, /numerics: 'fast'/u],
    [function finds(a) { for (let i = 0; i < a.length; i++) if (a[i] > 4990) return i; return -1; }, /break or return leaves it/u],
    [function same(a) { for (let i = 0; i < a.length; i++) a[i >> 1] = a[i]; }, /elements/u],
    [function carries(a) { let last = 0; for (let i = 0; i < a.length; i++) { const t = a[i]; a[i] = last; last = t; } return last; }, /last carries/u],
  ];
  for (const [fn, reason] of cases) {
    const record = parallel(fn, [f64s], [many(5000)]);
    assert.strictEqual(record.parallel, null, fn.name);
    assert.match(record.reasons.join(), reason);
  }
});

test('loops that call functions compiled apart run in parallel where these only compute, of what no round writes', () => {
  const near = (x, i) => {
    const before = i > 0 ? x[i - 1] : x[i];
    const after = i + 1 < x.length ? x[i + 1] : x[i];
    const mean = (before + 2 * x[i] + after) / 4;
    let t = mean > 100 || mean < -100 ? mean / 2 : mean * mean - 3 * mean + 1 / (1 + mean * mean);
    for (let k = 0; k < 3; k++) t = (t + mean / (t * t + 1)) / 2;
    return t > 50 ? t - mean : t + mean * 0.125;
  };
  const marks = (x, i) => {
    const t = near(x, i);
    if (t > 0) x[i] = t;
    return t;
  };
  const other = function other(a, b) { for (let i = 0; i < a.length; i++) b[i] = near(a, i) + near(a, i + 1) + near(a, i + 2) - near(a, i + 3) + near(a, 2 * i) + near(a, 3 * i) + near(a, 4 * i) + near(a, 5 * i); };
  const own = function own(a, b) { for (let i = 0; i < a.length; i++) a[i] = near(a, i) + near(a, i + 1) + near(b, i + 2) - near(b, i + 3) + near(b, 2 * i) + near(b, 3 * i) + near(b, 4 * i) + near(b, 5 * i); };
  const writes = function writes(a, b) { for (let i = 0; i < a.length; i++) b[i] = marks(a, i) + near(a, i + 1) + near(a, i + 2) - near(a, i + 3) + near(a, 2 * i) + near(a, 3 * i) + near(a, 4 * i) + near(a, 5 * i); };
  const cases = [[other, null], [own, /views of a may be of the same elements/u], [writes, /views of a may be of the same elements/u]];
  for (const [fn, reason] of cases) {
    const capture = { near, marks };
    const { program } = infer(build(fn, { capture }), [f64s, f64s]);
    assert.ok(program.funcs.some(({ name }) => name.startsWith('near_')), fn.name);
    const given = [many(3000), many(3000)];
    const ours = given.map((array) => array.slice());
    const { text } = emit(improveLoops(program, { threads: 2, noalias: true }), { noalias: true });
    assert.strictEqual(runText(program, text, ours, { threads: 2 }).status, 0);
    fn(...given);
    assert.deepStrictEqual(ours, given, fn.name);
    const record = program.loops.at(-1);
    if (reason) assert.match(record.reasons.join(), reason);
    else assert.match(record.parallel ?? record.reasons.join(), /^in parallel/u);
  }
});

test('prange needs no proof but for locals, and is refused where they carry values', () => {
  const of = (fn, given, options) => parallel(fn, [f64s, f64s], given, { capture: { prange }, ...options });
  const gather = function gather(a, b) { for (const i of prange(a.length)) a[b[i] & 4095] += 1; };
  assert.match(of(gather, [new Float64Array(4096), Float64Array.from({ length: 4096 }, (_, i) => 4095 - i)]).parallel ?? '', /in parallel/u);
  const float = function float(a, b) { let s = 0; for (const i of prange(1, a.length)) s += a[i] / b[i]; return s; };
  const record = of(float, [many(100), many(100).fill(3)]);
  assert.strictEqual(record.parallel, null);
  assert.match(record.reasons.join(), /numerics: 'fast'/u);
  const carries = function carries(a, b) { let t = 0; for (const i of prange(a.length)) { a[i] = t; t = b[i]; } return t; };
  assert.throws(() => of(carries, [many(10), many(10)]), (/** @type {Error} */ error) => {
    assert.match(error.message, /t carries a value from one round to the next/u);
    assert.match(error.message, /\^/u);
    return true;
  });
});

test('what a round sets before it reads it is its own, whatever the ways to it', () => {
  const input = Float64Array.from({ length: 300 }, (_, i) => ((i * 7919) % 31) - 15);
  const index = compileMap(Array.from({ length: 100 }, (_, i) => [7 * i, i])).toNative();
  const within = compileRanges(Array.from({ length: 100 }, (_, i) => [10 * i - 500, 10 * i - 497, i])).toNative({ missing: -1 });
  const rounds = [
    function branch(a, b) { for (const i of prange(a.length)) { let q = 0; if (a[i] > 3) q = 1; b[i] = q; } },
    function swap(a, b) { for (const i of prange(a.length)) { let [x, y] = [a[i], 3]; if (x > y) { const t = x; x = y; y = t; } b[i] = 100 * x + y; } },
    function inner(a, b) { for (const i of prange(a.length)) { let s = 0; for (let j = 0; j < 5; j++) { let q = 0; if (a[i] > j) q = j; s += q; } b[i] = s; } },
    function some(a, b) { for (const i of prange(a.length)) { let q; if (a[i] > 3) { q = a[i]; b[i] = q; } else b[i] = 0; } },
    function first(a, b) { for (const i of prange(a.length)) { let j = 0; while (j < 20 && j < a[i]) j++; b[i] = j; } },
    function leave(a, b) { for (const i of prange(a.length)) { b[i] = 0; for (let j = 0; j < 9; j++) { let q = j; if (a[i] < j) continue; if (a[i] === j) q = 50; b[i] += q; } } },
    function keys(a, b) { for (const i of prange(a.length)) b[i] = index(a[i]); },
    function intervals(a, b) { for (const i of prange(a.length)) { let s = 0; for (let j = 0; j < 4; j++) s += within(a[i] + j); b[i] = s; } },
  ];
  for (const fn of rounds) {
    const wanted = new Float64Array(300);
    const plain = new Function('prange', 'index', 'within', `return ${fn}`);
    plain((/** @type {number} */ n) => Array.from({ length: n }, (_, i) => i), index, within)(input, wanted);
    for (const threads of [1, 2]) {
      const got = new Float64Array(300);
      native(fn, { capture: { prange, index, within }, threads })(input, got);
      assert.deepStrictEqual(got, wanted, `${fn.name}, ${threads} threads`);
    }
  }
});

test('a test that compares an element that may be missing asks once whether it is there', () => {
  const elements = { kind: 'array', dtype: 'f64' };
  function find(a, b, k) { const wanted = b[k]; let at = 0; while (a[at] !== wanted && at < 100) at++; return at; }
  const { program } = infer(build(find), [elements, elements, number]);
  const { text } = emit(improveLoops(program));
  const loop = text.slice(text.indexOf('while (true)'), text.indexOf('at = add(at, 1)'));
  assert.equal(loop.match(/lt\(bitcast<u64>\(at/gu)?.length, 1, text);
});

// --- doubles that are whole ---

test('loops on whole doubles run on integers while these are small, and go on as doubles', () => {
  const starts = [1, 7, 27, 0, -0, -7, 0.5, 1e9, 123456789, 2 ** 40 + 1, 2 ** 50 - 1, 2 ** 52 + 1, 2 ** 53, 1e16, 1e300, NaN, Infinity, -Infinity];
  const functions = [
    function collatz(x) { let c = 0; while (x !== 1 && c < 200) { x = x % 2 === 0 ? x / 2 : 3 * x + 1; c++; } return x * 1000 + c; },
    function halves(x) { let c = 0; while (c < 60) { if (x % 4 === 0) { x = x / 2; } else if (x > 100) { x = x - 101; } else break; c++; } return 1 / x; },
    function digits(x) { let s = 0, c = 0; while (x > 0 && c < 400) { s += x % 10; x = Math.floor(x / 10); c++; } return s; },
    function generator(x) { let s = 0; for (let i = 0; i < 100; i++) { x = (x * 16807 + 11) % 2147483647; if (x % 3 === 1) continue; s = (s + x) % 1000003; } return s; },
    function falls(x) { let s = 0; for (let i = 0; i < 50; i++) { x = (x % 97) - 48; s = s * 0.5 + x; } return s; },
    function zeros(x) { let y = x, s = 0; for (let i = 0; i < 5; i++) { y = (y % 5) * 0; s += 1 / y; } return s; },
  ];
  for (const fn of functions) {
    const { program } = infer(build(fn), [number]);
    const { text } = emit(improveLoops(program));
    assert.match(text, /at 1:2/u, fn.name);
    for (const start of starts) assert.deepStrictEqual(Number(runText(program, text, [start]).results[0]), fn(start), `${fn.name}(${start})`);
  }
});

test('types of nested loops that count are found in walks that do not multiply', () => {
  const { Walk } = require('../../lib/native/infer/walk.js');
  const { evaluate: own } = Walk.prototype;
  /** How many expressions inference looks at in so many loops within each other. */
  const looks = (/** @type {number} */ depth, /** @type {(k: number, body: string) => string} */ loop) => {
    let text = 'a[i0] += 1;';
    for (let k = depth - 1; k >= 0; k--) text = loop(k, text);
    let count = 0;
    Walk.prototype.evaluate = function (e) {
      count++;
      return own.call(this, e);
    };
    const nest = native(`function nest(a, n) { ${text} return 0; }`, { cache: false });
    nest(new Float64Array(4), 2);
    Walk.prototype.evaluate = own;
    assert.ok(count > 0);
    return count;
  };
  for (const loop of [
    (k, body) => `for (let i${k} = 0; i${k} < n; i${k}++) { ${body} }`,
    (k, body) => `for (let i${k} = n; i${k} > 0; i${k} -= 2) { ${body} }`,
    (k, body) => `let i${k} = 0; while (i${k} < n) { ${body} i${k}++; }`,
  ]) {
    const [two, three, six] = [2, 3, 6].map((depth) => looks(depth, loop));
    assert.equal(six - three, 3 * (three - two));
  }
});

test('a double that an integer was made into right before such a loop is that integer', () => {
  function longest(from, to) { let most = 0; for (let i = from | 0; i < (to | 0); i++) { let x = i, c = 0; while (x !== 1 && c < 150) { x = x % 2 === 0 ? x / 2 : 3 * x + 1; c++; } most = Math.max(most, c * 1e6 + i); } return most; }
  const { program } = infer(build(longest), [number, number]);
  const { text } = emit(improveLoops(program));
  assert.doesNotMatch(text, /eq\(convert<f64>\(x_/u);
  for (const [from, to] of [[1, 40], [-5, 3], [2 ** 31 - 9, 2 ** 31 - 1], [-(2 ** 31), 5 - 2 ** 31]]) assert.deepStrictEqual(Number(runText(program, text, [from, to]).results[0]), longest(from, to));
});
