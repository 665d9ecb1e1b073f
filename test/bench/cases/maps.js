// Static maps: one key at a time against Map and objects, a million against a loop over a Map, C++'s maps and binary search;
// routes against a radix tree and find-my-way, networks against binary search, in C++ and of bigints.
//
// Numbers are doubles with a fraction, bigints of 64 bits, texts of 6 to 20 letters as programs read them: each a string of its own. Those that
// are looked up are, where it says so, the very strings of the map, others that were looked up before, or new ones, which nobody has
// hashed. A call is 100,000 lookups, or a million in a batch.
'use strict';

const path = require('node:path');
const graphjit = require('graphjit');
const { compileMap, compileRanges, compileTrie } = graphjit;
const { generator } = require('../../support/generator.js');
const { addonFile, cores, packages } = require('../support/peers.js');

const SINGLES = 1e5;
const BATCH = 1e6;

/** A string as a program reads it from a file. */
const fresh = (text) => Buffer.from(text, 'latin1').toString('latin1');

const word = (random) => BigInt.asIntN(64, (BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32)));

/** How keys are made, and others that are near them and are none. */
const kinds = {
  f64: { make: (random) => random() * 1e6, miss: (key) => key + 1e-7, Class: Float64Array },
  i64: { make: word, miss: (key) => key ^ 1n, Class: BigInt64Array },
  str: { make: (random, i) => fresh(`${random().toString(36).slice(2, 4 + random() * 8)}-${i}`), miss: (key) => fresh(`${key.slice(0, -1)}x`), Class: undefined },
};

/** Keys, and as many looked up as asked for. */
function dataOf(kind, size, count, which) {
  const random = generator(size);
  const { make, miss } = kinds[kind];
  const set = new Set();
  while (set.size < size) set.add(make(random, set.size));
  const keys = [...set];
  const probes = Array.from({ length: count }, () => keys[Math.floor(random() * size)]);
  if (which === 'sorted') probes.sort((a, b) => (a < b ? -1 : 1));
  if (which === 'other') return { keys, probes: probes.map(fresh) };
  return { keys, probes: which === 'miss' ? probes.map(miss) : probes };
}

/** A loop of its own for each who is asked, so that the engine knows whom it calls. */
const loop = (body, names) => new Function(...Object.keys(names), `return () => {\n${body}\n};`)(...Object.values(names));

const SUM = 'let sum = 0; for (let i = 0; i < probes.length; i++) { const value = FOUND; if (value !== undefined) sum += value; } return sum;';

const summing = (found, names) => loop(SUM.replace('FOUND', found), names);

const NEW = 'let sum = 0; for (let i = 0; i < COUNT; i++) { const value = map.get(text.substring(ends[i], ends[i + 1])); if (value !== undefined) sum += value; } return sum;';

/** All texts behind each other, and where each ends. */
function joined(texts) {
  const ends = new Int32Array(texts.length + 1);
  texts.forEach((each, i) => (ends[i + 1] = ends[i] + each.length));
  return { text: fresh(texts.join('')), ends };
}

function single(kind, size, which) {
  return {
    name: `map-${kind}-1e${Math.log10(size)}-${which}`,
    title: `100,000 lookups one by one in a map of ${size} ${kind}, ${which}`,
    unit: 'µs',
    targets: [{ peer: 'Map', speed: 2 }, ...(kind === 'str' ? [{ peer: 'object', speed: 2 }] : [])],
    contestants() {
      const { keys, probes } = dataOf(kind, size, SINGLES, which);
      const map = new Map(keys.map((key, i) => [key, i]));
      const own = compileMap(map);
      if (which === 'new') {
        const names = { ...joined(probes) };
        const body = NEW.replace('COUNT', probes.length);
        return { graphjit: loop(body, { ...names, map: own }), Map: loop(body, { ...names, map }), 'making them': loop(body, { ...names, map: { get: (key) => key.length } }) };
      }
      const all = { graphjit: summing('map.get(probes[i])', { probes, map: own }), Map: summing('map.get(probes[i])', { probes, map }) };
      if (kind !== 'str') return all;
      const object = Object.assign(Object.create(null), Object.fromEntries(map));
      return { ...all, object: summing('object[probes[i]]', { probes, object }) };
    },
  };
}

/** C++ on arrays, from two compilers, asked by a function of maps.cpp. */
function inCpp(ask) {
  const source = path.join(__dirname, '..', 'support', 'maps.cpp');
  const file = addonFile(['g++', '-O3', '-march=native'], { source, standard: 'gnu++17' });
  return file ? ask(require(file)) : {};
}

/** Texts as columns have them. */
function columnOf(texts) {
  const { ends } = joined(texts);
  return { offsets: ends, bytes: Buffer.from(texts.join(''), 'latin1') };
}

