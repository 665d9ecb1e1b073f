/**
 * Code of a script, run while a graph is built.
 *
 * Tensors are operands of the graph, so running the code records what it computes. Numbers, lists and modules are as
 * they are, and control flow that they decide is just followed: loops are unrolled, calls are inlined. Where data
 * decides, control.js records both branches or the loop, or the number is asked of a run (builder.js). What code may do
 * is bounded: in steps, in ops, and in how deep calls go.
 */
'use strict';

const { GraphError } = require('../../base/errors.js');
const { Sizes } = require('../shared/operands.js');
const { CHANGES, at, builtinFor, compute } = require('./builtins.js');
const { Call, bind } = require('./call.js');
const { chooseByData, loopByData } = require('./control.js');
const { Device, ScriptObject, TensorRecord } = require('./pickle-globals.js');
const { Cell, Memory, Scalar, isTensor, kindOfDtype, scalarOf } = require('./values.js');
const { findOp } = require('./ops/index.js');
const { PRIMITIVES, PROPERTIES } = require('./primitives.js');

/** @typedef {import('../shared/builder.js').Builder} Builder */
/** @typedef {import('./parser.js').Expression} Expression */
/** @typedef {import('./parser.js').Statement} Statement */
/** @typedef {import('./parser.js').FunctionTree} FunctionTree */
/** @typedef {import('./script.js').Script} Script */
/** @typedef {Map<string, any>} Names */

const MAX_STEPS = 3_000_000;
const MAX_OPS = 30_000;
const MAX_CALLS = 200;
const MAX_TEXT = 2 ** 20;

/** A function of the script, perhaps of an object. */
class Bound {
  /**
   * @param {FunctionTree} tree
   * @param {ScriptObject} [self]
   */
  constructor(tree, self) {
    this.tree = tree;
    this.self = self;
  }
}

/** What a `return` gives to the call. */
class Returned {
  /** @param {any} value */
  constructor(value) {
    this.value = value;
  }
}

class Interpreter {
  #steps = 0;
  #ops = 0;
  #depth = 0;
  /** How many branches and loops are recorded now. */
  #recording = 0;
  /** Objects of the file, as they are in this graph. @type {Map<any, any>} */
  #objects = new Map();

  /**
   * @param {Script} script
   * @param {Builder} cx
   */
  constructor(script, cx) {
    this.script = script;
    this.cx = cx;
    this.memory = new Memory(cx);
  }

  /** Whether a function that asks about tensors has this name. @type {(name: string) => boolean} */
  static answers(name) {
    return Object.hasOwn(PRIMITIVES, name);
  }

  /** @type {(operand: any) => Cell} */
  cell(operand) {
    return new Cell(this.memory, operand);
  }

  /** @type {(code: import('../../base/errors.js').ErrorCode, message: string) => never} */
  fail(code, message) {
    return this.cx.fail(code, message);
  }

  /**
   * Runs what is recorded for a branch or a loop: it may change tensors, and nothing else that lies outside.
   *
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  tentatively(work) {
    const depth = this.#depth;
    this.#recording++;
    try {
      return work();
    } finally {
      this.#recording--;
      this.#depth = depth;
    }
  }

  /** @type {(what: string) => void} */
  #checkChange(what) {
    if (this.#recording > 0) this.fail('ERR_UNSUPPORTED', `${what} depends on data`);
  }

  // ------------------------------------------------------------------------------------ objects

  /** What a value of the pickle is in this graph. @type {(value: any) => any} */
  object(value) {
    if (typeof value !== 'object' || value === null) return value;
    const found = this.#objects.get(value);
    if (found !== undefined) return found;
    if (value instanceof TensorRecord) return this.#remember(value, this.cell(this.script.tensor(value)));
    if (Array.isArray(value)) {
      const list = this.#remember(value, /** @type {any[]} */ ([]));
      for (const each of value) list.push(this.object(each));
      return list;
    }
    if (value instanceof Map)
      return this.#remember(value, new Map([...value].map(([key, each]) => [key, this.object(each)])));
    if (!(value instanceof ScriptObject)) return value;
    const own = this.#remember(value, new ScriptObject(value.className));
    own.state = value.state;
    for (const [name, each] of value.attributes) own.attributes.set(name, each);
    return own;
  }

