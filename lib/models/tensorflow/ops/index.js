/**
 * The ops of TensorFlow by name. Each file of this folder has a table of some, `ops`; an entry is a function from a
 * node and its operands to those of its outputs, or an object with more (Translation in shared/builder.js), such as the
 * names of several outputs, by which functions name them.
 */
'use strict';

/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {Translation & { outputs?: readonly string[] }} Row */
/** @typedef {Record<string, Translation['translate'] | Row>} Table */

/** Tables by topic. @type {Readonly<Record<string, Table>>} */
const topics = {
  elementwise: require('./elementwise.js').ops,
  reductions: require('./reductions.js').ops,
  shapes: require('./shapes.js').ops,
  indexing: require('./indexing.js').ops,
  windows: require('./windows.js').ops,
  images: require('./images.js').ops,
  matrices: require('./matrices.js').ops,
  creation: require('./creation.js').ops,
  selection: require('./selection.js').ops,
  control: require('./control.js').ops,
  tables: require('./tables.js').ops,
  spectral: require('./spectral.js').ops,
  sparse: require('./sparse.js').ops,
};

/** @type {Record<string, Row>} */
const tables = Object.create(null);
for (const table of Object.values(topics)) {
  for (const [name, entry] of Object.entries(table)) tables[name] = typeof entry === 'function' ? { translate: entry } : entry;
}

module.exports = { tables, topics };
