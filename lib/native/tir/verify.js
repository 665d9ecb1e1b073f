/**
 * Whether a program is one of TIR, as index.js says it.
 *
 * It shares nothing with what makes and changes programs but the table of ops, so a mistake there is not made here as
 * well. What is asked:
 *
 *   names    each local is declared once, before it is used and in a block around all uses; only what says `isSet` is
 *            set again; jumps lead to a loop or block around them, and do not leave a prange; calls lead to functions
 *            of the program
 *   types    each operator has the operands that its row of src/ops/ops.def takes; what is stored, passed and returned
 *            has the type of where it goes; constants fit their type
 *   memory   what is accessed is an array of a pointer, a length and the roots that it may lie in; what is written
 *            lies in roots that say so
 *   shape    statements and lists of them stand in one place only, since passes change them where they stand; no way
 *            leads to the end of a function; loops have numbers
 *
 * What cannot be seen from the program is not asked: whether an access without a check is in range, or a range true.
 */
'use strict';

const { native } = require('../../base/binding.js');
const { fail } = require('../../base/errors.js');
const { Printer } = require('./print.js');

/** @typedef {import('./index.js').Expression} Expression */
/** @typedef {import('./index.js').Statement} Statement */
/** @typedef {import('./index.js').ArrayRef} ArrayRef */
/** @typedef {import('./index.js').Local} Local */
/** @typedef {import('./index.js').Func} Func */
/** @typedef {import('./index.js').Program} Program */

/**
 * What a program may lack between passes.
 *
 * @typedef {object} Form
 * @property {boolean} [isDeclared] false: locals are only set
 * @property {boolean} [isNumbered] false: loops have no numbers
 * @property {boolean} [hasTape] true: there are `push` and `pop`, and nodes stand in several places
 */

const WIDTHS = new Map(Object.entries({ f64: 64, f32: 32, i64: 64, u64: 64, i32: 32, u32: 32, bool: 1 }));
/** What narrower elements are in memory only. */
const NARROW = new Set(['i16', 'i8', 'u16', 'u8', 'u8c']);
const INTEGERS = new Set(['i64', 'u64', 'i32', 'u32']);
const FLOATS = new Set(['f64', 'f32']);

/** @type {(type: unknown) => boolean} */
const isScalar = (type) => WIDTHS.has(/** @type {string} */ (type));
/** @type {(type: unknown) => boolean} */
const isElement = (type) => isScalar(type) || NARROW.has(/** @type {string} */ (type));
/** @type {(type: unknown) => boolean} */
const isPointer = (type) => typeof type === 'string' && type.endsWith('*') && isElement(type.slice(0, -1));
/** What an element is as a value. @type {(dtype: string) => string} */
const scalarOf = (dtype) => (NARROW.has(dtype) ? 'i32' : dtype);

/** The sets of types in the column `accepts` of the table of ops. @type {Record<string, (type: string) => boolean>} */
const ACCEPTS = {
  any: () => true,
  numeric: (type) => type !== 'bool',
  signed: (type) => FLOATS.has(type) || type[0] === 'i',
  float: (type) => FLOATS.has(type),
  integer: (type) => INTEGERS.has(type),
  logic: (type) => type === 'bool' || INTEGERS.has(type),
};

