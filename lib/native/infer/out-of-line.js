/**
 * Functions that are compiled out of line: those that call themselves, and large ones that are called often.
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
const cells = require('./captured-cells.js');
const { capturesOf, identity, takeApart, wider } = require('./call-abi.js');
const { enter, finish, newFrame } = require('./frames.js');
const { refuse } = require('../source/frame.js');
const { eachStatement } = require('../tir/walk.js');
const { GraphError } = require('../../base/errors.js');

/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Func} Func */
/** @typedef {import('../tir/index.js').Root} Root */
/** @typedef {import('./call-abi.js').Parts} Parts */
/** @typedef {import('./frames.js').Frame} Frame */
/** @typedef {import('./values.js').ClosureValue} ClosureValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').CallSite} CallSite */
/** @typedef {import('./walk.js').Walk} Walk */

/** Functions of one function that are compiled for narrower types than others. */
const MOST_NARROW = 2;

/** Arguments of a call that are code of its own for each number of them. */
const MOST_COUNTED = 16;

/** Walks of a function that calls itself after which something is wrong with us. */
const MOST_WALKS = 30;

/**
 * @typedef {object} OutOfLine
 * @property {ClosureValue} closure
 * @property {Walk['func']} func
 * @property {Parts[]} own arguments
 * @property {Parts[]} captured
 * @property {import('./call-abi.js').Captured[]} variables what `captured` is made of
 * @property {number} count of arguments
 * @property {Root[]} roots one for each array that it is passed
 * @property {Parts | null} result null: nothing is known to come back
 * @property {boolean} isUnderWay
 * @property {boolean} isUsed it was called while it was under way
 * @property {number} hints parameters that had better be integers
 */

/** @typedef {{ own: Parts[], captured: Parts[], variables: import('./call-abi.js').Captured[], arrays: ArrayRef[], key: string }} PassedArguments */

/**
 * Least: types that numbers have at least.
 *
 * @type {(walk: Walk, closure: ClosureValue, args: Value[], place: Place, least?: string[]) => PassedArguments}
 */
function passArguments(walk, closure, args, place, least = []) {
  const { callee } = closure;
  const name = callee.name || 'the function';
  const isCounted = callee.rest || callee.countsArguments;
  if (isCounted && args.length > MOST_COUNTED)
    refuse(place, `${name} calls itself with ${args.length} arguments`, 'hand over an array of them');
  const captures = capturesOf(walk, closure, args);
  for (const each of captures.set) putInMemory(walk, each, place);
  const way = {
    place, name, least: [...least], keepsConstants: false, isResult: false, isNew: () => false, given: new Set(),
    seen: new Map(),
  };
  const count = isCounted ? Math.max(callee.params.length, args.length) : callee.params.length;
  const own = Array.from({ length: count }, (_, i) => takeApart(walk, args[i] ?? V.UNDEFINED, way));
  const captured = captures.found.map(({ value }) => takeApart(walk, value, { ...way, keepsConstants: true }));
  const all = [...own, ...captured];
  const counted = isCounted ? ` of ${args.length}` : '';
  const key = `${identity(callee)}:${identity(closure.frame)}${counted}(${all.map((a) => a.key).join()})`;
  return { own, captured, variables: captures.found, arrays: all.flatMap((a) => a.arrays), key };
}

/** @type {(walk: Walk, closure: ClosureValue, args: Value[], place: Place) => PassedArguments} in types wide enough for many calls */
function passWidely(walk, closure, args, place) {
  const passed = passArguments(walk, closure, args, place);
  const types = typesOf(passed);
  const alike = recordsOf(walk, closure.callee)
    .map(typesOf)
    .filter((other) => other.length === types.length);
  if (walk.functions.has(passed.key) || alike.length < MOST_NARROW) return passed;
  const least = types.map((type, i) => [type, ...alike.map((other) => other[i])].reduce(wider));
  return passArguments(walk, closure, args, place, least);
}

/** @type {(walk: Walk, callee: FunctionNode) => OutOfLine[]} */
function recordsOf(walk, callee) {
  return [...walk.functions.values()].filter((record) => record.closure.callee === callee);
}

/** @type {(passed: { own: Parts[], captured: Parts[] }) => string[]} */
function typesOf({ own, captured }) {
  return [...own, ...captured].flatMap((a) => a.types);
}

/** @type {(walk: Walk, captured: import('./call-abi.js').Captured, place: Place) => void} */
function putInMemory(walk, captured, place) {
  const { variable, own } = captured;
  if (!walk.facts.boxed.has(variable)) walk.facts.box(variable, place);
  // It has been declared, but not been set.
  cells.set(walk, own, variable, captured.value);
  captured.value = walk.here.get(own) ?? captured.value;
}

