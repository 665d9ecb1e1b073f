/**
 * The loader of functions as WebAssembly: `load` gives a function that is called like the original one. Like the loader
 * of graphs (index.mjs) it generates no code; minified, it stands alone.
 *
 * A module tells in a custom section what the function takes and gives: arguments are taken apart into scalars and
 * arrays as those descriptions say, and results put together. Arrays are copied into the memory of the module, and
 * those that the function writes back; arrays that lie there already (`allocate`) are used in place. Memory that the
 * function itself takes lies behind all of that, and is free again when the call ends. Functions of scalars that cannot
 * fail are plain exports.
 */

import { classOf, failure, memoryOver, rounded } from './memory.mjs';
import { compiled, describedIn, wasm } from './source.mjs';

/** @typedef {{ kind: string, dtype: string, clamps?: boolean, length?: number, rank?: number, elements?: Type[], fields?: Record<string, Type>, slot?: number, tag?: number | null, encoded?: { head: number, kind: string }, value?: string, path?: (string | number)[] }} Type of a parameter or result */
/** @typedef {{ type: string, message: (string | null)[], values: string[] }} Site */
/** @typedef {{ name: string, plain: string, params: Type[], texts: string[], ports: string[], written: boolean[], result: Type, sets: { path: (string | number)[], shape: Type }[], slots: number, sites: Site[] }} Info */
/**
 * An array as the function gets it. Those in the memory lose offset and length when it grows.
 *
 * @typedef {{ array: any, source: any, offset: number, length: number, at: number }} Given
 */
/**
 * A piece of a buffer, to be copied as a whole.
 *
 * @typedef {{ buffer: any, low: number, high: number, at: number }} Piece
 */

const NO_MEMORY = 2;
const THREW = 16;
/** Where an array lies that is a view of an argument: see native/source/types.js of the compiler. */
const VIEW = 0x10000;

/** @type {(array: any) => string} */
const nameOf = (array) => Object.prototype.toString.call(array).slice(8, -1);
const encoder = new TextEncoder();

/** A text in UTF-8. Half a character is a byte that no text has. @type {(text: string) => number[] | Uint8Array} */
function bytesOf(text) {
  const parts = String(text).split(/\p{Surrogate}/u);
  if (parts.length === 1) return encoder.encode(text);
  return parts.flatMap((part, i) => (i > 0 ? [0xff, ...encoder.encode(part)] : [...encoder.encode(part)]));
}

/** Texts behind each other, and where each begins and ends. @type {(texts: string[]) => { bytes: Uint8Array, offsets: Int32Array } | {}} */
function joined(texts) {
  if (!texts.every((text) => typeof text === 'string')) return {};
  const list = texts.map(bytesOf);
  const offsets = new Int32Array(list.length + 1);
  list.forEach((each, i) => (offsets[i + 1] = offsets[i] + each.length));
  const bytes = new Uint8Array(offsets[list.length]);
  list.forEach((each, i) => bytes.set(each, offsets[i]));
  return { bytes, offsets };
}

/** Whether offsets lie among so many bytes, none before the one ahead of it. @type {(offsets: Int32Array, bytes: number) => boolean} */
const isInOrder = (offsets, bytes) =>
  offsets[0] >= 0 &&
  offsets[offsets.length - 1] <= bytes &&
  offsets.every((each, i) => i === 0 || offsets[i - 1] <= each);

/** @type {(dtype: string, value: any) => boolean} whether a number or bigint is one of the dtype's */
const isOf = (dtype, value) => {
  if (dtype[0] === 'f') return true;
  const bits = Number(dtype.slice(1));
  if (typeof value === 'bigint')
    return value === (dtype[0] === 'u' ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value));
  const [least, most] = dtype[0] === 'u' ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
  return Number.isInteger(value) && value >= least && value <= most;
};

/**
 * Takes one argument apart.
 *
 * @param {Type} type
 * @param {any} value
 * @param {any[]} scalars
 * @param {Given[]} arrays
 * @returns {boolean} false for a value that is not of the type
 */
