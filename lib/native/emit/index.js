/**
 * TIR as Loop IR: the last stage before the compiler of src/. What comes out is a text, and what its callers have to
 * know of it (module.js).
 *
 * The module's entry has the signature of all compiled code (src/base/exec.h): it takes scalars from the slots in
 * buffer 0, arrays from the buffers behind it and their lengths from dims, calls the program's entry function and puts
 * its results into slots. A function that cannot fail and has one result returns it; all others write results through
 * pointers, and return a status if they may fail. A throw puts what its message shows into the first slots, 64-bit
 * integers as they are and everything else as f64, and returns the number of its site behind those of the statuses.
 *
 * What is not here: whether accesses are in range and loops independent is known before (the passes of loops/), and how
 * loops become vectors is LLVM's business.
 */
'use strict';

const { eachStatement, leaves } = require('../tir/walk.js');
const { constantsOf, exportOf, portsOf } = require('./export.js');
const { STATUS, moduleOf } = require('./module.js');
const { Prelude } = require('./prelude.js');
const { checked, statements } = require('./statements.js');
const { memoryOf, typeText } = require('./values.js');
const { Writer, legal } = require('./writer.js');

/** @typedef {import('../tir/index.js').Program} Program */
/** @typedef {import('../tir/index.js').Func} Func */
/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Port} Port */
/** @typedef {import('./module.js').LoopModule} LoopModule */

/**
 * @typedef {object} EmitOptions
 * @property {boolean} [poll] whether loops look if the run has been cancelled
 * @property {boolean} [noalias] whether the caller promises that no two array params overlap
 * @property {boolean} [unlimited] whether somebody else notices that the stack is used up
 * @property {readonly ArrayLike<number | bigint>[]} [constants] what the last arrays hold, which are no ports then
 * @property {import('./export.js').Exported} [exported] the module has this function in place of the entry
 */

/**
 * What callers of a function have to know.
 *
 * @typedef {object} Facts
 * @property {string} name in Loop IR
 * @property {boolean} status it returns one: it may fail
 * @property {boolean} direct it returns its only result
 * @property {boolean} slots it takes the pointer to the slots
 * @property {boolean} keeps it takes memory of the heap that outlives it
 */

/** @typedef {{ program: Program, options: EmitOptions, prelude: Prelude, facts: (func: Func) => Facts }} Shared */

// --- what functions are like ---

/** @type {(s: Statement, options: EmitOptions) => boolean} */
function mayFail(s, options) {
  if (s.kind === 'throw' || s.kind === 'alloc' || s.kind === 'copy' || s.kind === 'parallel') return true;
  return Boolean(options.poll) && (s.kind === 'loop' || s.kind === 'prange');
}

/** @type {(func: Func, name: string, options: EmitOptions) => Facts} */
function ownFacts(func, name, options) {
  // Whatever throws does so in a statement; a stack that ends is the one thing that `throws` knows besides.
  const status = !options.unlimited && (func.throws || func.isRecursive);
  const facts = { name, status, direct: false, slots: false, keeps: false };
  eachStatement(func.body, (s) => {
    facts.status ||= mayFail(s, options);
    facts.slots ||= s.kind === 'throw' && s.values.length > 0;
    facts.keeps ||= s.kind === 'alloc' && s.escapes;
  });
  return facts;
}

/**
 * Facts of all functions: what holds for a callee holds for its callers.
 *
 * @type {(program: Program, options: EmitOptions) => Map<Func, Facts>}
 */
function factsOf(program, options) {
  /** @type {Set<string>} */
  const taken = new Set();
  const facts = new Map(program.funcs.map((func) => [func, ownFacts(func, freeName(func.name, taken), options)]));
  for (let changed = true; changed;) {
    changed = false;
    for (const [func, own] of facts) {
      eachStatement(func.body, (s) => {
        const callee = s.kind === 'call' || s.kind === 'parallel' ? facts.get(s.callee) : undefined;
        if (!callee) return;
        for (const which of /** @type {const} */ (['status', 'slots', 'keeps'])) {
          changed ||= callee[which] && !own[which];
          own[which] ||= callee[which];
        }
      });
    }
  }
  for (const [func, own] of facts) own.direct = !own.status && func.results.length === 1;
  return facts;
}

/**
 * Functions of the program begin with f_, which none of the prelude does.
 *
 * @type {(name: string, taken: Set<string>) => string}
 */
function freeName(name, taken) {
  const base = legal(`f_${name}`).replace(/_$/u, '');
  let free = `${base}_`;
  for (let i = 2; taken.has(free); i++) free = `${base}_${i}`;
  taken.add(free);
  return free;
}

// --- functions ---

/** @type {(w: Writer) => string} */
function functionText(w) {
  const { shared, func } = w;
  const facts = shared.facts(func);
  const params = func.params.map(
    (param) => `${w.define(param)}: ${typeText(param.type)}${promises(shared, func, param)}`,
  );
  if (facts.slots) {
    w.slots = w.fresh('slots');
    // The range of a loop's function comes last.
    params.splice(func.apart ? params.length - 2 : params.length, 0, `${w.slots}: f64* noalias`);
  }
  if (!facts.direct) {
    w.results = func.results.map(() => w.fresh('out'));
    params.push(...w.results.map((name, i) => `${name}: ${func.results[i]}* noalias`));
  }
  for (const param of func.params.filter((each) => each.isSet)) {
    const given = w.nameOf(param);
    w.line(`let ${w.define(param)}: ${typeText(param.type)} = ${given}`);
  }
  if (func.isRecursive && !shared.options.unlimited) {
    w.needs.stack = true;
    w.braces('if (too_deep)', () => w.fail(STATUS.tooDeep));
  }
  statements(w, func.body);
  const returns = facts.direct ? func.results[0] : facts.status ? 'i32' : null;
  if (returns && !endsInReturn(func.body)) w.line(`return ${returns === 'bool' ? 'false' : `0:${returns}`}`);
  return `  func ${facts.name}(${params.join(', ')})${returns ? ` -> ${returns}` : ''} {\n${indented(w.lines)}\n  }\n`;
}

