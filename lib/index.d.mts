/**
 * The typings for import: those of require(), without the default export that TypeScript would assume
 * of a CommonJS module and that index.mjs does not have.
 */
export * from './index.js';
