/**
 * Abort signals of pending runs.
 *
 * The runs of one signal share one listener, since Node warns of a leak when there are more than ten.
 */
'use strict';

const { hideLibraryFrames } = require('./errors.js');

/** What Node's own functions reject with when a signal aborts them. */
class AbortError extends Error {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    super('The operation was aborted', { cause: signal.reason });
    this.name = 'AbortError';
    this.code = 'ABORT_ERR';
    hideLibraryFrames(this);
  }
}

/**
 * The pending runs of each signal.
 *
 * @type {WeakMap<AbortSignal, { cancels: Set<() => void>, listener: () => void }>}
 */
const watched = new WeakMap();

/** @type {(signal: AbortSignal) => { cancels: Set<() => void>, listener: () => void }} */
function watch(signal) {
  /** @type {Set<() => void>} */
  const cancels = new Set();
  const listener = () => cancels.forEach((cancel) => cancel());
  signal.addEventListener('abort', listener, { once: true });
  const entry = { cancels, listener };
  watched.set(signal, entry);
  return entry;
}

/**
 * @param {AbortSignal} signal
 * @param {() => void} cancel called when the signal aborts
 * @returns {() => void} forgets about it
 */
function onAbort(signal, cancel) {
  const { cancels, listener } = watched.get(signal) ?? watch(signal);
  cancels.add(cancel);
  return () => {
    cancels.delete(cancel);
    if (cancels.size > 0) return;
    signal.removeEventListener('abort', listener);
    watched.delete(signal);
  };
}

module.exports = { AbortError, onAbort };
