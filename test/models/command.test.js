// The graphjit command on model files: what is given and printed that is no tensor, models whose sizes have to be
// numbers, inputs of any rank.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');
const { graphjit, newFolder } = require('../support/command.js');
const { tensor } = require('graphjit');
const { encode, onnxModel, tensorProto } = require('../support/onnx-writer.js');

const folder = newFolder();
const penguins = path.join(__dirname, '..', '..', 'examples', 'models', 'penguins.onnx');

/** @type {(name: string, model: any) => string} */
function file(name, model) {
  fs.writeFileSync(path.join(folder, name), onnxModel(model));
  return name;
}
/** @type {(...words: string[]) => ReturnType<typeof graphjit>} */
const command = (...words) => graphjit(words, { cwd: folder, env: { GRAPHJIT_CACHE_DIR: path.join(folder, 'cache') } });

/** @type {(words: readonly string[], message: RegExp, exit?: number) => Promise<void>} */
async function refuses(words, message, exit = 2) {
  const { code, stderr } = await command(...words);
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /fault of graphjit/);
  assert.equal(code, exit);
}

describe('graphjit on a script of PyTorch', () => {
  const recorded = path.join(__dirname, 'torch-recorded');
  const mha = path.join(recorded, 'mha-traced.pt');

  it('shows its inputs and outputs where they have no shapes', async () => {
    const { code, stdout, stderr } = await command('inspect', mha);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^input +q +tensor\[…\]\n[^]*^output +output1 /m);
    assert.match(stderr, /no single graph.*say the shape of each input, as in --shape 'q=\[n,3\]'/);
    const { inputs, specialization } = JSON.parse((await command('inspect', mha, '--json')).stdout);
    assert.deepEqual([inputs.length, specialization.by], [3, 'signature']);
  });

  it('takes shapes from --shape', async () => {
    const shapes = ['--shape', 'q=[n,2,8]', '--shape', 'k=[m,2,8]', '--shape', 'mask=bool[2,m]'];
    const { code, stdout, stderr } = await command('inspect', mha, ...shapes);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /over n, m\n[^]*^output +output1 +f32\[2, n, m\]/m);
    await refuses(['inspect', mha, '--shape', 'q'], /expected NAME=\[SIZES\] for --shape/);
    await refuses(['inspect', mha, '--shape', 'q=[1]', '--shape', 'q=[2]'], /--shape q is given twice/);
    await refuses(['inspect', mha, '--shape', 'z=[1]'], /unknown input 'z'/, 1);
    await refuses(['compile', mha, '-o', 'mha'], /no single graph.*--shape/, 1);
  });
});

describe('graphjit run of a model', () => {
  it('asks for no input that may be left out', async () => {
    const model = file('optional.onnx', {
      nodes: [['Add', ['x', 'w'], ['y']]], inputs: { x: ['f32', ['n']], w: ['f32', [1]] }, outputs: { y: ['f32', ['n']] }, initializers: { w: [2] },
    });
    const { code, stdout, stderr } = await command('run', model, '--input', 'x=[1,2]');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /3\. 4\./);
  });

  it('prints strings, lists and maps', async () => {
    const { code, stdout, stderr } = await command('run', penguins, '--input', 'x=[[39.1,18.7,181,3750]]', '--check');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^species string\[1\] \[ 'Adelie' \]\nprobabilities sequence\n\[\n {2}\{\n {4}Adelie: 0\.891/);
    assert.match(stderr, /^species: equal to the reference$/m);
  });

  it('puts them into JSON', async () => {
    const { stdout } = await command('run', penguins, '--input', 'x=[[39.1,18.7,181,3750]]', '--json');
    const { outputs } = JSON.parse(stdout);
    assert.deepEqual(outputs.species, { dtype: 'string', shape: [1], data: ['Adelie'] });
    assert.deepEqual(Object.keys(outputs.probabilities[0]), ['Adelie', 'Chinstrap', 'Gentoo']);
  });

  it('writes no strings into files of arrays', () =>
    refuses(['run', penguins, '--input', 'x=random', '--size', 'rows=1', '--output', 'probabilities=s.npy'], /files hold tensors of numbers/));

  it('takes strings', async () => {
    const strings = ['string', ['n']];
    const name = file('join.onnx', { nodes: [['StringConcat', ['a', 'b'], ['y']]], inputs: { a: strings, b: strings }, outputs: { y: strings } });
    fs.writeFileSync(path.join(folder, 'b.json'), '["1", "2"]');
    const { stdout, stderr } = await command('run', name, '--input', 'a=["x","z"]', '--input', 'b=b.json', '--check');
    assert.equal(stdout, "y string[2] [ 'x1', 'z2' ]\n", stderr);
    await refuses(['run', name, '--input', 'a=["x"', '--input', 'b=b.json'], /expected a JSON array of strings/);
  });

  it('takes inputs of any rank', async () => {
    const name = file('negative.onnx', { nodes: [['Neg', ['x'], ['y']]], inputs: { x: ['f32'] }, outputs: { y: ['f32'] } });
    assert.equal((await command('run', name, '--input', 'x=[[1,2]]')).stdout, 'y f32[1, 2] [[-1. -2.]]\n');
    assert.match((await command('run', name, '--input', 'x=random:[2]')).stdout, /^y f32\[2\] /);
    await refuses(['run', name, '--input', 'x=random'], /'x' may have any rank; say its shape/);
  });

  it('refuses lists, which nobody can give', async () => {
    const list = { sequence: ['f32', ['n']] };
    const name = file('list.onnx', { nodes: [['SequenceLength', ['x'], ['y']]], inputs: { x: list }, outputs: { y: ['i64', []] } });
    await refuses(['run', name, '--input', 'x=[1]'], /input 'x' is a sequence/);
  });
});

