// Objects for C: linked natively and for other machines, which an emulator runs; their headers; what is
// refused. Results are those of 'strict' in Node, bit for bit. (Which bits a NaN has is the machine's.)
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { Graph, GraphError, targets, tensor } = require('graphjit');
const { inFolder, link, outputsOf, run } = require('./support/object.js');
const { randomOf } = require('./support/values.js');

// ------------------------------------------------------------------------------------ programs

let seed = 12345;
function random() {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}

const SPECIAL = [NaN, Infinity, -Infinity, 0, -0, 1, -1, 0.5, -2.5, 1e-310, -5e-324, 1e-40, 3e38, 1e308, 2 ** 31, -(2 ** 63), 2 ** 64, 1.5, 1e16];
const INTEGERS = [0n, 1n, -1n, 2n, 7n, -8n, 127n, -128n, 255n, 32767n, 2n ** 31n - 1n, -(2n ** 31n), 2n ** 63n - 1n, -(2n ** 63n), 2n ** 32n, 10n ** 18n];

const ARRAYS = { f64: Float64Array, f32: Float32Array, i8: Int8Array, u8: Uint8Array, i16: Int16Array, i32: Int32Array, u32: Uint32Array, i64: BigInt64Array, u64: BigUint64Array };

/** Random elements with the awkward ones of their dtype among them. */
function values(dtype, ...shape) {
  const size = shape.reduce((a, b) => a * b, 1);
  const isWide = dtype === 'i64' || dtype === 'u64';
  const pick = (list) => list[Math.floor(random() * list.length)];
  const element = () => {
    if (dtype[0] === 'f') return random() < 0.15 ? pick(SPECIAL) : (random() - 0.5) * 2 ** Math.floor(random() * 40 - 20);
    const integer = random() < 0.4 ? pick(INTEGERS) : BigInt(Math.floor((random() - 0.5) * 2 ** (random() * 50)));
    return isWide ? integer : Number(BigInt.asIntN(32, integer));
  };
  return tensor(ARRAYS[dtype].from({ length: size }, element), { shape });
}

