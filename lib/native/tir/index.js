/**
 * The tree of a function whose every value has a machine type: what inference makes and the stages behind it work on.
 *
 * One program has one entry and the functions it calls, each for one choice of parameter types. There are scalars,
 * arrays as a pointer and a length, and nothing else: objects, tuples and closures have been taken apart into scalars.
 * Expressions have no effects and never fail: a `load` that may be out of range says what it gives then. All
 * conversions are explicit, and operators are those of Loop IR (the elementwise ops of src/ops/ops.def), with its
 * semantics: integers wrap.
 *
 * Inference makes it, differentiation takes and makes it, passes over loops change it, emission writes it as Loop IR:
 * ../pipeline.js has them in their order. verify.js holds a program against what is said here, print.js shows one.
 * Passes change statements where they stand, so each stands in one place only, as each list of them does; expressions
 * are never changed, and may stand in several.
 */
'use strict';

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {'f64' | 'f32' | 'i64' | 'i32' | 'u64' | 'u32' | 'bool'} Scalar */
/** Of elements in memory; 'u8c' is a Uint8ClampedArray's. @typedef {Scalar | 'i16' | 'i8' | 'u16' | 'u8'} Element */
/** A scalar, or a pointer to elements: 'f64*'. @typedef {string} Type */

/**
 * @typedef {object} Local
 * @property {string} name an identifier; others of its function may have the same
 * @property {Type} type
 * @property {boolean} isParam
 * @property {boolean} isSet again after its `let`
 */

/**
 * Elements in memory. `pointer` is a local or a chain of offsets on one; `length` is a local or a constant of i64.
 *
 * @typedef {object} ArrayRef
 * @property {Element} dtype
 * @property {boolean} clamps of a Uint8ClampedArray
 * @property {Expression} pointer
 * @property {Expression} length
 * @property {Root[]} roots what it may be, or be part of
 * @property {Expression} [owner] as results say where it lies (source/types.js), for those that may be one
 */

/**
 * Memory that an array may lie in. Two different roots never overlap, but for two 'param' roots where the caller passed
 * arrays that do; then code is used that has been compiled without this promise.
 *
 * @typedef {{ id: number, kind: 'param' | 'stack' | 'heap' | 'data', name: string, isWritten: boolean }} Root
 */

// --- expressions: { op, type, args } and what some need besides ---

/** @typedef {{ op: 'const', type: Scalar, value: number | bigint | boolean, args: [] }} ConstExpr */
/** @typedef {{ op: 'local', type: Type, local: Local, args: [] }} LocalExpr */

/**
 * An element. Where `index` is not in [0, length) or `valid` is false, its value is `missing`, and no memory is
 * touched; without `missing` the index is known to be in range. What is in memory as i16, i8, u16 or u8 is an i32, and
 * as such in `type`.
 *
 * @typedef {object} LoadExpr
 * @property {'load'} op
 * @property {Scalar} type
 * @property {ArrayRef} array
 * @property {[Expression]} args the index, of i64
 * @property {Expression | null} valid a bool that must hold besides, such as that the index was a whole number
 * @property {ConstExpr | null} missing
 * @property {Place} place
 */

/**
 * args: test, then, otherwise; only the one chosen is evaluated. (`select` evaluates both.)
 * @typedef {{ op: 'choose', type: Scalar, args: [Expression, Expression, Expression] }} ChooseExpr
 */
/**
 * and, or of bools whose second operand is evaluated only if needed.
 *
 * @typedef {{ op: 'andalso' | 'orelse', type: 'bool', args: [Expression, Expression] }} ShortExpr
 */
/**
 * ECMAScript's ToInt32 and its relatives: an f64 modulo 2^32 or 2^64.
 *
 * @typedef {{ op: 'wrap', type: 'i32' | 'u32' | 'i64' | 'u64', args: [Expression] }} WrapExpr
 */
