/**
 * The program of a derivative from the program of a function: which ports it is taken by, what comes out, and what the
 * caller finds in arrays that the function writes.
 *
 * Reverse mode runs the function once and goes back once, whatever the number of inputs; forward mode runs it once per
 * input. A derivative is f64, and is rounded where it goes into a Float32Array. Arrays that are written end as the
 * function leaves them. Programs with a tape stay such that they can be differentiated again; `finish` makes the rest
 * of the stages take them.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const M = require('../tir/machine.js');
const { setsIn } = require('../tir/walk.js');
const { Activity } = require('./activity.js');
const { Canonical, bin, int, newLocal, newLoop, newRoot, set } = require('./canonical.js');
const { Forward } = require('./forward.js');
const { ZERO } = require('./plan.js');
const { Reverse } = require('./reverse.js');
const { Shadows, alloc } = require('./shadows.js');
const { Tape } = require('./tape.js');

/** @typedef {import('../source/types.js').ValueType} ValueType */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').Program} Program */

/**
 * @typedef {object} Wish
 * @property {string} name of the caller, for messages
 * @property {number[]} wrt parameters
 * @property {boolean} isSingle the derivative is that by one, not an array of several
 * @property {'reverse' | 'forward'} mode
 * @property {boolean} withValue
 */

/**
 * A number or array that is an input.
 *
 * @typedef {{ kind: 'number', port: any } | { kind: 'array' | 'list', dtype: string, port: any }} Leaf
 */
/**
 * Leaves in the shape of the parameter.
 *
 * @typedef {Leaf | { kind: 'tuple', elements: Tree[] } | { kind: 'object', fields: Record<string, Tree> }} Tree
 */

/** @type {(value: any) => string} */
const typeText = (value) => require('../source/signature.js').typeText(value);

/** How many ports a parameter has. @type {(type: ValueType) => number} */
function portsOf(type) {
  switch (type.kind) {
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'array':
    case 'list':
      return 1;
    case 'tensor':
      return 1 + 2 * type.rank;
    case 'tuple':
      return type.elements.reduce((sum, each) => sum + portsOf(each), 0);
    case 'object':
      return Object.values(type.fields).reduce((sum, each) => sum + portsOf(each), 0);
    default:
      return 0;
  }
}

/** @type {(type: any, ports: any[], which: string) => Tree} takes the parameter's ports off the list */
function treeOf(type, ports, which) {
  const isFloat = type.dtype === 'f64' || type.dtype === 'f32';
  switch (type.kind) {
    case 'number':
      if (isFloat) return { kind: 'number', port: ports.shift() };
      break;
    case 'list':
      return { kind: 'list', dtype: 'f64', port: ports.shift() };
    case 'array':
      if (isFloat) return { kind: 'array', dtype: type.dtype, port: ports.shift() };
      break;
    case 'tuple':
      return {
        kind: 'tuple',
        elements: type.elements.map((/** @type {any} */ each, /** @type {number} */ i) =>
          treeOf(each, ports, `${which}[${i}]`),
        ),
      };
    case 'object': {
      const fields = Object.entries(type.fields).map(([name, each]) => [name, treeOf(each, ports, `${which}.${name}`)]);
      return { kind: 'object', fields: Object.fromEntries(fields) };
    }
    default:
  }
  const what = 'a number, a Float64Array, a Float32Array, or an object or array of these';
  return fail('ERR_DTYPE', `${which}: there are derivatives by ${what}, not by ${typeText(type)}`);
}

/** @type {(tree: Tree) => Leaf[]} */
function leavesOf(tree) {
  if (tree.kind === 'tuple') return tree.elements.flatMap(leavesOf);
  return tree.kind === 'object' ? Object.values(tree.fields).flatMap(leavesOf) : [tree];
}

/** @type {(wish: Wish, types: readonly ValueType[], program: Program) => Tree} */
function wishedTree({ name, wrt, isSingle }, types, program) {
  const trees = wrt.map((param) => {
    if (param >= types.length)
      return fail('ERR_ARGUMENT', `${name}: there is no argument ${param + 1} to differentiate by`);
    const start = types.slice(0, param).reduce((sum, type) => sum + portsOf(type), 0);
    return treeOf(types[param], program.ports.slice(start), `${name}: argument ${param + 1}`);
  });
  return isSingle ? trees[0] : { kind: 'tuple', elements: trees };
}

