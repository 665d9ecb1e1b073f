/**
 * The ops of ONNX by domain and name. Each file of this folder has a table of some, `ops`; an entry is a function from
 * a node and its operands to those of its outputs, or an object with more (Translation in shared/builder.js). Files of
 * the other domains are loaded when a model has an op that the standard has not.
 */
'use strict';

/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {Translation['translate'] | Translation} Entry */
/** @typedef {Record<string, Record<string, Entry>>} Tables by domain, then by op */

/** @type {() => readonly Tables[]} */
const standard = () => [
  require('./arrangement.js').ops,
  require('./attention.js').ops,
  require('./control.js').ops,
  require('./elementwise.js').ops,
  require('./generators.js').ops,
  require('./indexing.js').ops,
  require('./neural.js').ops,
  require('./normalisation.js').ops,
  require('./pooling.js').ops,
  require('./quantised.js').ops,
  require('./recurrent.js').ops,
  require('./reductions.js').ops,
  require('./sequences.js').ops,
  require('./shapes.js').ops,
  require('./signal.js').ops,
  require('./strings.js').ops,
  require('./vision.js').ops,
];

/** @type {() => readonly Tables[]} */
const others = () => [
  require('./machine-learning-models.js').ops,
  require('./machine-learning.js').ops,
  require('./microsoft-attention.js').ops,
  require('./microsoft-quantised.js').ops,
  require('./microsoft.js').ops,
  require('./training.js').ops,
];

/** Files that are not loaded yet. */
const groups = [standard, others];

/** @type {Record<string, Record<string, Translation>>} */
const tables = Object.create(null);

/** Loads the next group of files; false when all are there. @type {() => boolean} */
function loadMore() {
  const files = groups.shift();
  for (const file of files?.() ?? []) {
    for (const [domain, ops] of Object.entries(file)) {
      const table = (tables[domain] ??= Object.create(null));
      for (const [name, entry] of Object.entries(ops)) table[name] = typeof entry === 'function' ? { translate: entry } : entry;
    }
  }
  return files !== undefined;
}

/** How an op is translated; undefined when nobody knows. @type {(domain: string, op: string) => Translation | undefined} */
function rowOf(domain, op) {
  do {
    const found = tables[domain]?.[op];
    if (found !== undefined) return found;
  } while (loadMore());
  return undefined;
}

/** The names of all ops of a domain. @type {(domain: string) => string[]} */
function opsOf(domain) {
  while (loadMore());
  return Object.keys(tables[domain] ?? {});
}

module.exports = { opsOf, rowOf };
