/**
 * From the source of a function and the types of its arguments to Loop IR text and all that a caller has to know.
 *
 * This is where the stages meet: build.js, infer.js, emit.js. They are loaded when something is compiled for the first time. What
 * comes out depends on nothing but the text, the types, the options and what is captured.
 */
'use strict';

const { fail } = require('../../errors.js');
const { takerOf, typeOf } = require('./arguments.js');
const { readerOf, resultPorts, setterOf, shapeText } = require('./results.js');
const { typeText } = require('./signature.js');
const { sitesOf } = require('./thrown.js');

/** @typedef {import('./types.js').ValueType} ValueType */
/** @typedef {import('./tir.js').Program} Program */
/** @typedef {{ poll?: boolean, noalias?: boolean }} Variant */

/**
 * A function for one list of types.
 *
 * @typedef {object} Code
 * @property {readonly ValueType[]} types
 * @property {Program} program
 * @property {import('./types.js').ResultShape} result
 * @property {import('./arguments.js').Taker[]} takers one per argument
 * @property {string} signature for the addon
 * @property {string} text for people: 'f64(f64[], i32)'
 * @property {boolean} isPlain arguments are passed and the result returned as they are
 * @property {number} slots that a run needs
 * @property {unknown[]} hidden values of ports that are no arguments
 * @property {boolean[]} written per array among the ports
 * @property {boolean} isDirect the addon makes the result
 * @property {boolean} sets fields of arguments
 * @property {import('./results.js').Read} read the result
 * @property {(run: import('./results.js').Run) => void} set fields of arguments
 * @property {import('./thrown.js').ThrowSite[]} sites
 * @property {(variant: Variant) => string} emit Loop IR
 */

/** @type {(program: Program, ports: string[]) => string[]} with what the code does to arrays */
function markPorts(program, ports) {
  if (program.ports.length !== ports.length) {
    return fail('ERR_INTERNAL', `${program.name}: ${program.ports.length} ports, expected ${ports.join(' ')}`);
  }
  return ports.map((port, i) => {
    const own = program.ports[i];
    if ((own.kind === 'array') !== port.endsWith(']')) {
      return fail('ERR_INTERNAL', `${program.name}: port ${i} is of kind ${own.kind}, expected ${port}`);
    }
    return own.kind === 'array' && own.root.isWritten ? `${port}!` : port;
  });
}

/**
 * @param {import('./unit.js').Unit} unit
 * @param {readonly ValueType[]} types
 * @returns {Code}
 */
function codeOf(unit, types) {
  const { infer } = require('./infer.js');
  const { emit } = require('./emit.js');
  const { bounds } = unit.options;
  const { program, result, updates, captured } = infer(unit.tree, [...types], { bounds });
  const takers = types.map(takerOf);
  const hidden = captured.map(({ name, value }) => takerOf(typeOf(value, name, () => unit.tree)));
  const ports = markPorts(program, [...takers, ...hidden].flatMap((each) => each.ports));
  const scalars = ports.filter((port) => !/[\]!]$/u.test(port)).length;
  const results = resultPorts(result, updates.map(({ shape }) => shape), program.entry.results);
  const sites = sitesOf(program, (place) => unit.whereOf(place));
  return {
    types,
    program,
    result,
    takers,
    signature: `${ports.join(' ')} -> ${results.ports.join(' ')}`,
    text: `${shapeText(result)}(${types.map(typeText).join(', ')})`,
    isPlain: hidden.length === 0 && results.isPlain && takers.every(({ isPlain }) => isPlain),
    slots: Math.max(scalars + program.entry.results.length, ...sites.map(({ values }) => values.length)),
    hidden: captured.map(({ value }) => value),
    written: ports.filter((port) => /[\]!]$/u.test(port)).map((port) => port.endsWith('!')),
    isDirect: results.isPlain,
    sets: updates.length > 0,
    read: readerOf(result, scalars),
    set: setterOf(updates, scalars),
    sites,
    emit: (variant) => emit(program, variant),
  };
}

module.exports = { codeOf };