  /** @template T @param {any} value @param {T} own @returns {T} */
  #remember(value, own) {
    this.#objects.set(value, own).set(own, own);
    return own;
  }

  /** @type {(of: any, name: string) => any} */
  attribute(of, name) {
    if (of instanceof ScriptObject) return this.#member(of, name);
    if (of instanceof Cell) {
      const property = PROPERTIES[name];
      if (property !== undefined) return property(of, this);
    }
    if (of instanceof Device && name === 'type') return of.text.replace(/:.*/, '');
    return this.fail('ERR_UNSUPPORTED', `a script asks for '${name}' of what has none`);
  }

  /** @type {(of: ScriptObject, name: string) => any} */
  #member(of, name) {
    if (of.attributes.has(name)) {
      const value = this.object(of.attributes.get(name));
      of.attributes.set(name, value);
      return value;
    }
    const tree = this.script.classOf(of.className);
    const method = tree?.methods.get(name);
    if (method !== undefined) return new Bound(method, of);
    const constant = tree?.constants.get(name);
    if (constant !== undefined) return this.evaluate(constant, new Map());
    return this.fail('ERR_PARSE', `an object of ${of.className} has no '${name}'`);
  }

  // -------------------------------------------------------------------------------------- calls

  /**
   * @param {Bound} bound
   * @param {readonly any[]} args
   * @param {ReadonlyMap<string, any>} named
   * @returns {any}
   */
  call({ tree, self }, args, named) {
    if (++this.#depth > MAX_CALLS) this.fail('ERR_OVERFLOW', `functions of the script call each other more than ${MAX_CALLS} deep`);
    const where = this.cx.where;
    try {
      const names = this.#parameters(tree, self === undefined ? args : [self, ...args], named);
      const end = this.block(tree.body, names, tree.file);
      return end instanceof Returned ? end.value : null;
    } finally {
      this.#depth--;
      this.cx.where = where;
    }
  }

  /** @type {(tree: FunctionTree, args: readonly any[], named: ReadonlyMap<string, any>) => Names} */
  #parameters({ name, parameters }, args, named) {
    if (args.length > parameters.length) this.fail('ERR_PARSE', `'${name}' is called with ${args.length} arguments, it has ${parameters.length}`);
    return new Map(
      parameters.map((parameter, i) => {
        if (i < args.length) return [parameter.name, args[i]];
        if (named.has(parameter.name)) return [parameter.name, named.get(parameter.name)];
        if (parameter.initial === null) return this.fail('ERR_ARGUMENT', `'${name}' is called without '${parameter.name}'`);
        return [parameter.name, this.evaluate(parameter.initial, new Map())];
      }),
    );
  }

  /** @type {(className: string, args: readonly any[]) => any} an object of a class of the script */
  #construct(className, args) {
    const tree = /** @type {import('./parser.js').ClassTree} */ (this.script.classOf(className));
    const made = new ScriptObject(className);
    const init = tree.methods.get('__init__');
    if (init !== undefined) this.call(new Bound(init, made), args, new Map());
    else [...tree.fields.keys()].forEach((name, i) => made.attributes.set(name, args[i] ?? null));
    return made;
  }

  // ----------------------------------------------------------------------------------------- ops

  /**
   * Calls a function of PyTorch.
   *
   * @param {string} name
   * @param {any[]} args
   * @param {Map<string, any>} [named]
   * @returns {any}
   */
  op(name, args, named = new Map()) {
    const given = args.length > 0 ? args : [...named.values()];
    const builtin = builtinFor(name, given);
    if (builtin !== undefined && CHANGES.has(name)) this.#checkChange('what is in a list');
    if (builtin !== undefined) return this.#charged(builtin([...args, ...named.values()], this.cx));
    if (Object.hasOwn(PRIMITIVES, name)) return PRIMITIVES[name](this, given, named);
    return this.tensorOp(name, args, named);
  }

  /** Long lists and texts take as many steps as they have elements. @type {(result: any) => any} */
  #charged(result) {
    const { length = 0 } = typeof result === 'string' || Array.isArray(result) ? result : {};
    if (length > MAX_TEXT) this.fail('ERR_OVERFLOW', 'a list or a text of the script is too long');
    this.#steps += length >> 4;
    return result;
  }

  /** @type {(name: string, args: any[], named: ReadonlyMap<string, any>) => any} */
  tensorOp(name, args, named) {
    if (++this.#ops > MAX_OPS) this.fail('ERR_OVERFLOW', `the script runs more than ${MAX_OPS} operations`);
    const row = findOp(name);
    if (row === undefined) {
      const own = this.script.userOp(name);
      if (own !== undefined) return this.#wrap(own(nodeOf(name, named), ...args.map((each) => this.#forUser(each))));
      return this.fail('ERR_UNSUPPORTED', `the op ${name} is missing; option 'ops' adds it`);
    }
    const { where } = this.cx;
    this.cx.where = `${where}: ${name}`;
    try {
      const bound = bind(row.signature, args, named);
      const call = new Call(name, resolved(bound), this.cx);
      const target = /** @type {any} */ (Object.values(bound)[0]);
      if (row.inPlace) return this.#writeTo(target, row, call, bound);
      if (row.view !== undefined && target instanceof Cell) return this.#viewOf(target, row, call);
      return this.#wrap(this.#apply(row, call));
    } catch (error) {
      if (!(error instanceof GraphError) || error.message.startsWith(this.script.what)) throw error;
      throw new GraphError(`${this.cx.where}: ${error.message}`, { code: error.code, cause: error });
    } finally {
      this.cx.where = where;
    }
  }

  /** An argument of an op that the user gives: tensors as Values, numbers as those of JavaScript. @type {(given: any) => any} */
  #forUser(given) {
    if (Array.isArray(given)) return given.map((each) => this.#forUser(each));
    if (typeof given === 'bigint') return Number(given);
    if (given instanceof Scalar) return this.cx.value(given.operand);
    return given instanceof Cell ? this.cx.value(given.operand) : given;
  }

  /** @type {(row: import('./ops/index.js').Row, call: Call) => any} */
  #apply(row, call) {
    const tensors = Object.values(call.args).flat().flatMap((each) => {
      if (each instanceof Scalar) return [each.operand];
      return isTensor(each) ? [each] : [];
    });
    const translation = {
      translate: (/** @type {any} */ _, /** @type {any} */ __, /** @type {Builder} */ cx) => row.compute(new Call(call.name, call.args, cx)),
      ...(row.sizes ? { sizes: () => row.sizes?.(call) } : {}),
      fold: row.fold,
    };
    const results = this.cx.apply(translation, call, tensors);
    return results.length === 1 && !row.isList ? results[0] : results;
  }

  /** A tensor, or a list of them. @type {(result: any) => any} */
  #wrap(result) {
    if (Array.isArray(result)) return result.map((each) => this.#wrap(each));
    return isTensor(result) ? this.cell(result) : result;
  }

  /** @type {(base: Cell, row: import('./ops/index.js').Row, call: Call) => any} */
  #viewOf(base, row, call) {
    const parts = this.#apply(row, call);
    const names = Object.keys(call.args);
    const again = (/** @type {any} */ operand) => new Call(call.name, { ...call.args, [names[0]]: operand }, this.cx);
    const one = (/** @type {any} */ part, /** @type {number} */ i) =>
      new Cell(this.memory, part, {
        base,
        view: {
          read: (operand) => (row.isList ? this.#apply(row, again(operand))[i] : this.#apply(row, again(operand))),
          write: (operand, next) => {
            const own = this.cx.value(operand);
            return /** @type {any} */ (row.view)(again(own), this.cx.value(next, /** @type {any} */ (own).dtype), i);
          },
        },
      });
    return row.isList ? parts.map(one) : one(parts, 0);
  }

  /** @type {(target: any, row: import('./ops/index.js').Row, call: Call, bound: Record<string, any>) => any} */
  #writeTo(target, row, call) {
    if (!(target instanceof Cell)) return this.fail('ERR_DTYPE', 'it changes what is no tensor');
    const before = target.operand;
    const after = this.#apply(row, call);
    const result = Array.isArray(after) ? after[0] : after;
    target.write(isTensor(result) && result.dtype !== before.dtype ? this.cx.value(result, before.dtype) : result);
    return target;
  }

  // --------------------------------------------------------------------------------- statements

  /** @type {(statements: readonly Statement[], names: Names, file: string) => Returned | undefined} */
  block(statements, names, file) {
    for (const statement of statements) {
      const end = this.statement(statement, names, file);
      if (end !== undefined) return end;
    }
    return undefined;
  }

  /** @type {(statement: Statement, names: Names, file: string) => Returned | undefined} */
  statement(statement, names, file) {
    this.#step();
    this.cx.where = `${file}:${statement.line}`;
    switch (statement.kind) {
      case 'assign':
        this.#assign(statement.targets, this.evaluate(statement.value, names), names);
        return undefined;
      case 'evaluate':
        this.evaluate(statement.value, names);
        return undefined;
      case 'return':
        return new Returned(statement.value === null ? null : this.evaluate(statement.value, names));
      case 'if': {
        const test = this.truth(this.evaluate(statement.test, names));
        if (typeof test === 'boolean') return this.block(test ? statement.yes : statement.no, names, file);
        return chooseByData(this, test, statement, names, file);
      }
      case 'while': return this.#while(statement, names, file);
      default: return this.#for(statement, names, file);
    }
  }

  #step() {
    if (++this.#steps > MAX_STEPS) this.fail('ERR_OVERFLOW', `the script takes more than ${MAX_STEPS} steps: it may have no end`);
  }

  /** Whether a condition holds; a Scalar where data decides. @type {(value: any) => boolean | Scalar} */
  truth(value) {
    if (typeof value === 'boolean') return value;
    const own = value instanceof Cell ? scalarOf(value.operand, 'bool') : value;
    if (own instanceof Scalar) {
      if (own.early || own.operand instanceof Sizes) return this.fail('ERR_SHAPE', 'a condition depends on sizes');
      return own;
    }
    return Boolean(own);
  }

  /** What a run says of a condition. @type {(test: Scalar) => boolean} */
  ask(test) {
    return this.cx.int(test.operand, 'a condition') !== 0;
  }

  /** @type {(statement: Extract<Statement, { kind: 'while' }>, names: Names, file: string) => Returned | undefined} */
  #while(statement, names, file) {
    for (;;) {
      this.#step();
      const test = this.truth(this.evaluate(statement.test, names));
      if (test instanceof Scalar) {
        if (loopByData(this, statement, names, file)) return undefined;
        if (!this.ask(test)) return undefined;
      } else if (!test) return undefined;
      const end = this.block(statement.body, names, file);
      if (end !== undefined) return end;
    }
  }

  /** @type {(statement: Extract<Statement, { kind: 'for' }>, names: Names, file: string) => Returned | undefined} */
  #for({ target, over, body }, names, file) {
    const items = this.evaluate(over, names);
    for (const item of this.iterate(items)) {
      this.#step();
      this.#assign([target], item, names);
      const end = this.block(body, names, file);
      if (end !== undefined) return end;
    }
    return undefined;
  }

  /** @type {(items: any) => Iterable<any>} */
  iterate(items) {
    if (items instanceof Map) return items.keys();
    if (items instanceof Cell) return this.op('unbind', [items, 0n]);
    if (items instanceof ScriptObject) return [...items.attributes.values()];
    if (typeof items?.[Symbol.iterator] !== 'function') return this.fail('ERR_DTYPE', 'a script goes through what is no list');
    return items;
  }

  /** @type {(targets: readonly Expression[], value: any, names: Names) => void} */
  #assign(targets, value, names) {
    if (targets.length === 1 && targets[0].kind !== 'tuple') {
      this.#assignOne(targets[0], value, names);
      return;
    }
    const all = targets.length === 1 ? /** @type {any} */ (targets[0]).items : targets;
    const items = [...this.iterate(value)];
    if (items.length !== all.length) this.fail('ERR_ARGUMENT', `${items.length} values are assigned to ${all.length} names`);
    all.forEach((/** @type {Expression} */ target, /** @type {number} */ i) => this.#assign([target], items[i], names));
  }

  /** @type {(target: Expression, value: any, names: Names) => void} */
  #assignOne(target, value, names) {
    if (target.kind === 'name') names.set(target.name, value);
    else if (target.kind === 'attribute') {
      const of = this.evaluate(target.of, names);
      if (!(of instanceof ScriptObject)) this.fail('ERR_UNSUPPORTED', `a script sets '${target.name}' of what is no object`);
      this.#checkChange('an attribute');
      of.attributes.set(target.name, value);
    } else if (target.kind === 'index') this.op('_set_item', [this.evaluate(target.of, names), this.evaluate(target.index, names), value]);
    else this.fail('ERR_PARSE', 'something is assigned to no name');
  }

  // -------------------------------------------------------------------------------- expressions

  /** @type {(tree: Expression, names: Names) => any} */
  evaluate(tree, names) {
    this.#step();
    switch (tree.kind) {
      case 'constant': return tree.value;
      case 'name': return this.#name(tree.name, names);
      case 'attribute': return this.#attributeOf(tree, names);
      case 'call': return this.#callOf(tree, names);
      case 'index': return this.#element(this.evaluate(tree.of, names), this.evaluate(tree.index, names));
      case 'slice': return this.fail('ERR_PARSE', 'a slice stands alone');
      case 'list':
      case 'tuple': return tree.items.map((item) => this.evaluate(item, names));
      case 'dict': return new Map(tree.pairs.map(([key, value]) => [this.evaluate(key, names), this.evaluate(value, names)]));
      case 'choice': return this.#choice(tree, names);
      default: return this.#logic(tree, names);
    }
  }

  /** @type {(tree: Extract<Expression, { kind: 'choice' }>, names: Names) => any} */
  #choice({ test, yes, no }, names) {
    const found = this.truth(this.evaluate(test, names));
    return this.evaluate((found instanceof Scalar ? this.ask(found) : found) ? yes : no, names);
  }

  /** @type {(tree: Extract<Expression, { kind: 'and' | 'or' }>, names: Names) => any} */
  #logic({ kind, left, right }, names) {
    const first = this.truth(this.evaluate(left, names));
    if (typeof first === 'boolean') return first === (kind === 'or') ? first : this.evaluate(right, names);
    return compute(kind === 'or' ? '__or__' : '__and__', first, this.truth(this.evaluate(right, names)), this.cx);
  }

  /** @type {(of: any, index: any) => any} */
  #element(of, index) {
    if (of instanceof Cell) return this.op('select', [of, 0n, index]);
    if (of instanceof ScriptObject) return [...of.attributes.values()][Number(index)];
    return at(of, index);
  }

  /** @type {(name: string, names: Names) => any} */
  #name(name, names) {
    if (names.has(name)) return names.get(name);
    if (name === 'number') return null;
    return this.fail('ERR_PARSE', `nothing before it assigns '${name}'`);
  }

  /** @type {(tree: Extract<Expression, { kind: 'attribute' }>, names: Names) => any} */
  #attributeOf(tree, names) {
    const path = pathOf(tree, names);
    if (path === undefined) return this.attribute(this.evaluate(tree.of, names), tree.name);
    if (path.startsWith('CONSTANTS.c')) return this.object(this.script.constant(Number(path.slice('CONSTANTS.c'.length))));
    const own = this.script.functionOf(path);
    if (own !== undefined) return new Bound(own);
    if (path === 'torch.inf') return Infinity;
    const enumeration = this.script.classOf(path.slice(0, path.lastIndexOf('.')));
    const constant = enumeration?.constants.get(tree.name);
    if (constant !== undefined) return this.evaluate(constant, names);
    return this.fail('ERR_UNSUPPORTED', `'${path}' is no value`);
  }

  /** @type {(tree: Extract<Expression, { kind: 'call' }>, names: Names) => any} */
  #callOf({ callee, args, named }, names) {
    if (callee.kind === 'name' && !names.has(callee.name)) return this.#special(callee.name, args, named, names);
    const given = () => args.map((each) => this.evaluate(each, names));
    const byName = () => new Map(named.map(([name, each]) => [name, this.evaluate(each, names)]));
    const path = callee.kind === 'attribute' ? pathOf(callee, names) : undefined;
    if (path !== undefined && !path.startsWith('__torch__')) return this.op(path.replace(/^(torch|ops\.(aten|prim))\./, ''), given(), byName());
    if (path !== undefined && this.script.classOf(path) !== undefined) return this.#construct(path, given());
    const found = this.evaluate(callee, names);
    if (!(found instanceof Bound)) return this.fail('ERR_PARSE', 'a script calls what is no function');
    return this.call(found, given(), byName());
  }

  /**
   * What looks like a function and belongs to the language.
   *
   * @type {(name: string, args: readonly Expression[], named: readonly [string, Expression][], names: Names) => any}
   */
  #special(name, args, named, names) {
    const last = () => this.evaluate(args[args.length - 1], names);
    switch (name) {
      case 'annotate': return annotated(typeName(args[0]), last());
      case 'unchecked_cast': return last();
      case 'uninitialized': return null;
      case 'getattr': return this.attribute(this.evaluate(args[0], names), String(last()));
      case 'range': return this.#range(args.map((each) => this.evaluate(each, names)));
      case 'int':
      case 'float':
      case 'bool': return this.convert(last(), name);
      case 'str': return this.op('str', [last()]);
      case 'isinstance': return this.fail('ERR_UNSUPPORTED', 'a script asks for the type of a value');
      default: {
        const given = args.map((each) => this.evaluate(each, names));
        return this.op(name, given, new Map(named.map(([key, each]) => [key, this.evaluate(each, names)])));
      }
    }
  }

  /** @type {(args: readonly any[]) => Iterable<bigint>} */
  #range(args) {
    const given = args.length === 1 ? [0n, args[0], 1n] : [args[0], args[1], args[2] ?? 1n];
    const [start, stop, step] = given.map((each) => {
      if (!(each instanceof Scalar)) return each;
      return each.early ? this.fail('ERR_SHAPE', 'how often a loop goes round depends on sizes') : BigInt(this.cx.int(each.operand, 'the length of a loop'));
    });
    if (step === 0n) this.fail('ERR_ARGUMENT', 'a step is 0');
    return (function* each() {
      for (let i = start; step > 0n ? i < stop : i > stop; i += step) yield i;
    })();
  }

  /** @type {(value: any, kind: 'int' | 'float' | 'bool') => any} */
  convert(value, kind) {
    if (value instanceof Cell) return scalarOf(value.operand, kind);
    if (value instanceof Scalar) return value.kind === kind ? value : this.#converted(value, kind);
    if (typeof value === 'string') return kind === 'float' ? floatOf(value) : BigInt(value);
    if (kind === 'bool') return Boolean(value);
    return kind === 'float' ? Number(value) : BigInt(Math.trunc(Number(value)));
  }

  /** @type {(value: Scalar, kind: 'int' | 'float' | 'bool') => Scalar} */
  #converted({ operand, early }, kind) {
    const value = /** @type {any} */ (this.cx.value(operand));
    if (kind === 'bool') return new Scalar(kind, value.dtype === 'bool' ? value : value.ne(0), early);
    return new Scalar(kind, value.astype(kind === 'int' ? 'i64' : 'f64'), early);
  }
}

