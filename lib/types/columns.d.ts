/**
 * Typings of expressions over columns; index.d.ts exports all of it.
 *
 * Results are like what was given: vectors and tables of apache-arrow for those, typed arrays and {@link Column}s for
 * objects of arrays. The types of apache-arrow are described by what they have, since it need not be installed.
 */

import type { Tensor, TypedArray } from '../index.js';
import type { NativeFunction } from './function.js';
import type { CompiledMap, CompiledRanges, CompiledSet, CompiledTrie } from './maps.js';
import type { ObjectOptions, WasmModule, WasmOptions } from './graph.js';

// ---------------------------------------------------------------------------------------------- data

/** A Vector of apache-arrow. */
export interface ArrowVector {
  readonly length: number;
  readonly nullCount: number;
  readonly type: any;
  readonly data: readonly any[];
  get(row: number): any;
  toArray(): any;
  [Symbol.iterator](): IterableIterator<any>;
}

/** A Table of apache-arrow. */
export interface ArrowTable {
  readonly numRows: number;
  readonly numCols: number;
  readonly schema: any;
  readonly batches: readonly any[];
  get(row: number): any;
  getChild(name: any): any;
  toArray(): any[];
}

/** A RecordBatch of apache-arrow. */
export interface ArrowBatch {
  readonly numRows: number;
  readonly schema: any;
  readonly data: any;
}

/** The type of the values of a column, such as `{ text: 'timestamp[us, UTC]', kind: 'timestamp', unit: 'us', … }`. */
export interface ColumnType {
  /** As it is written in casts. */
  readonly text: string;
  readonly id: string;
  readonly kind:
    | 'int' | 'float' | 'bool' | 'utf8' | 'binary' | 'date' | 'time' | 'timestamp' | 'duration' | 'interval' | 'decimal' | 'null';
  readonly bits: number;
  readonly signed: boolean;
  readonly unit?: string | undefined;
  readonly zone?: string | undefined;
  readonly precision: number;
  readonly scale: number;
}

/** The values of one type in buffers as Arrow lays them out: a result that no typed array can hold. */
export interface Column {
  readonly type: ColumnType;
  readonly length: number;
  /** Rows without a value. */
  readonly nullCount: number;
  /** Elements, indices, a bitmap, or all bytes of texts. What it has for a null may be anything. */
  readonly values: any;
  /** Where each text begins, and the last one ends. */
  readonly offsets?: Int32Array | BigInt64Array | undefined;
  /** A bit for each row, 1 where there is a value; null where all rows have one. */
  readonly validity: Uint8Array | null;
  /**
   * A value as JavaScript has it: bigints for 64 bits, milliseconds for dates and timestamps, texts for decimals. `null`
   * where there is none, `undefined` beyond the last row.
   */
  get(row: number): any;
  toArray(): any[];
  [Symbol.iterator](): Iterator<any>;
  /** As a vector of apache-arrow, without a copy. */
  toArrow(arrow?: any): any;
}

/** What a column can be made of. Arrays of JavaScript values are copied, all else is not; objects have columns by name. */
export type ColumnLike =
  | TypedArray
  | ArrowVector
  | Column
  | Tensor
  | readonly unknown[]
  | { readonly [name: string]: ColumnLike };

/** Columns by name. */
export interface Columns {
  readonly [name: string]: ColumnLike;
}

/** What expressions run on. A list has chunks of one table. */
export type TableLike =
  | Table<any>
  | ArrowTable
  | ArrowBatch
  | ArrowVector
  | Columns
  | readonly (ArrowBatch | ArrowTable | Columns)[];

/** What results are like: those of apache-arrow, or arrays. */
export type Origin = 'arrow' | 'arrays';

/** What results over such data are like. */
export type OriginOf<T> = T extends Table<infer O>
  ? O
  : T extends ArrowTable | ArrowVector | ArrowBatch | readonly (ArrowTable | ArrowBatch)[]
    ? 'arrow'
    : 'arrays';

