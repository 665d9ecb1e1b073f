// The page of examples/web-text: it is built and served, and reads what is typed in it and what is drawn on it.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { before } = require('node:test');
const { spawnSync } = require('node:child_process');
const { browserTest } = require('../support/browser.js');

const root = path.join(__dirname, '..', '..');
const folder = path.join(root, 'build', 'web-text');

before(() => {
  const build = path.join(root, 'examples', 'web-text', 'build.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [build], { encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.match(stdout, /a module of \d{3} KB and weights of 10\.\d MB/);
});

browserTest('the page reads what is typed and what is drawn, in WebAssembly', async ({ serve, open }) => {
  const page = await open(`${await serve({ folders: { '/': folder } })}/index.html`);
  const text = page.locator('#text');
  await text.filter({ hasText: /^Hello, ?world ?42$/ }).waitFor();
  assert.match(String(await page.locator('#facts').textContent()), /^\d+ ms$/);

  await page.locator('#font').selectOption('monospace');
  await page.locator('#typed').fill('Graph 1987');
  await text.filter({ hasText: /^Graph ?1987$/ }).waitFor();
  await page.screenshot({ path: path.join(folder, 'typed.png') });

  await page.locator('#clear').click();
  assert.equal(await text.textContent(), '');
  const paper = await page.locator('#paper').boundingBox();
  assert.ok(paper);
  const strokes = [[[60, 20], [60, 90]], [[60, 55], [100, 55]], [[100, 20], [100, 90]], [[140, 20], [140, 90]]]; // H I
  for (const [from, to] of strokes) {
    await page.mouse.move(paper.x + from[0], paper.y + from[1]);
    await page.mouse.down();
    await page.mouse.move(paper.x + to[0], paper.y + to[1], { steps: 8 });
    await page.mouse.up();
  }
  await text.filter({ hasText: /^H[Il1]$/ }).waitFor();
});
