// Compiles or does not: which dtypes tensors have, and what may be written with them.
import { Graph, GraphError, Tensor, Value, add, arange, asTensor, concat, dtypes, eye, full, linspace, min, noGrad, ones, tensor, where, zeros, zerosLike } from '../../lib/index.js';
import type { DataTypeMap, DType, DTypeOf, ErrorCode, Nested, ScalarOf, TypedArray } from '../../lib/index.js';

/** True where both types are the same one. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

function check<_T extends true>(): void {}

// ------------------------------------------------------------------------------- dtypes and arrays

check<Same<DataTypeMap['i64'], BigInt64Array>>();
check<Same<DTypeOf<Float32Array>, 'f32'>>();
check<Same<DTypeOf<Buffer>, 'u8'>>();
check<Same<DTypeOf<Uint8ClampedArray>, 'u8'>>();
check<Same<DTypeOf<BigUint64Array>, 'u64'>>();
check<Same<DTypeOf<number[]>, never>>();
check<Same<ScalarOf<'bool'>, boolean>>();
check<Same<ScalarOf<'u64'>, bigint>>();
check<Same<ScalarOf<'f32'>, number>>();
check<Same<ScalarOf<DType>, number | bigint | boolean>>();

const bytes: number = dtypes.f32.bytes;
const fresh: Int16Array = new dtypes.i16.arrayType(3);
// @ts-expect-error the table cannot be changed
dtypes.f32.bytes = 2;

// ---------------------------------------------------------------------------------------- creation

check<Same<typeof numbers, Tensor<'f64'>>>();
const numbers = tensor([[1, 2], [3, 4]]);
const singles: Tensor<'f32'> = tensor([[1, 2]], { dtype: 'f32' });
const wrapped: Tensor<'i8'> = tensor(new Int8Array(4), { shape: [2, -1] });
const bools: Tensor<'bool'> = tensor([true, false]);
const bigs: Tensor<'i64'> = tensor([1n, 2n]);
const scalar: Tensor<'f64'> = tensor(3);
const rows: Tensor = tensor([new Float32Array(2), new Float32Array(2)]);
const truth: Tensor<'bool'> = tensor(new Uint8Array(2), { dtype: 'bool' });
const converted: Tensor<'i32'> = tensor(singles, { dtype: 'i32' });
const same: Tensor<'f32'> = asTensor(singles);

const plain: Tensor<'f64'> = zeros([2, 3]);
const ints: Tensor<'u16'> = ones(4, { dtype: 'u16' });
const filled: [Tensor<'f64'>, Tensor<'bool'>, Tensor<'i64'>] = [full(1, 2), full(1, true), full(1, 2n)];
const like: Tensor<'f32'> = zerosLike(singles);
const other: Tensor<'bool'> = zerosLike(singles, { dtype: 'bool' });
const identity: Tensor<'i32'> = eye(2, { k: 1, dtype: 'i32' });
const wide: Tensor<'f64'> = eye(2, 3);
const counted: [Tensor<'f64'>, Tensor<'i64'>, Tensor<'u8'>] = [arange(3), arange(0n, 3n), arange(0, 3, { dtype: 'u8' })];
const spaced: Tensor<'f32'> = linspace(0, 1, 5, { dtype: 'f32', endpoint: false });

// @ts-expect-error an unknown dtype
tensor([1], { dtype: 'float32' });
// @ts-expect-error an unknown option
tensor([1], { type: 'f32' });
// @ts-expect-error text is no element
tensor(['1']);
// @ts-expect-error a shape is numbers
zeros(['n']);
// @ts-expect-error linspace makes floats only
linspace(0, 1, 5, { dtype: 'i32' });
// @ts-expect-error the count is needed
linspace(0, 1);
// @ts-expect-error tensors come from functions
new Tensor();

// ----------------------------------------------------------------------------------------- tensors

const data: Float32Array = singles.data;
const shape: readonly number[] = singles.shape;
const element: boolean = bools.at(0);
const big: bigint = bigs.item();
const nested: Nested<number> = numbers.toArray();
const view: Tensor<'f32'> = singles.slice(0, [null, null, -1], '...', null).T.reshape([-1]).flip().expandDims(0).squeeze();
const permuted: Tensor<'f32'> = singles.permute([1, 0]);
const repeated: Tensor<'f32'> = singles.transpose([1, 0]).broadcastTo([4, 2, 2]).contiguous().copy();
const chained: Tensor<'f64'> = plain.set([0, 0], 1).set([0, 1], true);
const anyArray: TypedArray = (rows as Tensor).data;
for (const row of numbers) String(row);

// @ts-expect-error shapes cannot be changed
singles.shape[0] = 3;
// @ts-expect-error nor can any other field
singles.offset = 1;
// @ts-expect-error an index is a number
singles.at('0');
// @ts-expect-error the axes are needed
singles.permute();
// @ts-expect-error a range is an array
singles.slice('0:1');
// @ts-expect-error a Float32Array is no Float64Array
const wrong: Float64Array = singles.data;

// ------------------------------------------------------------------------------------------ errors

try {
  tensor(1);
} catch (error) {
  if (error instanceof GraphError) {
    const code: ErrorCode = error.code;
    // @ts-expect-error no such code
    const never: boolean = code === 'ERR_TYPO';
  }
}
new GraphError('message', { code: 'ERR_SHAPE', cause: new Error('inner') });

{
  const sum: Tensor = tensor([1, 2]).add(1).mul([3, 4]).sum({ axis: 0 });
  const either: Tensor = where(tensor([true]), 1, sum);
  const joined: Tensor = concat([sum, either], { axis: 0 });
  const least: Tensor = min(joined, { axis: 0 });
  const less: Tensor = min(1, joined).var({ correction: 1 });
  const value: Value = add(tensor([1]), new Graph().input('x', 'f64', [1]));
  // @ts-expect-error an unknown option
  sum.mean({ axes: 1 });
  // @ts-expect-error text is no operand
  sum.add('1');
  // @ts-expect-error nothing is missing but an operand
  sum.sub();
  void [least, less, value];
}

{
  const leaf: Tensor<'f32'> = tensor(new Float32Array(2), { requiresGrad: true });
  leaf.requiresGrad = false;
  leaf.mul(leaf).backward([1, 2], { retainGraph: true });
  const gradient: Tensor<'f32'> | null = leaf.grad;
  leaf.grad = null;
  const next: Tensor = noGrad(() => leaf.detach().retainGrad().add(1));
  // @ts-expect-error nobody sets it
  leaf.isLeaf = true;
  // @ts-expect-error an unknown option
  leaf.backward(1, { createGraph: true });
  void [gradient, next];
}
