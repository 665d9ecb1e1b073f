// The pictures of README.md: a page of `graphjit view`, photographed by Chromium, and a plot of the bench.
//
//   npm run pictures                 both of the next two
//   npm run pictures -- view         the page, of a run on this machine
//   npm run pictures -- bench        the plot, of the figures in docs/images/bench.json
//   npm run pictures -- measure      these figures, measured on this machine, and then the plot
//
// The figures are kept beside the plot, so that whoever changes how it looks need not measure. Nothing runs this by
// itself: pictures depend on the machine, and on how quiet it is.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { root, note, stop } = require('./setup.js');
const { plot } = require('./plot.js');

const images = path.join(root, 'docs', 'images');
const figures = path.join(images, 'bench.json');

const MODEL = path.join(root, 'examples', 'models', 'attention.gj');
const TOKENS = 512;
/** In CSS pixels: what graph, kernels and memory stand side by side in. */
const VIEWPORT = { width: 1400, height: 720 };
const SCALE = 1.5;
const QUALITY = 80;
const WAIT_MS = 120_000;
const CHROMIUM = '/usr/bin/chromium';
const CHROMIUM_OPTIONS = [
  '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

/**
 * Cases of the bench: a few of each kind, on one thread, and none of many milliseconds, which a busy machine would
 * interrupt.
 */
const cases = [
  'gelu-f32-1e5', 'black-scholes-f64-1e5', 'softmax', 'layer-norm',
  'function-mandelbrot', 'function-n-body', 'function-matmul', 'function-moving-median',
];

/** The output of a command of Node; stops where it fails. @type {(...words: string[]) => string} */
function nodeOutput(...words) {
  /** @type {import('node:child_process').SpawnSyncOptionsWithStringEncoding} */
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  const { status, stdout } = spawnSync(process.execPath, words, options);
  if (status !== 0) stop(`${words.join(' ')} ended with status ${status}`);
  return stdout;
}

/**
 * The page from its top to the end of the memory plan, as WebP, which only the protocol of Chromium makes.
 *
 * @type {(browser: any, file: string, scheme: 'light' | 'dark') => Promise<Buffer>}
 */
async function photograph(browser, file, scheme) {
  const page = await browser.newPage({ viewport: VIEWPORT, deviceScaleFactor: SCALE, colorScheme: scheme });
  await page.goto(`file://${file}`, { timeout: WAIT_MS });
  await page.locator('input[name="drawing"][value="kernels"]').check({ force: true });
  await page.locator('[data-zoom="fit"]').click();
  await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
  const box = await page.locator('#memory').boundingBox();
  if (box === null) return stop(`${file} shows no memory`);
  const clip = { x: 0, y: 0, width: VIEWPORT.width, height: Math.ceil(box.y + box.height), scale: 1 };
  const session = await page.context().newCDPSession(page);
  const options = { format: 'webp', quality: QUALITY, captureBeyondViewport: true, clip };
  const { data } = await session.send('Page.captureScreenshot', options);
  await page.close();
  return Buffer.from(data, 'base64');
}

async function view() {
  const { chromium } = module.require('playwright-core'); // whose typings need those of pages, which tsc is not given
  if (!fs.existsSync(CHROMIUM)) stop(`${CHROMIUM} is missing: apt-get install chromium`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-pictures-'));
  const file = path.join(folder, 'page.html');
  nodeOutput('lib/cli/main.js', 'view', MODEL, '--size', `n=${TOKENS}`, '-o', file);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_OPTIONS, timeout: WAIT_MS });
  try {
    for (const scheme of /** @type {const} */ (['light', 'dark'])) {
      fs.writeFileSync(path.join(images, `view-${scheme}.webp`), await photograph(browser, file, scheme));
    }
  } finally {
    await browser.close();
    fs.rmSync(folder, { recursive: true });
  }
  note('wrote docs/images/view-light.webp and docs/images/view-dark.webp');
}

/** "NumPy 1.24.2" for those that are there. @type {() => string[]} */
function versions() {
  const modules = { numpy: 'NumPy', torch: 'PyTorch', numba: 'Numba' };
  const script = Object.entries(modules).map(
    ([name, title]) =>
      `try:\n  import ${name}; print('${title}', ${name}.__version__.split('+')[0])\nexcept ImportError: pass`,
  );
  const python = spawnSync('/usr/bin/python3', ['-c', script.join('\n')], { encoding: 'utf8' }).stdout ?? '';
  const gcc = spawnSync('gcc', ['-dumpfullversion'], { encoding: 'utf8' }).stdout?.trim();
  return [...(gcc ? [`gcc ${gcc}`] : []), 'clang 22', ...python.trim().split('\n').filter(Boolean)];
}

function measure() {
  const words = cases.flatMap((name) => ['--case', name]);
  /** @type {{ graphjit: string, machine: object, runs: number, cases: import('./plot.js').Case[] }} */
  const measured = JSON.parse(nodeOutput('--expose-gc', 'test/bench/run.js', '--json', '--runs', '3', ...words));
  const shown = measured.cases.map(({ name, unit, results }) => ({ name, unit, results }));
  const day = new Date().toISOString().slice(0, 10);
  const kept = { ...measured, versions: versions(), day, cases: shown, means: undefined };
  fs.writeFileSync(figures, `${JSON.stringify(kept, null, 1)}\n`);
  note('wrote docs/images/bench.json');
}

function bench() {
  fs.writeFileSync(path.join(images, 'bench.svg'), plot(JSON.parse(fs.readFileSync(figures, 'utf8'))));
  note('wrote docs/images/bench.svg');
}

async function main(/** @type {string[]} */ [what = 'both']) {
  const known = ['both', 'view', 'bench', 'measure'];
  if (!known.includes(what)) stop(`pictures: expected one of ${known.join(', ')}, got '${what}'`);
  fs.mkdirSync(images, { recursive: true });
  if (what === 'measure') measure();
  if (what !== 'view') bench();
  if (what === 'both' || what === 'view') await view();
}

main(process.argv.slice(2));