/** @type {(walk: Walk, closure: ClosureValue, args: Value[], s: CallSite) => Value} a function that could be inlined */
function callLarge(walk, closure, args, s) {
  try {
    return callOutOfLine(walk, closure, args, s);
  } catch (error) {
    // What cannot be compiled out of line may be fine inlined, where more is known.
    if (error instanceof GraphError) walk.facts.keepInPlace(closure.callee, s.place);
    throw error;
  }
}

/** @type {(walk: Walk, closure: ClosureValue, args: Value[], s: CallSite) => Value} */
function callOutOfLine(walk, closure, args, s) {
  const passed = passWidely(walk, closure, args, s.place);
  let record = walk.functions.get(passed.key);
  if (!record) {
    record = newRecord(walk, closure, passed, args.length);
    walk.functions.set(passed.key, record);
    walkRecord(walk, record, passed.key, s);
  }
  record.isUsed ||= record.isUnderWay;
  checkRoots(walk, record, passed.arrays, s.place);
  passed.arrays.forEach((ref, k) => walk.links.push({ from: record.roots[k], to: ref.roots }));
  args.forEach((value, i) => value.kind === 'number' && (record.hints >> i) & 1 && walk.hint(value.type));
  return leave(walk, record, passed, s);
}

/** @type {(walk: Walk, record: OutOfLine, passed: PassedArguments, s: CallSite) => Value} the call itself, and what it gives */
function leave(walk, record, { own, captured, arrays }, s) {
  const args = [...own, ...captured].flatMap((a) => a.args);
  const results = (record.result?.types ?? []).map((type) => E.newLocal('result', type));
  walk.out.push({ kind: 'call', callee: record.func, args, arrays, results, place: s.place });
  if (!record.result) {
    // Nothing is known to come back from it, or nothing ever does.
    walk.out.push({ kind: 'throw', site: walk.site(s.place, 'Error', ['this is never reached']), values: [] });
    walk.env = null;
    return V.UNDEFINED;
  }
  // What a call makes is known in its block only; what is set is declared where all see it.
  const kept = results.map((local) => ({ ...local }));
  results.forEach((local, i) => walk.out.push({ kind: 'set', local: kept[i], value: M.read(local) }));
  const rest = kept[Symbol.iterator]();
  const next = () => M.read(/** @type {import('../tir/index.js').Local} */ (rest.next().value));
  return record.result.rebuild({ next, array: (ref) => comeBack(walk, record, ref, arrays, next), objects: [] });
}

/**
 * Where an array that was returned lies for the caller.
 *
 * @type {(walk: Walk, record: OutOfLine, ref: ArrayRef, arrays: ArrayRef[], next: () => Expression) => Pick<ArrayRef, 'roots' | 'owner'>}
 */
