/**
 * Native functions of arrays as ops of graphs: a Value is handed over whole, and the call is one node.
 *
 * What a parameter takes whole is what its signature or comment declares as an array, and where nothing is declared,
 * what can only be one: a function that cannot be compiled for elements (apply.js) is compiled for arrays. The node is
 * a `custom_call` of the compiled function, which is registered under a name made of all that it depends on. So graphs
 * with it are cached as others are, and any thread may run it; src/jit/function/op.c goes from a node's operands to
 * what the function takes.
 *
 * Operands of a graph never change: a function that writes to an array gets a copy of its own. What it throws ends the
 * run.
 */
'use strict';

const { createHash } = require('node:crypto');

const { native } = require('../../base/binding.js');
const { describe } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { NUMERICS } = require('../../base/numerics.js');
const { Operation } = require('../../eager/operation.js');
const { callNow } = require('../../eager/evaluate.js');
const { readCall } = require('../../eager/signature.js');
const { append, constantFrom, constantOf, dimsOf, graphOf, isScalar, isValue } = require('../../graph/value.js');
const { fromNested } = require('../../tensor/convert.js');
const { dtypeOf } = require('../../tensor/dtypes.js');
const { Tensor } = require('../../tensor/tensor.js');
const { keyOf, takerOf, typeOf } = require('../run/arguments.js');
const { codeOf, narrowed } = require('../run/compile.js');
const { shapeText } = require('../run/results.js');
const { typeText } = require('../source/signature.js');
const { applyTo, converted, elementType, isMistyped, isNarrow, refuse, takes, typed } = require('./apply.js');
const { resultLength, sizeOf } = require('./result-length.js');

/** @typedef {import('../run/callable.js').Callable} Callable */
/** @typedef {import('../run/compile.js').Code} Code */
/** @typedef {import('../source/types.js').ValueType} ValueType */
/** @typedef {import('../../tensor/dtypes.js').DType} DType */
/** @typedef {import('../../graph/value.js').GraphState} GraphState */
/** @typedef {import('../../graph/value.js').Value} Value */

/**
 * What an argument is before a graph has it: null for what stands for no elements.
 *
 * @typedef {{ dtype: DType, rank: number } | null} Given
 */
/** What a custom_call takes. @typedef {{ dtype: DType, rank: number }} Operand */

/** As many operands, and parts of them, as one call has, and slots. */
const MOST_PORTS = 256;
const MOST_SLOTS = 1023;

// --- types ---

/** @type {(type: ValueType | null | undefined) => type is import('../source/types.js').ArrayType | import('../source/types.js').ListType | import('../source/types.js').TensorType} */
const isWhole = (type) => type?.kind === 'array' || type?.kind === 'list' || type?.kind === 'tensor';

/** @type {(arg: unknown, caller: string) => Given} */
function givenOf(arg, caller) {
  if (isValue(arg) || arg instanceof Tensor) return { dtype: arg.dtype, rank: arg.rank };
  const dtype = dtypeOf(arg);
  if (dtype !== undefined) return { dtype, rank: 1 };
  if (!Array.isArray(arg)) return null;
  const nested = fromNested(arg, undefined, caller);
  return { dtype: nested.dtype, rank: nested.shape.length };
}

/**
 * What elements of an array are that take those of a Value.
 *
 * @type {(dtype: DType, isTensor: boolean) => import('../tir/index.js').Element}
 */
function elementOf(dtype, isTensor) {
  if (dtype === 'bool') return isTensor ? 'bool' : 'u8';
  return dtype === 'f16' || dtype === 'bf16' ? 'f32' : dtype;
}

/** The type of an array's elements, as of numbers. @type {(type: ValueType) => ValueType} */
const elementsOf = (type) =>
  isWhole(type) ? elementType(/** @type {DType} */ (type.kind === 'list' ? 'f64' : type.dtype)) : type;

/**
 * What is handed over where nothing is declared.
 *
 * @type {(given: NonNullable<Given>, asTensor: boolean) => ValueType}
 */
function ownType({ dtype, rank }, asTensor) {
  if (rank === 0) return elementType(dtype);
  if (rank > 1 || asTensor) return { kind: 'tensor', dtype: elementOf(dtype, true), rank };
  return { kind: 'array', dtype: elementOf(dtype, false), clamps: false };
}