/**
 * Whether add, sub or mul of two integers leaves their type.
 *
 * @typedef {{ op: 'overflows', type: 'bool', what: 'add' | 'sub' | 'mul', args: [Expression, Expression] }} OverflowsExpr
 */
/**
 * The pointer to element args[1] of args[0].
 *
 * @typedef {{ op: 'offset', type: Type, args: [Expression, Expression] }} OffsetExpr
 */
/** A pointer that is never followed. @typedef {{ op: 'nowhere', type: Type, args: [] }} NowhereExpr */
/**
 * The address that a pointer is, for results.
 *
 * @typedef {{ op: 'address', type: 'i64', args: [Expression] }} AddressExpr
 */
/** The pointer that an address is of. @typedef {{ op: 'pointer', type: Type, args: [Expression] }} PointerExpr */
/**
 * A pointer to constant elements of the program.
 *
 * @typedef {{ op: 'data', type: Type, index: number, args: [] }} DataExpr
 */
/**
 * An operator of Loop IR by its name; `convert` and `bitcast` go to `type`. A `convert` from i64 to f64 is exact,
 * unless it says `rounds`. What is computed in i64 fits, unless it says `wraps`. Math functions give V8's bits, `pow`
 * is JavaScript's; `js_round` and the like are functions of f64 that are no ops (emit/prelude.js).
 *
 * @typedef {{ op: string, type: Scalar, args: Expression[], rounds?: boolean, wraps?: boolean }} OpExpr
 */

/** @typedef {ConstExpr | LocalExpr | LoadExpr | ChooseExpr | ShortExpr | WrapExpr | OverflowsExpr | OffsetExpr | NowhereExpr | AddressExpr | PointerExpr | DataExpr | OpExpr} AnyExpr */
/** @typedef {{ op: string, type: Type, args: Expression[], range?: [number, number], [key: string]: any }} Expression */

// --- statements ---

/** @typedef {{ kind: 'let', local: Local, value: Expression }} LetStmt makes a local; its scope ends with the block */
/** @typedef {{ kind: 'set', local: Local, value: Expression }} SetStmt */
/**
 * Out of range nothing is stored. `checked` false: known to be in range. The value is of a Scalar; narrower elements
 * take its low bits, clamped ones are clamped already.
 *
 * @typedef {{ kind: 'store', array: ArrayRef, index: Expression, value: Expression, valid: Expression | null, checked: boolean, place: Place }} StoreStmt
 */
/** @typedef {{ kind: 'if', test: Expression, then: Statement[], otherwise: Statement[], place: Place | null }} IfStmt */

/**
 * As in hir/index.js: `before`, out unless `test`, `body`, `update`.
 *
 * @typedef {object} LoopStmt
 * @property {'loop'} kind
 * @property {number} id of its record in `program.loops`
 * @property {string} [form] what it was in the source; not there if a pass made it
 * @property {Statement[]} before
 * @property {Expression | null} test
 * @property {Statement[]} body
 * @property {Statement[]} update
 * @property {boolean} late
 * @property {Place} place
 * @property {number} [variant] of several loops made of one (loops/hoist-checks.js), which this is; 1 if not given
 */

/**
 * Rounds for local from lo to hi, not included, in any order. What it sets outside is private or a reduction.
 *
 * @typedef {{ kind: 'prange', id: number, local: Local, lo: Expression, hi: Expression, body: Statement[], place: Place, variant?: number }} PrangeStmt
 */
/**
 * Calls of a function of TIR whose last two params are a range: by threads, for ranges that cover lo to hi, of `grain`
 * and more. It fails as one of them did.
 *
 * @typedef {{ kind: 'parallel', id: number, callee: Func, args: Expression[], lo: Expression, hi: Expression, grain: Expression, place: Place }} ParallelStmt made by loops/parallel.js
 */
