/**
 * Nodes of one graph or function by name, and what can be said of them without translating: their order, loops and
 * branches.
 *
 * TensorFlow 1 has no functions for control flow. A loop is a *frame*: its values come in by `Enter`, a `Merge` takes
 * the first or that of the round before (`NextIteration`), and a `Switch` on `LoopCond` sends it into the body or to
 * `Exit`. A choice is a `Merge` of two values that come of opposite sides of a `Switch`.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { tables } = require('./ops/index.js');

/** @typedef {{ name: string, index: number }} Reference an output of a node */
/** @typedef {{ merge: string, switch: string, enter: string, next: string, exits: string[], isKept: boolean }} Carried */
/** @typedef {{ condition: Reference, carried: Carried[], constants: string[] }} Frame */
/** @typedef {{ predicate: Reference, sides: [Reference, Reference], switches: string[], swapped: boolean }} Choice */

/** @type {(proto: any) => string[]} */
const inputsOf = (proto) => proto.input ?? [];
/** @type {(proto: any) => string[]} */
const dataInputs = (proto) => inputsOf(proto).filter((input) => !input.startsWith('^'));

/**
 * Things in an order in which each comes behind those that it depends on.
 *
 * @param {readonly string[]} starts
 * @param {(name: string) => readonly string[]} dependencies
 * @param {(name: string) => void} onCycle
 * @returns {string[]}
 */
function inOrder(starts, dependencies, onCycle) {
  /** @type {Map<string, boolean>} whether it is done */
  const seen = new Map();
  /** @type {string[]} */
  const order = [];
  /** @type {{ name: string, rest: string[] }[]} */
  const stack = [];
  const enter = (/** @type {string} */ name) => {
    seen.set(name, false);
    stack.push({ name, rest: [...dependencies(name)].reverse() });
  };
  for (const start of starts) {
    if (!seen.has(start)) enter(start);
    while (stack.length > 0) {
      const { name, rest } = stack[stack.length - 1];
      const next = rest.pop();
      if (next === undefined) {
        seen.set(name, true);
        order.push(name);
        stack.pop();
      } else if (!seen.has(next)) enter(next);
      else if (seen.get(next) === false) onCycle(next);
    }
  }
  return order;
}

/** Choices that one node stands behind; more are of no model. */
const MAX_CHOICES = 1000;

/** @type {<T>(lists: Map<string, T[]>, name: string, item: T) => void} to the list of a name */
function addTo(lists, name, item) {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [item]);
  else list.push(item);
}

class Namespace {
  /** @type {Map<string, any>} */
  nodes = new Map();
  /** @type {Set<string>} */
  #argNames;
  /** By the name of LoopCond. @type {Map<string, Frame> | undefined} */
  #frames;
  /** @type {Map<string, Map<string, { side: 0 | 1 }>>} what switches decide whether a node runs */
  #contexts = new Map();
  /** @type {Map<string, Choice>} */
  #choices = new Map();

  /**
   * @param {readonly any[]} protos
   * @param {string} what for messages
   * @param {any} [own] the function that it is
   * @param {(op: string) => any} [functionOf] functions by name, which may be ops as well
   */
  constructor(protos, what, own, functionOf = () => undefined) {
    this.what = what;
    this.own = own;
    this.functionOf = functionOf;
    /** Names of the inputs of a function. @type {string[]} */
    this.args = (own?.signature?.inputArg ?? []).map((/** @type {any} */ { name = '' }) => name);
    this.#argNames = new Set(this.args);
    for (const proto of protos) {
      const { name = '' } = proto;
      if (this.nodes.has(name) || this.isArg(name)) fail('ERR_PARSE', `${what} has two nodes '${name}'`);
      this.nodes.set(name, proto);
    }
  }

  /** @type {(name: string) => any} */
  node(name) {
    return this.nodes.get(name) ?? fail('ERR_PARSE', `${this.what} has no node '${name}'`);
  }

  /** @type {(name: string) => boolean} whether it is an input of the function */
  isArg(name) {
    return this.#argNames.has(name);
  }

