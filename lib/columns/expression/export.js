/**
 * Kernels outside of this process: as modules of WebAssembly, which a page runs over its own tables (web/). Objects for
 * C are made by export-object.js.
 *
 * The code is that of calls, for vectors of 16 bytes and without what is computed once per value of a dictionary, as
 * there is no compiler in pages. What its driver has to know is in the module: buffers, outputs, places of errors.
 */
'use strict';

const { native } = require('../../base/binding.js');
const { expected, integer, isOptions, oneOf, readOptions } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { NUMERICS, numericsOption } = require('../../base/numerics.js');
const { shrink } = require('../../graph/wasm-opt.js');
const { WasmModule, VARIANTS, loaderOf, optimizeOption, variantsOption } = require('../../graph/wasm.js');
const { checkNames } = require('../aggregate/index.js');
const { planAggregates } = require('../aggregate/plan.js');
const { hasAggregate, split, standsAlone, textOfAll } = require('../aggregate/split.js');
const types = require('../types/index.js');
const { fieldsOf, plainLayout } = require('../web/schema.js');
const { namedOf } = require('./named.js');
const { prepareProjection, prepareSelection } = require('../run/prepare.js');

/** @typedef {import('../run/prepare.js').Named} Named */
/** @typedef {import('../run/prepare.js').Prepared} Prepared */
/** @typedef {'filter' | 'project' | 'aggregate'} Kind */

/**
 * @typedef {object} Query
 * @property {readonly Named[]} named
 * @property {boolean} single
 * @property {import('../analyse/context.js').Policies} policies
 * @property {import('../run/prepare.js').PrepareOptions['functions']} functions of the user
 * @property {keyof typeof NUMERICS} numerics
 */

/** Bytes of the vectors that modules have. */
const VECTOR_BYTES = 16;

/** Types of parameters: of numbers, bigints, booleans, strings, Dates. */
const PARAMETERS = [types.float64, types.int64, types.bool, types.utf8, types.timestamp('ms')];

/** @type {import('../../base/check.js').Getter<Map<string, import('../types/index.js').DataType>>} */
function parametersOption(value, which, caller) {
  if (!isOptions(value)) return expected(caller, "types by name, such as { limit: 'float64' }", which, value);
  return new Map(
    Object.entries(value).map(([name, text]) => {
      const type = types.typeOf(/** @type {any} */ (text), caller);
      if (PARAMETERS.includes(type)) return [name, type];
      const known = PARAMETERS.map((each) => each.text).join(', ');
      return fail('ERR_DTYPE', `${caller}: parameter '${name}' is ${type.text}, expected one of ${known}`);
    }),
  );
}

const any = (/** @type {unknown} */ value) => value;

const OPTIONS = {
  kind: oneOf(/** @type {Kind[]} */ (['filter', 'project', 'aggregate'])),
  by: any,
  where: any,
  parameters: parametersOption,
  numerics: numericsOption,
  optLevel: integer(0, 3),
  variants: variantsOption,
  optimize: optimizeOption,
};

// --- what a page computes ---

/** @typedef {{ fields: ReadonlyMap<string, any>, prepare: import('../run/prepare.js').PrepareOptions, keys: readonly Named[], where: Named | null }} Plan */

/** @type {(query: Query, caller?: string) => Named} */
const onlyOne = ({ named, single }, caller = 'toWasm') =>
  single ? named[0] : fail('ERR_ARGUMENT', `${caller}: a filter is one expression, this one has ${named.map(({ name }) => `'${name}'`).join(', ')}`);

/**
 * What a page runs: a kernel, columns that who makes results reads besides, what there is to know for that, and what
 * is computed of the results.
 *
 * @typedef {{ prepared: Prepared, reads: readonly string[], more: object, after: Made | null, fields?: ReadonlyMap<string, any> }} Made
 */

/** @type {(prepared: Prepared) => Made} */
const alone = (prepared) => ({ prepared, reads: [], more: {}, after: null });

