// Random expressions over random columns: the engine against the reference evaluator of test/columns.
//
//   node test/fuzz/columns-engine.js [--seconds 60] [--seed 1] [--only SEED]
//
// A seed makes an expression of any of the functions that both know, columns for it, a form in which they are handed over,
// and options. What is wrong is a value that differs, a fault that does not come or comes for nothing, an error of another
// kind, or the end of the process: --only says which seed it was that came last.
'use strict';

const { parseArgs } = require('node:util');
const { functions } = require('../../lib/columns/functions/index.js');
const { FORMS, compare } = require('../columns/engine.js');
const { generate } = require('../columns/random.js');
const reference = require('../columns/reference/index.js');

/** Of decimals some give types of their own; others have few digits that are right near poles and zeros. */
const OTHERS = new Set(['round', 'truncate', 'trunc', 'ceil', 'ceiling', 'floor', 'castdecimal', 'decimal', 'log', 'cot', 'months_between']);
const NAMES = [...reference.functions.keys()].filter((name) => functions.has(name) && !OTHERS.has(name));
const KINDS = Object.keys(FORMS);

/** What a run is like otherwise. @param {number} seed */
const settingsOf = (seed) => ({
  threads: 1 + (seed % 3),
  tier: seed % 4 === 0 ? 'full' : 'auto',
  optLevel: seed % 8 === 4 ? 1 : 3,
  cache: false,
});

/** @param {number} seed @returns {{ wrong?: string, refused?: string }} */
function tryOne(seed) {
  const generated = generate(seed, { functions: NAMES });
  const form = KINDS[seed % KINDS.length];
  const head = `seed ${seed}, ${form}, ${generated.rows.length} rows, ${JSON.stringify(generated.schema)}: ${generated.text}`;
  try {
    const { wrong, refused } = compare(generated, form, settingsOf(seed));
    return { wrong: wrong && `${head}\n  ${wrong}`, refused: refused && `${head}\n  ${refused}` };
  } catch (error) {
    return { wrong: `${head}\n  ${/** @type {Error} */ (error).stack}` };
  }
}

function main() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: String(Date.now() % 1e9) },
      only: { type: 'string' }, verbose: { type: 'boolean', default: false },
    },
  });
  if (values.only !== undefined) {
    const { wrong, refused } = tryOne(Number(values.only));
    console.log(wrong ?? refused ?? 'right');
    return;
  }
  const end = performance.now() + 1000 * Number(values.seconds);
  const first = Number(values.seed);
  let [seed, refusals] = [first, 0];
  for (; performance.now() < end; seed++) {
    if (values.verbose) console.error(seed);
    const { wrong, refused } = tryOne(seed);
    if (refused !== undefined) refusals++;
    if (refused !== undefined && values.verbose) console.error(refused);
    if (wrong === undefined) continue;
    console.log(wrong);
    process.exitCode = 1;
  }
  console.log(`${seed - first} expressions, of which ${refusals} were refused`);
}

if (require.main === module) main();
module.exports = { NAMES, tryOne };
