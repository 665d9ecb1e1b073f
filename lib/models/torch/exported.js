/**
 * Exported programs: what `torch.export.save` writes, a graph of ATen ops as JSON beside the tensors it uses.
 *
 * Three layouts are known: `serialized_*` of the first versions, `models/NAME.json` with pickled tensors, and the same
 * with a file of bytes for each tensor. Nodes are translated in their order by the rows that scripts have as well.
 * Sizes that an export leaves open are symbols of the graph. New values of buffers are left out: a model has no state.
 */
'use strict';

const { GraphError, fail } = require('../../base/errors.js');
const { BytesSource } = require('../../files/bytes-source.js');
const { builtinFor } = require('./builtins.js');
const { Archive } = require('./archive.js');
const { exportedDtype, numberOf } = require('./dtypes.js');
const { guarded } = require('./guard.js');
const { findOp } = require('./ops/index.js');
const { Interpreter } = require('./interpreter.js');
const { Device, TensorRecord } = require('./pickle-globals.js');
const { fromJavaScript } = require('./ports.js');
const { Cell, Result, Scalar } = require('./values.js');

/** @typedef {import('../shared/operands.js').Known} Known */
/** @typedef {Map<string, any>} Names */

const MAX_JSON = 2 ** 28;
/** The newest version of the schema that is known. */
const SCHEMA_MAJOR = 8;
/** Graphs lie in each other no deeper. */
const MAX_DEPTH = 32;

/** Where an archive has its program. @type {(names: readonly string[]) => string | undefined} */
const programOf = (names) => names.find((name) => name === 'serialized_exported_program.json' || /^models\/[^/]+\.json$/.test(name));

/** @type {(archive: Archive, name: string) => any} */
function readJson(archive, name) {
  const bytes = archive.take(name);
  if (bytes.length > MAX_JSON) fail('ERR_UNSUPPORTED', `${archive.what}: ${name} has more than ${MAX_JSON} bytes`);
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch (error) {
    return fail('ERR_PARSE', `${archive.what}: ${name} is no proper JSON: ${/** @type {Error} */ (error).message}`);
  }
}

/** The only entry of a union, as JSON has it: its name and what it holds. @type {(union: any) => [string, any]} */
function entryOf(union) {
  const entries = Object.entries(union ?? {}).filter(([, value]) => value !== null);
  return entries[0] ?? ['as_none', true];
}

// ---------------------------------------------------------------------------------------- tensors

/** Tensors of a program by name, wherever the archive has them. */
class Tensors {
  /** @type {Map<string, () => Known>} */
  #read = new Map();

  /**
   * @param {Archive} archive
   * @param {string} program the name of its entry
   */
  constructor(archive, program) {
    this.what = archive.what;
    const model = /^models\/(.*)\.json$/.exec(program)?.[1];
    const pickles = model === undefined
      ? ['serialized_state_dict.pt', 'serialized_state_dict.json', 'serialized_constants.pt', 'serialized_constants.json']
      : [`data/weights/${model}.pt`, `data/constants/${model}.pt`];
    for (const name of pickles) if (archive.has(name)) this.#addPickle(archive, name);
    for (const kind of ['weights', 'constants']) {
      const config = `data/${kind}/${model}_${kind}_config.json`;
      if (model !== undefined && archive.has(config)) this.#addFiles(archive, config, `data/${kind}/`);
    }
  }

