/**
 * The names that a pickle of tensors may use, and what they make.
 */
'use strict';

/** @typedef {(text: string, code?: import('../../base/errors.js').ErrorCode) => never} Refuse */
/** @typedef {(args: readonly any[], refuse: Refuse) => any} Maker */
/** @typedef {{ storage: string, key: string, count: number }} Storage */

/** A name of Python. It stands for itself: nothing is imported. */
class Global {
  /**
   * @param {string} module
   * @param {string} name
   */
  constructor(module, name) {
    this.path = `${module}.${name}`;
  }

  get isScript() {
    return this.path.startsWith('__torch__.');
  }
}

/** An object of a class of a script: its attributes by name. */
class ScriptObject {
  /** @type {Map<string, any>} */
  attributes = new Map();
  /** What a class with __setstate__ is given instead of attributes. @type {any} */
  state;

  /** @param {string} className */
  constructor(className) {
    this.className = className;
  }
}

class Device {
  /** @param {string} text such as 'cpu' */
  constructor(text) {
    this.text = text;
  }
}

/** Where the elements of a tensor are. */
class TensorRecord {
  /**
   * @param {{ storage: Storage, dtype?: string, offset: number, shape: number[], strides: number[] }} given
   */
  constructor({ storage, dtype, offset, shape, strides }) {
    this.storage = storage;
    /** The dtype by name, of untyped storages. */
    this.dtype = dtype;
    this.offset = offset;
    this.shape = shape;
    this.strides = strides;
  }
}

/** @type {(list: any, refuse: Refuse) => number[]} */
function counts(list, refuse) {
  const isFit = Array.isArray(list) && list.every((each) => typeof each === 'bigint' && each >= 0n && each <= BigInt(Number.MAX_SAFE_INTEGER));
  return isFit ? list.map(Number) : refuse('a shape is no list of sizes');
}

/** @type {(args: readonly any[], refuse: Refuse, dtype?: any) => TensorRecord} */
function tensorRecord([storage, offset, shape, strides], refuse, dtype) {
  if (typeof storage?.storage !== 'string') refuse('a tensor has no storage');
  const [[start], sizes, steps] = [[offset], shape, strides].map((list) => counts(list, refuse));
  if (sizes.length !== steps.length) refuse('a tensor has not one stride for each axis');
  return new TensorRecord({ storage, dtype, offset: start, shape: sizes, strides: steps });
}

/** @type {Maker} */
const first = ([value], refuse) => (value === undefined ? refuse('it has no argument') : value);

/** @type {Maker} */
const orderedDict = ([items = []], refuse) => {
  if (!Array.isArray(items) || !items.every((item) => Array.isArray(item) && item.length === 2)) refuse('it has other arguments than pairs');
  return new Map(items);
};

/** @type {(what: string) => Maker} */
const unsupported = (what) => (_, refuse) => refuse(`${what} are not read`, 'ERR_UNSUPPORTED');

/** @type {ReadonlyMap<string, Maker>} */
const GLOBALS = new Map(Object.entries({
  'torch._utils._rebuild_tensor': tensorRecord,
  'torch._utils._rebuild_tensor_v2': tensorRecord,
  'torch._utils._rebuild_tensor_v3': (args, refuse) => (args[6] instanceof Global ? tensorRecord(args, refuse, args[6].path) : refuse('a tensor has no dtype')),
  'torch._utils._rebuild_parameter': first,
  'torch._utils._rebuild_parameter_with_state': first,
  'torch._tensor._rebuild_from_type_v2': ([, , args], refuse) => tensorRecord(args, refuse),
  'torch._utils._rebuild_qtensor': unsupported('quantised tensors'),
  'torch._utils._rebuild_sparse_tensor': unsupported('sparse tensors'),
  'torch._utils._rebuild_sparse_csr_tensor': unsupported('sparse tensors'),
  'torch.jit._pickle.restore_type_tag': first,
  'torch.jit._pickle.build_intlist': first,
  'torch.jit._pickle.build_doublelist': first,
  'torch.jit._pickle.build_boollist': first,
  'torch.jit._pickle.build_tensorlist': first,
  'collections.OrderedDict': orderedDict,
  'torch.Size': first,
  'torch.device': ([type], refuse) => (typeof type === 'string' ? new Device(type) : refuse('a device has no name')),
}));

module.exports = { Device, GLOBALS, Global, ScriptObject, TensorRecord };
