// All programs by the file that they are in.
'use strict';

const subjects = ['numbers', 'integers', 'bigints', 'statements', 'arrays', 'functions', 'apart', 'large', 'loops', 'errors', 'early', 'mixtures', 'wrappers'];

/** @typedef {{ fn: Function, name?: string, kinds?: import('../support/values.js').Kind[], sets?: any[][], capture?: Record<string, any> }} Program */

module.exports = subjects.flatMap((subject) =>
  require(`./${subject}.js`).map((/** @type {Program} */ program) => ({ subject, name: program.name ?? program.fn.name, ...program })),
);
