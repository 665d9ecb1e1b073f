// Functions as objects for C: linked with a main() that calls each with what its header says, natively and for machines that
// an emulator runs, with the bits of JavaScript; headers as C and C++; what is refused.
'use strict';

require('../support/verify.js');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { native } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');
const { inFolder, run } = require('../support/object.js');

const WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Werror'];

/** A result as main() prints it: bits of floats, everything else as it is. @type {(value: any) => string} */
function shown(value) {
  if (Array.isArray(value)) return value.map(shown).join(' ');
  if (ArrayBuffer.isView(value)) return Array.from(/** @type {any} */ (value), shown).join(' ');
  if (Number.isNaN(value)) return '7ff8000000000000';
  if (typeof value === 'number') return Buffer.from(new Float64Array([value]).buffer).readBigUInt64LE().toString(16);
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

/** A number in C. @type {(value: any) => string} */
function literal(value) {
  if (typeof value === 'bigint') return `INT64_C(${value})`;
  if (Number.isNaN(value)) return 'NAN';
  if (!Number.isFinite(value)) return value < 0 ? '-INFINITY' : 'INFINITY';
  return Object.is(value, -0) ? '-0.0' : Number.isInteger(value) && Math.abs(value) < 2 ** 53 ? `${value}.0` : String(value);
}

// Each line of main() prints what `expected` lists, and what JavaScript gives comes from the function itself.
/** @type {{ name: string, fn: Function, signature: string, body: string, expected: any[] }[]} */
const programs = [];

/** @type {(name: string, fn: any, signature: string, calls: any[][]) => void} a function of numbers that cannot fail */
function plain(name, fn, signature, calls) {
  const body = calls.map((args) => `  number(${name}(${args.map(literal).join(', ')}));`).join('\n');
  programs.push({ name, fn, signature, body, expected: calls.map((args) => Number(fn(...args))) });
}

const SPECIAL = [0, -0, 1.5, -2.25, 1e300, 1e-310, NaN, Infinity, -Infinity];
plain('poly', (/** @type {number} */ x) => x * x - 3 * x, '(f64)', SPECIAL.map((x) => [x]));
plain('waves', (/** @type {number} */ x, /** @type {number} */ y) => Math.sin(x) * Math.exp(-y) + Math.atan2(x, y) + Math.cbrt(x) + (x % 7), '(f64, f64)', SPECIAL.map((x) => [x, 2]));
plain('mix', (/** @type {number} */ a, /** @type {number} */ b) => ((a ^ (b << 3)) >>> 1) + (a >> 2), '(i32, i32)', [[5, 3], [-9, 30]]);
plain('big', (/** @type {bigint} */ a, /** @type {bigint} */ b) => BigInt.asIntN(64, a * b + 7n), '(i64, i64)', [[3n, 5n], [-(2n ** 40n), 9n]]);
plain('collatz', (/** @type {number} */ n) => { let steps = 0; while (n !== 1) { n = n % 2 === 0 ? n / 2 : 3 * n + 1; steps++; } return steps; }, '(f64)', [[27], [1]]);

programs.push(
  {
    name: 'total',
    fn: (/** @type {Float64Array} */ a) => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i]; return s; },
    signature: '(f64[])',
    body: '  { static const double a[] = {0.1, 0.2, 0.3}; number(total(a, 3)); number(total(a, 0)); }',
    expected: [0.1 + 0.2 + 0.3, 0],
  },
  {
    name: 'scale',
    fn: (/** @type {Float32Array} */ a, /** @type {number} */ x) => { if (!(x > 0)) throw new RangeError(`cannot scale by ${x}`); let s = 0; for (let i = 0; i < a.length; i++) s += a[i] *= x; return s; },
    signature: '(f32[], f64)',
    body: '  { float a[] = {1, 2, 3}; double r = 0; whole(scale(a, 3, 0.5, &r)); number(r); number(a[2]); whole(scale(a, 3, -1, &r)); number(r); }',
    expected: ['0', 3, 1.5, '16', 3],
  },
  {
    name: 'divmod',
    fn: (/** @type {number} */ a, /** @type {number} */ b) => ({ quotient: Math.floor(a / b), rest: a % b, exact: a % b === 0 }),
    signature: '(f64, f64)',
    body: '  { divmod_result r = divmod(7, 2); number(r.quotient); number(r.rest); whole(r.exact); }',
    expected: [3, 1, '0'],
  },
  {
    name: 'bytes',
    fn: (/** @type {Uint8Array} */ a, /** @type {boolean} */ flip) => { let n = 0; for (const each of a) n += each & 1; for (let i = 0; i < a.length; i++) a[i] = flip ? ~a[i] : a[i] + 1; return n; },
    signature: '(u8[], bool)',
    body: '  { uint8_t a[] = {255, 2, 7}; number(bytes(a, 3, true)); whole(a[0]); number(bytes(a, 3, false)); whole(a[1]); }',
    expected: [2, '0', 1, '254'],
  },
  {
    name: 'squares',
    fn: (/** @type {number} */ n) => { const a = new Float64Array(n); for (let i = 0; i < n; i++) a[i] = i * i; return { a, tail: a.subarray(1), count: n }; },
    signature: '(f64)',
    body: `  {
    static unsigned char bytes_[1024];
    gj_memory memory;
    gj_exec exec = {NULL, NULL, NULL, 0, 0, NULL};
    squares_result r;
    gj_memory_init(&memory, bytes_, sizeof bytes_);
    exec.heap = &memory.heap;
    whole(squares(4, &r, &exec));
    whole(r.a_length);
    number(r.a[3]);
    whole(r.tail == r.a + 1);
    number(r.count);
    whole(squares(1000, &r, &exec));
    whole(squares(-1, &r, &exec));
    whole(squares(4, &r, NULL));
  }`,
    expected: ['0', '4', 9, '1', 4, '2', '16', '2'],
  },
  {
    name: 'depth',
    fn: function depth(/** @type {number} */ n) { return n === 0 ? 0 : 1 + depth(n - 1); },
    signature: '(f64)',
    body: '  { double r = 0; whole(depth(100, &r, NULL)); number(r); whole(depth(-1, &r, NULL)); }',
    expected: ['0', 100, '5'],
  },
);

