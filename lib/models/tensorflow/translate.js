/**
 * The nodes of a TensorFlow graph, translated into operands.
 *
 * Only nodes are translated that an output needs, each behind those that it reads. What a name stands for lies in a
 * scope: that of the graph, of a function that is called, or of the body of a loop, whose nodes are those of the graph
 * around it. Edges that only say what runs first are left out: nothing here has effects.
 */
'use strict';

const { randomInt } = require('node:crypto');
const { GraphError, fail } = require('../../base/errors.js');
const { refuseMissing } = require('../shared/missing-ops.js');
const { choose, loop } = require('./control.js');
const { Namespace, addTo, dataInputs, inOrder } = require('./namespace.js');
const { openShapeOf, operandOf, typeOf } = require('./tensors.js');
const { Resources } = require('./resources.js');
const { tables } = require('./ops/index.js');

/** @typedef {import('../shared/builder.js').Builder} Builder */
/** @typedef {import('../shared/builder.js').Translation} Translation */
/** @typedef {import('../shared/operands.js').Operand} Operand */
/** @typedef {import('./namespace.js').Reference} Reference */

/** Functions that call each other deeper than this never end. */
const MAX_CALLS = 64;
/** More nodes than that are of functions that call others again and again. */
const MAX_NODES = 500_000;

/** Names in sight of a node. */
class Scope {
  /** @type {Map<string, (Operand | undefined)[]>} */
  #own = new Map();

  /**
   * @param {Namespace} namespace
   * @param {number} depth of calls
   * @param {Scope} [outer] of the same names
   */
  constructor(namespace, depth, outer) {
    this.namespace = namespace;
    this.depth = depth;
    this.outer = outer;
  }

  /** @type {(name: string, operands: (Operand | undefined)[]) => void} */
  set(name, operands) {
    this.#own.set(name, operands);
  }

  /** @type {(name: string) => (Operand | undefined)[] | undefined} */
  find(name) {
    return this.#own.get(name) ?? this.outer?.find(name);
  }

  /** @type {(reference: Reference) => Operand | undefined} */
  get({ name, index }) {
    return this.find(name)?.[index];
  }
}

/** @type {(bytes: Uint8Array | undefined) => string} */
const utf8 = (bytes) => Buffer.from(bytes ?? []).toString('utf8');

/** What an attribute holds. @type {(proto: any, what: string) => any} */
function valueOf(proto, what) {
  if (proto.list !== undefined) return listOf(proto.list, what);
  if (proto.i !== undefined) return Number(proto.i);
  if (proto.s !== undefined) return utf8(proto.s);
  if (proto.type !== undefined) return typeOf(proto.type, what);
  if (proto.shape !== undefined) return openShapeOf(proto.shape);
  if (proto.tensor !== undefined) return operandOf(proto.tensor, what);
  return proto.f ?? proto.b ?? proto.func;
}

/** @type {(list: any, what: string) => any[]} */
function listOf(list, what) {
  for (const [field, items] of Object.entries(list)) if (items.length > 0) return items.map((/** @type {any} */ item) => valueOf({ [field]: item }, what));
  return [];
}

/** A node as translations see it. */
class Node {
  /** @type {Map<string, any>} */
  #values = new Map();

  /**
   * @param {any} proto
   * @param {Program} program
   * @param {Scope} scope
   */
  constructor(proto, program, scope) {
    this.proto = proto;
    this.name = proto.name ?? '';
    this.op = proto.op ?? '';
    this.program = program;
    this.scope = scope;
  }

  /** @type {(name: string, initial?: any) => any} */
  attr(name, initial) {
    if (!this.#values.has(name)) {
      const proto = this.proto.attr?.get(name);
      this.#values.set(name, proto === undefined ? undefined : valueOf(proto, `${this.program.what}: ${this.label}: attribute '${name}'`));
    }
    return this.#values.get(name) ?? initial;
  }

