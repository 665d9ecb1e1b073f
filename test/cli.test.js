// The graphjit command as its users meet it: every sub-command in a process of its own, with good and bad
// input; what it prints, where it prints it, how it ends.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { describe, it } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { formatNpy, parseNpy } = require('../lib/tensor/npy.js');
const { graphjit, main, newFolder } = require('./support/command.js');

const folder = newFolder();
/** @type {(name: string, content: string | Uint8Array) => string} */
function file(name, content) {
  fs.writeFileSync(path.join(folder, name), content);
  return name;
}
/** @type {(words: string | string[], options?: object) => ReturnType<typeof graphjit>} */
const command = (words, options) => graphjit(typeof words === 'string' ? words.split(' ') : words, { cwd: folder, env: { GRAPHJIT_CACHE_DIR: path.join(folder, 'cache') }, ...options });

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
/** Passes inputs through, so that what is read can be seen. @type {(dtype: string, shape: string) => string} */
const echo = (dtype, shape) => `graph "echo" { %x = param "x" : ${dtype}[${shape}]  output "y" = %x }`;

file('hypot.gj', HYPOT);
file(
  'chosen.gj',
  `graph "chosen" {
  %1 = param "x" : f64[n]
  %2 = const 3.0 : f64[]
  %3 = lt %2, %1
  %4 = compress %3, %1 {count=[k]}
  output "y" = %4
}`,
);
file('softmax.gj', SOFTMAX);

// ------------------------------------------------------------------------------------------ help

