// Writes folders of TensorFlow models for tests: SavedModels with checkpoints, and models of TensorFlow.js.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { codes, encode, graphProto, shapeProto, tensorProto } = require('./tensorflow-writer.js');

const MAGIC = Buffer.from([0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]);

/** @type {(value: number) => Buffer} */
function varint(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return Buffer.from([...bytes, value]);
}

/** @type {(a: string, b: string) => number} how many characters both begin with */
function common(a, b) {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}

/** A block of a table in the format of LevelDB; keys share what they begin with. @type {(entries: readonly (readonly [string, Uint8Array])[]) => Buffer} */
function block(entries) {
  let before = '';
  const parts = entries.map(([key, value]) => {
    const shared = common(before, key);
    before = key;
    return Buffer.concat([varint(shared), varint(key.length - shared), varint(value.length), Buffer.from(key.slice(shared)), value]);
  });
  const restarts = Buffer.from([0, 0, 0, 0, 1, 0, 0, 0]);
  return Buffer.concat([...parts, restarts]);
}

/** @type {(entries: readonly (readonly [string, Uint8Array])[]) => Buffer} */
function table(entries) {
  const trailer = Buffer.alloc(5);
  const [data, meta] = [block(entries), block([])];
  const handle = (/** @type {number} */ offset, /** @type {Buffer} */ part) => Buffer.concat([varint(offset), varint(part.length)]);
  const index = block([[entries[entries.length - 1][0], handle(0, data)]]);
  const metaAt = data.length + 5;
  const indexAt = metaAt + meta.length + 5;
  const footer = Buffer.alloc(48);
  Buffer.concat([handle(metaAt, meta), handle(indexAt, index)]).copy(footer);
  MAGIC.copy(footer, 40);
  return Buffer.concat([data, trailer, meta, trailer, index, trailer, footer]);
}

/** Variables by key. @type {(folder: string, variables: Record<string, any>, objects?: Record<string, string>) => void} */
function writeCheckpoint(folder, variables, objects) {
  fs.mkdirSync(path.join(folder, 'variables'), { recursive: true });
  let offset = 0;
  const parts = [];
  /** @type {[string, Uint8Array][]} */
  const entries = [['', encode('BundleHeader', { numShards: 1 })]];
  const all = Object.entries(variables).map(([key, value]) => /** @type {[string, any]} */ ([key, tensorProto(value)]));
  if (objects) all.push(['_CHECKPOINTABLE_OBJECT_GRAPH', objectsProto(objects)]);
  for (const [key, { dtype, tensorShape, tensorContent }] of all.sort(([a], [b]) => (a < b ? -1 : 1))) {
    parts.push(tensorContent);
    entries.push([key, encode('BundleEntry', { dtype, shape: tensorShape, offset, size: tensorContent.length })]);
    offset += tensorContent.length;
  }
  fs.writeFileSync(path.join(folder, 'variables', 'variables.index'), table(entries));
  fs.writeFileSync(path.join(folder, 'variables', 'variables.data-00000-of-00001'), Buffer.concat(parts));
}

/** The keys of variables that have other names. @type {(objects: Record<string, string>) => any} */
function objectsProto(objects) {
  const attributes = Object.entries(objects).map(([fullName, checkpointKey]) => ({ name: 'VARIABLE_VALUE', fullName, checkpointKey }));
  const bytes = encode('ObjectGraph', { nodes: [{ attributes }] });
  return { dtype: codes.string, tensorShape: shapeProto([]), tensorContent: Buffer.concat([varint(bytes.length), Buffer.alloc(4), bytes]) };
}

/** @type {(ports: Readonly<Record<string, readonly [name: string, dtype: string, shape: readonly (number | null)[] | null]>>) => any} */
const infos = (ports) => Object.fromEntries(Object.entries(ports).map(([key, [name, dtype, shape]]) => [key, { name, dtype: codes[dtype], tensorShape: shapeProto(shape) }]));

/**
 * @param {string} folder
 * @param {object} given
 * @param {readonly import('./tensorflow-writer.js').NodeLike[]} given.nodes
 * @param {readonly import('./tensorflow-writer.js').FunctionLike[]} [given.functions]
 * @param {Record<string, { inputs: any, outputs: any }>} given.signatures
 * @param {Record<string, any>} [given.variables]
 * @param {Record<string, string>} [given.objects]
 */
function writeSavedModel(folder, { nodes, functions, signatures, variables, objects }) {
  fs.mkdirSync(folder, { recursive: true });
  const signatureDef = Object.fromEntries(Object.entries(signatures).map(([name, { inputs, outputs }]) => [name, { inputs: infos(inputs), outputs: infos(outputs) }]));
  const metaGraph = { metaInfoDef: { tags: ['serve'], tensorflowVersion: '2.15.0' }, graphDef: graphProto(nodes, functions), signatureDef };
  fs.writeFileSync(path.join(folder, 'saved_model.pb'), encode('SavedModel', { savedModelSchemaVersion: 1, metaGraphs: [metaGraph] }));
  if (variables) writeCheckpoint(folder, variables, objects);
}

module.exports = { table, writeSavedModel };
