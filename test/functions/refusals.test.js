// What cannot be compiled is refused with place, reason and advice, and the line with a caret.
/* eslint-disable no-unused-vars */
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { GraphError } = require('../../lib/base/errors.js');
const { build } = require('../../lib/native/build/index.js');
const { infer } = require('../../lib/native/pipeline.js');
const { codeFrame, complaint } = require('../../lib/native/source/frame.js');

/** Checks the whole message of a refusal. */
function refuses(origin, lines, options = {}, code = 'ERR_UNSUPPORTED') {
  assert.throws(() => build(origin, options), (error) => {
    assert.ok(error instanceof GraphError, String(error));
    assert.equal(error.code, code);
    assert.equal(error.message, Array.isArray(lines) ? lines.join('\n') : lines);
    return true;
  });
}

/** Checks that the first line of a refusal of an expression or statements matches. */
function complains(text, pattern, options) {
  assert.throws(() => build(text, options), (error) => {
    assert.ok(error instanceof GraphError, String(error.stack));
    assert.match(error.message, pattern);
    assert.match(error.message, /\n> +\d+ \| .*\n +\| +\^$/);
    return true;
  });
}

test('a refusal shows the place, the reason, the advice, the line and a caret', () => {
  refuses('function total(a) {\n  let s = 0;\n  for (const k in a) s += a[k];\n  return s;\n}', [
    "total:3:3: 'for-in' is not supported: keys of objects are texts; write for (let i = 0; i < a.length; i++)",
    '  2 |   let s = 0;',
    '> 3 |   for (const k in a) s += a[k];',
    '    |   ^',
  ]);
});

test('file and first line are those that the caller gives', () => {
  refuses('(a) =>\n  b + a', [
    "/app/model.js:41:3: 'b' is not defined in the function; hand it over as { capture: { b } }",
    '  40 | (a) =>',
    '> 41 |   b + a',
    '     |   ^',
  ], { file: '/app/model.js', line: 40 });
});

test('tabs are spaces under which the caret stands, and a long line is cut around it', () => {
  refuses('(a) => {\n\t\treturn\ta + this;\n}', [
    "function:2:14: 'this' is not supported; hand the object over as a parameter",
    '  1 | (a) => {',
    '> 2 |         return    a + this;',
    '    |                       ^',
  ]);
  const frame = codeFrame({ text: `${'x'.repeat(300)}!${'y'.repeat(300)}`, file: 'f', line: 1 }, { line: 1, column: 300 });
  const [line, caret] = frame.split('\n');
  assert.equal(line.length, '> 1 | '.length + 4 + 100 + 4);
  assert.equal(line[caret.indexOf('^')], '!');
  const end = codeFrame({ text: `${'x'.repeat(300)}!`, file: 'f', line: 1 }, { line: 1, column: 300 }).split('\n');
  assert.equal(end[0][end[1].indexOf('^')], '!');
});

test('a place without a source is named all the same', () => {
  const loc = { start: { line: 2, column: 4 }, end: { line: 2, column: 5 } };
  assert.equal(complaint({ start: 0, end: 1, loc }, 'no'), 'function:2:5: no');
});

test('a captured function is shown by its own source', () => {
  const helper = (x) => x + unknown; // eslint-disable-line no-undef
  refuses((a) => helper(a), [
    "helper:1:12: 'unknown' is not defined in the function; hand it over as { capture: { unknown } }",
    '> 1 | (x) => x + unknown',
    '    |            ^',
  ], { capture: { helper } });
});

test('what has no source is refused with what to do', () => {
  refuses(Math.sin, "'sin' has no source: native code; wrap it, such as (x) => Math.sin(x)");
  refuses(function f() {}.bind(null), "'bound f' has no source: a bound function; hand over the function itself, its fixed arguments as { capture }");
  refuses('  // nothing', 'the text of a function is empty', {}, 'ERR_PARSE');
});

