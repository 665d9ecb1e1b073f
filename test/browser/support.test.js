// What the other tests in a browser rest on: the server, and that errors of a page are seen.
'use strict';

const assert = require('node:assert/strict');
const http = require('node:http');
const path = require('node:path');
const { test } = require('node:test');
const { browserTest, serve } = require('../support/browser.js');

/** Status, headers and text of a request whose path is sent as it stands. */
function request(url, rawPath) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    http
      .get({ hostname, port, path: rawPath }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      })
      .on('error', reject);
  });
}

test('the server has files and folders, with their MIME types, and nothing else', async () => {
  const folders = { '/support/': path.join(__dirname, '..', 'support') };
  const { url, close } = await serve({ files: { '/a.wasm': new Uint8Array(8), '/b.mjs': 'b' }, folders, isolated: true });
  try {
    const wasm = await request(url, '/a.wasm');
    assert.deepEqual([wasm.status, wasm.headers['content-type'], wasm.text.length], [200, 'application/wasm', 8]);
    assert.equal(wasm.headers['cross-origin-embedder-policy'], 'require-corp');
    assert.match((await request(url, '/b.mjs?query')).headers['content-type'], /^text\/javascript/);
    assert.match((await request(url, '/support/gc.js')).text, /^\/\//);
    const absent = [
      '/', '/c.mjs', '/support/', '/support/none.js', '/support/../oracles.js', '/support/../../package.json', '/support/%2e%2e/',
      '/support/%2e%2e%2f%2e%2e%2fpackage.json', '/support//etc/passwd', '/support/gc.js%00', '//support/gc.js', '/__proto__',
    ];
    for (const name of absent) assert.equal((await request(url, name)).status, 404, name);
    assert.equal((await request(url, '/support/%ff')).status, 400);
  } finally {
    await close();
  }
});

browserTest('pages run scripts, and one that is isolated has shared memory', async ({ serve: open, open: visit }) => {
  const files = { '/index.html': '<!doctype html><title>t</title><script src="x.js"></script>', '/x.js': 'var loaded = 3;' };
  const [plain, isolated] = [await open({ files }), await open({ files, isolated: true })];
  const has = async (/** @type {string} */ site) =>
    (await visit(`${site}/index.html`)).evaluate(() => [window.loaded, window.crossOriginIsolated]);
  assert.deepEqual(await has(plain), [3, false]);
  assert.deepEqual(await has(isolated), [3, true]);
});

browserTest('errors of a page are collected', async ({ serve: open, open: visit, errors }) => {
  const page = await visit(await open({ files: { '/index.html': '<!doctype html>' } }));
  await page.evaluate(() => {
    console.error('on the console');
    setTimeout(() => {
      throw new Error('thrown later');
    });
    return new Promise((resolve) => setTimeout(resolve, 50));
  });
  const found = errors.splice(0).join('\n');
  assert.match(found, /on the console/);
  assert.match(found, /thrown later/);
});
