/**
 * Functions that are compiled apart: those that call themselves, and large ones that are called often.
 *
 * There is one for each choice of machine types of the arguments; what it uses of functions around it is handed over as
 * further arguments (call-abi.js). What it gives is found by walking it with nothing known of itself at first, until
 * that does not change any more.
 *
 * Where its arrays lie, many callers say: inside, each array parameter is memory of its own, but for those that some
 * call hands over as parts of one. What is written there is written in the arrays of all callers.
 */
'use strict';

const M = require('../tir/machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const { capturesOf, identity, takeApart, wider } = require('./call-abi.js');
const { GraphError } = require('../../base/errors.js');
const { refuse } = require('../source/frame.js');

/** Functions of one function that are compiled for narrower types than others. */
const MOST_NARROW = 2;

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./call-abi.js').Parts} Parts */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */
/** @typedef {import('../tir/index.js').Root} Root */

/** Arguments of a call that are code of its own for each number of them. */
const MOST_COUNTED = 16;

/** Walks of a function that calls itself after which something is wrong with us. */
const MOST_WALKS = 30;

/**
 * @typedef {object} Record
 * @property {import('./values.js').ClosureValue} closure
 * @property {any} func
 * @property {Parts[]} own arguments
 * @property {Parts[]} outside
 * @property {import('./call-abi.js').Captured[]} around what `outside` is made of
 * @property {number} count of arguments
 * @property {Root[]} roots one for each array that it is handed
 * @property {Parts | null} result null: nothing is known to come back
 * @property {boolean} isUnderWay
 * @property {boolean} isUsed it was called while it was under way
 * @property {number} hints parameters that had better be integers
 */

/** @typedef {{ own: Parts[], outside: Parts[], around: import('./call-abi.js').Captured[], arrays: ArrayRef[], key: string }} Handed */

/**
 * Least: types that numbers have at least.
 *
 * @type {(c: any, closure: any, args: Value[], place: any, least?: string[]) => Handed}
 */
function handOver(c, closure, args, place, least = []) {
  const { callee } = closure;
  const name = callee.name || 'the function';
  const isCounted = callee.rest || callee.countsArguments;
  if (isCounted && args.length > MOST_COUNTED)
    refuse(place, `${name} calls itself with ${args.length} arguments`, 'hand over an array of them');
  const captures = capturesOf(c, closure, args);
  for (const captured of captures.set) putInMemory(c, captured, place);
  const way = {
    place, name, least: [...least], keepsConstants: false, isResult: false, isNew: () => false, given: new Set(),
    seen: new Map(),
  };
  const count = isCounted ? Math.max(callee.params.length, args.length) : callee.params.length;
  const own = Array.from({ length: count }, (_, i) => takeApart(c, args[i] ?? V.UNDEFINED, way));
  const outside = captures.found.map(({ value }) => takeApart(c, value, { ...way, keepsConstants: true }));
  const all = [...own, ...outside];
  const counted = isCounted ? ` of ${args.length}` : '';
  const key = `${identity(callee)}:${identity(closure.frame)}${counted}(${all.map((a) => a.key).join()})`;
  return { own, outside, around: captures.found, arrays: all.flatMap((a) => a.arrays), key };
}

/** @type {(c: any, closure: any, args: Value[], place: any) => Handed} in types wide enough for many calls */
function handOverWidely(c, closure, args, place) {
  const handed = handOver(c, closure, args, place);
  const types = typesOf(handed);
  const alike = recordsOf(c, closure.callee)
    .map(typesOf)
    .filter((other) => other.length === types.length);
  if (c.functions.has(handed.key) || alike.length < MOST_NARROW) return handed;
  const least = types.map((type, i) => [type, ...alike.map((other) => other[i])].reduce(wider));
  return handOver(c, closure, args, place, least);
}

/** @type {(c: any, callee: any) => Record[]} */
function recordsOf(c, callee) {
  return [...c.functions.values()].filter((record) => record.closure.callee === callee);
}

/** @type {(handed: { own: Parts[], outside: Parts[] }) => string[]} */
function typesOf({ own, outside }) {
  return [...own, ...outside].flatMap((a) => a.types);
}

/** @type {(c: any, captured: import('./call-abi.js').Captured, place: any) => void} */
function putInMemory(c, captured, place) {
  const { variable, own } = captured;
  if (!c.facts.boxed.has(variable)) c.facts.box(variable, place);
  // It has been declared, but not been set.
  require('./captured-cells.js').set(c, own, variable, captured.value);
  captured.value = c.env.get(own);
}

/** @type {(c: any, closure: any, args: Value[], s: any) => Value} a function that could stand in place */
function callLarge(c, closure, args, s) {
  try {
    return callApart(c, closure, args, s);
  } catch (error) {
    // What cannot be compiled apart may be fine in place, where more is known.
    if (error instanceof GraphError) c.facts.keepInPlace(closure.callee, s.place);
    throw error;
  }
}

/** @type {(c: any, closure: any, args: Value[], s: any) => Value} */
function callApart(c, closure, args, s) {
  const handed = handOverWidely(c, closure, args, s.place);
  let record = c.functions.get(handed.key);
  if (!record) {
    record = newRecord(c, closure, handed, args.length);
    c.functions.set(handed.key, record);
    walkRecord(c, record, handed.key, s);
  }
  record.isUsed ||= record.isUnderWay;
  checkRoots(c, record, handed.arrays, s.place);
  handed.arrays.forEach((ref, k) => c.links.push({ from: record.roots[k], to: ref.roots }));
  args.forEach((value, i) => value.kind === 'number' && (record.hints >> i) & 1 && c.hint(value.type));
  return leave(c, record, handed, s);
}

/** @type {(c: any, record: Record, handed: Handed, s: any) => Value} the call itself, and what it gives */
function leave(c, record, { own, outside, arrays }, s) {
  const args = [...own, ...outside].flatMap((a) => a.args);
  const results = (record.result?.types ?? []).map((type) => E.newLocal(c, 'result', type));
  c.out.push({ kind: 'call', callee: record.func, args, arrays, results, place: s.place });
  if (!record.result) {
    // Nothing is known to come back from it, or nothing ever does.
    c.out.push({ kind: 'throw', site: c.site(s.place, 'Error', ['this is never reached']), values: [] });
    c.env = null;
    return V.UNDEFINED;
  }
  // What a call makes is known in its block only; what is set is declared where all see it.
  const kept = results.map((local) => ({ ...local }));
  results.forEach((local, i) => c.out.push({ kind: 'set', local: kept[i], value: M.read(local) }));
  const rest = kept[Symbol.iterator]();
  const next = () => M.read(/** @type {import('../tir/index.js').Local} */ (rest.next().value));
  return record.result.rebuild({ next, array: (ref) => comeBack(c, record, ref, arrays, next), objects: [] });
}

/**
 * Where an array that was returned lies for the caller.
 *
 * @type {(c: any, record: Record, ref: ArrayRef, arrays: ArrayRef[], next: () => any) => Pick<ArrayRef, 'roots' | 'owner'>}
 */
function comeBack(c, record, ref, arrays, next) {
  const which = next();
  const given = arrays.flatMap((array, k) => (ref.roots.includes(record.roots[k]) ? [{ array, k }] : []));
  const roots = new Set(ref.roots.filter((root) => !record.roots.includes(root)));
  for (const { array } of given) for (const root of array.roots) roots.add(root);
  const one = M.constant('i64', 1);
  const owner = given.reduce(
    (rest, { array, k }) => M.select(M.binary('eq', which, ownerOf(k)), array.owner ?? one, rest),
    one,
  );
  return { roots: [...roots], owner: E.settle(c, owner, 'owner') };
}

/**
 * What says in a function that an array is its array parameter k.
 *
 * @type {(k: number) => import('../tir/index.js').Expression}
 */
function ownerOf(k) {
  return M.constant('i64', 2 + k);
}

// --- where arrays lie ---

/** @type {(record: Record, i: number, j: number) => string} */
function pairOf({ closure, roots }, i, j) {
  return `${identity(closure.callee)} ${roots.length} ${i} ${j}`;
}

/** @type {(a: ArrayRef, b: ArrayRef) => boolean} */
function mayBeOne(a, b) {
  return a.roots.some((root) => b.roots.includes(root));
}

/**
 * One for all arrays that some call hands over as parts of one.
 *
 * @type {(c: any, record: Record, arrays: ArrayRef[]) => Root[]}
 */
function rootsOf(c, record, arrays) {
  record.roots = arrays.map((ref) => c.root('param', ref.roots[0]?.name ?? 'array'));
  arrays.forEach((a, i) => {
    for (let j = 0; j < i; j++) {
      if (mayBeOne(a, arrays[j])) c.facts.together.add(pairOf(record, j, i));
      if (!c.facts.together.has(pairOf(record, j, i))) continue;
      const [keep, drop] = [record.roots[j], record.roots[i]];
      record.roots = record.roots.map((root) => (root === drop ? keep : root));
    }
  });
  return record.roots;
}

/** @type {(c: any, record: Record, arrays: ArrayRef[], place: any) => void} */
function checkRoots(c, record, arrays, place) {
  arrays.forEach((a, i) => {
    for (let j = 0; j < i; j++) {
      if (record.roots[i] !== record.roots[j] && mayBeOne(a, arrays[j]))
        c.facts.bringTogether(pairOf(record, j, i), place);
    }
  });
}

/**
 * What a function writes to, its callers' arrays are written by.
 *
 * @type {(links: { from: Root, to: Root[] }[]) => void}
 */
function spreadWrites(links) {
  for (let changed = true; changed;) {
    changed = false;
    for (const { from, to } of links) {
      for (const root of from.isWritten ? to : []) {
        changed ||= !root.isWritten;
        root.isWritten = true;
      }
    }
  }
}

// --- walking one ---

/** @type {(c: any, closure: any, handed: Handed, count: number) => Record} */
function newRecord(c, closure, { own, outside, around, arrays }, count) {
  const { callee } = closure;
  const func = c.newFunc(callee.name || 'f', callee.place);
  /** @type {Record} */
  const record = {
    closure, func, own, outside, around, count, roots: [], result: null, isUnderWay: false, isUsed: false, hints: 0,
  };
  rootsOf(c, record, arrays);
  return record;
}

/** @type {(c: any, record: Record, key: string, s: any) => void} */
function walkRecord(c, record, key, s) {
  const { func, out, env, frame, targets, depth, isWrapping, hints } = c;
  record.isUnderWay = true;
  for (let i = 0; ; i++) {
    if (i > MOST_WALKS) refuse(s.place, 'what this function returns does not settle', 'return one type');
    const before = resultKey(record);
    // Functions found since know what this one was thought to return.
    for (const other of [...c.functions.keys()].reverse()) {
      if (other === key) break;
      c.functions.delete(other);
    }
    walkOnce(c, record, frame);
    record.hints |= c.hints;
    Object.assign(c, { func, out, env, frame, targets, depth, isWrapping, hints });
    if (!record.isUsed || resultKey(record) === before) break;
  }
  record.isUnderWay = false;
  record.func.isRecursive = record.isUsed;
}

/** @type {(record: Record) => string} */
function resultKey({ result, roots }) {
  if (!result) return '';
  const where = result.arrays.map(
    (ref) => `${roots.map((root) => ref.roots.includes(root))} ${ref.roots.some((root) => !roots.includes(root))}`,
  );
  return [result.key, ...where].join(' ');
}

/** @type {(c: any, record: Record, caller: any) => void} */
function walkOnce(c, record, caller) {
  const { enter, newFrame } = require('./calls.js');
  const { closure, func, own, outside, around } = record;
  const since = c.objects.next;
  Object.assign(c, { func, out: [], env: new Map(), targets: new Map(), depth: 0, isWrapping: false, hints: 0 });
  const frame = newFrame(closure.callee, closure.frame, caller);
  c.frame = frame;
  const source = sourceOf(c, record);
  const values = own.map((parts, i) => hinting(parts.rebuild(source), i));
  outside.forEach((parts, i) => c.env.set(around[i].own, parts.rebuild(source)));
  func.params = source.locals;
  enter(c, frame, values, record.count);
  c.run(closure.callee.body);
  finishRecord(c, frame, record, since);
  func.body = c.out;
}

/**
 * Parameters, as they are asked for.
 *
 * @type {(c: any, record: Record) => import('./call-abi.js').Source & { locals: any[] }}
 */
function sourceOf(c, { own, outside, roots }) {
  const locals = [...own, ...outside].flatMap((a) =>
    a.types.map((type) => ({ ...E.newLocal(c, 'p', type), isParam: true })),
  );
  const rest = locals[Symbol.iterator]();
  let k = 0;
  return {
    locals,
    objects: [],
    next: () => M.read(/** @type {import('../tir/index.js').Local} */ (rest.next().value)),
    array: () => ({ roots: [roots[k]], owner: ownerOf(k++) }),
  };
}

/** @type {(value: Value, i: number) => Value} a parameter that knows which it is */
function hinting(value, i) {
  if (value.kind !== 'number' || i > 30) return value;
  return new V.NumberValue({ ...value.type, from: 1 << i }, value.x, { tag: value.tag });
}

/** @type {(c: any, frame: any, record: Record, since: number) => void} ends a function, and says what it gives */
function finishRecord(c, frame, record, since) {
  const { place, name } = frame.callee;
  const isNew = (/** @type {import('./values.js').ObjectValue} */ object) => object.id >= since && !object.isCopy;
  const given = new Set(record.around.map(({ own }) => own));
  const way = {
    place, name: name || 'a function', least: [...(record.result?.types ?? [])], keepsConstants: false, isResult: true,
    isNew, given, seen: new Map(),
  };
  require('./calls.js').finish(c, frame, (/** @type {Value} */ value) => {
    const shape = takeApart(c, value, way);
    for (const ref of shape.arrays) c.facts.outlive(ref.roots, place);
    record.result = shape;
    return shape.args;
  });
}

/** @type {(c: any) => any[]} the functions that are called after all */
function functionsOf(c) {
  const { eachStatement } = require('../tir/walk.js');
  const found = new Set();
  const visit = (/** @type {any} */ func) => {
    eachStatement(func.body, (s) => {
      if (s.kind !== 'call' || found.has(s.callee)) return;
      found.add(s.callee);
      visit(s.callee);
    });
  };
  visit(c.func);
  return [...found].reverse();
}

exports.callApart = callApart;
exports.callLarge = callLarge;
exports.functionsOf = functionsOf;
exports.spreadWrites = spreadWrites;
