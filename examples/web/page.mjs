// The page: sliders, points to drag, and a race between the vectorised module, the plain one and JavaScript.
import { mvp, simd } from 'plane';
import { scriptEngine, wasmEngine } from './engines.mjs';

const find = (selector) => document.querySelector(selector);
const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
const [canvas, stage, facts] = ['#picture', '#stage', '#facts'].map(find);
const context = canvas.getContext('2d', { alpha: false });
const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;

const sliders = {
  twist: { label: 'Twist', min: -1, max: 1, step: 0.01, value: 0.22 },
  rings: { label: 'Rings', min: 0, max: 6, step: 0.1, value: 1 },
  spokes: { label: 'Spokes', min: 0, max: 36, step: 1, value: 12 },
  depth: { label: 'Relief', min: 0, max: 0.8, step: 0.01, value: 0.34 },
  power: { label: 'Power', min: 1, max: 6, step: 1, value: 1 },
  essence: { label: 'Essence s', min: 0, max: 2, step: 0.01, value: 0 },
  zoom: { label: 'Zoom', min: -2, max: 4, step: 0.01, value: 0 },
  motion: { label: 'Motion', min: 0, max: 1, step: 0.01, value: isCalm ? 0 : 0.3 },
  sharpness: { label: 'Sharpness', min: 25, max: 100, step: 5, value: 100, unit: '%' },
};

/** Per channel: what it is on average, how far it goes, where it begins. */
const palettes = {
  Dusk: [0.05, 0.03, 0.1, 0.95, 0.6, 0.45, 0, 0.08, 0.2],
  Prism: [0.03, 0.03, 0.07, 0.8, 0.7, 0.8, 0, 0.33, 0.67],
  Lagoon: [0, 0.05, 0.12, 0.75, 0.8, 0.6, 0.12, 0.02, 0.9],
  Ember: [0.02, 0.01, 0.02, 1, 0.7, 0.3, 0.02, 0.1, 0.28],
  Ink: [0.02, 0.03, 0.06, 0.9, 0.88, 0.82, 0.5, 0.51, 0.53],
};

const settings = Object.fromEntries(Object.entries(sliders).map(([name, { value }]) => [name, value]));
const points = {
  zeros: Float32Array.of(1, 0, -1, 0, 1.5, 1),
  poles: Float32Array.of(-0.5, 1.4, -0.5, -1.4, -1.8, 0.7),
};
let palette = Float32Array.from(palettes.Dusk);
let time = 0;
let isPaused = false;
/** Whether sharpness is chosen by the page. */
let isAutomatic = true;

// --------------------------------------------------------------------------------------- engines

/** In the order shown; `ns` per pixel is what all but the best quarter of the latest frames took at least. */
const engines = [
  { key: 'simd', label: 'wasm simd', size: simd.length, open: () => wasmEngine(simd) },
  { key: 'mvp', label: 'wasm', size: mvp.length, open: () => wasmEngine(mvp) },
  { key: 'script', label: 'JavaScript', size: 0, open: async () => scriptEngine() },
].filter(({ key }) => key !== 'simd' || WebAssembly.validate(simd));
const KEPT = 24;
const RACE = 8;
let active = engines[0];
/** Frames still to go in the race, in which the engines draw in turn. */
let racing = 0;

const quartile = (list) => list.toSorted((a, b) => a - b)[list.length >> 2];
const milliseconds = ({ ns }) => (ns * canvas.width * canvas.height) / 1e6;

function showEngines() {
  const slowest = Math.max(...engines.map(({ ns }) => ns ?? 0));
  for (const engine of engines) {
    const { row, ns } = engine;
    row.setAttribute('aria-checked', String(engine === active));
    row.tabIndex = engine === active ? 0 : -1;
    row.querySelector('.time').textContent = ns === undefined ? '–' : `${milliseconds(engine).toFixed(1)} ms`;
    row.querySelector('.bar').style.setProperty('--share', ns === undefined ? '0%' : `${(100 * ns) / slowest}%`);
  }
}

function choose(engine) {
  active = engine;
  racing = 0;
  showEngines();
}

/** Arrow keys move the choice, as in any group of radio buttons. */
function withArrows(group, list, pick) {
  group.addEventListener('keydown', ({ key }) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const at = [...group.children].findIndex((child) => child.getAttribute('aria-checked') === 'true');
    const next = (at + step + list.length) % list.length;
    pick(list[next]);
    group.children[next].focus();
  });
}

async function makeEngines() {
  const race = find('.race');
  for (const engine of engines) {
    Object.assign(engine, await engine.open(), { times: [] });
    engine.row = make('button', { onclick: () => choose(engine) });
    engine.row.setAttribute('role', 'radio');
    const parts = [{ textContent: engine.label }, { className: 'bar' }, { className: 'time' }];
    engine.row.append(...parts.map((part) => make('span', part)));
    engine.row.dataset.engine = engine.key;
    race.append(engine.row);
  }
  withArrows(race, engines, choose);
}

