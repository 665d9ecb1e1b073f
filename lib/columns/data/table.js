/**
 * Table: columns by name, in chunks of rows that all columns have in common. It is what kernels run on.
 *
 *   table.fields   Map: name → Field, in order; of a struct `p` the fields `p.x`, `p.y`
 *   table.chunks   Chunk[]: { rows, columns: Map: name → Column }, of the columns that have been asked for
 *   table.column(name) → { field, chunks: Column[] }
 *
 * What a table holds is looked at by name: a column is read and validated when it is asked for, so that a column that
 * expressions cannot use, or that is broken, disturbs only those who name it.
 */
'use strict';

const { DESCRIBE, nearest } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { shareDictionary } = require('./dictionaries.js');

/** @typedef {import('../types/data-types.js').DataType} DataType */
/** @typedef {import('./column.js').Column} Column */
/** @typedef {import('./column.js').Layout} Layout */
/** @typedef {{ rows: number, read: () => Column }} Piece */

/**
 * A column that has not been read.
 *
 * @typedef {object} Source
 * @property {string} name
 * @property {DataType} type
 * @property {Layout | 'none'} layout
 * @property {string | undefined} [index]
 * @property {string | undefined} [unsupported]
 * @property {() => never} [refuse] says so to those who name it, if not in the words that there are for all
 * @property {readonly any[]} [list] values of an array of which no column is made
 * @property {Piece[]} pieces one a chunk; none where it is unsupported
 * @property {Nested} [nested] of apache-arrow, where expressions cannot use it as a whole
 * @property {boolean} [inside] whether it is part of another one, a field of a struct
 * @property {any} [arrowType] what apache-arrow says of it
 */

/** A column as apache-arrow has it. @typedef {{ type: any, parts: readonly any[] }} Nested */

class Field {
  #table;
  #index;
  /** @type {Table | undefined} */
  #values;

  /** @param {Table} table @param {Source} source */
  constructor(table, { name, type, layout, index, unsupported, nested, list, arrowType, inside = false }) {
    this.#table = table;
    this.#index = index;
    this.name = name;
    this.type = type;
    this.layout = layout;
    /** What it is instead, if expressions cannot use it. */
    this.unsupported = unsupported;
    /** Structs, lists and the like as they are. */
    this.nested = nested;
    /** The values of an array of which no column is made. */
    this.list = list;
    this.arrowType = arrowType;
    /** Whether it is a field of a struct that is there too. */
    this.inside = inside;
  }

  /** The type of indices into a dictionary, the same in all chunks, which have one dictionary. */
  get index() {
    if (this.layout !== 'dictionary') return undefined;
    return this.#table.column(this.name).chunks[0]?.index ?? this.#index;
  }

  /** Whether a row may be without a value: not what a schema allows, but what is there. */
  get nullable() {
    return this.#table.column(this.name).chunks.some((column) => column.nullable);
  }

  /** Whether values of the dictionary may be nulls. */
  get nullValues() {
    if (this.layout !== 'dictionary') return false;
    return this.#table.column(this.name).chunks.some(({ dictionary }) => /** @type {Column} */ (dictionary).nullable);
  }

  /** The dictionary, as a table of one chunk with the column `values`. @returns {Table | undefined} */
  get values() {
    if (this.layout !== 'dictionary') return undefined;
    const { chunks } = this.#table.column(this.name);
    this.#values ??= chunks.length === 0 ? undefined : tableOfColumns([['values', dictionaryOf(chunks[0])]], 'arrays');
    return this.#values;
  }
}

/** @type {(column: Column) => Column} */
const dictionaryOf = ({ dictionary }) => /** @type {Column} */ (dictionary);

class Chunk {
  /** @param {number} rows */
  constructor(rows) {
    this.rows = rows;
    /** @type {Map<string, Column>} */
    this.columns = new Map();
  }
}

/** What row numbers, which have 32 bits, can name. */
const MOST_ROWS = 2 ** 32 - 1;

class Table {
  /** @type {Map<string, Source>} */
  #sources = new Map();
  /** @type {Map<string, { field: Field, chunks: readonly Column[] }>} */
  #read = new Map();

  /**
   * For this library: readTable makes tables.
   *
   * @param {readonly Source[]} sources whose pieces have the same rows
   * @param {readonly number[]} rows of chunks
   * @param {'arrow' | 'arrays'} origin what results are to be like
   * @param {any} [kit] the classes of apache-arrow that it was made with
   */
  constructor(sources, rows, origin, kit) {
    this.rows = rows.reduce((sum, each) => sum + each, 0);
    this.origin = origin;
    this.kit = kit;
    if (!(this.rows <= MOST_ROWS)) fail('ERR_OVERFLOW', `table: ${this.rows} rows, the most are ${MOST_ROWS}`);
    this.chunks = Object.freeze(rows.map((count) => new Chunk(count)));
    /** @type {Map<string, Field>} */
    this.fields = new Map();
    for (const source of sources) this.#add(source);
    Object.freeze(this);
  }

