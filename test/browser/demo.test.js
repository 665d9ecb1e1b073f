// The page of examples/web: it is built, opened from disk, used as people use it, and photographed into build/web.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { before } = require('node:test');
const { spawnSync } = require('node:child_process');
const { pathToFileURL } = require('node:url');
const { browserTest } = require('../support/browser.js');

const root = path.join(__dirname, '..', '..');
const folder = path.join(root, 'build', 'web');
const address = pathToFileURL(path.join(folder, 'index.html')).href;

before(() => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, 'examples', 'web', 'build.js')], { encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  const [, kilobytes] = /index\.html: (\d+) KB with the modules/.exec(stdout) ?? [];
  assert.ok(Number(kilobytes) < 100, stdout);
});

/** A number that stands for the pixels of the canvas, and how many colours they have. */
const look = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector('#picture');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const pixels = new Uint32Array(data.buffer);
    return { sum: pixels.reduce((total, pixel) => (total * 31 + pixel) >>> 0, 7), colors: new Set(pixels).size };
  });

/** Waits until the picture is another one than that. */
async function changed(page, { sum }) {
  for (let i = 0; i < 100; i++) {
    const now = await look(page);
    if (now.sum !== sum) return now;
    await page.waitForTimeout(50);
  }
  return assert.fail('the picture stays as it was');
}

// Without motion the picture only changes when somebody does something.
const desk = { viewport: { width: 1280, height: 800 }, colorScheme: /** @type {const} */ ('dark'), reducedMotion: /** @type {const} */ ('reduce') };

browserTest('the page draws, in both variants and JavaScript, and shows what a frame takes', async ({ open }) => {
  const page = await open(address);
  await page.locator('#proof:not(:empty)').waitFor({ timeout: 40_000 });
  assert.equal(await page.locator('#proof').textContent(), 'Both modules gave the same pixels, bit for bit.');
  assert.match(String(await page.locator('#facts').textContent()), /^\d\.\d KB module · simd picked · \d+ × \d+ · \d+ ns a pixel$/);
  const times = await page.locator('.race .time').allTextContents();
  assert.equal(times.length, 3);
  for (const time of times) assert.match(time, /^\d+\.\d ms$/);
  assert.match(String(await page.locator('#rate').textContent()), /^\d+ fps$/);

  await page.locator('#sharpness').fill('50'); // from here on the size stays
  await page.waitForTimeout(500);
  const first = await look(page);
  assert.ok(first.colors > 1000, `${first.colors} colours`);
  await page.screenshot({ path: path.join(folder, 'desk.png') });

  await page.locator('#twist').fill('0.8');
  const twisted = await changed(page, first);
  const handle = await page.locator('.point.zero').first().boundingBox();
  assert.ok(handle);
  await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
  await page.mouse.down();
  await page.mouse.move(handle.x + 120, handle.y + 90, { steps: 4 });
  await page.mouse.up();
  const dragged = await changed(page, twisted);
  await page.locator('.palettes button[title=Prism]').click();
  const painted = await changed(page, dragged);

  await page.locator('[data-engine=mvp]').click();
  await page.waitForTimeout(300);
  assert.deepEqual(await look(page), painted, 'the variant without vectors draws the same');
  await page.locator('#shuffle').click();
  await changed(page, painted);
}, desk);

const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

browserTest('the page fits a phone', async ({ open }) => {
  const page = await open(address);
  await page.locator('#proof:not(:empty)').waitFor({ timeout: 40_000 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width} pixels wide`);
  await page.screenshot({ path: path.join(folder, 'phone.png') });
  await page.locator('#pause').scrollIntoViewIfNeeded();
  await page.locator('#pause').tap();
  assert.equal(await page.locator('#pause').textContent(), 'Go on');
}, phone);
