/**
 * Value: one tensor of a graph, and what it takes to append another.
 *
 * A value is a number (`ref`) and the state of its graph; the node itself lives in C. Values have no
 * finalizer and cost nothing to make. Dtype and shape are asked for when somebody looks at them.
 *
 * The methods that make new values are put on the prototype by ops/index.js, which has one function
 * for each; here is what those functions share: finding the graph among operands, and turning numbers
 * and tensors that stand beside a value into constants of its graph.
 */
'use strict';

const { native } = require('../base/binding.js');
const { DESCRIBE, describe, expected, isAttached } = require('../base/check.js');
const { GraphError, fail, hideLibraryFrames } = require('../base/errors.js');
const { opRows } = require('../base/ops.js');
const { fromNested, toElement } = require('../tensor/convert.js');
const { asTensor } = require('../tensor/create.js');
const { dtypeOf, dtypes } = require('../tensor/dtypes.js');
const { Tensor, readableOf, wrapOwn } = require('../tensor/tensor.js');

/** @typedef {import('../tensor/dtypes.js').DType} DType */
/** @typedef {import('../base/binding.js').Size} Size */

const KEY = Symbol('graphjit.value');

/** What a graph and its values share: the native handle, and arithmetic on sizes of the graph. */
class GraphState {
  /** @param {import('../base/binding.js').Handle} handle */
  constructor(handle) {
    this.handle = handle;
    /** The Graph itself, set by its constructor. @type {any} */
    this.graph = undefined;
    /**
     * What a function being traced adds; only such graphs have it.
     *
     * @type {import('../trace/trace.js').Trace | undefined}
     */
    this.trace = undefined;
    /**
     * Of a function of a graph: what trace/control.js knows of it.
     *
     * @type {import('../trace/control.js').Body | undefined}
     */
    this.body = undefined;
    /**
     * Native functions that are ops of the graph, by their text: native/graph/apply.js.
     *
     * @type {Map<string, import('../native/graph/apply.js').Applied>}
     */
    this.applied = new Map();
    /** Handles of the functions of a graph, which hold all of it. @type {import('../base/binding.js').Handle[]} */
    this.functions = [];
    /**
     * Of a graph that runs at once: the tensors it is computed of.
     *
     * @type {import('../eager/record-and-run.js').CapturedTensors | undefined}
     */
    this.captured = undefined;
  }

  /**
   * A size as C counts it: a number, or below 0 an expression of this graph.
   *
   * @param {unknown} size a number, or text such as 'n' and 'n + 1'
   * @param {string} which
   * @param {string} caller
   * @returns {number}
   */
  dim(size, which, caller) {
    if (typeof size === 'number' && Number.isSafeInteger(size) && size >= 0) return size;
    if (typeof size !== 'string') {
      return expected(caller, "a size (an integer of at least 0, or text such as 'n')", which, size);
    }
    try {
      return native.graphDim(this.handle, size);
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      return fail(error.code, `${caller}: ${which}, ${describe(size)}: ${error.message}`);
    }
  }

  /**
   * @param {unknown} shape
   * @param {string} caller
   * @returns {number[]}
   */
  dims(shape, caller) {
    const list = typeof shape === 'number' || typeof shape === 'string' ? [shape] : shape;
    if (!Array.isArray(list)) return expected(caller, "an array of sizes, such as ['n', 3]", 'the shape', shape);
    return Array.from(list, (size, axis) => this.dim(size, `axis ${axis} of the shape`, caller));
  }

  /** @type {(a: number, b: number) => number} */
  add(a, b) {
    return native.graphDimOp(this.handle, '+', a, b);
  }

  /** @type {(a: number, b: number) => number} */
  sub(a, b) {
    return native.graphDimOp(this.handle, '-', a, b);
  }

  /** A size and a whole number, which may be below 0. @type {(a: number, by: number) => number} */
  shifted(a, by) {
    return by < 0 ? this.sub(a, -by) : this.add(a, by);
  }

