// Symbolic regression against DEAP: runs over as many trees, with the same operators, sizes, rates, and no fitting of constants, which
// DEAP has not. How well formulas are found is what `npm run formulas` tells.
'use strict';

const path = require('node:path');
const { symbolicRegression } = require('graphjit');
const { problems, sampleOf } = require('../support/formulas.js');
const { cores, inPython } = require('../support/peers.js');

const SIZE = 500;
const GENERATIONS = 10;
/** So that DEAP has the very same numbers. */
const text = (/** @type {Float64Array} */ array) => `np.array([${Array.from(array).join(', ')}])`;

function regressionCase(/** @type {number} */ rows) {
  return {
    name: `regression-${rows}`,
    title: `symbolic regression over ${SIZE * (GENERATIONS + 1)} trees in ${GENERATIONS + 1} generations, ${rows} rows`,
    unit: 'ms',
    targets: [{ peer: 'deap', speed: 10 }],
    contestants() {
      const problem = problems.find(({ name }) => name === 'nguyen-12');
      const { x, y } = sampleOf(problem, 1, rows);
      const options = { ops: problem.ops, populationSize: SIZE, islands: 1, generations: GENERATIONS, fitConstants: false, maxSize: 25, target: -1 };
      let seed = 0;
      const on = (/** @type {number} */ threads) => () => symbolicRegression({ ...options, threads, seed: seed++ }).fit(x, y);
      const setup = [
        'import sys', `sys.path.insert(0, ${JSON.stringify(path.join(__dirname, '..', 'support'))})`, 'import numpy as np', 'from regression import make_toolbox, search',
        `toolbox = make_toolbox([${Object.values(x).map(text).join(', ')}], ${text(y)})`,
      ];
      return { graphjit: on(1), ...(cores > 1 && { [`graphjit ×${cores}`]: on(cores) }), ...inPython('deap', setup.join('\n'), `search(toolbox, ${SIZE}, ${GENERATIONS})`) };
    },
  };
}

module.exports = [regressionCase(20), regressionCase(1000)];
