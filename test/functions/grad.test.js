/**
 * Derivatives of native functions: against formulas, against differences of the function in JavaScript, forward mode against
 * reverse mode, and values against those of the function bit for bit.
 */
'use strict';

require('../support/verify.js');
const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { grad, native, valueAndGrad } = require('../..');

/** Error of a difference quotient that the function's own rounding explains. */
const TOLERANCE = 2e-7;

/** The slope of f at 0: differences of three widths, extrapolated twice (Richardson). */
function slope(f, h = 1e-3) {
  const central = (w) => (f(w) - f(-w)) / (2 * w);
  const [a, b, c] = [central(h), central(h / 2), central(h / 4)];
  const [p, q] = [b + (b - a) / 3, c + (c - b) / 3];
  return q + (q - p) / 15;
}

const clone = (value) => (ArrayBuffer.isView(value) || Array.isArray(value) ? value.slice() : typeof value === 'object' ? { ...value } : value);

/** Partial derivatives by argument `which`, from differences. */
function differences(f, args, which = 0) {
  const by = args[which];
  const moved = (key, w) => {
    const copies = args.map(clone);
    if (key === null) copies[which] += w;
    else copies[which][key] += w;
    return f(...copies);
  };
  if (typeof by === 'number') return slope((w) => moved(null, w), 1e-3 * Math.max(1, Math.abs(by)));
  const keys = ArrayBuffer.isView(by) || Array.isArray(by) ? [...by.keys()] : Object.keys(by);
  return keys.map((key) => slope((w) => moved(key, w), 1e-3 * Math.max(1, Math.abs(by[key]))));
}

const flat = (value) => (typeof value === 'number' ? [value] : Object.values(value).flatMap(flat));

function near(actual, expected, tolerance = TOLERANCE) {
  const [a, b] = [flat(actual), flat(expected)];
  assert.equal(a.length, b.length);
  const size = Math.max(1, ...b.map(Math.abs));
  a.forEach((each, i) => assert.ok(Math.abs(each - b[i]) <= tolerance * size || Object.is(each, b[i]), `element ${i}: ${each}, expected ${b[i]}`));
}

/** Both modes against differences, the value and what is left in arrays against JavaScript. */
function check(f, args, { which = 0, tolerance, forward = true } = {}) {
  const compiled = native(f, { optLevel: 1 });
  const expected = differences(f, args, which);
  const own = args.map(clone);
  const value = f(...own);
  for (const mode of forward ? ['reverse', 'forward'] : ['reverse']) {
    const given = args.map(clone);
    const [v, g] = valueAndGrad(compiled, { wrt: which, mode })(...given);
    assert.ok(Object.is(v, value), `${mode}: value ${v}, expected ${value}`);
    near(g, expected, tolerance);
    assert.deepEqual(given, own, `${mode}: arrays end as the function leaves them`);
  }
}

const range = (n, f) => Float64Array.from({ length: n }, (_, i) => f(i));

