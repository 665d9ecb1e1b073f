/**
 * Amounts as people read them: three figures and a unit.
 */
'use strict';

/** Three figures. @type {(value: number) => string} */
const figures = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

/** @type {(units: readonly string[], step: number) => (value: number) => string} */
const scaled = (units, step) => (value) => {
  let unit = 0;
  let rest = value;
  while (rest >= step * 0.9995 && unit < units.length - 1) {
    rest /= step;
    unit++;
  }
  return `${unit === 0 && Number.isInteger(rest) ? rest : figures(rest)} ${units[unit]}`;
};

const bytesText = scaled(['B', 'KiB', 'MiB', 'GiB', 'TiB'], 1024);
/** Of nanoseconds. */
const timeText = scaled(['ns', 'µs', 'ms', 's'], 1000);
/** "12.3 M", to be followed by what is counted. */
const countText = scaled(['', 'k', 'M', 'G', 'T', 'P'], 1000);

module.exports = { bytesText, countText, figures, timeText };
