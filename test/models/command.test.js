// The graphjit command on model files: what is given and printed that is no tensor, models whose sizes have to be
// numbers, inputs of any rank.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');
const { graphjit, newFolder } = require('../support/command.js');
const { onnxModel } = require('../support/onnx-writer.js');

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

describe('graphjit run of a model', () => {
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
  const name = file('sum.onnx', { nodes: [['Add', ['a', 'b'], ['y']]], inputs: { a: ['f32', ['n']], b: ['f32', ['m']] }, outputs: { y: ['f32', ['n']] } });
  const several = await command('inspect', name);
  assert.match(several.stderr, /--size NAME=NUMBER for each of its sizes makes it one/);
  const { code, stdout, stderr } = await command('inspect', name, '--size', 'n=3,m=3');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^input +a +f32\[3\] /m);
  await refuses(['inspect', name, '--size', 'n=3,k=3'], /unknown size 'k'/, 1);
});
