/**
 * Which declaration every name of a syntax tree means.
 *
 * One walk before anything is built, since what the builder does at the first line depends on the last: whether a
 * variable is ever assigned again, whether a function inside reads it, what a name that is declared later means.
 * Declarations are put into their scope when it is entered (var and the names of functions into that of the function or
 * block), so that hoisting, shadowing and names used before their declaration come out as the language says.
 */
'use strict';

const { isFunction } = require('../source/index.js');
const { TYPED_ARRAYS } = require('./globals.js');
const { findEarly, guard } = require('./temporal-dead-zone.js');

/** @typedef {import('../source/index.js').Ast} Ast */

/**
 * @typedef {object} Binding
 * @property {string} name
 * @property {'let' | 'const' | 'var' | 'param' | 'function' | 'self' | 'class'} kind
 * @property {Ast} node the identifier that declares it
 * @property {Ast | null} fn the function it belongs to; null: beside the function, at the top of its text
 * @property {number} ready where in the text it has a value; names of functions are ready from the start
 * @property {number} end of the case of a `switch` that declares it: others may run without it
 * @property {Ast | null} home the block, function or loop that it is declared in
 * @property {Ast | null} from what its value comes out of, in which it is not there either
 * @property {{ node: Ast, path: (string | number)[] } | null} init what it is set to where it is declared, and the way into that
 * @property {boolean} isPlain its declaration is reached before whatever stands behind it in its scope
 * @property {number} assigned how often it is set elsewhere
 * @property {{ start: number, inside: Ast | null }[]} references where it is named, and in which function
 * @property {number} reads how often of these an array in it neither grows nor shrinks, nor is handed on
 * @property {number} changes how often a method that changes its length or order is called on it
 * @property {number} values how often it is returned or its elements are taken as a whole
 * @property {{ callee: Binding, at: number }[]} handed functions that it is an argument of, and which
 * @property {number[]} touched where in the text its elements are set or it is changed
 * @property {boolean} isGrown elements are added to it
 * @property {boolean} isResized it is seen to be pushed, popped or set behind its last element
 * @property {boolean} isOdd something is done to it that only an array as such allows
 * @property {boolean} isShared whether a function inside `fn` names it
 * @property {boolean} isEarly its own function names it before the declaration
 * @property {boolean} isGuarded something that names it may run before the declaration (temporal-dead-zone.js)
 * @property {Ast | null} loop of whose head it is a variable
 * @property {boolean} inLoop its scope is entered again by each round of a loop
 * @property {Block | null} block whose statements declare it by let or const
 */

/** What a block declares by let and const. `isHeldEarly`: a function may hold some of it before it is declared. */
/** @typedef {{ bindings: Binding[], isHeldEarly: boolean }} Block */

/** @typedef {{ parent: Scope | null, names: Map<string, Binding>, fn: Ast | null }} Scope */

/**
 * @typedef {object} Names
 * @property {Map<Ast, Binding | null>} meaning of each identifier that is a reference or a declaration; null: declared nowhere
 * @property {Map<Ast, Block>} blocks
 * @property {Set<Ast>} early references that stand before the declaration, in its own function
 * @property {Set<Ast>} guarded references that may run before the declaration, and how often cannot be told from the text
 * @property {Binding[]} guards what they name
 * @property {Map<Ast, Binding>} named functions that only run where a variable is named
 * @property {Map<Ast, { binding: Binding, node: Ast }[]>} hoisted functions declared in a block, a switch or a function's body
 * @property {Map<Ast, number>} wanted how many parameters a function has that it only knows as `arguments[2]`, and those before
 * @property {Map<Ast, [Binding, Binding][]>} copies vars of a body that begin as the parameter of their name
 * @property {Map<Ast, string>} titles names of functions after the variables that they are put into
 * @property {Map<Ast, Ast | null>} around each function, the one that it stands in
 */

/** The children of a node, in the order of the source. @param {Ast} node @returns {Ast[]} */
function childrenOf(node) {
  const found = [];
  for (const key in node) {
    if (key === 'loc') continue;
    const child = node[key];
    if (Array.isArray(child)) found.push(...child.filter((item) => item && typeof item.type === 'string'));
    else if (child && typeof child.type === 'string') found.push(child);
  }
  return found;
}