describe('help', { concurrency: 2 }, () => {
  it('is printed without the addon, and lists the commands and the exit codes', async () => {
    const { code, stdout, stderr } = await command('--help', { env: { GRAPHJIT_ADDON: '/nowhere.node' } });
    assert.equal(code, 0);
    assert.equal(stderr, '');
    for (const word of ['run', 'inspect', 'bench', 'view', 'query', 'cache', 'Exit codes:', 'Examples:']) assert.ok(stdout.includes(word), word);
  });

  it('of each command has examples', async () => {
    for (const name of ['run', 'inspect', 'bench', 'view', 'query', 'cache']) {
      const { code, stdout } = await command(`${name} --help`);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Usage: graphjit ${name} `));
      assert.match(stdout, new RegExp(`^  \\$ graphjit ${name}`, 'm'));
    }
  });

  it('has the version of the package', async () => {
    const { version } = require('../package.json');
    assert.deepEqual(await command('--version'), { code: 0, stdout: `graphjit ${version}\n`, stderr: '' });
  });

  it('is shown on stderr where there is no command', async () => {
    const { code, stdout, stderr } = await graphjit([], {});
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^Usage: graphjit/);
  });
});

// ------------------------------------------------------------------------------------------- run

describe('run', { concurrency: 2 }, () => {
  it('prints outputs as NumPy does', async () => {
    const ended = await command('run hypot.gj --input x=[3,5,8] --input y=[4,12,15]');
    assert.deepEqual(ended, { code: 0, stdout: 'z f64[3] [ 5. 13. 17.]\n', stderr: '' });
  });

  it('reads a graph from standard input, and numbers fill shapes', async () => {
    const ended = await command('run - --input x=3 --input y=4 --size n=2', { input: HYPOT });
    assert.deepEqual(ended, { code: 0, stdout: 'z f64[2] [5. 5.]\n', stderr: '' });
  });

  it('prints one JSON document', async () => {
    const { stdout } = await command('run hypot.gj --json --input x=[3,5] --input y=[4,12]');
    assert.deepEqual(JSON.parse(stdout), { name: 'hypot', outputs: { z: { dtype: 'f64', shape: [2], data: [5, 13] } }, written: [] });
  });

  it('reads and writes .npy files of every shape, bit for bit', async () => {
    const data = Float32Array.from({ length: 12 }, (_, i) => i / 7);
    file('softmax.npy', formatNpy({ dtype: 'f32', shape: [3, 4], data }));
    const ended = await command('run softmax.gj --input x=softmax.npy --output p=p.npy --numerics strict');
    assert.deepEqual(ended, { code: 0, stdout: '', stderr: '' });
    const { dtype, shape, data: found } = parseNpy(fs.readFileSync(path.join(folder, 'p.npy')));
    const expected = Graph.parse(SOFTMAX).compile({ numerics: 'strict' }).run({ x: tensor(data, { shape: [3, 4] }) });
    assert.deepEqual([dtype, shape], ['f32', [3, 4]]);
    assert.deepEqual(found, expected.p.data);
  });

  for (const [name, text, expected] of [
    ['plain.csv', '1,2\n3,4.5\n', [1, 2, 3, 4.5]],
    ['heading.csv', 'a,"b ""quoted"", too"\r\n1,2\r\n3,4.5', [1, 2, 3, 4.5]],
    ['special.csv', ' nan , -inf \n "1e3",+.5\n'.replace(' "', '"'), [NaN, -Infinity, 1000, 0.5]],
    ['tabs.tsv', '1\t2\n\n3\t4.5\n', [1, 2, 3, 4.5]],
    ['nested.json', '[[1, 2],\n [3, 4.5]]', [1, 2, 3, 4.5]],
    ['special.json', '[["NaN", "-Infinity"], [1e3, -0.0]]', [NaN, -Infinity, 1000, -0]],
  ]) {
    it(`reads ${name}`, async () => {
      file(String(name), String(text));
      const { code, stderr } = await command(`run - --input x=${name} --output y=${name}.npy`, { input: echo('f64', 'n, m') });
      assert.deepEqual([code, stderr], [0, '']);
      const { shape, data } = parseNpy(fs.readFileSync(path.join(folder, `${name}.npy`)));
      assert.deepEqual([shape, [...data]], [[2, 2], expected]);
    });
  }

  it('loses no digits of 64-bit integers', async () => {
    file('large.json', '[9223372036854775807, -9223372036854775808, 9007199254740993]');
    for (const ending of ['json', 'csv', 'npy']) {
      const { code } = await command(`run - --input x=large.json --output y=large-${ending}.${ending}`, { input: echo('i64', 'n') });
      assert.equal(code, 0);
      const { stdout } = await command(`run - --input x=large-${ending}.${ending} --json`, { input: echo('i64', 'n') });
      assert.match(stdout, /"data": \[9223372036854775807, -9223372036854775808, 9007199254740993\]/);
    }
  });

  it('makes the same random arrays for the same seed', async () => {
    const of = async (/** @type {string} */ words) => (await command(`run - ${words} --json`, { input: echo('f32', 'n') })).stdout;
    const first = await of('--input x=random --size n=5');
    assert.equal(await of('--input x=random:[5]'), first);
    assert.equal(await of('--input x=random:[5]:0'), first);
    assert.notEqual(await of('--input x=random:[5]:1'), first);
    assert.equal(await of('--input x=random:[5] --seed 1'), await of('--input x=random:[5]:1'));
    const { outputs } = JSON.parse(first);
    assert.deepEqual(outputs.y.shape, [5]);
    assert.ok(outputs.y.data.every((/** @type {number} */ value) => value >= 0 && value < 1));
  });

  it('finds the sizes of random arrays from those of files', async () => {
    const { code, stdout } = await command('run hypot.gj --input x=random --input y=[0,0,0] --json');
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout).outputs.z.shape, [3]);
  });

  it('converts files of another dtype only when asked', async () => {
    file('whole.npy', formatNpy({ dtype: 'i32', shape: [2], data: Int32Array.of(3, 5) }));
    const refused = await command('run hypot.gj --input x=whole.npy --input y=4');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^graphjit: error: whole\.npy: it holds i32, input 'x' is f64\[n\]; --cast converts it\n$/);
    assert.equal((await command('run hypot.gj --input x=whole.npy --input y=[4,12] --cast')).stdout, 'z f64[2] [ 5. 13.]\n');
  });

  it('compares with the reference', async () => {
    const good = await command('run softmax.gj --input x=random --size n=20,m=30 --check --output p=checked.npy');
    assert.deepEqual([good.code, good.stdout], [0, '']);
    assert.match(good.stderr, /^p: (equal to|within \d\.\de-\d+ of) the reference\n$/);
    const strict = await command('run softmax.gj --input x=random --size n=20,m=30 --check --tolerance 1e-300 --numerics fast --json');
    const { checks } = JSON.parse(strict.stdout);
    assert.equal(checks.p.elements, 600);
    assert.equal(strict.code, checks.p.wrong > 0 ? 1 : 0);
    const reference = await command('run hypot.gj --input x=3 --input y=4 --size n=1 --reference');
    assert.equal(reference.stdout, 'z f64[1] [5.]\n');
  });

  it('writes all files or none', async () => {
    const both = `graph "both" { %x = param "x" : f64[n]  %y = neg %x  output "a" = %x  output "b" = %y }`;
    file('kept.npy', 'as it was');
    fs.mkdirSync(path.join(folder, 'taken.npy'));
    const { code, stderr } = await command('run - --input x=[1,2] --output a=kept.npy --output b=taken.npy', { input: both });
    assert.equal(code, 3);
    assert.match(stderr, /cannot write taken\.npy: it is a folder/);
    assert.equal(fs.readFileSync(path.join(folder, 'kept.npy'), 'utf8'), 'as it was');
    const missing = await command('run - --input x=[1,2] --output a=kept.npy --output b=no/such/b.npy', { input: both });
    assert.equal(missing.code, 3);
    assert.equal(fs.readFileSync(path.join(folder, 'kept.npy'), 'utf8'), 'as it was');
    assert.deepEqual(fs.readdirSync(folder).filter((name) => name.endsWith('.tmp')), []);
  });

  it('writes through links and into pipes, and leaves both what they are', async () => {
    const [link, target, pipe] = ['link.json', 'target.json', 'pipe.json'].map((name) => path.join(folder, name));
    file('target.json', 'as it was');
    fs.symlinkSync('target.json', link);
    spawnSync('mkfifo', [pipe]);
    const reader = spawn('cat', [pipe]);
    let read = '';
    reader.stdout.on('data', (text) => (read += text));
    const closed = new Promise((resolve) => reader.on('close', resolve));
    const two = `graph "two" { %x = param "x" : f64[n]  %y = neg %x  output "a" = %x  output "b" = %y }`;
    const { code, stderr } = await command('run - --input x=[1,2] --output a=link.json --output b=pipe.json', { input: two });
    if (code !== 0) reader.kill();
    await closed;
    assert.deepEqual([code, stderr, read], [0, '', '[-1, -2]\n']);
    assert.ok(fs.lstatSync(link).isSymbolicLink() && fs.lstatSync(pipe).isFIFO());
    assert.equal(fs.readFileSync(target, 'utf8'), '[1, 2]\n');
  });

  it('reads files of no rows', async () => {
    for (const ending of ['csv', 'json', 'npy']) {
      const to = await command(`run - --input x=[] --output y=none.${ending}`, { input: echo('f64', 'n, 2') });
      assert.deepEqual([to.code, to.stderr], [0, '']);
      const { stdout } = await command(`run - --input x=none.${ending}`, { input: echo('f64', 'n, 2') });
      assert.equal(stdout, 'y f64[0, 2] []\n');
    }
  });
});

// ---------------------------------------------------------------------------------------- errors

/** Command lines, standard input, exit code, what stderr says. @type {[string, string, number, RegExp][]} */
const wrong = [
  ['rum hypot.gj', '', 2, /unknown command 'rum' \(did you mean run\?\)/],
  ['run hypot.gj --iput x=1', '', 2, /unknown option '--iput' \(did you mean --input\?\)/],
  ['run', '', 2, /missing required argument 'input'/],
  ['run hypot.gj extra', '', 2, /too many arguments/],
  ['run hypot.gj --numerics loose', '', 2, /loose.* Allowed choices are strict, default, fast/],
  ['run hypot.gj --threads 0', '', 2, /expected a whole number from 1 to 256 for --threads, got '0'/],
  ['run hypot.gj --size n', '', 2, /expected NAME=NUMBER for --size/],
  ['run hypot.gj --size n=99999999999999999999 --input x=1 --input y=1', '', 2, /is more than the most/],
  ['run hypot.gj --size k=3 --input x=1 --input y=1', '', 2, /the graph has no size 'k', its symbols are n/],
  ['run hypot.gj --input x=1', '', 2, /no value for input 'y' \(f64\[n\]\)/],
  ['run hypot.gj --input x=random --input y=random', '', 2, /nothing says what n is; say --size n=1000/],
  ['run hypot.gj --input w=1', '', 2, /the graph has no such input.*, its inputs are x, y/],
  ['run hypot.gj --input x=1 --input x=2', '', 2, /--input x is given twice/],
  ['run hypot.gj --input x=abc --input y=1', '', 2, /'abc' is no number, random\[:SHAPE\]\[:SEED\], array or file; files end in \.npy, \.csv, \.tsv, \.json/],
  ['run hypot.gj --input x=1 --input y=1 --size n=1 --output z=z.txt', '', 2, /cannot tell the format of 'z\.txt'/],
  ['run hypot.gj --input x=[1,2] --input y=[1,2,3]', '', 1, /input 'y' \(f64\[n\]\) has shape \[3\], but n is 2/],
  ['run hypot.gj --input x=[1,2] --input y=[1,2] --size n=3', '', 1, /input 'x' \(f64\[n\]\) has shape \[2\], but n is 3/],
  ['run hypot.gj --input x=random --input y=random --size n=100000000000000', '', 3, /input 'x'.*100000000000000/],
  ['run nowhere.gj', '', 1, /cannot read nowhere\.gj: no such file/],
  ['run .', '', 1, /cannot read \.: it is a folder/],
  ['run -', '\u0000\u0001', 1, /cannot tell the format of the bytes, known formats are npy/],
  ['run -', '', 1, /cannot tell the format/],
  ['run -', 'graph "x" {', 1, /<stdin>:1:12: /],
  ['inspect -', HYPOT.replace('sqrt', 'sqr'), 1, /^graphjit: error: <stdin>:7:8: expected an op, got 'sqr'\n {2}7 \| {3}%z = sqr %c\n {4}\| {8}\^\n$/],
  ['bench -', HYPOT.replace('mul %x, %x', 'mul %x, %w'), 1, /<stdin>:4:16: /],
  ['cache nonsense', '', 2, /Allowed choices are show, clear, prune/],
  ['cache clear --to 3', '', 2, /--to goes with prune, not clear/],
  ['help inspct', '', 2, /unknown command 'inspct' \(did you mean 'inspect'\?\)/],
  ['run hypot.gj --input x=[1] --input y=[1] --output z=z.npy --output z=z.npy', '', 2, /--output z is given twice/],
  ['inspect - --size n=1', 'graph "cut" { %x = param "x" : f64[n]  %y = slice %x {start=[0], shape=[n - 2], stride=[1]}  output "y" = %y }', 1, /n - 2/],
  ['cache prune --to lots', '', 2, /expected a size such as 64M for --to, got 'lots'/],
  ['run hypot.gj --input x=1 --input y=1 --size n=2 --size n=3', '', 2, /--size n is given twice/],
  ['inspect hypot.gj --size n=2,n=2', '', 2, /--size n is given twice/],
  ['cache prune --to 99999999999999999999', '', 2, /--to 99999999999999999999 is more than any disk holds/],
  ['run hypot.gj --input x=[1] --input y=[1] --output z=nowhere/z.npy', '', 3, /cannot write nowhere\/z\.npy: there is no such folder/],
  ['compile hypot.gj --target wasm --threads --variants mvp', '', 2, /variant 'mvp' has no threads, those that have are 'simd', 'relaxed'/],
  ['compile hypot.gj --features +avx2,', '', 2, /expected features such as '\+avx2,-fma' for option 'features', got "\+avx2,"/],
  ['view hypot.gj --no-profile -o ./hypot.gj', '', 1, /hypot\.gj would be overwritten by its own output; say another --output/],
];

describe('a mistake', { concurrency: 2 }, () => {
  for (const [words, input, exit, message] of wrong) {
    it(`ends with ${exit}: graphjit ${words}`, async () => {
      const { code, stdout, stderr } = await command(words, { input });
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /^ +at /m);
      assert.deepEqual([code, stdout], [exit, '']);
    });
  }

  /** Name of a file, content, what is said of it. @type {[string, string | Uint8Array, RegExp][]} */
  const files = [
    ['letters.csv', '1,2\n3,x4\n', /letters\.csv:2:3: expected a number for f64, got 'x4'\n {2}2 \| 3,x4\n {4}\| {3}\^/],
    ['ragged.csv', '1,2\n3\n', /ragged\.csv:2:1: expected 2 cells as in the rows before, got 1/],
    ['half.csv', '1,abc\n3,4\n', /half\.csv:1:3: expected a number for f64, got 'abc'/],
    ['quote.csv', '1,"2\n3,4\n', /quote\.csv:1:3: a quote is never closed/],
    ['gap.csv', '1,\n3,4\n', /gap\.csv:1:3: expected a number for f64, got ''/],
    ['ragged.json', '[[1, 2],\n [3]]', /ragged\.json:2:2: this array has length 1, those before have 2/],
    ['mixed.json', '[[1, 2], 3]', /mixed\.json:1:10: expected an array here/],
    ['null.json', '[[1, null]]', /null\.json:1:6: expected a number or an array of numbers/],
    ['open.json', '[[1, 2]', /open\.json:1:8: the text ends inside an array/],
    ['deep.json', '['.repeat(100000), /deep\.json:1:9: arrays are nested more than 8 deep/],
    ['more.json', '[[1, 2]] 3', /more\.json:1:10: expected nothing behind the array/],
    ['bytes.json', Uint8Array.of(0xff, 0xfe, 0x41), /cannot read bytes\.json: it is not UTF-8 text/],
    ['short.npy', formatNpy({ dtype: 'f64', shape: [2, 2], data: new Float64Array(4) }).subarray(0, 150), /short\.npy: npy: the file ends too early/],
    ['text.npy', 'not an array', /text\.npy: npy: this is no \.npy file/],
    ['flat.npy', formatNpy({ dtype: 'f64', shape: [4], data: new Float64Array(4) }), /expected f64\[n, m\] for input 'x', got shape \[4\]/],
  ];
  for (const [name, content, message] of files) {
    it(`in ${name} is shown`, async () => {
      file(name, content);
      const { code, stdout, stderr } = await command(`run - --input x=${name}`, { input: echo('f64', 'n, m') });
      assert.match(stderr, message);
      assert.deepEqual([code, stdout], [1, '']);
    });
  }

  it('in elements is refused, not rounded or wrapped', async () => {
    for (const [dtype, text, message] of [
      ['u8', '[256]', /expected a whole number from 0 to 255 for u8, got '256'/],
      ['i32', '[1.5]', /expected a whole number from -2147483648 to 2147483647 for i32, got '1\.5'/],
      ['i64', '[9223372036854775808]', /for i64, got '9223372036854775808'/],
      ['bool', '[2]', /expected true, false, 0 or 1, got '2'/],
    ]) {
      const { code, stderr } = await command(`run - --input x=${text}`, { input: echo(String(dtype), 'n') });
      assert.equal(code, 1);
      assert.match(stderr, /** @type {RegExp} */ (message));
    }
  });

  it('is one JSON document with --json', async () => {
    const { code, stdout, stderr } = await command('inspect - --json', { input: HYPOT.replace('sqrt', 'sqr') });
    assert.deepEqual(JSON.parse(stdout), { error: { code: 'ERR_PARSE', message: "expected an op, got 'sqr'", file: '<stdin>', line: 7, column: 8 } });
    assert.equal(code, 1);
    assert.match(stderr, /expected an op/);
    const usage = await command('inspect --json --nonsense');
    assert.equal(usage.code, 2);
    assert.equal(JSON.parse(usage.stdout).error.code, 'ERR_USAGE');
  });

  it('of the installation ends with 3, and DEBUG=graphjit shows the stack', async () => {
    const env = { GRAPHJIT_ADDON: path.join(folder, 'nowhere.node') };
    const { code, stderr } = await command('inspect hypot.gj', { env });
    assert.equal(code, 3);
    assert.match(stderr, /^graphjit: error: the addon of graphjit does not load\n +.*nowhere\.node/);
    const shown = await command('inspect hypot.gj', { env: { ...env, DEBUG: 'graphjit' } });
    assert.match(shown.stderr, /^ +at /m);
  });
});

describe('hostile text', () => {
  const { CommandError } = require('../lib/cli/errors.js');
  const { parseCsv } = require('../lib/cli/csv.js');
  const { parseNested } = require('../lib/cli/json-arrays.js');
  const { dtypes } = require('graphjit');
  /** @type {[string, (text: string) => unknown, string][]} */
  const readers = [
    ['CSV', (text) => parseCsv(text, dtypes.f64, 'x.csv'), 'a,"b"\r\n1.5,-2\n3,"4"\n'],
    ['JSON', (text) => parseNested(text, dtypes.i64, 'x.json'), '[[1, -2],\n [3, 4]]\n'],
  ];
  for (const [format, read, seed] of readers) {
    it(`in ${format} gives numbers or an error that says where`, () => {
      let state = 1;
      const next = (/** @type {number} */ below) => {
        state = (Math.imul(state, 1103515245) + 12345) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      const letters = `${seed}0,,[]"\r\n e.`;
      let good = 0;
      for (let i = 0; i < 20000; i++) {
        let text = seed;
        for (let edits = next(5); edits > 0; edits--) {
          const at = next(text.length);
          text = text.slice(0, at) + letters[next(letters.length)].repeat(next(3)) + text.slice(at + next(3));
        }
        try {
          read(text);
          good++;
        } catch (error) {
          assert.ok(error instanceof CommandError, `${JSON.stringify(text)}: ${error}`);
          const { line, column, text: shown } = /** @type {any} */ (error.place);
          assert.ok(shown === text.split('\n')[line - 1].replace(/\r$/, '') && column >= 1 && column <= shown.length + 2, JSON.stringify(text));
        }
      }
      assert.ok(good > 50, `${good} texts were right`);
    });
  }
});

