/**
 * Model: a file that was loaded, as something to run.
 *
 * A format gives a *definition*: names and types of inputs and outputs, and a function that builds a graph
 * (builder.js). Most models are one graph for all sizes, which is compiled once. Where a file leaves something open
 * that a graph must know, the model is built anew for each of its cases, and programs are kept by case:
 *
 * - inputs of unknown rank, lists, and optionals: by what a run gives, the *signature*;
 * - sizes for which no graph of all sizes can be built: by the numbers of a run;
 * - shapes, axes or loops that depend on data: the graph so far computes them, and their values name the case.
 *
 * So every run is compiled code, whatever the file leaves to data; `specialization` says which it is, and why.
 */
'use strict';

const { createHash } = require('node:crypto');
const { expected, unknownName, isOptions } = require('../base/check.js');
const { GraphError, fail } = require('../base/errors.js');
const { asTensor } = require('../tensor/create.js');
const { Tensor } = require('../tensor/tensor.js');
const { caseOf, operandOf, symbolOf, textOf, valueAt, withSizes } = require('./cases.js');
const { Builder, Demand } = require('./shared/builder.js');
const { EqualSizes } = require('./shared/equal-sizes.js');

/** @typedef {import('./shared/operands.js').Operand} Operand */
/** @typedef {import('./shared/operands.js').Reader} Reader */
/** @typedef {import('../graph/program.js').Program} Program */
/** @typedef {import('./cases.js').Case} Case */
/** @typedef {import('./cases.js').Fixed} Fixed */
/** @typedef {number | string | null} OpenSize null for a size without a name */

/**
 * A tensor without a dtype may have any; `data` is plain: numbers, texts and lists of them, which say what program
 * runs.
 *
 * @typedef {{ kind: 'tensor', dtype?: string, shape?: readonly OpenSize[] }
 *   | { kind: 'data', read: (value: any) => any }
 *   | { kind: 'sequence', of: PortType }
 *   | { kind: 'optional', of: PortType }
 *   | { kind: 'map', key: string, value: PortType }} PortType dtype may be 'string' or a storage type
 */
/** What is left out stands for what the file says, or for nothing. @typedef {{ name: string, type: PortType, optional?: boolean }} ModelPort */

/**
 * What a format makes of a file.
 *
 * @typedef {object} Definition
 * @property {string} format
 * @property {string} name
 * @property {Readonly<Record<string, any>>} metadata
 * @property {readonly ModelPort[]} inputs
 * @property {readonly { name: string, type?: PortType }[]} outputs where the file does not say a type, the graph does
 * @property {readonly string[]} [values] names of what the file computes, in its order
 * @property {(cx: Builder, inputs: Map<string, Operand>) => Map<string, Operand | undefined>} build
 */

const KEY = Symbol('graphjit.model');

/** Of a model that was disposed of. @type {Definition} */
const nothing = { format: '', name: '', metadata: {}, inputs: [], outputs: [], build: () => new Map() };

/** Of as many cases of one model programs are kept. */
const MAX_CASES = 64;
/** So many demands one after the other are a loop that never ends. */
const MAX_DEMANDS = 10_000;

/**
 * A graph of the model, or of as much of it as could be built.
 *
 * @typedef {object} Build
 * @property {Builder} cx
 * @property {readonly { name: string, read: ((inputs: Record<string, any>) => any) | undefined }[]} inputs of the graph, and what computes those that the file has not
 * @property {readonly [string, Reader][]} outputs of a whole graph
 * @property {boolean} isProgram false for a graph without outputs
 * @property {{ value: any, where: string, input?: string } | undefined} demand of one that is not
 * @property {Program | undefined} program
 * @property {readonly (Case | undefined)[]} cases that it was built for
 * @property {Build | undefined} portable the same for other places than this process, where that is another
 * @property {Map<string, Build>} next by what was demanded
 */

/**
 * Which values of its graph were made for which node of the file.
 *
 * @type {(model: Model) => readonly import('./shared/builder.js').Made[]}
 */
let madeOf;
/**
 * @type {(model: Model, inputs: unknown, caller: string) => { graph: import('../graph/graph.js').Graph, feeds: Record<string, any>, finish: (results: Record<string, Tensor>) => Record<string, any> }}
 */
let executionOf;