/** @typedef {{ node: Ast, path: (string | number)[] | null, ready: number }} Bound `path` is null: not reached by a plain way */

/**
 * The identifiers that a pattern binds, how each is reached from the value, and where in the text it has its own.
 *
 * @param {Ast} pattern
 * @param {(string | number)[] | null} path
 * @returns {Bound[]}
 */
function boundIn(pattern, path = []) {
  switch (pattern.type) {
    case 'Identifier':
      return [{ node: pattern, path, ready: pattern.end }];
    case 'AssignmentPattern': {
      const { left, end } = pattern;
      return left.type === 'Identifier' ? [{ node: left, path: null, ready: end }] : boundIn(left, null);
    }
    case 'RestElement':
      return boundIn(pattern.argument, null);
    case 'ArrayPattern':
      return pattern.elements.flatMap((/** @type {Ast | null} */ item, /** @type {number} */ at) =>
        item ? boundIn(item, path && [...path, at]) : [],
      );
    case 'ObjectPattern':
      return pattern.properties.flatMap((/** @type {Ast} */ item) =>
        item.type === 'RestElement'
          ? boundIn(item.argument, null)
          : boundIn(item.value, path && !item.computed ? [...path, String(item.key.name ?? item.key.value)] : null),
      );
    default:
      return []; // a member, in an assignment
  }
}

class Analysis {
  constructor() {
    /** @type {Names} */
    this.names = {
      meaning: new Map(), blocks: new Map(), early: new Set(), hoisted: new Map(), wanted: new Map(), copies: new Map(),
      titles: new Map(), around: new Map(), guarded: new Set(), guards: [], named: new Map(),
    };
    /** @type {import('./temporal-dead-zone.js').InnerReference[]} */
    this.references = [];
    this.inLoop = false;
    /** Calls whose value nobody keeps. @type {Set<Ast>} */
    this.fleeting = new Set();
    /** @type {Scope} */
    this.scope = { parent: null, names: new Map(), fn: null };
  }

  /** @param {Ast | null} fn @param {() => void} visit */
  inside(fn, visit) {
    this.scope = { parent: this.scope, names: new Map(), fn };
    visit();
    this.scope = /** @type {Scope} */ (this.scope.parent);
  }

  /**
   * @param {Ast} node
   * @param {Binding['kind']} kind
   * @param {Partial<Binding>} [more]
   * @returns {Binding}
   */
  declare(node, kind, more = {}) {
    const { names, fn } = this.scope;
    const before = names.get(node.name);
    this.names.meaning.set(node, before ?? null);
    // A var beside a parameter or a function of its name is the same variable.
    if (before && kind === 'var') return before;
    if (before && kind === 'function' && before.kind !== 'function') {
      before.assigned++;
      return before;
    }
    const { inLoop } = this;
    /** @type {number[]} */
    const touched = [];
    /** @type {Binding['handed']} */
    const handed = [];
    const counts = {
      references: [], reads: 0, changes: 0, values: 0, handed, touched, isGrown: false, isResized: false, isOdd: false,
    };
    const place = {
      ready: -1, end: Infinity, home: null, from: null, init: null, isPlain: true, inLoop, loop: null, block: null,
    };
    /** @type {Binding} */
    const binding = {
      name: node.name, kind, node, fn, ...place, ...counts, assigned: 0, isShared: false, isEarly: false,
      isGuarded: false, ...more,
    };
    names.set(node.name, binding);
    this.names.meaning.set(node, binding);
    return binding;
  }

  /** @param {string} name @returns {Binding | null} */
  find(name) {
    for (let at = /** @type {Scope | null} */ (this.scope); at; at = at.parent) {
      const binding = at.names.get(name);
      if (binding) {
        if (binding.fn !== this.scope.fn) this.share(binding);
        return binding;
      }
    }
    return null;
  }

  /** The function around this place that stands in a variable's own. @param {Binding} binding @returns {Ast} */
  holderIn({ fn }) {
    let holder = this.scope;
    for (let at = this.scope; at.fn !== fn; at = /** @type {Scope} */ (at.parent)) holder = at;
    return /** @type {Ast} */ (holder.fn);
  }

