/**
 * The frame of all pages: one HTML file with everything in it, which asks the network for nothing.
 *
 * Its policy allows the style sheet and the script of this folder, by their hashes, and nothing else: a name from
 * outside could not run anything even if it got into the markup.
 */
'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { html, json, trusted } = require('./html.js');

/** @type {{ version: string }} */
const { version } = JSON.parse(fs.readFileSync(path.join(__dirname, '..', '..', 'package.json'), 'utf8'));

/** @type {(name: string) => string} */
const readOwn = (name) => fs.readFileSync(path.join(__dirname, name), 'utf8');

/** @type {(text: string) => string} */
const hashOf = (text) => `'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`;

/**
 * @param {object} page
 * @param {string} page.title
 * @param {string} page.name of its style sheet and its script, which stand in this folder
 * @param {import('./html.js').Markup} page.body
 * @param {object} page.data what the script finds as JSON in the element `data`
 * @returns {string} HTML
 */
function documentOf({ title, name, body, data }) {
  const [style, script] = [`${readOwn('theme.css')}\n${readOwn(`${name}.css`)}`, readOwn(`${name}.js`)];
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; img-src data:; base-uri 'none'; form-action 'none'`;
  return `${html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="generator" content="graphjit ${version}"><title>${title} – graphjit</title><link rel="icon" href="data:,"><style>${trusted(style)}</style></head>
<body>${body}<footer>Written by graphjit ${version}.</footer>
<script type="application/json" id="data">${json(data)}</script><script>${trusted(script)}</script></body></html>
`}`;
}

module.exports = { documentOf };
