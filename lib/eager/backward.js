/**
 * backward: gradients along what was recorded (tape.js).
 *
 * All of it is one graph: the steps again, on values, and the derivative that the core makes of these. A result of a
 * step whose elements are in memory becomes an input of that graph wherever a derivative reads it, so that only what
 * was never stored, or is a view, is computed again. The program is found by a text that says of each step what it is
 * and what it was applied to, which takes the second step of a training loop microseconds: nothing is traced again.
 *
 * Gradients that a tensor has already are inputs too, and what comes out is the sum. Gradients of gradients are left
 * out: a derivative of a function (`grad`) composes.
 */
'use strict';

const { boolean, readOptions } = require('../base/check.js');
const { GraphError, fail } = require('../base/errors.js');
const { Graph, stateOfGraph } = require('../graph/graph.js');
const { within } = require('../graph/value.js');
const { asTensor, onesLike } = require('../tensor/create.js');
const { noGrad } = require('../tensor/recording.js');
const { Tensor, checkGradient, historyOf, isDisposed, storageOf } = require('../tensor/tensor.js');
const { shapeText } = require('../tensor/views.js');
const { filled, pullBack } = require('../transform/derivatives.js');
const { fresh, liftTree } = require('../transform/variables.js');
const { Direct, kernelFor } = require('./kernels.js');

/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../tensor/recording.js').History} History */
/** @typedef {import('./tape.js').Step} Step */

/** Where an input of the graph comes from. @typedef {{ kind: 'tensor' | 'grad' | 'seed', slot: number }} Source */

let walks = 0;

/** @type {(tensor: Tensor) => Step | null} */
const stepOf = (tensor) => /** @type {Step | null} */ (historyOf(tensor)?.step ?? null);

/**
 * Steps in an order in which each comes after those whose results it takes. Without recursion: there may be many.
 *
 * @param {Step} last
 * @returns {Step[]}
 */
function inOrder(last) {
  const walk = ++walks;
  /** @type {Step[]} */
  const order = [];
  /** @type {Step[]} */
  const path = [];
  const enter = (/** @type {Step | null} */ step) => {
    if (step === null || step.walk === walk) return;
    if (step.isReleased) {
      fail(
        'ERR_STATE',
        `backward: ${step.name} was gone through by an earlier backward(), which let go of its operands: give that one { retainGraph: true }`,
      );
    }
    step.walk = walk;
    step.next = 0;
    path.push(step);
  };
  enter(last);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    if (top.next < top.inputs.length) enter(stepOf(top.inputs[top.next++]));
    else {
      path.pop();
      top.index = order.push(top) - 1;
    }
  }
  return order;
}

/** The tensors that steps take, numbered, and the text that tells a tape from others. */
class Tape {
  /**
   * @param {Tensor} root
   * @param {boolean} isSeeded whether the gradient of the root is given
   */
  constructor(root, isSeeded) {
    this.steps = inOrder(/** @type {Step} */ (stepOf(root)));
    this.isSeeded = isSeeded;
    /** @type {Map<Tensor, number>} */
    this.slots = new Map();
    /** @type {Tensor[]} */
    this.tensors = [];
    /** What there is in memory, per slot. @type {boolean[]} */
    this.given = [];
    /** Slots whose gradients are kept. @type {number[]} */
    this.wanted = [];
    /** Whether it says everything. */
    this.isKeyed = true;
    this.key = isSeeded ? 'backward seeded' : 'backward';
    /** Slots of the inputs of each step. @type {number[][]} */
    this.inputs = this.steps.map((step) => this.#step(step));
    this.root = this.#slot(root);
  }

  /** @param {Step} step */
  #step({ name, key, inputs, writes }) {
    const slots = inputs.map((input, i) => {
      if (storageOf(input).writes !== writes[i]) {
        fail('ERR_STATE', `backward: operand ${i + 1} of ${name} was set to other elements since, so that its derivative is lost`);
      }
      return this.#slot(input);
    });
    if (key === null) this.isKeyed = false;
    this.key += `;${key}(${slots})`;
    return slots;
  }

  /** @type {(tensor: Tensor) => number} */
  #slot(tensor) {
    const found = this.slots.get(tensor);
    if (found !== undefined) return found;
    const slot = this.tensors.push(tensor) - 1;
    this.slots.set(tensor, slot);
    const history = historyOf(tensor);
    const step = stepOf(tensor);
    const isGiven = step === null || isStored(tensor, step);
    this.given.push(isGiven);
    this.key += step === null ? ' ' : ` ${step.index}.${/** @type {History} */ (history).index}${isGiven ? '=' : ''}`;
    this.key += `${tensor.dtype}[${tensor.shape}]`;
    if (history === null || !history.requiresGrad || !(step === null || history.retainsGrad)) return slot;
    this.wanted.push(slot);
    this.key += history.grad === null ? '!' : '+';
    return slot;
  }
}