function cppOf(kind, keys, probes, out) {
  return inCpp((cpp) => {
    if (kind === 'str') {
      const [own, asked] = [columnOf(keys), columnOf(probes)];
      cpp.build_texts(own.offsets, own.bytes);
      return { unordered_map: () => cpp.find_texts(asked.offsets, asked.bytes, out) };
    }
    const array = kinds[kind].Class.from(keys);
    const sorted = array.slice().sort();
    cpp[`build_unordered_${kind}`](array);
    cpp[`build_map_${kind}`](array);
    return {
      unordered_map: () => cpp[`find_unordered_${kind}`](probes, out),
      'std::map': () => cpp[`find_map_${kind}`](probes, out),
      'binary search': () => cpp[`search_${kind}`](probes, out, sorted),
    };
  });
}

const threadsShown = (threads) => (threads > 1 ? `graphjit ×${threads}` : 'graphjit');

function batch(kind, size, which) {
  return {
    name: `map-batch-${kind}-1e${Math.log10(size)}-${which}`,
    title: `a million lookups at once in a map of ${size} ${kind}, ${which}`,
    unit: 'µs',
    targets: [1, cores].flatMap((threads) => [
      { who: threadsShown(threads), peer: 'Map', speed: 5 },
      ...['unordered_map', 'std::map', 'binary search'].map((peer) => ({ who: threadsShown(threads), peer, speed: 1 })),
    ]),
    contestants() {
      const { keys, probes } = dataOf(kind, size, BATCH, which);
      const { Class } = kinds[kind];
      const array = Class ? Class.from(probes) : probes;
      const column = Class ? array : graphjit.table({ k: probes }).column('k').chunks[0];
      const values = Int32Array.from(keys, (_, i) => i);
      const out = new Int32Array(BATCH);
      const map = new Map(keys.map((key, i) => [key, i]));
      const own = [1, cores].map((threads) => [threadsShown(threads), compileMap({ keys, values }, { threads })]);
      return {
        ...Object.fromEntries(own.map(([name, each]) => [name, () => each.getMany(column, out)])),
        Map: loop('for (let i = 0; i < array.length; i++) out[i] = map.get(array[i]) ?? 0;', { array, out, map }),
        ...(Class ? {} : { 'graphjit, an array': () => own[0][1].getMany(array, out) }),
        ...cppOf(kind, keys, array, out),
      };
    },
  };
}

// --- prefixes ---

/** A thousand routes of one to five words, and paths below them. */
function routesOf() {
  const random = generator(1);
  const words = Array.from({ length: 60 }, () => random().toString(36).slice(2, 5 + random() * 6));
  const routes = new Set();
  while (routes.size < 1000) routes.add(`/${Array.from({ length: 1 + random() * 4 }, () => words[Math.floor(random() * words.length)]).join('/')}`);
  const list = [...routes];
  const paths = Array.from({ length: 10_000 }, () => `${list[Math.floor(random() * 1000)]}/${Math.floor(random() * 1e6)}`);
  return { routes: list, paths: paths.map(fresh) };
}

/** A radix tree as one writes it in JavaScript: nodes with a text and children by their first unit. */
class Radix {
  constructor(text, value) {
    this.text = text;
    this.value = value;
    this.children = new Map();
  }

  insert(key, value) {
    const child = this.children.get(key.charCodeAt(0));
    if (key === '') return void (this.value = value);
    if (!child) return void this.children.set(key.charCodeAt(0), new Radix(key, value));
    let same = 0;
    while (same < child.text.length && child.text[same] === key[same]) same++;
    if (same < child.text.length) {
      const middle = new Radix(child.text.slice(0, same), undefined);
      child.text = child.text.slice(same);
      middle.children.set(child.text.charCodeAt(0), child);
      this.children.set(key.charCodeAt(0), middle);
      return middle.insert(key.slice(same), value);
    }
    return child.insert(key.slice(same), value);
  }

  longest(key) {
    let [node, at, best] = [this, 0, this.value];
    for (;;) {
      const child = node.children.get(key.charCodeAt(at));
      if (!child || !key.startsWith(child.text, at)) return best;
      at += child.text.length;
      node = child;
      if (node.value !== undefined && (at === key.length || key[at] === '/')) best = node.value;
    }
  }
}

function findMyWay(routes, paths) {
  try {
    const router = require(require.resolve('find-my-way', { paths: [packages] }))();
    routes.forEach((route, i) => {
      router.on('GET', `${route}`, () => i, i);
      router.on('GET', `${route}/*`, () => i, i);
    });
    return { 'find-my-way': summing("router.find('GET', probes[i]).store", { probes: paths, router }) };
  } catch {
    return {};
  }
}

const routing = {
  name: 'map-routes',
  title: '10,000 paths to the longest of 1,000 routes',
  unit: 'µs',
  targets: ['radix tree', 'find-my-way'].map((peer) => ({ peer, speed: 2 })),
  contestants() {
    const { routes, paths: probes } = routesOf();
    const trie = compileTrie(routes.map((route, i) => [route, i]), { separator: '/' });
    const radix = new Radix('', undefined);
    routes.forEach((route, i) => radix.insert(route, i));
    return {
      graphjit: summing('trie.get(probes[i])', { probes, trie }),
      'radix tree': summing('radix.longest(probes[i])', { probes, radix }),
      ...findMyWay(routes, probes),
    };
  },
};

