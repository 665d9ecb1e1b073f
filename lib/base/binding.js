/**
 * The addon, loaded once per environment, and what its functions take and give.
 *
 * Everything else in this folder calls C through this file. The functions check the kinds of their
 * arguments, enough to keep the process alive, and throw GraphErrors for what the core refuses; names,
 * defaults and options are settled by their callers. A handle is an opaque object that frees what it
 * stands for when it is collected.
 */
'use strict';

const { loadAddon, describeSystem, explain } = require('./addon.js');
const { GraphError, createError } = require('./errors.js');

/** @typedef {object} Handle */
/** @typedef {Handle & { number: number }} ProgramHandle */
/** @typedef {Handle & { number: number }} BoundHandle */
/** @typedef {Handle & { buffer: ArrayBuffer }} StorageHandle */

/** @typedef {'commutes' | 'associates' | 'exact' | 'costly' | 'two' | 'each' | 'moves' | 'keeps' | 'flat'} OpFlag */

/**
 * @typedef {object} OpRow
 * @property {string} name as in graph text: "round_even"
 * @property {number} code
 * @property {number} arity -1 for a variable number
 * @property {string} kind
 * @property {'any' | 'numeric' | 'float' | 'real' | 'integer' | 'signed' | 'logic'} accepts
 * @property {OpFlag[]} flags of src/ops/flags.def
 * @property {number} narrowFlops operations of an element of up to 4 bytes; 0 means 1
 * @property {number} wideFlops of 8 bytes
 * @property {number} cycles of an element, where the row says so; else 0
 * @property {number} jsCycles in the flavour of JavaScript, where there is such
 * @property {Record<string, 'dtype' | 'dims' | 'int' | 'ints' | 'axes'>} attrs
 * @property {string} derivative what a change s of each operand makes of the result, by operand; or 'rule', or 'none'
 * @property {string} doc
 */

/** @typedef {{ name: string, kind: string, bytes: number, jsarray: string, promotes: Record<string, string> }} DTypeRow */

/** @typedef {number | string} Size */

/** The derivative of the text of an apply by an operand. @typedef {(text: string, operand: number) => string | undefined} FindDerivative */

/**
 * @typedef {object} NodeInfo
 * @property {number} ref
 * @property {string} op
 * @property {number[]} operands
 * @property {import('../index.d.ts').DType} dtype
 * @property {Size[]} shape
 * @property {Record<string, string | number | Size[]>} attrs
 * @property {string} [name]
 * @property {number} [bytes] that a constant holds
 * @property {(number | bigint | boolean)[]} [data] the first elements of a constant
 */

/** @typedef {{ name: string, ref: number }} NamedRef */
/** @typedef {{ name: string, dtype: import('../index.d.ts').DType, shape: Size[] }} PortInfo */

/**
 * Times in milliseconds.
 *
 * @typedef {object} FunctionFigures
 * @property {'quick' | 'full'} tier
 * @property {'off' | 'miss' | 'disk' | 'memory'} cache
 * @property {number} codeBytes
 * @property {number} loops reading and changing Loop IR
 * @property {number} emit
 * @property {number} optimize
 * @property {number} machine
 * @property {number} load
 * @property {number} lookup
 * @property {number} total
 */

/** @typedef {{ best: number, median: number }} Timing in ns */
/** @typedef {Timing & { bytesRead: number, bytesWritten: number, narrowOps: number, wideOps: number }} KernelFigures */
/** @typedef {{ runs: number, run: Timing, kernels: KernelFigures[] }} ProfileFigures */

/**
 * @typedef {object} MachineFigures
 * @property {string} cpu
 * @property {number} vectorBytes
 * @property {boolean} fma
 * @property {number} threads
 * @property {{ f64: number, f32: number }} peak
 * @property {{ level: 'L1' | 'L2' | 'L3' | 'memory', bytes: number, read: number, copy: number }[]} bandwidth
 */