/** One derivation of a program, which is changed in place. */
class Derivation {
  /**
   * @param {{ program: Program, result: any, updates: any[] }} inferred
   * @param {readonly ValueType[]} types
   * @param {Wish} wish
   */
  constructor(inferred, types, wish) {
    const { program, result, updates } = inferred;
    if (result.kind !== 'number') {
      const what = `only of a function that returns a number; this one returns ${result.kind === 'undefined' ? 'nothing' : `a value of kind ${result.kind}`}`;
      fail('ERR_DTYPE', `${wish.name}: there is a derivative ${what}`);
    }
    this.program = program;
    this.wish = wish;
    this.result = result;
    this.hasValues = wish.withValue || updates.length > 0;
    this.tree = wishedTree(wish, types, program);
    this.leaves = leavesOf(this.tree);
    this.canonical = new Canonical(program.entry, program);
    this.value = this.canonical.results[result.slot];
    const inputs = this.leaves.map(({ kind, port }) => (kind === 'number' ? port.local : port.root));
    this.activity = new Activity(this.canonical.body, inputs, M.read(this.value));
    this.shadows = new Shadows(program, wish.mode === 'forward' ? 't_' : 'd_');
    /** Values of results. @type {Expression[]} */
    this.values = this.hasValues ? this.canonical.results.map(M.read) : [];
  }

  /** @returns {any} the shape of the result */
  derive() {
    const body = this.wish.mode === 'forward' ? this.#forward() : this.#reverse();
    const shape = this.#shapeOf(this.tree, body);
    const { entry } = this.program;
    entry.body = [...body, /** @type {any} */ ({ kind: 'return', values: this.values })];
    entry.results = this.values.map((e) => /** @type {any} */ (e.type));
    return this.wish.withValue ? { kind: 'tuple', elements: [this.result, shape] } : shape;
  }