describe('derivatives of operators', () => {
  const grid = [-2.7, -1.3, -0.6, -0.2, 0.3, 0.7, 1.1, 1.9, 3.4];
  const inside = [-0.9, -0.5, 0.1, 0.6, 0.95];
  const above = [1.2, 1.9, 4, 20];
  const positive = [0.1, 0.5, 1, 2.5, 9];
  const cases = {
    'Math.abs(x)': [grid, (x) => Math.sign(x)],
    'Math.acos(x)': [inside, (x) => -1 / Math.sqrt(1 - x * x)],
    'Math.acosh(x)': [above, (x) => 1 / Math.sqrt(x * x - 1)],
    'Math.asin(x)': [inside, (x) => 1 / Math.sqrt(1 - x * x)],
    'Math.asinh(x)': [grid, (x) => 1 / Math.sqrt(1 + x * x)],
    'Math.atan(x)': [grid, (x) => 1 / (1 + x * x)],
    'Math.atanh(x)': [inside, (x) => 1 / (1 - x * x)],
    'Math.cbrt(x)': [grid, (x) => 1 / (3 * Math.cbrt(x) ** 2)],
    'Math.ceil(x) * x': [grid, Math.ceil],
    'Math.cos(x)': [grid, (x) => -Math.sin(x)],
    'Math.cosh(x)': [grid, Math.sinh],
    'Math.exp(x)': [grid, Math.exp],
    'Math.expm1(x)': [grid, Math.exp],
    'Math.floor(x) * x': [grid, Math.floor],
    'Math.fround(x) * 3': [grid, () => 3],
    'Math.log(x)': [positive, (x) => 1 / x],
    'Math.log10(x)': [positive, (x) => 1 / (x * Math.LN10)],
    'Math.log1p(x)': [positive, (x) => 1 / (1 + x)],
    'Math.log2(x)': [positive, (x) => 1 / (x * Math.LN2)],
    'Math.round(x) * x': [grid, Math.round],
    'Math.sign(x) * x': [grid, Math.sign],
    'Math.sin(x)': [grid, Math.cos],
    'Math.sinh(x)': [grid, Math.cosh],
    'Math.sqrt(x)': [positive, (x) => 0.5 / Math.sqrt(x)],
    'Math.tan(x)': [grid, (x) => 1 / Math.cos(x) ** 2],
    'Math.tanh(x)': [grid, (x) => 1 / Math.cosh(x) ** 2],
    'Math.trunc(x) * x': [grid, Math.trunc],
    'x ** 3': [grid, (x) => 3 * x * x],
    'x ** 2.5': [positive, (x) => 2.5 * x ** 1.5],
    '2 ** x': [grid, (x) => Math.LN2 * 2 ** x],
    'x ** x': [positive, (x) => x ** x * (Math.log(x) + 1)],
    'x % 1.25': [grid, () => 1],
    '7.5 % x': [[1.3, 2.2, -3.4], (x) => -Math.trunc(7.5 / x)],
    'Math.atan2(x, 2)': [grid, (x) => 2 / (4 + x * x)],
    'Math.atan2(2, x)': [grid, (x) => -2 / (4 + x * x)],
    'Math.hypot(x, 2)': [grid, (x) => x / Math.hypot(x, 2)],
    'Math.hypot(1, x, 3, x)': [grid, (x) => (2 * x) / Math.hypot(1, x, 3, x)],
    'Math.min(x, 0.5)': [grid, (x) => (x < 0.5 ? 1 : 0)],
    'Math.max(1, x, 2)': [grid, (x) => (x > 2 ? 1 : 0)],
    '-x / (x * x + 1)': [grid, (x) => (x * x - 1) / (x * x + 1) ** 2],
    'x > 0.5 ? Math.log(x) : x * x': [grid, (x) => (x > 0.5 ? 1 / x : 2 * x)],
    '(x | 0) * x': [grid, (x) => x | 0],
    '+(x > 0) + x': [grid, () => 1],
  };
  for (const [text, [points, formula]] of Object.entries(cases)) {
    test(text, () => {
      const original = eval(`(x) => ${text}`);
      const f = native(`(x) => ${text}`, { optLevel: 1 });
      const [reverse, forward] = [valueAndGrad(f), grad(f, { mode: 'forward' })];
      for (const x of points) {
        const [value, derivative] = reverse(x);
        assert.ok(Object.is(value, original(x)));
        near(derivative, formula(x), 1e-13);
        near(forward(x), formula(x), 1e-13);
      }
    });
  }

  test('kinks have the documented derivatives', () => {
    const at = (text, ...args) => grad(native(text), { wrt: args.map((_, i) => i) })(...args);
    assert.deepEqual(at('(x) => Math.abs(x)', 0), [0]);
    assert.deepEqual(at('(x, y) => Math.min(x, y)', 2, 2), [1, 0]);
    assert.deepEqual(at('(x, y) => Math.max(x, y)', 2, 2), [1, 0]);
    assert.deepEqual(at('(x, y) => Math.hypot(x, y)', 0, 0), [0, 0]);
    assert.deepEqual(at('(x, y) => x ** y', 0, 2), [0, 0]);
    assert.deepEqual(at('(x, y) => x ** y', 3, 0), [0, Math.log(3)]);
    assert.deepEqual(at('(x) => Math.floor(x) + Math.round(x) + Math.sign(x)', 1.5), [0]);
  });

  test('a side that is not taken does not make NaN', () => {
    const f = grad(native((x) => (x > 0 ? Math.sqrt(x) * Math.log(x) : x / 2)));
    assert.equal(f(0), 0.5);
    assert.equal(f(-1), 0.5);
  });

  test('a value that is not used does not make NaN, and stays out of derivatives of derivatives', () => {
    const both = (text, ...args) => {
      const f = native(text);
      const wrt = args.map((_, i) => i);
      const [back, along] = ['reverse', 'forward'].map((mode) => grad(f, { wrt, mode })(...args));
      assert.deepEqual(back, along);
      return back;
    };
    assert.deepEqual(both('(x, y) => { const r = x / y; const q = r * x; if (y === 0) return x; return q; }', 1, 0), [1, 0]);
    assert.deepEqual(both('(x, y) => Math.max(1, Math.sqrt(x)) * y', 0, 2), [0, 1]);
    assert.deepEqual(both('(x, y) => x * 2 + Math.min(y, Math.sqrt(y) + 1)', 3, 0), [2, 1]);
    assert.deepEqual(both('(x) => { const a = [1, 2]; let s = 0; for (let i = 0; i < 3; i++) { const v = a[i] * x; if (i < 2) s += v; } return s; }', 3), [3]);
    const distances = '(a) => { let s = 0; for (let i = 0; i < a.length; i++) for (let j = 0; j < a.length; j++) { const d = Math.sqrt((a[i] - a[j]) ** 2); if (d === 0) continue; s += 1 / d; } return s; }';
    assert.deepEqual(both(distances, Float64Array.of(1, 3)), [Float64Array.of(0.5, -0.5)]);
    // Where the adjoint of `w` is 0, its own derivative is not.
    assert.equal(grad(grad(native('(x) => { const w = Math.sin(x) * x; return w * w + Math.sin(w) * x; }')))(0), 0);
    assert.equal(grad(grad(native('(x) => { const w = Math.sin(x) * Math.exp(x); return w * w; }')))(0), 2);
  });
});

