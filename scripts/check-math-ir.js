#!/usr/bin/env node
// Checks that the math library can be widened: every main and rare function of src/math, compiled by
// clang, must be one basic block of instructions that code generation can do on vectors.
//
//   node scripts/check-math-ir.js [--list] [op ...]
//
// Also checks that every op of math.def is defined for both dtypes, that rare and slow functions come in pairs (fast
// functions share the slow ones of the fused variant), and that nothing calls a function outside its own file (LLVM
// intrinsics excepted). --list prints for each function how many instructions it has and which of them are costly on
// vectors. CLANG names another compiler than clang-22. JavaScript's functions (src/math/js) may have any control flow;
// they must be those of js.def, call nothing from outside and fuse nothing.
'use strict';

const { execFileSync } = require('node:child_process');
const { existsSync, readFileSync, readdirSync } = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');
const mathFolder = path.join(root, 'src', 'math');

const optimise = '-O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops';
const numerics = '-ffp-contract=off -fno-math-errno -fno-trapping-math';
const flags = `-std=c11 ${optimise} ${numerics} -emit-llvm -S -o - -I`.split(' ').concat(path.join(root, 'src'));

/**
 * A folder of sources and how they are compiled.
 *
 * @typedef {{ name: string, folder: string, flags: string[] }} Variant
 */

/** @type {Variant[]} */
const variants = [
  { name: 'strict', folder: mathFolder, flags: [] },
  { name: 'fma', folder: mathFolder, flags: ['-DGJ_MATH_FMA=1'] },
  { name: 'fast', folder: path.join(mathFolder, 'fast'), flags: ['-DGJ_MATH_FMA=1'] },
];

const widenable = new Set(
  `fadd fsub fmul fdiv fneg add sub mul shl lshr ashr and or xor icmp fcmp select zext sext trunc fpext
   fptrunc fptosi fptoui sitofp uitofp bitcast freeze load getelementptr ret`.split(/\s+/),
);

// Overloaded intrinsics: the same name with a vector type exists for each of them.
const intrinsics = new Set(
  `fabs copysign floor ceil trunc rint nearbyint roundeven sqrt fma minnum maxnum minimum maximum umin
   umax smin smax abs ctlz cttz ctpop fshl fshr usub.sat uadd.sat ssub.sat sadd.sat is.fpclass`.split(/\s+/),
);

// Instructions that have no cheap vector form on AVX2, NEON or wasm.
const costly = [
  /^mul (nuw |nsw )*i64/,
  /^ashr (exact )?i64/,
  /^(fptosi|fptoui) double .* to i64/,
  /^(sitofp|uitofp) i64/,
  /^load /,
  /@llvm\.ct(lz|tz|pop)/,
];

/**
 * A function of an LLVM module in text form.
 * @typedef {{ name: string, blocks: number, instructions: string[] }} IrFunction
 */

/** @returns {string} a clang of LLVM 22 */
function findClang() {
  const installed = '/usr/lib/llvm-22/bin/clang';
  return process.env.CLANG || (existsSync(installed) ? installed : 'clang-22');
}

/**
 * @param {string} text an LLVM module
 * @returns {IrFunction[]} its definitions
 */
