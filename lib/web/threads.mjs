/**
 * The loader of modules with threads: `load` of index.mjs, with workers that share the memory.
 *
 * Each worker has an instance of the module and a stack of its own, lies in wait inside the module (its
 * pool is src/codegen/wasm_pool/pool.c) and costs nothing while it does. `run` stays synchronous: the calling
 * thread works too, and by itself where work is too small to divide. Which thread does what changes no
 * bit of a result.
 *
 * Workers are made from text, so nothing but this file and the module need be served, and bundlers find
 * nothing to resolve. A content security policy may forbid that; then `worker` is the address of worker.mjs.
 */
import { load as loadSingle } from './index.mjs';
import { serve } from './serve.mjs';

/** @typedef {{ postMessage(message: any): void, terminate(): void, unref?(): void }} Thread */
/** @typedef {{ threads?: number, weights?: any, worker?: string | URL }} Options */

/** The instance that runs. @typedef {{ exports: any, threads: Thread[] }} Team */

const { WebAssembly: wasm, Worker: WebWorker, Blob, process } = /** @type {any} */ (globalThis);

const MOST_PAGES = 65536;
const MOST_THREADS = 256;

/** @type {(code: string, message: string) => never} */
const fail = (code, message) => {
  throw Object.assign(new Error(message), { name: 'GraphError', code: `ERR_${code}` });
};

/** A worker of a page, of Deno or Bun. @type {(start: object, address?: string | URL) => Promise<Thread>} */
const startWebWorker = (start, address) => {
  const text = `onmessage = ({ data }) => { (${serve})(data, postMessage); close(); }`;
  const url = address ?? URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const worker = new WebWorker(url, { type: 'module', name: 'graphjit' });
  return new Promise((resolve, reject) => {
    worker.onmessage = () => resolve(worker);
    worker.onerror = (/** @type {any} */ event) => {
      worker.terminate();
      reject(
        Object.assign(new Error(`a worker does not start: ${event.message ?? url}`), {
          name: 'GraphError',
          code: 'ERR_UNSUPPORTED',
        }),
      );
    };
    worker.postMessage(start);
  }).finally(() => address ?? URL.revokeObjectURL(/** @type {string} */ (url)));
};

/** A module of Node, in a way that bundlers for pages leave alone. @type {(name: string) => Promise<any>} */
const ofNode = (name) => import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);

/** A worker of Node, which need not end for the process to end. @type {(start: object) => Promise<Thread>} */
const startNodeWorker = async (start) => {
  const { Worker } = await ofNode('worker_threads');
  const text = `const { parentPort, workerData } = require('node:worker_threads');
    (${serve})(workerData, (message) => parentPort.postMessage(message));`;
  const worker = new Worker(text, { eval: true, execArgv: [], workerData: start, name: 'graphjit' });
  await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  worker.unref();
  return worker;
};

const canShare = () =>
  typeof SharedArrayBuffer === 'function' && /** @type {any} */ (globalThis).crossOriginIsolated !== false;

const hasWorkers = () => Boolean(WebWorker ?? process?.versions?.node);

const HOW_TO_SHARE =
  'sharing memory takes a cross-origin isolated page: serve it with the headers ' +
  "'Cross-Origin-Opener-Policy: same-origin' and 'Cross-Origin-Embedder-Policy: require-corp'";

/** Shared memory, with as much room to grow as the engine has. @type {(pages: number) => any} */
const share = (pages) => {
  for (let maximum = MOST_PAGES; maximum >= pages; maximum /= 2) {
    try {
      return new wasm.Memory({ initial: pages, maximum, shared: true });
    } catch {
      // less, then
    }
  }
  return canShare()
    ? fail('MEMORY', `load: no room for ${pages} pages of shared memory`)
    : fail('UNSUPPORTED', `load: ${HOW_TO_SHARE}`);
};

/** @type {(memory: any, end: number) => void} */
const makeRoom = (memory, end) => {
  try {
    memory.grow(Math.max(0, Math.ceil((end - memory.buffer.byteLength) / 65536)));
  } catch {
    fail('MEMORY', `load: ${end} bytes, stacks of the threads among them, do not fit in the memory`);
  }
};

