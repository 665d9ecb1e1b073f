/**
 * Properties: `object[index]` and `object.name` of any value, read and written.
 *
 * By what the object is this is an element in memory (memory.js), a variable of an object or tuple, a choice among
 * several (object-union.js), or a field of a Tensor (tensors.js). A tuple that is indexed by what is not known sends
 * inference back to the start with the literal in memory.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');
const Maybe = require('./nullable.js');
const memory = require('./memory.js');
const tensors = require('./tensors.js');
const unions = require('./object-union.js');
const { toNumber } = require('./conversions.js');
const { wrapping } = require('./expressions.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/**
 * Where a property is asked for, or set; `index` and `value` tell the place of a complaint.
 *
 * @typedef {{ place: Place, index?: { place: Place }, value?: { place: Place } }} AccessNode
 */

/** @type {(walk: Walk, e: import('../hir/index.js').IndexNode) => Value} object[index] */
function index(walk, e) {
  const object = walk.evaluate(e.object);
  if (e.isLooped && isScalar(object))
    refuse(e.place, `${V.describe(object)} cannot be taken apart as an array`, 'hand over an array');
  return elementOf(walk, object, walk.evaluate(e.index), e);
}

/**
 * A[true] asks for what is called 'true', which no array has.
 *
 * @type {(at: Value, place: Place) => import('./values.js').NumberValue}
 */
function keyOf(at, place) {
  if (at.kind === 'boolean' || at.kind === 'null') return V.numberConstant(-1);
  const number = toNumber(at, place);
  if (at.kind !== 'number' || !at.tag || !(at.type.null || at.type.boolean)) return number;
  const is = (/** @type {number} */ tag) => M.binary('eq', /** @type {Expression} */ (at.tag), M.constant('i32', tag));
  const type = { ...number.type, lo: Math.min(number.type.lo, -1) };
  const machine = N.typeOf(type);
  return new V.NumberValue(
    type,
    M.select(M.or(is(2), is(E.BOOLEAN)), M.constant(machine, -1), M.convert(number.x, machine)),
  );
}

/** @type {(walk: Walk, object: Value, key: Value, e: AccessNode) => Value} */
function elementOf(walk, object, key, e) {
  const { place } = e;
  const at = indexFrom(key, e.index?.place ?? place);
  const name = nameOf(at);
  if (object.kind === 'maybe') return elementOf(walk, Maybe.there(walk, object, 'read', name ?? at, place), at, e);
  if (at.kind === 'string') return field(walk, object, at.value, place);
  if (object.kind === 'array') return memory.load(walk, object, keyOf(at, e.index?.place ?? place), place);
  if (name !== null && (object.kind === 'object' || object.kind === 'union')) return field(walk, object, name, place);
  if (object.kind === 'object') {
    if (!object.isTuple) return dynamic(walk, object, place);
    const i = keyOf(at, e.index?.place ?? place);
    const known = constantOf(i);
    if (known !== null) return field(walk, object, String(known), place);
    return isChosen(walk, object) ? unions.elementOf(walk, object, i, place) : dynamic(walk, object, place);
  }
  if (/** @type {any} */ (object).kind === 'union') {
    putInMemory(walk, object.choices, place);
    return unions.elementOfOne(walk, object, keyOf(at, e.index?.place ?? place), place);
  }
  if (isScalar(object)) return fieldOfScalar(walk, object, name ?? at, place);
  return refuse(
    place,
    `${V.describe(object)} has no elements`,
    object.kind === 'mixed' ? 'give it one type on every way to here' : 'index an array',
  );
}

/** @type {(key: Value, place: Place) => Value} a['1'] is a[1] */
function indexFrom(key, place) {
  if (key.kind !== 'string') return key;
  if (key.tag) refuse(place, 'the typeof of what may be nothing is a key', 'compare it with a text');
  const number = Number(key.value);
  return String(number) === key.value ? V.numberConstant(number) : key;
}

/** @type {(at: any) => string | null} the name of the field that a key asks for, where that is known */
function nameOf(at) {
  if (at.tag) return null;
  if (at.kind === 'string') return at.value;
  if (at.kind === 'undefined' || at.kind === 'null') return at.kind;
  const known = at.kind === 'number' || at.kind === 'boolean' || at.kind === 'bigint' ? M.valueOf(at.x) : undefined;
  if (known !== undefined) return String(known);
  const fixed = at.kind === 'number' ? constantOf(at) : null;
  return fixed === null ? null : String(fixed);
}

/** @type {(v: import('./values.js').NumberValue) => number | null} */
function constantOf(v) {
  const { lo, hi, nan } = v.type;
  return lo === hi && !nan && !N.isNothing(v.type) ? lo + 0 : null;
}

