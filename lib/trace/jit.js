/**
 * jit: functions of tensors, traced and compiled.
 *
 * A function is called once for each combination of argument trees, dtypes, shapes and static values, with Values in
 * place of tensors (trace/trace.js), and what it did is compiled. Later calls run machine code and never reach the
 * function. The compiled traces are kept, the one used longest ago going first when there are too many.
 */
'use strict';

const { callable, expected, integer, nearest, readOptions, string } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { compileOptions, readCompileOptions, reopen } = require('../graph/graph.js');
const { isValue } = require('../graph/value.js');
const { recording } = require('../tensor/recording.js');
const { CompiledTrace, traceOf } = require('./compiled-trace.js');
const { parameterNames } = require('./parameter-names.js');
const { signatureOf } = require('./signature.js');
const { symbolicOption } = require('./symbolic-sizes.js');

/** How many traces are kept unless told. */
const CACHE_LIMIT = 64;

/**
 * A getter for a list of arguments, by position or name.
 *
 * @param {readonly (string | undefined)[]} parameters
 * @returns {import('../base/check.js').Getter<ReadonlySet<number>>}
 */
const positions = (parameters) => (value, which, caller) => {
  if (!Array.isArray(value)) return expected(caller, 'an array of positions and names of arguments', which, value);
  const places = Array.from(value, (each) => {
    if (Number.isSafeInteger(each) && each >= 0) return each;
    if (typeof each !== 'string') return expected(caller, 'positions and names of arguments', which, each);
    const at = parameters.indexOf(each);
    if (at >= 0) return at;
    const known = parameters.filter((name) => name !== undefined);
    const meant = nearest(each, known);
    const list =
      known.length === 0
        ? 'its parameters have no names here: use positions'
        : `its parameters are ${known.map((name) => `'${name}'`).join(', ')}`;
    const hint = meant === undefined ? '' : ` (did you mean '${meant}'?)`;
    return fail('ERR_ARGUMENT', `${caller}: ${which}: the function has no parameter '${each}'${hint}, ${list}`);
  });
  return new Set(places);
};

/** @type {(fn: (...args: any[]) => unknown, options: unknown) => any} */
function readJitOptions(fn, options) {
  const parameters = parameterNames(fn);
  const list = positions(parameters);
  const own = readOptions('jit', options, {
    static: list,
    donate: list,
    symbolic: symbolicOption,
    name: string,
    cacheLimit: integer(1),
    ...compileOptions,
  });
  const {
    static: statics = new Set(),
    donate: donated = new Set(),
    symbolic = false,
    cacheLimit = CACHE_LIMIT,
    ...others
  } = own;
  const { name = fn.name || 'main', ...compile } = others;
  for (const i of donated) {
    if (statics.has(i)) fail('ERR_ARGUMENT', `jit: argument ${i} is both static and donated`);
  }
  const compiled = readCompileOptions('jit', { tier: 'auto', ...compile });
  return { name, parameters, statics, donated, symbolic, cacheLimit, compile: compiled };
}

class Jitted {
  #fn;
  #rules;
  /** By key; the one used last is at the end. @type {Map<string, CompiledTrace>} */
  #entries = new Map();
  /** The one of the last call. @type {CompiledTrace | null} */
  #last = null;
  #disposed = false;

  /**
   * @param {(...args: any[]) => unknown} fn
   * @param {unknown} options
   */
  constructor(fn, options) {
    this.#fn = fn;
    this.#rules = readJitOptions(fn, options);
    this.name = this.#rules.name;
  }

  get size() {
    return this.#entries.size;
  }

  /** @type {(args: unknown[]) => any} */
  call(args) {
    const last = this.#last;
    if (last !== null) {
      const inputs = last.match(args);
      if (inputs !== null && last === this.#last) return last.run(inputs);
    }
    return this.#callNew(args);
  }

  /** @type {(args: unknown[]) => any} */
  #callNew(args) {
    if (this.#disposed) return fail('ERR_STATE', `${this.name}: the function is disposed`);
    const signature = signatureOf(args, this.#rules, 'call');
    // Called while another function is traced, this one becomes a part of it.
    if (signature.leaves.some(isValue)) return this.#fn(...args);
    const entry = this.#find(signature, args);
    entry.fit(/** @type {(readonly number[])[]} */ (signature.types.map(({ shape }) => shape)));
    const inputs = entry.take(signature.leaves);
    if (inputs === null) return this.#refuse(signature);
    this.#last = entry;
    return entry.run(inputs);
  }

  /** @type {(signature: import('./signature.js').Signature, args: unknown[]) => CompiledTrace} */
  #find(signature, args) {
    const entries = this.#entries;
    const { key } = signature;
    const entry = entries.get(key) ?? new CompiledTrace(this.#fn, this.#rules, signature, args);
    entries.delete(key);
    entries.set(key, entry);
    while (entries.size > this.#rules.cacheLimit) {
      const [[oldest, gone]] = entries;
      entries.delete(oldest);
      if (this.#last === gone) this.#last = null;
      gone.dispose();
    }
    return entry;
  }

  /**
   * Says why leaves whose types were just read are not of these types.
   *
   * @type {(signature: import('./signature.js').Signature) => never}
   */
  #refuse({ leaves, inputs }) {
    const i = leaves.findIndex((leaf) => typeof leaf === 'bigint' && BigInt.asIntN(64, leaf) !== leaf);
    if (i >= 0)
      return fail('ERR_DTYPE', `${this.name}: argument '${inputs[i].name}' is ${leaves[i]}n, which i64 does not hold`);
    return fail('ERR_STATE', `${this.name}: the array of an argument is detached or was shortened`);
  }

  /** @type {(specs: unknown[]) => import('../graph/graph.js').Graph} */
  lower(specs) {
    const signature = signatureOf(specs, this.#rules, 'lower');
    return reopen(traceOf(this.#fn, this.#rules, signature, specs).graph);
  }

  clear() {
    for (const entry of this.#entries.values()) entry.dispose();
    this.#entries.clear();
    this.#last = null;
  }

  dispose() {
    this.clear();
    this.#disposed = true;
  }
}

/**
 * @param {unknown} fn of tensors
 * @param {unknown} [options]
 * @returns {any} a function of the same arguments
 */
function jit(fn, options) {
  const own = new Jitted(callable(fn, 'the first argument', 'jit'), options);
  const call = (/** @type {unknown[]} */ ...args) =>
    recording.isOn ? recording.hooks.callFunction(own.name, call, args, () => own.call(args)) : own.call(args);
  /** @type {Record<string | symbol, PropertyDescriptor>} */
  const members = {
    name: { value: own.name, configurable: true },
    length: { value: /** @type {Function} */ (fn).length, configurable: true },
    cacheSize: { get: () => own.size, enumerable: true },
    lower: { value: (/** @type {unknown[]} */ ...specs) => own.lower(specs) },
    clear: { value: () => own.clear() },
    dispose: { value: () => own.dispose() },
  };
  if (Symbol.dispose !== undefined) members[Symbol.dispose] = members.dispose;
  return Object.defineProperties(call, members);
}

module.exports = { jit };
