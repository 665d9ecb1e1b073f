// The page of examples/web-digits: a network is trained for a moment, the page built and served, digits are drawn and
// chosen on it, and its chances are those that graphjit gives in Node for the same image, bit for bit.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { before, test } = require('node:test');
const { spawnSync } = require('node:child_process');
const { load } = require('graphjit');
const { chancesGraph } = require('../../examples/digits/network.js');
const { browserTest } = require('../support/browser.js');

const root = path.join(__dirname, '..', '..');
const folder = path.join(root, 'build', 'web-digits-test');
const inFolder = (/** @type {string} */ name) => path.join(folder, name);

/** Runs the script. @param {string[]} words */
function run(...words) {
  const script = path.join(root, 'examples', 'web-digits', 'build.js');
  return spawnSync(process.execPath, [script, folder, ...words], { encoding: 'utf8' });
}

/** Builds the page, and gives what that prints. @param {string[]} words */
function build(...words) {
  const { status, stdout, stderr } = run(...words);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return stdout;
}

/** @type {typeof import('../../examples/web-digits/strokes.mjs')} */
let drawing;

before(async () => {
  const stdout = build('--steps', '150');
  const [, share] = /^150 steps: (\d\d\.\d) % of 10,000 digits .* are recognised$/m.exec(stdout) ?? [];
  assert.ok(Number(share) > 90, stdout);
  assert.match(stdout, /a module of 5\d KB; serve the folder to see the page/);
  drawing = await import('../../examples/web-digits/strokes.mjs');
});

/** @typedef {import('playwright-core').Page} Page */

/** What the page shows: the image, the chances of the digits, and the great digit. @param {Page} page */
const shown = (page) =>
  page.evaluate(() => {
    const { data } = document.querySelector('#seen').getContext('2d').getImageData(0, 0, 28, 28);
    const chances = Array.from(document.querySelectorAll('#chances data'), ({ value }) => Number(value));
    const widths = Array.from(document.querySelectorAll('#chances .bar span'), ({ style }) => parseFloat(style.width));
    const image = Array.from({ length: 784 }, (_, i) => data[4 * i]);
    return { image, chances, widths, best: document.querySelector('#best').textContent };
  });

/**
 * Draws strokes with the mouse, seen from the corner of the paper.
 *
 * @type {(page: Page, strokes: number[][][], size?: number) => Promise<void>}
 */
async function draw(page, strokes, size = 1) {
  const paper = await page.locator('#paper').boundingBox();
  assert.ok(paper);
  for (const stroke of strokes) {
    const [from, ...points] = stroke.map(([x, y]) => [paper.x + x * size * paper.width, paper.y + y * size * paper.height]);
    await page.mouse.move(from[0], from[1]);
    await page.mouse.down();
    // Each move is a message to the browser, and curves have more points than they need.
    for (const [x, y] of points.filter((_, i) => i % 3 === 0 || i === points.length - 1)) await page.mouse.move(x, y);
    await page.mouse.up();
  }
}

/**
 * Waits for the digit that the page takes the drawing for, and gives all that it shows.
 *
 * @type {(page: Page, digit: number) => ReturnType<typeof shown>}
 */
async function reads(page, digit) {
  await page.locator('#best').filter({ hasText: new RegExp(`^${digit}$`) }).waitFor();
  await page.locator('#answer').filter({ hasText: new RegExp(`^${digit}, [\\d.]+ %$`) }).waitFor(); // all is drawn by then
  return shown(page);
}

