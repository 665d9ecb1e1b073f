/**
 * Derivatives of what a function builds, checked in every way that needs no formula.
 *
 * One graph has the values, the cotangents pulled back, the tangents pushed forward, and the same of the pulled back
 * cotangents: second derivatives. All of these are compared with central differences of what the same graph computes, with
 * each other (⟨ct, J t⟩ = ⟨Jᵀ ct, t⟩), with the reference evaluator, and with the graphs of the same function with symbols
 * for sizes and in f32. What has a kink where it is asked has no differences: `differences: false` leaves these out.
 */
'use strict';

require('../support/verify.js');
const assert = require('node:assert/strict');
const { Graph, dtypes, tensor } = require('graphjit');
const { stateOf } = require('../../lib/graph/value.js');
const { pullBack, pushForward } = require('../../lib/transform/derivatives.js');
const { arrayOf, isFloat, randomOf } = require('../support/values.js');

/** @typedef {import('graphjit').Value} Value */
/** @typedef {import('graphjit').Tensor} Tensor */
/** @typedef {Record<string, Value>} Values */
/** @typedef {Record<string, Tensor>} Tensors */
/** @typedef {(values: Values, graph: Graph) => Value | Value[]} Build */

/**
 * @typedef {object} Options
 * @property {string[]} [wrt] names of the inputs that are varied; all of float dtypes when left out
 * @property {number} [tolerance] of differences, relative to the greatest magnitude of an array
 * @property {number} [step] of differences
 * @property {number} [narrowTolerance] of results in f32
 * @property {Record<string, (string | number)[]>} [symbolic] shapes with symbols, by input; those left out are as given
 * @property {boolean} [differences] whether the function is smooth there
 * @property {boolean} [second] whether second derivatives are looked at
 * @property {boolean} [narrow] whether the graph is tried in f32
 * @property {boolean} [compiled] whether it is compiled; else the reference alone is asked
 * @property {number} [seed]
 */

/** Random numbers in [lo, hi). @type {(shape: number[], options?: { seed?: number, lo?: number, hi?: number, dtype?: any }) => Tensor} */
function randomTensor(shape, { seed = 1, lo = -1, hi = 1, dtype = 'f64' } = {}) {
  const random = randomOf(seed);
  const count = shape.reduce((a, b) => a * b, 1);
  return tensor(arrayOf(dtype, Array.from({ length: count }, () => lo + random() * (hi - lo))), { dtype, shape });
}

/** @type {(data: ArrayLike<any>, want: ArrayLike<any>, tolerance: number, title: string) => void} NaN and infinities are equal to themselves */
function assertNear(data, want, tolerance, title) {
  assert.equal(data.length, want.length, `${title}: length`);
  const size = Array.from(want, Number).reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 1);
  for (let i = 0; i < data.length; i++) {
    const [a, b] = [Number(data[i]), Number(want[i])];
    assert.ok(Object.is(a, b) || a === b || Math.abs(a - b) <= tolerance * size, `${title}[${i}]: ${a}, expected ${b}`);
  }
}

/**
 * The graph of a function and its derivatives. Inputs are those of the function, `ct <k>` per float result and `t <name>`
 * per variable. Outputs: `y <k>`, `change <k>` of it, `grad <name>`, and `grad change <name>` (forward over reverse) and
 * `grad grad <name>` (reverse over reverse: of ⟨grads, tangents⟩) where second derivatives are asked for.
 *
 * @param {Build} build
 * @param {Tensors} inputs
 * @param {{ wrt?: string[], symbolic?: Record<string, (string | number)[]>, second?: boolean, dtype?: string }} [options] `dtype`: what f64 becomes
 * @returns {{ graph: Graph, ys: Value[], wrt: string[] }}
 */
function derivativeGraph(build, inputs, { wrt = Object.keys(inputs).filter((name) => isFloat(inputs[name].dtype)), symbolic = {}, second = true, dtype } = {}) {
  const graph = new Graph('derivatives');
  const values = Object.fromEntries(
    Object.entries(inputs).map(([name, { dtype: own, shape }]) => [name, graph.input(name, /** @type {any} */ (own === 'f64' && dtype ? dtype : own), symbolic[name] ?? [...shape])]),
  );
  const ys = [build(values, graph)].flat();
  const floats = ys.filter((y) => isFloat(y.dtype));
  const state = stateOf(floats[0]);
  const xs = wrt.map((name) => values[name]);
  const cts = floats.map((y, k) => graph.input(`ct ${k}`, y.dtype, [...y.shape]));
  const ts = wrt.map((name, i) => graph.input(`t ${name}`, xs[i].dtype, [...xs[i].shape]));
  const grads = pullBack(state, floats, cts, xs);
  pushForward(state, xs, ts, floats).forEach((change, k) => graph.output(`change ${k}`, change));
  ys.forEach((y, k) => graph.output(`y ${k}`, y));
  grads.forEach((grad, i) => graph.output(`grad ${wrt[i]}`, grad));
  if (second) {
    pushForward(state, xs, ts, grads).forEach((change, i) => graph.output(`grad change ${wrt[i]}`, change));
    pullBack(state, grads, ts, xs).forEach((grad, i) => graph.output(`grad grad ${wrt[i]}`, grad));
  }
  return { graph, ys: floats, wrt };
}