/**
 * @typedef {object} Native
 * @property {string} version
 * @property {(create: (code: any, message: string) => Error) => void} setErrors
 * @property {(use: boolean) => void} setPlatformPow whether `**` is the C library's pow here
 * @property {() => { graphs: number, programs: number, functions: number, runs: number, processPrograms: number, processFunctions: number, processCodeBytes: number, processConstantBytes: number }} usage
 * @property {(array: NodeJS.TypedArray) => void} advise large pages for a fresh array
 * @property {() => void} stop
 * @property {() => OpRow[]} ops
 * @property {() => DTypeRow[]} dtypes
 * @property {() => Record<string, string>} statuses
 * @property {(name?: string) => Handle} graphNew
 * @property {(text: string) => Handle} graphParse
 * @property {(graph: Handle) => void} graphDispose
 * @property {(graph: Handle, name: string) => Handle} graphFunction
 * @property {(fn: Handle) => number} graphFunctionAdd
 * @property {(graph: Handle, name: string, dtype: string, dims: number[]) => number} graphParam
 * @property {(graph: Handle, dtype: string, dims: number[], data: ArrayBufferView) => number} graphConst
 * @property {(bytes: number) => StorageHandle} storageNew zeroed memory for a large constant, which `buffer` is for writing
 * @property {(graph: Handle, dtype: string, dims: number[], storage: StorageHandle) => number} graphConstShared
 * @property {(graph: Handle, ys: number[], seeds: number[], wrt: number[], find: FindDerivative) => number[]} graphVjp
 * @property {(graph: Handle, wrt: number[], tangents: number[], ys: number[], find: FindDerivative) => number[]} graphJvp
 * @property {(graph: Handle, fn: Handle, refs: number[], flags: boolean[], size: number) => { refs: number[], flags: boolean[] }} graphBatch of a function of the graph, added or not
 * @property {(graph: Handle, code: number, refs: number[], attrs?: Record<string, unknown>, name?: string) => number} graphOp
 * @property {(name: string, library: string, symbol: string) => void} customRegister
 * @property {(graph: Handle, name: string, ref: number) => void} graphOutput
 * @property {(graph: Handle) => string} graphPrint
 * @property {(graph: Handle) => string} graphName
 * @property {(graph: Handle, ref: number) => { dtype: import('../index.d.ts').DType, dims: number[] }} graphType
 * @property {(graph: Handle) => number} graphCount
 * @property {(graph: Handle, ref: number) => NodeInfo} graphNode
 * @property {(graph: Handle) => NamedRef[]} graphInputs
 * @property {(graph: Handle) => NamedRef[]} graphOutputs
 * @property {(graph: Handle) => { name: string, nodes: NodeInfo[], outputs: NamedRef[] }[]} graphFunctions
 * @property {(graph: Handle, text: string) => number} graphDim
 * @property {(graph: Handle, dim: number) => Size} graphDimText
 * @property {(graph: Handle, operator: '+' | '-' | '*' | '/' | 'max' | 'min' | 'most', a: number, b: number) => number} graphDimOp
 * @property {(graph: Handle, shapes: (readonly number[])[]) => number[][]} graphFit
 * @property {(graph: Handle, shapes: (readonly number[])[], arrays: unknown[]) => number[][] | undefined} graphEval
 * @property {(graph: Handle) => { graph: Handle, became: number[] }} graphSimplify
 * @property {(graph: Handle, numerics: number, optLevel: number, threads: number, cache: boolean, tier: number) => ProgramHandle} programCompile
 * @property {(program: Handle) => void} programDispose
 * @property {(program: Handle) => Promise<void>} programReady
 * @property {(program: Handle) => { inputs: PortInfo[], outputs: PortInfo[] }} programPorts
 * @property {(program: Handle) => any} programStats
 * @property {(program: Handle, names?: readonly string[], values?: readonly number[]) => any} programMemory
 * @property {(program: Handle, arrays: unknown[], runs: number, seconds: number) => ProfileFigures} programProfile
 * @property {(threads: number) => MachineFigures} machine
 * @property {() => number} vectorBytes of a vector register of this machine
 * @property {() => CacheUsage & { folder?: string, limit: number, off: boolean }} cacheUsage
 * @property {(bytes: number) => CacheUsage} cachePrune removes old entries until so much is left
 * @property {(name: string) => string | undefined} noteRead what was kept under this name by this build
 * @property {(name: string, text: string) => void} noteWrite
 * @property {(program: Handle, what: 'llvm' | 'optimized' | 'asm' | 'loops' | 'graph', mostData: number) => string} programText
 * @property {(program: Handle) => Handle} programGraph
 * @property {(program: Handle, shapes: (readonly number[])[]) => number[][]} programFit
 * @property {Int32Array} called its element is the number of what the next two call
 * @property {(...arrays: unknown[]) => number[][] | undefined} callProgram the shapes of the outputs, where a run computes sizes
 * @property {() => number[][] | undefined} callBound the same
 * @property {(program: Handle, arrays: unknown[], keepsScratch: boolean) => BoundHandle} programBind
 * @property {(text: string, numerics: number, optLevel: number, cache: boolean, tier?: number) => Handle} functionCompile from Loop IR text; tier 1 may start with quickly made code
 * @property {(name: string, text: string, numerics: number, optLevel: number, cache: boolean, tier: number, description: string) => void} functionOp makes a function known to custom_call: see src/jit/function/op.h
 * @property {(fn: Handle) => void} functionDispose
 * @property {(fn: Handle) => FunctionFigures} functionStats
 * @property {(fn: Handle) => string} functionRemarks what became of loops, a line each
 * @property {(text: string, numerics: number, optLevel: number, what: 'loops' | 'llvm' | 'optimized' | 'asm') => string} functionText
 * @property {(fn: Handle, apart: Handle | undefined, signature: string, threads: number, state: ArrayBuffer) => (...args: unknown[]) => any} functionCaller see addon/function.h
 * @property {(fn: Handle, apart: Handle | undefined, signature: string, threads: number, state: ArrayBuffer, args: unknown[]) => { promise: Promise<any> }} functionStart
 * @property {(fn: Handle, threads: number, slots: BigInt64Array | ArrayBuffer, arrays: readonly (ArrayBufferView | null)[]) => number} tableRun what the code returned: see addon/table.h
 * @property {(fn: Handle, threads: number, slots: BigInt64Array | ArrayBuffer, arrays: readonly (ArrayBufferView | null)[]) => { promise: Promise<number> }} tableStart
 * @property {(programs: NativePrograms, prefix: boolean, operators: NativePrograms, arity: Uint8Array, dtype: string, variables: number, strict: boolean, parameters: boolean, functions: ProgramHandle[], derivatives: Uint32Array) => Handle & { nodes: number }} populationNew see addon/population.h
 * @property {(population: Handle) => void} populationDispose
 * @property {(population: Handle, data: NativeData, threads: number, out: Float64Array | Float32Array) => void} populationPredict
 * @property {(population: Handle, data: NativeData, threads: number, loss: number, scale: boolean, bound: number, losses: Float64Array, intercepts: Float64Array | null, slopes: Float64Array | null) => void} populationFitness
 * @property {(population: Handle, data: NativeData, threads: number, rounds: number, constants: Float64Array, losses: Float64Array) => void} populationFit
 * @property {(program: Handle, arrays: unknown[]) => { promise: Promise<number[][] | undefined> }} runStart
 * @property {(run: { promise: Promise<unknown> }) => void} workCancel of a run of a program or a function
 * @property {(graph: Handle, numerics: number, optLevel: number, variant: number, separate: boolean, threads: boolean) => { bytes: Uint8Array, weights: Uint8Array | null }} wasmCompile
 * @property {(graph: Handle, target: string, cpu: string, features: string, symbol: string, numerics: number, optLevel: number, threads: boolean, emit: number) => Uint8Array | string} objectCompile
 * @property {(graph: Handle, symbol: string, numerics: number, threads: boolean) => string} objectHeader
 * @property {(text: string, numerics: number, optLevel: number, variant: number, recurses: boolean, name: string, description: string) => Uint8Array} wasmFunction
 * @property {(text: string, target: string, cpu: string, features: string, symbol: string, numerics: number, optLevel: number, emit: number, takesRun: boolean) => Uint8Array | string} objectFunction from Loop IR text; takesRun: its last parameter is a gj_exec
 * @property {(name: string, symbol: string, names: string) => { symbol: string, opening: string, names: string }} objectWords
 * @property {() => import('../index.d.ts').Target[]} targets
 */

