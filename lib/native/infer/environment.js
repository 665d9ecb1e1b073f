/**
 * What variables hold at a place in the program, and how that of several ways into a place becomes one.
 *
 * Inference walks the tree in the order of execution and keeps, for every variable, the value that it has there. A
 * number that changes lies in a local, one for each machine type that the variable has in the course of the function;
 * the environment says which one counts. Where ways join, each that has the value elsewhere gets statements, before it
 * leaves, that bring it to where all will look for it. So a variable is an integer where it can be and a float where it
 * must, in one function.
 *
 * Locals are made by `set` alone; tir/place-locals.js finds out afterwards where they are declared.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const Maybe = require('./nullable.js');
const Unbounded = require('./unbounded-bigints.js');
const { eachNode, someNode } = require('../tir/walk.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('./walk.js').Walk} Walk */

const { isNothing } = Maybe;

/** @typedef {Map<Var, Value>} Env */

/**
 * A way into a place: what variables are at its end, and how statements get there.
 *
 * @typedef {{ env: Env, list: Statement[], before?: Statement }} Edge `before`: the jump that ends it
 */

/** @type {(name: string, type: string) => Local} */
function newLocal(name, type) {
  return { name: name || 't', type, isParam: false, isSet: false };
}

/** @type {(walk: Walk, variable: Var, type: string, part?: string) => Local} where it lies while it is of this type */
function slotOf(walk, variable, type, part = '') {
  const key = `${walk.func.id}:${part}${type}`;
  let local = variable.slots.get(key);
  if (!local) {
    local = newLocal(variable.name + (part && `_${part}`), type);
    local.isSet = true;
    variable.slots.set(key, local);
  }
  return local;
}

/** @type {(e: Expression, local: Local) => boolean} */
function isRead(e, local) {
  return e.op === 'local' && e.local === local;
}

/** @type {(a: Expression | null, b: Expression | null) => boolean} the same constant or local */
function isSame(a, b) {
  if (a === b) return true;
  if (!a || !b || a.type !== b.type || a.op !== b.op) return false;
  return a.op === 'const' ? Object.is(a.value, b.value) : a.op === 'local' && a.local === b.local;
}

// --- assigning ---

/** @type {(local: Local, value: Expression, push: (s: Statement) => void) => void} */
function assign(local, value, push) {
  if (!isRead(value, local)) push({ kind: 'set', local, value });
}

/** The tag of a boolean among numbers. */
const BOOLEAN = 3;

/** @type {(v: Value) => Expression} whether it is a number (0), undefined (1), null (2) or a boolean (3) */
function tagOf(v) {
  if (v.kind === 'undefined') return M.constant('i32', 1);
  if (v.kind === 'null') return M.constant('i32', 2);
  if (v.kind === 'boolean')
    return v.tag
      ? M.select(M.binary('eq', v.tag, M.constant('i32', 0)), M.constant('i32', BOOLEAN), v.tag)
      : M.constant('i32', BOOLEAN);
  return /** @type {any} */ (v).tag ?? M.constant('i32', 0);
}

/**
 * A number, boolean or nothing as ToNumber makes it, in a machine type that holds it: whatever the tag, who wants a
 * number reads just this.
 *
 * @type {(v: Value, type: any) => Expression}
 */
function numberAs(v, type) {
  if (v.kind === 'undefined') return M.constant(type, NaN);
  if (v.kind === 'null') return M.constant(type, 0);
  const x = M.convert(/** @type {any} */ (v).x, type);
  const tag = v.kind === 'boolean' && v.mayBeUndefined ? v.tag : null;
  return tag ? M.select(M.binary('eq', tag, M.constant('i32', 1)), M.constant(type, NaN), x) : x;
}

/** @type {(walk: Walk, object: import('./values.js').ObjectValue) => Value[]} what its fields hold, in their order */
function heldBy(walk, object) {
  return [...object.fields.values()].map((own) => walk.here.get(own) ?? V.UNDEFINED);
}

/** @type {(walk: Walk, variable: Var, value: Value) => void} */
function setVariable(walk, variable, value) {
  const push = (/** @type {Statement} */ s) => walk.out.push(s);
  walk.here.set(variable, store(walk, variable, value, push, false));
}

