// Loops at their limits: what a test reads before it stops one, sums that wrap, numbers that leave the integers in between.
'use strict';

const three = Float64Array.of(1, 2, 3);

module.exports = [
  { fn: function readsBeforeTheTest(a, n) { let i = 0, t = 0; while ((t = a[i]) > 0 && i < n) i++; return [t, i]; }, sets: [[three, 3], [three, 5], [three, 2]] },
  { fn: function readsThenAsksForTheEnd(a) { let i = 0, t = 0; while ((t = a[i], i < a.length)) i++; return [t, i]; }, sets: [[three], [new Float64Array(0)]] },
];
