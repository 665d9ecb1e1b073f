// Types of decimal results: Gandiva's rules, and what library functions are told of them.
'use strict';

const assert = require('node:assert');
const { describe, it } = require('node:test');
const decimal = require('../../lib/columns/types/decimal.js');

const { decimalFactors, decimalOfInteger, decimalOfText, decimalResult, decimalRounded, MAX_PRECISION } = decimal;

/** @type {(p: number, s: number) => { p: number, s: number }} */
const type = (p, s) => ({ p, s });

describe('types of decimals', () => {
  it('are those of Gandiva for two operands', () => {
    /** @type {[decimal.DecimalOp, number[], number[], number[]][]} */
    const rows = [
      ['add', [30, 10], [30, 10], [31, 10]],
      ['add', [30, 6], [30, 5], [32, 6]],
      ['add', [30, 10], [38, 10], [38, 9]],
      ['add', [38, 10], [38, 38], [38, 9]],
      ['add', [38, 10], [38, 2], [38, 6]],
      ['add', [38, 0], [38, 0], [38, 0]],
      ['subtract', [10, 2], [5, 4], [13, 4]],
      ['multiply', [10, 3], [10, 2], [21, 5]],
      ['multiply', [38, 20], [38, 20], [38, 6]],
      ['multiply', [20, 5], [20, 5], [38, 7]],
      ['multiply', [38, 38], [38, 38], [38, 37]],
      ['multiply', [38, 2], [38, 1], [38, 3]],
      ['divide', [10, 3], [10, 2], [23, 14]],
      ['divide', [20, 3], [20, 2], [38, 19]],
      ['divide', [38, 20], [38, 20], [38, 6]],
      ['divide', [2, 0], [1, 0], [8, 6]],
      ['mod', [10, 3], [10, 2], [10, 3]],
      ['mod', [38, 8], [20, 0], [28, 8]],
      ['mod', [3, 3], [38, 0], [3, 3]],
      ['common', [5, 2], [7, 0], [9, 2]],
      ['common', [38, 2], [38, 10], [38, 6]],
    ];
    for (const [op, left, right, expected] of rows) {
      const [a, b] = [left, right].map(([p, s]) => type(p, s));
      assert.deepEqual(decimalResult(op, a, b), type(expected[0], expected[1]), `${op} of ${left} and ${right}`);
    }
  });

  it('are decimals, and their factors powers of ten, for all operands', () => {
    const all = [];
    for (const p of [1, 2, 3, 6, 7, 13, 19, 20, 32, 37, MAX_PRECISION]) for (let s = 0; s <= p; s++) all.push(type(p, s));
    for (const a of all) {
      for (const b of all) {
        for (const op of /** @type {decimal.DecimalOp[]} */ (['add', 'subtract', 'multiply', 'divide', 'mod', 'common'])) {
          const result = decimalResult(op, a, b);
          const factors = Object.values(decimalFactors(op, a, b));
          const isType = result.p >= 1 && result.p <= MAX_PRECISION && result.s >= 0 && result.s <= result.p;
          if (!isType || factors.some((n) => n < 0 || n > 2 * MAX_PRECISION)) {
            assert.fail(`${op} of ${a.p}, ${a.s} and ${b.p}, ${b.s}: ${JSON.stringify({ result, factors })}`);
          }
        }
      }
    }
  });

  it('say what functions scale by', () => {
    const none = { xUp: 0, yUp: 0, up: 0, down: 0 };
    assert.deepEqual(decimalFactors('add', type(38, 5), type(38, 7)), { ...none, xUp: 2, down: 1, precision: 38 });
    assert.deepEqual(decimalFactors('multiply', type(38, 20), type(38, 20)), { ...none, down: 34, precision: 38 });
    assert.deepEqual(decimalFactors('divide', type(10, 3), type(10, 2)), { ...none, up: 13, precision: 23 });
    assert.deepEqual(decimalFactors('mod', type(20, 2), type(20, 3)), { ...none, xUp: 1, precision: 20 });
    assert.deepEqual(decimalFactors('compare', type(20, 3), type(9, 1)), { ...none, yUp: 2, precision: 20 });
    assert.deepEqual(decimalFactors('add', type(9, 2), type(9, 2), type(20, 0)), { ...none, down: 2, precision: 20 });
  });

  it('have room for what rounding carries', () => {
    assert.deepEqual(decimalRounded('round', type(2, 1)), type(3, 1));
    assert.deepEqual(decimalRounded('round', type(2, 1), 0), type(2, 0));
    assert.deepEqual(decimalRounded('ceil', type(2, 2), 0), type(1, 0));
    assert.deepEqual(decimalRounded('truncate', type(2, 2), 0), type(1, 0));
    assert.deepEqual(decimalRounded('truncate', type(10, 4), 2), type(8, 2));
    assert.deepEqual(decimalRounded('round', type(10, 4), 2), type(9, 2));
    assert.deepEqual(decimalRounded('round', type(3, 0), -2), type(4, 0));
    assert.deepEqual(decimalRounded('round', type(38, 0), -2), type(38, 0));
    assert.deepEqual(decimalRounded('floor', type(5, 2), 9), type(5, 2));
  });

  it('hold every integer of a type', () => {
    for (const bits of [8, 16, 32, 64]) {
      for (const signed of [false, true]) {
        const most = 2n ** BigInt(bits - (signed ? 1 : 0)) - (signed ? 0n : 1n);
        assert.deepEqual(decimalOfInteger(bits, signed), type(String(most).length, 0));
      }
    }
  });
});

describe('decimals as written', () => {
  it('have the least type that holds them', () => {
    /** @type {[string, bigint, number, number][]} */
    const rows = [
      ['1.50', 150n, 3, 2],
      ['-0.05', -5n, 2, 2],
      ['+12', 12n, 2, 0],
      ['.5', 5n, 1, 1],
      ['5.', 5n, 1, 0],
      ['0', 0n, 1, 0],
      ['0.00', 0n, 2, 2],
      ['007', 7n, 1, 0],
      ['1e3', 1000n, 4, 0],
      ['1.5e-3', 15n, 4, 4],
      ['12.5E1', 125n, 3, 0],
      ['9'.repeat(38), 10n ** 38n - 1n, 38, 0],
    ];
    for (const [text, value, p, s] of rows) assert.deepEqual(decimalOfText(text), { p, s, value }, text);
  });

  it('are refused with what was wrong', () => {
    for (const text of ['', '.', '1.2.3', 'x', '1e', '0x1']) {
      assert.throws(() => decimalOfText(text), { code: 'ERR_PARSE', message: `expected a decimal such as '12.50', got '${text}'` });
    }
    for (const text of ['1'.repeat(39), '1e38', '1e-39', '1e999999999']) {
      assert.throws(() => decimalOfText(text), { code: 'ERR_OVERFLOW', message: /38 digits at most, got \d+ in/ });
    }
  });
});
