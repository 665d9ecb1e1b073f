// Statistics of a moving window over a Float64Array: mean, deviation and median of the last 50 prices at every moment.
'use strict';

const { native } = require('graphjit');

/**
 * @param {Float64Array} prices
 * @param {Float64Array} bands rows of mean, deviation and median
 */
function windows(prices, bands, width) {
  const sorted = new Float64Array(width);
  let [sum, squares, filled] = [0, 0, 0];
  for (let i = 0; i < prices.length; i++) {
    const price = prices[i];
    if (filled === width) {
      const gone = prices[i - width];
      sum -= gone;
      squares -= gone * gone;
      let at = 0;
      while (sorted[at] !== gone) at++;
      for (filled--; at < filled; at++) sorted[at] = sorted[at + 1];
    }
    sum += price;
    squares += price * price;
    let at = filled++;
    for (; at > 0 && sorted[at - 1] > price; at--) sorted[at] = sorted[at - 1];
    sorted[at] = price;
    const mean = sum / filled;
    bands[3 * i] = mean;
    bands[3 * i + 1] = Math.sqrt(Math.max(0, squares / filled - mean * mean));
    bands[3 * i + 2] = filled % 2 === 1 ? sorted[filled >> 1] : (sorted[filled / 2 - 1] + sorted[filled / 2]) / 2;
  }
}

const prices = new Float64Array(200_000);
let price = 100;
for (let i = 0; i < prices.length; i++) prices[i] = price += Math.sin(i * i) / 10;

const [ours, theirs] = [new Float64Array(3 * prices.length), new Float64Array(3 * prices.length)];
for (const [name, run, bands] of /** @type {const} */ ([['V8', windows, theirs], ['native', native(windows), ours]])) {
  run(prices.subarray(0, 1000), bands, 50);
  const start = performance.now();
  run(prices, bands, 50);
  console.log(`${name}: ${(performance.now() - start).toFixed(1)} ms`);
}
console.log(`the same to the last bit: ${ours.every((x, i) => Object.is(x, theirs[i]))}`);
const [mean, deviation, median] = ours.subarray(-3);
console.log(`at the end: mean ${mean.toFixed(3)}, deviation ${deviation.toFixed(3)}, median ${median.toFixed(3)}`);