function take(type, value, scalars, arrays) {
  switch (type.kind) {
    case 'number':
    case 'bigint':
      scalars.push(value);
      return typeof value === type.kind && isOf(type.dtype, value);
    case 'boolean':
      scalars.push(value);
      return typeof value === 'boolean';
    case 'texts': {
      const { bytes, offsets } = Array.isArray(value) ? joined(value) : (value ?? {});
      const isTaken = (/** @type {string} */ dtype, /** @type {any} */ array) =>
        takeArray({ kind: 'array', dtype }, array, scalars, arrays);
      return isTaken('u8', bytes) && isTaken('i32', offsets) && isInOrder(offsets, bytes.length);
    }
    case 'array':
      return takeArray(type, value?.end ? value.data : value, scalars, arrays);
    case 'list': {
      if (!Array.isArray(value) || value.length !== (type.length ?? value.length)) return false;
      // One array for several parameters is one array to the code, too.
      const array = arrays.find(({ source }) => source === value)?.array ?? Float64Array.from(value);
      arrays.push(givenOf(array, value));
      return value.every((each) => typeof each === 'number');
    }
    case 'tensor': {
      const { data, offset = 0, shape, strides } = value ?? {};
      if (shape?.length !== type.rank || !ArrayBuffer.isView(data)) return false;
      const steps =
        strides ??
        shape.map((/** @type {number} */ _, /** @type {number} */ i) =>
          shape.slice(i + 1).reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1),
        );
      const isTaken = takeArray(
        { ...type, length: undefined },
        /** @type {any} */ (data).subarray(offset),
        scalars,
        arrays,
      );
      scalars.push(...shape, ...steps);
      return isTaken;
    }
    case 'tuple':
      return (
        Array.isArray(value) &&
        value.length === type.elements?.length &&
        value.every((each, i) => take(/** @type {any} */ (type.elements)[i], each, scalars, arrays))
      );
    case 'object':
      if (typeof value !== 'object' || value === null) return false;
      return Object.entries(type.fields ?? {}).every(([name, each]) => take(each, value[name], scalars, arrays));
    default:
      return value === (type.kind === 'null' ? null : undefined);
  }
}

/** @type {(type: Type, array: any, scalars: any[], arrays: Given[]) => boolean} */
function takeArray({ dtype, clamps, length }, array, scalars, arrays) {
  if (nameOf(array) !== classOf(dtype, clamps).name) return false;
  arrays.push(givenOf(array, array));
  return (length ?? array.length) === array.length;
}

/** @type {(array: any, source: any) => Given} */
const givenOf = (array, source) => ({ array, source, offset: array.byteOffset, length: array.length, at: 0 });

/**
 * The pieces of buffers that arrays lie in. Arrays that overlap share one, so that they do in the module's memory.
 *
 * @param {Given[]} arrays
 * @param {any} own the buffer of the memory, whose arrays stay where they are
 * @returns {Piece[]}
 */
function piecesOf(arrays, own) {
  /** @type {Piece[]} */
  let pieces = [];
  for (const { array } of arrays) {
    if (array.buffer === own) continue;
    const piece = {
      buffer: array.buffer, low: array.byteOffset - (array.byteOffset % 8), high: array.byteOffset + array.byteLength,
      at: 0,
    };
    pieces = pieces.filter(({ buffer, low, high }) => {
      if (buffer !== piece.buffer || low >= piece.high || high <= piece.low) return true;
      piece.low = Math.min(low, piece.low);
      piece.high = Math.max(high, piece.high);
      return false;
    });
    pieces.push(piece);
  }
  return pieces;
}

/** The elements of an argument, in the memory. @type {(given: Given, buffer: any) => any} */
const copyOf = ({ array, length, at }, buffer) => new array.constructor(buffer, at, length);

/** Puts into an array what has become of its elements. @type {(given: Given, buffer: any) => void} */
function giveBack(given, buffer) {
  const { array, source } = given;
  const now = copyOf(given, buffer);
  if (!Array.isArray(source)) array.set(now);
  else
    now.forEach(
      (/** @type {number} */ each, /** @type {number} */ i) => Object.is(source[i], each) || (source[i] = each),
    );
}

const getters = /** @type {Record<string, 'getFloat64'>} */ (
  /** @type {unknown} */ ({
    f64: 'getFloat64', f32: 'getFloat32', i64: 'getBigInt64', u64: 'getBigUint64', i32: 'getInt32', u32: 'getUint32',
    bool: 'getUint8',
  })
);

/**
 * What the slot holds of a scalar, or an export has returned, as JavaScript has it.
 *
 * @type {(type: Type, value: any) => any}
 */
function scalarOf({ kind, dtype }, value) {
  if (kind === 'boolean') return Boolean(value);
  if (kind === 'bigint') return dtype === 'u64' ? BigInt.asUintN(64, value) : value;
  return dtype === 'u32' ? Number(value) >>> 0 : Number(value);
}

/**
 * The result of a call.
 *
 * @param {Type} type
 * @param {(slot: number, dtype: string) => any} slot
 * @param {any} buffer of the memory
 * @param {Given[]} arrays
 * @param {any[]} args
 * @returns {any}
 */