/** @type {(own: Callable, type: ValueType, given: NonNullable<Given>, arg: unknown, i: number) => void} */
function checkDeclared({ name }, type, { dtype, rank }, arg, i) {
  const wanted = !isWhole(type) ? 0 : type.kind === 'tensor' ? type.rank : 1;
  const expected = `${name}: expected ${typeText(type)} for argument ${i + 1}`;
  if (rank !== wanted)
    fail(
      'ERR_SHAPE',
      `${expected}, of ${wanted === 0 ? 'shape []' : `rank ${wanted}`}, got ${describe(arg)}: use reshape`,
    );
  if (!takes(elementsOf(type), dtype)) fail('ERR_DTYPE', `${expected}, got ${describe(arg)}: use convert`);
}

/** @type {(own: Callable, arg: unknown, i: number, asTensor: boolean) => ValueType} */
function typeFor(own, arg, i, asTensor) {
  const which = `${own.name}: argument ${i + 1}`;
  const place = own.declared[i];
  if (arg === undefined && (place === undefined || place.isOptional)) return { kind: 'undefined' };
  const given = givenOf(arg, own.name);
  const declared = place?.type ?? null;
  if (given === null) {
    const type = typeOf(arg, which, own.build);
    if (declared === null || own.signature === null) return type;
    if (type.kind === declared.kind && isScalar(arg)) return declared;
    return keyOf(type) === keyOf(declared)
      ? type
      : fail('ERR_DTYPE', `${own.name}: expected ${typeText(declared)} for argument ${i + 1}, got ${describe(arg)}`);
  }
  if (declared === null) return ownType(given, asTensor);
  checkDeclared(own, declared, given, arg, i);
  return declared;
}

// --- what the op is ---

/** What a call of one list of types is, whatever the graph. */
class Plan {
  /** @type {Operand[]} */
  operands = [];
  /** What the function takes, in order (src/jit/function/op.h). @type {string[]} */
  #ports = [];

  /**
   * @param {Callable} own
   * @param {Code} code
   */
  constructor(own, code) {
    this.own = own;
    this.code = code;
    this.result = resultOf(own, code);
    let array = 0;
    let port = 0;
    for (const type of [...code.types, ...code.hidden.map(({ value }) => typeOf(value, own.name, own.build))]) {
      const { ports } = takerOf(type);
      if (ports.length === 0) continue;
      this.#add(type, /** @type {any} */ (code.program.ports[port]).type, isWhole(type) && code.written[array]);
      port += ports.length;
      array += Number(isWhole(type));
    }
    if (this.#ports.length > MOST_PORTS || code.slots > MOST_SLOTS)
      refuse(own.name, `it takes more than ${MOST_PORTS} numbers and arrays, or gives more`);
    this.name = this.#register();
  }

  /** @param {ValueType} type @param {DType} machine of a number @param {boolean} isWritten */
  #add(type, machine, isWritten) {
    const at = this.operands.length;
    if (!isWhole(type)) {
      if (type.kind !== 'number' && type.kind !== 'bigint' && type.kind !== 'boolean') {
        refuse(this.own.name, `it takes ${typeText(type)}: beside Values, arguments are numbers, Tensors or functions`);
      }
      this.operands.push({ dtype: machine, rank: 0 });
      this.#ports.push(`s${at}`);
      return;
    }
    const rank = type.kind === 'tensor' ? type.rank : 1;
    const length = type.kind === 'tensor' || type.length === undefined ? '' : `=${type.length}`;
    this.operands.push({ dtype: /** @type {DType} */ (type.kind === 'list' ? 'f64' : type.dtype), rank });
    this.#ports.push(`${isWritten ? 'w' : 'a'}${at}${length}`);
    for (const part of type.kind === 'tensor' ? ['d', 't'] : []) {
      for (let axis = 0; axis < rank; axis++) this.#ports.push(`${part}${at}.${axis}`);
    }
  }

  /** Makes the function known; returns its name, which stands in the text of graphs. */
  #register() {
    const { own, code, result } = this;
    const { numerics, optLevel, cache, tier } = own.unit.options;
    const { text } = code.emit({ poll: true, noalias: true });
    const lines = [
      printable(own.name),
      `${this.operands.map(operandText).join(' ')} -> ${operandText(result.made)}`,
      this.#ports.join(' '),
      result.text,
      String(code.slots),
      ...code.sites.map((site) => siteText(site)),
    ];
    const description = lines.join('\n');
    const digest = createHash('sha256')
      .update(JSON.stringify([text, description, numerics, optLevel]))
      .digest('hex')
      .slice(0, 16);
    const name = `${own.name
      .replace(/\W/gu, '_')
      .replace(/^(?=\d)/u, '_')
      .slice(0, 100)}_${digest}`;
    native.functionOp(name, text, NUMERICS[numerics], optLevel, cache, tier === 'auto' ? 1 : 0, description);
    return name;
  }
}

