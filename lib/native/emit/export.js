/**
 * A program as one exported function of Loop IR, for code that others call: C, or who instantiates a WebAssembly
 * module.
 *
 * In place of slots and buffers it takes scalars and pointers, an array as a pointer and its length. What cannot fail
 * and has one result returns it. All else takes a pointer per result behind its parameters, and returns a status if it
 * may fail. A result that JavaScript has as a number is f64 here, too, when the program holds it as an i64, and an only
 * result may be asked for as another dtype. Arrays that the function captured are constants of the module.
 */
'use strict';

const { noNeeds } = require('./module.js');
const { checked } = require('./statements.js');
const { constantText, memoryOf } = require('./values.js');

/** @typedef {import('../tir/index.js').Program} Program */
/** @typedef {import('../tir/index.js').Port} Port */
/** @typedef {import('./writer.js').Writer} Writer */
/** @typedef {import('./module.js').Param} Param */
/** @typedef {import('./module.js').LoopModule} LoopModule */
/** @typedef {import('./index.js').EmitOptions} EmitOptions */

/**
 * What callers have in place of what the program has: per parameter the dtype it was declared with, per result whether
 * it is a number that is held as an i64, and what an only result is returned as.
 *
 * @typedef {{ declared: readonly string[], wholes: readonly boolean[], gives?: string }} Exported
 */
/** @typedef {Pick<LoopModule, 'name' | 'params' | 'returns'>} Called */

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

/**
 * A number in another dtype, as an array of such numbers takes it.
 *
 * @type {(text: string, from: string, to: string) => string}
 */
function givenAs(text, from, to) {
  if (from === to) return text;
  const wraps = (from === 'f64' || from === 'f32') && (to === 'i32' || to === 'u32');
  return `${wraps ? 'wrap' : 'convert'}<${to}>(${wraps && from === 'f32' ? `convert<f64>(${text})` : text})`;
}

/** @type {(param: Param, noalias?: boolean) => string} */
function paramText({ role, name, dtype, isWritten }, noalias = false) {
  if (role === 'result') return `${name}: ${dtype}* noalias`;
  if (role !== 'array') return `${name}: ${dtype}`;
  return `${name}: ${memoryOf(dtype)}*${noalias ? ' noalias' : ''}${isWritten ? '' : ' readonly'}`;
}

/** @type {(program: Program, options: EmitOptions) => Program['data']} */
function constantsOf({ ports }, { constants = [] }) {
  const arrays = ports.filter((port) => port.kind === 'array').slice(-constants.length || Infinity);
  return constants.map((values, i) => ({ dtype: arrays[i].dtype, values }));
}

/**
 * The ports that callers see, and what the entry gets behind them.
 *
 * @type {(w: Writer) => { ports: Port[], constants: string[] }}
 */
function portsOf({ needs, shared }) {
  const { ports, data } = shared.program;
  const { constants = [] } = shared.options;
  needs.data ||= constants.length > 0;
  return {
    ports: ports.slice(0, ports.length - constants.length),
    constants: constants.flatMap((values, i) => [`data<${data.length + i}>`, `${values.length}`]),
  };
}

