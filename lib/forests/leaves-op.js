/**
 * Forests in graphs: an op that gives the leaf of each tree for each row, by the kernels that predict.
 *
 * It is a `custom_call` of a compiled function, for programs of this process alone. The table of the forest is an
 * operand, a constant of the graph, and goes with it; it is believed, so the name is one that no text may call
 * (src/ops/custom.h). What becomes of leaves is the graph's: so sums have its order.
 */
'use strict';

const { native } = require('../base/binding.js');
const { NUMERICS } = require('../base/numerics.js');
const { allocateConstant, sharedConstant } = require('../graph/shared-constants.js');
const { append, dimsOf, stateOf } = require('../graph/value.js');
const { wrapOwn } = require('../tensor/tensor.js');
const { SHARE } = require('./run.js');
const { HEAD, TableBuilder } = require('./table.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('./trees.js').Tree} Tree */
/** @typedef {import('./run.js').Float} Float */

/** Arrays: table, x, leaves; slot 0: rows. @type {(from: Float) => string} */
const moduleText = (from) => `module "forest_leaves" {
  library "forest_leaves" func lib(a: i64, b: i64, c: i64, d: i64, e: i64, f: i64, g: i64)
  library "forest_work" func size(a: i64) -> i64
  func rows(table: u8* noalias readonly, x: ${from}* noalias readonly, out: i32* noalias, n: i64, block: i64, begin: i64, end: i64) -> i32 {
    let work: u8* = alloc<u8>(call size(address(table)))
    if (is_null(work)) {
      return 2:i32
    }
    for b = begin to end step 1 {
      if (cancelled) {
        return 1:i32
      }
      let row: i64 = mul(b, block)
      do call lib(address(table), address(x), ${from === 'f64' ? 1 : 0}, address(out), row, min(n, add(row, block)), address(work))
    }
    return 0:i32
  }
  entry func main() -> i32 {
    let slots: i64* = buffer<0, i64>
    let table: u8* = buffer<1, u8>
    let head: i64* = pointer<i64>(address(table))
    let n: i64 = slots[0]
    let block: i64 = head[${HEAD.block}]
    let share: i64 = div(${SHARE}, max(1, mul(head[${HEAD.trees}], block)))
    return parallel rows(table, buffer<2, ${from}>, buffer<3, i32>, n, block) over 0 to div(add(n, sub(block, 1)), block) grain max(1, share)
  }
}
`;

/** @type {(from: Float) => string} the name of the function, which is known from then on */
function registered(from) {
  const name = `gj__forest_leaves_${from}`;
  const description = `forest\nu8/1 ${from}/2 -> i32/2\na0 a1 d1.0 o\no\n1`;
  native.functionOp(name, moduleText(from), NUMERICS.strict, 3, true, 0, description);
  return name;
}

/**
 * The numbers of leaves, as trees have them.
 *
 * @param {any} x a Value [rows, features], f32 or f64
 * @param {readonly Tree[]} trees
 * @returns {any} a Value [rows, trees], i32
 * @throws {import('../base/errors.js').GraphError} ERR_UNSUPPORTED where tables have no room for them
 */
function leavesOf(x, trees) {
  const state = stateOf(x);
  const features = x.shape[1];
  const builder = new TableBuilder({ trees, features, groups: 0, single: false, doubles: false, base: [] });
  const data = builder.build((size) => allocateConstant('u8', size, 'load'));
  const table = sharedConstant(state, wrapOwn(data, 'u8', [data.length]), 'load');
  const shape = [dimsOf(x)[0], trees.length];
  return append(state, 'custom_call', [table, x], { dtype: 'i32', shape }, registered(x.dtype));
}

module.exports = { leavesOf };