  /** @param {Source} source */
  #add(source) {
    const { name } = source;
    const twice = this.fields.has(name);
    const known = twice ? { ...source, unsupported: 'a name that two columns have' } : source;
    this.#sources.set(name, known);
    this.fields.set(name, new Field(this, known));
  }

  /**
   * @param {string} name
   * @param {string} [caller]
   * @returns {Field} one that expressions can use
   */
  field(name, caller = 'table') {
    const field = this.fields.get(name);
    if (field === undefined) return this.#unknown(name, caller);
    if (field.unsupported === undefined) return field;
    this.#sources.get(name)?.refuse?.();
    const inside = [...this.fields.keys()].filter((each) => each.startsWith(`${name}.`));
    const hint = inside.length > 0 ? `; name one of its fields: ${inside.slice(0, 8).join(', ')}` : '';
    return fail('ERR_UNSUPPORTED', `${caller}: column '${name}' is ${field.unsupported}, which expressions cannot use${hint}`);
  }

  /** @param {string} name @param {string} caller @returns {never} */
  #unknown(name, caller) {
    const names = [...this.fields.keys()];
    const meant = nearest(name, names);
    const hint = meant === undefined ? '' : ` (did you mean '${meant}'?)`;
    const some = names.slice(0, 20).map((each) => `'${each}'`).join(', ');
    const list = names.length === 0 ? 'there are none' : `there are ${some}${names.length > 20 ? ', …' : ''}`;
    return fail('ERR_ARGUMENT', `${caller}: unknown column '${name}'${hint}, ${list}`);
  }

  /**
   * Reads and validates a column, the first time.
   *
   * @param {string} name
   * @param {string} [caller]
   * @returns {{ field: Field, chunks: readonly Column[] }}
   */
  column(name, caller = 'table') {
    const found = this.#read.get(name);
    if (found !== undefined) return found;
    const field = this.field(name, caller);
    const { pieces } = /** @type {Source} */ (this.#sources.get(name));
    const columns = pieces.map(({ read }) => read());
    const chunks = field.layout === 'dictionary' ? shareDictionary(columns) : columns;
    chunks.forEach((column, i) => this.chunks[i].columns.set(name, column));
    const entry = Object.freeze({ field, chunks });
    this.#read.set(name, entry);
    return entry;
  }

  /**
   * Throws where memory was taken away since columns were read: a buffer transferred to another thread, or shrunk.
   *
   * @param {Iterable<string>} names of columns
   * @param {string} [caller]
   */
  checkIntact(names, caller = 'table') {
    for (const name of names) {
      if (!this.column(name, caller).chunks.every(({ isIntact }) => isIntact)) {
        fail('ERR_STATE', `${caller}: a buffer of column '${name}' is detached or has shrunk`);
      }
    }
  }

  /** The columns as apache-arrow has them. @param {any} [arrow] the module to use @returns {any} */
  toArrow(arrow) {
    return require('./write.js').tableToArrow(this, arrow);
  }

  /**
   * @param {number} _
   * @param {import('node:util').InspectOptionsStylized} options
   * @param {typeof import('node:util').inspect} inspect
   * @returns {string}
   */
  [Symbol.for('nodejs.util.inspect.custom')](_, options, inspect) {
    const fields = Array.from(this.fields.values(), ({ name, type, unsupported }) => [name, unsupported ?? type.text]);
    return `Table[${this.rows}] ${inspect(Object.fromEntries(fields), options)}`;
  }

  [DESCRIBE]() {
    return `a table of ${this.rows} rows with ${[...this.fields.keys()].join(', ')}`;
  }
}

/**
 * A table of one chunk.
 *
 * @param {readonly [string, Column][]} entries
 * @param {'arrow' | 'arrays'} origin
 * @returns {Table}
 */
function tableOfColumns(entries, origin) {
  const rows = entries.length === 0 ? 0 : entries[0][1].length;
  const sources = entries.map(([name, column]) => {
    if (column.length !== rows) {
      fail('ERR_SHAPE', `table: column '${name}' has ${column.length} rows, '${entries[0][0]}' ${rows}`);
    }
    return { ...sourceOf(name, column), pieces: [{ rows, read: () => column }] };
  });
  return new Table(sources, entries.length === 0 ? [] : [rows], origin);
}

/** @type {(name: string, column: Column) => Omit<Source, 'pieces'>} */
const sourceOf = (name, { type, layout, index }) => ({ name, type, layout, index });

module.exports = { Field, Table, tableOfColumns };
