/**
 * Which variables are read again: for each loop of a function, those whose value at the head of a round somebody may
 * still want, and for each `if` those that somebody may want behind it.
 *
 * A variable that every round sets before it reads it is nothing that a loop carries from round to round, wherever it
 * was declared; `var` and minified code declare everything at the top. The analysis goes backwards through the tree,
 * and round a loop until nothing is new. Variables that inner functions share are left to the caller, who counts them
 * as always read.
 */
'use strict';

/** @typedef {import('./index.js').FunctionNode} FunctionNode */
/** @typedef {import('./index.js').Variable} Variable */
/** @typedef {Set<Variable>} Live */

/** @type {WeakMap<FunctionNode, Analysis>} */
const known = new WeakMap();

/** What expressions have inside. */
const PARTS = ['operand', 'left', 'right', 'test', 'then', 'otherwise', 'object', 'index', 'argument'];
const LISTS = ['elements', 'fields', 'args'];

/** @type {(e: any, live: Live) => void} adds what an expression reads */
function reads(e, live) {
  if (!e) return;
  if (e.kind === 'variable') live.add(e.variable);
  for (const part of PARTS) if (e[part]) reads(e[part], live);
  for (const part of LISTS) e[part]?.forEach((/** @type {any} */ x) => reads(part === 'fields' ? x.value : x, live));
}

class Analysis {
  /** @type {Map<object, Live>} what is live at the head of a loop */
  heads = new Map();
  /** What is live behind an `if`. @type {Map<object, Live>} */
  ends = new Map();
  /** What is live where a jump goes. @type {Map<object, { onBreak: Live, onContinue: Live }>} */
  #targets = new Map();

  /** @type {(list: any[], after: Live) => Live} */
  list(list, after) {
    let live = after;
    for (let i = list.length - 1; i >= 0; i--) live = this.statement(list[i], live);
    return live;
  }

  /** @type {(s: any, after: Live) => Live} */
  statement(s, after) {
    const live = new Set(after);
    switch (s.kind) {
      case 'set':
        live.delete(s.variable);
        reads(s.value, live);
        return live;
      case 'call':
      case 'method':
        if (s.result) live.delete(s.result);
        reads(s.callee ?? s.object, live);
        s.args.forEach((/** @type {any} */ a) => reads(a, live));
        return live;
      case 'if': {
        this.ends.set(s, after);
        const both = this.list(s.then, after);
        for (const v of this.list(s.otherwise, after)) both.add(v);
        const joined = new Set(both);
        reads(s.test, joined);
        return joined;
      }
      case 'loop':
        return this.loop(s, after);
      case 'prange': {
        const entry = this.rounds(s, after, (head) => this.list(s.body, head));
        reads(s.first, entry);
        reads(s.end, entry);
        return entry;
      }
      case 'block':
        this.#targets.set(s, { onBreak: after, onContinue: after });
        return this.list(s.body, after);
      case 'break':
        return new Set(this.#targets.get(s.target)?.onBreak ?? after);
      case 'continue':
        return new Set(this.#targets.get(s.target)?.onContinue ?? after);
      case 'return': {
        const value = new Set();
        reads(s.value, value);
        return value;
      }
      case 'throw': {
        const parts = new Set();
        s.parts.forEach((/** @type {any} */ p) => reads(p, parts));
        return parts;
      }
      default:
        ['object', 'index', 'value'].forEach((part) => reads(s[part], live));
        return live;
    }
  }

  /** @type {(s: any, after: Live, round: (head: Live) => Live) => Live} */
  rounds(s, after, round) {
    let head = new Set([...after, ...(this.heads.get(s) ?? [])]);
    for (;;) {
      this.#targets.set(s, { onBreak: after, onContinue: head });
      const next = round(head);
      const size = head.size;
      head = new Set([...head, ...next]);
      if (head.size === size) break;
    }
    this.heads.set(s, head);
    return new Set(head);
  }

  /** @type {(s: any, after: Live) => Live} */
  loop(s, after) {
    /** @type {Live} */
    let first = after;
    const head = this.rounds(s, after, (next) => {
      const update = this.list(s.update, next);
      this.#targets.set(s, { onBreak: after, onContinue: update });
      const body = this.list(s.body, update);
      first = body;
      const tested = new Set([...body, ...after]);
      reads(s.test, tested);
      return this.list(s.before, tested);
    });
    // What a round needs is what the head needs: only what is read before it is set, or after the loop.
    if (s.late) for (const v of first) head.add(v);
    return head;
  }
}

/** @type {(callee: FunctionNode) => Analysis} */
function analysisOf(callee) {
  let analysis = known.get(callee);
  if (!analysis) {
    analysis = new Analysis();
    analysis.list(callee.body, new Set());
    known.set(callee, analysis);
  }
  return analysis;
}

/** @type {(callee: FunctionNode) => Map<object, Live>} by loop, what is live at the head of its rounds */
const liveAtHeads = (callee) => analysisOf(callee).heads;

/** @type {(callee: FunctionNode) => Map<object, Live>} by `if`, what is live behind it */
const liveBehind = (callee) => analysisOf(callee).ends;

module.exports = { liveAtHeads, liveBehind };
