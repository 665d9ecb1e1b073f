// The page of a graph: what it says, that names stay text, how long texts are divided. How it looks and
// what happens on it is in test/browser/view.test.js.
'use strict';

const assert = require('node:assert/strict');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');
const { Graph } = require('graphjit');
const { viewData } = require('../lib/view/data.js');
const { asmPieces, llvmPieces, loopPieces, ownerOf } = require('../lib/view/stage-functions.js');
const { highlighted } = require('../lib/view/highlight.js');
const { html, json } = require('../lib/view/html.js');
const { layout } = require('../lib/view/layout.js');
const { renderPage } = require('../lib/view/render.js');
const { graphjit, newFolder } = require('./support/command.js');
const graphs = require('./support/view-graphs.js');

/** Without measuring, which takes time and differs. */
const quick = { profile: false, optLevel: 1 };

describe('markup', () => {
  it('takes every value as text, unless it is markup', () => {
    const evil = '</b>"\'<script>&';
    assert.equal(String(html`<b title="${evil}">${evil}</b>`), '<b title="&lt;/b&gt;&quot;&#39;&lt;script&gt;&amp;">&lt;/b&gt;&quot;&#39;&lt;script&gt;&amp;</b>');
    assert.equal(String(html`${[html`<i>`, '<', 1, null, undefined, false]}`), '<i>&lt;1');
    assert.equal(String(html`a\u202Eb\u0000c\uD800d`), 'a\u202Eb\u0000c\uD800d', 'literals are ours');
    assert.equal(String(html`${'a\u202Eb\u0000c\uD800d'}`), 'a\uFFFDb\uFFFDc\uFFFDd');
  });

  it('has JSON that cannot end a script', () => {
    const value = { name: '</script><!--&\u2028' };
    assert.doesNotMatch(String(json(value)), /[<>&\u2028]/);
    assert.deepEqual(JSON.parse(String(json(value))), value);
  });

  it('keeps code as it is between its colours', () => {
    const bare = (markup) => String(markup).replace(/<\/?i[^>]*>/g, '').replace(/&(lt|gt|amp|quot|#39);/g, (_, name) => ({ lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" })[name]);
    const program = graphs.softmax().compile();
    for (const [language, text] of [['loops', program.loops()], ['llvm', program.llvm()], ['asm', program.asm()]]) {
      assert.equal(bare(highlighted(text, language)), text);
      assert.ok(String(highlighted(text, language)).split('<i class="k">').length > 20, language);
    }
    assert.equal(String(highlighted('; </i><script>', 'llvm')), '<i class="c">; &lt;/i&gt;&lt;script&gt;</i>');
  });
});

describe('texts', () => {
  it('are divided into the functions of the kernels', () => {
    const program = graphs.softmax().compile({ threads: 2 });
    for (const [text, cut] of [[program.loops(), loopPieces], [program.llvm({ optimized: true }), llvmPieces], [program.asm(), asmPieces]]) {
      const pieces = cut(text);
      const names = pieces.map(({ name }) => ownerOf(name));
      for (const { functions } of program.stats.kernels) {
        const isInlined = cut !== loopPieces && names.includes('graphjit_main');
        assert.ok(functions.some((name) => names.includes(name)) || isInlined, `${functions} in ${names}`);
      }
      const lines = pieces.flatMap((piece) => piece.text.split('\n')).filter((line) => line.trim() !== '' && !line.startsWith('…'));
      const long = / … [\d,]+ more characters$/;
      const wanted = text.split('\n').filter((line) => line.trim() !== '');
      assert.ok(lines.every((line, i) => line === wanted[i] || (long.test(line) && wanted[i].startsWith(line.replace(long, '')))));
      assert.equal(lines.length, wanted.length);
    }
  });

  it('of every kernel are on the page, also where it was taken into the entry', () => {
    const data = viewData(graphs.softmax(), quick);
    const page = renderPage(data);
    for (const pane of ['loops', 'llvm', 'asm']) {
      const [, text] = new RegExp(`data-pane="${pane}"([^]*?)</section>`).exec(page);
      const shown = new Set([...text.matchAll(/<details class="fold[^"]*" data-k="([\d ]*)"/g)].flatMap(([, list]) => list.split(' ').filter(Boolean)));
      assert.deepEqual([...shown].sort(), data.kernels.map((_, k) => String(k)));
    }
  });

  it('do without what large constants hold', () => {
    const graph = new Graph('weights');
    graph.output('y', graph.input('x', 'f64', [5000]).mul(graph.constant(Float64Array.from({ length: 5000 }, (_, i) => Math.sin(i)))));
    const page = renderPage(viewData(graph, quick));
    assert.ok(page.length < 150_000, `${page.length} characters`);
    const [long] = loopPieces(`  data 0: f64[5000] = hex "${'00'.repeat(40000)}"`);
    assert.ok(long.text.length < 1000 && long.text.endsWith('more characters'));
  });
});

describe('a layout', () => {
  it('has places for all boxes, sources above what depends on them, also of large graphs', () => {
    for (const count of [0, 1, 40, 1200]) {
      const boxes = Array.from({ length: count }, (_, i) => ({ id: `b${i}`, width: 60, height: 30 }));
      const edges = boxes.slice(1).map((_, i) => ({ from: `b${i % 7 === 0 ? Math.floor(i / 2) : i}`, to: `b${i + 1}` }));
      const { centres, lines, width, height } = layout(boxes, edges);
      assert.equal(centres.size, count);
      assert.equal(lines.length, edges.length);
      for (const { from, to } of edges) assert.ok(centres.get(from).y < centres.get(to).y);
      for (const { x, y } of centres.values()) assert.ok(x > 0 && y > 0 && x < width && y < height);
    }
  });
});

describe('a page', () => {
  it('allows its own style and script by hash and nothing else', () => {
    const page = renderPage(viewData(graphs.one(), quick));
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)[1].replace(/&#39;/g, "'");
    const inside = [/<style>([^]*?)<\/style>/, /<script>([^]*?)<\/script>/].map((part) => part.exec(page)[1]);
    for (const text of inside) assert.ok(policy.includes(`'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`));
    assert.match(policy, /^default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(page.replace(inside[0], '').replace(inside[1], ''), /\b(?:src|href)="(?!#|data:,)|\sstyle="|\son\w+="/);
  });

  it('has no markup of names', () => {
    const page = renderPage(viewData(graphs.hostile(), { ...quick, profile: true }));
    assert.doesNotMatch(page, /<img|<b>|<svg onload|\u202E/);
    assert.equal(page.split('<script').length, 3);
    assert.equal(page.split('</script>').length, 3);
    assert.match(page, /<title>&lt;\/script&gt;/);
  });

  it('says what belongs to which kernel, before and after simplification', () => {
    const { graphs: both, kernels } = viewData(graphs.softmax(), quick);
    const [stored] = kernels;
    for (const ref of stored.nodes) assert.ok(both.simplified.nodes[ref - 1].kernels.includes(0));
    // sub(x, 0) is gone, its operand is not; what nothing needs belongs to no kernel.
    const byOp = (op) => both.written.nodes.filter((node) => node.op === op);
    assert.deepEqual(byOp('sub')[0].kernels, byOp('param')[0].kernels);
    assert.deepEqual(byOp('cbrt')[0].kernels, []);
    assert.equal(both.simplified.nodes.some(({ op }) => op === 'cbrt' || op === 'sub'), false);
  });

  it('takes symbols as 1024 unless told otherwise, and does without where a run would refuse that', () => {
    const data = viewData(graphs.softmax(), { ...quick, sizes: { n: 5 } });
    assert.deepEqual(data.options.sizes, { n: 5 });
    assert.deepEqual(data.memory.bytes.inputs[0].shape, [5, 64]);
    assert.throws(() => viewData(graphs.softmax(), { ...quick, sizes: { m: 5 } }), { code: 'ERR_ARGUMENT', message: /'m'/ });
    const graph = new Graph('long');
    graph.output('y', graph.input('x', 'f32', ['n']).slice([5000, null]).sum());
    const refused = viewData(graph, { optLevel: 1 });
    assert.equal(refused.memory.bytes, null);
    assert.match(renderPage(refused), /Without times: [^<]*n - 5000 for n = 1024/);
    assert.throws(() => viewData(graph, { ...quick, sizes: { n: 4000 } }), { code: 'ERR_SHAPE' });
    assert.equal(viewData(graph, { ...quick, sizes: { n: 6000 } }).memory.bytes.inputs[0].bytes, 24000);
  });

  it('does not run what would not fit', () => {
    const graph = new Graph('huge');
    graph.output('y', graph.input('x', 'f32', ['n']).exp());
    const data = viewData(graph, { optLevel: 1, sizes: { n: 2 ** 40 } });
    assert.equal(data.profile, null);
    assert.match(renderPage(data), /Without times: a run would take 8192\.0 GiB: choose smaller sizes/);
  });
});

describe('graphjit view', () => {
  const folder = newFolder();
  fs.writeFileSync(path.join(folder, 'softmax.gj'), graphs.softmax().toString());
  const command = (words) => graphjit(words, { cwd: folder });

  it('writes the page beside the caller, or where -o says', async () => {
    assert.deepEqual(await command(['view', 'softmax.gj', '--no-profile']), { code: 0, stdout: '', stderr: 'wrote softmax.html\n' });
    assert.match(fs.readFileSync(path.join(folder, 'softmax.html'), 'utf8'), /^<!doctype html>/);
    const { code, stdout, stderr } = await command(['view', 'softmax.gj', '--size', 'n=100', '--numerics', 'strict', '--threads', '1', '-o', '-']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /n = 100[^]*1 thread:/);
    assert.match(stdout, /<dt>numerics<\/dt><dd>strict<\/dd>/);
  });

  it('shows the models among the examples', async () => {
    const models = path.join(__dirname, '..', 'examples', 'models');
    for (const name of fs.readdirSync(models).filter((each) => /\.(gj|onnx)$/.test(each))) {
      const { code, stdout } = await command(['view', path.join(models, name), '--no-profile', '--opt', '1', '-o', '-']);
      assert.equal(code, 0);
      assert.match(stdout, /<title>\w+ – graphjit<\/title>/);
    }
  });

  it('gives the data with --json', async () => {
    const { code, stdout } = await command(['view', 'softmax.gj', '--size', 'n=100', '--json']);
    const data = JSON.parse(stdout);
    assert.equal(code, 0);
    assert.equal(data.profile.kernels.length, data.kernels.length);
    assert.equal(data.memory.bytes.inputs[0].bytes, 100 * 64 * 4);
    assert.match(data.code.asm, /gj\.k0/);
    assert.deepEqual(fs.readdirSync(folder).filter((name) => name.endsWith('.json')), []);
  });

  it('refuses sizes and files that make no sense, and writes nothing', async () => {
    const before = fs.readdirSync(folder);
    for (const [words, exit, message] of [
      [['softmax.gj', '--size', 'k=1'], 2, /no size 'k'/],
      [['softmax.gj', '--size', 'n=-1'], 2, /--size/],
      [['none.gj'], 1, /no such file/],
      [['softmax.gj', '--no-profile', '-o', path.join(folder, 'none', 'x.html')], 3, /cannot write/],
    ]) {
      const { code, stderr } = await command(['view', ...words]);
      assert.deepEqual([code, message.test(stderr)], [exit, true], stderr);
    }
    assert.deepEqual(fs.readdirSync(folder), before);
  });
});

it('folds a model by the scopes of its nodes', async () => {
  const { load } = require('graphjit');
  const { madeOf } = require('../lib/models/model.js');
  const { onnxModel } = require('./support/onnx-writer.js');
  const layers = Array.from({ length: 12 }, (_, i) => [
    ['Sin', [i === 0 ? 'x' : `x${i}`], [`h${i}`], {}, { name: `/layer${i}/first/Sin` }],
    ['Add', [`h${i}`, 'x'], [`x${i + 1}`], {}, { name: `/layer${i}/second/Add` }],
  ]);
  const file = onnxModel({ nodes: /** @type {any} */ (layers.flat()), inputs: { x: ['f32', [4]] }, outputs: { x12: ['f32', [4]] } });
  const model = await load(file, { compile: false });
  const data = viewData(model.graph, { profile: false, made: madeOf(model) });
  const page = renderPage(data);
  assert.match(page, /data-canvas="scopes"/);
  for (let i = 0; i < 12; i++) assert.ok(page.includes(`layer${i}/first`) && page.includes(`layer${i}/second`));
  assert.doesNotMatch(renderPage(viewData(model.graph, { profile: false })), /data-canvas="scopes"/);
});
