/**
 * Aggregates and keys as a kernel: of groups, or of a whole table where there are no keys and each aggregate is a fold.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { Analyser } = require('../analyse/index.js');
const { castValue } = require('../functions/cast.js');
const { WORD } = require('../kernel/groups.js');
const { finish } = require('../run/prepare.js');
const types = require('../types/index.js');
const { table } = require('../functions/aggregates.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Typed} Typed */
/** @typedef {import('./split.js').Call} Call */
/** @typedef {import('../language/ast.js').Node} Ast */

/**
 * Where a call's fields are: of groups, words of the record; of a whole table, names of fold buffers. `count`: where
 * the number of rows with an operand is.
 *
 * @typedef {{ call: Call, result: import('../types/index.js').DataType, finish: import('../functions/aggregates.js').Finish, fields: (number | string)[], count: number | string | null, reps: string[] }} Planned
 */

/** `isDirect`: the key is in a small range; `isParted`: there is more than one partition. @typedef {import('../run/prepare.js').PrepareOptions & { source: string, isDirect?: boolean, isParted?: boolean }} PlanOptions */

/** Most keys: which of them are null is a word; and texts are compared in loops inside each other. */
const MOST_KEYS = 32;

/** @type {(analyser: Analyser, call: Call) => { typed: Typed | null, plan: any }} */
function planOf(analyser, { fn, arg, ast }) {
  const row = table[fn];
  if (arg === null) {
    return fn === 'count' ? { typed: null, plan: row.plan(types.none, analyser.context.policies) } : analyser.refuse(ast, `${fn} takes 1 argument, got none`);
  }
  const typed = analyser.typed(arg);
  // Nulls of no type are those of one that the aggregate takes.
  const candidates = typed.type.kind === 'null' ? [typed.type, types.int32, types.bool] : [typed.type];
  for (const type of candidates) {
    const plan = row.plan(type, analyser.context.policies);
    if (plan !== null) return { typed: analyser.as(typed, type, arg), plan };
  }
  return analyser.refuse(ast, `${fn} does not take ${typed.type.text}`);
}

/** A field's operand. @type {(analyser: Analyser, typed: Typed, field: import('../functions/aggregates.js').Field) => Node} */
const operandOf = ({ context }, { value, type }, { as }) => (as === null ? value : castValue(context, value, type, as));

/** Whether a whole table is reduced by folds alone. @type {(plans: readonly { plan: any }[]) => boolean} */
const isFold = (plans) => plans.every(({ plan }) => plan.fields.every((/** @type {any} */ { fold }) => fold !== null));

/**
 * @param {ReadonlyMap<string, any>} fields
 * @param {readonly Call[]} calls
 * @param {readonly Ast[]} keys
 * @param {Ast | null} where
 * @param {PlanOptions} options
 */
function planAggregates(fields, calls, keys, where, options) {
  const analyser = new Analyser(fields, { ...options, text: options.source });
  // The rows that count; null: all.
  const rows = where === null ? null : analyser.condition(where);
  // What is not among the rows is not asked for.
  analyser.context.guard = rows;
  const plans = calls.map((call) => ({ call, ...planOf(analyser, call) }));
  for (const { call, plan: { result, finish: { kind } } } of plans) {
    analyser.notes.set(call.ast, { type: result, nullable: !COUNTS.has(kind) });
  }
  if (keys.length === 0 && isFold(plans)) return whole(analyser, plans, rows, options);
  return grouped(analyser, plans, keys, rows, options);
}

/** @type {(analyser: Analyser, plans: any[], rows: Node | null, options: PlanOptions) => any} */
function whole(analyser, plans, rows, options) {
  const { dag, context } = analyser;
  const live = /** @type {Node} */ (context.all([dag.local('live'), rows]));
  /** @type {Node[]} */
  const roots = [];
  const fold = (/** @type {string} */ name, /** @type {Node[]} */ args) => {
    const buffer = `fold ${name} ${args.map(({ id }) => id).join()}`;
    const node = dag.fold(name, buffer, args);
    if (!roots.includes(node)) roots.push(node);
    return buffer;
  };
  const planned = plans.map(({ call, typed, plan }) => {
    const counted = /** @type {Node} */ (context.all([live, typed?.valid ?? null]));
    const names = plan.fields.map((/** @type {any} */ field) => {
      if (field.fold === 'first' || field.fold === 'last') return fold(field.fold, [counted]);
      return fold(field.fold, [operandOf(analyser, typed, field), counted]);
    });
    const reps = plan.fields.map((/** @type {any} */ field) => (field.as ?? typed?.type)?.dtype ?? 'i64');
    return { call, result: plan.result, finish: plan.finish, fields: names, count: fold('count', [counted]), reps };
  });
  const prepared = finish(analyser, roots, [], options.source, [], { ...options, unit: 'piece' });
  return { prepared, planned, roots, record: null };
}

