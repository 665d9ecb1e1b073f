// What TypeScript says of populations and evolution.
import { evolve, evolveAsync, native, population, symbolicRegression } from '../../lib/index.js';
import type { Population, Tensor } from '../../lib/index.js';

const all: Population = population([['add', 'x', ['mul', 2, 'y']], 'x + y', 3], {
  variables: ['x', 'y'],
  ops: ['add', 'mul', { name: 'bend', operands: ['p'], expression: 'p * p' }, { name: 'own', native: (a: number, b: number) => a < b }],
});
population([], { variables: [], ops: [native((a: number) => a + 1), Math.fround] });
// @ts-expect-error a function of texts
population([], { variables: [], ops: [{ name: 'own', native: (a: string) => a.length }] });
all.errors({ x: [1] }, [1], { loss: (f, y) => Math.abs(f - y) });
const values: Tensor = all.predict({ x: [1], y: Float64Array.of(2) }, { threads: 2 });
all.toGraph().compile({ tier: 'auto' }).run({ x: [1], y: [2] });
const losses: Float64Array = all.fitness([[1], [2]], [3], { loss: 'mae', bound: 3 }).values;
population(all.fitConstants({ x: [1], y: [2] }, values).programs, { variables: all.variables });
// @ts-expect-error variables are needed
population([], {});
// @ts-expect-error a loss is a text
all.fitness({}, losses, { loss: 1 });

const box = Array.from({ length: 5 }, () => [-5, 5]);
evolve((v) => v[0], { bounds: box });
const tree = ['add', 'x', 1];
population([tree], { variables: ['x'] });
const { x, value }: { x: Tensor; value: number } = evolve((v) => v[0] ** 2, { bounds: [[-1, 1]], tournament: 2 });
evolveAsync((rows: Tensor) => rows.sum({ axis: 1 }), { bounds: [[0, value]], vectorized: true, method: 'cmaes', sigma: 1, start: x });
// @ts-expect-error an option of another method
evolve((v) => v[0], { bounds: [[-1, 1]], method: 'de', sigma: 1 });

const model = symbolicRegression({ seed: 1, ops: ['add'] }).fit({ x: [1] }, [2], { onGeneration: ({ loss }) => loss > 1, verbose: true });
const found: string = model.front[0].expression + model.best.toLatex() + model.best.toMathml() + model.toHtml({ title: 'x' });
model.fitAsync([[1]], [2], { state: model.state }).then((fitted) => [fitted.predict([[1]]).item(), fitted.score([[1]], [2], { weights: [1] })]);
// @ts-expect-error no loss that can be made less
symbolicRegression({ loss: 1, variables: [found] });
