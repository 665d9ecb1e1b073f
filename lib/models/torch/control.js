/**
 * Branches and loops of a script that data decides, recorded as those of the graph.
 *
 * Whatever they assign becomes a result: tensors, numbers, and lists and dictionaries of them; tensors that they write
 * to get their new elements behind them. A branch is run twice: once to see what it assigns, and once to record it with
 * the results that both sides have. Where sides differ in shape or in what is no tensor, or change lists, the run is
 * asked which side it takes; that is possible outside of other branches and loops.
 */
'use strict';

const { GraphError } = require('../../base/errors.js');
const { control } = require('../../trace/control.js');
const { checkNested } = require('./guard.js');
const { Cell, KIND_DTYPES, Scalar, isNumber, kindOf, operandOf } = require('./values.js');

/** @typedef {import('./interpreter.js').Interpreter} Interpreter */
/** @typedef {import('./parser.js').Statement} Statement */
/** @typedef {import('./parser.js').Expression} Expression */
/** @typedef {import('./values.js').Kind} Kind */
/** @typedef {Map<string, any>} Names */

/**
 * How a value of a script is made of Values of the graph.
 *
 * @typedef {{ form: 'fixed', value: any } | { form: 'tensor', type: string } | { form: 'number', kind: Kind }
 *   | { form: 'list', items: Plan[] } | { form: 'map', keys: any[], items: Plan[] }} Plan
 */

/** @type {(value: any, run: Interpreter) => string} dtype and shape of a tensor */
const typeOf = (value, run) => `${value.operand.dtype}[${run.cx.shape(value.operand)}]`;

/** How a value is made, with all its numbers open. @type {(value: any, run: Interpreter) => Plan} */
function planOf(value, run) {
  checkNested(value);
  return planOfPart(value, run);
}

/** @type {(value: any, run: Interpreter) => Plan} */
function planOfPart(value, run) {
  if (value instanceof Cell) return { form: 'tensor', type: typeOf(value, run) };
  if (isNumber(value)) return { form: 'number', kind: kindOf(value) };
  if (Array.isArray(value)) return { form: 'list', items: value.map((each) => planOfPart(each, run)) };
  if (value instanceof Map) return { form: 'map', keys: [...value.keys()], items: [...value.values()].map((each) => planOfPart(each, run)) };
  return { form: 'fixed', value };
}

/** @type {(run: Interpreter, what: string) => never} */
const differ = (run, what) => run.fail('ERR_UNSUPPORTED', `${what} depends on data`);

/** What two sides have in common. @type {(a: { value: any, plan: Plan }, b: { value: any, plan: Plan }, run: Interpreter) => Plan} */
function common(a, b, run) {
  if (a.value === b.value) return { form: 'fixed', value: a.value };
  const [one, other] = [a.plan, b.plan];
  if (one.form === 'tensor' && other.form === 'tensor' && one.type === other.type) return one;
  if (one.form === 'number' && other.form === 'number' && one.kind === other.kind) return one;
  if (one.form === 'list' && other.form === 'list' && one.items.length === other.items.length)
    return { form: 'list', items: one.items.map((plan, i) => common({ value: a.value[i], plan }, { value: b.value[i], plan: other.items[i] }, run)) };
  if (one.form === 'map' && other.form === 'map' && String(one.keys) === String(other.keys)) {
    const side = (/** @type {any} */ { value }, /** @type {Plan[]} */ items, /** @type {number} */ i) => ({ value: value.get(one.keys[i]), plan: items[i] });
    return { form: 'map', keys: one.keys, items: one.items.map((_, i) => common(side(a, one.items, i), side(b, other.items, i), run)) };
  }
  return differ(run, 'the kind of a value');
}

/** The Values in a value of the script. @type {(value: any, plan: Plan, run: Interpreter) => any[]} */
function valuesIn(value, plan, run) {
  switch (plan.form) {
    case 'fixed': return value === plan.value ? [] : differ(run, 'a value');
    case 'tensor': return value instanceof Cell && typeOf(value, run) === plan.type ? [run.cx.value(value.operand)] : differ(run, 'the shape of a tensor');
    case 'number': return isNumber(value) && kindOf(value) === plan.kind ? [run.cx.value(operandOf(value), KIND_DTYPES[plan.kind])] : differ(run, 'the kind of a number');
    case 'list': return Array.isArray(value) && value.length === plan.items.length ? value.flatMap((each, i) => valuesIn(each, plan.items[i], run)) : differ(run, 'the length of a list');
    default: return value instanceof Map && String([...value.keys()]) === String(plan.keys) ? plan.items.flatMap((each, i) => valuesIn(value.get(plan.keys[i]), each, run)) : differ(run, 'a dictionary');
  }
}

/** A value of the script of Values, which are taken from the front. @type {(plan: Plan, values: any[], run: Interpreter) => any} */
function rebuilt(plan, values, run) {
  switch (plan.form) {
    case 'fixed': return plan.value;
    case 'tensor': return run.cell(values.shift());
    case 'number': return new Scalar(plan.kind, values.shift(), false);
    case 'list': return plan.items.map((each) => rebuilt(each, values, run));
    default: return new Map(plan.items.map((each, i) => [plan.keys[i], rebuilt(each, values, run)]));
  }
}

/** Names that statements assign. @type {(statements: readonly Statement[], found?: Set<string>) => Set<string>} */
function assigned(statements, found = new Set()) {
  /** @type {(target: Expression) => void} */
  const add = (target) => {
    if (target.kind === 'name') found.add(target.name);
    if (target.kind === 'tuple') target.items.forEach(add);
  };
  for (const each of statements) {
    if (each.kind === 'assign') each.targets.forEach(add);
    if (each.kind === 'for') add(each.target);
    if (each.kind === 'if') assigned(each.no, assigned(each.yes, found));
    if (each.kind === 'while' || each.kind === 'for') assigned(each.body, found);
  }
  return found;
}

