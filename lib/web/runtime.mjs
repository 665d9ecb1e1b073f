/**
 * What every generated wasm loader contains: this file, word for word up to its export, followed by the
 * description of one program (see lib/wasm.js). It stands alone: no imports, nothing of Node.
 *
 * A run lays out the caller's part of the memory afresh (exec, sizes, pointers, arrays, scratch),
 * copies the inputs in, calls the module and copies the outputs out. Nothing is kept between two runs.
 */

const CLASSES = {
  f64: Float64Array,
  f32: Float32Array,
  i64: BigInt64Array,
  i32: Int32Array,
  i16: Int16Array,
  i8: Int8Array,
  u64: BigUint64Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
  bool: Uint8Array,
};

const PAGE = 65536;
const ADDRESSES = 2 ** 32;

/** @typedef {keyof typeof CLASSES} DType */
/** @typedef {Float64Array | Float32Array | BigInt64Array | BigUint64Array | Int32Array | Int16Array | Int8Array | Uint32Array | Uint16Array | Uint8Array} TypedArray */
/** @typedef {{ name: string, dtype: DType, shape: (number | string)[] }} Port */
/** @typedef {{ data: TypedArray, dtype: DType, shape: number[] }} Result */
/** @typedef {{ data: TypedArray, shape: number[] | undefined }} Given */
/** @typedef {{ exec: number, dims: number, pointers: number, arrays: number[], scratch: number, end: number }} Layout */

/**
 * @typedef {object} Description
 * @property {string[]} symbols
 * @property {Port[]} inputs
 * @property {Port[]} outputs
 * @property {(d: number[]) => { inputs: number[][], outputs: number[][], scratch: number }} sizes
 *   from the values of the symbols
 * @property {(d: number[], require: (truth: boolean, message: string) => void) => void} check
 */

/** @type {(code: string, message: string) => never} */
function fail(code, message) {
  throw Object.assign(new Error(message), { name: 'GraphError', code });
}

/** @type {(port: Port) => string} */
const typeText = ({ dtype, shape }) => `${dtype}[${shape.join(', ')}]`;

/** @type {(size: unknown) => boolean} */
const isSize = (size) => Number.isSafeInteger(size) && Number(size) >= 0;

/** @type {(shape: readonly number[]) => number} */
const countOf = (shape) => shape.reduce((total, size) => total * size, 1);

/** @type {(given: any, ports: Port[], role: string) => any[]} */
function valuesByName(given, ports, role) {
  if (typeof given !== 'object' || given === null) fail('ERR_ARGUMENT', `run: expected an object of ${role}s`);
  const names = ports.map(({ name }) => name);
  const list = names.map((name) => `'${name}'`).join(', ');
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) fail('ERR_ARGUMENT', `run: unknown ${role} '${unknown}', ${role}s are ${list}`);
  return names.map((name) => {
    if (Object.hasOwn(given, name) && given[name] !== undefined) return given[name];
    return fail('ERR_ARGUMENT', `run: ${role} '${name}' is missing, ${role}s are ${list}`);
  });
}

/** A detached array pretends to be empty; only its methods tell, by throwing. @type {(data: TypedArray, label: string) => void} */
function checkAttached(data, label) {
  try {
    data.keys();
  } catch {
    fail('ERR_STATE', `run: the array of ${label} is detached or was shortened`);
  }
}

/** A typed array, or an object with data and shape (such as a Tensor). @type {(value: any, port: Port, label: string) => Given} */
function arrayOf(value, port, label) {
  const Class = CLASSES[port.dtype];
  if (value instanceof Class) {
    checkAttached(value, label);
    return { data: value, shape: undefined };
  }
  if (typeof value !== 'object' || value === null || !(value.data instanceof Class) || !Array.isArray(value.shape)) {
    fail('ERR_DTYPE', `run: expected a ${Class.name} (${port.dtype}), or data and shape, for ${label}`);
  }
  if (value.dtype !== undefined && value.dtype !== port.dtype) {
    fail('ERR_DTYPE', `run: expected ${port.dtype} for ${label}, got ${value.dtype}`);
  }
  if (value.isContiguous === false) fail('ERR_ARGUMENT', `run: ${label} is not contiguous`);
  checkAttached(value.data, label);
  if (!value.shape.every(isSize)) {
    fail('ERR_SHAPE', `run: expected sizes of at least 0 for the shape of ${label}, got [${value.shape.join(', ')}]`);
  }
  const count = countOf(value.shape);
  const offset = value.offset ?? 0;
  const data = value.data.subarray(offset, offset + count);
  if (data.length !== count) fail('ERR_SHAPE', `run: ${label} has ${data.length} elements, its shape ${count}`);
  return { data, shape: [...value.shape] };
}

