/**
 * Values on their way into a function that is compiled out of line, and out of it again.
 *
 * Only scalars and pointers can be handed over, so a value is taken apart into these and put together on the other
 * side: a number that may be nothing takes its tag along, an object all its fields, a closure the variables that it
 * uses. What is known at compile time stays known, and is part of the key instead: values with the same key are handed
 * over alike.
 *
 * Objects are copied. Nobody may change a copy then, unless the object is new and nobody else's.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const Unbounded = require('./unbounded-bigints.js');
const unions = require('./object-union.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */
/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../hir/index.js').Variable} Variable */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('./walk.js').Walk} Walk */

/**
 * What a value is taken apart into.
 *
 * @typedef {object} Parts
 * @property {string} key
 * @property {string[]} types of what is handed over
 * @property {Expression[]} args
 * @property {ArrayRef[]} arrays in it
 * @property {(source: Source) => Value} rebuild
 */

/**
 * The other side: what was handed over, in order, and where arrays lie there.
 *
 * @typedef {{ next: () => Expression, array: (ref: ArrayRef) => Pick<ArrayRef, 'roots' | 'owner'>, objects: Value[] }} Source `objects`: those put together so far
 */

/**
 * @typedef {object} Way
 * @property {Place} place
 * @property {string} name of the function
 * @property {string[]} least types that numbers have at least, in order; they are taken from it
 * @property {boolean} keepsConstants whether numbers that are known stay known
 * @property {boolean} isResult
 * @property {(object: import('./values.js').ObjectValue) => boolean} isNew whether an object is nobody else's
 * @property {Set<Var>} given variables that are those of functions around, too
 * @property {Map<number, number>} seen objects by their ids, in order
 */

/** Types of numbers that are handed over, each holding those before it. */
const WIDTHS = /** @type {import('../tir/index.js').Scalar[]} */ (['i32', 'i64', 'f64']);

/** @type {(a: string, b: string) => string} the one that holds the other, where one does */
function wider(a, b) {
  const [i, j] = [a, b].map((type) => WIDTHS.indexOf(/** @type {any} */ (type)));
  return i >= 0 && j > i ? b : a;
}

/** @type {WeakMap<object, number>} */
const identities = new WeakMap();
let nextIdentity = 1;

/** @type {(value: any) => number} */
function identity(value) {
  if (!value) return 0;
  if (!identities.has(value)) identities.set(value, nextIdentity++);
  return /** @type {number} */ (identities.get(value));
}

/** @type {(value: Value, key: string) => Parts} what is known at compile time */
function known(value, key) {
  return { key, types: [], args: [], arrays: [], rebuild: () => value };
}

/** @type {(walk: Walk, value: any, way: Way) => Parts} */
function takeApart(walk, value, way) {
  const parts = partsOf(walk, value, way);
  if (value.kind !== 'object') way.least.splice(0, parts.types.length);
  return parts;
}

/** @type {(walk: Walk, value: any, way: Way) => Parts} */
function partsOf(walk, value, way) {
  switch (value.kind) {
    case 'number':
      return ofNumber(value, way);
    case 'boolean':
      return ofBoolean(value);
    case 'bigint':
      return {
        key: value.x.type, types: [value.x.type], args: [Unbounded.toFitting(walk, value).x], arrays: [],
        rebuild: (source) => V.bigint(source.next()),
      };
    case 'array':
      return ofArray(walk, value, way);
    case 'cell':
      return ofBox(value);
    case 'tensor':
      return ofTensor(walk, value, way);
    case 'object':
      return ofObject(walk, value, way);
    case 'maybe':
      return ofMaybe(walk, value, way);
    case 'never':
      return refuse(
        way.place,
        `a field of what may be nothing is handed to ${way.name}, which is compiled apart`,
        'test for it first',
      );
    case 'union':
      return ofObject(walk, unions.copied(walk, value, way.place), way);
    case 'closure':
      if (way.isResult && new Captures(walk).closure(value).found.some(({ own }) => !way.given.has(own))) {
        return refuse(
          way.place,
          `${way.name} returns a function that uses its variables, and is compiled apart`,
          'return the values',
        );
      }
      return known(value, `closure ${identity(value.callee)} ${identity(value.frame)}`);
    case 'builtin':
      return known(value, value.name);
    case 'string':
      if (value.tag)
        return refuse(
          way.place,
          `the type of what may be nothing is handed to ${way.name}, which is compiled apart`,
          'hand the value itself over',
        );
      return known(value, JSON.stringify(value.value));
    case 'mixed':
      if (way.isResult) return refuse(way.place, `${way.name} returns ${V.describe(value)}`, 'return one type');
      return known(value, value.what.join('|'));
    default:
      return known(value, value.kind);
  }
}

/** @type {(walk: Walk, value: import('./values.js').MaybeValue, way: Way) => Parts} the object, and whether it is there */
function ofMaybe(walk, value, way) {
  const { key, types, args, arrays, rebuild } = takeApart(walk, value.object, way);
  return {
    key: `${value.mayBeUndefined ? 'u' : ''}${value.mayBeNull ? 'n' : ''}${key}`,
    types: [...types, 'i32'],
    args: [...args, value.tag],
    arrays,
    rebuild: (source) => ({ ...value, object: /** @type {any} */ (rebuild(source)), tag: source.next() }),
  };
}