const UNARY = ['neg', 'abs', 'sign', 'floor', 'ceil', 'roundEven', 'sqrt', 'cbrt', 'exp', 'exp2', 'expm1', 'log', 'log2', 'log10', 'log1p', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh', 'erf', 'erfc', 'lgamma'];
const BINARY = ['add', 'sub', 'mul', 'div', 'rem', 'pow', 'min', 'max', 'atan2', 'hypot'];
const INTEGER_BINARY = ['add', 'sub', 'mul', 'div', 'rem', 'min', 'max', 'and', 'or', 'xor', 'shl', 'shr'];

const WIDTHS = ['i8', 'u8', 'i16', 'i32', 'u32', 'i64', 'u64'];

// QEMU 7.2 has failing assertions at the vector instructions of RISC-V that this is made of: conversions that truncate,
// by which short integers are divided and leading zeros counted as well.
const TRUNCATING = 'truncating';

/** By name: builds a graph and returns the inputs to run it on. */
const programs = {
  forward(g) {
    const x = g.input('x', 'f64', []);
    g.output('y', x.mul(x));
    return { x: tensor(2) };
  },
  functions(g) {
    const [x, y] = [g.input('x', 'f64', ['n']), g.input('y', 'f64', ['n'])];
    const [a, b] = [g.input('a', 'f32', ['n']), g.input('b', 'f32', ['n'])];
    for (const name of UNARY) g.output(`${name} f64`, x[name]()), g.output(`${name} f32`, a[name]());
    for (const name of BINARY) g.output(`${name} f64`, x[name](y)), g.output(`${name} f32`, a[name](b));
    g.output('fma', x.fma(y, x));
    return { x: values('f64', 37), y: values('f64', 37), a: values('f32', 37), b: values('f32', 37) };
  },
  integers(g) {
    const inputs = {};
    for (const dtype of WIDTHS) {
      const [x, y] = [g.input(`x ${dtype}`, dtype, ['n']), g.input(`y ${dtype}`, dtype, ['n'])];
      const names = INTEGER_BINARY.filter((name) => /64/.test(dtype) || !/div|rem/.test(name));
      for (const name of names) g.output(`${name} ${dtype}`, x[name](y));
      g.output(`ones ${dtype}`, x.popcount());
      inputs[`x ${dtype}`] = values(dtype, 41);
      inputs[`y ${dtype}`] = values(dtype, 41);
    }
    return inputs;
  },
  conversions(g) {
    const inputs = {};
    for (const dtype of ['f64', 'f32', 'i64', 'u64', 'i32', 'u8']) {
      const x = g.input(`x ${dtype}`, dtype, ['n']);
      const others = dtype[0] === 'f' ? [] : ['i64', 'u64', 'i32', 'u32', 'i16', 'u8'];
      for (const to of ['f64', 'f32', ...others]) g.output(`${dtype} to ${to}`, x.convert(to));
      inputs[`x ${dtype}`] = values(dtype, 45);
    }
    return inputs;
  },
  [TRUNCATING](g) {
    const inputs = { x: values('f64', 45), y: values('f32', 45) };
    const [x, y] = Object.entries(inputs).map(([name, { dtype }]) => g.input(name, dtype, ['n']));
    for (const to of ['i64', 'u64', 'i32', 'u32', 'i16', 'u8']) {
      g.output(`x to ${to}`, x.convert(to));
      g.output(`y to ${to}`, y.convert(to));
    }
    for (const [name, value] of Object.entries({ x, y })) g.output(`trunc ${name}`, value.trunc());
    for (const dtype of WIDTHS) {
      const input = g.input(`zeros ${dtype}`, dtype, ['n']);
      g.output(`zeros ${dtype}`, input.clz());
      g.output(`quotient ${dtype}`, input.div(input.sub(3)));
      g.output(`remainder ${dtype}`, input.rem(input.sub(3)));
      inputs[`zeros ${dtype}`] = values(dtype, 45);
    }
    return inputs;
  },
  reductions(g) {
    const inputs = {};
    for (const dtype of ['f64', 'f32', 'i32', 'i64']) {
      const x = g.input(`x ${dtype}`, dtype, ['n', 'm']);
      for (const name of ['sum', 'prod', 'max', 'min', 'mean', 'argmax', 'argmin']) {
        g.output(`${name} rows ${dtype}`, x[name]({ axis: 1 }));
        g.output(`${name} columns ${dtype}`, x[name]({ axis: 0 }));
        g.output(`${name} all ${dtype}`, x[name]());
      }
      const wide = tensor(ARRAYS[dtype].from({ length: 7 * 300 }, (_, i) => (dtype === 'i64' ? BigInt(i % 97) : ((i * 37) % 101) / 7)), { shape: [7, 300] });
      inputs[`x ${dtype}`] = wide;
    }
    return inputs;
  },
  softmax(g) {
    const x = g.input('x', 'f32', ['n', 'm']);
    g.output('softmax', x.softmax());
    const y = g.input('y', 'f64', ['n', 'm']);
    const centred = y.sub(y.mean({ axis: 1, keepDims: true }));
    g.output('norm', centred.div(centred.mul(centred).mean({ axis: 1, keepDims: true }).add(1e-5).sqrt()));
    const numbers = (ctor) => tensor(ctor.from({ length: 5 * 130 }, () => random() * 20 - 10), { shape: [5, 130] });
    return { x: numbers(Float32Array), y: numbers(Float64Array) };
  },
  moves(g) {
    const x = g.input('x', 'f32', ['n', 'm']);
    const y = g.input('y', 'i16', [3, 'n']);
    g.output('transposed', x.transpose().add(1));
    g.output('joined', y.concat([y.neg()]));
    g.output('reversed', x.flip(1));
    g.output('sliced', x.slice([1, null], [null, -2]));
    g.output('running', x.cumulateSum(1));
    g.output('running columns', x.cumulateMax(0));
    return { x: values('f32', 9, 33), y: values('i16', 3, 9) };
  },
  layers(g) {
    const weights = (rows, columns) => g.constant(tensor(Float32Array.from({ length: rows * columns }, () => random() - 0.5), { shape: [rows, columns] }));
    const x = g.input('x', 'f32', ['batch', 20]);
    const layer = (v, rows, columns) => v.reshape(['batch', rows, 1]).mul(weights(rows, columns)).sum({ axis: 1 });
    g.output('y', layer(layer(x, 20, 13).tanh(), 13, 4));
    g.output('mask', x.gt(0));
    return { x: values('f32', 6, 20) };
  },
  'scratch and numbers'(g) {
    const x = g.input('x', 'f64', ['n']);
    const k = g.input('k', 'f64', []);
    const scaled = x.mul(k).sin();
    g.output('sorted out', scaled.sub(scaled.mean()).div(scaled.abs().max()));
    return { x: tensor(Float64Array.from({ length: 1003 }, (_, i) => i / 7)), k: tensor(0.37) };
  },
};

/** The values that inputs give to symbols. */
function dimsOf(graph, inputs) {
  const dims = {};
  const axes = graph.inputs.flatMap(({ name, shape }) => shape.map((size, axis) => [size, inputs[name].shape[axis]]));
  for (const [size, value] of axes) if (typeof size === 'string' && /^\w+$/.test(size)) dims[size] ??= value;
  return dims;
}

function makeTrials(names = Object.keys(programs)) {
  return names.map((name, i) => {
    const graph = new Graph(name);
    const inputs = programs[name](graph);
    const expected = graph.compile({ numerics: 'strict', cache: false, threads: 1 }).run(inputs);
    return { symbol: `p${i}`, graph, inputs, dims: dimsOf(graph, inputs), expected };
  });
}

/** As text in which all NaNs are one, and zeros have their signs. */
const bits = (data) => Array.from(data, (each) => (Object.is(each, -0) ? '-0' : String(each)));

function check(trials, results, what) {
  for (const { symbol, graph, expected } of trials) {
    for (const [name, { data }] of Object.entries(expected)) {
      assert.deepEqual(bits(results[symbol][name]), bits(data), `${what}: ${name} of ${graph.name}`);
    }
  }
}

const all = makeTrials();

// ------------------------------------------------------------------------------------- machines

const machines = [
  { what: 'x86-64-v2', cc: 'gcc', options: { target: 'x86_64-unknown-linux-gnu', optLevel: 1 }, isNative: true },
  { what: 'x86-64 as it is here', cc: 'gcc', options: { cpu: 'native', optLevel: 1 }, isNative: true },
  { what: 'aarch64', cc: 'aarch64-linux-gnu-gcc', options: { target: 'aarch64-unknown-linux-gnu' }, emulator: ['qemu-aarch64'] },
  { what: 'riscv64', cc: 'riscv64-linux-gnu-gcc', options: { target: 'riscv64-unknown-linux-gnu', optLevel: 1 }, emulator: ['qemu-riscv64'] },
  {
    what: 'riscv64 with vectors',
    cc: 'riscv64-linux-gnu-gcc',
    options: { target: 'riscv64-unknown-linux-gnu', features: '+v', optLevel: 1 },
    emulator: ['qemu-riscv64', '-cpu', 'rv64,v=true,vlen=128'],
    without: TRUNCATING,
  },
  { what: 'arm', cc: 'arm-linux-gnueabihf-gcc', options: { target: 'armv7-unknown-linux-gnueabihf', optLevel: 1 }, emulator: ['qemu-arm'] },
];

for (const { what, cc, options, emulator = [], isNative = false, without } of machines) {
  const skip = isNative && process.arch !== 'x64' && 'this is another machine';
  test(`objects for ${what} link with C and give the bits of Node`, { skip }, () => {
    const trials = all.filter(({ graph }) => graph.name !== without);
    inFolder((folder) => {
      const executable = link(folder, trials, { cc, options, words: isNative ? [] : ['-static'] });
      check(trials, outputsOf(trials, [...emulator, executable]), what);
    });
  });
}

test('objects need nothing but the helpers of the compiler', () => {
  const graphs = all.filter(({ graph }) => ['functions', 'integers', 'conversions', TRUNCATING].includes(graph.name));
  const undefinedIn = (options) =>
    inFolder((folder) => {
      const files = graphs.map(({ graph, symbol }) => {
        const file = path.join(folder, `${symbol}.o`);
        fs.writeFileSync(file, graph.toObject({ ...options, optLevel: 1 }));
        return file;
      });
      const text = String(run('/usr/lib/llvm-22/bin/llvm-nm', ['-u', '-j', ...files]));
      return [...new Set(text.split('\n').filter((line) => line && !line.endsWith(':')))].sort();
    });
  assert.deepEqual(undefinedIn({ target: 'aarch64', threads: true }), []);
  assert.deepEqual(undefinedIn({ target: 'wasm32' }), ['__stack_pointer']);
  // What a processor lacks takes with it what was built on that.
  assert.deepEqual(undefinedIn({ target: 'x86_64', cpu: 'x86-64-v4', features: '-avx' }), []);
  assert.deepEqual(undefinedIn({ target: 'x86_64', cpu: 'x86-64-v3', features: '-sse4.2' }), []);
  for (const name of undefinedIn({ target: 'arm', threads: true })) assert.match(name, /^__aeabi_/);
});

// -------------------------------------------------------------------------------------- threads

// A pool for a test: it starts a thread per piece, on slots of its own.
const POOL = `
#include <pthread.h>
static int threads = 1;
typedef struct piece { gj_exec exec; gj_task *task; void *context; int64_t lo, hi; int32_t status; } piece;

static void *work(void *data) {
  piece *p = data;
  p->status = p->task(p->context, p->lo, p->hi, &p->exec);
  return NULL;
}

static int32_t parallel(gj_exec *exec, gj_task *task, void *context, int64_t lo, int64_t hi, int64_t grain) {
  pthread_t started[16];
  piece pieces[16];
  int32_t status = 0;
  int count = (hi - lo) / grain < threads ? (int)((hi - lo) / grain) : threads;
  count = count < 1 ? 1 : count;
  for (int i = 0; i < count; i++) {
    pieces[i] = (piece){*exec, task, context, lo + (hi - lo) * i / count, lo + (hi - lo) * (i + 1) / count, 0};
    pieces[i].exec.slot = i;
    if (pthread_create(&started[i], NULL, work, &pieces[i]) != 0) return 1;
  }
  for (int i = 0; i < count; i++) {
    pthread_join(started[i], NULL);
    status = status ? status : pieces[i].status;
  }
  return status;
}
`;

const skipHere = process.arch !== 'x64' && 'this is another machine';

test('work is divided by a callback, and results do not depend on it', { skip: skipHere }, () => {
  const graph = new Graph('divided');
  const x = graph.input('x', 'f64', ['n']);
  const y = x.sin().mul(x.exp());
  graph.output('y', y);
  graph.output('sum', y.sum());
  graph.output('rows', y.reshape(['n/100', 100]).sum({ axis: 1 }));
  const inputs = { x: tensor(Float64Array.from({ length: 300000 }, (_, i) => Math.sin(i) * 3)) };
  const expected = graph.compile({ numerics: 'strict' }).run(inputs);
  const trials = [{ symbol: 'divided', graph, inputs, dims: { n: 300000 }, expected }];
  inFolder((folder) => {
    const words = ['-D_GNU_SOURCE', '-pthread'];
    const executable = link(folder, trials, { cc: 'gcc', words, parallel: 'parallel', before: POOL });
    for (const threads of ['1', '2', '5']) check(trials, outputsOf(trials, [executable, threads]), `${threads} threads`);
  });
});

test('a run without exec does all by itself, with exec it can be cancelled', { skip: skipHere }, () => {
  const graph = new Graph('g');
  graph.output('y', graph.input('x', 'f64', ['n']).exp());
  inFolder((folder) => {
    const at = (name) => path.join(folder, name);
    fs.writeFileSync(at('g.o'), graph.toObject({ threads: true }));
    fs.writeFileSync(at('g.h'), graph.toHeader({ threads: true }));
    const main = `#include "g.h"
#include <stdio.h>
int main(void) {
  static double x[3], y[3];
  void *buffers[] = {x, y};
  int64_t n = 3, wrong = -1;
  g_sizes sizes;
  int32_t stop = 1;
  gj_exec exec = {NULL, &stop, NULL, 0, 0, NULL};
  printf("%d %d ", g_plan(&n, &sizes), g_plan(&wrong, &sizes));
  printf("%d ", g(buffers, &n, NULL));
  printf("%g ", y[2]);
  printf("%d\\n", g(buffers, &n, &exec));
  return 0;
}
`;
    fs.writeFileSync(at('main.c'), main);
    run('gcc', ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', at('main.c'), at('g.o'), '-o', at('main')]);
    assert.equal(String(run(at('main'), [])), '0 1 0 1 1\n');
  });
});

// -------------------------------------------------------------------------------------- headers

/** Compiles text as C11 and as C++, with all warnings as errors. */
function compileHeaders(headers, body = '') {
  inFolder((folder) => {
    const text = headers.map((header, i) => (fs.writeFileSync(path.join(folder, `h${i}.h`), header), `#include "h${i}.h"\n`)).join('');
    const warnings = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Werror', '-fsyntax-only'];
    for (const [compiler, standard, file] of [['gcc', 'c11', 'a.c'], ['g++', 'c++11', 'a.cpp']]) {
      const source = path.join(folder, file);
      fs.writeFileSync(source, `${text}${text}${body}`);
      run(compiler, [`-std=${standard}`, ...warnings, source]);
    }
  });
}

test('the header of a function of numbers lets C call it by its name', { skip: skipHere }, () => {
  const graph = new Graph('forward');
  programs.forward(graph);
  inFolder((folder) => {
    const at = (name) => path.join(folder, name);
    fs.writeFileSync(at('forward.o'), graph.toObject({ symbol: 'forward_run' }));
    fs.writeFileSync(at('forward.h'), graph.toHeader({ symbol: 'forward_run' }));
    fs.writeFileSync(at('main.c'), '#include "forward.h"\n#include <stdio.h>\nint main(void) { printf("%.2f\\n", forward(2.0)); }\n');
    run('gcc', ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', at('main.c'), at('forward.o'), '-o', at('main')]);
    assert.equal(String(run(at('main'), [])), '4.00\n');
  });
});

test('headers are C and C++, whatever things are called, and can be included together', () => {
  const graph = new Graph('for');
  const names = ['int', '2nd', 'a b', 'a_b', 'größe', 'size\\', '??/', 'NULL', 'buffers', 'scratch_bytes', 'exec', 'class'];
  const sum = names.map((name) => graph.input(name, 'f32', ['n', 'restrict'])).reduce((a, b) => a.add(b));
  graph.input('k', 'bool', []);
  graph.output('int', sum);
  graph.output('for_graph', sum.sum());
  graph.output('result', sum.softmax().sum({ axis: 0 }));
  const headers = [graph.toHeader(), graph.toHeader({ symbol: 'other', threads: true })];
  const text = headers[0];
  for (const part of ['int32_t for_graph(', 'for_graph_in_int_ = 0', 'for_graph_in_x2nd = 1', 'for_graph_in_a_b_2 = 3', 'int64_t a_b[2];']) {
    assert.ok(text.includes(part), `${part} in:\n${text}`);
  }
  compileHeaders([...headers, ...all.map(({ graph: each, symbol }) => each.toHeader({ symbol }))]);
});

test('headers keep apart what their own text and those of C call things', () => {
  const headers = [];
  /** @param {string} symbol @param {string[]} names @param {string} size @param {object} [options] */
  const add = (symbol, names, size, options = {}) => {
    const graph = new Graph('g');
    const [first, ...others] = names.map((name) => graph.input(name, 'f64', [size]));
    graph.output('y', others.reduce((a, b) => a.add(b), first.div(first.sum())));
    headers.push(graph.toHeader({ symbol, ...options }));
  };
  add('own', ['gj_buffers', 'gj_dims', 'gj_run', 'gj_scratch', 'gj_run_parallel', 'GRAPHJIT_RESTRICT', 'GRAPHJIT_EXEC', 'OWN_SCRATCH'], 'gj_dims', { threads: true });
  add('limits', ['INT64_MAX', 'SIZE_MAX', 'uintptr_t', 'ptrdiff_t', 'EDOM', 'SEEK_SET', 'M_PI_2'], 'count');
  add('numbered', ['count', 'dim', 'plan'], 'n');
  add('Numbered', ['count', 'dim', 'plan'], 'n'); // a guard of its own
  const before = ['errno', 'limits', 'math', 'stdio', 'stdlib', 'string'].map((name) => `#include <${name}.h>\n`).join('');
  const body = 'int last(void);\nint last(void) { return Numbered_dim_count + Numbered_in_count + limits_dim_count_; }\n';
  compileHeaders([before, ...headers], body);
  assert.match(headers[2], /numbered_in_count = 0,\n.*numbered_in_dim = 1,/);
});

test('many names that become alike are told apart in time', () => {
  const graph = new Graph('g');
  const inputs = Array.from({ length: 8000 }, (_, i) => graph.input(String.fromCodePoint(0x4e00 + i), 'f64', []));
  graph.output('y', inputs[0]);
  const names = graph.toHeader().match(/^ {2}g_in_\w+/gm) ?? [];
  assert.equal(new Set(names).size, 8000);
  assert.equal(names[98].trim(), 'g_in_x__99');
});

test('symbols are identifiers; those of the C library are avoided', () => {
  for (const symbol of ['main', 'free', 'memcpy']) {
    const graph = new Graph('g');
    graph.output('y', graph.input('x', 'f64', []));
    assert.throws(() => graph.toObject({ symbol }), { code: 'ERR_ARGUMENT', message: /one of C's library/ });
  }
  for (const [name, symbol] of [['hypot', 'hypot_graph'], ['main', 'main_graph'], ['expf', 'expf_graph'], ['memmove', 'memmove_graph'], ['INT64_MAX', 'INT64_MAX_graph'], ['größe', 'gr__e'], ['a-b', 'a_b'], ['_', '_graph'], ['3d', 'x3d']]) {
    const graph = new Graph(name);
    graph.output('y', graph.input('x', 'f64', []).exp());
    assert.match(graph.toHeader(), new RegExp(`int32_t ${symbol}\\(`));
  }
});

// -------------------------------------------------------------------------------------- results

test('objects come as assembly, LLVM IR and bitcode too', () => {
  const graph = new Graph('product');
  const x = graph.input('x', 'f64', ['n']);
  graph.output('z', x.mul(x).add(1));
  const emit = (options) => graph.toObject({ target: 'aarch64', ...options });
  assert.match(emit({ emit: 'assembly' }), /^product:/m);
  assert.match(emit({ emit: 'llvm' }), /define .*i32 @product\(/);
  assert.match(emit({ emit: 'llvm' }), /define .*i32 @product_plan\(/);
  assert.ok(emit({ emit: 'llvm', optimized: false }).includes('define internal i32 @gj.k0'));
  assert.deepEqual([...emit({ emit: 'bitcode' }).subarray(0, 4)], [...Buffer.from('BC\xc0\xde', 'latin1')]);
  assert.deepEqual([...emit({}).subarray(0, 4)], [...Buffer.from('\x7fELF', 'latin1')]);
  assert.deepEqual([...graph.toObject({ target: 'wasm32' }).subarray(0, 4)], [0, 97, 115, 109]);
  const program = graph.compile();
  assert.equal(program.toObject({ target: 'aarch64', emit: 'assembly' }), emit({ emit: 'assembly' }));
  assert.equal(program.toHeader(), graph.toHeader());
});

test('strict code for arm leaves the vectors alone that lose subnormal numbers', () => {
  const graph = new Graph('g');
  graph.output('z', graph.input('x', 'f32', ['n']).mul(3));
  const code = (numerics) => graph.toObject({ target: 'arm', features: '+neon', numerics, emit: 'assembly' });
  assert.doesNotMatch(code('strict'), /\bq\d+\b/);
  assert.doesNotMatch(code('default'), /\bq\d+\b/);
  assert.match(code('fast'), /vmul\.f32\tq/);
});

test('targets() names what toObject takes', () => {
  const graph = new Graph('g');
  graph.output('z', graph.input('x', 'f32', ['n']).exp());
  assert.deepEqual(targets().map(({ arch }) => arch), ['x86_64', 'aarch64', 'arm', 'riscv64', 'wasm32']);
  for (const { arch, triple, cpus, features } of targets()) {
    assert.ok(triple.startsWith(arch) || arch === 'arm');
    assert.ok(features.length > 3);
    for (const cpu of cpus) assert.ok(graph.toObject({ target: triple, cpu, optLevel: 0 }).length > 100, `${arch} ${cpu}`);
  }
});

test('features in any combination that is taken give an object, and nothing ends the process', () => {
  const graph = new Graph('g');
  const inputs = [['x', 'f64'], ['y', 'f32'], ['h', 'f16'], ['b', 'bf16'], ['i', 'i64']].map(([name, dtype]) => graph.input(name, /** @type {any} */ (dtype), ['n']));
  const [x, y, h, b, i] = inputs;
  graph.output('r', x.sqrt().floor().div(y)).output('s', y.mul(y).sum()).output('t', h.mul(b.convert('f16'))).output('u', i.div(3n).convert('f64'));
  const next = randomOf(11);
  for (const { arch: target, cpus, features: known } of targets()) {
    const words = [...known.flatMap((name) => [`+${name}`, `-${name}`])];
    const several = Array.from({ length: 60 }, () => Array.from({ length: 2 + Math.floor(next() * 4) }, () => words[Math.floor(next() * words.length)]));
    for (const [k, features] of [...words.map((name) => [name]), ...several].entries()) {
      const options = { target, cpu: cpus[k % cpus.length], features, optLevel: /** @type {0} */ (k % 2), numerics: /** @type {const} */ ('fast') };
      try {
        assert.ok(graph.toObject(options).length > 100);
      } catch (error) {
        if (!(error instanceof GraphError && error.code === 'ERR_ARGUMENT')) throw error;
        assert.match(error.message, /with \+ and with -|cannot do without|zvl goes with|zve cannot be taken away/);
      }
    }
  }
});

test('what is unknown is refused with what is known', () => {
  const graph = new Graph('g');
  graph.output('z', graph.input('x', 'f32', ['n']));
  const refuse = (options, message) => assert.throws(() => graph.toObject(options), { name: 'GraphError', code: 'ERR_ARGUMENT', message });
  refuse({ target: 'pdp11-dec-unix' }, /unknown triple "pdp11-dec-unix"; known architectures are x86_64, aarch64, arm, riscv64, wasm32/);
  // LLVM ends the process at these.
  for (const triple of ['x86_64-linux-coff', 'x86_64-linux-goff', 'x86_64-linux-wasm', 'wasm32-linux-elf', 'x86_64-pc-windows-musl', 'armv7-pc-windows-msvc', 'arm-unknown-uefi', 'x86_64-unknown-uefi-elf', 'x86_64-unknown-uefi-gnux32']) {
    refuse({ target: triple }, /do not go with each other/);
  }
  refuse({ target: 'aarch64', cpu: 'z80' }, /unknown CPU "z80" for aarch64; known ones are generic, cortex-a53/);
  refuse({ target: 'riscv64', features: '+avx2' }, /unknown feature "\+avx2" for riscv64; known ones are m, a, f, d, c, v/);
  refuse({ target: 'riscv64', features: ['v'] }, /feature "v" is not of the form/);
  for (const [target, feature] of [['x86_64', '-sse4.1'], ['aarch64', '-fp-armv8'], ['aarch64', '+sve,-neon'], ['riscv64', '-d']]) {
    refuse({ target, features: feature }, /code needs it and cannot do without/);
  }
  refuse({ target: 'wasm32', features: '+simd128,-simd128' }, /feature "\+simd128" is asked for with \+ and with -/);
  refuse({ target: 'riscv64', features: ['-zba', '+v', '+zba'] }, /feature "-zba" is asked for with \+ and with -/);
  for (const features of ['+v,', ',', ['+v', '+m,']]) refuse({ target: 'riscv64', features }, /expected features such as '\+avx2,-fma' for option 'features'/);
  refuse({ cpu: 'native', target: 'aarch64' }, /"native" goes with no other target/);
  refuse({ symbol: 'a b' }, /C identifier .* got "a b"/);
  refuse({ symbol: 'while' }, /C identifier/);
  refuse({ symbol: 'x'.repeat(101) }, /101 characters, at most 100/);
  refuse({ symbol: '' }, /a string that is not empty for option 'symbol'/);
  refuse({ emit: 'obj' }, /one of 'llvm', 'bitcode', 'assembly', 'object'/);
  refuse({ optimized: true }, /option 'optimized' goes with emit 'llvm', not 'object'/);
  refuse({ cup: 'x' }, /unknown option 'cup' \(did you mean 'cpu'\?\), known options are/);
  assert.throws(() => graph.toObject({ target: 'wasm32', threads: true }), { code: 'ERR_UNSUPPORTED' });
  assert.throws(() => graph.toHeader({ target: 'x' }), { code: 'ERR_ARGUMENT' });
  assert.throws(() => new Graph('empty').toObject(), { code: 'ERR_ARGUMENT' });
});
