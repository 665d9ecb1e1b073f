// Reads what is on the paper: cuts out the ink, gives it to the module, and takes the best letter of each step.
import { load } from './loader.mjs';

const HEIGHT = 48; // of the lines that the model was trained on

const element = (id) => document.getElementById(id);
const [paper, typed, font] = ['paper', 'typed', 'font'].map(element);
const context = paper.getContext('2d', { willReadFrequently: true });

const [program, letters] = await Promise.all([
  load('recogniser.wasm', { weights: 'recogniser.bin' }),
  fetch('letters.txt').then(async (response) => [...(await response.text()).split('\n'), ' ']),
]);

/** The box around all that is not white, with a margin, or nothing. */
function inkBox() {
  const { width, height } = paper;
  const { data } = context.getImageData(0, 0, width, height);
  const box = { left: width, top: height, right: -1, bottom: -1 };
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] > 200) continue;
    const [column, row] = [(at / 4) % width, Math.floor(at / 4 / width)];
    box.left = Math.min(box.left, column);
    box.right = Math.max(box.right, column);
    box.top = Math.min(box.top, row);
    box.bottom = Math.max(box.bottom, row);
  }
  if (box.right < 0) return undefined;
  const margin = 4;
  return {
    x: box.left - margin, y: box.top - margin,
    width: box.right - box.left + 1 + 2 * margin, height: box.bottom - box.top + 1 + 2 * margin,
  };
}

/** That part of the paper in the height of the model, from -1 to 1, one plane for each colour. */
function pixelsOf({ x, y, width, height }) {
  const wide = Math.max(HEIGHT, Math.round((width * HEIGHT) / height));
  const small = new OffscreenCanvas(wide, HEIGHT).getContext('2d');
  small.fillStyle = 'white';
  small.fillRect(0, 0, wide, HEIGHT);
  small.drawImage(paper, x, y, width, height, 0, 0, wide, HEIGHT);
  const { data } = small.getImageData(0, 0, wide, HEIGHT);
  const count = wide * HEIGHT;
  const pixels = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) {
    for (let color = 0; color < 3; color++) pixels[color * count + i] = data[4 * i + 2 - color] / 127.5 - 1;
  }
  return { data: pixels, shape: [1, 3, HEIGHT, wide] };
}

/** Letters of the steps: one that is repeated counts once, and 0 stands for none. */
function textOf({ data, shape: [, steps, count] }) {
  let [text, before] = ['', 0];
  for (let step = 0; step < steps; step++) {
    const chances = data.subarray(step * count, (step + 1) * count);
    let best = 0;
    for (let i = 1; i < count; i++) if (chances[i] > chances[best]) best = i;
    if (best !== 0 && best !== before) text += letters[best - 1];
    before = best;
  }
  return text;
}

function read() {
  const box = inkBox();
  if (box === undefined) {
    element('text').textContent = '';
    return;
  }
  const start = performance.now();
  const results = program.run({ [program.inputs[0].name]: pixelsOf(box) });
  const ms = performance.now() - start;
  element('text').textContent = textOf(results[program.outputs[0].name]);
  element('facts').textContent = `${ms.toFixed(0)} ms`;
}

function clear() {
  context.fillStyle = 'white';
  context.fillRect(0, 0, paper.width, paper.height);
}

function type() {
  clear();
  context.fillStyle = 'black';
  context.textBaseline = 'middle';
  context.font = `48px ${font.value}`;
  context.fillText(typed.value, 16, paper.height / 2, paper.width - 32);
  read();
}

function draw(event) {
  if (event.buttons === 0) return;
  const scale = paper.width / paper.clientWidth;
  context.lineWidth = 5;
  context.lineCap = 'round';
  context.beginPath();
  context.moveTo((event.offsetX - event.movementX) * scale, (event.offsetY - event.movementY) * scale);
  context.lineTo(event.offsetX * scale, event.offsetY * scale);
  context.stroke();
}

paper.addEventListener('pointermove', draw);
paper.addEventListener('pointerup', read);
typed.addEventListener('input', type);
font.addEventListener('input', type);
element('controls').addEventListener('submit', (event) => event.preventDefault());
element('clear').addEventListener('click', () => {
  clear();
  read();
});
type();