  /** Notes that a function inside names a variable. @param {Binding} binding */
  share(binding) {
    binding.isShared = true;
    const fn = this.holderIn(binding);
    const isEarly = fn.type === 'FunctionDeclaration' || fn.start < binding.ready;
    if (isEarly && binding.block) binding.block.isHeldEarly = true;
  }

  /** @param {Ast} node an identifier that is read or set */
  refer(node) {
    const binding = this.find(node.name);
    this.names.meaning.set(node, binding);
    const { fn } = this.scope;
    if (!binding && fn && node.name === 'arguments') this.names.wanted.set(fn, this.names.wanted.get(fn) ?? 0);
    if (!binding) return;
    binding.references.push({ start: node.start, inside: this.scope.fn });
    if (binding.fn !== this.scope.fn) {
      this.references.push({ binding, node, holder: this.holderIn(binding) });
      return;
    }
    const { ready, from } = binding;
    if (node.start >= binding.end) guard(this.names, binding, node);
    if (node.start >= ready && !(from && node.start >= from.start && node.start < from.end)) return;
    binding.isEarly = true;
    this.names.early.add(node);
  }

  /** Notes that a name is used to read an array. @param {Ast} node */
  read(node) {
    const binding = node.type === 'Identifier' ? this.names.meaning.get(node) : null;
    if (binding) binding.reads++;
  }

  /** @param {Ast} node @returns {Binding | null} */
  bindingOf(node) {
    return (node.type === 'Identifier' && this.names.meaning.get(node)) || null;
  }

  /**
   * Notes that the value of a call is not kept, nor what `sort` and its like give that it is a method of.
   *
   * @param {Ast | null} node
   */
  pass(node) {
    if (node?.type !== 'CallExpression') return;
    this.fleeting.add(node);
    if (node.callee.type === 'MemberExpression') this.pass(node.callee.object);
  }

  /** Notes what a call does to the array that it is a method of. @param {Ast} node */
  change(node) {
    const { callee, arguments: args, optional } = node;
    if (callee.type !== 'MemberExpression' || callee.computed || !CHANGING.has(callee.property.name)) return;
    const binding = this.bindingOf(callee.object);
    if (!binding) return;
    if (ARRANGING.has(callee.property.name) && !this.fleeting.has(node)) binding.isOdd = true;
    const isPush = callee.property.name === 'push';
    if (
      optional ||
      callee.optional ||
      (!isPush && args.some((/** @type {Ast} */ { type }) => type === 'SpreadElement'))
    )
      binding.isOdd = true;
    binding.changes++;
    binding.touched.push(node.start);
    binding.isGrown ||= isPush;
    binding.isResized ||= !ARRANGING.has(callee.property.name);
  }

  /** Notes that an element or the length of an array is set. @param {Ast} node an assignment */
  store({ left, right, operator, start }) {
    const binding = left.type === 'MemberExpression' ? this.bindingOf(left.object) : null;
    if (!binding) return;
    binding.touched.push(start);
    if (!left.computed) binding.isOdd ||= left.property.name !== 'length' || operator !== '=' || right.value !== 0;
    else if (operator === '=' && left.property.type !== 'Literal') {
      const { property: key } = left;
      binding.isGrown = true;
      binding.isResized ||=
        key.type === 'MemberExpression' &&
        !key.computed &&
        key.property.name === 'length' &&
        this.bindingOf(key.object) === binding;
    }
  }

  /**
   * Notes that arrays are wanted as a whole, by somebody who does not change them.
   *
   * @param {Ast | null} node
   * @param {number} [end] of what evaluates it
   */
  take(node, end = 0) {
    if (!node) return;
    const binding = this.bindingOf(node);
    if (binding && binding.fn === this.scope.fn) binding.values++;
    // In [out, out.pop()] what is done behind it is done to the element.
    if (binding?.touched.some((at) => at > node.start && at < end)) binding.isOdd = true;
    if (node.type === 'ArrayExpression') for (const one of node.elements) this.take(one, end);
    if (node.type === 'ObjectExpression')
      for (const one of node.properties) if (one.type === 'Property') this.take(one.value, end);
  }