/** Kernels by kind. @type {Record<Kind, (query: Query, plan: Plan) => Made>} */
const KINDS = {
  filter: (query, { fields, prepare }) => alone(prepareSelection(onlyOne(query), fields, prepare)),
  project: ({ named }, { fields, prepare }) => alone(prepareProjection(named, fields, prepare)),
  aggregate: ({ named }, plan) => aggregateKernel(named, plan),
};

/** @type {(given: readonly Named[], plan: Plan) => Made} */
function aggregateKernel(given, { fields, prepare, ...plan }) {
  const [named, keys] = [given, plan.keys].map((each) => each.map(standsAlone));
  const where = plan.where && standsAlone(plan.where);
  const { calls, rest } = split(named);
  const source = textOfAll([...named, ...keys, ...(where === null ? [] : [where])]);
  const twice = [...keys, ...named].find(({ name }, i, all) => all.findIndex((each) => each.name === name) < i);
  if (twice !== undefined) return fail('ERR_ARGUMENT', `toWasm: there are two results '${twice.name}': name one of them otherwise`);
  const odd = keys.find(({ ast }) => ast.kind !== 'name');
  if (odd !== undefined) return refuse(`groups are made by columns, '${odd.text}' is none: compute it first`);
  const asts = keys.map(({ ast }) => ast);
  const { prepared, planned, record } = planAggregates(fields, calls, asts, where?.ast ?? null, { ...prepare, source });
  const results = planned.map((/** @type {any} */ each) => describePlanned(each));
  const { direct, after } = afterwards(rest, keys, planned, { fields, prepare });
  const initial = record?.initial.map((/** @type {any} */ { word, bits }) => ({ word, bits: String(bits) }));
  const reads = [...asts, ...calls.map(({ arg }) => arg)].filter((ast) => ast?.kind === 'name').map(nameOf);
  const by = keys.map(({ name, ast }) => ({ name, column: nameOf(ast) }));
  const outputs = rest.map(({ name }, i) => ({ name, from: direct[i] }));
  const more = { results, finals: outputs, record: record && { ...record, initial }, keys: by };
  return { prepared, reads, after, more };
}

/** What is computed of results: where each is found, and the projection over results and keys that the others take. @type {(rest: readonly Named[], keys: readonly Named[], planned: readonly any[], plan: Pick<Plan, 'fields' | 'prepare'>) => { direct: (string | null)[], after: Made | null }} */
function afterwards(rest, keys, planned, { fields, prepare }) {
  const columns = new Map([
    ...keys.map(({ name, ast }) => fieldFor(name, fields.get(nameOf(ast)).type)),
    ...planned.map(({ call, result }) => fieldFor(call.name, result)),
  ]);
  const direct = rest.map(({ ast }) => (ast.kind === 'name' && columns.has(ast.name) ? ast.name : null));
  const open = rest.filter((_, i) => direct[i] === null);
  for (const each of open) checkNames(each, columns, keys);
  const after = open.length === 0 ? null : { ...alone(prepareProjection(open, columns, prepare)), fields: columns };
  return { direct, after };
}

/** @type {(name: string, type: import('../types/index.js').DataType) => [string, any]} */
const fieldFor = (name, type) => [name, { name, type, layout: plainLayout(type), nullable: true }];

const nameOf = (/** @type {any} */ { name }) => String(name);

/** Results of these kinds are values of rows. */
const OF_ROWS = ['row', 'text', 'quantile'];

/** @type {(planned: any) => object} */
function describePlanned({ call: { name, fn, arg, share }, result, finish, fields, count }) {
  if (finish.kind === 'distinct') return refuse('different values are not counted in pages');
  if (OF_ROWS.includes(finish.kind) && arg.kind !== 'name') return refuse(`${fn} takes a column in pages: compute it first`);
  const call = { name, fn, arg: arg?.kind === 'name' ? { name: arg.name } : null, share };
  return { result: result.text, finish, fields, count, call };
}

/** @type {(message: string) => never} */
const refuse = (message) => fail('ERR_UNSUPPORTED', `toWasm: ${message}`);

// --- the module ---

