// Who graphjit is compared with: C loops compiled here, and numpy where it is installed.
'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { root, llvm } = require('../../../scripts/setup.js');

const source = path.join(__dirname, 'peers.c');
const folder = path.join(root, 'build', 'bench');

/** Compilers by the name that the table shows. */
const compilers = {
  'clang -O3': [`${llvm}/bin/clang`, '-O3', '-march=native', '-fno-math-errno'],
  'gcc -Ofast': ['gcc', '-Ofast', '-march=native', '-mprefer-vector-width=512'],
};

/**
 * The loops of peers.c by name, from one compiler; null when it is not installed.
 *
 * @param {keyof typeof compilers} name
 * @returns {Record<string, (...arrays: any[]) => void> | null}
 */
function compiled(name) {
  const headers = require(require.resolve('node-api-headers', { paths: [root] })).include_dir;
  const line = [...compilers[name], '-std=gnu11', '-fPIC', '-shared', `-I${headers}`, source];
  const digest = crypto.createHash('sha256').update(line.join(' ')).update(fs.readFileSync(source)).digest('hex');
  const file = path.join(folder, `peers-${digest.slice(0, 16)}.node`);
  if (!fs.existsSync(file)) {
    fs.mkdirSync(folder, { recursive: true });
    const partial = `${file}.${process.pid}`;
    const { status, error, stderr } = spawnSync(line[0], [...line.slice(1), '-o', partial, '-lm'], { encoding: 'utf8' });
    if (error) return null;
    if (status !== 0) throw new Error(`${name} does not compile ${source}:\n${stderr}`);
    fs.renameSync(partial, file);
  }
  return require(file);
}

/**
 * The C loop `kernel` on these arrays, for every compiler that is there.
 *
 * @param {string} kernel
 * @param {any[]} arrays
 * @returns {Record<string, () => void>}
 */
function inC(kernel, ...arrays) {
  const found = {};
  for (const name of /** @type {(keyof typeof compilers)[]} */ (Object.keys(compilers))) {
    const run = compiled(name)?.[kernel];
    if (run) found[name] = () => run(...arrays);
  }
  return found;
}

const program = `
import json, sys, time
try:
    import numpy as np
except ImportError:
    sys.exit(3)
setup, statement, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
names = {'np': np}
exec(setup, names)
code = compile(statement, 'statement', 'exec')
best, end = float('inf'), time.perf_counter() + seconds
while best == float('inf') or time.perf_counter() < end:
    start = time.perf_counter()
    exec(code, names)
    best = min(best, time.perf_counter() - start)
print(best * 1e9)
`;

/**
 * A statement in Python that writes into existing arrays, timed in a process of its own; nothing where
 * numpy is not installed.
 *
 * @param {string} setup
 * @param {string} statement
 * @returns {Record<string, { sample: (seconds: number) => number | null }>}
 */
function inNumpy(setup, statement) {
  const sample = (/** @type {number} */ seconds) => {
    for (const python of ['/usr/bin/python3', 'python3']) {
      const { status, stdout } = spawnSync(python, ['-c', program, setup, statement, String(seconds)], { encoding: 'utf8' });
      if (status === 0) return Number(stdout);
    }
    return null;
  };
  return { numpy: { sample } };
}

module.exports = { inC, inNumpy };