describe('derivatives of control flow', () => {
  test('while with a number of rounds that data decide', () => {
    check((x) => {
      let y = x > 1 ? x : 1;
      while (Math.abs(y * y - x) > 1e-13 * x) y = 0.5 * (y + x / y);
      return y;
    }, [7.3]);
  });

  test('do, break, continue and labels', () => {
    const f = (x, n) => {
      let s = 0;
      let k = 0;
      do {
        k++;
        if (k % 3 === 0) continue;
        s += x ** k / k;
        if (s > 50) break;
      } while (k < n);
      outer: for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          if (j > i) continue outer;
          s += Math.sin(x * i) * j;
          if (s > 200) break outer;
          s *= 1.01;
        }
        s -= x * i;
      }
      return s;
    };
    for (const [x, n] of [[1.1, 4], [1.7, 12], [0.4, 9], [2.5, 3]]) check(f, [x, n]);
  });

  test('early returns, from loops too', () => {
    const f = (a, limit) => {
      let s = 0;
      for (let i = 0; i < a.length; i++) {
        if (a[i] < 0) return s * a[i];
        let t = a[i];
        while (t > 1) {
          t *= 0.7;
          if (t * i > limit) return s * t;
          s += t * a[i];
        }
        s += t * t;
      }
      return Math.exp(-s / 100);
    };
    for (const limit of [2, 5, 100]) check(f, [Float64Array.of(0.5, 3, 2.2, 4.1, 0.9), limit]);
    check(f, [Float64Array.of(0.5, 3, -2.2, 4.1), 100]);
  });

  test('switch that falls through', () => {
    const f = (a, codes) => {
      let [x, y] = [1, 0.5];
      for (let i = 0; i < codes.length; i++) {
        switch (codes[i]) {
          case 0:
            x *= a[0];
          // falls through
          case 1:
            y += x * a[1];
            break;
          case 2:
            if (y > 3) break;
            x = y * a[2] - x;
            break;
          default:
            y = Math.tanh(y) * a[1];
        }
      }
      return x * y + x;
    };
    check(f, [Float64Array.of(1.2, 0.7, -0.4), Int32Array.of(0, 1, 2, 3, 0, 2, 2, 1, 0, 3, 1)]);
  });

  test('functions inside, with several returns', () => {
    const f = (a) => {
      const soft = (x, by) => {
        if (x > by) return x - by;
        if (x < -by) return x + by;
        return 0 * x;
      };
      let s = 0;
      for (const v of a) s += soft(v, 0.5) ** 2 * soft(s, 0.1 * v);
      return s + soft(a[0], 0.2);
    };
    check(f, [Float64Array.of(1.5, -2, 0.3, 0.9, 4)]);
  });

  test('loops that count down, by steps, and not at all', () => {
    const f = (x, n, from) => {
      let s = 1;
      for (let i = n; i >= 0; i -= 2) s = s * x + i;
      for (let i = from; i < n; i += 3) s += Math.cos(s * x) * i;
      for (let i = n; i < n; i++) s *= x * 100;
      for (let i = 0; i <= n; i++) for (let j = i; j > 0; j--) s += x * x * j * s * 1e-3;
      return s;
    };
    for (const [n, from] of [[0, 0], [5, -2], [8, 7], [-3, 2]]) check(f, [0.8, n, from]);
  });

  test('throw stays', () => {
    const g = grad(native((x) => {
      if (x < 0) throw new RangeError(`no ${x}`);
      return Math.sqrt(x);
    }));
    assert.equal(g(4), 0.25);
    assert.throws(() => g(-1), new RangeError('no -1'));
  });
});

