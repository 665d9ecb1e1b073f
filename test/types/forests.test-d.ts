// What TypeScript says of forests: compiled by `npm run types`, never run.
import { Forest, load, tensor, type ForestExplanation, type Model, type Tensor } from '../../lib/index.js';

async function typed(): Promise<void> {
  const forest: Forest = await load('model.json', { format: 'xgboost', threads: 2 });
  const parsed: Forest = await load({ learner: {} });
  const all: Tensor = forest.predict([[1, null, 3]], { output: 'contributions', iterations: [0, 5] });
  const later: Promise<Tensor> = parsed.predictAsync({ a: Float32Array.of(1) }, { signal: AbortSignal.timeout(1) });
  forest.predict(tensor([1, 2]), { missing: -999 });
  const binary: Forest = await load('model.ubj', { missing: 0 });
  const either: Model | Forest = await load('model.json', { threads: 1 });
  if (either instanceof Forest) either.predict([1]);
  else either.run([1]);
  // @ts-expect-error it may be a forest
  (await load('model.json')).run([1]);
  const bytes: Uint8Array = forest.toObject({ symbol: 'forest', dtype: 'f64' });
  const text: string = forest.toObject({ emit: 'assembly' }) + forest.toHeader();
  const names: readonly string[] | null = forest.featureNames;
  const explained: ForestExplanation = forest.explain();
  const perRow: number | undefined = explained.nanoseconds?.row;
  // @ts-expect-error no such output
  forest.predict([1], { output: 'odds' });
  // @ts-expect-error made by load()
  new Forest();
  void [perRow, binary, all, later, bytes, text, names, forest.toWasm({ output: 'margin' }).bytes];
}
void typed;
