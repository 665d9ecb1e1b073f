// Lint rules: ESLint's recommended set and the few habits that prevent bugs. Layout is left to
// .editorconfig and to readers.
'use strict';

const js = require('@eslint/js');

const known = (/** @type {string[]} */ names) => Object.fromEntries(names.map((name) => [name, 'readonly']));

const globals = known(
  [
    'AbortController', 'AbortSignal', 'Buffer', 'Response', 'TextDecoder', 'TextEncoder', 'URL', 'WebAssembly', 'Worker',
    '__dirname', '__filename', 'console', 'exports', 'fetch', 'gc', 'global', 'module', 'performance', 'process',
    'queueMicrotask', 'require', 'setImmediate', 'setInterval', 'setTimeout', 'clearImmediate', 'clearInterval',
    'clearTimeout', 'structuredClone',
  ],
);

/** What scripts of pages see besides. */
const pageGlobals = known([
  'Element', 'Event', 'ImageData', 'OffscreenCanvas', 'Response', 'addEventListener', 'devicePixelRatio', 'document', 'getComputedStyle', 'getSelection', 'history', 'location', 'matchMedia', 'navigator', 'requestAnimationFrame', 'self', 'window',
]);

const rules = {
  'array-callback-return': 'error',
  'consistent-return': 'error',
  eqeqeq: 'error',
  // Types have lines of their own; texts and patterns are not broken.
  'max-len': [
    'error',
    {
      code: 120, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true,
      ignorePattern: '@(type|typedef|param|property|returns)|^ \\*   ',
    },
  ],
  'max-lines': ['error', { max: 700, skipBlankLines: true, skipComments: true }],
  'no-shadow': 'error',
  'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
  'no-var': 'error',
  'object-shorthand': 'error',
  'prefer-const': 'error',
};

module.exports = [
  { ignores: ['build/', 'node_modules/', 'lib/web/*.min.mjs'] },
  js.configs.recommended,
  { files: ['**/*.js'], languageOptions: { sourceType: 'commonjs', globals }, rules },
  { files: ['**/*.mjs'], languageOptions: { sourceType: 'module', globals }, rules },
  // Rows of tables are one program, or one graph, a line.
  { files: ['test/**'], rules: { 'max-len': 'off' } },
  { files: ['test/browser/**', 'examples/web/**', 'examples/web-text/**', 'examples/web-digits/**', 'lib/view/page.js', 'lib/view/front-page.js'], languageOptions: { globals: pageGlobals } },
];
