// C functions in graphs: compiled here into a shared library, called by compiled code, by the reference and by
// programs in C, and what happens when they are not there or report an error.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { after, before, test } = require('node:test');
const { Graph, registerCustomCall, tensor } = require('graphjit');
const { throwsGraphError } = require('./support/errors.js');

const source = `
#include <stdint.h>
#include <string.h>

// x f64[n], by i32[], flags bool[n] -> f64[n]: x turned by some places where the flag is set
int32_t rotate_where(void *const *buffers, const int64_t *sizes) {
  const double *x = buffers[0];
  const int32_t *by = buffers[1];
  const uint8_t *flags = buffers[2];
  double *z = buffers[3];
  int64_t n = sizes[0];
  if (sizes[1] != n || sizes[2] != n)
    return 7;
  for (int64_t i = 0; i < n; i++)
    z[i] = flags[i] ? x[((i + *by) % n + n) % n] : x[i];
  return 0;
}

int32_t memcpy_like(void *const *buffers, const int64_t *sizes) {
  memcpy(buffers[1], buffers[0], (size_t)(sizes[0] * sizes[1]) * sizeof(float));
  return 0;
}

int32_t nothing_in(void *const *buffers, const int64_t *sizes) {
  for (int64_t i = 0; i < sizes[0]; i++)
    ((int64_t *)buffers[0])[i] = i * i;
  return 0;
}

int32_t refuses(void *const *buffers, const int64_t *sizes) {
  (void)buffers;
  return sizes[0] > 3 ? -1 : 0;
}
`;

let folder = '';
let library = '';

before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-custom-'));
  library = path.join(folder, 'libcustom.so');
  fs.writeFileSync(path.join(folder, 'custom.c'), source);
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, path.join(folder, 'custom.c')]);
});
after(() => fs.rmSync(folder, { recursive: true }));

/** The result of a graph by the reference and compiled in several ways, which must agree. @type {(graph: any, inputs: any) => any} */
function run(graph, inputs) {
  const wanted = graph.eval(inputs).z.toArray();
  for (const options of [{}, { numerics: 'strict' }, { tier: 'auto' }, { optLevel: 0, threads: 2 }, { cache: false }]) {
    const program = graph.compile(options);
    assert.deepEqual(program.run(inputs).z.toArray(), wanted);
    program.dispose();
  }
  return wanted;
}

test('a C function is an op, between kernels that fuse as usual', () => {
  registerCustomCall('rotate_where', { library });
  registerCustomCall('rotate_where', { library }); // the same function again
  const graph = new Graph('rotated');
  const x = graph.input('x', 'f64', ['n']);
  const y = graph.customCall('rotate_where', [x.mul(2), tensor(1, { dtype: 'i32' }), x.gt(2)], { dtype: 'f64', shape: ['n'] });
  graph.output('z', y.add(0.5));
  assert.deepEqual(run(graph, { x: Float64Array.of(1, 2, 3, 4) }), [2.5, 4.5, 8.5, 2.5]);
  assert.deepEqual(run(graph, { x: Float64Array.of() }), []);
  const text = graph.toString();
  assert.match(text, /%\d+ = custom_call "rotate_where" %\d+, %\d+, %\d+ \{dtype=f64, shape=\[n\]\} : f64\[n\]/);
  assert.equal(Graph.parse(text).toString(), text);
});

test('operands that are constants, moved or given twice lie in memory', () => {
  registerCustomCall('copied', { library, symbol: 'memcpy_like' });
  const graph = new Graph('copies');
  const x = graph.input('x', 'f32', [2, 3]);
  const shape = [3, 2];
  const turned = graph.customCall('copied', [x.T], { dtype: 'f32', shape });
  const same = graph.customCall('copied', [x.T], { dtype: 'f32', shape });
  const ones = graph.customCall('copied', [graph.constant(1, { dtype: 'f32', shape })], { dtype: 'f32', shape });
  graph.output('z', turned.add(same).add(ones));
  assert.deepEqual(run(graph, { x: tensor([[1, 2, 3], [4, 5, 6]], { dtype: 'f32' }) }), [[3, 9], [5, 11], [7, 13]]);
  const { z } = graph.compile().run({ x: new Float32Array(6) });
  assert.deepEqual(z.shape, shape);
});

test('a function without operands, whose result is no output of the graph itself', () => {
  registerCustomCall('nothing_in', { library });
  const graph = new Graph('squares');
  graph.output('z', graph.customCall('nothing_in', [], { dtype: 'i64', shape: [5] }).sum());
  assert.equal(run(graph, {}), 30n);
});

