/**
 * What handles stand for: variables, whose elements lie beside the graph, and tables that nodes of the graph fill.
 *
 * A handle may go through functions before somebody uses it, so uses are looked for from the graph on, through all
 * calls.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { Known, Text } = require('../shared/operands.js');
const { Namespace, addTo, dataInputs } = require('./namespace.js');

/** @typedef {import('../shared/operands.js').Operand} Operand */
/** @typedef {{ get(key: string, what: string): Operand | undefined, keyOf(name: string): string | undefined, asset(name: string, what: string): Uint8Array }} Store of variables: by key, the key of a name, and files beside them */
/** Where an input comes from: a node of the graph itself, and all that is between. @typedef {{ proto: any, namespace: Namespace, args: Map<string, Origin | undefined>, index: number }} Origin */

const INITIALIZERS = /^(InitializeTable|LookupTableImport)(V2)?$|^InitializeTableFromTextFile(V2)?$/;
const ASSIGNMENTS = /^Assign(VariableOp)?$/;
const MAX_DEPTH = 32;
const MAX_VISITS = 100_000;

class Resources {
  /**
   * Uses of handles, by the name of the node of the graph.
   *
   * @type {Map<string, { proto: any, origin: (input: number) => Origin | undefined }[]> | undefined}
   */
  #uses;
  /** @type {Map<string, Operand>} */
  #variables = new Map();

  /**
   * @param {import('./translate.js').Program} program
   * @param {Store | undefined} store
   * @param {any} initializer
   */
  constructor(program, store, initializer) {
    this.program = program;
    this.store = store;
    this.initializer = initializer;
  }

  /** @type {(node: { name: string, label: string, attr(name: string, initial?: any): any }) => Operand} what a variable holds */
  variable(node) {
    const known = this.#variables.get(node.name);
    if (known !== undefined) return known;
    const what = `${this.program.what}: ${node.label}`;
    const found = this.#restored(node, what);
    if (found === undefined) return fail('ERR_PARSE', `${what}: nothing says what the variable holds`);
    this.#variables.set(node.name, found);
    return found;
  }