it('sizes of the command line make one graph of a model that has several', async () => {
  const name = file('blocks.onnx', { nodes: [['DepthToSpace', ['x'], ['y'], { blocksize: 2 }]], inputs: { x: ['f32', ['n', 'c', 2, 2]] }, outputs: { y: ['f32', [null, null, 4, 4]] } });
  const several = await command('inspect', name);
  assert.match(several.stderr, /--size NAME=NUMBER for each of its sizes makes it one/);
  const { code, stdout, stderr } = await command('inspect', name, '--size', 'n=3,c=8');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^output +y +f32\[3, 2, 4, 4\] /m);
  await refuses(['inspect', name, '--size', 'n=3,k=3'], /unknown size 'k'/, 1);
});

describe('verify', () => {
  /** A model of a classifier with strings and maps, and what was recorded of it: with `wrong`, of another one. @type {(wrong?: number) => string} */
  function recorded(wrong = 0) {
    const name = `recorded${wrong}`;
    const set = path.join(folder, name, 'test_data_set_0');
    fs.mkdirSync(set, { recursive: true });
    file('zip.onnx', {
      nodes: [['ai.onnx.ml::ZipMap', ['x'], ['y'], { classlabels_strings: ['a', 'b'] }], ['Add', ['x', 'x'], ['z']]],
      inputs: { x: ['f32', [1, 2]] },
      outputs: { y: { sequence: { key: 'string', value: ['f32', []] } }, z: ['f32', [1, 2]] },
      opsets: { 'ai.onnx': 20, 'ai.onnx.ml': 1 },
    });
    const of = (/** @type {number[]} */ values, /** @type {number[]} */ shape) => tensorProto(tensor(Float32Array.from(values)).reshape(shape));
    fs.writeFileSync(path.join(set, 'input_0.pb'), encode('Tensor', of([0.25, 0.75], [1, 2])));
    const values = { type: 1, tensors: [of([0.25], []), of([0.75 + wrong], [])] };
    const map = { keyType: 8, stringKeys: ['a', 'b'].map((each) => Buffer.from(each)), values };
    fs.writeFileSync(path.join(set, 'output_0.pb'), encode('Sequence', { type: 3, maps: [map] }));
    fs.writeFileSync(path.join(set, 'output_1.pb'), encode('Tensor', of([0.5, 1.5], [1, 2])));
    return name;
  }

  it('compares tensors and what is in lists and maps', async () => {
    const { code, stdout } = await command('verify', 'zip.onnx', '--data', recorded(), '--json');
    const { ok, values } = JSON.parse(stdout);
    assert.deepEqual([code, ok, values.map((/** @type {any} */ row) => row.value)], [0, true, ['y.0[a]', 'y.0[b]', 'z']]);
  });

  it('names what differs in a map', async () => {
    const { code, stdout } = await command('verify', 'zip.onnx', '--data', recorded(1));
    assert.equal(code, 1);
    assert.match(stdout, /y\.0\[b\] differs first, 1 of 1 elements: element 0: 0\.75, recorded 1\.75/);
  });

  it('refuses data that say nothing of the model', async () => {
    const name = recorded(2);
    for (const each of ['output_0.pb', 'output_1.pb']) fs.rmSync(path.join(folder, name, 'test_data_set_0', each));
    await refuses(['verify', 'zip.onnx', '--data', name], /has no value that was recorded of the model/, 1);
  });
});