/** Whether elements that a step made can be read. @type {(tensor: Tensor, step: Step) => boolean} */
const isStored = (tensor, { isView }) => !isView && storageOf(tensor).pending === null && !isDisposed(tensor);

// ----------------------------------------------------------------------------------------- the graph

/**
 * A value of the sizes that a tensor has, where data decided on these.
 *
 * @type {(value: Value, shape: readonly number[]) => Value}
 */
function sized(value, shape) {
  const { graph } = value;
  return value.shape.reduce((made, size, axis) => {
    if (typeof size === 'number') return made;
    return /** @type {any} */ (made).take(graph.iota([shape[axis]], { dtype: 'i64' }), { axis });
  }, value);
}

/** @type {(tape: Tape, state: GraphState, values: Value[]) => void} the values of all slots */
function replay({ steps, inputs, tensors }, state, values) {
  /** @type {Value[][]} */
  const results = steps.map(() => []);
  const valueFor = (/** @type {number} */ slot) => {
    if (values[slot] !== undefined) return values[slot];
    const { step, index } = /** @type {History} */ (historyOf(tensors[slot]));
    values[slot] = sized(results[/** @type {Step} */ (step).index][index], tensors[slot].shape);
    return values[slot];
  };
  steps.forEach((step, i) => {
    const own = inputs[i].map(valueFor);
    const made = liftTree(state, step.replay(own, state), 'the result', step.name).values;
    // What an operation has left as it is has a gradient of its own all the same.
    results[i] = made.map((value) => (own.some(({ ref }) => ref === value.ref) ? fresh(state, value) : value));
  });
  tensors.forEach((_, slot) => valueFor(slot));
}

/** A node of the graph itself, not of a function in it; with its type, if data does not decide on that. */
const NODE = /^ {2}%(\d+) = (\w+)(?:.* : (\w+\[[\d, ]*\])$)?/;
const OUTPUT = /^ {2}output /;

/** @type {(line: string) => number[]} */
const refsIn = (line) => Array.from(line.matchAll(/%(\d+)/g), ([, ref]) => Number(ref));

/** Sizes that data decide on, and the one that a node counts. */
const SIZES = /\b_\d+\b/g;
const COUNT = /count=\[(_\d+)\]/;

/**
 * The text of a graph in which some nodes are inputs, without what nobody needs then.
 *
 * @param {string} text
 * @param {ReadonlyMap<number, string>} given names of inputs, by what they stand for
 * @returns {string}
 */
function cut(text, given) {
  /** @type {Set<number>} */
  const needed = new Set();
  /** Those with further results, which stay with them. @type {Set<number>} */
  const several = new Set();
  /** @type {Set<string>} */
  const sizes = new Set();
  const lines = text.split('\n').reverse().map((line) => {
    if (OUTPUT.test(line)) refsIn(line).forEach((ref) => needed.add(ref));
    const node = NODE.exec(line);
    if (node === null) return line;
    const [, number, op, type] = node;
    const ref = Number(number);
    if (!needed.has(ref) && !sizes.has(COUNT.exec(line)?.[1] ?? '')) return null;
    const name = several.has(ref) || type === undefined ? undefined : given.get(ref);
    if (name !== undefined) return `  %${ref} = param "${name}" : ${type}`;
    const operands = refsIn(line.slice(line.indexOf('=')));
    for (const each of operands) needed.add(each);
    for (const [size] of line.matchAll(SIZES)) sizes.add(size);
    if (op === 'result') several.add(operands[0]);
    return line;
  });
  return lines.filter((line) => line !== null).reverse().join('\n');
}

/** @type {(state: GraphState, root: Value, seed: Value, variables: readonly Value[]) => Value[]} */
function derived(state, root, seed, variables) {
  try {
    return pullBack(state, [root], [seed], variables);
  } catch (error) {
    if (error instanceof GraphError) fail(error.code, `backward: ${error.message}`);
    throw error;
  }
}

