/**
 * Typings of static maps; index.d.ts exports all of it.
 *
 * A map is compiled from its keys: one key is looked up by JavaScript that is made for them, many natively.
 */

import type { Tensor, TypedArray } from '../index.js';
import type { ArrowVector, Column } from './columns.js';
import type { NativeFunction } from './function.js';
import type { ObjectOptions, WasmModule } from './graph.js';
import type { Value } from './value.js';

/** What keys are; all keys of a map are of one type. Bigints have 64 bits: they are from -2^63 on, or from 0 to 2^64 - 1. */
export type MapKey = number | bigint | string;

/** The type of a key that is written down. */
type Any<K extends MapKey> = K extends number ? number : K extends bigint ? bigint : string;

/** Many keys: a typed array or a column is looked up natively, an array by JavaScript. Nulls are in no map. */
export type ManyKeys<K extends MapKey> =
  | readonly K[]
  | (K extends number ? NumberArray : K extends bigint ? BigInt64Array | BigUint64Array : never)
  | Columnar;

/** A vector of apache-arrow, a column, or what `table(…).column(name)` gives. */
type Columnar = ArrowVector | Column | { readonly chunks: readonly Column[] };

type NumberArray =
  | Float64Array | Float32Array | Int32Array | Uint32Array | Int16Array | Uint16Array | Int8Array | Uint8Array | Uint8ClampedArray;

/** Of many keys the values, where these came in an array, and what is there for a key that is not: `undefined` unless told. */
export type ManyValues<V, M = undefined> = (V | M)[];

/** Arrays of numbers or of bigints, whose class results have. */
type ResultArray = NumberArray | BigInt64Array | BigUint64Array;
type ResultElement<A> = A extends BigInt64Array | BigUint64Array ? bigint : number;

/** Keys by index. */
type Keys<K extends MapKey> = K extends string ? string[] : K extends bigint ? BigInt64Array | BigUint64Array : Float64Array;

export interface MapOptions<M = unknown> {
  /** Most threads of a lookup of many keys. The default is the number of cores. */
  threads?: number;
  /**
   * What `getMany` has for a key that is not there. The default is `undefined`; among values from a typed array NaN for
   * floats and 0 for integers.
   */
  missing?: M;
}

/** How keys are found: by an index for each integer of a range, by one slot of a table, or by comparing with each. */
export type MapLayout = 'direct' | 'hash' | 'comparisons';

export interface KeyedOptions<M = unknown> extends MapOptions<M> {
  /**
   * The layout. If it is not given, those that are possible are measured, and the fastest is taken. Of up to 64 keys there
   * are comparisons; a direct table is of integers, and takes 1 GiB at most.
   */
  layout?: MapLayout;
}

/** How a map is laid out, and nanoseconds of a lookup, measured by this call: one key, each of many, and of a Map. */
export interface MapExplanation {
  keys: 'number' | 'integer' | 'signed' | 'unsigned' | 'string';
  size: number;
  layout: 'direct' | 'comparisons' | 'hash by product' | 'hash by pilots';
  reason: string;
  /**
   * The layouts that the choice was between, the best one first, with nanoseconds of a lookup and bytes of what was
   * measured: this map, or when it was compiled one of its kind, of large ones a part. Empty where there was no choice.
   */
  candidates: { layout: MapLayout; nanoseconds: number; bytes: number }[];
  single: string;
  nanoseconds: { get: number; batch: number | null; map: number } | null;
  /** Of keys, values and tables. */
  bytes: number;
  compileMilliseconds: number;
  /** Keys that `update` changed and that are not laid out yet. */
  changes: number;
  threads: number;
}

interface Exported<K> {
  /**
   * A native function from a key, a number or a bigint, to its value, which has to be a number, or to its index. A key that
   * is not there gives `missing` (NaN), or -1; of a set, there are 1 and 0. Other native functions call it, and it becomes
   * WebAssembly and C as these do, with the tables inside.
   *
   * @throws GraphError ERR_UNSUPPORTED where keys are strings or values no numbers
   */
  toNative(options?: { of?: 'value' | 'index'; missing?: number }): NativeFunction<(key: K) => number>;
}

/** What leaves the process: a function of many keys. */
export interface MapExportOptions {
  /** Values, which have to be numbers or come in a typed array, unless given. */
  of?: 'value' | 'index';
  /** What a key that is not there gives; unless given, what `getMany` does, and of indices -1. */
  missing?: number | bigint;
}

export interface MapWasmOptions extends MapExportOptions {
  optLevel?: 0 | 1 | 2 | 3;
  /** What engines must know; `['simd']` if not given. */
  variants?: readonly ('mvp' | 'simd' | 'relaxed')[];
  /** Whether `wasm-opt` shrinks modules; `'auto'`: if it is there. */
  optimize?: boolean | 'auto';
}

export type MapObjectOptions = MapExportOptions & Omit<ObjectOptions, 'threads' | 'numerics'>;