  /** @type {(tree: Tree, body: any[]) => any} */
  #shapeOf(tree, body) {
    switch (tree.kind) {
      case 'tuple':
        return { kind: 'tuple', elements: tree.elements.map((each) => this.#shapeOf(each, body)) };
      case 'object':
        return {
          kind: 'object',
          fields: Object.fromEntries(
            Object.entries(tree.fields).map(([name, each]) => [name, this.#shapeOf(each, body)]),
          ),
        };
      case 'number':
        return { kind: 'number', dtype: 'f64', slot: this.values.push(M.read(this.#output(tree))) - 1, tag: null };
      default: {
        const pointer = this.#rounded(tree, body);
        const slot =
          this.values.push({ op: 'address', type: 'i64', args: [M.read(pointer)] }, M.read(tree.port.length), int(1)) -
          3;
        return { kind: tree.kind, dtype: tree.dtype, clamps: false, slot, tag: null };
      }
    }
  }

  /** @type {Map<Leaf, Local>} */
  #outputs = new Map();

  /** Where the derivative by a leaf is collected. @type {(leaf: any) => Local} */
  #output(leaf) {
    if (this.wish.mode === 'reverse')
      return this.shadows.of(leaf.kind === 'number' ? leaf.port.local : leaf.port.pointer);
    let local = this.#outputs.get(leaf);
    if (!local) this.#outputs.set(leaf, (local = newLocal('derivative', leaf.kind === 'number' ? 'f64' : 'f64*')));
    return local;
  }

  /** An array of derivatives in the dtype of its parameter. @type {(leaf: any, body: any[]) => Local} */
  #rounded(leaf, body) {
    const own = this.#output(leaf);
    if (leaf.dtype === 'f64') return own;
    const local = newLocal('rounded', 'f32*');
    const length = M.read(leaf.port.length);
    const array = (/** @type {Local} */ of, /** @type {string} */ dtype) => this.#heapArray(of, dtype, length);
    body.push(alloc(local, length, 'f32'), {
      kind: 'copy', target: array(local, 'f32'), at: int(0), source: array(own, 'f64'), from: int(0), count: length,
    });
    return local;
  }

  /** @type {(pointer: Local, dtype: string, length: Expression) => any} */
  #heapArray(pointer, dtype, length) {
    return {
      dtype, clamps: false, pointer: M.read(pointer), length, roots: [newRoot(this.program, pointer.name, 'heap')],
    };
  }

  /**
   * Copies of arrays of the caller.
   *
   * @type {(isMeant: (root: any) => boolean) => { keep: any[], put: any[] }} `put`: back to where they came from
   */
  #copies(isMeant) {
    /** @type {any[]} */
    const [keep, put] = [[], []];
    for (const port of this.program.ports) {
      if (port.kind !== 'array' || !port.root.isWritten || !isMeant(port.root)) continue;
      const local = newLocal('left', port.pointer.type);
      const length = M.read(port.length);
      const array = { dtype: port.dtype, clamps: false, pointer: M.read(port.pointer), length, roots: [port.root] };
      const copy = this.#heapArray(local, port.dtype, length);
      keep.push(alloc(local, length, port.dtype), {
        kind: 'copy', target: copy, at: int(0), source: array, from: int(0), count: length,
      });
      put.push({ kind: 'copy', target: array, at: int(0), source: copy, from: int(0), count: length });
    }
    return { keep, put };
  }

  /** Array ports that have derivatives. */
  get #arrays() {
    const isLeaf = (/** @type {any} */ port) => this.leaves.some((leaf) => leaf.port === port);
    return this.program.ports.flatMap((port) =>
      port.kind === 'array' && (this.activity.shadowed.has(port.pointer) || isLeaf(port)) ? [port] : [],
    );
  }

  /** @returns {any[]} */
  #reverse() {
    const { shadows, activity, value } = this;
    const reverse = new Reverse(this.canonical, activity, shadows);
    const { fwd, rev } = reverse.generate();
    const { keep, put } = this.#copies((root) => reverse.wanted.has(root));
    const memory = this.#arrays.map((port) => alloc(shadows.of(port.pointer), M.read(port.length)));
    const numbers = [
      ...new Set([
        ...[...activity.active].filter((thing) => 'type' in thing),
        ...this.leaves.flatMap((leaf) => (leaf.kind === 'number' ? [leaf.port.local] : [])),
      ]),
    ];
    const zeros = numbers.map((local) => set(shadows.of(/** @type {Local} */ (local)), ZERO));
    const seed = activity.hasLocal(value) ? [set(shadows.of(value), M.constant('f64', 1))] : [];
    return [...memory, ...shadows.dataStatements(), ...zeros, ...fwd, ...keep, ...seed, ...rev, ...put];
  }