/**
 * Runs statements on a copy of the names.
 *
 * @type {(run: Interpreter, statements: readonly Statement[], names: Names, file: string) => Names}
 */
function runOnCopy(run, statements, names, file) {
  const own = new Map(names);
  return run.block(statements, own, file) === undefined ? own : differ(run, 'where a function ends');
}

/**
 * Runs something that is recorded, without lasting effects on the tensors of the script.
 *
 * @template T
 * @param {Interpreter} run
 * @param {Map<Cell, any>} notes gets the tensors that were written to
 * @param {() => T} work
 * @returns {T}
 */
const recorded = (run, notes, work) => run.tentatively(() => run.memory.tentatively(work, notes));

/** @type {(run: Interpreter, test: Scalar, statement: Extract<Statement, { kind: 'if' }>, names: Names, file: string) => any} */
function chooseByData(run, test, { yes, no }, names, file) {
  const { where } = run.cx;
  try {
    choose(run, test, [yes, no], names, file);
    return undefined;
  } catch (error) {
    if (!(error instanceof GraphError) || run.cx.state !== run.cx.root) throw error;
    run.cx.where = where;
    return run.block(run.ask(test) ? yes : no, names, file);
  }
}

/** @type {(run: Interpreter, test: Scalar, sides: readonly (readonly Statement[])[], names: Names, file: string) => void} */
function choose(run, test, sides, names, file) {
  const predicate = run.cx.value(test.operand, 'bool');
  const changing = new Set(sides.flatMap((side) => [...assigned(side)]));
  /** Tensors written to by either side. @type {Map<Cell, any>} */
  const written = new Map();
  /** @type {Map<string, { value: any, plan: Plan }>[]} */
  const found = [];
  const look = (/** @type {number} */ i) => () =>
    recorded(run, written, () => {
      const after = runOnCopy(run, sides[i], names, file);
      found[i] = new Map([...changing].filter((name) => after.has(name)).map((name) => {
        const value = after.get(name);
        return [name, { value, plan: planOf(value, run) }];
      }));
      return run.cx.constant(false);
    });
  control.cond(/** @type {any} */ (predicate).reshape([]), look(0), look(1));
  const plans = [...changing].flatMap((name) => {
    const [a, b] = found.map((each) => each.get(name));
    return a && b ? [/** @type {const} */ ([name, common(a, b, run)])] : [];
  });
  const cells = [...written.keys()];
  const side = (/** @type {number} */ i) => () =>
    recorded(run, new Map(), () => {
      const after = runOnCopy(run, sides[i], names, file);
      const values = plans.flatMap(([name, plan]) => valuesIn(after.get(name), plan, run));
      return [...values, ...cells.map((cell) => run.cx.value(cell.operand))];
    });
  const isEmpty = cells.length === 0 && plans.every(([, plan]) => plan.form === 'fixed');
  const results = isEmpty ? [] : control.cond(/** @type {any} */ (predicate).reshape([]), side(0), side(1));
  for (const [name, plan] of plans) names.set(name, rebuilt(plan, results, run));
  for (const cell of cells) cell.write(results.shift());
}

/**
 * Records a loop; whether that was possible.
 *
 * @type {(run: Interpreter, statement: Extract<Statement, { kind: 'while' }>, names: Names, file: string) => boolean}
 */
function loopByData(run, statement, names, file) {
  const { where } = run.cx;
  try {
    loop(run, statement, names, file, []);
    return true;
  } catch (error) {
    if (!(error instanceof GraphError) || run.cx.state !== run.cx.root) throw error;
    run.cx.where = where;
    return false;
  }
}

/**
 * @type {(run: Interpreter, statement: Extract<Statement, { kind: 'while' }>, names: Names, file: string, cells: readonly Cell[]) => void}
 */
function loop(run, statement, names, file, cells) {
  const { test, body } = statement;
  const plans = [...assigned(body)].filter((name) => names.has(name)).map((name) => /** @type {const} */ ([name, planOf(names.get(name), run)]));
  const leavesOf = (/** @type {Names} */ own) => [...plans.flatMap(([name, plan]) => valuesIn(own.get(name), plan, run)), ...cells.map((cell) => run.cx.value(cell.operand))];
  /** Tensors written to, which the state has to have. @type {Map<Cell, any>} */
  const written = new Map();
  /** @type {<T>(state: readonly any[], work: (own: Names) => T) => T} */
  const inside = (state, work) =>
    recorded(run, written, () => {
      const values = [...state];
      const own = new Map(names);
      for (const [name, plan] of plans) own.set(name, rebuilt(plan, values, run));
      for (const cell of cells) cell.write(values.shift());
      return work(own);
    });
  const last = control.whileLoop(
    (/** @type {any[]} */ state) => inside(state, (own) => {
      const going = run.truth(run.evaluate(test, own));
      return going instanceof Scalar ? /** @type {any} */ (run.cx.value(going.operand, 'bool')).reshape([]) : going;
    }),
    (/** @type {any[]} */ state) => inside(state, (own) => leavesOf(runOnCopy(run, body, own, file))),
    leavesOf(names),
  );
  const open = [...written.keys()].filter((cell) => !cells.includes(cell));
  if (open.length > 0) return loop(run, statement, names, file, [...cells, ...open]);
  const values = [...last];
  for (const [name, plan] of plans) names.set(name, rebuilt(plan, values, run));
  for (const cell of cells) cell.write(values.shift());
  return undefined;
}

module.exports = { chooseByData, loopByData };