/**
 * Whether an element is chosen among variables: objects are no memory, and arguments are taken apart.
 *
 * @type {(walk: Walk, object: import('./values.js').ObjectValue) => boolean}
 */
function isChosen(walk, object) {
  if (!object.site && object.isTuple) return true;
  const values = [...object.fields.values()].map((own) => walk.here.get(own));
  const tuples = values.filter((v) => v?.kind === 'object');
  const arrays = values.filter((v) => v?.kind === 'array');
  if (tuples.length + arrays.length < values.length || values.length === 0) return false;
  if (arrays.length > 0) putInMemory(walk, tuples, object.site.node.place);
  return true;
}

/** @type {(walk: Walk, tuples: any[], place: Place) => void} those that literals made, if all are */
function putInMemory(walk, tuples, place) {
  if (tuples.length > 0 && tuples.every((t) => t.isTuple && t.site && !t.site.inMemory))
    walk.facts.putInMemory(tuples[0].site, place);
}

/**
 * A tuple whose element is asked for by a number that is not known.
 *
 * @type {(walk: Walk, object: import('./values.js').ObjectValue, place: Place) => any}
 */
function dynamic(walk, object, place) {
  if (!object.site) return refuse(place, 'the field of an object is not known at compile time', 'name the field');
  return walk.facts.putInMemory(object.site, place);
}

/** @type {(walk: Walk, object: Value, name: string, place: Place) => Value} */
function field(walk, object, name, place) {
  switch (object.kind) {
    case 'object': {
      if (object.isTuple && name === 'length') return V.numberConstant(object.fields.size);
      const own = object.fields.get(name);
      if (own) return walk.here.get(own) ?? V.UNDEFINED;
      // What all objects or arrays have is inherited.
      if (name in (object.isTuple ? Array : Object).prototype)
        refuse(place, `.${name} of ${V.describe(object)} is not supported`, V.instead(name));
      return V.UNDEFINED;
    }
    case 'array':
      if (object.tag) Maybe.checkThere(walk, object, 'read', name, place);
      if (name === 'length') return memory.lengthOf(object.ref);
      if (name === 'BYTES_PER_ELEMENT' && !object.isList) return V.numberConstant(memory.bytesOf(object.ref.dtype));
      if (name === 'byteLength' && !object.isList)
        return O.arithmetic('mul', memory.lengthOf(object.ref), V.numberConstant(memory.bytesOf(object.ref.dtype)));
      return refuse(place, `.${name} of ${V.describe(object)} is not supported`, V.instead(name));
    case 'string':
      if (name === 'length') return V.numberConstant(object.value.length);
      return refuse(place, `.${name} of a text is not supported`, 'texts are known at compile time only');
    case 'tensor':
      return tensors.field(walk, object, name, place);
    case 'maybe':
      return field(walk, Maybe.there(walk, object, 'read', name, place), name, place);
    case 'union':
      return unions.field(walk, object, name, place);
    case 'number':
    case 'boolean':
    case 'bigint':
      return fieldOfScalar(walk, object, name, place);
    case 'undefined':
    case 'null': {
      const { asked } = walk.program;
      if (asked !== null) refuse(asked.place, asked.reason, asked.advice);
      return refuse(place, `.${name} of ${object.kind}`, 'this throws a TypeError whenever it runs');
    }
    case 'mixed':
      return refuse(place, `.${name} of ${V.describe(object)} is not supported`, IN_BRANCH);
    default:
      return refuse(place, `.${name} of ${V.describe(object)} is not supported`, V.instead(name));
  }
}

/** @type {(value: any) => boolean} */
const isScalar = ({ kind }) => kind === 'number' || kind === 'boolean' || kind === 'bigint';

/**
 * Numbers have no elements and no fields, but methods, and where they are nothing asking throws.
 *
 * @type {(walk: Walk, value: any, key: Value | string, place: Place) => Value}
 */
function fieldOfScalar(walk, value, key, place) {
  const { constructor: of } = Object({ number: 0, boolean: false, bigint: 0n }[/** @type {string} */ (value.kind)]);
  if (typeof key === 'string' && key in of.prototype)
    refuse(place, `.${key} of ${V.describe(value)} is not supported`, V.instead(key));
  const { undefined: mayBeUndefined, null: mayBeNull } =
    value.kind === 'number' ? value.type : { undefined: value.mayBeUndefined, null: value.mayBeNull };
  if (value.tag) Maybe.checkThere(walk, { tag: value.tag, mayBeUndefined, mayBeNull }, 'read', key, place);
  const isName = typeof key === 'string' && Number.isNaN(Number(key));
  const [reason, advice] = isName
    ? [`.${key} of ${V.describe(value)} is not supported`, V.instead(key)]
    : [`${V.describe(value)} has no elements`, 'index an array'];
  walk.program.asked ??= { place, reason, advice };
  return V.UNDEFINED;
}