function read(type, slot, buffer, arrays, args) {
  const { kind, dtype } = type;
  const at = /** @type {number} */ (type.slot);
  const tag = typeof type.tag === 'number' ? slot(type.tag, 'i32') : 0;
  if (tag === 1) return undefined;
  if (tag === 2) return null;
  switch (kind) {
    case 'undefined':
      return undefined;
    case 'null':
      return null;
    case 'constant':
      return constantOf(type);
    case 'given':
      return follow(args, type.path ?? []);
    case 'tuple':
      return type.elements?.map((each) => read(each, slot, buffer, arrays, args));
    case 'object':
      return Object.fromEntries(
        Object.entries(type.fields ?? {}).map(([name, each]) => [name, read(each, slot, buffer, arrays, args)]),
      );
    case 'array':
    case 'list': {
      const [address, length, origin] = [0, 1, 2].map((k) => Number(slot(at + k, 'i64')));
      const Class = classOf(dtype, type.clamps);
      const given = arrays[(origin % VIEW) - 2];
      if (given && origin < VIEW) return wholeOf(given, buffer);
      const part = given ? partOf(given, Class, address, length, buffer) : new Class(buffer, address, length).slice();
      return kind === 'list' ? listOf(part, type.encoded) : part;
    }
    default: {
      const value = scalarOf(type, slot(at, dtype));
      return tag === 3 ? Boolean(value) : value;
    }
  }
}

/**
 * An Array, which may lie in memory as integers; NaNs with this head stand for what is no number.
 *
 * @type {(array: any, encoded?: { head: number, kind: string }) => any[]}
 */
function listOf(array, encoded) {
  if (!encoded) return Array.from(array, Number);
  const words = new Uint32Array(array.buffer, array.byteOffset, 2 * array.length);
  const others = [undefined, undefined, null, false, true];
  return Array.from(array, (x, i) =>
    words[2 * i + 1] === encoded.head ? others[words[2 * i]] : encoded.kind === 'booleans' ? x === 1 : x,
  );
}

/** What stands at a place in the arguments. @type {(args: any, path: (string | number)[]) => any} */
const follow = (args, path) => path.reduce((value, key) => value[key], args);

/** A number, bigint, boolean or text that each call returns. @type {(type: Type) => any} */
const constantOf = ({ dtype, value }) => {
  if (dtype === 'number') return Number(value);
  if (dtype === 'bigint') return BigInt(/** @type {string} */ (value));
  return dtype === 'boolean' ? value === 'true' : value;
};

/**
 * An argument that is returned. Arrays in the memory may have lost their buffer when it grew.
 *
 * @type {(given: Given, buffer: any) => any}
 */
const wholeOf = (given, buffer) => (given.array.length === given.length ? given.source : copyOf(given, buffer));

/** A view of an argument. @type {(given: Given, Class: any, address: number, length: number, buffer: any) => any} */
function partOf({ array, length: whole, at }, Class, address, length, buffer) {
  return array.length === whole
    ? new Class(array.buffer, array.byteOffset + address - at, length)
    : new Class(buffer, address, length);
}

/** @type {(site: Site, slot: (slot: number, dtype: string) => any) => unknown} what is thrown */
function thrownAt({ type, message, values }, slot) {
  const shown = values.map((dtype, k) => {
    const value = slot(k, dtype === 'i64' || dtype === 'u64' ? dtype : 'f64');
    return dtype === 'bool' ? value !== 0 : value;
  });
  if (type === '') return message[0] ?? shown[0];
  const text = message.map((part) => part ?? String(shown.shift())).join('');
  const Class = /^\w*Error$/.test(type) ? /** @type {any} */ (globalThis)[type] : undefined;
  return new (Class ?? Error)(text);
}

/**
 * Calls; where the stack of the engine or of the module has ended, what JavaScript throws.
 *
 * @type {(exports: any, stack: number, action: () => any) => any}
 */
function guarded({ __stack_pointer: pointer }, stack, action) {
  try {
    return action();
  } catch (error) {
    if (!pointer) throw error;
    pointer.value = stack;
    throw error instanceof RangeError ? error : new RangeError('Maximum call stack size exceeded');
  }
}

/** @type {(info: Info, args: any[], scalars: any[], arrays: Given[]) => void} */
function takeAll({ name, params, texts }, args, scalars, arrays) {
  params.forEach((type, i) => {
    if (!take(type, args[i], scalars, arrays))
      throw failure(`${name}: expected ${texts[i]} for argument ${i + 1}`, 'ERR_DTYPE');
  });
}

/**
 * Calls of the function that runs on slots and arrays.
 *
 * @param {Info} info
 * @param {any} exports
 * @param {ReturnType<typeof memoryOver>} space
 * @returns {(args: any[]) => any}
 */
