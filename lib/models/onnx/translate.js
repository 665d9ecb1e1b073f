/**
 * The nodes of an ONNX file, translated one by one into operands.
 *
 * A node is translated by the version of its domain that the file names: a translation asks `node.version`. Nodes that
 * no output needs are left out. A function of the file is translated where it is called, in a scope of its own; graphs
 * in attributes see the names around them.
 */
'use strict';

const { randomInt } = require('node:crypto');
const { GraphError, fail } = require('../../base/errors.js');
const { refuseMissing } = require('../shared/missing-ops.js');
const { translationOf } = require('../shared/own-ops.js');
const { STANDARD } = require('./schema.js');
const { operandOf } = require('./tensors.js');
const { rowOf } = require('./ops/index.js');

/** @typedef {import('../shared/builder.js').Builder} Builder */
/** @typedef {import('../shared/builder.js').Translation} Translation */
/** @typedef {import('../shared/operands.js').Operand} Operand */

/** Functions that call each other deeper than this never end. */
const MAX_CALLS = 64;

/** Names in sight of a node. */
class Scope {
  /** @type {Map<string, Operand | undefined>} */
  #own = new Map();

  /** @param {Scope} [outer] */
  constructor(outer) {
    this.outer = outer;
  }

  /** @type {(name: string, operand: Operand | undefined) => void} */
  set(name, operand) {
    this.#own.set(name, operand);
  }

  /** @type {(name: string) => boolean} whatever is outside */
  owns(name) {
    return this.#own.has(name);
  }

  /** @type {(name: string) => boolean} */
  has(name) {
    return this.owns(name) || (this.outer?.has(name) ?? false);
  }

  /** @type {(name: string) => Operand | undefined} */
  get(name) {
    return this.#own.has(name) ? this.#own.get(name) : this.outer?.get(name);
  }
}

/** A graph in an attribute: the body of a loop, a branch. */
class Subgraph {
  /**
   * @param {Program} program
   * @param {any} proto
   * @param {Scope} scope
   * @param {Context} context
   */
  constructor(program, proto, scope, context) {
    this.program = program;
    this.proto = proto;
    this.scope = scope;
    this.context = context;
    this.inputs = (proto.inputs ?? []).map((/** @type {any} */ { name = '' }) => name);
    this.outputs = (proto.outputs ?? []).map((/** @type {any} */ { name = '' }) => name);
  }

  /**
   * Translates it for operands in place of its inputs.
   *
   * @param {Builder} cx
   * @param {readonly (Operand | undefined)[]} operands
   * @returns {(Operand | undefined)[]} of its outputs
   */
  run(cx, operands) {
    const scope = new Scope(this.scope);
    this.inputs.forEach((/** @type {string} */ name, /** @type {number} */ i) => scope.set(name, operands[i]));
    const where = cx.where;
    try {
      return this.program.translateGraph(this.proto, cx, scope, this.context);
    } finally {
      cx.where = where;
    }
  }
}

/** What a node is translated in: the versions of domains, and attributes of the function around it. @typedef {{ versions: Map<string, number>, attributes: Map<string, any>, depth: number }} Context */