/** @type {(w: Writer, exported: Exported) => { text: string, called: Called }} */
function exportOf(w, exported) {
  const { program, options } = w.shared;
  const { entry } = program;
  const facts = w.shared.facts(entry);
  const { ports, constants } = portsOf(w);
  /** @type {string[]} */
  const args = [];
  /** @type {Param[]} */
  const params = [];
  for (const [index, port] of ports.entries()) {
    const name = w.fresh(port.kind === 'scalar' ? port.local.name : port.pointer.name);
    if (port.kind === 'scalar') {
      const dtype = paramType(port, exported.declared[index]);
      params.push({ role: 'scalar', name, dtype, index, isWritten: false });
      args.push(port.type === dtype ? name : `convert<${port.type}>(${name})`);
      continue;
    }
    const length = w.fresh('n');
    params.push(
      { role: 'array', name, dtype: port.dtype, index, isWritten: port.root.isWritten },
      { role: 'length', name: length, dtype: 'i64', index, isWritten: false },
    );
    args.push(name, length);
  }
  args.push(...constants);
  if (facts.slots) {
    const slots = w.fresh('slots');
    w.array(slots, 'f64', mostValues(program));
    args.push(slots);
  }
  /** @type {LoopModule['returns']} */
  let returns = facts.status ? { is: 'status', dtype: 'i32' } : null;
  if (facts.direct) returns = { is: 'value', dtype: direct(w, exported, args) };
  else params.push(...indirect(w, exported, facts, args));
  const lines = w.lines.map((line) => `  ${line}`).join('\n');
  const list = params.map((param) => paramText(param, options.noalias)).join(', ');
  const text = `  export func ${NAME}(${list})${returns ? ` -> ${returns.dtype}` : ''} {\n${lines}\n  }\n`;
  return { text, called: { name: NAME, params, returns } };
}

/** @type {(w: Writer, exported: Exported, args: string[]) => string} the dtype that is returned */
function direct(w, { wholes, gives }, args) {
  const { program } = w.shared;
  const own = resultType(program, wholes, 0);
  const dtype = gives ?? own;
  const name = w.fresh('value');
  w.line(`let ${name}: ${w.func.results[0]} = call ${w.calls(w.func)}(${args.join(', ')})`);
  w.line(`return ${givenAs(wholes[0] ? `convert<f64>(${name})` : name, own, dtype)}`);
  return dtype;
}

/**
 * More params.
 *
 * @type {(w: Writer, exported: Exported, facts: import('./index.js').Facts, args: string[]) => Param[]}
 */
function indirect(w, { wholes }, facts, args) {
  const outs = w.func.results.map(() => w.fresh('out'));
  const places = outs.map((out, i) => {
    if (!wholes[i]) return out;
    const name = w.fresh('whole');
    w.array(name, 'i64', 1);
    return name;
  });
  const call = `call ${w.calls(w.func)}(${[...args, ...places].join(', ')})`;
  if (facts.status) checked(w, call);
  else w.line(`do ${call}`);
  places.forEach((place, i) => {
    if (wholes[i]) w.line(`${outs[i]}[0] = convert<f64>(${place}[0])`);
  });
  w.line(facts.status ? 'return 0:i32' : 'return');
  return outs.map((name, index) => ({
    role: 'result', name, dtype: resultType(w.shared.program, wholes, index), index, isWritten: true,
  }));
}

/**
 * A module whose function takes what a program's takes, and always gives the same.
 *
 * @param {Program} program
 * @param {number | bigint | boolean} value
 * @param {string} [gives] its dtype in place of what it is to JavaScript
 * @returns {LoopModule}
 */
function constantModule({ ports }, value, gives) {
  const own = typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'i64' : 'f64';
  const dtype = gives ?? own;
  /** @type {Param[]} */
  const params = ports.map((port, index) => {
    const type = port.kind === 'scalar' ? port.type : 'f64';
    return { role: 'scalar', name: `x${index}`, dtype: type, index, isWritten: false };
  });
  const list = params.map((param) => paramText(param)).join(', ');
  const result = givenAs(constantText(value, own), own, dtype);
  return {
    text: `module "constant" {\n  export func ${NAME}(${list}) -> ${dtype} {\n    return ${result}\n  }\n}\n`,
    name: NAME,
    params,
    returns: { is: 'value', dtype },
    failures: [],
    needs: noNeeds(),
  };
}

/** @type {(program: Program) => number} of any message */
const mostValues = ({ sites }) =>
  Math.max(1, ...sites.map(({ message }) => message.filter((part) => part === null).length));

module.exports = { constantModule, constantsOf, exportOf, portsOf };
