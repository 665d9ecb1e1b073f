// Lists in messages: of elements that have a tag each, packed ones, and both in turn, whatever their sizes.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Writer } = require('protobufjs/minimal');
const { decode } = require('../../lib/models/shared/protobuf.js');
const { generator } = require('../support/generator.js');
const { isGraphError } = require('../support/errors.js');

/** @type {import('../../lib/models/shared/protobuf.js').Schema} */
const schema = {
  Lists: {
    1: ['ints', 'int64', 'repeated'], 2: ['floats', 'float', 'repeated'], 3: ['doubles', 'double', 'repeated'],
    4: ['texts', 'string', 'repeated'], 5: ['last', 'int64'], 16: ['far', 'uint32', 'repeated'],
  },
};

const integers = [0, 1, 127, 128, 16383, 16384, 2 ** 21 - 1, 2 ** 21, 2 ** 35, 2 ** 53 - 1, 2n ** 63n - 1n, -1, -(2n ** 63n)];
const words = ['', 'LEAF', 'leaf', 'BRANCH_LEQ', 'BRANCH_LT', 'é', 'ab', '𝄞', 'x'.repeat(32), 'x'.repeat(33), 'y'.repeat(33)];

/** @type {(writer: any, value: number | bigint) => void} */
function putLong(writer, value) {
  const bits = BigInt.asUintN(64, BigInt(value));
  writer.uint64({ low: Number(bits & 0xffffffffn) | 0, high: Number(bits >> 32n) | 0, unsigned: true });
}

/** By field: its wire type, and how an element is written. @type {Record<string, [number: number, wire: number, put: (writer: any, value: any) => void]>} */
const fields = {
  ints: [1, 0, putLong], floats: [2, 5, (writer, value) => writer.float(value)], doubles: [3, 1, (writer, value) => writer.double(value)],
  texts: [4, 2, (writer, value) => writer.string(value)], far: [16, 0, (writer, value) => writer.uint32(value)],
};

/** @type {(writer: any, name: string, values: readonly any[], isPacked: boolean) => void} */
function putList(writer, name, values, isPacked) {
  const [number, wire, put] = fields[name];
  if (!isPacked || wire === 2) return values.forEach((value) => put(writer.uint32((number << 3) | wire), value));
  writer.uint32((number << 3) | 2).fork();
  values.forEach((value) => put(writer, value));
  return writer.ldelim();
}

test('elements with tags, packed ones, and both in turn', () => {
  const random = generator(3);
  for (const size of [0, 1, 2, 3, 16, 17, 1009]) {
    for (let round = 0; round < 8; round++) {
      const writer = Writer.create();
      /** @type {Record<string, any[]>} */
      const want = {};
      const pick = (/** @type {readonly any[]} */ list) => list[Math.floor(random() * list.length)];
      for (let part = 0; part < 8; part++) {
        const name = pick(Object.keys(fields));
        const make = { ints: () => pick(integers), texts: () => pick(words), far: () => Math.floor(random() * 2 ** 32) }[name];
        const values = Array.from({ length: Math.floor(random() * (size + 1)) }, make ?? (() => pick([0, -0, 0.5, -3, NaN, Infinity])));
        putList(writer, name, values, random() < 0.5);
        if (values.length > 0) want[name] = [...(want[name] ?? []), ...values];
      }
      putLong(writer.uint32(5 << 3), 7);
      const found = decode(schema, 'Lists', writer.finish(), 'test');
      for (const name of Object.keys(fields)) assert.deepEqual(found[name] ?? [], want[name] ?? [], `${name}, up to ${size}`);
      assert.equal(found.last, 7);
    }
  }
});

test('lists that end inside an element are refused', () => {
  for (const name of ['ints', 'floats', 'doubles', 'texts', 'far']) {
    const writer = Writer.create();
    putList(writer, name, name === 'texts' ? ['abc', 'abc', 'abc'] : [300, 300, 300], false);
    const bytes = writer.finish();
    const element = bytes.length / 3;
    for (let length = 1; length < bytes.length; length++) {
      if (length % element === 0) assert.equal(decode(schema, 'Lists', bytes.subarray(0, length), 'test')[name].length, length / element);
      else assert.throws(() => decode(schema, 'Lists', bytes.subarray(0, length), 'test'), (error) => isGraphError(error, 'ERR_PARSE', /is damaged/), `${name} of ${length} bytes`);
    }
  }
});
