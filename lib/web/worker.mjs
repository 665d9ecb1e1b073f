/**
 * A worker as a file of its own, for pages whose content security policy forbids workers made from text:
 * `load(source, { worker: address of this file })`.
 */
import { serve } from './serve.mjs';

const scope = /** @type {any} */ (globalThis);

scope.onmessage = (/** @type {any} */ { data }) => {
  serve(data, scope.postMessage);
  scope.close();
};
