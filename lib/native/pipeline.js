/**
 * The compiler of functions as a list: its passes in their order, each with what it requires of what it is given, what
 * stays as it was and what it changes.
 *
 *   source ─ build ─> HIR ─ infer, place-locals, number-loops ─> TIR ─ loops/* ─> TIR ─ emit ─> Loop IR
 *                                                                │ ^
 *                                            differentiate, lower-tape, place-locals, number-loops
 *
 * All who compile go through here (run/compile.js, derivatives.js), so what is read here is what runs. Passes over TIR
 * change the program that they are given; a verifier (tir/verify.js) says after each whether it is one still, where
 * GRAPHJIT_VERIFY=1 is set, as tests do. `watchPasses` shows to others what each pass leaves; without a watcher a pass
 * is its function and nothing else. Passes are loaded when they run for the first time.
 */
'use strict';

/** @typedef {import('./hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('./source/types.js').ValueType} ValueType */
/** @typedef {import('./infer/index.js').Inferred} Inferred */
/** @typedef {import('./tir/index.js').Program} Program */
/** @typedef {import('./tir/index.js').Func} Func */

/**
 * @typedef {object} Pass
 * @property {string} name
 * @property {'hir' | 'tir' | 'loops'} gives the language of the result: HIR, TIR or Loop IR
 * @property {string} requires
 * @property {string} keeps
 * @property {string} changes
 * @property {(result: any) => string} dump the result as a text for people
 * @property {((result: any, pass: Pass) => void) | null} verify throws where the result breaks the rules of its language
 */

/** Called after a pass with what it gave. @typedef {(pass: Pass, result: any) => void} Watch */

// --- what a result is to those who look at it ---

/** @type {Record<Pass['gives'], (result: any) => string>} */
const DUMPS = {
  hir: (tree) => require('./hir/print.js').print(tree),
  tir: (result) => require('./tir/print.js').print(programOf(result)),
  loops: (module) => module.text,
};

/** Of what inference gives, and of a program itself. @type {(result: Inferred | Program) => Program} */
const programOf = (result) => ('program' in result ? result.program : result);

/** What TIR may be in short of what tir/index.js says. @type {Record<string, import('./tir/verify.js').Form>} */
const FORMS = {
  whole: {},
  /** Loops have no numbers. */
  placed: { isNumbered: false },
  /** Nothing is declared either. */
  inferred: { isDeclared: false, isNumbered: false },
  /** Values are pushed and popped, and nodes stand in several places. */
  taped: { isDeclared: false, isNumbered: false, hasTape: true },
};

/** @type {(form: string) => Pass['verify']} */
const verified = (form) => (result, { name }) =>
  require('./tir/verify.js').verify(programOf(result), name, FORMS[form]);

// --- how a pass runs ---

/** @type {Pass[]} */
const PASSES = [];

/** @type {Watch | null} */
let watch = null;

/**
 * Calls `watcher` after each pass that `inside` runs.
 *
 * @template T
 * @param {Watch} watcher
 * @param {() => T} inside
 * @returns {T}
 */
function watchPasses(watcher, inside) {
  const outer = watch;
  watch = watcher;
  try {
    return inside();
  } finally {
    watch = outer;
  }
}

/**
 * A pass as a function that tells of its result.
 *
 * @template {any[]} A
 * @template R
 * @param {string} name
 * @param {{ gives: Pass['gives'], form?: string, requires: string, keeps: string, changes: string }} contract
 * @param {(...args: A) => R} run
 * @returns {(...args: A) => R}
 */
function pass(name, { gives, form, ...contract }, run) {
  /** @type {Pass} */
  const own = { name, gives, ...contract, dump: DUMPS[gives], verify: form ? verified(form) : null };
  PASSES.push(own);
  return (...args) => {
    const result = run(...args);
    watch?.(own, result);
    if (own.verify && process.env.GRAPHJIT_VERIFY === '1') own.verify(result, own);
    return result;
  };
}

/**
 * A pass over TIR, which goes over functions one by one.
 *
 * @param {string} name
 * @param {{ form?: string, requires: string, keeps: string, changes: string }} contract
 * @param {() => (func: Func, program: Program) => void} load
 */
function funcPass(name, contract, load) {
  return pass(name, { gives: 'tir', form: 'whole', ...contract }, (/** @type {Program} */ program, funcs = program.funcs) => {
    const run = load();
    for (const func of funcs) run(func, program);
    return program;
  });
}

// --- the passes, in their order ---

const build = pass(
  'build',
  {
    gives: 'hir',
    requires: 'a function or its text, and what it captures',
    keeps: 'what the function does, in the order of JavaScript',
    changes: 'syntax into a tree of few kinds of nodes, names into variables; expressions have no effects',
  },
  (/** @type {Function | string} */ origin, /** @type {Parameters<import('./build/index.js')['build']>[1]} */ options) =>
    require('./build/index.js').build(origin, options),
);

const inferTypes = pass(
  'infer',
  {
    gives: 'tir',
    form: 'inferred',
    requires: 'HIR, and the types of the arguments',
    keeps: 'results, errors and stores, in their order',
    changes: 'values into scalars and pointers of machine types; calls into the body of the callee, or calls of TIR',
  },
  (
    /** @type {FunctionNode} */ tree,
    /** @type {ValueType[]} */ types,
    /** @type {Partial<import('./infer/index.js').InferOptions>} */ options,
  ) => require('./infer/index.js').infer(tree, types, options),
);