/** Whether a block's last line of Loop IR is a return. @type {(body: Statement[]) => boolean} */
function endsInReturn(body) {
  const at = body.findIndex((s) => leaves([s]));
  return at >= 0 && (body[at].kind === 'return' || body[at].kind === 'throw');
}

/** @type {(lines: string[]) => string} */
const indented = (lines) => lines.map((line) => `  ${line}`).join('\n');

/**
 * What the caller of the run promises of an array param.
 *
 * @type {(shared: Shared, func: Func, param: import('../tir/index.js').Local) => string}
 */
function promises({ program, options }, func, param) {
  if (func.apart?.has(param)) return ' noalias';
  const port =
    func === program.entry ? program.ports.find((each) => each.kind === 'array' && each.pointer === param) : undefined;
  if (!port || port.kind !== 'array') return '';
  return `${options.noalias ? ' noalias' : ''}${port.root.isWritten ? '' : ' readonly'}`;
}

// --- the entry ---

const WIDTHS = new Map(Object.entries({ f64: 8, i64: 8, u64: 8, f32: 4, i32: 4, u32: 4, bool: 1 }));

/** The element of buffer 0 where slot k begins. @type {(k: number, type: string) => string} */
const slotText = (k, type) => `buffer<0, ${type}>[${(k * 8) / (WIDTHS.get(type) ?? 8)}]`;

/** @type {(w: Writer) => string[]} */
function entryArgs(w) {
  let [scalars, arrays] = [0, 0];
  const { ports, constants } = portsOf(w);
  const given = ports.flatMap((port) => {
    if (port.kind === 'scalar') return [slotText(scalars++, port.type)];
    const k = arrays++;
    return [`buffer<${1 + k}, ${memoryOf(port.dtype)}>`, `dim<${k}>`];
  });
  return [...given, ...constants];
}

/** @type {import('./export.js').Called} */
const ENTRY = { name: 'main', params: [], returns: { is: 'status', dtype: 'i32' } };

/** @type {(w: Writer) => string} */
function entryText(w) {
  const { program } = w.shared;
  const { entry } = program;
  const facts = w.shared.facts(entry);
  const first = program.ports.filter((port) => port.kind === 'scalar').length;
  const args = entryArgs(w);
  if (facts.slots) args.push('buffer<0, f64>');
  if (facts.direct) {
    w.line(`${slotText(first, entry.results[0])} = call ${w.calls(entry)}(${args.join(', ')})`);
  } else {
    const places = entry.results.map(() => w.fresh('out'));
    places.forEach((name, i) => w.array(name, entry.results[i], 1));
    const text = `call ${w.calls(entry)}(${[...args, ...places].join(', ')})`;
    if (facts.status) checked(w, text);
    else w.line(`do ${text}`);
    places.forEach((name, i) => w.line(`${slotText(first + i, entry.results[i])} = ${name}[0]`));
  }
  w.line('return 0:i32');
  return `  entry func ${ENTRY.name}() -> i32 {\n${indented(w.lines)}\n  }\n`;
}

// --- the module ---

/** @type {Record<string, (size: number) => { buffer: ArrayBuffer, [index: number]: any }>} */
const arrays = {
  f64: (size) => new Float64Array(size),
  f32: (size) => new Float32Array(size),
  i64: (size) => new BigInt64Array(size),
  u64: (size) => new BigUint64Array(size),
  i32: (size) => new Int32Array(size),
  u32: (size) => new Uint32Array(size),
  i16: (size) => new Int16Array(size),
  u16: (size) => new Uint16Array(size),
  i8: (size) => new Int8Array(size),
  u8: (size) => new Uint8Array(size),
  bool: (size) => new Uint8Array(size),
};

/** @type {(data: Program['data'][number], index: number) => string} */
function dataText({ dtype, values }, index) {
  const type = memoryOf(dtype);
  const isBig = type === 'i64' || type === 'u64';
  const elements = arrays[type](values.length);
  for (let i = 0; i < values.length; i++) elements[i] = isBig ? BigInt(values[i]) : Number(values[i]);
  return `  data ${index}: ${type}[${values.length}] = hex "${Buffer.from(elements.buffer).toString('hex')}"\n`;
}

/**
 * A program as a module of Loop IR.
 *
 * @param {Program} program
 * @param {EmitOptions} [options]
 * @returns {LoopModule}
 */
function emit(program, options = {}) {
  const prelude = new Prelude();
  const facts = factsOf(program, options);
  /** @type {Shared} */
  const shared = { program, options, prelude, facts: (func) => /** @type {Facts} */ (facts.get(func)) };
  const constants = constantsOf(program, options);
  const data = [...program.data, ...constants].map(dataText).join('');
  // Functions of loops stand before those that call them in parallel.
  const ordered = [...program.funcs.filter((func) => func.apart), ...program.funcs.filter((func) => !func.apart)];
  const writers = new Map(ordered.map((func) => [func, new Writer(shared, func)]));
  const funcs = [...writers.values()].map(functionText).join('');
  const w = new Writer(shared, program.entry);
  const { text: last, called } = options.exported
    ? exportOf(w, options.exported)
    : { text: entryText(w), called: ENTRY };
  const name = JSON.stringify(program.name.replace(/[^ -~]/gu, '?'));
  return moduleOf({ text: `module ${name} {\n${data}${prelude.text()}${funcs}${last}}\n`, ...called }, w, writers);
}

module.exports = { emit };
