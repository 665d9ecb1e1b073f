/**
 * Types: from the tree of a function (hir.js) and the types of its parameters to a tree of machine types (tir.js).
 *
 * Inference runs the function in its head: it walks statements in their order and knows at each place what every variable may
 * be (environment.js), decides by that what each operation is done on (operators.js), and writes it down as it goes. What is
 * known at compile time, such as objects, closures, branches that a type decides and functions called, is gone then. If a
 * decision turns out wrong later, the fact that shows it is kept (facts.js) and all begins again.
 */
'use strict';

const N = require('./numbers.js');
const M = require('./machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const X = require('./expressions.js');
const flow = require('./flow.js');
const calls = require('./calls.js');
const memory = require('./memory.js');
const arrays = require('./arrays.js');
const boxes = require('./boxes.js');
const Encoded = require('./encoded.js');
const { Again, Facts } = require('./facts.js');
const { Objects } = require('./objects.js');
const { liveBehind } = require('./liveness.js');
const { objectOf } = require('./maybe.js');
const { placeLocals } = require('./place.js');
const { functionsOf, spreadWrites } = require('./separate.js');
const { refuse } = require('./frame.js');

/** @typedef {import('./hir.js').FunctionNode} FunctionNode */
/** @typedef {import('./types.js').ValueType} ValueType */
/** @typedef {import('./types.js').ResultShape} ResultShape */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('./tir.js').Program} Program */

/**
 * @typedef {object} InferOptions
 * @property {'exact' | 'check' | 'unchecked'} [bounds]
 * @property {boolean} [inPlace] whether only functions that call themselves are compiled apart
 */

/** From the arguments: the number of one, then names of fields. @typedef {(string | number)[]} Path */
/** A field of an argument that the function sets. @typedef {{ path: Path, shape: ResultShape }} Update */
/** @typedef {{ program: Program, result: ResultShape, updates: Update[], captured: { name: string, value: any }[], hints: number[] }} Inferred */

/** @type {Record<string, (c: any, s: any) => void>} */
const STATEMENTS = {
  set(c, s) {
    c.markMade(s);
    c.assign(s.variable, X.evaluate(c, s.value));
  },
  store: memory.store,
  field: memory.setMember,
  if: (c, s) => c.choose(s),
  loop: flow.loop,
  prange: flow.prange,
  block: flow.block,
  break: flow.jump,
  continue: flow.jump,
  return: calls.returns,
  throw: (c, s) => c.raise(s),
  call: calls.call,
  method: arrays.method,
};

/** One walk through a program. */
class Walk {
  /** @type {any[]} */
  out = [];
  /** @type {any} */
  env = new Map();
  /** @type {any} */
  frame = null;
  targets = new Map();
  /** Whether numbers that change are widened to any number at once. */
  hurries = false;
  /** Branches and loops around, and calls. */
  nesting = 0;
  /** Loops around. */
  depth = 0;
  /** Whether bigints are computed modulo 2^64. */
  isWrapping = false;
  /** Parameters that had better be integers, a bit for each of the first 31. */
  hints = 0;
  objects = new Objects();
  /** Functions compiled apart, by how they are called (separate.js). */
  functions = new Map();
  /** Nodes of the tree that functions take where they are called (outline.js). @type {Map<FunctionNode, { total: number, largest: number }>} */
  inPlace = new Map();
  /** What functions compiled apart call an array, and what it is to their callers. @type {{ from: any, to: any[] }[]} */
  links = [];
  library;
  #nextFunc = 0;
  #nextRoot = 0;
  #sites = new Map();
  /** @type {Map<object, Value>} */
  #captures = new Map();
  /** @type {Map<object, Var>} */
  #captureVars = new Map();

  /**
   * @param {FunctionNode} callee
   * @param {Required<InferOptions>} options
   * @param {Facts} facts
   * @param {Map<string, FunctionNode>} library
   */
  constructor(callee, options, facts, library) {
    this.callee = callee;
    this.options = options;
    this.facts = facts;
    this.library = library;
    /** @type {any} */
    this.program = { name: callee.name || 'f', ports: [], funcs: [], data: [], roots: [], sites: [], loops: [] };
    /** @type {{ name: string, value: any }[]} */
    this.captured = [];
    /** Objects from outside, by their ids; without a path they are captured. @type {Map<number, { object: any, path: Path | null, before: Map<Var, any>, place: any }>} */
    this.given = new Map();
    /** @type {Update[]} */
    this.updated = [];
    this.func = this.newFunc(callee.name || 'f', callee.place);
  }

