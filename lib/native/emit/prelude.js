/**
 * Functions of JavaScript that are no operators of Loop IR, written in it: an expression of TIR names them as its op
 * (tir/operators.js has what each costs).
 *
 * A module gets those that its functions use. There are
 *
 *   js_round(x)              Math.round
 *   js_hypot3(x0, x1, x2)    Math.hypot of three arguments; js_hypot4 and so on, of any number from 3 on
 *
 * The rest of Math are operators, those of f64 with the bits of V8 (src/math/js): `rem` is `%`, `hypot` is Math.hypot
 * of two, `pow` is `**`, and `min`, `max`, `sign`, `sqrt`, `floor`, `ceil`, `trunc` and `abs` are JavaScript's as they
 * stand.
 */
'use strict';

const { functionOf } = require('../tir/operators.js');

/** Math.round: halves go up, and what lies between -0.5 and 0 becomes -0 (ECMA-262, 21.3.2.28). */
const roundText = () => `
  func js_round(x: f64) -> f64 {
    let up: f64 = ceil(x)
    return select(gt(sub(up, 0.5:f64), x), sub(up, 1.0:f64), up)
  }
`;

/**
 * Math.hypot as V8 has it: each size divided by the largest, their squares summed with Kahan's compensation. Infinity
 * wins over NaN (ECMA-262, 21.3.2.18).
 *
 * @type {(count: number) => string}
 */
function hypotText(count) {
  const each = Array.from({ length: count }, (_, k) => k);
  const sizes = each.map((k) => `    let a${k}: f64 = abs(x${k})`);
  const join = (/** @type {string} */ op, /** @type {string[]} */ of) =>
    of.reduce((all, one) => `${op}(${all}, ${one})`);
  const most = join(
    'max',
    each.map((k) => `a${k}`),
  );
  const infinite = join(
    'or',
    each.map((k) => `eq(a${k}, inf:f64)`),
  );
  const terms = each.slice(1).map(
    (k) => `    n = div(a${k}, most)
    term = sub(mul(n, n), rest)
    next = add(sum, term)
    rest = sub(sub(next, sum), term)
    sum = next`,
  );
  return `
  func js_hypot${count}(${each.map((k) => `x${k}: f64`).join(', ')}) -> f64 {
${sizes.join('\n')}
    if (${infinite}) {
      return inf:f64
    }
    let most: f64 = ${most}
    if (or(is_nan(most), eq(most, 0.0:f64))) {
      return most
    }
    let n: f64 = div(a0, most)
    let sum: f64 = mul(n, n)
    let rest: f64 = 0.0:f64
    let term: f64 = 0.0:f64
    let next: f64 = 0.0:f64
${terms.join('\n')}
    return mul(sqrt(sum), most)
  }
`;
}

/** By the name in front of the number of arguments. @type {Readonly<Record<string, (count: number) => string>>} */
const texts = { js_round: roundText, js_hypot: hypotText };

/** @type {(op: string) => string} */
function textOf(op) {
  const { name, count } = /** @type {{ name: string, count: number }} */ (functionOf(op));
  return texts[name](count).slice(1);
}

/** What one module takes. */
class Prelude {
  constructor() {
    /** @type {Set<string>} */
    this.used = new Set();
  }

  /** Whether there is a function of this name. @param {string} name */
  has(name) {
    return functionOf(name) !== null;
  }

  /** Has the module contain a function, and says its name. @param {string} name */
  use(name) {
    this.used.add(name);
    return name;
  }

  text() {
    return [...this.used].map(textOf).join('');
  }
}

module.exports = { Prelude };