  /**
   * Notes what a call is given: elements for another array, or an array for a function of the source.
   *
   * @param {Ast} node
   */
  hand({ callee, arguments: args }) {
    if (callee.type === 'MemberExpression') {
      const name = callee.computed ? '' : callee.property.name;
      if (name === 'set' || name === 'concat' || (name === 'from' && MAKING.has(callee.object.name)))
        if (args[0]?.type === 'Identifier') this.take(args[0]);
      return;
    }
    const called = this.bindingOf(callee);
    if (!called) return;
    args.forEach((/** @type {Ast} */ arg, /** @type {number} */ at) =>
      this.bindingOf(arg)?.handed.push({ callee: called, at }),
    );
  }

  /** Notes that a function reads `arguments[2]`. @param {Ast} member */
  want({ object, property }) {
    const { fn } = this.scope;
    if (!fn || object.name !== 'arguments' || typeof property.value !== 'number') return;
    this.names.wanted.set(fn, Math.max(property.value + 1, this.names.wanted.get(fn) ?? 0));
  }

  /** @param {Ast} pattern whose identifiers are assigned */
  assign(pattern) {
    for (const { node } of boundIn(pattern)) {
      const binding = this.find(node.name);
      if (binding) binding.assigned++;
    }
  }

  /**
   * Declares what a list of statements declares for itself.
   *
   * @param {Ast[]} statements
   * @param {Ast} block
   * @param {number} [end] of the case that they are
   */
  declareBlock(statements, block, end = Infinity) {
    for (const statement of statements) {
      const inner = statement.type.startsWith('Export') && statement.declaration ? statement.declaration : statement;
      if (inner.type === 'FunctionDeclaration' && inner.id) this.declareFunction(inner, block);
      else if (inner.type === 'ClassDeclaration' && inner.id) this.declare(inner.id, 'class', { ready: inner.end });
      else if (inner.type === 'VariableDeclaration' && inner.kind !== 'var')
        this.declareVariables(inner, { block: this.blockOf(block), home: block, end });
    }
  }

  /** @param {Ast} node @returns {Block} */
  blockOf(node) {
    const known = this.names.blocks.get(node);
    const block = known ?? { bindings: [], isHeldEarly: false };
    if (!known) this.names.blocks.set(node, block);
    return block;
  }

  /** @param {Ast} node @param {Ast} block */
  declareFunction(node, block) {
    const binding = this.declare(node.id, 'function', { init: { node, path: [] } });
    const list = this.names.hoisted.get(block) ?? [];
    this.names.named.set(node, binding);
    this.names.hoisted.set(block, [...list.filter((other) => other.binding.name !== binding.name), { binding, node }]);
  }

  /** @param {Ast} declaration @param {Partial<Pick<Binding, 'loop' | 'isPlain' | 'block' | 'home' | 'end'>>} where */
  declareVariables(declaration, where) {
    const { loop = null, block = null } = where;
    const isOf = loop !== null && loop.type !== 'ForStatement';
    for (const declarator of declaration.declarations) {
      const { id, init: first } = declarator;
      if (first && isFunction(first) && id.type === 'Identifier') this.names.titles.set(first, id.name);
      const from = isOf ? loop.right : declarator.init;
      for (const { node, path, ready } of boundIn(declarator.id)) {
        const init = declarator.init && path && !isOf ? { node: declarator.init, path } : null;
        const binding = this.declare(node, declaration.kind, { ready, from, init, ...where });
        if (block && binding.node === node) block.bindings.push(binding);
        if (binding.node === node && init && path?.length === 0 && isFunction(init.node))
          this.names.named.set(init.node, binding);
        if (binding.node === node) continue;
        // A second var of a name: what it is set to there is an assignment like any other.
        if (declarator.init || isOf) binding.assigned++;
      }
    }
  }

