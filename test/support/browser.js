// Tests in a real browser: Debian's Chromium without a window, driven by playwright-core.
//
//   const { browserTest } = require('../support/browser.js');
//   browserTest('a page adds', async ({ serve, open }) => {
//     const site = await serve({ files: { '/index.html': '<p>hello</p>' } });
//     const page = await open(`${site}/index.html`);
//     assert.equal(await page.evaluate(() => 1 + 1), 2);
//   });
//
// The tests of a file share one browser, which starts with the first of them; each has a context of its
// own, so that nothing is cached from one to the next. A page that reports an error, on its console or by
// throwing, fails its test. Nothing here may hang: a test ends after a minute, whatever its page does,
// and a browser that does not close is killed.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { after, test } = require('node:test');
const { chromium } = require('playwright-core');

const EXECUTABLE = '/usr/bin/chromium';
const TEST_MS = 60_000;
const START_MS = 30_000;
const CLOSE_MS = 5_000;

/** MIME types by extension: browsers run no module, and stream no wasm, of another type. */
const types = {
  '.bin': 'application/octet-stream',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/**
 * What a server has to offer.
 *
 * @typedef {object} Site
 * @property {Record<string, string | Uint8Array>} [files] contents by path: { '/index.html': '<p>…' }
 * @property {Record<string, string>} [folders] folders by the path they are seen at: { '/lib/': '/…/lib' }
 * @property {boolean} [isolated] whether pages may share memory with workers (headers COOP and COEP)
 * @property {string} [policy] a Content-Security-Policy
 */

/** The path that a URL names; URL takes out dots, and decoding may bring some back. @param {string} url */
function pathOf(url) {
  const name = decodeURIComponent(new URL(url, 'http://host').pathname);
  return name.endsWith('/') ? `${name}index.html` : name;
}

/** The content at a path, or nothing. Nothing outside of the folders is found. @type {(site: Site, name: string) => string | Uint8Array | undefined} */
function contentOf({ files = {}, folders = {} }, name) {
  if (Object.hasOwn(files, name)) return files[name];
  const prefix = Object.keys(folders).find((one) => name.startsWith(one));
  if (prefix === undefined || name.includes('\0')) return undefined;
  const folder = path.resolve(folders[prefix]);
  const file = path.resolve(folder, name.slice(prefix.length));
  const isFile = file.startsWith(folder + path.sep) && fs.statSync(file, { throwIfNoEntry: false })?.isFile();
  return isFile ? fs.readFileSync(file) : undefined;
}

/** @type {(site: Site, url: string, response: http.ServerResponse) => void} */
function answer(site, url, response) {
  const name = pathOf(url);
  // Browsers ask for an icon by themselves.
  const content = name === '/favicon.ico' ? '' : contentOf(site, name);
  response.statusCode = content === undefined ? 404 : 200;
  response.setHeader('Content-Type', content === undefined ? 'text/plain' : types[path.extname(name)] ?? types['.bin']);
  response.setHeader('Cache-Control', 'no-store');
  if (site.isolated) {
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
  }
  if (site.policy) response.setHeader('Content-Security-Policy', site.policy);
  response.end(content ?? 'there is no such file');
}

/**
 * Serves a site on a free port of this machine.
 *
 * @param {Site} site
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
async function serve(site) {
  const server = http.createServer((request, response) => {
    try {
      answer(site, request.url ?? '/', response);
    } catch (error) {
      response.statusCode = 400; // a URL that cannot be decoded
      response.end(String(error));
    }
  });
  await new Promise((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () =>
    new Promise((resolve) => {
      server.close(() => resolve(undefined));
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, close };
}

/** What `promise` comes to, or an error when that takes longer. @template T @param {Promise<T>} promise @param {number} ms @param {string} what @returns {Promise<T>} */
function within(promise, ms, what) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  return Promise.race([promise, /** @type {Promise<never>} */ (late)]).finally(() => clearTimeout(timer));
}

/** @typedef {{ server: import('playwright-core').BrowserServer, browser: import('playwright-core').Browser }} Running */

/** @type {Promise<Running> | undefined} */
let running;

async function start() {
  assert.ok(fs.existsSync(EXECUTABLE), `${EXECUTABLE} is missing: apt-get install chromium, as 'npm test' does`);
  // A server rather than a browser, since only that can be killed. These machines have no graphics card.
  const options = { executablePath: EXECUTABLE, headless: true, args: ['--disable-gpu'], timeout: START_MS };
  const server = await chromium.launchServer(options);
  return { server, browser: await chromium.connect(server.wsEndpoint(), { timeout: START_MS }) };
}

after(async () => {
  if (running === undefined) return;
  const started = await running.catch(() => undefined);
  if (started === undefined) return;
  await within(started.server.close(), CLOSE_MS, 'closing the browser').catch(() => started.server.kill());
});

/**
 * @typedef {object} Tools
 * @property {(site: Site) => Promise<string>} serve serves until the test ends; resolves to the URL without a last slash
 * @property {(url: string) => Promise<import('playwright-core').Page>} open opens a page, and waits until it is loaded
 * @property {import('playwright-core').BrowserContext} context of the pages, for other settings
 * @property {string[]} errors what pages have reported; a test that wants errors takes them out
 */

/** Waits for each, the last one first, even where one fails. @param {(() => Promise<unknown>)[]} closers */
async function closeAll(closers) {
  for (const close of closers.toReversed()) await within(close(), CLOSE_MS, 'closing a page').catch(() => {});
}

/**
 * A test with a browser. It fails when a page reports an error and the test does not take it out of `errors`.
 *
 * @param {string} name
 * @param {(tools: Tools) => Promise<void>} body
 * @param {import('playwright-core').BrowserContextOptions} [options] such as viewport or colorScheme
 */
function browserTest(name, body, options) {
  test(name, { timeout: TEST_MS + START_MS }, async () => {
    running ??= start();
    const { browser } = await running;
    /** @type {(() => Promise<unknown>)[]} */
    const closers = [];
    /** @type {string[]} */
    const errors = [];
    try {
      const context = await browser.newContext(options);
      closers.push(() => context.close());
      context.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      context.on('weberror', (event) => errors.push(String(event.error())));
      const tools = {
        context,
        errors,
        serve: async (/** @type {Site} */ site) => {
          const { url, close } = await serve(site);
          closers.push(close);
          return url;
        },
        open: async (/** @type {string} */ url) => {
          const page = await context.newPage();
          await page.goto(url, { timeout: START_MS });
          return page;
        },
      };
      // Scripts of a page have no time limit of their own.
      await within(body(tools), TEST_MS, `the test '${name}'`);
      assert.deepEqual(errors, [], 'errors of the page');
    } finally {
      await closeAll(closers);
    }
  });
}

module.exports = { browserTest, serve };
