/**
 * PyTorch files: what `load` makes of one.
 *
 * A zip archive with code is a script (script.js), one with a graph an exported program (exported.js), and one with a
 * pickle alone the tensors that `torch.save` wrote.
 */
'use strict';

const { unknownName } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { BytesSource } = require('../../files/bytes-source.js');
const { Source } = require('../../files/file-io.js');
const { Archive } = require('./archive.js');
const { guarded } = require('./guard.js');
const { tensorsOf } = require('./state-dict.js');

const ZIP = [0x50, 0x4b, 3, 4];
/** How files before version 1.6 begin: a pickle of a magic number. */
const LEGACY = [0x80, 2, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46];

/** @type {(head: Uint8Array, start: readonly number[]) => boolean} */
const begins = (head, start) => start.every((byte, i) => head[i] === byte);

/**
 * Whether a file is one of PyTorch: a zip archive in whose first bytes are names that its archives have.
 *
 * @type {(head: Uint8Array) => boolean}
 */
function looksLikeTorch(head) {
  if (begins(head, LEGACY)) return true;
  if (!begins(head, ZIP)) return false;
  const name = Buffer.from(head.subarray(30, 30 + (head[26] | (head[27] << 8)))).toString('latin1');
  return /(^|\/)(data\.pkl|byteorder|version|\.format_version|archive_format|archive_version|\.data\/\w+|serialized_\w+\.(json|pt)|models\/.*\.json|code\/.*|constants\.pkl|data\/.*)$/.test(name);
}

/** @typedef {{ caller: string, file: string, ops: Readonly<Record<string, Function>>, inputs?: Readonly<Record<string, any>>, outputs?: readonly string[] }} Context */

/** @type {(from: string | Uint8Array, context: { caller: string, file: string }) => Archive} of a file at a path, or of bytes */
function openArchive(from, { caller, file }) {
  const source = typeof from === 'string' ? new Source(from, caller) : new BytesSource(from, file, caller);
  try {
    if (begins(source.read(0, Math.min(source.size, LEGACY.length)), LEGACY))
      fail('ERR_UNSUPPORTED', `${caller}: ${file} is of the format that PyTorch had before version 1.6: load it there and save it again`);
    return new Archive(source, file, caller);
  } finally {
    if (source instanceof Source) source.close();
  }
}

/**
 * @param {string | Uint8Array} from
 * @param {Context} context
 * @returns {import('../model.js').Definition | { tensors: Record<string, any> }}
 */
const readTorch = (from, context) => guarded(`${context.caller}: ${context.file}`, () => read(from, context));

/** @type {typeof readTorch} */
function read(from, context) {
  const archive = openArchive(from, context);
  const { names } = archive;
  const { ExportedProgram, programOf } = require('./exported.js');
  if (programOf(names) !== undefined) return chosen(new ExportedProgram(archive, context.ops).definition(), context);
  if (names.some((name) => name.startsWith('code/'))) {
    const { Script } = require('./script.js');
    return chosen(new Script(archive, context.ops).definition('forward', context.inputs ?? {}), context);
  }
  if (archive.has('data.pkl')) return { tensors: tensorsOf(archive) };
  return fail('ERR_UNSUPPORTED', `${archive.what} is an archive without a script, a program or tensors of PyTorch`);
}

/**
 * A definition with the outputs that the caller asks for.
 *
 * @type {(definition: import('../model.js').Definition, context: Context) => import('../model.js').Definition}
 */
function chosen(definition, { caller, inputs = {}, outputs }) {
  const namesOf = (/** @type {readonly { name: string }[]} */ ports) => ports.map(({ name }) => name);
  for (const name of Object.keys(inputs)) if (!namesOf(definition.inputs).includes(name)) unknownName(caller, 'input', name, namesOf(definition.inputs));
  if (outputs === undefined) return definition;
  const ports = outputs.map((name) => definition.outputs.find((each) => each.name === name) ?? unknownName(caller, 'output', name, namesOf(definition.outputs)));
  return { ...definition, outputs: ports };
}

module.exports = { looksLikeTorch, openArchive, readTorch };