// ---------------------------------------------------------------------------------------- frames

const CALIBRATION = 1500; // milliseconds before the race: engines compile once more what has run for a while
const BUDGET = 10; // milliseconds of a frame, so that 60 in a second are reached

/** How sharp is quick enough, in steps of the slider. */
function affordable() {
  const pixels = stage.clientWidth * stage.clientHeight * Math.min(devicePixelRatio, 2) ** 2;
  const part = Math.sqrt((BUDGET * 1e6) / (engines[0].ns * pixels));
  return Math.min(100, Math.max(25, Math.floor(part * 20) * 5));
}

/** Makes the picture as large as its place on the screen, times sharpness. */
function resize() {
  const scale = (Math.min(devicePixelRatio, 2) * settings.sharpness) / 100;
  const width = Math.max(1, Math.round(stage.clientWidth * scale));
  const height = Math.max(1, Math.round(stage.clientHeight * scale));
  if (canvas.width === width && canvas.height === height && engines[0].isSized) return;
  Object.assign(canvas, { width, height });
  for (const engine of engines) {
    engine.resize(width, height);
    engine.isSized = true;
  }
}

/** Points drift on small circles of their own, so that the picture breathes. */
function drifting(list) {
  const phase = time * 5;
  return list.map((value, i) => value + 0.09 * settings.motion * Math.sin(phase * (0.7 + 0.13 * (i >> 1)) + i * 1.7));
}

/** The middle of what the panel leaves free of the stage, in CSS pixels. */
function middle() {
  const { left } = find('#panel').getBoundingClientRect();
  return [(left > 0 ? left : stage.clientWidth) / 2, stage.clientHeight / 2];
}

/** What part of the plane one CSS pixel is. */
const cssStep = () => (4.6 * 2 ** -settings.zoom) / (2 * Math.min(...middle()));

/** Everything that the picture of this moment depends on. */
function moment() {
  const { twist, rings, spokes, depth, power, essence } = settings;
  const scale = canvas.width / stage.clientWidth;
  const [step, origin] = [cssStep() / scale, middle().map((value) => value * scale)];
  const [zeros, poles] = [drifting(points.zeros), drifting(points.poles)];
  return { twist, rings, spokes, depth, power, essence, palette, time, zeros, poles, step, origin };
}

function drawWith(engine) {
  const now = moment();
  const began = performance.now();
  const image = engine.draw(now);
  const passed = performance.now() - began;
  context.putImageData(image, 0, 0);
  engine.times.push((passed * 1e6) / (image.width * image.height));
  if (engine.times.length > KEPT) engine.times.shift();
  engine.ns = quartile(engine.times);
  placeHandles(now);
}

/** Both modules draw one moment; what 'strict' promises is that no bit differs. */
function prove() {
  const now = moment();
  const [first, second] = engines.filter(({ size }) => size > 0).map((engine) => engine.draw(now).data);
  if (second === undefined) return;
  const differ = first.filter((byte, i) => byte !== second[i]).length;
  find('#proof').value = differ === 0 ? 'Both modules gave the same pixels, bit for bit.' : `${differ} bytes of the modules differ.`;
}

let last = performance.now();
/** When to choose how many pixels there are and to begin the race. */
let start = last + CALIBRATION;
const frames = [];

function frame(now) {
  requestAnimationFrame(frame);
  const passed = Math.min((now - last) / 1000, 0.1);
  last = now;
  frames.push(now);
  while (frames[0] < now - 1000) frames.shift();
  if (!isPaused) time += passed * 0.35 * settings.motion;
  glide(passed);
  if (now > start) {
    start = Infinity;
    if (isAutomatic) setSlider('sharpness', affordable());
    racing = RACE * engines.length;
  }
  resize();
  const wasRacing = racing > 0;
  drawWith(wasRacing ? engines[racing-- % engines.length] : active);
  if (wasRacing && racing === 0) prove();
}

/** Follows what can be afforded, as long as nobody has chosen; small steps would only flicker. */
function adapt() {
  if (!isAutomatic || start < Infinity || racing > 0 || active !== engines[0]) return;
  if (Math.abs(affordable() - settings.sharpness) >= 10) setSlider('sharpness', affordable());
}

function showFacts() {
  adapt();
  showEngines();
  const { size, ns = 0 } = active;
  const module = size ? `${(size / 1024).toFixed(1)} KB module` : 'a loop written by hand';
  facts.value = `${module} · ${engines[0].key} picked · ${canvas.width} × ${canvas.height} · ${ns.toFixed(0)} ns a pixel`;
  find('#rate').value = `${frames.length} fps`;
}

// --------------------------------------------------------------------------------------- handles

