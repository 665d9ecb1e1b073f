/**
 * A program of TIR as text, for people and tests.
 *
 * It reads like Loop IR, with what only TIR has: loops with their parts and numbers, accesses that say what they give
 * out of range, what may alias. Nothing reads it back.
 *
 *   let s: f64 = 0:f64             a local that nobody sets again; `var` may be set
 *   load(a[i])                     an element that is known to be there
 *   load(a[i] < n else nan:f64)    an element, or that where i is not below n (or negative, or `if` its test is false)
 *   a[i] = x                       a store that is known to be in range
 *   a[i] < n = x                   a store where i is below n
 *   L0: loop for #2.1 {            the first loop of its function, made of loop 2 of the program, its version 1
 *   a@0,3[i]                       of an array that may be of these roots, where it is not of the one of its name
 *
 * Names come again with a number where several locals of a function have one.
 */
'use strict';

const { baseOf } = require('./walk.js');

/** @typedef {import('./index.js').Expression} Expression */
/** @typedef {import('./index.js').Statement} Statement */
/** @typedef {import('./index.js').ArrayRef} ArrayRef */
/** @typedef {import('./index.js').Local} Local */
/** @typedef {import('./index.js').Func} Func */
/** @typedef {import('./index.js').Program} Program */

const STEP = '  ';

/** @type {(value: number | bigint | boolean, type: string) => string} */
function constantText(value, type) {
  if (type === 'bool') return String(value);
  const number = Object.is(value, -0) ? '-0' : String(value).replace('Infinity', 'inf').replace('NaN', 'nan');
  return type === 'i64' ? number : `${number}:${type}`;
}

/** The text of one function while it is made. */
class Printer {
  /** @type {string[]} */
  lines = [];
  /** @type {Map<object, string>} */
  #names = new Map();
  /** @type {Map<string, number>} */
  #taken = new Map();
  #labels = 0;

  /** @type {(local: Local) => string} */
  name(local) {
    const known = this.#names.get(local);
    if (known !== undefined) return known;
    const count = this.#taken.get(local.name) ?? 0;
    this.#taken.set(local.name, count + 1);
    const made = count === 0 ? local.name : `${local.name}'${count}`;
    this.#names.set(local, made);
    return made;
  }

  /** @type {(target: Statement | undefined) => string} of a loop or block */
  label(target) {
    if (target === undefined) return '?';
    const made = this.#names.get(target) ?? `L${this.#labels++}`;
    this.#names.set(target, made);
    return made;
  }

  // --- expressions ---

  /** @type {(list: Expression[]) => string} */
  list(list) {
    return list.map((e) => this.expression(e)).join(', ');
  }

  /** An element, and up to where there are some if that is asked. @type {(array: ArrayRef, index: Expression, isChecked: boolean, valid: Expression | null) => string} */
  element(array, index, isChecked, valid) {
    const bound = isChecked ? ` < ${this.expression(array.length)}` : '';
    return `${this.array(array)}[${this.expression(index)}]${bound}${valid ? ` if ${this.expression(valid)}` : ''}`;
  }

  /** @type {(array: ArrayRef) => string} */
  array({ dtype, pointer, roots }) {
    const own = baseOf(pointer)?.name;
    const isNamed = pointer.op === 'data' || (roots.length === 1 && roots[0].name === own);
    const cast = pointer.type === `${dtype}*` ? '' : `:${dtype}`;
    return `${this.expression(pointer)}${cast}${isNamed ? '' : `@${roots.map(({ id }) => id).join()}`}`;
  }

  /** @type {(e: Expression) => string} */
  expression(e) {
    switch (e.op) {
      case 'const':
        return constantText(e.value, e.type);
      case 'local':
        return this.name(e.local);
      case 'load': {
        const head = e.type === e.array.dtype ? 'load' : `load<${e.type}>`;
        const missing = e.missing ? ` else ${this.expression(e.missing)}` : '';
        return `${head}(${this.element(e.array, e.args[0], e.missing !== null, e.valid)}${missing})`;
      }
      case 'overflows':
        return `overflows ${e.what}(${this.list(e.args)})`;
      case 'data':
        return `data<${e.index}>`;
      case 'convert':
      case 'bitcast':
      case 'wrap':
      case 'pointer':
      case 'nowhere':
        return `${e.op}<${e.op === 'pointer' || e.op === 'nowhere' ? e.type.slice(0, -1) : e.type}>(${this.list(e.args)})`;
      default:
        return `${e.op}(${this.list(e.args)})`;
    }
  }

  // --- statements ---

  /** @type {(text: string, depth: number) => void} */
  line(text, depth) {
    this.lines.push(STEP.repeat(depth) + text);
  }

  /** @type {(head: string, body: Statement[], depth: number) => void} a list of statements in braces */
  braces(head, body, depth) {
    this.line(`${head} {`, depth);
    for (const s of body) this.statement(s, depth + 1);
    this.line('}', depth);
  }