/** @type {(operand: Operand) => string} */
const operandText = ({ dtype, rank }) => `${dtype}/${rank}`;

/** On one line. @type {(text: string) => string} */
const printable = (text) => text.replace(/\p{Cc}/gu, ' ');

/** Bytes that stand for a value of a message. @type {Record<string, string>} */
const VALUE_BYTES = { i64: '\x02', u64: '\x03', bool: '\x04' };

/** @type {(site: import('../run/errors.js').ThrowSite) => string} */
function siteText({ type, message, values, name, file, line, column }) {
  let next = 0;
  const byte = () => VALUE_BYTES[values[next++]] ?? '\x01';
  const parts = message.length === 0 && type === '' ? [null] : message;
  const text = parts.map((part) => (part === null ? byte() : printable(part))).join('');
  return `${printable(name)} threw ${type === '' ? '' : `${type}: `}${text} (${printable(file)}:${line}:${column})`;
}

/** @type {(value: number | bigint | boolean) => { dtype: DType, bits: bigint }} */
function bitsOf(value) {
  const view = new DataView(new ArrayBuffer(8));
  if (typeof value === 'number') view.setFloat64(0, value);
  else view.setBigInt64(0, BigInt(value));
  const dtype = typeof value === 'number' ? 'f64' : typeof value === 'bigint' ? 'i64' : 'bool';
  return { dtype, bits: view.getBigUint64(0) };
}

/**
 * What the node gives and what is made of it: `text` for src/jit/function/op.h, the operand that it is, and the dtype
 * of the Value.
 *
 * @typedef {{ text: string, made: Operand, wanted: DType }} Result
 */

/**
 * Of a number; null for other things.
 *
 * @type {(shape: import('../source/types.js').ResultShape, first: number) => string | null}
 */
function partText(shape, first) {
  if (shape.kind === 'constant')
    return typeof shape.value === 'number' ? `=${bitsOf(shape.value).bits.toString(16)}` : null;
  if (shape.kind !== 'number') return null;
  return `${shape.slot + first}:${shape.dtype}${shape.tag === null ? '' : `:${shape.tag + first}`}`;
}

/** @type {(own: Callable, code: Code) => Result} */
function resultOf({ name, returns }, { result, ports, types }) {
  const first = ports.filter((port) => !port.endsWith(']')).length;
  const declared = returns?.kind === 'number' && returns.dtype !== 'smi' ? returns.dtype : null;
  switch (result.kind) {
    case 'constant': {
      if (typeof result.value === 'string') break;
      const { dtype, bits } = bitsOf(result.value);
      return {
        text: `= ${bits.toString(16)}`, made: { dtype, rank: 0 }, wanted: (dtype === 'f64' && declared) || dtype,
      };
    }
    case 'number': {
      const { dtype, slot, tag } = result;
      if (tag !== null)
        return { text: `n ${partText(result, first)}`, made: { dtype: 'f64', rank: 0 }, wanted: declared ?? 'f64' };
      const isFloat = dtype === 'i64' || dtype === 'u64' || (dtype === 'f32' && !isNarrow(types.map(elementsOf)));
      return { text: `r ${slot + first}`, made: { dtype, rank: 0 }, wanted: declared ?? (isFloat ? 'f64' : dtype) };
    }
    case 'boolean':
    case 'bigint': {
      const { dtype, slot, tag } = result;
      if (tag !== null) refuse(name, 'it may return undefined or null: return a value on all ways');
      return { text: `r ${slot + first}`, made: { dtype, rank: 0 }, wanted: dtype };
    }
    case 'array':
    case 'list': {
      if (result.tag !== null) refuse(name, 'it may return undefined or null: return an array on all ways');
      const { dtype, slot } = result;
      if ((result.kind === 'list' && result.encoded !== undefined) || dtype === 'bool')
        refuse(name, 'it returns an array of other things than numbers');
      const made = /** @type {DType} */ (dtype);
      return {
        text: `a ${slot + first}`, made: { dtype: made, rank: 1 }, wanted: result.kind === 'list' ? 'f64' : made,
      };
    }
    case 'tuple': {
      const parts = result.tag === undefined ? result.elements.map((each) => partText(each, first)) : [null];
      if (parts.length <= MOST_PORTS && !parts.includes(null))
        return { text: `n ${parts.join(' ')}`, made: { dtype: 'f64', rank: 1 }, wanted: 'f64' };
      break;
    }
    default:
  }
  return refuse(name, `it returns ${shapeText(result)}: return one number, boolean or bigint, or one array of numbers`);
}