describe('derivatives of functions of arrays', () => {
  const leastSquares = (w, x, y) => {
    const n = w.length;
    let loss = 0;
    for (let i = 0; i < y.length; i++) {
      let p = 0;
      for (let j = 0; j < n; j++) p += w[j] * x[i * n + j];
      const d = p - y[i];
      loss += d * d;
    }
    return loss / y.length;
  };
  const inputs = range(30, (i) => Math.sin(i * 1.7) + 0.1 * i);
  const targets = range(10, (i) => Math.cos(i));

  test('least squares', () => {
    check(leastSquares, [Float64Array.of(0.3, -0.2, 0.5), inputs, targets]);
    check(leastSquares, [Float64Array.of(0.3, -0.2, 0.5), inputs, targets], { which: 1 });
  });

  test('logistic regression', () => {
    check((w, x, y) => {
      let loss = 0;
      for (let i = 0; i < y.length; i++) {
        let z = w[3];
        for (let j = 0; j < 3; j++) z += w[j] * x[i * 3 + j];
        const t = y[i] > 0 ? 1 : 0;
        loss += Math.log1p(Math.exp(-Math.abs(z))) + Math.max(z, 0) - t * z;
      }
      for (const v of w) loss += 0.05 * v * v;
      return loss;
    }, [Float64Array.of(0.3, -0.2, 0.5, 0.1), inputs, targets]);
  });

  test('a network of two layers', () => {
    check((w, x, y, hidden) => {
      const h = new Float64Array(hidden);
      let loss = 0;
      for (let i = 0; i < y.length; i++) {
        for (let k = 0; k < hidden; k++) {
          let s = w[k * 4 + 3];
          for (let j = 0; j < 3; j++) s += w[k * 4 + j] * x[i * 3 + j];
          h[k] = k % 2 ? Math.tanh(s) : Math.max(0, s);
        }
        let out = 0;
        for (let k = 0; k < hidden; k++) out += h[k] * w[hidden * 4 + k];
        loss += (out - y[i]) ** 2;
      }
      return loss;
    }, [range(25, (i) => Math.sin(i * i + 1)), inputs, targets, 5]);
  });

  test('Rosenbrock, n bodies, products of prefixes', () => {
    check((p) => {
      let s = 0;
      for (let i = 0; i + 1 < p.length; i++) s += 100 * (p[i + 1] - p[i] ** 2) ** 2 + (1 - p[i]) ** 2;
      return s;
    }, [Float64Array.of(-1.2, 1, 0.4, 2)], { tolerance: 1e-6 });
    check((p, m) => {
      let e = 0;
      for (let i = 0; i < m.length; i++) {
        for (let j = i + 1; j < m.length; j++) {
          const [dx, dy, dz] = [p[3 * i] - p[3 * j], p[3 * i + 1] - p[3 * j + 1], p[3 * i + 2] - p[3 * j + 2]];
          e -= (m[i] * m[j]) / Math.sqrt(dx * dx + dy * dy + dz * dz);
        }
      }
      return e;
    }, [range(12, (i) => Math.sin(i * 2.3) * 3), Float64Array.of(1, 2, 0.5, 3)]);
    check((a) => {
      const p = a.slice();
      for (let i = 1; i < p.length; i++) p[i] = p[i - 1] * p[i];
      let s = 0;
      for (const v of p) s += Math.sin(v);
      return s;
    }, [range(7, (i) => 0.7 + 0.1 * i)]);
  });

  test('smoothing in place', () => {
    check((a, rounds) => {
      for (let r = 0; r < rounds; r++) {
        for (let i = 1; i + 1 < a.length; i++) a[i] = Math.tanh(0.25 * a[i - 1] + 0.5 * a[i] * a[i] + 0.25 * a[i + 1]);
      }
      let s = 0;
      for (let i = 0; i < a.length; i++) s += a[i] * a[i] * i;
      return s;
    }, [range(9, (i) => Math.cos(i)), 4]);
  });

  test('two buffers that swap', () => {
    check((a, rounds) => {
      let now = a.slice();
      let next = new Float64Array(a.length);
      for (let r = 0; r < rounds; r++) {
        for (let i = 0; i < a.length; i++) next[i] = now[i] * now[(i + 1) % a.length] + 0.1 * r;
        [now, next] = [next, now];
      }
      return now[0] * now[a.length - 1];
    }, [range(5, (i) => 0.5 + 0.2 * i), 5]);
  });

  test('memory made in each round', () => {
    check((a, n) => {
      let s = 0;
      for (let r = 1; r <= n; r++) {
        const t = new Float64Array(a.length);
        for (let i = 0; i < a.length; i++) t[i] = a[i] ** r;
        for (let i = 1; i < a.length; i++) t[i] *= t[i - 1];
        s += t[a.length - 1] * t[0];
        const pair = [s, a[0]];
        pair[r % 2] *= 1.5;
        s = pair[0] + pair[1];
      }
      return s;
    }, [Float64Array.of(0.9, 1.1, 0.8), 6]);
  });

  test('sorting by min and max, and by swaps', () => {
    const unsorted = Float64Array.of(3, 1, 2, 5, 4);
    check((a) => {
      for (let r = 0; r < a.length; r++) {
        for (let i = r % 2; i + 1 < a.length; i += 2) {
          const [lo, hi] = [Math.min(a[i], a[i + 1]), Math.max(a[i], a[i + 1])];
          a[i] = lo;
          a[i + 1] = hi;
        }
      }
      return a[0] * 1 + a[1] * 10 + a[2] * 100 + a[3] ** 2 * a[4];
    }, [unsorted]);
    check((a) => {
      const b = a.slice().sort();
      let s = 0;
      for (let i = 0; i < b.length; i++) s += b[i] ** i;
      return s;
    }, [unsorted]);
  });

  test('fill, set, copyWithin, subarray and indices from memory', () => {
    check((a, at) => {
      const b = new Float64Array(12);
      b.fill(a[1], 2, 6);
      b.set(a, 5);
      b.copyWithin(1, 4, 9);
      const c = b.subarray(3, 10);
      for (let r = 0; r < 3; r++) {
        c.fill(c[r] * a[r], 0, 2);
        c.copyWithin(1, 0);
        for (let i = 0; i < at.length; i++) {
          b[at[i]] *= 1 + 0.5 * a[i % a.length];
          at[i] = (at[i] * 5 + 1) % 12;
        }
      }
      let s = 0;
      for (const v of b) s += v * v;
      return s;
    }, [Float64Array.of(0.4, 1.3, 0.7, -0.2), Int32Array.of(3, 7, 1)]);
  });

  test('out of range: NaN has no derivative, stores that are ignored neither', () => {
    check((a, n) => {
      let s = 0;
      for (let i = -2; i < n; i++) {
        const v = a[i];
        a[i + 1] = (v === undefined ? 1 : v) * 0.5 + s;
        s += v !== undefined ? v * i : 0.25;
      }
      return s;
    }, [Float64Array.of(1, 2, 3, 4), 7]);
  });

  test('Float32Array: derivatives are rounded once', () => {
    const f = native((a, b) => {
      let s = 0;
      for (let i = 0; i < a.length; i++) s += Math.fround(a[i] * a[i]) * b[i];
      return s;
    });
    const [a, b] = [Float32Array.of(0.1, 0.7, -3), Float32Array.of(1.5, 2.5, 0.1)];
    const g = grad(f)(a, b);
    assert.ok(g instanceof Float32Array);
    assert.deepEqual(g, Float32Array.from(a, (v, i) => 2 * v * b[i]));
  });

  test('objects, tuples, plain arrays, several parameters', () => {
    const f = ({ scale, shift }, pair, list, k) => {
      let s = shift * pair[0].x * k;
      for (let i = 0; i < list.length; i++) s += list[i] ** 2 * scale + pair[1].x * i;
      return s;
    };
    const args = [{ scale: 2, shift: 3 }, [{ x: 1 }, { x: 5 }], [1, 2, 3], 4];
    const g = grad(native(f), { wrt: [0, 1, 'list', 'k'] })(...args);
    assert.deepEqual(g, [{ scale: 14, shift: 4 }, [{ x: 12 }, { x: 3 }], [4, 8, 12], 3]);
    assert.deepEqual(grad(native(f), { wrt: [0, 'k', 2], mode: 'forward' })(...args), [{ scale: 14, shift: 4 }, 3, [4, 8, 12]]);
  });

  test('captures and whole numbers are constants', () => {
    const table = Float64Array.of(2, 3, 5);
    const k = 7;
    const f = native((x, n) => {
      let s = 0;
      for (let i = 0; i < n; i++) s += table[i % 3] * x * i + k * x * x;
      return s;
    }, { capture: { table, k } });
    assert.equal(grad(f)(2, 3), 3 + 10 + 84);
    assert.equal(grad(native((_x) => 3))(1), 0);
    assert.deepEqual(grad(native((a, i) => a[i | 0] * 2), { wrt: ['a', 'i'] })(Float64Array.of(1, 2), 1), [Float64Array.of(0, 2), 0]);
  });
});