/** What words of keys are, and which rows have null there. @type {(analyser: Analyser, keys: readonly Typed[]) => { parts: Node[], nulls: Node, hash: Node, texts: number[], words: number }} */
function keyParts(analyser, keys) {
  const { dag } = analyser;
  let nulls = dag.constant(0n, 'i64');
  let hash = dag.constant(0n, 'u64');
  let words = 0;
  /** @type {Node[]} */
  const parts = [];
  /** @type {number[]} */
  const texts = [];
  keys.forEach(({ value, valid, type }, k) => {
    const there = valid ?? dag.constant(true, 'bool');
    if (valid !== null) nulls = dag.op('or', [nulls, dag.select(valid, dag.constant(0n, 'i64'), dag.constant(BigInt.asIntN(64, 1n << BigInt(k)), 'i64'))]);
    const part = keyPart(analyser, type, value, there);
    for (const node of part.nodes) {
      if (node.rep === 'view') texts.push(words);
      words += node.rep === 'view' ? 2 : 1;
      parts.push(node);
    }
    hash = mix(dag, dag.op('xor', [hash, part.hash]));
  });
  if (nulls.kind !== 'constant') hash = mix(dag, dag.op('xor', [hash, dag.op('bitcast', [nulls], 'u64')]));
  return { parts, nulls, hash, texts, words };
}

/** @type {(analyser: Analyser, type: import('../types/index.js').DataType, value: Node, there: Node) => { nodes: Node[], hash: Node }} */
function keyPart({ dag, context }, type, value, there) {
  const bits = (/** @type {Node} */ node) => dag.op('bitcast', [node], 'u64');
  const zero = dag.constant(0n, 'i64');
  if (value.rep === 'view') {
    const node = dag.select(there, value, dag.text(new Uint8Array(0)));
    return { nodes: [node], hash: bits(context.call('utf8_hash', [node], 'i64')) };
  }
  if (value.rep === 'i128') {
    // Values, not where they lie: the last rows of a chunk lie in the memory of a block.
    const nodes = /** @type {const} */ ([0, 1]).map((which) => dag.select(there, dag.half(value, which), zero));
    return { nodes, hash: dag.op('xor', [bits(nodes[0]), mix(dag, bits(nodes[1]))]) };
  }
  const node = dag.select(there, wordOf(dag, type, value), zero);
  return { nodes: [node], hash: bits(node) };
}

/** Equal for what is equal: zeros, and NaNs. @type {(dag: import('../kernel/dag.js').Dag, type: import('../types/index.js').DataType, value: Node) => Node} */
function wordOf(dag, type, value) {
  if (type.kind === 'bool') return dag.select(value, dag.constant(1n, 'i64'), dag.constant(0n, 'i64'));
  if (type.kind === 'float') {
    const x = dag.op('add', [dag.convert(value, 'f64'), dag.constant(0, 'f64')]);
    return dag.op('bitcast', [dag.select(dag.op('is_nan', [x], 'bool'), dag.constant(NaN, 'f64'), x)], 'i64');
  }
  return value.rep === 'u64' ? dag.op('bitcast', [value], 'i64') : dag.convert(value, 'i64');
}

/** Spreads what differs over all bits: multiplications by odd numbers, and shifts. @type {(dag: import('../kernel/dag.js').Dag, x: Node) => Node} */
function mix(dag, x) {
  const shifted = (/** @type {Node} */ y, /** @type {bigint} */ by) => dag.op('xor', [y, dag.op('shr', [y, dag.constant(by, 'u64')])]);
  const once = dag.op('mul', [shifted(x, 32n), dag.constant(0x9e3779b97f4a7c15n, 'u64')]);
  return shifted(dag.op('mul', [shifted(once, 29n), dag.constant(0xbf58476d1ce4e5b9n, 'u64')]), 32n);
}

