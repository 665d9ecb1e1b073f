// Damaged model files: changes of their bytes, and what becomes of such a file.
'use strict';

const assert = require('node:assert/strict');
const { load, zeros } = require('graphjit');

/** Bytes with some changed, left out, repeated or made huge. @type {(bytes: Uint8Array, random: () => number) => Uint8Array} */
function mutated(bytes, random) {
  const list = [...bytes];
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
    const at = Math.floor(random() * list.length);
    const some = Math.floor(random() * 12);
    [
      () => list.splice(at, 1, Math.floor(random() * 256)),
      () => list.splice(at, 1, list[at] ^ (1 << (some % 8))),
      () => list.splice(at, some),
      () => list.splice(at, 0, ...list.slice(at, at + some)),
      () => list.splice(at, 5, 255, 255, 255, 255, 15),
      () => list.splice(at),
    ][Math.floor(random() * 6)]();
    if (list.length === 0) list.push(0);
  }
  return Uint8Array.from(list);
}

/** A loop may be told to go on for years. */
const PATIENCE = 2000;

/** Elements of the largest value whose size is known. @type {(graph: any) => number} */
const largest = (graph) => Math.max(0, ...[...String(graph).matchAll(/ : \w+\[([^\]]*)\]/g)].map(([, shape]) =>
  shape.split(', ').reduce((total, size) => total * (/^\d+$/.test(size) ? Number(size) : 1), 1)));

/** @type {(source: Uint8Array | string, way?: 'run' | 'eval') => Promise<string>} the code of an error, or 'ran', 'large' or 'stopped' */
async function outcome(source, way = 'run') {
  try {
    const model = await load(source, { cache: false, compile: false });
    const shapes = model.inputs.map(({ shape = [] }) => shape.map((size) => (typeof size === 'number' ? size : 2)));
    if (shapes.some((shape) => shape.reduce((total, size) => total * size, 1) > 1e6)) return 'large';
    const inputs = Object.fromEntries(model.inputs.map(({ name, dtype }, i) => [name, zeros(shapes[i], { dtype: /** @type {any} */ (dtype) })]));
    // The graph of one that is built for its data is not known before, and only a run can be stopped.
    const evaluates = way === 'eval' && model.specialization === null;
    if (evaluates && largest(model.graph) > 1e6) return 'large';
    if (evaluates) model.eval(inputs);
    else await model.runAsync(inputs, undefined, { signal: AbortSignal.timeout(PATIENCE) });
    model.dispose();
    return 'ran';
  } catch (error) {
    const { name, code } = /** @type {any} */ (error);
    if (name === 'TimeoutError' || name === 'AbortError') return 'stopped';
    assert.ok(name === 'GraphError', /** @type {Error} */ (error).stack);
    return code;
  }
}

module.exports = { mutated, outcome };