interface Shipped {
  /**
   * A module that the loader `graphjit/web/function` makes a function of: from keys, which are a Float64Array, a
   * BigInt64Array, a BigUint64Array, or of texts an array of strings or `{ bytes, offsets }`, to a fresh array of what is
   * found. It exports that as `find_many` too, of addresses of UTF-8 bytes, offsets of 32 bits and results.
   *
   * @throws GraphError ERR_UNSUPPORTED for values that are no numbers, bigints of more than 64 bits and unpaired surrogates
   */
  toWasm(options?: MapWasmOptions): WasmModule;
  /** An object with a function of many keys, which {@link toHeader} describes. */
  toObject(options?: MapObjectOptions & { emit?: 'object' | 'bitcode' }): Uint8Array;
  toObject(options: MapObjectOptions & { emit: 'assembly' | 'llvm' }): string;
  /** Its header, which has a function of one key besides. */
  toHeader(options?: MapExportOptions & { symbol?: string }): string;
}

interface Lookup<K extends MapKey> extends Shipped {
  readonly size: number;
  /** Whether a key is there. What is of another type is not. */
  has(key: K): boolean;
  /** Its index among the entries, in their order without repeated keys, or -1. */
  index(key: K): number;
  /** `index` of many keys. `out` has room for as many. */
  indexMany(keys: ManyKeys<K>, out?: Int32Array): Int32Array;
  /** In a graph, of numbers or bigints: i32 of the same shape. */
  indexMany(keys: Value): Value;
  indexMany(keys: Tensor): Tensor;
  /** Lets go of everything; then all calls are refused. */
  dispose(): void;
}

/** What maps and sets have in common. Functions of keys in order are of numbers without NaN, bigints, and UTF-16 units. */
interface CompiledKeys<K extends MapKey> extends Lookup<K>, Exported<K> {
  readonly keyType: 'number' | 'bigint' | 'string';
  /** Resolves when nothing is being laid out anew. */
  readonly settled: Promise<void>;
  /** 1 for each key that is there, else 0. */
  hasMany(keys: ManyKeys<K>, out?: Uint8Array): Uint8Array;
  /** In a graph, of numbers or bigints: booleans of the same shape. */
  hasMany(keys: Value): Value;
  hasMany(keys: Tensor): Tensor;
  /** Keys by index. */
  keys(): Keys<K>;
  /** How many keys are below one. */
  rank(key: K): number;
  /** The same of each key of a typed array; all numbers are below NaN. */
  rankMany(keys: K extends string ? never : TypedArray | BigInt64Array | BigUint64Array, out?: Int32Array): Int32Array;
  explain(): MapExplanation;
}

/** A map whose keys are known. `M` is what `getMany` gives: an array, or one of the class that values came in. */
export interface CompiledMap<K extends MapKey, V, M = ManyValues<V>> extends CompiledKeys<K> {
  get(key: K): V | undefined;
  /** Values of many keys, and what the option `missing` says. */
  getMany(keys: ManyKeys<K>, out?: M): M;
  /** In a graph, of numbers or bigints to numbers: f64 of the same shape. */
  getMany(keys: Value): Value;
  getMany(keys: Tensor): Tensor;
  entries(): IterableIterator<[K, V]>;
  [Symbol.iterator](): IterableIterator<[K, V]>;
  /** The entry of the greatest key that is not above. */
  floor(key: K): [K, V] | undefined;
  /** The entry of the least key that is not below. */
  ceiling(key: K): [K, V] | undefined;
  /** Entries of the keys from `low` to below `high`, in order. */
  range(low: K, high: K): [K, V][];
  /**
   * Adds entries, replaces those of known keys, and takes away those of `remove`. Changes are looked at first, and from
   * some hundreds on, and a sixteenth of the map, it is laid out anew on another thread. `index` of a changed key is -1
   * until then. A value is as those of the typed array that values came in. Functions of order, `keys`, `entries` and
   * those of many keys in arrays lay out at once.
   */
  update(entries: MapEntries<K, V>, options?: { remove?: Iterable<K> }): void;
}

/** A set whose keys are known. */
export interface CompiledSet<K extends MapKey> extends CompiledKeys<K> {
  get(key: K): true | undefined;
  getMany(keys: ManyKeys<K>, out?: (true | undefined)[]): (true | undefined)[];
  /** In a graph, of numbers or bigints f64, 1 and 0, of the same shape. */
  getMany(keys: Value): Value;
  getMany(keys: Tensor): Tensor;
  entries(): IterableIterator<[K, true]>;
  [Symbol.iterator](): IterableIterator<K>;
  floor(key: K): [K, true] | undefined;
  ceiling(key: K): [K, true] | undefined;
  range(low: K, high: K): [K, true][];
  /** As of a map. */
  update(keys: Iterable<K>, options?: { remove?: Iterable<K> }): void;
}

/** Values by interval. `M` is what `getMany` gives. */
export interface CompiledRanges<K extends number | bigint, V, M = ManyValues<V>> extends Lookup<K>, Exported<K> {
  readonly keyType: 'number' | 'bigint';
  /** The value of the interval that a key is in. */
  get(key: K): V | undefined;
  /** Of a typed array, an array or a column. */
  getMany(keys: ManyKeys<K>, out?: M): M;
  /** In a graph, of numbers or bigints to numbers: f64 of the same shape. */
  getMany(keys: Value): Value;
  getMany(keys: Tensor): Tensor;
  explain(): Record<string, unknown>;
}