/** @type {(results: any) => Record<string, ArrayLike<any>>} */
const dataOf = (results) => Object.fromEntries(Object.entries(results).map(([name, { data }]) => [name, data]));

/** Random cotangents and tangents for that graph; a symbol has the size that the results have. @type {(build: Build, inputs: Tensors, options: Options) => Tensors} */
function directionsOf(build, inputs, { wrt, seed = 1 }) {
  const graph = new Graph('values');
  const values = Object.fromEntries(Object.entries(inputs).map(([name, { dtype, shape }]) => [name, graph.input(name, dtype, [...shape])]));
  [build(values, graph)].flat().forEach((y, k) => graph.output(`y ${k}`, y));
  const ys = Object.values(graph.eval(inputs)).filter((y) => isFloat(y.dtype));
  const names = wrt ?? Object.keys(inputs).filter((name) => isFloat(inputs[name].dtype));
  return {
    ...Object.fromEntries(ys.map((y, k) => [`ct ${k}`, randomTensor([...y.shape], { seed: seed * 31 + k, dtype: y.dtype })])),
    ...Object.fromEntries(names.map((name, i) => [`t ${name}`, randomTensor([...inputs[name].shape], { seed: seed * 37 + i, dtype: inputs[name].dtype })])),
  };
}

/** @type {(a: ArrayLike<any>, b: ArrayLike<any>) => number} */
const dot = (a, b) => Array.from(a, (x, i) => Number(x) * Number(b[i])).reduce((sum, x) => sum + x, 0);

/** Sum over the names of products of what two lists hold for each. @type {(names: (string | number)[], a: (name: any) => ArrayLike<any>, b: (name: any) => ArrayLike<any>) => number} */
const dots = (names, a, b) => names.map((name) => dot(a(name), b(name))).reduce((sum, x) => sum + x, 0);

/** The slope at 0 of f, which gives arrays by name: central differences of two widths, extrapolated (Richardson). @type {(f: (w: number) => Record<string, ArrayLike<any>>, h: number) => (name: string) => number[]} */
function slopes(f, h) {
  const [a, b, c, d] = [f(h), f(-h), f(h / 2), f(-h / 2)];
  return (name) => Array.from(a[name], (x, i) => (4 * (c[name][i] - d[name][i])) / (3 * h) - (x - b[name][i]) / (6 * h));
}

/** @type {(tensors: Tensors, names: string[], move: (data: any, name: string) => void) => Tensors} */
function moved(tensors, names, move) {
  const own = names.map((name) => {
    const { data, dtype, shape } = tensors[name];
    const copy = data.slice();
    move(copy, name);
    return [name, tensor(copy, { dtype, shape: [...shape] })];
  });
  return { ...tensors, ...Object.fromEntries(own) };
}

/** First derivatives one element after the other; second ones along the tangents. */
function checkDifferences(run, inputs, { ys, wrt }, results, { tolerance, step, second }) {
  const loss = (got) => ys.map((_, k) => dot(got[`y ${k}`], inputs[`ct ${k}`].data)).reduce((sum, x) => sum + x, 0);
  for (const name of wrt) {
    const slope = Array.from(inputs[name].data, (_, at) => {
      const f = (w) => ({ loss: [loss(run(moved(inputs, [name], (data) => (data[at] += w))))] });
      return slopes(f, step)('loss')[0];
    });
    assertNear(results[`grad ${name}`], slope, tolerance, `gradient by ${name}, against differences`);
  }
  const along = slopes((w) => run(moved(inputs, wrt, (data, name) => data.forEach((_, i) => (data[i] += w * Number(inputs[`t ${name}`].data[i]))))), step);
  ys.forEach((_, k) => assertNear(results[`change ${k}`], along(`y ${k}`), tolerance, `change of result ${k}, against differences`));
  if (second) wrt.forEach((name) => assertNear(results[`grad change ${name}`], along(`grad ${name}`), tolerance, `change of the gradient by ${name}, against differences`));
}