  /** @type {(a: number, b: number) => number} */
  mul(a, b) {
    return native.graphDimOp(this.handle, '*', a, b);
  }

  /** @type {(a: number, b: number) => number} */
  max(a, b) {
    return native.graphDimOp(this.handle, 'max', a, b);
  }

  /** @type {(a: number, b: number) => number} */
  min(a, b) {
    return native.graphDimOp(this.handle, 'min', a, b);
  }

  /** Whether a run computes it. @type {(dim: number) => boolean} */
  dependsOnData(dim) {
    return dim < 0 && this.most(dim) !== dim;
  }

  /** The most that it may be, whatever data says. @type {(dim: number) => number} */
  most(dim) {
    return native.graphDimOp(this.handle, 'most', dim, 0);
  }

  /** The size, or nothing where a run computes it and it may be less. @type {(dim: number) => number} */
  clipped(dim) {
    return this.dependsOnData(dim) ? this.max(dim, 0) : dim;
  }

  /** Rounds down. @type {(a: number, b: number) => number} */
  floorDiv(a, b) {
    return native.graphDimOp(this.handle, '/', a, b);
  }

  /** @type {(dims: readonly number[]) => number} */
  product(dims) {
    return dims.reduce((total, dim) => this.mul(total, dim), 1);
  }

  /** @type {(dim: number) => Size} */
  text(dim) {
    return dim >= 0 ? dim : native.graphDimText(this.handle, dim);
  }

  /** @type {(dims: readonly number[]) => string} */
  shapeText(dims) {
    return `[${dims.map((dim) => this.text(dim)).join(', ')}]`;
  }
}

/** @type {(value: Value) => GraphState} */
let stateOf;
/** @type {(value: Value) => readonly number[]} */
let dimsOf;

class Value {
  /** @type {GraphState} */
  #state;
  /** @type {{ dtype: DType, dims: readonly number[] } | undefined} */
  #type;
  /** @type {readonly Size[] | undefined} */
  #shape;

  static {
    stateOf = (value) => value.#state;
    dimsOf = (value) => value.#known().dims;
  }

  /**
   * @param {symbol} key
   * @param {GraphState} state
   * @param {number} ref
   */
  constructor(key, state, ref) {
    if (key !== KEY) fail('ERR_ARGUMENT', 'Value: values come from graph.input(), graph.constant() and from ops');
    this.#state = state;
    this.ref = ref;
    Object.freeze(this);
  }

  #known() {
    if (this.#type === undefined && this.#state.trace?.ended) this.#state.trace.refuse(this.ref);
    this.#type ??= native.graphType(this.#state.handle, this.ref);
    return this.#type;
  }

  /** @returns {any} */
  get graph() {
    return this.#state.graph;
  }

  get dtype() {
    return this.#known().dtype;
  }

  get shape() {
    this.#shape ??= Object.freeze(this.#known().dims.map((dim) => this.#state.text(dim)));
    return this.#shape;
  }

  get rank() {
    return this.#known().dims.length;
  }

  /** What error messages and `util.inspect` call this value, such as `Value %3 f64[n, 4]`. */
  [DESCRIBE]() {
    return `Value %${this.ref} ${this.dtype}[${this.shape.join(', ')}]`;
  }

  [Symbol.for('nodejs.util.inspect.custom')]() {
    try {
      return this[DESCRIBE]();
    } catch {
      return `Value ${this.toString()} (its graph is disposed)`; // a debugger shows what is there instead of throwing
    }
  }

  toString() {
    return `%${this.ref}`;
  }

  /** A value has no number: `x + 1` and `x < y` would silently compute with NaN. */
  [Symbol.toPrimitive](/** @type {string} */ hint) {
    const use = hint === 'string' ? 'as text' : 'as a number';
    this.#state.trace?.refuseUse(this, use);
    if (hint !== 'string') this.#state.body?.refuseUse(this, use);
    if (hint === 'string') return this.toString();
    throw hideLibraryFrames(new TypeError(`${this[DESCRIBE]()} is not a number: use its methods, such as x.add(1)`));
  }
}