function callerOf(info, exports, space) {
  const { memory } = exports;
  const stack = exports.__stack_pointer?.value;

  /**
   * Lays out what the call needs, from `at` on, and copies.
   *
   * @type {(at: number, scalars: any[], arrays: Given[]) => any[]}
   */
  const lay = (at, scalars, arrays) => {
    const pieces = piecesOf(arrays, memory.buffer);
    const dims = at + 8 * info.slots;
    const exec = dims + 8 * arrays.length;
    const heap = exec + 32;
    const buffers = heap + 8;
    let end = rounded(buffers + 4 + 4 * arrays.length);
    for (const piece of pieces) {
      piece.at = end;
      end = rounded(end + piece.high - piece.low);
    }
    const isInside = arrays.map(({ array }) => array.buffer === memory.buffer);
    space.reserve(end);
    const bytes = new Uint8Array(memory.buffer);
    for (const { buffer, low, high, at: to } of pieces) bytes.set(new Uint8Array(buffer, low, high - low), to);
    arrays.forEach((given, k) => {
      const { array, offset } = given;
      const own = pieces.find(
        ({ buffer, low, high }) => buffer === array.buffer && offset >= low && offset + array.byteLength <= high,
      );
      given.at = isInside[k] || !own ? offset : own.at + offset - own.low;
    });
    const view = new DataView(memory.buffer);
    scalars.forEach((value, i) => putScalar(view, at + 8 * i, info.ports[i], value));
    bytes.fill(0, exec, buffers);
    view.setUint32(exec + 28, heap, true);
    view.setUint32(heap, end, true);
    view.setUint32(buffers, at, true);
    arrays.forEach((given, k) => {
      view.setUint32(buffers + 4 + 4 * k, given.at, true);
      view.setBigInt64(dims + 8 * k, BigInt(given.length), true);
    });
    return [buffers, dims, exec];
  };

  return (args) => {
    /** @type {any[]} */
    const scalars = [];
    /** @type {Given[]} */
    const arrays = [];
    takeAll(info, args, scalars, arrays);
    const at = space.top();
    const isOutside = arrays.map(({ array }) => array.buffer !== memory.buffer);
    const words = lay(at, scalars, arrays);
    const finish = () =>
      arrays.forEach((given, k) => info.written[k] && isOutside[k] && giveBack(given, memory.buffer));
    let status;
    try {
      status = guarded(exports, stack, () => exports.run(...words));
    } finally {
      finish();
    }
    const view = new DataView(memory.buffer);
    const slot = (/** @type {number} */ k, /** @type {string} */ dtype) => view[getters[dtype]](at + 8 * k, true);
    if (status === 0) {
      const updates = info.sets.map(({ path, shape }) => [
        follow(args, path.slice(0, -1)), path.at(-1), read(shape, slot, memory.buffer, arrays, args),
      ]);
      const value = read(info.result, slot, memory.buffer, arrays, args);
      for (const [target, name, now] of updates) if (!Object.is(target[name], now)) target[name] = now;
      return value;
    }
    if (status >= THREW) throw thrownAt(info.sites[status - THREW], slot);
    if (status === NO_MEMORY) throw new RangeError(`${info.name}: out of memory for an array`);
    throw failure(`${info.name}: the module returned ${status}`, 'ERR_INTERNAL');
  };
}

/** @type {(view: DataView, at: number, dtype: string, value: any) => void} */
function putScalar(view, at, dtype, value) {
  if (dtype === 'f64') view.setFloat64(at, value, true);
  else if (dtype === 'f32') view.setFloat32(at, value, true);
  else view.setBigInt64(at, BigInt(value), true);
}

/**
 * @param {any} source of the module: an address, a Response or a promise of one, bytes, a WebAssembly.Module, or `{ mvp, simd,
 *   relaxed }` of those
 * @returns {Promise<any>} the function
 */
export const load = async (source) => {
  const module = await compiled(source);
  /** @type {Info} */
  const info = describedIn(module);
  if (!info.params) throw failure('this is no module of a function', 'ERR_ARGUMENT');
  const { exports } = await wasm.instantiate(module);
  const space = memoryOver(exports.memory, exports.__heap_base.value);
  const stack = exports.__stack_pointer?.value;
  const run = callerOf(info, exports, space);
  const call = (/** @type {any[]} */ ...args) => {
    if (!info.plain) return run(args);
    /** @type {any[]} */
    const scalars = [];
    takeAll(info, args, scalars, []);
    const value = guarded(exports, stack, () => exports[info.plain](...scalars));
    return value === undefined ? read(info.result, () => 0, null, [], args) : scalarOf(info.result, value);
  };
  Object.defineProperty(call, 'name', { value: info.name });
  return Object.assign(call, { exports, memory: exports.memory, allocate: space.allocate });
};