  /**
   * What a function named by an attribute gives.
   *
   * @type {(name: string, operands: (Operand | undefined)[], cx: Builder) => (Operand | undefined)[]}
   */
  call(name, operands, cx) {
    return this.program.call(this.attr(name)?.name ?? '', operands, cx, this.scope.depth + 1);
  }

  get label() {
    return `node '${this.name}' (${this.op})`;
  }
}

class Program {
  /** @type {Map<string, any>} */
  #functions = new Map();
  /** @type {Map<string, Namespace>} */
  #bodies = new Map();
  /** Operands of constants by their messages. @type {Map<any, Operand>} */
  #constants = new Map();
  /** Of random nodes that have none. */
  seed = randomInt(2 ** 32);
  /** Nodes that were translated for a graph, those of functions once for each call. */
  #count = 0;

  /**
   * @param {object} given
   * @param {any} given.graph a GraphDef
   * @param {string} given.what for messages
   * @param {Readonly<Record<string, any>>} given.ops translations that the user has
   * @param {ReadonlyMap<string, Operand>} [given.weights] constants that lie in another file, by node
   * @param {import('./resources.js').Store} [given.variables]
   * @param {any} [given.initializer] a GraphDef that fills tables
   */
  constructor({ graph, what, ops, weights = new Map(), variables, initializer }) {
    this.what = what;
    this.ops = ops;
    this.weights = weights;
    for (const each of graph.library?.function ?? []) this.#functions.set(each.signature?.name ?? '', each);
    this.main = new Namespace(graph.node ?? [], what, undefined, (op) => this.#functions.get(op));
    this.resources = new Resources(this, variables, initializer);
  }

  /** @type {(name: string) => Namespace | undefined} the nodes of a function */
  bodyOf(name) {
    const proto = this.#functions.get(name);
    if (proto === undefined) return undefined;
    const known = this.#bodies.get(name) ?? new Namespace(proto.nodeDef ?? [], `${this.what}: function '${name}'`, proto, (op) => this.#functions.get(op));
    this.#bodies.set(name, known);
    return known;
  }

  /** @type {(name: string) => Namespace} */
  body(name) {
    return this.bodyOf(name) ?? fail('ERR_PARSE', `${this.what} has no function '${name}'`);
  }

  /** @type {(body: Namespace) => Reference[]} what a function returns */
  returns(body) {
    return (body.own.signature?.outputArg ?? []).map((/** @type {any} */ { name = '' }) => {
      const input = body.own.ret?.get(name);
      return input === undefined ? fail('ERR_PARSE', `${body.what} does not say what '${name}' is`) : body.reference(input);
    });
  }

  /** Which results of a function are its inputs of the same numbers. @type {(name: string) => boolean[]} */
  keeps(name) {
    const body = this.body(name);
    return this.returns(body).map((reference, i) => body.source(reference).name === body.args[i]);
  }

  /** @type {(op: string) => Translation | undefined} */
  #rowOf(op) {
    const own = this.ops[`tensorflow::${op}`] ?? this.ops[op];
    if (own === undefined) return tables[op];
    return { translate: (node, inputs, cx) => own(node, ...inputs.map((each) => each && cx.value(each))), fold: false };
  }