/** What an attribute holds, for messages. @type {(value: any) => string} */
const kindOf = (value) => (Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`);

/** A node as translations see it. */
class Node {
  /** @type {Record<string, any>} */
  attributes = {};

  /**
   * @param {any} proto
   * @param {Program} program
   * @param {Context} context
   * @param {Scope} scope
   */
  constructor(proto, program, context, scope) {
    this.op = proto.op ?? '';
    this.domain = proto.domain || STANDARD;
    this.name = proto.name ?? '';
    this.inputs = proto.inputs ?? [];
    this.outputs = proto.outputs ?? [];
    /** Of its domain in this file. */
    this.version = context.versions.get(this.domain) ?? 1;
    /** What random numbers are made of without a seed: the same for all builds of a file that was loaded. */
    this.seed = program.seed;
    for (const given of proto.attributes ?? []) {
      const source = given.reference ? context.attributes.get(given.reference) : given;
      if (source !== undefined) this.attributes[given.name ?? ''] = valueOf(source, program, context, scope, this);
    }
  }

  /** @type {(name: string, initial?: any) => any} */
  attr(name, initial) {
    if (!Object.hasOwn(this.attributes, name)) return initial;
    const value = this.attributes[name];
    if (initial === undefined || kindOf(value) === kindOf(initial)) return value;
    return fail('ERR_PARSE', `attribute '${name}' is ${kindOf(value)}, expected ${kindOf(initial)}`);
  }

  /** Whether somebody uses an output. @type {(index: number) => boolean} */
  hasOutput(index) {
    return Boolean(this.outputs[index]);
  }

  get label() {
    return this.name ? `node '${this.name}' (${this.op})` : `node ${this.op}${this.outputs[0] ? ` of '${this.outputs[0]}'` : ''}`;
  }
}

/** @type {(bytes: Uint8Array | undefined) => string} */
const utf8 = (bytes) => Buffer.from(bytes ?? []).toString('utf8');

/** What an attribute holds. @type {(proto: any, program: Program, context: Context, scope: Scope, node: Node) => any} */
function valueOf(proto, program, context, scope, node) {
  const tensor = (/** @type {any} */ each) => operandOf(each, `${program.what}: ${node.label}: attribute '${proto.name}'`, program.files);
  const graph = (/** @type {any} */ each) => new Subgraph(program, each, scope, context);
  switch (proto.type ?? guessType(proto)) {
    case 1: return proto.f ?? 0;
    case 2: return Number(proto.i ?? 0);
    case 3: return utf8(proto.s);
    case 4: return tensor(proto.t ?? {});
    case 5: return graph(proto.g ?? {});
    case 6: return proto.floats ?? [];
    case 7: return proto.ints?.some((/** @type {unknown} */ each) => typeof each === 'bigint') ? proto.ints.map(Number) : (proto.ints ?? []);
    case 8: return proto.strings ?? [];
    case 9: return (proto.tensors ?? []).map(tensor);
    case 10: return (proto.graphs ?? []).map(graph);
    case 11: return sparseOf(proto.sparse ?? {}, tensor);
    case 13: return proto.typeProto;
    default: return fail('ERR_UNSUPPORTED', `${program.what}: ${node.label}: attribute '${proto.name}' has type ${proto.type}`);
  }
}

/** @type {(proto: any, tensor: (each: any) => Operand) => any} */
const sparseOf = ({ values = {}, indices = {}, dims = [] }, tensor) => ({
  values: tensor(values), indices: tensor(indices), dims: dims.map(Number),
});

/** Files of the first versions leave the type out. @type {(proto: any) => number} */
function guessType(proto) {
  const by = { floats: 6, ints: 7, strings: 8, tensors: 9, graphs: 10, s: 3, t: 4, g: 5, f: 1, i: 2 };
  return Object.entries(by).find(([name]) => proto[name] !== undefined)?.[1] ?? 0;
}

/** The names that a node reads, those of graphs in its attributes included. @type {(proto: any) => Set<string>} */
function usesOf(proto) {
  const used = new Set(/** @type {string[]} */ (proto.inputs ?? []));
  for (const { g, graphs = [] } of proto.attributes ?? []) {
    for (const graph of g ? [g, ...graphs] : graphs) for (const name of freeNames(graph)) used.add(name);
  }
  return used;
}

/** @type {(graph: any) => Set<string>} */
function freeNames(graph) {
  const free = new Set(/** @type {string[]} */ ((graph.outputs ?? []).map((/** @type {any} */ each) => each.name)));
  for (const node of graph.nodes ?? []) for (const name of usesOf(node)) free.add(name);
  for (const node of graph.nodes ?? []) for (const name of node.outputs ?? []) free.delete(name);
  for (const { name } of [...(graph.inputs ?? []), ...(graph.initializers ?? [])]) free.delete(name);
  return free;
}

/** The nodes that some of the outputs need, in their order. @type {(nodes: readonly any[], outputs: readonly string[]) => any[]} */
function neededNodes(nodes, outputs) {
  const needed = new Set(outputs);
  const kept = [];
  for (let i = nodes.length - 1; i >= 0; i--) {
    if (!(nodes[i].outputs ?? []).some((/** @type {string} */ name) => name !== '' && needed.has(name))) continue;
    for (const name of usesOf(nodes[i])) needed.add(name);
    kept.push(nodes[i]);
  }
  return kept.reverse();
}

class Program {
  /** @type {Map<string, any>} */
  #functions = new Map();
  /** Operands of initializers. @type {Map<any, Operand>} */
  #initializers = new Map();
  seed = randomInt(2 ** 32);

  /** @param {{ proto: any, versions: Map<string, number>, files: import('./tensors.js').ExternalFiles, what: string, ops: Readonly<Record<string, any>> }} given */
  constructor({ proto, versions, files, what, ops }) {
    this.proto = proto;
    this.versions = versions;
    this.files = files;
    this.what = what;
    this.ops = ops;
    for (const each of proto.functions ?? []) this.#functions.set(keyOf(each.domain, each.name, each.overload), each);
  }

  /** @type {(node: { domain?: string, op?: string, overload?: string }) => Translation | undefined} */
  #rowOf({ domain, op = '' }) {
    const own = this.ops[`${domain || STANDARD}::${op}`] ?? (domain ? undefined : this.ops[op]);
    if (own !== undefined) return translationOf(own);
    return rowOf(domain || STANDARD, op);
  }

  /** Refuses a file with ops that nobody can translate: all of them in one message. */
  checkOps() {
    /** @type {Map<string, string[]>} */
    const missing = new Map();
    const visit = (/** @type {readonly any[]} */ nodes) => {
      for (const node of nodes) {
        const isFunction = this.#functions.has(keyOf(node.domain, node.op, node.overload));
        const isKnown = isFunction || this.#rowOf(node) !== undefined;
        const name = `${node.domain ? `${node.domain}::` : ''}${node.op}`;
        if (!isKnown) missing.set(name, [...(missing.get(name) ?? []), node.name || node.outputs?.[0] || '']);
        for (const { g, graphs = [] } of node.attributes ?? [])
          for (const graph of g ? [g, ...graphs] : graphs) visit(graph.nodes ?? []);
      }
    };
    visit(this.proto.graph.nodes ?? []);
    for (const each of this.#functions.values()) visit(each.nodes ?? []);
    refuseMissing(missing, this.what);
  }

  /** @type {(cx: Builder, inputs: Map<string, Operand>) => Map<string, Operand | undefined>} */
  build(cx, inputs) {
    const scope = new Scope();
    for (const [name, operand] of inputs) scope.set(name, operand);
    const context = { versions: this.versions, attributes: new Map(), depth: 0 };
    const { graph } = this.proto;
    const outputs = this.translateGraph(graph, cx, scope, context);
    return new Map(outputs.map((operand, i) => [graph.outputs[i].name ?? '', operand]));
  }

  /**
   * @param {any} graph
   * @param {Builder} cx
   * @param {Scope} scope with its inputs
   * @param {Context} context
   * @returns {(Operand | undefined)[]}
   */
  translateGraph(graph, cx, scope, context) {
    for (const proto of graph.initializers ?? []) {
      // What is given for an input goes before.
      if (!scope.owns(proto.name ?? '')) scope.set(proto.name ?? '', this.#initializer(proto));
    }
    for (const sparse of graph.sparseInitializers ?? []) {
      const { densify } = require('./sparse.js');
      const name = sparse.values?.name ?? '';
      if (!scope.owns(name)) scope.set(name, densify(sparse, this.what, this.files));
    }
    const outputs = (graph.outputs ?? []).map((/** @type {any} */ { name = '' }) => name);
    return this.#translateNodes(graph.nodes ?? [], outputs, cx, scope, context);
  }

  /** @type {(proto: any) => Operand} */
  #initializer(proto) {
    const known = this.#initializers.get(proto) ?? operandOf(proto, `${this.what}: initializer '${proto.name}'`, this.files);
    this.#initializers.set(proto, known);
    return known;
  }

  /** @type {(nodes: readonly any[], outputs: readonly string[], cx: Builder, scope: Scope, context: Context) => (Operand | undefined)[]} */
  #translateNodes(nodes, outputs, cx, scope, context) {
    for (const proto of neededNodes(nodes, outputs)) {
      const results = this.#translateNode(proto, cx, scope, context);
      (proto.outputs ?? []).forEach((/** @type {string} */ name, /** @type {number} */ i) => name !== '' && scope.set(name, results[i]));
    }
    return outputs.map((name) => (scope.has(name) ? scope.get(name) : fail('ERR_PARSE', `${this.what}: nothing computes output '${name}'`)));
  }

  /** @type {(proto: any, cx: Builder, scope: Scope, context: Context) => (Operand | undefined)[]} */
  #translateNode(proto, cx, scope, context) {
    const node = new Node(proto, this, context, scope);
    const outer = cx.where;
    cx.where = `${this.what}: ${node.label}`;
    const inputs = node.inputs.map((/** @type {string} */ name) => {
      if (name === '') return undefined;
      return scope.has(name) ? scope.get(name) : cx.fail('ERR_PARSE', `nothing before it computes '${name}'`);
    });
    const own = this.#functions.get(keyOf(proto.domain, proto.op, proto.overload));
    try {
      if (own !== undefined) return this.#call(own, proto, inputs, cx, context);
      return cx.apply(/** @type {Translation} */ (this.#rowOf(proto)), node, inputs);
    } catch (error) {
      // No op says of each input that it must be there: a translation stumbles over what a node lacks.
      if (error instanceof TypeError || error instanceof RangeError) {
        const text = `${cx.where}: it has not the inputs or attributes of its op (${error.message})`;
        throw new GraphError(text, { code: 'ERR_PARSE', cause: error });
      }
      if (!(error instanceof GraphError) || error.message.startsWith(this.what)) throw error;
      throw new GraphError(`${cx.where}: ${error.message}`, { code: error.code, cause: error });
    } finally {
      cx.where = outer;
    }
  }

  /**
   * Translates the body of a function.
   *
   * @type {(own: any, proto: any, inputs: (Operand | undefined)[], cx: Builder, context: Context) => (Operand | undefined)[]}
   */
  #call(own, proto, inputs, cx, context) {
    if (context.depth >= MAX_CALLS) cx.fail('ERR_PARSE', `functions are nested more than ${MAX_CALLS} deep: one that calls itself has no end`);
    cx.step();
    const attributes = new Map((own.defaults ?? []).map((/** @type {any} */ each) => [each.name, each]));
    for (const each of proto.attributes ?? []) {
      const source = each.reference ? context.attributes.get(each.reference) : each;
      if (source !== undefined) attributes.set(each.name, source);
    }
    const versions = new Map(this.versions);
    for (const { domain, version } of own.opsets ?? []) versions.set(domain || STANDARD, Number(version ?? 0));
    const inner = new Scope();
    (own.inputs ?? []).forEach((/** @type {string} */ name, /** @type {number} */ i) => inner.set(name, inputs[i]));
    const called = { versions, attributes, depth: context.depth + 1 };
    return this.#translateNodes(own.nodes ?? [], own.outputs ?? [], cx, inner, called);
  }
}

/** @type {(domain: string | undefined, name: string | undefined, overload: string | undefined) => string} */
const keyOf = (domain, name, overload) => `${domain || STANDARD}::${name}::${overload ?? ''}`;

module.exports = { Program };
