// Runs modules with threads, in a process of its own, since a fault in their pool would hang it:
//
//   node test/support/shared-runs.mjs SCENARIO
//
// Prints what it has to tell as a line of JSON. test/wasm-threads.test.js says how long each may take.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { load } from 'graphjit/web/threads';

const require = createRequire(import.meta.url);
const { Graph, concat, tensor, where } = require('graphjit');
const { gcUntil } = require('./gc.js');

/** The bits of an array, those of NaNs aside, which wasm leaves open. */
const bytesOf = ({ data }) => Buffer.from(data.map((element) => (Number.isNaN(element) ? NaN : element)).buffer);

/** Kernels of every kind that is divided, and some that are not. */
const programs = {
  elementwise: (g, x) => g.output('y', x.sin().mul(x.cos()).add(x.abs().sqrt())).output('z', x.convert('f32').tanh()),
  'long rows': (g, x) => g.output('a', x.sum()).output('b', x.mul(x).mean()).output('c', x.std()).output('d', x.argmax()).output('e', x.max()),
  'many rows': (g, x) => g.output('s', x.sum({ axis: 1 })).output('m', x.exp().max({ axis: 1 })),
  columns: (g, x) => g.output('s', x.sum({ axis: 0 })).output('v', x.var({ axis: 0 })),
  softmax: (g, x) => g.output('p', x.softmax()).output('n', x.convert('f32').layerNorm()),
  'running sums': (g, x) => g.output('r', x.cumulativeSum({ axis: 1 })).output('c', x.cumulativeSum({ axis: 0 })),
  sorts: (g, x) => g.output('s', x.sort()).output('t', x.argsort({ axis: 0 })).output('l', x.reshape([-1]).sort()),
  selection: (g, x) => {
    const some = x.maskedSelect(x.gt(0.2));
    g.output('m', some.exp()).output('u', x.floor().uniqueValues()).output('r', x.compress(x.sum({ axis: 1 }).gt(0), { axis: 0 }));
  },
  joins: (g, x) => g.output('j', concat([x, x.exp(), x.neg()])).output('k', concat([x, x.floor()], { axis: 1 })),
  padding: (g, x) => g.output('p', x.log1p().pad([[1, 2], [3, 4]], { value: -1 })),
  turned: (g, x) => g.output('t', x.T.add(1)).output('u', x.add(1).reverse()),
  windows: (g, x) => g.output('w', x.updateSlice(x.slice([0, 3]).exp(), [1, 0])).output('s', x.slice([null, null, 2]).cbrt()),
  integers: (g, x) => {
    const k = x.mul(1000).convert('i32');
    g.output('d', k.div(7).add(k.rem(13))).output('l', k.convert('i64').mul(k).sum({ axis: 1 }));
  },
  choices: (g, x) => g.output('c', where(x.gt(0), x.log(), x.exp())).output('b', x.isFinite().and(x.lt(1)).sum()),
  chain: (g, x) => {
    const y = x.exp().add(x.sum({ axis: 1, keepDims: true })).sin();
    g.output('y', y.T.mul(2)).output('m', y.max({ axis: 0 }).tanh());
  },
};

const inputOf = (n, m, seed) => {
  const data = Float64Array.from({ length: n * m }, (_, i) => (((i + seed) * 7919) % 20011) / 1000 - 10);
  data.set([NaN, Infinity, -Infinity, -0, 5e-324].slice(0, n * m));
  return tensor(data, { shape: [n, m] });
};

const compile = (build, options = { optimize: false }) => {
  const graph = new Graph('shared');
  build(graph, graph.input('x', 'f64', ['n', 'm']));
  const program = graph.compile({ numerics: 'strict', cache: false });
  return { program, bytes: graph.toWasm({ threads: true, variants: ['simd'], ...options }).bytes };
};

const assertSame = (own, native, text) => {
  for (const name of Object.keys(native)) {
    assert.deepEqual([...own[name].shape], [...native[name].shape], text);
    assert.ok(bytesOf(own[name]).equals(bytesOf(native[name])), `${name} of ${text} differs`);
  }
};