/** @type {(tape: Tape, graph: Graph) => Map<number, string>} the inputs that nodes may become */
function append(tape, graph) {
  const state = stateOfGraph(graph);
  /** @type {Value[]} */
  const values = [];
  const { tensors, given, wanted, root } = tape;
  const input = (/** @type {Source['kind']} */ kind, /** @type {number} */ slot) =>
    graph.input(`${kind} ${slot}`, tensors[slot].dtype, tensors[slot].shape);
  tensors.forEach((tensor, slot) => {
    if (stepOf(tensor) === null) values[slot] = input('tensor', slot);
  });
  replay(tape, state, values);
  const seed = tape.isSeeded ? input('seed', root) : filled(values[root], 1);
  const grads = derived(state, values[root], seed, wanted.map((slot) => values[slot]));
  wanted.forEach((slot, i) => {
    const { grad } = /** @type {History} */ (historyOf(tensors[slot]));
    graph.output(`r${i}`, grad === null ? grads[i] : /** @type {any} */ (input('grad', slot)).add(grads[i]));
  });
  const stored = values.map((value, slot) => /** @type {[number, string]} */ ([value.ref, `tensor ${slot}`]));
  return new Map(stored.filter((_, slot) => given[slot] && stepOf(tensors[slot]) !== null));
}

/** @type {(tape: Tape, source: Source, seed: Tensor | null) => Tensor} */
function tensorAt({ tensors }, { kind, slot }, seed) {
  if (kind === 'tensor') return tensors[slot];
  return /** @type {Tensor} */ (kind === 'grad' ? tensors[slot].grad : seed);
}

/** @type {(tape: Tape, seed: Tensor | null) => Direct} */
function build(tape, seed) {
  const graph = new Graph('backward');
  /** @type {Graph | undefined} */
  let whole;
  try {
    const given = within(stateOfGraph(graph), () => append(tape, graph));
    whole = Graph.parse(cut(String(graph), given));
    const sources = whole.inputs.map(({ name }) => {
      const [kind, slot] = name.split(' ');
      return /** @type {Source} */ ({ kind, slot: Number(slot) });
    });
    return new Direct(whole, 'backward', sources.map((source) => tensorAt(tape, source, seed)), sources);
  } finally {
    graph.dispose();
    whole?.dispose();
  }
}

// ----------------------------------------------------------------------------------------------- running

/** @type {(root: Tensor, gradient: unknown) => Tensor | null} null for one, of a scalar */
function readGradient(root, gradient) {
  if (gradient === undefined || gradient === null) {
    if (root.size === 1) return null;
    return fail(
      'ERR_SHAPE',
      `backward: the tensor is ${root.dtype}${shapeText(root.shape)}, not one number: reduce it, for example with sum or mean, or give the gradient of what is made of it, a tensor of that shape`,
    );
  }
  const given =
    gradient instanceof Tensor ? gradient : asTensor(/** @type {any} */ (gradient), { dtype: root.dtype });
  checkGradient(root, given, 'backward');
  return given;
}

/** The gradient of a tensor that no operation made. @type {(leaf: Tensor, seed: Tensor | null) => void} */
function giveToLeaf(leaf, seed) {
  const history = /** @type {History} */ (historyOf(leaf));
  const own = seed === null ? onesLike(leaf) : seed.copy();
  history.grad = history.grad === null ? own : /** @type {any} */ (history.grad).add(own);
}

/** @type {(tape: Tape, seed: Tensor | null) => Tensor[]} */
function gradients(tape, seed) {
  const run = (/** @type {Direct} */ { callable, result }) =>
    callable.call(/** @type {Source[]} */ (result).map((source) => tensorAt(tape, source, seed)));
  if (tape.isKeyed) return run(kernelFor(tape.key, () => build(tape, seed)));
  const direct = build(tape, seed);
  try {
    return run(direct);
  } finally {
    direct.drop();
  }
}

/**
 * @param {Tensor} root
 * @param {unknown} gradient
 * @param {unknown} options
 */
function backward(root, gradient, options) {
  const { retainGraph = false } = readOptions('backward', options, { retainGraph: boolean });
  noGrad(() => {
    const seed = readGradient(root, gradient);
    if (stepOf(root) === null) return giveToLeaf(root, seed);
    const tape = new Tape(root, seed !== null);
    const grads = tape.wanted.length === 0 ? [] : gradients(tape, seed);
    tape.wanted.forEach((slot, i) => {
      /** @type {History} */ (historyOf(tape.tensors[slot])).grad = grads[i];
    });
    if (!retainGraph) for (const step of tape.steps) step.release();
    return undefined;
  });
}

module.exports = { backward };
