// The pipeline: what its passes leave can be looked at, and the verifier of TIR refuses programs that break one rule each.
'use strict';

require('../support/verify.js');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it, test } = require('node:test');

const { grad, native } = require('graphjit');
const T = require('./support/tir.js');
const { print } = require('../../lib/native/tir/print.js');
const { verify } = require('../../lib/native/tir/verify.js');
const { PASSES, build, emit, improveLoops, infer, watchPasses } = require('../../lib/native/pipeline.js');

const { Builder, alloc, bool, call, f32, f64, get, give, i32, i64, leave, load, local, make, next, op, raise, set, stack, store, when, wrap } = T;
const NAN = f64(NaN);

/** A program of one function f(a: f64[], n: i64) -> f64, whose body ends in a return. */
function program(inside, results = ['f64']) {
  const b = new Builder();
  b.func('f', [['a', 'f64[]'], ['n', 'i64']], results, (a, n) => inside(a, n, b));
  return b.program;
}

/** What breaks a rule: the message, and the body. */
const broken = [
  ['x is not declared before it is used', () => [give(get(local('x', 'f64')))]],
  ['x is declared twice', () => {
    const x = local('x', 'f64');
    return [make(x, f64(1)), make(x, f64(2)), give(get(x))];
  }],
  ['x is used outside its block', (_a, n) => {
    const x = local('x', 'f64');
    return [when(op('lt', get(n), i64(1)), [make(x, f64(1))]), give(get(x))];
  }],
  ['x is used outside its block', (_a, n, b) => {
    const x = local('x', 'f64');
    const loop = b.loop(op('lt', get(n), i64(1)), [make(x, f64(1))], [make(local('y', 'f64'), get(x))]);
    return [loop, give(f64(0))];
  }],
  ['x is set, and does not say so', () => {
    const x = local('x', 'f64');
    return [make(x, f64(1)), { ...set({ ...x }, f64(2)), local: x }, give(get(x))];
  }],
  ['expected f64, got i64 n', (_a, n) => [give(get(n))]],
  ['expected bool, got i64 n', (_a, n) => [when(get(n), []), give(f64(0))]],
  ['add of i64 and i32', (_a, n) => [make(local('x', 'i64'), op('add', get(n), i32(1))), give(f64(0))]],
  ['floor does not take i64', (_a, n) => [make(local('x', 'i64'), op('floor', get(n))), give(f64(0))]],
  ['add has 1 operands, not 2', (_a, n) => [make(local('x', 'i64'), op('add', get(n))), give(f64(0))]],
  ['there is no op twice', (_a, n) => [make(local('x', 'i64'), op('twice', get(n))), give(f64(0))]],
  ['says that it is i64, and is bool', (_a, n) => [make(local('x', 'i64'), { ...op('lt', get(n), get(n)), type: 'i64' }), give(f64(0))]],
  ['no wrap of i64 to i32', (_a, n) => [make(local('x', 'i32'), wrap('i32', get(n))), give(f64(0))]],
  ['3000000000 is no constant of i32', () => [make(local('x', 'i32'), i32(3000000000)), give(f64(0))]],
  ['0.1 is no constant of f32', () => [make(local('x', 'f32'), f32(0.1)), give(f64(0))]],
  ['expected i64, got f64', (a) => [give(load(a, f64(0)))]],
  ['expected f64, got i64 1', (a, n) => [give(load(a, get(n), i64(1)))]],
  ['a load that is known to be in range asks for more', (a, n) => [give(load(a, get(n), null, bool(true)))]],
  ['an array is of other elements than its pointer', (a, n) => [give(load({ ...a, dtype: 'f32' }, get(n), NAN)), give(f64(0))]],
  ['an array has a root that is none of the program', (a, n) => [give(load({ ...a, roots: [{ ...a.roots[0] }] }, get(n), NAN))]],
  ['a is written, and does not say so', (a, n) => {
    a.roots[0].isWritten = false;
    return [store(a, get(n), f64(1)), give(f64(0))];
  }],
  ['expected f64, got i32 1:i32', (a, n) => [store(a, get(n), i32(1)), give(f64(0))]],
  ['a way leads to the end of the function', (_a, n) => [when(op('lt', get(n), i64(1)), [give(f64(0))])]],
  ['a return has another number of values than results', () => [give()]],
  ['a break leads to what is not around it', (_a, n, b) => [leave(b.loop(op('lt', get(n), i64(1)), [])), give(f64(0))]],
  ['a continue stands outside of the body of its loop', (_a, n, b) => {
    const loop = b.loop(op('lt', get(n), i64(1)), []);
    loop.update.push(next(loop));
    return [loop, give(f64(0))];
  }],
  ['a return leaves a prange', (_a, n, b) => [b.prange(local('i', 'i64'), i64(0), get(n), [give(f64(0))]), give(f64(0))]],
  ['a throw has no site', () => [raise(3)]],
  ['a throw has not the values of its message', (_a, n, b) => [raise(b.site('RangeError', 'it is ', null), get(n), get(n))]],
  ['a call of what is no function of the program', () => [call({ name: 'g', params: [], results: [] }, [], []), give(f64(0))]],
  ['memory is of other elements than its pointer', (_a, n) => [alloc(local('m', 'f32*'), 'f64', get(n)), give(f64(0))]],
  ['memory of the stack has no constant length', (_a, n) => [stack(local('m', 'f64*'), 'f64', get(n)), give(f64(0))]],
  ['a loop has no record', (_a, n, b) => [{ ...b.loop(op('lt', get(n), i64(1)), []), id: 7 }, give(f64(0))]],
  ['a statement or list of them stands in two places', (a, n) => {
    const s = store(a, get(n), f64(1));
    return [s, s, give(f64(0))];
  }],
];

