/**
 * What scripts and exported programs ask about tensors, and numbers and tensors that are made of each other.
 *
 * PROPERTIES are attributes of tensors, PRIMITIVES functions. Tensors lie on one device and have one layout here, so
 * what is asked about those has one answer.
 */
'use strict';

const { toElement } = require('../../tensor/convert.js');
const { dtypes } = require('../../tensor/dtypes.js');
const { wrapOwn } = require('../../tensor/tensor.js');
const { Known, Sizes } = require('../shared/operands.js');
const sizes = require('../shared/sizes.js');
const { known } = require('./builtins.js');
const { dtypeOf, numberOf } = require('./dtypes.js');
const { checkNested } = require('./guard.js');
const { Device } = require('./pickle-globals.js');
const { commonDtype } = require('./promotion.js');
const { Cell, Complex, Scalar, kindOfDtype, operandOf, scalarOf, sizeNumber } = require('./values.js');

/** @typedef {import('./interpreter.js').Interpreter} Interpreter */

/** The same answer to several questions. @type {(answer: any, names: readonly string[]) => Record<string, () => any>} */
const always = (answer, names) => Object.fromEntries(names.map((name) => [name, () => answer]));

/** @type {(cell: Cell, run: Interpreter) => any[]} */
const shapeOf = ({ operand }, run) => {
  const shape = operand instanceof Complex ? operand.shape : run.cx.shape(operand);
  return shape.map(sizeNumber);
};

/** Attributes of tensors. @type {Readonly<Record<string, (cell: Cell, run: Interpreter) => any>>} */
const PROPERTIES = {
  dtype: ({ operand }) => numberOf(operand.dtype),
  device: () => new Device('cpu'),
  layout: () => 0n,
  shape: shapeOf,
  ndim: (cell, run) => BigInt(run.cx.shape(cell.operand).length),
  ...always(false, ['is_cuda', 'is_quantized', 'is_sparse', 'is_mkldnn', 'requires_grad', 'is_mps', 'is_meta', 'is_nested', 'is_xpu']),
  is_leaf: () => true,
  data: (cell) => cell,
  T: (cell, run) => run.op('t', [cell]), mT: (cell, run) => run.op('transpose', [cell, -2n, -1n]),
  grad: () => null,
};

/**
 * Functions that ask about tensors, or make numbers of them.
 *
 * @type {Readonly<Record<string, (run: Interpreter, args: any[], named: ReadonlyMap<string, any>) => any>>}
 */
