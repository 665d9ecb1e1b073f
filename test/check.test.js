// Checks of options and arguments, the one shape of their messages, and the stack of their errors.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { test } = require('node:test');
const { GraphError, tensor } = require('graphjit');
const check = require('../lib/base/check.js');
const { createError, hideLibraryFrames } = require('../lib/base/errors.js');
const { throwsGraphError: refuses } = require('./support/errors.js');

const getters = { threads: check.integer(1, 256), mode: check.oneOf(['strict', 'fast']), deep: check.boolean };
const read = (/** @type {unknown} */ options) => check.readOptions('compile', options, getters);

test('options are read through their getters', () => {
  assert.deepEqual(read({ threads: 2, mode: 'fast', deep: false }), { threads: 2, mode: 'fast', deep: false });
});

test('absent and undefined options are left to defaults', () => {
  assert.deepEqual(read(undefined), {});
  assert.deepEqual(read({ threads: undefined }), {});
});

test('an unknown option is refused with a suggestion and the known ones', () => {
  refuses(
    () => read({ thread: 2 }),
    'ERR_ARGUMENT',
    /^compile: unknown option 'thread' \(did you mean 'threads'\?\), known options are 'threads', 'mode', 'deep'$/,
  );
});

test('an option unlike any other gets no suggestion', () => {
  refuses(() => read({ colour: 1 }), 'ERR_ARGUMENT', /unknown option 'colour', known options are/);
  refuses(() => read({ ['x'.repeat(1e6)]: 1 }), 'ERR_ARGUMENT', /unknown option 'x{57}\.\.\.', known/);
});

test('names that every object inherits are unknown options too', () => {
  refuses(() => read(JSON.parse('{ "__proto__": 1 }')), 'ERR_ARGUMENT', /unknown option '__proto__'/);
  refuses(() => read({ toString: 1 }), 'ERR_ARGUMENT', /unknown option 'toString'/);
});

test('options that are no plain object are refused', () => {
  for (const bad of [null, 3, 'x', [], new Float64Array(2), tensor(1)]) {
    refuses(() => read(bad), 'ERR_ARGUMENT', /^compile: expected an object for the options, got /);
  }
});

test('a wrong value names what was expected, for which option, and what came', () => {
  const cases = [
    [{ threads: 0 }, "compile: expected an integer from 1 to 256 for option 'threads', got 0"],
    [{ threads: 1.5 }, "compile: expected an integer from 1 to 256 for option 'threads', got 1.5"],
    [{ threads: '2' }, 'compile: expected an integer from 1 to 256 for option \'threads\', got "2"'],
    [{ threads: 2n }, "compile: expected an integer from 1 to 256 for option 'threads', got 2n"],
    [{ mode: 'slow' }, "compile: expected one of 'strict', 'fast' for option 'mode', got \"slow\""],
    [{ deep: 1 }, "compile: expected a boolean for option 'deep', got 1"],
  ];
  for (const [options, message] of cases) {
    assert.throws(() => read(options), { name: 'GraphError', code: 'ERR_ARGUMENT', message });
  }
});

test('getters pass what they are made for and refuse the rest', () => {
  const rows = [
    [check.integer(), [0, -5, 2 ** 53 - 1], [NaN, 2 ** 53, 1.5, '1', null]],
    [check.integer(0), [0, 7], [-1, Infinity]],
    [check.finite, [0.5, -1e308], [NaN, Infinity, '1', 1n]],
    [check.string, ['', 'a'], [1, null, ['a']]],
    [check.callable, [() => 1, class {}], [{}, 'f']],
  ];
  for (const [getter, good, bad] of rows) {
    for (const value of good) assert.equal(getter(value, 'x', 'f'), value);
    for (const value of bad) refuses(() => getter(value, 'x', 'f'), 'ERR_ARGUMENT', /^f: expected .* for x, got /);
  }
});