/** What calls are, by the types of their arguments. @type {WeakMap<Callable, Map<string, Plan>>} */
const plans = new WeakMap();

/** @type {(own: Callable, given: readonly ValueType[], args: readonly unknown[]) => Plan} */
function planOf(own, given, args) {
  const { unit, name } = own;
  const known = plans.get(own) ?? new Map();
  plans.set(own, known);
  const numbers = args.map((arg) => (typeof arg === 'number' ? arg : undefined));
  const types = typed(() => narrowed(unit, given, numbers));
  const key = types.map(keyOf).join();
  const plan = known.get(key);
  if (plan !== undefined) return plan;
  const { codes } = unit.shared;
  const code = codes.get(key) ?? typed(() => codeOf(unit, types));
  codes.set(key, code);
  const hidden = code.written.slice(code.written.length - code.hidden.length);
  if (code.hidden.length > 0 && hidden.includes(true))
    refuse(name, 'it writes to an array that it captures: return a new one');
  const made = new Plan(own, code);
  known.set(key, made);
  return made;
}

// --- calls ---

/** @type {(own: Callable, args: readonly unknown[]) => unknown[]} one for each parameter */
function argumentsOf({ unit }, args) {
  const { count, hasRest } = unit.arity;
  return Array.from({ length: hasRest ? args.length : count }, (_, i) => args[i]);
}

/**
 * Of the type, which code relies on.
 *
 * @type {(state: GraphState, arg: unknown, type: ValueType, which: string, caller: string) => Value}
 */
function operandOf(state, arg, type, which, caller) {
  if (isValue(arg)) return arg;
  if (!isScalar(arg)) return constantFrom(state, arg, caller);
  const dtype = type.kind === 'boolean' ? 'bool' : /** @type {DType | 'smi'} */ (/** @type {any} */ (type).dtype);
  return constantOf(state, arg, dtype === 'smi' ? 'i32' : dtype, which, caller);
}

/**
 * What the program's parameters are to the graph: sizes, and whole numbers.
 *
 * @type {(state: GraphState, code: Code, sources: readonly unknown[], values: readonly Value[]) => Map<any, any>}
 */
function knownLengths(state, { program, types, hidden }, sources, values) {
  const params = new Map();
  let port = 0;
  let at = 0;
  for (const type of [
    ...types,
    ...hidden.map(({ value }) => typeOf(value, '', () => fail('ERR_INTERNAL', 'a captured function'))),
  ]) {
    const { ports } = takerOf(type);
    if (ports.length === 0) continue;
    const dims = dimsOf(values[at]);
    const own = /** @type {any} */ (program.ports[port]);
    const source = sources[at++];
    if (own.kind === 'array') params.set(own.length, sizeOf(state.product(dims)));
    else if (typeof source === 'number' && Number.isSafeInteger(source)) params.set(own.local, { number: source });
    if (type.kind === 'tensor')
      dims.forEach((dim, axis) => params.set(/** @type {any} */ (program.ports[port + 1 + axis]).local, sizeOf(dim)));
    port += ports.length;
  }
  return params;
}

/**
 * The shape of a result that is an array.
 *
 * @type {(state: GraphState, plan: Plan, args: readonly unknown[], sources: readonly unknown[], values: readonly Value[]) => number[]}
 */
function shapeOf(state, { own, code }, args, sources, values) {
  const { name, shape, returns } = own;
  if (shape !== null)
    return state.dims(typeof shape === 'function' ? shape(...args) : shape, `${name}: option 'shape'`);
  if ((returns?.kind === 'array' || returns?.kind === 'list') && returns.length !== undefined) return [returns.length];
  if (code.result.kind === 'tuple') return [code.result.elements.length];
  const { slot } = /** @type {{ slot: number }} */ (code.result);
  const length = resultLength(state, code.program, slot + 1, knownLengths(state, code, sources, values));
  if (length !== null) return [length];
  const advice = "say it by the option 'shape', such as { shape: (x) => x.shape }";
  return refuse(name, `the length of the array that it returns is not known before it runs: ${advice}`);
}

