/**
 * What a function is given from outside: its parameters, and what it captures.
 *
 * A captured value is known while the function is compiled, and is a constant, but for the elements of typed arrays and
 * of Arrays that it writes to: these the caller passes behind the arguments (ports). Objects are taken apart into their
 * fields, and which object came from where is kept, for the caller to be told what was set (outputs.js).
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const tensors = require('./tensors.js');
const { elementOf } = require('../source/element-types.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../hir/index.js').Variable} Variable */
/** @typedef {import('../source/types.js').ValueType} ValueType */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('./values.js').ArrayValue} ArrayValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('./walk.js').Walk} Walk */

/** From the arguments: the number of one, then names of fields. @typedef {(string | number)[]} Path */
/**
 * Without a path it is captured.
 *
 * @typedef {{ object: any, path: Path | null, before: Map<Var, any>, place: Place | null }} Given
 */

class Inputs {
  /** What the caller passes behind the arguments. @type {{ name: string, value: any }[]} */
  captured = [];
  /** By their ids. @type {Map<number, Given>} */
  given = new Map();
  /** @type {Map<object, Value>} */
  #values = new Map();
  /** @type {Map<object, Var>} */
  #vars = new Map();
  #walk;

  /** @param {Walk} walk */
  constructor(walk) {
    this.#walk = walk;
  }

  /** @type {(variable: Variable) => Var} what is given from outside, in a function that gets it as an argument */
  variableOf(variable) {
    let own = this.#vars.get(variable);
    if (!own) this.#vars.set(variable, (own = { name: variable.name, slots: new Map(), owner: null }));
    return own;
  }

  /**
   * Where functions compiled out of line find what is given from outside, if they get it as an argument.
   *
   * @type {(variable: Variable) => Var | null}
   */
  shares(variable) {
    return this.#walk.facts.shared.has(variable) ? this.variableOf(variable) : null;
  }

  /** @type {(variable: Variable, place: Place) => Value} what is given from outside */
  read(variable, place) {
    const own = this.variableOf(variable);
    const here = this.#walk.here.get(own);
    if (here) return here;
    const known = this.#values.get(variable);
    if (known && known.kind !== 'object' && (known.kind !== 'array' || !isPort(known))) return known;
    // Fields and ports are those of the entry, and known wherever that is known which stands at its start.
    const { func, nesting, program } = this.#walk;
    if (known || (isGiven(variable.value) && (func !== program.entry || nesting > 0)))
      this.#share(variable, place);
    const value = this.#known(variable.name, variable.value, place);
    this.#values.set(variable, value);
    this.#walk.here.set(own, value);
    return value;
  }