  /** What an input names: `node`, `node:1`, and in functions `node:output:1`. @type {(input: string) => Reference} */
  reference(input) {
    const [name, ...rest] = input.replace(/^\^/, '').split(':');
    const last = rest.length === 0 ? 0 : Number(rest[rest.length - 1]);
    if (!Number.isSafeInteger(last) || last < 0 || rest.length > 2) return fail('ERR_PARSE', `${this.what}: '${input}' names no output`);
    if (rest.length < 2) return { name, index: last };
    return { name, index: last + this.#firstOutput(name, rest[0]) };
  }

  /** @type {(name: string, output: string) => number} where the outputs of a name begin */
  #firstOutput(name, output) {
    const { op = '' } = this.node(name);
    const named = this.functionOf(op)?.signature?.outputArg;
    const outputs = named ? named.map((/** @type {any} */ each) => each.name) : tables[op]?.outputs;
    if (outputs === undefined) return 0;
    const at = outputs.indexOf(output);
    return at >= 0 ? at : fail('ERR_PARSE', `${this.what}: node '${name}' (${op}) has no output '${output}'`);
  }

  /** @type {(name: string) => string[]} names of the nodes whose results a node reads */
  reads(name) {
    return this.isArg(name) ? [] : dataInputs(this.node(name)).map((input) => this.reference(input).name);
  }

  /** @type {(reference: Reference) => Reference} what it is without nodes that do nothing */
  source(reference) {
    let at = reference;
    for (let i = 0; i <= this.nodes.size; i++) {
      const proto = this.nodes.get(at.name);
      if (proto === undefined || !['Identity', 'NextIteration', 'StopGradient'].includes(proto.op)) return at;
      at = this.reference(dataInputs(proto)[0] ?? '');
    }
    return at;
  }

  // ------------------------------------------------------------------------------------- frames

  /** Loops by the name of their LoopCond. */
  get frames() {
    this.#frames ??= this.#findFrames();
    return this.#frames;
  }

  #findFrames() {
    /** @type {Map<string, Carried[]>} */
    const found = new Map();
    /** @type {Map<string, string[]>} */
    const exits = new Map();
    for (const [name, { op, ...proto }] of this.nodes) {
      const inputs = dataInputs(proto);
      if (op === 'Exit' || op === 'RefExit') {
        const { name: from } = this.reference(inputs[0] ?? '');
        addTo(exits, from, name);
      }
      if (op !== 'Switch' && op !== 'RefSwitch') continue;
      const [merge, condition] = inputs.map((input) => this.source(this.reference(input)).name);
      if (this.nodes.get(condition)?.op !== 'LoopCond') continue;
      const ends = dataInputs(this.node(merge)).map((input) => this.reference(input).name);
      const kind = (/** @type {RegExp} */ pattern) => ends.find((each) => pattern.test(this.nodes.get(each)?.op ?? ''));
      const [enter, next] = [kind(/^(Ref)?Enter$/), kind(/^(Ref)?NextIteration$/)];
      if (enter === undefined || next === undefined) return fail('ERR_PARSE', `${this.what}: node '${merge}' is of a loop, but has no Enter or NextIteration`);
      const kept = this.source({ name: next, index: 0 });
      const carried = { merge, switch: name, enter, next, exits: [], isKept: kept.name === name };
      addTo(found, condition, carried);
    }
    return new Map([...found].map(([condition, carried]) => [condition, this.#frame(condition, carried, exits)]));
  }

  /** @type {(condition: string, carried: Carried[], exits: Map<string, string[]>) => Frame} */
  #frame(condition, carried, exits) {
    const frame = this.#frameName(carried[0].enter);
    const merges = new Set(carried.map(({ merge }) => merge));
    const ends = [condition, ...carried.map(({ next }) => next)];
    /** @type {Set<string>} */
    const constants = new Set();
    const seen = new Set(ends);
    for (const name of seen) {
      const isEnter = /^(Ref)?Enter$/.test(this.nodes.get(name)?.op ?? '') && this.#frameName(name) === frame;
      if (isEnter) constants.add(name);
      if (isEnter || merges.has(name) || this.isArg(name)) continue;
      for (const each of this.reads(name)) seen.add(each);
    }
    for (const each of carried) each.exits = exits.get(each.switch) ?? [];
    const [input = ''] = dataInputs(this.node(condition));
    return { condition: this.reference(input), carried, constants: [...constants] };
  }

  /** @type {(enter: string) => string} */
  #frameName(enter) {
    return Buffer.from(this.node(enter).attr?.get('frame_name')?.s ?? []).toString('utf8');
  }

  /** The loop that an Exit ends. @type {(exit: string) => Frame} */
  frameOf(exit) {
    for (const frame of this.frames.values()) if (frame.carried.some(({ exits }) => exits.includes(exit))) return frame;
    return fail('ERR_PARSE', `${this.what}: node '${exit}' is an Exit of no loop`);
  }

