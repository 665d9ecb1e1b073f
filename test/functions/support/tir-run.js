// Runs Loop IR text of a program of TIR on scalars and typed arrays in the order of its ports, as native functions are called.
'use strict';

const { native } = require('../../../lib/base/binding.js');

/** Slots that a state begins with room for. */
const SLOTS = 64;
const FAILED = 4;

const READ = {
  f64: (view, at) => view.getFloat64(at, true), f32: (view, at) => view.getFloat32(at, true), i64: (view, at) => view.getBigInt64(at, true),
  u64: (view, at) => view.getBigUint64(at, true), i32: (view, at) => view.getInt32(at, true), u32: (view, at) => view.getUint32(at, true),
  bool: (view, at) => view.getUint8(at) !== 0,
};

const kindOf = (port) => (port.kind === 'scalar' ? port.type : `${port.dtype}[]!`);

/**
 * @returns {{ status: number, results: any[], slots: (type: string, k: number) => any }} `slots` are what a throw leaves
 */
function runText(program, text, given, { numerics = 0, threads = 1 } = {}) {
  const state = new ArrayBuffer(8 + 8 * SLOTS);
  const code = native.functionCompile(text, numerics, 2, false);
  const signature = `${program.ports.map(kindOf).join(' ')} -> ${program.entry.results.join(' ')}`;
  const value = native.functionCaller(code, code, signature, threads, state)(...given);
  native.functionDispose(code);
  const [outcome, status] = new Int32Array(state, 0, 2);
  if (value === null && outcome !== FAILED) throw new Error(`the call was refused: ${outcome}, ${status}`);
  const slots = (type, k) => READ[type](new DataView(state, 8), 8 * k);
  const first = program.ports.filter((port) => port.kind === 'scalar').length;
  return { status: value === null ? status : 0, results: value === null ? [] : program.entry.results.map((type, k) => slots(type, first + k)), slots };
}

module.exports = { runText };