  /** @returns {any[]} */
  #forward() {
    const { shadows, activity, value, leaves } = this;
    const run = new Forward(this.canonical.body, activity, shadows).generate();
    const memory = this.#arrays.map((port) => alloc(shadows.of(port.pointer), M.read(port.length)));
    const slope = activity.hasLocal(value) ? M.read(shadows.of(value)) : ZERO;
    const params = this.program.entry.params.filter((param) => !param.type.endsWith('*') && activity.hasLocal(param));
    const start = [...memory, ...shadows.dataStatements()];
    const [only] = leaves;
    if (leaves.length === 1 && only.kind === 'number') {
      const seeds = params.map((param) => set(shadows.of(param), M.constant('f64', param === only.port.local ? 1 : 0)));
      return [...start, ...seeds, ...run, set(this.#output(only), slope)];
    }
    return [...start, ...this.#eachDirection(run, params, slope)];
  }

  /** Runs once per number and element. @type {(run: any[], params: Local[], slope: Expression) => any[]} */
  #eachDirection(run, params, slope) {
    const { shadows, leaves } = this;
    const { keep, put } = this.#copies(() => true);
    const sets = setsIn(this.canonical.body);
    const kept = this.program.entry.params
      .filter((param) => sets.has(param))
      .map((param) => ({ param, local: newLocal('given', param.type) }));
    const k = newLocal('direction', 'i64');
    const all = newLocal('directions', 'i64');
    /** @type {any[]} */
    const [before, seeds, takes] = [[], [], []];
    /** @type {Expression} */
    let count = int(0);
    for (const param of params) seeds.push(set(shadows.of(param), ZERO));
    for (const port of this.#arrays) {
      const array = shadows.array(
        /** @type {any} */ ({ pointer: M.read(port.pointer), length: M.read(port.length), roots: [port.root] }),
      );
      seeds.push({ kind: 'fill', array, value: ZERO, from: int(0), to: M.read(port.length) });
    }
    for (const leaf of leaves) {
      const start = newLocal('first', 'i64');
      const out = this.#output(leaf);
      const index = bin('sub', M.read(k), M.read(start));
      const length = leaf.kind === 'number' ? int(1) : M.read(leaf.port.length);
      before.push(set(start, count));
      count = bin('add', M.read(start), length);
      const isOwn = M.and(bin('ge', index, int(0)), bin('lt', index, length));
      const one = M.constant('f64', 1);
      if (leaf.kind === 'number') {
        before.push(set(out, ZERO));
        seeds.push({
          kind: 'if', test: isOwn, then: [set(shadows.of(leaf.port.local), one)], otherwise: [], place: null,
        });
        takes.push({ kind: 'if', test: isOwn, then: [set(out, slope)], otherwise: [], place: null });
        continue;
      }
      before.push(alloc(out, length));
      const shadow = shadows.array(
        /** @type {any} */ ({ pointer: M.read(leaf.port.pointer), length, roots: [leaf.port.root] }),
      );
      const store = (/** @type {any} */ array, /** @type {Expression} */ value) => ({
        kind: 'store', array, index, value, valid: null, checked: false, place: null,
      });
      seeds.push({ kind: 'if', test: isOwn, then: [store(shadow, one)], otherwise: [], place: null });
      takes.push({
        kind: 'if', test: isOwn, then: [store(this.#heapArray(out, 'f64', length), slope)], otherwise: [], place: null,
      });
    }
    const given = kept.map(({ param, local }) => set(local, M.read(param)));
    const again = kept.map(({ param, local }) => set(param, M.read(local)));
    const body = [...again, ...put, ...seeds, ...run, ...takes];
    const loop = newLoop({
      test: bin('lt', M.read(k), M.read(all)), body, update: [set(k, bin('add', M.read(k), int(1)))],
    });
    return [...before, ...given, ...keep, set(all, bin('max', count, int(1))), set(k, int(0)), loop];
  }
}

/**
 * The derivative of an inferred program, in its place.
 *
 * @param {any} inferred
 * @param {readonly ValueType[]} types
 * @param {Wish} wish
 */
function differentiate(inferred, types, wish) {
  const result = new Derivation(inferred, types, wish).derive();
  // A number that one differentiates by is no integer.
  return { ...inferred, result, hints: inferred.hints.filter((/** @type {number} */ i) => !wish.wrt.includes(i)) };
}

/**
 * Has the tape of a derivative be memory. Its locals are only set then, and its loops have no numbers.
 *
 * @param {Program} program
 */
function lowerTape(program) {
  const { entry } = program;
  entry.body = new Tape(program).lower(apart(entry.body, new Map()));
  entry.throws = true;
  const sets = setsIn(entry.body);
  for (const param of entry.params) param.isSet = sets.has(param);
}

/** What stages behind look for by identity. */
const SHARED = new Set(['local', 'roots', 'place', 'callee', 'results', 'rounds']);

/**
 * A copy of statements in which no two places share a node: later stages change nodes where they stand.
 *
 * @type {(node: any, targets: Map<any, any>) => any}
 */
function apart(node, targets) {
  if (Array.isArray(node)) return node.map((each) => apart(each, targets));
  if (node === null || typeof node !== 'object') return node;
  /** @type {any} */
  const made = {};
  targets.set(node, made);
  for (const [key, part] of Object.entries(node)) {
    if (key === 'target' && node.kind !== 'copy') made.target = targets.get(part) ?? part;
    else made[key] = SHARED.has(key) ? part : apart(part, targets);
  }
  return made;
}

module.exports = { differentiate, lowerTape };
