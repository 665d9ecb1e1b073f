/**
 * From the tree of an expression and the fields of a table to the graph of a kernel: names and functions are resolved,
 * types found, casts put in, nulls made explicit.
 *
 * What depends on one dictionary column alone, not on the row, and cannot fail, is *lifted*: it is computed for the
 * values of the dictionary, of which there are few, and looked up for rows. Row 0 of what is computed belongs to null,
 * so that index + 1 finds it for values and 0 for nulls, whatever the expression makes of a null.
 *
 * First operands of calls and casts are walked without recursion: there are sums of ten thousand terms.
 */
'use strict';

const { GraphError, fail } = require('../../base/errors.js');
const { nearest } = require('../../base/check.js');
const { aggregateName } = require('../functions/aggregates.js');
const { castOf, castValue } = require('../functions/cast.js');
const { apartDecimals, choose, inRange, literalFits, together } = require('../functions/signature.js');
const { functions } = require('../functions/index.js');
const { equal } = require('../functions/logic.js');
const { Dag } = require('../kernel/dag.js');
const { inSet, lookedUp } = require('../kernel/sets.js');
const { adviceOnName } = require('../language/complaint.js');
const { print } = require('../language/print.js');
const { lengthFromName, typeFromName } = require('../types/names.js');
const types = require('../types/index.js');
const { repOf } = require('../types/representation.js');
const { Context } = require('./context.js');
const { symbolsIn, textTable } = require('./names.js');
const { gathered } = require('./equalities.js');
const { literalNode, typeOfLiteral, zeroOf } = require('./literals.js');
const { locatedAt } = require('./located.js');

/** @typedef {import('../language/ast.js').Node} Ast */
/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('./context.js').Typed} Typed */
/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('./context.js').Policies} Policies */
/**
 * `nullValues`: whether a value of a dictionary may be null; if nobody says, it may where a row may.
 *
 * @typedef {{ name: string, type: DataType, layout: string, nullable: boolean, nullValues?: boolean, index?: string, unsupported?: string }} Field
 */

/**
 * `index`: of lifted ones, the dictionary column. `name`: of the tables that a run has to give.
 *
 * @typedef {{ name: string, column: string, ast: Ast, type: DataType, nullable: boolean }} Lifted
 */

/** @type {Record<string, (types: readonly DataType[]) => string>} operators that mean what their operands are */
const BY_TYPE = {
  '&': (args) => (args.some(isTruth) ? 'and' : 'bitwise_and'),
  '|': (args) => (args.some(isTruth) ? 'or' : 'bitwise_or'),
  '^': (args) => (args.some(isTruth) ? 'xor' : 'bitwise_xor'),
  '~': (args) => (args.some(isTruth) ? 'not' : 'bitwise_not'),
  '||': (args) => (args.some(isTruth) ? 'or' : 'concatoperator'),
};
const isTruth = (/** @type {DataType} */ { kind }) => kind === 'bool';

/** What a call or a cast begins with; null for other kinds. @type {(ast: any) => Ast | null} */
const firstOf = ({ kind, args, value }) => (kind === 'cast' ? value : kind === 'call' ? (args[0] ?? null) : null);

/** What to write where timestamps with and without a zone meet. @type {(args: readonly Typed[], asts: readonly any[]) => string} */
function zoneAdvice(args, asts) {
  const isZoned = args.some(({ type }) => type.zone !== undefined);
  const plain = args.findIndex(({ type }) => type.kind === 'timestamp' && type.zone === undefined);
  if (!isZoned || plain < 0) return '';
  const name = ['parameter', 'name'].includes(asts[plain].kind) ? print(asts[plain]) : 'x';
  return `; if the one without a zone is in UTC, write cast(${name} as timestamp[${args[plain].type.unit}, UTC])`;
}

/** Levels of operands inside each other, but for first ones: what the call stack has room for. */
const DEEPEST = 500;

/** Kinds of what can be a condition. */
const CONDITIONS = new Set(['bool', 'int', 'float', 'null']);

/** What is known of an expression. @typedef {{ type: DataType, nullable: boolean, how?: string }} Note */

/** @type {Record<string, string>} */
const NULLS = { intersect: 'null if an operand is', own: 'sees nulls itself' };

class Analyser {
  /** What has been found, for the rows that were asked for. @type {Map<Ast, { guard: import('../kernel/dag.js').Node | null, typed: Typed }>} */
  #known = new Map();
  #depth = 0;

