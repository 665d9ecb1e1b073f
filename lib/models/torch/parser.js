/**
 * The code of a script: the subset of Python that PyTorch prints, as a tree.
 *
 * A file has classes (attributes with types, methods) and functions. Statements are assignments, `if`, `while`, `for`
 * over a range, `return`, `pass` and calls. Text is read once, line by line, with the depth of expressions and of
 * blocks bounded; what PyTorch never prints is an error.
 */
'use strict';

const { fail } = require('../../base/errors.js');

/**
 * @typedef {{ kind: 'name', name: string } | { kind: 'constant', value: any } | { kind: 'attribute', of: Expression, name: string }
 *   | { kind: 'call', callee: Expression, args: Expression[], named: [string, Expression][] } | { kind: 'index', of: Expression, index: Expression }
 *   | { kind: 'slice', parts: (Expression | null)[] } | { kind: 'list' | 'tuple', items: Expression[] } | { kind: 'dict', pairs: [Expression, Expression][] }
 *   | { kind: 'choice', test: Expression, yes: Expression, no: Expression } | { kind: 'and' | 'or', left: Expression, right: Expression }} Expression
 */
/**
 * @typedef {{ line: number } & ({ kind: 'assign', targets: Expression[], value: Expression } | { kind: 'if', test: Expression, yes: Statement[], no: Statement[] }
 *   | { kind: 'while', test: Expression, body: Statement[] } | { kind: 'for', target: Expression, over: Expression, body: Statement[] }
 *   | { kind: 'return', value: Expression | null } | { kind: 'evaluate', value: Expression })} Statement
 */
/** @typedef {{ name: string, type: Expression | null, initial: Expression | null }} Parameter */
/** @typedef {{ name: string, parameters: Parameter[], returns: Expression | null, body: Statement[], file: string }} FunctionTree */
/** @typedef {{ name: string, base: string, fields: Map<string, Expression>, constants: Map<string, Expression>, methods: Map<string, FunctionTree> }} ClassTree */
/** @typedef {{ classes: Map<string, ClassTree>, functions: Map<string, FunctionTree> }} FileTree */
/** @typedef {{ kind: 'name' | 'number' | 'string' | 'sign' | 'line' | 'indent' | 'dedent' | 'end', text: string, line: number }} Token */

/** Expressions and blocks are nested no deeper. */
const MAX_DEPTH = 200;

const TOKEN = /\s*(?:([A-Za-z_]\w*)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([bur]?"(?:[^"\\\n]|\\.)*"|[bur]?'(?:[^'\\\n]|\\.)*')|(->|\*\*|\/\/|==|!=|<=|>=|[-+*/%<>=()[\]{},.:|&@;]))/y;