/** @typedef {{ kind: 'block', body: Statement[] }} BlockStmt which `break` may leave */
/** @typedef {{ kind: 'break', target: LoopStmt | BlockStmt }} BreakStmt */
/** @typedef {{ kind: 'continue', target: LoopStmt | PrangeStmt }} ContinueStmt */
/** As many values as the function has results. @typedef {{ kind: 'return', values: Expression[] }} ReturnStmt */
/**
 * Ends the run with the error of `program.sites[site]`; `values` are what its message shows.
 *
 * @typedef {{ kind: 'throw', site: number, values: Expression[] }} ThrowStmt
 */
/**
 * `arrays`: those that it can reach.
 *
 * @typedef {{ kind: 'call', callee: Func, args: Expression[], arrays: ArrayRef[], results: Local[], place: Place }} CallStmt makes locals of the results
 */
/**
 * A fresh array: elements are zero. `count` i64, at least 0. `escapes`: lives until the run ends; else until its block
 * does.
 *
 * @typedef {{ kind: 'alloc', local: Local, dtype: Element, count: Expression, escapes: boolean, place: Place }} AllocStmt
 */
/**
 * The same of constant length, on the stack; once per function, cleared where it stands.
 *
 * @typedef {{ kind: 'stack', local: Local, dtype: Element, count: number }} StackStmt
 */
/**
 * Elements [from, to) become value; both are in range.
 *
 * @typedef {{ kind: 'fill', array: ArrayRef, value: Expression, from: Expression, to: Expression }} FillStmt
 */
/**
 * count elements of source, converted as stores do; in range; may overlap, as if all were read first.
 *
 * @typedef {{ kind: 'copy', target: ArrayRef, at: Expression, source: ArrayRef, from: Expression, count: Expression }} CopyStmt
 */

/** @typedef {LetStmt | SetStmt | StoreStmt | IfStmt | LoopStmt | PrangeStmt | ParallelStmt | BlockStmt | BreakStmt | ContinueStmt | ReturnStmt | ThrowStmt | CallStmt | AllocStmt | StackStmt | FillStmt | CopyStmt} Statement */

/**
 * @typedef {object} Func
 * @property {string} name an identifier, unique in the program
 * @property {Local[]} params
 * @property {Scalar[]} results
 * @property {boolean} throws it gives a status, even if nothing in it may fail; emission sees what may
 * @property {boolean} isRecursive calls itself, through others perhaps
 * @property {Statement[]} body every way through it ends in return or throw
 * @property {Place | null} place
 * @property {Set<Local>} [apart] params to memory that no other param reaches
 */

/**
 * Why a run failed. `message` has texts and, where it is null, the next of the values; 'native' kinds are ours:
 * out of range with `bounds: 'check'`, a bigint that overflows, a length that is none, a stack that ends.
 *
 * @typedef {{ type: string, message: (string | null)[], place: Place }} Site
 */

/**
 * What explain() tells of a loop.
 *
 * @typedef {{ id: number, place: Place, form: string, vector: string | null, parallel: string | null, reasons: string[], checks?: { moved: number, kept: { name: string, place: Place | null }[] } }} LoopRecord
 */

/**
 * How the caller hands over one parameter, in order; scalars take one slot of 8 bytes each, arrays a buffer and their
 * length.
 *
 * @typedef {{ kind: 'scalar', type: Scalar, local: Local } | { kind: 'array', dtype: Element, pointer: Local, length: Local, root: Root }} Port
 */

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {Func} entry its params are those of the ports, in order; its results the slots behind those of the scalars
 * @property {Port[]} ports
 * @property {Func[]} funcs all, the entry too
 * @property {{ dtype: Element, values: ArrayLike<number | bigint> }[]} data
 * @property {Root[]} roots
 * @property {Site[]} sites
 * @property {LoopRecord[]} loops
 * @property {{ place: any, reason: string, advice: string } | null} asked where a number is asked for a field, as only arrays and objects have
 */

module.exports = {};
