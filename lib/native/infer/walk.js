/**
 * The walk: one run through a program in the head, and the one object that all parts of inference work on.
 *
 * It holds where the walk is (the function, the activation, what variables are, the list that statements go to), what
 * it has found out so far, and the program that it makes. The parts of inference are functions that take it.
 *
 * Parts stand on each other in one order, but the tree is recursive: an element is asked for by an expression, whose
 * operands are elements; a sum of bigints may be a call, whose arguments are sums. What leads back up goes by way of
 * the walk: `evaluate`, `run`, `field` and `call` do what the rules say that the walk was made with (index.js has
 * them), so that no part names one that stands on it.
 */
'use strict';

const M = require('../tir/machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const cells = require('./captured-cells.js');
const { fail } = require('../../base/errors.js');
const { Inputs } = require('./inputs.js');
const { Objects } = require('./objects.js');
const { toFitting } = require('./unbounded-bigints.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Expression} ExpressionNode */
/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../hir/index.js').Statement} StatementNode */
/** @typedef {import('../hir/index.js').Variable} Variable */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Func & { id: number }} Func */
/** @typedef {import('../tir/index.js').Program} Program */
/** @typedef {import('../tir/index.js').Root} Root */
/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('./environment.js').Edge} Edge */
/** @typedef {import('./environment.js').Env} Env */
/** @typedef {import('./frames.js').Frame} Frame */
/** @typedef {import('./restarts.js').Facts} Facts */
/** @typedef {import('./restarts.js').Site} Site */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').Var} Var */

/**
 * @typedef {object} InferOptions
 * @property {'exact' | 'check' | 'unchecked'} bounds
 * @property {boolean} inPlace whether only functions that call themselves are compiled out of line
 */

/** @typedef {import('../tir/index.js').LoopStmt | import('../tir/index.js').PrangeStmt | import('../tir/index.js').BlockStmt} JumpStatement */
/** Where `break` and `continue` go. @typedef {{ statement: JumpStatement, breaks: Edge[], continues: Edge[] }} JumpTarget */

/**
 * A call, as messages and those who keep something by the place of a call know it: a node of the tree, or what one
 * that the compiler makes by itself has of these.
 *
 * @typedef {object} CallSite
 * @property {Place} place
 * @property {ExpressionNode[]} args
 * @property {ExpressionNode} [callee]
 * @property {string} [name]
 */

/**
 * What a walk does where it meets a node of each kind, and what its parts ask of each other.
 *
 * @typedef {object} Rules
 * @property {(walk: Walk, e: ExpressionNode) => Value} evaluate
 * @property {{ [K in ExpressionNode['kind']]: (walk: Walk, e: Extract<ExpressionNode, { kind: K }>) => Value }} expressions
 * @property {{ [K in StatementNode['kind']]: (walk: Walk, s: Extract<StatementNode, { kind: K }>) => void }} statements
 * @property {(walk: Walk, object: Value, name: string, place: Place) => Value} field
 * @property {(walk: Walk, callee: Value, args: Value[], site: CallSite) => Value} call
 */

class Walk {
  /** The statements being written. @type {Statement[]} */
  out = [];
  /** What variables are here; null where no way leads. @type {Env | null} */
  env = new Map();
  /** The loops and blocks around, by their nodes. @type {Map<object, JumpTarget>} */
  targets = new Map();
  /** Whether numbers that change are widened to any number at once. */
  widensFully = false;
  /** Branches and loops around, and calls. */
  nesting = 0;
  /** Loops around. */
  depth = 0;
  /** Whether bigints are computed modulo 2^64. */
  isWrapping = false;
  /** Parameters that had better be integers, a bit for each of the first 31. */
  hints = 0;
  objects = new Objects();
  inputs = new Inputs(this);
  /** Functions compiled out of line, by how they are called. @type {Map<string, import('./out-of-line.js').OutOfLine>} */
  functions = new Map();
  /**
   * Nodes of the tree that functions take where they are inlined (inline-policy.js).
   *
   * @type {Map<FunctionNode, { total: number, largest: number }>}
   */
  inlined = new Map();
  /**
   * What functions compiled out of line call an array, and what it is to their callers.
   *
   * @type {{ from: Root, to: Root[] }[]}
   */
  links = [];
  #nextFunc = 0;
  #nextRoot = 0;
  /** @type {Map<string, number>} */
  #sites = new Map();
  /** @type {Frame | null} */
  #frame = null;

  /**
   * @param {FunctionNode} callee
   * @param {InferOptions} options
   * @param {Facts} facts
   * @param {Map<string, FunctionNode>} library functions of library.js that have been built
   * @param {Rules} rules
   */
  constructor(callee, options, facts, library, rules) {
    this.callee = callee;
    this.options = options;
    this.facts = facts;
    this.library = library;
    this.rules = rules;
    this.func = this.newFunc(callee.name || 'f', callee.place);
    /** @type {Program} */
    this.program = {
      name: callee.name || 'f', entry: this.func, ports: [], funcs: [], data: [], roots: [], sites: [], loops: [],
      asked: null,
    };
  }

  // --- by the rules ---

  /** @type {(e: ExpressionNode) => Value} */
  evaluate(e) {
    return this.rules.evaluate(this, e);
  }

  /** @type {(list: StatementNode[]) => void} */
  run(list) {
    for (const s of list) {
      if (!this.env) return;
      this.statement(s);
    }
  }

  /** @type {(s: StatementNode) => void} */
  statement(s) {
    const rule = /** @type {(walk: Walk, s: StatementNode) => void} */ (this.rules.statements[s.kind]);
    if (!rule) refuse(s.place, `${s.kind} is not supported`, '');
    rule(this, s);
  }