/** @type {(text: string, what: string) => Token[]} */
function tokenize(text, what) {
  /** @type {Token[]} */
  const tokens = [];
  const indents = [0];
  let open = 0;
  let line = 0;
  for (const source of text.split('\n')) {
    line++;
    const code = source.trimEnd();
    if (/^\s*(#.*)?$/.test(code)) continue;
    if (open === 0) indentTo(code.length - code.trimStart().length, indents, tokens, line);
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < code.length) {
      const at = TOKEN.lastIndex;
      const found = TOKEN.exec(code);
      if (found === null) {
        if (/^\s*#/.test(code.slice(at))) break;
        return fail('ERR_PARSE', `${what}:${line}: ${JSON.stringify(code.slice(at, at + 20))} is no part of a script`);
      }
      const kind = found[1] ? 'name' : found[2] ? 'number' : found[3] ? 'string' : 'sign';
      const own = found[1] ?? found[2] ?? found[3] ?? found[4];
      if (own === '(' || own === '[' || own === '{') open++;
      if (own === ')' || own === ']' || own === '}') open--;
      tokens.push({ kind, text: own, line });
    }
    if (open === 0) tokens.push({ kind: 'line', text: '', line });
  }
  indentTo(0, indents, tokens, line);
  tokens.push({ kind: 'end', text: '', line });
  return tokens;
}

/** @type {(width: number, indents: number[], tokens: Token[], line: number) => void} */
function indentTo(width, indents, tokens, line) {
  if (width > /** @type {number} */ (indents.at(-1))) {
    indents.push(width);
    tokens.push({ kind: 'indent', text: '', line });
  }
  while (width < /** @type {number} */ (indents.at(-1))) {
    indents.pop();
    tokens.push({ kind: 'dedent', text: '', line });
  }
}

const ESCAPES = /** @type {Record<string, string>} */ ({ n: '\n', t: '\t', r: '\r', 0: '\0', a: '\x07', b: '\b', f: '\f', v: '\v' });

/** @type {(literal: string) => string} */
const unquote = (literal) =>
  literal.replace(/^[bur]?["']|["']$/g, '').replace(/\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|[\s\S])/g, (_, code) => {
    if (code[0] === 'x') return String.fromCharCode(parseInt(code.slice(1), 16));
    if (/^[0-7]+$/.test(code)) return String.fromCharCode(parseInt(code, 8));
    return ESCAPES[code] ?? code;
  });

/** Functions of operators, by how tightly they bind. @type {readonly Readonly<Record<string, string>>[]} */
const OPERATORS = [
  { '==': 'eq', '!=': 'ne', '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' },
  { '|': '__or__' }, { '&': '__and__' },
  { '+': 'add', '-': 'sub' },
  { '*': 'mul', '/': 'div', '//': 'floordiv', '%': 'remainder', '@': 'matmul' },
];

/** @type {(name: string) => Expression} */
const torchName = (name) => ({ kind: 'attribute', of: { kind: 'name', name: 'torch' }, name });

const CONSTANTS = /** @type {Record<string, any>} */ ({ True: true, False: false, None: null, inf: Infinity, nan: NaN });

class Parser {
  #tokens;
  #what;
  #at = 0;
  #depth = 0;

  /**
   * @param {string} text
   * @param {string} what the file, for messages
   */
  constructor(text, what) {
    this.#tokens = tokenize(text, what);
    this.#what = what;
  }

  get #next() {
    return this.#tokens[this.#at];
  }

  /** @type {(wanted: string) => never} */
  #fail(wanted) {
    const { line, text, kind } = this.#next;
    return fail('ERR_PARSE', `${this.#what}:${line}: expected ${wanted}, got ${text === '' ? `the ${kind} of the line` : JSON.stringify(text)}`);
  }

  /** @type {(text: string) => boolean} */
  #is(text) {
    const { kind, text: own } = this.#next;
    return own === text && (kind === 'sign' || kind === 'name');
  }

  /** @type {(text: string) => boolean} */
  #skip(text) {
    if (!this.#is(text)) return false;
    this.#at++;
    return true;
  }

  /** @type {(text: string) => void} */
  #need(text) {
    if (!this.#skip(text)) this.#fail(`'${text}'`);
  }

  /** @type {(kind: Token['kind']) => string} */
  #take(kind) {
    if (this.#next.kind !== kind) return this.#fail(kind === 'name' ? 'a name' : `the ${kind} of a block or line`);
    return this.#tokens[this.#at++].text;
  }

  /**
   * @template T
   * @param {() => T} read
   * @returns {T}
   */
  #deeper(read) {
    if (++this.#depth > MAX_DEPTH) fail('ERR_PARSE', `${this.#what}:${this.#next.line}: it is nested more than ${MAX_DEPTH} deep`);
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }

  // -------------------------------------------------------------------------------- expressions

  /** @returns {Expression} */
  #expression() {
    return this.#deeper(() => {
      const yes = this.#either();
      if (!this.#skip('if')) return yes;
      const test = this.#either();
      this.#need('else');
      return { kind: 'choice', test, yes, no: this.#expression() };
    });
  }

  /** @returns {Expression} */
  #either() {
    let left = this.#both();
    while (this.#skip('or')) left = { kind: 'or', left, right: this.#both() };
    return left;
  }

  /** @returns {Expression} */
  #both() {
    let left = this.#negated();
    while (this.#skip('and')) left = { kind: 'and', left, right: this.#negated() };
    return left;
  }

  /** @returns {Expression} */
  #negated() {
    if (!this.#skip('not')) return this.#binary(0);
    return { kind: 'call', callee: torchName('__not__'), args: [this.#deeper(() => this.#negated())], named: [] };
  }

  /** @type {(level: number) => Expression} */
  #binary(level) {
    if (level === OPERATORS.length) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const name = this.#next.kind === 'sign' && Object.hasOwn(OPERATORS[level], this.#next.text) ? OPERATORS[level][this.#next.text] : undefined;
      if (name === undefined) return left;
      this.#at++;
      left = { kind: 'call', callee: torchName(name), args: [left, this.#binary(level + 1)], named: [] };
    }
  }

  /** @returns {Expression} */
  #unary() {
    if (!this.#skip('-')) return this.#power();
    const of = this.#deeper(() => this.#unary());
    if (of.kind === 'constant' && (typeof of.value === 'bigint' || typeof of.value === 'number')) return { kind: 'constant', value: -of.value };
    return { kind: 'call', callee: torchName('neg'), args: [of], named: [] };
  }

  /** @returns {Expression} */
  #power() {
    const base = this.#postfix(this.#atom());
    if (!this.#skip('**')) return base;
    return { kind: 'call', callee: torchName('pow'), args: [base, this.#deeper(() => this.#unary())], named: [] };
  }

  /** @type {(start: Expression) => Expression} */
  #postfix(start) {
    let of = start;
    for (;;) {
      if (this.#skip('.')) of = { kind: 'attribute', of, name: this.#take('name') };
      else if (this.#skip('(')) of = this.#call(of);
      else if (this.#skip('[')) {
        of = { kind: 'index', of, index: this.#index() };
        this.#need(']');
      } else return of;
    }
  }

  /** @returns {Expression} */
  #index() {
    /** @type {Expression[]} */
    const items = [];
    let comma = false;
    while (!this.#is(']')) {
      items.push(this.#sliced());
      if (!this.#skip(',')) break;
      comma = true;
    }
    return items.length === 1 && !comma ? items[0] : { kind: 'tuple', items };
  }

  /** @returns {Expression} */
  #sliced() {
    const first = this.#is(':') ? null : this.#expression();
    if (!this.#is(':')) return /** @type {Expression} */ (first);
    const parts = [first];
    while (this.#skip(':')) parts.push(this.#is(':') || this.#is(']') || this.#is(',') ? null : this.#expression());
    return { kind: 'slice', parts };
  }

  /** @type {(callee: Expression) => Expression} */
  #call(callee) {
    /** @type {Expression[]} */
    const args = [];
    /** @type {[string, Expression][]} */
    const named = [];
    while (!this.#is(')')) {
      const after = this.#tokens[this.#at + 1];
      if (this.#next.kind === 'name' && after.kind === 'sign' && after.text === '=') {
        const name = this.#take('name');
        this.#need('=');
        named.push([name, this.#expression()]);
      } else args.push(this.#expression());
      if (!this.#skip(',')) break;
    }
    this.#need(')');
    return { kind: 'call', callee, args, named };
  }

  /** @returns {Expression} */
  #atom() {
    const { kind, text } = this.#next;
    if (kind === 'number') {
      this.#at++;
      return { kind: 'constant', value: /^\d+$/.test(text) ? BigInt(text) : Number(text) };
    }
    if (kind === 'string') return this.#strings();
    if (kind === 'name') {
      this.#at++;
      return Object.hasOwn(CONSTANTS, text) ? { kind: 'constant', value: CONSTANTS[text] } : { kind: 'name', name: text };
    }
    if (this.#skip('(')) return this.#group();
    if (this.#skip('[')) return { kind: 'list', items: this.#items(']') };
    if (this.#skip('{')) return this.#dict();
    return this.#fail('an expression');
  }

  /** @returns {Expression} literals side by side are one */
  #strings() {
    let value = '';
    while (this.#next.kind === 'string') value += unquote(this.#take('string'));
    return { kind: 'constant', value };
  }

  /** @returns {Expression} */
  #group() {
    if (this.#skip(')')) return { kind: 'tuple', items: [] };
    const first = this.#expression();
    if (this.#skip(')')) return first;
    this.#need(',');
    return { kind: 'tuple', items: [first, ...this.#items(')')] };
  }

  /** @type {(end: string) => Expression[]} */
  #items(end) {
    /** @type {Expression[]} */
    const items = [];
    while (!this.#is(end)) {
      items.push(this.#expression());
      if (!this.#skip(',')) break;
    }
    this.#need(end);
    return items;
  }

  /** @returns {Expression} */
  #dict() {
    /** @type {[Expression, Expression][]} */
    const pairs = [];
    while (!this.#is('}')) {
      const key = this.#expression();
      this.#need(':');
      pairs.push([key, this.#expression()]);
      if (!this.#skip(',')) break;
    }
    this.#need('}');
    return { kind: 'dict', pairs };
  }

  // --------------------------------------------------------------------------------- statements

  /** @returns {Statement[]} */
  #block() {
    return this.#deeper(() => {
      this.#need(':');
      this.#take('line');
      this.#take('indent');
      const body = [];
      while (this.#next.kind !== 'dedent') {
        const statement = this.#statement();
        if (statement !== undefined) body.push(statement);
      }
      this.#at++;
      return body;
    });
  }

  /** @returns {Statement | undefined} */
  #statement() {
    const { line } = this.#next;
    if (this.#skip('if')) return { line, ...this.#if() };
    if (this.#skip('while')) return { line, kind: 'while', test: this.#expression(), body: this.#block() };
    if (this.#skip('for')) {
      const target = this.#targets()[0];
      this.#need('in');
      return { line, kind: 'for', target, over: this.#expression(), body: this.#block() };
    }
    const simple = this.#simple(line);
    this.#take('line');
    return simple;
  }

  /** @returns {{ kind: 'if', test: Expression, yes: Statement[], no: Statement[] }} */
  #if() {
    const test = this.#expression();
    const yes = this.#block();
    if (this.#is('elif')) {
      const { line } = this.#next;
      this.#at++;
      return { kind: 'if', test, yes, no: [{ line, ...this.#deeper(() => this.#if()) }] };
    }
    return { kind: 'if', test, yes, no: this.#skip('else') ? this.#block() : [] };
  }

  /** @type {(line: number) => Statement | undefined} */
  #simple(line) {
    if (this.#skip('pass')) return undefined;
    if (this.#skip('return')) return { line, kind: 'return', value: this.#next.kind === 'line' ? null : this.#tupleOf(this.#targets()) };
    const first = this.#targets();
    if (this.#skip(':')) this.#expression(); // the type of a variable
    if (!this.#skip('=')) return { line, kind: 'evaluate', value: this.#tupleOf(first) };
    return { line, kind: 'assign', targets: first, value: this.#tupleOf(this.#targets()) };
  }

  /** Expressions with commas between them; a comma at the end makes a tuple of one. @returns {Expression[]} */
  #targets() {
    const items = [this.#expression()];
    let comma = false;
    while (this.#skip(',')) {
      comma = true;
      if (this.#is('=') || this.#is('in') || this.#next.kind === 'line') break;
      items.push(this.#expression());
    }
    return comma && items.length === 1 ? [{ kind: 'tuple', items }] : items;
  }

  /** @type {(items: Expression[]) => Expression} */
  #tupleOf(items) {
    return items.length === 1 ? items[0] : { kind: 'tuple', items };
  }

  // -------------------------------------------------------------------------------- definitions

  /** @returns {FunctionTree} */
  #function() {
    this.#need('def');
    const name = this.#take('name');
    this.#need('(');
    /** @type {Parameter[]} */
    const parameters = [];
    while (!this.#is(')')) {
      if (this.#skip('*')) {
        if (!this.#skip(',')) this.#fail("','");
        continue;
      }
      const parameter = this.#take('name');
      const type = this.#skip(':') ? this.#expression() : null;
      parameters.push({ name: parameter, type, initial: this.#skip('=') ? this.#expression() : null });
      if (!this.#skip(',')) break;
    }
    this.#need(')');
    const returns = this.#skip('->') ? this.#expression() : null;
    return { name, parameters, returns, body: this.#block(), file: this.#what };
  }

  /** @returns {ClassTree} */
  #class() {
    this.#need('class');
    const name = this.#take('name');
    const base = this.#skip('(') ? this.#take('name') : '';
    if (base !== '') this.#need(')');
    /** @type {ClassTree} */
    const tree = { name, base, fields: new Map(), constants: new Map(), methods: new Map() };
    this.#need(':');
    this.#take('line');
    this.#take('indent');
    while (this.#next.kind !== 'dedent') this.#member(tree);
    this.#at++;
    return tree;
  }

  /** @type {(tree: ClassTree) => void} */
  #member(tree) {
    if (this.#is('def')) {
      const method = this.#function();
      tree.methods.set(method.name, method);
      return;
    }
    if (!this.#skip('pass')) this.#field(tree);
    this.#take('line');
  }

  /** An attribute with its type, a constant with its value. @type {(tree: ClassTree) => void} */
  #field(tree) {
    const target = this.#postfix(this.#atom());
    const type = this.#skip(':') ? this.#expression() : null;
    const value = this.#skip('=') ? this.#expression() : null;
    if (target.kind === 'name') {
      if (type !== null) tree.fields.set(target.name, type);
      if (value !== null) tree.constants.set(target.name, value);
    } else if (target.kind === 'index' && target.index.kind === 'constant' && value !== null) {
      tree.fields.set(String(target.index.value), value); // __annotations__["0"] = type
    } else this.#fail('an attribute');
  }

  /** @returns {FileTree} */
  file() {
    /** @type {FileTree} */
    const tree = { classes: new Map(), functions: new Map() };
    while (this.#next.kind !== 'end') {
      if (this.#is('class')) {
        const own = this.#class();
        tree.classes.set(own.name, own);
      } else if (this.#is('def')) {
        const own = this.#function();
        tree.functions.set(own.name, own);
      } else if (this.#is('op_version_set') || this.#is('import') || this.#is('from')) {
        while (this.#next.kind !== 'line') this.#at++;
        this.#at++;
      } else this.#fail("'class' or 'def'");
    }
    return tree;
  }
}

/** @type {(text: string, what: string) => FileTree} */
const parseScript = (text, what) => new Parser(text, what).file();

module.exports = { parseScript };
