// Shows functions of tensors: traced once, compiled, called like any other function.
'use strict';

const { jit, tensor } = require('graphjit');

// One step of gradient descent for a line through points. The gradients are written by hand.
const step = jit(
  (params, { x, y }, rate) => {
    const error = x.mul(params.slope).add(params.offset).sub(y);
    const slope = params.slope.sub(error.mul(x).mean().mul(rate));
    const offset = params.offset.sub(error.mean().mul(rate));
    return { params: { slope, offset }, loss: error.mul(error).mean() };
  },
  { name: 'step', donate: ['params'] },
);

const x = tensor(Float64Array.from({ length: 100 }, (_, i) => i / 100));
const y = tensor(Float64Array.from(x.data, (at) => 3 * at - 1));
let state = { params: { slope: tensor(0), offset: tensor(0) } };
for (let i = 0; i < 2000; i++) state = step(state.params, { x, y }, 0.5);
console.log(`slope ${state.params.slope.item().toFixed(3)}, offset ${state.params.offset.item().toFixed(3)}`);
console.log(`traced ${step.cacheSize} time\n`);

// What the function did, for points of any number and any other way to compile.
const points = { dtype: 'f32', shape: ['n'] };
console.log(String(step.lower({ slope: { dtype: 'f32' }, offset: { dtype: 'f32' } }, { x: points, y: points }, 0.5)));

// JavaScript cannot branch on a value that is not there yet, and says so.
try {
  jit((value) => (value.sum() > 0 ? value : value.neg()), { name: 'positive' })(x);
} catch (error) {
  console.log(error.message.replace(/ made at .*?,/, ''));
}
