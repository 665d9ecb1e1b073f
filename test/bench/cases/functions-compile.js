// How long a function takes from its source to the end of its first call: n-body of support/programs.js, some 35 lines.
//
// Cold: a source that nobody has seen, no cache. Cached: the same source again, in this process, or in a fresh one that finds
// the code on disk, where LLVM is loaded but has not compiled anything.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { inPython } = require('../support/peers.js');
const { nbody } = require('../support/programs.js');

const support = path.join(__dirname, '..', 'support');
const bodies = () => Float64Array.from({ length: 21 }, (_, i) => Math.sin(i) + 2);

/** Nanoseconds from a source to the end of its first call. @param {Function | string} source @param {object} [options] */
function first(source, options) {
  const { native } = require('../../../lib/index.js');
  const own = bodies();
  const start = process.hrtime.bigint();
  native(source, options)(own, 1, 0.001);
  return Number(process.hrtime.bigint() - start);
}

const python = `import sys
sys.dont_write_bytecode = True
sys.path.insert(0, ${JSON.stringify(support)})
import numpy as np
from numba import njit
from programs import nbody
bodies = np.sin(np.arange(21.0)) + 2`;

let sources = 0;

const compile = {
  name: 'function-compile',
  title: 'a function of 35 lines: compiled, and called',
  unit: 'ms',
  targets: [{ below: 10 }, { who: 'the same again', below: 1 }],
  contestants: () => ({
    graphjit: () => first(String(nbody).replace('square * Math', `(${1 + sources++ * 1e-9} * square) * Math`), { cache: false }),
    'the same again': () => first(nbody),
    ...inPython('numba', python, 'njit(nbody.py_func)(bodies, 1, 0.001)'),
  }),
};

/** A fresh process's figure. @param {Record<string, string>} env */
function measure(env) {
  const words = [...process.execArgv, __filename];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`the process ended with status ${status}`);
  return Number(stdout);
}

const fromDisk = {
  name: 'function-compile-disk',
  title: 'the first function of a process, of 35 lines: its code found on disk',
  unit: 'ms',
  targets: [{ below: 10 }],
  values() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-bench-'));
    const env = { GRAPHJIT_CACHE: '', GRAPHJIT_CACHE_DIR: folder };
    const cold = measure(env);
    const figures = { graphjit: measure(env), 'not on disk': cold };
    fs.rmSync(folder, { recursive: true });
    return figures;
  },
};

module.exports = [compile, fromDisk];
if (require.main === module) console.log(first(nbody));