/** Columns that a page has to give. @type {(prepared: Prepared, reads: readonly string[], fields: ReadonlyMap<string, any>) => object[]} */
function describeFields({ buffers }, reads, fields) {
  const read = buffers.filter(({ role, shared }) => role === 'in' && !shared).map(({ column }) => column);
  return [...new Set([...read, ...reads])].map((name) => {
    const { type, layout, nullable, index } = fields.get(name);
    return { name, type: type.text, layout, nullable, index };
  });
}

/** What web/query.js reads. `after`: a module that computes with results, in base 64. @type {(kind: Kind, query: Query, plan: Plan, made: Made, after: string | null) => string} */
function describe(kind, { single }, { fields, prepare }, { prepared, reads, more, fields: own = fields }, after) {
  const { unit, needsArena, folds, buffers, outputs, sites, source } = prepared;
  return JSON.stringify({
    columns: 1, kind, single, source, unit, needsArena, folds, buffers, sites,
    fields: describeFields(prepared, reads, own),
    outputs: outputs.map(({ name, type }) => ({ name, type: type.text })),
    parameters: [...prepare.parameters].map(([name, type]) => ({ name, type: type.text })),
    after,
    ...more,
  });
}

/** @type {(kind: Kind, query: Query, plan: Plan, made: Made, settings: readonly [numerics: number, optLevel: number, variant: number]) => Uint8Array} */
function moduleOf(kind, query, plan, made, settings) {
  const after = made.after && Buffer.from(moduleOf('project', query, plan, made.after, settings)).toString('base64');
  return native.wasmFunction(made.prepared.text, ...settings, false, '', describe(kind, query, plan, made, after));
}

/** What it is if nobody says: an aggregate if it has some, a filter if it is one truth. @type {(query: Query, fields: ReadonlyMap<string, any>, prepare: any) => Kind} */
function kindOf({ named, single }, fields, prepare) {
  if (named.some(({ ast }) => hasAggregate(ast))) return 'aggregate';
  const isTruth = single && prepareProjection(named, fields, prepare).outputs[0].type === types.bool;
  return isTruth ? 'filter' : 'project';
}

/** @type {(given: unknown, caller: string, which: string) => readonly Named[]} */
const namedIn = (given, caller, which) => (given === undefined ? [] : namedOf(given, caller, which).named);

/**
 * @param {Query} query
 * @param {unknown} schema
 * @param {unknown} options
 */
function toWasm(query, schema, options) {
  const {
    kind: wanted, by, where, parameters = new Map(), numerics = query.numerics, optLevel = 3, variants = ['simd'], optimize = false,
  } = readOptions('toWasm', options, OPTIONS);
  const fields = fieldsOf(schema, 'toWasm');
  const { policies, functions } = query;
  const prepare = { policies, functions, parameters, vectorBytes: VECTOR_BYTES, lift: false };
  const kind = wanted ?? kindOf(query, fields, prepare);
  const [test = null] = namedIn(where, 'toWasm', 'where');
  if (kind !== 'aggregate' && (by !== undefined || test !== null)) {
    return fail('ERR_ARGUMENT', `toWasm: options 'by' and 'where' are for aggregates, this is a ${kind === 'filter' ? 'filter' : 'projection'}`);
  }
  const plan = { fields, prepare, keys: namedIn(by, 'toWasm', 'by'), where: test };
  const made = KINDS[kind](query, plan);
  /** @type {Record<string, Uint8Array>} */
  const bytes = {};
  for (const variant of /** @type {import('../../graph/wasm.js').Variant[]} */ (variants)) {
    bytes[variant] = moduleOf(kind, query, plan, made, [NUMERICS[numerics], optLevel, VARIANTS.indexOf(variant)]);
  }
  const modules = shrink('toWasm', bytes, { threads: false, optimize });
  const last = /** @type {Uint8Array} */ (Object.values(modules).at(-1));
  return new WasmModule('columns', { bytes: last, modules, weights: null, loader: loaderOf('columns'), types: TYPES });
}

/** What the file that holds loader and modules exports. */
const TYPES = `export * from 'graphjit/web/columns';
import type { Query, Options } from 'graphjit/web/columns';
export function load(options?: Options): Promise<Query>;
export default load;
`;

module.exports = { OPTIONS, kindOf, onlyOne, toWasm };
