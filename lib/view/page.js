/*
 * What happens on the page of a graph. All of its content is there already; this marks what belongs
 * together, moves the drawings and writes the panel beside them. It makes no markup: texts become
 * text nodes.
 *
 * Whatever belongs to kernels has `data-k`, a list of their numbers. To point at such an element marks all
 * that shares a kernel with it (class hot), to choose it keeps the marks (class on).
 */
'use strict';

(() => {
  /** @type {any} */
  const data = JSON.parse(document.getElementById('data').textContent);
  const byKernel = new Map();
  for (const element of document.querySelectorAll('[data-k]')) {
    for (const k of element.dataset.k.split(' ')) {
      if (k === '') continue;
      if (!byKernel.has(k)) byKernel.set(k, []);
      byKernel.get(k).push(element);
    }
  }

  const kernelsOf = (element) => (element.dataset.k || '').split(' ').filter(Boolean);
  const byId = (id) => document.getElementById(id);

  // ------------------------------------------------------------------------------------ marks

  const marked = { hot: [], on: [] };

  function mark(name, kernels) {
    for (const element of marked[name]) element.classList.remove(name);
    marked[name] = kernels.flatMap((k) => byKernel.get(k) || []);
    for (const element of marked[name]) element.classList.add(name);
  }

  // ---------------------------------------------------------------------------- the panel beside

  function make(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children.filter((child) => child !== undefined && child !== ''));
    return made;
  }

  const hueOf = (k) => `h${k % data.hues}`;

  function pickButton(k) {
    const button = make('button', { type: 'button', className: `pick ${hueOf(k)}` }, `k${k}`);
    button.dataset.pick = k;
    return button;
  }

  function valueButton(ref, drawing) {
    const node = data.values[drawing][ref];
    const hue = node && node.kernels.length > 0 ? hueOf(node.kernels[node.kernels.length - 1]) : 'h-';
    const button = make('button', { type: 'button', className: `pick ${hue}` }, `%${ref}`);
    button.dataset.value = ref;
    button.dataset.of = drawing;
    return button;
  }

  function list(rows) {
    const made = make('dl');
    for (const [name, ...value] of rows) {
      if (value.length > 0 && value[0] !== undefined && value[0] !== '')
        made.append(make('dt', {}, name), make('dd', {}, ...value));
    }
    return made;
  }

  const links = (items) => make('p', { className: 'links' }, ...items);
  const code = (text) => make('code', {}, text);
  const MOST_LINKS = 60;

  function someLinks(items, linkTo) {
    const shown = items.slice(0, MOST_LINKS).map(linkTo);
    return links(items.length > MOST_LINKS ? [...shown, `and ${items.length - MOST_LINKS} more`] : shown);
  }

  function valuePanel(ref, drawing) {
    const node = data.values[drawing][ref];
    const users = Object.keys(data.values[drawing]).filter((each) =>
      data.values[drawing][each].operands.includes(Number(ref)),
    );
    const place = drawing === 'simplified' ? data.places[ref] : undefined;
    return [
      make('h2', {}, `%${ref}`, make('span', { className: 'muted' }, node.op)),
      list([
        ['type', code(node.type)],
        [
          node.op === 'param' ? 'name' : node.op === 'const' ? 'elements' : 'attributes',
          node.detail && make('bdi', {}, node.detail),
        ],
        ['output', node.outputs && make('bdi', {}, node.outputs)],
        ['memory', place],
        [
          'operands',
          node.operands.length > 0 ? someLinks(node.operands, (each) => valueButton(each, drawing)) : undefined,
        ],
        ['used by', users.length > 0 ? someLinks(users, (each) => valueButton(each, drawing)) : undefined],
        ['kernels', node.kernels.length > 0 ? someLinks(node.kernels, pickButton) : undefined],
      ]),
    ];
  }

  function kernelPanel(k) {
    const kernel = data.kernels[k];
    return [
      make('h2', {}, pickButton(k), kernel.kind),
      list([
        ['ops', code(kernel.ops)],
        ['over', code(kernel.shape)],
        ['vectors', kernel.vectorised],
        ['time', kernel.time],
        ['roof', kernel.roof],
        ['work', kernel.work],
        ['reads', kernel.reads.join(', ')],
        ['writes', kernel.writes.join(', ')],
        ['functions', code(kernel.functions.join(', '))],
        [
          'computes',
          kernel.nodes.length > 0 ? someLinks(kernel.nodes, (ref) => valueButton(ref, 'simplified')) : undefined,
        ],
      ]),
      kernel.loops.length > 0 ? make('h3', {}, 'Loops') : '',
      kernel.loops.length > 0
        ? make('ul', { className: 'loops' }, ...kernel.loops.map((line) => make('li', {}, line)))
        : '',
    ];
  }

  const panel = byId('chosen');
  const nothing = [...panel.childNodes];

  // ---------------------------------------------------------------------------------- choosing

  /** Whether the pointer has been moved since it went down in a drawing: what follows is no click. */
  let moved = false;

  /** What is chosen: kernels, and maybe one value of a drawing. */
  let chosen = { kernels: [], ref: undefined, drawing: undefined };

  function showCode(kernels) {
    for (const pane of document.querySelectorAll('[data-pane]')) {
      const folds = [...pane.querySelectorAll('.fold')].filter((fold) =>
        kernelsOf(fold).some((k) => kernels.includes(k)),
      );
      for (const fold of folds) fold.open = true;
      if (folds.length > 0)
        pane.scrollTop += folds[0].getBoundingClientRect().top - pane.getBoundingClientRect().top - 1;
    }
  }

  function choose(kernels, { ref, drawing, from } = {}) {
    chosen = { kernels, ref, drawing };
    const own =
      drawing === undefined
        ? undefined
        : [...document.querySelectorAll(`[data-drawing="${drawing}"] .box`)].filter(
            (v) => v.dataset.ref === String(ref),
          );
    document.body.classList.toggle('picked', kernels.length > 0);
    mark('on', kernels);
    for (const each of document.querySelectorAll('.box.self')) each.classList.remove('self');
    for (const each of own || []) each.classList.add('self');
    const known = ref !== undefined && data.values[drawing] && data.values[drawing][ref];
    const parts = known ? valuePanel(ref, drawing) : [];
    const first = kernels.slice(0, known ? 1 : 3).flatMap((k) => kernelPanel(Number(k)));
    panel.replaceChildren(...(parts.length + first.length > 0 ? [...parts, ...first] : nothing));
    panel.scrollTop = 0;
    if (kernels.length > 0) showCode(kernels);
    if (from !== 'drawing')
      reveal(own && own.length > 0 ? own[0] : document.querySelector(`.canvas:not([hidden]) .box.on`));
    try {
      history.replaceState(null, '', kernels.length > 0 ? `#k${kernels[0]}` : location.pathname + location.search);
    } catch {
      // A page from a file may not write its address in every browser.
    }
  }

  function chooseValue(ref, drawing, from) {
    const node = data.values[drawing] && data.values[drawing][ref];
    if (from !== 'drawing') show(drawing);
    choose(node ? node.kernels.map(String) : [], { ref, drawing, from });
  }

  function chooseVertex(vertex) {
    const drawing = vertex.closest('[data-drawing]').dataset.drawing;
    const values = drawing === 'kernels' ? 'simplified' : drawing;
    const ref = vertex.dataset.ref === '' ? undefined : vertex.dataset.ref;
    choose(kernelsOf(vertex), {
      ref: vertex.classList.contains('kernel') ? undefined : ref, drawing: values, from: 'drawing',
    });
    for (const each of document.querySelectorAll('.box.self')) each.classList.remove('self');
    vertex.classList.add('self');
  }

  document.addEventListener('click', (event) => {
    const wasMoved = moved;
    moved = false;
    if (!(event.target instanceof Element) || wasMoved || String(getSelection()) !== '') return;
    const target = event.target.closest('[data-pick], [data-value], .box, .place, .column, tr[data-k], summary');
    if (target === null) {
      if (event.target.closest('.canvas')) choose([]);
    } else if (target.dataset.pick) choose([target.dataset.pick]);
    else if (target.dataset.value) chooseValue(target.dataset.value, target.dataset.of);
    else if (target.matches('.box')) chooseVertex(target);
    else if (target.matches('.place'))
      choose([target.dataset.first], { ref: target.dataset.ref, drawing: 'simplified' });
    else if (!target.matches('summary')) choose(kernelsOf(target));
  });

  document.addEventListener('pointerdown', () => (moved = false), true);

  document.addEventListener('pointerover', (event) => {
    const target = event.target instanceof Element ? event.target.closest('[data-k], [data-pick]') : null;
    mark(
      'hot',
      target === null || event.pointerType === 'touch'
        ? []
        : target.dataset.pick
          ? [target.dataset.pick]
          : kernelsOf(target),
    );
  });

  // ---------------------------------------------------------------------------------- drawings

  const LEAST = 0.04;
  const MOST = 4;
  const READABLE = 0.7;
  const ROOM_ABOVE = 52;
  /** Where each drawing has been moved to. */
  const views = new Map();

  const current = () => document.querySelector('.canvas:not([hidden])');

  function apply(canvas) {
    const { x, y, scale } = views.get(canvas);
    canvas.querySelector('.moved').setAttribute('transform', `translate(${x} ${y}) scale(${scale})`);
  }

  /** Shows all of a drawing, or as much of its upper part as can be read. */
  function fit(canvas, whole) {
    const svg = canvas.querySelector('.drawing');
    if (svg === null) return;
    const [width, height] = svg.dataset.size.split(' ').map(Number);
    const box = canvas.getBoundingClientRect();
    const all = Math.min(box.width / width, (box.height - ROOM_ABOVE) / height, 1.25);
    const scale = Math.max(LEAST, whole ? all : Math.max(all, READABLE));
    views.set(canvas, {
      x: (box.width - width * scale) / 2, y: ROOM_ABOVE + Math.max(0, (box.height - ROOM_ABOVE - height * scale) / 2),
      scale,
    });
    apply(canvas);
  }

  function zoom(canvas, factor, centre) {
    const view = views.get(canvas);
    if (view === undefined) return;
    const box = canvas.getBoundingClientRect();
    const at = centre ? { x: centre.x - box.left, y: centre.y - box.top } : { x: box.width / 2, y: box.height / 2 };
    const scale = Math.min(MOST, Math.max(LEAST, view.scale * factor));
    views.set(canvas, {
      x: at.x - ((at.x - view.x) * scale) / view.scale, y: at.y - ((at.y - view.y) * scale) / view.scale, scale,
    });
    apply(canvas);
  }

  function pan(canvas, dx, dy) {
    const view = views.get(canvas);
    if (view === undefined) return;
    views.set(canvas, { ...view, x: view.x + dx, y: view.y + dy });
    apply(canvas);
  }

  /** Brings a box of the drawing that is shown into sight. */
  function reveal(vertex) {
    const canvas = vertex && vertex.closest('.canvas');
    if (!canvas || canvas.hidden) return;
    const [own, box] = [vertex.getBoundingClientRect(), canvas.getBoundingClientRect()];
    const inside =
      own.left > box.left && own.right < box.right && own.top > box.top + ROOM_ABOVE && own.bottom < box.bottom;
    if (!inside)
      pan(
        canvas,
        box.left + box.width / 2 - (own.left + own.right) / 2,
        box.top + box.height / 2 - (own.top + own.bottom) / 2,
      );
  }

  function show(name) {
    const radio = document.querySelector(`.tabs input[value="${name}"]`);
    if (radio) radio.checked = true;
    for (const canvas of document.querySelectorAll('.canvas')) canvas.hidden = canvas.dataset.canvas !== name;
    const canvas = current();
    if (canvas && !views.has(canvas)) fit(canvas, false);
  }

  for (const radio of document.querySelectorAll('.tabs input'))
    radio.addEventListener('change', () => show(radio.value));
  for (const button of document.querySelectorAll('.zoom button')) {
    button.addEventListener('click', () => {
      if (button.dataset.zoom === 'fit') fit(current(), true);
      else zoom(current(), button.dataset.zoom === 'in' ? 1.3 : 1 / 1.3);
    });
  }

  for (const canvas of document.querySelectorAll('.canvas')) {
    const pointers = new Map();
    const distance = () => {
      const [a, b] = [...pointers.values()];
      return Math.hypot(a.x - b.x, a.y - b.y);
    };
    canvas.addEventListener('pointerdown', (event) => {
      // Text is for selecting: dragging it moves nothing.
      if (event.target.closest('text') && event.pointerType === 'mouse') return;
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    });
    canvas.addEventListener('pointermove', (event) => {
      const before = pointers.get(event.pointerId);
      if (before === undefined) return;
      const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
      if (!moved && Math.hypot(dx, dy) < 4) return;
      if (!moved) canvas.setPointerCapture(event.pointerId);
      moved = true;
      canvas.classList.add('moving');
      const apart = pointers.size === 2 ? distance() : 0;
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (apart > 0) {
        const [a, b] = [...pointers.values()];
        zoom(canvas, distance() / apart, { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
      } else pan(canvas, dx, dy);
    });
    const release = (event) => {
      pointers.delete(event.pointerId);
      canvas.classList.remove('moving');
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
        event.preventDefault();
        zoom(canvas, Math.exp(-event.deltaY / 250), { x: event.clientX, y: event.clientY });
      },
      { passive: false },
    );
    canvas.addEventListener('keydown', (event) => walk(canvas, event));
  }

  /** The boxes that an arrow leads to: along edges, or beside. */
  function neighbours(canvas, vertex, key) {
    const id = vertex.dataset.id;
    const [near, far] = key === 'ArrowUp' ? ['to', 'from'] : ['from', 'to'];
    if (key === 'ArrowUp' || key === 'ArrowDown') {
      const edges = [...canvas.querySelectorAll('.edges path')].filter((path) => path.dataset[near] === id);
      return edges.map((path) => canvas.querySelector(`.box[data-id="${path.dataset[far]}"]`));
    }
    const own = vertex.getBoundingClientRect();
    const sign = key === 'ArrowRight' ? 1 : -1;
    return [...canvas.querySelectorAll('.box')]
      .map((each) => ({ each, box: each.getBoundingClientRect() }))
      .filter(
        ({ each, box }) =>
          each !== vertex && Math.abs(box.top - own.top) < own.height && sign * (box.left - own.left) > 0,
      )
      .sort((a, b) => sign * (a.box.left - b.box.left))
      .map(({ each }) => each);
  }

  function walk(canvas, event) {
    const keys = { '+': 1.3, '=': 1.3, '-': 1 / 1.3 };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (keys[event.key]) zoom(canvas, keys[event.key]);
    else if (event.key === '0') fit(canvas, true);
    else if (/^Arrow/.test(event.key)) {
      const from = canvas.querySelector('.box:focus') || canvas.querySelector('.box.self');
      const to = from ? neighbours(canvas, from, event.key)[0] : canvas.querySelector('.box');
      if (to) {
        to.focus({ preventScroll: true });
        chooseVertex(to);
        reveal(to);
      }
    } else return;
    event.preventDefault();
  }

  addEventListener('resize', () => {
    const canvas = current();
    views.clear();
    if (canvas) fit(canvas, false);
  });

  // ------------------------------------------------------------------------------- filter, keys

  const filter = byId('filter');
  filter.addEventListener('input', () => {
    const wanted = filter.value.trim().toLowerCase();
    document.body.classList.toggle('searching', wanted !== '');
    let [rows, boxes] = [0, 0];
    for (const row of document.querySelectorAll('tr[data-search]')) {
      row.hidden = !row.dataset.search.includes(wanted);
      if (!row.hidden) rows++;
    }
    for (const vertex of document.querySelectorAll('.box')) {
      const miss = !vertex.getAttribute('aria-label').toLowerCase().includes(wanted);
      vertex.classList.toggle('miss', miss);
      if (!miss && vertex.closest('.canvas:not([hidden])')) boxes++;
    }
    byId('found').textContent =
      wanted === '' ? '' : `${boxes} in the graph, ${rows} ${rows === 1 ? 'kernel' : 'kernels'}`;
    if (wanted !== '' && boxes > 0) reveal(document.querySelector('.canvas:not([hidden]) .box:not(.miss)'));
  });

  addEventListener('keydown', (event) => {
    const isTyping = event.target === filter;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      if (isTyping) {
        filter.value = '';
        filter.dispatchEvent(new Event('input'));
        filter.blur();
      } else choose([]);
    } else if (isTyping) return;
    else if (event.key === '/') {
      event.preventDefault();
      filter.focus();
    } else if ((event.key === '[' || event.key === ']') && data.kernels.length > 0) {
      const count = data.kernels.length;
      const now = chosen.kernels.length > 0 ? Number(chosen.kernels[0]) : event.key === ']' ? -1 : count;
      choose([String((now + (event.key === ']' ? 1 : -1) + count) % count)]);
    }
  });

  // ------------------------------------------------------------------------------------- start

  const start = document.querySelector('.tabs input:checked');
  if (start) show(start.value);
  const wanted = /^#k(\d+)$/.exec(location.hash);
  if (wanted && byKernel.has(wanted[1])) choose([wanted[1]]);
  document.documentElement.dataset.ready = 'true';
})();