/**
 * Brings a value to where a variable has values of its type, and says what the variable is then.
 *
 * @type {(walk: Walk, variable: Var, value: Value, push: (s: Statement) => void, always: boolean) => Value}
 *   `always`: even what never changes is copied
 */
function store(walk, variable, value, push, always) {
  const keep = (/** @type {Expression} */ e) => !always && M.isStable(e);
  switch (value.kind) {
    case 'number': {
      if (keep(value.x) && (!value.tag || keep(value.tag))) return value;
      const local = slotOf(walk, variable, value.x.type);
      const tag = keptTag(value.tag, local, push);
      assign(local, value.x, push);
      return new V.NumberValue(value.type, M.read(local), { tag: storeTag(walk, variable, tag, push) });
    }
    case 'boolean': {
      if (keep(value.x) && (!value.tag || keep(value.tag))) return value;
      const local = slotOf(walk, variable, 'bool');
      const tag = keptTag(value.tag, local, push);
      assign(local, value.x, push);
      return { ...value, x: M.read(local), tag: storeTag(walk, variable, tag, push) };
    }
    case 'bigint': {
      if (keep(value.x)) return value;
      const local = slotOf(walk, variable, value.x.type);
      assign(local, value.x, push);
      return { ...value, x: M.read(local) };
    }
    case 'array': {
      const { ref } = value;
      if (keep(ref.pointer) && keep(ref.length) && (!value.tag || keep(value.tag))) return value;
      const pointer = slotOf(walk, variable, ref.pointer.type, 'at');
      const length = slotOf(walk, variable, 'i64', 'length');
      assign(pointer, ref.pointer, push);
      assign(length, ref.length, push);
      return {
        ...value,
        tag: storeTag(walk, variable, value.tag ?? null, push),
        ref: {
          ...ref, pointer: M.read(pointer), length: M.read(length), owner: storeOwner(walk, variable, ref.owner, push),
        },
      };
    }
    case 'string':
      return value.tag && !keep(value.tag) ? { ...value, tag: storeTag(walk, variable, value.tag, push) } : value;
    case 'maybe':
      return {
        ...value,
        tag: keep(value.tag) ? value.tag : /** @type {Expression} */ (storeTag(walk, variable, value.tag, push)),
      };
    default:
      return value;
  }
}

/** @type {(walk: Walk, variable: Var, owner: Expression | undefined, push: (s: Statement) => void) => Expression | undefined} */
function storeOwner(walk, variable, owner, push) {
  if (!owner || owner.op === 'const') return owner;
  const local = slotOf(walk, variable, 'i64', 'owner');
  assign(local, owner, push);
  return M.read(local);
}

/** @type {(e: Expression, local: Local) => boolean} */
const reads = (e, local) => isRead(e, local) || e.args.some((/** @type {Expression} */ arg) => reads(arg, local));

/**
 * Of `x = list[x]`, the tag asks where the old x points.
 *
 * @type {(tag: Expression | null, local: Local, push: (s: Statement) => void) => Expression | null}
 */
function keptTag(tag, local, push) {
  if (!tag || !reads(tag, local)) return tag;
  const kept = newLocal('tag', tag.type);
  push({ kind: 'set', local: kept, value: tag });
  return M.read(kept);
}

/** @type {(walk: Walk, variable: Var, tag: Expression | null, push: (s: Statement) => void) => Expression | null} */
function storeTag(walk, variable, tag, push) {
  if (!tag || tag.op === 'const') return tag;
  const local = slotOf(walk, variable, 'i32', 'tag');
  assign(local, tag, push);
  return M.read(local);
}

// --- joining ---

/** @type {(v: Value) => import('./number-types.js').Num} nothing counts as a number that may be nothing */
function numberType(v) {
  if (v.kind === 'number') return v.type;
  if (v.kind === 'boolean')
    return { ...N.integer(0, 1, 32), boolean: true, undefined: v.mayBeUndefined, null: v.mayBeNull };
  return N.number({
    lo: Infinity, hi: -Infinity, int: true, single: true, width: 0, undefined: v.kind === 'undefined',
    null: v.kind === 'null',
  });
}

