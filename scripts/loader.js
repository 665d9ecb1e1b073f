// Writes the minified loaders that toWasm hands out: lib/web/*.min.mjs, made of lib/web/*.mjs by esbuild.
//
// They are checked in, since users have no esbuild; a test finds out when one is not current.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const esbuild = require('esbuild');
const { root } = require('./setup.js');

/** The loaders. Each stands alone: what it imports is put in. */
const names = ['index', 'threads', 'function', 'columns'];

/** @type {(name: string) => string} */
const fileOf = (name) => path.join(root, 'lib', 'web', `${name}.min.mjs`);

/** @type {(name: string) => string} */
function minified(name) {
  const entry = path.join(root, 'lib', 'web', `${name}.mjs`);
  const { outputFiles } = esbuild.buildSync({ entryPoints: [entry], bundle: true, format: 'esm', minify: true, write: false });
  return outputFiles[0].text;
}

if (require.main === module) {
  for (const name of names) fs.writeFileSync(fileOf(name), minified(name));
}

module.exports = { fileOf, minified, names };