// --------------------------------------------------------------------------------------- inspect

describe('inspect', { concurrency: 2 }, () => {
  it('shows sizes as formulas', async () => {
    const { code, stdout, stderr } = await command('inspect softmax.gj --json');
    assert.deepEqual([code, stderr], [0, '']);
    const info = JSON.parse(stdout);
    assert.deepEqual(info.symbols, ['n', 'm']);
    assert.deepEqual(info.inputs, [{ name: 'x', dtype: 'f32', shape: ['n', 'm'], bytes: '4*m*n' }]);
    assert.deepEqual(info.ops, { div: 1, exp: 1, reduce_sum: 1, reshape: 1 });
    assert.deepEqual([info.kernels.length, info.kernels[0].kind], [1, 'rows']);
    assert.deepEqual([info.work.bytesRead, info.work.bytesWritten], ['4*m*n', '4*m*n']);
    assert.match(info.work.flops, /^\d+\*m\*n$/);
    assert.ok(info.memory.code > 0 && info.compileMs.total > 0);
  });

  it('shows numbers where symbols are given, the same as the formulas and a profile', async () => {
    const [formulas, numbers, profiled] = await Promise.all(
      ['inspect softmax.gj --json', 'inspect softmax.gj --json --size n=7,m=11', 'bench softmax.gj --json --size n=7,m=11 --seconds 0.01'].map(async (words) => JSON.parse((await command(words)).stdout)),
    );
    const { work } = numbers;
    assert.deepEqual([work.bytesRead, work.bytesWritten], [4 * 77, 4 * 77]);
    assert.equal(work.flops, Number(formulas.work.flops.split('*')[0]) * 77);
    assert.deepEqual(numbers.inputs[0], { name: 'x', dtype: 'f32', shape: [7, 11], bytes: 4 * 77 });
    const [kernel] = profiled.native[0].profile.kernels;
    assert.deepEqual([kernel.bytesRead, kernel.bytesWritten, kernel.flops], [work.bytesRead, work.bytesWritten, work.flops]);
  });

  it('prints tables', async () => {
    const { stdout } = await command('inspect softmax.gj');
    assert.match(stdout, /^softmax over n, m\n\n +name +type +bytes\ninput +x +f32\[n, m\] +4\*m\*n\n/);
    assert.match(stdout, /^kernel +kind +shape +ops .*flops$/m);
    assert.match(stdout, /^memory +inputs 4\*m\*n, outputs 4\*m\*n, scratch 0 B$/m);
  });
});