/** @type {(value: number | bigint | boolean, port: Port, label: string) => { data: TypedArray, shape: number[] }} */
function scalarOf(value, port, label) {
  const data = new CLASSES[port.dtype](1);
  const big = data instanceof BigInt64Array || data instanceof BigUint64Array;
  const isFloat = port.dtype.startsWith('f');
  const whole = isFloat || typeof value === 'bigint' || Number.isInteger(Number(value));
  if (whole) data[0] = big ? BigInt(value) : Number(value);
  if (!whole || (!isFloat && Number(data[0]) !== Number(value)) || (port.dtype === 'bool' && data[0] > 1)) {
    fail('ERR_DTYPE', `run: ${port.dtype} does not hold ${value}, ${label}`);
  }
  return { data, shape: [] };
}

/** @type {(value: any, port: Port) => Given} */
function inputOf(value, port) {
  const label = `input '${port.name}'`;
  if (['number', 'bigint', 'boolean'].includes(typeof value)) return scalarOf(value, port, label);
  return arrayOf(value, port, label);
}

/**
 * The one symbol that is missing from a shape, from the number of elements.
 *
 * @type {(port: Port, length: number, values: Map<string, number>) => boolean}
 */
function solve(port, length, values) {
  const known = port.shape.map((size) => (typeof size === 'number' ? size : values.get(size)));
  const missing = port.shape.filter((_, axis) => known[axis] === undefined);
  if (missing.length === 0) return true;
  const [symbol] = missing;
  const held = countOf(known.map((size) => size ?? 1));
  if (held === 0 || missing.some((size) => size !== symbol)) return false;
  values.set(String(symbol), Math.round((length / held) ** (1 / missing.length)));
  return true;
}

/** @type {(program: Description, inputs: Given[]) => number[]} */
function bindSymbols(program, inputs) {
  /** @type {Map<string, number>} */
  const values = new Map();
  inputs.forEach(({ shape }, i) => {
    const port = program.inputs[i];
    if (shape === undefined) return;
    if (shape.length !== port.shape.length) {
      fail('ERR_SHAPE', `run: expected ${typeText(port)} for input '${port.name}', got shape [${shape.join(', ')}]`);
    }
    port.shape.forEach((size, axis) => {
      if (typeof size === 'string' && !values.has(size)) values.set(size, shape[axis]);
    });
  });
  let open = inputs.map((_, i) => i).filter((i) => inputs[i].shape === undefined);
  while (open.length > 0) {
    const left = open.filter((i) => !solve(program.inputs[i], inputs[i].data.length, values));
    if (left.length === open.length) {
      const port = program.inputs[left[0]];
      fail('ERR_SHAPE', `run: the length of input '${port.name}' does not give ${typeText(port)}: pass data and shape`);
    }
    open = left;
  }
  return program.symbols.map((symbol) => values.get(symbol) ?? fail('ERR_VERIFY', `run: no input gives ${symbol}`));
}

/** @type {(given: Given, sizes: number[], port: Port, role: string) => void} */
function checkSizes({ data, shape }, sizes, port, role) {
  const whose = `for ${role} '${port.name}' (${typeText(port)})`;
  const [wanted, got] = [sizes, shape ?? sizes].map((list) => `[${list.join(', ')}]`);
  if (got !== wanted) fail('ERR_SHAPE', `run: expected shape ${wanted} ${whose}, got ${got}`);
  if (countOf(sizes) !== data.length) {
    fail('ERR_SHAPE', `run: expected ${countOf(sizes)} elements ${whose}, got ${data.length}`);
  }
}

/** The caller's arrays for the outputs, if there are any. @type {(outputs: any, ports: Port[], sizes: number[][]) => TypedArray[] | undefined} */
function targetsOf(outputs, ports, sizes) {
  if (outputs === undefined) return undefined;
  return valuesByName(outputs, ports, 'output').map((value, i) => {
    const given = arrayOf(value, ports[i], `output '${ports[i].name}'`);
    checkSizes(given, sizes[i], ports[i], 'output');
    return given.data;
  });
}

