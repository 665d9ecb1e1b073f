// What a process pays before its first result: `require('graphjit')`, and a small graph from a warm cache on disk.
//
// Each is the time of a process from start to end without that of a process that does nothing, which stands beside
// them; the least of several counts. Wall time: what it takes depends on the disk, and on what else runs.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const PROCESSES = 20;
const FEW = 3;

const home = JSON.stringify(path.join(__dirname, '..', '..', '..'));
const scripts = {
  nothing: '',
  require: `require(${home})`,
  first: `
    const { Graph } = require(${home});
    const graph = new Graph('small');
    const x = graph.input('x', 'f64', [4]);
    graph.output('y', x.mul(x).add(1).sqrt());
    graph.compile().run({ x: Float64Array.of(1, 2, 3, 4) });`,
};

/** Nanoseconds of one process. @param {string} script @param {Record<string, string>} env */
function time(script, env) {
  const start = process.hrtime.bigint();
  const { status } = spawnSync(process.execPath, ['-e', script], { stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`the process ended with status ${status}`);
  return Number(process.hrtime.bigint() - start);
}

module.exports = [
  {
    name: 'start',
    title: "require('graphjit') in a fresh process, beyond the start of Node",
    unit: 'ms',
    targets: [{ below: 20 }, { who: 'to the first result', below: 40 }],
    values({ quick }) {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-bench-'));
      const env = { GRAPHJIT_CACHE: '', GRAPHJIT_CACHE_DIR: folder };
      time(scripts.first, env);
      const best = { nothing: Infinity, require: Infinity, first: Infinity };
      for (let i = 0; i < (quick ? FEW : PROCESSES); i++) {
        for (const [name, script] of Object.entries(scripts)) best[name] = Math.min(best[name], time(script, env));
      }
      fs.rmSync(folder, { recursive: true });
      return {
        graphjit: Math.max(0, best.require - best.nothing),
        'to the first result': Math.max(0, best.first - best.nothing),
        'Node alone': best.nothing,
      };
    },
  },
];
