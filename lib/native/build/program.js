/**
 * What the functions of one program share while they are built: sources, variables, and which function is which.
 *
 * A program is the function compiled and all that it reaches: functions inside it, and captured ones, each with a text
 * and captures of its own. A function is built the first time that something names it, so what nobody calls may hold
 * whatever it likes. It exists before its body is built, which waits in a queue, so that functions may name themselves
 * and each other.
 */
'use strict';

const { parse } = require('../source/index.js');
const { analyse, isRenewed } = require('./scopes.js');

/** @typedef {import('../source/index.js').Ast} Ast */
/** @typedef {import('../source/index.js').Parsed} Parsed */
/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('../hir/index.js').Variable} Variable */
/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('./scopes.js').Binding} Binding */
/** @typedef {import('./statics.js').Static} Static */
/** @typedef {Record<string, unknown>} Capture */
/** @typedef {{ unit: Unit, fn: FunctionNode, node: Ast }} Work */

/** A function may ask for so many arguments by their number. */
const MOST_ARGUMENTS = 255;

/** One parsed text. */
class Unit {
  /** @param {Program} program @param {Parsed} parsed @param {Capture} capture */
  constructor(program, parsed, capture) {
    this.program = program;
    this.parsed = parsed;
    this.capture = capture;
    this.names = analyse(parsed.node, parsed.siblings);
    /** @type {Map<Ast, Static | null>} */
    this.statics = new Map();
    /** What stands beside the function in its text, computed. @type {Map<Ast, { value: unknown }>} */
    this.beside = new Map();
    /** Arrays that grow. @type {Map<Binding, import('./growing.js').Growing>} */
    this.growing = new Map();
    /** Array literals by length that are filled at once: `new Array(n).fill(0)`. @type {WeakSet<object>} */
    this.filled = new WeakSet();
    /** @type {Set<Binding>} */
    this.resolving = new Set();
    /** @type {Map<Binding, Variable>} */
    this.variables = new Map();
    /**
     * Variables that functions in the head of a loop hold, which no round changes.
     *
     * @type {Map<Binding, { end: number, variable: Variable }>}
     */
    this.firsts = new Map();
    /** Whether variables are declared yet. @type {Map<Binding, Variable>} */
    this.flags = new Map();
    /** @type {Map<Ast, FunctionNode>} */
    this.functions = new Map();
  }

  /** @param {Ast} node a function of this text @returns {FunctionNode} */
  functionOf(node) {
    const known = this.functions.get(node);
    if (known) return known;
    const { names, parsed, program } = this;
    const around = names.around.get(node);
    const isMain = node === parsed.node;
    const name = node.id?.name ?? names.titles.get(node) ?? (isMain ? parsed.name : '');
    const fn = program.functionNode(name, node, parsed.source, around ? this.functionOf(around) : null);
    this.functions.set(node, fn);
    const { params } = node;
    const rest = params.at(-1)?.type === 'RestElement' ? params.at(-1) : null;
    fn.params = (rest ? params.slice(0, -1) : params).map((/** @type {Ast} */ param) => this.paramOf(param, fn));
    fn.namesArguments = this.names.wanted.has(node);
    this.addWanted(fn, node);
    fn.rest = rest ? this.paramOf(rest.argument, fn) : null;
    program.unbuilt.set(fn, { unit: this, fn, node });
    return fn;
  }

  /**
   * Parameters without a name, which the function reads as `arguments[2]`. Compilers write so for defaults.
   *
   * @param {FunctionNode} fn
   * @param {Ast} node
   */
  addWanted(fn, node) {
    const wanted = Math.min(this.names.wanted.get(node) ?? 0, MOST_ARGUMENTS);
    while (fn.params.length < wanted && node.params.at(-1)?.type !== 'RestElement') {
      fn.params.push(this.program.variable(`argument${fn.params.length}`, node, true, fn));
    }
  }

  /** @param {Ast} param @param {FunctionNode} fn @returns {Variable} the parameter, or what a pattern is taken apart from */
  paramOf(param, fn) {
    const target = param.type === 'AssignmentPattern' ? param.left : param;
    if (target.type !== 'Identifier') return this.program.variable('argument', param, param === target, fn);
    const binding = this.names.meaning.get(target);
    // Of two parameters of one name the last is meant.
    if (binding?.node !== target || !binding) return this.program.variable(target.name, param, true, fn);
    return this.variableOf(binding);
  }

  /** @param {Binding} binding @returns {Variable} */
  variableOf(binding) {
    const known = this.variables.get(binding);
    if (known) return known;
    const { kind, isShared, isPlain, isEarly, init, block } = binding;
    // One that is renewed where its block begins is set again where it is declared.
    const isTwice = isRenewed(binding) && block?.isHeldEarly;
    const assigned = binding.assigned + (isTwice ? 1 : 0);
    const isOnce = kind === 'var' ? isPlain && init !== null && !isEarly && !isShared : true;
    const owner = binding.fn ? this.functionOf(binding.fn) : null;
    // What functionOf does for the parameters of the owner may have made it.
    const again = this.variables.get(binding);
    if (again) return again;
    const made = this.program.variable(
      binding.name,
      binding.node,
      (kind === 'const' && !isTwice) || (assigned === 0 && isOnce),
      owner,
    );
    made.isShared = isShared;
    this.variables.set(binding, made);
    return made;
  }

