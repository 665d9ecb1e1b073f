// Fits the parameters of an ordinary differential equation (ODE): hares and lynxes by Lotka and Volterra, to the pelts
// that the Hudson's Bay Company took in, 1900 to 1920, in thousands. A Runge-Kutta solver runs inside of the loss, and
// minimize has the gradient by reverse mode through both of its loops. Writes data and fit as a picture, to the file
// that it is given.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { forLoop, jit, leastSquares, minimize, scan } = require('graphjit');

const [FIRST, YEARS] = [1900, 20];
const STEPS = 10; // of the solver in a year
const hares = Float64Array.of(
  ...[30, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22, 25.4, 27.1, 40.3, 57, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6, 16.2],
  24.7,
);
const lynxes = Float64Array.of(
  ...[4, 6.1, 9.8, 35.2, 59.4, 41.7, 19, 13, 8.3, 9.1, 7.4, 8, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6],
);

// Hares multiply and are eaten; lynxes multiply by eating and starve.
const slope = ({ births, eaten, deaths, fed }, [hare, lynx]) => [
  hare.mul(births.sub(lynx.mul(eaten))),
  lynx.mul(hare.mul(fed).sub(deaths)),
];

/** A step of the classical method of Runge and Kutta, of fourth order: four slopes, their mean weighted 1 2 2 1. */
function rungeKutta(f, state, h) {
  const along = (k, part) => state.map((at, i) => at.add(k[i].mul(part * h)));
  const a = f(state);
  const b = f(along(a, 1 / 2));
  const c = f(along(b, 1 / 2));
  const d = f(along(c, 1));
  return state.map((at, i) => at.add(a[i].add(b[i].mul(2)).add(c[i].mul(2)).add(d[i]).mul(h / 6)));
}

/** Hares and lynxes of some years, so many times a year: a loop of steps inside of one that stacks what it is given. */
function solve({ hare, lynx, ...rates }, years, perYear = 1) {
  const step = (_, state) => rungeKutta((now) => slope(rates, now), state, 1 / STEPS);
  const next = (state) => forLoop(0, STEPS / perYear, step, state);
  const [, stacked] = scan((state) => [next(state), state], [hare, lynx], null, { length: years * perYear + 1 });
  return stacked;
}

// What is searched for are logarithms, so that all parameters are positive. Of counts, errors are a share, too.
const positive = (logs) => Object.fromEntries(Object.entries(logs).map(([name, value]) => [name, value.exp()]));
const residuals = (logs, ...seen) => solve(positive(logs), YEARS).map((all, i) => all.log().sub(seen[i].log()));
const loss = (logs, ...seen) => {
  const [ofHares, ofLynxes] = residuals(logs, ...seen).map((each) => each.square().sum());
  return ofHares.add(ofLynxes);
};

const guess = { births: 0.5, eaten: 0.02, deaths: 0.9, fed: 0.02, hare: 30, lynx: 4 };
const start = Object.fromEntries(Object.entries(guess).map(([name, value]) => [name, Math.log(value)]));
const fit = minimize(loss, start, { args: [hares, lynxes] });
console.log(`${fit.message} after ${fit.iterations} iterations; the sum of squares is ${fit.value.toFixed(4)}`);

// leastSquares, begun where that ended, has the covariance: of logarithms, so errors are relative.
const { covariance } = leastSquares(residuals, fit.x, { args: [hares, lynxes] });
const errors = covariance.diagonal().sqrt();
const found = Object.fromEntries(Object.entries(fit.x).map(([name, log]) => [name, Math.exp(log)]));
Object.entries(found).forEach(([name, value], i) => {
  console.log(`${name.padEnd(6)} ${value.toPrecision(3).padStart(6)} ± ${(value * errors.at(i)).toPrecision(1)}`);
});

/** Points and curves by year, as SVG. */
function plot(curves) {
  const at = (year, count) => [40 + 28 * year, 250 - 2.2 * count].map((place) => place.toFixed(1)).join(',');
  const drawn = curves.map(({ name, color, seen, curve }, i) => {
    const dots = Array.from(seen, (count, year) => `<circle r="3.5" transform="translate(${at(year, count)})"/>`);
    const line = Array.from(curve, (count, point) => at(point / STEPS, count)).join(' ');
    return `<g fill="${color}"><polyline points="${line}" fill="none" stroke="${color}" stroke-width="1.5"/>${dots.join('')}
<text x="${45 + 70 * i}" y="25">${name}</text></g>`;
  });
  const years = [0, 5, 10, 15, 20].map((year) => `<text x="${25 + 28 * year}" y="275">${FIRST + year}</text>`);
  const counts = [0, 40, 80].map((count) => `<text x="10" y="${254 - 2.2 * count}">${count}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 290" font-family="sans-serif" font-size="13">
<rect width="640" height="290" fill="#fff"/>${[...years, ...counts].join('')}
${drawn.join('\n')}</svg>\n`;
}

const [hareCurve, lynxCurve] = jit((parameters) => solve(parameters, YEARS, STEPS))(found);
const file = process.argv[2] ?? path.join(os.tmpdir(), 'graphjit-hares-and-lynxes.svg');
fs.writeFileSync(
  file,
  plot([
    { name: 'hares', color: '#2a6fbb', seen: hares, curve: hareCurve.data },
    { name: 'lynxes', color: '#c4511d', seen: lynxes, curve: lynxCurve.data },
  ]),
);
console.log(`data and fit are drawn in ${file}`);