/** A column of a result: truths are bytes of 0 and 1, and whatever has nulls or is no number is a {@link Column}. */
export type ColumnResult<O extends Origin = 'arrays'> = O extends 'arrow' ? any : TypedArray | Column;

/** Columns of a result by name. Of apache-arrow it is a Table. */
export type TableResult<O extends Origin = 'arrays', Names extends string = string> = O extends 'arrow'
  ? any
  : Record<Names, TypedArray | Column>;

/** What is known of a column before it is read. */
export interface Field {
  readonly name: string;
  readonly type: ColumnType;
  readonly layout: 'fixed' | 'bits' | 'offsets32' | 'offsets64' | 'dictionary' | 'null' | 'none';
  /** Whether a row may be without a value; this reads the column. */
  readonly nullable: boolean;
  /** What it is instead, where expressions cannot use it. */
  readonly unsupported?: string | undefined;
}

/** Columns that have been read and are validated once, when an expression asks for them. {@link table} makes it. */
export class Table<O extends Origin = Origin> {
  private constructor();
  readonly rows: number;
  /** What results are like. */
  readonly origin: O;
  /** By name; of a struct `p` the fields `p.x`, `p.y`. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly chunks: readonly { readonly rows: number }[];
  /** For results: the classes of apache-arrow that it was made with. */
  readonly kit: unknown;
  /** What is known of a column, or an error that says which there are. */
  field(name: string, caller?: string): Field;
  /** Reads and validates a column. */
  column(name: string, caller?: string): { readonly field: Field; readonly chunks: readonly Column[] };
  /** Throws where memory of columns was taken away, by transferring it to another thread for example. */
  checkIntact(names: Iterable<string>, caller?: string): void;
  /** The columns as a Table of apache-arrow, without a copy. */
  toArrow(arrow?: any): any;
}

/** Options of {@link table}. */
export interface TableOptions {
  /** Types of columns that are typed arrays or arrays, such as `{ day: 'date32' }` for an Int32Array of days. */
  types?: Readonly<Record<string, string | ColumnType>>;
}

/**
 * Data as a table that several expressions run on: it is read and validated once, and ranges of its values are remembered,
 * by which filters skip blocks. Nobody may write to its memory from then on.
 *
 * A path or bytes are a file or a stream of Arrow's IPC format, which takes the package apache-arrow.
 *
 * @throws {GraphError} `ERR_ARGUMENT`, `ERR_SHAPE`, `ERR_DTYPE` for data that is no table, `ERR_PARSE` for damaged files
 * @example
 * const flights = table('flights.arrow');
 * expr('delay > 60').count(flights);
 */
export function table(source: string | URL | Uint8Array | ArrayBuffer): Table<'arrow'>;
export function table<const T extends TableLike>(data: T, options?: TableOptions): Table<OriginOf<T>>;

/**
 * A table of what arrives in time: a stream of Node or of the web, a response, a file handle, anything that iterates over
 * bytes.
 *
 * @example
 * const flights = await tableAsync(fetch('https://example.org/flights.arrow'));
 */
export function tableAsync(source: unknown): Promise<Table<'arrow'>>;

/**
 * Sets the copy of apache-arrow that results are made with. Programs of ES modules have another one than `require` finds;
 * results that are of the types of the table they came from need none.
 *
 * @example
 * useArrow(await import('apache-arrow'));
 */
export function useArrow(module: unknown): void;

// --------------------------------------------------------------------------------------- the builder

/** What can be an operand: what is no expression is a literal. A Date is a timestamp, a Uint8Array bytes. */
export type ExpressionOperand = BuiltExpression | number | bigint | string | boolean | null | Date | Uint8Array;

