// Shows a graph as WebAssembly: a module and its loader in one file, with typings beside it. Here they go into
// a temporary folder and come back as a page or another Node would load them.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { Graph } = require('graphjit');

const graph = new Graph('wave');
const t = graph.input('t', 'f64', ['n']);
graph.output('y', t.mul(6.5).sin().mul(t.neg().exp()));

async function main() {
  const { bytes, mjs, types } = graph.toWasm();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-'));
  try {
    fs.writeFileSync(path.join(folder, 'wave.mjs'), mjs);
    fs.writeFileSync(path.join(folder, 'wave.d.mts'), types);

    const { load } = await import(pathToFileURL(path.join(folder, 'wave.mjs')).href);
    const wave = await load();
    const time = Float64Array.from({ length: 1000 }, (_, i) => i / 100);
    const { y } = wave.run({ t: time });
    console.log(`a module of ${(bytes.length / 1024).toFixed(1)} KiB computed ${y.data.length} values`);

    // 'strict' is what toWasm uses by default: the same bits as native code compiled with it.
    const native = graph.compile({ numerics: 'strict' }).run({ t: time }).y.data;
    const same = Buffer.compare(Buffer.from(native.buffer), Buffer.from(y.data.buffer)) === 0;
    console.log(`the same bits as native code: ${same}`);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

main();