browserTest('what is drawn is read as in Node, bit for bit, while it is drawn', async ({ serve, open }) => {
  const program = chancesGraph(load(inFolder('digits.safetensors'), { nested: true })).compile({ numerics: 'strict' });
  const native = (/** @type {number[]} */ image) => Array.from(program.run({ image: Uint8Array.from(image) }).chances.data);

  const page = await open(`${await serve({ folders: { '/': folder } })}/index.html`);
  await page.locator('#facts').filter({ hasText: /^\d+\.\d{3} ms a run · a module of 5\d KB, weights inside$/ }).waitFor();
  const empty = await shown(page);
  assert.equal(empty.best, 'nothing is on the paper yet');
  assert.deepEqual([new Set(empty.image), new Set(empty.widths)], [new Set([0]), new Set([0])]);

  const seen = [];
  for (const digit of [3, 7]) {
    await draw(page, drawing.written[digit]);
    const now = await reads(page, digit);
    assert.deepEqual(now.chances, native(now.image));
    assert.ok(now.chances[digit] > 0.5, `${now.chances}`);
    assert.ok(Math.abs(now.widths[digit] - 100 * now.chances[digit]) < 0.01, 'the bar is as long as the chance');
    seen.push(now);
    await page.screenshot({ path: inFolder(`drawn-${digit}.png`) });
    await page.locator('#clear').click();
    await page.locator('#best').filter({ hasText: 'nothing' }).waitFor();
  }
  assert.notDeepEqual(seen[0].chances, seen[1].chances);

  // Half as large, in a corner: the image is centred, and the lines have the width that they had.
  await draw(page, drawing.written[3], 0.5);
  const small = await reads(page, 3);
  assert.deepEqual(small.chances, native(small.image));
  const differing = small.image.filter((value, at) => Math.abs(value - seen[0].image[at]) > 64);
  assert.ok(differing.length < 30, `${differing.length} pixels differ`);

  // A stroke more is another digit, before the button is up.
  await page.locator('#clear').click();
  await draw(page, [[[0.5, 0.1], [0.5, 0.9]]]);
  const one = await reads(page, 1);
  const paper = /** @type {{ x: number, y: number, width: number, height: number }} */ (await page.locator('#paper').boundingBox());
  await page.mouse.move(paper.x + 0.2 * paper.width, paper.y + 0.1 * paper.height);
  await page.mouse.down();
  await page.mouse.move(paper.x + 0.5 * paper.width, paper.y + 0.1 * paper.height, { steps: 9 });
  await page.waitForFunction((chance) => document.querySelector('#chances li:nth-child(2) data').value !== chance, String(one.chances[1]));
  await page.mouse.up();
});

browserTest('digits are written for those who use the keyboard, and the result is spoken', async ({ serve, open }) => {
  const page = await open(`${await serve({ folders: { '/': folder } })}/index.html`);
  await page.locator('#chances button').first().waitFor();
  const spoken = page.getByRole('status').filter({ hasText: /^\d, [\d.]+ %$/ });
  const strokes = page.getByRole('button', { name: 'Write a 0' });
  await page.getByRole('button', { name: 'Clear' }).focus();
  await page.keyboard.press('Tab');
  assert.ok(await strokes.evaluate((button) => button === document.activeElement));
  await page.keyboard.press('Enter');
  const { image } = await reads(page, 0);
  assert.deepEqual(image, Array.from(drawing.imageOf(drawing.written[0])));
  assert.match(String(await spoken.textContent()), /^0, /);
}, { viewport: { width: 380, height: 900 }, colorScheme: 'dark' });

test('an image is empty without strokes, and a dot is a dot in the middle', () => {
  assert.deepEqual(new Set(drawing.imageOf([])), new Set([0]));
  const dot = drawing.imageOf([[[0.1, 0.9]]]);
  assert.ok(dot[14 * 28 + 14] > 128 && dot.filter((value) => value > 0).length < 20);
});

test('what is no file of weights is refused in one line', () => {
  for (const file of ['missing.safetensors', __filename]) {
    const { status, stderr } = run('--weights', path.resolve(folder, file));
    assert.equal(status, 1);
    assert.match(stderr, /^load: .*(there is no such file|is no proper safetensors file).*\n$/);
  }
});

test('a page is built from weights that were kept, and is the same', () => {
  const module = fs.readFileSync(inFolder('digits.wasm'));
  fs.rmSync(inFolder('digits.wasm'));
  assert.match(build('--weights', inFolder('digits.safetensors')), /^[^%]*a module of 5\d KB/);
  assert.deepEqual(fs.readFileSync(inFolder('digits.wasm')), module);
});