  /** An archive in the archive. @type {(archive: Archive, name: string) => void} */
  #addPickle(archive, name) {
    const bytes = archive.take(name);
    if (bytes.length === 0) return;
    const file = `${archive.what.replace(/^\w+: /, '')}: ${name}`;
    const inner = new Archive(new BytesSource(bytes, file, 'load'), file, 'load');
    const dictionary = inner.pickle('data.pkl');
    if (!(dictionary instanceof Map)) fail('ERR_PARSE', `${this.what}: ${name} is no dictionary`);
    for (const [key, record] of dictionary) {
      if (record instanceof TensorRecord) this.#read.set(String(key), () => inner.tensor(record, 'data'));
    }
  }

  /** A file for each tensor. @type {(archive: Archive, config: string, folder: string) => void} */
  #addFiles(archive, config, folder) {
    for (const [key, payload] of Object.entries(readJson(archive, config).config ?? {})) {
      const { path_name: path, use_pickle: isPickle, tensor_meta: meta } = /** @type {any} */ (payload);
      const what = `${this.what}: '${key}'`;
      this.#read.set(key, () => {
        if (isPickle || !meta) return fail('ERR_UNSUPPORTED', `${what} is an object, not a tensor`);
        const [offset] = numbersOf([meta.storage_offset], what);
        const [shape, strides] = [numbersOf(meta.sizes, what), numbersOf(meta.strides, what)];
        const layout = { dtype: exportedDtype(meta.dtype), offset, shape, strides };
        if (shape.length !== strides.length) return fail('ERR_PARSE', `${what} has not one stride for each axis`);
        return archive.strided(`${folder}${path}`, layout, what);
      });
    }
  }

  /** @type {(name: string) => Known} */
  get(name) {
    const read = this.#read.get(name);
    return read === undefined ? fail('ERR_PARSE', `${this.what}: tensor '${name}' is not in the file`) : read();
  }
}

/** @type {(list: any, what: string) => number[]} sizes that are numbers */
function numbersOf(list, what) {
  const isFit = Array.isArray(list) && list.every((each) => Number.isSafeInteger(each?.as_int) && each.as_int >= 0);
  return isFit ? list.map((each) => each.as_int) : fail('ERR_PARSE', `${what} has a shape that is no list of numbers`);
}

// ---------------------------------------------------------------------------------------- program

class ExportedProgram {
  /**
   * @param {Archive} archive
   * @param {Readonly<Record<string, Function>>} ops
   */
  constructor(archive, ops) {
    const name = /** @type {string} */ (programOf(archive.names));
    this.what = archive.what;
    this.ops = ops;
    this.tensors = new Tensors(archive, name);
    const program = readJson(archive, name);
    const { major = 0, minor = 0 } = program.schema_version ?? {};
    if (major > SCHEMA_MAJOR) fail('ERR_UNSUPPORTED', `${this.what}: its schema is ${major}.${minor}, known is ${SCHEMA_MAJOR}`);
    this.program = program;
    this.graph = program.graph_module?.graph;
    this.signature = program.graph_module?.signature;
    const { input_specs: given, output_specs: made } = this.signature ?? {};
    const isFit = [this.graph?.nodes, given, made].every(Array.isArray);
    if (!isFit) fail('ERR_PARSE', `${this.what}: ${name} has no graph with a signature`);
    this.#checkOps();
  }

