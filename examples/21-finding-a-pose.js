// Finds how somebody stands, with a graph model of TensorFlow.js from an npm package, and draws the joints over the
// picture. The model takes pixels as integers and gives places of 17 joints, with how sure it is of each.
//
//   node examples/21-finding-a-pose.js [marked.png]
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { load, tensor } = require('graphjit');

const markedFile = process.argv[2] ?? path.join(os.tmpdir(), 'graphjit-pose.png');

const JOINTS = [
  'nose', 'left eye', 'right eye', 'left ear', 'right ear', 'left shoulder', 'right shoulder', 'left elbow', 'right elbow',
  'left wrist', 'right wrist', 'left hip', 'right hip', 'left knee', 'right knee', 'left ankle', 'right ankle',
];
/** Pairs of joints with a bone between them. */
const BONES = [
  [5, 6], [5, 7], [7, 9], [6, 8], [8, 10], [5, 11], [6, 12], [11, 12], [11, 13], [13, 15], [12, 14], [14, 16],
  [0, 5], [0, 6],
];

/** The folder of the package, or nothing when one of those needed is not there. */
function packageFolder() {
  try {
    require.resolve('jpeg-js');
    return path.dirname(path.dirname(require.resolve('@vladmandic/human')));
  } catch {
    return undefined;
  }
}

/** @typedef {{ x: number, y: number, score: number }} Joint in pixels */

/** A square of the picture around a figure. @type {(file: string) => import('graphjit').Tensor} u8[158, 158, 3] */
function figureOf(file) {
  const { data, width, height } = require('jpeg-js').decode(fs.readFileSync(file), { useTArray: true });
  return tensor(data, { shape: [height, width, 4] }).slice([0, 158], [0, 158], [0, 3]).copy();
}

/** @type {(model: import('graphjit').Model, image: import('graphjit').Tensor) => Promise<Joint[]>} */
async function findJoints(model, image) {
  const [height, width] = image.shape;
  const [, size] = /** @type {number[]} */ (model.inputs[0].shape);
  const pixels = image.convert('f32').resize({ size: [size, size], axes: [0, 1], mode: 'linear' });
  const results = await model.runAsync(pixels.convert('i32').expandDims(0));
  const [joints] = Object.values(results); // [1, 1, 17, 3]: row, column and score
  return joints.slice(0, 0).toArray().map(([y, x, score]) => ({ x: x * width, y: y * height, score }));
}

/** A picture four times as large, with lines and dots. @type {(image: import('graphjit').Tensor, joints: readonly Joint[]) => Buffer} */
function drawn(image, joints) {
  const { PNG } = require('pngjs');
  const scale = 4;
  const [height, width] = image.shape.map((size) => size * scale);
  const large = image.convert('f32').resize({ scale, axes: [0, 1], mode: 'linear' }).roundEven().convert('u8');
  const rgba = large.pad([[0, 0], [0, 0], [0, 1]], { value: 255 });
  const png = Object.assign(new PNG({ width, height }), { data: Buffer.from(rgba.copy().data) });
  const dot = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ radius, /** @type {number[]} */ color) => {
    for (let row = Math.max(0, Math.ceil(y - radius)); row <= Math.min(height - 1, y + radius); row++) {
      for (let column = Math.max(0, Math.ceil(x - radius)); column <= Math.min(width - 1, x + radius); column++)
        if (Math.hypot(row - y, column - x) <= radius) png.data.set(color, 4 * (row * width + column));
    }
  };
  for (const [from, to] of BONES.map((pair) => pair.map((i) => joints[i]))) {
    if (Math.min(from.score, to.score) < 0.3) continue;
    for (let t = 0; t <= 1; t += 1 / 256)
      dot(scale * (from.x + t * (to.x - from.x)), scale * (from.y + t * (to.y - from.y)), 2, [42, 157, 143]);
  }
  for (const { x, y, score } of joints) if (score >= 0.3) dot(scale * x, scale * y, 6, [231, 111, 81]);
  return PNG.sync.write(png);
}

async function main() {
  const folder = packageFolder();
  if (folder === undefined) {
    console.log('skipped: npm install @vladmandic/human jpeg-js pngjs brings what this example needs');
    return;
  }
  const model = await load(path.join(folder, 'models', 'movenet-lightning.json'));
  const image = figureOf(path.join(folder, 'assets', 'samples.jpg'));
  const joints = await findJoints(model, image);
  joints.forEach(({ x, y, score }, i) => {
    const place = `${x.toFixed(0).padStart(4)},${y.toFixed(0).padStart(4)}`;
    console.log(`${JOINTS[i].padEnd(15)} ${place}  ${(100 * score).toFixed(0).padStart(3)} %`);
  });
  fs.writeFileSync(markedFile, drawn(image, joints));
  console.log(`the joints are marked in ${markedFile}`);
}

main();