/** An expression that was built by methods. `String(expression)` is its text, which parses to the same tree. */
export interface BuiltExpression {
  add(other: ExpressionOperand): BuiltExpression;
  sub(other: ExpressionOperand): BuiltExpression;
  mul(other: ExpressionOperand): BuiltExpression;
  /** Of integers a float64, or what SQL says of decimals. */
  div(other: ExpressionOperand): BuiltExpression;
  floorDivide(other: ExpressionOperand): BuiltExpression;
  mod(other: ExpressionOperand): BuiltExpression;
  pow(other: ExpressionOperand): BuiltExpression;
  neg(): BuiltExpression;
  eq(other: ExpressionOperand): BuiltExpression;
  ne(other: ExpressionOperand): BuiltExpression;
  lt(other: ExpressionOperand): BuiltExpression;
  le(other: ExpressionOperand): BuiltExpression;
  gt(other: ExpressionOperand): BuiltExpression;
  ge(other: ExpressionOperand): BuiltExpression;
  isDistinctFrom(other: ExpressionOperand): BuiltExpression;
  isNotDistinctFrom(other: ExpressionOperand): BuiltExpression;
  and(other: ExpressionOperand): BuiltExpression;
  or(other: ExpressionOperand): BuiltExpression;
  not(): BuiltExpression;
  xor(other: ExpressionOperand): BuiltExpression;
  bitAnd(other: ExpressionOperand): BuiltExpression;
  bitOr(other: ExpressionOperand): BuiltExpression;
  bitXor(other: ExpressionOperand): BuiltExpression;
  bitNot(): BuiltExpression;
  shl(bits: ExpressionOperand): BuiltExpression;
  shr(bits: ExpressionOperand): BuiltExpression;
  isNull(): BuiltExpression;
  isNotNull(): BuiltExpression;
  isTrue(): BuiltExpression;
  isNotTrue(): BuiltExpression;
  isFalse(): BuiltExpression;
  isNotFalse(): BuiltExpression;
  concat(other: ExpressionOperand): BuiltExpression;
  /** Both bounds belong to the range. */
  between(low: ExpressionOperand, high: ExpressionOperand): BuiltExpression;
  isIn(list: Iterable<ExpressionOperand> | BuiltExpression): BuiltExpression;
  /** `%` is any text, `_` any character; `escape` takes their meaning from them. */
  like(pattern: ExpressionOperand, escape?: ExpressionOperand): BuiltExpression;
  ilike(pattern: ExpressionOperand, escape?: ExpressionOperand): BuiltExpression;
  /** Such as `'int32'`, `'decimal(38, 2)'`. */
  cast(type: string | ColumnType): BuiltExpression;
  /** Null where a value does not fit. */
  tryCast(type: string | ColumnType): BuiltExpression;
  /** Any function, with this as its first argument. */
  call(name: string, ...args: ExpressionOperand[]): BuiltExpression;
  toString(): string;
}

/** A choice, which is null where no condition holds unless `otherwise` says what it is. */
export interface BuiltChoice extends BuiltExpression {
  when(condition: ExpressionOperand, result: ExpressionOperand): BuiltChoice;
  otherwise(result: ExpressionOperand): BuiltExpression;
}

/** Types that {@link Expr.lit} can give a value. */
export type LiteralType =
  | 'integer' | 'float' | 'decimal' | 'string' | 'boolean' | 'null' | 'date' | 'time' | 'timestamp' | 'interval' | 'binary';

// -------------------------------------------------------------------------------------- expressions

/** One expression: a text, or what was built. */
export type ExpressionLike = string | BuiltExpression;

/** Expressions by name, or a list of those that name themselves. */
export type ExpressionsLike = ExpressionLike | readonly ExpressionLike[] | Readonly<Record<string, ExpressionLike>>;