  /** @type {(node: any, what: string) => Operand | undefined} */
  #restored(node, what) {
    const { store } = this;
    const weight = this.program.weights.get(node.name);
    if (weight !== undefined || store === undefined) return weight ?? this.#assigned(node);
    for (const { proto, origin } of this.#usesOf(node.name)) {
      if (!ASSIGNMENTS.test(proto.op ?? '')) continue;
      const from = origin(1);
      if (!/^Restore(V2)?$/.test(from?.proto.op ?? '') || from === undefined) continue;
      const names = this.#constantOf(from, 1);
      const key = names instanceof Text ? names.read({}, {}).data[from.index] : undefined;
      if (key !== undefined) return store.get(key, what);
    }
    const names = [node.attr('shared_name', ''), node.name].filter((name) => name !== '');
    for (const name of names) {
      const key = store.keyOf(name) ?? name;
      const found = store.get(key, what);
      if (found !== undefined) return found;
    }
    return this.#assigned(node);
  }

  /** A variable of a file without a checkpoint: what a node assigns that is a constant. @type {(node: any) => Operand | undefined} */
  #assigned(node) {
    for (const { proto, origin } of this.#usesOf(node.name)) {
      const from = ASSIGNMENTS.test(proto.op ?? '') ? origin(1) : undefined;
      if (from?.proto.op === 'Const') return this.#constantAt(from);
    }
    return undefined;
  }

  /**
   * what a table holds
   *
   * @type {(node: { name: string, label: string, attr(name: string, initial?: any): any }) => import('./operands.js').Entries}
   */
  entries(node) {
    const what = `${this.program.what}: ${node.label}`;
    const [keyType, valueType] = [node.attr('key_dtype', 'string'), node.attr('value_dtype', 'i64')];
    for (const { proto, origin } of this.#usesOf(node.name)) {
      if (!INITIALIZERS.test(proto.op ?? '')) continue;
      const entries = /TextFile/.test(proto.op) ? this.#entriesOfFile(proto, origin(1), what) : this.#entriesOf([origin(1), origin(2)], what);
      return { entries, keyType, valueType };
    }
    return fail('ERR_PARSE', `${what}: nothing says what the table holds`);
  }

  /** @type {(origins: (Origin | undefined)[], what: string) => Map<string | number, string | number>} */
  #entriesOf(origins, what) {
    const [keys, values] = origins.map((origin) => {
      if (origin?.proto.op !== 'Const') return fail('ERR_UNSUPPORTED', `${what}: the table is filled with something that is no constant`);
      const operand = this.#constantAt(origin);
      if (operand instanceof Text) return operand.read({}, {}).data;
      if (!(operand instanceof Known)) return fail('ERR_UNSUPPORTED', `${what}: the table is filled with something that is no constant`);
      return /** @type {any[]} */ ([operand.tensor.toArray()]).flat(Infinity).map(Number);
    });
    if (keys.length !== values.length) fail('ERR_PARSE', `${what}: the table has ${keys.length} keys and ${values.length} values`);
    return new Map(keys.map((/** @type {any} */ key, /** @type {number} */ i) => [key, values[i]]));
  }

  /**
   * Lines of a file: whole ones, their number, or a column.
   *
   * @type {(proto: any, origin: Origin | undefined, what: string) => Map<string | number, string | number>}
   */
  #entriesOfFile(proto, origin, what) {
    const name = origin?.proto.op === 'Const' ? this.#constantAt(origin) : undefined;
    if (!(name instanceof Text)) return fail('ERR_UNSUPPORTED', `${what}: the file of the table has no constant name`);
    const bytes = this.store?.asset(name.read({}, {}).data[0], what) ?? fail('ERR_UNSUPPORTED', `${what}: the table is of a file: load the folder that it is in`);
    const attr = (/** @type {string} */ key, /** @type {any} */ initial) => proto.attr?.get(key)?.i ?? initial;
    const delimiter = Buffer.from(proto.attr?.get('delimiter')?.s ?? '\t').toString('utf8');
    const lines = Buffer.from(bytes).toString('utf8').split('\n');
    if (lines[lines.length - 1] === '') lines.pop();
    const part = (/** @type {number} */ column, /** @type {string} */ line, /** @type {number} */ i) => {
      if (column === -2) return line;
      return column === -1 ? i : (line.split(delimiter)[column] ?? '');
    };
    const [keyIndex, valueIndex] = [Number(attr('key_index', 0)), Number(attr('value_index', 0))];
    return new Map(lines.map((line, i) => [part(keyIndex, line, i), part(valueIndex, line, i)]));
  }

  /** @type {(origin: Origin, input: number) => Operand | undefined} */
  #constantOf(origin, input) {
    const from = this.#originOf(dataInputs(origin.proto)[input], origin.namespace, origin.args);
    return from?.proto.op === 'Const' ? this.#constantAt(from) : undefined;
  }

  /** @type {(origin: Origin) => Operand} */
  #constantAt({ proto, namespace }) {
    const { Node, Scope } = require('./translate.js');
    return this.program.constant(new Node(proto, this.program, new Scope(namespace, 0)));
  }

  /** @type {(name: string) => { proto: any, origin: (input: number) => Origin | undefined }[]} */
  #usesOf(name) {
    this.#uses ??= this.#findUses();
    return this.#uses.get(name) ?? [];
  }

  #findUses() {
    this.#uses = new Map();
    const budget = { left: MAX_VISITS };
    this.#visit(this.program.main, new Map(), 0, budget);
    if (this.initializer !== undefined) this.#visit(new Namespace(this.initializer.node ?? [], `${this.program.what}: initializer`), new Map(), 0, budget);
    return this.#uses;
  }

  /** @type {(namespace: Namespace, args: Map<string, Origin | undefined>, depth: number, budget: { left: number }) => void} */
  #visit(namespace, args, depth, budget) {
    for (const proto of namespace.nodes.values()) {
      if (budget.left-- <= 0) return;
      const origin = (/** @type {number} */ input) => this.#originOf(dataInputs(proto)[input], namespace, args);
      if (INITIALIZERS.test(proto.op ?? '') || ASSIGNMENTS.test(proto.op ?? '')) {
        const name = origin(0)?.proto.name;
        if (name !== undefined && this.#uses) addTo(this.#uses, name, { proto, origin });
      }
      const inner = this.program.bodyOf(proto.attr?.get('f')?.func?.name ?? proto.op ?? '');
      if (inner === undefined || depth >= MAX_DEPTH) continue;
      this.#visit(inner, new Map(inner.args.map((arg, i) => [arg, origin(i)])), depth + 1, budget);
    }
  }

  /** @type {(input: string | undefined, namespace: Namespace, args: Map<string, Origin | undefined>) => Origin | undefined} */
  #originOf(input, namespace, args) {
    if (input === undefined) return undefined;
    const { name, index } = namespace.source(namespace.reference(input));
    if (args.has(name)) return args.get(name);
    const proto = namespace.nodes.get(name);
    return proto && { proto, namespace, args, index };
  }
}

module.exports = { Resources };