test('what a function reports makes the run fail', async () => {
  registerCustomCall('refuses', { library });
  const graph = new Graph('refused');
  const x = graph.input('x', 'f64', ['n']);
  graph.output('z', graph.customCall('refuses', [x], { dtype: 'f64', shape: ['n'] }));
  const program = graph.compile();
  program.run({ x: new Float64Array(3) });
  throwsGraphError(() => program.run({ x: new Float64Array(4) }), 'ERR_CALL', /^run: a function of custom_call reported an error$/);
  throwsGraphError(() => graph.eval({ x: new Float64Array(4) }), 'ERR_CALL', /^custom_call: "refuses" returned -1$/);
  const call = program.bind({ x: new Float64Array(4) });
  throwsGraphError(() => call(), 'ERR_CALL', /^run: a function of custom_call reported an error$/);
  await assert.rejects(program.runAsync({ x: new Float64Array(9) }), { code: 'ERR_CALL' });
});

test('functions that are not there, and wrong arguments', () => {
  const graph = new Graph('wrong');
  const x = graph.input('x', 'f64', ['n']);
  const options = { dtype: /** @type {const} */ ('f64'), shape: ['n'] };
  graph.output('z', graph.customCall('unheard_of', [x], options));
  const unknown = /^custom_call: no function is registered as "unheard_of"/;
  throwsGraphError(() => graph.compile(), 'ERR_STATE', unknown);
  throwsGraphError(() => graph.compile({ tier: 'auto' }), 'ERR_STATE', unknown);
  throwsGraphError(() => graph.eval({ x: new Float64Array(2) }), 'ERR_STATE', unknown);
  throwsGraphError(() => graph.toWasm(), 'ERR_UNSUPPORTED', /^wasm: custom_call of "unheard_of" \(%2\): a module has no C functions to call$/);
  const name = /^custom_call: expected a C identifier of at most 255 bytes as name of the function, got "a b"$/;
  throwsGraphError(() => graph.customCall('a b', [x], options), 'ERR_ARGUMENT', name);
  throwsGraphError(() => graph.customCall('f', [x], /** @type {any} */ ({ dtype: 'f64' })), 'ERR_ARGUMENT', /^customCall: expected 'dtype' and 'shape' of the result/);
  throwsGraphError(() => graph.customCall('f', /** @type {any} */ (x), options), 'ERR_ARGUMENT', /^customCall: expected an array of Values/);
  throwsGraphError(() => graph.customCall('f', [new Graph('b').input('x', 'f64')], options), 'ERR_ARGUMENT', /is of graph "b"$/);
  throwsGraphError(() => registerCustomCall('f', /** @type {any} */ ({})), 'ERR_ARGUMENT', /^registerCustomCall: expected the path of a shared library for option 'library', got undefined$/);
  throwsGraphError(() => registerCustomCall('f', { library: '/nowhere.so' }), 'ERR_ARGUMENT', /^registerCustomCall: cannot load "\/nowhere.so": /);
  throwsGraphError(() => registerCustomCall('f', { library, symbol: 'g' }), 'ERR_ARGUMENT', /^registerCustomCall: cannot find "g": /);
  registerCustomCall('taken', { library, symbol: 'refuses' });
  throwsGraphError(() => registerCustomCall('taken', { library, symbol: 'nothing_in' }), 'ERR_STATE', /^custom_call: "taken" is another function already$/);
  const bad = 'graph "g" {\n  %1 = custom_call "1f" {dtype=f64, shape=[]} : f64[]\n  output "z" = %1\n}\n';
  throwsGraphError(() => Graph.parse(bad), 'ERR_ARGUMENT', /custom_call: expected a C identifier .*, got "1f"$/);
});

test('an object leaves the name to the linker', () => {
  const graph = new Graph('object');
  const x = graph.input('x', 'f64', []);
  graph.output('z', graph.customCall('from_c', [x], { dtype: 'f64', shape: [] }).add(1));
  throwsGraphError(() => graph.toObject({ symbol: 'from_c' }), 'ERR_ARGUMENT', /custom_call of "from_c" \(%2\), which is a name of C or of the object$/);
  fs.writeFileSync(path.join(folder, 'program.o'), graph.toObject({ symbol: 'run_it' }));
  const main = `#include <stdint.h>
#include <stdio.h>
int32_t run_it(void *const *buffers, const int64_t *dims, void *exec);
int32_t from_c(void *const *buffers, const int64_t *sizes) { (void)sizes; *(double *)buffers[1] = 3 * *(double *)buffers[0]; return 0; }
int main(void) {
  double x = 2, z, scratch[64];
  void *buffers[2] = {&x, &z}, *exec[4] = {scratch, 0, 0, 0};
  int status = run_it(buffers, 0, exec);
  printf("%d %g", status, z);
}`;
  fs.writeFileSync(path.join(folder, 'main.c'), main);
  execFileSync('cc', ['-o', path.join(folder, 'main'), path.join(folder, 'main.c'), path.join(folder, 'program.o')]);
  assert.equal(execFileSync(path.join(folder, 'main'), { encoding: 'utf8' }), '0 7');
});
