/**
 * Typings of derivatives and other transformations of functions; index.d.ts exports all of it. docs/transforms.md says more.
 */

import type { NativeFunction } from './function.js';
import type { Computed, Given } from './jit.js';
import type { Value } from './value.js';

/** Options of {@link grad} and {@link valueAndGrad}. */
export interface GradOptions<W = unknown, Aux extends boolean = boolean> {
  /** By which parameters: the number or name of one, or an array of these, which makes the derivative an array. 0 unless told. */
  wrt?: W;
  /**
   * Of functions of numbers: `'reverse'` runs the function once and goes back; `'forward'` runs it once for each input and keeps
   * nothing.
   */
  mode?: 'reverse' | 'forward';
  /** Of functions of tensors: whether it gives an array of the scalar and of what else there is, which is handed through. */
  hasAux?: Aux;
}

/** The derivative by an argument: numbers and float arrays as they are, objects and arrays of them field by field. */
export type Derivative<A> = A extends number ? number : A extends Float64Array | Float32Array ? A : A extends object ? { [K in keyof A]: Derivative<A[K]> } : never;

/** What the derivative of a function of numbers by `wrt` is. */
type DerivativeBy<F extends (...args: any[]) => unknown, W> = W extends number
  ? Derivative<Parameters<F>[W]>
  : W extends readonly unknown[]
    ? any[]
    : any;

/** What the gradient of a function of tensors by `wrt` is: shaped as the argument. */
type GradientBy<F extends (...args: any[]) => unknown, W> = W extends number
  ? Parameters<F>[W]
  : W extends readonly unknown[]
    ? any[]
    : any;

/** A function of tensors, and inside of what is traced of Values. */
export interface OfTensors<A extends unknown[], R> {
  (...args: { [K in keyof A]: Given<A[K]> }): Computed<R>;
  (...args: A): R;
}

/**
 * The derivative of a function that gives a scalar, as a function of the same arguments, shaped as the argument that it is by.
 *
 * Of tensors: trees of tensors of float dtypes. What is called with Values adds to the graph that is traced, so that it composes
 * with {@link jit}, {@link vmap} and itself; what is called with tensors is compiled as a whole.
 *
 * Of numbers, a native function or one that is called with numbers and typed arrays: a native function of the same arguments; a
 * number, a Float64Array or Float32Array of its length, an object or array of these.
 *
 * @throws {GraphError} `ERR_ARGUMENT` for a parameter that is none; calls throw `ERR_DTYPE` where an argument or the result is not of
 *   a float dtype, `ERR_SHAPE` where the result is no scalar, `ERR_UNSUPPORTED` for an op that has no derivative
 * @example
 * const loss = (w, x, y) => x.matmul(w).sub(y).square().mean();
 * grad(loss)(w, x, y); // a Tensor of the shape of w
 * @example
 * const slope = grad(native((x) => x * Math.sin(x)));
 * slope(2); // Math.sin(2) + 2 * Math.cos(2)
 */
export function grad<F extends (...args: any[]) => number, const W extends number | string | readonly (number | string)[] = 0>(
  fn: F,
  options?: GradOptions<W, false>,
): NativeFunction<(...args: Parameters<F>) => DerivativeBy<F, W>>;
export function grad<F extends (...args: any[]) => [Value, unknown], const W extends number | string | readonly (number | string)[] = 0>(
  fn: F,
  options: GradOptions<W, true> & { hasAux: true },
): OfTensors<Parameters<F>, [gradient: GradientBy<F, W>, aux: ReturnType<F>[1]]>;
export function grad<F extends (...args: any[]) => Value, const W extends number | string | readonly (number | string)[] = 0>(
  fn: F,
  options?: GradOptions<W, false>,
): OfTensors<Parameters<F>, GradientBy<F, W>>;

/** What the function gives and the derivative that {@link grad} gives; with `hasAux`, `[[value, aux], derivative]`. */
export function valueAndGrad<F extends (...args: any[]) => number, const W extends number | string | readonly (number | string)[] = 0>(
  fn: F,
  options?: GradOptions<W, false>,
): NativeFunction<(...args: Parameters<F>) => [value: number, derivative: DerivativeBy<F, W>]>;
export function valueAndGrad<F extends (...args: any[]) => [Value, unknown], const W extends number | string | readonly (number | string)[] = 0>(
  fn: F,
  options: GradOptions<W, true> & { hasAux: true },
): OfTensors<Parameters<F>, [value: ReturnType<F>, gradient: GradientBy<F, W>]>;
export function valueAndGrad<F extends (...args: any[]) => Value, const W extends number | string | readonly (number | string)[] = 0>(
  fn: F,
  options?: GradOptions<W, false>,
): OfTensors<Parameters<F>, [value: Value, gradient: GradientBy<F, W>]>;

/**
 * What a function gives, and a function that takes cotangents of that, a tree like it, to cotangents of all arguments.
 *
 * @example
 * const [y, pull] = vjp((x) => x.sin(), tensor([0, 1]));
 * pull(tensor([1, 1])); // [Tensor [1, 0.5403]]
 */
export function vjp<F extends (...args: any[]) => unknown>(
  fn: F,
  ...args: { [K in keyof Parameters<F>]: Given<Parameters<F>[K]> }
): [value: Computed<ReturnType<F>>, pull: (cotangents: any) => any[]];

