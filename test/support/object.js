// Programs as objects, linked with C that runs them on given inputs, and what came out.
//
// All programs of a test go into one executable, since starting an emulator and a linker costs more than
// running. Its main() is written here: for every program it asks the plan function for the sizes, compares
// them with those of Node, reads the inputs from standard input and writes the outputs.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

/**
 * @typedef {object} Trial
 * @property {string} symbol
 * @property {import('graphjit').Graph} graph
 * @property {Record<string, any>} inputs      tensors
 * @property {Record<string, number>} dims     values of the symbols
 * @property {Record<string, any>} expected    results of Node
 */

/** Runs a command; throws with what it said. @param {string} command @param {string[]} words @param {Buffer} [input] */
function run(command, words, input) {
  const { status, stdout, stderr, error } = spawnSync(command, words, { input, maxBuffer: 1 << 28 });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: status ${status}\n${stderr}`);
  return stdout;
}

/** A folder that is removed when the work is done. @template T @param {(folder: string) => T} work @returns {T} */
function inFolder(work) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-object-'));
  try {
    return work(folder);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** The function that runs one program. @param {Trial} trial @param {string} parallel */
function runner({ symbol, inputs, dims, expected }, parallel) {
  const arrays = [...Object.values(inputs), ...Object.values(expected)];
  const sizes = arrays.flatMap(({ shape }) => [...shape]);
  const bytes = arrays.map(({ data }) => data.byteLength);
  const count = Object.keys(inputs).length;
  return `
static int run_${symbol}(void) {
  static const int64_t dims[] = {${[...Object.values(dims), 0].join(', ')}};
  static const int64_t expected[] = {${[...sizes, 0].join(', ')}};
  static const size_t bytes[] = {${bytes.join(', ')}};
  union { ${symbol}_sizes named; int64_t list[${sizes.length + 1}]; } sizes;
  void *buffers[${arrays.length}];
  gj_exec exec = {NULL, NULL, ${parallel}, 0, 0, NULL};
  if (${symbol}_plan(dims, &sizes.named) != 0) return fail("${symbol}: plan");
  for (int i = 0; i < ${sizes.length}; i++)
    if (sizes.list[i + 1] != expected[i]) return fail("${symbol}: sizes");
  exec.scratch = aligned_alloc(64, ((size_t)sizes.named.scratch_bytes + 127) / 64 * 64);
  for (int i = 0; i < ${arrays.length}; i++) {
    buffers[i] = malloc(bytes[i] + 1);
    if (i < ${count} && fread(buffers[i], 1, bytes[i], stdin) != bytes[i]) return fail("${symbol}: input");
  }
  int32_t status = ${symbol}(buffers, dims, ${parallel === 'NULL' ? 'sizes.named.scratch_bytes ? &exec : NULL' : '&exec'});
  if (status != 0) return fail("${symbol}: status");
  for (int i = 0; i < ${arrays.length}; i++) {
    if (i >= ${count}) fwrite(buffers[i], 1, bytes[i], stdout);
    free(buffers[i]);
  }
  free(exec.scratch);
  return 0;
}
`;
}

/** @param {Trial[]} trials @param {string} parallel @param {string} before */
function mainText(trials, parallel, before) {
  return `#include <stdio.h>
#include <stdlib.h>
${trials.map(({ symbol }) => `#include "${symbol}.h"`).join('\n')}

static int fail(const char *what) {
  fprintf(stderr, "%s\\n", what);
  return 1;
}
${before}
${trials.map((trial) => runner(trial, parallel)).join('')}
int main(int argc, char **argv) {
  (void)argc;
  (void)argv;
${before && '  threads = argc > 1 ? atoi(argv[1]) : 1;\n'}  return ${trials.map(({ symbol }) => `run_${symbol}()`).join(' || ')};
}
`;
}

/**
 * Writes objects, headers and main() to a folder and links them.
 *
 * @param {string} folder
 * @param {Trial[]} trials
 * @param {{ cc: string, words?: string[], options?: object, parallel?: string, before?: string }} how
 * @returns {string} the executable
 */
function link(folder, trials, { cc, words = [], options = {}, parallel = 'NULL', before = '' }) {
  const threads = parallel !== 'NULL';
  const objects = trials.map(({ symbol, graph }) => {
    const object = path.join(folder, `${symbol}.o`);
    fs.writeFileSync(object, graph.toObject({ ...options, symbol, threads }));
    fs.writeFileSync(path.join(folder, `${symbol}.h`), graph.toHeader({ symbol, threads }));
    return object;
  });
  const [main, executable] = [path.join(folder, 'main.c'), path.join(folder, 'main')];
  fs.writeFileSync(main, mainText(trials, parallel, before));
  run(cc, ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', ...words, main, ...objects, '-o', executable]);
  return executable;
}

/**
 * The outputs of all programs, from what an executable of link() wrote.
 *
 * @param {Trial[]} trials
 * @param {string[]} command
 * @returns {Record<string, Record<string, any>>}
 */
function outputsOf(trials, [command, ...words]) {
  const bytesOf = (/** @type {any} */ { data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const input = Buffer.concat(trials.flatMap(({ inputs }) => Object.values(inputs).map(bytesOf)));
  const output = run(command, words, input);
  let at = 0;
  /** @type {Record<string, Record<string, any>>} */
  const results = {};
  for (const { symbol, expected } of trials) {
    results[symbol] = {};
    for (const [name, { data }] of Object.entries(expected)) {
      const bytes = new Uint8Array(output.subarray(at, at + data.byteLength));
      results[symbol][name] = new data.constructor(bytes.buffer);
      at += data.byteLength;
    }
  }
  return results;
}

module.exports = { inFolder, link, outputsOf, run };
