/**
 * TIR statements as Loop IR.
 *
 * Statements behind one that leaves are dropped: Loop IR wants break, continue and return last in their block. Memory
 * of the heap that does not escape is given back where its block ends, and wherever the block is left before.
 */
'use strict';

const { baseOf, leaves, someStatement } = require('../tir/walk.js');
const { loopStatement, prangeStatement } = require('./loops.js');
const { STATUS } = require('./module.js');
const {
  accessible, constantText, elementText, held, indexOf, memoryOf, textOf, typeText, valueOf,
} = require('./values.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Func} Func */
/** @typedef {import('./writer.js').Writer} Writer */

/** Elements of a stack array up to which each is cleared by a statement of its own. */
const CLEARED_ONE_BY_ONE = 16;

/** @type {(w: Writer, body: Statement[]) => void} */
function statements(w, body) {
  const marks = w.marks.length;
  if (takesHeap(w, body)) mark(w);
  for (const s of body) {
    statement(w, s);
    if (!leaves([s])) continue;
    w.marks.length = marks;
    return;
  }
  w.release(marks);
  w.marks.length = marks;
}

/**
 * Whether a block takes memory that may be given back at its end: nothing that escapes is taken in between.
 *
 * @type {(w: Writer, body: Statement[]) => boolean}
 */
function takesHeap(w, body) {
  const takes = body.some((s) => s.kind === 'alloc' && !s.escapes);
  const keeps = (/** @type {Statement} */ s) =>
    (s.kind === 'alloc' && s.escapes) || (s.kind === 'call' && w.shared.facts(s.callee).keeps);
  return takes && !someStatement(body, keeps);
}

/** @type {(w: Writer) => void} */
function mark(w) {
  const name = w.fresh('m');
  w.needs.heap = true;
  w.line(`let ${name}: i64 = mark`);
  w.marks.push(name);
}

/** @type {(w: Writer, s: Statement) => void} */
function statement(w, s) {
  switch (s.kind) {
    case 'let': {
      const text = textOf(w, s.value);
      return w.line(`let ${w.define(s.local)}: ${typeText(s.local.type)} = ${text}`);
    }
    case 'set':
      return w.line(`${w.nameOf(s.local)} = ${textOf(w, s.value)}`);
    case 'store':
      return store(w, s);
    case 'if':
      return branch(w, s);
    case 'loop':
      return loopStatement(w, s, statements);
    case 'prange':
      return prangeStatement(w, s, statements);
    case 'block':
      return block(w, s);
    case 'break':
      return w.leave('breaks', s.target);
    case 'continue':
      return w.leave('continues', s.target);
    case 'return':
      return returns(w, s);
    case 'throw':
      return throws(w, s);
    case 'call':
      return call(w, s);
    case 'parallel':
      return parallel(w, s);
    case 'alloc':
      return alloc(w, s);
    case 'stack':
      return stack(w, s);
    case 'fill':
      return fill(w, s);
    default:
      return copy(w, s);
  }
}

/** @type {(w: Writer, s: import('../tir/index.js').StoreStmt) => void} */
function store(w, s) {
  const value = s.checked ? held(w, valueOf(w, s.value), s.value.type).text : elementText(w, s.value, s.array.dtype);
  const index = s.checked ? indexOf(w, s.index) : valueOf(w, s.index);
  const put = (/** @type {string} */ text) => w.line(`${textOf(w, s.array.pointer)}[${index.text}] = ${text}`);
  if (!s.checked) return put(value);
  const dtype = memoryOf(s.array.dtype);
  return w.braces(`if (${accessible(w, s.array, index, s.valid)})`, () =>
    put(dtype === s.value.type ? value : `convert<${dtype}>(${value})`),
  );
}

/** @type {(w: Writer, s: import('../tir/index.js').IfStmt) => void} */
function branch(w, s) {
  const { test, then, otherwise } = s;
  if (then.length === 0 && otherwise.length === 0) return;
  if (then.length === 0) {
    w.braces(`if (not(${textOf(w, test)}))`, () => statements(w, otherwise));
    return;
  }
  if (test.op === 'andalso' && otherwise.length === 0) {
    const inner = { ...s, test: test.args[1] };
    w.braces(`if (${textOf(w, test.args[0])})`, () => branch(w, inner));
    return;
  }
  w.line(`if (${textOf(w, test)}) {`);
  w.nest(() => statements(w, then));
  if (otherwise.length > 0) {
    w.line('} else {');
    w.nest(() => statements(w, otherwise));
  }
  w.line('}');
}

/**
 * A block that something leaves is a loop of one round.
 *
 * @type {(w: Writer, s: import('../tir/index.js').BlockStmt) => void}
 */
function block(w, s) {
  if (!someStatement(s.body, (inner) => inner.kind === 'break' && inner.target === s)) {
    w.braces('if (true)', () => statements(w, s.body));
    return;
  }
  w.frame(s, null, false, () => {
    w.braces('while (true)', () => {
      statements(w, s.body);
      if (!leaves(s.body)) w.line('break');
    });
  });
}

/** @type {(w: Writer, s: import('../tir/index.js').ReturnStmt) => void} */
function returns(w, s) {
  const facts = w.shared.facts(w.func);
  const values = s.values.map((value) => held(w, valueOf(w, value), value.type).text);
  w.release(0);
  if (facts.direct) return w.line(`return ${values[0]}`);
  values.forEach((value, i) => w.line(`${w.results[i]}[0] = ${value}`));
  return w.line(facts.status ? `return ${STATUS.done}:i32` : 'return');
}

/** @type {(w: Writer, s: import('../tir/index.js').ThrowStmt) => void} */
function throws(w, s) {
  s.values.forEach((e, i) => {
    const value = valueOf(w, e);
    const is64 = e.type === 'i64' || e.type === 'u64';
    const text = e.type === 'f64' ? value.text : is64 ? `bitcast<f64>(${value.text})` : `convert<f64>(${value.text})`;
    w.line(`${w.slots}[${i}] = ${text}`);
  });
  w.fail(STATUS.threw + s.site);
}

/** @type {(w: Writer, s: import('../tir/index.js').CallStmt) => void} */
function call(w, s) {
  const facts = w.shared.facts(s.callee);
  const args = s.args.map((arg) => textOf(w, arg));
  if (facts.slots) args.push(w.slots);
  if (facts.direct) {
    const name = s.results.length > 0 ? w.define(s.results[0]) : w.fresh('t');
    w.line(`let ${name}: ${s.callee.results[0]} = call ${w.calls(s.callee)}(${args.join(', ')})`);
    return;
  }
  const places = s.callee.results.map((type) => {
    const name = w.fresh('r');
    w.array(name, type, 1);
    return name;
  });
  const text = `call ${w.calls(s.callee)}(${[...args, ...places].join(', ')})`;
  if (facts.status) checked(w, text);
  else w.line(`do ${text}`);
  s.results.forEach((local, i) => w.line(`let ${w.define(local)}: ${local.type} = ${places[i]}[0]`));
}

/** @type {(w: Writer, s: import('../tir/index.js').ParallelStmt) => void} */
function parallel(w, s) {
  const facts = w.shared.facts(s.callee);
  const args = s.args.map((arg) => textOf(w, arg));
  if (facts.slots) args.push(w.slots);
  const [lo, hi, grain] = [s.lo, s.hi, s.grain].map((e) => textOf(w, e));
  w.needs.threads = true;
  checked(w, `parallel ${w.calls(s.callee)}(${args.join(', ')}) over ${lo} to ${hi} grain ${grain}`);
}

/** A call that may fail; a failure goes to the caller's caller. @type {(w: Writer, text: string) => void} */
function checked(w, text) {
  const status = w.fresh('s');
  w.line(`let ${status}: i32 = ${text}`);
  w.braces(`if (ne(${status}, 0:i32))`, () => w.line(`return ${status}`));
}

/** @type {(w: Writer, s: import('../tir/index.js').AllocStmt) => void} */
function alloc(w, s) {
  const count = textOf(w, s.count);
  const dtype = memoryOf(s.dtype);
  allocate(w, w.define(s.local), dtype, count);
}

/** @type {(w: Writer, name: string, dtype: string, count: string) => void} */
function allocate(w, name, dtype, count) {
  w.needs.heap = true;
  w.line(`let ${name}: ${dtype}* = alloc<${dtype}>(${count})`);
  w.braces(`if (is_null(${name}))`, () => w.fail(STATUS.memory));
}

/** @type {(w: Writer, s: import('../tir/index.js').StackStmt) => void} */
function stack(w, s) {
  const dtype = memoryOf(s.dtype);
  const name = w.define(s.local);
  const zero = constantText(0, dtype);
  w.array(name, dtype, Math.max(1, s.count));
  if (s.count > CLEARED_ONE_BY_ONE) return rounds(w, '0', `${s.count}`, (k) => w.line(`${name}[${k}] = ${zero}`));
  for (let i = 0; i < s.count; i++) w.line(`${name}[${i}] = ${zero}`);
  return undefined;
}

/** @type {(w: Writer, from: string, to: string, inside: (k: string) => void) => void} */
function rounds(w, from, to, inside) {
  const k = w.fresh('k');
  w.braces(`for ${k} = ${from} to ${to} step 1`, () => inside(k));
}

/** @type {(w: Writer, s: import('../tir/index.js').FillStmt) => void} */
function fill(w, s) {
  const value = w.fresh('t');
  w.line(`let ${value}: ${memoryOf(s.array.dtype)} = ${elementText(w, s.value, s.array.dtype)}`);
  const pointer = textOf(w, s.array.pointer);
  rounds(w, textOf(w, s.from), textOf(w, s.to), (k) => w.line(`${pointer}[${k}] = ${value}`));
}

/**
 * Upwards or downwards, whichever reads each element before it is written: known from the places where both are of one
 * array, and where they may be of one but nobody knows how they lie, by way of memory of its own.
 *
 * @type {(w: Writer, s: import('../tir/index.js').CopyStmt) => void}
 */
function copy(w, s) {
  const [to, from] = [memoryOf(s.target.dtype), memoryOf(s.source.dtype)];
  const at = indexOf(w, s.at).text;
  const start = indexOf(w, s.from).text;
  const count = held(w, valueOf(w, s.count), 'i64').text;
  const [target, source] = [textOf(w, s.target.pointer), textOf(w, s.source.pointer)];
  const move = (/** @type {string} */ k) => {
    const element = `${source}[add(${start}, ${k})]`;
    w.line(`${target}[add(${at}, ${k})] = ${movedElement(element, from, to, s.target.clamps)}`);
  };
  if (!mayOverlap(w, s)) return rounds(w, '0', count, move);
  if (to !== from || target !== source) return copyAside(w, s, { at, start, count, target, source, to, from });
  w.line(`if (le(${at}, ${start})) {`);
  w.nest(() => rounds(w, '0', count, move));
  w.line('} else {');
  w.nest(() => rounds(w, '0', count, (k) => move(`sub(sub(${count}, 1), ${k})`)));
  return w.line('}');
}

/**
 * An element as a store to another kind of array would have it: modulo its range, or clamped to it.
 *
 * @type {(element: string, from: string, to: string, clamps: boolean) => string}
 */
function movedElement(element, from, to, clamps) {
  const isFloat = from[0] === 'f';
  if (to[0] === 'f' || (from === to && (!clamps || from === 'u8')))
    return to === from ? element : `convert<${to}>(${element})`;
  if (clamps && isFloat) return `convert<u8>(round_even(min(max(convert<f64>(${element}), 0:f64), 255:f64)))`;
  if (clamps) return `convert<u8>(min(max(convert<i64>(${element}), 0), 255))`;
  if (!isFloat) return `convert<${to}>(${element})`;
  const whole = `wrap<i32>(convert<f64>(${element}))`;
  return to === 'i32' ? whole : to === 'u32' ? `bitcast<u32>(${whole})` : `convert<${to}>(${whole})`;
}

/** @type {(w: Writer, s: import('../tir/index.js').CopyStmt) => boolean} */
function mayOverlap(w, s) {
  if (baseOf(s.target.pointer) === baseOf(s.source.pointer)) return true;
  const params = (/** @type {import('../tir/index.js').Root[]} */ roots) => roots.some((root) => root.kind === 'param');
  if (!w.shared.options.noalias && params(s.target.roots) && params(s.source.roots)) return true;
  return s.target.roots.some((root) => s.source.roots.includes(root));
}

/** @type {(w: Writer, s: import('../tir/index.js').CopyStmt, p: { at: string, start: string, count: string, target: string, source: string, to: string, from: string }) => void} */
function copyAside(w, s, p) {
  const aside = w.fresh('aside');
  mark(w);
  allocate(w, aside, p.from, p.count);
  rounds(w, '0', p.count, (k) => w.line(`${aside}[${k}] = ${p.source}[add(${p.start}, ${k})]`));
  const element = (/** @type {string} */ k) => movedElement(`${aside}[${k}]`, p.from, p.to, s.target.clamps);
  rounds(w, '0', p.count, (k) => w.line(`${p.target}[add(${p.at}, ${k})] = ${element(k)}`));
  w.line(`release ${w.marks.pop()}`);
}

module.exports = { checked, statements };