  /**
   * Refuses a file with ops that nobody can translate, all of them in one message, or without what it reads.
   *
   * @type {(outputs: readonly string[], inputs: readonly string[]) => void}
   */
  checkOps(outputs, inputs) {
    /** @type {Map<string, string[]>} */
    const missing = new Map();
    const queue = [{ body: this.main, names: /** @type {readonly string[]} */ (outputs) }];
    const visited = new Set();
    for (const { body, names: starts } of queue) {
      const seen = new Set(starts);
      for (const name of seen) {
        if (body.isArg(name) || (body === this.main && inputs.includes(name))) continue;
        const proto = body.node(name);
        const { op = '' } = proto;
        const isFunction = this.#functions.has(op);
        this.#checkData(proto, body);
        if (!isFunction && this.#rowOf(op) === undefined) addTo(missing, op, name);
        for (const each of isFunction ? [op] : functionNames(proto)) {
          const inner = this.body(each);
          const names = this.returns(inner).map((reference) => reference.name);
          if (!visited.has(each)) queue.push({ body: inner, names });
          visited.add(each);
        }
        for (const each of body.reads(name)) seen.add(each);
      }
    }
    refuseMissing(missing, this.what);
  }

  /** Refuses constants and variables that are not there; their elements are read later. @type {(proto: any, body: Namespace) => void} */
  #checkData(proto, body) {
    const node = new Node(proto, this, new Scope(body, 0));
    if (node.op === 'Const' && this.ops.Const === undefined) this.constant(node);
    if (/^(VarHandleOp|Variable(V2)?)$/.test(node.op)) this.resources.variable(node);
  }

  /**
   * @param {Builder} cx
   * @param {ReadonlyMap<string, Operand>} given inputs by name of a node
   * @param {readonly Reference[]} outputs
   * @returns {(Operand | undefined)[]}
   */
  build(cx, given, outputs) {
    this.#count = 0;
    const scope = new Scope(this.main, 0);
    for (const [name, operand] of given) scope.set(name, [operand]);
    return this.evaluate(scope, outputs, cx);
  }

  /** @type {(name: string, operands: (Operand | undefined)[], cx: Builder, depth: number) => (Operand | undefined)[]} */
  call(name, operands, cx, depth) {
    if (depth > MAX_CALLS) cx.fail('ERR_PARSE', `functions are nested more than ${MAX_CALLS} deep: one that calls itself has no end`);
    const body = this.body(name);
    const scope = new Scope(body, depth);
    body.args.forEach((arg, i) => scope.set(arg, [operands[i]]));
    return this.evaluate(scope, this.returns(body), cx);
  }

  /** @type {(scope: Scope, references: readonly Reference[], cx: Builder) => (Operand | undefined)[]} */
  evaluate(scope, references, cx) {
    const { namespace } = scope;
    const before = (/** @type {string} */ name) => (scope.find(name) === undefined ? this.#dependencies(namespace, name).filter((each) => scope.find(each) === undefined) : []);
    const names = references.map(({ name }) => name);
    const order = inOrder(names, before, (name) => fail('ERR_PARSE', `${namespace.what}: nodes around '${name}' form a circle`));
    const { where } = cx;
    for (const name of order) if (scope.find(name) === undefined) this.#translate(scope, name, cx);
    cx.where = where;
    return references.map((reference) => scope.get(reference));
  }

  /** @type {(namespace: Namespace, name: string) => string[]} */
  #dependencies(namespace, name) {
    const { op = '' } = namespace.nodes.get(name) ?? {};
    if (/^(Ref)?Exit$/.test(op)) {
      const { carried, constants } = namespace.frameOf(name);
      return [...carried.map(({ enter }) => enter), ...constants].flatMap((enter) => namespace.reads(enter));
    }
    if (/^(Ref)?Merge$/.test(op)) {
      if (namespace.isLoopMerge(name)) return fail('ERR_UNSUPPORTED', `${namespace.what}: node '${name}' (Merge) of a loop is read from outside`);
      const { predicate, switches } = namespace.choiceOf(name);
      return [predicate.name, ...switches.flatMap((each) => namespace.reads(each))];
    }
    return namespace.reads(name);
  }