  /** @type {(s: any, depth: number) => void} */
  statement(s, depth) {
    switch (s.kind) {
      case 'if':
        this.line(`if ${this.expression(s.test)} {`, depth);
        for (const inner of s.then) this.statement(inner, depth + 1);
        if (s.otherwise.length > 0) this.line('} else {', depth);
        for (const inner of s.otherwise) this.statement(inner, depth + 1);
        this.line('}', depth);
        break;
      case 'loop':
        this.line(`${this.label(s)}: loop ${s.form ?? ''}${s.late ? ' late' : ''} ${number(s)} {`.replace(/ +/gu, ' '), depth);
        if (s.before.length > 0) this.braces('before', s.before, depth + 1);
        if (s.test) this.line(`test ${this.expression(s.test)}`, depth + 1);
        for (const inner of s.body) this.statement(inner, depth + 1);
        if (s.update.length > 0) this.braces('update', s.update, depth + 1);
        this.line('}', depth);
        break;
      case 'prange': {
        const range = `${this.expression(s.lo)} to ${this.expression(s.hi)}`;
        this.braces(`${this.label(s)}: prange ${this.name(s.local)} = ${range} ${number(s)}`, s.body, depth);
        break;
      }
      case 'block':
        this.braces(`${this.label(s)}: block`, s.body, depth);
        break;
      default:
        this.line(this.simple(s), depth);
    }
  }

  /** @type {(s: any) => string} a statement without statements in it */
  simple(s) {
    switch (s.kind) {
      case 'let':
        return `${s.local.isSet ? 'var' : 'let'} ${this.name(s.local)}: ${s.local.type} = ${this.expression(s.value)}`;
      case 'set':
        return `${this.name(s.local)} = ${this.expression(s.value)}`;
      case 'store':
        return `${this.element(s.array, s.index, s.checked, s.valid)} = ${this.expression(s.value)}`;
      case 'break':
      case 'continue':
        return `${s.kind} ${this.label(s.target)}`;
      case 'return':
        return `return ${this.list(s.values)}`.trimEnd();
      case 'throw':
        return `throw site ${s.site}(${this.list(s.values)})`;
      case 'call': {
        const results = s.results.map((/** @type {Local} */ local) => `${this.name(local)}: ${local.type}`);
        return `${results.length > 0 ? `let ${results.join(', ')} = ` : ''}call ${s.callee.name}(${this.list(s.args)})`;
      }
      case 'parallel': {
        const range = `${this.expression(s.lo)} to ${this.expression(s.hi)} grain ${this.expression(s.grain)}`;
        return `parallel ${s.callee.name}(${this.list(s.args)}) over ${range} ${number(s)}`;
      }
      case 'alloc':
        return `let ${this.name(s.local)}: ${s.local.type} = alloc<${s.dtype}>(${this.expression(s.count)})${s.escapes ? ' escapes' : ''}`;
      case 'stack':
        return `let ${this.name(s.local)}: ${s.local.type} = stack<${s.dtype}>(${s.count})`;
      case 'fill':
        return `fill ${this.array(s.array)}[${this.expression(s.from)} to ${this.expression(s.to)}] = ${this.expression(s.value)}`;
      case 'copy': {
        const source = `${this.array(s.source)}[${this.expression(s.from)}]`;
        return `copy ${this.array(s.target)}[${this.expression(s.at)}] = ${source} count ${this.expression(s.count)}`;
      }
      case 'push':
        return `push ${this.expression(s.value)}`;
      case 'pop':
        return `pop ${this.name(s.local)}`;
      default:
        return s.kind;
    }
  }

  /** @type {(func: Func, entry: Func | null) => void} */
  func(func, entry) {
    const params = func.params.map(
      (param) => `${this.name(param)}: ${param.type}${func.apart?.has(param) ? ' noalias' : ''}${param.isSet ? ' set' : ''}`,
    );
    const results = func.results.length > 0 ? ` -> ${func.results.join(', ')}` : '';
    const facts = `${func.throws ? ' status' : ''}${func.isRecursive ? ' recursive' : ''}`;
    this.braces(`${func === entry ? 'entry ' : ''}func ${func.name}(${params.join(', ')})${results}${facts}`, func.body, 1);
  }
}

/** Which loop of the program, and which version of it. @type {(s: { id: number, variant?: number }) => string} */
const number = ({ id, variant }) => (id < 0 ? '' : `#${id}${variant === undefined ? '' : `.${variant}`}`);

/** @type {(root: import('./index.js').Root) => string} */
const rootText = ({ id, kind, name, isWritten }) => `root ${id}: ${kind} ${name}${isWritten ? ' written' : ''}`;

/** @type {(site: import('./index.js').Site, i: number) => string} */
const siteText = ({ type, message }, i) =>
  `site ${i}: ${type} ${JSON.stringify(message.map((part) => part ?? '…').join(''))}`;

/**
 * @param {Program} program
 * @returns {string}
 */
function print({ name, entry, funcs, roots, sites, data }) {
  const lines = [
    ...roots.map(rootText),
    ...data.map(({ dtype, values }, i) => `data ${i}: ${dtype}[${values.length}]`),
    ...sites.map(siteText),
  ].map((line) => STEP + line);
  for (const func of funcs) {
    const printer = new Printer();
    printer.func(func, entry);
    lines.push(...printer.lines);
  }
  return `program ${JSON.stringify(name)} {\n${lines.join('\n')}\n}\n`;
}

module.exports = { Printer, print };
