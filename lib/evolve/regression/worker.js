/**
 * The islands of a search on worker threads: such a thread's side, which answers what crew.js asks, in order.
 */
'use strict';

const { workerData } = require('node:worker_threads');
const { GraphError } = require('../../base/errors.js');
const { Language } = require('../operators.js');
const { KEPT, packed, unpacked } = require('./crew.js');
const { treesOf } = require('./individuals.js');
const { Islands } = require('./islands.js');

const { port, told, settings, data } = workerData;
const language = Object.assign(new Language(settings.language.isProtected), settings.language);
const islands = new Islands({ ...settings, language }, data);

/** Of the last generations. @type {{ generation: number, list: readonly import('./islands.js').Island[] }[]} */
let known = [];

/** @param {{ order: any, famous: any, islands: any, generation: number }} message */
function answer({ order, famous, islands: given, generation }) {
  if (order === undefined) return known.find((each) => each.generation === generation)?.list.map(packed);
  if (given) islands.list = given.map(unpacked);
  const trees = famous && { island: famous.island, trees: treesOf(famous.trees) };
  const { better, evaluations } = islands.step({ ...order, famous: trees });
  known = [...known.slice(1 - KEPT), { generation: order.generation, list: islands.list }];
  return { better: better.map(packed), evaluations };
}

/** @param {object} message */
function tell(message) {
  port.postMessage(message);
  Atomics.add(told, 0, 1);
  Atomics.notify(told, 0);
}

port.on('message', (/** @type {any} */ message) => {
  try {
    tell({ value: answer(message) });
  } catch (error) {
    const code = error instanceof GraphError ? error.code : 'ERR_INTERNAL';
    tell({ error: { code, message: /** @type {Error} */ (error).message } });
  }
});
// That it is ready.
Atomics.add(told, 0, 1);
