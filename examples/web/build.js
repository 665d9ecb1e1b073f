// Builds the page into one file that needs nothing else: build/web/index.html, to be opened from disk or put on any
// server.
//
//   node examples/web/build.js [folder]
//
// The modules lie in the page as base64, and an import map gives its scripts their names: 'plane' for the modules,
// 'graphjit/web' for the loader.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { plane } = require('./plane.js');

const folder = path.resolve(process.argv[2] ?? path.join(__dirname, '..', '..', 'build', 'web'));
const read = (name) => fs.readFileSync(path.join(__dirname, name), 'utf8');
const script = (text) => `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;

/** A module of JavaScript that holds modules of WebAssembly. @param {Record<string, Uint8Array>} modules */
function holding(modules) {
  const lines = Object.entries(modules).map(([name, bytes]) => `export const ${name} = bytes('${Buffer.from(bytes).toString('base64')}');`);
  return `const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));\n${lines.join('\n')}\n`;
}

const { modules } = plane().toWasm({ variants: ['mvp', 'simd'] });
const loader = fs.readFileSync(require.resolve('../../lib/web/index.mjs'), 'utf8');
const imports = { plane: script(holding(modules)), 'graphjit/web': script(loader), engines: script(read('engines.mjs')) };
const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
const code = read('page.mjs').replace("'./engines.mjs'", "'engines'");

const page = read('index.html')
  .replace('<link rel="stylesheet" href="style.css" />', () => `<style>\n${read('style.css')}</style>`)
  .replace('<script type="module" src="page.mjs"></script>', () => `${map}\n    <script type="module">\n${code}</script>`);
fs.mkdirSync(folder, { recursive: true });
const file = path.join(folder, 'index.html');
fs.writeFileSync(file, page);
const sizes = Object.entries(modules).map(([name, bytes]) => `${name} ${bytes.length} bytes`);
console.log(`${file}: ${(page.length / 1024).toFixed(0)} KB with the modules (${sizes.join(', ')}) inside`);
