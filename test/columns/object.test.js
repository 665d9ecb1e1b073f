// Expressions over columns as objects for C: linked with a main() that calls them by their headers.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { expr } = require('../../lib/columns/index.js');
const { inFolder, run } = require('../support/object.js');

const WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Werror'];

const ROWS = 1003;
const late = expr('x > @least and s like @pattern', { numerics: 'strict' });
const both = expr({ twice: 'x * 2', upper: "upper(s) || '!'", 'rest of k': '1000 % k' }, { numerics: 'strict' });
const schema = { x: 'float64', s: 'utf8?', k: 'int32' };
const parameters = { least: 'float64', pattern: 'utf8' };

const table = {
  x: Float64Array.from({ length: ROWS }, (_, i) => (i * 7919) % 997),
  s: Array.from({ length: ROWS }, (_, i) => (i % 3 === 0 ? null : `${i % 2 ? 'b' : 'a'}${i}`)),
  k: Int32Array.from({ length: ROWS }, (_, i) => i + 1),
};

const MAIN = `#include "late.h"
#include "both.h"
#include <stdio.h>
#include <string.h>

enum { ROWS = ${ROWS}, ROOM = 64 * ((ROWS + 63) / 64) };

static double x[ROWS], twice[ROOM];
static int32_t k[ROWS], rest[ROOM], offsets[ROWS + 1], ends[ROOM + 1];
static uint8_t bytes[16 * ROWS], text[32 * ROWS];
static uint64_t valid[ROOM / 64], mask[ROOM / 64], there[ROOM / 64];
static char arena[65536];

static int32_t project(int64_t room, int64_t *failed) {
  return both(ROWS, x, twice, offsets, bytes, valid, there, ends, text, k, rest, room, arena, sizeof arena, failed, NULL);
}

int main(void) {
  static const int32_t two[] = {0, 2};
  int64_t failed[2], i, used = 0;
  for (i = 0; i < ROWS; i++) {
    char own[16] = "";
    x[i] = (double)((i * 7919) % 997);
    k[i] = (int32_t)i + 1;
    if (i % 3 != 0) {
      valid[i / 64] |= (uint64_t)1 << (i % 64);
      snprintf(own, sizeof own, "%c%d", i % 2 ? 'b' : 'a', (int)i);
    }
    memcpy(bytes + used, own, strlen(own));
    used += (int64_t)strlen(own);
    offsets[i + 1] = (int32_t)used;
  }
  printf("%d\\n", late(ROWS, 500, x, offsets, bytes, valid, mask, two, (const uint8_t *)"b%", failed, NULL));
  for (i = 0; i < ROWS; i++)
    if (mask[i / 64] >> (i % 64) & 1)
      printf("%d ", (int)i);
  printf("\\n%d", project(64, failed));
  printf(" %d\\n", project(sizeof text, failed));
  for (i = 0; i < ROWS; i++)
    printf("%g %d %d %.*s\\n", twice[i], (int)rest[i], (int)(there[i / 64] >> (i % 64) & 1), (int)(ends[i + 1] - ends[i]), (const char *)text + ends[i]);
  k[700] = 0;
  i = project(sizeof text, failed);
  printf("%d %d %d\\n", (int)i, (int)failed[0], (int)failed[1]);
  return 0;
}
`;

/** @type {() => string} what main() has to print */
function wanted() {
  const rows = late.filter(table, { parameters: { least: 500, pattern: 'b%' } });
  const { twice, upper, 'rest of k': rest } = both.project(table);
  const lines = Array.from({ length: ROWS }, (_, i) => `${twice[i]} ${rest[i]} ${upper.get(i) === null ? 0 : 1} ${upper.get(i) ?? ''}`);
  return `0\n${[...rows].map((row) => `${row} `).join('')}\n19 0\n${lines.join('\n')}\n16 0 700\n`;
}

test('filters and projections are linked with C', () => {
  inFolder((folder) => {
    const at = (/** @type {string} */ name) => path.join(folder, name);
    fs.writeFileSync(at('late.h'), late.toHeader(schema, { symbol: 'late', parameters }));
    fs.writeFileSync(at('both.h'), both.toHeader(schema, { symbol: 'both' }));
    fs.writeFileSync(at('late.o'), late.toObject(schema, { symbol: 'late', parameters }));
    fs.writeFileSync(at('both.o'), both.toObject(schema, { symbol: 'both' }));
    fs.writeFileSync(at('main.c'), MAIN);
    run('gcc', ['-std=c11', ...WARNINGS, '-I', folder, at('main.c'), at('late.o'), at('both.o'), '-o', at('main')]);
    assert.equal(String(run(at('main'), [])), wanted());
    fs.writeFileSync(at('main.cpp'), '#include "late.h"\n#include "both.h"\nint main() { return 0; }\n');
    run('g++', ['-std=c++11', ...WARNINGS, '-I', folder, '-c', at('main.cpp'), '-o', at('main.o')]);
  });
});

test('objects are made for other machines, and as text', () => {
  for (const target of ['aarch64-linux-gnu', 'x86_64-w64-windows-gnu', 'wasm32']) {
    const bytes = late.toObject(schema, { target, parameters });
    assert.ok(bytes instanceof Uint8Array && bytes.length > 500, target);
  }
  assert.match(String(late.toObject(schema, { symbol: 'late', emit: 'llvm', parameters })), /define .*@late_kernel\(/);
});

test('what cannot be an object is refused', () => {
  assert.throws(() => expr('sum(x)').toObject(schema), { code: 'ERR_UNSUPPORTED', message: /^toObject: / });
  assert.throws(() => expr('sum(x)').toHeader(schema), { code: 'ERR_UNSUPPORTED', message: /^toHeader: / });
  assert.throws(() => expr('x').toHeader(schema, { by: 'x' }), { code: 'ERR_ARGUMENT' });
  assert.throws(() => expr('x').toObject({ x: 'nothing' }), { code: 'ERR_ARGUMENT' });
});

test('names of columns become words of C that differ', () => {
  const odd = expr('"a b" + "a-b" + "rows" + "int" + "größe"').toHeader({ 'a b': 'int32', 'a-b': 'int32', rows: 'int32', int: 'int32', größe: 'int32' }, { symbol: 'odd' });
  const params = /static inline int32_t odd\((.*)\) \{/.exec(odd)?.[1].split(', ').map((each) => each.split(/[ *]+/).at(-1)) ?? [];
  assert.equal(new Set(params).size, params.length);
  inFolder((folder) => {
    fs.writeFileSync(path.join(folder, 'odd.c'), `${odd}\nint main(void) { return 0; }\n`);
    run('gcc', ['-std=c11', ...WARNINGS, '-c', path.join(folder, 'odd.c'), '-o', path.join(folder, 'odd.o')]);
  });
});
