/**
 * The loader of expressions over columns as WebAssembly: `load` gives a function of tables. Pages take the minified
 * file, which stands alone; what drives the kernel is in lib/columns, and the same for Node.
 */
import web from '../columns/web/query.js';
import { failure, memoryOver } from './memory.mjs';
import { compiled, describedIn, wasm } from './source.mjs';

/** A module at work. @type {(module: any) => Promise<any>} */
const instanceOf = async (module) => {
  const { exports } = await wasm.instantiate(module);
  return { info: describedIn(module), exports, space: memoryOver(exports.memory, exports.__heap_base.value) };
};

/** @type {(text: string) => Uint8Array} of base 64 */
const bytesOf = (text) => Uint8Array.from(globalThis.atob(text), (char) => char.charCodeAt(0));

/**
 * @param {any} source of the module: an address, a Response or a promise of one, bytes, a WebAssembly.Module, or
 *   `{ mvp, simd, relaxed }` of those
 * @param {{ arrow?: any, memory?: number }} [options]
 * @returns {Promise<any>}
 */
export const load = async (source, options) => {
  const module = await compiled(source);
  // Another module may not be there to be run at all.
  if (describedIn(module).columns !== 1) throw failure('load: this is no module of an expression over columns', 'ERR_ARGUMENT');
  const instance = await instanceOf(module);
  const { after } = instance.info;
  return web.queryOf(instance, after ? await instanceOf(await wasm.compile(bytesOf(after))) : null, options);
};
