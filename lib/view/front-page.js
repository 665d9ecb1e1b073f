/*
 * What happens on the page of a symbolic regression: a formula that is chosen in the drawing or the table is marked in
 * both, shown beside them, and its fit is drawn. It makes no markup: texts become text nodes.
 */
'use strict';

(() => {
  /** @type {any} */
  const data = JSON.parse(document.getElementById('data').textContent);
  const plots = document.getElementById('plots');
  const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [520, 330, 62, 50, 24, 14];

  function make(parent, tag, attributes, text) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  /** Least and greatest of lists, with some room around. */
  function rangeOf(...lists) {
    let [low, high] = [Infinity, -Infinity];
    for (const list of lists)
      for (const value of list) {
        if (value === null) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    if (low > high) return [0, 1];
    const room = (high - low) * 0.04 || Math.abs(low) * 0.1 || 1;
    return [low - room, high + room];
  }

  /** Round numbers in a range, four to eight. */
  function ticksOf([low, high]) {
    const rough = (high - low) / 7;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((each) => each * unit >= rough) * unit;
    const ticks = [];
    for (let i = Math.ceil(low / step); i * step <= high; i++) ticks.push(Number((i * step).toPrecision(6)));
    return ticks;
  }

  /** A drawing with axes, and functions that say where numbers are. */
  function plot(title, across, up, xRange, yRange) {
    const svg = make(plots, 'svg', { class: 'plot', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': title });
    const place = (value, [low, high], from, to) => (from + ((value - low) / (high - low)) * (to - from)).toFixed(1);
    const x = (value) => place(value, xRange, LEFT, WIDTH - RIGHT);
    const y = (value) => place(value, yRange, HEIGHT - BOTTOM, TOP);
    for (const value of ticksOf(yRange)) {
      make(svg, 'path', { class: 'rule', d: `M${LEFT} ${y(value)}H${WIDTH - RIGHT}` });
      make(svg, 'text', { class: 'end', x: LEFT - 8, y: Number(y(value)) + 4 }, value);
    }
    for (const value of ticksOf(xRange)) make(svg, 'text', { class: 'middle', x: x(value), y: HEIGHT - BOTTOM + 20 }, value);
    make(svg, 'text', { class: 'middle', x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4 }, across);
    make(svg, 'text', { x: LEFT, y: 14 }, up);
    return { svg, x, y };
  }

  function dots({ svg, x, y }, xs, ys) {
    xs.forEach((value, i) => {
      if (value !== null && ys[i] !== null) make(svg, 'circle', { class: 'datum', cx: x(value), cy: y(ys[i]), r: 2.5 });
    });
  }

  /** A line that is broken where there is no value; what is far outside is cut off at the edge of a page. */
  function line({ svg, x, y }, xs, ys, className) {
    const near = (text) => Math.max(-9999, Math.min(9999, Number(text)));
    const path = xs.map((value, i) => {
      if (ys[i] === null) return '';
      return `${i === 0 || ys[i - 1] === null ? 'M' : 'L'}${x(value)} ${near(y(ys[i]))}`;
    });
    make(svg, 'path', { class: className, d: path.join('') });
  }

  function draw(i) {
    plots.replaceChildren();
    if (data.x) {
      const curve = plot('The formula over the data', data.variable, 'y', rangeOf(data.x), rangeOf(data.y));
      const clip = make(curve.svg, 'clipPath', { id: 'inside' });
      make(clip, 'rect', { x: LEFT, y: TOP, width: WIDTH - LEFT - RIGHT, height: HEIGHT - BOTTOM - TOP });
      dots(curve, data.x, data.y);
      line({ ...curve, svg: make(curve.svg, 'g', { 'clip-path': 'url(#inside)' }) }, data.grid, data.curves[i], 'line');
    }
    const range = rangeOf(data.y, data.values[i]);
    const both = plot('Predicted against actual values', 'actual', 'predicted', range, range);
    line(both, range, range, 'exact');
    dots(both, data.y, data.values[i]);
  }

  function choose(i) {
    for (const each of document.querySelectorAll('.dot, tr[data-i]')) each.classList.toggle('on', each.dataset.i === i);
    for (const each of document.querySelectorAll('button[data-i]')) each.setAttribute('aria-pressed', each.dataset.i === i);
    for (const each of document.querySelectorAll('[data-chosen]')) each.hidden = each.dataset.chosen !== i;
    draw(Number(i));
  }

  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element && event.target.closest('[data-i]');
    if (target && String(getSelection()) === '') choose(target.dataset.i);
  });
  choose(String(data.best));
  document.documentElement.dataset.ready = 'true';
})();
