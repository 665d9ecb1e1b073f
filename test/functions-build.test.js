// From a function's source to its tree: the tree, evaluated, does what the function does.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { build } = require('../lib/frontends/function/build.js');
const { evaluator } = require('../lib/frontends/function/evaluate.js');

/** What a call gives, or throws, and what is in its arguments afterwards. */
function outcome(fn, args) {
  const given = structuredClone(args);
  try {
    return { value: fn(...given), args: given };
  } catch (error) {
    return { thrown: String(error), args: given };
  }
}

/** Checks that a function and its tree do the same. */
function same(fn, args, capture = {}) {
  const tree = build(fn, { capture });
  assert.deepEqual(outcome(evaluator(tree), args), outcome(fn, args), fn.toString());
}

const f64 = (...values) => Float64Array.of(...values);

test('loops, conditions and recursion', () => {
  same((a, b) => a + b, [1, 2]);
  same(function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }, [10]);
  same((a) => { let s = 0; for (const x of a) s += x; return s; }, [f64(1, 2, 3)]);
  same((x) => { let n = 0; do { n++; if (n === 3) continue; x *= 2; } while (n < 5); return x; }, [1]);
  same((x) => {
    outer: for (let i = 0; i < 5; i++) for (let j = 0; j < 5; j++) {
      if (j === 3) continue outer;
      if (i === 3) break outer;
      x += i * j;
    }
    return x;
  }, [1]);
  same((n) => {
    const even = (k) => k === 0 || odd(k - 1);
    function odd(k) { return k !== 0 && even(k - 1); }
    return even(n);
  }, [7]);
});

test('a switch runs through its cases', () => {
  for (const x of [1, 2, 3, 4, NaN]) {
    same((v) => { switch (v) { case 1: v++; default: v += 10; case 2: v *= 3; break; case 4: return 7; } return v; }, [x]); // eslint-disable-line no-fallthrough
    same((v) => { switch (v) { case 1: case 2: return 5; default: v += 10; break; case 4: return 7; } return v; }, [x]);
  }
});

test('effects happen in the order of the source', () => {
  same(() => { let i = 0; const a = [0, 0, 0, 0]; a[i++] = i; a[i] += i++ + ++i; return [i, a]; }, []);
  same((x) => { let y = x; const f = () => { y++; return y; }; return y + f() + y; }, [1]);
  same((a, b) => { [a, b] = [b, a]; return { a, b }; }, [1, 2]);
});
