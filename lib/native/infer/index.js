/**
 * Types: from the tree of a function (hir/index.js) and the types of its parameters to a tree of machine types
 * (tir/index.js).
 *
 * Inference runs the function in its head: it walks statements in their order and knows at each place what every
 * variable may be (environment.js), decides by that what each operation is done on (operators.js), and writes it down
 * as it goes. What is known at compile time, such as objects, closures, branches that a type decides and functions
 * called, is gone then. If a decision turns out wrong later, the fact that shows it is kept (restarts.js) and all
 * begins again.
 */
'use strict';

const M = require('../tir/machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const X = require('./expressions.js');
const flow = require('./control-flow.js');
const calls = require('./calls.js');
const memory = require('./memory.js');
const arrays = require('./arrays.js');
const boxes = require('./captured-cells.js');
const { Again, Facts } = require('./restarts.js');
const { Objects } = require('./objects.js');
const { Outside } = require('./inputs.js');
const { finishEntry } = require('./outputs.js');
const { liveBehind } = require('../hir/liveness.js');
const { objectOf } = require('./nullable.js');
const { fitting } = require('./unbounded-bigints.js');
const { functionsOf, spreadWrites } = require('./out-of-line.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('../source/types.js').ValueType} ValueType */
/** @typedef {import('../source/types.js').ResultShape} ResultShape */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('../tir/index.js').Program} Program */

/**
 * @typedef {object} InferOptions
 * @property {'exact' | 'check' | 'unchecked'} [bounds]
 * @property {boolean} [inPlace] whether only functions that call themselves are compiled apart
 */

/** @typedef {import('./outputs.js').Update} Update */
/** @typedef {{ program: Program, result: ResultShape, updates: Update[], captured: { name: string, value: any }[], hints: number[] }} Inferred */

/** @type {Record<string, (c: any, s: any) => void>} */
const STATEMENTS = {
  set(c, s) {
    c.markMade(s);
    const isKept = s.variable.isConst && !c.facts.boxed.has(s.variable);
    c.assign(s.variable, isKept ? X.evaluateLoosely(c, s.value) : X.evaluate(c, s.value));
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
  outside = new Outside(this);
  /** Functions compiled apart, by how they are called (out-of-line.js). */
  functions = new Map();
  /**
   * Nodes of the tree that functions take where they are called (inline-policy.js).
   *
   * @type {Map<FunctionNode, { total: number, largest: number }>}
   */
  inPlace = new Map();
  /**
   * What functions compiled apart call an array, and what it is to their callers.
   *
   * @type {{ from: any, to: any[] }[]}
   */
  links = [];
  library;
  #nextFunc = 0;
  #nextRoot = 0;
  #sites = new Map();

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
    this.program = {
      name: callee.name || 'f', ports: [], funcs: [], data: [], roots: [], sites: [], loops: [], asked: null,
    };
    this.func = this.newFunc(callee.name || 'f', callee.place);
  }

  /** @type {(name: string, place: any) => any} */
  newFunc(name, place) {
    const id = this.#nextFunc++;
    return {
      id, name: id ? `${name}_${id}` : name, params: [], results: [], throws: false, isRecursive: false, body: [],
      place,
    };
  }

  /** @type {(t: import('./number-types.js').Num) => void} takes down that parameters had better be integers */
  hint(t) {
    this.hints |= t.from;
  }

  /** @type {(kind: string, name: string, site?: any) => any} */
  root(kind, name, site = null) {
    const root = { id: this.#nextRoot++, kind, name, isWritten: false, site };
    this.program.roots.push(root);
    return root;
  }

  /**
   * That of an array made at a place, the same on every walk.
   *
   * @type {(kind: string, name: string, site: import('./restarts.js').Site) => any}
   */
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
    if (!own) return this.outside.read(variable, place);
    const value = this.env.get(own) ?? V.UNDEFINED;
    return value.kind === 'boxed' ? boxes.get(value, place) : fitting(this, value);
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
    const makes =
      value.kind === 'array' || (value.kind === 'builtin' && /^new\.|^from\.|^\.slice$|^\.concat$/.test(value.name));
    if (!makes) return;
    const site = this.facts.site(this.frame, value);
    site.escapes = !require('../hir/escape.js').staysLocal(this.frame.callee, variable);
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

  /**
   * A branch; objects that nobody names behind it have no names any more, so that they may become one (objects.js).
   *
   * @type {(s: any, list: any[]) => void}
   */
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

  /**
   * Throws with what is known of the message and the rest of it; a part that may be nothing has a way of its own.
   *
   * @type {(s: any, rest: any[], message: (string | null)[], values: any[]) => any[]}
   */
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
    const either = (/** @type {any} */ test, /** @type {any[]} */ then, /** @type {any[]} */ otherwise) => [
      { kind: 'if', test, then, otherwise, place: s.place },
    ];
    const solid =
      isBoolean || !part.type.boolean
        ? told(exact)
        : either(tag(E.BOOLEAN), told(M.binary('ne', part.x, M.constant(part.x.type, 0))), told(exact));
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
    this.out.push({
      kind: 'if', test: M.unary('not', test), then: [{ kind: 'throw', site, values }], otherwise: [], place,
    });
  }
}

// --- the whole ---

/** @type {(callee: FunctionNode, types: ValueType[], options: Required<InferOptions>, facts: Facts, library: Map<string, FunctionNode>) => Inferred} */
function walk(callee, types, options, facts, library) {
  const c = new Walk(callee, options, facts, library);
  c.program.entry = c.func;
  const values = callee.params.map((p, i) => c.outside.value(p.name, types[i] ?? { kind: 'undefined' }, [i]));
  const behind = callee.params.length;
  const more = types
    .slice(behind)
    .map((t, i) => c.outside.value(`${callee.rest?.name ?? 'more'}_${i}`, t, [behind + i]));
  const frame = calls.newFrame(callee, null, null);
  c.frame = frame;
  for (const variable of facts.shared) c.outside.read(variable, callee.place);
  calls.enter(c, frame, [...values, ...more], types.length);
  c.run(callee.body);
  const { result, updates } = finishEntry(c, frame);
  c.func.body = c.out;
  spreadWrites(c.links);
  c.program.funcs = [...functionsOf(c), c.func];
  return {
    program: c.program, result, updates, captured: c.outside.captured,
    hints: types.flatMap((_, i) => (i < 31 && (c.hints >> i) & 1 ? [i] : [])),
  };
}

/**
 * Types a function for parameters of these types.
 *
 * @param {FunctionNode} callee
 * @param {ValueType[]} types of its parameters, in order; those left out are undefined
 * @param {InferOptions} [options]
 * @returns {Inferred} a program whose locals are only set (tir/place-locals.js), and whose loops have no numbers;
 *   `captured`: typed arrays that the caller passes behind those of the parameters
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