/** Networks of 8 to 28 bits as a routing table has them, most of 24, none of which overlap, and addresses. */
function networksOf(count) {
  const random = generator(2);
  const lows = [];
  const lasts = [];
  for (let at = 2 ** 24; lows.length < count && at < 2 ** 32 - 2 ** 20; ) {
    const size = 2 ** (random() < 0.6 ? 8 : 4 + Math.floor(random() * 12));
    const low = Math.ceil((at + random() * 20_000) / size) * size;
    lows.push(low);
    lasts.push(low + size - 1);
    at = low + size;
  }
  const probes = Uint32Array.from({ length: BATCH }, () => (random() < 0.5 ? random() * 2 ** 32 : lows[Math.floor(random() * lows.length)] + random() * 256));
  return { lows: Uint32Array.from(lows), lasts: Uint32Array.from(lasts), probes };
}

const networks = {
  name: 'map-networks',
  title: 'a million addresses in 100,000 networks',
  unit: 'µs',
  targets: [1, cores].map((threads) => ({ who: threadsShown(threads), peer: 'binary search', speed: 1 })),
  contestants() {
    const { lows, lasts, probes } = networksOf(1e5);
    const out = new Int32Array(BATCH);
    const values = Int32Array.from(lows, (_, i) => i);
    const own = [1, cores].map((threads) => [threadsShown(threads), compileRanges({ lows, highs: lasts, values }, { inclusive: true, threads })]);
    return {
      ...Object.fromEntries(own.map(([name, each]) => [name, () => each.indexMany(probes, out)])),
      'graphjit, one by one': summing('ranges.get(probes[i])', { probes, ranges: own[0][1] }),
      ...inCpp((cpp) => ({ 'binary search': () => cpp.ranges_u32(probes, out, lows, lasts) })),
    };
  },
};

/** Networks of IPv6 of 32 to 48 bits, and addresses in them as texts and as bigints. */
function wideNetworksOf(count) {
  const random = generator(3);
  const hex = (below) => Math.floor(random() * below).toString(16);
  const prefixes = [...new Set(Array.from({ length: count }, () => `2${hex(0x1000).padStart(3, '0')}:${hex(65536)}:${hex(65536)}::/${[32, 40, 44, 48][Math.floor(random() * 4)]}`))];
  const texts = Array.from({ length: SINGLES }, () => fresh(prefixes[Math.floor(random() * prefixes.length)].replace(/::.*/, `:${hex(65536)}::${hex(65536)}`)));
  return { networks: prefixes, texts, bigints: texts.map((text) => graphjit.cidrRange(text)[0]) };
}

/** Where the last of some bigints is that is not above one. */
const HALVES = `let sum = 0;
for (let i = 0; i < probes.length; i++) {
  const k = probes[i];
  let from = 0, to = lows.length;
  while (from < to) { const m = from + to >>> 1; if (lows[m] <= k) from = m + 1; else to = m; }
  if (from > 0 && k < highs[from - 1]) sum += from - 1;
}
return sum;`;

const wideNetworks = {
  name: 'map-networks-v6',
  title: '100,000 IPv6 addresses in 100,000 networks',
  unit: 'µs',
  targets: ['graphjit', 'graphjit, texts', 'graphjit, a column'].map((who) => ({ who, peer: 'binary search of bigints', speed: 2 })),
  contestants() {
    const { networks: list, texts, bigints } = wideNetworksOf(1e5);
    const trie = compileTrie({ keys: list, values: Int32Array.from(list, (_, i) => i) }, { threads: 1 });
    const column = graphjit.table({ k: texts }).column('k').chunks[0];
    const out = new Int32Array(SINGLES);
    // Without those inside of others: what the peer can search.
    const ends = list.map(graphjit.cidrRange).sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      graphjit: summing('trie.get(probes[i])', { probes: bigints, trie }),
      'graphjit, texts': summing('trie.get(probes[i])', { probes: texts, trie }),
      'graphjit, a column': () => trie.getMany(column, out),
      'binary search of bigints': loop(HALVES, { probes: bigints, lows: ends.map(([low]) => low), highs: ends.map(([, high]) => high) }),
    };
  },
};

const sizes = [1e2, 1e4, 1e6];

module.exports = [
  ...Object.keys(kinds).flatMap((kind) => sizes.flatMap((size) => ['hit', 'miss', ...(kind === 'str' ? ['other', 'new'] : [])].map((which) => single(kind, size, which)))),
  ...Object.keys(kinds).flatMap((kind) => sizes.flatMap((size) => ['hit', 'miss', 'sorted'].map((which) => batch(kind, size, which)))),
  routing,
  networks,
  wideNetworks,
];
