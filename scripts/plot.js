// The plot of README.md, drawn from the figures of the bench: times relative to graphjit, on a logarithmic axis.
//
// One SVG for light and dark pages. It has a ground of its own, since a page may be dark where the system is light, and
// each contestant a shape as well as a colour.
'use strict';

/** @typedef {{ who: string, value: number, ratio: number }} Result */
/** @typedef {{ name: string, unit: string, results: Result[] }} Case */
/**
 * @typedef {object} Figures what `npm run pictures -- measure` keeps
 * @property {string} graphjit version
 * @property {{ cpu: string, cores: number, node: string }} machine
 * @property {number} runs processes for each case
 * @property {string[]} versions of the others
 * @property {string} day
 * @property {Case[]} cases
 */

/**
 * What the bench calls them; of several that are there the fastest counts. All of them use one thread. `width` is that
 * of the legend.
 */
const contestants = [
  { name: 'C', width: 42, who: ['gcc -Ofast', 'clang -O3', 'clang, this CPU'], shape: 'M-4.4-4.4h8.8v8.8h-8.8z' },
  { name: 'JavaScript', width: 102, who: ['V8', 'JavaScript loop'], shape: 'M0-6.2L6.2 0 0 6.2-6.2 0z' },
  { name: 'NumPy', width: 79, who: ['numpy'], shape: 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z' },
  { name: 'PyTorch', width: 86, who: ['torch'], shape: 'M0-5.8L5.6 4.2H-5.6z' },
  { name: 'Numba', width: 79, who: ['numba'], shape: 'M0 5.8L5.6-4.2H-5.6z' },
];

const groups = [
  {
    title: 'Tensor programs',
    cases: {
      'gelu-f32-1e5': 'GELU of 100,000 f32',
      'black-scholes-f64-1e5': 'Black–Scholes of 100,000 f64',
      softmax: 'softmax of 1024 × 1024 f32',
      'layer-norm': 'layer norm of 197 × 768 f32',
    },
  },
  {
    title: 'JavaScript functions',
    cases: {
      'function-mandelbrot': 'Mandelbrot set, 300 × 200',
      'function-n-body': 'n-body, 2000 steps',
      'function-matmul': 'matrix product, 160 × 160',
      'function-moving-median': 'moving median of 20,000 f64',
    },
  },
];

const WIDTH = 860;
const LEFT = 318;
const RIGHT = 826;
const ROW = 27;
const HEAD = 34;
const TOP = 100;
/** Ratios where the axis may have a mark. */
const MARKS = [0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

const style = `
text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:#1f2328}
.ground{fill:#fff;stroke:#d8dce1}.title{font-size:17px;font-weight:650}.group{font-weight:650}.muted,.mark{fill:#656d76}
.mark,.note{font-size:11.5px}.note{fill:#656d76}.grid{stroke:#e6e9ec}.span{stroke:#c4cad1;stroke-width:2}
.own{stroke:#1f5fd0;stroke-width:2.5}.own-name{fill:#1f5fd0;font-weight:650}.far{font-size:11.5px;font-weight:600}
.c0{fill:#57606a}.c1{fill:#b07a00}.c2{fill:#0f8a6d}.c3{fill:#d1441f}.c4{fill:#8250df}path{stroke:#fff;stroke-width:1}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117;stroke:#30363d}.muted,.mark,.note{fill:#9198a1}
.grid{stroke:#21262d}.span{stroke:#3d444d}.own{stroke:#6ea8fe}.own-name{fill:#6ea8fe}
.c0{fill:#aab2bb}.c1{fill:#e3b341}.c2{fill:#3fb998}.c3{fill:#ff7b5a}.c4{fill:#b392f0}path{stroke:#0d1117}}`;

const escapes = /** @type {Record<string, string>} */ ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });
const escaped = (/** @type {string} */ text) => text.replace(/[&<>]/g, (character) => escapes[character]);

/** @type {(x: number, y: number, kind: string, text: string, anchor?: 'start' | 'middle' | 'end') => string} */
const words = (x, y, kind, text, anchor = 'start') =>
  `<text x="${x}" y="${y}" class="${kind}"${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}>${escaped(text)}</text>`;

/** @type {(x: number, y: number, i: number, title?: string) => string} the mark of a contestant */
const mark = (x, y, i, title) =>
  `<path class="c${i}" d="${contestants[i].shape}" transform="translate(${x.toFixed(1)} ${y})">${title ? `<title>${escaped(title)}</title>` : ''}</path>`;

const ratioText = (/** @type {number} */ ratio) => `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1)}×`;