  /**
   * Declares the vars below statements of a function.
   *
   * @param {Ast} node
   * @param {boolean} isPlain
   * @param {Ast | null} loop
   */
  declareVars(node, isPlain, loop = null) {
    if (isFunction(node) || node.type.startsWith('Class')) return;
    if (node.type === 'VariableDeclaration') {
      if (node.kind === 'var') this.declareVariables(node, { loop, isPlain });
      return;
    }
    if (!/(Statement|Case|^Program|^Export.*)$/.test(node.type)) return;
    const isLoop = /^For/.test(node.type);
    for (const child of childrenOf(node)) {
      const isHead = isLoop && (child === node.init || child === node.left);
      this.declareVars(child, isPlain && node.type.startsWith('Export'), isHead ? node : null);
    }
  }

  /** @param {Ast} fn */
  visitFunction(fn) {
    this.names.around.set(fn, this.scope.fn);
    const { inLoop } = this;
    this.inLoop = false;
    const isNamed = fn.type === 'FunctionExpression' && fn.id;
    const visit = () =>
      this.inside(fn, () => {
        for (const param of fn.params) this.declareParams(param, fn);
        const isSimple = fn.params.every((/** @type {Ast} */ { type }) => type === 'Identifier');
        for (const param of fn.params) this.visit(param);
        // Defaults are evaluated in a scope of their own, which vars of the body are not in.
        if (isSimple) this.visitBody(fn);
        else this.inside(fn, () => this.visitBody(fn, /** @type {Scope} */ (this.scope.parent).names));
      });
    if (!isNamed) visit();
    else {
      this.inside(fn, () => {
        this.declare(fn.id, 'self', { init: { node: fn, path: [] } });
        visit();
      });
    }
    this.inLoop = inLoop;
  }

  /** @param {Ast} param @param {Ast} fn */
  declareParams(param, fn) {
    const hasDefault = param.type === 'AssignmentPattern';
    for (const { node, ready } of boundIn(param)) {
      const isPlain = param === node || (hasDefault && param.left === node);
      this.declare(node, 'param', { ready, home: fn, assigned: hasDefault && isPlain ? 1 : 0 });
    }
  }

  /** @param {Ast} fn @param {Map<string, Binding>} [params] where they are in a scope of their own */
  visitBody(fn, params) {
    if (fn.body.type !== 'BlockStatement') {
      this.visit(fn.body);
      return;
    }
    for (const statement of fn.body.body) this.declareVars(statement, true);
    if (params) this.copyParams(fn, params);
    this.declareBlock(fn.body.body, fn.body);
    for (const statement of fn.body.body) this.visit(statement);
  }

  /** @param {Ast} fn @param {Map<string, Binding>} params */
  copyParams(fn, params) {
    /** @type {[Binding, Binding][]} */
    const copies = [];
    for (const [name, binding] of this.scope.names) {
      const param = params.get(name);
      if (!param) continue;
      binding.isPlain = false;
      copies.push([binding, param]);
    }
    this.names.copies.set(fn, copies);
  }

  /** @param {Ast} node */
  visit(node) {
    if (isFunction(node)) this.visitFunction(node);
    else if (Object.hasOwn(VISITORS, node.type)) VISITORS[node.type](this, node);
    else this.visitChildren(node);
  }

  /** @param {Ast} node */
  visitLoop(node) {
    const { inLoop } = this;
    const isFor = node.type === 'ForStatement';
    const head = isFor ? node.init : node.left;
    // The variables of a `for`-`of` are new in each round, those of a `for` are the loop's, which copies them.
    this.inLoop ||= !isFor;
    if (head?.type === 'VariableDeclaration') {
      if (head.kind !== 'var') this.declareVariables(head, { loop: node, home: node });
    } else if (head && !isFor) this.assign(head);
    this.inLoop = true;
    this.visitChildren(node);
    if (node.type === 'ForOfStatement') this.read(node.right);
    this.inLoop = inLoop;
  }

  /** @param {Ast} node */
  visitChildren(node) {
    for (const child of childrenOf(node)) this.visit(child);
  }
}

/** @param {Analysis} analysis @param {Ast} node */
function visitFor(analysis, node) {
  analysis.inside(analysis.scope.fn, () => analysis.visitLoop(node));
}

/** Members of an array that leave it as it is. */
const READING = new Set([
  'length', 'entries', 'keys', 'values', 'map', 'filter', 'forEach', 'reduce', 'reduceRight', 'some', 'every', 'find',
  'findIndex', 'findLast', 'findLastIndex', 'indexOf', 'lastIndexOf', 'includes', 'slice', 'concat', 'at', 'toSorted',
  'toReversed',
]);

