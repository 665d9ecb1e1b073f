/**
 * The tree that a function's source becomes before anybody knows a type.
 *
 * JavaScript has thirty kinds of statement and expression whose effects hide anywhere; the stages behind the builder
 * know the few below. Expressions have no effects but to read: assignments, `++`, calls of functions, short circuits
 * with effects inside and everything else that acts have become statements, in the order in which JavaScript evaluates,
 * with temporary variables for what is needed later. Destructuring, compound assignment, `for`-`of`, `switch`, default
 * parameters and labels are gone, too. What is left means what it means in JavaScript, on values of any type: a slow
 * and obvious evaluator of this tree (evaluate.js) is what the builder is tested against.
 *
 * Names are resolved: a variable is an object, the same one wherever it is read or set, so two of the same name never
 * meet. The tree is made once per source and never changed; stages keep what they find out beside it.
 */
'use strict';

/**
 * Where something stands in the source: an acorn node, or what has the same fields.
 *
 * @typedef {object} Place
 * @property {number} start
 * @property {number} end
 * @property {{ start: { line: number, column: number }, end: { line: number, column: number }, source?: Source | null }} loc
 */

/**
 * @typedef {object} Variable
 * @property {string} name as in the source, or what a temporary one is for
 * @property {number} id unique in its program
 * @property {boolean} isConst declared by const, or set once by construction
 * @property {FunctionNode | null} owner in which it is declared; null: outside of all, given by `capture` or a global
 * @property {boolean} isShared read or set by a function inside its owner
 * @property {Place} place
 * @property {unknown} [value] of one without owner: the array or object that `capture` gave
 */

/**
 * A function: the one compiled, those inside it, and those it is given as captures.
 *
 * @typedef {object} FunctionNode
 * @property {'function'} kind
 * @property {string} name '' where it has none
 * @property {Variable[]} params one per parameter; patterns and defaults are taken apart in the body. One more for each that
 *   it only knows as `arguments[2]`
 * @property {Variable | null} rest
 * @property {boolean} namesArguments names anything of `arguments`
 * @property {boolean} countsArguments names `arguments.length`, or all of `arguments`
 * @property {Variable | null} given all of `arguments`, where it names that
 * @property {Statement[]} body
 * @property {Variable[]} variables declared in it, params and temporary ones included
 * @property {FunctionNode | null} parent
 * @property {Variable[]} captures variables of functions around it, or of none, that it or functions inside it name
 * @property {Source} source
 * @property {Place} place
 */

/**
 * @typedef {object} Source
 * @property {string} text what was parsed
 * @property {string} file its name in messages, such as the function's name
 * @property {number} line that the text begins at, from 1
 */

// --- expressions ---

/** @typedef {{ kind: 'number', value: number, place: Place }} NumberNode */
/** @typedef {{ kind: 'bigint', value: bigint, place: Place }} BigIntNode */
/** @typedef {{ kind: 'boolean', value: boolean, place: Place }} BooleanNode */
/** @typedef {{ kind: 'string', value: string, place: Place }} StringNode compared, thrown or a key; never computed */
/** @typedef {{ kind: 'undefined' | 'null', place: Place }} NothingNode */
/** @typedef {{ kind: 'variable', variable: Variable, place: Place }} VariableNode */
/** @typedef {{ kind: 'closure', callee: FunctionNode, place: Place }} ClosureNode a function as a value */

/**
 * 'numeric' is ToNumeric, what `++` and `--` give as the old value: a bigint stays one, all else becomes a number.
 * 'increment' and 'decrement' are one more and one less than that, of its own type.
 *
 * @typedef {'-' | '+' | '!' | '~' | 'typeof' | 'numeric' | 'increment' | 'decrement'} UnaryOp
 */

/**
 * @typedef {object} UnaryNode
 * @property {'unary'} kind
 * @property {UnaryOp} op
 * @property {Expression} operand
 * @property {Place} place
 */

/**
 * @typedef {object} BinaryNode
 * @property {'binary'} kind
 * @property {'+' | '-' | '*' | '/' | '%' | '**' | '&' | '|' | '^' | '<<' | '>>' | '>>>' | '<' | '<=' | '>' | '>=' | '==' | '!=' | '===' | '!=='} op
 * @property {Expression} left
 * @property {Expression} right
 * @property {Place} place
 */

/** @typedef {{ kind: 'logical', op: '&&' | '||' | '??', left: Expression, right: Expression, place: Place }} LogicalNode */
/** @typedef {{ kind: 'conditional', test: Expression, then: Expression, otherwise: Expression, place: Place }} ConditionalNode */
/** @typedef {{ kind: 'index', object: Expression, index: Expression, isLooped?: boolean, place: Place }} IndexNode object[index]; `isLooped`: of an array that a pattern takes apart */
/** @typedef {{ kind: 'member', object: Expression, name: string, isLooped?: boolean, place: Place }} MemberNode object.name, `length` too; `isLooped`: of what `for`-`of`, or a method, goes over */
/** @typedef {{ kind: 'array', elements: Expression[], place: Place }} ArrayNode a literal; holes are undefined */
/**
 * Of a literal; where `value` is a spread, all fields of an object.
 *
 * @typedef {{ name: string, value: Expression }} Field
 */
