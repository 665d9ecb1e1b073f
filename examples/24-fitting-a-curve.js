// Fits a curve: how yeast grows where room is limited (Carlson, 1913), with standard errors of the parameters, and how
// far the curve may be off. leastSquares derives the model by itself; minimize takes any scalar for another loss.
'use strict';

const { jit, leastSquares, minimize } = require('graphjit');

const hours = Float64Array.from({ length: 19 }, (_, i) => i);
const yeast = Float64Array.of(
  ...[9.6, 18.3, 29, 47.2, 71.1, 119.1, 174.6, 257.3, 350.7, 441, 513.3, 559.7, 594.8, 629.4, 640.8, 651.1, 655.9],
  ...[659.6, 661.8],
);

// Growth that slows down as it comes near the most that there can be.
const model = ({ most, rate, middle }, t) => t.sub(middle).mul(rate.neg()).exp().add(1).reciprocal().mul(most);
const start = { most: 500, rate: 1, middle: 10 };

const fit = leastSquares((p, t, seen) => model(p, t).sub(seen), start, { args: [hours, yeast] });
console.log(`${fit.message} after ${fit.iterations} iterations`);
const errors = fit.covariance.diagonal().sqrt();
Object.entries(fit.x).forEach(([name, value], i) => {
  console.log(`${name.padEnd(6)} ${value.toFixed(3).padStart(8)} ± ${errors.at(i).toFixed(3)}`);
});

// The variance of a point of the curve is g C gᵀ, where g, a row of the Jacobian, is its slope by the parameters.
const off = fit.jacobian.matmul(fit.covariance).mul(fit.jacobian).sum({ axis: 1 }).sqrt();
const curve = jit(model)(fit.x, hours);
for (let i = 0; i < hours.length; i += 3) {
  const band = `${curve.at(i).toFixed(1).padStart(5)} ± ${(1.96 * off.at(i)).toFixed(1)}`;
  console.log(`${String(hours[i]).padStart(2)} h: ${band}, measured ${yeast[i]}`);
}

// Errors that are a share of what is measured ask for logarithms, and outliers for a loss that is not quadratic.
const relative = (p, t, seen) => model(p, t).log().sub(seen.log()).square().add(1e-4).sqrt().sum();
const robust = minimize(relative, fit.x, { args: [hours, yeast] });
console.log(`of logarithms: most ${robust.x.most.toFixed(1)}, rate ${robust.x.rate.toFixed(3)}`);