/** Options of {@link expr}. */
export interface ExpressionOptions {
  /** Most threads that a run may use; as many as there are processors unless told. Results are the same bits. */
  threads?: number;
  /** `'fast'` lets floats be contracted and functions be less exact. */
  numerics?: 'default' | 'strict' | 'fast';
  /** What happens where an integer or a decimal is divided by 0; `'error'` unless told. */
  divisionByZero?: 'error' | 'null';
  /** What happens where a result leaves its integer type; `'wrap'` unless told. */
  overflow?: 'wrap' | 'error' | 'null';
  /** What happens where a value does not fit what it is cast to, or a function cannot take it; `'error'` unless told. */
  cast?: 'error' | 'null';
  /**
   * Functions by name: of numbers, that `native` made, compiled maps, or expressions with parameters, which may call those
   * before them.
   */
  functions?: Readonly<Record<string, NativeFunction<any> | LookupFunction | { params: readonly string[]; expr: ExpressionLike }>>;
  /** Whether machine code is kept for later, on disk too. */
  cache?: boolean;
  /** From 0 to 3. */
  optLevel?: 0 | 1 | 2 | 3;
  /** `'auto'`: first runs use code that is made quickly. `'full'`: the best code from the first on. Results are the same. */
  tier?: 'auto' | 'full';
}

type LookupFunction = CompiledMap<any, any> | CompiledSet<any> | CompiledRanges<any, any> | CompiledTrie<any>;

/** Values of parameters, `:name` or `@name` in texts: float64, int64, bool, utf8, timestamp[ms]. */
export interface Parameters {
  readonly [name: string]: number | bigint | boolean | string | Date;
}

/** Options of runs that look at rows. */
export interface RowOptions {
  /** Only these rows, such as an earlier filter gave; all, unless told. */
  rows?: Uint32Array;
  parameters?: Parameters;
}

/** Options of {@link Expression.filter}. */
export interface FilterOptions extends RowOptions {
  /** Where the result goes, if it has room: the result is a part of it then. */
  out?: Uint32Array;
}

/** Options of runs that may end early. */
export interface AbortOptions {
  signal?: AbortSignal;
}

/** Options of {@link Expression.project}. */
export interface ProjectOptions extends RowOptions {
  /** Only rows for which this is true. */
  where?: ExpressionLike | Expression<any>;
}

/** Options of {@link Expression.aggregate}. */
export interface AggregateOptions {
  /** One group for each value of these, null being one; of all rows, unless told. */
  by?: ExpressionsLike;
  /** Only rows for which this is true. */
  where?: ExpressionLike | Expression<any>;
  parameters?: Parameters;
}

/** Options of {@link Expression.topK}. */
export interface TopOptions {
  /** The least values instead of the greatest. */
  ascending?: boolean;
  /** Only rows for which this is true. */
  where?: ExpressionLike | Expression<any>;
  parameters?: Parameters;
}

/** What a stream of batches can be: a path, bytes, a stream of bytes, a response, or what iterates over tables. */
export type BatchesLike =
  | string
  | URL
  | Uint8Array
  | ArrayBuffer
  | Iterable<TableLike>
  | AsyncIterable<TableLike | Uint8Array>
  | object;

/** Types of columns by name, such as `{ x: 'float64', city: 'utf8?', tag: 'dictionary(utf8, int32)' }`; `?`: with nulls. */
export interface Schema {
  readonly [name: string]: string;
}

/** Options of {@link Expression.toWasm}. */
export interface ColumnsWasmOptions extends Pick<WasmOptions, 'numerics' | 'optLevel' | 'variants' | 'optimize'> {
  /** What the module computes; unless told, what the expression looks like. */
  kind?: 'filter' | 'project' | 'aggregate';
  /** Groups of aggregates: columns. */
  by?: ExpressionsLike;
  /** Rows of aggregates. */
  where?: ExpressionLike;
  /** Types of parameters: `'float64'`, `'int64'`, `'bool'`, `'utf8'` or `'timestamp[ms]'`. */
  parameters?: Readonly<Record<string, string>>;
}

/** Options of {@link Expression.toObject}. */
export interface ColumnsObjectOptions extends ObjectOptions, Pick<ColumnsWasmOptions, 'parameters'> {
  kind?: 'filter' | 'project';
}

/** Options of {@link Expression.explain}. */
export interface ExplainOptions extends Pick<AggregateOptions, 'by' | 'where'> {
  /** Just one of the stages; all, unless told. */
  stage?: 'tree' | 'plan' | 'loops' | 'llvm' | 'asm';
  parameters?: Parameters;
}

