// The page of a symbolic regression in a browser: it works from a file, a formula that is chosen is shown with its fit, and it looks
// as it should; the pictures are in build/view/.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { symbolicRegression } = require('graphjit');
const { browserTest } = require('../support/browser.js');
const { generator } = require('../support/generator.js');

const folder = path.join(__dirname, '..', '..', 'build', 'view');
fs.mkdirSync(folder, { recursive: true });

const next = generator(1);
const x = Float64Array.from({ length: 80 }, (_, i) => i / 8 - 4);
const m = x.map(() => 1 + next());
const wave = x.map((each) => 2.5 * Math.sin(1.3 * each) + (each * each) / 4 + 0.4 * next());
const quick = { populationSize: 60, islands: 3, generations: 20, seed: 1 };
const models = {
  wave: () => symbolicRegression(quick).fit({ x_0: x }, wave),
  two: () => symbolicRegression(quick).fit({ mass: m, x }, m.map((each, i) => each * x[i] ** 2)),
};

/** Opens the page of a model, which may ask the network for nothing. */
async function visit({ context, open }, name) {
  const file = path.join(folder, `front-${name}.html`);
  const model = models[name]();
  fs.writeFileSync(file, model.toHtml({ title: name }));
  const { href } = pathToFileURL(file);
  const asked = [];
  context.on('request', (request) => asked.push(request.url()));
  const page = await open(href);
  await page.waitForSelector('html[data-ready]');
  assert.deepEqual(asked.filter((each) => each !== href && !each.startsWith('data:')), []);
  return { page, model };
}

const picture = (page, name) => page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
const isAsWide = (page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

/** What is marked and shown. */
const chosen = (page) =>
  page.evaluate(() => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    return {
      dots: all('.dot.on').map((each) => each.dataset.i), rows: all('tr.on').map((each) => each.dataset.i),
      pressed: all('button[aria-pressed="true"]').map((each) => each.dataset.i),
      shown: all('[data-chosen]').filter((each) => each.offsetHeight > 0).map((each) => each.dataset.chosen),
      plots: all('#plots svg').length, data: all('#plots .datum').length, lines: all('#plots .line').map((each) => each.getAttribute('d').length > 100),
    };
  });

browserTest('the best formula is shown first, others when they are chosen in the drawing or the table', async (tools) => {
  const { page, model } = await visit(tools, 'wave');
  const only = (i) => ({ dots: [i], rows: [i], pressed: [i], shown: [i], plots: 2, data: 160, lines: [true] });
  assert.deepEqual(await chosen(page), only(String(model.front.indexOf(model.best))));
  assert.ok(await isAsWide(page));
  await picture(page, 'front-1280');
  await page.click('.dot[data-i="1"]');
  assert.deepEqual(await chosen(page), only('1'));
  await page.click('tr[data-i="2"] td:last-child');
  assert.deepEqual(await chosen(page), only('2'));
  await page.focus('button[data-i="3"]');
  await page.keyboard.press('Enter');
  assert.deepEqual(await chosen(page), only('3'));
  assert.match(await page.textContent('[data-chosen="3"]'), new RegExp(`${model.front[3].size} tokens`));
  assert.ok((await page.evaluate(() => document.querySelector('[data-chosen="3"] math').getBoundingClientRect().width)) > 20);
});

browserTest('it is legible in the dark and on a phone', async (tools) => {
  const { page } = await visit(tools, 'two');
  await page.emulateMedia({ colorScheme: 'dark' });
  const [back, front] = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.plot .dot.on')).fill]);
  assert.ok(back.match(/\d+/g).every((each) => Number(each) < 64) && front.match(/\d+/g).some((each) => Number(each) > 128), `${back} ${front}`);
  assert.equal((await chosen(page)).plots, 1);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await isAsWide(page));
  await picture(page, 'front-dark-390');
});
