/**
 * From the source of a function and the types of its arguments to Loop IR and all that a caller has to know.
 *
 * The stages themselves are listed in ../pipeline.js, and loaded when something is compiled for the first time. What
 * comes out depends on nothing but the text, the types, the options and what is captured.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const pipeline = require('../pipeline.js');
const { typeText } = require('../source/signature.js');
const { keyOf, takerOf, typeOf } = require('./arguments.js');
const { sitesOf } = require('./errors.js');
const { readerOf, resultPorts, setterOf, shapeText } = require('./results.js');

/** @typedef {import('../source/types.js').ValueType} ValueType */
/** @typedef {import('../tir/index.js').Program} Program */
/** @typedef {{ poll?: boolean, noalias?: boolean }} Variant */
/** @typedef {import('../emit/module.js').LoopModule} LoopModule */

/**
 * A function for one list of types.
 *
 * @typedef {object} Code
 * @property {readonly ValueType[]} types
 * @property {import('./disk-cache.js').Facts} facts that are the same in each process
 * @property {Map<string, LoopModule>} modules Loop IR that has been made, by variant
 * @property {Program} program
 * @property {import('../source/types.js').ResultShape} result
 * @property {string[]} ports of the arguments
 * @property {string} signature for the addon
 * @property {string} text for people: 'f64(f64[], i32)'
 * @property {boolean} isPlain arguments are passed and the result returned as they are
 * @property {number} slots that a run needs
 * @property {{ value: unknown, taker: import('./arguments.js').Taker }[]} hidden what is captured, behind the arguments
 * @property {boolean[]} written per array among the ports
 * @property {boolean} isDirect the addon makes the result
 * @property {boolean} sets fields of arguments
 * @property {readonly { path: (string | number)[], shape: import('../source/types.js').ResultShape }[]} updates what they become
 * @property {import('./results.js').Read} read the result
 * @property {(run: import('./results.js').Run) => void} set fields of arguments
 * @property {import('./errors.js').ThrowSite[]} sites
 * @property {(variant: Variant) => LoopModule} emit
 */

/** @type {(program: Program, ports: string[]) => string[]} with what the code does to arrays */
function markPorts(program, ports) {
  if (program.ports.length !== ports.length) {
    return fail('ERR_INTERNAL', `${program.name}: ${program.ports.length} ports, expected ${ports.join(' ')}`);
  }
  return ports.map((port, i) => {
    const own = program.ports[i];
    if ((own.kind === 'array') !== port.endsWith(']')) {
      return fail('ERR_INTERNAL', `${program.name}: port ${i} is of kind ${own.kind}, expected ${port}`);
    }
    return own.kind === 'array' && own.root.isWritten ? `${port}!` : port;
  });
}

/**
 * @param {import('./unit.js').Unit} unit
 * @param {readonly ValueType[]} types
 * @param {{ threads?: number, noalias?: boolean }} [options] among how many threads loops are divided, and whether the program
 *   is one for arrays that lie apart
 * @returns {Code}
 */
function codeOf(unit, types, { threads = unit.options.threads, noalias: isApart = true } = {}) {
  const { program, result, updates, captured } = inferredOf(unit, types);
  improve(unit, program, isApart, threads);
  const hidden = captured.map(({ name, value }) => ({ value, taker: takerOf(typeOf(value, name, () => unit.tree)) }));
  const ports = markPorts(
    program,
    [...types.map(takerOf), ...hidden.map(({ taker }) => taker)].flatMap((each) => each.ports),
  );
  const sites = sitesOf(program, (place) => unit.whereOf(place));
  const facts = { result, updates, ports, results: program.entry.results, sites };
  /** @type {Code['emit']} */
  const emitted = ({ poll = false, noalias = false }) =>
    pipeline.emit(noalias === isApart ? program : overlapping(unit, types), { poll, noalias });
  return assembled(types, facts, { hidden, modules: new Map(), program: () => program, emit: emitted });
}

/**
 * Code of which an earlier process has told; the program is made again when somebody looks at it.
 *
 * @type {(unit: import('./unit.js').Unit, types: readonly ValueType[], noted: import('./disk-cache.js').NotedCode) => Code}
 */
function notedCode(unit, types, { facts, modules }) {
  /** @type {Code | null} */
  let made = null;
  const whole = () => (made ??= codeOf(unit, types));
  return assembled(types, facts, {
    hidden: [], modules, program: () => whole().program, emit: (variant) => whole().emit(variant),
  });
}

/**
 * @param {readonly ValueType[]} types
 * @param {import('./disk-cache.js').Facts} facts
 * @param {{ hidden: Code['hidden'], modules: Map<string, LoopModule>, program: () => Program, emit: Code['emit'] }} rest
 * @returns {Code}
 */