/** What to do with what may be one of several things. */
const IN_BRANCH = 'use each in the branch where it is known which it is';

/** @type {(walk: Walk, e: import('../hir/index.js').MemberNode) => Value} object.name */
function member(walk, e) {
  const object = walk.evaluate(e.object);
  if (e.isLooped && (isScalar(object) || (object.kind === 'object' && !object.isTuple))) {
    refuse(
      e.place,
      `${V.describe(object)} cannot be looped over`,
      'loop over an array, name the fields, or give a method of your own another name',
    );
  }
  return elementOf(walk, object, { kind: 'string', value: e.name }, e);
}

// --- writing ---

/** @type {(walk: Walk, s: import('../hir/index.js').StoreNode) => void} object[index] = value */
function store(walk, s) {
  const object = walk.evaluate(s.object);
  const at = walk.evaluate(s.index);
  // An array of bigints takes the lowest 64 bits.
  const isWrapped =
    object.kind === 'array' && !object.site && (object.ref.dtype === 'i64' || object.ref.dtype === 'u64');
  storeAt(walk, object, at, isWrapped ? wrapping(walk, s.value) : walk.evaluate(s.value), s);
}

/** @type {(walk: Walk, object: Value, key: Value, value: Value, s: AccessNode) => void} */
function storeAt(walk, object, key, value, s) {
  const at = indexFrom(key, s.index?.place ?? s.place);
  const name = nameOf(at);
  if (object.kind === 'maybe') {
    storeAt(walk, Maybe.there(walk, object, 'set', name ?? at, s.place), at, value, s);
    return;
  }
  if (name !== null && (at.kind === 'string' || object.kind === 'object' || object.kind === 'union')) {
    setField(walk, object, name, value, s.place);
    return;
  }
  if (object.kind === 'object') dynamic(walk, object, s.place);
  if (object.kind === 'union') putInMemory(walk, object.choices, s.place);
  if (object.kind !== 'array') refuse(s.place, `${V.describe(object)} has no elements`, 'index an array');
  const { ref } = object;
  if (object.tag) Maybe.checkThere(walk, object, 'set', name ?? at, s.place);
  walk.writes(ref);
  walk.facts.stores(object.site, value, s.place);
  const stored = memory.storedValue(walk, object, value, s.value?.place ?? s.place);
  const asked = memory.indexOf(walk, keyOf(at, s.index?.place ?? s.place), ref);
  const where = memory.bounded(walk, ref, asked, s.place, memory.describe(object));
  if (object.isList && !where.isKnown) memory.storeInList(walk, object, where, stored, s.place);
  else
    walk.out.push({
      kind: 'store', array: ref, index: where.at, value: stored, valid: where.valid, checked: !where.isKnown,
      place: s.place,
    });
}

/** @type {(walk: Walk, object: Value, name: string, value: Value, place: Place) => void} */
function setField(walk, object, name, value, place) {
  if (object.kind === 'union') {
    unions.setField(walk, object, name, value, place);
    return;
  }
  if (object.kind !== 'object')
    refuse(
      place,
      `.${name} of ${V.describe(object)} cannot be set`,
      object.kind === 'mixed' ? IN_BRANCH : 'name a field of an object',
    );
  if (object.isCopy && object.site && !object.site.inMemory) walk.facts.putInMemory(object.site, place);
  if (object.isCopy)
    refuse(
      place,
      `.${name} of an object is set that was handed to a function which is compiled apart, or came from one`,
      'return a new object, or use a typed array',
    );
  const own = object.fields.get(name);
  E.setVariable(walk, own ?? addField(walk, object, name, place), value);
}

/**
 * A field more, where all ways go past.
 *
 * @type {(walk: Walk, object: import('./values.js').ObjectValue, name: string, place: Place) => import('./values.js').Var}
 */
function addField(walk, object, name, place) {
  const isNext = !object.isTuple || name === String(object.fields.size);
  if (object.nesting !== walk.nesting || !isNext)
    return refuse(place, `the object has no field ${name} yet`, `name it where the object is made: { ${name}: 0 }`);
  return walk.objects.addField(object, name);
}

/** @type {(walk: Walk, s: import('../hir/index.js').FieldNode) => void} object.name = value */
function setMember(walk, s) {
  const object = walk.evaluate(s.object);
  storeAt(walk, object, { kind: 'string', value: s.name }, walk.evaluate(s.value), s);
}

module.exports = { constantOf, elementOf, field, index, member, setMember, store };