/**
 * What a function gives for `primals`, and how that changes when they do so by `tangents`: trees like the arguments.
 *
 * @example
 * jvp((x) => x.sin(), [tensor([0, 1])], [tensor([1, 1])]); // [Tensor [0, 0.8415], Tensor [1, 0.5403]]
 */
export function jvp<F extends (...args: any[]) => unknown>(
  fn: F,
  primals: readonly unknown[],
  tangents: readonly unknown[],
): [value: Computed<ReturnType<F>>, tangent: Computed<ReturnType<F>>];

/**
 * The gradients of a value of a graph by others, as values of that graph, for who builds a graph by hand. `y` is a scalar, unless
 * `seed`, a value like it, says what each of its elements counts.
 *
 * @example
 * const [dw] = gradients(loss, [w]);
 * g.output('dw', dw);
 */
export function gradients(y: Value, xs: readonly Value[], seed?: Value): Value[];

/** An axis, counted from either end; null: no axis, since all examples share it; or a tree of these. */
export type BatchAxes = number | null | readonly BatchAxes[] | { readonly [name: string]: BatchAxes };

/** Options of {@link vmap}. */
export interface VmapOptions {
  /** The axis that examples lie along, of all arguments or, in an array, of each; a tree may have a tree of them. 0 unless told. */
  inAxes?: number | null | readonly BatchAxes[];
  /** The axis that they lie along in results: one, or a tree as the result is; null where all examples have the same. 0 unless told. */
  outAxes?: BatchAxes;
  /** How many examples there are, where no argument tells. */
  axisSize?: number | string;
}

/**
 * A function of one example as a function of a batch of them, without a loop: each operation becomes the one that
 * computes all examples. Composes with {@link jit}, {@link grad} and itself.
 *
 * @throws {GraphError} calls throw `ERR_SHAPE` where batches differ in size or an argument lacks the axis, `ERR_UNSUPPORTED` for an op
 *   that has no batch
 * @example
 * const gradients = vmap(grad(loss), { inAxes: [null, 0, 0] });
 * gradients(w, xs, ys); // one gradient per example
 */
export function vmap<F extends (...args: any[]) => unknown>(
  fn: F,
  options?: VmapOptions,
): OfTensors<Parameters<F>, ReturnType<F>>;

/** Options of {@link jacobian}. */
export interface JacobianOptions {
  /** By which parameters: the number or name of one, or an array of these, which makes each leaf an array. 0 unless told. */
  wrt?: number | string | readonly (number | string)[];
  /** `'forward'` takes a product per element of the arguments, `'reverse'` one per element of the result; the fewer unless told. */
  mode?: 'reverse' | 'forward';
}

/**
 * The derivative of every element of what a function gives by every element of an argument: a tree as the result, of
 * trees as the argument, of tensors whose shape is that of the one and then that of the other.
 *
 * @example
 * jacobian((x) => x.mul(x))(tensor([1, 2, 3])); // [[2, 0, 0], [0, 4, 0], [0, 0, 6]]
 */
export function jacobian<F extends (...args: any[]) => unknown>(
  fn: F,
  options?: JacobianOptions,
): OfTensors<Parameters<F>, any>;

/**
 * The second derivatives of a function that gives a scalar: a tree as the argument, of such trees, of tensors.
 *
 * @example
 * hessian((x) => x.mul(x).mul(x).sum())(tensor([1, 2])); // [[6, 0], [0, 12]]
 */
export function hessian<F extends (...args: any[]) => unknown>(
  fn: F,
  options?: Omit<JacobianOptions, 'mode'>,
): OfTensors<Parameters<F>, any>;

/**
 * The Hessian of a function that gives a scalar times a vector, without the Hessian: `tangents` are trees like the
 * arguments, and so is what comes of it, one per argument.
 *
 * @example
 * hvp((x) => x.mul(x).mul(x).sum(), [tensor([1, 2])], [tensor([1, 0])]); // [Tensor [6, 0]]
 */
export function hvp(fn: (...args: any[]) => unknown, primals: readonly unknown[], tangents: readonly unknown[]): any[];

/**
 * A function that gives the same, but keeps nothing of what it computes inside for its derivatives: these compute it again. It
 * takes more time and less memory.
 *
 * @example
 * const layer = checkpoint((x, w) => x.matmul(w).tanh());
 */
export function checkpoint<F extends (...args: any[]) => unknown>(fn: F): OfTensors<Parameters<F>, ReturnType<F>>;

/**
 * A function whose cotangents another one gives: `backward` gets the arguments in an array, the result and the cotangent of the
 * result, and returns an array with a cotangent per argument, null for none. Forward mode differentiates the function itself.
 *
 * @throws {GraphError} derivatives by values that the function takes from outside are `ERR_UNSUPPORTED`
 * @example
 * const clipped = customGrad((x) => x, ([x], result, ct) => [ct.clip(-1, 1)]);
 */
export function customGrad<F extends (...args: any[]) => unknown>(
  fn: F,
  backward: (args: any, result: any, cotangent: any) => readonly unknown[],
): OfTensors<Parameters<F>, ReturnType<F>>;
