/**
 * A script: code and data of a TorchScript file, and definitions of what its methods compute.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { guarded } = require('./guard.js');
const { Bound, Interpreter } = require('./interpreter.js');
const { parseScript } = require('./parser.js');
const { ScriptObject } = require('./pickle-globals.js');
const { Result } = require('./values.js');
const { fromJavaScript, portType } = require('./ports.js');

/** @typedef {import('./archive.js').Archive} Archive */
/** @typedef {import('./parser.js').FunctionTree} FunctionTree */

/** All code of a file has at most so many characters. */
const MAX_CODE = 2 ** 22;

class Script {
  /** @type {Map<string, import('./parser.js').ClassTree>} */
  #classes = new Map();
  /** @type {Map<string, FunctionTree>} */
  #functions = new Map();
  #archive;
  #ops;

  /**
   * @param {Archive} archive
   * @param {Readonly<Record<string, Function>>} ops
   */
  constructor(archive, ops) {
    this.#archive = archive;
    this.#ops = ops;
    this.what = archive.what;
    this.#parse();
    this.root = archive.pickle('data.pkl');
    if (!(this.root instanceof ScriptObject)) fail('ERR_PARSE', `${this.what} has code and no module`);
    /** @type {any[]} */
    this.constants = archive.has('constants.pkl') ? archive.pickle('constants.pkl') : [];
    if (!Array.isArray(this.constants)) fail('ERR_PARSE', `${this.what}: its constants are no list`);
  }

  #parse() {
    let size = 0;
    for (const name of this.#archive.names) {
      const found = /^code\/(.*)\.py$/.exec(name);
      if (found === null) continue;
      const text = this.#archive.text(name);
      size += text.length;
      if (size > MAX_CODE) fail('ERR_UNSUPPORTED', `${this.what} has more than ${MAX_CODE} characters of code`);
      const module = found[1].replaceAll('/', '.');
      const tree = parseScript(text, `${this.what}: ${name}`);
      for (const [own, each] of tree.classes) this.#classes.set(`${module}.${own}`, each);
      for (const [own, each] of tree.functions) this.#functions.set(`${module}.${own}`, each);
    }
  }

  /** @type {(name: string) => import('./parser.js').ClassTree | undefined} */
  classOf(name) {
    return this.#classes.get(name);
  }

  /** @type {(path: string) => FunctionTree | undefined} */
  functionOf(path) {
    return this.#functions.get(path);
  }

  /** @type {(index: number) => any} */
  constant(index) {
    return index < this.constants.length ? this.constants[index] : fail('ERR_PARSE', `${this.what} has no constant ${index}`);
  }

  /** @type {(record: import('./pickle-globals.js').TensorRecord) => import('../shared/operands.js').Known} */
  tensor(record) {
    const isConstant = this.constants.includes(record);
    return this.#archive.tensor(record, isConstant ? 'constants' : 'data');
  }

  /** An op that the user gives. @type {(name: string) => Function | undefined} */
  userOp(name) {
    const own = name.replace(/^ops\./, '').replace('.', '::');
    return this.#ops[own] ?? (own.includes('::') ? undefined : this.#ops[`aten::${own}`]);
  }

  /** Names of methods that can be called. @returns {string[]} */
  get methods() {
    return [...(this.classOf(this.root.className)?.methods.keys() ?? [])].filter((name) => !name.startsWith('__'));
  }

  /** @type {(name: string) => FunctionTree} */
  method(name) {
    const tree = this.classOf(this.root.className)?.methods.get(name);
    return tree ?? fail('ERR_ARGUMENT', `${this.what} has no method '${name}', methods are ${this.methods.map((each) => `'${each}'`).join(', ')}`);
  }

  /**
   * @param {string} name of a method
   * @param {Readonly<Record<string, any>>} shapes of inputs, where the caller knows them
   * @returns {import('../model.js').Definition}
   */
  definition(name, shapes) {
    const tree = this.method(name);
    const parameters = tree.parameters.slice(1);
    const inputs = parameters.map((each) => ({
      name: each.name, type: portType(each.type, shapes[each.name], `${this.what}: input '${each.name}'`), ...(each.initial === null ? {} : { optional: true }),
    }));
    const outputs = outputNames(tree.returns);
    return {
      format: 'torchscript',
      name: this.root.className.replace(/^__torch__\.(.*\.)?/, ''),
      metadata: { methods: this.methods },
      inputs,
      outputs: outputs.map((each) => ({ name: each, type: { kind: 'tensor', dtype: /** @type {any} */ (undefined) } })),
      build: (cx, given) => guarded(this.what, () => {
        const run = new Interpreter(this, cx);
        /** @type {Map<string, any>} */
        const named = new Map();
        for (const { name: own } of parameters)
          if (given.has(own)) named.set(own, fromJavaScript(given.get(own), run));
        cx.where = this.what;
        const result = run.call(new Bound(tree, run.object(this.root)), [], named);
        if (outputs.length === 1) return new Map([[outputs[0], new Result(result)]]);
        return new Map(outputs.map((each, i) => [each, new Result(result[i])]));
      }),
    };
  }
}

/** A tuple is one output for each element. @type {(type: import('./parser.js').Expression | null) => string[]} */
function outputNames(type) {
  const isTuple = type?.kind === 'index' && type.of.kind === 'name' && type.of.name === 'Tuple';
  if (!isTuple) return ['output'];
  const count = type.index.kind === 'tuple' ? type.index.items.length : 1;
  return Array.from({ length: count }, (_, i) => `output${i}`);
}

module.exports = { Script };
