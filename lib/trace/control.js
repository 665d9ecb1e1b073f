/**
 * Control flow in graphs: choices and loops, whose branches and bodies are functions of Values.
 *
 * Each function is called once, to record what it does as a function of the graph. Values from outside that it uses
 * become operands by themselves. State and results are trees (pytree.js): arrays and plain objects of Values. A value
 * of a body means nothing outside of it, since the body may run any number of times; one that was kept says so.
 */
'use strict';

const { native } = require('../base/binding.js');
const { callable, boolean, describe, expected, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { asTensor } = require('../tensor/create.js');
const { Tensor } = require('../tensor/tensor.js');
const { flatten, flattenAs, leafPaths, pathText, unflatten } = require('./pytree.js');
const { checkEnds } = require('./trace.js');
const {
  GraphState, append, constantFrom, constantOf, currentState, dimsOf, graphOf, isScalar, isValue, resultsOf, rootOf,
  stateOf, valueOf, within,
} = require('../graph/value.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('./pytree.js').Structure} Structure */
/** @typedef {(...args: any[]) => unknown} Fn */
/** @typedef {{ dtype: import('../tensor/dtypes.js').DType, dims: readonly number[] }} Type */

/** Values of the graph around that the functions of one op use: they are the last inputs of each of them. */
class Captures {
  constructor() {
    /** @type {Value[]} */
    this.values = [];
  }

  /** @type {(value: Value) => number} */
  indexOf(value) {
    const found = this.values.findIndex(({ ref }) => ref === value.ref);
    return found >= 0 ? found : this.values.push(value) - 1;
  }
}

/** As many as GJ_MAX_FUNCTION_DEPTH in src/ir/graph.h; here the stack of JavaScript is spared the rest. */
const MAX_DEPTH = 32;

/** What an error calls a value whose graph may be gone. @type {(value: Value) => string} */
function described(value) {
  try {
    return describe(value);
  } catch {
    return `Value ${value}`;
  }
}

/** What a function of a graph knows while it is traced, and afterwards. */
class Body {
  /**
   * @param {string} caller
   * @param {GraphState} outer
   * @param {Captures} captures
   * @param {string} name
   */
  constructor(caller, outer, captures, name) {
    this.caller = caller;
    this.outer = outer;
    /** @type {number} */
    this.depth = 1 + (outer.body?.depth ?? 0);
    if (this.depth > MAX_DEPTH) {
      fail(
        'ERR_OVERFLOW',
        `${caller}: functions are nested more than ${MAX_DEPTH} deep: one that calls itself cannot be recorded`,
      );
    }
    this.captures = captures;
    this.ended = false;
    /** The inputs that stand for captured values. @type {Value[]} */
    this.own = [];
    this.state = new GraphState(native.graphFunction(outer.handle, name));
    rootOf(outer).functions.push(this.state.handle);
    this.state.graph = outer.graph;
    this.state.body = this;
    this.inputs = 0;
    this.made = 0;
  }

  /** Counts the values that the function makes. */
  record() {
    if (!this.ended) checkEnds(this.made++, this.caller, 'a function');
  }

  /** @type {(type: Type) => Value} */
  input({ dtype, dims }) {
    return valueOf(this.state, native.graphParam(this.state.handle, `x${this.inputs++}`, dtype, [...dims]));
  }

  /** Gives the function an input for each value that was captured so far. */
  fill() {
    while (this.own.length < this.captures.values.length) {
      const { dtype } = this.captures.values[this.own.length];
      this.own.push(this.input({ dtype, dims: dimsOf(this.captures.values[this.own.length]) }));
    }
  }

  /** @type {(value: Value) => Value} what a value of a graph around is in here */
  capture(value) {
    const outer = stateOf(value) === this.outer ? value : /** @type {Body} */ (this.outer.body).capture(value);
    const index = this.captures.indexOf(outer);
    this.fill();
    return this.own[index];
  }

  /**
   * Refuses a value that was kept.
   *
   * @param {Value} value
   * @returns {never}
   */
  refuse(value) {
    return fail(
      'ERR_STATE',
      `${this.caller}: ${described(value)} is a value of a function that was traced, which may run any number of times: return it as a result instead`,
    );
  }

  /**
   * Refuses to let JavaScript look into a value.
   *
   * @param {Value} value
   * @param {string} use
   * @returns {never}
   */
  refuseUse(value, use) {
    return fail(
      'ERR_ARGUMENT',
      `${this.caller}: JavaScript asked ${describe(value)} ${use}, but it has no data while a function is recorded: choose with cond or where, repeat with whileLoop`,
    );
  }

  /** @type {(values: readonly Value[]) => number} ends the function; its number */
  add(values) {
    this.fill();
    values.forEach((value, i) => native.graphOutput(this.state.handle, `r${i}`, this.inside(value).ref));
    return native.graphFunctionAdd(this.state.handle);
  }

  /** @type {(value: Value) => Value} */
  inside(value) {
    return stateOf(value) === this.state ? value : this.capture(value);
  }
}

/** @type {(value: Value) => Type} */
const typeOf = (value) => ({ dtype: value.dtype, dims: dimsOf(value) });

/** @type {(state: GraphState, type: Type) => string} */
const typeText = (state, { dtype, dims }) => `${dtype}${state.shapeText(dims)}`;

/** @type {(a: Type, b: Type) => boolean} */
const isSameType = (a, b) =>
  a.dtype === b.dtype && a.dims.length === b.dims.length && a.dims.every((dim, i) => dim === b.dims[i]);

/** @type {(structure: Structure, root: string) => string[]} */
const namesOf = (structure, root) => leafPaths(structure).map((path) => pathText(path, root));

/**
 * The graph that an op goes into: that of its operands, else the one being traced.
 *
 * @param {readonly unknown[]} leaves
 * @param {string} caller
 * @returns {GraphState}
 */
function stateFor(leaves, caller) {
  const current = currentState();
  if (leaves.some(isValue)) {
    const own = graphOf(leaves.filter(isValue), caller);
    return current !== undefined && isInside(current, own) ? current : own;
  }
  return /** @type {GraphState} */ (current); // else everything runs at once
}

/** @type {(state: GraphState | undefined, outer: GraphState) => boolean} */
function isInside(state, outer) {
  while (state !== undefined && state !== outer) state = state.body?.outer;
  return state === outer;
}

/**
 * @param {GraphState} state
 * @param {unknown} leaf
 * @param {string} which
 * @param {string} caller
 * @param {Type} [like] of what a number has the dtype
 * @returns {Value}
 */
function liftLeaf(state, leaf, which, caller, like) {
  const at = currentState() ?? state;
  const target = isInside(at, state) ? at : state;
  if (isScalar(leaf) && like === undefined && target.captured !== undefined)
    return constantFrom(target, asTensor(leaf), caller);
  if (isScalar(leaf)) {
    const dtype = like?.dtype ?? asTensor(leaf).dtype;
    return constantOf(target, /** @type {number} */ (leaf), dtype, which, caller, [...(like?.dims ?? [])]);
  }
  if (!isValue(leaf)) return constantFrom(target, leaf, caller);
  graphOf([leaf], caller); // refuses values that were kept
  const own = stateOf(leaf);
  if (isInside(target, own)) return leaf;
  if (own.body !== undefined) return own.body.refuse(leaf);
  return fail('ERR_ARGUMENT', `${caller}: ${which} is ${describe(leaf)} of graph "${leaf.graph.name}"`);
}

/** @type {(state: GraphState, tree: unknown, root: string, caller: string) => { values: Value[], structure: Structure, names: string[] }} */
function liftTree(state, tree, root, caller) {
  const { leaves, structure } = flatten(tree, caller, root, { leafName: 'a Value, a Tensor or a number' });
  const names = namesOf(structure, root);
  return { structure, names, values: leaves.map((leaf, i) => liftLeaf(state, leaf, names[i], caller)) };
}

/**
 * Records a function.
 *
 * @param {Body} body
 * @param {Fn} fn
 * @param {() => unknown[]} argumentsOf
 * @returns {unknown}
 */
function record(body, fn, argumentsOf) {
  return within(body.state, () => fn(...argumentsOf()));
}

/** Ends bodies whatever happens. @type {<T>(bodies: Body[], run: () => T) => T} */
function tracing(bodies, run) {
  try {
    return run();
  } finally {
    for (const body of bodies) body.ended = true;
  }
}

/** @type {(value: unknown, which: string, caller: string) => Fn} */
const readFunction = (value, which, caller) => callable(value, which, caller);

/** @type {(caller: string, result: unknown, which: string) => unknown} */
function checkResult(caller, result, which) {
  if (!(result instanceof Promise)) return result;
  result.catch(() => undefined); // nobody else will look at it
  return fail('ERR_ARGUMENT', `${caller}: ${which} returned a Promise: a traced function cannot wait`);
}

// ---------------------------------------------------------------------------------------- choices

/**
 * @param {string} caller
 * @param {'cond' | 'switch'} op
 * @param {(state: GraphState) => Value} chooser
 * @param {readonly unknown[]} given what may say which graph it is
 * @param {readonly Fn[]} fns
 * @param {readonly unknown[]} operands
 */
function choose(caller, op, chooser, given, fns, operands) {
  const flat = flatten([...operands], caller, 'operands');
  const state = stateFor([...given, ...flat.leaves], caller);
  const chosen = chooser(state);
  const inputs = liftTree(state, [...operands], 'operands', caller);
  const captures = new Captures();
  const bodies = fns.map((_, i) => new Body(caller, state, captures, fns[i].name || `case ${i}`));
  return tracing(bodies, () => {
    /** @type {Structure | undefined} */
    let structure;
    /** @type {Type[]} */
    let types = [];
    const results = bodies.map((body, i) => {
      const which = `the result of function ${i}`;
      const params = inputs.values.map((value) => body.input(typeOf(value)));
      return within(body.state, () => {
        const result = checkResult(caller, fns[i](...unflatten(inputs.structure, params)), `function ${i}`);
        const leaves = structure ? flattenAs(structure, result, caller, which, 'the result of function 0') : undefined;
        const tree = leaves === undefined ? flatten(result, caller, which) : { leaves, structure };
        structure ??= /** @type {Structure} */ (tree.structure);
        const names = namesOf(structure, which);
        const values = tree.leaves.map((leaf, k) => liftLeaf(body.state, leaf, names[k], caller, types[k]));
        if (values.length === 0) fail('ERR_ARGUMENT', `${caller}: ${which} has no Value`);
        if (i === 0) types = values.map(typeOf);
        values.forEach((value, k) => {
          if (isSameType(typeOf(value), types[k])) return;
          const [want, got] = [types[k], typeOf(value)].map((type) => typeText(state, type));
          fail(
            value.dtype === types[k].dtype ? 'ERR_SHAPE' : 'ERR_DTYPE',
            `${caller}: ${names[k]} is ${got}, but function 0 gives ${want} there`,
          );
        });
        return values;
      });
    });
    const inside = results.map((values, i) => values.map((value) => bodies[i].inside(value)));
    const functions = bodies.map((body, i) => body.add(inside[i]));
    const first = append(state, op, [chosen, ...inputs.values, ...captures.values], { functions });
    return unflatten(/** @type {Structure} */ (structure), resultsOf(first, types.length));
  });
}

/**
 * What one of two functions gives.
 *
 * @param {unknown} predicate a bool scalar
 * @param {unknown} thenFn
 * @param {unknown} elseFn
 * @param {...unknown} operands trees that both functions get
 * @returns {any} the tree that both return
 */
function cond(predicate, thenFn, elseFn, ...operands) {
  const fns = [readFunction(thenFn, 'the first function', 'cond'), readFunction(elseFn, 'the second function', 'cond')];
  const chooser = (/** @type {GraphState} */ state) => {
    const fits = isValue(predicate) || predicate instanceof Tensor || typeof predicate === 'boolean';
    return fits
      ? liftLeaf(state, predicate, 'the predicate', 'cond')
      : expected('cond', 'a Tensor, a Value or a boolean', 'the predicate', predicate);
  };
  return choose('cond', 'cond', chooser, [predicate], fns, operands);
}

/**
 * What the function of that number gives, the first or last where there is none.
 *
 * @param {unknown} index an integer scalar
 * @param {unknown} functions
 * @param {...unknown} operands trees that the functions get
 * @returns {any} the tree that all of them return
 */
function switchCase(index, functions, ...operands) {
  if (!Array.isArray(functions) || functions.length === 0)
    return expected('switchCase', 'an array of functions', 'the functions', functions);
  const fns = functions.map((fn, i) => readFunction(fn, `function ${i}`, 'switchCase'));
  const chooser = (/** @type {GraphState} */ state) => {
    if (Number.isSafeInteger(index)) {
      const at = Math.min(Math.max(Number(index), 0), fns.length - 1);
      return constantOf(state, at, 'i32', 'the index', 'switchCase');
    }
    if (!isValue(index) && !(index instanceof Tensor))
      return expected('switchCase', 'a Tensor, a Value or an integer', 'the index', index);
    const value = liftLeaf(state, index, 'the index', 'switchCase');
    if (!/^[iu]\d/.test(value.dtype)) expected('switchCase', 'an integer', 'the index', index, 'ERR_DTYPE');
    if (value.dtype === 'i32') return value;
    const least = append(state, 'max', [value, constantOf(state, 0, value.dtype, '0', 'switchCase')]);
    const most = append(state, 'min', [
      least,
      constantOf(state, fns.length - 1, value.dtype, 'the last', 'switchCase'),
    ]);
    return append(state, 'convert', [most], { dtype: 'i32' });
  };
  return choose('switchCase', 'switch', chooser, [index], fns, operands);
}

// ------------------------------------------------------------------------------------------ loops

/**
 * What a body returned, leaf by leaf as the state began.
 *
 * @param {string} caller
 * @param {Body} body
 * @param {unknown} result
 * @param {{ values: Value[], structure: Structure, names: string[] }} init
 * @returns {Value[]}
 */
function nextState(caller, body, result, init) {
  const which = 'the new state';
  const leaves = flattenAs(init.structure, checkResult(caller, result, 'the body'), caller, which, 'the initial state');
  return leaves.map((leaf, i) => {
    const type = typeOf(init.values[i]);
    const value = liftLeaf(body.state, leaf, init.names[i], caller, type);
    if (isSameType(typeOf(value), type)) return value;
    const [want, got] = [type, typeOf(value)].map((each) => typeText(body.outer, each));
    return fail(
      value.dtype === type.dtype ? 'ERR_SHAPE' : 'ERR_DTYPE',
      `${caller}: ${init.names[i]} begins as ${want}, but the body makes it ${got}`,
    );
  });
}

/** @type {(state: GraphState, init: unknown, caller: string) => { values: Value[], structure: Structure, names: string[] }} */
const liftState = (state, init, caller) => liftTree(state, init, 'state', caller);

/**
 * Runs a body again and again, as long as a condition holds.
 *
 * @param {unknown} conditionFn state → bool scalar
 * @param {unknown} bodyFn state → the next state
 * @param {unknown} initial a tree
 * @returns {any} the last state
 */
function whileLoop(conditionFn, bodyFn, initial) {
  const caller = 'whileLoop';
  const [condition, step] = [
    readFunction(conditionFn, 'the condition', caller),
    readFunction(bodyFn, 'the body', caller),
  ];
  const state = stateFor(flatten(initial, caller, 'state').leaves, caller);
  const init = liftState(state, initial, caller);
  if (init.values.length === 0) fail('ERR_ARGUMENT', `${caller}: the initial state has no Value`);
  const captures = new Captures();
  const bodies = ['condition', 'body'].map((name) => new Body(caller, state, captures, name));
  return tracing(bodies, () => {
    const params = bodies.map((body) => init.values.map((value) => body.input(typeOf(value))));
    const truth = record(bodies[0], condition, () => [unflatten(init.structure, params[0])]);
    if (!isValue(truth) && typeof truth !== 'boolean')
      expected(caller, 'a Value', 'the result of the condition', truth);
    const go = bodies[0].inside(
      within(bodies[0].state, () => liftLeaf(bodies[0].state, truth, 'the condition', caller)),
    );
    const next = within(bodies[1].state, () =>
      nextState(caller, bodies[1], step(unflatten(init.structure, params[1])), init).map((value) =>
        bodies[1].inside(value),
      ),
    );
    const functions = [bodies[0].add([go]), bodies[1].add(next)];
    const first = append(state, 'while', [...init.values, ...captures.values], {
      carried: init.values.length,
      functions,
    });
    return unflatten(init.structure, resultsOf(first, init.values.length));
  });
}

/**
 * A loop of a known number of rounds.
 *
 * @param {string} caller
 * @param {GraphState} state
 * @param {number} count a size
 * @param {boolean} reverse
 * @param {unknown} initial
 * @param {unknown} stacked a tree whose leaves are taken apart along axis 0
 * @param {(index: Value, carried: any, parts: any) => [unknown, unknown]} step
 * @returns {[any, any]}
 */
function rounds(caller, state, count, reverse, initial, stacked, step) {
  const init = liftState(state, initial, caller);
  const whole = liftTree(state, stacked, 'xs', caller);
  const captures = new Captures();
  const body = new Body(caller, state, captures, 'body');
  return tracing([body], () => {
    const index = body.input({ dtype: 'i64', dims: [] });
    const carried = init.values.map((value) => body.input(typeOf(value)));
    const parts = whole.values.map((value) => body.input({ dtype: value.dtype, dims: dimsOf(value).slice(1) }));
    return within(body.state, () => {
      const [result, ys] = step(index, unflatten(init.structure, carried), unflatten(whole.structure, parts));
      const next = nextState(caller, body, result, init);
      const stack = flatten(ys, caller, 'ys');
      const names = namesOf(stack.structure, 'ys');
      const given = stack.leaves.map((leaf, i) => liftLeaf(body.state, leaf, names[i], caller));
      const outputs = [...next, ...given].map((value) => body.inside(value));
      if (outputs.length === 0) fail('ERR_ARGUMENT', `${caller}: the body gives no Value`);
      const attrs = {
        count: [count], descending: Number(reverse), carried: next.length, stacked: parts.length,
        functions: [body.add(outputs)],
      };
      const first = append(state, 'for', [...init.values, ...whole.values, ...captures.values], attrs);
      const results = resultsOf(first, outputs.length);
      return [
        unflatten(init.structure, results.slice(0, next.length)),
        unflatten(stack.structure, results.slice(next.length)),
      ];
    });
  });
}

/**
 * @param {unknown} lower
 * @param {unknown} upper
 * @param {unknown} bodyFn (index, state) → the next state
 * @param {unknown} initial a tree
 * @returns {any} the last state
 */
function forLoop(lower, upper, bodyFn, initial) {
  const caller = 'forLoop';
  const step = readFunction(bodyFn, 'the body', caller);
  const state = stateFor([lower, upper, ...flatten(initial, caller, 'state').leaves], caller);
  if ([lower, upper].some((bound) => isValue(bound) || bound instanceof Tensor)) {
    const [from, to] = [lower, upper].map((bound, i) => boundOf(state, bound, i === 0 ? 'lower' : 'upper', caller));
    const one = constantOf(state, 1, 'i64', '1', caller);
    const last = whileLoop(
      (/** @type {any} */ { index }) => append(state, 'lt', [index, to]),
      (/** @type {any} */ { index, value }) => ({
        index: append(state, 'add', [index, one]),
        value: step(index, value),
      }),
      { index: from, value: initial },
    );
    return last.value;
  }
  const [from, to] = [state.dim(lower, 'lower', caller), state.dim(upper, 'upper', caller)];
  const count = from >= 0 && to >= 0 ? Math.max(to - from, 0) : state.sub(to, from);
  const index = (/** @type {Value} */ round) => {
    if (from === 0) return round;
    if (from < 0) fail('ERR_ARGUMENT', `${caller}: lower must be a number or a Value, got ${describe(lower)}`);
    return append(stateOf(round), 'add', [round, constantOf(stateOf(round), from, 'i64', 'lower', caller)]);
  };
  return rounds(caller, state, count, false, initial, null, (round, value) => [step(index(round), value), null])[0];
}

/** @type {(state: GraphState, bound: unknown, which: string, caller: string) => Value} */
function boundOf(state, bound, which, caller) {
  if (Number.isSafeInteger(bound)) return constantOf(state, Number(bound), 'i64', which, caller);
  const value = bound instanceof Tensor ? constantFrom(state, bound, caller) : bound;
  if (!isValue(value) || !/^[iu]\d/.test(value.dtype)) return expected(caller, 'an integer', which, bound);
  return value.dtype === 'i64' ? value : append(state, 'convert', [value], { dtype: 'i64' });
}

/**
 * How many rounds: the size of axis 0 of every stacked tensor.
 *
 * @type {(state: GraphState, xs: unknown, length: unknown, caller: string) => number}
 */
function countOf(state, xs, length, caller) {
  const { values, names } = liftTree(state, xs, 'xs', caller);
  let count = length === undefined ? undefined : state.dim(length, "option 'length'", caller);
  values.forEach((value, i) => {
    const [size] = dimsOf(value);
    if (size === undefined) fail('ERR_SHAPE', `${caller}: ${names[i]} is a scalar, which has no axis to go along`);
    if (count !== undefined && size !== count) {
      fail(
        'ERR_SHAPE',
        `${caller}: axis 0 of ${names[i]} has size ${state.text(size)}, but ${i === 0 ? "option 'length' says" : 'others have'} ${state.text(count)}`,
      );
    }
    count = size;
  });
  return count ?? fail('ERR_ARGUMENT', `${caller}: without xs, option 'length' must say how many rounds there are`);
}

/** @type {(pair: unknown, caller: string) => [unknown, unknown]} */
function readPair(pair, caller) {
  checkResult(caller, pair, 'the body');
  if (!Array.isArray(pair) || pair.length !== 2)
    return expected(caller, 'an array of the new state and of what is stacked', 'the result of the body', pair);
  return [pair[0], pair[1] ?? null];
}

/**
 * @param {unknown} bodyFn (state, x) → [the next state, y]
 * @param {unknown} initial a tree
 * @param {unknown} xs a tree of what is gone through along axis 0, or null
 * @param {unknown} [options]
 * @returns {[any, any]} the last state, and every y stacked along a new axis 0
 */
function scan(bodyFn, initial, xs, options) {
  const step = readFunction(bodyFn, 'the body', 'scan');
  const { length, reverse = false } = readOptions('scan', options, { length: (given) => given, reverse: boolean });
  const given = xs ?? null;
  const state = stateFor([...flatten(initial, 'scan', 'state').leaves, ...flatten(given, 'scan', 'xs').leaves], 'scan');
  const count = countOf(state, given, length, 'scan');
  return rounds('scan', state, count, reverse, initial, given, (_, value, x) => readPair(step(value, x), 'scan'));
}

/**
 * @param {unknown} fn x → y
 * @param {unknown} xs a tree of what is gone through along axis 0
 * @returns {any} every y, stacked along a new axis 0
 */
function map(fn, xs) {
  const step = readFunction(fn, 'the function', 'map');
  const state = stateFor(flatten(xs, 'map', 'xs').leaves, 'map');
  const count = countOf(state, xs, undefined, 'map');
  return rounds('map', state, count, false, null, xs, (_, _none, x) => [
    null,
    checkResult('map', step(x), 'the function'),
  ])[1];
}

/** Of Values; on tensors they are in eager/control.js. */
const control = Object.freeze({ cond, forLoop, map, scan, switchCase, whileLoop });

module.exports = {
  Body, Captures, checkResult, control, isSameType, liftLeaf, liftTree, stateFor, tracing, typeOf, typeText,
};