  /** @type {(name: string, place: any) => any} */
  newFunc(name, place) {
    const id = this.#nextFunc++;
    return { id, name: id ? `${name}_${id}` : name, params: [], results: [], throws: false, isRecursive: false, body: [], place };
  }

  /** @type {(t: import('./numbers.js').Num) => void} takes down that parameters had better be integers */
  hint(t) {
    this.hints |= t.from;
  }

  /** @type {(kind: string, name: string, site?: any) => any} */
  root(kind, name, site = null) {
    const root = { id: this.#nextRoot++, kind, name, isWritten: false, site };
    this.program.roots.push(root);
    return root;
  }

  /** @type {(kind: string, name: string, site: import('./facts.js').Site) => any} that of an array made at a place, the same on every walk */
  rootOf(kind, name, site) {
    const { roots } = this.frame;
    let root = roots.get(site.node);
    if (root?.kind !== kind) roots.set(site.node, (root = this.root(kind, name, site)));
    return root;
  }

  /** @type {(ref: any) => void} */
  writes(ref) {
    for (const root of ref.roots) root.isWritten = true;
  }

  // --- variables ---

  /** @type {(variable: any) => Var} that of the activation under way */
  declare(variable) {
    const { vars } = this.frame;
    let own = vars.get(variable);
    if (!own) vars.set(variable, (own = { name: variable.name, slots: new Map(), owner: null }));
    return own;
  }

  /** @type {(frame: any, variable: any) => Var | null} */
  resolve(frame, variable) {
    for (let f = frame; f; f = f.parent) if (f.callee === variable.owner) return f.vars.get(variable) ?? null;
    return null;
  }

  /** @type {(callee: FunctionNode | null) => any} the activation of a function around */
  frameOf(callee) {
    let frame = this.frame;
    while (frame && frame.callee !== callee) frame = frame.parent;
    return frame;
  }

  /** @type {(variable: any) => Var | null} */
  find(variable) {
    return this.resolve(this.frame, variable);
  }

  /** @type {(variable: any, place: any) => Value} */
  read(variable, place) {
    const own = this.find(variable);
    if (!own) return this.capture(variable, place);
    const value = this.env.get(own) ?? V.UNDEFINED;
    return value.kind === 'boxed' ? boxes.get(value, place) : value;
  }

  /** @type {(variable: any, value: Value) => void} */
  assign(variable, value) {
    const own = this.find(variable) ?? this.declare(variable);
    if (this.facts.boxed.has(variable)) boxes.set(this, own, variable, value);
    else E.setVariable(this, own, value);
  }

  /** @type {(name: string, place: any) => Var} a variable that no source names */
  temporary(name, place) {
    const key = place ?? name;
    const { objects } = this.frame;
    let own = objects.get(key);
    if (!own || own.kind) objects.set(key, (own = { name, slots: new Map(), owner: null }));
    return own;
  }

  /** @type {(variable: any) => Var} what is given from outside, in a function that gets it as an argument */
  captureVar(variable) {
    let own = this.#captureVars.get(variable);
    if (!own) this.#captureVars.set(variable, (own = { name: variable.name, slots: new Map(), owner: null }));
    return own;
  }

  /** @type {(variable: any) => Var | null} where functions compiled apart find what is given from outside, if they get it as an argument */
  shares(variable) {
    return this.facts.shared.has(variable) ? this.captureVar(variable) : null;
  }

  /** @type {(variable: any, place: any) => Value} what is given from outside */
  capture(variable, place) {
    const own = this.captureVar(variable);
    const here = this.env.get(own);
    if (here) return here;
    const known = this.#captures.get(variable);
    if (known && known.kind !== 'object' && (known.kind !== 'array' || !isPort(known))) return known;
    // Fields and ports are those of the entry, and known wherever that is known which stands at its start.
    if (known || (isOutside(variable.value) && (this.func !== this.program.entry || this.nesting > 0))) this.#share(variable, place);
    const value = this.#captureValue(variable.name, variable.value, place);
    this.#captures.set(variable, value);
    this.env.set(own, value);
    return value;
  }

  /** @type {(variable: any, place: any) => never} with all arrays that anybody names, since where there is one there are more */
  #share(variable, place) {
    const memories = this.callee.captures.filter((/** @type {any} */ v) => !v.owner && (ArrayBuffer.isView(v.value) || isNumbers(v.value)));
    return this.facts.share([variable, ...memories], place);
  }

