/**
 * Computing: pending results when somebody looks, and calls of all other operations at once.
 *
 * One kernel computes a result with all that is pending below it. A result on the way is stored as well when
 * something else will need it: a pending result that is no part of this, or when it was computed in passing
 * before. So nothing is computed more than twice, and what nobody looks at mostly not at all.
 */
'use strict';

const { isValue } = require('../graph/value.js');
const { storageOver, setCompute } = require('../tensor/storage.js');
const { storageOf, infoOf, layoutFor, layoutOf, tensorOver } = require('../tensor/tensor.js');
const { Direct, compile, kernelFor } = require('./kernels.js');
const { capture, permutationOf } = require('./pending-node.js');
const { Plan } = require('./plan.js');
const { fill } = require('./signature.js');

/** @typedef {import('../graph/graph.js').Graph} Graph */
/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('./operation.js').Operation} Operation */
/** @typedef {import('./kernels.js').Kernel} Kernel */
/** @typedef {import('./pending-node.js').Node} Node */
/** @typedef {import('./plan.js').Source} Source */

/** The most results on the way that one kernel stores. */
const MOST_STORED = 8;

/** @type {(plan: Plan, root: Node | null) => Node[]} results on the way that are worth storing */
function worthStoring({ nodes }, root) {
  const found = nodes.filter((node) => node !== root && (node.wasComputed || node.consumers > node.uses));
  return found.length > MOST_STORED ? found.slice(-MOST_STORED) : found;
}

/**
 * @type {(plan: Plan, stored: readonly Node[], arrays: readonly import('../tensor/dtypes.js').TypedArray[]) => void}
 */
function settle(plan, stored, arrays) {
  for (const node of plan.nodes) node.wasComputed = true;
  stored.forEach((node, i) => node.settle(arrays[i]));
}

/** @param {Node} root whose storage has its array afterwards */
function compute(root) {
  const plan = new Plan(root.size);
  plan.add(root);
  const stored = [root, ...worthStoring(plan, root)];
  const caller = root.entry.operation.name;
  const kernel = kernelFor(plan.key(stored), () =>
    compile(caller, (graph) => {
      const valueOf = plan.build(graph);
      stored.forEach(({ index, shape }, i) =>
        graph.output(`y${i}`, valueOf({ leaf: false, index, shape, axes: null })),
      );
    }),
  );
  kernel.fit(plan.isFlat ? plan.size : 0, () => plan.shapes());
  settle(
    plan,
    stored,
    kernel.run(
      plan.leaves.map(({ array }) => array),
      caller,
    ),
  );
}
setCompute(/** @type {any} */ (compute));

// ------------------------------------------------------------------------------- all other calls

/** The place of an output in what an operation gave. */
class Output {
  /** @param {number} index */
  constructor(index) {
    this.index = index;
  }
}

/** @type {(result: any, outputs: Value[]) => any} the same with outputs in place of values */
function templateOf(result, outputs) {
  if (isValue(result)) return new Output(outputs.push(result) - 1);
  if (Array.isArray(result)) return result.map((item) => templateOf(item, outputs));
  if (typeof result !== 'object' || result === null) return result;
  return Object.fromEntries(Object.entries(result).map(([name, item]) => [name, templateOf(item, outputs)]));
}

/** @type {(template: any, tensors: readonly Tensor[]) => any} */
function withTensors(template, tensors) {
  if (template instanceof Output) return tensors[template.index];
  if (Array.isArray(template)) return template.map((item) => withTensors(item, tensors));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, item]) => [name, withTensors(item, tensors)]));
}

/**
 * The outputs of a graph: its input where there are none, as of an empty axis unstacked.
 *
 * @type {(graph: Graph, outputs: readonly Value[], input: Value) => void}
 */
function declare(graph, outputs, input) {
  for (const [i, value] of (outputs.length > 0 ? outputs : [input]).entries()) graph.output(`y${i}`, value);
}

/** @type {(operation: Operation, plan: Plan, stored: readonly Node[], sources: readonly Source[], template: unknown) => Kernel} */
function compileCall({ name, call }, plan, stored, sources, template) {
  let result;
  const kernel = compile(name, (graph) => {
    const valueOf = plan.build(graph);
    const outputs = stored.map(({ index, shape }) => valueOf({ leaf: false, index, shape, axes: null }));
    const values = sources.map(valueOf);
    result = templateOf(call(...fill(template, values)), outputs);
    declare(graph, outputs, values[0]);
  });
  kernel.result = result;
  return kernel;
}

/** @type {(kernel: Kernel, plan: Plan, stored: readonly Node[], name: string) => Tensor[]} stored nodes and results */
function runCall(kernel, plan, stored, name) {
  kernel.fit(0, () => plan.shapes());
  const arrays = kernel.run(
    plan.leaves.map(({ array }) => array),
    name,
  );
  settle(plan, stored, arrays);
  const { infos, shapes } = kernel;
  return arrays.map((array, i) => tensorOver(storageOver(array, infos[i], i < stored.length), layoutFor(shapes[i])));
}

/**
 * The same where nothing is pending: the kernel takes the tensors as they are.
 *
 * @type {(operation: Operation, tensors: readonly Tensor[], template: unknown, key: string) => any}
 */
function callDirect(operation, tensors, template, key) {
  const { name, call } = operation;
  let text = `${name}${key}`;
  for (const { dtype, shape } of tensors) text += `|${dtype}[${shape}]`;
  const direct = kernelFor(text, () => {
    return Direct.build(name, tensors, (graph, inputs) => {
      /** @type {Value[]} */
      const outputs = [];
      const result = templateOf(call(...fill(template, inputs)), outputs);
      declare(graph, outputs, inputs[0]);
      return result;
    });
  });
  if (tensors.length === 1 && key === ALONE)
    operation.latest = { info: infoOf(tensors[0]), layout: layoutOf(tensors[0]), direct };
  return runDirect(direct, tensors);
}

/** Whether a kernel may take a tensor as it is. @type {(tensor: Tensor) => boolean} */
const isDirect = (tensor) => storageOf(tensor).pending === null && permutationOf(tensor) === null;

/** The key of a tensor without further arguments. */
const ALONE = '[#0,]';

/** @type {(direct: Direct, tensors: readonly Tensor[]) => any} */
const runDirect = ({ result, callable }, tensors) => withTensors(result, callable.call(tensors));

/**
 * Calls an operation on tensors, now.
 *
 * @param {Operation} operation
 * @param {readonly Tensor[]} tensors
 * @param {unknown} template of its arguments
 * @param {string | null} key of the template; null for a call that cannot be told from others
 * @returns {any} what the operation gives for values, with tensors in their places
 */
function callNow(operation, tensors, template, key) {
  const { name } = operation;
  if (key !== null && tensors.every(isDirect)) return callDirect(operation, tensors, template, key);
  const operands = tensors.map((tensor) => capture(tensor, name));
  try {
    const plan = new Plan(-1);
    const sources = operands.map((operand) => plan.visit(operand));
    const stored = worthStoring(plan, null);
    const make = () => compileCall(operation, plan, stored, sources, template);
    const text = `${plan.key(stored)}|${sources.map((source) => plan.sourceText(source))}|${name}${key}`;
    const kernel = key === null ? make() : kernelFor(text, make);
    const results = runCall(kernel, plan, stored, name);
    const made = withTensors(kernel.result, results);
    if (key === null) kernel.dispose();
    return made;
  } finally {
    for (const operand of operands) operand.release();
  }
}

module.exports = { callNow, runDirect };
