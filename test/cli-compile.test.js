// What `graphjit compile` writes for this machine, for others and as WebAssembly, and `graphjit targets`.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { describe, it } = require('node:test');
const { Graph, targets } = require('graphjit');
const { graphjit, newFolder } = require('./support/command.js');

const folder = newFolder();
/** @type {(name: string, content: string | Uint8Array) => string} */
function file(name, content) {
  fs.writeFileSync(path.join(folder, name), content);
  return name;
}
/** @type {(words: string, options?: object) => ReturnType<typeof graphjit>} */
const command = (words, options) => graphjit(words.split(' '), { cwd: folder, env: { GRAPHJIT_CACHE_DIR: path.join(folder, 'cache') }, ...options });

const HYPOT = `graph "hypot" {
  %x = param "x" : f64[n]
  %y = param "y" : f64[n]
  %a = mul %x, %x
  %b = mul %y, %y
  %c = add %a, %b
  %z = sqrt %c
  output "z" = %z
}
`;
const SOFTMAX = `graph "softmax" {
  %x = param "x" : f32[n, m]
  %e = exp %x
  %s = reduce_sum %e {axes=[1]}
  %r = reshape %s {shape=[n, 1]}
  %p = div %e, %r
  output "p" = %p
}
`;
file('hypot.gj', HYPOT);
file('softmax.gj', SOFTMAX);

// --------------------------------------------------------------------------------------- compile