/**
 * One expression, or several by name: `Names` is null for one. It is compiled for the types of the columns it is given,
 * and whether they have nulls, when it runs; tables that are alike share the code.
 *
 * Every method throws a {@link GraphError}: `ERR_ARGUMENT` for unknown columns, functions and options, `ERR_DTYPE` for
 * operands a function does not take, `ERR_CALL` for faults of a row (division by zero, casts), which the message names.
 */
export class Expression<Names extends string | null = string | null> {
  private constructor();

  /**
   * The numbers of the rows for which it is true, in order.
   *
   * @example
   * expr('(x > 2.0) and (x < 6.0)').filter({ x: Float64Array.of(1, 3, 5, 7) }); // Uint32Array [1, 2]
   */
  filter(data: TableLike, options?: FilterOptions): Uint32Array;
  /** The same on other threads, while this one goes on. Nobody may write to the data meanwhile. */
  filterAsync(data: TableLike, options?: RowOptions & AbortOptions): Promise<Uint32Array>;
  /** How many rows there are for which it is true. */
  count(data: TableLike, options?: RowOptions): number;
  /** The same on other threads. */
  countAsync(data: TableLike, options?: RowOptions & AbortOptions): Promise<number>;
  /** A truth for each row, false where it is null. */
  mask<const T extends TableLike>(data: T, options?: RowOptions): ColumnResult<OriginOf<T>>;
  /** The same on other threads. */
  maskAsync<const T extends TableLike>(data: T, options?: RowOptions & AbortOptions): Promise<ColumnResult<OriginOf<T>>>;
  /** The rows for which it is true, with all columns. */
  filterTable<const T extends TableLike>(data: T, options?: RowOptions): TableResult<OriginOf<T>>;
  /** The same, the rows being found on other threads. */
  filterTableAsync<const T extends TableLike>(data: T, options?: RowOptions & AbortOptions): Promise<TableResult<OriginOf<T>>>;

  /**
   * A value for each row; of several expressions, a table of them, computed in one pass.
   *
   * @example
   * expr({ km: 'distance * 1.609', late: 'delay > 15' }).project(flights, { where: 'distance > 1000' });
   */
  project<const T extends TableLike>(
    data: T,
    options?: ProjectOptions,
  ): [Names] extends [string] ? TableResult<OriginOf<T>, Names & string> : ColumnResult<OriginOf<T>>;
  /** The same on other threads. Nobody may write to the data meanwhile. */
  projectAsync<const T extends TableLike>(
    data: T,
    options?: ProjectOptions & AbortOptions,
  ): Promise<[Names] extends [string] ? TableResult<OriginOf<T>, Names & string> : ColumnResult<OriginOf<T>>>;

  /**
   * Aggregates such as `sum(x) / count(*)`: one value for each expression, or with `by` a table of groups, in the order of
   * their first rows. Keys come first in it.
   *
   * @example
   * expr({ n: 'count(*)', mean: 'mean(delay)' }).aggregate(flights, { by: 'origin', where: 'distance > 500' });
   */
  aggregate<const T extends TableLike>(
    data: T,
    options: AggregateOptions & { by: ExpressionsLike },
  ): TableResult<OriginOf<T>>;
  aggregate(
    data: TableLike,
    options?: AggregateOptions & { by?: undefined },
  ): [Names] extends [string] ? Record<Names & string, any> : any;

  /** The same on other threads. Nobody may write to the data meanwhile. */
  aggregateAsync<const T extends TableLike>(
    data: T,
    options: AggregateOptions & AbortOptions & { by: ExpressionsLike },
  ): Promise<TableResult<OriginOf<T>>>;
  aggregateAsync(
    data: TableLike,
    options?: AggregateOptions & AbortOptions & { by?: undefined },
  ): Promise<[Names] extends [string] ? Record<Names & string, any> : any>;