const PRIMITIVES = {
  ...Object.fromEntries(Object.keys(PROPERTIES).map((name) => [name, (/** @type {Interpreter} */ run, /** @type {any[]} */ [x]) => run.attribute(x, name)])),
  size: (run, [x, axis], named) => {
    const shape = shapeOf(x, run);
    const one = axis ?? named.get('dim') ?? null;
    if (one === null) return shape;
    return shape.at(Number(one)) ?? run.fail('ERR_SHAPE', `a tensor of rank ${shape.length} has no axis ${one}`);
  },
  sym_size: (run, args, named) => PRIMITIVES.size(run, args, named),
  dim: (run, [x]) => PROPERTIES.ndim(x, run),
  len: (run, [x]) => shapeOf(x, run)[0] ?? run.fail('ERR_SHAPE', 'a scalar has no length'),
  numel: (run, [x]) => shapeOf(x, run).reduce((total, size) => run.op('mul', [total, size]), 1n),
  sym_numel: (run, args, named) => PRIMITIVES.numel(run, args, named),
  item: (_, [x]) => scalarOf(x.operand, kindOfDtype(x.operand)),
  _local_scalar_dense: (run, args, named) => PRIMITIVES.item(run, args, named),
  Int: (run, [x]) => run.convert(x, 'int'), Float: (run, [x]) => run.convert(x, 'float'), Bool: (run, [x]) => run.convert(x, 'bool'),
  ScalarImplicit: (_, [x]) => scalarOf(x.operand, kindOfDtype(x.operand)),
  IntImplicit: (_, [x]) => scalarOf(x.operand, 'int'), FloatImplicit: (_, [x]) => scalarOf(x.operand, 'float'),
  NumToTensor: (run, [number]) => run.cell(operandOf(number)),
  RaiseException: (run, [message]) => run.fail('ERR_ARGUMENT', `the script raises: ${message}`),
  __range_length: (_, args) => {
    const [start, stop, step] = args.map((each) => Number(known(each)));
    return BigInt(Math.max(0, Math.ceil((stop - start) / step)));
  },
  __derive_index: (run, [index, start, step]) => run.op('add', [start, run.op('mul', [index, step])]),
  unchecked_unwrap_optional: (_, [x]) => x,
  is_floating_point: (_, [x]) => kindOfDtype(x.operand) === 'float',
  is_complex: (_, [x]) => x.operand instanceof Complex,
  is_signed: (_, [x]) => !/^(u|bool)/.test(x.operand.dtype),
  ...always(true, ['is_contiguous', 'is_scripting', 'is_inference']),
  ...always(false, ['is_grad_enabled', 'is_autocast_enabled']),
  element_size: (_, [x]) => BigInt(Math.max(1, Number(/\d+$/.exec(x.operand.dtype)?.[0] ?? 8) / 8)),
  get_device: () => -1n, stride: (run) => run.fail('ERR_UNSUPPORTED', 'tensors of a graph have no strides'),
  tolist: (run, [x]) => run.cx.elements(x.operand, 'a list').map((each) => (typeof each === 'bigint' ? each : Number(each))),
  tensor: (run, [data], named) => run.cell(tensorOf(run, data, named.get('dtype') ?? null)),
  as_tensor: (run, args, named) => (args[0] instanceof Cell ? run.op('to', args, new Map(named)) : PRIMITIVES.tensor(run, args, named)),
  _shape_as_tensor: (run, [x]) => run.cell(sizes.ofShape(run.cx.shape(x.operand))),
  equal: (run, [x, y]) => scalarOf(run.op('all', [run.op('eq', [x, y])]).operand, 'bool'),
  is_same_size: (run, [x, y]) => run.op('eq', [shapeOf(x, run), shapeOf(y, run)]),
  result_type: (_, args) => numberOf(commonDtype(args.map((each) => (each instanceof Cell ? each.operand : each)))),
  // What tells PyTorch something and computes nothing.
  ...always(null, ['manual_seed', 'set_grad_enabled', '_assert', '_assert_async', 'record_stream', 'sym_constrain_range']),
  ...always(null, ['sym_constrain_range_for_size', '_assert_scalar', '_assert_tensor_metadata', 'AutogradZero', 'Print', 'warn']),
};

/** A tensor of numbers in lists. @type {(run: Interpreter, data: any, dtype: bigint | null) => any} */
function tensorOf(run, data, dtype) {
  checkNested(data);
  const shape = [];
  for (let part = data; Array.isArray(part); part = part[0]) shape.push(part.length);
  const items = Array.isArray(data) ? data.flat(Infinity) : [data];
  const number = items.map((each) => (each instanceof Cell ? scalarOf(each.operand, kindOfDtype(each.operand)) : each));
  const own = dtype === null ? commonDtype(number.length ? number : [0.5]) : dtypeOf(Number(dtype));
  if (number.every((each) => !(each instanceof Scalar))) {
    const flat = number.map((each) => (own === 'bool' ? Boolean(each) : Number(each)));
    return knownOf(flat, shape, own);
  }
  if (own === 'i64' && number.every((each) => !(each instanceof Scalar) || each.operand instanceof Sizes)) {
    return Sizes.of('i64', shape, number.map((each) => (each instanceof Scalar ? each.operand.items[0] : Number(each))));
  }
  const values = number.map((each) => run.cx.value(operandOf(each), own));
  return /** @type {any} */ (require('../../ops/movement.js').joins.stack(values)).reshape(shape);
}

/** @type {(flat: any[], shape: number[], dtype: any) => Known} */
function knownOf(flat, shape, dtype) {
  const info = dtypes[/** @type {import('../../tensor/dtypes.js').DType} */ (dtype)];
  const data = /** @type {any} */ (new info.arrayType(flat.length));
  flat.forEach((each, i) => (data[i] = toElement(info.big ? BigInt(Math.trunc(Number(each))) : info.kind === 'float' || dtype === 'bool' ? each : Math.trunc(each), info, () => 'an element', 'load')));
  return Known.of(wrapOwn(data, dtype, [...shape]));
}

module.exports = { PRIMITIVES, PROPERTIES };
