/**
 * Functions of JavaScript that are no operators of Loop IR, written in it: an expression of TIR names them as its op.
 *
 * A module gets those that its functions use, and what these use in turn, callees first.
 */
'use strict';

/**
 * @typedef {object} Definition
 * @property {string} text a function of Loop IR of this name
 * @property {string[]} [uses] functions of the prelude that it calls
 */

/** @type {Record<string, Definition>} */
const definitions = {
  // Math.round: halves go up, and what lies between -0.5 and 0 becomes -0 (ECMA-262, 21.3.2.28).
  js_round: {
    text: `
  func js_round(x: f64) -> f64 {
    let up: f64 = ceil(x)
    return select(gt(sub(up, 0.5:f64), x), sub(up, 1.0:f64), up)
  }
`,
  },
};

/** What one module takes. */
class Prelude {
  constructor() {
    /** @type {Set<string>} */
    this.used = new Set();
  }

  /** Whether there is a function of this name. @param {string} name */
  has(name) {
    return Object.hasOwn(definitions, name);
  }

  /** Has the module contain a function, and says its name. @param {string} name */
  use(name) {
    if (this.used.has(name)) return name;
    for (const other of definitions[name].uses ?? []) this.use(other);
    this.used.add(name);
    return name;
  }

  text() {
    return [...this.used].map((name) => definitions[name].text.slice(1)).join('');
  }
}

module.exports = { Prelude };
