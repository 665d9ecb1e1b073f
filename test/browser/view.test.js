// The page of a graph in a browser: it works from a file, marks what belongs together, and looks as it
// should; the pictures are in build/view/.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { browserTest } = require('../support/browser.js');
const graphs = require('../support/view-graphs.js');
const { renderView } = require('../../lib/view/render.js');

const folder = path.join(__dirname, '..', '..', 'build', 'view');
fs.mkdirSync(folder, { recursive: true });

const urls = new Map();

/** Writes the page of a graph, once. @returns {string} its URL */
function written(name) {
  const file = path.join(folder, `${name}.html`);
  const options = { sizes: name === 'one' ? {} : { n: 64 }, optLevel: 1, profile: name === 'softmax' };
  if (!urls.has(name)) fs.writeFileSync(file, renderView(graphs[name](), options));
  urls.set(name, pathToFileURL(file).href);
  return urls.get(name);
}

/** Opens a page, of which nothing may ask the network for anything. */
async function visit({ context, open }, url) {
  const asked = [];
  context.on('request', (request) => asked.push(request.url()));
  const page = await open(url);
  await page.waitForSelector('html[data-ready]');
  assert.deepEqual(asked.filter((each) => each !== url && !each.startsWith('data:')), []);
  return page;
}

/** How many elements of a sort are marked as chosen. */
const counts = (page) =>
  page.evaluate(() => {
    const count = (selector) => document.querySelectorAll(selector).length;
    const panes = [...document.querySelectorAll('[data-pane]')].map((pane) => pane.querySelectorAll('.fold.on[open]').length);
    return { boxes: count('[data-drawing="simplified"] .box.on'), rows: count('tr.on'), columns: count('.column.on'), places: count('.place.on'), panes };
  });

const picture = (page, name) => page.screenshot({ path: path.join(folder, `${name}.png`) });

/** Whether the page is as wide as its window, and no part of it is scrolled out to the side. */
const isAsWide = (page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

browserTest('a kernel that is chosen is marked in all parts of the page', async (tools) => {
  const page = await visit(tools, written('softmax'));
  await picture(page, 'softmax-1280');
  assert.ok(await isAsWide(page));
  assert.deepEqual(await counts(page), { boxes: 0, rows: 0, columns: 0, places: 0, panes: [0, 0, 0] });
  await page.click('.kernels [data-pick="0"]');
  const chosen = await counts(page);
  assert.ok(chosen.boxes >= 5 && chosen.places >= 1, JSON.stringify(chosen));
  assert.deepEqual([chosen.rows, chosen.columns], [1, 1]);
  assert.ok(chosen.panes.every((count) => count >= 1), JSON.stringify(chosen));
  assert.match(await page.textContent('#chosen'), /k0.*ops.*exp/s);
  assert.equal(new URL(page.url()).hash, '#k0');
  await picture(page, 'softmax-chosen');
  await page.keyboard.press('Escape');
  assert.deepEqual(await counts(page), { boxes: 0, rows: 0, columns: 0, places: 0, panes: [0, 0, 0] });
});

browserTest('boxes, pieces of memory and keys choose, too, and pointing marks', async (tools) => {
  const page = await visit(tools, written('softmax'));
  const box = (/** @type {string} */ op) => page.locator('[data-drawing="simplified"] .box', { hasText: op }).first();
  await box('exp').hover();
  assert.ok((await page.locator('.fold.hot').count()) >= 3);
  await box('exp').click({ position: { x: 4, y: 20 } });
  assert.match(await page.textContent('#chosen h2'), /^%\d+exp$/);
  assert.match(await page.textContent('#chosen'), /memory.*16\.0 KiB at 0/s);
  await page.keyboard.press('ArrowUp');
  assert.match(await page.textContent('#chosen h2'), /^%\d+mul$/);
  await page.locator('.place').first().click();
  assert.match(await page.textContent('#chosen h2'), /^%\d+exp$/);
  await page.keyboard.press(']');
  assert.match(await page.textContent('#chosen h2'), /^k1/);
  await page.click('#chosen [data-value]');
  assert.ok((await page.locator('.box.self').count()) >= 1);
});

browserTest('the graph is shown before and after simplification, moved and searched', async (tools) => {
  const page = await visit(tools, written('softmax'));
  const seen = () => page.locator('.canvas:not([hidden]) .box').allTextContents();
  assert.ok(!(await seen()).some((text) => text.startsWith('cbrt')));
  await page.locator('.tabs label', { hasText: 'As written' }).click();
  assert.ok((await seen()).some((text) => text.startsWith('cbrt')));
  await page.locator('.tabs label', { hasText: 'Kernels' }).click();
  assert.ok((await seen()).some((text) => text.startsWith('k0')));
  const place = () => page.getAttribute('.canvas:not([hidden]) .moved', 'transform');
  const before = await place();
  const area = await page.locator('.graph').boundingBox();
  await page.mouse.move(area.x + 20, area.y + 200);
  await page.mouse.down();
  await page.mouse.move(area.x + 80, area.y + 160, { steps: 3 });
  await page.mouse.up();
  const after = await place();
  assert.notEqual(after, before);
  await page.click('[data-zoom="in"]');
  assert.notEqual(await place(), after);
  await page.keyboard.press('/');
  await page.keyboard.type('argmax');
  assert.equal(await page.locator('tr[data-search]:not([hidden])').count(), 1);
  assert.match(await page.textContent('#found'), /1 kernel$/);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('tr[data-search][hidden]').count(), 0);
});

browserTest('names stay text', async (tools) => {
  const page = await visit(tools, written('hostile'));
  assert.equal(await page.textContent('h1'), '</script><img src=x onerror=alert(1)> "q" \uFFFDevil');
  assert.equal(await page.locator('img, b, [onload], [onerror], body style').count(), 0);
  assert.equal(await page.locator('script').count(), 2);
  await page.locator('.tabs label', { hasText: 'Kernels' }).click();
  await page.click('.kernels [data-pick="0"]');
  assert.match(await page.textContent('#chosen'), /\$\{x\}`\*\/-->/);
  await picture(page, 'hostile');
});

browserTest('a graph of one node has a page', async (tools) => {
  const page = await visit(tools, written('one'));
  assert.match(await page.textContent('main'), /a run needs no working memory/);
  await page.click('.kernels [data-pick="0"]');
  await picture(page, 'one');
}, { colorScheme: 'dark' });

browserTest('a graph of a thousand nodes is shown by kernels, then whole', async (tools) => {
  const page = await visit(tools, written('deep'));
  assert.equal(await page.locator('.tabs input:checked').inputValue(), 'kernels');
  assert.ok((await page.locator('[data-drawing="simplified"] .box').count()) > 600);
  await page.locator('.tabs label', { hasText: 'Simplified' }).click();
  await picture(page, 'deep');
  await page.keyboard.press(']');
  assert.ok((await counts(page)).panes.every((count) => count >= 1));
  assert.ok(await isAsWide(page));
}, { viewport: { width: 1920, height: 1080 } });

browserTest('a page fits a phone', async (tools) => {
  const page = await visit(tools, written('softmax'));
  assert.ok(await isAsWide(page));
  await page.locator('.kernels [data-pick="0"]').tap();
  assert.equal((await counts(page)).rows, 1);
  await page.evaluate(() => window.scrollTo(0, 0));
  await picture(page, 'softmax-phone');
}, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: 'dark' });
