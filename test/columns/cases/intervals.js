/**
 * Intervals from texts, and dates by a pattern, as Gandiva's own tests expect. Years and months of a period do not count
 * for an interval of days, nor days and times for one of months.
 */
'use strict';

module.exports = [
  ['castINTERVALDAY', [['utf8', '73834992']], 'interval[day_time]', { days: 0, milliseconds: 73834992 }],
  ['castINTERVALDAY', [['utf8', '1']], 'interval[day_time]', { days: 0, milliseconds: 1 }],
  ['castINTERVALDAY', [['utf8', 'PT0.001S']], 'interval[day_time]', { days: 0, milliseconds: 1 }],
  ['castINTERVALDAY', [['utf8', 'P12Y15D']], 'interval[day_time]', { days: 15, milliseconds: 0 }],
  ['castINTERVALDAY', [['utf8', 'P12Y2M15D']], 'interval[day_time]', { days: 15, milliseconds: 0 }],
  ['castINTERVALDAY', [['utf8', 'P5M13D']], 'interval[day_time]', { days: 13, milliseconds: 0 }],
  ['castINTERVALDAY', [['utf8', 'P2Y5M13DT10H42M21S']], 'interval[day_time]', { days: 13, milliseconds: 38541000 }],
  ['castINTERVALDAY', [['utf8', 'PT10H42M21S']], 'interval[day_time]', { days: 0, milliseconds: 38541000 }],
  ['castINTERVALDAY', [['utf8', 'PT42M21S']], 'interval[day_time]', { days: 0, milliseconds: 2541000 }],
  ['castINTERVALDAY', [['utf8', 'P1W']], 'interval[day_time]', { days: 7, milliseconds: 0 }],
  ['castINTERVALDAY', [['utf8', 'P10W']], 'interval[day_time]', { days: 70, milliseconds: 0 }],
  ['castINTERVALDAY', [['utf8', '']], 'interval[day_time]', { error: 'cast' }],
  ['castINTERVALDAY', [['utf8', 'P2Y5M13T']], 'interval[day_time]', { error: 'cast' }],
  ['castINTERVALDAY', [['utf8', 'words']], 'interval[day_time]', { error: 'cast' }],
  ['castINTERVALDAY', [['utf8', null]], 'interval[day_time]', null],
  ['castINTERVALDAY', [['int32', 10]], 'interval[day_time]', { days: 10, milliseconds: 0 }],

  ['castINTERVALYEAR', [['utf8', '73834992']], 'interval[year_month]', { months: 73834992 }],
  ['castINTERVALYEAR', [['utf8', 'P12Y15D']], 'interval[year_month]', { months: 144 }],
  ['castINTERVALYEAR', [['utf8', 'P12Y2M15D']], 'interval[year_month]', { months: 146 }],
  ['castINTERVALYEAR', [['utf8', 'P5M13D']], 'interval[year_month]', { months: 5 }],
  ['castINTERVALYEAR', [['utf8', 'P2Y5M13DT10H42M21S']], 'interval[year_month]', { months: 29 }],
  ['castINTERVALYEAR', [['utf8', 'PT10H42M21S']], 'interval[year_month]', { months: 0 }],
  ['castINTERVALYEAR', [['utf8', 'words']], 'interval[year_month]', { error: 'cast' }],
  ['castINTERVALYEAR', [['int64', 10n]], 'interval[year_month]', { months: 10 }],

  ['castBIGINT', [['interval[day_time]', { days: 10, milliseconds: 5 }]], 'int64', 864000005n],
  ['castINT', [['interval[year_month]', { months: 25 }]], 'int32', 2],
  ['castBIGINT', [['interval[year_month]', { months: -25 }]], 'int64', -2n],
  ['extractDay', [['interval[day_time]', { days: 7, milliseconds: 5 }]], 'int64', 7n],

  ['to_date', [['utf8', '1986-12-01 01:01:01'], ['utf8', 'YYYY-MM-DD HH:MI:SS']], 'date64', '1986-12-01'],
  ['to_date', [['utf8', '1986-12-01 01:01:01.11'], ['utf8', 'YYYY-MM-DD HH:MI:SS']], 'date64', '1986-12-01'],
  ['to_date', [['utf8', '1986-12-01 01:01:01 +0800'], ['utf8', 'YYYY-MM-DD HH:MI:SS']], 'date64', '1986-12-01'],
  ['to_date', [['utf8', '1886-12-01 01:01:01'], ['utf8', 'YYYY-MM-DD HH:MI:SS']], 'date64', '1886-12-01'],
  ['to_date', [['utf8', '1886-12-1'], ['utf8', 'YYYY-MM-DD']], 'date64', '1886-12-01'],
  ['to_date', [['utf8', '2012-12'], ['utf8', 'YYYY-MM']], 'date64', '2012-12-01'],
  ['to_date', [['utf8', '1999'], ['utf8', 'YYYY']], 'date64', '1999-01-01'],
  ['to_date', [['utf8', '1986-01-40 01:01:01'], ['utf8', 'YYYY-MM-DD HH:MI:SS']], 'date64', { error: 'cast' }],
  ['to_date', [['utf8', '1986-21-01'], ['utf8', 'YYYY-MM-DD'], ['int32', 0]], 'date64', { error: 'cast' }],
  ['to_date', [['utf8', '1986-21-01'], ['utf8', 'YYYY-MM-DD'], ['int32', 1]], 'date64', null],
  ['to_date', [['utf8', null], ['utf8', 'YYYY-MM-DD']], 'date64', null],
];