/** @type {(text: string) => number} */
const floatOf = (text) => (/^[+-]?inf/i.test(text) ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text));

/** Arguments in which tensors are operands. @type {(bound: Record<string, any>) => Record<string, any>} */
const resolved = (bound) =>
  Object.fromEntries(Object.entries(bound).map(([name, value]) => {
    return [name, Array.isArray(value) ? value.map(operandIn) : operandIn(value)];
  }));

/** @type {(value: any) => any} */
const operandIn = (value) => (value instanceof Cell ? value.operand : value);

/** What an op of the user is told of the call. @type {(name: string, named: ReadonlyMap<string, any>) => object} */
function nodeOf(name, named) {
  const [, domain = 'aten', op = name] = /^(?:ops\.)?(\w+)\.(\w+)$/.exec(name) ?? [];
  const attr = (/** @type {string} */ key, /** @type {any} */ initial) => named.get(key) ?? initial;
  return { op, domain, name: '', version: 1, outputs: [], attr };
}

/** The dotted name of what begins with a name that is no variable. @type {(tree: Expression, names: Names) => string | undefined} */
function pathOf(tree, names) {
  if (tree.kind === 'name') return names.has(tree.name) ? undefined : tree.name;
  if (tree.kind !== 'attribute') return undefined;
  const of = pathOf(tree.of, names);
  return of === undefined ? undefined : `${of}.${tree.name}`;
}

/** @type {(tree: Expression | undefined) => string} */
const typeName = (tree) => (tree?.kind === 'name' ? tree.name : '');

/** A tensor that a type calls a number is one. @type {(type: string, value: any) => any} */
function annotated(type, value) {
  if (!(value instanceof Cell)) return value;
  const { operand } = value;
  if (type === 'number') return scalarOf(operand, kindOfDtype(operand));
  return type === 'int' || type === 'float' || type === 'bool' ? scalarOf(operand, type) : value;
}

module.exports = { Bound, Interpreter };