  /** @type {(object: Value, name: string, place: Place) => Value} */
  field(object, name, place) {
    return this.rules.field(this, object, name, place);
  }

  /** @type {(callee: Value, args: Value[], site: CallSite) => Value} */
  call(callee, args, site) {
    return this.rules.call(this, callee, args, site);
  }

  // --- where it is ---

  /** What variables are at a place that some way leads to. */
  get here() {
    return this.env ?? fail('ERR_INTERNAL', `no way leads on in ${this.callee.name}`);
  }

  /** The activation under way. */
  get frame() {
    return this.#frame ?? fail('ERR_INTERNAL', `${this.callee.name} is not entered`);
  }

  set frame(frame) {
    this.#frame = frame;
  }

  /**
   * Runs with an environment and a list of its own.
   *
   * @type {(env: Env | null, list: Statement[], run: () => void) => Env | null}
   */
  inside(env, list, run) {
    const [outerEnv, outerOut] = [this.env, this.out];
    [this.env, this.out] = [env, list];
    this.nesting++;
    run();
    this.nesting--;
    const end = this.env;
    [this.env, this.out] = [outerEnv, outerOut];
    return end;
  }

  // --- what it makes ---

  /** @type {(name: string, place: Place) => Func} */
  newFunc(name, place) {
    const id = this.#nextFunc++;
    return {
      id, name: id ? `${name}_${id}` : name, params: [], results: [], throws: false, isRecursive: false, body: [],
      place,
    };
  }

  /** @type {(expression: Expression, name?: string) => Expression} the same, evaluated here and now */
  settle(expression, name = 't') {
    if (M.isStable(expression)) return expression;
    const local = E.newLocal(name, expression.type);
    this.out.push({ kind: 'set', local, value: expression });
    return M.read(local);
  }

  /** @type {(t: import('./number-types.js').Num) => void} takes down that parameters had better be integers */
  hint(t) {
    this.hints |= t.from;
  }

  /** @type {(kind: Root['kind'], name: string, site?: Site | null) => Root} */
  root(kind, name, site = null) {
    const root = { id: this.#nextRoot++, kind, name, isWritten: false, site };
    this.program.roots.push(root);
    return root;
  }

  /**
   * That of an array made at a place, the same on every walk.
   *
   * @type {(kind: Root['kind'], name: string, site: Site) => Root}
   */
  rootOf(kind, name, site) {
    const { roots } = this.frame;
    let root = roots.get(site.node);
    if (root?.kind !== kind) roots.set(site.node, (root = this.root(kind, name, site)));
    return root;
  }

  /** @type {(ref: import('../tir/index.js').ArrayRef) => void} */
  writes(ref) {
    for (const root of ref.roots) root.isWritten = true;
  }

  /** @type {(place: Place, type: string, message: (string | null)[], values?: Expression[]) => number} */
  site(place, type, message, values = []) {
    const key = `${place?.start}:${place?.end}:${type}:${message.join('|')}:${values.map((x) => x.type)}`;
    let site = this.#sites.get(key);
    if (site === undefined) {
      site = this.program.sites.push({ type, message, place }) - 1;
      this.#sites.set(key, site);
    }
    return site;
  }

  /** @type {(test: Expression, place: Place, type: string, message: (string | null)[], values: Expression[]) => void} */
  throwUnless(test, place, type, message, values) {
    if (test.op === 'const' && test.value) return;
    const site = this.site(place, type, message);
    this.out.push({
      kind: 'if', test: M.unary('not', test), then: [{ kind: 'throw', site, values }], otherwise: [], place,
    });
  }

  // --- variables ---

  /** @type {(variable: Variable) => Var} that of the activation under way */
  declare(variable) {
    const { vars } = this.frame;
    let own = vars.get(variable);
    if (!own) vars.set(variable, (own = { name: variable.name, slots: new Map(), owner: null }));
    return own;
  }

  /** @type {(frame: Frame | null, variable: Variable) => Var | null} */
  resolve(frame, variable) {
    for (let f = frame; f; f = f.parent) if (f.callee === variable.owner) return f.vars.get(variable) ?? null;
    return null;
  }

  /** @type {(callee: FunctionNode | null) => Frame | null} the activation of a function around */
  frameOf(callee) {
    /** @type {Frame | null} */
    let frame = this.#frame;
    while (frame && frame.callee !== callee) frame = frame.parent;
    return frame;
  }

  /** @type {(variable: Variable) => Var | null} */
  find(variable) {
    return this.resolve(this.#frame, variable);
  }

  /** @type {(variable: Variable, place: Place) => Value} */
  read(variable, place) {
    const own = this.find(variable);
    if (!own) return this.inputs.read(variable, place);
    const value = this.here.get(own) ?? V.UNDEFINED;
    return value.kind === 'cell' ? cells.get(value, place) : toFitting(this, value);
  }

  /** @type {(variable: Variable, value: Value) => void} */
  assign(variable, value) {
    const own = this.find(variable) ?? this.declare(variable);
    if (this.facts.boxed.has(variable)) cells.set(this, own, variable, value);
    else E.setVariable(this, own, value);
  }

  /** @type {(name: string, place: object | null) => Var} a variable that no source names */
  temporary(name, place) {
    const { temporaries } = this.frame;
    const key = place ?? name;
    let own = temporaries.get(key);
    if (!own) temporaries.set(key, (own = { name, slots: new Map(), owner: null }));
    return own;
  }
}

module.exports = { Walk };
