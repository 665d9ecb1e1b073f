/**
 * A program as one exported function of Loop IR, for code that others call: C, or who instantiates a WebAssembly
 * module.
 *
 * In place of slots and buffers it takes scalars and pointers, an array as a pointer and its length. What cannot fail
 * and has one result returns it. All else takes a pointer per result behind its parameters, and returns a status if it
 * may fail. A result that JavaScript has as a number is f64 here, too, when the program holds it as an i64. Arrays that
 * the function captured are constants of the module.
 */
'use strict';

const { memoryOf } = require('./values.js');
const { Writer } = require('./writer.js');

/** @typedef {import('../tir/index.js').Program} Program */
/** @typedef {import('../tir/index.js').Port} Port */
/** @typedef {import('./index.js').Shared} Shared */
/** @typedef {import('./index.js').EmitOptions} EmitOptions */

/**
 * What callers have in place of what the program has: per parameter the dtype it was declared with, per result whether
 * it is a number that is held as an i64.
 *
 * @typedef {{ declared: readonly string[], wholes: readonly boolean[] }} Exported
 */

/** In the text. Who compiles it gives the function its name. */
const NAME = 'F0';

/**
 * What one scalar is to the caller: u32 even if the program holds it as an i64.
 *
 * @type {(port: { type: string }, declared: string) => string}
 */
const paramType = ({ type }, declared) => (declared === 'u32' ? 'u32' : type);

/** What one result is to the caller. @type {(program: Program, wholes: readonly boolean[], i: number) => string} */
const resultType = ({ entry }, wholes, i) => (wholes[i] ? 'f64' : entry.results[i]);

/** @type {(program: Program, options: EmitOptions) => Program['data']} */
function constantsOf({ ports }, { constants = [] }) {
  const arrays = ports.filter((port) => port.kind === 'array').slice(-constants.length || Infinity);
  return constants.map((values, i) => ({ dtype: arrays[i].dtype, values }));
}

/**
 * The ports that callers see, and what the entry gets behind them.
 *
 * @type {(program: Program, options: EmitOptions) => { ports: Port[], constants: string[] }}
 */
function portsOf({ ports, data }, { constants = [] }) {
  return {
    ports: ports.slice(0, ports.length - constants.length),
    constants: constants.flatMap((values, i) => [`data<${data.length + i}>`, `${values.length}`]),
  };
}

/** @type {(shared: Shared, exported: Exported) => string} */
function exportText(shared, exported) {
  const { program, options } = shared;
  const { entry } = program;
  const facts = shared.facts(entry);
  const w = new Writer(shared, entry);
  const { ports, constants } = portsOf(program, options);
  /** @type {string[]} */
  const args = [];
  const params = ports.flatMap((port, i) => {
    const name = w.fresh(port.kind === 'scalar' ? port.local.name : port.pointer.name);
    const type = port.kind === 'scalar' ? paramType(port, exported.declared[i]) : '';
    args.push(port.kind === 'scalar' && port.type !== type ? `convert<${port.type}>(${name})` : name);
    if (port.kind === 'scalar') return [`${name}: ${type}`];
    args.push(w.fresh('n'));
    return [
      `${name}: ${memoryOf(port.dtype)}*${options.noalias ? ' noalias' : ''}${port.root.isWritten ? '' : ' readonly'}`,
      `${args.at(-1)}: i64`,
    ];
  });
  args.push(...constants);
  if (facts.slots) {
    args.push(w.fresh('slots'));
    w.line(`array ${args.at(-1)}: f64[${mostValues(program)}]`);
  }
  const returns = facts.direct ? resultType(program, exported.wholes, 0) : facts.status ? 'i32' : null;
  if (facts.direct) direct(w, exported, `call ${facts.name}(${args.join(', ')})`);
  else params.push(...indirect(w, exported, facts, args));
  const lines = w.lines.map((line) => `  ${line}`).join('\n');
  return `  export func ${NAME}(${params.join(', ')})${returns ? ` -> ${returns}` : ''} {\n${lines}\n  }\n`;
}

/** @type {(w: Writer, exported: Exported, call: string) => void} */
function direct(w, { wholes }, call) {
  const name = w.fresh('value');
  w.line(`let ${name}: ${w.func.results[0]} = ${call}`);
  w.line(`return ${wholes[0] ? `convert<f64>(${name})` : name}`);
}

/**
 * More params.
 *
 * @type {(w: Writer, exported: Exported, facts: import('./index.js').Facts, args: string[]) => string[]}
 */
function indirect(w, { wholes }, facts, args) {
  const outs = w.func.results.map(() => w.fresh('out'));
  const places = outs.map((out, i) => {
    if (!wholes[i]) return out;
    const name = w.fresh('whole');
    w.line(`array ${name}: i64[1]`);
    return name;
  });
  const call = `call ${facts.name}(${[...args, ...places].join(', ')})`;
  if (facts.status) {
    const status = w.fresh('s');
    w.line(`let ${status}: i32 = ${call}`);
    w.braces(`if (ne(${status}, 0:i32))`, () => w.line(`return ${status}`));
  } else {
    w.line(`do ${call}`);
  }
  places.forEach((place, i) => {
    if (wholes[i]) w.line(`${outs[i]}[0] = convert<f64>(${place}[0])`);
  });
  w.line(facts.status ? 'return 0:i32' : 'return');
  return outs.map((out, i) => `${out}: ${resultType(w.shared.program, wholes, i)}* noalias`);
}

/** @type {(program: Program) => number} of any message */
const mostValues = ({ sites }) =>
  Math.max(1, ...sites.map(({ message }) => message.filter((part) => part === null).length));

module.exports = { constantsOf, exportText, paramType, portsOf };