/**
 * What it is where values meet, lying in the variable's slots.
 *
 * @type {(walk: Walk, variable: Var, values: Value[], widenFrom: Value | null) => Value}
 */
function joinValues(walk, variable, all, widenFrom) {
  const values = all.filter((v) => v.kind !== 'never');
  if (values.length === 0) return all[0];
  if (Maybe.isMaybe(values)) return isOther(values, widenFrom) ? mixed(values) : joinMaybe(walk, variable, values);
  const isAbsent = values.length < all.length;
  const kinds = new Set(values.map((v) => v.kind));
  const solid = values.filter((v) => !isNothing(v));
  toMemory(walk, solid);
  const kind = solid.find((v) => v.kind !== 'boolean')?.kind ?? solid[0]?.kind;
  if (solid.some((v) => v.kind !== kind && !(kind === 'number' && v.kind === 'boolean'))) return mixed(values);
  const nothing = solid.length < values.length;
  switch (kind) {
    case undefined:
      return kinds.size === 1 && !kinds.has('number') ? values[0] : joinNumbers(walk, variable, values, widenFrom);
    case 'number':
      return joinNumbers(walk, variable, values, widenFrom);
    case 'boolean':
      return joinBooleans(walk, variable, values);
    case 'bigint':
      return nothing ? mixed(values) : joinBigInts(walk, variable, /** @type {any} */ (values), widenFrom);
    case 'array':
      return joinArrays(walk, variable, /** @type {any} */ (solid), nothing, isAbsent);
    default:
      return !nothing && solid.every((v) => isSameKnown(v, solid[0])) ? solid[0] : mixed(values);
  }
}

/**
 * Whether every round of a loop chooses another one of several objects.
 *
 * @type {(values: Value[], before: Value | null) => boolean}
 */
function isOther(values, before) {
  const was = before && Maybe.objectOf(before);
  return was?.kind === 'union' && values.map((v) => Maybe.objectOf(v)).find((object) => object).id !== was.id;
}

/** @type {(walk: Walk, variable: Var, values: any[]) => Value} */
function joinMaybe(walk, variable, values) {
  const isSameTag = values.every((v) => v.kind === 'maybe' && isSame(v.tag, values[0].tag));
  return Maybe.join(values, () => (isSameTag ? values[0].tag : M.read(slotOf(walk, variable, 'i32', 'tag'))));
}

/**
 * Tuples of several lengths, or a tuple and an array, have one type in memory.
 *
 * @type {(walk: Walk, values: any[]) => void}
 */
function toMemory(walk, values) {
  if (!values.every((v) => (v.kind === 'object' && v.isTuple && v.site) || (v.kind === 'array' && v.isList))) return;
  const tuples = values.filter((v) => v.kind === 'object');
  const isOneShape = tuples.length === values.length && tuples.every((v) => v.fields.size === tuples[0].fields.size);
  if (tuples.length > 0 && !isOneShape) walk.facts.putInMemory(tuples[0].site, tuples[0].site.node.place);
}

/** @type {(values: Value[]) => Value} */
function mixed(values) {
  const what = values.flatMap((v) => (v.kind === 'mixed' ? v.what : [V.describe(v)]));
  return { kind: 'mixed', what: [...new Set(what)].sort() };
}

/** @type {(a: any, b: any) => boolean} whether two values known at compile time are one */
function isSameKnown(a, b) {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'string') return a.value === b.value && isSame(a.tag ?? null, b.tag ?? null);
  if (a.kind === 'builtin') return a.name === b.name;
  if (a.kind === 'closure') return a.callee === b.callee && a.frame === b.frame;
  if (a.kind === 'object' || a.kind === 'union') return a.id === b.id;
  if (a.kind === 'tensor') return a.ref === b.ref;
  return false;
}

/** @type {(walk: Walk, before: import('./number-types.js').Num, now: import('./number-types.js').Num) => import('./number-types.js').Num} */
function widened(walk, before, now) {
  const type = N.widen(before, now);
  if (!walk.widensFully || N.isEqual(type, before)) return type;
  const { undefined: mayBeUndefined, null: mayBeNull, boolean, from } = type;
  return { ...N.anyNumber, undefined: mayBeUndefined, null: mayBeNull, boolean, from };
}