  /** Refuses a program with ops that nobody can translate: all of them in one message. */
  #checkOps() {
    const missing = new Set(
      this.graph.nodes.map((/** @type {any} */ { target }) => String(target)).filter((/** @type {string} */ target) => {
        const aten = /^torch\.ops\.aten\.(\w+)/.exec(target)?.[1];
        if (aten === undefined) return /^torch\.ops\.(?!higher_order)/.test(target) && this.userOp(target) === undefined;
        return findOp(aten) === undefined && !Interpreter.answers(aten) && this.userOp(`ops.aten.${aten}`) === undefined;
      }),
    );
    if (missing.size > 0) fail('ERR_UNSUPPORTED', `${this.what}: ops are missing: ${[...missing].slice(0, 40).join(', ')}; option 'ops' adds them`);
  }

  /** An op that the user gives. @type {(name: string) => Function | undefined} */
  userOp(name) {
    const [, space = 'aten', own = name] = /(?:ops\.)(\w+)\.(\w+)/.exec(name) ?? [];
    return this.ops[`${space}::${own}`];
  }

  // What scripts have besides.
  classOf() {
    return undefined;
  }

  functionOf() {
    return undefined;
  }

  /** @returns {import('../model.js').Definition} */
  definition() {
    const specs = this.signature.input_specs.map(entryOf);
    const inputs = specs.flatMap((/** @type {[string, any]} */ [kind, spec]) => (kind === 'user_input' ? this.#port(spec.arg) : []));
    const given = this.signature.output_specs.map(entryOf).flatMap((/** @type {[string, any]} */ [kind, { arg }]) => {
      if (kind !== 'user_output' && kind !== 'loss_output') return [];
      return [arg.name ? { as_tensor: arg } : arg];
    });
    const names = this.#outputNames(given.length);
    return {
      format: 'torch.export',
      name: 'main',
      metadata: {
        torchVersion: this.program.torch_version,
        opsets: this.program.opset_version ?? {},
        rangeConstraints: this.program.range_constraints ?? {},
      },
      inputs,
      outputs: names.map((name, i) => ({ name, type: this.#outputType(given[i]) })),
      build: (cx, operands) => guarded(this.what, () => {
        const run = new Interpreter(/** @type {any} */ (this), cx);
        /** @type {Names} */
        const values = new Map();
        for (const [kind, spec] of specs) this.#bindInput(kind, spec, values, operands, run);
        cx.where = this.what;
        this.#runNodes(this.graph, values, run, 0);
        cx.where = this.what;
        return new Map(names.map((name, i) => [name, new Result(this.#argument(given[i], values, run))]));
      }),
    };
  }

  /** @type {(arg: any) => import('../model.js').ModelPort[]} */
  #port(arg) {
    const [kind, value] = entryOf(arg);
    if (kind === 'as_tensor') return [{ name: value.name, type: this.#tensorType(this.graph, value.name) }];
    if (kind !== 'as_sym_int') return []; // a number that the export made part of the program
    const read = (/** @type {any} */ number) => ({ type: 'int', value: Number(number) });
    return [{ name: value.as_name, type: { kind: 'data', read } }];
  }

  /** @type {(graph: any, name: string) => import('../model.js').PortType} */
  #tensorType(graph, name) {
    const meta = graph.tensor_values?.[name];
    if (!Array.isArray(meta?.sizes)) return fail('ERR_PARSE', `${this.what}: '${name}' has no type`);
    return { kind: 'tensor', dtype: exportedDtype(meta.dtype), shape: meta.sizes.map(openSize) };
  }

  /** @type {(arg: any) => import('../model.js').PortType} */
  #outputType(arg) {
    const [kind, value] = entryOf(arg);
    return kind === 'as_tensor' ? this.#tensorType(this.graph, value.name) : { kind: 'tensor' };
  }

  /** Results of a dictionary have their keys as names. @type {(count: number) => string[]} */
  #outputNames(count) {
    const keys = keysOf(this.program.graph_module.module_call_graph?.[0]?.signature?.out_spec);
    if (keys?.length === count && new Set(keys).size === count) return keys;
    return count === 1 ? ['output'] : Array.from({ length: count }, (_, i) => `output${i}`);
  }

  /** @type {(kind: string, spec: any, values: Names, operands: Map<string, any>, run: Interpreter) => void} */
  #bindInput(kind, spec, values, operands, run) {
    const [form, value] = entryOf(spec.arg);
    const name = kind === 'user_input' ? (value.name ?? value.as_name) : (spec.arg?.name ?? spec.name);
    if (kind === 'user_input') {
      if (form === 'as_tensor' || form === 'as_sym_int') values.set(name, fromJavaScript(operands.get(name), run));
    } else if (kind === 'constant_input') values.set(name, this.#argument(spec.value, values, run));
    else if (kind !== 'token') {
      const key = spec.parameter_name ?? spec.buffer_name ?? spec.tensor_constant_name;
      if (typeof key !== 'string') fail('ERR_UNSUPPORTED', `${this.what}: input '${name}' is an object (${kind})`);
      values.set(name, run.cell(this.tensors.get(key)));
    }
  }

  /** @type {(graph: any, values: Names, run: Interpreter, depth: number) => void} */
  #runNodes(graph, values, run, depth) {
    if (depth > MAX_DEPTH) fail('ERR_PARSE', `${this.what}: graphs are nested more than ${MAX_DEPTH} deep`);
    for (const node of graph.nodes) {
      const where = `${this.what}: node ${node.outputs?.[0]?.as_tensor?.name ?? node.target}`;
      run.cx.where = where;
      try {
        const result = this.#runNode(node, values, run, depth);
        this.#store(node.outputs ?? [], result, values);
      } catch (error) {
        if (!(error instanceof GraphError) || error.message.startsWith(this.what)) throw error;
        throw new GraphError(`${where}: ${error.message}`, { code: error.code, cause: error });
      }
    }
  }

  /** @type {(node: any, values: Names, run: Interpreter, depth: number) => any} */
  #runNode({ target, inputs = [] }, values, run, depth) {
    const given = inputs.map((/** @type {any} */ { name, arg, kind }) => ({ name, kind, value: this.#argument(arg, values, run) }));
    const aten = /^torch\.ops\.(?:aten|prims)\.(\w+)/.exec(target)?.[1];
    if (aten !== undefined) return run.op(aten, ...bindPlaces(aten, given));
    const higher = /^torch\.ops\.higher_order\.(\w+)/.exec(target)?.[1];
    if (higher !== undefined) return this.#higherOrder(higher, given.map((/** @type {any} */ { value }) => value), run, depth);
    if (target.startsWith('torch.ops.')) return run.op(target.replace(/^torch\./, ''), given.map((/** @type {any} */ { value }) => value));
    return this.#python(target, given.map((/** @type {any} */ { value }) => value), run);
  }

  /** Arithmetic on sizes: `_operator.mul`, `math.trunc`, `torch.sym_max`. @type {(target: string, args: any[], run: Interpreter) => any} */
  #python(target, args, run) {
    const name = target.replace(/^.*\./, '').replace(/^sym_/, '');
    if (name === 'int' || name === 'float') return run.convert(args[0], name);
    const own = PYTHON[name] ?? name;
    const builtin = own === 'trunc' ? () => run.convert(args[0], 'int') : builtinFor(own, args);
    return builtin === undefined ? run.fail('ERR_UNSUPPORTED', `'${target}' is not known`) : builtin(args, run.cx);
  }

  /** Ops that run graphs. @type {(name: string, args: any[], run: Interpreter, depth: number) => any} */
  #higherOrder(name, args, run, depth) {
    const graphs = args.filter((each) => each?.graph);
    const operands = args.filter((each) => !each?.graph);
    if (name === 'cond') {
      const test = run.truth(operands[0]);
      const side = (test instanceof Scalar ? run.ask(test) : test) ? 0 : 1;
      return this.#runGraph(graphs[side], operands[1] ?? [], run, depth);
    }
    if (name === 'wrap_with_set_grad_enabled' || name === 'wrap_with_autocast')
      return this.#runGraph(graphs[0], operands.flat().filter((each) => each instanceof Cell), run, depth);
    return run.fail('ERR_UNSUPPORTED', `the higher order op ${name} is not known`);
  }

  /** @type {(of: { graph: any }, operands: readonly any[], run: Interpreter, depth: number) => any[]} */
  #runGraph({ graph }, operands, run, depth) {
    /** @type {Names} */
    const values = new Map();
    graph.inputs.forEach((/** @type {any} */ arg, /** @type {number} */ i) => this.#store([arg], operands[i], values));
    this.#runNodes(graph, values, run, depth + 1);
    const results = graph.outputs.map((/** @type {any} */ arg) => this.#argument(arg, values, run));
    return graph.is_single_tensor_return ? results[0] : results;
  }

  /** Names for what a node gives. @type {(outputs: readonly any[], result: any, values: Names) => void} */
  #store(outputs, result, values) {
    const single = outputs.length === 1;
    outputs.forEach((output, i) => {
      const [kind, value] = entryOf(output);
      const own = single && !(Array.isArray(result) && kind === 'as_tensor') ? result : result?.[i];
      if (kind === 'as_tensors') value.forEach((/** @type {any} */ { name }, /** @type {number} */ k) => values.set(name, own[k]));
      else if (kind === 'as_optional_tensors') value.forEach((/** @type {any} */ each, /** @type {number} */ k) => each.as_tensor && values.set(each.as_tensor.name, own[k]));
      else values.set(value?.name ?? value?.as_name, own);
    });
  }

  /** @type {(arg: any, values: Names, run: Interpreter) => any} */
  #argument(arg, values, run) {
    const [kind, value] = entryOf(arg);
    const lookUp = (/** @type {string} */ name) => (values.has(name) ? values.get(name) : run.fail('ERR_PARSE', `nothing before it computes '${name}'`));
    const read = ARGUMENTS[kind] ?? run.fail('ERR_UNSUPPORTED', `an argument of form ${kind} is not known`);
    return read(value, lookUp);
  }
}

/** Names that Python has for functions of scripts. @type {Readonly<Record<string, string>>} */
const PYTHON = { truediv: 'div', mod: 'remainder', and_: '__and__', or_: '__or__', not_: '__not__', not: '__not__' };

/** @type {(value: any) => bigint} */
const integer = (value) => (Number.isInteger(value) ? BigInt(value) : fail('ERR_PARSE', `${String(value)} is no integer`));
/** JSON has no infinities, so programs write texts. @type {(value: any) => number} */
const float = (value) => (typeof value === 'number' ? value : Number(value));

/** @type {(convert: (value: any) => any) => (value: any, lookUp: (name: string) => any) => any} a name, or what stands there itself */
const symbolic = (convert) => (value, lookUp) => {
  const [kind, own] = entryOf(value);
  return kind === 'as_name' ? lookUp(own) : convert(own);
};

/** @type {(one: (value: any, lookUp: (name: string) => any) => any) => (value: any, lookUp: (name: string) => any) => any} */
const list = (one) => (value, lookUp) => (Array.isArray(value) ? value.map((each) => one(each, lookUp)) : fail('ERR_PARSE', 'an argument is no list'));

/** @type {(value: any, lookUp: (name: string) => any) => any} */
const tensor = (value, lookUp) => lookUp(value.name);
/** @type {(value: any, lookUp: (name: string) => any) => any} */
const optionalTensor = (value, lookUp) => (value?.as_tensor ? lookUp(value.as_tensor.name) : null);

/** What each form of an argument holds. @type {Readonly<Record<string, (value: any, lookUp: (name: string) => any) => any>>} */
const ARGUMENTS = {
  as_none: () => null, as_tensor: tensor, as_tensors: list(tensor),
  as_optional_tensor: optionalTensor, as_optional_tensors: list(optionalTensor),
  as_int: integer, as_ints: list(integer), as_float: float, as_floats: list(float),
  as_bool: Boolean, as_bools: list(Boolean),
  as_string: String, as_strings: list(String), as_sym_int: symbolic(integer), as_sym_ints: list(symbolic(integer)),
  as_sym_float: symbolic(float), as_sym_floats: list(symbolic(float)),
  as_sym_bool: symbolic(Boolean), as_sym_bools: list(symbolic(Boolean)),
  as_scalar_type: (value) => numberOf(exportedDtype(value)), as_device: ({ type }) => new Device(type),
  as_layout: () => null, as_memory_format: () => null,
  as_graph: (value) => value, as_int_lists: list(list(integer)), as_operator: String,
};

/**
 * Arguments by place where a node has them so, else by name.
 *
 * @type {(name: string, given: readonly { name: string, kind?: number, value: any }[]) => [any[], Map<string, any>]}
 */
function bindPlaces(name, given) {
  const parameters = findOp(name)?.signature.parameters ?? [];
  /** @type {any[]} */
  const places = [];
  const named = new Map();
  given.forEach((each, i) => {
    const isNamed = (/** @type {import('./call.js').Parameter | undefined} */ one) => one?.names.includes(each.name);
    // Old programs don't say it: a name that stands elsewhere in the signature is meant by name.
    const isPlace = each.kind === 1 || (each.kind !== 2 && (isNamed(parameters[i]) || !parameters.some(isNamed)));
    if (isPlace && i === places.length) places.push(each.value);
    else named.set(each.name, each.value);
  });
  return [places, named];
}

/** A size of an input: a number, or the text of one. @type {(size: any) => import('../model.js').OpenSize} */
function openSize(size) {
  if (Number.isSafeInteger(size?.as_int) && size.as_int >= 0) return size.as_int;
  const text = String(size?.as_expr?.expr_str ?? '');
  return /^[a-z]\w*$/i.test(text) ? text : null;
}

/** Keys of a dictionary of results, as a tree specification has them. @type {(text: unknown) => string[] | undefined} */
function keysOf(text) {
  if (typeof text !== 'string' || text.length > 2 ** 16) return undefined;
  try {
    const tree = JSON.parse(text)[1];
    const keys = /dict/i.test(tree.type) ? (typeof tree.context === 'string' ? JSON.parse(tree.context) : tree.context) : undefined;
    return Array.isArray(keys) && keys.every((key) => typeof key === 'string') ? keys : undefined;
  } catch {
    return undefined; // a specification of another version: results have numbers then
  }
}

module.exports = { ExportedProgram, programOf };