describe('derivatives of derivatives', () => {
  test('second and third, of loops and branches', () => {
    const f = native((x) => {
      let y = 1;
      for (let i = 1; i < 6; i++) y = y * x + Math.sin(x * i);
      return x > 1 ? y : y * y;
    });
    const [first, second] = [grad(f), grad(grad(f))];
    for (const x of [0.3, 0.9, 1.4]) {
      near(second(x), slope((h) => first(x + h)));
      near(grad(second)(x), slope((h) => second(x + h)), 1e-5);
    }
    near(grad(grad(native((x) => x ** 5)))(2), 160, 1e-14);
  });

  test('of what is overwritten at computed indices', () => {
    const f = native((/** @type {number} */ x, /** @type {Float64Array} */ a) => {
      for (let i = 0; i + 1 < a.length; i++) a[i + 1] = a[i + 1] * a[i] * x;
      return a[a.length - 1];
    });
    const at = (/** @type {Function} */ g) => g(2, Float64Array.of(1, 1, 1, 1));
    assert.deepEqual([at(f), at(grad(f)), at(grad(grad(f))), at(grad(grad(grad(f))))], [8, 12, 12, 6]);
  });

  test('mixed ones, of arrays', () => {
    const f = native((a, x) => {
      const b = a.slice();
      let s = 0;
      for (let r = 0; r < 3; r++) {
        for (let i = 1; i < b.length; i++) b[i] = b[i] * b[i - 1] * x;
        s += b[b.length - 1];
      }
      return s;
    });
    const byX = grad(f, { wrt: 'x' });
    const start = Float64Array.of(1.1, 0.9, 1.2);
    near(grad(byX)(start, 1.3), differences(byX, [start, 1.3]));
  });
});

