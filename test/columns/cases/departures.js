/**
 * Where Gandiva's own tests expect something else than these functions do: rows with Gandiva's result, ours, and why.
 *
 * Texts that are no UTF-8 are left out: Gandiva finds out in each function, here they are refused before anything runs.
 */
'use strict';

module.exports = [
  ['divide', [['int64', 10n], ['int64', 2n]], { gandiva: ['int64', 5n], ours: ['float64', 5] },
    '/ of integers is the true quotient, as in pandas, polars and DuckDB; div is that of integers'],
  ['divide', [['int64', 10n], ['int64', 0n]], { gandiva: ['int64', { error: 'divisionByZero' }], ours: ['float64', Infinity] },
    'for the same reason'],
  ['div', [['float64', 1010.101], ['float64', 0]], { gandiva: ['float64', { error: 'divisionByZero' }], ours: ['float64', Infinity] },
    'floats follow IEEE 754'],
  ['mod', [['float64', 2.5], ['float64', 0]], { gandiva: ['float64', { error: 'divisionByZero' }], ours: ['float64', NaN] },
    'floats follow IEEE 754'],
  ['mod', [['int64', 10n], ['int32', 0]], { gandiva: ['int32', 10], ours: ['int64', { error: 'divisionByZero' }] },
    'a remainder by zero is a division by zero, and has the type of both'],
  ['mod', [['int64', 7n], ['int32', 4]], { gandiva: ['int32', 3], ours: ['int64', 3n] }, 'it has the type of both'],
  ['negative', [['int32', -2147483648]], { gandiva: ['int32', { error: 'overflow' }], ours: ['int32', -2147483648] },
    'integers wrap unless the option overflow says otherwise'],
  ['negative', [['int64', -9223372036854775808n]],
    { gandiva: ['int64', { error: 'overflow' }], ours: ['int64', -9223372036854775808n] }, 'for the same reason'],
  ['greatest', [['int32', 1], ['int32', null]], { gandiva: ['int32', null], ours: ['int32', 1] },
    'nulls do not count, as in PostgreSQL, DuckDB and polars'],
  ['elt', [['int32', 1], ['utf8', null], ['utf8', 'a']], { gandiva: ['utf8', ''], ours: ['utf8', null] },
    'a null that is chosen is null'],
  ['levenshtein', [['utf8', 'X'], ['utf8', 'straße']], { gandiva: ['int32', 7], ours: ['int32', 6] },
    'code points count, not bytes'],
  ['months_between', [['timestamp[ms]', '2000-03-31 00:00:00'], ['timestamp[ms]', '2000-02-28 00:00:00']],
    { gandiva: ['float64', 1], ours: ['float64', 1.096774193548387] }, '2000 was a leap year'],
  ['round', [['float32', 1], ['int32', 2147483647]], { gandiva: ['float32', NaN], ours: ['float32', 1] },
    'there are no digits so far behind the point'],
];
