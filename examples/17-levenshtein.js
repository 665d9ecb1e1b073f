// How many letters differ: the edit distance of texts as bytes, to a whole list of words in one call.
'use strict';

const { native } = require('graphjit');

/** @param {Uint8Array} a @param {Uint8Array} b */
function distance(a, b) {
  const row = new Int32Array(b.length + 1);
  for (let j = 0; j <= b.length; j++) row[j] = j;
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0];
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const change = diagonal + (a[i - 1] === b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = Math.min(change, diagonal + 1, row[j - 1] + 1);
    }
  }
  return row[b.length];
}

/** The word nearest to `text`, by its number. @param {Uint8Array} text @param {Uint8Array} words @param {Int32Array} ends */
function nearest(text, words, ends) {
  let [best, at] = [Infinity, -1];
  for (let i = 0; i < ends.length; i++) {
    const found = distance(text, words.subarray(i === 0 ? 0 : ends[i - 1], ends[i]));
    if (found < best) {
      best = found;
      at = i;
    }
  }
  return { at, distance: best };
}

const words = ['addition', 'derivative', 'function', 'gradient', 'integer', 'loop', 'matrix', 'native', 'parallel', 'vector'];
const bytes = Buffer.from(words.join(''));
const ends = Int32Array.from(words, (_, i) => words.slice(0, i + 1).join('').length);
const find = native(nearest, { capture: { distance } });

for (const text of ['gradeint', 'nativ', 'paralel', 'loops']) {
  const { at, distance: letters } = find(Buffer.from(text), bytes, ends);
  console.log(`${text}: ${words[at]}, ${letters} away`);
}

const [long, other] = [7, 11].map((step) => Uint8Array.from({ length: 4000 }, (_, i) => 97 + ((i * i) % step)));
const fast = native(distance);
for (const [name, run] of Object.entries({ V8: distance, native: fast })) {
  run(long.subarray(0, 500), other);
  const start = performance.now();
  console.log(`${name}: ${run(long, other)} between two texts of 4000 letters in ${(performance.now() - start).toFixed(1)} ms`);
}
