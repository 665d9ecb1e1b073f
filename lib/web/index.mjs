/**
 * The loader of graphjit's WebAssembly modules: `load` gives a program with the `run` and `bind` of the
 * native one. It stands alone (no imports; nothing of Node or of a page but WebAssembly, fetch and
 * TextDecoder) and generates no code, so the strictest content security policy allows it.
 *
 * A module describes itself in a custom section, and computes and checks sizes in its function `plan`.
 * What is left for JavaScript: give the symbols values from shapes and lengths, compare, lay out memory,
 * copy. The size of this file is a feature: below 3.25 KB when minified, as a test measures. Hence the terse
 * messages, the tuples (names of properties survive minifying), classes found by name, and `check`, which is
 * try, catch and throw in one.
 *
 * Memory behind the module's own is divided by one allocator into arrays: those of the user, and those
 * that a run needs for itself (sizes, scratch memory, copies of arrays from elsewhere). Runs give theirs
 * back when the next one begins; a bound function keeps its own. Nothing ever moves, so addresses stay
 * valid when memory grows. Views do not, and are made anew when they are asked for.
 */

/* eslint-disable array-callback-return -- map is shorter than forEach, and for-of than neither */

/** @typedef {[name: string, dtype: string, shape: (number | string)[]]} Port a text is an expression over the symbols */
/** @typedef {{ at: number, end: number, dtype: string, shape: number[], readonly data: any, free(): void }} Memory `end` is 0 once it is freed */

// @ts-ignore -- the types of Node have no WebAssembly
/* eslint eqeqeq: off -- bytes count here, and numbers are compared with texts */

const wasm = WebAssembly;

/**
 * What the action gives; a GraphError if it throws, or if there is none.
 *
 * @type {(message: any, code?: string, action?: any) => any}
 */
const check = (message, code = 'ARGUMENT', action) => {
  try {
    return action();
  } catch {
    throw Object.assign(Error(message), { name: 'GraphError', code: 'ERR_' + code });
  }
};

// Two of the codes, by names that are shorter when minified.
const STATE = 'STATE';
const DTYPE = 'DTYPE';

/**
 * Float64Array for f64, BigUint64Array for u64, Uint8Array for bool, Uint16Array for f16 and bf16.
 *
 * @type {(dtype: string) => any}
 */
const classOf = (dtype) =>
  /** @type {any} */ (globalThis)[
    (/[iu]6/.test(dtype) ? 'Big' : '') +
      /** @type {any} */ ({ f: 'Float', i: 'Int', u: 'Uint', b: 'Uint' })[(dtype = dtype.replace(/b?f1/, 'u1'))[0]] +
      (+dtype.slice(1) || 8) +
      'Array'
  ];

/** @type {(shape: number[]) => number} */
const product = (shape) => shape.reduce((total, size) => total * size, 1);

/** @type {(arrays: Memory[]) => unknown} */
const free = (arrays) => arrays.map((array) => array.free());

/**
 * What an address, a Response or bytes hold; a module where the engine compiles as it loads.
 *
 * @type {(source: any, isModule?: number) => Promise<any>}
 */
const open = async (source, isModule) => {
  source = await (source.trim || source.href ? fetch(source) : source);
  if (source.ok < 1) check(source.url);
  if (!source.arrayBuffer) return source;
  // The body of a copy, since the engine refuses one that is served as another type.
  return (isModule && (await wasm.compileStreaming?.(source.clone()).catch(() => 0))) || source.arrayBuffer();
};

/**
 * @param {any} source of the module: an address, a Response or a promise of one, bytes, a WebAssembly.Module, or
 *   `{ mvp, simd, relaxed }` of those, of which the first is taken that the engine knows, from the last on
 * @param {{ weights?: any, instantiate?: (module: any, info: any) => Promise<{ exports: any }> }} [options] weights that
 *   are not in the module, likewise
 */
