// Reads the digit on the paper while it is drawn: at each frame in which a stroke grows, the strokes become an image,
// the module gives the chances of the ten digits, and the bars show them.
import { load } from './loader.mjs';
import { SIDE, imageOf, written } from './strokes.mjs';

const PEN = 0.07; // the width of a line, as a part of the paper
const APART = 0.008; // points that are nearer to the one before are left out
const QUIET_MS = 400; // with nothing drawn for so long, the answer is spoken
const RUNS = 100; // clocks of browsers are too coarse for one

const element = (id) => document.getElementById(id);
const paper = element('paper');
const [ink, seen] = [paper, element('seen')].map((canvas) => canvas.getContext('2d'));

const bytes = new Uint8Array(await (await fetch('digits.wasm')).arrayBuffer());
const program = await load(bytes);
// In the memory of the module, so that a run copies nothing.
const image = program.allocate('u8', [SIDE, SIDE]);
const chances = program.allocate('f32', [10]);
const run = program.bind({ image }, { chances });

const rows = written.map((_, digit) => {
  const row = document.createElement('li');
  row.innerHTML = `<button type="button" aria-label="Write a ${digit}">${digit}</button>
    <div class="bar"><span></span></div><data></data>`;
  row.querySelector('button').addEventListener('click', () => replace(written[digit]));
  element('chances').append(row);
  return { row, fill: row.querySelector('span'), label: row.querySelector('data') };
});

let strokes = [];
let pointer; // the one that draws: a second finger does not
let isDue = false;
let quiet;

const percent = (chance) => `${(100 * chance).toFixed(1)} %`;

/** The digit with the greatest chance. */
const bestOf = (all) => all.indexOf(Math.max(...all));

function showStrokes() {
  const { width, height } = paper;
  ink.clearRect(0, 0, width, height);
  ink.strokeStyle = getComputedStyle(paper).color;
  ink.lineWidth = PEN * width;
  ink.lineCap = ink.lineJoin = 'round';
  ink.beginPath();
  for (const stroke of strokes) {
    ink.moveTo(stroke[0][0] * width, stroke[0][1] * height);
    for (const [x, y] of stroke) ink.lineTo(x * width, y * height);
  }
  ink.stroke();
}

function showImage() {
  const pixels = new ImageData(SIDE, SIDE);
  image.data.forEach((value, at) => pixels.data.set([value, value, value, 255], 4 * at));
  seen.putImageData(pixels, 0, 0);
}

/** Bars and the great digit; on an empty paper there are no chances. */
function showChances(all) {
  const best = all && bestOf(all);
  rows.forEach(({ row, fill, label }, digit) => {
    row.classList.toggle('best', digit === best);
    fill.style.width = `${all ? 100 * all[digit] : 0}%`;
    label.value = all ? String(all[digit]) : '';
    label.textContent = all ? percent(all[digit]) : '';
  });
  element('best').innerHTML = all ? `<strong>${best}</strong>` : 'nothing is on the paper yet';
}

function read() {
  isDue = false;
  image.data.set(imageOf(strokes));
  run();
  showStrokes();
  showImage();
  showChances(strokes.length > 0 ? chances.data : undefined);
  // A live region that changes with every frame would not be understood.
  clearTimeout(quiet);
  quiet = setTimeout(speak, QUIET_MS);
}

function speak() {
  const best = bestOf(chances.data);
  element('answer').textContent = strokes.length > 0 ? `${best}, ${percent(chances.data[best])}` : 'the paper is empty';
}

/** Once for all that comes before the next frame. */
function later() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(read);
}

/** Other strokes in place of those on the paper. */
function replace(others) {
  strokes = others;
  pointer = undefined;
  later();
}

/** Where on the paper, from 0 to 1. */
function pointOf({ clientX, clientY }) {
  const { left, top } = paper.getBoundingClientRect();
  const [x, y] = [clientX - left - paper.clientLeft, clientY - top - paper.clientTop];
  return [x / paper.clientWidth, y / paper.clientHeight];
}

paper.addEventListener('pointerdown', (event) => {
  if (pointer !== undefined || event.button !== 0) return;
  pointer = event.pointerId;
  paper.setPointerCapture(pointer);
  strokes = [...strokes, [pointOf(event)]];
  later();
});

paper.addEventListener('pointermove', (event) => {
  if (event.pointerId !== pointer) return;
  const stroke = strokes.at(-1);
  const moves = event.getCoalescedEvents?.() ?? [];
  for (const move of moves.length > 0 ? moves : [event]) {
    const [[x, y], [beforeX, beforeY]] = [pointOf(move), stroke.at(-1)];
    if (Math.hypot(x - beforeX, y - beforeY) >= APART) stroke.push([x, y]);
  }
  later();
});

for (const name of ['pointerup', 'pointercancel']) {
  paper.addEventListener(name, (event) => {
    if (event.pointerId === pointer) pointer = undefined;
  });
}

element('clear').addEventListener('click', () => replace([]));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', later); // the ink is another one

/** What a run takes, in milliseconds; the first ones are slower, until the engine has compiled the module in full. */
function timeOfRun() {
  for (let i = 0; i < RUNS; i++) run();
  const begin = performance.now();
  for (let i = 0; i < RUNS; i++) run();
  return (performance.now() - begin) / RUNS;
}

element('facts').textContent =
  `${timeOfRun().toFixed(3)} ms a run · a module of ${Math.round(bytes.length / 1024)} KB, weights inside`;
read();
