/**
 * ScriptModule: a TorchScript file whose methods are called with arguments by place, as in PyTorch.
 *
 *   const net = new ScriptModule('net.pt');
 *   const scores = net.forward(image);
 *
 * Each method is a model (../model.js), made when it is called for the first time.
 */
'use strict';

const path = require('node:path');
const { expected, isOptions, readOptions } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { compileOptions } = require('../../graph/graph.js');
const { createModel } = require('../model.js');
const { guarded } = require('./guard.js');
const { openArchive } = require('./index.js');
const { Script } = require('./script.js');

/** @type {(source: unknown, caller: string) => import('./archive.js').Archive} */
function archiveOf(source, caller) {
  if (source instanceof Uint8Array) return openArchive(source, { caller, file: 'the bytes' });
  if (source instanceof ArrayBuffer) return archiveOf(new Uint8Array(source), caller);
  if (typeof source !== 'string' || source === '' || source.includes('\0')) return expected(caller, 'a path or the bytes of a file', 'the module', source);
  return openArchive(source, { caller, file: path.basename(source) });
}

/** @type {import('../../base/check.js').Getter<Readonly<Record<string, any>>>} */
const objectOption = (value, which, caller) => (isOptions(value) ? value : expected(caller, 'an object', which, value));

class ScriptModule {
  /** @type {Script | undefined} until it is disposed of */
  #script;
  #options;
  #shapes;
  /** By name of the method. @type {Map<string, import('../model.js').Model>} */
  #models = new Map();

  /**
   * @param {unknown} source a path or bytes
   * @param {unknown} [options] those of `load`
   */
  constructor(source, options) {
    const caller = 'ScriptModule';
    const known = { ops: objectOption, inputs: objectOption, ...compileOptions };
    const { ops = {}, inputs = {}, ...compile } = readOptions(caller, options, known);
    const archive = archiveOf(source, caller);
    if (!archive.names.some((name) => name.startsWith('code/'))) fail('ERR_UNSUPPORTED', `${archive.what} is no script: load() reads tensors and programs`);
    this.#script = guarded(archive.what, () => new Script(archive, ops));
    this.#options = compile;
    this.#shapes = inputs;
    for (const name of this.methods) {
      if (!(name in this)) Object.defineProperty(this, name, { value: (/** @type {any[]} */ ...args) => this.call(name, ...args), enumerable: true });
    }
  }

  /** Names of the methods that the script has. */
  get methods() {
    return this.#open('methods').methods;
  }

  /** @type {(caller: string) => Script} */
  #open(caller) {
    return this.#script ?? fail('ERR_STATE', `${caller}: the module was disposed of`);
  }

  /** The model that a method is, with inputs by name. @type {(name: string) => import('../model.js').Model} */
  model(name) {
    const known = this.#models.get(name);
    if (known !== undefined) return known;
    const made = createModel(this.#open(name).definition(name, this.#shapes), { sizes: {}, compile: this.#options });
    this.#models.set(name, made);
    return made;
  }

  /**
   * Calls a method.
   *
   * @param {string} name
   * @param {...any} args tensors, numbers, texts, and arrays of them; undefined leaves one out
   * @returns {any} tensors, arrays and objects of them, numbers
   */
  call(name, ...args) {
    const model = this.model(name);
    if (args.length > model.inputs.length) fail('ERR_ARGUMENT', `${name}: ${args.length} arguments, expected at most ${model.inputs.length}`);
    const given = args.flatMap((each, i) => (each === undefined ? [] : [[model.inputs[i].name, each]]));
    const results = Object.values(model.run(Object.fromEntries(given)));
    return model.outputs[0]?.name === 'output' ? results[0] : results;
  }

  /** Calls the method `forward`. @type {(...args: any[]) => any} */
  forward(...args) {
    return this.call('forward', ...args);
  }

  dispose() {
    for (const model of this.#models.values()) model.dispose();
    this.#models.clear();
    this.#script = undefined; // and with it the weights
  }
}

module.exports = { ScriptModule };
