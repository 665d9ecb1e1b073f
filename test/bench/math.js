// Writes docs/math.md: the error and the speed of every elementary function, in every mode and on every
// instruction set that this machine has, beside glibc's vector library.
//
//   node test/bench/math.js [--samples N] [--rounds N]      or npm run math
//
// Errors come from the programs that test them (test/c/math_accuracy.c and its variants), times from
// test/bench/math_speed.c and, for WebAssembly, from loops in this process. Nothing else runs in the
// meantime; still, least times of many rounds are compared and not single runs.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { Graph } = require('graphjit');
const { inWasm } = require('./support/wasm.js');

const root = path.join(__dirname, '..', '..');
const built = path.join(root, 'build', 'debug');
const variants = { strict: 'math_accuracy', default: 'math_accuracy_fma', fast: 'math_accuracy_fast' };
const dtypes = ['f64', 'f32'];
const table = fs.readFileSync(path.join(root, 'src', 'math', 'math.def'), 'utf8');
const ops = [...table.matchAll(/^GJM_OP\((\w+),\s*(\d),\s*([\d.]+),\s*([\d.]+)\)/gm)].map(([, name, arity, f64, f32]) => ({
  name,
  arity: Number(arity),
  bounds: { f64, f32 },
}));

/** The value behind --name, or what it is without. */
function option(name, without) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? without : process.argv[at + 1];
}