/** @type {(walk: Walk, variable: Var, values: Value[], widenFrom: Value | null) => Value} */
function joinNumbers(walk, variable, values, widenFrom) {
  let type = values.map(numberType).reduce(N.join);
  if (widenFrom && (widenFrom.kind === 'number' || widenFrom.kind === 'boolean' || isNothing(widenFrom)))
    type = widened(walk, numberType(widenFrom), type);
  const first = /** @type {any} */ (values[0]);
  const tagged = N.isNothing(type);
  if (values.every((v) => v.kind === 'number' && isSame(v.x, first.x) && isSame(v.tag, first.tag))) {
    if (first.x.type === N.typeOf(type)) return new V.NumberValue(type, first.x, { tag: first.tag });
  }
  const x = M.read(slotOf(walk, variable, N.typeOf(type)));
  return new V.NumberValue(type, x, { tag: tagged ? M.read(slotOf(walk, variable, 'i32', 'tag')) : null });
}

/** @type {(walk: Walk, variable: Var, values: any[]) => Value} */
function joinBooleans(walk, variable, values) {
  const mayBeUndefined = values.some((v) => Maybe.mayBe(v, 'undefined'));
  const mayBeNull = values.some((v) => Maybe.mayBe(v, 'null'));
  const first = values[0];
  if (values.every((v) => v.kind === 'boolean' && isSame(v.x, first.x) && isSame(v.tag, first.tag)))
    return { ...first, mayBeUndefined, mayBeNull };
  const tag = mayBeUndefined || mayBeNull ? M.read(slotOf(walk, variable, 'i32', 'tag')) : null;
  return { kind: 'boolean', x: M.read(slotOf(walk, variable, 'bool')), tag, mayBeUndefined, mayBeNull };
}

/** @type {(walk: Walk, variable: Var, values: import('./values.js').BigIntValue[], widenFrom: Value | null) => Value} */
function joinBigInts(walk, variable, values, widenFrom) {
  let lo = values.reduce((m, v) => (v.lo < m ? v.lo : m), values[0].lo);
  let hi = values.reduce((m, v) => (v.hi > m ? v.hi : m), values[0].hi);
  if (widenFrom?.kind === 'bigint') {
    const unsigned = lo >= 0n && hi > V.MOST_I64;
    if (lo < widenFrom.lo) lo = lo >= 0n ? 0n : V.LEAST_I64;
    if (hi > widenFrom.hi) hi = unsigned || hi > V.MOST_I64 ? V.MOST_U64 : V.MOST_I64;
  }
  const types = new Set(values.filter((v) => v.x.op !== 'const').map((v) => v.x.type));
  const type = hi > V.MOST_I64 && lo >= 0n ? 'u64' : types.size === 1 && lo >= 0n ? [...types][0] : 'i64';
  const first = values.find((v) => v.unbounded) ?? values[0];
  if (values.every((v) => isSame(v.x, first.x)))
    return first.unbounded ? { ...first, lo, hi } : V.bigint(first.x, lo, hi);
  return V.bigint(M.read(slotOf(walk, variable, type)), lo, hi);
}

/**
 * `nothing`: or undefined or null; `isAbsent`: or of an object that is not there.
 *
 * @type {(walk: Walk, variable: Var, values: import('./values.js').ArrayValue[], nothing: boolean, isAbsent: boolean) => Value}
 */