test('any value has a short description of one line', () => {
  const rows = [
    [undefined, 'undefined'], [null, 'null'], [new Date(0), 'a Date'], [new Date(NaN), 'an invalid Date'], [-0, '-0'], [NaN, 'NaN'], [3n, '3n'], [true, 'true'],
    ['a\nb', '"a\\nb"'], [Symbol('s'), 'Symbol(s)'], [() => 1, 'function (anonymous)'], [Math.max, 'function max'],
    [[1, 'a', null], '[1, "a", null]'], [[[1], [2]], 'an array of 2'], [new Array(1e6), 'an array of 1000000'],
    [new Int8Array(4), 'Int8Array(4)'], [new Map(), 'a Map'], [new ArrayBuffer(8), 'an ArrayBuffer'], [{}, 'an empty object'],
    [{ a: 1, b: 2 }, 'an object with a, b'], [Object.create(null), 'an empty object'],
    [tensor([[1, 2]]), 'Tensor f64[1, 2]'],
  ];
  for (const [value, text] of rows) assert.equal(check.describe(value), text);
  for (const long of ['x'.repeat(1000), 10n ** 500n, { ['k'.repeat(999)]: 1 }, Symbol('y'.repeat(999))]) {
    assert.ok(check.describe(long).length <= 60);
  }
});

test('no name brings a line break into a message', () => {
  refuses(() => read({ 'a\nb': 1 }), 'ERR_ARGUMENT', /unknown option 'a\\u000ab', known/);
  const Odd = class { static name = 'a\u2028b'; };
  for (const odd of [new Odd(), { 'k\nk': 1 }, Symbol('s\r\n'), Object.assign(() => 1, {}), Odd]) {
    assert.doesNotMatch(check.describe(odd), /[\n\r\u2028]/);
  }
});

test('the nearest name forgives typing, not guessing', () => {
  const known = ['threads', 'numerics', 'optLevel'];
  assert.equal(check.nearest('optlevel', known), 'optLevel');
  assert.equal(check.nearest('thraeds', known), 'threads');
  assert.equal(check.nearest('numeric', known), 'numerics');
  assert.equal(check.nearest('precision', known), undefined);
  assert.equal(check.nearest('x', []), undefined);
});

test('a GraphError has a name, a code and a cause', () => {
  const cause = new Error('inner');
  const error = new GraphError('outer', { code: 'ERR_SHAPE', cause });
  assert.ok(error instanceof Error);
  assert.equal(String(error), 'GraphError: outer');
  assert.equal(error.code, 'ERR_SHAPE');
  assert.equal(error.cause, cause);
  assert.equal(new GraphError('x').code, 'ERR_ARGUMENT');
  assert.ok(!('cause' in new GraphError('x')));
  assert.equal(createError('ERR_MEMORY', 'y').code, 'ERR_MEMORY');
});

test('the stack starts at the line of the caller', () => {
  for (const action of [() => tensor([[1], [2, 3]]), () => tensor([1, 2]).slice([0, 1, 0])]) {
    assert.throws(action, (error) => {
      const frames = error.stack.split('\n').slice(1);
      assert.ok(frames[0].includes(__filename), error.stack);
      return !frames.some((frame) => frame.includes(path.join('lib', 'tensor', 'convert.js')));
    });
  }
});

test('a message that looks like frames does not confuse the stack', () => {
  const error = new GraphError(`odd\n    at ${path.join(__dirname, '..', 'lib', 'graph', 'graph.js')}:1:1`);
  assert.match(error.stack, /^GraphError: odd\n {4}at .*lib.graph.graph\.js:1:1\n {4}at .*check\.test\.js/);
});

test('the stack keeps the length that the program asked for', () => {
  const { stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = 1;
    assert.throws(() => tensor('x'), (error) => error.stack.split('\n').length === 2 && error.stack.includes(__filename));
    assert.equal(Error.stackTraceLimit, 1);
    Error.stackTraceLimit = 0;
    assert.equal(new GraphError('none').stack, 'GraphError: none');
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
});

test('stacks that are not text, or hold library frames only, stay as they are', () => {
  const error = new Error('x');
  Object.assign(error, { stack: [1, 2] });
  assert.deepEqual(hideLibraryFrames(error).stack, [1, 2]);
  const inside = `Error: x\n    at f (${path.join(__dirname, '..', 'lib', 'graph', 'graph.js')}:1:1)`;
  Object.assign(error, { stack: inside });
  assert.equal(hideLibraryFrames(error).stack, inside);
});