describe('compile', { concurrency: 2 }, () => {
  const made = (/** @type {string} */ name) => fs.readdirSync(path.join(folder, name)).sort();
  const read = (/** @type {string} */ name) => fs.readFileSync(path.join(folder, name));

  it('makes an object and its header for this machine', async () => {
    const { code, stdout, stderr } = await command('compile hypot.gj -o native');
    assert.deepEqual([code, stderr, made('native')], [0, '', ['hypot.h', 'hypot.o']]);
    assert.match(stdout, /^file +what +size\nnative\/hypot\.o +object +[\d.]+ \w+\nnative\/hypot\.h +header +[\d.]+ \w+\n$/);
    assert.equal(read('native/hypot.o').subarray(0, 4).toString('latin1'), '\x7fELF');
    assert.match(read('native/hypot.h').toString(), /\bhypot_graph\(/);
  });

  it('makes every text of every stage', async () => {
    const words = 'compile softmax.gj -o stages --name own --symbol f --emit assembly,llvm,llvm-raw,bitcode,graph,simplified,loops --json';
    const { code, stdout } = await command(words);
    assert.equal(code, 0);
    const { files } = JSON.parse(stdout);
    for (const { file: name, bytes } of files) assert.equal(fs.statSync(path.join(folder, name)).size, bytes);
    assert.deepEqual(made('stages'), ['own.bc', 'own.graph.gj', 'own.ll', 'own.loops', 'own.raw.ll', 'own.s', 'own.simplified.gj']);
    assert.match(read('stages/own.s').toString(), /^f:/m);
    for (const name of ['own.ll', 'own.raw.ll']) assert.match(read(`stages/${name}`).toString(), /^define .*@f\(/m);
    assert.equal(read('stages/own.bc').subarray(0, 2).toString(), 'BC');
    assert.match(read('stages/own.loops').toString(), /func /);
    assert.equal(read('stages/own.graph.gj').toString(), Graph.parse(SOFTMAX).toString());
  });

  it('compiles for other targets', async () => {
    for (const { arch } of targets()) {
      const { code, stderr } = await command(`compile hypot.gj -o other-${arch} --target ${arch} --emit object,header,assembly`);
      assert.deepEqual([code, stderr, made(`other-${arch}`)], [0, '', ['hypot.h', 'hypot.o', 'hypot.s']]);
    }
  });

  it('makes WebAssembly in three variants, with a module that runs anywhere', async () => {
    const { code, stderr } = await command('compile hypot.gj -o wasm --target wasm');
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(made('wasm'), ['hypot.d.mts', 'hypot.mjs', 'hypot.mvp.wasm', 'hypot.relaxed.wasm', 'hypot.simd.wasm']);
    for (const name of made('wasm').filter((each) => each.endsWith('.wasm'))) new WebAssembly.Module(read(`wasm/${name}`));
    const script = "import('./wasm/hypot.mjs').then(async (own) => { const p = await own.load(); console.log(p.run({ x: Float64Array.of(3), y: Float64Array.of(4) }).z.data[0]); })";
    const child = spawnSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' });
    assert.deepEqual([child.stdout, child.stderr], ['5\n', '']);
  });

  it('leaves out the variant that has no threads', async () => {
    const { code, stderr } = await command('compile hypot.gj -o threads --target wasm --threads --emit wasm');
    assert.deepEqual([code, stderr, made('threads')], [0, '', ['hypot.relaxed.wasm', 'hypot.simd.wasm']]);
  });

  it('makes modules smaller when asked', async () => {
    const { code, stderr } = await command('compile hypot.gj -o small --target wasm --emit wasm --variants mvp,simd --optimize');
    assert.deepEqual([code, stderr], [0, '']);
    for (const name of made('small')) assert.ok(read(`small/${name}`).length < read(`wasm/${name}`).length, name);
  });

  it('keeps the weights apart when asked', async () => {
    const numbers = Array.from({ length: 200 }, (_, i) => i + 0.5);
    const weighted = `graph "weighted" { %x = param "x" : f64[200]  %w = const [${numbers}] : f64[200]  %y = mul %x, %w  output "y" = %y }`;
    const { code } = await command('compile - -o weights --target wasm --variants simd --weights separate --emit wasm', { input: weighted });
    assert.deepEqual([code, made('weights')], [0, ['weighted.bin', 'weighted.wasm']]);
    const bytes = read('weights/weighted.bin');
    assert.deepEqual(numbers.map((_, i) => bytes.readDoubleLE(8 * i)), numbers);
  });

  it('leaves what there is when it fails', async () => {
    await command('compile hypot.gj -o kept');
    const before = read('kept/hypot.o');
    const { code, stdout, stderr } = await command('compile hypot.gj -o kept --target nowhere');
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /nowhere.*x86_64, aarch64/);
    assert.deepEqual(read('kept/hypot.o'), before);
    file('in-the-way', '');
    const blocked = await command('compile hypot.gj -o in-the-way');
    assert.equal(blocked.code, 3);
    assert.match(blocked.stderr, /cannot write in-the-way/);
  });

  /** @type {[string, RegExp][]} */
  const refused = [
    ['compile hypot.gj --emit objct', /unknown word 'objct' for --emit \(did you mean 'object'\?\), known are object, header,/],
    ['compile hypot.gj --emit wasm', /--emit wasm does not go with --target native/],
    ['compile hypot.gj --target wasm --emit header', /--emit header does not go with --target wasm, known are wasm, mjs/],
    ['compile hypot.gj --target wasm --cpu x', /--cpu does not go with --target wasm/],
    ['compile hypot.gj --variants simd', /--variants goes with --target wasm, not native/],
    ['compile hypot.gj --target aarch64 --emit loops', /--emit loops goes with --target native/],
    ['compile hypot.gj --symbol a-b', /the symbol must be a C identifier/],
    ['compile hypot.gj --target x86_64 --cpu i386', /unknown CPU "i386" for x86_64; known ones are/],
    ['compile hypot.gj --name a/b', /--name is the name of files without a folder/],
    ['compile hypot.gj --weights outside --target wasm', /unknown word 'outside' for --weights/],
  ];
  for (const [words, message] of refused) {
    it(`refuses graphjit ${words}`, async () => {
      const { code, stdout, stderr } = await command(words);
      assert.match(stderr, message);
      assert.deepEqual([code, stdout], [2, '']);
    });
  }
});

// --------------------------------------------------------------------------------------- targets

describe('targets', () => {
  it('lists what there is', async () => {
    const { stdout } = await command('targets');
    for (const name of ['native', 'wasm', ...targets().map(({ arch }) => arch)]) {
      assert.match(stdout, new RegExp(`^${name} `, 'm'));
    }
    assert.deepEqual(JSON.parse((await command('targets --json')).stdout), { targets: JSON.parse(JSON.stringify(targets())) });
  });

  it('shows the processors and features of one', async () => {
    const { stdout } = await command('targets aarch64');
    assert.match(stdout, /^aarch64 aarch64[^]*\nprocessors\n {2}\S[^]*\nfeatures\n {2}\S/);
    const { code, stderr } = await command('targets aarch46');
    assert.equal(code, 2);
    assert.match(stderr, /unknown target 'aarch46' \(did you mean 'aarch64'\?\), known are/);
  });
});
