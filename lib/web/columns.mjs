/**
 * The loader of expressions over columns as WebAssembly: `load` gives a function of tables. Pages take the minified
 * file, which stands alone; what drives the kernel is in lib/columns, and the same for Node.
 */
import web from '../columns/web/query.js';
import { memoryOver } from './memory.mjs';
import { compiled, describedIn, wasm } from './source.mjs';

/**
 * @param {any} source of the module: an address, a Response or a promise of one, bytes, a WebAssembly.Module, or
 *   `{ mvp, simd, relaxed }` of those
 * @param {{ arrow?: any, memory?: number }} [options]
 * @returns {Promise<any>}
 */
export const load = async (source, options) => {
  const module = await compiled(source);
  const { exports } = await wasm.instantiate(module);
  return web.queryOf(describedIn(module), exports, memoryOver(exports.memory, exports.__heap_base.value), options);
};