export const load = async (source, { weights = [], instantiate = wasm.instantiate } = {}) => {
  // A function with instruction 256 or 128 of the vector instructions, which relaxed SIMD and SIMD have.
  const code = await open(
    source[
      /** @type {any} */ (
        ['relaxed', 'simd', 'mvp'].find(
          (name, i) =>
            source[name] &&
            /** @type {any} */ (i > 1) |
              wasm.validate(
                Uint8Array.of(
                  0,
                  97,
                  115,
                  109,
                  1,
                  0,
                  0,
                  0,
                  1,
                  4,
                  1,
                  96,
                  0,
                  0,
                  3,
                  2,
                  1,
                  0,
                  10,
                  9,
                  1,
                  7,
                  0,
                  0,
                  253,
                  128,
                  2 - i,
                  26,
                  11,
                ),
              ),
        )
      )
    ] ?? source,
    1,
  );
  const module = code.byteLength ? await wasm.compile(code) : code;
  const info = JSON.parse(new TextDecoder().decode(wasm.Module.customSections(module, 'graphjit')[0] ?? check('wasm')));
  /** @type {{ symbols: string[], inputs: Port[], outputs: Port[], weights: any }} */
  const { symbols, inputs, outputs, weights: apart } = info;
  const { exports } = await instantiate(module, info);
  const memory = exports.memory;
  /** All of them, in order of address. @type {Memory[]} */
  let arrays = [];
  /** Those of the last run. @type {Memory[]} */
  let frame = [];

  if (apart) {
    const data = new Uint8Array(await open(weights));
    const differs =
      data.length - apart.bytes ||
      new Uint32Array(data.buffer).reduce((sum, word) => Math.imul(sum ^ word, 16777619), 2166136261) ^
        /** @type {any} */ ('0x' + apart.hash);
    if (differs) check('weights');
    new Uint8Array(memory.buffer).set(data, exports.weights.value);
  }

  /**
   * The first gap that is large enough, or memory that is grown.
   *
   * @param {string} dtype
   * @param {any} shape
   * @param {Memory[]} [list] that it is added to
   * @returns {Memory}
   */
  const allocate = (dtype, shape, list) => {
    shape = [shape].flat();
    const Class = classOf(dtype);
    const length = product(shape);
    const bytes = Math.ceil((length * Class?.BYTES_PER_ELEMENT) / 64) * 64;
    if (!(bytes >= 0)) check(dtype + shape);
    let at = exports.__heap_base.value;
    let i = 0;
    while (arrays[i]?.at < at + bytes) at = arrays[i++].end;
    const missing = at + bytes - memory.buffer.byteLength;
    if (missing > 0) check(dtype + shape, 'MEMORY', () => memory.grow(missing / 65536 + 1));
    /** @type {any} */
    let view;
    const array = {
      at,
      end: at + bytes,
      dtype,
      shape,
      get data() {
        if (!array.end) check('freed', STATE);
        return view?.buffer == memory.buffer ? view : (view = new Class(memory.buffer, at, length));
      },
      free() {
        arrays = arrays.filter((each) => each != array);
        array.end = 0;
      },
    };
    arrays.splice(i, 0, array);
    list?.push(array);
    return array;
  };

  // Addresses of all arrays, then the execution context, of which only the first word is not zero.
  const words = allocate('u32', 8 + inputs.length + outputs.length);

  /** Everything but the run itself. @type {(givenInputs: any, givenOutputs: any) => any} */
  const prepare = (givenInputs, givenOutputs) => {
    free(frame);
    /** @type {Memory[]} */
    const own = (frame = []);
    /** Where the array of each port is. @type {Memory[]} */
    const slots = [];
    /** @type {((phase: number) => void)[]} */
    const copies = [];
    /** @type {any} */
    const results = {};

    // A size that is missing follows from a length, if it is the only one; two make a text of `held` and NaN
    // of the size, which is no better than none. Each round finds another.
    /** By their texts. @type {any} */
    const sizes = {};
    symbols.map(() =>
      inputs.map(([name, , declared]) => {
        const given = givenInputs?.[name];
        /** @type {any} */
        let held = 1;
        /** @type {any} */
        let missing;
        declared.map((/** @type {any} */ size, axis) => {
          const value = size.at ? (sizes[size] ||= given?.shape?.[axis]) : size;
          if (value >= 0) held *= value;
          else if (missing) held = size;
          else missing = size;
        });
        sizes[missing] = (given?.data ?? given)?.length / held;
      }),
    );
    // What is no size becomes one here, and is refused when it is compared with what was given.
    const longs = allocate('i64', 16 * words.data.length, own);
    longs.data.set(symbols.map((symbol) => BigInt(sizes[symbol] >>> 0)));
    let next = symbols.length;
    const bad = exports.plan?.(longs.at, longs.at + 8 * next);
    const arena = allocate('u8', bad ? 0 : (info.scratch ?? Number(longs.data[next])), own).at;

    /** @type {[Port[], any][]} */
    const sides = [
      [inputs, givenInputs || {}],
      [outputs, givenOutputs],
    ];
    sides.map(([list, values], isOutput) => {
      for (const name in values) if (!list.some((port) => port[0] == name)) check('no ' + name);
      list.map(([name, dtype, declared]) => {
        /** @type {(why?: string) => never} */
        const no = (why) => /** @type {never} */ (check(`${name} is ${dtype}[${declared}]`, why));
        const Class = classOf(dtype);
        /** @type {any} */
        const at = next;
        const wanted = declared.map((/** @type {any} */ size) => (next++, size.at ? Number(longs.data[next]) : size));
        const length = product(wanted);
        let given = values ? (values[name] ?? '') : check(name, 'MEMORY', () => new Class(length));
        if (/^[nb]/.test(typeof given)) {
          // Numbers are no bits of halves, so there is no function then.
          const data = check(name, DTYPE, () =>
            Class.from([given], Class.name < 'C' ? BigInt : /f1/.test(dtype) || Number),
          );
          if (dtype[0] != 'f' && data[0] != given) no(DTYPE);
          given = { data, shape: [] };
        }
        // A Tensor may show its elements in another order, or a part of them. The copy of one has strides only.
        if (given.strides) given = given.isContiguous ? given.contiguous() : no();
        const { data = given, shape = wanted } = given;
        if (!(data instanceof Class)) no(data?.buffer && DTYPE);
        check(name, STATE, () => data.at());
        if (bad) check(info.checks[bad - 1], 'SHAPE');
        if ((data.length - length) | /** @type {any} */ (shape + '' != wanted)) no('SHAPE');
        const owner = arrays.find((array) => array.data == data);
        const slot = owner ?? allocate(dtype, wanted, own);
        if (isOutput) {
          if (slots.includes(slot)) no();
          results[name] = owner ?? { data, dtype, shape: wanted };
        }
        slots.push(slot);
        copies.push(
          (phase) =>
            owner ||
            phase - isOutput ||
            check(name, STATE, () => (isOutput ? data.set(slot.data) : slot.data.set(data))),
        );
        // Sizes that the run has computed come behind those that there is room for.
        if (isOutput * info.found)
          copies.push((phase) => {
            const found = declared.map((/** @type {any} */ size, axis) =>
              size.at ? Number(longs.data[at + info.found + axis + 1]) : size,
            );
            if (phase)
              results[name] = { data: (owner ?? { data }).data.subarray(0, product(found)), dtype, shape: found };
          });
      });
    });

    const call = () => {
      copies.map((copy) => copy(0));
      words.data.set([...slots.map((slot) => slot.data.byteOffset), arena]);
      if (exports.run(words.at, longs.at, words.at + 4 * slots.length)) check('run', 'CANCELLED');
      info.found && exports.plan(longs.at, longs.at + 8 * symbols.length);
      copies.map((copy) => copy(1));
      return results;
    };
    call.outputs = results;
    call.free = () => free(own);
    return call;
  };

  /** @type {(list: Port[]) => object[]} */
  const portsOf = (list) => list.map(([name, dtype, shape]) => ({ name, dtype, shape }));
  return {
    inputs: portsOf(inputs),
    outputs: portsOf(outputs),
    memory,
    allocate,
    run: (/** @type {any} */ given, /** @type {any} */ targets) => prepare(given, targets)(),
    // What a bound function needs is not given back.
    bind: (/** @type {any} */ given, /** @type {any} */ targets) => [prepare(given, targets), (frame = [])][0],
    dispose: () => free(arrays),
  };
};
