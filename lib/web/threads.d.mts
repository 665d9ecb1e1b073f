/** The loader of modules with threads. */

import type { Bytes, Program as SingleProgram, Source } from './index.mjs';

export type * from './index.mjs';

export interface Program extends SingleProgram {
  /** Threads of a run, the calling one among them. */
  readonly threads: number;
}

export interface Options {
  readonly weights?: Bytes;
  /** 1 to 256; all cores by default, and 1 where memory cannot be shared. */
  readonly threads?: number;
  /** Address of `graphjit/web/worker`, where a content security policy forbids workers made from text. */
  readonly worker?: string | URL;
}

interface Variants {
  readonly mvp?: Source;
  readonly simd?: Source;
  readonly relaxed?: Source;
}

/**
 * Instantiates a module that `toWasm({ threads: true })` made, and workers that share its memory. The program
 * runs as that of `graphjit/web` does, and its workers end when it is disposed of or collected.
 *
 * @example
 * const program = await load(new URL('waves.wasm', import.meta.url), { threads: 4 });
 * @throws {Error} by rejection: `ERR_UNSUPPORTED` where several threads were asked for and memory cannot be shared
 */
export function load<P = Program>(
  source: Source | (Variants & { /** What to take for one thread. */ readonly single?: Source | Variants }),
  options?: Options,
): Promise<P & { readonly threads: number }>;
