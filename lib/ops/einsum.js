/**
 * Einstein sums: products of any number of operands, summed over the axes that the result does not name.
 *
 * The subscripts are NumPy's: a letter per axis, `...` for axes that broadcast, operands separated by commas,
 * and what the result has behind `->`. Without that the result has the axes of `...`, then the letters that
 * occur once, in alphabetical order. A letter twice in one operand stands for its diagonal. Where sizes of a
 * letter differ, those of 1 are repeated.
 *
 * Operands are taken two at a time, in the order that takes the fewest multiplications: of up to five operands
 * all orders are tried, of more the cheapest pair is taken each time, judged by how much smaller the result is
 * than its operands (the greedy path of opt_einsum: Smith and Gray, JOSS 3(26), 753, 2018). Sizes that are
 * expressions count as SYMBOL. Letters that nothing else needs are summed before, so that each pair is one
 * contraction, or where nothing is summed, one multiplication.
 */
'use strict';

const { expected, isOptions, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { alike, append, dimsOf, lift, stateOf } = require('../graph/value.js');
const { dtypeName } = require('../tensor/dtypes.js');
const { MAX_RANK } = require('../tensor/views.js');
const { contraction } = require('./contractions.js');
const { rows } = require('./elementwise.js');
const { diagonalOf } = require('./matrices.js');
const { allAxes, reshapeTo } = require('./movement.js');
const { inDType } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** An operand and the label of each of its axes. @typedef {{ value: Value, labels: string[] }} Term */

const SYMBOL = 128; // what a size that is an expression is taken for
const MOST_EXHAUSTIVE = 5;
const DOTS = '...';

// ------------------------------------------------------------------------------------ subscripts

/** @type {(text: string, subscripts: string) => string[]} letters and DOTS of one operand */
function labelsOf(text, subscripts) {
  const parts = text.match(/\.\.\.|[A-Za-z]|[^]/g) ?? [];
  const odd = parts.find((part) => part !== DOTS && !/^[A-Za-z]$/.test(part));
  if (odd !== undefined)
    fail('ERR_ARGUMENT', `einsum: '${odd}' in subscripts '${subscripts}' is no letter, comma, '->' or '...'`);
  if (parts.filter((part) => part === DOTS).length > 1)
    fail('ERR_ARGUMENT', `einsum: '...' stands twice in '${text}' of subscripts '${subscripts}'`);
  return parts;
}

/** @type {(subscripts: unknown) => { inputs: string[][], output: string[] | undefined, text: string }} */
function parse(subscripts) {
  if (typeof subscripts !== 'string')
    return expected('einsum', "subscripts such as 'ij,jk->ik'", 'argument 1', subscripts);
  const text = subscripts.replaceAll(' ', '');
  const [left, right, ...more] = text.split('->');
  if (more.length > 0) fail('ERR_ARGUMENT', `einsum: '->' stands twice in subscripts '${subscripts}'`);
  const inputs = left.split(',').map((part) => labelsOf(part, subscripts));
  return { inputs, output: right === undefined ? undefined : labelsOf(right, subscripts), text: subscripts };
}

/**
 * Labels of the axes that '...' stands for, so that the last ones of all operands are the same.
 *
 * @type {(count: number) => string[]}
 */
const dotLabels = (count) => Array.from({ length: count }, (_, i) => `.${count - 1 - i}`);

/** @type {(value: Value, labels: string[], number: number, text: string) => Term} */
function termOf(value, labels, number, text) {
  const letters = labels.filter((label) => label !== DOTS).length;
  const hasDots = letters < labels.length;
  if (letters > value.rank || (!hasDots && letters < value.rank)) {
    fail(
      'ERR_SHAPE',
      `einsum: operand ${number} has rank ${value.rank}, but '${labels.join('')}' in '${text}' names ${letters} axes`,
    );
  }
  return { value, labels: labels.flatMap((label) => (label === DOTS ? dotLabels(value.rank - letters) : label)) };
}

/** What the result has. @type {(terms: Term[], output: string[] | undefined, text: string) => string[]} */
function outputLabels(terms, output, text) {
  const all = terms.flatMap(({ labels }) => labels);
  const dots = [...new Set(all.filter((label) => label.startsWith('.')))].sort(
    (a, b) => Number(b.slice(1)) - Number(a.slice(1)),
  );
  if (output === undefined) {
    const once = all.filter((label) => !label.startsWith('.') && all.indexOf(label) === all.lastIndexOf(label));
    return [...dots, ...once.sort()];
  }
  const labels = output.flatMap((label) => (label === DOTS ? dots : label));
  for (const [i, label] of labels.entries()) {
    if (!all.includes(label))
      fail('ERR_ARGUMENT', `einsum: the result has '${label}' in '${text}', but no operand has`);
    if (labels.indexOf(label) !== i) fail('ERR_ARGUMENT', `einsum: '${label}' stands twice in the result of '${text}'`);
  }
  const lost = dots.find((label) => !labels.includes(label));
  if (lost !== undefined) fail('ERR_ARGUMENT', `einsum: operands of '${text}' have '...', but the result has not`);
  return labels;
}

// ----------------------------------------------------------------------------------------- terms

/** Each label once: the axes of one that stands several times become their diagonal. @type {(term: Term) => Term} */
function withoutRepeats({ value, labels }) {
  const second = labels.findIndex((label, i) => labels.indexOf(label) !== i);
  if (second < 0) return { value, labels };
  const first = labels.indexOf(labels[second]);
  const sizes = [first, second].map((axis) => dimsOf(value)[axis]);
  if (sizes[0] !== sizes[1]) {
    const texts = sizes.map((dim) => stateOf(value).text(dim));
    fail('ERR_SHAPE', `einsum: the axes '${labels[second]}' of one operand have sizes ${texts[0]} and ${texts[1]}`);
  }
  const diagonal = diagonalOf(value, 0, first, second, 'einsum'); // its axis comes last
  const rest = labels.filter((_, i) => i !== first && i !== second);
  return withoutRepeats({ value: diagonal, labels: [...rest, labels[second]] });
}

/** Axes of size 1 go whose label has another size elsewhere. @type {(terms: Term[], text: string) => Term[]} */
function withoutOnes(terms, text) {
  /** @type {Map<string, number>} */
  const sizes = new Map();
  for (const { value, labels } of terms) {
    labels.forEach((label, axis) => {
      const [size, known] = [dimsOf(value)[axis], sizes.get(label) ?? 1];
      if (known >= 0 && size >= 0 && known !== 1 && size !== 1 && known !== size) {
        fail('ERR_SHAPE', `einsum: the axes '${label}' of '${text}' have sizes ${known} and ${size}`);
      }
      if (known === 1) sizes.set(label, size);
    });
  }
  return terms.map(({ value, labels }) => {
    const dims = dimsOf(value);
    const kept = labels.map((label, axis) => dims[axis] !== 1 || sizes.get(label) === 1);
    if (kept.every(Boolean)) return { value, labels };
    const shape = dims.filter((_, axis) => kept[axis]);
    return { value: reshapeTo(stateOf(value), value, shape), labels: labels.filter((_, axis) => kept[axis]) };
  });
}

/** A term without the labels that are not needed any more. @type {(term: Term, needed: ReadonlySet<string>) => Term} */
function summed({ value, labels }, needed) {
  const axes = allAxes(labels.length).filter((axis) => !needed.has(labels[axis]));
  if (axes.length === 0) return { value, labels };
  return {
    value: append(stateOf(value), 'reduce_sum', [value], { axes }),
    labels: labels.filter((label) => needed.has(label)),
  };
}

/**
 * The axes of a term in the order of `labels`, with size 1 where it has none.
 *
 * @type {(term: Term, labels: readonly string[]) => Value}
 */
function laidOut(term, labels) {
  const own = labels.filter((label) => term.labels.includes(label));
  const turned = own.every((label, i) => label === term.labels[i])
    ? term.value
    : append(stateOf(term.value), 'transpose', [term.value], { axes: own.map((label) => term.labels.indexOf(label)) });
  if (own.length === labels.length) return turned;
  const dims = dimsOf(turned);
  return reshapeTo(
    stateOf(turned),
    turned,
    labels.map((label) => (own.includes(label) ? dims[own.indexOf(label)] : 1)),
  );
}

// ----------------------------------------------------------------------------------------- pairs

/**
 * What becomes of the labels of two terms when only some are needed afterwards.
 *
 * @type {(a: readonly string[], b: readonly string[], needed: ReadonlySet<string>) => { batch: string[], contract: string[], first: string[], second: string[] }}
 */
function rolesOf(a, b, needed) {
  const shared = a.filter((label) => b.includes(label));
  return {
    batch: shared.filter((label) => needed.has(label)),
    contract: shared.filter((label) => !needed.has(label)),
    first: a.filter((label) => !b.includes(label)),
    second: b.filter((label) => !a.includes(label)),
  };
}

/** @type {(x: Term, y: Term, needed: ReadonlySet<string>, order: readonly string[]) => Term} */
function joined(x, y, needed, order) {
  const roles = rolesOf(x.labels, y.labels, needed);
  const { batch, contract, first, second } = roles;
  const state = stateOf(x.value);
  if (contract.length === 0 || (first.length === 0 && second.length === 0)) {
    const present = [...batch, ...first, ...second];
    const labels = [
      ...order.filter((label) => present.includes(label)),
      ...present.filter((label) => !order.includes(label)),
    ];
    const all = [...labels, ...contract];
    if (all.length > MAX_RANK)
      fail('ERR_SHAPE', `einsum: a product of two operands has ${all.length} axes, the highest rank is ${MAX_RANK}`);
    const product = rows.mul(laidOut(x, all), laidOut(y, all));
    if (contract.length === 0) return { value: product, labels: all };
    const axes = contract.map((_, i) => labels.length + i);
    return { value: append(state, 'reduce_sum', [product], { axes }), labels };
  }
  // What comes first in the result comes from the first operand, so that nothing needs to be turned.
  const at = (/** @type {string[]} */ labels) => Math.max(-1, ...labels.map((label) => order.indexOf(label)));
  if (first.length > 0 && second.length > 0 && at(first) > at(second)) return joined(y, x, needed, order);
  const axesOf = (/** @type {Term} */ term, /** @type {string[]} */ labels) =>
    labels.map((label) => term.labels.indexOf(label));
  const pairs = [contract, batch].map((labels) => /** @type {const} */ ([axesOf(x, labels), axesOf(y, labels)]));
  return {
    value: contraction(state, x.value, y.value, pairs[0], pairs[1], 'einsum'),
    labels: [...batch, ...first, ...second],
  };
}

// ------------------------------------------------------------------------------------- the order

/**
 * Labels that others than `skip` or the result have.
 *
 * @type {(lists: readonly (readonly string[])[], result: readonly string[], skip: readonly number[]) => Set<string>}
 */
function neededBy(lists, result, skip) {
  return new Set([...result, ...lists.flatMap((labels, i) => (skip.includes(i) ? [] : labels))]);
}

/** @type {(labels: Iterable<string>, sizes: ReadonlyMap<string, number>) => number} */
const volume = (labels, sizes) => [...labels].reduce((total, label) => total * Number(sizes.get(label)), 1);

/**
 * The lists when two became one, which stands last.
 *
 * @type {(lists: string[][], i: number, j: number, result: readonly string[]) => string[][]}
 */
function merged(lists, i, j, result) {
  const needed = neededBy(lists, result, [i, j]);
  const labels = [...new Set([...lists[i], ...lists[j]])].filter((label) => needed.has(label));
  return [...lists.filter((_, at) => at !== i && at !== j), labels];
}

/** @type {(count: number) => [number, number][]} */
const pairsOf = (count) =>
  allAxes(count).flatMap((i) =>
    allAxes(count)
      .slice(i + 1)
      .map((j) => /** @type {[number, number]} */ ([i, j])),
  );

/**
 * The cheapest order of all.
 *
 * @type {(lists: string[][], result: readonly string[], sizes: ReadonlyMap<string, number>) => { cost: number, path: [number, number][] }}
 */
function cheapest(lists, result, sizes) {
  if (lists.length < 2) return { cost: 0, path: [] };
  let best = { cost: Infinity, path: /** @type {[number, number][]} */ ([]) };
  for (const [i, j] of pairsOf(lists.length)) {
    const own = volume(new Set([...lists[i], ...lists[j]]), sizes);
    const rest = cheapest(merged(lists, i, j, result), result, sizes);
    if (own + rest.cost < best.cost) best = { cost: own + rest.cost, path: [[i, j], ...rest.path] };
  }
  return best;
}

/** @type {(lists: string[][], result: readonly string[], sizes: ReadonlyMap<string, number>) => [number, number][]} */
function greedy(lists, result, sizes) {
  /** @type {[number, number][]} */
  const path = [];
  for (let left = lists; left.length > 1;) {
    const gain = ([i, j] = [0, 0]) =>
      volume(merged(left, i, j, result).at(-1) ?? [], sizes) - volume(left[i], sizes) - volume(left[j], sizes);
    const best = pairsOf(left.length).reduce((a, b) => (gain(b) < gain(a) ? b : a));
    path.push(best);
    left = merged(left, best[0], best[1], result);
  }
  return path;
}

/**
 * Pairs of positions, each to be replaced by its result at the end of the list.
 *
 * @type {(terms: Term[], result: readonly string[]) => [number, number][]}
 */
function pathOf(terms, result) {
  const sizes = new Map(
    terms.flatMap(({ value, labels }) =>
      labels.map((label, i) => /** @type {const} */ ([label, dimsOf(value)[i] < 0 ? SYMBOL : dimsOf(value)[i]])),
    ),
  );
  const lists = terms.map(({ labels }) => labels);
  return lists.length <= MOST_EXHAUSTIVE ? cheapest(lists, result, sizes).path : greedy(lists, result, sizes);
}

/**
 * @param {unknown} subscripts
 * @param {...unknown} operands and, last, options
 * @returns {Value}
 */
function einsum(subscripts, ...operands) {
  const options = operands.length > 0 && isOptions(operands.at(-1)) ? operands.pop() : undefined;
  const { dtype } = readOptions('einsum', options, { dtype: dtypeName });
  const { inputs, output, text } = parse(subscripts);
  if (inputs.length !== operands.length) {
    return fail(
      'ERR_ARGUMENT',
      `einsum: subscripts '${text}' are of ${inputs.length} operands, got ${operands.length}`,
    );
  }
  const { values } = lift(operands, 'einsum');
  const same = dtype ? values.map((value) => inDType(value, dtype)) : alike(values, 'einsum');
  const named = same.map((value, i) => termOf(value, inputs[i], i + 1, text));
  const result = outputLabels(named, output, text);
  let terms = withoutOnes(named.map(withoutRepeats), text);
  for (const [i, j] of pathOf(terms, result)) {
    const needed = neededBy(
      terms.map(({ labels }) => labels),
      result,
      [i, j],
    );
    const others = [i, j].map((at, k) => new Set([...needed, ...terms[[j, i][k]].labels]));
    const pair = [i, j].map((at, k) => summed(terms[at], others[k]));
    terms = [...terms.filter((_, at) => at !== i && at !== j), joined(pair[0], pair[1], needed, result)];
  }
  return laidOut(summed(terms[0], new Set(result)), result);
}

/**
 * As a method, `x.einsum('ij,jk', y)` begins with x.
 *
 * @type {(x: unknown, subscripts: unknown, ...others: unknown[]) => Value}
 */
const einsumMethod = (x, subscripts, ...others) => einsum(subscripts, x, ...others);

module.exports = { einsum, einsumMethod };
