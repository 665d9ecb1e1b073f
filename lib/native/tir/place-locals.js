/**
 * Where the locals of a function are declared.
 *
 * Inference only sets them. A local belongs to the innermost block that all its uses are in; if the first of them is a
 * `set` in that block itself, this becomes its `let`, and otherwise it is declared, as zero, at the start of the
 * function. So what a round of a loop computes for itself is declared in the round, which is how later stages see that
 * nothing is carried from one to the next. What is set and never read goes.
 */
'use strict';

const M = require('./machine.js');

/** @typedef {import('./index.js').Local} Local */
/** @typedef {import('./index.js').Expression} Expression */

/** A list of statements, and the one around it. @typedef {{ list: any[], outer: Block | null, depth: number }} Block */
/** @typedef {{ block: Block, sets: { statement: any, block: Block }[], reads: number, first: { statement: any, block: Block } | null }} Use */

class Placer {
  /** @type {Map<Local, Use>} */
  uses = new Map();
  #visited = new Set();

  /** @type {(local: Local, block: Block, statement: any, isSet: boolean) => void} */
  #use(local, block, statement, isSet) {
    let use = this.uses.get(local);
    if (!use) this.uses.set(local, (use = { block, sets: [], reads: 0, first: { statement, block } }));
    use.block = common(use.block, block);
    if (isSet) use.sets.push({ statement, block });
    else use.reads++;
  }

  /** @type {(e: any, block: Block, statement: any) => void} */
  expression(e, block, statement) {
    if (!e) return;
    if (e.op === 'local') this.#use(e.local, block, statement, false);
    if (e.array) this.array(e.array, block, statement);
    if (e.valid) this.expression(e.valid, block, statement);
    for (const arg of e.args) this.expression(arg, block, statement);
  }

  /** @type {(array: any, block: Block, statement: any) => void} */
  array(array, block, statement) {
    this.expression(array.pointer, block, statement);
    this.expression(array.length, block, statement);
  }

  /** @type {(list: any[], outer: Block | null) => void} */
  list(list, outer) {
    const block = { list, outer, depth: outer ? outer.depth + 1 : 0 };
    for (const s of list) this.statement(s, block);
  }

  /** @type {(s: any, block: Block) => void} */
  statement(s, block) {
    for (const part of ['value', 'index', 'valid', 'count', 'from', 'to', 'at', 'lo', 'hi']) {
      if (s[part] && typeof s[part] === 'object') this.expression(s[part], block, s);
    }
    for (const part of ['values', 'args'])
      s[part]?.forEach((/** @type {Expression} */ e) => this.expression(e, block, s));
    for (const part of ['array', 'target', 'source']) if (s[part]?.pointer) this.array(s[part], block, s);
    if (s.kind === 'set') this.#use(s.local, block, s, true);
    // What other statements make is made where they stand; all that reads it copies it at once.
    s.results?.forEach((/** @type {Local} */ local) => this.#visited.add(local));
    if (s.kind === 'loop') {
      this.#loop(s, block);
      return;
    }
    if (s.test) this.expression(s.test, block, s);
    for (const part of ['then', 'otherwise', 'body']) if (s[part]) this.list(s[part], block);
  }

  /**
   * A round is a block of which `before` is the start; of a late one it is the end, which the rest does not see.
   *
   * @type {(s: any, block: Block) => void}
   */
  #loop(s, block) {
    const round = { list: s.before, outer: block, depth: block.depth + 1 };
    for (const inner of s.before) this.statement(inner, round);
    if (s.test) this.expression(s.test, round, s);
    const rest = s.late ? block : round;
    this.list(s.body, rest);
    if (s.update.length) this.list(s.update, rest);
  }
}

/** @type {(a: Block, b: Block) => Block} */
function common(a, b) {
  while (a !== b) {
    if (a.depth >= b.depth && a.outer) a = a.outer;
    else b = /** @type {Block} */ (b.outer);
  }
  return a;
}

/** @type {(list: any[], drop: (s: any) => boolean) => void} */
function removeFrom(list, drop) {
  for (let i = list.length - 1; i >= 0; i--) if (drop(list[i])) list.splice(i, 1);
}

/** @type {(s: any, run: (list: any[]) => void) => void} */
function eachList(s, run) {
  for (const part of ['before', 'body', 'update', 'then', 'otherwise']) if (s[part]) run(s[part]);
}

/** @type {(list: any[], drop: (s: any) => boolean) => void} */
function removeAll(list, drop) {
  removeFrom(list, drop);
  for (const s of list) eachList(s, (inner) => removeAll(inner, drop));
}

/** @type {(func: any) => Placer} */
function usesOf(func) {
  const placer = new Placer();
  placer.list(func.body, null);
  return placer;
}

/** @type {(func: any) => void} drops what is set and never read, until nothing more goes */
function dropUnread(func) {
  for (;;) {
    const { uses } = usesOf(func);
    /** @type {Set<any>} */
    const gone = new Set();
    for (const [local, { reads, sets }] of uses)
      if (reads === 0 && !local.isParam) for (const { statement } of sets) gone.add(statement);
    if (gone.size === 0) return;
    removeAll(func.body, (s) => gone.has(s));
  }
}

/** @type {(func: import('./index.js').Func) => void} */
function placeLocals(func) {
  dropUnread(func);
  const { uses } = usesOf(func);
  const names = new Map();
  func.params.forEach((p) => rename(p, names));
  /** @type {any[]} */
  const atStart = [];
  for (const [local, use] of uses) {
    if (local.isParam) continue;
    rename(local, names);
    if (use.sets.length === 0) continue; // made by a call, an alloc or a loop
    local.isSet = use.sets.length > 1;
    const { first } = use;
    const isLet =
      first &&
      first.statement.kind === 'set' &&
      first.statement.local === local &&
      first.block === use.block &&
      !readsItself(first.statement);
    if (isLet) {
      first.statement.kind = 'let';
      continue;
    }
    local.isSet = true;
    atStart.push({ kind: 'let', local, value: M.zero(local.type) });
  }
  func.body.unshift(...atStart);
}

/** @type {(s: any) => boolean} */
function readsItself(s) {
  const reads = (/** @type {any} */ e) => (e.op === 'local' && e.local === s.local) || e.args.some(reads);
  return reads(s.value);
}

/** @type {(local: Local, names: Map<string, number>) => void} */
function rename(local, names) {
  const base = local.name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, '_') || 't';
  const n = names.get(base) ?? 0;
  names.set(base, n + 1);
  local.name = n === 0 ? base : `${base}_${n}`;
}

module.exports = { placeLocals };