/** @type {(t: { undefined: boolean, null: boolean, boolean: boolean }) => string} */
function nothingKey(t) {
  return `${t.undefined ? 'u' : ''}${t.null ? 'n' : ''}${t.boolean ? 'b' : ''}`;
}

/** @type {(value: import('./values.js').NumberValue, way: Way) => Parts} */
function ofNumber(value, { least, keepsConstants }) {
  const t = value.type;
  const constant = M.valueOf(value.x);
  if (keepsConstants && constant !== undefined && !N.isNothing(t))
    return known(value, `=${Object.is(constant, -0) ? '-0' : constant}:${value.x.type}`);
  // A parameter that grows by small steps from call to call counts, as one in a loop does.
  const own = N.isInteger(t) && N.mayCount(t) ? (N.fitsInt32(t) ? 'i32' : 'i64') : 'f64';
  const type = /** @type {import('../tir/index.js').Scalar} */ (wider(own, least[0] ?? own));
  const { undefined: mayBeUndefined, null: mayBeNull, boolean } = t;
  const nothing = { undefined: mayBeUndefined, null: mayBeNull, boolean };
  const general =
    type === 'i32' ? N.int32 : type === 'i64' ? N.counter : N.number({ negativeZero: true, nan: true, ...nothing });
  const isTagged = N.isNothing(general);
  return {
    key: type + nothingKey(general),
    types: isTagged ? [type, 'i32'] : [type],
    args: isTagged ? [M.convert(value.x, type), E.tagOf(value)] : [M.convert(value.x, type)],
    arrays: [],
    rebuild: (source) => new V.NumberValue(general, source.next(), { tag: isTagged ? source.next() : null }),
  };
}

/** @type {(value: import('./values.js').BooleanValue) => Parts} */
function ofBoolean(value) {
  const { mayBeUndefined, mayBeNull } = value;
  const isTagged = mayBeUndefined || mayBeNull;
  return {
    key: `bool${nothingKey({ undefined: mayBeUndefined, null: mayBeNull, boolean: false })}`,
    types: isTagged ? ['bool', 'i32'] : ['bool'],
    args: isTagged ? [value.x, value.tag ?? M.constant('i32', 0)] : [value.x],
    arrays: [],
    rebuild: (source) => ({
      kind: 'boolean', x: source.next(), tag: isTagged ? source.next() : null, mayBeUndefined, mayBeNull,
    }),
  };
}

/** @type {(ref: ArrayRef, isResult: boolean) => Expression[]} pointers are not returned, but their addresses are */
function memoryArgs(ref, isResult) {
  if (!isResult) return [ref.pointer, ref.length];
  return [{ op: 'address', type: 'i64', args: [ref.pointer] }, ref.length, ref.owner ?? M.constant('i64', 1)];
}

/** @type {(walk: Walk, ref: ArrayRef, isResult: boolean, source: Source) => ArrayRef} */
function memoryFrom(walk, ref, isResult, source) {
  const { type } = ref.pointer;
  const at = source.next();
  const pointer = isResult ? walk.settle({ op: 'pointer', type, args: [at] }, 'result') : at;
  return { ...ref, pointer, length: source.next(), ...source.array(ref) };
}

/**
 * What is known of its elements is part of the key.
 *
 * @type {(walk: Walk, value: import('./values.js').ArrayValue, way: Way) => Parts}
 */
function ofArray(walk, value, { isResult }) {
  const { ref, tag } = value;
  const args = [...memoryArgs(ref, isResult), ...(tag ? [tag] : [])];
  return {
    key: `${ref.dtype}${ref.clamps ? 'c' : ''}${value.isList ? 'l' : ''}[${identity(value.site)}]${tag ? 't' : ''}`,
    types: args.map(({ type }) => type),
    args,
    arrays: [ref],
    rebuild: (source) => ({ ...value, ref: memoryFrom(walk, ref, isResult, source), tag: tag ? source.next() : null }),
  };
}

/** @type {(value: any) => Parts} a variable in memory */
function ofBox(value) {
  const { ref } = value;
  return {
    key: `box ${ref.dtype} ${identity(value.site)}`,
    types: [ref.pointer.type],
    args: [ref.pointer],
    arrays: [ref],
    rebuild: (source) => ({ ...value, ref: { ...ref, pointer: source.next(), ...source.array(ref) } }),
  };
}

/** @type {(walk: Walk, value: import('./values.js').TensorValue, way: Way) => Parts} */
function ofTensor(walk, { ref, sizes, strides }, { isResult }) {
  const args = [...memoryArgs(ref, isResult), ...sizes, ...strides];
  return {
    key: `tensor ${ref.dtype} ${sizes.length}`,
    types: args.map(({ type }) => type),
    args,
    arrays: [ref],
    rebuild(source) {
      const whole = memoryFrom(walk, ref, isResult, source);
      const [own, steps] = [sizes, strides].map((list) => list.map(() => source.next()));
      return { kind: 'tensor', ref: whole, sizes: own, strides: steps };
    },
  };
}