function joinArrays(walk, variable, values, nothing, isAbsent) {
  const [first] = values;
  const { ref } = first;
  if (values.every((v) => v.isList) && values.some((v) => v.ref.dtype !== ref.dtype))
    walk.facts.makeDoubles(values.map((v) => v.site));
  if (values.some((v) => v.ref.dtype !== ref.dtype || v.ref.clamps !== ref.clamps || v.isList !== first.isList))
    return mixed(values);
  const isSameTag = values.every((v) => isSame(v.tag ?? null, first.tag ?? null));
  if (
    !nothing &&
    !isAbsent &&
    isSameTag &&
    values.every((v) => isSame(v.ref.pointer, ref.pointer) && isSame(v.ref.length, ref.length))
  )
    return first;
  const roots = [...new Set(values.flatMap((v) => v.ref.roots))];
  const pointer = M.read(slotOf(walk, variable, ref.pointer.type, 'at'));
  const length =
    !nothing && !isAbsent && values.every((v) => isSame(v.ref.length, ref.length) && M.isStable(v.ref.length))
      ? ref.length
      : M.read(slotOf(walk, variable, 'i64', 'length'));
  const site = values.every((v) => v.site === first.site) ? first.site : walk.facts.unify(values.map((v) => v.site));
  const owner = values.every((v) => isSame(v.ref.owner ?? null, ref.owner ?? null))
    ? ref.owner
    : M.read(slotOf(walk, variable, 'i64', 'owner'));
  const tag = nothing || values.some((v) => v.tag) ? M.read(slotOf(walk, variable, 'i32', 'tag')) : null;
  return { ...first, ref: { ...ref, pointer, length, roots, owner }, site, tag };
}

// --- moving ---

/**
 * What brings values to where others lie. All sets happen at once: their values are what they are before the first of
 * them. `checks` are statements in front of them.
 *
 * @typedef {{ checks: Statement[], sets: import('../tir/index.js').SetStmt[] }} Moves
 */

/**
 * What meets others has 64 bits.
 *
 * @type {(walk: Walk, from: import('./values.js').BigIntValue, moves: Moves) => import('./values.js').BigIntValue}
 */
function fittingOnWay(walk, from, moves) {
  const { out } = walk;
  walk.out = moves.checks;
  const fits = Unbounded.toFitting(walk, from);
  walk.out = out;
  return fits;
}

/** @type {(walk: Walk, from: Value, to: Value, moves: Moves) => void} brings a value to where another lies */
function bring(walk, from, to, moves) {
  if (from === to) return;
  const put = (/** @type {Expression | null} */ place, /** @type {() => Expression} */ value) => {
    if (place?.op === 'local' && place.local.isSet)
      assign(place.local, value(), (s) => moves.sets.push(/** @type {any} */ (s)));
  };
  if (from.kind === 'never' && to.kind !== 'array') return;
  if (to.kind === 'number') {
    put(to.x, () => numberAs(from, to.x.type));
    put(to.tag, () => tagOf(from));
  } else if (to.kind === 'boolean') {
    put(to.x, () => (from.kind === 'boolean' ? from.x : M.constant('bool', false)));
    put(to.tag, () => (from.kind === 'boolean' ? (from.tag ?? M.constant('i32', 0)) : tagOf(from)));
  } else if (to.kind === 'bigint' && from.kind === 'bigint') {
    put(to.x, () => M.convert(fittingOnWay(walk, from, moves).x, /** @type {any} */ (to.x.type)));
  } else if (to.kind === 'array' && (isNothing(from) || from.kind === 'never')) {
    put(to.ref.pointer, () => ({ op: 'nowhere', type: to.ref.pointer.type, args: [] }));
    put(to.ref.length, () => M.constant('i64', 0));
    put(to.ref.owner ?? null, () => M.constant('i64', 1));
    put(to.tag ?? null, () => tagOf(from));
  } else if (to.kind === 'array' && from.kind === 'array') {
    put(to.tag ?? null, () => tagOf(from));
    put(to.ref.pointer, () => from.ref.pointer);
    put(to.ref.length, () => from.ref.length);
    put(to.ref.owner ?? null, () => from.ref.owner ?? M.constant('i64', 1));
  }
  if (to.kind === 'maybe') put(to.tag, () => tagOf(from));
}

/**
 * Writes moves one after the other. The field of an object may be moved from a local that another field is moved to:
 * objects of a loop change places. So what reads a local that is set before it is evaluated in front of all sets.
 *
 * @type {(moves: Moves, push: (s: Statement) => void) => void}
 */
function pushMoves({ checks, sets }, push) {
  checks.forEach(push);
  /** @type {Set<Local>} */
  const written = new Set();
  const ordered = sets.map((s) => {
    const isLate = written.size > 0 && someNode(s.value, (e) => e.op === 'local' && written.has(e.local));
    written.add(s.local);
    if (!isLate) return s;
    const kept = newLocal(s.local.name, s.local.type);
    push({ kind: 'set', local: kept, value: s.value });
    return { ...s, value: M.read(kept) };
  });
  ordered.forEach(push);
}