  /**
   * @param {ReadonlyMap<string, Field>} fields
   * @param {{ text: string, policies: Policies, parameters: ReadonlyMap<string, DataType>, lift?: boolean, functions?: ReadonlyMap<string, import('../functions/signature.js').FunctionRow> }} options
   */
  constructor(fields, options) {
    this.fields = fields;
    this.options = options;
    this.dag = new Dag();
    this.context = new Context(this.dag, options.policies, (place, message, code) =>
      this.refuse(/** @type {Ast} */ (place), message, code),
    );
    /** @type {Lifted[]} */
    this.lifted = [];
    /** Columns that are read. @type {Set<string>} */
    this.columns = new Set();
    /** For people. @type {Map<Ast, Note>} */
    this.notes = new Map();
    /** @type {string[]} */
    this.parameters = [...options.parameters.keys()];
  }

  /** @type {(ast: Ast, message: string, code?: import('../../base/errors.js').ErrorCode) => never} */
  refuse(ast, message, code = 'ERR_DTYPE') {
    return fail(code, locatedAt(this.options.text, ast, message));
  }

  /** @type {(ast: Ast) => Typed} */
  typed(ast) {
    const known = this.#known.get(ast);
    // Trees share operands, such as that of `between`.
    if (known !== undefined && known.guard === this.context.guard) return known.typed;
    const { guard } = this.context;
    if (++this.#depth > DEEPEST) return this.refuse(ast, `expressions are nested more than ${DEEPEST} deep`, 'ERR_ARGUMENT');
    const typed = this.#fresh(gathered(ast));
    this.#depth--;
    this.#known.set(ast, { guard, typed });
    return typed;
  }

  /** @type {(ast: Ast) => Typed} */
  #fresh(ast) {
    const spine = [];
    let node = ast;
    for (let first = firstOf(node); first !== null && this.#liftable(node) === null; first = firstOf(node)) {
      spine.push(node);
      node = first;
    }
    let left = this.#note(node, this.#single(node));
    for (const each of spine.reverse()) left = this.#note(each, this.#over(each, left));
    return left;
  }