  /** @type {(name: string, value: any, place: any) => Value} */
  #captureValue(name, value, place) {
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return this.#captureArray(name, value);
    if (typeof value === 'number') return V.numberConstant(value);
    if (typeof value === 'bigint') return V.bigintConstant(value);
    if (typeof value === 'boolean') return V.boolean(M.constant('bool', value));
    if (typeof value === 'string') return { kind: 'string', value };
    if (value === undefined) return V.UNDEFINED;
    if (value === null) return V.NULL;
    if (Array.isArray(value)) return this.#captureList(name, value, place);
    if (typeof value === 'object') return this.#captureObject(name, value, Object.keys(value), false, place);
    return refuse(place, `${name} is ${typeof value}, which cannot be used here`, '');
  }

  /** @type {(name: string, value: any) => Value} */
  #captureArray(name, value) {
    const clamps = value instanceof Uint8ClampedArray;
    const dtype = require('./element-types.js').elementOf(value);
    return this.#capturePort(name, value, dtype, clamps, false);
  }

  /** @type {(name: string, value: any, dtype: import('./tir.js').Element, clamps: boolean, isList: boolean) => Value} the caller passes it behind the arguments */
  #capturePort(name, value, dtype, clamps, isList) {
    this.captured.push({ name, value });
    return this.arrayPort(name, dtype, clamps, isList, this.program.entry);
  }

  /** @type {(name: string, value: any[], place: any) => Value} */
  #captureList(name, value, place) {
    if (!isNumbers(value)) return this.#captureObject(name, value, value.map((_, i) => String(i)), true, place);
    if (this.facts.isWritten(value)) return this.#capturePort(name, value, 'f64', false, true);
    const type = value.map((v) => N.constant(v)).reduce(N.join);
    const whole = N.isInteger(type);
    this.program.data.push({ dtype: whole ? 'i64' : 'f64', values: whole ? value.map(BigInt) : value });
    const pointer = { op: 'data', type: whole ? 'i64*' : 'f64*', index: this.program.data.length - 1, args: [] };
    /** @type {any} */
    const ref = { dtype: whole ? 'i64' : 'f64', clamps: false, pointer, length: M.constant('i64', value.length), roots: [this.root('data', name)] };
    return { kind: 'array', ref, isList: true, site: { inMemory: true, type, hasNumbers: true, escapes: true, isReturned: false, growths: 0, node: { place }, constant: value } };
  }

  /** @type {(name: string, value: any, names: string[], isTuple: boolean, place: any) => Value} */
  #captureObject(name, value, names, isTuple, place) {
    const object = this.objects.make(name, names, isTuple, null);
    for (const [field, own] of object.fields) this.env.set(own, this.#captureValue(`${name}.${field}`, value[field], place));
    this.#giveObject(object, null, place);
    return object;
  }

  // --- statements ---

  /** @type {(list: any[]) => void} */
  run(list) {
    for (const s of list) {
      if (!this.env) return;
      this.statement(s);
    }
  }

  /** @type {(s: any) => void} */
  statement(s) {
    const run = STATEMENTS[s.kind];
    if (!run) refuse(s.place, `${s.kind} is not supported`, '');
    run(this, s);
  }

  /** @type {(s: any) => void} whether an array that is made here has other names than this one */
  markMade({ variable, value }) {
    const makes = value.kind === 'array' || (value.kind === 'builtin' && /^new\.|^from\.|^\.slice$|^\.concat$/.test(value.name));
    if (!makes) return;
    const site = this.facts.site(this.frame, value);
    site.escapes = !require('./escape.js').staysLocal(this.frame.callee, variable);
  }

  /** @type {(s: any) => void} */
  choose(s) {
    const test = X.condition(this, s.test);
    if (test.op === 'const') {
      flow.refine(this, s.test, Boolean(test.value));
      this.run(test.value ? s.then : s.otherwise);
      return;
    }
    const finish = flow.branches(
      this,
      test,
      s.test,
      () => this.#side(s, s.then),
      () => this.#side(s, s.otherwise),
    );
    finish(null, s.place);
  }

  /** @type {(s: any, list: any[]) => void} a branch; objects that nobody names behind it have no names any more, so that they may become one (objects.js) */
  #side(s, list) {
    this.run(list);
    if (!this.env || this.objects.next === 1) return;
    const live = liveBehind(this.frame.callee).get(s);
    for (const [variable, own] of this.frame.vars) {
      if (!variable.isShared && !live?.has(variable) && objectOf(this.env.get(own))) this.env.delete(own);
    }
  }

  /** @type {(s: any) => void} */
  raise(s) {
    const parts = s.parts.map((/** @type {any} */ part) => X.settleValue(this, X.evaluate(this, part)));
    this.out.push(...this.#thrown(s, parts, [], []));
    this.env = null;
  }

  /** @type {(s: any, rest: any[], message: (string | null)[], values: any[]) => any[]} throws with what is known of the message and the rest of it; a part that may be nothing has a way of its own */
  #thrown(s, rest, message, values) {
    const [part, ...more] = rest;
    if (!part) return [{ kind: 'throw', site: this.site(s.place, s.type, message, values), values }];
    const place = s.parts[s.parts.length - rest.length].place;
    const told = (/** @type {any} */ x) => this.#thrown(s, more, [...message, null], [...values, x]);
    const text = (/** @type {string} */ known) => this.#thrown(s, more, [...message, known], values);
    if (part.kind === 'string' && !part.tag) return text(part.value);
    if (part.kind === 'undefined' || part.kind === 'null') return text(part.kind);
    if (part.kind === 'bigint') return told(part.x);
    const isBoolean = part.kind === 'boolean';
    const exact = isBoolean ? part.x : M.convert(X.toNumber(this, part, place).x, 'f64');
    if (!part.tag) return told(exact);
    const tag = (/** @type {number} */ k) => M.binary('eq', part.tag, M.constant('i32', k));
    const either = (/** @type {any} */ test, /** @type {any[]} */ then, /** @type {any[]} */ otherwise) => [{ kind: 'if', test, then, otherwise, place: s.place }];
    const solid = isBoolean || !part.type.boolean ? told(exact) : either(tag(E.BOOLEAN), told(M.binary('ne', part.x, M.constant(part.x.type, 0))), told(exact));
    return either(tag(1), text('undefined'), either(tag(2), text('null'), solid));
  }

  /** @type {(place: any, type: string, message: (string | null)[], values?: any[]) => number} */
  site(place, type, message, values = []) {
    const key = `${place?.start}:${place?.end}:${type}:${message.join('|')}:${values.map((x) => x.type)}`;
    let site = this.#sites.get(key);
    if (site === undefined) {
      site = this.program.sites.push({ type, message, place }) - 1;
      this.#sites.set(key, site);
    }
    return site;
  }

  /** @type {(test: any, place: any, type: string, message: (string | null)[], values: any[]) => void} */
  throwUnless(test, place, type, message, values) {
    if (test.op === 'const' && test.value) return;
    const site = this.site(place, type, message);
    this.out.push({ kind: 'if', test: M.unary('not', test), then: [{ kind: 'throw', site, values }], otherwise: [], place });
  }

  // --- parameters ---

  /** @type {(name: string, type: string) => any} a parameter of the entry function */
  param(name, type) {
    const local = { ...E.newLocal(this, name, type), isParam: true };
    this.func.params.push(local);
    return local;
  }

  /** @type {(name: string, dtype: any, clamps: boolean, isList: boolean, entry: any) => Value} */
  arrayPort(name, dtype, clamps, isList, entry) {
    if (entry && this.func !== entry) refuse(/** @type {any} */ (this.program.entry.place), `${name} is used by a function that calls itself only`, 'use it in the function itself as well');
    const pointer = this.param(name, `${dtype}*`);
    const length = this.param(`${name}_length`, 'i64');
    const root = this.root('param', name);
    this.program.ports.push({ kind: 'array', dtype, pointer, length, root });
    /** @type {any} */
    const owner = M.constant('i64', 1 + this.program.ports.filter((/** @type {any} */ p) => p.kind === 'array').length);
    const ref = { dtype, clamps, pointer: M.read(pointer), length: M.read(length), roots: [root], owner };
    return { kind: 'array', ref, isList, site: null };
  }

  /** @type {(name: string, type: any) => any} */
  scalarPort(name, type) {
    const local = this.param(name, type);
    this.program.ports.push({ kind: 'scalar', type, local });
    return M.read(local);
  }

  /** @type {(name: string, type: ValueType, path: Path) => Value} */
  paramValue(name, type, path) {
    switch (type.kind) {
      case 'number': {
        const from = type.dtype === 'f64' && path.length === 1 && Number(path[0]) < 31 ? 1 << Number(path[0]) : 0;
        const t = { ...N.ofDType(type.dtype), from };
        const machine = N.typeOf(t);
        return new V.NumberValue(t, this.scalarPort(name, machine));
      }
      case 'boolean':
        return V.boolean(this.scalarPort(name, 'bool'));
      case 'bigint':
        return V.bigint(this.scalarPort(name, type.dtype));
      case 'undefined':
        return V.UNDEFINED;
      case 'null':
        return V.NULL;
      case 'array':
        return this.arrayPort(name, type.dtype, Boolean(type.clamps), false, null);
      case 'list':
        return this.#listParam(name, type);
      case 'tuple':
        return this.#objectParam(name, Object.fromEntries(type.elements.map((t, i) => [i, t])), true, path);
      case 'object':
        return this.#objectParam(name, type.fields, false, path);
      case 'tensor':
        return require('./tensors.js').param(this, name, type);
      case 'function':
        // Its tree is built by who calls it.
        return {
          kind: 'closure',
          get callee() {
            return type.callee;
          },
          frame: null,
        };
      default:
        return this.#captureValue(name, type.value, null);
    }
  }

  /** @type {(name: string, type: import('./types.js').ListType) => Value} */
  #listParam(name, type) {
    const array = /** @type {any} */ (this.arrayPort(name, 'f64', false, true, null));
    return type.length === undefined ? array : { ...array, ref: { ...array.ref, length: M.constant('i64', type.length) } };
  }

  /** @type {(name: string, fields: Record<string, ValueType>, isTuple: boolean, path: Path) => Value} */
  #objectParam(name, fields, isTuple, path) {
    const object = this.objects.make(name, Object.keys(fields), isTuple, null);
    for (const [field, own] of object.fields) this.env.set(own, this.paramValue(`${name}_${field}`, fields[field], [...path, field]));
    this.#giveObject(object, path, null);
    // A name of its own, so that it is nobody else's, and known at the end.
    this.env.set({ name: `given_${name}`, slots: new Map(), owner: null }, object);
    return object;
  }

  /** @type {(object: any, path: Path | null, place: any) => void} */
  #giveObject(object, path, place) {
    const before = new Map([...object.fields.values()].map((own) => [own, this.env.get(own)]));
    this.given.set(object.id, { object, path, before, place });
  }

  /** What the function has set in objects that come from outside, for the caller to set there. @type {(exprs: any[]) => Update[]} */
  updates(exprs) {
    /** @type {Update[]} */
    const found = [];
    for (const { object, path, before, place } of this.given.values()) {
      for (const [field, own] of object.fields) {
        const value = this.env.get(own);
        if (value === undefined || value === before.get(own)) continue;
        if (path === null) refuse(place, `${field} of a captured object is set`, 'hand the object over as an argument');
        found.push({ path: [...path, field], shape: resultShape(this, value, exprs, this.frame.callee.place) });
      }
    }
    return found;
  }
}