/**
 * Brings variables to where those of another environment lie.
 *
 * @type {(walk: Walk, from: Env, to: Env, push: (s: Statement) => void) => void}
 */
function bringAll(walk, from, to, push) {
  /** @type {Moves} */
  const moves = { checks: [], sets: [] };
  for (const [variable, value] of to) {
    const own = from.get(variable);
    if (own) bring(walk, own, value, moves);
  }
  pushMoves(moves, push);
}

/** @type {(env: Env) => Set<Local>} the locals that variables lie in */
function localsOf(env) {
  /** @type {Set<Local>} */
  const found = new Set();
  for (const value of env.values()) {
    const { x, tag, ref } = /** @type {any} */ (value);
    for (const e of [x, tag, ref?.pointer, ref?.length, ref?.owner]) {
      if (e) eachNode(e, ({ op, local }) => op === 'local' && found.add(local));
    }
  }
  return found;
}

/** @type {(edge: Edge) => (s: Statement) => void} */
function pusher({ list, before }) {
  if (!before) return (s) => list.push(s);
  return (s) => list.splice(list.indexOf(before), 0, s);
}

/**
 * The environment behind the place that all edges lead to; null if there are none.
 *
 * @type {(walk: Walk, edges: Edge[]) => Env | null}
 */
function merge(walk, edges) {
  if (edges.length === 0) return null;
  if (edges.length === 1) return edges[0].env;
  walk.objects.unify(edges);
  Maybe.fillAbsent(edges);
  /** @type {Env} */
  const env = new Map();
  const moves = edges.map(() => /** @type {Moves} */ ({ checks: [], sets: [] }));
  for (const [variable, first] of edges[0].env) {
    const values = edges.map((e) => e.env.get(variable));
    if (values.some((v) => v === undefined)) continue;
    if (values.every((v) => v === first)) {
      env.set(variable, first);
      continue;
    }
    const joined = joinValues(walk, variable, /** @type {Value[]} */ (values), null);
    edges.forEach((_, i) => bring(walk, /** @type {Value} */ (values[i]), joined, moves[i]));
    env.set(variable, joined);
  }
  edges.forEach((edge, i) => pushMoves(moves[i], pusher(edge)));
  return env;
}

/** @type {(a: any, b: any) => boolean} whether two values are of the same type and lie in the same place */
function isAlike(a, b) {
  if (a === b) return true;
  if (!a || !b || a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'number':
      return N.isEqual(a.type, b.type) && isSame(a.x, b.x) && isSame(a.tag, b.tag);
    case 'boolean':
      return (
        isSame(a.x, b.x) && isSame(a.tag, b.tag) && a.mayBeUndefined === b.mayBeUndefined && a.mayBeNull === b.mayBeNull
      );
    case 'bigint':
      return a.lo === b.lo && a.hi === b.hi && isSame(a.x, b.x) && !a.unbounded === !b.unbounded;
    case 'array':
      return (
        a.site === b.site &&
        isSame(a.tag ?? null, b.tag ?? null) &&
        isSame(a.ref.pointer, b.ref.pointer) &&
        isSame(a.ref.length, b.ref.length) &&
        isSame(a.ref.owner ?? null, b.ref.owner ?? null) &&
        a.ref.roots.length === b.ref.roots.length
      );
    case 'mixed':
      return a.what.join() === b.what.join();
    case 'maybe':
      return (
        a.object.id === b.object.id &&
        isSame(a.tag, b.tag) &&
        a.mayBeUndefined === b.mayBeUndefined &&
        a.mayBeNull === b.mayBeNull
      );
    case 'undefined':
    case 'null':
    case 'never':
      return true;
    default:
      return isSameKnown(a, b);
  }
}

module.exports = {
  BOOLEAN, bringAll, heldBy, isAlike, isSame, joinValues, localsOf, merge, newLocal, numberAs, numberType, setVariable,
  tagOf,
};