  /** @type {(scope: Scope, name: string, cx: Builder) => void} */
  #translate(scope, name, cx) {
    const { namespace } = scope;
    const node = new Node(namespace.node(name), this, scope);
    cx.where = `${namespace.what}: ${node.label}`;
    if (++this.#count > MAX_NODES) cx.fail('ERR_UNSUPPORTED', `more than ${MAX_NODES} nodes, those of functions counted for each call`);
    try {
      if (/^(Ref)?Exit$/.test(node.op)) this.#loop(scope, name, cx);
      else if (/^(Ref)?Merge$/.test(node.op)) scope.set(name, this.#choose(scope, name, cx));
      else scope.set(name, this.#results(node, cx));
    } catch (error) {
      if (!(error instanceof GraphError) || error.message.startsWith(this.what)) throw error;
      throw new GraphError(`${namespace.what}: ${node.label}: ${error.message}`, { code: error.code, cause: error });
    }
  }

  /** @type {(node: Node, cx: Builder) => (Operand | undefined)[]} */
  #results(node, cx) {
    const { namespace } = node.scope;
    if (node.op === 'Const' && this.ops.Const === undefined) return [this.constant(node)];
    const inputs = dataInputs(node.proto).map((input) => {
      const operand = node.scope.get(namespace.reference(input));
      return operand === undefined ? cx.fail('ERR_PARSE', `nothing computes '${input}'`) : operand;
    });
    if (this.#functions.has(node.op)) return this.call(node.op, inputs, cx, node.scope.depth + 1);
    return cx.apply(/** @type {Translation} */ (this.#rowOf(node.op)), node, inputs);
  }

  /** @type {(node: Node) => Operand} */
  constant(node) {
    const known = this.#constants.get(node.proto) ?? this.weights.get(node.name) ?? node.attr('value');
    if (known === undefined) return fail('ERR_PARSE', `${this.what}: ${node.label} has no value`);
    this.#constants.set(node.proto, known);
    return known;
  }

  /** Translates the loop that an Exit is of, for all its exits. @type {(scope: Scope, exit: string, cx: Builder) => void} */
  #loop(scope, exit, cx) {
    const { namespace } = scope;
    const { condition, carried, constants } = namespace.frameOf(exit);
    const entered = (/** @type {string} */ enter) => scope.get(namespace.reference(dataInputs(namespace.node(enter))[0]));
    const fixed = constants.map((enter) => /** @type {const} */ ([enter, entered(enter)]));
    const inner = (/** @type {any[]} */ operands) => {
      const body = new Scope(namespace, scope.depth, scope);
      for (const [enter, operand] of fixed) body.set(enter, [operand]);
      carried.forEach((each, i) => {
        body.set(each.merge, [operands[i]]);
        body.set(each.switch, [operands[i], operands[i]]);
      });
      return body;
    };
    const results = loop(
      cx,
      carried.map(({ enter }) => entered(enter)),
      carried.map(({ isKept }) => isKept),
      (operands) => this.evaluate(inner(operands), [condition], cx)[0],
      (operands) => this.evaluate(inner(operands), carried.map(({ next }) => ({ name: next, index: 0 })), cx),
    );
    carried.forEach(({ exits }, i) => exits.forEach((name) => scope.set(name, [results[i]])));
  }

  /** @type {(scope: Scope, merge: string, cx: Builder) => (Operand | undefined)[]} */
  #choose(scope, merge, cx) {
    const { namespace } = scope;
    const { predicate, sides, switches, swapped } = namespace.choiceOf(merge);
    const side = (/** @type {0 | 1} */ which) => () => {
      const inner = new Scope(namespace, scope.depth, scope);
      for (const name of switches) {
        const data = scope.get(namespace.reference(dataInputs(namespace.node(name))[0]));
        inner.set(name, [data, data]);
      }
      const [result] = this.evaluate(inner, [sides[which]], cx);
      return [result, cx.constant((which === 0) === swapped ? 1 : 0, 'i32')];
    };
    return choose(cx, scope.get(predicate), side(1), side(0));
  }
}

/** Functions that attributes of a node name. @type {(proto: any) => string[]} */
function functionNames(proto) {
  const names = [];
  for (const value of proto.attr?.values() ?? []) {
    const { func, list } = value ?? {};
    for (const each of func ? [func] : (list?.func ?? [])) if (each.name) names.push(each.name);
  }
  return names;
}

module.exports = { Node, Program, Scope };
