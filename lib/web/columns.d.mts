/** The loader of expressions over columns as WebAssembly, which `toWasm` of an expression makes. */

import type { Allocated } from './function.mjs';
import type { Source } from './index.mjs';

/** A column of buffers as Arrow lays them out; bitmaps begin at bit 0. `length` is needed where buffers do not say it. */
export interface ColumnBuffers {
  readonly values: ArrayBufferView;
  readonly offsets?: Int32Array | BigInt64Array;
  readonly validity?: Uint8Array | null;
  readonly length?: number;
}

/** A table or batch of apache-arrow, an array of those, or columns by name: vectors, typed arrays, arrays of values, buffers. */
export type Data = object;

/** A column of results that no typed array says: texts, decimals, what has nulls. */
export interface ResultColumn extends Iterable<any> {
  readonly length: number;
  readonly type: { readonly text: string };
  readonly values: any;
  readonly offsets: Int32Array | BigInt64Array | undefined;
  readonly validity: Uint8Array | null;
  readonly nullCount: number;
  /** Null where there is no value. */
  get(row: number): any;
  toArray(): any[];
  /** As a vector of apache-arrow. */
  toArrow(arrow?: any): any;
}

export interface RunOptions {
  /** Values of the parameters of the expression, by name. */
  parameters?: Record<string, number | bigint | boolean | string | Date>;
}

/** What all modules have. */
export interface Members {
  readonly kind: 'filter' | 'project' | 'aggregate';
  /** The text of the expression. */
  readonly source: string;
  /** Columns that a table has to have. */
  readonly fields: readonly { readonly name: string; readonly type: string; readonly layout: string; readonly nullable: boolean; readonly index?: string }[];
  readonly outputs: readonly { readonly name: string; readonly type: string }[];
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
  /** The WebAssembly.Memory, whose buffer is another one after it has grown. */
  readonly memory: { readonly buffer: ArrayBufferLike };
  /** Bytes in the memory. Columns over them are not copied. */
  allocate(bytes: number): Allocated<Uint8Array>;
}

/** The numbers of the rows for which the expression is true. */
export interface Filter extends Members {
  (data: Data, options?: RunOptions): Uint32Array;
  readonly kind: 'filter';
  count(data: Data, options?: RunOptions): number;
  /** A truth for each row. */
  mask(data: Data, options?: RunOptions): any;
}

/** Columns, or values of aggregates, by name; of one expression just what it gives. */
export interface Query extends Members {
  (data: Data, options?: RunOptions): any;
}

export interface Options {
  /** apache-arrow, whose vectors and tables results are then, where data are. */
  arrow?: any;
  /** Bytes that the memory has from the beginning, so that it need not grow. */
  memory?: number;
}

/**
 * Instantiates a module; of variants the best is taken that the engine knows.
 *
 * @throws {Error} by rejection, and in calls with tables that the module was not made for; the name is `GraphError` then
 * @example
 * const late = await load<Filter>(new URL('late.wasm', import.meta.url));
 * const rows = late(tableFromIPC(bytes));
 */
export function load<Q extends Members = Query>(
  source: Source | { readonly mvp?: Source; readonly simd?: Source; readonly relaxed?: Source },
  options?: Options,
): Promise<Q>;