class Model {
  #definition;
  #options;
  /** By signature. @type {Map<string, Build>} */
  #cases = new Map();
  /** @type {EqualSizes} */
  #equal;
  /** @type {readonly Case[] | undefined} */
  #open;
  #isDisposed = false;
  /** Of inputs without a rank: whether all their sizes are open, or the first one alone. */
  #isOpen = true;
  /** @type {{ by: 'signature' | 'sizes' | 'values', because: string } | null} */
  #specialization = null;

  static {
    madeOf = (model) => {
      const build = model.#cases.get('');
      return build === undefined ? [] : model.#portableOf(build).cx.made;
    };
    executionOf = (model, inputs, caller) => model.#execution(inputs, caller, false);
  }

  /**
   * @param {symbol} key
   * @param {Definition} definition
   * @param {{ sizes: Readonly<Record<string, number>>, compile: any }} options
   */
  constructor(key, definition, options) {
    if (key !== KEY) fail('ERR_ARGUMENT', 'Model: models come from load()');
    this.#definition = definition;
    this.#options = options;
    this.inputs = Object.freeze(definition.inputs.map((port) => this.#publicPort(port)));
    this.values = Object.freeze(definition.values ?? []);
    this.format = definition.format;
    this.name = definition.name;
    this.metadata = Object.freeze(definition.metadata);
    this.#equal = new EqualSizes(this.inputs.flatMap(({ shape = [] }) => shape.filter((/** @type {any} */ size) => typeof size === 'string')));
    this.#start();
    this.outputs = Object.freeze(definition.outputs.map((port) => this.#outputPort(port)));
  }

  /** @type {(port: { name: string, type?: PortType }) => any} */
  #outputPort({ name, type }) {
    if (type !== undefined) return this.#publicPort({ name, type });
    const made = this.#cases.get('')?.cx.graph.outputs.find((each) => each.name === name);
    return Object.freeze({ name, dtype: made?.value.dtype, shape: made?.value.shape });
  }

  /** @type {(port: ModelPort) => any} */
  #publicPort({ name, type, optional = false }) {
    const shape = (/** @type {PortType} */ each) => (each.kind === 'tensor' && each.shape ? this.#fixed(name, each.shape) : undefined);
    const open = type.kind === 'tensor' ? { dtype: type.dtype, shape: shape(type) } : { type };
    return Object.freeze({ name, ...open, ...(optional ? { optional } : {}) });
  }

  /** Sizes of an input with a name for each. @type {(name: string, shape: readonly OpenSize[]) => (number | string)[]} */
  #fixed(name, shape) {
    return shape.map((size, axis) => {
      if (typeof size === 'number') return size;
      const symbol = symbolOf(size ?? `${name}_${axis}`);
      return this.#options.sizes[symbol] ?? symbol;
    });
  }

  /** Builds the graph of all cases, if there is one. */
  #start() {
    this.#checkSizes();
    const ports = this.#definition.inputs;
    if (!ports.every(({ type, optional }) => optional || (type.kind === 'tensor' && type.shape))) {
      this.#specialization = { by: 'signature', because: 'the file leaves ranks, lists or optionals of inputs open' };
      return;
    }
    try {
      const build = this.#build(ports.map((port, i) => (port.optional ? undefined : this.#openCases()[i])), []);
      this.#cases.set('', build);
      if (build.demand) this.#specialization = { by: 'values', because: `${build.demand.where} depends on data` };
    } catch (error) {
      const isOpen = this.inputs.some(({ shape }) => shape?.some((/** @type {any} */ size) => typeof size === 'string'));
      if (!(error instanceof GraphError) || !isOpen || isFinal(error)) throw error;
      this.#specialization = { by: 'sizes', because: error.message };
    }
  }

  #checkSizes() {
    const symbols = this.#definition.inputs.flatMap(({ name, type }) => {
      const { shape = [] } = type.kind === 'tensor' ? type : {};
      return shape.flatMap((size, axis) => (typeof size === 'number' ? [] : [symbolOf(size ?? `${name}_${axis}`)]));
    });
    for (const name of Object.keys(this.#options.sizes)) {
      if (!symbols.includes(name)) unknownName('load', 'size', name, symbols);
    }
  }

  // -------------------------------------------------------------------------------- building

  /** Inputs of which all is known but numbers. @type {() => readonly Case[]} */
  #openCases() {
    this.#open ??= this.#definition.inputs.map(({ name, type }) => {
      const { dtype, shape = [] } = /** @type {any} */ (type);
      return { name, kind: 'tensor', dtype, shape: this.#fixed(name, shape) };
    });
    return this.#open;
  }

  /**
   * Builds, and takes sizes that must be equal to be so.
   *
   * @type {(cases: readonly (Case | undefined)[], answers: readonly Tensor[]) => Build}
   */
  #build(cases, answers) {
    for (;;) {
      try {
        return this.#buildOnce(cases.map((each) => each && withSizes(each, this.#equal)), answers);
      } catch (error) {
        if (!this.#equal.learn(error, answers.length > 0)) throw error;
      }
    }
  }

  /** @type {(cases: readonly (Case | undefined)[], answers: readonly Tensor[], isPortable?: boolean) => Build} */
  #buildOnce(cases, answers, isPortable = false) {
    const cx = new Builder(this.name, answers, this.#equal, isPortable);
    /** @type {Map<string, Operand>} */
    const inputs = new Map();
    const open = { cx, cases, program: undefined, portable: undefined, next: new Map() };
    try {
      cases.forEach((each, i) => each && inputs.set(this.#definition.inputs[i].name, operandOf(cx, each, each.name)));
      const found = this.#definition.build(cx, inputs);
      cx.where = '';
      const outputs = this.#definition.outputs.map(({ name }) => {
        const reader = cx.outputOf(name, found.get(name));
        return /** @type {[string, Reader]} */ ([name, reader]);
      });
      const isProgram = cx.graph.outputs.length > 0;
      return { ...open, inputs: inputsOf(cx), outputs, isProgram, demand: undefined };
    } catch (error) {
      if (!(error instanceof Demand)) {
        cx.graph.dispose();
        throw error;
      }
      const input = cx.graph.inputs.find(({ value }) => value.ref === error.value.ref)?.name;
      if (input === undefined) cx.graph.output('demand', error.value);
      const demand = { value: error.value, where: error.where, input };
      const isProgram = input === undefined;
      return { ...open, inputs: inputsOf(cx), outputs: [], isProgram, demand };
    }
  }

  /** What does without kernels of the library. @type {(build: Build) => Build} */
  #portableOf(build) {
    if (!build.cx.hasKernels) return build;
    build.portable ??= this.#buildOnce(build.cases, build.cx.answers, true);
    return build.portable;
  }

  /** The graph that all runs have in common. */
  get graph() {
    this.#checkOpen('graph');
    if (this.#specialization === null) return this.#portableOf(/** @type {Build} */ (this.#cases.get(''))).cx.graph;
    const { by, because } = this.#specialization;
    const cases = by === 'values' ? 'data' : by;
    return fail(
      'ERR_STATE',
      `graph: this model has a graph for each case of its ${cases} (${because}): graphFor(inputs) gives that of a run`,
    );
  }

  /** Null for one graph that serves all runs; else by what there are several, and why. */
  get specialization() {
    return this.#specialization;
  }

  // --------------------------------------------------------------------------------- running

  /** @param {string} caller */
  #checkOpen(caller) {
    if (this.#isDisposed) fail('ERR_STATE', `${caller}: the model was disposed of`);
  }

  /**
   * Goes through the builds of a run: gives each program with its inputs, and is given results.
   *
   * @param {unknown} given
   * @param {string} caller
   * @param {boolean} isFixed whether sizes are the numbers of the run
   * @returns {Generator<{ build: Build, inputs: Record<string, any> }, Build, Record<string, Tensor>>}
   */
  *#resolve(given, caller, isFixed) {
    this.#checkOpen(caller);
    const inputs = this.#readInputs(given, caller);
    const begin = isFixed ? this.#knownCase(inputs, 'sizes', caller) : this.#caseOf(inputs, caller);
    const { cases } = begin;
    let { build } = begin;
    /** @type {Tensor[]} */
    const answers = [];
    while (build.demand !== undefined) {
      const feeds = feedsOf(build, inputs);
      const { input, value, where } = build.demand;
      const answer =
        input === undefined
          ? (yield { build, inputs: feeds }).demand
          : asTensor(feeds[input], { dtype: value.dtype });
      this.#checkOpen(caller); // it may have been a while
      answers.push(answer);
      if (answers.length > MAX_DEMANDS)
        fail('ERR_UNSUPPORTED', `${caller}: ${where} depends on data again and again`);
      const key = keyOf(answer);
      let next = build.next.get(key);
      if (next === undefined) {
        makeRoom(build.next);
        try {
          next = this.#build(cases, [...answers]);
        } catch (error) {
          if (isFixed || !this.#mayFix(error)) throw error;
          if (this.#closeSizes()) return yield* this.#resolve(given, caller, false);
          const found = yield* this.#resolve(given, caller, true);
          this.#specialization = { by: 'sizes', because: /** @type {GraphError} */ (error).message };
          return found;
        }
        build.next.set(key, next);
      }
      build = next;
    }
    return build;
  }

  /** @type {(given: unknown, caller: string) => Record<string, any>} */
  #readInputs(given, caller) {
    const ports = this.#definition.inputs;
    const required = ports.filter(({ optional, type }) => !optional && type.kind !== 'optional');
    if (given === undefined && required.length === 0) return {};
    const isOne = given instanceof Tensor || ArrayBuffer.isView(given) || !isOptions(given);
    if (isOne && required.length === 1) return { [required[0].name]: given };
    if (isOne) return expected(caller, 'an object from names to inputs', 'the inputs', given);
    const names = ports.map((port) => port.name);
    for (const name of Object.keys(given)) if (!names.includes(name)) unknownName(caller, 'input', name, names);
    const missing = required.find(({ name }) => given[name] === undefined);
    if (missing === undefined) return given;
    const list = names.map((name) => `'${name}'`).join(', ');
    return fail('ERR_ARGUMENT', `${caller}: input '${missing.name}' is missing, inputs are ${list}`);
  }

  /** @type {(inputs: Record<string, any>, caller: string) => { build: Build, cases: readonly (Case | undefined)[] }} */
  #caseOf(inputs, caller) {
    const by = this.#specialization?.by;
    if (by !== 'signature') return this.#knownCase(inputs, by, caller);
    try {
      return this.#knownCase(inputs, by, caller);
    } catch (error) {
      if (!this.#mayFix(error)) throw error;
      if (this.#closeSizes()) return this.#caseOf(inputs, caller);
      const found = this.#knownCase(inputs, 'sizes', caller);
      this.#specialization = { by: 'sizes', because: /** @type {GraphError} */ (error).message };
      return found;
    }
  }

  /** Where ranks are unknown and not all sizes can be open, that of the batch mostly can. @type {() => boolean} */
  #closeSizes() {
    const may = this.#isOpen && this.inputs.some(({ shape }) => shape === undefined);
    if (may) this.#isOpen = false;
    return may;
  }

  /**
   * @type {(inputs: Record<string, any>, by: 'signature' | 'sizes' | 'values' | undefined, caller: string) => { build: Build, cases: readonly (Case | undefined)[] }}
   */
  #knownCase(inputs, by, caller) {
    const isCommon = by === undefined || by === 'values';
    /** @type {number | undefined} */
    let batch;
    /** @type {Fixed} */
    const fixed = (name, open, shape) => {
      if (open !== undefined || this.#isOpen) return this.#fixed(name, open ?? shape.map(() => null));
      batch ??= shape[0];
      return shape.map((size, axis) => (axis === 0 && size === batch ? 'batch' : size));
    };
    const cases = this.#definition.inputs.map(({ name, type, optional }, i) => {
      if (isCommon && !optional) return this.#openCases()[i];
      if (inputs[name] === undefined && type.kind !== 'optional') return undefined;
      return caseOf(name, type, inputs[name], by === 'sizes', fixed, caller);
    });
    const isUsual = isCommon && this.#definition.inputs.every(({ optional }, i) => !optional || cases[i] === undefined);
    const key = isUsual ? '' : cases.map(textOf).join(';');
    let build = this.#cases.get(key);
    if (build === undefined) {
      makeRoom(this.#cases);
      build = this.#build(cases, []);
      this.#cases.set(key, build);
    }
    return { build, cases };
  }

  /** @type {(build: Build) => Program} */
  #compiled(build) {
    build.program ??= build.cx.graph.compile(this.#options.compile);
    return build.program;
  }

  /** The same, but compiled on a thread of the libuv pool. @type {(build: Build) => Promise<Program>} */
  async #compiledAside(build) {
    build.program ??= build.cx.graph.compile({ ...this.#options.compile, tier: 'auto' });
    await build.program.ready();
    return build.program;
  }

  /**
   * Runs now, on this thread.
   *
   * @param {unknown} inputs by name, or one where there is one
   * @param {unknown} [outputs] arrays to write tensors into
   * @returns {Record<string, any>}
   */
  run(inputs, outputs) {
    return this.#fitted((isFixed) => {
      const build = this.#buildFor(inputs, 'run', isFixed);
      const given = this.#readInputs(inputs, 'run');
      if (!build.isProgram) return readOutputs(build, {}, given);
      return readOutputs(build, this.#compiled(build).run(feedsOf(build, given), outputs), given);
    });
  }

  /** What a run gives. Sizes that the graph of all sizes refuses, as it takes slices to fit, get one of their own. @template T @param {(isFixed: boolean) => T} run @returns {T} */
  #fitted(run) {
    try {
      return run(false);
    } catch (error) {
      if (!this.#isMisfit(error)) throw error;
      try {
        return run(true);
      } catch {
        throw error; // nor do these sizes fit the file
      }
    }
  }

  /** @type {(error: unknown) => boolean} */
  #isMisfit(error) {
    return this.#mayFix(error) && /** @type {GraphError} */ (error).code === 'ERR_SHAPE';
  }

  /** Whether what an error is about may go away where sizes are numbers. @type {(error: unknown) => boolean} */
  #mayFix(error) {
    if (!(error instanceof GraphError) || error.code === 'ERR_UNSUPPORTED' || error.code === 'ERR_OVERFLOW') return false;
    const isText = (/** @type {any} */ size) => typeof size === 'string';
    return this.#specialization?.by !== 'sizes' && this.inputs.some(({ shape }) => shape?.some(isText) ?? true);
  }

  /**
   * Runs on a thread of the libuv pool.
   *
   * @param {unknown} inputs
   * @param {unknown} [outputs]
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Record<string, any>>}
   */
  async runAsync(inputs, outputs, options) {
    try {
      return await this.#runAsync(inputs, outputs, options, false);
    } catch (error) {
      if (!this.#isMisfit(error)) throw error;
      return this.#runAsync(inputs, outputs, options, true).catch(() => {
        throw error;
      });
    }
  }

  /** @type {(inputs: unknown, outputs: unknown, options: any, isFixed: boolean) => Promise<Record<string, any>>} */
  async #runAsync(inputs, outputs, options, isFixed) {
    const steps = this.#resolve(inputs, 'runAsync', isFixed);
    let step = steps.next();
    while (!step.done) {
      const { build: part, inputs: feeds } = step.value;
      step = steps.next(await (await this.#compiledAside(part)).runAsync(feeds, undefined, options));
    }
    const build = step.value;
    const given = this.#readInputs(inputs, 'runAsync');
    if (!build.isProgram) return readOutputs(build, {}, given);
    const program = await this.#compiledAside(build);
    const results = await program.runAsync(feedsOf(build, given), outputs, options);
    return readOutputs(build, results, given);
  }

  /**
   * The graph that a run with these inputs uses.
   *
   * @param {unknown} inputs
   * @returns {import('../graph/graph.js').Graph}
   */
  graphFor(inputs) {
    return this.#portableOf(this.#buildFor(inputs, 'graphFor', false)).cx.graph;
  }

  /** @type {(inputs: unknown, caller: string, isFixed: boolean) => Build} */
  #buildFor(inputs, caller, isFixed) {
    const steps = this.#resolve(inputs, caller, isFixed);
    let step = steps.next();
    while (!step.done) step = steps.next(this.#compiled(step.value.build).run(step.value.inputs));
    return step.value;
  }

  /**
   * Computes the outputs with the reference evaluator: slow, and independent of the compiler.
   *
   * @param {unknown} inputs
   * @returns {Record<string, any>}
   */
  eval(inputs) {
    return this.#fitted((isFixed) => {
      const { graph, feeds, finish } = this.#execution(inputs, 'eval', isFixed);
      return finish(graph.outputs.length === 0 ? {} : graph.eval(feeds));
    });
  }

  /**
   * What another way to run a graph needs: the graph, its inputs, and what makes results of the model of its outputs.
   *
   * @param {unknown} inputs
   * @param {string} caller
   * @param {boolean} isFixed
   * @returns {{ graph: import('../graph/graph.js').Graph, feeds: Record<string, any>, finish: (results: Record<string, Tensor>) => Record<string, any> }}
   */
  #execution(inputs, caller, isFixed) {
    const build = this.#portableOf(this.#buildFor(inputs, caller, isFixed));
    const given = this.#readInputs(inputs, caller);
    const finish = (/** @type {Record<string, Tensor>} */ results) => readOutputs(build, results, given);
    return { graph: build.cx.graph, feeds: feedsOf(build, given), finish };
  }

  /** Compiles on a thread of the libuv pool what the next run needs, where that is known before. */
  async ready() {
    this.#checkOpen('ready');
    const build = this.#cases.get('');
    if (!build?.isProgram) return;
    await this.#compiledAside(build);
  }

  dispose() {
    this.#isDisposed = true;
    for (const build of this.#cases.values()) disposeBuild(build);
    this.#cases.clear();
    this.#definition = nothing; // and with it the weights
  }

  toString() {
    const text = (/** @type {any} */ { name, dtype, shape, type }) =>
      `${name}: ${dtype ?? type?.kind ?? 'tensor'}${shape ? `[${shape.join(', ')}]` : ''}`;
    const list = (/** @type {readonly any[]} */ ports) => ports.map(text).join(', ');
    return `Model ${this.name} (${list(this.inputs)}) -> (${list(this.outputs)})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')]() {
    return this.toString();
  }
}
if (Symbol.dispose !== undefined) {
  const { dispose } = Model.prototype;
  Object.defineProperty(Model.prototype, Symbol.dispose, { value: dispose, writable: true, configurable: true });
}

// ------------------------------------------------------------------------------------------ runs

/** @type {(cx: Builder) => Build['inputs']} */
function inputsOf({ graph, derived }) {
  const reads = new Map(derived.map(({ name, read }) => [name, read]));
  return graph.inputs.map(({ name }) => ({ name, read: reads.get(name) }));
}

/** The inputs of a program. @type {(build: Build, given: Record<string, any>) => Record<string, any>} */
function feedsOf({ inputs }, given) {
  /** @type {Record<string, any>} */
  const feeds = {};
  for (const { name, read } of inputs) feeds[name] = read ? read(given) : valueAt(given, name);
  return feeds;
}

/** @type {(build: Build, results: Record<string, Tensor>, inputs: Record<string, any>) => Record<string, any>} */
const readOutputs = ({ outputs }, results, inputs) =>
  Object.fromEntries(outputs.map(([name, read]) => [name, read(results, inputs)]));

/** @type {(tensor: Tensor) => string} what tells values of a demand apart */
function keyOf(tensor) {
  const { data } = tensor.copy();
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const isShort = bytes.length <= 1024;
  return `${tensor.shape}:${isShort ? bytes.toString('latin1') : createHash('sha256').update(bytes).digest('base64')}`;
}

/** For one more case, and never at the cost of that which all runs may have in common. @type {(cases: Map<string, Build>) => void} */
function makeRoom(cases) {
  if (cases.size < MAX_CASES) return;
  const [oldest, build] = /** @type {[string, Build]} */ ([...cases].find(([key]) => key !== ''));
  cases.delete(oldest);
  disposeBuild(build);
}

/** Whether other sizes can't help: not where a translation stumbled over one. @type {(error: GraphError) => boolean} */
const isFinal = ({ code, cause }) =>
  code === 'ERR_UNSUPPORTED' || (code === 'ERR_PARSE' && !(cause instanceof TypeError || cause instanceof RangeError));

/** @type {(build: Build) => void} */
function disposeBuild(build) {
  for (const next of build.next.values()) disposeBuild(next);
  build.next.clear();
  if (build.portable !== undefined) disposeBuild(build.portable);
  build.program?.dispose();
  build.cx.graph.dispose();
}

/** @type {(definition: Definition, options: { sizes: Readonly<Record<string, number>>, compile: any }) => Model} */
const createModel = (definition, options) => new Model(KEY, definition, options);

module.exports = { Model, createModel, executionOf, madeOf };
