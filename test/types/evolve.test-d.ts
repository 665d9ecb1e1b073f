// What TypeScript says of populations.
import { population } from '../../lib/index.js';
import type { Population, Tensor } from '../../lib/index.js';

const all: Population = population([['add', 'x', ['mul', 2, 'y']], 'x + y', 3], {
  variables: ['x', 'y'],
  ops: ['add', 'mul', { name: 'bend', operands: ['p'], expression: 'p * p' }],
});
const values: Tensor = all.predict({ x: [1], y: Float64Array.of(2) }, { threads: 2 });
const losses: Float64Array = all.fitness([[1], [2]], [3], { loss: 'mae', bound: 3 }).values;
population(all.fitConstants({ x: [1], y: [2] }, values).programs, { variables: all.variables });
// @ts-expect-error variables are needed
population([], {});
// @ts-expect-error a loss is a text
all.fitness({}, losses, { loss: 1 });