/** 1 where nobody tells. @type {() => Promise<number>} */
const countCores = async () =>
  /** @type {any} */ (globalThis).navigator?.hardwareConcurrency ??
  (process?.versions?.node ? (await ofNode('os')).availableParallelism() : 1);

/** @type {(wanted: number | undefined) => Promise<number>} */
const countThreads = async (wanted) => {
  if (wanted === undefined) return canShare() && hasWorkers() ? Math.min(await countCores(), MOST_THREADS) : 1;
  if (!Number.isSafeInteger(wanted) || wanted < 1 || wanted > MOST_THREADS) {
    fail('ARGUMENT', `load: expected a whole number from 1 to ${MOST_THREADS} for threads, got ${String(wanted)}`);
  }
  if (wanted > 1 && !hasWorkers())
    fail('UNSUPPORTED', `load: ${wanted} threads take workers, which are not to be had here: ask for 1 thread`);
  if (wanted > 1 && !canShare())
    fail('UNSUPPORTED', `load: ${wanted} threads share memory, and ${HOW_TO_SHARE}, or ask for 1 thread`);
  return wanted;
};

/** Whether this thread may sleep; that of a page may not. @type {() => boolean} */
const maySleep = () => {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1);
    return true;
  } catch {
    return false;
  }
};

/** Sends the workers of a program home that was dropped and not disposed of. */
const forgotten = new FinalizationRegistry((/** @type {() => void} */ stop) => stop());

/**
 * The instance that runs and the workers beside it. Their stacks lie behind the memory of the module.
 *
 * @param {any} module
 * @param {number} pages
 * @param {number} count of threads
 * @param {string | URL} [address]
 * @returns {Promise<Team>}
 */
const assemble = async (module, pages, count, address) => {
  const memory = share(pages);
  const { exports } = await wasm.instantiate(module, { env: { memory } });
  const stack = exports.__stack_pointer.value;
  const base = Math.ceil(exports.__heap_base.value / 64) * 64;
  const end = base + (count - 1) * stack;
  makeRoom(memory, end);
  const start = WebWorker ? startWebWorker : startNodeWorker;
  const started = await Promise.allSettled(
    Array.from({ length: count - 1 }, (_, i) => start({ module, memory, top: base + (i + 1) * stack }, address)),
  );
  const threads = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = started.find((each) => each.status === 'rejected');
  if (failed) {
    for (const thread of threads) thread.terminate();
    throw failed.reason;
  }
  const divide = count === 1 ? 0 : maySleep() ? 2 : 1;
  let told = 0;
  /** @type {(buffers: number, dims: number, exec: number) => number} */
  const run = (buffers, dims, exec) => {
    if (told !== exec) new Uint32Array(memory.buffer, exec)[2] = divide;
    told = exec;
    try {
      return exports.run(buffers, dims, exec);
    } catch (error) {
      // The call stack was at its end, say. Nobody may go on writing into the arrays of this run, and what
      // was left behind has not given back its part of the other stack.
      exports.fail(0);
      exports.__stack_pointer.value = stack;
      throw error;
    }
  };
  const own = { ...exports, memory, run, __heap_base: { value: end } };
  forgotten.register(own, exports.stop);
  return { exports: own, threads };
};

/**
 * The program of a module, on `threads` threads (the cores there are; 1 where memory cannot be shared). A module
 * without threads, since there is nothing to divide, runs as `load` of index.mjs has it.
 *
 * @param {any} source as `load` of index.mjs takes it; `{ simd, relaxed, single }` has another one for 1 thread
 * @param {Options} [options]
 */
export const load = async (source, { threads: wanted, worker, ...rest } = {}) => {
  const count = await countThreads(wanted);
  /** @type {Team | undefined} */
  let team;
  const { single } = Object(await source);
  const program = await loadSingle(count === 1 && single ? single : source, {
    ...rest,
    /** @type {(module: any, info: any) => Promise<any>} */
    instantiate: async (module, info) =>
      info.threads ? (team = await assemble(module, info.threads.pages, count, worker)) : wasm.instantiate(module),
  });
  const { dispose } = program;
  return Object.defineProperties(program, {
    threads: { value: 1 + (team?.threads.length ?? 0), enumerable: true },
    dispose: {
      value() {
        team?.exports.stop();
        team = undefined;
        dispose();
      },
    },
  });
};