/** As an array of the dtype would take a number. @type {(state: GraphState, value: Value, dtype: DType) => Value} */
function asNumber(state, value, dtype) {
  const wraps = /^[iu](8|16|32)$/u.test(dtype) && !/^[iu]32$/u.test(value.dtype);
  if (!wraps || value.dtype === dtype) return converted(value, dtype, state);
  const wide = dtype === 'u32' ? 'u32' : 'i32';
  const text = `module "wrap" {\n  export func F0(x: f64) -> ${wide} {\n    return wrap<${wide}>(x)\n  }\n}\n`;
  return converted(append(state, 'apply', [converted(value, 'f64', state)], { dtype: wide }, text), dtype, state);
}

/** @type {(own: Callable, args: readonly unknown[], asTensor: boolean) => Value} */
function handOver(own, args, asTensor) {
  const given = argumentsOf(own, args);
  const plan = planOf(
    own,
    given.map((arg, i) => typeFor(own, arg, i, asTensor)),
    given,
  );
  const { code, name, operands, result } = plan;
  const state = graphOf(args.filter(isValue), own.name);
  const used = [...given.keys()].filter((i) => takerOf(code.types[i]).ports.length > 0);
  const sources = [...used.map((i) => given[i]), ...code.hidden.map(({ value }) => value)];
  const values = sources.map((arg, i) => {
    const value = operandOf(state, arg, code.types[used[i]], `argument ${used[i] + 1}`, own.name);
    return converted(value, operands[i].dtype, state);
  });
  const shape = result.made.rank === 0 ? [] : shapeOf(state, plan, args, sources, values);
  const isArray = result.made.rank > 0;
  const flat = append(
    state,
    'custom_call',
    values,
    { dtype: result.made.dtype, shape: isArray ? [state.product(shape)] : [] },
    name,
  );
  const made = shape.length === result.made.rank ? flat : append(state, 'reshape', [flat], { shape });
  return code.result.kind === 'number' || code.result.kind === 'constant'
    ? asNumber(state, made, result.wanted)
    : converted(made, result.wanted, state);
}

/**
 * Which way calls of undeclared types went, by their dtypes and ranks.
 *
 * @type {WeakMap<Callable, Map<string, number>>}
 */
const ways = new WeakMap();

/**
 * Element by element, or as arrays, or Tensors.
 *
 * @type {(own: Callable, args: readonly unknown[], given: readonly Given[]) => Value}
 */
function callUndeclared(own, args, given) {
  const tries = [() => applyTo(own, args), () => handOver(own, args, false), () => handOver(own, args, true)];
  const known = ways.get(own) ?? new Map();
  ways.set(own, known);
  const key = given.map((each) => each && operandText(each)).join();
  const way = known.get(key);
  if (way !== undefined) return tries[way]();
  /** @type {import('../../base/errors.js').GraphError[]} */
  const errors = [];
  for (const [i, attempt] of tries.entries()) {
    try {
      const value = attempt();
      known.set(key, i);
      return value;
    } catch (error) {
      if (!isMistyped(error)) throw error;
      errors.push(error);
    }
  }
  return fail('ERR_UNSUPPORTED', `${errors[0].message}\n\nand of whole arrays: ${errors[1].message}`);
}

/**
 * A call with Values among the arguments: of each of their elements, or of whole arrays.
 *
 * @param {Callable} own
 * @param {readonly unknown[]} args
 * @returns {Value}
 */
function callWithValues(own, args) {
  const used = argumentsOf(own, args);
  if (used.some((arg, i) => arg !== undefined && isWhole(own.declared[i]?.type))) return handOver(own, args, false);
  const given = used.map((arg) => (Array.isArray(arg) ? null : givenOf(arg, own.name)));
  const hasAxes = given.some((each) => each !== null && each.rank > 0);
  return hasAxes && own.signature === null ? callUndeclared(own, args, given) : applyTo(own, args);
}

// --- tensors ---

/**
 * Operations of functions, and numbers that tell them apart.
 *
 * @type {WeakMap<Callable, { operation: any, id: number }>}
 */
const operations = new WeakMap();
let operationCount = 0;

/**
 * A call with Tensors in place of Values, which gives Tensors.
 *
 * @type {(own: Callable, args: readonly unknown[]) => any}
 */
function callWithTensors(own, args) {
  const found = operations.get(own) ?? {
    operation: new Operation(own.name, (/** @type {unknown[]} */ ...values) => callWithValues(own, values), false, 0),
    id: ++operationCount,
  };
  operations.set(own, found);
  const { tensors, template, key } = readCall(argumentsOf(own, args), own.name);
  // Arrays that are captured may be other ones in the next call.
  const isKept = key !== null && own.unit.shared.key !== null;
  return callNow(found.operation, tensors, template, isKept ? `${key}#${found.id}` : null);
}

module.exports = { callWithTensors, callWithValues };
