/**
 * The inverse of the error function, by the polynomials of M. Giles, "Approximating the erfinv function" (GPU Computing
 * Gems, Jade edition, 2012): in w = -log((1 - x)(1 + x)) where the inverse is nearly x times a smooth function, in
 * the square root of w nearer to ±1.
 */
'use strict';

const { expected } = require('../base/check.js');
const { constantOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { rows } = require('./elementwise.js');
const { operandOf } = require('./movement.js');

/** @typedef {import('../graph/value.js').Value} Value */

const { abs, add, eq, log1p, lt, mul, neg, select, sqrt, sub } = rows;

/**
 * One polynomial: up to which w, what is taken off w (or its root), and the coefficients, highest power first.
 *
 * @typedef {{ below: number, from: number, root: boolean, terms: number[] }} Piece
 */

/** @type {Piece[]} */
const narrow = [
  {
    below: 5,
    from: 2.5,
    root: false,
    terms: [
      2.81022636e-8, 3.43273939e-7, -3.5233877e-6, -4.39150654e-6, 0.00021858087, -0.00125372503, -0.00417768164,
      0.246640727, 1.50140941,
    ],
  },
  {
    below: Infinity,
    from: 3,
    root: true,
    terms: [
      -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
      1.00167406, 2.83297682,
    ],
  },
];

/** @type {Piece[]} */
const wide = [
  {
    below: 6.25,
    from: 3.125,
    root: false,
    terms: [
      -3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18, 1.115787767802518096e-17,
      -1.333171662854620906e-16, 2.0972767875968561637e-17, 6.6376381343583238325e-15, -4.0545662729752068639e-14,
      -8.1519341976054721522e-14, 2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
      1.051212273321532285e-9, -4.1126339803469836976e-9, -2.9070369957882005086e-8, 4.2347877827932403518e-7,
      -1.3654692000834678645e-6, -1.3882523362786468719e-5, 0.0001867342080340571352, -0.00074070253416626697512,
      -0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356,
    ],
  },
  {
    below: 16,
    from: 3.25,
    root: true,
    terms: [
      2.2137376921775787049e-9, 9.0756561938885390979e-8, -2.7517406297064545428e-7, 1.8239629214389227755e-8,
      1.5027403968909827627e-6, -4.013867526981545969e-6, 2.9234449089955446044e-6, 1.2475304481671778723e-5,
      -4.7318229009055733981e-5, 6.8284851459573175448e-5, 2.4031110387097893999e-5, -0.0003550375203628474796,
      0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066, -0.0037512085075692412107,
      0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635,
    ],
  },
  {
    below: Infinity,
    from: 5,
    root: true,
    terms: [
      -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-9, -3.7894654401267369937e-9,
      7.6157012080783393804e-9, -1.4960026627149240478e-8, 2.9147953450901080826e-8, -6.7711997758452339498e-8,
      2.2900482228026654717e-7, -9.9298272942317002539e-7, 4.5260625972231537039e-6, -1.9681778105531670567e-5,
      7.5995277030017761139e-5, -0.00021503011930044477347, -0.00013871931833623122026, 1.0103004648645343977,
      4.8499064014085844221,
    ],
  },
];

/**
 * @param {unknown} x
 * @returns {Value}
 */
function erfInv(x) {
  const { state, value } = operandOf(x, 'erfInv');
  const { dtype } = value;
  if (dtypes[dtype].kind !== 'float') return expected('erfInv', 'a float Value', 'the operand', x, 'ERR_DTYPE');
  const number = (/** @type {number} */ of) => constantOf(state, of, dtype, String(of), 'erfInv');
  const w = neg(add(log1p(value), log1p(neg(value))));
  const root = sqrt(w);
  const pieces = (dtype === 'f64' ? wide : narrow).map(({ from, root: isRoot, terms }) => {
    const at = sub(isRoot ? root : w, number(from));
    return terms.slice(1).reduce((sum, term) => add(mul(sum, at), number(term)), number(terms[0]));
  });
  const limits = dtype === 'f64' ? wide : narrow;
  const factor = pieces.reduceRight((rest, piece, i) => select(lt(w, number(limits[i].below)), piece, rest));
  return select(eq(abs(value), number(1)), mul(value, number(Infinity)), mul(value, factor));
}

module.exports = { erfInv };