  /** @type {(ast: Ast, typed: Typed) => Typed} */
  #note(ast, typed) {
    const { how } = this.notes.get(ast) ?? {};
    this.notes.set(ast, { type: typed.type, nullable: typed.valid !== null, how });
    return typed;
  }

  /** Says how an expression is computed. @type {(ast: Ast, how: string) => void} */
  #say(ast, how) {
    this.notes.set(ast, { type: types.none, nullable: false, how });
  }

  /** A call or a cast whose first operand is known. @type {(ast: any, first: Typed) => Typed} */
  #over(ast, first) {
    return ast.kind === 'cast' ? this.#cast(ast, first) : this.#call(ast, this.#args(ast, first));
  }

  /** The rows for which an operand does not decide what the call is, and the next one is asked for; null: all. @type {(call: any, operand: Typed) => import('../kernel/dag.js').Node | null} */
  #askedAfter(call, { type, value, valid }) {
    const { dag } = this;
    const name = this.#nameOf(call.name, [type]);
    if (functions.get(name)?.name === 'coalesce') return valid === null ? dag.constant(false, 'bool') : dag.not(valid);
    if ((name !== 'and' && name !== 'or') || type.kind !== 'bool') return null;
    const open = name === 'and' ? value : dag.not(value);
    return valid === null ? open : dag.or(open, dag.not(valid));
  }

  /** @type {(call: any, first: Typed) => Typed[]} */
  #args(call, first) {
    const outer = this.context.guard;
    const args = call.args.map((/** @type {Ast} */ arg, /** @type {number} */ i) => {
      const typed = i === 0 ? first : this.typed(arg);
      const isLast = i === call.args.length - 1;
      if (!isLast) this.context.guard = this.context.all([this.context.guard, this.#askedAfter(call, typed)]);
      return typed;
    });
    this.context.guard = outer;
    return args;
  }

  /** @type {(ast: Ast) => Typed} */
  #single(ast) {
    const column = this.#liftable(ast);
    const lifted = column === null ? null : this.#lift(ast, column);
    if (lifted !== null) return lifted;
    switch (ast.kind) {
      case 'literal':
        return this.#literal(ast);
      case 'name':
        return this.#column(ast);
      case 'parameter':
        return this.#parameter(ast);
      case 'in':
        return this.#in(ast);
      case 'case':
        return this.#case(ast);
      default:
        return firstOf(ast) === null ? this.#call(ast, []) : this.#over(ast, this.typed(/** @type {Ast} */ (firstOf(ast))));
    }
  }

  // --- leaves ---

  /** @type {(ast: any) => Typed} */
  #literal(ast) {
    const type = typeOfLiteral(ast, (message) => this.refuse(ast, message, 'ERR_PARSE'));
    return this.#constant(ast.value, type, ast);
  }

  /** @type {(value: any, type: DataType, ast: Ast) => Typed} */
  #constant(value, type, ast) {
    const { dag } = this;
    if (type.kind === 'null' || value === null) {
      return { type, value: zeroOf(dag, type), valid: dag.constant(false, 'bool'), literal: null };
    }
    const node = literalNode(dag, value, type, (message) => this.refuse(ast, message, typeof value === 'string' ? 'ERR_PARSE' : 'ERR_DTYPE'));
    return { type, value: node, valid: null, literal: value, place: ast };
  }

  /** @type {(ast: any) => Typed} */
  #column(ast) {
    const { name } = ast;
    const field = this.fields.get(name);
    if (field === undefined) {
      const known = [...this.fields.keys()];
      const advice = adviceOnName(ast.source?.text ?? this.options.text, ast, known);
      const hint = advice === undefined ? '' : ` (${advice})`;
      const there = known.length === 0 ? 'there are none' : `columns are ${known.slice(0, 20).map((each) => `'${each}'`).join(', ')}`;
      return this.refuse(ast, `there is no column '${name}'${hint}, ${there}`, 'ERR_ARGUMENT');
    }
    if (field.unsupported) {
      return this.refuse(ast, `column '${name}' is ${field.unsupported}, which expressions cannot use`, 'ERR_UNSUPPORTED');
    }
    this.columns.add(name);
    const { type } = field;
    if (type.kind === 'null') return this.#constant(null, type, ast);
    return { type, value: this.#columnValue(name, field), valid: this.#columnValid(name, field) };
  }

  /** @type {(name: string, field: Field) => import('../kernel/dag.js').Node} */
  #columnValue(name, { type, layout, nullable }) {
    const { dag } = this;
    if (layout === 'bits') return dag.bits(name, 'bits');
    if (layout === 'offsets32') return dag.strings(name, 'i32');
    if (layout === 'offsets64') return dag.strings(name, 'i64');
    if (layout === 'dictionary') return this.#lookup(`${name}@`, this.#safeIndexOf(name, nullable), type);
    return type.id === 'float16' ? dag.convert(dag.column(name, 'f16'), 'f32') : dag.column(name, repOf(type));
  }

  /** @type {(name: string, field: Field) => import('../kernel/dag.js').Node | null} */
  #columnValid(name, { layout, nullable, nullValues = nullable }) {
    const { dag } = this;
    const own = nullable ? dag.bits(name, 'validity') : null;
    if (layout !== 'dictionary' || !nullValues) return own;
    const at = this.#safeIndexOf(name, nullable);
    return this.context.all([own, dag.compare('ne', dag.lookup(`${name}@?`, at, 'u8'), dag.constant(0, 'u8'))]);
  }

  /** Indices that can be looked up: what stands in the place of a null may be anything. @type {(name: string, nullable: boolean) => import('../kernel/dag.js').Node} */
  #safeIndexOf(name, nullable) {
    const { dag } = this;
    const at = this.#indexOf(name);
    return nullable ? dag.select(dag.bits(name, 'validity'), at, dag.constant(0n, 'i64')) : at;
  }

  /** Indices into the dictionary of a column. @type {(name: string) => import('../kernel/dag.js').Node} */
  #indexOf(name) {
    const { index } = /** @type {Field} */ (this.fields.get(name));
    return this.dag.convert(this.dag.column(name, /** @type {any} */ (types.typeOf(String(index)).dtype)), 'i64');
  }

  /** @type {(table: string, at: import('../kernel/dag.js').Node, type: DataType) => import('../kernel/dag.js').Node} */
  #lookup(table, at, type) {
    const { dag } = this;
    const rep = repOf(type);
    if (rep === 'view') return dag.lookupText(table, at, 'i32');
    if (rep === 'bool') return dag.compare('ne', dag.lookup(table, at, 'u8'), dag.constant(0, 'u8'));
    if (rep === 'i128') {
      const low = dag.op('mul', [at, dag.constant(2n, 'i64')]);
      return dag.wide(dag.lookup(table, low, 'i64'), dag.lookup(table, dag.op('add', [low, dag.constant(1n, 'i64')]), 'i64'));
    }
    return dag.lookup(table, at, /** @type {any} */ (rep));
  }

  /** @type {(ast: any) => Typed} */
  #parameter(ast) {
    const type = this.options.parameters.get(ast.name);
    if (type === undefined) {
      const known = this.parameters.map((each) => `'${each}'`).join(', ');
      const have = known === '' ? 'none are given' : `given are ${known}`;
      return this.refuse(ast, `there is no value for parameter '${ast.name}': pass it in option 'parameters', ${have}`, 'ERR_ARGUMENT');
    }
    const number = this.parameters.indexOf(ast.name);
    const value = type === types.utf8
      ? this.dag.lookupText(textTable(number), this.dag.constant(0n, 'i64'), 'i32')
      : this.dag.parameter(2 * number, repOf(type));
    return { type, value, valid: null };
  }

  // --- dictionaries ---

  /** The one dictionary column that an expression is of, if it is. @type {(ast: Ast) => string | null} */
  #liftable(ast) {
    if (this.options.lift === false || ast.kind === 'name' || ast.kind === 'literal' || ast.kind === 'parameter') return null;
    const names = symbolsIn(ast);
    if (names.size !== 1) return null;
    const [name] = names;
    return this.fields.get(name)?.layout === 'dictionary' ? name : null;
  }

  /** @type {(ast: Ast, column: string) => Typed | null} null where it may fail, or depends on the row */
  #lift(ast, column) {
    const field = /** @type {Field} */ (this.fields.get(column));
    const plain = /** @type {Field} */ ({ name: column, type: field.type, layout: plainLayout(field.type), nullable: true });
    const inner = new Analyser(new Map([[column, plain]]), { ...this.options, lift: false });
    const result = inner.typed(ast);
    const isOfRows = inner.dag.nodes.some(({ kind }) => kind === 'rowNumber');
    if (inner.context.checks.length > 0 || isOfRows || result.type.kind === 'null') return null;
    const known = this.lifted.find((each) => each.ast === ast);
    const nullable = result.valid !== null;
    const lifted = known ?? { name: `lifted${this.lifted.length}`, column, ast, type: result.type, nullable };
    if (!known) this.lifted.push(lifted);
    this.columns.add(column);
    for (const [part, note] of inner.notes) this.notes.set(part, note);
    this.#say(ast, 'once per value of the dictionary');
    const { dag } = this;
    const index = this.#indexOf(column);
    const next = dag.op('add', [index, dag.constant(1n, 'i64')]);
    const at = field.nullable ? dag.select(dag.bits(column, 'validity'), next, dag.constant(0n, 'i64')) : next;
    const valid = nullable ? dag.compare('ne', dag.lookup(`${lifted.name}?`, at, 'u8'), dag.constant(0, 'u8')) : null;
    return { type: result.type, value: this.#lookup(lifted.name, at, result.type), valid };
  }

  // --- calls ---

  /** @type {(name: string, args: readonly DataType[]) => string} */
  #nameOf(name, args) {
    return Object.hasOwn(BY_TYPE, name) ? BY_TYPE[name](args) : name;
  }

  /** @type {(ast: any, args: Typed[]) => Typed} */
  #call(ast, args) {
    const name = this.#nameOf(ast.name, args.map(({ type }) => type));
    const row = this.options.functions?.get(name) ?? functions.get(name);
    if (row === undefined) return this.#unknown(ast, name);
    const found = this.#chooseFor(ast, row, args);
    if (found === null) {
      // Where nothing says of what type a null is, the result is a null of no type either.
      const isOfNull = row.nulls === 'intersect' && args.some(({ type }) => type.kind === 'null');
      if (isOfNull) return this.#constant(null, types.none, ast);
      const got = args.map(({ type }) => type.text).join(', ');
      const takes = [...new Set(row.overloads.map(({ text }) => text.split(' → ')[0]))].join(' or ');
      const variable = /\bA\b/u.test(takes) ? ', where A is a type that all have in common' : '';
      const advice = row.name === 'add' && args.some(({ type }) => type.kind === 'utf8') ? '; texts are joined by ||' : '';
      return this.refuse(ast, `${row.name} takes ${takes}${variable}, got (${got})${advice}${zoneAdvice(args, ast.args)}`);
    }
    const { overload, fit } = found;
    const cast = args.map((arg, i) => this.as(arg, fit.args[i], ast));
    const info = { ...fit, literals: cast.map(({ literal }) => literal), places: cast.map(({ place }) => place) };
    this.#say(ast, `${row.name}${overload.text}, ${NULLS[row.nulls]}`);
    // A result is no literal, even where it is an operand.
    if (row.nulls === 'own') return { .../** @type {Typed} */ (overload.build(this.context, cast, info)), literal: undefined, place: undefined };
    const valids = cast.map(({ valid }) => valid);
    const values = cast.map(({ value }) => value);
    const built = this.context.strict(valids, ast, () => /** @type {any} */ (overload.build(this.context, values, info)));
    return { type: fit.result, ...built };
  }

  /** Functions of users say what is wrong with arguments themselves. @type {(ast: any, row: import('../functions/signature.js').FunctionRow, args: Typed[]) => ReturnType<typeof choose>} */
  #chooseFor(ast, row, args) {
    try {
      return choose(row, args);
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      return this.refuse(ast, error.message, error.code);
    }
  }

  /** @type {(ast: any, name: string) => never} */
  #unknown(ast, name) {
    if (aggregateName(name) !== undefined) {
      return this.refuse(ast, `'${name}' is an aggregate, which has no value per row: it cannot stand in a key, a condition or another aggregate`, 'ERR_ARGUMENT');
    }
    const close = nearest(name, [...functions.keys()]);
    const hint = close === undefined ? '' : ` (did you mean '${close}'?)`;
    return this.refuse(ast, `there is no function '${name}'${hint}`, 'ERR_ARGUMENT');
  }

  /** A value as another type; literals are read again. @type {(typed: Typed, type: DataType, ast: Ast) => Typed} */
  as(typed, type, ast) {
    if (typed.type === type) return typed;
    if (typed.type.kind === 'null') return this.#constant(null, type, ast);
    if (typed.literal !== undefined && literalFits(typed, type)) {
      return this.#constant(typed.literal, type, /** @type {Ast} */ (typed.place ?? ast));
    }
    if (castOf(typed.type, type) === undefined) {
      return this.refuse(ast, `there is no cast from ${typed.type.text} to ${type.text}`);
    }
    const built = this.context.strict([typed.valid], ast, () => castValue(this.context, typed.value, typed.type, type));
    return { type, ...built };
  }

  // --- forms ---

  /** Where a condition holds: where it is true, or a number other than 0. @type {(ast: Ast) => import('../kernel/dag.js').Node} */
  condition(ast) {
    const typed = this.typed(ast);
    const { kind, text } = typed.type;
    if (!CONDITIONS.has(kind)) return this.refuse(ast, `a condition is a bool or a number, got ${text}`);
    const { value, valid } = this.as(typed, types.bool, ast);
    return valid === null ? value : this.dag.and(value, valid);
  }

  /** @type {(name: any, ast: Ast) => DataType} */
  #typeOfName(name, ast) {
    try {
      return typeFromName(name);
    } catch (error) {
      const { message, code } = /** @type {any} */ (error);
      return this.refuse(name.start >= 0 ? { ...name, source: ast.source } : ast, message, code);
    }
  }

  /** @type {(ast: any, typed: Typed) => Typed} */
  #cast({ to, safe, ...ast }, typed) {
    const type = this.#typeOfName(to, ast);
    const literal = typed.literal;
    if (typed.type.kind === 'int' && type.kind === 'int' && typeof literal === 'bigint' && !inRange(literal, type) && !safe)
      return this.refuse(ast, `${literal} does not fit ${type.text}`);
    const { policies } = this.context;
    if (safe) this.context.policies = { ...policies, cast: 'null' };
    // A text that is none is null then, and no mistake of who wrote it.
    const isLenient = this.context.policies.cast === 'null';
    const result = this.as(isLenient ? { ...typed, literal: undefined } : typed, type, ast);
    this.context.policies = policies;
    return { ...result, value: this.#shortened(result, lengthFromName(to)), literal: undefined };
  }

  /** A text or bytes of so much at most. @type {(typed: Typed, length: number | undefined) => Node} */
  #shortened({ type, value }, length) {
    if (length === undefined) return value;
    const name = type.kind === 'utf8' ? 'utf8_truncate' : 'bytes_truncate';
    return this.context.call(name, [value, this.dag.constant(BigInt(length), 'i64')], 'view', { out: true });
  }

  /** @type {(ast: any) => Typed} */
  #case({ branches, otherwise, ...ast }) {
    const { dag, context } = this;
    const outer = context.guard;
    /** @type {{ taken: import('../kernel/dag.js').Node, asked: import('../kernel/dag.js').Node | null, then: Typed }[]} */
    const sides = [];
    for (const branch of branches) {
      const taken = this.condition(branch.when);
      sides.push({ taken, asked: context.guard, then: context.within(taken, () => this.typed(branch.then)) });
      context.guard = context.all([context.guard, dag.not(taken)]);
    }
    const last = otherwise === null ? this.#constant(null, types.none, ast) : this.typed(otherwise);
    const type = together([...sides.map(({ then }) => then), last]);
    if (type === undefined) {
      const list = [...sides.map(({ then }) => then), last].map((each) => each.type.text).join(', ');
      const asts = [...branches.map((/** @type {any} */ { then }) => then), otherwise];
      return this.refuse(ast, `the branches of a choice have no common type: ${list}${zoneAdvice([...sides.map(({ then }) => then), last], asts)}`);
    }
    let sum = this.as(last, type, ast);
    for (const { taken, asked, then } of sides.reverse()) {
      context.guard = asked;
      sum = this.#chosen(taken, context.within(taken, () => this.as(then, type, ast)), sum);
    }
    context.guard = outer;
    return { ...sum, literal: undefined };
  }

  /** @type {(taken: import('../kernel/dag.js').Node, a: Typed, b: Typed) => Typed} */
  #chosen(taken, a, b) {
    const { dag } = this;
    const yes = dag.constant(true, 'bool');
    const valid = a.valid === null && b.valid === null ? null : dag.select(taken, a.valid ?? yes, b.valid ?? yes);
    return { type: a.type, value: dag.select(taken, a.value, b.value), valid };
  }

  /** @type {(ast: any) => Typed} */
  #in({ value, list, ...ast }) {
    const { dag } = this;
    const typed = this.typed(value);
    /** @type {Typed[]} */
    const items = list.map((/** @type {Ast} */ item) => this.typed(item));
    const type = together([typed, ...items]);
    if (type === undefined) {
      const text = [typed, ...items].map((each) => each.type.text).join(', ');
      const advice = zoneAdvice([typed, ...items], [value, ...list]);
      return this.refuse(ast, `a value and the list that it is looked for in have no common type: ${text}${advice}`);
    }
    const there = items.filter(({ literal }) => literal !== null);
    const hasNull = there.length < items.length;
    // Decimals that a common type would round are compared as they are.
    const apart = apartDecimals([typed, ...there]);
    const [needle, ...known] = [typed, ...there].map((each, i) => this.as(each, apart?.[i] ?? type, ast));
    const looked = apart === null ? lookedUp(repOf(type), known.map((item) => item.value)) : new Set();
    const tests = known
      .filter((item) => !looked.has(item.value))
      .map((item) => this.context.all([equal(this.context, needle, item), item.valid]));
    if (looked.size > 0) tests.push(inSet(this.context, needle.value, [...looked]));
    const found = tests.reduce((/** @type {Node} */ a, b) => dag.or(a, /** @type {Node} */ (b)), dag.constant(false, 'bool'));
    const certain = known.map(({ valid }) => valid).filter((valid) => valid !== null);
    const missing = hasNull ? dag.constant(false, 'bool') : this.context.all(certain);
    const valid = missing === null ? needle.valid : this.context.all([needle.valid, dag.or(found, missing)]);
    return { type: types.bool, value: found, valid };
  }
}

/** @type {(type: DataType) => 'bits' | 'offsets32' | 'fixed'} */
const plainLayout = ({ kind }) => (kind === 'bool' ? 'bits' : kind === 'utf8' || kind === 'binary' ? 'offsets32' : 'fixed');

module.exports = { Analyser };