describe('a program of TIR is refused', () => {
  for (const [message, inside] of broken) {
    const one = program(inside);
    const last = print(one).split('\n').at(-5);
    it(`${message}: ${last.trim()}`, () => {
      assert.throws(() => verify(one, 'a-pass'), ({ code, message: got }) => {
        assert.equal(code, 'ERR_INTERNAL');
        assert.ok(got.startsWith('after a-pass, in f: '), got);
        assert.ok(got.includes(message), got);
        return true;
      });
    });
  }
});

test('a program that breaks nothing passes, and before locals are placed one that declares nothing', () => {
  verify(program((a, n) => [give(load(a, get(n), NAN))]), 'a-pass');
  const x = local('x', 'f64');
  const undeclared = program(() => [set(x, f64(1)), give(get(x))]);
  verify(undeclared, 'infer', { isDeclared: false });
  assert.throws(() => verify(undeclared, 'place-locals'), /x is not declared/u);
});

test('every pass is told of with what it gives, in the order of the list', () => {
  const seen = [];
  watchPasses(({ name, dump }, result) => seen.push([name, dump(result)]), () => {
    const tree = build('function sum(a) { let s = 0; for (const x of a) s += x; return s; }', {});
    const { program: made } = infer(tree, [{ kind: 'array', dtype: 'f64', clamps: false }]);
    emit(improveLoops(made, { threads: 1 }));
  });
  const names = PASSES.map(({ name }) => name).filter((name) => name !== 'differentiate' && name !== 'lower-tape');
  assert.deepEqual(seen.map(([name]) => name), names);
  for (const [name, text] of seen) assert.ok(text.includes('sum'), name);
  for (const { name, requires, keeps, changes } of PASSES) assert.ok(requires && keeps && changes, name);
});

describe('explain({ stage })', () => {
  const total = native(function total(a) {
    let s = 0;
    for (const x of a) s += x;
    return s;
  }, 'f64(f64[])', { cache: false });

  it('shows what a stage or pass leaves', () => {
    assert.match(total.explain({ stage: 'hir' }), /^function total\(a\):\n {2}s = 0\n/u);
    assert.match(total.explain({ stage: 'tir' }), /^program "total" \{\n.* entry func total\(a: f64\*, a_length: i64\) -> f64/su);
    assert.match(total.explain({ stage: 'infer' }), /\n {4}s = 0:f64\n/u);
    assert.match(total.explain({ stage: 'parallel' }), /load\(a\[i/u);
    assert.match(total.explain({ stage: 'loops' }), /^module "total" \{/u);
    assert.match(total.explain(), /of loop/u);
  });

  it('shows derivatives', () => {
    const slope = grad(native('function f(x) { return x * x; }', 'f64(f64)', { cache: false }));
    assert.equal(slope(3), 6);
    assert.match(slope.explain({ stage: 'differentiate' }), /\n {4}d_x = 0:f64\n/u);
    assert.match(slope.explain({ stage: 'tir' }), /\n {4}var d_x: f64 = 0:f64\n/u);
  });

  it('refuses stages that there are not', () => {
    const wrong = (stage, message) => assert.throws(() => total.explain({ stage }), { code: 'ERR_ARGUMENT', message });
    wrong('assembly', /one of 'hir', 'tir', 'loops', 'build', .* got "assembly"/u);
    wrong('differentiate', /^total\.explain: the pass 'differentiate' does not run/u);
  });

  it('has typings for all passes', () => {
    const typings = fs.readFileSync(path.join(__dirname, '../../lib/types/function.d.ts'), 'utf8');
    const [, list] = /export type NativeStage =([^;]*);/u.exec(typings);
    const names = [...list.matchAll(/'([\w-]+)'/gu)].map(([, name]) => name);
    assert.deepEqual(names, ['hir', 'tir', 'loops', ...PASSES.map(({ name }) => name)]);
  });
});