/**
 * What only data can answer. Tensors have these, so that a function written for tensors asks for them; undefined, which
 * JavaScript would say by itself, is no answer to compute with.
 */
const DATA_MEMBERS = {
  item: true, toArray: true, at: true, set: true, data: false, length: false, [Symbol.iterator]: true,
};
for (const name of Reflect.ownKeys(DATA_MEMBERS)) {
  const isMethod = DATA_MEMBERS[/** @type {keyof typeof DATA_MEMBERS} */ (name)];
  const shown = typeof name === 'symbol' ? 'as something to iterate over' : `for its .${name}${isMethod ? '()' : ''}`;
  /** @type {(value: Value) => never} */
  const refuse = (value) => {
    const { trace, body } = stateOf(value);
    trace?.refuseUse(value, shown);
    body?.refuseUse(value, shown);
    return fail('ERR_ARGUMENT', `${describe(value)} has no data: a graph has data only while it runs`);
  };
  const get = isMethod
    ? /** @this {Value} */ function () { return () => refuse(this); } // prettier-ignore
    : /** @this {Value} */ function () { return refuse(this); }; // prettier-ignore
  Object.defineProperty(Value.prototype, name, { get, configurable: true });
}

/** @type {(state: GraphState, ref: number) => Value} */
function valueOf(state, ref) {
  state.trace?.record(ref);
  state.body?.record();
  return new Value(KEY, state, ref);
}

/** @type {(value: unknown) => value is Value} */
const isValue = (value) => value instanceof Value;

/** @type {(value: unknown) => value is number | bigint | boolean} */
const isScalar = (value) => typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';

/** @type {(value: unknown) => boolean} */
const isData = (value) => value instanceof Tensor || Array.isArray(value) || dtypeOf(value) !== undefined;

/**
 * A constant with one element, repeated to a shape.
 *
 * @param {GraphState} state
 * @param {number | bigint | boolean} value
 * @param {DType} dtype
 * @param {string} which what an error calls the value
 * @param {string} caller
 * @param {number[]} [dims] of a scalar when left out
 * @returns {Value}
 */
function constantOf(state, value, dtype, which, caller, dims = []) {
  const info = dtypes[dtype];
  const data = new info.arrayType(1);
  data[0] = toElement(value, info, () => which, caller);
  return valueOf(state, native.graphConst(state.handle, dtype, dims, data));
}

/** @type {(data: unknown, caller: string, dtype?: DType) => Tensor} */
function tensorOf(data, caller, dtype) {
  if (!isData(data)) return expected(caller, 'a number, a Tensor, a typed array or nested arrays', 'the data', data);
  if (!Array.isArray(data)) {
    const lost = !(data instanceof Tensor) && !isAttached(/** @type {any} */ (data));
    if (lost) fail('ERR_STATE', `${caller}: the array of a constant is detached or was shortened`);
    return asTensor(data, dtype && { dtype });
  }
  const { data: array, dtype: own, shape } = fromNested(data, dtype, caller);
  return wrapOwn(array, own, shape);
}

/** Up to so many elements an array in the source of a function is a constant, whatever runs at once. */
const SMALL_CONSTANT = 16;

/** @type {(state: GraphState) => GraphState} the graph that a function belongs to, or itself */
function rootOf(state) {
  while (state.body !== undefined) state = state.body.outer;
  return state;
}

/**
 * What stands for data in a graph: a constant, or an input of a graph that runs at once.
 *
 * @param {GraphState} state
 * @param {unknown} data a Tensor, a typed array, or arrays of arrays
 * @param {string} caller
 * @param {DType} [dtype]
 * @returns {Value}
 */
