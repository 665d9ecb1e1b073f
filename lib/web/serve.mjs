/**
 * What a worker of a program with threads does: threads.mjs makes workers of its text, worker.mjs is the same
 * as a file.
 */

/**
 * All that a worker does. Its text becomes the worker's, so it uses nothing from outside.
 *
 * @param {{ module: any, memory: any, top: number }} start
 * @param {(message: string) => void} post
 */
export const serve = ({ module, memory, top }, post) => {
  const { exports } = new /** @type {any} */ (globalThis).WebAssembly.Instance(module, { env: { memory } });
  exports.__stack_pointer.value = top;
  post('ready');
  try {
    exports.work();
  } catch (error) {
    exports.fail(1);
    throw error;
  }
};
