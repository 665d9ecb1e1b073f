// Loops and random numbers inside a program: paths of a stock by Monte Carlo, and the price of an option on them.
//
// The days are a scan: one function of the prices and of one day's numbers, traced once and run for every day, with the
// mean price of each day stacked beside it. The random numbers are drawn inside the program, from a key that is an
// input: the same key gives the same paths in Node, in wasm and with any number of threads.
'use strict';

const { Graph, erf, random, scan, tensor } = require('graphjit');

const [PATHS, DAYS] = [20_000, 250];
const [START, STRIKE, RATE, VOLATILITY] = [100, 105, 0.03, 0.2];
const day = 1 / DAYS;

const graph = new Graph('option');
const key = graph.input('key', 'u32', [2]);
const prices = graph.constant(START, { dtype: 'f64', shape: [PATHS] });
const noise = random.normal([DAYS, PATHS], { key, dtype: 'f64' });
const [last, means] = scan(
  (price, numbers) => {
    const growth = numbers.mul(VOLATILITY * Math.sqrt(day)).add((RATE - VOLATILITY ** 2 / 2) * day);
    const next = price.mul(growth.exp());
    return [next, next.mean()];
  },
  prices,
  noise,
);
const payoff = last.sub(STRIKE).relu().mul(Math.exp(-RATE));
graph.output('price', payoff.mean()).output('error', payoff.std().div(Math.sqrt(PATHS))).output('means', means);

const program = graph.compile({ threads: 2 });
const { price, error, means: daily } = program.run({ key: random.key(2026).data });
console.log(`an option worth ${price.item().toFixed(2)} ± ${error.item().toFixed(2)} by ${PATHS} paths of ${DAYS} days`);
console.log(`mean prices after 50, 150 and 250 days: ${[49, 149, 249].map((at) => daily.at(at).toFixed(2)).join(', ')}`);

// Black and Scholes have it in closed form.
const normal = (/** @type {number} */ x) => 0.5 * (1 + erf(tensor(x / Math.SQRT2)).item());
const d1 = (Math.log(START / STRIKE) + RATE + VOLATILITY ** 2 / 2) / VOLATILITY;
console.log(`in closed form ${(START * normal(d1) - STRIKE * Math.exp(-RATE) * normal(d1 - VOLATILITY)).toFixed(2)}`);