function constantFrom(state, data, caller, dtype) {
  const tensor = tensorOf(data, caller, dtype);
  const { captured } = rootOf(state);
  if (captured !== undefined && (data instanceof Tensor || tensor.size > SMALL_CONSTANT)) {
    const value = captured.input(tensor);
    return state.body === undefined ? value : state.body.capture(value);
  }
  return valueOf(state, native.graphConst(state.handle, tensor.dtype, [...tensor.shape], readableOf(tensor, caller)));
}

/**
 * The state of the graph that all values among the operands belong to.
 *
 * @param {readonly unknown[]} operands
 * @param {string} caller
 * @returns {GraphState}
 */
function graphOf(operands, caller) {
  const first = operands.find(isValue);
  if (first === undefined) {
    return expected(
      caller,
      'a Tensor or a Value',
      operands.length > 1 ? 'one of the operands' : 'the operand',
      operands[0],
    );
  }
  checkOpen(operands);
  const state = innermost(operands, stateOf(first));
  const foreign = operands.find((operand) => isValue(operand) && !isWithin(state, stateOf(operand)));
  if (foreign !== undefined) {
    stateOf(first).trace?.refuseMixed(first, /** @type {Value} */ (foreign), caller);
    const names = [first, foreign].map(
      (value) => `${describe(value)} of graph "${/** @type {Value} */ (value).graph.name}"`,
    );
    return fail('ERR_ARGUMENT', `${caller}: operands of two graphs: ${names.join(' and ')}`);
  }
  return state;
}

/** @type {(state: GraphState, outer: GraphState) => boolean} whether values of `outer` can be used in `state` */
function isWithin(state, outer) {
  /** @type {GraphState | undefined} */
  let at = state;
  while (at !== undefined && at !== outer) at = at.body?.outer;
  return at === outer;
}

/** @type {(operands: readonly unknown[], state: GraphState) => GraphState} the deepest of nested functions */
function innermost(operands, state) {
  for (const operand of operands) {
    if (isValue(operand) && isWithin(stateOf(operand), state)) state = stateOf(operand);
  }
  return state;
}

/**
 * Refuses values of a function whose tracing is over.
 *
 * @param {readonly unknown[]} operands
 */
function checkOpen(operands) {
  for (const operand of operands) {
    if (!isValue(operand)) continue;
    const { body, trace } = stateOf(operand);
    if (trace?.ended) trace.refuse(operand.ref);
    if (body?.ended) body.refuse(operand);
  }
}

/**
 * Operands as values of one graph. Numbers, bigints and booleans become constants of the dtype of the
 * other operand, which must hold them exactly; tensors and arrays keep their own dtype.
 *
 * @param {readonly unknown[]} operands
 * @param {string} caller
 * @param {number} [first] operands before this one have a dtype of their own (the condition of select)
 * @param {(i: number) => string} [nameOf] what an operand is called in messages
 * @returns {{ state: GraphState, values: Value[] }}
 */
function lift(operands, caller, first = 0, nameOf = (i) => `operand ${i + 1}`) {
  const state = graphOf(operands, caller);
  const values = operands.map((operand, i) => {
    if (isValue(operand)) return operand;
    if (isData(operand)) return constantFrom(state, operand, caller);
    if (isScalar(operand)) return undefined;
    return expected(caller, 'a Value, a number or a Tensor', nameOf(i), operand);
  });
  const known = values.filter((value, i) => i >= first && value !== undefined);
  const like = known.find((value) => value && !isWeak(value)) ?? known[0];
  const dtypeFor = (/** @type {unknown} */ operand) => like?.dtype ?? asTensor(operand).dtype;
  const common = dtypeFor(operands[first]);
  return {
    state,
    values: values.map((value, i) => {
      if (value !== undefined) return i >= first && isWeak(value) ? settled(value, common) : value;
      const scalar = /** @type {number} */ (operands[i]);
      const constant = constantOf(state, scalar, i < first ? 'bool' : common, nameOf(i), caller);
      if (like !== undefined && isWeak(like)) state.trace?.weak.add(constant.ref);
      return constant;
    }),
  };
}