/** What is asked of a group: `number` tells partitions apart. @typedef {{ args: Node[], texts: number[], words: number, number: Node }} KeyPlan */

/** @type {(analyser: Analyser, keys: readonly Typed[]) => KeyPlan} */
function hashedKeys(analyser, keys) {
  const { parts, nulls, hash, texts, words } = keyParts(analyser, keys);
  const { dag } = analyser;
  return { args: [hash, nulls, ...parts], texts, words, number: dag.op('shr', [hash, dag.constant(56n, 'u64')]) };
}

/** A key by its number in a small range, whose lower bits say the partition. @type {(analyser: Analyser, key: Typed) => KeyPlan} */
function directKey({ dag }, { type, value }) {
  const number = dag.op('bitcast', [dag.op('sub', [wordOf(dag, type, value), dag.local('least')])], 'u64');
  return { args: [dag.op('shr', [number, dag.local('part_shift')])], texts: [], words: 0, number };
}

/** Results that are never null. */
const COUNTS = new Set(['count', 'distinct']);

/** Results that say nothing of counts, where each group has a row with an operand. */
const UNCOUNTED = new Set(['field', 'checked', 'bool', 'wide', 'wideSum']);

/** @type {(analyser: Analyser, plans: any[], keys: readonly Ast[], rows: Node | null, options: PlanOptions) => any} */
function grouped(analyser, plans, keys, rows, options) {
  const { dag, context } = analyser;
  if (keys.length > MOST_KEYS) fail('ERR_ARGUMENT', `aggregate: ${keys.length} keys, the most are ${MOST_KEYS}`);
  const typedKeys = keys.map((key) => analyser.typed(key));
  const { isDirect = false, isParted = true } = options;
  const byKey = isDirect ? directKey(analyser, typedKeys[0]) : hashedKeys(analyser, typedKeys);
  const { texts, words: keyWords, number } = byKey;
  const mine = dag.compare('eq', dag.op('and', [number, dag.local('part_mask')]), dag.local('part_number'));
  const guard = context.all([keys.length > 0 && isParted ? mine : null, rows]);
  const owner = dag.group(byKey.args, guard);
  /** @type {Node[]} */
  const roots = [owner];
  /** @type {{ word: number, bits: bigint }[]} */
  const initial = [];
  let words = isDirect ? WORD.row + 1 : WORD.keys + keyWords;
  /** @type {Map<string, number>} */
  const known = new Map();
  const keep = (/** @type {string} */ step, /** @type {readonly bigint[]} */ bits, /** @type {Node[]} */ args) => {
    const key = `${step} ${args.map(({ id }) => id).join()}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const at = words;
    known.set(key, at);
    bits.forEach((each, i) => initial.push({ word: at + i, bits: each }));
    words += bits.length;
    roots.push(dag.accumulate(step, at, [owner, ...args], guard));
    return at;
  };
  const planned = plans.map(({ call, typed, plan }) => {
    const valid = typed?.valid ? [typed.valid] : [];
    // Counts have no operand of their own, but the same place for it.
    const isCounted = valid.length > 0 || keys.length === 0 || !UNCOUNTED.has(plan.finish.kind);
    const count = isCounted ? keep('count', [0n], valid.length > 0 ? [dag.constant(0n, 'i64'), ...valid] : []) : null;
    const fields = plan.fields.map((/** @type {any} */ field) => {
      const isRow = ['first', 'last', 'chain'].includes(field.step);
      const operand = isRow ? dag.constant(0n, 'i64') : operandOf(analyser, typed, field);
      return keep(field.step, field.initial, [operand, ...valid]);
    });
    const reps = plan.fields.map((/** @type {any} */ field) => (field.as ?? typed?.type)?.dtype ?? 'i64');
    return { call, result: plan.result, finish: plan.finish, fields, count, reps };
  });
  const record = { words, keys: keyWords, initial, texts, isDirect };
  const prepared = finish(analyser, roots, [], options.source, [], { ...options, unit: 'partition', record });
  return { prepared, planned, roots, record };
}

module.exports = { planAggregates };
