// Classifies penguins with boosted trees that XGBoost has trained: probabilities, classes, and which measure spoke
// for the class and which against it.
'use strict';

const path = require('node:path');
const { load } = require('graphjit');

const SPECIES = ['Adelie', 'Chinstrap', 'Gentoo'];

const penguins = {
  bill_length_mm: [39.1, 46.5, 46.1, null],
  bill_depth_mm: [18.7, 17.9, 13.2, 17.1],
  flipper_length_mm: [181, 192, 211, 210],
  body_mass_g: [3750, 3500, 4500, undefined], // what nobody has measured goes where the tree says
};

async function main() {
  const forest = await load(path.join(__dirname, 'models', 'penguins-forest.json'), { format: 'xgboost' });
  console.log(String(forest));
  const chances = forest.predict(penguins).toArray();
  const classes = forest.predict(penguins, { output: 'class' }).data;
  const reasons = forest.predict(penguins, { output: 'contributions' }).toArray();
  chances.forEach((row, i) => {
    const best = classes[i];
    const parts = forest.featureNames.map((name, f) => [name, reasons[i][best][f]]);
    parts.sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
    const [first, second] = parts.map(([name, share]) => `${name} ${share < 0 ? '' : '+'}${share.toFixed(2)}`);
    console.log(`${SPECIES[best]} (${(100 * row[best]).toFixed(1)} %): ${first}, ${second}`);
  });
}

main();