/**
 * Field by field; the same object twice stays one.
 *
 * @type {(walk: Walk, object: import('./values.js').ObjectValue, way: Way) => Parts}
 */
function ofObject(walk, object, way) {
  const before = way.seen.get(object.id);
  if (before !== undefined)
    return { key: `same ${before}`, types: [], args: [], arrays: [], rebuild: ({ objects }) => objects[before] };
  way.seen.set(object.id, way.seen.size);
  const names = [...object.fields.keys()];
  const parts = names.map((name) =>
    takeApart(walk, walk.here.get(/** @type {Var} */ (object.fields.get(name))) ?? V.UNDEFINED, way),
  );
  const isNew = way.isNew(object);
  const site = object.site && (isNew ? 'new' : identity(object.site));
  return {
    key: `${object.isTuple ? '[' : '{'}${names.map((name, i) => `${name}:${parts[i].key}`).join()} ${site}`,
    types: parts.flatMap((p) => p.types),
    args: parts.flatMap((p) => p.args),
    arrays: parts.flatMap((p) => p.arrays),
    rebuild(source) {
      const made = walk.objects.make('copy', names, object.isTuple, object.site);
      source.objects.push(made);
      [...made.fields.values()].forEach((own, i) => walk.here.set(own, parts[i].rebuild(source)));
      made.isCopy = !isNew;
      made.nesting = walk.nesting;
      return made;
    },
  };
}

// --- what closures use ---

/** @typedef {{ variable: Variable, own: Var, value: Value }} Captured */

/** Finds the variables that a function, and the closures it can get hold of, use of those around them. */
class Captures {
  /** @type {Captured[]} */
  found = [];
  /** @type {Set<Var>} */
  #vars = new Set();
  /** @type {Map<FunctionNode, Set<any>>} */
  #closures = new Map();
  #walk;

  /** @param {Walk} walk */
  constructor(walk) {
    this.#walk = walk;
  }

  /** @param {any} value closures in it */
  value(value) {
    if (value?.kind === 'closure') this.closure(value);
    if (value?.kind === 'object') for (const own of value.fields.values()) this.value(this.#walk.here.get(own));
    if (value?.kind === 'maybe') this.value(value.object);
    if (value?.kind === 'union') value.choices.forEach((/** @type {Value} */ v) => this.value(v));
  }

  /** @param {import('./values.js').ClosureValue} closure */
  closure({ callee, frame }) {
    const frames = this.#closures.get(callee) ?? new Set();
    if (frames.has(frame)) return this;
    this.#closures.set(callee, frames.add(frame));
    for (const variable of callee.captures) {
      const own = variable.owner ? this.#walk.resolve(frame, variable) : this.#walk.inputs.shares(variable);
      if (!own || this.#vars.has(own)) continue;
      const value = this.#walk.here.get(own);
      if (!value) continue;
      this.#vars.add(own);
      this.found.push({ variable, own, value });
      this.value(value);
    }
    return this;
  }

  /** Those that some of the functions set and that are not in memory yet. */
  get set() {
    const callees = [...this.#closures.keys()];
    return this.found.filter(
      ({ variable, value }) => value.kind !== 'cell' && callees.some((callee) => isSetIn(callee, variable)),
    );
  }
}

/** @type {(walk: Walk, closure: import('./values.js').ClosureValue, args: Value[]) => Captures} */
function capturesOf(walk, closure, args) {
  const captures = new Captures(walk).closure(closure);
  args.forEach((value) => captures.value(value));
  return captures;
}

/** @type {WeakMap<FunctionNode, Set<object>>} */
const setVariables = new WeakMap();

/** @type {(callee: FunctionNode, variable: object) => boolean} whether a function, or one inside it, sets a variable */
function isSetIn(callee, variable) {
  let all = setVariables.get(callee);
  if (!all) {
    all = new Set();
    collectSets(callee.body, all, new Set([callee]));
    setVariables.set(callee, all);
  }
  return all.has(variable);
}

/** Fields of nodes that lead elsewhere. */
const REFERENCES = new Set(['place', 'variable', 'result', 'target', 'fresh']);

/** @type {(node: any, all: Set<object>, seen: Set<object>) => void} seen: functions, which may name themselves */
function collectSets(node, all, seen) {
  if (!node || typeof node !== 'object') return;
  if (node.kind === 'set' || node.kind === 'prange') all.add(node.variable);
  if ((node.kind === 'call' || node.kind === 'method') && node.result) all.add(node.result);
  if (node.kind === 'closure') {
    if (!seen.has(node.callee)) collectSets(node.callee.body, all, seen.add(node.callee));
    return;
  }
  for (const [key, part] of Object.entries(node)) if (!REFERENCES.has(key)) collectSets(part, all, seen);
}

module.exports = { capturesOf, identity, takeApart, wider };