  /**
   * Begins again, with all arrays that anybody names, since where there is one there are more.
   *
   * @type {(variable: Variable, place: Place) => void}
   */
  #share(variable, place) {
    const memories = this.#walk.callee.captures.filter(
      (v) => !v.owner && (ArrayBuffer.isView(v.value) || isNumbers(v.value)),
    );
    this.#walk.facts.share([variable, ...memories], place);
  }

  /** @type {(name: string, value: any, place: Place | null) => Value} */
  #known(name, value, place) {
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return this.#knownArray(name, value);
    if (typeof value === 'number') return V.numberConstant(value);
    if (typeof value === 'bigint') return V.bigintConstant(value);
    if (typeof value === 'boolean') return V.boolean(M.constant('bool', value));
    if (typeof value === 'string') return { kind: 'string', value };
    if (value === undefined) return V.UNDEFINED;
    if (value === null) return V.NULL;
    if (Array.isArray(value)) return this.#knownList(name, value, place);
    if (typeof value === 'object') return this.#knownObject(name, value, Object.keys(value), false, place);
    return refuse(place ?? this.#walk.callee.place, `${name} is ${typeof value}, which cannot be used here`, '');
  }

  /** @type {(name: string, value: any) => Value} */
  #knownArray(name, value) {
    const clamps = value instanceof Uint8ClampedArray;
    const dtype = elementOf(value);
    return this.#port(name, value, dtype, clamps, false);
  }

  /**
   * The caller passes it behind the arguments.
   *
   * @type {(name: string, value: any, dtype: import('../tir/index.js').Element, clamps: boolean, isList: boolean) => Value}
   */
  #port(name, value, dtype, clamps, isList) {
    this.captured.push({ name, value });
    return this.array(name, dtype, clamps, isList, this.#walk.program.entry);
  }

  /** @type {(name: string, value: any[], place: Place | null) => Value} */
  #knownList(name, value, place) {
    if (!isNumbers(value))
      return this.#knownObject(
        name,
        value,
        value.map((_, i) => String(i)),
        true,
        place,
      );
    if (this.#walk.facts.isWritten(value)) return this.#port(name, value, 'f64', false, true);
    const type = value.map((v) => N.constant(v)).reduce(N.join);
    const whole = N.isInteger(type);
    this.#walk.program.data.push({ dtype: whole ? 'i64' : 'f64', values: whole ? value.map(BigInt) : value });
    const pointer = { op: 'data', type: whole ? 'i64*' : 'f64*', index: this.#walk.program.data.length - 1, args: [] };
    /** @type {any} */
    const ref = {
      dtype: whole ? 'i64' : 'f64', clamps: false, pointer, length: M.constant('i64', value.length),
      roots: [this.#walk.root('data', name)],
    };
    return {
      kind: 'array',
      ref,
      isList: true,
      site: {
        inMemory: true, type, hasNumbers: true, escapes: true, isReturned: false, growths: 0, node: { place },
        constant: value,
      },
    };
  }

  /** @type {(name: string, value: any, names: string[], isTuple: boolean, place: Place | null) => Value} */
  #knownObject(name, value, names, isTuple, place) {
    const object = this.#walk.objects.make(name, names, isTuple, null);
    for (const [field, own] of object.fields)
      this.#walk.here.set(own, this.#known(`${name}.${field}`, value[field], place));
    this.#give(object, null, place);
    return object;
  }

  // --- parameters ---

  /** @type {(name: string, type: string) => Local} a parameter of the entry function */
  #param(name, type) {
    const local = { ...E.newLocal(name, type), isParam: true };
    this.#walk.func.params.push(local);
    return local;
  }

  /** @type {(name: string, dtype: any, clamps: boolean, isList: boolean, entry: import('../tir/index.js').Func | null) => ArrayValue} */
  array(name, dtype, clamps, isList, entry) {
    if (entry && this.#walk.func !== entry)
      refuse(
        this.#walk.callee.place,
        `${name} is used by a function that calls itself only`,
        'use it in the function itself as well',
      );
    const pointer = this.#param(name, `${dtype}*`);
    const length = this.#param(`${name}_length`, 'i64');
    const root = this.#walk.root('param', name);
    this.#walk.program.ports.push({ kind: 'array', dtype, pointer, length, root });
    /** @type {any} */
    const owner = M.constant(
      'i64',
      1 + this.#walk.program.ports.filter((p) => p.kind === 'array').length,
    );
    const ref = { dtype, clamps, pointer: M.read(pointer), length: M.read(length), roots: [root], owner };
    return { kind: 'array', ref, isList, site: null };
  }

  /** @type {(name: string, type: any) => any} */
  scalar(name, type) {
    const local = this.#param(name, type);
    this.#walk.program.ports.push({ kind: 'scalar', type, local });
    return M.read(local);
  }

  /** @type {(name: string, type: ValueType, path: Path) => Value} */
  value(name, type, path) {
    switch (type.kind) {
      case 'number': {
        const from = type.dtype === 'f64' && path.length === 1 && Number(path[0]) < 31 ? 1 << Number(path[0]) : 0;
        const t = { ...N.ofDType(type.dtype), from };
        const machine = N.typeOf(t);
        return new V.NumberValue(t, this.scalar(name, machine));
      }
      case 'boolean':
        return V.boolean(this.scalar(name, 'bool'));
      case 'bigint':
        return V.bigint(this.scalar(name, type.dtype));
      case 'undefined':
        return V.UNDEFINED;
      case 'null':
        return V.NULL;
      case 'array':
        return this.array(name, type.dtype, Boolean(type.clamps), false, null);
      case 'list':
        return this.#list(name, type);
      case 'tuple':
        return this.#object(name, Object.fromEntries(type.elements.map((t, i) => [i, t])), true, path);
      case 'object':
        return this.#object(name, type.fields, false, path);
      case 'tensor':
        return tensors.param(this.#walk, name, type);
      case 'function':
        // Its tree is built by who calls it.
        return {
          kind: 'closure',
          get callee() {
            return type.callee;
          },
          frame: null,
        };
      default:
        return this.#known(name, type.value, null);
    }
  }

  /** @type {(name: string, type: import('../source/types.js').ListType) => Value} */
  #list(name, type) {
    const array = this.array(name, 'f64', false, true, null);
    return type.length === undefined
      ? array
      : { ...array, ref: { ...array.ref, length: M.constant('i64', type.length) } };
  }

  /** @type {(name: string, fields: Record<string, ValueType>, isTuple: boolean, path: Path) => Value} */
  #object(name, fields, isTuple, path) {
    const object = this.#walk.objects.make(name, Object.keys(fields), isTuple, null);
    for (const [field, own] of object.fields)
      this.#walk.here.set(own, this.value(`${name}_${field}`, fields[field], [...path, field]));
    this.#give(object, path, null);
    // A name of its own, so that it is nobody else's, and known at the end.
    this.#walk.here.set({ name: `given_${name}`, slots: new Map(), owner: null }, object);
    return object;
  }

  /** @type {(object: any, path: Path | null, place: Place | null) => void} */
  #give(object, path, place) {
    const before = new Map([...object.fields.values()].map((own) => [own, this.#walk.here.get(own)]));
    this.given.set(object.id, { object, path, before, place });
  }
}

/** @type {(value: ArrayValue) => boolean} whether an array is one that the caller passes */
function isPort(value) {
  return value.ref.roots.some((root) => root.kind === 'param');
}

/** @type {(value: unknown) => boolean} */
function isNumbers(value) {
  return Array.isArray(value) && value.length > 0 && value.every((v) => typeof v === 'number');
}

/** @type {(value: unknown) => boolean} whether a captured value may be passed by the caller, or has fields */
function isGiven(value) {
  return typeof value === 'object' && value !== null;
}

module.exports = { Inputs };