/** Forward mode against reverse mode. */
function checkModes(inputs, { ys, wrt }, results, second) {
  const keys = [...ys.keys()];
  const forward = dots(keys, (k) => results[`change ${k}`], (k) => inputs[`ct ${k}`].data);
  const reverse = dots(wrt, (name) => results[`grad ${name}`], (name) => inputs[`t ${name}`].data);
  assertNear([forward], [reverse], 1e-10 * Math.max(1, Math.abs(reverse)), 'forward mode against reverse mode');
  if (!second) return;
  for (const name of wrt)
    assertNear(results[`grad grad ${name}`], results[`grad change ${name}`], 1e-9, `second derivative by ${name}: reverse over reverse against forward over reverse`);
}

/**
 * Checks the derivatives of a function at the inputs.
 *
 * @param {Build} build
 * @param {Tensors} inputs floats among them of f64
 * @param {Options} [options]
 * @returns {Record<string, any>} the results of the derivative graph, by name
 */
function checkDerivatives(build, inputs, options = {}) {
  const { tolerance = 1e-6, step = 1e-4, narrowTolerance = 1e-4, differences = true, second = true, compiled = true, narrow = true, symbolic } = options;
  const made = derivativeGraph(build, inputs, { ...options, symbolic: {} });
  const all = { ...inputs, ...directionsOf(build, inputs, options) };
  const results = dataOf(made.graph.eval(all));
  const same = (got, bound, title) => {
    assert.deepEqual(Object.keys(got), Object.keys(results), title);
    for (const name of Object.keys(results)) assertNear(got[name], results[name], bound, `${title}: ${name}`);
  };
  checkModes(all, made, results, second);
  const program = compiled ? made.graph.compile({ optLevel: 1 }) : undefined;
  const run = (/** @type {Tensors} */ given) => dataOf(program ? program.run(given) : made.graph.eval(given));
  if (program) same(run(all), 1e-12, 'compiled against reference');
  if (differences) checkDifferences(run, all, made, results, { tolerance, step, second });
  program?.dispose();
  if (symbolic) {
    const { graph } = derivativeGraph(build, inputs, options);
    same(dataOf(graph.eval(all)), 1e-12, 'sizes as symbols');
    if (compiled) {
      const general = graph.compile({ optLevel: 1 });
      same(dataOf(general.run(all)), 1e-12, 'compiled, sizes as symbols');
      general.dispose();
    }
  }
  if (narrow) {
    const { graph } = derivativeGraph(build, inputs, { ...options, dtype: 'f32' });
    const given = Object.entries(all).map(([name, { data, dtype, shape }]) => [name, dtype === 'f64' ? tensor(Float32Array.from(/** @type {any} */ (data)), { shape: [...shape] }) : all[name]]);
    same(dataOf(graph.eval(Object.fromEntries(given))), narrowTolerance, 'in f32');
  }
  return results;
}

/**
 * Checks the derivatives at inputs of several sizes: by the reference each, and that one program for all sizes gives the same.
 *
 * @param {Build} build
 * @param {Tensors[]} all
 * @param {Record<string, (string | number)[]>} symbolic
 * @param {Options} [options]
 */
function checkSizes(build, all, symbolic, options = {}) {
  const { graph } = derivativeGraph(build, all[0], { ...options, symbolic });
  const program = graph.compile({ optLevel: 1 });
  for (const inputs of all) {
    const sizes = Object.entries(inputs).map(([name, { shape }]) => `${name} [${shape.join(', ')}]`);
    const results = checkDerivatives(build, inputs, { ...options, compiled: false, narrow: false });
    const got = dataOf(program.run({ ...inputs, ...directionsOf(build, inputs, options) }));
    for (const name of Object.keys(results)) assertNear(got[name], results[name], 1e-12, `${sizes.join(', ')}: ${name}`);
  }
  program.dispose();
}

/** Derivatives for given directions, by the reference: for conventions at kinks. @type {(build: Build, inputs: Tensors, directions: Record<string, number[]>, options?: { wrt?: string[], second?: boolean }) => Record<string, any>} */
function derivativesAt(build, inputs, directions, options = {}) {
  const { graph } = derivativeGraph(build, inputs, { second: false, ...options });
  const defaults = directionsOf(build, inputs, options);
  const given = Object.entries(defaults).map(([name, { shape, dtype }]) => {
    const data = directions[name] ?? new Array(shape.reduce((a, b) => a * b, 1)).fill(0);
    return [name, tensor(dtypes[dtype].arrayType.from(/** @type {any} */ (data)), { dtype, shape: [...shape] })];
  });
  return dataOf(graph.eval({ ...inputs, ...Object.fromEntries(given) }));
}

module.exports = { assertNear, checkDerivatives, checkSizes, derivativeGraph, derivativesAt, randomTensor };