const handles = ['zeros', 'poles'].flatMap((kind) =>
  [0, 1, 2].map((i) => {
    const handle = make('button', { className: `point ${kind.slice(0, -1)}` });
    handle.setAttribute('aria-label', `${kind.slice(0, -1)} ${i + 1}, arrow keys move it`);
    const move = (re, im) => {
      points[kind][2 * i] = re;
      points[kind][2 * i + 1] = im;
    };
    handle.addEventListener('pointerdown', (event) => handle.setPointerCapture(event.pointerId));
    handle.addEventListener('pointermove', ({ clientX, clientY, pointerId }) => {
      if (!handle.hasPointerCapture(pointerId)) return;
      const [{ left, top }, [x, y], step] = [stage.getBoundingClientRect(), middle(), cssStep()];
      target = undefined;
      move((clientX - left - x) * step, (top + y - clientY) * step);
    });
    handle.addEventListener('keydown', (event) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!by) return;
      event.preventDefault();
      move(points[kind][2 * i] + 0.05 * by[0], points[kind][2 * i + 1] + 0.05 * by[1]);
    });
    stage.append(handle);
    return { handle, kind, i };
  }),
);

function placeHandles(now) {
  const [[x, y], step] = [middle(), cssStep()];
  for (const { handle, kind, i } of handles) {
    handle.style.left = `${x + now[kind][2 * i] / step}px`;
    handle.style.top = `${y - now[kind][2 * i + 1] / step}px`;
  }
}

// -------------------------------------------------------------------------------------- controls

/** Where everything is gliding to after a shuffle. */
let target;

function glide(seconds) {
  if (!target) return;
  const part = 1 - Math.exp(-seconds * 4);
  const near = (list, goal) => list.forEach((value, i) => (list[i] = value + (goal[i] - value) * part));
  near(points.zeros, target.zeros);
  near(points.poles, target.poles);
  setSlider('twist', settings.twist + (target.twist - settings.twist) * part);
  if (Math.abs(target.zeros[0] - points.zeros[0]) < 1e-3) target = undefined;
}

function shuffle() {
  const random = () => Float32Array.from({ length: 6 }, (_, i) => (Math.random() * 2 - 1) * (i % 2 ? 1.7 : 2.2));
  target = { zeros: random(), poles: random(), twist: Math.random() * 0.9 - 0.45 };
}

function setSlider(name, value) {
  const { input, output, unit: suffix = '', step } = sliders[name];
  settings[name] = value;
  input.value = value;
  output.value = `${value.toFixed(step < 0.1 ? 2 : step < 1 ? 1 : 0)}${suffix}`;
}

function makeSliders() {
  for (const [name, slider] of Object.entries(sliders)) {
    const { label, min, max, step } = slider;
    slider.input = make('input', { type: 'range', min, max, step, id: name });
    slider.output = make('output', {});
    slider.input.addEventListener('input', () => setSlider(name, slider.input.valueAsNumber));
    const row = make('label', { textContent: label });
    row.append(slider.input, slider.output);
    find('.sliders').append(row);
    setSlider(name, slider.value);
  }
}

/** A CSS colour of a palette, by the formula of the picture. */
function colorOf(list, hue) {
  const channel = (i) => {
    const wave = Math.abs((((hue + list[6 + i]) % 1) + 1) % 1 * 2 - 1);
    return Math.round(Math.min(1, Math.sqrt(wave * wave * (3 - 2 * wave) * list[3 + i] + list[i])) * 255);
  };
  return `rgb(${channel(0)} ${channel(1)} ${channel(2)})`;
}

function makePalettes() {
  const group = find('.palettes');
  const choosePalette = (name) => {
    palette = Float32Array.from(palettes[name]);
    for (const child of group.children) {
      const isChosen = child.title === name;
      child.setAttribute('aria-checked', String(isChosen));
      child.tabIndex = isChosen ? 0 : -1;
    }
  };
  for (const [name, list] of Object.entries(palettes)) {
    const button = make('button', { title: name, onclick: () => choosePalette(name) });
    button.setAttribute('role', 'radio');
    button.setAttribute('aria-label', name);
    button.style.background = `linear-gradient(90deg, ${[0, 0.2, 0.4, 0.6, 0.8, 1].map((hue) => colorOf(list, hue)).join(', ')})`;
    group.append(button);
  }
  withArrows(group, Object.keys(palettes), choosePalette);
  choosePalette('Dusk');
}

function makeButtons() {
  sliders.sharpness.input.addEventListener('input', () => (isAutomatic = false));
  find('#shuffle').onclick = shuffle;
  find('#again').onclick = () => (racing = RACE * engines.length);
  find('#pause').onclick = ({ target: button }) => {
    isPaused = !isPaused;
    button.textContent = isPaused ? 'Go on' : 'Pause';
    button.setAttribute('aria-pressed', String(isPaused));
  };
  stage.addEventListener('wheel', (event) => {
    event.preventDefault();
    const { min, max } = sliders.zoom;
    setSlider('zoom', Math.min(max, Math.max(min, settings.zoom - event.deltaY / 400)));
  }, { passive: false });
}

makeSliders();
makePalettes();
makeButtons();
await makeEngines();
requestAnimationFrame(frame);
setInterval(showFacts, 300);