/** @typedef {{ kind: 'object', fields: Field[], place: Place }} ObjectNode */

/**
 * Among the arguments of a call or a builtin or the elements of a literal: all elements of an array, or fields of an
 * object.
 *
 * @typedef {{ kind: 'spread', argument: Expression, isObject?: boolean, place: Place }} SpreadNode
 */

/**
 * A function of the language that has no effects: `Math.hypot`, `Number.isInteger`, `BigInt.asIntN`, `isNaN`, `Number`,
 * by its whole name; constants such as `Math.PI` and `Infinity` are numbers already. `instanceof.Float64Array`, of one
 * argument; `arguments.length`, of none, is how many arguments the function was called with.
 *
 * A method is `.subarray` with the object first; there are `.subarray .slice .at .concat` and what only types can tell.
 * What makes an array is evaluated once where it stands, as the value of a `set`: `new.Float64Array` (of a length, an
 * array, or nothing), `new.Array` (of a length), `new.grown` (array, length: a longer one that begins with its
 * elements), `new.room` (of a length; all of it is stored before it is read), `from.Float64Array` and `from.Array` (of
 * an array), `new.like` (an array as long as that one and of its kind, to be filled), `new.rest` (array, k: a plain
 * array of the elements from k on), `new.omit` (object, names: an object of the other fields), `.subarray`, `.slice`,
 * `.concat`; `Math.random`, too.
 *
 * @typedef {{ kind: 'builtin', name: string, args: Expression[], place: Place }} BuiltinNode
 */

/**
 * @typedef {NumberNode | BigIntNode | BooleanNode | StringNode | NothingNode | VariableNode | ClosureNode | UnaryNode
 *   | BinaryNode | LogicalNode | ConditionalNode | IndexNode | MemberNode | ArrayNode | ObjectNode | SpreadNode | BuiltinNode} Expression
 */

// --- statements ---

/**
 * First or again. `declares`: where closures hold an older one of the name, as from the last round of a loop, it is a
 * new one.
 *
 * @typedef {{ kind: 'set', variable: Variable, value: Expression, declares: boolean, place: Place }} SetNode
 */
/** @typedef {{ kind: 'store', object: Expression, index: Expression, value: Expression, place: Place }} StoreNode object[index] = value */
/** @typedef {{ kind: 'field', object: Expression, name: string, value: Expression, place: Place }} FieldNode object.name = value */
/** @typedef {{ kind: 'if', test: Expression, then: Statement[], otherwise: Statement[], place: Place }} IfNode */

/**
 * Rounds of: `before`, then out of the loop unless `test`, then `body`, then `update`. `before` holds what the test
 * needs evaluated. With `late`, the first round begins at `body`. `continue` goes to `update`.
 *
 * @typedef {object} LoopNode
 * @property {'loop'} kind
 * @property {'for' | 'while' | 'do' | 'of'} form what it was, for messages
 * @property {Statement[]} before
 * @property {Expression | null} test null: for ever
 * @property {Statement[]} body
 * @property {Statement[]} update
 * @property {boolean} late
 * @property {Variable[]} fresh variables declared in its head by let, which each round has its own of (closures tell)
 * @property {Place} place
 */

/**
 * for (const variable of prange(first, end)): rounds that may run at the same time. `end` is not included.
 *
 * @typedef {{ kind: 'prange', variable: Variable, first: Expression, end: Expression, body: Statement[], place: Place }} PrangeNode
 */

/** @typedef {{ kind: 'block', body: Statement[], place: Place }} BlockNode which a `break` may leave; what a label or `switch` becomes */
/** @typedef {{ kind: 'break', target: LoopNode | PrangeNode | BlockNode, place: Place }} BreakNode */
/** @typedef {{ kind: 'continue', target: LoopNode | PrangeNode, place: Place }} ContinueNode */
/** @typedef {{ kind: 'return', value: Expression | null, place: Place }} ReturnNode */

/**
 * throw new type(message). `parts` of the message are texts and values between them. `type` is '' where a value was
 * thrown itself; it is the one part.
 *
 * @typedef {{ kind: 'throw', type: string, parts: Expression[], place: Place }} ThrowNode
 */

/**
 * A call of a function of the user's, or of something only types can tell; its value goes to `result`.
 *
 * @typedef {{ kind: 'call', result: Variable | null, callee: Expression, args: Expression[], place: Place }} CallNode
 */

/**
 * A method that changes what it is called on: `fill`, `set`, `copyWithin`, `reverse`, `sort`, `push`, `pop`, `shift`,
 * `unshift`, `splice`. Its value goes to `result`, which is null where that is the object itself or not used.
 *
 * @typedef {{ kind: 'method', result: Variable | null, object: Expression, name: string, args: Expression[], place: Place }} MethodNode
 */

/**
 * @typedef {SetNode | StoreNode | FieldNode | IfNode | LoopNode | PrangeNode | BlockNode | BreakNode | ContinueNode
 *   | ReturnNode | ThrowNode | CallNode | MethodNode} Statement
 */

module.exports = {};
