/**
 * A function of Values, recorded for one example and then computed for a batch.
 *
 * It is recorded as functions of control flow are (trace/control.js), so that what it uses of the graph around becomes
 * an input of it, which all examples share. It is not added to the graph: the core (src/passes/batch/) reads it once
 * and appends what it is for the batch.
 */
'use strict';

const { native } = require('../base/binding.js');
const { append, dimsOf, stateOf, valueOf, within } = require('../graph/value.js');
const { Body, Captures } = require('../trace/control.js');
const { inside } = require('./variables.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {import('../trace/control.js').Type} Type */

/** A value; `isBatched`: its axis 0 is that of the batch. @typedef {{ value: Value, isBatched: boolean }} Batched */

class Batch {
  /**
   * @param {string} caller
   * @param {GraphState} outer the graph that gets the batch
   * @param {string} name
   */
  constructor(caller, outer, name) {
    this.caller = caller;
    this.outer = outer;
    this.captures = new Captures();
    this.body = new Body(caller, outer, this.captures, name);
    /** One example of each value of which there is a batch. @type {Value[]} */
    this.examples = [];
  }

  get state() {
    return this.body.state;
  }

  /** @type {(type: Type) => Value} one example */
  example(type) {
    const value = this.body.input(type);
    this.examples.push(value);
    return value;
  }

  /**
   * Records something.
   *
   * @template T
   * @param {() => T} run
   * @returns {T}
   */
  record(run) {
    try {
      return within(this.state, run);
    } catch (error) {
      this.body.ended = true;
      throw error;
    }
  }

  /**
   * Ends the recording.
   *
   * @param {readonly Value[]} results
   * @param {readonly Value[]} batches one per example, of the graph around
   * @param {number} size
   * @returns {Batched[]} the results for the whole batch
   */
  finish(results, batches, size) {
    const { body, captures, outer, state } = this;
    results.forEach((value, k) => native.graphOutput(state.handle, `r${k}`, body.inside(value).ref));
    body.fill();
    body.ended = true;
    const inputs = [
      ...this.examples.map((own, i) => ({ own, value: inside(outer, batches[i]), isBatched: true })),
      ...body.own.map((own, i) => ({ own, value: captures.values[i], isBatched: false })),
    ].sort((a, b) => a.own.ref - b.own.ref);
    const [refs, flags] = [inputs.map(({ value }) => value.ref), inputs.map(({ isBatched }) => isBatched)];
    const made = native.graphBatch(outer.handle, state.handle, refs, flags, size);
    return made.refs.map((ref, k) => ({ value: valueOf(outer, ref), isBatched: made.flags[k] }));
  }
}

/** Axis `from` moved to place `to`. @type {(value: Value, from: number, to: number) => Value} */
function moveAxis(value, from, to) {
  if (from === to) return value;
  const axes = dimsOf(value).map((_, axis) => axis);
  axes.splice(to, 0, ...axes.splice(from, 1));
  return append(stateOf(value), 'transpose', [value], { axes });
}

/** Repeated along a new axis. @type {(value: Value, axis: number, size: number) => Value} */
function repeated(value, axis, size) {
  const shape = [...dimsOf(value)];
  const axes = shape.map((_, i) => (i < axis ? i : i + 1));
  shape.splice(axis, 0, size);
  return append(stateOf(value), 'broadcast', [value], { shape, axes });
}

/** With the batch along an axis, whether it had one or not. @type {(given: Batched, axis: number, size: number) => Value} */
const placed = ({ value, isBatched }, axis, size) =>
  isBatched ? moveAxis(value, 0, axis) : repeated(value, axis, size);

module.exports = { Batch, moveAxis, placed };