function assembled(types, facts, { hidden, modules, program, emit }) {
  const takers = types.map(takerOf);
  const { result, updates, ports, sites } = facts;
  const scalars = ports.filter((port) => !/[\]!]$/u.test(port)).length;
  const results = resultPorts(
    result,
    updates.map(({ shape }) => shape),
    facts.results,
  );
  return {
    types,
    facts,
    modules,
    get program() {
      return program();
    },
    result,
    ports: takers.flatMap((each) => each.ports),
    signature: `${ports.join(' ')} -> ${results.ports.join(' ')}`,
    text: `${shapeText(result)}(${types.map(typeText).join(', ')})`,
    isPlain: hidden.length === 0 && results.isPlain && takers.every(({ isPlain }) => isPlain),
    slots: Math.max(scalars + facts.results.length, ...sites.map(({ values }) => values.length)),
    hidden,
    written: ports.filter((port) => /[\]!]$/u.test(port)).map((port) => port.endsWith('!')),
    isDirect: results.isPlain,
    sets: updates.length > 0,
    updates,
    read: readerOf(result, scalars),
    set: setterOf(updates, scalars),
    sites,
    emit: (variant) =>
      once(modules, `${variant.poll ? 'poll ' : ''}${variant.noalias ? 'apart' : ''}`, () => emit(variant)),
  };
}

/**
 * Changes the loops of a program.
 *
 * @type {(unit: import('./unit.js').Unit, program: Program, noalias: boolean, threads?: number) => Program}
 */
function improve({ options }, program, noalias, threads = options.threads) {
  const { numerics } = options;
  return pipeline.improveLoops(program, { threads, numerics, noalias });
}

/**
 * The program for arrays that overlap, of whose loops less is known.
 *
 * @type {(unit: import('./unit.js').Unit, types: readonly ValueType[]) => Program}
 */
const overlapping = (unit, types) => improve(unit, inferredOf(unit, types).program, false);

/** @type {(map: Map<string, LoopModule>, key: string, make: () => LoopModule) => LoopModule} */
function once(map, key, make) {
  const made = map.get(key) ?? make();
  map.set(key, made);
  return made;
}

/**
 * What was inferred for hints, and may be wanted for code.
 *
 * @type {WeakMap<import('./unit.js').Unit, { types: string, inferred: import('../infer/index.js').Inferred }>}
 */
const latest = new WeakMap();

/**
 * Whose program is the caller's to change.
 *
 * @type {(unit: import('./unit.js').Unit, types: readonly ValueType[]) => import('../infer/index.js').Inferred}
 */
function inferredOf(unit, types) {
  const last = latest.get(unit);
  latest.delete(unit);
  if (last?.types === types.map(keyOf).join()) return last.inferred;
  return unit.infer(types);
}

/**
 * The types that a call had better be compiled for: a number that counts or indexes is an i32 where the argument is
 * one.
 *
 * @param {import('./unit.js').Unit} unit
 * @param {readonly ValueType[]} types of the arguments
 * @param {readonly unknown[]} args
 * @returns {readonly ValueType[]}
 */
function narrowed(unit, types, args) {
  const isSmall = (/** @type {number} */ i) =>
    isDouble(types[i]) && Object.is(args[i], /** @type {number} */ (args[i]) | 0);
  if (!types.some((_, i) => isSmall(i))) return types;
  const { hints: known } = unit.shared;
  const key = types.map(keyOf).join();
  if (!known.has(key)) {
    known.set(key, unit.notes?.hints(key) ?? hintsOf(unit, types, key));
  }
  const hints = /** @type {number[]} */ (known.get(key)).filter(isSmall);
  return hints.length === 0
    ? types
    : types.map((type, i) => (hints.includes(i) ? { kind: 'number', dtype: 'smi' } : type));
}

/** @type {(unit: import('./unit.js').Unit, types: readonly ValueType[], key: string) => number[]} */
function hintsOf(unit, types, key) {
  const inferred = inferredOf(unit, types);
  latest.set(unit, { types: key, inferred });
  unit.notes?.noteHints(key, inferred.hints);
  return inferred.hints;
}

/** Passes that stages are named after, by the language that they give. */
const STAGES = new Map(Object.entries({ hir: 'build', tir: 'number-loops', loops: 'emit' }));

/** What a function can be looked at behind: stages and passes. */
const stageNames = () => [...STAGES.keys(), ...pipeline.PASSES.map(({ name }) => name)];

/**
 * What a stage or pass leaves, as a text for people. The function is compiled again for it, up to Loop IR.
 *
 * @param {import('./unit.js').Unit} unit
 * @param {readonly ValueType[]} types
 * @param {string} stage
 * @returns {string | null} null: the pass does not run for this function
 */
function dumpOf(unit, types, stage) {
  const wanted = STAGES.get(stage) ?? stage;
  // Equal functions share the tree, which is made once.
  if (wanted === 'build') return pipeline.PASSES[0].dump(unit.tree);
  /** @type {string | null} */
  let text = null;
  latest.delete(unit);
  pipeline.watchPasses(
    ({ name, dump }, result) => {
      if (name === wanted) text = dump(result);
    },
    () => codeOf(unit, types).emit({ noalias: true }),
  );
  return text;
}

/** @type {(type: ValueType) => boolean} */
const isDouble = (type) => type.kind === 'number' && type.dtype === 'f64';

module.exports = { codeOf, dumpOf, narrowed, notedCode, stageNames };