/** @type {(value: any) => boolean} whether an array is one that the caller passes */
function isPort(value) {
  return value.ref.roots.some((/** @type {any} */ root) => root.kind === 'param');
}

/** @type {(value: unknown) => boolean} */
function isNumbers(value) {
  return Array.isArray(value) && value.length > 0 && value.every((v) => typeof v === 'number');
}

/** @type {(value: unknown) => boolean} whether a captured value may be passed by the caller, or has fields */
function isOutside(value) {
  return typeof value === 'object' && value !== null;
}

// --- results ---

/** @type {(c: Walk, value: any, exprs: any[], place: any) => ResultShape} takes a value apart into what the entry returns */
function resultShape(c, value, exprs, place) {
  const slot = (/** @type {any} */ x) => exprs.push(x) - 1;
  switch (value.kind) {
    case 'undefined':
    case 'null':
      return { kind: value.kind };
    case 'string':
      if (value.tag) refuse(place, 'the function returns the typeof of what may be undefined', 'return a number for each type');
      return { kind: 'constant', value: value.value };
    case 'number':
      return { kind: 'number', dtype: value.x.type, slot: slot(value.x), tag: N.isNothing(value.type) ? slot(E.tagOf(value)) : null };
    case 'boolean':
      return { kind: 'boolean', dtype: 'bool', slot: slot(value.x), tag: value.mayBeUndefined || value.mayBeNull ? slot(E.tagOf(value)) : null };
    case 'bigint':
      return { kind: 'bigint', dtype: value.x.type, slot: slot(value.x), tag: null };
    case 'array': {
      c.facts.outlive(value.ref.roots, place);
      const at = slot({ op: 'address', type: 'i64', args: [value.ref.pointer] });
      slot(value.ref.length);
      slot(value.ref.owner ?? M.constant('i64', 1));
      const tag = value.tag ? slot(value.tag) : null;
      const encoded = Encoded.kindOf(value.site);
      const array = { dtype: value.ref.dtype, clamps: value.ref.clamps, slot: at, tag };
      return value.isList ? { kind: 'list', ...array, ...(encoded && { encoded: { head: Encoded.HEAD, kind: encoded } }) } : { kind: 'array', ...array };
    }
    case 'maybe':
      return /** @type {any} */ ({ ...resultShape(c, value.object, exprs, place), tag: slot(value.tag) });
    case 'object': {
      const path = c.given.get(value.id)?.path;
      if (path) return { kind: 'given', path };
      const entries = [...value.fields].map(([name, own]) => [name, resultShape(c, c.env.get(own) ?? V.UNDEFINED, exprs, place)]);
      return value.isTuple ? { kind: 'tuple', elements: entries.map(([, shape]) => shape) } : { kind: 'object', fields: Object.fromEntries(entries) };
    }
    case 'oneOf':
      if (value.choices.some((/** @type {any} */ o) => c.given.get(o.id)?.path)) return refuse(place, 'the function returns one of several objects that it was given', 'return its number');
      return resultShape(c, require('./one-of.js').copied(c, value, place), exprs, place);
    default:
      return refuse(place, `the function returns ${V.describe(value)}`, 'return numbers, booleans, bigints, arrays, or objects of these');
  }
}