const made = programs.map((program) => ({ ...program, f: native(/** @type {any} */ (program.fn), program.signature) }));

const MAIN = `
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
static void number(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (x != x) bits = UINT64_C(0x7ff8000000000000);
  printf("%" PRIx64 "\\n", bits);
}
static void whole(int64_t n) { printf("%" PRId64 "\\n", n); }
int main(void) {
${made.map(({ body }) => body).join('\n')}
  return 0;
}
`;

/** Writes all headers and objects and links them with main(). @type {(folder: string, cc: string, options: any, words: string[]) => string} */
function link(folder, cc, options, words) {
  const at = (/** @type {string} */ name) => path.join(folder, name);
  for (const { name, f } of made) {
    fs.writeFileSync(at(`${name}.h`), f.toHeader(undefined, { symbol: name }));
    fs.writeFileSync(at(`${name}.o`), f.toObject(undefined, { ...options, symbol: name }));
  }
  fs.writeFileSync(at('main.c'), made.map(({ name }) => `#include "${name}.h"\n`).join('') + MAIN);
  run(cc, ['-std=c11', ...WARNINGS, ...words, at('main.c'), ...made.map(({ name }) => at(`${name}.o`)), '-o', at('main')]);
  return at('main');
}

const machines = [
  { what: 'x86-64', cc: 'gcc', options: { target: 'x86_64-unknown-linux-gnu' }, isNative: true },
  { what: 'x86-64 as it is here', cc: 'gcc', options: { cpu: 'native' }, isNative: true },
  { what: 'aarch64', cc: 'aarch64-linux-gnu-gcc', options: { target: 'aarch64-unknown-linux-gnu' }, emulator: ['qemu-aarch64'] },
  { what: 'riscv64', cc: 'riscv64-linux-gnu-gcc', options: { target: 'riscv64-unknown-linux-gnu', optLevel: 1 }, emulator: ['qemu-riscv64'] },
  { what: 'arm', cc: 'arm-linux-gnueabihf-gcc', options: { target: 'armv7-unknown-linux-gnueabihf', optLevel: 1 }, emulator: ['qemu-arm'] },
];

for (const { what, cc, options, emulator = [], isNative = false } of machines) {
  const skip = isNative && process.arch !== 'x64' && 'this is another machine';
  test(`objects for ${what} link with C and give the bits of JavaScript`, { skip }, () => {
    inFolder((folder) => {
      const command = [...emulator, link(folder, cc, options, isNative ? [] : ['-static'])];
      const lines = String(run(command[0], command.slice(1))).trim().split('\n');
      let next = 0;
      for (const { name, expected } of made) {
        assert.deepEqual(lines.slice(next, next + expected.length), expected.map(shown), name);
        next += expected.length;
      }
    });
  });
}

test('headers say what is passed and returned', () => {
  const header = (/** @type {string} */ name) => /** @type {any} */ (made.find((each) => each.name === name)).f.toHeader(undefined, { symbol: name });
  assert.match(header('poly'), /^double poly\(double x\);$/m);
  assert.match(header('big'), /^int64_t big\(int64_t a, int64_t b\);$/m);
  assert.match(header('total'), /^double total\(const double \*a, int64_t a_length\);$/m);
  assert.match(header('scale'), /^int32_t scale\(float \*a, int64_t a_length, double x, double \*result\);$/m);
  assert.match(header('scale'), /^\/\/ {3}16 {2}RangeError: cannot scale by <value>$/m);
  assert.match(header('depth'), /^int32_t depth\(double n, double \*result, gj_exec \*exec\);$/m);
  assert.match(header('squares'), /^\/\/ {4}2 {2}no memory for an array$/m);
});

