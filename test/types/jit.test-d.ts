// Compiles or does not: what users may write with functions of tensors, and what they may not.
import { jit, tensor } from '../../lib/index.js';
import type { Graph, Tensor, Value } from '../../lib/index.js';

const t: Tensor = tensor([1, 2]);
const f = jit((x: Value, scale: Value) => x.mul(scale));
const y: Tensor = f(t, 2);
const again: Tensor = f(Float64Array.of(1), t);
// @ts-expect-error text is no tensor
f('text', 1);

interface Layer {
  w: Value;
  b: Value | null;
}
const model = jit((layers: Layer[], x: Value, mode: 'train' | 'test') => ({ loss: x.sum(), layers, mode: mode === 'train' ? 1 : 0 }), {
  static: ['mode'],
  donate: [0],
  symbolic: [null, ['n', 4]],
  tier: 'llvm',
});
const { loss, layers } = model([{ w: t, b: null }], t, 'test');
const weights: Tensor = layers[0].w;
// @ts-expect-error the static argument keeps its type
model([{ w: t, b: null }], t, 'other');
// @ts-expect-error an unknown option
jit((x: Value) => x, { statics: [0] });

const inner: Value = jit((x: Value) => f(x, x))(undefined as unknown as Value);
const graph: Graph = f.lower({ dtype: 'f32', shape: ['n'] }, t);
const count: number = f.cacheSize;
f.clear();
f.dispose();
void [y, again, loss, weights, inner, graph, count];