/** Three figures and a unit. @type {(one: Case) => string} */
function timeText({ unit, results: [own] }) {
  const isLong = unit === 'µs' && own.value >= 1000;
  return `${Number((isLong ? own.value / 1000 : own.value).toPrecision(3))} ${isLong ? 'ms' : unit}`;
}

/** Ratios of those who are there. @type {(one: Case) => { i: number, ratio: number }[]} */
const ratiosOf = ({ results }) =>
  contestants.flatMap(({ who }, i) => {
    const ratios = results.filter((result) => who.includes(result.who)).map(({ ratio }) => ratio);
    return ratios.length > 0 ? [{ i, ratio: Math.min(...ratios) }] : [];
  });

/**
 * @param {Figures} figures
 * @returns {string} SVG
 */
function plot({ graphjit, machine, runs, versions, day, cases }) {
  const shown = groups.flatMap(({ cases: names }) => cases.filter(({ name }) => Object.hasOwn(names, name)));
  const all = shown.flatMap(ratiosOf).map(({ ratio }) => ratio);
  const [least, most] = [Math.min(0.8, ...all) * 0.93, Math.max(2, ...all) * 1.3];
  const at = (/** @type {number} */ ratio) => LEFT + ((RIGHT - LEFT) * Math.log(ratio / least)) / Math.log(most / least);
  const marks = MARKS.filter((ratio) => ratio >= least && ratio <= most);
  const parts = [];
  let y = TOP;
  for (const { title, cases: names } of groups) {
    y += HEAD;
    parts.push(words(24, y - 10, 'group', title));
    if (title === groups[0].title) parts.push(words(LEFT - 16, y - 10, 'note', 'graphjit takes', 'end'));
    for (const [name, label] of Object.entries(names)) {
      const one = cases.find((each) => each.name === name);
      if (one === undefined) continue;
      const middle = y + ROW / 2;
      const ratios = ratiosOf(one);
      const far = Math.max(1, ...ratios.map(({ ratio }) => ratio));
      const near = Math.min(1, ...ratios.map(({ ratio }) => ratio));
      parts.push(words(24, middle + 4.5, '', label), words(LEFT - 16, middle + 4.5, 'muted', timeText(one), 'end'));
      parts.push(`<line class="span" x1="${at(near).toFixed(1)}" x2="${at(far).toFixed(1)}" y1="${middle}" y2="${middle}"/>`);
      parts.push(...ratios.map(({ i, ratio }) => mark(at(ratio), middle, i, `${contestants[i].name} ${ratioText(ratio)}`)));
      if (far > 1.3) parts.push(words(Number((at(far) + 10).toFixed(1)), middle + 4, 'far', ratioText(far)));
      y += ROW;
    }
  }
  const bottom = y + 8;
  const grid = marks.map(
    (ratio) =>
      `<line class="${ratio === 1 ? 'own' : 'grid'}" x1="${at(ratio).toFixed(1)}" x2="${at(ratio).toFixed(1)}" y1="${TOP}" y2="${bottom}"/>` +
      words(Number(at(ratio).toFixed(1)), bottom + 17, ratio === 1 ? 'mark own-name' : 'mark', `${ratio}×`, 'middle'),
  );
  let x = 24;
  const legend = [];
  for (const [i, { name, width }] of contestants.entries()) {
    if (!shown.some((one) => ratiosOf(one).some((each) => each.i === i))) continue;
    legend.push(mark(x + 6, 60.5, i), words(x + 18, 65, '', name));
    x += width;
  }
  const cpu = machine.cpu.replace(/\s+Processor$/, '');
  const notes = [
    `One thread each: graphjit ${graphjit} in its default mode, ${[`Node.js ${machine.node.slice(1)}`, ...versions].join(', ')}.`,
    'C is the faster of clang -O3 and gcc -Ofast, compiled for this CPU. Contestants take turns within a process, and the best of their turns',
    `counts${runs > 1 ? `; medians of the ratios of ${runs} processes` : ''}. Measured on ${cpu}, ${day}, while the machine had other work as well.`,
  ];
  const height = bottom + 34 + 17 * notes.length + 6;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="t"><title id="t">Times of C, JavaScript, NumPy, PyTorch and Numba relative to graphjit</title><style>${style}</style>
<rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
${words(24, 35, 'title', 'Time relative to graphjit: to the right of 1× is slower')}
${legend.join('')}${words(Number(at(1).toFixed(1)), TOP - 8, 'own-name', 'graphjit', 'middle')}
${grid.join('\n')}
${parts.join('\n')}
${notes.map((text, i) => words(24, bottom + 46 + 17 * i, 'note', text)).join('\n')}
</svg>
`;
}

module.exports = { plot };
