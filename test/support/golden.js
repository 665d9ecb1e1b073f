// Golden files: text in, expected text out, in one file that explains itself.
//
//   //; run: gj print -               the command; it reads the input from standard input
//   //; hide: ^k\d+: for              output lines that match are left out (optional)
//   //; limit: 1024                   most bytes of a wasm module (optional)
//   graph "x" { … }                   the input
//   //; output
//   graph "x" { … }                   what the command must print, exactly
//   //; case: what this one shows     more inputs for the same command, each with its output
//
// In place of `//; output` there may be `//; checks`: lines of FileCheck's kind, for text that is
// LLVM's and not ours. `CHECK: text` must stand in the output behind the one before it, `CHECK-NOT:
// text` nowhere, and `CHECK-COUNT-2: text` on exactly two lines; {{…}} is a regular expression.
//
// Inputs of files whose names start with bad- must be refused, and the message is the output. All
// others must be accepted, and printing and parsing them must be the identity. The command `wasm`
// stands for `gj wasm`, whose output is shown as the imports and exports of the module. In files that
// end in .fn the input is a function of JavaScript, and `native` is followed by the stages of its
// compiler (lib/native/pipeline.js) that are shown:
//
//   //; run: native hir tir hoist-checks
//   //; signature: f64(f64[], i32)
//   //; options: { "threads": 2 }    of native(); without any it has one thread (optional)
//   //; of: grad                     its derivative is shown instead (optional)
//
// GRAPHJIT_UPDATE=1 rewrites the outputs; the diff is then read like code. GRAPHJIT_GJ names another
// gj than that of the release build, GRAPHJIT_GOLDEN a pattern of the files to read (scripts/matching.js).
'use strict';

require('./verify.js');
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { matcher } = require('../../scripts/matching.js');

const folder = path.join(__dirname, '..', 'golden');
const gj = process.env.GRAPHJIT_GJ || path.join(__dirname, '..', '..', 'build', 'release', 'gj');
const isPicked = matcher(process.env.GRAPHJIT_GOLDEN || '');
const isUpdate = Boolean(process.env.GRAPHJIT_UPDATE);

/** @typedef {{ title: string, input: string, kind: '' | 'output' | 'checks', expected: string }} Case */
/** @typedef {{ name: string, isBad: boolean, settings: Record<string, string>, header: string, cases: Case[] }} Golden */
/** @typedef {{ status: number | null, bytes: Buffer, errors: string }} Outcome */

/** Names of all golden files that are to be read, relative to test/golden. @returns {string[]} */
function goldenNames() {
  const names = fs.readdirSync(folder, { recursive: true }).map(String);
  return names.filter((name) => /\.(gj|fn)$/.test(name) && isPicked(path.join('test', 'golden', name))).sort();
}

/** @param {string} name @returns {Golden} */
function readGolden(name) {
  /** @type {Golden} */
  const golden = { name, isBad: path.basename(name).startsWith('bad-'), settings: {}, header: '', cases: [] };
  /** @type {Case} */
  let current = { title: '', input: '', kind: '', expected: '' };
  for (const line of fs.readFileSync(path.join(folder, name), 'utf8').split(/(?<=\n)/)) {
    const [, key, value] = /^\/\/; (\w+):? ?(.*)\n$/.exec(line) || [null, '', ''];
    if (key === 'output' || key === 'checks') {
      current.kind = key;
    } else if (key === 'case') {
      if (current.input || current.kind) {
        golden.cases.push(current);
      }
      current = { title: value, input: '', kind: '', expected: '' };
    } else if (key) {
      golden.settings[key] = value;
      golden.header += line;
    } else if (current.kind) {
      current.expected += line;
    } else {
      current.input += line;
    }
  }
  golden.cases.push(current);
  const titles = new Set(golden.cases.map(({ title }) => title));
  assert.ok(titles.size === golden.cases.length, `${name}: several cases need different titles`);
  return golden;
}

/** @param {Golden} golden */
function writeGolden({ name, header, cases }) {
  const texts = cases.map(({ title, input, kind, expected }) => {
    const start = title ? `//; case: ${title}\n` : '';
    return `${start}${input}//; ${kind || 'output'}\n${expected}`;
  });
  fs.writeFileSync(path.join(folder, name), header + texts.join(''));
}

/**
 * @param {string[]} words
 * @param {string | Buffer} input
 * @returns {Promise<Outcome>}
 */