test('text that is no function, or wrong, is a parse error', () => {
  for (const [text, column, reason] of [
    ['function f( {', 14, 'Unexpected token'],
    ['x => x +', 9, 'Unexpected token'],
    ['f(a', 4, 'Unexpected token'],
    ['#f(a) { return a } #g() {}', 1, 'Unexpected token'],
    ['#f', 1, 'this is not a function; give the text of a function, such as (a, b) => a + b'],
    ['1 + 1', 1, 'this is not a function; give the text of a function, such as (a, b) => a + b'],
    ['let x = 1', 1, 'this is not a function; give the text of a function, such as (a, b) => a + b'],
  ]) {
    refuses(text, [`function:1:${column}: ${reason}`, `> 1 | ${text}`, `    | ${' '.repeat(column - 1)}^`], {}, 'ERR_PARSE');
  }
});

/** Bodies of a function of a, and what they are refused with. */
const REFUSED = {
  "try { a() } catch { }": /'try' is not supported; test for what may go wrong/,
  'class A {}': /classes are not supported; use functions/,
  'return class {}': /classes are not supported/,
  'with (a) { b }': /'with' is not supported/,
  'return `x${a}`': /texts are not computed with/,
  'return a + "x"': /texts are not computed with/,
  'a += "x"': /texts are not computed with/,
  'return /x/': /regular expressions are not supported/,
  'return delete a.b': /'delete' is not supported; set the field/,
  'return "b" in a': /'in' is not supported/,
  'return a instanceof A': /'instanceof' is supported for typed arrays and Array only/,
  'return super_.x': /'super_' is not defined in the function; hand it over as { capture: { super_ } }/,
  'return arguments': /'arguments' is not supported here; write \(\.\.\.values\)/,
  'return new.target': /'new\.target' and 'import\.meta' are not supported/,
  'return import("x")': /modules cannot be loaded/,
  'return new Map()': /'new Map' is not supported: there are no maps in native code; use an array/,
  'return new Foo()': /'new' is supported for typed arrays, Array and thrown errors only/,
  'return console.log(a)': /'console' is not there: nothing can be printed/,
  'return parseFloat(a)': /'parseFloat' is not there: texts are not computed with; hand the number over/,
  'return Number.parseInt(a)': /'Number\.parseInt' is not there/,
  'return JSON.parse(a)': /'JSON' is not there/,
  'return Date.now()': /'Date' is not there: there is no clock/,
  'return eval("a")': /'eval' is not there/,
  'return Math': /'Math' is not a value here/,
  'return Math.foo(a)': /'Math\.foo' is not known/,
  'return Math[a](1)': /members of 'Math' must be named/,
  'const { foo } = Math': /this is not known of what the language provides/,
  'Math.PI = 3': /what the language provides cannot be set/,
  'return Error("x")': /an Error is only supported where it is thrown/,
  'throw new MyError("x")': /only the errors of the language can be thrown/,
  'throw new Error("x", { cause: a })': /a thrown Error has a message and nothing else/,
  'return a.join(",")': /'\.join\(\)' makes or reads a text/,
  'return a.toFixed(2)': /'\.toFixed\(\)' makes or reads a text/,
  'return { a, __proto__: { b: 1 } }.b': /objects with a prototype are not supported/,
  'return { get b() { return 1 } }': /getters and setters are not supported/,
  'return { [a]: 1 }': /the name of a field must be known/,
  'return new Array(a).map(() => 1)': /'\.map' goes over no element of an Array that is not filled; write Array\.from/,
  'let s = 0; Array(3).forEach(() => s++); return s': /'\.forEach' goes over no element/,
  'return a?.()': /'\?\.\(' is not supported/,
  'return a`x`': /texts are not computed with/,
  'b = a': /'b' is not declared in the function; declare it: let b/,
  'const b = 1; b = a': /'b' is a constant; declare it with let/,
  'const b = 1; b++': /'b' is a constant/,
  'const b = 1; [b] = [a]': /'b' is a constant/,
  'b = a; let b': /'b' is used before it is declared; move its declaration up/,
  'const b = b + 1': /'b' is used before it is declared/,
  'for (const b of b) ;': /'b' is used before it is declared/,
  'k = a': /'k' is captured by its value and cannot be set/,
  'k++': /'k' is captured by its value/,
  '(function g() { g = 1 })()': /'g' is the function itself/,
  'for (const i of prange(a)) break': /a prange loop cannot be left early/,
  'for (const i of prange(a)) { for (;;) { break } return }': /'return' cannot leave a prange loop/,
  'L: for (;;) for (const i of prange(a)) continue L': /a prange loop cannot be left early/,
  'for (const i of prange()) ;': /'prange' takes one or two arguments/,
  'return prange(a)': /'prange' is only supported as for/,
  'for (const k of Object.keys(a)) ;': /'Object\.keys' is not there: objects are taken apart/,
  'return (function* () {})()': /generators are not supported/,
  'return (async () => 1)()': /async functions are not supported/,
  'return Float64Array.from({ length: 2, x: 1 })': /'Float64Array\.from' is supported for arrays and { length: n }/,
  'return a.map(...a)': /arguments of 'map' cannot be spread/,
  'return k()': /this is not a function/,
  'return s + a': /'s' is captured as a symbol/,
};