function comeBack(walk, record, ref, arrays, next) {
  const which = next();
  const given = arrays.flatMap((array, k) => (ref.roots.includes(record.roots[k]) ? [{ array, k }] : []));
  const roots = new Set(ref.roots.filter((root) => !record.roots.includes(root)));
  for (const { array } of given) for (const root of array.roots) roots.add(root);
  const one = M.constant('i64', 1);
  const owner = given.reduce(
    (rest, { array, k }) => M.select(M.binary('eq', which, ownerOf(k)), array.owner ?? one, rest),
    one,
  );
  return { roots: [...roots], owner: walk.settle(owner, 'owner') };
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

/** @type {(record: OutOfLine, i: number, j: number) => string} */
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
 * @type {(walk: Walk, record: OutOfLine, arrays: ArrayRef[]) => Root[]}
 */
function rootsOf(walk, record, arrays) {
  record.roots = arrays.map((ref) => walk.root('param', ref.roots[0]?.name ?? 'array'));
  arrays.forEach((a, i) => {
    for (let j = 0; j < i; j++) {
      if (mayBeOne(a, arrays[j])) walk.facts.together.add(pairOf(record, j, i));
      if (!walk.facts.together.has(pairOf(record, j, i))) continue;
      const [keep, drop] = [record.roots[j], record.roots[i]];
      record.roots = record.roots.map((root) => (root === drop ? keep : root));
    }
  });
  return record.roots;
}

/** @type {(walk: Walk, record: OutOfLine, arrays: ArrayRef[], place: Place) => void} */
function checkRoots(walk, record, arrays, place) {
  arrays.forEach((a, i) => {
    for (let j = 0; j < i; j++) {
      if (record.roots[i] !== record.roots[j] && mayBeOne(a, arrays[j]))
        walk.facts.bringTogether(pairOf(record, j, i), place);
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

/** @type {(walk: Walk, closure: ClosureValue, passed: PassedArguments, count: number) => OutOfLine} */
function newRecord(walk, closure, { own, captured, variables, arrays }, count) {
  const { callee } = closure;
  const func = walk.newFunc(callee.name || 'f', callee.place);
  /** @type {OutOfLine} */
  const record = {
    closure, func, own, captured, variables, count, roots: [], result: null, isUnderWay: false, isUsed: false, hints: 0,
  };
  rootsOf(walk, record, arrays);
  return record;
}

/** @type {(walk: Walk, record: OutOfLine, key: string, s: CallSite) => void} */
function walkRecord(walk, record, key, s) {
  const { func, out, env, frame, targets, depth, isWrapping, hints } = walk;
  record.isUnderWay = true;
  for (let i = 0; ; i++) {
    if (i > MOST_WALKS) refuse(s.place, 'what this function returns does not settle', 'return one type');
    const before = resultKey(record);
    // Functions found since know what this one was thought to return.
    for (const other of [...walk.functions.keys()].reverse()) {
      if (other === key) break;
      walk.functions.delete(other);
    }
    walkOnce(walk, record, frame);
    record.hints |= walk.hints;
    Object.assign(walk, { func, out, env, frame, targets, depth, isWrapping, hints });
    if (!record.isUsed || resultKey(record) === before) break;
  }
  record.isUnderWay = false;
  record.func.isRecursive = record.isUsed;
}

/** @type {(record: OutOfLine) => string} */
function resultKey({ result, roots }) {
  if (!result) return '';
  const where = result.arrays.map(
    (ref) => `${roots.map((root) => ref.roots.includes(root))} ${ref.roots.some((root) => !roots.includes(root))}`,
  );
  return [result.key, ...where].join(' ');
}

/** @type {(walk: Walk, record: OutOfLine, caller: Frame) => void} */
function walkOnce(walk, record, caller) {
  const { closure, func, own, captured, variables } = record;
  const since = walk.objects.next;
  Object.assign(walk, { func, out: [], env: new Map(), targets: new Map(), depth: 0, isWrapping: false, hints: 0 });
  const frame = newFrame(closure.callee, closure.frame, caller);
  walk.frame = frame;
  const source = sourceOf(record);
  const values = own.map((parts, i) => hinting(parts.rebuild(source), i));
  captured.forEach((parts, i) => walk.here.set(variables[i].own, parts.rebuild(source)));
  func.params = source.locals;
  enter(walk, frame, values, record.count);
  walk.run(closure.callee.body);
  finishRecord(walk, frame, record, since);
  func.body = walk.out;
}

/**
 * Parameters, as they are asked for.
 *
 * @type {(record: OutOfLine) => import('./call-abi.js').Source & { locals: import('../tir/index.js').Local[] }}
 */
function sourceOf({ own, captured, roots }) {
  const locals = [...own, ...captured].flatMap((a) =>
    a.types.map((type) => ({ ...E.newLocal('p', type), isParam: true })),
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

/** @type {(walk: Walk, frame: Frame, record: OutOfLine, since: number) => void} ends a function, and says what it gives */
function finishRecord(walk, frame, record, since) {
  const { place, name } = frame.callee;
  const isNew = (/** @type {import('./values.js').ObjectValue} */ object) => object.id >= since && !object.isCopy;
  const given = new Set(record.variables.map(({ own }) => own));
  const way = {
    place, name: name || 'a function', least: [...(record.result?.types ?? [])], keepsConstants: false, isResult: true,
    isNew, given, seen: new Map(),
  };
  finish(walk, frame, (/** @type {Value} */ value) => {
    const shape = takeApart(walk, value, way);
    for (const ref of shape.arrays) walk.facts.outlive(ref.roots, place);
    record.result = shape;
    return shape.args;
  });
}

/** @type {(walk: Walk) => Func[]} the functions that are called after all */
function functionsOf(walk) {
  /** @type {Set<Func>} */
  const found = new Set();
  const visit = (/** @type {Func} */ func) => {
    eachStatement(func.body, (s) => {
      if (s.kind !== 'call' || found.has(s.callee)) return;
      found.add(s.callee);
      visit(s.callee);
    });
  };
  visit(walk.func);
  return [...found].reverse();
}

module.exports = { callOutOfLine, callLarge, functionsOf, spreadWrites };