  /**
   * The rows of each batch for which it is true, as tables; batches that are not asked for any more are not read.
   *
   * @example
   * for await (const part of expr('delay > 60').filterBatches(process.stdin)) console.log(part.numRows);
   */
  filterBatches(source: BatchesLike, options?: { parameters?: Parameters }): AsyncGenerator<any, void>;
  /** What {@link project} gives, for each batch. */
  projectBatches(source: BatchesLike, options?: Omit<ProjectOptions, 'rows'>): AsyncGenerator<any, void>;
  /** What {@link aggregate} gives, of all batches, of which just one is held at a time. */
  aggregateBatches(source: BatchesLike, options?: AggregateOptions & AbortOptions): Promise<any>;

  /** The numbers of the rows with the greatest values, the greatest first. Nulls and NaN come last. */
  topK(data: TableLike, count: number, options?: TopOptions): Uint32Array;
  /** The same, values being computed on other threads. */
  topKAsync(data: TableLike, count: number, options?: TopOptions & AbortOptions): Promise<Uint32Array>;

  /**
   * A module of WebAssembly for tables with such columns, which pages load by `graphjit/web/columns`.
   *
   * @throws {GraphError} `ERR_UNSUPPORTED` for what pages cannot compute, such as keys that are no columns
   * @example
   * const { bytes } = expr('delay > 60').toWasm({ delay: 'int16' });
   */
  toWasm(schema: TableLike | Schema, options?: ColumnsWasmOptions): WasmModule;

  /** A filter or a projection as an object file for C (or its text), for any target. */
  toObject(schema: TableLike | Schema, options: ColumnsObjectOptions & { emit: 'assembly' | 'llvm' }): string;
  toObject(schema: TableLike | Schema, options?: ColumnsObjectOptions & { emit?: 'object' | 'bitcode' }): Uint8Array;
  toObject(schema: TableLike | Schema, options?: ColumnsObjectOptions): Uint8Array | string;
  /** The C header of that object. */
  toHeader(schema: TableLike | Schema, options?: Pick<ColumnsObjectOptions, 'symbol' | 'kind' | 'parameters'>): string;

  /** What it becomes for data like this: its tree with types, stages, Loop IR, LLVM IR and assembly, as text. */
  explain(data: TableLike, options?: ExplainOptions): string;
}

/** {@link expr}, and what builds expressions. */
export interface Expr {
  /**
   * An expression over columns. In texts, SQL's spelling, that of `pandas.query` and that of C mean the same.
   *
   * @throws {GraphError} `ERR_PARSE` for a text that is none, with a caret at the mistake
   * @example
   * const late = expr('delay > 60 and origin in (\'JFK\', \'LAX\')');
   * const built = expr(expr.col('delay').gt(60));
   * const several = expr({ n: 'count(*)', mean: 'mean(delay)' });
   */
  (source: ExpressionLike, options?: ExpressionOptions): Expression<null>;
  (source: readonly ExpressionLike[], options?: ExpressionOptions): Expression<string>;
  <Names extends string>(source: Readonly<Record<Names, ExpressionLike>>, options?: ExpressionOptions): Expression<Names>;

  /** A column, or a field of one: `col('place.x')`. */
  col(name: string): BuiltExpression;
  /** A literal. Whole numbers are integers unless the type says otherwise: `lit(2, 'float')`, `lit('1.50', 'decimal')`. */
  lit(value: unknown, type?: LiteralType): BuiltExpression;
  /** A value that is given when the expression runs. */
  param(name: string): BuiltExpression;
  /** `when(condition, result).when(…).otherwise(rest)`: the result of the first condition that holds. */
  when(condition: ExpressionOperand, result: ExpressionOperand): BuiltChoice;
  /** A call of any function, operators included: `call('upper', col('s'))`. */
  call(name: string, ...args: ExpressionOperand[]): BuiltExpression;
}

/** Makes expressions over columns; see {@link Expr}. */
export const expr: Expr;