/** Offsets, tokens, constants. @typedef {[Uint32Array, Int32Array, Float64Array]} NativePrograms */
/** Rows, columns, targets, weights, a term, a function. @typedef {[number, (Float64Array | Float32Array)[], Float64Array | null, Float64Array | null, NativePrograms | null, ProgramHandle | null]} NativeData */

/**
 * @typedef {object} CacheUsage
 * @property {number} entries
 * @property {number} bytes
 * @property {boolean} usable false for a folder that is there and cannot be used
 */

/** Powers as fdlibm has them; all are off by one in the last place. */
const powers = [
  [0.1, 0.4, 0.3981071705534972],
  [0.1, 1.9, 0.012589254117941675],
  [0.2, 1.1, 0.17026798450415692],
  [0.3, 3.1, 0.023937340065260757],
];

/** Whether this engine asks the C library for powers, as V8 does from version 13 on unless told otherwise. */
function hasPlatformPow() {
  return powers.some(([x, y, power]) => x ** y !== power);
}

/** @returns {Native} */
function load() {
  const found = loadAddon();
  if (!('addon' in found)) {
    throw new GraphError(explain(found.failures, describeSystem()), { code: 'ERR_STATE', cause: found.cause });
  }
  const { addon } = found;
  addon.setErrors(createError);
  addon.setPlatformPow(hasPlatformPow());
  // A thread that compiles must not be at it when the process takes LLVM's state down. Which thread this is is asked
  // then: the module that knows takes as long to load as half of this library.
  process.once('exit', () => {
    if (require('node:worker_threads').isMainThread) addon.stop();
  });
  return addon;
}

module.exports = { native: load() };
