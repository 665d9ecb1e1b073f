/**
 * The memory of modules of functions and of expressions: arrays of the user's in it, and what one call needs behind.
 */

const UNIT = 64;
const PAGE = 65536;

/** @type {(message: string, code: string) => Error} */
export const failure = (message, code) => Object.assign(new Error(message), { name: 'GraphError', code });

/** Float64Array for f64, BigUint64Array for u64. @type {(dtype: string, clamps?: boolean) => any} */
export const classOf = (dtype, clamps) => {
  if (clamps || dtype === 'u8c') return Uint8ClampedArray;
  const kind = { f: 'Float', i: 'Int', u: 'Uint', b: 'Uint' }[dtype[0]];
  return /** @type {any} */ (globalThis)[
    `${/[iu]64/.test(dtype) ? 'Big' : ''}${kind}${Number(dtype.slice(1)) || 8}Array`
  ];
};

/** @type {(bytes: number) => number} */
export const rounded = (bytes) => Math.ceil(bytes / UNIT) * UNIT;

/**
 * Memory of a module, which grows: arrays of the user's, then what one call needs.
 *
 * @param {any} memory
 * @param {number} base
 */
export function memoryOver(memory, base) {
  /** In order of address. @type {{ at: number, end: number }[]} */
  let arrays = [];
  const reserve = (/** @type {number} */ end) => {
    const missing = end - memory.buffer.byteLength;
    try {
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    } catch {
      throw failure(`out of memory for ${end} bytes`, 'ERR_MEMORY');
    }
  };
  return {
    /** Where what calls need begins. */
    top: () => arrays.at(-1)?.end ?? rounded(base),
    reserve,
    /** An array that calls use where it lies. @type {(dtype: string, length: number) => any} */
    allocate(dtype, length) {
      const Class = classOf(dtype);
      const bytes = rounded(length * (Class?.BYTES_PER_ELEMENT ?? NaN)) || UNIT * Number(length === 0);
      if (!Number.isSafeInteger(length) || !(bytes > 0))
        throw failure(`allocate: no array of ${length} ${dtype}`, 'ERR_ARGUMENT');
      let at = rounded(base);
      let i = 0;
      while (arrays[i]?.at < at + bytes) at = arrays[i++].end;
      reserve(at + bytes);
      /** @type {any} */
      let view;
      const array = {
        at,
        end: at + bytes,
        dtype,
        length,
        get data() {
          if (!arrays.includes(array)) throw failure('the array is freed', 'ERR_STATE');
          if (view?.buffer !== memory.buffer) view = new Class(memory.buffer, at, length);
          return view;
        },
        free: () => void (arrays = arrays.filter((each) => each !== array)),
      };
      arrays.splice(i, 0, array);
      array.data.fill(/64/.test(dtype) && dtype[0] !== 'f' ? 0n : 0);
      return array;
    },
  };
}
