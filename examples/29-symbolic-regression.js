// A law found in data: symbolic regression gets the distances and the periods of the planets and finds Kepler's third
// law; its front of accuracy and size, the formula as LaTeX, and as machine code for other bodies. With the name of a
// file it writes the page of all formulas and their fits there: node examples/29-symbolic-regression.js laws.html
'use strict';

const fs = require('node:fs');
const { symbolicRegression } = require('graphjit');

// Mercury to Neptune: distance from the sun in astronomical units, period in years.
const distance = Float64Array.of(0.387098, 0.723332, 1, 1.523679, 5.2044, 9.5826, 19.2184, 30.11);
const period = Float64Array.of(0.240846, 0.615198, 1, 1.8808, 11.862, 29.4571, 84.0205, 164.8);

const model = symbolicRegression({ ops: ['add', 'mul', 'div', 'sqrt'], maxSize: 9, constantRange: 0, generations: 40, seed: 1 });
model.fit({ a: distance }, period);

for (const { size, loss, expression } of model.front) console.log(`${size} tokens, mean of squares ${loss.toPrecision(3)}: ${expression}`);
console.log(`\nT(a) = ${model}, in LaTeX ${model.toLatex()}, R² ${model.score({ a: distance }, period).toFixed(6)}`);

const law = model.toGraph().compile();
const { value } = law.run({ a: Float64Array.of(2.7675, 39.482) });
console.log(`Ceres takes ${value.data[0].toFixed(2)} years, Pluto ${value.data[1].toFixed(0)}`);

const [, , page] = process.argv;
if (page !== undefined) fs.writeFileSync(page, model.toHtml({ title: 'Distances and periods of planets' }));