const markdown = (head, rows) => [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

// ---------------------------------------------------------------------------------------- errors

/** What an accuracy test found: { 'sin f64': { error, at } }. */
function readErrors(text) {
  const found = {};
  for (const [, op, dtype, error, at] of text.matchAll(/^(\w+) +(f\d\d) \w+ +([\d.]+) at ([^\n]+)$/gm)) {
    found[`${op} ${dtype}`] = { error, at };
  }
  return found;
}

function measureErrors(samples) {
  return Object.fromEntries(
    Object.entries(variants).map(([mode, program]) => {
      const words = ['--samples', samples];
      return [mode, readErrors(execFileSync(path.join(built, 'test', program), words, { encoding: 'utf8' }))];
    }),
  );
}

/** fma is compared bit for bit by a test of its own, and correctly rounded. */
function errorCells({ name, bounds }, dtype, errors) {
  const cells = Object.keys(variants).flatMap((mode) => {
    const { error, at } = errors[mode][`${name} ${dtype}`] ?? { error: '0.5', at: '' };
    return [Number(error).toFixed(2), at && Number(error) > 0 ? `\`${at}\`` : ''];
  });
  return [`\`${name}\``, bounds[dtype], ...cells];
}

function errorTable(dtype, errors) {
  const head = ['function', 'bound', ...Object.keys(variants).flatMap((mode) => [`'${mode}'`, 'at'])];
  return markdown(head, ops.map((op) => errorCells(op, dtype, errors)));
}

// ----------------------------------------------------------------------------------------- times

/** { cycle, host, times: { 'sin f64': { 'host-strict': { ns, ms } } } } of what math_speed prints. */
function readTimes(text) {
  const times = {};
  for (const [, op, dtype, column, ns, ms] of text.matchAll(/^(\w+) (f\d\d) ([\w-]+) ([\d.]+) ([\d.]+)$/gm)) {
    times[`${op} ${dtype}`] ??= {};
    times[`${op} ${dtype}`][column] = { ns: Number(ns), ms: Number(ms) };
  }
  return { host: /^host (\S+)/m.exec(text)[1], cycle: Number(/^cycle ([\d.]+)$/m.exec(text)[1]), times };
}

const arrays = { f64: Float64Array, f32: Float32Array };
const intervals = new Map();
for (const [, libm, lists] of fs.readFileSync(path.join(__dirname, 'math_speed.c'), 'utf8').matchAll(/\{GJ_OP_(\w+), "\w+", (.+)\},?$/gm)) {
  intervals.set(libm, [...lists.matchAll(/\{(-?[\d.]+), (-?[\d.]+)\}/g)].map(([, lo, hi]) => [Number(lo), Number(hi)]));
}

/** Nanoseconds per element of one op in a WebAssembly module with vectors. */
async function timeWasm({ name, arity }, dtype) {
  const count = 1024;
  const inputs = intervals.get(name).slice(0, arity).map(([lo, hi]) =>
    arrays[dtype].from({ length: count }, (_, i) => lo + ((hi - lo) * ((i * 7919) % count)) / count));
  const graph = new Graph(name);
  const values = inputs.map((_, i) => graph.input(`x${i}`, dtype, ['n']));
  graph.output('z', values[0][name](...values.slice(1)));
  const run = await inWasm(graph, count, inputs, [{ type: dtype, length: count }], { simd: true });
  let least = Infinity;
  for (let round = 0; round < 100; round++) {
    const start = performance.now();
    for (let i = 0; i < 20; i++) run();
    least = Math.min(least, performance.now() - start);
  }
  return (least * 1e6) / (20 * count);
}

const columns = [
  ["'strict'", 'host-strict'],
  ["'default'", 'host-default'],
  ["'fast'", 'host-fast'],
  ['libmvec', 'libmvec'],
  ["AVX2 'default'", 'x86-64-v3-default'],
  ["AVX2 'fast'", 'x86-64-v3-fast'],
  ['SSE4.1', 'x86-64-v2-strict'],
];

async function timeTable(dtype, times) {
  const first = times[`${ops[0].name} ${dtype}`];
  const shown = columns.filter(([, key]) => first[key]);
  const rows = [];
  for (const op of ops) {
    const row = times[`${op.name} ${dtype}`];
    const cells = shown.map(([, key]) => (row[key] ? row[key].ns.toFixed(2) : ''));
    rows.push([`\`${op.name}\``, ...cells, (await timeWasm(op, dtype)).toFixed(2), row['host-default'].ms.toFixed(1)]);
  }
  return markdown(['function', ...shown.map(([title]) => title), 'wasm', 'compile ms'], rows);
}

// ------------------------------------------------------------------------------------------ page

async function main() {
  const samples = option('samples', '1000000');
  const errors = measureErrors(samples);
  const text = execFileSync(path.join(built, 'math_speed'), ['--rounds', option('rounds', '100')], { encoding: 'utf8' });
  const { host, cycle, times } = readTimes(text);
  const machine = `${os.cpus()[0].model.trim()} (LLVM calls it ${host}), a cycle taking ${cycle.toFixed(2)} ns, Node ${process.version}`;
  const page = `# Elementary functions: errors and times

<!-- Written by npm run math (test/bench/math.js). -->

What the modes are and what they promise stands in [numerics.md](numerics.md). Bounds are those of \`src/math/math.def\`, which
hold in \`'strict'\` and \`'default'\`; in \`'fast'\` the bound is 4 ulp.

## Errors

The largest error in ulp against MPFR and the argument where it occurs, in ${Number(samples).toLocaleString('en')} arguments for each function, dtype and mode:
random bit patterns over the whole domain and arguments near difficult places. \`'default'\` and \`'fast'\` are as on a CPU
with fused multiply-add; without it they are \`'strict'\`. lgamma near its negative roots is measured against an absolute
bound, see [numerics.md](numerics.md).

${dtypes.map((dtype) => `### ${dtype} errors\n\n${errorTable(dtype, errors)}`).join('\n\n')}

## Times

Nanoseconds per element in a loop over 1024 elements in the first cache, each function alone; the first three columns use the
widest vectors of the machine. "libmvec" is the function of glibc that \`gcc -Ofast\` calls, with the same vectors and a bound
of 4 ulp. SSE4.1 and WebAssembly (\`simd: true\`) compute as in \`'strict'\`. "compile ms" is the least of three times from loop to object
code in \`'default'\`, with LLVM as a shared library.

Machine: ${machine}.

${(await Promise.all(dtypes.map(async (dtype) => `### ${dtype} times\n\n${await timeTable(dtype, times)}`))).join('\n\n')}
`;
  fs.writeFileSync(path.join(root, 'docs', 'math.md'), page);
}

main();
