// Archives of PyTorch for tests, written by hand: pickles as bytes, code as text.
'use strict';

const { packEntries } = require('../../lib/files/zip.js');

/** @type {(entries: Record<string, string | Uint8Array>, compress?: boolean) => Uint8Array} */
function archive(entries, compress = false) {
  const files = Object.entries(entries).map(([name, content]) => ({ name: `m/${name}`, content: Buffer.from(content) }));
  return Buffer.concat([...packEntries(files, compress)]);
}

/** @type {(...parts: (string | number[])[]) => Uint8Array} a pickle of protocol 2 */
const pickle = (...parts) => Buffer.concat([Buffer.from([0x80, 2]), ...parts.map((part) => Buffer.from(/** @type {any} */ (part), 'latin1')), Buffer.from('.')]);

/** An object of class M without attributes. */
const bareModule = pickle('c__torch__\nM\n)', [0x81], '}b');

/** @type {(body: string, before?: string) => Uint8Array} a script whose method forward(self, x) has these statements */
function script(body, before = '') {
  const lines = body.split('\n').map((line) => `    ${line}`).join('\n');
  const code = `${before}class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n${lines}\n`;
  return archive({ 'data.pkl': bareModule, 'code/__torch__.py': code, version: '3\n', 'constants.pkl': pickle(')') });
}

/** Conversions of a JavaScript value to an argument of an exported program. @type {(value: any) => any} */
function argument(value) {
  if (value === null) return { as_none: true };
  if (typeof value === 'string') return { as_tensor: { name: value } };
  if (typeof value === 'boolean') return { as_bool: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { as_int: value } : { as_float: value };
  if (Array.isArray(value)) return typeof value[0] === 'string' ? { as_tensors: value.map((name) => ({ name })) } : { as_ints: value };
  return value;
}

/** @type {(shape: (number | string)[], dtype?: number) => any} */
const tensorMeta = (shape, dtype = 7) => ({
  dtype, sizes: shape.map((size) => (typeof size === 'number' ? { as_int: size } : { as_expr: { expr_str: size } })),
  strides: shape.map((_, i) => ({ as_int: shape.slice(i + 1).reduce((total, size) => Number(total) * Number(size), 1) })), storage_offset: { as_int: 0 },
  requires_grad: false, device: { type: 'cpu', index: null }, layout: 7,
});

/**
 * An exported program.
 *
 * @param {object} given
 * @param {Record<string, any>} given.inputs metas by name
 * @param {Record<string, { shape: number[], data: Float32Array }>} [given.weights]
 * @param {[target: string, args: any[] | Record<string, any>, results: any][]} given.nodes
 * @param {any[]} given.outputs
 * @param {'files' | 'pickles' | 'old'} [given.layout]
 * @param {any} [given.more] fields of the program
 */
function exported({ inputs, weights = {}, nodes, outputs, layout = 'files', more = {} }) {
  const names = Object.keys(weights);
  const results = outputs.filter((name) => typeof name === 'string');
  const program = {
    graph_module: {
      graph: {
        inputs: [...names, ...Object.keys(inputs)].map(argument),
        outputs: outputs.map(argument),
        tensor_values: { ...Object.fromEntries(results.map((name) => [name, tensorMeta([1])])), ...inputs },
        nodes: nodes.map(nodeOf),
      },
      signature: {
        input_specs: [
          ...names.map((name) => ({ parameter: { arg: { name }, parameter_name: `net.${name}` } })),
          ...Object.keys(inputs).map((name) => ({ user_input: { arg: argument(name) } })),
        ],
        output_specs: outputs.map((each) => ({ user_output: { arg: argument(each) } })),
      },
      module_call_graph: [],
    },
    opset_version: { aten: 10 }, range_constraints: {}, schema_version: { major: 8, minor: 1 }, torch_version: '2.8.0', ...more,
  };
  const text = JSON.stringify(program);
  if (layout === 'old') return archive({ 'serialized_exported_program.json': text, 'serialized_state_dict.pt': stateDict(weights), version: '5.1' });
  if (layout === 'pickles') return archive({ 'models/model.json': text, 'data/weights/model.pt': stateDict(weights) });
  const config = Object.fromEntries(names.map((name, i) => [`net.${name}`, { path_name: `weight_${i}`, is_param: true, use_pickle: false, tensor_meta: tensorMeta(weights[name].shape) }]));
  const files = Object.fromEntries(names.map((name, i) => [`data/weights/weight_${i}`, bytesOf(weights[name].data)]));
  return archive({ archive_format: 'pt2', 'models/model.json': text, 'data/weights/model_weights_config.json': JSON.stringify({ config }), ...files });
}

/** @type {(node: [string, any[] | Record<string, any>, any]) => any} */
function nodeOf([target, args, results]) {
  const inputs = Array.isArray(args)
    ? args.map((each, i) => ({ name: `a${i}`, arg: argument(each), kind: 1 }))
    : Object.entries(args).map(([name, each]) => ({ name, arg: argument(each), kind: 2 }));
  const full = target.includes('.') ? target : `torch.ops.aten.${target}.default`;
  return { target: full, inputs, outputs: Array.isArray(results) ? results : [argument(results)], metadata: {} };
}

/** @type {(data: Float32Array) => Uint8Array} */
const bytesOf = (data) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** @type {(text: string) => any[]} */
const textCode = (text) => ['X', [text.length, 0, 0, 0], text];
/** @type {(numbers: readonly number[]) => any[]} */
const tupleCode = (numbers) => ['(', ...numbers.flatMap((each) => ['K', [each]]), 't'];

/** What torch.save writes of tensors by name. @type {(weights: Record<string, { shape: number[], data: Float32Array }>) => Uint8Array} */
function stateDict(weights) {
  const entries = Object.entries(weights);
  const items = entries.flatMap(([name, { shape, data }], i) => [
    ...textCode(`net.${name}`), 'ctorch._utils\n_rebuild_tensor_v2\n((', ...textCode('storage'), 'ctorch\nFloatStorage\n', ...textCode(String(i)), ...textCode('cpu'),
    'K', [data.length], 'tQK', [0], ...tupleCode(shape), ...tupleCode(shape.map((_, k) => shape.slice(k + 1).reduce((total, size) => total * size, 1))),
    [0x89], 'ccollections\nOrderedDict\n)RtR', 's',
  ]);
  return archive({ 'data.pkl': pickle('}', ...items), ...Object.fromEntries(entries.map(([, { data }], i) => [`data/${i}`, bytesOf(data)])) });
}

module.exports = { archive, bareModule, exported, pickle, script, stateDict, tensorMeta };