const placeLocals = funcPass(
  'place-locals',
  {
    form: 'placed',
    requires: 'locals that are only set',
    keeps: 'what every local holds where it is read',
    changes: 'first sets into declarations, as far inside as all uses allow; sets that nobody reads go',
  },
  () => require('./tir/place-locals.js').placeLocals,
);

const numberLoops = pass(
  'number-loops',
  {
    gives: 'tir',
    form: 'whole',
    requires: 'all functions of the program',
    keeps: 'statements and expressions',
    changes: 'numbers of loops, and their records',
  },
  (/** @type {Program} */ program) => {
    require('./tir/number-loops.js').numberLoops(program);
    return program;
  },
);

const differentiateBody = pass(
  'differentiate',
  {
    gives: 'tir',
    form: 'taped',
    requires: 'a whole program that returns a number',
    keeps: 'functions that are called, ports',
    changes: 'the entry into one that computes derivatives, with a tape that values are pushed to',
  },
  (
    /** @type {Inferred} */ inferred,
    /** @type {readonly ValueType[]} */ types,
    /** @type {import('./grad/program.js').Wish} */ wish,
  ) => require('./grad/program.js').differentiate(inferred, types, wish),
);

const lowerTape = pass(
  'lower-tape',
  {
    gives: 'tir',
    form: 'inferred',
    requires: 'the result of differentiate',
    keeps: 'what is pushed and popped',
    changes: 'the tape into memory; nodes that stand in several places into copies',
  },
  (/** @type {Program} */ program) => {
    require('./grad/program.js').lowerTape(program);
    return program;
  },
);

const canonicalizeLoops = funcPass(
  'canonical-loops',
  {
    requires: 'declared locals',
    keeps: 'the number of iterations of every loop',
    changes: 'other names of a counter into the counter; a step at the end of a body moves to the update',
  },
  () => require('./loops/canonical.js').canonicalizeLoops,
);

const speculateIntegers = funcPass(
  'speculate-integers',
  {
    requires: 'canonical loops',
    keeps: 'every loop with checks, as the version that goes on where the other stops',
    changes: 'innermost loops with remainders of doubles get a version on integers before them',
  },
  () => require('./loops/speculate-integers.js').speculateIntegers,
);

const hoistChecks = funcPass(
  'hoist-checks',
  {
    requires: 'canonical loops',
    keeps: 'the loop as it was, as the version for where conditions fail',
    changes: 'range checks into conditions before the loop; the version behind them has none',
  },
  () => {
    const loops = require('./loops/hoist-checks.js');
    return (func, program) =>
      loops.hoistChecks(func, (s, moved, kept) => {
        program.loops[s.id].checks = { moved, kept };
      });
  },
);

const guardIterations = funcPass(
  'guard-iterations',
  {
    requires: 'what hoist-checks leaves: only checks that depend on the iteration',
    keeps: 'the order of stores',
    changes: 'several range checks of an iteration into one condition, with a version behind it that has none',
  },
  () => require('./loops/guard-iterations.js').guardIterations,
);

const narrowIntegers = funcPass(
  'narrow-integers',
  {
    requires: 'declared locals',
    keeps: 'the value of every expression, as a number or NaN',
    changes: 'doubles that only hold whole numbers or NaN into integers and a flag',
  },
  () => require('./loops/narrow-integers.js').narrowIntegers,
);

const divideLoops = pass(
  'parallel',
  {
    gives: 'tir',
    form: 'whole',
    requires: 'that nobody changes loops behind it',
    keeps: 'results bit for bit, for any number of threads; the order of reductions with numerics other than fast',
    changes: 'loops of independent iterations into functions of a range, which threads share',
  },
  (/** @type {Program} */ program, /** @type {import('./loops/parallel.js').ParallelOptions} */ options) => {
    require('./loops/parallel.js').parallelize(program, options);
    return program;
  },
);

const emit = pass(
  'emit',
  {
    gives: 'loops',
    requires: 'a whole program',
    keeps: 'the program: it may be emitted again with other options',
    changes: 'TIR into a Loop IR module: checks into branches, errors into statuses',
  },
  (/** @type {Program} */ program, /** @type {import('./emit/index.js').EmitOptions} */ options = {}) =>
    require('./emit/index.js').emit(program, options),
);

// --- the stages ---

/** @type {(tree: FunctionNode, types: ValueType[], options?: Partial<import('./infer/index.js').InferOptions>) => Inferred} */
function infer(tree, types, options = {}) {
  const inferred = inferTypes(tree, types, options);
  placeLocals(inferred.program);
  numberLoops(inferred.program);
  return inferred;
}

/** Makes a derivative the whole program that the stages behind take. @type {(derived: Inferred) => Inferred} */
function finishDerivative(derived) {
  const { program } = derived;
  lowerTape(program);
  placeLocals(program, [program.entry]);
  numberLoops(program);
  return derived;
}

/**
 * Changes the loops of a program.
 *
 * @type {(program: Program, options?: import('./loops/parallel.js').ParallelOptions) => Program}
 */
function improveLoops(program, options = {}) {
  canonicalizeLoops(program);
  speculateIntegers(program);
  hoistChecks(program);
  guardIterations(program);
  narrowIntegers(program);
  divideLoops(program, options);
  return program;
}

module.exports = {
  PASSES, build, differentiate: differentiateBody, emit, finishDerivative, improveLoops, infer, watchPasses,
};
