/**
 * Where modules come from: addresses, responses, bytes, in variants of which the best is taken that the engine knows.
 */
import { failure } from './memory.mjs';

// @ts-ignore -- the types of Node have no WebAssembly
export const wasm = WebAssembly;

const isModule = (/** @type {any} */ source) => Object.prototype.toString.call(source) === '[object WebAssembly.Module]';

/** @type {(source: any) => never} */
const refuse = (source) => {
  throw failure(`load: expected an address, a Response, bytes or a WebAssembly.Module, got ${source === null ? null : typeof source}`, 'ERR_ARGUMENT');
};

/** What an address, a Response or bytes hold. @type {(source: any) => Promise<any>} */
const open = async (source) => {
  if (typeof source !== 'string' && Object(source) !== source) refuse(source);
  const given = await (typeof source === 'string' || source instanceof URL ? fetch(source) : source);
  if (given?.ok === false) throw failure(`${given.url}: ${given.status}`, 'ERR_ARGUMENT');
  return given?.arrayBuffer ? given.arrayBuffer() : given;
};

/**
 * Of variants the best that the engine knows: instruction 256 is of relaxed SIMD, 128 of SIMD.
 *
 * @type {(source: any) => any}
 */
const chosen = (source) => {
  const isKnown = (/** @type {number} */ high) =>
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
        high,
        26,
        11,
      ),
    );
  if (source?.relaxed && isKnown(2)) return source.relaxed;
  if (source?.simd && isKnown(1)) return source.simd;
  return source?.mvp ?? source;
};

/**
 * @param {any} source of the module: an address, a Response or a promise of one, bytes, a WebAssembly.Module, or
 *   `{ mvp, simd, relaxed }` of those
 * @returns {Promise<any>} a WebAssembly.Module
 */
export const compiled = async (source) => {
  const code = await open(chosen(source));
  if (isModule(code)) return code;
  return code?.byteLength === undefined ? refuse(source) : wasm.compile(code);
};

/** What the compiler says of a module in it. @type {(module: any) => any} */
export const describedIn = (module) => {
  const section = wasm.Module.customSections(module, 'graphjit')[0];
  return section ? JSON.parse(new TextDecoder().decode(section)) : {};
};