function parseFunctions(text) {
  /** @type {IrFunction[]} */
  const functions = [];
  /** @type {IrFunction | null} */
  let current = null;
  for (const line of text.split('\n')) {
    const define = /^define .*@([\w.]+)\(/.exec(line);
    if (define) {
      current = { name: define[1], blocks: 1, instructions: [] };
      functions.push(current);
    } else if (line === '}') {
      current = null;
    } else if (current && /^[\w.]+:/.test(line)) {
      current.blocks++;
    } else if (current && line.trim() !== '' && !line.startsWith(';')) {
      const instruction = line.trim().replace(/^%[\w.]+ = /, '');
      current.instructions.push(instruction.replace(/^(tail|musttail|notail) call/, 'call'));
    }
  }
  return functions;
}

/**
 * @param {string} instruction
 * @returns {string | null} why the instruction cannot be widened
 */
function whyNotWidenable(instruction) {
  const opcode = instruction.split(' ')[0];
  if (opcode !== 'call') return widenable.has(opcode) ? null : opcode;
  const intrinsic = /@llvm\.([a-z.]+?)\.[a-z]+\d+(\.|\()/.exec(instruction);
  return intrinsic && intrinsics.has(intrinsic[1]) ? null : instruction;
}

/**
 * @param {IrFunction} fn
 * @param {Set<string>} local names defined in the same file
 * @returns {string[]} what is wrong with it
 */
function checkFunction(fn, local) {
  const problems = [];
  const straight = /^(gjm_\w+_f(32|64)(_rare)?|gjs_\w+_f64_(main|rare))$/.test(fn.name);
  if (straight && fn.blocks !== 1) problems.push(`${fn.blocks} basic blocks, expected 1`);
  for (const instruction of fn.instructions) {
    const callee = /^call .*?@([\w.]+)\(/.exec(instruction);
    const foreign = callee && !callee[1].startsWith('llvm.') && !local.has(callee[1]);
    if (foreign) problems.push(`calls ${callee[1]}`);
    const why = straight && fn.blocks === 1 ? whyNotWidenable(instruction) : null;
    if (why) problems.push(`has no vector form: ${why}`);
  }
  return problems;
}

/**
 * @param {IrFunction} fn
 * @returns {string} one line: size and costly instructions
 */
function describe(fn) {
  const found = fn.instructions.filter((text) => costly.some((pattern) => pattern.test(text)));
  const counts = new Map();
  for (const text of found) {
    const key = /@([\w.]+)/.exec(text)?.[1] ?? text.split(' ')[0];
    counts.set(key, (counts.get(key) || 0) + 1);
  }
  const notes = [...counts].map(([key, count]) => `${count} ${key}`).join(', ');
  return `${fn.name.padEnd(24)} ${String(fn.instructions.length).padStart(4)}  ${notes}`.trimEnd();
}

/**
 * @param {string[]} names functions defined by the library
 * @param {string[]} ops ops of math.def that were compiled
 * @returns {string[]} ops without a function, rare functions without a slow one and the reverse
 */
function checkNames(names, ops) {
  const defined = new Set(names);
  const wanted = ops.flatMap((op) => [`gjm_${op}_f64`, `gjm_${op}_f32`]);
  const problems = wanted.filter((name) => !defined.has(name)).map((name) => `${name}: not defined`);
  for (const name of names) {
    if (!/_(rare|slow)$/.test(name)) continue;
    const other = name.endsWith('_rare') ? '_slow' : '_rare';
    const partner = name.replace(/_(rare|slow)$/, other);
    if (!defined.has(partner)) problems.push(`${name}: no ${partner} beside it`);
  }
  return problems;
}

/**
 * @param {string} file name of a source file in src/math
 * @param {Variant} variant
 * @returns {IrFunction[]}
 */
function compile(file, variant) {
  const words = [...flags, ...variant.flags, path.join(variant.folder, file)];
  return parseFunctions(execFileSync(findClang(), words, { encoding: 'utf8', maxBuffer: 1 << 26 }));
}

/**
 * @param {boolean} list
 * @param {(op: string) => boolean} isSelected
 * @returns {{ count: number, problems: string[] }} of JavaScript's functions
 */
function checkJavaScript(list, isSelected) {
  const folder = path.join(mathFolder, 'js');
  const table = readFileSync(path.join(folder, 'js.def'), 'utf8');
  const wanted = [...table.matchAll(/^GJS_OP\((\w+),/gm)].map((match) => match[1]).filter(isSelected);
  const files = readdirSync(folder).filter((name) => name.endsWith('.c') && isSelected(path.basename(name, '.c')));
  const functions = files.flatMap((file) => compile(file, { name: 'js', folder, flags: [] }));
  const names = new Set(functions.map((fn) => fn.name));
  const problems = wanted.filter((op) => !names.has(`gjs_${op}_f64`)).map((op) => `js gjs_${op}_f64: not defined`);
  for (const fn of functions) {
    if (list) console.log(`js     ${describe(fn)}`);
    // Memory intrinsics become calls of the C library.
    const refused = fn.instructions.filter((text) => /@llvm\.(fma|fmuladd|memset|memcpy|memmove)\./.test(text));
    problems.push(...[...checkFunction(fn, names), ...refused].map((problem) => `js ${fn.name}: ${problem}`));
  }
  return { count: functions.length, problems };
}

/** @param {string[]} args command line */
function main(args) {
  const list = args.includes('--list');
  const selected = args.filter((arg) => arg !== '--list');
  const isSelected = (/** @type {string} */ op) => selected.length === 0 || selected.includes(op);
  const table = readFileSync(path.join(mathFolder, 'math.def'), 'utf8');
  const ops = [...table.matchAll(/^GJM_OP\((\w+),/gm)].map((match) => match[1]).filter(isSelected);
  /** @type {string[]} */
  const problems = [];
  let count = 0;
  for (const variant of variants) {
    const names = [];
    const files = readdirSync(variant.folder).filter((name) => name.endsWith('.c'));
    for (const file of files.filter((name) => isSelected(path.basename(name, '.c')))) {
      const functions = compile(file, variant);
      const local = new Set(functions.map((fn) => fn.name));
      names.push(...[...local].filter((name) => /^gjm_\w+_f(32|64)(_rare|_slow)?$/.test(name)));
      count += functions.length;
      for (const fn of functions) {
        if (list) console.log(`${variant.name.padEnd(6)} ${describe(fn)}`);
        problems.push(...checkFunction(fn, local).map((problem) => `${variant.name} ${fn.name}: ${problem}`));
      }
    }
    const wanted = variant.name === 'fast' ? [...new Set(names.map((name) => name.split('_')[1]))] : ops;
    const slow = variant.name === 'fast' ? names.map((name) => name.replace(/_rare$/, '_slow')) : [];
    problems.push(...checkNames([...names, ...slow], wanted).map((problem) => `${variant.name} ${problem}`));
  }
  const javascript = checkJavaScript(list, isSelected);
  count += javascript.count;
  problems.push(...javascript.problems);
  for (const problem of problems) console.error(problem);
  console.log(`${count} functions, ${problems.length} problems`);
  process.exitCode = problems.length ? 1 : 0;
}

main(process.argv.slice(2));
