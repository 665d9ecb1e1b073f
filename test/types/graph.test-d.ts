// Compiles or does not: what users may write with graphs and programs, and what they may not.
import { Graph, Program, Value, add, max, tensor, where, var as variance } from '../../lib/index.js';
import type { Results, Tensor, WasmModule } from '../../lib/index.js';

const graph = new Graph('name');
const x: Value = graph.input('x', 'f64', ['n', 4]);
const scalar = graph.input('k', 'i32');
const y = x.mul(2).add(x).sub([1, 2, 3, 4]).max(0).sum({ axis: -1, keepDims: true });
graph.output('y', y).output('z', add(1, x)).output('w', where(x.gt(0), x, 0n));
graph.output('m', max(x, { axis: [0, 1] })).output('v', variance(x, { correction: 1 }));
graph.output('p', x.softmax().add(x.layerNorm({ axis: [0, 1], scale: 2, bias: [1, 2, 3, 4] })));
graph.constant([[1, 2], [3, 4]], { dtype: 'f32' });
graph.constant(1, { shape: ['n'] });

// @ts-expect-error an unknown dtype
graph.input('q', 'float64');
// @ts-expect-error a number is no output
graph.output('q', 3);
// @ts-expect-error an unknown option
x.sum({ axes: 1 });
// @ts-expect-error no such approximation
x.gelu({ approximate: 'erf' });
// @ts-expect-error an operand is missing
x.add();
// @ts-expect-error text is no operand
x.add('1');
// @ts-expect-error values come from graphs
new Value();

const program: Program = graph.compile({ threads: 2, numerics: 'strict', optLevel: 3 });
// @ts-expect-error an unknown way of computing
graph.compile({ numerics: 'exact' });

const results: Results = program.run({ x: new Float64Array(4), k: 1 }, { y: new Float64Array(1) });
const result: Tensor = results.y;
program.run({ x: tensor([[1, 2, 3, 4]]), k: [1, 2] });
// @ts-expect-error text is no input
program.run({ x: 'abc' });

const call = program.bind({ x: new Float64Array(4), k: new Int32Array(1) });
const again: Tensor = call().y;
const pending: Promise<Results> = program.runAsync({ x: result }, undefined, { signal: new AbortController().signal });
const threads: number = program.stats.threads;
const lanes: string = program.stats.kernels[0].vectorised;
const loop: { name: string; lanes: number; how: string } = program.stats.kernels[0].loops[0];
const busy: number = program.profile({ x: result, k: [1] }, { runs: 3, seconds: 0.1 }).kernels[0].roof;
// @ts-expect-error seconds are a number
program.profile({ x: result, k: [1] }, { seconds: '1' });
const place: { offset: number | string; inPlace: boolean } = program.stats.intermediates[0];
const plan: { scratchBytes: number | string } = program.memory({ n: 100 });
const wide: number | string = program.memory().inputs[0].bytes;
const wasm: WasmModule = graph.toWasm({ variants: ['mvp', 'relaxed'], weights: 'separate', optimize: 'auto' });
// @ts-expect-error one variant of a list
graph.toWasm({ variants: 'simd' });
const bytes: Uint8Array = wasm.bytes;
{
  const text: string = Graph.parse(String(graph)).toTable();
  void [text, scalar, again, pending, lanes, loop, busy, place, plan, wide, bytes, call.outputs];
}