for (const [body, pattern] of Object.entries(REFUSED)) {
  test(`refused: ${body}`, () => {
    complains(`function f(a) {\n  ${body}\n}`, pattern, { capture: { k: 1, s: Symbol('s') } });
  });
}

test('what is refused may stand in a function that nothing calls', () => {
  build(() => {
    function unused() {
      try {
        return 1;
      } finally {
        console.log(1);
      }
    }
    return 1;
  });
});

test('functions of kinds that cannot be called so are refused', () => {
  complains('function* f() {}', /f:1:1: generators are not supported; fill an array/);
  complains('async (x) => x', /async functions are not supported; wait outside/);
  complains('get f() { return 1 }', /a getter is not a function/);
  complains('static get #f() { return 1 }', /a getter is not a function/);
  complains('class A {}', /a class is not a function/);
  complains((class A { static async f() {} }).f, /async functions/);
});

/** Functions of numbers, and what they are refused with where types tell. */
const REFUSED_BY_TYPES = {
  '(a) => ({ a }).toString === undefined': /\.toString of an object is not supported/,
  '(...a) => a.join === undefined': /\.join of an array is not supported/,
  '(a) => { const { constructor = 3 } = { a }; return constructor; }': /\.constructor of an object is not supported/,
  '(a) => { const b = [a, 1]; b.unshift(2); return b; }': /\.unshift of an array is not supported; make a typed array that is long enough/,
  '(a) => { const b = [a, 1]; b.splice(1, 2); return b; }': /\.splice of an array is not supported; make a new array/,
  '(a) => new Uint8Array(new Float64Array(a).buffer)': /\.buffer of an array is not supported; hand over a typed array of the same buffer/,
  '(a) => [a, 2].flatMap((x) => [x, x])': /\.flatMap of an array is not supported; loop over the elements/,
  '(a) => Array.from({ length: a }, () => new Float64Array(3))': /an array is an element of an array that grows [^;]*; keep the rows in one typed array/,
  '(a) => { const b = []; b.push([a, 1]); return b; }': /an array is an element of an array that grows [^;]*; keep the rows in one typed array/,
  '(a) => { const b = []; b.push({ a }); return b; }': /an object is an element of an array [^;]*; keep each field in an array of its own/,
  '(a) => { const ops = []; ops.push(() => a); return ops[0](); }': /a function is used as a number; call it/,
  '(a) => { let s = 0; for (const x of { a }) s += x; return s; }': /an object cannot be looped over; loop over an array/,
  '(a) => ({ forEach: (f) => f(a) }).forEach((x) => x)': /an object cannot be looped over; .* or give a method of your own another name/,
  '(a) => ({ a, indexOf: (x) => x + a }).indexOf(a)': /an object cannot be looped over/,
  '(a) => ({ a, at: (x) => x + a }).at(a)': /\.at of an object is not supported; give a method of your own another name/,
  '(a) => ({ a, concat: (x) => x + a }).concat(a)': /\.concat of an object is not supported/,
  '(a) => { const o = { fill: (x) => x + a }; return o.fill(a); }': /\.fill of an object is not supported; give a method/,
  '(a) => { const o = { x: a, y: 1 }; return o[a]; }': /the field of an object is not known at compile time; name the field/,
  '(a) => { const o = { x: [a], y: [1] }; return o[a][0]; }': /the field of an object is not known at compile time; name the field/,
  '(a) => { const b = []; b.push(a); return [b, b.pop()]; }': /\.push of an array is not supported/,
  '(a) => { const b = [1]; b.push(a); const f = (c) => { c[0] = 2; }; f(b); return b; }': /\.push of an array is not supported/,
  '(a) => { const b = [1]; b.push(a); const f = (c) => c; const d = f(b); b.push(3); return d; }': /\.push of an array is not supported/,
  '(a) => { const b = [1]; const f = (c) => { b.push(9); return c.length; }; return f(b) + a; }': /\.push of an array is not supported/,
  '(n) => { let a = [1, 2], b = [3, 4]; if (n > 2) { const t = a; a = b; b = t; } return a[0] - b[0]; }': /one of several arrays has no elements; give it one type on every way/,
  '(n) => { let p = { x: n }, q = { x: 1 }; for (let i = 0; i < 3; i++) { const t = p; p = q; q = t; p.x++; } return p.x; }': /\.x of one of several objects is not supported; use each in the branch where it is known which it is/,
  '(n) => { const p = { x: n }, q = { x: 1 }; const r = n > 1 ? p : q; r.x = 2; return p.x; }': /\.x of one of several objects cannot be set; use each in the branch/,
  '(n) => { n.x = 2; return n; }': /\.x of a number cannot be set; name a field of an object/,
  '(a) => [a] == a': /an array is compared with a number by ==; write ===/,
  '(a) => a != new Float64Array([a])': /an array is compared with a number by ==/,
  '(n) => { let g = -2n; if (n > 1) g = BigInt.asUintN(64, -1n - BigInt(n)); return Number(g); }': /a bigint here may be below 0 or above 2\^63; use BigInt\.asUintN/,
  '(n) => { let g = -2n; if (n > 1) g = BigInt.asUintN(64, -1n - BigInt(n)); return g === -3n; }': /a bigint here may be below 0 or above 2\^63/,
  '(n) => { let g = -2n; if (n > 1) g = BigInt.asUintN(64, -1n - BigInt(n)); return g; }': /a bigint here may be below 0 or above 2\^63/,
  '(a) => BigInt(a) == "1"': /a string is compared with a bigint by ==/,
  '(a) => { const [b] = a; return b; }': /a number cannot be taken apart as an array/,
  '(a) => { for (const b of a) return b; return 1; }': /a number cannot be looped over; loop over an array/,
  '(a) => a.constructor': /\.constructor of a number is not supported/,
  '(a) => { const g = (...w) => (w[0] > 10 ? w.length : g(w[0] + 1, ...w)); return g(a); }': /g calls itself with 17 arguments; hand over an array of them/,
  '(a) => typeof (a > 1 ? a : undefined)': /the function returns the typeof of what may be undefined; return a number/,
};

test('what only types tell is refused with place and advice, too', () => {
  for (const [text, pattern] of Object.entries(REFUSED_BY_TYPES)) {
    assert.throws(() => infer(build(text), [{ kind: 'number', dtype: 'f64' }]), (error) => {
      assert.equal(error.code, 'ERR_UNSUPPORTED', text);
      assert.match(error.message, pattern);
      assert.match(error.message, /function:1:\d+: [^]*\n> 1 \| .*\n +\| +\^$/);
      return true;
    });
  }
});

test('a function that is nested too deeply is refused', () => {
  const deep = (depth) => `x => ${'-('.repeat(depth)}x${')'.repeat(depth)}`;
  assert.throws(() => build(deep(100000)), { code: 'ERR_UNSUPPORTED', message: /nested too deeply/ });
  assert.throws(() => build(`x => ${'x+'.repeat(200000)}x`), { code: 'ERR_UNSUPPORTED', message: /nested too deeply/ });
});