// ----------------------------------------------------------------------------------------- bench

describe('bench', () => {
  it('measures runs on each number of threads, and kernels', async () => {
    const { code, stdout } = await command('bench hypot.gj --size n=1000 --threads 1,2 --seconds 0.02 --json');
    assert.equal(code, 0);
    const { sizes, native } = JSON.parse(stdout);
    assert.deepEqual(sizes, { n: 1000 });
    for (const { call, run, firstResultNs, compileNs, elements, bytes, flops, profile } of native) {
      assert.ok(call.min > 0 && call.min <= call.median && call.median <= call.p99 && run.min > 0);
      assert.ok(compileNs > 0 && firstResultNs >= compileNs);
      assert.deepEqual([elements, bytes, flops, profile.kernels.length], [1000, 24000, 4000, 1]);
    }
    assert.equal(native.length, 2);
  });

  it('measures WebAssembly beside native code', async () => {
    const { code, stdout } = await command('bench hypot.gj --size n=100 --threads 1 --seconds 0.01 --against wasm --json');
    assert.equal(code, 0);
    const { native, wasm } = JSON.parse(stdout);
    assert.deepEqual([wasm.elements, wasm.bytes, wasm.flops], [native[0].elements, native[0].bytes, native[0].flops]);
    assert.ok(wasm.call.min > 0 && wasm.run.min > 0 && wasm.moduleBytes > 0);
  });

  it('measures what gives less than there is room for', async () => {
    assert.equal((await command('run chosen.gj --input x=[1,4,5,2]')).stdout, 'y f64[2] [4. 5.]\n');
    const { code, stdout } = await command('bench chosen.gj --input x=[1,4,5,2] --threads 1 --seconds 0.01 --against wasm --json');
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout).native[0].bytes, 48);
  });

  it('prints tables', async () => {
    const { code, stdout } = await command('bench hypot.gj --size n=10 --threads 1 --seconds 0.01 --against wasm');
    assert.equal(code, 0);
    assert.match(stdout, /^native, 1 thread .*\nwasm /m);
    assert.match(stdout, /^hypot with n=10, default\n\ncode +compile +first result +min +median +p99/);
    assert.match(stdout, /^profile of hypot/m);
  });
});

