// What TypeScript says of optimisers and solvers.
import { adam, fixedPoint, initializers, leastSquares, load, minimize, random, root, save, schedules, sgd, tensor } from '../../lib/index.js';
import type { Tensor, Value } from '../../lib/index.js';

const optimizer = adam({ learningRate: schedules.cosineDecay(0.1, { steps: 100 }), betas: [0.9, 0.99] });
const params = { w: tensor([1, 2]), b: [tensor(1)] };
const [next, state] = optimizer.update(params, optimizer.init(params), params);
save('x.safetensors', { params: next, state });
const rate: number = schedules.linear(0, 1, { steps: 5 })(3);
sgd({ learningRate: (step) => step.mul(rate) });
// @ts-expect-error a learning rate is needed
sgd();
// @ts-expect-error two of them
adam({ betas: [0.9] });

const weight: Tensor = initializers.heNormal(random.key(1), [3, 4], { dtype: 'f32', inAxis: 1, outAxis: 0 });
// @ts-expect-error no fan
initializers.normal(random.key(1), [3], { inAxis: 1 });

const { x, value, gradient } = minimize(({ a, b }) => a.square().add(b.sum()), { a: 1, b: tensor([1, 2]) });
const parts: [number, Tensor, number] = [x.a, x.b, value];
const slope: Tensor | undefined = gradient?.b;
minimize((v: Value) => v.square().sum(), new Float64Array(3), { method: 'newton-cg', callback: ({ iteration }) => iteration < 3 });
// @ts-expect-error no such method
minimize((v: Value) => v.sum(), tensor([1]), { method: 'adam' });
const fit = leastSquares((p: { k: Value }, t: Value) => t.mul(p.k), { k: 1 }, { args: [tensor([1])] });
const deviations: Tensor | undefined = fit.covariance?.diagonal().sqrt();
const two: { a: number } = root(({ a }) => ({ a: a.sub(1) }), { a: 3 }).x;
const one: number = fixedPoint((v: Value) => v.cos(), 1, { memory: 0 }).x;
const tree = load('x.safetensors', { nested: true }).params.w;
export { deviations, one, parts, slope, tree, two, weight };