describe('tapes', () => {
  test('a million rounds, many times', () => {
    const f = native((x, n) => {
      let y = x;
      for (let i = 0; i < n; i++) y = y + 1e-6 * Math.sin(y);
      return y;
    });
    const g = grad(f);
    const expected = Math.sin(f(0.5, 1e6)) / Math.sin(0.5);
    g(0.5, 1e6);
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 20; i++) near(g(0.5, 1e6), expected, 1e-5);
    assert.ok(process.memoryUsage().rss - before < 64e6, 'tapes are given back');
  });

  test('what is known from counters and arguments is not kept', () => {
    const g = grad(native((w, x) => {
      let s = 0;
      for (let i = 0; i < w.length; i++) {
        const d = w[i] - x[i];
        s += d * d * d;
      }
      return s;
    }));
    assert.deepEqual(g(Float64Array.of(3, 5), Float64Array.of(1, 2)), Float64Array.of(12, 27));
    assert.doesNotMatch(g.loops(), /tape/u);
  });
});

describe('grad as a function', () => {
  test('has the options, types and name of the function', () => {
    const f = native((x) => x * x, 'f64(f64)');
    const g = grad(f);
    assert.equal(g.name, 'grad(anonymous)');
    assert.deepEqual(g.signatures, ['f64(f64)']);
    assert.throws(() => g('3'), { code: 'ERR_DTYPE' });
    const checked = grad(native((a, i) => a[i], { bounds: 'check' }));
    assert.deepEqual(checked(Float64Array.of(1, 2), 1), Float64Array.of(0, 1));
    assert.throws(() => checked(Float64Array.of(1, 2), 2), RangeError);
  });

  test('takes a plain function', () => {
    assert.equal(grad((x) => x * x * x)(2), 12);
  });

  test('runs on another thread', async () => {
    assert.deepEqual(await valueAndGrad(native((x) => x * x)).runAsync([3]), [9, 6]);
  });

  test('says what it cannot do', () => {
    const f = native((x, a) => x * a[0]);
    assert.throws(() => grad(3), { code: 'ERR_ARGUMENT' });
    assert.throws(() => grad(f, { wtr: 1 }), /'wtr'.*'wrt', 'mode'/u);
    assert.throws(() => grad(f, { wrt: 'z' }), /no parameter 'z', the function has x, a/u);
    assert.throws(() => grad(f, { wrt: 2 }), /'wrt' is 2, but the function has 2 parameters/u);
    assert.throws(() => grad(f, { wrt: 'a' })(1, Int32Array.of(1)), /not by i32\[\]/u);
    assert.throws(() => grad(native((n) => Number(n)))(1n), /not by i64/u);
    assert.throws(() => grad(f, { wrt: 'a', mode: 'back' }), { code: 'ERR_ARGUMENT' });
    assert.throws(() => grad(native((a) => a.slice()))(Float64Array.of(1)), /returns a number/u);
    const shared = new Float64Array(8);
    const g = grad(native((a, b) => {
      a[0] = b[0] * 2;
      return a[0] * b[1];
    }));
    assert.throws(() => g(shared, shared.subarray(0, 4)), /arrays overlap/u);
  });
});
