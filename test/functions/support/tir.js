// Makes programs of TIR (lib/native/tir/index.js) for tests, with little to write.
'use strict';

const SCALARS = new Set(['f64', 'f32', 'i64', 'i32', 'u64', 'u32', 'bool']);
const TRUTHS = new Set(['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'is_nan', 'is_finite']);
let line = 0;

/** A place that no other has. */
const place = () => ({ start: 0, end: 0, loc: { start: { line: ++line, column: 0 } } });

const constant = (type) => (value) => ({ op: 'const', type, value, args: [] });
const f64 = constant('f64');
const f32 = constant('f32');
const i64 = (value) => ({ ...constant('i64')(BigInt(value)), range: [Number(value), Number(value)] });
const i32 = (value) => ({ ...constant('i32')(value), range: [value, value] });
const bool = constant('bool');

const local = (name, type) => ({ name, type, isParam: false, isSet: false });
const get = (of) => ({ op: 'local', type: of.type, local: of, args: [], ...(of.range ? { range: of.range } : {}) });

/** An operator by its name; of comparisons and the like the type is bool, of others that of the first operand. */
const op = (name, ...args) => ({ op: name, type: TRUTHS.has(name) ? 'bool' : args[0].type, args });
const to = (type, e) => ({ op: 'convert', type, args: [e] });
const wrap = (type, e) => ({ op: 'wrap', type, args: [e] });
const bits = (type, e) => ({ op: 'bitcast', type, args: [e] });
const select = (test, a, b) => ({ op: 'select', type: a.type, args: [test, a, b] });
const choose = (test, a, b) => ({ op: 'choose', type: a.type, args: [test, a, b] });
const andalso = (a, b) => ({ op: 'andalso', type: 'bool', args: [a, b] });
const orelse = (a, b) => ({ op: 'orelse', type: 'bool', args: [a, b] });
const overflows = (what, a, b) => ({ op: 'overflows', type: 'bool', what, args: [a, b] });

/** What an element is as a value. */
const scalarOf = (dtype) => (SCALARS.has(dtype) ? dtype : 'i32');

/** An element; `missing` is its value out of range, none for one that is in range. */
const load = (array, index, missing = null, valid = null) => ({ op: 'load', type: scalarOf(array.dtype), array, args: [index], valid, missing, place: place() });

const make = (of, value) => ({ kind: 'let', local: of, value });
const set = (of, value) => {
  of.isSet = true;
  return { kind: 'set', local: of, value };
};
const store = (array, index, value, { checked = true, valid = null } = {}) => ({ kind: 'store', array, index, value, valid, checked, place: place() });
const when = (test, then, otherwise = []) => ({ kind: 'if', test, then, otherwise, place: place() });
const block = (inside) => {
  const made = { kind: 'block', body: [] };
  made.body = inside(made);
  return made;
};
const leave = (target) => ({ kind: 'break', target });
const next = (target) => ({ kind: 'continue', target });
const give = (...values) => ({ kind: 'return', values });
const raise = (site, ...values) => ({ kind: 'throw', site, values });
const call = (callee, args, results) => ({ kind: 'call', callee, args, arrays: [], results, place: place() });
const alloc = (of, dtype, count, escapes = false) => ({ kind: 'alloc', local: of, dtype, count, escapes, place: place() });
const stack = (of, dtype, count) => ({ kind: 'stack', local: of, dtype, count });
const fill = (array, value, from, end) => ({ kind: 'fill', array, value, from, to: end });
const copy = (target, at, source, from, count) => ({ kind: 'copy', target, at, source, from, count });
/** Part of an array: a pointer to its element `from`. */
const part = (array, from, length) => ({ ...array, pointer: { op: 'offset', type: array.pointer.type, args: [array.pointer, from] }, length });

/** A program whose functions are added to it; the first one is the entry. */
class Builder {
  constructor(name = 'test') {
    this.program = { name, entry: null, ports: [], funcs: [], data: [], roots: [], sites: [], loops: [] };
  }

  root(kind, name) {
    const root = { id: this.program.roots.length, kind, name, isWritten: true };
    this.program.roots.push(root);
    return root;
  }

  /** A loop; body and update get it, for break and continue. */
  loop(test, body, update = [], { before = [], late = false } = {}) {
    const made = { kind: 'loop', id: this.program.loops.length, before, test, body: [], update, late, place: place() };
    this.program.loops.push({ id: made.id, place: made.place, form: 'for', vector: null, parallel: null, reasons: [] });
    made.body = typeof body === 'function' ? body(made) : body;
    return made;
  }

  /** for (let i = lo; i < hi; i += step) */
  count(i, lo, hi, body, step = 1) {
    const by = { ...op('add', get(i), i.type === 'i32' ? i32(step) : i64(step)), range: [0, 2 ** 53] };
    return [make(i, lo), this.loop(op('lt', get(i), hi), body, [set(i, by)])];
  }

  prange(i, lo, hi, body) {
    const made = { kind: 'prange', id: this.program.loops.length, local: i, lo, hi, body: [], place: place() };
    this.program.loops.push({ id: made.id, place: made.place, form: 'prange', vector: null, parallel: null, reasons: [] });
    made.body = typeof body === 'function' ? body(made) : body;
    return made;
  }

  site(type, ...message) {
    return this.program.sites.push({ type, message, place: place() }) - 1;
  }

  data(dtype, values) {
    const index = this.program.data.push({ dtype, values }) - 1;
    const root = this.root('data', `data${index}`);
    return { dtype, clamps: false, pointer: { op: 'data', type: `${dtype}*`, index, args: [] }, length: i64(values.length), roots: [root] };
  }

  /** The array that a pointer local is. */
  array(pointer, length, kind = 'heap') {
    return { dtype: pointer.type.slice(0, -1), clamps: false, pointer: get(pointer), length, roots: [this.root(kind, pointer.name)] };
  }

  /**
   * A function. `params` are [name, type]; an array's type is 'f64[]', and it comes as an ArrayRef. `inside` gets
   * locals and arrays in order and gives the body.
   */
  func(name, params, results, inside, { throws = false, isRecursive = false } = {}) {
    const made = { name, params: [], results, throws, isRecursive, body: [], place: null };
    const isEntry = this.program.funcs.length === 0;
    this.program.funcs.push(made);
    const given = params.map(([param, type]) => {
      const add = (as, kind) => {
        const one = { ...local(as, kind), isParam: true };
        made.params.push(one);
        return one;
      };
      if (!type.endsWith('[]')) {
        const one = add(param, type);
        if (isEntry) this.program.ports.push({ kind: 'scalar', type, local: one });
        return one;
      }
      const dtype = type.slice(0, -2);
      const pointer = add(param, `${dtype}*`);
      const length = add(`${param}_length`, 'i64');
      length.range = [0, 2 ** 53];
      const array = this.array(pointer, get(length), 'param');
      if (isEntry) this.program.ports.push({ kind: 'array', dtype, pointer, length, root: array.roots[0] });
      return array;
    });
    if (isEntry) this.program.entry = made;
    made.body = inside(...given, made);
    return made;
  }
}

module.exports = {
  Builder, alloc, andalso, bits, block, bool, call, choose, copy, f32, f64, fill, get, give, i32, i64, leave, load, local, make, next, op, orelse,
  overflows, part, place, raise, select, set, stack, store, to, when, wrap,
};