  /** @type {(name: string) => boolean} whether a Merge begins the rounds of a loop */
  isLoopMerge(name) {
    return dataInputs(this.node(name)).some((input) => /^(Ref)?NextIteration$/.test(this.nodes.get(this.reference(input).name)?.op ?? ''));
  }

  // ------------------------------------------------------------------------------------ choices

  /** What a Merge that belongs to no loop chooses by. @type {(name: string) => Choice} */
  choiceOf(name) {
    this.#contextOf(name);
    return this.#choices.get(name) ?? fail('ERR_UNSUPPORTED', `${this.what}: node '${name}' (Merge) joins values that no Switch parts`);
  }

  /** @type {(name: string) => void} finds out for a node and all before it which switches they stand behind */
  #contextOf(name) {
    const before = (/** @type {string} */ each) => {
      if (this.#contexts.has(each) || this.isArg(each) || !this.nodes.has(each)) return [];
      return inputsOf(this.node(each)).map((input) => this.reference(input).name).filter((input) => !/NextIteration$/.test(this.nodes.get(input)?.op ?? ''));
    };
    const cycle = (/** @type {string} */ each) => fail('ERR_PARSE', `${this.what}: nodes around '${each}' form a circle`);
    const order = inOrder([name], before, cycle).filter((each) => !this.#contexts.has(each));
    for (const each of order) this.#contexts.set(each, this.#context(each));
  }

  /** @type {(name: string) => Map<string, { side: 0 | 1 }>} by predicate */
  #context(name) {
    const proto = this.nodes.get(name);
    if (proto === undefined) return new Map();
    if (/^(Ref)?Merge$/.test(proto.op ?? '') && !this.isLoopMerge(name)) return this.#merged(name, proto);
    const context = new Map(inputsOf(proto).flatMap((input) => [...this.#behind(input)]));
    if (context.size > MAX_CHOICES) fail('ERR_UNSUPPORTED', `${this.what}: node '${name}' stands behind more than ${MAX_CHOICES} choices`);
    return context;
  }

  /** The switches that an input stands behind. @type {(input: string) => Map<string, { side: 0 | 1 }>} */
  #behind(input) {
    const { name, index } = this.reference(input);
    const proto = this.nodes.get(name);
    const context = this.#contexts.get(name) ?? new Map();
    if (!/^(Ref)?Switch$/.test(proto?.op ?? '') || input.startsWith('^')) return context;
    const predicate = this.source(this.reference(dataInputs(proto)[1] ?? ''));
    if (this.nodes.get(predicate.name)?.op === 'LoopCond') return context;
    return new Map([...context, [`${predicate.name}:${predicate.index}`, { side: index === 1 ? 1 : 0 }]]);
  }

  /** @type {(name: string, proto: any) => Map<string, { side: 0 | 1 }>} */
  #merged(name, proto) {
    const inputs = dataInputs(proto);
    const [first, second] = inputs.map((input) => this.#behind(input));
    const parts = (/** @type {string} */ each) => second.has(each) && second.get(each)?.side !== first.get(each)?.side;
    const key = inputs.length === 2 ? [...first.keys()].reverse().find(parts) : undefined;
    if (key === undefined) return new Map();
    const references = inputs.map((input) => this.reference(input));
    const isFirstTrue = first.get(key)?.side === 1;
    const predicate = this.reference(key);
    this.#choices.set(name, {
      predicate, swapped: isFirstTrue, switches: this.#switchesOf(predicate, references.map((each) => each.name)),
      sides: isFirstTrue ? [references[1], references[0]] : [references[0], references[1]],
    });
    const rest = new Map([...first, ...second]);
    rest.delete(key);
    return rest;
  }

  /** The switches on a predicate between it and some nodes. @type {(predicate: Reference, ends: readonly string[]) => string[]} */
  #switchesOf(predicate, ends) {
    const seen = new Set(ends);
    /** @type {string[]} */
    const switches = [];
    for (const name of seen) {
      const proto = this.nodes.get(name);
      if (proto === undefined) continue;
      const by = /^(Ref)?Switch$/.test(proto.op ?? '') ? this.source(this.reference(dataInputs(proto)[1] ?? '')) : undefined;
      if (by?.name === predicate.name && by.index === predicate.index) switches.push(name);
      else for (const each of this.reads(name)) seen.add(each);
    }
    return switches;
  }
}

module.exports = { Namespace, addTo, dataInputs, inOrder };