const OPS = new Map(
  native
    .ops()
    .filter(({ kind }) => kind === 'elementwise')
    .map((row) => [row.name, row]),
);
/** Ops that give a bool of whatever they take. */
const TRUTHS = new Set(['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'is_nan', 'is_finite']);

/** Whether an integer is one of a type. @type {(type: string, value: bigint) => boolean} */
function fits(type, value) {
  const bits = Number(type.slice(1));
  return value === (type[0] === 'u' ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value));
}

class Verifier {
  /** Locals that are declared at this place. @type {Set<Local>} */
  #visible = new Set();
  /** Locals declared anywhere. @type {Set<Local>} */
  #declared = new Set();
  /** Statements and lists of them. @type {Set<object>} */
  #placed = new Set();
  /** What is around this place, innermost last. @type {{ target: Statement, isLeft: boolean, allowsContinue: boolean }[]} */
  #around = [];
  #printer = new Printer();
  /** @type {Func} */
  #func;

  /** @param {Program} program @param {string} after @param {Form} form */
  constructor(program, after, { isDeclared = true, isNumbered = true, hasTape = false }) {
    this.#program = program;
    this.after = after;
    this.form = { isDeclared, isNumbered, hasTape };
    this.#func = program.entry;
    this.roots = new Set(program.roots);
    this.funcs = new Set(program.funcs);
  }

  #program;

  /** @type {(rule: string, node?: any) => never} */
  #broken(rule, node) {
    const text = node === undefined ? '' : `: ${this.#textOf(node)}`;
    return fail('ERR_INTERNAL', `after ${this.after}, in ${this.#func.name}: ${rule}${text}`);
  }

  /** @type {(node: any) => string} */
  #textOf(node) {
    if (typeof node === 'string') return node;
    if (node.kind === undefined) return this.#printer.expression(node);
    this.#printer.lines.length = 0;
    this.#printer.statement(node, 0);
    return this.#printer.lines.slice(0, 3).join(' ');
  }

  /** @type {(holds: unknown, rule: string, node?: any) => void} */
  #ask(holds, rule, node) {
    if (!holds) this.#broken(rule, node);
  }

  // --- the program ---

  verify() {
    const { funcs, entry, ports, roots, loops, data } = this.#program;
    this.#ask(this.funcs.has(entry), 'the entry is no function of the program');
    this.#ask(this.funcs.size === funcs.length, 'a function stands twice in the program');
    this.#ask(new Set(roots.map(({ id }) => id)).size === roots.length, 'two roots have one id');
    loops.forEach((record, i) => this.#ask(record.id === i, 'the record of a loop stands in another place', `${i}`));
    data.forEach(({ dtype }) => this.#ask(isElement(dtype), 'data are of no element type', dtype));
    const params = ports.flatMap((port) => {
      if (port.kind === 'scalar') {
        this.#ask(port.local.type === port.type, 'a port is of another type than its parameter', port.local.name);
        return [port.local];
      }
      this.#ask(port.pointer.type === `${port.dtype}*`, 'a port is of other elements than its pointer', port.pointer.name);
      this.#ask(port.length.type === 'i64', 'the length of a port is no i64', port.length.name);
      this.#ask(this.roots.has(port.root), 'a port has a root that is none of the program', port.root.name);
      return [port.pointer, port.length];
    });
    const isAlike = params.length === entry.params.length && params.every((param, i) => param === entry.params[i]);
    this.#ask(isAlike, 'the parameters of the entry are not those of the ports');
    for (const func of funcs) this.#function(func);
  }

  /** @param {Func} func */
  #function(func) {
    this.#func = func;
    this.#printer = new Printer();
    this.#visible = new Set();
    for (const param of func.params) {
      this.#ask(param.isParam, 'a parameter does not say that it is one', param.name);
      this.#declare(param, param.name);
    }
    for (const type of func.results) this.#ask(isScalar(type), 'a result is no scalar', type);
    for (const param of func.apart ?? [])
      this.#ask(isPointer(param.type) && func.params.includes(param), 'only pointers among parameters are noalias', param.name);
    this.#ask(!this.#list(func.body), 'a way leads to the end of the function');
  }

  /** @type {(local: Local, node: any) => void} */
  #declare(local, node) {
    this.#ask(isScalar(local.type) || isPointer(local.type), `${local.name} is of no type (${local.type})`, node);
    if (!this.form.isDeclared) return;
    this.#ask(!this.#declared.has(local), `${this.#printer.name(local)} is declared twice`, node);
    this.#declared.add(local);
    this.#visible.add(local);
  }

  /** @type {(local: Local, node: any) => void} */
  #uses(local, node) {
    if (!this.form.isDeclared || this.#visible.has(local)) return;
    const where = this.#declared.has(local) ? 'used outside its block' : 'not declared before it is used';
    this.#broken(`${this.#printer.name(local)} is ${where}`, node);
  }

  /** What is declared inside is not known behind. @template T @param {() => T} inside @returns {T} */
  #block(inside) {
    const outer = this.#visible;
    this.#visible = new Set(outer);
    const result = inside();
    this.#visible = outer;
    return result;
  }

  // --- statements ---

  /** @type {(node: object, text: any) => void} */
  #place(node, text) {
    if (this.form.hasTape) return;
    this.#ask(!this.#placed.has(node), 'a statement or list of them stands in two places', text);
    this.#placed.add(node);
  }

  /** Whether control may come to the end of a list, in the block that is there. @type {(body: Statement[]) => boolean} */
  #statements(body) {
    this.#place(body, body[0] ?? 'an empty list');
    let goesOn = true;
    for (const s of body) {
      const ends = !this.#statement(s);
      goesOn &&= !ends;
    }
    return goesOn;
  }

  /** The same for a block of its own. @type {(body: Statement[]) => boolean} */
  #list(body) {
    return this.#block(() => this.#statements(body));
  }

  /** @type {(s: any) => boolean} whether control may come to what is behind */
  #statement(s) {
    this.#place(s, s);
    switch (s.kind) {
      case 'let':
        this.#value(s.value, s.local.type, s);
        this.#ask(this.form.isDeclared, 'nothing is declared before place-locals', s);
        this.#declare(s.local, s);
        return true;
      case 'set':
        this.#value(s.value, s.local.type, s);
        this.#uses(s.local, s);
        this.#ask(!this.form.isDeclared || s.local.isSet, `${s.local.name} is set, and does not say so`, s);
        return true;
      case 'if': {
        this.#value(s.test, 'bool', s);
        const [then, otherwise] = [this.#list(s.then), this.#list(s.otherwise)];
        return then || otherwise;
      }
      case 'loop':
        return this.#loop(s);
      case 'prange':
        return this.#prange(s);
      case 'block': {
        const around = { target: s, isLeft: false, allowsContinue: false };
        this.#around.push(around);
        const goesOn = this.#list(s.body);
        this.#around.pop();
        return goesOn || around.isLeft;
      }
      case 'break':
      case 'continue':
        this.#jump(s);
        return false;
      case 'return':
        this.#ask(s.values.length === this.#func.results.length, 'a return has another number of values than results', s);
        s.values.forEach((/** @type {Expression} */ e, /** @type {number} */ i) => this.#value(e, this.#func.results[i], s));
        this.#ask(!this.#around.some(({ target }) => target.kind === 'prange'), 'a return leaves a prange', s);
        return false;
      case 'throw':
        this.#throw(s);
        return false;
      default:
        this.#simple(s);
        return true;
    }
  }

  /** @type {(s: import('./index.js').LoopStmt) => boolean} */
  #loop(s) {
    this.#numbered(s);
    this.#ask(typeof s.late === 'boolean', 'a loop does not say whether its first test is late', s);
    const around = { target: s, isLeft: false, allowsContinue: false };
    this.#around.push(around);
    const test = () => {
      const goesOn = this.#statements(s.before);
      if (s.test) this.#value(s.test, 'bool', s);
      return goesOn;
    };
    const rest = () => {
      around.allowsContinue = true;
      this.#list(s.body);
      around.allowsContinue = false;
      this.#list(s.update);
    };
    let isTested = true;
    if (s.late) {
      rest();
      this.#block(test);
    } else {
      this.#block(() => {
        isTested = test();
        rest();
      });
    }
    this.#around.pop();
    const isEndless = s.test === null || (s.test.op === 'const' && s.test.value) || !isTested;
    return !isEndless || around.isLeft;
  }

  /** @type {(s: import('./index.js').PrangeStmt) => boolean} */
  #prange(s) {
    this.#numbered(s);
    this.#value(s.lo, 'i64', s);
    this.#value(s.hi, 'i64', s);
    this.#around.push({ target: s, isLeft: false, allowsContinue: true });
    this.#block(() => {
      this.#ask(s.local.type === 'i64', 'the counter of a prange is no i64', s);
      this.#declare(s.local, s);
      this.#statements(s.body);
    });
    this.#around.pop();
    return true;
  }

  /** @type {(s: { id: number }) => void} */
  #numbered(s) {
    if (this.form.isNumbered) this.#ask(this.#program.loops[s.id], 'a loop has no record', s);
  }

  /** @type {(s: import('./index.js').BreakStmt | import('./index.js').ContinueStmt) => void} */
  #jump(s) {
    const at = this.#around.findLastIndex(({ target }) => target === s.target);
    this.#ask(at >= 0, `a ${s.kind} leads to what is not around it`, s);
    const around = this.#around[at];
    const crossed = this.#around.slice(s.kind === 'break' ? at : at + 1);
    this.#ask(!crossed.some(({ target }) => target.kind === 'prange'), `a ${s.kind} leaves a prange`, s);
    if (s.kind === 'break') around.isLeft = true;
    else this.#ask(around.allowsContinue, 'a continue stands outside of the body of its loop', s);
  }

  /** @type {(s: import('./index.js').ThrowStmt) => void} */
  #throw(s) {
    const site = this.#program.sites[s.site];
    this.#ask(site, 'a throw has no site', s);
    this.#ask(site.message.filter((part) => part === null).length === s.values.length, 'a throw has not the values of its message', s);
    for (const e of s.values) this.#scalar(e, s);
  }

  /** @type {(s: any) => void} a statement without jumps or lists in it */
  #simple(s) {
    switch (s.kind) {
      case 'store':
        this.#array(s.array, s);
        this.#value(s.index, 'i64', s);
        this.#value(s.value, scalarOf(s.array.dtype), s);
        if (s.valid) this.#value(s.valid, 'bool', s);
        this.#ask(s.checked || !s.valid, 'a store that is known to be in range asks for more', s);
        this.#writes(s.array, s);
        break;
      case 'call':
        this.#call(s);
        break;
      case 'parallel':
        this.#parallel(s);
        break;
      case 'alloc':
        this.#value(s.count, 'i64', s);
        this.#pointer(s);
        break;
      case 'stack':
        this.#ask(Number.isInteger(s.count) && s.count >= 0, 'memory of the stack has no constant length', s);
        this.#pointer(s);
        break;
      case 'fill':
        this.#array(s.array, s);
        this.#value(s.value, scalarOf(s.array.dtype), s);
        for (const e of [s.from, s.to]) this.#value(e, 'i64', s);
        this.#writes(s.array, s);
        break;
      case 'copy':
        for (const array of [s.target, s.source]) this.#array(array, s);
        for (const e of [s.at, s.from, s.count]) this.#value(e, 'i64', s);
        this.#writes(s.target, s);
        break;
      case 'push':
        this.#ask(this.form.hasTape, 'a push without a tape', s);
        this.#expression(s.value, s);
        break;
      case 'pop':
        this.#ask(this.form.hasTape, 'a pop without a tape', s);
        break;
      default:
        this.#broken('a statement of an unknown kind', s.kind);
    }
  }

  /** What a statement makes a pointer to. @type {(s: any) => void} */
  #pointer(s) {
    this.#ask(isElement(s.dtype) && s.local.type === `${s.dtype}*`, 'memory is of other elements than its pointer', s);
    this.#declare(s.local, s);
  }

  /** @type {(s: any, params: Local[]) => void} */
  #args(s, params) {
    this.#ask(this.funcs.has(s.callee), 'a call of what is no function of the program', s);
    this.#ask(s.args.length === params.length, 'a call has another number of arguments than parameters', s);
    s.args.forEach((/** @type {Expression} */ e, /** @type {number} */ i) => this.#value(e, params[i].type, s));
  }

  /** @type {(s: import('./index.js').CallStmt) => void} */
  #call(s) {
    this.#args(s, s.callee.params);
    for (const array of s.arrays) this.#array(array, s);
    this.#ask(s.results.length === s.callee.results.length, 'a call has another number of results than its function', s);
    s.results.forEach((local, i) => {
      this.#ask(local.type === s.callee.results[i], `${local.name} is of another type than the result`, s);
      this.#declare(local, s);
    });
  }

  /** @type {(s: import('./index.js').ParallelStmt) => void} */
  #parallel(s) {
    const { params, results } = s.callee;
    this.#numbered(s);
    this.#args(s, params.slice(0, -2));
    this.#ask(params.length >= 2 && params.slice(-2).every(({ type }) => type === 'i64'), 'the last parameters are no range', s);
    this.#ask(results.length === 0 && s.callee.throws, 'what runs in parallel gives no status alone', s);
    for (const e of [s.lo, s.hi, s.grain]) this.#value(e, 'i64', s);
  }

  // --- expressions ---

  /** @type {(array: ArrayRef, node: any) => void} */
  #array(array, node) {
    const { dtype, pointer, length, roots } = array;
    this.#ask(isElement(dtype), 'an array is of no element type', node);
    this.#ask(this.#expression(pointer, node) === `${dtype}*`, 'an array is of other elements than its pointer', node);
    let base = pointer;
    while (base.op === 'offset') base = base.args[0];
    this.#ask(base.op === 'local' || base.op === 'data' || base.op === 'nowhere', 'a pointer is no local or data with an offset', node);
    this.#value(length, 'i64', node);
    for (const root of roots) this.#ask(this.roots.has(root), 'an array has a root that is none of the program', node);
  }

  /** @type {(array: ArrayRef, node: any) => void} */
  #writes(array, node) {
    for (const root of array.roots) this.#ask(root.isWritten, `${root.name} is written, and does not say so`, node);
  }

  /** @type {(e: Expression, type: string, node: any) => void} */
  #value(e, type, node) {
    const own = this.#expression(e, node);
    if (own !== type) this.#broken(`expected ${type}, got ${own} ${this.#textOf(e)}`, node);
  }

  /** @type {(e: Expression, node: any) => string} */
  #scalar(e, node) {
    const type = this.#expression(e, node);
    this.#ask(isScalar(type), `${this.#textOf(e)} is no scalar`, node);
    return type;
  }

  /** @type {(e: Expression, node: any) => string} the type */
  #expression(e, node) {
    const isTyped = isScalar(e.type) || isPointer(e.type);
    this.#ask(isTyped && Array.isArray(e.args), 'an expression has no type or operands', e);
    switch (e.op) {
      case 'const':
        this.#constant(e, node);
        break;
      case 'local':
        this.#uses(e.local, node);
        this.#is(e, e.local.type, 0, node);
        break;
      case 'load':
        this.#load(e, node);
        break;
      case 'choose':
      case 'select':
        this.#chosen(e, node);
        break;
      case 'andalso':
      case 'orelse':
        this.#is(e, 'bool', 2, node);
        for (const arg of e.args) this.#value(arg, 'bool', node);
        break;
      case 'overflows':
        this.#is(e, 'bool', 2, node);
        this.#ask(['add', 'sub', 'mul'].includes(e.what) && INTEGERS.has(e.args[0].type), 'what cannot overflow', e);
        for (const arg of e.args) this.#value(arg, e.args[0].type, node);
        break;
      case 'data':
        this.#is(e, `${this.#program.data[e.index]?.dtype}*`, 0, node);
        break;
      case 'convert':
      case 'bitcast':
      case 'wrap':
      case 'address':
      case 'pointer':
      case 'offset':
      case 'nowhere':
        this.#cast(e, node);
        break;
      default:
        this.#operator(e, node);
    }
    return e.type;
  }

  /** @type {(e: Expression, type: string, arity: number, node: any) => void} */
  #is(e, type, arity, node) {
    this.#ask(e.args.length === arity, `${e.op} has ${e.args.length} operands, not ${arity}`, node);
    if (e.type !== type) this.#broken(`${this.#textOf(e)} says that it is ${e.type}, and is ${type}`, node);
  }

  /** @type {(e: Expression, node: any) => void} */
  #constant({ type, value, args }, node) {
    const isOne = INTEGERS.has(type)
      ? (typeof value === 'bigint' || Number.isSafeInteger(value)) && fits(type, BigInt(value))
      : type === 'bool'
        ? typeof value === 'boolean'
        : typeof value === 'number' && (type === 'f64' || Object.is(Math.fround(value), value));
    this.#ask(isOne && args.length === 0, `${String(value)} is no constant of ${type}`, node);
  }

  /** @type {(e: Expression, node: any) => void} */
  #load(e, node) {
    this.#is(e, scalarOf(e.array.dtype), 1, node);
    this.#array(e.array, node);
    this.#value(e.args[0], 'i64', node);
    if (e.valid) this.#value(e.valid, 'bool', node);
    if (e.missing) {
      this.#ask(e.missing.op === 'const', 'what is missing is no constant', node);
      this.#value(e.missing, e.type, node);
    } else this.#ask(!e.valid, 'a load that is known to be in range asks for more', node);
  }

  /** @type {(e: Expression, node: any) => void} */
  #chosen(e, node) {
    this.#is(e, e.args[1]?.type, 3, node);
    this.#value(e.args[0], 'bool', node);
    for (const arg of e.args.slice(1)) this.#value(arg, e.type, node);
  }

  /** @type {(e: Expression, node: any) => void} between types */
  #cast(e, node) {
    const from = e.args.map((arg) => this.#expression(arg, node));
    const is = (/** @type {unknown} */ holds) => this.#ask(holds, `no ${e.op} of ${from.join(' and ')} to ${e.type}`, node);
    switch (e.op) {
      case 'convert':
        return is(from.length === 1 && isScalar(from[0]) && isScalar(e.type));
      case 'bitcast':
        return is(from.length === 1 && isScalar(from[0]) && WIDTHS.get(from[0]) === WIDTHS.get(e.type));
      case 'wrap':
        return is(from.length === 1 && from[0] === 'f64' && INTEGERS.has(e.type));
      case 'address':
        return is(from.length === 1 && isPointer(from[0]) && e.type === 'i64');
      case 'pointer':
        return is(from.length === 1 && from[0] === 'i64' && isPointer(e.type));
      case 'offset':
        return is(from.length === 2 && isPointer(from[0]) && from[0] === e.type && from[1] === 'i64');
      default:
        return is(from.length === 0 && isPointer(e.type));
    }
  }

  /** @type {(e: Expression, node: any) => void} */
  #operator(e, node) {
    const [first, ...rest] = e.args.map((arg) => this.#scalar(arg, node));
    // Functions of JavaScript's Math that are no ops (emit/prelude.js).
    const isFunction = e.op.startsWith('js_');
    const row = OPS.get(e.op);
    if (!row && !isFunction) this.#broken(`there is no op ${e.op}`, node);
    this.#ask(isFunction ? first === 'f64' : row && ACCEPTS[row.accepts](first), `${e.op} does not take ${first}`, node);
    this.#ask(rest.every((type) => type === first), `${e.op} of ${[first, ...rest].join(' and ')}`, node);
    this.#is(e, TRUTHS.has(e.op) ? 'bool' : first, row ? row.arity : e.args.length, node);
  }
}

/**
 * Throws where a program breaks a rule, with the pass that left it so, the function and the node.
 *
 * @param {Program} program
 * @param {string} after a pass
 * @param {Form} [form]
 */
function verify(program, after, form = {}) {
  new Verifier(program, after, form).verify();
}

module.exports = { verify };