/** Values by prefix. A key is a text; among networks also an IPv4 address as a number, or an IPv6 address as a bigint. */
export interface CompiledTrie<V, M = ManyValues<V>> extends Omit<Lookup<any>, 'indexMany'> {
  /** The value of the longest prefix. */
  get(key: string | number | bigint): V | undefined;
  has(key: string | number | bigint): boolean;
  index(key: string | number | bigint): number;
  /** The longest prefix and its value. */
  match(key: string | number | bigint): [string, V] | undefined;
  /** Of an array or a column of texts; of networks also of addresses in a typed array or a column of numbers. */
  indexMany(keys: ManyPrefixed, out?: Int32Array): Int32Array;
  getMany(keys: ManyPrefixed, out?: M): M;
  explain(): Record<string, unknown>;
}

type ManyPrefixed = readonly (string | number | bigint)[] | TypedArray | BigInt64Array | BigUint64Array | Columnar;

type List<T> = readonly T[] | (ArrayLike<T> & ArrayBufferView);
type EntryColumns<K extends MapKey, V> = { readonly keys: List<K>; readonly values: List<V> };

/** Entries of a map: those of `{ keys, values }` come without an object each. An object has its own enumerable names as keys. */
export type MapEntries<K extends MapKey, V> =
  | Iterable<readonly [K, V]>
  | EntryColumns<K, V>
  | (K extends string ? Readonly<Record<string, V>> : never);

/**
 * A map of entries: as `Map` has them, where NaN is a key and -0 is 0, and of equal keys the last value counts. Up to 2^28.
 *
 * @throws GraphError ERR_ARGUMENT where keys are of different types, bigints of more than 64 bits, or not such as `layout`
 * needs
 */
export function compileMap<K extends MapKey, A extends ResultArray>(
  entries: { readonly keys: List<K>; readonly values: A },
  options?: KeyedOptions<ResultElement<A>>,
): CompiledMap<Any<K>, ResultElement<A>, A>;
export function compileMap<K extends MapKey, V, M = undefined>(
  entries: Iterable<readonly [K, V]> | EntryColumns<K, V>,
  options?: KeyedOptions<M>,
): CompiledMap<Any<K>, V, ManyValues<V, M>>;
export function compileMap<V, M = undefined>(
  entries: Readonly<Record<string, V>>,
  options?: KeyedOptions<M>,
): CompiledMap<string, V, ManyValues<V, M>>;
export function compileMap<K extends MapKey, V>(entries: MapEntries<K, V>, options?: KeyedOptions): CompiledMap<Any<K>, V>;

/** A set of keys, of which there may be several. */
export function compileSet<K extends MapKey>(keys: Iterable<K>, options?: KeyedOptions): CompiledSet<Any<K>>;

/**
 * Intervals to values. An interval is [low, high), or [low, high] with `inclusive`; it is not empty, and none overlap.
 * Bigints may have any size; above 64 bits many keys are looked up one by one.
 *
 * @throws GraphError ERR_ARGUMENT
 */
export function compileRanges<K extends number | bigint, A extends ResultArray>(
  ranges: { readonly lows: List<K>; readonly highs: List<K>; readonly values: A },
  options?: MapOptions<ResultElement<A>> & { inclusive?: boolean },
): CompiledRanges<K extends number ? number : bigint, ResultElement<A>, A>;
export function compileRanges<K extends number | bigint, V, M = undefined>(
  ranges: Iterable<readonly [K, K, V]> | { readonly lows: List<K>; readonly highs: List<K>; readonly values: List<V> },
  options?: MapOptions<M> & { inclusive?: boolean },
): CompiledRanges<K extends number ? number : bigint, V, ManyValues<V, M>>;

interface TrieOptions {
  separator?: string;
  of?: 'texts' | 'networks';
}

/**
 * Prefixes to values, of which the longest counts. Where all prefixes are IP addresses or networks in CIDR notation, keys
 * are IP addresses, unless `of` or a `separator` says that they are texts. With a `separator`, one UTF-16 unit, a prefix
 * of a text ends where the text does, or before or behind a separator: `/users` is one of `/users/7`, and not of `/usersettings`.
 *
 * @throws GraphError ERR_ARGUMENT
 */
export function compileTrie<A extends ResultArray>(
  entries: { readonly keys: List<string>; readonly values: A },
  options?: MapOptions<ResultElement<A>> & TrieOptions,
): CompiledTrie<ResultElement<A>, A>;
export function compileTrie<V, M = undefined>(
  entries: MapEntries<string, V>,
  options?: MapOptions<M> & TrieOptions,
): CompiledTrie<V, ManyValues<V, M>>;

/** The addresses of a network such as `10.0.0.0/8` or `2001:db8::/32`, [low, high): of IPv4 numbers, of IPv6 bigints. */
export function cidrRange(text: string): [number, number] | [bigint, bigint];
