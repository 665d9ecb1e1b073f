/**
 * Compares the functions of a module, js_sin and so on, with Math, for test/c/js_math_wasm_test.c.
 *
 *   node test/support/math-wasm.js MODULE
 *
 * Powers are compared only where the engine has those of fdlibm, as modules do.
 */
'use strict';

const fs = require('node:fs');
const { mathArguments, powerArguments } = require('./math-arguments.js');

const COUNT = 20000;
/** @type {Record<string, (x: number, y: number) => number>} */
const own = { rem: (x, y) => x % y };
const hasOwnPowers = [0.1].every((x) => x ** 0.4 === 0.3981071705534972);

/** @type {(name: string, fn: Function) => number} how many results differ */
function compare(name, fn) {
  const wanted = own[name] ?? /** @type {any} */ (Math)[name];
  const [x, y] = name === 'pow' ? powerArguments(COUNT, 1) : [mathArguments(COUNT, 2), mathArguments(COUNT, 3)];
  let wrong = 0;
  for (let i = 0; i < COUNT; i++) {
    const args = fn.length === 2 ? [x[i], y[i]] : [x[i]];
    const given = fn(...args);
    if (Object.is(given, wanted(args[0], args[1]))) continue;
    if (wrong++ < 3) console.log(`${name}(${args.join(', ')}) is ${given}, here ${wanted(args[0], args[1])}`);
  }
  return wrong;
}

const instance = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(process.argv[2])));
const functions = Object.entries(instance.exports).filter(([name]) => name.startsWith('js_'));
const compared = functions.filter(([name]) => name !== 'js_pow' || hasOwnPowers);
const wrong = compared.map(([name, fn]) => compare(name.slice(3), /** @type {Function} */ (fn)));
process.exitCode = functions.length > 0 && wrong.every((count) => count === 0) ? 0 : 1;