/** @type {(c: Walk, frame: any) => ResultShape} ends the entry function: every return gives the same kind of value */
function finishEntry(c, frame) {
  /** @type {ResultShape} */
  let shape = { kind: 'undefined' };
  calls.finish(c, frame, (value) => {
    /** @type {any[]} */
    const exprs = [];
    shape = resultShape(c, value, exprs, frame.callee.place);
    c.updated = c.updates(exprs);
    return exprs;
  });
  return shape;
}

// --- the whole ---

/** @type {(callee: FunctionNode, types: ValueType[], options: Required<InferOptions>, facts: Facts, library: Map<string, FunctionNode>) => Inferred} */
function walk(callee, types, options, facts, library) {
  const c = new Walk(callee, options, facts, library);
  c.program.entry = c.func;
  const values = callee.params.map((p, i) => c.paramValue(p.name, types[i] ?? { kind: 'undefined' }, [i]));
  const behind = callee.params.length;
  const more = types.slice(behind).map((t, i) => c.paramValue(`${callee.rest?.name ?? 'more'}_${i}`, t, [behind + i]));
  const frame = calls.newFrame(callee, null, null);
  c.frame = frame;
  for (const variable of facts.shared) c.capture(variable, callee.place);
  calls.enter(c, frame, [...values, ...more]);
  frame.count = types.length;
  c.run(callee.body);
  const result = finishEntry(c, frame);
  c.func.body = c.out;
  spreadWrites(c.links);
  c.program.funcs = [...functionsOf(c), c.func];
  for (const func of c.program.funcs) {
    placeLocals(func);
    numberLoops(func.body, c.program);
  }
  return { program: c.program, result, updates: c.updated, captured: c.captured, hints: types.flatMap((_, i) => (i < 31 && (c.hints >> i) & 1 ? [i] : [])) };
}

/** @type {(list: any[], program: any) => void} */
function numberLoops(list, program) {
  for (const s of list) {
    if (s.kind === 'loop' || s.kind === 'prange') {
      s.id = program.loops.length;
      program.loops.push({ id: s.id, place: s.place, form: s.form ?? 'prange', vector: null, parallel: null, reasons: [] });
    }
    for (const part of ['before', 'body', 'update', 'then', 'otherwise']) if (s[part]) numberLoops(s[part], program);
  }
}

/**
 * Types a function for parameters of these types.
 *
 * @param {FunctionNode} callee
 * @param {ValueType[]} types of its parameters, in order; those left out are undefined
 * @param {InferOptions} [options]
 * @returns {Inferred} `captured`: typed arrays that the caller passes behind those of the parameters
 */
function infer(callee, types, options = {}) {
  const whole = { bounds: /** @type {const} */ ('exact'), inPlace: false, ...options };
  const facts = new Facts();
  const library = new Map();
  for (;;) {
    try {
      const inferred = walk(callee, types, whole, facts, library);
      facts.checkStale(callee.place);
      return inferred;
    } catch (error) {
      if (!(error instanceof Again) && !facts.isStale) throw error;
      facts.isStale = false;
    }
  }
}

module.exports = { infer };