// ----------------------------------------------------------------------------------------- cache

describe('cache', () => {
  it('shows, prunes and clears what is kept', async () => {
    const env = { GRAPHJIT_CACHE_DIR: path.join(folder, 'kept'), GRAPHJIT_CACHE_SIZE: '8' };
    const shown = async () => JSON.parse((await command('cache --json', { env })).stdout);
    assert.deepEqual(await shown(), { folder: path.join(folder, 'kept'), limit: 8 * 2 ** 20, off: false, usable: true, entries: 0, bytes: 0 });
    for (const name of ['hypot', 'softmax']) {
      await command(`run ${name}.gj ${name === 'hypot' ? '--input y=1' : ''} --input x=1 --size n=1${name === 'hypot' ? '' : ',m=1'}`.replace('  ', ' '), { env });
    }
    const { entries, bytes } = await shown();
    assert.ok(entries === 2 && bytes > 0, `${entries} entries, ${bytes} bytes`);
    const pruned = JSON.parse((await command(`cache prune --to ${bytes - 1} --json`, { env })).stdout);
    assert.deepEqual([pruned.removed.entries, pruned.entries], [1, 1]);
    assert.match((await command('cache clear', { env })).stdout, /^removed 1 entry, [\d.]+ \w+; 0 entries left, 0 B\n$/);
    assert.equal((await shown()).entries, 0);
  });

  it('says that it is switched off, or that its folder is not used', async () => {
    assert.match((await command('cache', { env: { GRAPHJIT_CACHE: 'off' } })).stdout, /^cache +switched off by GRAPHJIT_CACHE/);
    const open = path.join(folder, 'open');
    fs.mkdirSync(open);
    fs.chmodSync(open, 0o777);
    assert.match((await command('cache', { env: { GRAPHJIT_CACHE_DIR: open } })).stdout, /^cache +not used: others may write/);
    const { code, stderr } = await command('cache clear', { env: { GRAPHJIT_CACHE_DIR: open } });
    assert.equal(code, 3);
    assert.match(stderr, /is not used: it must be a folder of yours/);
  });
});