/**
 * Where everything lies: exec, sizes, pointers, the array of each port, scratch memory.
 *
 * @type {(base: number, symbols: number, arrayBytes: number[], scratchBytes: number) => Layout}
 */
function layOut(base, symbols, arrayBytes, scratchBytes) {
  let end = base;
  const place = (/** @type {number} */ bytes) => {
    const start = end;
    end = Math.ceil((start + bytes) / 64) * 64;
    return start;
  };
  const [exec, dims, pointers] = [place(8), place(8 * symbols), place(4 * arrayBytes.length)];
  return { exec, dims, pointers, arrays: arrayBytes.map(place), scratch: place(scratchBytes), end };
}

/** @type {(memory: any, end: number) => void} */
function reserve(memory, end) {
  const pages = Math.ceil((end - memory.buffer.byteLength) / PAGE);
  if (pages <= 0) return;
  try {
    if (end > ADDRESSES) throw new RangeError();
    memory.grow(pages);
  } catch {
    fail('ERR_MEMORY', `run: ${end} bytes do not fit in the memory`);
  }
}

/** @type {(memory: any, at: Layout, dims: number[]) => void} */
function writeTables(memory, at, dims) {
  reserve(memory, at.end);
  const view = new DataView(memory.buffer);
  view.setInt32(at.exec, at.scratch, true);
  view.setInt32(at.exec + 4, 0, true);
  dims.forEach((size, i) => view.setBigInt64(at.dims + 8 * i, BigInt(size), true));
  at.arrays.forEach((start, i) => view.setUint32(at.pointers + 4 * i, start, true));
}

/** @type {(program: Description, memory: any, exports: any, inputs: any, outputs?: any) => Record<string, Result>} */
function runModule(program, memory, exports, inputs, outputs) {
  const given = valuesByName(inputs, program.inputs, 'input').map((value, i) => inputOf(value, program.inputs[i]));
  const dims = bindSymbols(program, given);
  const sizes = program.sizes(dims);
  program.check(dims, (truth, message) => truth || fail('ERR_SHAPE', `run: ${message}`));
  given.forEach((own, i) => checkSizes(own, sizes.inputs[i], program.inputs[i], 'input'));
  const targets = targetsOf(outputs, program.outputs, sizes.outputs);

  const classes = [...program.inputs, ...program.outputs].map(({ dtype }) => CLASSES[dtype]);
  const counts = [...sizes.inputs, ...sizes.outputs].map(countOf);
  const bytes = classes.map((own, i) => counts[i] * own.BYTES_PER_ELEMENT);
  const base = Math.ceil(exports.__heap_base.value / 64) * 64;
  const at = layOut(base, dims.length, bytes, sizes.scratch);
  writeTables(memory, at, dims);
  /** @type {(i: number) => any} */
  const inMemory = (i) => new classes[i](memory.buffer, at.arrays[i], counts[i]);
  given.forEach(({ data }, i) => inMemory(i).set(data));
  const status = exports.run(at.pointers, at.dims, at.exec);
  if (status !== 0) fail('ERR_CANCELLED', `run: stopped with status ${status}`);
  const results = program.outputs.map(({ name, dtype }, i) => {
    const found = inMemory(given.length + i);
    const data = targets?.[i] ?? found.slice();
    if (targets) /** @type {any} */ (data).set(found);
    return [name, { data, dtype, shape: sizes.outputs[i] }];
  });
  return Object.fromEntries(results);
}

/** @type {(program: Description) => (source: any) => Promise<any>} */
function makeInstantiate(program) {
  const wasm = /** @type {any} */ (globalThis).WebAssembly;
  return async function instantiate(source) {
    const module = source instanceof wasm.Module ? source : await wasm.compile(source);
    const { exports } = await wasm.instantiate(module);
    const { memory } = exports;
    /** @type {(inputs: any, outputs?: any) => Record<string, Result>} */
    const run = (inputs, outputs) => runModule(program, memory, exports, inputs, outputs);
    return { run, memory, inputs: program.inputs, outputs: program.outputs };
  };
}

export { makeInstantiate };