test('headers are C11 and C++11 without a warning, whatever names are', { skip: process.arch !== 'x64' && 'this is another machine' }, () => {
  const odd = native('function register(int, exec, result, $x, é) { return { "a b": int, "class": exec, result, "": $x, e: [é, [é]] }; }', '(f64, f64, f64, f64, f64)');
  const thrown = native("function f(x) { if (x) throw new Error('*/ \\\\ ??/ \\n é'); return x; }", '(f64)');
  // Parameters that are called as what the header itself declares.
  const own = [
    native('function own1(result, exec) { if (result < 0) throw new Error("less"); return result + exec; }', '(f64, f64)'),
    native('function own2(out_value, gj_result, own2_result, own2_values) { return { value: out_value + own2_result, out: gj_result + own2_values }; }', '(f64, f64, f64, f64)'),
    native('function own3(exec, result, gj_status, out_a, gj_out_a) { const a = new Float64Array(exec); return { a, exec: a.subarray(result), status: gj_status, result: out_a[0] + gj_out_a }; }', '(f64, f64, f64, f64[], f64)'),
  ];
  const headers = [...made.map(({ f, name }) => f.toHeader(undefined, { symbol: name })), ...own.map((f) => f.toHeader()), odd.toHeader({}), thrown.toHeader()];
  inFolder((folder) => {
    headers.forEach((text, i) => fs.writeFileSync(path.join(folder, `h${i}.h`), text));
    const includes = headers.map((_, i) => `#include "h${i}.h"\n`).join('');
    for (const [cc, standard, file] of [['gcc', 'c11', 'a.c'], ['g++', 'c++11', 'a.cpp'], ['clang-22', 'c11', 'a.c'], ['clang++-22', 'c++11', 'a.cpp']]) {
      fs.writeFileSync(path.join(folder, file), includes + includes);
      run(cc, [`-std=${standard}`, ...WARNINGS, '-fsyntax-only', path.join(folder, file)]);
    }
  });
});

test('a loop over a column steps by a row instead of multiplying', () => {
  const f = native(function column(a, n, j) { let sum = 0; for (let k = 0; k < n; k++) sum += a[k * n + j]; return sum; }, '(f64[], i16, i16)', { bounds: 'unchecked' });
  const text = /** @type {string} */ (f.toObject({ target: 'x86_64', emit: 'assembly' }));
  const loops = text.split(/^(?=\.L\w+:)/m).filter((block) => {
    const label = /^\.L\w+(?=:)/.exec(block)?.[0];
    return label !== undefined && block.includes('addsd') && new RegExp(`\\tj\\w+\\t\\${label}$`, 'm').test(block);
  });
  assert.ok(loops.length > 0);
  for (const block of loops) assert.doesNotMatch(block, /imul/);
});

test('assembly, LLVM IR and bitcode are to be had, and nothing is called', () => {
  const f = native(function wave(/** @type {number} */ x) { return Math.sin(x) + 1; }, '(f64)');
  assert.match(/** @type {string} */ (f.toObject(undefined, { emit: 'assembly' })), /^wave:/m);
  assert.match(/** @type {string} */ (f.toObject(undefined, { emit: 'llvm', target: 'riscv64' })), /define dso_local double @wave\(double %x\)/);
  assert.equal(Buffer.from(/** @type {any} */ (f.toObject({ emit: 'bitcode' }))).subarray(0, 2).toString(), 'BC');
  inFolder((folder) => {
    const file = path.join(folder, 'f.o');
    for (const target of ['x86_64', 'aarch64']) {
      fs.writeFileSync(file, f.toObject({ target }));
      assert.equal(String(run('/usr/lib/llvm-22/bin/llvm-nm', ['-u', file])).trim(), '', target);
    }
  });
});

test('what cannot be exported is refused', () => {
  const f = native('(x) => x + 1');
  throwsGraphError(() => f.toObject(), 'ERR_ARGUMENT', /types of the parameters are not known/);
  throwsGraphError(() => f.toObject('(f64)', { colour: 1 }), 'ERR_ARGUMENT', /unknown option 'colour'.*target.*symbol/);
  throwsGraphError(() => f.toHeader('(f64)', { target: 'x86_64' }), 'ERR_ARGUMENT', /unknown option 'target'.*symbol/);
  throwsGraphError(() => f.toObject('(f64)', { symbol: 'a b' }), 'ERR_ARGUMENT', /C identifier/);
  throwsGraphError(() => f.toObject('(f64)', { target: 'z80' }), 'ERR_ARGUMENT', /z80/);
  throwsGraphError(() => f.toObject('(f64)', { optimized: true }), 'ERR_ARGUMENT', /goes with emit 'llvm'/);
  const arrays = native('(n) => new Float64Array(n)');
  throwsGraphError(() => arrays.toObject('(i32)', { target: 'wasm32' }), 'ERR_UNSUPPORTED', /use toWasm/);
});
