/**
 * SavedModels: a folder with a graph, signatures, and a checkpoint of its variables.
 *
 * A signature names inputs and outputs of the graph. Of several graphs the one is taken that has the tag `serve`.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { fail } = require('../../base/errors.js');
const { decode } = require('../shared/protobuf.js');
const { FolderFiles } = require('../shared/folder-files.js');
const { takeWeights } = require('../shared/weights.js');
const { Bundle } = require('./bundle.js');
const { definitionOf } = require('./index.js');
const { schema } = require('./schema.js');

const DEFAULT = 'serving_default';
/** What initializes a model is a signature, too. */
const INTERNAL = /^__saved_model/;

/** @type {(signatures: Map<string, any>, name: string | undefined, what: string) => [string, any]} */
function signatureOf(signatures, name, what) {
  const known = [...signatures.keys()].filter((each) => !INTERNAL.test(each) && signatures.get(each).outputs?.size > 0);
  const chosen = name ?? (known.includes(DEFAULT) ? DEFAULT : known[0]);
  if (chosen !== undefined && known.includes(chosen)) return [chosen, signatures.get(chosen)];
  const list = known.map((each) => `'${each}'`).join(', ');
  return fail('ERR_ARGUMENT', `${what} has ${name === undefined ? 'no signature' : `no signature '${name}'`}${list ? `, there are ${list}` : ''}`);
}

/**
 * @param {Uint8Array} bytes of saved_model.pb
 * @param {import('./index.js').Context & { folder: string | undefined }} context
 * @returns {import('../model.js').Definition}
 */
function readSavedModel(bytes, { folder, signature, ...context }) {
  const what = `${context.caller}: ${context.file}`;
  /** @type {import('../shared/protobuf.js').View[]} */
  const views = [];
  const { metaGraphs = [] } = decode(schema, 'SavedModel', bytes, what, views);
  takeWeights(views, bytes);
  const found = metaGraphs.find((/** @type {any} */ each) => each.metaInfoDef?.tags?.includes('serve')) ?? metaGraphs[0];
  if (found?.graphDef === undefined) return fail('ERR_PARSE', `${what} has no graph`);
  const [name, chosen] = signatureOf(found.signatureDef ?? new Map(), signature, what);
  const hasVariables = folder !== undefined && fs.existsSync(path.join(folder, 'variables', 'variables.index'));
  return definitionOf({
    graph: found.graphDef,
    signature: { inputs: chosen.inputs ?? new Map(), outputs: chosen.outputs },
    variables: hasVariables ? new Bundle(new FolderFiles(folder), what) : undefined,
    metadata: {
      signature: name,
      signatures: [...found.signatureDef.keys()].filter((each) => !INTERNAL.test(each)),
      tags: found.metaInfoDef?.tags ?? [],
      tensorflowVersion: found.metaInfoDef?.tensorflowVersion ?? '',
    },
  }, context);
}

module.exports = { readSavedModel };