  /**
   * Functions that the head of a loop makes hold variables of it as they are before the first round, and its rounds
   * have their own.
   *
   * @param {Binding} binding
   * @param {number} end of the declaration in the head
   * @returns {boolean} whether it has such a variable
   */
  keepFirst(binding, end) {
    if (binding.assigned === 0 || !binding.references.some(({ start, inside }) => inside !== binding.fn && start < end))
      return false;
    const { isShared } = this.variableOf(binding);
    const variable = this.program.variable(
      binding.name,
      binding.node,
      false,
      this.functionOf(/** @type {Ast} */ (binding.fn)),
    );
    variable.isShared = isShared;
    this.firsts.set(binding, { end, variable });
    return true;
  }

  /** @param {Binding} binding @param {Ast} node where it is named @returns {Variable} */
  variableAt(binding, node) {
    const first = this.firsts.get(binding);
    return first && node.start < first.end ? first.variable : this.variableOf(binding);
  }

  /** @param {Binding} binding of a function @returns {Variable} true once it is declared (temporal-dead-zone.js) */
  flagOf(binding) {
    let flag = this.flags.get(binding);
    if (!flag) {
      flag = this.program.variable(
        `${binding.name}_declared`,
        binding.node,
        false,
        this.functionOf(/** @type {Ast} */ (binding.fn)),
      );
      flag.isShared = true;
      this.flags.set(binding, flag);
    }
    return flag;
  }
}

class Program {
  /** @param {(unit: Unit, node: Ast) => { value: unknown } | null} compute the value of an expression that needs no argument */
  constructor(compute) {
    this.compute = compute;
    this.ids = 0;
    /** The text of the function compiled. @type {Unit | null} */
    this.main = null;
    /** Functions whose bodies have not been asked for. @type {Map<FunctionNode, Work>} */
    this.unbuilt = new Map();
    /** Functions that something calls or hands on, and whose bodies are to be built. @type {Work[]} */
    this.queue = [];
    /** Functions of the language as values, by name. @type {Map<string, FunctionNode>} */
    this.wrappers = new Map();
    /** Functions by origin: those captured. @type {Map<Function | string, FunctionNode>} */
    this.origins = new Map();
    /**
     * What each function names of outside, and the functions that it names.
     *
     * @type {Map<FunctionNode, { variables: Set<Variable>, callees: Set<FunctionNode> }>}
     */
    this.uses = new Map();
    /** Captured arrays and objects. @type {Map<object, Variable>} */
    this.given = new Map();
  }

  /** Has the body of a function built, now that something uses it. @param {FunctionNode} fn */
  want(fn) {
    const work = this.unbuilt.get(fn);
    if (work) this.queue.push(work);
    this.unbuilt.delete(fn);
  }

  /** @param {string} name @param {Place} place @param {boolean} isConst @param {FunctionNode | null} owner @returns {Variable} */
  variable(name, place, isConst, owner) {
    /** @type {Variable} */
    const made = { name, id: this.ids++, isConst, owner, isShared: false, place };
    owner?.variables.push(made);
    return made;
  }

  /** @param {string} name @param {Place} place @param {import('../hir/index.js').Source} source @param {FunctionNode | null} parent @returns {FunctionNode} */
  functionNode(name, place, source, parent) {
    return {
      kind: 'function', name, params: [], rest: null, namesArguments: false, countsArguments: false, given: null,
      body: [], variables: [], parent, captures: [], source, place,
    };
  }

  /** @param {object} value @param {string} name @param {Place} place @returns {Variable} */
  givenVariable(value, name, place) {
    const known = this.given.get(value);
    if (known) return known;
    const made = { ...this.variable(name, place, true, null), isShared: true, value };
    this.given.set(value, made);
    return made;
  }

  /**
   * @param {Function | string} origin
   * @param {{ name?: string, file?: string, line?: number, capture: Capture }} options
   * @returns {FunctionNode}
   */
  functionOf(origin, { name, file, line, capture }) {
    const known = this.origins.get(origin);
    if (known) return known;
    const isText = typeof origin === 'string';
    const parsed = parse(origin, {
      file: file ?? (isText || !origin.name ? name : undefined), line, name: isText ? name : undefined,
    });
    parsed.name ||= name ?? '';
    const unit = new Unit(this, parsed, capture);
    this.main ??= unit;
    const fn = unit.functionOf(parsed.node);
    this.origins.set(origin, fn);
    return fn;
  }

  /** @param {FunctionNode} fn */
  usesOf(fn) {
    const known = this.uses.get(fn);
    if (known) return known;
    const made = { variables: new Set(), callees: new Set() };
    this.uses.set(fn, made);
    return made;
  }

  /**
   * Fills `captures`: what a function names, and what the functions that it names need, as far as it is not its own.
   */
  settleCaptures() {
    for (let hasGrown = true; hasGrown;) {
      hasGrown = false;
      for (const [fn, { variables, callees }] of this.uses) {
        for (const callee of callees) {
          for (const variable of this.usesOf(callee).variables) {
            if (variable.owner === fn || variables.has(variable)) continue;
            variables.add(variable);
            hasGrown = true;
          }
        }
      }
    }
    for (const [fn, { variables }] of this.uses) fn.captures = [...variables];
  }
}

module.exports = { Program, Unit };