function run(words, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(gj, words, { stdio: 'pipe' });
    /** @type {Buffer[]} */
    const parts = [];
    let errors = '';
    child.stdout.on('data', (part) => parts.push(part));
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, bytes: Buffer.concat(parts), errors }));
    child.stdin.on('error', () => {}); // it may refuse its command line before it reads
    child.stdin.end(input);
  });
}

/** Imports and exports of a module, one per line. @param {Buffer} bytes */
function describeWasm(bytes) {
  const wasm = new WebAssembly.Module(new Uint8Array(bytes));
  const imports = WebAssembly.Module.imports(wasm).map((item) => `import ${item.kind} ${item.module}.${item.name}\n`);
  const exports = WebAssembly.Module.exports(wasm).map((item) => `export ${item.kind} ${item.name}\n`);
  return [...imports, ...exports].join('');
}

/** A function at the stages of its compiler that a file names. @param {string[]} stages @param {Golden} golden @param {string} input */
function explainNative(stages, { settings }, input) {
  const { grad, native } = require('../../lib/index.js');
  const own = native(input, settings.signature, { threads: 1, cache: false, ...JSON.parse(settings.options ?? '{}') });
  const shown = settings.of === 'grad' ? grad(own) : own;
  return stages.map((stage) => `// ${stage}\n${shown.explain({ stage: /** @type {any} */ (stage) })}`).join('');
}

/** What the command of a file prints for one input. @param {Golden} golden @param {string} input */
async function produce(golden, input) {
  const { settings, isBad } = golden;
  const [command, ...words] = (settings.run || '').split(' ');
  if (command === 'native') return explainNative(words, golden, input);
  assert.ok(command === 'gj' || command === 'wasm', `expected "//; run: gj …" or "//; run: wasm …", got "${settings.run}"`);
  const { status, bytes, errors } = await run(command === 'gj' ? words : ['wasm', ...words], input);
  if (isBad) {
    assert.strictEqual(status, 1, `exit status ${status}, expected 1:\n${errors}`);
    assert.strictEqual(bytes.length, 0, 'something was printed besides the message');
    return errors;
  }
  assert.strictEqual(`${status} ${errors}`, '0 ');
  if (command === 'wasm') {
    const limit = Number(settings.limit);
    assert.ok(!limit || bytes.length <= limit, `the module has ${bytes.length} bytes, the limit is ${limit}`);
    return describeWasm(bytes);
  }
  const hide = settings.hide ? new RegExp(settings.hide) : null;
  const lines = bytes.toString('utf8').split(/(?<=\n)/);
  return lines.filter((line) => !hide || !hide.test(line)).join('');
}

/** A check's text as a pattern: {{…}} is one, the rest is taken literally. @param {string} text */
function pattern(text) {
  const parts = text.split(/\{\{(.*?)\}\}/);
  return new RegExp(parts.map((part, i) => (i % 2 ? part : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))).join(''));
}

/** @param {string} output @param {string} checks */
function verifyChecks(output, checks) {
  const lines = output.split('\n');
  let next = 0;
  for (const line of checks.split('\n').filter(Boolean)) {
    const [, kind, count, text] = /^CHECK(-NOT|-COUNT-(\d+))?: (.*)$/.exec(line) || [];
    assert.ok(text, `expected CHECK:, CHECK-NOT: or CHECK-COUNT-n:, got "${line}"`);
    const matches = (/** @type {string} */ candidate) => pattern(text).test(candidate);
    if (kind) {
      assert.strictEqual(lines.filter(matches).length, Number(count || 0), `${line}\nin\n${output}`);
      continue;
    }
    const found = lines.findIndex((candidate, i) => i >= next && matches(candidate));
    assert.ok(found >= 0, `${line}\nis not behind line ${next} of\n${output}`);
    next = found + 1;
  }
}

/** Printing an accepted input and parsing that gives the same again. @param {string} input */
async function verifyRoundTrip(input) {
  const once = await run(['print', '-'], input);
  const twice = await run(['print', '-'], once.bytes);
  assert.strictEqual(once.errors + twice.errors, '');
  assert.strictEqual(twice.bytes.toString(), once.bytes.toString());
}

/** Runs one case, or rewrites its output in update mode. @param {Golden} golden @param {Case} one */
async function verifyCase(golden, one) {
  const output = await produce(golden, one.input);
  if (one.kind === 'checks') {
    verifyChecks(output, one.expected);
  } else if (isUpdate) {
    one.expected = output;
  } else {
    assert.strictEqual(output, one.expected);
  }
  if (!golden.isBad && golden.name.endsWith('.gj')) {
    await verifyRoundTrip(one.input);
  }
}

module.exports = { gj, goldenNames, readGolden, writeGolden, verifyCase, isUpdate };