/** Threads of this process, by Linux's count, once no more come or go. */
const countThreads = async () => {
  for (let last = -1, since = 0; ; ) {
    const count = fs.readdirSync('/proc/self/task').length;
    if (count !== last) since = Date.now();
    if (Date.now() - since > 300) return count;
    last = count;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

const scenarios = {
  /** Every program has the bits of native code, whoever does what. */
  async bits() {
    for (const [name, build] of Object.entries(programs)) {
      const { program, bytes } = compile(build);
      const team = await Promise.all([1, 2, 3].map((threads) => load(bytes, { threads })));
      for (const [n, m] of [[211, 330], [3, 20011], [1500, 41], [3, 5]]) {
        const x = inputOf(n, m, n);
        const native = program.run({ x });
        for (const own of team) {
          for (let again = 0; again < 2; again++) assertSame(own.run({ x }), native, `${name} of [${n}, ${m}] on ${own.threads}`);
        }
      }
      team.forEach((own) => own.dispose());
    }
    return Object.keys(programs).length;
  },

  /** Jobs close after each other, of sizes on both sides of what is divided, with sleep in between at times. */
  async many() {
    const { program, bytes } = compile(programs.chain, {});
    const own = await load(bytes, { threads: 3 });
    const cases = [[40, 50], [90, 100], [150, 140]].map(([n, m]) => ({ x: inputOf(n, m, m) }));
    const native = cases.map((inputs) => program.run(inputs));
    for (let i = 0; i < 1000; i++) {
      assertSame(own.run(cases[i % 3]), native[i % 3], `run ${i}`);
      if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return own.threads;
  },

  /** Memory grows under workers that have seen less of it, and views stay what they are. */
  async growth() {
    const { program, bytes } = compile(programs.elementwise);
    const own = await load(bytes, { threads: 3 });
    const first = own.allocate('f64', [100, 100]);
    first.data.set(inputOf(100, 100, 1).data);
    const old = first.data;
    const before = own.memory.buffer.byteLength;
    for (const n of [100, 400, 2000]) {
      const x = own.allocate('f64', [n, 100]);
      x.data.set(inputOf(n, 100, 1).data);
      assertSame(own.run({ x }), program.run({ x: inputOf(n, 100, 1) }), `${n} rows`);
    }
    assert.ok(own.memory.buffer.byteLength > before);
    assert.deepEqual(bytesOf(first), bytesOf({ data: old }));
    first.data[7] = 123;
    assert.equal(old[7], 123);
    return true;
  },

  /** A call stack that ends inside of a run leaves nothing behind. */
  async overflow() {
    const { program, bytes } = compile(programs.chain);
    const own = await load(bytes, { threads: 2 });
    const x = inputOf(200, 200, 5);
    const native = program.run({ x });
    let failures = 0;
    const descend = () => {
      try {
        descend();
      } catch {
        failures++;
        own.run({ x });
      }
    };
    for (let i = 0; i < 20; i++) {
      descend();
      assertSame(own.run({ x }), native, 'the run after an overflow');
    }
    return failures;
  },

  /** Workers go when their program is disposed of. */
  async dispose() {
    const { bytes } = compile(programs.elementwise);
    (await load(bytes, { threads: 2 })).dispose(); // what Node starts once
    const before = await countThreads();
    const own = await load(bytes, { threads: 4 });
    const during = await countThreads();
    const call = own.bind({ x: inputOf(300, 300, 1) });
    call();
    own.dispose();
    own.dispose();
    assert.throws(() => own.run({ x: inputOf(3, 3, 1) }), { code: 'ERR_STATE' });
    assert.throws(call, { code: 'ERR_STATE' });
    return { started: during - before, left: (await countThreads()) - before };
  },

  /** Workers go when nobody can run their program any more. */
  async forget() {
    const { bytes } = compile(programs.elementwise);
    const x = inputOf(300, 300, 1);
    (await load(bytes, { threads: 2 })).dispose();
    const before = await countThreads();
    let call = (await load(bytes, { threads: 3 })).bind({ x });
    await gcUntil(() => false, 5);
    const during = await countThreads();
    call();
    call = undefined;
    await gcUntil(() => false, 5);
    return { started: during - before, left: (await countThreads()) - before };
  },

  /** A machine with more cores than a program may have threads; its workers are not real. */
  async cores() {
    const { bytes } = compile(programs.elementwise);
    globalThis.Worker = class {
      postMessage() {
        setImmediate(() => this.onmessage({}));
      }
    };
    Object.defineProperty(globalThis, 'navigator', { value: { hardwareConcurrency: 1000 }, configurable: true });
    const fresh = await import(`${new URL('../../lib/web/threads.mjs', import.meta.url)}?cores`);
    const most = await fresh.load(bytes);
    Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true });
    const { process } = globalThis;
    delete globalThis.process;
    const unknown = await import(`${new URL('../../lib/web/threads.mjs', import.meta.url)}?unknown`);
    const one = await unknown.load(bytes);
    globalThis.process = process;
    return [most.threads, one.threads];
  },

  /** The process ends with workers that sleep. */
  async exit() {
    const { bytes } = compile(programs.elementwise);
    const own = await load(bytes, { threads: 3 });
    own.run({ x: inputOf(300, 300, 1) });
    return own.threads;
  },
};

const result = await scenarios[process.argv[2]]();
console.log(JSON.stringify(result));