// ---------------------------------------------------------------------------------------- pages

/** A line of the page stands for a line of output; `…` for anything, on a line of its own also for several. @type {(text: string) => RegExp} */
function patternOf(text) {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/^…$/gm, '[^]*?').replaceAll(' …', ' .*').replaceAll('…', '.*')}$`);
}

/** As a shell does, which takes what stands between quotes for one word. @type {(line: string) => string[]} */
const wordsOf = (line) => (line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));

describe('the examples of docs/cli.md', { concurrency: 2 }, () => {
  fs.copyFileSync(path.join(__dirname, '../node_modules/vega-datasets/data/flights-200k.arrow'), path.join(folder, 'flights.arrow'));
  const page = fs.readFileSync(path.join(__dirname, '..', 'docs', 'cli.md'), 'utf8');
  for (const [, name, text] of page.matchAll(/^```gj (\S+)\n([^]*?)^```$/gm)) file(name, text);
  for (const [, block] of page.matchAll(/^```console\n([^]*?)^```$/gm)) {
    for (const [, words, output] of block.matchAll(/^\$ graphjit (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
      it(`graphjit ${words}`, async () => {
        const { stdout, stderr } = await command(wordsOf(words));
        const lines = (/** @type {string} */ shown) => shown.replace(/[ \t]+$/gm, '').trimEnd();
        assert.match(lines(stdout + stderr), patternOf(lines(output)));
      });
    }
  }
});

// ------------------------------------------------------------------------------------- manners

describe('the command', () => {
  it('colours as NO_COLOR and FORCE_COLOR say', async () => {
    const words = 'run nowhere.gj';
    assert.ok(!(await command(words, { env: { FORCE_COLOR: '0' } })).stderr.includes('\u001b'));
    assert.ok((await command(words, { env: { FORCE_COLOR: '1' } })).stderr.includes('\u001b[31m'));
    assert.ok(!(await command(words, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stderr.includes('\u001b'));
    const { stdout } = await command('inspect hypot.gj --json', { env: { FORCE_COLOR: '1' } });
    assert.doesNotThrow(() => JSON.parse(stdout));
  });

  it('ends in silence when its reader does', () => {
    const line = `"$1" "$2" run "$3" --input x=random --input y=random --size n=500000 --json | head -c 10; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', line, 'bash', process.execPath, main, path.join(folder, 'hypot.gj')], { encoding: 'utf8' });
    assert.equal(stderr, '');
    assert.match(stdout, /^\{\n.{8}141\n$/);
  });

  it('leaves nothing half written behind when it is interrupted', async () => {
    const out = path.join(folder, 'interrupted');
    fs.mkdirSync(out);
    const words = ['run', 'hypot.gj', '--input', 'x=random', '--input', 'y=random', '--size', 'n=4000000', '--output', 'z=interrupted/z.npy'];
    const child = spawn(process.execPath, [main, ...words], { cwd: folder, stdio: 'ignore' });
    // While it computes, while it writes, or when the file has its name and the process is about to end:
    // the moment is a matter of luck, the outcome is not.
    const watcher = fs.watch(out, () => child.kill('SIGINT'));
    const [code, signal] = await new Promise((resolve) => child.on('close', (...ended) => resolve(ended)));
    watcher.close();
    assert.ok(code === 130 || signal === 'SIGINT' || code === 0, `${code} ${signal}`);
    const left = fs.readdirSync(out);
    if (code === 0 || left.length > 0) {
      assert.deepEqual(left, ['z.npy']);
      assert.ok(fs.statSync(path.join(out, 'z.npy')).size > 8 * 4000000, 'whole');
    }
  });
});
