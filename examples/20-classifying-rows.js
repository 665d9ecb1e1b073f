// Classifies rows of a table with a pipeline of scikit-learn, saved as ONNX: a scaler, boosted trees, and classes with
// names (examples/models/penguins.py made the file). Trees become lookups that run over all rows in one compiled
// program, off the main thread; names of classes stay strings.
'use strict';

const path = require('node:path');
const { load, random } = require('graphjit');

const file = path.join(__dirname, 'models', 'penguins.onnx');

const table = `island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g
Torgersen,39.1,18.7,181,3750
Dream,49.5,19.0,200,3800
Biscoe,46.1,13.2,211,4500
Biscoe,44.0,17.0,200,4100`;

/** The columns that the model says it reads, in its order. @type {(text: string, columns: readonly string[]) => number[][]} */
function rowsOf(text, columns) {
  const [head, ...lines] = text.split('\n').map((line) => line.split(','));
  return lines.map((line) => columns.map((name) => Number(line[head.indexOf(name)])));
}

async function classify() {
  const model = await load(file);
  console.log(String(model));
  const columns = model.metadata.properties.columns.split(',');
  const { species, probabilities } = await model.runAsync(rowsOf(table, columns));
  for (const [i, name] of species.data.entries()) {
    const chances = [...probabilities[i]].map(([each, chance]) => `${each} ${(100 * chance).toFixed(1)} %`);
    console.log(`${name.padEnd(10)} ${chances.join('  ')}`);
  }
}

/** Many rows: an inner value of the file, a plain tensor, instead of a map for each row. */
async function classifyMany() {
  const model = await load(file, { outputs: ['scores'] });
  const [means, deviations] = [[44, 17, 200, 4100], [5, 2, 14, 800]];
  const x = random.normal([100_000, 4], { key: random.key(1) }).mul(deviations).add(means).convert('f32');
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const start = performance.now();
  const { scores } = await model.runAsync(x);
  const ms = performance.now() - start;
  clearInterval(timer);
  const counts = [0, 1, 2].map((label) => Number(scores.argmax({ axis: 1 }).eq(label).countNonzero().item()));
  console.log(`${x.shape[0]} rows in ${ms.toFixed(0)} ms, with ${turns} timers meanwhile: ${counts.join(', ')} of the three`);
}

classify().then(classifyMany);