/** @type {ReadonlyMap<string, Record<string, string>>} */
const promotions = new Map(native.dtypes().map(({ name, promotes }) => [name, promotes]));

/**
 * Values converted to their common dtype, as the primitives do by themselves.
 *
 * @param {readonly Value[]} values
 * @param {string} caller
 * @returns {Value[]}
 */
function alike(values, caller) {
  const dtype = values.slice(1).reduce((common, value) => {
    const promoted = promotions.get(common)?.[value.dtype];
    if (promoted) return /** @type {DType} */ (promoted);
    return fail(
      'ERR_DTYPE',
      `${caller}: ${common} and ${value.dtype} (${describe(value)}) have no common dtype; convert one`,
    );
  }, values[0].dtype);
  return values.map((value) => (value.dtype === dtype ? value : append(stateOf(value), 'convert', [value], { dtype })));
}

/**
 * Whether a value is as open about its dtype as a number in source text is: arguments of traced functions
 * that are numbers are, and what is computed of nothing else.
 *
 * @param {Value} value
 * @returns {boolean}
 */
const isWeak = (value) => stateOf(value).trace?.weak.has(value.ref) === true;

/** @type {(value: Value, dtype: DType) => Value} a weak value beside one of a dtype of the same kind */
function settled(value, dtype) {
  const [own, { kind }] = [value.dtype, dtypes[dtype]];
  const takes = own === 'f64' ? kind === 'float' : own === 'i64' && (kind === 'int' || kind === 'uint');
  return takes && own !== dtype ? append(stateOf(value), 'convert', [value], { dtype }) : value;
}

/**
 * Appends a primitive.
 *
 * @param {GraphState} state
 * @param {string} name of a row of the op table
 * @param {readonly Value[]} values
 * @param {Record<string, unknown>} [attrs] one entry per attribute of the row
 * @param {string} [target] of a custom_call: the function; of an apply: its text
 * @returns {Value}
 */
function append(state, name, values, attrs, target) {
  const { code } = /** @type {import('../base/binding.js').OpRow} */ (opRows.get(name));
  const own = innermost(values, state);
  const refs = values.map(
    (value) => (stateOf(value) === own ? value : /** @type {any} */ (own.body).capture(value)).ref,
  );
  if (own.trace?.ended) own.trace.refuse(refs[0]);
  const result = valueOf(own, native.graphOp(own.handle, code, refs, attrs, target));
  // their dtype was asked for
  const named = name === 'convert' || name === 'bitcast' || name === 'apply' || name === 'custom_call';
  if (own.trace !== undefined && values.length > 0 && !named && values.every(isWeak)) own.trace.weak.add(result.ref);
  return result;
}

/** Graphs and functions of graphs that are being traced, innermost last. @type {GraphState[]} */
const traced = [];

/**
 * Calls a function while its operations are recorded into a graph.
 *
 * @template T
 * @param {GraphState} state
 * @param {() => T} run
 * @returns {T}
 */
function within(state, run) {
  traced.push(state);
  try {
    return run();
  } finally {
    traced.pop();
  }
}

/** @type {() => GraphState | undefined} what is being traced now */
const currentState = () => traced.at(-1);

/** All results of an op, of which the first is the op itself. @type {(first: Value, count: number) => Value[]} */
const resultsOf = (first, count) =>
  Array.from({ length: count }, (_, index) =>
    index === 0 ? first : append(stateOf(first), 'result', [first], { index }),
  );

module.exports = {
  GraphState,
  Value,
  alike,
  append,
  constantFrom,
  constantOf,
  currentState,
  dimsOf,
  graphOf,
  isScalar,
  isValue,
  lift,
  resultsOf,
  rootOf,
  stateOf,
  tensorOf,
  valueOf,
  within,
};