/** What makes arrays of the elements of others. */
const MAKING = new Set(['Array', ...TYPED_ARRAYS]);

/** Methods that give the array itself. */
const ARRANGING = new Set(['sort', 'reverse', 'fill', 'copyWithin']);

/** Methods that change an array's length or order. */
const CHANGING = new Set(['push', 'pop', 'shift', 'sort', 'reverse', 'fill']);

/**
 * Nodes that hold names which are no references, make scopes, or assign.
 *
 * @type {Record<string, (analysis: Analysis, node: Ast) => void>}
 */
const VISITORS = {
  Identifier: (analysis, node) => {
    if (!analysis.names.meaning.has(node)) analysis.refer(node);
  },
  MemberExpression: (analysis, node) => {
    if (node.computed || !ARRANGING.has(node.property.name)) analysis.pass(node.object);
    analysis.visit(node.object);
    if (node.computed) analysis.visit(node.property);
    analysis.want(node);
    if (node.computed || READING.has(node.property.name)) analysis.read(node.object);
  },
  Property: (analysis, { computed, key, value }) => {
    if (computed) analysis.visit(key);
    analysis.visit(value);
  },
  LabeledStatement: (analysis, { body }) => analysis.visit(body),
  BreakStatement: () => {},
  ContinueStatement: () => {},
  MetaProperty: () => {},
  AssignmentExpression: (analysis, node) => {
    analysis.assign(node.left);
    analysis.visitChildren(node);
    analysis.store(node);
  },
  CallExpression: (analysis, node) => {
    analysis.visitChildren(node);
    analysis.change(node);
    analysis.hand(node);
  },
  NewExpression: (analysis, node) => {
    analysis.visitChildren(node);
    if (node.arguments.length === 1 && node.arguments[0].type === 'Identifier') analysis.take(node.arguments[0]);
  },
  SpreadElement: (analysis, node) => {
    analysis.visitChildren(node);
    if (node.argument.type === 'Identifier') analysis.take(node.argument);
  },
  ExpressionStatement: (analysis, node) => {
    analysis.pass(node.expression);
    analysis.visitChildren(node);
  },
  ReturnStatement: (analysis, node) => {
    analysis.pass(node.argument);
    analysis.visitChildren(node);
    analysis.take(node.argument, node.end);
  },
  UpdateExpression: (analysis, node) => {
    analysis.assign(node.argument);
    analysis.visitChildren(node);
  },
  BlockStatement: (analysis, node) =>
    analysis.inside(analysis.scope.fn, () => {
      analysis.declareBlock(node.body, node);
      analysis.visitChildren(node);
    }),
  SwitchStatement: (analysis, node) => {
    analysis.visit(node.discriminant);
    analysis.inside(analysis.scope.fn, () => {
      for (const one of node.cases) analysis.declareBlock(one.consequent, node, one.end);
      for (const one of node.cases) analysis.visitChildren(one);
    });
  },
  WhileStatement: (analysis, node) => analysis.visitLoop(node),
  DoWhileStatement: (analysis, node) => analysis.visitLoop(node),
  ForStatement: visitFor,
  ForOfStatement: visitFor,
  ForInStatement: visitFor,
};

/** Whether closures hold a variable of which each round of a loop has its own. @param {Binding} binding */
const isRenewed = ({ isShared, inLoop, kind }) =>
  isShared && inLoop && (kind === 'let' || kind === 'const' || kind === 'function');

/**
 * @param {Ast} node a function
 * @param {Ast[]} siblings statements beside it, which may declare what it names
 * @returns {Names}
 */
function analyse(node, siblings) {
  const analysis = new Analysis();
  if (siblings.length > 0) {
    for (const statement of siblings) analysis.declareVars(statement, true);
    analysis.declareBlock(siblings, siblings[0]);
    for (const statement of siblings) analysis.visit(statement);
  } else analysis.visit(node);
  findEarly(analysis.names, analysis.references);
  return analysis.names;
}

module.exports = { analyse, isRenewed };
